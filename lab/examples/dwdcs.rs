//! Experiments of the paper behind `concept` (DWDCS, Journal of Software 2011, 22(8):1816) on labelled sets:
//!
//!     cargo run --release -p retold-lab --example dwdcs -- OUT all SET...
//!
//! Instead of `all`, a list of experiments with commas between. A SET is a folder with `set.json` and `gold.tsv`, as
//! `retold-lab compare` takes them. Files written to the folder OUT: `parts.csv` (what merging and the position test are
//! worth) and `short.csv` (pairs by the length of the shorter page). Table 1 and Figs. 8 and 9 are `benches/dwdcs`.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use retold::eval::{Gold, Label, Score};
use retold::internal::{SketchNo, related_pairs};
use retold::method::{Concept, Method, Sketches, Text, Trace, find_method, text_of};
use retold::read::{Extract, Outcome, ReadOptions, TextOptions, discover};
use retold::{Error, Result};

/// An experiment; writes its results to a table.
type Experiment = fn(&[Set], &mut Table) -> Result<()>;

fn main() -> Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [out, wanted, sets @ ..] = &arguments[..] else {
        return Err(Error::usage("usage: dwdcs OUT all|EXPERIMENT,... SET..."));
    };
    let wanted = wanted.to_string_lossy();
    let is_wanted = |name: &str| wanted == "all" || wanted.split(',').any(|w| w == name);
    std::fs::create_dir_all(out).map_err(Error::io("cannot make", out))?;
    let sets: Vec<Set> = sets
        .iter()
        .map(|set| Set::read(set))
        .collect::<Result<_>>()?;
    let experiments: [(&str, Experiment); 2] = [("parts", parts), ("short", short)];
    for (name, experiment) in experiments.into_iter().filter(|(name, _)| is_wanted(name)) {
        let path = out.join(format!("{name}.csv"));
        let failed = Error::io("cannot write", &path);
        let mut table = Table(BufWriter::new(File::create(&path).map_err(failed)?), path);
        experiment(&sets, &mut table)?;
        table
            .0
            .flush()
            .map_err(Error::io("cannot write", &table.1))?;
    }
    Ok(())
}

struct Table(BufWriter<File>, PathBuf);

impl Table {
    fn line(&mut self, line: &str) -> Result<()> {
        println!("{line}");
        writeln!(self.0, "{line}").map_err(Error::io("cannot write", &self.1))
    }
}

/// The distinct sketches of a set, and the pages with each.
struct Made {
    sketches: Sketches,
    pages: Vec<Vec<usize>>,
}

impl Made {
    fn pairs(&self, method: &Concept) -> Result<Vec<(usize, usize)>> {
        let relates = |a: SketchNo, b: SketchNo| {
            let [a, b] = [a, b].map(|number| self.sketches.get(number));
            method
                .compare(a.as_ref(), b.as_ref(), &mut Trace::off())
                .is_some()
        };
        let judge = |a: SketchNo, b: SketchNo, found: &mut Vec<(SketchNo, SketchNo)>| {
            found.extend(relates(a, b).then_some((a, b)));
        };
        let bounds = |keys| method.bounds(keys);
        let related = related_pairs(&self.sketches, <[u64]>::len, bounds, &(), judge)?.made;
        let same = SketchNo::first(self.sketches.len()).filter(|&n| relates(n, n));
        let mut pairs = Vec::new();
        for (a, b) in related.into_iter().chain(same.map(|n| (n, n))) {
            for &left in &self.pages[a.at()] {
                let right = self.pages[b.at()].iter();
                let right = right.filter(|&&right| a != b || left < right);
                pairs.extend(right.map(|&right| (left, right)));
            }
        }
        Ok(pairs)
    }
}

struct Set {
    name: String,
    ids: Vec<String>,
    texts: Vec<Text>,
    gold: HashMap<(String, String), Label>,
    /// The label of pairs that the gold does not list.
    unlisted: Label,
}

impl Set {
    fn read(folder: &Path) -> Result<Set> {
        let path = folder.join("set.json");
        let json = std::fs::read(&path).map_err(Error::io("cannot read", &path))?;
        let corrupt = |reason: String| Error::Corrupt {
            path: path.clone(),
            reason,
        };
        let json: serde_json::Value =
            serde_json::from_slice(&json).map_err(|e| corrupt(e.to_string()))?;
        let input = json["input"]
            .as_str()
            .ok_or_else(|| corrupt("no `input`".into()))?;
        let unlisted = match json["unlisted"].as_str() {
            Some("ignore") => Label::Ignore,
            _ => Label::Distinct,
        };
        let gold = Gold::read(&folder.join("gold.tsv"))?;
        let gold = gold
            .pairs()
            .map(|(a, b, label)| ((a.to_owned(), b.to_owned()), label))
            .collect();
        let mut set = Set {
            name: folder
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            ids: Vec::new(),
            texts: Vec::new(),
            gold,
            unlisted,
        };
        set.read_texts(&folder.join(input))?;
        Ok(set)
    }

