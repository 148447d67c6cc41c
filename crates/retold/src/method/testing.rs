//! What tests of methods need.

use crate::page::{Content, Markup, Page};
use crate::text::{Text, TextOptions, text_of};

/// The text of a plain page.
pub(super) fn text(text: &str) -> Text {
    let content = Content::Unicode {
        text: text.into(),
        markup: Markup::Plain,
    };
    let page = Page {
        id: String::new(),
        url: None,
        site: None,
        date: None,
        content,
    };
    text_of(&page, &TextOptions::default()).unwrap()
}
