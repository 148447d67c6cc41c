//! Stories as an Atom feed.

use std::num::NonZeroUsize;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use retold_index::{AtomHead, News, Order, PageFilter, atom, encoded};
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

    fn atom(&self, news: &[News]) -> Result<Vec<u8>> {
        let query = self.query();
        let id = format!("urn:retold:stories:{}", query.replace('&', ":"));
        let own = format!("/v1/feeds/stories.atom?{query}");
        let head = AtomHead {
            id: id.trim_end_matches(':'),
            title: &self.title(),
            links: &[("self", own.trim_end_matches('?')), ("alternate", "/")],
            about: Some("/#/story/"),
        };
        atom(&head, news).map_err(|e| Problem::internal(format!("the feed: {e}")))
    }
}

/// Returns the stories with the latest pages as an Atom feed, latest first. An entry has the text of the earliest page, the other pages, and
/// what each adds.
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
        let stories = index.story_cards(&keys)?.into_iter();
        let news = stories.map(|story| index.story_news(&story.line.id));
        let news = news.collect::<retold::Result<Vec<News>>>()?;
        wanted.atom(&news)
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
