//! `retold-lab keywords` through the real binary.

use crate::common::{World, article, line};

#[test]
fn one_page_is_a_table_and_more_are_jsonl() {
    let world = World::new();
    let story = "渡船要等雾散了才开。渡船的船夫说雾最怕太阳。";
    world.file("one.txt", story);
    let table = world.run(&["keywords", "one.txt"]).code(0).stdout();
    assert!(
        table.starts_with("# one.txt (") && table.contains("渡船"),
        "{table}"
    );
    world.file("two.jsonl", line("a", story) + &line("b", story));
    let lines = world.run(&["keywords", "two.jsonl"]).code(0).stdout();
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((lines.lines().count(), &first["id"]), (2, &"a".into()));
    let keyword = &first["keywords"][0];
    assert!(keyword["word"].is_string() && keyword["score"].as_f64().unwrap() > 0.0);
    assert_eq!(keyword["positions"].as_array().unwrap().len(), 2);
}

#[test]
fn a_method_without_keywords_says_so() {
    let world = World::new();
    world.file("one.txt", "渡船。");
    let ran = world.run(&["keywords", "one.txt", "--method", "period"]);
    ran.code(2)
        .says(&["period does not find keywords", "agglomerate"]);
}

#[test]
fn keywords_follow_the_text_options() {
    let world = World::new();
    world.file("one.txt", "Ferry ferry FERRY.");
    let folded = world.run(&["keywords", "one.txt"]).code(0).stdout();
    assert!(folded.contains("ferry"), "{folded}");
    let args = ["keywords", "one.txt", "--fold", "none"];
    let plain = world.run(&args).code(0).stdout();
    assert!(plain.contains("FERRY"), "{plain}");
    world.file("words.txt", "渡船夫 100000\n");
    world.file("two.txt", "渡船夫说，渡船夫来。");
    let args = ["keywords", "two.txt", "--user-dict", "words.txt"];
    let told = world.run(&args).code(0).stdout();
    assert!(told.contains("渡船夫 "), "{told}");
}

#[test]
fn terminals_do_not_obey_pages() {
    let world = World::new();
    let text =
        "The ferry waits \u{1b}[31m for the fog to lift, and the ferryman waits for the ferry.";
    world.file("in.jsonl", line("bell\u{7}\u{1b}]0;x", text));
    let table = ["keywords", "in.jsonl", "--format", "table"];
    let shown = world.run(&table).code(0).stdout();
    assert!(!shown.contains(['\u{7}', '\u{1b}']), "{shown:?}");
    assert!(shown.contains("bell\\u{7}"), "{shown}");
}

#[test]
fn presets_are_no_methods() {
    let world = World::new();
    world.file("in.jsonl", line("a", &article("渡船", 0..9)));
    for command in ["keywords", "network"] {
        world
            .run(&[command, "in.jsonl", "--method", "dwdcs"])
            .code(2)
            .says(&["no method is called `dwdcs`, but a preset is"]);
    }
    for command in [
        "keywords in.jsonl --preset agt",
        "network in.jsonl --preset dwdcs --format json",
    ] {
        let arguments: Vec<&str> = command.split(' ').collect();
        world.run(&arguments).code(0);
    }
}

/// As `retold dedup` numbers them.
#[test]
fn pages_with_one_id_are_numbered() {
    let world = World::new();
    let text = |number: u32| article(&format!("第{number}个话题"), 0..3);
    let lines: String = (0..)
        .zip(["a", "a", "a#2", "b", "a"])
        .map(|(n, id)| line(id, &text(n)))
        .collect();
    world.file("in.jsonl", lines);
    let printed = world.run(&["keywords", "in.jsonl"]).code(0).stdout();
    let ids: Vec<serde_json::Value> = printed
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].clone())
        .collect();
    assert_eq!(ids, ["a", "a#3", "a#2", "b", "a#4"]);
    let network = ["network", "in.jsonl", "--id", "a#3", "--format", "json"];
    let network = world.run(&network).code(0).stdout();
    assert!(network.contains("\"words\""), "{network}");
}
