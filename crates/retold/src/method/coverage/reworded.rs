//! What the alignment of two texts adds to the verdict: it finds reworded copies, and it separates different articles under one
//! notice.

use rustc_hash::FxHashSet;

use super::differences::Alignment as Runs;
use super::evidence::is_form;
use super::fingerprint::Fingerprint;
use super::overlap::SketchOverlap;
use super::params::CoverageParams;
use crate::align::{Alignment, Word, align, chained};
use crate::method::{Check, Op, Trace};
use crate::relation::{Verdict, ratio};

/// Shorter pages are never taken for reworded.
const LEAST_WORDS: usize = 40;
/// Least length ratio of reworded copies.
const LEAST_LENGTH_RATIO: f64 = 0.6;
/// Texts are not aligned unless the larger has this share of the smaller one's words, in any order.
const LEAST_IN_COMMON: f64 = 0.7;
/// So many of the longest words of each page are looked up in the other: names and terms are long, and what is rare is, too
/// (Zipf 1935, the law of abbreviation).
const LONGEST: usize = 20;
/// The share of them that the other page has.
const LEAST_LONGEST: f64 = 0.7;
/// The same of a page of fewer than [`FEW_WORDS`]: a word makes another notice of it.
const LEAST_LONGEST_OF_FEW: f64 = 0.9;
const FEW_WORDS: usize = 80;
/// The share of the smaller page's numbers that the other has: a form keeps its words and changes its numbers.
const LEAST_NUMBERS: f64 = 0.9;
/// Where words are not parted, names are two characters or more, and those that are others may be this share of the smaller page.
const MOST_NAMES: f64 = 0.08;
/// A copy is misspelt or misread if this share of the words that differ are nearly equal, ...
const LEAST_MISSPELT: f64 = 0.2;
/// ... if this share of it is in the same order and the lengths are as similar, ...
const LEAST_IN_MISSPELT: f64 = 0.8;
/// ... and no longer passage is replaced.
const MOST_PASSAGE_IN_MISSPELT: f64 = 0.05;
/// Greatest share of the smaller page in one passage of full sentences in place of another, ...
const MOST_PASSAGE: f64 = 0.15;
/// ... and where most of what is shared is boilerplate.
const MOST_PASSAGE_IN_BOILERPLATE: f64 = 0.04;
/// Where a passage of more words than this is replaced, the longest words have to be the same, [`LEAST_LONGEST`] of them.
const MOST_WORDS: usize = 12;
/// Where what no template has is the same in less than this share of it, a template may be all that both pages have, ...
const SURE_REST: f64 = 0.7;
/// ... so that if more words than this are replaced in one passage ...
const MOST_WORDS_IN_TEMPLATE: usize = 2;
/// ... this share of the longest words has to be the same, ...
const LEAST_LONGEST_IN_TEMPLATE: f64 = 0.8;
/// ... and, if nothing but the template is known to be, this share of the words that the larger page has besides.
const LEAST_OWN: f64 = 0.6;
/// Fewer words than this say nothing.
const FEW_OWN: usize = 12;
/// Fewer keys than this may be chance.
const FEW_OWN_KEYS: usize = 5;

impl CoverageParams {
    /// The verdict on two texts, the smaller first, if one is the other one reworded: most words are in the same order, including misspelt
    /// ones, and the longest words and the numbers of both are the same.
    pub(super) fn reworded(
        &self,
        (small, large): (&Fingerprint<'_>, &Fingerprint<'_>),
        overlap: &SketchOverlap,
        trace: &mut Trace,
    ) -> Option<Verdict> {
        // Of a notice in a template a word makes another one.
        let own = small.tokens as f64 * ratio(overlap.non_boilerplate, overlap.sampled);
        if small.tokens < LEAST_WORDS
            || overlap.has_boilerplate() && own < self.short as f64
            || ratio(small.tokens, large.tokens) < LEAST_LENGTH_RATIO
            || is_form(overlap, ["", ""], &mut Trace::off())
            || in_common(small.words, large.words) < LEAST_IN_COMMON
        {
            return None;
        }
        let alignment = align(small.words, large.words, &[]);
        let words = alignment.matched();
        let meaning = "words of the smaller page that the other has in the same order, including misspelt ones, divided by all";
        let ordered = Check::ratio("in order", meaning, words, small.tokens, self.reworded);
        if !trace.test(ordered) {
            return None;
        }
        let is_prose = |word: &Word| word.is_prose();
        let passage = longest_replaced((small, large), &alignment, is_prose);
        let is_one = trace.test(passage_check(passage, small.tokens, MOST_PASSAGE))
            && (self.is_misspelt((small, large), &alignment, words, trace)
                || keeps_names(small, &alignment, trace)
                    && agree((small, large), &alignment, trace));
        if !is_one {
            return None;
        }
        let sizes = (small.tokens, large.tokens);
        Some(self.related(sizes, (words, small.tokens), trace))
    }

