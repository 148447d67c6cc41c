//! Evaluates removal: which dropped pages repeat their kept pages, by labelled pairs.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::labels::{Gold, Label, Reported, Unlisted};
use super::pairs::each_line;
use crate::error::Result;
use crate::relation::Relation;

/// A dropped page, as in a line of `dropped.jsonl`.
#[derive(Clone, Debug)]
pub struct RemovedPage {
    id: String,
    kept: String,
    relation: RemovedAs,
}

/// The relation of a removed page to the page for which it was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum RemovedAs {
    /// Its text repeats that page.
    Repeats(Relation),
    /// A relation given by name.
    Named(Named),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Named {
    /// It is a collection, and the page is the largest of the parts for which it was dropped.
    Collection,
    /// A newer page has its address.
    SameUrl,
}

/// Counts of removed pages, and the scores derived from them; 0/0 is null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RemovedScore {
    /// Removed pages that repeat their kept page.
    pub correct: u64,
    /// Removed pages that do not.
    pub wrong: u64,
    /// Removed pages without a label.
    pub unscored: u64,
    /// Pages that a perfect run would remove.
    pub removable: u64,
    /// How many of these were removed.
    pub found: u64,
    /// correct / (correct + wrong).
    pub precision: Option<f64>,
    /// found / removable.
    pub recall: Option<f64>,
    /// The harmonic mean of the two.
    pub f1: Option<f64>,
}

/// The score of removed pages.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Removal {
    /// All removed pages.
    pub any: RemovedScore,
    /// Pages removed as duplicates, among the duplicates of the gold.
    pub duplicate: RemovedScore,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    canonical: Cow<'a, str>,
    relation: RemovedAs,
}

/// Reads a `dropped.jsonl`; with `universe`, only the lines with both ids in it.
///
/// Errors: the file cannot be read, or a line is not from `retold dedup`.
pub fn read_removed(path: &Path, universe: Option<&HashSet<String>>) -> Result<Vec<RemovedPage>> {
    let known = |id: &str| universe.is_none_or(|ids| ids.contains(id));
    let mut removed = Vec::new();
    each_line(path, "a dropped page", |line| {
        if line.trim().is_empty() {
            return Ok(());
        }
        let line: Line<'_> = serde_json::from_str(line)?;
        if known(&line.id) && known(&line.canonical) {
            removed.push(RemovedPage {
                id: line.id.into_owned(),
                kept: line.canonical.into_owned(),
                relation: line.relation,
            });
        }
        Ok(())
    })?;
    Ok(removed)
}

/// Scores removed pages against labelled pairs.
///
/// A removal is correct if the gold says that the page is a duplicate of its kept page; in `any`, also if it is contained in it or
/// `related`. If the pair has no label, combined labels count: a duplicate of a duplicate is one, and a page contained in a duplicate of
/// the kept page is contained in the kept page. Removing a collection is correct, in `any`, if it contains the named part, and counts as if
/// that part had been removed. Pages removed for a newer version are not scored. Pages that the gold connects as duplicates are a group, of
/// which a perfect run removes all but one; in `any`, `related` connects pages too, and the last page is removed as well if a page of
/// another group contains one of the group.
pub fn evaluate_removed(removed: &[RemovedPage], gold: &Gold, unlisted: Unlisted) -> Removal {
    let any = Scorer::new(gold, unlisted, View::Any);
    let duplicate = Scorer::new(gold, unlisted, View::Duplicate);
    let as_duplicates = removed
        .iter()
        .filter(|page| page.relation == RemovedAs::Repeats(Relation::Duplicate));
    Removal {
        any: any.score(removed.iter()),
        duplicate: duplicate.score(as_duplicates),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum View {
    Any,
    Duplicate,
}

/// The result for a removed page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Correct,
    /// Not scored, but the gold relates the pages: the removed one does not count as missed.
    Related,
    Unscored,
    Wrong,
}

struct Scorer<'g> {
    gold: &'g Gold,
    unlisted: Unlisted,
    view: View,
    /// The group of each page that the gold connects with another.
    groups: HashMap<&'g str, usize>,
    /// For each group the number of pages that a perfect run removes.
    removable: Vec<u64>,
    /// For each page the pages that it repeats by the gold: its duplicates, and in [`View::Any`] its containers.
    repeats: HashMap<&'g str, Vec<&'g str>>,
}

