//! Main text of ten pages written for this test after the templates of real sites, and of pages that are difficult on purpose.
//!
//! `golden/NAME.html` is the page and `golden/NAME.txt` the expected result: the language, then the blocks. To write the
//! results again after an intended change: `RETOLD_BLESS=1 cargo test -p retold --test extraction`.

use std::path::{Path, PathBuf};

use retold::method::{Text, text_of};
use retold::read::{Extract, Extraction, TextOptions};
use retold::{Markup, Page};

fn text(bytes: Vec<u8>, extract: Extract) -> Result<Text, String> {
    let page = Page::document("", bytes, Markup::Html);
    let options = TextOptions {
        extract: Some(extract),
        ..TextOptions::default()
    };
    text_of(&page, &options)
}

fn golden() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut pages: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|e| e == "html"))
        .collect();
    pages.sort();
    pages
}

#[test]
fn main_text_of_the_golden_pages() {
    let pages = golden();
    assert_eq!(pages.len(), 10);
    for path in pages {
        let bytes = std::fs::read(&path).expect("the page can be read");
        let text = text(bytes, Extract::Main).expect("the page has a text");
        let blocks = text.shown().collect::<Vec<_>>().join("\n");
        let found = format!("{}\n\n{blocks}\n", text.language().unwrap_or("none"));
        let wanted = path.with_extension("txt");
        if std::env::var_os("RETOLD_BLESS").is_some() {
            std::fs::write(&wanted, &found).expect("the golden file can be written");
        }
        let wanted = std::fs::read_to_string(&wanted).unwrap_or_default();
        assert_eq!(found, wanted, "{}", path.display());
    }
}

#[test]
fn methods_see_the_main_text_only() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/zh-news.html");
    let bytes = std::fs::read(path).expect("the page can be read");
    let main = text(bytes.clone(), Extract::Main).expect("the page has a text");
    let whole = text(bytes, Extract::None).expect("the page has a text");
    assert_eq!(main.folded, whole.folded);
    assert_eq!(
        (main.extraction, whole.extraction),
        (Extraction::Main, Extraction::Whole)
    );
    assert!(main.seen_chars() < whole.seen_chars());
    assert_eq!(main.main.len(), main.folded.split('\n').count());
    let words: Vec<_> = main.words().strings().collect();
    assert!(words.contains(&"渡口") && !words.contains(&"登录"));
    assert!(whole.words().strings().any(|word| word == "登录"));
    // Every sentence lies in a block that is seen.
    let blocks: Vec<_> = main
        .seen()
        .map(|(at, block)| at..at + block.len())
        .collect();
    for sentence in &main.sentences {
        assert!(
            blocks
                .iter()
                .any(|b| b.contains(&(sentence.start as usize)))
        );
    }
}

#[test]
fn a_page_without_main_text_counts_whole() {
    let text = text(b"<div></div><br>".to_vec(), Extract::Main).expect("an empty page is a page");
    assert_eq!(text.extraction, Extraction::Fallback);
    assert!(text.main.is_empty());
}

#[test]
fn a_page_too_large_for_a_tree_has_main_text() {
    let paragraph = "<p>The ferry leaves when the fog has lifted, and not a minute before.</p>";
    let long = "<a href=/>Home</a>".to_owned() + &paragraph.repeat((8 << 20) / paragraph.len() + 1);
    let main = text(long.clone().into_bytes(), Extract::Main).expect("the page has a text");
    assert_eq!(main.extraction, Extraction::Main);
    assert!(main.shown().all(|block| block != "Home"));
    if Extract::Precise.check().is_ok() {
        let whole = text(long.into_bytes(), Extract::Precise).expect("the page has a text");
        assert_eq!(whole.extraction, Extraction::OverBudget);
    }
}

/// Ends in any time that is not quadratic; `lab/examples/hostile.rs` measures.
#[test]
fn monstrous_pages_end() {
    let attributes: String = (0..20_000).map(|i| format!(" a{i}='v'")).collect();
    for page in [
        "<div>".repeat(20_000) + "x",
        "<table><tr><td>".repeat(20_000) + "x",
        format!("<p{attributes}>x"),
        format!("x<!--{}", "<p>-".repeat(250_000)),
        "&".repeat(150_000),
        (0..5_000)
            .map(|i| format!("<font size={i}>"))
            .collect::<String>()
            + &"<p>x".repeat(5_000),
    ] {
        assert!(text(page.into_bytes(), Extract::Main).is_ok());
    }
}

#[test]
fn random_bytes_are_no_text() {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut noise = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    for length in [1_000, 10_000, 100_000] {
        let bytes: Vec<u8> = std::iter::repeat_with(&mut noise).take(length).collect();
        let came_back = text(bytes, Extract::Main).is_ok_and(|text| !text.meta.garbled);
        assert!(!came_back, "{length} random bytes came back as text");
    }
}
