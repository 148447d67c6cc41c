//! Pages of one address, through the command.

use serde_json::json;

use crate::common::World;

const FERRY: &str = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. \
                     The captain said that it was the last boat of the day. Nobody was hurt.";
const BRIDGE: &str = "A new bridge was opened on Monday. The mayor cut the ribbon in front of many people. Traffic had \
                      to take the long way round for two years, and shops had lost half of their customers.";

/// Two versions of a page, and a page that the newer one repeats.
fn world() -> World {
    let world = World::new();
    let line = |id: &str, url: &str, date: &str, text: &str| {
        json!({"id": id, "url": url, "date": date, "text": text}).to_string()
    };
    let lines = [
        line("old", "http://a.example/x#1", "2024-01-01", BRIDGE),
        line("new", "http://a.example/x", "2024-01-02", FERRY),
        line("copied", "http://b.example/", "2024-01-03", &format!("{FERRY} More of it tomorrow.")),
        json!({"id": "nowhere", "text": "Something else, of which there is no other, was said here."}).to_string(),
    ];
    world.file("in.jsonl", lines.join("\n") + "\n");
    world
}

#[test]
fn every_dropped_page_names_one_that_stays_and_numbers_add_up() {
    let world = world();
    let run = [
        "dedup",
        "in.jsonl",
        "-o",
        "out",
        "--same-url",
        "normalised",
        "--tables",
        "csv",
    ];
    let ran = world.run(&run).code(0);
    assert!(
        ran.stdout()
            .starts_with("4 pages read: 2 kept, 2 dropped, 1 of them as older versions ("),
        "{}",
        ran.stdout()
    );
    assert!(
        ran.stderr()
            .contains("--same-url normalised: 1 of 4 pages have no URL"),
        "{}",
        ran.stderr()
    );
    assert_eq!(
        world.lines("out/dropped.jsonl"),
        [
            json!({"id": "new", "canonical": "copied", "relation": "duplicate", "cluster": 0, "cluster_size": 2, "lost": 0}),
            json!({"id": "old", "canonical": "copied", "relation": "same_url", "cluster": null, "cluster_size": 1, "lost": 0}),
        ]
    );
    let summary = world.summary("out");
    assert_eq!(summary["same_url"], json!({"addresses": 1, "dropped": 1}));
    let records = &summary["records"];
    assert_eq!(
        [&records["read"], &records["kept"], &records["dropped"]],
        [4, 2, 2]
    );
    assert_eq!(
        world.read("out/versions.csv"),
        "newest,id,date\nnew,new,2024-01-02T00:00:00Z\nnew,old,2024-01-01T00:00:00Z\n"
    );
    // Nothing is related to a page that was compared with none.
    let ran = world.run(&["explain", "out", "old", "copied"]).code(0);
    let said = ran.stdout().replace("\n! ", " ");
    assert!(
        said.contains("The run did not compare `old`: it is an older version"),
        "{said}"
    );
}

#[test]
fn marks_say_which_version_stays() {
    let world = world();
    let run = [
        "dedup",
        "in.jsonl",
        "-o",
        "out",
        "--same-url",
        "normalised",
        "--mark",
        "-q",
    ];
    world.run(&run).code(0);
    assert_eq!(
        world.summary("out")["same_url"],
        json!({"addresses": 1, "dropped": 0})
    );
    let kept = world.lines("out/kept/in.jsonl");
    assert_eq!(kept.len(), 4);
    assert_eq!(
        [
            &kept[0]["retold_relation"],
            &kept[0]["retold_dropped_for"],
            &kept[0]["retold_cluster"]
        ],
        [&json!("same_url"), &json!("copied"), &json!(null)]
    );
}

/// What addresses decide does not depend on how a run came to its end, nor on threads.
#[test]
fn resumed_runs_and_threads_make_no_difference() {
    let world = world();
    let plain = [
        "dedup",
        "in.jsonl",
        "-o",
        "out",
        "--same-url",
        "exact",
        "--versions",
        "newest",
        "-q",
    ];
    world.run(&plain).code(0);
    let resumed = [
        "dedup",
        "in.jsonl",
        "-o",
        "other",
        "--same-url",
        "exact",
        "--resume",
        "--threads",
        "1",
        "-q",
    ];
    world.run(&resumed).code(0);
    for file in [
        "pairs.jsonl",
        "dropped.jsonl",
        "versions.jsonl",
        "kept/in.jsonl",
    ] {
        assert_eq!(
            world.read(&format!("out/{file}")),
            world.read(&format!("other/{file}")),
            "{file}"
        );
    }
    world.run(&["dedup", "in.jsonl", "-o", "off", "-q"]).code(0);
    assert!(!world.exists("off/versions.jsonl"));
}

#[test]
fn an_index_knows_no_addresses() {
    let world = world();
    world.run(&["index", "create", "index"]).code(0);
    let against = [
        "dedup",
        "in.jsonl",
        "-o",
        "out",
        "--same-url",
        "exact",
        "--against",
        "index",
    ];
    let ran = world.run(&against).code(2);
    assert!(
        ran.stderr()
            .contains("--same-url does not go with --against an index"),
        "{}",
        ran.stderr()
    );
}
