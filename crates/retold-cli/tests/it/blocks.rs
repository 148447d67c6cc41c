//! `retold blocks` through the real binary.

use serde_json::{Value, json};

use crate::common::{World, gzip};

/// Four pages of a site, one of another, one without, a broken line; in two files.
fn world() -> World {
    let world = World::new();
    let page = |n: u32, date: &str, text: &str| {
        let url = format!("http://www.ferry.example/{n}");
        json!({"n": 1.5, "text": text, "url": url, "date": date}).to_string() + "\n"
    };
    let first = [
        page(
            1,
            "2024-03-02",
            "Home\n\nThe ferry to Naxos left late because of the storm.\n\nShare this page!",
        ),
        page(
            2,
            "2024-03-01",
            "Home\n\nA new bridge was opened on Monday by the mayor.\n\nShare  THIS page!",
        ),
        page(3, "2024-03-03", "Home\n\nSold out\n\nShare this page!\n"),
        "{broken\n".to_owned(),
    ];
    let second = [
        page(
            4,
            "2024-03-04",
            "Home\n\nThe library in the old mill has new hours from today.",
        ),
        json!({"id": "other", "url": "http://mill.example/", "text": "Share this page!"})
            .to_string()
            + "\n",
        json!({"id": "none", "text": "Share this page!"}).to_string() + "\n",
    ];
    world.file("in/a.jsonl", first.concat());
    world.file("in/b.jsonl.gz", gzip(second.concat().as_bytes()));
    world
}

fn of<'a>(lines: &'a [Value], fields: &[&str]) -> Vec<Vec<&'a Value>> {
    let line = |line: &'a Value| fields.iter().map(|field| &line[field]).collect();
    lines.iter().map(line).collect()
}

#[test]
fn blocks_are_named_and_then_cut() {
    let world = world();
    let said = world
        .run(&["blocks", "in", "-o", "out", "--text"])
        .code(1)
        .stdout();
    for part in [
        "6 pages with 13 blocks read; repeated: 2 blocks, in 5 places",
        "3 pages would be cut, 1 of them would be dropped",
        "without a site and left alone: 1 page;",
    ] {
        assert!(said.contains(part), "{said}");
    }
    // `Home` is on all four pages of the site, `Share this page!` on three of them; the page of the first date keeps both.
    let blocks = world.lines("out/blocks.jsonl");
    let site = json!("ferry.example");
    assert_eq!(
        of(&blocks, &["site", "df", "sites", "places", "cut", "text"]),
        [
            [
                &site,
                &json!(4),
                &json!(1),
                &json!(4),
                &json!(3),
                &json!("Home")
            ],
            [
                &site,
                &json!(3),
                &json!(1),
                &json!(3),
                &json!(2),
                &json!("Share  THIS page!")
            ],
        ]
    );
    let spans = world.lines("out/spans.jsonl");
    let (home, share) = (&blocks[0]["block"], &blocks[1]["block"]);
    let ids = [1, 3, 4].map(|n| json!(format!("http://www.ferry.example/{n}")));
    let yes = json!(true);
    assert_eq!(
        of(
            &spans,
            &["id", "source", "record", "begin", "end", "block", "cut"]
        ),
        [
            [
                &ids[0],
                &json!("a.jsonl"),
                &json!(1),
                &json!(0),
                &json!(4),
                home,
                &yes
            ],
            [
                &ids[0],
                &json!("a.jsonl"),
                &json!(1),
                &json!(58),
                &json!(74),
                share,
                &yes
            ],
            [
                &ids[1],
                &json!("a.jsonl"),
                &json!(3),
                &json!(0),
                &json!(4),
                home,
                &yes
            ],
            [
                &ids[1],
                &json!("a.jsonl"),
                &json!(3),
                &json!(16),
                &json!(32),
                share,
                &yes
            ],
            [
                &ids[2],
                &json!("b.jsonl.gz"),
                &json!(1),
                &json!(0),
                &json!(4),
                home,
                &yes
            ],
        ]
    );
    assert_eq!(
        world.lines("out/dropped.jsonl"),
        [
            json!({"id": &ids[1], "source": "a.jsonl", "record": 3, "words": 6, "words_left": 2, "reason": "fewer than 5 words left"})
        ]
    );
    let counts = json!({"read": 7, "kept": 5, "dropped": 1, "rejected": 1, "skipped": 0, "skipped_by_kind": {}});
    let summary = world.summary("out");
    assert_eq!(summary["records"], counts);
    assert_eq!(
        (&summary["words"], &summary["words_repeated"]),
        (&json!(52), &json!(9))
    );
    assert!(!world.exists("out/kept"));

    // The same with the cuts, whatever the memory, threads and order.
    let apply = [
        "blocks",
        "in/b.jsonl.gz",
        "in/a.jsonl",
        "--apply",
        "-q",
        "-o",
        "cut",
    ];
    world
        .run(&[&apply[..], &["--threads", "1", "--memory", "128M"]].concat())
        .code(1);
    for name in ["spans.jsonl", "dropped.jsonl", "rejects.jsonl"] {
        assert_eq!(
            world.read(&format!("cut/{name}")),
            world.read(&format!("out/{name}"))
        );
    }
    let kept = world.read("cut/kept/a.jsonl");
    let before = world.read("in/a.jsonl");
    let mut lines = before.lines();
    let first = lines.next().unwrap();
    let expected = first
        .replace("Home\\n\\n", "")
        .replace("\\n\\nShare this page!", "");
    assert_eq!(
        kept.lines().collect::<Vec<_>>(),
        [&expected, lines.next().unwrap()]
    );

    // And once more.
    let again = ["blocks", "cut/kept", "--apply", "-o", "again"];
    world.run(&again).code(0);
    assert_eq!(world.read("again/spans.jsonl"), "");
    assert_eq!(world.read("again/kept/kept/a.jsonl"), kept);
    world.run(&again).code(2).says(&["not empty", "--force"]);
}

