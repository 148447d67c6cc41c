//! The data that all stages of a run use, and the order of preference.

use rayon::prelude::*;

use crate::cluster::{Canonical, NO_PREFERENCE, Pair, Prefer};
use crate::collect::{Collection, PageRow};
use crate::error::Result;
use crate::filter::Scope;
use crate::ids::{PageNo, Rank};
use crate::model::Model;
use crate::page::Page;
use crate::resume::Resume;
use crate::spill::{Memory, Sorter};
use crate::watch::Watch;

/// Sizes above which a run does not compare all pairs. They do not affect which pages are kept.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// If a connected component has more pages than this, only the pairs that decide are listed. With 4,000 versions of one text, time,
    /// memory and output would otherwise be those of 8 million pairs.
    pub component: usize,
    /// A key that more exact groups have is heavy: its posting list may be closed before all its pairs were compared.
    pub heavy: usize,
    /// With fewer candidates, those of a group are compared at once, without upper bounds of their similarity.
    pub bounded: usize,
    /// The same for sketches with fewer keys: bounding them saves nothing over comparing them.
    pub bounded_keys: usize,
    /// Approximate size in bytes of a journal chunk.
    pub journal_chunk: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            component: 100,
            heavy: 128,
            bounded: 16,
            bounded_keys: 48,
            journal_chunk: 1 << 20,
        }
    }
}

/// The data of the stages after sketching.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) model: &'a Model,
    pub(crate) collection: &'a Collection,
    /// Pages in the order of their ids.
    pub(crate) by_id: &'a [PageNo],
    /// The place of each page, by rank, in the order of preference.
    pub(crate) preference: &'a [u32],
    /// For each page, by rank, whether it is old. Old pages are kept, preferred to all others, and not compared with each other. Empty if
    /// there are none.
    pub(crate) is_old: &'a [bool],
    pub(crate) memory: &'a Memory,
    /// Receives progress.
    pub(crate) watch: &'a dyn Watch,
    /// The journals of the run.
    pub(crate) resume: Option<&'a Resume>,
    pub(crate) limits: Limits,
}

impl Context<'_> {
    pub(crate) fn page(&self, rank: Rank) -> PageRow {
        self.collection.page(self.by_id[rank.at()])
    }

    /// The data of the page with that rank for pair filters.
    pub(crate) fn scope(&self, rank: Rank) -> Scope {
        if self.model.config().filters.is_empty() {
            return Scope::default();
        }
        let number = self.by_id[rank.at()];
        let seen = self.collection.pages.seen(number);
        self.model.scope(&seen, self.collection.page(number).date)
    }

    /// Whether a pair connects its pages, so that they are in one component and one may be dropped for the other. Pairs that only overlap
    /// are just listed.
    pub(crate) fn connects(&self, pair: &Pair) -> bool {
        self.model.config().drop.connects(pair.relation)
    }

    pub(crate) fn is_old(&self, rank: Rank) -> bool {
        self.is_old.get(rank.at()).copied().unwrap_or(false)
    }
}

/// How many numbers sort a page: those of the rules, the length of the text, and the rank.
const SORTED: usize = 8;

/// The place of each page, by rank, in the order of preference; the best page has the smallest.
///
/// Errors: a temporary file cannot be written.
pub fn preference(
    collection: &Collection,
    canonical: &Canonical,
    by_id: &[PageNo],
    watch: &dyn Watch,
) -> Result<Vec<u32>> {
    let rules = canonical.rules();
    if rules.first() == Some(&Prefer::Id) {
        return Ok((0..by_id.len() as u32).collect());
    }
    let rank_of = ranks(by_id);
    let mut order = Sorter::new(collection.memory());
    let mut without = vec![0u64; rules.len()];
    for ((number, page), &rank) in (0..).zip(collection.pages.iter()).zip(&rank_of) {
        let seen = collection.pages.seen(PageNo(number));
        // After the two numbers for pair filters.
        let mut seen = seen.iter().skip(2).copied();
        let mut numbers = [0; SORTED];
        for (at, rule) in rules.iter().enumerate() {
            let number = match rule {
                Prefer::Longest => !page.chars,
                Prefer::Id => u64::from(rank.0),
                // Maps signed dates to ascending unsigned numbers.
                Prefer::Earliest => page
                    .date
                    .map_or(NO_PREFERENCE, |date| date as u64 ^ 1 << 63),
                _ => seen.next().unwrap_or(NO_PREFERENCE),
            };
            without[at] += u64::from(number == NO_PREFERENCE);
            numbers[at] = number;
        }
        numbers[SORTED - 2..].copy_from_slice(&[!page.chars, u64::from(rank.0)]);
        order.push(numbers)?;
    }
    drop(rank_of);
    let mut preference = vec![0; by_id.len()];
    for (place, [.., rank]) in (0u32..).zip(order.finish()?) {
        preference[rank as usize] = place;
    }
    warn_of_missing(rules, &without, by_id.len() as u64, watch);
    Ok(preference)
}

