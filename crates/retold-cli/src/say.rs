//! The lines that a run prints for people when it ends.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use indicatif::{BinaryBytes, HumanCount};
use retold::{Error, Result};
use retold_report::{Loss, Summary};
use serde::Serialize;

use crate::lang;

/// Lets `write` write to standard output.
///
/// Errors: it cannot be written. If the reader has closed the pipe, it is an error of the kind `BrokenPipe`, which `main` ignores.
pub fn out(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut to = io::stdout().lock();
    let written = write(&mut to).and_then(|()| to.flush());
    written.map_err(cannot_write)
}

/// As [`out`], for an account of a run, in the language of the user.
pub fn account(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut text = Vec::new();
    write(&mut text).map_err(cannot_write)?;
    out(|to| to.write_all(lang::lines(&String::from_utf8_lossy(&text)).as_bytes()))
}

/// The error of a write to standard output.
pub fn cannot_write(error: io::Error) -> Error {
    Error::io("cannot write to", Path::new("standard output"))(error)
}

/// Text for a terminal, which must not obey it: control characters but line breaks and tabs are spelt out, and so are those that turn
/// the direction of the text behind them.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| matches!(c, '\n' | '\t') || !is_command(c);
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match is_plain(c) {
            true => shown.push(c),
            false => shown.extend(c.escape_unicode()),
        }
    }
    Cow::Owned(shown)
}

