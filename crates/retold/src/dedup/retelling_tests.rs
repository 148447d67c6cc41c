//! Texts that were mistyped or told in other words, to which the join finds nothing.

use super::family_tests::{find_within, usual};
use crate::config::JudgeConfig;
use crate::page::Page;
use crate::relation::Relation;

/// An article of 130 words.
const STORY: &str = "On Thursday evening the harbour police of Ravnsborg stopped the freighter \
Amalie Kruse, whose captain, Torvald Engström, had been sought since February by three insurance \
companies. According to inspector Birgitta Holm the vessel carried 412 crates of machine parts \
that had been reported as lost near Gibraltar, and two passengers without documents. Engström \
declared that he had bought the cargo from a broker in Valencia, a certain Ignacio Beltrán, who \
could not be reached yesterday. The insurance company Nordlys, which has already paid four \
million crowns for the same crates, intends to sue. Several sailors spoke of repeated threats \
during the voyage, and of a quarrel about wages that began in Rotterdam. The prosecutor Mads \
Lindqvist expects that the hearing will take place in the first week of September, in the \
courthouse beside the old customs building.";

/// The same with letters misread: about one in ten.
fn misread(text: &str, step: usize) -> String {
    let mut letters = 0;
    let one = |c: char| {
        letters += usize::from(c.is_ascii_lowercase());
        match c.is_ascii_lowercase() && letters % step == 0 {
            true => char::from(b'a' + (c as u8 - b'a' + 7) % 26),
            false => c,
        }
    };
    text.chars().map(one).collect()
}

/// The same news told by somebody else, with the same names and numbers in the same order.
const RETOLD: &str = "Last Thursday harbour police in Ravnsborg seized a freighter, the Amalie \
Kruse. Her captain Torvald Engström was wanted since February by three insurance companies. \
Inspector Birgitta Holm said that the vessel had 412 crates of machine parts on board, reported \
as lost off Gibraltar, as well as two passengers without documents. Engström told them he got the \
cargo from a broker in Valencia called Ignacio Beltrán, whom nobody could reach yesterday. The \
insurance company Nordlys has already paid four million crowns for these crates and wants to sue. \
Several sailors talked about repeated threats on the voyage and a quarrel about wages which \
started in Rotterdam. Prosecutor Mads Lindqvist thinks the hearing will be in the first week of \
September, at the courthouse near the old customs building.";

/// The relation of the first two pages among others.
fn relation(texts: [&str; 2]) -> Option<Relation> {
    let other = |n: usize| {
        let word =
            |at: usize| format!("{}{}", ["amber", "birch", "cedar", "delta"][at % 4], at * n);
        (1..150).map(word).collect::<Vec<String>>().join(" ")
    };
    let others = (1..12).map(|n| Page::text(format!("other{n}"), other(n)));
    let texts = [("a", texts[0]), ("b", texts[1])];
    let pages = texts.map(|(id, text)| Page::text(id, text));
    let pages: Vec<Page> = pages.into_iter().chain(others).collect();
    let found = find_within(&pages, &JudgeConfig::default(), usual());
    assert!(found.pairs.len() <= 1);
    found.pairs.iter().next().map(|pair| pair.relation)
}

#[test]
fn mistyped_texts_are_copies() {
    for step in [40, 20, 12] {
        let found = relation([STORY, &misread(STORY, step)]);
        assert_eq!(found, Some(Relation::Duplicate), "1 letter in {step}");
    }
}

#[test]
fn what_is_told_in_other_words_overlaps() {
    assert_eq!(relation([STORY, RETOLD]), Some(Relation::Overlaps));
    // With other numbers it is other news.
    let other = RETOLD.replace("412", "97");
    assert_eq!(relation([STORY, &other]), None);
}

#[test]
fn a_short_text_with_another_word_is_no_copy() {
    let prompt = "Write a function in Python which takes two numbers from standard input and \
                  prints their product, then explain carefully how a beginner could test it with \
                  several examples";
    let typed = "Write a funtcion in Pyhton which takes two numbers from standrad input and prints \
                 their product, then expalin carefully how a begginer could test it with several \
                 exmaples";
    assert!(relation([prompt, typed]).is_some());
    for (word, other) in [("product", "sum"), ("two", "three"), ("carefully", "never")] {
        let changed = prompt.replace(word, other);
        assert_ne!(
            relation([prompt, &changed]),
            Some(Relation::Duplicate),
            "{other}"
        );
    }
}
