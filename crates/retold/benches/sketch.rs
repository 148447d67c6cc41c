//! From JSONL on disk to sketches, on one core: reading, parsing, text, `period` or `coverage`.
//!
//!     cargo bench -p retold --bench sketch

use std::io::Write;

use divan::counter::BytesCount;
use retold::read::{Extract, Outcome, discover};
use retold::{JudgeConfig, Model};

fn main() {
    divan::main();
}

const SENTENCES: [&str; 2] = [
    "河边的老桥在七月的最后一个周末重新开放，居民们专程回来拍照留念，茶馆的老板摆出了二十年前的招牌。",
    "The old bridge was opened again on the last weekend of July, and people came back to take pictures of it. ",
];

/// About 8 MB of records of about 6 KB each, no two alike.
fn jsonl(sentence: &str, html: bool) -> (tempfile::TempDir, u64) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("in.jsonl");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).expect("a file"));
    for record in 0..1300u32 {
        let sentences = 6000 / sentence.len();
        let paragraphs: Vec<String> = (0..sentences / 4)
            .map(|n| format!("{record} {n} {}", sentence.repeat(4)))
            .collect();
        let line = if html {
            let body: String = paragraphs
                .iter()
                .map(|p| format!("<p class=\"text\">{p}</p>\n"))
                .collect();
            let menu = "<li><a href=\"/news/list.html\">新闻 News</a></li>\n".repeat(40);
            let page = format!("<html><body><ul>{menu}</ul><div>{body}</div></body></html>");
            serde_json::json!({"id": record.to_string(), "html": page})
        } else {
            serde_json::json!({"id": record.to_string(), "text": paragraphs.join("\n\n")})
        };
        writeln!(file, "{line}").expect("written");
    }
    drop(file);
    let bytes = std::fs::metadata(&path).expect("the file").len();
    (folder, bytes)
}

fn sketch_all(bencher: divan::Bencher, method: &str, sentence: &str, html: bool) {
    let (folder, bytes) = jsonl(sentence, html);
    let config = JudgeConfig {
        method: method.into(),
        extract: Some(Extract::None),
        ..JudgeConfig::default()
    };
    let model = Model::new(config).expect("it is a method, and its defaults are valid");
    let read = &model.config().read;
    let sources = discover(&[folder.path().to_owned()], read).expect("the file is found");
    bencher.counter(BytesCount::new(bytes)).bench(|| {
        let mut keys = 0;
        for record in sources[0].records(read) {
            let Outcome::Page(page) = record.parse(&sources[0], read) else {
                continue;
            };
            let text = model.text(&page).expect("it is text");
            let sketch = model
                .sketch(&text, None)
                .expect("no words are to be learnt");
            keys += sketch.keys.len();
        }
        keys
    });
}

fn sentence(language: &str) -> &'static str {
    SENTENCES[usize::from(language == "en")]
}

#[divan::bench(args = ["zh", "en"])]
fn jsonl_text(bencher: divan::Bencher, language: &str) {
    sketch_all(bencher, "period", sentence(language), false);
}

#[divan::bench(args = ["zh", "en"])]
fn jsonl_html(bencher: divan::Bencher, language: &str) {
    sketch_all(bencher, "period", sentence(language), true);
}

#[divan::bench(args = ["zh", "en"])]
fn jsonl_text_coverage(bencher: divan::Bencher, language: &str) {
    sketch_all(bencher, "coverage", sentence(language), false);
}

#[divan::bench(args = ["zh", "en"])]
fn jsonl_html_coverage(bencher: divan::Bencher, language: &str) {
    sketch_all(bencher, "coverage", sentence(language), true);
}
