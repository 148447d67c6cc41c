//! The deduplication job: reads files, writes an output folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use retold::internal::{cache_remote_in, in_pool, shown_input};
use retold::read::{Source, discover, expand, leave_out};
use retold::{Dedup, Error, Findings, JudgeConfig, Model, Result, RunConfig, SameUrl, Watch};
use retold_index::{Export, Index};
use serde_json::{Value, json};

use crate::columns;
use crate::files::write;
use crate::out::{OutDir, SUMMARY, is_complete, is_output};
use crate::output::{OutputConfig, Request};
use crate::summary::Summary;

/// A deduplication job with files as input and output.
#[derive(Clone, Debug)]
pub struct Job {
    /// Files and directories to read.
    pub inputs: Vec<PathBuf>,
    /// JSONL from standard input, spooled to a file; read as the source `stdin`.
    pub stdin: Option<PathBuf>,
    /// Options that verdicts depend on.
    pub judge: JudgeConfig,
    /// Resources for the run.
    pub run: RunConfig,
    /// What to write.
    pub output: OutputConfig,
    /// What the pages are compared with besides each other.
    pub against: Against,
    /// The output folder.
    pub out: PathBuf,
    /// Replace the output of an earlier run.
    pub force: bool,
    /// Continue an interrupted run, and keep journals so that this run can be continued. Not with [`Job::against`].
    pub resume: bool,
}

/// What the pages of a job are compared with besides each other.
#[derive(Clone, Debug, Default)]
pub enum Against {
    /// Nothing.
    #[default]
    Nothing,
    /// The pages of these files and directories. They are neither dropped nor written.
    Files(Vec<PathBuf>),
    /// The pages of the index in this folder, with the model of the index.
    Index(PathBuf),
}

impl Job {
    /// Whether the output folder has the whole output of a run that was to be resumed: one with the same inputs, by name, of which no file
    /// is newer, and the same options.
    ///
    /// Errors: those of [`Model::new`] and [`sources`].
    pub fn is_finished(&self) -> Result<bool> {
        is_finished(self, || {
            let model = Model::new(self.judge.clone())?;
            let request = Request::new(inputs(self), &self.output, &self.run);
            Ok(request.parameters(model.config()).into())
        })
    }
}

/// Whether the job has nothing left to do, if its summary would have these parameters.
pub(crate) fn is_finished(job: &Job, parameters: impl FnOnce() -> Result<Value>) -> Result<bool> {
    if !job.resume || job.force || job.stdin.is_some() || !is_complete(&job.out) {
        return Ok(false);
    }
    let path = job.out.join(SUMMARY);
    let text = std::fs::read(&path).unwrap_or_default();
    let summary: Value = serde_json::from_slice(&text).unwrap_or_default();
    if summary["inputs"] != json!(inputs(job)) || summary["parameters"] != parameters()? {
        return Ok(false);
    }
    let written = |path: &Path| path.metadata().and_then(|file| file.modified()).ok();
    let end = written(&path);
    Ok(sources(job)?
        .iter()
        .all(|source| written(&source.path) <= end))
}

/// Reads the inputs, finds copies and writes the output folder.
///
/// Errors: those of [`Model::new`], [`OutDir::open`], [`discover()`](retold::read::discover), [`Dedup::run`] and [`write()`].
pub fn run(job: &Job, watch: &dyn Watch) -> Result<Summary> {
    columns::check(job.output.tables)?;
    let (out, run) = opened(job)?;
    let request = Request::new(inputs(job), &job.output, &job.run);
    in_pool(job.run.threads, || {
        let findings = find(job, &run, watch)?;
        write(&findings, &request, out, watch)
    })
}

/// Opens the output folder. Temporary files go there unless the job names another folder for them.
pub(crate) fn opened(job: &Job) -> Result<(OutDir, RunConfig)> {
    let out = OutDir::open(&job.out, job.force, job.resume)?;
    let mut run = job.run.clone();
    run.resume = job.resume.then(|| out.resume());
    let folder = run.temp_dir.take();
    let folder = folder.unwrap_or_else(|| out.path(""));
    cache_remote_in(&folder)?;
    run.temp_dir = Some(folder);
    Ok((out, run))
}

/// The error for a job without any page; `first` describes the first reject.
pub(crate) fn no_page(job: &Job, read: u64, rejected: u64, first: &str) -> Error {
    Error::usage(format!(
        "no page could be read from {}: of {read} records {rejected} were rejected{first}",
        inputs(job).join(", ")
    ))
}

