//! Which pages of the index repeat a page.
//!
//! The keys of a sketch are looked up, the rarest first and common ones last, and pages that have as many of them as the method's bounds
//! want are candidates. How many postings are read is bounded: keys that are left out then count as shared, so that a page is left out
//! only if it has none of the rarest keys. Pages that pair filters forbid are left out at once and count nowhere. Candidates are judged by their sketches, and where that leaves a doubt, by texts,
//! the most similar first.

use std::sync::Arc;

use retold::internal::StoryGraph;
use retold::method::{Sketch, Trace};
use retold::{Judgement, Model, Rank, Relation, Result, Scope, Verdict};
use rustc_hash::FxHashMap;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_128;

use crate::index::{Index, Prepared, unknown};
use crate::judge::Judge;
use crate::record::Entry;
use crate::state::{State, text_key};
use crate::status::Status;

/// Matches of a page that are asked for where nobody says how many: by every command, service and binding.
pub const MATCHES: usize = 20;

/// Postings that a query reads at the most, with and without a limit, of pages that pair filters allow,
pub(crate) const WORK: [usize; 2] = [1 << 14, MOST];
/// and of all.
const MOST: usize = 1 << 20;
/// Candidates of a query without a limit at the most (those of the batch join).
const CANDIDATES: usize = 2000;
/// Candidates for each page that is wanted, and the fewest pages that are wanted.
const EACH: (usize, usize) = (2, 20);
/// With a limit, a query stops after so many candidates in a row that are not related: the rest are less likely.
const MISSES: usize = 16;

/// A page that repeats another.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Match {
    /// The page.
    pub entry: Entry,
    /// What the page that was asked about is to it.
    pub verdict: Verdict,
    pub(crate) page: u32,
    /// The page that stands for its story.
    pub(crate) root: u32,
}

/// A match as it is printed.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct MatchLine {
    /// The id of the match.
    pub id: String,
    /// What the page is to the match.
    pub relation: Relation,
    /// The method's similarity, with six decimals.
    pub similarity: f64,
    /// The smaller size over the larger, with six decimals.
    pub length_ratio: f64,
    /// Keys that both have.
    pub shared: u32,
    /// Words of the page in passages of its own, which the match does not have; 0 if the method does not count them.
    pub own: u32,
    /// Words of the match in passages that the page does not have.
    pub own_match: u32,
    /// Where the match was fetched.
    pub url: Option<String>,
    /// Its date as written.
    pub date: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Its site.
    pub site: Option<String>,
}

/// Makes what verification needs of a text, if the model verifies.
type MakeFingerprint<'a> = dyn Fn(&Judge) -> Result<Option<Arc<[u64]>>> + 'a;

impl Match {
    /// Whether the page repeats it, or the other way round. Pages that only overlap repeat nothing: each says something of its own.
    pub fn repeats(&self) -> bool {
        self.verdict.relation != Relation::Overlaps
    }

    /// The match as it is printed. Numbers are those of `pairs.jsonl`.
    pub fn line(&self) -> MatchLine {
        let pair = retold::Pair::new(Rank(0), Rank(1), &self.verdict);
        // As they are written there: 24 binary digits times a million is exact.
        let rounded = |value: f32| (f64::from(value) * 1e6).round_ties_even() / 1e6;
        MatchLine {
            id: self.entry.id.clone(),
            relation: self.verdict.relation,
            similarity: rounded(pair.similarity),
            length_ratio: rounded(pair.length_ratio),
            shared: self.verdict.shared,
            own: self.verdict.own_a,
            own_match: self.verdict.own_b,
            url: self.entry.url.clone(),
            date: self.entry.date.clone(),
            title: self.entry.title.clone(),
            site: self.entry.sketch.site.clone(),
        }
    }
}

/// Which pages a query sees.
pub(crate) struct View<'a> {
    /// Those below this number,
    pub(crate) before: u32,
    /// but not this one,
    pub(crate) but: Option<u32>,
    /// nor those that went before.
    pub(crate) is_gone: &'a (dyn Fn(u32) -> bool + Sync),
}

