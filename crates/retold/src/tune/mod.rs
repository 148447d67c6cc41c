//! Parameters of a method that fit a labelled set, found by a genetic algorithm (METHODS §2.6).
//!
//! Pages are read once. Those that the gold connects stay together: a part of the groups is held out, the search sees
//! the others only, and the result is scored on both, beside what it started from.

mod page;
mod search;

use std::collections::HashMap;
use std::path::PathBuf;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::bench::Bench;
use crate::collect::Collection;
use crate::error::{Error, Result};
use crate::eval::{Gold, Label, Score, Unlisted};
use crate::method::{self, Domain, MethodInfo, Param, Params, Value};
use crate::pipeline::in_pool;
use crate::read::{ReadOptions, discover};
use crate::text::{Text, TextOptions};
use crate::watch::Watch;
use search::Gene;

/// What is tuned, on what, and for how long.
#[derive(Clone, Debug)]
pub struct Options {
    /// Files and directories to read.
    pub inputs: Vec<PathBuf>,
    /// How records become pages.
    pub read: ReadOptions,
    /// How pages become texts.
    pub text: TextOptions,
    /// The method's name.
    pub method: String,
    /// Parameters (name, value) that keep these values.
    pub fixed: Vec<(String, String)>,
    /// Choices to search too; unless named they keep their values.
    pub choices: Vec<String>,
    /// The labelled pairs.
    pub gold: PathBuf,
    /// What a reported pair that the gold does not list counts as.
    pub unlisted: Unlisted,
    /// How many times as much recall counts as precision: 1 for F1.
    pub beta: f64,
    /// What the chances of the search and the split follow from.
    pub seed: u64,
    /// Sets of parameters in a generation.
    pub population: usize,
    /// Generations after the first.
    pub generations: usize,
    /// The part of the groups of pages that the search does not see, from 0 to 1.
    pub held_out: f64,
    /// Threads that work; 0 for one a core.
    pub threads: usize,
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// The method's name.
    pub method: &'static str,
    /// What the search began with: the defaults and what was fixed.
    pub before: Params,
    /// The best parameters on the pages that the search saw.
    pub after: Params,
    /// The parameters that were searched.
    pub searched: Vec<&'static Param>,
    /// The scores of `before` and `after`, on the pages that the search saw and on the others.
    pub scores: Scores,
    /// Pages that the search saw, and pages held out.
    pub pages: (usize, usize),
    /// The generation and F of each set of parameters tried, in order.
    pub tried: Vec<(usize, f64)>,
    /// How many times texts were sketched, rather than sketches taken from an earlier trial.
    pub sketched: usize,
    /// See [`Options::beta`].
    pub beta: f64,
    /// See [`Options::seed`].
    pub seed: u64,
}

/// Scores of any relation.
#[derive(Clone, Copy, Debug)]
pub struct Scores {
    /// Before the search, on the pages that it saw.
    pub seen_before: Score,
    /// After it.
    pub seen_after: Score,
    /// Before the search, on the pages held out.
    pub held_before: Score,
    /// After it.
    pub held_after: Score,
}

impl Tuned {
    /// The parameter file: what `--params` accepts.
    pub fn params_file(&self) -> String {
        page::params_file(self)
    }

    /// A page that shows the search, with all that it needs in itself.
    pub fn html(&self) -> String {
        page::html(self)
    }
}

/// Reads the pages and searches.
pub fn run(options: &Options, watch: &dyn Watch) -> Result<Tuned> {
    let info = method::find(&options.method)?;
    let before = info.resolve(&options.fixed)?;
    let genes = genes(info, options)?;
    let gold = Gold::read(&options.gold)?;
    in_pool(options.threads, || {
        let extract = options.text.extract.unwrap_or(info.extract);
        extract.check()?;
        let text = TextOptions {
            extract: Some(extract),
            ..options.text.clone()
        };
        let sources = discover(&options.inputs, &options.read)?;
        let (collection, texts) = Collection::read_texts(&sources, &options.read, &text, watch)?;
        let labels = labels(&collection, &gold);
        let (seen, held) = split(&collection, &labels, options);
        if ![&seen, &held].iter().all(|side| has_related(side, &labels)) {
            return Err(Error::Usage(format!(
                "{}: too few related pairs name pages of the input to have some on both sides of the split; check \
                 the ids, or choose another --held-out or --seed",
                options.gold.display()
            )));
        }
        let task = Task {
            info,
            collection: &collection,
            texts: &texts,
            labels: &labels,
            unlisted: options.unlisted,
        };
        tune(&task, options, genes, before, (&seen, &held), watch)
    })
}

