//! `retold watch`: reads feeds and folders as they change, and gives notice of new reprints.

mod address;
mod config;
mod entries;
mod fetch;
mod folders;
mod notify;
mod opml;
mod pause;
mod poll;
mod reader;
mod state;
mod tally;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use rayon::prelude::*;
use retold::internal::site_of;
use retold::read::each_page;
use retold::{Error, Page, Result, Stage, Watch};
use retold_index::{Index, Prepared, Status, Writer};

use self::config::{Config, Folder, Millis};
use self::folders::{Changed, changed};
use self::notify::{Teller, limit, look, note};
use self::pause::shortened;
use self::poll::{Brought, Poller};
use self::reader::Reader;
use self::state::{State, Tries, now};
use crate::progress::Progress;
use crate::resources::run_config;
use crate::say::tell;

/// Reads feeds and folders as they change, and reports new reprints
///
/// New articles are added to the index. Pages that repeat a page of the index are reported to a webhook, or as lines of JSON on standard
/// output, at least once. With `atom`, a feed without repeats is written for feed readers. The state is in DIR.watch.json beside the index.
/// SIGTERM and Ctrl-C end the command.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  retold watch watch.toml
  retold watch watch.toml --once >> notices.jsonl")]
pub struct Args {
    /// What is watched and where it is reported; docs/reference/watch.md lists the keys
    #[arg(value_name = "CONFIG")]
    config: PathBuf,
    /// Do one round: read what is due, report what is new, and end
    #[arg(long)]
    once: bool,
    /// Errors only
    #[arg(short, long)]
    quiet: bool,
}

/// Tries of a webhook at the end of one round.
const LAST_TRIES: u32 = 3;

pub fn run(args: &Args) -> Result<ExitCode> {
    let mut config = Config::read(&args.config)?;
    for site in &mut config.watch.sites {
        *site = site_of(&format!("http://{site}/")).unwrap_or_default();
    }
    let teller = Teller::new(&config)?;
    let writer = Index::builder(&config.index)
        .writer_name("retold watch")
        .write()?;
    check(&config, writer.index())?;
    let path = State::path(&config.index);
    let mut state = State::read(&path, writer.index().cursor())?;
    // From here on, a page that comes is news.
    state.write(&path)?;
    let mut watcher = Watcher {
        config: &config,
        poller: Poller::new(&config),
        reader: Reader::new(&config),
        writer,
        state,
        path,
        failed_folders: 0,
        is_quiet: args.quiet,
    };
    let progress = Progress::start(args.quiet)?;
    let begin = now();
    watcher.shorten(begin);
    // Whether it can be written shows now, and not after a round.
    watcher.reader.write(watcher.writer.index(), begin)?;
    if args.once {
        // `--once` is for what is there now: all folders are read again, and the webhook is tried again. Feeds keep their pauses.
        watcher.state.folders.clear();
        watcher.state.webhook = Tries::default();
    }
    while !progress.cancelled() {
        // One round does what was due when it began, and what comes of that.
        let due = if args.once { begin } else { now() };
        watcher.turn(due, &teller, &progress)?;
        if args.once && watcher.is_done(due) {
            break;
        }
    }
    progress.finish();
    if args.once && !progress.cancelled() {
        watcher.tell_rest(&teller)?;
    }
    let is_failure = args.once && watcher.nothing_can_be_read();
    watcher.end(is_failure)
}

/// Whether what is watched is there.
fn check(config: &Config, index: &Index) -> Result<()> {
    for id in &config.watch.stories {
        if index.get(id)?.is_none() {
            return Err(Error::usage(format!(
                "stories: no page of the index has the id `{id}`; `retold index stories {}` lists stories",
                config.index.display()
            )));
        }
    }
    Ok(())
}

struct Watcher<'c> {
    config: &'c Config,
    poller: Poller<'c>,
    reader: Reader<'c>,
    writer: Writer,
    state: State,
    /// Where that is written.
    path: PathBuf,
    /// Readings of folders that failed.
    failed_folders: usize,
    is_quiet: bool,
}

