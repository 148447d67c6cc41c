//! What is done with a record when the kept ones are written, and the fields that are added to it.

use std::borrow::Cow;

use crate::text::Cuts;

/// What is decided on a record when `kept/` is written.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordDecision<'a> {
    /// Copied unchanged.
    Keep,
    /// Not written: a dropped page or a reject.
    Leave,
    /// Written as this record instead ([`Source::revisits`](super::Source::revisits)), in archives; otherwise copied unchanged.
    Replace(Cow<'a, [u8]>),
    /// Written with fields added where the format has fields (JSONL, CSV, Parquet, WARC as named fields of the record header): the
    /// values of [`AddedFields`], in their order.
    Add(Vec<FieldValue<'a>>),
    /// Written without some blocks of its text, if that is plain text in a field or a file of its own
    /// ([`Record::has_text_field`](super::Record::has_text_field)); otherwise copied unchanged.
    Cut(Cuts<'a>),
}

/// The value of a field that is added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue<'a> {
    /// None: null in JSON and Parquet, empty in CSV, left out in WARC.
    Null,
    /// A number.
    Whole(i64),
    /// A text.
    Text(Cow<'a, str>),
}

impl FieldValue<'_> {
    /// The value as JSON.
    pub(super) fn to_json(&self) -> String {
        match self {
            FieldValue::Null => "null".to_owned(),
            FieldValue::Whole(number) => number.to_string(),
            FieldValue::Text(text) => serde_json::Value::from(&**text).to_string(),
        }
    }

    /// The value as plain text, if there is one.
    pub(super) fn to_text(&self) -> Option<Cow<'_, str>> {
        match self {
            FieldValue::Null => None,
            FieldValue::Whole(number) => Some(number.to_string().into()),
            FieldValue::Text(text) => Some(Cow::Borrowed(text)),
        }
    }
}

/// The type of a field that is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Numbers.
    Whole,
    /// Texts.
    Text,
}

/// Fields that are added to records, in place of those of an earlier run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddedFields {
    /// The objects in which they are, outermost first; none for fields of the record itself.
    pub(super) at: Vec<String>,
    pub(super) fields: Vec<(&'static str, FieldKind)>,
}

impl AddedFields {
    /// Fields with these names and types, in the object with that path (names with dots between them), if one is named. Where a format
    /// has no objects, the path is part of their names.
    pub fn new(at: Option<&str>, fields: Vec<(&'static str, FieldKind)>) -> AddedFields {
        let at = at.into_iter().flat_map(|path| path.split('.'));
        AddedFields {
            at: at.map(str::to_owned).collect(),
            fields,
        }
    }

    /// Whether it is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Their names within the innermost object.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.fields.iter().map(|(name, _)| *name)
    }

    /// Their names in a record without objects.
    pub(super) fn flat_names(&self) -> Vec<String> {
        self.names().map(|name| flat(&self.at, name)).collect()
    }

    /// Whether a field of that name, in the same object, goes for them.
    pub(super) fn replaces(&self, name: &str) -> bool {
        let own = self.names().any(|field| OWN.contains(&field));
        self.names().any(|field| field == name) || own && OWN.contains(&name)
    }

    /// The same of a record without objects.
    pub(super) fn replaces_flat(&self, at: &[String], name: &str) -> bool {
        let inner = at.iter().try_fold(name, |name, part| {
            name.strip_prefix(part.as_str())?.strip_prefix('.')
        });
        inner.is_some_and(|name| self.replaces(name))
    }
}

/// The name of a field of an object, in a record without objects.
pub(super) fn flat(at: &[String], name: &str) -> String {
    let parts = at.iter().map(String::as_str);
    parts.chain([name]).collect::<Vec<_>>().join(".")
}

/// The names that this program's own fields have.
const OWN: [&str; 6] = [
    "retold_cluster",
    "retold_canonical",
    "retold_relation",
    "retold_dropped_for",
    "retold_cluster_size",
    "retold_dropped",
];

/// Decides on each record of a source.
pub(crate) struct Decide<'d, 'a> {
    ask: &'d mut dyn FnMut(u64) -> RecordDecision<'a>,
    /// The fields that are added.
    pub added: &'d AddedFields,
}

impl<'d, 'a> Decide<'d, 'a> {
    pub fn new(
        ask: &'d mut dyn FnMut(u64) -> RecordDecision<'a>,
        added: &'d AddedFields,
    ) -> Decide<'d, 'a> {
        Decide { ask, added }
    }

    /// What is decided on the record of that number, asked once for each, in order.
    pub fn of(&mut self, record: u64) -> RecordDecision<'a> {
        (self.ask)(record)
    }
}
