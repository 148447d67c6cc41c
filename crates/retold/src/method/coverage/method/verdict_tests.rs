//! The relations and the rules of the verdict, by hand and on random texts.

use proptest::prelude::*;

use super::tests::{are_copies, coverage, fitted, tested, verdict};
use super::*;
use crate::relation::Relation;

/// The words `from` to `to` of an endless text, of three letters each, which are never nearly equal.
fn plain(from: usize, to: usize) -> Vec<String> {
    let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
    let word = |n: usize| [letter(n / 676), letter(n / 26), letter(n)];
    (from..to).map(|n| word(n).iter().collect()).collect()
}

fn line(from: usize, to: usize) -> String {
    plain(from, to).join(" ")
}

/// A number of sentences of ten words, starting at a given one.
fn story_text(from: usize, count: usize) -> String {
    let sentence = |n: usize| line(10 * n, 10 * n + 10) + ".";
    let sentences: Vec<String> = (from..from + count).map(sentence).collect();
    sentences.join(" ")
}

/// Twenty long words that begin with this letter.
fn long(first: char) -> String {
    let words: Vec<String> = plain(0, 20)
        .iter()
        .map(|word| format!("{first}zzzzzz{word}"))
        .collect();
    words.join(" ")
}

/// The relation, and the words in own passages.
fn found(method: &Coverage, a: &str, b: &str) -> Option<(Relation, u32, u32)> {
    let found = verdict(method, a, b)?;
    Some((found.relation, found.own_a, found.own_b))
}

#[test]
fn relations_by_hand() {
    let method = coverage(&[]);
    let story = story_text(0, 10);
    let with = |from: usize, count: usize| format!("{story} {}", story_text(from, count));
    let found = |a: &str, b: &str| found(&method, a, b);
    assert_eq!(found(&story, &story), Some((Relation::Duplicate, 0, 0)));
    // Ten words are within the limit of twelve, twenty are over it.
    assert_eq!(
        found(&story, &with(50, 1)),
        Some((Relation::Duplicate, 0, 10))
    );
    assert_eq!(
        found(&story, &with(50, 2)),
        Some((Relation::ContainedBy, 0, 20))
    );
    assert_eq!(
        found(&with(50, 2), &story),
        Some((Relation::Contains, 20, 0))
    );
    assert_eq!(
        found(&with(50, 2), &with(60, 3)),
        Some((Relation::Overlaps, 20, 30))
    );
    assert_eq!(
        found(&with(50, 1), &with(60, 1)),
        Some((Relation::Duplicate, 10, 10))
    );
    // Of 400 words 5 % are twenty.
    let page = |own: &str| format!("{} {own}", story_text(0, 40));
    assert_eq!(
        found(&story_text(0, 40), &page(&line(900, 915))),
        Some((Relation::Duplicate, 0, 15))
    );
    assert_eq!(
        found(&story_text(0, 40), &page(&story_text(90, 3))),
        Some((Relation::ContainedBy, 0, 30))
    );
    // Two sentences of ten are too few, and so is an empty text.
    assert_eq!(found(&story, &story_text(8, 10)), None);
    assert_eq!(found(&story, &story_text(50, 10)), None);

    let verdict = verdict(&method, &with(50, 2), &with(60, 3)).unwrap();
    assert_eq!((verdict.similarity, verdict.shared), (100.0 / 120.0, 100));
    assert_eq!(verdict.length_ratio, 120.0 / 130.0);
}

#[test]
fn without_a_limit_every_word_is_own() {
    let method = coverage(&[("own_words", "0"), ("own_share", "0")]);
    let story = story_text(0, 10);
    assert_eq!(
        found(&method, &story, &story),
        Some((Relation::Duplicate, 0, 0))
    );
    let longer = format!("{story} Abc xyz qqq.");
    assert_eq!(
        found(&method, &story, &longer),
        Some((Relation::ContainedBy, 0, 3))
    );
    let generous = coverage(&[("own_words", "50"), ("own_share", "0.2")]);
    let longer = format!("{story} {}", story_text(50, 4));
    assert_eq!(
        found(&generous, &story, &longer),
        Some((Relation::Duplicate, 0, 40))
    );
}

