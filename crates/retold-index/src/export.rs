//! Reads pages of an index as a collection, so that batch runs can work on them.

use rayon::prelude::*;
use retold::internal::{SketchedPage, StoredPages, Take, TextSource};
use retold::method::Text;
use retold::{Collection, Dedup, Error, Findings, PageNo, Result, RunConfig, Watch};

use crate::index::Index;
use crate::record::Entry;

/// Pages of an index that were added to a collection.
#[derive(Debug)]
pub struct Export<'a> {
    index: &'a Index,
    /// Number of the first of these pages in the collection.
    first: usize,
    pages: Vec<u32>,
}

impl<'a> Export<'a> {
    /// Starts with no pages. [`StoredPages::add_related`] adds those that new pages may be related to.
    pub fn old(index: &'a Index) -> Export<'a> {
        Export {
            index,
            first: 0,
            pages: Vec::new(),
        }
    }
}

impl StoredPages for Export<'_> {
    fn add_related(&mut self, collection: &mut Collection, watch: &dyn Watch) -> Result<()> {
        watch.begin("looking in the index", collection.pages.len() as u64);
        let numbers: Vec<PageNo> = PageNo::first(collection.pages.len()).collect();
        let related = numbers.par_iter().map(|&page| {
            if watch.cancelled() {
                return Err(Error::Cancelled);
            }
            watch.advance(1);
            let row = collection.page(page);
            let seen = collection.pages.seen(page);
            self.index
                .related(&collection.sketch(&row), &seen, row.date)
        });
        let related: Result<Vec<Vec<u32>>> = related.collect();
        let mut pages = related?.concat();
        pages.par_sort_unstable();
        pages.dedup();
        *self = self.index.export(pages, collection, watch)?;
        Ok(())
    }

    fn leave_out(&mut self, pages: &[PageNo]) {
        let mut at = self.first;
        self.pages.retain(|_| {
            at += 1;
            pages.binary_search(&PageNo::new(at - 1)).is_err()
        });
    }
}

const BATCH: usize = 256;

impl Index {
    /// The findings of a batch run over the pages of the index, with its model.
    ///
    /// Memory is that of a batch run.
    pub fn findings(&self, resources: &RunConfig, watch: &dyn Watch) -> Result<Findings> {
        let pages = self.live();
        self.findings_among(pages, resources, watch)
    }

    pub(crate) fn live(&self) -> Vec<u32> {
        let state = self.read();
        (0..state.visible)
            .filter(|&page| state.pages.is_live(page))
            .collect()
    }

    pub(crate) fn findings_among(
        &self,
        pages: Vec<u32>,
        resources: &RunConfig,
        watch: &dyn Watch,
    ) -> Result<Findings> {
        let mut collection = Collection::new(&resources.memory()?);
        let texts = self.export(pages, &mut collection, watch)?;
        collection.read = collection.pages.len() as u64;
        let bytes = PageNo::first(collection.pages.len()).map(|page| collection.page(page).bytes);
        collection.bytes = bytes.sum();
        Dedup::new(self.model())
            .resources(resources)
            .watch(watch)
            .run_sketched(collection, &texts)
    }

    pub(crate) fn export(
        &self,
        pages: Vec<u32>,
        collection: &mut Collection,
        watch: &dyn Watch,
    ) -> Result<Export<'_>> {
        self.export_as(pages, collection, &|page| self.entry_of(page), watch)
    }

    /// As `export`, with entries made by `entry`.
    pub(crate) fn export_as(
        &self,
        pages: Vec<u32>,
        collection: &mut Collection,
        entry: &(dyn Fn(u32) -> Result<Entry> + Sync),
        watch: &dyn Watch,
    ) -> Result<Export<'_>> {
        watch.begin("reading the index", pages.len() as u64);
        let first = collection.pages.len();
        for batch in pages.chunks(BATCH) {
            if watch.cancelled() {
                return Err(Error::Cancelled);
            }
            let entries: Result<Vec<Entry>> = batch.par_iter().map(|&page| entry(page)).collect();
            for entry in entries? {
                collection.push(SketchedPage {
                    id: &entry.id,
                    title: entry.title.as_deref(),
                    date: entry.seconds,
                    bytes: entry.bytes,
                    seen: &entry.seen,
                    sketch: &entry.sketch,
                })?;
            }
            watch.advance(batch.len() as u64);
        }
        Ok(Export {
            index: self,
            first,
            pages,
        })
    }

    /// Passes the entry and the text of every page to `take`, in the order of ids. The text is `None` if the index keeps no texts.
    pub fn each(&self, mut take: impl FnMut(Entry, Option<Text>) -> Result<()>) -> Result<()> {
        let mut pages = Vec::new();
        for page in self.live() {
            pages.push((self.entry_of(page)?.id, page));
        }
        pages.sort_unstable();
        for batch in pages.chunks(BATCH) {
            let read = |page: u32| Ok((self.entry_of(page)?, self.text_of(page)?));
            let read: Result<Vec<_>> = batch.par_iter().map(|&(_, page)| read(page)).collect();
            for (entry, text) in read? {
                take(entry, text)?;
            }
        }
        Ok(())
    }
}

impl TextSource for Export<'_> {
    fn each(
        &self,
        wanted: &[PageNo],
        make: &(dyn Fn(&Text) -> Vec<u64> + Sync),
        take: &mut Take<'_>,
        watch: &dyn Watch,
    ) -> Result<()> {
        let make = |page: PageNo| {
            let text = self.index.text_of(self.pages[page.at() - self.first])?;
            Ok(make(&text.ok_or_else(no_texts)?))
        };
        each_made(wanted, &make, take, watch)
    }
}

/// Applies `make` to the pages, a batch at a time, and passes the results to `take` with their positions in the list.
///
/// Errors: those of `make` and `take`; the run was cancelled.
pub(crate) fn each_made(
    wanted: &[PageNo],
    make: &(dyn Fn(PageNo) -> Result<Vec<u64>> + Sync),
    take: &mut Take<'_>,
    watch: &dyn Watch,
) -> Result<()> {
    for (batch, pages) in wanted.chunks(BATCH).enumerate() {
        if watch.cancelled() {
            return Err(Error::Cancelled);
        }
        let made: Result<Vec<Vec<u64>>> = pages.par_iter().map(|&page| make(page)).collect();
        for (at, made) in made?.into_iter().enumerate() {
            take(batch * BATCH + at, made)?;
        }
        watch.advance(pages.len() as u64);
    }
    Ok(())
}

/// The error for an index without texts whose method needs them.
pub(crate) fn no_texts() -> Error {
    Error::usage("the index keeps no texts, and its method wants them")
}
