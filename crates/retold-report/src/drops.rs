//! The dropped pages of a finished run, for people who want to look at some of them.

use std::collections::{HashMap, HashSet};

use retold::eval::{each_line, read_pairs};
use retold::internal::decodes;
use retold::read::{Source, each_page, page_ids};
use retold::{Error, Page, Result, Watch};
use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::finished::Finished;

/// A dropped page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct DroppedPage {
    /// Its id.
    pub id: String,
    /// The page for which it was dropped.
    pub canonical: String,
    /// Its relation to that page.
    pub relation: String,
    /// Words that only it has.
    #[serde(default)]
    pub lost: u64,
    /// Similarity of the two, if `pairs.jsonl` lists them.
    #[serde(skip)]
    pub similarity: Option<f64>,
}

/// Which dropped pages come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropOrder {
    /// At random, with this seed.
    Random(u64),
    /// Those that are least like the page for which they went.
    Doubtful,
    /// Those that take most words of their own with them.
    Lost,
}

impl Finished {
    /// At most `count` dropped pages; of one site, if it is given.
    ///
    /// Errors: a file of the run cannot be read; for a site, the inputs cannot be read.
    pub fn drops(
        &self,
        order: DropOrder,
        site: Option<&str>,
        count: usize,
        watch: &dyn Watch,
    ) -> Result<Vec<DroppedPage>> {
        let mut drops: Vec<DroppedPage> = Vec::new();
        each_line(&self.file("dropped.jsonl"), "a dropped page", |line| {
            drops.push(serde_json::from_str(line)?);
            Ok(())
        })?;
        if let Some(site) = site {
            let of_site = self.of_site(site, watch)?;
            drops.retain(|page| of_site.contains(&page.id));
        }
        self.add_similarities(&mut drops)?;
        match order {
            DropOrder::Random(seed) => {
                drops.sort_by_key(|page| xxh3_64_with_seed(page.id.as_bytes(), seed))
            }
            // A page without a listed pair is related only through others.
            DropOrder::Doubtful => drops.sort_by(|a, b| {
                let likeness = |page: &DroppedPage| page.similarity.unwrap_or_default();
                likeness(a).total_cmp(&likeness(b))
            }),
            DropOrder::Lost => drops.sort_by_key(|page| std::cmp::Reverse(page.lost)),
        }
        drops.truncate(count);
        Ok(drops)
    }

    fn add_similarities(&self, drops: &mut [DroppedPage]) -> Result<()> {
        let mut places: HashMap<(String, String), usize> = HashMap::new();
        for (place, page) in drops.iter().enumerate() {
            let (a, b) = (page.id.clone(), page.canonical.clone());
            places.insert(if a < b { (a, b) } else { (b, a) }, place);
        }
        read_pairs(&self.file("pairs.jsonl"), |pair| {
            if let Some(&place) = places.get(&(pair.a.into_owned(), pair.b.into_owned())) {
                drops[place].similarity = Some(pair.similarity);
            }
        })
    }

    /// The ids of the pages of a site.
    fn of_site(&self, site: &str, watch: &dyn Watch) -> Result<HashSet<String>> {
        let (sources, read) = (&self.inputs.sources, &self.inputs.model.config().read);
        let mut ids = page_ids(sources, read, watch)?.into_iter();
        let mut found = HashSet::new();
        // Only pages that have an id.
        let make = |page: Page| decodes(&page).map(|()| page.site());
        let take = |_: &Source, _: u64, made: std::result::Result<Option<String>, String>| {
            if let Ok(own) = made
                && let Some(page) = ids.next()
                && own.as_deref() == Some(site)
            {
                found.insert(page.id.into_string());
            }
            Ok(())
        };
        each_page(sources, read, watch, "read", make, take)?;
        match found.is_empty() {
            true => Err(Error::Usage(format!("no page is of the site `{site}`"))),
            false => Ok(found),
        }
    }
}