fn tune(
    task: &Task<'_>,
    options: &Options,
    genes: Vec<Gene>,
    before: Params,
    (seen, held): (&[u32], &[u32]),
    watch: &dyn Watch,
) -> Result<Tuned> {
    let settings_at = |points: &[f64]| -> Vec<(String, String)> {
        let genes = genes.iter().zip(points);
        let searched =
            genes.map(|(gene, &at)| (gene.param.name.to_owned(), gene.value(at).to_string()));
        options.fixed.iter().cloned().chain(searched).collect()
    };
    let mut side = Side::new(task, seen);
    let mut known: HashMap<String, f64> = HashMap::new();
    let mut tried = Vec::new();
    let start = genes
        .iter()
        .map(|gene| gene.point(value_of(&before, gene.param.name)));
    let judged_by = (task.info.build)(&before).judged_by();
    let own = |name| task.info.params.iter().any(|param| param.name == name);
    let cheap: Vec<bool> = genes
        .iter()
        .map(|gene| judged_by.contains(&gene.param.name) || !own(gene.param.name))
        .collect();
    let trials = options.population * (options.generations + 1);
    watch.begin("tuning", trials as u64);
    let size = (options.population, options.generations);
    let best = search::search(
        start.collect(),
        &cheap,
        size,
        options.seed,
        |generation, points| {
            watch.advance(1);
            let params = task.info.resolve(&settings_at(points))?;
            let name = params.written(|_| true);
            let f = match known.get(&name) {
                Some(&f) => f,
                None => side.score(&params, watch)?.f_beta(options.beta),
            };
            known.insert(name, f);
            tried.push((generation, f));
            Ok::<f64, Error>(f)
        },
    )?;
    let after = task.info.resolve(&settings_at(&best))?;
    let (seen_before, seen_after) = (side.score(&before, watch)?, side.score(&after, watch)?);
    let sketched = side.bench.sketched();
    let mut other = Side::new(task, held);
    let scores = Scores {
        seen_before,
        seen_after,
        held_before: other.score(&before, watch)?,
        held_after: other.score(&after, watch)?,
    };
    Ok(Tuned {
        method: task.info.name,
        before,
        after,
        searched: genes.iter().map(|gene| gene.param).collect(),
        scores,
        pages: (seen.len(), held.len()),
        tried,
        sketched,
        beta: options.beta,
        seed: options.seed,
    })
}

/// The parameters to search: all that are not fixed, choices only if named.
fn genes(info: &'static MethodInfo, options: &Options) -> Result<Vec<Gene>> {
    let is_choice = |param: &Param| matches!(param.domain, Domain::Choice(..));
    let choices = || info.all_params().filter(|param| is_choice(param));
    if let Some(name) = options
        .choices
        .iter()
        .find(|name| !choices().any(|p| p.name == **name))
    {
        let known: Vec<_> = choices().map(|param| param.name).collect();
        return Err(Error::Usage(format!(
            "method {} has no choice called `{name}`; it has: {}",
            info.name,
            if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            }
        )));
    }
    let wanted = |param: &&Param| {
        let fixed = options.fixed.iter().any(|(name, _)| name == param.name);
        !fixed && (!is_choice(param) || options.choices.iter().any(|name| name == param.name))
    };
    let genes: Vec<Gene> = info.all_params().filter(wanted).map(Gene::new).collect();
    if genes.is_empty() {
        return Err(Error::Usage(format!(
            "all parameters of {} are fixed: nothing is left to tune",
            info.name
        )));
    }
    Ok(genes)
}

