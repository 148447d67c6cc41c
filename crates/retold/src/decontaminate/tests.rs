use proptest::prelude::*;

use super::benchmarks::Benchmarks;
use super::find::{Contamination, Hit};
use super::items::RawItem;
use super::ngram::Tokens;
use crate::page::Page;
use crate::text::{Text, TextOptions, text_of};

fn text(content: &str) -> Text {
    let options = TextOptions {
        sentences: false,
        ..TextOptions::default()
    };
    text_of(&Page::text("", content), &options).unwrap()
}

fn item(question: &str, answer: &str, passage: &str) -> RawItem {
    let some = |text: &str| match text {
        "" => Vec::new(),
        text => vec![text.to_owned()],
    };
    RawItem {
        id: question.into(),
        question: question.into(),
        answers: some(answer),
        passages: some(passage),
    }
}

fn benchmark(questions: &[&str]) -> Benchmarks {
    let items = questions.iter().map(|question| item(question, "", ""));
    Benchmarks::of_items("test", items.collect())
}

fn found(benchmarks: &Benchmarks, page: &str, threshold: f64) -> Vec<Contamination> {
    benchmarks.find(&text(page), &TextOptions::default(), threshold)
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9, "{a} {b}");
}

/// Two questions of eight words, four n-grams each. They share the first n-gram, which two of two have: it weighs ln(3/2), the others
/// ln(3).
#[test]
fn the_score_by_hand() {
    let benchmarks = benchmark(&[
        "which of the following is wet blue today",
        "which of the following is dry sand often",
    ]);
    let (common, rare) = (1.5f64.ln(), 3f64.ln());
    let scores = |page: &str| {
        let found = found(&benchmarks, page, 0.01);
        found
            .iter()
            .map(|hit| (hit.item, hit.score))
            .collect::<Vec<_>>()
    };
    // All of the first. Of the second there is the first n-gram, which is just enough to look; the others end with a miss.
    let least = common / (common + 3.0 * rare);
    assert!(least > 0.1);
    let all = scores("He asked: which of the\nfollowing is wet, blue, today?");
    assert_eq!(all.len(), 2);
    close(all[0].1, 1.0);
    close(all[1].1, least);
    // Two n-grams, and none that ends with another word.
    let other = scores("So which of the following is wet green tomorrow");
    close(other[0].1, (common + rare) / (common + 3.0 * rare));
    // The other question's form, and the last word: two misses in the two last n-grams.
    let within = scores("So which of the following is dry green today");
    assert_eq!(within[0].0, 0);
    close(within[0].1, least);
    let within = scores("So which of the following was wet blue today");
    assert!(within.is_empty(), "no n-gram is there word for word");
}

#[test]
fn one_word_within_an_ngram_may_be_another() {
    let benchmarks = benchmark(&["one two three four five six seven eight nine ten"]);
    // Six n-grams of one weight. The seventh word is the last of the third n-gram, the first of none, and within the other three.
    let found = found(
        &benchmarks,
        "one two three four five six oops eight nine ten",
        0.0,
    );
    close(found[0].score, 5.0 / 6.0);
}

/// A form that many questions have, with another word where this one asks.
#[test]
fn another_question_of_one_form_is_no_hit() {
    let benchmarks = benchmark(&["What is the capital of Norway?"]);
    assert!(found(&benchmarks, "What is the capital of Spain?", 0.7).is_empty());
    assert_eq!(
        found(&benchmarks, "What is the capital of Norway?", 0.7).len(),
        1
    );
}

#[test]
fn what_stands_nearby_raises_the_score_by_hand() {
    // Three words are three fifths of an n-gram.
    let items = vec![item(
        "What is osmosis?",
        "movement of water",
        "Cells have walls",
    )];
    let benchmarks = Benchmarks::of_items("test", items);
    let score = |page: &str| found(&benchmarks, page, 0.0)[0].score;
    close(score("What is osmosis?"), 0.6);
    close(score("What is osmosis? The movement of water."), 0.8);
    close(
        score("Cells have walls. What is osmosis? The movement of water."),
        0.9,
    );
    // Too far away.
    let far = format!(
        "What is osmosis? {} the movement of water",
        "word ".repeat(50)
    );
    close(score(&far), 0.6);
    assert!(found(&benchmarks, "What was osmosis?", 0.0).is_empty());
}

#[test]
fn offsets_are_characters_of_the_text() {
    let benchmarks = benchmark(&[
        "How many apples does Tom have after he eats three?",
        "北京的人口是多少？请写出计算过程。",
    ]);
    let shown = |page: &str| {
        let hit = found(&benchmarks, page, 0.7).remove(0);
        let visible: Vec<char> = text(page).visible.chars().collect();
        visible[hit.begin as usize..hit.end as usize]
            .iter()
            .collect::<String>()
    };
    assert_eq!(
        shown("Ünïcode of the day. How many APPLES\ndoes Tom have\nafter he eats three? Four."),
        "How many APPLES\ndoes Tom have\nafter he eats three"
    );
    // Traditional characters, in full width around.
    assert_eq!(
        shown("ＡＢＣ問題：北京的人口是多少？請寫出計算過程。答"),
        "北京的人口是多少？請寫出計算過程"
    );
}

