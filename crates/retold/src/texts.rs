//! Texts again: verdicts on sketches, checked on the texts themselves where the model is in doubt.
//!
//! The pages in question are read again, so that no text is held while pages are sketched. What the method needs of a
//! text (its proof) is held for as many pages at a time as a limit allows; pairs are taken in the order of connected
//! components, so that a page is seldom read twice.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::cluster::{Linkage, Pair, cluster};
use crate::collect::Collection;
use crate::error::{Error, Result};
use crate::ids::{PageNo, Rank};
use crate::method::Trace;
use crate::model::Model;
use crate::read::{Outcome, Record, Source, again};
use crate::relation::Verdict;
use crate::text::Text;
use crate::watch::Watch;

/// Number of verdicts checked, and of those rejected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// Pairs that were checked on their texts.
    pub checked: u64,
    /// Those rejected by the check.
    pub refuted: u64,
}

/// Where texts come from again.
pub trait Texts: Sync {
    /// What `make` makes of the texts of these pages, which are ascending, in their order. Works on all threads; progress is
    /// reported in pages.
    ///
    /// Errors: a text that is no longer there, the run was cancelled.
    fn each(
        &self,
        wanted: &[PageNo],
        make: &(dyn Fn(&Text) -> Vec<u64> + Sync),
        watch: &dyn Watch,
    ) -> Result<Vec<Vec<u64>>>;
}

/// Texts made once more from the records that were read.
pub(crate) struct Reread<'a> {
    pub(crate) sources: &'a [Source],
    pub(crate) model: &'a Model,
    pub(crate) collection: &'a Collection,
}

impl Texts for Reread<'_> {
    fn each(
        &self,
        wanted: &[PageNo],
        make: &(dyn Fn(&Text) -> Vec<u64> + Sync),
        watch: &dyn Watch,
    ) -> Result<Vec<Vec<u64>>> {
        let at = |&page: &PageNo| {
            let row = self.collection.page(page);
            (row.source, row.record)
        };
        let records: Vec<(u32, u64)> = wanted.iter().map(at).collect();
        let mut made: Vec<Option<Vec<u64>>> = Vec::with_capacity(wanted.len());
        for batch in again(self.sources, &self.model.config().read, &records) {
            if watch.cancelled() {
                return Err(Error::Cancelled);
            }
            watch.advance(batch.len() as u64);
            let batch = batch.into_par_iter();
            made.par_extend(
                batch.map(|(_, source, record)| Some(make(&self.text(source, record?)?))),
            );
        }
        let gone = made.iter().position(Option::is_none);
        match gone.map(|at| self.collection.page(wanted[at])) {
            None => Ok(made.into_iter().flatten().collect()),
            Some(row) => Err(Error::Usage(format!(
                "{}, record {}: the file changed during the run; run again when nothing writes to it",
                self.sources[row.source as usize].path.display(),
                row.record
            ))),
        }
    }
}

impl Reread<'_> {
    fn text(&self, source: &Source, record: Record) -> Option<Text> {
        match record.parse(source, &self.model.config().read) {
            Outcome::Page(page) => self.model.text(&page).ok(),
            _ => None,
        }
    }
}

/// Checks verdicts.
pub struct Verification<'a> {
    /// What judges.
    pub model: &'a Model,
    /// The pages.
    pub collection: &'a Collection,
    /// Pages in the order of their ids.
    pub by_id: &'a [PageNo],
    /// Where the texts come from.
    pub texts: &'a dyn Texts,
    /// Bytes of proofs held at a time, estimated from text lengths.
    pub memory: u64,
}

/// Bytes of a proof for a character of text at the most: one hash.
const PROOF_BYTES: u64 = 8;

