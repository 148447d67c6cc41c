//! Parameters of methods: declared once, checked on the way in, listed by `retold methods`.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// A parameter as a method declares it.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name in snake_case, the same on the command line, in files and in the docs.
    pub name: &'static str,
    /// Its default and what values it may take.
    pub domain: Domain,
    /// One line for people.
    pub help: &'static str,
}

/// The default of a parameter and its valid range; a value outside is an error, never clamped.
#[derive(Clone, Copy, Debug)]
pub enum Domain {
    /// A whole number: default, least, greatest.
    Int(i64, i64, i64),
    /// A number: default, least, greatest.
    Float(f64, f64, f64),
    /// One of a list of names: default, all.
    Choice(&'static str, &'static [&'static str]),
}

/// Values of parameters by name, as a user or a file gives them: not checked yet. Any form of a value does: a number
/// may be text, and `true` a name.
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

/// What files write for a value.
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
    /// The default as a value.
    pub fn default(&self) -> Value {
        match *self {
            Domain::Int(default, ..) => Value::Int(default),
            Domain::Float(default, ..) => Value::Float(default),
            Domain::Choice(default, _) => Value::Choice(default.to_owned()),
        }
    }

    /// The value that `text` names, if it is one of the domain's.
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

/// Values for all parameters of one method.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Params(BTreeMap<&'static str, Value>);

impl Params {
    /// The defaults of `declared` with `settings` laid over them.
    ///
    /// Errors: a name that is not declared, a value outside its domain. `method` is for the message.
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

    /// The value of a whole-number parameter. Asking for one that was not declared as such is a bug.
    pub fn int(&self, name: &str) -> usize {
        match self.0.get(name) {
            Some(Value::Int(v)) => usize::try_from(*v).unwrap_or(0),
            _ => unreachable!("{name} is not declared as a whole number"),
        }
    }

    /// The value of a number parameter. Asking for one that was not declared as such is a bug.
    pub fn float(&self, name: &str) -> f64 {
        match self.0.get(name) {
            Some(Value::Float(v)) => *v,
            _ => unreachable!("{name} is not declared as a number"),
        }
    }

    /// The value of a choice. Asking for one that was not declared as such is a bug.
    pub fn choice(&self, name: &str) -> &str {
        match self.0.get(name) {
            Some(Value::Choice(v)) => v,
            _ => unreachable!("{name} is not declared as a choice"),
        }
    }

    /// The parameters that are wanted, with their values, in one line.
    pub fn written(&self, wanted: impl Fn(&str) -> bool) -> String {
        let values = self.iter().filter(|(name, _)| wanted(name));
        values
            .map(|(name, value)| format!("{name}={value};"))
            .collect()
    }

    /// All values, as they would have to be given.
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

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARED: &[Param] = &[
        Param {
            name: "threshold",
            domain: Domain::Float(0.7, 0.0, 1.0),
            help: "",
        },
        Param {
            name: "width",
            domain: Domain::Int(10, 1, 64),
            help: "",
        },
        Param {
            name: "noise",
            domain: Domain::Choice("none", &["none", "idf"]),
            help: "",
        },
    ];

    fn resolve(name: &str, value: &str) -> Result<Params> {
        Params::resolve(
            "period",
            DECLARED.iter(),
            &Settings::from([(name.into(), value.into())]),
        )
    }

    #[test]
    fn values_are_laid_over_defaults() {
        let params = resolve("threshold", "0.9").unwrap();
        assert_eq!(params.float("threshold"), 0.9);
        assert_eq!(params.int("width"), 10);
        assert_eq!(params.choice("noise"), "none");
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
