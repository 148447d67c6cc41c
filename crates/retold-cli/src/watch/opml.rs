//! OPML: lists of subscriptions, as readers of feeds export them.

use std::path::Path;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use retold::{Error, Result};

/// A feed of a list.
#[derive(Debug, PartialEq, Eq)]
pub struct Subscription {
    pub title: String,
    /// Its address, as it is written.
    pub address: String,
}

/// The feeds of a list, in whatever folders they are.
pub fn subscriptions(path: &Path) -> Result<Vec<Subscription>> {
    let text = std::fs::read_to_string(path).map_err(Error::io("cannot read", path))?;
    feeds(&text).map_err(|what| Error::usage(format!("opml {}: {what}", path.display())))
}

fn feeds(text: &str) -> std::result::Result<Vec<Subscription>, String> {
    let mut reader = Reader::from_str(text);
    let mut feeds = Vec::new();
    loop {
        let at = reader.buffer_position();
        match reader.read_event() {
            Ok(Event::Start(outline) | Event::Empty(outline)) => feeds.extend(feed(&outline)),
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(error) => return Err(format!("byte {at}: {error}; export the list again")),
        }
    }
    match feeds.is_empty() {
        false => Ok(feeds),
        true => Err(
            "no outline has an `xmlUrl`; export the subscriptions of your reader as OPML".into(),
        ),
    }
}

/// The feed of an element, if it is the outline of one.
fn feed(element: &BytesStart<'_>) -> Option<Subscription> {
    let name = element.local_name().into_inner();
    if !name.eq_ignore_ascii_case("outline") {
        return None;
    }
    let title = attribute(element, "title").or_else(|| attribute(element, "text"));
    Some(Subscription {
        address: attribute(element, "xmlUrl")?.trim().to_owned(),
        title: title.unwrap_or_default(),
    })
}

fn attribute(outline: &BytesStart<'_>, name: &str) -> Option<String> {
    let attributes = outline.html_attributes().flatten();
    let mut named = attributes.filter(|attribute| attribute.key.0.eq_ignore_ascii_case(name));
    let value = named.next()?;
    // Some lists have a bare `&` in URLs.
    Some(match value.normalized_value(XmlVersion::Implicit1_0) {
        Ok(text) => text.into_owned(),
        Err(_) => value.value.into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feeds_are_found_in_all_folders() {
        let list = r#"<?xml version="1.0" encoding="UTF-8"?><opml version="2.0"><head><title>Mine</title></head><body>
            <outline text="News"><outline text="Abroad"><outline text="A &amp; B" type="rss" xmlUrl=" http://a.example/feed?x=1&amp;y=2" htmlUrl="http://a.example/"/></outline>
            <outline type="rss" xmlurl="https://b.example/atom?x=1&y=2" title="B" text="b"></outline></outline>
            <other xmlUrl="no feed"/></body></opml>"#;
        let feed = |title: &str, address: &str| Subscription {
            title: title.into(),
            address: address.into(),
        };
        let expected = [
            feed("A & B", "http://a.example/feed?x=1&y=2"),
            feed("B", "https://b.example/atom?x=1&y=2"),
        ];
        assert_eq!(feeds(list).unwrap(), expected);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        let says = |list: &str, what: &str| {
            let said = feeds(list).unwrap_err();
            assert!(said.contains(what), "{said}");
        };
        says("<opml><body/></opml>", "no outline has an `xmlUrl`");
        says("{}", "no outline has an `xmlUrl`");
        says(
            r#"<opml><outline xmlUrl="http://a.example/"></body>"#,
            "byte 42",
        );
    }
}
