//! `retold explain OUT --settings`: what other settings would drop of the same pages.

use std::collections::BTreeMap;
use std::fmt::Write;

use retold::method::Preset;
use retold::{Dedup, DropRule, Error, JudgeConfig, OwnLimit, Result, Watch};
use retold_report::Finished;

use crate::say::count;

/// Pages that are shown between two settings.
const EXAMPLES: usize = 10;

/// A setting, and the pages that it drops, with the page for which each goes.
struct Setting {
    name: String,
    dropped: BTreeMap<String, String>,
}

/// The settings to try for a run: how much of its own a page may say, and the presets. The run's own comes first.
fn settings(config: &JudgeConfig) -> Result<Vec<(String, JudgeConfig)>> {
    let mut settings = vec![("the run's own".to_owned(), config.clone())];
    for own in ["0", "12,5%", "50,20%"] {
        let limit: OwnLimit = own.parse().map_err(Error::Usage)?;
        let mut with = config.clone();
        limit.set(&config.method, &mut with.params)?;
        settings.push((format!("--own {own}"), with));
    }
    for name in ["copies", "retellings"] {
        let mut with = config.clone();
        with.params = Preset::find(name)?.settings();
        settings.push((format!("--preset {name}"), with));
    }
    let mut with = config.clone();
    with.drop = DropRule::Overlaps;
    settings.push(("--drop overlaps".to_owned(), with));
    Ok(settings)
}

/// Says how many pages each setting would drop, and shows some of those that one drops and the one before does not.
///
/// Errors: the method of the run does not count own passages; the inputs cannot be read.
pub fn compare(run: &Finished, watch: &dyn Watch) -> Result<String> {
    let model = &run.inputs.model;
    let mut tried = Vec::new();
    let mut pages = 0;
    for (name, config) in settings(model.config())? {
        watch.part(&name);
        let mut with = retold::Model::new(config)?;
        if let Some(known) = model.knowledge() {
            // What is common is the same for all settings.
            with = with.with_knowledge(known.clone());
        }
        let findings = Dedup::new(with)
            .watch(watch)
            .run(run.inputs.sources.clone())?;
        pages = findings.by_id.len();
        let dropped = findings.dropped.iter().map(|dropped| {
            let [page, canonical] =
                [dropped.page, dropped.canonical].map(|rank| findings.id(rank).into_owned());
            (page, canonical)
        });
        tried.push(Setting {
            name,
            dropped: dropped.collect(),
        });
    }
    tried.sort_by_key(|setting| setting.dropped.len());
    Ok(shown(&tried, pages as u64))
}

fn shown(tried: &[Setting], pages: u64) -> String {
    let mut out = format!("of {}, each setting drops:\n", count(pages, "page"));
    for setting in tried {
        let dropped = setting.dropped.len();
        let percent = 100.0 * dropped as f64 / pages.max(1) as f64;
        // Writing to memory cannot fail.
        let _ = writeln!(out, "  {:20} {dropped:>9}  {percent:5.1} %", setting.name);
    }
    for pair in tried.windows(2) {
        let more: Vec<_> = pair[1]
            .dropped
            .iter()
            .filter(|(page, _)| !pair[0].dropped.contains_key(*page))
            .collect();
        if more.is_empty() {
            continue;
        }
        let _ = writeln!(
            out,
            "\n{} with {}, not with {}:",
            count(more.len() as u64, "page"),
            pair[1].name,
            pair[0].name
        );
        // Spread over all of them.
        let step = more.len().div_ceil(EXAMPLES);
        for (page, canonical) in more.iter().step_by(step) {
            let _ = writeln!(out, "  {page}  for  {canonical}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_between_two_settings() {
        let setting = |name: &str, pages: &[&str]| Setting {
            name: name.to_owned(),
            dropped: pages
                .iter()
                .map(|page| ((*page).to_owned(), "kept".to_owned()))
                .collect(),
        };
        let tried = [
            setting("a", &[]),
            setting("b", &["x"]),
            setting("c", &["x", "y"]),
        ];
        assert_eq!(
            shown(&tried, 8),
            "of 8 pages, each setting drops:\n  a                            0    0.0 %\n  b                            1   12.5 %\n  \
             c                            2   25.0 %\n\n1 page with b, not with a:\n  x  for  kept\n\n1 page with c, not with b:\n  y  for  kept\n"
        );
    }
}
