//! Makes a page's text: decoding, visible text, main text, folding.

use super::count::count_chars;
use super::derived::Derived;
use super::echo::without_own_address;
use super::extract::{self, Extract};
use super::folding::fold_blocks;
use super::meta::PageMeta;
use super::options::TextOptions;
use super::page_text::Text;
use super::{charset, html, plain};
use crate::page::{Content, Markup, Page};

/// Makes a page's text. The error is the reason for a reject.
pub fn text_of(page: &Page, options: &TextOptions) -> Result<Text, String> {
    folded(
        blocks_of(&page.content, page.url.as_deref(), options)?,
        options,
    )
}

/// As [`text_of`], and empties the page's content, which is freed before the text is folded.
pub(crate) fn take_text(page: &mut Page, options: &TextOptions) -> Result<Text, String> {
    let content = page.content.take();
    let blocks = blocks_of(&content, page.url.as_deref(), options)?;
    drop(content);
    folded(blocks, options)
}

/// A text before folding.
struct Unfolded {
    visible: String,
    main: Vec<bool>,
    /// What else is known of it.
    facts: Text,
}

fn blocks_of(
    content: &Content,
    url: Option<&str>,
    options: &TextOptions,
) -> Result<Unfolded, String> {
    check_length(content.len())?;
    match content {
        Content::Bytes {
            bytes,
            charset,
            markup,
        } => {
            let decoded = charset::decode(bytes, charset.as_deref())?;
            let mut blocks = blocks_of_str(&decoded.text, *markup, url, options)?;
            blocks.facts.meta.charset = decoded.charset;
            blocks.facts.meta.garbled = decoded.charset.is_none();
            Ok(blocks)
        }
        Content::Unicode { text, markup } => blocks_of_str(text, *markup, url, options),
    }
}

fn folded(blocks: Unfolded, options: &TextOptions) -> Result<Text, String> {
    let Unfolded {
        visible,
        main,
        facts,
    } = blocks;
    let Text {
        visible,
        folded,
        sentences,
        main,
        ..
    } = fold_blocks(visible, main, options);
    check_length(folded.len())?;
    Ok(Text {
        visible,
        folded,
        sentences,
        main,
        derived: Derived::new(options),
        ..facts
    })
}

/// Checks, without making it, that [`text_of`] can make the page's text.
pub fn decodes(page: &Page) -> Result<(), String> {
    check_length(page.content.len())?;
    match &page.content {
        Content::Bytes { bytes, charset, .. } => {
            charset::decode(bytes, charset.as_deref()).map(|_| ())
        }
        Content::Unicode { .. } => Ok(()),
    }
}

fn blocks_of_str(
    source: &str,
    markup: Markup,
    url: Option<&str>,
    options: &TextOptions,
) -> Result<Unfolded, String> {
    check_length(source.len())?;
    Ok(match markup {
        Markup::Html => blocks_of_html(source, url, options),
        Markup::Plain => Unfolded {
            visible: without_own_address(plain::visible_text(source), url),
            main: Vec::new(),
            facts: Text::default(),
        },
    })
}

fn blocks_of_html(source: &str, url: Option<&str>, options: &TextOptions) -> Unfolded {
    let (visible, meta, outline) = html::visible_text(source);
    let extract = options.extract.unwrap_or(Extract::None);
    let (mut main, extraction) = extract::main_blocks(source, &visible, &outline, extract);
    let visible = without_own_address(with_description(visible, &meta, &mut main), url);
    Unfolded {
        visible,
        main,
        facts: Text {
            meta,
            extraction,
            link_chars: outline.facts.link_chars,
            ..Text::default()
        },
    }
}

/// The visible text of a page. If it is shorter than the title and description, they are put before it; otherwise all pages that a script
/// fills ("Loading...") would be copies. `main` says which blocks methods see.
fn with_description(visible: String, meta: &PageMeta, main: &mut Vec<bool>) -> String {
    let texts = [&meta.title, &meta.description].map(|text| text.as_deref().unwrap_or_default());
    let length: u64 = texts.into_iter().map(count_chars).sum();
    if visible.is_empty() || count_chars(&visible) >= length {
        return visible;
    }
    let texts = texts.into_iter().filter(|text| !text.is_empty());
    let mut blocks: Vec<&str> = texts.collect();
    if !main.is_empty() {
        main.splice(0..0, std::iter::repeat_n(true, blocks.len()));
    }
    blocks.push(&visible);
    blocks.join("\n")
}

