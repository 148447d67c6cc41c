//! Added fields in a line of JSON.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::json_repair::{NoNumber, repaired};
use super::json_values::{AnyValue, JsonStr, Value};
use super::mark::{AddedFields, FieldValue, flat};

/// Adds fields to a line of JSON before the closing brace of their object, replacing those of an earlier run. Nothing else changes.
pub(crate) fn marked(line: &[u8], added: &AddedFields, values: &[FieldValue]) -> Vec<u8> {
    put(line, &added.at, added, values).unwrap_or_else(|| line.to_vec())
}

/// Adds the fields to `object` itself or to the object in it at the rest of the path.
fn put(
    object: &[u8],
    at: &[String],
    added: &AddedFields,
    values: &[FieldValue],
) -> Option<Vec<u8>> {
    let Some((outer, inner)) = at.split_first() else {
        return put_here(object, at, added, values);
    };
    let members = members(object)?;
    let found = members.iter().rfind(|(name, _)| name == outer);
    match found {
        Some((_, value)) if object[value.clone()].starts_with(b"{") => {
            let changed = put(&object[value.clone()], inner, added, values)?;
            Some([&object[..value.start], &changed, &object[value.end..]].concat())
        }
        // The name is taken by something that is not an object.
        Some(_) => put_here(object, at, added, values),
        None => {
            let mut made = put_here(b"{}", &[], added, values)?;
            for name in inner.iter().rev() {
                made = [b"{", member(name, &made).as_slice(), b"}"].concat();
            }
            append(object, &member(outer, &made))
        }
    }
}

/// Adds the fields as members of `object`, with the path as a prefix of their names.
fn put_here(
    object: &[u8],
    at: &[String],
    added: &AddedFields,
    values: &[FieldValue],
) -> Option<Vec<u8>> {
    let bare = without(object, &|name| added.replaces_flat(at, name));
    let fields = added.names().zip(values);
    let fields = fields.map(|(name, value)| member(&flat(at, name), value.to_json().as_bytes()));
    let fields: Vec<Vec<u8>> = fields.collect();
    append(bare.as_deref().unwrap_or(object), &fields.join(&b", "[..]))
}

fn member(name: &str, value: &[u8]) -> Vec<u8> {
    let name = serde_json::Value::from(name).to_string();
    [name.as_bytes(), b": ", value].concat()
}

/// An object with more members.
fn append(object: &[u8], members: &[u8]) -> Option<Vec<u8>> {
    let brace = object.iter().rposition(|byte| *byte == b'}')?;
    let before = object[..brace].trim_ascii_end();
    let comma: &[u8] = if before.ends_with(b"{") { b"" } else { b", " };
    Some([&object[..brace], comma, members, &object[brace..]].concat())
}

/// Replaces the text that is read at that path and nothing else; `None` if there is no such text.
pub(crate) fn changed(
    line: &[u8],
    path: &str,
    change: impl FnOnce(&str) -> String,
) -> Option<Vec<u8>> {
    let mut found = None;
    find(line, path.trim(), 1, 0, &mut found)?;
    let (_, place, text) = found?;
    let value = serde_json::Value::from(change(&text)).to_string();
    Some([&line[..place.start], value.as_bytes(), &line[place.end..]].concat())
}

/// Finds the text at that path in the object that begins at a byte, at this nesting depth. Of several, the least nested wins, then the
/// last.
fn find(
    object: &[u8],
    path: &str,
    depth: usize,
    start: usize,
    found: &mut Option<(usize, Range<usize>, String)>,
) -> Option<()> {
    for (name, value) in members(object)? {
        let bytes = &object[value.clone()];
        let place = start + value.start..start + value.end;
        if name == path {
            if let Some(text) = text_value(bytes)
                && found.as_ref().is_none_or(|(other, ..)| depth <= *other)
            {
                *found = Some((depth, place, text));
            }
        } else if let Some(rest) = path.strip_prefix(&*name)
            && let Some(rest) = rest.strip_prefix('.')
            && bytes.starts_with(b"{")
        {
            find(bytes, rest, depth + 1, place.start, found)?;
        }
    }
    Some(())
}

/// Decodes a JSON string as the reader does.
fn text_value(value: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(value).ok()?;
    let repaired = repaired(text, NoNumber::Null);
    let mut parser = serde_json::Deserializer::from_str(repaired.as_deref().unwrap_or(text));
    match AnyValue.deserialize(&mut parser) {
        Ok(Value::Text(text)) => Some(text.into_owned()),
        _ => None,
    }
}

