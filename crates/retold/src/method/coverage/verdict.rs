//! The verdict on two texts: three questions about one comparison, and the own passages of each text.

use super::facts::{Evidence, Facts, PairKind};
use super::fingerprint::Fingerprint;
use super::grams;
use super::limits;
use super::params::CoverageParams;
use super::position_index::{Matches, PositionIndex};
use super::rules::{Answer, QUESTIONS};
use crate::compare::{
    Anchor, Compared, OwnLimit, OwnPassage, WORD, Word, chained, in_common, own_against,
    pairs_in_common, size,
};
use crate::method::{Check, Op, OwnWords, Trace};
use crate::relation::{Relation, Verdict, ratio};

impl CoverageParams {
    /// The verdict on two texts. The position index of `a` is built on first use.
    pub(super) fn verdict(
        &self,
        a: &Fingerprint<'_>,
        index: &mut Option<PositionIndex>,
        b: &Fingerprint<'_>,
        trace: &mut Trace,
    ) -> Option<Verdict> {
        let is_smaller = is_smaller(a, b);
        let (small, large) = if is_smaller { (a, b) } else { (b, a) };
        let evidence = Evidence::of(small, large, self);
        let is_candidate = self.is_candidate(&evidence) || evidence.names_agree();
        if !is_candidate && !self.may_be_told_again(&evidence, small, large, trace) {
            return None;
        }
        let index = index.get_or_insert_with(|| PositionIndex::of(a.runs(self.run)));
        let matches = match is_smaller {
            true => index.in_larger(&large.runs(self.run)),
            false => index.of_smaller(&small.runs(self.run)),
        };
        let all = small.tokens.saturating_sub(self.run) + 1;
        let runs = ratio(matches.runs, all);
        let is_usual = is_candidate
            && self.may_share(small, large, runs, trace)
            && self.may_tell_a_story(&evidence, small, large, trace);
        if is_candidate && !is_usual {
            trace.reconsider("may be mistyped or retold");
            if !self.may_be_told_again(&evidence, small, large, trace) {
                return None;
            }
        }
        let in_order = anchors(&matches, self.run.min(small.tokens));
        let in_order = chained(small.words, large.words, &in_order);
        let facts = Facts::of(evidence, &in_order, self);
        let answer = match is_usual {
            true => self.answer(&facts, trace),
            false => Answer::No,
        };
        let overlaps = match answer {
            Answer::Yes => false,
            Answer::Overlaps => true,
            Answer::No if facts.evidence.rare < limits::RARE_BIGRAMS => return None,
            Answer::No => {
                trace.reconsider("may be mistyped or retold");
                match told_again(&facts, runs, trace) {
                    Answer::Yes => false,
                    Answer::Overlaps => true,
                    Answer::No => return None,
                }
            }
        };
        let verdict = self.related(&facts, overlaps, trace)?;
        Some(if is_smaller {
            verdict
        } else {
            verdict.swapped()
        })
    }

    /// False if the smaller text lacks so many words of the other that neither repeats the other, not even misread.
    pub(super) fn may_repeat(a: &Fingerprint<'_>, b: &Fingerprint<'_>) -> bool {
        let (small, large) = if is_smaller(a, b) { (a, b) } else { (b, a) };
        in_common(small.words, large.words) >= limits::WORDS_OF_A_COPY
    }

    /// False if the texts share too few runs, words or pairs of words to be aligned.
    fn may_share(
        &self,
        small: &Fingerprint<'_>,
        large: &Fingerprint<'_>,
        runs: f64,
        trace: &mut Trace,
    ) -> bool {
        let check = |name, meaning, value, least| {
            Check::value(name, meaning, value).against(Op::AtLeast, least)
        };
        let meaning = "runs of words of the smaller page that the other has, divided by all";
        let runs = check("runs", meaning, runs, limits::RUNS_IN_COMMON);
        if trace.test(runs.deciding("aligned", "aligned if words are in common")) {
            return true;
        }
        let meaning = "words of the smaller page that the other has, in any order, divided by all; not aligned if fewer";
        let words = in_common(small.words, large.words);
        if !trace.test(check(
            "words in common",
            meaning,
            words,
            limits::WORDS_IN_COMMON,
        )) {
            return false;
        }
        let meaning = "pairs of neighbouring words of the smaller page that the other has, divided by all; not aligned if fewer";
        let pairs = pairs_in_common(small.words, large.words);
        trace.test(check(
            "pairs in common",
            meaning,
            pairs,
            limits::PAIRS_IN_COMMON,
        ))
    }