impl<'g> Scorer<'g> {
    fn new(gold: &'g Gold, unlisted: Unlisted, view: View) -> Scorer<'g> {
        let mut scorer = Scorer {
            gold,
            unlisted,
            view,
            groups: HashMap::new(),
            removable: Vec::new(),
            repeats: HashMap::new(),
        };
        scorer.connect();
        scorer
    }

    /// Whether pages with this label are copies of each other, so that keeping one is enough.
    fn joins(&self, label: Label) -> bool {
        match label {
            Label::Is(Relation::Duplicate) => true,
            Label::Related => self.view == View::Any,
            _ => false,
        }
    }

    fn connect(&mut self) {
        let mut near: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut contained: BTreeSet<(&str, &str)> = BTreeSet::new();
        for (a, b, label) in self.gold.pairs() {
            if self.joins(label) {
                near.entry(a).or_default().push(b);
                near.entry(b).or_default().push(a);
            }
            let mut repeats = |page, of| self.repeats.entry(page).or_default().push(of);
            match (label, self.view) {
                (Label::Is(Relation::Duplicate), _) => {
                    repeats(a, b);
                    repeats(b, a);
                }
                (Label::Is(Relation::Contains), View::Any) => {
                    repeats(b, a);
                    contained.insert((b, a));
                }
                (Label::Is(Relation::ContainedBy), View::Any) => {
                    repeats(a, b);
                    contained.insert((a, b));
                }
                _ => {}
            }
        }
        for (small, large) in &contained {
            near.entry(small).or_default();
            near.entry(large).or_default();
        }
        self.group(&near);
        let mut goes = vec![false; self.removable.len()];
        for (small, large) in contained {
            let (small, large) = (self.groups[small], self.groups[large]);
            goes[small] |= small != large;
        }
        for (count, goes) in self.removable.iter_mut().zip(goes) {
            *count += u64::from(goes);
        }
    }

    /// Groups connected pages; all but one of a group are removable.
    fn group(&mut self, near: &BTreeMap<&'g str, Vec<&'g str>>) {
        for &start in near.keys() {
            if self.groups.contains_key(start) {
                continue;
            }
            let number = self.removable.len();
            self.groups.insert(start, number);
            let mut pages = vec![start];
            let mut next = 0;
            while let Some(page) = pages.get(next) {
                next += 1;
                for &other in &near[page] {
                    if self.groups.insert(other, number).is_none() {
                        pages.push(other);
                    }
                }
            }
            self.removable.push(pages.len() as u64 - 1);
        }
    }

    /// Whether `page` repeats `kept` by combined labels.
    fn follows(&self, page: &str, kept: &str) -> bool {
        let mut seen = HashSet::from([page]);
        let mut open = vec![page];
        while let Some(at) = open.pop() {
            for &of in self.repeats.get(at).into_iter().flatten() {
                if of == kept {
                    return true;
                }
                if seen.insert(of) {
                    open.push(of);
                }
            }
        }
        false
    }

    fn fate(&self, page: &RemovedPage) -> Fate {
        let [repeated, other] = match page.relation {
            RemovedAs::Named(Named::SameUrl) => return Fate::Unscored,
            RemovedAs::Named(Named::Collection) => [&page.kept, &page.id],
            RemovedAs::Repeats(_) => [&page.id, &page.kept],
        };
        // Reads the gold's label from the repeating page to the other.
        let pair = Reported::new(repeated, other, Relation::Duplicate, 1.0);
        match self.gold.listed(&pair, repeated <= other) {
            Some(Label::Is(Relation::Duplicate)) => Fate::Correct,
            Some(Label::Is(Relation::ContainedBy)) if self.view == View::Any => Fate::Correct,
            Some(Label::Related) if self.view == View::Any => Fate::Correct,
            Some(Label::Related) => Fate::Related,
            Some(Label::Ignore) => Fate::Unscored,
            Some(Label::Is(_) | Label::Distinct) => Fate::Wrong,
            None if self.follows(repeated, other) => Fate::Correct,
            None if self.unlisted == Unlisted::Ignore => Fate::Unscored,
            None => Fate::Wrong,
        }
    }

    /// The group that loses a page by this removal.
    fn group_of(&self, page: &RemovedPage) -> Option<usize> {
        let less = match page.relation {
            RemovedAs::Named(_) => &page.kept,
            RemovedAs::Repeats(_) => &page.id,
        };
        self.groups.get(&**less).copied()
    }

    fn score<'p>(&self, removed: impl Iterator<Item = &'p RemovedPage>) -> RemovedScore {
        let mut score = RemovedScore {
            removable: self.removable.iter().sum(),
            ..RemovedScore::default()
        };
        let mut found = vec![0; self.removable.len()];
        for page in removed {
            let fate = self.fate(page);
            match fate {
                Fate::Correct => score.correct += 1,
                Fate::Wrong => score.wrong += 1,
                Fate::Related | Fate::Unscored => score.unscored += 1,
            }
            let group = self.group_of(page);
            if let (Fate::Correct | Fate::Related, Some(group)) = (fate, group) {
                found[group] += 1;
            }
        }
        let found = found.iter().zip(&self.removable);
        score.found = found.map(|(found, most)| found.min(most)).sum();
        score.derived()
    }
}

