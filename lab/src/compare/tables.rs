//! The results as tables.

use super::chance::error_of;
use super::comparison::Comparison;
use super::curve::{Curve, Point};
use super::experiments::Experiment;
use super::row::{Column, Row};
use super::table::{Cell, Table, part, short};

/// Columns for the scores of a method on a set.
const SCORES: &[Column] = &[
    ("method", |row| row.spec().label.clone()),
    ("threshold", |row| threshold(row.own())),
    ("precision", |row| part(row.own().evaluation.any.precision)),
    ("recall", |row| part(row.own().evaluation.any.recall)),
    ("F1", |row| with_error(row.own())),
    ("best F1", |row| at_value(row.best())),
    ("duplicate F1", |row| {
        part(row.own().evaluation.duplicate.f1)
    }),
    ("containment F1", |row| {
        part(row.own().evaluation.containment.f1)
    }),
    ("kind right", |row| part(row.own().kind_right())),
    ("adjusted Rand", |row| part(row.own().adjusted_rand)),
    ("pages precision", |row| {
        part(row.own().evaluation.pages.precision)
    }),
    ("pages recall", |row| {
        part(row.own().evaluation.pages.recall)
    }),
    ("pages F1", |row| part(row.own().evaluation.pages.f1)),
    ("pairs", |row| row.own().pairs.to_string()),
];

const COSTS: &[Column] = &[
    ("method", |row| row.spec().label.clone()),
    ("seconds", |row| short(row.curve.cost.wall())),
    ("CPU seconds", |row| short_if(row.curve.cost.cpu())),
    ("by stage", |row| stages(row.curve)),
    ("sketches alone", |row| short(sketches_alone(row.curve))),
    ("MB/s a core", |row| short(row.curve.cost.speed())),
    ("peak MB", |row| short_if(row.curve.cost.peak_megabytes())),
    ("sketch bytes a page", |row| {
        format!("{:.0}", row.curve.cost.sketch_bytes_per_page())
    }),
    ("candidates a true pair", |row| {
        short(row.candidates_per_true_pair())
    }),
];

const FIGURE: &[Column] = &[
    ("set", |row| row.set().name.clone()),
    ("method", |row| row.spec().label.clone()),
    ("threshold", |row| threshold(row.own())),
    ("precision", |row| part(row.own().evaluation.any.precision)),
    ("recall", |row| part(row.own().evaluation.any.recall)),
    ("F1", |row| with_error(row.own())),
    ("best F1", |row| at_value(row.best())),
    ("pages precision", |row| {
        part(row.own().evaluation.pages.precision)
    }),
    ("pages recall", |row| {
        part(row.own().evaluation.pages.recall)
    }),
    ("CPU seconds", |row| short_if(row.curve.cost.cpu())),
    ("sketches alone", |row| short(sketches_alone(row.curve))),
    ("peak MB", |row| short_if(row.curve.cost.peak_megabytes())),
];

fn table_of<'a>(
    title: String,
    note: String,
    columns: &[Column],
    rows: impl Iterator<Item = Row<'a>>,
) -> Table {
    let cells = |row: Row<'a>| {
        let cells = columns.iter().map(|(_, says)| Cell::new(says(&row)));
        cells.collect()
    };
    Table {
        title,
        note,
        head: columns.iter().map(|(name, _)| (*name).to_owned()).collect(),
        rows: rows.map(cells).collect(),
    }
}

fn threshold(point: &Point) -> String {
    point.value.map_or("–".into(), |value| value.to_string())
}

fn short_if(value: Option<f64>) -> String {
    value.map_or("–".into(), short)
}

fn sketches_alone(curve: &Curve) -> f64 {
    curve.sketch.1.unwrap_or(curve.sketch.0).as_secs_f64()
}

fn with_error(point: &Point) -> String {
    format!("{:.3} ±{:.3}", point.f1(), point.error())
}

fn at_value(point: &Point) -> String {
    let value = point.value.map(|value| format!(" at {value}"));
    format!("{}{}", with_error(point), value.unwrap_or_default())
}

type Chosen = dyn for<'a> Fn(Row<'a>) -> Option<&'a Point>;