    /// Whether the texts differ as a copy does that a machine has read: many words are nearly equal, and hardly one is another. Then
    /// numbers and names are misread, too.
    fn is_misspelt(
        &self,
        (small, large): (&Fingerprint<'_>, &Fingerprint<'_>),
        alignment: &Alignment,
        words: usize,
        trace: &mut Trace,
    ) -> bool {
        let is_alike = small.tokens >= FEW_WORDS
            && ratio(words, small.tokens) >= LEAST_IN_MISSPELT
            && ratio(small.tokens, large.tokens) >= LEAST_IN_MISSPELT
            && ratio(
                longest_replaced((small, large), alignment, |_| true),
                small.tokens,
            ) <= MOST_PASSAGE_IN_MISSPELT;
        let near = alignment.near();
        let differing = small.tokens - words + near;
        let meaning = "nearly equal words divided by all differing words of the smaller page";
        let near = Check::ratio("misspelt", meaning, near, differing, LEAST_MISSPELT);
        is_alike
            && trace.test(near.deciding("a misspelt copy", "names and numbers must be the same"))
    }

    /// Whether no long passage of full sentences is in place of another, as in two articles that share a notice.
    pub(super) fn replaces_no_passage(
        &self,
        (small, large): (&Fingerprint<'_>, &Fingerprint<'_>),
        runs: &Runs,
        overlap: &SketchOverlap,
        trace: &mut Trace,
    ) -> bool {
        let rest = overlap.non_boilerplate_coverage(overlap.least_non_boilerplate());
        let most = match rest < self.rest {
            true => MOST_PASSAGE_IN_BOILERPLATE,
            false => MOST_PASSAGE,
        };
        let may_be_template = overlap.has_boilerplate() && rest < SURE_REST;
        // Words that are elsewhere in the other text are not replaced.
        let unmatched = runs.unmatched();
        let unmatched = unmatched.min(large.tokens - (small.tokens - unmatched));
        let words = match may_be_template {
            true => MOST_WORDS_IN_TEMPLATE,
            false => MOST_WORDS,
        };
        let are_alike = ratio(small.tokens, large.tokens) >= self.length_threshold;
        if rest < self.rest && are_alike && !self.may_agree_in_own((small, large), overlap, trace) {
            return false;
        }
        let is_open = |passage: usize| passage > words || ratio(passage, small.tokens) > most;
        if !trace.is_on() && !is_open(unmatched) {
            return true;
        }
        let runs = chained(small.words, large.words, &runs.anchors());
        let of_runs = Alignment::of_runs(&runs, (small.tokens, large.tokens));
        // The frame that one site puts around a story is in place of another site's.
        let (here, there): (Vec<_>, Vec<_>) = of_runs
            .differing()
            .map(|passage| (passage.here, passage.there))
            .unzip();
        let frames = [
            small.frames(&here, self.width),
            large.frames(&there, self.width),
        ];
        let own = [own_prose(small, &frames[0]), own_prose(large, &frames[1])];
        let frames = frames.each_ref().map(|frame| Some(&frame[..]));
        let agrees = |alignment: &Alignment, trace: &mut Trace| {
            let passage = longest_counted(&own, alignment).min(unmatched);
            if !trace.test(passage_check(passage, small.tokens, most)) {
                return false;
            }
            let names = |least: f64, trace: &mut Trace| {
                let longest = || longest_words((small, large), frames, alignment, are_alike);
                are_mostly_single(small) || trace.test(longest_check(longest(), least))
            };
            passage <= words
                || match may_be_template {
                    true => {
                        names(LEAST_LONGEST_IN_TEMPLATE, trace)
                            && (rest >= self.rest
                                || !are_alike
                                || self.agrees_beyond_template(large, alignment, trace))
                    }
                    false => names(LEAST_LONGEST, trace),
                }
        };
        // What agrees by its runs does so all the more once the words between them are aligned.
        (!trace.is_on() && agrees(&of_runs, &mut Trace::off()))
            || agrees(&align(small.words, large.words, &runs), trace)
    }

