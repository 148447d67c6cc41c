//! Bad input: the message that a person sees, and that nothing is lost.

use std::io::Write;

use crate::common::{World, article, gzip, line};

#[test]
fn nothing_to_read_is_said() {
    let world = World::new();
    world.file("empty.html", "");
    world.file("none.jsonl", "");
    std::fs::create_dir(world.path("folder")).unwrap();
    world
        .run(&["dedup", "folder", "-o", "a"])
        .code(2)
        .says(&["no page could be read from folder", "0 files"]);
    world
        .run(&["dedup", "none.jsonl", "-o", "b"])
        .code(2)
        .says(&["no page could be read from none.jsonl"]);
    world.file("bad.jsonl", "{\"id\":1}\n{\"id\":2}\n");
    world
        .run(&["dedup", "bad.jsonl", "-o", "c"])
        .code(2)
        .says(&[
            "2 of 2 records were rejected",
            "bad.jsonl, record 1",
            "text",
        ]);
    for out in ["a", "b", "c"] {
        assert_eq!(world.files(out), Vec::<String>::new());
    }
    // An empty page beside a good one is a page without text, no failure.
    world.file("in/empty.html", "");
    world.file("in/good.txt", "好。");
    world.run(&["dedup", "in", "-o", "d"]).code(0);
    assert_eq!(world.summary("d")["records"]["kept"], 2);
}

#[test]
fn a_shard_without_a_page_may_have_an_empty_result() {
    let world = World::new();
    let record = |kind: &str| {
        format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nContent-Type: image/png\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n"
        )
    };
    let images = record("resource") + &record("resource");
    world.file("images.warc", &images);
    world.file("header.csv", "id,text\n");
    world.file("none.jsonl", "");
    std::fs::create_dir(world.path("folder")).unwrap();
    for (number, input) in ["images.warc", "header.csv", "none.jsonl", "folder"]
        .iter()
        .enumerate()
    {
        let out = format!("o{number}");
        world.run(&["dedup", input, "-o", &out]).code(2);
        for more in [
            &[][..],
            &["--mark"],
            &["--no-kept"],
            &["--report-text", "-v"],
        ] {
            let args = [
                &["dedup", input, "-o", &out, "--force", "--allow-empty"],
                more,
            ]
            .concat();
            let said = world.run(&args).code(0).stdout();
            assert!(!said.contains("NaN"), "{said}");
        }
        let summary = world.summary(&out);
        let records = &summary["records"];
        assert_eq!(records["kept"], 0);
        assert_eq!(records["read"], records["skipped"]);
        for table in ["pairs", "clusters", "dropped", "rejects"] {
            assert_eq!(world.read(&format!("{out}/{table}.jsonl")), "");
        }
        assert!(
            world
                .read(&format!("{out}/report.html"))
                .contains("</html>")
        );
    }
    assert_eq!(world.read("o0/kept/images.warc"), images);
    // Also against old pages, in files and in an index.
    world.file("old.jsonl", line("a", "好。"));
    world
        .run(&["index", "create", "ix", "--learn", "old.jsonl"])
        .code(0);
    for old in ["old.jsonl", "ix"] {
        let args = [
            "dedup",
            "none.jsonl",
            "-o",
            "o",
            "--force",
            "--against",
            old,
        ];
        world.run(&args).code(2);
        world.run(&[&args[..], &["--allow-empty"]].concat()).code(0);
        assert_eq!(world.summary("o")["records"]["kept"], 0);
    }
    // What could not be read is still told.
    world.file("bad.jsonl", "{\"id\":1}\n");
    world
        .run(&["dedup", "bad.jsonl", "-o", "bad", "--allow-empty"])
        .code(1);
    assert_eq!(world.lines("bad/rejects.jsonl").len(), 1);
}

/// What a run wrote is no input of the next one, unless it is named.
#[test]
fn output_folders_are_not_read() {
    let world = World::new();
    world.file("in/a.jsonl", line("a", "好。"));
    world.run(&["dedup", "in", "-o", "in/out"]).code(0);
    world.run(&["dedup", "in", "-o", "second"]).code(0);
    assert_eq!(world.summary("second")["records"]["read"], 1);
    let refused = world.run(&["dedup", "in/out", "-o", "third"]);
    refused.code(2).says(&["in/out/kept"]);
    assert!(!world.path("third").exists());
    for kept in ["in/out/kept", "in/out/kept/in/a.jsonl"] {
        let args = ["dedup", kept, "-o", "kept", "--force"];
        world.run(&args).code(0);
        assert_eq!(world.summary("kept")["records"]["read"], 1, "{kept}");
    }
}

