//! Finds benchmark items on a page.

use std::ops::Range;

use super::benchmarks::{Benchmarks, Part};
use super::ngram::Tokens;
use super::question::{Question, score};
use crate::compare::{Word, align};
use crate::explain::shown::ShownPlaces;
use crate::method::grams::aligned;
use crate::text::{Text, TextOptions};

/// A place is examined if it has at least this share of a question word for word.
const LEAST_SHARE: f64 = 0.1;
/// Maximum distance in words between a question and its answer or passage.
const NEAR: usize = 50;
/// A question begins and ends where at least this many of [`DENSE_OF`] words match.
const DENSE: usize = 3;
const DENSE_OF: usize = 5;

/// An item on a page, with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Contamination {
    /// The number of the item.
    pub item: u32,
    /// The share of its question on the page, by weight, increased for an answer or passage nearby.
    pub score: f64,
    /// The score without answers and passages nearby.
    pub question: f64,
    /// Whether an answer or a choice of the item is nearby.
    pub answer: bool,
    /// Whether a passage of the item is nearby.
    pub passage: bool,
    /// First character of the question, in [`Text::shown`].
    pub begin: u32,
    /// One past its last character.
    pub end: u32,
}

/// An n-gram of a question on a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Hit {
    pub(super) question: u32,
    /// The token of the page at which the question would begin.
    pub(super) begin: i64,
    /// The index of the n-gram in the question.
    pub(super) place: u32,
}

/// A place with a question, in tokens.
#[derive(Clone, Debug)]
struct QuestionPlace {
    question: u32,
    says: f64,
    tokens: Range<usize>,
}

impl Benchmarks {
    /// The items in a text with at least this score, in the order of items; for each the best place, the first of equal ones.
    pub fn find(&self, text: &Text, options: &TextOptions, threshold: f64) -> Vec<Contamination> {
        let tokens = Tokens::of(text);
        self.found(&tokens, self.hits(&tokens), options, threshold)
    }

    /// The n-grams of questions in a text.
    pub(super) fn hits(&self, tokens: &Tokens<'_>) -> Vec<Hit> {
        let mut hits = Vec::new();
        for at in 0..tokens.placed.len() {
            tokens.runs_at(at, |run, is_ngram| {
                if !is_ngram && self.short >> run.tokens & 1 == 0 {
                    return;
                }
                let places = self.places(run.hash).iter();
                hits.extend(places.map(|&(question, place)| Hit {
                    question,
                    begin: at as i64 - i64::from(place),
                    place,
                }));
            });
        }
        hits
    }

    pub(super) fn found(
        &self,
        tokens: &Tokens<'_>,
        mut hits: Vec<Hit>,
        options: &TextOptions,
        threshold: f64,
    ) -> Vec<Contamination> {
        hits.sort_unstable();
        let places = hits
            .chunk_by(|one, other| one.question == other.question)
            .filter_map(|hits| self.best(tokens, hits));
        let mut found: Vec<Contamination> = Vec::new();
        let mut spots = Vec::new();
        for place in places {
            if score(place.says, true, true) < threshold {
                continue;
            }
            let before = found.len();
            self.judge(tokens, &place, threshold, &mut found);
            spots.resize(spots.len() + found.len() - before, place.tokens);
        }
        if !found.is_empty() {
            let shown = ShownPlaces::of(tokens.text, options);
            for (found, spot) in found.iter_mut().zip(&spots) {
                let first = tokens.placed[spot.start].start;
                let last = tokens.placed[spot.end - 1].end;
                (found.begin, found.end) = shown.places(first, last);
            }
        }
        found.sort_by_key(|found| found.item);
        found
    }

