//! Tests of what the index promises.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::too_many_lines, reason = "a test is read from top to bottom")]

mod address;
mod changes;
mod crash;
mod damage;
mod filters;
mod folder;
mod frame_pages;
mod grow;
mod news;
mod passages;
mod same;
mod search;
mod snapshot;

use std::path::Path;

use retold::method::METHODS;
use retold::read::Source;
use retold::{Dedup, Findings, JudgeConfig, Model, Page, PairFilters};

use crate::index::{Index, Prepared};
use crate::limits::Limits;
use crate::open::IndexBuilder;
use crate::writer::Writer;

/// Limits so low that files change with nearly every commit.
const SMALL: Limits = Limits {
    postings: 200,
    tail: 2000,
    log: 6000,
};

fn sentence(topic: u32, number: u32) -> String {
    let word = |salt: u32| {
        let mut at = topic * 7919 + number * 104_729 + salt * 31;
        let letters = (0..6).map(|_| {
            at = at.wrapping_mul(1_103_515_245).wrapping_add(12345);
            char::from(b'a' + (at >> 16) as u8 % 26)
        });
        letters.collect::<String>()
    };
    let words: Vec<String> = (0..9).map(word).collect();
    format!(
        "The {} of {} was here again with a {}, and {} waits for the {}. ",
        words[0], words[1], words[2], words[3], words[4]
    )
}

/// A recipe for a page: its topic, which sentences of it, and which template.
type Recipe = (u32, std::ops::Range<u32>, u32);

fn page(id: &str, (topic, sentences, template): &Recipe) -> Page {
    let site = format!(
        "Welcome to site {template}, the home of all news. All rights of site {template} are reserved here. "
    );
    let text: String = sentences
        .clone()
        .map(|number| sentence(*topic, number))
        .collect();
    Page::text(id, format!("{text}\n{site}"))
        .with_url(format!("http://s{template}.example/{id}"))
        .with_date(format!("2020-01-{:02}", topic % 28 + 1))
}

/// Every method with its defaults, and `period` with each noise filter.
fn variants() -> Vec<JudgeConfig> {
    let mut variants: Vec<JudgeConfig> = METHODS
        .iter()
        .map(|info| JudgeConfig {
            method: info.name.to_owned(),
            ..JudgeConfig::default()
        })
        .collect();
    for noise in ["none", "idf", "site", "idf+site"] {
        let given = [("noise", noise), ("idf_min_df", "3"), ("site_min_df", "2")];
        variants.push(JudgeConfig {
            method: "period".to_owned(),
            params: given
                .map(|(name, value)| (name.to_owned(), value.into()))
                .into(),
            ..JudgeConfig::default()
        });
    }
    let low = [("common_df", "3")].map(|(name, value)| (name.to_owned(), value.into()));
    variants.push(JudgeConfig {
        params: low.into(),
        ..JudgeConfig::default()
    });
    variants.push(JudgeConfig {
        filters: PairFilters {
            across: Some("site".to_owned()),
            window: "1d".parse().ok(),
            ..PairFilters::default()
        },
        canonical: "url-length".parse().unwrap(),
        ..JudgeConfig::default()
    });
    variants
}

/// The findings of a batch run over these pages.
fn run(pages: &[Page], model: Model) -> Findings {
    let source = Source::of_pages("pages", pages.iter().cloned());
    Dedup::new(model).run(vec![source]).unwrap()
}

fn builder(folder: &Path) -> IndexBuilder {
    Index::builder(folder).writer_name("a test").limits(SMALL)
}

fn open(folder: &Path) -> Writer {
    builder(folder).write().unwrap()
}

fn make(folder: &Path, model: &Model) -> Writer {
    builder(folder).create(model).unwrap()
}

fn prepared(writer: &Writer, pages: &[Page]) -> Vec<Prepared> {
    pages
        .iter()
        .map(|page| writer.index().prepare(page.clone()).unwrap())
        .collect()
}

/// Pairs of ids, with relation and numbers as they are printed.
fn pairs(findings: &Findings) -> Vec<(String, String, String)> {
    let pairs = findings.pairs.iter().map(|pair| {
        let numbers = format!(
            "{} {:.6} {:.6} {}",
            pair.relation.name(),
            pair.similarity,
            pair.length_ratio,
            pair.shared
        );
        (
            findings.id(pair.a).into_owned(),
            findings.id(pair.b).into_owned(),
            numbers,
        )
    });
    pairs.collect()
}

fn dropped(findings: &Findings) -> Vec<(String, String)> {
    let dropped = findings.dropped.iter();
    dropped
        .map(|gone| {
            (
                findings.id(gone.page).into_owned(),
                findings.id(gone.canonical).into_owned(),
            )
        })
        .collect()
}
