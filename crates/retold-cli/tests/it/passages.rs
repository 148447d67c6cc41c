//! `retold passages` through the real binary.

use serde_json::{Value, json};

use crate::common::World;

const QUOTED: &str =
    "to be or not to be that is the question whether tis nobler in the mind to suffer";

/// Two pages with a quotation, one of them twice, one that has nothing of it, and one that cannot be read.
fn world() -> World {
    let world = World::new();
    let page = |id: &str, date: &str, text: &str| {
        let page =
            json!({"id": id, "date": date, "url": format!("http://{id}.example/"), "text": text});
        page.to_string() + "\n"
    };
    let essay = format!("Nobody reads the second act of that play today. {QUOTED}, he said.");
    let review = format!("What was forgotten on the stage yesterday: {QUOTED}. And he left.");
    world.file(
        "in/a.jsonl",
        page("essay", "2020-01-02", &essay) + &page("review", "2020-01-01", &review) + "{broken\n",
    );
    world.file(
        "in/b.jsonl",
        page("reprint", "2020-01-03", &essay)
            + &page("other", "2020-01-01", "Some other words of no importance."),
    );
    world
}

#[test]
fn passages_are_listed_with_their_places() {
    let world = world();
    let run = ["passages", "in", "-o", "out", "--min-words", "12", "--text"];
    let said = world.run(&run).code(1).stdout();
    assert!(
        said.contains("1 passage in 2 places")
            && said.contains("1 record could not be read")
            && said.contains("start with out/report.html"),
        "{said}"
    );
    let rows = world.lines("out/passages.jsonl");
    let row = |id: &str, begin: usize, date: &str, first: bool| {
        json!({
            "cluster": 0, "size": 2, "id": id, "begin": begin, "end": begin + QUOTED.len(),
            "begin_byte": begin, "end_byte": begin + QUOTED.len(), "site": format!("{id}.example"),
            "date": date, "first": first, "boilerplate": false, "text": QUOTED,
        })
    };
    assert_eq!(
        rows,
        [
            row("essay", 48, "2020-01-02T00:00:00Z", false),
            row("review", 43, "2020-01-01T00:00:00Z", true)
        ]
    );
    // Of 18 words that match 12 have up to three letters.
    assert_eq!(
        world.lines("out/pairs.jsonl"),
        [json!({
            "a": "essay", "a_begin": 48, "a_end": 48 + QUOTED.len(), "a_begin_byte": 48, "a_end_byte": 48 + QUOTED.len(),
            "b": "review", "b_begin": 43, "b_end": 43 + QUOTED.len(), "b_begin_byte": 43, "b_end_byte": 43 + QUOTED.len(),
            "matched": 18, "score": 2 * 18 - 12,
        })]
    );
    assert_eq!(
        world.lines("out/copies.jsonl"),
        [json!({"id": "reprint", "of": "essay"})]
    );
    assert_eq!(world.lines("out/rejects.jsonl").len(), 1);
    let summary = world.summary("out");
    assert_eq!(
        summary["records"],
        json!({"read": 5, "kept": 4, "dropped": 0, "rejected": 1, "skipped": 0, "skipped_by_kind": {}})
    );
    assert_eq!(
        (&summary["passages"], &summary["places"], &summary["copies"]),
        (&json!(1), &json!(2), &json!(1))
    );
}

/// A chunk of data of the report.
fn chunk(report: &str, id: &str) -> Value {
    let data = report.split(&format!("id=\"{id}\">")).nth(1).unwrap();
    serde_json::from_str(data.split("</script>").next().unwrap()).unwrap()
}

