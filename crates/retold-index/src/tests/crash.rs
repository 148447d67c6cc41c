//! Killed processes and full disks.
//!
//! The tests start themselves as another process that changes an index and reports each change, and kill it at a random moment. Afterwards
//! every reported change must be there, and every other change must be complete or absent.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use retold::{Model, RunConfig};

use super::*;
use crate::merge::{flush, merge};

const FOLDER: &str = "RETOLD_TEST_INDEX";
const SEED: &str = "RETOLD_TEST_SEED";
/// How often the process is killed; 1,000 before a release.
const KILLS: &str = "RETOLD_TEST_KILLS";

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// The n-th version of a page with this number.
fn version(number: u64, n: u64) -> Page {
    let topic = (number * 31 + n) as u32 % 50;
    page(&format!("p{number}"), &(topic, 0..5 + n as u32 % 4, 0)).with_date(format!("version {n}"))
}

/// The other process: prints `try` before each change and `done` after it.
#[test]
#[ignore = "run by the test below, in a process of its own"]
fn child() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let mut random = Random(std::env::var(SEED).unwrap().parse().unwrap());
    let mut writer = open(Path::new(&folder));
    let mut out = std::io::stdout();
    let mut say = |line: String| {
        writeln!(out, "{line}").unwrap();
        out.flush().unwrap();
    };
    loop {
        let kind = random.below(42);
        if kind < 30 {
            let numbers: BTreeSet<u64> =
                (0..1 + random.below(6)).map(|_| random.below(60)).collect();
            let n = random.below(1 << 30);
            let pages: Vec<Page> = numbers.iter().map(|&number| version(number, n)).collect();
            let what: Vec<String> = numbers
                .iter()
                .map(|number| format!("{number}={n}"))
                .collect();
            say(format!("try {}", what.join(" ")));
            writer.add(&prepared(&writer, &pages), Some(5)).unwrap();
            say("done".into());
        } else if kind < 36 {
            let number = random.below(60);
            say(format!("try {number}=gone"));
            writer.remove(&[format!("p{number}")]).unwrap();
            say("done".into());
        } else {
            say("try".into());
            match kind {
                36 => writer.compact(&()).unwrap(),
                37 => writer.learn(&RunConfig::default(), &()).unwrap(),
                40 | 41 => {
                    let learning = writer.begin_learning();
                    let learnt = learning.run(&RunConfig::default(), &()).unwrap();
                    assert!(writer.adopt(learnt).unwrap());
                }
                38 => assert!(merge(writer.index(), true).is_ok()),
                _ => flush(writer.index(), SMALL).unwrap(),
            }
            say("done".into());
        }
    }
}

/// Page -> its version; `None` if it was removed.
type Known = BTreeMap<u64, Option<u64>>;

fn parsed(line: &str) -> Known {
    let words = line.split_whitespace().skip(1);
    words
        .map(|word| {
            let (number, n) = word.split_once('=').unwrap();
            (number.parse().unwrap(), n.parse().ok())
        })
        .collect()
}

