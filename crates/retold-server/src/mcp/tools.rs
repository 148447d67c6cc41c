//! The tools.

use retold::explain::{Offsets, PassageKind};
use retold::internal::{date_seconds, shortened};
use retold::{Page, Relation};
use retold_index::{
    Adds, Entry, Index, Known, Match, MatchLine, PageFilter, PageLine, Prepared, StoryPage,
};
use rmcp::ErrorData;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::arguments::{Explain, Forget, Remember, Search, Seen, Story};
use crate::body::WORK;
use crate::problem::Problem;
use crate::state::App;

type Result<T> = std::result::Result<T, Problem>;

/// Matches that an answer names, if not asked for more.
const MATCHES: usize = 3;
/// Passages that an answer shows, and characters of each.
const PASSAGES: (usize, usize) = (8, 400);
/// Pages that an answer lists, if not asked for more.
const PAGES: usize = 10;

/// The tools of a server. One that may not write does not offer what would.
pub(super) fn list(may_write: bool) -> Vec<Tool> {
    let asks = |name, title, description| {
        tool(
            name,
            title,
            description,
            ToolAnnotations::new().read_only(true),
        )
    };
    let mut tools = vec![
        asks(
            "seen",
            "Seen before?",
            "Says whether a text is new, a repeat of something stored, or adds to it; names what it repeats and shows the passages that nothing \
             stored has.",
        )
        .with_input_schema::<Seen>(),
        asks(
            "explain",
            "Why are two texts related?",
            "Says how two stored texts are related and why, and shows the passages that only one of them has.",
        )
        .with_input_schema::<Explain>(),
        asks(
            "story",
            "Who else has it?",
            "Lists the pages that tell the same story as a stored one, earliest first: copies, shortened and extended versions.",
        )
        .with_input_schema::<Story>(),
        asks(
            "search",
            "Search",
            "Finds stored pages by words, site, language and date, latest first.",
        )
        .with_input_schema::<Search>(),
    ];
    if may_write {
        let stores = ToolAnnotations::new()
            .read_only(false)
            .destructive(false)
            .idempotent(true);
        let removes = ToolAnnotations::new()
            .read_only(false)
            .destructive(true)
            .idempotent(true);
        tools.push(
            tool(
                "remember",
                "Remember",
                "Stores a text, and answers as `seen` did before. Returns when it is safe on disk.",
                stores,
            )
            .with_input_schema::<Remember>(),
        );
        tools.push(
            tool("forget", "Forget", "Removes a stored text.", removes)
                .with_input_schema::<Forget>(),
        );
    }
    tools
}

fn tool(
    name: &'static str,
    title: &'static str,
    description: &'static str,
    annotations: ToolAnnotations,
) -> Tool {
    Tool::new(name, description, JsonObject::new())
        .with_title(title)
        .with_annotations(annotations.open_world(false))
}

/// Calls a tool. The inner error is for the model.
///
/// Errors: there is no such tool, or its arguments are not what its schema says.
pub(super) async fn call(
    app: &App,
    may_write: bool,
    name: &str,
    arguments: JsonObject,
) -> std::result::Result<Result<Value>, ErrorData> {
    let answer = match name {
        "seen" => told(seen(app, read(name, arguments)?).await),
        "explain" => told(explain(app, read(name, arguments)?).await),
        "story" => told(story(app, read(name, arguments)?).await),
        "search" => told(search(app, read(name, arguments)?).await),
        "remember" if may_write => told(remember(app, read(name, arguments)?).await),
        "forget" if may_write => told(forget(app, read(name, arguments)?).await),
        "remember" | "forget" => Err(Problem::bad(
            "this server only answers; whoever runs it can allow it to write",
        )),
        name => {
            let message = format!("there is no tool `{name}`");
            return Err(ErrorData::invalid_params(message, None));
        }
    };
    Ok(answer)
}

fn read<T: DeserializeOwned + JsonSchema>(
    name: &str,
    arguments: JsonObject,
) -> std::result::Result<T, ErrorData> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|e| ErrorData::invalid_params(format!("{name}: {e}"), None))
}

fn told(answer: Result<impl Serialize>) -> Result<Value> {
    // Answers are plain values.
    answer.map(|answer| serde_json::to_value(answer).unwrap_or_default())
}

#[derive(Debug, Serialize)]
struct SeenAnswer {
    status: Known,
    /// What it repeats or is like, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    of: Vec<Of>,
    /// What nothing stored says.
    #[serde(skip_serializing_if = "Option::is_none")]
    adds: Option<Passages>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

/// A stored page as answers name it.
#[derive(Debug, Serialize)]
struct Of {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    relation: Option<Relation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
}

impl Of {
    fn of_match(found: &Match) -> Of {
        let MatchLine {
            id,
            relation,
            title,
            url,
            date,
            ..
        } = found.line();
        Of {
            url: url.filter(|url| *url != id),
            id,
            relation: Some(relation),
            title,
            date,
        }
    }

