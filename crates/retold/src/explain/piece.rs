//! Texts cut into pieces: clauses, separated by punctuation and line ends.

use xxhash_rust::xxh3::xxh3_64;

/// A clause with the punctuation after it. Pieces cover the text without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// A hash of its letters and digits; 0 if it has fewer than two, which says nothing.
    pub hash: u64,
    /// How many letters and digits it has.
    pub weight: u32,
}

/// Cuts a folded text into pieces. Linear.
pub fn pieces(folded: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (mut start, mut letters, mut weight) = (0, String::new(), 0);
    // Punctuation was met, and nothing but closing marks since.
    let mut stopped = false;
    let mut chars = folded.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c.is_alphanumeric() {
            letters.push(c);
            weight += 1;
        }
        let end = at + c.len_utf8();
        let next = chars.peek().map(|&(_, next)| next);
        stopped = is_stop(c, next) || (stopped && is_tail(c));
        let goes_on = next.is_some_and(|next| is_tail(next) || is_stop(next, None));
        if next.is_none_or(|next| next == '\n') || c == '\n' || (stopped && !goes_on) {
            let hash = if weight < 2 {
                0
            } else {
                xxh3_64(letters.as_bytes()) | 1
            };
            pieces.push(Piece {
                start: start as u32,
                end: end as u32,
                hash,
                weight,
            });
            (start, weight, stopped) = (end, 0, false);
            letters.clear();
        }
    }
    pieces
}

/// True for punctuation that may end a piece if `next` follows: not in 3.14 or example.com.
fn is_stop(c: char, next: Option<char>) -> bool {
    match c {
        '.' | ',' | ':' | ';' | '!' | '?' => !next.is_some_and(|next| next.is_ascii_alphanumeric()),
        _ => matches!(
            c,
            '。' | '，'
                | '、'
                | '；'
                | '：'
                | '！'
                | '？'
                | '．'
                | '｡'
                | '।'
                | '॥'
                | '۔'
                | '።'
        ),
    }
}

/// Marks that belong to the piece whose end they follow.
fn is_tail(c: char) -> bool {
    matches!(
        c,
        ' ' | '"' | '\'' | ')' | ']' | '”' | '’' | '」' | '』' | '）' | '》'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_end_with_their_punctuation() {
        let cut = |text: &str| -> Vec<String> {
            let cut = pieces(text);
            assert_eq!(cut.last().map_or(0, |piece| piece.end as usize), text.len());
            cut.iter()
                .map(|p| text[p.start as usize..p.end as usize].to_owned())
                .collect()
        };
        assert_eq!(
            cut("well, pi is 3.14. (so they say.) good"),
            ["well, ", "pi is 3.14. ", "(so they say.) ", "good"]
        );
        assert_eq!(
            cut("今天,我们去公园。好!”\n完"),
            ["今天,", "我们去公园。", "好!”", "\n", "完"]
        );
        assert_eq!(cut(""), Vec::<String>::new());
        assert_eq!(
            pieces("abc, abc.")
                .iter()
                .map(|p| p.weight)
                .collect::<Vec<_>>(),
            [3, 3]
        );
        assert_eq!(pieces("abc, abc.")[0].hash, pieces("abc, abc.")[1].hash);
    }
}
