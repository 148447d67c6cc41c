//! `retold mcp`: an index for an agent.

use std::path::PathBuf;
use std::process::ExitCode;

use retold::{Error, Result};
use retold_index::Index;
use retold_server::{App, Options, Stop, serve_pipes};

use crate::serve::{log, told_to_stop};

/// Gives an agent a memory: an index as a server of the Model Context Protocol
///
/// The agent's program starts this command and talks to it over standard input and output. Tools: `seen` (is this text new, a repeat, and
/// what does it add), `explain`, `story`, `search`; with --write also `remember` and `forget`. `retold serve` offers the same to several
/// agents at /mcp. Logs go to standard error.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  retold index create memory
  retold mcp memory --write

In the settings of an agent's program:
  {\"mcpServers\": {\"memory\": {\"command\": \"retold\", \"args\": [\"mcp\", \"/home/me/memory\", \"--write\"]}}}")]
pub struct Args {
    /// The folder of the index
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Let the agent add and remove pages; no other process may write meanwhile
    #[arg(long)]
    write: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    log(true);
    let options = Options::default();
    let app = match args.write {
        true => {
            let builder = Index::builder(&args.dir).writer_name("retold mcp");
            App::writing(builder.write()?, options)?
        }
        false => App::reading(Index::open(&args.dir)?, options),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(|e| Error::usage(format!("cannot start threads: {e}")))?;
    let stopped = runtime.block_on(serve_pipes(app, args.write, told_to_stop()))?;
    // Reading from standard input is not waited for.
    runtime.shutdown_background();
    Ok(match stopped {
        Stop::Whole => ExitCode::SUCCESS,
        Stop::CutOff => ExitCode::from(1),
    })
}
