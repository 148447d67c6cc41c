//! The same pages through every interface with one model: the batch run, the call in memory, the index, and `explain` give the same verdicts.

use std::collections::BTreeMap;
use std::path::Path;

use retold::explain::{Offsets, explain_pair};
use retold::method::{METHODS, PRESETS};
use retold::read::Source;
use retold::{Findings, JudgeConfig, Model, Page, Relation, dedup};
use retold_report::{Finished, OutputConfig};
use serde_json::Value;

use crate::common::{World, article};

/// What a door says of each related pair: relation, similarity and length ratio to six decimals; shared keys, own words of both.
type Said = BTreeMap<(String, String), (String, String, String, [u64; 3])>;

/// Pages as records: an article, reprints of it on other sites, shortened, edited and in a longer page; exact copies; pages of
/// one site with one footer; English pages that share words; pages of nothing; pages that overlap, collections, pages under one notice.
fn records() -> Vec<Value> {
    let mut records = Vec::new();
    let mut add = |id: &str, site: &str, text: String| {
        records.push(serde_json::json!({
            "id": id, "url": format!("http://www.{site}/{id}"), "date": "2024-05-06", "host": format!("{site}.host"),
            "text": text,
        }));
    };
    let footer =
        "版权所有，未经许可不得转载本站的任何内容。本站不对转载内容的真实性负责，请读者自行判断。";
    add("flood", "a.cn", article("洪水", 0..12));
    add("flood-copy", "b.cn", article("洪水", 0..12));
    add("flood-cut", "c.cn", article("洪水", 0..4));
    add("flood-edited", "d.cn", article("洪水", 2..13));
    add(
        "flood-more",
        "e.cn",
        article("洪水", 0..12) + &article("足球", 0..30),
    );
    add(
        "flood-traditional",
        "b.cn",
        article("洪水", 0..12).replace("关于", "關於"),
    );
    for page in 0..6 {
        add(
            &format!("footer-{page}"),
            "a.cn",
            format!("{}{footer}", article(&format!("话题{page}"), 0..1)),
        );
    }
    add("short-1", "f.cn", footer.to_owned());
    add("short-2", "g.cn", format!("转载 {footer}"));
    let ferry = "The ferry left the harbour of Naxos in the morning and was late again. Passengers waited at the quay for \
                 news. The captain of the ferry is old, and so is the engine of the ferry. ";
    add("ferry", "h.org", ferry.repeat(2));
    add("ferry-upper", "i.org", ferry.repeat(2).to_uppercase());
    add(
        "ferry-boat",
        "j.org",
        ferry.replace("ferry", "boat").repeat(2),
    );
    add("ferry-short", "h.org", ferry.to_owned());
    add(
        "ferry-list",
        "h.org",
        "ferry\nharbour\nengine\ncaptain\n".to_owned(),
    );
    add("empty", "h.org", String::new());
    let told = |topic: &str, count: usize| -> String {
        let words = (0..count).map(|n| format!("{topic}{} of {topic}{}", n * 7 % 89, n * 13 % 97));
        words.collect::<Vec<_>>().join(", ") + ". "
    };
    let shared = told("comet", 50);
    add(
        "overlap-1",
        "k.org",
        format!("{shared}\n{}", told("lake", 25)),
    );
    add(
        "overlap-2",
        "l.org",
        format!("{}\n{shared}", told("wood", 25)),
    );
    add("glacier", "m.cn", article("冰川", 0..12));
    // Two stories that are pages too: their parts leave the first nothing of its own, and the second something.
    let digest = article("洪水", 0..12) + "\n" + &article("冰川", 0..12);
    add("digest", "n.cn", digest.clone());
    add(
        "digest-more",
        "o.cn",
        format!("{digest}\n{}", article("海啸", 0..6)),
    );
    let notice = told("notice", 40);
    for page in 0..8 {
        let own = told(&format!("item{page}x"), 9);
        add(
            &format!("notice-{page}"),
            &format!("notice{page}.org"),
            format!("{own}\n{notice}"),
        );
    }
    records
}

