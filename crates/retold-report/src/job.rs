//! The main job: files in, an output folder out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use retold::internal::{cache_remote_in, in_pool, shown_input};
use retold::read::{Source, discover, expand, leave_out};
use retold::{Dedup, Error, Findings, JudgeConfig, Model, Result, RunConfig, SameUrl, Watch};
use retold_index::{Export, Index};

use crate::columns;
use crate::files::write;
use crate::out::{OutDir, is_output};
use crate::output::{OutputConfig, Request};
use crate::summary::Summary;

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

/// Opens the output folder; what the run may use, with temporary files in that folder unless they have one of their own.
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

/// The error of a job without a page, given the numbers of read and rejected records; `first` says which reject is the first.
pub(crate) fn no_page(job: &Job, (read, rejected): (u64, u64), first: &str) -> Error {
    Error::usage(format!(
        "no page could be read from {}: of {read} records {rejected} were rejected{first}",
        inputs(job).join(", ")
    ))
}

/// Reads the inputs and finds the copies.
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
                    "--same-url does not go with --against an index, which knows no addresses: run it on the new pages first, and \
                     compare what it kept",
                ));
            }
            // How pages are compared is the index's affair.
            let index = Index::open(folder)?;
            let mut old = Export::old(&index);
            dedup(index.model())
                .against_stored(&mut old)
                .run(sources(job)?)
        }
    }
}

/// The files to read. Output folders below an INPUT, of this run or another, are not read.
///
/// Errors: those of [`discover()`](retold::read::discover), an input that is an output folder or inside of the one that is written, and no
/// file at all.
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

/// Takes out of the old files those that are read as INPUT: as old pages all of them would be copies of themselves.
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

/// Takes out what lies in the output folder of an earlier run. What is named as an INPUT is read all the same.
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

/// Whether a folder is an output folder or lies in one, as far up as the INPUT.
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

/// The inputs as they were named, sorted; standard input is `-`.
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
