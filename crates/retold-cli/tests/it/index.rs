//! `retold index`, `retold serve`, `retold dedup --against`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::common::{World, article, line};

/// Thirty pages: stories of one to four versions, some shortened.
fn pages() -> Vec<(String, String)> {
    let page = |n: u32| {
        let end = if n % 4 == 3 { 4 } else { 12 };
        (
            format!("p{n:02}"),
            format!("{}第{n}版。", article(&format!("题目{}", n / 4), 0..end)),
        )
    };
    (0..30).map(page).collect()
}

fn jsonl<'a>(pages: impl IntoIterator<Item = &'a (String, String)>) -> String {
    pages.into_iter().map(|(id, text)| line(id, text)).collect()
}

fn same(world: &World, a: &str, b: &str) {
    for file in ["pairs.jsonl", "clusters.jsonl", "dropped.jsonl"] {
        assert_eq!(
            world.read(&format!("{a}/{file}")),
            world.read(&format!("{b}/{file}")),
            "{file}"
        );
    }
}

/// A running service.
struct Service {
    child: Child,
    address: String,
}

impl Service {
    fn start(world: &World, arguments: &[&str]) -> Service {
        let mut command =
            world.command(&[&["serve", "ix", "--listen", "127.0.0.1:0"], arguments].concat());
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        BufReader::new(child.stdout.as_mut().unwrap())
            .read_line(&mut said)
            .unwrap();
        let address = said
            .trim()
            .strip_prefix("listening on http://")
            .unwrap()
            .to_owned();
        Service { child, address }
    }

    fn ask(&self, head: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{head}\r\nHost: localhost\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split_once("\r\n\r\n").unwrap().1.to_owned()
    }

    /// Stops it as a supervisor does; returns the exit code and the log.
    fn stop(mut self) -> (Option<i32>, String) {
        let id = self.child.id().to_string();
        assert!(
            std::process::Command::new("kill")
                .arg(id)
                .status()
                .unwrap()
                .success()
        );
        let mut log = String::new();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut log)
            .unwrap();
        (self.child.wait().unwrap().code(), log)
    }
}

/// One set of pages through every door: a run, an index filled at once and page by page, a service.
#[test]
#[cfg(unix)]
fn every_door_says_the_same() {
    let world = World::new();
    let pages = pages();
    world.file("all.jsonl", jsonl(&pages));
    world
        .run(&["dedup", "all.jsonl", "-o", "run", "--no-kept", "-q"])
        .code(0);
    for name in ["ix", "ix2"] {
        world
            .run(&["index", "create", name, "--learn", "all.jsonl"])
            .code(0);
    }
    let added = world
        .run(&["index", "add", "ix2", "all.jsonl", "-q"])
        .code(0)
        .stdout();
    assert_eq!(added.lines().count(), 30);
    // Backwards, by two doors in turns.
    for some in pages.iter().rev().collect::<Vec<_>>().chunks(10) {
        let service = Service::start(&world, &[]);
        for page in &some[..5] {
            let answer = service.ask(
                "POST /v1/pages HTTP/1.1\r\nContent-Type: application/json",
                &jsonl([*page]),
            );
            assert!(answer.contains("\"new\""), "{answer}");
        }
        let (code, log) = service.stop();
        assert_eq!(code, Some(0), "{log}");
        let lines: Vec<Value> = log
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert!(
            lines
                .iter()
                .any(|line| line["route"] == "/v1/pages" && line["status"] == 200),
            "{log}"
        );
        world.file("some.jsonl", jsonl(some[5..].iter().copied()));
        world
            .run(&["index", "add", "ix", "some.jsonl", "-q"])
            .code(0);
    }
    for name in ["ix", "ix2"] {
        world
            .run(&["index", "export", name, "-o", "export", "--force", "-q"])
            .code(0);
        let records = &world.summary("export")["records"];
        let count = |name: &str| records[name].as_u64().unwrap();
        let counted = ["kept", "dropped", "rejected", "skipped"].map(count);
        assert!(count("read") > 0);
        assert_eq!(count("read"), counted.iter().sum::<u64>(), "{records}");
        same(&world, "run", "export");
    }
    // What the export keeps is what the run keeps.
    let kept = world.lines("export/kept/pages.jsonl").len() as u64;
    assert_eq!(world.summary("run")["records"]["kept"], kept);
    // A question about a page has the matches that the run lists; of those that overlap a run lists only some.
    let is_repeat = |found: &&Value| found["relation"] != "overlaps";
    let asked = world
        .run(&[
            "index",
            "query",
            "ix",
            "all.jsonl",
            "-q",
            "--matches",
            "100",
        ])
        .code(0)
        .stdout();
    let mut found = 0;
    for line in asked
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
    {
        assert_eq!(line["status"], "unchanged");
        let matches = line["matches"].as_array().unwrap().iter();
        found += matches.filter(is_repeat).count();
    }
    let pairs = world.lines("run/pairs.jsonl");
    assert_eq!(found, 2 * pairs.iter().filter(is_repeat).count());
    assert!(found > 20);
}

