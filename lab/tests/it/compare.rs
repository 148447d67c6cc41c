//! `retold-lab compare` through the real binary, on sets small enough to count by hand.

use std::collections::HashMap;

use crate::common::{World, article, line};

/// Pages of ten sentences: a and b share 8, b and c 6, a and c 4. All of d stands in e, which is five times as long; f
/// and g are copies.
fn set(world: &World, name: &str) {
    let pages = [
        ("a", article("甲", 0..10)),
        ("b", article("甲", 2..12)),
        ("c", article("甲", 6..16)),
        ("d", article("乙", 0..4)),
        ("e", article("乙", 0..20)),
        ("f", article("丙", 0..10)),
        ("g", article("丙", 0..10)),
    ];
    let lines: String = pages.iter().map(|(id, text)| line(id, text)).collect();
    world.file(&format!("{name}/pages.jsonl"), lines);
    world.file(
        &format!("{name}/gold.tsv"),
        "a\tb\tduplicate\nb\tc\tignore\nd\te\tcontained_by\nf\tg\tduplicate\n",
    );
    world.file(
        &format!("{name}/set.json"),
        r#"{"input": "pages.jsonl", "gold": "gold.tsv", "unlisted": "distinct"}"#,
    );
}

/// Rows by the names in the head.
fn rows(csv: &str) -> Vec<HashMap<String, String>> {
    let mut lines = csv.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields.len(), head.len(), "{line}");
        let pairs = head.iter().zip(fields);
        pairs.map(|(n, f)| (n.to_string(), f.to_owned())).collect()
    };
    lines.map(row).collect()
}

fn counts(row: &HashMap<String, String>, kind: &str) -> [u64; 3] {
    ["tp", "fp", "fn"].map(|count| row[&format!("{kind}_{count}")].parse().unwrap())
}

#[test]
fn every_threshold_is_counted_as_by_hand() {
    let world = World::new();
    set(&world, "tiny");
    let ran = world
        .run(&[
            "compare",
            "--methods",
            "period,period:threshold=0.9",
            "--set",
            "small=tiny",
            "--sweep",
            "0.3:0.9:0.3",
            "-o",
            "out",
            "--threads",
            "1",
        ])
        .code(0);
    assert!(
        ran.stdout().contains("out/compare.html"),
        "{}",
        ran.stdout()
    );
    let curves = rows(&world.read("out/curves.csv"));
    let point = |spec: &str, value: &str| {
        let mut rows = curves.iter();
        rows.find(|row| row["spec"] == spec && row["value"] == value)
            .unwrap()
    };
    // True: ab, de, fg. At 0.3 ac is found too, which is false; bc counts neither way. At 0.9 ab is lost.
    let at = |value| point("period", value);
    assert_eq!(counts(at("0.3"), "any"), [3, 1, 0]);
    assert_eq!(counts(at("0.6"), "any"), [3, 0, 0]);
    assert_eq!(counts(at("0.7"), "any"), [3, 0, 0]);
    assert_eq!(counts(at("0.9"), "any"), [2, 0, 1]);
    assert_eq!(counts(at("0.9"), "duplicate"), [1, 0, 1]);
    assert_eq!(counts(at("0.9"), "containment"), [1, 0, 0]);
    // All three are called what they are.
    assert_eq!(at("0.3")["kind_right"], "1.000000");
    // Pages with true pairs: a b d e f g; of c all pairs that count are false.
    assert_eq!(counts(at("0.3"), "pages"), [6, 1, 0]);
    assert_eq!(
        (at("0.3")["pairs"].as_str(), at("0.9")["pairs"].as_str()),
        ("5", "2")
    );
    // 2 · 3 / (2 · 3 + 1).
    assert_eq!(at("0.3")["any_f1"], "0.857143");
    let own: Vec<&str> = curves.iter().map(|row| &*row["own"]).collect();
    assert_eq!(own, ["0", "0", "1", "0", "1"]);
    // A threshold that is set is not varied, and is the same as that point of the curve.
    let fixed = point("period:threshold=0.9", "");
    assert_eq!(fixed["any_f1"], at("0.9")["any_f1"]);
    assert_eq!(fixed["parameter"], "");

    let summary = rows(&world.read("out/summary.csv"));
    assert_eq!(summary.len(), 2);
    let row = &summary[0];
    assert_eq!((&*row["pages"], &*row["true_pairs"]), ("7", "3"));
    // Of equally good thresholds the first.
    assert_eq!((&*row["best_value"], &*row["best_f1"]), ("0.6", "1.000000"));
    assert_eq!(row["single_value"], "0.6");
    // There is no other set to choose by.
    assert_eq!((&*row["left_out_value"], &*row["left_out_f1"]), ("", ""));
    for measured in ["sketch_bytes_per_page", "wall_seconds", "mb_per_cpu_second"] {
        assert!(row[measured].parse::<f64>().unwrap() > 0.0, "{measured}");
    }
    let times = world.read("out/times.csv");
    assert!(times.contains("read,") && times.contains("join") && times.contains("sketch alone"));
}

