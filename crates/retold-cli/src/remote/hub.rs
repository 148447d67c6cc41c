//! Data sets of the Hugging Face hub. A revision is pinned to its commit at the first request, and the content of a commit never changes.

use std::path::PathBuf;
use std::sync::Arc;

use reqwest::header::LINK;
use reqwest::{Response, Url};
use retold::read::RemoteInput;
use retold::{Error, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::cache::Cache;
use super::clients::Clients;
use super::listing::{Bounds, Entry, Tree};
use super::network::waited;
use super::pinned::Pinned;
use super::place::Failure;
use super::web::{Asked, Page, asked, read, send};

/// `ORG/NAME[@REV][/PATH]`, less `datasets/`.
#[derive(Debug, PartialEq, Eq)]
pub struct Named<'a> {
    pub repo: String,
    pub revision: String,
    pub path: &'a str,
}

impl<'a> Named<'a> {
    pub fn parse(rest: &'a str) -> Option<Named<'a>> {
        let (organisation, rest) = rest.strip_prefix("datasets/")?.split_once('/')?;
        // The hub's own names of branches have slashes.
        let cut = match rest.split_once('@') {
            Some((_, revision)) if revision.starts_with("refs/") => 2,
            _ => 0,
        };
        let end = rest
            .match_indices('/')
            .nth(cut)
            .map_or(rest.len(), |(at, _)| at);
        let (name, path) = rest.split_at(end);
        let (name, revision) = name.split_once('@').unwrap_or((name, "main"));
        let named = Named {
            repo: format!("{organisation}/{name}"),
            revision: revision.replace("%2F", "/"),
            path: path.trim_start_matches('/'),
        };
        (!organisation.is_empty() && !name.is_empty() && !revision.is_empty()).then_some(named)
    }
}

/// What the hub says of a revision.
#[derive(Deserialize)]
struct Revision {
    sha: String,
}

/// What the hub says of a file or folder.
#[derive(Deserialize)]
pub struct Listed {
    #[serde(rename = "type")]
    pub kind: String,
    pub path: String,
    #[serde(default)]
    size: u64,
}

/// The largest answer about files or revisions.
pub const LARGEST: u64 = 64 << 20;
/// How many parts of a list in a row may be empty.
const MOST_EMPTY: usize = 1000;

/// The hub, as its own tools find it.
pub struct Hub {
    pub clients: Clients,
    endpoint: Url,
    pub token: Option<String>,
}

impl Hub {
    pub fn new(clients: Clients) -> std::result::Result<Hub, String> {
        let endpoint = set("HF_ENDPOINT").unwrap_or_else(|| "https://huggingface.co".into());
        let endpoint = Url::parse(&endpoint).map_err(|error| format!("HF_ENDPOINT: {error}"))?;
        Ok(Hub {
            clients,
            endpoint,
            token: token(),
        })
    }

    /// The URL with these parts, each of which may have any characters.
    pub fn url<'p>(
        &self,
        parts: impl IntoIterator<Item = &'p str>,
    ) -> std::result::Result<Url, String> {
        let mut url = self.endpoint.clone();
        match url.path_segments_mut() {
            Ok(mut path) => path.pop_if_empty().extend(parts),
            Err(()) => return Err("HF_ENDPOINT: this is not a web address".into()),
        };
        Ok(url)
    }

    async fn ask(&self, url: &Url) -> std::result::Result<Response, String> {
        let what = Asked {
            token: self.token.clone(),
            ..Asked::default()
        };
        asked(|| send(&self.clients, url, &what)).await
    }

    async fn json<T: DeserializeOwned>(
        &self,
        url: &Url,
    ) -> std::result::Result<(T, Option<Url>), String> {
        // A body that breaks off is requested again too.
        asked(async || {
            let answer = self.ask(url).await.map_err(Failure::Final)?;
            let next = next_page(&answer, url);
            let mut body = Vec::new();
            read(answer, LARGEST, &mut body).await?;
            let told = serde_json::from_slice(&body);
            let told = told.map_err(|error| {
                Failure::Final(format!("this is not an answer of a hub: {error}"))
            })?;
            Ok((told, next))
        })
        .await
    }

    pub async fn commit(&self, named: &Named<'_>) -> std::result::Result<String, String> {
        let (organisation, name) = named.repo.split_once('/').unwrap_or_default();
        let url = self.url([
            "api",
            "datasets",
            organisation,
            name,
            "revision",
            &named.revision,
        ])?;
        let (revision, _): (Revision, _) = self.json(&url).await?;
        Ok(revision.sha)
    }

    /// What lies in a folder, at a commit.
    pub async fn tree(
        &self,
        repo: &str,
        commit: &str,
        folder: &str,
        deep: bool,
    ) -> std::result::Result<Vec<Listed>, String> {
        let parts = ["api", "datasets"].into_iter().chain(repo.split('/'));
        let parts = parts.chain(["tree", commit]);
        let mut url = self.url(parts.chain(folder.split('/').filter(|part| !part.is_empty())))?;
        url.set_query(deep.then_some("recursive=true"));
        let (mut all, mut bounds, mut empty) = (Vec::new(), Bounds::default(), 0);
        let mut next = Some(url);
        while let Some(url) = next {
            let (some, more): (Vec<Listed>, _) = self.json(&url).await?;
            empty = if some.is_empty() { empty + 1 } else { 0 };
            if empty > MOST_EMPTY {
                return Err("the server lists nothing again and again".into());
            }
            for listed in some {
                bounds.add(&listed.path)?;
                all.push(listed);
            }
            next = more;
        }
        Ok(all)
    }