    /// False only if both texts have sentences outside templates, by their sketches, and none in common: so two articles under one
    /// notice are separated without aligning them.
    fn may_agree_in_own(
        &self,
        (small, large): (&Fingerprint<'_>, &Fingerprint<'_>),
        overlap: &SketchOverlap,
        trace: &mut Trace,
    ) -> bool {
        if overlap.non_boilerplate_shared > 0 || overlap.non_boilerplate < FEW_OWN_KEYS {
            return true;
        }
        let own = SketchOverlap::own_sentences(small, large, self.below());
        let meaning = "keys of sentences outside templates, in the sketch with fewer of them; the other sketch has none of these";
        let keys = Check::number("own keys", meaning, own, Op::Below, FEW_OWN_KEYS as f64);
        trace.test(keys)
    }

    /// Whether the other text has what this one has besides templates.
    fn agrees_beyond_template(
        &self,
        large: &Fingerprint<'_>,
        alignment: &Alignment,
        trace: &mut Trace,
    ) -> bool {
        let in_template = large.in_templates(self.width);
        let own = alignment.matched_there().into_iter().zip(in_template);
        let own = own.filter(|(_, in_template)| !in_template);
        let (found, all) = own.fold((0, 0), |(found, all), (is_matched, _)| {
            (found + usize::from(is_matched), all + 1)
        });
        let meaning = "words of the larger page outside templates that the smaller has in the same order, divided by all of these";
        let found = Check::ratio("own in common", meaning, found, all, LEAST_OWN);
        all < FEW_OWN || trace.test(found)
    }
}

fn passage_check(passage: usize, words: usize, most: f64) -> Check {
    let meaning = "share of the smaller page in the longest passage of full sentences that replaces another passage";
    Check::value("replaced passage", meaning, ratio(passage, words)).against(Op::AtMost, most)
}

/// For each word of a text whether it is in a full sentence and in no frame.
fn own_prose(text: &Fingerprint<'_>, frame: &[bool]) -> Vec<bool> {
    let words = text.words.iter().zip(frame);
    words
        .map(|(word, in_frame)| word.is_prose() && !in_frame)
        .collect()
}

/// The most words of full sentences in one passage that are in place of as many others. Different articles have words in common too: a
/// passage continues over matching words if they are fewer than the differing ones before and after, and these words are subtracted.
fn longest_replaced(
    (small, large): (&Fingerprint<'_>, &Fingerprint<'_>),
    alignment: &Alignment,
    is_counted: impl Fn(&Word) -> bool,
) -> usize {
    let counted = [small, large].map(|text| text.words.iter().map(&is_counted).collect());
    longest_counted(&counted, alignment)
}

/// The same of words that are marked in both texts.
fn longest_counted([here, there]: &[Vec<bool>; 2], alignment: &Alignment) -> usize {
    let counted = |marks: &[bool]| marks.iter().filter(|is_marked| **is_marked).count();
    let (mut longest, mut open, mut end) = (0, 0, 0);
    for passage in alignment.differing() {
        open = usize::saturating_sub(open, passage.here.start - end);
        end = passage.here.end;
        open += counted(&here[passage.here]).min(counted(&there[passage.there]));
        longest = longest.max(open);
    }
    longest
}

