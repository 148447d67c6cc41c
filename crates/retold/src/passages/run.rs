//! The stages of the search for passages, and their results.

use std::collections::BTreeMap;

use super::clusters::{PairRow, Spans};
use super::dropped;
use super::measure::{Measure, PassageOptions};
use super::pages::{PageWords, TextPages};
use super::postings::{Common, PairHits, hits};
use super::seeds::Runs;
use super::shared::{Shared, Texts};
use crate::compare::Word;
use crate::dedup::Findings;
use crate::error::{Error, Result};
use crate::explain::shown::ShownPlaces;
use crate::ids::Rank;
use crate::method::grams::{Placed, aligned, tokens};
use crate::ordered::in_order;
use crate::spill::{Memory, Sorter, SpillRows, SpillVec};
use crate::stage::Stage;
use crate::stage::{StageClock, StageTime};
use crate::text::{Text, TextOptions, Written};
use crate::verify::Again;
use crate::watch::Watch;

/// A passage that two pages share. Offsets are in characters of [`Text::shown`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PassagePair {
    /// The number of the passage.
    pub cluster: u32,
    /// The page that comes first by id.
    pub a: Rank,
    /// The other page.
    pub b: Rank,
    /// First character in `a`, and one past the last.
    pub a_place: (u32, u32),
    /// The same in `b`.
    pub b_place: (u32, u32),
    /// The place in `a` in bytes of the field or file that holds the text, if it is plain text in UTF-8.
    pub a_bytes: Option<(u32, u32)>,
    /// The same in `b`.
    pub b_bytes: Option<(u32, u32)>,
    /// The number of matching words of `a`, including nearly equal ones; characters in scripts without spaces.
    pub matched: u32,
    /// The alignment score: 2 for a matching word (1 if it has up to three letters), minus 1 for each differing or missing word.
    pub score: u32,
}

/// A passage on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PassageRow {
    /// The number of the passage.
    pub cluster: u32,
    /// The number of pages that have it.
    pub size: u32,
    /// The page.
    pub page: Rank,
    /// First character, and one past the last.
    pub place: (u32, u32),
    /// The same in bytes; see [`PassagePair::a_bytes`].
    pub bytes: Option<(u32, u32)>,
    /// Whether no other page has it with an earlier date; false for all pages if there are no dates.
    pub first: bool,
    /// Whether three pages or more have it and four fifths of them are on one site.
    pub boilerplate: bool,
    /// The text, if requested.
    pub text: Option<String>,
}

/// A run of words on more than `max_df` pages.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommonRun {
    /// The number of pages that have it.
    pub df: u32,
    /// One of these pages.
    pub page: Rank,
    /// Its text there.
    pub text: String,
}

/// The passages that pages share.
#[derive(Debug)]
pub struct Passages {
    /// Pages with the same text as another, ascending, each with the page that represents it.
    pub copies: Vec<(Rank, Rank)>,
    /// The number of runs of the minimum length on more than `max_df` pages, each of which was compared with one other page only.
    pub common: u64,
    /// The most frequent of these runs.
    pub most_common: Vec<CommonRun>,
    /// The number of places that were not searched for, because all runs around them have at most two different words.
    pub monotonous: u64,
    /// The number of aligned pairs of pages.
    pub aligned: u64,
    /// The number of pages that repeat another, and are compared with others only where they differ from it.
    pub repeating: u64,
    /// The stages after those that find the copies.
    pub times: Vec<StageTime>,
    ranks: Vec<Rank>,
    /// See [`Passages::about`].
    clusters: SpillVec<[u32; 3]>,
    /// Cluster, pages, places and bytes in both, number of matching words, and score.
    pairs: SpillVec<[u32; 13]>,
    /// Cluster and page, place, bytes, and the number of its text.
    rows: SpillVec<[u64; 4]>,
    texts: SpillRows<u8>,
}

