//! The results as tables for people, in Markdown and in the page.

use super::{Comparison, Curve, Point};

/// A table for people.
pub struct Table {
    /// What it shows.
    pub title: String,
    /// How to read it.
    pub note: String,
    /// The columns.
    pub head: Vec<String>,
    /// The cells; the first of a row is its name.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell.
pub struct Cell {
    /// What it says.
    pub text: String,
    /// Whether it is the best of its column.
    pub best: bool,
}

impl Cell {
    fn new(text: impl Into<String>) -> Cell {
        Cell {
            text: text.into(),
            best: false,
        }
    }
}

/// A number with three decimals, `–` for 0/0.
pub(super) fn part(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"))
}

/// A number with about three digits.
fn short(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

fn with_error(point: &Point) -> String {
    format!("{:.3} ±{:.3}", point.f1(), point.error())
}

fn at_value(point: &Point) -> String {
    let value = point.value.map(|value| format!(" at {value}"));
    format!("{}{}", with_error(point), value.unwrap_or_default())
}

impl Table {
    /// In Markdown.
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = format!("## {}\n\n{}\n\n", self.title, self.note);
        text += &line(self.head.clone());
        let rule = |at: usize| if at == 0 { "---" } else { "---:" };
        text += &line((0..self.head.len()).map(|at| rule(at).to_owned()).collect());
        for row in &self.rows {
            let cell = |cell: &Cell| match cell.best {
                true => format!("**{}**", cell.text),
                false => cell.text.clone(),
            };
            text += &line(row.iter().map(cell).collect());
        }
        text
    }

    /// For a terminal, in columns.
    pub fn plain(&self) -> String {
        let cells = self
            .rows
            .iter()
            .map(|row| row.iter().map(|c| &*c.text).collect());
        let head: Vec<&str> = self.head.iter().map(String::as_str).collect();
        let lines: Vec<Vec<&str>> = std::iter::once(head).chain(cells).collect();
        let width = |column: usize| {
            let cells = lines.iter().map(|line| line[column].chars().count());
            cells.max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let mut text = format!("{}\n\n", self.title);
        for line in &lines {
            text += &format!("{:1$}", line[0], widths[0]);
            for (cell, width) in line.iter().zip(&widths).skip(1) {
                text += &format!("  {cell:>width$}");
            }
            text.push('\n');
        }
        text
    }

    /// Marks the cells of a column whose values are the greatest.
    fn mark_best(&mut self, column: usize, values: &[Option<f64>]) {
        let best = values.iter().flatten().copied().fold(f64::MIN, f64::max);
        for (row, value) in self.rows.iter_mut().zip(values) {
            // As printed.
            row[column].best = value.is_some_and(|value| value >= best - 0.0005);
        }
    }
}

/// A way to choose the threshold: of a spec, on a set.
type Chosen<'a> = dyn Fn(usize, usize) -> Option<&'a Point> + 'a;

impl Comparison {
    /// What matters most: F1 of every method on every set, by how the threshold is chosen.
    pub fn main_tables(&self) -> Vec<Table> {
        let single = |set: usize, spec: usize| {
            let point = self.choice(spec).single();
            self.curve(set, spec)?.points.get(point)
        };
        let own = |set: usize, spec: usize| {
            let curve = self.curve(set, spec)?;
            curve.points.get(curve.own)
        };
        let best = |set: usize, spec: usize| {
            let curve = self.curve(set, spec)?;
            curve.points.get(curve.best())
        };
        let mut tables = vec![
            self.f1_table(
                "One threshold for all sets",
                "F1 of any relation, with its standard error by the choice of pages, at the threshold whose mean F1 \
                 over all sets is best.",
                &single,
                false,
            ),
            self.f1_table(
                "Default settings",
                "F1 of any relation with the method's own threshold, or the one that is set.",
                &own,
                false,
            ),
            self.f1_table(
                "The best threshold of each set",
                "F1 of any relation at the threshold that suits the set best: what nobody gets who does not have \
                 the labels.",
                &best,
                true,
            ),
        ];
        if self.choosing().len() > 1 {
            let left_out = self.f1_table(
                "Leave one set out",
                "F1 of any relation at the threshold whose mean F1 over all other sets is best.",
                &|set, spec| self.left_out(set, spec),
                true,
            );
            tables.insert(1, left_out);
        }
        tables
    }

    /// A row for each method, a column for each set that thresholds are chosen by, and the mean.
    fn f1_table(&self, title: &str, note: &str, chosen: &Chosen<'_>, each_its_own: bool) -> Table {
        let sets = self.choosing();
        let mut head = vec!["method".to_owned()];
        if !each_its_own {
            head.push("threshold".into());
        }
        head.extend(sets.iter().map(|&set| self.sets[set].name.clone()));
        head.push("mean".into());
        let mut table = Table {
            title: title.into(),
            note: note.into(),
            head,
            rows: Vec::new(),
        };
        let mut columns: Vec<Vec<Option<f64>>> = vec![Vec::new(); sets.len() + 1];
        for spec in 0..self.specs.len() {
            let points: Vec<Option<&Point>> = sets.iter().map(|&set| chosen(set, spec)).collect();
            let mut row = vec![Cell::new(&self.specs[spec].label)];
            if !each_its_own {
                let value = points.iter().flatten().next().and_then(|point| point.value);
                row.push(Cell::new(
                    value.map_or("–".into(), |value| value.to_string()),
                ));
            }
            for (place, point) in points.iter().enumerate() {
                let text = if each_its_own { at_value } else { with_error };
                row.push(Cell::new(point.map_or("–".into(), text)));
                columns[place].push(point.map(Point::f1));
            }
            let mean = mean_of(&points);
            row.push(Cell::new(mean.map_or("–".into(), |(mean, error)| {
                format!("{mean:.3} ±{error:.3}")
            })));
            columns[sets.len()].push(mean.map(|(mean, _)| mean));
            table.rows.push(row);
        }
        let first = table.head.len() - columns.len();
        for (place, values) in columns.iter().enumerate() {
            table.mark_best(first + place, values);
        }
        table
    }

    /// How good each method is on a set with its own setting, in all kinds of counting.
    pub fn score_table(&self, set: usize, specs: &[usize]) -> Table {
        let columns = [
            "method",
            "threshold",
            "precision",
            "recall",
            "F1",
            "best F1",
            "duplicate F1",
            "containment F1",
            "pages precision",
            "pages recall",
            "pages F1",
            "pairs",
        ];
        let row = |&spec: &usize| {
            let curve = self.curve(set, spec)?;
            let own = &curve.points[curve.own];
            let scores = &own.evaluation;
            let value = own.value.map_or("–".into(), |value| value.to_string());
            let cells = [
                self.specs[spec].label.clone(),
                value,
                part(scores.any.precision),
                part(scores.any.recall),
                with_error(own),
                at_value(&curve.points[curve.best()]),
                part(scores.duplicate.f1),
                part(scores.containment.f1),
                part(scores.pages.precision),
                part(scores.pages.recall),
                part(scores.pages.f1),
                own.pairs.to_string(),
            ];
            Some(cells.map(Cell::new).into())
        };
        let of = &self.sets[set];
        Table {
            title: of.name.clone(),
            note: format!(
                "{} true pairs. Each method with its own setting; `best F1` at the threshold that suits this set best. \
                 Pages: one counts as found if one of its true pairs is.",
                of.true_pairs()
            ),
            head: columns.map(str::to_owned).into(),
            rows: specs.iter().filter_map(row).collect(),
        }
    }

    /// What each method costs on a set.
    pub fn cost_table(&self, set: usize, specs: &[usize]) -> Table {
        let columns = [
            "method",
            "seconds",
            "CPU seconds",
            "by stage",
            "sketches alone",
            "MB/s a core",
            "peak MB",
            "sketch bytes a page",
            "candidates a true pair",
        ];
        let truths = self.sets[set].true_pairs().max(1) as f64;
        let row = |&spec: &usize| {
            let curve = self.curve(set, spec)?;
            let cost = &curve.cost;
            let candidates = curve.points[curve.own].candidates as f64;
            let cells = [
                self.specs[spec].label.clone(),
                short(cost.wall()),
                cost.cpu().map_or("–".into(), short),
                stages(curve),
                short(curve.sketch.1.unwrap_or(curve.sketch.0).as_secs_f64()),
                short(cost.speed()),
                cost.peak_memory
                    .map_or("–".into(), |bytes| short(bytes as f64 / 1e6)),
                format!("{:.0}", cost.sketch_bytes_per_page()),
                short(candidates / truths),
            ];
            Some(cells.map(Cell::new).into())
        };
        Table {
            title: format!("Cost on {}", self.sets[set].name),
            note: "One run each in a process of its own, from the files to the clusters, nothing written. Stages and \
                   sketches alone (from texts in memory) are in CPU seconds; MB of input as read (decompressed) for \
                   each CPU second."
                .into(),
            head: columns.map(str::to_owned).into(),
            rows: specs.iter().filter_map(row).collect(),
        }
    }

    /// The main tables and those of each set, in Markdown.
    pub fn markdown(&self) -> String {
        let specs: Vec<usize> = (0..self.specs.len()).collect();
        let mut text = format!(
            "# Methods on labelled sets\n\nWritten by `retold compare` {}.\n\n",
            env!("CARGO_PKG_VERSION")
        );
        let mut tables = self.main_tables();
        for set in 0..self.sets.len() {
            tables.push(self.score_table(set, &specs));
            tables.push(self.cost_table(set, &specs));
        }
        text += &tables
            .iter()
            .map(Table::markdown)
            .collect::<Vec<_>>()
            .join("\n");
        text
    }
}

/// The mean F1 of these points and its standard error, the choice of sets taken as given; `None` if one is missing.
fn mean_of(points: &[Option<&Point>]) -> Option<(f64, f64)> {
    let points: Vec<&Point> = points.iter().copied().collect::<Option<_>>()?;
    let count = points.len() as f64;
    let mean = points.iter().map(|point| point.f1()).sum::<f64>() / count;
    // Sets have no page in common, so their errors are independent.
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