/// The same pages in memory.
fn pages(config: &JudgeConfig) -> Vec<Page> {
    let page = |record: Value| {
        let field = |name: &str| record[name].as_str().unwrap().to_owned();
        let mut page = Page::text(field("id"), field("text"));
        page = page.with_url(field("url")).with_date(field("date"));
        page.site = config.read.site_field.as_deref().map(field);
        page
    };
    records().into_iter().map(page).collect()
}

fn six(value: f64) -> String {
    format!("{value:.6}")
}

fn of_memory(findings: &Findings) -> Said {
    let pairs = findings.pairs.iter().map(|pair| {
        let ids = (
            findings.id(pair.a).into_owned(),
            findings.id(pair.b).into_owned(),
        );
        let (similarity, ratio) = (f64::from(pair.similarity), f64::from(pair.length_ratio));
        (
            ids,
            (
                pair.relation.name().to_owned(),
                six(similarity),
                six(ratio),
                [pair.shared, pair.own_a, pair.own_b].map(u64::from),
            ),
        )
    });
    pairs.collect()
}

fn of_batch(world: &World, out: &str) -> Said {
    let lines = world
        .lines(&format!("{out}/pairs.jsonl"))
        .into_iter()
        .map(|line| {
            let text = |name: &str| line[name].as_str().unwrap().to_owned();
            let number = |name: &str| six(line[name].as_f64().unwrap());
            let said = (
                text("relation"),
                number("similarity"),
                number("length_ratio"),
            );
            let counts = ["shared", "own_a", "own_b"].map(|name| line[name].as_u64().unwrap());
            ((text("a"), text("b")), (said.0, said.1, said.2, counts))
        });
    lines.collect()
}

/// What `explain` says of every pair of pages; it does not tell the number of shared keys.
fn of_explain(out: &Path) -> BTreeMap<(String, String), (String, String, String)> {
    let run = Finished::open(out).unwrap();
    let mut ids: Vec<String> = records()
        .iter()
        .map(|r| r["id"].as_str().unwrap().to_owned())
        .collect();
    ids.sort();
    let sides = |a: &str, b: &str| run.inputs.by_ids([a, b], &()).unwrap();
    let first = ids[0].clone();
    let sides: Vec<_> = ids
        .iter()
        .map(|id| {
            let [side, _] = sides(id, &first);
            side
        })
        .collect();
    let mut said = BTreeMap::new();
    for (at, a) in sides.iter().enumerate() {
        for b in &sides[at + 1..] {
            let story = explain_pair(a, b, &run.inputs.model, Offsets::Chars).unwrap();
            let (Some(relation), Some(similarity), Some(ratio)) =
                (story.relation, story.similarity, story.length_ratio)
            else {
                continue;
            };
            // A run keeps similarities in 32 bits.
            let short = |value: f64| six(f64::from(value as f32));
            let told = (relation.name().to_owned(), short(similarity), short(ratio));
            said.insert((a.id.clone(), b.id.clone()), told);
        }
    }
    said
}

/// Makes an index with the options and the knowledge of a run, and adds the pages to it.
fn index_of(world: &World, out: &str, dir: &str, row: &[&str]) {
    let model = format!("{out}/model.json");
    let learnt = Model::from_json(&world.read(&model), &world.path("")).unwrap();
    let mut create = vec!["index", "create", dir, "--no-learn"];
    create.extend(row);
    if learnt.knowledge().is_some() {
        create.extend(["--knowledge", &model]);
    }
    world.run(&create).code(0);
    world
        .run(&["index", "add", dir, "in.jsonl", "-q", "--commit", "7"])
        .code(0);
}

