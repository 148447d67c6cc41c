//! Sources of texts that are read again after sketching.

use crate::collect::Collection;
use crate::error::{Error, Result};
use crate::ids::PageNo;
use crate::model::Model;
use crate::page::Page;
use crate::read::{Outcome, ReadOptions, ReadOrder, Record, Source, each_wanted};
use crate::text::{Text, take_text, text_hash};
use crate::watch::Watch;

/// Receives the result for the text at a place in the list of wanted pages.
pub type Take<'t> = dyn FnMut(usize, Vec<u64>) -> Result<()> + 't;

/// Work on a page with its content takes so many times the memory of work on its text alone.
const WITH_PAGE: u64 = 2;

/// A source from which texts can be read again.
pub trait TextSource: Sync {
    /// Runs `make` on the texts of these pages (ascending) and `take` on the results with their places in the list, in any order. Uses all
    /// threads; progress is reported in pages.
    ///
    /// Errors: a text that is no longer there, the run was cancelled, those of `take`.
    fn each(
        &self,
        wanted: &[PageNo],
        make: &(dyn Fn(&Text) -> Vec<u64> + Sync),
        take: &mut Take<'_>,
        watch: &dyn Watch,
    ) -> Result<()>;
}

/// A page that was read again.
pub(crate) struct Again {
    pub(crate) page: Page,
    pub(crate) text: Text,
    /// Whether its content is one field of its record, or the whole record.
    pub(crate) is_field: bool,
}

impl AsRef<Text> for Again {
    fn as_ref(&self) -> &Text {
        &self.text
    }
}

/// Texts made again from the records, or from elsewhere.
pub(crate) struct Reread<'a> {
    pub(crate) sources: &'a [Source],
    pub(crate) model: &'a Model,
    pub(crate) collection: &'a Collection,
    pub(crate) others: Option<&'a dyn TextSource>,
}

impl TextSource for Reread<'_> {
    fn each(
        &self,
        wanted: &[PageNo],
        make: &(dyn Fn(&Text) -> Vec<u64> + Sync),
        take: &mut Take<'_>,
        watch: &dyn Watch,
    ) -> Result<()> {
        // Pages of other sources, or of none, come last.
        let is_ours =
            |page: &PageNo| (self.collection.page(*page).source as usize) < self.sources.len();
        let (wanted, others) = wanted.split_at(wanted.partition_point(is_ours));
        self.read_texts(wanted, |_, text| make(text), &mut *take, watch)?;
        match self.others {
            Some(texts) if !others.is_empty() => {
                let mut behind = |at: usize, made: Vec<u64>| take(wanted.len() + at, made);
                texts.each(others, make, &mut behind, watch)
            }
            _ => Ok(()),
        }
    }
}

impl Reread<'_> {
    /// Reads the texts of these pages again, ascending by page; otherwise as [`TextSource::each`].
    pub(crate) fn read_texts<T: Send>(
        &self,
        wanted: &[PageNo],
        make: impl Fn(usize, &Text) -> T + Sync,
        take: impl FnMut(usize, T) -> Result<()>,
        watch: &dyn Watch,
    ) -> Result<()> {
        let text = |mut page: Page, _| take_text(&mut page, self.model.text_options()).ok();
        let read = &self.model.config().read;
        self.read_as(wanted, read, text, make, take, watch)
    }

    /// As [`Reread::read_texts`], with the pages.
    pub(crate) fn read<T: Send>(
        &self,
        wanted: &[PageNo],
        make: impl Fn(usize, &Again) -> T + Sync,
        take: impl FnMut(usize, T) -> Result<()>,
        watch: &dyn Watch,
    ) -> Result<()> {
        let again = |page: Page, is_field: bool| {
            let text = self.model.text(&page).ok()?;
            Some(Again {
                page,
                text,
                is_field,
            })
        };
        let read = &self.model.config().read;
        let read = &ReadOptions {
            work: read.work.times(WITH_PAGE),
            ..read.clone()
        };
        self.read_as(wanted, read, again, make, take, watch)
    }

    /// Reads pages again in a form that has their text; `form` is told whether the content is one field of its record.
    fn read_as<A: AsRef<Text>, T: Send>(
        &self,
        wanted: &[PageNo],
        read: &ReadOptions,
        form: impl Fn(Page, bool) -> Option<A> + Sync,
        make: impl Fn(usize, &A) -> T + Sync,
        mut take: impl FnMut(usize, T) -> Result<()>,
        watch: &dyn Watch,
    ) -> Result<()> {
        let at = |&page: &PageNo| {
            let row = self.collection.page(page);
            (row.source, row.record)
        };
        let records: Vec<(u32, u64)> = wanted.iter().map(at).collect();
        let make_one = |at: usize, source: &Source, record: Record| {
            let is_field = read.has_one_text_field() && record.has_text_field();
            let Outcome::Page(page) = record.parse(source, read) else {
                return None;
            };
            // A different text in its place means that the file has changed.
            let known = self.collection.page(wanted[at]).text_hash;
            let again = form(page, is_field).filter(|again| text_hash(again.as_ref()) == known);
            again.map(|again| make(at, &again))
        };
        let take_one = |at: usize, made: &mut Option<T>| {
            watch.advance(1);
            take(at, made.take().ok_or_else(|| self.gone(wanted[at]))?)
        };
        let order = ReadOrder::Any;
        each_wanted(
            self.sources,
            read,
            &records,
            order,
            watch,
            make_one,
            take_one,
        )?;
        let mut read: Vec<u32> = records.iter().map(|(source, _)| *source).collect();
        read.dedup();
        read.iter()
            .try_for_each(|&source| self.sources[source as usize].unchanged())
    }

    fn gone(&self, page: PageNo) -> Error {
        let row = self.collection.page(page);
        Error::Usage(format!(
            "{}, record {}: the file changed during the run; run again when nothing writes to it",
            self.sources[row.source as usize].path.display(),
            row.record
        ))
    }
}
