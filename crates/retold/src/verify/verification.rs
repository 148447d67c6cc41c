//! Verification: checks the estimate of sketches for a pair on the full fingerprints of its texts.

use std::cmp::Reverse;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;

use super::best_first::BestFirst;
use super::fingerprints::Fingerprints;
use super::partials::PartialFingerprints;
use super::texts::TextSource;
use crate::cluster::Pair;
use crate::dedup::context::ranks;
use crate::dedup::sketch_judge::SketchJudge;
use crate::error::Result;
use crate::ids::{GroupNo, PageNo};
use crate::method::Verifier;
use crate::relation::{Relation, Verdict};
use crate::spill::Row;

/// How many pairs are verified sequentially.
const CHUNK: usize = 64;

/// One in this many parts of the memory left is for fingerprints that are read often.
const READ_OFTEN: u64 = 2;

/// The candidates of a group are verified in batches of this size, most similar first. If all of a batch fail, the rest is skipped.
const HOPELESS: usize = 16;

/// Pairs of this estimated similarity are always verified.
const SIMILAR: f32 = 0.7;

/// The rest is also skipped after this many batches in a row in which pairs only overlap.
const IDLE: u32 = 4;

/// Counts of verified and of rejected verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// Verified pairs of different texts.
    pub checked: u64,
    /// Pairs that verification rejected.
    pub refuted: u64,
    /// Pairs that can only overlap, not verified because a page has many others.
    pub unchecked: u64,
}

/// Verifies verdicts of sketches if the model wants that, and notes which fingerprints are needed.
pub(crate) struct Verification<'a> {
    judge: SketchJudge<'a>,
    fingerprints: Fingerprints,
    /// For each group whether the fingerprint of its text is needed.
    is_needed: Vec<AtomicBool>,
    checked: AtomicU64,
    refuted: AtomicU64,
    unchecked: AtomicU64,
}

