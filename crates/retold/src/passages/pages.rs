//! The pages whose passages are searched for, and their words.

use rustc_hash::FxHashMap;

use crate::compare::Word;
use crate::dedup::Findings;
use crate::error::Result;
use crate::filter::{PairFilters, Scope};
use crate::ids::{PageNo, Rank};
use crate::method::grams::{aligned, tokens};
use crate::spill::{Memory, Piece, Row, SpillRows};
use crate::stage::Stage;
use crate::text::Text;
use crate::verify::Again;
use crate::watch::Watch;

/// A page that represents all pages with its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextPage {
    pub(super) rank: Rank,
    /// Whether it is one of the old pages, which are not compared with each other.
    pub(super) is_old: bool,
    /// The text, by its place among these pages, that it is dropped for, if pair filters make no difference between the two.
    pub(super) dropped_for: Option<u32>,
}

/// The pages that are compared, by rank: of pages with one text that pair filters treat alike, the first by date, then by
/// id.
#[derive(Debug)]
pub(super) struct TextPages {
    pub(super) pages: Vec<TextPage>,
    filters: PairFilters,
    /// The properties of each page that these use; empty if there are no filters.
    scopes: Vec<Scope>,
    /// Pages of the same text as one of them, ascending, each with that one.
    pub(super) copies: Vec<(Rank, Rank)>,
}

impl TextPages {
    /// Texts the first of which is compared with all others, and the others not with each other.
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

    /// A page is compared with others only where it differs from the one that it is dropped for: not if filters may allow to compare it with a
    /// page and forbid that for the other.
    fn compare_where_filters_differ(&mut self) {
        for (page, scope) in self.pages.iter_mut().zip(&self.scopes) {
            let is_alike = |other: &u32| self.scopes[*other as usize] == *scope;
            page.dropped_for = page.dropped_for.filter(is_alike);
        }
    }

    /// Whether two pages are compared: old ones are not with each other, nor those that pair filters forbid.
    pub(super) fn may_compare(&self, one: u32, other: u32) -> bool {
        let (one, other) = (one as usize, other as usize);
        let is_forbidden = || self.filters.forbids(&self.scopes[one], &self.scopes[other]);
        let are_old = self.pages[one].is_old && self.pages[other].is_old;
        !are_old && (self.scopes.is_empty() || is_forbidden().is_none())
    }

    /// These pages apart, ascending, so that filters allow to compare no two of different parts; nothing if there are no filters.
    pub(super) fn parts(&self, pages: impl Iterator<Item = u32>) -> Option<Vec<Vec<u32>>> {
        if self.scopes.is_empty() {
            return None;
        }
        let scope = |page: u32| self.scopes[page as usize];
        let mut parts = self.filters.parts(pages.collect(), scope);
        parts.iter_mut().for_each(|part| part.sort_unstable());
        Some(parts)
    }

    /// Reads these pages again; `make` gets each one's place among them.
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
        let page = |place: u32| findings.by_id[self.pages[place as usize].rank.at()];
        let mut wanted: Vec<(PageNo, u32)> = wanted.map(|place| (page(place), place)).collect();
        wanted.sort_unstable();
        let pages: Vec<PageNo> = wanted.iter().map(|(page, _)| *page).collect();
        findings.reread().read(
            &pages,
            |at, again| make(wanted[at].1, again),
            |at, made| take(wanted[at].1, made),
            watch,
        )
    }
}

/// What each page is dropped for, if its text is kept nowhere.
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
            // If a page of the text is dropped for another of the same text, that one is kept.
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

fn words_of(text: &Text) -> Vec<Word> {
    aligned(text, &tokens(text)).collect()
}

/// The words of the texts of pages.
#[derive(Debug)]
pub(super) struct PageWords {
    rows: SpillRows<Word>,
    /// Page -> its row.
    row_of: Vec<u32>,
    /// Row -> its page.
    pub(super) page_of: Vec<u32>,
}

impl PageWords {
    /// Of texts that are there.
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
        };
        let make = |_: u32, again: &Again| words_of(&again.text);
        let take = |page: u32, words: Vec<Word>| {
            all.row_of[page as usize] = all.rows.len() as u32;
            all.page_of.push(page);
            all.rows.push(&words)
        };
        pages.read(findings, 0..pages.pages.len() as u32, make, take, watch)?;
        all.rows.read_often(2);
        Ok(all)
    }

    pub(super) fn of(&self, page: u32) -> Row<'_, Word> {
        self.rows.get(self.row_of[page as usize] as usize)
    }

    /// What `make` makes of the words of each page, on all threads; `take` gets it in the order in which they were read.
    ///
    /// Errors: those of `take`.
    pub(super) fn each<T: Send>(
        &self,
        make: impl Fn(u32, &[Word]) -> T + Sync,
        mut take: impl FnMut(u32, &mut T) -> Result<()>,
    ) -> Result<()> {
        let piece = |piece: &Piece<'_, Word>| -> Vec<(u32, T)> {
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
