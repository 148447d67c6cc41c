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

/// Two questions of sixteen words, twelve n-grams each. They share the first n-gram, so it weighs ln(3/2), the others ln(3). So each has
/// the evidence of 11.37 n-grams that no other question has, which is more than `MANY`.
#[test]
fn the_score_by_hand() {
    let benchmarks = benchmark(&[
        "which of the following is wet blue today and not so tall as her brother was",
        "which of the following is dry sand often but never in years when rain fell early",
    ]);
    let (common, rare) = (1.5f64.ln(), 3f64.ln());
    let scores = |page: &str| {
        let found = found(&benchmarks, page, 0.01);
        found
            .iter()
            .map(|hit| (hit.item, hit.score))
            .collect::<Vec<_>>()
    };
    let all = common + 11.0 * rare;
    let whole = scores(
        "He asked: which of the\nfollowing is wet, blue, today and not so tall as her brother was?",
    );
    assert_eq!(whole.len(), 1);
    close(whole[0].1, 1.0);
    // The first eight words: four n-grams.
    let cut = scores("So which of the following is wet blue today. Then they left");
    close(cut[0].1, (common + 3.0 * rare) / all);
    // A different last word: the n-gram that ends with it is missing.
    let other =
        scores("which of the following is wet blue today and not so tall as her brother sang");
    close(other[0].1, (common + 10.0 * rare) / all);
    assert!(scores("So which of the following was wet blue today").is_empty());
}

/// Ten words, six n-grams of equal weight. The seventh word is the last word of the third n-gram, the first of none, and inside the other
/// three: one of six is missing, which counts ten sixths.
#[test]
fn one_word_within_an_ngram_may_be_another() {
    let benchmarks = benchmark(&["one two three four five six seven eight nine ten"]);
    let page = "one two three four five six oops eight nine ten";
    let found = found(&benchmarks, page, 0.0);
    close(found[0].score, 1.0 - 1.0 / 6.0 * 10.0 / 6.0);
}

/// Three questions of six words that share the first of their two n-grams: these weigh ln(4/3) and ln(4), together as much as 1.21 n-grams
/// that no other question has; 1.5 are required.
#[test]
fn a_question_that_says_little_does_not_count_by_itself() {
    let form = "which of the following is";
    let items = ["true", "false", "odd"].map(|last| item(&format!("{form} {last}"), "", ""));
    let mut items = items.to_vec();
    items[0].answers = vec!["every compact space is complete".into()];
    let benchmarks = Benchmarks::of_items("test", items);
    let says = (1.0 + (4f64 / 3.0).ln() / 4f64.ln()) / 1.5;
    let score = |page: &str| found(&benchmarks, page, 0.0)[0].score;
    close(score("if any: which of the following is true?"), says);
    let answered = score("Which of the following is true? Every compact space is complete.");
    close(answered, 1.0 - (1.0 - says) / 2.0);
}

/// Many questions have this form, with a different word where this one asks.
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
    // Three words are three fifths of an n-gram; one and a half would be enough.
    let items = vec![item(
        "What is osmosis?",
        "movement of water",
        "Cells have walls",
    )];
    let benchmarks = Benchmarks::of_items("test", items);
    let score = |page: &str| found(&benchmarks, page, 0.0)[0].score;
    close(score("What is osmosis?"), 0.4);
    close(score("What is osmosis? The movement of water."), 0.7);
    close(
        score("Cells have walls. What is osmosis? The movement of water."),
        0.85,
    );
    // Too far away.
    let far = format!(
        "What is osmosis? {} the movement of water",
        "word ".repeat(50)
    );
    close(score(&far), 0.4);
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
    // Traditional characters, with full-width ones around.
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

/// The n-grams as words joined by spaces, each with its first token.
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

/// Reference implementation: looks for every n-gram at every token.
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
    /// The index gives the same hits and scores as a search for every n-gram at every token.
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
