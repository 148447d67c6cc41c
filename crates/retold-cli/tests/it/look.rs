//! Commands for people who look at what a run or an index has: `pairs`, `explain --settings`, `digest`; and the language of all of them.

use std::fmt::Write;

use crate::common::{World, story};

/// Six pages: two stories with copies of which one says more, and a page alone. Fields have names of their own.
fn pages(world: &World) {
    let more = "The harbour master of Paros added that nobody had expected the storm to come so early in the year.";
    let mut lines = String::new();
    for (id, url, text, quality) in [
        ("a1", "http://a.example/1", story(1), 1),
        (
            "a2",
            "http://b.example/1",
            format!("{} {more}", story(1)),
            2,
        ),
        ("a3", "http://a.example/2", story(1), 3),
        ("b1", "http://b.example/2", story(2), 4),
        (
            "b2",
            "http://c.example/<2>",
            format!("{} Read on.", story(2)),
            5,
        ),
        ("c1", "http://c.example/3", story(3), 6),
    ] {
        let record = serde_json::json!({"key": id, "link": url, "body": text, "quality": quality});
        writeln!(lines, "{record}").unwrap();
    }
    world.file("in.jsonl", lines);
}

const FIELDS: [&str; 6] = [
    "--text-field",
    "body",
    "--id-field",
    "key",
    "--url-field",
    "link",
];

fn dedup(world: &World, out: &str, more: &[&str]) {
    let run = [&["dedup", "in.jsonl", "-o", out, "-q"][..], &FIELDS, more].concat();
    world.run(&run).code(0);
}

#[test]
fn dropped_pages_beside_those_for_which_they_went() {
    let world = World::new();
    pages(&world);
    dedup(&world, "out", &[]);
    let told = world.run(&["pairs", "out", "-q"]).code(0).stdout();
    assert_eq!(told.matches("  dropped ").count(), 3, "{told}");
    assert!(told.contains("In part 0 of story 1"), "{told}");
    let of_site = |site: &str| world.run(&["pairs", "out", "-q", "--site", site, "-n", "5"]);
    let told = of_site("a.example").code(0).stdout();
    assert_eq!(told.matches("  dropped ").count(), 2, "{told}");
    of_site("c.example").code(2).says(&["dropped no such page"]);
    world
        .run(&["pairs", "out", "--site", "nobody.example"])
        .code(2)
        .says(&["nobody.example"]);
    world
        .run(&["pairs", "out", "-q", "--by", "lost", "--html", "p.html"])
        .code(0);
    let page = world.read("p.html");
    assert_eq!(page.matches("<section>").count(), 3);
    assert!(page.contains("<mark>") && page.contains("<summary>Why</summary>"));
    world
        .run(&["pairs", "out", "--html", "p.html"])
        .code(2)
        .says(&["p.html", "--force"]);
    world
        .run(&["pairs", "out", "-q", "--html", "p.html", "--force"])
        .code(0);
    // The same seed chooses the same pages.
    let chosen = |seed: &str| {
        world
            .run(&["pairs", "out", "-q", "-n", "1", "--seed", seed])
            .code(0)
            .stdout()
    };
    assert_eq!(chosen("1"), chosen("1"));
    assert!((0..9).any(|seed| chosen(&seed.to_string()) != chosen("1")));
}

#[test]
fn what_other_settings_would_drop() {
    let world = World::new();
    pages(&world);
    dedup(&world, "out", &[]);
    let told = world
        .run(&["explain", "out", "--settings"])
        .code(0)
        .stdout();
    assert!(
        told.starts_with("of 6 pages, each setting drops:\n"),
        "{told}"
    );
    for setting in [
        "the run's own",
        "--own 0",
        "--own 50,20%",
        "--preset copies",
        "--drop overlaps",
    ] {
        assert!(told.contains(setting), "{setting}: {told}");
    }
    world
        .run(&["explain", "--settings"])
        .code(2)
        .says(&["one finished run expected"]);
    world
        .run(&["explain", "in.jsonl", "--settings"])
        .code(2)
        .says(&["not a finished run"]);
}

#[test]
fn a_ranking_field_that_no_page_has_is_refused() {
    let world = World::new();
    pages(&world);
    let run = |input: &str, field: &str| {
        let canonical = format!("field:{field}:desc");
        let run = [
            &["dedup", input, "-o", "x", "-q", "--canonical", &canonical][..],
            &FIELDS,
        ]
        .concat();
        world.run(&run)
    };
    run("in.jsonl", "qualitty")
        .code(2)
        .says(&["qualitty", "did you mean `quality`?"]);
    world.file(
        "in.csv",
        "key,link,body,quality\n1,http://a.example/,a text of one page,7\n",
    );
    run("in.csv", "quallity")
        .code(2)
        .says(&["did you mean `quality`?"]);
    run("in.jsonl", "quality").code(0);
}

