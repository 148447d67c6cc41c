//! Takes the disguise off words: letters of another script that look alike (`pаypal` with a Cyrillic а), and stacks of marks (“zalgo”).
//!
//! Only words of Latin letters mixed with Cyrillic or Greek ones are touched, and only if one script has nothing but look-alikes in the word:
//! these become letters of the other script. Words in one script stay, and so do those like `μm` whose foreign letters look like nothing
//! else. The marks on a letter go if there are more than three, which no orthography has.

use std::borrow::Cow;

use super::language::Script;

/// The most marks of U+0300 to U+036F on one letter: Vietnamese has two, phonetic alphabets three.
const MARKS: usize = 3;

/// Letters of other scripts and the Latin letters that they look like (a selection of Unicode's confusables.txt, UTS #39: those that look the
/// same in common typefaces). Cyrillic first, the usual letter of a pair before rare ones.
const ALIKE: &[(char, char)] = &[
    ('А', 'A'),
    ('В', 'B'),
    ('С', 'C'),
    ('Е', 'E'),
    ('Н', 'H'),
    ('І', 'I'),
    ('Ј', 'J'),
    ('К', 'K'),
    ('М', 'M'),
    ('О', 'O'),
    ('Р', 'P'),
    ('Ѕ', 'S'),
    ('Т', 'T'),
    ('Х', 'X'),
    ('У', 'Y'),
    ('а', 'a'),
    ('с', 'c'),
    ('ԁ', 'd'),
    ('е', 'e'),
    ('һ', 'h'),
    ('і', 'i'),
    ('ј', 'j'),
    ('о', 'o'),
    ('р', 'p'),
    ('ԛ', 'q'),
    ('ѕ', 's'),
    ('ԝ', 'w'),
    ('х', 'x'),
    ('у', 'y'),
    ('Α', 'A'),
    ('Β', 'B'),
    ('Ε', 'E'),
    ('Ζ', 'Z'),
    ('Η', 'H'),
    ('Ι', 'I'),
    ('Κ', 'K'),
    ('Μ', 'M'),
    ('Ν', 'N'),
    ('Ο', 'O'),
    ('Ρ', 'P'),
    ('Τ', 'T'),
    ('Υ', 'Y'),
    ('Χ', 'X'),
    ('ν', 'v'),
    ('ο', 'o'),
];

/// The text without disguise; blocks stay blocks.
pub fn without_disguise(text: &str) -> Cow<'_, str> {
    // Marks have the lead bytes CC and CD, Greek CE and CF, Cyrillic D0 to D4.
    let may_have = |part: &[u8]| {
        part.iter()
            .fold(false, |has, byte| has | (0xCC..=0xD4).contains(byte))
    };
    if !text.as_bytes().chunks(64).any(may_have) {
        return Cow::Borrowed(text);
    }
    let text = without_stacks(text);
    let mut out = String::new();
    let mut copied = 0;
    for (start, word) in words(&text) {
        if let Some(plain) = in_one_script(word) {
            out.push_str(&text[copied..start]);
            out.push_str(&plain);
            copied = start + word.len();
        }
    }
    if copied == 0 {
        return text;
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

fn is_mark(c: char) -> bool {
    ('\u{300}'..='\u{36F}').contains(&c)
}

fn without_stacks(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find(is_mark) {
        let start = at + found;
        let marks = text[start..].chars().take_while(|&c| is_mark(c)).count();
        // Each mark has two bytes.
        at = start + 2 * marks;
        let is_on_letter = text[..start]
            .chars()
            .next_back()
            .is_some_and(char::is_alphanumeric);
        if marks > MARKS && is_on_letter {
            out.push_str(&text[copied..start]);
            copied = at;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Runs of letters in which Latin ones are beside others, each with its start.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let runs = text.split(|c: char| !c.is_alphabetic());
    let begin = text.as_ptr() as usize;
    let mixed = runs.filter(|run| !run.is_ascii() && run.bytes().any(|byte| byte.is_ascii()));
    mixed.map(move |run| (run.as_ptr() as usize - begin, run))
}

/// A word of two scripts in the one of which it has letters that look like none of the other; in Latin letters if all look alike.
fn in_one_script(word: &str) -> Option<String> {
    let mut other = Script::None;
    for c in word.chars() {
        match Script::of(c) {
            Script::Latin => {}
            script @ (Script::Cyrillic | Script::Greek)
                if other == script || other == Script::None =>
            {
                other = script;
            }
            _ => return None,
        }
    }
    let latin = |c: char| match Script::of(c) {
        Script::Latin => Some(c),
        _ => ALIKE.iter().find(|(from, _)| *from == c).map(|pair| pair.1),
    };
    let foreign = |c: char| match Script::of(c) {
        Script::Latin => {
            let alike = ALIKE
                .iter()
                .find(|(from, to)| *to == c && Script::of(*from) == other);
            alike.map(|pair| pair.0)
        }
        _ => Some(c),
    };
    let is_mixed = other != Script::None;
    let in_latin: Option<String> = word.chars().map(latin).collect();
    let in_foreign = || word.chars().map(foreign).collect();
    in_latin.or_else(in_foreign).filter(|_| is_mixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_become_letters_of_their_word() {
        for (text, expected) in [
            // Cyrillic а and Р.
            ("p\u{430}yp\u{430}l, \u{420}ay\u{420}al", "paypal, PayPal"),
            // Greek Α and Ο.
            ("\u{391}THENS and \u{39F}PEN", "ATHENS and OPEN"),
            // Latin p, e and o in Russian words.
            (
                "\u{43F}pe\u{434}\u{43B}o\u{436}e\u{43D}\u{438}e",
                "предложение",
            ),
            // Where all letters look alike, the word is Latin.
            ("c\u{43E}p\u{435}", "cope"),
            // Words in one script, and mixtures that mean something.
            ("сосна и роща, a pine", "сосна и роща, a pine"),
            (
                "5 \u{3BC}m, \u{3B2}-carotene, \u{394}x, vеб",
                "5 \u{3BC}m, \u{3B2}-carotene, \u{394}x, vеб",
            ),
            ("IT-компания, IPv4-адрес", "IT-компания, IPv4-адрес"),
            ("雾与 é", "雾与 é"),
        ] {
            assert_eq!(without_disguise(text), expected, "{text}");
        }
    }

    #[test]
    fn stacks_of_marks_go() {
        let stack = "\u{336}\u{31B}\u{353}\u{300}";
        let text = format!("f{stack}erry{stack}\nfog");
        assert_eq!(without_disguise(&text), "ferry\nfog");
        // What languages write stays, and so do marks on nothing.
        for text in ["Vie\u{323}\u{302}t", "e\u{301}\u{300}\u{302}", stack] {
            assert_eq!(without_disguise(text), text);
        }
    }
}
