//! The method `codet`: sentences that two pages have in common (Varol et al. 2011).

use xxhash_rust::xxh3::xxh3_64;

use crate::method::{Check, Highlight, Learns, Method, MethodInfo, Op, Trace};
use crate::param::params;
use crate::relation::Verdict;
use crate::sketch::{Bounds, Sketch, SketchRef, shared_positions};
use crate::text::{Extract, Text, count_chars};

params! {
    /// The parameters of `codet`.
    pub(in crate::method) struct CoDetParams {
        /// minimum share of the shorter page's sentences, by characters, that the other page has
        threshold: f64[0.0..=1.0] = 0.5,
        /// minimum length ratio of duplicates; below it one page contains the other
        length_threshold: f64[0.0..=1.0] = 0.5,
        /// minimum length in characters of the sentences that two pages share
        min_chars: usize[0..=100_000] = 40,
    }
}

pub(in crate::method) const INFO: MethodInfo = MethodInfo {
    name: "codet",
    summary: "pages whose sentences the other page has",
    source: "Varol, Can, Aykanat and Kaya, CoDet, CIKM 2011",
    learns: Learns::Noise,
    extract: Extract::Main,
    params: &[CoDetParams::PARAMS],
    judged_by: &["threshold", "length_threshold", "min_chars"],
    reads_sentences: |_| true,
    least_similarity: |params| CoDetParams::from(params).threshold,
    build: |params, _| Box::new(CoDet(params.into())),
};

/// CoDet: the share of one page's sentences that the other page has.
///
/// # What it finds
/// Copies, shortened versions and contained pages, with sentences in any order.
///
/// # How
/// A sentence ends with a full stop; a text without full stops is split into blocks instead. A sentence is reduced to the set of its
/// content words and numbers, so that stop-words and punctuation may differ. Similarity is the number of characters in shared sentences
/// over that in all sentences of the shorter page. Pages that reach `threshold` are duplicates if their length ratio is at least
/// `length_threshold`, else the longer contains the other. The noise filter removes sentences of high document frequency.
///
/// # Misses
/// Copies with a changed word in every sentence; sentences that were cut or joined; text after the last full stop of a block.
///
/// # Parameters
/// `retold methods codet` lists them with their ranges.
///
/// # Reference
/// CoDet: sentence-based containment detection in news corpora, CIKM 2011. The paper keeps sentences, as words in a fixed order, in a tree
/// of all documents, where sentences with the same first words share a path. We look up whole sentences in the index, so half a sentence
/// counts nothing. The noise filter and counting characters are ours.
#[derive(Clone, Debug)]
pub struct CoDet(CoDetParams);

/// The sentences of a text as byte ranges of its folded form, in order; its blocks if there are none.
fn sentences(text: &Text) -> Vec<(u32, u32)> {
    if text.sentences.is_empty() {
        let blocks = text.seen();
        return blocks
            .map(|(at, block)| (at as u32, (at + block.len()) as u32))
            .collect();
    }
    text.sentences
        .iter()
        .map(|sentence| (sentence.start, sentence.end))
        .collect()
}

/// Sentences with content words, under the hash of these words, sorted.
fn highlights(text: &Text) -> Vec<Highlight> {
    let words = text.words();
    let mut rest = words.all();
    let mut highlights = Vec::new();
    for (start, end) in sentences(text) {
        rest = &rest[rest.partition_point(|word| word.start < start)..];
        let within = &rest[..rest.partition_point(|word| word.end <= end)];
        let mut content: Vec<&str> = within
            .iter()
            .filter(|word| !word.stop)
            .map(|&word| words.as_str(word))
            .collect();
        content.sort_unstable();
        if !content.is_empty() {
            highlights.push(Highlight {
                // A block contains no line feed, so neither does a word.
                key: xxh3_64(content.join("\n").as_bytes()),
                start,
                end,
                label: None,
            });
        }
    }
    highlights
}

/// What two pages share, in sentence characters.
struct Counts {
    lengths: (u64, u64),
    shared: u32,
    shared_chars: u64,
}

impl Counts {
    fn of(a: SketchRef<'_>, b: SketchRef<'_>) -> Counts {
        let mut counts = Counts {
            lengths: (a.marks.iter().sum(), b.marks.iter().sum()),
            shared: 0,
            shared_chars: 0,
        };
        for (i, j) in shared_positions(a.keys, b.keys) {
            counts.shared += 1;
            counts.shared_chars += a.marks[i].min(b.marks[j]);
        }
        counts
    }
}

impl Method for CoDet {
    fn sketch(&self, text: &Text) -> Sketch {
        let length = |highlight: &Highlight| {
            count_chars(&text.folded[highlight.start as usize..highlight.end as usize])
        };
        let mut sentences: Vec<(u64, u64)> = highlights(text)
            .iter()
            .map(|highlight| (highlight.key, length(highlight)))
            .collect();
        // Of sentences with the same content words, the shortest is kept, whatever their order.
        sentences.sort_unstable();
        sentences.dedup_by_key(|(key, _)| *key);
        let (keys, marks) = sentences.into_iter().unzip();
        Sketch {
            keys,
            marks,
            ..Sketch::default()
        }
    }

