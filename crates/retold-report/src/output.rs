//! Options of the output. They do not change verdicts.

use retold::{Error, JudgeConfig, Result, RunConfig};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::stop::StopIf;

/// What a run writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutputConfig {
    /// Write `kept/`.
    pub kept: bool,
    /// Keep every page in `kept/`, and add the fields `retold_cluster`, `retold_canonical`, `retold_relation`, `retold_dropped_for`,
    /// `retold_cluster_size`, and those of [`Agreement`](crate::Agreement).
    pub mark: bool,
    /// Replace dropped records of WARC files by `revisit` records if the kept page is in a WARC file, too.
    pub revisits: bool,
    /// Add the fields `retold_cluster`, `retold_cluster_size`, `retold_dropped`, and those of [`Agreement`](crate::Agreement), to kept
    /// records.
    pub annotate: bool,
    /// Path of the object for added fields; without it, they are fields of the record.
    pub annotate_as: Option<String>,
    /// Write `stories.jsonl`.
    pub stories: bool,
    /// Names of added fields.
    pub names: Names,
    /// The form in which tables are written besides JSONL.
    pub tables: Tables,
    /// Include texts of pages in clusters in `report.html`, with at most this many characters each.
    pub report_text: Option<usize>,
    /// Flag clusters with more pages than this.
    pub alarm_size: usize,
    /// Write nothing if so many pages would be dropped.
    pub stop_if: Vec<StopIf>,
}

impl Default for OutputConfig {
    fn default() -> OutputConfig {
        OutputConfig {
            kept: true,
            mark: false,
            revisits: false,
            annotate: false,
            annotate_as: None,
            stories: false,
            names: Names::default(),
            tables: Tables::default(),
            report_text: None,
            alarm_size: 1000,
            stop_if: Vec::new(),
        }
    }
}

impl OutputConfig {
    /// All options by name.
    pub fn to_map(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(map)) => map,
            _ => unreachable!("a struct of plain values is an object"),
        }
    }

    /// Takes the output options out of a map.
    ///
    /// Errors: a value is invalid.
    pub fn taken_from(map: &mut Map<String, Value>) -> Result<OutputConfig> {
        let names = OutputConfig::default().to_map().into_iter();
        let taken = names.filter_map(|(name, _)| map.remove_entry(&name));
        let taken = Value::Object(taken.collect());
        serde_json::from_value(taken).map_err(|e| Error::Usage(format!("options: {e}")))
    }
}

/// Names of the fields that are added to records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Names {
    /// `retold_cluster` and so on.
    #[default]
    Retold,
    /// Names of datatrove: `minhash_cluster_id` (-1 if in no cluster) and `minhash_cluster_size`.
    Datatrove,
}

/// A form of the tables besides JSONL. JSONL is always written, because `explain`, `eval` and other runs read it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tables {
    /// JSONL only.
    #[default]
    Jsonl,
    /// Also CSV. Text that spreadsheets would run as a formula, because it begins with `=`, `+`, `-`, `@`, a tab or a line end, is prefixed
    /// with `'`.
    Csv,
    /// Also CSV, with all text unchanged.
    CsvRaw,
    /// Also Parquet; an error without the feature `parquet`.
    Parquet,
}

/// What a run's files report of its request besides verdicts.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Inputs as they were named.
    pub inputs: Vec<String>,
    /// What to write.
    pub output: OutputConfig,
    /// Whether inputs without a page were allowed ([`RunConfig::allow_empty`]).
    pub allow_empty: bool,
}

impl Request {
    /// The request of a run with these options.
    pub fn new(inputs: Vec<String>, output: &OutputConfig, run: &RunConfig) -> Request {
        Request {
            inputs,
            output: output.clone(),
            allow_empty: run.allow_empty,
        }
    }

    /// The options needed to repeat the run, by name.
    pub(crate) fn parameters(&self, judge: &JudgeConfig) -> Map<String, Value> {
        let mut all = judge.to_map();
        all.extend(self.output.to_map());
        all.insert("allow_empty".to_owned(), self.allow_empty.into());
        all
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn options_of_the_output_are_told_from_those_of_the_judge() {
        let Value::Object(mut map) =
            json!({"mark": true, "tables": "csv", "report_text": 9, "method": "period"})
        else {
            unreachable!()
        };
        let output = OutputConfig::taken_from(&mut map).unwrap();
        let expected = OutputConfig {
            mark: true,
            tables: Tables::Csv,
            report_text: Some(9),
            ..OutputConfig::default()
        };
        assert_eq!(output, expected);
        assert_eq!(map.keys().collect::<Vec<_>>(), ["method"]);
        map.insert("kept".to_owned(), "perhaps".into());
        assert!(OutputConfig::taken_from(&mut map).is_err());
    }

    #[test]
    fn a_run_can_be_repeated_from_its_parameters() {
        let parameters = Request::default().parameters(&JudgeConfig::default());
        for name in ["alarm_size", "allow_empty", "kept", "method", "threads"] {
            assert_eq!(parameters.contains_key(name), name != "threads", "{name}");
        }
    }
}
