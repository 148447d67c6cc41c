//! The verdict on two sketches: the method's, and what the noise filter says to it.

use super::noise::NoiseList;
use super::store::Sketches;
use crate::method::Method;
use crate::relation::Verdict;

/// Judges pairs of sketches.
pub struct Judge<'a> {
    method: &'a dyn Method,
    sketches: &'a Sketches,
    /// For each sketch, the length in characters of the shortest text that has it.
    shortest: &'a [u64],
    common: Option<Common>,
}

/// What is needed to ask for evidence beside common keys (see [`super::noise::Evidence`]).
struct Common {
    /// The sketches without their common keys.
    rare: Sketches,
    cover: f64,
    many: u32,
}

/// What is said of two sketches, and for which of the pages that have them it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// What the first sketch is to the second.
    pub verdict: Verdict,
    /// It holds if the shorter of the two texts has at most this many characters.
    pub up_to: u64,
}

impl Judgement {
    /// The same with the sketches swapped.
    pub fn swapped(self) -> Judgement {
        Judgement {
            verdict: self.verdict.swapped(),
            ..self
        }
    }
}

impl<'a> Judge<'a> {
    /// `sketches` are those of which [`NoiseList::deletes`] has been deleted; `shortest` has for each the number of
    /// characters of the shortest text that has it.
    pub fn new(
        method: &'a dyn Method,
        sketches: &'a Sketches,
        shortest: &'a [u64],
        noise: &NoiseList,
    ) -> Self {
        let evidence = noise
            .common
            .as_ref()
            .filter(|evidence| !evidence.keys.is_empty());
        let common = evidence.map(|evidence| Common {
            rare: sketches.retain(|key| evidence.keys.binary_search(&key).is_err()),
            cover: evidence.cover,
            many: evidence.many,
        });
        Judge {
            method,
            sketches,
            shortest,
            common,
        }
    }

    /// The sketches that are judged.
    pub fn sketches(&self) -> &Sketches {
        self.sketches
    }

    /// See [`Method::overlap`].
    pub fn overlap(&self, keys: usize) -> usize {
        self.method.overlap(keys).max(1)
    }

    /// What is said of two sketches, `None` if no two pages that have them are related. Symmetric as
    /// [`Method::compare`] is; `a` may be `b`.
    pub fn judge(&self, a: u32, b: u32) -> Option<Judgement> {
        let verdict = self
            .method
            .compare(self.sketches.get(a), self.sketches.get(b))?;
        let up_to = match &self.common {
            None => u64::MAX,
            Some(common) if verdict.shared >= common.many => u64::MAX,
            Some(Common { rare, .. })
                if self.method.compare(rare.get(a), rare.get(b)).is_some() =>
            {
                u64::MAX
            }
            Some(common) => (verdict.shared_chars as f64 / common.cover).floor() as u64,
        };
        let shortest = self.shortest[a as usize].min(self.shortest[b as usize]);
        (shortest <= up_to).then_some(Judgement { verdict, up_to })
    }
}
