//! The options of readers.

use serde::{Deserialize, Serialize};

use super::dialect::{Delimiter, Quote};
use super::statuses::Statuses;
use super::work::WorkLimit;

/// The options of readers, shared by the command line, the config file and bindings.
///
/// Fields are named by paths: `content.text` is the field `text` in the field `content` (JSONL, Parquet), unless there is a field called
/// `content.text`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadOptions {
    /// The field of JSONL, CSV or Parquet with plain text, or several separated by commas, which are joined by blank lines.
    /// `messages[].content` is the field `content` of every object in the list `messages` (JSONL, Parquet).
    pub text_field: String,
    /// Objects in these lists are skipped if their `role` (or `from`) is one of these.
    pub skip_roles: Vec<String>,
    /// The field with HTML, used if the text field is missing.
    pub html_field: String,
    /// The field with the id.
    pub id_field: String,
    /// The field with the URL; if it is missing, the same field of `metadata`.
    pub url_field: String,
    /// The field with the date; if it is missing, the same field of `metadata`.
    pub date_field: String,
    /// The field with the title, which is only shown; methods do not see it.
    pub title_field: String,
    /// The field with the site, if any.
    pub site_field: Option<String>,
    /// Takes the N-th directory below the INPUT as the site of a file's pages (counted from 1).
    pub site_dir: Option<usize>,
    /// Which HTTP responses of WARC and ARC files are pages; others are skipped.
    pub status: Statuses,
    /// The delimiter of CSV and TSV; by default it follows from each file's name and header row.
    pub delimiter: Option<Delimiter>,
    /// The quote character of CSV and TSV.
    pub quote: Quote,
    /// Maximum size of a record; larger ones are rejected, and never held in memory as a whole.
    pub max_record_size: u64,
    /// The window of a zstd file may take 2 to the power of this many bytes, 27 to 31; it follows from the run's memory.
    #[serde(skip, default = "largest_window")]
    pub zstd_window_log: u32,
    /// What records in work may take of the run's memory.
    #[serde(skip)]
    pub work: WorkLimit,
    /// Further fields to read ([`crate::Page::fields`]), each once; a model adds those that its other options need.
    #[serde(skip)]
    pub more_fields: Vec<String>,
    /// Reads all fields of a record of JSONL, CSV or Parquet as further fields, by their names, with their values as JSON.
    #[serde(skip)]
    pub all_fields: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            text_field: "text".into(),
            skip_roles: Vec::new(),
            html_field: "html".into(),
            id_field: "id".into(),
            url_field: "url".into(),
            date_field: "date".into(),
            title_field: "title".into(),
            site_field: None,
            site_dir: None,
            status: Statuses::default(),
            delimiter: None,
            quote: Quote::default(),
            max_record_size: 64 << 20,
            zstd_window_log: largest_window(),
            work: WorkLimit::default(),
            more_fields: Vec::new(),
            all_fields: false,
        }
    }
}

/// The further fields with these values, in the order of [`ReadOptions::more_fields`]; empty ones are left out.
pub(crate) fn more_fields(
    options: &ReadOptions,
    values: impl Iterator<Item = Option<String>>,
) -> Vec<(String, String)> {
    let named = options.more_fields.iter().zip(values);
    let filled = named.filter_map(|(name, value)| {
        let value = value.filter(|value| !value.is_empty())?;
        Some((name.clone(), value))
    });
    filled.collect()
}

/// 2 GiB, as made by `zstd --long=31`.
fn largest_window() -> u32 {
    31
}

impl ReadOptions {
    /// Sets what a run with this much memory can take: for the window a quarter of it, but at least `zstd`'s default, and for records in
    /// work.
    pub(crate) fn with_memory(self, memory: u64) -> ReadOptions {
        let log = (memory / 4).checked_ilog2().unwrap_or_default();
        ReadOptions {
            zstd_window_log: log.clamp(27, largest_window()),
            work: WorkLimit::of_texts(memory),
            ..self
        }
    }

    /// The fields that make the text, in order.
    pub(crate) fn text_fields(&self) -> impl Iterator<Item = &str> {
        self.text_field.split(',').map(str::trim)
    }

    /// Whether the text is the value of a single field.
    pub fn has_one_text_field(&self) -> bool {
        !self.text_field.contains(',') && !self.text_field.contains("[]")
    }
}
