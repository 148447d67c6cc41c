//! Writes all files of an output folder.

use std::io::Write;
use std::time::Instant;

use retold::internal::peak_memory;
use retold::{Error, Findings, Result, Stage, Watch};
use serde::Serialize;

use crate::agreement::Agreement;
use crate::out::{MODEL, OutDir, SUMMARY};
use crate::output::Request;
use crate::summary::{Run, Summary};
use crate::tally::Tallies;
use crate::{html, kept, stop, tables};

/// Writes the whole output folder; `summary.json` is renamed last.
///
/// Errors: a limit of the request is reached ([`Error::Stopped`]), a file cannot be written, the run is cancelled.
pub fn write(
    findings: &Findings,
    request: &Request,
    out: OutDir,
    watch: &dyn Watch,
) -> Result<Summary> {
    let start = Instant::now();
    watch.begin(Stage::Write.name(), 0);
    let output = &request.output;
    let tallies = Tallies::of(findings);
    stop::check(&output.stop_if, findings, &tallies)?;
    let mut summary = counted(findings, &tallies, request);
    drop(tallies);
    let agreements = Agreement::of_clusters(findings);
    // A single file in `kept/` is written by one thread, so write the report at the same time.
    let (report, (tables, kept)) = rayon::join(
        || html::write(findings, &agreements, output, &summary, &out, watch),
        || {
            rayon::join(
                || tables::write_all(findings, &agreements, output, &out),
                || match output.kept {
                    true => kept::write(findings, &agreements, output, &out, watch),
                    false => Ok(0),
                },
            )
        },
    );
    tables?;
    summary.left_out = Some(kept?).filter(|&count| count > 0);
    let report = report?;
    let written = (
        Stage::Write.name().to_owned(),
        start.elapsed().as_secs_f64(),
    );
    summary.run.seconds.push(written);
    report.finish(&summary.run)?;
    write_text(&out, MODEL, &findings.model.to_json())?;
    commit(out, &summary, watch)?;
    Ok(summary)
}

/// Writes `summary.json` and gives all files their final names, unless the run was cancelled.
pub(crate) fn commit(out: OutDir, summary: &impl Serialize, watch: &dyn Watch) -> Result<()> {
    let json = serde_json::to_string_pretty(summary).map_err(|e| Error::usage(e.to_string()))?;
    write_text(&out, SUMMARY, &json)?;
    match watch.cancelled() {
        true => Err(Error::Cancelled),
        false => out.commit(),
    }
}

/// The statistics of the run so far.
pub fn summary(findings: &Findings, request: &Request) -> Summary {
    counted(findings, &Tallies::of(findings), request)
}

fn counted(findings: &Findings, tallies: &Tallies, request: &Request) -> Summary {
    let mut summary = Summary::of(findings, tallies, request);
    let times = findings.times.iter();
    summary.run = Run {
        version: env!("CARGO_PKG_VERSION"),
        threads: findings.threads as u64,
        seconds: times
            .map(|time| (time.stage.name().to_owned(), time.wall.as_secs_f64()))
            .collect(),
        thread_seconds: findings
            .collection
            .spent
            .parts()
            .map(|(part, time)| (part.to_owned(), time.as_secs_f64()))
            .to_vec(),
        peak_memory: peak_memory(),
        temporary_files: findings.collection.memory().on_disk(),
        directory: directory(),
    };
    summary
}

/// The working directory, so that `retold explain` can find the inputs again.
pub(crate) fn directory() -> String {
    let here = std::env::current_dir().map(|here| here.display().to_string());
    here.unwrap_or_default()
}

pub(crate) fn write_text(out: &OutDir, name: &'static str, text: &str) -> Result<()> {
    let path = out.path(name);
    let mut file = out.create(name)?;
    let mut put = || -> std::io::Result<()> {
        file.write_all(text.as_bytes())?;
        file.write_all(b"\n")?;
        file.flush()
    };
    put().map_err(Error::io("cannot write", &path))
}
