//! Where two texts differ, and how.
//!
//! In a reprint, the differences are before or after the shared text, or are scattered single words. In a template or a
//! form they are inside the shared frame, in slots that every page fills with its own words.

use std::ops::Range;

use super::fingerprint::Fingerprint;
use super::position_index::{MatchBlock, Matches};
use crate::align::{Anchor, Word};
use crate::relation::ratio;

/// What is counted on two texts. The smaller is the one with fewer tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Differences {
    /// Tokens of the smaller text.
    pub(super) tokens: usize,
    /// Tokens of the smaller text in gaps of [`GAP`] tokens or more between shared runs, from the first of them to the last
    /// (without fragments and bylines, see [`span`] and [`byline`]).
    pub(super) gaps: usize,
    /// Tokens that are replaced: in a gap between shared runs opposite to a gap of the other text; of two gaps the shorter
    /// counts. Of a short text those before the first and behind the last shared run, too.
    pub(super) replaced: usize,
    /// Those of the replaced tokens of two short texts that are in gaps where only the spelling differs ([`is_spelling`]).
    pub(super) variants: usize,
    /// The share of the replaced tokens that are distinctive, that is, on few texts, on both sides.
    pub(super) distinctive: f64,
}

/// Fewer tokens between shared runs are a changed word or two, not a gap.
const GAP: usize = 3;
/// A page of which less is shared has no fragments: its shared text may be a template, and so may the beginning of that.
const SURE: f64 = 0.7;
/// A fragment at an end of the shared text is separated from the rest by at least this many times its length.
const APART: usize = 2;

/// A headline has at most this number of tokens.
const HEADLINE: usize = 40;

/// The share that is presumed to be distinctive before any key is examined, and the number of keys whose weight this has.
const PRESUMED: (f64, f64) = (0.5, 1.0);
/// The same of a short text: a word makes another notice of it, unless it is known to be no filling of a slot. Of few keys one is
/// enough to know it.
const PRESUMED_SHORT: (f64, f64) = (1.0, 0.5);

impl Differences {
    /// Between a text and one with at least as many tokens; keys are of `width` tokens, and texts of fewer than `short` tokens
    /// are short. Linear.
    pub(super) fn between(
        small: &Fingerprint<'_>,
        large: &Fingerprint<'_>,
        alignment: &Alignment,
        (width, short): (usize, usize),
    ) -> Differences {
        let mut found = Differences {
            tokens: small.tokens,
            ..Differences::default()
        };
        let runs = small.run_count(alignment.run);
        if alignment.matches.runs == runs {
            return found;
        }
        let gaps = alignment.gaps(large.tokens);
        let is_sure = ratio(alignment.matches.runs, runs) >= SURE;
        let mut span = span(alignment, &gaps, if is_sure { width } else { 0 });
        if let Some(byline) = byline(&gaps, small, width) {
            span.start = span.start.max(byline.end);
        }
        let (is_short, are_short) = (small.tokens < short, large.tokens < short);
        let (mut left, mut right) = (Replaced::default(), Replaced::default());
        for Gap { here, there } in gaps {
            let is_inside = span.start < here.start && here.end < span.end;
            if is_inside && here.len() >= GAP {
                found.gaps += here.len();
            }
            let opposite = here.len().min(there.len());
            if opposite > 0 && (is_inside || is_short) {
                found.replaced += opposite;
                if are_short && is_spelling(&small.words[here.clone()], &large.words[there.clone()])
                {
                    found.variants += opposite;
                }
                left.mark(here);
                right.mark(there);
            }
        }
        let presumed = if is_short { PRESUMED_SHORT } else { PRESUMED };
        let distinctive = |replaced: &Replaced, text| replaced.distinctive(text, width, presumed);
        if found.replaced > 0 {
            found.distinctive = distinctive(&left, small).min(distinctive(&right, large));
        }
        found
    }
}

/// For two texts as in [`Differences::between`], neither of them short: tokens before the first and after the last shared run that are opposite
/// other tokens, times the share of them that is distinctive on both sides.
pub(super) fn replaced_at_ends(
    small: &Fingerprint<'_>,
    large: &Fingerprint<'_>,
    alignment: &Alignment,
    width: usize,
) -> f64 {
    let (mut left, mut right) = (Replaced::default(), Replaced::default());
    let mut replaced = 0;
    for Gap { here, there } in alignment.gaps(large.tokens) {
        if here.start == 0 || here.end == small.tokens {
            replaced += here.len().min(there.len());
            left.mark(here);
            right.mark(there);
        }
    }
    let distinctive = |replaced: &Replaced, text| replaced.distinctive(text, width, PRESUMED);
    replaced as f64 * distinctive(&left, small).min(distinctive(&right, large))
}

/// Which runs of two texts correspond to each other: the blocks that match, and the gaps between.
pub(super) struct Alignment {
    pub(super) matches: Matches,
    /// Tokens of the smaller text.
    tokens: usize,
    /// Tokens in a run.
    run: usize,
}

/// Tokens of the smaller text that have no match, and the tokens of the other text between the matches of their neighbours. The second
/// range ends before it begins where the other text has the neighbours the other way round.
struct Gap {
    here: Range<usize>,
    there: Range<usize>,
}

impl Alignment {
    /// Of runs that match, of `run` tokens each; the smaller text has `tokens`.
    pub(super) fn new(matches: Matches, tokens: usize, run: usize) -> Alignment {
        let run = run.min(tokens);
        Alignment {
            matches,
            tokens,
            run,
        }
    }

