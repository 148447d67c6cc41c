//! Fuzz targets for libFuzzer in one binary; `RETOLD_FUZZ` names the target to run. See `fuzz/run`.

#![no_main]

mod files;
mod texts;
mod values;

use std::sync::LazyLock;

/// A target; panics if anything is wrong.
type Target = fn(&[u8]);

/// The targets by name.
const TARGETS: &[(&str, Target)] = &[
    ("jsonl", |data| files::read("pages.jsonl", data)),
    ("csv", |data| files::read("pages.csv", data)),
    ("tsv", |data| files::read("pages.tsv", data)),
    ("warc", |data| files::read("pages.warc", data)),
    ("arc", |data| files::read("pages.arc", data)),
    ("packed", |data| files::read("pages.jsonl.gz", data)),
    ("parquet", |data| files::read("pages.parquet", data)),
    ("feed", |data| files::read("feed.xml", data)),
    ("feedjson", |data| files::read("feed.json", data)),
    ("book", |data| files::read("book.epub", data)),
    ("sniff", |data| files::read("pages", data)),
    ("charset", texts::charset),
    ("html", texts::html),
    ("document", texts::document),
    ("guard", texts::guard),
    #[cfg(feature = "precise")]
    ("precise", texts::precise),
    ("text", texts::text),
    ("words", texts::words),
    ("judge", texts::judge),
    ("sketch", values::sketch),
    ("stored", values::stored),
    ("config", values::config),
    ("model", values::model),
    ("gold", values::gold),
    ("pairs", values::pairs),
    ("wordlists", values::wordlists),
    ("date", values::date),
    ("index", files::index),
];

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    // libFuzzer's hook would end the process on panics that Retold catches, as around the Parquet library. Panics that are not caught still
    // end it.
    drop(std::panic::take_hook());
    let wanted = std::env::var("RETOLD_FUZZ").unwrap_or_default();
    match TARGETS.iter().find(|(name, _)| *name == wanted) {
        Some((_, target)) => *target,
        None => {
            let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
            panic!("RETOLD_FUZZ={wanted:?}; there are: {}", names.join(" "))
        }
    }
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| (*TARGET)(data));
