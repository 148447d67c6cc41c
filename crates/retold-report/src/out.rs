//! The output folder, written atomically.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use retold::{Error, Result};

/// Temporary folder for files until the commit.
const PARTIAL: &str = ".retold-partial";
/// Which files a run wrote, one a line, so that `--force` removes these and no others.
const MANIFEST: &str = ".retold-files";
/// Renamed last: if it exists, the folder is complete.
pub(crate) const SUMMARY: &str = "summary.json";

/// An output folder being written. If dropped before [`OutDir::commit`], its files are removed.
#[derive(Debug)]
pub struct OutDir {
    out: PathBuf,
    committed: bool,
}

impl OutDir {
    /// Makes the folder, or checks that it is empty; with `force`, removes what an earlier run wrote there.
    pub fn open(out: &Path, force: bool) -> Result<OutDir> {
        if out.exists() && !out.is_dir() {
            let message = format!("-o {}: this is a file; name a folder", out.display());
            return Err(Error::Usage(message));
        }
        fs::create_dir_all(out).map_err(Error::io("cannot make the folder", out))?;
        if force {
            remove_earlier(out)?;
        }
        let partial = out.join(PARTIAL);
        if partial.exists() {
            fs::remove_dir_all(&partial).map_err(Error::io("cannot remove", &partial))?;
        }
        if !force
            && fs::read_dir(out)
                .map_err(Error::io("cannot read", out))?
                .next()
                .is_some()
        {
            return Err(Error::Usage(format!(
                "-o {}: the folder is not empty; name another, or add --force to replace what an earlier run of \
                 retold wrote there (other files stay)",
                out.display()
            )));
        }
        fs::create_dir(&partial).map_err(Error::io("cannot make the folder", &partial))?;
        Ok(OutDir {
            out: out.to_owned(),
            committed: false,
        })
    }

    /// Where a file or folder with that final name is written for now.
    pub fn path(&self, name: &str) -> PathBuf {
        self.out.join(PARTIAL).join(name)
    }

    /// Creates a file that will get that name.
    pub fn create(&self, name: &str) -> Result<BufWriter<File>> {
        let path = self.path(name);
        let file = File::create(&path).map_err(Error::io("cannot write", &path))?;
        Ok(BufWriter::with_capacity(1 << 16, file))
    }

    /// Gives all files their names, the summary last.
    pub fn commit(mut self) -> Result<()> {
        let partial = self.out.join(PARTIAL);
        let mut files = Vec::new();
        list_files(&partial, Path::new(""), &mut files)?;
        let list: String = files.iter().map(|file| format!("{file}\n")).collect();
        let manifest = self.out.join(MANIFEST);
        fs::write(&manifest, list).map_err(Error::io("cannot write", &manifest))?;
        let mut names: Vec<String> = entries(&partial)?;
        names.sort_by_key(|name| (name == SUMMARY, name.clone()));
        for name in names {
            let to = self.out.join(&name);
            fs::rename(partial.join(&name), &to).map_err(Error::io("cannot write", &to))?;
        }
        fs::remove_dir(&partial).map_err(Error::io("cannot remove", &partial))?;
        self.committed = true;
        Ok(())
    }
}

impl Drop for OutDir {
    fn drop(&mut self) {
        if !self.committed {
            // Best effort on the way out of a failure, which is what gets reported.
            let _ = fs::remove_dir_all(self.out.join(PARTIAL));
        }
    }
}

/// The names in a folder, sorted.
fn entries(folder: &Path) -> Result<Vec<String>> {
    let failed = || Error::io("cannot read", folder);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed())? {
        names.push(
            entry
                .map_err(failed())?
                .file_name()
                .to_string_lossy()
                .into_owned(),
        );
    }
    names.sort();
    Ok(names)
}

fn list_files(root: &Path, below: &Path, files: &mut Vec<String>) -> Result<()> {
    for name in entries(&root.join(below))? {
        let path = below.join(name);
        if root.join(&path).is_dir() {
            list_files(root, &path, files)?;
        } else {
            files.push(path.to_string_lossy().into_owned());
        }
    }
    Ok(())
}

/// Removes the files that the manifest lists, the summary first, and folders that this leaves empty.
fn remove_earlier(out: &Path) -> Result<()> {
    let manifest = out.join(MANIFEST);
    let Ok(list) = fs::read_to_string(&manifest) else {
        return Ok(());
    };
    let mut files: Vec<&str> = list.lines().filter(|file| is_below(file)).collect();
    files.sort_by_key(|file| (*file != SUMMARY, *file));
    for file in files {
        let path = out.join(file);
        if let Err(error) = fs::remove_file(&path)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            return Err(Error::io("cannot remove", &path)(error));
        }
        let mut folder = path.parent();
        while let Some(parent) = folder.filter(|parent| *parent != out) {
            if fs::remove_dir(parent).is_err() {
                break;
            }
            folder = parent.parent();
        }
    }
    fs::remove_file(&manifest).map_err(Error::io("cannot remove", &manifest))
}

/// A manifest that somebody edited must not reach outside the folder.
fn is_below(file: &str) -> bool {
    let mut parts = Path::new(file).components();
    parts.all(|part| matches!(part, std::path::Component::Normal(_)))
}
