//! Texts in the report (`--report-text`): a second pass over the inputs, a few pages at a time.

use std::io::{self, Write};

use retold::ids::PageNo;
use serde_json::{Value, json};

use super::pairs::Facts;
use super::{DataPage, Report, TEXT_CHARS, TEXT_CHUNK, members};
use retold::Error;
use retold::explain::shown::{Offsets, Shown};
use retold::read::{Order, Outcome, Record, Source, again};
use retold::watch::Watch;

/// The pages whose texts the report has, ascending. A page's slot is its place here.
pub(super) struct Texts(Vec<PageNo>);

impl Texts {
    /// The pages of clusters, the largest cluster first, as long as their texts fit.
    pub(super) fn choose(report: &Report<'_>) -> Texts {
        let mut chosen = Vec::new();
        let Some(limit) = report.output.report_text else {
            return Texts(chosen);
        };
        let mut chars = 0;
        for &cluster in &report.order {
            for rank in members::shown(report, cluster) {
                chars += report.findings.page(rank).chars.min(limit as u64);
                if chars > TEXT_CHARS {
                    break;
                }
                chosen.push(report.findings.by_id[rank.at()]);
            }
        }
        chosen.sort_unstable();
        Texts(chosen)
    }

    /// The pages.
    pub(super) fn pages(&self) -> &[PageNo] {
        &self.0
    }

    /// The slot of the page, if its text is in the report.
    pub(super) fn slot(&self, page: PageNo) -> Option<usize> {
        self.0.binary_search(&page).ok()
    }

    /// Reads the inputs again and writes the texts; tells how many chunks.
    pub(super) fn write<W: Write>(
        &self,
        report: &Report<'_>,
        facts: &Facts<'_>,
        page: &mut DataPage<W>,
        watch: &dyn Watch,
    ) -> io::Result<usize> {
        if !self.0.is_empty() {
            watch.begin("texts", self.0.len() as u64);
        }
        let mut chunk = Vec::new();
        let mut chunks = 0;
        let collection = &report.findings.collection;
        let wanted = |&number: &PageNo| {
            let row = collection.page(number);
            (row.source, row.record)
        };
        let wanted: Vec<(u32, u64)> = self.0.iter().map(wanted).collect();
        let mut written = Ok(());
        let make = |at: usize, source: &Source, record: Record| {
            text(report, facts, source, self.0[at], record)
        };
        let take = |_: usize, text: &mut Value| {
            watch.advance(1);
            chunk.push(text.take());
            if chunk.len() == TEXT_CHUNK {
                written = page
                    .chunk("text", chunks, &std::mem::take(&mut chunk))
                    .map(drop);
                chunks += 1;
            }
            match written {
                Ok(()) => Ok(()),
                Err(_) => Err(Error::Cancelled),
            }
        };
        let (sources, read) = (&report.findings.sources, &report.config.read);
        let ended = again(sources, read, (&wanted, Order::Listed), watch, make, take);
        written?;
        if ended.is_err() {
            return Ok(chunks);
        }
        if !chunk.is_empty() {
            page.chunk("text", chunks, &chunk)?;
            chunks += 1;
        }
        Ok(chunks)
    }
}

fn text(
    report: &Report<'_>,
    facts: &Facts<'_>,
    source: &Source,
    number: PageNo,
    record: Record,
) -> Value {
    let (config, model) = (report.config, report.model);
    let Outcome::Page(page) = record.parse(source, &config.read) else {
        return Value::Null;
    };
    let Ok(text) = model.text(&page) else {
        return Value::Null;
    };
    let collection = &report.findings.collection;
    let site = collection.site(&collection.page(number));
    let limit = report.output.report_text.unwrap_or_default();
    let shown = Shown::new(&text, model.text_options(), limit, Offsets::Utf16);
    let features = model.spots(&text).into_iter().filter_map(|spot| {
        let (start, end) = shown.places(spot.start, spot.end)?;
        let kind = match (model.deletes(spot.key, site), model.is_common(spot.key)) {
            (true, _) => 2,
            (false, true) => 1,
            _ => 0,
        };
        // 52 bits are enough to tell the features of two pages apart, and JavaScript's numbers hold them.
        Some(json!([
            start,
            end,
            spot.key >> 12,
            kind,
            facts.df(spot.key),
            spot.label
        ]))
    });
    let features: Vec<Value> = features.collect();
    json!({
        "title": text.meta.title,
        "text": shown.text,
        "cut": shown.cut,
        "pieces": shown.pieces(),
        "features": features,
    })
}
