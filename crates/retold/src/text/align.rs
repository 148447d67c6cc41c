//! Finds the blocks of a page of which an extracted text consists.
//!
//! The extractor breaks lines elsewhere and drops pieces inside paragraphs, so blocks are searched for in the extracted text without white
//! space, in order. Long blocks come first: each is found where half of it matches contiguously, and the heaviest ascending chain of all
//! finds counts. So a teaser at the top that repeats a line from the end of the article does not hide the article. Short blocks follow, and
//! long ones that occur too often to be searched everywhere, each between its neighbours.

use rustc_hash::FxHashMap;

/// Length in bytes of the substrings by which blocks are looked up.
const SEED: usize = 12;
/// Minimum bytes of a block that is looked up everywhere.
const LONG: usize = 36;
/// How many places in the extracted text are tried per block.
const TRIES: usize = 8;
/// How far after the expected place, in bytes, the other blocks are searched for.
const WINDOW: usize = 2048;

/// For each block of `visible`, whether it is part of `extracted`.
pub fn mask(visible: &str, extracted: &str) -> Vec<bool> {
    let target = squeeze(extracted);
    let blocks: Vec<Vec<u8>> = visible.split('\n').map(squeeze).collect();
    let index = Index::new(&target);
    let mut finds = Vec::new();
    for (block, text) in blocks.iter().enumerate() {
        if text.len() >= LONG {
            finds.extend(index.find(text).into_iter().map(|(start, end)| Find {
                block,
                start,
                end,
                before: None,
                weight: 0,
            }));
        }
    }
    let anchors = heaviest_chain(finds, target.len());
    let mut mask = vec![false; blocks.len()];
    let mut at = 0;
    let mut next = anchors.iter().peekable();
    for (block, text) in blocks.iter().enumerate() {
        if let Some(anchor) = next.next_if(|anchor| anchor.block == block) {
            mask[block] = true;
            at = anchor.end;
        } else if !text.is_empty() {
            let end = next.peek().map_or(target.len(), |anchor| anchor.start);
            let room = &target[at..end.min(at + WINDOW + text.len()).max(at)];
            if let Some(found) = memchr::memmem::find(room, text) {
                mask[block] = true;
                at += found + text.len();
            }
        }
    }
    mask
}

fn squeeze(text: &str) -> Vec<u8> {
    let mut out = String::with_capacity(text.len());
    text.split_whitespace().for_each(|word| out.push_str(word));
    out.into_bytes()
}

/// A block found in the extracted text.
#[derive(Clone)]
struct Find {
    block: usize,
    start: usize,
    end: usize,
    /// The previous match in the heaviest chain that ends here.
    before: Option<usize>,
    weight: usize,
}

/// Where each substring of [`SEED`] bytes occurs.
struct Index<'a> {
    target: &'a [u8],
    /// The first place of each substring, and for each place the next one of the same substring.
    first: FxHashMap<&'a [u8], u32>,
    next: Vec<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl<'a> Index<'a> {
    fn new(target: &'a [u8]) -> Index<'a> {
        let mut first: FxHashMap<&[u8], u32> = FxHashMap::default();
        first.reserve(target.len());
        let mut next = vec![NOWHERE; target.len()];
        // Backwards, so that lists of places ascend.
        for at in (0..target.len().saturating_sub(SEED - 1)).rev() {
            let stretch = &target[at..at + SEED];
            if let Some(later) = first.insert(stretch, at as u32) {
                next[at] = later;
            }
        }
        Index {
            target,
            first,
            next,
        }
    }

    fn find(&self, block: &[u8]) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let last = block.len() - SEED;
        for seed in [0, last / 3, last * 2 / 3, last] {
            let mut place = self.first.get(&block[seed..seed + SEED]).copied();
            for _ in 0..TRIES {
                let Some(at) = place.filter(|&at| at != NOWHERE) else {
                    break;
                };
                let (start, end) = self.extend(block, seed, at as usize);
                if (end - start) * 2 > block.len() {
                    found.push((start, end));
                }
                place = Some(self.next[at as usize]);
            }
            if !found.is_empty() {
                break;
            }
        }
        found
    }

    /// The match in the extracted text around `at`, given that `seed` matches there.
    fn extend(&self, block: &[u8], seed: usize, at: usize) -> (usize, usize) {
        let before = block[..seed]
            .iter()
            .rev()
            .zip(self.target[..at].iter().rev());
        let before = before.take_while(|(a, b)| a == b).count();
        let after = block[seed..].iter().zip(&self.target[at..]);
        let after = after.take_while(|(a, b)| a == b).count();
        (at - before, at + after)
    }
}

