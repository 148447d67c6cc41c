//! Texts in the report (`--report-text`): a second pass over the inputs, a few pages at a time.

use std::io::{self, Write};

use retold::{Offsets, PageNo, Shown, Text, Watch};
use serde_json::{Value, json};

use super::chosen::Chosen;
use super::page::DataPage;
use super::pairs::Facts;
use super::report::{Report, TEXT_CHUNK};
use super::reread::reread;

/// Reads the inputs again and writes the texts; returns the number of chunks.
pub(super) fn write<W: Write>(
    (report, chosen): (&Report<'_>, &Chosen),
    facts: &Facts<'_>,
    page: &mut DataPage<W>,
    watch: &dyn Watch,
) -> io::Result<usize> {
    let (mut chunk, mut chunks) = (Vec::new(), 0);
    reread(
        report.findings,
        chosen.pages(),
        |at, read| text(report, facts, chosen.pages()[at], read),
        |text| {
            chunk.push(text);
            if chunk.len() == TEXT_CHUNK {
                page.chunk("text", chunks, &std::mem::take(&mut chunk))?;
                chunks += 1;
            }
            Ok(())
        },
        watch,
    )?;
    if !chunk.is_empty() {
        page.chunk("text", chunks, &chunk)?;
        chunks += 1;
    }
    Ok(chunks)
}

fn text(report: &Report<'_>, facts: &Facts<'_>, number: PageNo, text: &Text) -> Value {
    let model = report.model;
    let collection = &report.findings.collection;
    let site = collection.site(&collection.page(number));
    let limit = report.output.report_text.unwrap_or_default();
    let shown = Shown::new(text, model.text_options(), limit, Offsets::Utf16);
    let features = model.highlights(text).into_iter().filter_map(|spot| {
        let (start, end) = shown.places(spot.start, spot.end)?;
        let kind = match (model.deletes(spot.key, site), model.is_common(spot.key)) {
            (true, _) => 2,
            (false, true) => 1,
            _ => 0,
        };
        // 52 bits are enough to distinguish the features of two pages, and JavaScript's numbers can represent them.
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