    /// False if the texts need not be aligned because they are neither the same with wrong letters nor the same in other words.
    fn may_be_told_again(
        &self,
        evidence: &Evidence<'_>,
        small: &Fingerprint<'_>,
        large: &Fingerprint<'_>,
        trace: &mut Trace,
    ) -> bool {
        let meaning =
            "1 if a third of the shared shingles belongs to templates, as in forms, else 0";
        let is_form = usize::from(evidence.overlap.is_mostly_boilerplate());
        let is_form = Check::number("form", meaning, is_form, Op::AtMost, 0.0);
        if !trace.test(rare_bigrams(evidence.rare)) || !trace.test(is_form) {
            return false;
        }
        if evidence.may_be_retold() {
            return true;
        }
        let meaning = "pairs of neighbouring words of the smaller page that the other has, divided by all; names or numbers differ, so only \
                       letters may be wrong";
        let pairs = pairs_in_common(small.words, large.words);
        let check = Check::value("pairs in common", meaning, pairs);
        trace.test(check.against(Op::AtLeast, limits::MISTYPED_PAIRS))
    }

    /// The answer to all questions together.
    fn answer(&self, facts: &Facts<'_>, trace: &mut Trace) -> Answer {
        let mut overlaps = false;
        for question in QUESTIONS {
            match question.answer(facts, self, trace) {
                Answer::No => return Answer::No,
                Answer::Yes => {}
                Answer::Overlaps => overlaps = true,
            }
        }
        match overlaps {
            true => Answer::Overlaps,
            false => Answer::Yes,
        }
    }

    /// False if the texts need not be aligned because possibly only a template is shared, names differ, and too many words differ for
    /// nearly equal pages.
    fn may_tell_a_story(
        &self,
        evidence: &Evidence<'_>,
        small: &Fingerprint<'_>,
        large: &Fingerprint<'_>,
        trace: &mut Trace,
    ) -> bool {
        if !evidence.may_be_template(self) || evidence.is_article || evidence.names_agree() {
            return true;
        }
        let meaning = "words of the smaller page that the other has, in any order, divided by all; names differ, and only templates agree";
        let words = in_common(small.words, large.words);
        let check = Check::value("words in common", meaning, words);
        trace.test(check.against(Op::AtLeast, limits::NEARLY_EQUAL))
    }

    /// The verdict on two texts (the smaller and the larger) that share a story.
    fn related(&self, facts: &Facts<'_>, overlaps: bool, trace: &mut Trace) -> Option<Verdict> {
        let own = if overlaps { [true; 2] } else { facts.own(self) };
        let (here, there) = (&facts.of.here, &facts.of.there);
        let meaning = "words in own passages, which the other page does not have";
        let words = |of: &Compared<'_>| of.own_size() / WORD;
        trace.test(Check::value(
            "own, smaller page",
            meaning,
            words(here) as f64,
        ));
        trace.test(Check::value(
            "own, larger page",
            meaning,
            words(there) as f64,
        ));
        let relation = match own {
            [false, false] => Relation::Duplicate,
            [true, false] => Relation::Contains,
            [false, true] => Relation::ContainedBy,
            [true, true] => Relation::Overlaps,
        };
        if !facts.has_story {
            let with_own = own.iter().filter(|has_own| **has_own).count();
            let meaning = "pages with something of their own; pages that are only frames are copies or nothing";
            if !trace.test(Check::number(
                "with own",
                meaning,
                with_own,
                Op::AtMost,
                0.0,
            )) {
                return None;
            }
        }
        Some(Verdict {
            relation,
            similarity: ratio(here.in_order, here.all),
            length_ratio: ratio(here.all.min(there.all), here.all.max(there.all)),
            shared: u32::try_from(here.in_order / WORD).unwrap_or(u32::MAX),
            shared_chars: 0,
            own_a: words(here) as u32,
            own_b: words(there) as u32,
        })
    }

    /// How many words a text has in own passages over the limit, against all these others together.
    pub(super) fn own_against(&self, text: &Fingerprint<'_>, others: &[Fingerprint<'_>]) -> u32 {
        let limit = OwnLimit::of(self.own_words, self.own_share, size(text.words));
        let own = own_of(text, others);
        match limit.is_reached(&own) {
            true => own.iter().map(|passage| passage.own / WORD).sum::<usize>() as u32,
            false => 0,
        }
    }

    /// The own passages of a text against all these others together that have as many words as the limit says.
    pub(super) fn own_passages(
        &self,
        text: &Fingerprint<'_>,
        others: &[Fingerprint<'_>],
    ) -> Vec<OwnWords> {
        let own = own_of(text, others).into_iter();
        let own = own.filter(|passage| passage.own >= (self.own_words * WORD).max(1));
        let own = own.map(|passage| OwnWords {
            words: passage.words,
            own: (passage.own / WORD) as u32,
        });
        own.collect()
    }
}

