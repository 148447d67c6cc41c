//! Generates collections of any size as a stream: remixed real text with planted reprints, and sets that are hard to join.
//!
//!     cargo run --release -p retold-lab --example crawl -- pages COUNT TEXTS.jsonl GOLD.tsv > pages.jsonl
//!     cargo run --release -p retold-lab --example crawl -- hard KIND COUNT TEXTS.jsonl GOLD.tsv > pages.jsonl
//!     cargo run --release -p retold-lab --example crawl -- score GOLD.tsv OUT
//!
//! `TEXTS.jsonl` has real texts in the field `text`. Sentences are made of their words, a few at a time, so that shingles are unique. With
//! `pages`, a fifth of the pages are reprints of five kinds, in families of up to 10,000 pages with sizes by Zipf's law, on 1,000 sites
//! with templates. For `hard`, see [`hard::KINDS`]. `GOLD.tsv` gets a line for every planted reprint: its id, the id of its original, its
//! kind. `score` prints how many of them a run found, by kind. Results are in `docs/concepts.md` and `docs/lab/scale.md`.

mod hard;
mod words;

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write, stdout};

use words::{Random, Words};

const LARGEST: usize = 10_000;
const SITES: u64 = 1000;
/// Words of an article; with a template, a page has 1.5 KB.
const ARTICLE: usize = 190;
const KINDS: [&str; 5] = ["same", "edited", "cut", "extended", "quoted"];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut out = BufWriter::with_capacity(1 << 20, stdout().lock());
    match arguments[..] {
        ["pages", count, texts, gold] => {
            let mut gold = BufWriter::new(File::create(gold)?);
            pages(count.parse()?, &Words::read(texts)?, &mut out, &mut gold)?;
            gold.flush()?;
        }
        ["hard", kind, count, texts, gold] => {
            let mut gold = BufWriter::new(File::create(gold)?);
            hard::write(
                kind,
                count.parse()?,
                &Words::read(texts)?,
                &mut out,
                &mut gold,
            )?;
            gold.flush()?;
        }
        ["score", gold, run] => score(gold, run)?,
        _ => {
            return Err(
                "pages COUNT TEXTS GOLD | hard KIND COUNT TEXTS GOLD | score GOLD OUT".into(),
            );
        }
    }
    out.flush()?;
    Ok(())
}

fn page(out: &mut impl Write, number: usize, site: u64, text: &str) -> std::io::Result<()> {
    let text = serde_json::Value::from(text);
    let url = format!("http://s{site}.example/{number}");
    writeln!(
        out,
        r#"{{"id":"p{number:08}","url":"{url}","text":{text}}}"#
    )
}

/// Sizes of families of at least two pages, largest first. A fifth of all pages are reprints.
fn families(count: usize) -> Vec<usize> {
    let sizes = |scale: f64| -> Vec<usize> {
        let size = |rank: usize| ((scale / rank as f64) as usize).min(LARGEST);
        (1..).map(size).take_while(|&size| size > 1).collect()
    };
    let reprints = |scale: f64| sizes(scale).iter().map(|size| size - 1).sum::<usize>();
    let (mut low, mut high) = (0.0, count as f64);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match reprints(middle) < count / 5 {
            true => low = middle,
            false => high = middle,
        }
    }
    sizes(low)
}

/// Writes `count` pages; pages of a family are far from each other.
fn pages(
    count: usize,
    words: &Words,
    out: &mut impl Write,
    gold: &mut impl Write,
) -> std::io::Result<()> {
    // Position in the order of families -> position of the first page of the family.
    let mut firsts: Vec<u32> = Vec::with_capacity(count);
    for size in families(count) {
        let first = firsts.len() as u32;
        firsts.extend((0..size).map(|_| first));
    }
    firsts.extend(firsts.len() as u32..count as u32);
    let step = (count * 618 / 1000..).find(|&step| gcd(step, count) == 1);
    let step = step.unwrap_or(1);
    // Maps positions to page numbers and back.
    let number = |place: usize| (place as u128 * step as u128 % count as u128) as usize;
    let mut places = vec![0u32; count];
    (0..count).for_each(|place| places[number(place)] = place as u32);
    for (at, place) in places.into_iter().enumerate() {
        let place = place as usize;
        let first = firsts[place] as usize;
        let mut random = Random(place as u64 ^ 0x5EED);
        let article = words.article(first as u64, ARTICLE);
        let article = match place == first {
            true => article,
            false => {
                let kind = random.below(KINDS.len());
                writeln!(gold, "p{at:08}\tp{:08}\t{}", number(first), KINDS[kind])?;
                reprint(words, &mut random, article, kind)
            }
        };
        let site = random.below(SITES as usize) as u64;
        let text = words.in_template(site, article);
        page(out, at, site, &text)?;
    }
    Ok(())
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn reprint(
    words: &Words,
    random: &mut Random,
    mut article: Vec<String>,
    kind: usize,
) -> Vec<String> {
    let sentences = article.len();
    let mut own = |count: usize| words.article(random.next(), count);
    match kind {
        0 => {}
        1 => {
            // Replaces one word in fifty.
            let words = own(12).concat();
            let edits = sentences * 12 / 50;
            for (n, word) in words.split_whitespace().take(edits).enumerate() {
                let sentence = &mut article[n * 7 % sentences];
                if let Some(space) = sentence.find(' ') {
                    sentence.replace_range(..space, word);
                }
            }
        }
        2 => article.truncate((sentences * 3).div_ceil(4)),
        3 => article.extend(own(ARTICLE / 3)),
        _ => {
            let mut around = own(2 * ARTICLE);
            let rest = around.split_off(around.len() / 2);
            around.append(&mut article);
            around.extend(rest);
            return around;
        }
    }
    article
}

/// A reprint is found if a listed pair connects it with a page of its family.
fn score(gold: &str, run: &str) -> Result<(), Box<dyn Error>> {
    let mut families: HashMap<String, (String, String)> = HashMap::new();
    for line in BufReader::new(File::open(gold)?).lines() {
        let line = line?;
        let mut fields = line.split('\t').map(str::to_owned);
        if let (Some(id), Some(first), Some(kind)) = (fields.next(), fields.next(), fields.next()) {
            families.insert(id, (first, kind));
        }
    }
    let mut found: HashMap<String, bool> = HashMap::new();
    let mut wrong = 0u64;
    for line in BufReader::new(File::open(format!("{run}/pairs.jsonl"))?).lines() {
        let pair: serde_json::Value = serde_json::from_str(&line?)?;
        let [a, b] = ["a", "b"].map(|key| pair[key].as_str().unwrap_or_default());
        let family = |id: &str| {
            families
                .get(id)
                .map_or(id.to_owned(), |(first, _)| first.clone())
        };
        if family(a) == family(b) {
            found.insert(a.to_owned(), true);
            found.insert(b.to_owned(), true);
        } else {
            wrong += 1;
        }
    }
    let mut kinds: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (id, (_, kind)) in &families {
        for name in [kind.as_str(), "all"] {
            let (hits, all) = kinds.entry(name).or_default();
            *hits += u64::from(found.contains_key(id));
            *all += 1;
        }
    }
    for (kind, (hits, all)) in kinds {
        let share = hits as f64 / all.max(1) as f64;
        writeln!(stdout(), "{kind}\t{hits} of {all}\t{share:.4}")?;
    }
    writeln!(stdout(), "pairs of pages of unlike families: {wrong}")?;
    Ok(())
}
