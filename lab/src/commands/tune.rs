//! `retold-lab tune`: parameters that fit a labelled set.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use retold::eval::{Score, Unlisted};
use retold::method::DEFAULT_METHOD;
use retold::read::Source;
use retold::{Error, JudgeConfig, Result};
use retold_cli::shared::{
    METHOD, PRESET, Progress, QuietArg, ReadArgs, Setting, TextArgs, ThreadsArg, chosen_method,
    positive, say, sources,
};
use retold_lab::tune::{self, Options, Tuned};

/// Searches for the parameters that fit labelled pairs best
///
/// This is a genetic algorithm over all numeric parameters of the method. A part of the pages is held out (pages that
/// are connected by labels stay on one side); both parts are scored, before and after. It writes FILE, which --param-file
/// accepts, and an HTML page with the same name that shows the search.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  retold-lab tune --method agglomerate --gold gold.tsv pages.jsonl -o tuned.toml
  retold-lab tune --method period --gold gold.tsv pages/ -o period.toml --param chars=10 --beta 0.5")]
pub struct Args {
    /// Files and folders to read; `-` for JSONL on standard input
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,
    /// Labelled pairs: a<TAB>b<TAB>duplicate|contains|contained_by|related|ignore|distinct
    #[arg(long, value_name = "FILE")]
    gold: PathBuf,
    /// The parameter file to write
    #[arg(short, long, value_name = "FILE", default_value = "tuned.toml")]
    out: PathBuf,
    /// Replace the files if they already exist
    #[arg(long)]
    force: bool,
    /// The method to tune
    #[arg(long, value_name = "NAME", value_parser = METHOD, hide_possible_values = true, default_value = DEFAULT_METHOD, help_heading = "Method")]
    method: String,
    /// Tune the method of a preset, and fix the parameters that it sets
    #[arg(long, value_name = "NAME", value_parser = PRESET, hide_possible_values = true, conflicts_with = "method", help_heading = "Method")]
    preset: Option<String>,
    /// Fix a parameter at a value; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = Setting, hide_possible_values = true, help_heading = "Method")]
    param: Vec<(String, String)>,
    /// Fix the parameters that FILE sets
    #[arg(
        long,
        alias = "params",
        value_name = "FILE",
        help_heading = "Method",
        hide_short_help = true
    )]
    param_file: Option<PathBuf>,
    /// Also search this parameter, whose values are names; may be repeated
    #[arg(
        long,
        value_name = "NAME",
        help_heading = "Search",
        hide_short_help = true
    )]
    vary: Vec<String>,
    /// How a reported pair without a label counts
    #[arg(long, value_enum, default_value_t = NotListed::Distinct)]
    unlisted: NotListed,
    /// Maximise F-beta: recall counts BETA times as much as precision
    #[arg(long, value_name = "BETA", default_value_t = 1.0, value_parser = beta, help_heading = "Search")]
    beta: f64,
    /// Random seed; the same seed gives the same result
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        help_heading = "Search",
        hide_short_help = true
    )]
    seed: u64,
    /// Parameter sets per generation
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = positive, help_heading = "Search", hide_short_help = true)]
    population: usize,
    /// Number of generations
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = positive, help_heading = "Search", hide_short_help = true)]
    generations: usize,
    /// Share of the pages that is held out
    #[arg(long, value_name = "PART", default_value_t = 0.4, value_parser = part, help_heading = "Search", hide_short_help = true)]
    held_out: f64,
    #[command(flatten)]
    text: TextArgs,
    #[command(flatten)]
    quiet: QuietArg,
    #[command(flatten)]
    threads: ThreadsArg,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum NotListed {
    /// As a false positive
    Distinct,
    /// Not scored
    Ignore,
}

fn beta(text: &str) -> std::result::Result<f64, String> {
    let number = text.parse().ok().filter(|n| (0.01..=100.0).contains(n));
    number.ok_or_else(|| "a number from 0.01 to 100 expected".to_owned())
}

