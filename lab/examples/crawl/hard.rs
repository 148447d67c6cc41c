//! Sets that are hard to join: all pages share something, but hardly any two are related.

use std::error::Error;
use std::io::Write;

use crate::page;
use crate::words::{Random, Words};

/// The kinds of sets:
///
/// - `sentence`: one sentence on all pages;
/// - `chinese`: four Chinese sentences on all pages;
/// - `template`: a template of 5 KB, and 300 characters of content;
/// - `pool`: ten paragraphs, of which each page has some, in some order;
/// - `ladder`: the first sentences of one text, one more on each page;
/// - `zipf`: paragraphs from a pool, by Zipf's law;
/// - `family`: one text, with two words changed on each page.
///
/// In `sentence`, `chinese` and `template`, every hundredth page is a planted reprint. In `family`, all pages but the first are reprints.
pub const KINDS: [&str; 7] = [
    "sentence", "chinese", "template", "pool", "ladder", "zipf", "family",
];

pub fn write(
    kind: &str,
    count: usize,
    words: &Words,
    out: &mut impl Write,
    gold: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    if !KINDS.contains(&kind) {
        return Err(format!("no kind is called {kind}; there are: {}", KINDS.join(", ")).into());
    }
    let ladder = words.article(1, count * 12).concat();
    let ends: Vec<usize> = ladder.match_indices(". ").map(|(at, _)| at + 2).collect();
    for number in 0..count {
        // A planted reprint repeats the previous page with its last word changed.
        let is_reprint =
            number % 100 == 99 && !["pool", "ladder", "zipf", "family"].contains(&kind);
        let of = if is_reprint { number - 1 } else { number };
        let mut random = Random(of as u64 + 7);
        let own = |count: usize| words.article(of as u64 + 1000, count).concat();
        let paragraph = |n: usize| words.article(n as u64, 60).concat();
        let mut text = match kind {
            "sentence" => words.article(1, 40).concat() + "\n\n" + &own(220),
            "chinese" => chinese(1, 4, 1) + "\n\n" + &chinese(of + 100, 12, of),
            "template" => words.article(1, 750).concat() + "\n\n" + &own(45),
            "pool" => {
                let some = (0..2 + random.below(5)).map(|_| paragraph(random.below(10)));
                some.collect::<Vec<String>>().join("\n\n")
            }
            "ladder" => ladder[..ends[number.min(ends.len() - 1)]].to_owned(),
            "zipf" => {
                let rank = |random: &mut Random| {
                    let share = random.below(1_000_000) as f64 / 1e6;
                    (10_000f64.powf(share)) as usize
                };
                let some = (0..5).map(|_| paragraph(rank(&mut random)));
                some.collect::<Vec<String>>().join("\n\n")
            }
            _ => {
                let mut sentences = words.article(1, 220);
                for _ in 0..2 {
                    let at = random.below(sentences.len());
                    let other = words.article(random.next(), 8).concat();
                    let word = other.split(' ').next().unwrap_or_default();
                    let sentence = &mut sentences[at];
                    let space = sentence.find(' ').unwrap_or(0);
                    sentence.replace_range(..space, word);
                }
                sentences.concat()
            }
        };
        if is_reprint {
            text.push_str("Afterwards.");
            writeln!(gold, "p{number:08}\tp{of:08}\treprint")?;
        } else if kind == "family" && number > 0 {
            writeln!(gold, "p{number:08}\tp{:08}\treprint", 0)?;
        }
        page(out, number, number as u64 % 1000, &text)?;
    }
    Ok(())
}

/// Sentences of random Chinese characters, no two alike.
fn chinese(seed: usize, sentences: usize, turn: usize) -> String {
    let mut random = Random((seed as u64) << 20 | turn as u64);
    let mut text = String::new();
    for _ in 0..sentences {
        let characters = (0..18 + random.below(12)).map(|_| 0x4E00 + random.below(3000) as u32);
        text.extend(characters.filter_map(char::from_u32));
        text.push('。');
    }
    text
}
