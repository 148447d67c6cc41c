//! `retold dedup`: the main job.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use retold::cluster::{Canonical, Drop, Linkage};
use retold::param::Settings;
use retold::{Config, Error, Resources, Result, method};
use retold_report::Job;
use tempfile::NamedTempFile;

use crate::input::{ReadArgs, bytes, spool};
use crate::progress::Progress;
use crate::say;
use crate::text_args::TextArgs;

/// Finds near-duplicates and writes the input without them
///
/// INPUT are files or folders: HTML, text, Markdown, JSONL, Parquet, CSV, WARC, WET, each also gzip or zstd; `-` is
/// JSONL on standard input. The folder OUT gets kept/ (the input without the copies), pairs.jsonl, clusters.jsonl,
/// dropped.jsonl, rejects.jsonl, summary.json, model.json and report.html.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  retold dedup pages/ -o out
  retold dedup crawl.warc.gz -o out --canonical earliest
  retold dedup corpus.parquet -o out --text-field content --param threshold=0.8
  zcat pages.jsonl.gz | retold dedup - -o out --no-kept")]
#[command(args_override_self = true)]
pub struct Args {
    /// Files and folders to read; `-` for JSONL on standard input
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Read more inputs from FILE, one per line
    #[arg(long, value_name = "FILE")]
    files_from: Option<PathBuf>,
    /// The folder to write; it must be new or empty
    #[arg(short, long, value_name = "OUT")]
    out: PathBuf,
    /// Replace what an earlier run wrote in OUT; other files there are not touched
    #[arg(long)]
    force: bool,
    /// Read options from FILE (TOML, long names); retold.example.toml lists all
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// How near-duplicates are found; `retold methods` lists the methods
    #[arg(long, value_name = "NAME", default_value = method::DEFAULT, help_heading = "Method")]
    method: String,
    /// Set a parameter of the method, as in --param threshold=0.8; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting, help_heading = "Method")]
    param: Vec<(String, String)>,
    /// Read parameters from FILE (TOML, one table per method); --param overrides
    #[arg(long, value_name = "FILE", help_heading = "Method")]
    params: Option<PathBuf>,
    /// Whether pages with equal texts are always duplicates, in every method
    #[arg(long, value_enum, default_value_t = Switch::On, help_heading = "Method")]
    exact: Switch,
    #[command(flatten)]
    text: TextArgs,

    /// How related pages become clusters
    #[arg(long, value_enum, default_value_t = Cluster::TwoEdge, help_heading = "Clusters")]
    cluster: Cluster,
    /// Which page of a cluster is canonical
    #[arg(long, value_enum, default_value_t = Which::Longest, help_heading = "Clusters")]
    canonical: Which,
    /// Which pages that repeat a kept page are dropped
    #[arg(long, value_enum, default_value_t = Dropped::Both, help_heading = "Clusters")]
    drop: Dropped,
    /// Flag clusters with more pages than this
    #[arg(
        long,
        value_name = "PAGES",
        default_value_t = 1000,
        help_heading = "Clusters"
    )]
    alarm_size: usize,

    /// Do not write OUT/kept
    #[arg(long, help_heading = "Output")]
    no_kept: bool,
    /// Keep all pages and add the fields retold_cluster, retold_canonical and retold_relation to them
    #[arg(long, conflicts_with = "no_kept", help_heading = "Output")]
    mark: bool,
    /// Include the texts of pages in clusters in report.html, up to CHARS characters each
    #[arg(long, value_name = "CHARS", num_args = 0..=1, require_equals = true, default_missing_value = "10000",
          value_parser = crate::input::positive, help_heading = "Output")]
    report_text: Option<usize>,
    /// No progress, no summary; errors only
    #[arg(short, long, help_heading = "Output")]
    quiet: bool,
    /// Print more: extraction, candidates, time, memory
    #[arg(short, long, conflicts_with = "quiet", help_heading = "Output")]
    verbose: bool,

    #[command(flatten)]
    read: ReadArgs,
    /// Memory for what is kept of the pages (suffix K, M or G); the rest goes to temporary files
    /// [default: half of the machine's, at most 8G]
    #[arg(long, value_name = "BYTES", value_parser = bytes, help_heading = "Resources")]
    memory: Option<u64>,
    /// Folder for temporary files [default: a hidden folder in OUT]
    #[arg(long, value_name = "DIR", help_heading = "Resources")]
    temp_dir: Option<PathBuf>,
    /// Worker threads; 0 means one per core
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        help_heading = "Resources"
    )]
    threads: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

