//! Parameters of methods: declared once, checked when they are given, listed by `retold methods`.
//!
//! A method declares them as a struct ([`params!`]); everything else follows from it. Users give a map of [`Settings`], which is checked
//! and completed with defaults as [`Params`], from which the struct is made.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// A parameter as a method declares it.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name in snake_case, the same on the command line, in files and in the docs.
    pub name: &'static str,
    /// Its default and valid values.
    pub domain: Domain,
    /// Its description, in one line.
    pub help: &'static str,
}

/// The default of a parameter and its valid range; a value outside is an error, never clamped.
#[derive(Clone, Copy, Debug)]
pub enum Domain {
    /// A whole number: default, minimum, maximum.
    Int(i64, i64, i64),
    /// A number: default, minimum, maximum.
    Float(f64, f64, f64),
    /// One of a list of names: default, all.
    Choice(&'static str, &'static [&'static str]),
}

/// Unchecked values of parameters by name, from a user or a file. Any form is accepted: a number may be text, and `true` a name.
pub type Settings = BTreeMap<String, Value>;

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, from = "Given")]
pub enum Value {
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// A name.
    Choice(String),
}

/// A value as written in files.
#[derive(Deserialize)]
#[serde(untagged)]
enum Given {
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
}

impl From<Given> for Value {
    fn from(given: Given) -> Value {
        match given {
            Given::Bool(on) => Value::Choice(on.to_string()),
            Given::Int(number) => Value::Int(number),
            Given::Float(number) => Value::Float(number),
            Given::Text(text) => Value::Choice(text),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Choice(text.to_owned())
    }
}

impl Domain {
    /// A whole number.
    pub(crate) const fn int(default: usize, range: RangeInclusive<usize>) -> Domain {
        Domain::Int(default as i64, *range.start() as i64, *range.end() as i64)
    }

    /// A number.
    pub(crate) const fn float(default: f64, range: RangeInclusive<f64>) -> Domain {
        Domain::Float(default, *range.start(), *range.end())
    }

    /// The default as a value.
    pub fn default(&self) -> Value {
        match *self {
            Domain::Int(default, ..) => Value::Int(default),
            Domain::Float(default, ..) => Value::Float(default),
            Domain::Choice(default, _) => Value::Choice(default.to_owned()),
        }
    }

    fn parse(&self, text: &str) -> Option<Value> {
        match *self {
            Domain::Int(_, low, high) => text
                .parse()
                .ok()
                .filter(|v| (low..=high).contains(v))
                .map(Value::Int),
            Domain::Float(_, low, high) => text
                .parse()
                .ok()
                .filter(|v| (low..=high).contains(v))
                .map(Value::Float),
            Domain::Choice(_, all) => all.contains(&text).then(|| Value::Choice(text.to_owned())),
        }
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Domain::Int(_, low, i64::MAX) => write!(f, "a whole number from {low}"),
            Domain::Int(_, low, high) => write!(f, "a whole number from {low} to {high}"),
            Domain::Float(_, low, high) => write!(f, "a number from {low} to {high}"),
            Domain::Choice(_, all) => write!(f, "one of {}", all.join(", ")),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(v) => write!(f, "{v}"),
            Value::Float(v) => write!(f, "{v}"),
            Value::Choice(v) => f.write_str(v),
        }
    }
}

/// The values of all parameters of one method.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Params(BTreeMap<&'static str, Value>);

