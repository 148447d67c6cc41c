//! Condenses a list of pages, such as search results, to one entry per story.

use std::collections::{BTreeMap, BTreeSet};

use retold::internal::{SketchedPage, StoryGraph, StoryParts, Take, TextSource};
use retold::method::Text;
use retold::{Collection, Dedup, PageNo, Rank, Relation, Result, RunConfig, Watch};

use crate::export::{each_made, no_texts};
use crate::index::{Index, Prepared};
use crate::record::Entry;

/// An entry of a list to condense.
#[derive(Debug)]
pub struct Listed {
    /// The page.
    pub entry: Entry,
    /// `None` if the page is in the index, which has its text.
    pub(crate) text: Option<Text>,
}

impl From<Prepared> for Listed {
    fn from(page: Prepared) -> Listed {
        Listed {
            entry: page.entry,
            text: Some(page.text),
        }
    }
}

/// Pages of a list that tell one story. Pages are given by their positions in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Group {
    /// The page shown for the group.
    pub first: usize,
    /// The other pages, ascending, with their relation to `first`; `None` if they are related to it only through other pages.
    pub others: Vec<(usize, Option<Relation>)>,
}

struct Texts<'a> {
    index: &'a Index,
    list: &'a [Listed],
}

impl TextSource for Texts<'_> {
    fn each(
        &self,
        wanted: &[PageNo],
        make: &(dyn Fn(&Text) -> Vec<u64> + Sync),
        take: &mut Take<'_>,
        watch: &dyn Watch,
    ) -> Result<()> {
        let make = |page: PageNo| {
            let Listed { entry, text } = &self.list[page.at()];
            match text {
                Some(text) => Ok(make(text)),
                None => Ok(make(&self.index.text(&entry.id)?.ok_or_else(no_texts)?)),
            }
        };
        each_made(wanted, &make, take, watch)
    }
}

impl Index {
    /// The indexed page with this id, as a list entry.
    pub fn listed(&self, id: &str) -> Result<Option<Listed>> {
        let entry = self.get(id)?;
        Ok(entry.map(|entry| Listed { entry, text: None }))
    }

