//! Texts: charsets, HTML, main text, sentences, words, and the verdict of two texts.

use std::sync::LazyLock;

use retold::{JudgeConfig, Markup, Model, Page};
use retold::internal::tame_html;
use retold::method::{METHODS, Sketch, Text, WordForm, text_of};
use retold::read::{Extract, TextOptions, decode};

fn options(extract: Extract) -> TextOptions {
    TextOptions {
        extract: Some(extract),
        ..TextOptions::default()
    }
}

/// What every text fulfils.
fn check(text: &Text) {
    let blocks = text.visible.split('\n').count();
    assert_eq!(blocks, text.folded.split('\n').count());
    assert!(text.main.is_empty() || text.main.len() == blocks);
    let mut end = 0;
    for sentence in &text.sentences {
        assert!(sentence.start >= end && sentence.end >= sentence.start);
        assert!(
            text.folded
                .get(sentence.start as usize..sentence.end as usize)
                .is_some()
        );
        end = sentence.end;
    }
    for (at, block) in text.seen() {
        assert_eq!(&text.folded[at..at + block.len()], block);
    }
    assert!(text.shown().count() <= blocks);
    assert!(text.seen_chars() <= text.lengths().0);
}

/// Bytes to Unicode; the first byte chooses what the HTTP header said.
pub fn charset(data: &[u8]) {
    const HEADERS: &[Option<&str>] = &[
        None,
        Some("utf-8"),
        Some("gb2312"),
        Some("gb18030"),
        Some("big5"),
        Some("shift_jis"),
        Some("euc-jp"),
        Some("iso-2022-jp"),
        Some("euc-kr"),
        Some("johab"),
        Some("utf-16"),
        Some("utf-7"),
        Some("windows-1251"),
        Some("iso-8859-1"),
        Some("no such charset"),
        Some(""),
    ];
    if let Some((&first, bytes)) = data.split_first() {
        let header = HEADERS[usize::from(first) % HEADERS.len()];
        if let Ok(decoded) = decode(bytes, header) {
            assert!(decoded.text.len() <= 4 * bytes.len() + 4);
        }
    }
}

/// HTML to its main text.
pub fn html(data: &[u8]) {
    static OPTIONS: LazyLock<TextOptions> = LazyLock::new(|| options(Extract::Main));
    let page = Page::html("page", String::from_utf8_lossy(data));
    check(&text_of(&page, &OPTIONS).expect("not too long"));
}

/// A document of any charset and markup; the first byte chooses.
pub fn document(data: &[u8]) {
    static OPTIONS: LazyLock<TextOptions> = LazyLock::new(|| options(Extract::Main));
    if let Some((&first, bytes)) = data.split_first() {
        let markup = match first % 2 {
            0 => Markup::Html,
            _ => Markup::Plain,
        };
        let page = Page::document("page", bytes.to_vec(), markup);
        let decodes = retold::internal::decodes(&page);
        let text = text_of(&page, &OPTIONS);
        assert!(text.is_ok() || decodes.is_err() || bytes.len() > 1 << 20);
        text.iter().for_each(check);
    }
}

/// The limits on HTML before a tree is made of it.
pub fn guard(data: &[u8]) {
    let html = String::from_utf8_lossy(data);
    if let Some(tame) = tame_html(&html) {
        assert!(tame_html(&tame).is_some(), "tamed twice");
    }
}

/// The same with trafilatura.
#[cfg(feature = "precise")]
pub fn precise(data: &[u8]) {
    static OPTIONS: LazyLock<TextOptions> = LazyLock::new(|| options(Extract::Precise));
    let page = Page::html("page", String::from_utf8_lossy(data));
    check(&text_of(&page, &OPTIONS).expect("not too long"));
}

/// Plain text to sentences.
pub fn text(data: &[u8]) {
    static OPTIONS: LazyLock<TextOptions> = LazyLock::new(|| options(Extract::None));
    let page = Page::text("page", String::from_utf8_lossy(data));
    check(&text_of(&page, &OPTIONS).expect("not too long"));
}

/// Plain text to words and all their forms.
pub fn words(data: &[u8]) {
    static OPTIONS: LazyLock<TextOptions> = LazyLock::new(|| options(Extract::None));
    let page = Page::text("page", String::from_utf8_lossy(data));
    let text = text_of(&page, &OPTIONS).expect("not too long");
    let words = text.words();
    for &word in words.all() {
        for form in [WordForm::Stem, WordForm::Lemma] {
            assert!(!words.form(word, form).is_empty());
        }
        words.concepts(words.as_str(word), words.language(word));
    }
}

/// One model a method; those that must learn first are left out.
static MODELS: LazyLock<Vec<Model>> = LazyLock::new(|| {
    let model = |name: &str| {
        let config = JudgeConfig {
            method: name.to_owned(),
            ..JudgeConfig::default()
        };
        Model::new(config).expect("a method")
    };
    let models = METHODS.iter().map(|method| model(method.name));
    models.filter(|model| !model.wants_words()).collect()
});

/// Two texts to a verdict: the first byte chooses the method, the first NUL parts the texts. Swapping them swaps the
/// verdict, and sketches survive being stored.
pub fn judge(data: &[u8]) {
    let Some((&first, data)) = data.split_first() else {
        return;
    };
    let cut = data
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(data.len());
    let model = &MODELS[usize::from(first) % MODELS.len()];
    let side = |bytes: &[u8]| {
        let page = Page::text("page", String::from_utf8_lossy(bytes));
        let text = model.text(&page).expect("not too long");
        let sketch = model.sketch(&text, None).expect("needs no knowledge");
        let stored = Sketch::from_bytes(&sketch.to_bytes()).expect("its own bytes");
        assert!(stored == sketch);
        (text, sketch)
    };
    let (a, b) = (side(&data[..cut]), side(&data[cut..]));
    assert!(model.judge(&a.1, &b.1) == model.judge(&b.1, &a.1).swapped());
    let forth = model.verify(&a.0, &b.0);
    let back = model.verify(&b.0, &a.0);
    assert_eq!(forth.is_some(), back.is_some());
}
