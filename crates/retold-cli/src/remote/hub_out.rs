//! An output that is a data set of the Hugging Face hub: `kept/`, the list of dropped pages and a dataset card, in one commit.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufWriter, Write};
use std::path::Path;

use base64::prelude::{BASE64_STANDARD, Engine};
use reqwest::Url;
use reqwest::header::CONTENT_TYPE;
use retold::{Error, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use super::card::{card, command};
use super::hub::{Hub, Named};
use super::lfs;
use super::network::waited;
use super::place::Failure;
use super::upload::{JSON, Upload, post, told, with_file, with_token};
use super::web::{accepted, asked, broken, clients, clients_for_uploads};

const CARD: &str = "README.md";
const DROPPED: &str = "dropped.jsonl";
const KEPT: &str = "kept/";
/// Files of a request that only names them.
const NAMED: usize = 256;

/// A data set as it was before the run.
pub struct HubOut {
    hub: Hub,
    repo: String,
    revision: String,
    /// The commit that the new one follows.
    parent: String,
    /// What an earlier run wrote.
    earlier: BTreeSet<String>,
}

/// How the hub wants to have a file.
#[derive(Deserialize)]
struct Mode {
    path: String,
    #[serde(rename = "uploadMode")]
    mode: String,
}

impl HubOut {
    /// Looks at what is there, and whether it may be written to.
    ///
    /// Errors: it does not exist or may not be written to, or it has an output and may not be replaced.
    pub fn open(rest: &str, force: bool) -> Result<HubOut> {
        let failed = |reason: &str| Error::usage(format!("cannot write hf://{rest}: {reason}"));
        let named = Named::parse(rest).filter(|named| named.path.is_empty());
        let named = named.ok_or_else(|| {
            failed("name a data set, as in hf://datasets/ME/NAME or hf://datasets/ME/NAME@BRANCH")
        })?;
        let hub = |clients| Hub::new(clients).map_err(|reason| failed(&reason));
        let (reader, hub) = (hub(clients()?)?, hub(clients_for_uploads()?)?);
        if hub.token.is_none() {
            return Err(failed(
                "there is no token; set HF_TOKEN, or run `hf auth login`",
            ));
        }
        waited(async {
            let commit = reader.commit(&named).await;
            let parent = commit.map_err(|reason| {
                failed(&format!(
                    "{reason}; `hf repo create {} --repo-type dataset` makes a new data set",
                    named.repo
                ))
            })?;
            let told = |reason: String| failed(&reason);
            let earlier = earlier(&reader, &named.repo, &parent).await.map_err(told)?;
            if let (Some(name), false) = (earlier.first(), force) {
                return Err(failed(&format!(
                    "{name} is there; name another data set, or add --force to replace {CARD}, {DROPPED} and {KEPT}"
                )));
            }
            let out = HubOut {
                hub,
                repo: named.repo,
                revision: named.revision,
                parent,
                earlier,
            };
            // Who may not write learns it now, and not after the run.
            let probe = json!({"path": CARD, "size": 1, "sample": ""});
            out.modes(&[probe]).await.map_err(told)?;
            Ok(out)
        })
    }

    /// Uploads what a run wrote to `folder`. Until the commit, which is the last request, nothing of it can be seen.
    ///
    /// Errors: it cannot be uploaded.
    pub fn push(self, folder: &Path) -> Result<()> {
        let shown = format!("hf://datasets/{}@{}", self.repo, self.revision);
        let failed = |reason: String| Error::usage(format!("cannot write {shown}: {reason}"));
        let uploads = uploads(folder)?;
        if !uploads.iter().any(|file| file.name.starts_with(KEPT)) {
            return Err(failed(format!(
                "{KEPT} is empty; without --no-kept it is not"
            )));
        }
        waited(async {
            let nothing = |reason: String| failed(format!("{reason}; nothing was changed there"));
            let large = self.large(&uploads).await.map_err(nothing)?;
            let digests = lfs::upload(&self.hub, &self.repo, &self.revision, &large).await;
            let digests = digests.map_err(nothing)?;
            let lines = self
                .lines(&uploads, &digests)
                .map_err(|error| nothing(error.to_string()))?;
            self.commit(lines).await.map_err(failed)
        })
    }

    fn api(&self, what: &str) -> std::result::Result<Url, String> {
        let (organisation, name) = self.repo.split_once('/').unwrap_or_default();
        self.hub
            .url(["api", "datasets", organisation, name, what, &self.revision])
    }

    /// How the hub wants to have these files.
    async fn modes(&self, files: &[Value]) -> std::result::Result<Vec<Mode>, String> {
        #[derive(Deserialize)]
        struct Modes {
            files: Vec<Mode>,
        }
        let url = self.api("preupload")?;
        let body = json!({"files": files});
        let modes: Modes =
            asked(async || told(post(&self.hub, &url, JSON, &body).await?).await).await?;
        Ok(modes.files)
    }

    /// The files that the hub wants to have beside the commit.
    async fn large<'u>(
        &self,
        uploads: &'u [Upload],
    ) -> std::result::Result<Vec<&'u Upload>, String> {
        let mut large = Vec::new();
        for some in uploads.chunks(NAMED) {
            let files = some.iter().map(Upload::described);
            let files = files.collect::<std::result::Result<Vec<Value>, String>>()?;
            let modes = self.modes(&files).await?.into_iter();
            let modes: BTreeMap<String, String> =
                modes.map(|mode| (mode.path, mode.mode)).collect();
            let is_large = |file: &&Upload| {
                file.size > 0 && modes.get(&file.name).is_some_and(|mode| mode == "lfs")
            };
            large.extend(some.iter().filter(is_large));
        }
        Ok(large)
    }

    /// The commit, as lines of JSON in a temporary file.
    fn lines(
        &self,
        uploads: &[Upload],
        digests: &BTreeMap<String, String>,
    ) -> std::io::Result<tempfile::NamedTempFile> {
        let mut lines = BufWriter::new(tempfile::NamedTempFile::new()?);
        let header = json!({"summary": "Near-duplicates dropped by Retold", "description": "", "parentCommit": self.parent});
        writeln!(lines, "{}", json!({"key": "header", "value": header}))?;
        for file in uploads {
            let line = match digests.get(&file.name) {
                Some(digest) => {
                    json!({"key": "lfsFile", "value": {"path": file.name, "algo": "sha256", "oid": digest, "size": file.size}})
                }
                None => {
                    let content = BASE64_STANDARD.encode(std::fs::read(&file.path)?);
                    json!({"key": "file", "value": {"path": file.name, "encoding": "base64", "content": content}})
                }
            };
            writeln!(lines, "{line}")?;
        }
        let names: BTreeSet<&str> = uploads.iter().map(|file| file.name.as_str()).collect();
        for gone in self.earlier.iter().filter(|name| !names.contains(&***name)) {
            writeln!(
                lines,
                "{}",
                json!({"key": "deletedFile", "value": {"path": gone}})
            )?;
        }
        Ok(lines.into_inner()?)
    }

    async fn commit(&self, lines: tempfile::NamedTempFile) -> std::result::Result<(), String> {
        let size = lines.as_file().metadata();
        let size = size.map_err(|error| error.to_string())?.len();
        let request = self.hub.clients.plain().post(self.api("commit")?);
        let request = with_token(request, &self.hub).header(CONTENT_TYPE, "application/x-ndjson");
        let request =
            with_file(request, lines.path(), 0..size).map_err(|error| error.to_string())?;
        // It is sent once: if no answer comes, it may have been made.
        let answer = request.send().await.map_err(|error| {
            let reason = match broken(error) {
                Failure::Final(reason) | Failure::Passing(reason, _) => reason,
                Failure::Changed => String::new(),
            };
            format!(
                "no answer to the commit: {reason}; look whether it is there before you run again"
            )
        })?;
        match accepted(answer) {
            Ok(_) => Ok(()),
            Err(Failure::Changed) => Err("somebody else has changed it since the run began, and nothing was changed by this one; run again".into()),
            Err(Failure::Final(reason) | Failure::Passing(reason, _)) => {
                Err(format!("the commit was refused: {reason}"))
            }
        }
    }
}

