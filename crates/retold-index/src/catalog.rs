//! Stories of the index, each with its pages in order of time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use retold::internal::StoryEdges;
use rustc_hash::FxHashSet;

use crate::pages::Pages;

#[derive(Debug, PartialEq)]
pub(crate) struct StoryTimeline {
    /// The page that names the story.
    pub(crate) name: u32,
    pub(crate) pages: Vec<u32>,
    pub(crate) moments: Vec<i64>,
}

impl StoryTimeline {
    fn of(pages: &Pages, root: u32) -> StoryTimeline {
        let mut members: Vec<u32> = pages.graph.story(root).collect();
        members.sort_unstable_by_key(|&page| pages.time(page));
        StoryTimeline {
            name: pages.graph.first(root),
            moments: members.iter().map(|&page| pages.time(page).0).collect(),
            pages: members,
        }
    }
}

/// All stories that appear in lists, and which contains which.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StoryCatalog {
    /// By root ([`retold::internal::StoryGraph::root`]).
    stories: BTreeMap<u32, Arc<StoryTimeline>>,
    pub(crate) edges: StoryEdges,
    pub(crate) latest: Option<i64>,
}

impl StoryCatalog {
    /// Updates the stories with these roots, which are roots before and after the changes. Pages before the number `visible` are committed.
    ///
    /// Time O(pages and relations of these stories and of those that contain them, times the logarithm of all), plus a scan of the dates of
    /// all pages.
    pub(crate) fn update(&mut self, pages: &Pages, changed: &FxHashSet<u32>, visible: u32) {
        let changed: BTreeSet<u32> = changed.iter().copied().collect();
        for root in self.edges.tell(&pages.graph, &changed) {
            if !pages.graph.is_listed(root, &self.edges) {
                self.stories.remove(&root);
            } else if changed.contains(&root) || !self.stories.contains_key(&root) {
                self.stories
                    .insert(root, Arc::new(StoryTimeline::of(pages, root)));
            }
        }
        let live = (0..visible).filter(|&page| pages.is_live(page));
        let moments = live
            .filter_map(|page| pages.row(page))
            .map(|row| row.moment);
        self.latest = moments.max();
    }

    pub(crate) fn stories(&self) -> impl Iterator<Item = &StoryTimeline> {
        self.stories.values().map(|story| &**story)
    }

    pub(crate) fn len(&self) -> usize {
        self.stories.len()
    }

    /// The story with this root, if it appears in lists.
    pub(crate) fn story(&self, root: u32) -> Option<&StoryTimeline> {
        self.stories.get(&root).map(|story| &**story)
    }
}

/// The stories as of the last update, and what has changed since.
#[derive(Debug, Default)]
pub(crate) struct Stories {
    /// Roots of changed stories, before and after the change.
    pub(crate) changed: FxHashSet<u32>,
    /// End of the log at the last update.
    at: Option<(u32, u64)>,
    catalog: Arc<StoryCatalog>,
}

impl Stories {
    /// The stories as of the commit that ends at `at` in the log.
    pub(crate) fn catalog(
        &mut self,
        at: (u32, u64),
        pages: &Pages,
        visible: u32,
    ) -> Arc<StoryCatalog> {
        if self.at != Some(at) {
            // Copies only if someone still reads the earlier version.
            let catalog = Arc::make_mut(&mut self.catalog);
            catalog.update(pages, &std::mem::take(&mut self.changed), visible);
            self.at = Some(at);
        }
        Arc::clone(&self.catalog)
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
        Add(i64),
        /// Two pages, given as distances from the last one.
        Link(u32, u32, LinkKind),
        Remove(Vec<u32>),
        Update,
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
            2 => Just(Step::Update),
        ];
        proptest::collection::vec(step, 0..90)
    }

    /// All stories, computed from scratch.
    fn anew(pages: &Pages) -> StoryCatalog {
        let all = (0..pages.len() as u32).map(|page| pages.graph.root(page));
        let mut catalog = StoryCatalog::default();
        catalog.update(pages, &all.collect(), pages.len() as u32);
        assert_eq!(catalog.edges, pages.graph.edges());
        catalog
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        /// Updating the stories after each change gives the same result as computing them from scratch.
        #[test]
        fn what_changed_is_updated(steps in steps()) {
            let (mut pages, mut stories) = (Pages::default(), Stories::default());
            for (at, step) in (0..).zip(steps.into_iter().chain([Step::Update])) {
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
                    Step::Update => {
                        let found = stories.catalog((1, at), &pages, pages.len() as u32);
                        prop_assert_eq!(&*found, &anew(&pages));
                    }
                }
            }
        }
    }
}
