//! Decontamination and sampling of a corpus.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use retold::JudgeConfig;
use retold::passages::{BenchmarkFields, DEFAULT_CONTAMINATION};
use retold::read::ReadOptions;
use retold_report::{Against, Decontamination, Job, OutputConfig, Sample, Weights};
use serde_json::json;

use crate::error::{InternalError, raise, usage};
use crate::job;
use crate::pages::Pages;
use crate::plain;

fn paths(given: &Bound<'_, PyAny>, read: &ReadOptions) -> PyResult<Vec<PathBuf>> {
    let pages = Pages::of(given, read, None)?;
    if pages.paths.is_empty() {
        return Err(PyTypeError::new_err(
            "the output has the same files: name files or folders, not pages",
        ));
    }
    Ok(pages.paths)
}

fn fields(given: Option<Vec<String>>, usual: String) -> String {
    given.map_or(usual, |names| names.join(","))
}

/// Finds pages that contain benchmark questions, and writes the corpus without them, as `retold decontaminate` does.
///
/// `corpus` and `benchmarks` are files and folders. The folder `out` gets `contaminated.jsonl`, `kept/`, `rejects.jsonl` and
/// `summary.json`; the summary is also returned. A page is contaminated if its score is at least `threshold`. `question_fields`,
/// `answer_fields` and `passage_fields` name fields of the benchmark records; by default, common names are tried. Other options say how to
/// read the corpus, as in `retold.dedup`.
///
/// >>> import retold, tempfile, pathlib, json
/// >>> here = pathlib.Path(tempfile.mkdtemp())
/// >>> question = "A ferry carries 14 lorries to Naxos and takes 9 of them back in the evening. How many lorries stay on the island?"
/// >>> _ = (here / "gsm_test.jsonl").write_text(json.dumps({"question": question, "answer": "5"}) + "\n")
/// >>> _ = (here / "pages.jsonl").write_text("".join(json.dumps({"id": id, "text": text}) + "\n" for id, text in [("a", "Solve this: " + question), ("b", "No quiz here.")]))
/// >>> summary = retold.decontaminate(here / "pages.jsonl", here / "gsm_test.jsonl", out=here / "out")
/// >>> summary["records"]["kept"], summary["records"]["dropped"]
/// (1, 1)
#[pyfunction]
#[pyo3(
    signature = (corpus, benchmarks, *, out, force=false, threshold=DEFAULT_CONTAMINATION, question_fields=None, answer_fields=None, passage_fields=None, item_id_field="id", kept=true, threads=0, allow_empty=false, progress=None, **options),
    text_signature = "(corpus, benchmarks, *, out, force=False, threshold=0.7, question_fields=None, answer_fields=None, passage_fields=None, item_id_field='id', kept=True, threads=0, allow_empty=False, progress=None, extract='main', text_field='text', skip_roles=[], html_field='html', id_field='id', url_field='url', date_field='date', title_field='title', site_field=None, site_dir=None, status='200', delimiter=None, quote='\"', max_record_size=67108864)"
)]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn decontaminate<'py>(
    py: Python<'py>,
    corpus: &Bound<'py, PyAny>,
    benchmarks: &Bound<'py, PyAny>,
    out: PathBuf,
    force: bool,
    threshold: f64,
    question_fields: Option<Vec<String>>,
    answer_fields: Option<Vec<String>>,
    passage_fields: Option<Vec<String>>,
    item_id_field: &str,
    kept: bool,
    threads: usize,
    allow_empty: bool,
    progress: Option<Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    if !(threshold > 0.0 && threshold <= 1.0) {
        return Err(usage(format!(
            "threshold={threshold}: give a number above 0 and up to 1"
        )));
    }
    let mut options = plain::options(options)?;
    options.entry("extract").or_insert("main".into());
    let judge = JudgeConfig::from_map(options).map_err(raise)?;
    let read = judge.read.clone();
    let usual = BenchmarkFields::default();
    let wanted = Decontamination {
        job: Job {
            inputs: paths(corpus, &read)?,
            stdin: None,
            judge,
            run: job::resources(threads, None, None, allow_empty)?,
            output: OutputConfig {
                kept,
                ..OutputConfig::default()
            },
            against: Against::Nothing,
            out,
            force,
            resume: false,
        },
        benchmarks: paths(benchmarks, &read)?,
        benchmark_read: read,
        fields: BenchmarkFields {
            question: fields(question_fields, usual.question),
            answer: fields(answer_fields, usual.answer),
            passage: fields(passage_fields, usual.passage),
            id: item_id_field.to_owned(),
        },
        threshold,
    };
    let summary = job::run(py, progress, |watch| {
        retold_report::decontaminate(&wanted, watch)
    })?;
    let summary = serde_json::to_string(&summary)
        .map_err(|error| InternalError::new_err(error.to_string()))?;
    plain::to_python(py, &summary)
}

/// Samples or repeats kept pages by the size of their clusters, as `retold sample` does.
///
/// `pages` is the output folder of a run, or files and folders whose records have the cluster size in `size_field`, as `annotate=True`
/// writes it. `weights` maps the smallest cluster size to the number of times that a page is written: `{1: 1, 2: 2, 100: 0.5}`. With `by`,
/// another number decides: "pages" (exact copies of one site count once), "sites" or "inputs" of the cluster. The folder `out` gets `copy-1` with every page that is written, `copy-2` with pages written at least twice, and so on. Returns the numbers of pages
/// read, written and left out.
///
/// >>> import retold, tempfile, pathlib
/// >>> here = pathlib.Path(tempfile.mkdtemp())
/// >>> _ = (here / "pages.csv").write_text("id,text,retold_cluster_size\na,The ferry left late.,1\nb,A new bridge was opened.,12\n")
/// >>> retold.sample(here / "pages.csv", {1: 1, 10: 2}, out=here / "out")
/// {'folders': 2, 'left': 0, 'pages': 2, 'rejected': 0, 'written': 3}
#[pyfunction]
#[pyo3(
    signature = (pages, weights, *, out, by="size", seed=0, size_field=None, force=false, progress=None, **options),
    text_signature = "(pages, weights, *, out, by='size', seed=0, size_field=None, force=False, progress=None, text_field='text', skip_roles=[], html_field='html', id_field='id', url_field='url', date_field='date', title_field='title', site_field=None, site_dir=None, status='200', delimiter=None, quote='\"', max_record_size=67108864)"
)]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn sample<'py>(
    py: Python<'py>,
    pages: &Bound<'py, PyAny>,
    weights: &Bound<'py, PyDict>,
    out: PathBuf,
    by: &str,
    seed: u64,
    size_field: Option<String>,
    force: bool,
    progress: Option<Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let read = JudgeConfig::from_map(plain::options(options)?)
        .map_err(raise)?
        .read;
    let pairs: Vec<String> = weights
        .extract::<BTreeMap<u64, f64>>()?
        .iter()
        .map(|(size, weight)| format!("{size}:{weight}"))
        .collect();
    let weights: Weights = pairs
        .join(",")
        .parse()
        .map_err(|_| {
            usage("weights: sizes ascending from 1 with weights from 0 to 1000 expected, as in {1: 1, 2: 2, 100: 0.5}")
        })?;
    let by = serde_json::from_value(json!(by)).map_err(|error| usage(format!("by: {error}")))?;
    let job = Sample {
        inputs: paths(pages, &read)?,
        read,
        by,
        size_field,
        weights,
        seed,
        out,
        force,
    };
    let sampled = job::run(py, progress, |watch| retold_report::sample(&job, watch))?;
    plain::to_python(py, &json!(sampled).to_string())
}