/// A run that fails leaves no folder that it made; one that was there stays.
#[test]
fn a_run_that_fails_leaves_no_empty_folder() {
    let world = World::new();
    world.file("a.jsonl", line("a", "好。"));
    world.run(&["dedup", "none.jsonl", "-o", "out"]).code(2);
    assert!(!world.path("out").exists());
    std::fs::create_dir(world.path("out")).unwrap();
    world.run(&["dedup", "none.jsonl", "-o", "out"]).code(2);
    assert!(world.path("out").exists());
    let remote = world.run(&["dedup", "a.jsonl", "-o", "ftp://host/out"]);
    remote.code(2).says(&["ftp://host/out", "local folder"]);
    assert!(!world.path("ftp:").exists());
}

/// URLs need a feature, and patterns do not.
#[test]
fn what_is_elsewhere_is_named_with_the_build_that_reads_it() {
    let world = World::new();
    world.file("a.jsonl", line("a", "好。"));
    #[cfg(not(feature = "remote"))]
    for command in [
        &["dedup", "s3://bucket/a.jsonl", "-o", "out"][..],
        &[
            "dedup",
            "a.jsonl",
            "--against",
            "hf://datasets/o/n",
            "-o",
            "out",
        ],
        &["dedup", "a.jsonl", "-o", "s3://bucket/out"],
        &["text", "https://me:pw@host/a?sig=x"],
    ] {
        let ran = world.run(command).code(2);
        let said = ran.stderr();
        assert!(said.contains("--features remote"), "{said}");
        assert!(!said.contains("pw@") && !said.contains("sig="), "{said}");
    }
    assert!(!world.path("s3:").exists());
    world.run(&["dedup", "*.jsonl", "-o", "out"]).code(0);
    world
        .run(&["dedup", "*.csv", "-o", "out2"])
        .code(2)
        .says(&["*.csv", "pattern"]);
}

/// The order of the usage line, options first, takes all names for old pages.
#[test]
fn old_pages_before_the_input_are_told_apart() {
    let world = World::new();
    world.file("old.jsonl", line("a", "好。"));
    world.file("new.jsonl", line("b", "好。"));
    let args = ["dedup", "-o", "out", "--against", "old.jsonl", "new.jsonl"];
    let said = [
        "put INPUT first",
        "retold dedup new.jsonl --against old.jsonl -o out",
    ];
    world.run(&args).code(2).says(&said);
}

#[test]
fn bad_utf8_inside_json_is_rejected_by_position() {
    let world = World::new();
    let mut bytes = line("a", "好。").into_bytes();
    bytes.extend(b"{\"id\":\"b\",\"text\":\"\xff\xfe\"}\n");
    bytes.extend(line("c", "坏。").bytes());
    world.file("in.jsonl", bytes);
    world.run(&["dedup", "in.jsonl", "-o", "out"]).code(1);
    let rejects = world.lines("out/rejects.jsonl");
    assert_eq!(rejects.len(), 1);
    assert_eq!(rejects[0]["record"], 2);
    assert!(
        rejects[0]["reason"].as_str().unwrap().contains("UTF-8"),
        "{}",
        rejects[0]
    );
    assert_eq!(
        world.read("out/kept/in.jsonl"),
        line("a", "好。") + &line("c", "坏。")
    );
}

#[test]
fn a_line_of_200_megabytes_is_passed_over() {
    let world = World::new();
    let path = world.path("in.jsonl");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    file.write_all(line("a", "好。").as_bytes()).unwrap();
    file.write_all(b"{\"id\":\"b\",\"text\":\"").unwrap();
    let block = vec![b'x'; 1 << 20];
    for _ in 0..200 {
        file.write_all(&block).unwrap();
    }
    file.write_all(b"\"}\n").unwrap();
    file.write_all(line("c", "坏。").as_bytes()).unwrap();
    drop(file);
    world.run(&["dedup", "in.jsonl", "-o", "out"]).code(1);
    let rejects = world.lines("out/rejects.jsonl");
    assert_eq!(rejects[0]["record"], 2);
    assert!(
        rejects[0]["reason"]
            .as_str()
            .unwrap()
            .contains("--max-record-size"),
        "{}",
        rejects[0]
    );
    let summary = world.summary("out");
    assert_eq!(summary["records"]["kept"], 2);
    let memory = summary["run"]["peak_memory"].as_u64().unwrap();
    assert!(
        memory < 150 << 20,
        "the line was held in memory: {memory} bytes"
    );
}

