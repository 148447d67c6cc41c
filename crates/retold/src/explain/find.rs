//! Getting pages to explain: out of two files, out of inputs by id, or out of the inputs of a finished run.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Side;
use crate::collect::{Collection, PageRow};
use crate::error::{Error, Result};
use crate::index::Sketches;
use crate::index::noise::NoiseList;
use crate::method::{Frequencies, Method};
use crate::page::{Page, site_of};
use crate::read::{self, Outcome, ReadOptions, Record, Source};
use crate::relation::Relation;
use crate::report::{FREQUENCIES, NOISE, SUMMARY, read_pairs};
use crate::text::{Extract, TextOptions, text_of};
use crate::watch::Watch;

/// Inputs and how they are read.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// The files.
    pub sources: Vec<Source>,
    /// How records become pages.
    pub read: ReadOptions,
    /// How pages become texts.
    pub text: TextOptions,
}

/// A finished run, as its output folder tells of it.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Its inputs.
    pub inputs: Inputs,
    /// Its method.
    pub method: String,
    /// Its parameters.
    pub settings: Vec<(String, String)>,
    /// Whether equal texts were duplicates.
    pub exact: bool,
    /// Its noise list.
    pub noise: NoiseList,
    /// The document frequencies that its method was given.
    pub frequencies: Option<Frequencies>,
    out: PathBuf,
}

/// Records that are parsed together, and their bytes at the most.
const BATCH: usize = 1024;
const BATCH_BYTES: u64 = 16 << 20;
/// Ids that are named when one is not found.
const CLOSE: usize = 3;

impl Inputs {
    /// The files of `paths`.
    pub fn open(paths: &[PathBuf], read: ReadOptions, text: TextOptions) -> Result<Inputs> {
        let sources = read::discover(paths, &read)?;
        Ok(Inputs {
            sources,
            read,
            text,
        })
    }

    /// The only page of a file.
    pub fn only_page(path: &Path, read: &ReadOptions, text: &TextOptions) -> Result<Side> {
        if path.is_dir() {
            return Err(Error::Usage(format!(
                "{} is a folder and no finished run of retold: name two files, or use --in {} --ids A B",
                path.display(),
                path.display()
            )));
        }
        let inputs = Inputs::open(&[path.to_owned()], read.clone(), text.clone())?;
        let mut found = None;
        for source in &inputs.sources {
            for record in source.records(&inputs.read) {
                if found.is_some() {
                    return Err(Error::Usage(format!(
                        "{} holds more than one page: use --in {} --ids A B",
                        path.display(),
                        path.display()
                    )));
                }
                found = Some(inputs.side(source, record)?);
            }
        }
        let mut side =
            found.ok_or_else(|| Error::Usage(format!("{} holds no page", path.display())))?;
        // Two files of one name must be told apart.
        side.id = path.display().to_string();
        Ok(side)
    }

    /// The pages with these ids, by the rules for ids that a run follows. Reads all inputs once and two records again.
    pub fn by_ids(&self, ids: [&str; 2], watch: &dyn Watch) -> Result<[Side; 2]> {
        let mut collection = Collection::default();
        self.each(
            watch,
            &|page, _| Some(page.id.clone()),
            &mut |at, record, id: String| {
                collection.pages.push(row(id, at, record));
            },
        )?;
        collection.settle_ids();
        let [a, b] = ids.map(|id| {
            let row = collection.pages.iter().find(|row| &*row.id == id);
            let row = row.ok_or_else(|| unknown(id, &collection.pages))?;
            let source = &self.sources[row.source as usize];
            let record = source
                .records(&self.read)
                .find(|record| record.number == row.record);
            let record = record.ok_or_else(|| {
                Error::Usage(format!(
                    "{}: the file changed while it was read",
                    source.name
                ))
            })?;
            let mut side = self.side(source, record)?;
            side.id = id.to_owned();
            Ok(side)
        });
        Ok([a?, b?])
    }

    /// On how many different sketches each key stands. Reads and sketches all inputs once.
    pub fn count(
        &self,
        method: &dyn Method,
        keys: &[u64],
        watch: &dyn Watch,
    ) -> Result<HashMap<u64, u64>> {
        let wanted: HashSet<u64> = keys.iter().copied().collect();
        let mut seen = Sketches::default();
        let mut counts: HashMap<u64, u64> = HashMap::new();
        let sketch = |page: &Page, options: &TextOptions| {
            let sketch = method.sketch(&text_of(page, options).ok()?);
            sketch
                .keys
                .iter()
                .any(|key| wanted.contains(key))
                .then_some(sketch)
        };
        self.each(
            watch,
            &sketch,
            &mut |_, _, sketch: crate::method::Sketch| {
                let before = seen.len();
                if seen.add(sketch.as_ref()) as usize == before {
                    for key in sketch.keys.iter().filter(|key| wanted.contains(key)) {
                        *counts.entry(*key).or_default() += 1;
                    }
                }
            },
        )?;
        Ok(counts)
    }