/// Whether almost never two consecutive characters are in place of as many others, if most words of the smaller page are single
/// characters. None of these is longer than another, so names are not recognised by their length.
fn keeps_names(small: &Fingerprint<'_>, alignment: &Alignment, trace: &mut Trace) -> bool {
    if !are_mostly_single(small) {
        return true;
    }
    let lengths = alignment.differing();
    let lengths = lengths.map(|passage| passage.here.len().min(passage.there.len()));
    let replaced: usize = lengths.filter(|&length| length >= 2).sum();
    let meaning =
        "share of the smaller page in stretches of characters that replace as many others";
    let names = Check::value("names", meaning, ratio(replaced, small.tokens));
    trace.test(names.against(Op::AtMost, MOST_NAMES))
}

/// Whether most words of a text are single characters.
fn are_mostly_single(text: &Fingerprint<'_>) -> bool {
    let single = text.words.iter().filter(|word| word.bytes() == 0);
    2 * single.count() >= text.tokens
}

/// Whether the numbers of the smaller page and the longest words of both are on the other page.
fn agree(
    sides: (&Fingerprint<'_>, &Fingerprint<'_>),
    alignment: &Alignment,
    trace: &mut Trace,
) -> bool {
    let (small, large) = sides;
    let (found, all) = numbers_found((small.words, &alignment.matched_here()), large.words);
    let meaning = "numbers of the smaller page that the other has, divided by all";
    let numbers = Check::ratio("numbers", meaning, found, all, LEAST_NUMBERS);
    if all > 0 && !trace.test(numbers) {
        return false;
    }
    let least = match small.tokens < FEW_WORDS {
        true => LEAST_LONGEST_OF_FEW,
        false => LEAST_LONGEST,
    };
    trace.test(longest_check(
        longest_words(sides, [None; 2], alignment, true),
        least,
    ))
}

fn longest_check((found, all): (usize, usize), least: f64) -> Check {
    let meaning = "share of the longest words of one page that the other has; for pages of similar length, the lower of the two shares";
    Check::ratio("longest words", meaning, found, all, least)
}

/// How many of the longest words of the smaller page the other has, and how many they are; of `both` pages the lower share. Words in
/// frames are left out.
fn longest_words(
    (small, large): (&Fingerprint<'_>, &Fingerprint<'_>),
    [here, there]: [Option<&[bool]>; 2],
    alignment: &Alignment,
    both: bool,
) -> (usize, usize) {
    let matched = &alignment.matched_here();
    let of_small = longest_found((small.words, matched, here), large.words);
    if !both {
        return of_small;
    }
    let matched = &alignment.matched_there();
    let of_large = longest_found((large.words, matched, there), small.words);
    match ratio(of_large.0, of_large.1) < ratio(of_small.0, of_small.1) {
        true => of_large,
        false => of_small,
    }
}

/// How many numbers of a page match or are elsewhere in the other, and how many it has.
fn numbers_found((words, matched): (&[Word], &[bool]), other: &[Word]) -> (usize, usize) {
    let others = other.iter().filter(|word| word.is_number());
    let others: FxHashSet<u32> = others.map(|word| word.hash()).collect();
    let numbers = words
        .iter()
        .zip(matched)
        .filter(|(word, _)| word.is_number());
    numbers.fold((0, 0), |(found, all), (word, &is_matched)| {
        let is_found = is_matched || others.contains(&word.hash());
        (found + usize::from(is_found), all + 1)
    })
}

/// How many of the [`LONGEST`] different words of a page match or are elsewhere in the other, and how many there are. Words of a
/// frame are left out.
fn longest_found(
    (words, matched, frame): (&[Word], &[bool], Option<&[bool]>),
    other: &[Word],
) -> (usize, usize) {
    // Descending; of a text nearly all words are shorter than the last of these.
    let mut longest: Vec<(u64, u32)> = Vec::with_capacity(LONGEST + 1);
    for (at, word) in words.iter().enumerate() {
        let key = (word.bytes(), word.hash());
        if longest.len() == LONGEST && longest.last() > Some(&key)
            || frame.is_some_and(|frame| frame[at])
        {
            continue;
        }
        if let Err(at) = longest.binary_search_by(|other| key.cmp(other)) {
            longest.insert(at, key);
            longest.truncate(LONGEST);
        }
    }
    let bit = |hash: u32| 1u64 << (hash % 64);
    let bits = longest.iter().fold(0, |bits, (_, hash)| bits | bit(*hash));
    let matching = words.iter().zip(matched).filter(|(_, is)| **is);
    let all = matching.map(|(word, _)| word).chain(other);
    let mut found = [false; LONGEST];
    for word in all.filter(|word| bits & bit(word.hash()) != 0) {
        let places = longest.iter().zip(&mut found);
        places
            .filter(|((_, hash), _)| *hash == word.hash())
            .for_each(|(_, found)| *found = true);
    }
    (found.iter().filter(|found| **found).count(), longest.len())
}

