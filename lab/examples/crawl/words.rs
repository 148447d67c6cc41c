//! Text made from the words of real texts.

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// The words of real texts, in order.
pub struct Words(Vec<String>);

const WORDS: usize = 2_000_000;

impl Words {
    pub fn read(path: &str) -> Result<Words, Box<dyn Error>> {
        let mut words = Vec::new();
        for line in BufReader::new(File::open(path)?).lines() {
            let record: serde_json::Value = serde_json::from_str(&line?)?;
            let text = record["text"].as_str().unwrap_or_default();
            let plain = text
                .split_whitespace()
                .filter(|word| word.len() < 20 && word.chars().all(char::is_alphabetic));
            words.extend(plain.map(str::to_lowercase));
            if words.len() > WORDS {
                break;
            }
        }
        match words.is_empty() {
            true => Err(format!("{path}: no words in the field `text`").into()),
            false => Ok(Words(words)),
        }
    }

    /// Sentences of about twelve words, `count` words in total; the same for the same seed.
    pub fn article(&self, seed: u64, count: usize) -> Vec<String> {
        let mut random = Random(seed.wrapping_mul(0xA24B_AED4_963E_E407));
        let mut sentences = Vec::new();
        let mut made = 0;
        while made < count {
            let length = 8 + random.below(9);
            made += length;
            sentences.push(self.sentence(&mut random, length));
        }
        sentences
    }

    /// Copies up to three consecutive words at a time.
    fn sentence(&self, random: &mut Random, length: usize) -> String {
        let mut words: Vec<&str> = Vec::with_capacity(length + 3);
        while words.len() < length {
            let (from, run) = (random.below(self.0.len()), 1 + random.below(3));
            let end = (from + run).min(self.0.len());
            words.extend(self.0[from..end].iter().map(String::as_str));
        }
        format!("{}. ", words.join(" "))
    }

    /// An article between the template lines of its site.
    pub fn in_template(&self, site: u64, article: Vec<String>) -> String {
        let lines = self.article(u64::MAX - site, 48);
        let (head, foot) = lines.split_at(1);
        let article: Vec<String> = article.chunks(4).map(<[String]>::concat).collect();
        format!(
            "{}\n\n{}\n\n{}",
            head.concat(),
            article.join("\n\n"),
            foot.concat()
        )
    }
}
