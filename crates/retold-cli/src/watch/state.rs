//! The state of a watch, in one file beside the index. It is replaced as a whole, and written after the index has the pages that it mentions.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use retold::{Error, Result};
use retold_index::replace_file;
use serde::{Deserialize, Serialize};

use super::config::{DAY, Millis};

/// The form of the file.
const VERSION: u32 = 1;

/// Bytes of a file, and when it was last written to.
pub type Stamp = (u64, Option<SystemTime>);

/// Moments are milliseconds since 1970.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    version: u32,
    /// Up to which change of the index all is in `notices`, or told.
    pub cursor: u64,
    /// By URL, as the configuration has it.
    pub feeds: BTreeMap<String, Feed>,
    /// Articles that are still to be fetched, or cannot be, by the ids of their pages.
    pub articles: BTreeMap<String, Article>,
    /// By host and port.
    pub hosts: BTreeMap<String, Host>,
    /// When each folder is read again.
    pub folders: BTreeMap<String, Millis>,
    /// Files that were read.
    pub files: BTreeMap<String, Stamp>,
    /// Notices that are not delivered yet, as JSON.
    pub notices: VecDeque<String>,
    /// Of the webhook.
    pub webhook: Tries,
}

/// How often in a row something failed, and when it is requested again.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tries {
    pub failures: u32,
    pub next: Millis,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Feed {
    #[serde(flatten)]
    pub tries: Tries,
    #[serde(flatten)]
    pub known: Validators,
}

/// What a server said to know an answer by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Validators {
    pub etag: Option<String>,
    pub last_modified: Option<String>,
}

impl Validators {
    pub fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}

/// An entry of a feed whose article is fetched.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Article {
    /// The feed's URL.
    pub feed: String,
    pub url: String,
    pub title: Option<String>,
    pub date: Option<String>,
    /// What the feed has of it: the text, and whether that is HTML.
    pub teaser: (String, bool),
    #[serde(flatten)]
    pub tries: Tries,
    /// It cannot be had, and the feed has nothing of it. It is remembered as long as the feed lists it.
    pub is_given_up: bool,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// Its robots.txt; `None`: it could not be had.
    pub robots: Option<String>,
    /// Why not.
    pub why: String,
    /// When it is requested again.
    #[serde(flatten)]
    pub tries: Tries,
    /// No request is made before this.
    pub free: Millis,
}

/// The moment.
pub fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as Millis)
}

impl State {
    /// The file of the watch of an index.
    pub fn path(index: &Path) -> PathBuf {
        let mut name = index.file_name().unwrap_or_default().to_owned();
        name.push(".watch.json");
        index.with_file_name(name)
    }

    /// What a file remembers; of none, that all pages up to `cursor` are known.
    pub fn read(path: &Path, cursor: u64) -> Result<State> {
        let text = match std::fs::read(path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                return Ok(State {
                    version: VERSION,
                    cursor,
                    ..State::default()
                });
            }
            Err(e) => return Err(Error::io("cannot read", path)(e)),
        };
        let wrong = |reason: String| Error::Corrupt {
            path: path.to_owned(),
            reason: format!("{reason}; move it away to start from the beginning"),
        };
        let state: State = serde_json::from_slice(&text).map_err(|e| wrong(e.to_string()))?;
        match state.version {
            VERSION => Ok(state),
            other => Err(wrong(format!("its version is {other}, not {VERSION}"))),
        }
    }

    /// Forgets hosts to which no request was made for a while.
    pub fn forget(&mut self, now: Millis) {
        self.hosts
            .retain(|_, host| host.tries.next.max(host.free) + 7 * DAY > now);
    }

    /// Writes it in place of what is there; when this returns, a power cut leaves it.
    pub fn write(&self, path: &Path) -> Result<()> {
        let bytes = serde_json::to_vec(self).map_err(|e| Error::usage(e.to_string()))?;
        replace_file(path, &bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = State::path(&folder.path().join("news"));
        assert!(path.ends_with("news.watch.json"));
        let mut state = State::read(&path, 7).unwrap();
        assert_eq!((state.cursor, state.version), (7, VERSION));
        state.feeds.insert(
            "f".into(),
            Feed {
                tries: Tries {
                    failures: 2,
                    next: 9,
                },
                known: Validators {
                    etag: Some("\"x\"".into()),
                    last_modified: None,
                },
            },
        );
        state.hosts.insert("h:80".into(), Host::default());
        state.articles.insert("a".into(), Article::default());
        state.files.insert("x".into(), (3, Some(SystemTime::now())));
        state.notices.push_back("{}".into());
        state.write(&path).unwrap();
        state.write(&path).unwrap();
        assert_eq!(State::read(&path, 0).unwrap(), state);
        std::fs::write(&path, "{").unwrap();
        let said = State::read(&path, 0).unwrap_err().to_string();
        assert!(said.contains("move it away"), "{said}");
    }
}
