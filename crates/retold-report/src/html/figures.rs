//! The data of the figures in the overview. The page draws them.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use jiff::Timestamp;
use serde::Serialize;

use retold::{Findings, Rank, Relation};

const SIMILARITY_BARS: usize = 50;
/// Sites in the matrix at most. Which sites a page repeats is stored in 32 bits.
const SITES: usize = 24;
const TIME_BARS: i64 = 150;

/// A bar of a histogram over integers: from, to (inclusive), count.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct SizeBar(pub u64, pub u64, pub u64);

/// Clusters by size. Bars grow by a factor of √2, so that they are equally wide on a logarithmic axis.
pub(super) fn sizes(sizes: impl Iterator<Item = u64>) -> Vec<SizeBar> {
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    let mut most = 0;
    for size in sizes.filter(|&size| size > 1) {
        *counts.entry(half_power(size)).or_default() += 1;
        most = most.max(half_power(size));
    }
    if counts.is_empty() {
        return Vec::new();
    }
    (2..=most)
        .map(|power| {
            let (from, to) = (first_of(power), first_of(power + 1) - 1);
            SizeBar(from, to, counts.get(&power).copied().unwrap_or(0))
        })
        .filter(|bar| bar.0 <= bar.1)
        .collect()
}

/// The smallest integer that is at least √2 to the `power`.
fn first_of(power: u32) -> u64 {
    let exact = 2f64.powf(f64::from(power) / 2.0);
    // Even powers are integers and must not be rounded up.
    if power.is_multiple_of(2) {
        1 << (power / 2)
    } else {
        exact.ceil() as u64
    }
}

/// The largest `power` for which √2 to the `power` is at most `size`.
fn half_power(size: u64) -> u32 {
    let mut power = 2 * size.ilog2();
    while first_of(power + 1) <= size {
        power += 1;
    }
    power
}

/// Duplicates, containments and overlaps by similarity, in bars of equal width from 0 to 1.
#[derive(Debug, Serialize)]
pub(super) struct Similarities {
    pub duplicate: Vec<u64>,
    pub contains: Vec<u64>,
    pub overlaps: Vec<u64>,
}

pub(super) fn similarities(pairs: impl Iterator<Item = (Relation, f64)>) -> Similarities {
    let mut bars = Similarities {
        duplicate: vec![0; SIMILARITY_BARS],
        contains: vec![0; SIMILARITY_BARS],
        overlaps: vec![0; SIMILARITY_BARS],
    };
    for (relation, similarity) in pairs {
        let side = match relation {
            Relation::Duplicate => &mut bars.duplicate,
            Relation::Contains | Relation::ContainedBy => &mut bars.contains,
            Relation::Overlaps => &mut bars.overlaps,
        };
        side[bar_of(similarity)] += 1;
    }
    bars
}

/// A similarity on the border of two bars belongs to the upper one, even if it is not exact in binary, as 0.7.
fn bar_of(similarity: f64) -> usize {
    let bars = SIMILARITY_BARS as f64;
    ((similarity * bars + 1e-9).floor().max(0.0) as usize).min(SIMILARITY_BARS - 1)
}

/// Reprints between sites: pages of the row's site that repeat a page of the column's site.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct Matrix {
    /// The sites with the most pages in clusters, most pages first.
    pub sites: Vec<String>,
    /// Pages that repeat a whole page, by row and column.
    pub whole: Vec<Vec<u64>>,
    /// Pages that contain or overlap a page or repeat a part of one, and repeat no whole page of that site.
    pub part: Vec<Vec<u64>>,
    /// Number of other sites with pages in clusters.
    pub more: u64,
    /// Whether dates decide some directions.
    pub dated: bool,
}

/// The later of two pages repeats the earlier one. Without two different dates, duplicates count both ways, and a contained page repeats
/// the page that contains it.
pub(super) fn matrix(findings: &Findings) -> Matrix {
    let names = &findings.collection.sites;
    // Pages are far apart in memory, and mostly only the site is needed.
    let sites = findings.collection.pages.iter().map(|page| page.site);
    let sites: Vec<u32> = sites.map(|site| site.unwrap_or(u32::MAX)).collect();
    let site = |rank: Rank| sites[findings.by_id[rank.at()].at()] as usize;
    let mut in_clusters = vec![0u64; names.len()];
    let members = findings.clusters.iter().flat_map(|c| &c.members);
    for &rank in members {
        if let Some(count) = in_clusters.get_mut(site(rank)) {
            *count += 1;
        }
    }
    let mut top: Vec<usize> = (0..names.len())
        .filter(|&site| in_clusters[site] > 0)
        .collect();
    top.sort_by_key(|&site| (std::cmp::Reverse(in_clusters[site]), &names[site]));
    let more = top.len().saturating_sub(SITES) as u64;
    top.truncate(SITES);
    let mut columns = vec![None; names.len()];
    for (at, &site) in top.iter().enumerate() {
        columns[site] = Some(at);
    }
    let column = |rank: Rank| columns.get(site(rank)).copied().flatten();

    // For each page, a bit for each site of which it repeats a page: as a whole, and in part.
    let mut repeats = vec![(0u32, 0u32); findings.by_id.len()];
    let mut dated = false;
    for pair in findings.pairs.iter() {
        let (Some(site_a), Some(site_b)) = (column(pair.a), column(pair.b)) else {
            continue;
        };
        let [a, b] = [pair.a, pair.b].map(|rank| findings.page(rank).date);
        let later = later(a, b);
        dated |= later.is_some();
        let (by_a, by_b) = who_repeats(pair.relation, later);
        for (does, rank, of) in [(by_a, pair.a, site_b), (by_b, pair.b, site_a)] {
            let bits = &mut repeats[rank.at()];
            match pair.relation {
                _ if !does => {}
                Relation::Duplicate => bits.0 |= 1 << of,
                _ => bits.1 |= 1 << of,
            }
        }
    }
    let mut whole = vec![vec![0; top.len()]; top.len()];
    let mut part = whole.clone();
    for (rank, &(of_whole, of_part)) in repeats.iter().enumerate() {
        let Some(row) = column(Rank::new(rank)) else {
            continue;
        };
        for of in 0..top.len() {
            whole[row][of] += u64::from(of_whole >> of & 1);
            part[row][of] += u64::from((of_part & !of_whole) >> of & 1);
        }
    }
    let sites = top.iter().map(|&site| names[site].clone()).collect();
    Matrix {
        sites,
        whole,
        part,
        more,
        dated,
    }
}

