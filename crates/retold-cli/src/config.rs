//! `--config FILE`: options by their long names, as if they stood on the command line before all others.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use retold::{Error, Result};
use toml::{Table, Value};

use crate::Cli;

/// The command line with the options of `--config FILE` put in behind `dedup`, so that clap checks both in the same
/// way and what stands on the command line itself wins.
pub fn arguments(given: Vec<OsString>) -> Result<Vec<OsString>> {
    let Some(dedup) = given.iter().position(|arg| arg == "dedup") else {
        return Ok(given);
    };
    let Some(path) = config_path(&given[dedup..]) else {
        return Ok(given);
    };
    let mut arguments = given[..=dedup].to_vec();
    arguments.extend(from_file(&path)?);
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

/// The options that a config file may set: all long names of `retold dedup` but `config` and `help`.
pub fn keys() -> Vec<String> {
    let cli = Cli::command();
    let dedup = cli
        .find_subcommand("dedup")
        .map(clap::Command::get_arguments);
    let names = dedup
        .into_iter()
        .flatten()
        .filter_map(|argument| argument.get_long());
    names
        .filter(|name| !["config", "help"].contains(name))
        .map(str::to_owned)
        .collect()
}

fn from_file(path: &Path) -> Result<Vec<OsString>> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Error::usage(format!("--config {}: {e}", path.display())))?;
    let table: Table = text
        .parse()
        .map_err(|e| Error::usage(format!("--config {}: {e}", path.display())))?;
    let keys = keys();
    let mut arguments = Vec::new();
    for (key, value) in table {
        if !keys.contains(&key) {
            return Err(Error::usage(format!(
                "--config {}: there is no option `{key}`; there are: {}",
                path.display(),
                keys.join(", ")
            )));
        }
        let values = match value {
            Value::Array(values) => values,
            single => vec![single],
        };
        for value in values {
            match value {
                Value::Boolean(true) => arguments.push(format!("--{key}").into()),
                Value::Boolean(false) => {}
                Value::String(text) => arguments.push(format!("--{key}={text}").into()),
                Value::Integer(_) | Value::Float(_) => {
                    arguments.push(format!("--{key}={value}").into());
                }
                _ => {
                    return Err(Error::usage(format!(
                        "--config {}: `{key}` must be text, a number, true, false or a list of these",
                        path.display()
                    )));
                }
            }
        }
    }
    Ok(arguments)
}
