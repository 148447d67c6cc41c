//! Finds pages that contain benchmark items: reads files, writes an output folder.

use std::collections::BTreeMap;
use std::path::PathBuf;

use retold::internal::{Memory, in_pool, shown_input};
use retold::method::text_of;
use retold::passages::{BenchmarkFields, Benchmarks, Contamination};
use retold::read::{
    Outcome, ReadOptions, Record, RecordDecision, Source, TextOptions, WorkLimit, discover,
    each_record, expand,
};
use retold::{Page, Result, Stage, Watch};
use serde::Serialize;
use serde_json::{Value, json};

use crate::files::commit;
use crate::job::{Job, inputs, no_page, opened, sources};
use crate::kept::{belonging, each_source};
use crate::out::{KEPT, OutDir};
use crate::summary::Records;
use crate::tables::{RejectLine, Table};

/// What to search for, and what to write.
#[derive(Clone, Debug)]
pub struct Decontamination {
    /// The inputs, how to read them, and the output folder. The method and comparisons with old pages are ignored.
    pub job: Job,
    /// Files and folders of benchmarks.
    pub benchmarks: Vec<PathBuf>,
    /// How to read the benchmark files.
    pub benchmark_read: ReadOptions,
    /// The fields of benchmark records.
    pub fields: BenchmarkFields,
    /// Minimum score of a contaminated page.
    pub threshold: f64,
}

/// `summary.json` of [`decontaminate`].
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct DecontaminationSummary {
    /// Records by outcome; `dropped` pages are contaminated.
    pub records: Records,
    /// The result for each benchmark.
    pub benchmarks: Vec<BenchmarkSummary>,
    /// Options that the result depends on.
    pub parameters: Value,
    /// Inputs as they were named.
    pub inputs: Vec<String>,
    /// Values that differ from run to run.
    pub run: Value,
}

/// The result for one benchmark.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct BenchmarkSummary {
    /// Name of the benchmark.
    pub benchmark: String,
    /// Split of the benchmark.
    pub split: Option<String>,
    /// Number of items.
    pub items: u64,
    /// Records without a question, which are not searched for.
    pub without_question: u64,
    /// Items found on at least one page.
    pub items_found: u64,
    /// Pages with at least one item.
    pub pages: u64,
}

/// A line of `contaminated.jsonl`.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    source: &'a str,
    record: u64,
    benchmark: &'a str,
    split: Option<&'a str>,
    item: &'a str,
    score: f64,
    question: f64,
    answer: bool,
    passage: bool,
    begin: u32,
    end: u32,
}

enum Made {
    Page(String, Vec<Contamination>),
    Skipped(String),
    Rejected(String),
}

/// Reads the benchmarks and the inputs, and writes the output folder. The inputs are read again to write kept records.
///
/// Errors: those of [`OutDir::open`], [`sources`], [`Benchmarks::read`] and of writing; no page could be read.
pub fn decontaminate(
    wanted: &Decontamination,
    watch: &dyn Watch,
) -> Result<DecontaminationSummary> {
    let job = &wanted.job;
    let (out, _) = opened(job)?;
    in_pool(job.run.threads, || run(wanted, out, watch))
}

