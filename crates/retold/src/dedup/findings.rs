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

/// All that a run found out.
#[derive(Debug)]
#[non_exhaustive]
pub struct Findings {
    /// What judged the pages, with what it learnt from them.
    pub model: Model,
    /// What was read.
    pub sources: Vec<Source>,
    /// How many of them are to be rid of copies; the others are those that they were compared with ([`Dedup::against`]).
    ///
    /// [`Dedup::against`]: super::Dedup::against
    pub new_sources: usize,
    /// How many of the last pages of the collection are old ones, which the others were compared with.
    pub old_pages: usize,
    /// How many old pages had the id and the text of a new one ([`AgainstSelf`](crate::AgainstSelf)).
    pub own_pages: usize,
    /// The pages and what happened to all other records.
    pub collection: Collection,
    /// Pages in the order of their ids.
    pub by_id: Vec<PageNo>,
    /// Related pages, ascending.
    pub pairs: Pairs,
    /// Connected components too large for all their pairs to be listed: the most preferred page and the number of pages. A
    /// page that is related only to pages of it that are dropped need not be counted among them.
    pub large_components: Vec<(Rank, usize)>,
    /// Pairs that overlap and are not among [`Findings::pairs`], because a page is listed with those 20 that are most similar to it.
    pub overlaps_not_listed: u64,
    /// Clusters of two pages or more.
    pub clusters: Vec<Cluster>,
    /// With [`Linkage::PerPage`] the classes of related pages, which overlap, by their centres; of a large component those of the pairs that
    /// are listed.
    ///
    /// [`Linkage::PerPage`]: crate::Linkage::PerPage
    pub classes: Vec<Class>,
    /// The dropped pages, ascending.
    pub dropped: Vec<Dropped>,
    /// What was compared: the different sketches, noise deleted.
    pub pruned: PrunedSketches,
    /// Which of them each page has, in the order of reading.
    pub pruned_of: Vec<PrunedNo>,
    /// The sketches as pages have them (`PageRow::sketch`), keys only, if noise was deleted from them; `None` if they
    /// are those of `pruned`.
    pub unpruned: Option<Sketches>,
    /// Pairs of different sketches that were compared.
    pub candidates: u64,
    /// Kept pages with keys on so many pages that not all of these were compared with each other. They may repeat a kept page
    /// with which they share only such keys.
    pub partly_compared: u64,
    /// Verdicts that were verified on texts.
    pub verified: Verified,
    /// Threads that worked.
    pub threads: usize,
    /// The stages, in order.
    pub times: Vec<StageTime>,
}

impl Findings {
    /// Where the texts of pages come from again; those of pages of no source do not.
    pub(crate) fn reread(&self) -> Reread<'_> {
        Reread {
            sources: &self.sources,
            model: &self.model,
            collection: &self.collection,
            others: None,
        }
    }

    /// The properties of the page with that rank that pair filters use.
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
