//! Output that the commands share: their names in messages, and how they print.

use std::io::{self, Write};

use retold::Result;
use retold_index::{Added, Adds, Match, MatchLine};
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
    /// Its whole text is a frame.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    frame: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    adds: Option<Adds>,
}

/// Prints what became of a page, what it repeats, and what it adds if that was asked for.
pub(super) fn say(id: &str, status: &str, matches: &[Match], adds: Option<Adds>) -> Result<()> {
    line(id, status, matches, false, adds)
}

/// Prints what became of a page that was added.
pub(super) fn say_added(id: &str, added: &Added) -> Result<()> {
    let status = added.status.name();
    line(id, status, &added.matches, added.is_frame, None)
}

fn line(id: &str, status: &str, matches: &[Match], frame: bool, adds: Option<Adds>) -> Result<()> {
    print(&PageLine {
        id,
        status,
        reason: None,
        matches: matches.iter().map(Match::line).collect(),
        frame,
        adds,
    })
}

/// Prints why a record is no page.
pub(super) fn say_rejected(id: &str, reason: &str) -> Result<()> {
    print(&PageLine {
        id,
        status: "rejected",
        reason: Some(reason),
        matches: Vec::new(),
        frame: false,
        adds: None,
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
