//! The fields of `--mark` in a line of JSON.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::json_repair::{NoNumber, repaired};
use super::json_values::JsonStr;
use super::mark::{MARK_FIELDS, Mark};

/// A line of JSON with the fields of `--mark` before its closing brace, in place of those of an earlier run; nothing
/// else of it changes.
pub(crate) fn marked(line: &[u8], mark: Option<&Mark>) -> Vec<u8> {
    let bare = without_marks(line);
    let line = bare.as_deref().unwrap_or(line);
    let Some(brace) = line.iter().rposition(|byte| *byte == b'}') else {
        return line.to_vec();
    };
    let [canonical, relation, dropped_for] = mark.map(Mark::texts).unwrap_or_default();
    let fields = serde_json::json!({
        "retold_cluster": mark.and_then(|mark| mark.cluster),
        "retold_canonical": canonical,
        "retold_relation": relation,
        "retold_dropped_for": dropped_for,
    });
    let before = line[..brace].trim_ascii_end();
    let mut out = Vec::with_capacity(line.len() + 128);
    out.extend_from_slice(&line[..brace]);
    if !before.ends_with(b"{") {
        out.extend_from_slice(b", ");
    }
    for (place, name) in MARK_FIELDS.into_iter().enumerate() {
        let comma = if place == 0 { "" } else { ", " };
        out.extend_from_slice(format!("{comma}\"{name}\": {}", fields[name]).as_bytes());
    }
    out.extend_from_slice(&line[brace..]);
    out
}

/// The line without the marks of an earlier run; `None` if it has none.
fn without_marks(line: &[u8]) -> Option<Vec<u8>> {
    memchr::memmem::find(line, b"retold_")?;
    let text = std::str::from_utf8(line).ok()?;
    let repaired = repaired(text, NoNumber::AsLong);
    let text = repaired.as_deref().unwrap_or(text);
    let mut parser = serde_json::Deserializer::from_str(text);
    let members = parser.deserialize_map(Members).ok()?;
    if !members.iter().any(|(name, _)| is_mark(name)) {
        return None;
    }
    let mut end = memchr::memchr(b'{', line)? + 1;
    let mut out = line[..end].to_vec();
    let mut first = true;
    for (name, value) in members {
        let begin = end;
        end = value.get().as_ptr().addr() - text.as_ptr().addr() + value.get().len();
        // What comes before the value: a comma, unless it is the first, and the name.
        let member = &line[begin..end];
        let blank = member.len() - member.trim_ascii_start().len();
        let comma = member[blank..].strip_prefix(b",");
        if is_mark(&name) {
            // White space before a comma is that of the member before.
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

fn is_mark(name: &str) -> bool {
    MARK_FIELDS.contains(&name)
}

/// The members of an object, in order.
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
    use super::super::tests::MARK;
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
            let with_marks = marked(line.as_bytes(), None);
            assert_eq!(
                String::from_utf8(with_marks).unwrap(),
                format!("{bare}{none}"),
                "{line}"
            );
        }
        let line = b"{\"text\": \"a\" }\r\n";
        let once = marked(line, Some(&MARK));
        let value: serde_json::Value = serde_json::from_slice(&once).unwrap();
        assert_eq!(value["retold_canonical"], "a \"b\"");
        assert_eq!(value["retold_dropped_for"], "c");
        assert_eq!(marked(&once, Some(&MARK)), once);
        assert_eq!(marked(&marked(&once, None), Some(&MARK)), once);
    }
}
