//! The file form of a model.

use serde::{Deserialize, Serialize};

use crate::config::FileRef;
use crate::error::{Error, Result};
use crate::knowledge::Knowledge;
use crate::method::MethodInfo;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Saved {
    pub(super) version: u32,
    pub(super) config: serde_json::Value,
    pub(super) knowledge: Option<Knowledge>,
}

/// The version of the file form.
pub(super) const VERSION: u32 = 1;

pub(super) fn parse(json: &str) -> std::result::Result<Saved, String> {
    let saved: Saved = serde_json::from_str(json).map_err(|e| format!("this is no model: {e}"))?;
    if saved.version != VERSION {
        return Err(format!(
            "a model of version {}; this release reads version {VERSION}",
            saved.version
        ));
    }
    Ok(saved)
}

/// The knowledge of a model file, which must be of the same method.
pub(super) fn knowledge_in(file: &mut FileRef, info: &MethodInfo) -> Result<Knowledge> {
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

pub(super) fn in_file(option: &str, file: &FileRef, what: &str) -> Error {
    Error::Usage(format!("{option} {}: {what}", file.path.display()))
}
