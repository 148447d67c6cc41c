//! Chooses the best value of a threshold, and scores it on sets on which it was not chosen.

use super::curve::{Curve, Point};

/// The curves of a method over several sets, with points at the same threshold values.
pub struct Choice<'a>(pub Vec<&'a Curve>);

impl<'a> Choice<'a> {
    fn points(&self) -> usize {
        self.0.first().map_or(0, |curve| curve.points.len())
    }

    /// The mean F1 of any relation at a point, over the sets for which `counts` is true.
    pub fn mean(&self, point: usize, counts: impl Fn(usize) -> bool) -> f64 {
        let sets = self.0.iter().enumerate().filter(|(set, _)| counts(*set));
        let f1: Vec<f64> = sets.map(|(_, curve)| curve.points[point].f1()).collect();
        f1.iter().sum::<f64>() / f1.len().max(1) as f64
    }

    /// The point with the best mean F1 over all sets; the first of equal ones.
    pub fn single(&self) -> usize {
        self.best(|_| true)
    }

    /// The point with the best mean F1 over all other sets, as chosen without this set. `None` if there is no other set.
    pub fn without(&self, set: usize) -> Option<usize> {
        (self.0.len() > 1).then(|| self.best(|other| other != set))
    }

    fn best(&self, counts: impl Fn(usize) -> bool + Copy) -> usize {
        first_best((0..self.points()).map(|point| self.mean(point, counts)))
    }
}

impl Curve {
    /// The point with the best F1; the first of equal ones.
    pub fn best(&self) -> usize {
        first_best(self.points.iter().map(Point::f1))
    }
}

fn first_best(values: impl Iterator<Item = f64>) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (at, value) in values.enumerate() {
        // The order of summation must not make a later point better.
        if value > best.1 + 1e-12 {
            best = (at, value);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::tests::curve;

    /// F1 with tp, fp, fn = (tp, 0, 10 − tp) is 2tp / (tp + 10).
    #[test]
    fn a_threshold_is_chosen_where_it_is_not_scored() {
        let a = curve(&[10, 9, 0]);
        let b = curve(&[9, 9, 0]);
        let c = curve(&[0, 5, 10]);
        let all = Choice(vec![&a, &b, &c]);
        assert_eq!([a.best(), b.best(), c.best()], [0, 0, 2]);
        // Means: (1 + .947 + 0)/3 = .649, (.947 + .947 + .667)/3 = .854, 1/3.
        assert_eq!(all.single(), 1);
        assert!((all.mean(1, |_| true) - (2.0 * 18.0 / 19.0 + 2.0 / 3.0) / 3.0).abs() < 1e-12);
        // Without c the first value has (1 + .947)/2, the second .947.
        assert_eq!(all.without(2), Some(0));
        assert_eq!(all.without(0), Some(1));
        assert_eq!(Choice(vec![&a]).without(0), None);
    }
}
