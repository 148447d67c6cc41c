//! Options, parameters, config files, and the text of `--help`.

use crate::common::{World, article, assert_short_helps, line};

fn two_pages(world: &World) {
    let (a, b) = (article("甲", 0..10), article("甲", 2..12));
    world.file("in.jsonl", line("a", &a) + &line("b", &b));
}

#[test]
fn parameters_come_from_the_command_line_and_from_files() {
    let world = World::new();
    two_pages(&world);
    // 8 of 10 features.
    let pairs = |out: &str| world.lines(&format!("{out}/pairs.jsonl")).len();
    world
        .run(&["dedup", "--method", "period", "in.jsonl", "-o", "a"])
        .code(0);
    assert_eq!(pairs("a"), 1);
    world
        .run(&[
            "dedup",
            "--method",
            "period",
            "in.jsonl",
            "-o",
            "b",
            "--param",
            "threshold=0.9",
        ])
        .code(0);
    assert_eq!(pairs("b"), 0);
    world.file("p.toml", "[period]\nthreshold = 0.9\nnoise = \"none\"\n");
    world
        .run(&[
            "dedup", "--method", "period", "in.jsonl", "-o", "c", "--params", "p.toml",
        ])
        .code(0);
    assert_eq!(pairs("c"), 0);
    for (out, name) in [("e", "param-file"), ("f", "params")] {
        let config = world.file(
            "c.toml",
            format!("method = \"period\"\n{name} = \"p.toml\"\n"),
        );
        let config = config.display().to_string();
        world
            .run(&["dedup", "in.jsonl", "-o", out, "--config", &config])
            .code(0);
        assert_eq!(pairs(out), 0, "{name}");
    }
    let both = [
        "dedup",
        "--method",
        "period",
        "in.jsonl",
        "-o",
        "d",
        "--param-file",
        "p.toml",
        "--param",
        "threshold=0.8",
    ];
    world.run(&both).code(0);
    assert_eq!(pairs("d"), 1);
    assert_eq!(world.summary("d")["parameters"]["params"]["noise"], "none");
    assert_eq!(world.summary("d")["parameters"]["params"]["threshold"], 0.8);
}

#[test]
fn a_config_file_sets_options_and_the_command_line_wins() {
    let world = World::new();
    two_pages(&world);
    world.file(
        "c.toml",
        "param = [\"threshold=0.95\"]\nno-kept = true\nthreads = 1\nfold = [\"case\"]\n",
    );
    world
        .run(&["dedup", "in.jsonl", "-o", "a", "--config", "c.toml"])
        .code(0);
    assert_eq!(world.read("a/pairs.jsonl"), "");
    assert!(!world.exists("a/kept"));
    let summary = world.summary("a");
    assert_eq!(summary["run"]["threads"], 1);
    assert_eq!(summary["parameters"]["fold"], serde_json::json!(["case"]));
    let wins = [
        "dedup",
        "in.jsonl",
        "-o",
        "b",
        "--config=c.toml",
        "--param",
        "threshold=0.5",
        "--threads",
        "2",
    ];
    world.run(&wins).code(0);
    assert_eq!(world.lines("b/pairs.jsonl").len(), 1);
    assert_eq!(world.summary("b")["run"]["threads"], 2);

    world.file("bad.toml", "treads = 1\n");
    world
        .run(&["dedup", "in.jsonl", "-o", "c", "--config", "bad.toml"])
        .code(2)
        .says(&["bad.toml", "there is no option `treads`", "threads"]);
    world
        .run(&["dedup", "in.jsonl", "-o", "c", "--config", "none.toml"])
        .code(2)
        .says(&["none.toml"]);
}

#[test]
fn the_example_config_has_every_option_and_works() {
    let world = World::new();
    two_pages(&world);
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let example = std::fs::read_to_string(format!("{root}/retold.example.toml")).unwrap();
    let set: Vec<&str> = example
        .lines()
        .filter_map(|line| line.trim_start_matches('#').split_once(" = "))
        .map(|(key, _)| key.trim())
        .collect();
    let help = world.run(&["dedup", "--help"]).code(0).stdout();
    let options: Vec<&str> = help
        .lines()
        .filter_map(|line| {
            line.trim_start()
                .split_once("--")
                .filter(|(before, _)| before.len() <= 4)
        })
        .map(|(_, rest)| rest.split([' ', '=', ',', '[']).next().unwrap())
        .filter(|name| !["config", "help", "lang"].contains(name))
        .collect();
    assert!(options.len() > 20, "{options:?}");
    for option in &options {
        assert!(set.contains(option), "retold.example.toml lacks `{option}`");
    }
    for key in set {
        assert!(
            options.contains(&key),
            "retold.example.toml has `{key}`, which is no option"
        );
    }
    // As it stands, and with every comment sign taken away from a setting, it is valid.
    world
        .run(&[
            "dedup",
            "in.jsonl",
            "-o",
            "a",
            "--config",
            &format!("{root}/retold.example.toml"),
        ])
        .code(0);
    let all: String = example
        .lines()
        .map(|line| {
            if line.contains(" = ") {
                line.trim_start_matches('#').trim()
            } else {
                line
            }
        })
        // Names of files that are not there, and what excludes another option.
        .filter(|line| {
            let left_out = [
                "files-from",
                "against",
                "param-file",
                "preset",
                "knowledge",
                "user-dict",
                "synonyms",
                "stop-words",
                "rank",
                "mark",
                "out",
            ];
            !left_out.iter().any(|name| line.starts_with(name))
        })
        .map(|line| format!("{line}\n"))
        .collect();
    world.file("all.toml", all);
    world
        .run(&["dedup", "in.jsonl", "-o", "b", "--config", "all.toml"])
        .code(0);
}