    fn read_texts(&mut self, input: &Path) -> Result<()> {
        let (read, options) = (
            ReadOptions::default(),
            TextOptions {
                extract: Some(Extract::Main),
                ..TextOptions::default()
            },
        );
        for source in discover(&[input.to_owned()], &read)? {
            for record in source.records(&read) {
                if let Outcome::Page(page) = record.parse(&source, &read)
                    && let Ok(text) = text_of(&page, &options)
                {
                    self.ids.push(page.id);
                    self.texts.push(text);
                }
            }
        }
        Ok(())
    }

    fn sketches(&self, method: &Concept) -> Made {
        let made: Vec<_> = self
            .texts
            .par_iter()
            .map(|text| method.sketch(text))
            .collect();
        let mut sketches = Sketches::default();
        let mut pages: Vec<Vec<usize>> = Vec::new();
        for (page, sketch) in made.iter().enumerate() {
            let number = sketches.add(sketch.as_ref()).expect("held in memory").at();
            pages.resize_with(sketches.len(), Vec::new);
            pages[number].push(page);
        }
        Made { sketches, pages }
    }

    /// The score of the method on pairs whose shorter page satisfies `counts`.
    fn score(
        &self,
        method: &Concept,
        made: &Made,
        counts: impl Fn(usize) -> bool,
    ) -> Result<Score> {
        let pairs = made.pairs(method)?;
        let places: HashMap<&str, usize> = self
            .ids
            .iter()
            .enumerate()
            .map(|(n, id)| (&**id, n))
            .collect();
        let chars: Vec<usize> = self
            .texts
            .iter()
            .map(|text| text.seen_chars() as usize)
            .collect();
        let shorter = |a: usize, b: usize| chars[a].min(chars[b]);
        let known = |id: &str| places.get(id).copied();
        let both = |(a, b): &(String, String)| Some(shorter(known(a)?, known(b)?));
        let all = self.gold.iter().filter(|(_, label)| label.is_true());
        let all = all
            .filter(|(ids, _)| both(ids).is_some_and(&counts))
            .count() as u64;
        let (mut tp, mut fp) = (0, 0);
        for (a, b) in pairs.into_iter().filter(|&(a, b)| counts(shorter(a, b))) {
            let (a, b) = (&self.ids[a], &self.ids[b]);
            let ids = (a.min(b).clone(), a.max(b).clone());
            match self.gold.get(&ids).copied().unwrap_or(self.unlisted) {
                label if label.is_true() => tp += 1,
                Label::Distinct => fp += 1,
                _ => {}
            }
        }
        Ok(Score::of(tp, fp, all - tp))
    }
}

fn concept(name: &str, settings: &[(&str, String)]) -> Result<Concept> {
    let info = find_method(name)?;
    let settings = settings
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.as_str().into()))
        .collect();
    Concept::named(name, &info.resolve(&settings)?).ok_or_else(|| Error::usage("not concept"))
}

fn told(score: &Score) -> String {
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.4}"));
    let [p, r, f1] = [score.precision, score.recall, score.f1].map(number);
    format!("{p},{r},{f1},{},{},{}", score.tp, score.fp, score.r#fn)
}

/// With and without merging, with and without the position test; also `keyworld`.
fn parts(sets: &[Set], table: &mut Table) -> Result<()> {
    table.line("set,method,positions,precision,recall,f1,tp,fp,fn")?;
    // A spread that no page reaches.
    let off = ("spread", "100".to_owned());
    let no_merging = ("merge", "1".to_owned());
    for set in sets {
        for (name, label, settings) in [
            ("concept", "concept", &[][..]),
            (
                "concept",
                "concept without merging",
                std::slice::from_ref(&no_merging),
            ),
            ("keyworld", "keyworld", &[]),
        ] {
            let tested = concept(name, settings)?;
            let untested = concept(name, &[settings, std::slice::from_ref(&off)].concat())?;
            // The sketch does not depend on positions.
            let made = set.sketches(&tested);
            for (method, positions) in [(tested, "tested"), (untested, "not tested")] {
                let score = set.score(&method, &made, |_| true)?;
                table.line(&format!(
                    "{},{label},{positions},{}",
                    set.name,
                    told(&score)
                ))?;
            }
        }
    }
    Ok(())
}

fn short(sets: &[Set], table: &mut Table) -> Result<()> {
    let method = concept("concept", &[])?;
    table.line("set,characters_of_the_shorter_page,precision,recall,f1,tp,fp,fn")?;
    for set in sets {
        let made = set.sketches(&method);
        for (from, below) in [
            (0, 200),
            (200, 500),
            (500, 2000),
            (2000, 5000),
            (5000, usize::MAX),
        ] {
            let score = set.score(&method, &made, |chars| (from..below).contains(&chars))?;
            if score.tp + score.fp + score.r#fn > 0 {
                table.line(&format!("{},{from}-,{}", set.name, told(&score)))?;
            }
        }
    }
    Ok(())
}
