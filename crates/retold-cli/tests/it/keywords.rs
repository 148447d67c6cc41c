//! `retold keywords` through the real binary.

use crate::common::{World, line};

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