/// Whether a terminal obeys a character: control characters, and Unicode's embeddings, overrides and isolates of direction.
fn is_command(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Writes a value as JSON without control characters for terminals: those that a JSON string may have as they are, are escaped.
pub fn json(to: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    inert(to, &serde_json::to_string(value)?)
}

/// The same in several lines.
pub fn json_pretty(to: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    inert(to, &serde_json::to_string_pretty(value)?)
}

fn inert(to: &mut dyn Write, json: &str) -> io::Result<()> {
    let mut rest = json;
    while let Some(at) = rest.find(|c| c != '\n' && is_command(c)) {
        let c = rest[at..].chars().next().unwrap_or_default();
        write!(to, "{}\\u{:04x}", &rest[..at], u32::from(c))?;
        rest = &rest[at + c.len_utf8()..];
    }
    to.write_all(rest.as_bytes())
}

/// Tells something on standard error.
pub fn tell(message: impl std::fmt::Display) {
    let message = message.to_string();
    eprintln!("retold: {}", printable(&lang::message(&message)));
}

/// Whether a file may be written: if it does not exist, or with `force`.
pub fn may_write(path: &Path, force: bool) -> Result<()> {
    if path.exists() && !force {
        return Err(Error::usage(format!(
            "{} already exists; name another file, or add --force to replace it",
            path.display()
        )));
    }
    Ok(())
}

/// Writes a file if it may be written.
pub fn file(path: &Path, text: &str, force: bool) -> Result<()> {
    may_write(path, force)?;
    std::fs::write(path, text).map_err(Error::io("cannot write", path))
}

/// Where the pairs are: nothing if there are no clusters.
fn in_clusters(summary: &Summary) -> String {
    let largest = HumanCount(summary.largest_cluster);
    match summary.clusters {
        0 => String::new(),
        1 => format!(" in 1 cluster of {largest} pages"),
        many => format!(
            " in {} clusters, the largest of {largest} pages",
            HumanCount(many)
        ),
    }
}

/// The pairs of pages each of which says something of its own; nothing if there are none.
fn overlaps(summary: &Summary) -> String {
    let overlaps = summary.relations.overlaps;
    if overlaps == 0 {
        return String::new();
    }
    let more = match summary.overlaps_not_listed {
        0 => String::new(),
        more => format!(" ({} more are not listed)", HumanCount(more)),
    };
    format!("; {}{more}", count(overlaps, "overlapping pair"))
}

/// So many of what has this name: `1 page`, `1,234 pages`.
pub fn count(number: u64, name: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{} {name}{end}", HumanCount(number))
}

/// What the dropped pages are.
fn as_what(summary: &Summary) -> String {
    match &summary.same_url {
        None => " as copies".to_owned(),
        Some(versions) => format!(
            ", {} of them as older versions",
            HumanCount(versions.dropped)
        ),
    }
}

/// A short account in plain words, on standard output.
pub fn summary(summary: &Summary, out: &Path, verbose: bool, to: &mut dyn Write) -> io::Result<()> {
    let records = &summary.records;
    let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    let pages = records.kept + records.dropped;
    writeln!(
        to,
        "{} read: {} kept, {} dropped{} ({:.1} % of pages, {:.1} % of bytes: {})",
        count(pages, "page"),
        HumanCount(records.kept),
        HumanCount(records.dropped),
        as_what(summary),
        percent(records.dropped, pages),
        percent(summary.bytes.dropped, summary.bytes.read),
        BinaryBytes(summary.bytes.dropped),
    )?;
    writeln!(
        to,
        "{} duplicate and {} containing pairs{}{}",
        HumanCount(summary.relations.duplicate),
        HumanCount(summary.relations.contains),
        in_clusters(summary),
        overlaps(summary),
    )?;
    remarks(summary, to)?;
    large(summary, to)?;
    flags(summary, to)?;
    if records.rejected > 0 {
        writeln!(to, "{}", rejects(records.rejected, out))?;
    }
    if verbose {
        details(summary, to)?;
    }
    if let Some(line) = lost(summary) {
        writeln!(to, "{line}")?;
    }
    let seconds: f64 = summary.run.seconds.iter().map(|(_, seconds)| seconds).sum();
    let stages = summary.run.seconds.iter();
    let stages: Vec<_> = stages
        .map(|(stage, seconds)| format!("{stage} {seconds:.1}"))
        .collect();
    // On the hub a dataset card stands for the report.
    let start = match out.starts_with("hf:") {
        true => "README.md",
        false => "report.html",
    };
    writeln!(
        to,
        "{seconds:.1} s ({}); start with {}",
        stages.join(", "),
        out.join(start).display()
    )
}

/// What dropped pages say that others do not, if there are any.
fn lost(summary: &Summary) -> Option<String> {
    let lost = summary.lost.as_ref()?;
    match (summary.records.dropped, lost.words) {
        (0, _) => None,
        (_, 0) => Some("dropped pages take no words of their own with them".to_owned()),
        (_, words) => Some(format!(
            "dropped pages take {} of their own with them (largest: {})",
            count(words, "word"),
            HumanCount(lost.largest)
        )),
    }
}

/// What is worth a line only where there is some of it.
fn remarks(summary: &Summary, to: &mut dyn Write) -> io::Result<()> {
    let records = &summary.records;
    if let Some(old) = summary.old_pages {
        writeln!(
            to,
            "compared with {}; nothing changes in OLD",
            count(old, "old page")
        )?;
    }
    if let Some(own) = summary.against_self {
        writeln!(
            to,
            "{} of OLD with the same id and text as a page of INPUT: is it the same data? (--against-self skip leaves them out)",
            count(own, "page")
        )?;
    }
    if let Some(pages) = summary.kept_in_longer {
        writeln!(
            to,
            "{} kept beside a longer page with the same text",
            count(pages, "preferred page")
        )?;
    }
    if let (Some(filter), 0) = (deleting_filter(summary), summary.sketches.noise) {
        writeln!(
            to,
            "noise={filter} deleted nothing: no feature is on enough texts (idf_min_df, site_min_df); in small collections footers relate pages"
        )?;
    }
    if summary.sketches.empty > 0 {
        writeln!(
            to,
            "{} without features for this method: only exact copies are found",
            count(summary.sketches.empty, "page")
        )?;
    }
    if records.skipped > 0 {
        let kinds = records.skipped_by_kind.iter();
        let kinds: Vec<_> = kinds
            .map(|(kind, n)| format!("{} {kind}", HumanCount(*n)))
            .collect();
        writeln!(
            to,
            "{} skipped: {}",
            count(records.skipped, "record"),
            kinds.join(", ")
        )?;
    }
    Ok(())
}

/// The noise filter of the method, if it is one that deletes features that are on many texts.
fn deleting_filter(summary: &Summary) -> Option<&str> {
    let filter = summary.parameters.get("params")?.get("noise")?.as_str()?;
    ["idf", "site", "idf+site"]
        .contains(&filter)
        .then_some(filter)
}

/// How many records could not be read, and where they are listed.
pub fn rejects(rejected: u64, out: &Path) -> String {
    format!(
        "{} could not be read: see {}",
        count(rejected, "record"),
        out.join("rejects.jsonl").display()
    )
}

/// Ends a job: prints its account on standard output, or, if it is to be `quiet`, only how many records could not be read.
pub fn ended(
    rejected: u64,
    folder: &Path,
    quiet: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    if !quiet {
        return account(write);
    }
    if rejected > 0 {
        tell(rejects(rejected, folder));
    }
    Ok(())
}

/// There was nothing left to resume, so that what repeats a command until it succeeds comes to an end.
pub fn finished(folder: &Path, quiet: bool) -> ExitCode {
    if !quiet {
        let folder = folder.display();
        tell(format!("{folder}: the run is complete; --force repeats it"));
    }
    ExitCode::SUCCESS
}

/// This number of each kind is printed; the others are in the summary.
const SHOWN: usize = 3;

/// The largest of the components whose pairs are not all listed.
fn large(summary: &Summary, to: &mut dyn Write) -> io::Result<()> {
    let mut largest: Vec<_> = summary.large_components.iter().collect();
    largest.sort_by_key(|component| Reverse(component.pages));
    for component in largest.iter().take(SHOWN) {
        writeln!(
            to,
            "{} pages are connected with {}: pairs.jsonl lists only those of their pairs that decide what is dropped",
            HumanCount(component.pages),
            component.canonical
        )?;
    }
    more(largest.len(), "large_components", to)
}

fn flags(summary: &Summary, to: &mut dyn Write) -> io::Result<()> {
    for flag in summary.flagged.iter().take(SHOWN) {
        writeln!(
            to,
            "check cluster {}: {} pages, canonical page {}: {}",
            flag.cluster,
            HumanCount(flag.pages),
            flag.canonical,
            flag.reason
        )?;
    }
    more(summary.flagged.len(), "flagged", to)?;
    gains(summary, to)?;
    losses(summary, &summary.losses.inputs, to)?;
    losses(summary, &summary.losses.sites, to)
}

/// The site that gained most, if that is more than a third of all that was dropped: one site seldom tells everything first.
fn gains(summary: &Summary, to: &mut dyn Write) -> io::Result<()> {
    match summary.gains.first() {
        Some(gain) if gain.pages * 3 > summary.records.dropped => writeln!(
            to,
            "check {}: its pages stand for {} of {} (`gains` in summary.json)",
            gain.site,
            count(gain.pages, "page"),
            count(gain.sites, "other site")
        ),
        _ => Ok(()),
    }
}

/// A site or an input with fewer pages is not worth a line.
const LEAST_PAGES: u64 = 20;

/// The first of the worst losers that lost more than half of its pages, if there are others beside it.
fn losses(summary: &Summary, losses: &[Loss], to: &mut dyn Write) -> io::Result<()> {
    let all = summary.records.kept + summary.records.dropped;
    let is_large =
        |loss: &&Loss| (LEAST_PAGES..all).contains(&loss.read) && loss.dropped * 2 > loss.read;
    // Of pages that are only marked, none is dropped.
    let mut large = losses.iter().filter(|_| summary.records.dropped > 0);
    let Some(loss) = large.find(is_large) else {
        return Ok(());
    };
    let most = match &loss.most.name {
        None => String::new(),
        Some(name) if *name == loss.name => {
            format!(
                ", {} of them for others of its own",
                HumanCount(loss.most.pages)
            )
        }
        Some(name) => format!(
            ", {} of them for pages of {name}",
            HumanCount(loss.most.pages)
        ),
    };
    writeln!(
        to,
        "check {}: {} of its {} are dropped{most} (`losses` in summary.json)",
        loss.name,
        HumanCount(loss.dropped),
        count(loss.read, "page")
    )
}

/// Where those that were not told are listed.
fn more(all: usize, field: &str, to: &mut dyn Write) -> io::Result<()> {
    if all > SHOWN {
        writeln!(
            to,
            "and {} more, listed under `{field}` in summary.json",
            HumanCount((all - SHOWN) as u64)
        )?;
    }
    Ok(())
}

fn details(summary: &Summary, to: &mut dyn Write) -> io::Result<()> {
    let extraction = &summary.extraction;
    if extraction.main + extraction.fallback + extraction.over_budget > 0 {
        writeln!(
            to,
            "{} compared by main text; compared whole: {} without main text, {} too large",
            count(extraction.main, "page"),
            HumanCount(extraction.fallback),
            HumanCount(extraction.over_budget)
        )?;
    }
    writeln!(
        to,
        "{} different sketches, {} noise features, {} candidate pairs",
        HumanCount(summary.sketches.different),
        HumanCount(summary.sketches.noise),
        HumanCount(summary.sketches.candidates)
    )?;
    if summary.sketches.checked > 0 {
        writeln!(
            to,
            "{} pairs verified on their texts, {} of them rejected",
            HumanCount(summary.sketches.checked),
            HumanCount(summary.sketches.refuted)
        )?;
    }
    if summary.sketches.partly_compared > 0 {
        writeln!(
            to,
            "{} kept pages have keys of templates; pages that share only such keys were not all compared",
            HumanCount(summary.sketches.partly_compared)
        )?;
    }
    let parts = summary.run.thread_seconds.iter();
    let parts: Vec<_> = parts
        .map(|(part, seconds)| format!("{part} {seconds:.3}"))
        .collect();
    writeln!(to, "CPU seconds by kind of work: {}", parts.join(", "))?;
    if let Some(bytes) = summary.run.peak_memory {
        let files = BinaryBytes(summary.run.temporary_files);
        writeln!(
            to,
            "peak memory {}, temporary files {files}",
            BinaryBytes(bytes)
        )?;
    }
    Ok(())
}
