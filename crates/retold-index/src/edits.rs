//! The words added, cut and replaced between two versions of a page.

use retold::explain::{ComparedPage, Explanation, Offsets, PassageKind, explain_pair};
use retold::method::Script;
use retold::{Model, Result};
use serde::Serialize;

use crate::index::{Index, unknown};
use crate::record::Entry;

/// The changes between two pages.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Edits {
    /// Words added in the page; in scripts without spaces, each character counts as a word.
    pub added: u64,
    /// Words of the other page that were cut.
    pub cut: u64,
    /// Words of the page that replace other words.
    pub replaced: u64,
    /// The titles of the other page and of this page, if both have one and they differ.
    pub titles: Option<[String; 2]>,
    /// The changes, in the order of the text.
    pub places: Vec<Edit>,
}

/// One change.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Edit {
    /// The text before the change; empty for an addition.
    pub before: String,
    /// The text after the change; empty for a cut.
    pub after: String,
}

pub(crate) struct Version {
    title: Option<String>,
    side: ComparedPage,
}

impl Index {
    /// What page `id` changed in page `of`. A passage that was moved counts as cut and added.
    ///
    /// Errors: one of the pages does not exist; the index keeps no texts. Time: as [`Index::explain`].
    pub fn edits(&self, of: &str, id: &str) -> Result<Edits> {
        let version = |id: &str| {
            let (page, entry) = self.find(id)?.ok_or_else(|| unknown(id))?;
            self.version(page, entry)
        };
        version(id)?.edits(&version(of)?, &self.model())
    }

    pub(crate) fn version(&self, page: u32, entry: Entry) -> Result<Version> {
        let title = entry.title.clone();
        let side = self.side_of(page, entry)?;
        Ok(Version { title, side })
    }
}

impl Version {
    /// What version `self` changed in version `of`.
    pub(crate) fn edits(&self, of: &Version, model: &Model) -> Result<Edits> {
        let told = explain_pair(&of.side, &self.side, model, Offsets::Chars)?;
        let mut edits = edits(&told);
        let titles = of.title.clone().zip(self.title.clone());
        let titles = titles.filter(|(before, after)| {
            before != after && ![before, after].into_iter().any(String::is_empty)
        });
        edits.titles = titles.map(|(before, after)| [before, after]);
        Ok(edits)
    }
}

fn edits(told: &Explanation) -> Edits {
    let texts = [&told.a.text, &told.b.text].map(|text| text.chars().collect::<Vec<char>>());
    let part = |side: usize, [from, to]: [usize; 2]| texts[side][from..to.max(from)].iter();
    let mut edits = Edits::default();
    let mut add = |a: [usize; 2], b: [usize; 2]| {
        edits.add(
            &part(0, a).collect::<String>(),
            &part(1, b).collect::<String>(),
        );
    };
    let mut at = [0, 0];
    let same = told
        .passages
        .iter()
        .filter(|passage| passage.kind == PassageKind::Same);
    for passage in same {
        let places = |[a, b]: [[u32; 2]; 2]| [a, b].map(|place| place.map(|at| at as usize));
        let [a, b] = places([passage.a, passage.b]);
        add([at[0], a[0]], [at[1], b[0]]);
        // Word pairs that are only nearly equal were edited.
        for [a, b] in passage.near.iter().copied().map(places) {
            add(a, b);
        }
        at = [at[0].max(a[1]), at[1].max(b[1])];
    }
    add([at[0], texts[0].len()], [at[1], texts[1].len()]);
    edits
}

impl Edits {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.titles.is_none()
    }

    fn add(&mut self, before: &str, after: &str) {
        let counts = [before, after].map(words);
        match counts {
            [0, 0] => return,
            [0, after] => self.added += after,
            [before, 0] => self.cut += before,
            [_, after] => self.replaced += after,
        }
        self.places.push(Edit {
            before: before.trim().to_owned(),
            after: after.trim().to_owned(),
        });
    }
}

/// Number of words of a text; in scripts without spaces, each character counts.
fn words(text: &str) -> u64 {
    let (mut count, mut in_word) = (0, false);
    for c in text.chars() {
        let is_alone = matches!(
            Script::of(c),
            Script::Han | Script::Japanese | Script::Thai | Script::SouthEastAsian
        );
        count += u64::from(is_alone || c.is_alphanumeric() && !in_word);
        in_word = !is_alone && (c.is_alphanumeric() || in_word && matches!(c, '\'' | '’' | '-'));
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_by_hand() {
        for (text, count) in [
            ("", 0),
            ("., ", 0),
            ("the boat's crew", 3),
            ("渡船晚点。", 4),
            ("渡船 A320 晚点", 5),
            ("night-ferry 12", 2),
        ] {
            assert_eq!(words(text), count, "{text}");
        }
    }

    #[test]
    fn what_stands_between() {
        let mut edits = Edits::default();
        edits.add(" old ", " brand new ");
        edits.add("", " a b c ");
        edits.add("gone", " ");
        edits.add(" ", ".");
        assert_eq!((edits.replaced, edits.added, edits.cut), (2, 3, 1));
        let places: Vec<(&str, &str)> = edits
            .places
            .iter()
            .map(|e| (&*e.before, &*e.after))
            .collect();
        assert_eq!(places, [("old", "brand new"), ("", "a b c"), ("gone", "")]);
    }
}
