//! Commands that make and remake an index: `create`, `compact`, `learn`; and `export`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use retold::internal::FileRef;
use retold::method::find_method;
use retold::{Error, Model, Result};
use retold_index::{Index, Writer};
use retold_report::{OutDir, OutputConfig, Request};
use serde::Serialize;

use super::print::WHO;
use crate::input::sources;
use crate::model_args::ModelArgs;
use crate::progress::Progress;
use crate::resources::{MemoryArg, OutArgs, QuietArg, ThreadsArg, run_config};
use crate::say::{self, count};
use crate::values::Address;

/// Makes an empty index
#[derive(clap::Args)]
pub struct Create {
    /// The folder to make; it must be new or empty
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Learn what is common from these files and folders; their pages are not added. The index learns again when it has twice as many pages
    #[arg(long, value_name = "INPUT", num_args = 1..)]
    learn: Vec<PathBuf>,
    /// Keep the model: do not learn again as the index grows, which it does at 100 pages and whenever they have doubled
    #[arg(long)]
    no_learn: bool,
    /// When pages count as versions of one page by their URLs: the newest whole one stands
    ///
    /// Without it, pages are told apart by their ids, and forms of one URL are one id
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Address::Off)]
    same_url: Address,
    /// Keep no texts; verdicts then come from the sketches alone
    #[arg(long, hide_short_help = true)]
    no_texts: bool,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    quiet: QuietArg,
}

/// Writes the files of a run over all pages of the index
#[derive(clap::Args)]
pub struct Export {
    /// The folder of the index
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    #[command(flatten)]
    output: OutArgs,
    /// Do not write OUT/kept
    #[arg(long)]
    no_kept: bool,
    /// Also write stories.jsonl, as in `dedup`
    #[arg(long)]
    stories: bool,
    /// Flag clusters with more pages than this
    #[arg(long, value_name = "PAGES", default_value_t = 1000)]
    alarm_size: usize,
    #[command(flatten)]
    quiet: QuietArg,
    #[command(flatten)]
    memory: MemoryArg,
    #[command(flatten)]
    threads: ThreadsArg,
}

/// Rewrites the index without pages that were removed or replaced
#[derive(clap::Args)]
pub struct Compact {
    /// The folder of the index
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    #[command(flatten)]
    quiet: QuietArg,
}

/// Counts again what is common in the pages of the index, and judges by these counts from now on
#[derive(clap::Args)]
pub struct Learn {
    /// The folder of the index
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    #[command(flatten)]
    quiet: QuietArg,
}

/// Copies the index, as it is at this moment, to a new folder
///
/// A writer may be active. Files are shared by hard links where that is possible, and every byte of the copy is read.
#[derive(clap::Args)]
pub struct Snapshot {
    /// The folder of the index
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The folder to make
    #[arg(value_name = "TO")]
    to: PathBuf,
    #[command(flatten)]
    quiet: QuietArg,
}

