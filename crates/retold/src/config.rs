//! The options of a run: one form for the command line, config files, `summary.json`, saved models and bindings.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use xxhash_rust::xxh3::xxh3_64;

use crate::cluster::{Canonical, Drop, Linkage};
use crate::error::{Error, Result};
use crate::method;
use crate::param::Settings;
use crate::read::ReadOptions;
use crate::spill::{Memory, too_little};
use crate::text::Extract;

/// Everything that the result of a run depends on, beside its inputs. How fast it comes is in [`Resources`].
///
/// The serde form is flat: the fields of `read` stand among the others. [`Config::from_map`] reads it and refuses keys that it
/// does not know.
///
/// ```
/// let config = retold::Config {
///     method: "period".into(),
///     ..retold::Config::default()
/// };
/// let json = serde_json::to_value(&config).unwrap();
/// assert_eq!(retold::Config::from_value(json).unwrap(), config);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Config {
    /// How records become pages.
    #[serde(flatten)]
    pub read: ReadOptions,
    /// What is folded before texts are compared.
    pub fold: Vec<Fold>,
    /// Which part of a page methods see; `None` leaves it to the method.
    pub extract: Option<Extract>,
    /// Words, one a line, that the Chinese dictionary gets besides its own.
    pub user_dict: Option<WordFile>,
    /// Words that mean the same: those of each line, with tabs between them.
    pub synonyms: Option<WordFile>,
    /// Where to take what is known of a collection from (document frequencies, noise), instead of learning it from the pages: the
    /// `model.json` of another run.
    pub knowledge: Option<WordFile>,
    /// The method's name.
    pub method: String,
    /// Parameters laid over the method's defaults.
    pub params: Settings,
    /// Whether pages with equal folded texts are duplicates in every method.
    pub exact: bool,
    /// How related pages become clusters.
    pub cluster: Linkage,
    /// Which page of a cluster is canonical.
    pub canonical: Canonical,
    /// Which pages are dropped.
    pub drop: Drop,
    /// Clusters of more pages than this are flagged.
    pub alarm_size: usize,
    /// Write `kept/`.
    pub kept: bool,
    /// Keep every page in `kept/` and add the fields `retold_cluster`, `retold_canonical`, `retold_relation`.
    pub mark: bool,
    /// Inputs without a page have a result, an empty one, and are no error.
    pub allow_empty: bool,
    /// The form in which the tables of OUT are written beside JSONL.
    pub tables: Tables,
    /// Put the texts of pages in clusters into `report.html`, up to this many characters of each.
    pub report_text: Option<usize>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            read: ReadOptions::default(),
            fold: Fold::ALL.to_vec(),
            extract: None,
            user_dict: None,
            synonyms: None,
            knowledge: None,
            method: method::DEFAULT.to_owned(),
            params: Settings::new(),
            exact: true,
            cluster: Linkage::default(),
            canonical: Canonical::default(),
            drop: Drop::default(),
            alarm_size: 1000,
            kept: true,
            mark: false,
            allow_empty: false,
            tables: Tables::default(),
            report_text: None,
        }
    }
}

/// A step of folding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fold {
    /// Unicode NFKC, which makes full-width letters narrow; invisible format characters go.
    Nfkc,
    /// Lower case.
    Case,
    /// Traditional Chinese characters become simplified ones, character by character.
    Simplify,
}

impl Fold {
    /// All steps.
    pub const ALL: [Fold; 3] = [Fold::Nfkc, Fold::Case, Fold::Simplify];
}

/// A form of the tables of OUT. JSONL is always there: it is what `explain`, `eval` and other runs read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tables {
    /// Nothing beside JSONL.
    #[default]
    Jsonl,
    /// Also CSV.
    Csv,
    /// Also Parquet; an error without the feature `parquet`.
    Parquet,
}

/// A file that a result depends on: named by its path, known by its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "WordFileForm")]
pub struct WordFile {
    /// Where it is.
    pub path: PathBuf,
    /// The XXH3 hash of its content, in hexadecimal. `None` until the file has been read; a file whose content has
    /// another hash is refused.
    pub xxh3: Option<String>,
}

/// A path alone will do.
#[derive(Deserialize)]
#[serde(untagged)]
enum WordFileForm {
    Path(PathBuf),
    Known { path: PathBuf, xxh3: Option<String> },
}

impl From<WordFileForm> for WordFile {
    fn from(form: WordFileForm) -> WordFile {
        match form {
            WordFileForm::Path(path) => WordFile::at(path),
            WordFileForm::Known { path, xxh3 } => WordFile { path, xxh3 },
        }
    }
}

impl WordFile {
    /// The file at a path, whatever it holds.
    pub fn at(path: impl Into<PathBuf>) -> WordFile {
        WordFile {
            path: path.into(),
            xxh3: None,
        }
    }

    /// Reads the file, which is what `option` names, and takes its hash down.
    ///
    /// Errors: it cannot be read, or its hash is known and is another.
    pub(crate) fn read(&mut self, option: &str) -> Result<String> {
        let wrong =
            |what: String| Error::Usage(format!("{option} {}: {what}", self.path.display()));
        let content = std::fs::read_to_string(&self.path).map_err(|e| wrong(e.to_string()))?;
        let found = format!("{:016x}", xxh3_64(content.as_bytes()));
        match &self.xxh3 {
            Some(expected) if *expected != found => Err(wrong(format!(
                "the file has changed since it was used (its hash was {expected} and is {found}); restore it or run again"
            ))),
            _ => {
                self.xxh3 = Some(found);
                Ok(content)
            }
        }
    }
}

