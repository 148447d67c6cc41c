//! Pages and stories as resources.

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use retold::internal::shortened;
use retold_index::{Order, PageFilter};
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

use crate::problem::Problem;
use crate::state::App;

/// Stories that are listed.
const STORIES: usize = 20;
/// Characters of a page that are shown.
const CHARACTERS: usize = 100_000;
/// Rows of a story that are shown.
const ROWS: usize = 100;

const PAGE: &str = "retold://page/";
const STORY: &str = "retold://story/";

/// The kinds of resources. Ids are percent-encoded.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{PAGE}{{id}}"), "page")
            .with_title("A page")
            .with_description("The text of a stored page")
            .with_mime_type("text/plain"),
        ResourceTemplate::new(format!("{STORY}{{id}}"), "story")
            .with_title("A story")
            .with_description("The pages that tell the story of a stored page, earliest first")
            .with_mime_type("application/json"),
    ]
}

/// The stories with the latest pages.
pub(super) async fn recent(app: &App) -> Result<Vec<Resource>, ErrorData> {
    let stories =
        app.work(|index| Ok(index.stories(Order::Recent, &PageFilter::default(), 0, STORIES)?));
    let resource = |story: retold_index::StoryLine| {
        let id = utf8_percent_encode(&story.id, NON_ALPHANUMERIC);
        let title = story.title.clone().unwrap_or_else(|| story.id.clone());
        let pages = format!("{} pages on {} sites", story.pages, story.sites);
        Resource::new(format!("{STORY}{id}"), story.id)
            .with_title(title)
            .with_description(pages)
            .with_mime_type("application/json")
    };
    let stories = stories.await.map_err(failed)?;
    Ok(stories.into_iter().map(resource).collect())
}

/// Reads a page or a story.
pub(super) async fn read(app: &App, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let unknown = || {
        let message = format!("`{uri}`: {PAGE}ID or {STORY}ID expected");
        ErrorData::resource_not_found(message, None)
    };
    let decode = |id: &str| {
        percent_decode_str(id)
            .decode_utf8()
            .map(|id| id.into_owned())
    };
    let content = if let Some(id) = uri.strip_prefix(PAGE) {
        let id = decode(id).map_err(|_| unknown())?;
        ResourceContents::text(page(app, id).await?, uri)
    } else if let Some(id) = uri.strip_prefix(STORY) {
        let id = decode(id).map_err(|_| unknown())?;
        ResourceContents::text(story(app, id).await?, uri).with_mime_type("application/json")
    } else {
        return Err(unknown());
    };
    Ok(ReadResourceResult::new(vec![content]))
}

async fn page(app: &App, id: String) -> Result<String, ErrorData> {
    let wanted = id.clone();
    let found = app.work(move |index| Ok(index.get_with_text(&wanted)?));
    let (entry, text) = found.await.map_err(failed)?.ok_or_else(|| missing(&id))?;
    let text = text.map_or_else(
        || "(the index keeps no texts)".to_owned(),
        |text| text.visible,
    );
    let named = [
        ("title", entry.title),
        ("address", entry.url),
        ("date", entry.date),
    ];
    let mut shown = String::new();
    for (name, value) in named {
        if let Some(value) = value {
            shown.push_str(&format!("{name}: {value}\n"));
        }
    }
    shown.push('\n');
    shown.push_str(&shortened(&text, CHARACTERS));
    Ok(shown)
}

async fn story(app: &App, id: String) -> Result<String, ErrorData> {
    let wanted = id.clone();
    let story = app.work(move |index| match index.get(&wanted)? {
        Some(_) => Ok(Some(index.story(&wanted, 0..ROWS, false)?)),
        None => Ok(None),
    });
    let story = story.await.map_err(failed)?.ok_or_else(|| missing(&id))?;
    serde_json::to_string(&story).map_err(|e| ErrorData::internal_error(e.to_string(), None))
}

fn missing(id: &str) -> ErrorData {
    ErrorData::resource_not_found(format!("no page of the index has the id `{id}`"), None)
}

/// A failure that is no answer of a tool.
fn failed(problem: Problem) -> ErrorData {
    ErrorData::internal_error(problem.detail().to_owned(), None)
}
