//! From INPUTs to the list of files, with the names used in messages, ids and `kept/`.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::fs::FileType;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::file_name::spelled;
use super::options::ReadOptions;
use super::remote::{self, Fault, Remote, RemoteInput};
use super::source::{Source, stamp};
use crate::error::{Error, Result};

/// One INPUT before its files become sources.
struct Input {
    /// Its absolute path.
    path: PathBuf,
    /// The parts of its path that can name it; the last `depth` of them are its name.
    parts: Vec<OsString>,
    depth: usize,
    directory: bool,
    /// Its files: path on disk, and path below the INPUT (empty for a single file).
    files: Vec<(PathBuf, PathBuf)>,
    /// Its files if they are in a remote store.
    remote: Vec<(Remote, u64)>,
    /// Whether the names of its files begin with its own name.
    prefixed: bool,
}

impl Input {
    fn new(path: &Path) -> Result<Input> {
        let found = std::fs::metadata(path).map_err(|error| {
            Error::usage(format!("cannot read INPUT {}: {error}", path.display()))
        })?;
        if !found.is_dir() && !found.is_file() {
            return Err(Error::usage(format!(
                "INPUT {} is neither a file nor a folder, and it has to be read twice; \
                 pipe JSON Lines in with `-` instead",
                path.display()
            )));
        }
        // `.` and `..` have no name of their own, but the folder that they mean has.
        let absolute = match path.file_name() {
            Some(_) => std::path::absolute(path),
            None => std::fs::canonicalize(path),
        }
        .map_err(Error::io("cannot read INPUT", path))?;
        let parts = absolute
            .components()
            .filter_map(|part| match part {
                Component::Normal(name) => Some(name.to_owned()),
                _ => None,
            })
            .collect::<Vec<_>>();
        Ok(Input {
            directory: found.is_dir(),
            depth: 1,
            files: Vec::new(),
            remote: Vec::new(),
            prefixed: false,
            path: absolute,
            parts,
        })
    }

    /// The files that a URL names, without those that are already listed.
    fn remote(input: RemoteInput, fault: &Arc<Fault>, seen: &mut HashSet<PathBuf>) -> Input {
        let new = input.files.iter();
        let new = new.filter(|file| seen.insert(PathBuf::from(&file.url)));
        let (files, remote) = new
            .map(|file| {
                let place = (PathBuf::from(&file.url), PathBuf::from(&file.below));
                (place, (Remote::new(file, fault), file.size))
            })
            .unzip();
        Input {
            path: input.url.into(),
            parts: input.parts.into_iter().map(OsString::from).collect(),
            depth: 1,
            directory: input.is_folder,
            files,
            remote,
            prefixed: false,
        }
    }

    /// The INPUT's name: the shortest unique end of its path.
    fn name(&self) -> String {
        slashed(&self.end())
    }

    /// [`Input::name`] as a path.
    fn end(&self) -> PathBuf {
        let first = self.parts.len().saturating_sub(self.depth);
        self.parts[first..].iter().collect()
    }

    fn source_name(&self, below: &Path) -> String {
        match (self.directory, self.prefixed) {
            (false, false) => {
                let name = self.parts.last().map(OsString::as_os_str);
                spelled(name.unwrap_or(OsStr::new(""))).into_owned()
            }
            (false, true) => self.name(),
            (true, false) => slashed(below),
            (true, true) => format!("{}/{}", self.name(), slashed(below)),
        }
    }

    fn sources(&self, options: &ReadOptions) -> impl Iterator<Item = Source> {
        self.files.iter().enumerate().map(|(place, (path, below))| {
            let remote = self.remote.get(place);
            let stamp = remote.map_or_else(|| stamp(path), |_| None);
            Source {
                pages: None,
                path: path.clone(),
                name: self.source_name(below),
                kept: match self.directory {
                    true => self.end().join(below),
                    false => self.end(),
                },
                site: options.site_dir.and_then(|level| directory(below, level)),
                stamp,
                is_special: remote.is_none()
                    && std::fs::metadata(path).is_ok_and(|found| is_special(found.file_type())),
                facts: Default::default(),
                size: match remote {
                    Some((_, size)) => *size,
                    None => stamp.map_or(0, |(size, _)| size),
                },
                remote: remote.map(|(remote, _)| remote.clone()),
            }
        })
    }
}

