//! What tests of methods need.

use super::{Method, Sketch};
use crate::index::noise::NoiseList;
use crate::index::{Judge, Sketches, related_pairs};
use crate::page::{Content, Markup, Page};
use crate::text::{Text, TextOptions, text_of};

/// The text of a plain page.
pub(super) fn text(text: &str) -> Text {
    let content = Content::Unicode {
        text: text.into(),
        markup: Markup::Plain,
    };
    let page = Page {
        id: String::new(),
        url: None,
        site: None,
        date: None,
        content,
    };
    text_of(&page, &TextOptions::default()).unwrap()
}

/// The pairs of different sketches that the index finds related, by their places in the list, ascending.
pub(super) fn related(
    method: &dyn Method,
    sketches: impl Iterator<Item = Sketch>,
) -> Vec<(u32, u32)> {
    let mut store = Sketches::default();
    sketches.for_each(|sketch| {
        store.add(sketch.as_ref());
    });
    let shortest = vec![1; store.len()];
    let noise = NoiseList::default();
    let judge = Judge::new(method, &store, &shortest, &noise);
    let mut found = related_pairs(&judge, &(), |a, b, _, list: &mut Vec<(u32, u32)>| {
        list.push((a, b));
    })
    .unwrap()
    .made;
    found.sort_unstable();
    found
}
