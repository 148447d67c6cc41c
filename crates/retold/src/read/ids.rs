//! Unique ids of pages: if several pages share an id, all but the first get a number after it.

use rayon::prelude::*;

use super::each::each_page;
use super::options::ReadOptions;
use super::source::Source;
use crate::error::Result;
use crate::ids::PageNo;
use crate::page::Page;
use crate::stage::Stage;
use crate::text::decodes;
use crate::watch::Watch;

/// A page's id, and where the page is.
#[derive(Clone, Debug)]
pub struct PageId<'s> {
    /// The id, different from all others.
    pub id: Box<str>,
    /// The page's source.
    pub source: &'s Source,
    /// The record's number in the source.
    pub record: u64,
}

/// The final ids of all pages in reading order. Reads all sources once; records that are not pages or cannot be read get no id.
pub fn page_ids<'s>(
    sources: &'s [Source],
    options: &ReadOptions,
    watch: &dyn Watch,
) -> Result<Vec<PageId<'s>>> {
    let (mut ids, mut places) = (Vec::new(), Vec::new());
    let make = |page: Page| decodes(&page).map(|()| page.id);
    each_page(
        sources,
        options,
        watch,
        Stage::Read.name(),
        make,
        |source, record, id| {
            if let Ok(id) = id {
                ids.push(id.into_boxed_str());
                places.push((source, record));
            }
            Ok(())
        },
    )?;
    settle_all(&mut ids);
    let pages = ids.into_iter().zip(places);
    Ok(pages
        .map(|(id, (source, record))| PageId { id, source, record })
        .collect())
}

/// Makes repeated ids unique: the second page with an id gets `#2`, the third `#3`, and so on, skipping ids that other pages already have.
/// `by_id` has the pages sorted by id, and pages with the same id in reading order. Returns the pages with a new id, ascending.
pub fn settle_ids<'a>(by_id: &[PageNo], id: impl Fn(PageNo) -> &'a str) -> Vec<(PageNo, String)> {
    let is_taken = |name: &str| by_id.binary_search_by(|&page| id(page).cmp(name)).is_ok();
    let mut renamed = Vec::new();
    for run in by_id.chunk_by(|&a, &b| id(a) == id(b)) {
        let mut suffix = 1;
        for &page in &run[1..] {
            let name = loop {
                suffix += 1;
                let name = format!("{}#{suffix}", id(page));
                if !is_taken(&name) {
                    break name;
                }
            };
            renamed.push((page, name));
        }
    }
    renamed.sort_unstable();
    renamed
}

fn settle_all(ids: &mut [Box<str>]) {
    let mut by_id: Vec<PageNo> = PageNo::first(ids.len()).collect();
    by_id.par_sort_by(|a, b| ids[a.at()].cmp(&ids[b.at()]));
    for (page, name) in settle_ids(&by_id, |page| &ids[page.at()]) {
        ids[page.at()] = name.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(ids: &[&str]) -> Vec<Box<str>> {
        let mut ids: Vec<Box<str>> = ids.iter().map(|&id| id.into()).collect();
        settle_all(&mut ids);
        ids
    }

    #[test]
    fn repeated_ids_are_told_apart() {
        let ids: Vec<Box<str>> = ["a", "b", "a#3", "a#2", "a#4", "b#2"]
            .map(Into::into)
            .into();
        assert_eq!(settled(&["a", "b", "a", "a#2", "a", "b"]), ids);
        assert_eq!(
            settled(&["a", "a", "a#2"]),
            ["a", "a#3", "a#2"].map(Into::into) as [Box<str>; 3]
        );
    }

    #[test]
    fn no_two_pages_have_one_id() {
        let ids = settled(&["a#2", "a", "a#2", "a", "a#2#2", "a", "a#2"]);
        let different: std::collections::BTreeSet<&str> = ids.iter().map(|id| &**id).collect();
        assert_eq!(different.len(), ids.len());
    }
}