    /// Groups a ranked list, best page first, into stories. The pages are compared with each other as in a batch run, with the model of the
    /// index.
    ///
    /// A group holds a story ([`StoryGraph`]) and its excerpts. An excerpt of several stories goes to the one ranked first. A round-up is
    /// added to the group of every story that it contains and never leads a group, so only round-ups can be in several groups.
    ///
    /// Time and memory are those of a batch run over the list.
    pub fn condense(&self, list: &[Listed], watch: &dyn Watch) -> Result<Vec<Group>> {
        if list.is_empty() {
            return Ok(Vec::new());
        }
        let mut resources = RunConfig::default();
        resources.threads = 1;
        let mut collection = Collection::new(&resources.memory()?);
        for (place, Listed { entry, .. }) in list.iter().enumerate() {
            collection.push(SketchedPage {
                // Ids follow the order of the list, so that ranks are positions.
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

/// Groups `count` pages: the first page of each group and the others, ascending. `(a, b, relation)` says what `a` is to `b`.
fn groups(count: usize, pairs: &[(usize, usize, Relation)]) -> Vec<(usize, Vec<usize>)> {
    let mut graph = StoryGraph::of(count);
    for &(a, b, relation) in pairs {
        graph.relate(a as u32, b as u32, relation);
    }
    // A story, or a set of connected stories, is named after its first page.
    let first = |page: u32| graph.first(page) as usize;
    let firsts = |roots: &[u32]| -> Vec<usize> { roots.iter().map(|&root| first(root)).collect() };
    let is_first = |&page: &usize| first(page as u32) == page;
    let edges = graph.edges();
    let parts: BTreeMap<usize, StoryParts> = (0..count)
        .filter(is_first)
        .map(|page| (page, edges.parts(graph.root(page as u32))))
        .collect();
    let is_round_up = |story: usize| !parts[&story].rounded_up.is_empty();
    let mut homes = StoryGraph::of(count);
    let mut placed = BTreeSet::new();
    for (&story, parts) in &parts {
        for part in firsts(&parts.excerpts) {
            // A page contained in several pages is an excerpt of the first of them, and does not connect them.
            if !is_round_up(part) && placed.insert(part) {
                homes.relate(story as u32, part as u32, Relation::Duplicate);
            }
        }
    }
    let home = |story: usize| homes.first(story as u32) as usize;
    let mut members: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (&story, parts) in &parts {
        let rounded_up = firsts(&parts.rounded_up).into_iter();
        let mut all: BTreeSet<usize> = rounded_up
            .filter(|&part| !is_round_up(part))
            .map(home)
            .collect();
        if all.is_empty() {
            all.insert(home(story));
        }
        let pages = graph.story(story as u32).map(|page| page as usize);
        let pages: Vec<usize> = pages.collect();
        for home in all {
            members.entry(home).or_default().extend(&pages);
        }
    }
    let group = |members: BTreeSet<usize>| -> Option<(usize, Vec<usize>)> {
        let stands = |&&place: &&usize| !is_round_up(first(place as u32));
        let first = members.iter().find(stands).or(members.first()).copied()?;
        let others = members.into_iter().filter(|&place| place != first);
        Some((first, others.collect()))
    };
    let mut groups: Vec<_> = members.into_values().filter_map(group).collect();
    groups.sort_unstable();
    groups
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use retold::Relation::{ContainedBy, Contains, Duplicate, Overlaps};

    use super::*;

    #[test]
    fn groups_by_hand() {
        // Copies are grouped transitively; the remaining page stands alone.
        assert_eq!(
            groups(5, &[(0, 3, Duplicate), (3, 4, Duplicate)]),
            [(0, vec![3, 4]), (1, vec![]), (2, vec![])]
        );
        // An excerpt joins its story even if it is ranked first, and its copies join too.
        assert_eq!(groups(2, &[(0, 1, Contains)]), [(0, vec![1])]);
        assert_eq!(
            groups(3, &[(0, 1, ContainedBy), (0, 2, Duplicate)]),
            [(0, vec![1, 2])]
        );
        // Page 0 contains 1 and 2, which are two stories: it is listed with both and leads neither.
        assert_eq!(
            groups(3, &[(0, 1, Contains), (0, 2, Contains)]),
            [(1, vec![0]), (2, vec![0])]
        );
        // If 1 contains 2, they are one story.
        assert_eq!(
            groups(3, &[(0, 1, Contains), (0, 2, Contains), (1, 2, Contains)]),
            [(0, vec![1, 2])]
        );
        // Two pages contain 2. It is an excerpt of the first and does not connect the two.
        assert_eq!(
            groups(3, &[(0, 2, Contains), (1, 2, Contains)]),
            [(0, vec![2]), (1, vec![])]
        );
        // Pages that overlap are two stories, even if both contain the same excerpt.
        assert_eq!(
            groups(3, &[(0, 1, Overlaps), (0, 2, Contains), (1, 2, Contains)]),
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
        /// Every page is in a group. Only round-ups are in more than one. Copies are together. No group lacks a relation.
        #[test]
        fn nothing_is_lost(pairs in proptest::collection::btree_map((0usize..12, 0usize..12), 0usize..4, 0..25)) {
            let pairs: Vec<_> = pairs.into_iter().filter(|((a, b), _)| a < b)
                .map(|((a, b), relation)| (a, b, [Duplicate, Contains, ContainedBy, Overlaps][relation])).collect();
            let groups = groups(12, &pairs);
            let homes = |place: usize| groups.iter().enumerate()
                .filter(|(_, (first, others))| *first == place || others.contains(&place)).map(|(at, _)| at).collect::<Vec<_>>();
            prop_assert!(groups.is_sorted_by(|a, b| a.0 < b.0));
            for place in 0..12 {
                let parts: BTreeSet<usize> = pairs.iter().filter_map(|&(a, b, relation)| match relation {
                    Contains => Some((a, b)), ContainedBy => Some((b, a)), Duplicate | Overlaps => None,
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
                prop_assert!(others.is_empty() || pairs.iter().any(|(a, b, relation)| *relation != Overlaps && (a == first || b == first)));
                prop_assert!(others.is_sorted_by(|a, b| a < b) && !others.contains(first));
            }
        }
    }
}
