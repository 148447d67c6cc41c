//! Finds the lines, paragraphs and sentences of a plain text, and removes blocks or words from it.

use std::borrow::Cow;
use std::ops::Range;

use serde::Serialize;

use super::parts::{lines, paragraphs, trimmed};
use super::runs::{Word, paragraphs_of_words};
use super::sentence::{Stop, stops};

/// The unit of text that counts as a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BlockUnit {
    /// The text between two line ends.
    Line,
    /// The text between blank lines; in HTML, a block of the page.
    #[default]
    Paragraph,
    /// A sentence; a line end also ends it.
    Sentence,
    /// This many consecutive words of a paragraph; such blocks overlap.
    Passage,
}

/// Blocks to cut out of a text, by their numbers, ascending. For passages the list alternates between the numbers of half words before a
/// cut part and before the text after it; a character of a script without spaces counts one half word, any other word two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cuts<'a> {
    /// The unit of the blocks.
    pub unit: BlockUnit,
    /// The numbers of the blocks.
    pub blocks: Cow<'a, [u32]>,
}

/// The byte ranges of a text's blocks without white space around them, in order; not for passages.
pub(crate) fn blocks_of(text: &str, unit: BlockUnit) -> Vec<Range<usize>> {
    match unit {
        BlockUnit::Line => lines(text).filter_map(|line| trimmed(text, line)).collect(),
        BlockUnit::Paragraph => {
            let places = paragraphs(text).into_iter();
            places.filter_map(|place| trimmed(text, place)).collect()
        }
        BlockUnit::Passage => Vec::new(),
        BlockUnit::Sentence => {
            let (mut all, mut of_line) = (Vec::new(), Vec::new());
            for line in lines(text) {
                sentences(text, line, &mut of_line);
                all.append(&mut of_line);
            }
            all
        }
    }
}

fn sentences(text: &str, line: Range<usize>, to: &mut Vec<Range<usize>>) {
    let Some(content) = trimmed(text, line) else {
        return;
    };
    let (start, mut begin) = (content.start, content.start);
    let found = |stop: Stop| {
        to.extend(trimmed(text, begin..start + stop.end));
        begin = start + stop.end;
    };
    stops(&text[content.clone()], |_| true, found);
    to.extend(trimmed(text, begin..content.end));
}

impl Cuts<'_> {
    /// The text without the blocks. Otherwise only this changes: line ends at the end of the text go with the block before them, a space or
    /// line end separates sentences that would otherwise be split elsewhere, and the text around a passage becomes two paragraphs.
    pub fn of(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let (count, is_last_cut) = match self.unit {
            BlockUnit::Line => self.whole(text, lines(text), &mut out),
            BlockUnit::Paragraph => {
                out.push_str(&text[..paragraphs(text).first().map_or(0, |first| first.start)]);
                self.whole(text, paragraphs(text).into_iter(), &mut out)
            }
            BlockUnit::Sentence => self.sentences(text, &mut out),
            BlockUnit::Passage => self.passages(text, &mut out),
        };
        if self.is_all(count) {
            return String::new();
        }
        if is_last_cut {
            let is_end = ['\r', '\n'];
            out.truncate(out.trim_end_matches(is_end).len());
            out.push_str(&text[text.trim_end_matches(is_end).len()..]);
        }
        out
    }

    /// Whether the cuts cover all of a text with `count` blocks or half words.
    fn is_all(&self, count: usize) -> bool {
        let there = match self.unit {
            BlockUnit::Passage => {
                let parts = self.blocks.as_chunks::<2>().0.iter();
                parts.map(|[begin, end]| (end - begin) as usize).sum()
            }
            _ => self
                .blocks
                .partition_point(|block| (*block as usize) < count),
        };
        count > 0 && there == count
    }

    fn has(&self, block: u32) -> bool {
        self.blocks.binary_search(&block).is_ok()
    }

    /// Writes the parts that are not cut; parts that are not blank are the blocks. Returns the number of blocks, and whether the last one
    /// is cut.
    fn whole(
        &self,
        text: &str,
        parts: impl Iterator<Item = Range<usize>>,
        out: &mut String,
    ) -> (usize, bool) {
        let (mut number, mut is_cut) = (0, false);
        for part in parts {
            let part = &text[part];
            if part.trim().is_empty() {
                out.push_str(part);
                continue;
            }
            is_cut = self.has(number);
            number += 1;
            if !is_cut {
                out.push_str(part);
            }
        }
        (number as usize, is_cut)
    }

    /// As [`Cuts::whole`], for sentences. A line that loses all sentences is removed.
    fn sentences(&self, text: &str, out: &mut String) -> (usize, bool) {
        let (mut number, mut is_cut) = (0, false);
        let mut sentences_of_line = Vec::new();
        for line in lines(text) {
            sentences_of_line.clear();
            sentences(text, line.clone(), &mut sentences_of_line);
            let numbers = number..number + sentences_of_line.len() as u32;
            number = numbers.end;
            let Some(last) = sentences_of_line.last().cloned() else {
                out.push_str(&text[line]);
                continue;
            };
            is_cut = self.has(numbers.end - 1);
            let kept = numbers.enumerate().filter(|(_, number)| !self.has(*number));
            let kept: Vec<usize> = kept.map(|(at, _)| at).collect();
            if kept.is_empty() {
                continue;
            }
            out.push_str(&text[line.start..sentences_of_line[0].start]);
            // Where the white space before the sentence begins, unless the sentence begins its line.
            let mut begin = out.len();
            for (place, &at) in kept.iter().enumerate() {
                let sentence = sentences_of_line[at].clone();
                out.push_str(&text[sentence.clone()]);
                if let Some(&next) = kept.get(place + 1) {
                    let mut gap = &text[sentence.end..sentences_of_line[at + 1].start];
                    if kept.len() < sentences_of_line.len() {
                        let behind = &text[sentences_of_line[next].clone()];
                        gap = parting(&out[begin..], gap, behind);
                    }
                    begin = out.len();
                    out.push_str(gap);
                    if gap == "\n" {
                        begin = out.len();
                    }
                }
            }
            out.push_str(&text[last.end..line.end]);
        }
        (number as usize, is_cut)
    }
}

