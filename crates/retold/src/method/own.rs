//! `--own`: how much a page may say of its own and still count as a copy.

use std::str::FromStr;

use serde_json::{Map, Value as Json};

use super::info::OWN_WORDS;
use super::preset::Preset;
use super::table::{DEFAULT, METHODS, find};
use crate::error::{Error, Result};
use crate::param::{Settings, Value};

const SHARE: &str = "own_share";

/// The limit, in words and as a share of the page, above which an own passage keeps a page from being a copy. Methods with own passages
/// have it as their parameters `own_words` and `own_share`.
///
/// ```
/// let limit: retold::OwnLimit = "50,20%".parse().unwrap();
/// assert_eq!(limit.settings().len(), 2);
/// assert!("50,200%".parse::<retold::OwnLimit>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnLimit {
    words: u32,
    /// `None` means the method's default.
    share: Option<f64>,
}

impl FromStr for OwnLimit {
    type Err = String;

    /// Parses `WORDS` or `WORDS,SHARE%`. `0` means 0 words and 0 %: a page counts as a copy only if it adds nothing at all.
    fn from_str(text: &str) -> std::result::Result<OwnLimit, String> {
        let (words, share) = match text.split_once(',') {
            Some((words, share)) => (words, Some(share)),
            None => (text, None),
        };
        let percent = |share: &str| {
            let number: f64 = share.trim().strip_suffix('%')?.trim_end().parse().ok()?;
            (0.0..=100.0).contains(&number).then_some(number / 100.0)
        };
        let words: Option<u32> = words.trim().parse().ok();
        match (words, share, share.and_then(percent)) {
            (Some(0), None, _) => Ok(OwnLimit {
                words: 0,
                share: Some(0.0),
            }),
            (Some(words), None, _) => Ok(OwnLimit { words, share: None }),
            (Some(words), Some(_), Some(share)) => Ok(OwnLimit {
                words,
                share: Some(share),
            }),
            _ => Err("WORDS or WORDS,SHARE% expected, as in 0, 50 or 50,20%".to_owned()),
        }
    }
}

impl OwnLimit {
    /// The parameters that it sets.
    pub fn settings(&self) -> Settings {
        let mut settings = Settings::new();
        settings.insert(OWN_WORDS.to_owned(), Value::Int(self.words.into()));
        if let Some(share) = self.share {
            settings.insert(SHARE.to_owned(), Value::Float(share));
        }
        settings
    }

    /// Adds the method's parameters to `settings`.
    ///
    /// Errors: there is no such method, or it does not count own passages.
    pub fn set(&self, method: &str, settings: &mut Settings) -> Result<()> {
        check(method)?;
        settings.extend(self.settings());
        Ok(())
    }

    /// Replaces the option `own` (text or a whole number) in a map of options ([`JudgeConfig::from_map`](crate::JudgeConfig::from_map)) by
    /// the parameters that it sets. Parameters given in `params` take precedence.
    ///
    /// Errors: those of [`OwnLimit::set`], and a malformed value.
    pub fn expand(options: &mut Map<String, Json>) -> Result<()> {
        let given = match options.remove("own") {
            None | Some(Json::Null) => return Ok(()),
            Some(Json::String(text)) => text,
            Some(other) => other.to_string(),
        };
        let limit: OwnLimit = given
            .parse()
            .map_err(|reason| Error::Usage(format!("own={given}: {reason}")))?;
        check(method_of(options)?)?;
        let params = options.entry("params").or_insert_with(|| Map::new().into());
        // Anything but an object is refused where options are read.
        if let Json::Object(params) = params {
            for (name, value) in limit.settings() {
                let value = serde_json::to_value(value).unwrap_or_default();
                params.entry(name).or_insert(value);
            }
        }
        Ok(())
    }
}

fn method_of(options: &Map<String, Json>) -> Result<&str> {
    let text = |name| options.get(name).and_then(Json::as_str);
    match (text("preset"), text("method")) {
        (Some(preset), _) => Ok(Preset::find(preset)?.method),
        (None, method) => Ok(method.unwrap_or(DEFAULT)),
    }
}

fn check(method: &str) -> Result<()> {
    if find(method)?.counts_own() {
        return Ok(());
    }
    let others = METHODS.iter().filter(|info| info.counts_own());
    let others: Vec<&str> = others.map(|info| info.name).collect();
    Err(Error::Usage(format!(
        "own: the method `{method}` does not look at passages that only one page has: it has no parameter {OWN_WORDS}; with it: {}",
        others.join(", ")
    )))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parsed(text: &str) -> Option<(u32, Option<f64>)> {
        let limit = text.parse::<OwnLimit>().ok();
        limit.map(|limit| (limit.words, limit.share))
    }

    #[test]
    fn words_and_share() {
        assert_eq!(parsed("0"), Some((0, Some(0.0))));
        assert_eq!(parsed("50"), Some((50, None)));
        assert_eq!(parsed("50,20%"), Some((50, Some(0.2))));
        assert_eq!(parsed(" 50 , 12.5 % "), Some((50, Some(0.125))));
        assert_eq!(parsed("0,5%"), Some((0, Some(0.05))));
        for wrong in [
            "", "x", "-1", "50,20", "50,", "50,x%", "50,101%", "50,-1%", "50%", "1.5",
        ] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_method_without_own_passages_is_named() {
        let limit: OwnLimit = "0".parse().unwrap();
        let error = limit.set("shingle", &mut Settings::new()).unwrap_err();
        let said = error.to_string();
        assert!(
            said.contains("`shingle`") && said.ends_with("with it: coverage"),
            "{said}"
        );
        let mut settings = Settings::new();
        limit.set("coverage", &mut settings).unwrap();
        assert_eq!(settings[OWN_WORDS], Value::Int(0));
        assert_eq!(settings[SHARE], Value::Float(0.0));
    }

    #[test]
    fn options_are_expanded_and_parameters_win() {
        let expanded = |options: Json| {
            let Json::Object(mut options) = options else {
                unreachable!()
            };
            OwnLimit::expand(&mut options).map(|()| Json::Object(options))
        };
        assert_eq!(
            expanded(json!({"own": "50,20%", "params": {"own_share": 0.3}})).unwrap(),
            json!({"params": {"own_words": 50, "own_share": 0.3}})
        );
        assert_eq!(
            expanded(json!({"own": 7})).unwrap(),
            json!({"params": {"own_words": 7}})
        );
        assert_eq!(
            expanded(json!({"own": null, "method": "period"})).unwrap(),
            json!({"method": "period"})
        );
        assert!(expanded(json!({"own": "0", "method": "period"})).is_err());
        assert!(expanded(json!({"own": "0", "preset": "ccdet"})).is_err());
        assert!(expanded(json!({"own": [1]})).is_err());
    }
}