/// The share of these words that are among the others, or seem to be: one word in nine may have the bit of another.
fn in_common(words: &[Word], others: &[Word]) -> f64 {
    const BITS_A_WORD: usize = 8;
    let mut bits = vec![
        0u64;
        (others.len() * BITS_A_WORD)
            .div_ceil(64)
            .next_power_of_two()
    ];
    let mask = bits.len() * 64 - 1;
    let bit = |word: &Word| {
        let bit = word.hash() as usize & mask;
        (bit / 64, 1 << (bit % 64))
    };
    for (at, bit) in others.iter().map(bit) {
        bits[at] |= bit;
    }
    let common = words
        .iter()
        .map(bit)
        .filter(|(at, bit)| bits[*at] & bit != 0);
    ratio(common.count(), words.len())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use xxhash_rust::xxh3::xxh3_64;

    use super::*;
    use crate::align::Nature;
    use crate::method::Verifier;
    use crate::method::coverage::method::Coverage;
    use crate::method::testing::{params, text};

    /// What was tested on two texts, and whether they are related.
    fn tested(a: &str, b: &str) -> (Vec<String>, bool) {
        let method = Coverage::new((&params(&super::super::INFO, &[])).into(), &Arc::default());
        let [a, b] = [a, b].map(|content| method.fingerprint(&text(content)));
        let mut trace = Trace::on();
        let verdict = method.verify(&a, &b, &mut trace);
        let checks = trace.into_checks();
        (
            checks.iter().map(ToString::to_string).collect(),
            verdict.is_some(),
        )
    }

    /// A hundred words; `word` spells each.
    fn story(word: impl Fn(usize) -> String) -> String {
        (0..100).map(word).collect::<Vec<_>>().join(" ")
    }

    /// Words of ten letters, none near another.
    fn long(n: usize) -> String {
        let mut hash = xxh3_64(&n.to_le_bytes());
        let mut letter = || {
            let letter = char::from(b'a' + (hash % 26) as u8);
            hash /= 26;
            letter
        };
        (0..10).map(|_| letter()).collect()
    }

    /// Every fourth word is another, short one: no run of five is left. All of the longest are there.
    #[test]
    fn a_reworded_copy_by_hand() {
        let plain = |n: usize| {
            if n.is_multiple_of(4) {
                format!("a{}", char::from(b'a' + (n % 26) as u8))
            } else {
                long(n)
            }
        };
        let other = |n: usize| {
            if n.is_multiple_of(4) {
                format!("z{}", char::from(b'a' + (n % 26) as u8))
            } else {
                long(n)
            }
        };
        let (lines, is_related) = tested(&story(plain), &story(other));
        assert!(is_related, "{lines:?}");
        assert_eq!(lines[0], "in order = 75/100 = 0.75 ≥ 0.75");
        assert_eq!(lines[2], "longest words = 20/20 = 1.00 ≥ 0.70");
    }

    /// The same, but what is replaced are names as long as the others: of the twenty longest words too few are there.
    #[test]
    fn other_names_make_another_story() {
        let other = |n: usize| {
            if n.is_multiple_of(4) {
                format!("{}{}", long(n + 500), long(n + 700))
            } else {
                long(n)
            }
        };
        let (_, is_related) = tested(&story(long), &story(other));
        assert!(!is_related);
    }

    /// A form with other numbers: a fifth of its words.
    #[test]
    fn other_numbers_make_another_form() {
        let form = |own: usize| {
            story(move |n| {
                if n.is_multiple_of(5) {
                    (own + n).to_string()
                } else {
                    long(n)
                }
            })
        };
        assert!(!tested(&form(1000), &form(5000)).1);
    }

    /// Sentences of nine characters of which two name something else.
    #[test]
    fn other_names_of_characters_make_another_story() {
        let page = |name: &str| {
            let sentence = |n: u32| {
                let other = |at: u32| char::from_u32(0x4E10 + (n * 7 + at) * 37).unwrap();
                let others: String = (0..7).map(other).collect();
                format!("{name}{others}。")
            };
            (0..20).map(sentence).collect::<String>()
        };
        assert!(!tested(&page("渡船"), &page("大桥")).1);
        // One character in nine is spelled otherwise.
        assert!(tested(&page("渡船"), &page("渡舩")).1);
    }

    /// A letter in a fifth of the words is misread: 20 of 100 are nearly equal, and numbers need not agree.
    #[test]
    fn a_misread_copy_by_hand() {
        let misread = |n: usize| {
            let word = long(n);
            match n % 5 {
                0 => {
                    let other = if &word[4..5] == "q" { "z" } else { "q" };
                    format!("{}{other}{}", &word[..4], &word[5..])
                }
                1 if n < 20 => format!("{n}1"),
                _ => word,
            }
        };
        let clean = |n: usize| {
            if n % 5 == 1 && n < 20 {
                format!("{n}7")
            } else {
                long(n)
            }
        };
        let (lines, is_related) = tested(&story(clean), &story(misread));
        assert!(is_related, "{lines:?}");
        assert_eq!(lines[0], "in order = 96/100 = 0.96 ≥ 0.75");
        assert_eq!(lines[2], "misspelt = 20/24 = 0.83 ≥ 0.20");
    }

    /// 100 words of a notice, and behind it some of each page's own, as sentences.
    #[test]
    fn articles_under_one_notice_are_two() {
        let page = |own: usize, count: usize, ending: &str| {
            let own: Vec<String> = (own..own + count).map(|n| long(n) + ending).collect();
            format!("{}. {}.", story(long), own.join(" "))
        };
        let last = |one: &str, other: &str| tested(one, other).0.pop().unwrap();
        // 30 of 130, three of which are nearly equal by chance.
        let (one, other) = (page(200, 30, ""), page(400, 30, ""));
        assert_eq!(last(&one, &other), "replaced passage = 0.21 > 0.15");
        // 15 of 115: .13. These words are the longest, and so are others on the other page.
        let (one, other) = (page(200, 15, "zz"), page(400, 15, "qq"));
        assert_eq!(last(&one, &other), "longest words = 5/20 = 0.25 < 0.70");
        // Twelve are too few to tell.
        assert!(tested(&page(200, 12, "zz"), &page(400, 12, "qq")).1);
        // A passage that was reworded with short words.
        let plain = |letter: char| {
            let own: String = (0..15).map(|n| format!(" {letter}{n}a")).collect();
            format!("{}.{own}.", story(long))
        };
        assert!(tested(&plain('a'), &plain('z')).1);
    }

    /// The longest of few words, and which of them the other page has, once each.
    #[test]
    fn longest_words_by_hand() {
        let words = |words: &str| {
            let word = |word: &str| {
                Word::new(xxh3_64(word.as_bytes()), word.as_bytes(), Nature::default())
            };
            words.split(' ').map(word).collect::<Vec<Word>>()
        };
        let here = words("ferry quay harbour quay the late ferries");
        let other = words("the harbour ferry");
        let mut matched = vec![false; here.len()];
        assert_eq!(longest_found((&here, &matched, None), &other), (3, 6));
        // The second "quay" is matched by a word that is nearly the same.
        matched[3] = true;
        assert_eq!(longest_found((&here, &matched, None), &other), (4, 6));
        // Of more words the shorter ones are not looked at.
        let many: Vec<String> = (0..20).map(|n| format!("longer{n:02}")).collect();
        let many = words(&format!("the {} ferry", many.join(" ")));
        let matched = vec![false; many.len()];
        assert_eq!(longest_found((&many, &matched, None), &other), (0, 20));
    }
}
