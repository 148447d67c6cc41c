//! `retold explain` through the real binary, on the repository's example pages.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/pages")
}

fn retold(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_retold"))
        .args(arguments)
        .current_dir(examples())
        .env_remove("NO_COLOR")
        .env("COLUMNS", "80")
        .env("LC_ALL", "C")
        .output()
        .unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A finished run on the examples.
fn run(options: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().to_str().unwrap();
    let ended = retold(
        &[
            &[
                "dedup",
                ".",
                "-q",
                "--method",
                "period",
                "--no-kept",
                "-o",
                to,
            ],
            options,
        ]
        .concat(),
    );
    assert_eq!(ended.status.code(), Some(0), "{}", errors(&ended));
    folder
}

#[test]
fn two_files() {
    let told = retold(&[
        "explain",
        "bridge.html",
        "bridge-edited.html",
        "--method",
        "period",
    ]);
    let text = out(&told);
    assert_eq!(told.status.code(), Some(0));
    assert!(text.starts_with("The pages are duplicates\n"), "{text}");
    assert!(text.contains("CCS = 7/8 = 0.88 ≥ 0.70"), "{text}");
    assert!(
        text.contains("CLR = 8/8 = 1.00 ≥ 0.50  → duplicate"),
        "{text}"
    );
    assert!(text.contains("A 十四个月\nB 一年多\n"), "{text}");
    // No terminal, no colour.
    assert!(!text.contains('\u{1b}'));
    let told = retold(&[
        "explain",
        "bridge.html",
        "bridge-short.html",
        "--method",
        "period",
        "--color",
        "always",
    ]);
    assert!(out(&told).contains("A contains B") && out(&told).contains('\u{1b}'));
}

#[test]
fn passages_are_named_with_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let first = "the first paragraph of this text is to be found here.";
    let rest = "the second paragraph of it is to be found there, and a third one ends it.";
    let file = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let a = file("a.txt", format!("{first}\n{rest}"));
    let b = file("b.txt", format!("{rest}\n{first}"));
    let text = out(&retold(&["explain", &a, &b]));
    // 53 characters, a line feed, 73.
    let moved = format!("Shared elsewhere\ncharacters 0–53 of A, 74–127 of B\n~ {first}\n");
    assert!(text.contains(&moved), "{text}");
    assert!(!text.contains("characters 54–127 of A"), "{text}");
    let text = out(&retold(&["explain", &a, &b, "--full"]));
    let placed = format!("characters 54–127 of A, 0–73 of B\n= {rest}\n");
    assert!(text.contains(&placed), "{text}");
    assert!(text.contains(&moved), "{text}");
}

#[test]
fn unlike_pages_and_wrong_use() {
    let told = retold(&[
        "explain",
        "garden.html",
        "bridge-reprint.html",
        "--json",
        "--method",
        "period",
    ]);
    let story = json(&told);
    assert_eq!(story["relation"], serde_json::Value::Null);
    assert_eq!(story["checks"][0]["line"], "shared = 2 < 3");
    let told = out(&retold(&["explain", "garden.html", "bridge-edited.html"]));
    assert!(
        told.contains("→ not related") && !told.contains("contains the smaller"),
        "{told}"
    );
    for wrong in [
        &["explain", "garden.html"][..],
        &["explain", "garden.html", "wire.jsonl"],
        &["explain", "garden.html", "missing.html"],
        &["explain", "garden.html", "recipe.html", "ferry.html"],
        &["explain", "--in", "wire.jsonl"],
    ] {
        let ended = retold(wrong);
        assert_eq!(ended.status.code(), Some(2), "{}", errors(&ended));
    }
    let ended = retold(&["explain", "garden.html", "wire.jsonl"]);
    assert!(
        errors(&ended).contains("use --in wire.jsonl --ids A B"),
        "{}",
        errors(&ended)
    );
}

