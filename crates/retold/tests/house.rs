//! What ARCHITECTURE.md says of the sources, held against the sources.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// All Rust files below a folder of the workspace.
fn sources(folder: &str) -> Vec<PathBuf> {
    let mut folders = vec![
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(folder),
    ];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// A file's code without its tests.
fn code(path: &Path) -> String {
    let name = path.file_name().unwrap().to_str().unwrap();
    if ["tests.rs", "testing.rs", "contract.rs", "obvious.rs"].contains(&name)
        || name.ends_with("_tests.rs")
        || path
            .parent()
            .is_some_and(|folder| folder.ends_with("src/tests"))
    {
        return String::new();
    }
    let text = std::fs::read_to_string(path).unwrap();
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let lines = text[..end]
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The modules of the library that each module names, by the first part of their paths.
fn imports() -> BTreeMap<String, BTreeSet<String>> {
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in sources("crates/retold/src") {
        let below = path.canonicalize().unwrap();
        let below = below.strip_prefix(root.canonicalize().unwrap()).unwrap();
        let module = below
            .components()
            .next()
            .unwrap()
            .as_os_str()
            .to_str()
            .unwrap();
        let module = module.trim_end_matches(".rs").to_owned();
        if module == "lib" {
            continue;
        }
        let code = code(&path);
        let named = code.split("crate::").skip(1).map(|rest| {
            let end = rest
                .find(|c: char| !c.is_ascii_lowercase() && c != '_')
                .unwrap_or(rest.len());
            rest[..end].to_owned()
        });
        let named = named.filter(|name| !name.is_empty() && *name != module);
        imports.entry(module.clone()).or_default().extend(named);
    }
    imports
}

#[test]
fn modules_do_not_import_in_circles() {
    let mut imports = imports();
    assert!(imports.len() > 15, "{imports:?}");
    // Take away what imports nothing that is left, again and again.
    while let Some(free) = imports
        .iter()
        .find(|(_, named)| named.is_empty())
        .map(|(name, _)| name.clone())
    {
        imports.remove(&free);
        imports.values_mut().for_each(|named| {
            named.remove(&free);
        });
    }
    // What is named but is no file (`crate::Sketch` begins with a capital letter and is not seen here).
    assert!(imports.is_empty(), "in circles: {imports:?}");
}

#[test]
fn modules_stand_in_lib_in_the_order_of_their_imports() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let order: Vec<&str> = text
        .lines()
        .filter_map(|line| {
            line.trim_start_matches("pub ")
                .strip_prefix("mod ")?
                .strip_suffix(';')
        })
        .collect();
    let place = |name: &str| {
        order
            .iter()
            .position(|module| *module == name)
            .unwrap_or_else(|| panic!("no module {name}"))
    };
    for (module, named) in imports() {
        for other in named {
            assert!(
                place(&other) < place(&module),
                "{module} imports {other}, which stands below it in lib.rs"
            );
        }
    }
}

#[test]
fn no_file_is_longer_than_500_lines() {
    for folder in [
        "crates/retold/src",
        "crates/retold-report/src",
        "crates/retold-index/src",
        "crates/retold-server/src",
        "crates/retold-cli/src",
        "lab/src",
    ] {
        for path in sources(folder) {
            let lines = code(&path).lines().count();
            assert!(
                lines <= 500,
                "{}: {lines} lines without tests",
                path.display()
            );
            let all = std::fs::read_to_string(&path).unwrap().lines().count();
            let is_test = code(&path).is_empty();
            assert!(
                all <= 500 || is_test,
                "{}: {all} lines; move its tests to a file of their own",
                path.display()
            );
        }
    }
}

#[test]
fn the_library_prints_nothing_and_reads_no_environment() {
    for folder in [
        "crates/retold/src",
        "crates/retold-report/src",
        "crates/retold-index/src",
        "crates/retold-server/src",
    ] {
        for path in sources(folder) {
            let code = code(&path);
            for word in [
                "println!",
                "eprintln!",
                "print!(",
                "eprint!(",
                "env::var",
                "process::exit",
                "dbg!",
            ] {
                assert!(!code.contains(word), "{}: {word}", path.display());
            }
        }
    }
}