    /// The files that a path, a folder or a pattern can name.
    async fn entries(
        &self,
        tree: &Tree,
        named: &Named<'_>,
        commit: &str,
    ) -> std::result::Result<Found, String> {
        let folder = tree.folder_of(named.path);
        if !folder.is_empty() && folder == named.path {
            let above = folder.rsplit_once('/').map_or("", |(above, _)| above);
            let beside = self.tree(&named.repo, commit, above, false).await?;
            let found = beside.into_iter().find(|listed| listed.path == folder);
            match found {
                Some(file) if file.kind == "file" => return Ok(Found::File(entry(file, commit))),
                Some(_) => {}
                None => return Err("nothing is there".into()),
            }
        }
        let all = self
            .tree(&named.repo, commit, folder, true)
            .await?
            .into_iter();
        let files = all.filter(|listed| listed.kind == "file");
        Ok(Found::Below(
            files.map(|file| entry(file, commit)).collect(),
        ))
    }
}

enum Found {
    File(Entry),
    Below(Vec<Entry>),
}

fn entry(listed: Listed, commit: &str) -> Entry {
    Entry {
        version: Some(commit.to_owned()),
        key: listed.path,
        size: listed.size,
    }
}

/// The next page of a list. It is asked for on the same server, whatever the list says: a mirror may pass on what the hub says.
fn next_page(answer: &Response, url: &Url) -> Option<Url> {
    let links = answer.headers().get(LINK)?.to_str().ok()?;
    let next = links
        .split(',')
        .find(|link| link.contains("rel=\"next\""))?;
    let (_, next) = next.split_once('<')?;
    let next = url.join(next.split_once('>')?.0).ok()?;
    let mut here = url.clone();
    here.set_path(next.path());
    here.set_query(next.query());
    Some(here)
}

fn set(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The token: in the environment, or where the hub's own tools keep it.
fn token() -> Option<String> {
    let home =
        |below: &str| Some(PathBuf::from(set("HOME").or_else(|| set("USERPROFILE"))?).join(below));
    let kept = || {
        let path = set("HF_TOKEN_PATH").map(PathBuf::from);
        let path = path.or_else(|| Some(PathBuf::from(set("HF_HOME")?).join("token")));
        let path = path.or_else(|| home(".cache/huggingface/token"))?;
        std::fs::read_to_string(path).ok()
    };
    let token = set("HF_TOKEN").or_else(kept)?.trim().to_owned();
    (!token.is_empty()).then_some(token)
}

/// What `hf://REST` names.
pub fn list(clients: Clients, rest: &str, cache: Option<Arc<Cache>>) -> Result<Vec<RemoteInput>> {
    let failed = |reason: &str| Error::usage(format!("cannot read INPUT hf://{rest}: {reason}"));
    let named = Named::parse(rest).ok_or_else(|| {
        failed("name it as hf://datasets/ORG/NAME, with @REVISION and /PATH if need be")
    })?;
    let hub = Hub::new(clients).map_err(|reason| failed(&reason))?;
    let (organisation, name) = named.repo.split_once('/').unwrap_or_default();
    let tree = Tree {
        root: format!("hf://datasets/{}@{}", named.repo, named.revision),
        parts: vec![organisation.to_owned(), name.to_owned()],
    };
    let told = |reason: String| failed(&reason);
    let (commit, found) = waited(async {
        let commit = hub.commit(&named).await.map_err(told)?;
        let found = hub.entries(&tree, &named, &commit).await.map_err(told)?;
        Ok((commit, found))
    })?;
    let make = |entry: &Entry| {
        let parts = ["datasets", organisation, name, "resolve", &commit];
        let url = hub.url(parts.into_iter().chain(entry.key.split('/')));
        // That the endpoint is a web address was seen before.
        let url = url.unwrap_or_else(|_| hub.endpoint.clone());
        let page = Page::lasting(hub.clients.clone(), url, hub.token.clone(), entry.size);
        Pinned::file(Box::new(page), cache.clone())
    };
    match found {
        Found::File(file) => Ok(vec![tree.file(&file, make)]),
        Found::Below(files) => tree.inputs(named.path, files, make),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_sets_revisions_and_paths_are_told_apart() {
        let named = |rest: &'static str| {
            let named = Named::parse(rest)?;
            Some((named.repo, named.revision, named.path))
        };
        let is = |repo: &str, revision: &str, path: &'static str| {
            Some((repo.into(), revision.into(), path))
        };
        assert_eq!(named("datasets/o/n"), is("o/n", "main", ""));
        assert_eq!(named("datasets/o/n/a/*.gz"), is("o/n", "main", "a/*.gz"));
        assert_eq!(named("datasets/o/n@v1/a@b"), is("o/n", "v1", "a@b"));
        assert_eq!(
            named("datasets/o/n@refs/convert/parquet/a/b"),
            is("o/n", "refs/convert/parquet", "a/b")
        );
        assert_eq!(
            named("datasets/o/n@refs%2Fpr%2F1/a"),
            is("o/n", "refs/pr/1", "a")
        );
        assert!(
            named("o/n").is_none()
                && named("datasets/o").is_none()
                && named("datasets/o/n@/a").is_none()
        );
    }
}
