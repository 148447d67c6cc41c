//! Texts in the report (`--report-text`), from a second pass over the inputs, a few pages at a time.

use std::collections::BTreeSet;
use std::io::{self, Write};

use rayon::prelude::*;
use retold::explain::{Offsets, PassageKind, Shown, WordPlaces};
use retold::method::Text;
use retold::{PageNo, Watch};
use serde_json::{Value, json};

use super::chosen::Chosen;
use super::page::DataPage;
use super::pairs::Facts;
use super::report::{Report, TEXT_CHUNK};
use super::reread::reread;

/// Reads the inputs again and writes the texts. Returns the number of chunks.
pub(super) fn write<W: Write>(
    report: &Report<'_>,
    chosen: &Chosen,
    facts: &Facts<'_>,
    page: &mut DataPage<W>,
    watch: &dyn Watch,
) -> io::Result<usize> {
    let mut compared = Compared::of(chosen, facts);
    let (mut chunk, mut chunks) = (Vec::new(), 0);
    let mut write = |chunk: &mut Vec<_>| -> io::Result<()> {
        let texts = compared.with_passages(std::mem::take(chunk));
        page.chunk("text", chunks, &texts)?;
        chunks += 1;
        Ok(())
    };
    reread(
        report.findings,
        chosen.pages(),
        |at, read| text(report, facts, chosen.pages()[at], read),
        |text| {
            chunk.push(text);
            if chunk.len() == TEXT_CHUNK {
                write(&mut chunk)?;
            }
            Ok(())
        },
        watch,
    )?;
    if !chunk.is_empty() {
        write(&mut chunk)?;
    }
    Ok(chunks)
}

type Read = (Value, WordPlaces);

/// Compares texts with those of lower slots.
struct Compared {
    /// For each slot, the lower slots it is shown next to, and the last slot that needs its words.
    beside: Vec<(BTreeSet<usize>, usize)>,
    /// The words of the texts so far, while they are needed.
    words: Vec<Option<WordPlaces>>,
}

impl Compared {
    fn of(chosen: &Chosen, facts: &Facts<'_>) -> Compared {
        let mut beside = vec![(BTreeSet::new(), 0); chosen.pages().len()];
        for pages in facts.pages() {
            if let [Some(a), Some(b)] = pages.map(|page| chosen.slot(page)) {
                let (low, high) = (a.min(b), a.max(b));
                beside[high].0.insert(low);
                beside[low].1 = beside[low].1.max(high);
            }
        }
        let words = Vec::new();
        Compared { beside, words }
    }

    /// The next texts, each with the passages shared with earlier texts: `[slot, [[moved, from, to, from, to]…]]`, positions in the other
    /// text first.
    fn with_passages(&mut self, texts: Vec<Option<Read>>) -> Vec<Option<Value>> {
        let first = self.words.len();
        let (mut values, words): (Vec<_>, Vec<_>) = texts.into_iter().map(Option::unzip).unzip();
        self.words.extend(words);
        let read = values
            .par_iter_mut()
            .zip(&self.words[first..])
            .zip(&self.beside[first..]);
        read.for_each(|((value, words), (others, _))| {
            let (Some(value), Some(words)) = (value, words) else {
                return;
            };
            let others = others.iter().filter_map(|&slot| {
                let found = self.words[slot].as_ref()?.shared_with(words).into_iter();
                let moved = |kind| u32::from(kind == PassageKind::Moved);
                let row = found.map(|of| [moved(of.kind), of.a[0], of.a[1], of.b[0], of.b[1]]);
                Some((slot, row.collect::<Vec<_>>()))
            });
            value["shared"] = json!(others.collect::<Vec<_>>());
        });
        let done = self.words.len();
        let all = self.words.iter_mut().zip(&self.beside);
        all.filter(|(_, (_, last))| *last < done)
            .for_each(|(words, _)| *words = None);
        values
    }
}

fn text(report: &Report<'_>, facts: &Facts<'_>, number: PageNo, text: &Text) -> Read {
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
        // 52 bits distinguish the features of two pages and fit JavaScript's numbers.
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
    let words = WordPlaces::shown(text, &shown);
    let value = json!({
        "title": text.meta.title,
        "text": shown.text,
        "cut": shown.cut,
        "features": features,
    });
    (value, words)
}
