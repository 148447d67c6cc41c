//! Labelled sets, and how the results of a method on one are scored.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use retold::eval::{Evaluation, Gold, Label, Reported, Unlisted, evaluate, evaluate_clusters};
use retold::method::Text;
use retold::read::discover;
use retold::{Collection, Error, Model, PageNo, Result, Watch};
use serde::Deserialize;

use super::chance::Tallies;
use crate::bench::Found;

/// A labelled set: pages and what some of their pairs are (`docs/reference/eval.md`), perhaps planted in a haystack.
#[derive(Clone, Debug)]
pub struct LabelledSet {
    /// What it is called.
    pub name: String,
    /// As it was named.
    pub written: String,
    /// Its pages.
    input: PathBuf,
    /// Pages without labels that its own pages are among. A pair of a page of the set and one of the haystack is
    /// false, whatever the labels say of unlisted pairs; a pair inside the haystack is not scored.
    pub haystack: Option<PathBuf>,
    /// The labels.
    pub gold: Gold,
    /// What a pair of its pages counts as that the labels do not list.
    pub unlisted: Unlisted,
    /// Whether standard errors are those of events (the first folders of ids) and not of groups.
    pub events: bool,
}

/// `set.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Described {
    input: PathBuf,
    gold: PathBuf,
    unlisted: Unlisted,
}

/// The file that makes a folder a labelled set.
const DESCRIBED: &str = "set.json";

/// A set's pages, read.
pub(super) struct Pages {
    pub collection: Collection,
    pub texts: Vec<Text>,
    /// Sources from this one on are the haystack's.
    haystack: u32,
}

/// How good what was found is.
pub(super) struct Scored {
    pub evaluation: Evaluation,
    /// True pairs found whose relation the labels name.
    pub named: u64,
    /// How alike the clusters are, of the pages that the gold names.
    pub adjusted_rand: Option<f64>,
    pub tallies: Tallies,
}

impl LabelledSet {
    /// Opens `NAME=DIR` or `NAME=DIR+HAYSTACK`.
    pub fn open(written: &str) -> Result<LabelledSet> {
        let wrong = |what: String| Error::Usage(format!("--set {written}: {what}"));
        let (name, place) = written
            .split_once('=')
            .filter(|(name, place)| !name.is_empty() && !place.is_empty())
            .ok_or_else(|| wrong("NAME=DIR expected".into()))?;
        let (folder, haystack) = match place.rsplit_once('+') {
            Some((folder, haystack)) if !Path::new(place).exists() => (folder, Some(haystack)),
            _ => (place, None),
        };
        let folder = Path::new(folder);
        let path = folder.join(DESCRIBED);
        let text = std::fs::read_to_string(&path).map_err(|e| {
            wrong(format!(
                "{}: {e}; a labelled set is a folder with a {DESCRIBED} such as {{\"input\":\"pages\",\
                 \"gold\":\"gold.tsv\",\"unlisted\":\"distinct\"}}",
                path.display()
            ))
        })?;
        let described: Described = serde_json::from_str(&text).map_err(|e| Error::Corrupt {
            path: path.clone(),
            reason: e.to_string(),
        })?;
        Ok(LabelledSet {
            name: name.to_owned(),
            written: written.to_owned(),
            input: folder.join(described.input),
            haystack: haystack.map(PathBuf::from),
            gold: Gold::read(&folder.join(described.gold))?,
            unlisted: described.unlisted,
            events: false,
        })
    }

    /// The files and folders to read.
    pub(super) fn inputs(&self) -> Vec<PathBuf> {
        let own = std::iter::once(&self.input);
        own.chain(&self.haystack).cloned().collect()
    }

    /// How many pairs are related, by the labels.
    pub fn true_pairs(&self) -> usize {
        let pairs = self.gold.pairs();
        pairs.filter(|(.., label)| label.is_true()).count()
    }

    /// Reads the pages as models that see as much of them as `model` see them.
    pub(super) fn read(&self, model: &Model, watch: &dyn Watch) -> Result<Pages> {
        let read = &model.config().read;
        let mut sources = discover(std::slice::from_ref(&self.input), read)?;
        let haystack = sources.len() as u32;
        if let Some(path) = &self.haystack {
            sources.extend(discover(std::slice::from_ref(path), read)?);
        }
        let (collection, texts) = Collection::read_texts(&sources, read, model, watch)?;
        self.check_ids(&collection, watch)?;
        Ok(Pages {
            collection,
            texts,
            haystack,
        })
    }

    /// Labels that name no page of the set are a mistake, or pages are missing.
    fn check_ids(&self, collection: &Collection, watch: &dyn Watch) -> Result<()> {
        let pages = PageNo::first(collection.pages.len());
        let known: HashSet<Cow<'_, str>> = pages.map(|page| collection.id(page)).collect();
        let labelled: HashSet<&str> = self.gold.pairs().flat_map(|(a, b, _)| [a, b]).collect();
        let missing: Vec<&str> = labelled
            .iter()
            .copied()
            .filter(|id| !known.contains(*id))
            .collect();
        let Some(first) = missing.iter().min() else {
            return Ok(());
        };
        let what = format!(
            "set {}: {} of {} labelled pages are not in {}, the first one is `{first}`",
            self.name,
            missing.len(),
            labelled.len(),
            self.input.display()
        );
        if missing.len() == labelled.len() {
            return Err(Error::Usage(what));
        }
        watch.warn(&what);
        Ok(())
    }

    /// Scores what a method found.
    pub(super) fn score(&self, pages: &Pages, found: &Found) -> Scored {
        let page = |number: PageNo| pages.collection.page(number);
        let in_haystack = |number: PageNo| page(number).source >= pages.haystack;
        let mut reported = Vec::new();
        let mut crossing = Vec::new();
        for pair in &found.pairs {
            let (id_a, id_b) = (pages.collection.id(pair.a), pages.collection.id(pair.b));
            match (in_haystack(pair.a), in_haystack(pair.b)) {
                (true, true) => continue,
                (false, false) => {}
                _ => crossing.push((id_a.clone(), id_b.clone())),
            }
            let similarity = f64::from(pair.similarity);
            reported.push(Reported::new(&id_a, &id_b, pair.relation, similarity));
        }
        let planted;
        let gold = if crossing.is_empty() {
            &self.gold
        } else {
            let crossing = crossing.iter().map(|(a, b)| (&**a, &**b));
            planted = self.gold.with_distinct(&crossing.collect::<Vec<_>>());
            &planted
        };
        let label = |pair: &Reported| gold.label(pair, self.unlisted);
        let named = |pair: &&Reported| matches!(label(pair), Label::Is(_));
        Scored {
            named: reported.iter().filter(named).count() as u64,
            adjusted_rand: evaluate_clusters(&reported, &self.gold, None).adjusted_rand,
            evaluation: evaluate(&reported, gold, self.unlisted, f64::NEG_INFINITY),
            tallies: Tallies::of(gold, &reported, self.unlisted, self.events),
        }
    }
}
