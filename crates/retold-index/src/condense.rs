//! A list of pages, as a search finds them, condensed to one entry a story.

use std::collections::BTreeSet;

use rayon::prelude::*;
use retold::{
    Collection, Dedup, Error, PageNo, Rank, Relation, Result, RunConfig, SketchedPage, Take, Text,
    TextSource, Watch,
};

use crate::index::{Index, Prepared};
use crate::record::Entry;

/// An entry of a list that is to be condensed.
#[derive(Debug)]
pub struct Listed {
    /// The page.
    pub entry: Entry,
    /// `None`: the page is of the index, which has its text.
    text: Option<Text>,
}

impl From<Prepared> for Listed {
    fn from(page: Prepared) -> Listed {
        Listed {
            entry: page.entry,
            text: Some(page.text),
        }
    }
}

/// Pages of a list that tell one story, by their places in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Group {
    /// The page that stands for all.
    pub first: usize,
    /// The others, ascending, and what they are to it; `None`: they are related to it through others.
    pub others: Vec<(usize, Option<Relation>)>,
}

/// Pages whose texts are read at a time.
const BATCH: usize = 64;

/// The texts of a list.
struct Texts<'a> {
    index: &'a Index,
    list: &'a [Listed],
}

impl Texts<'_> {
    fn make(&self, page: PageNo, make: &(dyn Fn(&Text) -> Vec<u64> + Sync)) -> Result<Vec<u64>> {
        let Listed { entry, text } = &self.list[page.at()];
        if let Some(text) = text {
            return Ok(make(text));
        }
        let text = self.index.text(&entry.id)?;
        let text = text
            .ok_or_else(|| Error::usage("the index keeps no texts, and its method wants them"))?;
        Ok(make(&text))
    }
}

impl TextSource for Texts<'_> {
    fn each(
        &self,
        wanted: &[PageNo],
        make: &(dyn Fn(&Text) -> Vec<u64> + Sync),
        take: &mut Take<'_>,
        watch: &dyn Watch,
    ) -> Result<()> {
        for (batch, pages) in wanted.chunks(BATCH).enumerate() {
            if watch.cancelled() {
                return Err(Error::Cancelled);
            }
            let made = pages.par_iter().map(|&page| self.make(page, make));
            let made: Result<Vec<Vec<u64>>> = made.collect();
            for (at, made) in made?.into_iter().enumerate() {
                take(batch * BATCH + at, made)?;
            }
            watch.advance(pages.len() as u64);
        }
        Ok(())
    }
}

impl Index {
    /// The page of an id as an entry of a list.
    pub fn listed(&self, id: &str) -> Result<Option<Listed>> {
        let entry = self.get(id)?;
        Ok(entry.map(|entry| Listed { entry, text: None }))
    }

    /// The stories of a list whose order is a ranking, the best first. The pages are judged among themselves as a batch run does it, under the
    /// model of the index.
    ///
    /// Pages are of one story that are connected by `duplicate`; so are pages that one of them contains. A page that contains pages of
    /// several stories is a round-up: it connects none of them, stands in the group of each, and for none. So it alone can be in several
    /// groups, and every page is in one.
    ///
    /// Time and memory: those of a batch run over the list.
    pub fn condense(&self, list: &[Listed], watch: &dyn Watch) -> Result<Vec<Group>> {
        if list.is_empty() {
            return Ok(Vec::new());
        }
        let mut resources = RunConfig::default();
        resources.threads = 1;
        let mut collection = Collection::new(&resources.memory()?);
        for (place, Listed { entry, .. }) in list.iter().enumerate() {
            collection.push(SketchedPage {
                // Ids in the order of the list: then ranks are places.
                id: &format!("{place:010}"),
                title: entry.title.as_deref(),
                date: entry.seconds,
                bytes: entry.bytes,
                seen: &entry.seen,
                sketch: &entry.sketch,
            })?;
        }
        collection.read = list.len() as u64;
        let findings = Dedup::new(self.model())
            .resources(&resources)
            .watch(watch)
            .run_sketched(collection, &Texts { index: self, list })?;
        let pairs = findings.pairs.iter();
        let pairs: Vec<_> = pairs
            .map(|pair| (pair.a.at(), pair.b.at(), pair.relation))
            .collect();
        let groups = groups(list.len(), &pairs)
            .into_iter()
            .map(|(first, others)| {
                let relation = |other: usize| findings.relation(Rank::new(other), Rank::new(first));
                let others = others.into_iter().map(|other| (other, relation(other)));
                Group {
                    first,
                    others: others.collect(),
                }
            });
        Ok(groups.collect())
    }
}

/// Sets of places, each called by its first one.
struct Sets(Vec<usize>);

impl Sets {
    fn new(count: usize) -> Sets {
        Sets((0..count).collect())
    }

    fn of(&self, mut place: usize) -> usize {
        while self.0[place] != place {
            place = self.0[place];
        }
        place
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b)] = a.min(b);
    }
}

