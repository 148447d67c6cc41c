//! The edits of a version of a page: words that were added, cut and replaced.

use retold::explain::{ComparedPage, Explanation, Offsets, PassageKind, explain_pair};
use retold::method::Script;
use retold::{Model, Result};
use serde::Serialize;

use crate::index::{Index, unknown};
use crate::record::Entry;

/// What a page changed of another.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Edits {
    /// Words that only the page has, where the other has none; characters in scripts without spaces count as words.
    pub added: u64,
    /// Words that only the other has.
    pub cut: u64,
    /// Words of the page that stand in the place of others.
    pub replaced: u64,
    /// The other page's title and the page's, if both have one and they differ.
    pub titles: Option<[String; 2]>,
    /// The places, in order.
    pub places: Vec<Edit>,
}

/// A place that was changed.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Edit {
    /// What stood there; empty if something was added.
    pub before: String,
    /// What stands there; empty if something was cut.
    pub after: String,
}

/// A page whose text is compared with that of another version.
pub(crate) struct Version {
    title: Option<String>,
    side: ComparedPage,
}

impl Index {
    /// What the page `id` changed of the page `of`: what is not shared in the same order. Passages that were moved count as cut and added.
    ///
    /// Errors: one of them is not there, texts are not kept. Time: that of [`Index::explain`].
    pub fn edits(&self, of: &str, id: &str) -> Result<Edits> {
        let version = |id: &str| self.version(self.find(id)?.ok_or_else(|| unknown(id))?);
        version(id)?.edits(&version(of)?, &self.model())
    }

    /// A page that was found, as a version.
    pub(crate) fn version(&self, (page, entry): (u32, Entry)) -> Result<Version> {
        let title = entry.title.clone();
        let side = self.side_of((page, entry))?;
        Ok(Version { title, side })
    }
}

impl Version {
    /// What it changed of another one.
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
        // Words that are only nearly equal were edited.
        for [a, b] in passage.near.iter().copied().map(places) {
            add(a, b);
        }
        at = [at[0].max(a[1]), at[1].max(b[1])];
    }
    add([at[0], texts[0].len()], [at[1], texts[1].len()]);
    edits
}

impl Edits {
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

/// How many words a text has; characters of scripts without spaces count each.
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
