//! Runs with existing files, with a reader that closes the pipe, and with unusual orders.

use std::process::Stdio;

use serde_json::Value;

use crate::common::{World, article, line};

/// Three pages, two of them the same.
fn pages(world: &World) {
    for (name, topic) in [("a", "渡船"), ("b", "渡船"), ("c", "大桥")] {
        world.file(&format!("in/{name}.txt"), article(topic, 0..9));
    }
}

#[test]
fn what_is_there_stays_until_there_is_something_better() {
    let world = World::new();
    pages(&world);
    world.run(&["dedup", "in", "-o", "out"]).code(0);
    let before = world.files("out");
    world.file("empty.jsonl", "");
    for input in ["nosuch", "empty.jsonl"] {
        world
            .run(&["dedup", input, "-o", "out", "--force"])
            .code(2)
            .says(&[input]);
        assert_eq!(world.files("out"), before);
    }
    let report = world.read("out/report.html");
    world.file("one/x.txt", article("火车", 0..9));
    world.run(&["dedup", "one", "-o", "out", "--force"]).code(0);
    assert_ne!(world.read("out/report.html"), report);
    assert!(world.exists("out/kept/one/x.txt") && !world.exists("out/kept/in"));
}

#[test]
fn files_of_others_stay_and_are_no_obstacle() {
    let world = World::new();
    pages(&world);
    world.run(&["dedup", "in", "-o", "out"]).code(0);
    world.file("out/kept/in/notes.txt", "mine");
    world.file("out/more.txt", "mine");
    world.run(&["dedup", "in", "-o", "out", "--force"]).code(0);
    assert_eq!(world.read("out/kept/in/notes.txt"), "mine");
    assert_eq!(world.read("out/more.txt"), "mine");
    assert!(world.exists("out/kept/in/a.txt"));
    // A name that the new run needs is not taken from somebody else, and nothing else is touched.
    world.file("in/d.txt", article("海港", 0..9));
    world.file("out/kept/in/d.txt", "mine");
    let before = world.files("out");
    world
        .run(&["dedup", "in", "-o", "out", "--force"])
        .code(2)
        .says(&["d.txt exists and was not written"]);
    assert_eq!(world.files("out"), before);
    assert_eq!(world.read("out/kept/in/d.txt"), "mine");
}

/// What a link in OUT leads to is not OUT.
#[cfg(unix)]
#[test]
fn links_in_the_output_folder_are_not_followed() {
    use std::os::unix::fs::symlink;
    let world = World::new();
    pages(&world);
    world.file("mine/f", "mine");
    world.file("precious", "mine");
    for (link, to, option) in [
        ("kept", "mine", "--force"),
        ("kept/in", "mine", "--force"),
        (".retold-resume", "mine", "--resume"),
        (".retold-partial", "mine", "--resume"),
        (".retold-lock", "precious", "--resume"),
    ] {
        std::fs::remove_dir_all(world.path("out")).ok();
        match option {
            "--force" => drop(world.run(&["dedup", "in", "-o", "out"]).code(0)),
            _ => std::fs::create_dir(world.path("out")).unwrap(),
        }
        let at = world.path("out").join(link);
        std::fs::remove_dir_all(&at).ok();
        symlink(world.path(to), &at).unwrap();
        world
            .run(&["dedup", "in", "-o", "out", option])
            .code(2)
            .says(&[link, "is a link"]);
        assert_eq!(world.files("mine"), ["f"]);
        assert_eq!(world.read("precious"), "mine");
    }
    // The folder itself may be one.
    std::fs::remove_dir_all(world.path("out")).unwrap();
    symlink(world.path("mine"), world.path("out")).unwrap();
    world.run(&["dedup", "in", "-o", "out", "--force"]).code(0);
    assert!(world.exists("mine/summary.json"));
}

/// `ulimit -f` is a full disk, and no signal that ends the program.
#[cfg(unix)]
#[test]
fn a_limit_on_file_sizes_is_a_failure_like_others() {
    let world = World::new();
    let lines = (0..2000).map(|n| line(&format!("p{n}"), &article(&n.to_string(), 0..20)));
    world.file("in.jsonl", lines.collect::<String>());
    for command in ["dedup", "passages"] {
        let program = world.command(&[]).get_program().to_owned();
        let program = program.to_str().unwrap();
        let ran = std::process::Command::new("sh")
            .current_dir(world.path(""))
            .args([
                "-c",
                &format!("ulimit -f 100; exec {program} {command} in.jsonl -o out -q"),
            ])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(3), "{said}");
        assert!(said.contains("File too large"), "{said}");
        assert!(!world.exists("out"));
    }
}

