//! Where the lines, paragraphs and sentences of a plain text are, and the text without some of them.

use std::borrow::Cow;
use std::ops::Range;

use serde::Serialize;

use super::sentence::{Stop, stops};

/// What a block is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BlockUnit {
    /// The text between two line ends.
    Line,
    /// The text between blank lines; in HTML, a block of the page.
    #[default]
    Paragraph,
    /// A sentence; a line end ends it.
    Sentence,
}

/// Blocks that are cut out of a text, by their numbers in it, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cuts<'a> {
    /// What a block is.
    pub unit: BlockUnit,
    /// Which ones.
    pub blocks: Cow<'a, [u32]>,
}

/// The bytes of a text's blocks, in order, without white space around them.
pub(crate) fn blocks_of(text: &str, unit: BlockUnit) -> Vec<Range<usize>> {
    match unit {
        BlockUnit::Line => lines(text).filter_map(|line| trimmed(text, line)).collect(),
        BlockUnit::Paragraph => {
            let places = paragraphs(text).into_iter();
            places.filter_map(|place| trimmed(text, place)).collect()
        }
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

/// The lines of a text, each with its end.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let begin = start;
        start += line.len();
        begin..start
    })
}

/// The paragraphs of a text, each with the blank lines behind it. Blank lines that a text begins with belong to none.
fn paragraphs(text: &str) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    let mut is_behind_blank = true;
    for line in lines(text) {
        let is_blank = text[line.clone()].trim().is_empty();
        match all.last_mut() {
            Some(last) if is_blank || !is_behind_blank => last.end = line.end,
            _ if !is_blank => all.push(line),
            _ => {}
        }
        is_behind_blank = is_blank;
    }
    all
}

/// Adds the sentences of a line.
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

/// A part of a text without the white space around it; none if there is nothing else.
fn trimmed(text: &str, part: Range<usize>) -> Option<Range<usize>> {
    let inner = text[part.clone()].trim_start();
    let begin = part.end - inner.len();
    let inner = inner.trim_end();
    (!inner.is_empty()).then(|| begin..begin + inner.len())
}

impl Cuts<'_> {
    /// A text without the blocks. Nothing else changes, except that line ends at its end are removed with the block before them, and that a
    /// space, or a line end, is put between sentences that would otherwise be split at other places.
    pub fn of(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let (count, is_last_cut) = match self.unit {
            BlockUnit::Line => self.whole(text, lines(text), &mut out),
            BlockUnit::Paragraph => {
                out.push_str(&text[..paragraphs(text).first().map_or(0, |first| first.start)]);
                self.whole(text, paragraphs(text).into_iter(), &mut out)
            }
            BlockUnit::Sentence => self.sentences(text, &mut out),
        };
        let there = self
            .blocks
            .partition_point(|block| (*block as usize) < count);
        if count > 0 && there == count {
            return String::new();
        }
        if is_last_cut {
            let is_end = ['\r', '\n'];
            out.truncate(out.trim_end_matches(is_end).len());
            out.push_str(&text[text.trim_end_matches(is_end).len()..]);
        }
        out
    }

    fn has(&self, block: u32) -> bool {
        self.blocks.binary_search(&block).is_ok()
    }

    /// Writes the parts that are not cut. The parts that are not blank are the blocks. Returns the number of blocks, and
    /// whether the last one is cut.
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

    /// The same for sentences, which leave their line; a line that is left without any goes as a whole.
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
            // Where the white space before the sentence begins, unless a line does.
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

/// The text between two sentences: the text after the first one, unless the sentences would then be split at another place.
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
        // Sentences of full stops alone: a space would make two of `. .`, and nothing would join it to `中.`.
        assert_eq!(cut(".。。. .", Sentence, &[1]), ".。. .");
        assert_eq!(cut("中.。. .", Sentence, &[1]), "中.\n. .");
    }

    proptest! {
        /// What is left comes apart as before, or blocks would come to be that nobody has counted.
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