/// What the index says of each pair when it is asked for one of its pages; it may look for fewer than there are.
fn of_query(world: &World, dir: &str) -> Said {
    let query = ["index", "query", dir, "in.jsonl", "-q", "--matches", "100"];
    let answers = world.run(&query).code(0).stdout();
    let mut said = Said::new();
    for answer in answers.lines() {
        let answer: Value = serde_json::from_str(answer).unwrap();
        let id = answer["id"].as_str().unwrap();
        for found in answer["matches"].as_array().unwrap() {
            let other = found["id"].as_str().unwrap();
            let number = |name: &str| six(found[name].as_f64().unwrap());
            let count = |name: &str| found[name].as_u64().unwrap();
            let relation: Relation = serde_json::from_value(found["relation"].clone()).unwrap();
            let (ids, relation, own) = match id < other {
                true => ((id, other), relation, ["own", "own_match"]),
                false => ((other, id), relation.swapped(), ["own_match", "own"]),
            };
            let told = (
                relation.name().to_owned(),
                number("similarity"),
                number("length_ratio"),
                [count("shared"), count(own[0]), count(own[1])],
            );
            said.insert((ids.0.to_owned(), ids.1.to_owned()), told);
        }
    }
    said
}

/// Options that change what is said, one row a run. `W` and `S` stand for the word files.
fn matrix() -> Vec<Vec<&'static str>> {
    let mut rows: Vec<Vec<&str>> = METHODS
        .iter()
        .map(|info| vec!["--method", info.name])
        .collect();
    for method in ["period", "codet"] {
        for noise in [
            "noise=none",
            "noise=idf",
            "noise=site",
            "noise=idf+site",
            "noise=evidence",
        ] {
            let mut row = vec!["--method", method, "--param", noise];
            for small in [
                "common_df=3",
                "many=4",
                "idf_min_df=2",
                "idf_threshold=1.2",
                "site_min_df=1",
            ] {
                row.extend(["--param", small]);
            }
            rows.push(row);
        }
    }
    for text in [
        &["--user-dict", "W"][..],
        &["--synonyms", "S"],
        &["--stop-words", "W"],
        &["--fold", "none"],
        &["--fold", "case"],
        &["--extract", "none"],
        &["--exact", "off"],
        &["--site-field", "host"],
    ] {
        for method in ["coverage", "tfidf", "agglomerate", "concept", "period"] {
            rows.push([&["--method", method], text].concat());
        }
    }
    for parameters in [
        &["--param", "short=0", "--param", "common_df=2"][..],
        &[
            "--param",
            "short=0",
            "--param",
            "common_df=2",
            "--param",
            "verify=off",
        ],
        &["--param", "threshold=0.9", "--param", "sample=1"],
        &["--method", "shingle", "--param", "containment=false"],
        &[
            "--method",
            "shingle",
            "--param",
            "verify=off",
            "--param",
            "features=stops",
        ],
        &[
            "--method",
            "imatch",
            "--param",
            "features=spots",
            "--param",
            "min_terms=1",
            "--param",
            "idf_max=1",
        ],
        &[
            "--method",
            "period",
            "--param",
            "noise=site",
            "--param",
            "site_min_df=1",
            "--site-field",
            "host",
        ],
        &[
            "--canonical",
            "earliest",
            "--cluster",
            "components",
            "--drop",
            "duplicate",
        ],
    ] {
        rows.push(parameters.to_vec());
    }
    rows.extend(PRESETS.iter().map(|preset| vec!["--preset", preset.name]));
    rows
}

/// A preset is the same by its name in the library's options, in a run, and in `explain` without a run.
#[test]
fn a_preset_through_every_door() {
    let world = World::new();
    let lines: String = records()
        .iter()
        .map(|record| format!("{record}\n"))
        .collect();
    world.file("in.jsonl", lines);
    for preset in PRESETS {
        let (name, out) = (preset.name, format!("out-{}", preset.name));
        let run = ["dedup", "in.jsonl", "-q", "--no-kept", "-o", &out];
        world.run(&[&run[..], &["--preset", name]].concat()).code(0);
        let batch = of_batch(&world, &out);
        let options = serde_json::json!({"preset": name});
        let config = JudgeConfig::from_value(options).unwrap();
        let findings = dedup(pages(&config), &config).unwrap();
        assert_eq!(of_memory(&findings), batch, "{name}");

        let shown = [
            "explain",
            "--in",
            "in.jsonl",
            "--ids",
            "flood",
            "flood-copy",
            "--json",
        ];
        let shown = world.run(&[&shown[..], &["--preset", name]].concat());
        let story: Value = serde_json::from_str(&shown.code(0).stdout()).unwrap();
        assert_eq!(story["method"], preset.method);
        assert_eq!(story["relation"], "duplicate", "{name}");
    }
}