/// Whether the first page is later; `None` if the dates do not tell.
fn later(a: Option<i64>, b: Option<i64>) -> Option<bool> {
    let (a, b) = (a?, b?);
    (a != b).then_some(a > b)
}

/// Whether the first page repeats the second, and the second the first.
fn who_repeats(relation: Relation, first_is_later: Option<bool>) -> (bool, bool) {
    match (first_is_later, relation) {
        (Some(first), _) => (first, !first),
        (None, Relation::Duplicate) => (true, true),
        (None, Relation::ContainedBy) => (true, false),
        (None, Relation::Contains) => (false, true),
        (None, Relation::Overlaps) => (true, true),
    }
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Timeline {
    /// `day`, `month` or `year`.
    pub unit: &'static str,
    /// Bars in order, without gaps: name, kept pages, dropped pages.
    pub bars: Vec<(String, u64, u64)>,
    pub undated: u64,
    /// Pages dated before the first bar.
    pub earlier: u64,
    /// Pages dated after the last bar.
    pub later: u64,
}

/// The timeline; `None` if no page has a date.
pub(super) fn timeline(pages: impl Iterator<Item = (Option<i64>, bool)>) -> Option<Timeline> {
    let mut by_day: BTreeMap<i64, (u64, u64)> = BTreeMap::new();
    let mut undated = 0;
    for (date, copy) in pages {
        let Some(date) = date else {
            undated += 1;
            continue;
        };
        let day = by_day.entry(date.div_euclid(86_400)).or_default();
        *if copy { &mut day.1 } else { &mut day.0 } += 1;
    }
    let usual = usual_days(&by_day)?;
    let later: u64 = by_day.range(usual.end() + 1..).map(pages_of).sum();
    let before: u64 = by_day.range(..usual.start()).map(pages_of).sum();
    by_day.retain(|day, _| usual.contains(day));
    let span = by_day.keys().next_back()? - by_day.keys().next()?;
    let unit = match span {
        0..=92 => "day",
        93..=4_000 => "month",
        _ => "year",
    };
    let mut bars: BTreeMap<i64, (u64, u64)> = BTreeMap::new();
    for (day, (kept, copies)) in by_day {
        let bar = bars.entry(bar_of_day(day, unit)).or_default();
        *bar = (bar.0 + kept, bar.1 + copies);
    }
    let last = *bars.keys().next_back()?;
    let first = (*bars.keys().next()?).max(last - TIME_BARS + 1);
    let earlier = before + bars.range(..first).map(pages_of).sum::<u64>();
    let bars = (first..=last).map(|bar| {
        let (kept, copies) = bars.get(&bar).copied().unwrap_or_default();
        (name_of_bar(bar, unit), kept, copies)
    });
    Some(Timeline {
        unit,
        bars: bars.collect(),
        undated,
        earlier,
        later,
    })
}

fn pages_of((_, (kept, copies)): (&i64, &(u64, u64))) -> u64 {
    kept + copies
}

/// The first day on which the running total exceeds `few` pages.
fn day_beyond<'a>(
    mut days: impl Iterator<Item = (&'a i64, &'a (u64, u64))>,
    few: u64,
) -> Option<i64> {
    let mut passed = 0;
    let day = days.find(|&day| {
        passed += pages_of(day);
        passed > few
    });
    day.map(|(&day, _)| day)
}

/// The range of plausible dates: the days of 99 of 100 pages, extended by the same length on both sides.
fn usual_days(by_day: &BTreeMap<i64, (u64, u64)>) -> Option<RangeInclusive<i64>> {
    const MISTAKEN: u64 = 200;
    let few = by_day.iter().map(pages_of).sum::<u64>() / MISTAKEN;
    let first = day_beyond(by_day.iter(), few)?;
    let last = day_beyond(by_day.iter().rev(), few)?;
    let around = (last - first).max(31);
    Some(first - around..=last + around)
}