/// Lists the files of INPUTs. Directories are searched recursively and everything is sorted by name, so neither the order of INPUTs nor
/// that of directory entries matters. Names are settled here (see [`Source::name`]).
///
/// Hidden files and folders below an INPUT are left out. Symbolic links are followed, but a file or folder that can be reached in several
/// ways is listed once. Pipes, sockets and devices are listed, and skipped when they are read. An INPUT may be a pattern ([`expand`]), or a
/// URL if the program has registered a store ([`super::set_remote_store`]).
pub fn discover(inputs: &[PathBuf], options: &ReadOptions) -> Result<Vec<Source>> {
    let inputs = expand(inputs)?;
    let (urls, paths): (Vec<&PathBuf>, Vec<&PathBuf>) = inputs
        .iter()
        .partition(|input| remote::url(input).is_some());
    let found = paths.into_iter().map(|path| Input::new(path));
    let mut found = found.collect::<Result<Vec<_>>>()?;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    let mut walk = Walk::default();
    for input in &mut found {
        input.files = walk.files(&input.path, input.directory);
    }
    found.extend(remote_inputs(&urls)?);
    found.retain(|input| !input.files.is_empty());
    tell_apart(&mut found);
    prefix_where_needed(&mut found);
    let mut sources = found
        .iter()
        .flat_map(|input| input.sources(options))
        .collect::<Vec<_>>();
    sources.sort_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
    keep_apart(&mut sources);
    Ok(sources)
}

