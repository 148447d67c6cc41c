//! Records that belong to a dropped WARC response are dropped with it.

use crate::common::World;

const FERRY: &str = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. \
                     The captain said that it was the last boat of the day. Nobody was hurt.";
const BRIDGE: &str = "A new bridge was opened on Monday. The mayor cut the ribbon in front of many people. Traffic had \
                      to take the long way round for two years, and shops had lost half of their customers.";

fn record(type_: &str, id: &str, fields: &str, content_type: &str, content: &str) -> String {
    format!(
        "WARC/1.1\r\nWARC-Type: {type_}\r\nWARC-Record-ID: <{id}>\r\n{fields}Content-Type: {content_type}\r\nContent-Length: {}\r\n\r\n\
         {content}\r\n\r\n",
        content.len()
    )
}

/// A request, its response, and what a crawler notes of both.
fn capture(name: &str, date: &str, text: &str) -> String {
    let moment = format!("WARC-Target-URI: http://{name}.example/\r\nWARC-Date: {date}\r\n");
    let to = format!("{moment}WARC-Concurrent-To: <{name}{date}>\r\n");
    let page = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{text}</p>");
    let id = |part: &str| format!("{name}{date}{part}");
    [
        record(
            "request",
            &id("-request"),
            &to,
            "application/http; msgtype=request",
            "GET / HTTP/1.1\r\n\r\n",
        ),
        record(
            "response",
            &id(""),
            &moment,
            "application/http; msgtype=response",
            &page,
        ),
        record(
            "metadata",
            &id("-metadata"),
            &to,
            "application/warc-fields",
            "fetchTimeMs: 9\r\n",
        ),
    ]
    .concat()
}

/// What a crawler writes into files of their own: responses, requests, and revisits with their requests.
fn in_files(world: &World) {
    let moment =
        |name: &str| format!("WARC-Target-URI: http://{name}.example/\r\nWARC-Date: 2024\r\n");
    let response = |name: &str, text: &str| {
        let page = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{text}</p>");
        record("response", name, &moment(name), "application/http", &page)
    };
    let request = |id: &str, fields: &str| {
        record(
            "request",
            id,
            fields,
            "application/http",
            "GET / HTTP/1.1\r\n\r\n",
        )
    };
    let revisit = |id: &str, of: &str| {
        let fields = format!("WARC-Refers-To: <{of}>\r\n");
        record(
            "revisit",
            id,
            &fields,
            "application/http",
            "HTTP/1.1 200 OK\r\n\r\n",
        )
    };
    let of = |id: &str| format!("WARC-Concurrent-To: <{id}>\r\n");
    let files = [
        (
            "crawl/responses-1.warc",
            vec![response("a", FERRY), response("b", BRIDGE)],
        ),
        ("crawl/responses-2.warc", vec![response("c", FERRY)]),
        // Before and behind what they belong to.
        (
            "crawl/requests.warc",
            vec![
                request("a1", &of("a")),
                request("b1", &moment("b")),
                request("c1", &moment("c")),
                request("r1", &of("r")),
            ],
        ),
        (
            "crawl/z-revisits.warc",
            vec![
                revisit("r", "c"),
                revisit("s", "b"),
                request("s1", &of("s")),
            ],
        ),
    ];
    for (name, records) in files {
        world.file(name, records.concat());
    }
}

