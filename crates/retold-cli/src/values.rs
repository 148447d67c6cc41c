//! Names of values for help and completion scripts. Any text is accepted here: the library says what is wrong with it.

use std::ffi::OsStr;
use std::sync::LazyLock;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error, ValueEnum};
use retold::SameUrl;
use retold::method::{METHODS, PRESETS};

/// Any text, best one of those names.
#[derive(Clone)]
pub struct OneOf(fn() -> Vec<&'static str>);

/// The name of a method.
pub const METHOD: OneOf = OneOf(|| METHODS.iter().map(|method| method.name).collect());

/// The name of a preset.
pub const PRESET: OneOf = OneOf(|| PRESETS.iter().map(|preset| preset.name).collect());

impl TypedValueParser for OneOf {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter().map(PossibleValue::new)))
    }
}

/// NAME=VALUE: a parameter of a method.
#[derive(Clone)]
pub struct Setting;

impl TypedValueParser for Setting {
    type Value = (String, String);

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, Error> {
        let parts = |text: String| match text.split_once('=') {
            Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
            None => Err("NAME=VALUE expected"),
        };
        let parser = StringValueParser::new().try_map(parts);
        parser.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
            let all = METHODS.iter().flat_map(|method| method.all_params());
            let mut names: Vec<String> = all.map(|param| format!("{}=", param.name)).collect();
            names.sort();
            names.dedup();
            names
        });
        let names = NAMES.iter().map(String::as_str);
        Some(Box::new(names.map(PossibleValue::new)))
    }
}

/// When two pages have the same address.
#[derive(Clone, Copy, ValueEnum)]
pub enum Address {
    /// Never
    Off,
    /// If their URLs are equal
    Exact,
    /// If they are equal except for the fragment, tracking parameters, default port, `.` and `..`, slashes at the end and the case of the host
    Normalised,
    /// The same, whether http or https, with or without `www.`, and whatever the order of parameters
    Loose,
    /// As normalised; and a page is also compared with the page that its <link rel=canonical> names
    Canonical,
}

impl Address {
    /// The library's value.
    pub fn rule(self) -> SameUrl {
        match self {
            Address::Off => SameUrl::Off,
            Address::Exact => SameUrl::Exact,
            Address::Normalised => SameUrl::Normalised,
            Address::Loose => SameUrl::Loose,
            Address::Canonical => SameUrl::Canonical,
        }
    }
}
