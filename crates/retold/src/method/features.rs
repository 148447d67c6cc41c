//! What methods that compare sets can be made to compare: words, spot signatures or full-stop features.
//!
//! The last two ignore a page's template; CCDet uses them in `imatch` and `shingle` (its -S and -P).

use xxhash_rust::xxh3::xxh3_64;

use super::Spot;
use super::period::Tail;
use super::spotsigs::Signatures;
use crate::text::Text;

/// A kind of feature, as the parameter `features` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Features {
    /// Words that are neither stop-words nor numbers.
    Words,
    /// Spot signatures as `spotsigs` makes them by default.
    Spots,
    /// Full-stop features as `period` makes them by default.
    Stops,
}

impl Features {
    /// The names of all kinds.
    pub(super) const NAMES: &[&str] = &["words", "spots", "stops"];

    /// The kind with that name, one of [`Features::NAMES`].
    pub(super) fn named(name: &str) -> Features {
        match name {
            "spots" => Features::Spots,
            "stops" => Features::Stops,
            _ => Features::Words,
        }
    }

    /// The features of a text with their places, in order; one that stands twice comes twice.
    pub(super) fn spots(self, text: &Text) -> Vec<Spot> {
        match self {
            Features::Words => words(text),
            Features::Spots => Signatures::DEFAULT.spots(text),
            Features::Stops => Tail::DEFAULT.spots(text),
        }
    }

    /// The features of a text, in order; one that stands twice comes twice.
    pub(super) fn of(self, text: &Text) -> Vec<u64> {
        self.spots(text).iter().map(|spot| spot.key).collect()
    }

    /// The different features of a text, ascending.
    pub(super) fn set_of(self, text: &Text) -> Vec<u64> {
        let mut features = self.of(text);
        features.sort_unstable();
        features.dedup();
        features
    }
}

fn words(text: &Text) -> Vec<Spot> {
    let words = text.words();
    let content = words.all().iter().filter(|word| word.is_content());
    let spots = content.map(|&word| Spot {
        key: xxh3_64(words.as_str(word).as_bytes()),
        start: word.start,
        end: word.end,
        label: None,
    });
    spots.collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::text;
    use super::*;

    /// The features of a kind as they stand in the text.
    fn features(kind: &str, content: &str) -> Vec<String> {
        let text = text(content);
        let kind = Features::named(kind);
        let spots = kind.spots(&text);
        let keys: Vec<u64> = spots.iter().map(|spot| spot.key).collect();
        assert_eq!(keys, kind.of(&text));
        let place = |spot: &Spot| text.folded[spot.start as usize..spot.end as usize].to_owned();
        spots.iter().map(place).collect()
    }

    #[test]
    fn three_kinds_by_hand() {
        let content = "The ferry has 120 seats. A ferry left the harbour of Naxos at noon.";
        assert_eq!(
            features("words", content),
            [
                "ferry", "seats", "ferry", "left", "harbour", "naxos", "noon"
            ]
        );
        assert_eq!(
            features("spots", content),
            [
                "the ferry has 120",
                "has 120 seats",
                "a ferry left",
                "the harbour of naxos",
                "of naxos at noon"
            ]
        );
        assert_eq!(
            features("stops", content),
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
