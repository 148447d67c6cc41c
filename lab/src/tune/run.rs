//! Reads the pages, and searches.

use std::collections::HashMap;

use retold::eval::Gold;
use retold::internal::in_pool;
use retold::method::{Domain, MethodInfo, Param, Params, find_method};
use retold::{Collection, Error, Model, PageNo, Result, Watch};

use super::gene::Gene;
use super::options::Options;
use super::search::search;
use super::side::{Side, Task};
use super::split::{has_related, labels, split};
use super::tuned::{Scores, Tuned, value_of};
use crate::bench::written;

/// Reads the pages and searches.
pub fn run(options: &Options, watch: &dyn Watch) -> Result<Tuned> {
    let base = &options.base;
    let info = find_method(&base.method)?;
    let before = info.resolve(&base.params)?;
    let genes = genes(info, options)?;
    let gold = Gold::read(&options.gold)?;
    in_pool(options.threads, || {
        let (sources, model) = (&options.sources, Model::new(base.clone())?);
        let (collection, texts) = Collection::read_texts(sources, &base.read, &model, watch)?;
        let labels = labels(&collection, &gold);
        let sides = split(&collection, &labels, options);
        if ![&sides.0, &sides.1]
            .iter()
            .all(|side| has_related(side, &labels))
        {
            return Err(too_few(options, &collection));
        }
        let task = Task {
            base,
            collection: &collection,
            texts: &texts,
            labels: &labels,
            unlisted: options.unlisted,
        };
        let search = Search {
            options,
            info,
            task,
            genes,
            before,
        };
        search.run(&sides.0, &sides.1, watch)
    })
}

fn too_few(options: &Options, collection: &Collection) -> Error {
    let (count, first) = rejected(options, collection);
    let rejected = first.map_or(String::new(), |first| {
        format!("; rejected records: {count}, the first in {first}")
    });
    Error::Usage(format!(
        "{}: too few related pairs name pages of the input to have some on both sides of the split; check the ids, or \
         choose another --held-out or --seed{rejected}",
        options.gold.display()
    ))
}

fn rejected(options: &Options, collection: &Collection) -> (usize, Option<String>) {
    let first = collection.rejects.first().map(|reject| {
        let name = &options.sources[reject.source as usize].name;
        format!("{name}, record {}: {}", reject.record, reject.reason)
    });
    (collection.rejects.len(), first)
}

struct Search<'a> {
    options: &'a Options,
    info: &'static MethodInfo,
    task: Task<'a>,
    genes: Vec<Gene>,
    before: Params,
}

impl Search<'_> {
    fn run(&self, seen: &[PageNo], held: &[PageNo], watch: &dyn Watch) -> Result<Tuned> {
        let mut side = Side::new(&self.task, seen);
        let (after, tried) = self.best(&mut side, watch)?;
        let before = self.before.clone();
        let (seen_before, seen_after) = (side.score(&before, watch)?, side.score(&after, watch)?);
        let mut other = Side::new(&self.task, held);
        let scores = Scores {
            seen_before,
            seen_after,
            held_before: other.score(&before, watch)?,
            held_after: other.score(&after, watch)?,
        };
        Ok(Tuned {
            method: self.info.name,
            before,
            after,
            rejected: rejected(self.options, self.task.collection),
            searched: self.genes.iter().map(|gene| gene.param).collect(),
            scores,
            pages: (seen.len(), held.len()),
            tried,
            sketched: side.bench.sketched(),
            beta: self.options.beta,
            seed: self.options.seed,
        })
    }

    /// The best parameters on a side, with the generation and F of each set that was tried.
    fn best(&self, side: &mut Side<'_>, watch: &dyn Watch) -> Result<(Params, Vec<(usize, f64)>)> {
        let options = self.options;
        let mut known: HashMap<String, f64> = HashMap::new();
        let mut tried = Vec::new();
        let (population, generations) = (options.population, options.generations);
        let trials = population * (generations + 1);
        watch.begin("tuning", trials as u64);
        let fitness = |generation, points: &[f64]| {
            watch.advance(1);
            let params = self.params_at(points)?;
            let name = written(&params, |_| true);
            let f = match known.get(&name) {
                Some(&f) => f,
                None => side.score(&params, watch)?.f_beta(options.beta),
            };
            known.insert(name, f);
            tried.push((generation, f));
            Ok::<f64, Error>(f)
        };
        let (start, cheap) = (self.start(), self.cheap());
        let best = search(
            start,
            &cheap,
            population,
            generations,
            options.seed,
            fitness,
        )?;
        Ok((self.params_at(&best)?, tried))
    }

    fn start(&self) -> Vec<f64> {
        let genes = self.genes.iter();
        let point = |gene: &Gene| gene.point(value_of(&self.before, gene.param.name));
        genes.map(point).collect()
    }

    /// For each gene, whether sketches can be reused when only this gene changes.
    fn cheap(&self) -> Vec<bool> {
        let info = self.info;
        let own = |name| info.own_params().any(|param| param.name == name);
        let names = self.genes.iter().map(|gene| gene.param.name);
        names
            .map(|name| info.judged_by.contains(&name) || !own(name))
            .collect()
    }

    fn params_at(&self, points: &[f64]) -> Result<Params> {
        let genes = self.genes.iter().zip(points);
        let searched = genes.map(|(gene, &at)| (gene.param.name.to_owned(), gene.value(at)));
        let mut settings = self.options.base.params.clone();
        settings.extend(searched);
        self.info.resolve(&settings)
    }
}

/// The parameters to search: those that are not fixed; of parameters with named values, only the requested ones.
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
            "method {} has no parameter `{name}` whose values are names; it has: {}",
            info.name,
            if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            }
        )));
    }
    let wanted = |param: &&Param| {
        let fixed = options.base.params.contains_key(param.name);
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
