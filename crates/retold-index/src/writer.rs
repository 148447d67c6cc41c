//! Writing: commits, and maintenance of the files.

use std::sync::Arc;

use rayon::prelude::*;
use retold::{Error, Result};
use rustc_hash::FxHashMap;

use crate::index::{Index, Prepared};
use crate::judge::Judge;
use crate::limits::Limits;
use crate::links::{Link, LinkKind, Thin, check_room};
use crate::lock::Lock;
use crate::log::{Kind, Log, frame};
use crate::merge::tidy;
use crate::query::{Match, View};
use crate::record::{Entry, pack};
use crate::status::Status;
use crate::terms::keys_of_text;

/// The result of adding a page.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Added {
    /// What happened to it.
    pub status: Status,
    /// The earlier pages that it repeats, best first.
    pub matches: Vec<Match>,
    /// Its whole text is a frame that other pages have under other titles, such as a notice; these are not among the matches.
    pub is_frame: bool,
}

/// An index, open for reading and writing. An index has one writer at a time.
#[derive(Debug)]
pub struct Writer {
    pub(crate) index: Arc<Index>,
    /// An undo failed, so nothing may be written any more.
    is_broken: bool,
    /// An error that occurred after an acknowledged commit.
    late: Option<Error>,
    pub(crate) limits: Limits,
    _lock: Lock,
}

#[derive(Default)]
struct Plan {
    /// For each page: its status, its number, and the page that it replaces.
    pages: Vec<(Status, u32, Option<u32>)>,
    gone: FxHashMap<u32, u32>,
}

impl Writer {
    /// Creates the writer of an index; the lock is held.
    pub(crate) fn start(index: Index, lock: Lock, limits: Limits) -> Result<Writer> {
        let mut writer = Writer {
            index: Arc::new(index),
            is_broken: false,
            late: None,
            limits,
            _lock: lock,
        };
        writer.checkpoint()?;
        Ok(writer)
    }

    /// The index, for reading. It shows each commit as soon as it is on disk.
    pub fn index(&self) -> &Arc<Index> {
        &self.index
    }

    /// Adds pages in one commit and returns what they repeat, at most `limit` pages each, if given. A page replaces the page with the same
    /// id. With a limit of 0 no matches are looked for, and the pages join no story. When this returns, the pages will survive a power cut.
    ///
    /// Errors: the disk is full or cannot be written; then none of the pages is added.
    pub fn add(&mut self, pages: &[Prepared], limit: Option<usize>) -> Result<Vec<Added>> {
        self.check()?;
        let result = self.try_add(pages, limit);
        if result.is_err() {
            self.undo();
        }
        if result.is_ok() {
            self.late = tidy(&self.index, self.limits).err();
        }
        result
    }

    fn try_add(&mut self, pages: &[Prepared], limit: Option<usize>) -> Result<Vec<Added>> {
        let plan = self.plan(pages)?;
        let index = Arc::clone(&self.index);
        let (log, start) = {
            let state = index.read();
            (state.log()?, state.end)
        };
        let end = self.write_pages(pages, &plan, &log, start)?;
        let mut added = matches(&index, pages, &plan, limit)?;
        let mut links: Vec<Link> = Vec::new();
        for (&(status, page, older), added) in plan.pages.iter().zip(&mut added) {
            if status.is_stored() {
                links.extend(older.map(|other| Link {
                    page,
                    other,
                    kind: LinkKind::Replaces,
                }));
                // A page that this commit removes must not be linked to.
                let stay = |found: &&Match| !plan.gone.contains_key(&found.page);
                let stay = added.matches.iter().filter(stay);
                links.extend(links_of(page, stay, |found| (found.root, false)));
            }
            added.matches.truncate(limit.unwrap_or(usize::MAX));
        }
        let mut gone: Vec<u32> = plan.gone.keys().copied().collect();
        gone.sort_unstable();
        if end == start {
            return Ok(added);
        }
        links.extend(mended(&index, &gone, &links)?);
        let end = commit(&log, start, end, &links, &gone)?;
        let mut state = index.write();
        state.remove_pages(&gone);
        state.add_links(links.into_iter());
        state.visible = state.pages.len() as u32;
        state.end = end;
        Ok(added)
    }