impl<'a> Verification<'a> {
    /// Starts without needed fingerprints, but loads those made by an interrupted run.
    ///
    /// Errors: a file cannot be written.
    pub(crate) fn new(
        judge: SketchJudge<'a>,
        partial: PartialFingerprints,
    ) -> Result<Verification<'a>> {
        let groups = match judge.context.model.verifier() {
            Some(_) => judge.groups.len(),
            None => 0,
        };
        Ok(Verification {
            judge,
            fingerprints: Fingerprints::new(groups, partial, judge.context.resume)?,
            is_needed: (0..groups).map(|_| AtomicBool::default()).collect(),
            checked: AtomicU64::default(),
            refuted: AtomicU64::default(),
            unchecked: AtomicU64::default(),
        })
    }

    pub(crate) fn need(&self, pairs: &[Pair]) {
        let pairs = pairs.iter().filter(|pair| self.needs_verification(pair));
        for page in pairs.flat_map(|pair| [pair.a, pair.b]) {
            self.need_text(self.judge.groups.of(page));
        }
    }

    fn need_text(&self, group: GroupNo) {
        let groups = self.judge.groups;
        let page = groups.first(group);
        if !self.is_needed[group.at()].load(Ordering::Relaxed)
            && !self.fingerprints.has(groups.first_of_text(group))
            && self.judge.context.page(page).text_hash.is_some()
        {
            self.is_needed[group.at()].store(true, Ordering::Relaxed);
        }
    }

    /// Notes that the texts of these groups may be needed; those with a partial fingerprint need no preparation.
    pub(crate) fn need_texts(&self, groups: &[GroupNo]) {
        groups.par_iter().for_each(|&group| {
            let text = self.judge.groups.first_of_text(group);
            if self
                .partial_page(text)
                .is_none_or(|page| !self.fingerprints.has_partial(page))
            {
                self.need_text(group);
            }
        });
    }

    /// Makes the needed fingerprints.
    ///
    /// Errors: those of [`TextSource::each`], and a temporary file that cannot be written.
    pub(crate) fn prepare(&mut self, texts: &dyn TextSource) -> Result<()> {
        self.checked = AtomicU64::default();
        self.refuted = AtomicU64::default();
        self.unchecked = AtomicU64::default();
        let pages = self.needed_pages();
        let context = self.judge.context;
        let Some(verifier) = context.model.verifier().filter(|_| !pages.is_empty()) else {
            return Ok(());
        };
        let groups = self.judge.groups;
        let rank_of = ranks(context.by_id);
        let text = |page: PageNo| groups.first_of_text(groups.of(rank_of[page.at()]));
        self.fingerprints
            .add(verifier, texts, &pages, text, context.watch)?;
        // Fingerprints of large families are needed by all other members.
        self.fingerprints.read_often(READ_OFTEN);
        Ok(())
    }

    /// A page of each needed text, ascending; clears the needs.
    fn needed_pages(&mut self) -> Vec<PageNo> {
        let groups = self.judge.groups;
        let same_text =
            |a: &GroupNo, b: &GroupNo| groups.first_of_text(*a) == groups.first_of_text(*b);
        let all: Vec<GroupNo> = GroupNo::first(self.is_needed.len()).collect();
        let mut pages = Vec::new();
        for of_text in all.chunk_by(same_text) {
            let mut is_needed = false;
            for group in of_text {
                is_needed |= std::mem::take(self.is_needed[group.at()].get_mut());
            }
            pages.extend(page_of(self.judge, of_text).filter(|_| is_needed));
        }
        pages.par_sort_unstable();
        pages
    }

    /// Verifies a batch of pairs as related by sketches. The result is `None` for a rejected pair, and for one without a fingerprint, which
    /// is then noted as needed.
    pub(crate) fn verify(&self, pairs: &[Pair]) -> Vec<Option<Pair>> {
        let Some(verifier) = self.judge.context.model.verifier() else {
            return pairs.iter().copied().map(Some).collect();
        };
        let chunks = pairs.par_chunks(CHUNK);
        let verdicts = chunks.flat_map_iter(|mut pairs| {
            let mut verdicts = Vec::with_capacity(pairs.len());
            while !pairs.is_empty() {
                let (text, count) = self.longest_run(pairs);
                self.verify_run(verifier, text, &pairs[..count], &mut verdicts);
                pairs = &pairs[count..];
            }
            verdicts
        });
        verdicts.collect()
    }

    /// The text that most of the leading pairs have in common, and the number of these pairs; pairs of one group are consecutive.
    fn longest_run(&self, pairs: &[Pair]) -> (GroupNo, usize) {
        let [a, b] = self.texts(&pairs[0]);
        let run = |text: GroupNo| {
            let of_text = |pair: &&Pair| self.texts(pair).contains(&text);
            (text, pairs.iter().take_while(of_text).count())
        };
        let (with_a, with_b) = (run(a), run(b));
        if with_b.1 > with_a.1 { with_b } else { with_a }
    }

    /// The counts since the fingerprints were made.
    pub(crate) fn verified(&self) -> Verified {
        Verified {
            checked: self.checked.load(Ordering::Relaxed),
            refuted: self.refuted.load(Ordering::Relaxed),
            unchecked: self.unchecked.load(Ordering::Relaxed),
        }
    }

    fn needs_verification(&self, pair: &Pair) -> bool {
        let groups = self.judge.groups;
        let [a, b] = [pair.a, pair.b].map(|page| groups.of(page));
        self.judge.context.model.verifier().is_some() && !groups.are_copies(a, b)
    }

    /// The verdicts on pairs that all have the text `text`.
    fn verify_run(
        &self,
        verifier: &dyn Verifier,
        text: GroupNo,
        pairs: &[Pair],
        verdicts: &mut Vec<Option<Pair>>,
    ) {
        let is_asked = pairs.iter().any(|pair| self.needs_verification(pair));
        let own = is_asked.then(|| self.fingerprint(text, verifier)).flatten();
        let mut against_own = own.as_deref().map(|own| verifier.against(own));
        // Fingerprints are scattered in memory, so they are fetched together.
        let others = pairs.iter().map(|pair| {
            let [a, b] = self.texts(pair);
            let other = if a == text { b } else { a };
            let fetch = || self.fingerprint(other, verifier);
            self.needs_verification(pair).then(fetch).flatten()
        });
        let others: Vec<Option<Row<'_, u64>>> = others.collect();
        let touched = others.iter().flatten();
        black_box(touched.filter(|row| row.is_empty() || row[0] > 0).count());
        verdicts.extend(pairs.iter().zip(others).map(|(pair, other)| {
            if !self.needs_verification(pair) {
                return Some(*pair);
            }
            let (Some(verify), Some(other)) = (&mut against_own, other) else {
                self.need(std::slice::from_ref(pair));
                return None;
            };
            self.checked.fetch_add(1, Ordering::Relaxed);
            let verdict = verify(&other);
            if verdict.is_none() {
                self.refuted.fetch_add(1, Ordering::Relaxed);
            }
            let verdict = match self.texts(pair)[0] == text {
                true => verdict,
                false => verdict.map(Verdict::swapped),
            };
            verdict.map(|verdict| Pair::new(pair.a, pair.b, &verdict))
        }));
    }

    /// How many words above the limit the group's text has in passages that none of these others has. `None` if the method does not know,
    /// or if a fingerprint is missing, which is then noted as needed.
    pub(crate) fn own_against(&self, group: GroupNo, others: &[GroupNo]) -> Option<u32> {
        let verifier = self.judge.context.model.verifier()?;
        let full = |&group: &GroupNo| {
            let full = self.fingerprint(self.judge.groups.first_of_text(group), verifier);
            if full.is_none() {
                self.need_text(group);
            }
            full
        };
        let of_others: Vec<Row<'_, u64>> = others.iter().filter_map(full).collect();
        let own = full(&group).filter(|_| of_others.len() == others.len())?;
        let of_others: Vec<&[u64]> = of_others.iter().map(|row| &**row).collect();
        verifier.own_against(&own, &of_others)
    }

    fn texts(&self, pair: &Pair) -> [GroupNo; 2] {
        let groups = self.judge.groups;
        [pair.a, pair.b].map(|page| groups.first_of_text(groups.of(page)))
    }

    /// The full fingerprint of a text, completed from the partial one if it was not prepared.
    fn fingerprint(&self, text: GroupNo, verifier: &dyn Verifier) -> Option<Row<'_, u64>> {
        let of_partial = || {
            self.fingerprints
                .of_page(self.partial_page(text)?, verifier)
        };
        self.fingerprints.get(text, verifier).or_else(of_partial)
    }

    /// The fingerprint of a text, full or partial.
    fn any_fingerprint(&self, text: GroupNo) -> Option<Row<'_, u64>> {
        let of_page = || self.fingerprints.any_of_page(self.partial_page(text)?);
        self.fingerprints.any(text).or_else(of_page)
    }

    /// The page whose partial fingerprint represents a text.
    fn partial_page(&self, text: GroupNo) -> Option<PageNo> {
        let groups = self.judge.groups;
        let of_text = (text.0..groups.len() as u32).map(GroupNo);
        let of_text = of_text.take_while(|&group| groups.first_of_text(group) == text);
        page_of(self.judge, &of_text.collect::<Vec<GroupNo>>())
    }

    /// Leaves of the pairs of one group the [`HOPELESS`] most similar ones and those that may connect. Pages that share a paragraph with
    /// hundreds of others would otherwise be compared with all of them, to find pairs that only overlap and are not even listed.
    pub(crate) fn leave_worthwhile(&self, group: GroupNo, pairs: &mut Vec<Pair>) {
        let model = self.judge.context.model;
        let drop = model.config().drop;
        let is_asked = pairs.len() > HOPELESS && !drop.connects(Relation::Overlaps);
        let Some(verifier) = model.verifier().filter(|_| is_asked) else {
            return;
        };
        pairs.sort_by_key(|pair| Reverse(pair.similarity.to_bits()));
        let text = self.judge.groups.first_of_text(group);
        let own = self.any_fingerprint(text);
        let may_connect = |pair: &Pair| {
            let [a, b] = self.texts(pair);
            let other = self.any_fingerprint(if a == text { b } else { a });
            let texts = own.as_deref().zip(other.as_deref());
            texts.is_none_or(|(own, other)| verifier.may_repeat(own, other))
        };
        let (before, mut at) = (pairs.len(), 0);
        pairs.retain(|pair| {
            at += 1;
            at <= HOPELESS
                || pair.similarity >= SIMILAR
                || !self.needs_verification(pair)
                || may_connect(pair)
        });
        let left_out = before - pairs.len();
        self.unchecked.fetch_add(left_out as u64, Ordering::Relaxed);
    }

    /// The candidates of a group that verification accepts. The most similar are verified first, until a batch of [`HOPELESS`] fails, or
    /// [`IDLE`] batches in a row only overlap.
    pub(crate) fn verify_best_first(&self, mut candidates: BestFirst<'_>) -> Vec<Pair> {
        let (mut held, mut idle) = (Vec::new(), 0);
        loop {
            let next: Vec<Pair> = candidates.by_ref().take(HOPELESS).collect();
            let before = held.len();
            held.extend(self.verify(&next).into_iter().flatten());
            let connects = |pair: &Pair| self.judge.context.connects(pair);
            idle = match held[before..].iter().any(connects) {
                true => 0,
                false => idle + 1,
            };
            if held.len() == before || idle == IDLE {
                return held;
            }
        }
    }
}

/// Pages of one text may differ in what is main text; the one with the smallest id counts, whatever the order of reading.
fn page_of(judge: SketchJudge<'_>, groups_of_text: &[GroupNo]) -> Option<PageNo> {
    let members = |&group: &GroupNo| judge.groups.members(group);
    let first = groups_of_text.iter().flat_map(members).min()?;
    Some(judge.context.by_id[first.at()])
}
