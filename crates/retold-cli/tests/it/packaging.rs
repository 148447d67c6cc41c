//! What is published: licences and sources of all dependencies, and what the manifests say.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// Licences that go with ours.
fn allowed() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deny.toml");
    let rules: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    let allowed = rules["licenses"]["allow"].as_array().unwrap().iter();
    allowed
        .map(|licence| licence.as_str().unwrap().to_owned())
        .collect()
}

/// All crates that are built into what is published, tests and lab tools included.
fn packages() -> Vec<Value> {
    let ran = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--all-features",
        ])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let metadata: Value = serde_json::from_slice(&ran.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

fn name(package: &Value) -> String {
    format!("{} {}", package["name"], package["version"]).replace('"', "")
}

#[test]
fn every_dependency_has_a_licence_that_goes_with_ours() {
    let allowed = allowed();
    let wrong = packages().into_iter().filter(|package| {
        // Some write `MIT/Apache-2.0`, which means a choice.
        let written = package["license"]
            .as_str()
            .unwrap_or_default()
            .replace('/', " OR ");
        let parsed = spdx::Expression::parse(&written);
        !parsed.is_ok_and(|licence| {
            licence.evaluate(|part| {
                let id = part.license.id();
                id.is_some_and(|id| allowed.iter().any(|licence| licence == id.name))
            })
        })
    });
    let wrong: BTreeSet<String> = wrong
        .map(|package| format!("{}: {}", name(&package), package["license"]))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_dependency_comes_from_the_registry_and_builds_with_our_rust() {
    let ours: Vec<u32> = version(env!("CARGO_PKG_RUST_VERSION"));
    for package in packages() {
        let source = package["source"].as_str();
        assert!(
            source.is_none_or(
                |source| source == "registry+https://github.com/rust-lang/crates.io-index"
            ),
            "{} comes from {source:?}",
            name(&package)
        );
        let needs = package["rust_version"].as_str().map(version);
        assert!(
            needs.as_ref().is_none_or(|needs| *needs <= ours),
            "{} needs Rust {needs:?}; Cargo.toml says {ours:?}",
            name(&package)
        );
    }
}

fn version(text: &str) -> Vec<u32> {
    text.split('.').map(|part| part.parse().unwrap()).collect()
}

#[test]
fn what_is_published_says_what_it_is() {
    let ours = packages()
        .into_iter()
        .filter(|package| package["source"].is_null());
    let ours: Vec<Value> = ours.collect();
    assert!(ours.len() >= 6, "{} crates", ours.len());
    for package in ours {
        for key in ["description", "license", "rust_version"] {
            assert!(package[key].is_string(), "{} has no {key}", name(&package));
        }
        // Dependencies on each other need a version, or they cannot be published.
        for dependency in package["dependencies"].as_array().unwrap() {
            let to = dependency["name"].as_str().unwrap();
            let is_ours = to.starts_with("retold") && dependency["kind"].is_null();
            assert!(
                !is_ours || dependency["req"] != "*",
                "{}: {to} has no version",
                name(&package)
            );
        }
    }
}

#[test]
fn the_citation_names_this_version() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../CITATION.cff");
    let citation = std::fs::read_to_string(path).unwrap();
    let version = concat!("version: ", env!("CARGO_PKG_VERSION"));
    assert!(citation.lines().any(|line| line == version), "{citation}");
}

/// Crates that a package needs, each with the sets of features that it is built with.
fn built(arguments: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let ran = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--edges", "normal,build"])
        .args(["--prefix", "none", "--format", "{p}|{f}"])
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{words}");
    let mut crates: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in String::from_utf8(ran.stdout).unwrap().lines() {
        let (name, features) = line.trim_end_matches(" (*)").split_once('|').unwrap();
        let name = name.trim_end_matches(" (proc-macro)").to_owned();
        crates.entry(name).or_default().insert(features.to_owned());
    }
    crates
}

/// Otherwise they would be compiled once more for it.
#[test]
fn crates_of_the_command_serve_the_python_package() {
    let command = built(&["--package", "retold-cli"]);
    let python = built(&[
        "--package",
        "retold-python",
        "--features",
        "extension-module",
    ]);
    let shared = python
        .iter()
        .filter(|(name, _)| command.contains_key(*name));
    assert!(shared.clone().count() > 100);
    for (name, features) in shared {
        assert!(
            features.is_subset(&command[name]),
            "{name}: the Python package wants {features:?}, the command {:?}; see their Cargo.toml",
            command[name]
        );
    }
}