impl Params {
    /// The defaults of `declared`, overridden by `settings`.
    ///
    /// Errors: an undeclared name, a value outside its domain; the message names `method`.
    pub fn resolve<'a>(
        method: &str,
        declared: impl Iterator<Item = &'a Param> + Clone,
        settings: &Settings,
    ) -> Result<Params> {
        let mut values: BTreeMap<_, _> = declared
            .clone()
            .map(|p| (p.name, p.domain.default()))
            .collect();
        for (name, given) in settings {
            let text = given.to_string();
            let Some(param) = declared.clone().find(|p| p.name == name) else {
                let known: Vec<_> = declared.map(|p| p.name).collect();
                return Err(Error::Usage(format!(
                    "method {method} has no parameter `{name}`; it has: {}",
                    known.join(", ")
                )));
            };
            let value = param.domain.parse(text.trim()).ok_or_else(|| {
                Error::Usage(format!(
                    "parameter {method}.{name} = {text}: it must be {}",
                    param.domain
                ))
            })?;
            values.insert(param.name, value);
        }
        Ok(Params(values))
    }

    /// The value of a parameter; `None` if there is no such parameter.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// The value of a parameter as the type of its field; the default if these parameters belong to another method.
    pub(crate) fn read<T: Field>(&self, name: &str, default: T) -> T {
        self.get(name).and_then(T::of).unwrap_or(default)
    }

    /// The wanted parameters with their values, on one line.
    pub fn written(&self, wanted: impl Fn(&str) -> bool) -> String {
        let values = self.iter().filter(|(name, _)| wanted(name));
        values
            .map(|(name, value)| format!("{name}={value};"))
            .collect()
    }

    /// All values as settings.
    pub fn settings(&self) -> Settings {
        let values = self.iter();
        values
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect()
    }

    /// All values, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }
}

/// A type of parameter fields.
pub(crate) trait Field: Sized {
    /// The value, if it is of this type.
    fn of(value: &Value) -> Option<Self>;
}

impl Field for usize {
    fn of(value: &Value) -> Option<usize> {
        match value {
            Value::Int(number) => usize::try_from(*number).ok(),
            _ => None,
        }
    }
}

impl Field for f64 {
    fn of(value: &Value) -> Option<f64> {
        match value {
            Value::Float(number) => Some(*number),
            _ => None,
        }
    }
}

impl Field for bool {
    fn of(value: &Value) -> Option<bool> {
        match value {
            Value::Choice(name) => name.parse().ok(),
            _ => None,
        }
    }
}