impl Watcher<'_> {
    /// What is due later than its `every` says, because that was longer before, is due sooner.
    fn shorten(&mut self, now: Millis) {
        for feed in &self.config.feeds {
            let tries = &mut self.state.feeds.entry(feed.url.as_str()).tries;
            *tries = shortened(tries, feed.every, feed.url.as_str(), now);
        }
        for folder in &self.config.folders {
            let next = self.next(folder).min(now + folder.every);
            let name = folder.path.to_string_lossy().into_owned();
            self.state.folders.insert(name, next);
        }
    }

    /// Does what can be done now. The state is written last: after the index has the pages that it mentions, and after notices were delivered.
    fn turn(&mut self, due: Millis, teller: &Teller, progress: &Progress) -> Result<()> {
        self.poller.plan(&self.state, due);
        let mut brought = self.poller.ask(&mut self.state, now());
        let answers = self.poller.wait(Duration::from_millis(50));
        let mut is_changed = !(brought.is_empty() && answers.is_empty());
        let index = self.writer.index().clone();
        for (job, answer) in answers {
            let state = &mut self.state;
            brought.extend(self.poller.take(state, &index, job, answer, now())?);
        }
        self.add(brought)?;
        for folder in &self.config.folders {
            is_changed |= self.read(folder, due, progress)?;
        }
        look(&index, &mut self.state, &self.config.watch)?;
        let is_due = !self.state.notices.is_empty() && self.state.webhook.next <= now();
        if is_due {
            self.tell(teller)?;
        }
        if is_changed || is_due {
            self.state.forget(now());
            self.state.write(&self.path)?;
        }
        self.say();
        self.reader.write_when_due(&index, now())
    }

    fn tell(&mut self, teller: &Teller) -> Result<()> {
        let (told, failure) = teller.tell(&mut self.state)?;
        self.poller.tally.told += told;
        let left = self.state.notices.len();
        self.poller.notes.extend(
            failure
                .map(|reason| format!("webhook: {reason}; {left} notices wait for the next try")),
        );
        Ok(())
    }

    /// Says what people should know.
    fn say(&mut self) {
        for note in self.poller.notes.drain(..) {
            if !self.is_quiet {
                tell(note);
            }
        }
    }

    /// Whether all that was due is done.
    fn is_done(&self, due: Millis) -> bool {
        let is_due = |folder: &Folder| self.next(folder) <= due;
        self.poller.is_idle()
            && !self.poller.is_due(&self.state, due)
            && !self.config.folders.iter().any(is_due)
    }

    /// Tells what is left at the end of a round.
    fn tell_rest(&mut self, teller: &Teller) -> Result<()> {
        let mut tries = 0;
        while !self.state.notices.is_empty() && tries < LAST_TRIES {
            if tries > 0 {
                std::thread::sleep(Duration::from_millis(500 << tries));
            }
            self.tell(teller)?;
            self.state.write(&self.path)?;
            self.say();
            if self.state.webhook.failures > 0 {
                tries += 1;
            }
        }
        Ok(())
    }

    /// Whether no feed and no folder can be read: cron should say so.
    fn nothing_can_be_read(&self) -> bool {
        let fails = |url: &str| {
            let feed = self.state.feeds.get(url);
            feed.is_some_and(|feed| feed.tries.failures > 0)
        };
        let mut feeds = self.config.feeds.iter();
        feeds.all(|feed| fails(feed.url.as_str()))
            && self.failed_folders >= self.config.folders.len()
    }

    fn end(mut self, is_failure: bool) -> Result<ExitCode> {
        self.reader.write(self.writer.index(), now())?;
        self.state.write(&self.path)?;
        self.writer.close()?;
        let left = self.state.notices.len();
        if !self.is_quiet {
            tell(format_args!("{}, {left} left", self.poller.tally));
        }
        if is_failure {
            tell(
                "no feed and no folder of CONFIG could be read; the reasons are above, or were said when they were last requested",
            );
        }
        Ok(ExitCode::from(u8::from(left > 0 || is_failure)))
    }

    /// Adds pages in one commit.
    fn add(&mut self, brought: Vec<Brought>) -> Result<()> {
        let index = self.writer.index().clone();
        let made = brought.into_par_iter().map(|(page, article)| {
            let (id, made) = (page.id.clone(), index.prepare(page));
            (id, article, made)
        });
        let made: Vec<_> = made.collect();
        let (mut good, mut teasers) = (Vec::new(), Vec::new());
        for (id, article, made) in made {
            match (made, article) {
                (Ok(page), _) => good.push(page),
                (Err(error), Some((id, article))) => {
                    let reason = error.to_string();
                    let poller = &mut self.poller;
                    teasers.extend(poller.give_up(&mut self.state, &id, article, &reason));
                }
                (Err(error), None) => self.reject(&id, &error.to_string()),
            }
        }
        self.commit(&good)?;
        match teasers.is_empty() {
            true => Ok(()),
            false => self.add(teasers),
        }
    }

    fn reject(&mut self, name: &str, reason: &str) {
        self.poller.tally.rejected += 1;
        self.poller.notes.push(format!("{name}: {reason}"));
    }

    fn commit(&mut self, pages: &[Prepared]) -> Result<()> {
        let index = self.writer.index().clone();
        let watched = &self.config.watch;
        let before = index.cursor();
        let added = self.writer.add(pages, limit(watched))?;
        note(&index, &mut self.state, watched, before, pages, &added)?;
        for added in added {
            let tally = &mut self.poller.tally;
            let count = match added.status {
                Status::New => &mut tally.new,
                Status::Replaced => &mut tally.replaced,
                Status::Unchanged | Status::Older => &mut tally.unchanged,
            };
            *count += 1;
            tally.frames += u64::from(added.is_frame);
        }
        // No answer waits for it.
        self.writer.learn_if_grown(&run_config(0, None), &())?;
        Ok(())
    }

    fn next(&self, folder: &Folder) -> Millis {
        let name = folder.path.to_string_lossy();
        self.state.folders.get(&name).copied().unwrap_or_default()
    }

    /// Reads what is new in a folder if its time has come; says whether it had.
    fn read(&mut self, folder: &Folder, due: Millis, progress: &Progress) -> Result<bool> {
        if self.next(folder) > due {
            return Ok(false);
        }
        let name = folder.path.to_string_lossy().into_owned();
        let read = &self.writer.index().model().config().read.clone();
        match changed(folder, &mut self.state, read) {
            Ok(files) => {
                for file in files {
                    self.read_file(file, progress)?;
                }
            }
            // It may be there again later.
            Err(error) => {
                self.failed_folders += 1;
                self.poller.notes.push(error.to_string());
            }
        }
        self.state.folders.insert(name, now() + folder.every);
        Ok(true)
    }

    fn read_file(&mut self, file: Changed, progress: &Progress) -> Result<()> {
        /// The most pages in a commit.
        const GROUP: usize = 1000;
        let index = self.writer.index().clone();
        let read = &index.model().config().read.clone();
        let prepare = |page: Page| index.prepare(page).map_err(|e| e.to_string());
        let mut group = Vec::new();
        let sources = [file.source];
        let ended = each_page(
            &sources,
            read,
            progress,
            Stage::Read.name(),
            prepare,
            |source, number, made| {
                match made {
                    Ok(page) => group.push(page),
                    Err(reason) => {
                        self.reject(&format!("{}, record {number}", source.name), &reason)
                    }
                }
                match group.len() < GROUP {
                    true => Ok(()),
                    false => self.commit(&std::mem::take(&mut group)),
                }
            },
        );
        match ended {
            Ok(()) => {
                self.commit(&group)?;
                self.poller.tally.files += 1;
                self.state.files.insert(file.name, file.stamp);
                Ok(())
            }
            // It is read again another time.
            Err(Error::Cancelled) => Ok(()),
            // Somebody writes to it: so it is.
            Err(Error::Unreadable(reason) | Error::Usage(reason)) => {
                self.reject(&file.name, &reason);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}