/// A page that may be related.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    page: u32,
    root: u32,
    /// Thousandths of the smaller page's keys that were seen to be shared: of those that are not common, and of all.
    share: (u32, u32),
    /// It has about as many keys as the page that was asked about, and so may be its duplicate.
    is_near: bool,
}

impl Candidate {
    /// The page of these hits; `sizes`: the number of keys of the page that was asked about, and of this one.
    fn of(hits: &[Hit], sizes: (usize, usize), graph: &StoryGraph) -> Candidate {
        let rare = hits.iter().filter(|hit| !hit.is_common()).count();
        let share = |hits: usize| (hits * 1000 / sizes.0.min(sizes.1).max(1)) as u32;
        let page = hits[0].page();
        Candidate {
            page,
            root: graph.root(page),
            share: (share(rare), share(hits.len())),
            is_near: is_near(sizes.0, sizes.1),
        }
    }
}

/// Whether one number of keys is at least half of the other.
fn is_near(a: usize, b: usize) -> bool {
    2 * a.min(b) >= a.max(b)
}

/// What was seen of a story.
#[derive(Clone, Copy, Default)]
struct Seen {
    pages: usize,
    /// Pages with about as many keys.
    near: usize,
    /// One of them is a duplicate: the page is of that story.
    duplicate: bool,
}

impl Seen {
    /// Pages of one story that are near at the most, once there are enough pages.
    const NEAR: usize = 3;

    fn add(&mut self, is_near: bool) {
        self.pages += 1;
        self.near += usize::from(is_near);
    }

    /// Whether one more page of the story is wanted though there are enough pages: while no duplicate is known, another one if none was seen,
    /// and a few that may be one.
    fn wants(self, is_near: bool) -> bool {
        let few = self.pages == 0 || is_near && self.near < Seen::NEAR;
        few && !self.duplicate
    }
}

impl Index {
    /// The pages that repeat a page, best first: of equal similarity, by id. At most `limit`, if there is one. A page of the
    /// same id is left out. Beside them, what adding the page would make of it.
    ///
    /// Time: bounded by the postings and candidates that it reads: 16,384 and twice the limit, or without one 1,048,576 and
    /// 2,000. Pages that pair filters forbid are no candidates; their postings count only to 1,048,576 with the others.
    pub fn query(&self, page: &Prepared, limit: Option<usize>) -> Result<(Status, Vec<Match>)> {
        let known = self.find(&page.entry.id)?;
        let status = match &known {
            Some((_, entry)) if entry.sketch.text_hash == page.entry.sketch.text_hash => {
                Status::Unchanged
            }
            Some(_) => Status::Replaced,
            None => Status::New,
        };
        let view = View {
            before: self.read().visible,
            but: known.map(|(page, _)| page),
            is_gone: &|_| false,
        };
        let fingerprint = |judge: &Judge| Ok(page.fingerprint(judge));
        let mut matches = self.matches(&self.judge(), &page.entry, &fingerprint, &view, limit)?;
        matches.truncate(limit.unwrap_or(usize::MAX));
        Ok((status, matches))
    }

    /// The pages that repeat the page of an id, as [`Index::query`] has them.
    pub fn matches_of(&self, id: &str, limit: Option<usize>) -> Result<Vec<Match>> {
        let (page, entry) = self.find(id)?.ok_or_else(|| unknown(id))?;
        let view = View {
            before: self.read().visible,
            but: Some(page),
            is_gone: &|_| false,
        };
        let fingerprint = |judge: &Judge| self.fingerprint(judge, page, &entry);
        let mut matches = self.matches(&self.judge(), &entry, &fingerprint, &view, limit)?;
        matches.truncate(limit.unwrap_or(usize::MAX));
        Ok(matches)
    }

    /// What judges.
    pub(crate) fn judge(&self) -> Judge {
        let state = self.read();
        Judge {
            model: state.model.clone(),
            epoch: state.manifest.epoch,
        }
    }

