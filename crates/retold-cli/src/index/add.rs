//! Pages in and out: `add`, `query`, `remove`.

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use rayon::prelude::*;
use retold::read::{Outcome, Source, discover, each_page};
use retold::{Error, Page, Result, Stage, Watch};
use retold_index::{Index, Prepared};
use serde::Serialize;

use super::print::{WHO, flush, print, say, say_added, say_rejected};
use crate::input::Rejects;
use crate::progress::Progress;
use crate::resources::run_config;

/// Adds pages, and prints what each of them repeats
///
/// Prints a line of JSON for each page: its id, its status (new, replaced, unchanged, rejected) and the pages that it repeats. The line
/// comes when the page is safe on disk. A page replaces an earlier one with the same id.
#[derive(clap::Args)]
pub struct Add {
    #[command(flatten)]
    what: What,
    /// At most so many pages in a commit, fewer if they are long; each commit waits for the disk once
    #[arg(long, value_name = "PAGES", default_value_t = 1000, value_parser = crate::input::positive)]
    commit: usize,
}

/// Prints what pages repeat, and adds nothing
#[derive(clap::Args)]
pub struct Query {
    #[command(flatten)]
    what: What,
    /// Print what each page adds: its passages that no page of the index has
    #[arg(long)]
    adds: bool,
}

/// Removes pages
#[derive(clap::Args)]
pub struct Remove {
    /// The folder of the index
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Ids of pages
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Read more ids from FILE, one per line
    #[arg(long, value_name = "FILE")]
    ids_from: Option<PathBuf>,
}

#[derive(clap::Args)]
struct What {
    /// The folder of the index
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Files and folders to read; `-` for JSONL on standard input, answered line by line
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,
    /// Print at most N matches of a page, the best first; 0: search for none
    #[arg(long, value_name = "N", default_value_t = retold_index::MATCHES)]
    matches: usize,
    /// Exit code when records were rejected
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Rejects::Fail)]
    rejects: Rejects,
    /// No progress
    #[arg(short, long)]
    quiet: bool,
}

/// Listens for Ctrl-C, and leaves what is shown as it is.
struct Cancelling<'a>(&'a Progress);

impl Watch for Cancelling<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

/// A page, or the id and the reason of a reject.
type Made = std::result::Result<Prepared, (String, String)>;

pub fn add(args: &Add) -> Result<ExitCode> {
    let mut writer = Index::builder(&args.what.dir).writer_name(WHO).write()?;
    let index = writer.index().clone();
    let limit = Some(args.what.matches);
    let run = run_config(0, None);
    let add = |pages: Vec<Made>, progress: &Progress| -> Result<()> {
        let (mut good, mut rejects) = (Vec::new(), Vec::new());
        for page in pages {
            match page {
                Ok(page) => {
                    good.push(page);
                    rejects.push(None);
                }
                Err(reject) => rejects.push(Some(reject)),
            }
        }
        let added = writer.add(&good, limit)?;
        let mut added = good.iter().zip(&added);
        for reject in rejects {
            if let Some((id, reason)) = reject {
                say_rejected(&id, &reason)?;
            } else if let Some((page, added)) = added.next() {
                say_added(&page.entry.id, added)?;
            }
        }
        flush()?;
        // All that was asked is answered.
        writer.learn_if_grown(&run, &Cancelling(progress))?;
        Ok(())
    };
    let rejected = each_group(&args.what, &index, args.commit, add);
    // What was printed is safe; closing only takes down how much is.
    let closed = writer.close();
    let rejected = rejected?;
    closed?;
    Ok(args.what.rejects.code(rejected))
}

