//! Folding a text block by block.
use super::fold::Folder;
use super::sentence::{Stops, has_others};
use super::{Sentence, Text, TextOptions, blocks};

/// The text of these blocks; `main` says which of them methods see (empty: all).
pub fn fold_blocks(visible: String, main: Vec<bool>, options: &TextOptions) -> Text {
    let mut folding = Folding {
        folder: Folder::new(options),
        others: options.sentences && has_others(&visible),
        folded: String::with_capacity(visible.len()),
        sentences: Vec::new(),
    };
    // A block of nothing but invisible characters folds to nothing and goes from both texts.
    let mut emptied = Vec::new();
    for (number, block) in blocks(&visible).enumerate() {
        let seen = main.get(number).copied().unwrap_or(main.is_empty());
        if !folding.block(block, seen && options.sentences) {
            emptied.push(number);
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

/// Folds a text block by block and notes the sentences.
struct Folding {
    folder: Folder,
    /// Whether full stops of other scripts have to be looked for.
    others: bool,
    folded: String,
    sentences: Vec<Sentence>,
}

impl Folding {
    /// Folds a block and notes its sentences if they are wanted; false if nothing is left of it.
    fn block(&mut self, block: &str, wanted: bool) -> bool {
        let before = self.folded.len();
        if before > 0 {
            self.folded.push('\n');
        }
        let start = self.folded.len();
        let mut begin = 0;
        let stops = wanted.then(|| Stops::new(block, self.others));
        while let Some(stop) = stops.and_then(|stops| stops.next(begin)) {
            let sentence_start = self.folded.len();
            self.folder
                .fold_into(&block[begin..stop.at], &mut self.folded);
            self.sentence(sentence_start, stop.words);
            self.folder
                .fold_into(&block[stop.at..stop.end], &mut self.folded);
            begin = stop.end;
        }
        self.folder.fold_into(&block[begin..], &mut self.folded);
        let left = self.folded.len() > start;
        if !left {
            self.folded.truncate(before);
        }
        left
    }

    /// Notes what was folded since `start` as a sentence, unless it has neither letter nor digit.
    fn sentence(&mut self, start: usize, words: bool) {
        let sentence = &self.folded[start..];
        if !sentence.contains(char::is_alphanumeric) {
            return;
        }
        let end = start + sentence.trim_end().len();
        let start = end - self.folded[start..end].trim_start().len();
        if let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) {
            self.sentences.push(Sentence { start, end, words });
        }
    }
}