    /// A few more than `limit` if there are some of other stories.
    pub(crate) fn matches(
        &self,
        judge: &Judge,
        page: &Entry,
        fingerprint: &MakeFingerprint<'_>,
        view: &View<'_>,
        limit: Option<usize>,
    ) -> Result<Vec<Match>> {
        if limit == Some(0) {
            return Ok(Vec::new());
        }
        let model = &judge.model;
        let asked = (&page.sketch, &page.scope(model));
        let candidates = candidates((&self.read(), model), asked, view, limit)?;
        let patience = limit.map_or(usize::MAX, |_| MISSES);
        let (mut judged, mut missed, mut looked_at) = (Vec::new(), 0, 0);
        let asked = (&page.sketch, &model.prune(&page.sketch));
        let mut stories: FxHashMap<u32, Seen> = FxHashMap::default();
        for candidate in candidates {
            if missed >= patience {
                break;
            }
            let seen = stories.entry(candidate.root).or_default();
            if looked_at >= wanted(limit) && !seen.wants(candidate.is_near) {
                continue;
            }
            let entry = self.entry_of(candidate.page)?;
            missed += 1;
            looked_at += 1;
            seen.add(candidate.is_near);
            let (verdict, certain) =
                match model.judge_pruned(asked, &entry.sketch, &mut Trace::off()) {
                    Judgement::No => continue,
                    Judgement::Yes(verdict) => (verdict, true),
                    Judgement::NeedsVerification(verdict) => (verdict, false),
                };
            missed = 0;
            let found = Match {
                entry,
                verdict,
                page: candidate.page,
                root: candidate.root,
            };
            judged.push((certain, found));
        }
        let by_likeness = |a: &Match, b: &Match| {
            let likeness = b.verdict.similarity.total_cmp(&a.verdict.similarity);
            likeness.then_with(|| a.entry.id.cmp(&b.entry.id))
        };
        // What is to be verified is tried as it stands, those that share most rare keys first: a notice that both have makes others look alike.
        if judged.iter().all(|(certain, _)| *certain) {
            judged.sort_by(|(_, a), (_, b)| by_likeness(a, b));
        }
        let size = page.sketch.keys.len();
        let mut matches = self.verified(judged, (judge, size), fingerprint, limit)?;
        matches.sort_by(by_likeness);
        Ok(matches)
    }

    /// Verifies on texts what sketches relate. Once there are enough matches, only pages of stories are tried to which the page is not yet
    /// known to belong; and few more texts are read than matches are wanted.
    fn verified(
        &self,
        judged: Vec<(bool, Match)>,
        (judge, size): (&Judge, usize),
        fingerprint: &MakeFingerprint<'_>,
        limit: Option<usize>,
    ) -> Result<Vec<Match>> {
        let most = limit.unwrap_or(usize::MAX);
        let tries = most.saturating_mul(EACH.0).max(EACH.1);
        let patience = limit.map_or(usize::MAX, |_| MISSES);
        let (mut matches, mut tried, mut missed) = (Vec::new(), 0, 0);
        let own = match judged.iter().any(|(certain, _)| !certain) {
            true => fingerprint(judge)?,
            false => None,
        };
        let verifier = judge.model.verifier().zip(own.as_deref());
        let mut asking = verifier.map(|(verifier, own)| verifier.against(own));
        let mut stories: FxHashMap<u32, Seen> = FxHashMap::default();
        for (certain, mut found) in judged {
            let is_near = is_near(size, found.entry.sketch.keys.len());
            let seen = stories.entry(found.root).or_default();
            let is_wanted = matches.len() < most || seen.wants(is_near);
            if !is_wanted || (!certain && (tried >= tries || missed >= patience)) {
                continue;
            }
            if !certain {
                tried += 1;
                missed += 1;
                let other = self.fingerprint(judge, found.page, &found.entry)?;
                let verdict = asking.as_mut().zip(other).map(|(ask, other)| ask(&other));
                match verdict.flatten() {
                    Some(verdict) => found.verdict = verdict,
                    None => continue,
                }
            }
            missed = 0;
            // A page that only overlaps leaves open whether the page is of that story.
            if found.repeats() {
                seen.add(is_near);
            }
            seen.duplicate |= found.verdict.relation == Relation::Duplicate;
            matches.push(found);
        }
        Ok(matches)
    }

