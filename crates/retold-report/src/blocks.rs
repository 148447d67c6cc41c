//! Blocks of text that many pages have in common: reads files, writes an output folder.

use retold::blocks::{BlockOptions, BlockRow, BlockTexts, Blocks, SpanRow, blocks};
use retold::internal::in_pool;
use retold::read::{RecordDecision, Source, TextOptions};
use retold::{Error, Result, RunConfig, Stage, Watch};
use serde::Serialize;
use serde_json::{Value, json};

use crate::files::commit;
use crate::job::{Job, inputs, is_finished, no_page, opened, sources};
use crate::kept::each_source;
use crate::out::{KEPT, OutDir};
use crate::summary::Records;
use crate::tables::{RejectLine, Table};

/// The most ids in a list of `summary.json`.
const NAMED: usize = 20;

/// Which blocks to look for, and what to write.
#[derive(Clone, Debug)]
pub struct BlockJob {
    /// The inputs, how to read them, and the output folder. `kept/` is written if [`OutputConfig::kept`](crate::OutputConfig::kept) is set.
    /// The method and comparisons with old pages are ignored.
    pub job: Job,
    /// What counts as a block, and which blocks to cut.
    pub options: BlockOptions,
    /// Whether to write the texts of blocks.
    pub text: bool,
}

/// `summary.json` of [`cut_blocks`].
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct BlockSummary {
    /// Records by outcome; `dropped` pages have too little text left.
    pub records: Records,
    /// Blocks on all pages.
    pub blocks: u64,
    /// Distinct blocks that are cut.
    pub cut: u64,
    /// Occurrences that are cut.
    pub spans: u64,
    /// Pages with cuts, including dropped pages.
    pub pages_cut: u64,
    /// Pages whose spans are listed but not cut, because they are HTML or stand in archives, feeds or books.
    pub pages_named: u64,
    /// Pages without a site, which are left unchanged where blocks are counted by site.
    pub without_site: u64,
    /// Pages that are put together from blocks of others, and so keep none of them.
    pub compiled: Compiled,
    /// Words on all pages.
    pub words: u64,
    /// Words in spans that are cut or listed.
    pub words_repeated: u64,
    /// Options that the result depends on.
    pub parameters: Value,
    /// Inputs as they were named.
    pub inputs: Vec<String>,
    /// Values that differ from run to run.
    pub run: Value,
}

/// Pages that are put together from blocks of others.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Compiled {
    /// Their number.
    pub pages: u64,
    /// The ids of the first 20.
    pub ids: Vec<String>,
}

/// A line of `blocks.jsonl`.
#[derive(Serialize)]
struct BlockLine<'a> {
    block: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    site: Option<&'a str>,
    df: u64,
    sites: u32,
    places: u64,
    cut: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// A line of `spans.jsonl`.
#[derive(Serialize)]
struct SpanLine<'a> {
    id: &'a str,
    source: &'a str,
    record: u64,
    begin: u32,
    end: u32,
    block: String,
    cut: bool,
}

/// A line of `dropped.jsonl`.
#[derive(Serialize)]
struct DroppedLine<'a> {
    id: String,
    source: &'a str,
    record: u64,
    words: u64,
    words_left: u64,
    reason: &'a str,
}

impl BlockJob {
    /// As [`Job::is_finished`].
    ///
    /// Errors: those of [`sources`].
    pub fn is_finished(&self) -> Result<bool> {
        is_finished(&self.job, || Ok(self.parameters()))
    }

    fn parameters(&self) -> Value {
        json!({
            "blocks": self.options,
            "text": self.text,
            "extract": self.job.judge.extract,
            "read": self.job.judge.read,
            "apply": self.job.output.kept,
        })
    }
}

/// Reads the inputs, decides which blocks to cut, and writes the output folder. The inputs are read again to write kept records or the
/// texts of blocks.
///
/// Errors: those of [`OutDir::open`], [`sources`], [`blocks()`] and of writing; no page could be read; kept records are requested but their
/// text is in several fields.
pub fn cut_blocks(wanted: &BlockJob, watch: &dyn Watch) -> Result<BlockSummary> {
    let job = &wanted.job;
    wanted.options.check()?;
    if job.output.kept && !job.judge.read.has_one_text_field() {
        return Err(Error::usage(
            "--apply cuts the text of one field; name one with --text-field, or leave --apply out",
        ));
    }
    let (out, run) = opened(job)?;
    in_pool(job.run.threads, || find_and_write(wanted, &run, out, watch))
}

