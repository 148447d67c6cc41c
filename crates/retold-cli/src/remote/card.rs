//! The dataset card of an output on the Hugging Face hub: what was dropped, why, and what went with it.

use std::ffi::OsString;
use std::fmt::Write;

use retold::internal::shown_input;
use serde_json::Value;

/// Sites and inputs that are listed.
const LISTED: usize = 10;

/// The card as Markdown, made from `summary.json` and the command.
pub fn card(summary: &Value, command: &str) -> String {
    let number = |path: &str| summary.pointer(path).and_then(Value::as_u64).unwrap_or(0);
    let text = |path: &str| {
        let text = summary.pointer(path).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let [read, kept, dropped] =
        ["read", "kept", "dropped"].map(|what| number(&format!("/records/{what}")));
    let [rejected, skipped] =
        ["rejected", "skipped"].map(|what| number(&format!("/records/{what}")));
    let [duplicate, contains] =
        ["duplicate", "contains"].map(|what| number(&format!("/relations/{what}")));
    let mut card = format!(
        "---\nconfigs:\n- config_name: default\n  data_files: kept/**\ntags:\n- deduplicated\n- retold\n---\n\n\
         # Without near-duplicates\n\n\
         `kept/` is the input less {dropped} pages that repeat pages which are kept. `dropped.jsonl` lists each with the page that it repeats.\n\n\
         | Records | Number |\n|---|---|\n| read | {read} |\n| kept | {kept} |\n| dropped | {dropped} |\n\
         | could not be read | {rejected} |\n| no pages | {skipped} |\n\n\
         ## Why pages were dropped\n\n\
         The method `{}` of Retold {} found {duplicate} pairs of duplicates, and {contains} pairs of which one page contains the other.\n\n\
         ```sh\n{}\n```\n\n## What was lost\n\n",
        text("/parameters/method"),
        text("/run/version"),
        // It ends the block nowhere.
        command.replace("```", "` ` `"),
    );
    card += &match summary.get("lost") {
        None => "The method does not count words that only dropped pages have.\n".to_owned(),
        Some(_) => format!(
            "{} dropped pages had passages of their own, with {} words that no kept page has; the largest loss is {} words.\n",
            number("/lost/pages"),
            number("/lost/words"),
            number("/lost/largest")
        ),
    };
    for (title, path) in [("Site", "/losses/sites"), ("File", "/losses/inputs")] {
        card += &losers(title, summary.pointer(path));
    }
    card
}

/// Sites or files that lost most.
fn losers(title: &str, losses: Option<&Value>) -> String {
    let losses = losses.and_then(Value::as_array).into_iter().flatten();
    let mut rows = String::new();
    for loss in losses.take(LISTED) {
        let number = |name: &str| loss[name].as_u64().unwrap_or(0);
        let most = loss["most"]["name"].as_str().map(cell);
        // A text takes everything.
        _ = writeln!(
            rows,
            "| {} | {} | {} | {} | {} |",
            cell(loss["name"].as_str().unwrap_or_default()),
            number("read"),
            number("dropped"),
            number("lost"),
            most.unwrap_or_default()
        );
    }
    match rows.is_empty() {
        true => rows,
        false => format!(
            "\n| {title} | Pages | Dropped | Words lost | Most of them for |\n|---|---|---|---|---|\n{rows}"
        ),
    }
}

/// A name in a cell of a table.
fn cell(name: &str) -> String {
    let name = name.replace(['`', '\n', '\r'], " ").replace('|', "\\|");
    format!("`{name}`")
}

/// The command line as a shell takes it; URLs are without what gives access.
pub fn command(arguments: impl Iterator<Item = OsString>) -> String {
    let arguments = arguments.skip(1).map(|argument| {
        let argument = argument.to_string_lossy().into_owned();
        let (option, value) = match argument.split_once('=') {
            Some((option, value)) if option.starts_with("--") => (format!("{option}="), value),
            _ => (String::new(), &*argument),
        };
        let shown = shown_input(value.as_ref());
        quoted(&format!("{option}{}", shown.display()))
    });
    let words: Vec<String> = std::iter::once("retold".to_owned())
        .chain(arguments)
        .collect();
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_card_says_what_was_dropped_and_lost() {
        let summary = json!({
            "records": {"read": 20, "kept": 12, "dropped": 5, "rejected": 2, "skipped": 1},
            "relations": {"duplicate": 4, "contains": 3}, "lost": {"pages": 2, "words": 17, "largest": 11},
            "losses": {"sites": [{"name": "a.example", "read": 9, "dropped": 4, "lost": 17, "most": {"name": null}}],
                       "inputs": [{"name": "a|b`.jsonl", "read": 9, "dropped": 5, "lost": 17, "most": {"name": "c.jsonl"}}]},
            "parameters": {"method": "coverage"}, "run": {"version": "0.2.0", "directory": "/home/me"},
        });
        let said = card(&summary, "retold dedup in -o hf://datasets/me/x");
        for part in [
            "---\nconfigs:\n- config_name: default\n  data_files: kept/**\ntags:",
            "less 5 pages",
            "| read | 20 |\n| kept | 12 |\n| dropped | 5 |\n| could not be read | 2 |\n| no pages | 1 |",
            "`coverage` of Retold 0.2.0 found 4 pairs of duplicates, and 3 pairs",
            "```sh\nretold dedup in -o hf://datasets/me/x\n```",
            "2 dropped pages had passages of their own, with 17 words that no kept page has; the largest loss is 11 words.",
            "| Site | Pages | Dropped | Words lost | Most of them for |\n|---|---|---|---|---|\n| `a.example` | 9 | 4 | 17 |  |",
            "| `a\\|b .jsonl` | 9 | 5 | 17 | `c.jsonl` |",
        ] {
            assert!(said.contains(part), "`{part}` is missing in {said}");
        }
        assert!(!said.contains("/home/me"));
        let said = card(&json!({"losses": {"sites": []}}), "");
        assert!(
            said.contains("does not count words") && !said.contains("| Site"),
            "{said}"
        );
    }

    #[test]
    fn a_command_can_be_repeated_and_gives_no_access() {
        let words = [
            "/usr/bin/retold",
            "dedup",
            "https://me:pw@host/a.jsonl?sig=x",
            "--against=https://me:pw@host/b",
            "my file's",
            "-o",
            "out",
        ];
        assert_eq!(
            command(words.iter().map(OsString::from)),
            r"retold dedup https://host/a.jsonl --against=https://host/b 'my file'\''s' -o out"
        );
    }
}
