//! `retold-lab compare`: methods over labelled sets.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use retold::{Error, Result, Watch};
use retold_cli::shared::{Progress, QuietArg, ThreadsArg, say};
use retold_lab::compare::cost::{Cost, measure};
use retold_lab::compare::{Comparison, Grid, LabelledSet, Options, Spec, grid, run as compare};
use retold_report::OutDir;

/// Runs methods over labelled sets and shows which method is best on which set
///
/// A labelled set is a folder with a file set.json such as {"input": "pages", "gold": "gold.tsv", "unlisted":
/// "distinct"}. `input` is a file or folder of pages; `gold` has lines
/// a<TAB>b<TAB>duplicate|contains|contained_by|related|ignore|distinct; `unlisted` labels all other pairs: distinct,
/// or ignore (not scored).
///
/// Each method runs over each set with a series of thresholds, and once more in a separate process,
/// which measures time and memory. The folder OUT gets compare.html (tables and plots in one file), compare.md
/// (the tables), curves.csv (all counts per set, method and threshold), summary.csv (a line per set and method)
/// and times.csv (the stages). They contain no ids and no text of pages.
///
/// The one threshold of a method for all sets is the one with the best mean F1. `Left out` means that a set is scored at
/// the threshold that is best on the other sets. Errors are standard errors by the choice of pages (bootstrap over groups
/// of related pages).
#[derive(clap::Args)]
#[command(override_usage = "retold-lab compare [OPTIONS] --set <NAME=DIR[+INPUT]>... -o <OUT>")]
#[command(after_help = "Examples:
  retold-lab compare --set news=sets/news --set manuals=sets/manuals -o out
  retold-lab compare --methods period,period:noise=none --set news=sets/news -o out
  retold-lab compare --set news=sets/news --set planted=sets/news+crawl.jsonl -o out")]
pub struct Args {
    /// Methods, separated by commas: `all`, a name, or a name with settings
    ///
    /// Settings as in period:chars=8,threshold=0.8; the setting extract=none|main|precise chooses the text of HTML pages
    #[arg(long, value_name = "METHODS", default_value = "all")]
    methods: Vec<String>,
    /// A labelled set; may be repeated
    ///
    /// DIR+INPUT plants its pages among the pages of INPUT: a pair of a page of the set and a page of INPUT is false, a pair
    /// inside INPUT is not scored, and thresholds are not chosen with this set
    #[arg(long = "set", value_name = "NAME=DIR[+INPUT]", required = true)]
    sets: Vec<String>,
    /// In this set, the first folder of an id names an event, and standard errors are computed over events;
    /// may be repeated
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    events: Vec<String>,
    /// The folder to write; it must be new or empty
    #[arg(short, long, value_name = "OUT", required_unless_present = "measure")]
    out: Option<PathBuf>,
    /// Replace the output of an earlier run in OUT; other files there are not touched
    #[arg(long)]
    force: bool,
    /// Also run the experiments of the papers that the sets allow
    ///
    /// They are: thresholds (CCDet, Fig. 6), features for I-Match and shingles (Fig. 7 and 8), time with and without pruning
    /// (Fig. 9), precision and recall by domain (DWDCS, Fig. 2-7), planted sets, and the tables of AgT (need sets called
    /// eventmonitor and wxvl)
    #[arg(long)]
    experiments: bool,
    /// Thresholds to try [default: 0.3 to 0.9 by 0.05 and 0.92 to 1 by 0.02]
    ///
    /// Of integer thresholds, such as the distance of simhash, all values are tried
    #[arg(long, value_name = "FROM:TO:STEP", value_parser = sweep)]
    sweep: Option<Sweep>,
    #[command(flatten)]
    quiet: QuietArg,
    #[command(flatten)]
    threads: ThreadsArg,
    /// Measure the first method on the first set in this process and print JSON
    #[arg(long, hide = true)]
    measure: bool,
}

#[derive(Clone)]
struct Sweep(Grid);

fn sweep(text: &str) -> std::result::Result<Sweep, String> {
    let numbers: Vec<f64> = text.split(':').filter_map(|n| n.parse().ok()).collect();
    let [from, to, step] = numbers[..] else {
        return Err("FROM:TO:STEP expected, as in 0.5:0.9:0.05".to_owned());
    };
    if !(step >= 0.001 && 0.0 <= from && from <= to && to <= 1.0) {
        return Err("STEP must be 0.001 or more, and 0 ≤ FROM ≤ TO ≤ 1".to_owned());
    }
    let steps = ((to - from) / step + 1e-9).floor() as u32;
    // 0.3 rather than 0.30000000000000004.
    let rounded = |value: f64| (value * 1e6).round() / 1e6;
    let values = (0..=steps).map(|at| rounded(from + f64::from(at) * step));
    Ok(Sweep(values.collect()))
}