/// What a run may use; the result does not depend on it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Resources {
    /// Worker threads; 0 for one per core.
    pub threads: usize,
    /// Bytes of memory for what is kept of the pages.
    pub memory: u64,
    /// The folder for what does not fit; without one all is kept in memory.
    pub temp_dir: Option<PathBuf>,
    /// The folder of what an interrupted run has done, and where this one keeps what it does ([`crate::resume`]).
    pub resume: Option<PathBuf>,
    /// The bytes that were written to temporary files so far, for who watches the run.
    pub on_disk: Arc<AtomicU64>,
}

impl Resources {
    /// What may be held of pages. Without [`Resources::temp_dir`] all is.
    ///
    /// Errors: less memory than it takes to read anything.
    pub fn memory(&self) -> Result<Memory> {
        let Some(folder) = &self.temp_dir else {
            return Ok(Memory::default());
        };
        let threads = match self.threads {
            0 => cores(),
            threads => threads.min(most_threads()),
        };
        let fixed = READING + threads as u64 * A_THREAD;
        match self.memory.checked_sub(fixed) {
            Some(left) if left >= SOME => {
                Ok(Memory::new(fixed, left, folder, Arc::clone(&self.on_disk)))
            }
            _ => Err(too_little(self.memory, fixed + SOME)),
        }
    }
}

/// One thread a core.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Four threads a core: more would only wait for each other.
pub fn most_threads() -> usize {
    4 * cores()
}

/// Bytes for records that are being read, and for the program; for each thread; and for a few pages.
const READING: u64 = 96 << 20;
const A_THREAD: u64 = 8 << 20;
const SOME: u64 = 16 << 20;

impl Default for Resources {
    /// One thread a core, no temporary files.
    fn default() -> Resources {
        Resources {
            threads: 0,
            memory: u64::MAX,
            temp_dir: None,
            resume: None,
            on_disk: Arc::default(),
        }
    }
}

impl Config {
    /// The configuration that a map of options holds: keys by the names of the fields, `-` and `_` alike; what is not
    /// named has its default.
    ///
    /// Errors: an unknown key, a value of the wrong form.
    pub fn from_map(map: Map<String, Value>) -> Result<Config> {
        let known = Config::default().to_map();
        let mut named = Map::new();
        for (key, value) in map {
            let name = key.replace('-', "_");
            if !known.contains_key(&name) {
                let names: Vec<&str> = known.keys().map(String::as_str).collect();
                return Err(Error::Usage(format!(
                    "there is no option `{key}`; there are: {}",
                    names.join(", ")
                )));
            }
            named.insert(name, value);
        }
        serde_json::from_value(Value::Object(named))
            .map_err(|e| Error::Usage(format!("options: {e}")))
    }

    /// [`Config::from_map`] for a JSON value, which must be an object.
    pub fn from_value(value: Value) -> Result<Config> {
        match value {
            Value::Object(map) => Config::from_map(map),
            other => Err(Error::Usage(format!("options expected, not {other}"))),
        }
    }

    /// All options by name.
    pub fn to_map(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(map)) => map,
            _ => unreachable!("a struct of plain values is an object"),
        }
    }

    /// The same configuration, its relative paths taken from `directory`.
    pub fn below(mut self, directory: &Path) -> Config {
        for file in [&mut self.user_dict, &mut self.synonyms, &mut self.knowledge]
            .into_iter()
            .flatten()
        {
            file.path = directory.join(&file.path);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_option_goes_through_json() {
        let config = Config {
            read: ReadOptions {
                site_field: Some("host".into()),
                max_record_size: 1 << 20,
                ..ReadOptions::default()
            },
            fold: vec![Fold::Case],
            extract: Some(Extract::None),
            user_dict: Some(WordFile::at("words.txt")),
            synonyms: Some(WordFile {
                path: "synonyms.tsv".into(),
                xxh3: Some("00".into()),
            }),
            knowledge: Some(WordFile::at("model.json")),
            method: "shingle".into(),
            params: Settings::from([("width".into(), "4".into())]),
            exact: false,
            cluster: Linkage::Components,
            canonical: Canonical::Earliest,
            drop: Drop::Duplicate,
            alarm_size: 7,
            kept: false,
            mark: true,
            allow_empty: true,
            tables: Tables::Parquet,
            report_text: Some(9),
        };
        let text = serde_json::to_string(&config).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(Config::from_value(value).unwrap(), config);
    }

    #[test]
    fn names_are_those_of_the_command_line() {
        let value = json!({"text-field": "body", "site_dir": 2, "params": {"threshold": 0.8, "containment": true}});
        let config = Config::from_value(value).unwrap();
        assert_eq!(
            (config.read.text_field.as_str(), config.read.site_dir),
            ("body", Some(2))
        );
        assert_eq!(config.params["containment"], "true".into());
        let config = Config::from_value(json!({"user_dict": "words.txt"})).unwrap();
        assert_eq!(config.user_dict, Some(WordFile::at("words.txt")));
    }

    #[test]
    fn unknown_options_are_refused_by_name() {
        let message = Config::from_value(json!({"treshold": 1}))
            .unwrap_err()
            .to_string();
        assert!(
            message.starts_with("there is no option `treshold`; there are: "),
            "{message}"
        );
        assert!(Config::from_value(json!({"exact": "perhaps"})).is_err());
        assert!(Config::from_value(json!(["exact"])).is_err());
    }

    #[test]
    fn a_word_file_is_known_by_its_content() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "渡船\n").unwrap();
        let mut words = WordFile::at(file.path());
        assert_eq!(words.read("--user-dict").unwrap(), "渡船\n");
        assert!(words.xxh3.is_some() && words.read("--user-dict").is_ok());
        std::fs::write(&file, "渡轮\n").unwrap();
        let message = words.read("--user-dict").unwrap_err().to_string();
        assert!(
            message.contains("the file has changed since it was used"),
            "{message}"
        );
    }
}
