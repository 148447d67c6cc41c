//! Options that say what a run may use, where it writes and what it says, shared by all commands that have them.

use std::path::PathBuf;

use retold::RunConfig;

use crate::input::bytes;
use crate::say;

/// What a run may use of the machine, and whether it is quiet.
#[derive(clap::Args)]
pub struct ResourceArgs {
    #[command(flatten)]
    quiet: QuietArg,
    #[command(flatten)]
    memory: MemoryArg,
    /// Folder for temporary files [default: a hidden folder in OUT]
    #[arg(
        long,
        value_name = "DIR",
        hide_short_help = true,
        help_heading = "Resources"
    )]
    pub temp_dir: Option<PathBuf>,
    #[command(flatten)]
    threads: ThreadsArg,
}

impl ResourceArgs {
    /// No progress and no summary.
    pub fn is_quiet(&self) -> bool {
        self.quiet.quiet
    }

    /// What a run may use.
    pub fn run(&self) -> RunConfig {
        let mut run = run_config(self.threads.threads, self.memory.memory);
        run.temp_dir.clone_from(&self.temp_dir);
        run
    }
}

/// `--quiet`.
#[derive(clap::Args)]
pub struct QuietArg {
    /// No progress, no summary; errors only
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// `--memory`.
#[derive(clap::Args)]
pub struct MemoryArg {
    /// Memory for the data about the pages (suffix K, M or G)
    ///
    /// The rest goes to temporary files [default: half of the machine's, at most 8G]
    #[arg(long, value_name = "BYTES", value_parser = bytes, help_heading = "Resources")]
    pub memory: Option<u64>,
}

/// `--threads`.
#[derive(clap::Args)]
pub struct ThreadsArg {
    /// Worker threads; 0 means one per core
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        help_heading = "Resources"
    )]
    pub threads: usize,
}

/// The output folder.
#[derive(clap::Args)]
pub struct OutArgs {
    /// The folder to write; it must be new or empty
    #[arg(short, long, value_name = "OUT")]
    pub out: PathBuf,
    /// Replace the output of an earlier run in OUT
    ///
    /// Other files there are not touched
    #[arg(long)]
    pub force: bool,
}

/// What a run may use.
pub fn run_config(threads: usize, memory: Option<u64>) -> RunConfig {
    let mut run = RunConfig::default();
    let most = retold::internal::most_threads();
    if threads > most {
        say::tell(format!(
            "--threads {threads}: {most} are used, four per core"
        ));
    }
    run.threads = threads;
    run.memory = memory.unwrap_or_else(usual_memory);
    run
}

/// Half of the machine's memory, from 512 MiB to 8 GiB.
fn usual_memory() -> u64 {
    const LEAST: u64 = 512 << 20;
    const MOST: u64 = 8 << 30;
    retold::internal::machine_memory().map_or(MOST, |all| (all / 2).clamp(LEAST, MOST))
}
