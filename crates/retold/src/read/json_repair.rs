//! Invalid JSON as Python and JavaScript write it: unpaired surrogates in strings, and numbers such as `NaN`.

/// What replaces a value like `NaN`, which JSON has no number for.
#[derive(Clone, Copy)]
pub(super) enum NoNumber {
    Null,
    /// A string of spaces of the same length, so that positions stay the same.
    AsLong,
}

/// Replaces lone surrogates with U+FFFD and `NaN` and `Infinity` with valid JSON; `None` if there are none. Only for parsing: `kept/` gets
/// the original line.
pub(super) fn repaired(line: &str, no_number: NoNumber) -> Option<String> {
    let bytes = line.as_bytes();
    let mut out = String::new();
    // `copied` is how far the input has been copied; `in_string` is where the open string began, if one is open.
    let (mut copied, mut in_string, mut at) = (0, false, 0);
    while at < bytes.len() {
        let (length, instead) = match bytes[at] {
            b'"' => {
                in_string = !in_string;
                (1, None)
            }
            b'\\' if in_string => escape(&line[at..]),
            b'N' | b'I' | b'-' if !in_string => word(&line[at..], no_number),
            _ => (1, None),
        };
        if let Some(instead) = instead {
            out.push_str(&line[copied..at]);
            out.push_str(instead);
            copied = at + length;
        }
        at += length;
    }
    (copied > 0).then(|| out + &line[copied..])
}

/// The length of the escape at the start, with a replacement if it is half of a surrogate pair.
fn escape(text: &str) -> (usize, Option<&'static str>) {
    let unit = |text: &str| {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    match unit(text) {
        Some(0xD800..=0xDBFF) => match text.get(6..).and_then(unit) {
            Some(0xDC00..=0xDFFF) => (12, None),
            _ => (6, Some("\\ufffd")),
        },
        Some(0xDC00..=0xDFFF) => (6, Some("\\ufffd")),
        _ => (2, None),
    }
}

/// The length of the word at the start, with a replacement if it is like `NaN`.
fn word(text: &str, no_number: NoNumber) -> (usize, Option<&'static str>) {
    let words = [
        ("NaN", "\" \""),
        ("Infinity", "\"      \""),
        ("-Infinity", "\"       \""),
    ];
    let found = words.into_iter().find(|(word, _)| text.starts_with(word));
    match (found, no_number) {
        (Some((word, _)), NoNumber::Null) => (word.len(), Some("null")),
        (Some((word, as_long)), NoNumber::AsLong) => (word.len(), Some(as_long)),
        (None, _) => (1, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_changed_where_it_has_to_be() {
        for (line, expected) in [
            (
                r#"{"a": "\ud83d", "b": NaN}"#,
                Some(r#"{"a": "\ufffd", "b": null}"#),
            ),
            (
                r#"{"a": "x\uDE00y\ud83d\ude00\ud83d\n"}"#,
                Some(r#"{"a": "x\ufffdy\ud83d\ude00\ufffd\n"}"#),
            ),
            (r#"[-Infinity,Infinity,-1]"#, Some("[null,null,-1]")),
            (r#"{"NaN": "NaN \\ud83d \"NaN\""}"#, None),
            (r#"{"a": "\u12"#, None),
            (r#"{"é": "\"#, None),
        ] {
            assert_eq!(
                repaired(line, NoNumber::Null).as_deref(),
                expected,
                "{line}"
            );
            if let Some(as_long) = repaired(line, NoNumber::AsLong) {
                assert_eq!(as_long.len(), line.len());
                assert!(
                    serde_json::from_str::<serde_json::Value>(&as_long).is_ok(),
                    "{as_long}"
                );
            }
        }
    }
}
