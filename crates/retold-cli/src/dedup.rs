//! `retold dedup`: the main job.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use retold::{AddressRules, AgainstSelf, Error, Result, Versions};
use retold_index::Index;
use retold_report::{Against, Job, Names, OutputConfig, StopIf, Tables};
use tempfile::NamedTempFile;

use crate::input::{RecordArgs, bytes_or_none, spooled};
use crate::model_args::ModelArgs;
use crate::progress::Progress;
#[cfg(feature = "remote")]
use crate::remote::RemoteOut;
use crate::resources::{OutArgs, ResourceArgs};
use crate::say;
use crate::values::Address;

/// Finds near-duplicates and writes the input without them
///
/// INPUT is files or folders: HTML, text, Markdown, JSONL, Parquet, CSV, WARC, WET, also compressed with gzip or zstd; `-` is
/// JSONL on standard input. The folder OUT gets kept/ (the input without the copies), pairs.jsonl, clusters.jsonl,
/// dropped.jsonl, rejects.jsonl, summary.json, model.json and report.html; with --mark also marks.jsonl.
#[derive(clap::Args)]
#[command(before_long_help = "Examples:
  Write pages/ without the copies to out/kept, and a report:
    retold dedup pages/ -o out
  Keep the earliest of several copies:
    retold dedup crawl.warc.gz -o out --canonical earliest
  Drop what is already in the pages of yesterday:
    retold dedup today.jsonl --against yesterday.jsonl -o new")]
#[command(after_help = "Examples:
  retold dedup pages/ -o out
  retold dedup crawl.warc.gz -o out --canonical earliest
  retold dedup today.jsonl --against yesterday.jsonl -o new")]
#[command(after_long_help = "More examples:
  retold dedup corpus.parquet -o out --text-field content --param threshold=0.8
  zcat pages.jsonl.gz | retold dedup - -o out --no-kept")]
#[command(args_override_self = true)]
pub struct Args {
    /// Files and folders to read; `-` for JSONL on standard input
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Read more inputs from FILE, one per line
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    files_from: Option<PathBuf>,
    /// Compare with OLD too: files and folders, or one index
    ///
    /// Its pages are neither dropped nor written
    #[arg(long, value_name = "OLD", num_args = 1..)]
    against: Vec<PathBuf>,
    /// What to do with a page that is also in OLD, with the same id and text
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Own::Drop, hide_short_help = true)]
    against_self: Own,
    #[command(flatten)]
    output: OutArgs,
    /// Continue an interrupted run with --resume; intermediate results stay in OUT until the run is complete
    #[arg(long, conflicts_with = "against", hide_short_help = true)]
    resume: bool,
    /// Read options from FILE (TOML, long names)
    ///
    /// retold.example.toml lists all
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    #[command(flatten)]
    model: ModelArgs,
    /// When pages count as versions of the same page by their URLs
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Address::Off, help_heading = "Clusters")]
    same_url: Address,
    /// Which versions of a page stay, with --same-url
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = Kept::Newest, help_heading = "Clusters", hide_short_help = true)]
    versions: Kept,
    /// Which related pairs are listed of large groups of pages: those that decide, from 100 pages on, or all, up to 1,000 pages
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = Listed::Deciding, help_heading = "Clusters", hide_short_help = true)]
    pairs: Listed,
    /// Flag clusters with more pages than this
    #[arg(
        long,
        value_name = "PAGES",
        default_value_t = 1000,
        help_heading = "Clusters",
        hide_short_help = true
    )]
    alarm_size: usize,

    /// Write nothing, and end with exit code 4, if this share of the pages would be dropped, as in dropped=30%; or of the pages of a site or
    /// an input file that has at least 20: site-dropped=80%, input-dropped=80%
    #[arg(long, value_name = "LIMIT", value_delimiter = ',', value_parser = |text: &str| text.parse::<StopIf>(), help_heading = "Output", hide_short_help = true)]
    stop_if: Vec<StopIf>,
    /// Do not write OUT/kept
    #[arg(long, help_heading = "Output")]
    no_kept: bool,
    /// Keep all pages, and add fields that say what became of each
    ///
    /// The fields are retold_cluster, retold_canonical, retold_relation, retold_dropped_for and retold_cluster_size, and who agrees:
    /// retold_pages, retold_sites, retold_inputs, retold_first_date, retold_last_date and retold_lost
    #[arg(long, conflicts_with = "no_kept", help_heading = "Output")]
    mark: bool,
    /// Replace dropped records of WARC files by revisit records, instead of leaving them out with the records that belong to them
    #[arg(long, conflicts_with_all = ["no_kept", "mark"], help_heading = "Output", hide_short_help = true)]
    revisits: bool,
    /// Add the fields retold_cluster, retold_cluster_size and retold_dropped (how many pages were dropped for this one) to kept pages, and
    /// who agrees: retold_pages, retold_sites, retold_inputs, retold_first_date, retold_last_date and retold_lost
    #[arg(long, conflicts_with_all = ["no_kept", "mark"], help_heading = "Output", hide_short_help = true)]
    annotate: bool,
    /// Also write stories.jsonl: which pages tell the same story, and which are excerpts of it, longer versions, or round-ups of several stories
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    stories: bool,
    /// Put added fields into the object with this path, as in metadata.retold; without --mark this implies --annotate
    #[arg(long, value_name = "PATH", conflicts_with = "no_kept", value_parser = path_of_names, help_heading = "Output", hide_short_help = true)]
    annotate_as: Option<String>,
    /// Names of added fields
    #[arg(long, value_enum, value_name = "WHOSE", default_value_t = FieldNames::Retold, help_heading = "Output", hide_short_help = true)]
    names: FieldNames,
    /// Write pairs, clusters, dropped pages and rejects in this format too
    ///
    /// They are always written as JSONL
    #[arg(long, value_enum, value_name = "FORM", default_value_t = Form::Jsonl, help_heading = "Output", hide_short_help = true)]
    tables: Form,
    #[command(flatten)]
    records: RecordArgs,
    /// Include the texts of pages in clusters in report.html, up to CHARS characters each
    #[arg(long, value_name = "CHARS", num_args = 0..=1, require_equals = true, default_missing_value = "10000",
          value_parser = crate::input::positive, help_heading = "Output", hide_short_help = true)]
    report_text: Option<usize>,
    /// Print more: extraction, candidates, time; during the run, memory and temporary files
    #[arg(
        short,
        long,
        conflicts_with = "quiet",
        help_heading = "Output",
        hide_short_help = true
    )]
    verbose: bool,

    #[command(flatten)]
    resources: ResourceArgs,
    /// Store up to so much of the data read from URLs in temporary files, so that it is not fetched twice (suffix K, M or G); 0 stores nothing
    #[arg(long, value_name = "BYTES", default_value = "8G", value_parser = bytes_or_none, help_heading = "Resources", hide_short_help = true)]
    pub remote_cache: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Listed {
    /// Of more than 100 pages each dropped page with the one it repeats, and each page of a cluster with its canonical page
    Deciding,
    /// All pairs of up to 1,000 pages
    All,
}