impl Comparison {
    /// The main tables: F1 of every method on every set, for each way to choose the threshold.
    pub fn main_tables(&self) -> Vec<Table> {
        let mut tables = vec![
            self.f1_table(
                "One threshold for all sets",
                "F1 of any relation, with its standard error by the choice of pages, at the threshold whose mean F1 \
                 over all sets is best.",
                &|row| Some(row.single()),
                false,
            ),
            self.lead_table(),
        ];
        if self.choosing(0).len() > 1 {
            tables.push(self.f1_table(
                "Leave one set out",
                "F1 of any relation at the threshold whose mean F1 over all other sets is best.",
                &|row| row.left_out(),
                true,
            ));
        }
        tables.push(self.f1_table(
            "Default settings",
            "F1 of any relation with the method's own threshold, or the one that is set.",
            &|row| Some(row.own()),
            false,
        ));
        tables.push(self.f1_table(
            "The best threshold of each set",
            "F1 of any relation at the threshold that is best on the set itself, an upper bound: it needs the \
             labels.",
            &|row| Some(row.best()),
            true,
        ));
        tables
    }

    /// One row for each method, a column for each set that thresholds are chosen by, and the mean.
    fn f1_table(&self, title: &str, note: &str, chosen: &Chosen, each_its_own: bool) -> Table {
        let sets = self.choosing(0);
        let mut head = vec!["method".to_owned()];
        head.extend((!each_its_own).then(|| "threshold".to_owned()));
        head.extend(sets.iter().map(|&set| self.sets[set].name.clone()));
        head.push("mean".into());
        let first = head.len() - sets.len() - 1;
        let says = if each_its_own { at_value } else { with_error };
        let (mut rows, mut values) = (Vec::new(), vec![Vec::new(); sets.len() + 1]);
        for spec in self.asked() {
            let points = sets.iter().map(|&set| chosen(self.row(set, spec)?));
            let points: Vec<Option<&Point>> = points.collect();
            let mean = mean_of(&points);
            let mut row = vec![self.specs[spec].label.clone()];
            if !each_its_own {
                row.push(
                    points
                        .iter()
                        .flatten()
                        .next()
                        .map_or("–".into(), |p| threshold(p)),
                );
            }
            row.extend(points.iter().map(|point| point.map_or("–".into(), says)));
            row.push(mean.map_or("–".into(), |(mean, error)| {
                format!("{mean:.3} ±{error:.3}")
            }));
            rows.push(row.into_iter().map(Cell::new).collect());
            let f1 = points.iter().map(|point| point.map(Point::f1));
            let f1 = f1.chain([mean.map(|(mean, _)| mean)]);
            values
                .iter_mut()
                .zip(f1)
                .for_each(|(column, f1)| column.push(f1));
        }
        let (title, note) = (title.into(), note.into());
        let mut table = Table {
            title,
            note,
            head,
            rows,
        };
        let columns = values.iter().enumerate();
        columns.for_each(|(place, values)| table.mark_best(first + place, values));
        table
    }

    /// The difference of each method to the best other one.
    fn lead_table(&self) -> Table {
        let sets = self.choosing(0);
        let chosen = |set: usize, spec: usize| self.row(set, spec).map(|row| row.single());
        let names = sets.iter().map(|&set| self.sets[set].name.clone());
        let row = |spec: usize| {
            let lead = |&set: &usize| {
                let others = self.asked().into_iter().filter(|&other| other != spec);
                let others = others.filter_map(|other| chosen(set, other));
                let best = others.max_by(|a, b| a.f1().total_cmp(&b.f1()))?;
                Some(lead_of(chosen(set, spec)?, best))
            };
            let cells = sets.iter().map(|set| {
                let Some((lead, error)) = lead(set) else {
                    return Cell::new("–");
                };
                Cell {
                    text: format!("{lead:+.3} ±{error:.3}"),
                    best: lead >= -error,
                }
            });
            let name = Cell::new(&self.specs[spec].label);
            std::iter::once(name).chain(cells).collect()
        };
        Table {
            title: "Difference to the best other method".into(),
            note: "The difference in F1 to the best other method on the set, each at its one threshold for all sets, \
                   with the standard error of the difference (both methods see the same resamples of pages). Marked: \
                   not behind by more than that."
                .into(),
            head: std::iter::once("method".to_owned()).chain(names).collect(),
            rows: self.asked().into_iter().map(row).collect(),
        }
    }