#[test]
fn millions_of_rejects_fit_into_the_memory_limit() {
    let world = World::new();
    let bad = 1_500_000;
    let lines = line("a", "好。") + &"{}\n".repeat(bad) + &line("c", "坏。");
    world.file("in.jsonl.gz", gzip(lines.as_bytes()));
    let args = [
        "dedup",
        "in.jsonl.gz",
        "-o",
        "out",
        "--memory",
        "150M",
        "--threads",
        "2",
    ];
    world.run(&args).code(1);
    let summary = world.summary("out");
    assert_eq!(summary["records"]["rejected"], bad);
    assert_eq!(summary["records"]["kept"], 2);
    let memory = summary["run"]["peak_memory"].as_u64().unwrap();
    assert!(
        memory < 200 << 20,
        "rejects were held in memory: {memory} bytes"
    );
    let rejects = world.read("out/rejects.jsonl");
    assert_eq!(rejects.lines().count(), bad);
    assert!(
        rejects
            .lines()
            .last()
            .unwrap()
            .contains("\"record\":1500001")
    );
    let kept = std::fs::File::open(world.path("out/kept/in.jsonl.gz")).unwrap();
    let kept = std::io::read_to_string(flate2::read::MultiGzDecoder::new(kept)).unwrap();
    assert_eq!(kept, line("a", "好。") + &line("c", "坏。"));
}

#[cfg(unix)]
#[test]
fn files_with_names_in_gbk_keep_them() {
    use std::os::unix::ffi::OsStrExt;
    let world = World::new();
    let name = |bytes: &[u8]| std::ffi::OsStr::from_bytes(bytes).to_owned();
    let names = [b"\xce\xc4.txt", b"\xd5\xc2.txt"].map(|bytes| name(bytes));
    std::fs::create_dir(world.path("in")).unwrap();
    for (number, name) in names.iter().enumerate() {
        let text = article(&number.to_string(), 0..6);
        std::fs::write(world.path("in").join(name), text).unwrap();
    }
    world.run(&["dedup", "in", "-o", "out", "--mark"]).code(0);
    for name in &names {
        let kept = std::fs::read(world.path("out/kept/in").join(name)).unwrap();
        assert_eq!(kept, std::fs::read(world.path("in").join(name)).unwrap());
    }
    let ids = ["%CE%C4.txt", "%D5%C2.txt"];
    let told = world
        .run(&["explain", "out", ids[0], ids[1]])
        .code(0)
        .stdout();
    assert!(ids.iter().all(|id| told.contains(id)), "{told}");
    // They are known as files of the run, and go with it.
    world.file("other.jsonl", line("c", "乙。"));
    world
        .run(&["dedup", "other.jsonl", "-o", "out", "--force"])
        .code(0);
    assert!(!world.exists("out/kept/in"));
}

#[test]
fn a_cut_off_gzip_gives_what_stands_before_the_damage() {
    let world = World::new();
    let lines: String = (0..2000)
        .map(|n| line(&format!("p{n}"), &article(&n.to_string(), 0..4)))
        .collect();
    let whole = gzip(lines.as_bytes());
    world.file("in.jsonl.gz", &whole[..whole.len() * 2 / 3]);
    world.run(&["dedup", "in.jsonl.gz", "-o", "out"]).code(1);
    let records = world.summary("out")["records"].clone();
    assert_eq!(records["rejected"], 1);
    assert!(records["kept"].as_u64().unwrap() > 500, "{records}");
    let rejects = world.lines("out/rejects.jsonl");
    assert_eq!(rejects[0]["source"], "in.jsonl.gz");
}

#[test]
fn a_folder_may_be_called_like_a_page_and_a_gzip_may_hide() {
    let world = World::new();
    world.file("x.html/inner.txt", "甲。");
    world.file("y/hidden", gzip(line("b", "甲。").as_bytes()));
    world.run(&["dedup", "x.html", "y", "-o", "out"]).code(0);
    let members = &world.lines("out/clusters.jsonl")[0]["members"];
    assert_eq!(members.as_array().unwrap(), &["b", "inner.txt"]);
}