/// Runs the other process for some milliseconds. Returns the changes that were begun but not finished.
fn run_and_kill(folder: &Path, random: &mut Random, known: &mut Known) -> Known {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tests::crash::child", "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .env(SEED, (1 + random.below(1 << 40)).to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let lines = std::thread::spawn(move || {
        lines
            .map_while(std::io::Result::ok)
            .collect::<Vec<String>>()
    });
    std::thread::sleep(Duration::from_millis(30 + random.below(170)));
    child.kill().unwrap();
    let status = child.wait().unwrap();
    assert!(!status.success());
    let mut pending = Known::new();
    for line in lines.join().unwrap() {
        if line.starts_with("try") {
            pending = parsed(&line);
        } else if line == "done" {
            known.append(&mut pending);
        }
    }
    pending
}

fn kill_again_and_again(kills: u64, seed: u64) {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::new(JudgeConfig::default()).unwrap();
    drop(make(folder.path(), &model));
    let (mut random, mut known) = (Random(seed), Known::new());
    let mut commits = 0;
    for kill in 0..kills {
        let before = known.len();
        let pending = run_and_kill(folder.path(), &mut random, &mut known);
        commits += usize::from(known.len() > before || !pending.is_empty());
        let index = Index::open(folder.path()).unwrap();
        let found = |number: u64| index.get(&format!("p{number}")).unwrap();
        let holds = |known: &Known| {
            known.iter().all(|(&number, n)| {
                let expected = n.map(|n| format!("version {n}"));
                found(number).map(|entry| entry.date.unwrap()) == expected
            })
        };
        let (mut with, mut without) = (pending.clone(), known.clone());
        without.retain(|number, _| !pending.contains_key(number));
        assert!(
            holds(&without),
            "kill {kill}: an acknowledged page is not there"
        );
        // An unfinished change is there as a whole or not at all.
        let mut old = known.clone();
        old.retain(|number, _| pending.contains_key(number));
        pending.keys().for_each(|number| {
            old.entry(*number).or_insert(None);
        });
        assert!(
            holds(&with) || holds(&old),
            "kill {kill}: half a commit is there"
        );
        if holds(&with) {
            known.append(&mut with);
        }
        assert_eq!(index.len(), known.values().flatten().count(), "kill {kill}");
        for (&number, n) in known.iter().filter(|(_, n)| n.is_some()) {
            let text = index.text(&format!("p{number}")).unwrap().unwrap();
            let expected = index.prepare(version(number, n.unwrap())).unwrap();
            assert_eq!(text, expected.text, "kill {kill}");
        }
        if kill % 20 == 0 || kill + 1 == kills {
            assert_eq!(
                Index::check(folder.path()).unwrap().problems,
                Vec::<String>::new()
            );
        }
    }
    assert!(
        commits as u64 > kills / 8,
        "{commits} of {kills} runs did anything"
    );
}

#[test]
fn nothing_acknowledged_is_lost() {
    let kills = std::env::var(KILLS).map_or(12, |kills| kills.parse().unwrap());
    kill_again_and_again(kills, 88172645463325252);
}

/// Fills a disk of two megabytes with pages; nothing acknowledged is lost.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error_and_no_more() {
    let mount = tempfile::tempdir().unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"])
        .arg(mount.path())
        .stderr(Stdio::null())
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        println!("skipped: no right to mount a small disk");
        return;
    }
    let told = std::panic::catch_unwind(|| fill(&mount.path().join("index")));
    let unmounted = Command::new("umount").arg(mount.path()).status().unwrap();
    assert!(unmounted.success());
    let message = told.unwrap();
    assert!(message.contains("No space left on device"), "{message}");
}

fn fill(folder: &Path) -> String {
    let model = Model::new(JudgeConfig::default()).unwrap();
    let mut writer = make(folder, &model);
    let (mut added, mut message) = (0, None);
    for number in 0..100_000 {
        let page = page(&format!("p{number}"), &(number, 0..20, 0));
        match writer.add(&prepared(&writer, &[page]), Some(3)) {
            Ok(_) => added += 1,
            Err(error) => {
                message = Some(error.to_string());
                break;
            }
        }
    }
    assert!(added > 100);
    let message = message.expect("two megabytes have an end");
    assert_eq!(writer.index().len(), added);
    assert!(
        writer
            .index()
            .get(&format!("p{}", added - 1))
            .unwrap()
            .is_some()
    );
    assert!(writer.index().get(&format!("p{added}")).unwrap().is_none());
    drop(writer);
    // Reading needs no disk space.
    let index = Index::open(folder).unwrap();
    assert_eq!(index.len(), added);
    assert_eq!(Index::check(folder).unwrap().problems, Vec::<String>::new());
    message
}