    /// Numbers the pages and finds those that replace others.
    fn plan(&self, pages: &[Prepared]) -> Result<Plan> {
        let state = self.index.read();
        let mut plan = Plan::default();
        // Pages of this commit, by id and by address.
        let mut here: FxHashMap<&str, (u32, &Entry)> = FxHashMap::default();
        let mut addresses: FxHashMap<String, (u32, &Entry)> = FxHashMap::default();
        let mut next = state.pages.len() as u32;
        for page in pages {
            let (id, address) = (page.entry.id.as_str(), state.identity(&page.entry));
            let at_address = || addresses.get(address.as_ref()?);
            let known = here.get(id).or_else(at_address);
            let known = match known.filter(|(number, _)| !plan.gone.contains_key(number)) {
                Some(&(number, entry)) => Some((number, entry.clone())),
                None => {
                    let is_gone = |page: u32| plan.gone.contains_key(&page);
                    state.version_of(&page.entry, address.as_deref(), next, &is_gone)?
                }
            };
            let planned = match known {
                Some((number, entry)) if entry.is_same(&page.entry) => {
                    (Status::Unchanged, number, None)
                }
                Some((number, entry)) if !state.replaces(&page.entry, &entry)? => {
                    (Status::Older, number, None)
                }
                Some((number, _)) => {
                    plan.gone.insert(number, next);
                    (Status::Replaced, next, Some(number))
                }
                None => (Status::New, next, None),
            };
            if planned.0.is_stored() {
                here.insert(id, (next, &page.entry));
                if let Some(address) = address {
                    addresses.insert(address, (next, &page.entry));
                }
                next += 1;
            }
            plan.pages.push(planned);
        }
        Ok(plan)
    }

    /// Writes the frames of new pages after `start`, and makes them visible to queries that ask for them.
    fn write_pages(&self, pages: &[Prepared], plan: &Plan, log: &Log, start: u64) -> Result<u64> {
        let new = pages.iter().zip(&plan.pages);
        let new: Vec<(&Prepared, u32)> = new
            .filter(|(_, (status, ..))| status.is_stored())
            .map(|(page, &(_, number, _))| (page, number))
            .collect();
        let keeps_texts = self.index.keeps_texts();
        let parts = new.par_iter().map(|(page, _)| {
            let kept = keeps_texts.then(|| (pack(&page.text), keys_of_text(&page.text)));
            let (text, words) = kept.unwrap_or_default();
            (page.entry.to_bytes(), text, words)
        });
        let parts: Vec<(Vec<u8>, Vec<u8>, Vec<u64>)> = parts.collect();
        let mut bytes = Vec::new();
        let mut places = Vec::new();
        for (&(_, number), (entry, text, _)) in new.iter().zip(&parts) {
            let at = start + bytes.len() as u64;
            places.push((at, (entry.len() as u32, text.len() as u32)));
            frame(&mut bytes, Kind::Page, number, entry, text);
        }
        check_room(self.index.read().pages.len() + new.len())?;
        log.write(start, &bytes)?;
        let mut state = self.index.write();
        let number = state.manifest.last_log();
        for (((page, _), (_, _, words)), (at, lengths)) in new.iter().zip(&parts).zip(places) {
            state.add_page(&page.entry, words, (number, at), lengths);
        }
        Ok(start + bytes.len() as u64)
    }

    /// Removes the pages with these ids in one commit; returns for each whether it existed.
    pub fn remove(&mut self, ids: &[String]) -> Result<Vec<bool>> {
        self.check()?;
        let mut gone = Vec::new();
        let mut found = Vec::new();
        for id in ids {
            let page = self.index.find(id)?.map(|(page, _)| page);
            let page = page.filter(|page| !gone.contains(page));
            found.push(page.is_some());
            gone.extend(page);
        }
        if gone.is_empty() {
            return Ok(found);
        }
        let (log, start) = {
            let state = self.index.read();
            (state.log()?, state.end)
        };
        let links = mended(&self.index, &gone, &[])?;
        match commit(&log, start, start, &links, &gone) {
            Ok(end) => {
                let mut state = self.index.write();
                state.remove_pages(&gone);
                state.add_links(links.into_iter());
                state.end = end;
            }
            Err(e) => {
                self.undo();
                return Err(e);
            }
        }
        self.late = tidy(&self.index, self.limits).err();
        Ok(found)
    }

    fn undo(&mut self) {
        let mut state = self.index.write();
        let (visible, end) = (state.visible, state.end);
        let cut = state.log().and_then(|log| {
            log.cut(end)?;
            log.sync()
        });
        self.is_broken = cut.is_err();
        state.pages.truncate(visible as usize);
        state.memory.truncate(visible);
    }

    pub(crate) fn check(&mut self) -> Result<()> {
        if let Some(late) = self.late.take() {
            return Err(late);
        }
        match self.is_broken {
            false => Ok(()),
            true => Err(Error::usage(format!(
                "{}: an earlier write failed and could not be undone; open the index again",
                self.index.folder().display()
            ))),
        }
    }

    /// Records in the manifest how much of the log is on disk, so that damage can be told from a crash.
    pub(crate) fn checkpoint(&mut self) -> Result<()> {
        let folder = self.index.folder().to_owned();
        let mut state = self.index.write();
        let end = state.end;
        let sure = state.manifest.logs.last_mut();
        if sure.as_ref().is_some_and(|log| log.1 != end) {
            sure.into_iter().for_each(|log| log.1 = end);
            state.manifest.write(&folder)?;
        }
        Ok(())
    }