#[derive(Clone, Copy, ValueEnum)]
enum Cluster {
    /// Repeatedly the largest set of pages within two relations of one page
    TwoEdge,
    /// Connected components
    Components,
}

#[derive(Clone, Copy, ValueEnum)]
enum Which {
    /// The page with the longest text
    Longest,
    /// The page with the earliest date
    Earliest,
    /// The page with the smallest id
    First,
}

#[derive(Clone, Copy, ValueEnum)]
enum Dropped {
    /// Duplicates, and pages contained in a kept page
    Both,
    /// Duplicates only
    Duplicate,
}

pub fn setting(text: &str) -> std::result::Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("NAME=VALUE expected")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// Runs the job and says how it went.
pub fn run(args: &Args) -> Result<ExitCode> {
    let (job, _spool) = job(args)?;
    let progress = Progress::start(args.quiet)?;
    let result = retold_report::run(&job, &progress);
    progress.finish();
    let summary = result?;
    if !args.quiet {
        say::summary(&summary, &args.out, args.verbose);
    }
    Ok(ExitCode::from(u8::from(summary.records.rejected > 0)))
}

/// The job, and the spooled standard input, which is removed when it is dropped.
fn job(args: &Args) -> Result<(Job, Option<NamedTempFile>)> {
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
    if inputs.is_empty() {
        return Err(Error::usage(
            "no INPUT: name a file or folder, or - for standard input",
        ));
    }
    let stdin = inputs.iter().any(|input| input == Path::new("-"));
    inputs.retain(|input| input != Path::new("-"));
    let config = config(args)?;
    let spool = stdin.then(spool).transpose()?;
    let mut resources = Resources::default();
    resources.threads = args.threads;
    resources.memory = args.memory.unwrap_or_else(usual_memory);
    resources.temp_dir.clone_from(&args.temp_dir);
    let job = Job {
        inputs,
        stdin: spool.as_ref().map(|file| file.path().to_owned()),
        config,
        resources,
        out: args.out.clone(),
        force: args.force,
    };
    Ok((job, spool))
}

/// Half of the machine's memory, at most 8 GiB.
fn usual_memory() -> u64 {
    const MOST: u64 = 8 << 30;
    retold::system::memory().map_or(MOST, |all| (all / 2).min(MOST))
}

fn config(args: &Args) -> Result<Config> {
    let mut config = Config {
        read: args.read.options(),
        method: args.method.clone(),
        params: method_settings(&args.method, args.params.as_deref(), &args.param)?,
        exact: args.exact == Switch::On,
        cluster: match args.cluster {
            Cluster::TwoEdge => Linkage::TwoEdge,
            Cluster::Components => Linkage::Components,
        },
        canonical: match args.canonical {
            Which::Longest => Canonical::Longest,
            Which::Earliest => Canonical::Earliest,
            Which::First => Canonical::First,
        },
        drop: match args.drop {
            Dropped::Both => Drop::Both,
            Dropped::Duplicate => Drop::Duplicate,
        },
        alarm_size: args.alarm_size,
        kept: !args.no_kept,
        mark: args.mark,
        report_text: args.report_text,
        ..Config::default()
    };
    args.text.set(&mut config);
    Ok(config)
}

/// The parameters of `--params FILE` for the method, then those of `--param`.
pub(crate) fn method_settings(
    method: &str,
    params: Option<&Path>,
    param: &[(String, String)],
) -> Result<Settings> {
    let mut settings = Settings::new();
    if let Some(path) = params {
        let at =
            |e: &dyn std::fmt::Display| Error::usage(format!("--params {}: {e}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|e| at(&e))?;
        let table: toml::Table = text.parse().map_err(|e| at(&e))?;
        for (name, parameters) in &table {
            // A table for an unknown method is most likely a misspelt name.
            method::find(name).map_err(|e| at(&e))?;
            let toml::Value::Table(parameters) = parameters else {
                return Err(at(&format!(
                    "`{name}` stands outside a table such as [{method}]"
                )));
            };
            for (parameter, value) in parameters.iter().filter(|_| *name == method) {
                let value = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                settings.insert(parameter.clone(), value.as_str().into());
            }
        }
    }
    let given = param.iter();
    settings.extend(given.map(|(name, value)| (name.clone(), value.as_str().into())));
    Ok(settings)
}
