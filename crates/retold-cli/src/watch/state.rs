//! The state of a watch, in one file beside the index. Its first line has all of it, and each line after that what a turn changed, so that
//! what is written is in proportion to what changed. A line is written after the index has the pages that it mentions.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use retold::{Error, Result};
use retold_index::replace_file;
use serde::{Deserialize, Serialize};

use super::config::{DAY, Millis};

/// The form of the file.
const VERSION: u32 = 1;
/// Changes with fewer bytes are not worth writing all again.
const CHANGES: u64 = 1 << 20;

/// Bytes of a file, and when it was last written to.
pub type Stamp = (u64, Option<SystemTime>);

/// Moments are milliseconds since 1970.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    version: u32,
    /// Up to which change of the index all is in `notices`, or told.
    pub cursor: u64,
    /// By URL, as the configuration has it.
    pub feeds: Tracked<Feed>,
    /// Articles that are still to be fetched, or cannot be, by the ids that their pages have if the text is the feed's.
    pub articles: Tracked<Article>,
    /// By host and port.
    pub hosts: Tracked<Host>,
    /// Those rules of a host's robots.txt that are for us, as a robots.txt. They are longer than what changes with each request.
    #[serde(default)]
    pub rules: Tracked<String>,
    /// When each folder is read again.
    pub folders: Tracked<Millis>,
    /// Files that were read.
    pub files: Tracked<Stamp>,
    /// Notices that are not delivered yet, as JSON.
    pub notices: Queue,
    /// Of the webhook.
    pub webhook: Tries,
    /// Bytes of the file, and of its first line.
    #[serde(skip)]
    written: (u64, u64),
}

/// What was changed since the last line. What is gone is `None`.
#[derive(Serialize, Deserialize)]
struct Change {
    cursor: u64,
    feeds: BTreeMap<String, Option<Feed>>,
    articles: BTreeMap<String, Option<Article>>,
    hosts: BTreeMap<String, Option<Host>>,
    rules: BTreeMap<String, Option<String>>,
    folders: BTreeMap<String, Option<Millis>>,
    files: BTreeMap<String, Option<Stamp>>,
    /// How many notices at the front are gone.
    told: usize,
    /// Those that came after the others.
    notices: Vec<String>,
    webhook: Tries,
}

/// How often in a row something failed, and when it is requested again.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Tries {
    pub failures: u32,
    pub next: Millis,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Feed {
    #[serde(flatten)]
    pub tries: Tries,
    #[serde(flatten)]
    pub known: Validators,
}

/// What a server said to know an answer by.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
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

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Host {
    /// The feed that led to it.
    #[serde(default)]
    pub feed: String,
    /// Why its robots.txt could not be had.
    pub why: String,
    /// When that is requested again.
    #[serde(flatten)]
    pub tries: Tries,
    /// No request is made before this.
    pub free: Millis,
}

/// A map that knows what was changed since it was written.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tracked<V> {
    all: BTreeMap<String, V>,
    #[serde(skip)]
    changed: BTreeSet<String>,
}

impl<V: Clone + Default> Tracked<V> {
    pub fn get(&self, name: &str) -> Option<&V> {
        self.all.get(name)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&String, &V)> {
        self.all.iter()
    }

    pub fn insert(&mut self, name: String, value: V) {
        self.changed.insert(name.clone());
        self.all.insert(name, value);
    }

    /// Its value, to be changed; an empty one if there is none.
    pub fn entry(&mut self, name: &str) -> &mut V {
        self.changed.insert(name.to_owned());
        self.all.entry(name.to_owned()).or_default()
    }

    pub fn remove(&mut self, name: &str) -> Option<V> {
        let value = self.all.remove(name)?;
        self.changed.insert(name.to_owned());
        Some(value)
    }

    pub fn retain(&mut self, mut stays: impl FnMut(&str, &V) -> bool) {
        self.all.retain(|name, value| {
            let stays = stays(name, value);
            if !stays {
                self.changed.insert(name.clone());
            }
            stays
        });
    }

    pub fn clear(&mut self) {
        self.retain(|_, _| false);
    }

    fn take_changes(&mut self) -> BTreeMap<String, Option<V>> {
        let changed = std::mem::take(&mut self.changed).into_iter();
        changed
            .map(|name| {
                let value = self.all.get(&name).cloned();
                (name, value)
            })
            .collect()
    }

    fn apply(&mut self, changes: BTreeMap<String, Option<V>>) {
        for (name, value) in changes {
            match value {
                Some(value) => self.all.insert(name, value),
                None => self.all.remove(&name),
            };
        }
    }
}

