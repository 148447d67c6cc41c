//! Verdicts of sketches, checked on texts.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;

use super::classes::Judge;
use super::order::ranks;
use crate::cluster::Pair;
use crate::collect::Drafts;
use crate::error::Result;
use crate::ids::{ClassNo, PageNo};
use crate::method::Verifier;
use crate::relation::Verdict;
use crate::resume::Resume;
use crate::spill::Row;
use crate::texts::{Proofs, Texts};
use crate::watch::Watch;

/// Pairs that are checked one after the other.
const CHUNK: usize = 64;

/// The part of the memory left that holds proofs which are read often.
const PROOFS: u64 = 2;

/// Number of verdicts checked, and of those rejected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// Pairs of different texts that were checked.
    pub checked: u64,
    /// Those rejected by the check.
    pub refuted: u64,
}

/// Checks verdicts of sketches on texts, if the model wants that, and notes whose texts that takes.
pub(super) struct Verifying<'a> {
    judge: Judge<'a>,
    proofs: Proofs,
    /// Class -> whether the text of its pages is wanted.
    is_wanted: Vec<AtomicBool>,
    /// Whether any is.
    wants_more: AtomicBool,
    checked: AtomicU64,
    refuted: AtomicU64,
}

impl<'a> Verifying<'a> {
    /// Nothing is wanted yet. What an interrupted run has read is taken up.
    ///
    /// Errors: a file cannot be written.
    pub(super) fn new(
        judge: Judge<'a>,
        drafts: Drafts,
        resume: Option<&Resume>,
    ) -> Result<Verifying<'a>> {
        let classes = judge.classes.len();
        let is_used = judge.model.verifier().is_some();
        let classes = if is_used { classes } else { 0 };
        Ok(Verifying {
            judge,
            proofs: Proofs::new(classes, drafts, resume)?,
            is_wanted: (0..classes).map(|_| AtomicBool::default()).collect(),
            wants_more: AtomicBool::default(),
            checked: AtomicU64::default(),
            refuted: AtomicU64::default(),
        })
    }

    /// The texts of these pairs will be wanted.
    pub(super) fn want(&self, pairs: &[Pair]) {
        for pair in pairs.iter().filter(|pair| self.is_doubtful(pair)) {
            for page in [pair.a, pair.b] {
                let class = self.judge.classes.of(page);
                if !self.is_wanted[class.at()].load(Ordering::Relaxed)
                    && !self.proofs.has(self.judge.classes.text(class))
                    && self.judge.page(page).text.is_some()
                {
                    self.is_wanted[class.at()].store(true, Ordering::Relaxed);
                    self.wants_more.store(true, Ordering::Relaxed);
                }
            }
        }
    }

    /// True if texts turned out to be wanted that have not been read.
    pub(super) fn wants_more(&self) -> bool {
        self.wants_more.load(Ordering::Relaxed)
    }

    /// Reads what is wanted.
    pub(super) fn read(&mut self, texts: &dyn Texts, watch: &dyn Watch) -> Result<()> {
        self.checked = AtomicU64::default();
        self.refuted = AtomicU64::default();
        let classes = self.judge.classes;
        self.wants_more = AtomicBool::default();
        let mut pages = Vec::new();
        let all: Vec<ClassNo> = ClassNo::first(self.is_wanted.len()).collect();
        for text in all.chunk_by(|&a, &b| classes.text(a) == classes.text(b)) {
            let mut is_wanted = false;
            for class in text {
                is_wanted |= std::mem::take(self.is_wanted[class.at()].get_mut());
            }
            pages.extend(page_of(self.judge, text).filter(|_| is_wanted));
        }
        pages.par_sort_unstable();
        if pages.is_empty() {
            return Ok(());
        }
        let rank_of = ranks(self.judge.by_id);
        let text = |page: PageNo| classes.text(classes.of(rank_of[page.at()]));
        self.proofs
            .add(self.judge.model, texts, &pages, text, watch)?;
        // Pages of large families are looked for by all others of them.
        self.proofs.read_often(PROOFS);
        Ok(())
    }

    /// For each pair, as sketches see it, the verdict that counts; none where a text has not been read, which then is wanted.
    pub(super) fn truth(&self, pairs: &[Pair]) -> Vec<Option<Pair>> {
        let Some(verifier) = self.judge.model.verifier() else {
            return pairs.iter().copied().map(Some).collect();
        };
        let chunks = pairs.par_chunks(CHUNK);
        let verdicts = chunks.flat_map_iter(|mut pairs| {
            let mut verdicts = Vec::with_capacity(pairs.len());
            while !pairs.is_empty() {
                let (asking, together) = self.together(pairs);
                self.verdicts(verifier, asking, &pairs[..together], &mut verdicts);
                pairs = &pairs[together..];
            }
            verdicts
        });
        verdicts.collect()
    }

    /// A text that the first of these pairs are of, and how many of them: pairs of one class stand together.
    fn together(&self, pairs: &[Pair]) -> (ClassNo, usize) {
        let [a, b] = self.texts(&pairs[0]);
        let together = |text: ClassNo| {
            let of_text = |pair: &&Pair| self.texts(pair).contains(&text);
            (text, pairs.iter().take_while(of_text).count())
        };
        let (with_a, with_b) = (together(a), together(b));
        if with_b.1 > with_a.1 { with_b } else { with_a }
    }

    pub(super) fn verified(&self) -> Verified {
        Verified {
            checked: self.checked.load(Ordering::Relaxed),
            refuted: self.refuted.load(Ordering::Relaxed),
        }
    }

    fn is_doubtful(&self, pair: &Pair) -> bool {
        let classes = self.judge.classes;
        let [a, b] = [pair.a, pair.b].map(|page| classes.of(page));
        self.judge.model.verifier().is_some() && !classes.are_copies(a, b)
    }

    /// The verdicts on pairs of which one text is that of `asking`.
    fn verdicts(
        &self,
        verifier: &dyn Verifier,
        asking: ClassNo,
        pairs: &[Pair],
        verdicts: &mut Vec<Option<Pair>>,
    ) {
        let proof = |text| {
            let drafted = || {
                self.drafted(text, verifier)
                    .map(|proof| Row::Read(proof.into()))
            };
            self.proofs.get(text, verifier).or_else(drafted)
        };
        let is_asked = pairs.iter().any(|pair| self.is_doubtful(pair));
        let own = is_asked.then(|| proof(asking)).flatten();
        let mut judge = own.as_deref().map(|own| verifier.against(own));
        // Proofs stand anywhere in memory: they are looked for together.
        let others = pairs.iter().map(|pair| {
            let [a, b] = self.texts(pair);
            let other = if a == asking { b } else { a };
            self.is_doubtful(pair).then(|| proof(other)).flatten()
        });
        let others: Vec<Option<Row<'_, u64>>> = others.collect();
        let touched = others
            .iter()
            .flatten()
            .filter(|proof| proof.is_empty() || proof[0] > 0);
        black_box(touched.count());
        verdicts.extend(pairs.iter().zip(others).map(|(pair, other)| {
            if !self.is_doubtful(pair) {
                return Some(*pair);
            }
            let (Some(judge), Some(other)) = (&mut judge, other) else {
                self.want(std::slice::from_ref(pair));
                return None;
            };
            self.checked.fetch_add(1, Ordering::Relaxed);
            let verdict = judge(&other);
            if verdict.is_none() {
                self.refuted.fetch_add(1, Ordering::Relaxed);
            }
            let verdict = match self.texts(pair)[0] == asking {
                true => verdict,
                false => verdict.map(Verdict::swapped),
            };
            verdict.map(|verdict| Pair::new(pair.a, pair.b, &verdict))
        }));
    }

    /// The texts of a pair, each named by a class.
    fn texts(&self, pair: &Pair) -> [ClassNo; 2] {
        let classes = self.judge.classes;
        [pair.a, pair.b].map(|page| classes.text(classes.of(page)))
    }

    /// The proof of a text that was drafted, and is asked for without having been wanted.
    fn drafted(&self, text: ClassNo, verifier: &dyn Verifier) -> Option<Vec<u64>> {
        let classes = self.judge.classes;
        let all = ClassNo::first(classes.len()).skip(text.at());
        let of_text: Vec<ClassNo> = all
            .take_while(|&class| classes.text(class) == text)
            .collect();
        self.proofs
            .drafted(page_of(self.judge, &of_text)?, verifier)
    }
}

/// Pages of one text may differ in what is main text: the one of the smallest id counts, whatever the order of reading.
fn page_of(judge: Judge<'_>, classes_of_text: &[ClassNo]) -> Option<PageNo> {
    let members = |&class: &ClassNo| judge.classes.members(class);
    let first = classes_of_text.iter().flat_map(members).min()?;
    Some(judge.by_id[first.at()])
}
