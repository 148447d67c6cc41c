//! Evaluates reported pairs against pairs that were labelled by people or by exact computation.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::pairs::read_pairs;
use crate::error::{Error, Result};
use crate::relation::Relation;

/// The label of a pair in the gold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// The pair has exactly this relation.
    Is(Relation),
    /// The pair is related, but the kind of relation is not scored.
    Related,
    /// Not scored either way.
    Ignore,
    /// The pages are different.
    Distinct,
}

/// How reported pairs that the gold does not list are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unlisted {
    /// As false positives: the gold is complete.
    #[default]
    Distinct,
    /// Not at all: the gold is incomplete.
    Ignore,
}

/// Labelled pairs, each once, the smaller id first.
#[derive(Clone, Debug, Default)]
pub struct Gold {
    labels: HashMap<(String, String), Label>,
}

/// A reported pair, the smaller id first.
#[derive(Clone, Debug)]
pub struct Reported {
    ids: (String, String),
    relation: Relation,
    similarity: f64,
}

/// Counts and the scores derived from them; 0/0 is null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Score {
    /// Reported and true.
    pub tp: u64,
    /// Reported and false.
    pub fp: u64,
    /// True and not reported.
    pub r#fn: u64,
    /// tp / (tp + fp).
    pub precision: Option<f64>,
    /// tp / (tp + fn).
    pub recall: Option<f64>,
    /// The harmonic mean of the two.
    pub f1: Option<f64>,
}

/// Counts of reported pairs that only overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OverlapCounts {
    /// How many were reported.
    pub listed: u64,
    /// How many of these have unrelated pages. They are not errors: nothing is dropped for them.
    pub unrelated: u64,
}

/// The result of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Evaluation {
    /// Pairs, where any reported relation matches any true one. `overlaps` counts only if the pages are related.
    pub any: Score,
    /// Pairs with `duplicate` only.
    pub duplicate: Score,
    /// Pairs with `contains` or `contained_by`; the direction must match.
    pub containment: Score,
    /// Pages: found if one of its true pairs is reported, false if all of its reported pairs are false.
    pub pages: Score,
    /// Pairs that only overlap.
    pub overlaps: OverlapCounts,
}

