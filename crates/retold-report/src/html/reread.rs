//! The pages of a report read once more, for their texts.

use std::io;

use retold::internal::each_wanted;
use retold::method::Text;
use retold::read::{Outcome, ReadOrder, Record, Source};
use retold::{Error, Findings, PageNo, Watch};

/// Reads pages again, in their order: `make` gets the place of each and its text, `take` what is made of it, `None` of a page that is no longer
/// there. What cannot be read any more ends the list.
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
    let wanted = (&wanted[..], ReadOrder::Listed);
    // That the run was cancelled is noticed before its files get their names.
    let _ = each_wanted(&findings.sources, options, wanted, watch, made, taking);
    taken
}

/// A number that differs from report to report, and is the same for the same pages.
pub(super) fn nonce(findings: &Findings) -> u128 {
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    let pages = &findings.collection.pages;
    for (number, page) in PageNo::first(pages.len()).zip(pages.iter()) {
        hash.update(pages.id(number).as_bytes());
        hash.update(&page.text_hash.unwrap_or_default().to_le_bytes());
    }
    hash.digest128()
}
