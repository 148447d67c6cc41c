//! Counting the characters of texts.

use super::bits;

/// The number of characters of a visible or folded text without white space. Blocks contain no other white space than single spaces and
/// line feeds, so counting bytes is enough.
pub fn count_chars(text: &str) -> u64 {
    bits::count(text.as_bytes(), |byte| {
        (byte & 0xC0 != 0x80) & (byte != b' ') & (byte != b'\n')
    })
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
}