/// The finds of the chain with most bytes in which both blocks and places ascend.
fn heaviest_chain(mut finds: Vec<Find>, length: usize) -> Vec<Find> {
    // For each prefix of the extracted text, the heaviest chain that ends in it (a Fenwick tree of maxima).
    let mut best: Vec<Option<usize>> = vec![None; length + 2];
    let mut from = 0;
    while from < finds.len() {
        // Finds of one block exclude each other, so all are looked up before any is entered.
        let block = finds[from].block;
        let to = from
            + finds[from..]
                .iter()
                .take_while(|f| f.block == block)
                .count();
        for at in from..to {
            let mut place = finds[at].start + 1;
            let mut before: Option<usize> = None;
            while place > 0 {
                before = heavier(&finds, before, best[place]);
                place &= place - 1;
            }
            finds[at].before = before;
            finds[at].weight =
                finds[at].end - finds[at].start + before.map_or(0, |before| finds[before].weight);
        }
        for at in from..to {
            let mut place = finds[at].end + 1;
            while place < best.len() {
                best[place] = heavier(&finds, best[place], Some(at));
                place += place & place.wrapping_neg();
            }
        }
        from = to;
    }
    let mut at = (0..finds.len()).fold(None, |best, at| heavier(&finds, best, Some(at)));
    let mut chain = Vec::new();
    while let Some(find) = at {
        chain.push(finds[find].clone());
        at = finds[find].before;
    }
    chain.reverse();
    chain
}

/// The heavier of two chains; the first one if they are equal.
fn heavier(finds: &[Find], a: Option<usize>, b: Option<usize>) -> Option<usize> {
    match (a, b) {
        (Some(x), Some(y)) if finds[y].weight > finds[x].weight => b,
        (None, b) => b,
        (a, _) => a,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept<'a>(visible: &'a str, extracted: &str) -> Vec<&'a str> {
        let mask = mask(visible, extracted);
        visible
            .split('\n')
            .zip(mask)
            .filter_map(|(block, is_main)| is_main.then_some(block))
            .collect()
    }

    const FIRST: &str = "The first paragraph of the article, which is long enough.";
    const SECOND: &str = "The second paragraph of the article goes on for a while too.";
    const LAST: &str = "The last paragraph, which some teaser repeats word for word.";

    #[test]
    fn blocks_are_found_in_order() {
        let visible = format!("Home\nMenu\n{FIRST}\nShort\n{SECOND}\nHome\nFooter");
        let extracted = format!("{FIRST}\n\n Short\n{SECOND}");
        assert_eq!(kept(&visible, &extracted), [FIRST, "Short", SECOND]);
    }

    #[test]
    fn a_teaser_does_not_hide_the_article() {
        let visible = format!("{LAST}\n{FIRST}\n{SECOND}\n{LAST}");
        let extracted = format!("{FIRST}{SECOND}{LAST}");
        assert_eq!(mask(&visible, &extracted), [false, true, true, true]);
    }

    #[test]
    fn lines_may_be_broken_elsewhere_and_pieces_may_lack() {
        let visible =
            format!("{FIRST} {SECOND} [12] {LAST}\nMenu of this page and nothing but a menu");
        let extracted = format!("{FIRST}\n{SECOND}\n{LAST}");
        assert_eq!(mask(&visible, &extracted), [true, false]);
    }

    #[test]
    fn nothing_extracted_is_nothing() {
        assert_eq!(mask("a\nb", ""), [false, false]);
        assert_eq!(mask("", "a"), [false]);
    }
}
