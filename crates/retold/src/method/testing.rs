//! What tests of methods need.

use super::{Method, MethodInfo, Params, Sketch};
use crate::index::noise::NoiseList;
use crate::index::{Judge, Sketches, related_pairs};
pub(super) use crate::text::testing::text;

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

/// The method's parameters with these settings.
pub(super) fn params(info: &MethodInfo, settings: &[(&str, &str)]) -> Params {
    let settings: Vec<(String, String)> = settings
        .iter()
        .map(|(name, value)| ((*name).into(), (*value).into()))
        .collect();
    info.resolve(&settings).unwrap()
}
