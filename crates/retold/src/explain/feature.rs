//! The features of two pages, with their places in both.

use std::collections::HashMap;

use super::compared::ComparedPage;
use crate::method::Highlight;
use crate::model::Model;
use crate::text::Text;

/// A key of one or both sketches, with its name and places.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Feature {
    pub(super) key: u64,
    /// Its label or the text of its first place; empty if the method gives none.
    pub(super) name: String,
    /// Its places in the first text's [`Text::folded`].
    pub(super) a: Vec<(u32, u32)>,
    /// Its places in the second text's [`Text::folded`].
    pub(super) b: Vec<(u32, u32)>,
    /// Whether it was deleted from one of the sketches as noise.
    pub(super) deleted: bool,
}

impl Feature {
    /// True if both pages have it and it counts on both.
    pub(super) fn counts(&self) -> bool {
        self.in_both() && !self.deleted
    }

    /// True if both pages have it.
    pub(super) fn in_both(&self) -> bool {
        !self.a.is_empty() && !self.b.is_empty()
    }
}

/// The features of both pages by key: shared ones first, in the order of the first text, then the others.
pub(super) fn features(a: &ComparedPage, b: &ComparedPage, model: &Model) -> Vec<Feature> {
    let mut features: Vec<Feature> = Vec::new();
    let mut at: HashMap<u64, usize> = HashMap::new();
    let deleted = |key| {
        [a, b]
            .iter()
            .any(|side| model.deletes(key, side.site.as_deref()))
    };
    for (second, side) in [(false, a), (true, b)] {
        for spot in model.highlights(&side.text) {
            let number = *at.entry(spot.key).or_insert_with(|| {
                features.push(Feature {
                    key: spot.key,
                    name: name_of(&spot, &side.text),
                    a: Vec::new(),
                    b: Vec::new(),
                    deleted: deleted(spot.key),
                });
                features.len() - 1
            });
            let feature = &mut features[number];
            let places = if second {
                &mut feature.b
            } else {
                &mut feature.a
            };
            places.push((spot.start, spot.end));
        }
    }
    // Stable, so within each kind the order of the texts is kept.
    features.sort_by_key(|feature| (!feature.counts(), !feature.in_both(), feature.a.is_empty()));
    features
}

fn name_of(spot: &Highlight, text: &Text) -> String {
    let place = spot.start as usize..spot.end as usize;
    match &spot.label {
        Some(label) => label.clone(),
        None => text.folded.get(place).unwrap_or_default().to_owned(),
    }
}
