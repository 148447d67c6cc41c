//! Pages that share only a notice: none of them is dropped.

use super::family_tests::{find_within, usual};
use crate::config::JudgeConfig;
use crate::page::Page;

/// A notice of 150 words.
const NOTICE: &str = "Members are reminded that the workshop shuts at nine in the evening and \
that the last person to leave switches off the kiln. Keys may be fetched from the porter, who \
writes down the name and the hour. Clay that has been dried out belongs in the grey bin beside \
the sink, never in the drain.\n\nGlazes are mixed on Wednesdays only, by two of us at a time, \
with masks. \"We had a boy of nine in here who put his finger into the copper carbonate,\" says \
Henrike Vossloh, who has looked after the shelves since the spring. Whoever breaks a shelf pays \
for it, and whoever finds a crack tells the committee before the next firing. Guests are welcome \
on Sundays if they have been announced. The yearly fee of forty crowns is due in March, and half \
of it is given back to those who have fired fewer than three pots.";

/// A number of words that no other page has, in sentences of twelve.
fn own(page: usize, words: usize) -> String {
    let word = |n: usize| {
        let number = xxhash_rust::xxh3::xxh3_64(&(1000 * page + n).to_le_bytes());
        let letter = |at: u32| char::from(b'a' + (number >> (8 * at) & 15) as u8);
        (0..3 + (number >> 60) as u32 % 6)
            .map(letter)
            .collect::<String>()
    };
    let ended = |n: usize| {
        if n % 12 == 11 || n + 1 == words {
            ". "
        } else {
            " "
        }
    };
    (0..words).map(|n| word(n) + ended(n)).collect()
}

fn none_goes(pages: &[Page]) {
    let found = find_within(pages, &JudgeConfig::default(), usual());
    let dropped = found.dropped.len();
    assert_eq!(dropped, 0, "of {}", pages.len());
}

fn page(n: usize, site: Option<&str>, text: String) -> Page {
    let mut page = Page::text(format!("p{n:03}"), text);
    page.url = site.map(|site| format!("https://{site}/{n}"));
    page
}

#[test]
fn records_above_one_notice_stay() {
    for site in [None, Some("club.example")] {
        let text = |n: usize| format!("{}\n\n{NOTICE}", own(n, 20 + n % 11));
        let pages: Vec<Page> = (0..30).map(|n| page(n, site, text(n))).collect();
        none_goes(&pages);
    }
}

/// One of them has a list in place of sentences.
#[test]
fn a_list_above_the_notice_takes_no_other_page_along() {
    for count in [128, 140] {
        let text = |n: usize| match n {
            0 => format!("{}\n\n{NOTICE}", own(0, 24).replace('.', ",")),
            n => format!("{}\n\n{NOTICE}", own(n, 20 + n % 11)),
        };
        let pages: Vec<Page> = (0..count)
            .map(|n| page(n, Some("club.example"), text(n)))
            .collect();
        none_goes(&pages);
    }
}

/// Reports that a program wrote: place, depth and strength differ, and nothing else.
#[test]
fn reports_from_one_template_stay() {
    let number =
        |n: usize, of: u64| xxhash_rust::xxh3::xxh3_64_with_seed(&n.to_le_bytes(), of) as usize;
    let place = |n: usize, of: u64| own(number(n, of) % 60, 1).replace(". ", "");
    let report = |n: usize| {
        format!(
            "Earthquake near {}. A magnitude {}.{} earthquake was reported in the morning {} miles {} of {}, according to the survey. \
             It occurred at {}:{} Pacific time at a depth of {} miles. The epicentre was {} miles from {} and {} miles from {}. \
             In the past ten days there have been {} earthquakes of magnitude 3 and more nearby. \
             This post was created by an algorithm written by the author, from data of the survey.",
            place(n, 1),
            2 + number(n, 2) % 4,
            number(n, 3) % 10,
            number(n, 4) % 60,
            ["north", "east", "south", "west"][number(n, 5) % 4],
            place(n, 1),
            1 + number(n, 6) % 12,
            10 + number(n, 7) % 50,
            1 + number(n, 8) % 25,
            number(n, 9) % 80,
            place(n, 10),
            number(n, 11) % 150,
            place(n, 12),
            number(n, 13) % 5,
        )
    };
    for count in [2, 40, 200] {
        let pages: Vec<Page> = (0..count)
            .map(|n| page(n, Some("news.example"), report(n)))
            .collect();
        none_goes(&pages);
    }
}
