//! `retold eval`: how good the pairs of a run are.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use retold::eval::{
    Gold, Unlisted, eval_csv_header, evaluate, evaluate_clusters, evaluate_removed, lost_passages,
    read_removed, read_reported,
};
use retold::{Error, Result};
use retold_report::Finished;

use crate::say;

/// Scores the pairs of a run, or the pages that it dropped, against labelled pairs
///
/// Prints JSON. With --pairs: scores over pairs for `any` relation, `duplicate` and `containment` (the direction must match), and over
/// `pages`, where a page counts as found if one of its true pairs is found. With --dropped: `removed`, where precision is correctly
/// removed / removed and recall is correctly removed / removable. With --lost: what the pages that a run dropped say that the pages which they went
/// for do not, by a slow comparison that is independent of the run's.
#[derive(clap::Args)]
pub struct Args {
    /// The pairs.jsonl of a run
    #[arg(long, value_name = "FILE", required_unless_present_any = ["dropped", "lost"])]
    pairs: Option<PathBuf>,
    /// The dropped.jsonl of a run: score the pages that it removed
    #[arg(long, value_name = "FILE", conflicts_with = "sweep")]
    dropped: Option<PathBuf>,
    /// Labelled pairs: a<TAB>b<TAB>duplicate|contains|contained_by|related|ignore|distinct
    #[arg(long, value_name = "FILE", required_unless_present = "lost")]
    gold: Option<PathBuf>,
    /// How a reported pair without a label counts
    #[arg(long, value_enum, default_value_t = NotListed::Distinct)]
    unlisted: NotListed,
    /// Score only pairs of the ids in FILE, one per line
    #[arg(long, value_name = "FILE")]
    universe: Option<PathBuf>,
    /// Print scores over a range of thresholds as CSV, as in --sweep threshold=0.7:1:0.05
    #[arg(long, value_name = "PARAM=FROM:TO:STEP", value_parser = sweep, requires = "pairs")]
    sweep: Option<Sweep>,
    /// The output folder of a run: which of the dropped pages lose a passage of at least 12 words (20 characters) and 5 % of the page. Reads the inputs
    /// of the run again
    #[arg(long, value_name = "OUT", conflicts_with_all = ["pairs", "dropped", "gold", "universe", "sweep"])]
    lost: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum NotListed {
    /// As a false positive
    Distinct,
    /// Not scored
    Ignore,
}

#[derive(Clone)]
struct Sweep {
    param: String,
    from: f64,
    to: f64,
    step: f64,
}

fn sweep(text: &str) -> std::result::Result<Sweep, String> {
    let form = || "PARAM=FROM:TO:STEP expected, as in threshold=0.7:1:0.05".to_owned();
    let (param, range) = text.split_once('=').ok_or_else(form)?;
    let numbers: Vec<f64> = range.split(':').filter_map(|n| n.parse().ok()).collect();
    let [from, to, step] = numbers[..] else {
        return Err(form());
    };
    if !(step > 0.0 && from <= to) {
        return Err("STEP must be above 0 and FROM not above TO".to_owned());
    }
    Ok(Sweep {
        param: param.to_owned(),
        from,
        to,
        step,
    })
}

/// Scores and prints.
pub fn run(args: &Args) -> Result<ExitCode> {
    if let Some(out) = &args.lost {
        let lost = lost_passages(out, &Finished::open(out)?.inputs, &())?;
        say::out(|to| writeln!(to, "{:#}", serde_json::json!(lost)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let universe = args.universe.as_deref().map(read_ids).transpose()?;
    let mut gold = args.gold.as_deref().map(Gold::read).transpose()?;
    let gold = gold.get_or_insert_default();
    if let Some(ids) = &universe {
        gold.restrict(ids);
    }
    let unlisted = match args.unlisted {
        NotListed::Distinct => Unlisted::Distinct,
        NotListed::Ignore => Unlisted::Ignore,
    };
    if let (Some(sweep), Some(pairs)) = (&args.sweep, &args.pairs) {
        check_sweep(sweep, pairs)?;
        let reported = read_reported(pairs, universe.as_ref())?;
        let score = |threshold| evaluate(&reported, gold, unlisted, threshold).csv();
        curve(sweep, score)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut result = serde_json::json!({});
    if let Some(pairs) = &args.pairs {
        let reported = read_reported(pairs, universe.as_ref())?;
        result = serde_json::json!(evaluate(&reported, gold, unlisted, f64::NEG_INFINITY));
        let clusters = evaluate_clusters(&reported, gold, universe.as_ref());
        result["clusters"] = serde_json::json!(clusters);
    }
    if let Some(dropped) = &args.dropped {
        let removed = read_removed(dropped, universe.as_ref())?;
        result["removed"] = serde_json::json!(evaluate_removed(&removed, gold, unlisted));
    }
    say::out(|to| writeln!(to, "{result:#}"))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a score for each threshold of the range.
fn curve(sweep: &Sweep, score: impl Fn(f64) -> String) -> Result<()> {
    say::out(|to| {
        writeln!(to, "{},{}", sweep.param, eval_csv_header())?;
        let steps = ((sweep.to - sweep.from) / sweep.step + 1e-9).floor() as usize;
        (0..=steps).try_for_each(|step| {
            let threshold = sweep.from + step as f64 * sweep.step;
            // Similarities are written with six decimals.
            writeln!(to, "{threshold:.6},{}", score(threshold - 5e-7))
        })
    })
}

fn read_ids(path: &Path) -> Result<HashSet<String>> {
    let text = std::fs::read_to_string(path).map_err(Error::io("cannot read", path))?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// A curve over similarities already written can only raise the threshold of the run.
fn check_sweep(sweep: &Sweep, pairs: &Path) -> Result<()> {
    if sweep.param != "threshold" {
        return Err(Error::usage(format!(
            "--sweep {}: only `threshold` can be raised over pairs already written; run `retold dedup` again with \
             --param {}=… for the others",
            sweep.param, sweep.param
        )));
    }
    let summary = pairs.with_file_name("summary.json");
    let Ok(text) = std::fs::read_to_string(&summary) else {
        return Ok(());
    };
    let summary: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let own = summary["parameters"]["params"]["threshold"].as_f64();
    match own {
        Some(own) if sweep.from < own - 1e-9 => Err(Error::usage(format!(
            "--sweep threshold={}: the pairs were written with threshold {own}, so there are no pairs below it; start \
             at {own}, or run `retold dedup` again with --param threshold={}",
            sweep.from, sweep.from
        ))),
        _ => Ok(()),
    }
}
