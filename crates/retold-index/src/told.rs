//! The stories of an index, each with its pages in order of time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use retold::internal::StoryEdges;
use rustc_hash::FxHashSet;

use crate::pages::Pages;

/// A story as its pages stand in time.
#[derive(Debug, PartialEq)]
pub(crate) struct Told {
    /// The page that names it.
    pub(crate) name: u32,
    /// Its pages by time.
    pub(crate) pages: Vec<u32>,
    pub(crate) moments: Vec<i64>,
}

impl Told {
    /// The story of a root.
    fn of(pages: &Pages, root: u32) -> Told {
        let mut members: Vec<u32> = pages.graph.story(root).collect();
        members.sort_unstable_by_key(|&page| pages.time(page));
        Told {
            name: pages.graph.first(root),
            moments: members.iter().map(|&page| pages.time(page).0).collect(),
            pages: members,
        }
    }
}

/// All stories that lists have, and which contain which.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Telling {
    /// By their roots ([`retold::internal::StoryGraph::root`]).
    stories: BTreeMap<u32, Arc<Told>>,
    pub(crate) edges: StoryEdges,
    /// The newest page's moment.
    pub(crate) latest: Option<i64>,
}

impl Telling {
    /// Tells what changed since: the stories of these roots, as they were before and as they are now. Pages before the number `visible` were
    /// committed.
    ///
    /// Time O(pages and relations of these stories and of those that contain them, each with the logarithm of all), and a look at the moment
    /// of every page.
    pub(crate) fn tell(&mut self, pages: &Pages, changed: &FxHashSet<u32>, visible: u32) {
        let changed: BTreeSet<u32> = changed.iter().copied().collect();
        for root in self.edges.tell(&pages.graph, &changed) {
            if !pages.graph.is_listed(root, &self.edges) {
                self.stories.remove(&root);
            } else if changed.contains(&root) || !self.stories.contains_key(&root) {
                self.stories.insert(root, Arc::new(Told::of(pages, root)));
            }
        }
        let live = (0..visible).filter(|&page| pages.is_live(page));
        let moments = live
            .filter_map(|page| pages.row(page))
            .map(|row| row.moment);
        self.latest = moments.max();
    }

    /// By their roots.
    pub(crate) fn stories(&self) -> impl Iterator<Item = &Told> {
        self.stories.values().map(|told| &**told)
    }

    /// How many they are.
    pub(crate) fn len(&self) -> usize {
        self.stories.len()
    }

    /// The story of a root, if lists have it.
    pub(crate) fn story(&self, root: u32) -> Option<&Told> {
        self.stories.get(&root).map(|told| &**told)
    }
}

/// The stories as they were told last, and what changed since.
#[derive(Debug, Default)]
pub(crate) struct Stories {
    /// The roots of stories that changed, as they were and as they are.
    pub(crate) changed: FxHashSet<u32>,
    /// Where the log ended.
    at: Option<(u32, u64)>,
    telling: Arc<Telling>,
}

impl Stories {
    /// The stories as of the commit that ends at a place of the log.
    pub(crate) fn telling(&mut self, at: (u32, u64), pages: &Pages, visible: u32) -> Arc<Telling> {
        if self.at != Some(at) {
            // A copy is made only if someone still reads what was told before.
            let telling = Arc::make_mut(&mut self.telling);
            telling.tell(pages, &std::mem::take(&mut self.changed), visible);
            self.at = Some(at);
        }
        Arc::clone(&self.telling)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use retold::Relation;

    use super::*;
    use crate::links::{Link, LinkKind};
    use crate::pages::Row;

    #[derive(Clone, Debug)]
    enum Step {
        /// A page with its moment.
        Add(i64),
        /// By how many pages the two are before the last one.
        Link(u32, u32, LinkKind),
        Remove(Vec<u32>),
        Tell,
    }

    fn kind() -> impl Strategy<Value = LinkKind> {
        prop_oneof![
            3 => Just(LinkKind::Related(Relation::Duplicate)),
            2 => Just(LinkKind::Related(Relation::Contains)),
            2 => Just(LinkKind::Related(Relation::ContainedBy)),
            1 => Just(LinkKind::Replaces),
        ]
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let link = (0u32..24, 0u32..24, kind()).prop_map(|(a, b, kind)| Step::Link(a, b, kind));
        let remove = proptest::collection::vec(0u32..24, 1..4).prop_map(Step::Remove);
        let step = prop_oneof![
            6 => (0i64..8).prop_map(Step::Add),
            8 => link,
            1 => remove,
            2 => Just(Step::Tell),
        ];
        proptest::collection::vec(step, 0..90)
    }

    /// All stories, told at once.
    fn anew(pages: &Pages) -> Telling {
        let all = (0..pages.len() as u32).map(|page| pages.graph.root(page));
        let mut telling = Telling::default();
        telling.tell(pages, &all.collect(), pages.len() as u32);
        assert_eq!(telling.edges, pages.graph.edges());
        telling
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        /// Stories that are told after each change are those that are told at once.
        #[test]
        fn what_changed_is_told(steps in steps()) {
            let (mut pages, mut stories) = (Pages::default(), Stories::default());
            for (at, step) in (0..).zip(steps.into_iter().chain([Step::Tell])) {
                let last = (pages.len() as u32).saturating_sub(1);
                let changed = &mut stories.changed;
                match step {
                    Step::Add(moment) => {
                        pages.push(Row { log: 1, at: 0, lengths: (0, 0), keys: 0, moment });
                    }
                    Step::Link(a, b, kind) => {
                        let (page, other) = (last.saturating_sub(a), last.saturating_sub(b));
                        pages.link(Link { page, other, kind }, changed);
                    }
                    Step::Remove(gone) => {
                        let gone: Vec<u32> = gone.iter().map(|back| last.saturating_sub(*back)).collect();
                        if pages.len() > 0 {
                            pages.remove(&gone, changed);
                        }
                    }
                    Step::Tell => {
                        let told = stories.telling((1, at), &pages, pages.len() as u32);
                        prop_assert_eq!(&*told, &anew(&pages));
                    }
                }
            }
        }
    }
}