#[test]
fn kept_pages_are_sampled_with_the_fields_of_their_run() {
    let world = World::new();
    pages(&world);
    dedup(&world, "out", &["--annotate"]);
    let told = world
        .run(&["sample", "out/kept", "--weights", "1:1", "-o", "s"])
        .code(0)
        .stdout();
    assert!(told.starts_with("3 kept pages: 3 written"), "{told}");
    world.file("other.jsonl", "{\"content\":\"no such field\"}\n");
    world
        .run(&["sample", "other.jsonl", "--weights", "1:1", "-o", "t"])
        .code(2)
        .says(&["no page to sample", "other.jsonl, record 1", "content"]);
}

#[test]
fn a_digest_says_who_was_first_who_added_and_what_was_changed() {
    let world = World::new();
    world.run(&["index", "create", "news", "-q"]).code(0);
    let more = "The harbour master of Paros added that nobody had expected the storm to come so early in the year.";
    let line = |url: &str, title: &str, date: &str, text: &str| {
        serde_json::json!({"url": url, "title": title, "date": date, "text": text}).to_string()
    };
    let lines = [
        line(
            "http://a.example/1",
            "Boats <b>late</b>",
            "2026-11-01",
            &story(1),
        ),
        line(
            "http://b.example/1",
            "Boats late again",
            "2026-11-02",
            &format!("{} {more}", story(1)),
        ),
        line("http://c.example/1", "Alone", "2026-11-02", &story(2)),
    ];
    world.file("in.jsonl", lines.join("\n"));
    world
        .run(&["index", "add", "news", "in.jsonl", "-q"])
        .code(0);
    world.file(
        "new.jsonl",
        line(
            "http://c.example/1#top",
            "Alone, mended",
            "2026-11-03",
            &story(2).replace("island", "peninsula"),
        ),
    );
    let added = world
        .run(&["index", "add", "news", "new.jsonl", "-q"])
        .code(0)
        .stdout();
    assert!(added.contains("\"status\":\"replaced\""), "{added}");
    let told = world
        .run(&["digest", "news", "--since", "2026-10-01"])
        .code(0)
        .stdout();
    for part in [
        "pages: 3, on sites: 3; new stories: 1,",
        "Boats <b>late</b> (pages: 2, sites: 2)",
        "2026-11-01 00:00  excerpt · first  a.example  Boats <b>late</b>",
        "2026-11-02 00:00  extended  b.example  Boats late again",
        more,
        "== Changed afterwards ==",
        "replaced: 12",
        "headline before: Alone",
        "- island",
        "+ peninsula",
    ] {
        assert!(told.contains(part), "`{part}` is missing in {told}");
    }
    let chinese = world
        .run(&["digest", "news", "--since", "2026-10-01", "--lang", "zh"])
        .code(0)
        .stdout();
    assert!(
        chinese.contains("首发") && chinese.contains("原标题：Alone"),
        "{chinese}"
    );
    world
        .run(&["digest", "news", "--since", "2026-10-01", "-o", "d.html"])
        .code(0);
    let page = world.read("d.html");
    assert!(
        page.contains("Boats &lt;b&gt;late&lt;/b&gt;") && !page.contains("<script"),
        "{page}"
    );
    world
        .run(&["digest", "news", "-o", "d.html"])
        .code(2)
        .says(&["d.html"]);
    world
        .run(&["digest", "news", "--since", "soon"])
        .code(2)
        .says(&["--since soon"]);
    let versions = world
        .run(&["index", "versions", "news", "http://c.example/1"])
        .code(0)
        .stdout();
    assert!(
        versions.contains("\"id\":\"http://c.example/1\""),
        "{versions}"
    );
    world
        .run(&["index", "snapshot", "news", "copy", "-q"])
        .code(0);
    world.run(&["index", "check", "copy"]).code(0);
}

#[test]
fn people_are_addressed_in_their_language() {
    let world = World::new();
    pages(&world);
    let english = world.run(&["dedup", "-h"]).code(0).stdout();
    assert!(english.contains("Usage: retold dedup"), "{english}");
    let run = |language: &[(&str, &str)], arguments: &[&str]| {
        let mut command = world.command(arguments);
        command.env_remove("LC_ALL").env_remove("LC_MESSAGES");
        command.envs(language.iter().copied());
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let asked = run(&[("LANG", "C")], &["dedup", "-h", "--lang", "zh"]);
    assert!(asked.contains("用法：retold dedup"), "{asked}");
    assert_eq!(run(&[("LANG", "zh_CN.UTF-8")], &["dedup", "-h"]), asked);
    assert_eq!(
        run(
            &[("LANG", "zh_CN.UTF-8"), ("LC_ALL", "en_GB.UTF-8")],
            &["dedup", "-h"]
        ),
        english
    );
    let account = run(
        &[("LC_MESSAGES", "zh_CN")],
        &[&["dedup", "in.jsonl", "-o", "out"][..], &FIELDS].concat(),
    );
    assert!(
        account.starts_with("读取 6 个网页：保留 3 个，去除 3 个"),
        "{account}"
    );
    // What programs read stays the same.
    let told = run(
        &[("LANG", "zh_CN.UTF-8")],
        &["explain", "out", "a1", "a3", "--json", "--no-df"],
    );
    assert!(told.contains("\"relation\": \"duplicate\""), "{told}");
}