/// The curves are made from texts in memory, time and memory are measured on runs of the pipeline: both must find the
/// same, whatever a method does before and after it compares.
#[test]
fn a_curve_is_of_what_a_run_finds() {
    let world = World::new();
    set(&world, "tiny");
    world.file(
        "hay.jsonl",
        line("h", &article("甲", 0..10)) + &line("i", "短。"),
    );
    let ran = world
        .run(&[
            "compare",
            "--methods",
            "all",
            "--set",
            "s=tiny",
            "--set",
            "p=tiny+hay.jsonl",
            "--sweep",
            "0.7:0.7:0.1",
            "-o",
            "out",
        ])
        .code(0);
    let said = ran.stderr();
    assert!(said.contains("retold: p: period"), "{said}");
    assert!(!said.contains("this is a bug"), "{said}");
}

#[test]
fn a_planted_set_is_scored_against_its_haystack() {
    let world = World::new();
    set(&world, "tiny");
    // h is a copy of a, and so as like b as a is; i and j are copies that nobody has labelled.
    let (h, i) = (article("甲", 0..10), article("丁", 0..10));
    world.file("hay.jsonl", line("h", &h) + &line("i", &i) + &line("j", &i));
    let arguments = |out| {
        let sets = ["--set", "small=tiny", "--set", "planted=tiny+hay.jsonl"];
        let rest = ["--sweep", "0.6:0.9:0.3", "-q", "-o", out];
        [&["compare", "--methods", "period"][..], &sets, &rest].concat()
    };
    world.run(&arguments("a")).code(0);
    let curves = rows(&world.read("a/curves.csv"));
    let any = |set: &str, value: &str| {
        let mut rows = curves.iter();
        let row = rows.find(|row| row["set"] == set && row["value"] == value);
        counts(row.unwrap(), "any")
    };
    assert_eq!(any("small", "0.7"), [3, 0, 0]);
    // ah and bh are false; ij does not count.
    assert_eq!(any("planted", "0.7"), [3, 2, 0]);
    assert_eq!(any("planted", "0.9"), [2, 1, 1]);
    // Thresholds are chosen by `small` alone, for which 0.6 is the first that is perfect.
    let summary = rows(&world.read("a/summary.csv"));
    let single = |at: usize| (&*summary[at]["set"], &*summary[at]["single_value"]);
    assert_eq!(single(0), ("small", "0.6"));
    assert_eq!(single(1), ("planted", "0.6"));
    assert_eq!(summary[1]["left_out_value"], "");

    // All but times is the same again.
    world.run(&arguments("b")).code(0);
    assert_eq!(world.read("a/curves.csv"), world.read("b/curves.csv"));
}

#[test]
fn thresholds_are_chosen_on_the_other_sets() {
    let world = World::new();
    set(&world, "first");
    set(&world, "second");
    // In the second set a and c are related, so that only the lowest threshold is right.
    world.file(
        "second/gold.tsv",
        "a\tb\tduplicate\na\tc\trelated\nb\tc\tduplicate\nd\te\tcontained_by\nf\tg\tduplicate\n",
    );
    world
        .run(&[
            "compare",
            "--methods",
            "period",
            "--set",
            "x=first",
            "--set",
            "y=second",
            "--sweep",
            "0.3:0.6:0.3",
            "-o",
            "out",
            "-q",
        ])
        .code(0);
    let summary = rows(&world.read("out/summary.csv"));
    let field = |set: usize, name: &str| summary[set][name].clone();
    assert_eq!(
        [field(0, "best_value"), field(1, "best_value")],
        ["0.6", "0.3"]
    );
    assert_eq!(
        [field(0, "left_out_value"), field(1, "left_out_value")],
        ["0.3", "0.6"]
    );
    // x at 0.3: 6/7. y at 0.6: ac is missed, 8/9. Means: at 0.3 (6/7 + 1)/2 = .929, at 0.6 (1 + 8/9)/2 = .944.
    assert_eq!(
        [field(0, "left_out_f1"), field(1, "left_out_f1")],
        ["0.857143", "0.888889"]
    );
    assert_eq!(field(0, "single_value"), "0.6");
    let text = world.read("out/compare.md");
    assert!(text.contains("## Leave one set out"), "{text}");
}

