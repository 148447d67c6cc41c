//! Finds the pages of the index that repeat a page.
//!
//! The keys of the sketch are looked up, rarest first and common ones last. Pages that share as many keys as the method's bounds require
//! are candidates. The number of postings read is bounded. Keys that are not looked up count as shared, so a page is missed only if it has
//! none of the rarest keys. Pages that pair filters exclude are dropped at once. Candidates are judged by their sketches and, where that is
//! not decisive, by their texts, most similar first.

use std::cmp::{Ordering, Reverse};
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

/// The default number of matches, used by all commands, services and bindings.
pub const MATCHES: usize = 20;

/// Postings of pages that pass pair filters that a query reads at most, with and without a limit.
pub(crate) const WORK: [usize; 2] = [1 << 14, MOST];
/// Postings of all pages that a query reads at most.
const MOST: usize = 1 << 20;
/// Candidates of a query without a limit at most, as in the batch join.
const CANDIDATES: usize = 2000;
/// Candidates for each wanted page, and the minimum number of wanted pages.
const EACH: (usize, usize) = (2, 20);
/// A query with a limit stops after this many unrelated candidates in a row, because later ones are less likely.
const MISSES: usize = 16;

/// A page that repeats another, or is repeated by it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Match {
    /// The page.
    pub entry: Entry,
    /// The relation of the queried page to this one.
    pub verdict: Verdict,
    pub(crate) page: u32,
    pub(crate) root: u32,
}

/// A match as it is printed.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct MatchLine {
    /// Id of the match.
    pub id: String,
    /// Relation of the queried page to the match.
    pub relation: Relation,
    /// Similarity of the method, to six decimals.
    pub similarity: f64,
    /// The smaller size divided by the larger, to six decimals.
    pub length_ratio: f64,
    /// Number of shared keys.
    pub shared: u32,
    /// Words in passages that only the queried page has; 0 if the method does not count them.
    pub own: u32,
    /// Words in passages that only the match has.
    pub own_match: u32,
    /// URL of the match.
    pub url: Option<String>,
    /// Date of the match as written.
    pub date: Option<String>,
    /// Title of the match.
    pub title: Option<String>,
    /// Site of the match.
    pub site: Option<String>,
}

/// Makes the fingerprint that verification needs.
type MakeFingerprint<'a> = dyn Fn(&Judge) -> Result<Option<Arc<[u64]>>> + 'a;

impl Match {
    /// Whether one of the two pages repeats the other. Pages that only overlap do not: each has content of its own.
    pub fn repeats(&self) -> bool {
        self.verdict.relation != Relation::Overlaps
    }

    /// The match as it is printed, with the same numbers as in `pairs.jsonl`.
    pub fn line(&self) -> MatchLine {
        let pair = retold::Pair::new(Rank(0), Rank(1), &self.verdict);
        // As in `pairs.jsonl`. A number of 24 bits times a million is exact in 64 bits.
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

pub(crate) struct View<'a> {
    /// Pages with smaller numbers,
    pub(crate) before: u32,
    /// except this one,
    pub(crate) but: Option<u32>,
    /// and except pages removed before the query.
    pub(crate) is_gone: &'a (dyn Fn(u32) -> bool + Sync),
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    page: u32,
    root: u32,
    /// Thousandths of the smaller page's keys that were seen to be shared: keys that are not common, and all keys.
    share: (u32, u32),
    /// The page has a similar number of keys, so it may be a duplicate.
    is_near: bool,
}

impl Candidate {
    /// Makes a candidate from its hits. `sizes`: the number of keys of the queried page and of the candidate.
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

/// Whether the smaller number of keys is at least half of the larger.
fn is_near(a: usize, b: usize) -> bool {
    2 * a.min(b) >= a.max(b)
}

/// What was seen of a story so far.
#[derive(Clone, Copy, Default)]
struct Seen {
    pages: usize,
    /// Pages with a similar number of keys.
    near: usize,
    /// One of them is a duplicate, so the queried page belongs to the story.
    duplicate: bool,
}

impl Seen {
    /// Near pages of one story that are tried at most, once there are enough pages.
    const NEAR: usize = 3;

