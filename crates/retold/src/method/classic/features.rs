//! The features that set-based methods can compare: words, spot signatures or full-stop features.
//!
//! The last two ignore a page's template; CCDet uses them in `imatch` and `shingle` (its -S and -P).

use xxhash_rust::xxh3::xxh3_64;

use super::spotsigs::Signatures;
use crate::method::Highlight;
use crate::method::papers::period::Tail;
use crate::param::choices;
use crate::text::Text;

choices! {
    /// A kind of feature, as the parameter `features` names it.
    pub(in crate::method) enum Features {
        /// Words that are neither stop-words nor numbers.
        Words = "words",
        /// Spot signatures as `spotsigs` makes them by default.
        Spots = "spots",
        /// Full-stop features as `period` makes them by default.
        Stops = "stops",
    }
}

impl Features {
    /// The features of a text with their places, in order, with repetitions.
    pub(super) fn highlights(self, text: &Text) -> Vec<Highlight> {
        match self {
            Features::Words => words(text),
            Features::Spots => Signatures::DEFAULT.highlights(text),
            Features::Stops => Tail::DEFAULT.highlights(text),
        }
    }

    /// The features of a text, in order, with repetitions.
    pub(super) fn of(self, text: &Text) -> Vec<u64> {
        self.highlights(text)
            .iter()
            .map(|highlight| highlight.key)
            .collect()
    }

    /// The distinct features of a text, ascending.
    pub(super) fn set_of(self, text: &Text) -> Vec<u64> {
        let mut features = self.of(text);
        features.sort_unstable();
        features.dedup();
        features
    }
}

fn words(text: &Text) -> Vec<Highlight> {
    let words = text.words();
    let content = words.all().iter().filter(|word| word.is_content());
    let highlights = content.map(|&word| Highlight {
        key: xxh3_64(words.as_str(word).as_bytes()),
        start: word.start,
        end: word.end,
        label: None,
    });
    highlights.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::testing::text;

    fn features(kind: Features, content: &str) -> Vec<String> {
        let text = text(content);
        let highlights = kind.highlights(&text);
        let keys: Vec<u64> = highlights.iter().map(|highlight| highlight.key).collect();
        assert_eq!(keys, kind.of(&text));
        let place = |highlight: &Highlight| {
            text.folded[highlight.start as usize..highlight.end as usize].to_owned()
        };
        highlights.iter().map(place).collect()
    }

    #[test]
    fn three_kinds_by_hand() {
        let content = "The ferry has 120 seats. A ferry left the harbour of Naxos at noon.";
        assert_eq!(
            features(Features::Words, content),
            [
                "ferry", "seats", "ferry", "left", "harbour", "naxos", "noon"
            ]
        );
        assert_eq!(
            features(Features::Spots, content),
            [
                "the ferry has 120",
                "has 120 seats",
                "a ferry left",
                "the harbour of naxos",
                "of naxos at noon"
            ]
        );
        assert_eq!(
            features(Features::Stops, content),
            ["the ferry has 120 seats", "harbour of naxos at noon"]
        );
    }

    #[test]
    fn a_set_has_no_feature_twice() {
        let text = text("ferry harbour ferry");
        assert_eq!(Features::Words.of(&text).len(), 3);
        let set = Features::Words.set_of(&text);
        assert!(set.len() == 2 && set[0] < set[1]);
    }
}
