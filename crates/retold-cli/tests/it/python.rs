//! The options of the Python package are those of the command: the same names, the same defaults, in signatures and stubs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use retold::JudgeConfig;
use retold::read::ReadOptions;
use retold_report::OutputConfig;
use serde_json::{Map, Value};

use crate::common::{World, article, line};

/// Options of `retold dedup` that are arguments of their own in Python, or make no sense there.
const COMMAND_ONLY: &[&str] = &[
    "against",
    "against-self",
    "config",
    "files-from",
    "force",
    "help",
    "lang",
    "pairs",
    "memory",
    "out",
    "own",
    "param",
    "param-file",
    "preset",
    "quiet",
    "rejects",
    "remote-cache",
    "resume",
    "temp-dir",
    "threads",
    "verbose",
];

fn package(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../python")
        .join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A value as Python writes it.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::String(text) => format!("'{text}'"),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(literal).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Object(values) if values.is_empty() => "{}".to_owned(),
        other => other.to_string(),
    }
}

fn literals(options: Map<String, Value>) -> BTreeMap<String, String> {
    options
        .iter()
        .map(|(name, value)| (name.clone(), literal(value)))
        .collect()
}

fn judge() -> BTreeMap<String, String> {
    literals(JudgeConfig::default().to_map())
}

fn read() -> BTreeMap<String, String> {
    let Value::Object(map) = serde_json::to_value(ReadOptions::default()).unwrap() else {
        unreachable!()
    };
    literals(map)
}

/// The same as arguments of Python: there a preset stands beside the method, and the limit of own passages beside the parameters.
fn as_arguments(mut options: BTreeMap<String, String>) -> BTreeMap<String, String> {
    options.insert("preset".to_owned(), "None".to_owned());
    options.insert("own".to_owned(), "None".to_owned());
    options
}

/// The options of the whole job.
fn job() -> BTreeMap<String, String> {
    let mut all = judge();
    all.extend(literals(OutputConfig::default().to_map()));
    all.insert("allow_empty".to_owned(), "False".to_owned());
    all
}

/// The keyword arguments with defaults of a list of arguments: `a, b, *, c=1, d: str = 'x'`.
fn arguments(list: &str) -> BTreeMap<String, String> {
    let (mut parts, mut depth, mut part) = (Vec::new(), 0, String::new());
    for c in list.chars().chain([',']) {
        match c {
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(std::mem::take(&mut part));
                continue;
            }
            _ => {}
        }
        part.push(c);
    }
    let named = parts.iter().filter_map(|part| {
        let (name, default) = part.split_once('=')?;
        let name = name.split(':').next()?.trim().to_owned();
        // A default that is a quote itself has other quotes around it.
        let default = default.trim();
        let default = match default {
            "'\"'" | "'\\\"'" => default.replace('\\', ""),
            _ => default.replace('"', "'"),
        };
        Some((name, default))
    });
    named.collect()
}

/// `found` has these options with these defaults, and beside them only its `own` arguments. `...` stands for any default.
fn check(
    what: &str,
    found: &BTreeMap<String, String>,
    options: &BTreeMap<String, String>,
    own: &[&str],
) {
    let own: BTreeSet<&str> = own.iter().copied().collect();
    let others = found
        .keys()
        .map(String::as_str)
        .filter(|name| !own.contains(name));
    let expected: BTreeSet<&str> = options
        .keys()
        .map(String::as_str)
        .filter(|name| !own.contains(name))
        .collect();
    assert_eq!(others.collect::<BTreeSet<_>>(), expected, "{what}");
    for (name, default) in options {
        let there = &found[name];
        assert!(
            there == default || there == "...",
            "{what}: {name}={there}, not {default}"
        );
    }
}

#[test]
fn the_command_has_the_options_of_the_library() {
    let help = World::new().run(&["dedup", "--help"]).code(0).stdout();
    let options = help.lines().filter_map(|line| {
        let (before, rest) = line.trim_start().split_once("--")?;
        let name = rest.split([' ', '=', ',', '[']).next()?;
        (before.len() <= 4 && !COMMAND_ONLY.contains(&name)).then(|| name.replace('-', "_"))
    });
    let options: BTreeSet<String> = options
        .map(|name| {
            if name == "no_kept" {
                "kept".to_owned()
            } else {
                name
            }
        })
        .collect();
    let mut expected: BTreeSet<String> = job().into_keys().collect();
    // Given as --param, --param-file, --own and --preset.
    assert!(expected.remove("params"));
    assert_eq!(options, expected);
}

