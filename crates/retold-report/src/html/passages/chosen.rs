//! The passages that the report shows.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use retold::passages::{PassagePair, PassageRow, Passages};
use retold::{Findings, Rank};
use rustc_hash::FxHashMap;

/// Passages that are shown, those that the most pages have first, and passages that are boilerplate beside them.
pub(super) const PASSAGES: usize = 1000;
pub(super) const BOILERPLATE: usize = 200;
/// Places of a passage, the earliest first.
pub(super) const PLACES: usize = 200;

/// A passage that is shown.
pub(super) struct Shown {
    pub(super) cluster: u32,
    /// How many pages have it, and how many sites these are of.
    pub(super) size: u32,
    pub(super) sites: usize,
    pub(super) is_boilerplate: bool,
    /// How many places it has in all.
    pub(super) all_places: usize,
    /// The earliest, by date, then by id; those of pages without a date last.
    pub(super) places: Vec<Place>,
    /// From where each of these pages has it.
    pub(super) sources: Vec<From>,
}

/// The place of a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) page: Rank,
    pub(super) begin: u32,
    pub(super) end: u32,
}

/// A place, and the one with the most similar text, of an earlier page if there is one. A page that repeats another is aligned with few
/// other pages, so there may be no pair with an earlier page although there is one: then it is the first place, about which no more is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct From {
    /// Both by their numbers among the places.
    pub(super) at: usize,
    pub(super) from: usize,
    /// The passage of the two, in either.
    pub(super) here: (u32, u32),
    pub(super) there: (u32, u32),
    /// 0 if the two were not aligned.
    pub(super) matched: u32,
    pub(super) score: u32,
    /// Whether the other page has an earlier date.
    pub(super) is_later: bool,
}

/// The passages that are shown, in their order.
pub(super) fn chosen(findings: &Findings, found: &Passages) -> Vec<Shown> {
    let order = most_repeated(found.places());
    let at = order.iter().enumerate();
    let at: FxHashMap<u32, usize> = at.map(|(at, &cluster)| (cluster, at)).collect();
    let mut shown: Vec<Option<Shown>> = order.iter().map(|_| None).collect();
    each_cluster(found.places(), |rows| {
        if let Some(&at) = at.get(&rows[0].cluster) {
            shown[at] = Some(Shown::of(findings, rows));
        }
    });
    let mut shown: Vec<Shown> = shown.into_iter().flatten().collect();
    let mut best: Vec<FxHashMap<usize, Sourced>> =
        shown.iter().map(|_| FxHashMap::default()).collect();
    for pair in found.pairs() {
        if let Some(&at) = at.get(&pair.cluster) {
            add_pair(findings, &shown[at], &pair, &mut best[at]);
        }
    }
    for (shown, best) in shown.iter_mut().zip(best) {
        shown.sources = best.into_values().map(|sourced| sourced.from).collect();
        shown.add_first(findings);
        shown.sources.sort_unstable_by_key(|from| from.at);
    }
    shown
}

/// The passages that most pages have; of equals the longer one, then the one with the smaller number. Boilerplate comes last.
fn most_repeated(rows: impl Iterator<Item = PassageRow>) -> Vec<u32> {
    let mut all = [Most::new(PASSAGES), Most::new(BOILERPLATE)];
    each_cluster(rows, |rows| {
        let longest = rows.iter().map(|row| row.place.1 - row.place.0).max();
        let key = (
            Reverse(rows[0].size),
            Reverse(longest.unwrap_or_default()),
            rows[0].cluster,
        );
        all[usize::from(rows[0].boilerplate)].push(key);
    });
    let clusters = all.into_iter().flat_map(Most::finish);
    clusters.map(|(_, _, cluster)| cluster).collect()
}

type Key = (Reverse<u32>, Reverse<u32>, u32);

/// The least of many keys.
struct Most {
    limit: usize,
    keys: Vec<Key>,
}

impl Most {
    fn new(limit: usize) -> Most {
        Most {
            limit,
            keys: Vec::new(),
        }
    }