#[test]
fn changed_questions_are_found() {
    let question = "A farmer has seventeen sheep and buys nine more at the market before he sells half of \
                    all his sheep to a neighbour; how many sheep does the farmer have left in the evening?";
    let benchmarks = benchmark(&[
        question,
        "Which of the following is a mammal that lays eggs?",
    ]);
    let words: Vec<&str> = question.split(' ').collect();
    let wrapped: Vec<String> = words.chunks(4).map(|line| line.join(" ")).collect();
    assert!(found(&benchmarks, &wrapped.join("\n"), 0.99).len() == 1);
    let every_tenth = words.iter().enumerate();
    let every_tenth = every_tenth.map(|(at, word)| if at % 10 == 9 { "other" } else { word });
    let every_tenth: Vec<&str> = every_tenth.collect();
    assert!(found(&benchmarks, &every_tenth.join(" "), 0.75).len() == 1);
    let numerals = question.replace("seventeen", "17").replace("nine", "9");
    assert!(found(&benchmarks, &numerals, 0.7).len() == 1);
    assert!(
        found(
            &benchmarks,
            "A farmer has sheep. Which of the following is a farmer?",
            0.7
        )
        .is_empty()
    );
}

#[test]
fn equal_questions_are_one_and_each_item_is_told() {
    let benchmarks = benchmark(&["What colour is the old town hall?"; 3]);
    let hits = found(&benchmarks, "what colour is the old town hall", 0.7);
    assert_eq!(
        hits.iter().map(|hit| hit.item).collect::<Vec<_>>(),
        [0, 1, 2]
    );
    close(hits[0].score, 1.0);
}

/// The n-grams as words with spaces between, each with its first token.
fn spelled(tokens: &Tokens<'_>) -> Vec<Vec<String>> {
    let words: Vec<String> = (0..tokens.placed.len())
        .map(|at| tokens.spelled(at).to_owned())
        .collect();
    let weight = |word: &String| match word.chars().count() == 1 && !word.is_ascii() {
        true => 5,
        false => 8,
    };
    let mut all = Vec::new();
    for at in 0..words.len() {
        let mut end = at;
        while end < words.len() && words[at..end].iter().map(weight).sum::<usize>() < 40 {
            end += 1;
        }
        let is_ngram = words[at..end].iter().map(weight).sum::<usize>() >= 40;
        if is_ngram || at == 0 && end == words.len() {
            all.push(words[at..end].to_vec());
        }
    }
    all
}

/// The hits of questions on a page: every n-gram is looked for at every token.
fn plainly(questions: &[String], page: &Tokens<'_>) -> Vec<Hit> {
    let words: Vec<String> = (0..page.placed.len())
        .map(|at| page.spelled(at).to_owned())
        .collect();
    let mut hits = Vec::new();
    for (number, question) in questions.iter().enumerate() {
        for (place, ngram) in spelled(&Tokens::of(&text(question))).iter().enumerate() {
            for at in 0..words.len() {
                if words[at..].starts_with(ngram) {
                    hits.push(Hit {
                        question: number as u32,
                        begin: at as i64 - place as i64,
                        place: place as u32,
                    });
                }
            }
        }
    }
    hits
}

proptest! {
    /// The index finds what a search for every n-gram at every token finds, and so do the scores.
    #[test]
    fn the_index_finds_what_a_plain_search_finds(
        questions in prop::collection::btree_set("([abc]( |\n)|[一二])([abc] |[一二]){0,11}", 1..6),
        page in "(([abc] |[一二]){1,9}\n){0,6}",
    ) {
        let folded = |question: &String| text(question).folded.replace('\n', " ");
        let mut known = std::collections::BTreeSet::new();
        let questions: Vec<String> = questions.into_iter().filter(|question| known.insert(folded(question))).collect();
        let benchmarks = benchmark(&questions.iter().map(|q| &**q).collect::<Vec<_>>());
        let page = text(&page);
        let tokens = Tokens::of(&page);
        let (mut fast, mut slow) = (benchmarks.hits(&tokens), plainly(&questions, &tokens));
        fast.sort_unstable();
        slow.sort_unstable();
        prop_assert_eq!(&fast, &slow);
        let options = TextOptions::default();
        let fast = benchmarks.find(&page, &options, 0.3);
        prop_assert_eq!(fast, benchmarks.found(&tokens, slow, &options, 0.3));
    }
}
