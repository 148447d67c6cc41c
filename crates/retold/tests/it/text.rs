//! The text stage as a whole: rules for every page, and folding compared with its plain twin.

use proptest::prelude::*;
use retold::method::{Text, text_of};
use retold::read::{Extract, TextOptions};
use retold::{Content, Markup, Page};
use unicode_normalization::UnicodeNormalization;

fn bytes_page(bytes: &[u8], markup: Markup) -> Page {
    Page::document("page", bytes.to_vec(), markup)
}

fn html(text: &str) -> Text {
    text_of(&Page::html("page", text), &TextOptions::default()).expect("this is text")
}

fn fold(text: &str, options: &TextOptions) -> String {
    let mut out = String::new();
    options.folder().fold_into(text, &mut out);
    out
}

/// What a table of OpenCC has for a character.
fn of_table(table: &'static str, c: char) -> Option<&'static str> {
    let mut lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.find_map(|line| {
        let (from, to) = line.split_once('\t')?;
        from.chars().eq([c]).then_some(to)
    })
}

fn simplified(c: char) -> Option<char> {
    of_table(include_str!("../../data/opencc/TSCharacters.txt"), c)?
        .chars()
        .next()
}

/// Folding as its documentation says it, in plain steps.
fn plain_fold(text: &str, options: &TextOptions) -> String {
    let mut chars: Vec<char> = match options.nfkc {
        true => text.nfkc().collect(),
        false => text.chars().collect(),
    };
    if options.case {
        let mut written: String = chars.into_iter().collect();
        if options.nfkc {
            for i in ["i", "I", "ı"] {
                written = written.replace(&format!("{i}\u{307}"), i);
            }
        }
        let written = written.replace(['İ', 'ı'], "i");
        chars = written.chars().flat_map(char::to_lowercase).collect();
        chars
            .iter_mut()
            .filter(|c| **c == 'ς')
            .for_each(|c| *c = 'σ');
        let spelled: String = chars.into_iter().collect();
        chars = spelled.replace('ß', "ss").chars().collect();
    }
    if options.nfkc {
        for c in &mut chars {
            *c = match *c {
                'ی' => 'ي',
                'ک' => 'ك',
                c => c,
            };
        }
    }
    if options.simplify {
        for c in &mut chars {
            let japanese = include_str!("../../data/opencc/JPShinjitaiCharacters.txt");
            let old = of_table(japanese, *c).filter(|old| old.chars().count() == 1);
            let old = old.and_then(|old| old.chars().next());
            let spelled = c.to_string();
            let (gbk, _, unmappable) = encoding_rs::GBK.encode(&spelled);
            let is_chinese = !unmappable && matches!(gbk[..], [0xB0..=0xF7, 0xA1..=0xFE]);
            *c = match (simplified(*c), old) {
                (None, Some(old)) if !is_chinese => simplified(old).unwrap_or(old),
                (simplified, _) => simplified.unwrap_or(*c),
            };
        }
    }
    chars.retain(|c| !options.nfkc || !is_ignorable(*c));
    chars.into_iter().collect()
}

fn is_ignorable(c: char) -> bool {
    let c = c as u32;
    [0xAD, 0x34F, 0x640, 0x61C, 0x3164, 0xFEFF, 0xFFA0].contains(&c)
        || [
            (0x115F, 0x1160),
            (0x17B4, 0x17B5),
            (0x180B, 0x180F),
            (0x200B, 0x200F),
            (0x202A, 0x202E),
            (0x2060, 0x206F),
            (0xFE00, 0xFE0F),
            (0xFFF0, 0xFFF8),
            (0x1BCA0, 0x1BCA3),
            (0x1D173, 0x1D17A),
            (0xE0000, 0xE0FFF),
        ]
        .iter()
        .any(|&(from, to)| (from..=to).contains(&c))
}

/// Strings of the characters that make folding hard, and of any others.
fn hard_text() -> impl Strategy<Value = String> {
    let hard = prop::sample::select(
        "aAeßẞiIıİ\u{307} 1.。．｡ΣςσéÅİǅﬁ…㎡①½Ａ３ｶﾊﾞﾟ\u{3099}\u{309A}か\u{300}\u{301}\u{323}\u{338}<=\u{1100}\u{1161}\u{11A8}가각\
         広経ی\u{640}ﻚک沪国ﾡￂ\u{200B}\u{AD}\u{34F}\u{FE0F}\u{3164}學圖發乾𠮷𝐀𝟗🏳\u{200D}🌈\u{1D15E}\u{2F800}\u{344}\u{F73}\u{958}\u{9BE}\u{9C7}\u{115F}"
            .chars()
            .collect::<Vec<_>>(),
    );
    prop::collection::vec(prop_oneof![4 => hard, 1 => any::<char>()], 0..24)
        .prop_map(|chars| chars.into_iter().collect())
}

fn any_options() -> impl Strategy<Value = TextOptions> {
    any::<(bool, bool, bool)>().prop_map(|(nfkc, case, simplify)| TextOptions {
        nfkc,
        case,
        simplify,
        ..TextOptions::default()
    })
}

#[test]
fn disguised_words_fold_to_plain_ones() {
    // Cyrillic а, and stacks of four marks.
    let stack = "\u{336}\u{31B}\u{353}\u{300}";
    let disguised = format!("<p>P\u{430}yp\u{430}l fe{stack}r{stack}ry</p>");
    let text = html(&disguised);
    assert_eq!(text.folded, "paypal ferry");
    assert!(text.visible.contains(stack));
}

/// What every text keeps to.
fn check(text: &Text) -> Result<(), TestCaseError> {
    let blocks = |text: &str| text.split('\n').map(str::len).collect::<Vec<_>>();
    if !text.visible.is_empty() || !text.folded.is_empty() {
        prop_assert!(!blocks(&text.visible).contains(&0), "an empty block");
        prop_assert_eq!(blocks(&text.visible).len(), blocks(&text.folded).len());
    }
    if !text.main.is_empty() {
        prop_assert_eq!(text.main.len(), blocks(&text.folded).len());
    }
    let mut before = 0;
    for sentence in &text.sentences {
        let (start, end) = (sentence.start as usize, sentence.end as usize);
        prop_assert!(before <= start && start < end);
        let words = text.folded.get(start..end);
        prop_assert!(words.is_some_and(|words| !words.contains('\n') && words.trim() == words));
        before = end;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn folding_agrees_with_its_plain_twin(text in hard_text(), options in any_options()) {
        prop_assert_eq!(fold(&text, &options), plain_fold(&text, &options));
    }

    #[test]
    fn folding_may_be_cut_at_full_stops(a in hard_text(), b in hard_text(), stop in "[.。．｡।॥۔።]") {
        let options = TextOptions::default();
        let whole = fold(&format!("{a}{stop}{b}"), &options);
        let parts = fold(&a, &options) + &fold(&stop, &options) + &fold(&b, &options);
        prop_assert_eq!(whole, parts);
    }

    #[test]
    fn any_bytes_make_a_text_or_a_reason(bytes in prop::collection::vec(any::<u8>(), 0..400), is_html in any::<bool>()) {
        let markup = if is_html { Markup::Html } else { Markup::Plain };
        let options = TextOptions {
            extract: Some(Extract::Main),
            ..TextOptions::default()
        };
        match text_of(&bytes_page(&bytes, markup), &options) {
            Ok(text) => check(&text)?,
            Err(reason) => prop_assert!(reason.starts_with("not text: ")),
        }
    }

    #[test]
    fn any_text_keeps_the_rules(text in hard_text(), options in any_options(), tags in "(<p>|</pre>|<pre>|<li>|<a href=x>|</div>|&nbsp;|\n| |<br>|x\\. |。)*") {
        let options = TextOptions {
            extract: Some(Extract::Main),
            ..options
        };
        for markup in [Markup::Html, Markup::Plain] {
            let content = Content::Unicode { text: format!("{text}{tags}{text}"), markup };
            let made = text_of(&Page::new("page", content), &options);
            prop_assert!(made.is_ok());
            check(&made.unwrap_or_default())?;
        }
    }
}

#[test]
fn sentences_are_ranges_of_the_folded_text() {
    let text = html("<p>首頁<p>「學校。」３．１４是π．完…。<p>Ｔｈｅ End. x");
    let sentences: Vec<_> = text
        .sentences
        .iter()
        .map(|s| (&text.folded[s.start as usize..s.end as usize], s.words))
        .collect();
    assert_eq!(
        sentences,
        [
            ("「学校", false),
            ("3.14是π", false),
            ("完...", false),
            ("the end", true)
        ]
    );
    assert_eq!(
        text.visible,
        "首頁\n「學校。」３．１４是π．完…。\nＴｈｅ End. x"
    );
}

#[test]
fn an_empty_page_has_an_empty_text() {
    for source in [
        &b""[..],
        b" \n ",
        b"<!-- -->",
        b"\xEF\xBB\xBF",
        "\u{200B}".as_bytes(),
    ] {
        let made = text_of(&bytes_page(source, Markup::Html), &TextOptions::default());
        let text = made.expect("nothing is wrong with an empty page");
        assert_eq!((text.visible.as_str(), text.folded.as_str()), ("", ""));
    }
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let mut state = 1u32;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    })
    .take(20_000)
    .collect();
    let reason = text_of(&bytes_page(&noise, Markup::Html), &TextOptions::default());
    assert!(reason.is_err_and(|reason| reason.starts_with("not text: ")));
}