pub fn snapshot(args: &Snapshot) -> Result<ExitCode> {
    let index = Index::open(&args.dir)?;
    let checked = index.snapshot(&args.to)?;
    if !args.quiet.quiet {
        let pages = count(checked.pages, "page");
        say::account(|to| writeln!(to, "{}: {pages}, checked", args.to.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub fn create(args: &Create) -> Result<ExitCode> {
    let mut config = args.model.config()?;
    config.addresses.same_url = args.same_url.rule();
    let files = [
        &mut config.user_dict,
        &mut config.synonyms,
        &mut config.stop_words,
        &mut config.knowledge,
        &mut config.rank,
    ];
    for file in files.into_iter().flatten() {
        let FileRef { path, .. } = file;
        *path = path
            .canonicalize()
            .map_err(Error::io("cannot read", path))?;
    }
    let info = find_method(&config.method)?;
    if args.no_texts && info.own_params().any(|param| param.name == "verify") {
        config.params.insert("verify".to_owned(), "off".into());
        say::tell(
            "without texts there is no verification: verdicts come from the sketches alone (verify = off)",
        );
    }
    let model = learnt(Model::new(config)?, &args.learn, args.quiet.quiet)?;
    let index = Index::builder(&args.dir);
    let index = index.texts(!args.no_texts).learns(!args.no_learn);
    index.writer_name(WHO).create(&model)?.close()?;
    Ok(ExitCode::SUCCESS)
}

/// The model, with what it learns from these inputs.
fn learnt(model: Model, inputs: &[PathBuf], quiet: bool) -> Result<Model> {
    if inputs.is_empty() {
        return match model.wants_words() {
            false => Ok(model),
            true => Err(Error::usage(format!(
                "method {} needs the document frequencies of a collection: name one with --learn INPUT",
                model.method().name
            ))),
        };
    }
    let read = model.config().read.clone();
    let (sources, _spool) = sources(inputs, &read)?;
    Progress::during(quiet, |progress| model.learn_from(&sources, progress))
}

pub fn export(args: &Export) -> Result<ExitCode> {
    let index = Index::open(&args.dir)?;
    if index.is_empty() {
        return Err(Error::usage(format!(
            "{}: the index is empty",
            args.dir.display()
        )));
    }
    let out = OutDir::open(&args.output.out, args.output.force, false)?;
    let progress = Progress::start(args.quiet.quiet)?;
    let mut run = run_config(args.threads.threads, args.memory.memory);
    run.temp_dir = Some(out.path(""));
    let findings = index.findings(&run, &progress)?;
    if !args.no_kept && index.keeps_texts() {
        let gone = findings
            .dropped
            .iter()
            .map(|dropped| findings.id(dropped.page));
        let gone: std::collections::BTreeSet<_> = gone.collect();
        write_kept(&index, &out, |id| !gone.contains(id))?;
    }
    let output = OutputConfig {
        kept: !args.no_kept && index.keeps_texts(),
        stories: args.stories,
        alarm_size: args.alarm_size,
        ..OutputConfig::default()
    };
    let inputs = vec![args.dir.display().to_string()];
    let request = Request::new(inputs, &output, &run);
    let summary = retold::internal::in_pool(args.threads.threads, || {
        retold_report::write(&findings, &request, out, &progress)
    })?;
    progress.finish();
    if !args.quiet.quiet {
        say::account(|to| say::summary(&summary, &args.output.out, false, to))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A line of `kept/pages.jsonl`.
#[derive(Serialize)]
struct Kept {
    id: String,
    url: Option<String>,
    date: Option<String>,
    text: Option<String>,
}

fn write_kept(index: &Index, out: &OutDir, is_kept: impl Fn(&str) -> bool) -> Result<()> {
    let folder = out.path("kept");
    std::fs::create_dir(&folder).map_err(Error::io("cannot make the folder", &folder))?;
    let mut file = out.create("kept/pages.jsonl")?;
    let path = out.path("kept/pages.jsonl");
    let failed = || Error::io("cannot write", &path);
    index.each(|entry, text| {
        if !is_kept(&entry.id) {
            return Ok(());
        }
        let line = Kept {
            id: entry.id,
            url: entry.url,
            date: entry.date,
            text: text.map(|text| text.visible),
        };
        serde_json::to_writer(&mut file, &line).map_err(|e| failed()(e.into()))?;
        file.write_all(b"\n").map_err(failed())
    })?;
    file.flush().map_err(failed())
}

pub fn compact(args: &Compact) -> Result<ExitCode> {
    remade(&args.dir, args.quiet.quiet, |writer, progress| {
        writer.compact(progress)
    })
}

pub fn learn(args: &Learn) -> Result<ExitCode> {
    let run = run_config(0, None);
    remade(&args.dir, args.quiet.quiet, |writer, progress| {
        writer.learn(&run, progress)
    })
}

fn remade(
    dir: &Path,
    quiet: bool,
    job: impl FnOnce(&mut Writer, &Progress) -> Result<()>,
) -> Result<ExitCode> {
    let mut writer = Index::builder(dir).writer_name(WHO).write()?;
    let before = writer.index().stats()?;
    Progress::during(quiet, |progress| job(&mut writer, progress))?;
    if !quiet {
        let after = writer.index().stats()?;
        say::tell(format!(
            "{}, epoch {}, {} bytes (before: epoch {}, {} bytes)",
            count(after.pages, "page"),
            after.epoch,
            after.bytes,
            before.epoch,
            before.bytes
        ));
    }
    writer.close()?;
    Ok(ExitCode::SUCCESS)
}
