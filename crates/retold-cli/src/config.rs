//! `--config FILE`: options by their long names, as if they were on the command line before all others.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{ArgAction, Command};
use retold::{Error, Result};
use toml::{Table, Value};

/// The command line with the options of `--config FILE` inserted after `dedup`, so that clap checks both in the same
/// way and options on the command line itself win.
pub fn arguments(given: Vec<OsString>, command: impl FnOnce() -> Command) -> Result<Vec<OsString>> {
    let Some(dedup) = given.iter().position(|arg| arg == "dedup") else {
        return Ok(given);
    };
    let Some(path) = config_path(&given[dedup..]) else {
        return Ok(given);
    };
    let mut arguments = given[..=dedup].to_vec();
    arguments.extend(from_file(&path, &command())?);
    arguments.extend_from_slice(&given[dedup + 1..]);
    Ok(arguments)
}

fn config_path(arguments: &[OsString]) -> Option<PathBuf> {
    let mut found = None;
    for (at, argument) in arguments.iter().enumerate() {
        if argument == "--config" {
            found = arguments.get(at + 1).map(PathBuf::from);
        } else if let Some(path) = argument.to_str().and_then(|a| a.strip_prefix("--config=")) {
            found = Some(PathBuf::from(path));
        }
    }
    found
}

/// An option that a config file may set.
struct Key {
    names: Vec<String>,
    /// It may be given several times; a list of others is one value with commas.
    repeats: bool,
}

/// The options that a config file may set, by any of their names: all of `retold dedup` but `config`, and those of all commands, `help` and `lang`.
fn keys(command: &Command) -> Vec<Key> {
    let dedup = command.find_subcommand("dedup");
    let arguments = dedup.into_iter().flat_map(Command::get_arguments);
    arguments
        .filter_map(|argument| {
            let aliases = argument.get_all_aliases().unwrap_or_default();
            let names = [argument.get_long()?].into_iter().chain(aliases);
            let names: Vec<String> = names.map(str::to_owned).collect();
            let repeats = matches!(argument.get_action(), ArgAction::Append);
            (!["config", "help", "lang"].contains(&&*names[0])).then_some(Key { names, repeats })
        })
        .collect()
}

fn from_file(path: &Path, command: &Command) -> Result<Vec<OsString>> {
    let wrong = |what: String| Error::usage(format!("--config {}: {what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
    let table: Table = text
        .parse()
        .map_err(|e: toml::de::Error| wrong(e.to_string()))?;
    let keys = keys(command);
    let mut arguments = Vec::new();
    for (name, value) in table {
        let Some(key) = keys.iter().find(|key| key.names.contains(&name)) else {
            let known: Vec<&str> = keys.iter().map(|key| key.names[0].as_str()).collect();
            return Err(wrong(format!(
                "there is no option `{name}`; there are: {}",
                known.join(", ")
            )));
        };
        let values = of_value(value).ok_or_else(|| {
            wrong(format!(
                "`{name}` must be text, a number, true, false or a list of these"
            ))
        })?;
        match values {
            Values::Flag(true) => arguments.push(format!("--{name}").into()),
            Values::Flag(false) => {}
            Values::List(list) if key.repeats => {
                arguments.extend(list.iter().map(|value| format!("--{name}={value}").into()));
            }
            Values::List(list) => arguments.push(format!("--{name}={}", list.join(",")).into()),
        }
    }
    Ok(arguments)
}

/// The value of a key.
enum Values {
    Flag(bool),
    List(Vec<String>),
}

fn of_value(value: Value) -> Option<Values> {
    let scalar = |value: Value| match value {
        Value::String(text) => Some(text),
        Value::Integer(_) | Value::Float(_) => Some(value.to_string()),
        _ => None,
    };
    match value {
        Value::Boolean(on) => Some(Values::Flag(on)),
        Value::Array(values) => values
            .into_iter()
            .map(scalar)
            .collect::<Option<_>>()
            .map(Values::List),
        single => scalar(single).map(|value| Values::List(vec![value])),
    }
}
