//! Reads output folders of finished runs.

use std::path::{Path, PathBuf};

use retold::eval::{each_line, read_pairs};
use retold::explain::ExplainInputs;
use retold::read::{ReadOptions, leave_out};
use retold::{Error, Model, Relation, Result};
use serde::Deserialize;
use serde_json::Value;

use crate::out::{KEPT, MODEL, SUMMARY};

fn summary_of(out: &Path) -> Result<Value> {
    let path = out.join(SUMMARY);
    serde_json::from_str(&text(&path)?).map_err(|e| corrupt(&path, &e.to_string()))
}

/// The folder from which a run was started.
fn directory_of(summary: &Value) -> PathBuf {
    PathBuf::from(summary["run"]["directory"].as_str().unwrap_or_default())
}

/// The model of a run; paths in it start from `directory`.
fn model_of(out: &Path, directory: &Path) -> Result<Model> {
    let path = out.join(MODEL);
    Model::from_json(&text(&path)?, directory).map_err(|e| match e {
        Error::Usage(reason) => corrupt(&path, &reason),
        other => other,
    })
}

/// The options by which a run read its inputs, if this is its folder of kept pages.
pub(crate) fn read_options_of_kept(kept: &Path) -> Result<Option<ReadOptions>> {
    let Ok(kept) = kept.canonicalize() else {
        return Ok(None);
    };
    let run = kept
        .parent()
        .filter(|out| kept.ends_with(KEPT) && Finished::is_at(out));
    let options = run.map(|out| {
        let summary = summary_of(out)?;
        Ok(model_of(out, &directory_of(&summary))?
            .config()
            .read
            .clone())
    });
    options.transpose()
}

/// A finished run, read from its output folder.
#[derive(Clone)]
pub struct Finished {
    /// Its inputs and its model.
    pub inputs: ExplainInputs,
    out: PathBuf,
    /// True for a run of `retold passages`, whose `pairs.jsonl` lists passages instead of relations.
    of_passages: bool,
}

impl Finished {
    /// Whether the folder has the files of a finished run.
    pub fn is_at(out: &Path) -> bool {
        out.join(SUMMARY).is_file()
    }

    /// Opens the output folder of a run and finds its inputs again.
    pub fn open(out: &Path) -> Result<Finished> {
        let summary = summary_of(out)?;
        let directory = directory_of(&summary);
        if !out.join(MODEL).is_file() {
            return Err(Error::Usage(format!(
                "{}: only runs of `retold dedup` and `retold passages` can be explained; pass the run's input instead: --in INPUT \
                 --ids A B",
                out.display()
            )));
        }
        let model = model_of(out, &directory)?;
        let mut inputs = ExplainInputs::open(&paths(&summary, &directory, out)?, model)?;
        // The run leaves its own output folder out as well.
        if let Ok(own) = out.canonicalize() {
            leave_out(&mut inputs.sources, &own);
        }
        Ok(Finished {
            inputs,
            out: out.to_owned(),
            of_passages: summary["passages"].is_u64(),
        })
    }

    /// A file of the run.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.out.join(name)
    }

    /// The first of these pages that the run dropped as an older version of the same address. Such a page was not compared with others.
    pub fn superseded(&self, ids: [&str; 2]) -> Result<Option<String>> {
        if self.of_passages || !self.inputs.model.config().addresses.drops() {
            return Ok(None);
        }
        let mut found = None;
        each_line(&self.out.join("dropped.jsonl"), "a dropped page", |line| {
            let line: DroppedLine = serde_json::from_str(line)?;
            if line.relation == "same_url" && ids.contains(&&*line.id) {
                found = Some(line.id);
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// The relation that the run reported for two pages, from `a` to `b`, and their similarity. `None` if the run does not report
    /// relations.
    pub fn reported(&self, a: &str, b: &str) -> Result<Option<Option<(Relation, f64)>>> {
        if self.of_passages {
            return Ok(None);
        }
        let mut found = None;
        read_pairs(&self.out.join("pairs.jsonl"), |line| {
            if line.a == a && line.b == b {
                found = Some((line.relation, line.similarity));
            } else if line.a == b && line.b == a {
                found = Some((line.relation.swapped(), line.similarity));
            }
        })?;
        Ok(Some(found))
    }

    /// Describes the passages that a run of `retold passages` lists for two pages, one sentence each, with positions in characters. Empty
    /// for other runs.
    pub fn passages(&self, a: &str, b: &str) -> Result<Vec<String>> {
        let mut said = Vec::new();
        if !self.of_passages {
            return Ok(said);
        }
        each_line(&self.out.join("copies.jsonl"), "a copy", |line| {
            let line: CopyLine = serde_json::from_str(line)?;
            if [a, b].contains(&&*line.id) {
                said.push(format!(
                    "The run lists no passages of `{}`: it has the same text as `{}` (copies.jsonl).",
                    line.id, line.of
                ));
            }
            Ok(())
        })?;
        each_line(
            &self.out.join("pairs.jsonl"),
            "a pair of passages",
            |line| {
                let line: PassageLine = serde_json::from_str(line)?;
                let (mut first, mut second) =
                    ((line.a_begin, line.a_end), (line.b_begin, line.b_end));
                if (&*line.a, &*line.b) == (b, a) {
                    (first, second) = (second, first);
                } else if (&*line.a, &*line.b) != (a, b) {
                    return Ok(());
                }
                said.push(format!(
                "A passage of the run: characters {} to {} of A, {} to {} of B; {} words match, score {}",
                first.0, first.1, second.0, second.1, line.matched, line.score
            ));
                Ok(())
            },
        )?;
        if said.is_empty() {
            said.push("The run lists no passage that both pages have.".to_owned());
        }
        Ok(said)
    }
}

#[derive(Deserialize)]
struct CopyLine {
    id: String,
    of: String,
}

/// A line of `pairs.jsonl` of `retold passages`, with either set of field names.
#[derive(Deserialize)]
struct PassageLine {
    #[serde(alias = "id1")]
    a: String,
    #[serde(alias = "b1")]
    a_begin: u32,
    #[serde(alias = "e1")]
    a_end: u32,
    #[serde(alias = "id2")]
    b: String,
    #[serde(alias = "b2")]
    b_begin: u32,
    #[serde(alias = "e2")]
    b_end: u32,
    #[serde(alias = "matches")]
    matched: u32,
    score: u32,
}

#[derive(Deserialize)]
struct DroppedLine {
    id: String,
    relation: String,
}

fn text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(Error::io("cannot read", path))
}

fn corrupt(path: &Path, reason: &str) -> Error {
    Error::Corrupt {
        path: path.to_owned(),
        reason: format!("not as `retold dedup` writes it: {reason}"),
    }
}

fn paths(summary: &Value, directory: &Path, out: &Path) -> Result<Vec<PathBuf>> {
    let names: Vec<&str> = summary["inputs"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    if names.contains(&"-") {
        return Err(Error::Usage(format!(
            "the run in {} read standard input, which is no longer there; pass the same data again: --in FILE --ids A B",
            out.display()
        )));
    }
    Ok(names.into_iter().map(|name| directory.join(name)).collect())
}
