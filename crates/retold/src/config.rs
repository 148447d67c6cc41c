//! The options of a run, in one form for the command line, config files, `summary.json`, saved models and bindings. [`JudgeConfig`] has the
//! options that affect verdicts, [`RunConfig`] the resources of a run. Output options are in `retold-report`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use xxhash_rust::xxh3::xxh3_64;

use crate::address::AddressRules;
use crate::cluster::{Canonical, Collections, DropRule, Linkage};
use crate::error::{Error, Result};
use crate::filter::PairFilters;
use crate::method;
use crate::param::Settings;
use crate::read::ReadOptions;
use crate::spill::{Memory, too_little};
use crate::text::Extract;

/// The options on which verdicts, kept pages and clusters depend. Resources are in [`RunConfig`].
///
/// The serde form is flat: the fields of `read` are on the top level. [`JudgeConfig::from_map`] reads it and rejects unknown keys.
///
/// ```
/// let config = retold::JudgeConfig {
///     method: "period".into(),
///     ..retold::JudgeConfig::default()
/// };
/// let json = serde_json::to_value(&config).unwrap();
/// assert_eq!(retold::JudgeConfig::from_value(json).unwrap(), config);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct JudgeConfig {
    /// How records become pages.
    #[serde(flatten)]
    pub read: ReadOptions,
    /// Which pages are compared.
    #[serde(flatten)]
    pub filters: PairFilters,
    /// Which pages are versions of one page.
    #[serde(flatten)]
    pub addresses: AddressRules,
    /// The folding steps before texts are compared.
    pub fold: Vec<Fold>,
    /// The part of a page that methods see; `None` leaves the choice to the method.
    pub extract: Option<Extract>,
    /// Additional words for the Chinese dictionary, one per line.
    pub user_dict: Option<FileRef>,
    /// Synonyms: one group per line, separated by tabs.
    pub synonyms: Option<FileRef>,
    /// Stop-words in addition to those of the page's language, one per line.
    pub stop_words: Option<FileRef>,
    /// The `model.json` of another run, whose knowledge (document frequencies, noise) is used instead of learning from the pages.
    pub knowledge: Option<FileRef>,
    /// The method's name.
    pub method: String,
    /// Parameters that override the method's defaults.
    pub params: Settings,
    /// Whether pages with equal folded texts are duplicates in every method.
    pub exact: bool,
    /// How related pages are grouped into clusters.
    pub cluster: Linkage,
    /// Which of several related pages is preferred, to be kept and canonical.
    pub canonical: Canonical,
    /// A file of sites or sources for [`Prefer::Rank`](crate::Prefer::Rank), one per line, the best first; a number after a tab replaces
    /// the line's rank.
    pub rank: Option<FileRef>,
    /// Which pages are dropped.
    pub drop: DropRule,
    /// Whether the parts of a collection are kept, or the whole.
    pub collections: Collections,
}

impl Default for JudgeConfig {
    fn default() -> JudgeConfig {
        JudgeConfig {
            read: ReadOptions::default(),
            filters: PairFilters::default(),
            addresses: AddressRules::default(),
            fold: Fold::DEFAULT.to_vec(),
            extract: None,
            user_dict: None,
            synonyms: None,
            stop_words: None,
            knowledge: None,
            method: method::DEFAULT_METHOD.to_owned(),
            params: Settings::new(),
            exact: true,
            cluster: Linkage::default(),
            canonical: Canonical::default(),
            rank: None,
            drop: DropRule::default(),
            collections: Collections::default(),
        }
    }
}

/// A step of folding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fold {
    /// Unicode NFKC: full-width letters become narrow, invisible format characters are removed.
    Nfkc,
    /// Lower case.
    Case,
    /// Traditional Chinese and Japanese characters become simplified ones, character by character.
    Simplify,
    /// Serbian Cyrillic becomes Latin, letter by letter.
    Serbian,
}

impl Fold {
    /// The steps that are on by default.
    pub const DEFAULT: [Fold; 3] = [Fold::Nfkc, Fold::Case, Fold::Simplify];
}

/// A file on which results depend, with its path and content hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "FileRefForm")]
pub struct FileRef {
    /// Its path.
    pub path: PathBuf,
    /// The XXH3 hash of its content, in hexadecimal. `None` until the file is read; a file with another hash is rejected.
    pub xxh3: Option<String>,
}

/// A path alone is also accepted.
#[derive(Deserialize)]
#[serde(untagged)]
enum FileRefForm {
    Path(PathBuf),
    Known { path: PathBuf, xxh3: Option<String> },
}

impl From<FileRefForm> for FileRef {
    fn from(form: FileRefForm) -> FileRef {
        match form {
            FileRefForm::Path(path) => FileRef::at(path),
            FileRefForm::Known { path, xxh3 } => FileRef { path, xxh3 },
        }
    }
}