/// A rule that prefers pages by a field in which no page has a value, most likely because its name is misspelt, with that name.
pub(crate) fn field_of_no_page<'c>(
    collection: &Collection,
    canonical: &'c Canonical,
) -> Option<(&'c Prefer, &'c str)> {
    let rules = canonical.rules().iter().filter(|rule| rule.is_seen());
    let fields = (2..).zip(rules).filter_map(|(place, rule)| match rule {
        Prefer::Field { name, .. } => Some((place, rule, name.as_str())),
        _ => None,
    });
    let pages = collection.pages.len();
    let mut fields = fields.filter(|_| pages > 0);
    fields.find_map(|(place, rule, name)| {
        let mut numbers =
            (0..pages).map(|page| collection.pages.seen(PageNo::new(page)).get(place).copied());
        let nowhere = numbers.all(|number| number.is_none_or(|number| number == NO_PREFERENCE));
        nowhere.then_some((rule, name))
    })
}

/// The ranks of pages, in reading order.
pub fn ranks(by_id: &[PageNo]) -> Vec<Rank> {
    let mut ranks = vec![Rank::default(); by_id.len()];
    for (rank, page) in Rank::first(by_id.len()).zip(by_id) {
        ranks[page.at()] = rank;
    }
    ranks
}

pub(crate) fn old_first(preference: &[u32], is_old: &[bool]) -> Vec<u32> {
    let mut order: Vec<Rank> = Rank::first(preference.len()).collect();
    order.par_sort_by_key(|rank| (!is_old[rank.at()], preference[rank.at()]));
    let mut places = vec![0; order.len()];
    for (place, rank) in (0u32..).zip(order) {
        places[rank.at()] = place;
    }
    places
}

/// Warns about the number of pages without data for a rule.
fn warn_of_missing(rules: &[Prefer], without: &[u64], pages: u64, watch: &dyn Watch) {
    for (rule, &without) in rules
        .iter()
        .zip(without)
        .filter(|(_, without)| **without > 0)
    {
        let what = match rule {
            Prefer::Earliest => "date".to_owned(),
            Prefer::Field { name, .. } => format!("number or date in `{name}`"),
            Prefer::UrlLength => "URL".to_owned(),
            Prefer::Rank => "ranked site or source".to_owned(),
            _ => continue,
        };
        watch.warn(&match (rule, without == pages) {
            (Prefer::Earliest, true) => {
                "--canonical earliest: no page has a date; the longest page is kept".to_owned()
            }
            (_, true) => format!("--canonical {rule}: no page has a {what}"),
            _ => format!(
                "--canonical {rule}: {without} of {pages} pages have no {what} and come last"
            ),
        });
    }
}

/// Warns about the number of pages without data for pair filters.
pub(crate) fn warn_of_filters(context: &Context<'_>) {
    let filters = &context.model.config().filters;
    if filters.is_empty() {
        return;
    }
    let nothing = filters.scope(filters.seen(&Page::text("", "")), None);
    let (pages, mut without) = (context.by_id.len(), [0; 3]);
    for rank in Rank::first(pages) {
        let scope = context.scope(rank);
        without[0] += usize::from(scope.within == nothing.within);
        without[1] += usize::from(scope.across == nothing.across);
        without[2] += usize::from(scope.date.is_none());
    }
    let within = filters.within.join(",");
    let within = Some(within).filter(|names| !names.is_empty());
    let window = filters.window.as_ref().map(ToString::to_string);
    for (name, value, what, with, without) in [
        (
            "within",
            &within,
            "such field",
            "each other only",
            without[0],
        ),
        (
            "across",
            &filters.across,
            "such site or field",
            "all",
            without[1],
        ),
        ("window", &window, "date", "all", without[2]),
    ] {
        if let Some(value) = value.as_ref().filter(|_| without > 0) {
            context.watch.warn(&match without == pages {
                true => format!(
                    "--{name} {value}: no page has {}, so it excludes nothing",
                    match what.strip_prefix("such ") {
                        Some(field) => format!("such a {field}"),
                        None => format!("a {what}"),
                    }
                ),
                false => format!(
                    "--{name} {value}: {without} of {pages} pages have no {what}; they are compared with {with}"
                ),
            });
        }
    }
}