impl Score {
    /// The score of these counts.
    pub fn of(tp: u64, fp: u64, r#fn: u64) -> Score {
        let over = |whole: u64| (whole > 0).then(|| tp as f64 / whole as f64);
        let f1 = (2 * tp + fp + r#fn > 0).then(|| 2.0 * tp as f64 / (2 * tp + fp + r#fn) as f64);
        Score {
            tp,
            fp,
            r#fn,
            precision: over(tp + fp),
            recall: over(tp + r#fn),
            f1,
        }
    }

    /// F-beta: recall counts `beta` times as much as precision. 0 if nothing is true and nothing reported.
    pub fn f_beta(&self, beta: f64) -> f64 {
        let weight = beta * beta;
        let hits = (1.0 + weight) * self.tp as f64;
        let whole = hits + weight * self.r#fn as f64 + self.fp as f64;
        if whole > 0.0 { hits / whole } else { 0.0 }
    }
}

/// The pair with the smaller id first, and whether it was swapped.
fn ordered(a: &str, b: &str) -> ((String, String), bool) {
    if a <= b {
        ((a.into(), b.into()), false)
    } else {
        ((b.into(), a.into()), true)
    }
}

impl Label {
    fn parse(name: &str) -> Option<Label> {
        Some(match name {
            "duplicate" => Label::Is(Relation::Duplicate),
            "contains" => Label::Is(Relation::Contains),
            "contained_by" => Label::Is(Relation::ContainedBy),
            "related" => Label::Related,
            "ignore" => Label::Ignore,
            "distinct" => Label::Distinct,
            _ => return None,
        })
    }

    /// True if the pages are related.
    pub fn is_true(self) -> bool {
        matches!(self, Label::Is(_) | Label::Related)
    }

    fn swapped(self) -> Label {
        match self {
            Label::Is(relation) => Label::Is(relation.swapped()),
            other => other,
        }
    }
}

impl Reported {
    /// The pair of pages `a` and `b`, in either order; `relation` is the relation of `a` to `b`.
    pub fn new(a: &str, b: &str, relation: Relation, similarity: f64) -> Reported {
        let (ids, swapped) = ordered(a, b);
        Reported {
            ids,
            relation: if swapped {
                relation.swapped()
            } else {
                relation
            },
            similarity,
        }
    }

    /// The relation of the page with the smaller id to the other.
    pub(crate) fn relation(&self) -> Relation {
        self.relation
    }

    /// The smaller id and the larger one.
    pub fn ids(&self) -> (&str, &str) {
        (&self.ids.0, &self.ids.1)
    }
}

impl Gold {
    /// Reads gold lines `a<TAB>b<TAB>label`. Ids may come in either order; repeated pairs must have equal labels.
    pub fn read(path: &Path) -> Result<Gold> {
        let text = std::fs::read_to_string(path).map_err(Error::io("cannot read", path))?;
        let mut gold = Gold::default();
        for (number, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
        {
            let corrupt = |reason: String| Error::Corrupt {
                path: path.to_owned(),
                reason: format!("line {}: {reason}", number + 1),
            };
            let fields: Vec<&str> = line.split('\t').collect();
            let [a, b, label] = fields[..] else {
                return Err(corrupt(format!(
                    "`a<TAB>b<TAB>label` expected, this has {} fields",
                    fields.len()
                )));
            };
            let label = Label::parse(label.trim()).ok_or_else(|| {
                corrupt(format!(
                    "unknown label `{label}`; one of duplicate, contains, contained_by, related, ignore, distinct"
                ))
            })?;
            let (ids, swapped) = ordered(a, b);
            let label = if swapped { label.swapped() } else { label };
            if gold
                .labels
                .insert(ids, label)
                .is_some_and(|earlier| earlier != label)
            {
                return Err(corrupt(format!(
                    "{a} and {b} are listed twice, with different labels"
                )));
            }
        }
        Ok(gold)
    }

    /// All labelled pairs, unordered.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str, Label)> {
        let pairs = self.labels.iter();
        pairs.map(|((a, b), label)| (a.as_str(), b.as_str(), *label))
    }

    /// The label with which a reported pair is scored. A pair that only overlaps is not an error if the pages are not related.
    pub fn label(&self, pair: &Reported, unlisted: Unlisted) -> Label {
        match self.of_pages(pair, unlisted) {
            Label::Distinct if pair.relation == Relation::Overlaps => Label::Ignore,
            label => label,
        }
    }

    /// The label of the pages of a pair.
    fn of_pages(&self, pair: &Reported, unlisted: Unlisted) -> Label {
        let listed = self.labels.get(&pair.ids).copied();
        listed.unwrap_or(match unlisted {
            Unlisted::Distinct => Label::Distinct,
            Unlisted::Ignore => Label::Ignore,
        })
    }

    /// The gold's label for a pair, from the smaller id to the larger one, or reversed.
    pub(crate) fn listed(&self, pair: &Reported, from_smaller: bool) -> Option<Label> {
        let label = self.labels.get(&pair.ids).copied();
        label.map(|label| match from_smaller {
            true => label,
            false => label.swapped(),
        })
    }

    /// The gold with these unlisted pairs added as distinct.
    pub fn with_distinct(&self, pairs: &[(&str, &str)]) -> Gold {
        let mut gold = self.clone();
        for (a, b) in pairs {
            gold.labels.insert(ordered(a, b).0, Label::Distinct);
        }
        gold
    }

    /// Removes pairs with an id outside `universe`.
    pub fn restrict(&mut self, universe: &HashSet<String>) {
        self.labels
            .retain(|(a, b), _| universe.contains(a) && universe.contains(b));
    }
}

/// Reads the reported pairs of a `pairs.jsonl`; with `universe`, only those with both ids in it. Repeated pairs count once, with the higher
/// similarity.
pub fn read_reported(path: &Path, universe: Option<&HashSet<String>>) -> Result<Vec<Reported>> {
    let mut pairs: BTreeMap<(String, String), (Relation, f64)> = BTreeMap::new();
    read_pairs(path, |pair| {
        if universe.is_some_and(|ids| !ids.contains(&*pair.a) || !ids.contains(&*pair.b)) {
            return;
        }
        let (ids, swapped) = ordered(&pair.a, &pair.b);
        let relation = if swapped {
            pair.relation.swapped()
        } else {
            pair.relation
        };
        let entry = pairs.entry(ids).or_insert((relation, pair.similarity));
        if pair.similarity > entry.1 {
            *entry = (relation, pair.similarity);
        }
    })?;
    let reported = |(ids, (relation, similarity))| Reported {
        ids,
        relation,
        similarity,
    };
    Ok(pairs.into_iter().map(reported).collect())
}

/// Scores the reported pairs with at least `threshold` similarity.
pub fn evaluate(
    reported: &[Reported],
    gold: &Gold,
    unlisted: Unlisted,
    threshold: f64,
) -> Evaluation {
    let reported: Vec<&Reported> = reported
        .iter()
        .filter(|pair| pair.similarity >= threshold)
        .collect();
    let judged = reported.iter();
    let judged: Vec<(&Reported, Label)> = judged
        .map(|&pair| (pair, gold.label(pair, unlisted)))
        .collect();
    let overlapping = reported.iter();
    let overlapping = overlapping.filter(|pair| pair.relation == Relation::Overlaps);
    let is_unrelated = |pair: &&&Reported| gold.of_pages(pair, unlisted) == Label::Distinct;
    let found: HashMap<&(String, String), Relation> = reported
        .iter()
        .map(|pair| (&pair.ids, pair.relation))
        .collect();
    let kind = |is: fn(Relation) -> bool| of_kind(&judged, gold, &found, is);
    Evaluation {
        any: any(&judged, gold, &found),
        duplicate: kind(|relation| relation == Relation::Duplicate),
        containment: kind(|relation| {
            matches!(relation, Relation::Contains | Relation::ContainedBy)
        }),
        pages: pages(&judged, gold),
        overlaps: OverlapCounts {
            listed: overlapping.clone().count() as u64,
            unrelated: overlapping.filter(is_unrelated).count() as u64,
        },
    }
}

/// The column names of [`Evaluation::csv`].
pub fn csv_header() -> String {
    let kinds = ["any", "duplicate", "containment", "pages"];
    let columns: Vec<String> = kinds
        .iter()
        .flat_map(|kind| {
            ["tp", "fp", "fn", "precision", "recall", "f1"].map(|name| format!("{kind}_{name}"))
        })
        .collect();
    columns.join(",") + ",overlaps_listed,overlaps_unrelated"
}

impl Evaluation {
    /// All counts, and scores with six decimals; 0/0 is empty.
    pub fn csv(&self) -> String {
        let number = |value: Option<f64>| value.map(|v| format!("{v:.6}")).unwrap_or_default();
        let score = |s: &Score| {
            let (precision, recall, f1) = (number(s.precision), number(s.recall), number(s.f1));
            format!("{},{},{},{precision},{recall},{f1}", s.tp, s.fp, s.r#fn)
        };
        let scores = [&self.any, &self.duplicate, &self.containment, &self.pages].map(score);
        let OverlapCounts { listed, unrelated } = self.overlaps;
        format!("{},{listed},{unrelated}", scores.join(","))
    }
}

fn any(
    judged: &[(&Reported, Label)],
    gold: &Gold,
    found: &HashMap<&(String, String), Relation>,
) -> Score {
    let count = |wanted: fn(Label) -> bool| {
        judged.iter().filter(|(_, label)| wanted(*label)).count() as u64
    };
    let missed =
        |(ids, label): &(&(String, String), &Label)| label.is_true() && !found.contains_key(*ids);
    Score::of(
        count(Label::is_true),
        count(|label| label == Label::Distinct),
        gold.labels.iter().filter(missed).count() as u64,
    )
}

/// Scores one kind of relation; `related` pairs are not scored.
fn of_kind(
    judged: &[(&Reported, Label)],
    gold: &Gold,
    found: &HashMap<&(String, String), Relation>,
    is: fn(Relation) -> bool,
) -> Score {
    let (mut tp, mut fp) = (0, 0);
    for (pair, label) in judged.iter().filter(|(pair, _)| is(pair.relation)) {
        match label {
            Label::Is(relation) if *relation == pair.relation => tp += 1,
            Label::Is(_) | Label::Distinct => fp += 1,
            Label::Related | Label::Ignore => {}
        }
    }
    let missed = gold.labels.iter().filter(|(ids, label)| match label {
        Label::Is(relation) => is(*relation) && found.get(ids) != Some(relation),
        _ => false,
    });
    Score::of(tp, fp, missed.count() as u64)
}

fn pages(judged: &[(&Reported, Label)], gold: &Gold) -> Score {
    let with = |wanted: fn(Label) -> bool| -> BTreeSet<&str> {
        let pairs = judged.iter().filter(|(_, label)| wanted(*label));
        pairs
            .flat_map(|(pair, _)| [&*pair.ids.0, &*pair.ids.1])
            .collect()
    };
    let found = with(Label::is_true);
    let wrong = with(|label| label == Label::Distinct);
    let all: BTreeSet<&str> = gold
        .labels
        .iter()
        .filter(|(_, label)| label.is_true())
        .flat_map(|((a, b), _)| [a.as_str(), b.as_str()])
        .collect();
    Score::of(
        found.len() as u64,
        wrong.difference(&found).count() as u64,
        all.difference(&found).count() as u64,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gold(lines: &str) -> Gold {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), lines).unwrap();
        Gold::read(file.path()).unwrap()
    }

    fn reported(pairs: &[(&str, &str, Relation, f64)]) -> Vec<Reported> {
        let pair = |&(a, b, relation, similarity): &(&str, &str, _, _)| Reported {
            ids: (a.into(), b.into()),
            relation,
            similarity,
        };
        pairs.iter().map(pair).collect()
    }

    const GOLD: &str = "a\tb\tduplicate\nc\ta\tcontained_by\na\td\trelated\na\te\tignore\na\tf\tdistinct\nb\tc\tcontains\n";

    /// Worked out by hand. True pairs: ab (duplicate), ac (contains), ad (related), bc (contains).
    #[test]
    fn counts_by_hand() {
        use Relation::{ContainedBy, Contains, Duplicate};
        let pairs = reported(&[
            ("a", "b", Duplicate, 0.9),   // right
            ("a", "c", ContainedBy, 0.9), // related, wrong direction
            ("a", "d", Duplicate, 0.8),   // right for any, no kind
            ("a", "e", Duplicate, 0.8),   // not scored
            ("a", "f", Duplicate, 0.8),   // wrong
            ("g", "h", Contains, 0.7),    // unlisted
        ]);
        let all = evaluate(&pairs, &gold(GOLD), Unlisted::Distinct, 0.0);
        assert_eq!(all.any, Score::of(3, 2, 1));
        assert_eq!(all.any.precision, Some(0.6));
        assert_eq!(all.any.recall, Some(0.75));
        assert_eq!(all.any.f1, Some(6.0 / 9.0));
        assert_eq!(all.duplicate, Score::of(1, 1, 0));
        // ac and gh are reported and wrong; ac and bc are missed as containment.
        assert_eq!(all.containment, Score::of(0, 2, 2));
        assert_eq!(all.containment.precision, Some(0.0));
        // Pages with true pairs: a b c d, all found; f, g and h have only false pairs.
        assert_eq!(all.pages, Score::of(4, 3, 0));

        let open = evaluate(&pairs, &gold(GOLD), Unlisted::Ignore, 0.0);
        assert_eq!(open.any, Score::of(3, 1, 1));
        assert_eq!(open.pages, Score::of(4, 1, 0));

        let strict = evaluate(&pairs, &gold(GOLD), Unlisted::Distinct, 0.85);
        assert_eq!(strict.any, Score::of(2, 0, 2));
        assert_eq!(strict.pages, Score::of(3, 0, 1));
    }

    /// Overlaps that the labels relate are found in `any`, whatever the label; others are not errors. They do not count for kinds.
    #[test]
    fn overlaps_by_hand() {
        use Relation::{Duplicate, Overlaps};
        let pairs = reported(&[
            ("a", "b", Overlaps, 0.9),  // a duplicate: found
            ("a", "c", Overlaps, 0.9),  // contained: found
            ("a", "d", Overlaps, 0.8),  // related: found
            ("a", "e", Overlaps, 0.8),  // not scored
            ("a", "f", Overlaps, 0.8),  // distinct
            ("g", "h", Overlaps, 0.7),  // unlisted
            ("b", "f", Duplicate, 0.7), // wrong
        ]);
        let all = evaluate(&pairs, &gold(GOLD), Unlisted::Distinct, 0.0);
        assert_eq!(all.any, Score::of(3, 1, 1));
        assert_eq!(all.duplicate, Score::of(0, 1, 1));
        assert_eq!(all.containment, Score::of(0, 0, 2));
        // f has one false pair, with b; g and h have none.
        assert_eq!(all.pages, Score::of(4, 1, 0));
        let counts = |listed, unrelated| OverlapCounts { listed, unrelated };
        assert_eq!(all.overlaps, counts(6, 2));
        let open = evaluate(&pairs, &gold(GOLD), Unlisted::Ignore, 0.75);
        assert_eq!(open.overlaps, counts(5, 1));
    }

    #[test]
    fn nothing_over_nothing_is_null() {
        let none = evaluate(&[], &Gold::default(), Unlisted::Distinct, 0.0);
        assert_eq!(
            none.any,
            Score {
                precision: None,
                recall: None,
                f1: None,
                ..Score::default()
            }
        );
    }

    #[test]
    fn bad_gold_lines_are_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (text, part) in [
            (
                "a\tb\tduplicate\na\tb\n",
                "line 2: `a<TAB>b<TAB>label` expected, this has 2 fields",
            ),
            ("a\tb\tcopy\n", "line 1: unknown label `copy`"),
            ("a\tb\tcontains\nb\ta\tcontains\n", "listed twice"),
        ] {
            std::fs::write(file.path(), text).unwrap();
            let message = Gold::read(file.path()).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