#[test]
fn the_output_folder_must_be_empty_or_forced() {
    let world = World::new();
    world.file("in.jsonl", line("a", "甲。") + &line("b", "甲。"));
    world.file("out/mine.txt", "precious");
    world
        .run(&["dedup", "in.jsonl", "-o", "out"])
        .code(2)
        .says(&["-o out", "not empty", "--force"]);
    world
        .run(&["dedup", "in.jsonl", "-o", "out", "--force"])
        .code(0);
    assert!(world.exists("out/kept/in.jsonl"));
    // A second run replaces what the first one wrote, and nothing else.
    world.file("other.jsonl", line("c", "乙。"));
    world
        .run(&["dedup", "other.jsonl", "-o", "out", "--force"])
        .code(0);
    assert_eq!(world.read("out/mine.txt"), "precious");
    assert_eq!(world.files("out/kept"), ["other.jsonl"]);
    world.file("plain", "");
    world
        .run(&["dedup", "in.jsonl", "-o", "plain"])
        .code(2)
        .says(&["this is a file"]);
    // An output folder below the input is not read.
    world.file("all/a.txt", "甲。");
    world.run(&["dedup", "all", "-o", "all/out"]).code(0);
    world
        .run(&["dedup", "all", "-o", "all/out", "--force"])
        .code(0);
    assert_eq!(world.summary("all/out")["records"]["read"], 1);
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_is_one_reject() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    world.file("in/a.txt", "甲。");
    let secret = world.file("in/b.txt", "乙。");
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(&secret).is_ok() {
        // Root reads everything; a link to nowhere is as unreadable.
        std::fs::remove_file(&secret).unwrap();
        std::os::unix::fs::symlink("nowhere", &secret).unwrap();
    }
    world.run(&["dedup", "in", "-o", "out"]).code(1);
    let rejects = world.lines("out/rejects.jsonl");
    assert_eq!((rejects.len(), &rejects[0]["source"]), (1, &"b.txt".into()));
    assert_eq!(world.summary("out")["records"]["kept"], 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_and_leaves_nothing_that_looks_complete() {
    let world = World::new();
    let lines: String = (0..400)
        .map(|n| line(&format!("p{n}"), &article(&n.to_string(), 0..20)))
        .collect();
    world.file("in.jsonl", lines);
    std::fs::create_dir(world.path("disk")).unwrap();
    let retold = env!("CARGO_BIN_EXE_retold");
    let script = format!(
        "mount -t tmpfs -o size=128k tmpfs disk || exit 77; {retold} dedup in.jsonl -o disk/out; code=$?; ls -A disk/out; exit $code"
    );
    let ran = std::process::Command::new("unshare")
        .args(["--mount", "--map-root-user", "sh", "-c", &script])
        .current_dir(world.path(""))
        .output();
    let Ok(ran) = ran else {
        return println!("skipped: no unshare");
    };
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    if ran.status.code() == Some(77) || said.contains("unshare failed") {
        return println!("skipped: cannot mount a small disk here: {said}");
    }
    assert_eq!(ran.status.code(), Some(3), "{said}");
    assert!(
        said.contains("No space left on device") && said.contains("disk/out"),
        "{said}"
    );
    assert_eq!(
        String::from_utf8_lossy(&ran.stdout),
        "",
        "the folder is empty again"
    );
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_nothing_that_looks_complete() {
    use std::process::Stdio;
    let world = World::new();
    let lines: String = (0..200)
        .map(|n| line(&format!("p{n}"), &article(&n.to_string(), 0..400)))
        .collect();
    // A pipe that stays open keeps the run reading; the file before it makes sure that it has begun.
    for n in 0..300 {
        world.file(&format!("in/{n}.jsonl"), &lines);
    }
    let child = world
        .command(&["dedup", "in", "-o", "out"])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while !world.exists("out/.retold-partial") {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let pid = child.id().to_string();
    assert!(
        std::process::Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.contains("stopped before the end"), "{said}");
    assert_eq!(world.files("out"), Vec::<String>::new());
    // The folder can be used again without --force.
    world.file("small.jsonl", line("a", "甲。"));
    world.run(&["dedup", "small.jsonl", "-o", "out"]).code(0);
}
