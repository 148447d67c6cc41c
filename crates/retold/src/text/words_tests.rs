//! Words checked by hand, language by language, and rules for every text.

use std::sync::Arc;

use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;

use super::testing::{text, text_with};
use super::tokenize::Tokenizer;
use super::*;
use crate::page::{Markup, Page};

/// The words, with `-` before stop-words and `|` before words after a break.
fn words(content: &str) -> String {
    let text = text(content);
    let words = text.words();
    let shown = words.all().iter().map(|&word| {
        let stop = if word.stop { "-" } else { "" };
        let after_break = if word.after_break { "|" } else { "" };
        format!("{after_break}{stop}{}", words.as_str(word))
    });
    shown.collect::<Vec<_>>().join(" ")
}

#[test]
fn chinese_is_cut_by_dictionary() {
    assert_eq!(
        words("研究小组在北京比较了三种算法，结果相差不大。"),
        "|研究 小组 -在 北京 -比较 -了 三种 算法 |-结果 相差 -不 -大"
    );
    // Traditional characters are folded before segmentation.
    assert_eq!(words("學校圖書館"), "|学校 图书馆");
}

#[test]
fn letters_and_numbers_in_chinese_are_words_of_their_own() {
    assert_eq!(words("用Linux系统2024年"), "|-用 linux 系统 2024 -年");
    let text = text("中文页面里的 the Linux kernel 介绍");
    let words = text.words();
    let the = words.all().iter().find(|w| words.as_str(**w) == "the");
    assert!(the.is_some_and(|w| w.stop && words.language(*w) == Some("en")));
}

#[test]
fn english_keeps_apostrophes_and_points_inside_words() {
    assert_eq!(
        words("The cat's 3.14 pies don’t cost U.S. dollars, e.g. twenty-one."),
        "|-the cat's 3.14 pies -don’t cost u.s |dollars |e.g |twenty |one"
    );
}

/// Folding to simplified characters comes first, so ICU sometimes misses a compound; but copies of a page are split alike.
#[test]
fn japanese_is_cut_by_icu() {
    let text = text("東京都に住んでいる人はとても多いです。公園は静かでした。");
    assert_eq!(text.language(), Some("ja"));
    let words: Vec<_> = text.words().strings().collect();
    assert!(
        words.contains(&"东京") && words.contains(&"公园"),
        "{}",
        words.join(" ")
    );
    assert!(
        text.words()
            .all()
            .iter()
            .all(|w| w.script == Script::Japanese)
    );
    assert!(text.words().all().iter().any(|w| w.stop));
}

#[test]
fn stray_kana_leave_chinese_chinese() {
    assert_eq!(
        words("我们公司生产的优の良品牌很受欢迎"),
        "|-我们 公司 生产 -的 优 -の 良 品牌 -很 受欢迎"
    );
}

#[test]
fn korean_words_stand_between_spaces() {
    let text = text("나는 학교에 갑니다. 오늘은 비가 옵니다.");
    assert_eq!(text.language(), Some("ko"));
    let words: Vec<_> = text.words().strings().collect();
    assert_eq!(
        words,
        ["나는", "학교에", "갑니다", "오늘은", "비가", "옵니다"]
    );
}

#[test]
fn thai_is_cut_by_icu() {
    let text = text("ภาษาไทยไม่มีช่องว่างระหว่างคำ");
    assert_eq!(text.language(), Some("th"));
    let words: Vec<_> = text.words().strings().collect();
    assert!(
        words.len() >= 6 && words.concat() == text.folded,
        "{}",
        words.join(" ")
    );
}

#[test]
fn languages_are_told_apart() {
    for (language, content) in [
        (
            "zh",
            "河边的小镇每到春天就会起雾，渡船要等太阳升高以后才开。",
        ),
        (
            "en",
            "The ferry leaves when the fog has lifted, and not a minute before that.",
        ),
        (
            "de",
            "Die Fähre fährt erst, wenn sich der Nebel gelichtet hat, und keine Minute früher.",
        ),
        (
            "fr",
            "Le bac part quand le brouillard s'est levé, et pas une minute plus tôt que cela.",
        ),
        (
            "es",
            "El transbordador sale cuando la niebla se ha levantado y ni un minuto antes de eso.",
        ),
        (
            "ru",
            "Паром отходит, когда рассеется туман, и ни минутой раньше этого времени.",
        ),
        (
            "el",
            "Το πλοίο φεύγει όταν σηκωθεί η ομίχλη και ούτε ένα λεπτό νωρίτερα.",
        ),
        (
            "ar",
            "تغادر العبارة عندما ينقشع الضباب وليس قبل ذلك بدقيقة واحدة.",
        ),
        (
            "hi",
            "जब कोहरा छँट जाता है तब नाव चलती है और उससे एक मिनट पहले नहीं।",
        ),
    ] {
        assert_eq!(text(content).language(), Some(language), "{content}");
    }
    // English keywords, of which trigrams say Danish, Norwegian and Dutch; German and Spanish ones show it by their letters.
    for keywords in [
        "clock lake museum fog lantern library railway castle teacher morning post market garden island school storm river painter forest \
         tide office harbour violin winter coal fisherman stamp boat sailor engine street anchor lighthouse bakery village bridge church \
         page rope ferry",
        "teacher clock harbour tide letter fisherman stamp river fog sailor street church",
        "street office boat castle engine fisherman railway captain violin net tide school",
    ] {
        assert_eq!(text(keywords).language(), None, "{keywords}");
    }
    let keywords = "Fähre Hafen Sturm Laterne Brücke Markt Lehrer Dorf Garten Eisenbahn Kohle Winter Bäckerei Uhr Turm";
    assert_eq!(text(keywords).language(), Some("de"));
    assert_eq!(text("12 34").language(), None);
    assert_eq!(text("").language(), None);
}

