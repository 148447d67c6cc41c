//! From a page to its text: decoding, visible text, main text, folding.

use super::derived::Derived;
use super::extract::{self, Extract};
use super::folding::fold_blocks;
use super::options::TextOptions;
use super::page_text::Text;
use super::{charset, html, plain};
use crate::page::{Content, Markup, Page};

/// Makes a page's text. The error is the reason for a reject, for people.
pub fn text_of(page: &Page, options: &TextOptions) -> Result<Text, String> {
    match &page.content {
        Content::Bytes {
            bytes,
            charset,
            markup,
        } => {
            check_length(bytes.len())?;
            let decoded = charset::decode(bytes, charset.as_deref())?;
            let mut text = text_of_str(&decoded.text, *markup, options)?;
            text.meta.charset = decoded.charset;
            text.meta.garbled = decoded.charset.is_none();
            Ok(text)
        }
        Content::Unicode { text, markup } => text_of_str(text, *markup, options),
    }
}

/// Whether [`text_of`] can make a text of the page, without making it.
pub fn decodes(page: &Page) -> Result<(), String> {
    check_length(page.content.len())?;
    match &page.content {
        Content::Bytes { bytes, charset, .. } => {
            charset::decode(bytes, charset.as_deref()).map(|_| ())
        }
        Content::Unicode { .. } => Ok(()),
    }
}

fn text_of_str(source: &str, markup: Markup, options: &TextOptions) -> Result<Text, String> {
    check_length(source.len())?;
    let mut text = match markup {
        Markup::Html => text_of_html(source, options),
        Markup::Plain => fold_blocks(plain::visible_text(source), Vec::new(), options),
    };
    check_length(text.folded.len())?;
    text.derived = Derived::new(options);
    Ok(text)
}

fn text_of_html(source: &str, options: &TextOptions) -> Text {
    let (visible, meta, outline) = html::visible_text(source);
    let extract = options.extract.unwrap_or(Extract::None);
    let (main, extraction) = extract::main_blocks(source, &visible, &outline, extract);
    Text {
        meta,
        extraction,
        link_chars: outline.link_chars(),
        ..fold_blocks(visible, main, options)
    }
}

/// Positions are 32 bits wide.
fn check_length(length: usize) -> Result<(), String> {
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
    use super::*;

    #[test]
    fn the_headline_is_what_the_title_says() {
        let headline = |source: &str, markup, extract| {
            let options = TextOptions {
                extract,
                ..TextOptions::default()
            };
            let text = text_of_str(source, markup, &options).unwrap();
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
        // A block that methods do not see is no headline.
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
