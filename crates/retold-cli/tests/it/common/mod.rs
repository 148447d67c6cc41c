//! What all tests through a real binary share; those of `retold-lab` include this file too.
#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A folder for one test, and runs of [the program](crate::PROGRAM) in it.
pub struct World {
    dir: TempDir,
}

impl World {
    pub fn new() -> World {
        World {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file, making the folders above it.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Lines of a JSONL file.
    pub fn lines(&self, name: &str) -> Vec<Value> {
        self.read(name)
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    pub fn summary(&self, out: &str) -> Value {
        serde_json::from_str(&self.read(&format!("{out}/summary.json"))).unwrap()
    }

    /// The program with these arguments, in the test's folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(crate::PROGRAM);
        command.args(arguments).current_dir(self.dir.path());
        // Messages are compared in English, whatever the language of whoever runs the tests.
        command.env("LC_ALL", "C");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran(self.command(arguments).output().unwrap())
    }

    /// All files below a folder, relative to it, sorted.
    pub fn files(&self, below: &str) -> Vec<String> {
        let root = self.path(below);
        let mut files = Vec::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.push(path.strip_prefix(&root).unwrap().display().to_string());
                }
            }
        }
        files.sort();
        files
    }
}

/// A run that has ended.
pub struct Ran(pub Output);

impl Ran {
    #[track_caller]
    pub fn code(self, wanted: i32) -> Ran {
        let (out, err) = (self.stdout(), self.stderr());
        assert_eq!(
            self.0.status.code(),
            Some(wanted),
            "stdout: {out}\nstderr: {err}"
        );
        self
    }

    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    /// Standard error holds all of these.
    #[track_caller]
    pub fn says(self, parts: &[&str]) -> Ran {
        let text = self.stderr();
        for part in parts {
            assert!(text.contains(part), "`{part}` is missing in: {text}");
        }
        self
    }
}

/// The subcommands that a help lists.
pub fn subcommands(help: &str) -> Vec<String> {
    let listed = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1);
    let listed = listed.take_while(|line| !line.trim().is_empty());
    let names = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// The lines of options in a help, without headings.
fn lines_of_options(help: &str) -> usize {
    let mut is_option = false;
    let lines = help.lines().filter(|line| {
        if !line.is_empty() && !line.starts_with(' ') {
            let headings = ["Usage", "Commands", "Arguments", "Examples", "Example"];
            is_option = line.ends_with(':') && !headings.contains(&line.trim_end_matches(':'));
        }
        is_option && line.starts_with(' ')
    });
    lines.count()
}

/// `-h` of every command has at most twenty lines of options. The program has at least so many commands.
#[track_caller]
pub fn assert_short_helps(world: &World, least: usize) {
    let help = |command: &[String], how: &str| {
        let mut ran = world.command(&[]);
        Ran(ran
            .args(command)
            .arg(how)
            .env("COLUMNS", "100")
            .output()
            .unwrap())
        .code(0)
        .stdout()
    };
    let (mut commands, mut longest, mut checked) = (vec![Vec::new()], 0, 0);
    while let Some(command) = commands.pop() {
        let lines = lines_of_options(&help(&command, "-h"));
        assert!((1..=20).contains(&lines), "{lines} lines: {command:?} -h");
        let long = help(&command, "--help");
        longest = longest.max(lines_of_options(&long));
        let below = subcommands(&long).into_iter();
        commands.extend(below.map(|name| [&command[..], &[name]].concat()));
        checked += 1;
    }
    assert!(checked > least && longest > 60, "{checked}, {longest}");
}

/// A story in English that no other `number` has.
pub fn story(number: usize) -> String {
    let sentence = |n: usize| {
        format!(
            "In part {n} of story {number} the captain of boat {} told passenger {} about island {}. ",
            number * 31 + n,
            number * 17 + n,
            number * 7 + n * n
        )
    };
    (0..12).map(sentence).collect()
}

/// An article of `sentences` sentences that no other `topic` shares.
pub fn article(topic: &str, sentences: std::ops::Range<u32>) -> String {
    sentences
        .map(|n| format!("关于{topic}的第{n}个句子说的是别处没有的事情{topic}{n}。"))
        .collect()
}

/// The same as a web page with a template of `site` around it.
pub fn html(site: &str, title: &str, body: &str) -> String {
    format!(
        "<html><head><title>{title}</title></head><body><ul><li><a href=/>{site}首页</a><li><a href=/n>新闻</a></ul>\
         <div><h1>{title}</h1><p>{body}</p></div><div>{site}版权所有</div></body></html>"
    )
}

/// A JSONL line.
pub fn line(id: &str, text: &str) -> String {
    format!("{}\n", serde_json::json!({"id": id, "text": text}))
}

/// The members of a gzip file that holds `content`.
pub fn gzip(content: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// Whether two folders hold the same files with the same bytes, `run` of summary.json and what the report shows of
/// it left out.
#[track_caller]
pub fn assert_same_output(a: &Path, b: &Path) {
    for name in [
        "pairs.jsonl",
        "clusters.jsonl",
        "dropped.jsonl",
        "rejects.jsonl",
    ] {
        let (x, y) = (
            std::fs::read(a.join(name)).unwrap(),
            std::fs::read(b.join(name)).unwrap(),
        );
        assert!(x == y, "{name} differs");
    }
    let summary = |folder: &Path| {
        let text = std::fs::read_to_string(folder.join("summary.json")).unwrap();
        let mut value: Value = serde_json::from_str(&text).unwrap();
        value.as_object_mut().unwrap().remove("run");
        value
    };
    assert_eq!(summary(a), summary(b));
}