/// The groups of so many pages: the first page of each and its others, ascending. `(a, b, relation)`: what `a` is to `b`.
fn groups(count: usize, pairs: &[(usize, usize, Relation)]) -> Vec<(usize, Vec<usize>)> {
    let mut copies = Sets::new(count);
    for &(a, b, relation) in pairs {
        if relation == Relation::Duplicate {
            copies.join(a, b);
        }
    }
    // Which sets of copies contain pages of which others.
    let contained: BTreeSet<(usize, usize)> = pairs
        .iter()
        .filter_map(|&(a, b, relation)| match relation {
            Relation::Contains => Some((copies.of(a), copies.of(b))),
            Relation::ContainedBy => Some((copies.of(b), copies.of(a))),
            Relation::Duplicate => None,
        })
        .filter(|(whole, part)| whole != part)
        .collect();
    let parts = |whole: usize| {
        let parts = contained.range((whole, 0)..(whole + 1, 0));
        parts.map(|&(_, part)| part).collect::<Vec<usize>>()
    };
    let is_round_up = |set: usize| is_several(&parts(set), &contained);
    let is_round_up: Vec<bool> = (0..count).map(is_round_up).collect();
    let mut stories = Sets::new(count);
    (0..count).for_each(|place| stories.join(place, copies.of(place)));
    let mut placed = BTreeSet::new();
    for &(whole, part) in &contained {
        // What several pages contain is an excerpt of the first of them, and connects them no more than they connect what they contain.
        if !is_round_up[whole] && !is_round_up[part] && placed.insert(part) {
            stories.join(whole, part);
        }
    }
    let mut members: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    for place in 0..count {
        let set = copies.of(place);
        let mut homes: BTreeSet<usize> = BTreeSet::new();
        if is_round_up[set] {
            let parts = parts(set).into_iter().filter(|&part| !is_round_up[part]);
            homes.extend(parts.map(|part| stories.of(part)));
        }
        if homes.is_empty() {
            homes.insert(stories.of(set));
        }
        for home in homes {
            members[home].insert(place);
        }
    }
    let mut groups: Vec<(usize, Vec<usize>)> = Vec::new();
    for members in members {
        let stands = |&&place: &&usize| !is_round_up[copies.of(place)];
        let first = members.iter().find(stands).or(members.first()).copied();
        if let Some(first) = first {
            groups.push((
                first,
                members
                    .into_iter()
                    .filter(|&place| place != first)
                    .collect(),
            ));
        }
    }
    groups.sort_unstable();
    groups
}

/// Whether these sets are of several stories: they fall apart, as far as they contain each other.
fn is_several(parts: &[usize], contained: &BTreeSet<(usize, usize)>) -> bool {
    let mut sets = Sets::new(parts.len());
    for (a, &part) in parts.iter().enumerate() {
        for (b, &other) in parts.iter().enumerate() {
            if contained.contains(&(part, other)) {
                sets.join(a, b);
            }
        }
    }
    (0..parts.len()).any(|at| sets.of(at) != 0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use retold::Relation::{ContainedBy, Contains, Duplicate};

    use super::*;

    #[test]
    fn groups_by_hand() {
        // Copies are connected through others; the rest stands alone.
        assert_eq!(
            groups(5, &[(0, 3, Duplicate), (3, 4, Duplicate)]),
            [(0, vec![3, 4]), (1, vec![]), (2, vec![])]
        );
        // An excerpt joins, also where it is ranked first, and with its copies.
        assert_eq!(groups(2, &[(0, 1, Contains)]), [(0, vec![1])]);
        assert_eq!(
            groups(3, &[(0, 1, ContainedBy), (0, 2, Duplicate)]),
            [(0, vec![1, 2])]
        );
        // 0 contains 1 and 2, which are two stories: it stands with both and for none.
        assert_eq!(
            groups(3, &[(0, 1, Contains), (0, 2, Contains)]),
            [(1, vec![0]), (2, vec![0])]
        );
        // They are one story if 1 contains 2.
        assert_eq!(
            groups(3, &[(0, 1, Contains), (0, 2, Contains), (1, 2, Contains)]),
            [(0, vec![1, 2])]
        );
        // Two pages contain 2: it is an excerpt of the first and connects them not.
        assert_eq!(
            groups(3, &[(0, 2, Contains), (1, 2, Contains)]),
            [(0, vec![2]), (1, vec![])]
        );
        // Two round-ups of the same two stories.
        assert_eq!(
            groups(
                4,
                &[
                    (0, 2, Contains),
                    (0, 3, Contains),
                    (1, 2, Contains),
                    (1, 3, Contains)
                ]
            ),
            [(2, vec![0, 1]), (3, vec![0, 1])]
        );
    }

    proptest! {
        /// Every page is there; all but round-ups once; copies are together; no group without a relation.
        #[test]
        fn nothing_is_lost(pairs in proptest::collection::btree_map((0usize..12, 0usize..12), 0usize..3, 0..25)) {
            let pairs: Vec<_> = pairs.into_iter().filter(|((a, b), _)| a < b)
                .map(|((a, b), relation)| (a, b, [Duplicate, Contains, ContainedBy][relation])).collect();
            let groups = groups(12, &pairs);
            let homes = |place: usize| groups.iter().enumerate()
                .filter(|(_, (first, others))| *first == place || others.contains(&place)).map(|(at, _)| at).collect::<Vec<_>>();
            prop_assert!(groups.is_sorted_by(|a, b| a.0 < b.0));
            for place in 0..12 {
                let parts: BTreeSet<usize> = pairs.iter().filter_map(|&(a, b, relation)| match relation {
                    Contains => Some((a, b)), ContainedBy => Some((b, a)), Duplicate => None,
                }).map(|(_, part)| part).collect();
                let homes = homes(place);
                prop_assert!(!homes.is_empty());
                if parts.is_empty() {
                    prop_assert_eq!(homes.len(), 1);
                }
            }
            for &(a, b, relation) in &pairs {
                if relation == Duplicate {
                    prop_assert_eq!(homes(a), homes(b));
                }
            }
            for (first, others) in &groups {
                prop_assert!(others.is_empty() || pairs.iter().any(|(a, b, _)| a == first || b == first));
                prop_assert!(others.is_sorted_by(|a, b| a < b) && !others.contains(first));
            }
        }
    }
}