fn run(wanted: &Decontamination, out: OutDir, watch: &dyn Watch) -> Result<DecontaminationSummary> {
    let start = std::time::Instant::now();
    let job = &wanted.job;
    let read = &wanted.benchmark_read;
    let mut files = discover(&expand(&wanted.benchmarks)?, read)?;
    files.sort_by(|one, other| one.kept.cmp(&other.kept));
    let benchmarks = Benchmarks::read(&files, &wanted.fields, read)?;
    let mut sources = sources(job)?;
    // Fixes the order of lines, whatever the order of the inputs.
    sources.sort_by(|one, other| one.name.cmp(&other.name));
    let mut pass = Pass::new(&benchmarks, &sources, &out)?;
    pass.read(wanted, watch)?;
    watch.begin(Stage::Write.name(), 0);
    if pass.records.kept + pass.records.dropped == 0 && !job.run.allow_empty {
        let Records { read, rejected, .. } = pass.records;
        return Err(no_page(job, read, rejected, &pass.first_reject));
    }
    if job.output.kept {
        pass.write_kept(&job.judge.read, &job.run.memory()?, watch)?;
    }
    let summary = DecontaminationSummary {
        benchmarks: pass.summary(),
        parameters: parameters(wanted),
        inputs: inputs(job),
        run: json!({
            "version": env!("CARGO_PKG_VERSION"),
            "threads": rayon::current_num_threads(),
            "seconds": start.elapsed().as_secs_f64(),
            "peak_memory": retold::internal::peak_memory(),
        }),
        records: pass.finish()?,
    };
    commit(out, &summary, watch)?;
    Ok(summary)
}

fn parameters(wanted: &Decontamination) -> Value {
    let benchmarks = wanted
        .benchmarks
        .iter()
        .map(|path| shown_input(path).display().to_string());
    json!({
        "benchmarks": benchmarks.collect::<Vec<_>>(),
        "question_field": wanted.fields.question,
        "answer_field": wanted.fields.answer,
        "passage_field": wanted.fields.passage,
        "item_id_field": wanted.fields.id,
        "threshold": wanted.threshold,
        "extract": wanted.job.judge.extract,
        "read": wanted.job.judge.read,
        "kept": wanted.job.output.kept,
    })
}

struct Pass<'a> {
    benchmarks: &'a Benchmarks,
    sources: &'a [Source],
    out: &'a OutDir,
    contaminated: Table,
    rejects: Table,
    records: Records,
    /// For each source, the numbers of contaminated records and of rejected records, ascending.
    left: Vec<[Vec<u64>; 2]>,
    /// For each item, whether a page has it.
    items: Vec<bool>,
    /// For each benchmark, the number of pages with items.
    pages: Vec<u64>,
    /// The first rejected record, for the error message.
    first_reject: String,
}

impl<'a> Pass<'a> {
    fn new(benchmarks: &'a Benchmarks, sources: &'a [Source], out: &'a OutDir) -> Result<Self> {
        Ok(Pass {
            benchmarks,
            sources,
            out,
            contaminated: Table::create(out, "contaminated.jsonl")?,
            rejects: Table::create(out, "rejects.jsonl")?,
            records: Records {
                read: 0,
                kept: 0,
                dropped: 0,
                rejected: 0,
                skipped: 0,
                skipped_by_kind: BTreeMap::new(),
            },
            left: vec![[Vec::new(), Vec::new()]; sources.len()],
            items: vec![false; benchmarks.items().len()],
            pages: vec![0; benchmarks.all().len()],
            first_reject: String::new(),
        })
    }

    fn read(&mut self, wanted: &Decontamination, watch: &dyn Watch) -> Result<()> {
        let (benchmarks, sources) = (self.benchmarks, self.sources);
        let options = &ReadOptions {
            work: WorkLimit::of_texts(wanted.job.run.memory),
            ..wanted.job.judge.read.clone()
        };
        let text_options = TextOptions {
            extract: wanted.job.judge.extract,
            sentences: false,
            ..TextOptions::default()
        };
        let look = |page: Page| match text_of(&page, &text_options) {
            Ok(text) => {
                let found = benchmarks.find(&text, &text_options, wanted.threshold);
                Made::Page(page.id, found)
            }
            Err(reason) => Made::Rejected(reason),
        };
        let make = |source: u32, record: Record| {
            let number = record.number;
            let made = match record.parse(&sources[source as usize], options) {
                Outcome::Page(page) => look(page),
                Outcome::Skipped(kind) => Made::Skipped(kind.into_owned()),
                Outcome::Rejected(reason) => Made::Rejected(reason),
            };
            (source, number, made)
        };
        let stage = Stage::Read.name();
        each_record(
            sources,
            options,
            watch,
            stage,
            make,
            |(source, number, made)| self.take(*source as usize, *number, made),
        )?;
        Ok(())
    }

