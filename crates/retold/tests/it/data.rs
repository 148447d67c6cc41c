//! Labelled sets for tests: the output says which tests did not run because of missing data.

use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder of a labelled set. `None` if it is not on this machine, which is said on the standard error, where the test
/// harness does not hide it.
///
/// Panics if `$RETOLD_DATA` says where the sets are and this one is not there.
pub fn labelled_set(name: &str) -> Option<PathBuf> {
    let stated = std::env::var_os("RETOLD_DATA").filter(|root| !root.is_empty());
    let root = match &stated {
        Some(root) => PathBuf::from(root),
        None => Path::new(&std::env::var_os("HOME").unwrap_or_default()).join(".cache/retold-data"),
    };
    let set = root.join(name);
    if set.is_dir() {
        return Some(set);
    }
    assert!(
        stated.is_none(),
        "RETOLD_DATA is set, and there is no {}",
        set.display()
    );
    let _ = writeln!(std::io::stderr(), "skipped: no data ({name})");
    None
}
