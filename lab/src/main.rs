//! The program `retold-lab`: what is needed to develop methods and not to use them.

mod commands;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use retold_cli::shared::program;

use commands::{compare, keywords, network, tune};

/// Compares and tunes the methods of Retold, and shows what they see in a page.
#[derive(Parser)]
#[command(name = "retold-lab", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Compare(compare::Args),
    Tune(Box<tune::Args>),
    Keywords(keywords::Args),
    Network(network::Args),
}

fn main() -> ExitCode {
    program(|| match Cli::parse().command {
        Command::Compare(args) => compare::run(&args),
        Command::Tune(args) => tune::run(&args),
        Command::Keywords(args) => keywords::run(&args),
        Command::Network(args) => network::run(&args),
    })
}
