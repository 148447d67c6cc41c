//! The documents agree with the commands, and what these say of themselves.

use std::path::Path;

use crate::common::{World, assert_short_helps};

#[test]
fn every_option_of_every_command_is_in_the_page() {
    let world = World::new();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/lab.md");
    let page = std::fs::read_to_string(&page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
    let options = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '-');
        let options = words.filter(|word| word.starts_with("--"));
        options.map(str::to_owned).collect()
    };
    let there = options(&page);
    let mut missing = Vec::new();
    for command in ["compare", "keywords", "network", "tune"] {
        let help = world.run(&[command, "--help"]).code(0).stdout();
        let absent = options(&help).into_iter().filter(|o| !there.contains(o));
        missing.extend(absent.map(|option| format!("{command} {option}")));
    }
    assert!(missing.is_empty(), "the page lacks: {missing:?}");
}

#[test]
fn a_short_help_is_short() {
    assert_short_helps(&World::new(), 4);
}
