//! JSON Lines: one object a line.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use bytes::Bytes;
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::frame::{Frame, FrameState, Frames, too_large};
use super::framed::Framed;
use super::json_marks;
use super::json_repair::{self, NoNumber};
use super::json_values::{AnyValue, JsonStr, Value, listed_text, scalar_text};
use super::magic::BOM;
use super::mark::{AddedFields, FieldValue};
use super::names::{self, Uses};
use super::options::{ReadOptions, more_fields};
use super::record::{Outcome, Unparsed};
use super::source::Source;
use super::window::Window;
use crate::page::{Content, Markup, Page};
use crate::text::Cuts;

#[derive(Debug)]
pub(crate) struct JsonLines;

impl Framed for JsonLines {
    fn frames(&self, content: Window, options: &ReadOptions) -> Box<dyn Frames> {
        Box::new(LineFrames::new(content, options))
    }
}

/// A line and its number in the file.
#[derive(Debug)]
struct JsonLine {
    bytes: Bytes,
    line: u64,
}

impl Unparsed for JsonLine {
    fn parse(self: Box<Self>, number: u64, source: &Source, options: &ReadOptions) -> Outcome {
        parse(&self.bytes, self.line, number, source, options)
    }

    fn shared(&mut self) -> Option<&mut Bytes> {
        Some(&mut self.bytes)
    }

    fn has_text_field(&self) -> bool {
        true
    }
}

/// Splits a stream into lines. Blank lines are not records.
struct LineFrames {
    window: Window,
    limit: u64,
    text_field: String,
    number: u64,
    line: u64,
    held: usize,
}

impl LineFrames {
    /// Splits `window` into lines up to the size limit; longer lines are skipped without being held.
    fn new(mut window: Window, options: &ReadOptions) -> LineFrames {
        if window.data().starts_with(BOM) {
            window.consume(BOM.len());
        }
        LineFrames {
            window,
            limit: options.max_record_size,
            text_field: options.text_field.clone(),
            number: 0,
            line: 0,
            held: 0,
        }
    }

    /// The length of the next line with its line end; `None` if it is above the limit.
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

    fn frame(&mut self, size: u64, state: FrameState) -> Option<Frame> {
        self.number += 1;
        Some(Frame {
            number: self.number,
            size,
            state,
        })
    }
}

impl Frames for LineFrames {
    fn next(&mut self) -> Option<Frame> {
        loop {
            self.window.consume(std::mem::take(&mut self.held));
            self.line += 1;
            let Some(length) = self.next_length() else {
                let size = self.pass_line();
                return self.frame(size, FrameState::Damaged(too_large(self.limit)));
            };
            let whole = self.window.data()[..length].ends_with(b"\n");
            if !whole && let Some(failure) = self.window.take_failure() {
                // The stream failed inside this line, so it is no record; nothing comes after it.
                self.window.consume(length);
                return self.frame(length as u64, FrameState::Damaged(failure));
            }
            if length == 0 {
                return None;
            }
            if self.window.data()[..length].trim_ascii().is_empty() {
                self.window.consume(length);
                continue;
            }
            self.held = length;
            return self.frame(length as u64, FrameState::Whole);
        }
    }

    fn bytes(&self) -> &[u8] {
        &self.window.data()[..self.held]
    }

    fn unparsed(&mut self) -> Box<dyn Unparsed> {
        Box::new(JsonLine {
            bytes: self.window.take(std::mem::take(&mut self.held)),
            line: self.line,
        })
    }

    fn marked(&self, added: &AddedFields, values: &[FieldValue]) -> Vec<u8> {
        json_marks::marked(self.bytes(), added, values)
    }

    fn names(&self) -> Vec<String> {
        let fields = serde_json::from_slice::<BTreeMap<String, IgnoredAny>>(self.bytes());
        fields.unwrap_or_default().into_keys().collect()
    }

    fn cut(&self, cuts: &Cuts) -> Option<Vec<u8>> {
        json_marks::changed(self.bytes(), &self.text_field, |text| cuts.of(text))
    }
}

impl Source {
    /// Parses a line of JSON that did not come from a file, as record `number` of a source of that name, by the rules for JSONL.
    pub fn line(name: &str, number: u64, line: &[u8], options: &ReadOptions) -> Outcome {
        let source = Source::of_pages(name, []);
        parse(line, number, number, &source, options)
    }
}

fn parse(
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
    let repaired;
    let mut fields = fields_of(text, options);
    if fields.is_err() {
        repaired = json_repair::repaired(text, NoNumber::Null);
        if let Some(text) = &repaired
            && let Ok(found) = fields_of(text, options)
        {
            fields = Ok(found);
        }
    }
    match fields {
        Ok(fields) => match fields.page(record, source, options) {
            Ok(mut page) => {
                if options.all_fields {
                    page.fields = all_fields(text);
                }
                Outcome::Page(page)
            }
            Err(None) => {
                let reason = names::no_field(&other_fields(text, options), options);
                Outcome::Rejected(format!("line {line_number}: {reason}"))
            }
            Err(Some(reason)) => Outcome::Rejected(format!("line {line_number}: {reason}")),
        },
        Err(error) => Outcome::Rejected(invalid(&error, text, line_number)),
    }
}

