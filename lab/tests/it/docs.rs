//! The documents agree with the commands, and what these say of themselves.

use std::path::Path;

use crate::common::{World, assert_short_helps};

#[test]
fn every_option_of_every_command_is_in_its_page() {
    let world = World::new();
    for command in ["compare", "keywords", "network", "tune"] {
        let page =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../docs/reference/{command}.md"));
        let page =
            std::fs::read_to_string(&page).unwrap_or_else(|e| panic!("{}: {e}", page.display()));
        let help = world.run(&[command, "--help"]).code(0).stdout();
        let words = |text: &str| -> Vec<String> {
            let words = text.split(|c: char| !c.is_alphanumeric() && c != '-');
            let options = words.filter(|word| word.starts_with("--"));
            options.map(str::to_owned).collect()
        };
        let there = words(&page);
        for option in words(&help) {
            assert!(
                there.contains(&option),
                "the page of {command} does not have {option}"
            );
        }
    }
}

#[test]
fn a_short_help_is_short() {
    assert_short_helps(&World::new(), 4);
}