impl FileRef {
    /// The file at a path, with any content.
    pub fn at(path: impl Into<PathBuf>) -> FileRef {
        FileRef {
            path: path.into(),
            xxh3: None,
        }
    }

    /// Reads the file named by `option`, and records its hash.
    ///
    /// Errors: it cannot be read, or its hash differs from the recorded one.
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

/// The resources of a run, and how it treats special cases. Dropped pages do not depend on the resources.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunConfig {
    /// Worker threads; 0 for one per core.
    pub threads: usize,
    /// Bytes of memory for the data of pages.
    pub memory: u64,
    /// The folder for temporary files; without one everything is kept in memory.
    pub temp_dir: Option<PathBuf>,
    /// The folder in which this run stores its progress and finds that of an interrupted run ([`Resume`](crate::Resume)).
    pub resume: Option<PathBuf>,
    /// Bytes written to temporary files so far, for observers of the run.
    pub on_disk: Arc<AtomicU64>,
    /// Inputs without pages give an empty result instead of an error.
    pub allow_empty: bool,
    /// How pages are treated that are also among the old pages, by id and text.
    pub against_self: AgainstSelf,
    /// Lists all pairs of connected components of up to 1,000 pages, instead of up to 100.
    pub all_pairs: bool,
}

/// How a page is treated that is also among the old pages, with the same id and text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AgainstSelf {
    /// As any page that repeats an old one: it is dropped.
    #[default]
    Drop,
    /// The old page is skipped, so that the page is compared only with the others.
    Skip,
    /// The run ends.
    Error,
}

impl RunConfig {
    /// The memory budget. Without [`RunConfig::temp_dir`] there is no limit.
    ///
    /// Errors: less memory than the minimum.
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

/// Parses a number of bytes; K, M or G after it stand for powers of 1,024.
///
/// ```
/// assert_eq!(retold::internal::byte_count("64M"), Ok(64 << 20));
/// assert!(retold::internal::byte_count("4X").is_err() && retold::internal::byte_count("0").is_err());
/// ```
pub fn byte_count(text: &str) -> std::result::Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[digits.len()..]
        .to_ascii_uppercase()
        .trim_end_matches('B')
    {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return Err("a number of bytes expected, as in 500000, 64M or 1G".to_owned()),
    };
    let number = digits
        .parse::<u64>()
        .ok()
        .and_then(|n| n.checked_mul(1 << shift));
    number
        .filter(|&n| n > 0)
        .ok_or_else(|| "a number of bytes from 1 expected".to_owned())
}

/// The number of threads for one per core.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Four threads per core: more would only wait for each other.
pub fn most_threads() -> usize {
    4 * cores()
}

/// Bytes for records being read and the program; per thread; and for a few pages.
const READING: u64 = 96 << 20;
const A_THREAD: u64 = 8 << 20;
const SOME: u64 = 16 << 20;

impl Default for RunConfig {
    /// One thread per core, no temporary files.
    fn default() -> RunConfig {
        RunConfig {
            threads: 0,
            memory: u64::MAX,
            temp_dir: None,
            resume: None,
            on_disk: Arc::default(),
            allow_empty: false,
            against_self: AgainstSelf::default(),
            all_pairs: false,
        }
    }
}

/// Options in old saved models that do not affect verdicts.
const OUTPUT_OPTIONS: [&str; 6] = [
    "alarm_size",
    "allow_empty",
    "kept",
    "mark",
    "report_text",
    "tables",
];

/// Replaces `preset` by its method, parameters and kind of clusters.
fn expand_preset(map: &mut Map<String, Value>) -> Result<()> {
    let name = match map.remove("preset") {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::String(name)) => name,
        Some(other) => {
            return Err(Error::Usage(format!(
                "preset: the name of a preset expected, not {other}"
            )));
        }
    };
    let preset = method::Preset::find(&name)?;
    if map.contains_key("method") {
        return Err(Error::Usage(format!(
            "preset `{name}` is of method `{}`: leave out `method`",
            preset.method
        )));
    }
    map.insert("method".to_owned(), preset.method.into());
    if !map.contains_key("cluster") {
        map.insert("cluster".to_owned(), json!(preset.cluster));
    }
    let params = map.remove("params").unwrap_or_else(|| Map::new().into());
    let Value::Object(given) = params else {
        map.insert("params".to_owned(), params);
        return Ok(());
    };
    let own = preset.params.iter();
    let mut params: Map<String, Value> = own
        .map(|&(name, value)| (name.to_owned(), value.into()))
        .collect();
    params.extend(given);
    map.insert("params".to_owned(), params.into());
    Ok(())
}

