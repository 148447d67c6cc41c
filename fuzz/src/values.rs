//! Small formats: sketches, stored texts, options, models, labels, pairs, word lists, dates.

use std::path::Path;
use std::str::from_utf8;
use std::sync::LazyLock;

use retold::{JudgeConfig, Model};
use retold::eval::{Gold, read_reported};
use retold::internal::{date_seconds, site_of};
use retold::method::{Sketch, Synonyms, Text, Tokenizer};
use retold::read::TextOptions;

use crate::files::file;

static OPTIONS: LazyLock<TextOptions> = LazyLock::new(TextOptions::default);

/// The byte form of sketches.
pub fn sketch(data: &[u8]) {
    if let Ok(sketch) = Sketch::from_bytes(data) {
        let again = Sketch::from_bytes(&sketch.to_bytes()).expect("its own bytes");
        assert!(again == sketch);
    }
}

/// The byte form of texts.
pub fn stored(data: &[u8]) {
    if let Ok(text) = Text::from_bytes(data, &OPTIONS) {
        let again = Text::from_bytes(&text.to_bytes(), &OPTIONS).expect("its own bytes");
        assert!(again == text);
        text.seen().for_each(drop);
        text.lengths();
    }
}

/// The options of a run, and the parameters among them.
pub fn config(data: &[u8]) {
    let Ok(value) = serde_json::from_slice(data) else {
        return;
    };
    if let Ok(config) = JudgeConfig::from_value(value) {
        let again = JudgeConfig::from_map(config.to_map()).expect("its own options");
        assert!(again.to_map() == config.to_map());
        // Word files would be looked for on disk.
        let files = [&config.user_dict, &config.synonyms, &config.stop_words];
        if files.iter().all(|file| file.is_none()) {
            let _ = Model::new(config);
        }
    }
}

/// A stored model.
pub fn model(data: &[u8]) {
    let Ok(json) = from_utf8(data) else { return };
    if let Ok(model) = Model::from_json(json, Path::new("/nonexistent")) {
        let json = model.to_json();
        let again = Model::from_json(&json, Path::new("/nonexistent")).expect("its own JSON");
        assert_eq!(again.to_json(), json);
    }
}

/// Labelled pairs.
pub fn gold(data: &[u8]) {
    if let Ok(gold) = Gold::read(&file("gold.tsv", data)) {
        assert!(gold.pairs().all(|(a, b, _)| a <= b));
    }
}

/// Reported pairs.
pub fn pairs(data: &[u8]) {
    let _ = read_reported(&file("pairs.jsonl", data), None);
}

/// User dictionaries and synonyms.
pub fn wordlists(data: &[u8]) {
    let Ok(text) = from_utf8(data) else { return };
    if let Ok(words) = Tokenizer::with_user_words(text, OPTIONS.folder()) {
        words.cut(text, false, |start, end, _| assert!(start < end));
    }
    if let Ok(synonyms) = Synonyms::with_groups(text, OPTIONS.folder()) {
        synonyms.of(text.lines().next().unwrap_or_default(), None);
    }
}

/// Dates and URLs.
pub fn date(data: &[u8]) {
    let Ok(text) = from_utf8(data) else { return };
    date_seconds(text);
    if let Some(site) = site_of(text) {
        assert!(!site.is_empty());
    }
}
