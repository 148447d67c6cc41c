//! Where two pages differ: properties of candidate pairs of a labelled set, as CSV, for the study of rules.
//!
//! `cargo run --release -p retold-lab --example gaps -- SET... > pairs.csv`; SET is the folder of a labelled set. Candidates
//! are the pairs of `shingle` with containment of at least .5 and no exact copies. One line a pair: set, label (1 related, 0
//! distinct; pairs that are not scored are left out), tokens of the smaller page, containment of 5-grams, and of the smaller
//! page's tokens: share in gaps of three or more between matched runs, share before the first and behind the last matched
//! run, share in gaps of one or two, tokens of the longest matched run, number of gaps; share of matched runs that stand in
//! the order of the other page; share of the other page's matched span that lies in gaps of three or more; share of tokens that are
//! replaced, that is, stand in a gap opposite to a gap of the other page, and the number of such gaps; share of tokens in slots, the number
//! of slots, and the greatest share of different fillers of a gap; ids. A slot is a gap between two grams that four pages or
//! more of the collection have, with different text between them on at least half.
//! `head` is the share of the smaller page's first 30 tokens that are covered.

use std::collections::HashMap;
use std::path::Path;

use retold::collect::Collection;
use retold::eval::{Gold, Label, Unlisted};
use retold::ids::PageNo;
use retold::read::discover;
use retold::text::Text;
use retold::text::atoms::{Token, atoms};
use retold::{Config, Model, Resources, Result};
use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_64;

const WIDTH: usize = 5;

#[derive(Deserialize)]
struct Described {
    input: String,
    gold: String,
    unlisted: Unlisted,
}

/// The tokens of a page as hashes, and for each gram its first place.
struct Grams {
    tokens: Vec<u64>,
    first: HashMap<u64, usize>,
}

impl Grams {
    fn of(text: &Text) -> Grams {
        let mut tokens = Vec::new();
        atoms(text, Token::Word, |start, end| {
            tokens.push(xxh3_64(&text.folded.as_bytes()[start..end]));
        });
        let mut grams = Grams {
            tokens,
            first: HashMap::new(),
        };
        for at in 0..(grams.tokens.len() + 1).saturating_sub(WIDTH) {
            let gram = grams.gram(at);
            grams.first.entry(gram).or_insert(at);
        }
        grams
    }

    fn gram(&self, at: usize) -> u64 {
        let window = &self.tokens[at..at + WIDTH];
        window.iter().fold(0u64, |hash, token| {
            hash.wrapping_mul(0x9E37_79B9_7F4A_7C15)
                .wrapping_add(*token)
        })
    }

    /// Which tokens stand in a gram that the other page has, and where that stands there.
    fn covered(&self, other: &Grams) -> Vec<Option<usize>> {
        let mut covered = vec![None; self.tokens.len()];
        for at in 0..(self.tokens.len() + 1).saturating_sub(WIDTH) {
            if let Some(there) = other.first.get(&self.gram(at)) {
                for step in 0..WIDTH {
                    covered[at + step] = Some(there + step);
                }
            }
        }
        covered
    }
}

/// Where each gram of a collection stands first on each page that has it.
type Places = HashMap<u64, Vec<(PageNo, u32)>>;

/// Of the pages that have both grams, the second at most [`REACH`] tokens behind the first: how many there are, and how many
/// different texts they have between.
fn fillers(left: u64, right: u64, places: &Places, grams: &[Grams]) -> (usize, usize) {
    let (Some(left), Some(right)) = (places.get(&left), places.get(&right)) else {
        return (0, 0);
    };
    let ends: HashMap<PageNo, u32> = right.iter().copied().collect();
    let (mut pages, mut texts) = (0, std::collections::HashSet::new());
    for &(page, start) in left {
        let Some(&end) = ends.get(&page) else {
            continue;
        };
        let (from, to) = (start as usize + WIDTH, end as usize);
        if from <= to && to - from <= REACH {
            pages += 1;
            texts.insert(&grams[page.at()].tokens[from..to]);
        }
    }
    (pages, texts.len())
}

const REACH: usize = 120;
/// Tokens of the head of a page.
const HEAD: usize = 30;