#[test]
fn a_moved_paragraph_is_nobodys_own() {
    let method = coverage(&[]);
    let moved = format!("{}\n\n{}", story_text(4, 6), story_text(0, 4));
    assert_eq!(
        found(&method, &story_text(0, 10), &moved),
        Some((Relation::Duplicate, 0, 0))
    );
}

/// Fourteen words in a short line at an end are a byline or a button, unless nothing on the page is a sentence.
#[test]
fn a_short_line_at_an_end_is_not_own() {
    let method = coverage(&[]);
    let own = line(900, 914);
    let story = story_text(0, 10);
    for page in [format!("{story}\n\n{own}"), format!("{own}\n\n{story}")] {
        assert_eq!(
            found(&method, &story, &page),
            Some((Relation::Duplicate, 0, 0))
        );
    }
    // Between sentences the words are own text, and so is a sentence.
    let inside = format!("{}\n\n{own}\n\n{}", story_text(0, 5), story_text(5, 5));
    assert_eq!(
        found(&method, &story, &inside),
        Some((Relation::ContainedBy, 0, 14))
    );
    let sentence = format!("{story}\n\n{own}.");
    assert_eq!(
        found(&method, &story, &sentence),
        Some((Relation::ContainedBy, 0, 14))
    );
    let lines: Vec<String> = (0..10).map(|n| line(10 * n, 10 * n + 10)).collect();
    let (list, longer) = (
        lines.join("\n\n"),
        format!("{}\n\n{own}", lines.join("\n\n")),
    );
    assert_eq!(
        found(&method, &list, &longer),
        Some((Relation::ContainedBy, 0, 14))
    );
}

/// Lines on each page of a site belong to its frame: a story in the frames of four sites is one story.
#[test]
fn a_story_in_the_frames_of_sites_is_one() {
    let frame =
        |site: usize, n: usize| line(3000 + 100 * site + 20 * n, 3008 + 100 * site + 20 * n);
    let framed =
        |site: usize, text: &str| format!("{}\n\n{text}\n\n{}", frame(site, 0), frame(site, 1));
    let mut texts: Vec<String> = (0..4)
        .map(|site| framed(site, &story_text(0, 10)))
        .collect();
    let others = (0..4).flat_map(|site| (1..4).map(move |n| (site, 30 * site + 10 * n)));
    texts.extend(others.map(|(site, from)| framed(site, &story_text(from, 10))));
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let method = fitted(vec![], &texts);
    assert_eq!(
        found(&method, texts[0], texts[1]),
        Some((Relation::Duplicate, 0, 0))
    );
    assert_eq!(found(&method, texts[0], texts[4]), None);
}

/// In a notice of 40 words one different word makes another page, even in lines that are known as a frame.
#[test]
fn a_short_notice_is_another_with_one_other_word() {
    let notice = |name: &str| format!("{} {name} {}.", line(500, 520), line(520, 539));
    let method = coverage(&[]);
    assert!(!are_copies(&method, &notice("abc"), &notice("xyz")));
    assert_eq!(
        found(&method, &notice("abc"), &notice("abc")),
        Some((Relation::Duplicate, 0, 0))
    );
    let framed = |text: &str| format!("{}\n\n{}\n\n{text}", line(0, 12), line(12, 24));
    let mut texts = vec![framed(&notice("abc")), framed(&notice("xyz"))];
    texts.extend((10..14).map(|n| framed(&story_text(10 * n, 5))));
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let method = fitted(vec![("short", "60")], &texts);
    assert!(!are_copies(&method, texts[0], texts[1]));
}

/// The rules that were applied.
fn rules(method: &Coverage, a: &str, b: &str) -> Vec<String> {
    let tested = tested(method, a, b).into_iter();
    tested
        .skip_while(|line| !line.starts_with("shared"))
        .collect()
}