fn own_of(text: &Fingerprint<'_>, others: &[Fingerprint<'_>]) -> Vec<OwnPassage> {
    let others: Vec<_> = others.iter().map(|other| other.words).collect();
    own_against(text.words, &text.in_lines(), &others)
}

/// The check by which pages are compared that share little else.
pub(super) fn rare_bigrams(share: f64) -> Check {
    let meaning = "neighbouring content words of both pages that few other pages have, and both have, divided by all of these";
    Check::value("rare bigrams", meaning, share).against(Op::AtLeast, limits::RARE_BIGRAMS)
}

/// Whether one page is the other with many wrong letters, or retold in other words, given their share of common runs.
fn told_again(facts: &Facts<'_>, runs: f64, trace: &mut Trace) -> Answer {
    match is_mistyped(facts, trace) {
        Answer::No if is_retold(facts, runs, trace) => Answer::Overlaps,
        answer => answer,
    }
}

/// Whether one page is the other with many wrong letters. It only overlaps if it may still say something else: if less is alike or in order,
/// if it may be a form, or if it is short and a word is not alike.
fn is_mistyped(facts: &Facts<'_>, trace: &mut Trace) -> Answer {
    if !facts.may_be_mistyped() {
        return Answer::No;
    }
    let (alike, all) = facts.of.alike();
    let meaning = "longer words that may be the other page's with wrong letters, divided by all longer ones of the smaller page that differ; \
                   rare bigrams agree";
    let check = |share: f64, count| {
        let least = share.max(ratio(count, all.max(1)));
        Check::ratio("mistyped", meaning, alike, all.max(1), least)
    };
    let certain = check(limits::MISTYPED, limits::MISTYPED_LEAST);
    if certain.holds() && facts.in_order() >= limits::MISTYPED_IN_ORDER {
        let is_copy =
            !facts.evidence.overlap.has_boilerplate() && (alike == all || facts.evidence.is_long());
        trace.test(certain.deciding("mistyped", ""));
        return if is_copy {
            Answer::Yes
        } else {
            Answer::Overlaps
        };
    }
    let perhaps = check(limits::MUCH_MISTYPED, limits::MUCH_MISTYPED_LEAST);
    match trace.test(perhaps.deciding("overlaps: much mistyped", "not mistyped")) {
        true => Answer::Overlaps,
        false => Answer::No,
    }
}

/// Whether one page is the other retold in other words. Such pages only overlap. Where long runs agree, pages that differ otherwise are
/// forms.
fn is_retold(facts: &Facts<'_>, runs: f64, trace: &mut Trace) -> bool {
    let may_be = facts.kind == PairKind::Page
        && runs < limits::RETOLD_RUNS
        && facts.evidence.may_be_retold();
    let in_order = |name, of: &Compared<'_>, least| {
        let meaning = "words of the page that the other has in the same order, divided by all; rare bigrams, the longest words and numbers \
                       agree, so it may be retold in other words";
        let in_order = if may_be { of.in_order / WORD } else { 0 };
        Check::ratio(name, meaning, in_order, (of.all / WORD).max(1), least)
    };
    let (here, there) = (&facts.of.here, &facts.of.there);
    trace.test(in_order("retold", here, limits::RETOLD_IN_ORDER))
        && trace.test(in_order(
            "retold, larger page",
            there,
            limits::RETOLD_OF_LARGER,
        ))
}

/// Of two texts of one length, always the same one counts as the smaller.
fn is_smaller(a: &Fingerprint<'_>, b: &Fingerprint<'_>) -> bool {
    (a.tokens, a) <= (b.tokens, b)
}

/// The chained runs of `width` words that a text has in common with a larger one, with which a verdict aligns them.
pub(crate) fn runs_in_common(small: &[Word], large: &[Word], width: usize) -> Vec<Anchor> {
    let runs = |words| grams::runs(words, width).collect();
    let matches = PositionIndex::of(runs(small)).in_larger(&runs(large));
    chained(small, large, &anchors(&matches, width.min(small.len())))
}

fn anchors(matches: &Matches, run: usize) -> Vec<Anchor> {
    let blocks = matches.blocks.iter();
    let anchors = blocks.map(|block| Anchor {
        here: block.place,
        there: block.there,
        words: block.runs + run - 1,
    });
    anchors.collect()
}
