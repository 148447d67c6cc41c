//! Who agrees, and who loses: the numbers of clusters, the tables of losses, and runs that end before they write.

use serde_json::{Value, json};

use crate::common::{World, article};

/// A record with a URL on that site, and a date if it is not empty.
fn record(id: &str, site: &str, date: &str, text: &str) -> String {
    let url = format!("https://{site}/{id}");
    format!(
        "{}\n",
        json!({"id": id, "url": url, "date": date, "text": text})
    )
}

/// One story in two files: twice at one.example, once at two.example and, a sentence longer, at three.example; and a page that nobody repeats.
fn agreeing(world: &World) {
    let story = article("洪水", 0..12);
    let longer = format!("{story}本报讯。");
    world.file(
        "in/a.jsonl",
        record("a1", "www.one.example", "2026-03-02", &story)
            + &record("a2", "one.example", "2026-03-04", &story)
            + &record("a3", "three.example", "2026-03-05", &longer),
    );
    world.file(
        "in/b.jsonl",
        record("b1", "two.example", "2026-03-01", &story)
            + &record("b2", "two.example", "", &article("渡船", 0..9)),
    );
}

#[test]
fn clusters_and_kept_pages_say_how_many_agree() {
    let world = World::new();
    agreeing(&world);
    world
        .run(&[
            "dedup",
            "in",
            "-o",
            "out",
            "-q",
            "--annotate",
            "--tables",
            "csv",
        ])
        .code(0);
    let agreement = json!({
        "pages": 3, "sites": 3, "inputs": 2, "first_date": "2026-03-01T00:00:00Z", "last_date": "2026-03-05T00:00:00Z",
    });
    let clusters = world.lines("out/clusters.jsonl");
    assert_eq!(clusters.len(), 1);
    for (name, value) in agreement.as_object().unwrap() {
        assert_eq!(&clusters[0][name], value, "{name}");
    }
    assert_eq!(clusters[0]["members"], json!(["a1", "a2", "a3", "b1"]));
    let lost = world.lines("out/dropped.jsonl");
    let lost: u64 = lost.iter().map(|line| line["lost"].as_u64().unwrap()).sum();
    assert_eq!(clusters[0]["lost"], lost);
    assert!(world.read("out/clusters.jsonl").starts_with(
        "{\"cluster\":0,\"canonical\":\"a3\",\"members\":[\"a1\",\"a2\",\"a3\",\"b1\"],\"pages\":3,"
    ));
    let csv = world.read("out/clusters.csv");
    assert!(csv.starts_with(
        "cluster,canonical,member,pages,sites,inputs,first_date,last_date,lost\n0,a3,a1,3,3,2,2026-03-01T00:00:00Z,"
    ));
    assert_eq!(csv.lines().count(), 5);

    let kept = world.lines("out/kept/in/a.jsonl");
    for (name, value) in agreement.as_object().unwrap() {
        assert_eq!(&kept[0][&format!("retold_{name}")], value, "{name}");
    }
    let alone = &world.lines("out/kept/in/b.jsonl")[0];
    let names = [
        "pages",
        "sites",
        "inputs",
        "first_date",
        "last_date",
        "lost",
    ];
    let alone = names.map(|name| alone[format!("retold_{name}")].clone());
    assert_eq!(
        alone,
        [
            json!(1),
            json!(1),
            json!(1),
            Value::Null,
            Value::Null,
            json!(0)
        ]
    );
    world
        .run(&["dedup", "in", "-o", "marked", "-q", "--mark"])
        .code(0);
    let marked = world.lines("marked/kept/in/a.jsonl");
    let sites = marked.iter().map(|record| &record["retold_sites"]);
    assert_eq!(sites.collect::<Vec<_>>(), [3, 3, 3]);
}

#[test]
fn kept_pages_are_repeated_by_the_number_of_sites_and_inputs() {
    let world = World::new();
    agreeing(&world);
    world
        .run(&["dedup", "in", "-o", "out", "-q", "--annotate"])
        .code(0);
    let written = |input: &str, out: &str, by: &str, weights: &str| {
        let sample = [
            "sample",
            input,
            "-o",
            out,
            "-q",
            "--by",
            by,
            "--weights",
            weights,
        ];
        world.run(&sample).code(0);
        world.summary(out)["records"]["written"].clone()
    };
    // The story is in a cluster of four pages, three of which count, on three sites, in two inputs; the other page is alone.
    for (out, by, weights, expected) in [
        ("size", "size", "1:1,4:5", 6),
        ("pages", "pages", "1:1,3:5,4:0", 6),
        ("sites", "sites", "1:1,3:5,4:0", 6),
        ("inputs", "inputs", "1:1,2:5,3:0", 6),
    ] {
        assert_eq!(written("out", out, by, weights), expected, "{by}");
        // The same from records with these fields.
        let files = format!("{out}-files");
        assert_eq!(
            written("out/kept/in", &files, by, weights),
            expected,
            "{by}"
        );
    }
    world
        .run(&[
            "sample",
            "in",
            "-o",
            "x",
            "--by",
            "sites",
            "--weights",
            "1:1",
        ])
        .code(2)
        .says(&["the field `retold_sites` is absent"]);
    // Runs of earlier versions list members only.
    let members = r#"{"cluster":0,"canonical":"a3","members":["a1","a2","a3","b1"]}"#;
    world.file("out/clusters.jsonl", format!("{members}\n"));
    assert_eq!(written("out", "earlier", "size", "1:1,4:5"), 6);
    world
        .run(&[
            "sample",
            "out",
            "-o",
            "x",
            "--by",
            "sites",
            "--weights",
            "1:1",
        ])
        .code(2)
        .says(&["clusters.jsonl was written by an earlier version"]);
}