impl Verification<'_> {
    /// Checks the pairs of which the model is in doubt, that is all but exact copies if it has a verifier. Its verdict
    /// replaces the estimate; the order is unchanged.
    pub fn run(&self, pairs: &mut Vec<Pair>, watch: &dyn Watch) -> Result<Verified> {
        let Some(verifier) = self.model.verifier() else {
            return Ok(Verified::default());
        };
        let exact = self.model.config().exact;
        let is_copy = |pair: &Pair| exact && self.text(pair.a) == self.text(pair.b);
        let numbered = (0u32..).zip(pairs.iter());
        let doubtful = numbered
            .filter(|(_, pair)| !is_copy(pair))
            .map(|(at, _)| at);
        let doubtful: Vec<u32> = doubtful.collect();
        let checked = doubtful.len() as u64;
        let representatives = self.representatives(pairs, &doubtful);
        let rounds = self.rounds(pairs, doubtful, &representatives);
        let steps = rounds.iter().map(|round| round.wanted.len() as u64).sum();
        if steps > 0 {
            watch.begin("verifying", steps);
        }
        let mut refuted = vec![false; pairs.len()];
        for round in &rounds {
            let proof = |text: &Text| verifier.proof(text);
            let proofs = self.texts.each(&round.wanted, &proof, watch)?;
            let proof = |rank: Rank| {
                let page = representatives[&self.text(rank)?];
                let at = round.wanted.binary_search(&page).ok()?;
                Some(&*proofs[at])
            };
            let verdict = |at: &u32| -> Option<Verdict> {
                let pair = &pairs[*at as usize];
                verifier.verify(proof(pair.a)?, proof(pair.b)?, &mut Trace::off())
            };
            let verdicts: Vec<Option<Verdict>> = round.pairs.par_iter().map(verdict).collect();
            for (&at, verdict) in round.pairs.iter().zip(verdicts) {
                let pair = &mut pairs[at as usize];
                match verdict {
                    Some(verdict) => *pair = Pair::new(pair.a, pair.b, &verdict),
                    None => refuted[at as usize] = true,
                }
            }
        }
        let mut at = 0;
        pairs.retain(|_| {
            at += 1;
            !refuted[at - 1]
        });
        let refuted = refuted.iter().filter(|&&refuted| refuted).count() as u64;
        Ok(Verified { checked, refuted })
    }

    fn text(&self, rank: Rank) -> Option<u128> {
        self.collection.page(self.by_id[rank.at()]).text
    }

    /// For each text of a doubtful pair the first page, in the order of reading, that has it.
    fn representatives(&self, pairs: &[Pair], doubtful: &[u32]) -> FxHashMap<u128, PageNo> {
        let mut representatives: FxHashMap<u128, PageNo> = FxHashMap::default();
        let pairs = doubtful.iter().map(|&at| &pairs[at as usize]);
        for rank in pairs.flat_map(|pair| [pair.a, pair.b]) {
            let page = self.by_id[rank.at()];
            if let Some(text) = self.text(rank) {
                let first = representatives.entry(text).or_insert(page);
                *first = page.min(*first);
            }
        }
        representatives
    }

    /// Cuts the doubtful pairs into rounds whose proofs fit the memory.
    fn rounds(
        &self,
        pairs: &[Pair],
        mut doubtful: Vec<u32>,
        representatives: &FxHashMap<u128, PageNo>,
    ) -> Vec<Round> {
        let component = self.components(pairs, &doubtful);
        doubtful.sort_by_key(|&at| component[pairs[at as usize].a.at()]);

        let mut rounds = vec![Round::default()];
        let (mut last, mut bytes) = (FxHashMap::<PageNo, usize>::default(), 0);
        for at in doubtful {
            let pair = &pairs[at as usize];
            let texts = [pair.a, pair.b].map(|rank| self.text(rank));
            let pages = texts.map(|text| text.map_or(PageNo(0), |text| representatives[&text]));
            let missing = |round: usize| -> u64 {
                let fresh = pages.iter().filter(|page| last.get(page) != Some(&round));
                fresh
                    .map(|&page| PROOF_BYTES * self.collection.page(page).chars)
                    .sum()
            };
            let mut more = missing(rounds.len() - 1);
            if bytes > 0 && bytes + more > self.memory {
                rounds.push(Round::default());
                bytes = 0;
                more = missing(rounds.len() - 1);
            }
            bytes += more;
            let number = rounds.len() - 1;
            let round = &mut rounds[number];
            round.pairs.push(at);
            for page in pages {
                if last.insert(page, number) != Some(number) {
                    round.wanted.push(page);
                }
            }
        }
        for round in &mut rounds {
            round.wanted.sort_unstable();
        }
        rounds
    }

    /// For each page the number of its connected component in the graph of the doubtful pairs.
    fn components(&self, pairs: &[Pair], doubtful: &[u32]) -> Vec<u32> {
        let among: Vec<Pair> = doubtful.iter().map(|&at| pairs[at as usize]).collect();
        let ranks: Vec<u32> = (0..self.by_id.len() as u32).collect();
        let mut component = vec![0u32; ranks.len()];
        let components = cluster(ranks.len(), &among, Linkage::Components, &ranks);
        for (cluster, number) in components.iter().zip(0u32..) {
            for member in &cluster.members {
                component[member.at()] = number;
            }
        }
        component
    }
}

/// Pairs that are checked together.
#[derive(Default)]
struct Round {
    /// Places in the list of pairs.
    pairs: Vec<u32>,
    /// The pages whose proofs they need.
    wanted: Vec<PageNo>,
}
