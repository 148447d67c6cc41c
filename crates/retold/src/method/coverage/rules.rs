//! The rules of the verdict, as a list. Each rule belongs to a question, reads the facts of a pair, and makes one check.

use super::facts::{Facts, PairKind};
use super::limits;
use super::params::CoverageParams;
use crate::compare::WORD;
use crate::method::{Check, Op, Trace};
use crate::relation::ratio;

/// The questions about a pair, in order. A pair is related only if a rule of each question holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// Do they share enough?
    Shared,
    /// Is the shared text a story or a frame?
    Story,
    /// Are they the same where words differ?
    Same,
}

pub(super) const QUESTIONS: [Question; 3] = [Question::Shared, Question::Story, Question::Same];

pub(super) struct Rule {
    pub(super) question: Question,
    /// Whether pages related by this rule only overlap.
    overlaps: bool,
    /// What follows if it holds, and if it fails.
    outcomes: (&'static str, &'static str),
    /// Whether the rule applies to a pair.
    applies: fn(&Facts<'_>) -> bool,
    check: fn(&Facts<'_>, &CoverageParams) -> Check,
}

fn always(_: &Facts<'_>) -> bool {
    true
}

fn words(size: usize) -> usize {
    size / WORD
}

pub(super) const RULES: [Rule; 9] = [
    Rule {
        question: Question::Shared,
        overlaps: false,
        outcomes: ("", ""),
        applies: always,
        check: |facts, params| {
            let here = &facts.of.here;
            let (in_order, all, least) = match facts.has_story {
                true => (here.story_in_order, here.story, params.threshold),
                false => (here.in_order, here.all, limits::FRAMES_IN_COMMON),
            };
            // Moved passages are searched for only if they decide.
            let shared = match (ratio(in_order, all) >= least, facts.has_story) {
                (true, _) => in_order,
                (false, true) => in_order + here.rest().story_moved,
                (false, false) => in_order + here.rest().moved,
            };
            let meaning = "words of the smaller page outside frames that the other has, in order or in a moved passage, divided by all of these";
            // Having nothing in common is never enough.
            let all = words(all).max(1);
            let least = least.max(1.0 / all as f64);
            Check::ratio("shared", meaning, words(shared), all, least)
        },
    },
    Rule {
        question: Question::Story,
        overlaps: false,
        outcomes: (
            "enough evidence",
            "evidence only if names agree, or in an article",
        ),
        applies: |facts| facts.evidence.overlap.has_boilerplate(),
        check: |facts, params| {
            let meaning = "share of the smaller sketch, without templates, that the other has";
            Check::value("rest", meaning, facts.evidence.rest).against(Op::AtLeast, params.rest)
        },
    },
    Rule {
        question: Question::Story,
        overlaps: false,
        outcomes: ("nearly equal pages", "not nearly equal"),
        applies: |facts| {
            facts.evidence.overlap.has_boilerplate() && facts.of.replaced == 0 && !facts.has_own()
        },
        check: |facts, _| {
            let here = &facts.of.here;
            let meaning = "words of the smaller page that the other has in the same order, divided by all; none is replaced";
            Check::ratio(
                "equal",
                meaning,
                words(here.in_order),
                words(here.all).max(1),
                limits::NEARLY_EQUAL,
            )
        },
    },
    Rule {
        question: Question::Story,
        overlaps: false,
        outcomes: ("a statement in an article", "no statement"),
        applies: |facts| facts.evidence.overlap.has_boilerplate() && facts.evidence.is_article,
        check: |facts, _| {
            let meaning = "words of an article that the other page has in the same order, even if many pages have them";
            let shared = words(facts.of.here.in_order);
            Check::number(
                "statement",
                meaning,
                shared,
                Op::AtLeast,
                limits::STATEMENT_WORDS as f64,
            )
        },
    },
    Rule {
        question: Question::Story,
        overlaps: false,
        outcomes: ("names agree", "names do not agree"),
        applies: |facts| {
            facts.evidence.overlap.has_boilerplate() && facts.evidence.may_have_names()
        },
        check: |facts, _| longest(facts, limits::LONGEST_AS_EVIDENCE),
    },
    Rule {
        question: Question::Same,
        overlaps: false,
        outcomes: ("as in a copy", "only if names and numbers agree"),
        applies: always,
        check: |facts, params| {
            let most = match facts.kind {
                PairKind::Short => params.short_replaced,
                PairKind::Form => params.replaced_frequent,
                PairKind::Page => params.replaced,
            };
            let meaning = "words that stand in the place of others, divided by those of the smaller page outside templates";
            Check::value("replaced", meaning, facts.replaced_share()).against(Op::AtMost, most)
        },
    },
    Rule {
        question: Question::Same,
        overlaps: false,
        outcomes: ("misread by a machine", "not misread"),
        applies: |facts| facts.may_be_misread(),
        check: |facts, _| {
            let meaning = "nearly equal words divided by all differing words of the smaller page";
            Check::value("misread", meaning, facts.near_share())
                .against(Op::AtLeast, limits::MISREAD)
        },
    },
    Rule {
        question: Question::Same,
        overlaps: false,
        outcomes: ("reworded", "not reworded"),
        applies: |facts| {
            facts.kind == PairKind::Page && facts.evidence.numbers_agree() && facts.keeps_names()
        },
        check: |facts, params| {
            let least = params.reworded;
            let here = &facts.of.here;
            let meaning = "words of the smaller page that the other has in the same order, divided by all; numbers and names are the same";
            let is_same = facts.evidence.longest() >= limits::LONGEST && least < 1.0;
            let shared = if is_same { words(here.in_order) } else { 0 };
            Check::ratio("reworded", meaning, shared, words(here.all).max(1), least)
        },
    },
    Rule {
        question: Question::Same,
        overlaps: true,
        outcomes: ("overlaps: words in it differ", "not the same"),
        applies: |facts| facts.may_overlap(),
        check: |facts, _| {
            let here = &facts.of.here;
            let meaning =
                "words of the smaller page that the other has in the same order, divided by all";
            Check::ratio(
                "most",
                meaning,
                words(here.in_order),
                words(here.all).max(1),
                limits::MOST,
            )
        },
    },
];

fn longest(facts: &Facts<'_>, least: f64) -> Check {
    let meaning =
        "share of the longest words of one page that the other has; the lower of the two shares";
    Check::value("longest words", meaning, facts.evidence.longest()).against(Op::AtLeast, least)
}

/// The answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// No rule holds.
    No,
    /// A rule holds, or none applies.
    Yes,
    /// A rule holds that makes the pages overlap only.
    Overlaps,
}

impl Question {
    /// The answer by the first rule of this question that holds.
    pub(super) fn answer(
        self,
        facts: &Facts<'_>,
        params: &CoverageParams,
        trace: &mut Trace,
    ) -> Answer {
        let rules = RULES.iter().filter(|rule| rule.question == self);
        let rules: Vec<&Rule> = rules.filter(|rule| (rule.applies)(facts)).collect();
        if rules.is_empty() {
            return Answer::Yes;
        }
        let last = rules.len() - 1;
        let held = rules.iter().enumerate().find(|(at, rule)| {
            let check = (rule.check)(facts, params);
            // If the last rule fails, the answer is no.
            trace.test(match *at < last {
                true => check.deciding(rule.outcomes.0, rule.outcomes.1),
                false => check,
            })
        });
        match held {
            None => Answer::No,
            Some((_, rule)) if rule.overlaps => Answer::Overlaps,
            Some(_) => Answer::Yes,
        }
    }
}