/// Renames the kept file of `x.wacz` from `x.wacz.warc.gz` to `x.wacz.2.warc.gz` if an input has that very name.
fn keep_apart(sources: &mut [Source]) {
    let mut taken: HashSet<PathBuf> = sources.iter().map(|source| source.kept.clone()).collect();
    for source in sources {
        let is_wacz = |ending: &OsStr| ending.eq_ignore_ascii_case("wacz");
        if source.kept.extension().is_some_and(is_wacz) {
            let written = |kept: &Path| with_ending(kept, ".warc.gz");
            let others = (2..).map(|number| with_ending(&source.kept, &format!(".{number}")));
            let mut names = std::iter::once(source.kept.clone()).chain(others);
            if let Some(free) = names.find(|kept| taken.insert(written(kept))) {
                source.kept = free;
            }
        }
    }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// The INPUTs that URLs name; a file that several URLs reach belongs to the first.
fn remote_inputs(urls: &[&PathBuf]) -> Result<Vec<Input>> {
    let mut found = Vec::new();
    for url in urls.iter().filter_map(|url| remote::url(url)) {
        found.extend(remote::list(url)?);
    }
    found.sort_by(|a, b| a.url.cmp(&b.url));
    let (fault, mut seen) = (Arc::default(), HashSet::new());
    let inputs = found.into_iter();
    Ok(inputs
        .map(|input| Input::remote(input, &fault, &mut seen))
        .collect())
}

/// Replaces patterns (`*`, `?`, `[a-z]`, `**`) with the files and folders that they match, as a shell does. An existing file of that exact
/// name is not taken for a pattern, and patterns in URLs are left to the store.
///
/// Errors: a pattern matches nothing.
pub fn expand(inputs: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for input in inputs {
        let pattern = input.to_str().filter(|name| name.contains(['*', '?', '[']));
        match pattern.filter(|_| remote::url(input).is_none() && !input.exists()) {
            Some(pattern) => found.extend(matching(pattern)?),
            None => found.push(input.clone()),
        }
    }
    Ok(found)
}

/// The files and folders that a pattern matches, sorted.
fn matching(pattern: &str) -> Result<Vec<PathBuf>> {
    let failed =
        |reason: &dyn Display| Error::usage(format!("cannot read INPUT {pattern}: {reason}"));
    let options = glob::MatchOptions {
        require_literal_leading_dot: true,
        ..Default::default()
    };
    let paths = glob::glob_with(pattern, options).map_err(|error| failed(&error))?;
    let paths: Vec<PathBuf> = paths.flatten().collect();
    match paths.is_empty() {
        true => Err(failed(
            &"there is no file of that name, and none matches it as a pattern",
        )),
        false => Ok(paths),
    }
}

/// Lengthens the names of INPUTs until no name equals another or is a folder above another.
fn tell_apart(inputs: &mut [Input]) {
    loop {
        let names = inputs.iter().map(Input::name).collect::<Vec<_>>();
        let mut order = (0..inputs.len()).collect::<Vec<_>>();
        order.sort_by_key(|place| names[*place].replace('/', "\0"));
        let mut clashing = BTreeSet::new();
        // Sorted by parts, a name comes directly before the names that begin with it; `first` is the last such beginning.
        let mut first: Option<usize> = None;
        for place in order {
            match first {
                Some(before) if within(&names[place], &names[before]) => {
                    clashing.extend([before, place])
                }
                _ => first = Some(place),
            }
        }
        let mut grown = false;
        for place in clashing {
            let input = &mut inputs[place];
            if input.depth < input.parts.len() {
                input.depth += 1;
                grown = true;
            }
        }
        if !grown {
            return;
        }
    }
}

/// Whether `path` is `folder` or lies below it.
fn within(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// If two INPUTs share a file name, puts the INPUT's name before the names of all its files.
fn prefix_where_needed(inputs: &mut [Input]) {
    loop {
        let mut owners: BTreeMap<String, usize> = BTreeMap::new();
        let mut clashing = BTreeSet::new();
        for (place, input) in inputs.iter().enumerate() {
            for (_, below) in &input.files {
                let owner = *owners.entry(input.source_name(below)).or_insert(place);
                if owner != place {
                    clashing.extend([owner, place]);
                }
            }
        }
        let mut changed = false;
        for place in clashing {
            changed |= !std::mem::replace(&mut inputs[place].prefixed, true);
        }
        if !changed {
            return;
        }
    }
}

/// The `level`-th folder above a file, counted down from the INPUT.
fn directory(below: &Path, level: usize) -> Option<String> {
    let folders = below.parent()?;
    let part = folders.components().nth(level.checked_sub(1)?)?;
    Some(spelled(part.as_os_str()).into_owned())
}

/// A relative path with `/` between its parts on every system.
fn slashed(path: &Path) -> String {
    let parts = path.components().map(|part| spelled(part.as_os_str()));
    parts.collect::<Vec<_>>().join("/")
}

/// Whether a path is neither a file nor a folder.
fn is_special(kind: FileType) -> bool {
    !kind.is_file() && !kind.is_dir()
}

/// Removes the files in `folder` and below it; `folder` is canonical.
pub fn leave_out(sources: &mut Vec<Source>, folder: &Path) {
    let mut parents: HashMap<PathBuf, bool> = HashMap::new();
    let is_below = |path: &Path| {
        path.canonicalize()
            .is_ok_and(|path| path.starts_with(folder))
    };
    sources.retain(|source| {
        // For a plain file it is enough to check its folder, once for all files in it.
        let parent = source.path.parent();
        let parent = parent.filter(|parent| !parent.as_os_str().is_empty());
        !match parent.filter(|_| !source.path.is_symlink()) {
            Some(parent) => match parents.get(parent) {
                Some(&known) => known,
                None => *parents.entry(parent.to_owned()).or_insert(is_below(parent)),
            },
            None => is_below(&source.path),
        }
    });
}

/// Walks folders and lists each file once, however it is reached. This ends loops of symbolic links, and a file below two INPUTs is read
/// once.
#[derive(Default)]
struct Walk {
    seen: HashSet<PathBuf>,
}

impl Walk {
    /// The files below `top`, or `top` itself, each with its path below `top`.
    fn files(&mut self, top: &Path, directory: bool) -> Vec<(PathBuf, PathBuf)> {
        let mut files = Vec::new();
        let real = std::fs::canonicalize(top).unwrap_or_else(|_| top.to_owned());
        if !self.seen.insert(real.clone()) {
            return files;
        }
        if !directory {
            return vec![(top.to_owned(), PathBuf::new())];
        }
        // Symbolic links come last, so that a file gets its own name rather than a link's.
        let mut links = Vec::new();
        self.folder(&real, Path::new(""), &mut files, &mut links);
        while !links.is_empty() {
            links.sort();
            let mut further = Vec::new();
            for below in links {
                self.link(top, below, &mut files, &mut further);
            }
            links = further;
        }
        files
            .iter_mut()
            .for_each(|(path, below)| *path = top.join(below));
        files
    }

    /// Lists a folder that has not been listed yet. `real` is its path without symbolic links.
    fn folder(
        &mut self,
        real: &Path,
        below: &Path,
        files: &mut Vec<(PathBuf, PathBuf)>,
        links: &mut Vec<PathBuf>,
    ) {
        let Ok(entries) = std::fs::read_dir(real) else {
            // Reading it as a file fails in the same way, and the reject says so.
            files.push((real.to_owned(), below.to_owned()));
            return;
        };
        let mut entries = entries
            .flatten()
            // Hidden files (`.git`, `.DS_Store`) are not pages. A hidden file that is named as INPUT is read.
            .filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."))
            .collect::<Vec<_>>();
        entries.sort_by_key(|entry| entry.file_name());
        for entry in entries {
            let below = below.join(entry.file_name());
            let kind = entry.file_type().ok();
            if kind.is_some_and(|kind| kind.is_symlink()) {
                links.push(below);
            } else {
                self.entry(real.join(entry.file_name()), below, kind, files, links);
            }
        }
    }

    fn entry(
        &mut self,
        real: PathBuf,
        below: PathBuf,
        kind: Option<FileType>,
        files: &mut Vec<(PathBuf, PathBuf)>,
        links: &mut Vec<PathBuf>,
    ) {
        let Some(kind) = kind else {
            return;
        };
        if !self.seen.insert(real.clone()) {
            return;
        }
        if kind.is_dir() {
            self.folder(&real, &below, files, links);
        } else {
            files.push((real, below));
        }
    }

    fn link(
        &mut self,
        top: &Path,
        below: PathBuf,
        files: &mut Vec<(PathBuf, PathBuf)>,
        links: &mut Vec<PathBuf>,
    ) {
        match std::fs::canonicalize(top.join(&below)) {
            Ok(real) => {
                let kind = std::fs::metadata(&real).ok().map(|found| found.file_type());
                self.entry(real, below, kind, files, links);
            }
            // A broken link: opening it gives the reject.
            Err(_) => files.push((top.join(&below), below)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Folder;
    use super::*;

    fn names(sources: &[Source]) -> Vec<(&str, String)> {
        let kept = |source: &Source| source.kept.to_string_lossy().into_owned();
        sources
            .iter()
            .map(|source| (source.name.as_str(), kept(source)))
            .collect()
    }

    #[test]
    fn folders_are_walked_sorted_whatever_their_names() {
        let folder = Folder::new(&[
            ("in/b.html", b""),
            ("in/a/z.txt", b""),
            ("in/x.html/index.html", b""),
            ("in/.git/config", b""),
        ]);
        let found = folder.sources(&["in"]);
        let expected = ["a/z.txt", "b.html", "x.html/index.html"];
        assert_eq!(
            names(&found),
            expected.map(|name| (name, format!("in/{name}")))
        );
    }

    #[test]
    fn the_order_of_inputs_does_not_matter_and_none_is_read_twice() {
        let folder = Folder::new(&[("in/b.html", b""), ("in/a/z.txt", b""), ("c.txt", b"")]);
        let once = folder.sources(&["in", "c.txt"]);
        assert_eq!(
            names(&once),
            names(&folder.sources(&["c.txt", "in/a", "in", "c.txt", "in/b.html"]))
        );
        assert_eq!(once.len(), 3);
    }

    #[test]
    fn colliding_names_get_as_much_of_the_path_as_tells_them_apart() {
        let folder = Folder::new(&[
            ("one/in/p.html", b""),
            ("two/in/p.html", b""),
            ("three/q.html", b""),
            ("x/f.txt", b""),
            ("y/f.txt", b""),
        ]);
        let found = folder.sources(&["one/in", "two/in", "three", "x/f.txt", "y/f.txt"]);
        let own = |name: &'static str| (name, name.to_owned());
        assert_eq!(
            names(&found),
            [
                own("one/in/p.html"),
                ("q.html", "three/q.html".into()),
                own("two/in/p.html"),
                own("x/f.txt"),
                own("y/f.txt")
            ]
        );
    }

    #[test]
    fn what_is_kept_of_an_archive_has_a_name_of_its_own() {
        let names = [
            "x.wacz",
            "x.wacz.2.warc.gz",
            "x.wacz.warc.gz",
            "y.WACZ",
            "z.wacz.warc.gz",
        ];
        let folder = Folder::new(&names.map(|name| (name, &b"text"[..])));
        let all = folder.sources(&["."]);
        let kept = all
            .iter()
            .map(|source| source.kept.file_name().unwrap().to_str().unwrap());
        let expected = [
            "x.wacz.3",
            "x.wacz.2.warc.gz",
            "x.wacz.warc.gz",
            "y.WACZ",
            "z.wacz.warc.gz",
        ];
        assert_eq!(kept.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn no_kept_path_is_inside_another() {
        let folder = Folder::new(&[("x/a", b"f"), ("y/a/b/f", b"g"), ("z/b/f", b"h")]);
        let found = folder.sources(&["x/a", "y/a/b", "z/b"]);
        let kept = found.iter().map(|source| &source.kept).collect::<Vec<_>>();
        assert_eq!(kept.len(), 3);
        for a in &kept {
            assert_eq!(
                kept.iter().filter(|b| b.starts_with(a)).count(),
                1,
                "{kept:?}"
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_utf_8_stay_apart_and_are_kept() {
        use std::os::unix::ffi::OsStrExt;
        let folder = Folder::new(&[]);
        let gbk = |bytes: &[u8]| PathBuf::from(OsStr::from_bytes(bytes));
        let names = [gbk(b"\xce\xc4.txt"), gbk(b"\xd5\xc2.txt")];
        std::fs::create_dir(folder.path("in")).unwrap();
        for name in &names {
            std::fs::write(folder.path("in").join(name), "text").unwrap();
        }
        let found = folder.sources(&["in"]);
        let told: Vec<&str> = found.iter().map(|source| &*source.name).collect();
        assert_eq!(told, ["%CE%C4.txt", "%D5%C2.txt"]);
        let kept = found.iter().map(|source| source.kept.clone());
        assert!(kept.eq(names.iter().map(|name| Path::new("in").join(name))));
        let input = folder.path("in").join(&names[0]);
        let alone = discover(&[input], &ReadOptions::default()).unwrap();
        assert_eq!((&*alone[0].name, &alone[0].kept), ("%CE%C4.txt", &names[0]));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_without_loops_or_repeats() {
        use std::os::unix::fs::symlink;
        let folder = Folder::new(&[("in/a/p.html", b""), ("far/q.html", b"")]);
        symlink(folder.path("in"), folder.path("in/a/loop")).unwrap();
        symlink(folder.path("in/a/p.html"), folder.path("in/0.html")).unwrap();
        symlink(folder.path("far"), folder.path("in/near")).unwrap();
        symlink(folder.path("nowhere"), folder.path("in/broken.html")).unwrap();
        let found = folder.sources(&["in"]);
        let names = found
            .iter()
            .map(|source| source.name.as_str())
            .collect::<Vec<_>>();
        assert_eq!(names, ["a/p.html", "broken.html", "near/q.html"]);
    }

    #[test]
    fn a_missing_input_is_named() {
        let missing = PathBuf::from("/no/such/place");
        let error = discover(&[missing], &ReadOptions::default()).unwrap_err();
        assert!(matches!(error, Error::Usage(_)));
        assert!(
            error
                .to_string()
                .starts_with("cannot read INPUT /no/such/place: "),
            "{error}"
        );
    }

    #[test]
    fn the_site_is_the_nth_folder_below_the_input() {
        let folder = Folder::new(&[("in/s/t/p.html", b""), ("in/q.html", b"")]);
        let options = ReadOptions {
            site_dir: Some(1),
            ..ReadOptions::default()
        };
        let found = discover(&[folder.path("in")], &options).unwrap();
        let sites = found
            .iter()
            .map(|source| source.site.as_deref())
            .collect::<Vec<_>>();
        assert_eq!(sites, [None, Some("s")]);
    }

    #[cfg(unix)]
    #[test]
    fn what_lies_in_a_folder_is_left_out_by_any_name() {
        use std::os::unix::fs::symlink;
        let folder = Folder::new(&[
            ("in/a/p.txt", b"p"),
            ("in/out/kept/p.txt", b"q"),
            ("in/out.txt", b"r"),
        ]);
        symlink(folder.path("in/out/kept/p.txt"), folder.path("in/a/l.txt")).unwrap();
        symlink(folder.path("in"), folder.path("again")).unwrap();
        for input in ["in", "again"] {
            let mut sources = folder.sources(&[input]);
            assert_eq!(sources.len(), 3);
            leave_out(&mut sources, &folder.path("in/out").canonicalize().unwrap());
            let names: Vec<&str> = sources.iter().map(|source| &*source.name).collect();
            assert_eq!(names, ["a/p.txt", "out.txt"]);
        }
        // A link that is the only way to its file.
        let mut sources = folder.sources(&["in/a/l.txt"]);
        leave_out(&mut sources, &folder.path("in/out").canonicalize().unwrap());
        assert!(sources.is_empty());
    }
}
