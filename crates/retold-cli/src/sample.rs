//! `retold sample`: kept pages, repeated or thinned by the size of their clusters, or by how many sites agree.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use indicatif::HumanCount;
use retold::Result;
use retold_report::{Sample, SampleBy, Weights, sample};

use crate::input::ReadArgs;
use crate::progress::Progress;
use crate::resources::{OutArgs, QuietArg};
use crate::say;

/// Writes kept pages again, repeated or sampled by the size of their clusters
///
/// With `--by sites`, by the number of sites that have a page.
///
/// INPUT is the output folder of `retold dedup`, whose inputs are read again; or files and folders whose records have the size
/// in a field, as `retold dedup --annotate` writes it. OUT/copy-1 gets each page that is written at least once, OUT/copy-2 each page
/// that is written at least twice, and so on, in files with the same names and formats.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  retold sample out --weights 1:1,2:2,3:3,5:5,100:8,1000:1 -o sampled
  retold sample out/kept --weights 1:1,10:0.5 -o sampled
  retold sample out --by sites --weights 1:1,2:2,3:3 -o sampled")]
pub struct Args {
    /// The output folder of a run, or files and folders
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,
    /// How often a page is written, depending on the number of pages in its cluster: SIZE:WEIGHT, separated by commas, each from that
    /// size on. 2.5 writes each page twice and every second page a third time, 0.1 writes one page in ten
    #[arg(long, value_name = "LIST", value_parser = |text: &str| text.parse::<Weights>())]
    weights: Weights,
    /// What SIZE counts: the pages of the cluster; the same with exact copies of one site counted once; their sites; or their input files
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = By::Size)]
    by: By,
    /// Seed of the choice of pages if a weight is not a whole number
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Field of INPUT's records that holds the size [default: retold_cluster_size, or with --by retold_pages and so on]
    #[arg(long, value_name = "NAME")]
    size_field: Option<String>,
    #[command(flatten)]
    output: OutArgs,
    #[command(flatten)]
    quiet: QuietArg,

    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum By {
    /// The pages of its cluster
    Size,
    /// The same, but exact copies of one site count once
    Pages,
    /// Their sites; a page without a site counts as one
    Sites,
    /// Their input files
    Inputs,
}

impl By {
    /// The library's number.
    fn number(self) -> SampleBy {
        match self {
            By::Size => SampleBy::Size,
            By::Pages => SampleBy::Pages,
            By::Sites => SampleBy::Sites,
            By::Inputs => SampleBy::Inputs,
        }
    }
}

/// Writes the sample and says how much it is.
pub fn run(args: &Args) -> Result<ExitCode> {
    let job = Sample {
        inputs: args.inputs.clone(),
        read: args.read.options(),
        by: args.by.number(),
        size_field: args.size_field.clone(),
        weights: args.weights.clone(),
        seed: args.seed,
        out: args.output.out.clone(),
        force: args.output.force,
    };
    let sampled = Progress::during(args.quiet.quiet, |progress| sample(&job, progress))?;
    if !args.quiet.quiet {
        say::account(|to| {
            writeln!(
                to,
                "{}: {} written, {} left out; {} in {}",
                say::count(sampled.pages, "kept page"),
                HumanCount(sampled.written),
                HumanCount(sampled.left),
                say::count(u64::from(sampled.folders), "folder"),
                args.output.out.display()
            )
        })?;
    }
    Ok(ExitCode::from(u8::from(sampled.rejected > 0)))
}
