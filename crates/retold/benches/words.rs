//! Speed of language detection and words on one core, in bytes of input a second:
//! `cargo bench -p retold --bench words`. The steps before (decode, HTML to text, main text, folding) are in `text.rs`.
//!
//! The texts are made here, from sentences written for this bench, so that figures can be compared across machines.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use retold::Page;
use retold::method::{Text, WordForm, text_of};
use retold::read::TextOptions;

fn main() {
    divan::main();
}

const LANGUAGES: [&str; 5] = ["zh", "en", "de", "ja", "th"];

fn sentences(language: &str) -> &'static [&'static str] {
    match language {
        "zh" => &[
            "河边的小镇每到春天就会起雾，渡船要等太阳升高以后才开。",
            "老人把旧书一本一本摆在木板上，价钱写在纸条上，从不还价。",
            "研究小组在2024年比较了三种算法，结果相差不到百分之二。",
            "学校图书馆把闭馆时间延后了一个小时，学生们都很高兴。",
        ],
        "de" => &[
            "Die Fähre fährt erst, wenn sich der Nebel gelichtet hat, und keine Minute früher. ",
            "Niemand hatte die alte Uhr repariert, und so gewöhnte sich die Stadt daran. ",
        ],
        "ja" => &[
            "川辺の小さな町では春になると霧が出て、渡し船は日が高くなるまで動きません。",
            "老人は古い本を一冊ずつ板の上に並べ、値段を紙に書いておきます。",
        ],
        "th" => &["เมืองเล็กริมแม่น้ำมีหมอกทุกฤดูใบไม้ผลิและเรือข้ามฟากจะออกเมื่อแดดออกแล้วเท่านั้น "],
        _ => &[
            "The ferry leaves when the fog has lifted, and not a minute before that. ",
            "Miller sold 3.5 tons of apples last year, e.g. to schools in the U.S. and elsewhere. ",
            "Nobody had repaired the old clock, so the town got used to being late. ",
            "They measured the bridge twice and wrote down two different lengths. ",
        ],
    }
}

fn plain(language: &str) -> String {
    let sentences = sentences(language);
    let mut text = String::new();
    let mut n = 0;
    while text.len() < 32 * 1024 {
        n += 1;
        text.push_str(sentences[n * 7 % sentences.len()]);
        if n % 4 == 0 {
            text.push('\n');
        }
    }
    text
}

fn text(language: &str) -> Text {
    let page = Page::text("", plain(language));
    text_of(&page, &TextOptions::default()).unwrap_or_default()
}

#[divan::bench(args = LANGUAGES)]
fn language(bencher: Bencher, language: &str) {
    let text = text(language);
    bencher
        .counter(BytesCount::of_str(&text.folded))
        .with_inputs(|| fresh(&text))
        .bench_refs(|text| text.language());
}

#[divan::bench(args = LANGUAGES)]
fn words(bencher: Bencher, language: &str) {
    let text = text(language);
    // Dictionaries are loaded once.
    let _ = text.words();
    bencher
        .counter(BytesCount::of_str(&text.folded))
        .with_inputs(|| {
            let text = fresh(&text);
            let _ = text.language();
            text
        })
        .bench_refs(|text| text.words().len());
}

#[divan::bench(args = [WordForm::Surface, WordForm::Stem, WordForm::Lemma])]
fn interned_en(bencher: Bencher, form: WordForm) {
    let text = text("en");
    let words = text.words();
    bencher
        .counter(BytesCount::of_str(&text.folded))
        .bench(|| words.interned(black_box(form)));
}

/// The text with nothing yet derived from it.
fn fresh(text: &Text) -> Text {
    let mut fresh = Text::default();
    fresh.folded.clone_from(&text.folded);
    fresh
}