/// An object without the members that `leaves` selects; `None` if it has none of them.
fn without(line: &[u8], leaves: &dyn Fn(&str) -> bool) -> Option<Vec<u8>> {
    let members = members(line)?;
    if !members.iter().any(|(name, _)| leaves(name)) {
        return None;
    }
    let mut end = memchr::memchr(b'{', line)? + 1;
    let mut out = line[..end].to_vec();
    let mut first = true;
    for (name, value) in members {
        // What stands before the value: a comma (unless the member is the first) and the name.
        let member = &line[end..value.end];
        end = value.end;
        let blank = member.len() - member.trim_ascii_start().len();
        let comma = member[blank..].strip_prefix(b",");
        if leaves(&name) {
            // White space before a comma belongs to the previous member.
            out.extend_from_slice(&member[..comma.map_or(0, |_| blank)]);
            continue;
        }
        out.extend_from_slice(match (first, comma) {
            (true, Some(rest)) => rest.trim_ascii_start(),
            _ => member,
        });
        first = false;
    }
    out.extend_from_slice(&line[end..]);
    Some(out)
}

fn members(object: &[u8]) -> Option<Vec<(String, Range<usize>)>> {
    let text = std::str::from_utf8(object).ok()?;
    let repaired = repaired(text, NoNumber::AsLong);
    let text = repaired.as_deref().unwrap_or(text);
    let mut parser = serde_json::Deserializer::from_str(text);
    let members = parser.deserialize_map(Members).ok()?;
    let places = members.into_iter().map(|(name, value)| {
        let begin = value.get().as_ptr().addr() - text.as_ptr().addr();
        (name.into_owned(), begin..begin + value.get().len())
    });
    Some(places.collect())
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(name) = object.next_key_seed(JsonStr)? {
            members.push((name, object.next_value()?));
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests {
    use super::super::mark::FieldKind;
    use super::super::tests::{MARK, UNMARKED, mark_fields};
    use super::*;

    #[test]
    fn marks_replace_those_of_an_earlier_run() {
        let none = r#""retold_cluster": null, "retold_canonical": null, "retold_relation": null, "retold_dropped_for": null}"#;
        for (line, bare) in [
            (
                r#"{"text": "a", "retold_cluster": 1, "x":{"retold_cluster": 2} }"#,
                r#"{"text": "a", "x":{"retold_cluster": 2} , "#,
            ),
            (
                r#"{ "retold_relation" : "\"}" , "text": "retold_"}"#,
                r#"{"text": "retold_", "#,
            ),
            (r#"{"retold_cluster":1,"retold_cluster":2}"#, r#"{"#),
            (
                r#"{"a":1,"retold_canonical":[1,{}],"b":2}"#,
                r#"{"a":1,"b":2, "#,
            ),
        ] {
            let with_marks = marked(line.as_bytes(), &mark_fields(), &UNMARKED);
            assert_eq!(
                String::from_utf8(with_marks).unwrap(),
                format!("{bare}{none}"),
                "{line}"
            );
        }
        let line = b"{\"text\": \"a\" }\r\n";
        let fields = mark_fields();
        let marked = |line: &[u8], values: &[FieldValue]| marked(line, &fields, values);
        let once = marked(line, &MARK);
        let value: serde_json::Value = serde_json::from_slice(&once).unwrap();
        assert_eq!(value["retold_canonical"], "a \"b\"");
        assert_eq!(value["retold_dropped_for"], "c");
        assert_eq!(marked(&once, &MARK), once);
        assert_eq!(marked(&marked(&once, &UNMARKED), &MARK), once);
    }

    #[test]
    fn fields_go_into_an_object() {
        let fields = AddedFields::new(Some("meta.dup"), vec![("retold_cluster", FieldKind::Whole)]);
        let put = |line: &str| {
            let line = marked(line.as_bytes(), &fields, &[FieldValue::Whole(7)]);
            String::from_utf8(line).unwrap()
        };
        for (line, expected) in [
            (
                r#"{"text": "}"}"#,
                r#"{"text": "}", "meta": {"dup": {"retold_cluster": 7}}}"#,
            ),
            (
                r#"{"meta": {"a": 1 }, "text": "}"}"#,
                r#"{"meta": {"a": 1 , "dup": {"retold_cluster": 7}}, "text": "}"}"#,
            ),
            (
                r#"{"meta": {"dup": {"retold_cluster": 1, "b": {}}}}"#,
                r#"{"meta": {"dup": {"b": {}, "retold_cluster": 7}}}"#,
            ),
            // Something that is not an object has the name.
            (
                r#"{"meta": null}"#,
                r#"{"meta": null, "meta.dup.retold_cluster": 7}"#,
            ),
            (
                r#"{"meta": {"dup": "x"}}"#,
                r#"{"meta": {"dup": "x", "dup.retold_cluster": 7}}"#,
            ),
        ] {
            assert_eq!(put(line), expected);
            assert_eq!(put(&put(line)), expected);
        }
    }
}
