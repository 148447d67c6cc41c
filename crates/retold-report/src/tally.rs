//! Counts whose pages were dropped, and for whose pages, once for all that reads it.

use retold::{DroppedAs, Findings, Rank};

/// The pages of sites, or of inputs, and what became of them.
pub(crate) struct Tally {
    /// Pages of each by its number, without old ones; the last place is for pages of none.
    pages: Vec<u32>,
    /// The dropped pages by who keeps and who loses, ascending.
    pub gone: Vec<Gone>,
}

/// Dropped pages of one site or input for which pages of another one, or of itself, stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gone {
    /// The number of the one whose pages are kept.
    pub keeps: u32,
    /// The number of the one whose pages are dropped.
    pub loses: u32,
    /// The number of dropped pages.
    pub pages: u32,
    /// How many of them are older versions of an address.
    pub versions: u32,
    /// Words of their own.
    pub lost: u64,
}

/// What one site or input lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loser {
    pub number: u32,
    /// All its pages.
    pub pages: u64,
    pub dropped: u64,
    /// Words of their own.
    pub lost: u64,
    /// The number of the one whose pages stand for most of the dropped ones, and for how many.
    pub most: (u32, u64),
}

/// The tallies of a run.
pub(crate) struct Tallies {
    pub sites: Tally,
    pub inputs: Tally,
}

impl Tallies {
    pub fn of(findings: &Findings) -> Tallies {
        let pages = &findings.collection.pages;
        let site_of = pages.iter().map(|page| page.site.unwrap_or(u32::MAX));
        let input_of = pages.iter().map(|page| page.source);
        Tallies {
            sites: Tally::new(findings, site_of.collect(), findings.collection.sites.len()),
            inputs: Tally::new(findings, input_of.collect(), findings.sources.len()),
        }
    }
}

impl Tally {
    /// Counts the pages of `count` sites or inputs; `of_page` has the number of each page, in reading order. Higher numbers are none.
    fn new(findings: &Findings, mut of_page: Vec<u32>, count: usize) -> Tally {
        let none = count as u32;
        of_page
            .iter_mut()
            .for_each(|number| *number = none.min(*number));
        let new = of_page.len() - findings.old_pages;
        let mut pages = vec![0; count + 1];
        for &number in &of_page[..new] {
            pages[number as usize] += 1;
        }
        let whose = |rank: Rank| of_page[findings.by_id[rank.at()].at()];
        let gone = findings.dropped.iter().map(|drop| Gone {
            keeps: whose(drop.canonical),
            loses: whose(drop.page),
            pages: 1,
            versions: u32::from(drop.relation == DroppedAs::SameUrl),
            lost: u64::from(drop.lost),
        });
        Tally {
            pages,
            gone: added_up(gone.collect()),
        }
    }

    /// The number of pages without a site, or of no input, which is higher than all others.
    pub fn none(&self) -> u32 {
        self.pages.len() as u32 - 1
    }

    /// All pages of one.
    pub fn pages(&self, number: u32) -> u64 {
        u64::from(self.pages[number as usize])
    }

    /// Those that lost pages, the worst first: by the number of dropped pages times their share, then by name.
    pub fn losers<'n>(&self, name: impl Fn(u32) -> Option<&'n str>) -> Vec<Loser> {
        let mut gone: Vec<&Gone> = self.gone.iter().collect();
        gone.retain(|gone| gone.loses != self.none());
        gone.sort_unstable_by(|a, b| {
            let most = || b.pages.cmp(&a.pages);
            let by_name = || name(a.keeps).cmp(&name(b.keeps));
            a.loses.cmp(&b.loses).then_with(most).then_with(by_name)
        });
        let losers = gone.chunk_by(|a, b| a.loses == b.loses).map(|gone| Loser {
            number: gone[0].loses,
            pages: self.pages(gone[0].loses),
            dropped: gone.iter().map(|gone| u64::from(gone.pages)).sum(),
            lost: gone.iter().map(|gone| gone.lost).sum(),
            most: (gone[0].keeps, u64::from(gone[0].pages)),
        });
        let mut losers: Vec<Loser> = losers.collect();
        losers.sort_by(|a, b| {
            // a.dropped² / a.pages and b.dropped² / b.pages, without division.
            let weight = |of: &Loser, over: &Loser| {
                u128::from(of.dropped) * u128::from(of.dropped) * u128::from(over.pages)
            };
            let worst = weight(b, a).cmp(&weight(a, b));
            worst.then_with(|| name(a.number).cmp(&name(b.number)))
        });
        losers
    }
}

/// One entry for each pair of numbers, ascending.
fn added_up(mut gone: Vec<Gone>) -> Vec<Gone> {
    gone.sort_unstable_by_key(|gone| (gone.keeps, gone.loses));
    gone.dedup_by(|next, first| {
        let is_same = (next.keeps, next.loses) == (first.keeps, first.loses);
        if is_same {
            first.pages += next.pages;
            first.versions += next.versions;
            first.lost += next.lost;
        }
        is_same
    });
    gone.shrink_to_fit();
    gone
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 4] = ["a", "b", "c", "d"];

    fn name(number: u32) -> Option<&'static str> {
        NAMES.get(number as usize).copied()
    }

    fn gone(keeps: u32, loses: u32, pages: u32, lost: u64) -> Gone {
        let versions = 0;
        Gone {
            keeps,
            loses,
            pages,
            versions,
            lost,
        }
    }

    #[test]
    fn dropped_pages_are_added_up_by_hand() {
        let one = |keeps, loses, lost| gone(keeps, loses, 1, lost);
        let each = vec![one(1, 0, 5), one(0, 1, 2), one(1, 0, 7), one(1, 2, 0)];
        let expected = [gone(0, 1, 1, 2), gone(1, 0, 2, 12), gone(1, 2, 1, 0)];
        assert_eq!(added_up(each), expected);
    }

    /// Weights: a lost all of its 10 pages (10), b 20 of 100 (4), c 3 of 4 (2.25), d 12 of 36 (4); pages of no site are not listed.
    #[test]
    fn the_worst_loss_comes_first_by_hand() {
        let tally = Tally {
            pages: vec![10, 100, 4, 36, 7],
            gone: vec![
                gone(0, 3, 6, 0),
                gone(1, 0, 4, 30),
                gone(1, 3, 6, 1),
                gone(2, 0, 6, 12),
                gone(3, 1, 20, 0),
                gone(4, 2, 3, 2),
                gone(4, 4, 7, 0),
            ],
        };
        let losers = tally.losers(name);
        let of = |loser: &Loser| (loser.number, loser.dropped, loser.lost, loser.most);
        let expected = [
            (0, 10, 42, (2, 6)),
            (1, 20, 0, (3, 20)),
            // Of equal numbers the first name.
            (3, 12, 1, (0, 6)),
            (2, 3, 2, (4, 3)),
        ];
        assert_eq!(losers.iter().map(of).collect::<Vec<_>>(), expected);
        assert_eq!((losers[2].pages, tally.none()), (36, 4));
    }
}
