//! The command line of Retold: arguments in, exit code out. The library does all the work.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod allocator;
mod blocks;
#[cfg(feature = "lab")]
mod compare;
mod config;
mod decontaminate;
mod dedup;
mod eval;
mod explain;
mod explain_view;
mod filter_args;
mod index;
mod input;
mod keywords;
mod man;
mod methods;
mod model_args;
mod network;
mod passages;
mod progress;
#[cfg(feature = "remote")]
mod remote;
mod sample;
mod say;
#[cfg(any(feature = "serve", feature = "watch"))]
mod secret;
#[cfg(feature = "serve")]
mod serve;
mod text;
mod text_args;
#[cfg(feature = "lab")]
mod tune;
mod values;
#[cfg(feature = "watch")]
mod watch;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use retold::Error;

/// Finds pages that tell the same story: near-duplicates, reprints and pages contained in others.
///
/// Give it a folder, a WARC, JSONL, Parquet or CSV file, and an output folder:
///
///     retold dedup crawl.warc.gz -o out
///
/// Then out/kept has the input without the copies, out/report.html shows what was found and why, and the JSONL files have the same for programs.
#[derive(Parser)]
#[command(
    name = "retold",
    version,
    verbatim_doc_comment,
    arg_required_else_help = true
)]
#[command(
    after_help = "Exit codes: 0 done; 1 done, but some records could not be read (see rejects.jsonl); 2 wrong \
use, or nothing to read; 3 internal failure or disk full; 130 stopped with Ctrl-C."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Dedup(Box<dedup::Args>),
    Decontaminate(Box<decontaminate::Args>),
    Passages(Box<passages::Args>),
    Blocks(Box<blocks::Args>),
    Index(index::Args),
    #[cfg(feature = "serve")]
    Serve(serve::Args),
    #[cfg(feature = "watch")]
    Watch(watch::Args),
    Explain(Box<explain::Args>),
    Text(text::Args),
    Keywords(keywords::Args),
    Network(network::Args),
    Sample(sample::Args),
    Eval(eval::Args),
    #[cfg(feature = "lab")]
    Tune(Box<tune::Args>),
    #[cfg(feature = "lab")]
    Compare(compare::Args),
    Methods(methods::Args),
    /// Prints a completion script for a shell
    ///
    /// For instance: retold completions bash > ~/.local/share/bash-completion/completions/retold
    Completions {
        /// The shell to write for
        shell: clap_complete::Shell,
    },
    Man(man::Args),
}

fn main() -> ExitCode {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    allocator::gives_back();
    let arguments = match config::arguments(std::env::args_os().collect(), Cli::command) {
        Ok(arguments) => arguments,
        Err(error) => return failed(&error),
    };
    let command = Cli::parse_from(arguments).command;
    #[cfg(feature = "remote")]
    remote::install(match &command {
        Command::Dedup(args) => args.remote_cache,
        _ => 0,
    });
    // A panic is a bug; it must not look like any other end of the program.
    let ended = std::panic::catch_unwind(|| match command {
        Command::Dedup(args) => dedup::run(&args),
        Command::Decontaminate(args) => decontaminate::run(&args),
        Command::Passages(args) => passages::run(&args),
        Command::Blocks(args) => blocks::run(&args),
        Command::Index(args) => index::run(&args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(&args),
        #[cfg(feature = "watch")]
        Command::Watch(args) => watch::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Text(args) => text::run(&args),
        Command::Keywords(args) => keywords::run(&args),
        Command::Network(args) => network::run(&args),
        Command::Sample(args) => sample::run(&args),
        Command::Eval(args) => eval::run(&args),
        #[cfg(feature = "lab")]
        Command::Tune(args) => tune::run(&args),
        #[cfg(feature = "lab")]
        Command::Compare(args) => compare::run(&args),
        Command::Methods(args) => methods::run(&args),
        Command::Man(args) => man::run(&args, Cli::command()),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "retold", &mut script);
            say::out(|to| to.write_all(&script))?;
            Ok(ExitCode::SUCCESS)
        }
    });
    match ended {
        Ok(Ok(code)) => code,
        Ok(Err(error)) => failed(&error),
        Err(_) => {
            eprintln!("retold: internal failure; please report it with the message above");
            ExitCode::from(3)
        }
    }
}

/// Says what went wrong; the one place where an error becomes an exit code.
fn failed(error: &Error) -> ExitCode {
    if let Error::Io { source, .. } = error
        && source.kind() == std::io::ErrorKind::BrokenPipe
    {
        return ExitCode::SUCCESS;
    }
    say::tell(error);
    ExitCode::from(match error {
        Error::Usage(_) | Error::Unreadable(_) | Error::Corrupt { .. } => 2,
        Error::Cancelled => 130,
        _ => 3,
    })
}