impl Cuts<'_> {
    /// Writes the words that are not cut. Returns the number of half words, and whether the last paragraph is cut.
    fn passages(&self, text: &str, out: &mut String) -> (usize, bool) {
        let is_cut = |at: u32| self.blocks.partition_point(|edge| *edge <= at) % 2 == 1;
        let (mut count, mut is_last_cut, mut at) = (0, false, 0);
        for paragraph in paragraphs_of_words(text, false) {
            let (place, words) = (paragraph.place, paragraph.words);
            // Blank lines at the start of the text.
            out.push_str(&text[at..place.start]);
            at = place.end;
            let Some(last) = words.last() else {
                out.push_str(&text[place]);
                continue;
            };
            count = paragraph.before[words.len()];
            let numbered: Vec<(&u32, &Word)> = paragraph.before.iter().zip(&words).collect();
            let parts = numbered.chunk_by(|(a, _), (b, _)| is_cut(**a) == is_cut(**b));
            let mut kept = parts.filter(|part| !is_cut(*part[0].0)).peekable();
            is_last_cut = kept.peek().is_none();
            if is_last_cut {
                continue;
            }
            if !is_cut(paragraph.before[0]) {
                out.push_str(&text[place.start..words[0].place().start]);
            }
            while let Some(part) = kept.next() {
                let end = part[part.len() - 1].1.place().end;
                out.push_str(&text[part[0].1.place().start..end]);
                if kept.peek().is_some() {
                    out.push_str("\n\n");
                }
            }
            out.push_str(&text[last.place().end..place.end]);
        }
        out.push_str(&text[at..]);
        (count as usize, is_last_cut)
    }
}