fn bar_of_day(day: i64, unit: &str) -> i64 {
    let Ok(stamp) = Timestamp::from_second(day * 86_400) else {
        return 0;
    };
    let date = stamp.to_zoned(jiff::tz::TimeZone::UTC).date();
    let years = i64::from(date.year()) - 1970;
    match unit {
        "day" => day,
        "month" => years * 12 + i64::from(date.month()) - 1,
        _ => years,
    }
}

fn name_of_bar(bar: i64, unit: &str) -> String {
    match unit {
        "day" => Timestamp::from_second(bar * 86_400).map_or_else(
            |_| String::new(),
            |stamp| stamp.to_zoned(jiff::tz::TimeZone::UTC).date().to_string(),
        ),
        "month" => format!(
            "{:04}-{:02}",
            1970 + bar.div_euclid(12),
            bar.rem_euclid(12) + 1
        ),
        _ => format!("{:04}", 1970 + bar),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_fall_into_bars_of_equal_width_on_a_logarithmic_axis() {
        let bars = sizes([2, 2, 3, 4, 5, 8, 1].into_iter());
        let expected = [(2, 2, 2), (3, 3, 1), (4, 5, 2), (6, 7, 0), (8, 11, 1)];
        assert_eq!(
            bars,
            expected.map(|(from, to, count)| SizeBar(from, to, count))
        );
        assert_eq!(sizes(std::iter::empty()), []);
        // Every size is in exactly one bar, even very large ones.
        for size in (2..5000).chain([1 << 40, (1 << 40) - 1]) {
            let bars = sizes(std::iter::once(size));
            let last = bars.last().unwrap();
            assert!(last.0 <= size && size <= last.1, "{size}");
            assert_eq!(bars.iter().map(|bar| bar.2).sum::<u64>(), 1);
        }
    }

    #[test]
    fn a_similarity_on_a_border_belongs_to_the_upper_bar() {
        let pairs = [
            (Relation::Duplicate, 0.7),
            (Relation::Duplicate, 1.0),
            (Relation::ContainedBy, 0.6999),
            (Relation::Contains, 0.0),
            (Relation::Overlaps, 0.5),
        ];
        let bars = similarities(pairs.into_iter());
        assert_eq!((bars.duplicate[35], bars.duplicate[49]), (1, 1));
        assert_eq!((bars.contains[34], bars.contains[0]), (1, 1));
        assert_eq!(bars.duplicate.iter().sum::<u64>(), 2);
        assert_eq!(
            (bars.overlaps[25], bars.contains.iter().sum::<u64>()),
            (1, 2)
        );
    }

    #[test]
    fn the_later_page_repeats_the_earlier_one() {
        use Relation::*;
        assert_eq!(
            who_repeats(Duplicate, later(Some(5), Some(3))),
            (true, false)
        );
        assert_eq!(
            who_repeats(Contains, later(Some(3), Some(5))),
            (false, true)
        );
        assert_eq!(
            who_repeats(Duplicate, later(Some(3), Some(3))),
            (true, true)
        );
        assert_eq!(who_repeats(Contains, later(None, Some(3))), (false, true));
        assert_eq!(who_repeats(ContainedBy, None), (true, false));
    }

    #[test]
    fn a_date_by_mistake_does_not_flatten_the_rest() {
        let day = 86_400;
        let pages = (0..300).map(|n| (Some(n % 30 * day), false));
        let mistaken = [(Some(643_000 * day), false), (Some(-400 * day), true)];
        let line = timeline(pages.chain(mistaken)).unwrap();
        assert_eq!((line.unit, line.bars.len()), ("day", 30));
        assert_eq!((line.earlier, line.later), (1, 1));
        assert!(line.bars.iter().all(|bar| bar.1 == 10));
    }

    #[test]
    fn the_span_of_dates_sets_the_unit() {
        let day = 86_400;
        let line =
            timeline([(Some(0), false), (Some(2 * day + 5), true), (None, false)].into_iter());
        let bars = [
            ("1970-01-01", 1, 0),
            ("1970-01-02", 0, 0),
            ("1970-01-03", 0, 1),
        ];
        let line = line.unwrap();
        assert_eq!(
            line.bars,
            bars.map(|(name, kept, copies)| (name.to_owned(), kept, copies))
        );
        assert_eq!((line.unit, line.undated, line.earlier), ("day", 1, 0));
        let line = timeline([(Some(-day), false), (Some(120 * day), false)].into_iter()).unwrap();
        assert_eq!((line.unit, line.bars.len()), ("month", 6));
        assert_eq!(
            (line.bars[0].0.as_str(), line.bars[5].0.as_str()),
            ("1969-12", "1970-05")
        );
        let line = timeline([(Some(-400_000 * day), false), (Some(0), true)].into_iter()).unwrap();
        assert_eq!((line.unit, line.bars.len(), line.earlier), ("year", 150, 1));
        assert_eq!(timeline([(None, false)].into_iter()), None);
    }
}