#[test]
fn what_is_shared_is_asked_first() {
    let method = coverage(&[]);
    let page = |from: usize, count: usize| {
        format!(
            "{} {}",
            story_text(from, count),
            story_text(50 + from, 10 - count)
        )
    };
    assert_eq!(
        rules(&method, &story_text(0, 10), &page(0, 8))[0],
        "shared = 80/100 = 0.80 ≥ 0.60"
    );
    assert_eq!(
        rules(&method, &story_text(0, 10), &page(0, 5)),
        ["shared = 50/100 = 0.50 < 0.60"]
    );
    // Pages with eight words have no story.
    let lists = [line(0, 8), line(0, 6) + " " + &line(90, 92)];
    assert_eq!(
        rules(&method, &lists[0], &lists[0])[0],
        "shared = 8/8 = 1.00 ≥ 0.95"
    );
    assert_eq!(
        rules(&method, &lists[0], &lists[1]),
        ["shared = 6/8 = 0.75 < 0.95"]
    );
}

/// Two pages of a template followed by own words, and a method that knows the template from forty others.
fn in_template(template: &str, ends: [&str; 2]) -> (Coverage, [String; 2]) {
    let pages = ends.map(|end| format!("{template} {end}"));
    let others: Vec<String> = (1..41)
        .map(|n| format!("{template} {}", line(2000 + 100 * n, 2050 + 100 * n)))
        .collect();
    let texts: Vec<&str> = pages.iter().chain(&others).map(String::as_str).collect();
    (fitted(vec![("agreement", "0.5")], &texts), pages)
}

fn last_of(name: &str, (method, [a, b]): &(Coverage, [String; 2])) -> Option<String> {
    let lines = tested(method, a, b).into_iter();
    lines.rev().find(|line| line.starts_with(name))
}

#[test]
fn what_makes_a_template_evidence() {
    let own = [line(1000, 1003), line(1100, 1103)];
    let own = [&*own[0], &*own[1]];
    let more = [line(1000, 1020), line(1100, 1120)];
    let more = [&*more[0], &*more[1]];
    // Nothing is shared outside the template. Three own words of 103 are negligible, twenty of 120 are not.
    let pages = in_template(&line(0, 100), own);
    assert_eq!(last_of("rest", &pages).unwrap(), "rest = 0.00 < 0.40");
    assert_eq!(
        last_of("equal", &pages).unwrap(),
        "equal = 100/103 = 0.97 ≥ 0.95"
    );
    assert_eq!(
        found(&pages.0, &pages.1[0], &pages.1[1]).unwrap().0,
        Relation::Duplicate
    );
    let pages = in_template(&line(0, 100), more);
    assert_eq!(last_of("equal", &pages), None);
    assert_eq!(last_of("statement", &pages), None);
    // As sentences it is a statement, if it is long enough.
    assert_eq!(
        last_of(
            "statement",
            &in_template(
                &story_text(0, 10),
                [&story_text(100, 2), &story_text(110, 2)]
            )
        )
        .unwrap(),
        "statement = 100 ≥ 50"
    );
    assert_eq!(
        last_of(
            "statement",
            &in_template(
                &story_text(0, 4),
                [&story_text(100, 2), &story_text(110, 2)]
                    .map(|end| end.clone() + " Abc def.")
                    .each_ref()
                    .map(String::as_str)
            )
        )
        .unwrap(),
        "statement = 40 < 50"
    );
    // If both pages have the same names, these are evidence, unless nearly everything belongs to the template or each has its own names.
    let template = format!("{} {}", line(0, 80), long('b'));
    let much = [line(1000, 1060), line(1100, 1160)];
    let much = [&*much[0], &*much[1]];
    assert_eq!(
        last_of("longest words", &in_template(&template, much)).unwrap(),
        "longest words = 1.00 ≥ 0.80"
    );
    assert_eq!(
        last_of("longest words", &in_template(&template, more)),
        None
    );
    let names = [long('x') + "x", long('y').replace(' ', "qqqq ") + "qqqq"];
    let pages = in_template(&line(0, 100), [&names[0], &names[1]]);
    // Then they are not even aligned, as they share no bigrams either.
    assert_eq!(last_of("longest words", &pages), None);
    let rule = last_of("rare bigrams", &pages).unwrap();
    assert!(rule.starts_with("rare bigrams = 0.00 <"), "{rule}");
    assert_eq!(found(&pages.0, &pages.1[0], &pages.1[1]), None);
}