#[test]
fn the_command_has_the_defaults_of_the_library() {
    let world = World::new();
    world.file("in.jsonl", line("a", &article("渡船", 0..9)));
    world.run(&["dedup", "in.jsonl", "-o", "out", "-q"]).code(0);
    let Value::Object(mut parameters) = world.summary("out")["parameters"].clone() else {
        unreachable!()
    };
    // The method fills these in.
    parameters.insert("params".to_owned(), Value::Object(Map::new()));
    parameters.insert("extract".to_owned(), Value::Null);
    assert_eq!(literals(parameters), job());
}

#[test]
fn signatures_have_the_options_of_the_library() {
    let signatures = |file: &str| -> Vec<BTreeMap<String, String>> {
        let text = package(file);
        let found = text.split("text_signature = \"(").skip(1);
        found
            .map(|rest| arguments(rest.split(")\"").next().unwrap()))
            .collect()
    };
    let all = signatures("src/findings.rs");
    let own = [
        "model", "out", "force", "threads", "memory", "temp_dir", "progress",
    ];
    check("dedup", &all[0], &as_arguments(job()), &own);
    let all = signatures("src/model.rs");
    assert_eq!(all.len(), 3);
    all.iter()
        .for_each(|found| check("model.rs", found, &as_arguments(judge()), &["model"]));
    check(
        "Index.create",
        &signatures("src/index.rs")[0],
        &as_arguments(judge()),
        &["model", "texts", "learns"],
    );
    check(
        "read",
        &signatures("src/reader.rs")[0],
        &read(),
        &["on_reject"],
    );
}

#[test]
fn stubs_have_the_options_of_the_library() {
    let stub = package("lib/retold/_retold.pyi");
    let spark = package("lib/retold/spark.pyi");
    let of = |text: &str, start: &str| {
        let rest = text
            .split(start)
            .nth(1)
            .unwrap_or_else(|| panic!("no {start}"));
        arguments(rest.split(") ->").next().unwrap())
    };
    let own = [
        "model", "out", "force", "threads", "memory", "temp_dir", "progress",
    ];
    check(
        "dedup",
        &of(&stub, "\ndef dedup("),
        &as_arguments(job()),
        &own,
    );
    let model = stub.split("class Model:").nth(1).unwrap();
    check(
        "Model",
        &of(model, "def __new__("),
        &as_arguments(judge()),
        &[],
    );
    check(
        "Index.create",
        &of(&stub, "def create("),
        &as_arguments(judge()),
        &["model", "texts", "learns"],
    );
    check(
        "explain",
        &of(&stub, "\ndef explain("),
        &as_arguments(judge()),
        &["model"],
    );
    check(
        "text",
        &of(&stub, "\ndef text("),
        &as_arguments(judge()),
        &[],
    );
    check("read", &of(&stub, "\ndef read("), &read(), &["on_reject"]);
    check(
        "spark.dedup",
        &of(&spark, "\ndef dedup("),
        &as_arguments(judge()),
        &["model", "learn_pages", "partitions"],
    );
    let datatrove = package("lib/retold/datatrove.pyi");
    let mut step = as_arguments(judge());
    step.insert("allow_empty".to_owned(), "False".to_owned());
    let own = [
        "exclusion_writer",
        "model",
        "threads",
        "memory",
        "temp_dir",
        "progress",
    ];
    check(
        "datatrove.Dedup",
        &of(&datatrove, "def __init__("),
        &step,
        &own,
    );
}

#[test]
fn matches_have_one_default() {
    let expected = format!("matches: int = {}", retold_index::MATCHES);
    let stub = package("lib/retold/_retold.pyi");
    assert_eq!(
        stub.matches("matches: int = ").count(),
        stub.matches(&expected).count()
    );
    let signature = format!("matches={},", retold_index::MATCHES);
    assert_eq!(package("src/index.rs").matches(&signature).count(), 2);
}