#[derive(Clone, Copy, ValueEnum)]
enum FieldNames {
    /// retold_cluster and so on
    Retold,
    /// minhash_cluster_id (-1 for a page in no cluster) and minhash_cluster_size
    Datatrove,
}

/// A path of names with dots between them.
fn path_of_names(text: &str) -> std::result::Result<String, String> {
    match text.split('.').all(|name| !name.trim().is_empty()) {
        true => Ok(text.to_owned()),
        false => Err("names with dots between them expected, as in metadata.retold".to_owned()),
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Kept {
    /// The newest, by date, unless it repeats another page
    Newest,
    /// All; they are compared like other pages
    Keep,
}

#[derive(Clone, Copy, ValueEnum)]
enum Own {
    /// Drop it for that page; the summary counts such pages
    Drop,
    /// Leave out that page of OLD
    Skip,
    /// End the run
    Error,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Form {
    /// JSONL only
    Jsonl,
    /// pairs.csv and so on; a text that a spreadsheet would run as a formula gets a ' in front
    Csv,
    /// The same with every text as it is
    CsvRaw,
    /// pairs.parquet and so on, for DuckDB, pandas and Spark
    Parquet,
}

impl Form {
    /// The library's form.
    pub fn tables(self) -> Tables {
        match self {
            Form::Jsonl => Tables::Jsonl,
            Form::Csv => Tables::Csv,
            Form::CsvRaw => Tables::CsvRaw,
            Form::Parquet => Tables::Parquet,
        }
    }
}

/// Runs the job and says how it went.
pub fn run(args: &Args) -> Result<ExitCode> {
    let (mut job, _spool) = job(args)?;
    let remote = remote_out(args, &mut job)?;
    if job.is_finished()? {
        return Ok(say::finished(&args.output.out, args.resources.is_quiet()));
    }
    let mut progress = Progress::start(args.resources.is_quiet())?;
    if args.verbose {
        progress = progress.with_usage(&job.run.on_disk);
    }
    let result = retold_report::run(&job, &progress);
    progress.finish();
    let summary = result?;
    if let Some(remote) = remote {
        remote.upload()?;
    }
    let rejected = summary.records.rejected;
    say::ended(
        rejected,
        &args.output.out,
        args.resources.is_quiet(),
        |to| say::summary(&summary, &args.output.out, args.verbose, to),
    )?;
    Ok(args.records.rejects.code(rejected))
}

/// The bucket that OUT is in, if it is in one; the job then writes to a local folder first.
#[cfg(feature = "remote")]
fn remote_out(args: &Args, job: &mut Job) -> Result<Option<RemoteOut>> {
    if !RemoteOut::is_url(&args.output.out) {
        return Ok(None);
    }
    if args.resume {
        return Err(Error::usage(
            "--resume stores intermediate results in OUT, so OUT must be a local folder; copy it to the bucket afterwards",
        ));
    }
    let remote = RemoteOut::open(
        &args.output.out,
        &job.inputs,
        args.output.force,
        args.resources.temp_dir.as_deref(),
    )?;
    job.out = remote.folder();
    Ok(Some(remote))
}

/// Without the feature, writing to a bucket is refused where the folder is made.
#[cfg(not(feature = "remote"))]
fn remote_out(_: &Args, _: &mut Job) -> Result<Option<RemoteOut>> {
    Ok(None)
}

/// A type without values: without the feature there is no output in a bucket.
#[cfg(not(feature = "remote"))]
enum RemoteOut {}

#[cfg(not(feature = "remote"))]
impl RemoteOut {
    fn upload(self) -> Result<()> {
        match self {}
    }
}

/// The job, and the spooled standard input, which is removed when it is dropped.
fn job(args: &Args) -> Result<(Job, Option<NamedTempFile>)> {
    let given = inputs(args)?;
    let mut judge = args.model.config()?;
    judge.addresses = addresses(args);
    let (inputs, spool) = spooled(&given)?;
    let mut run = args.resources.run();
    run.allow_empty = args.records.allow_empty;
    run.all_pairs = args.pairs == Listed::All;
    run.against_self = match args.against_self {
        Own::Drop => AgainstSelf::Drop,
        Own::Skip => AgainstSelf::Skip,
        Own::Error => AgainstSelf::Error,
    };
    let job = Job {
        inputs,
        stdin: spool.as_ref().map(|file| file.path().to_owned()),
        judge,
        run,
        output: output(args),
        against: against(&args.against)?,
        out: args.output.out.clone(),
        force: args.output.force,
        resume: args.resume,
    };
    Ok((job, spool))
}

/// INPUTs, of the command line and of `--files-from`.
///
/// Errors: there are none.
fn inputs(args: &Args) -> Result<Vec<PathBuf>> {
    let mut inputs = args.inputs.clone();
    if let Some(list) = &args.files_from {
        let text = std::fs::read_to_string(list)
            .map_err(|e| Error::usage(format!("--files-from {}: {e}", list.display())))?;
        inputs.extend(
            text.lines()
                .filter(|line| !line.trim().is_empty())
                .map(PathBuf::from),
        );
    }
    if let (true, [old @ .., new]) = (inputs.is_empty(), &args.against[..])
        && !old.is_empty()
    {
        return Err(Error::usage(format!(
            "no INPUT: all names after --against are old pages; put INPUT first: retold dedup {} --against {} -o {}",
            new.display(),
            old[0].display(),
            args.output.out.display()
        )));
    }
    if inputs.is_empty() {
        return Err(Error::usage(
            "no INPUT: name a file or folder, or - for standard input",
        ));
    }
    Ok(inputs)
}

/// Which pages are versions of one.
fn addresses(args: &Args) -> AddressRules {
    AddressRules {
        same_url: args.same_url.rule(),
        versions: match args.versions {
            Kept::Newest => Versions::Newest,
            Kept::Keep => Versions::Keep,
        },
    }
}

/// What the pages are compared with.
pub fn against(old: &[PathBuf]) -> Result<Against> {
    let indexes = old.iter().filter(|path| Index::is_at(path)).count();
    Ok(match old {
        [] => Against::Nothing,
        [index] if indexes == 1 => Against::Index(index.clone()),
        _ if indexes == 0 => Against::Files(old.to_vec()),
        _ => {
            return Err(Error::usage(
                "--against: one index, or files and folders; an index and something else cannot be compared in one run",
            ));
        }
    })
}

/// What is written.
fn output(args: &Args) -> OutputConfig {
    OutputConfig {
        kept: !args.no_kept,
        mark: args.mark,
        annotate: args.annotate || args.annotate_as.is_some() && !args.mark,
        annotate_as: args.annotate_as.clone(),
        stories: args.stories,
        revisits: args.revisits,
        names: match args.names {
            FieldNames::Retold => Names::Retold,
            FieldNames::Datatrove => Names::Datatrove,
        },
        tables: args.tables.tables(),
        report_text: args.report_text,
        alarm_size: args.alarm_size,
        stop_if: args.stop_if.clone(),
    }
}
