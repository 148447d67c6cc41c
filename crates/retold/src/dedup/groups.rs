//! From units to pages: what holds for two units holds for the pages that have them.

use rayon::prelude::*;

use crate::cluster::Pair;
use crate::collect::{Collection, PageRow};
use crate::ids::{PageNo, Rank, UnitNo};
use crate::method::Trace;
use crate::model::{Judgement, Model, Relating, Units, copy};

/// Of groups of more pages than this with identical units or texts, only the pairs with the group's canonical page are
/// listed (CONTRACT).
const GROUP_LIMIT: usize = 1000;

/// Pages by unit.
pub(super) struct Groups<'a> {
    model: &'a Model,
    units: &'a Units,
    collection: &'a Collection,
    by_id: &'a [PageNo],
    preference: &'a [u32],
    /// Unit -> its pages, ascending.
    members: Vec<Vec<Rank>>,
    /// Unit -> the length of the shortest of its pages.
    shortest: Vec<u64>,
    /// Unit -> what two of its pages are to each other.
    inner: Vec<Option<Relating>>,
}

impl<'a> Groups<'a> {
    pub(super) fn new(
        model: &'a Model,
        units: &'a Units,
        collection: &'a Collection,
        unit_of: &[UnitNo],
        by_id: &'a [PageNo],
        preference: &'a [u32],
    ) -> Self {
        let mut members = vec![Vec::new(); units.len()];
        let mut shortest = vec![u64::MAX; units.len()];
        for (rank, &page) in Rank::first(by_id.len()).zip(by_id) {
            let unit = unit_of[page.at()].at();
            members[unit].push(rank);
            shortest[unit] = shortest[unit].min(collection.page(page).own_chars);
        }
        let inner = UnitNo::first(units.len())
            .zip(&members)
            .map(|(number, group)| {
                let unit = units.get(number);
                let relate = || model.relate(unit, unit, &mut Trace::off());
                (group.len() > 1).then(relate).flatten()
            });
        Groups {
            inner: inner.collect(),
            model,
            units,
            collection,
            by_id,
            preference,
            members,
            shortest,
        }
    }

    fn page(&self, rank: Rank) -> &PageRow {
        self.collection.page(self.by_id[rank.at()])
    }

    /// The pairs of pages with one unit.
    pub(super) fn inside(&self, pairs: &mut Vec<Pair>) {
        for (group, relating) in self.members.iter().zip(&self.inner) {
            if let Some(relating) = relating {
                self.pairs_inside(group, |x, y| pairs.extend(self.pair(x, y, relating)));
            }
        }
    }

    /// The pairs of a page with one unit and a page with another.
    pub(super) fn between(&self, a: UnitNo, b: UnitNo, pairs: &mut Vec<Pair>) {
        let (x, y) = (self.units.get(a), self.units.get(b));
        let Some(relating) = self.model.relate(x, y, &mut Trace::off()) else {
            return;
        };
        if self.shortest[a.at()].min(self.shortest[b.at()]) > relating.up_to {
            return;
        }
        for &x in self.listed(a) {
            for &y in self.listed(b) {
                pairs.extend(self.pair(x, y, &relating));
            }
        }
    }

    /// The pair, if what is said of the units holds for these two pages.
    fn pair(&self, x: Rank, y: Rank, relating: &Relating) -> Option<Pair> {
        let shorter = self.page(x).own_chars.min(self.page(y).own_chars);
        match self.model.conclude(relating, shorter, &mut Trace::off()) {
            Judgement::Yes(verdict) | Judgement::Doubt(verdict) => Some(Pair::new(x, y, &verdict)),
            Judgement::No => None,
        }
    }

    /// The members of a group listed in pairs with other groups: all, or only the canonical page of a large group.
    fn listed(&self, unit: UnitNo) -> &[Rank] {
        let group = &self.members[unit.at()];
        if group.len() <= GROUP_LIMIT {
            return group;
        }
        let best = self.canonical(group);
        let at = group.partition_point(|&rank| rank < best);
        &group[at..=at]
    }

    /// The groups of which not all pairs are listed: the canonical page and the number of pages.
    pub(super) fn large(&self) -> Vec<(Rank, usize)> {
        let groups = self.members.iter().zip(&self.inner);
        groups
            .filter(|(group, inner)| group.len() > GROUP_LIMIT && inner.is_some())
            .map(|(group, _)| (self.canonical(group), group.len()))
            .collect()
    }

    fn canonical(&self, group: &[Rank]) -> Rank {
        let best = group
            .iter()
            .copied()
            .min_by_key(|rank| self.preference[rank.at()]);
        best.unwrap_or_default()
    }

    /// All pairs of a group of pages that are all the same to each other; of a large one those with its canonical page.
    fn pairs_inside(&self, group: &[Rank], mut found: impl FnMut(Rank, Rank)) {
        if group.len() > GROUP_LIMIT {
            let best = self.canonical(group);
            group
                .iter()
                .filter(|&&rank| rank != best)
                .for_each(|&rank| found(best, rank));
            return;
        }
        for (i, &a) in group.iter().enumerate() {
            group[i + 1..].iter().for_each(|&b| found(a, b));
        }
    }

    /// Pages with equal folded, non-empty texts are duplicates with similarity 1, in every method. Their pairs replace
    /// those that the method found.
    pub(super) fn add_exact_copies(&self, pairs: &mut Vec<Pair>, large: &mut Vec<(Rank, usize)>) {
        let mut texts: Vec<(u128, Rank)> = Rank::first(self.by_id.len())
            .filter_map(|rank| self.page(rank).text.map(|text| (text, rank)))
            .collect();
        texts.par_sort_unstable();
        let mut copies = Vec::new();
        for class in texts
            .chunk_by(|a, b| a.0 == b.0)
            .filter(|class| class.len() > 1)
        {
            let class: Vec<Rank> = class.iter().map(|&(_, rank)| rank).collect();
            let size = |rank: Rank| (self.page(rank).keys as usize, self.page(rank).chars);
            self.pairs_inside(&class, |a, b| {
                copies.push(Pair::new(a, b, &copy(size(a), size(b))));
            });
            if class.len() > GROUP_LIMIT {
                large.push((self.canonical(&class), class.len()));
            }
        }
        // Stable, so that of equal pairs the exact copy, which comes first, stays.
        copies.append(pairs);
        copies.par_sort_by_key(|pair| (pair.a, pair.b));
        copies.dedup_by_key(|pair| (pair.a, pair.b));
        *pairs = copies;
        large.sort_unstable();
        large.dedup();
    }
}