    fn push(&mut self, key: Key) {
        self.keys.push(key);
        if self.keys.len() >= 2 * self.limit {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.keys.sort_unstable();
        self.keys.truncate(self.limit);
    }

    fn finish(mut self) -> Vec<Key> {
        self.cut();
        self.keys
    }
}

/// Hands on the rows of each passage.
fn each_cluster(rows: impl Iterator<Item = PassageRow>, mut take: impl FnMut(&[PassageRow])) {
    let mut of_cluster: Vec<PassageRow> = Vec::new();
    for row in rows {
        if of_cluster
            .first()
            .is_some_and(|first| first.cluster != row.cluster)
        {
            take(&of_cluster);
            of_cluster.clear();
        }
        of_cluster.push(row);
    }
    if !of_cluster.is_empty() {
        take(&of_cluster);
    }
}

impl Shown {
    fn of(findings: &Findings, rows: &[PassageRow]) -> Shown {
        let sites: BTreeSet<u32> = rows
            .iter()
            .filter_map(|row| findings.page(row.page).site)
            .collect();
        let mut places: Vec<Place> = rows
            .iter()
            .map(|row| Place {
                page: row.page,
                begin: row.place.0,
                end: row.place.1,
            })
            .collect();
        let date = |place: &Place| findings.page(place.page).date.unwrap_or(i64::MAX);
        places.sort_by_cached_key(|place| (date(place), place.page, place.begin));
        places.truncate(PLACES);
        Shown {
            cluster: rows[0].cluster,
            size: rows[0].size,
            sites: sites.len(),
            is_boilerplate: rows[0].boilerplate,
            all_places: rows.len(),
            places,
            sources: Vec::new(),
        }
    }

    /// Lets places that have no earlier one have the first.
    fn add_first(&mut self, findings: &Findings) {
        let date = |place: &Place| findings.page(place.page).date;
        let first = self.places[0];
        for (at, place) in self.places.iter().enumerate() {
            let has_earlier = |from: &From| from.at == at && from.is_later;
            let is_later = date(&first)
                .zip(date(place))
                .is_some_and(|(first, date)| first < date);
            if is_later && !self.sources.iter().any(has_earlier) {
                self.sources.retain(|from| from.at != at);
                self.sources.push(From {
                    at,
                    from: 0,
                    here: (place.begin, place.end),
                    there: (first.begin, first.end),
                    matched: 0,
                    score: 0,
                    is_later,
                });
            }
        }
    }

    /// The place that has the most of these characters of a page.
    fn place(&self, page: Rank, (begin, end): (u32, u32)) -> Option<usize> {
        let overlap = |place: &Place| place.end.min(end).saturating_sub(place.begin.max(begin));
        let of_page = self
            .places
            .iter()
            .enumerate()
            .filter(|(_, place)| place.page == page);
        let best = of_page.max_by_key(|(at, place)| (overlap(place), Reverse(*at)));
        best.map(|(at, _)| at)
    }
}

/// The best pair of a place so far.
struct Sourced {
    rank: (bool, u32, Reverse<usize>),
    from: From,
}

/// Lets both sides of a pair have the other as the source, if that is better than what they have.
fn add_pair(
    findings: &Findings,
    shown: &Shown,
    pair: &PassagePair,
    best: &mut FxHashMap<usize, Sourced>,
) {
    let places = (
        shown.place(pair.a, pair.a_place),
        shown.place(pair.b, pair.b_place),
    );
    let (Some(a), Some(b)) = places else {
        return;
    };
    let date = |rank: Rank| findings.page(rank).date;
    let dates = (date(pair.a), date(pair.b));
    for ((at, here, own), (from, there, other)) in [
        ((a, pair.a_place, dates.0), (b, pair.b_place, dates.1)),
        ((b, pair.b_place, dates.1), (a, pair.a_place, dates.0)),
    ] {
        let is_later = own.zip(other).is_some_and(|(own, other)| other < own);
        // Places are in the order of dates: of equals the earlier.
        let rank = (is_later, pair.score, Reverse(from));
        if best.get(&at).is_none_or(|best| best.rank < rank) {
            let from = From {
                at,
                from,
                here,
                there,
                matched: pair.matched,
                score: pair.score,
                is_later,
            };
            best.insert(at, Sourced { rank, from });
        }
    }
}
