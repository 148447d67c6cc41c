//! Commands that report on an index: `story`, `stories`, `changes`, `stats`, `check`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use retold::internal::date_seconds;
use retold::{Error, Result};
use retold_index::{Index, Order, PageFilter};

use serde::Serialize;

use super::print::{flush, print, print_pretty, say};
use crate::say::tell;

/// Prints the story of a page: the pages that tell it and what belongs to it, in order of time
///
/// A story is a group of pages that are duplicates of each other, directly or through others. Excerpts (pages that are contained in one of
/// these), longer versions, and round-ups (pages that contain this story and others) belong to it.
#[derive(clap::Args)]
pub struct Story {
    /// The folder of the index
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The id of a page
    #[arg(value_name = "ID")]
    id: String,
    /// At most N rows of its timeline
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Leave out the first N rows
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,
    /// Say how many words each page added, cut and replaced, compared with the first page
    #[arg(long)]
    edits: bool,
}

/// Lists stories: pages that repeat each other
///
/// Prints a line of JSON for each story: its permanent id, title and URL of its first page, how many pages it has on how many sites, how many
/// excerpts, longer versions and round-ups belong to it, and when its first and last pages were published (or added, if they have no date).
#[derive(clap::Args)]
pub struct Stories {
    /// The folder of the index
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Which story comes first
    #[arg(long, value_enum, default_value_t = Sort::Size)]
    sort: Sort,
    /// Only stories with a page since DATE
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// At most N stories
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
    /// Leave out the first N stories
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,
}

#[derive(Clone, Copy, ValueEnum)]
enum Sort {
    /// The story with the most pages
    Size,
    /// The story with the latest page
    Recent,
    /// The story with the most pages in the 24 hours before the newest page
    Growth,
}

/// Prints the versions of a page that newer ones have replaced, latest first
///
/// Prints a line of JSON for each: id, date, title, characters and text. `compact` removes them.
#[derive(clap::Args)]
pub struct Versions {
    /// The folder of the index
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The id of the page, or a form of its URL
    #[arg(value_name = "ID")]
    id: String,
}

/// Prints the pages that were added since a cursor, and what they repeat
///
/// Prints a line of JSON for each page, as `add` does, with the status `added` and the earlier pages that it repeats. The last
/// line has the cursor for the next call. After `compact` and `learn`, some pages may be printed again; none is left out.
#[derive(clap::Args)]
pub struct Changes {
    /// The folder of the index
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// The cursor that was printed last; 0: start with the first page
    #[arg(long, value_name = "CURSOR", default_value_t = 0)]
    since: u64,
    /// Print at most N matches of a page, the best first; 0: search for none
    #[arg(long, value_name = "N", default_value_t = retold_index::MATCHES)]
    matches: usize,
}

/// Prints the index in numbers
#[derive(clap::Args)]
pub struct Stats {
    /// The folder of the index
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

/// Reads the whole index and says whether it is intact
///
/// Prints JSON. The exit code is 2 if something is damaged.
#[derive(clap::Args)]
pub struct Check {
    /// The folder of the index
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

pub fn story(args: &Story) -> Result<ExitCode> {
    let limit = args.limit.unwrap_or(usize::MAX);
    let rows = args.skip..args.skip.saturating_add(limit);
    let story = Index::open(&args.dir)?.story(&args.id, rows, args.edits)?;
    print_pretty(&story)?;
    Ok(ExitCode::SUCCESS)
}

pub fn versions(args: &Versions) -> Result<ExitCode> {
    let index = Index::open(&args.dir)?;
    let id = match index.get(&args.id)? {
        None => index.find_url(&args.id)?.map(|entry| entry.id),
        Some(entry) => Some(entry.id),
    };
    for version in index.versions(id.as_ref().unwrap_or(&args.id))? {
        print(&version)?;
    }
    flush()?;
    Ok(ExitCode::SUCCESS)
}

pub fn stories(args: &Stories) -> Result<ExitCode> {
    let since = args.since.as_deref().map(|date| {
        date_seconds(date).ok_or_else(|| {
            Error::usage(format!(
                "--since {date}: a date expected, as in 2026-11-01 or 2026-11-01T08:00:00Z"
            ))
        })
    });
    let order = match args.sort {
        Sort::Size => Order::Size,
        Sort::Recent => Order::Recent,
        Sort::Growth => Order::Growth,
    };
    let filter = PageFilter {
        since: since.transpose()?,
        ..PageFilter::default()
    };
    let index = Index::open(&args.dir)?;
    for story in index.stories(order, &filter, args.skip, args.limit)? {
        print(&story)?;
    }
    flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The last line of `changes`.
#[derive(Serialize)]
struct Cursor {
    cursor: u64,
}

pub fn changes(args: &Changes) -> Result<ExitCode> {
    let index = Index::open(&args.dir)?;
    let cursor = index.changes(args.since, Some(args.matches), |entry, matches| {
        say(&entry.id, "added", &matches, None)
    })?;
    print(&Cursor { cursor })?;
    flush()?;
    Ok(ExitCode::SUCCESS)
}

pub fn stats(args: &Stats) -> Result<ExitCode> {
    print_pretty(&Index::open(&args.dir)?.stats()?)?;
    Ok(ExitCode::SUCCESS)
}

pub fn check(args: &Check) -> Result<ExitCode> {
    let checked = Index::check(&args.dir)?;
    print_pretty(&checked)?;
    for problem in &checked.problems {
        tell(problem);
    }
    Ok(ExitCode::from(if checked.problems.is_empty() {
        0
    } else {
        2
    }))
}
