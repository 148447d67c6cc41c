//! Passages that pages have in common: reads files, writes an output folder.

use std::borrow::Cow;
use std::time::Duration;

use retold::internal::{date_text, in_pool};
use retold::passages::{PassageOptions, PassagePair, PassageRow, Passages, passages};
use retold::{Findings, JudgeConfig, Model, Rank, Result, Stage, StageTime, Watch};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::columns::{self, Columns, Kind};
use crate::files::{commit, directory, write_text};
use crate::html::write_passages;
use crate::job::{Job, find, inputs, is_finished, opened};
use crate::out::{MODEL, OutDir};
use crate::summary::Records;
use crate::tables::{write, write_rejects};

/// Which passages to search for, and what to write.
#[derive(Clone, Debug)]
pub struct PassageJob {
    /// The inputs, how to read them, how to recognise copies, and the output folder.
    pub job: Job,
    /// What counts as a passage.
    pub options: PassageOptions,
    /// Names of the fields.
    pub names: PassageNames,
}

/// Names of the fields of passages and pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PassageNames {
    /// `a`, `a_begin`, `site` and so on.
    #[default]
    Retold,
    /// Names of passim: `id1`, `b1`, `series` and so on.
    Passim,
}

/// `summary.json` of [`find_passages`].
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PassageSummary {
    /// Records by outcome; nothing is dropped.
    pub records: Records,
    /// Pages with the same text as another one. They are listed in `copies.jsonl` only.
    pub copies: u64,
    /// Pages that repeat another one. They are compared with others only where they differ from it.
    pub repeating: u64,
    /// Aligned pairs of pages.
    pub aligned: u64,
    /// Lines of `pairs.jsonl`.
    pub pairs: u64,
    /// Distinct passages.
    pub passages: u64,
    /// Lines of `passages.jsonl`.
    pub places: u64,
    /// Passages whose pages are mostly from one site.
    pub boilerplate: u64,
    /// Word runs that more than `max_df` pages have; each of these pages was compared with one other for them.
    pub common: u64,
    /// The word runs that the most pages have.
    pub most_common: Vec<CommonLine>,
    /// Places that were not searched for, because the text around repeats one or two words.
    pub monotonous: u64,
    /// Options that the result depends on.
    pub parameters: Map<String, Value>,
    /// Inputs as they were named.
    pub inputs: Vec<String>,
    /// Values that differ from run to run.
    pub run: Value,
}

/// A word run that very many pages have.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct CommonLine {
    /// Number of pages.
    pub pages: u32,
    /// Id of one of the pages.
    pub id: String,
    /// The words.
    pub text: String,
}

#[derive(Serialize)]
struct PairLine<'a> {
    a: Cow<'a, str>,
    a_begin: u32,
    a_end: u32,
    a_begin_byte: Option<u32>,
    a_end_byte: Option<u32>,
    b: Cow<'a, str>,
    b_begin: u32,
    b_end: u32,
    b_begin_byte: Option<u32>,
    b_end_byte: Option<u32>,
    matched: u32,
    score: u32,
}

#[derive(Serialize)]
struct PassimPair<'a> {
    id1: Cow<'a, str>,
    b1: u32,
    e1: u32,
    id2: Cow<'a, str>,
    b2: u32,
    e2: u32,
    matches: u32,
    score: u32,
}

#[derive(Serialize)]
struct PassageLine<'a> {
    cluster: u32,
    size: u32,
    id: Cow<'a, str>,
    begin: u32,
    end: u32,
    begin_byte: Option<u32>,
    end_byte: Option<u32>,
    site: Option<&'a str>,
    date: Option<String>,
    first: bool,
    boilerplate: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(Serialize)]
struct PassimPassage<'a> {
    cluster: u32,
    size: u32,
    id: Cow<'a, str>,
    begin: u32,
    end: u32,
    series: Option<&'a str>,
    date: Option<String>,
    pboiler: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(Serialize)]
struct CopyLine<'a> {
    id: Cow<'a, str>,
    of: Cow<'a, str>,
}