#[test]
fn a_preset_is_no_method_and_its_parameters_can_be_overridden() {
    let options = |json: Value| JudgeConfig::from_value(json);
    let both = options(serde_json::json!({"preset": "agt", "params": {"keywords": 11}})).unwrap();
    assert_eq!(both.method, "agglomerate");
    let model = Model::new(both).unwrap();
    let params = serde_json::json!(model.params());
    assert_eq!(
        (&params["keywords"], &params["hashes"]),
        (&11.into(), &"best".into())
    );
    let twice = options(serde_json::json!({"preset": "agt", "method": "agglomerate"}));
    assert!(
        twice
            .unwrap_err()
            .to_string()
            .contains("leave out `method`")
    );
    let unknown = options(serde_json::json!({"preset": "agd"})).unwrap_err();
    assert!(unknown.to_string().contains("no preset is called `agd`"));

    let world = World::new();
    world.file("in.jsonl", records()[0].to_string() + "\n");
    let told = "no method is called `dwdcs`, but a preset is";
    for command in [
        &["dedup", "in.jsonl", "-o", "o", "--method", "dwdcs"][..],
        &["explain", "in.jsonl", "in.jsonl", "--method", "dwdcs"],
    ] {
        world.run(command).code(2).says(&[told]);
    }
    for command in [
        &["text", "in.jsonl", "--topic", "--preset", "patent"][..],
        &["text", "in.jsonl", "--topic", "--param", "noise=site"],
    ] {
        world.run(command).code(0);
    }
    world
        .run(&["text", "in.jsonl", "--topic", "--preset", "agt"])
        .code(2)
        .says(&["--topic uses the method `period`"]);
}