    /// The scores of each method on a set with its own setting, for all ways of counting.
    pub(super) fn score_table(&self, set: usize, specs: &[usize]) -> Table {
        let of = &self.sets[set];
        let note = format!(
            "{} true pairs. Each method with its own setting; `best F1` at the threshold that suits this set best. \
             Kind right: of the true pairs found, those called duplicate or contained as the labels say. Pages: one \
             counts as found if one of its true pairs is.",
            of.true_pairs()
        );
        let rows = specs.iter().filter_map(|&spec| self.row(set, spec));
        table_of(of.name.clone(), note, SCORES, rows)
    }

    pub(super) fn cost_table(&self, set: usize, specs: &[usize]) -> Table {
        let title = format!("Cost on {}", self.sets[set].name);
        let note = "One run each in a process of its own, from the files to the clusters, nothing written. Stages and \
                    sketches alone (from texts in memory) are in CPU seconds; MB of input as read (decompressed) for \
                    each CPU second.";
        let rows = specs.iter().filter_map(|&spec| self.row(set, spec));
        table_of(title, note.into(), COSTS, rows)
    }

    /// The table of a figure: one row for each set and method.
    pub(super) fn figure_table(&self, experiment: &Experiment) -> Table {
        let rows = experiment.sets.iter().flat_map(|&set| {
            let specs = experiment.specs.iter();
            specs.filter_map(move |&spec| self.row(set, spec))
        });
        let title = experiment.figure.title.into();
        table_of(title, experiment.notes(), FIGURE, rows)
    }

    /// The main tables, and the tables of sets and figures, in Markdown.
    pub fn markdown(&self) -> String {
        let specs = self.asked();
        let mut text = format!(
            "# Methods on labelled sets\n\nWritten by `retold-lab compare` {}.\n\n",
            env!("CARGO_PKG_VERSION")
        );
        let mut tables = self.main_tables();
        for set in 0..self.sets.len() {
            tables.push(self.score_table(set, &specs));
            tables.push(self.cost_table(set, &specs));
        }
        let figures = self.experiments.iter();
        tables.extend(figures.map(|experiment| self.figure_table(experiment)));
        text += &tables
            .iter()
            .map(Table::markdown)
            .collect::<Vec<_>>()
            .join("\n");
        text
    }
}

/// The difference in F1 of two points, and its standard error.
fn lead_of(point: &Point, other: &Point) -> (f64, f64) {
    let pairs = point.resampled.iter().zip(&other.resampled);
    let differences: Vec<f64> = pairs.map(|(a, b)| a - b).collect();
    (point.f1() - other.f1(), error_of(&differences))
}

/// The mean F1 of these points, and its standard error with the choice of sets taken as given; `None` if one is missing.
fn mean_of(points: &[Option<&Point>]) -> Option<(f64, f64)> {
    let points: Vec<&Point> = points.iter().copied().collect::<Option<_>>()?;
    let count = points.len() as f64;
    let mean = points.iter().map(|point| point.f1()).sum::<f64>() / count;
    // Sets share no pages, so their errors are independent.
    let squares = points.iter().map(|point| point.error().powi(2));
    (count > 0.0).then(|| (mean, squares.sum::<f64>().sqrt() / count))
}

fn stages(curve: &Curve) -> String {
    let stages = curve.cost.stages.iter();
    let stages = stages.map(|stage| {
        let seconds = stage.cpu.unwrap_or(stage.wall);
        format!("{} {}", stage.name, short(seconds))
    });
    stages.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::tests::curve;

    #[test]
    fn a_lead_is_a_difference_with_the_error_of_the_difference() {
        // Found 9 and 10 of 10: 18/19 and 1.
        let curve = curve(&[9, 10]);
        let [mut a, b] = <[Point; 2]>::try_from(curve.points).ok().unwrap();
        // Both are constant in all resamples, so the difference has no error.
        let (lead, error) = lead_of(&a, &b);
        assert!((lead + 1.0 / 19.0).abs() < 1e-12, "{lead}");
        assert!(error < 1e-9, "{error}");
        // Half of the resamples are at 0 and half at 2, the other is always 1: the standard deviation is 1, apart from n − 1.
        let count = a.resampled.len();
        a.resampled = (0..count).map(|at| (at % 2 * 2) as f64).collect();
        let expected = (count as f64 / (count as f64 - 1.0)).sqrt();
        assert!((lead_of(&a, &b).1 - expected).abs() < 1e-9);
    }
}