pub fn query(args: &Query) -> Result<ExitCode> {
    let index = Index::open(&args.what.dir)?;
    let limit = Some(args.what.matches);
    let ask = |pages: Vec<Made>, _: &Progress| -> Result<()> {
        let asked = pages.par_iter().map(|page| match page {
            Ok(page) => {
                let (status, matches) = index.query(page, limit)?;
                let adds = args.adds.then(|| index.adds(page)).transpose()?;
                Ok(Some((status, matches, adds)))
            }
            Err(_) => Ok(None),
        });
        let asked: Result<Vec<_>> = asked.collect();
        for (page, answer) in pages.iter().zip(asked?) {
            match (page, answer) {
                (Ok(page), Some((status, matches, adds))) => {
                    say(&page.entry.id, status.name(), &matches, adds)?;
                }
                (Err((id, reason)), _) => say_rejected(id, reason)?,
                (Ok(_), None) => {}
            }
        }
        flush()
    };
    /// Pages that are queried at a time.
    const GROUP: usize = 256;
    let rejected = each_group(&args.what, &index, GROUP, ask)?;
    Ok(args.what.rejects.code(rejected))
}

/// Bytes of pages that are handled together, about, and of lines that wait for that.
const BYTES: usize = 64 << 20;

/// Pages that are handled together.
#[derive(Default)]
struct Group {
    pages: Vec<Made>,
    bytes: usize,
}

impl Group {
    fn push(&mut self, made: Made) {
        self.bytes += match &made {
            Ok(page) => page.memory(),
            Err((id, reason)) => id.len() + reason.len(),
        };
        self.pages.push(made);
    }

    /// Whether these are enough: as many as requested, or fewer that are long.
    fn is_full(&self, size: usize) -> bool {
        self.pages.len() >= size || self.bytes >= BYTES
    }
}

/// Hands the pages of all inputs to `take`, in groups; says how many were rejected.
///
/// Ids are those of `retold dedup`, but an id that comes again gets no other name: it is the same page, come again.
fn each_group(
    what: &What,
    index: &Index,
    size: usize,
    mut take: impl FnMut(Vec<Made>, &Progress) -> Result<()>,
) -> Result<u64> {
    let (stdin, named): (Vec<&PathBuf>, Vec<&PathBuf>) = what
        .inputs
        .iter()
        .partition(|input| *input == Path::new("-"));
    let named: Vec<PathBuf> = named.into_iter().cloned().collect();
    let progress = Progress::start(what.quiet)?;
    let mut rejected = 0;
    let mut count = |made: &Made| rejected += u64::from(made.is_err());
    if !named.is_empty() {
        let read = &index.model().config().read.clone();
        let sources = discover(&named, read)?;
        if sources.is_empty() {
            return Err(Error::usage(
                "no page could be read: there are 0 files to read",
            ));
        }
        let mut group = Group::default();
        let prepare = |page: Page| Ok(index.prepare(page));
        each_page(
            &sources,
            read,
            &progress,
            Stage::Read.name(),
            prepare,
            |source, number, made| {
                let id = || format!("{}#{number}", source.name);
                let made = match made {
                    Ok(made) => made.map_err(|e| (id(), e.to_string())),
                    Err(reason) => Err((id(), reason)),
                };
                count(&made);
                group.push(made);
                match group.is_full(size) {
                    true => take(std::mem::take(&mut group).pages, &progress),
                    false => Ok(()),
                }
            },
        )?;
        take(group.pages, &progress)?;
    }
    progress.finish();
    if !stdin.is_empty() {
        each_line(index, size, &progress, |made| {
            made.iter().for_each(&mut count);
            take(made, &progress)
        })?;
    }
    Ok(rejected)
}

