//! Stage 7, reports: results become files.

pub(crate) mod html;
mod kept;
pub mod network;
mod out;
mod summary;
mod tables;

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use serde::Serialize;

pub use out::OutDir;
pub(crate) use out::SUMMARY;
pub use summary::{Bytes, Flagged, LargeGroup, Records, Relations, Run, SketchCounts, Summary};
pub use tables::{PairLine, read_pairs};

use crate::error::{Error, Result};
use crate::pipeline::{Findings, Options as RunOptions};
use crate::system;
use crate::watch::Watch;

/// The file with the features that were found to be noise.
pub(crate) const NOISE: &str = "noise.json";
/// The file with the document frequencies that the method was given, if it wants some.
pub(crate) const FREQUENCIES: &str = "frequencies.json";

/// What is written where.
#[derive(Clone, Debug)]
pub struct Options {
    /// The output folder.
    pub out: PathBuf,
    /// Replace what an earlier run wrote there.
    pub force: bool,
    /// Write `kept/`.
    pub kept: bool,
    /// Keep every page in `kept/` and add the fields `retold_cluster`, `retold_canonical`, `retold_relation`.
    pub mark: bool,
    /// Put the texts of pages in clusters into `report.html`, up to this many characters of each.
    pub texts: Option<usize>,
}

/// Writes the whole output folder; `summary.json` gets its name last.
pub fn write(
    findings: &Findings,
    options: &RunOptions,
    out: OutDir,
    watch: &dyn Watch,
) -> Result<Summary> {
    let start = Instant::now();
    watch.begin("writing", 0);
    let mut summary = Summary::of(findings, options);
    tables::write_all(findings, &out, options.output.mark)?;
    if options.output.kept {
        kept::write(findings, options, &out, watch)?;
    }
    let times = findings.times.iter().map(|lap| (lap.stage, lap.wall));
    let times = times.chain([("write", start.elapsed())]);
    summary.run = Run {
        version: env!("CARGO_PKG_VERSION"),
        threads: rayon::current_num_threads() as u64,
        seconds: times
            .map(|(stage, time)| (stage.to_owned(), time.as_secs_f64()))
            .collect(),
        thread_seconds: findings
            .collection
            .spent
            .parts()
            .map(|(part, time)| (part.to_owned(), time.as_secs_f64()))
            .to_vec(),
        peak_memory: system::peak_memory(),
        directory: std::env::current_dir()
            .map(|d| d.display().to_string())
            .unwrap_or_default(),
    };
    html::write(findings, options, &summary, &out, watch)?;
    // Both frozen, so that `retold explain` judges as the run did.
    write_json(&out, NOISE, &findings.noise)?;
    if let Some(frequencies) = &findings.frequencies {
        write_json(&out, FREQUENCIES, &**frequencies)?;
    }
    write_summary(&summary, &out)?;
    if watch.cancelled() {
        return Err(Error::Cancelled);
    }
    out.commit()?;
    Ok(summary)
}

fn write_json(out: &OutDir, name: &'static str, value: &impl Serialize) -> Result<()> {
    let path = out.path(name);
    let mut file = out.create(name)?;
    let mut put = || -> std::io::Result<()> {
        serde_json::to_writer(&mut file, value)?;
        file.write_all(b"\n")?;
        file.flush()
    };
    put().map_err(Error::io("cannot write", &path))
}

fn write_summary(summary: &Summary, out: &OutDir) -> Result<()> {
    let path = out.path(out::SUMMARY);
    let mut file = out.create(out::SUMMARY)?;
    let mut put = || -> std::io::Result<()> {
        serde_json::to_writer_pretty(&mut file, summary)?;
        file.write_all(b"\n")?;
        file.flush()
    };
    put().map_err(Error::io("cannot write", &path))
}