    fn add(&mut self, is_near: bool) {
        self.pages += 1;
        self.near += usize::from(is_near);
    }

    /// Whether to try another page of the story although there are enough pages. True while no duplicate is known and either no page was
    /// tried or few near ones were.
    fn wants(self, is_near: bool) -> bool {
        let few = self.pages == 0 || is_near && self.near < Seen::NEAR;
        few && !self.duplicate
    }
}

impl Index {
    /// The pages that repeat a page, best first; equal ones by id. At most `limit`, if given. A page with the same id is left out. Also
    /// returns what adding the page would do.
    ///
    /// Time is bounded by the postings and candidates read: 16,384 and twice the limit, or 1,048,576 and 2,000 without a limit. Pages that
    /// pair filters exclude are no candidates; their postings count only towards the 1,048,576.
    pub fn query(&self, page: &Prepared, limit: Option<usize>) -> Result<(Status, Vec<Match>)> {
        let (known, status, visible) = {
            let state = self.read();
            let own = state.identity(&page.entry);
            let known = state.version_of(&page.entry, own.as_deref(), state.visible, &|_| false)?;
            let status = match &known {
                Some((_, entry)) if entry.sketch.text_hash == page.entry.sketch.text_hash => {
                    Status::Unchanged
                }
                Some((_, entry)) if !state.replaces(&page.entry, entry)? => Status::Older,
                Some(_) => Status::Replaced,
                None => Status::New,
            };
            (known, status, state.visible)
        };
        let view = View {
            before: visible,
            but: known.map(|(page, _)| page),
            is_gone: &|_| false,
        };
        let fingerprint = |judge: &Judge| Ok(page.fingerprint(judge));
        let mut matches = self.matches(&self.judge(), &page.entry, &fingerprint, &view, limit)?;
        matches.truncate(limit.unwrap_or(usize::MAX));
        Ok((status, matches))
    }

    /// The pages that repeat the page with this id, as for [`Index::query`].
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

    pub(crate) fn judge(&self) -> Judge {
        let state = self.read();
        Judge {
            model: state.model.clone(),
            epoch: state.manifest.epoch,
        }
    }

    /// The matches; may be a few more than `limit` if they belong to other stories. Pages that are the same frame are none.
    pub(crate) fn matches(
        &self,
        judge: &Judge,
        page: &Entry,
        fingerprint: &MakeFingerprint<'_>,
        view: &View<'_>,
        limit: Option<usize>,
    ) -> Result<Vec<Match>> {
        let mut matches = self.alike(judge, page, fingerprint, view, limit)?;
        self.without_frames(page, &mut matches)?;
        Ok(matches)
    }

    /// As `matches`, with pages that are the same frame.
    pub(crate) fn alike(
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
        let scope = page.scope(model);
        let candidates = candidates(&self.read(), model, &page.sketch, &scope, view, limit)?;
        let mut judged = self.judged(model, &page.sketch, candidates, limit)?;
        // Try candidates that need verification in their current order, most shared rare keys first: a shared notice makes unrelated pages
        // look alike.
        if judged.iter().all(|(certain, _)| *certain) {
            judged.sort_by(|(_, a), (_, b)| by_likeness(a, b));
        }
        let size = page.sketch.keys.len();
        let mut matches = self.verified(judged, judge, size, fingerprint, limit)?;
        matches.sort_by(by_likeness);
        Ok(matches)
    }

    /// Judges candidates by their sketches, in their order. Returns those that may be related, each with whether that is certain without
    /// the texts.
    fn judged(
        &self,
        model: &Model,
        sketch: &Sketch,
        candidates: Vec<Candidate>,
        limit: Option<usize>,
    ) -> Result<Vec<(bool, Match)>> {
        let patience = limit.map_or(usize::MAX, |_| MISSES);
        let (mut judged, mut missed, mut looked_at) = (Vec::new(), 0, 0);
        let pruned = model.prune(sketch);
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
                match model.judge_pruned(sketch, &pruned, &entry.sketch, &mut Trace::off()) {
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
        Ok(judged)
    }

    /// Verifies candidates by their texts. Once there are enough matches, only tries pages of stories to which the queried page is not yet
    /// known to belong. Reads only a few more texts than there are matches wanted.
    fn verified(
        &self,
        judged: Vec<(bool, Match)>,
        judge: &Judge,
        size: usize,
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
            // After an overlap, it is still open whether the queried page belongs to the story.
            if found.repeats() {
                seen.add(is_near);
            }
            seen.duplicate |= found.verdict.relation == Relation::Duplicate;
            matches.push(found);
        }
        Ok(matches)
    }

