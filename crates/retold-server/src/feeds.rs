//! Stories as an Atom feed.

use std::io;
use std::num::NonZeroUsize;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use quick_xml::Writer;
use quick_xml::events::BytesText;
use retold_index::{Order, PageFilter, StoryCard, StoryLine};
use serde::Deserialize;
use utoipa::IntoParams;
use xxhash_rust::xxh3::xxh3_128;

use crate::lists::{given, words};
use crate::problem::Problem;
use crate::state::App;

type Result<T> = std::result::Result<T, Problem>;

const KIND: &str = "application/atom+xml; charset=utf-8";

/// Query parameters of the feed.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    /// Only stories with a page on this site.
    site: Option<String>,
    /// Only stories with a page whose title or text has all these words.
    #[param(max_length = 200)]
    q: Option<String>,
    /// Maximum number of stories.
    #[param(value_type = Option<usize>, default = 50, minimum = 1, maximum = 200)]
    limit: Option<NonZeroUsize>,
}

impl Wanted {
    fn filter(&self) -> Result<PageFilter> {
        Ok(PageFilter {
            site: given(&self.site).map(str::to_owned),
            words: words(&self.q)?,
            ..PageFilter::default()
        })
    }

    fn limit(&self) -> usize {
        self.limit.map_or(50, |limit| limit.get().min(200))
    }

    fn title(&self) -> String {
        let site = given(&self.site).map(|site| format!(" on {site}"));
        let words = given(&self.q).map(|words| format!(": {words}"));
        let [site, words] = [site, words].map(Option::unwrap_or_default);
        format!("Stories{site}{words}")
    }

    fn query(&self) -> String {
        let site = given(&self.site).map(|site| format!("site={}", encoded(site)));
        let words = given(&self.q).map(|words| format!("q={}", encoded(words)));
        let parts: Vec<String> = site.into_iter().chain(words).collect();
        parts.join("&")
    }
}

/// Returns the stories with the latest pages as an Atom feed, latest first.
///
/// Sends an `ETag`, and status 304 if `If-None-Match` has it.
#[utoipa::path(get, path = "/v1/feeds/stories.atom", tag = "stories", params(Wanted),
    responses((status = 200, description = "the feed", body = String, content_type = "application/atom+xml"),
        (status = 304, description = "the feed has not changed")))]
pub(crate) async fn stories_atom(
    State(app): State<App>,
    wanted: std::result::Result<Query<Wanted>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response> {
    let Query(wanted) = wanted?;
    let filter = wanted.filter()?;
    let feed = app.work(move |index| {
        let mut keys = index.story_keys(Order::Recent, &filter)?;
        keys.truncate(wanted.limit());
        let cards = index.story_cards(&keys)?;
        atom(&wanted, &cards).map_err(|e| Problem::internal(format!("the feed: {e}")))
    });
    let feed = feed.await?;
    let tag = format!("\"{:032x}\"", xxh3_128(&feed));
    let is_known = is_known(&headers, &tag);
    let tag = HeaderValue::from_str(&tag).map_err(|e| Problem::internal(e.to_string()))?;
    let mut response = match is_known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => ([(header::CONTENT_TYPE, KIND)], feed).into_response(),
    };
    response.headers_mut().insert(header::ETAG, tag);
    Ok(response)
}

/// Whether the client's copy has this tag.
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let lists = headers.get_all(header::IF_NONE_MATCH).iter();
    let lists = lists.filter_map(|value| value.to_str().ok());
    let mut tags = lists.flat_map(|list| list.split(','));
    tags.any(|known| ["*", tag].contains(&known.trim().trim_start_matches("W/")))
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// Removes characters that XML cannot contain.
fn shown(text: &str) -> String {
    let is_good = |c: &char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    text.chars().filter(is_good).collect()
}

/// The feed of these stories (RFC 4287).
fn atom(wanted: &Wanted, stories: &[StoryCard]) -> io::Result<Vec<u8>> {
    let query = wanted.query();
    // An empty feed needs a date, too.
    let updated = stories.iter().map(|story| story.line.last_seen.as_str());
    let updated = updated.max().unwrap_or("1970-01-01T00:00:00Z");
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 1);
    let feed = xml
        .create_element("feed")
        .with_attribute(("xmlns", "http://www.w3.org/2005/Atom"));
    feed.write_inner_content(|xml| {
        let id = format!("urn:retold:stories:{}", query.replace('&', ":"));
        text(xml, "id", id.trim_end_matches(':'))?;
        text(xml, "title", &wanted.title())?;
        text(xml, "updated", updated)?;
        xml.create_element("author")
            .write_inner_content(|xml| text(xml, "name", "Retold"))?;
        let own = format!("/v1/feeds/stories.atom?{query}");
        link(xml, "self", own.trim_end_matches('?'))?;
        link(xml, "alternate", "/")?;
        stories.iter().try_for_each(|story| entry(xml, &story.line))
    })?;
    Ok(xml.into_inner())
}

type Xml = Writer<Vec<u8>>;

fn entry(xml: &mut Xml, story: &StoryLine) -> io::Result<()> {
    let id = encoded(&story.id);
    xml.create_element("entry").write_inner_content(|xml| {
        text(xml, "id", &format!("urn:retold:story:{id}"))?;
        text(xml, "title", story.title.as_deref().unwrap_or(&story.id))?;
        text(xml, "published", &story.first_seen)?;
        text(xml, "updated", &story.last_seen)?;
        link(xml, "alternate", &format!("/#/story/{id}"))?;
        text(xml, "summary", &summary(story))
    })?;
    Ok(())
}

/// A sentence about a story, with where it appeared first.
fn summary(story: &StoryLine) -> String {
    let many = |n: u64, one: &str, more: &str| match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {more}")),
    };
    let parts = [
        many(story.pages, "page", "pages"),
        many(story.sites, "site", "sites"),
        many(story.excerpts, "excerpt", "excerpts"),
        many(story.longer, "longer version", "longer versions"),
        many(story.round_ups, "round-up", "round-ups"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let first = story.url.as_deref().unwrap_or_default();
    let first = match first {
        "" => String::new(),
        url => format!("; first: {url}"),
    };
    parts.join(", ") + &first
}

fn text(xml: &mut Xml, name: &str, content: &str) -> io::Result<()> {
    let content = shown(content);
    xml.create_element(name)
        .write_text_content(BytesText::new(&content))?;
    Ok(())
}

fn link(xml: &mut Xml, rel: &str, to: &str) -> io::Result<()> {
    xml.create_element("link")
        .with_attributes([("rel", rel), ("href", to)])
        .write_empty()?;
    Ok(())
}