    /// Parses all pages on all threads and hands what `make` makes of each to `take`, in order.
    fn each<T: Send>(
        &self,
        watch: &dyn Watch,
        make: &(impl Fn(&Page, &TextOptions) -> Option<T> + Sync),
        take: &mut impl FnMut(u32, u64, T),
    ) -> Result<()> {
        watch.begin(
            "reading",
            self.sources.iter().map(|source| source.size).sum(),
        );
        for (at, source) in self.sources.iter().enumerate() {
            let mut records = source.records(&self.read);
            loop {
                let batch = batch(&mut *records);
                if batch.is_empty() {
                    break;
                }
                if watch.cancelled() {
                    return Err(Error::Cancelled);
                }
                let made: Vec<(u64, Option<T>)> = batch
                    .into_par_iter()
                    .map(|record| (record.number, self.made(record, source, make)))
                    .collect();
                for (number, made) in made {
                    if let Some(made) = made {
                        take(at as u32, number, made);
                    }
                }
            }
            watch.advance(source.size);
        }
        Ok(())
    }

    fn made<T>(
        &self,
        record: Record,
        source: &Source,
        make: &impl Fn(&Page, &TextOptions) -> Option<T>,
    ) -> Option<T> {
        match record.parse(source, &self.read) {
            Outcome::Page(page) => make(&page, &self.text),
            _ => None,
        }
    }

    fn side(&self, source: &Source, record: Record) -> Result<Side> {
        let number = record.number;
        let bad = |reason: &str| {
            Error::Usage(format!(
                "{}, record {number}: {reason}",
                source.path.display()
            ))
        };
        match record.parse(source, &self.read) {
            Outcome::Page(page) => {
                let text = text_of(&page, &self.text).map_err(|reason| bad(&reason))?;
                let site = page.site.or_else(|| page.url.as_deref().and_then(site_of));
                Ok(Side {
                    id: page.id,
                    site,
                    date: page.date,
                    text,
                })
            }
            Outcome::Skipped(kind) => Err(bad(&format!("this is no page but: {kind}"))),
            Outcome::Rejected(reason) => Err(bad(&reason)),
        }
    }
}

fn batch(records: &mut dyn Iterator<Item = Record>) -> Vec<Record> {
    let (mut batch, mut bytes) = (Vec::new(), 0);
    while batch.len() < BATCH && bytes < BATCH_BYTES {
        let Some(record) = records.next() else { break };
        bytes += record.size;
        batch.push(record);
    }
    batch
}

fn row(id: String, source: u32, record: u64) -> PageRow {
    PageRow {
        id: id.into(),
        source,
        record,
        site: None,
        date: None,
        bytes: 0,
        chars: 0,
        own_chars: 0,
        text: None,
        sketch: 0,
        keys: 0,
    }
}

/// The error for an id that no page has, with ids that look like it.
fn unknown(id: &str, pages: &[PageRow]) -> Error {
    let wanted = id.to_lowercase();
    let likeness = |page: &PageRow| {
        let other = page.id.to_lowercase();
        let same = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| {
            a.zip(b).take_while(|(a, b)| a == b).count()
        };
        let ends = same(&mut wanted.chars(), &mut other.chars())
            + same(&mut wanted.chars().rev(), &mut other.chars().rev());
        // Of ids with as much in common the one with the least beside it is closest.
        let beside = other.chars().count().abs_diff(wanted.chars().count());
        (ends * 2).saturating_sub(beside)
    };
    let mut close: Vec<&PageRow> = pages.iter().filter(|page| likeness(page) > 4).collect();
    close.sort_by_cached_key(|page| (std::cmp::Reverse(likeness(page)), page.id.clone()));
    close.truncate(CLOSE);
    let names: Vec<String> = close.iter().map(|page| format!("`{}`", page.id)).collect();
    Error::Usage(if names.is_empty() {
        format!("no page has the id `{id}`; there are {} pages", pages.len())
    } else {
        format!(
            "no page has the id `{id}`; close to it: {}",
            names.join(", ")
        )
    })
}

