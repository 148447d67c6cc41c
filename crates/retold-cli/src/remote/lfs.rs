//! Large files of the hub: they go to a store beside it (the batch API of Git LFS), and a commit names them by their SHA-256.

use std::collections::BTreeMap;
use std::ops::Range;

use reqwest::Response;
use reqwest::header::{ACCEPT, CONTENT_TYPE, ETAG};
use serde::Deserialize;
use serde_json::{Value, json};

use super::clients::Leg;
use super::hub::Hub;
use super::place::Failure;
use super::reach::Refused;
use super::upload::{LFS_JSON, PATIENCE, Upload, post, told, with_file};
use super::web::{Answer, accepted, asked, broken};

/// Files of one request.
const BATCH: usize = 100;

#[derive(Deserialize)]
struct Batch {
    objects: Vec<Object>,
}

/// What the hub says of a file; without actions, it has it already.
#[derive(Deserialize)]
struct Object {
    oid: String,
    #[serde(default)]
    actions: BTreeMap<String, Action>,
    error: Option<Refusal>,
}

#[derive(Deserialize)]
struct Refusal {
    message: String,
}

#[derive(Deserialize)]
struct Action {
    href: String,
    /// Headers to send; for a file in parts, its parts.
    #[serde(default)]
    header: BTreeMap<String, Value>,
}

/// Uploads files, and returns the SHA-256 of each by its name.
pub async fn upload(
    hub: &Hub,
    repo: &str,
    revision: &str,
    files: &[&Upload],
) -> Result<BTreeMap<String, String>, String> {
    let (organisation, name) = repo.split_once('/').unwrap_or_default();
    let name = format!("{name}.git");
    let parts = [
        "datasets",
        organisation,
        &name,
        "info",
        "lfs",
        "objects",
        "batch",
    ];
    let url = hub.url(parts)?;
    let mut digests = BTreeMap::new();
    for some in files.chunks(BATCH) {
        let mut by_digest = BTreeMap::new();
        for file in some {
            let digest = file
                .digest()
                .map_err(|error| format!("{}: {error}", file.name))?;
            digests.insert(file.name.clone(), digest.clone());
            by_digest.insert(digest, *file);
        }
        let objects = by_digest.iter();
        let objects: Vec<Value> = objects
            .map(|(digest, file)| json!({"oid": digest, "size": file.size}))
            .collect();
        let body = json!({"operation": "upload", "transfers": ["basic", "multipart"], "objects": objects,
            "hash_algo": "sha256", "ref": {"name": revision}});
        let (batch, from): (Batch, _) = asked(async || {
            let answer = post(hub, &url, LFS_JSON, &body).await?;
            let from = answer.remote_addr();
            Ok((told(answer).await?, from))
        })
        .await?;
        for object in batch.objects {
            let Some(file) = by_digest.get(&object.oid) else {
                return Err("the server wants another file".into());
            };
            let to = |href: &str| hub.clients.sent_on(&url, from, href);
            send(hub, file, object, to)
                .await
                .map_err(|reason| format!("{}: {reason}", file.name))?;
        }
    }
    Ok(digests)
}

async fn send(
    hub: &Hub,
    file: &Upload,
    object: Object,
    to: impl Fn(&str) -> Result<Leg, Refused>,
) -> Result<(), String> {
    if let Some(error) = object.error {
        return Err(error.message);
    }
    let Some(action) = object.actions.get("upload") else {
        return Ok(());
    };
    let way = |href: &str| to(href).map_err(|refused| refused.0);
    match action.header.get("chunk_size") {
        None => {
            let leg = way(&action.href)?;
            asked(async || put(&leg, file, 0..file.size, &action.header).await).await?;
        }
        Some(size) => {
            let parts = parts(action, file.size, size)?;
            let mut done = Vec::new();
            for (number, href, range) in parts {
                let leg = way(href)?;
                let none = BTreeMap::new();
                let answer = asked(async || put(&leg, file, range.clone(), &none).await).await?;
                let tag = answer.headers().get(ETAG).and_then(|tag| tag.to_str().ok());
                let tag = tag.ok_or("the store names no ETag of a part")?;
                done.push(json!({"partNumber": number, "etag": tag}));
            }
            let whole = json!({"oid": object.oid, "parts": done});
            say(hub, &way(&action.href)?, &whole).await?;
        }
    }
    if let Some(verify) = object.actions.get("verify") {
        let whole = json!({"oid": object.oid, "size": file.size});
        say(hub, &way(&verify.href)?, &whole).await?;
    }
    Ok(())
}

type Part<'a> = (u64, &'a str, Range<u64>);

/// The parts of a file: number, address and range.
fn parts<'a>(action: &'a Action, size: u64, part: &Value) -> Result<Vec<Part<'a>>, String> {
    let wrong = || "the parts that the server names are not those of the file".to_owned();
    let part = part
        .as_str()
        .and_then(|part| part.parse().ok())
        .or(part.as_u64());
    let part = part.filter(|part| *part > 0).ok_or_else(wrong)?;
    let numbered = action.header.iter().filter_map(|(name, href)| {
        let number: u64 = name.parse().ok()?;
        Some((number, href.as_str()?))
    });
    let numbered: BTreeMap<u64, &str> = numbered.collect();
    if numbered.len() as u64 != size.div_ceil(part) {
        return Err(wrong());
    }
    let placed = (0..).zip(numbered);
    Ok(placed
        .map(|(at, (number, href))| (number, href, at * part..size.min((at + 1) * part)))
        .collect())
}

async fn put(
    leg: &Leg,
    file: &Upload,
    range: Range<u64>,
    headers: &BTreeMap<String, Value>,
) -> Answer<Response> {
    let unread = |error: std::io::Error| Failure::Final(error.to_string());
    let mut request = leg.client.put(leg.url.clone());
    for (name, value) in headers {
        if let Some(value) = value.as_str() {
            request = request.header(name, value);
        }
    }
    let request = with_file(request, &file.path, range).map_err(unread)?;
    accepted(request.send().await.map_err(broken)?)
}

/// Says that a file is complete. Only the hub itself gets the token.
async fn say(hub: &Hub, leg: &Leg, whole: &Value) -> Result<(), String> {
    let send = async || {
        let mut request = leg.client.post(leg.url.clone()).header(ACCEPT, LFS_JSON);
        if let Some(token) = hub.token.as_ref().filter(|_| !leg.is_foreign) {
            request = request.bearer_auth(token);
        }
        let request = request.header(CONTENT_TYPE, LFS_JSON).timeout(PATIENCE);
        let request = request.body(whole.to_string());
        accepted(request.send().await.map_err(broken)?)
    };
    asked(send).await.map(drop)
}
