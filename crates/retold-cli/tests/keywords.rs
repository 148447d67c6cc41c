//! `retold keywords` and `retold tune` through the real binary.

mod common;

use std::fs::File;

use common::{Ran, World, article, line};

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
        .says(&["period does not look for keywords", "agglomerate"]);
}

fn tuned(world: &World, out: &str, threads: &str) -> String {
    world
        .run(&[
            "tune",
            "pages.jsonl",
            "--gold",
            "gold.tsv",
            "--method",
            "agglomerate",
            "-o",
            out,
            "--population",
            "6",
            "--generations",
            "2",
            "--threads",
            threads,
            "--seed",
            "3",
        ])
        .code(0);
    world.read(out)
}

#[test]
fn tuning_is_reproducible_and_its_file_is_accepted() {
    let world = World::new();
    let (mut pages, mut gold) = (String::new(), String::new());
    for n in 0..12 {
        let text = article(&format!("题目{n}甲乙"), 0..9);
        pages += &line(&format!("a{n}"), &text);
        pages += &line(&format!("b{n}"), &format!("{text}转载。"));
        gold += &format!("a{n}\tb{n}\tduplicate\n");
    }
    world.file("pages.jsonl", pages);
    world.file("gold.tsv", gold);
    let file = tuned(&world, "x.toml", "1");
    assert_eq!(file, tuned(&world, "y.toml", "2"));
    assert!(
        file.contains("[agglomerate]\n") && file.contains("threshold = "),
        "{file}"
    );
    let html = world.read("x.html");
    assert!(html.contains("<svg") && html == world.read("y.html"));
    assert!(html.contains("On pages that the search did not see, F1 "));
    let dedup = [
        "dedup",
        "pages.jsonl",
        "-o",
        "out",
        "--method",
        "agglomerate",
        "--params",
        "x.toml",
    ];
    world.run(&dedup).code(0);
    let all_fixed = [
        "tune",
        "pages.jsonl",
        "--gold",
        "gold.tsv",
        "--vary",
        "colour",
    ];
    world
        .run(&all_fixed)
        .code(2)
        .says(&["no choice called `colour`"]);
    world.file("other.tsv", "x\ty\tduplicate\n");
    let other = ["tune", "pages.jsonl", "--gold", "other.tsv"];
    world
        .run(&other)
        .code(2)
        .says(&["other.tsv", "check the ids"]);
}

#[test]
fn tune_reads_standard_input_and_names_what_it_could_not_read() {
    let world = World::new();
    let (mut pages, mut gold) = ("{broken\n".to_owned(), String::new());
    for n in 0..12 {
        let text = article(&format!("题目{n}甲乙"), 0..9);
        pages += &line(&format!("a{n}"), &text);
        pages += &line(&format!("b{n}"), &format!("{text}转载。"));
        gold += &format!("a{n}\tb{n}\tduplicate\n");
    }
    world.file("gold.tsv", gold);
    let args = "tune - --gold gold.tsv --method agglomerate --population 3 --generations 1 -o x.toml --fold none";
    let args: Vec<&str> = args.split(' ').collect();
    let pages = File::open(world.file("pages.jsonl", pages)).unwrap();
    let ran = Ran(world.command(&args).stdin(pages).output().unwrap());
    ran.code(1)
        .says(&["rejected records: 1, the first in stdin, record 1: "]);
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
