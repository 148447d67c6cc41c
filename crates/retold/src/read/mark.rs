//! Decisions about records when `kept/` is written, and the fields that are added to them.

use std::borrow::Cow;

use crate::text::Cuts;

/// The decision about one record when `kept/` is written.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordDecision<'a> {
    /// Copied unchanged.
    Keep,
    /// Not written, because it is a dropped page or a reject.
    Leave,
    /// In archives, replaced by this record ([`Source::revisits`](super::Source::revisits)); otherwise copied unchanged.
    Replace(Cow<'a, [u8]>),
    /// Written with added fields in formats that have fields (JSONL, CSV, Parquet, and WARC record headers): the values of [`AddedFields`],
    /// in their order.
    Add(Vec<FieldValue<'a>>),
    /// Written without some blocks of its text, if the text is plain and is a field or a whole file
    /// ([`Record::has_text_field`](super::Record::has_text_field)); otherwise copied unchanged.
    Cut(Cuts<'a>),
}

/// The value of an added field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue<'a> {
    /// No value: null in JSON and Parquet, empty in CSV, left out in WARC.
    Null,
    /// A number.
    Whole(i64),
    /// A text.
    Text(Cow<'a, str>),
}

impl FieldValue<'_> {
    pub(super) fn to_json(&self) -> String {
        match self {
            FieldValue::Null => "null".to_owned(),
            FieldValue::Whole(number) => number.to_string(),
            FieldValue::Text(text) => serde_json::Value::from(&**text).to_string(),
        }
    }

    /// The value as plain text; `None` for null.
    pub(super) fn to_text(&self) -> Option<Cow<'_, str>> {
        match self {
            FieldValue::Null => None,
            FieldValue::Whole(number) => Some(number.to_string().into()),
            FieldValue::Text(text) => Some(Cow::Borrowed(text)),
        }
    }
}

/// The type of an added field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Numbers.
    Whole,
    /// Texts.
    Text,
}

/// Fields to add to records; they replace those of an earlier run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddedFields {
    /// The path of the object that gets the fields, outermost name first; empty for the record itself.
    pub(super) at: Vec<String>,
    pub(super) fields: Vec<(&'static str, FieldKind)>,
}

impl AddedFields {
    /// Fields with these names and types, for the record or for the object at the path `at` (names joined by dots). Formats without objects
    /// put the path in front of the field names.
    pub fn new(at: Option<&str>, fields: Vec<(&'static str, FieldKind)>) -> AddedFields {
        let at = at.into_iter().flat_map(|path| path.split('.'));
        AddedFields {
            at: at.map(str::to_owned).collect(),
            fields,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Names of the fields within their object.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.fields.iter().map(|(name, _)| *name)
    }

    /// Names of the fields in a format without objects.
    pub(super) fn flat_names(&self) -> Vec<String> {
        self.names().map(|name| flat(&self.at, name)).collect()
    }

    /// Whether a field of that name in the same object is replaced.
    pub(super) fn replaces(&self, name: &str) -> bool {
        let own = self.names().any(|field| OWN.contains(&field));
        self.names().any(|field| field == name) || own && OWN.contains(&name)
    }

    /// As [`AddedFields::replaces`], for a format without objects.
    pub(super) fn replaces_flat(&self, at: &[String], name: &str) -> bool {
        let inner = at.iter().try_fold(name, |name, part| {
            name.strip_prefix(part.as_str())?.strip_prefix('.')
        });
        inner.is_some_and(|name| self.replaces(name))
    }
}

/// The name of an object's field in a format without objects.
pub(super) fn flat(at: &[String], name: &str) -> String {
    let parts = at.iter().map(String::as_str);
    parts.chain([name]).collect::<Vec<_>>().join(".")
}

/// The names of the fields that this program adds.
const OWN: [&str; 12] = [
    "retold_cluster",
    "retold_canonical",
    "retold_relation",
    "retold_dropped_for",
    "retold_cluster_size",
    "retold_dropped",
    "retold_pages",
    "retold_sites",
    "retold_inputs",
    "retold_first_date",
    "retold_last_date",
    "retold_lost",
];

pub(crate) struct Decide<'d, 'a> {
    ask: &'d mut dyn FnMut(u64) -> RecordDecision<'a>,
    pub added: &'d AddedFields,
}

impl<'d, 'a> Decide<'d, 'a> {
    pub fn new(
        ask: &'d mut dyn FnMut(u64) -> RecordDecision<'a>,
        added: &'d AddedFields,
    ) -> Decide<'d, 'a> {
        Decide { ask, added }
    }

    /// The decision about a record; ask once for each, in order.
    pub fn of(&mut self, record: u64) -> RecordDecision<'a> {
        (self.ask)(record)
    }
}
