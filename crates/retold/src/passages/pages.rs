//! The pages that are searched for passages, and their words.

use rustc_hash::FxHashMap;

use crate::compare::Word;
use crate::dedup::Findings;
use crate::error::Result;
use crate::filter::{PairFilters, Scope, ordered_date};
use crate::ids::{PageNo, Rank};
use crate::method::grams::words_of;
use crate::read::{InWork, WorkLimit};
use crate::spill::{Memory, Piece, Row, SpillRows};
use crate::stage::Stage;
use crate::text::Text;
use crate::verify::Again;
use crate::watch::Watch;

/// With a window, a partner of a page is looked for among this many pages before it and behind it.
const BESIDE: usize = 20;

/// A page that represents all pages with its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextPage {
    pub(super) rank: Rank,
    /// Whether it is old; old pages are not compared with each other.
    pub(super) is_old: bool,
    /// The index of the page for which it is dropped, if pair filters treat both alike.
    pub(super) dropped_for: Option<u32>,
}

/// The pages that are compared, by rank. Among pages with one text that pair filters treat alike, it is the first by date, then by id.
#[derive(Debug)]
pub(super) struct TextPages {
    pub(super) pages: Vec<TextPage>,
    filters: PairFilters,
    /// The filter values of each page; empty if there are no filters.
    scopes: Vec<Scope>,
    /// Other pages with the text of a compared page, ascending, each with that page.
    pub(super) copies: Vec<(Rank, Rank)>,
}

impl TextPages {
    /// Texts of which the first is compared with all others, and the others not with each other.
    pub(super) fn first_and(others: usize) -> TextPages {
        let page = |place: usize| TextPage {
            rank: Rank::new(place),
            is_old: place > 0,
            dropped_for: None,
        };
        TextPages {
            pages: (0..=others).map(page).collect(),
            filters: PairFilters::default(),
            scopes: Vec::new(),
            copies: Vec::new(),
        }
    }

    pub(super) fn of(findings: &Findings) -> TextPages {
        let mut texts: Vec<(u128, i64, Rank)> = Vec::new();
        for rank in Rank::first(findings.by_id.len()) {
            let page = findings.page(rank);
            let date = page.date.unwrap_or(i64::MAX);
            texts.extend(page.text_hash.map(|hash| (hash, date, rank)));
        }
        texts.sort_unstable();
        let filters = findings.model.config().filters.clone();
        let (mut ranks, mut copies) = (Vec::new(), Vec::new());
        for same in texts.chunk_by_mut(|one, other| one.0 == other.0) {
            if !filters.is_empty() {
                same.sort_by_cached_key(|&(_, date, rank)| {
                    let Scope {
                        within,
                        across,
                        date: seen,
                    } = findings.scope(rank);
                    (within, across, seen, date, rank)
                });
            }
            let is_alike = |one: &(u128, i64, Rank), other: &(u128, i64, Rank)| {
                filters.is_empty() || findings.scope(one.2) == findings.scope(other.2)
            };
            for alike in same.chunk_by(is_alike) {
                ranks.push(alike[0].2);
                copies.extend(alike[1..].iter().map(|&(_, _, copy)| (copy, alike[0].2)));
            }
        }
        drop(texts);
        ranks.sort_unstable();
        copies.sort_unstable();
        let scopes = match filters.is_empty() {
            true => Vec::new(),
            false => ranks.iter().map(|&rank| findings.scope(rank)).collect(),
        };
        let mut pages = TextPages {
            pages: with_dropped(findings, ranks, &copies),
            filters,
            scopes,
            copies,
        };
        pages.compare_where_filters_differ();
        pages
    }

    /// Unlinks dropped pages from their kept pages if filters treat the two differently. Linked pages are compared with others only where
    /// they differ from the kept page, so filters must allow the same comparisons for both.
    fn compare_where_filters_differ(&mut self) {
        for (page, scope) in self.pages.iter_mut().zip(&self.scopes) {
            let is_alike = |other: &u32| self.scopes[*other as usize] == *scope;
            page.dropped_for = page.dropped_for.filter(is_alike);
        }
    }