pub(crate) fn find(job: &Job, run: &RunConfig, watch: &dyn Watch) -> Result<Findings> {
    let dedup = |model: Model| Dedup::new(model).resources(run).watch(watch);
    match &job.against {
        Against::Nothing => {
            let model = Model::new(job.judge.clone())?;
            dedup(model).run(sources(job)?)
        }
        Against::Files(old) => {
            let model = Model::new(job.judge.clone())?;
            let mut old = discover(old, &job.judge.read)?;
            let new = sources(job)?;
            leave_out_inputs(&mut old, &new, watch);
            match old.is_empty() {
                true => dedup(model).run(new),
                false => dedup(model).against(old).run(new),
            }
        }
        Against::Index(folder) => {
            if job.judge.addresses.same_url != SameUrl::Off {
                return Err(Error::usage(
                    "--same-url does not go with --against an index: run it on the new pages first, and compare what it kept; or add the \
                     pages to an index of `index create --same-url`, which replaces versions itself",
                ));
            }
            // The index decides how pages are compared.
            let index = Index::open(folder)?;
            let mut old = Export::old(&index);
            dedup(index.model())
                .against_stored(&mut old)
                .run(sources(job)?)
        }
    }
}

/// The files to read, without output folders of any run that lie below the inputs.
///
/// Errors: those of [`discover()`](retold::read::discover); an input is an output folder or inside the one to be written; there are no
/// files.
pub fn sources(job: &Job) -> Result<Vec<Source>> {
    let named = expand(&job.inputs)?;
    if let Some(input) = named.iter().find(|input| is_output(input)) {
        return Err(Error::usage(format!(
            "INPUT {0} is the output of a run of retold; name {0}/kept for the pages that it kept",
            input.display()
        )));
    }
    let mut sources = discover(&named, &job.judge.read)?;
    leave_out_outputs(&mut sources, &named);
    if let Ok(out) = job.out.canonicalize() {
        let is_inside = |input: &&PathBuf| {
            input
                .canonicalize()
                .is_ok_and(|path| path.starts_with(&out))
        };
        if let Some(input) = named.iter().find(is_inside) {
            return Err(Error::usage(format!(
                "{} is inside the output folder {}; name another folder with -o",
                input.display(),
                job.out.display()
            )));
        }
        leave_out(&mut sources, &out);
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

/// Removes files from the old ones that are also read as input; otherwise all their pages would be copies of themselves.
fn leave_out_inputs(old: &mut Vec<Source>, new: &[Source], watch: &dyn Watch) {
    let new = new
        .iter()
        .filter_map(|source| source.path.canonicalize().ok());
    let new: BTreeSet<PathBuf> = new.collect();
    let both = old.extract_if(.., |source| is_among(&source.path, &new));
    let both: Vec<Source> = both.collect();
    if let Some(first) = both.first() {
        watch.warn(&format!(
            "{} is named as INPUT and under --against{}: it is read once, as INPUT, and compared with the other pages",
            first.path.display(),
            match both.len() {
                1 => String::new(),
                many => format!(", as are {} other files", many - 1),
            }
        ));
    }
}

/// Removes files in output folders of earlier runs, except those that were named as an input.
fn leave_out_outputs(sources: &mut Vec<Source>, inputs: &[PathBuf]) {
    let inputs = inputs.iter().filter_map(|input| input.canonicalize().ok());
    let inputs: BTreeSet<PathBuf> = inputs.collect();
    let mut known = BTreeMap::new();
    sources.retain(|source| {
        let folder = source.path.parent();
        !folder.is_some_and(|folder| is_in_output(folder, &inputs, &mut known))
            || is_among(&source.path, &inputs)
    });
}

/// Whether a folder is an output folder or lies in one, looking no higher than the input.
fn is_in_output(
    folder: &Path,
    inputs: &BTreeSet<PathBuf>,
    known: &mut BTreeMap<PathBuf, bool>,
) -> bool {
    if let Some(&is_in_output) = known.get(folder) {
        return is_in_output;
    }
    let above = folder.parent();
    let is = !is_among(folder, inputs)
        && (is_output(folder) || above.is_some_and(|above| is_in_output(above, inputs, known)));
    known.insert(folder.to_owned(), is);
    is
}

fn is_among(path: &Path, inputs: &BTreeSet<PathBuf>) -> bool {
    path.canonicalize().is_ok_and(|path| inputs.contains(&path))
}

/// Inputs as they were named, sorted; standard input is `-`.
pub(crate) fn inputs(job: &Job) -> Vec<String> {
    let named = job
        .inputs
        .iter()
        .map(|path| shown_input(path).display().to_string());
    let mut inputs: Vec<String> = named.collect();
    inputs.sort();
    inputs.extend(job.stdin.iter().map(|_| "-".to_owned()));
    inputs
}
