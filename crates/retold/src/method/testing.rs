//! Helpers for tests of methods.

use super::{Method, MethodInfo, Trace};
use crate::dedup::related_pairs;
use crate::param::Params;
use crate::param::Settings;
use crate::relation::Verdict;
use crate::sketch::Sketch;
use crate::sketch::Sketches;
pub(super) use crate::text::testing::text;

pub(super) fn judge(method: &dyn Method, a: &Sketch, b: &Sketch) -> Option<Verdict> {
    method.compare(a.as_ref(), b.as_ref(), &mut Trace::off())
}

/// The verdict on two sketches, and the tests behind it as text.
pub(super) fn traced(
    method: &dyn Method,
    a: &Sketch,
    b: &Sketch,
) -> (Option<Verdict>, Vec<String>) {
    let mut trace = Trace::on();
    let verdict = method.compare(a.as_ref(), b.as_ref(), &mut trace);
    let checks = trace.into_checks();
    (verdict, checks.iter().map(ToString::to_string).collect())
}

/// The pairs of different sketches that the index finds related, by place in the list, ascending.
pub(super) fn related(
    method: &dyn Method,
    sketches: impl Iterator<Item = Sketch>,
) -> Vec<(u32, u32)> {
    let mut store = Sketches::default();
    sketches.for_each(|sketch| {
        store.add(sketch.as_ref()).unwrap();
    });
    let (size, bounds) = (|keys: &[u64]| method.size(keys), |size| method.bounds(size));
    let mut found = related_pairs(
        &store,
        size,
        bounds,
        &(),
        |a, b, list: &mut Vec<(u32, u32)>| {
            let verdict = method.compare(
                store.get(a).as_ref(),
                store.get(b).as_ref(),
                &mut Trace::off(),
            );
            list.extend(verdict.map(|_| (a.0, b.0)));
        },
    )
    .unwrap()
    .made;
    found.sort_unstable();
    found
}

pub(super) fn params(info: &MethodInfo, settings: &[(&str, &str)]) -> Params {
    let given = settings
        .iter()
        .map(|&(name, value)| (name.to_owned(), value.into()));
    info.resolve(&given.collect::<Settings>()).unwrap()
}
