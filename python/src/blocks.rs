//! Blocks of text that many pages have in common.

use std::path::PathBuf;
use std::str::FromStr;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use retold::blocks::{BlockKeep, BlockOptions, BlockScope, BlockTexts, BlockUnit};
use retold::internal::in_pool;
use retold::read::{Source, TextOptions};
use retold::{Canonical, Error, JudgeConfig, Result, RunConfig, Watch};

use crate::error::{InternalError, raise, usage};
use crate::findings::{Columns, batch, numbers, some_strings, strings};
use crate::job;
use crate::pages::Pages;
use crate::passages::flags;
use crate::plain;
use crate::table::Table;

/// Blocks that many pages have in common, as tables like the JSONL files of `retold blocks`.
///
/// >>> import retold
/// >>> pages = [{"id": str(n), "text": f"Share this page\n\nStory {n} tells of a ferry and of the sea."} for n in range(3)]
/// >>> found = retold.blocks(pages, scope="collection", text=True)
/// >>> found.blocks.column("text"), found.spans.column("id"), len(found.dropped)
/// (['Share this page'], ['1', '2'], 0)
#[pyclass(frozen, module = "retold")]
pub struct Blocks {
    blocks: RecordBatch,
    spans: RecordBatch,
    dropped: RecordBatch,
}

#[pymethods]
impl Blocks {
    /// One row for each block: `block` (a hash of its folded text), `site` (with `scope="site"`), `df` (number of pages), `sites`,
    /// `places`, `cut` (number of places to cut), and `text` if requested.
    #[getter]
    fn blocks(&self) -> Table {
        Table(self.blocks.clone())
    }

    /// The places of blocks to cut: `id`, `source`, `record`, `begin`, `end`, `block` and `cut`. `cut` is true if the page is plain text;
    /// then `begin` and `end` count characters of it.
    #[getter]
    fn spans(&self) -> Table {
        Table(self.spans.clone())
    }

    /// Pages with too few words left: `id`, `source`, `record`, `words`, `words_left`.
    #[getter]
    fn dropped(&self) -> Table {
        Table(self.dropped.clone())
    }

    fn __repr__(&self) -> String {
        format!(
            "<retold.Blocks: {} blocks, {} places, {} pages dropped>",
            self.blocks.num_rows(),
            self.spans.num_rows(),
            self.dropped.num_rows()
        )
    }
}

struct FoundBlocks {
    sources: Vec<Source>,
    blocks: retold::blocks::Blocks,
    texts: Option<BlockTexts>,
}

impl FoundBlocks {
    /// Finds the blocks, and their texts if `text` is set.
    fn find(
        sources: Vec<Source>,
        wanted: &BlockOptions,
        config: &JudgeConfig,
        run: &RunConfig,
        text: bool,
        watch: &dyn Watch,
    ) -> Result<FoundBlocks> {
        let made = TextOptions {
            extract: config.extract,
            sentences: false,
            ..TextOptions::default()
        };
        let memory = run.memory()?;
        let read = &config.read;
        let blocks = retold::blocks::blocks(&sources, wanted, read, &made, None, &memory, watch)?;
        if blocks.pages().is_empty() && !run.allow_empty {
            return Err(Error::usage("no page could be read"));
        }
        let texts = text.then(|| blocks.texts(&sources, read, &made, watch));
        Ok(FoundBlocks {
            texts: texts.transpose()?,
            blocks,
            sources,
        })
    }

    fn tables(&self) -> std::result::Result<Blocks, ArrowError> {
        Ok(Blocks {
            blocks: batch(self.blocks())?,
            spans: batch(self.spans())?,
            dropped: batch(self.dropped())?,
        })
    }

    fn blocks(&self) -> Columns {
        let rows = || self.blocks.rows();
        let site = |row: retold::blocks::BlockRow| self.blocks.site_of(&row).map(str::to_owned);
        let mut columns: Columns = vec![
            (
                "block",
                strings(rows().map(|row| format!("{:032x}", row.hash()))),
            ),
            ("site", some_strings(rows().map(site))),
            ("df", numbers(rows().map(|row| row.pages() as i64))),
            ("sites", numbers(rows().map(|row| i64::from(row.sites())))),
            ("places", numbers(rows().map(|row| row.places() as i64))),
            ("cut", numbers(rows().map(|row| row.cut() as i64))),
        ];
        if let Some(texts) = &self.texts {
            let all = 0..self.blocks.count_rows();
            columns.push(("text", strings(all.map(|block| texts.of(block)))));
        }
        columns
    }

    /// The columns that identify pages.
    fn pages(&self, pages: impl Iterator<Item = u32> + Clone) -> Columns {
        let page = |number: u32| &self.blocks.pages()[number as usize];
        let source = |number: u32| &self.sources[page(number).source as usize].name;
        vec![
            (
                "id",
                strings(pages.clone().map(|page| self.blocks.id(page))),
            ),
            ("source", strings(pages.clone().map(source))),
            (
                "record",
                numbers(pages.map(|number| page(number).record as i64)),
            ),
        ]
    }