    fn bounds(&self, _keys: usize) -> Bounds {
        // One long sentence can be most of a page.
        Bounds::overlap(1)
    }

    fn compare(&self, a: SketchRef<'_>, b: SketchRef<'_>, trace: &mut Trace) -> Option<Verdict> {
        let counts = Counts::of(a, b);
        let sizes = (counts.lengths.0 as usize, counts.lengths.1 as usize);
        let (shared, chars) = (counts.shared as usize, counts.shared_chars as usize);
        let any = "sentences that both pages have, without noise";
        let mut related = trace.test(Check::number("shared", any, shared, Op::AtLeast, 1.0));
        let enough = "characters of the sentences that both pages have";
        let least = self.0.min_chars as f64;
        related &= trace.test(Check::number("chars", enough, chars, Op::AtLeast, least));
        let share = "these divided by the characters of all sentences of the shorter page";
        let share = Check::ratio(
            "share",
            share,
            chars,
            sizes.0.min(sizes.1),
            self.0.threshold,
        );
        let similarity = share.value;
        related &= trace.test(share);
        let length = "characters of the shorter page's sentences divided by those of the longer";
        let least = self.0.length_threshold;
        let (relation, length_ratio) = trace.by_length("length ratio", length, sizes, least);
        related.then_some(Verdict {
            relation,
            similarity,
            length_ratio,
            shared: counts.shared,
            shared_chars: counts.shared_chars,
            own_a: 0,
            own_b: 0,
        })
    }

    fn highlights(&self, text: &Text) -> Vec<Highlight> {
        highlights(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::testing::{judge, params, text};
    use crate::relation::Relation;

    fn verdict(settings: &[(&str, &str)], a: &str, b: &str) -> Option<Verdict> {
        let method = CoDet((&params(&INFO, settings)).into());
        let [a, b] = [a, b].map(|content| method.sketch(&text(content)));
        let verdict = judge(&method, &a, &b);
        let swapped = judge(&method, &b, &a);
        assert_eq!(verdict, swapped.map(Verdict::swapped));
        verdict
    }

    const LOOSE: &[(&str, &str)] = &[("min_chars", "0")];

    #[test]
    fn a_share_by_hand() {
        let a = "The ferry left Naxos late. Harbour empty.";
        let b = "The ferry left Naxos late. Sea rough.";
        // TheferryleftNaxoslate has 21 characters, Harbourempty 12, Searough 8: 21 of the shorter page's 29.
        let found = verdict(LOOSE, a, b).unwrap();
        assert_eq!((found.similarity, found.shared_chars), (21.0 / 29.0, 21));
        assert_eq!(found.length_ratio, 29.0 / 33.0);
        assert_eq!(found.relation, Relation::Duplicate);
        assert_eq!(
            verdict(&[("min_chars", "0"), ("threshold", "0.73")], a, b),
            None
        );
        assert_eq!(verdict(&[("min_chars", "22")], a, b), None);
    }

    #[test]
    fn a_longer_page_contains_a_shorter_one() {
        let part = "渡船今天早上离开港口。";
        let whole = format!("昨天的天气非常糟糕。{part}乘客们在码头等待消息。");
        let found = verdict(LOOSE, &whole, part).unwrap();
        assert_eq!(
            (found.relation, found.similarity),
            (Relation::Contains, 1.0)
        );
    }

    #[test]
    fn stop_words_punctuation_and_order_do_not_count() {
        let found = verdict(LOOSE, "The ferry, so late, left.", "Late, the ferry left.").unwrap();
        // The shorter of the two forms counts: `Late,theferryleft`.
        assert_eq!((found.similarity, found.shared_chars), (1.0, 17));
        // Numbers do.
        assert_eq!(verdict(LOOSE, "Ferry 12 left.", "Ferry 13 left."), None);
    }

    #[test]
    fn a_text_without_full_stops_is_taken_by_blocks() {
        let found = verdict(
            LOOSE,
            "Ferry left\n\nHarbour empty",
            "Ferry left\n\nSea rough",
        )
        .unwrap();
        assert_eq!((found.shared, found.similarity), (1, 9.0 / 17.0));
        // If there is any full stop, only text before a full stop counts.
        assert_eq!(
            verdict(
                LOOSE,
                "Ferry left\n\nHarbour empty.",
                "Ferry left\n\nSea rough."
            ),
            None
        );
        assert_eq!(verdict(LOOSE, "", ""), None);
        assert_eq!(verdict(LOOSE, "The the.", "The the."), None);
    }
}