/// Hands the pages that come on standard input to `take`, as many at a time as are there, so that each line is answered
/// without waiting for the next.
fn each_line(
    index: &Index,
    size: usize,
    watch: &dyn Watch,
    mut take: impl FnMut(Vec<Made>) -> Result<()>,
) -> Result<()> {
    let (sender, lines) = sync_channel(2 * size);
    let waiting = Arc::new(AtomicUsize::new(0));
    let read = Arc::clone(&waiting);
    // Not joined: it may wait for a line that never comes.
    std::thread::spawn(move || {
        let lines = std::io::stdin().lock().split(b'\n');
        for (number, line) in (1u64..).zip(lines) {
            let ended = line.is_err();
            while read.load(Ordering::Relaxed) > BYTES {
                std::thread::sleep(Duration::from_millis(1));
            }
            read.fetch_add(line.as_ref().map_or(0, Vec::len), Ordering::Relaxed);
            if sender.send((number, line)).is_err() || ended {
                return;
            }
        }
    });
    while let Some(group) = next_group(&lines, &waiting, size)? {
        if watch.cancelled() {
            return Err(Error::Cancelled);
        }
        let model = index.model();
        let made = group
            .into_par_iter()
            .filter(|(_, line)| !line.trim_ascii().is_empty());
        let made = made.map(|(number, line)| {
            let id = || format!("stdin#{number}");
            match Source::line("stdin", number, &line, &model.config().read) {
                Outcome::Page(page) => index.prepare(page).map_err(|e| (id(), e.to_string())),
                Outcome::Rejected(reason) => Err((id(), reason)),
                Outcome::Skipped(kind) => Err((id(), kind.into_owned())),
            }
        });
        take(made.collect())?;
    }
    Ok(())
}

type Lines = Receiver<(u64, std::io::Result<Vec<u8>>)>;
/// Lines with their numbers.
type Numbered = Vec<(u64, Vec<u8>)>;

/// The next line, and those that are there already. `waiting`: bytes of lines that wait.
fn next_group(lines: &Lines, waiting: &AtomicUsize, size: usize) -> Result<Option<Numbered>> {
    let (mut group, mut bytes) = (Vec::new(), 0);
    let mut next = lines.recv().ok();
    while let Some((number, line)) = next {
        let line = line.map_err(Error::io("cannot read", Path::new("standard input")))?;
        waiting.fetch_sub(line.len(), Ordering::Relaxed);
        bytes += line.len();
        group.push((number, line));
        next = match group.len() < size && bytes < BYTES {
            true => lines.try_recv().ok(),
            false => None,
        };
    }
    Ok((!group.is_empty()).then_some(group))
}

#[derive(Serialize)]
struct Removed<'a> {
    id: &'a str,
    status: &'a str,
}

pub fn remove(args: &Remove) -> Result<ExitCode> {
    let mut ids = args.ids.clone();
    if let Some(path) = &args.ids_from {
        let list = std::fs::read_to_string(path).map_err(Error::io("cannot read", path))?;
        ids.extend(
            list.lines()
                .filter(|line| !line.is_empty())
                .map(str::to_owned),
        );
    }
    if ids.is_empty() {
        return Err(Error::usage(
            "no ID: name pages, or a file of ids with --ids-from",
        ));
    }
    let mut writer = Index::builder(&args.dir).writer_name(WHO).write()?;
    for ids in ids.chunks(1000) {
        for (id, there) in ids.iter().zip(writer.remove(ids)?) {
            let status = if there { "removed" } else { "absent" };
            print(&Removed { id, status })?;
        }
        flush()?;
    }
    writer.close()?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_pages_are_handled_before_there_are_many() {
        let index = tempfile::tempdir().unwrap();
        let model = retold::Model::new(retold::JudgeConfig::default()).unwrap();
        let writer = Index::builder(index.path()).create(&model).unwrap();
        let mut group = Group::default();
        group.push(Err(("a".into(), "no text".into())));
        let text = "The ferry left late. ".repeat(1000);
        let long = writer.index().prepare(Page::text("b", text)).unwrap();
        assert!(long.memory() > 2 * 21_000, "its text, shown and folded");
        group.push(Ok(long));
        assert!(!group.is_full(3) && group.is_full(2));
        group.bytes += BYTES;
        assert!(group.is_full(3));
        // As lines wait to be read.
        let (sender, lines) = sync_channel(9);
        for number in 1..=4 {
            sender.send((number, Ok(vec![b'x'; BYTES / 2]))).unwrap();
        }
        let waiting = AtomicUsize::new(2 * BYTES);
        let group = next_group(&lines, &waiting, 100).unwrap().unwrap();
        assert_eq!(group.len(), 2);
        assert_eq!(waiting.load(Ordering::Relaxed), BYTES);
    }
}
