//! The README in English and in Chinese: both have the same content, the example prints what they show, and their table is the leaderboard's.

use std::path::Path;

use crate::common::World;

const READMES: [&str; 2] = ["README.md", "README.zh.md"];

fn document(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(name);
    std::fs::read_to_string(path).unwrap()
}

/// What is between fences, without comments.
fn blocks(text: &str) -> Vec<String> {
    let odd = text.split("```").skip(1).step_by(2);
    let code = |line: &str| {
        line.split("  #")
            .next()
            .unwrap_or_default()
            .trim_end()
            .to_owned()
    };
    odd.map(|block| block.lines().map(code).collect::<Vec<_>>().join("\n"))
        .collect()
}

/// The levels of the headings.
fn headings(text: &str) -> Vec<usize> {
    let lines = text.lines().filter(|line| line.starts_with('#'));
    lines
        .map(|line| line.chars().take_while(|c| *c == '#').count())
        .collect()
}

/// Where links and pictures lead, in any order: a sentence in Chinese may have another one.
fn links(text: &str) -> Vec<String> {
    let ends = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    let mut links: Vec<String> = ends.map(|link| link.replace(".zh.", ".")).collect();
    links.sort();
    links
}

/// All numbers, in any order.
fn numbers(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_ascii_digit() && c != '.' && c != ',');
    let words = words.map(|word| word.trim_end_matches(['.', ',']).trim_start_matches(','));
    let mut numbers: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    numbers.sort_unstable();
    numbers
}

/// How many cells each row of each table has.
fn rows(text: &str) -> Vec<usize> {
    let rows = text.lines().filter(|line| line.starts_with('|'));
    rows.map(|row| row.matches('|').count()).collect()
}

#[test]
fn both_say_the_same() {
    let [english, chinese] = READMES.map(document);
    assert_eq!(headings(&english), headings(&chinese));
    assert_eq!(blocks(&english), blocks(&chinese));
    assert_eq!(links(&english), links(&chinese));
    assert_eq!(numbers(&english), numbers(&chinese));
    assert_eq!(rows(&english), rows(&chinese));
    assert!(blocks(&english).len() >= 6 && numbers(&english).len() > 80);
}

#[test]
fn the_example_says_what_they_show() {
    let world = World::new();
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/pages");
    let ran = world
        .run(&["dedup", pages.to_str().unwrap(), "-o", "out"])
        .code(0);
    let said = ran.stdout();
    let numbers: String = said
        .lines()
        .take(3)
        .map(|line| format!("{line}\n"))
        .collect();
    let stages = |line: &str| line.replace(|c: char| c.is_ascii_digit(), "");
    let times = stages(said.lines().nth(3).unwrap());
    let dropped = format!(
        "$ cat out/dropped.jsonl\n{}",
        world.read("out/dropped.jsonl")
    );
    for name in READMES {
        let text = document(name);
        assert!(text.contains(&numbers), "{name} does not have\n{numbers}");
        assert!(
            text.lines().any(|line| stages(line) == times),
            "{name}: {times}"
        );
        assert!(text.contains(&dropped), "{name} does not have\n{dropped}");
    }
}

/// A figure of a table of the leaderboard.
fn figure<'a>(board: &'a str, table: &str, row: &str, column: &str) -> &'a str {
    let table = board
        .split("\n## ")
        .find(|part| part.starts_with(table))
        .unwrap();
    let cells = |line: &'a str| line.split('|').map(str::trim).collect::<Vec<_>>();
    let mut rows = table
        .lines()
        .filter(|line| line.starts_with('|'))
        .map(cells);
    let at = rows
        .next()
        .unwrap()
        .iter()
        .position(|name| *name == column)
        .unwrap();
    rows.find(|cells| cells[1] == row).unwrap()[at]
}

#[test]
fn their_table_is_the_leaderboards() {
    let readme = document("README.md").replace("**", "");
    let board = document("docs/lab/leaderboard.md");
    for name in [
        "coverage",
        "datatrove",
        "text-dedup",
        "gaoya",
        "rensa",
        "datasketch",
    ] {
        let name = format!("`{name}`");
        let figure = |table, column| figure(&board, table, &name, column);
        let row = format!(
            " | {} | {} | {} | {} s | {} MB |",
            figure("F1", "mean, independent sets"),
            figure("F1", "wooyun"),
            figure("F1", "eventmonitor"),
            figure("CPU seconds", "eventmonitor"),
            figure("Peak MB", "eventmonitor"),
        );
        let mut rows = readme.lines().filter(|line| line.starts_with('|'));
        let there = rows.any(|line| line.contains(&name) && line.ends_with(&row));
        assert!(there, "README.md does not have {name}{row}");
    }
    // passim is not in the tables.
    for said in ["F1 .244", "more than 47 s of CPU", "1.1 GB"] {
        assert!(
            board.contains(said),
            "docs/lab/leaderboard.md does not have {said}"
        );
    }
    assert!(readme.contains("| .244 | over 47 s | 1.1 GB |"));
}
