//! `retold index`: a collection that grows and can be queried.

mod add;
mod make;
mod print;
mod tell;

use std::process::ExitCode;

use clap::Subcommand;
use retold::Result;

/// Keeps pages in an index, and says which of them a page repeats
///
/// An index is a folder. Its model is made once, by `create`, and judges all pages that come later.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  retold index create news --learn yesterday.jsonl
  retold index add news today.jsonl.gz
  retold index query news article.html
  retold index stories news --since 2026-11-01")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Create(Box<make::Create>),
    Add(add::Add),
    Query(add::Query),
    Remove(add::Remove),
    Export(make::Export),
    Story(tell::Story),
    Stories(tell::Stories),
    Versions(tell::Versions),
    Changes(tell::Changes),
    Stats(tell::Stats),
    Check(tell::Check),
    Snapshot(make::Snapshot),
    Compact(make::Compact),
    Learn(make::Learn),
}

pub fn run(args: &Args) -> Result<ExitCode> {
    match &args.command {
        Command::Create(args) => make::create(args),
        Command::Add(args) => add::add(args),
        Command::Query(args) => add::query(args),
        Command::Remove(args) => add::remove(args),
        Command::Export(args) => make::export(args),
        Command::Story(args) => tell::story(args),
        Command::Stories(args) => tell::stories(args),
        Command::Versions(args) => tell::versions(args),
        Command::Changes(args) => tell::changes(args),
        Command::Stats(args) => tell::stats(args),
        Command::Check(args) => tell::check(args),
        Command::Snapshot(args) => make::snapshot(args),
        Command::Compact(args) => make::compact(args),
        Command::Learn(args) => make::learn(args),
    }
}
