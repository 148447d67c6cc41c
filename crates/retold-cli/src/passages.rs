//! `retold passages`: passages that pages have in common.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use indicatif::HumanCount;
use retold::passages::PassageOptions;
use retold::{JudgeConfig, Result};
use retold_report::{Job, OutputConfig, PassageJob, PassageNames, PassageSummary, find_passages};
use tempfile::NamedTempFile;

use crate::dedup::{Form, against};
use crate::filter_args::FilterArgs;
use crate::input::{ReadArgs, RecordArgs, spooled};
use crate::progress::Progress;
use crate::resources::{OutArgs, ResourceArgs};
use crate::say;
use crate::text_args::Part;

/// Finds the passages that two or more pages have in common, with their places
///
/// Every run of at least --min-words words that two pages share word for word, after folding, is found, unless it repeats only one or
/// two words. From these runs, passages continue through edits and misread words. If a run is on more than --max-df pages, each is
/// compared with one other, so that passages.jsonl has all of them and pairs.jsonl some. Of pages with the same text, the first
/// represents all (copies.jsonl); a page that repeats another one is compared with further pages only where it differs from that page.
/// The folder OUT gets passages.jsonl (which pages have a passage, where, and which was first), pairs.jsonl (passages that two pages
/// share), copies.jsonl, rejects.jsonl, summary.json and report.html.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  retold passages books/ -o out
  retold passages news.jsonl -o out --text --tables parquet
  retold passages poems.jsonl -o out --min-chars 15
  retold passages new/ --against archive/ -o out --min-words 15
  retold passages crawl.warc.gz -o out --across site")]
pub struct Args {
    /// Files and folders to read; `-` for JSONL on standard input
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,
    /// Search for passages of INPUT in these files and folders too
    ///
    /// Pages of OLD are not compared with each other
    #[arg(long, value_name = "OLD", num_args = 1..)]
    against: Vec<PathBuf>,
    #[command(flatten)]
    output: OutArgs,
    /// Continue an interrupted run with --resume
    ///
    /// Intermediate results stay in OUT until the run is complete
    #[arg(long, conflicts_with = "against")]
    resume: bool,

    /// Minimum length of a passage in words, in scripts with spaces
    #[arg(long, value_name = "N", default_value_t = PassageOptions::default().min_words, help_heading = "Passages")]
    min_words: u32,
    /// Minimum length of a passage in characters, in scripts without spaces
    #[arg(long, value_name = "N", default_value_t = PassageOptions::default().min_chars, help_heading = "Passages")]
    min_chars: u32,
    /// Of pages with the same run of words, all pairs are compared if there are no more than this; of more, each page with one other
    #[arg(long, value_name = "PAGES", default_value_t = PassageOptions::default().max_df, help_heading = "Passages", hide_short_help = true)]
    max_df: u32,
    /// A passage can continue after at most so many words that differ, if the text that follows outweighs them
    #[arg(long, value_name = "WORDS", default_value_t = PassageOptions::default().gap, help_heading = "Passages", hide_short_help = true)]
    gap: u32,
    /// Two places on a page are the same passage if their overlap is at least this share of the shorter one
    #[arg(long, value_name = "SHARE", default_value_t = PassageOptions::default().source_overlap, help_heading = "Passages", hide_short_help = true)]
    source_overlap: f64,
    /// and at least this share of the longer one
    #[arg(long, value_name = "SHARE", default_value_t = PassageOptions::default().target_overlap, help_heading = "Passages", hide_short_help = true)]
    target_overlap: f64,

    #[command(flatten)]
    pairs: FilterArgs,

    /// Which text of HTML pages is used
    #[arg(long, value_enum, default_value_t = Part::Main, help_heading = "Input")]
    extract: Part,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    records: RecordArgs,

    /// Write the texts of passages too
    #[arg(long, help_heading = "Output")]
    text: bool,
    /// Names of fields
    #[arg(long, value_enum, value_name = "WHOSE", default_value_t = Names::Retold, help_heading = "Output", hide_short_help = true)]
    names: Names,
    /// Also write tables in this format, in addition to JSONL
    #[arg(long, value_enum, value_name = "FORM", default_value_t = Form::Jsonl, help_heading = "Output")]
    tables: Form,
    #[command(flatten)]
    resources: ResourceArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum Names {
    /// a, a_begin, site and so on
    Retold,
    /// The names of passim: id1, b1, e1, matches, series, pboiler
    Passim,
}

/// Runs the job and says how it went.
pub fn run(args: &Args) -> Result<ExitCode> {
    let (job, _spool) = job(args)?;
    let wanted = PassageJob {
        job,
        options: options(args),
        names: match args.names {
            Names::Retold => PassageNames::Retold,
            Names::Passim => PassageNames::Passim,
        },
    };
    if wanted.is_finished()? {
        return Ok(say::finished(&args.output.out, args.resources.is_quiet()));
    }
    let summary = Progress::during(args.resources.is_quiet(), |progress| {
        find_passages(&wanted, progress)
    })?;
    let rejected = summary.records.rejected;
    say::ended(
        rejected,
        &args.output.out,
        args.resources.is_quiet(),
        |to| tell(&summary, &args.output.out, to),
    )?;
    Ok(args.records.rejects.code(rejected))
}

/// The job, and the spooled standard input, which is removed when it is dropped.
fn job(args: &Args) -> Result<(Job, Option<NamedTempFile>)> {
    let (inputs, spool) = spooled(&args.inputs)?;
    let mut run = args.resources.run();
    run.allow_empty = args.records.allow_empty;
    let job = Job {
        inputs,
        stdin: spool.as_ref().map(|file| file.path().to_owned()),
        judge: JudgeConfig {
            read: args.read.options(),
            extract: Some(args.extract.extract()),
            filters: args.pairs.filters(),
            ..JudgeConfig::default()
        },
        run,
        output: OutputConfig {
            kept: false,
            tables: args.tables.tables(),
            ..OutputConfig::default()
        },
        against: against(&args.against)?,
        out: args.output.out.clone(),
        force: args.output.force,
        resume: args.resume,
    };
    Ok((job, spool))
}

/// What a passage is.
fn options(args: &Args) -> PassageOptions {
    PassageOptions {
        min_words: args.min_words,
        min_chars: args.min_chars,
        max_df: args.max_df,
        gap: args.gap,
        source_overlap: args.source_overlap,
        target_overlap: args.target_overlap,
        text: args.text,
    }
}

/// A short account in plain words.
fn tell(summary: &PassageSummary, out: &Path, to: &mut dyn Write) -> io::Result<()> {
    writeln!(
        to,
        "{} read; {} have the same text as another, {} consist mostly of another",
        say::count(summary.records.kept, "page"),
        HumanCount(summary.copies),
        HumanCount(summary.repeating)
    )?;
    writeln!(
        to,
        "{} in {}; {} of them are boilerplate of a site",
        say::count(summary.passages, "passage"),
        say::count(summary.places, "place"),
        HumanCount(summary.boilerplate)
    )?;
    if summary.common > 0 {
        writeln!(
            to,
            "{} runs of words are on more than --max-df pages, so pairs.jsonl has only some of their pairs; summary.json names the most common",
            HumanCount(summary.common)
        )?;
    }
    if summary.monotonous > 0 {
        writeln!(
            to,
            "text that repeats one or two words was not searched, at {}",
            say::count(summary.monotonous, "place")
        )?;
    }
    if summary.records.rejected > 0 {
        writeln!(to, "{}", say::rejects(summary.records.rejected, out))?;
    }
    writeln!(to, "start with {}", out.join("report.html").display())
}
