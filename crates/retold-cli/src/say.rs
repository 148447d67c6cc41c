//! What a run tells a person at its end.

use std::path::Path;

use indicatif::{BinaryBytes, HumanCount};
use retold_report::Summary;

/// A short account in plain words, on standard output.
pub fn summary(summary: &Summary, out: &Path, verbose: bool) {
    let records = &summary.records;
    let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    let pages = records.kept + records.dropped;
    println!(
        "{} pages read: {} kept, {} dropped as copies ({:.1} % of pages, {:.1} % of bytes: {})",
        HumanCount(pages),
        HumanCount(records.kept),
        HumanCount(records.dropped),
        percent(records.dropped, pages),
        percent(summary.bytes.dropped, summary.bytes.read),
        BinaryBytes(summary.bytes.dropped),
    );
    println!(
        "{} duplicate and {} containing pairs in {} clusters, the largest of {} pages",
        HumanCount(summary.relations.duplicate),
        HumanCount(summary.relations.contains),
        HumanCount(summary.clusters),
        HumanCount(summary.largest_cluster),
    );
    if let Some(old) = summary.old_pages {
        println!(
            "compared with {} old pages, which stay as they are",
            HumanCount(old)
        );
    }
    if summary.sketches.empty > 0 {
        println!(
            "{} pages have no features for this method; only exact copies of them are found",
            HumanCount(summary.sketches.empty)
        );
    }
    if records.skipped > 0 {
        let kinds = records.skipped_by_kind.iter();
        let kinds: Vec<_> = kinds
            .map(|(kind, n)| format!("{} {kind}", HumanCount(*n)))
            .collect();
        println!(
            "{} records skipped: {}",
            HumanCount(records.skipped),
            kinds.join(", ")
        );
    }
    for component in &summary.large_components {
        println!(
            "{} pages hang together with {}: pairs.jsonl lists only those of their pairs that decide what is dropped",
            HumanCount(component.pages),
            component.canonical
        );
    }
    flags(summary);
    if records.rejected > 0 {
        println!(
            "{} records could not be read: see {}",
            HumanCount(records.rejected),
            out.join("rejects.jsonl").display()
        );
    }
    if verbose {
        details(summary);
    }
    let seconds: f64 = summary.run.seconds.iter().map(|(_, seconds)| seconds).sum();
    let stages = summary.run.seconds.iter();
    let stages: Vec<_> = stages
        .map(|(stage, seconds)| format!("{stage} {seconds:.1}"))
        .collect();
    println!(
        "{seconds:.1} s ({}); start with {}",
        stages.join(", "),
        out.join("report.html").display()
    );
}

fn flags(summary: &Summary) {
    const SHOWN: usize = 3;
    for flag in summary.flagged.iter().take(SHOWN) {
        println!(
            "check cluster {}: {} pages, canonical page {}: {}",
            flag.cluster,
            HumanCount(flag.pages),
            flag.canonical,
            flag.reason
        );
    }
    if summary.flagged.len() > SHOWN {
        println!(
            "and {} more, listed under `flagged` in summary.json",
            summary.flagged.len() - SHOWN
        );
    }
}

fn details(summary: &Summary) {
    let extraction = &summary.extraction;
    if extraction.main + extraction.fallback + extraction.over_budget > 0 {
        println!(
            "{} pages compared by main text; compared whole: {} without main text, {} too large",
            HumanCount(extraction.main),
            HumanCount(extraction.fallback),
            HumanCount(extraction.over_budget)
        );
    }
    println!(
        "{} different sketches, {} noise features, {} candidate pairs",
        HumanCount(summary.sketches.different),
        HumanCount(summary.sketches.noise),
        HumanCount(summary.sketches.candidates)
    );
    if summary.sketches.checked > 0 {
        println!(
            "{} pairs verified on their texts, {} of them rejected",
            HumanCount(summary.sketches.checked),
            HumanCount(summary.sketches.refuted)
        );
    }
    let parts = summary.run.thread_seconds.iter();
    let parts: Vec<_> = parts
        .map(|(part, seconds)| format!("{part} {seconds:.3}"))
        .collect();
    println!("CPU seconds by kind of work: {}", parts.join(", "));
    if let Some(bytes) = summary.run.peak_memory {
        println!("peak memory {}", BinaryBytes(bytes));
    }
}