#[test]
fn pages_are_replaced_and_removed() {
    let world = World::new();
    world.file(
        "one.jsonl",
        line("a", &article("甲", 0..9)) + &line("b", &article("乙", 0..9)),
    );
    world.run(&["index", "create", "ix"]).code(0);
    let status = |ran: crate::common::Ran| -> Vec<String> {
        let lines = ran.stdout();
        let lines = lines
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines
            .map(|line| line["status"].as_str().unwrap().to_owned())
            .collect()
    };
    let add = |file: &str| status(world.run(&["index", "add", "ix", file, "-q"]).code(0));
    assert_eq!(add("one.jsonl"), ["new", "new"]);
    assert_eq!(add("one.jsonl"), ["unchanged", "unchanged"]);
    world.file(
        "two.jsonl",
        line("a", &article("丙", 0..9)) + &line("a", &article("乙", 0..9)),
    );
    assert_eq!(
        status(
            world
                .run(&["index", "query", "ix", "two.jsonl", "-q"])
                .code(0)
        ),
        ["replaced", "replaced"]
    );
    assert_eq!(add("two.jsonl"), ["replaced", "replaced"]);
    world.file("ids.txt", "a\nnobody\n");
    assert_eq!(
        status(
            world
                .run(&["index", "remove", "ix", "--ids-from", "ids.txt"])
                .code(0)
        ),
        ["removed", "absent"]
    );
    world.run(&["index", "compact", "ix", "-q"]).code(0);
    let stats: Value =
        serde_json::from_str(&world.run(&["index", "stats", "ix"]).code(0).stdout()).unwrap();
    assert_eq!(
        (&stats["pages"], &stats["gone"], &stats["verdicts"]),
        (&1.into(), &0.into(), &"texts".into())
    );
    world.file("bad.jsonl", "{\"id\": 1\n");
    let said = world
        .run(&["index", "add", "ix", "bad.jsonl", "-q"])
        .code(1)
        .stdout();
    assert!(
        said.contains("\"status\":\"rejected\"") && said.contains("invalid JSON"),
        "{said}"
    );
    // In the order of the input, with the others; and on request they are no failure.
    let good = |id: &str| line(id, &article("丁", 0..9));
    world.file("mixed.jsonl", good("m1") + "{\"id\": 1\n" + &good("m2"));
    let mixed = world.run(&["index", "add", "ix", "mixed.jsonl", "-q"]);
    assert_eq!(status(mixed.code(1)), ["new", "rejected", "new"]);
    let mixed = ["index", "add", "ix", "mixed.jsonl", "-q", "--rejects", "ok"];
    assert_eq!(
        status(world.run(&mixed).code(0)),
        ["unchanged", "rejected", "unchanged"]
    );
    let mixed = [
        "index",
        "query",
        "ix",
        "mixed.jsonl",
        "-q",
        "--rejects",
        "ok",
    ];
    world.run(&mixed).code(0);
    let dedup = ["dedup", "mixed.jsonl", "-o", "o", "-q", "--rejects", "ok"];
    world.run(&dedup).code(0);
    assert_eq!(world.lines("o/rejects.jsonl").len(), 1);
    let told = world
        .run(&["index", "changes", "ix", "--since", "4"])
        .code(0);
    let told = told.stdout();
    let (last, pages) = told
        .lines()
        .collect::<Vec<_>>()
        .split_last()
        .map(|(l, p)| (l.to_string(), p.len()))
        .unwrap();
    assert!(last.starts_with("{\"cursor\":") && pages == 2, "{told}");
    world
        .run(&["index", "changes", "ix", "--since", "99"])
        .code(2)
        .says(&["cursor 99 belongs to another index"]);
    world
        .run(&["index", "story", "ix", "zzz"])
        .code(2)
        .says(&["no page of the index has the id `zzz`"]);
    world.run(&["index", "stats", "nowhere"]).code(2).says(&[
        "nowhere: not an index of retold",
        "retold index create nowhere",
    ]);
    world
        .run(&["index", "create", "ix"])
        .code(2)
        .says(&["the folder is not empty"]);
}