/// Finds the passages that pages share.
///
/// Every run of words of the minimum length that two pages share, word for word after folding, is in a passage of both, unless it has at
/// most two different words. If more than `max_df` pages have it, each is compared with one other, and the passage is on all of them with
/// fewer pairs. Pages with one text are compared once ([`Passages::copies`]). A dropped page is aligned with the page for which
/// it is dropped, and text that it shares with that page word for word is not compared with other pages.
///
/// Memory: that of the run, and 4 bytes for each side of a pair. Time: that of aligning the pairs, at most `max_df` pages for
/// each of a page's seeds on average.
///
/// Errors: invalid options, a file that changed, a temporary file that cannot be written, and the run was cancelled.
pub fn passages(
    findings: &Findings,
    options: &PassageOptions,
    watch: &dyn Watch,
) -> Result<Passages> {
    options.check()?;
    if findings.model.config().addresses.drops() {
        return Err(Error::usage(
            "same_url: passages are searched for in all pages; use versions `keep`, or search in the pages that a run has kept",
        ));
    }
    let memory = findings.collection.memory();
    let measure = Measure::new(options.min_words, options.min_chars);
    let pages = TextPages::of(findings);
    let mut clock = StageClock::default();
    let found = PairPassages::of(findings, &pages, options, watch, &mut clock)?;
    clock.begin(Stage::Places);
    let spans = Spans::of(&found.rows, options, memory)?;
    let mut passages = Passages {
        copies: pages.copies.clone(),
        common: found.common,
        most_common: Vec::new(),
        monotonous: found.monotonous,
        aligned: found.aligned,
        repeating: pages
            .pages
            .iter()
            .filter(|page| page.dropped_for.is_some())
            .count() as u64,
        times: Vec::new(),
        clusters: SpillVec::new(memory),
        ranks: pages.pages.iter().map(|page| page.rank).collect(),
        pairs: SpillVec::new(memory),
        rows: SpillVec::new(memory),
        texts: SpillRows::new(memory),
    };
    passages.place(findings, &pages, &found.rows, &spans, options.text, watch)?;
    passages.name_common(findings, &pages, &found.most_common, measure, watch)?;
    memory.check()?;
    passages.times = clock.finish();
    Ok(passages)
}

/// The passages of pairs of pages, in words.
pub(super) struct PairPassages {
    pub(super) aligned: u64,
    pub(super) common: u64,
    pub(super) most_common: Vec<Common>,
    pub(super) monotonous: u64,
    /// Ascending.
    pub(super) rows: SpillVec<PairRow>,
}

impl PairPassages {
    /// Reads the words of pages, finds those that share seeds, and aligns them.
    pub(super) fn of(
        findings: &Findings,
        pages: &TextPages,
        options: &PassageOptions,
        watch: &dyn Watch,
        clock: &mut StageClock,
    ) -> Result<PairPassages> {
        clock.begin(Stage::Words);
        let words = PageWords::read(findings, pages, watch)?;
        let memory = findings.collection.memory();
        PairPassages::among(pages, &words, options, memory, watch, clock)
    }

    /// As [`PairPassages::of`], with words that were read already.
    pub(super) fn among(
        pages: &TextPages,
        words: &PageWords,
        options: &PassageOptions,
        memory: &Memory,
        watch: &dyn Watch,
        clock: &mut StageClock,
    ) -> Result<PairPassages> {
        let measure = Measure::new(options.min_words, options.min_chars);
        clock.begin(Stage::Seeds);
        watch.begin(Stage::Seeds.name(), pages.pages.len() as u64);
        let candidates = hits(pages, words, measure, options.max_df, memory, watch)?.finish()?;
        memory.check()?;
        clock.begin(Stage::Align);
        watch.begin(Stage::Align.name(), 0);
        let aligning = Aligning {
            pages,
            words,
            measure,
            gap: options.gap as usize,
        };
        let (rows, aligned) = aligning.all(candidates.pairs, memory, watch)?;
        memory.check()?;
        Ok(PairPassages {
            aligned,
            common: candidates.common,
            most_common: candidates.most_common,
            monotonous: candidates.monotonous,
            rows,
        })
    }
}

struct Aligning<'a> {
    pages: &'a TextPages,
    words: &'a PageWords,
    measure: Measure,
    gap: usize,
}

