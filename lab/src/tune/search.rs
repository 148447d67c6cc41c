//! The genetic algorithm. It is our own because it is short (`docs/lab/methods.md` says what is missing in crates).
//!
//! An individual is a list of numbers from 0 to 1, which [`super::gene`] interprets. All random numbers come from one generator on one
//! thread, so a search depends only on the seed.

/// SplitMix64 (Steele, Lea and Flood 2014): gives the same numbers on every machine.
pub(super) struct Chance(pub(super) u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }
}

/// A set of parameters as points, with its fitness.
#[derive(Clone, Debug)]
struct Being {
    points: Vec<f64>,
    fitness: f64,
}

/// The two best of a generation survive. Each of the others has two parents, each the best of three random ones.
const LIVE_ON: usize = 2;
const DRAWN: usize = 3;

/// One in this many children differs from its parent only in cheap genes.
const CHEAP: usize = 3;

/// Searches from `start`. `cheap` says which genes can be changed at almost no cost. `fitness` is called once for each set of points, with
/// the generation. Returns the best points.
pub(super) fn search<E>(
    start: Vec<f64>,
    cheap: &[bool],
    population: usize,
    generations: usize,
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
        // A stable sort: the older of equal ones comes first.
        beings.sort_by(|a, b| b.fitness.total_cmp(&a.fitness));
        if generation == generations {
            break;
        }
        // Steps become smaller during the search.
        let step = 0.3 * (1.0 - generation as f64 / generations as f64) + 0.02;
        made = (LIVE_ON..population)
            .map(|_| child(&beings, step, cheap, &mut chance))
            .collect();
        beings.truncate(LIVE_ON);
    }
    Ok(beings.swap_remove(0).points)
}

fn child(beings: &[Being], step: f64, cheap: &[bool], chance: &mut Chance) -> Vec<f64> {
    // Individuals are sorted by fitness, so the smallest index drawn is the best.
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
            // The sum of three uniform numbers is approximately normal.
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
            search(vec![0.5, 0.5], &[true, false], 20, 30, seed, |_, p| {
                Ok::<_, ()>(hill(p))
            })
            .unwrap()
        };
        assert!(hill(&run(1)) > 0.97);
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }
}
