//! The documents agree with the command.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use retold::method::{METHODS, PRESETS};

use serde_json::{Value, json};

use crate::common::{World, article, line, subcommands};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn document(name: &str) -> String {
    let path = root().join("docs").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The subcommands that `retold --help` lists.
fn commands(world: &World) -> Vec<String> {
    subcommands(&world.run(&["--help"]).code(0).stdout())
}

/// The words of a text: options with their dashes, names and numbers.
fn words(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !"-_.+".contains(c));
    let words = words.map(|word| word.trim_end_matches(['.', '-']));
    words.filter(|word| !word.is_empty()).collect()
}

#[test]
fn words_are_whole() {
    let found = words("`--params FILE`, --param=1.5; 12, idf+site, `0.6`.");
    let expected = [
        "--params", "FILE", "--param", "1.5", "12", "idf+site", "0.6",
    ];
    assert_eq!(found, BTreeSet::from(expected));
}

/// Options that commands share are on the first page of the reference, and so are commands without a page of their own.
#[test]
fn every_option_of_every_command_is_in_its_page_or_in_the_first() {
    let world = World::new();
    let commands = commands(&world);
    assert!(commands.len() >= 8, "{commands:?}");
    let first = document("reference/README.md");
    for command in commands {
        assert!(
            first.contains(&format!("`retold {command}")),
            "docs/reference/README.md does not have `retold {command}`"
        );
        let page = root().join(format!("docs/reference/{command}.md"));
        let page = std::fs::read_to_string(page).unwrap_or_default();
        let mut help = world.run(&[&command, "--help"]).code(0).stdout();
        for part in subcommands(&help) {
            help += &world.run(&[&command, &part, "--help"]).code(0).stdout();
        }
        let there = &words(&page) | &words(&first);
        for option in words(&help).iter().filter(|word| word.starts_with("--")) {
            assert!(
                there.contains(option),
                "neither docs/reference/{command}.md nor docs/reference/README.md has {option}"
            );
        }
    }
}

#[test]
fn every_preset_is_in_the_table_and_works() {
    let page = document("reference/methods/README.md");
    let world = World::new();
    world.file(
        "in.jsonl",
        line("a", &article("渡船", 0..9)) + &line("b", &article("渡船", 0..9)),
    );
    for preset in PRESETS {
        let params = preset.params.iter();
        let params: Vec<String> = params
            .map(|(name, value)| format!("`{name}={value}`"))
            .collect();
        let row = format!(
            "| `{}` | `{}`: {} |",
            preset.name,
            preset.method,
            params.join(", ")
        );
        assert!(
            page.contains(&row),
            "docs/reference/methods/README.md does not have {row}"
        );
        world
            .run(&[
                "dedup",
                "in.jsonl",
                "-o",
                preset.name,
                "--preset",
                preset.name,
            ])
            .code(0);
        let summary = world.summary(preset.name);
        assert_eq!(summary["parameters"]["method"], preset.method);
    }
    world
        .run(&["dedup", "in.jsonl", "-o", "none", "--preset", "agd"])
        .code(2)
        .says(&["no preset is called `agd`; there are: copies, retellings, ccdet"]);
    // What is set beside it wins.
    let both = [
        "dedup",
        "in.jsonl",
        "-o",
        "o",
        "--preset",
        "agt",
        "--param",
        "keywords=11",
    ];
    world.run(&both).code(0);
    let set = &world.summary("o")["parameters"]["params"];
    assert_eq!(
        (&set["keywords"], &set["hashes"]),
        (&json!(11), &json!("best"))
    );
}

/// Parameters that methods share are on the first page of the methods.
#[test]
fn every_method_and_parameter_has_its_page() {
    let shared = document("reference/methods/README.md");
    for info in METHODS {
        let page = document(&format!("reference/methods/{}.md", info.name));
        for param in info.all_params() {
            let default = match json!(param.domain.default()) {
                Value::String(name) => name,
                number => number.to_string(),
            };
            let row = format!("| `{}` | `{default}` |", param.name);
            let shares = page.contains("(README.md#noise-filter)") && shared.contains(&row);
            assert!(
                page.contains(&row) || shares,
                "docs/reference/methods/{}.md has no row {row}",
                info.name
            );
        }
    }
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut folders = vec![root().join("docs")];
    let mut pages = vec![
        root().join("README.md"),
        root().join("README.zh.md"),
        root().join("ARCHITECTURE.md"),
        root().join("CONTRIBUTING.md"),
    ];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(ending) if ending == "md" => pages.push(path),
                _ => {}
            }
        }
    }
    assert!(pages.len() > 30, "{}", pages.len());
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let file = link.split('#').next().unwrap_or_default();
            if file.is_empty() || file.contains("://") {
                continue;
            }
            let target = page.parent().unwrap().join(file);
            assert!(target.exists(), "{}: {link} leads nowhere", page.display());
        }
    }
}
