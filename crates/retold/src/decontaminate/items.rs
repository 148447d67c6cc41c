//! Reads benchmark items from files.

use std::collections::BTreeMap;

use serde_json::Value;

use super::fields::{BenchmarkFields, names, texts, value};
use crate::error::{Error, Result};
use crate::page::Content;
use crate::read::{Outcome, ReadOptions, Rows, Source};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RawItem {
    pub(super) id: String,
    pub(super) question: String,
    pub(super) answers: Vec<String>,
    pub(super) passages: Vec<String>,
}

/// The items of a file in order, and the number of records without a question.
///
/// Errors: the file cannot be read, or none of its records has a question.
pub(super) fn read(
    source: &Source,
    fields: &BenchmarkFields,
    options: &ReadOptions,
) -> Result<(Vec<RawItem>, u64)> {
    let mut all = Vec::new();
    match source.rows(options) {
        Rows::Whole(rows) => {
            let failed = |reason| Error::Usage(format!("{}: {reason}", source.path.display()));
            let rows = rows.map_err(failed)?;
            let items = (1..).zip(&rows);
            all.extend(items.map(|(number, row)| item(row, number, fields)));
        }
        Rows::Records(records) => {
            let mut records = records.peekable();
            let first = records.peek_mut();
            if first.is_some_and(|first| first.raw().is_some()) {
                for mut record in records {
                    let number = record.number;
                    all.push(json_item(record.raw(), number, source, fields)?);
                }
            } else {
                drop(records);
                all = columns(source, fields, options);
            }
        }
    }
    let read = all.len() as u64;
    all.retain(|item| !item.question.trim().is_empty());
    if all.is_empty() {
        return Err(Error::Usage(format!(
            "{}: no record has a question, as the field {}; name the field with --question-field",
            source.path.display(),
            names(&fields.question).collect::<Vec<_>>().join(", ")
        )));
    }
    let without = read - all.len() as u64;
    Ok((all, without))
}

fn json_item(
    raw: Option<&[u8]>,
    number: u64,
    source: &Source,
    fields: &BenchmarkFields,
) -> Result<RawItem> {
    let failed = |reason: String| {
        Error::Usage(format!(
            "{}, record {number}: {reason}; benchmarks are JSONL, CSV or Parquet files",
            source.path.display()
        ))
    };
    let raw = raw.ok_or_else(|| failed("it cannot be read".into()))?;
    let record: Value = serde_json::from_slice(raw).map_err(|e| failed(e.to_string()))?;
    if !record.is_object() {
        return Err(failed("it is not a JSON object".into()));
    }
    Ok(item(&record, number, fields))
}

fn item(record: &Value, number: u64, fields: &BenchmarkFields) -> RawItem {
    let all = |list: &str| -> Vec<String> {
        let values = names(list).filter_map(|name| value(record, name));
        values.flat_map(texts).collect()
    };
    let questions = names(&fields.question).filter_map(|name| value(record, name));
    let mut questions = questions.map(|value| texts(value).join("\n"));
    let question = questions.find(|text| !text.trim().is_empty());
    let mut item = RawItem {
        id: all(&fields.id).into_iter().next().unwrap_or_default(),
        question: question.unwrap_or_default(),
        answers: all(&fields.answer),
        passages: all(&fields.passage),
    };
    settle(&mut item, number);
    item
}

/// An item without a question is searched by its passage; one without an id gets the number of its record.
fn settle(item: &mut RawItem, number: u64) {
    if item.question.trim().is_empty() {
        item.question = std::mem::take(&mut item.passages).join("\n");
    }
    if item.id.is_empty() {
        item.id = number.to_string();
    }
}

/// The items of a file with columns, which is read once per text column.
fn columns(source: &Source, fields: &BenchmarkFields, options: &ReadOptions) -> Vec<RawItem> {
    let mut items: BTreeMap<u64, RawItem> = BTreeMap::new();
    for name in names(&fields.question) {
        for (number, text) in column(source, name, options) {
            let item = items.entry(number).or_default();
            if item.question.trim().is_empty() {
                item.question = text;
            }
        }
    }
    let mut parts = |list: &str, add: fn(&mut RawItem, String)| {
        for name in names(list) {
            for (number, text) in column(source, name, options) {
                add(items.entry(number).or_default(), text);
            }
        }
    };
    parts(&fields.answer, |item, text| item.answers.push(text));
    parts(&fields.passage, |item, text| item.passages.push(text));
    parts(&fields.id, |item, text| item.id = text);
    let items = items.into_iter().map(|(number, mut item)| {
        settle(&mut item, number);
        item
    });
    items.collect()
}

/// The texts of a column with their record numbers; none if the file has no such column.
fn column(source: &Source, name: &str, options: &ReadOptions) -> Vec<(u64, String)> {
    let options = ReadOptions {
        text_field: name.to_owned(),
        html_field: name.to_owned(),
        ..options.clone()
    };
    let records = source.records(&options);
    let texts = records.filter_map(|record| {
        let number = record.number;
        let Outcome::Page(page) = record.parse(source, &options) else {
            return None;
        };
        let text = match page.content {
            Content::Unicode { text, .. } => text,
            Content::Bytes { bytes, .. } => String::from_utf8_lossy(&bytes).into_owned(),
        };
        (!text.is_empty()).then_some((number, text))
    });
    texts.collect()
}

#[cfg(all(test, feature = "parquet"))]
mod tests {
    use super::*;

    #[test]
    fn lists_and_groups_of_parquet_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.parquet");
        std::fs::write(&path, crate::read::parquet_questions()).unwrap();
        let options = ReadOptions::default();
        let sources = crate::read::discover(&[path], &options).unwrap();
        let (items, without) = read(&sources[0], &BenchmarkFields::default(), &options).unwrap();
        assert_eq!(without, 0);
        assert_eq!(
            items[0].answers,
            ["the town of Velmora", "Velmora itself", "Istrand"]
        );
        assert_eq!(items[1].answers, ["nobody at all", "the elder ringer"]);
        assert_eq!(items[1].id, "2");
    }
}
