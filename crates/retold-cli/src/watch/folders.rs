//! Files of a folder that are new, or were changed since they were read.

use std::collections::BTreeSet;

use retold::Result;
use retold::read::{ReadOptions, Source, discover};

use super::config::Folder;
use super::state::{Stamp, State};

/// A file as it is now.
pub struct Changed {
    pub source: Source,
    /// What it is called in the state.
    pub name: String,
    pub stamp: Stamp,
}

/// The files of a folder that have to be read. Files that no longer exist are forgotten.
pub fn changed(folder: &Folder, state: &mut State, read: &ReadOptions) -> Result<Vec<Changed>> {
    let sources = discover(std::slice::from_ref(&folder.path), read)?;
    let mut there = BTreeSet::new();
    let mut changed = Vec::new();
    for source in sources {
        let name = source.path.to_string_lossy().into_owned();
        let Ok(file) = std::fs::metadata(&source.path) else {
            continue;
        };
        let stamp = (file.len(), file.modified().ok());
        if state.files.get(&name) != Some(&stamp) {
            changed.push(Changed {
                source,
                name: name.clone(),
                stamp,
            });
        }
        there.insert(name);
    }
    let root = folder.path.to_string_lossy();
    let is_below = |name: &str| std::path::Path::new(name).starts_with(&*root);
    state
        .files
        .retain(|name, _| !is_below(name) || there.contains(name));
    Ok(changed)
}
