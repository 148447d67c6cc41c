//! Helpers that tests of several files share, and the whole comparison on a tiny set.

use std::time::Duration;

use retold::eval::{Evaluation, OverlapCounts, Score};

use super::cost::Cost;
use super::*;

/// A curve with these numbers of true pairs found of ten, and none false.
pub(super) fn curve(found: &[u64]) -> Curve {
    let point = |&tp: &u64| {
        let score = Score::of(tp, 0, 10 - tp);
        Point {
            value: Some(tp as f64),
            evaluation: Evaluation {
                any: score,
                duplicate: score,
                containment: score,
                pages: score,
                overlaps: OverlapCounts::default(),
            },
            named: tp,
            adjusted_rand: None,
            resampled: vec![score.f_beta(1.0); chance::RESAMPLES as usize],
            pairs: tp,
            candidates: tp,
        }
    };
    Curve {
        points: found.iter().map(point).collect(),
        own: 0,
        cost: Cost {
            stages: Vec::new(),
            peak_memory: None,
            bytes: 0,
            pages: 0,
            sketch_bytes: 0,
            pairs: found[0],
            threads: 1,
        },
        sketch: (Duration::ZERO, None),
    }
}
