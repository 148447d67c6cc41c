//! From the names of objects to INPUTs: files, folders and patterns, as on disk.

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use glob::{MatchOptions, Pattern};
use retold::read::{RemoteFile, RemoteInput, RemoteListed};
use retold::{Error, Result};

/// An object.
pub struct Entry {
    /// Its name, with slashes.
    pub key: String,
    pub size: u64,
    /// What is another if the content is.
    pub version: Option<String>,
}

/// What a list may have. A hostile or broken server may list without an end.
#[derive(Default)]
pub struct Bounds {
    count: usize,
    /// The length of all names.
    names: usize,
    hasher: RandomState,
    /// Hashes of the names.
    seen: HashSet<u64>,
    /// How many names in a row were there before.
    repeated: usize,
}

impl Bounds {
    const MOST: usize = 10_000_000;
    const MOST_NAMES: usize = 1 << 30;
    const MOST_REPEATED: usize = 10_000;

    /// One more name.
    ///
    /// Errors: the list seems to have no end.
    pub fn add(&mut self, name: &str) -> std::result::Result<(), String> {
        self.repeated = match self.seen.insert(self.hasher.hash_one(name)) {
            true => 0,
            false => self.repeated + 1,
        };
        if self.repeated > Bounds::MOST_REPEATED {
            return Err("the server lists the same names again and again".into());
        }
        self.count += 1;
        self.names += name.len();
        match self.count > Bounds::MOST || self.names > Bounds::MOST_NAMES {
            true => Err(format!(
                "more than {} names, or 1 GiB of them, are listed; name a folder that has fewer",
                Bounds::MOST
            )),
            false => Ok(()),
        }
    }
}

/// Where objects are.
pub struct Tree {
    /// The URL in front of keys, less the slash.
    pub root: String,
    /// What names the tree itself.
    pub parts: Vec<String>,
}

/// What a run leaves in its output folder.
const OUTPUT: &str = ".retold-files";

impl Tree {
    /// The folder that has all that a key, folder or pattern can name.
    pub fn folder_of<'k>(&self, key: &'k str) -> &'k str {
        let plain = key.find(['*', '?', '[']).unwrap_or(key.len());
        match plain == key.len() {
            true => key.trim_end_matches('/'),
            false => key[..plain]
                .rsplit_once('/')
                .map_or("", |(folder, _)| folder),
        }
    }

    /// The INPUT that is one object.
    pub fn file(&self, entry: &Entry, make: impl Fn(&Entry) -> Arc<dyn RemoteFile>) -> RemoteInput {
        self.input(&entry.key, false, vec![(String::new(), entry)], make)
    }

    /// The INPUTs that a folder or a pattern names, out of what is there.
    ///
    /// Errors: nothing is there, or it is what a run wrote.
    pub fn inputs(
        &self,
        key: &str,
        entries: Vec<Entry>,
        make: impl Fn(&Entry) -> Arc<dyn RemoteFile>,
    ) -> Result<Vec<RemoteInput>> {
        let failed =
            |reason: &str| Error::usage(format!("cannot read INPUT {}/{key}: {reason}", self.root));
        let entries = without_markers(entries);
        let outputs = outputs(&entries);
        let mut found: BTreeMap<&str, Vec<(String, &Entry)>> = BTreeMap::new();
        let folder = key.trim_end_matches('/');
        let pattern = match folder.contains(['*', '?', '[']) {
            true => Some(Pattern::new(folder).map_err(|error| failed(error.msg))?),
            false => None,
        };
        for entry in &entries {
            let head = match &pattern {
                None => Some(folder),
                Some(pattern) => matched(pattern, folder, &entry.key),
            };
            let Some((head, below)) = head.and_then(|head| Some((head, below(&entry.key, head)?)))
            else {
                continue;
            };
            let hidden = below.split('/').any(|part| part.starts_with('.'));
            let mut above = below.match_indices('/').map(|(at, _)| at);
            let start = entry.key.len() - below.len();
            if !hidden && !above.any(|at| outputs.contains(&entry.key[..start + at])) {
                found
                    .entry(head)
                    .or_default()
                    .push((below.to_owned(), entry));
            }
        }
        if pattern.is_none() && outputs.contains(folder) {
            return Err(Error::usage(format!(
                "INPUT {0}/{folder} is the output of a run of retold; name {0}/{folder}/kept for the pages that it kept",
                self.root
            )));
        }
        if found.is_empty() {
            return Err(failed(match pattern {
                Some(_) => "no object matches the pattern",
                None => "nothing is there",
            }));
        }
        let found = found.into_iter();
        Ok(found
            .map(|(head, files)| {
                let is_folder = files.iter().any(|(below, _)| !below.is_empty());
                self.input(head, is_folder, files, &make)
            })
            .collect())
    }

    fn input(
        &self,
        key: &str,
        is_folder: bool,
        files: Vec<(String, &Entry)>,
        make: impl Fn(&Entry) -> Arc<dyn RemoteFile>,
    ) -> RemoteInput {
        let parts = key
            .split('/')
            .filter(|part| !matches!(*part, "" | "." | ".."));
        let parts = parts.map(str::to_owned);
        let files = files.into_iter().map(|(below, entry)| RemoteListed {
            below,
            url: format!("{}/{}", self.root, entry.key),
            size: entry.size,
            version: entry.version.clone(),
            file: make(entry),
        });
        RemoteInput {
            url: format!("{}/{key}", self.root),
            parts: self.parts.iter().cloned().chain(parts).collect(),
            is_folder,
            files: files.collect(),
        }
    }
}