fn part(text: &str) -> std::result::Result<f64, String> {
    let number = text.parse().ok().filter(|n| (0.05..=0.95).contains(n));
    number.ok_or_else(|| "a number from 0.05 to 0.95 expected".to_owned())
}

/// Searches, writes the files and says what came of it.
pub fn run(args: &Args) -> Result<ExitCode> {
    let page = args.out.with_extension("html");
    if page == args.out {
        return Err(Error::usage(format!(
            "--out {}: the parameter file cannot end in .html, because its HTML page does",
            args.out.display()
        )));
    }
    for path in [&args.out, &page] {
        say::may_write(path, args.force)?;
    }
    let base = base(args)?;
    let (sources, _spool) = sources(&args.inputs, &base.read)?;
    let options = options(args, base, sources);
    let tuned = Progress::during(args.quiet.quiet, |progress| tune::run(&options, progress))?;
    let mut written = page.display().to_string();
    if tuned.gain() >= 0.0 {
        say::file(&args.out, &tuned.params_file(), args.force)?;
        written = format!("{} and {written}", args.out.display());
    } else {
        eprintln!(
            "retold: the tuned parameters are worse on held-out pages, so {} is not written",
            args.out.display()
        );
    }
    say::file(&page, &tuned.html(), args.force)?;
    if !args.quiet.quiet {
        say::out(|to| {
            show(&tuned, to)?;
            writeln!(to, "\nWritten: {written}")
        })?;
    }
    if let Some(first) = &tuned.rejected.1 {
        eprintln!(
            "retold: rejected records: {}, the first in {first}",
            tuned.rejected.0
        );
    }
    Ok(ExitCode::from(u8::from(tuned.rejected.0 > 0)))
}

/// What the search starts from.
fn base(args: &Args) -> Result<JudgeConfig> {
    let (method, params) = chosen_method(
        &args.method,
        args.preset.as_deref(),
        None,
        args.param_file.as_deref(),
        &args.param,
    )?;
    let mut base = JudgeConfig {
        read: args.read.options(),
        method,
        params,
        ..JudgeConfig::default()
    };
    args.text.set(&mut base)?;
    Ok(base)
}

fn options(args: &Args, base: JudgeConfig, sources: Vec<Source>) -> Options {
    Options {
        sources,
        base,
        choices: args.vary.clone(),
        gold: args.gold.clone(),
        unlisted: match args.unlisted {
            NotListed::Distinct => Unlisted::Distinct,
            NotListed::Ignore => Unlisted::Ignore,
        },
        beta: args.beta,
        seed: args.seed,
        population: args.population,
        generations: args.generations,
        held_out: args.held_out,
        threads: args.threads.threads,
    }
}

fn show(tuned: &Tuned, to: &mut dyn Write) -> io::Result<()> {
    let (seen, held) = tuned.pages;
    let tried = tuned.tried.len();
    writeln!(
        to,
        "{tried} sets of parameters on {seen} pages, sketched {} times; {held} pages held out\n",
        tuned.sketched
    )?;
    writeln!(
        to,
        "                   precision   recall       F{}",
        tuned.beta
    )?;
    let scores = &tuned.scores;
    let mut row = |name: &str, score: Score| {
        let part = |value: Option<f64>| value.map_or("     –".to_owned(), |v| format!("{v:.4}"));
        let (precision, recall) = (part(score.precision), part(score.recall));
        writeln!(
            to,
            "{name:18}    {precision}   {recall}   {:.4}",
            score.f_beta(tuned.beta)
        )
    };
    row("held out, before", scores.held_before)?;
    row("held out, tuned", scores.held_after)?;
    row("seen, before", scores.seen_before)?;
    row("seen, tuned", scores.seen_after)?;
    writeln!(to, "\n{}", tuned.verdict())
}