/// A queue that knows what was changed since it was written.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Queue {
    all: VecDeque<String>,
    /// How many at the front the file has.
    #[serde(skip)]
    written: usize,
    /// How many of the file's are gone.
    #[serde(skip)]
    gone: usize,
}

impl Queue {
    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &String> {
        self.all.iter()
    }

    pub fn push(&mut self, text: String) {
        self.all.push_back(text);
    }

    pub fn pop(&mut self) -> Option<String> {
        let text = self.all.pop_front()?;
        if self.written > 0 {
            self.written -= 1;
            self.gone += 1;
        }
        Some(text)
    }

    /// How many are gone, and which are new.
    fn take_changes(&mut self) -> (usize, Vec<String>) {
        let new = self.all.iter().skip(self.written).cloned().collect();
        self.written = self.all.len();
        (std::mem::take(&mut self.gone), new)
    }

    fn apply(&mut self, gone: usize, new: Vec<String>) {
        self.all.drain(..gone.min(self.all.len()));
        self.all.extend(new);
    }
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
        let mut lines = text.split_inclusive(|&byte| byte == b'\n').peekable();
        let first = lines.next().unwrap_or_default();
        let mut state: State = serde_json::from_slice(first).map_err(|e| wrong(e.to_string()))?;
        if state.version != VERSION {
            let other = state.version;
            return Err(wrong(format!("its version is {other}, not {VERSION}")));
        }
        while let Some(line) = lines.next() {
            match serde_json::from_slice(line) {
                Ok(change) => state.apply(change),
                // A crash has cut off the last line.
                Err(_) if lines.peek().is_none() => {}
                Err(error) => return Err(wrong(error.to_string())),
            }
        }
        Ok(state)
    }

    fn apply(&mut self, change: Change) {
        self.cursor = change.cursor;
        self.feeds.apply(change.feeds);
        self.articles.apply(change.articles);
        self.hosts.apply(change.hosts);
        self.rules.apply(change.rules);
        self.folders.apply(change.folders);
        self.files.apply(change.files);
        self.notices.apply(change.told, change.notices);
        self.webhook = change.webhook;
    }

    /// Forgets hosts of which it knows nothing that still counts: rules count for a day, failures for a day after the next try.
    pub fn forget(&mut self, now: Millis) {
        self.hosts.retain(|_, host| {
            let more = if host.tries.failures > 0 { DAY } else { 0 };
            host.free.max(host.tries.next + more) > now
        });
        let hosts = &self.hosts;
        self.rules.retain(|name, _| hosts.get(name).is_some());
    }

    /// Writes what was changed, or all of it if there is no file yet or the changes have become longer than it. When this returns, a
    /// power cut leaves it.
    pub fn write(&mut self, path: &Path) -> Result<()> {
        let failed = |e: serde_json::Error| Error::usage(e.to_string());
        let change = self.take_change();
        let mut line = serde_json::to_vec(&change).map_err(failed)?;
        line.push(b'\n');
        let (length, first) = self.written;
        let next = length + line.len() as u64;
        // A line that failed, or somebody else, may have changed the file.
        let is_ours = std::fs::metadata(path).is_ok_and(|file| file.len() == length);
        if is_ours && next - first <= first.max(CHANGES) {
            let appended = append(path, &line);
            self.written.0 = next;
            return appended.map_err(Error::io("cannot write", path));
        }
        let mut all = serde_json::to_vec(self).map_err(failed)?;
        all.push(b'\n');
        self.written = (all.len() as u64, all.len() as u64);
        replace_file(path, &all)
    }

    fn take_change(&mut self) -> Change {
        let (told, notices) = self.notices.take_changes();
        Change {
            cursor: self.cursor,
            feeds: self.feeds.take_changes(),
            articles: self.articles.take_changes(),
            hosts: self.hosts.take_changes(),
            rules: self.rules.take_changes(),
            folders: self.folders.take_changes(),
            files: self.files.take_changes(),
            told,
            notices,
            webhook: self.webhook.clone(),
        }
    }
}

