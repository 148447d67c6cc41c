//! Gathers a digest from an index.

use std::collections::BTreeSet;

use retold::Result;
use retold::internal::date_text;
use retold_index::{Change, Edits, Index, Listed, Order, PageFilter, StoryPage, StoryPart};

/// Rows of a story.
const ROWS: usize = 40;
/// Pages of a story whose own passages are looked for.
const COMPARED: usize = 20;

#[derive(Debug, Default)]
pub struct Digest {
    /// From when on, as it is written.
    pub since: String,
    /// Pages since then, and their sites.
    pub pages: u64,
    pub sites: u64,
    /// Stories that began since then, and those that go on.
    pub new: Vec<Told>,
    pub going_on: Vec<Told>,
    /// Stories that are not listed.
    pub more: usize,
    /// Pages that newer versions replaced since then.
    pub changed: Vec<Changed>,
}

/// A story.
#[derive(Debug)]
pub struct Told {
    pub title: String,
    pub pages: u64,
    pub sites: u64,
    /// The first page, then the others since then, earliest first.
    pub rows: Vec<Row>,
    /// How many rows are not listed.
    pub more: usize,
}

/// A page of a story.
#[derive(Debug)]
pub struct Row {
    pub page: StoryPage,
    /// Passages that no earlier page of the story has.
    pub adds: Vec<String>,
}

/// A page that was changed.
#[derive(Debug)]
pub struct Changed {
    pub title: String,
    pub url: Option<String>,
    pub site: Option<String>,
    /// Dates of the versions before and after.
    pub seen: [String; 2],
    pub edits: Edits,
}

/// What happened since a moment; at most `limit` stories.
pub fn gather(index: &Index, since: i64, limit: usize) -> Result<Digest> {
    let filter = PageFilter {
        since: Some(since),
        ..PageFilter::default()
    };
    let pages = index.page_keys(&filter)?;
    let sites: BTreeSet<String> = index
        .page_lines(&pages, &filter)?
        .into_iter()
        .filter_map(|line| line.site)
        .collect();
    let mut digest = Digest {
        since: date_text(since).unwrap_or_default(),
        pages: pages.len() as u64,
        sites: sites.len() as u64,
        changed: changed(index, since)?,
        ..Digest::default()
    };
    let keys = index.story_keys(Order::Size, &filter)?;
    digest.more = keys.len().saturating_sub(limit);
    for card in index.story_cards(&keys[..limit.min(keys.len())])? {
        let is_new = card.line.first_seen >= digest.since;
        let told = told(index, &card.line.id, &digest.since)?;
        match is_new {
            true => digest.new.push(told),
            false => digest.going_on.push(told),
        }
    }
    Ok(digest)
}

fn told(index: &Index, id: &str, since: &str) -> Result<Told> {
    let story = index.story(id, 0..usize::MAX, false)?;
    let (line, timeline) = (story.line, story.timeline);
    let sites: BTreeSet<&String> = timeline
        .iter()
        .filter_map(|page| page.site.as_ref())
        .collect();
    let sites = sites.len() as u64;
    let earliest = timeline.first().and_then(|page| page.title.clone());
    let is_compared = |page: &StoryPage| page.part != StoryPart::RoundUp;
    let mut list: Vec<Listed> = Vec::new();
    let mut rows = Vec::new();
    let mut more = 0;
    for (at, page) in timeline.into_iter().enumerate() {
        let mut adds = Vec::new();
        if is_compared(&page) && list.len() < COMPARED && index.counts_own() {
            list.extend(index.listed(&page.id)?);
            let earlier: Vec<usize> = (0..list.len() - 1).collect();
            if !earlier.is_empty() {
                let added = index.adds_to(&list, &earlier, list.len() - 1)?;
                adds = added
                    .passages
                    .into_iter()
                    .map(|passage| passage.text)
                    .collect();
            }
        }
        let is_shown = at == 0 || page.what == Change::First || *page.seen >= *since;
        match is_shown && rows.len() < ROWS {
            true => rows.push(Row { page, adds }),
            false => more += usize::from(is_shown),
        }
    }
    Ok(Told {
        title: earliest.or(line.title).unwrap_or(line.id),
        pages: line.pages + line.excerpts + line.longer + line.round_ups,
        sites,
        rows,
        more,
    })
}

/// The pages that were changed since a moment. Changes of other things than words do not count.
fn changed(index: &Index, since: i64) -> Result<Vec<Changed>> {
    let mut changed = Vec::new();
    for (entry, before) in index.replaced_since(since)? {
        let Some(edits) = before.edits.filter(|edits| !edits.is_empty()) else {
            continue;
        };
        changed.push(Changed {
            title: entry.title.clone().unwrap_or_else(|| entry.id.clone()),
            seen: [before.seen, date_text(entry.moment()).unwrap_or_default()],
            url: entry.url,
            site: entry.sketch.site,
            edits,
        });
    }
    Ok(changed)
}
