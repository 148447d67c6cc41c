//! The recipes of the guide, run as they are written.

use std::path::Path;
use std::process::Command;

use crate::common::World;

/// The code blocks of a section of a page: their language, and their lines.
fn blocks(page: &str, section: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/guide")
        .join(page);
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text
        .split("\n## ")
        .map(str::lines)
        .find_map(|mut lines| (lines.next() == Some(section)).then_some(lines))
        .unwrap_or_else(|| panic!("{page} has no section {section}"));
    let mut blocks = Vec::new();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push((language.to_owned(), block.join("\n") + "\n"));
        }
    }
    blocks
}

/// Runs all commands of a section of a page in one shell; returns the outputs that it shows. site/transcripts.py runs commands after `$`.
fn run(world: &World, page: &str, section: &str) -> Vec<String> {
    let (commands, shown): (Vec<_>, Vec<_>) = blocks(page, section)
        .into_iter()
        .partition(|(language, _)| language == "sh");
    assert!(!commands.is_empty(), "{page}, {section}: no commands");
    let script: String = commands.into_iter().map(|(_, block)| block).collect();
    shell(world, &script);
    let shown = shown.into_iter().map(|(_, block)| block);
    shown.filter(|block| !block.starts_with("$ ")).collect()
}

/// Runs commands in one shell.
fn shell(world: &World, script: &str) {
    let script = world.file("guide.sh", format!("set -e\n{script}"));
    let binary = Path::new(env!("CARGO_BIN_EXE_retold"));
    let path = format!(
        "{}:{}",
        binary.parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let ran = Command::new("bash")
        .arg(script)
        .env("PATH", path)
        .env("LC_ALL", "C.UTF-8")
        .current_dir(world.path(""))
        .output()
        .unwrap();
    assert!(
        ran.status.success(),
        "{}\n{}",
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr)
    );
}

#[test]
#[cfg(unix)]
fn a_crawler_skips_what_it_has() {
    let world = World::new();
    let shown = run(&world, "crawler.md", "In front of a crawler");
    assert_eq!(shown, [world.read("said.txt")]);
}

#[test]
#[cfg(unix)]
fn search_results_are_condensed() {
    let world = World::new();
    let shown = run(&world, "crawler.md", "Search results, one line per story");
    assert_eq!(shown, [world.read("shown.txt")]);
}

#[test]
#[cfg(unix)]
fn corpora_are_built() {
    let world = World::new();
    let shown = run(&world, "corpora.md", "A nightly job");
    let files = ["kept.txt", "again.txt", "lines.txt", "chats.txt"];
    assert_eq!(shown, files.map(|file| world.read(file)));
}

#[test]
#[cfg(unix)]
fn pages_with_something_of_their_own_stay() {
    let world = World::new();
    let shown = run(&world, "choosing.md", "How much may be lost");
    assert_eq!(shown, [world.read("own.txt")]);
}

#[test]
#[cfg(unix)]
fn pages_are_compared_and_preferred_as_people_say() {
    let world = World::new();
    let mut shown = run(&world, "choosing.md", "Which pages are compared");
    shown.extend(run(&world, "choosing.md", "Which page stays"));
    let files = ["went.txt", "why.txt", "stay.txt"];
    assert_eq!(shown, files.map(|file| world.read(file)));
}

#[test]
#[cfg(unix)]
fn a_story_in_the_newsroom() {
    let world = World::new();
    run(&world, "crawler.md", "The newsroom");
    let stories = world.lines("stories.jsonl");
    assert_eq!(stories.len(), 1);
    assert_eq!(
        (
            &stories[0]["id"],
            &stories[0]["pages"],
            &stories[0]["excerpts"]
        ),
        (&"herald-1".into(), &2.into(), &1.into())
    );
    let story: serde_json::Value = serde_json::from_str(&world.read("story.json")).unwrap();
    let rows = story["timeline"].as_array().unwrap();
    let what: Vec<_> = rows
        .iter()
        .map(|row| row["what"].as_str().unwrap())
        .collect();
    assert_eq!(what, ["first", "edited", "shortened"]);
    assert_eq!(rows[1]["edits"]["replaced"], 2);
}

#[test]
#[cfg(all(unix, feature = "watch"))]
fn new_reprints_become_mails() {
    let world = World::new();
    let shown = run(&world, "crawler.md", "Watch for reprints");
    assert_eq!(shown, [world.read("mails.jsonl")]);
    assert_eq!(world.read("again.jsonl"), "");
    let stories = world.lines("stories.jsonl");
    assert_eq!(
        (&stories[0]["pages"], &stories[0]["id"]),
        (&2.into(), &"ferry.html".into())
    );
    let story = world.read("story.json");
    assert!(story.contains("\"what\": \"edited\""), "{story}");
    let story: serde_json::Value = serde_json::from_str(&story).unwrap();
    let told = &story["timeline"];
    assert_eq!(
        (&told[0]["id"], &told[1]["of"]),
        (&"ferry.html".into(), &"ferry.html".into())
    );
    // The broken line kept nothing waiting, and is told of.
    let said = world.read("said.txt");
    assert!(said.contains("wire-0800.jsonl, record 2: "), "{said}");
    assert!(
        said.contains("2 new, 0 replaced, 0 unchanged, 1 rejected"),
        "{said}"
    );
}

#[test]
#[cfg(unix)]
fn a_corpus_is_rid_of_benchmarks() {
    let world = World::new();
    let shown = run(&world, "corpora.md", "Removing benchmarks");
    assert_eq!(shown, [world.read("found.jsonl"), world.read("left.jsonl")]);
}

#[test]
#[cfg(unix)]
fn quotations_are_found() {
    let world = World::new();
    let shown = run(&world, "passages.md", "Who quotes whom");
    assert_eq!(
        shown,
        [world.read("found.jsonl"), world.read("pairs.jsonl")]
    );
}

#[test]
#[cfg(unix)]
fn boilerplate_is_cut() {
    let world = World::new();
    let shown = run(&world, "passages.md", "Repeated blocks");
    let files = ["blocks.txt", "kept.txt", "texts.txt"];
    assert_eq!(shown, files.map(|file| world.read(file)));
}

#[test]
#[cfg(unix)]
fn pages_of_one_address_are_versions() {
    let world = World::new();
    let shown = run(&world, "choosing.md", "Pages with the same URL");
    assert_eq!(shown, [world.read("went.txt")]);
}
