//! Writes segments and merges those of similar size.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use retold::{Error, Result};

use crate::files::{remove, sync_folder};
use crate::index::Index;
use crate::limits::Limits;
use crate::log::Log;
use crate::memory::Memory;
use crate::segment::{Facts, Segment};
use crate::state::{Manifest, State};

const MERGED: usize = 4;

/// Writes a segment if enough postings are in none, and merges segments of similar size.
pub(crate) fn tidy(index: &Index, limits: Limits) -> Result<()> {
    let (postings, tail, end) = {
        let state = index.read();
        (state.memory.size(), state.manifest.tail, state.end)
    };
    if postings < limits.postings && end - tail < limits.tail {
        return Ok(());
    }
    let done = flush(index, limits).and_then(|()| {
        while merge(index, false)? {}
        Ok(())
    });
    // The pages are safe in the log, so an I/O error here is not fatal; the next call tries again.
    match done {
        Err(Error::Io { .. }) => Ok(()),
        other => other,
    }
}

/// Writes everything that is in no segment yet as a segment.
pub(crate) fn flush(index: &Index, limits: Limits) -> Result<()> {
    let folder = index.folder().to_owned();
    let (segment, mut manifest) = {
        let state = index.read();
        let mut manifest = state.manifest.clone();
        let number = manifest.next;
        manifest.next += 1;
        let segment = state.segment(&folder, number)?;
        let end = state.end;
        if let Some(log) = manifest.logs.last_mut() {
            log.1 = end;
        }
        manifest.tail = end;
        (segment, manifest)
    };
    manifest.segments.push(segment.named.clone());
    let mut fresh_log = None;
    if manifest.tail >= limits.log {
        let number = manifest.next;
        manifest.next += 1;
        let log = Log::create(&folder, number)?;
        log.sync()?;
        manifest.logs.push((number, 0));
        manifest.tail = 0;
        fresh_log = Some((number, log));
    }
    sync_folder(&folder)?;
    manifest.write(&folder)?;
    let mut state = index.write();
    if let Some((number, log)) = fresh_log {
        state.logs.insert(number, Arc::new(log));
        state.end = 0;
    }
    let sealed = state.seal(segment, manifest);
    drop(state);
    drop(sealed);
    Ok(())
}

/// Merges all segments, or only the last ones if they are of similar size. False if there was nothing to merge.
pub(crate) fn merge(index: &Index, all: bool) -> Result<bool> {
    let folder = index.folder().to_owned();
    let segments = index.read().segments.clone();
    let tier = |segment: &Arc<Segment>| {
        (segment.named.postings as f64)
            .max(1.0)
            .log(MERGED as f64)
            .round()
    };
    let count = match (all, segments.last()) {
        (true, _) => segments.len(),
        (false, Some(last)) => segments
            .iter()
            .rev()
            .take_while(|s| tier(s) <= tier(last))
            .count(),
        (false, None) => 0,
    };
    if count < if all { 2 } else { MERGED } {
        return Ok(false);
    }
    let old = &segments[segments.len() - count..];
    let (merged, mut manifest) = merged(index, old)?;
    let kept = manifest.segments.len() - count;
    manifest.segments.truncate(kept);
    manifest.segments.push(merged.named.clone());
    sync_folder(&folder)?;
    manifest.write(&folder)?;
    {
        let mut state = index.write();
        state.segments.truncate(kept);
        state.segments.push(Arc::new(merged));
        state.manifest = manifest;
    }
    for segment in old {
        remove(&segment.path)?;
    }
    Ok(true)
}

fn merged(index: &Index, old: &[Arc<Segment>]) -> Result<(Segment, Manifest)> {
    let mut manifest = index.read().manifest.clone();
    let mut facts = Facts::default();
    for segment in old {
        let Facts {
            rows, links, gone, ..
        } = segment.facts()?;
        facts.rows.extend(rows);
        if segment.named.number >= manifest.links_from {
            facts.links.extend(links);
        }
        facts.gone.extend(gone);
    }
    let range = |ends: &[Arc<Segment>]| -> Range<u32> {
        let start = ends.first().map_or(0, |segment| segment.named.pages.start);
        start..ends.last().map_or(0, |segment| segment.named.pages.end)
    };
    facts.scopes = index.read().pages.scopes(range(old)).to_vec();
    let is_gone: Vec<bool> = {
        let state = index.read();
        (0..state.pages.len() as u32)
            .map(|page| !state.pages.is_live(page))
            .collect()
    };
    let postings = Merge::of(old)?.filter(|posting| match posting {
        Ok((_, page)) => !is_gone[*page as usize],
        Err(_) => true,
    });
    let number = manifest.next;
    manifest.next += 1;
    let segment = Segment::write(index.folder(), number, range(old), postings, &facts)?;
    Ok((segment, manifest))
}

impl State {
    /// Writes the postings and rows in memory as a segment.
    pub(crate) fn segment(&self, folder: &Path, number: u32) -> Result<Segment> {
        self.segment_with(folder, number, self.links.clone())
    }

    /// As `segment`, with these links.
    pub(crate) fn segment_with(
        &self,
        folder: &Path,
        number: u32,
        links: Vec<(u32, u32)>,
    ) -> Result<Segment> {
        let pages = self.fresh..self.visible;
        let facts = Facts {
            rows: self.pages.rows(pages.clone()).to_vec(),
            links,
            gone: self.gone.clone(),
            scopes: self.pages.scopes(pages.clone()).to_vec(),
        };
        let postings = self.memory.sorted();
        Segment::write(folder, number, pages, postings.into_iter().map(Ok), &facts)
    }

    /// Replaces the data in memory by the segment that holds it. Returns the old data, so that the caller can free it without blocking
    /// readers.
    #[must_use]
    pub(crate) fn seal(&mut self, segment: Segment, manifest: Manifest) -> Memory {
        self.fresh = segment.named.pages.end;
        self.segments.push(Arc::new(segment));
        self.links.clear();
        self.gone.clear();
        self.manifest = manifest;
        std::mem::take(&mut self.memory)
    }
}

struct Merge<I: Iterator> {
    parts: Vec<std::iter::Peekable<I>>,
}

impl<'a> Merge<Box<dyn Iterator<Item = Result<(u64, u32)>> + 'a>> {
    fn of(segments: &'a [Arc<Segment>]) -> Result<Self> {
        let part = |segment: &'a Arc<Segment>| -> Box<dyn Iterator<Item = _> + 'a> {
            Box::new(segment.postings())
        };
        let parts = segments.iter().map(|segment| part(segment).peekable());
        Ok(Merge {
            parts: parts.collect(),
        })
    }
}

impl<I: Iterator<Item = Result<(u64, u32)>>> Iterator for Merge<I> {
    type Item = Result<(u64, u32)>;

    fn next(&mut self) -> Option<Self::Item> {
        // With so few segments, a linear scan is as fast as a heap.
        let mut least: Option<(usize, (u64, u32))> = None;
        for (at, part) in self.parts.iter_mut().enumerate() {
            match part.peek() {
                Some(Err(_)) => return part.next(),
                Some(Ok(posting)) if least.is_none_or(|(_, other)| *posting < other) => {
                    least = Some((at, *posting));
                }
                _ => {}
            }
        }
        least.and_then(|(at, _)| self.parts[at].next())
    }
}