#[test]
fn declarations_are_believed_only_as_far_as_the_bytes_bear_them_out() {
    let charset_of = |bytes: &[u8], header: Option<&str>| {
        let decoded = retold::read::decode(bytes, header).expect("this is text");
        (decoded.text.into_owned(), decoded.charset)
    };
    let chinese =
        "河边的小镇每到春天就会起雾，渡船要等太阳升高以后才开。老人把旧书一本一本摆在木板上。";
    let utf8 = format!("<meta charset=gbk>{chinese}");
    assert_eq!(
        charset_of(utf8.as_bytes(), Some("gb2312")),
        (utf8.clone(), Some("UTF-8"))
    );
    // Cut inside the last character, and with a broken byte in the middle.
    let cut = &utf8.as_bytes()[..utf8.len() - 1];
    assert_eq!(charset_of(cut, None).1, Some("UTF-8"));
    let mut broken = utf8.clone().into_bytes();
    broken[40] = 0xFF;
    assert_eq!(charset_of(&broken, None).1, Some("UTF-8"));
    let (gbk, _, _) = encoding_rs::GBK.encode(chinese);
    for header in [
        None,
        Some("gbk"),
        Some("iso-8859-1"),
        Some("utf-8"),
        Some("shift_jis"),
        Some("nonsense"),
    ] {
        assert_eq!(charset_of(&gbk, header), (chinese.to_owned(), Some("GBK")),);
    }
    let wide: Vec<u8> = format!("<p>{chinese}</p>")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(charset_of(&wide, None).1, Some("UTF-16LE"));
}

#[test]
fn characters_are_counted_without_white_space() {
    assert_eq!(retold::internal::count_chars("ab 体\n 𠀀é"), 5);
}