#[test]
fn without_texts_verdicts_are_those_of_sketches() {
    let world = World::new();
    world.file("all.jsonl", jsonl(&pages()));
    world
        .run(&["index", "create", "ix", "--no-texts"])
        .code(0)
        .says(&["verdicts come from the sketches alone"]);
    world
        .run(&["index", "add", "ix", "all.jsonl", "-q"])
        .code(0);
    let stats = world.run(&["index", "stats", "ix"]).code(0).stdout();
    assert!(stats.contains("\"verdicts\": \"sketches\""), "{stats}");
    world
        .run(&["index", "export", "ix", "-o", "out", "-q"])
        .code(0);
    assert!(!world.lines("out/pairs.jsonl").is_empty() && !world.exists("out/kept"));
    world
        .run(&["index", "create", "words", "--method", "tfidf"])
        .code(2)
        .says(&["--learn INPUT"]);
}

#[test]
fn a_damaged_index_is_named() {
    let world = World::new();
    world.file("all.jsonl", jsonl(&pages()));
    world.run(&["index", "create", "ix"]).code(0);
    world
        .run(&["index", "add", "ix", "all.jsonl", "-q"])
        .code(0);
    world.run(&["index", "check", "ix"]).code(0);
    let path = world.path("ix/log-000001");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    world
        .run(&["index", "query", "ix", "all.jsonl", "-q"])
        .code(2)
        .says(&["log-000001: damaged"]);
    world
        .run(&["index", "check", "ix"])
        .code(2)
        .says(&["log-000001: damaged"]);
}

