//! Verdicts of sketches, checked on texts.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::classes::Judge;
use crate::cluster::Pair;
use crate::config::Resources;
use crate::error::Result;
use crate::ids::{PageNo, Rank};
use crate::method::Trace;
use crate::texts::{Proofs, Texts};
use crate::watch::Watch;

/// Number of verdicts checked, and of those rejected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// Pairs of different texts that were checked.
    pub checked: u64,
    /// Those rejected by the check.
    pub refuted: u64,
}

/// Checks verdicts of sketches on texts, if the model wants that. Until texts have been read, sketches are believed, and
/// it is noted whose texts are wanted.
pub(super) struct Verifying<'a> {
    judge: Judge<'a>,
    proofs: Proofs,
    has_read: bool,
    wanted: Mutex<FxHashSet<Rank>>,
    checked: AtomicU64,
    refuted: AtomicU64,
}

impl<'a> Verifying<'a> {
    pub(super) fn new(judge: Judge<'a>, resources: &Resources) -> Verifying<'a> {
        Verifying {
            judge,
            proofs: Proofs::new(resources.memory / 4, resources.temp_dir.as_deref()),
            has_read: false,
            wanted: Mutex::default(),
            checked: AtomicU64::default(),
            refuted: AtomicU64::default(),
        }
    }

    /// The texts of these pairs will be wanted.
    pub(super) fn want(&self, pairs: &[Pair]) {
        let doubtful = pairs.iter().filter(|pair| self.is_doubtful(pair));
        let pages = doubtful.flat_map(|pair| [pair.a, pair.b]);
        let text = |page: &Rank| self.judge.page(*page).text;
        let pages = pages.filter(|page| text(page).is_some_and(|text| !self.proofs.has(text)));
        self.wanted
            .lock()
            .unwrap_or_else(|e| e.into_inner())
            .extend(pages);
    }

    /// True if texts turned out to be wanted that have not been read.
    pub(super) fn wants_more(&self) -> bool {
        !self
            .wanted
            .lock()
            .unwrap_or_else(|e| e.into_inner())
            .is_empty()
    }

    /// Reads what is wanted.
    pub(super) fn read(&mut self, texts: &dyn Texts, watch: &dyn Watch) -> Result<()> {
        self.has_read = true;
        self.checked = AtomicU64::default();
        self.refuted = AtomicU64::default();
        let wanted = std::mem::take(self.wanted.get_mut().unwrap_or_else(|e| e.into_inner()));
        let text = |rank: &Rank| self.judge.page(*rank).text;
        let unread = wanted
            .iter()
            .filter_map(text)
            .filter(|&text| !self.proofs.has(text));
        let mut texts_left: FxHashSet<u128> = unread.collect();
        // Pages of one text may differ in what is main text: the one of the smallest id counts, whatever the order of reading.
        let ranks = Rank::first(self.judge.by_id.len());
        let first = ranks.filter(|rank| text(rank).is_some_and(|text| texts_left.remove(&text)));
        let mut pages: Vec<PageNo> = first.map(|rank| self.judge.by_id[rank.at()]).collect();
        pages.par_sort_unstable();
        if pages.is_empty() {
            return Ok(());
        }
        let hash = |page: PageNo| self.judge.collection.page(page).text;
        self.proofs
            .add(self.judge.model, texts, &pages, hash, watch)
    }

    /// For each pair, as sketches see it, the verdict that counts.
    pub(super) fn truth(&self, pairs: &[Pair]) -> Result<Vec<Option<Pair>>> {
        if !self.has_read {
            self.want(pairs);
            return Ok(pairs.iter().copied().map(Some).collect());
        }
        pairs.par_iter().map(|pair| self.verdict(pair)).collect()
    }

    pub(super) fn verified(&self) -> Verified {
        Verified {
            checked: self.checked.load(Ordering::Relaxed),
            refuted: self.refuted.load(Ordering::Relaxed),
        }
    }

    fn is_doubtful(&self, pair: &Pair) -> bool {
        self.judge.model.verifier().is_some() && !self.judge.is_copy(pair.a, pair.b)
    }

    fn verdict(&self, pair: &Pair) -> Result<Option<Pair>> {
        let verifier = self.judge.model.verifier();
        let Some(verifier) = verifier.filter(|_| self.is_doubtful(pair)) else {
            return Ok(Some(*pair));
        };
        let proof = |page: Rank| match self.judge.page(page).text {
            Some(text) => self.proofs.get(text),
            None => Ok(None),
        };
        let (Some(a), Some(b)) = (proof(pair.a)?, proof(pair.b)?) else {
            self.want(std::slice::from_ref(pair));
            return Ok(None);
        };
        self.checked.fetch_add(1, Ordering::Relaxed);
        let verdict = verifier.verify(&a, &b, &mut Trace::off());
        if verdict.is_none() {
            self.refuted.fetch_add(1, Ordering::Relaxed);
        }
        Ok(verdict.map(|verdict| Pair::new(pair.a, pair.b, &verdict)))
    }
}