impl Finished {
    /// True if the folder has what a finished run leaves.
    pub fn is_at(out: &Path) -> bool {
        out.join(SUMMARY).is_file()
    }

    /// Reads what the run left, and finds its inputs again.
    pub fn open(out: &Path) -> Result<Finished> {
        let summary = json(&out.join(SUMMARY))?;
        let noise: Option<NoiseList> = frozen(&out.join(NOISE))?;
        let parameters = &summary["parameters"];
        let method = text(&parameters["method"]).unwrap_or_default();
        let params = parameters["params"].as_object().into_iter().flatten();
        let settings = params
            .map(|(name, value)| {
                (
                    name.clone(),
                    text(value).unwrap_or_else(|| value.to_string()),
                )
            })
            .collect();
        let mut inputs = Inputs::open(
            &paths(&summary, out)?,
            read_options(parameters),
            text_options(parameters),
        )?;
        // As the run itself does, in case it wrote into one of its inputs.
        if let Ok(own) = out.canonicalize() {
            let inside = |path: &Path| path.canonicalize().is_ok_and(|path| path.starts_with(&own));
            inputs.sources.retain(|source| !inside(&source.path));
        }
        Ok(Finished {
            inputs,
            method,
            settings,
            exact: parameters["exact"].as_bool().unwrap_or(true),
            noise: noise.unwrap_or_default(),
            frequencies: frozen(&out.join(FREQUENCIES))?,
            out: out.to_owned(),
        })
    }

    /// What the run reported of two pages: the relation read from `a`, and the similarity.
    pub fn reported(&self, a: &str, b: &str) -> Result<Option<(Relation, f64)>> {
        let mut found = None;
        read_pairs(&self.out.join("pairs.jsonl"), |line| {
            if line.a == a && line.b == b {
                found = Some((line.relation, line.similarity));
            } else if line.a == b && line.b == a {
                found = Some((line.relation.swapped(), line.similarity));
            }
        })?;
        Ok(found)
    }
}

/// What the run froze in a file; `None` if there was nothing to freeze.
fn frozen<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    if !path.is_file() {
        return Ok(None);
    }
    let value = serde_json::from_value(json(path)?).map_err(|e| corrupt(path, &e))?;
    Ok(Some(value))
}

fn json(path: &Path) -> Result<Value> {
    let bytes = std::fs::read(path).map_err(Error::io("cannot read", path))?;
    serde_json::from_slice(&bytes).map_err(|e| corrupt(path, &e))
}

fn corrupt(path: &Path, error: &serde_json::Error) -> Error {
    Error::Corrupt {
        path: path.to_owned(),
        reason: format!("not as `retold dedup` writes it: {error}"),
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// The inputs as the run named them, from where it was started.
fn paths(summary: &Value, out: &Path) -> Result<Vec<PathBuf>> {
    let directory = PathBuf::from(text(&summary["run"]["directory"]).unwrap_or_default());
    let names: Vec<&str> = summary["inputs"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    if names.contains(&"-") {
        return Err(Error::Usage(format!(
            "the run in {} read standard input, which is gone; give the same data again: --in FILE --ids A B",
            out.display()
        )));
    }
    Ok(names.into_iter().map(|name| directory.join(name)).collect())
}

fn read_options(parameters: &Value) -> ReadOptions {
    let default = ReadOptions::default();
    let or = |name: &str, default: String| text(&parameters[name]).unwrap_or(default);
    ReadOptions {
        text_field: or("text_field", default.text_field),
        html_field: or("html_field", default.html_field),
        id_field: or("id_field", default.id_field),
        url_field: or("url_field", default.url_field),
        date_field: or("date_field", default.date_field),
        site_field: text(&parameters["site_field"]),
        site_dir: parameters["site_dir"].as_u64().map(|level| level as usize),
        max_record_size: parameters["max_record_size"]
            .as_u64()
            .unwrap_or(default.max_record_size),
    }
}

fn text_options(parameters: &Value) -> TextOptions {
    let fold: Option<Vec<&str>> = parameters["fold"]
        .as_array()
        .map(|names| names.iter().filter_map(Value::as_str).collect());
    let has = |name| fold.as_ref().is_none_or(|fold| fold.contains(&name));
    TextOptions {
        nfkc: has("nfkc"),
        case: has("case"),
        simplify: has("simplify"),
        extract: Extract::ALL
            .into_iter()
            .find(|extract| parameters["extract"] == extract.name()),
        ..TextOptions::default()
    }
}
