//! `report.html`: the run for people, in one self-contained file.
//!
//! The file is a head, chunks of JSON and the code that shows them. It is written as a stream and read as one: the
//! code parses a chunk when something in it is looked at. What is in it is bounded (see the constants here); the
//! JSONL files beside it have everything. Only the chunk `run-0` differs between runs on the same input.

mod figures;
mod members;
mod overview;
mod pairs;
mod texts;
mod write;

use std::io::{self, Write};

use rayon::prelude::*;
use serde::Serialize;

pub(crate) use write::DataPage;

use retold::ids::PageNo;
use retold::method::thousands;
use retold::watch::Watch;
use retold::{Error, Findings, JudgeConfig, Model, Result};

use crate::Summary;
use crate::out::OutDir;
use crate::output::OutputConfig;

/// The code of the page. One function around it all, so that nothing of it is global.
pub(crate) const CODE: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("../../templates/js/data.js"),
    include_str!("../../templates/js/dom.js"),
    include_str!("../../templates/js/charts.js"),
    include_str!("../../templates/js/overview.js"),
    include_str!("../../templates/js/clusters.js"),
    include_str!("../../templates/js/cluster.js"),
    include_str!("../../templates/js/pair.js"),
    include_str!("../../templates/js/main.js"),
    "})();\n"
);

/// Clusters that are listed, the largest first.
const CLUSTERS: usize = 250_000;
/// Clusters in a chunk of the list, and in a chunk of details.
const LIST_CHUNK: usize = 4096;
const DETAIL_CHUNK: usize = 128;
/// Members and pairs of a cluster with details. Pairs with the canonical page come first.
const MEMBERS: usize = 200;
const OTHER_PAIRS: usize = 40;
/// Features of a pair whose document frequencies are told, the rarest first.
const FEATURES: usize = 24;
/// Details stop after this many bytes: the list goes on without.
const DETAIL_BYTES: u64 = 48 << 20;
/// Characters of texts in all.
const TEXT_CHARS: u64 = 24 << 20;
/// Texts in a chunk.
const TEXT_CHUNK: usize = 32;
/// Rejects shown one by one.
const REJECTS: usize = 500;

/// Writes the report. [`OutputConfig::report_text`] says how much of the pages' texts goes into it.
pub(crate) fn write(
    (findings, output): (&Findings, &OutputConfig),
    summary: &Summary,
    out: &OutDir,
    watch: &dyn Watch,
) -> Result<()> {
    let path = out.path("report.html");
    let report = Report {
        findings,
        config: findings.model.config(),
        output,
        model: &findings.model,
        order: order(findings),
    };
    let texts = texts::Texts::choose(&report);
    let facts = pairs::Facts::new(&report, &texts)?;
    let file = out.create("report.html")?;
    report
        .write(summary, file, (&texts, &facts), watch)
        .map_err(Error::io("cannot write", &path))
}

/// What the parts of the report are made from.
struct Report<'a> {
    findings: &'a Findings,
    config: &'a JudgeConfig,
    output: &'a OutputConfig,
    model: &'a Model,
    /// The clusters that are listed, the largest first; of equals the one with the smallest number.
    order: Vec<u32>,
}

fn order(findings: &Findings) -> Vec<u32> {
    let mut order: Vec<u32> = (0..findings.clusters.len() as u32).collect();
    let size = |at: u32| findings.clusters[at as usize].members.len();
    order.sort_by_key(|&at| (std::cmp::Reverse(size(at)), at));
    order.truncate(CLUSTERS);
    order
}

impl Report<'_> {
    fn write(
        &self,
        summary: &Summary,
        file: impl Write,
        (texts, facts): (&texts::Texts, &pairs::Facts<'_>),
        watch: &dyn Watch,
    ) -> io::Result<()> {
        let title = format!(
            "Retold: {} copies in {} pages",
            thousands(self.findings.dropped.len() as u64),
            thousands(self.findings.by_id.len() as u64)
        );
        let mut page = DataPage::begin(file, &title, self.nonce())?;
        page.chunk("run", 0, &summary.run)?;
        page.chunk("overview", 0, &overview::overview(self, summary))?;
        let traits = pairs::traits(self);
        for (number, clusters) in self.order.chunks(LIST_CHUNK).enumerate() {
            let first = number * LIST_CHUNK;
            page.chunk(
                "list",
                number,
                &members::list(self, clusters, &traits, first),
            )?;
        }
        let mut shapes = pairs::Shapes::default();
        let detailed = self.write_details(&mut page, texts, facts, &mut shapes)?;
        let text_chunks = texts.write(self, facts, &mut page, watch)?;
        let tables = Tables {
            sites: &self.findings.collection.sites,
            checks: shapes.all,
            clusters: self.findings.clusters.len(),
            listed: self.order.len(),
            list_chunk: LIST_CHUNK,
            detail_chunk: DETAIL_CHUNK,
            detailed,
            text_chunk: TEXT_CHUNK,
            text_chunks,
        };
        page.chunk("tables", 0, &tables)?;
        page.finish()
    }

    /// Differs from page to page, and is the same for the same result.
    fn nonce(&self) -> u128 {
        let mut hash = xxhash_rust::xxh3::Xxh3::new();
        let pages = &self.findings.collection.pages;
        for (number, page) in PageNo::first(pages.len()).zip(pages.iter()) {
            hash.update(pages.id(number).as_bytes());
            hash.update(&page.text.unwrap_or_default().to_le_bytes());
        }
        hash.digest128()
    }

    /// Writes the details of the largest clusters and tells of how many.
    fn write_details<W: Write>(
        &self,
        page: &mut DataPage<W>,
        texts: &texts::Texts,
        facts: &pairs::Facts<'_>,
        shapes: &mut pairs::Shapes,
    ) -> io::Result<usize> {
        let (mut clusters, mut bytes) = (0, 0);
        for (number, chunk) in self.order.chunks(DETAIL_CHUNK).enumerate() {
            if bytes >= DETAIL_BYTES {
                break;
            }
            let details = chunk.par_iter().enumerate().map(|(at, &cluster)| {
                let place = (number * DETAIL_CHUNK + at) as u32;
                members::detail(self, cluster, place, facts, texts)
            });
            let details: Vec<members::Detail<'_>> = details.collect();
            let details = details.into_iter().map(|detail| detail.row(shapes));
            let details: Vec<_> = details.collect();
            bytes += page.chunk("detail", number, &details)?;
            clusters += chunk.len();
        }
        Ok(clusters)
    }
}

/// What chunks refer to by number, and how many there are of each.
#[derive(Serialize)]
struct Tables<'a> {
    sites: &'a [String],
    checks: Vec<pairs::Shape>,
    clusters: usize,
    listed: usize,
    list_chunk: usize,
    detail_chunk: usize,
    detailed: usize,
    text_chunk: usize,
    text_chunks: usize,
}