#[test]
#[cfg(unix)]
fn standard_input_is_answered_line_by_line() {
    let world = World::new();
    world.run(&["index", "create", "ix"]).code(0);
    let mut child = world
        .command(&["index", "add", "ix", "-", "-q"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut to, mut from) = (
        child.stdin.take().unwrap(),
        BufReader::new(child.stdout.take().unwrap()),
    );
    for (n, (id, text)) in pages().iter().take(6).enumerate() {
        to.write_all(line(id, text).as_bytes()).unwrap();
        // The next line is not written before this one is answered.
        let mut answer = String::new();
        from.read_line(&mut answer).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let matches = answer["matches"].as_array().unwrap().iter();
        let repeats = matches
            .filter(|found| found["relation"] != "overlaps")
            .count();
        assert_eq!(
            (&answer["id"], repeats == 0),
            (&id.as_str().into(), n % 4 == 0)
        );
        // Meanwhile nobody else may write, and everybody may read.
        if n == 3 {
            world
                .run(&["index", "compact", "ix"])
                .code(2)
                .says(&["one writer at a time: retold index (process "]);
            let stats = world.run(&["index", "stats", "ix"]).code(0).stdout();
            assert!(stats.contains("\"pages\": 4"), "{stats}");
        }
    }
    drop(to);
    assert!(child.wait().unwrap().success());
}

#[test]
fn new_pages_against_old_ones() {
    let world = World::new();
    let pages = pages();
    let (old, new) = pages.split_at(14);
    world.file("old.jsonl", jsonl(old));
    world.file("new.jsonl", jsonl(new) + &line("copy", &pages[0].1));
    world.file("all.jsonl", jsonl(&pages) + &line("copy", &pages[0].1));
    world
        .run(&[
            "dedup",
            "new.jsonl",
            "--against",
            "old.jsonl",
            "-o",
            "files",
            "-q",
        ])
        .code(0);
    world
        .run(&["index", "create", "ix", "--learn", "all.jsonl"])
        .code(0);
    world
        .run(&["index", "add", "ix", "old.jsonl", "-q"])
        .code(0);
    world
        .run(&["dedup", "new.jsonl", "--against", "ix", "-o", "index", "-q"])
        .code(0);
    same(&world, "files", "index");
    world
        .run(&["dedup", "all.jsonl", "-o", "all", "-q"])
        .code(0);
    let is_new = |id: &Value| id.as_str().unwrap() >= "p14" || *id == "copy";
    let of_new = |line: &Value| is_new(&line["a"]) || is_new(&line["b"]);
    let expected: Vec<Value> = world
        .lines("all/pairs.jsonl")
        .into_iter()
        .filter(of_new)
        .collect();
    assert_eq!(world.lines("files/pairs.jsonl"), expected);
    let dropped = world.lines("files/dropped.jsonl");
    assert!(
        dropped.iter().all(|line| is_new(&line["id"])),
        "{dropped:?}"
    );
    assert!(
        dropped
            .iter()
            .any(|line| line["id"] == "copy" && line["canonical"] == "p00"),
        "{dropped:?}"
    );
    let records = &world.summary("files")["records"];
    assert_eq!(
        (&records["read"], &records["dropped"]),
        (&17.into(), &dropped.len().into())
    );
    assert_eq!(records["kept"], 17 - dropped.len());
    assert_eq!(world.files("files/kept"), ["new.jsonl"]);
    assert_eq!(
        world.lines("files/kept/new.jsonl").len(),
        17 - dropped.len()
    );
    world
        .run(&[
            "dedup",
            "new.jsonl",
            "--against",
            "ix",
            "old.jsonl",
            "-o",
            "x",
        ])
        .code(2)
        .says(&["one index, or files and folders"]);
}

#[test]
fn old_pages_that_are_the_input_itself() {
    let world = World::new();
    let pages = pages();
    world.file("archive/old.jsonl", jsonl(&pages[..8]));
    let today = jsonl(&pages[8..]) + &line("copy", &pages[0].1);
    world.file("archive/today.jsonl", &today);
    world.file("elsewhere/today.jsonl", &today);
    let run = |input: &str, old: &[&str], out: &str, rule: &str| {
        let args = [
            "dedup",
            input,
            "-o",
            out,
            "--against-self",
            rule,
            "--against",
        ];
        world.run(&[&args[..], old].concat())
    };
    let kept = |out: &str| world.read(&format!("{out}/kept/today.jsonl"));
    let old = ["archive/old.jsonl"];
    run("archive/today.jsonl", &old, "apart", "drop").code(0);
    assert!(kept("apart").lines().count() > 1, "{}", kept("apart"));

    // The same file on both sides is read once.
    run("archive/today.jsonl", &["archive"], "both", "drop")
        .code(0)
        .says(&["archive/today.jsonl is named as INPUT and under --against"]);
    same(&world, "apart", "both");
    assert_eq!(kept("apart"), kept("both"));
    assert_eq!(world.summary("both")["old_pages"], 8);
    run(
        "archive/today.jsonl",
        &["archive/today.jsonl"],
        "alone",
        "drop",
    )
    .code(0);
    assert!(kept("alone").lines().count() > 1);

    // A copy of it is not: its pages are told by their ids and texts.
    let told = run("elsewhere/today.jsonl", &["archive"], "copy", "drop");
    let told = told.code(0).stdout();
    let own = today.lines().count();
    assert!(
        told.contains(&format!("{own} pages of OLD with the same id and text")),
        "{told}"
    );
    assert_eq!(world.summary("copy")["against_self"], own);
    run("elsewhere/today.jsonl", &["archive"], "skip", "skip").code(0);
    same(&world, "apart", "skip");
    assert_eq!(kept("apart"), kept("skip"));
    run("elsewhere/today.jsonl", &["archive"], "error", "error")
        .code(2)
        .says(&["is among the old pages too", "--against-self skip"]);

    // In an index as well.
    world
        .run(&["index", "create", "ix", "--learn", "archive"])
        .code(0);
    world.run(&["index", "add", "ix", "archive", "-q"]).code(0);
    run("archive/today.jsonl", &["ix"], "index", "skip").code(0);
    same(&world, "apart", "index");
    assert_eq!(world.summary("index")["against_self"], own);
}

#[test]
fn a_service_for_others_needs_a_token() {
    let world = World::new();
    world.run(&["index", "create", "ix"]).code(0);
    world
        .run(&["serve", "ix", "--listen", "0.0.0.0:0"])
        .code(2)
        .says(&["--token-file"]);
    let short = world.file("short", "abc\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        for mode in [0o644, 0o640, 0o604] {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(&short, mode).unwrap();
            world
                .run(&["serve", "ix", "--token-file", "short"])
                .code(2)
                .says(&["others can read it", "chmod 600 short"]);
        }
        let mode = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(&short, mode).unwrap();
    }
    world
        .run(&["serve", "ix", "--token-file", "short"])
        .code(2)
        .says(&["at least 16 characters"]);
}