/// The properties of a pair, the smaller page first.
fn properties(small: &Grams, large: &Grams, places: &Places, grams: &[Grams]) -> Vec<f64> {
    let (mut in_slots, mut filled, mut different) = (0, 0, 0.0f64);
    let shared = small
        .first
        .keys()
        .filter(|gram| large.first.contains_key(gram))
        .count();
    let covered = small.covered(large);
    let all = covered.len().max(1) as f64;
    let (mut inner, mut outer, mut little, mut longest, mut gaps) = (0, 0, 0, 0, 0);
    let (mut runs, mut ordered, mut last) = (0, 0, None);
    let (mut replaced, mut slots) = (0, 0);
    let mut at = 0;
    while at < covered.len() {
        let is_covered = covered[at].is_some();
        let end = (at..covered.len())
            .find(|&next| covered[next].is_some() != is_covered)
            .unwrap_or(covered.len());
        let length = end - at;
        if is_covered {
            longest = longest.max(length);
            runs += 1;
            ordered += usize::from(last.is_none_or(|last| covered[at] > last));
            last = Some(covered[at]);
        } else if at == 0 || end == covered.len() {
            outer += length;
        } else {
            gaps += 1;
            // Between the same two runs on the other page.
            let (before, after) = (covered[at - 1].unwrap_or(0), covered[end].unwrap_or(0));
            let there = after.saturating_sub(before + 1);
            replaced += length.min(there);
            slots += usize::from(length.min(there) > 0);
            let (pages, texts) = fillers(small.gram(at - WIDTH), small.gram(end), places, grams);
            if pages >= 4 && 2 * texts >= pages {
                in_slots += length;
                filled += 1;
            }
            if pages >= 4 {
                different = different.max(texts as f64 / pages as f64);
            }
            if length >= 3 {
                inner += length;
            } else {
                little += length;
            }
        }
        at = end;
    }
    let back = large.covered(small);
    let first = back.iter().position(Option::is_some).unwrap_or(0);
    let end = back
        .iter()
        .rposition(Option::is_some)
        .map_or(0, |last| last + 1);
    let span = &back[first..end.max(first)];
    let missing: usize = span
        .chunk_by(|a, b| a.is_some() == b.is_some())
        .filter(|run| run[0].is_none() && run.len() >= 3)
        .map(<[_]>::len)
        .sum();
    vec![
        all,
        shared as f64 / small.first.len().max(1) as f64,
        inner as f64 / all,
        outer as f64 / all,
        little as f64 / all,
        longest as f64,
        f64::from(gaps),
        ordered as f64 / f64::from(runs.max(1)),
        missing as f64 / span.len().max(1) as f64,
        replaced as f64 / all,
        slots as f64,
        in_slots as f64 / all,
        f64::from(filled),
        different,
        covered
            .iter()
            .take(HEAD)
            .filter(|token| token.is_some())
            .count() as f64
            / covered.len().clamp(1, HEAD) as f64,
    ]
}

fn main() -> Result<()> {
    println!(
        "set,label,tokens,containment,inner,outer,little,longest,gaps,ordered,inner_large,replaced,slots,in_slots,filled,different,head,a,b"
    );
    for folder in std::env::args().skip(1) {
        set(Path::new(&folder))?;
    }
    Ok(())
}

fn set(folder: &Path) -> Result<()> {
    let name = folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let described = std::fs::read_to_string(folder.join("set.json"))
        .map_err(|e| retold::Error::usage(e.to_string()))?;
    let described: Described =
        serde_json::from_str(&described).map_err(|e| retold::Error::usage(e.to_string()))?;
    let gold = Gold::read(&folder.join(described.gold))?;
    let config = Config {
        method: "shingle".into(),
        params: [
            ("threshold".to_owned(), "0.5".into()),
            ("sample".to_owned(), "4".into()),
        ]
        .into(),
        exact: true,
        ..Config::default()
    };
    let model = Model::new(config)?;
    let sources = discover(&[folder.join(described.input)], &model.config().read)?;
    let (collection, texts) = Collection::read_texts(&sources, &model.config().read, &model, &())?;
    let place: HashMap<&str, PageNo> = PageNo::first(texts.len())
        .map(|page| (&*collection.page(page).id, page))
        .collect();
    let findings = retold::dedup::run(sources, model, &Resources::default(), &())?;
    let grams: Vec<Grams> = texts.iter().map(Grams::of).collect();
    let mut places: Places = HashMap::new();
    for (page, of_page) in PageNo::first(grams.len()).zip(&grams) {
        for (&gram, &at) in &of_page.first {
            places.entry(gram).or_default().push((page, at as u32));
        }
    }
    for pair in &findings.pairs {
        let (a, b) = (findings.id(pair.a), findings.id(pair.b));
        let reported = retold::eval::Reported::new(a, b, pair.relation, f64::from(pair.similarity));
        let label = match gold.label(&reported, described.unlisted) {
            Label::Ignore => continue,
            Label::Distinct => 0,
            _ => 1,
        };
        let (x, y) = (place[a], place[b]);
        if collection.page(x).text == collection.page(y).text {
            continue;
        }
        let (p, q) = (&grams[x.at()], &grams[y.at()]);
        let (small, large) = if p.tokens.len() <= q.tokens.len() {
            (p, q)
        } else {
            (q, p)
        };
        let values: Vec<String> = properties(small, large, &places, &grams)
            .iter()
            .map(|value| format!("{value:.4}"))
            .collect();
        println!("{name},{label},{},{a},{b}", values.join(","));
    }
    Ok(())
}