#[test]
fn what_stands_in_other_files_goes_too() {
    let world = World::new();
    in_files(&world);
    let kept = |out: &str| -> Vec<Vec<String>> {
        let names = ["requests", "responses-1", "responses-2", "z-revisits"];
        let read = names.map(|name| world.read(&format!("{out}/kept/crawl/{name}.warc")));
        read.iter()
            .map(|file| ids(file).into_iter().map(str::to_owned).collect())
            .collect()
    };
    let all = [
        &["a1", "b1", "c1", "r1"][..],
        &["a", "b"],
        &["c"],
        &["r", "s", "s1"],
    ];
    let left = [&["a1", "b1"][..], &["a", "b"], &[], &["s", "s1"]];
    for (threads, memory) in [("1", "1G"), ("2", "2G")] {
        let run = [
            "dedup",
            "crawl",
            "-o",
            "out",
            "--canonical",
            "id",
            "--force",
            "-q",
        ];
        let given = ["--threads", threads, "--memory", memory];
        world.run(&[&run[..], &given].concat()).code(0);
        assert_eq!(kept("out"), left);
        let summary = world.summary("out");
        let counted = ["read", "kept", "dropped", "rejected", "skipped"];
        let counted = counted.map(|key| summary["records"][key].as_u64().unwrap());
        assert_eq!(counted, [10, 2, 1, 0, 7]);
        assert_eq!(summary["left_out"], 3);
    }
    // A second run leaves out nothing.
    world
        .run(&["dedup", "out/kept/crawl", "-o", "again", "-q"])
        .code(0);
    assert_eq!(kept("again"), left);
    assert_eq!(world.summary("again").get("left_out"), None);
    // A revisit takes the place of c, and what belongs to it stays; with --mark all does.
    for option in ["--revisits", "--mark"] {
        let run = [
            "dedup",
            "crawl",
            "-o",
            "whole",
            "--canonical",
            "id",
            "--force",
            "-q",
            option,
        ];
        world.run(&run).code(0);
        assert_eq!(kept("whole"), all, "{option}");
        assert_eq!(world.summary("whole").get("left_out"), None);
    }
    // What is contaminated, and what is not sampled.
    let quiz = serde_json::json!({ "question": BRIDGE }).to_string() + "\n";
    world.file("evals/quiz.jsonl", quiz);
    let run = [
        "decontaminate",
        "crawl",
        "--benchmarks",
        "evals",
        "-o",
        "clean",
    ];
    world.run(&run).code(0);
    assert_eq!(
        kept("clean"),
        [&["a1", "c1", "r1"][..], &["a"], &["c"], &["r"]]
    );
    world
        .run(&["sample", "out", "-o", "sample", "--weights", "1:1,2:0"])
        .code(0);
    let sampled = |name: &str| world.read(&format!("sample/copy-1/crawl/{name}.warc"));
    assert_eq!(ids(&sampled("responses-1")), ["b"]);
    assert_eq!(ids(&sampled("requests")), ["b1"]);
    assert_eq!(ids(&sampled("z-revisits")), ["s", "s1"]);
}

/// The ids of the records of a WARC file, in order.
fn ids(file: &str) -> Vec<&str> {
    let ids = file
        .lines()
        .filter_map(|line| line.strip_prefix("WARC-Record-ID: <"));
    ids.filter_map(|id| id.strip_suffix('>')).collect()
}

