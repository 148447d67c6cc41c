//! Writes the report, chunk by chunk.

use std::io::{self, Write};

use retold::internal::{date_text, thousands};
use retold::passages::Passages;
use retold::{Error, Findings, Rank, Result, Watch};
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::{Value, json};

use super::chosen::{BOILERPLATE, PASSAGES, PLACES, Shown, chosen};
use super::texts::{EXCERPT, PAGE_CHARS, TEXT_CHUNK, Texts};
use crate::html::page::{DataPage, PASSAGES as KIND};
use crate::html::reread::nonce;
use crate::html::write::Unfinished;
use crate::out::OutDir;

const DETAIL_CHUNK: usize = 32;

/// Writes the report of passages, except its end; `summary` describes the run.
pub(crate) fn write(
    findings: &Findings,
    found: &Passages,
    summary: &impl Serialize,
    out: &OutDir,
    watch: &dyn Watch,
) -> Result<Unfinished> {
    let path = out.path("report.html");
    let file = out.create("report.html")?;
    match written(findings, found, summary, file, watch) {
        Ok(page) => Ok(Unfinished { page, path }),
        Err(error) => Err(Error::io("cannot write", &path)(error)),
    }
}

fn written<W: Write>(
    findings: &Findings,
    found: &Passages,
    summary: &impl Serialize,
    out: W,
    watch: &dyn Watch,
) -> io::Result<DataPage<W>> {
    let shown = chosen(findings, found);
    let texts = Texts::of(findings, found, &shown);
    let title = format!(
        "Retold: {} passages in {} pages",
        thousands(found.count().0 as u64),
        thousands(findings.by_id.len() as u64)
    );
    let mut page = DataPage::begin(out, &title, nonce(findings), &KIND)?;
    page.chunk("overview", 0, summary)?;
    let pages = ShownPages::of(findings, found, &shown);
    page.chunk("pages", 0, &pages.rows(findings, &texts))?;
    let excerpts = texts.write(findings, &shown, &mut page, watch)?;
    let list: Vec<Value> = shown
        .iter()
        .zip(excerpts)
        .map(|(passage, text)| pages.listed(passage, &text))
        .collect();
    page.chunk("passages", 0, &list)?;
    for (number, passages) in shown.chunks(DETAIL_CHUNK).enumerate() {
        let details: Vec<Value> = passages
            .iter()
            .map(|passage| pages.detail(passage))
            .collect();
        page.chunk("detail", number, &details)?;
    }
    let limits = json!({
        "passages": PASSAGES, "boilerplate": BOILERPLATE, "places": PLACES, "excerpt": EXCERPT, "page": PAGE_CHARS,
        "detail_chunk": DETAIL_CHUNK, "text_chunk": TEXT_CHUNK,
    });
    page.chunk("tables", 0, &limits)?;
    Ok(page)
}

struct ShownPages {
    ranks: Vec<Rank>,
    /// Number of other pages with the same text.
    copies: FxHashMap<Rank, usize>,
}

impl ShownPages {
    fn of(findings: &Findings, found: &Passages, shown: &[Shown]) -> ShownPages {
        let places = shown.iter().flat_map(|passage| &passage.places);
        let mut ranks: Vec<Rank> = places.map(|place| place.page).collect();
        ranks.sort_unstable();
        ranks.dedup();
        debug_assert!(ranks.len() <= findings.by_id.len());
        let mut copies = FxHashMap::default();
        for (_, of) in &found.copies {
            if ranks.binary_search(of).is_ok() {
                *copies.entry(*of).or_default() += 1;
            }
        }
        ShownPages { ranks, copies }
    }

    fn number(&self, rank: Rank) -> usize {
        self.ranks.partition_point(|other| *other < rank)
    }

    /// A row `[id, site, date, slot of the text or -1, copies]` for each page.
    fn rows(&self, findings: &Findings, texts: &Texts) -> Vec<Value> {
        let row = |&rank: &Rank| {
            let page = findings.page(rank);
            let slot = texts.slot(findings.by_id[rank.at()]);
            let copies = self.copies.get(&rank).copied().unwrap_or_default();
            json!([
                findings.id(rank),
                findings.collection.site(&page),
                page.date.and_then(date_text),
                slot.map_or(-1, |slot| slot as i64),
                copies
            ])
        };
        self.ranks.iter().map(row).collect()
    }

    fn listed(&self, passage: &Shown, text: &str) -> Value {
        let first = passage.places[0];
        json!({
            "cluster": passage.cluster, "size": passage.size, "sites": passage.sites, "boilerplate": passage.is_boilerplate,
            "places": passage.all_places, "page": self.number(first.page), "chars": first.end - first.begin, "text": text,
        })
    }

    /// `[places, sources]`. A place is `[page, begin, end]`. A source is
    /// `[place, place it comes from, begin and end, begin and end there, words that match (0 if the two were not aligned), score, whether
    /// it is later]`.
    fn detail(&self, passage: &Shown) -> Value {
        let places = passage.places.iter();
        let places: Vec<Value> = places
            .map(|place| json!([self.number(place.page), place.begin, place.end]))
            .collect();
        let sources = passage.sources.iter().map(|from| {
            json!([
                from.at,
                from.from,
                from.here.0,
                from.here.1,
                from.there.0,
                from.there.1,
                from.matched,
                from.score,
                from.is_later
            ])
        });
        json!([places, sources.collect::<Vec<Value>>()])
    }
}
