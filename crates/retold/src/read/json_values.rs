//! Values of JSON, borrowed from their line where possible.

use std::borrow::Cow;
use std::fmt;

use serde::Deserializer;
use serde_json::Value as Json;

use super::names::ROLES;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};

/// The text of a small field: the content of a string, `None` for `null`, any other value as written.
pub(super) fn scalar_text(raw: &str) -> serde_json::Result<Option<String>> {
    match raw.as_bytes().first() {
        Some(b'"') => serde_json::from_str(raw).map(Some),
        _ if raw == "null" => Ok(None),
        _ => Ok(Some(raw.to_owned())),
    }
}

/// The message for a field that is no list, or a list without texts.
const OTHER: &str = "of another type";

/// The texts of a list, joined with blank lines: its strings, or that field of its objects. `None` if there are none.
pub(super) fn listed_text(
    raw: &str,
    field: &str,
    skip_roles: &[String],
) -> serde_json::Result<Value<'static>> {
    let list = match serde_json::from_str(raw)? {
        Json::Array(list) => list,
        Json::Null => return Ok(Value::Absent),
        _ => return Ok(Value::Other(OTHER)),
    };
    let is_skipped = |item: &Json| {
        let mut roles = ROLES.iter().filter_map(|name| item.get(name)?.as_str());
        roles.any(|role| skip_roles.iter().any(|skipped| skipped == role))
    };
    let (mut any, mut texts) = (false, Vec::new());
    for item in &list {
        let mut of_item = Vec::new();
        if !add_texts(item, field, &mut of_item) {
            return Ok(Value::Other(OTHER));
        }
        any |= !of_item.is_empty();
        if !is_skipped(item) {
            texts.extend(of_item.into_iter().filter(|text| !text.is_empty()));
        }
    }
    Ok(match any {
        true => Value::Text(texts.join("\n\n").into()),
        false => Value::Absent,
    })
}

/// Adds the texts at a path below an item: a string, or a list of strings and of parts with a text, as chats have them. `list[].field` names
/// a field of the objects of a list. False if something else is there.
fn add_texts<'j>(item: &'j Json, path: &str, texts: &mut Vec<&'j str>) -> bool {
    let (path, below) = match path.split_once("[]") {
        Some((path, below)) => (path, Some(below)),
        None => (path, None),
    };
    let mut names = path.split('.').filter(|name| !name.is_empty());
    match (names.try_fold(item, |item, name| item.get(name)), below) {
        (None | Some(Json::Null), _) => true,
        (Some(Json::String(text)), _) => {
            texts.push(text);
            true
        }
        (Some(Json::Array(items)), Some(below)) => {
            let mut items = items.iter();
            items.all(|item| {
                item.is_string() && add_texts(item, "", texts)
                    || item.is_object() && add_texts(item, below, texts)
            })
        }
        (Some(Json::Array(parts)), None) => {
            let mut parts = parts.iter();
            parts.all(|part| match part {
                Json::Object(part) if part.contains_key("type") => part
                    .get("text")
                    .is_none_or(|text| add_texts(text, "", texts)),
                other => other.is_string() && add_texts(other, "", texts),
            })
        }
        _ => false,
    }
}

/// A string, borrowed from the line if it has no escapes.
pub(super) struct JsonStr;

impl<'de> DeserializeSeed<'de> for JsonStr {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Cow<'de, str>, D::Error> {
        from.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for JsonStr {
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

/// A string, or the type of any other value.
#[derive(Clone, Default)]
pub(super) enum Value<'a> {
    #[default]
    Absent,
    Text(Cow<'a, str>),
    Other(&'static str),
}

/// Reads a [`Value`] and skips the content of lists and objects.
pub(super) struct AnyValue;

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
