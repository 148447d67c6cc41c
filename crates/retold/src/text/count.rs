//! Counting the characters of texts, and cutting texts by characters.

use super::bits;

/// The number of characters of a visible or folded text without white space. Blocks contain no other white space than single spaces and
/// line feeds, so counting bytes is enough.
pub fn count_chars(text: &str) -> u64 {
    bits::count(text.as_bytes(), |byte| {
        (byte & 0xC0 != 0x80) & (byte != b' ') & (byte != b'\n')
    })
}

/// The first `chars` characters of a text, with a mark if there are more.
pub fn shortened(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn characters_are_counted_as_one_by_one(text in "[a 在é\n𝄞]{0,600}") {
            let one_by_one = text.chars().filter(|c| !c.is_whitespace()).count() as u64;
            prop_assert_eq!(count_chars(&text), one_by_one);
        }
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(shortened("转载自", 2), "转载…");
        assert_eq!(shortened("转载自", 3), "转载自");
        assert_eq!(shortened("", 0), "");
    }
}
