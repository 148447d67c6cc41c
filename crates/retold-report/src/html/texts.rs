//! Texts in the report (`--report-text`): a second pass over the inputs, a few pages at a time.

use std::io::{self, Write};

use retold::{
    Error, Offsets, Outcome, PageNo, ReadOrder, Record, Shown, Source, Watch, each_wanted,
};
use serde_json::{Value, json};

use super::chosen::Chosen;
use super::page::DataPage;
use super::pairs::Facts;
use super::report::{Report, TEXT_CHUNK};

/// Reads the inputs again and writes the texts; tells how many chunks.
pub(super) fn write<W: Write>(
    (report, chosen): (&Report<'_>, &Chosen),
    facts: &Facts<'_>,
    page: &mut DataPage<W>,
    watch: &dyn Watch,
) -> io::Result<usize> {
    if !chosen.pages().is_empty() {
        watch.begin("texts", chosen.pages().len() as u64);
    }
    let mut chunk = Vec::new();
    let mut chunks = 0;
    let collection = &report.findings.collection;
    let wanted = |&number: &PageNo| {
        let row = collection.page(number);
        (row.source, row.record)
    };
    let wanted: Vec<(u32, u64)> = chosen.pages().iter().map(wanted).collect();
    let mut written = Ok(());
    let make = |at: usize, source: &Source, record: Record| {
        text(report, facts, source, chosen.pages()[at], record)
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
    let ended = each_wanted(
        sources,
        read,
        (&wanted, ReadOrder::Listed),
        watch,
        make,
        take,
    );
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
    let features = model.highlights(&text).into_iter().filter_map(|spot| {
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