/// Labels by pairs of pages (places in the collection), the smaller first.
type Labels = HashMap<(u32, u32), Label>;

fn labels(collection: &Collection, gold: &Gold) -> Labels {
    let ids = collection.pages.iter().zip(0u32..);
    let at: HashMap<&str, u32> = ids.map(|(page, at)| (&*page.id, at)).collect();
    let pair = |(a, b, label): (&str, &str, Label)| {
        let (a, b) = (*at.get(a)?, *at.get(b)?);
        Some(((a.min(b), a.max(b)), label))
    };
    gold.pairs().filter_map(pair).collect()
}

fn has_related(side: &[u32], labels: &Labels) -> bool {
    let on_side = |page: &u32| side.binary_search(page).is_ok();
    labels
        .iter()
        .any(|((a, b), label)| label.is_true() && on_side(a) && on_side(b))
}

/// The pages that the search sees and those held out; pages that the gold connects are on one side.
fn split(collection: &Collection, labels: &Labels, options: &Options) -> (Vec<u32>, Vec<u32>) {
    let mut parent: Vec<u32> = (0..collection.pages.len() as u32).collect();
    fn root(parent: &mut [u32], mut page: u32) -> u32 {
        while parent[page as usize] != page {
            parent[page as usize] = parent[parent[page as usize] as usize];
            page = parent[page as usize];
        }
        page
    }
    for ((a, b), _) in labels.iter().filter(|(_, label)| label.is_true()) {
        let (a, b) = (root(&mut parent, *a), root(&mut parent, *b));
        parent[a.max(b) as usize] = a.min(b);
    }
    // By the smallest id of the group, so that the order of reading does not matter.
    let mut first: HashMap<u32, &str> = HashMap::new();
    for page in 0..parent.len() as u32 {
        let id = &*collection.pages[page as usize].id;
        let smallest = first.entry(root(&mut parent, page)).or_insert(id);
        *smallest = (*smallest).min(id);
    }
    (0..parent.len() as u32).partition(|&page| {
        let id = first[&root(&mut parent, page)];
        let at = xxh3_64_with_seed(id.as_bytes(), options.seed) >> 11;
        at as f64 / (1u64 << 53) as f64 >= options.held_out
    })
}

/// What sets of parameters are scored on.
struct Task<'a> {
    info: &'static MethodInfo,
    collection: &'a Collection,
    texts: &'a [Text],
    labels: &'a Labels,
    unlisted: Unlisted,
}

/// One side of the split.
struct Side<'a> {
    task: &'a Task<'a>,
    bench: Bench<'a>,
    truths: usize,
}

impl<'a> Side<'a> {
    fn new(task: &'a Task<'a>, pages: &'a [u32]) -> Side<'a> {
        let here = |page: &u32| pages.binary_search(page).is_ok();
        let labels = task.labels.iter();
        let truths = labels.filter(|((a, b), label)| label.is_true() && here(a) && here(b));
        Side {
            truths: truths.count(),
            task,
            bench: Bench::new(task.info, (task.collection, task.texts), pages),
        }
    }

    /// The score of the pairs of any relation that the method finds among the pages of this side.
    fn score(&mut self, params: &Params, watch: &dyn Watch) -> Result<Score> {
        let pairs = self.bench.pairs(params, watch)?.pairs;
        let (mut tp, mut fp) = (0, 0);
        for pair in &pairs {
            let (a, b) = (pair.a, pair.b);
            match self.task.labels.get(&(a.min(b), a.max(b))) {
                Some(label) if label.is_true() => tp += 1,
                Some(Label::Distinct) => fp += 1,
                None if self.task.unlisted == Unlisted::Distinct => fp += 1,
                _ => {}
            }
        }
        Ok(Score::of(tp, fp, self.truths as u64 - tp))
    }
}

fn value_of<'a>(params: &'a Params, name: &str) -> &'a Value {
    let mut values = params.iter();
    let found = values.find(|(known, _)| *known == name);
    found
        .map(|(_, value)| value)
        .unwrap_or_else(|| unreachable!("{name} is declared and so has a value"))
}