/// Positions have 32 bits.
pub(crate) fn check_length(length: usize) -> Result<(), String> {
    if u32::try_from(length).is_ok() {
        Ok(())
    } else {
        Err(format!(
            "the page has {length} bytes; at most {} can be handled",
            u32::MAX
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::super::extract::Extraction;
    use super::super::outline::MOST;
    use super::*;

    fn text_of_str(
        source: &str,
        markup: Markup,
        url: Option<&str>,
        options: &TextOptions,
    ) -> Result<Text, String> {
        folded(blocks_of_str(source, markup, url, options)?, options)
    }

    #[test]
    fn shells_are_told_apart_by_title_and_description() {
        let shell = |title: &str, description: &str, text: &str| {
            let page = format!(
                "<title>{title}</title><meta name=description content='{description}'>\
                 <meta property=og:description content='not this one'><p>{text}"
            );
            let options = TextOptions::default();
            text_of_str(&page, Markup::Html, None, &options)
                .unwrap()
                .visible
        };
        assert_eq!(shell("Trees", "Oaks", "Loading..."), "Loading...");
        let one = shell("Trees of Kent", " Oak\n and ash. ", "Loading...");
        assert_eq!(one, "Trees of Kent\nOak and ash.\nLoading...");
        // 11 and 9 letters against 20, and against 19.
        let longer = shell("Trees of Kent", "Oak and ash", "Oaks stand by the river.");
        assert_eq!(longer, "Oaks stand by the river.");
        let shorter = shell("Trees of Kent", "Oak and ash", "Oaks stand by the lake.");
        assert_eq!(
            shorter,
            "Trees of Kent\nOak and ash\nOaks stand by the lake."
        );
        // Fewer characters, although each has four bytes and a space after it.
        let notes = "𝄞 ".repeat(19);
        assert!(shell("Trees of Kent", "Oak and ash", &notes).starts_with("Trees"));
        // A page without text stays empty.
        assert_eq!(shell("Trees of Kent", "Oak and ash", ""), "");
    }

    /// A page of millions of tags uses no more memory for notes than a normal one: it counts whole, and its links are still counted.
    #[test]
    fn a_page_of_too_many_blocks_counts_whole() {
        let options = TextOptions {
            extract: Some(Extract::Main),
            ..TextOptions::default()
        };
        let text = |source: &str| text_of_str(source, Markup::Html, None, &options).unwrap();
        let prose =
            "<p>The ferry leaves when the fog has lifted, and not a minute before that time. ";
        let page = format!(
            "<ul>{}</ul>{}",
            "<li><a href=/>to</a>".repeat(9),
            prose.repeat(9)
        );
        let usual = text(&page);
        assert_eq!((usual.extraction, usual.link_chars), (Extraction::Main, 18));
        let many = text(&format!("{page}{}", "<p>x".repeat(MOST)));
        assert_eq!(
            (many.extraction, many.link_chars),
            (Extraction::OverBudget, 18)
        );
        assert_eq!(many.visible.split('\n').count(), 18 + MOST);
        let empty = text(&format!("{page}{}", "<p>".repeat(MOST)));
        assert_eq!(
            (empty.extraction, empty.visible),
            (Extraction::OverBudget, usual.visible)
        );
    }

    #[test]
    fn methods_see_what_a_shell_says_of_itself() {
        let page = "<title>Trees of Kent, and what became of them</title><nav><a href=/>Home</a></nav><main><p>Loading...</main>";
        let options = TextOptions {
            extract: Some(Extract::Main),
            ..TextOptions::default()
        };
        let text = text_of_str(page, Markup::Html, None, &options).unwrap();
        assert!(text.shown().any(|block| block.starts_with("Trees of Kent")));
        assert!(text.main.is_empty() || text.main.len() == text.visible.split('\n').count());
    }

    #[test]
    fn the_headline_is_what_the_title_says() {
        let headline = |source: &str, markup, extract| {
            let options = TextOptions {
                extract,
                ..TextOptions::default()
            };
            let text = text_of_str(source, markup, None, &options).unwrap();
            text.folded[text.headline()].to_owned()
        };
        let page = |title: &str| {
            format!(
                "<title>{title}</title><p>News<p>The Bell Rang<p>Nobody knows why the bell rang, or for whom."
            )
        };
        let html = |title: &str| headline(&page(title), Markup::Html, None);
        assert_eq!(html("The Bell Rang - News"), "the bell rang");
        assert_eq!(html("News"), "news");
        assert_eq!(html("Sports"), "");
        // A block that methods do not see cannot be the headline.
        let menu = format!(
            "<nav><a href=/>The Bell Rang - News</a></nav>{}",
            page("The Bell Rang - News")
        );
        assert_eq!(
            headline(&menu, Markup::Html, Some(Extract::Main)),
            "the bell rang"
        );
        assert_eq!(headline(&menu, Markup::Html, None), "the bell rang - news");
        let plain = |source| headline(source, Markup::Plain, None);
        assert_eq!(plain("The Bell\n\nNobody knows."), "the bell");
        assert_eq!(plain(""), "");
    }
}
