//! The facts about a pair of texts: their comparison, and what sketches and the model say. Each value is computed once.

use std::cell::OnceCell;

use super::fingerprint::Fingerprint;
use super::limits;
use super::overlap::SketchOverlap;
use super::params::CoverageParams;
use crate::compare::{
    Anchor, Comparison, OwnLimit, Side, WORD, Word, longest_found, numbers_found, size,
};
use crate::relation::ratio;

/// The kind of pages in a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PairKind {
    /// So short that one word makes a different page.
    Short,
    /// Most of what they share is on many pages, as in a form with different entries.
    Form,
    /// Any other.
    Page,
}

/// What is known of two texts before alignment, the smaller first.
pub(super) struct Evidence<'f> {
    small: &'f Fingerprint<'f>,
    large: &'f Fingerprint<'f>,
    pub(super) overlap: SketchOverlap,
    /// Coverage outside templates, estimated from the sketches.
    pub(super) rest: f64,
    /// Whether most of the smaller page is full sentences.
    pub(super) is_article: bool,
    /// How many numbers of the smaller text the other has, and how many there are. Computed on demand.
    numbers: OnceCell<(usize, usize)>,
    /// The share of the longest words of each text that the other has, the lower of the two. Computed on demand.
    longest: OnceCell<f64>,
    /// The share of the rare bigrams of both that are in common.
    pub(super) rare: f64,
}

impl<'f> Evidence<'f> {
    pub(super) fn of(
        small: &'f Fingerprint<'f>,
        large: &'f Fingerprint<'f>,
        params: &CoverageParams,
    ) -> Evidence<'f> {
        let overlap = SketchOverlap::of_fingerprints(small, large, params.below());
        let is_article =
            small.prose >= params.least_prose() && small.tokens >= limits::ARTICLE_WORDS;
        Evidence {
            small,
            large,
            rest: overlap.non_boilerplate_coverage(overlap.least_to_decide()),
            overlap,
            is_article,
            numbers: OnceCell::new(),
            longest: OnceCell::new(),
            rare: rare_in_common(small, large),
        }
    }

    /// The share of the longest words of each page that the other has; the lower of the two.
    pub(super) fn longest(&self) -> f64 {
        *self.longest.get_or_init(|| {
            let (small, large) = (self.small.words, self.large.words);
            let shares = [longest_found(small, large), longest_found(large, small)];
            let shares = shares.map(|(found, all)| ratio(found, all));
            shares[0].min(shares[1])
        })
    }

    /// Whether the other page has the numbers of the smaller one.
    pub(super) fn numbers_agree(&self) -> bool {
        let numbers = || numbers_found(self.small.words, self.large.words);
        let (found, all) = *self.numbers.get_or_init(numbers);
        all == 0 || ratio(found, all) >= limits::NUMBERS
    }

    /// The share of prose of the text with the smaller sketch.
    pub(super) fn prose(&self) -> u64 {
        let of = |text: &Fingerprint<'_>| (text.sample.len(), text.prose);
        of(self.small).min(of(self.large)).1
    }

    /// Whether each page has most of the numbers of the other.
    fn numbers_agree_both_ways(&self) -> bool {
        let (small, large) = (self.small.words, self.large.words);
        let agree = |(found, all), least| all == 0 || ratio(found, all) >= least;
        agree(numbers_found(small, large), limits::RETOLD_NUMBERS)
            && agree(
                numbers_found(large, small),
                limits::RETOLD_NUMBERS_OF_LARGER,
            )
    }

    /// Whether one text may be the other retold in other words: rare bigrams, the longest words and the numbers agree.
    pub(super) fn may_be_retold(&self) -> bool {
        self.small.tokens >= limits::RETOLD_WORDS
            && self.rare >= limits::RETOLD_BIGRAMS
            && self.longest() >= limits::RETOLD_LONGEST
            && self.numbers_agree_both_ways()
    }

    /// Whether the smaller page has enough words that one other word among many errors changes little.
    pub(super) fn is_long(&self) -> bool {
        self.small.tokens >= limits::MISREAD_WORDS
    }

    /// Whether names can be evidence. They cannot if nearly everything belongs to a template, whose words are then also the longest.
    pub(super) fn may_have_names(&self) -> bool {
        self.overlap.non_boilerplate >= self.overlap.least_to_decide() && self.numbers_agree()
    }

    /// Whether the longest words of both pages and the numbers of the smaller one agree.
    pub(super) fn names_agree(&self) -> bool {
        self.may_have_names() && self.longest() >= limits::LONGEST_AS_EVIDENCE
    }

    /// Whether everything shared may belong to a template.
    pub(super) fn may_be_template(&self, params: &CoverageParams) -> bool {
        self.overlap.has_boilerplate() && self.rest < params.rest
    }
}

/// The share of the rare bigrams of two texts that are in common.
pub(super) fn rare_in_common(a: &Fingerprint<'_>, b: &Fingerprint<'_>) -> f64 {
    a.bigrams.in_common(b.bigrams).share()
}

pub(super) struct Facts<'f> {
    pub(super) evidence: Evidence<'f>,
    pub(super) of: Comparison<'f>,
    /// Whether enough text outside frames is left for a story.
    pub(super) has_story: bool,
    pub(super) kind: PairKind,
}

