//! Writes the report, part by part.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use rayon::prelude::*;
use retold::internal::thousands;
use retold::{Error, Findings, Result, Watch};
use serde::Serialize;

use super::chosen::Chosen;
use super::page::{COPIES, DataPage};
use super::pairs::{self, Facts};
use super::report::{DETAIL_BYTES, DETAIL_CHUNK, LIST_CHUNK, Report, TEXT_CHUNK};
use super::reread::nonce;
use super::{members, overview, texts};
use crate::agreement::Agreement;
use crate::out::OutDir;
use crate::output::OutputConfig;
use crate::summary::Summary;

/// A report that only lacks the times of the run.
pub(crate) struct Unfinished {
    pub(super) page: DataPage<BufWriter<File>>,
    pub(super) path: PathBuf,
}

impl Unfinished {
    pub(crate) fn finish(mut self, run: &impl Serialize) -> Result<()> {
        let written = self.page.chunk("run", 0, run);
        written
            .and_then(|_| self.page.finish())
            .map_err(Error::io("cannot write", &self.path))
    }
}

/// Writes the report, except its end. [`OutputConfig::report_text`] limits the texts that it contains.
pub(crate) fn write(
    findings: &Findings,
    agreements: &[Agreement],
    output: &OutputConfig,
    summary: &Summary,
    out: &OutDir,
    watch: &dyn Watch,
) -> Result<Unfinished> {
    let path = out.path("report.html");
    let report = Report::new(findings, agreements, output, summary);
    let texts = Chosen::of(&report);
    let facts = Facts::new(&report, &texts)?;
    let file = out.create("report.html")?;
    let parts = Parts {
        report: &report,
        texts: &texts,
        facts: &facts,
    };
    match parts.write(summary, file, watch) {
        Ok(page) => Ok(Unfinished { page, path }),
        Err(error) => Err(Error::io("cannot write", &path)(error)),
    }
}

struct Parts<'a> {
    report: &'a Report<'a>,
    texts: &'a Chosen,
    facts: &'a Facts<'a>,
}

impl Parts<'_> {
    fn write<W: Write>(
        &self,
        summary: &Summary,
        file: W,
        watch: &dyn Watch,
    ) -> io::Result<DataPage<W>> {
        let report = self.report;
        let title = format!(
            "Retold: {} copies in {} pages",
            thousands(report.findings.dropped.len() as u64),
            thousands(report.findings.by_id.len() as u64)
        );
        let mut page = DataPage::begin(file, &title, nonce(report.findings), &COPIES)?;
        page.chunk("overview", 0, &overview::overview(report, summary))?;
        let traits = pairs::traits(report);
        for (number, clusters) in report.order.chunks(LIST_CHUNK).enumerate() {
            let first = number * LIST_CHUNK;
            page.chunk(
                "list",
                number,
                &members::list(report, clusters, &traits, first),
            )?;
        }
        let mut shapes = pairs::Shapes::default();
        let detailed = self.write_details(&mut page, &mut shapes)?;
        let details = super::lost::details(report, self.facts, self.texts, &mut shapes);
        page.chunk("drops", 0, &details)?;
        let text_chunks = texts::write(report, self.texts, self.facts, &mut page, watch)?;
        let tables = Tables {
            sites: &report.findings.collection.sites,
            checks: shapes.all,
            clusters: report.findings.clusters.len(),
            listed: report.order.len(),
            list_chunk: LIST_CHUNK,
            detail_chunk: DETAIL_CHUNK,
            detailed,
            text_chunk: TEXT_CHUNK,
            text_chunks,
        };
        page.chunk("tables", 0, &tables)?;
        Ok(page)
    }

    /// Writes the details of the largest clusters and returns their number.
    fn write_details<W: Write>(
        &self,
        page: &mut DataPage<W>,
        shapes: &mut pairs::Shapes,
    ) -> io::Result<usize> {
        let report = self.report;
        let (mut clusters, mut bytes) = (0, 0);
        for (number, chunk) in report.order.chunks(DETAIL_CHUNK).enumerate() {
            if bytes >= DETAIL_BYTES {
                break;
            }
            let details = chunk.par_iter().enumerate().map(|(at, &cluster)| {
                let place = (number * DETAIL_CHUNK + at) as u32;
                members::detail(report, cluster, place, self.facts, self.texts)
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

/// What chunks refer to by number, and the numbers of chunks.
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