/// What an earlier run wrote to a data set.
async fn earlier(
    hub: &Hub,
    repo: &str,
    commit: &str,
) -> std::result::Result<BTreeSet<String>, String> {
    let top = hub.tree(repo, commit, "", false).await?;
    let mut names = BTreeSet::new();
    for listed in top {
        match (&*listed.kind, &*listed.path) {
            ("directory", folder) if KEPT.trim_end_matches('/') == folder => {
                let kept = hub.tree(repo, commit, folder, true).await?.into_iter();
                names.extend(
                    kept.filter(|file| file.kind == "file")
                        .map(|file| file.path),
                );
            }
            ("file", CARD | DROPPED) => _ = names.insert(listed.path),
            _ => {}
        }
    }
    Ok(names)
}

/// The files of a run that are uploaded; the card is written for it.
fn uploads(folder: &Path) -> Result<Vec<Upload>> {
    let summary = folder.join("summary.json");
    let text = std::fs::read_to_string(&summary).map_err(Error::io("cannot read", &summary))?;
    let summary = serde_json::from_str(&text)
        .map_err(|error| Error::usage(format!("{}: {error}; run again", summary.display())))?;
    let readme = folder.join(CARD);
    std::fs::write(&readme, card(&summary, &command(std::env::args_os())))
        .map_err(Error::io("cannot write", &readme))?;
    let manifest = folder.join(".retold-files");
    let listed = std::fs::read_to_string(&manifest).map_err(Error::io("cannot read", &manifest))?;
    let kept = listed.lines().filter(|name| name.starts_with(KEPT));
    let names = [CARD, DROPPED].into_iter().chain(kept);
    names
        .map(|name| {
            let path = folder.join(name);
            let size = std::fs::metadata(&path).map_err(Error::io("cannot read", &path))?;
            Ok(Upload {
                name: name.to_owned(),
                path,
                size: size.len(),
            })
        })
        .collect()
}