impl<'f> Facts<'f> {
    /// Compares two texts, given their common chained runs.
    pub(super) fn of(
        evidence: Evidence<'f>,
        runs: &[Anchor],
        params: &CoverageParams,
    ) -> Facts<'f> {
        let [here, there] = [evidence.small, evidence.large].map(|text| Side {
            words: text.words,
            is_frame: text.in_frames(),
            is_line: text.in_lines(),
            limit: OwnLimit::of(params.own_words, params.own_share, size(text.words)),
        });
        let of = Comparison::of(here, there, runs);
        let has_story = of.here.story >= limits::STORY_WORDS * WORD;
        let kind = match () {
            _ if has_story && of.here.story < params.short * WORD => PairKind::Short,
            _ if evidence.overlap.is_mostly_boilerplate() => PairKind::Form,
            _ => PairKind::Page,
        };
        Facts {
            evidence,
            of,
            has_story,
            kind,
        }
    }

    /// Whether one of the texts has an own passage.
    pub(super) fn has_own(&self) -> bool {
        self.of.here.has_own() || self.of.there.has_own()
    }

    /// Whether pages that share most of their text may overlap in spite of different words: articles of some length, and short texts
    /// without a template.
    pub(super) fn may_overlap(&self) -> bool {
        let here = &self.of.here;
        match self.kind {
            PairKind::Short => !self.evidence.overlap.has_boilerplate(),
            PairKind::Form | PairKind::Page => {
                self.evidence.is_article && here.all >= limits::LEAST_ARTICLE * WORD
            }
        }
    }

    /// Whether the smaller and the larger text say something of their own.
    pub(super) fn own(&self, params: &CoverageParams) -> [bool; 2] {
        let is_misread = self.may_be_misread() && self.near_share() >= limits::MISREAD;
        let least = match self.of.here.all < limits::FEW_WORDS * WORD {
            true => 1,
            false => limits::MISSING_NUMBERS,
        };
        if !is_misread && self.of.replaced_numbers() >= least && !self.evidence.numbers_agree() {
            return [true, true];
        }
        let least = limits::OWN_BESIDE_TEMPLATE * WORD;
        if self.evidence.may_be_template(params) && !is_misread {
            let names_agree = self.evidence.names_agree();
            let own = [&self.of.here, &self.of.there]
                .map(|of| of.own_size() >= least || !names_agree && of.rest().unlike >= least);
            if own[0] {
                return own;
            }
        }
        [self.of.here.has_own(), self.of.there.has_own()]
    }

    /// The share of replaced words outside templates: in a short article, all of the story counts; on other pages, the part that sketches
    /// do not attribute to templates.
    pub(super) fn replaced_share(&self) -> f64 {
        let here = &self.of.here;
        let story = if self.has_story { here.story } else { here.all };
        let overlap = &self.evidence.overlap;
        let outside = here.all as f64 * ratio(overlap.non_boilerplate, overlap.sampled);
        let least = match self.evidence.is_article {
            true => limits::LEAST_ARTICLE,
            false => limits::LEAST_PAGE,
        };
        let over = story.min((outside as usize).max(least * WORD));
        let ends = match self.kind {
            PairKind::Short => self.of.replaced_at_ends,
            PairKind::Form | PairKind::Page => 0,
        };
        ratio(self.of.replaced + ends, over)
    }

    /// Whether the smaller page is long enough and enough of it in order to recognise a machine's misreading.
    pub(super) fn may_be_misread(&self) -> bool {
        self.kind != PairKind::Form
            && self.evidence.small.tokens >= limits::MISREAD_WORDS
            && self.in_order() >= limits::MISREAD_IN_ORDER
    }

    /// Whether one text may be the other with many wrong letters, so that few other words are in common: rare bigrams agree.
    pub(super) fn may_be_mistyped(&self) -> bool {
        self.kind != PairKind::Form
            && self.evidence.rare >= limits::RARE_BIGRAMS
            && self.evidence.small.tokens >= limits::MISTYPED_WORDS
            && self.in_order() >= limits::MUCH_MISTYPED_IN_ORDER
    }

    /// The share of the smaller page in order.
    pub(super) fn in_order(&self) -> f64 {
        ratio(self.of.here.in_order, self.of.here.all)
    }

    /// Nearly equal words over all differing words.
    pub(super) fn near_share(&self) -> f64 {
        let near = self.of.alignment.near();
        let differing = self.evidence.small.tokens - self.of.alignment.matched() + near;
        ratio(near, differing)
    }

    /// Whether two or more consecutive characters are almost never replaced by as many others, in texts of mostly single characters. Such
    /// words all have one length, so length does not reveal names, unless there are alphabetic words.
    pub(super) fn keeps_names(&self) -> bool {
        let words = self.evidence.small.words.iter();
        let single = words.clone().filter(|word| word.bytes() == 0).count();
        let alphabetic = words.filter(|word: &&Word| word.bytes() >= 4).count();
        if 2 * single < self.evidence.small.tokens || alphabetic >= limits::ALPHABETIC {
            return true;
        }
        let lengths = self.of.alignment.differing();
        let lengths = lengths.map(|passage| passage.here.len().min(passage.there.len()));
        let replaced: usize = lengths.filter(|&length| length >= 2).sum();
        ratio(replaced, self.evidence.small.tokens) <= limits::NAMES
    }
}