impl Aligning<'_> {
    /// Aligns dropped pages with those for which they are dropped, and all candidates. Also returns the number of aligned pairs.
    fn all(
        &self,
        candidates: impl Iterator<Item = Vec<PairHits>> + Send,
        memory: &Memory,
        watch: &dyn Watch,
    ) -> Result<(SpillVec<PairRow>, u64)> {
        let mut sorter: Sorter<PairRow> = Sorter::new(memory);
        let mut aligned = 0;
        let mut take = |rows: &[PairRow], pairs: usize| {
            aligned += pairs as u64;
            watch.advance(pairs as u64);
            match watch.cancelled() {
                true => Err(Error::Cancelled),
                false => sorter.extend(rows),
            }
        };
        let dropped: Vec<(u32, u32)> = self.dropped().collect();
        in_order(
            dropped.chunks(16),
            |pairs| (self.rows_of_dropped(pairs), pairs.len()),
            |(rows, pairs)| take(rows, *pairs),
        )?;
        in_order(
            candidates,
            |pairs| (self.rows_of(&pairs), pairs.len()),
            |(rows, pairs)| take(rows, *pairs),
        )?;
        let mut rows = SpillVec::new(memory);
        for row in sorter.finish()? {
            rows.push(row)?;
        }
        Ok((rows, aligned))
    }

    /// Dropped pages paired with those for which they are dropped, the smaller first.
    fn dropped(&self) -> impl Iterator<Item = (u32, u32)> {
        let pages = (0u32..).zip(&self.pages.pages);
        pages.filter_map(|(page, of)| {
            let other = of.dropped_for?;
            Some((page.min(other), page.max(other)))
        })
    }

    fn rows_of_dropped(&self, pairs: &[(u32, u32)]) -> Vec<PairRow> {
        let rows = pairs.iter().flat_map(|&pages| {
            let (here, there) = (self.words.of(pages.0), self.words.of(pages.1));
            let texts = self.texts(&here, &there);
            pair_rows(pages, dropped::repeated(texts))
        });
        rows.collect()
    }

    fn rows_of(&self, pairs: &[PairHits]) -> Vec<PairRow> {
        let dropped_for = |page: u32| self.pages.pages[page as usize].dropped_for;
        let new = pairs.iter().filter(|pair| {
            let (a, b) = pair.pages;
            dropped_for(a) != Some(b) && dropped_for(b) != Some(a)
        });
        // Many pairs in a row have the same first page, which may be long.
        let mut last = None;
        let rows = new.flat_map(|pair| {
            let first = last.take().filter(|(page, _)| *page == pair.pages.0);
            let (page, here) = first.unwrap_or_else(|| (pair.pages.0, self.words.of(pair.pages.0)));
            let there = self.words.of(pair.pages.1);
            let places = pair.places.iter();
            let places = places.map(|&(here, there)| (here as usize, there as usize));
            let rows = pair_rows(pair.pages, self.texts(&here, &there).passages(places));
            last = Some((page, here));
            rows
        });
        rows.collect()
    }

    fn texts<'w>(&self, here: &'w [Word], there: &'w [Word]) -> Texts<'w> {
        Texts {
            here,
            there,
            measure: self.measure,
            gap: self.gap,
        }
    }
}

fn pair_rows((a, b): (u32, u32), passages: Vec<Shared>) -> impl Iterator<Item = PairRow> {
    passages.into_iter().map(move |passage| {
        let (here, there) = (passage.here, passage.there);
        let places = [here.start, here.end, there.start, there.end].map(|at| at as u32);
        let [a_begin, a_end, b_begin, b_end] = places;
        let score = passage.score as u32;
        [a, b, a_begin, a_end, b_begin, b_end, passage.matched, score]
    })
}

/// A place on a page, in characters and bytes; `u32::MAX` for missing values.
type Spot = [u32; 4];

const NO_BYTES: (u32, u32) = (u32::MAX, u32::MAX);

fn bytes_of(begin: u32, end: u32) -> Option<(u32, u32)> {
    Some((begin, end)).filter(|bytes| *bytes != NO_BYTES)
}

/// The output for a page: the places of its spans with their sides, and of its members with cluster and text.
struct Placement {
    spans: Vec<(u32, Spot)>,
    members: Vec<(u32, Spot, Option<String>)>,
}

impl Placement {
    fn of(
        again: &Again,
        findings: &Findings,
        spans: &Spans,
        place: usize,
        wants_text: bool,
    ) -> Placement {
        let of_page = spans.spans(place);
        // First the characters, then the bytes: the maps of both take several times the memory of the text.
        let places = WordPlaces::of(&again.text, findings.model.text_options());
        let chars = |&[begin, end, side]: &[u32; 3]| (side, places.places(begin, end));
        let sides: Vec<(u32, (u32, u32))> = of_page.iter().map(chars).collect();
        let members = spans.members(&of_page).map(|member| {
            let chars = places.places(member.begin, member.end);
            (member.cluster, chars)
        });
        let members: Vec<(u32, (u32, u32))> = members.collect();
        drop(places);
        let written = again
            .is_field
            .then(|| Written::of(&again.page, &again.text))
            .flatten();
        let spot = |(begin, end): (u32, u32)| -> Spot {
            let bytes = written.as_ref();
            let bytes = bytes.and_then(|written| written.bytes(begin, end));
            let (first, last) = bytes.unwrap_or(NO_BYTES);
            [begin, end, first, last]
        };
        let shown = wants_text.then(|| shown(&again.text));
        let text = |(begin, end): (u32, u32)| Some(cut(shown.as_ref()?, begin, end));
        let members = members.into_iter();
        Placement {
            spans: sides
                .into_iter()
                .map(|(side, chars)| (side, spot(chars)))
                .collect(),
            members: members
                .map(|(cluster, chars)| (cluster, spot(chars), text(chars)))
                .collect(),
        }
    }
}

