//! Posting lists of seeds: finds pages that share seeds, and where.

use super::dropped::{PageSeeds, RepeatedRuns};
use super::measure::Measure;
use super::pages::{PageWords, TextPages};
use super::seeds::{Runs, Seed};
use crate::compare::Word;
use crate::error::{Error, Result};
use crate::spill::{Memory, Sorted, Sorter};
use crate::watch::Watch;

/// If a page has a long seed more often than this, whole runs are compared; of a short seed only the first places count.
const OFTEN: usize = 4;
/// How many of the runs on too many pages are reported.
const NAMED: usize = 10;
/// A short seed may be on this many pages, or on 1/`RARER` of those on which a long one is compared in all pairs if that is more: a common
/// phrase is weak evidence.
const SHORT_DF: usize = 25;
pub(super) const RARER: usize = 4;
/// Approximate number of hits passed on at a time.
const TOGETHER: usize = 1 << 14;

/// The hash of a seed; its page, its place, and whether it is repeated itself ([`PageSeeds`]).
type Posting = [u64; 2];

/// The two pages, the smaller in the high half; and both places with a flag for long seeds.
type Hit = [u64; 2];

/// A run of the minimum length on more than `max_df` pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Common {
    pub(super) df: u32,
    /// A page that has it, and its first word there.
    pub(super) page: u32,
    pub(super) at: u32,
}

/// The hits collected from posting lists.
pub(super) struct Hits<'p> {
    pages: &'p TextPages,
    hits: Sorter<Hit>,
    /// The number of runs on more than `max_df` pages, and the most frequent of them.
    pub(super) common: u64,
    pub(super) most_common: Vec<Common>,
    /// See [`Candidates::monotonous`].
    monotonous: u64,
    max_df: usize,
}

/// Finds the places at which two pages share a seed.
///
/// Errors: a temporary file cannot be written, the run was cancelled.
pub(super) fn hits<'p>(
    pages: &'p TextPages,
    words: &PageWords,
    measure: Measure,
    max_df: u32,
    memory: &Memory,
    watch: &dyn Watch,
) -> Result<Hits<'p>> {
    let mut postings: Sorter<Posting> = Sorter::new(memory);
    let seeds = |page: u32, of: &[Word]| -> (Vec<Posting>, u64) {
        let found = PageSeeds::of(page, of, pages, words, measure);
        let seeds = found.seeds.iter();
        let seeds = seeds.map(|(seed, is_repeated)| posting(seed, page, *is_repeated));
        (seeds.collect(), found.monotonous)
    };
    let mut monotonous = 0;
    words.each(seeds, |_, (seeds, without)| {
        watch.advance(1);
        cancelled(watch)?;
        monotonous += *without;
        postings.extend(seeds)
    })?;
    let mut hits = Hits {
        pages,
        hits: Sorter::new(memory),
        common: 0,
        most_common: Vec::new(),
        monotonous,
        max_df: max_df as usize,
    };
    let mut common: Sorter<u64> = Sorter::new(memory);
    each_list(postings.finish()?, |hash, postings| {
        cancelled(watch)?;
        hits.add(hash, postings, &mut common)
    })?;
    let whole = whole_runs(common.finish()?, pages, words, measure, memory)?;
    each_list(whole, |_, postings| hits.add_whole(postings))?;
    Ok(hits)
}

fn cancelled(watch: &dyn Watch) -> Result<()> {
    match watch.cancelled() {
        true => Err(Error::Cancelled),
        false => Ok(()),
    }
}

fn posting(seed: &Seed, page: u32, is_repeated: bool) -> Posting {
    let at = u64::from(seed.at) << 1 | u64::from(is_repeated);
    [seed.hash, u64::from(page) << 32 | at]
}

fn page_of(place: u64) -> u32 {
    (place >> 32) as u32
}

fn is_repeated(place: u64) -> bool {
    place & 1 == 1
}

/// The page and the place.
fn of_place(place: u64) -> (u32, u32) {
    (page_of(place), place as u32 >> 1)
}

/// Passes the places of each hash to `take`.
fn each_list(
    postings: impl Iterator<Item = Posting>,
    mut take: impl FnMut(u64, &[u64]) -> Result<()>,
) -> Result<()> {
    let (mut hash, mut places) = (0, Vec::new());
    for [next, place] in postings {
        if next != hash {
            take(hash, &places)?;
            places.clear();
            hash = next;
        }
        places.push(place);
    }
    take(hash, &places)
}