/// Declares the parameters of a method as a struct: each field with its help line as doc comment, its range if it is a number, and its
/// default. `bool` is the choice of `true` or `false`; other choices are enums of [`choices!`].
///
/// The struct has the list `PARAMS`, and is made from [`Params`] or, with all checks, from [`Settings`] in any form that serde reads.
macro_rules! params {
    (
        $(#[$meta:meta])* $vis:vis struct $name:ident {
            $($(#[doc = $help:literal])+ $field:ident: $kind:ident $([$range:expr])? = $default:expr,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "crate::param::Settings")]
        $vis struct $name {
            $($(#[doc = $help])+ $vis $field: $kind,)+
        }

        impl $name {
            /// The declarations, in the order of the fields.
            $vis const PARAMS: &'static [crate::param::Param] = &[$(crate::param::Param {
                name: stringify!($field),
                domain: crate::param::params!(@domain $kind, $($range,)? $default),
                help: concat!($($help),+).trim_ascii(),
            }),+];
        }

        impl Default for $name {
            fn default() -> $name {
                $name { $($field: $default),+ }
            }
        }

        impl From<&crate::param::Params> for $name {
            fn from(params: &crate::param::Params) -> $name {
                $name { $($field: params.read(stringify!($field), $default)),+ }
            }
        }

        impl TryFrom<crate::param::Settings> for $name {
            type Error = crate::error::Error;

            fn try_from(settings: crate::param::Settings) -> crate::error::Result<$name> {
                let declared = $name::PARAMS.iter();
                let params = crate::param::Params::resolve(stringify!($name), declared, &settings)?;
                Ok($name::from(&params))
            }
        }
    };
    (@domain usize, $range:expr, $default:expr) => {
        crate::param::Domain::int($default, $range)
    };
    (@domain f64, $range:expr, $default:expr) => {
        crate::param::Domain::float($default, $range)
    };
    (@domain bool, $default:expr) => {
        crate::param::Domain::Choice(if $default { "true" } else { "false" }, &["true", "false"])
    };
    (@domain $choice:ident, $default:expr) => {
        crate::param::Domain::Choice($default.name(), $choice::NAMES)
    };
}
pub(crate) use params;

/// Declares a choice as an enum, each variant with its user-visible name.
macro_rules! choices {
    (
        $(#[$meta:meta])* $vis:vis enum $name:ident {
            $($(#[$about:meta])* $variant:ident = $text:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        $vis enum $name {
            $($(#[$about])* #[serde(rename = $text)] $variant,)+
        }

        impl $name {
            /// All names.
            $vis const NAMES: &'static [&'static str] = &[$($text),+];

            /// Its name.
            $vis const fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)+
                }
            }
        }

        impl crate::param::Field for $name {
            fn of(value: &crate::param::Value) -> Option<$name> {
                let all = [$($name::$variant),+];
                all.into_iter().find(|choice| value.to_string() == choice.name())
            }
        }
    };
}
pub(crate) use choices;

#[cfg(test)]
mod tests {
    use super::*;

    choices! {
        enum Noise {
            None = "none",
            Idf = "idf",
        }
    }

    params! {
        struct Example {
            /// how alike
            /// pages are
            threshold: f64[0.0..=1.0] = 0.7,
            /// how wide
            width: usize[1..=64] = 10,
            /// what is noise
            noise: Noise = Noise::None,
            /// whether it is
            on: bool = true,
        }
    }

    fn resolve(name: &str, value: &str) -> Result<Params> {
        Params::resolve(
            "period",
            Example::PARAMS.iter(),
            &Settings::from([(name.into(), value.into())]),
        )
    }

    #[test]
    fn values_are_laid_over_defaults() {
        let example = |name, value| Example::from(&resolve(name, value).unwrap());
        let threshold = 0.9;
        let wanted = Example {
            threshold,
            ..Example::default()
        };
        assert_eq!(example("threshold", "0.9"), wanted);
        assert_eq!(
            (wanted.width, wanted.noise, wanted.on),
            (10, Noise::None, true)
        );
        assert_eq!(example("noise", "idf").noise, Noise::Idf);
        assert!(!example("on", "false").on);
    }

    #[test]
    fn a_struct_declares_names_helps_and_domains() {
        let declared: Vec<String> = Example::PARAMS
            .iter()
            .map(|p| {
                format!(
                    "{}={}: {}; {}",
                    p.name,
                    p.domain.default(),
                    p.help,
                    p.domain
                )
            })
            .collect();
        assert_eq!(
            declared,
            [
                "threshold=0.7: how alike pages are; a number from 0 to 1",
                "width=10: how wide; a whole number from 1 to 64",
                "noise=none: what is noise; one of none, idf",
                "on=true: whether it is; one of true, false",
            ]
        );
    }

    #[test]
    fn a_struct_is_read_with_all_checks() {
        let read = |json| serde_json::from_str::<Example>(json).map_err(|e| e.to_string());
        let example = read(r#"{"width": 3, "on": false, "noise": "idf"}"#).unwrap();
        assert_eq!(
            (example.width, example.on, example.noise),
            (3, false, Noise::Idf)
        );
        let written = serde_json::to_string(&example).unwrap();
        assert_eq!(
            written,
            r#"{"threshold":0.7,"width":3,"noise":"idf","on":false}"#
        );
        assert_eq!(read(&written), Ok(example));
        let message = read(r#"{"width": 65}"#).unwrap_err();
        assert!(message.contains("width = 65: it must be a whole number from 1 to 64"));
    }

    #[test]
    fn errors_name_the_value_and_the_range() {
        let message = resolve("threshold", "1.5").unwrap_err().to_string();
        assert_eq!(
            message,
            "parameter period.threshold = 1.5: it must be a number from 0 to 1"
        );
        let message = resolve("treshold", "0.5").unwrap_err().to_string();
        assert!(message.contains("no parameter `treshold`; it has: threshold, width, noise"));
        assert!(resolve("width", "0").is_err());
        assert!(resolve("width", "2.5").is_err());
        assert!(resolve("threshold", "NaN").is_err());
        assert!(resolve("noise", "all").is_err());
    }
}
