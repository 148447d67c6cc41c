//! JSON Lines: one object a line.

use std::borrow::Cow;
use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::frame::{Body, Frame, Frames, State, too_large};
use super::window::Window;
use super::{Mark, Outcome, ReadOptions, Source};
use crate::page::{Content, Markup, Page};

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Splits a stream into lines. Blank lines are not records.
pub(crate) struct Lines {
    window: Window,
    limit: u64,
    number: u64,
    line: u64,
    held: usize,
}

impl Lines {
    /// Lines of at most `limit` bytes; longer ones are streamed past.
    pub fn new(mut window: Window, limit: u64) -> Lines {
        if window.data().starts_with(BOM) {
            window.consume(BOM.len());
        }
        Lines {
            window,
            limit,
            number: 0,
            line: 0,
            held: 0,
        }
    }

    /// The length of the next line with its end; `None` if it is larger than the limit.
    fn next_length(&mut self) -> Option<usize> {
        let mut searched = 0;
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.window.data()[searched..]) {
                let length = searched + end + 1;
                return (length as u64 - 1 <= self.limit).then_some(length);
            }
            searched = self.window.data().len();
            if searched as u64 > self.limit {
                return None;
            }
            if !self.window.more() {
                return Some(searched);
            }
        }
    }

    /// Moves past a line of any length; returns that length.
    fn pass_line(&mut self) -> u64 {
        let begin = self.window.offset();
        loop {
            let held = self.window.data();
            if let Some(end) = memchr::memchr(b'\n', held) {
                self.window.consume(end + 1);
                break;
            }
            let length = held.len();
            self.window.consume(length);
            if !self.window.more() {
                break;
            }
        }
        self.window.offset() - begin
    }

    fn frame(&mut self, size: u64, state: State) -> Option<Frame> {
        self.number += 1;
        Some(Frame {
            number: self.number,
            size,
            state,
        })
    }
}

impl Frames for Lines {
    fn next(&mut self) -> Option<Frame> {
        loop {
            self.window.consume(std::mem::take(&mut self.held));
            self.line += 1;
            let Some(length) = self.next_length() else {
                let size = self.pass_line();
                return self.frame(size, State::Damaged(too_large(self.limit)));
            };
            let whole = self.window.data()[..length].ends_with(b"\n");
            if !whole && let Some(failure) = self.window.take_failure() {
                // What there is of the line is no record; there is nothing behind it either.
                self.window.consume(length);
                return self.frame(length as u64, State::Damaged(failure));
            }
            if length == 0 {
                return None;
            }
            if self.window.data()[..length].trim_ascii().is_empty() {
                self.window.consume(length);
                continue;
            }
            self.held = length;
            return self.frame(length as u64, State::Whole);
        }
    }

    fn bytes(&self) -> &[u8] {
        &self.window.data()[..self.held]
    }

    fn body(&self) -> Body {
        Body::Json {
            line: self.bytes().to_vec(),
            number: self.line,
        }
    }

    fn marked(&self, mark: Option<&Mark>) -> Vec<u8> {
        marked(self.bytes(), mark)
    }
}

/// Parses one line.
pub(crate) fn parse(
    line: &[u8],
    line_number: u64,
    record: u64,
    source: &Source,
    options: &ReadOptions,
) -> Outcome {
    let text = match simdutf8::compat::from_utf8(line) {
        Ok(text) => text.trim_end(),
        Err(error) => {
            let column = error.valid_up_to() + 1;
            return Outcome::Rejected(format!("line {line_number}, byte {column}: invalid UTF-8"));
        }
    };
    let mut parser = serde_json::Deserializer::from_str(text);
    let fields = Wanted(options)
        .deserialize(&mut parser)
        .and_then(|fields| parser.end().map(|()| fields));
    match fields {
        Ok(fields) => fields.page(record, source, options).map_or_else(
            |reason| Outcome::Rejected(format!("line {line_number}: {reason}")),
            Outcome::Page,
        ),
        Err(error) => Outcome::Rejected(invalid(&error, text, line_number)),
    }
}

/// What serde_json says, with the place in the file instead of the place in the line.
fn invalid(error: &serde_json::Error, text: &str, line_number: u64) -> String {
    if error.is_data() {
        // Only `Wanted` and the checks behind it speak here, and they name the value.
        let said = error.to_string();
        let said = said.rfind(" at line ").map_or(&*said, |end| &said[..end]);
        return format!("line {line_number}: {said}");
    }
    if error.is_eof() {
        let length = text.len();
        return format!(
            "line {line_number}: invalid JSON: it ends after byte {length}, unfinished"
        );
    }
    let said = error.to_string();
    let said = said.rfind(" at line ").map_or(&*said, |end| &said[..end]);
    let column = error.column();
    format!("line {line_number}, byte {column}: invalid JSON: {said}")
}

/// The requested fields, as far as present.
#[derive(Default)]
struct Fields<'a> {
    text: Value<'a>,
    html: Value<'a>,
    id: Option<String>,
    url: Option<String>,
    date: Option<String>,
    site: Option<String>,
}

