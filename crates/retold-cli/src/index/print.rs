//! What the commands share: how they call themselves, and how they print.

use std::io::{self, Write};
use std::path::Path;

use retold::{Error, Result};
use serde::Serialize;

/// What others are told while a command writes.
pub(super) const WHO: &str = "retold index";

/// Prints a line of JSON.
pub(super) fn print(line: &impl Serialize) -> Result<()> {
    let mut out = io::stdout().lock();
    let put = || -> io::Result<()> {
        serde_json::to_writer(&mut out, line)?;
        out.write_all(b"\n")
    };
    let mut put = put;
    put().map_err(stdout())
}

/// Hands what was printed on.
pub(super) fn flush() -> Result<()> {
    io::stdout().lock().flush().map_err(stdout())
}

/// Prints JSON for people too.
pub(super) fn print_pretty(value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value).map_err(|e| Error::usage(e.to_string()))?;
    writeln!(io::stdout().lock(), "{text}").map_err(stdout())
}

fn stdout() -> impl FnOnce(io::Error) -> Error {
    Error::io("cannot write to", Path::new("standard output"))
}