    /// The best place of a question, if there is one; nearby hits are examined together.
    fn best(&self, tokens: &Tokens<'_>, hits: &[Hit]) -> Option<QuestionPlace> {
        let question = &self.questions[hits[0].question as usize];
        let mut best: Option<QuestionPlace> = None;
        let mut rest = hits;
        while let Some(first) = rest.first() {
            let reach = first.begin + question.slack() as i64;
            let (near, behind) = rest.split_at(rest.partition_point(|hit| hit.begin <= reach));
            rest = behind;
            if let Some(place) = look(question, tokens, near)
                && best.as_ref().is_none_or(|best| best.says < place.says)
            {
                best = Some(place);
            }
        }
        best
    }

    /// Adds the items of a question that reach the threshold.
    fn judge(
        &self,
        tokens: &Tokens<'_>,
        place: &QuestionPlace,
        threshold: f64,
        found: &mut Vec<Contamination>,
    ) {
        for &number in &self.questions[place.question as usize].items {
            let item = &self.items()[number as usize];
            let near = |parts: &[Part]| parts.iter().any(|part| is_near(part, tokens, place));
            let (answer, passage) = (near(&item.answers), near(&item.passages));
            let score = score(place.says, answer, passage);
            if score >= threshold {
                found.push(Contamination {
                    item: number,
                    score,
                    question: place.says,
                    answer,
                    passage,
                    begin: 0,
                    end: 0,
                });
            }
        }
    }
}

/// Aligns a question with the place of these hits, if they are enough.
fn look(question: &Question, tokens: &Tokens<'_>, hits: &[Hit]) -> Option<QuestionPlace> {
    let mut has = vec![false; question.ngrams.len()];
    hits.iter().for_each(|hit| has[hit.place as usize] = true);
    if question.share(|place| has[place]) < LEAST_SHARE {
        return None;
    }
    let (slack, all) = (question.slack() as i64, tokens.placed.len() as i64);
    let (first, last) = (hits[0].begin, hits[hits.len() - 1].begin);
    let from = (first - slack).clamp(0, all) as usize;
    let to = (last + question.words.len() as i64 + slack).clamp(0, all) as usize;
    let there: Vec<Word> = aligned(tokens.text, &tokens.placed[from..to]).collect();
    let alignment = align(&question.words, &there, &[]);
    let range = dense(&alignment.matched_there())?;
    Some(QuestionPlace {
        question: hits[0].question,
        says: question.said_by(&alignment.matched_here()),
        tokens: from + range.start..from + range.end,
    })
}

/// The range with dense matches: a stray match far before a question is not its beginning.
fn dense(matched: &[bool]) -> Option<Range<usize>> {
    let width = DENSE_OF.min(matched.len());
    let least = DENSE.min(matched.iter().filter(|is| **is).count());
    let is_dense = |at: &usize| {
        let window = &matched[*at..*at + width];
        window.iter().filter(|is| **is).count() >= least
    };
    let mut starts = (0..=matched.len() - width).filter(is_dense);
    let first = starts.next()?;
    let last = starts.next_back().unwrap_or(first) + width;
    let range = first..last;
    let begin = range.clone().find(|&at| matched[at])?;
    let end = range.rev().find(|&at| matched[at])? + 1;
    Some(begin..end)
}

/// Whether half of the n-grams of an answer or passage are near a question, before or after it.
fn is_near(part: &Part, tokens: &Tokens<'_>, place: &QuestionPlace) -> bool {
    let reach = NEAR + part.tokens;
    let before = place.tokens.start.saturating_sub(reach)..place.tokens.start;
    let behind = place.tokens.end..(place.tokens.end + reach).min(tokens.placed.len());
    let mut found: Vec<u64> = Vec::new();
    for window in [before, behind] {
        for at in window.clone() {
            tokens.runs_at(at, |run, _| {
                if at + run.tokens <= window.end && part.ngrams.contains(&run.hash) {
                    found.push(run.hash);
                }
            });
        }
    }
    found.sort_unstable();
    found.dedup();
    found.len() * 2 >= part.ngrams.len() && !found.is_empty()
}