impl Fields<'_> {
    fn page(self, record: u64, source: &Source, options: &ReadOptions) -> Result<Page, String> {
        let (text, markup) = match (self.text, self.html) {
            (Value::Absent, Value::Absent) => {
                return Err(format!(
                    "neither field `{}` nor `{}`",
                    options.text_field, options.html_field
                ));
            }
            (Value::Text(text), _) => (text, Markup::Plain),
            (Value::Other(kind), _) => return Err(not_a_string(&options.text_field, kind)),
            (Value::Absent, Value::Text(html)) => (html, Markup::Html),
            (Value::Absent, Value::Other(kind)) => {
                return Err(not_a_string(&options.html_field, kind));
            }
        };
        let id = self.id.filter(|id| !id.is_empty());
        let url = self.url.filter(|url| !url.is_empty());
        Ok(Page {
            id: id
                .or_else(|| url.clone())
                .unwrap_or_else(|| source.record_id(record)),
            url,
            site: self.site.or_else(|| source.site.clone()),
            date: self.date,
            content: Content::Unicode {
                text: text.into_owned(),
                markup,
            },
        })
    }
}

fn not_a_string(field: &str, kind: &str) -> String {
    format!("field `{field}` is {kind}, not a string")
}

/// Reads the requested fields of an object and skips the rest.
struct Wanted<'o>(&'o ReadOptions);

impl<'de> DeserializeSeed<'de> for Wanted<'_> {
    type Value = Fields<'de>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Fields<'de>, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Wanted<'_> {
    type Value = Fields<'de>;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Fields<'de>, A::Error> {
        let Wanted(options) = self;
        let mut fields = Fields::default();
        while let Some(key) = object.next_key_seed(Text)? {
            // A name may be asked for in two roles (`--id-field url`), so the value is read once and handed round.
            let text = key == options.text_field.as_str();
            let html = key == options.html_field.as_str();
            let scalar = Roles::of(&key, options);
            if text || html {
                let value = object.next_value_seed(AnyValue)?;
                if let (Value::Text(string), true) = (&value, scalar.any()) {
                    scalar.set(&mut fields, Some(string.to_string()));
                }
                if text {
                    fields.text = value.clone();
                }
                if html {
                    fields.html = value;
                }
            } else if scalar.any() {
                let raw: &RawValue = object.next_value()?;
                scalar.set(
                    &mut fields,
                    scalar_text(raw.get()).map_err(A::Error::custom)?,
                );
            } else {
                object.next_value::<IgnoredAny>()?;
            }
        }
        Ok(fields)
    }
}

/// The small fields that a key belongs to.
#[derive(Clone, Copy)]
struct Roles {
    id: bool,
    url: bool,
    date: bool,
    site: bool,
}

impl Roles {
    fn of(key: &str, options: &ReadOptions) -> Roles {
        Roles {
            id: key == options.id_field,
            url: key == options.url_field,
            date: key == options.date_field,
            site: options.site_field.as_deref() == Some(key),
        }
    }

    fn any(self) -> bool {
        self.id || self.url || self.date || self.site
    }

    fn set(self, fields: &mut Fields, value: Option<String>) {
        if self.id {
            fields.id = value.clone();
        }
        if self.url {
            fields.url = value.clone();
        }
        if self.date {
            fields.date = value.clone();
        }
        if self.site {
            fields.site = value;
        }
    }
}

/// The text of a small field: a string's content, any other value as it is written; `null` is nothing.
fn scalar_text(raw: &str) -> serde_json::Result<Option<String>> {
    match raw.as_bytes().first() {
        Some(b'"') => serde_json::from_str(raw).map(Some),
        _ if raw == "null" => Ok(None),
        _ => Ok(Some(raw.to_owned())),
    }
}

/// A string that is borrowed from the line where it has no escapes.
struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Cow<'de, str>, D::Error> {
        from.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Cow<'de, str>;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

/// The value of the text or HTML field: a string, or what it is instead.
#[derive(Clone, Default)]
enum Value<'a> {
    #[default]
    Absent,
    Text(Cow<'a, str>),
    Other(&'static str),
}

struct AnyValue;

impl<'de> DeserializeSeed<'de> for AnyValue {
    type Value = Value<'de>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value<'de>, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value<'de>;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Value::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Value::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Value::Absent)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Value::Other("true or false"))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Value::Other("a number"))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Value::Other("a number"))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Value::Other("a number"))
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Other("a list"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Other("an object"))
    }
}

/// A line with the three fields of `--mark` before its closing brace; nothing else of it changes.
fn marked(line: &[u8], mark: Option<&Mark>) -> Vec<u8> {
    let Some(brace) = line.iter().rposition(|byte| *byte == b'}') else {
        return line.to_vec();
    };
    let relation = mark
        .and_then(|mark| mark.relation)
        .map(|relation| relation.name());
    let fields = serde_json::json!({
        "retold_cluster": mark.map(|mark| mark.cluster),
        "retold_canonical": mark.map(|mark| mark.canonical),
        "retold_relation": relation,
    });
    let before = line[..brace].trim_ascii_end();
    let mut out = Vec::with_capacity(line.len() + 128);
    out.extend_from_slice(&line[..brace]);
    if !before.ends_with(b"{") {
        out.extend_from_slice(b", ");
    }
    for (place, name) in super::MARK_FIELDS.into_iter().enumerate() {
        let comma = if place == 0 { "" } else { ", " };
        out.extend_from_slice(format!("{comma}\"{name}\": {}", fields[name]).as_bytes());
    }
    out.extend_from_slice(&line[brace..]);
    out
}