/// The record's fields, with their values as written, or as JSON if that was repaired.
fn all_fields(text: &str) -> Vec<(String, String)> {
    let repaired = json_repair::repaired(text, NoNumber::Null);
    let text = repaired.as_deref().unwrap_or(text);
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(text).unwrap_or_default();
    let fields = fields.into_iter();
    fields
        .map(|(name, value)| (name, value.get().to_owned()))
        .collect()
}

/// Names of the record's fields other than text and HTML.
fn other_fields(text: &str, options: &ReadOptions) -> Vec<String> {
    let fields: BTreeMap<String, IgnoredAny> = serde_json::from_str(text).unwrap_or_default();
    let asked = |name: &String| {
        *name == options.html_field || options.text_fields().any(|field| field == name)
    };
    fields.into_keys().filter(|name| !asked(name)).collect()
}

/// The requested fields of a record.
fn fields_of<'a>(text: &'a str, options: &ReadOptions) -> serde_json::Result<Fields<'a>> {
    let mut parser = serde_json::Deserializer::from_str(text);
    let fields = FieldSeed(options).deserialize(&mut parser)?;
    parser.end().map(|()| fields)
}

/// serde_json's message with the position in the file instead of the position in the line.
fn invalid(error: &serde_json::Error, text: &str, line_number: u64) -> String {
    if error.is_data() {
        // Errors from `Object` and the later checks name the value; errors in nested values contain two positions.
        let said = error.to_string();
        let said = said.find(" at line ").map_or(&*said, |end| &said[..end]);
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

/// The requested fields that are present.
#[derive(Default)]
struct Fields<'a> {
    texts: Vec<Slot<Value<'a>>>,
    html: Slot<Value<'a>>,
    id: Slot<String>,
    url: Slot<String>,
    date: Slot<String>,
    site: Slot<String>,
    title: Slot<String>,
    more: Vec<Slot<String>>,
}

/// A value and its nesting depth. If several fields have one path, the least nested wins (`{"a.b": 1}` against `{"a": {"b": 2}}`).
struct Slot<T>(Option<(usize, T)>);

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Slot(None)
    }
}

impl<T> Slot<T> {
    fn put(&mut self, depth: usize, value: T) {
        if self.0.as_ref().is_none_or(|(other, _)| depth <= *other) {
            self.0 = Some((depth, value));
        }
    }

    fn take(self) -> Option<T> {
        self.0.map(|(_, value)| value)
    }
}

impl<'a> Fields<'a> {
    /// Makes the page. Errors: there is no text, or it has another type (which the message names).
    fn page(
        mut self,
        record: u64,
        source: &Source,
        options: &ReadOptions,
    ) -> Result<Page, Option<String>> {
        let (text, markup) = self.content(options)?;
        let filled = |slot: Slot<String>| slot.take().filter(|text| !text.is_empty());
        let url = filled(self.url);
        Ok(Page {
            id: filled(self.id)
                .or_else(|| url.clone())
                .unwrap_or_else(|| source.record_id(record)),
            url,
            site: self.site.take().or_else(|| source.site.clone()),
            date: self.date.take(),
            title: filled(self.title),
            derived: false,
            fields: more_fields(options, self.more.into_iter().map(Slot::take)),
            content: Content::Unicode { text, markup },
        })
    }

    fn content(&mut self, options: &ReadOptions) -> Result<(String, Markup), Option<String>> {
        let mut texts: Vec<Cow<str>> = Vec::with_capacity(1);
        for (slot, name) in self.texts.drain(..).zip(options.text_fields()) {
            match slot.take() {
                Some(Value::Text(text)) => texts.push(text),
                Some(Value::Other(kind)) => return Err(Some(not_a_string(name, kind))),
                Some(Value::Absent) | None => {}
            }
        }
        if !texts.is_empty() {
            texts.retain(|text| !text.is_empty());
            // A single text needs no copy.
            let joined = match texts.len() {
                0 | 1 => texts.pop().unwrap_or_default().into_owned(),
                _ => texts.join("\n\n"),
            };
            return Ok((joined, Markup::Plain));
        }
        match std::mem::take(&mut self.html).take() {
            Some(Value::Text(html)) => Ok((html.into_owned(), Markup::Html)),
            Some(Value::Other(kind)) => Err(Some(not_a_string(&options.html_field, kind))),
            Some(Value::Absent) | None => Err(None),
        }
    }

