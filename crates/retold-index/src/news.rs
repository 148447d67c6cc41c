//! Stories for readers of feeds: each once, with who else has it and what they add.

use retold::Result;
use retold::internal::shortened;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::condense::Listed;
use crate::index::{Index, unknown};
use crate::state::State;
use crate::story::{Parts, Placed, StoryPart, written};

/// Other pages of a story that are listed at most.
const LISTED: usize = 20;
/// Characters of a text that are shown at most, and of what a page adds to it.
const TEXT: usize = 20_000;
const ADDED: usize = 2_000;

/// A story as a reader sees it: its earliest page, and the others.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct News {
    /// Id of the story, which is stable.
    pub id: String,
    /// Title of the earliest page.
    pub title: Option<String>,
    /// URL of the earliest page.
    pub url: Option<String>,
    /// Site of the earliest page.
    pub site: Option<String>,
    /// Text of the earliest page, a line for each paragraph, cut after 20,000 characters; `None` if the index keeps no texts.
    pub text: Option<String>,
    /// Date of the earliest page.
    pub published: String,
    /// Date of the last page that adds something to those before it.
    pub updated: String,
    /// At most 20 other pages, the earliest first.
    pub also: Vec<AlsoIn>,
    /// Number of further pages.
    pub more: usize,
}

/// Another page with a story, or with a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AlsoIn {
    /// Page id.
    pub id: String,
    /// Title.
    pub title: Option<String>,
    /// URL.
    pub url: Option<String>,
    /// Site.
    pub site: Option<String>,
    /// Date of publication, or of adding if there is none.
    pub published: String,
    /// Its role in the story.
    pub part: StoryPart,
    /// Passages that no page listed before it has, cut after 2,000 characters in all; none if that is not known.
    pub adds: Vec<String>,
}

impl Index {
    /// The stories that came last, single pages too, the last one first. A story that contains an older one, or is contained in it, is
    /// listed only there.
    ///
    /// Errors: 0.1 wrote the index. Time O(pages and relations of the index), and that of aligning the pages of these stories.
    pub fn news(&self, limit: usize) -> Result<Vec<News>> {
        let pages = {
            let state = self.read();
            self.check_stories(&state)?;
            latest(&state, limit)
        };
        pages.into_iter().map(|page| self.news_of(page)).collect()
    }

    /// The story of the page with this id.
    ///
    /// Errors: there is no such page; 0.1 wrote the index.
    pub fn story_news(&self, id: &str) -> Result<News> {
        let (page, _) = self.find(id)?.ok_or_else(|| unknown(id))?;
        self.news_of(page)
    }

    fn news_of(&self, page: u32) -> Result<News> {
        let parts = self.parts(page)?;
        let (first, others) = self.told_by(page, &parts);
        let listed = |page: u32| -> Result<Listed> {
            let entry = self.entry_of(page)?;
            Ok(Listed { entry, text: None })
        };
        let mut pages = vec![listed(first)?];
        for &(page, _) in others.iter().take(LISTED) {
            pages.push(listed(page)?);
        }
        let mut updated = pages[0].entry.moment();
        let mut also = Vec::new();
        for (place, &(_, part)) in (1..pages.len()).zip(&others) {
            let adds = self.added(&pages, place)?;
            let entry = &pages[place].entry;
            if !adds.is_empty() {
                updated = updated.max(entry.moment());
            }
            also.push(AlsoIn {
                id: entry.id.clone(),
                title: entry.title.clone(),
                url: entry.url.clone(),
                site: entry.sketch.site.clone(),
                published: written(entry.moment()),
                part,
                adds,
            });
        }
        let text = self.text_of(first)?.map(|text| {
            let blocks: Vec<&str> = text.shown().filter(|block| !block.is_empty()).collect();
            shortened(&blocks.join("\n"), TEXT)
        });
        let name = self.read().pages.graph.first(page);
        let entry = &pages[0].entry;
        Ok(News {
            id: self.entry_of(name)?.id,
            title: entry.title.clone(),
            url: entry.url.clone(),
            site: entry.sketch.site.clone(),
            text,
            published: written(entry.moment()),
            updated: written(updated),
            more: others.len() - also.len(),
            also,
        })
    }

    /// The earliest page of those that tell the story of a page or a part of it, and the others, the earliest first. A round-up is never the
    /// first.
    fn told_by(&self, page: u32, parts: &Parts) -> (u32, Vec<(u32, StoryPart)>) {
        let state = self.read();
        let graph = &state.pages.graph;
        // To a reader, what a round-up has of a story is an excerpt.
        let rounded_up = state.catalog().edges.parts(graph.root(page)).rounded_up;
        let stories = rounded_up.into_iter().flat_map(|root| graph.story(root));
        let stories = stories.map(|page| (state.pages.time(page), page, StoryPart::Excerpt));
        let mut all: Vec<Placed> = parts.pages.iter().copied().chain(stories).collect();
        all.sort_unstable();
        all.dedup_by_key(|placed| placed.1);
        let tells = all.iter().position(|placed| placed.2 != StoryPart::RoundUp);
        let (_, first, part) = all.remove(tells.unwrap_or_default());
        // Seen from an excerpt, the pages of the story are longer versions, and the other way round.
        let own = match part {
            StoryPart::Page | StoryPart::RoundUp => StoryPart::Page,
            StoryPart::Excerpt => StoryPart::Longer,
            StoryPart::Longer => StoryPart::Excerpt,
        };
        let others = all.into_iter().map(|(_, page, part)| match part {
            StoryPart::Page => (page, own),
            part => (page, part),
        });
        (first, others.collect())
    }

    /// What a page of a list adds to those before it.
    fn added(&self, pages: &[Listed], place: usize) -> Result<Vec<String>> {
        if !self.counts_own() {
            return Ok(Vec::new());
        }
        let earlier: Vec<usize> = (0..place).collect();
        let mut room = ADDED;
        let mut adds = Vec::new();
        for passage in self.adds_to(pages, &earlier, place)?.passages {
            if room == 0 {
                break;
            }
            adds.push(shortened(&passage.text, room));
            room = room.saturating_sub(passage.text.chars().count());
        }
        Ok(adds)
    }
}

/// A page of each of the latest stories, the last story first.
fn latest(state: &State, limit: usize) -> Vec<u32> {
    let graph = &state.pages.graph;
    let mut first = FxHashMap::default();
    for page in (0..state.visible).filter(|&page| graph.is_live(page)) {
        let place = graph.place(page);
        let known = first.entry(graph.root(page)).or_insert(place);
        *known = place.min(*known);
    }
    let mut stories: Vec<_> = first
        .into_iter()
        .map(|(root, place)| (place, root))
        .collect();
    stories.sort_unstable();
    let catalog = state.catalog();
    let mut own_entry = FxHashSet::default();
    stories.retain(|&(_, root)| {
        let parts = catalog.edges.parts(root);
        let kinds = [
            parts.excerpts,
            parts.rounded_up,
            parts.longer,
            parts.round_ups,
        ];
        // Only older stories are there yet, so what comes later takes no story's entry away.
        let is_listed = kinds
            .iter()
            .flatten()
            .any(|other| own_entry.contains(other));
        !is_listed && own_entry.insert(root)
    });
    let latest = stories.into_iter().rev().take(limit);
    latest.map(|((.., page), _)| page).collect()
}