/// Maps words of a text to characters of the visible text.
pub(super) struct WordPlaces {
    words: Vec<Placed>,
    shown: ShownPlaces,
}

impl WordPlaces {
    pub(super) fn of(text: &Text, options: &TextOptions) -> WordPlaces {
        WordPlaces {
            words: tokens(text),
            shown: ShownPlaces::of(text, options),
        }
    }

    pub(super) fn places(&self, begin: u32, end: u32) -> (u32, u32) {
        let first = self.words[begin as usize].start;
        let last = self.words[end as usize - 1].end;
        self.shown.places(first, last)
    }
}

fn shown(text: &Text) -> String {
    text.shown().collect::<Vec<&str>>().join("\n")
}

fn cut(text: &str, begin: u32, end: u32) -> String {
    let characters = text.chars().skip(begin as usize);
    characters.take((end - begin) as usize).collect()
}

impl Passages {
    /// Reads the pages with passages once more, to find the places of their words.
    fn place(
        &mut self,
        findings: &Findings,
        pages: &TextPages,
        rows: &SpillVec<PairRow>,
        spans: &Spans,
        wants_text: bool,
        watch: &dyn Watch,
    ) -> Result<()> {
        watch.begin(Stage::Places.name(), spans.pages.len() as u64);
        let memory = findings.collection.memory();
        let mut sides: Sorter<[u32; 5]> = Sorter::new(memory);
        let mut members: Sorter<[u64; 4]> = Sorter::new(memory);
        let make = |page: u32, again: &Again| {
            let place = spans.pages.partition_point(|&other| other < page);
            Placement::of(again, findings, spans, place, wants_text)
        };
        let texts = &mut self.texts;
        let take = |page: u32, placement: Placement| {
            for (side, [begin, end, first, last]) in placement.spans {
                sides.push([side, begin, end, first, last])?;
            }
            for (cluster, [begin, end, first, last], text) in placement.members {
                let number = texts.len() as u64;
                if let Some(text) = text {
                    texts.push(text.as_bytes())?;
                }
                let both = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
                let (cluster, place) = (both(cluster, page), both(begin, end));
                members.push([cluster, place, both(first, last), number])?;
            }
            Ok(())
        };
        pages.read(findings, spans.pages.iter().copied(), make, take, watch)?;
        self.add_pairs(rows, spans, sides)?;
        self.add_rows(findings, pages, members)
    }

    /// Adds the pairs of pages; `placed` has the places of both sides of each.
    fn add_pairs(
        &mut self,
        rows: &SpillVec<PairRow>,
        spans: &Spans,
        placed: Sorter<[u32; 5]>,
    ) -> Result<()> {
        let mut sides = placed.finish()?;
        for (number, row) in rows.iter().enumerate() {
            let [a, b, .., matched, score] = row;
            let mut pair = [0; 13];
            pair[..3].copy_from_slice(&[spans.cluster(number), a, b]);
            for (side, to) in sides.by_ref().take(2).zip(pair[3..11].chunks_mut(4)) {
                to.copy_from_slice(&side[1..]);
            }
            pair[11..].copy_from_slice(&[matched, score]);
            self.pairs.push(pair)?;
        }
        Ok(())
    }

    /// Adds the rows of all passages, and the facts about each passage.
    fn add_rows(
        &mut self,
        findings: &Findings,
        pages: &TextPages,
        members: Sorter<[u64; 4]>,
    ) -> Result<()> {
        let mut of_cluster: Vec<Rank> = Vec::new();
        let mut last = None;
        for member in members.finish()? {
            let (cluster, page) = (member[0] >> 32, pages.pages[member[0] as u32 as usize].rank);
            if last.is_some_and(|last| last != cluster) {
                self.clusters.push(Passages::about(findings, &of_cluster))?;
                of_cluster.clear();
            }
            last = Some(cluster);
            if of_cluster.last() != Some(&page) {
                of_cluster.push(page);
            }
            self.rows.push(member)?;
        }
        if last.is_some() {
            self.clusters.push(Passages::about(findings, &of_cluster))?;
        }
        Ok(())
    }

