//! Shared passages of two texts, found by the comparison behind the verdict: words in the same order, exactly or nearly, and moved
//! passages.

use std::cmp::Reverse;
use std::ops::Range;

use serde::Serialize;

use super::shown::Shown;
use crate::compare::{Alignment, Anchor, MOVED, Match, WORD, Word, align, anchors, size};
use crate::method::grams::{aligned, tokens};
use crate::method::runs_in_common;
use crate::text::Text;

/// Words in a run with which an alignment starts: the default of `coverage`.
const RUN: usize = 5;
/// A moved passage contains a run of words that one of the texts has at most this often.
const MOST: usize = 8;
/// A single shared word with fewer letters is coincidence.
const CHANCE: u64 = 2;

/// How a passage is shared.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PassageKind {
    /// In the same order in both texts.
    Same,
    /// Moved.
    Moved,
}

/// Start and end in both texts.
type Places = [[u32; 2]; 2];

/// A shared passage.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExplainedPassage {
    /// Whether it is in the same order.
    pub kind: PassageKind,
    /// Start and end in the first text.
    pub a: [u32; 2],
    /// Start and end in the second text.
    pub b: [u32; 2],
    /// Its words that are only nearly equal.
    #[serde(skip)]
    pub near: Vec<Places>,
}

impl ExplainedPassage {
    fn of(kind: PassageKind, [a, b]: Places, near: Vec<Places>) -> Self {
        ExplainedPassage { kind, a, b, near }
    }

    /// The passage with places converted by `place`; `None` if `place` gives none.
    pub(super) fn placed(
        self,
        place: impl Fn(usize, u32, u32) -> Option<[u32; 2]>,
    ) -> Option<ExplainedPassage> {
        let places = |[a, b]: Places| Some([place(0, a[0], a[1])?, place(1, b[0], b[1])?]);
        let whole = places([self.a, self.b])?;
        let near = self.near.into_iter().filter_map(places).collect();
        Some(ExplainedPassage::of(self.kind, whole, near))
    }
}

/// The words of a text that methods see, with their places.
pub struct WordPlaces {
    words: Vec<Word>,
    /// Start and end of each word; punctuation directly after a word belongs to it.
    places: Vec<[u32; 2]>,
    /// The words preceded by text that methods do not see, ascending.
    cuts: Vec<usize>,
}

impl WordPlaces {
    /// The words with their places in the folded text, in bytes.
    pub(super) fn of(text: &Text) -> WordPlaces {
        let tokens = tokens(text);
        let mut cuts = Vec::new();
        let next = tokens.iter().skip(1).map(|token| token.start as usize);
        let next = next.chain([text.folded.len()]);
        let places = tokens.iter().zip(next).enumerate();
        let places = places.map(|(at, (token, next))| {
            let behind = &text.folded[token.end as usize..next];
            if behind.contains(char::is_alphabetic) {
                cuts.push(at + 1);
            }
            let marks = behind.find(|c: char| c.is_whitespace() || c.is_alphanumeric());
            let marks = marks.unwrap_or(behind.len()) as u32;
            [token.start, token.end + marks]
        });
        WordPlaces {
            places: places.collect(),
            words: aligned(text, &tokens).collect(),
            cuts,
        }
    }

    /// The words that are shown, with their places there.
    pub fn shown(text: &Text, shown: &Shown) -> WordPlaces {
        let mut all = WordPlaces::of(text);
        let end = shown.offset(text.folded.len() as u32);
        let offsets = |place: &[u32; 2]| place.map(|byte| shown.offset(byte));
        let places = all.places.iter().map(offsets);
        all.places = places.take_while(|[start, _]| *start < end).collect();
        all.words.truncate(all.places.len());
        all
    }

    /// The passages shared with another text, in order. Linear, like its parts.
    pub fn shared_with(&self, other: &WordPlaces) -> Vec<ExplainedPassage> {
        // The smaller text comes first, as in a verdict, so that the passages do not depend on which text is asked.
        let is_larger = (self.words.len(), &self.words) > (other.words.len(), &other.words);
        let mut sides = [self, other];
        sides.rotate_left(usize::from(is_larger));
        let words = sides.map(|side| &side.words[..]);
        let runs = runs_in_common(words[0], words[1], RUN);
        let same = align(words[0], words[1], &runs).without_chance();
        let mut found = passages(sides, PassageKind::Same, same.matches());
        found.extend(passages(sides, PassageKind::Moved, &moved(words, &same)));
        if is_larger {
            for passage in &mut found {
                std::mem::swap(&mut passage.a, &mut passage.b);
                passage.near.iter_mut().for_each(|near| near.swap(0, 1));
            }
        }
        found.sort_by_key(|passage| (passage.a, passage.b));
        found
    }