/// A folder that one may not look into is not said to be empty.
#[test]
#[cfg(unix)]
fn a_folder_without_permission_is_told_as_such() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let world = World::new();
    world.run(&["index", "create", "locked/ix"]).code(0);
    let close = |mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(world.path("locked"), mode).unwrap();
    };
    close(0o000);
    let mut command = world.command(&["index", "stats", "locked/ix"]);
    // Who may do everything asks as somebody else.
    if world.path("locked/ix").exists() {
        std::fs::set_permissions(world.path(""), std::fs::Permissions::from_mode(0o755)).unwrap();
        command.uid(65_534);
    }
    let ran = command.output();
    close(0o755);
    crate::common::Ran(ran.unwrap())
        .code(3)
        .says(&["cannot read locked/ix/manifest.json", "denied"]);
}

/// Told a second time to stop, the service ends at once, whatever it waits for.
#[test]
#[cfg(unix)]
fn a_second_signal_ends_the_service() {
    let world = World::new();
    world.run(&["index", "create", "ix"]).code(0);
    let service = Service::start(&world, &[]);
    let mut slow = TcpStream::connect(&service.address).unwrap();
    let head = "POST /v1/pages HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nabc";
    slow.write_all(head.as_bytes()).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    let id = service.child.id().to_string();
    let first = std::process::Command::new("kill").arg(id).status();
    assert!(first.unwrap().success());
    std::thread::sleep(std::time::Duration::from_millis(500));
    let start = std::time::Instant::now();
    let (code, log) = service.stop();
    assert_eq!(code, Some(1), "{log}");
    assert!(start.elapsed().as_secs() < 4, "{:?}", start.elapsed());
}

/// A page of millions of tags costs what its text costs.
#[test]
#[cfg(target_os = "linux")]
fn a_page_of_millions_of_tags_costs_what_its_text_costs() {
    let world = World::new();
    world.file("tags.html", "<p>x".repeat(2 << 20));
    world.file("text.txt", "x\n".repeat(2 << 20));
    let peak = |name: &str| {
        let out = format!("{name}.out");
        world
            .run(&["dedup", name, "-o", &out, "-q", "--no-kept"])
            .code(0);
        world.summary(&out)["run"]["peak_memory"].as_u64().unwrap()
    };
    let (tags, text) = (peak("tags.html"), peak("text.txt"));
    // Eight megabytes of tags, four of text; what is noted of tags is bounded.
    assert!(tags < text + (64 << 20), "{tags} {text}");
    println!("{} MiB of tags, {} MiB of text", tags >> 20, text >> 20);
}

/// Sentences of words that no other topic has.
fn story(topic: &str, sentences: usize) -> String {
    let word = |n: usize| format!("{topic}{}", "abcdefghijklmnop".split_at(n % 15 + 1).1);
    let sentence = |n: usize| {
        let words: Vec<String> = (0..9)
            .map(|m| word(n * 7 + m * m) + &n.to_string())
            .collect();
        words.join(" ") + ". "
    };
    (0..sentences).map(sentence).collect()
}

/// The stories of an index are those of `dedup` and of `export`, by each of their pages.
#[test]
fn a_story_is_one_thing() {
    let world = World::new();
    let both = story("flood", 9) + &story("quake", 9) + &story("bridge", 9);
    let pages = [
        ("a", story("flood", 9)),
        ("b", story("flood", 9)),
        ("c", story("flood", 3)),
        ("d", story("quake", 9)),
        ("e", story("quake", 8)),
        ("round-up", both),
        ("z", story("bridge", 9)),
    ];
    let lines: String = pages.iter().map(|(id, text)| line(id, text)).collect();
    world.file("in.jsonl", lines);
    world
        .run(&["dedup", "in.jsonl", "-o", "out", "-q", "--stories"])
        .code(0);
    let model = ["index", "create", "ix", "--learn", "in.jsonl"];
    world.run(&model).code(0);
    world.run(&["index", "add", "ix", "in.jsonl", "-q"]).code(0);
    world
        .run(&["index", "export", "ix", "-o", "exported", "-q", "--stories"])
        .code(0);
    let rows = world.read("out/stories.jsonl");
    assert_eq!(world.read("exported/stories.jsonl"), rows);
    let row = |story: &str, part: &str, id: &str| {
        format!("{{\"story\":\"{story}\",\"part\":\"{part}\",\"id\":\"{id}\"}}\n")
    };
    let expected = [
        ("a", "page", "a"),
        ("a", "page", "b"),
        ("a", "excerpt", "c"),
        ("a", "round_up", "round-up"),
        ("d", "page", "d"),
        ("d", "page", "e"),
        ("d", "round_up", "round-up"),
    ];
    let expected: String = expected
        .map(|(story, part, id)| row(story, part, id))
        .concat();
    assert_eq!(rows, expected);
    let json = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    let listed = world.run(&["index", "stories", "ix"]).code(0).stdout();
    let listed: Vec<Value> = listed.lines().map(json).collect();
    assert_eq!(listed.len(), 2);
    for line in &listed {
        let id = line["id"].as_str().unwrap();
        let told = world.run(&["index", "story", "ix", id]).code(0).stdout();
        let told = json(&told);
        let rows = told["timeline"].as_array().unwrap();
        for (part, count) in [
            ("page", "pages"),
            ("excerpt", "excerpts"),
            ("round_up", "round_ups"),
        ] {
            let found = rows.iter().filter(|row| row["part"] == part).count();
            assert_eq!(line[count], found, "{part}");
            assert_eq!(told[count], line[count]);
        }
    }
    let other = world
        .run(&["index", "story", "ix", "b", "--skip", "1", "--limit", "1"])
        .code(0)
        .stdout();
    let other = json(&other);
    assert_eq!(other["id"], "a");
    assert_eq!(
        (&other["timeline"][0]["id"], &other["timeline"][0]["what"]),
        (&json("\"b\""), &json("\"copied\""))
    );
    let stats = json(&world.run(&["index", "stats", "ix"]).code(0).stdout());
    assert_eq!(
        stats["stories"]["articles"], 5,
        "two stories, c, the round-up and z"
    );
    assert_eq!(stats["stories"]["mean_reprints"], 0.4);
}

