//! Compares the parts of a page with each other and with the page, by sketches and texts.

use super::retain::Parts;
use super::sketch_judge::SketchJudge;
use crate::cluster::Pair;
use crate::ids::{GroupNo, Rank};
use crate::relation::Relation;
use crate::verify::Verification;

/// How many parts are first compared with another one (in a collection nearly all are unrelated to it), and then how many at the same time.
const FIRST: usize = 16;
const TOGETHER: usize = 1024;

/// Asks the model about parts. Pages are the first ones of their groups.
#[derive(Clone, Copy)]
pub(super) struct AskedParts<'a> {
    pub(super) judge: SketchJudge<'a>,
    pub(super) verification: &'a Verification<'a>,
    /// The pages behind the given numbers, ascending; `None` if the numbers are ranks.
    pub(super) pages: Option<&'a [Rank]>,
}

impl AskedParts<'_> {
    fn group(&self, page: Rank) -> GroupNo {
        let page = self.pages.map_or(page, |pages| pages[page.at()]);
        self.judge.groups.of(page)
    }
}

impl Parts for AskedParts<'_> {
    fn is_unrelated_to_any(&self, page: Rank, others: &[Rank]) -> bool {
        let (groups, group) = (self.judge.groups, self.group(page));
        let one = self.judge.one(group);
        let (first, rest) = others.split_at(others.len().min(FIRST));
        let mut chunks = std::iter::once(first).chain(rest.chunks(TOGETHER));
        chunks.any(|others| {
            let others = others.iter().map(|&other| self.group(other));
            let others = others.filter(|&other| !groups.are_copies(group, other));
            let others: Vec<GroupNo> = others.collect();
            let pairs = one.with_each(&others);
            let is_refuted = || {
                let is_more = |pair: Pair| pair.relation != Relation::Overlaps;
                let mut verdicts = self.verification.verify(&pairs).into_iter();
                verdicts.any(|pair| !pair.is_some_and(is_more))
            };
            pairs.len() < others.len() || is_refuted()
        })
    }

    fn own_against(&self, page: Rank, others: &[Rank]) -> Option<u32> {
        let others = others.iter().map(|&other| self.group(other));
        let others: Vec<GroupNo> = others.collect();
        self.verification.own_against(self.group(page), &others)
    }

    fn length(&self, page: Rank) -> u64 {
        let groups = self.judge.groups;
        self.judge
            .context
            .page(groups.first(self.group(page)))
            .chars
    }

    fn pages(&self, page: Rank) -> u32 {
        let (groups, group) = (self.judge.groups, self.group(page));
        match groups.has_copies(group) && !groups.old(group) {
            true => 1,
            false => groups.members(group).len() as u32,
        }
    }
}
