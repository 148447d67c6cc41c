//! The genetic algorithm. It is our own because it is short: the crates (`genevo`, `genetic_algorithm`, `oxigen`) want
//! genes of one type, bring a `rand` whose streams change between versions, and would need more code around them.
//!
//! A gene is a number from 0 to 1; what it stands for is [`Gene`]'s. All chance comes from one generator on one
//! thread, so a search depends on the seed alone.

use crate::method::{Domain, Param, Value};

/// A parameter that is searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gene {
    pub(super) param: &'static Param,
    low: f64,
    high: f64,
    /// Wide ranges are searched by orders of magnitude.
    wide: bool,
}

impl Gene {
    pub(super) fn new(param: &'static Param) -> Gene {
        let (low, high) = match param.domain {
            Domain::Int(_, low, high) => (low as f64, high as f64),
            Domain::Float(_, low, high) => (low, high),
            Domain::Choice(_, all) => (0.0, all.len() as f64 - 1.0),
        };
        let wide = (high + 1.0) / (low + 1.0) >= 15.0;
        Gene {
            param,
            low,
            high,
            wide,
        }
    }

    /// The value of the parameter at a point from 0 to 1, with no more digits than matter.
    pub(super) fn value(&self, at: f64) -> Value {
        let value = if self.wide {
            (self.low + 1.0) * ((self.high + 1.0) / (self.low + 1.0)).powf(at) - 1.0
        } else {
            self.low + (self.high - self.low) * at
        };
        let whole = value.round().clamp(self.low, self.high);
        match self.param.domain {
            Domain::Int(..) => Value::Int(whole as i64),
            Domain::Float(..) => {
                Value::Float(((value * 1000.0).round() / 1000.0).clamp(self.low, self.high))
            }
            Domain::Choice(_, all) => Value::Choice(all[whole as usize].to_owned()),
        }
    }

    /// The point of a value.
    pub(super) fn point(&self, value: &Value) -> f64 {
        let value = match (value, self.param.domain) {
            (Value::Int(value), _) => *value as f64,
            (Value::Float(value), _) => *value,
            (Value::Choice(name), Domain::Choice(_, all)) => {
                all.iter().position(|known| known == name).unwrap_or(0) as f64
            }
            (Value::Choice(_), _) => self.low,
        };
        if self.high <= self.low {
            0.0
        } else if self.wide {
            ((value + 1.0) / (self.low + 1.0)).ln() / ((self.high + 1.0) / (self.low + 1.0)).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014): the same numbers on every machine, for ever.
pub(super) struct Chance(pub(super) u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to 1.
    fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }
}

/// One set of parameters as points, with its fitness.
#[derive(Clone, Debug)]
struct Being {
    points: Vec<f64>,
    fitness: f64,
}

/// The two best of a generation live on; the others have two parents, each the best of three drawn.
const LIVE_ON: usize = 2;
const DRAWN: usize = 3;

/// One child in so many differs from its parent in cheap genes only.
const CHEAP: usize = 3;

/// Searches from `start` on; `cheap` says of which genes another value costs next to nothing; `fitness` is asked once for each set of points, and told the generation. Returns the best
/// points.
pub(super) fn search<E>(
    start: Vec<f64>,
    cheap: &[bool],
    (population, generations): (usize, usize),
    seed: u64,
    mut fitness: impl FnMut(usize, &[f64]) -> Result<f64, E>,
) -> Result<Vec<f64>, E> {
    let mut chance = Chance(seed);
    let mut made = vec![start.clone()];
    while made.len() < population.max(LIVE_ON + 1) {
        made.push(start.iter().map(|_| chance.part()).collect());
    }
    let mut beings: Vec<Being> = Vec::new();
    for generation in 0..=generations {
        for points in made.drain(..) {
            let fitness = fitness(generation, &points)?;
            beings.push(Being { points, fitness });
        }
        // Stable: of equals the older stays ahead.
        beings.sort_by(|a, b| b.fitness.total_cmp(&a.fitness));
        if generation == generations {
            break;
        }
        // Steps become smaller as the search goes on.
        let step = 0.3 * (1.0 - generation as f64 / generations as f64) + 0.02;
        made = (LIVE_ON..population)
            .map(|_| child(&beings, step, cheap, &mut chance))
            .collect();
        beings.truncate(LIVE_ON);
    }
    Ok(beings.swap_remove(0).points)
}

fn child(beings: &[Being], step: f64, cheap: &[bool], chance: &mut Chance) -> Vec<f64> {
    // Beings stand in order of fitness, so the best of some drawn is the first.
    let mut parent = || {
        (0..DRAWN)
            .map(|_| chance.below(beings.len()))
            .min()
            .unwrap_or(0)
    };
    let (one, other) = (parent(), parent());
    let only_cheap = cheap.contains(&true) && chance.below(CHEAP) == 0;
    let genes = beings[one].points.iter().zip(&beings[other].points);
    genes
        .zip(cheap)
        .map(|((&one, &other), cheap)| {
            if only_cheap && !cheap {
                return one;
            }
            let inherited = one + (other - one) * chance.part();
            if chance.part() < 0.5 {
                return inherited;
            }
            // The sum of three even steps is close to a normal one.
            let shift = chance.part() + chance.part() + chance.part() - 1.5;
            (inherited + step * shift).clamp(0.0, 1.0)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hill_is_climbed_the_same_way_each_time() {
        let hill = |p: &[f64]| 1.0 - (p[0] - 0.3).abs() - (p[1] - 0.9).abs();
        let run = |seed| {
            search(vec![0.5, 0.5], &[true, false], (20, 30), seed, |_, p| {
                Ok::<_, ()>(hill(p))
            })
            .unwrap()
        };
        assert!(hill(&run(1)) > 0.97);
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }

    #[test]
    fn points_and_values_lead_to_each_other() {
        static PARAMS: [Param; 3] = [
            Param {
                name: "b",
                domain: Domain::Int(20, 1, 10_000),
                help: "",
            },
            Param {
                name: "t",
                domain: Domain::Float(0.7, 0.0, 1.0),
                help: "",
            },
            Param {
                name: "c",
                domain: Domain::Choice("y", &["x", "y", "z"]),
                help: "",
            },
        ];
        for param in &PARAMS {
            let gene = Gene::new(param);
            assert_eq!(
                gene.value(gene.point(&param.domain.default())),
                param.domain.default()
            );
        }
        let gene = Gene::new(&PARAMS[0]);
        assert_eq!(
            (gene.value(0.0), gene.value(1.0)),
            (Value::Int(1), Value::Int(10_000))
        );
        // Half the way is half the magnitudes: √(2 · 10001) − 1.
        assert_eq!(gene.value(0.5), Value::Int(140));
    }
}