    /// What a page is to another.
    pub(crate) fn verdict(
        &self,
        judge: &Judge,
        (page, entry): (u32, &Entry),
        (other, other_entry): (u32, &Entry),
    ) -> Result<Option<Verdict>> {
        let model = &judge.model;
        let asked = (&entry.sketch, &model.prune(&entry.sketch));
        Ok(
            match model.judge_pruned(asked, &other_entry.sketch, &mut Trace::off()) {
                Judgement::No => None,
                Judgement::Yes(verdict) => Some(verdict),
                Judgement::NeedsVerification(_) => {
                    let own = self.fingerprint(judge, page, entry)?;
                    let other = self.fingerprint(judge, other, other_entry)?;
                    let verifier = model.verifier().zip(own).zip(other);
                    verifier.and_then(|((verifier, own), other)| verifier.against(&own)(&other))
                }
            },
        )
    }

    /// The pages that pair filters and sketches do not rule out as related to a page of which this was [seen](Model::seen), with that
    /// date in seconds since 1970.
    pub(crate) fn related(
        &self,
        sketch: &Sketch,
        (seen, date): (&[u64], Option<i64>),
    ) -> Result<Vec<u32>> {
        let (candidates, model) = {
            let state = self.read();
            let view = View {
                before: state.visible,
                but: None,
                is_gone: &|_| false,
            };
            let model = state.model.clone();
            let asked = (sketch, &model.scope(seen, date));
            (candidates((&state, &model), asked, &view, None)?, model)
        };
        let mut related = Vec::new();
        for Candidate { page, .. } in candidates {
            if model.judge(sketch, &self.entry_of(page)?.sketch) != Judgement::No {
                related.push(page);
            }
        }
        Ok(related)
    }

    pub(crate) fn entry_of(&self, page: u32) -> Result<Entry> {
        let (row, log) = {
            let state = self.read();
            let row = state
                .pages
                .row(page)
                .ok_or_else(|| crate::state::no_page(page))?;
            (*row, state.log_of(row.log)?)
        };
        Entry::from_bytes(&log.first(row.at, row.lengths.0)?, &log.path)
    }

    /// The fingerprint of a page's text, from memory if it was wanted before; `None` if texts are not kept.
    pub(crate) fn fingerprint(
        &self,
        judge: &Judge,
        page: u32,
        entry: &Entry,
    ) -> Result<Option<Arc<[u64]>>> {
        let Some(verifier) = judge.model.verifier() else {
            return Ok(None);
        };
        let key = (judge.epoch, xxh3_128(&entry.to_bytes()));
        if let Some(fingerprint) = self.fingerprints.get(&key) {
            return Ok(Some(fingerprint));
        }
        let fingerprint: Option<Arc<[u64]>> = self
            .text_of(page)?
            .map(|text| verifier.fingerprint(&text).into());
        if let Some(fingerprint) = &fingerprint {
            self.fingerprints.insert(key, Arc::clone(fingerprint));
        }
        Ok(fingerprint)
    }
}

/// How many pages are looked at for so many matches.
fn wanted(limit: Option<usize>) -> usize {
    limit.map_or(CANDIDATES, |limit| {
        CANDIDATES.min(EACH.0 * limit.max(EACH.1))
    })
}