    /// Whether two pages are compared: not two old ones, nor pairs that filters exclude.
    pub(super) fn may_compare(&self, one: u32, other: u32) -> bool {
        let (one, other) = (one as usize, other as usize);
        let is_forbidden = || self.filters.forbids(&self.scopes[one], &self.scopes[other]);
        let are_old = self.pages[one].is_old && self.pages[other].is_old;
        !are_old && (self.scopes.is_empty() || is_forbidden().is_none())
    }

    /// Pairs each of these pages, ascending, with one that it may be compared with, if there is one: the first page, or the first that this
    /// one may be compared with; with a window, one of the [`BESIDE`] pages before it by date, or behind it. A page is never paired with
    /// the one for which it is dropped, because these two are aligned as a whole.
    pub(super) fn partners(&self, pages: &[u32]) -> Vec<(u32, u32)> {
        let mut pages = pages.to_vec();
        if self.filters.reach().is_some() {
            let date = |page: u32| ordered_date(self.scopes[page as usize].date);
            pages.sort_by_key(|&page| (date(page), page));
        }
        let Some((first, behind)) = pages.split_first() else {
            return Vec::new();
        };
        let may_compare = |one: u32, other: u32| {
            let drops = |one: u32, other: u32| self.pages[one as usize].dropped_for == Some(other);
            self.may_compare(one, other) && !drops(one, other) && !drops(other, one)
        };
        let second = behind
            .iter()
            .find(|&&page| may_compare(*first, page))
            .unwrap_or(first);
        let partner = |at: usize| {
            let before = pages[at.saturating_sub(BESIDE)..at].iter().rev();
            let beside = before.chain(pages[at + 1..].iter().take(BESIDE));
            let page = pages[at];
            let mut others = [first, second].into_iter().chain(beside);
            let other = *others.find(|&&other| other != page && may_compare(page, other))?;
            Some((page.min(other), page.max(other)))
        };
        let mut pairs: Vec<(u32, u32)> = (0..pages.len()).filter_map(partner).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Splits these pages, ascending, so that filters exclude all pairs between parts; `None` if there are no filters.
    pub(super) fn parts(&self, pages: impl Iterator<Item = u32>) -> Option<Vec<Vec<u32>>> {
        if self.scopes.is_empty() {
            return None;
        }
        let scope = |page: u32| self.scopes[page as usize];
        let mut parts = self.filters.parts(pages.collect(), scope);
        parts.iter_mut().for_each(|part| part.sort_unstable());
        Some(parts)
    }

    /// Reads these pages again; `make` gets each page's index.
    ///
    /// Errors: a text that is no longer there, the run was cancelled, those of `take`.
    pub(super) fn read<T: Send>(
        &self,
        findings: &Findings,
        wanted: impl Iterator<Item = u32>,
        make: impl Fn(u32, &Again) -> T + Sync,
        mut take: impl FnMut(u32, T) -> Result<()>,
        watch: &dyn Watch,
    ) -> Result<()> {
        let (pages, places) = self.in_order(findings, wanted);
        findings.reread().read(
            &pages,
            |at, again| make(places[at], again),
            |at, made| take(places[at], made),
            watch,
        )
    }

    /// As [`TextPages::read`], for callers that need the texts only.
    pub(super) fn read_texts<T: Send>(
        &self,
        findings: &Findings,
        wanted: impl Iterator<Item = u32>,
        make: impl Fn(u32, &Text) -> T + Sync,
        mut take: impl FnMut(u32, T) -> Result<()>,
        watch: &dyn Watch,
    ) -> Result<()> {
        let (pages, places) = self.in_order(findings, wanted);
        findings.reread().read_texts(
            &pages,
            |at, text| make(places[at], text),
            |at, made| take(places[at], made),
            watch,
        )
    }

    /// These pages in the order in which they are read, and the index of each.
    fn in_order(
        &self,
        findings: &Findings,
        wanted: impl Iterator<Item = u32>,
    ) -> (Vec<PageNo>, Vec<u32>) {
        let page = |place: u32| findings.by_id[self.pages[place as usize].rank.at()];
        let mut wanted: Vec<(PageNo, u32)> = wanted.map(|place| (page(place), place)).collect();
        wanted.sort_unstable();
        wanted.into_iter().unzip()
    }
}

/// The page for which each is dropped, if its text is not kept on any page.
fn with_dropped(findings: &Findings, ranks: Vec<Rank>, copies: &[(Rank, Rank)]) -> Vec<TextPage> {
    let place = |rank: Rank| {
        let copy = copies.binary_search_by_key(&rank, |(copy, _)| *copy);
        let rank = copy.map_or(rank, |at| copies[at].1);
        ranks.binary_search(&rank).ok().map(|at| at as u32)
    };
    let first_old = findings.collection.pages.len() - findings.old_pages;
    let mut for_text: FxHashMap<u32, Option<u32>> = FxHashMap::default();
    for dropped in &findings.dropped {
        if let (Some(text), Some(canonical)) = (place(dropped.page), place(dropped.canonical)) {
            // If a page is dropped for another with the same text, that one is kept.
            let for_text = for_text.entry(text).or_insert(Some(canonical));
            *for_text = for_text.filter(|_| text != canonical);
        }
    }
    let page = |(at, &rank): (usize, &Rank)| TextPage {
        rank,
        is_old: findings.by_id[rank.at()].at() >= first_old,
        dropped_for: for_text.get(&(at as u32)).copied().flatten(),
    };
    ranks.iter().enumerate().map(page).collect()
}

#[derive(Debug)]
pub(super) struct PageWords {
    rows: SpillRows<Word>,
    row_of: Vec<u32>,
    pub(super) page_of: Vec<u32>,
    /// How many of them are in work at once.
    work: InWork,
}

/// Looking for seeds takes so many bytes for each byte of a page's words.
const SEEDING: u64 = 6;

fn work(memory: &Memory) -> InWork {
    let limit = WorkLimit {
        memory: memory.whole().unwrap_or(u64::MAX),
        times: SEEDING,
    };
    InWork::new(limit, false)
}

impl PageWords {
    /// The words of texts in memory.
    ///
    /// Errors: a temporary file cannot be written.
    pub(super) fn of_texts<'t>(
        texts: impl Iterator<Item = &'t Text>,
        memory: &Memory,
    ) -> Result<PageWords> {
        let mut all = PageWords {
            rows: SpillRows::new(memory),
            row_of: Vec::new(),
            page_of: Vec::new(),
            work: work(memory),
        };
        for (page, text) in (0..).zip(texts) {
            all.row_of.push(page);
            all.page_of.push(page);
            all.rows.push(&words_of(text))?;
        }
        all.rows.read_often(2);
        Ok(all)
    }

