//! The results as CSV.

use super::cost::Stage;
use super::{Comparison, Point};
use crate::eval::csv_header;

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

impl Comparison {
    /// Set, spec, method and threshold of a row, with what the method is called in it.
    fn row_names(&self, set: usize, spec: usize) -> String {
        let spec = &self.specs[spec];
        let swept = spec.swept().map_or("", |param| param.name);
        format!(
            "{},{},{},{swept}",
            field(&self.sets[set].name),
            field(&spec.label),
            spec.info.name
        )
    }

    /// A line for each set, method and threshold, with all counts. The same for the same input and options.
    pub fn curves_csv(&self) -> String {
        let mut csv = format!(
            "set,spec,method,parameter,value,own,{},any_f1_error,pairs,candidates\n",
            csv_header()
        );
        for (&(set, spec), curve) in &self.curves {
            let names = self.row_names(set, spec);
            for (at, point) in curve.points.iter().enumerate() {
                csv += &format!(
                    "{names},{},{},{},{:.6},{},{}\n",
                    value(point),
                    u8::from(at == curve.own),
                    point.evaluation.csv(),
                    point.error(),
                    point.pairs,
                    point.candidates,
                );
            }
        }
        csv
    }

    /// A line for each set and method: its own setting, the thresholds that one might choose, and what a run costs.
    pub fn summary_csv(&self) -> String {
        let mut csv = String::from(
            "set,spec,method,parameter,pages,true_pairs,own_value,own_precision,own_recall,own_f1,own_f1_error,\
             own_duplicate_f1,own_containment_f1,own_pages_precision,own_pages_recall,own_pages_f1,best_value,best_f1,\
             best_f1_error,single_value,single_f1,single_f1_error,left_out_value,left_out_f1,left_out_f1_error,pairs,\
             candidates,candidates_per_true_pair,sketch_bytes_per_page,wall_seconds,cpu_seconds,mb_per_cpu_second,\
             peak_memory_mb,threads\n",
        );
        for (&(set, spec), curve) in &self.curves {
            let own = &curve.points[curve.own];
            let (scores, cost) = (&own.evaluation, &curve.cost);
            let truths = self.sets[set].true_pairs();
            let mut row = vec![
                self.row_names(set, spec),
                cost.pages.to_string(),
                truths.to_string(),
                value(own),
                number(scores.any.precision),
                number(scores.any.recall),
                number(scores.any.f1),
                number(Some(own.error())),
                number(scores.duplicate.f1),
                number(scores.containment.f1),
                number(scores.pages.precision),
                number(scores.pages.recall),
                number(scores.pages.f1),
            ];
            let best = &curve.points[curve.best()];
            let single = &curve.points[self.choice(spec).single()];
            for point in [Some(best), Some(single), self.left_out(set, spec)] {
                row.push(point.map(value).unwrap_or_default());
                row.push(number(point.map(Point::f1)));
                row.push(number(point.map(Point::error)));
            }
            row.extend([
                own.pairs.to_string(),
                own.candidates.to_string(),
                number(Some(own.candidates as f64 / truths.max(1) as f64)),
                number(Some(cost.sketch_bytes_per_page())),
                number(Some(cost.wall())),
                number(cost.cpu()),
                number(Some(cost.speed())),
                number(cost.peak_memory.map(|bytes| bytes as f64 / 1e6)),
                cost.threads.to_string(),
            ]);
            csv += &(row.join(",") + "\n");
        }
        csv
    }

    /// A line for each set, method and stage of a run. `sketch alone` is no stage of it: the sketches once more, from
    /// texts in memory.
    pub fn times_csv(&self) -> String {
        let mut csv = String::from("set,spec,method,parameter,stage,wall_seconds,cpu_seconds\n");
        for (&(set, spec), curve) in &self.curves {
            let names = self.row_names(set, spec);
            let alone = Stage {
                name: "sketch alone".into(),
                wall: curve.sketch.0.as_secs_f64(),
                cpu: curve.sketch.1.map(|time| time.as_secs_f64()),
            };
            for stage in curve.cost.stages.iter().chain([&alone]) {
                let (wall, cpu) = (number(Some(stage.wall)), number(stage.cpu));
                csv += &format!("{names},{},{wall},{cpu}\n", stage.name);
            }
        }
        csv
    }

    /// The threshold that the other sets choose, on this one.
    pub(super) fn left_out(&self, set: usize, spec: usize) -> Option<&Point> {
        let place = self.choosing().iter().position(|&other| other == set)?;
        let point = self.choice(spec).without(place)?;
        Some(&self.curve(set, spec)?.points[point])
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