#[test]
fn wrong_use_says_what_to_do() {
    let world = World::new();
    two_pages(&world);
    let dedup = |extra: &[&str]| {
        let arguments: Vec<&str> = ["dedup", "in.jsonl", "-o", "out"]
            .iter()
            .chain(extra)
            .copied()
            .collect();
        world.run(&arguments).code(2)
    };
    dedup(&["--method", "perod"]).says(&["no method is called `perod`", "period"]);
    dedup(&["--param", "treshold=1"]).says(&["no parameter `treshold`", "threshold"]);
    dedup(&["--param", "threshold=7"]).says(&["coverage.threshold = 7", "a number from 0.05 to 1"]);
    dedup(&["--param", "threshold"]).says(&["NAME=VALUE"]);
    dedup(&["--max-record-size", "many"]).says(&["a number of bytes"]);
    dedup(&["--mark", "--no-kept"]).says(&["cannot be used with"]);
    world.file("bad.toml", "[perod]\nthreshold = 1\n");
    dedup(&["--params", "bad.toml"]).says(&["bad.toml", "perod"]);
    world
        .run(&["dedup", "-o", "out"])
        .code(2)
        .says(&["no INPUT"]);
    world
        .run(&["dedup", "nowhere", "-o", "out"])
        .code(2)
        .says(&["nowhere"]);
    assert!(!world.exists("out/summary.json"));
}

#[test]
fn files_from_lists_inputs() {
    let world = World::new();
    world.file("x/a.txt", "甲。");
    world.file("y/b.txt", "甲。");
    world.file("list", "x\n\ny/b.txt\n");
    world
        .run(&["dedup", "--files-from", "list", "-o", "out"])
        .code(0);
    assert_eq!(world.summary("out")["records"]["read"], 2);
    world
        .run(&["dedup", "--files-from", "gone", "-o", "out2"])
        .code(2)
        .says(&["--files-from gone"]);
}

#[test]
fn methods_and_completions_are_listed() {
    let world = World::new();
    let text = world.run(&["methods"]).code(0).stdout();
    for part in [
        "coverage (default)",
        "--param threshold=0.7",
        "CN102945244",
        "a number from 0 to 1",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    let json = world.run(&["methods", "period", "--json"]).code(0).stdout();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[0]["name"], "period");
    assert!(
        json[0]["params"]
            .as_array()
            .unwrap()
            .iter()
            .any(|p| p["name"] == "min_shared")
    );
    world
        .run(&["methods", "none"])
        .code(2)
        .says(&["no method is called `none`"]);
    for shell in ["bash", "zsh", "fish"] {
        assert!(
            world
                .run(&["completions", shell])
                .code(0)
                .stdout()
                .contains("retold")
        );
    }
    assert!(
        world
            .run(&["--version"])
            .code(0)
            .stdout()
            .starts_with("retold ")
    );
}

#[test]
fn a_short_help_is_short() {
    assert_short_helps(&World::new(), 20);
}

#[test]
fn the_long_help_of_dedup_begins_with_examples() {
    let world = World::new();
    let help = world.run(&["dedup", "--help"]).code(0).stdout();
    let lines: Vec<&str> = help.lines().take(7).collect();
    assert_eq!(lines[0], "Examples:");
    for example in lines[1..].chunks(2) {
        assert!(example[0].ends_with(':'), "{example:?}");
        assert!(example[1].starts_with("    retold dedup "), "{example:?}");
    }
}

