//! `retold eval` through the real binary.

use crate::common::World;
use serde_json::Value;

fn pair(a: &str, b: &str, relation: &str, similarity: f64) -> String {
    format!(
        "{{\"a\":\"{a}\",\"b\":\"{b}\",\"relation\":\"{relation}\",\"similarity\":{similarity:.6},\"length_ratio\":1.0,\"shared\":3}}\n"
    )
}

fn files(world: &World) {
    world.file(
        "pairs.jsonl",
        pair("a", "b", "duplicate", 0.9)
            + &pair("a", "c", "contains", 0.75)
            + &pair("x", "y", "duplicate", 0.8),
    );
    // The second pair comes swapped.
    world.file(
        "gold.tsv",
        "a\tb\tduplicate\nc\ta\tcontained_by\nb\td\trelated\na\td\tignore\n",
    );
}

#[test]
fn scores_are_printed_as_json() {
    let world = World::new();
    files(&world);
    let ran = world
        .run(&["eval", "--pairs", "pairs.jsonl", "--gold", "gold.tsv"])
        .code(0);
    let result: Value = serde_json::from_str(&ran.stdout()).unwrap();
    assert_eq!(
        (
            &result["any"]["tp"],
            &result["any"]["fp"],
            &result["any"]["fn"]
        ),
        (&2.into(), &1.into(), &1.into())
    );
    assert_eq!(result["duplicate"]["precision"], 0.5);
    assert_eq!(result["containment"]["f1"], 1.0);
    assert_eq!(result["pages"]["tp"], 3);
    assert_eq!(result["pages"]["fn"], 1);

    let open = [
        "eval",
        "--pairs",
        "pairs.jsonl",
        "--gold",
        "gold.tsv",
        "--unlisted",
        "ignore",
    ];
    let result: Value = serde_json::from_str(&world.run(&open).code(0).stdout()).unwrap();
    assert_eq!(result["any"]["precision"], 1.0);

    world.file("ids", "a\nb\n");
    let some = [
        "eval",
        "--pairs",
        "pairs.jsonl",
        "--gold",
        "gold.tsv",
        "--universe",
        "ids",
    ];
    let result: Value = serde_json::from_str(&world.run(&some).code(0).stdout()).unwrap();
    assert_eq!(
        (&result["any"]["tp"], &result["any"]["f1"]),
        (&1.into(), &1.0.into())
    );
    assert!(result["containment"]["f1"].is_null());
}

#[test]
fn removed_pages_are_scored() {
    let world = World::new();
    files(&world);
    let line = |id: &str, canonical: &str, relation: &str| {
        format!("{{\"id\":\"{id}\",\"canonical\":\"{canonical}\",\"relation\":\"{relation}\"}}\n")
    };
    // b is a duplicate of a, c is in it; d and x are not.
    world.file(
        "dropped.jsonl",
        line("b", "a", "duplicate")
            + &line("c", "a", "contained_by")
            + &line("x", "a", "duplicate"),
    );
    let dropped = ["eval", "--gold", "gold.tsv", "--dropped", "dropped.jsonl"];
    let result: Value = serde_json::from_str(&world.run(&dropped).code(0).stdout()).unwrap();
    let removed = &result["removed"];
    assert_eq!(removed["duplicate"]["precision"], 0.5);
    assert_eq!(
        (
            &removed["duplicate"]["removable"],
            &removed["duplicate"]["recall"]
        ),
        (&1.into(), &1.0.into())
    );
    // {a b d} less one, and c.
    assert_eq!(
        (&removed["any"]["correct"], &removed["any"]["removable"]),
        (&2.into(), &3.into())
    );
    assert!(result["any"].is_null());
    let both = [&dropped[..], &["--pairs", "pairs.jsonl"]].concat();
    let result: Value = serde_json::from_str(&world.run(&both).code(0).stdout()).unwrap();
    assert_eq!(
        (&result["any"]["tp"], &result["removed"]["any"]["wrong"]),
        (&2.into(), &1.into())
    );
    world.run(&["eval", "--gold", "gold.tsv"]).code(2);
    world
        .run(&[&dropped[..], &["--sweep", "threshold=0.7:1:0.05"]].concat())
        .code(2);
}

/// A run whose dropped page is another one, by a hand that changed its texts afterwards.
#[test]
fn what_dropped_pages_took_with_them() {
    let world = World::new();
    let story: String = (0..60).map(|n| format!("word{n} ")).collect();
    let page =
        |id: &str, text: &str| serde_json::json!({"id": id, "text": text}).to_string() + "\n";
    world.file("pages.jsonl", page("a", &story) + &page("b", &story));
    world.run(&["dedup", "pages.jsonl", "-o", "out"]).code(0);
    let lost = ["eval", "--lost", "out"];
    let result: Value = serde_json::from_str(&world.run(&lost).code(0).stdout()).unwrap();
    let none = serde_json::json!({"dropped": 1, "losing": 0, "words": 0, "examples": []});
    assert_eq!(result, none);
    let own: String = (0..15).map(|n| format!("own{n} ")).collect();
    world.file(
        "pages.jsonl",
        page("a", &story) + &page("b", &(story.clone() + &own)),
    );
    let result: Value = serde_json::from_str(&world.run(&lost).code(0).stdout()).unwrap();
    assert_eq!(
        (&result["losing"], &result["words"]),
        (&1.into(), &15.into())
    );
    assert_eq!(result["examples"][0]["id"], "b");
    world.run(&["eval", "--lost", "gone"]).code(3);
    world
        .run(&[&lost[..], &["--gold", "gold.tsv"]].concat())
        .code(2);
}

#[test]
fn a_sweep_is_a_curve_that_can_only_rise() {
    let world = World::new();
    files(&world);
    world.file(
        "summary.json",
        r#"{"parameters":{"params":{"threshold":0.7}}}"#,
    );
    let sweep = |range: &str| {
        world.run(&[
            "eval",
            "--pairs",
            "pairs.jsonl",
            "--gold",
            "gold.tsv",
            "--sweep",
            range,
        ])
    };
    let csv = sweep("threshold=0.7:0.9:0.05").code(0).stdout();
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(&rows[0][..3], ["threshold", "any_tp", "any_fp"]);
    let counts: Vec<_> = rows[1..]
        .iter()
        .map(|row| (row[0], row[1], row[2]))
        .collect();
    assert_eq!(
        counts,
        [
            ("0.700000", "2", "1"),
            ("0.750000", "2", "1"),
            ("0.800000", "1", "1"),
            ("0.850000", "1", "0"),
            ("0.900000", "1", "0"),
        ]
    );
    sweep("threshold=0.6:0.9:0.1")
        .code(2)
        .says(&["written with threshold 0.7", "start at 0.7"]);
    sweep("words=1:2:1").code(2).says(&["only `threshold`"]);
    sweep("threshold=0.9").code(2).says(&["PARAM=FROM:TO:STEP"]);
}

#[test]
fn bad_files_are_named() {
    let world = World::new();
    files(&world);
    world.file("bad.jsonl", "{\"a\":1}\n");
    world
        .run(&["eval", "--pairs", "bad.jsonl", "--gold", "gold.tsv"])
        .code(2)
        .says(&["bad.jsonl", "line 1"]);
    world.file("bad.tsv", "a b\n");
    world
        .run(&["eval", "--pairs", "pairs.jsonl", "--gold", "bad.tsv"])
        .code(2)
        .says(&["bad.tsv", "line 1"]);
    world
        .run(&["eval", "--pairs", "gone", "--gold", "gold.tsv"])
        .says(&["gone"]);
}