/// What of a key lies below a folder, nothing if it is the very name.
fn below<'k>(key: &'k str, folder: &str) -> Option<&'k str> {
    match key.strip_prefix(folder)? {
        "" => Some(""),
        rest if folder.is_empty() => Some(rest),
        rest => rest.strip_prefix('/'),
    }
}

/// The file or folder that a pattern matches on the way to a key.
fn matched<'k>(pattern: &Pattern, text: &str, key: &'k str) -> Option<&'k str> {
    let options = MatchOptions {
        require_literal_separator: true,
        require_literal_leading_dot: true,
        ..MatchOptions::default()
    };
    let is_match = |head: &&str| pattern.matches_with(head, options);
    if text.split('/').any(|part| part == "**") {
        return Some(key).filter(is_match);
    }
    // As deep as the pattern is.
    let depth = text.matches('/').count();
    let end = key
        .match_indices('/')
        .nth(depth)
        .map_or(key.len(), |(at, _)| at);
    Some(&key[..end]).filter(is_match)
}

/// Without the empty objects by which some tools mark folders.
fn without_markers(mut entries: Vec<Entry>) -> Vec<Entry> {
    let folders: HashSet<String> = entries
        .iter()
        .flat_map(|entry| {
            entry
                .key
                .match_indices('/')
                .map(|(at, _)| entry.key[..at].to_owned())
        })
        .collect();
    entries.retain(|entry| entry.size > 0 || !folders.contains(&entry.key));
    entries
}

/// The folders that runs wrote.
fn outputs(entries: &[Entry]) -> HashSet<String> {
    let keys = entries.iter().map(|entry| &entry.key);
    keys.filter_map(|key| Some(key.strip_suffix(OUTPUT)?.strip_suffix('/')?.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use bytes::Bytes;
    use retold::read::RemoteError;

    use super::*;

    #[derive(Debug)]
    struct Nothing;

    impl RemoteFile for Nothing {
        fn read(&self, _: Range<u64>) -> std::result::Result<Bytes, RemoteError> {
            Ok(Bytes::new())
        }
    }

    fn found(key: &str) -> Vec<(String, bool, Vec<String>)> {
        let keys = [
            "in/a.jsonl",
            "in/b.jsonl",
            "in/sub",
            "in/sub/c.jsonl",
            "in/.git/x",
            "in/out/.retold-files",
            "in/out/kept/a.jsonl",
            "in2/a.jsonl",
        ];
        let entries = keys.map(|key| Entry {
            key: key.into(),
            size: u64::from(key != "in/sub"),
            version: None,
        });
        let tree = Tree {
            root: "s3://b".into(),
            parts: vec!["b".into()],
        };
        let found = tree.inputs(key, entries.into(), |_| Arc::new(Nothing));
        let found = found.unwrap_or_default().into_iter();
        found
            .map(|input| {
                let files = input.files.into_iter().map(|file| file.below);
                (input.parts.join("/"), input.is_folder, files.collect())
            })
            .collect()
    }

    #[test]
    fn folders_and_patterns_name_what_they_do_on_disk() {
        let own = |name: &str| (name.to_owned(), false, vec![String::new()]);
        let folder = |name: &str, files: &[&str]| {
            let files = files.iter().map(|file| (*file).to_owned()).collect();
            (name.to_owned(), true, files)
        };
        let all = ["a.jsonl", "b.jsonl", "sub/c.jsonl"];
        assert_eq!(found("in"), [folder("b/in", &all)]);
        assert_eq!(found("in/"), [folder("b/in", &all)]);
        assert_eq!(
            found("in/*.jsonl"),
            [own("b/in/a.jsonl"), own("b/in/b.jsonl")]
        );
        assert_eq!(found("in/**/*.jsonl").len(), 4);
        assert_eq!(found("i*2"), [folder("b/in2", &["a.jsonl"])]);
        assert_eq!(
            found("in*/a.jsonl"),
            [own("b/in/a.jsonl"), own("b/in2/a.jsonl")]
        );
        assert_eq!(
            found("in/out/kept"),
            [folder("b/in/out/kept", &["a.jsonl"])]
        );
        assert!(
            found("in/out").is_empty() && found("none").is_empty() && found("in/*.gz").is_empty()
        );
        assert_eq!(found("").len(), 1);
    }

    #[test]
    fn a_list_that_has_no_end_is_left() {
        let listed = |name: &dyn Fn(usize) -> usize| {
            let mut bounds = Bounds::default();
            (0..25_000).try_for_each(|number| bounds.add(&format!("in/{}", name(number))))
        };
        assert_eq!(listed(&|number| number), Ok(()));
        // Some stores list a name again that changes meanwhile.
        assert_eq!(listed(&|number| number / 2), Ok(()));
        assert!(listed(&|number| number % 1000).is_err());
        let (mut bounds, long) = (Bounds::default(), "a".repeat(1 << 20));
        assert!((0..1025).any(|number| bounds.add(&format!("{number}/{long}")).is_err()));
    }

    #[test]
    fn what_can_match_lies_in_the_folder_before_the_pattern() {
        let tree = Tree {
            root: String::new(),
            parts: Vec::new(),
        };
        for (key, folder) in [
            ("a/b", "a/b"),
            ("a/b/", "a/b"),
            ("a/b*/c", "a"),
            ("*.gz", ""),
            ("a/[xy]/z", "a"),
        ] {
            assert_eq!(tree.folder_of(key), folder);
        }
    }
}
