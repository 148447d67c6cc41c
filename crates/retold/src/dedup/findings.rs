//! The results of a run.

use std::borrow::Cow;

use super::retain::Dropped;
use crate::cluster::{Class, Cluster, Pairs};
use crate::collect::{Collection, PageRow};
use crate::filter::Scope;
use crate::ids::{PageNo, PrunedNo, Rank};
use crate::model::{Model, PrunedSketches};
use crate::read::Source;
use crate::relation::Relation;
use crate::sketch::Sketches;
use crate::stage::StageTime;
use crate::verify::{Reread, Verified};

/// The results of a run.
#[derive(Debug)]
#[non_exhaustive]
pub struct Findings {
    /// The model that judged the pages, with what it learnt from them.
    pub model: Model,
    /// The sources that were read.
    pub sources: Vec<Source>,
    /// How many of them are deduplicated; the others are those of [`Dedup::against`].
    ///
    /// [`Dedup::against`]: super::Dedup::against
    pub new_sources: usize,
    /// How many pages at the end of the collection are old ones.
    pub old_pages: usize,
    /// How many old pages have the id and text of a new one ([`AgainstSelf`](crate::AgainstSelf)).
    pub own_pages: usize,
    /// The pages and the fate of all other records.
    pub collection: Collection,
    /// Pages in the order of their ids.
    pub by_id: Vec<PageNo>,
    /// Related pages, ascending.
    pub pairs: Pairs,
    /// Connected components too large for all their pairs to be listed: the most preferred page and the number of pages. A page that is
    /// related only to dropped pages of the component may not be counted.
    pub large_components: Vec<(Rank, usize)>,
    /// Pairs that overlap and are not in [`Findings::pairs`], because only the 20 most similar pages are listed with a page.
    pub overlaps_not_listed: u64,
    /// Clusters of two pages or more.
    pub clusters: Vec<Cluster>,
    /// With [`Linkage::PerPage`] the overlapping classes of related pages, by their centres; in a large component they are based on the
    /// listed pairs.
    ///
    /// [`Linkage::PerPage`]: crate::Linkage::PerPage
    pub classes: Vec<Class>,
    /// The dropped pages, ascending.
    pub dropped: Vec<Dropped>,
    /// The different sketches that were compared, after deleting noise.
    pub pruned: PrunedSketches,
    /// The pruned sketch of each page, in reading order.
    pub pruned_of: Vec<PrunedNo>,
    /// The original sketches (`PageRow::sketch`), keys only, if noise was deleted; `None` if they equal those of `pruned`.
    pub unpruned: Option<Sketches>,
    /// The number of pairs of different sketches that were compared.
    pub candidates: u64,
    /// The number of kept pages with keys so frequent that their posting lists were closed. They may repeat a kept page with which they
    /// share only such keys.
    pub partly_compared: u64,
    /// Counts of verified verdicts.
    pub verified: Verified,
    /// The number of threads used.
    pub threads: usize,
    /// The stages, in order.
    pub times: Vec<StageTime>,
}

impl Findings {
    /// The source for reading texts again; it lacks pages that belong to no source.
    pub(crate) fn reread(&self) -> Reread<'_> {
        Reread {
            sources: &self.sources,
            model: &self.model,
            collection: &self.collection,
            others: None,
        }
    }

    /// The data of the page with that rank for pair filters.
    pub(crate) fn scope(&self, rank: Rank) -> Scope {
        let number = self.by_id[rank.at()];
        let seen = self.collection.pages.seen(number);
        self.model.scope(&seen, self.collection.page(number).date)
    }

    /// The page with that rank.
    pub fn page(&self, rank: Rank) -> PageRow {
        self.collection.page(self.by_id[rank.at()])
    }

    /// The id of the page with that rank.
    pub fn id(&self, rank: Rank) -> Cow<'_, str> {
        self.collection.id(self.by_id[rank.at()])
    }

    /// The different sketches that pages have (`PageRow::sketch`), noise included; of marks and the like only if no noise
    /// was deleted.
    pub fn sketches(&self) -> &Sketches {
        self.unpruned.as_ref().unwrap_or(self.pruned.sketches())
    }

    /// The pruned sketch of the page with that rank.
    pub fn pruned(&self, rank: Rank) -> PrunedNo {
        self.pruned_of[self.by_id[rank.at()].at()]
    }

    /// The number of the cluster of each page, by rank; none of pages that are in none.
    pub fn cluster_of(&self) -> Vec<Option<u32>> {
        let mut cluster_of = vec![None; self.by_id.len()];
        for (number, cluster) in (0..).zip(&self.clusters) {
            for member in &cluster.members {
                cluster_of[member.at()] = Some(number);
            }
        }
        cluster_of
    }

    /// What the page `a` is to the page `b`, if they are listed as related.
    pub fn relation(&self, a: Rank, b: Rank) -> Option<Relation> {
        let relation = self.pairs.find(a.min(b), a.max(b))?.relation;
        Some(if a < b { relation } else { relation.swapped() })
    }
}