    /// Errors: those of [`TextPages::read`], and a temporary file that cannot be written.
    pub(super) fn read(
        findings: &Findings,
        pages: &TextPages,
        watch: &dyn Watch,
    ) -> Result<PageWords> {
        watch.begin(Stage::Words.name(), pages.pages.len() as u64);
        let mut all = PageWords {
            rows: SpillRows::new(findings.collection.memory()),
            row_of: vec![0; pages.pages.len()],
            page_of: Vec::new(),
            work: work(findings.collection.memory()),
        };
        let make = |_: u32, text: &Text| words_of(text);
        let take = |page: u32, words: Vec<Word>| {
            all.row_of[page as usize] = all.rows.len() as u32;
            all.page_of.push(page);
            all.rows.push(&words)
        };
        let all_pages = 0..pages.pages.len() as u32;
        pages.read_texts(findings, all_pages, make, take, watch)?;
        all.rows.read_often(2);
        Ok(all)
    }

    pub(super) fn of(&self, page: u32) -> Row<'_, Word> {
        self.rows.get(self.row_of[page as usize] as usize)
    }

    /// Runs `make` on the words of each page, on all threads, and `take` on the results in reading order.
    ///
    /// Errors: those of `take`.
    pub(super) fn each<T: Send>(
        &self,
        make: impl Fn(u32, &[Word]) -> T + Sync,
        mut take: impl FnMut(u32, &mut T) -> Result<()>,
    ) -> Result<()> {
        let piece = |piece: &Piece<'_, Word>| -> Vec<(u32, T)> {
            let _claim = self.work.claim(piece.bytes());
            let rows = piece.rows();
            rows.map(|(row, words)| (self.page_of[row], make(self.page_of[row], words)))
                .collect()
        };
        self.rows.made(piece, |made| {
            made.iter_mut()
                .try_for_each(|(page, made)| take(*page, made))
        })
    }
}
