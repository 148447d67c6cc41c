//! Maps the characters of a text to the record as written.

use super::charset;
use super::fold::is_ignorable;
use super::page_text::Text;
use crate::page::{Content, Markup, Page};

/// A byte order mark that UTF-8 may begin with.
const BOM: &[u8] = "\u{FEFF}".as_bytes();

/// The byte positions of a plain text's characters in the field or file from which it comes.
pub(crate) struct Written {
    /// First and end byte of each character of [`Text::visible`]; collapsed white space is placed at the end of the character before it.
    places: Vec<(u32, u32)>,
}

impl Written {
    /// `None` if the record does not contain the page's text as it is: HTML, encodings other than UTF-8, or replaced characters.
    pub(crate) fn of(page: &Page, text: &Text) -> Option<Written> {
        match &page.content {
            Content::Unicode {
                text: written,
                markup: Markup::Plain,
            } => Written::places(written, &text.visible, 0),
            Content::Bytes {
                bytes,
                charset,
                markup: Markup::Plain,
            } => {
                let start = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
                let decoded = charset::decode(bytes, charset.as_deref()).ok()?;
                let is_as_written = bytes[start..] == *decoded.text.as_bytes();
                is_as_written.then(|| Written::places(&decoded.text, &text.visible, start))?
            }
            _ => None,
        }
    }

    /// Aligns the visible text with the written one, which may have more white space and lines of invisible characters.
    fn places(written: &str, visible: &str, start: usize) -> Option<Written> {
        let mut left = written.char_indices();
        let mut end = start;
        let mut places = Vec::with_capacity(visible.len());
        for character in visible.chars() {
            if character == ' ' || character == '\n' {
                places.push((end as u32, end as u32));
                continue;
            }
            let at = loop {
                match left.next()? {
                    (at, other) if other == character => break at + start,
                    (_, other) if is_left_out(other) => {}
                    _ => return None,
                }
            };
            end = at + character.len_utf8();
            places.push((at as u32, end as u32));
        }
        Some(Written { places })
    }

    /// The bytes of these characters, which neither begin nor end with white space.
    pub(crate) fn bytes(&self, begin: u32, end: u32) -> Option<(u32, u32)> {
        let first = self.places.get(begin as usize)?;
        let last = self.places.get((end as usize).checked_sub(1)?)?;
        Some((first.0, last.1))
    }
}

/// Whether a text may lack this character: white space is collapsed, and lines of invisible characters are removed.
fn is_left_out(character: char) -> bool {
    character.is_whitespace() || character.is_control() || is_ignorable(character)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::{TextOptions, text_of};

    fn text(page: &Page) -> Text {
        text_of(page, &TextOptions::default()).unwrap()
    }

    /// Characters 4 to 9 of the visible text, "two 三", are bytes 9 to 20 of the record: "two", five bytes of white space, "三".
    #[test]
    fn bytes_by_hand() {
        let page = Page::text("a", "\t one \u{3000}two \r\n\n 三四");
        let text = text(&page);
        assert_eq!(text.visible, "one two\n三四");
        let written = Written::of(&page, &text).unwrap();
        assert_eq!(written.bytes(0, 3), Some((2, 5)));
        assert_eq!(written.bytes(4, 9), Some((9, 20)));
        assert_eq!(written.bytes(8, 11), None);
        // Lines of a soft hyphen or a joining mark do not appear in the text.
        let page = Page::text("b", "\u{AD}\none\n\u{200D}\ntwo");
        let text = self::text(&page);
        assert_eq!(text.visible, "one\ntwo");
        let written = Written::of(&page, &text).unwrap();
        assert_eq!(written.bytes(0, 7), Some((3, 14)));
    }

    #[test]
    fn what_is_not_written_so_has_no_bytes() {
        let bytes = |bytes: &[u8], charset: Option<&str>, markup| Page {
            content: Content::Bytes {
                bytes: bytes.to_vec(),
                charset: charset.map(str::to_owned),
                markup,
            },
            ..Page::text("a", "")
        };
        let place = |page: &Page| Written::of(page, &text(page))?.bytes(0, 1);
        let utf8 = "\u{FEFF}é".as_bytes();
        assert_eq!(place(&bytes(utf8, None, Markup::Plain)), Some((3, 5)));
        assert_eq!(place(&bytes(&utf8[3..], None, Markup::Plain)), Some((0, 2)));
        assert_eq!(place(&bytes(&utf8[3..], None, Markup::Html)), None);
        assert_eq!(
            place(&bytes(b"\xE9t\xE9", Some("latin1"), Markup::Plain)),
            None
        );
        assert_eq!(place(&Page::html("a", "<p>a")), None);
    }

    proptest! {
        /// A cut from the written text equals the visible text, apart from white space.
        #[test]
        fn what_is_cut_out_is_what_is_shown(written in "([a-zé三四𝔄,.]{1,9}[ \\t\\n\\u{3000}]{0,3}){0,30}", begin in 0usize..80, length in 1usize..80) {
            let page = Page::text("a", written.clone());
            let text = text(&page);
            let all = Written::of(&page, &text).unwrap();
            let shown: Vec<char> = text.visible.chars().collect();
            let end = (begin + length).min(shown.len());
            prop_assume!(begin < end && ![begin, end - 1].iter().any(|&at| shown[at].is_whitespace()));
            let (first, last) = all.bytes(begin as u32, end as u32).unwrap();
            let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            let cut = &written[first as usize..last as usize];
            prop_assert_eq!(bare(cut), bare(&shown[begin..end].iter().collect::<String>()));
            prop_assert_eq!(cut.trim(), cut);
        }
    }
}
