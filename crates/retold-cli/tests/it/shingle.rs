//! `shingle` with exact verification through the real binary, against all pairs compared by their words.

use std::collections::{BTreeMap, HashSet};

use crate::common::{World, assert_same_output, line};

/// Pages of words from a small list: families of edited copies, chapters of them, and strangers.
fn pages() -> BTreeMap<String, String> {
    let mut state = 7u64;
    let mut random = |below: usize| {
        // Knuth's linear congruential generator.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut pages = BTreeMap::new();
    for family in 0..12 {
        let words: Vec<String> = (0..60 + random(60))
            .map(|_| format!("w{}", random(400)))
            .collect();
        for copy in 0..6 {
            let mut copied = words.clone();
            for _ in 0..copy * 2 {
                let place = random(copied.len());
                copied[place] = format!("x{}", random(400));
            }
            if copy == 5 {
                copied.truncate(25);
            }
            pages.insert(format!("p{family:02}-{copy}"), copied.join(" "));
        }
    }
    pages
}

fn triples(text: &str) -> HashSet<Vec<&str>> {
    let words: Vec<&str> = text.split(' ').collect();
    words.windows(3).map(<[&str]>::to_vec).collect()
}

/// The pairs of `pages` for which `similarity` of shared triples, and of those of the two pages, reaches 0.5.
fn by_brute_force(similarity: impl Fn(f64, f64, f64) -> f64) -> Vec<(String, String, String)> {
    let pages = pages();
    let sets: Vec<(&String, HashSet<Vec<&str>>)> =
        pages.iter().map(|(id, text)| (id, triples(text))).collect();
    let mut pairs = Vec::new();
    for (at, (a, x)) in sets.iter().enumerate() {
        for (b, y) in &sets[at + 1..] {
            let shared = x.intersection(y).count() as f64;
            let found = similarity(shared, x.len() as f64, y.len() as f64);
            if found >= 0.5 {
                pairs.push(((*a).clone(), (*b).clone(), format!("{:.6}", found as f32)));
            }
        }
    }
    pairs
}

fn found(world: &World, out: &str) -> Vec<(String, String, String)> {
    let pairs = world.lines(&format!("{out}/pairs.jsonl")).into_iter();
    pairs
        .map(|pair| {
            let text = |name: &str| pair[name].as_str().unwrap().to_owned();
            (
                text("a"),
                text("b"),
                format!("{:.6}", pair["similarity"].as_f64().unwrap()),
            )
        })
        .collect()
}

fn dedup(world: &World, out: &str, more: &[&str]) {
    let lines: String = pages().iter().map(|(id, text)| line(id, text)).collect();
    world.file("pages.jsonl", lines);
    let mut arguments = vec!["dedup", "pages.jsonl", "-o", out, "--method", "shingle"];
    for setting in ["width=3", "threshold=0.5"] {
        arguments.extend(["--param", setting]);
    }
    arguments.extend(more);
    world.run(&arguments).code(0);
}

#[track_caller]
fn assert_same(found: &[(String, String, String)], expected: &[(String, String, String)]) {
    let differs = |(a, b): &(_, _)| a != b;
    assert_eq!(found.iter().zip(expected).find(differs), None);
    assert_eq!(found.len(), expected.len());
}

const RESEMBLANCE: [&str; 4] = ["--param", "containment=false", "--param", "miss=0.000001"];

#[test]
fn resemblance_is_exact() {
    let world = World::new();
    dedup(&world, "out", &RESEMBLANCE);
    let expected = by_brute_force(|shared, a, b| shared / (a + b - shared));
    assert!(
        expected.len() > 50,
        "{} pairs are too few to tell",
        expected.len()
    );
    assert_same(&found(&world, "out"), &expected);
    let summary = world.summary("out");
    assert!(summary["sketches"]["checked"].as_u64().unwrap() >= expected.len() as u64);
}

#[test]
fn containment_is_exact() {
    let world = World::new();
    dedup(&world, "out", &["--param", "sample=1"]);
    let expected = by_brute_force(|shared, a, b| shared / a.min(b));
    assert_same(&found(&world, "out"), &expected);
    assert!(
        world
            .lines("out/pairs.jsonl")
            .iter()
            .any(|pair| pair["relation"] == "contains")
    );
}

/// However little memory there is, and whatever the threads.
#[test]
fn memory_and_threads_change_nothing() {
    let world = World::new();
    dedup(&world, "out", &RESEMBLANCE);
    let less = [&RESEMBLANCE[..], &["--memory", "120M", "--threads", "1"]].concat();
    dedup(&world, "less", &less);
    assert_same_output(&world.path("out"), &world.path("less"));
}

#[test]
fn without_verification_estimates_are_believed() {
    let world = World::new();
    let off = [&RESEMBLANCE[..], &["--param", "verify=off"]].concat();
    dedup(&world, "out", &off);
    assert_eq!(world.summary("out")["sketches"]["checked"], 0);
    let exact = by_brute_force(|shared, a, b| shared / (a + b - shared));
    assert_ne!(found(&world, "out"), exact);
}

#[test]
fn explain_tells_what_was_checked() {
    let world = World::new();
    dedup(&world, "out", &RESEMBLANCE);
    let ran = world.run(&["explain", "out", "p00-0", "p00-1"]).code(0);
    assert!(ran.stdout().contains("resemblance = "), "{}", ran.stdout());
}