const PAIRS: &Columns = &[
    ("a", Kind::Text),
    ("a_begin", Kind::Whole),
    ("a_end", Kind::Whole),
    ("a_begin_byte", Kind::Whole),
    ("a_end_byte", Kind::Whole),
    ("b", Kind::Text),
    ("b_begin", Kind::Whole),
    ("b_end", Kind::Whole),
    ("b_begin_byte", Kind::Whole),
    ("b_end_byte", Kind::Whole),
    ("matched", Kind::Whole),
    ("score", Kind::Whole),
];
const PASSIM_PAIRS: &Columns = &[
    ("id1", Kind::Text),
    ("b1", Kind::Whole),
    ("e1", Kind::Whole),
    ("id2", Kind::Text),
    ("b2", Kind::Whole),
    ("e2", Kind::Whole),
    ("matches", Kind::Whole),
    ("score", Kind::Whole),
];

const PASSAGES: &Columns = &[
    ("cluster", Kind::Whole),
    ("size", Kind::Whole),
    ("id", Kind::Text),
    ("begin", Kind::Whole),
    ("end", Kind::Whole),
    ("begin_byte", Kind::Whole),
    ("end_byte", Kind::Whole),
    ("site", Kind::Text),
    ("date", Kind::Text),
    ("first", Kind::Yes),
    ("boilerplate", Kind::Yes),
    ("text", Kind::Text),
];
const PASSIM_PASSAGES: &Columns = &[
    ("cluster", Kind::Whole),
    ("size", Kind::Whole),
    ("id", Kind::Text),
    ("begin", Kind::Whole),
    ("end", Kind::Whole),
    ("series", Kind::Text),
    ("date", Kind::Text),
    ("pboiler", Kind::Yes),
    ("text", Kind::Text),
];
const COPIES: &Columns = &[("id", Kind::Text), ("of", Kind::Text)];

impl PassageJob {
    /// As [`Job::is_finished`].
    ///
    /// Errors: those of [`Model::new`] and [`sources`](crate::sources).
    pub fn is_finished(&self) -> Result<bool> {
        is_finished(&self.job, || {
            let model = Model::new(self.job.judge.clone())?;
            Ok(parameters(self, model.config()).into())
        })
    }
}

/// Finds copies among the inputs, then passages that pages have in common, and writes the output folder.
///
/// Errors: those of [`crate::run`] and of [`passages()`].
pub fn find_passages(wanted: &PassageJob, watch: &dyn Watch) -> Result<PassageSummary> {
    let job = &wanted.job;
    wanted.options.check()?;
    columns::check(job.output.tables)?;
    let (out, run) = opened(job)?;
    in_pool(job.run.threads, || {
        let findings = find(job, &run, watch)?;
        let found = passages(&findings, &wanted.options, watch)?;
        watch.begin(Stage::Write.name(), 0);
        let mut summary = summary(wanted, &findings, &found);
        write_tables(wanted, &findings, &found, &out)?;
        let report = write_passages(&findings, &found, &summary, &out, watch)?;
        summary.run = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "threads": rayon::current_num_threads(),
            "seconds": seconds(&findings, &found, |time| Some(time.wall)),
            "cpu_seconds": seconds(&findings, &found, |time| time.cpu),
            "peak_memory": retold::internal::peak_memory(),
            "temporary_files": findings.collection.memory().on_disk(),
            "directory": directory(),
        });
        report.finish(&summary.run)?;
        write_text(&out, MODEL, &findings.model.to_json())?;
        commit(out, &summary, watch)?;
        Ok(summary)
    })
}

fn seconds(
    findings: &Findings,
    found: &Passages,
    of: impl Fn(&StageTime) -> Option<Duration>,
) -> Vec<(&'static str, f64)> {
    let times = findings.times.iter().chain(&found.times);
    let known = times.filter_map(|time| Some((time.stage.name(), of(time)?.as_secs_f64())));
    known.collect()
}

fn summary(wanted: &PassageJob, findings: &Findings, found: &Passages) -> PassageSummary {
    let (passages, boilerplate) = found.count();
    let common = found.most_common.iter().map(|common| CommonLine {
        pages: common.df,
        id: findings.id(common.page).into_owned(),
        text: common.text.clone(),
    });
    let mut records = Records::of(findings);
    (records.kept, records.dropped) = (records.kept + records.dropped, 0);
    PassageSummary {
        records,
        copies: found.copies.len() as u64,
        repeating: found.repeating,
        aligned: found.aligned,
        pairs: found.count_pairs() as u64,
        passages: passages as u64,
        places: found.count_rows() as u64,
        boilerplate: boilerplate as u64,
        common: found.common,
        most_common: common.collect(),
        monotonous: found.monotonous,
        parameters: parameters(wanted, findings.model.config()),
        inputs: inputs(&wanted.job),
        run: Value::Null,
    }
}

