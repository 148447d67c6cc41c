//! `retold decontaminate`: pages of a corpus that contain items of benchmarks.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use indicatif::HumanCount;
use retold::passages::{BenchmarkFields, DEFAULT_CONTAMINATION};
use retold::{JudgeConfig, Result};
use retold_report::{
    Against, Decontamination, DecontaminationSummary, Job, OutputConfig, decontaminate,
};

use crate::input::{ReadArgs, RecordArgs, spooled};
use crate::progress::Progress;
use crate::resources::{OutArgs, QuietArg, ThreadsArg, run_config};
use crate::say;
use crate::text_args::Part;

/// Finds pages of a training corpus that contain questions of a benchmark, and writes the corpus without these pages
///
/// CORPUS is files or folders, as in retold dedup; EVALS are JSONL, CSV or Parquet files, or folders of them, with one item per
/// record. Only EVALS are held in memory. The folder OUT gets contaminated.jsonl (page, benchmark, item, score, and the place),
/// kept/ (CORPUS without these pages), rejects.jsonl and summary.json.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  retold decontaminate corpus/ --benchmarks evals/ -o out
  retold decontaminate corpus.parquet --text-field content --benchmarks gsm8k/test.jsonl mmlu/test.csv -o out
  retold decontaminate crawl.warc.gz --extract none --benchmarks own.jsonl --question-field task --answer-field key -o out")]
pub struct Args {
    /// Files and folders to read; `-` for JSONL on standard input
    #[arg(value_name = "CORPUS", required = true)]
    inputs: Vec<PathBuf>,
    /// Files and folders of evaluation sets
    #[arg(long, value_name = "EVALS", num_args = 1.., required = true)]
    benchmarks: Vec<PathBuf>,
    #[command(flatten)]
    output: OutArgs,
    /// A page is contaminated if its score is at least this
    ///
    /// The score is above 0 and up to 1: the share of the question that the page has, weighted by rarity
    #[arg(long, value_name = "SCORE", default_value_t = DEFAULT_CONTAMINATION, value_parser = share)]
    threshold: f64,
    /// Fields of EVALS that hold the question
    ///
    /// They are separated by commas; the first that an item has is used
    #[arg(long, value_name = "NAMES", default_value_t = BenchmarkFields::default().question, help_heading = "Benchmarks")]
    question_field: String,
    /// Fields of EVALS that hold answers and choices; an answer near the question raises the score
    #[arg(long, value_name = "NAMES", default_value_t = BenchmarkFields::default().answer, help_heading = "Benchmarks", hide_short_help = true)]
    answer_field: String,
    /// Fields of EVALS that hold the passage that the question is about; it raises the score too
    #[arg(long, value_name = "NAMES", default_value_t = BenchmarkFields::default().passage, help_heading = "Benchmarks", hide_short_help = true)]
    passage_field: String,
    /// Field of EVALS that holds the id of an item [default: id, else the number of the record]
    #[arg(
        long,
        value_name = "NAME",
        default_value = "id",
        hide_default_value = true,
        help_heading = "Benchmarks",
        hide_short_help = true
    )]
    item_id_field: String,
    /// Which text of HTML pages is used
    #[arg(long, value_enum, default_value_t = Part::Main, help_heading = "Input")]
    extract: Part,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    records: RecordArgs,
    /// Do not write OUT/kept
    #[arg(long, help_heading = "Output")]
    no_kept: bool,
    #[command(flatten)]
    quiet: QuietArg,
    #[command(flatten)]
    threads: ThreadsArg,
}

/// A share above 0, up to 1.
fn share(value: &str) -> std::result::Result<f64, String> {
    let number = value.parse::<f64>().ok();
    let share = number.filter(|share| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| "give a number above 0 and up to 1".to_owned())
}

/// Runs the job and says how it went.
pub fn run(args: &Args) -> Result<ExitCode> {
    let (inputs, spool) = spooled(&args.inputs)?;
    let mut run = run_config(args.threads.threads, None);
    run.allow_empty = args.records.allow_empty;
    let read = args.read.options();
    let wanted = Decontamination {
        job: Job {
            inputs,
            stdin: spool.as_ref().map(|file| file.path().to_owned()),
            judge: JudgeConfig {
                read: read.clone(),
                extract: Some(args.extract.extract()),
                ..JudgeConfig::default()
            },
            run,
            output: OutputConfig {
                kept: !args.no_kept,
                ..OutputConfig::default()
            },
            against: Against::Nothing,
            out: args.output.out.clone(),
            force: args.output.force,
            resume: false,
        },
        benchmarks: args.benchmarks.clone(),
        benchmark_read: read,
        fields: BenchmarkFields {
            question: args.question_field.clone(),
            answer: args.answer_field.clone(),
            passage: args.passage_field.clone(),
            id: args.item_id_field.clone(),
        },
        threshold: args.threshold,
    };
    let summary = Progress::during(args.quiet.quiet, |progress| {
        decontaminate(&wanted, progress)
    })?;
    let rejected = summary.records.rejected;
    say::ended(rejected, &args.output.out, args.quiet.quiet, |to| {
        tell(&summary, &args.output.out, to)
    })?;
    Ok(args.records.rejects.code(rejected))
}

/// A short account in plain words.
fn tell(summary: &DecontaminationSummary, out: &Path, to: &mut dyn Write) -> io::Result<()> {
    let records = &summary.records;
    writeln!(
        to,
        "{} read: {} kept, {} contaminated",
        say::count(records.kept + records.dropped, "page"),
        HumanCount(records.kept),
        HumanCount(records.dropped)
    )?;
    for benchmark in &summary.benchmarks {
        let split = benchmark.split.as_ref();
        writeln!(
            to,
            "{}{}: {} of {} found, on {}",
            say::printable(&benchmark.benchmark),
            split.map(|split| format!(" {split}")).unwrap_or_default(),
            HumanCount(benchmark.items_found),
            say::count(benchmark.items, "item"),
            say::count(benchmark.pages, "page")
        )?;
        if benchmark.without_question > 0 {
            let without = HumanCount(benchmark.without_question);
            writeln!(
                to,
                "  {without} of its records have no question; --question-field names the field"
            )?;
        }
    }
    if records.rejected > 0 {
        writeln!(to, "{}", say::rejects(records.rejected, out))?;
    }
    writeln!(
        to,
        "start with {}",
        out.join("contaminated.jsonl").display()
    )
}
