//! Measures how fast `agglomerate` finds keywords on real pages, and where the time goes, on one core:
//!
//!     cargo run --release -p retold-lab --example keyword_speed -- ~/.cache/retold-data/eventmonitor/pages.jsonl
//!
//! Pages are read, decoded and folded first; the measured time is from decoded text to sketch. Speeds are in MB (10^6 bytes) of folded
//! UTF-8 text per second. Each line is measured separately.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use retold::method::{Method, Text, Tokenizer, WordForm};
use retold::read::{Outcome, discover};
use retold::{JudgeConfig, Model};

const ROUNDS: usize = 15;

fn main() -> Result<(), retold::Error> {
    let input = std::env::args().nth(1).map(PathBuf::from);
    let Some(input) = input.filter(|path| path.exists()) else {
        println!("skipped: no data (name a file or folder of pages)");
        return Ok(());
    };
    let model = Model::new(JudgeConfig {
        method: "agglomerate".into(),
        ..JudgeConfig::default()
    })?;
    let texts = texts(input, &model)?;
    let method = (model.method().build)(model.params(), &Arc::default());
    let bytes: usize = texts
        .iter()
        .map(|text| text.seen().map(|(_, block)| block.len()).sum::<usize>())
        .sum();
    println!(
        "{} pages, {:.2} MB of text",
        texts.len(),
        bytes as f64 / 1e6
    );
    // The first page loads dictionaries and stop words. Texts are cloned because a text keeps the words that were computed for it.
    texts.iter().take(100).for_each(|text| {
        method.sketch(&text.clone());
    });
    println!("                              MB/s, median   best");
    let speed = |name: &str, prepare: &dyn Fn(&Text), work: &dyn Fn(&Text) -> usize| {
        let mut seconds: Vec<f64> = (0..ROUNDS).map(|_| round(&texts, prepare, work)).collect();
        seconds.sort_by(f64::total_cmp);
        let rate = |seconds: f64| bytes as f64 / 1e6 / seconds;
        println!(
            "{name:30} {:11.1} {:6.1}",
            rate(seconds[ROUNDS / 2]),
            rate(seconds[0])
        );
    };
    measure(&speed, &*method);
    Ok(())
}

/// Times a step, given by its name, its preparation, and the step.
type Speed<'a> = dyn Fn(&str, &dyn Fn(&Text), &dyn Fn(&Text) -> usize) + 'a;

/// Measures one step after another with `speed`.
fn measure(speed: &Speed<'_>, method: &dyn Method) {
    let tokenizer = Tokenizer::default();
    let nothing = |_: &Text| ();
    let words = |text: &Text| text.words().len();
    let language = |text: &Text| text.language().map_or(0, str::len);
    speed("language", &nothing, &language);
    speed("segmentation", &nothing, &|text| {
        let mut words = 0;
        for (_, block) in text.seen() {
            tokenizer.cut(block, false, |_, _, _| words += 1);
        }
        words
    });
    speed(
        "words: that and stop-words",
        &|text| _ = language(text),
        &words,
    );
    speed("interning", &|text| _ = words(text), &|text| {
        text.words().interned(WordForm::Surface).forms.len()
    });
    speed("sketch from words", &|text| _ = words(text), &|text| {
        method.sketch(text).keys.len()
    });
    speed("keyword extraction, all of it", &nothing, &|text| {
        method.sketch(text).keys.len()
    });
}

fn texts(input: PathBuf, model: &Model) -> Result<Vec<Text>, retold::Error> {
    let read = &model.config().read;
    let mut texts = Vec::new();
    for source in discover(&[input], read)? {
        for record in source.records(read) {
            if let Outcome::Page(page) = record.parse(&source, read) {
                texts.extend(model.text(&page));
            }
        }
    }
    Ok(texts)
}

/// Seconds for the work on all texts. Texts are cloned and dropped one by one, as in a run, because results are cached in a text.
fn round(texts: &[Text], prepare: &dyn Fn(&Text), work: &dyn Fn(&Text) -> usize) -> f64 {
    let texts = texts.to_vec();
    texts.iter().for_each(prepare);
    let start = now();
    let made: usize = texts.into_iter().map(|text| work(&text)).sum();
    let seconds = now() - start;
    assert!(made > 0, "nothing was made");
    seconds
}

/// CPU seconds of this thread on Linux, where other programs matter less; elapsed seconds elsewhere.
fn now() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    nanoseconds.map_or_else(
        || UNIX_EPOCH.elapsed().unwrap_or_default().as_secs_f64(),
        |nanoseconds| nanoseconds as f64 / 1e9,
    )
}
