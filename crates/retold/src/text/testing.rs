//! What tests of texts need.

use super::{Text, TextOptions, text_of};
use crate::page::{Content, Markup, Page};

/// The text of a plain page.
pub(crate) fn text(content: &str) -> Text {
    text_with(content, &TextOptions::default())
}

/// The same with other options.
pub(crate) fn text_with(content: &str, options: &TextOptions) -> Text {
    let content = Content::Unicode {
        text: content.into(),
        markup: Markup::Plain,
    };
    let page = Page {
        id: String::new(),
        url: None,
        site: None,
        date: None,
        content,
    };
    text_of(&page, options).expect("short texts have no faults")
}