fn find_and_write(
    wanted: &BlockJob,
    run: &RunConfig,
    out: OutDir,
    watch: &dyn Watch,
) -> Result<BlockSummary> {
    let (start, job) = (std::time::Instant::now(), &wanted.job);
    let mut sources = sources(job)?;
    // Fixes the numbering of pages, whatever the order of the inputs.
    sources.sort_by(|one, other| one.name.cmp(&other.name));
    let text = TextOptions {
        extract: job.judge.extract,
        sentences: false,
        ..TextOptions::default()
    };
    let (options, reading, resume) = (&wanted.options, &job.judge.read, run.resume.as_deref());
    let memory = run.memory()?;
    let found = Found {
        blocks: blocks(&sources, options, reading, &text, resume, &memory, watch)?,
        sources: &sources,
    };
    if found.blocks.pages().is_empty() && !job.run.allow_empty {
        return Err(found.nothing(job));
    }
    let texts = match wanted.text {
        true => Some(found.blocks.texts(&sources, reading, &text, watch)?),
        false => None,
    };
    watch.begin(Stage::Write.name(), 0);
    found.write_tables(wanted, texts.as_ref(), &out)?;
    if job.output.kept {
        found.write_kept(job, &out, watch)?;
    }
    let mut summary = found.summary(wanted);
    summary.run = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "threads": rayon::current_num_threads(),
        "seconds": start.elapsed().as_secs_f64(),
        "peak_memory": retold::internal::peak_memory(),
        "temporary_files": memory.on_disk(),
    });
    memory.check()?;
    commit(out, &summary, watch)?;
    Ok(summary)
}

struct Found<'a> {
    blocks: Blocks,
    sources: &'a [Source],
}

