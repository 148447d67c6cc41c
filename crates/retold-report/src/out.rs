//! Writes the output folder atomically.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, percent_encode};
use retold::{Error, Result, Resume};

/// Folder for new files until the commit.
const PARTIAL: &str = ".retold-partial";
/// Locked by the run that writes; the text names it.
const LOCK: &str = ".retold-lock";
/// Journals of an interrupted run.
const RESUME: &str = ".retold-resume";
/// The files that a run wrote, one on each line, so that `--force` removes no others.
const MANIFEST: &str = ".retold-files";
/// Renamed last: if it exists, the folder is complete.
pub(crate) const SUMMARY: &str = "summary.json";
/// The model: configuration and learnt knowledge.
pub(crate) const MODEL: &str = "model.json";
/// Folder of the inputs without dropped pages.
pub(crate) const KEPT: &str = "kept";

/// An output folder being written. Files of an earlier run stay until [`OutDir::commit`]. If it is dropped before, the new files are
/// removed.
#[derive(Debug)]
pub struct OutDir {
    out: PathBuf,
    earlier: BTreeSet<PathBuf>,
    /// Whether this run created the folder; if so, it is removed when the run fails.
    is_new: bool,
    _lock: File,
}

impl OutDir {
    /// Creates the folder, or checks that it is empty. With `force`, files of an earlier run will be replaced. With `resume`, files of an
    /// interrupted run are accepted.
    ///
    /// Errors: there is a file with that name; the folder has other files, or a link where a run would write; another run writes there.
    pub fn open(out: &Path, force: bool, resume: bool) -> Result<OutDir> {
        if let Some((scheme, _)) = out.to_str().and_then(|out| out.split_once("://")) {
            return Err(Error::Usage(format!(
                "-o {}: {scheme}:// cannot be written by this build of retold; name a local folder, and copy it there afterwards \
                 (s3, gs and az are written by one with `--features remote`)",
                out.display()
            )));
        }
        let is_new = !out.exists();
        if !is_new && !out.is_dir() {
            let message = format!("-o {}: this is a file; name a folder", out.display());
            return Err(Error::Usage(message));
        }
        fs::create_dir_all(out).map_err(Error::io("cannot make the folder", out))?;
        let own = |name: &OsString| [PARTIAL, LOCK, RESUME].iter().any(|own| name == own);
        let interrupted = out.join(RESUME).exists();
        if !force && !resume && interrupted {
            return Err(Error::Usage(format!(
                "-o {}: there is an interrupted run; add --resume to continue it, or --force to start from the beginning",
                out.display()
            )));
        }
        // Journals are removed last, so a run that was killed while renaming can be resumed, too.
        let goes_on = resume && interrupted;
        if !force && !goes_on && !entries(out)?.iter().all(own) {
            return Err(Error::Usage(format!(
                "-o {}: the folder is not empty; name another, or add --force to replace what an earlier run of \
                 retold wrote there (other files stay)",
                out.display()
            )));
        }
        let earlier = earlier(out);
        refuse_link(out, &earlier)?;
        let lock = lock(out)?;
        let partial = out.join(PARTIAL);
        if partial.exists() {
            fs::remove_dir_all(&partial).map_err(Error::io("cannot remove", &partial))?;
        }
        fs::create_dir(&partial).map_err(Error::io("cannot make the folder", &partial))?;
        Ok(OutDir {
            out: out.to_owned(),
            earlier,
            is_new,
            _lock: lock,
        })
    }

    /// The temporary path of a file or folder with this final name.
    pub fn path(&self, name: &str) -> PathBuf {
        self.out.join(PARTIAL).join(name)
    }

    /// The folder for journals of a resumable run.
    pub(crate) fn resume(&self) -> PathBuf {
        self.out.join(RESUME)
    }

    /// Creates a file that will get that name.
    pub fn create(&self, name: &str) -> Result<BufWriter<File>> {
        let path = self.path(name);
        let file = File::create(&path).map_err(Error::io("cannot write", &path))?;
        Ok(BufWriter::with_capacity(1 << 16, file))
    }

