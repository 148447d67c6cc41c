//! Condenses a list of results to one entry per story.

use std::time::Instant;

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use retold::read::ReadOptions;
use retold::{Relation, Watch};
use retold_index::{Adds, Entry, Index, Listed, Prepared};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

use crate::body::{self, HeldBody, NAMELESS, WORK};
use crate::describe::NewPage;
use crate::problem::Problem;
use crate::room::Room;
use crate::state::App;

type Result<T> = std::result::Result<T, Problem>;

/// Maximum number of entries; all of them are compared with each other.
const ENTRIES: usize = 1000;

/// An entry of a list: the id of a page of the index, or a page.
#[derive(ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only described: entries are read one by one")]
pub(crate) enum ListEntry {
    Id(String),
    Page(NewPage),
}

/// A condensed list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Condensed {
    /// The stories, in the order of their first entries.
    groups: Vec<Line>,
}

/// The entries of a list that tell one story.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Line {
    /// The first entry, shown for the story.
    #[serde(flatten)]
    first: Ranked,
    /// Why the entry is not a page, and so was not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The other entries.
    others: Vec<Other>,
}

/// Another entry of the same story.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Other {
    #[serde(flatten)]
    entry: Ranked,
    /// Relation to the first entry; `null` if they are related only through others.
    relation: Option<Relation>,
    /// With `adds=true`: what it says that none of the story's entries before it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    adds: Option<Adds>,
}

/// What is wanted of a condensed list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    /// Says what each further entry of a story adds to the entries before it.
    #[serde(default)]
    #[param(default = false)]
    adds: bool,
}

/// An entry of the list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Ranked {
    /// Position in the list, from 1.
    rank: usize,
    /// Id, if it has one.
    id: Option<String>,
    /// Title.
    title: Option<String>,
    /// URL.
    url: Option<String>,
    /// Date as written.
    date: Option<String>,
    /// Site.
    site: Option<String>,
}

impl Ranked {
    fn new(rank: usize, entry: &Entry) -> Ranked {
        let Entry {
            id,
            title,
            url,
            date,
            ..
        } = entry.clone();
        Ranked {
            rank,
            id: Some(id).filter(|id| !id.starts_with(NAMELESS)),
            title,
            url,
            date,
            site: entry.sketch.site.clone(),
        }
    }
}

/// Cancels work after the time at which the client is told that it took too long.
pub(crate) struct Until(pub(crate) Instant);

impl Watch for Until {
    fn cancelled(&self) -> bool {
        Instant::now() > self.0
    }
}

/// Condenses a ranked list of results to one entry per story.
///
/// The list has at most 1,000 entries, best first. Each is the id of a page of the index, or a page. They are compared with each other
/// using the model of the index. Nothing is added to the index.
#[utoipa::path(post, path = "/v1/condense", tag = "stories", params(Wanted),
    request_body(content = Vec<ListEntry>, description = "ids of pages of the index, or pages, in the order of their ranking"),
    responses((status = 200, description = "the stories, the best first", body = Condensed)))]
pub(crate) async fn condense(
    State(app): State<App>,
    wanted: std::result::Result<Query<Wanted>, QueryRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Condensed>> {
    let Query(Wanted { adds }) = wanted?;
    let HeldBody { bytes, mut room } = body::read(&app, &headers, body).await?;
    let most = app.options.max_bodies;
    let until = Until(Instant::now() + app.options.work_timeout);
    let condensed = app.work(move |index| {
        let entries = body::items(body::json_array(&bytes, &headers)?)?;
        if entries.len() > ENTRIES {
            let detail = format!("{} entries: at most {ENTRIES} expected", entries.len());
            return Err(Problem::unreadable(detail));
        }
        let entries = read(index, &entries, bytes.len(), &mut room, most)?;
        condensed(index, entries, adds, &until)
    });
    Ok(Json(condensed.await?))
}

/// An entry, or why it is not a page, with its id if it has one.
type Read = std::result::Result<Listed, (Option<String>, String)>;

/// Reads entries. `room` is the memory of the body and its limit.
fn read(
    index: &Index,
    entries: &[&RawValue],
    length: usize,
    room: &mut Room,
    most: usize,
) -> Result<Vec<Read>> {
    let options = index.model().config().read.clone();
    let (mut held, mut read) = (0, Vec::new());
    for (rank, entry) in (1u64..).zip(entries) {
        room.set((length + held + WORK * entry.get().len()).min(most))?;
        let entry = match serde_json::from_str::<String>(entry.get()) {
            Ok(id) => match index.listed(&id)? {
                Some(listed) => Ok(listed),
                None => {
                    let reason = format!("no page of the index has the id `{id}`");
                    Err((Some(id), reason))
                }
            },
            Err(_) => new_page(index, rank, entry, &options)
                .map(|page| {
                    held += page.memory();
                    Listed::from(page)
                })
                .map_err(|reason| (None, reason)),
        };
        read.push(entry);
    }
    Ok(read)
}

fn new_page(
    index: &Index,
    rank: u64,
    entry: &RawValue,
    options: &ReadOptions,
) -> std::result::Result<Prepared, String> {
    let page = body::item(rank, entry, options)?;
    index.prepare(page).map_err(|e| e.to_string())
}

fn condensed(index: &Index, entries: Vec<Read>, adds: bool, until: &Until) -> Result<Condensed> {
    let (mut ranks, mut list, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    for (rank, entry) in (1..).zip(entries) {
        match entry {
            Ok(listed) => {
                ranks.push(rank);
                list.push(listed);
            }
            Err((id, reason)) => lines.push(Line {
                first: Ranked {
                    rank,
                    id,
                    title: None,
                    url: None,
                    date: None,
                    site: None,
                },
                reason: Some(reason),
                others: Vec::new(),
            }),
        }
    }
    let ranked = |place: usize| Ranked::new(ranks[place], &list[place].entry);
    for group in index.condense(&list, until)? {
        let mut earlier = vec![group.first];
        let mut others = Vec::new();
        for (place, relation) in group.others {
            if until.cancelled() {
                return Err(retold::Error::Cancelled.into());
            }
            let adds = adds.then(|| index.adds_to(&list, &earlier, place));
            others.push(Other {
                entry: ranked(place),
                relation,
                adds: adds.transpose()?,
            });
            earlier.push(place);
        }
        lines.push(Line {
            first: ranked(group.first),
            reason: None,
            others,
        });
    }
    lines.sort_by_key(|line| line.first.rank);
    Ok(Condensed { groups: lines })
}