impl Found<'_> {
    fn name(&self, source: u32) -> &str {
        &self.sources[source as usize].name
    }

    fn nothing(&self, job: &Job) -> Error {
        let rejects = &self.blocks.rejects;
        let skipped: u64 = self.blocks.skipped.values().sum();
        let first = rejects.first().map(|reject| {
            let name = self.name(reject.source);
            format!(
                "; the first is {name}, record {}: {}",
                reject.record, reject.reason
            )
        });
        let rejected = rejects.len() as u64;
        no_page(
            job,
            rejected + skipped,
            rejected,
            &first.unwrap_or_default(),
        )
    }

    fn write_tables(
        &self,
        wanted: &BlockJob,
        texts: Option<&BlockTexts>,
        out: &OutDir,
    ) -> Result<()> {
        let blocks = &self.blocks;
        let rows = blocks.rows().enumerate();
        table(
            out,
            "blocks.jsonl",
            rows,
            |(number, row): (usize, BlockRow)| BlockLine {
                block: format!("{:032x}", row.hash()),
                site: blocks.site_of(&row),
                df: row.pages(),
                sites: row.sites(),
                places: row.places(),
                cut: row.cut(),
                text: texts.map(|texts| texts.of(number)),
            },
        )?;
        self.write_spans(out)?;
        let least = wanted.options.min_words;
        let reason = format!("fewer than {least} words left");
        let dropped = (0..blocks.pages().len() as u32).filter(|page| blocks.is_dropped(*page));
        table(out, "dropped.jsonl", dropped, |number| {
            let page = &blocks.pages()[number as usize];
            DroppedLine {
                id: blocks.id(number),
                source: self.name(page.source),
                record: page.record,
                words: page.words(),
                words_left: blocks.words_left(number),
                reason: &reason,
            }
        })?;
        let rejects = blocks.rejects.iter();
        table(out, "rejects.jsonl", rejects, |reject| RejectLine {
            source: self.name(reject.source),
            record: reject.record,
            reason: (&*reject.reason).into(),
        })
    }

    fn write_spans(&self, out: &OutDir) -> Result<()> {
        // Id of the page of the last span.
        let (mut of, mut id) = (None, String::new());
        let mut table = Table::create(out, "spans.jsonl")?;
        for span in self.blocks.spans() {
            let SpanRow {
                page, begin, end, ..
            } = span;
            if of != Some(page) {
                (of, id) = (Some(page), self.blocks.id(page));
            }
            let about = &self.blocks.pages()[page as usize];
            table.add(&SpanLine {
                id: &id,
                source: self.name(about.source),
                record: about.record,
                begin,
                end,
                block: format!("{:032x}", span.hash()),
                cut: about.is_cut,
            })?;
        }
        table.finish()
    }

    /// Reads the sources again and writes the kept records, several sources at a time.
    fn write_kept(&self, job: &Job, out: &OutDir, watch: &dyn Watch) -> Result<()> {
        let root = out.path(KEPT);
        std::fs::create_dir_all(&root).map_err(Error::io("cannot make the folder", &root))?;
        each_source(self.sources, watch, |number, source| {
            let mut decide = self.decisions(number as u32);
            source.rewrite(&job.judge.read, &mut decide, &root.join(&source.kept))
        })
    }

    /// Returns a function from record number to action; call it with ascending numbers.
    fn decisions(&self, source: u32) -> impl FnMut(u64) -> RecordDecision<'static> + '_ {
        let (pages, rejects) = (self.blocks.pages(), &self.blocks.rejects);
        let mut page = pages.partition_point(|page| page.source < source);
        let mut reject = rejects.partition_point(|reject| reject.source < source);
        move |record| {
            let here = |(of, number): (u32, u64)| of == source && number == record;
            if rejects
                .get(reject)
                .is_some_and(|reject| here((reject.source, reject.record)))
            {
                reject += 1;
                return RecordDecision::Leave;
            }
            if !pages
                .get(page)
                .is_some_and(|page| here((page.source, page.record)))
            {
                return RecordDecision::Keep;
            }
            page += 1;
            let number = page as u32 - 1;
            match self.blocks.cuts(number) {
                _ if self.blocks.is_dropped(number) => RecordDecision::Leave,
                Some(cuts) => RecordDecision::Cut(cuts),
                None => RecordDecision::Keep,
            }
        }
    }

    fn summary(&self, wanted: &BlockJob) -> BlockSummary {
        let (blocks, job) = (&self.blocks, &wanted.job);
        let all = blocks.pages();
        let numbered = || all.iter().zip(0u32..);
        let dropped = numbered().filter(|(_, number)| blocks.is_dropped(*number));
        let dropped = dropped.count() as u64;
        let skipped = blocks.skipped.values().sum::<u64>();
        let rejected = blocks.rejects.len() as u64;
        let repeated = numbered().map(|(page, number)| page.words() - blocks.words_left(number));
        let has_spans = |number: u32| blocks.has_spans(number);
        let with_spans = |is_cut: bool| {
            let pages = numbered();
            let pages = pages.filter(|(page, number)| page.is_cut == is_cut && has_spans(*number));
            pages.count() as u64
        };
        BlockSummary {
            records: Records {
                read: all.len() as u64 + rejected + skipped,
                kept: all.len() as u64 - dropped,
                dropped,
                rejected,
                skipped,
                skipped_by_kind: blocks.skipped.clone(),
            },
            blocks: blocks.count,
            cut: blocks.count_rows() as u64,
            spans: blocks.count_spans() as u64,
            pages_cut: with_spans(true),
            pages_named: with_spans(false),
            without_site: all.iter().filter(|page| page.site.is_none()).count() as u64,
            compiled: Compiled {
                pages: blocks.compiled().count() as u64,
                ids: blocks
                    .compiled()
                    .take(NAMED)
                    .map(|page| blocks.id(page))
                    .collect(),
            },
            words: all.iter().map(|page| page.words()).sum(),
            words_repeated: repeated.sum(),
            parameters: wanted.parameters(),
            inputs: inputs(job),
            run: Value::Null,
        }
    }
}

fn table<T, L: Serialize>(
    out: &OutDir,
    name: &str,
    items: impl Iterator<Item = T>,
    line: impl Fn(T) -> L,
) -> Result<()> {
    let mut table = Table::create(out, name)?;
    for item in items {
        table.add(&line(item))?;
    }
    table.finish()
}
