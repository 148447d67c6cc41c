//! Profiles of Amazon's tools: the keys, region and endpoint that `~/.aws/credentials` and `~/.aws/config` have for a name.

use std::env::var;
use std::path::PathBuf;

use ini::{Ini, ParseOption, Properties};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};

/// What is taken of a profile.
const KEYS: [(&str, AmazonS3ConfigKey); 5] = [
    ("aws_access_key_id", AmazonS3ConfigKey::AccessKeyId),
    ("aws_secret_access_key", AmazonS3ConfigKey::SecretAccessKey),
    ("aws_session_token", AmazonS3ConfigKey::Token),
    ("region", AmazonS3ConfigKey::Region),
    ("endpoint_url", AmazonS3ConfigKey::Endpoint),
];

/// Gives a builder the values of the profile that `AWS_PROFILE` names, `default` unless it does; what the environment sets goes first.
///
/// Errors: `AWS_PROFILE` names a profile that is not there, or that has no keys of its own; a file that is no INI file.
pub fn apply(mut builder: AmazonS3Builder) -> Result<AmazonS3Builder, String> {
    let named = var("AWS_PROFILE").ok().filter(|name| !name.is_empty());
    let name = named.as_deref().unwrap_or("default");
    let has = |key: &AmazonS3ConfigKey, builder: &AmazonS3Builder| {
        builder
            .get_config_value(key)
            .is_some_and(|value| !value.is_empty())
    };
    // Keys are taken together: those of the environment do not go with another's token.
    let has_keys = has(&AmazonS3ConfigKey::AccessKeyId, &builder);
    let credentials = section("AWS_SHARED_CREDENTIALS_FILE", "credentials", name)?;
    let config = match name {
        "default" => section("AWS_CONFIG_FILE", "config", name)?,
        _ => section("AWS_CONFIG_FILE", "config", &format!("profile {name}"))?,
    };
    for (field, key) in KEYS {
        let is_key = field.starts_with("aws_");
        if has(&key, &builder) || is_key && has_keys {
            continue;
        }
        let value = [&credentials, &config]
            .into_iter()
            .flatten()
            .find_map(|of| of.get(field));
        if let Some(value) = value {
            builder = builder.with_config(key, value);
        }
    }
    if named.is_some() && !has(&AmazonS3ConfigKey::AccessKeyId, &builder) {
        let why = match credentials.is_none() && config.is_none() {
            true => "is not in ~/.aws/credentials or ~/.aws/config",
            false => {
                "has no keys of its own; take those that it leads to: eval \"$(aws configure export-credentials --format env)\""
            }
        };
        return Err(format!("the profile {name} of AWS_PROFILE {why}"));
    }
    Ok(builder)
}

/// A section of a file below `~/.aws`, or where a variable says it is; `None` without file or section.
fn section(variable: &str, file: &str, name: &str) -> Result<Option<Properties>, String> {
    let home = || Some(std::env::home_dir()?.join(".aws").join(file));
    let Some(path) = var(variable).ok().map(PathBuf::from).or_else(home) else {
        return Ok(None);
    };
    let Ok(text) = std::fs::read_to_string(&path) else {
        return Ok(None);
    };
    let as_written = ParseOption {
        enabled_quote: false,
        enabled_escape: false,
        ..ParseOption::default()
    };
    let parsed = Ini::load_from_str_opt(&text, as_written);
    // The error itself might show parts of the file.
    let parsed = parsed.map_err(|_| format!("{}: is not an INI file", path.display()))?;
    Ok(parsed.section(Some(name)).cloned())
}
