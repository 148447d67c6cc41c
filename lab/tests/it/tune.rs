//! `retold-lab tune` through the real binary.

use std::fs::File;

use crate::common::{Ran, World, article, line};

fn tuned(world: &World, out: &str, threads: &str) -> String {
    world
        .run(&[
            "tune",
            "pages.jsonl",
            "--gold",
            "gold.tsv",
            "--method",
            "agglomerate",
            "-o",
            out,
            "--population",
            "6",
            "--generations",
            "2",
            "--threads",
            threads,
            "--seed",
            "3",
        ])
        .code(0);
    world.read(out)
}

#[test]
fn tuning_is_reproducible_and_its_file_is_accepted() {
    let world = World::new();
    let (mut pages, mut gold) = (String::new(), String::new());
    for n in 0..12 {
        let text = article(&format!("题目{n}甲乙"), 0..9);
        pages += &line(&format!("a{n}"), &text);
        pages += &line(&format!("b{n}"), &format!("{text}转载。"));
        gold += &format!("a{n}\tb{n}\tduplicate\n");
    }
    world.file("pages.jsonl", pages);
    world.file("gold.tsv", gold);
    let file = tuned(&world, "x.toml", "1");
    assert_eq!(file, tuned(&world, "y.toml", "2"));
    assert!(
        file.contains("[agglomerate]\n") && file.contains("threshold = "),
        "{file}"
    );
    let html = world.read("x.html");
    assert!(html.contains("<svg") && html == world.read("y.html"));
    assert!(html.contains("On held-out pages F1 "));
    let keywords = [
        "keywords",
        "pages.jsonl",
        "--method",
        "agglomerate",
        "--params",
        "x.toml",
    ];
    world.run(&keywords).code(0);
    let all_fixed = [
        "tune",
        "pages.jsonl",
        "--gold",
        "gold.tsv",
        "--vary",
        "colour",
    ];
    world
        .run(&all_fixed)
        .code(2)
        .says(&["no parameter `colour` whose values are names"]);
    world.file("other.tsv", "x\ty\tduplicate\n");
    let other = ["tune", "pages.jsonl", "--gold", "other.tsv"];
    world
        .run(&other)
        .code(2)
        .says(&["other.tsv", "check the ids"]);
}

#[test]
fn tune_reads_standard_input_and_names_what_it_could_not_read() {
    let world = World::new();
    let (mut pages, mut gold) = ("{broken\n".to_owned(), String::new());
    for n in 0..12 {
        let text = article(&format!("题目{n}甲乙"), 0..9);
        pages += &line(&format!("a{n}"), &text);
        pages += &line(&format!("b{n}"), &format!("{text}转载。"));
        gold += &format!("a{n}\tb{n}\tduplicate\n");
    }
    world.file("gold.tsv", gold);
    let args = "tune - --gold gold.tsv --method agglomerate --population 3 --generations 1 -o x.toml --fold none";
    let args: Vec<&str> = args.split(' ').collect();
    let pages = File::open(world.file("pages.jsonl", pages)).unwrap();
    let ran = Ran(world.command(&args).stdin(pages).output().unwrap());
    ran.code(1)
        .says(&["rejected records: 1, the first in stdin, record 1: "]);
}

#[test]
fn parameters_that_are_worse_on_held_out_pages_are_not_written() {
    let world = World::new();
    let (mut pages, mut gold) = (String::new(), String::new());
    // Cut pages are duplicates or not by chance, so that what fits one part does not fit the other.
    for n in 0..16 {
        let text = article(&format!("题目{n}甲乙"), 0..9);
        let cut = article(&format!("题目{n}甲乙"), 0..2 + n % 7);
        pages += &(line(&format!("a{n}"), &text) + &line(&format!("b{n}"), &cut));
        let label = ["duplicate", "distinct"][(n as usize) / 2 * 5 % 3 % 2];
        gold += &format!("a{n}\tb{n}\t{label}\n");
    }
    world.file("pages.jsonl", pages);
    world.file("gold.tsv", gold);
    let mut worse = 0;
    for seed in 1..12 {
        let out = format!("{seed}.toml");
        let command = format!(
            "tune pages.jsonl --gold gold.tsv --method shingle --population 4 --generations 2 --seed {seed} -o {out}"
        );
        let args: Vec<&str> = command.split(' ').collect();
        let ran = world.run(&args).code(0);
        let falls = ran.stdout().contains("On held-out pages F1 falls by");
        let [told, written] = [
            format!("{out} is not written"),
            format!("Written: {out} and"),
        ];
        assert_eq!(ran.stderr().contains(&told), falls, "{}", ran.stderr());
        assert_eq!(ran.stdout().contains(&written), !falls, "{}", ran.stdout());
        assert_eq!(world.exists(&out), !falls);
        worse += usize::from(falls);
    }
    assert!(worse > 0, "no seed gave worse parameters");
}