/// A hundred pages make the index learn, unless it is to keep its model; what it exports is a run under the model that it has then.
#[test]
fn an_index_learns_as_it_grows() {
    let world = World::new();
    let page = |n: u32| line(&format!("p{n:03}"), &article(&format!("题目{n}"), 0..3));
    let lines: String = (0..100).map(page).collect();
    world.file("in.jsonl", lines);
    for (dir, option, epoch, learnt) in [
        ("ix", &[][..], 2, Value::from(100)),
        ("still", &["--no-learn"], 1, Value::Null),
    ] {
        let create = [&["index", "create", dir], option].concat();
        world.run(&create).code(0);
        let add = ["index", "add", dir, "in.jsonl", "-q", "--commit", "30"];
        let answers = world.run(&add).code(0).stdout();
        assert_eq!(answers.lines().count(), 100);
        let stats = world.run(&["index", "stats", dir]).code(0).stdout();
        let stats: Value = serde_json::from_str(&stats).unwrap();
        assert_eq!(stats["epoch"], epoch, "{dir}");
        assert_eq!(stats["learnt_texts"], learnt, "{dir}");
    }
    world
        .run(&["index", "export", "ix", "-o", "of-index", "-q"])
        .code(0);
    world
        .run(&["dedup", "in.jsonl", "-o", "of-run", "-q"])
        .code(0);
    same(&world, "of-index", "of-run");
    world.run(&["index", "check", "ix"]).code(0);
}

#[test]
fn pages_added_one_by_one_or_in_any_order_give_the_same_pairs() {
    let world = World::new();
    let story = "The ferry waits for the fog to lift. The ferryman says that fog fears the sun. When the sun rises the \
        harbour bell rings, the ferry leaves, and the bell of the church answers the harbour.";
    let pages = [
        line("a", story),
        line("b", &format!("Retold. {story}")),
        line("c", "Bread, salt, flour and yeast make a loaf."),
    ];
    world.file("in.jsonl", pages.concat());
    world.file("out.jsonl", pages.iter().rev().cloned().collect::<String>());
    for (input, out) in [("in.jsonl", "x"), ("out.jsonl", "y")] {
        world
            .run(&[
                "dedup",
                input,
                "-o",
                out,
                "--method",
                "concept",
                "--no-kept",
            ])
            .code(0);
    }
    // One page at a time, each in a commit of its own.
    world
        .run(&["index", "create", "index", "--method", "concept"])
        .code(0);
    for page in &pages {
        world.file("one.jsonl", page);
        world.run(&["index", "add", "index", "one.jsonl"]).code(0);
    }
    world.run(&["index", "export", "index", "-o", "z"]).code(0);
    let pairs = world.read("x/pairs.jsonl");
    assert_eq!(pairs, world.read("y/pairs.jsonl"));
    assert_eq!(pairs, world.read("z/pairs.jsonl"));
    assert!(
        pairs.lines().count() == 1 && pairs.contains("\"duplicate\""),
        "{pairs}"
    );
}
