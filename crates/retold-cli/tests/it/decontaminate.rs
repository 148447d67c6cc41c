//! `retold decontaminate` through the real binary.

use serde_json::json;

use crate::common::{World, gzip};

const FERRY: &str =
    "How many lorries does the old ferry carry to Naxos when it leaves at noon in a storm?";

/// A corpus of two files and a benchmark of three items.
fn world() -> World {
    let world = World::new();
    let page = |id: &str, text: &str| json!({"id": id, "text": text}).to_string() + "\n";
    let clean = page(
        "clean",
        "The ferry left at noon. Nothing else is known of it.",
    );
    let wrapped = FERRY
        .replace(" carry", "\ncarry")
        .replace(" when", "\nwhen");
    world.file(
        "in/a.jsonl",
        clean.clone() + &page("wrapped", &format!("Hello!\n\n{wrapped} Nine.")) + "{broken\n",
    );
    world.file(
        "in/b.jsonl.gz",
        gzip((page("short", "So: what is osmosis? A movement of water.") + &clean).as_bytes()),
    );
    let items = [
        json!({"id": "f", "question": FERRY, "answer": "9"}),
        json!({"question": "What is osmosis?", "choices": {"text": ["Movement of water", "A dance"]}}),
        json!({"id": "none", "title": "no question"}),
    ];
    world.file(
        "evals/quiz_test.jsonl",
        items.map(|item| item.to_string() + "\n").concat(),
    );
    world
}

#[test]
fn contaminated_pages_are_listed_and_left_out() {
    let world = world();
    let run = ["decontaminate", "in", "--benchmarks", "evals", "-o"];
    let said = world.run(&[&run[..], &["out"]].concat()).code(1).stdout();
    assert!(
        said.contains("quiz test: 2 of 2 items found, on 2 pages"),
        "{said}"
    );
    let found = world.lines("out/contaminated.jsonl");
    let expected = json!({
        "id": "wrapped", "source": "a.jsonl", "record": 2, "benchmark": "quiz", "split": "test", "item": "f",
        "score": 1.0, "question": 1.0, "answer": false, "passage": false, "begin": 7, "end": 7 + FERRY.len() - 1,
    });
    assert_eq!(found[0], expected);
    assert_eq!(
        (
            &found[1]["id"],
            &found[1]["item"],
            &found[1]["score"],
            &found[1]["answer"]
        ),
        (&json!("short"), &json!("2"), &json!(0.7), &json!(true))
    );
    assert_eq!(found.len(), 2);
    assert_eq!(world.lines("out/kept/in/a.jsonl")[0]["id"], "clean");
    assert_eq!(world.files("out/kept"), ["in/a.jsonl", "in/b.jsonl.gz"]);
    let summary = world.summary("out");
    assert_eq!(
        summary["records"],
        json!({"read": 5, "kept": 2, "dropped": 2, "rejected": 1, "skipped": 0, "skipped_by_kind": {}})
    );
    assert_eq!(
        summary["benchmarks"],
        json!([{"benchmark": "quiz", "split": "test", "items": 2, "without_question": 1, "items_found": 2, "pages": 2}])
    );
    // Files in another order, and another number of threads.
    let other = [
        "decontaminate",
        "in",
        "--benchmarks",
        "evals",
        "--threads",
        "1",
        "-o",
        "one",
    ];
    world.run(&other).code(1);
    for name in ["contaminated.jsonl", "rejects.jsonl", "kept/in/a.jsonl"] {
        assert_eq!(
            world.read(&format!("out/{name}")),
            world.read(&format!("one/{name}"))
        );
    }
    assert_eq!(summary["records"], world.summary("one")["records"]);
    world
        .run(&[&run[..], &["out"]].concat())
        .code(2)
        .says(&["not empty", "--force"]);
    world
        .run(
            &[
                &run[..],
                &["out", "--force", "--no-kept", "-q", "--threshold", "0.9"],
            ]
            .concat(),
        )
        .code(1);
    assert!(!world.exists("out/kept"));
    assert_eq!(world.lines("out/contaminated.jsonl").len(), 1);
}

#[test]
fn offsets_are_those_of_the_text_command() {
    let world = world();
    let page = format!(
        "<html><body><nav><a href=/>Home</a><a href=/b>Ünits</a></nav><main><p>A long paragraph of prose comes first, which tells \
         of ferries, of the sea and of much else, as pages do. It has two sentences.</p><p>Then somebody asks: {FERRY} Nobody knows, and \
         the paragraph goes on for a while, so that it is taken for main text.</p></main></body></html>"
    );
    world.file("p.html", page);
    for extract in ["main", "none"] {
        let out = format!("{extract}-out");
        let run = [
            "decontaminate",
            "p.html",
            "--benchmarks",
            "evals",
            "--extract",
            extract,
            "-o",
            &out,
        ];
        world.run(&run).code(0);
        let text = world
            .run(&["text", "p.html", "--extract", extract])
            .code(0)
            .stdout();
        let text: serde_json::Value = serde_json::from_str(&text).unwrap();
        let text: Vec<char> = text["text"].as_str().unwrap().chars().collect();
        let found = &world.lines(&format!("{out}/contaminated.jsonl"))[0];
        let at = |name: &str| found[name].as_u64().unwrap() as usize;
        let shown: String = text[at("begin")..at("end")].iter().collect();
        assert_eq!(shown, FERRY.trim_end_matches('?'), "{extract}");
    }
}

#[test]
fn benchmarks_that_cannot_be_read_are_named() {
    let world = world();
    let run = |evals: &str| {
        world
            .run(&["decontaminate", "in", "--benchmarks", evals, "-o", "out"])
            .code(2)
    };
    world.file("bad.jsonl", "{\"question\": \"What is it?\"}\n{oops\n");
    run("bad.jsonl").says(&[
        "bad.jsonl, record 2",
        "benchmarks are JSONL, CSV or Parquet files",
    ]);
    world.file("other.csv", "task,key\nWhat is it?,A boat\n");
    run("other.csv").says(&["other.csv: no record has a question", "--question-field"]);
    run("absent.jsonl").says(&["absent.jsonl"]);
    let named = [
        "decontaminate",
        "in",
        "--benchmarks",
        "other.csv",
        "--question-field",
        "task",
        "-o",
        "out",
        "-q",
    ];
    world.run(&named).code(1);
}