impl JudgeConfig {
    /// The configuration for a map of options: keys are field names, with `-` or `_`; missing fields have their defaults. The key `preset`
    /// sets a method, its parameters and `cluster` ([`Preset`](crate::method::Preset)); `params` and `cluster` override these.
    ///
    /// Errors: an unknown key, a malformed value.
    pub fn from_map(mut map: Map<String, Value>) -> Result<JudgeConfig> {
        expand_preset(&mut map)?;
        let known = JudgeConfig::default().to_map();
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

    /// [`JudgeConfig::from_map`] for files of earlier releases: until 0.1 they included output options, which are ignored.
    pub(crate) fn from_saved(mut value: Value) -> Result<JudgeConfig> {
        if let Value::Object(map) = &mut value {
            map.retain(|key, _| !OUTPUT_OPTIONS.contains(&key.as_str()));
        }
        JudgeConfig::from_value(value)
    }

    /// [`JudgeConfig::from_map`] for a JSON value, which must be an object.
    pub fn from_value(value: Value) -> Result<JudgeConfig> {
        match value {
            Value::Object(map) => JudgeConfig::from_map(map),
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

    /// The further record fields that options need, apart from those for reading, each once.
    pub(crate) fn more_fields(&self) -> Vec<String> {
        let fields = self.filters.fields().chain(self.canonical.fields());
        let mut fields: Vec<String> = fields.map(str::to_owned).collect();
        fields.sort_unstable();
        fields.dedup();
        fields
    }

    /// The configuration with relative paths resolved against `directory`.
    pub fn below(mut self, directory: &Path) -> JudgeConfig {
        let words = [
            &mut self.user_dict,
            &mut self.synonyms,
            &mut self.stop_words,
            &mut self.rank,
        ];
        for file in words.into_iter().chain([&mut self.knowledge]).flatten() {
            file.path = directory.join(&file.path);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::{SameUrl, Versions};
    use crate::read::Statuses;

    #[test]
    fn every_option_goes_through_json() {
        let config = JudgeConfig {
            read: ReadOptions {
                site_field: Some("host".into()),
                title_field: "headline".into(),
                status: Statuses::any(),
                delimiter: Some("tab".parse().unwrap()),
                quote: "none".parse().unwrap(),
                max_record_size: 1 << 20,
                ..ReadOptions::default()
            },
            filters: PairFilters {
                across: Some("site".into()),
                within: vec!["lang".into()],
                window: "30d".parse().ok(),
            },
            addresses: AddressRules {
                same_url: SameUrl::Canonical,
                versions: Versions::Keep,
            },
            fold: vec![Fold::Case],
            extract: Some(Extract::None),
            user_dict: Some(FileRef::at("words.txt")),
            stop_words: Some(FileRef::at("stop.txt")),
            synonyms: Some(FileRef {
                path: "synonyms.tsv".into(),
                xxh3: Some("00".into()),
            }),
            knowledge: Some(FileRef::at("model.json")),
            method: "shingle".into(),
            params: Settings::from([("width".into(), "4".into())]),
            exact: false,
            cluster: Linkage::Components,
            canonical: "field:score:desc,earliest".parse().unwrap(),
            rank: Some(FileRef::at("rank.txt")),
            drop: DropRule::Duplicate,
            collections: Collections::Whole,
        };
        let text = serde_json::to_string(&config).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(JudgeConfig::from_value(value).unwrap(), config);
    }

    #[test]
    fn names_are_those_of_the_command_line() {
        let value = json!({"text-field": "body", "site_dir": 2, "params": {"threshold": 0.8, "containment": true}});
        let config = JudgeConfig::from_value(value).unwrap();
        assert_eq!(
            (config.read.text_field.as_str(), config.read.site_dir),
            ("body", Some(2))
        );
        assert_eq!(config.params["containment"], "true".into());
        let config = JudgeConfig::from_value(json!({"user_dict": "words.txt"})).unwrap();
        assert_eq!(config.user_dict, Some(FileRef::at("words.txt")));
    }

    #[test]
    fn options_of_the_output_are_taken_from_saved_models_only() {
        let saved = json!({"method": "period", "kept": false, "tables": "csv", "alarm_size": 7});
        let config = JudgeConfig::from_saved(saved.clone()).unwrap();
        assert_eq!(config.method, "period");
        assert!(JudgeConfig::from_value(saved).is_err());
        assert!(JudgeConfig::from_saved(json!({"treshold": 1})).is_err());
    }

    #[test]
    fn unknown_options_are_refused_by_name() {
        let message = JudgeConfig::from_value(json!({"treshold": 1}))
            .unwrap_err()
            .to_string();
        assert!(
            message.starts_with("there is no option `treshold`; there are: "),
            "{message}"
        );
        assert!(JudgeConfig::from_value(json!({"exact": "perhaps"})).is_err());
        assert!(JudgeConfig::from_value(json!(["exact"])).is_err());
    }

    #[test]
    fn a_word_file_is_known_by_its_content() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "渡船\n").unwrap();
        let mut words = FileRef::at(file.path());
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