#[test]
fn stems_and_stop_words_follow_the_language() {
    let stems = |content: &str| {
        let text = text(content);
        let words = text.words();
        let content = words.all().iter().filter(|w| w.is_content());
        let stems: Vec<_> = content
            .map(|&w| words.form(w, WordForm::Stem).into_owned())
            .collect();
        stems.join(" ")
    };
    assert_eq!(
        stems("The ferries were leaving when the fog had lifted from the rivers."),
        "ferri leav fog lift river"
    );
    assert_eq!(
        stems("Die Fähren fahren erst, wenn sich der Nebel auf den Flüssen gelichtet hat."),
        "fahr fahr erst nebel fluss gelichtet"
    );
    assert_eq!(
        stems("Паромы отходят, когда рассеется густой туман, и ни минутой раньше этого времени."),
        "паром отход рассеет густ тума минут раньш времен"
    );
}

#[test]
fn no_word_is_stemmed_away() {
    // Found by the fuzzer: Snowball takes this word for endings only.
    let text = text("اللغ\u{1a7a}ل\u{640}&\u{61f} اللغة");
    let words = text.words();
    let stems = words
        .all()
        .iter()
        .map(|&word| words.form(word, WordForm::Stem));
    assert!(stems.clone().count() > 1);
    for stem in stems {
        assert!(!stem.is_empty());
    }
}

#[test]
fn equal_words_have_equal_numbers() {
    let text = text("the cat saw the cats and a dog saw the cat");
    let words = text.words();
    let surface = words.interned(WordForm::Surface);
    assert_eq!(surface.ids, [0, 1, 2, 0, 3, 4, 5, 6, 2, 0, 1]);
    assert_eq!(surface.forms[3], "cats");
    let stems = words.interned(WordForm::Stem);
    assert_eq!(stems.ids[1], stems.ids[4]);
}

#[test]
fn a_users_words_are_known_and_folded() {
    let content = "他在云端漫步者大会上讲话";
    let cut = |options: &TextOptions| {
        let text = text_with(content, options);
        let words: Vec<_> = text.words().strings().map(str::to_owned).collect();
        words
    };
    let options = TextOptions::default();
    assert!(!cut(&options).contains(&"云端漫步者".to_owned()));
    let tokenizer =
        Tokenizer::with_user_words("\u{FEFF}雲端漫步者\n大会 100 n\n\n", options.folder());
    let tokenizer = tokenizer.expect("the dictionary is right");
    assert_eq!(tokenizer.user_words(), 2);
    let options = TextOptions {
        tokenizer: Arc::new(tokenizer),
        ..options
    };
    assert!(cut(&options).contains(&"云端漫步者".to_owned()));
    let error = Tokenizer::with_user_words("好\n词 -5", options.folder())
        .expect_err("a negative frequency");
    assert_eq!(
        error,
        "line 2: the frequency `-5` of `词` is not a whole number"
    );
}

#[test]
fn nothing_has_no_words() {
    assert!(text("").words().is_empty());
    assert!(text("。。。 !!! — …").words().is_empty());
}

proptest! {
    #[test]
    fn offsets_slice_the_text(content in "(\\PC|[一-龥]|[ぁ-ん]|[ก-ฮ]|[a-zA-Z0-9.,'_ \n]){0,60}") {
        let text = text(&content);
        let words = text.words();
        let mut end = 0;
        for &word in words.all() {
            prop_assert!(word.start >= end && word.end > word.start);
            prop_assert!(words.as_str(word).contains(char::is_alphanumeric) || word.script != Script::None);
            prop_assert!(!words.as_str(word).contains(['\n', ' ']));
            end = word.end;
        }
        // No letter of a text is lost.
        let letters = |s: &str| s.chars().filter(|c| c.is_alphanumeric()).count();
        let in_words: usize = words.strings().map(letters).sum();
        prop_assert_eq!(in_words, letters(&text.folded));
    }

    #[test]
    fn words_of_ascii_are_those_of_unicode(content in "[a-zA-Z0-9.,:;'_\"!? -]{0,80}") {
        let text = text(&content);
        let whole: Vec<&str> = text.folded.lines().flat_map(str::unicode_words).collect();
        prop_assert_eq!(text.words().strings().collect::<Vec<_>>(), whole);
    }

    #[test]
    fn no_bytes_make_words_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let page = Page::document("", bytes, Markup::Html);
        if let Ok(text) = text_of(&page, &TextOptions::default()) {
            let _ = text.words().interned(WordForm::Stem);
        }
    }
}
