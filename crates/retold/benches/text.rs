//! Speed of the text stage on one core, in bytes of input a second: `cargo bench -p retold --bench text`.
//!
//! The pages are made here, from sentences written for this bench, so that figures can be compared across machines.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use retold::Page;
use retold::method::text_of;
use retold::read::{Extract, TextOptions, decode, html_visible_text, plain_visible_text};

fn main() {
    divan::main();
}

const CHINESE: [&str; 6] = [
    "河边的小镇每到春天就会起雾，渡船要等太阳升高以后才开。",
    "老人把旧书一本一本摆在木板上，价钱写在纸条上，从不还价。",
    "研究小组在2024年比较了三种算法，结果相差不到百分之二。",
    "學校圖書館把閉館時間延後了一個小時，學生們都很高興。",
    "“明天还会下雨吗？”她问，没有人回答。",
    "这条铁路全长３２０公里，沿途一共有十七个车站。",
];

const ENGLISH: [&str; 5] = [
    "The ferry leaves when the fog has lifted, and not a minute before that.",
    "Dr. Miller sold 3.5 tons of apples last year, e.g. to schools in the U.S. and elsewhere.",
    "Nobody had repaired the old clock, so the town got used to being late.",
    "A café at the corner serves soup on Mondays; bring your own bowl.",
    "They measured the bridge twice and wrote down two different lengths.",
];

/// Paragraphs of some 300 bytes, `bytes` long in all, none like the one before.
fn paragraphs(sentences: &[&str], bytes: usize) -> Vec<String> {
    let mut made = Vec::new();
    let (mut total, mut n) = (0, 0usize);
    while total < bytes {
        let mut paragraph = String::new();
        while paragraph.len() < 300 {
            n += 1;
            paragraph.push_str(sentences[n * 7 % sentences.len()]);
            if sentences[0].is_ascii() {
                paragraph.push(' ');
            }
        }
        total += paragraph.len();
        made.push(paragraph);
    }
    made
}

fn text(language: &str) -> String {
    match language {
        "zh" => paragraphs(&CHINESE, 32 * 1024).join("\n"),
        "en" => paragraphs(&ENGLISH, 32 * 1024).join("\n"),
        _ => paragraphs(&ENGLISH, 32 * 1024).join("\n").replace('é', "e"),
    }
}

/// A page as they are: menus, attributes, a script, and the text in the middle.
fn markup(language: &str) -> String {
    let item = r#"<li class="nav-item level-1 has-children"><a href="/column/list_104.htm" target="_blank" title="栏目">栏目导航</a></li>"#;
    let script = "<script type=\"text/javascript\">var a = document.getElementById('x'); if (a < 3) { a.style.display = 'none'; }</script>\n";
    let mut page = String::from(
        "<!DOCTYPE html><html lang=\"zh\"><head><meta charset=\"utf-8\"><title>题目</title>",
    );
    page.push_str(&script.repeat(30));
    page.push_str("</head>\n<body>\n<div id=\"menu\" class=\"clearfix\">\r\n    <ul>\r\n");
    page.push_str(&format!("        {item}\r\n").repeat(60));
    page.push_str("    </ul>\r\n</div>\r\n<div class=\"article\">\r\n");
    for paragraph in text(language).lines() {
        page.push_str("<p style=\"text-indent: 2em; font-size: 16px;\"><span>&nbsp;&nbsp;");
        page.push_str(paragraph);
        page.push_str("</span></p>\r\n");
    }
    page.push_str("</div></body></html>");
    page
}

#[divan::bench(args = ["utf-8", "gbk declared", "gbk undeclared"])]
fn decoded(bencher: Bencher, name: &str) {
    let text = markup("zh").replace('，', "、");
    let bytes = match name {
        "utf-8" => text.into_bytes(),
        "gbk declared" => encoding_rs::GBK
            .encode(&text.replace("utf-8", "gbk"))
            .0
            .into_owned(),
        _ => encoding_rs::GBK
            .encode(&text.replace("charset", "x"))
            .0
            .into_owned(),
    };
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench(|| decode(black_box(&bytes), None).map(|decoded| decoded.text.len()));
}

#[divan::bench(args = ["zh", "en"])]
fn html_to_text(bencher: Bencher, language: &str) {
    let html = markup(language);
    bencher
        .counter(BytesCount::of_str(&html))
        .bench(|| html_visible_text(black_box(&html)));
}

#[divan::bench(args = ["zh", "en"])]
fn plain_to_text(bencher: Bencher, language: &str) {
    let text = text(language);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| plain_visible_text(black_box(&text)));
}

#[divan::bench(args = ["zh", "en", "ascii"])]
fn fold(bencher: Bencher, language: &str) {
    let text = text(language);
    let folder = TextOptions::default().folder();
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let mut out = String::with_capacity(text.len());
        folder.fold_into(black_box(&text), &mut out);
        out
    });
}

#[divan::bench(args = ["zh", "en"])]
fn text_of_html(bencher: Bencher, language: &str) {
    let page = Page::html("", markup(language));
    bencher
        .counter(BytesCount::new(page.content.len()))
        .bench(|| text_of(black_box(&page), &TextOptions::default()));
}

#[divan::bench(args = ["zh", "en"])]
fn main_text_of_html(bencher: Bencher, language: &str) {
    let page = Page::html("", markup(language));
    let options = TextOptions {
        extract: Some(Extract::Main),
        ..TextOptions::default()
    };
    bencher
        .counter(BytesCount::new(page.content.len()))
        .bench(|| text_of(black_box(&page), &options));
}

#[divan::bench(args = ["zh", "en", "ascii"])]
fn text_of_plain(bencher: Bencher, language: &str) {
    let page = Page::text("", text(language));
    bencher
        .counter(BytesCount::new(page.content.len()))
        .bench(|| text_of(black_box(&page), &TextOptions::default()));
}