    /// Gives all files their final names, the summary last, and removes files of an earlier run. If it is interrupted, there is no summary,
    /// and the manifest lists the files of both runs.
    ///
    /// Errors: a file that no run of retold wrote has one of the names; then nothing is changed.
    pub fn commit(self) -> Result<()> {
        let partial = self.out.join(PARTIAL);
        let mut files = Vec::new();
        list_files(&partial, Path::new(""), &mut files)?;
        files.sort_by_key(|file| (file == Path::new(SUMMARY), file.clone()));
        if let Some(file) = files.iter().find(|file| self.is_foreign(file)) {
            return Err(Error::Usage(format!(
                "{} exists and was not written by an earlier run of retold; move it away, or name another folder",
                self.out.join(file).display()
            )));
        }
        let new: BTreeSet<PathBuf> = files.iter().cloned().collect();
        refuse_link(&self.out, &new)?;
        let left: Vec<&PathBuf> = self.earlier.difference(&new).collect();
        self.write_manifest(new.union(&self.earlier))?;
        remove(&self.out, Path::new(SUMMARY))?;
        for file in left {
            remove(&self.out, file)?;
        }
        for file in &files {
            let to = self.out.join(file);
            if let Some(folder) = to.parent() {
                fs::create_dir_all(folder).map_err(Error::io("cannot make the folder", folder))?;
            }
            fs::rename(partial.join(file), &to).map_err(Error::io("cannot write", &to))?;
        }
        let kept = self.out.join(KEPT);
        if partial.join(KEPT).is_dir() {
            fs::create_dir_all(&kept).map_err(Error::io("cannot make the folder", &kept))?;
        }
        self.write_manifest(new.iter())?;
        fs::remove_dir_all(&partial).map_err(Error::io("cannot remove", &partial))?;
        Resume::done(&self.resume())
    }

    /// Whether a file with that name exists that may not be replaced.
    fn is_foreign(&self, file: &Path) -> bool {
        !self.earlier.contains(file) && self.out.join(file).exists()
    }

    fn write_manifest<'a>(&self, files: impl Iterator<Item = &'a PathBuf>) -> Result<()> {
        let list: String = files.map(|file| line_of(file) + "\n").collect();
        let (new, manifest) = (self.path(MANIFEST), self.out.join(MANIFEST));
        fs::write(&new, list)
            .and_then(|()| fs::rename(&new, &manifest))
            .map_err(Error::io("cannot write", &manifest))
    }
}

impl Drop for OutDir {
    fn drop(&mut self) {
        // Best effort: after a failure, only the failure is reported.
        let _ = fs::remove_dir_all(self.out.join(PARTIAL));
        let _ = fs::remove_file(self.out.join(LOCK));
        if self.is_new {
            // Fails if the folder is not empty.
            let _ = fs::remove_dir(&self.out);
        }
    }
}

pub(crate) fn is_output(folder: &Path) -> bool {
    folder.join(MANIFEST).is_file()
}

/// Whether a folder has all that a run writes.
pub(crate) fn is_complete(folder: &Path) -> bool {
    is_output(folder) && folder.join(SUMMARY).is_file() && !folder.join(RESUME).exists()
}

fn entries(folder: &Path) -> Result<Vec<OsString>> {
    let failed = || Error::io("cannot read", folder);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed())? {
        names.push(entry.map_err(failed())?.file_name());
    }
    names.sort();
    Ok(names)
}

fn list_files(root: &Path, below: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for name in entries(&root.join(below))? {
        let path = below.join(name);
        if root.join(&path).is_dir() {
            list_files(root, &path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// A file as a line of the manifest. If the name is not UTF-8 or has line ends, it is percent-encoded after a slash; no other line begins
/// with a slash.
fn line_of(file: &Path) -> String {
    match file.to_str().filter(|name| !name.contains(['\r', '\n'])) {
        Some(name) => name.to_owned(),
        None => {
            let bytes = file.as_os_str().as_encoded_bytes();
            format!("/{}", percent_encode(bytes, NON_ALPHANUMERIC))
        }
    }
}

fn file_of(line: &str) -> PathBuf {
    let Some(written) = line.strip_prefix('/') else {
        return line.into();
    };
    let bytes: Vec<u8> = percent_decode_str(written).collect();
    #[cfg(unix)]
    let name: OsString = std::os::unix::ffi::OsStringExt::from_vec(bytes);
    #[cfg(not(unix))]
    let name: OsString = String::from_utf8_lossy(&bytes).into_owned().into();
    name.into()
}

fn lock(out: &Path) -> Result<File> {
    let path = out.join(LOCK);
    let failed = || Error::io("cannot write", &path);
    let options = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path);
    let mut file = options.map_err(failed())?;
    match file.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => {
            let holder = fs::read_to_string(&path).unwrap_or_default();
            return Err(Error::Usage(format!(
                "-o {}: another run of retold ({}) is writing there; wait for it, or name another folder",
                out.display(),
                holder.trim()
            )));
        }
        Err(fs::TryLockError::Error(error)) => return Err(failed()(error)),
    }
    file.set_len(0).map_err(failed())?;
    let holder = format!("process {}\n", std::process::id());
    file.write_all(holder.as_bytes()).map_err(failed())?;
    Ok(file)
}

fn earlier(out: &Path) -> BTreeSet<PathBuf> {
    let list = fs::read_to_string(out.join(MANIFEST)).unwrap_or_default();
    let files = list.lines().map(file_of);
    files.filter(|file| is_below(file)).collect()
}

/// Removes a file, and the folders that become empty.
fn remove(out: &Path, file: &Path) -> Result<()> {
    let path = out.join(file);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::io("cannot remove", &path)(error));
        }
        _ => {}
    }
    let mut folder = path.parent();
    while let Some(parent) = folder.filter(|parent| *parent != out) {
        if fs::remove_dir(parent).is_err() {
            break;
        }
        folder = parent.parent();
    }
    Ok(())
}