#[test]
fn the_report_says_who_has_a_passage_from_whom() {
    let world = world();
    // A third page quotes it later, word for word as the essay has it around it, and one without a date.
    let page = |id: &str, date: Value, text: String| {
        json!({"id": id, "date": date, "text": text}).to_string() + "\n"
    };
    world.file(
        "in/c.jsonl",
        page(
            "later",
            json!("2020-02-01"),
            format!("{QUOTED}, he said, with one word </script> of it wrong."),
        ) + &page("undated", Value::Null, format!("Then: {QUOTED}?")),
    );
    let run = ["passages", "in", "-o", "out", "--min-words", "12", "-q"];
    world.run(&run).code(1);
    let report = world.read("out/report.html");
    let pages = chunk(&report, "pages-0");
    // The essay has a copy; all texts are there. Slots are in the order of reading.
    assert_eq!(
        pages,
        json!([
            ["essay", "essay.example", "2020-01-02T00:00:00Z", 0, 1],
            ["later", null, "2020-02-01T00:00:00Z", 2, 0],
            ["review", "review.example", "2020-01-01T00:00:00Z", 1, 0],
            ["undated", null, null, 3, 0]
        ])
    );
    let listed = json!([{
        "cluster": 0, "size": 4, "sites": 2, "boilerplate": false, "places": 4, "page": 2, "chars": QUOTED.len(), "text": QUOTED,
    }]);
    assert_eq!(chunk(&report, "passages-0"), listed);
    let end = |begin: usize| begin + QUOTED.len();
    let detail = chunk(&report, "detail-0");
    // By date: the review, the essay, the later page; the one without a date comes last.
    let more = ", he said".len();
    let places = json!([
        [2, 43, end(43)],
        [0, 48, end(48) + more],
        [1, 0, end(0) + more],
        [3, 6, end(6)]
    ]);
    assert_eq!(detail[0][0], places);
    // The first has it from nobody, so the pair that is worth the most is shown; the essay has it from the review. The later page has a few
    // words more of the essay: from that. Of the page without a date, both pairs are worth the same: the earlier.
    let sources: Vec<(u64, u64, bool)> = detail[0][1]
        .as_array()
        .unwrap()
        .iter()
        .map(|from| {
            (
                from[0].as_u64().unwrap(),
                from[1].as_u64().unwrap(),
                from[8].as_bool().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        sources,
        [(0, 1, false), (1, 0, true), (2, 1, true), (3, 0, false)]
    );
    let texts = chunk(&report, "text-0");
    let essay = &texts[0];
    assert_eq!(essay["marks"], json!([[48, end(48) + more, 0]]));
    assert!(
        essay["windows"][0][1]
            .as_str()
            .unwrap()
            .starts_with("Nobody reads")
    );
    assert!(
        !report.contains("one word </script>"),
        "a text ends no script"
    );
}

/// But for its last chunk, which tells of the run.
#[test]
fn the_report_does_not_depend_on_memory_and_threads() {
    let world = world();
    let report = |out: &str, memory: &str, threads: &str| {
        let run = [
            "passages",
            "in",
            "-o",
            out,
            "--min-words",
            "3",
            "--memory",
            memory,
            "--threads",
            threads,
            "-q",
        ];
        world.run(&run).code(1);
        let report = world.read(&format!("{out}/report.html"));
        let (before, run) = report.split_once("id=\"run-0\">").unwrap();
        (
            before.to_owned(),
            run.split_once("</script>").unwrap().1.to_owned(),
        )
    };
    assert_eq!(report("one", "128M", "1"), report("four", "1G", "4"));
}

/// The bytes that are named, cut out of the field, are the passage, but for white space; of HTML none are named, and none of a field that is put
/// together from several.
#[test]
fn bytes_are_those_of_the_field() {
    let world = World::new();
    let verse = "床前明月光，疑是地上霜。舉頭望明月，低頭思故鄉。";
    let wrapped = QUOTED
        .replace(" or ", " \u{3000}or\t")
        .replace("the question", "the\nquestion");
    let fields = [
        (
            "a",
            format!("\u{3000}\u{3000}Né à Paris.\r\n\r\n{QUOTED}, he said.\n{verse}"),
        ),
        (
            "b",
            format!("Some 𝔄 other words. {wrapped}; then: {verse}!"),
        ),
    ];
    let line = |(id, text): &(&str, String)| json!({"id": id, "text": text}).to_string() + "\n";
    let html = json!({"id": "c", "html": format!("<p>In HTML.</p><p>{QUOTED}</p><p>{verse}")});
    world.file(
        "in.jsonl",
        fields.iter().map(line).collect::<String>() + &html.to_string(),
    );
    world.file(
        "in/d.txt",
        format!("\u{FEFF}A file of its own. {QUOTED} and {verse}"),
    );
    let run = [
        "passages",
        "in.jsonl",
        "in",
        "-o",
        "out",
        "--min-words",
        "12",
        "--min-chars",
        "15",
        "--text",
        "-q",
    ];
    world.run(&run).code(0);
    let file = world.read("in/d.txt");
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    let cut = |id: &str, begin: &Value, end: &Value| {
        let field = fields.iter().find(|(other, _)| *other == id);
        let field = field.map_or(file.as_str(), |(_, text)| text);
        let bytes = begin.as_u64().unwrap() as usize..end.as_u64().unwrap() as usize;
        bare(&field[bytes])
    };
    let rows = world.lines("out/passages.jsonl");
    assert!(rows.len() >= 4, "{rows:?}");
    for row in &rows {
        let (begin, end) = (&row["begin_byte"], &row["end_byte"]);
        match row["id"].as_str().unwrap() {
            "c" => assert!(begin.is_null() && end.is_null()),
            id => assert_eq!(cut(id, begin, end), bare(row["text"].as_str().unwrap())),
        }
    }
    let pairs = world.lines("out/pairs.jsonl");
    let quoted = [bare(QUOTED), bare(verse.trim_end_matches('。'))];
    let mut sides = 0;
    for (pair, side) in pairs.iter().flat_map(|pair| [(pair, "a"), (pair, "b")]) {
        let (begin, end) = (
            &pair[format!("{side}_begin_byte")],
            &pair[format!("{side}_end_byte")],
        );
        match pair[side].as_str().unwrap() {
            "c" => assert!(begin.is_null() && end.is_null()),
            id => {
                sides += 1;
                let cut = cut(id, begin, end);
                assert!(quoted.iter().any(|quoted| cut.contains(quoted)), "{cut}");
            }
        }
    }
    assert!(sides >= 6, "{pairs:?}");
    world
        .run(&[&run[..], &["--force", "--text-field", "text,title"]].concat())
        .code(0);
    let rows = world.lines("out/passages.jsonl");
    let of = |id: &str| rows.iter().find(|row| row["id"] == id).unwrap();
    assert!(of("a")["begin_byte"].is_null());
}

#[test]
fn names_and_forms_are_chosen() {
    let world = world();
    let run = [
        "passages",
        "in",
        "-o",
        "out",
        "--min-words",
        "12",
        "--names",
        "passim",
        "--tables",
        "parquet",
        "-q",
    ];
    world.run(&run).code(1);
    assert_eq!(
        world.lines("out/pairs.jsonl"),
        [json!({
            "id1": "essay", "b1": 48, "e1": 48 + QUOTED.len(), "id2": "review", "b2": 43, "e2": 43 + QUOTED.len(),
            "matches": 18, "score": 24,
        })]
    );
    let row = &world.lines("out/passages.jsonl")[1];
    assert_eq!(
        (&row["series"], &row["pboiler"]),
        (&json!("review.example"), &json!(false))
    );
    for table in ["passages", "pairs", "copies", "rejects"] {
        let bytes = std::fs::read(world.path(&format!("out/{table}.parquet"))).unwrap();
        assert_eq!(&bytes[..4], b"PAR1", "{table}");
    }
}

#[test]
fn old_pages_are_not_compared_with_each_other() {
    let world = world();
    let run = |new: &str, old: &str, out: &str| {
        let run = [
            "passages",
            new,
            "--against",
            old,
            "-o",
            out,
            "--min-words",
            "12",
            "-q",
            "--rejects",
            "ok",
        ];
        world.run(&run).code(0);
        world.lines(&format!("{out}/pairs.jsonl"))
    };
    world.file(
        "new.jsonl",
        json!({"id": "new", "text": format!("As the prince says: {QUOTED}.")}).to_string() + "\n",
    );
    let found = run("new.jsonl", "in", "out");
    let pairs: Vec<_> = found.iter().map(|pair| (&pair["a"], &pair["b"])).collect();
    let [essay, new, review] = ["essay", "new", "review"].map(|id| json!(id));
    assert_eq!(pairs, [(&essay, &new), (&new, &review)]);
}

#[test]
fn values_that_cannot_be_are_refused() {
    let world = world();
    for (option, value) in [
        ("--min-words", "0"),
        ("--min-chars", "10001"),
        ("--max-df", "1"),
        ("--source-overlap", "0"),
        ("--target-overlap", "1.5"),
    ] {
        let said = world
            .run(&["passages", "in", "-o", "out", option, value])
            .code(2)
            .stderr();
        assert!(said.contains(option) && said.contains(value), "{said}");
        assert!(!world.path("out").exists());
    }
}

#[test]
fn a_run_of_passages_can_be_explained() {
    let world = world();
    for names in ["retold", "passim"] {
        let run = [
            "passages",
            "in",
            "-o",
            "out",
            "--min-words",
            "12",
            "--force",
            "--names",
            names,
        ];
        world.run(&run).code(1);
        let explain = |a, b| {
            let said = world
                .run(&["explain", "out", a, b, "--json"])
                .code(0)
                .stdout();
            let story: Value = serde_json::from_str(&said).unwrap();
            assert_eq!(story["remark"], Value::Null, "{said}");
            story["notes"].as_array().unwrap().last().cloned()
        };
        let end = |begin: usize| begin + QUOTED.len();
        let passage = |a: usize, b: usize| {
            let said = format!(
                "A passage of the run: characters {a} to {} of A, {b} to {} of B; 18 words match, score 24",
                end(a),
                end(b)
            );
            Some(json!(said))
        };
        assert_eq!(explain("essay", "review"), passage(48, 43));
        assert_eq!(explain("review", "essay"), passage(43, 48));
        let none = json!("The run lists no passage that both pages have.");
        assert_eq!(explain("essay", "other"), Some(none));
        let copy = "The run lists no passages of `reprint`: it has the same text as `essay` (copies.jsonl).";
        assert_eq!(explain("reprint", "review"), Some(json!(copy)));
    }
}

#[test]
fn a_run_that_has_no_verdicts_says_what_can_be_explained() {
    let world = world();
    world.run(&["blocks", "in", "-o", "out"]).code(1);
    let said = world.run(&["explain", "out", "essay", "review"]).code(2);
    assert!(
        said.stderr()
            .contains("pass the run's input instead: --in INPUT --ids A B")
    );
}