/// 24 of 30 pages of lost.example go for pages of wiki.example, which another file has.
fn losing(world: &World) {
    let story = |n: usize| article(&format!("题目{n}"), 0..6);
    let lost = (0..30).map(|n| record(&format!("l{n:02}"), "lost.example", "", &story(n)));
    let wiki = (0..24).map(|n| {
        let longer = story(n) + "百科。";
        record(&format!("w{n:02}"), "wiki.example", "", &longer)
    });
    world.file("in/lost.jsonl", lost.collect::<String>());
    world.file("in/wiki.jsonl", wiki.collect::<String>());
}

#[test]
fn the_summary_says_who_lost_and_for_whom() {
    let world = World::new();
    losing(&world);
    let told = world.run(&["dedup", "in", "-o", "out"]).code(0).stdout();
    let line = |name: &str, other: &str| {
        format!(
            "check {name}: 24 of its 30 pages are dropped, 24 of them for pages of {other} (`losses` in summary.json)\n"
        )
    };
    assert!(
        told.contains(&line("lost.example", "wiki.example")),
        "{told}"
    );
    assert!(told.contains(&line("lost.jsonl", "wiki.jsonl")), "{told}");
    let losses = &world.summary("out")["losses"];
    let loss = |name: &str, most: &str| {
        json!([{
            "name": name, "read": 30, "kept": 6, "dropped": 24, "lost": 0, "most": {"name": most, "pages": 24},
        }])
    };
    assert_eq!(losses["sites"], loss("lost.example", "wiki.example"));
    assert_eq!(losses["inputs"], loss("lost.jsonl", "wiki.jsonl"));
    assert_eq!(
        (&losses["more_sites"], &losses["more_inputs"]),
        (&json!(0), &json!(0))
    );
    assert!(world.read("out/report.html").contains("\"losses\":{"));
    // A run that only marks tells the same, but drops nothing.
    let mark = ["dedup", "in", "-o", "marked", "--mark"];
    let told = world.run(&mark).code(0).stdout();
    assert!(!told.contains("check lost"), "{told}");
    assert_eq!(&world.summary("marked")["losses"], losses);
}

#[test]
fn a_run_that_would_drop_too_much_writes_nothing() {
    let world = World::new();
    losing(&world);
    let stopped = |limit: &str, more: &[&str], says: &[&str]| {
        let run = ["dedup", "in", "-o", "out", "-q", "--stop-if", limit];
        world.run(&[&run, more].concat()).code(4).says(says);
    };
    stopped(
        "dropped=40%",
        &[],
        &[
            "stopped before anything was written: 24 of the 54 pages (44.4 %) would be dropped, and the limit is 40 %; 1 of them for the page w00.",
            "raise the limit",
        ],
    );
    assert!(!world.exists("out"));
    stopped(
        "dropped=90%,site-dropped=80%",
        &[],
        &[
            "24 of the 30 pages of the site lost.example (80.0 %)",
            "24 of them for pages of wiki.example",
        ],
    );
    stopped(
        "input-dropped=75.5%",
        &["--mark"],
        &["of the input lost.jsonl"],
    );
    assert!(!world.exists("out"));

    // What an earlier run wrote stays as it is.
    world
        .run(&["dedup", "in/wiki.jsonl", "-o", "out", "-q"])
        .code(0);
    let before = world.files("out");
    let content = |file: &String| std::fs::read(world.path("out").join(file)).unwrap();
    let contents: Vec<_> = before.iter().map(content).collect();
    stopped("dropped=40%", &["--force"], &["24 of the 54 pages"]);
    assert_eq!(world.files("out"), before);
    assert_eq!(before.iter().map(content).collect::<Vec<_>>(), contents);

    // A limit that is not reached changes nothing; an interrupted run goes on under a higher one.
    let passes = ["--stop-if", "dropped=45%", "--stop-if", "site-dropped=81%"];
    let run = [
        &["dedup", "in", "-o", "resumed", "-q", "--resume"],
        &passes[..],
    ]
    .concat();
    let low = [
        "dedup",
        "in",
        "-o",
        "resumed",
        "-q",
        "--resume",
        "--stop-if",
        "dropped=1%",
    ];
    world.run(&low).code(4);
    assert!(!world.exists("resumed/kept") && !world.exists("resumed/summary.json"));
    world.run(&run).code(0);
    let summary = world.summary("resumed");
    assert_eq!(summary["records"]["dropped"], 24);
    assert_eq!(
        summary["parameters"]["stop_if"],
        json!(["dropped=45%", "site-dropped=81%"])
    );
    world
        .run(&["dedup", "in", "-o", "x", "--stop-if", "kept=3%"])
        .code(2)
        .says(&["dropped, site-dropped or input-dropped expected"]);
}
