//! The verdict on two sketches: the method's, and what the noise filter says to it.

use super::noise::NoiseList;
use super::store::{Sketches, retain};
use crate::method::{Check, Method, Op, SketchRef, count_shared};
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

    /// See [`Method::reach`].
    pub fn reach(&self, keys: usize) -> usize {
        self.method.reach(keys)
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

/// What was tested on a pair: the method's own tests, and the evidence that the noise filter asks for, as far as it had
/// to look for some. The sketches are those that are judged; `shorter` is the length of the shorter
/// text as the index knows it ([`crate::collect::PageRow::own_chars`]).
pub fn checks(
    method: &dyn Method,
    noise: &NoiseList,
    (a, b): (SketchRef<'_>, SketchRef<'_>),
    shorter: u64,
) -> Vec<Check> {
    let mut checks = method.checks(a, b);
    let Some(common) = noise.common.as_ref().filter(|c| !c.keys.is_empty()) else {
        return checks;
    };
    let Some(verdict) = method.compare(a, b) else {
        return checks;
    };
    let rare = |sketch| retain(sketch, |key| common.keys.binary_search(&key).is_err());
    let (rare_a, rare_b) = (rare(a), rare(b));
    let shared = verdict.shared as usize;
    let rare_shared = count_shared(&rare_a.keys, &rare_b.keys);
    if rare_shared == shared {
        return checks;
    }
    let outcome = ("evidence enough", "look for other evidence");
    let many = "some shared features are common in the collection, which is no evidence unless there are many";
    let many = Check::number(
        "evidence: shared",
        many,
        shared,
        Op::AtLeast,
        f64::from(common.many),
    );
    let enough = many.holds();
    checks.push(many.deciding(outcome.0, outcome.1));
    if enough {
        return checks;
    }
    let alone = method.compare(rare_a.as_ref(), rare_b.as_ref()).is_some();
    let meaning = "shared features that are not common: do these relate the pages by themselves (1) or not (0)";
    let holds = Check::number(
        "evidence: rare features alone",
        meaning,
        alone.into(),
        Op::AtLeast,
        1.0,
    );
    checks.push(holds.deciding(outcome.0, outcome.1));
    if !alone {
        let cover = "characters of the shared sentences over those of the shorter page, its blocks of links left out";
        let (part, whole) = (verdict.shared_chars as usize, shorter as usize);
        checks.push(Check::ratio(
            "evidence: cover",
            cover,
            part,
            whole,
            common.cover,
        ));
    }
    checks
}
