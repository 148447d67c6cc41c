//! Files that release 0.1 wrote can still be opened, although it stored the options of the output in its models.

use std::path::Path;

use crate::common::World;

/// The files of the release, in a test's folder.
fn kept() -> World {
    let world = World::new();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/release-0.1");
    for name in [
        "pages.jsonl",
        "index/log-000001",
        "index/manifest.json",
        "index/model-000001.json",
        "out/model.json",
        "out/pairs.jsonl",
    ] {
        world.file(name, std::fs::read(from.join(name)).unwrap());
    }
    // The folder in which the run was started.
    let summary = std::fs::read_to_string(from.join("out/summary.json")).unwrap();
    let folder = world.path("").display().to_string();
    world.file("out/summary.json", summary.replace("FOLDER", &folder));
    world
}

#[test]
fn its_runs_are_explained() {
    let world = kept();
    let explained = world.run(&["explain", "out", "ferry", "reprint", "--json"]);
    let story: serde_json::Value = serde_json::from_str(&explained.code(0).stdout()).unwrap();
    assert_eq!(story["relation"], "duplicate");
}

#[test]
fn its_models_judge() {
    let world = kept();
    let json = world.read("out/model.json");
    for name in [
        "alarm_size",
        "allow_empty",
        "kept",
        "mark",
        "report_text",
        "tables",
    ] {
        assert!(json.contains(&format!("\"{name}\":")), "{name}");
    }
    let model = retold::Model::from_json(&json, Path::new("")).unwrap();
    assert_eq!(model.knowledge().map(|known| known.texts), Some(4));
    let again = model.to_json();
    assert!(!again.contains("alarm_size"), "{again}");
    world
        .run(&[
            "dedup",
            "pages.jsonl",
            "-o",
            "new",
            "--knowledge",
            "out/model.json",
        ])
        .code(0);
    // It did not count words of own passages, and counted runs of words where words in order are counted now.
    let facts = |folder: &str| {
        let pairs = world.lines(&format!("{folder}/pairs.jsonl"));
        let pairs = pairs.into_iter();
        let facts = ["a", "b", "relation", "similarity", "length_ratio"];
        pairs
            .map(|pair| facts.map(|fact| pair[fact].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(facts("new"), facts("out"));
    // Options of the output are the new run's.
    let parameters = &world.summary("new")["parameters"];
    assert_eq!(
        (&parameters["mark"], &parameters["tables"]),
        (&false.into(), &"jsonl".into())
    );
}

#[test]
fn its_indexes_answer_and_grow() {
    let world = kept();
    let answers = world
        .run(&["index", "query", "index", "pages.jsonl"])
        .code(0)
        .stdout();
    let first = answers.lines().next().unwrap();
    assert!(
        first.starts_with(r#"{"id":"ferry","status":"unchanged","matches":[{"id":"reprint""#),
        "{first}"
    );
    world.file("more.jsonl", "{\"id\":\"new\",\"text\":\"The museum shows paintings of the coast from today. Admission is free on Sundays, and guided tours begin at eleven every morning.\"}\n");
    let answers = world
        .run(&["index", "add", "index", "more.jsonl"])
        .code(0)
        .stdout();
    assert!(
        answers.contains(r#""matches":[{"id":"museum","relation":"duplicate""#),
        "{answers}"
    );
    world
        .run(&["index", "export", "index", "-o", "exported", "-q"])
        .code(0);
    assert_eq!(world.lines("exported/pairs.jsonl").len(), 2);
}
