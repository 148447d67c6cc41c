//! What index pruning saves if posting lists are read completely, as CCDet counts (Fig. 9); our join does not read
//! them completely: `cargo run --release -p retold-lab --example counting -- INPUT...`

use std::time::Instant;

use retold::internal::Memory;
use retold::method::Settings;
use retold::read::{ReadOptions, discover};
use retold::{Collection, JudgeConfig, Model};
use rustc_hash::FxHashMap;

fn main() -> retold::Result<()> {
    let inputs: Vec<_> = std::env::args_os().skip(1).map(Into::into).collect();
    let read = ReadOptions::default();
    let sources = discover(&inputs, &read)?;
    println!(
        "| noise | features | postings | longest list | steps | pairs sharing 3 | index s | counting s |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    for noise in ["none", "idf", "site"] {
        let model = Model::new(JudgeConfig {
            method: "period".into(),
            params: Settings::from([("noise".into(), noise.into())]),
            ..JudgeConfig::default()
        })?;
        let collection = Collection::read(&sources, &read, &model, &Memory::default(), &())?;
        let model = match collection.knowledge(&model)? {
            Some(knowledge) => model.with_knowledge(knowledge),
            None => model,
        };
        count(noise, &collection, &model);
    }
    Ok(())
}

/// The paper's steps 1 to 3: an inverted index, each pair of each posting list counts one, equal pairs are added up.
fn count(noise: &str, collection: &Collection, model: &Model) {
    let start = Instant::now();
    let mut lists: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
    for (number, page) in collection.pages.iter().enumerate() {
        let sketch = collection.sketch(&page);
        let deleted = |key: u64| {
            let knowledge = model.knowledge();
            knowledge.is_some_and(|known| known.deletes(key, sketch.site.as_deref()))
        };
        for &key in sketch.keys.iter().filter(|key| !deleted(**key)) {
            lists.entry(key).or_default().push(number as u32);
        }
    }
    let indexed = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let mut pairs: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let mut steps = 0u64;
    for list in lists.values() {
        for (at, &a) in list.iter().enumerate() {
            for &b in &list[at + 1..] {
                *pairs.entry((a, b)).or_default() += 1;
                steps += 1;
            }
        }
    }
    let counted = start.elapsed().as_secs_f64();
    let postings: usize = lists.values().map(Vec::len).sum();
    let longest = lists.values().map(Vec::len).max().unwrap_or_default();
    let related = pairs.values().filter(|shared| **shared >= 3).count();
    println!(
        "| {noise} | {} | {postings} | {longest} | {steps} | {related} | {indexed:.2} | {counted:.2} |",
        lists.len()
    );
}
