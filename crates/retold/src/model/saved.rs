//! Models in files.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Model;
use super::options::in_file;
use crate::config::{FileRef, JudgeConfig};
use crate::error::{Error, Result};
use crate::knowledge::Knowledge;
use crate::method::MethodInfo;

/// The form of a model in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    version: u32,
    config: serde_json::Value,
    knowledge: Option<Knowledge>,
}

/// The version of the form.
const VERSION: u32 = 1;

impl Model {
    /// The model as JSON, for [`Model::from_json`].
    pub fn to_json(&self) -> String {
        let saved = Saved {
            version: VERSION,
            config: self.0.config.to_map().into(),
            knowledge: self.knowledge().cloned(),
        };
        serde_json::to_string(&saved).expect("plain values can be written")
    }

    /// The model that [`Model::to_json`] wrote. Relative paths in it are taken from `directory`.
    ///
    /// Errors: another version, a form that is not a model's, and those of [`Model::new`].
    pub fn from_json(json: &str, directory: &Path) -> Result<Model> {
        let saved = parse(json).map_err(Error::Usage)?;
        let config = JudgeConfig::from_saved(saved.config)?.below(directory);
        Model::knowing(config, saved.knowledge)
    }
}

fn parse(json: &str) -> std::result::Result<Saved, String> {
    let saved: Saved = serde_json::from_str(json).map_err(|e| format!("this is no model: {e}"))?;
    if saved.version != VERSION {
        return Err(format!(
            "a model of version {}; this release reads version {VERSION}",
            saved.version
        ));
    }
    Ok(saved)
}

/// What the model in a file has learnt, which must be of the same method.
pub(super) fn learnt_elsewhere(file: &mut FileRef, info: &MethodInfo) -> Result<Knowledge> {
    let json = file.read("--knowledge")?;
    let saved = parse(&json).map_err(|e| in_file("--knowledge", file, &e))?;
    let method = saved.config["method"].as_str().unwrap_or_default();
    if method != info.name {
        let what = format!("it was learnt for the method {method}, not {}", info.name);
        return Err(in_file("--knowledge", file, &what));
    }
    let nothing = || format!("the method {method} learns nothing from a collection");
    saved
        .knowledge
        .ok_or_else(|| in_file("--knowledge", file, &nothing()))
}