    fn name_common(
        &mut self,
        findings: &Findings,
        pages: &TextPages,
        common: &[Common],
        measure: Measure,
        watch: &dyn Watch,
    ) -> Result<()> {
        let mut of_page: BTreeMap<u32, Vec<&Common>> = BTreeMap::new();
        for common in common {
            of_page.entry(common.page).or_default().push(common);
        }
        let make = |page: u32, text: &Text| -> Vec<CommonRun> {
            let places = WordPlaces::of(text, findings.model.text_options());
            let words: Vec<Word> = aligned(text, &places.words).collect();
            let runs = Runs::of(&words, measure);
            let shown = shown(text);
            let named = of_page[&page].iter().map(|common| {
                let run = runs.whole_at(common.at as usize);
                let (begin, end) = places.places(run.start as u32, run.end as u32);
                CommonRun {
                    df: common.df,
                    page: pages.pages[page as usize].rank,
                    text: cut(&shown, begin, end),
                }
            });
            named.collect()
        };
        let all = &mut self.most_common;
        let take = |_: u32, mut runs: Vec<CommonRun>| {
            all.append(&mut runs);
            Ok(())
        };
        pages.read_texts(findings, of_page.keys().copied(), make, take, watch)?;
        let order = |one: &CommonRun, other: &CommonRun| {
            let df = other.df.cmp(&one.df);
            df.then(one.page.cmp(&other.page))
                .then(one.text.cmp(&other.text))
        };
        all.sort_by(order);
        Ok(())
    }

    /// All pairs of pages that share a passage, ascending by pages; for each pair the passages with the highest scores, by place.
    pub fn pairs(&self) -> impl Iterator<Item = PassagePair> + Clone {
        self.pairs.iter().map(|row| {
            let [cluster, a, b, ref places @ .., matched, score] = row;
            let [
                a_begin,
                a_end,
                a_first,
                a_last,
                b_begin,
                b_end,
                b_first,
                b_last,
            ] = *places;
            PassagePair {
                cluster,
                a: self.ranks[a as usize],
                b: self.ranks[b as usize],
                a_place: (a_begin, a_end),
                b_place: (b_begin, b_end),
                a_bytes: bytes_of(a_first, a_last),
                b_bytes: bytes_of(b_first, b_last),
                matched,
                score,
            }
        })
    }

    /// The number of pairs.
    pub fn count_pairs(&self) -> usize {
        self.pairs.len()
    }

    /// All passages on all pages, by number and page.
    pub fn rows(&self) -> impl Iterator<Item = PassageRow> + Clone {
        let rows = self.rows.iter();
        rows.map(|row| PassageRow {
            text: (!self.texts.is_empty()).then(|| {
                let text = self.texts.get(row[3] as usize);
                String::from_utf8_lossy(&text).into_owned()
            }),
            ..self.row(row)
        })
    }

    /// All passages on all pages without their texts.
    pub fn places(&self) -> impl Iterator<Item = PassageRow> + Clone {
        self.rows.iter().map(|row| self.row(row))
    }

    fn row(&self, [of, place, bytes, _]: [u64; 4]) -> PassageRow {
        let (cluster, page) = ((of >> 32) as u32, self.ranks[of as u32 as usize]);
        let [size, first, boilerplate] = self.clusters.one(cluster as usize);
        PassageRow {
            cluster,
            size,
            page,
            place: ((place >> 32) as u32, place as u32),
            bytes: bytes_of((bytes >> 32) as u32, bytes as u32),
            first: first == page.0,
            boilerplate: boilerplate == 1,
            text: None,
        }
    }

    /// The number of rows of [`Passages::rows`].
    pub fn count_rows(&self) -> usize {
        self.rows.len()
    }

    /// The number of passages, and how many of them are boilerplate.
    pub fn count(&self) -> (usize, usize) {
        let boilerplate = self.clusters.iter().filter(|cluster| cluster[2] == 1);
        (self.clusters.len(), boilerplate.count())
    }

    /// The facts about a passage on these pages: their number, the page that has it first (`u32::MAX` without dates), and whether it is
    /// boilerplate.
    fn about(findings: &Findings, pages: &[Rank]) -> [u32; 3] {
        let dated = pages.iter();
        let dated = dated.filter_map(|&page| Some((findings.page(page).date?, page)));
        let first = dated.min().map_or(u32::MAX, |(_, page)| page.0);
        let mut sites: BTreeMap<u32, usize> = BTreeMap::new();
        for site in pages.iter().filter_map(|&page| findings.page(page).site) {
            *sites.entry(site).or_default() += 1;
        }
        let most = sites.values().copied().max().unwrap_or_default();
        let is_boilerplate = pages.len() >= 3 && most * 5 >= pages.len() * 4;
        [pages.len() as u32, first, is_boilerplate.into()]
    }
}