#[test]
fn commands_of_the_laboratory_are_named_but_not_listed() {
    let world = World::new();
    let help = world.run(&["--help"]).code(0).stdout();
    for command in ["compare", "keywords", "network", "tune"] {
        for further in [&["--help"][..], &["in.jsonl", "-o", "out"], &[]] {
            let arguments = [&[command], further].concat();
            let told = world.run(&arguments).code(2).stderr();
            assert!(told.starts_with(&format!("retold: `{command}` is a command of ")));
            assert!(
                told.contains("`cargo build --release -p retold-lab`"),
                "{told}"
            );
            assert_eq!(told.lines().count(), 1, "{told}");
        }
        assert!(!help.contains(&format!("  {command} ")), "{help}");
    }
}

#[test]
fn quiet_says_nothing_and_verbose_says_more() {
    let world = World::new();
    two_pages(&world);
    assert_eq!(
        world
            .run(&["dedup", "in.jsonl", "-o", "a", "-q"])
            .code(0)
            .stdout(),
        ""
    );
    let run = world.run(&["dedup", "in.jsonl", "-o", "b", "-v"]).code(0);
    let verbose = run.stdout();
    assert!(
        verbose.contains("different sketches") && verbose.contains("peak memory"),
        "{verbose}"
    );
    // What each stage used, where no bar can show it.
    for stage in ["read", "join", "cluster", "write"] {
        let told = run.stderr();
        let line = told
            .lines()
            .find(|line| line.contains(&format!("retold: {stage}: ")));
        assert!(
            line.is_some_and(|line| line.contains("MiB of memory, 0 B in temporary files")),
            "{told}"
        );
    }
}

/// `--own` sets two parameters; those of `--param` win, those of a file do not.
#[test]
fn how_much_of_its_own_a_page_may_say() {
    let world = World::new();
    two_pages(&world);
    world.file("p.toml", "[coverage]\nown_words = 99\nown_share = 0.5\n");
    let own = |out: &str, options: &[&str]| {
        let run = [&["dedup", "in.jsonl", "-q", "-o", out], options].concat();
        world.run(&run).code(0);
        let params = world.summary(out)["parameters"]["params"].clone();
        (params["own_words"].as_u64(), params["own_share"].as_f64())
    };
    let (words, share) = own("a", &[]);
    assert_eq!(own("b", &["--own", "0"]), (Some(0), Some(0.0)));
    assert_eq!(own("c", &["--own", "50"]), (Some(50), share));
    assert_eq!(own("d", &["--own=50,20%"]), (Some(50), Some(0.2)));
    let file = ["--own", "7", "--param-file", "p.toml"];
    assert_eq!(own("e", &file), (Some(7), Some(0.5)));
    let param = ["--own", "7,1%", "--param", "own_words=8"];
    assert_eq!(own("f", &param), (Some(8), Some(0.01)));
    world.file("c.toml", "own = \"3,30%\"\n");
    assert_eq!(own("g", &["--config", "c.toml"]), (Some(3), Some(0.3)));
    assert!(words.is_some());
    let refused = ["dedup", "in.jsonl", "-o", "h", "--own"];
    world
        .run(&[&refused[..], &["0", "--method", "shingle"]].concat())
        .code(2)
        .says(&[
            "own: the method `shingle` does not look at passages",
            "with it: coverage",
        ]);
    world
        .run(&[&refused[..], &["much"]].concat())
        .code(2)
        .says(&["WORDS or WORDS,SHARE% expected"]);

    let explain = ["explain", "--in", "in.jsonl", "--ids", "a", "b", "--own"];
    world.run(&[&explain[..], &["0"]].concat()).code(0);
    world
        .run(&["explain", "a", "a", "b", "--own", "0"])
        .code(2)
        .says(&["omit --method, --preset, --own and --param"]);
    world
        .run(&["index", "create", "ix", "--own", "20,10%"])
        .code(0);
    let model = world.read("ix/model-000001.json");
    assert!(
        model.contains("\"own_words\":20") || model.contains("\"own_words\": 20"),
        "{model}"
    );
}

/// The run says what is lost with the dropped pages.
#[test]
fn what_is_lost_is_said_at_the_end() {
    let world = World::new();
    let text = article("甲", 0..10);
    world.file("in.jsonl", line("a", &text) + &line("b", &text));
    let said = world
        .run(&["dedup", "in.jsonl", "-o", "a"])
        .code(0)
        .stdout();
    assert!(
        said.contains("dropped pages take no words of their own with them\n"),
        "{said}"
    );
    let lost = &world.summary("a")["lost"];
    assert_eq!(
        lost,
        &serde_json::json!({"pages": 0, "words": 0, "largest": 0})
    );
    assert_eq!(world.lines("a/dropped.jsonl")[0]["lost"], 0);
    // A method that does not count it does not speak of it.
    let run = ["dedup", "in.jsonl", "-o", "b", "--method", "shingle"];
    let said = world.run(&run).code(0).stdout();
    assert!(!said.contains("of their own"), "{said}");
    assert!(world.summary("b").get("lost").is_none());
}