    /// Closes the index.
    pub fn close(mut self) -> Result<()> {
        self.check()?;
        self.checkpoint()
    }
}

/// For each page, the earlier pages that it repeats.
fn matches(
    index: &Index,
    pages: &[Prepared],
    plan: &Plan,
    limit: Option<usize>,
) -> Result<Vec<Added>> {
    let all = index.read().pages.len() as u32;
    let judge = index.judge();
    let planned = pages.par_iter().zip(&plan.pages);
    let added = planned.map(|(page, &(status, number, _))| {
        let before = match status {
            Status::Unchanged | Status::Older => all,
            Status::New | Status::Replaced => number,
        };
        let is_gone = |other: u32| plan.gone.get(&other).is_some_and(|&by| by <= before);
        let view = View {
            before,
            but: Some(number),
            is_gone: &is_gone,
        };
        let fingerprint = |judge: &Judge| Ok(page.fingerprint(judge));
        let mut matches = index.alike(&judge, &page.entry, &fingerprint, &view, limit)?;
        let is_frame = index.without_frames(&page.entry, &mut matches)?;
        Ok(Added {
            status,
            matches,
            is_frame,
        })
    });
    added.collect()
}

/// The links to store for a page with these matches, best first.
pub(crate) fn links_of<'m>(
    page: u32,
    matches: impl IntoIterator<Item = &'m Match>,
    story: impl Fn(&Match) -> (u32, bool),
) -> Vec<Link> {
    let mut thin = Thin::default();
    let kept = matches
        .into_iter()
        .filter(|found| thin.keeps(story(found), found.verdict.relation));
    let link = |found: &Match| Link {
        page,
        other: found.page,
        kind: LinkKind::Related(found.verdict.relation),
    };
    kept.map(link).collect()
}

/// Links that keep stories together when pages are removed: pages that were linked to removed ones are looked up again. `fresh`: links made
/// in the same commit.
fn mended(index: &Index, gone: &[u32], fresh: &[Link]) -> Result<Vec<Link>> {
    let (torn, all) = {
        let state = index.read();
        let fresh: Vec<(u32, u32)> = fresh.iter().filter_map(|link| link.duplicates()).collect();
        (
            state.pages.graph.torn_by(gone, &fresh),
            state.pages.len() as u32,
        )
    };
    let is_gone = |page: u32| gone.contains(&page);
    let judge = index.judge();
    let links = torn.pages.par_iter().map(|&page| {
        let entry = index.entry_of(page)?;
        let view = View {
            before: all,
            but: Some(page),
            is_gone: &is_gone,
        };
        let fingerprint = |judge: &Judge| index.fingerprint(judge, page, &entry);
        let mut matches = index.matches(&judge, &entry, &fingerprint, &view, None)?;
        let story = |other: u32, root: u32| match torn.pieces.get(&other) {
            Some(&piece) => (piece, true),
            None => (root, false),
        };
        let own = torn.pieces.get(&page).map(|&piece| (piece, true));
        matches.retain(|found| Some(story(found.page, found.root)) != own);
        Ok(links_of(page, &matches, |found| {
            story(found.page, found.root)
        }))
    });
    let links: Result<Vec<Vec<Link>>> = links.collect();
    let mut links = links?.concat();
    let state = index.read();
    // Drop links that are known already, from either page.
    links.retain(|link| {
        let known = state.pages.graph.relations(link.page);
        let LinkKind::Related(relation) = link.kind else {
            return true;
        };
        !known
            .into_iter()
            .any(|(other, found)| (other, found) == (link.other, relation))
    });
    Ok(links)
}

/// Ends the commit that began at `start` and has pages up to `end`. Returns its end, once it will survive a power cut.
fn commit(log: &Log, start: u64, end: u64, links: &[Link], gone: &[u32]) -> Result<u64> {
    let mut bytes = Vec::new();
    let numbers =
        |numbers: &[u32]| -> Vec<u8> { numbers.iter().flat_map(|n| n.to_le_bytes()).collect() };
    if !links.is_empty() {
        let pairs = links.iter().map(|link| link.to_numbers());
        let links: Vec<u32> = pairs.flat_map(|(a, b)| [a, b]).collect();
        frame(&mut bytes, Kind::Links, 0, &numbers(&links), &[]);
    }
    if !gone.is_empty() {
        frame(&mut bytes, Kind::Gone, 0, &numbers(gone), &[]);
    }
    frame(&mut bytes, Kind::Commit, 0, &start.to_le_bytes(), &[]);
    log.write(end, &bytes)?;
    log.sync()?;
    Ok(end + bytes.len() as u64)
}