#[test]
fn two_runs_do_not_write_into_one_folder() {
    let world = World::new();
    pages(&world);
    let lines: String = (0..20_000)
        .map(|n| line(&format!("p{n}"), &article(&n.to_string(), 0..20)))
        .collect();
    world.file("big.jsonl", lines);
    let mut first = world
        .command(&["dedup", "in", "big.jsonl", "-o", "out"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while !world.exists("out/.retold-partial") {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    world
        .run(&["dedup", "in", "-o", "out", "--force"])
        .code(2)
        .says(&["another run of retold", &format!("process {}", first.id())]);
    assert_eq!(first.wait().unwrap().code(), Some(0));
    assert!(!world.exists("out/.retold-lock"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_reader_that_has_gone_is_no_failure() {
    let world = World::new();
    pages(&world);
    for arguments in [
        &["dedup", "in", "-o", "out"][..],
        &["methods"],
        &["methods", "--json"],
        &["text", "in"],
        &["completions", "bash"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ended = world
            .command(arguments)
            .stdout(writer)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(
            (ended.status.code(), said.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
    }
    assert!(world.exists("out/summary.json"));
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let ended = world.command(&["methods"]).stdout(full).output().unwrap();
    assert_eq!(ended.status.code(), Some(3));
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(
        said.contains("standard output") && !said.contains("internal"),
        "{said}"
    );
}

#[test]
fn quiet_is_silent_about_what_went_right_only() {
    let world = World::new();
    world.file("in.jsonl", line("a", "甲。") + "{no json}\n");
    world
        .run(&["dedup", "in.jsonl", "-o", "out", "-q"])
        .code(1)
        .says(&["1 record could not be read", "rejects.jsonl"]);
}

#[test]
fn terminals_do_not_obey_pages() {
    let world = World::new();
    let text =
        "The ferry waits \u{1b}[31m for the fog to lift, and the ferryman waits for the ferry.";
    world.file("in.jsonl", line("bell\u{7}\u{1b}]0;x", text));
    let text = ["text", "in.jsonl", "--format", "text"];
    let shown = world.run(&text).code(0).stdout();
    assert!(!shown.contains(['\u{7}', '\u{1b}']), "{shown:?}");
    assert!(shown.contains("bell\\u{7}"), "{shown}");
}

#[test]
fn odd_orders_are_refused() {
    let world = World::new();
    pages(&world);
    world
        .run(&["dedup", "in", "-o", "out", "--fold", "none,case"])
        .code(2)
        .says(&["none"]);
    world
        .run(&["dedup", "in/a.txt", "-o", "in"])
        .code(2)
        .says(&["not empty"]);
    world
        .run(&["dedup", "in/a.txt", "-o", "in", "--force"])
        .code(2)
        .says(&["in/a.txt is inside the output folder"]);
    world
        .run(&["dedup", "in", "-o", "out", "--threads", "100000"])
        .code(0)
        .says(&["four per core"]);
    let threads = world.summary("out")["run"]["threads"].as_u64().unwrap();
    assert!(threads < 10_000, "{threads}");
}

#[test]
fn tables_stand_beside_the_lines_and_say_the_same() {
    let world = World::new();
    pages(&world);
    // An id that CSV must quote.
    world.file("in/b, \"the second\".txt", article("渡船", 0..9));
    for (form, extra) in [("csv", "--no-kept"), ("parquet", "--mark")] {
        let out = format!("out-{form}");
        world
            .run(&["dedup", "in", "-o", &out, "--tables", form, extra])
            .code(0);
        let column = |table: &str, text: &str, id: &str| -> Vec<(Value, Value)> {
            let file = format!("{out}/{table}.{form}");
            let read = [
                "text",
                &file,
                "--text-field",
                text,
                "--id-field",
                id,
                "--format",
                "jsonl",
            ];
            let told = world.run(&read).code(0).stdout();
            // Ids that repeat are told apart.
            let cell =
                |value: &Value| Value::from(value.as_str().unwrap().split('#').next().unwrap());
            let lines = told
                .lines()
                .map(|line| serde_json::from_str::<Value>(line).unwrap());
            lines
                .map(|line| (line["text"].clone(), cell(&line["id"])))
                .collect()
        };
        let pairs = world.lines(&format!("{out}/pairs.jsonl"));
        let repeats = pairs.iter().filter(|pair| pair["relation"] != "overlaps");
        assert_eq!(repeats.count(), 3);
        let expected: Vec<_> = pairs
            .iter()
            .map(|pair| (pair["a"].clone(), pair["b"].clone()))
            .collect();
        assert_eq!(column("pairs", "a", "b"), expected);
        let shared = column("pairs", "relation", "shared");
        for ((relation, shared), pair) in shared.iter().zip(&pairs) {
            assert_eq!(*relation, pair["relation"]);
            assert_eq!(shared.as_str().unwrap(), pair["shared"].to_string());
        }
        let members = column("clusters", "canonical", "member");
        let clusters = world.lines(&format!("{out}/clusters.jsonl"));
        let listed = clusters[0]["members"].as_array().unwrap();
        assert!(members.iter().map(|(_, member)| member).eq(listed));
        assert!(
            members
                .iter()
                .all(|(canonical, _)| *canonical == clusters[0]["canonical"])
        );
        assert!(world.exists(&format!("{out}/rejects.{form}")));
        assert_eq!(
            world.exists(&format!("{out}/marks.{form}")),
            extra == "--mark"
        );
        let listed = world.read(&format!("{out}/.retold-files"));
        assert!(listed.contains(&format!("pairs.{form}\n")));
    }
}

#[test]
fn a_new_folder_on_another_file_system_is_written() {
    let world = World::new();
    pages(&world);
    let Ok(other) = tempfile::tempdir_in("/dev/shm") else {
        eprintln!("skipped: no /dev/shm");
        return;
    };
    let out = other.path().join("new/out");
    let out = out.to_str().unwrap();
    world
        .run(&["dedup", "in", "-o", out, "--temp-dir", "."])
        .code(0);
    world.run(&["dedup", "in", "-o", out, "--force"]).code(0);
    assert!(other.path().join("new/out/kept/in/a.txt").exists());
}

#[test]
fn manual_pages_and_completions_know_everything() {
    let world = World::new();
    world.run(&["man", "man1"]).code(0);
    let pages = world.files("man1");
    for page in [
        "retold.1",
        "retold-dedup.1",
        "retold-index-add.1",
        "retold-man.1",
    ] {
        assert!(pages.contains(&page.to_owned()), "{pages:?}");
    }
    let page = world.read("man1/retold-dedup.1");
    assert!(page.contains("retold\\-dedup") && page.contains("\\-\\-canonical"));
    for shell in ["bash", "zsh", "fish"] {
        let script = world.run(&["completions", shell]).code(0).stdout();
        for word in ["keyworld", "containment=", "dwdcs", "parquet", "two-edge"] {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
    // They do not swell the help.
    let help = world.run(&["dedup", "--help"]).code(0).stdout();
    assert!(!help.contains("containment="));
}

/// Each page shares seven of its ten sentences with the next, and four with the one after that: a chain. Within two relations of pages 3, 4
/// and 5 there are five pages, of the others fewer.
#[test]
fn the_patents_preset_makes_its_overlapping_classes() {
    let world = World::new();
    let pages = (1..=7).map(|n| line(&n.to_string(), &article("渡船", 3 * n..3 * n + 10)));
    world.file("in.jsonl", pages.collect::<String>());
    world
        .run(&["dedup", "in.jsonl", "-o", "out", "--preset", "patent"])
        .code(0);
    let class = |id: &str, center: &str, members: [&str; 5]| serde_json::json!({"id": id, "center": center, "size": 5, "members": members});
    let first = ["1", "2", "3", "4", "5"];
    let expected = [
        class("1", "3", first),
        class("2", "3", first),
        class("3", "3", first),
        class("4", "3", first),
        class("5", "3", first),
        class("6", "4", ["2", "3", "4", "5", "6"]),
        class("7", "5", ["3", "4", "5", "6", "7"]),
    ];
    assert_eq!(world.lines("out/classes.jsonl"), expected);
    assert_eq!(world.summary("out")["parameters"]["cluster"], "per-page");
    // What is stated wins.
    let stated = ["--preset", "patent", "--cluster", "two-edge"];
    world
        .run(&[&["dedup", "in.jsonl", "-o", "two"], &stated[..]].concat())
        .code(0);
    assert!(!world.exists("two/classes.jsonl"));
}

/// A filter that deletes what is on more than twenty texts does nothing among ten, and says so.
#[test]
fn a_noise_filter_that_deletes_nothing_says_so() {
    let world = World::new();
    let pages = (0..10).map(|n| line(&n.to_string(), &article("渡船", n..n + 9)));
    world.file("in.jsonl", pages.collect::<String>());
    for (preset, told) in [("ccdet", "noise=site"), ("patent", "noise=idf")] {
        let ran = world.run(&["dedup", "in.jsonl", "-o", preset, "--preset", preset]);
        let told = format!("{told} deleted nothing");
        assert!(ran.code(0).stdout().contains(&told));
    }
    let many = (0..30).map(|n| line(&n.to_string(), &article("渡船", n..n + 29)));
    world.file("many.jsonl", many.collect::<String>());
    let ran = world.run(&["dedup", "many.jsonl", "-o", "many", "--preset", "patent"]);
    assert!(!ran.code(0).stdout().contains("deleted nothing"));
}

#[test]
fn pages_that_repeat_their_own_paths_are_copies() {
    let world = World::new();
    let page = |url: &str| {
        let text = format!(
            "Not Found\nThe requested URL {url} was not found on this server.\nApache Server at a.example Port 80"
        );
        let record =
            serde_json::json!({"id": url, "url": format!("http://a.example{url}"), "text": text});
        format!("{record}\n")
    };
    let echoes = (0..60).map(|n| page(&format!("/news/{n}/page-{n}.html")));
    world.file("in.jsonl", echoes.collect::<String>());
    world.run(&["dedup", "in.jsonl", "-o", "out"]).code(0);
    assert_eq!(world.summary("out")["records"]["kept"], 1);
}