    pub(super) fn place(&self, words: &Range<usize>) -> [u32; 2] {
        [self.places[words.start][0], self.places[words.end - 1][1]]
    }

    /// Whether the text continues with this word, so that it may belong to the passage before it.
    fn goes_on(&self, before: &Range<usize>, words: &Range<usize>) -> bool {
        before.end == words.start && self.cuts.binary_search(&words.start).is_err()
    }
}

/// Runs of words that count as moved: in at least one text they are not in order.
fn moved(texts: [&[Word]; 2], same: &Alignment) -> Vec<Match> {
    let mut taken = [same.matched_here(), same.matched_there()];
    if !taken.iter().any(|side| side.contains(&false)) {
        return Vec::new();
    }
    let mut runs = anchors(texts[0], texts[1], RUN, MOST);
    runs.retain(|run| run.words * WORD >= MOVED);
    runs.sort_by_key(|run| Reverse(run.words));
    let mut found = Vec::new();
    // First runs that are free in both texts, then those that one of them repeats.
    for wanted in [[true, true], [true, false], [false, true]] {
        for run in &runs {
            let is_free = |at: usize| {
                let is_taken = [taken[0][run.here + at], taken[1][run.there + at]];
                !(wanted[0] && is_taken[0] || wanted[1] && is_taken[1])
            };
            let free: Vec<bool> = (0..run.words).map(is_free).collect();
            let (mut here, mut there) = (run.here, run.there);
            for part in free.chunk_by(|a, b| a == b) {
                let words = part.len();
                if part[0] && size(&texts[0][here..here + words]) >= MOVED {
                    taken[0][here..here + words].fill(true);
                    taken[1][there..there + words].fill(true);
                    found.push(Match::of_run(&Anchor { here, there, words }));
                }
                (here, there) = (here + words, there + words);
            }
        }
    }
    found
}

/// The passages made of these matches: consecutive words in both texts, without text in between that methods do not see.
fn passages(
    sides: [&WordPlaces; 2],
    kind: PassageKind,
    matches: &[Match],
) -> Vec<ExplainedPassage> {
    let steps = matches.iter().flat_map(|of| {
        let (a, b) = of.count;
        let parts = if a == b { a } else { 1 };
        let (a, b) = (a / parts, b / parts);
        (0..parts).map(move |part| {
            let (here, there) = (of.here + part * a, of.there + part * b);
            ([here..here + a, there..there + b], of.is_near)
        })
    });
    let place = |[a, b]: &[Range<usize>; 2]| [sides[0].place(a), sides[1].place(b)];
    let mut found: Vec<([Range<usize>; 2], Vec<Places>)> = Vec::new();
    for (step, is_near) in steps {
        let near = is_near.then(|| place(&step));
        match found.last_mut() {
            Some((last, nearly))
                if (0..2).all(|side| sides[side].goes_on(&last[side], &step[side])) =>
            {
                (last[0].end, last[1].end) = (step[0].end, step[1].end);
                nearly.extend(near);
            }
            _ => found.push((step, near.into_iter().collect())),
        }
    }
    let is_chance = |[words, _]: &[Range<usize>; 2]| {
        words.len() == 1 && sides[0].words[words.start].bytes() < CHANCE
    };
    let found = found.into_iter().filter(|(words, _)| !is_chance(words));
    found
        .map(|(words, near)| ExplainedPassage::of(kind, place(&words), near))
        .collect()
}

/// The passages that two texts share, in the order of the first, as bytes of the folded texts. Equal lines between them that methods do not
/// see are included.
pub(super) fn shared_passages(a: &Text, b: &Text) -> Vec<ExplainedPassage> {
    let found = match a.folded == b.folded {
        true => Vec::new(),
        false => WordPlaces::of(a).shared_with(&WordPlaces::of(b)),
    };
    let is_moved = |passage: &ExplainedPassage| passage.kind == PassageKind::Moved;
    let (moved, same): (Vec<_>, Vec<_>) = found.into_iter().partition(is_moved);
    let mut found = with_lines([&a.folded, &b.folded], same);
    found.extend(moved);
    found.sort_by_key(|passage| (passage.a, passage.b));
    found
}

