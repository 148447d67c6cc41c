//! How long pages take that were made to take long, and pages over the size limit:
//!
//!     cargo run --release -p retold-lab --example hostile
//!
//! The figures are in `docs/lab/text.md`; each page must take less than a second.

use std::time::Instant;

use retold::method::text_of;
use retold::read::{Extract, Extraction, TextOptions};
use retold::{Markup, Page};

fn main() {
    let mut slowest = 0.0f64;
    for (name, bytes) in deep().into_iter().chain(long()) {
        let length = bytes.len();
        let begun = Instant::now();
        let outcome = outcome(bytes);
        let seconds = begun.elapsed().as_secs_f64();
        slowest = slowest.max(seconds);
        println!(
            "{name:38} {:8.2} MB {seconds:7.3} s {:8.1} MB/s  {outcome}",
            length as f64 / 1e6,
            length as f64 / seconds / 1e6
        );
    }
    println!("slowest: {slowest:.3} s");
}

type Pages = Vec<(&'static str, Vec<u8>)>;

const ARTICLE: &str =
    "<p>The ferry leaves when the fog has lifted, and not a minute before that time.</p>";

/// Pages whose elements are nested, overlap or have too many attributes.
fn deep() -> Pages {
    let article = ARTICLE;
    let attributes: String = (0..20_000).map(|i| format!(" a{i}='v{i}'")).collect();
    let fonts: String = (0..5_000).map(|i| format!("<font size={i}>")).collect();
    vec![
        ("20,000 nested div", nested("<div>", "</div>", 20_000)),
        (
            "20,000 nested tables",
            nested("<table><tr><td>", "</td></tr></table>", 20_000),
        ),
        (
            "5,000 nested tables",
            nested("<table><tr><td>", "</td></tr></table>", 5_000),
        ),
        ("20,000 nested lists", "<ul><li>x".repeat(20_000).into()),
        (
            "20,000 attributes",
            format!("<div{attributes}>{article}</div>").into(),
        ),
        (
            "100 tags of 20,000 attributes",
            format!("<div{attributes}>{article}</div>")
                .repeat(100)
                .into(),
        ),
        (
            "1 MB of unclosed comment",
            format!("{article}<!--{}", "<p>-".repeat(250_000)).into(),
        ),
        ("1 MB of random bytes", noise(1_000_000)),
        ("7 MB of random bytes", noise(7_000_000)),
        (
            "5,000 open fonts, 20,000 paragraphs",
            format!("{fonts}{}", "<p>x".repeat(20_000)).into(),
        ),
        (
            "misnested b and i",
            "<b><p><i></b>x</p></i>".repeat(20_000).into(),
        ),
    ]
}

/// Pages with very many of the same thing.
fn long() -> Pages {
    let article = ARTICLE;
    vec![
        ("95,000 paragraphs", "<p>x".repeat(95_000).into()),
        ("90,000 br", "x<br>".repeat(90_000).into()),
        ("190,000 br", "<br>".repeat(190_000).into()),
        ("60,000 links", "<a href=x>link</a>".repeat(60_000).into()),
        (
            "60,000 span in one p",
            format!("<p>{}", "<span>x</span>".repeat(60_000)).into(),
        ),
        (
            "500 deep, 100 wide",
            nested("<div><p>a, b, c and d</p>", "</div>", 500).repeat(100),
        ),
        (
            "30,000 articles",
            format!("<div class=article>{article}</div>")
                .repeat(30_000)
                .into(),
        ),
        (
            "one paragraph of 7 MB",
            format!("<p>{}", "word, ".repeat(1_200_000)).into(),
        ),
        ("66,000 equal short lines", "<p>ab".repeat(66_000).into()),
        (
            "1 MB of equal long lines",
            "<div>"
                .to_owned()
                .into_bytes()
                .into_iter()
                .chain(article.repeat(12_000).into_bytes())
                .collect(),
        ),
        ("1 MB of <", "<".repeat(1_000_000).into()),
        ("190,000 &", "&".repeat(190_000).into()),
        ("1 MB of &", "&".repeat(1_000_000).into()),
        ("9 MB page", article.repeat(110_000).into()),
    ]
}

fn nested(open: &str, close: &str, times: usize) -> Vec<u8> {
    (open.repeat(times) + "deep text" + &close.repeat(times)).into_bytes()
}

/// Bytes that look random (xorshift), the same on each run.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

fn outcome(bytes: Vec<u8>) -> String {
    let page = Page::document("", bytes, Markup::Html);
    let options = TextOptions {
        extract: Some(Extract::Main),
        ..TextOptions::default()
    };
    match text_of(&page, &options) {
        Err(reason) => format!("rejected: {reason}"),
        Ok(text) => {
            let how = match text.extraction {
                Extraction::Whole => "whole",
                Extraction::Main => "main text",
                Extraction::Fallback => "no main text: whole",
                Extraction::OverBudget => "over budget: whole",
            };
            let garbled = if text.meta.garbled { ", garbled" } else { "" };
            format!("{how}{garbled}, {} characters seen", text.seen_chars())
        }
    }
}