    /// The tokens of a block, and those that they correspond to. Where blocks overlap, their ends still differ.
    fn tokens_of(&self, block: &MatchBlock) -> (Range<usize>, Range<usize>) {
        let length = block.runs + self.run - 1;
        let from = |start: usize| start..start + length;
        (from(block.place), from(block.there))
    }

    /// The blocks as words that are in both texts.
    pub(super) fn anchors(&self) -> Vec<Anchor> {
        let blocks = self.matches.blocks.iter();
        let anchors = blocks.map(|block| Anchor {
            here: block.place,
            there: block.there,
            words: block.runs + self.run - 1,
        });
        anchors.collect()
    }

    /// How many tokens of the smaller text have no match.
    pub(super) fn unmatched(&self) -> usize {
        // The number of tokens of the other text matters only for tokens opposite a gap.
        self.gaps(0).iter().map(|gap| gap.here.len()).sum()
    }

    /// The gaps in order; the other text has this number of tokens.
    fn gaps(&self, tokens: usize) -> Vec<Gap> {
        let (mut gaps, mut end) = (Vec::new(), (0, 0));
        let matching = self
            .matches
            .blocks
            .iter()
            .map(|block| self.tokens_of(block));
        let behind = (self.tokens..self.tokens, tokens..tokens);
        for (here, there) in matching.chain([behind]) {
            if end.0 < here.start {
                gaps.push(Gap {
                    here: end.0..here.start,
                    there: end.1..there.start,
                });
            }
            end = (here.end, there.end);
        }
        gaps
    }
}

/// How many of these tokens have a match, given the gaps.
fn matched(tokens: Range<usize>, gaps: &[Gap]) -> usize {
    let first = gaps.partition_point(|gap| gap.here.end <= tokens.start);
    let inside = gaps[first..].iter();
    let inside = inside.take_while(|gap| gap.here.start < tokens.end);
    let lost = inside.map(|Gap { here, .. }| {
        let end = here.end.min(tokens.end);
        end - here.start.max(tokens.start)
    });
    tokens.len() - lost.sum::<usize>()
}

/// The tokens from the first that has a match to the last, given the gaps. A fragment of at most `longest` tokens at either end,
/// separated from the rest, is left out: a few words of a menu that both pages happen to have must not
/// make everything between them and the story a gap.
fn span(alignment: &Alignment, gaps: &[Gap], longest: usize) -> Range<usize> {
    let blocks = &alignment.matches.blocks;
    let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else {
        return 0..0;
    };
    let [first, last] = [first, last].map(|block| alignment.tokens_of(block).0);
    let mut span = first.start..last.end;
    let is_inner = |gap: &&Gap| {
        first.start < gap.here.start && gap.here.end < last.end && gap.here.len() >= GAP
    };
    let mut inner = gaps.iter().filter(is_inner).peekable();
    let is_fragment = |part: Range<usize>, gap: &Gap| {
        let matched = matched(part, gaps);
        matched <= longest && gap.here.len() >= APART * matched
    };
    if let Some(gap) = inner.next_if(|gap| is_fragment(first.start..gap.here.start, gap)) {
        span.start = gap.here.end;
    }
    if let Some(gap) = inner
        .next_back()
        .filter(|gap| is_fragment(gap.here.end..last.end, gap))
    {
        span.end = gap.here.start;
    }
    span
}

/// The gap after the headline, if both pages have the headline (at least nine tenths of it): every site puts its own lines between the headline
/// and the text. A form names its subject in the headline, or has a headline of its template. The gap begins at most `width` tokens
/// after it; a headline has at least as many tokens.
fn byline(gaps: &[Gap], small: &Fingerprint<'_>, width: usize) -> Option<Range<usize>> {
    let headline = small.headline();
    let is_one = (width..=HEADLINE).contains(&headline.len())
        && matched(headline.clone(), gaps) * 10 >= headline.len() * 9;
    if !is_one || small.has_boilerplate(&headline, width) {
        return None;
    }
    let mut behind = gaps.iter().map(|gap| &gap.here);
    // An edited last word of the headline is of the gap.
    let gap = behind.find(|gap| gap.len() >= GAP && gap.start + 1 >= headline.end)?;
    (gap.start <= headline.end + width && gap.end < small.tokens).then(|| gap.clone())
}

/// Whether two passages differ as editions of a text do: in characters that may be spelled otherwise, none beside another.
fn is_spelling(here: &[Word], there: &[Word]) -> bool {
    let differs = |at: usize| here[at].hash() != there[at].hash();
    let is_variant =
        |at: usize| here[at].may_vary() && there[at].may_vary() && (at == 0 || !differs(at - 1));
    here.len() == there.len() && (0..here.len()).all(|at| !differs(at) || is_variant(at))
}

/// Which tokens of a text are replaced in the other, up to the last of them.
#[derive(Default)]
struct Replaced(Vec<bool>);

impl Replaced {
    fn mark(&mut self, gap: Range<usize>) {
        self.0.resize(self.0.len().max(gap.end), false);
        self.0[gap].fill(true);
    }

    /// The share of what is replaced that is distinctive, from the keys that reach into it. With few keys it is drawn towards what is
    /// presumed.
    fn distinctive(
        &self,
        text: &Fingerprint<'_>,
        width: usize,
        (share, weight): (f64, f64),
    ) -> f64 {
        let reaching = text.places().filter(|&(place, _)| {
            let end = (place + width).min(self.0.len());
            let tokens = self.0.get(place..end);
            tokens.is_some_and(|tokens| tokens.contains(&true))
        });
        let (distinctive, all) = reaching.fold((0, 0), |(sum, all), (_, is_distinctive)| {
            (sum + u32::from(is_distinctive), all + 1)
        });
        (f64::from(distinctive) + share * weight) / (f64::from(all) + weight)
    }
}