#[test]
fn the_page_is_whole_and_holds_no_page_of_the_set() {
    let world = World::new();
    set(&world, "tiny");
    let arguments = [
        "compare",
        "--set",
        "small=tiny",
        "-o",
        "out",
        "-q",
        "--methods",
        "period",
    ];
    world.run(&arguments).code(0);
    let page = world.read("out/compare.html");
    assert!(page.contains("prefers-color-scheme: dark"));
    assert!(page.contains("small") && page.contains("period"));
    // Precision over recall, F1 over the threshold and over time; and for all sets the last two.
    assert_eq!(page.matches("<svg ").count(), 5);
    for outside in ["http://", "https://", "src=", "<script", "关于", "@import"] {
        let found = page.replace("http://www.w3.org/", "").contains(outside);
        assert!(!found, "the page holds `{outside}`");
    }
    world
        .run(&arguments)
        .code(2)
        .says(&["not empty", "--force"]);
    world.run(&[&arguments[..], &["--force"]].concat()).code(0);
}

#[test]
fn the_figures_of_the_papers_are_lists_of_methods_and_sets() {
    let world = World::new();
    set(&world, "tiny");
    world.file("hay.jsonl", line("h", &article("丁", 0..10)));
    world
        .run(&[
            "compare",
            "--experiments",
            "--methods",
            "period",
            "--set",
            "wxvl=tiny",
            "--set",
            "nankai=tiny",
            "--set",
            "planted=tiny+hay.jsonl",
            "--sweep",
            "0.7:0.7:0.1",
            "-o",
            "out",
            "-q",
        ])
        .code(0);
    let text = world.read("out/compare.md");
    let section = |title: &str| {
        let start = text
            .find(title)
            .unwrap_or_else(|| panic!("no {title} in {text}"));
        text[start + 3..].split("\n## ").next().unwrap().to_owned()
    };
    // The main tables hold what was asked for.
    assert!(!section("## One threshold for all sets").contains("noise=none"));
    let time = section("## CCDet, Fig. 9");
    for row in [
        "| nankai | period |",
        "| nankai | period:noise=none |",
        "| nankai | period:noise=site |",
    ] {
        assert!(time.contains(row), "{row} is missing in {time}");
    }
    assert!(
        !time.contains("planted") && !time.contains("| wxvl |"),
        "{time}"
    );
    let planted = section("## DWDCS, its setting");
    assert!(
        planted.contains("| planted | period | 0.7 | 1.000 | 1.000 |"),
        "{planted}"
    );
    let agt = section("## AgT");
    assert!(agt.contains("| wxvl | agglomerate |"), "{agt}");
    assert!(agt.contains("there is no --set eventmonitor=DIR"), "{agt}");
    assert!(world.read("out/compare.html").contains("id=\"ccdet-9\""));
}

#[test]
fn wrong_use_is_named() {
    let world = World::new();
    set(&world, "tiny");
    let run = |methods: &str, set: &str| {
        world.run(&[
            "compare",
            "--methods",
            methods,
            "--set",
            set,
            "-o",
            "out",
            "-q",
        ])
    };
    run("perod", "s=tiny")
        .code(2)
        .says(&["no method is called `perod`"]);
    run("period:threshold=2", "s=tiny")
        .code(2)
        .says(&["period.threshold = 2"]);
    run("period,period", "s=tiny")
        .code(2)
        .says(&["`period` is named twice"]);
    run("period", "tiny").code(2).says(&["NAME=DIR expected"]);
    run("period", "s=gone")
        .code(2)
        .says(&["gone/set.json", "a labelled set is a folder"]);
    world.file(
        "bad/set.json",
        r#"{"input": "pages", "gold": "g", "unlisted": "no"}"#,
    );
    run("period", "s=bad").code(2).says(&["bad/set.json"]);
    world.file("tiny/gold.tsv", "x\ty\tduplicate\n");
    run("period", "s=tiny")
        .code(2)
        .says(&["2 of 2 labelled pages", "`x`"]);
    assert!(world.files("out").is_empty());
    let help = world.run(&["compare", "--help"]).code(0).stdout();
    for taught in [
        "set.json",
        "curves.csv",
        "period:chars=8",
        "-o <OUT>",
        "Examples:",
    ] {
        assert!(help.contains(taught), "{taught} is missing in {help}");
    }
}