#[test]
fn requests_metadata_and_revisits_go_with_their_response() {
    let world = World::new();
    let revisit = |id: &str, of: &str| {
        record(
            "revisit",
            id,
            &format!("WARC-Refers-To: <{of}>\r\n"),
            "application/http",
            "HTTP/1.1 200 OK\r\n\r\n",
        )
    };
    let file = [
        record(
            "warcinfo",
            "info",
            "",
            "application/warc-fields",
            "software: none\r\n",
        ),
        capture("a", "2024-01-01T00:00:00Z", FERRY),
        capture("a", "2024-01-02T00:00:00Z", BRIDGE),
        capture(
            "b",
            "2024-01-01T00:00:00Z",
            &format!("{BRIDGE} More of it tomorrow."),
        ),
        revisit("first", "a2024-01-01T00:00:00Z"),
        revisit("last", "b2024-01-01T00:00:00Z"),
        revisit("elsewhere", "c2024-01-01T00:00:00Z"),
    ];
    world.file("in.warc", file.concat());
    world
        .run(&["dedup", "in.warc", "-o", "out", "--same-url", "exact", "-q"])
        .code(0);
    let summary = world.summary("out");
    let records = &summary["records"];
    let counted = ["read", "kept", "dropped", "rejected", "skipped"]
        .map(|key| records[key].as_u64().unwrap());
    assert_eq!(counted, [13, 1, 2, 0, 10]);
    assert_eq!(summary["left_out"], 5);
    let kept = world.read("out/kept/in.warc");
    let b = "b2024-01-01T00:00:00Z";
    let expected = [
        "info",
        &format!("{b}-request"),
        b,
        &format!("{b}-metadata"),
        "last",
        "elsewhere",
    ];
    assert_eq!(ids(&kept), expected);
    // What is kept is read again as it is.
    world
        .run(&[
            "dedup",
            "out/kept/in.warc",
            "-o",
            "again",
            "--same-url",
            "exact",
            "-q",
        ])
        .code(0);
    assert_eq!(world.read("again/kept/in.warc"), kept);
    assert_eq!(world.summary("again")["records"]["kept"], 1);
    assert_eq!(world.summary("again").get("left_out"), None);
    // A revisit takes the place of a response.
    let revisits = [
        "dedup",
        "in.warc",
        "-o",
        "revisits",
        "--same-url",
        "exact",
        "--revisits",
        "-q",
    ];
    world.run(&revisits).code(0);
    let kept = world.read("revisits/kept/in.warc");
    assert_eq!(ids(&kept).len(), 13);
    assert_eq!(kept.matches("WARC-Type: revisit").count(), 5);
    assert_eq!(
        kept.matches("WARC-Profile: urn:retold:revisit:same_url")
            .count(),
        1
    );
    let refers =
        format!("WARC-Refers-To: <{b}>\r\nWARC-Refers-To-Target-URI: http://b.example/\r\n");
    assert_eq!(kept.matches(&refers).count(), 2);
    world
        .run(&["dedup", "revisits/kept/in.warc", "-o", "third", "-q"])
        .code(0);
    let records = &world.summary("third")["records"];
    let counted = ["read", "kept", "dropped", "skipped"].map(|key| records[key].as_u64().unwrap());
    assert_eq!(counted, [13, 1, 0, 12]);
    // Where nothing is dropped nothing goes with it.
    world
        .run(&[
            "dedup",
            "in.warc",
            "-o",
            "marked",
            "--same-url",
            "exact",
            "--mark",
            "-q",
        ])
        .code(0);
    assert_eq!(ids(&world.read("marked/kept/in.warc")).len(), 13);
}

#[test]
fn they_go_with_contaminated_and_unsampled_pages_too() {
    let world = World::new();
    let [ferry, bridge] = [("a", FERRY), ("b", BRIDGE)]
        .map(|(name, text)| capture(name, "2024-01-01T00:00:00Z", text));
    world.file("in.warc", [ferry, bridge.clone()].concat());
    world.file(
        "evals/quiz.jsonl",
        serde_json::json!({ "question": BRIDGE }).to_string() + "\n",
    );
    let run = ["decontaminate", "in.warc", "--benchmarks", "evals"];
    world.run(&[&run[..], &["-o", "out"]].concat()).code(0);
    let a = "a2024-01-01T00:00:00Z";
    let of_a = [&format!("{a}-request"), a, &format!("{a}-metadata")];
    assert_eq!(ids(&world.read("out/kept/in.warc")), of_a);

    world.file(
        "copy.jsonl",
        serde_json::json!({"id": "z", "text": FERRY}).to_string() + "\n",
    );
    let run = [
        "dedup",
        "in.warc",
        "copy.jsonl",
        "--canonical",
        "id",
        "-o",
        "run",
        "-q",
    ];
    world.run(&run).code(0);
    world
        .run(&["sample", "run", "-o", "sample", "--weights", "1:0,2:2"])
        .code(0);
    let kept = world.read("sample/copy-1/in.warc");
    assert_eq!(ids(&kept), of_a);
    assert_eq!(ids(&world.read("sample/copy-2/in.warc")), [a]);
}
