//! Links: relations between pages, found when the pages were added. Stories are derived from them.

use retold::internal::StoryGraph;
use retold::{Error, Findings, Rank, Relation, Result};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkKind {
    Related(Relation),
    /// The page replaced the other, which had the same id or address.
    Replaces,
}

/// A link says what `page` is to `other`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) page: u32,
    pub(crate) other: u32,
    pub(crate) kind: LinkKind,
}

/// Low bits that hold the page number; the bits above hold the kind of link.
const PAGE_BITS: u32 = 29;
/// The largest number of pages an index can have.
pub(crate) const MOST_PAGES: usize = 1 << PAGE_BITS;

impl Link {
    /// The stored form of the link. If the bits above the page are 0, the link was written by 0.1, which did not record the kind.
    pub(crate) fn to_numbers(self) -> (u32, u32) {
        let kind = match self.kind {
            LinkKind::Related(Relation::Duplicate) => 1,
            LinkKind::Related(Relation::Contains) => 2,
            LinkKind::Related(Relation::ContainedBy) => 3,
            LinkKind::Replaces => 4,
            LinkKind::Related(Relation::Overlaps) => 5,
        };
        (self.page, kind << PAGE_BITS | self.other)
    }

    /// `None` if the link has no kind.
    pub(crate) fn from_numbers((page, other): (u32, u32)) -> Option<Link> {
        let kind = match other >> PAGE_BITS {
            1 => LinkKind::Related(Relation::Duplicate),
            2 => LinkKind::Related(Relation::Contains),
            3 => LinkKind::Related(Relation::ContainedBy),
            4 => LinkKind::Replaces,
            5 => LinkKind::Related(Relation::Overlaps),
            _ => return None,
        };
        let other = other & (MOST_PAGES as u32 - 1);
        Some(Link { page, other, kind })
    }

    pub(crate) fn duplicates(self) -> Option<(u32, u32)> {
        (self.kind == LinkKind::Related(Relation::Duplicate)).then_some((self.page, self.other))
    }
}

/// Fails if an index cannot hold this many pages.
pub(crate) fn check_room(pages: usize) -> Result<()> {
    match pages <= MOST_PAGES {
        true => Ok(()),
        false => Err(Error::usage(format!(
            "an index holds at most {MOST_PAGES} pages, including removed ones: `retold index compact` makes room"
        ))),
    }
}

/// Duplicates in one story to which a page is linked at most. One is enough to join the story; more keep it together when pages are
/// removed.
const DUPLICATES: usize = 4;

/// Selects which of a page's relations are stored: the best few duplicates in each story, and one page of each story that it contains or
/// that contains it. Stories need no more.
#[derive(Debug, Default)]
pub(crate) struct Thin {
    seen: FxHashMap<((u32, bool), Relation), usize>,
}

impl Thin {
    /// Whether to store a relation to a page of a story. Relations come best first.
    pub(crate) fn keeps(&mut self, story: (u32, bool), relation: Relation) -> bool {
        let most = match relation {
            Relation::Duplicate => DUPLICATES,
            Relation::Contains | Relation::ContainedBy => 1,
            // An overlap connects no stories.
            Relation::Overlaps => 0,
        };
        let seen = self.seen.entry((story, relation)).or_default();
        *seen += 1;
        *seen <= most
    }
}

/// The links that adding these pages one by one would have made. `page` maps ranks to page numbers; `are_one_frame` is asked about pages
/// with equal texts.
pub(crate) fn links_of_run(
    findings: &Findings,
    page: impl Fn(Rank) -> u32,
    are_one_frame: impl Fn(u32, u32) -> Result<bool>,
) -> Result<Vec<Link>> {
    // Sort by the later page, then by descending similarity.
    let mut pairs: Vec<(u32, u32, u32, Relation)> = Vec::with_capacity(findings.pairs.len());
    for pair in findings.pairs.iter() {
        let (a, b) = (page(pair.a), page(pair.b));
        if pair.similarity == 1.0 && are_one_frame(a, b)? {
            continue;
        }
        let unlike = u32::MAX - pair.similarity.to_bits();
        pairs.push(match a > b {
            true => (a, unlike, b, pair.relation),
            false => (b, unlike, a, pair.relation.swapped()),
        });
    }
    pairs.sort_unstable();
    let last = pairs.last().map_or(0, |pair| pair.0 as usize + 1);
    let mut graph = StoryGraph::of(last);
    let mut links = Vec::new();
    for run in pairs.chunk_by(|a, b| a.0 == b.0) {
        let mut thin = Thin::default();
        let kept = run
            .iter()
            .filter(|pair| thin.keeps((graph.root(pair.2), false), pair.3));
        let kept: Vec<_> = kept.collect();
        for &&(page, _, other, relation) in &kept {
            graph.relate(page, other, relation);
            let kind = LinkKind::Related(relation);
            links.push(Link { page, other, kind });
        }
    }
    Ok(links)
}

/// Links between pages that remain, with their new numbers; `stay` ascends.
pub(crate) fn renumbered(links: impl Iterator<Item = Link>, stay: &[u32]) -> Vec<Link> {
    let new = |page: u32| stay.binary_search(&page).ok().map(|at| at as u32);
    let link = |link: Link| {
        let page = new(link.page)?;
        let other = match link.kind {
            LinkKind::Related(_) => new(link.other)?,
            // A removed page is represented by the next remaining page.
            LinkKind::Replaces => stay.partition_point(|&page| page < link.other) as u32,
        };
        Some(Link {
            page,
            other,
            ..link
        })
    };
    let mut seen = FxHashSet::default();
    let links = links
        .filter_map(link)
        .filter(|link| link.page != link.other);
    links
        .filter(|link| seen.insert(link.to_numbers()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_in_numbers() {
        let relations = [
            Relation::Duplicate,
            Relation::Contains,
            Relation::ContainedBy,
            Relation::Overlaps,
        ];
        let kinds = relations.map(LinkKind::Related).into_iter();
        for kind in kinds.chain([LinkKind::Replaces]) {
            let last = MOST_PAGES as u32 - 1;
            let link = Link {
                page: last,
                other: last,
                kind,
            };
            assert_eq!(Link::from_numbers(link.to_numbers()), Some(link));
        }
        assert_eq!(Link::from_numbers((5, 4)), None, "0.1 wrote pages only");
        assert!(check_room(MOST_PAGES).is_ok() && check_room(MOST_PAGES + 1).is_err());
    }

    #[test]
    fn no_link_is_kept_of_pages_that_overlap() {
        let mut thin = Thin::default();
        assert!(!thin.keeps((1, false), Relation::Overlaps));
        assert!(thin.keeps((1, false), Relation::Contains));
        assert!(!thin.keeps((1, false), Relation::Contains));
    }

    #[test]
    fn a_page_takes_the_place_of_one_that_is_gone() {
        let link = |page, other, kind| Link { page, other, kind };
        let duplicate = LinkKind::Related(Relation::Duplicate);
        let links = [
            link(9, 0, LinkKind::Replaces),
            link(9, 4, duplicate),
            link(9, 4, duplicate),
            link(9, 2, duplicate),
        ];
        // 0 and 2 were removed, so 3, 4 and 9 become 0, 1 and 2.
        let now = renumbered(links.into_iter(), &[3, 4, 9]);
        assert_eq!(now, [link(2, 0, LinkKind::Replaces), link(2, 1, duplicate)]);
    }
}
