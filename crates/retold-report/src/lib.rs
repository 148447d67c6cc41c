//! The output folder of a run: tables, `kept/`, `summary.json`, `model.json`, `report.html`; and pictures.
//!
//! [`run`] is the main job with files on both sides; [`write()`] makes a folder of [`retold::Findings`]; [`Finished`] opens one
//! again.

#![forbid(unsafe_code)]

mod columns;
mod finished;
mod html;
mod kept;
pub mod network;
mod out;
mod output;
pub mod story;
mod summary;
mod tables;

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use retold::read::{self, Source};
use retold::watch::Watch;
use retold::{Error, Findings, JudgeConfig, Model, Result, RunConfig, dedup, system};
use retold_index::{Export, Index};

pub use finished::Finished;
pub use out::OutDir;
pub use output::{OutputConfig, Request, Tables};
pub use summary::{Bytes, Flagged, LargeComponent, Records, Relations, Run, SketchCounts, Summary};

/// The file with the model: the configuration and what was learnt.
const MODEL: &str = "model.json";

/// The main job with files on both sides.
#[derive(Clone, Debug)]
pub struct Job {
    /// Files and directories to read.
    pub inputs: Vec<PathBuf>,
    /// JSONL that came on standard input, spooled to a file; read as the source `stdin`.
    pub stdin: Option<PathBuf>,
    /// What the result depends on beside the inputs.
    pub judge: JudgeConfig,
    /// What the run may use.
    pub run: RunConfig,
    /// What is written.
    pub output: OutputConfig,
    /// What they are compared with.
    pub against: Against,
    /// The folder to write.
    pub out: PathBuf,
    /// Replace what an earlier run wrote there.
    pub force: bool,
    /// Go on with what an interrupted run has done, and keep what this one does until it is complete. Not with
    /// [`Job::against`].
    pub resume: bool,
}

/// What the pages of a job are compared with beside each other.
#[derive(Clone, Debug, Default)]
pub enum Against {
    /// Nothing.
    #[default]
    Nothing,
    /// The pages of these files and directories, which are neither dropped nor written.
    Files(Vec<PathBuf>),
    /// The pages of the index in this folder. Its model judges.
    Index(PathBuf),
}

/// Reads the inputs, finds the copies, writes the output folder.
///
/// Errors: those of [`Model::new`], [`OutDir::open`], [`read::discover`], [`dedup::run`] and [`write()`].
pub fn run(job: &Job, watch: &dyn Watch) -> Result<Summary> {
    columns::check(job.output.tables)?;
    let out = OutDir::open(&job.out, job.force, job.resume)?;
    let mut run = job.run.clone();
    run.resume = job.resume.then(|| out.resume());
    let folder = run.temp_dir.take();
    run.temp_dir = Some(folder.unwrap_or_else(|| out.path("")));
    let request = Request::new(inputs(job), &job.output, &job.run);
    dedup::in_pool(job.run.threads, || {
        let findings = find(job, &run, watch)?;
        write(&findings, &request, out, watch)
    })
}

fn find(job: &Job, run: &RunConfig, watch: &dyn Watch) -> Result<Findings> {
    match &job.against {
        Against::Nothing => {
            let model = Model::new(job.judge.clone())?;
            dedup::run(sources(job)?, model, run, watch)
        }
        Against::Files(old) => {
            let model = Model::new(job.judge.clone())?;
            let old = read::discover(old, &job.judge.read)?;
            dedup::against(sources(job)?, old, model, run, watch)
        }
        Against::Index(folder) => {
            // How pages are compared is the index's affair.
            let index = Index::open(folder)?;
            let mut old = Export::old(&index);
            dedup::against_index(sources(job)?, &mut old, index.model(), run, watch)
        }
    }
}

/// The files to read. An output folder below an INPUT is not read.
///
/// Errors: those of [`read::discover`], an input inside the output folder, and no file at all.
pub fn sources(job: &Job) -> Result<Vec<Source>> {
    let mut sources = read::discover(&job.inputs, &job.judge.read)?;
    if let Ok(out) = job.out.canonicalize() {
        let is_inside = |input: &&PathBuf| {
            input
                .canonicalize()
                .is_ok_and(|path| path.starts_with(&out))
        };
        if let Some(input) = job.inputs.iter().find(is_inside) {
            return Err(Error::usage(format!(
                "{} is inside the output folder {}; name another folder with -o",
                input.display(),
                job.out.display()
            )));
        }
        read::leave_out(&mut sources, &out);
    }
    sources.extend(job.stdin.iter().map(|path| Source::spooled(path)));
    if sources.is_empty() && !job.run.allow_empty {
        return Err(Error::usage(format!(
            "no page could be read from {}: there are 0 files to read",
            inputs(job).join(", ")
        )));
    }
    Ok(sources)
}

/// The inputs as they were named, sorted; standard input is `-`.
fn inputs(job: &Job) -> Vec<String> {
    let named = job.inputs.iter().map(|path| path.display().to_string());
    let mut inputs: Vec<String> = named.collect();
    inputs.sort();
    inputs.extend(job.stdin.iter().map(|_| "-".to_owned()));
    inputs
}

/// Writes the whole output folder; `summary.json` gets its name last.
pub fn write(
    findings: &Findings,
    request: &Request,
    out: OutDir,
    watch: &dyn Watch,
) -> Result<Summary> {
    let start = Instant::now();
    watch.begin("writing", 0);
    let output = &request.output;
    let mut summary = summary(findings, request);
    // One file is written to `kept/` by one thread.
    let (report, (tables, kept)) = rayon::join(
        || html::write((findings, output), &summary, &out, watch),
        || {
            rayon::join(
                || tables::write_all(findings, output, &out),
                || match output.kept {
                    true => kept::write(findings, output.mark, &out, watch),
                    false => Ok(()),
                },
            )
        },
    );
    tables.and(kept).and(report)?;
    let written = ("write".to_owned(), start.elapsed().as_secs_f64());
    summary.run.seconds.push(written);
    write_text(&out, MODEL, &findings.model.to_json())?;
    let json = serde_json::to_string_pretty(&summary).map_err(|e| Error::usage(e.to_string()))?;
    write_text(&out, out::SUMMARY, &json)?;
    if watch.cancelled() {
        return Err(Error::Cancelled);
    }
    out.commit()?;
    Ok(summary)
}

/// The run in numbers, as far as it has come.
pub fn summary(findings: &Findings, request: &Request) -> Summary {
    let mut summary = Summary::of(findings, request);
    let times = findings.times.iter();
    summary.run = Run {
        version: env!("CARGO_PKG_VERSION"),
        threads: findings.threads as u64,
        seconds: times
            .map(|lap| (lap.stage.to_owned(), lap.wall.as_secs_f64()))
            .collect(),
        thread_seconds: findings
            .collection
            .spent
            .parts()
            .map(|(part, time)| (part.to_owned(), time.as_secs_f64()))
            .to_vec(),
        peak_memory: system::peak_memory(),
        temporary_files: findings.collection.memory().on_disk(),
        directory: std::env::current_dir()
            .map(|d| d.display().to_string())
            .unwrap_or_default(),
    };
    summary
}

fn write_text(out: &OutDir, name: &'static str, text: &str) -> Result<()> {
    let path = out.path(name);
    let mut file = out.create(name)?;
    let mut put = || -> std::io::Result<()> {
        file.write_all(text.as_bytes())?;
        file.write_all(b"\n")?;
        file.flush()
    };
    put().map_err(Error::io("cannot write", &path))
}
