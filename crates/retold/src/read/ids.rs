//! Ids that tell pages apart (CONTRACT, *Input*).

use rayon::prelude::*;

use super::{ReadOptions, Source, each_page};
use crate::error::Result;
use crate::page::Page;
use crate::text::decodes;
use crate::watch::Watch;

/// A page's id, and where the page is.
#[derive(Clone, Debug)]
pub struct PageId<'s> {
    /// The id, different from all others.
    pub id: Box<str>,
    /// The source.
    pub source: &'s Source,
    /// The record's number in the source.
    pub record: u64,
}

/// The ids of all pages in the order of reading, settled. Reads all sources once; records that are no pages or cannot be
/// read have none.
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
        "reading",
        make,
        |source, record, id| {
            if let Ok(id) = id {
                ids.push(id.into_boxed_str());
                places.push((source, record));
            }
            Ok(())
        },
    )?;
    settle(&mut ids);
    let pages = ids.into_iter().zip(places);
    Ok(pages
        .map(|(id, (source, record))| PageId { id, source, record })
        .collect())
}

/// Makes repeated ids unique: the second page of an id gets `#2`, the third `#3`, and so on, in the order of reading,
/// passing over names that other pages have by themselves.
pub fn settle(ids: &mut [Box<str>]) {
    let mut order: Vec<u32> = (0..ids.len() as u32).collect();
    order.par_sort_by(|&a, &b| ids[a as usize].cmp(&ids[b as usize]));
    let repeated: Vec<Vec<u32>> = order
        .chunk_by(|&a, &b| ids[a as usize] == ids[b as usize])
        .filter(|run| run.len() > 1)
        .map(<[u32]>::to_vec)
        .collect();
    let taken = |name: &str| {
        let found = order.binary_search_by(|&at| (*ids[at as usize]).cmp(name));
        found.is_ok()
    };
    let mut renamed = Vec::new();
    for run in repeated {
        let mut suffix = 1;
        for &page in &run[1..] {
            let name = loop {
                suffix += 1;
                let name = format!("{}#{suffix}", ids[page as usize]);
                if !taken(&name) {
                    break name;
                }
            };
            renamed.push((page, name));
        }
    }
    for (page, name) in renamed {
        ids[page as usize] = name.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(ids: &[&str]) -> Vec<Box<str>> {
        let mut ids: Vec<Box<str>> = ids.iter().map(|&id| id.into()).collect();
        settle(&mut ids);
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
