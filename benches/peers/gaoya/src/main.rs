//! Runs gaoya as its documentation does: reports pages whose lower-cased word 5-grams have an estimated resemblance of at least 0.8.
//! Usage: peer-gaoya PAGES.jsonl PAIRS.tsv

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};

use gaoya::minhash::{MinHashIndex, MinHasher, MinHasher32};

#[derive(serde::Deserialize)]
struct Page {
    id: String,
    text: String,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (input, output) = (arguments.next().unwrap(), arguments.next().unwrap());
    let (bands, width) = (42, 3);
    let minhasher = MinHasher32::new(bands * width);
    let mut index = MinHashIndex::new(bands, width, 0.8);
    let mut ids = Vec::new();
    for (number, line) in BufReader::new(File::open(input).unwrap()).lines().enumerate() {
        let page: Page = serde_json::from_str(&line.unwrap()).unwrap();
        let text = page.text.to_lowercase();
        let words: Vec<&str> = text.split_whitespace().collect();
        let shingles = words.windows(5).map(|words| words.join(" "));
        index.insert(number, minhasher.create_signature(shingles));
        ids.push(page.id);
    }
    let mut out = BufWriter::new(File::create(output).unwrap());
    for a in 0..ids.len() {
        for &b in index.query_by_id(&a) {
            if ids[a] < ids[b] {
                writeln!(out, "{}\t{}", ids[a], ids[b]).unwrap();
            }
        }
    }
}
