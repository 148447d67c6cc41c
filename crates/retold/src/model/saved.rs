//! Models in files.

use std::path::Path;

use super::file::{Saved, VERSION, parse};
use super::judge::Model;
use crate::config::JudgeConfig;
use crate::error::{Error, Result};

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

    /// Reads the JSON of [`Model::to_json`]. Relative paths in it are resolved against `directory`.
    ///
    /// Errors: another version, malformed JSON, and those of [`Model::new`].
    pub fn from_json(json: &str, directory: &Path) -> Result<Model> {
        let saved = parse(json).map_err(Error::Usage)?;
        let config = JudgeConfig::from_saved(saved.config)?.below(directory);
        Model::knowing(config, saved.knowledge)
    }
}