#[test]
fn a_passage_is_cut_wherever_it_stands() {
    let world = World::new();
    let passage =
        "the ferry to Naxos left late because of the storm and nobody at the quay knew why";
    let page = |id: &str, date: &str, text: String| {
        json!({"id": id, "date": date, "text": text}).to_string() + "\n"
    };
    let pages = [
        page(
            "a",
            "2024-01-02",
            format!("It was said that {passage}, and then it rained for days.\n\nMore of it."),
        ),
        page("b", "2024-01-01", format!("As we wrote, {passage}.")),
        page("c", "2024-01-03", passage.to_uppercase()),
    ];
    world.file("in.jsonl", pages.concat());
    let run = [
        "blocks",
        "in.jsonl",
        "--scope",
        "collection",
        "--unit",
        "passage",
        "--passage-words",
        "10",
    ];
    let told = ["--apply", "--text", "--force", "-q"];
    for given in [["--threads", "1"], ["--memory", "200M"]] {
        world
            .run(&[&run[..], &told, &given, &["-o", "out"]].concat())
            .code(0);
        let texts: Vec<Value> = world
            .lines("out/kept/in.jsonl")
            .iter()
            .map(|of| of["text"].clone())
            .collect();
        assert_eq!(
            texts,
            [
                json!("It was said that\n\nwhy, and then it rained for days.\n\nMore of it."),
                json!(format!("As we wrote, {passage}.")),
            ]
        );
    }
    // `why,` is not `why.`: a mark belongs to the word before it.
    let spans = world.lines("out/spans.jsonl");
    let end = passage.len() as u64 - 4;
    assert_eq!(
        of(&spans, &["id", "begin", "end"]),
        [
            [&json!("a"), &json!(17), &json!(17 + end)],
            [&json!("c"), &json!(0), &json!(end)],
        ]
    );
    let blocks = world.lines("out/blocks.jsonl");
    assert_eq!(
        of(&blocks, &["df", "places", "cut", "text"]),
        [[
            &json!(3),
            &json!(3),
            &json!(2),
            &json!("the ferry to Naxos left late because of the storm")
        ]]
    );
    assert_eq!(world.lines("out/dropped.jsonl").len(), 1);
    // A second run cuts nothing.
    let again = [
        "blocks",
        "out/kept",
        "--scope",
        "collection",
        "--unit",
        "passage",
        "--passage-words",
        "10",
        "--apply",
        "-q",
        "-o",
        "again",
    ];
    world.run(&again).code(0);
    assert_eq!(world.summary("again")["spans"], 0);
    assert_eq!(
        world.read("again/kept/kept/in.jsonl"),
        world.read("out/kept/in.jsonl")
    );
}

#[test]
fn what_stands_in_markup_is_named_only() {
    let world = World::new();
    for n in 0..3 {
        let page = format!(
            "<title>x</title><p>Share this page<p>{}",
            "One of many pages. ".repeat(n + 1)
        );
        world.file(&format!("in/h{n}.html"), page);
    }
    world.file(
        "in/z.txt",
        "Share this page\n\nThis one is plain text, and is cut.\n",
    );
    let options = ["--scope", "collection", "--apply"];
    let said = world
        .run(&[&["blocks", "in", "-o", "out"], &options[..]].concat())
        .code(0)
        .stdout();
    assert!(said.contains("2 pages with such blocks in HTML"), "{said}");
    let spans = world.lines("out/spans.jsonl");
    assert_eq!(
        of(&spans, &["id", "begin", "end", "cut"]),
        [
            [&json!("h1.html"), &json!(0), &json!(15), &json!(false)],
            [&json!("h2.html"), &json!(0), &json!(15), &json!(false)],
            [&json!("z.txt"), &json!(0), &json!(15), &json!(true)],
        ]
    );
    assert_eq!(world.read("out/kept/in/h1.html"), world.read("in/h1.html"));
    assert_eq!(
        world.read("out/kept/in/z.txt"),
        "This one is plain text, and is cut.\n"
    );
    assert_eq!(world.summary("out")["pages_named"], 2);
}

#[test]
fn wrong_use_is_said() {
    let world = world();
    let run = |options: &[&str]| {
        world
            .run(&[&["blocks", "in", "-o", "out"], options].concat())
            .code(2)
    };
    run(&["--keep", "under:1"]).says(&["under:N"]);
    run(&["--min-words", "0"]).says(&["--min-words"]);
    run(&["--apply", "--text-field", "title,text"]).says(&["--text-field"]);
    run(&["--memory", "1M"]).says(&["128M"]);
}