#[test]
fn one_fixture_through_every_door() {
    let world = World::new();
    let lines: String = records()
        .iter()
        .map(|record| format!("{record}\n"))
        .collect();
    world.file("in.jsonl", lines);
    world.file("words.txt", "关于洪水\n别处没有\n");
    world.file("synonyms.tsv", "ferry\tboat\n");
    let mut related = 0;
    for (number, row) in matrix().into_iter().enumerate() {
        let out = format!("out-{number}");
        let row: Vec<&str> = row
            .into_iter()
            .map(|word| match word {
                "W" => "words.txt",
                "S" => "synonyms.tsv",
                other => other,
            })
            .collect();
        let arguments = [
            &["dedup", "in.jsonl", "-q", "--no-kept", "-o", &out][..],
            &row,
        ]
        .concat();
        world.run(&arguments).code(0);
        let batch = of_batch(&world, &out);
        related += batch.len();

        // What the run recorded is enough to run it again.
        let mut recorded = world.summary(&out)["parameters"].clone();
        let recorded = recorded.as_object_mut().unwrap();
        let output = OutputConfig::taken_from(recorded).unwrap();
        assert!(!output.kept && recorded.remove("allow_empty").is_some());
        let config = JudgeConfig::from_map(recorded.clone())
            .unwrap()
            .below(&world.path(""));
        let findings = dedup(pages(&config), &config).unwrap();
        assert_eq!(of_memory(&findings), batch, "in memory: {row:?}");
        let dropped: Vec<_> = findings
            .dropped
            .iter()
            .map(|drop| findings.id(drop.page))
            .collect();
        let gone = world.lines(&format!("{out}/dropped.jsonl"));
        let gone: Vec<&str> = gone
            .iter()
            .map(|line| line["id"].as_str().unwrap())
            .collect();
        assert_eq!(dropped, gone, "{row:?}");

        // The saved model judges the same pages in the same way, one reading or another.
        let model =
            Model::from_json(&world.read(&format!("{out}/model.json")), &world.path("")).unwrap();
        assert_eq!(model.config().params, findings.model.config().params);
        assert_eq!(model.knowledge(), findings.model.knowledge(), "{row:?}");
        let source = Source::of_pages("pages", pages(&config));
        let again = retold::Dedup::new(model).run(vec![source]).unwrap();
        assert_eq!(of_memory(&again), batch, "under the saved model: {row:?}");

        // An index says the same of its pages, all together and when it is asked for one.
        let (dir, export) = (format!("index-{number}"), format!("export-{number}"));
        index_of(&world, &out, &dir, &row);
        let exported = ["index", "export", &dir, "-q", "--no-kept", "-o", &export];
        world.run(&exported).code(0);
        assert_eq!(of_batch(&world, &export), batch, "index: {row:?}");
        assert_eq!(
            world.read(&format!("{export}/dropped.jsonl")),
            world.read(&format!("{out}/dropped.jsonl")),
            "index: {row:?}"
        );
        let asked = of_query(&world, &dir);
        let listed = |ids: &&(String, String)| batch.contains_key(*ids);
        assert!(asked.keys().all(|ids| listed(&ids)), "query: {row:?}");
        for (ids, told) in &asked {
            assert_eq!(told, &batch[ids], "query: {row:?}");
        }
        assert!(2 * asked.len() >= batch.len(), "query: {row:?}");

        let told = of_explain(&world.path(&out));
        let without_shared = batch
            .into_iter()
            .map(|(ids, (relation, similarity, ratio, _))| (ids, (relation, similarity, ratio)));
        assert_eq!(told, without_shared.collect(), "explain: {row:?}");
    }
    assert!(
        related > 500,
        "the fixture relates {related} pairs in all runs"
    );
}

#[test]
fn a_word_file_that_changed_is_refused() {
    let world = World::new();
    let lines: String = records()
        .iter()
        .map(|record| format!("{record}\n"))
        .collect();
    world.file("in.jsonl", lines);
    world.file("words.txt", "关于洪水\n");
    let arguments = [
        "dedup",
        "in.jsonl",
        "-q",
        "-o",
        "out",
        "--method",
        "tfidf",
        "--user-dict",
        "words.txt",
    ];
    world.run(&arguments).code(0);
    world
        .run(&["explain", "out", "flood", "flood-edited"])
        .code(0);
    world.file("words.txt", "别处没有\n");
    world
        .run(&["explain", "out", "flood", "flood-edited"])
        .code(2)
        .says(&["words.txt", "the file has changed since it was used"]);
}

#[test]
fn all_commands_give_a_page_one_id() {
    let world = World::new();
    let text = |number: u32| article(&format!("第{number}个话题"), 0..3);
    let lines: String = (0..)
        .zip(["a", "a", "a#2", "b", "a"])
        .map(|(n, id)| crate::common::line(id, &text(n)))
        .collect();
    world.file("in.jsonl", lines);
    world
        .run(&["dedup", "in.jsonl", "-q", "-o", "out", "--mark"])
        .code(0);
    let expected = ["a", "a#3", "a#2", "b", "a#4"];
    let printed = world.run(&["text", "in.jsonl"]).code(0).stdout();
    let ids: Vec<Value> = printed
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone())
        .collect();
    assert_eq!(ids, expected);
    let pair = [
        "explain", "--in", "in.jsonl", "--ids", "a#3", "a#4", "--json",
    ];
    let story: Value = serde_json::from_str(&world.run(&pair).code(0).stdout()).unwrap();
    assert!(story["a"]["text"].as_str().unwrap().contains("第1个话题"));
}
