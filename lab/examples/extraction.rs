//! How well main text is found, on the labelled set `extraction`, and how much of the readers' comments below the
//! articles of `wooyun` site A it drops:
//!
//!     cargo run --release -p retold-lab --features precise --example extraction
//!
//! Token F1 is over multisets of words (CJK by character), the mean over pages. The figures stand in `docs/lab/text.md`.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::Instant;

use retold::method::{Script, Text, text_of};
use retold::read::{Extract, Extraction, TextOptions, html_visible_text};
use retold::{Markup, Page};
use unicode_segmentation::UnicodeSegmentation;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let Some(data) = data() else {
        println!("skipped: no data");
        return Ok(());
    };
    let gold = std::fs::read_to_string(data.join("extraction/gold.jsonl"))?;
    for extract in Extract::ALL {
        if let Err(error) = extract.check() {
            println!("{}: {error}", extract.name());
            continue;
        }
        quality(&data.join("extraction/pages"), &gold, extract)?;
        comments(&data.join("wooyun/pages/A"), extract)?;
    }
    Ok(())
}

fn data() -> Option<PathBuf> {
    let root = match std::env::var_os("RETOLD_DATA") {
        Some(root) => PathBuf::from(root),
        None => Path::new(&std::env::var_os("HOME")?).join(".cache/retold-data"),
    };
    root.join("extraction").is_dir().then_some(root)
}

/// Means over the pages of one type.
#[derive(Default)]
struct Sum {
    pages: f64,
    precision: f64,
    recall: f64,
    f1: f64,
}

fn quality(pages: &Path, gold: &str, extract: Extract) -> Result<(), Failure> {
    let (mut sums, mut fallbacks, mut bytes, mut seconds) = (BTreeMap::new(), 0, 0, 0.0);
    for line in gold.lines() {
        let record: serde_json::Value = serde_json::from_str(line)?;
        let field = |name: &str| record[name].as_str().unwrap_or_default();
        let source = std::fs::read(pages.join(field("id")))?;
        bytes += source.len();
        let begun = Instant::now();
        let text = text(source, extract)?;
        seconds += begun.elapsed().as_secs_f64();
        fallbacks += usize::from(text.extraction == Extraction::Fallback);
        let (precision, recall, f1) = scores(&seen(&text), field("text"));
        let kind = match field("id").starts_with("news/") {
            true => "news".to_owned(),
            false => field("page_type").to_owned(),
        };
        let sum: &mut Sum = sums.entry(kind).or_default();
        sum.pages += 1.0;
        sum.precision += precision;
        sum.recall += recall;
        sum.f1 += f1;
    }
    println!(
        "{}: {fallbacks} fallbacks, {:.1} MB/s from bytes to text",
        extract.name(),
        bytes as f64 / seconds / 1e6
    );
    for (kind, sum) in &sums {
        let mean = |total: f64| total / sum.pages;
        println!(
            "  {kind:14} {:4} pages  F1 {:.3}  P {:.3}  R {:.3}",
            sum.pages,
            mean(sum.f1),
            mean(sum.precision),
            mean(sum.recall)
        );
    }
    Ok(())
}

fn text(bytes: Vec<u8>, extract: Extract) -> Result<Text, String> {
    let page = Page::document("", bytes, Markup::Html);
    let options = TextOptions {
        extract: Some(extract),
        ..TextOptions::default()
    };
    text_of(&page, &options)
}

/// The blocks that methods see, unfolded.
fn seen(text: &Text) -> String {
    let blocks = text.visible.split('\n').enumerate();
    let seen = blocks.filter(|(n, _)| text.main.get(*n).copied().unwrap_or(text.main.is_empty()));
    seen.map(|(_, block)| block).collect::<Vec<_>>().join("\n")
}

/// Words, and single characters of scripts without spaces, with their numbers.
fn tokens(text: &str) -> HashMap<String, usize> {
    let mut tokens = HashMap::new();
    for word in text.unicode_words() {
        let cjk = |c: char| matches!(Script::of(c), Script::Han | Script::Japanese);
        if word.contains(cjk) {
            word.chars()
                .for_each(|c| *tokens.entry(c.to_string()).or_default() += 1);
        } else {
            *tokens.entry(word.to_lowercase()).or_default() += 1;
        }
    }
    tokens
}

fn scores(found: &str, gold: &str) -> (f64, f64, f64) {
    let (found, gold) = (tokens(found), tokens(gold));
    let shared: usize = found
        .iter()
        .map(|(token, n)| *n.min(gold.get(token).unwrap_or(&0)))
        .sum();
    let total = |tokens: &HashMap<String, usize>| tokens.values().sum::<usize>();
    let ratio = |whole: usize| shared as f64 / whole.max(1) as f64;
    let both = total(&found) + total(&gold);
    let f1 = if both == 0 {
        1.0
    } else {
        2.0 * shared as f64 / both as f64
    };
    (ratio(total(&found)), ratio(total(&gold)), f1)
}

/// Of site A, the characters of the comments, and of all above them, that are left. The comments are the last thing on
/// the page.
fn comments(folder: &Path, extract: Extract) -> Result<(), Failure> {
    let (mut pages, mut all, mut left, mut above, mut above_left) = (0, 0, 0, 0, 0);
    for entry in std::fs::read_dir(folder)? {
        let source = std::fs::read(entry?.path())?;
        let html = String::from_utf8_lossy(&source).into_owned();
        let Some(begin) = html.find("<div id=\"comment-list\"") else {
            continue;
        };
        let (below, ..) = html_visible_text(&html[begin..]);
        if below.is_empty() {
            continue;
        }
        let text = text(source, extract)?;
        let blocks: Vec<&str> = text.visible.split('\n').collect();
        let first = blocks.len().saturating_sub(below.split('\n').count());
        pages += 1;
        for (number, block) in blocks.iter().enumerate() {
            let chars = block.chars().count();
            let seen = text
                .main
                .get(number)
                .copied()
                .unwrap_or(text.main.is_empty());
            let (whole, kept) = match number >= first {
                true => (&mut all, &mut left),
                false => (&mut above, &mut above_left),
            };
            *whole += chars;
            *kept += if seen { chars } else { 0 };
        }
    }
    let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    println!(
        "  wooyun A: {pages} pages with comments; {:.1} % of the comments' {all} characters are dropped, {:.1} % of \
         the {above} characters above them are left",
        100.0 - share(left, all),
        share(above_left, above)
    );
    Ok(())
}
