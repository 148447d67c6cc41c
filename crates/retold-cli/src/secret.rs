//! Files that hold a secret.

use std::path::Path;

use retold::{Error, Result};

/// Whether only its owner may read the file, as ssh wants it of keys. `option`: what named it.
#[cfg(unix)]
pub fn check_private(option: &str, path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let file = std::fs::metadata(path).map_err(Error::io("cannot read", path))?;
    match file.permissions().mode() & 0o077 {
        0 => Ok(()),
        _ => Err(Error::usage(format!(
            "{option} {0}: others can read it; run `chmod 600 {0}` so that only you can",
            path.display()
        ))),
    }
}

/// Who may read a file is not said by a mode here.
#[cfg(not(unix))]
pub fn check_private(_: &str, _: &Path) -> Result<()> {
    Ok(())
}