#[test]
fn ids_in_inputs() {
    let told = retold(&[
        "explain",
        "--in",
        "wire.jsonl",
        "--ids",
        "wire/ferry",
        "blog/ferry",
        "--json",
        "--method",
        "period",
    ]);
    let story = json(&told);
    assert_eq!(story["relation"], "contained_by");
    assert_eq!(story["a"]["site"], "wire.example.org");
    assert_eq!(story["features"][0]["df"], 2);
    // Places count characters of the texts.
    let feature = &story["features"][0];
    let place = |at: usize| feature["b"][0][at].as_u64().unwrap() as usize;
    let text: Vec<char> = story["b"]["text"].as_str().unwrap().chars().collect();
    let shown: String = text[place(0)..place(1)].iter().collect();
    assert_eq!(shown.to_lowercase(), feature["name"].as_str().unwrap());
    let ended = retold(&[
        "explain",
        "--in",
        "wire.jsonl",
        "--ids",
        "wire/fery",
        "blog/ferry",
    ]);
    assert_eq!(ended.status.code(), Some(2));
    assert!(
        errors(&ended).contains("no page has the id `wire/fery`; close to it: `wire/ferry`"),
        "{}",
        errors(&ended)
    );
}

#[test]
fn a_finished_run_is_explained_as_it_judged() {
    for options in [
        &[][..],
        &["--param", "threshold=0.9"],
        &["--param", "common_df=2"],
        &["--param", "noise=idf", "--param", "idf_min_df=2"],
    ] {
        let folder = run(options);
        let to = folder.path().to_str().unwrap();
        let pairs = std::fs::read_to_string(folder.path().join("pairs.jsonl")).unwrap();
        for line in pairs.lines() {
            let pair: serde_json::Value = serde_json::from_str(line).unwrap();
            let id = |side: &str| pair[side].as_str().unwrap().to_owned();
            let story = json(&retold(&[
                "explain",
                to,
                &id("a"),
                &id("b"),
                "--json",
                "--no-df",
            ]));
            assert_eq!(story["relation"], pair["relation"], "{line}");
            assert_eq!(story["remark"], serde_json::Value::Null, "{line}");
        }
    }
}

#[test]
fn a_changed_input_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.jsonl");
    std::fs::copy(examples().join("wire.jsonl"), &input).unwrap();
    let to = folder.path().join("out");
    let (input_name, to) = (input.to_str().unwrap(), to.to_str().unwrap());
    assert!(
        retold(&["dedup", input_name, "-q", "-o", to])
            .status
            .success()
    );
    let text = std::fs::read_to_string(&input)
        .unwrap()
        .replace("ferry", "balloon")
        .replace("/balloon", "/ferry");
    std::fs::write(
        &input,
        text.replace(
            "again from the first week of May",
            "never again, it was said",
        ),
    )
    .unwrap();
    let told = retold(&["explain", to, "wire/ferry", "wire/bridge"]);
    assert!(
        out(&told).starts_with("The pages are not related"),
        "{}",
        out(&told)
    );
    std::fs::write(&input, "{\"id\":\"wire/ferry\",\"text\":\"Nothing is left.\"}\n{\"id\":\"blog/ferry\",\"text\":\"Here neither.\"}\n").unwrap();
    let told = retold(&["explain", to, "wire/ferry", "blog/ferry"]);
    assert!(
        out(&told).contains("The run reported otherwise"),
        "{}",
        out(&told)
    );
}

#[test]
fn html_of_a_pair() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("why.html");
    let told = retold(&[
        "explain",
        "bridge.html",
        "bridge-reprint.html",
        "--html",
        file.to_str().unwrap(),
    ]);
    assert_eq!(told.status.code(), Some(0), "{}", errors(&told));
    let page = std::fs::read_to_string(file).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("id=\"story-0\""));
    assert!(!page.contains("http://") || !page.contains("src=\"http"));
}

#[test]
fn a_report_is_the_same_for_the_same_input_but_for_the_run() {
    let reports = [
        run(&["--report-text"]),
        run(&["--report-text", "--threads", "1"]),
    ]
    .map(|folder| {
        let report = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
        let start = report.find("id=\"run-0\"").unwrap();
        let end = start + report[start..].find("</script>").unwrap();
        format!("{}{}", &report[..start], &report[end..])
    });
    assert!(reports[0] == reports[1]);
    let without = run(&[]);
    let report = std::fs::read_to_string(without.path().join("report.html")).unwrap();
    assert!(
        !report.contains("老桥终于重新开放"),
        "texts only with --report-text"
    );
    assert!(reports[0].contains("老桥终于重新开放"));
}
