//! Real sets, with everything in memory and with nothing in it.

use std::path::{Path, PathBuf};

use super::*;
use crate::read::discover;
use crate::spill::Memory;

/// The pages of a labelled set, if the data is on this machine.
fn pages_of(set: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("RETOLD_DATA") {
        Some(root) => PathBuf::from(root),
        None => Path::new(&std::env::var_os("HOME")?).join(".cache/retold-data"),
    };
    let pages = ["pages", "pages.jsonl"].map(|name| root.join(set).join(name));
    pages.into_iter().find(|pages| pages.exists())
}

#[test]
fn sets_are_the_same_in_memory_and_in_files() {
    let folder = tempfile::tempdir().unwrap();
    for set in ["webis", "wooyun", "eventmonitor", "families"] {
        let Some(pages) = pages_of(set) else {
            println!("skipped: no data");
            continue;
        };
        let run = |memory: Memory| {
            let model = Model::new(Config::default()).unwrap();
            let sources = discover(std::slice::from_ref(&pages), &model.config().read).unwrap();
            let found = find(sources, model, &memory, (FAMILY, CROWD), None, &()).unwrap();
            (found, memory.on_disk())
        };
        let (held, none) = run(Memory::default());
        assert!(none == 0 && held.pairs.len() > 100, "{set}");
        let (spilled, some) = run(Memory::none(folder.path()));
        assert!(some > 1 << 20, "{set}: {some} bytes in files");
        assert!(held.pairs == spilled.pairs, "{set}");
        assert_eq!(held.clusters, spilled.clusters, "{set}");
        assert_eq!(held.dropped, spilled.dropped, "{set}");
        assert_eq!(held.model.knowledge(), spilled.model.knowledge(), "{set}");
    }
}