/// The runs of the minimum length for which these long seeds were chosen, without those that a dropped page repeats.
fn whole_runs(
    seeds: Sorted<u64>,
    pages: &TextPages,
    words: &PageWords,
    measure: Measure,
    memory: &Memory,
) -> Result<Sorted<Posting>> {
    let mut runs: Sorter<Posting> = Sorter::new(memory);
    let mut add = |page: u32, seeds: &[u32]| {
        let of_page = words.of(page);
        let repeated = RepeatedRuns::of(page, &of_page, pages, words);
        let is_own = |run: &Seed| {
            let repeated = repeated.as_ref();
            repeated.is_none_or(|repeated| !repeated.have(&run.words()))
        };
        let whole = Runs::of(&of_page, measure).whole(seeds);
        let own = whole.iter().filter(|run| is_own(run));
        runs.extend(
            &own.map(|run| posting(run, page, false))
                .collect::<Vec<Posting>>(),
        )
    };
    let (mut page, mut of_page) = (0, Vec::new());
    for (next, at) in seeds.map(of_place) {
        if next != page {
            add(page, &of_page)?;
            of_page.clear();
            page = next;
        }
        of_page.push(at);
    }
    if !of_page.is_empty() {
        add(page, &of_page)?;
    }
    runs.finish()
}