/// The pages that may be related to a page of that sketch in which pair filters see `scope`, those that share most first.
fn candidates(
    (state, model): (&State, &Model),
    (sketch, scope): (&Sketch, &Scope),
    view: &View<'_>,
    limit: Option<usize>,
) -> Result<Vec<Candidate>> {
    let is_seen =
        |page: u32| state.pages.is_live(page) && Some(page) != view.but && !(view.is_gone)(page);
    let most = wanted(limit);
    let mut copies = Vec::new();
    if let Some(text) = sketch.text_hash.filter(|_| model.config().exact) {
        let mut read = 0;
        state.each_page(text_key(text), view.before, |page| {
            if is_seen(page) && !state.forbids(scope, page) {
                copies.push(page);
            }
            read += 1;
            copies.len() < most && read < MOST
        })?;
    }
    let site = sketch.site.as_deref();
    let keys = sketch.keys.iter().copied();
    let keys: Vec<u64> = keys.filter(|&key| !model.deletes(key, site)).collect();
    let work = WORK[usize::from(limit.is_none())];
    let (hits, skipped) = hits((state, model), (&keys, scope), (view.before, work))?;
    // What is deleted from other sketches is not known without reading them.
    let deletes = model
        .knowledge()
        .is_some_and(|known| !known.deletes_nothing());
    let size = model.size(&keys);
    let bounds: Vec<_> = (0..=size).map(|small| model.bounds(small)).collect();
    let mut found: Vec<Candidate> = Vec::new();
    for run in hits.chunk_by(|a, b| a.page() == b.page()) {
        let (page, hits) = (run[0].page(), run.len());
        let other = state.pages.keys(page);
        let small = size.min(model.least_size(other));
        let large = size.max(model.least_size(other));
        let within = hits + skipped >= bounds[small].overlap && large <= bounds[small].reach;
        if (deletes || within) && is_seen(page) {
            found.push(Candidate::of(run, (keys.len(), other), &state.pages.graph));
        }
    }
    copies.sort_unstable();
    found.retain(|candidate| copies.binary_search(&candidate.page).is_err());
    let share = (1000, 1000);
    found.extend(copies.into_iter().map(|page| Candidate {
        page,
        root: state.pages.graph.root(page),
        share,
        is_near: true,
    }));
    found.sort_unstable_by_key(|candidate| (std::cmp::Reverse(candidate.share), candidate.page));
    keep_best(&mut found, most);
    Ok(found)
}

/// Keeps the first, the most similar ones, and behind them a few more of each story that they may leave open.
fn keep_best(found: &mut Vec<Candidate>, most: usize) {
    if found.len() <= most {
        return;
    }
    let mut stories: FxHashMap<u32, Seen> = FxHashMap::default();
    let mut kept = 0;
    found.retain(|found| {
        let seen = stories.entry(found.root).or_default();
        let is_kept = kept < most || (kept < 2 * most && seen.wants(found.is_near));
        if is_kept {
            kept += 1;
            seen.add(found.is_near);
        }
        is_kept
    });
}

/// A page has a key: its number, and whether the key is common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Hit(u64);

impl Hit {
    fn new(page: u32, is_common: bool) -> Hit {
        Hit(u64::from(page) << 1 | u64::from(is_common))
    }

    fn page(self) -> u32 {
        (self.0 >> 1) as u32
    }

    fn is_common(self) -> bool {
        self.0 & 1 == 1
    }
}

/// What [`each_hit`] hands over, ascending, and what it returns.
fn hits(
    by: (&State, &Model),
    asked: (&[u64], &Scope),
    limits: (u32, usize),
) -> Result<(Vec<Hit>, usize)> {
    let mut hits = Vec::new();
    let skipped = each_hit(by, asked, limits, |page, _, is_common| {
        hits.push(Hit::new(page, is_common));
    })?;
    hits.sort_unstable();
    Ok((hits, skipped))
}

/// Hands each page below `before` that has one of these keys to `take`, as often as it has one, with the place of the key and whether it is
/// common; those with which pair filters forbid to compare a page in which they see `scope` are left out. Returns how many keys were not
/// looked up to their end, because that would be more than `work` pages, or too many to be read.
pub(crate) fn each_hit(
    (state, model): (&State, &Model),
    (keys, scope): (&[u64], &Scope),
    (before, work): (u32, usize),
    mut take: impl FnMut(u32, usize, bool),
) -> Result<usize> {
    // Common keys last: they are evidence only beside others, and by far the longest lists.
    let keys = keys.iter().enumerate();
    let mut lists: Vec<(bool, usize, u64, usize)> = keys
        .map(|(at, &key)| (model.is_common(key), state.guess(key), key, at))
        .collect();
    lists.sort_unstable();
    let (mut done, mut read, mut skipped) = (0, 0, 0);
    for (is_common, _, key, at) in lists {
        if done >= work || read >= MOST {
            skipped += 1;
            continue;
        }
        state.each_page(key, before, |page| {
            read += 1;
            if !state.forbids(scope, page) {
                take(page, at, is_common);
                done += 1;
            }
            done < work && read < MOST
        })?;
        skipped += usize::from(done >= work || read >= MOST);
    }
    Ok(skipped)
}
