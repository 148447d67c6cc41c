//! The results as CSV.

use retold::eval::eval_csv_header;

use super::comparison::Comparison;
use super::cost::Stage;
use super::curve::Point;
use super::row::{Column, Row};

/// A field, in quotes if it needs them (RFC 4180).
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn number(value: Option<f64>) -> String {
    value.map(|value| format!("{value:.6}")).unwrap_or_default()
}

fn value(point: &Point) -> String {
    point
        .value
        .map(|value| value.to_string())
        .unwrap_or_default()
}

/// What every line begins with.
fn names(row: &Row<'_>) -> String {
    let (set, spec) = (row.set(), row.spec());
    format!(
        "{},{},{},{}",
        field(&set.name),
        field(&spec.label),
        spec.info.name,
        row.parameter()
    )
}

const NAMES: &str = "set,spec,method,parameter";

/// The columns of `summary.csv` behind the names: scores, thresholds that one might choose, and what a run costs.
const SUMMARY: &[Column] = &[
    ("pages", |row| row.curve.cost.pages.to_string()),
    ("true_pairs", |row| row.set().true_pairs().to_string()),
    ("own_value", |row| value(row.own())),
    ("own_precision", |row| {
        number(row.own().evaluation.any.precision)
    }),
    ("own_recall", |row| number(row.own().evaluation.any.recall)),
    ("own_f1", |row| number(row.own().evaluation.any.f1)),
    ("own_f1_error", |row| number(Some(row.own().error()))),
    ("own_duplicate_f1", |row| {
        number(row.own().evaluation.duplicate.f1)
    }),
    ("own_containment_f1", |row| {
        number(row.own().evaluation.containment.f1)
    }),
    ("own_kind_right", |row| number(row.own().kind_right())),
    ("own_adjusted_rand", |row| number(row.own().adjusted_rand)),
    ("own_pages_precision", |row| {
        number(row.own().evaluation.pages.precision)
    }),
    ("own_pages_recall", |row| {
        number(row.own().evaluation.pages.recall)
    }),
    ("own_pages_f1", |row| number(row.own().evaluation.pages.f1)),
    ("best_value", |row| value(row.best())),
    ("best_f1", |row| number(Some(row.best().f1()))),
    ("best_f1_error", |row| number(Some(row.best().error()))),
    ("single_value", |row| value(row.single())),
    ("single_f1", |row| number(Some(row.single().f1()))),
    ("single_f1_error", |row| number(Some(row.single().error()))),
    ("left_out_value", |row| {
        row.left_out().map(value).unwrap_or_default()
    }),
    ("left_out_f1", |row| number(row.left_out().map(Point::f1))),
    ("left_out_f1_error", |row| {
        number(row.left_out().map(Point::error))
    }),
    ("pairs", |row| row.own().pairs.to_string()),
    ("candidates", |row| row.own().candidates.to_string()),
    ("candidates_per_true_pair", |row| {
        number(Some(row.candidates_per_true_pair()))
    }),
    ("sketch_bytes_per_page", |row| {
        number(Some(row.curve.cost.sketch_bytes_per_page()))
    }),
    ("wall_seconds", |row| number(Some(row.curve.cost.wall()))),
    ("cpu_seconds", |row| number(row.curve.cost.cpu())),
    ("mb_per_cpu_second", |row| {
        number(Some(row.curve.cost.speed()))
    }),
    ("peak_memory_mb", |row| {
        number(row.curve.cost.peak_megabytes())
    }),
    ("threads", |row| row.curve.cost.threads.to_string()),
];

impl Comparison {
    /// A line for each set, method and threshold, with all counts. The same for the same input and options.
    pub fn curves_csv(&self) -> String {
        let mut csv = format!(
            "{NAMES},value,own,{},any_f1_error,kind_right,pairs,candidates\n",
            eval_csv_header()
        );
        for row in self.rows() {
            let names = names(&row);
            for (at, point) in row.curve.points.iter().enumerate() {
                csv += &format!(
                    "{names},{},{},{},{:.6},{},{},{}\n",
                    value(point),
                    u8::from(at == row.curve.own),
                    point.evaluation.csv(),
                    point.error(),
                    number(point.kind_right()),
                    point.pairs,
                    point.candidates,
                );
            }
        }
        csv
    }

    /// A line for each set and method.
    pub fn summary_csv(&self) -> String {
        let columns: Vec<&str> = SUMMARY.iter().map(|(name, _)| *name).collect();
        let mut csv = format!("{NAMES},{}\n", columns.join(","));
        for row in self.rows() {
            let cells: Vec<String> = SUMMARY.iter().map(|(_, says)| says(&row)).collect();
            csv += &format!("{},{}\n", names(&row), cells.join(","));
        }
        csv
    }

    /// A line for each set, method and stage of a run. `sketch alone` is no stage of it: the sketches once more, from
    /// texts in memory.
    pub fn times_csv(&self) -> String {
        let mut csv = format!("{NAMES},stage,wall_seconds,cpu_seconds\n");
        for row in self.rows() {
            let alone = Stage {
                name: "sketch alone".into(),
                wall: row.curve.sketch.0.as_secs_f64(),
                cpu: row.curve.sketch.1.map(|time| time.as_secs_f64()),
            };
            for stage in row.curve.cost.stages.iter().chain([&alone]) {
                let (wall, cpu) = (number(Some(stage.wall)), number(stage.cpu));
                csv += &format!("{},{},{wall},{cpu}\n", names(&row), stage.name);
            }
        }
        csv
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_with_commas_are_quoted() {
        assert_eq!(field("period"), "period");
        assert_eq!(
            field("period:chars=8,noise=none"),
            "\"period:chars=8,noise=none\""
        );
        assert_eq!(field("a\"b"), "\"a\"\"b\"");
    }
}
