//! The stories of an index, each with its pages in order of time.

use retold::StoryEdges;

use crate::pages::Pages;

/// A story as its pages stand in time.
#[derive(Debug)]
pub(crate) struct Told {
    /// The page that stands for it ([`retold::StoryGraph::root`]).
    pub(crate) root: u32,
    /// The page that names it.
    pub(crate) name: u32,
    /// Its pages by time.
    pub(crate) pages: Vec<u32>,
    pub(crate) moments: Vec<i64>,
}

/// All stories that lists have, and which contain which.
#[derive(Debug)]
pub(crate) struct Telling {
    /// By their roots.
    pub(crate) stories: Vec<Told>,
    pub(crate) edges: StoryEdges,
    /// The newest page's moment.
    pub(crate) latest: Option<i64>,
}

impl Telling {
    /// Pages before the number `visible` were committed.
    ///
    /// Time O(n) for all pages, and O(n log n) for those that are related, and their relations.
    pub(crate) fn of(pages: &Pages, visible: u32) -> Telling {
        let edges = pages.graph.edges();
        let stories = pages.graph.stories(&edges).into_iter();
        let told = |(root, mut members): (u32, Vec<u32>)| {
            members.sort_unstable_by_key(|&page| pages.time(page));
            Told {
                root,
                name: pages.graph.first(root),
                moments: members.iter().map(|&page| pages.time(page).0).collect(),
                pages: members,
            }
        };
        let live = (0..visible).filter(|&page| pages.is_live(page));
        Telling {
            stories: stories.map(told).collect(),
            edges,
            latest: live.map(|page| pages.time(page).0).max(),
        }
    }

    /// The story of a root, if lists have it.
    pub(crate) fn story(&self, root: u32) -> Option<&Told> {
        let place = self.stories.binary_search_by_key(&root, |told| told.root);
        place.ok().and_then(|place| self.stories.get(place))
    }
}
