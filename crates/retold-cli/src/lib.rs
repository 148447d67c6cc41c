//! The command line of Retold: arguments in, exit code out. The library does all the work.
//!
//! This library is for the programs `retold` and `retold-lab`; its interface is not stable.

#[cfg(any(feature = "remote", feature = "watch"))]
mod addresses;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod allocator;
mod blocks;
mod config;
mod decontaminate;
mod dedup;
mod digest;
mod eval;
mod explain;
mod explain_view;
mod filter_args;
mod index;
mod input;
mod lang;
mod man;
#[cfg(feature = "mcp")]
mod mcp;
mod methods;
mod model_args;
mod pairs;
mod passages;
mod progress;
#[cfg(feature = "remote")]
mod remote;
mod resources;
mod sample;
mod say;
#[cfg(any(feature = "serve", feature = "watch"))]
mod secret;
#[cfg(feature = "serve")]
mod serve;
mod settings;
mod text;
mod text_args;
mod values;
#[cfg(feature = "watch")]
mod watch;

use std::ffi::OsString;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use retold::{Error, Result};

/// What `retold-lab` has in common with `retold`.
pub mod shared {
    pub use crate::input::{ReadArgs, each_page_by_id, positive, sources};
    pub use crate::model_args::chosen_method;
    pub use crate::program;
    pub use crate::progress::Progress;
    pub use crate::resources::{QuietArg, ThreadsArg};
    pub use crate::text_args::{Part, TextArgs};
    pub use crate::values::{METHOD, PRESET, Setting};

    /// What is printed for people.
    pub mod say {
        pub use crate::say::{cannot_write, file, json, may_write, out, printable};
    }
}

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
use, or nothing to read; 3 internal failure or disk full; 4 a limit of --stop-if was reached; 130 stopped with Ctrl-C."
)]
pub(crate) struct Cli {
    /// The language of help and messages [default: that of LC_ALL, LC_MESSAGES or LANG]
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "LANGUAGE",
        hide_short_help = true
    )]
    lang: Option<lang::Language>,
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
    #[cfg(feature = "mcp")]
    Mcp(mcp::Args),
    #[cfg(feature = "watch")]
    Watch(watch::Args),
    Explain(Box<explain::Args>),
    Pairs(pairs::Args),
    Digest(digest::Args),
    Text(text::Args),
    Sample(sample::Args),
    Eval(eval::Args),
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

/// Commands that are in the program `retold-lab`.
const IN_THE_LAB: [&str; 4] = ["compare", "keywords", "network", "tune"];

/// The program `retold`.
pub fn main() -> ExitCode {
    program(|| {
        let given: Vec<_> = std::env::args_os().collect();
        refuse_those_of_the_lab(&given)?;
        lang::choose(&given);
        let arguments = config::arguments(given, Cli::command)?;
        match lang::is_chinese() {
            false => run(Cli::parse_from(arguments).command),
            true => in_chinese(arguments),
        }
    })
}

/// Runs the command; help, and what is wrong with the arguments, is shown in Chinese.
fn in_chinese(arguments: Vec<OsString>) -> Result<ExitCode> {
    // Each paragraph is a line until it is translated.
    let command = Cli::command().term_width(usize::MAX);
    let parsed = command
        .try_get_matches_from(arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    match parsed {
        Ok(cli) => run(cli.command),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp => {
                let help = lang::help(&error.render().to_string(), lang::width());
                say::out(|to| to.write_all(help.as_bytes()))?;
                Ok(ExitCode::SUCCESS)
            }
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                let help = lang::help(&error.render().to_string(), lang::width());
                eprint!("{help}");
                Ok(ExitCode::from(2))
            }
            ErrorKind::DisplayVersion => error.exit(),
            _ => {
                eprint!("{}", lang::lines(&error.render().to_string()));
                Ok(ExitCode::from(2))
            }
        },
    }
}

/// Says where a command is that `retold` does not have.
fn refuse_those_of_the_lab(given: &[OsString]) -> Result<()> {
    let name = given.get(1).and_then(|name| name.to_str());
    match name.filter(|name| IN_THE_LAB.contains(name)) {
        None => Ok(()),
        Some(name) => Err(Error::usage(format!(
            "`{name}` is a command of the program retold-lab, which `cargo build --release -p retold-lab` builds from the sources"
        ))),
    }
}

fn run(command: Command) -> Result<ExitCode> {
    #[cfg(feature = "remote")]
    remote::install(match &command {
        Command::Dedup(args) => args.remote_cache,
        _ => 0,
    });
    match command {
        Command::Dedup(args) => dedup::run(&args),
        Command::Decontaminate(args) => decontaminate::run(&args),
        Command::Passages(args) => passages::run(&args),
        Command::Blocks(args) => blocks::run(&args),
        Command::Index(args) => index::run(&args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(&args),
        #[cfg(feature = "mcp")]
        Command::Mcp(args) => mcp::run(&args),
        #[cfg(feature = "watch")]
        Command::Watch(args) => watch::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Pairs(args) => pairs::run(&args),
        Command::Digest(args) => digest::run(&args),
        Command::Text(args) => text::run(&args),
        Command::Sample(args) => sample::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Methods(args) => methods::run(&args),
        Command::Man(args) => man::run(&args, Cli::command()),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "retold", &mut script);
            say::out(|to| to.write_all(&script))?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Does the work of a program. What it returns becomes the exit code; this is the only place where an error does.
pub fn program(work: impl FnOnce() -> Result<ExitCode>) -> ExitCode {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    allocator::gives_back();
    #[cfg(unix)]
    outlive_file_limits();
    // A panic is a bug; it must not look like any other end of the program.
    match std::panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(code)) => code,
        Ok(Err(error)) => failed(&error),
        Err(_) => {
            eprintln!("retold: internal failure; please report it with the message above");
            ExitCode::from(3)
        }
    }
}

/// A write beyond `ulimit -f` then fails like one on a full disk, and what was begun is removed; otherwise the signal would end the program.
#[cfg(unix)]
fn outlive_file_limits() {
    use signal_hook::consts::SIGXFSZ;
    // The failed write says all that there is to know.
    let nobody_asks = std::sync::Arc::default();
    // It fails only for signals that cannot be caught.
    let _ = signal_hook::flag::register(SIGXFSZ, nobody_asks);
}

/// Says what went wrong.
fn failed(error: &Error) -> ExitCode {
    if let Error::Io { source, .. } = error
        && source.kind() == std::io::ErrorKind::BrokenPipe
    {
        return ExitCode::SUCCESS;
    }
    say::tell(error);
    ExitCode::from(match error {
        Error::Usage(_) | Error::Unreadable(_) | Error::Corrupt { .. } => 2,
        Error::Stopped(_) => 4,
        Error::Cancelled => 130,
        _ => 3,
    })
}