    fn take(&mut self, source: usize, record: u64, made: &Made) -> Result<()> {
        self.records.read += 1;
        let name = &*self.sources[source].name;
        match made {
            Made::Page(_, found) if found.is_empty() => self.records.kept += 1,
            Made::Page(id, found) => {
                self.records.dropped += 1;
                self.left[source][0].push(record);
                self.list(id, name, record, found)?;
            }
            Made::Skipped(kind) => {
                self.records.skipped += 1;
                *self
                    .records
                    .skipped_by_kind
                    .entry(kind.clone())
                    .or_default() += 1;
            }
            Made::Rejected(reason) => {
                self.records.rejected += 1;
                self.left[source][1].push(record);
                if self.first_reject.is_empty() {
                    self.first_reject = format!("; the first is {name}, record {record}: {reason}");
                }
                self.rejects.add(&RejectLine {
                    source: name,
                    record,
                    reason: reason.into(),
                })?;
            }
        }
        Ok(())
    }

    fn list(&mut self, id: &str, source: &str, record: u64, found: &[Contamination]) -> Result<()> {
        let six = |share: f64| (share * 1e6).round() / 1e6;
        let mut of_page = Vec::new();
        for hit in found {
            let item = &self.benchmarks.items()[hit.item as usize];
            let benchmark = &self.benchmarks.all()[item.benchmark as usize];
            self.items[hit.item as usize] = true;
            of_page.push(item.benchmark);
            self.contaminated.add(&Line {
                id,
                source,
                record,
                benchmark: &benchmark.name,
                split: benchmark.split.as_deref(),
                item: &item.id,
                score: six(hit.score),
                question: six(hit.question),
                answer: hit.answer,
                passage: hit.passage,
                begin: hit.begin,
                end: hit.end,
            })?;
        }
        // Items are sorted by benchmark.
        of_page.dedup();
        for benchmark in of_page {
            self.pages[benchmark as usize] += 1;
        }
        Ok(())
    }

    /// Reads the sources again and writes the kept records, several sources at a time.
    fn write_kept(&self, read: &ReadOptions, memory: &Memory, watch: &dyn Watch) -> Result<()> {
        let root = self.out.path(KEPT);
        let dropped: Vec<Vec<u64>> = self.left.iter().map(|left| left[0].clone()).collect();
        let goes = |_, _, _| true;
        let belonging = belonging(self.sources, &dropped, goes, read, memory, watch)?;
        each_source(self.sources, watch, |number, source| {
            let [contaminated, rejected] = &self.left[number];
            let left = [contaminated, rejected, &belonging[number]];
            let is_left = |record: u64| left.iter().any(|of| of.binary_search(&record).is_ok());
            let mut decide = |record: u64| match is_left(record) {
                true => RecordDecision::Leave,
                false => RecordDecision::Keep,
            };
            source.rewrite(read, &mut decide, &root.join(&source.kept))
        })
    }

    fn summary(&self) -> Vec<BenchmarkSummary> {
        let mut all: Vec<BenchmarkSummary> = self
            .benchmarks
            .all()
            .iter()
            .zip(&self.pages)
            .map(|(benchmark, pages)| BenchmarkSummary {
                benchmark: benchmark.name.clone(),
                split: benchmark.split.clone(),
                items: benchmark.items,
                without_question: benchmark.without_question,
                items_found: 0,
                pages: *pages,
            })
            .collect();
        for (item, is_found) in self.benchmarks.items().iter().zip(&self.items) {
            all[item.benchmark as usize].items_found += u64::from(*is_found);
        }
        all
    }

    fn finish(self) -> Result<Records> {
        self.contaminated.finish()?;
        self.rejects.finish()?;
        Ok(self.records)
    }
}