    fn spans(&self) -> Columns {
        let spans = || self.blocks.spans();
        let mut columns = self.pages(spans().map(|span| span.page));
        let is_cut = |page: u32| self.blocks.pages()[page as usize].is_cut;
        columns.extend([
            ("begin", numbers(spans().map(|span| i64::from(span.begin)))),
            ("end", numbers(spans().map(|span| i64::from(span.end)))),
            (
                "block",
                strings(spans().map(|span| format!("{:032x}", span.hash()))),
            ),
            ("cut", flags(spans().map(|span| is_cut(span.page)))),
        ]);
        columns
    }

    fn dropped(&self) -> Columns {
        let all = 0..self.blocks.pages().len() as u32;
        let dropped = all.filter(|page| self.blocks.is_dropped(*page));
        let words = |page: u32| self.blocks.pages()[page as usize].words() as i64;
        let left = |page: u32| self.blocks.words_left(page) as i64;
        let mut columns = self.pages(dropped.clone());
        columns.extend([
            ("words", numbers(dropped.clone().map(words))),
            ("words_left", numbers(dropped.map(left))),
        ]);
        columns
    }
}

const UNITS: [(&str, BlockUnit); 4] = [
    ("line", BlockUnit::Line),
    ("paragraph", BlockUnit::Paragraph),
    ("sentence", BlockUnit::Sentence),
    ("passage", BlockUnit::Passage),
];

const SCOPES: [(&str, BlockScope); 2] = [
    ("site", BlockScope::Site),
    ("collection", BlockScope::Collection),
];

fn named<T: FromStr<Err = String>>(name: &str, text: &str) -> PyResult<T> {
    text.parse()
        .map_err(|reason: String| usage(format!("{name}={text}: {reason}")))
}

fn one_of<T: Copy>(name: &str, text: &str, all: &[(&str, T)]) -> PyResult<T> {
    let found = all.iter().find(|(of, _)| *of == text);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        usage(format!("{name}={text}: give one of {}", names.join(", ")))
    })
}

/// Finds lines, paragraphs, sentences or passages that many pages have in common, with their places.
///
/// `pages` and the options for reading are as in `retold.dedup`. `unit` is "line", "paragraph", "sentence" or "passage" (at least
/// `passage_words` words, anywhere in a paragraph). `scope` is "site" (blocks on more than half of a site's pages) or "collection" (blocks
/// on at least two pages). `keep` is "one" (a block stays on the page that `canonical` prefers), "none", or "under:N" (blocks on fewer than
/// N pages stay everywhere, others nowhere). With `text`, the texts of blocks are returned, too.
///
/// >>> import retold
/// >>> pages = [{"id": str(n), "text": f"Share this page\n\nStory {n} tells of a ferry and of the sea."} for n in range(3)]
/// >>> found = retold.blocks(pages, scope="collection", text=True)
/// >>> [(row["df"], row["cut"], row["text"]) for row in found.blocks.to_pylist()]
/// [(3, 2, 'Share this page')]
/// >>> [(row["id"], row["begin"], row["end"]) for row in found.spans.to_pylist()]
/// [('1', 0, 15), ('2', 0, 15)]
#[pyfunction]
#[pyo3(
    signature = (pages, *, unit="paragraph", passage_words=25, scope="site", keep="one", canonical="earliest,first", min_chars=None, min_words=5, text=false, threads=0, memory=None, temp_dir=None, allow_empty=false, progress=None, **options),
    text_signature = "(pages, *, unit='paragraph', passage_words=25, scope='site', keep='one', canonical='earliest,first', min_chars=None, min_words=5, text=False, threads=0, memory=None, temp_dir=None, allow_empty=False, progress=None, **options)"
)]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn blocks<'py>(
    py: Python<'py>,
    pages: &Bound<'py, PyAny>,
    unit: &str,
    passage_words: u32,
    scope: &str,
    keep: &str,
    canonical: &str,
    min_chars: Option<u32>,
    min_words: u32,
    text: bool,
    threads: usize,
    memory: Option<Bound<'py, PyAny>>,
    temp_dir: Option<PathBuf>,
    allow_empty: bool,
    progress: Option<Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Blocks> {
    let scope = one_of("scope", scope, &SCOPES)?;
    let wanted = BlockOptions {
        unit: one_of("unit", unit, &UNITS)?,
        passage_words,
        scope,
        keep: named::<BlockKeep>("keep", keep)?,
        canonical: named::<Canonical>("canonical", canonical)?,
        min_chars: min_chars.unwrap_or(scope.min_chars()),
        min_words,
    };
    wanted.check().map_err(raise)?;
    let mut options = plain::options(options)?;
    // The fields that `canonical` looks at are read, too.
    options.insert("canonical".to_owned(), canonical.into());
    let model = JudgeConfig::from_map(options).and_then(retold::Model::new);
    let config = model.map_err(raise)?.config().clone();
    let run = job::resources(threads, memory, temp_dir.clone(), allow_empty)?;
    let mut pages = Pages::of(pages, &config.read, temp_dir.as_ref())?;
    let mut sources = std::mem::take(&mut pages.sources);
    sources.sort_by(|one, other| one.name.cmp(&other.name));
    let found = job::run(py, progress, |watch| {
        in_pool(threads, || {
            FoundBlocks::find(sources, &wanted, &config, &run, text, watch)
        })
    })?;
    let tables = py.detach(|| found.tables());
    tables.map_err(|error| InternalError::new_err(error.to_string()))
}