/// Extends passages by the whole equal lines before and after each.
fn with_lines(texts: [&str; 2], same: Vec<ExplainedPassage>) -> Vec<ExplainedPassage> {
    let empty = |at: [usize; 2]| {
        let places = at.map(|at| [at as u32; 2]);
        [ExplainedPassage::of(PassageKind::Same, places, Vec::new())].into_iter()
    };
    let all = empty([0; 2]).chain(same);
    let mut all: Vec<_> = all.chain(empty(texts.map(str::len))).collect();
    for at in 1..all.len() {
        let (last, next) = (&all[at - 1], &all[at]);
        let x = &texts[0][last.a[1] as usize..next.a[0] as usize];
        let y = &texts[1][last.b[1] as usize..next.b[0] as usize];
        let behind = equal(x.split_inclusive('\n'), y.split_inclusive('\n'));
        let (x, y) = (&x[behind..], &y[behind..]);
        let before = equal(x.split_inclusive('\n').rev(), y.split_inclusive('\n').rev());
        all[at - 1].a[1] += behind as u32;
        all[at - 1].b[1] += behind as u32;
        all[at].a[0] -= before as u32;
        all[at].b[0] -= before as u32;
    }
    all.dedup_by(|next, last| {
        let goes_on = (last.a[1], last.b[1]) == (next.a[0], next.b[0]);
        if goes_on {
            (last.a[1], last.b[1]) = (next.a[1], next.b[1]);
            last.near.append(&mut next.near);
        }
        goes_on
    });
    all.retain(|passage| passage.a[0] < passage.a[1]);
    all
}

