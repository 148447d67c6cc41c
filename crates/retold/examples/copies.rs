//! Drops copies among the files that are named, as `retold dedup` does, and prints which.
//!
//! cargo run --release -p retold --example copies -- examples/pages

use std::path::PathBuf;

use retold::read::discover;
use retold::{Dedup, JudgeConfig, Model};

fn main() -> retold::Result<()> {
    let inputs: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let config = JudgeConfig::default();
    let sources = discover(&inputs, &config.read)?;
    let findings = Dedup::new(Model::new(config)?).run(sources)?;
    for dropped in &findings.dropped {
        println!(
            "{} goes for {}",
            findings.id(dropped.page),
            findings.id(dropped.canonical)
        );
    }
    println!(
        "{} of {} pages go",
        findings.dropped.len(),
        findings.by_id.len()
    );
    Ok(())
}