/// Compares, writes the files and says what came of it.
pub fn run(args: &Args) -> Result<ExitCode> {
    let mut specs = Vec::new();
    for methods in &args.methods {
        specs.extend(Spec::parse_list(methods)?);
    }
    let sets = args.sets.iter().map(|set| LabelledSet::open(set));
    let mut sets: Vec<LabelledSet> = sets.collect::<Result<_>>()?;
    for name in &args.events {
        let set = sets.iter_mut().find(|set| set.name == *name);
        set.ok_or_else(|| {
            Error::usage(format!("--events {name}: there is no --set {name}=DIR"))
        })?
        .events = true;
    }
    check_names("--set", sets.iter().map(|set| &*set.name))?;
    check_names("--methods", specs.iter().map(|spec| &*spec.label))?;
    let progress = Progress::start(args.quiet.quiet)?;
    if args.measure {
        return measure_here(args, &sets[0], &specs[0], &progress);
    }
    let Some(folder) = &args.out else {
        return Err(Error::usage("-o OUT is missing"));
    };
    let out = OutDir::open(folder, args.force, false)?;
    let options = Options {
        specs,
        sets,
        experiments: args.experiments,
        grid: args.sweep.clone().map_or_else(grid, |sweep| sweep.0),
        threads: args.threads.threads,
    };
    let program = std::env::current_exe()
        .map_err(|e| Error::usage(format!("cannot find the program itself to measure it: {e}")))?;
    let measure = |set: &LabelledSet, spec: &Spec| {
        measure_apart(&program, set, spec, args.threads.threads, &progress)
    };
    let result = compare(options, &measure, &progress);
    progress.finish();
    let comparison = result?;
    write(&comparison, out)?;
    if !args.quiet.quiet {
        say::out(|to| show(&comparison, folder, to))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn check_names<'a>(option: &str, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut seen = std::collections::HashSet::new();
    let mut names = names;
    match names.find(|name| !seen.insert(*name)) {
        Some(name) => Err(Error::usage(format!(
            "{option}: `{name}` is named twice; give each a name of its own"
        ))),
        None => Ok(()),
    }
}

fn measure_here(
    args: &Args,
    set: &LabelledSet,
    spec: &Spec,
    watch: &dyn Watch,
) -> Result<ExitCode> {
    let cost = measure(set, spec, args.threads.threads, watch)?;
    say::out(|to| writeln!(to, "{}", serde_json::json!(cost)))?;
    Ok(ExitCode::SUCCESS)
}

/// Measures one run in a process of its own.
fn measure_apart(
    program: &Path,
    set: &LabelledSet,
    spec: &Spec,
    threads: usize,
    watch: &dyn Watch,
) -> Result<Cost> {
    let failed = |what: String| {
        Error::usage(format!(
            "cannot measure {} on set {}: {what}",
            spec.label, set.name
        ))
    };
    let mut child = Command::new(program)
        .args(["compare", "--measure", "--quiet"])
        .args(["--methods", &spec.label, "--set", &set.written])
        .args(["--threads", &threads.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| failed(e.to_string()))?;
    if !ended(&mut child, watch).map_err(|e| failed(e.to_string()))? {
        return Err(Error::Cancelled);
    }
    let output = child
        .wait_with_output()
        .map_err(|e| failed(e.to_string()))?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        return Err(failed(format!("{}: {}", output.status, words.trim())));
    }
    serde_json::from_slice(&output.stdout).map_err(|e| failed(e.to_string()))
}

/// Waits until the process ends, which is true, or the run is stopped. What it prints is a line: the pipe holds it.
fn ended(child: &mut Child, watch: &dyn Watch) -> io::Result<bool> {
    while child.try_wait()?.is_none() {
        if watch.cancelled() {
            child.kill()?;
            child.wait()?;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(!watch.cancelled())
}

fn write(comparison: &Comparison, out: OutDir) -> Result<()> {
    for (name, text) in [
        ("compare.html", comparison.html()?),
        ("compare.md", comparison.markdown()),
        ("curves.csv", comparison.curves_csv()),
        ("summary.csv", comparison.summary_csv()),
        ("times.csv", comparison.times_csv()),
    ] {
        let path = out.path(name);
        let mut file = out.create(name)?;
        let mut put = || {
            file.write_all(text.as_bytes())?;
            file.flush()
        };
        put().map_err(Error::io("cannot write", &path))?;
    }
    out.commit()
}

fn show(comparison: &Comparison, out: &Path, to: &mut dyn Write) -> io::Result<()> {
    if let Some(table) = comparison.main_tables().first() {
        write!(to, "{}", table.plain())?;
    }
    writeln!(to, "\nWritten: {}", out.join("compare.html").display())
}
