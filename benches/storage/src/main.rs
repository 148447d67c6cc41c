//! Compares stores for sketches: tantivy, fjall, and the files of `retold-index`.
//!
//!     storage build STORE DIR PAGES.jsonl    # all pages, 10,000 a commit; then single commits, and commits of 1,000
//!     storage query STORE DIR PAGES.jsonl    # opens the store; candidates of 2,000 of the pages, judged by sketches
//!     storage count STORE DIR                # pages that are there
//!
//! STORE is tantivy, fjall or own; `none` keeps nothing. `build` prints how many pages are committed, so that a run can be killed. Only the
//! time of the store is measured, not that of making sketches. Verdicts come from sketches; no store looks texts up.

mod stores;

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::{Duration, Instant};

use retold::{Page};
use retold_index::{Index, Prepared};
use stores::{Fjall, Own, Store, Tantivy, model};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const BATCH: usize = 10_000;

fn open(store: &str, dir: &Path) -> Result<Box<dyn Store>> {
    Ok(match store {
        "tantivy" => Box::new(Tantivy::open(dir)?),
        "fjall" => Box::new(Fjall::open(dir)?),
        "own" => Box::new(Own::open(dir)?),
        "none" => Box::new(()),
        other => return Err(format!("no store {other}").into()),
    })
}

/// Prepared pages, `size` at a time.
fn batches(pages: &str, size: usize) -> Result<impl Iterator<Item = Vec<Prepared>>> {
    let maker = tempfile_index()?;
    let mut lines = BufReader::with_capacity(1 << 20, File::open(pages)?).lines();
    Ok(std::iter::from_fn(move || {
        use rayon::prelude::*;
        let lines: Vec<String> = lines.by_ref().take(size).map_while(std::io::Result::ok).collect();
        let prepare = |line: &String| {
            let page: serde_json::Value = serde_json::from_str(line).ok()?;
            let text = |name: &str| page[name].as_str().map(str::to_owned);
            let made = Page::text(text("id")?, text("text")?);
            maker.prepare(match text("url") {
                Some(url) => made.with_url(url),
                None => made,
            }).ok()
        };
        let made: Vec<Prepared> = lines.par_iter().filter_map(prepare).collect();
        (!made.is_empty()).then_some(made)
    }))
}

/// An empty index, whose model prepares pages for all stores.
fn tempfile_index() -> Result<Index> {
    let dir = std::env::temp_dir().join(format!("storage-{}", std::process::id()));
    let model = model()?;
    Index::builder(&dir).create(&model)?.close()?;
    let index = Index::open(&dir)?;
    std::fs::remove_dir_all(&dir)?;
    Ok(index)
}

fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0) / 1024
}

fn quantile(times: &mut [Duration], share: f64) -> f64 {
    times.sort_unstable();
    let at = ((times.len() - 1) as f64 * share).round() as usize;
    times[at].as_secs_f64() * 1e3
}

fn build(name: &str, dir: &Path, pages: &str) -> Result<()> {
    std::fs::create_dir_all(dir)?;
    let mut store = open(name, dir)?;
    let (mut spent, mut count) = (Duration::ZERO, 0);
    let mut last = Vec::new();
    for batch in batches(pages, BATCH)? {
        let start = Instant::now();
        store.add(&batch)?;
        spent += start.elapsed();
        count += batch.len();
        println!("{count}");
        last = batch;
    }
    let start = Instant::now();
    store.settle()?;
    let settled = start.elapsed();
    println!("bulk: {count} pages, {:.1} s and {:.1} s to settle, {:.0} pages/s", spent.as_secs_f64(), settled.as_secs_f64(),
        count as f64 / (spent + settled).as_secs_f64());
    // The same texts with other ids.
    for (what, size, times) in [("one", 1, 100), ("1,000", 1000, 10)] {
        let mut took = Vec::new();
        for n in 0..times {
            let mut some: Vec<Prepared> = last.iter().skip(n * size % last.len()).take(size).cloned().collect();
            some.iter_mut().for_each(|page| page.entry.id.push_str(what));
            let start = Instant::now();
            store.add(&some)?;
            took.push(start.elapsed());
        }
        println!("commit of {what}: p50 {:.2} ms, p90 {:.2} ms", quantile(&mut took, 0.5), quantile(&mut took, 0.9));
    }
    println!("memory {} MB", memory());
    Ok(())
}

fn query(name: &str, dir: &Path, pages: &str) -> Result<()> {
    let asked: Vec<Prepared> = batches(pages, BATCH)?.take(10).flat_map(|batch| batch.into_iter().step_by(50)).collect();
    let before = memory();
    let start = Instant::now();
    let store = open(name, dir)?;
    println!("opened in {:.2} s, memory {} MB", start.elapsed().as_secs_f64(), memory().saturating_sub(before));
    for round in ["first", "second"] {
        let (mut took, mut found) = (Vec::new(), 0);
        for page in &asked {
            let start = Instant::now();
            found += store.matches(page)?;
            took.push(start.elapsed());
        }
        println!("{round}: {} queries, {found} matches, p50 {:.3} ms, p99 {:.3} ms, memory {} MB", took.len(),
            quantile(&mut took, 0.5), quantile(&mut took, 0.99), memory().saturating_sub(before));
    }
    Ok(())
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["build", store, dir, pages] => build(store, Path::new(dir), pages),
        ["query", store, dir, pages] => query(store, Path::new(dir), pages),
        ["count", store, dir] => Ok(println!("{}", open(store, Path::new(dir))?.count()?)),
        _ => Err("build STORE DIR PAGES | query STORE DIR PAGES | count STORE DIR".into()),
    }
}