/// In a hundred words, two of eight are replaced from the tenth on: 22.
fn reworded(words: &[String], by: impl Fn(&str, usize) -> String) -> String {
    let is_other = |at: usize| at >= 10 && at % 8 < 2;
    let words = words.iter().enumerate();
    let words: Vec<String> = words
        .map(|(at, word)| {
            if is_other(at) {
                by(word, at)
            } else {
                word.clone()
            }
        })
        .collect();
    words.join(" ")
}

#[test]
fn when_other_words_make_no_other_page() {
    let method = coverage(&[]);
    let long: Vec<String> = long('b').split(' ').map(str::to_owned).collect();
    let text: Vec<String> = [&plain(0, 10), &long[..], &plain(10, 80)].concat();
    let rules = |other: &str| rules(&method, &text.join(" "), other);
    // Four words of a hundred.
    let edited = text
        .join(" ")
        .replace("aap aaq", "xxx yyy")
        .replace("acb acc", "vvv www");
    assert_eq!(rules(&edited)[1], "replaced = 0.04 ≤ 0.15");
    let other = |_: &str, at: usize| plain(1000 + at, 1001 + at)[0].clone();
    let kept = |word: &str, at: usize| {
        if word.len() > 3 {
            word.to_owned()
        } else {
            other(word, at)
        }
    };
    let lines = rules(&reworded(&text, kept));
    let rest = [
        "replaced = 0.18 > 0.15",
        "misread = 0.00 < 0.20",
        "reworded = 82/100 = 0.82 ≥ 0.75",
    ];
    assert_eq!(lines[1..4], rest);
    // Twenty other names in a row are each page's own.
    let names = |word: &str, at: usize| match word.len() > 3 {
        true => plain(2000 + at, 2001 + at)[0].clone() + "yyyyyyyy",
        false => word.to_owned(),
    };
    let renamed = text.iter().enumerate().map(|(at, word)| names(word, at));
    let renamed: Vec<String> = renamed.collect();
    let renamed = found(&method, &text.join(" "), &renamed.join(" "));
    assert_eq!(renamed, Some((Relation::Overlaps, 20, 20)));
}

/// A text in sentences: each number selects a sentence that both texts may have, or one of the text's own.
fn page(parts: &[(u8, u8)], own: usize) -> String {
    let part = |&(kind, n): &(u8, u8)| match kind {
        0 => story_text(own + usize::from(n), 1),
        1 => line(
            10 * (own + 50 + usize::from(n)),
            10 * (own + 50 + usize::from(n)) + 7,
        ),
        _ => story_text(usize::from(n), 1),
    };
    let parts: Vec<String> = parts.iter().map(part).collect();
    parts.join(" ")
}

/// The longest stretch of words that occur nowhere in the other text. Slow reference implementation.
fn longest_own(text: &str, other: &str) -> usize {
    let words = |text: &str| -> Vec<String> {
        text.split([' ', '.', '\n'])
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (text, other) = (words(text), words(other));
    let (mut longest, mut run) = (0, 0);
    for word in &text {
        run = if other.contains(word) { 0 } else { run + 1 };
        longest = longest.max(run);
    }
    longest
}

proptest! {
    /// A dropped page has no long own passage, and swapping the pages reverses the relation.
    #[test]
    fn nothing_that_is_dropped_says_much_of_its_own(
        a in prop::collection::vec((0u8..8, 0u8..14), 1..30), b in prop::collection::vec((0u8..8, 0u8..14), 1..30),
        words in prop::sample::select(vec![3usize, 12, 30]),
    ) {
        let (a, b) = (page(&a, 200), page(&b, 400));
        let limit = words.to_string();
        let method = coverage(&[("own_words", &*limit), ("own_share", "0.05")]);
        // Asserts that the verdict on the swapped pages is the reverse.
        let Some(found) = verdict(&method, &a, &b) else { return Ok(()) };
        let goes = |relation| found.relation == Relation::Duplicate || found.relation == relation;
        for (text, other, relation) in [(&a, &b, Relation::ContainedBy), (&b, &a, Relation::Contains)] {
            if goes(relation) {
                let share = 0.05 * text.split(' ').count() as f64;
                let longest = longest_own(text, other);
                prop_assert!(longest < words || (longest as f64) < share, "{} in {text}\nof {other}", longest);
            }
        }
    }
}
