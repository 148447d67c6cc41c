//! The main job through the real binary: its output for given input.

use crate::common::{World, article, assert_same_output, gzip, html, line};

/// Five pages: an article, its reprint under another template, its first third, an edited copy, and another article.
fn pages(world: &World) {
    let story = article("洪水", 0..12);
    world.file("in/a.html", html("甲报", "洪水来了", &story));
    world.file("in/sub/b.html", html("乙网", "转载：洪水来了", &story));
    world.file("in/c.txt", article("洪水", 0..4));
    world.file("in/d.md", article("洪水", 2..13));
    world.file("in/e.html", html("甲报", "足球", &article("足球", 0..12)));
}

#[test]
fn copies_are_found_clustered_and_dropped() {
    let world = World::new();
    pages(&world);
    let ran = world
        .run(&["dedup", "in", "-o", "out", "--method", "period"])
        .code(0);
    assert!(
        ran.stdout()
            .contains("5 pages read: 2 kept, 3 dropped as copies"),
        "{}",
        ran.stdout()
    );

    let pairs = world.lines("out/pairs.jsonl");
    let of = |a: &str, b: &str| {
        pairs
            .iter()
            .find(|p| p["a"] == a && p["b"] == b)
            .unwrap()
            .clone()
    };
    assert_eq!(of("a.html", "sub/b.html")["relation"], "duplicate");
    assert_eq!(of("a.html", "c.txt")["relation"], "contains");
    assert_eq!(of("c.txt", "sub/b.html")["relation"], "contained_by");
    // 12 and 11 features, 10 shared.
    let edited = world.read("out/pairs.jsonl");
    let edited = edited
        .lines()
        .find(|l| l.contains(r#""a":"a.html","b":"d.md""#))
        .unwrap();
    assert_eq!(
        edited,
        r#"{"a":"a.html","b":"d.md","relation":"duplicate","similarity":0.909091,"length_ratio":0.916667,"shared":10,"own_a":0,"own_b":0}"#
    );

    let clusters = world.lines("out/clusters.jsonl");
    assert_eq!(clusters.len(), 1);
    assert_eq!(clusters[0]["cluster"], 0);
    let members: Vec<_> = clusters[0]["members"].as_array().unwrap().clone();
    assert_eq!(members, ["a.html", "c.txt", "d.md", "sub/b.html"]);
    let canonical = clusters[0]["canonical"].as_str().unwrap();
    assert_eq!(canonical, "sub/b.html", "the longest text stands for all");
    assert_eq!(world.files("out/kept/in"), ["e.html", "sub/b.html"]);
    assert_eq!(world.read("out/kept/in/e.html"), world.read("in/e.html"));

    let summary = world.summary("out");
    assert_eq!(summary["records"]["read"], 5);
    assert_eq!(summary["records"]["kept"], 2);
    assert_eq!(summary["records"]["dropped"], 3);
    assert_eq!(summary["pairs"], pairs.len());
    assert_eq!(summary["clusters"], 1);
    assert!(world.read("out/report.html").contains("sub/b.html"));
}

#[test]
fn what_is_dropped_and_kept_can_be_chosen() {
    let world = World::new();
    pages(&world);
    world
        .run(&["dedup", "in", "-o", "out", "--drop", "duplicate"])
        .code(0);
    assert_eq!(
        world.files("out/kept/in"),
        ["c.txt", "e.html", "sub/b.html"]
    );
    world
        .run(&[
            "dedup",
            "in",
            "-o",
            "out",
            "--force",
            "--canonical",
            "first",
        ])
        .code(0);
    assert_eq!(world.files("out/kept/in"), ["a.html", "e.html"]);
    world
        .run(&["dedup", "in", "-o", "out", "--force", "--no-kept"])
        .code(0);
    assert!(!world.exists("out/kept"));
    let ran = world
        .run(&[
            "dedup",
            "in",
            "-o",
            "out",
            "--force",
            "--canonical",
            "earliest",
        ])
        .code(0);
    ran.says(&["no page has a date; the longest page is kept"]);
}

#[test]
fn the_earliest_page_is_kept_where_there_are_dates() {
    let world = World::new();
    let story = article("洪水", 0..9);
    let record = |id: &str, date: &str, text: &str| {
        format!(
            "{}\n",
            serde_json::json!({"id": id, "date": date, "text": text})
        )
    };
    let lines = record("reprint", "2012-03-02", &format!("本报讯 {story}"))
        + &record("original", "2012年3月1日", &story)
        + &record("undated", "gestern", &story);
    world.file("in.jsonl", lines);
    let ran = world
        .run(&["dedup", "in.jsonl", "-o", "out", "--canonical", "earliest"])
        .code(0);
    ran.says(&["1 of 3 pages have no date"]);
    assert_eq!(
        world.lines("out/clusters.jsonl")[0]["canonical"],
        "original"
    );
}

#[test]
fn marking_keeps_every_record_and_adds_fields() {
    let world = World::new();
    let story = article("洪水", 0..9);
    world.file(
        "in.jsonl",
        line("a", &story) + &line("b", &story) + &line("c", "别的。"),
    );
    world
        .run(&["dedup", "in.jsonl", "-o", "out", "--mark"])
        .code(0);
    let records = world.lines("out/kept/in.jsonl");
    assert_eq!(records.len(), 3);
    assert_eq!(records[0]["retold_cluster"], 0);
    assert_eq!(records[0]["retold_canonical"], "a");
    assert!(records[0]["retold_relation"].is_null());
    assert_eq!(records[1]["retold_relation"], "duplicate");
    assert_eq!(records[1]["retold_dropped_for"], "a");
    assert!(records[0]["retold_dropped_for"].is_null());
    assert!(records[2]["retold_cluster"].is_null());
    let sizes = records.iter().map(|record| &record["retold_cluster_size"]);
    assert_eq!(sizes.collect::<Vec<_>>(), [2, 2, 1]);
    assert_eq!(world.summary("out")["records"]["dropped"], 0);
    assert_eq!(world.read("out/dropped.jsonl"), "");
}

#[test]
fn what_is_kept_says_how_many_pages_went_for_it() {
    let world = World::new();
    let story = article("洪水", 0..9);
    let rows = [
        ("a", &*story),
        ("b", &story),
        ("c", "别的。"),
        ("d", &story),
    ];
    let jsonl: String = rows.iter().map(|(id, text)| line(id, text)).collect();
    let csv = rows.map(|(id, text)| format!("{id},{text}\n")).concat();
    world.file("in/a.jsonl", &jsonl);
    world.file("b.csv", format!("id,text\n{csv}"));
    let run = |input: &str, out: &str, more: &[&str]| {
        world
            .run(&[&["dedup", input, "-o", out, "-q"], more].concat())
            .code(0);
    };
    run("in/a.jsonl", "plain", &[]);
    run("in/a.jsonl", "out", &["--annotate"]);
    // Without sites and dates, exact copies in one file agree with nobody.
    let alone = ", \"retold_pages\": 1, \"retold_sites\": 0, \"retold_inputs\": 1, \"retold_first_date\": null, \
                 \"retold_last_date\": null, \"retold_lost\": 0";
    let expected = [
        line("a", &story).replace(
            "}\n",
            &format!(", \"retold_cluster\": 0, \"retold_cluster_size\": 3, \"retold_dropped\": 2{alone}}}\n"),
        ),
        line("c", "别的。").replace(
            "}\n",
            &format!(", \"retold_cluster\": null, \"retold_cluster_size\": 1, \"retold_dropped\": 0{alone}}}\n"),
        ),
    ];
    assert_eq!(world.read("out/kept/a.jsonl"), expected.concat());
    for file in ["pairs.jsonl", "clusters.jsonl", "dropped.jsonl"] {
        assert_eq!(
            world.read(&format!("out/{file}")),
            world.read(&format!("plain/{file}"))
        );
    }
    let dropped = world.lines("out/dropped.jsonl");
    let of = dropped
        .iter()
        .map(|drop| (&drop["cluster"], &drop["cluster_size"]));
    assert!(of.eq([(&0.into(), &3.into()); 2]));

    let names = ["--names", "datatrove", "--annotate-as", "metadata"];
    run("in/a.jsonl", "names", &names);
    let records = world.lines("names/kept/a.jsonl");
    let ids = records
        .iter()
        .map(|record| record["metadata"]["minhash_cluster_id"].as_i64());
    assert_eq!(ids.collect::<Vec<_>>(), [Some(0), Some(-1)]);
    assert_eq!(records[0]["metadata"]["minhash_cluster_size"], 3);
    run("b.csv", "csv", &names);
    assert_eq!(
        world.read("csv/kept/b.csv"),
        format!(
            "id,text,metadata.minhash_cluster_id,metadata.minhash_cluster_size\na,{story},0,3\nc,别的。,-1,1\n"
        )
    );
    let wrong = ["dedup", "b.csv", "-o", "x", "--annotate-as", "a..b"];
    world
        .run(&wrong)
        .code(2)
        .says(&["names with dots between them expected"]);
}

#[test]
fn kept_pages_are_repeated_by_the_size_of_their_clusters() {
    let world = World::new();
    let story = article("洪水", 0..9);
    // Ids that only the numbers of records tell apart.
    let text = |text: &str| format!("{}\n", serde_json::json!({"text": text}));
    world.file("in/a.jsonl", text(&story) + "bad\n" + &text("别的。"));
    world.file("in/b.jsonl", text(&story) + &text("再别的。"));
    world.file("in/c.html", format!("<p>{story}</p>"));
    let dedup = [
        "dedup",
        "in",
        "-o",
        "out",
        "-q",
        "--annotate",
        "--rejects",
        "ok",
    ];
    world.run(&dedup).code(0);
    let sample = |input: &str, out: &str, weights: &str| {
        world.run(&["sample", input, "-o", out, "--weights", weights])
    };
    let told = sample("out", "run", "1:1,3:2").code(1).stdout();
    assert!(
        told.contains("3 kept pages: 4 written, 0 left out; 2 folders in run"),
        "{told}"
    );
    assert_eq!(
        world.read("run/copy-1/in/a.jsonl"),
        text(&story) + &text("别的。")
    );
    assert_eq!(world.read("run/copy-1/in/b.jsonl"), text("再别的。"));
    assert_eq!(world.files("run/copy-2/in"), ["a.jsonl"]);
    assert_eq!(world.read("run/copy-2/in/a.jsonl"), text(&story));
    assert_eq!(world.summary("run")["records"]["written"], 4);
    // The same from records with their sizes.
    sample("out/kept/in", "files", "1:0,3:2").code(0);
    assert_eq!(world.read("files/copy-1/in/b.jsonl"), "");
    let [first, second] = [1, 2].map(|n| world.lines(&format!("files/copy-{n}/in/a.jsonl")));
    assert_eq!(first, second);
    assert_eq!(
        (first.len(), &first[0]["retold_cluster_size"]),
        (1, &3.into())
    );
    sample("in/b.jsonl", "x", "1:1")
        .code(2)
        .says(&["b.jsonl, record 1: the field `retold_cluster_size` is absent"]);
    sample("out", "x", "2:1").code(2).says(&["SIZE:WEIGHT"]);
}

/// Shards of which all records went still have a file that can be read with the others.
#[test]
fn files_that_are_emptied_are_there_without_records() {
    let world = World::new();
    let story = article("洪水", 0..9);
    world.file("in/a.jsonl", line("a", &story));
    world.file("in/b.jsonl", line("b", &story));
    world.file("in/c.csv", format!("id,text\nc,{story}\n"));
    world.file(
        "in/d.jsonl.gz",
        crate::common::gzip(line("d", &story).as_bytes()),
    );
    world.file("in/e.txt", &story);
    world.run(&["dedup", "in", "-o", "out", "-q"]).code(0);
    assert_eq!(
        world.files("out/kept/in"),
        ["a.jsonl", "b.jsonl", "c.csv", "d.jsonl.gz"]
    );
    assert_eq!(world.read("out/kept/in/b.jsonl"), "");
    assert_eq!(world.read("out/kept/in/c.csv"), "id,text\n");
    let packed = std::fs::read(world.path("out/kept/in/d.jsonl.gz")).unwrap();
    let content = std::io::read_to_string(flate2::read::MultiGzDecoder::new(&*packed));
    assert_eq!(content.unwrap(), "");
    let annotate = ["dedup", "in", "-o", "sizes", "-q", "--annotate"];
    world.run(&annotate).code(0);
    assert_eq!(
        world.read("sizes/kept/in/c.csv"),
        "id,text,retold_cluster,retold_cluster_size,retold_dropped,retold_pages,retold_sites,retold_inputs,retold_first_date,\
         retold_last_date,retold_lost\n"
    );
    // Where no file is, the folder is.
    let args = [
        "dedup",
        "in/e.txt",
        "--against",
        "in/a.jsonl",
        "-o",
        "none",
        "-q",
    ];
    world.run(&args).code(0);
    assert!(world.path("none/kept").is_dir());
    assert!(world.files("none/kept").is_empty());
}

/// Chains of pages, each of which has two thirds of the one before: clusters cut them, dropping follows the relations.
#[test]
fn what_is_not_marked_as_dropped_is_what_is_kept() {
    let world = World::new();
    let stories = ["洪水", "大桥", "渡船"];
    let pages: Vec<(String, String)> = (0..24)
        .map(|n| {
            let from = n as u32 / 3 * 4;
            (format!("p{n:02}"), article(stories[n % 3], from..from + 12))
        })
        .collect();
    let jsonl: String = pages.iter().map(|(id, text)| line(id, text)).collect();
    let csv: String = pages
        .iter()
        .map(|(id, text)| format!("{id},\"{text}\"\n"))
        .collect();
    world.file("a.jsonl", jsonl);
    world.file("a.csv", format!("id,text\n{csv}"));
    for name in ["a.jsonl", "a.csv"] {
        world
            .run(&["dedup", name, "-o", "plain", "--force", "-q"])
            .code(0);
        let marked = ["dedup", name, "-o", "marked", "--mark", "--force", "-q"];
        world.run(&marked).code(0);
        let kept = world.read(&format!("plain/kept/{name}"));
        let rows = world.read(&format!("marked/kept/{name}"));
        // Behind the page that it is dropped for come the size of the cluster, and six fields about who agrees.
        let is_kept = |row: &&str| {
            let rest = row.rsplitn(8, ',').last().unwrap();
            rest.ends_with("\"retold_dropped_for\": null") || rest.ends_with(',')
        };
        let ids = |rows: &mut dyn Iterator<Item = &str>| -> Vec<String> {
            // The first id in a row is its own, the others are those of the marks.
            let own = |row: &str| {
                let places = pages.iter().filter_map(|(id, _)| Some((row.find(id)?, id)));
                places.min().map(|(_, id)| id.clone())
            };
            rows.filter_map(own).collect()
        };
        let found = ids(&mut rows.lines().filter(is_kept));
        assert_eq!(
            found,
            ids(&mut kept.lines().filter(|row| *row != "id,text")),
            "{name}"
        );
        assert!((4..pages.len()).contains(&found.len()), "{found:?}");
        let dropped = world.lines("plain/dropped.jsonl");
        let marks = world.lines("marked/marks.jsonl");
        let marks: Vec<_> = marks
            .iter()
            .filter(|mark| !mark["dropped_for"].is_null())
            .collect();
        assert_eq!(marks.len(), dropped.len());
        for (mark, drop) in marks.into_iter().zip(&dropped) {
            assert_eq!(
                (&mark["id"], &mark["dropped_for"]),
                (&drop["id"], &drop["canonical"])
            );
        }
    }
}

#[test]
fn marks_of_all_formats_stand_in_one_table() {
    let world = World::new();
    let story = article("洪水", 0..9);
    world.file("in/p.html", format!("<p>{story}</p>"));
    world.file("in/q.txt", &story);
    world.file("in/r.jsonl", line("b", &story) + &line("c", "别的。"));
    world.run(&["dedup", "in", "-o", "out", "--mark"]).code(0);
    let marks = world.lines("out/marks.jsonl");
    let ids: Vec<&str> = marks
        .iter()
        .filter_map(|mark| mark["id"].as_str())
        .collect();
    assert_eq!(ids, ["b", "p.html", "q.txt"]);
    for mark in &marks {
        assert_eq!(
            (&mark["cluster"], &mark["canonical"]),
            (&0.into(), &"b".into())
        );
        let relation = match mark["id"] == "b" {
            true => serde_json::Value::Null,
            false => "duplicate".into(),
        };
        assert_eq!(mark["relation"], relation);
        assert_eq!(mark["dropped_for"].is_null(), mark["id"] == "b");
    }
    // Marking what is marked changes nothing, and what is not marked has no table.
    world
        .run(&["dedup", "out/kept/in", "-o", "again", "--mark"])
        .code(0);
    let kept = |out: &str| world.read(&format!("{out}/kept/in/r.jsonl"));
    assert_eq!(kept("again"), kept("out"));
    world.run(&["dedup", "in", "-o", "plain"]).code(0);
    assert!(!world.path("plain/marks.jsonl").exists());
}

#[test]
fn ids_follow_the_contract() {
    let world = World::new();
    let records = [
        r#"{"id":"x","text":"一。"}"#,
        r#"{"id":"x","text":"二。"}"#,
        r#"{"url":"http://a.cn/1","text":"三。"}"#,
        r#"{"id":7,"text":"一。"}"#,
        r#"{"text":"二。"}"#,
        r#"{"id":"x","text":"三。"}"#,
    ];
    world.file("one.jsonl", records.join("\n"));
    world.run(&["dedup", "one.jsonl", "-o", "out"]).code(0);
    let pairs = world.lines("out/pairs.jsonl");
    let ids: Vec<String> = pairs
        .iter()
        .map(|p| format!("{} {}", p["a"], p["b"]))
        .collect();
    assert_eq!(
        ids,
        [
            r#""7" "x""#,
            r#""http://a.cn/1" "x#3""#,
            r#""one.jsonl#5" "x#2""#
        ]
    );
    // Two inputs with the same relative names get their own names in front.
    world.file("north/p.txt", "一。");
    world.file("south/p.txt", "一。");
    world
        .run(&["dedup", "north", "south", "-o", "out2"])
        .code(0);
    assert_eq!(
        world.lines("out2/clusters.jsonl")[0]["members"][0],
        "north/p.txt"
    );
    assert_eq!(
        world.lines("out2/clusters.jsonl")[0]["members"][1],
        "south/p.txt"
    );
}

#[test]
fn exact_copies_are_duplicates_even_without_a_feature() {
    let world = World::new();
    world.file(
        "in.jsonl",
        line("a", "没有句号") + &line("b", "沒有句號") + &line("c", "") + &line("d", ""),
    );
    world
        .run(&["dedup", "--method", "period", "in.jsonl", "-o", "out"])
        .code(0);
    let pairs = world.lines("out/pairs.jsonl");
    assert_eq!(pairs.len(), 1, "empty texts match nothing: {pairs:?}");
    assert_eq!(
        (&pairs[0]["a"], &pairs[0]["similarity"]),
        (&"a".into(), &1.0.into())
    );
    world
        .run(&[
            "dedup", "--method", "period", "in.jsonl", "-o", "off", "--exact", "off",
        ])
        .code(0);
    assert_eq!(world.read("off/pairs.jsonl"), "");
    world
        .run(&[
            "dedup",
            "--method",
            "period",
            "in.jsonl",
            "-o",
            "plain",
            "--fold",
            "nfkc,case",
        ])
        .code(0);
    assert_eq!(
        world.read("plain/pairs.jsonl"),
        "",
        "without folding they differ"
    );
}

#[test]
fn of_many_large_families_the_summary_tells_the_largest() {
    let world = World::new();
    let mut lines = String::new();
    for (family, pages) in [1001, 1004, 1002, 1003, 1005].into_iter().enumerate() {
        let story = article(&format!("洪水{family}"), 0..9);
        for n in 0..pages {
            lines += &line(
                &format!("{family}-{n:04}"),
                &format!("第{n:04}号\n\n{story}"),
            );
        }
    }
    world.file("in.jsonl", &lines);
    let args = [
        "dedup",
        "--method",
        "period",
        "in.jsonl",
        "-o",
        "out",
        "--no-kept",
    ];
    let ran = world.run(&args).code(0);
    let told = ran.stdout();
    let large = told
        .lines()
        .filter(|line| line.contains("are connected with"));
    let large: Vec<&str> = large.collect();
    assert_eq!(large.len(), 3, "{told}");
    assert!(
        large[0].starts_with("1,005") && large[2].starts_with("1,003"),
        "{large:?}"
    );
    assert!(
        told.contains("and 2 more, listed under `large_components` in summary.json"),
        "{told}"
    );
    assert_eq!(
        world.summary("out")["large_components"]
            .as_array()
            .unwrap()
            .len(),
        5
    );
}

#[test]
fn of_a_family_of_more_than_a_thousand_only_the_pairs_that_decide_are_listed() {
    let world = World::new();
    let story = article("洪水", 0..9);
    // Unlike headings, so that the texts differ and the sketches do not.
    let lines: String = (0..1001)
        .map(|n| line(&format!("p{n:04}"), &format!("第{n:04}号\n\n{story}")))
        .collect();
    world.file("in.jsonl", &lines);
    let ran = world
        .run(&["dedup", "--method", "period", "in.jsonl", "-o", "out"])
        .code(0);
    assert!(
        ran.stdout()
            .contains("1,001 pages are connected with p0000"),
        "{}",
        ran.stdout()
    );
    assert!(ran.stdout().contains("check cluster 0"), "{}", ran.stdout());
    let pairs = world.lines("out/pairs.jsonl");
    assert_eq!(pairs.len(), 1000);
    assert!(pairs.iter().all(|pair| pair["a"] == "p0000"));
    assert_eq!(world.summary("out")["large_components"][0]["pages"], 1001);
    assert_eq!(world.summary("out")["records"]["kept"], 1);
    // Of a thousand all pairs are listed.
    let smaller: String = lines.lines().take(1000).map(|l| format!("{l}\n")).collect();
    world.file("less.jsonl", smaller);
    world
        .run(&[
            "dedup",
            "--method",
            "period",
            "less.jsonl",
            "-o",
            "less",
            "--pairs",
            "all",
        ])
        .code(0);
    assert_eq!(world.summary("less")["pairs"], 1000 * 999 / 2);
}

#[test]
fn threads_and_the_order_of_files_change_nothing() {
    let world = World::new();
    for n in 0..40u32 {
        let text = article("甲", n % 7..n % 7 + 9) + &article("乙", n % 5..n % 5 + 3);
        world.file(&format!("a/{n}.html"), html("某站", "标题", &text));
        world.file(&format!("b/{n}.jsonl"), line(&format!("j{n}"), &text));
    }
    world
        .run(&["dedup", "a", "b", "-o", "one", "--threads", "1"])
        .code(0);
    world
        .run(&["dedup", "b", "a", "-o", "two", "--threads", "2"])
        .code(0);
    assert_same_output(&world.path("one"), &world.path("two"));
    assert_eq!(world.files("one/kept"), world.files("two/kept"));
}

#[test]
fn standard_input_is_jsonl() {
    use std::io::Write;
    use std::process::Stdio;
    let world = World::new();
    let story = article("洪水", 0..9);
    let mut child = world
        .command(&["dedup", "-", "-o", "out"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = line("a", &story) + &line("b", &story);
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(world.files("out/kept"), ["stdin.jsonl"]);
    assert_eq!(world.read("out/kept/stdin.jsonl"), line("a", &story));
}

#[test]
fn every_record_is_accounted_for() {
    let world = World::new();
    let story = article("洪水", 0..9);
    let good = line("a", &story) + &line("b", &story);
    world.file(
        "in/x.jsonl",
        good.clone() + "{\"id\":1}\nnot json\n\n[1]\n" + &line("c", "丙。"),
    );
    world.file("in/y.jsonl.gz", gzip(line("d", &story).as_bytes()));
    world.file("in/z.bin", [0u8, 159, 146, 150, 0, 1, 2, 3]);
    let ran = world.run(&["dedup", "in", "-o", "out"]).code(1);
    assert!(
        ran.stdout().contains("3 records could not be read"),
        "{}",
        ran.stdout()
    );
    let records = world.summary("out")["records"].clone();
    let count = |name: &str| records[name].as_u64().unwrap();
    assert_eq!(count("read"), 8);
    assert_eq!(
        count("read"),
        count("kept") + count("dropped") + count("rejected") + count("skipped")
    );
    assert_eq!(
        (count("rejected"), count("skipped"), count("dropped")),
        (3, 1, 2)
    );
    let rejects = world.lines("out/rejects.jsonl");
    assert_eq!(rejects[0]["source"], "x.jsonl");
    assert_eq!(rejects[0]["record"], 3);
    assert!(
        rejects[0]["reason"].as_str().unwrap().contains("text"),
        "{}",
        rejects[0]
    );
}
