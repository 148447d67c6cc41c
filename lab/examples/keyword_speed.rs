//! How fast `agglomerate` finds keywords on real pages, and where the time goes, on one core:
//!
//!     cargo run --release -p retold-lab --example keyword_speed -- ~/.cache/retold-data/eventmonitor/pages.jsonl
//!
//! The pages are read, decoded and folded first; the measured time begins with decoded text and ends with a sketch. Speeds
//! are in MB (10^6 bytes) of folded UTF-8 text a second. Each line is a measurement of its own, not a sum.

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
    // Dictionaries and stop-words are loaded once, by the first page that needs them.
    // Copies, as a text keeps the words that were asked of it.
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

/// Times a step: its name, what is done before it, and the step.
type Speed<'a> = dyn Fn(&str, &dyn Fn(&Text), &dyn Fn(&Text) -> usize) + 'a;

/// Measures one step after another; `speed` times each.
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

/// The pages that can be read, as texts.
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

/// Seconds that the work takes on all texts. Each is new (what follows from a text is found once and kept) and goes
/// after its turn, as in a run.
fn round(texts: &[Text], prepare: &dyn Fn(&Text), work: &dyn Fn(&Text) -> usize) -> f64 {
    let texts = texts.to_vec();
    texts.iter().for_each(prepare);
    let start = now();
    let made: usize = texts.into_iter().map(|text| work(&text)).sum();
    let seconds = now() - start;
    assert!(made > 0, "nothing was made");
    seconds
}

/// Seconds of processor time that this thread has had, where Linux tells (other programs then matter less); elsewhere
/// seconds of the day.
fn now() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    nanoseconds.map_or_else(
        || UNIX_EPOCH.elapsed().unwrap_or_default().as_secs_f64(),
        |nanoseconds| nanoseconds as f64 / 1e9,
    )
}
