//! The verdict on two texts: three questions about one comparison, and the own passages of each text.

use super::facts::{Evidence, Facts};
use super::fingerprint::Fingerprint;
use super::grams;
use super::limits;
use super::params::CoverageParams;
use super::position_index::{Matches, PositionIndex};
use super::rules::{Answer, QUESTIONS};
use crate::compare::{
    Anchor, Compared, OwnLimit, WORD, Word, chained, in_common, own_against, pairs_in_common, size,
};
use crate::method::{Check, Op, Trace};
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
        // Of two texts of one length, always the same one counts as the smaller.
        let is_smaller = (a.tokens, a) <= (b.tokens, b);
        let (small, large) = if is_smaller { (a, b) } else { (b, a) };
        let index = index.get_or_insert_with(|| PositionIndex::of(a.runs(self.run)));
        let matches = match is_smaller {
            true => index.in_larger(&large.runs(self.run)),
            false => index.of_smaller(&small.runs(self.run)),
        };
        let all = small.tokens.saturating_sub(self.run) + 1;
        if !self.may_share(small, large, ratio(matches.runs, all), trace) {
            return None;
        }
        let evidence = Evidence::of(small, large, self);
        if !self.may_tell_a_story(&evidence, small, large, trace) {
            return None;
        }
        let runs = anchors(&matches, self.run.min(small.tokens));
        let runs = chained(small.words, large.words, &runs);
        let facts = Facts::of(evidence, &runs, self);
        let mut overlaps = false;
        for question in QUESTIONS {
            match question.answer(&facts, self, trace) {
                Answer::No => return None,
                Answer::Yes => {}
                Answer::Overlaps => overlaps = true,
            }
        }
        let verdict = self.related(&facts, overlaps, trace)?;
        Some(if is_smaller {
            verdict
        } else {
            verdict.swapped()
        })
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
        let others: Vec<_> = others.iter().map(|other| other.words).collect();
        let own = own_against(text.words, &text.in_lines(), &others);
        match limit.is_reached(&own) {
            true => own.iter().map(|passage| passage.own / WORD).sum::<usize>() as u32,
            false => 0,
        }
    }
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
