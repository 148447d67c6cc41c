//! Errors of the library as Python exceptions. Messages use the names of Python's arguments.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PyUserWarning};
use pyo3::prelude::*;
use retold::{Error, JudgeConfig};
use retold_report::OutputConfig;

create_exception!(
    retold,
    RetoldError,
    PyException,
    "The base class of errors in Retold; its subclasses say who has to act."
);
create_exception!(
    retold,
    UsageError,
    RetoldError,
    "A request that cannot be fulfilled: an unknown option, a value out of range, no readable page."
);
create_exception!(
    retold,
    FileError,
    RetoldError,
    "A file could not be read or written; the message has the system's reason."
);
create_exception!(
    retold,
    CorruptError,
    RetoldError,
    "A file that Retold wrote is damaged or has the wrong form."
);
create_exception!(
    retold,
    InternalError,
    RetoldError,
    "A bug in Retold: please report it."
);
create_exception!(
    retold,
    RetoldWarning,
    PyUserWarning,
    "A problem that the caller should know about, although the work continues."
);

pub fn raise(error: Error) -> PyErr {
    let message = in_python(&error.to_string()).into_owned();
    match error {
        Error::Usage(_) | Error::Unreadable(_) => UsageError::new_err(message),
        Error::Io { .. } => FileError::new_err(message),
        Error::Corrupt { .. } => CorruptError::new_err(message),
        Error::Cancelled => PyKeyboardInterrupt::new_err(message),
        _ => RetoldError::new_err(message),
    }
}

/// A usage error.
pub fn usage(message: impl Into<String>) -> PyErr {
    UsageError::new_err(in_python(&message.into()).into_owned())
}

/// Rewrites options in a message to Python's arguments: `--text-field` becomes `text_field=`, `-o` becomes `out=`, and a value follows
/// without a space.
pub fn in_python(message: &str) -> Cow<'_, str> {
    let message = with_python_calls(message);
    if !message.contains('-') {
        return message;
    }
    let mut said = String::with_capacity(message.len());
    let mut words = message.split(' ').peekable();
    while let Some(word) = words.next() {
        let space = if words.peek().is_some() { " " } else { "" };
        let Some((before, option, after)) = argument(word) else {
            said += word;
            said += space;
            continue;
        };
        let is_first = said.is_empty();
        said += before;
        said += &option;
        said += after;
        // The value that a message is about, or the last word of a clause, as in "or use --extract main".
        let ends = |next: &&str| next.ends_with([',', ';', ':']) || message.ends_with(*next);
        let has_value = is_first || words.peek().is_some_and(ends);
        if !(option.ends_with('=') && after.is_empty() && has_value) {
            said += space;
        }
    }
    said.into()
}

/// Rewrites what a message tells to do with the command, where Python has a call for it.
fn with_python_calls(message: &str) -> Cow<'_, str> {
    const CALLS: [(&str, &str); 4] = [
        (
            "make one with `retold index create ",
            "make one with retold.Index.create(path), or `retold index create ",
        ),
        ("`retold index compact` makes", "Index.compact() makes"),
        ("retold dedup --annotate,", "retold.dedup(annotate=True),"),
        (
            "add --resume to continue it, or --force",
            "continue it with `retold dedup --resume`, or add --force",
        ),
    ];
    CALLS.iter().fold(message.into(), |message, (said, call)| {
        match message.contains(said) {
            true => message.replace(said, call).into(),
            false => message,
        }
    })
}

/// If a word is an option of the command: the text before it, the name of the argument, and the text after it.
fn argument(word: &str) -> Option<(&str, String, &str)> {
    let (before, option) = word.split_at(word.find('-')?);
    if !matches!(before, "" | "`" | "(" | "(`") {
        return None;
    }
    let end = option.find(|c: char| c != '-' && !c.is_ascii_lowercase());
    let (option, after) = option.split_at(end.unwrap_or(option.len()));
    let name = match option {
        "-o" => "out".to_owned(),
        "--param" => "params".to_owned(),
        "--question-field" => "question_fields".to_owned(),
        _ => option.strip_prefix("--")?.replace('-', "_"),
    };
    let named = match name.as_str() {
        "force" | "allow_empty" | "annotate" | "mark" => format!("{name}=True"),
        "no_kept" | "no_texts" => format!("{}=False", &name[3..]),
        _ if is_argument(&name) => format!("{name}="),
        _ => return None,
    };
    Some((before, named, after))
}

fn is_argument(name: &str) -> bool {
    static NAMES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
        // Beside the options of judging and of the output.
        let own = [
            "max_df",
            "memory",
            "min_words",
            "out",
            "params",
            "passage_words",
            "preset",
            "question_fields",
            "size_field",
            "source_overlap",
            "target_overlap",
            "temp_dir",
            "threads",
        ];
        let own = own.map(String::from);
        let judge = JudgeConfig::default().to_map();
        let output = OutputConfig::default().to_map();
        let options = judge.into_iter().chain(output).map(|(name, _)| name);
        options.chain(own).collect()
    });
    NAMES.contains(name)
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("RetoldError", py.get_type::<RetoldError>())?;
    module.add("UsageError", py.get_type::<UsageError>())?;
    module.add("FileError", py.get_type::<FileError>())?;
    module.add("CorruptError", py.get_type::<CorruptError>())?;
    module.add("InternalError", py.get_type::<InternalError>())?;
    module.add("RetoldWarning", py.get_type::<RetoldWarning>())
}
