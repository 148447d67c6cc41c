//! The options of readers.

use serde::{Deserialize, Serialize};

use super::dialect::{Delimiter, Quote};
use super::statuses::Statuses;

/// What readers have to know. One struct for the command line, the config file and bindings.
///
/// Fields are named by paths: `content.text` is the field `text` of the field `content` (JSONL, Parquet), unless there is a
/// field of the name `content.text`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadOptions {
    /// Field of JSONL/CSV/Parquet that holds plain text; or several with commas between them, joined by blank lines. `messages[].content`
    /// is the field `content` of every object in the list `messages` (JSONL, Parquet).
    pub text_field: String,
    /// Objects in such lists whose `role` (or `from`) is one of these are left out.
    pub skip_roles: Vec<String>,
    /// The field with HTML, which is used if the text field is absent.
    pub html_field: String,
    /// Field that holds the id.
    pub id_field: String,
    /// Field that holds the URL; if it is absent, that field of `metadata`.
    pub url_field: String,
    /// Field that holds the date; if it is absent, that field of `metadata`.
    pub date_field: String,
    /// Field that holds the title, which people are shown; methods do not see it.
    pub title_field: String,
    /// Field that names the site, if any.
    pub site_field: Option<String>,
    /// Take the N-th directory below the INPUT as the site of a file's pages (counted from 1).
    pub site_dir: Option<usize>,
    /// Which HTTP responses of WARC and ARC files are pages; others are skipped.
    pub status: Statuses,
    /// The delimiter of CSV and TSV; if absent, the name and the header row of each file decide.
    pub delimiter: Option<Delimiter>,
    /// The character around their fields.
    pub quote: Quote,
    /// Larger records are rejected, and never held in memory as a whole.
    pub max_record_size: u64,
    /// The window of a zstd file may take 2 to the power of this many bytes, 27 to 31; it follows from the memory that a run may use.
    #[serde(skip, default = "largest_window")]
    pub zstd_window_log: u32,
    /// Further fields that are wanted ([`crate::Page::fields`]), each once; a model names those that its other options want.
    #[serde(skip)]
    pub more_fields: Vec<String>,
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
            more_fields: Vec::new(),
        }
    }
}

/// The further fields that have these values, in the order of [`ReadOptions::more_fields`]; one that is empty has none.
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

/// 2 GiB, which `zstd --long=31` makes.
fn largest_window() -> u32 {
    31
}

impl ReadOptions {
    /// The windows that a run with so much memory can take: a quarter of it, but as much as `zstd` takes unasked.
    pub(crate) fn with_memory(self, memory: u64) -> ReadOptions {
        let log = (memory / 4).checked_ilog2().unwrap_or_default();
        ReadOptions {
            zstd_window_log: log.clamp(27, largest_window()),
            ..self
        }
    }

    /// The fields that make the text, in order.
    pub(crate) fn text_fields(&self) -> impl Iterator<Item = &str> {
        self.text_field.split(',').map(str::trim)
    }

    /// Whether the text is the value of one field, and not joined.
    pub fn has_one_text_field(&self) -> bool {
        !self.text_field.contains(',') && !self.text_field.contains("[]")
    }
}
