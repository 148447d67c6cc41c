//! Runs that were killed and are resumed.

use std::process::Stdio;
use std::time::Duration;

use crate::common::{World, article, assert_same_output, line};

/// Families of a few pages each, so that texts are read again.
fn pages(count: u32) -> String {
    let page = |n: u32| {
        let (family, edition) = (n / 4, n % 4);
        let text = article(&format!("ferry {family}"), 0..12 - edition);
        line(&format!("p{n:05}"), &format!("{text} Edition {edition}."))
    };
    (0..count).map(page).collect()
}

#[test]
fn a_killed_run_goes_on_and_writes_the_same() {
    let world = World::new();
    world.file("in.jsonl", pages(4000));
    world.run(&["dedup", "in.jsonl", "-o", "whole"]).code(0);
    let go_on = [
        "dedup",
        "in.jsonl",
        "-o",
        "out",
        "--resume",
        "--threads",
        "1",
    ];
    let mut killed = 0;
    for after in [40, 80, 120, 160, 200, 240, 280, 320, 400, 500] {
        let mut run = world.command(&go_on);
        let mut run = run
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(after));
        if run.try_wait().unwrap().is_some() {
            break;
        }
        run.kill().unwrap();
        run.wait().unwrap();
        killed += 1;
    }
    assert!(killed > 0);
    // Not by accident.
    let begun = world.exists("out/.retold-resume");
    if begun {
        let ran = world.run(&["dedup", "in.jsonl", "-o", "out"]).code(2);
        ran.says(&["interrupted run", "--resume", "--force"]);
    }
    if begun || !world.exists("out/summary.json") {
        world.run(&go_on).code(0);
    }
    assert!(!world.exists("out/.retold-resume") && !world.exists("out/.retold-partial"));
    assert_same_output(&world.path("whole"), &world.path("out"));
}

/// What repeats a command until it succeeds has to come to an end.
#[test]
fn a_finished_run_has_nothing_left_to_resume() {
    let world = World::new();
    world.file("in.jsonl", pages(40));
    for command in [
        &["dedup"][..],
        &["dedup", "--method", "tfidf", "--stories"],
        &["passages", "--min-words", "20"],
        &["blocks", "--apply", "--min-chars", "30"],
    ] {
        let out = format!("out-{}", command.len());
        let out = &format!("{out}-{}", command[0]);
        let go_on = [command, &["in.jsonl", "-o", out, "--resume"]].concat();
        world.run(&go_on).code(0);
        let before = world.read(&format!("{out}/summary.json"));
        world
            .run(&go_on)
            .code(0)
            .says(&["the run is complete", "--force"]);
        assert_eq!(world.read(&format!("{out}/summary.json")), before);
        // Another run is not complete.
        let other = [&go_on[..], &["--text-field", "body", "--allow-empty"]].concat();
        world.run(&other).code(2).says(&["not empty"]);
        world.file("more.jsonl", pages(8));
        let more = [&go_on[..], &["more.jsonl"]].concat();
        world.run(&more).code(2).says(&["not empty"]);
        // So is one of which the input has changed since.
        let file = std::fs::File::options()
            .append(true)
            .open(world.path("in.jsonl"));
        let newer = std::time::SystemTime::now() + Duration::from_secs(60);
        file.unwrap().set_modified(newer).unwrap();
        world.run(&go_on).code(2).says(&["not empty"]);
        world.file("in.jsonl", pages(40));
        // Without --resume it is refused as ever, and --force repeats it.
        let again = &go_on[..go_on.len() - 1];
        world.run(again).code(2).says(&["not empty"]);
        let forced = [&go_on[..], &["--force"]].concat();
        world.run(&forced).code(0);
        assert_ne!(world.read(&format!("{out}/summary.json")), before);
    }
}

#[test]
fn other_pages_are_not_taken_for_those_of_the_interrupted_run() {
    let world = World::new();
    world.file("in.jsonl", pages(40));
    world
        .run(&["dedup", "in.jsonl", "-o", "first", "--resume"])
        .code(0);
    // What a killed run leaves, of other pages with other names in a file of the same size.
    world.file("in.jsonl", pages(40).replace("p000", "q000"));
    std::fs::create_dir_all(world.path("out/.retold-resume")).unwrap();
    world.file(
        "out/.retold-resume/pairs",
        b"not a journal at all, but as long as one might be",
    );
    world
        .run(&["dedup", "in.jsonl", "-o", "out", "--resume"])
        .code(0);
    world.run(&["dedup", "in.jsonl", "-o", "whole"]).code(0);
    assert_same_output(&world.path("whole"), &world.path("out"));
    let ran = world.run(&[
        "dedup",
        "in.jsonl",
        "-o",
        "new",
        "--resume",
        "--against",
        "in.jsonl",
    ]);
    ran.code(2).says(&["--resume", "--against"]);
}

#[test]
fn blocks_can_be_resumed() {
    let world = World::new();
    world.file("in.jsonl", pages(400));
    let blocks = |out: &str, resume: &[&str]| {
        let run = [
            "blocks",
            "in.jsonl",
            "-o",
            out,
            "--scope",
            "collection",
            "--unit",
            "sentence",
            "--apply",
        ];
        world.run(&[&run[..], resume].concat())
    };
    blocks("whole", &[]).code(0);
    // What a killed run of other inputs leaves.
    std::fs::create_dir_all(world.path("out/.retold-resume")).unwrap();
    world.file(
        "out/.retold-resume/blocks",
        b"not a journal at all, but as long as one might be",
    );
    blocks("out", &[])
        .code(2)
        .says(&["interrupted run", "--resume", "--force"]);
    blocks("out", &["--resume"]).code(0);
    assert!(!world.exists("out/.retold-resume"));
    for file in [
        "blocks.jsonl",
        "spans.jsonl",
        "dropped.jsonl",
        "kept/in.jsonl",
    ] {
        assert!(
            world.read(&format!("out/{file}")) == world.read(&format!("whole/{file}")),
            "{file}"
        );
    }
}
