//! Output that the commands share: their names in messages, and how they print.

use std::io::{self, Write};

use retold::Result;
use retold_index::{Match, MatchLine};
use serde::Serialize;

use crate::say::{cannot_write, json, json_pretty};

/// The name of the writer that other processes see while a command writes.
pub(super) const WHO: &str = "retold index";

/// What is printed of a page.
#[derive(Serialize)]
struct PageLine<'a> {
    id: &'a str,
    status: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    matches: Vec<MatchLine>,
}

/// Prints what became of a page, and what it repeats.
pub(super) fn say(id: &str, status: &str, matches: &[Match]) -> Result<()> {
    print(&PageLine {
        id,
        status,
        reason: None,
        matches: matches.iter().map(Match::line).collect(),
    })
}

/// Prints why a record is no page.
pub(super) fn say_rejected(id: &str, reason: &str) -> Result<()> {
    print(&PageLine {
        id,
        status: "rejected",
        reason: Some(reason),
        matches: Vec::new(),
    })
}

/// Prints a line of JSON.
pub(super) fn print(line: &impl Serialize) -> Result<()> {
    let mut out = io::stdout().lock();
    json(&mut out, line)
        .and_then(|()| out.write_all(b"\n"))
        .map_err(cannot_write)
}

/// Hands what was printed on.
pub(super) fn flush() -> Result<()> {
    io::stdout().lock().flush().map_err(cannot_write)
}

/// Prints JSON for people too.
pub(super) fn print_pretty(value: &impl Serialize) -> Result<()> {
    let mut out = io::stdout().lock();
    json_pretty(&mut out, value)
        .and_then(|()| out.write_all(b"\n"))
        .map_err(cannot_write)
}