fn append(path: &Path, line: &[u8]) -> std::io::Result<()> {
    let mut file = std::fs::File::options().append(true).open(path)?;
    file.write_all(line)?;
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = State::path(&folder.path().join("news"));
        (folder, path)
    }

    fn json(state: &State) -> serde_json::Value {
        serde_json::to_value(state).unwrap()
    }

    #[track_caller]
    fn assert_written(state: &State, path: &Path) {
        assert_eq!(json(&State::read(path, 0).unwrap()), json(state));
    }

    #[test]
    fn a_state_is_read_as_it_was_written() {
        let (_folder, path) = path();
        assert!(path.ends_with("news.watch.json"));
        let mut state = State::read(&path, 7).unwrap();
        assert_eq!((state.cursor, state.version), (7, VERSION));
        let feed = state.feeds.entry("f");
        feed.tries = Tries {
            failures: 2,
            next: 9,
        };
        feed.known.etag = Some("\"x\"".into());
        state.hosts.insert("h:80".into(), Host::default());
        state.rules.insert("h:80".into(), "Disallow: /".into());
        state.articles.insert("a".into(), Article::default());
        state.files.insert("x".into(), (3, Some(SystemTime::now())));
        state.notices.push("{}".into());
        state.write(&path).unwrap();
        assert_written(&state, &path);
        // Then only what changes.
        state.feeds.entry("f").tries.failures = 0;
        state.hosts.remove("h:80");
        state.articles.retain(|name, _| name != "a");
        state.folders.insert("in".into(), 4);
        state.notices.push("1".into());
        state.notices.push("2".into());
        state.notices.pop();
        state.cursor = 8;
        state.webhook.failures = 1;
        state.write(&path).unwrap();
        assert_written(&state, &path);
        state.notices.pop();
        state.notices.push("3".into());
        state.notices.pop();
        state.write(&path).unwrap();
        assert_written(&state, &path);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 3);
        // Read, it goes on.
        let mut state = State::read(&path, 0).unwrap();
        state.notices.pop();
        state.write(&path).unwrap();
        assert_written(&state, &path);
    }

    #[test]
    fn what_is_written_is_in_proportion_to_what_changed() {
        let (_folder, path) = path();
        let mut state = State::read(&path, 0).unwrap();
        for n in 0..64 {
            state.articles.entry(&n.to_string()).url = "x".repeat(1 << 15);
        }
        state.write(&path).unwrap();
        let size = || std::fs::metadata(&path).unwrap().len();
        let whole = size();
        for n in 0..60 {
            let before = size();
            state.articles.entry(&n.to_string()).tries.failures = 1;
            state.write(&path).unwrap();
            assert!(size() - before < 34_000, "{n}");
        }
        assert_written(&state, &path);
        // It does not grow for ever.
        for n in 0..100 {
            state.articles.entry("0").tries.next = n;
            state.write(&path).unwrap();
            assert!(size() < 2 * whole + 10_000);
        }
        assert_written(&state, &path);
    }

    #[test]
    fn a_line_that_was_cut_off_is_left_out() {
        let (_folder, path) = path();
        let mut state = State::read(&path, 0).unwrap();
        state.write(&path).unwrap();
        let first = std::fs::read(&path).unwrap();
        state.cursor = 5;
        state.write(&path).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for length in first.len()..whole.len() - 1 {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(State::read(&path, 0).unwrap().cursor, 0, "{length}");
        }
        // The next one does not go behind it.
        state.cursor = 6;
        state.write(&path).unwrap();
        assert_written(&state, &path);
        for wrong in ["{", "{\n{}\n{}\n"] {
            let text = [&first[..], wrong.as_bytes()].concat();
            let text = if wrong == "{" { b"{".to_vec() } else { text };
            std::fs::write(&path, text).unwrap();
            let said = State::read(&path, 0).unwrap_err().to_string();
            assert!(said.contains("move it away"), "{said}");
        }
    }

    /// Files of earlier versions are one line without an end.
    #[test]
    fn a_file_without_changes_is_read() {
        let (_folder, path) = path();
        let host = r#"{"robots":"","why":"","failures":0,"next":5,"free":3}"#;
        let text = format!(
            r#"{{"version":1,"cursor":3,"feeds":{{}},"articles":{{}},"hosts":{{"h:80":{host}}},"folders":{{}},"files":{{}},"notices":["a"],"webhook":{{"failures":0,"next":0}}}}"#
        );
        std::fs::write(&path, text).unwrap();
        let mut state = State::read(&path, 0).unwrap();
        assert_eq!((state.cursor, state.notices.len()), (3, 1));
        assert_eq!(state.hosts.get("h:80").unwrap().free, 3);
        state.forget(4);
        assert!(state.hosts.get("h:80").is_some());
        state.rules.insert("h:80".into(), String::new());
        state.forget(5);
        assert!(state.hosts.get("h:80").is_none() && state.rules.get("h:80").is_none());
    }
}