fn parameters(wanted: &PassageJob, judge: &JudgeConfig) -> Map<String, Value> {
    let mut all = judge.to_map();
    if let Ok(Value::Object(options)) = serde_json::to_value(&wanted.options) {
        all.extend(options);
    }
    all.insert("names".to_owned(), json!(wanted.names));
    all.insert("tables".to_owned(), json!(wanted.job.output.tables));
    all
}

fn write_tables(
    wanted: &PassageJob,
    findings: &Findings,
    found: &Passages,
    out: &OutDir,
) -> Result<()> {
    let form = wanted.job.output.tables;
    let id = |rank: Rank| findings.id(rank);
    let (pairs, rows) = (found.pairs(), found.rows());
    match wanted.names {
        PassageNames::Retold => {
            write(out, form, "pairs", PAIRS, pairs, |pair| {
                PairLine::of(findings, pair)
            })?;
            let line = |row| PassageLine::of(findings, row);
            write(out, form, "passages", PASSAGES, rows, line)?;
        }
        PassageNames::Passim => {
            let line = |pair| PassimPair::of(PairLine::of(findings, pair));
            write(out, form, "pairs", PASSIM_PAIRS, pairs, line)?;
            let line = |row| PassimPassage::of(PassageLine::of(findings, row));
            write(out, form, "passages", PASSIM_PASSAGES, rows, line)?;
        }
    }
    let copy = |&(copy, of): &(Rank, Rank)| CopyLine {
        id: id(copy),
        of: id(of),
    };
    write(out, form, "copies", COPIES, found.copies.iter(), copy)?;
    write_rejects(findings, form, out)
}

impl PairLine<'_> {
    fn of(findings: &Findings, pair: PassagePair) -> PairLine<'_> {
        PairLine {
            a: findings.id(pair.a),
            a_begin: pair.a_place.0,
            a_end: pair.a_place.1,
            a_begin_byte: pair.a_bytes.map(|bytes| bytes.0),
            a_end_byte: pair.a_bytes.map(|bytes| bytes.1),
            b: findings.id(pair.b),
            b_begin: pair.b_place.0,
            b_end: pair.b_place.1,
            b_begin_byte: pair.b_bytes.map(|bytes| bytes.0),
            b_end_byte: pair.b_bytes.map(|bytes| bytes.1),
            matched: pair.matched,
            score: pair.score,
        }
    }
}

impl PassimPair<'_> {
    fn of(pair: PairLine<'_>) -> PassimPair<'_> {
        PassimPair {
            id1: pair.a,
            b1: pair.a_begin,
            e1: pair.a_end,
            id2: pair.b,
            b2: pair.b_begin,
            e2: pair.b_end,
            matches: pair.matched,
            score: pair.score,
        }
    }
}

impl PassageLine<'_> {
    fn of(findings: &Findings, row: PassageRow) -> PassageLine<'_> {
        let page = findings.page(row.page);
        PassageLine {
            cluster: row.cluster,
            size: row.size,
            id: findings.id(row.page),
            begin: row.place.0,
            end: row.place.1,
            begin_byte: row.bytes.map(|bytes| bytes.0),
            end_byte: row.bytes.map(|bytes| bytes.1),
            site: findings.collection.site(&page),
            date: page.date.and_then(date_text),
            first: row.first,
            boilerplate: row.boilerplate,
            text: row.text,
        }
    }
}

impl PassimPassage<'_> {
    fn of(passage: PassageLine<'_>) -> PassimPassage<'_> {
        PassimPassage {
            cluster: passage.cluster,
            size: passage.size,
            id: passage.id,
            begin: passage.begin,
            end: passage.end,
            series: passage.site,
            date: passage.date,
            pboiler: passage.boilerplate,
            text: passage.text,
        }
    }
}
