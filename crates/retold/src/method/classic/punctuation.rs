//! The method `punctuation`: the text around one full stop (a baseline of AgT 2010).

use xxhash_rust::xxh3::xxh3_64;

use crate::method::{Check, Highlight, Learns, Method, MethodInfo, Op, Trace};
use crate::param::params;
use crate::relation::{Relation, Verdict, ratio};
use crate::sketch::{Bounds, Sketch, SketchRef, count_shared};
use crate::text::{Extract, Text};

params! {
    pub(in crate::method) struct PunctuationParams {
        /// the digest is taken around the m-th full stop
        m: usize[1..=1000] = 3,
        /// letters and digits on either side that make the digest
        chars: usize[1..=1000] = 5,
    }
}

pub(in crate::method) const INFO: MethodInfo = MethodInfo {
    name: "punctuation",
    summary: "pages with the same characters around the m-th full stop",
    source: "a baseline of AgT, Journal of Computer Applications 2010, 30(6):1661",
    learns: Learns::Nothing,
    extract: Extract::Main,
    params: &[PunctuationParams::PARAMS],
    judged_by: &[],
    reads_sentences: |_| true,
    least_similarity: |_| 1.0,
    build: |params, _| Box::new(Punctuation(params.into())),
};

/// The text around one full stop, as a single digest: the cheapest baseline.
///
/// # What it finds
/// Pages whose main text begins alike.
///
/// # How
/// The digest is the `chars` letters or digits before the `m`-th full stop of the main text and as many after it. Pages with equal digests
/// are duplicates of similarity 1.
///
/// # Misses
/// Pages with fewer full stops; pages whose main text has an additional line at its beginning, which shifts the `m`-th stop; contained
/// pages. Any two pages that begin with the same disclaimer count as copies.
///
/// # Parameters
/// `retold methods punctuation` lists them with their ranges.
///
/// # Reference
/// The baseline of AgT, taken from an earlier paper on fast removal of repeated pages: the m-th occurrence of a mark and five characters on
/// both sides. The paper does not give m; 3 was chosen by measurement. We count only letters and digits, so that quotes and spaces may
/// differ.
#[derive(Clone, Debug)]
pub struct Punctuation(PunctuationParams);

impl Punctuation {
    fn digest(&self, text: &Text) -> Option<(Highlight, String)> {
        let stop = text.sentences.get(self.0.m - 1)?.end as usize;
        // Characters of the blocks that methods see, with their places.
        let seen = text.seen().flat_map(|(at, block)| {
            let chars = block.char_indices();
            chars.map(move |(offset, c)| (at + offset, c))
        });
        let letters: Vec<(usize, char)> = seen.filter(|(_, c)| c.is_alphanumeric()).collect();
        let middle = letters.partition_point(|&(at, _)| at < stop);
        let first = middle.saturating_sub(self.0.chars);
        let around = &letters[first..letters.len().min(middle + self.0.chars)];
        let (start, last) = (around.first()?.0, around.last()?);
        let mut digest: String = letters[first..middle].iter().map(|(_, c)| c).collect();
        // Separates the characters before and after the stop.
        digest.push('\n');
        digest.extend(around[middle - first..].iter().map(|(_, c)| c));
        let highlight = Highlight {
            key: xxh3_64(digest.as_bytes()),
            start: start as u32,
            end: (last.0 + last.1.len_utf8()) as u32,
            label: None,
        };
        Some((highlight, digest))
    }
}

/// The number of full stops of a page.
fn size(sketch: SketchRef<'_>) -> usize {
    sketch.extra.first().map_or(0, |&size| size as usize)
}

impl Method for Punctuation {
    fn sketch(&self, text: &Text) -> Sketch {
        Sketch {
            keys: self
                .highlights(text)
                .iter()
                .map(|highlight| highlight.key)
                .collect(),
            extra: vec![text.sentences.len() as u64],
            ..Sketch::default()
        }
    }

    fn bounds(&self, _keys: usize) -> Bounds {
        Bounds::overlap(1)
    }

    fn compare(&self, a: SketchRef<'_>, b: SketchRef<'_>, trace: &mut Trace) -> Option<Verdict> {
        let equal = "digests that both pages have";
        let shared = count_shared(a.keys, b.keys);
        if !trace.test(Check::number("shared", equal, shared, Op::AtLeast, 1.0)) {
            return None;
        }
        let stops = "full stops of the page with fewer divided by those of the other";
        let (smaller, larger) = (size(a).min(size(b)), size(a).max(size(b)));
        let length_ratio = ratio(smaller, larger);
        trace.test(Check::value("length ratio", stops, length_ratio));
        Some(Verdict {
            relation: Relation::Duplicate,
            similarity: 1.0,
            length_ratio,
            shared: 1,
            shared_chars: 0,
            own_a: 0,
            own_b: 0,
        })
    }

    fn highlights(&self, text: &Text) -> Vec<Highlight> {
        self.digest(text)
            .into_iter()
            .map(|(highlight, _)| highlight)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::testing::{judge, text};

    fn digest(stop: usize, content: &str) -> Option<(String, String)> {
        let method = Punctuation(PunctuationParams { m: stop, chars: 5 });
        let text = text(content);
        let (highlight, digest) = method.digest(&text)?;
        let place = text.folded[highlight.start as usize..highlight.end as usize].to_owned();
        Some((digest, place))
    }

    #[test]
    fn five_characters_on_both_sides() {
        let page = "一二三四五六七。“八九十甲乙丙丁。”\n戊己，庚辛壬癸。完";
        let found = |stop, digest: &str, place: &str| {
            assert_eq!(
                super::tests::digest(stop, page),
                Some((digest.into(), place.into()))
            );
        };
        found(1, "三四五六七\n八九十甲乙", "三四五六七。“八九十甲乙");
        // Across the end of the block, without punctuation.
        found(2, "十甲乙丙丁\n戊己庚辛壬", "十甲乙丙丁。”\n戊己,庚辛壬");
        found(3, "己庚辛壬癸\n完", "己,庚辛壬癸。完");
        assert_eq!(digest(4, page), None);
        assert_eq!(digest(1, "no full stop"), None);
    }

    #[test]
    fn equal_digests_are_duplicates() {
        let method = Punctuation(PunctuationParams { m: 1, chars: 5 });
        let [a, b, c] = [
            "甲一二三四五。六七八九十。",
            "乙一二三四五。六七八九十甲",
            "一二三四五。六七八九甲。",
        ]
        .map(|content| method.sketch(&text(content)));
        let verdict = judge(&method, &a, &b).unwrap();
        assert_eq!((verdict.similarity, verdict.length_ratio), (1.0, 0.5));
        assert_eq!(judge(&method, &a, &c), None);
        let empty = method.sketch(&text(""));
        assert_eq!(judge(&method, &empty, &empty), None);
    }
}