impl RemovedScore {
    fn derived(self) -> RemovedScore {
        let over = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        let precision = over(self.correct, self.correct + self.wrong);
        let recall = over(self.found, self.removable);
        let f1 = precision.zip(recall).map(|(p, r)| match p + r {
            0.0 => 0.0,
            sum => 2.0 * p * r / sum,
        });
        RemovedScore {
            precision,
            recall,
            f1,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Relation::{ContainedBy, Contains, Duplicate};

    fn gold(lines: &str) -> Gold {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), lines).unwrap();
        Gold::read(file.path()).unwrap()
    }

    fn removed(rows: &[(&str, &str, Relation)]) -> Vec<RemovedPage> {
        let page = |&(id, kept, relation): &(&str, &str, Relation)| RemovedPage {
            id: id.into(),
            kept: kept.into(),
            relation: RemovedAs::Repeats(relation),
        };
        rows.iter().map(page).collect()
    }

    /// Duplicates: {a b c} (b and c through a), {d e}. x is contained in a, y in b, r is related to d. i is not scored.
    const GOLD: &str = "a\tb\tduplicate\na\tc\tduplicate\nd\te\tduplicate\na\tx\tcontains\ny\tb\tcontained_by\nd\tr\trelated\n\
                        a\ti\tignore\na\tz\tdistinct\n";

