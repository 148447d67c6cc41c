//! Verification: the estimate that sketches give for a pair is checked on the full fingerprints of its texts.

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
use crate::relation::Verdict;
use crate::spill::Row;

/// Pairs that are verified one after the other.
const CHUNK: usize = 64;

/// The part of the memory left that holds fingerprints which are read often.
const READ_OFTEN: u64 = 2;

/// The most similar candidates of a group are verified first; if none of this number holds, the rest is not verified.
const HOPELESS: usize = 16;

/// So many times that number are verified if some merely overlap.
const IDLE: u32 = 4;

/// Number of verdicts verified, and of those rejected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// Pairs of different texts that were verified.
    pub checked: u64,
    /// Those rejected by that.
    pub refuted: u64,
}

/// Verifies verdicts of sketches, if the model wants that, and notes whose fingerprints that takes.
pub(crate) struct Verification<'a> {
    judge: SketchJudge<'a>,
    fingerprints: Fingerprints,
    /// Group -> whether the fingerprint of its text is needed.
    is_needed: Vec<AtomicBool>,
    checked: AtomicU64,
    refuted: AtomicU64,
}

impl<'a> Verification<'a> {
    /// Nothing is needed yet. What an interrupted run has made is taken up.
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
        })
    }

    /// The fingerprints of these pairs will be needed.
    pub(crate) fn need(&self, pairs: &[Pair]) {
        let pairs = pairs.iter().filter(|pair| self.needs_verification(pair));
        for page in pairs.flat_map(|pair| [pair.a, pair.b]) {
            self.need_text(self.judge.groups.of(page));
        }
    }

    /// The fingerprint of a group's text will be needed.
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

    /// The texts of these groups may be needed; those that have a partial fingerprint need not be made ready for that.
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

    /// Makes what is needed.
    ///
    /// Errors: those of [`TextSource::each`], and a temporary file that cannot be written.
    pub(crate) fn prepare(&mut self, texts: &dyn TextSource) -> Result<()> {
        self.checked = AtomicU64::default();
        self.refuted = AtomicU64::default();
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
        // Those of large families are needed by all others of them.
        self.fingerprints.read_often(READ_OFTEN);
        Ok(())
    }

    /// A page of each text that is needed, ascending; then none is needed any more.
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

    /// A batch: for each pair, as sketches see it, the verdict that counts; none where a fingerprint has not been made, which then
    /// is needed.
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

    /// The text that most of the first of these pairs have in common, and how many pairs that is; pairs of one group follow each other.
    fn longest_run(&self, pairs: &[Pair]) -> (GroupNo, usize) {
        let [a, b] = self.texts(&pairs[0]);
        let run = |text: GroupNo| {
            let of_text = |pair: &&Pair| self.texts(pair).contains(&text);
            (text, pairs.iter().take_while(of_text).count())
        };
        let (with_a, with_b) = (run(a), run(b));
        if with_b.1 > with_a.1 { with_b } else { with_a }
    }

    /// How many verdicts were verified since the fingerprints were made.
    pub(crate) fn verified(&self) -> Verified {
        Verified {
            checked: self.checked.load(Ordering::Relaxed),
            refuted: self.refuted.load(Ordering::Relaxed),
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
        // Fingerprints are at random places in memory, so they are fetched together.
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

    /// How many words over the limit the text of a group has in passages that all these others together do not have; `None` if the method
    /// does not know, or if a fingerprint has not been made, which then is needed.
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

    /// The texts of a pair, each named by a group.
    fn texts(&self, pair: &Pair) -> [GroupNo; 2] {
        let groups = self.judge.groups;
        [pair.a, pair.b].map(|page| groups.first_of_text(groups.of(page)))
    }

    /// The full fingerprint of a text; if it was not expected to be needed, made from the partial one, if there is one.
    fn fingerprint(&self, text: GroupNo, verifier: &dyn Verifier) -> Option<Row<'_, u64>> {
        let of_partial = || {
            self.fingerprints
                .of_page(self.partial_page(text)?, verifier)
        };
        self.fingerprints.get(text, verifier).or_else(of_partial)
    }

    /// The page whose partial fingerprint counts for a text.
    fn partial_page(&self, text: GroupNo) -> Option<PageNo> {
        let groups = self.judge.groups;
        let of_text = (text.0..groups.len() as u32).map(GroupNo);
        let of_text = of_text.take_while(|&group| groups.first_of_text(group) == text);
        page_of(self.judge, &of_text.collect::<Vec<GroupNo>>())
    }

    /// Those of a group's candidates that hold: the most similar are verified first, until [`HOPELESS`] fail together, or [`IDLE`] times as many
    /// do nothing but overlap.
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

/// Pages of one text may differ in what is main text: the one of the smallest id counts, whatever the order of reading.
fn page_of(judge: SketchJudge<'_>, groups_of_text: &[GroupNo]) -> Option<PageNo> {
    let members = |&group: &GroupNo| judge.groups.members(group);
    let first = groups_of_text.iter().flat_map(members).min()?;
    Some(judge.context.by_id[first.at()])
}