/// The length in bytes of the equal lines at the start.
fn equal<'t>(lines: impl Iterator<Item = &'t str>, others: impl Iterator<Item = &'t str>) -> usize {
    let pairs = lines.zip(others).take_while(|(line, other)| line == other);
    pairs.map(|(line, _)| line.len()).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::PassageKind::{Moved, Same};
    use super::*;
    use crate::text::testing::text;

    fn part(text: &Text, [start, end]: [u32; 2]) -> &str {
        &text.folded[start as usize..end as usize]
    }

    /// The text of the first page in passages of a kind.
    fn shared(a: &str, b: &str, kind: PassageKind) -> Vec<String> {
        let (a, b) = (text(a), text(b));
        let found = shared_passages(&a, &b).into_iter();
        let found = found.filter(|of| of.kind == kind);
        found.map(|of| part(&a, of.a).trim().to_owned()).collect()
    }

    #[test]
    fn an_edited_sentence_is_marked_word_by_word() {
        let (a, b) = ("the cat sat on the mat. So.", "the cat lay on the mat. So.");
        assert_eq!(shared(a, b, Same), ["the cat", "on the mat. so."]);
        let (a, b) = ("他们昨天去了北京。完了吧。", "他们今天去了北京。完了吧。");
        assert_eq!(shared(a, b, Same), ["他们", "天去了北京。完了吧。"]);
        // A single character between others is coincidence.
        assert_eq!(
            shared("他们昨天去了北京。", "他们今天到了上海。", Same),
            ["他们"]
        );
        assert_eq!(shared("nothing alike.", "完全不同的内容。", Same), [""; 0]);
        assert_eq!(shared("", "x", Same), [""; 0]);
        assert_eq!(shared("…", "…", Same), ["..."]);
    }

    #[test]
    fn nearly_equal_words_are_shared() {
        let a = text("the government of examples met");
        let b = text("the goverment of exam ples met");
        let found = shared_passages(&a, &b);
        assert_eq!((found.len(), part(&b, found[0].b)), (1, &*b.folded));
        let near = found[0].near.iter();
        let near: Vec<_> = near.map(|&[x, y]| (part(&a, x), part(&b, y))).collect();
        let expected = [("government", "goverment"), ("examples", "exam ples")];
        assert_eq!(near, expected);
    }

    #[test]
    fn lines_that_methods_do_not_see_are_shared_if_they_are_equal() {
        let page = |name: &str| {
            let lines = ["Home", name, "The ferry was late.", "Imprint", "Again"];
            let mut page = text(&lines.join("\n"));
            page.main = vec![false, false, true, false, true];
            page
        };
        let (a, b) = (page("News"), page("Sport"));
        let found = shared_passages(&a, &b);
        let found: Vec<_> = found.iter().map(|of| part(&a, of.a)).collect();
        assert_eq!(found, ["home\n", "the ferry was late.\nimprint\nagain"]);
        let words = WordPlaces::of(&a).shared_with(&WordPlaces::of(&b));
        assert_eq!(words.len(), 2);
    }

    /// Lines of one repeated word, and own lines, one of which differs.
    #[test]
    fn repeated_lines_are_compared() {
        let page = |name: &str| {
            let part = "yes.\nno.\n".repeat(1500);
            format!("{part}the ferry was late.\n{part}nobody knows {name} about it.\n{part}")
        };
        let kept = shared(&page("anything"), &page("whatever"), Same);
        assert_eq!(kept.len(), 2, "{kept:?}");
        assert!(kept[0].ends_with("nobody knows") && kept[0].contains("the ferry was late"));
        assert!(kept[1].starts_with("about it."));
    }

    #[test]
    fn what_stands_elsewhere_is_moved() {
        let first = "the first paragraph of this text is to be found here.";
        let rest = "the second one tells of other things. a third paragraph ends the whole story.";
        let (a, b) = (format!("{first} {rest}"), format!("{rest} {first}"));
        for (a, b) in [(&a, &b), (&b, &a)] {
            assert_eq!(shared(a, b, Same), [rest]);
            assert_eq!(shared(a, b, Moved), [first]);
        }
        // The other text has elsewhere what one text repeats.
        let twice = format!("{first} {rest} {first}");
        assert_eq!(shared(&twice, &a, Moved), [first]);
        assert_eq!(shared(&a, &twice, Moved), [first]);
        // Seven words may be elsewhere by chance.
        let few = "seven words are too few for this.";
        let (a, b) = (format!("{few} {rest}"), format!("{rest} {few}"));
        assert_eq!(shared(&a, &b, Moved), [""; 0]);
    }

    #[test]
    fn a_shown_text_is_compared_up_to_where_it_is_cut() {
        let words = |content: &str, limit: usize| {
            let (text, options) = (text(content), crate::read::TextOptions::default());
            let shown = Shown::new(&text, &options, limit, crate::explain::Offsets::Chars);
            WordPlaces::shown(&text, &shown)
        };
        let found = words("Ｔhe ferry was very late.", 100);
        let found = found.shared_with(&words("The ferry was late.", 12));
        // Only part of `was` is shown.
        assert_eq!((found[0].a, found[0].b), ([0, 13], [0, 12]));
    }

    #[test]
    fn long_texts_are_compared_to_their_ends() {
        // 5 MB on each side with every tenth sentence changed would take hours in quadratic time.
        let sentence = |i: usize, x: usize| format!("sentence number {i} tells of {x} things. ");
        let a: String = (0..120_000).map(|i| sentence(i, i % 7)).collect();
        let b: String = (0..120_000)
            .map(|i| sentence(i, if i % 10 == 0 { 9 } else { i % 7 }))
            .collect();
        assert!(shared(&a, &b, Same).len() > 12_000);
        let repeated = "all the same. ".repeat(300_000);
        assert!(!shared(&repeated, &repeated[14..], Same).is_empty());
        let other: String = (0..600_000).map(|i| format!("other{i} ")).collect();
        assert!(shared(&a, &other, Same).is_empty());
    }

    /// Words that are nearly equal or joined, repeated phrases, and lines.
    fn story() -> impl Strategy<Value = String> {
        let word = "(minister|minifter|exam|ple|example|渡|船|é|[a-e]{1,2})[ .,\n]";
        let phrase = (prop::collection::vec(word, 1..14), 1usize..4);
        let phrase = phrase.prop_map(|(words, times)| words.concat().repeat(times));
        prop::collection::vec(phrase, 0..8).prop_map(|phrases| phrases.concat())
    }

    fn words(text: &Text, [start, end]: [u32; 2]) -> Vec<Word> {
        let inside = tokens(text).into_iter();
        let inside = inside.filter(|token| start <= token.start && token.end <= end);
        aligned(text, &inside.collect::<Vec<_>>()).collect()
    }

    proptest! {
        #[test]
        fn passages_are_equal_or_nearly_so(one in story(), other in story()) {
            let (a, b) = (text(&one), text(&other));
            let found = shared_passages(&a, &b);
            let mut ends = [0, 0];
            for passage in &found {
                // Places inside a character would panic.
                prop_assert!(!part(&a, passage.a).is_empty() && !part(&b, passage.b).is_empty());
                if passage.kind == Same {
                    prop_assert!(ends[0] <= passage.a[0] && ends[1] <= passage.b[0]);
                    ends = [passage.a[1], passage.b[1]];
                }
                let mut at = [passage.a[0], passage.b[0]];
                let end = [[passage.a[1]; 2], [passage.b[1]; 2]];
                for [x, y] in passage.near.iter().copied().chain([end]) {
                    let hashes = |text, place| words(text, place).into_iter().map(Word::hash);
                    prop_assert!(hashes(&a, [at[0], x[0]]).eq(hashes(&b, [at[1], y[0]])));
                    at = [x[1], y[1]];
                    let (near, other) = (words(&a, x), words(&b, y));
                    let is_near = match [&near[..], &other[..]] {
                        [[], []] => true,
                        [[x], [y]] => x.matches(*y),
                        [x, y] => x.len() + y.len() == 3,
                    };
                    prop_assert!(is_near);
                }
            }
            let mut places: Vec<_> = found.into_iter().map(|of| (of.b, of.a)).collect();
            places.sort_unstable();
            let swapped: Vec<_> = shared_passages(&b, &a).into_iter().map(|of| (of.a, of.b)).collect();
            prop_assert_eq!(places, swapped);
        }
    }
}