    /// Worked out by hand.
    #[test]
    fn removed_pages_by_hand() {
        let rows = removed(&[
            ("b", "c", Duplicate),   // right, by a
            ("a", "c", Duplicate),   // right
            ("d", "r", Duplicate), // related: right in `any`, unscored among duplicates, and d is not missed
            ("x", "a", ContainedBy), // right in `any`
            ("y", "c", ContainedBy), // right in `any`: in b, a duplicate of c
            ("i", "a", Duplicate), // not scored
            ("z", "a", Duplicate), // wrong
            ("q", "a", Duplicate), // unlisted: wrong
        ]);
        let gold = gold(GOLD);
        let score = evaluate_removed(&rows, &gold, Unlisted::Distinct);
        // Groups of duplicates: 3 − 1 and 2 − 1 are removable; b and a of the first and d of the second are removed.
        let duplicate = RemovedScore {
            correct: 2,
            wrong: 2,
            unscored: 2,
            removable: 3,
            found: 3,
            precision: Some(0.5),
            recall: Some(1.0),
            f1: Some(2.0 / 3.0),
        };
        assert_eq!(score.duplicate, duplicate);
        // Groups in `any`: {a b c} 2, {d e r} 2, {x} 1 and {y} 1 as they are contained: 6, of which e or r is left.
        let any = RemovedScore {
            correct: 5,
            wrong: 2,
            unscored: 1,
            removable: 6,
            found: 5,
            precision: Some(5.0 / 7.0),
            recall: Some(5.0 / 6.0),
            f1: Some(2.0 * (5.0 / 7.0) * (5.0 / 6.0) / (5.0 / 7.0 + 5.0 / 6.0)),
        };
        assert_eq!(score.any, any);
        let open = evaluate_removed(&rows, &gold, Unlisted::Ignore);
        assert_eq!((open.any.wrong, open.any.unscored), (1, 2));
    }

    #[test]
    fn the_larger_page_must_not_go_for_the_smaller() {
        let gold = gold(GOLD);
        let score = |rows: &[(&str, &str, Relation)]| {
            evaluate_removed(&removed(rows), &gold, Unlisted::Distinct)
        };
        let larger = score(&[("a", "x", ContainedBy)]);
        assert_eq!((larger.any.correct, larger.any.wrong), (0, 1));
        // A page removed as a duplicate of a page contained in it is right in `any`, and wrong among duplicates.
        let taken = score(&[("x", "a", Duplicate)]);
        assert_eq!((taken.any.correct, taken.duplicate.wrong), (1, 1));
        // A group never counts more than it can lose.
        let whole = score(&[("d", "e", Duplicate), ("e", "d", Duplicate)]);
        assert_eq!((whole.duplicate.correct, whole.duplicate.found), (2, 1));
        let none = evaluate_removed(&[], &Gold::default(), Unlisted::Distinct);
        assert_eq!(none.any, RemovedScore::default());
        assert_eq!(score(&[("x", "a", Contains)]).any.correct, 1);
    }

    /// a contains x, so it may be dropped for x if x and others leave it nothing of its own; and d for e, which has its address.
    #[test]
    fn collections_and_older_versions() {
        let named = |id: &str, kept: &str, relation| RemovedPage {
            id: id.into(),
            kept: kept.into(),
            relation: RemovedAs::Named(relation),
        };
        let gold = gold(GOLD);
        let score = |page| evaluate_removed(&[page], &gold, Unlisted::Distinct).any;
        let collection = score(named("a", "x", Named::Collection));
        assert_eq!((collection.correct, collection.found), (1, 1));
        assert_eq!(score(named("x", "a", Named::Collection)).wrong, 1);
        let older = score(named("d", "e", Named::SameUrl));
        assert_eq!((older.unscored, older.found), (1, 0));
    }

    #[test]
    fn a_line_that_is_no_dropped_page_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let good = r#"{"id":"a","canonical":"b","relation":"duplicate","lost":0}"#;
        for name in ["collection", "same_url", "overlaps"] {
            std::fs::write(file.path(), good.replace("duplicate", name)).unwrap();
            assert_eq!(read_removed(file.path(), None).unwrap().len(), 1, "{name}");
        }
        std::fs::write(file.path(), format!("{good}\n{{}}\n")).unwrap();
        let message = read_removed(file.path(), None).unwrap_err().to_string();
        assert!(
            message.contains("line 2 is not a dropped page"),
            "{message}"
        );
        std::fs::write(file.path(), format!("{good}\n\n")).unwrap();
        assert_eq!(read_removed(file.path(), None).unwrap().len(), 1);
        let some = HashSet::from(["a".to_owned()]);
        assert!(read_removed(file.path(), Some(&some)).unwrap().is_empty());
    }
}