    pub(crate) fn verdict(
        &self,
        judge: &Judge,
        page: u32,
        entry: &Entry,
        other: u32,
        other_entry: &Entry,
    ) -> Result<Option<Verdict>> {
        let model = &judge.model;
        let pruned = model.prune(&entry.sketch);
        Ok(
            match model.judge_pruned(
                &entry.sketch,
                &pruned,
                &other_entry.sketch,
                &mut Trace::off(),
            ) {
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

    /// The pages that may be related to a page, according to pair filters and sketches. The page is given by what was [seen](Model::seen)
    /// of it and its date in seconds since 1970.
    pub(crate) fn related(
        &self,
        sketch: &Sketch,
        seen: &[u64],
        date: Option<i64>,
    ) -> Result<Vec<u32>> {
        let (candidates, model) = {
            let state = self.read();
            let view = View {
                before: state.visible,
                but: None,
                is_gone: &|_| false,
            };
            let model = state.model.clone();
            let scope = model.scope(seen, date);
            let candidates = candidates(&state, &model, sketch, &scope, &view, None)?;
            (candidates, model)
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

    /// The fingerprint of a page's text, cached; `None` if the index keeps no texts.
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

/// Orders matches by similarity, the highest first; equal ones by id.
fn by_likeness(a: &Match, b: &Match) -> Ordering {
    let likeness = b.verdict.similarity.total_cmp(&a.verdict.similarity);
    likeness.then_with(|| a.entry.id.cmp(&b.entry.id))
}

/// Number of candidates to look at for this limit.
fn wanted(limit: Option<usize>) -> usize {
    limit.map_or(CANDIDATES, |limit| {
        CANDIDATES.min(EACH.0 * limit.max(EACH.1))
    })
}

/// The candidates for a page with this sketch and pair-filter values, those that share most first.
fn candidates(
    state: &State,
    model: &Model,
    sketch: &Sketch,
    scope: &Scope,
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
    let (hits, skipped) = hits(state, model, &keys, scope, view.before, work)?;
    // Which keys were deleted from other sketches is not known without reading them.
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
    found.sort_unstable_by_key(|candidate| (Reverse(candidate.share), candidate.page));
    keep_best(&mut found, most);
    Ok(found)
}

/// Keeps the `most` most similar candidates, and after them a few more of each story that these may leave open.
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

/// A hit on a page: its number, and whether the key is common.
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

/// The hits of [`each_hit`], ascending, with its return value.
fn hits(
    state: &State,
    model: &Model,
    keys: &[u64],
    scope: &Scope,
    before: u32,
    work: usize,
) -> Result<(Vec<Hit>, usize)> {
    let mut hits = Vec::new();
    let skipped = each_hit(
        state,
        model,
        keys,
        scope,
        before,
        work,
        |page, _, is_common| {
            hits.push(Hit::new(page, is_common));
        },
    )?;
    hits.sort_unstable();
    Ok((hits, skipped))
}

/// Passes each page below `before` to `take`, once for every key that it has, with the position of the key and whether it is common. Leaves
/// out pages that pair filters exclude for a page with the values `scope`. Returns how many keys were not looked up completely, because the
/// limit `work` or the limit on all postings was reached.
pub(crate) fn each_hit(
    state: &State,
    model: &Model,
    keys: &[u64],
    scope: &Scope,
    before: u32,
    work: usize,
    mut take: impl FnMut(u32, usize, bool),
) -> Result<usize> {
    // Common keys last: they count only beside others, and have by far the longest posting lists.
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