    fn of_entry(entry: Entry) -> Of {
        Of {
            url: entry.url.filter(|url| *url != entry.id),
            id: entry.id,
            relation: None,
            title: entry.title,
            date: entry.date,
        }
    }
}

/// Passages, shortened for a model.
#[derive(Debug, Serialize)]
struct Passages {
    /// Words in all of them.
    words: u64,
    passages: Vec<String>,
    /// How many more there are.
    #[serde(skip_serializing_if = "is_zero")]
    more: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde wants it")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Passages {
    fn of(words: u64, texts: impl ExactSizeIterator<Item = String>) -> Passages {
        let (count, longest) = PASSAGES;
        let more = texts.len().saturating_sub(count);
        let passages = texts.take(count).map(|text| shortened(&text, longest));
        Passages {
            words,
            passages: passages.collect(),
            more,
        }
    }

    fn of_adds(adds: Adds) -> Passages {
        let texts = adds.passages.into_iter().map(|passage| passage.text);
        Passages::of(adds.words, texts)
    }
}

/// Prepares a page, with the memory for it reserved meanwhile.
async fn prepared(app: &App, page: Page) -> Result<Prepared> {
    let mut room = app.room()?;
    room.set((WORK * page.content.len()).min(app.options.max_bodies))?;
    app.work(move |index| {
        let _held = room;
        Ok(index.prepare(page)?)
    })
    .await
}

async fn seen(app: &App, asked: Seen) -> Result<SeenAnswer> {
    let limit = asked.limit.unwrap_or(MATCHES).clamp(1, 20);
    if let Some(page) = asked.page()? {
        let page = prepared(app, page).await?;
        return app
            .work(move |index| seen_before(index, &page, limit))
            .await;
    }
    let url = asked.url.unwrap_or_default();
    let found = app.work(move |index| Ok(index.find_url(&url)?));
    Ok(match found.await? {
        Some(entry) => SeenAnswer {
            status: Known::Repeat,
            of: vec![Of::of_entry(entry)],
            adds: None,
            note: Some("the address is stored; give its text to see whether it has changed"),
        },
        None => SeenAnswer {
            status: Known::New,
            of: Vec::new(),
            adds: None,
            note: Some("no stored page has this address; give its text to compare it"),
        },
    })
}

fn seen_before(index: &Index, page: &Prepared, limit: usize) -> Result<SeenAnswer> {
    let seen = index.seen(page, limit)?;
    Ok(SeenAnswer {
        status: seen.known,
        of: seen.matches.iter().map(Of::of_match).collect(),
        adds: seen.adds.map(Passages::of_adds),
        note: None,
    })
}

#[derive(Debug, Serialize)]
struct Remembered {
    id: String,
    /// `new`, `replaced` or `unchanged`.
    stored: &'static str,
    #[serde(flatten)]
    seen: SeenAnswer,
}

async fn remember(app: &App, asked: Remember) -> Result<Remembered> {
    let page = asked.page()?;
    crate::pages::check_id(&page.id).map_err(Problem::bad)?;
    let committer = app.committer.as_ref().ok_or_else(crate::pages::read_only)?;
    let page = prepared(app, page).await?;
    let mut room = app.room()?;
    room.set(page.memory().min(app.options.max_bodies))?;
    let (page, seen) = app
        .work(move |index| {
            let seen = seen_before(index, &page, MATCHES)?;
            Ok((page, seen))
        })
        .await?;
    // The matches become links of stories; the answer has those of before.
    let matches = retold_index::MATCHES;
    let added = committer.add(vec![page], matches, room).await?;
    let (page, added) = added
        .into_iter()
        .next()
        .ok_or_else(|| Problem::internal("the page was not added; please report it"))?;
    Ok(Remembered {
        id: page.entry.id,
        stored: added.status.name(),
        seen,
    })
}

#[derive(Debug, Serialize)]
struct Forgotten {
    id: String,
    forgotten: bool,
}

async fn forget(app: &App, asked: Forget) -> Result<Forgotten> {
    let committer = app.committer.as_ref().ok_or_else(crate::pages::read_only)?;
    let removed = committer.remove(vec![asked.id.clone()]).await?;
    Ok(Forgotten {
        id: asked.id,
        forgotten: removed.first() == Some(&true),
    })
}

#[derive(Debug, Serialize)]
struct Explained {
    /// What `a` is to `b`; null if they are not related.
    relation: Option<Relation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    similarity: Option<f64>,
    /// The tests that decided, with their values.
    checks: Vec<String>,
    /// Characters of passages that both have.
    shared_characters: u64,
    only_a: Passages,
    only_b: Passages,
    #[serde(skip_serializing_if = "Option::is_none")]
    why_not_compared: Option<String>,
}

async fn explain(app: &App, asked: Explain) -> Result<Explained> {
    app.work(move |index| {
        let Explain { a, b } = asked;
        [&a, &b]
            .into_iter()
            .try_for_each(|id| crate::stories::there(index, id))?;
        let told = index.explain(&a, &b, Offsets::Chars)?;
        let list = [&a, &b].map(|id| index.listed(id));
        let [a, b] = list.map(|listed| listed.ok().flatten());
        let list: Vec<_> = a.into_iter().chain(b).collect();
        let only = |earlier: usize, place: usize| match index.counts_own() && list.len() == 2 {
            true => Ok(Passages::of_adds(index.adds_to(
                &list,
                &[earlier],
                place,
            )?)),
            false => Ok::<Passages, Problem>(Passages::of(0, std::iter::empty())),
        };
        let shared = told
            .passages
            .iter()
            .filter(|passage| passage.kind == PassageKind::Same);
        Ok(Explained {
            relation: told.relation,
            similarity: told.similarity,
            checks: told.checks.iter().map(|check| check.line.clone()).collect(),
            shared_characters: shared
                .map(|passage| u64::from(passage.a[1] - passage.a[0]))
                .sum(),
            only_a: only(1, 0)?,
            only_b: only(0, 1)?,
            why_not_compared: told.filter.clone(),
        })
    })
    .await
}

#[derive(Debug, Serialize)]
struct StoryAnswer {
    pages: u64,
    sites: u64,
    first: String,
    last: String,
    /// The pages, earliest first.
    timeline: Vec<Told>,
    /// How many more pages there are.
    #[serde(skip_serializing_if = "is_zero")]
    more: usize,
}

#[derive(Debug, Serialize)]
struct Told {
    id: String,
    date: String,
    /// What it is to the story: a page, an excerpt, a longer version or a round-up; and how it differs from an earlier page.
    what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    site: Option<String>,
}

/// The name of a plain value, as JSON has it.
fn name(value: impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

impl Told {
    fn of(page: StoryPage) -> Told {
        Told {
            what: format!("{}, {}", name(page.part), name(page.what)),
            id: page.id,
            date: page.seen,
            title: page.title,
            site: page.site,
        }
    }
}

async fn story(app: &App, asked: Story) -> Result<impl Serialize> {
    let limit = asked.limit.unwrap_or(PAGES).clamp(1, 100);
    app.work(move |index| {
        crate::stories::there(index, &asked.id)?;
        let story = index.story(&asked.id, 0..limit, false)?;
        let line = story.line;
        let all = line.pages + line.excerpts + line.longer + line.round_ups;
        Ok(StoryAnswer {
            pages: line.pages,
            sites: line.sites,
            first: line.first_seen,
            last: line.last_seen,
            more: (all as usize).saturating_sub(story.timeline.len()),
            timeline: story.timeline.into_iter().map(Told::of).collect(),
        })
    })
    .await
}

#[derive(Debug, Serialize)]
struct Found {
    total: u64,
    pages: Vec<FoundPage>,
}

#[derive(Debug, Serialize)]
struct FoundPage {
    id: String,
    date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    site: Option<String>,
    /// Pages of its story.
    story_pages: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<String>,
}

impl FoundPage {
    fn of(page: PageLine) -> FoundPage {
        FoundPage {
            id: page.id,
            date: page.seen,
            title: page.title,
            site: page.site,
            story_pages: page.story_pages,
            excerpt: page.excerpt,
        }
    }
}

async fn search(app: &App, asked: Search) -> Result<Found> {
    let date = |name: &str, date: &Option<String>| {
        let seconds = date.as_deref().map(|date| {
            let seconds = date_seconds(date);
            seconds
                .ok_or_else(|| Problem::bad(format!("{name}: a date expected, as in 2026-11-01")))
        });
        seconds.transpose()
    };
    let filter = PageFilter {
        since: date("since", &asked.since)?,
        until: date("until", &asked.until)?,
        site: asked.site,
        language: asked.language,
        words: crate::lists::words(&asked.query)?,
    };
    let limit = asked.limit.unwrap_or(PAGES).clamp(1, 50);
    app.work(move |index| {
        let keys = index.page_keys(&filter)?;
        let first = &keys[..limit.min(keys.len())];
        let pages = index.page_lines(first, &filter)?;
        Ok(Found {
            total: keys.len() as u64,
            pages: pages.into_iter().map(FoundPage::of).collect(),
        })
    })
    .await
}
