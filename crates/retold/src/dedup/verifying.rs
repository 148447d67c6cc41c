//! Verdicts of sketches, checked on texts.

use std::borrow::Cow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::classes::Judge;
use super::order::ranks;
use crate::cluster::Pair;
use crate::collect::Drafts;
use crate::error::Result;
use crate::ids::{ClassNo, PageNo};
use crate::method::{Trace, Verifier};
use crate::resume::Resume;
use crate::texts::{Proofs, Texts};
use crate::watch::Watch;

/// Pairs that are checked one after the other.
const CHUNK: usize = 16;

/// The proof of a text, named by a class.
type Proof<'p> = (ClassNo, Cow<'p, [u64]>);

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
    wanted: Mutex<Wanted>,
    checked: AtomicU64,
    refuted: AtomicU64,
}

/// Pages whose texts are wanted.
#[derive(Default)]
struct Wanted {
    /// Class -> whether the text of its pages is.
    is_wanted: Vec<bool>,
    any: bool,
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
            wanted: Mutex::new(Wanted {
                is_wanted: vec![false; classes],
                any: false,
            }),
            checked: AtomicU64::default(),
            refuted: AtomicU64::default(),
        })
    }

    /// The texts of these pairs will be wanted.
    pub(super) fn want(&self, pairs: &[Pair]) {
        let mut wanted = self.wanted.lock().unwrap_or_else(|e| e.into_inner());
        for pair in pairs.iter().filter(|pair| self.is_doubtful(pair)) {
            for page in [pair.a, pair.b] {
                let class = self.judge.classes.of(page);
                if !wanted.is_wanted[class.at()]
                    && !self.proofs.has(self.judge.classes.text(class))
                    && self.judge.page(page).text.is_some()
                {
                    wanted.is_wanted[class.at()] = true;
                    wanted.any = true;
                }
            }
        }
    }

    /// True if texts turned out to be wanted that have not been read.
    pub(super) fn wants_more(&self) -> bool {
        self.wanted.lock().unwrap_or_else(|e| e.into_inner()).any
    }

    /// Reads what is wanted.
    pub(super) fn read(&mut self, texts: &dyn Texts, watch: &dyn Watch) -> Result<()> {
        self.checked = AtomicU64::default();
        self.refuted = AtomicU64::default();
        let classes = self.judge.classes;
        let wanted = self.wanted.get_mut().unwrap_or_else(|e| e.into_inner());
        wanted.any = false;
        let mut pages = Vec::new();
        let all: Vec<ClassNo> = ClassNo::first(wanted.is_wanted.len()).collect();
        for text in all.chunk_by(|&a, &b| classes.text(a) == classes.text(b)) {
            let mut is_wanted = false;
            for class in text {
                is_wanted |= std::mem::take(&mut wanted.is_wanted[class.at()]);
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
            .add(self.judge.model, texts, &pages, text, watch)
    }

    /// For each pair, as sketches see it, the verdict that counts; none where a text has not been read, which then is wanted.
    pub(super) fn truth(&self, pairs: &[Pair]) -> Vec<Option<Pair>> {
        let chunks = pairs.par_chunks(CHUNK);
        let verdicts = chunks.flat_map_iter(|pairs| {
            let mut read = Vec::new();
            pairs.iter().map(move |pair| self.verdict(pair, &mut read))
        });
        verdicts.collect()
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

    /// `read` has the proofs of the pair before, and then those of this one: pairs of one class stand together.
    fn verdict<'p>(&'p self, pair: &Pair, read: &mut Vec<Proof<'p>>) -> Option<Pair> {
        let verifier = self.judge.model.verifier();
        let Some(verifier) = verifier.filter(|_| self.is_doubtful(pair)) else {
            return Some(*pair);
        };
        let classes = self.judge.classes;
        let texts = [pair.a, pair.b].map(|page| classes.text(classes.of(page)));
        read.retain(|(text, _)| texts.contains(text));
        for text in texts {
            if !read.iter().any(|&(other, _)| other == text) {
                let drafted = || self.drafted(text, verifier).map(Cow::Owned);
                let proof = self.proofs.get(text).or_else(drafted);
                read.extend(proof.map(|proof| (text, proof)));
            }
        }
        let [Some(a), Some(b)] = texts.map(|text| read.iter().find(|(other, _)| *other == text))
        else {
            self.want(std::slice::from_ref(pair));
            return None;
        };
        self.checked.fetch_add(1, Ordering::Relaxed);
        let verdict = verifier.verify(&a.1, &b.1, &mut Trace::off());
        if verdict.is_none() {
            self.refuted.fetch_add(1, Ordering::Relaxed);
        }
        verdict.map(|verdict| Pair::new(pair.a, pair.b, &verdict))
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
