//! Folding a text block by block.

use std::borrow::Cow;
use std::ops::Range;

use super::disguise::without_disguise;
use super::fold::Folder;
use super::options::TextOptions;
use super::page_text::{Sentence, Text};
use super::sentence::{Stop, stops};

/// Makes the text of these blocks; `main` says which of them methods see (empty: all).
pub fn fold_blocks(visible: String, main: Vec<bool>, options: &TextOptions) -> Text {
    let mut folding = Folding::new(&visible, options);
    let written = match options.nfkc {
        true => without_disguise(&visible),
        false => Cow::Borrowed(&*visible),
    };
    // A block of invisible characters folds to nothing and is removed from both texts.
    let mut emptied = Vec::new();
    let wanted =
        |number: usize| options.sentences && main.get(number).copied().unwrap_or(main.is_empty());
    let (mut number, mut rest) = (0, Some(&*written));
    while let Some(text) = rest {
        let (same, odd) = whole_blocks(text, folding.folder.same_len(text));
        number += same.map_or(0, |same| folding.same(same, |at| wanted(number + at)));
        rest = odd;
        if let Some(text) = odd {
            let (block, after) = match memchr::memchr(b'\n', text.as_bytes()) {
                Some(end) => (&text[..end], Some(&text[end + 1..])),
                None => (text, None),
            };
            if !folding.block(block, wanted(number)) {
                emptied.push(number);
            }
            (number, rest) = (number + 1, after);
        }
    }
    let (visible, main) = if emptied.is_empty() {
        (visible, main)
    } else {
        let left = |number: &usize| emptied.binary_search(number).is_err();
        let blocks = visible.split('\n').enumerate();
        let blocks = blocks.filter_map(|(number, block)| left(&number).then_some(block));
        let main_left = main.iter().enumerate();
        let main_left = main_left.filter_map(|(number, main)| left(&number).then_some(*main));
        (blocks.collect::<Vec<_>>().join("\n"), main_left.collect())
    };
    Text {
        visible,
        folded: folding.folded,
        sentences: folding.sentences,
        main,
        ..Text::default()
    }
}

/// The blocks of a text that end within its first `same` bytes, and the text after their line feed; `None` if there are none.
fn whole_blocks(text: &str, same: usize) -> (Option<&str>, Option<&str>) {
    if same == text.len() && same > 0 {
        return (Some(text), None);
    }
    match memchr::memrchr(b'\n', &text.as_bytes()[..same]) {
        Some(end) => (Some(&text[..end]), Some(&text[end + 1..])),
        None => (None, Some(text)),
    }
}

/// Folds a text block by block and notes the sentences.
struct Folding {
    folder: Folder,
    folded: String,
    sentences: Vec<Sentence>,
}

impl Folding {
    fn new(visible: &str, options: &TextOptions) -> Folding {
        Folding {
            folder: options.folder(),
            folded: String::with_capacity(visible.len()),
            sentences: Vec::new(),
        }
    }

    /// Adds blocks that fold to themselves except for ASCII case, with the sentences of wanted blocks. Returns the number of blocks.
    fn same(&mut self, same: &str, wanted: impl Fn(usize) -> bool) -> usize {
        if !self.folded.is_empty() {
            self.folded.push('\n');
        }
        let start = self.folded.len();
        self.folder.copy(same, &mut self.folded);
        stops(same, wanted, |stop| {
            self.sentence(start + stop.begin..start + stop.at, stop.words);
        })
    }

    /// Folds a block and adds its sentences if wanted; false if nothing remains.
    fn block(&mut self, block: &str, wanted: bool) -> bool {
        let before = self.folded.len();
        if before > 0 {
            self.folded.push('\n');
        }
        let start = self.folded.len();
        let mut begin = 0;
        let mut sentence = |stop: Stop| {
            let sentence_start = self.folded.len();
            self.folder
                .fold_into(&block[begin..stop.at], &mut self.folded);
            self.sentence(sentence_start..self.folded.len(), stop.words);
            self.folder
                .fold_into(&block[stop.at..stop.end], &mut self.folded);
            begin = stop.end;
        };
        if wanted {
            stops(block, |_| true, &mut sentence);
        }
        self.folder.fold_into(&block[begin..], &mut self.folded);
        let left = self.folded.len() > start;
        if !left {
            self.folded.truncate(before);
        }
        left
    }

    /// Adds a sentence, unless it has neither letter nor digit.
    fn sentence(&mut self, bytes: Range<usize>, words: bool) {
        let sentence = &self.folded[bytes.clone()];
        if !sentence.contains(char::is_alphanumeric) {
            return;
        }
        let end = bytes.start + sentence.trim_end().len();
        let start = end - self.folded[bytes.start..end].trim_start().len();
        if let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) {
            self.sentences.push(Sentence { start, end, words });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reference implementation: folds block by block.
    fn plainly(visible: &str, main: &[bool], options: &TextOptions) -> Folding {
        let mut folding = Folding::new(visible, options);
        for (number, block) in visible.split('\n').enumerate() {
            folding.block(block, main.get(number).copied().unwrap_or(main.is_empty()));
        }
        folding
    }

    proptest! {
        #[test]
        fn blocks_fold_together_as_one_by_one(
            blocks in prop::collection::vec("([A-Za-z]{1,9}[.] ?|[春é。，\u{300}\u{AD}１]){1,6}", 0..6),
            main in prop::collection::vec(any::<bool>(), 6),
            all in any::<bool>(),
        ) {
            let (visible, options) = (blocks.join("\n"), TextOptions::default());
            let main = if all { Vec::new() } else { main[..blocks.len()].to_vec() };
            let one_by_one = plainly(&visible, &main, &options);
            let together = fold_blocks(visible, main, &options);
            prop_assert_eq!(together.folded, one_by_one.folded);
            prop_assert_eq!(together.sentences, one_by_one.sentences);
        }
    }
}