/// Refuses a link in the place of a folder of these files, or of what a run opens by its final name: all below it would be written, or removed,
/// where it leads to. Other files are renamed to their places, which replaces a link.
fn refuse_link(out: &Path, files: &BTreeSet<PathBuf>) -> Result<()> {
    let folders = files.iter().flat_map(|file| file.ancestors().skip(1));
    let mut names: BTreeSet<&Path> = folders.collect();
    names.extend([PARTIAL, LOCK, RESUME, KEPT].map(Path::new));
    // The folder itself may be a link.
    names.remove(Path::new(""));
    let mut paths = names.into_iter().map(|name| out.join(name));
    match paths.find(|path| path.is_symlink()) {
        None => Ok(()),
        Some(link) => Err(Error::Usage(format!(
            "{} is a link, and what it leads to would be changed; remove it, or name another folder",
            link.display()
        ))),
    }
}

/// Rejects paths outside the folder, in case the manifest was edited.
fn is_below(file: &Path) -> bool {
    let mut parts = file.components();
    parts.all(|part| matches!(part, std::path::Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(folder: &Path) -> Result<OutDir> {
        let out = OutDir::open(folder, false, true)?;
        fs::create_dir_all(out.resume()).unwrap();
        fs::create_dir(out.path("kept")).unwrap();
        for file in ["kept/in.jsonl", "pairs.jsonl", SUMMARY] {
            fs::write(out.path(file), file).unwrap();
        }
        Ok(out)
    }

    #[cfg(unix)]
    #[test]
    fn any_name_of_a_file_goes_through_the_manifest() {
        use std::os::unix::ffi::OsStrExt;
        let gbk = std::ffi::OsStr::from_bytes(b"kept/\xce\xc4%20.txt");
        for name in [
            gbk.as_ref(),
            Path::new("kept/a\nb"),
            Path::new("kept/100%25 ,.txt"),
        ] {
            let line = line_of(name);
            assert_eq!((line.lines().count(), file_of(&line)), (1, name.to_owned()));
            assert!(is_below(&file_of(&line)));
        }
        assert!(!is_below(&file_of("/%2Fetc")) && !is_below(&file_of("/a%2F..%2Fb")));
    }

    #[test]
    fn a_run_killed_at_any_moment_of_its_commit_goes_on() {
        let files = ["kept/in.jsonl", "pairs.jsonl", SUMMARY];
        // Interrupt at every step: before the manifest is written, after each renamed file, and after the partial folder is removed.
        for step in 0..=files.len() + 2 {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            let out = written(folder.path()).unwrap();
            if step > 0 {
                out.write_manifest([SUMMARY, files[0], files[1]].map(PathBuf::from).iter())
                    .unwrap();
                fs::create_dir_all(at("kept")).unwrap();
            }
            for file in files.iter().take(step.saturating_sub(1)) {
                fs::rename(out.path(file), at(file)).unwrap();
            }
            if step == files.len() + 2 {
                fs::remove_dir_all(at(PARTIAL)).unwrap();
            }
            // A killed process removes nothing, but its locks are released.
            let killed = std::mem::ManuallyDrop::new(out);
            killed._lock.unlock().unwrap();

            let refused = OutDir::open(folder.path(), false, false).unwrap_err();
            assert!(
                refused.to_string().contains("--resume"),
                "{step}: {refused}"
            );
            written(folder.path()).unwrap().commit().unwrap();
            for file in files {
                assert_eq!(fs::read_to_string(at(file)).unwrap(), file, "{step}");
            }
            assert_eq!(
                entries(folder.path()).unwrap(),
                [MANIFEST, "kept", "pairs.jsonl", SUMMARY],
                "{step}"
            );
            let refused = OutDir::open(folder.path(), false, true).unwrap_err();
            assert!(
                refused.to_string().contains("not empty"),
                "{step}: {refused}"
            );
        }
    }
}