/// The text between two sentences: the gap after the first, unless the sentences would then be split elsewhere.
fn parting<'a>(before: &str, gap: &'a str, sentence: &str) -> &'a str {
    let comes_apart = |gap: &&str| {
        let text = [before, gap, sentence].concat();
        let mut ends = Vec::new();
        stops(&text, |_| true, |stop| ends.push(stop.end));
        let mut ends = ends.into_iter();
        ends.next() == Some(before.len()) && ends.all(|end| end == text.len())
    };
    [gap, " "].into_iter().find(comes_apart).unwrap_or("\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(text: &str, unit: BlockUnit) -> Vec<&str> {
        let places = blocks_of(text, unit).into_iter();
        places.map(|place| &text[place]).collect()
    }

    fn cut(text: &str, unit: BlockUnit, blocks: &[u32]) -> String {
        let blocks = Cow::Borrowed(blocks);
        Cuts { unit, blocks }.of(text)
    }

    #[test]
    fn blocks_are_lines_paragraphs_or_sentences() {
        use BlockUnit::{Line, Paragraph, Sentence};
        let text = "\n  One. Two\r\nthree.\n \t\nFour.“Five”. Six\n";
        assert_eq!(
            texts(text, Line),
            ["One. Two", "three.", "Four.“Five”. Six"]
        );
        assert_eq!(
            texts(text, Paragraph),
            ["One. Two\r\nthree.", "Four.“Five”. Six"]
        );
        assert_eq!(
            texts("One is. Two\nis three. 四。五。", Sentence),
            ["One is.", "Two", "is three.", "四。", "五。"]
        );
        for unit in [Line, Paragraph, Sentence] {
            assert!(texts(" \n\n", unit).is_empty());
        }
    }

    #[test]
    fn nothing_else_changes() {
        use BlockUnit::{Line, Paragraph, Sentence};
        let text = "one \r\n\r\ntwo\n\nthree\n";
        assert_eq!(cut(text, Line, &[]), text);
        assert_eq!(cut(text, Line, &[1]), "one \r\n\r\n\nthree\n");
        assert_eq!(cut(text, Line, &[2]), "one \r\n\r\ntwo\n");
        assert_eq!(cut(text, Paragraph, &[0]), "two\n\nthree\n");
        assert_eq!(cut(text, Paragraph, &[1]), "one \r\n\r\nthree\n");
        assert_eq!(cut(text, Paragraph, &[1, 2]), "one \n");
        assert_eq!(cut("\n\none\n\ntwo", Paragraph, &[0]), "\n\ntwo");
        assert_eq!(cut(text, Paragraph, &[0, 1, 2]), "");
        let text = "  It rains.  It pours. He snores\nAll night. Long";
        assert_eq!(
            cut(text, Sentence, &[1]),
            "  It rains.  He snores\nAll night. Long"
        );
        assert_eq!(cut(text, Sentence, &[0, 2]), "  It pours.\nAll night. Long");
        assert_eq!(cut(text, Sentence, &[0, 1, 2]), "All night. Long");
        assert_eq!(
            cut(text, Sentence, &[3, 4]),
            "  It rains.  It pours. He snores"
        );
        // `中.abc` would be one sentence.
        assert_eq!(cut("第一句.第二句。abc", Sentence, &[1]), "第一句. abc");
        assert_eq!(
            cut("第一句。第二句。第三句", Sentence, &[1]),
            "第一句。第三句"
        );
        // Sentences of full stops alone: a space would split `. .`, and nothing would join it to `中.`.
        assert_eq!(cut(".。。. .", Sentence, &[1]), ".。. .");
        assert_eq!(cut("中.。. .", Sentence, &[1]), "中.\n. .");
    }

    #[test]
    fn what_stood_around_a_passage_are_two_paragraphs() {
        use BlockUnit::Passage;
        let text = "\n  One two, three\r\nfour. Five\n \n六七（八）九\n\n* *\n\nsix\n";
        assert_eq!(cut(text, Passage, &[]), text);
        assert_eq!(
            cut(text, Passage, &[2, 6, 11, 12]),
            "\n  One\n\nfour. Five\n \n六\n\n八）九\n\n* *\n\nsix\n"
        );
        assert_eq!(
            cut(text, Passage, &[0, 4, 4, 10]),
            "\n六七（八）九\n\n* *\n\nsix\n"
        );
        assert_eq!(
            cut(text, Passage, &[10, 16]),
            "\n  One two, three\r\nfour. Five\n \n* *\n"
        );
        assert_eq!(cut(text, Passage, &[0, 16]), "");
    }

    proptest! {
        /// Words that remain are adjacent as before; no new neighbours arise.
        #[test]
        fn no_words_come_together(
            text in "([a-c1]{1,2}|[ ]|\n|\r\n|\n\n|[.,] |。|中|“|”|- |\u{3000}){0,40}",
            cut in prop::collection::vec(any::<bool>(), 80),
        ) {
            let pairs = |text: &str, cut: &dyn Fn(u32) -> bool| {
                let mut pairs = Vec::new();
                for of in paragraphs_of_words(text, false) {
                    let words: Vec<(u32, &str)> = of.before.iter().copied().zip(of.words.iter().map(|word| &text[word.place()])).collect();
                    let parts = words.chunk_by(|a, b| !cut(a.0) && !cut(b.0));
                    let parts = parts.filter(|part| !cut(part[0].0));
                    pairs.extend(parts.map(|part| part.iter().map(|(_, word)| (*word).to_owned()).collect::<Vec<_>>()));
                }
                pairs
            };
            let is_cut = |at: u32| cut[at as usize];
            let mut edges = Vec::new();
            for of in paragraphs_of_words(&text, false) {
                edges.extend(of.before.windows(2).filter(|word| is_cut(word[0])).flatten());
            }
            let rest = super::tests::cut(&text, BlockUnit::Passage, &edges);
            prop_assert_eq!(pairs(&rest, &|_| false), pairs(&text, &is_cut), "{:?}", rest);
            if edges.is_empty() {
                prop_assert_eq!(rest, text);
            }
        }

        /// What remains is split as before, so that no uncounted blocks arise.
        #[test]
        fn the_rest_has_the_other_blocks(
            text in prop_oneof![
                "([a-c1]|[ ]|\n|\r\n|\n\n|\\.|。|．|中|“|”|\\)|\\[1\\]|Dr|\u{3000}){0,40}",
                "([a-b]{1,3}[.。． ]{1,2}|中[.。．]|\n){0,14}",
            ],
            cut in prop::collection::vec(any::<bool>(), 40),
            unit in prop::sample::select(vec![BlockUnit::Line, BlockUnit::Paragraph, BlockUnit::Sentence]),
        ) {
            let before = texts(&text, unit);
            let numbers: Vec<u32> = (0..before.len()).filter(|at| cut[*at]).map(|at| at as u32).collect();
            let rest = super::tests::cut(&text, unit, &numbers);
            let expected = before.iter().zip(&cut).filter(|(_, cut)| !**cut).map(|(text, _)| *text);
            prop_assert_eq!(texts(&rest, unit), expected.collect::<Vec<_>>(), "{:?}", rest);
            if numbers.is_empty() && !before.is_empty() {
                prop_assert_eq!(rest, text);
            }
        }
    }
}
