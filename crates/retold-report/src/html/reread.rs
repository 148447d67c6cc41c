//! Reads the pages of a report again for their texts.

use std::io;

use retold::internal::each_wanted;
use retold::method::Text;
use retold::read::{Outcome, ReadOrder, Record, Source};
use retold::{Error, Findings, PageNo, Watch};

/// Reads pages again, in order. `make` gets the position and the text of each page; `take` gets the result, or `None` if the page no longer
/// exists. Read errors end the list.
///
/// Errors: those of `take`.
pub(super) fn reread<T: Send>(
    findings: &Findings,
    pages: &[PageNo],
    make: impl Fn(usize, &Text) -> T + Sync,
    mut take: impl FnMut(Option<T>) -> io::Result<()>,
    watch: &dyn Watch,
) -> io::Result<()> {
    if pages.is_empty() {
        return Ok(());
    }
    watch.begin("texts", pages.len() as u64);
    let (model, options) = (&findings.model, &findings.model.config().read);
    let wanted: Vec<(u32, u64)> = pages
        .iter()
        .map(|&number| {
            let row = findings.collection.page(number);
            (row.source, row.record)
        })
        .collect();
    let made = |at: usize, source: &Source, record: Record| {
        let Outcome::Page(page) = record.parse(source, options) else {
            return None;
        };
        model.text(&page).ok().map(|text| make(at, &text))
    };
    let mut taken = Ok(());
    let taking = |_: usize, made: &mut Option<T>| {
        watch.advance(1);
        taken = take(made.take());
        match taken {
            Ok(()) => Ok(()),
            Err(_) => Err(Error::Cancelled),
        }
    };
    let order = ReadOrder::Listed;
    // A cancellation is noticed before the files get their names.
    let _ = each_wanted(
        &findings.sources,
        options,
        &wanted,
        order,
        watch,
        made,
        taking,
    );
    taken
}

/// A number that depends on the pages of the report.
pub(super) fn nonce(findings: &Findings) -> u128 {
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    let pages = &findings.collection.pages;
    for (number, page) in PageNo::first(pages.len()).zip(pages.iter()) {
        hash.update(pages.id(number).as_bytes());
        hash.update(&page.text_hash.unwrap_or_default().to_le_bytes());
    }
    hash.digest128()
}