    /// Stores a value in the fields that `uses` names.
    fn put(&mut self, uses: Uses, depth: usize, value: Value<'a>) {
        let Some(place) = uses.text else {
            return self.html.put(depth, value);
        };
        if uses.html {
            self.html.put(depth, value.clone());
        }
        if self.texts.len() <= place {
            self.texts.resize_with(place + 1, Slot::default);
        }
        self.texts[place].put(depth, value);
    }

    fn put_title(&mut self, uses: Uses, depth: usize, title: String) {
        self.title.put(depth + stand_in(uses), title);
    }

    /// Stores a small value in the fields that `uses` names.
    fn put_scalar(&mut self, uses: Uses, depth: usize, value: &str) {
        let depth = depth + stand_in(uses);
        let slots = [
            (uses.id, &mut self.id),
            (uses.url, &mut self.url),
            (uses.date, &mut self.date),
            (uses.site, &mut self.site),
        ];
        for (_, slot) in slots.into_iter().filter(|(wanted, _)| *wanted) {
            slot.put(depth, value.to_owned());
        }
        if let Some(place) = uses.more {
            if self.more.len() <= place {
                self.more.resize_with(place + 1, Slot::default);
            }
            self.more[place].put(depth, value.to_owned());
        }
    }
}

/// The penalty in depth for a usual name: it ranks after the requested field, however deeply that is nested.
fn stand_in(uses: Uses) -> usize {
    match uses.usual {
        true => usize::from(u16::MAX),
        false => 0,
    }
}

fn not_a_string(field: &str, kind: &str) -> String {
    let place = if field.contains("[]") {
        " in a list"
    } else {
        ""
    };
    format!("field `{field}` is {kind}, not a string{place}")
}

/// Reads the requested fields of an object and skips the rest.
struct FieldSeed<'o>(&'o ReadOptions);

impl<'de> DeserializeSeed<'de> for FieldSeed<'_> {
    type Value = Fields<'de>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Fields<'de>, D::Error> {
        let mut fields = Fields::default();
        let top = Object {
            options: self.0,
            path: "",
            depth: 1,
            fields: &mut fields,
        };
        from.deserialize_any(top)?;
        Ok(fields)
    }
}

/// The record itself, or an object in it that may contain requested fields.
struct Object<'o, 'de> {
    options: &'o ReadOptions,
    /// Its path, empty for the record.
    path: &'o str,
    /// How many names lead to its fields.
    depth: usize,
    fields: &'o mut Fields<'de>,
}

impl<'de> Object<'_, 'de> {
    /// The texts of a list, if they are wanted from its objects.
    fn listed(&self, uses: Uses, raw: &str) -> serde_json::Result<Option<Value<'de>>> {
        let place = uses.text.filter(|_| uses.listed);
        let name = place.and_then(|place| self.options.text_fields().nth(place));
        let Some((_, field)) = name.and_then(names::listed) else {
            return Ok(None);
        };
        listed_text(raw, field, &self.options.skip_roles).map(Some)
    }

    /// Takes the value of the field with that path.
    fn take(&mut self, path: &str, value: &'de RawValue) -> serde_json::Result<()> {
        let uses = Uses::of(path, self.options);
        if let Some(value) = self.listed(uses, value.get())? {
            self.fields.put(uses, self.depth, value);
        } else if uses.text.is_some() || uses.html {
            let mut parser = serde_json::Deserializer::from_str(value.get());
            let value = AnyValue.deserialize(&mut parser)?;
            self.fields.put(uses, self.depth, value);
        }
        if uses.scalar()
            && let Some(text) = scalar_text(value.get())?
        {
            self.fields.put_scalar(uses, self.depth, &text);
        }
        // The page is still read if its title is not a text.
        if uses.title
            && let Ok(title) = serde_json::from_str::<String>(value.get())
        {
            self.fields.put_title(uses, self.depth, title);
        }
        if value.get().starts_with('{') && names::has_inside(path, self.options) {
            let inner = Object {
                options: self.options,
                path,
                depth: self.depth + 1,
                fields: self.fields,
            };
            serde_json::Deserializer::from_str(value.get()).deserialize_map(inner)?;
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for Object<'_, 'de> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<(), A::Error> {
        while let Some(key) = object.next_key_seed(JsonStr)? {
            let path = match self.path {
                "" => key,
                path => Cow::Owned(format!("{path}.{key}")),
            };
            let uses = Uses::of(&path, self.options);
            let inside = names::has_inside(&path, self.options);
            if uses == Uses::default() && !inside {
                object.next_value::<IgnoredAny>()?;
            } else if uses.scalar() || uses.title || uses.listed || inside {
                // A field may have several roles (`--id-field url`) and may contain other requested fields.
                let raw: &RawValue = object.next_value()?;
                self.take(&path, raw).map_err(A::Error::custom)?;
            } else {
                let value = object.next_value_seed(AnyValue)?;
                self.fields.put(uses, self.depth, value);
            }
        }
        Ok(())
    }
}
