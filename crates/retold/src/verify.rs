//! Verdicts on sketches, checked on the texts themselves where the method asks for it.
//!
//! The pages in question are read again, so that no text is held while pages are sketched. What a method needs of a
//! text (its proof) is held for as many pages at a time as a limit allows; pairs are taken in the order of connected
//! components, so that a page is seldom read twice.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::cluster::{Linkage, Pair, cluster};
use crate::collect::{Collection, Stages};
use crate::error::{Error, Result};
use crate::read::{Outcome, Record, Source, again};
use crate::relation::Verdict;
use crate::text::text_of;
use crate::watch::Watch;

/// How many verdicts were checked, and what came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Pairs that were checked on their texts.
    pub checked: u64,
    /// Those that are not related after all.
    pub refuted: u64,
}

/// Where the texts of pages are.
pub(crate) struct Texts<'a> {
    pub(crate) sources: &'a [Source],
    pub(crate) stages: &'a Stages<'a>,
    pub(crate) collection: &'a Collection,
    /// Rank -> position in `collection.pages`.
    pub(crate) by_id: &'a [u32],
    /// Bytes of proofs that are held at a time, as far as the lengths of texts tell.
    pub(crate) memory: u64,
}

/// Bytes of a proof for a character of text at the most: one hash.
const PROOF_BYTES: u64 = 8;

impl Texts<'_> {
    /// Checks the pairs of which the method is in doubt; `exact` copies it is not asked about. What it says then
    /// replaces what was said; the order stays.
    pub(crate) fn verify(
        &self,
        mut pairs: Vec<Pair>,
        exact: bool,
        watch: &dyn Watch,
    ) -> Result<(Vec<Pair>, Verified)> {
        let doubtful: Vec<u32> = (0..pairs.len() as u32)
            .filter(|&at| {
                let pair = &pairs[at as usize];
                let copies = exact && self.text(pair.a) == self.text(pair.b);
                !copies && self.stages.method.in_doubt(f64::from(pair.similarity))
            })
            .collect();
        let mut verified = Verified {
            checked: doubtful.len() as u64,
            refuted: 0,
        };
        if doubtful.is_empty() {
            return Ok((pairs, verified));
        }
        let representatives = self.representatives(&pairs, &doubtful);
        let rounds = self.rounds(&pairs, doubtful, &representatives);
        let steps = rounds.iter().map(|round| round.wanted.len() as u64).sum();
        watch.begin("verifying", steps);
        let mut refuted = vec![false; pairs.len()];
        for round in &rounds {
            let proofs = self.proofs(&round.wanted, watch)?;
            let proof = |rank: u32| {
                let at = round
                    .wanted
                    .binary_search(&representatives[&self.text(rank)?]);
                at.ok().and_then(|at| proofs[at].as_deref())
            };
            let verdict = |pair: &Pair| -> Option<Verdict> {
                self.stages.method.verify(proof(pair.a)?, proof(pair.b)?)
            };
            let verdicts: Vec<Option<Verdict>> = round
                .pairs
                .par_iter()
                .map(|&at| verdict(&pairs[at as usize]))
                .collect();
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
        verified.refuted = refuted.iter().filter(|&&refuted| refuted).count() as u64;
        Ok((pairs, verified))
    }

    fn text(&self, rank: u32) -> Option<u128> {
        self.collection.pages[self.by_id[rank as usize] as usize].text
    }

    /// For each text of a doubtful pair the first page, in the order of reading, that has it.
    fn representatives(&self, pairs: &[Pair], doubtful: &[u32]) -> FxHashMap<u128, u32> {
        let mut representatives: FxHashMap<u128, u32> = FxHashMap::default();
        let pairs = doubtful.iter().map(|&at| &pairs[at as usize]);
        for rank in pairs.flat_map(|pair| [pair.a, pair.b]) {
            let position = self.by_id[rank as usize];
            if let Some(text) = self.text(rank) {
                let first = representatives.entry(text).or_insert(position);
                *first = position.min(*first);
            }
        }
        representatives
    }

    /// Cuts the doubtful pairs into rounds whose proofs fit the memory.
    fn rounds(
        &self,
        pairs: &[Pair],
        mut doubtful: Vec<u32>,
        representatives: &FxHashMap<u128, u32>,
    ) -> Vec<Round> {
        let among: Vec<Pair> = doubtful.iter().map(|&at| pairs[at as usize]).collect();
        let ranks: Vec<u32> = (0..self.by_id.len() as u32).collect();
        let mut component = vec![0u32; ranks.len()];
        let components = cluster(ranks.len(), &among, Linkage::Components, &ranks);
        for (cluster, number) in components.iter().zip(0u32..) {
            for &member in &cluster.members {
                component[member as usize] = number;
            }
        }
        doubtful.sort_by_key(|&at| component[pairs[at as usize].a as usize]);

        let mut rounds = vec![Round::default()];
        let (mut last, mut bytes) = (FxHashMap::<u32, usize>::default(), 0);
        for at in doubtful {
            let pair = &pairs[at as usize];
            let texts = [pair.a, pair.b].map(|rank| self.text(rank));
            let positions = texts.map(|text| text.map_or(0, |text| representatives[&text]));
            let missing = |round: usize| -> u64 {
                let fresh = positions.iter().filter(|p| last.get(p) != Some(&round));
                fresh
                    .map(|&p| PROOF_BYTES * self.collection.pages[p as usize].chars)
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
            for position in positions {
                if last.insert(position, number) != Some(number) {
                    round.wanted.push(position);
                }
            }
        }
        for round in &mut rounds {
            round.wanted.sort_unstable();
        }
        rounds
    }

    /// The proofs of the pages at these positions, ascending. `None` for a page that has gone since it was read.
    fn proofs(&self, wanted: &[u32], watch: &dyn Watch) -> Result<Vec<Option<Vec<u64>>>> {
        let at = |&position: &u32| {
            let row = &self.collection.pages[position as usize];
            (row.source, row.record)
        };
        let records: Vec<(u32, u64)> = wanted.iter().map(at).collect();
        let mut proofs = Vec::with_capacity(wanted.len());
        for batch in again(self.sources, self.stages.read, &records) {
            if watch.cancelled() {
                return Err(Error::Cancelled);
            }
            watch.advance(batch.len() as u64);
            let made = batch
                .into_par_iter()
                .map(|(_, source, record)| self.proof(source, record?));
            proofs.par_extend(made);
        }
        if let Some(gone) = proofs.iter().position(Option::is_none) {
            let row = &self.collection.pages[wanted[gone] as usize];
            return Err(Error::Usage(format!(
                "{}, record {}: the file changed while it was read; run again when nobody writes to it",
                self.sources[row.source as usize].path.display(),
                row.record
            )));
        }
        Ok(proofs)
    }

    fn proof(&self, source: &Source, record: Record) -> Option<Vec<u64>> {
        match record.parse(source, self.stages.read) {
            Outcome::Page(page) => {
                let text = text_of(&page, self.stages.text).ok()?;
                Some(self.stages.method.proof(&text))
            }
            _ => None,
        }
    }
}

/// Pairs that are checked together.
#[derive(Default)]
struct Round {
    /// Places in the list of pairs.
    pairs: Vec<u32>,
    /// Positions of the pages whose proofs they need.
    wanted: Vec<u32>,
}