impl Hits<'_> {
    /// Adds the pairs of places of a seed. A long seed on too many pages, too often on one, or repeated from another page, goes to `common`.
    /// Parts that pair filters separate are counted separately.
    fn add(&mut self, hash: u64, places: &[u64], common: &mut Sorter<u64>) -> Result<()> {
        let is_long = Seed::is_long(hash);
        for pages in self.parted(places) {
            let most = match is_long {
                true => self.max_df,
                false => SHORT_DF.max(self.max_df / RARER),
            };
            let is_common = pages.len() > most
                || is_long
                    && pages.iter().any(|places| {
                        places.len() > OFTEN || places.iter().any(|&place| is_repeated(place))
                    });
            match (is_common, is_long) {
                (true, true) => pages.iter().try_for_each(|places| common.extend(places))?,
                (true, false) => {}
                (false, _) => self.add_pairs(&pages, is_long)?,
            }
        }
        Ok(())
    }

    /// The places of each page, split into parts that may be compared; pages without a partner are left out.
    fn parted<'a>(&self, places: &'a [u64]) -> Vec<Vec<&'a [u64]>> {
        let same_page = |one: &u64, other: &u64| one >> 32 == other >> 32;
        let page = |places: &&[u64]| page_of(places[0]);
        let all: Vec<&[u64]> = places.chunk_by(same_page).collect();
        if all.len() < 2 {
            return Vec::new();
        }
        let Some(parts) = self.pages.parts(all.iter().map(page)) else {
            return vec![all];
        };
        let places = |wanted: u32| all[all.partition_point(|places| page(places) < wanted)];
        let parts = parts.into_iter().filter(|part| part.len() > 1);
        parts
            .map(|part| part.into_iter().map(places).collect())
            .collect()
    }

    /// Adds the pairs of pages that share a run of the minimum length, by the first place in each. Of a run on more than `max_df` pages,
    /// each page is paired with one other only, so that the number of pairs is linear in that of pages.
    fn add_whole(&mut self, places: &[u64]) -> Result<()> {
        let mut first = places.to_vec();
        first.dedup_by_key(|place| *place >> 32);
        for pages in self.parted(&first) {
            if pages.len() <= self.max_df {
                self.add_pairs(&pages, true)?;
                continue;
            }
            self.common += 1;
            let (page, at) = of_place(pages[0][0]);
            let df = pages.len() as u32;
            self.most_common.push(Common { df, page, at });
            if self.most_common.len() >= 1 << 16 {
                self.forget_rarer();
            }
            self.add_partners(&pages)?;
        }
        Ok(())
    }

    fn add_partners(&mut self, pages: &[&[u64]]) -> Result<()> {
        let numbers: Vec<u32> = pages.iter().map(|places| page_of(places[0])).collect();
        let place = |page: &u32| of_place(pages[numbers.partition_point(|other| other < page)][0]);
        for (one, other) in self.pages.partners(&numbers) {
            self.push(place(&one), place(&other), true)?;
        }
        Ok(())
    }

    /// Keeps only the most common runs that are reported, however much they overlap.
    fn forget_rarer(&mut self) {
        let order = |common: &Common| (std::cmp::Reverse(common.df), common.page, common.at);
        self.most_common.sort_unstable_by_key(order);
        let mut kept: Vec<Common> = Vec::new();
        for common in std::mem::take(&mut self.most_common) {
            // A passage has many runs, of which the first is reported.
            let beside = |kept: &Common| kept.page == common.page && kept.df == common.df;
            if kept.len() < NAMED && !kept.iter().any(beside) {
                kept.push(common);
            }
        }
        self.most_common = kept;
    }

    fn add_pairs(&mut self, pages: &[&[u64]], is_long: bool) -> Result<()> {
        let page = |places: &[u64]| page_of(places[0]);
        for (number, places) in pages.iter().enumerate() {
            for others in &pages[number + 1..] {
                if !self.pages.may_compare(page(places), page(others)) {
                    continue;
                }
                for one in places.iter().take(OFTEN) {
                    for other in others.iter().take(OFTEN) {
                        self.push(of_place(*one), of_place(*other), is_long)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, one: (u32, u32), other: (u32, u32), is_long: bool) -> Result<()> {
        let at = u64::from(one.1) << 33 | u64::from(other.1) << 1 | u64::from(is_long);
        let pages = u64::from(one.0) << 32 | u64::from(other.0);
        self.hits.push([pages, at])
    }

    /// The pairs of pages that may share a passage, ascending, in batches.
    ///
    /// Errors: a temporary file cannot be written.
    pub(super) fn finish(mut self) -> Result<Candidates> {
        self.forget_rarer();
        Ok(Candidates {
            common: self.common,
            most_common: self.most_common,
            monotonous: self.monotonous,
            pairs: PairsOfPages {
                hits: self.hits.finish()?,
                next: None,
            },
        })
    }
}

/// Pairs of pages that may share a passage.
pub(super) struct Candidates {
    pub(super) common: u64,
    pub(super) most_common: Vec<Common>,
    /// The number of long seeds that were not searched for, because they and all runs of the minimum length around them have two
    /// different words at most.
    pub(super) monotonous: u64,
    pub(super) pairs: PairsOfPages,
}

/// Two pages, and the places at which they share a seed, ascending.
pub(super) struct PairHits {
    pub(super) pages: (u32, u32),
    pub(super) places: Vec<(u32, u32)>,
}

/// Batches of pairs, ascending.
pub(super) struct PairsOfPages {
    hits: Sorted<Hit>,
    next: Option<Hit>,
}

impl Iterator for PairsOfPages {
    type Item = Vec<PairHits>;

    fn next(&mut self) -> Option<Vec<PairHits>> {
        let (mut batch, mut count) = (Vec::new(), 0);
        while count < TOGETHER {
            let Some(first) = self.next.take().or_else(|| self.hits.next()) else {
                break;
            };
            let mut hits = vec![first[1]];
            for hit in self.hits.by_ref() {
                if hit[0] != first[0] {
                    self.next = Some(hit);
                    break;
                }
                hits.push(hit[1]);
            }
            count += hits.len();
            let pages = (page_of(first[0]), first[0] as u32);
            batch.extend(pair_hits(pages, &hits));
        }
        (count > 0).then_some(batch)
    }
}

/// The shared places of two pages if they suffice: one of a long seed, or two of short ones close together.
fn pair_hits(pages: (u32, u32), hits: &[u64]) -> Option<PairHits> {
    let place = |hit: &u64| ((hit >> 33) as u32, (hit >> 1) as u32);
    let places: Vec<(u32, u32)> = hits.iter().map(place).collect();
    let has_long = hits.iter().any(|hit| hit & 1 == 1);
    (has_long || are_close(&places)).then_some(PairHits { pages, places })
}

/// Maximum distance of two close places, in words, and from their common diagonal.
const NEAR: u32 = 64;
const ASIDE: i64 = 16;

fn are_close(places: &[(u32, u32)]) -> bool {
    let diagonal = |place: &(u32, u32)| i64::from(place.1) - i64::from(place.0);
    places.iter().enumerate().any(|(number, one)| {
        let behind = places[number + 1..].iter();
        let mut near = behind.take_while(|other| other.0 <= one.0.saturating_add(NEAR));
        near.any(|other| other.0 > one.0 && (diagonal(one) - diagonal(other)).abs() <= ASIDE)
    })
}
