//! Reads texts once, and runs a method over them with different parameters; used by `tune` and `compare`.

use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use retold::internal::{Take, TextSource, cpu_time};
use retold::method::{Frequencies, Knowledge, Params, Sketch, Text};
use retold::{
    Collection, Dedup, Error, JudgeConfig, Model, PageNo, Rank, Relation, Result, RunConfig, Watch,
};
use rustc_hash::FxHashSet;

/// Some pages of a collection, with cached sketches.
pub(crate) struct Bench<'a> {
    base: JudgeConfig,
    collection: &'a Collection,
    texts: &'a [Text],
    pages: &'a [PageNo],
    made: VecDeque<Made>,
    times: Vec<Time>,
}

/// Elapsed time, and CPU time of all cores if the system reports it.
pub(crate) type Time = (Duration, Option<Duration>);

/// Cached results that depend on some of the parameters.
struct Made {
    of: String,
    /// The document frequencies, if the method weighs words.
    words: Option<Knowledge>,
    sketches: Rc<Vec<Sketch>>,
}

pub(crate) struct Found {
    pub(crate) pairs: Vec<FoundPair>,
    pub(crate) candidates: u64,
}

/// Two related pages of the collection; the id of `a` sorts before that of `b`.
pub(crate) struct FoundPair {
    pub(crate) a: PageNo,
    pub(crate) b: PageNo,
    pub(crate) relation: Relation,
    pub(crate) similarity: f32,
}

/// Values of cached sketches (256 MiB). Trials that agree on the parameters of sketches share them.
const KEPT: usize = 32 << 20;

impl<'a> Bench<'a> {
    /// Works on the pages with these ascending numbers; `texts` has the texts of the whole collection. `base` has all options except
    /// parameters.
    pub(crate) fn new(
        base: &JudgeConfig,
        collection: &'a Collection,
        texts: &'a [Text],
        pages: &'a [PageNo],
    ) -> Bench<'a> {
        Bench {
            // Texts cache their words and concepts, so word files need not be read for every model.
            base: JudgeConfig {
                user_dict: None,
                synonyms: None,
                stop_words: None,
                // What a method learns depends on the pages in the trial.
                knowledge: None,
                ..base.clone()
            },
            collection,
            texts,
            pages,
            made: VecDeque::new(),
            times: Vec::new(),
        }
    }

    /// The related pages, as a run that lists all pairs would find them.
    pub(crate) fn pairs(&mut self, params: &Params, watch: &dyn Watch) -> Result<Found> {
        if watch.cancelled() {
            return Err(Error::Cancelled);
        }
        let (model, sketches) = self.sketches(self.model(params)?)?;
        let part = self.collection.with_sketches(self.pages, &sketches)?;
        let model = match part.knowledge(&model)? {
            Some(known) => model.with_knowledge(known),
            None => model,
        };
        let watch = &Unseen(watch);
        let texts = InMemory {
            pages: self.pages,
            texts: self.texts,
        };
        // Stays on the threads of the search.
        let mut resources = RunConfig::default();
        resources.threads = rayon::current_num_threads();
        resources.all_pairs = true;
        let job = Dedup::new(model).resources(&resources).watch(watch);
        let findings = job.run_sketched(part, &texts)?;
        let page = |rank: Rank| self.pages[findings.by_id[rank.at()].at()];
        let pair = |pair: retold::Pair| FoundPair {
            a: page(pair.a),
            b: page(pair.b),
            relation: pair.relation,
            similarity: pair.similarity,
        };
        Ok(Found {
            pairs: findings.pairs.iter().map(pair).collect(),
            candidates: findings.candidates,
        })
    }

    /// How often texts were sketched instead of using cached sketches.
    pub(crate) fn sketched(&self) -> usize {
        self.times.len()
    }

    /// How long sketching took the first time.
    pub(crate) fn sketch_time(&self) -> Time {
        self.times.first().copied().unwrap_or_default()
    }

    /// A model with these parameters that has learnt nothing.
    fn model(&self, params: &Params) -> Result<Model> {
        Model::new(JudgeConfig {
            params: params.settings(),
            ..self.base.clone()
        })
    }

    /// The sketches of the pages, with the model that made them; it has learnt words if the method needs them.
    fn sketches(&mut self, model: Model) -> Result<(Model, Rc<Vec<Sketch>>)> {
        let info = model.method();
        let own = |name: &str| {
            info.own_params().any(|param| param.name == name) && !info.judged_by.contains(&name)
        };
        let of = written(model.params(), own);
        if let Some(made) = self.made.iter().find(|made| made.of == of) {
            return Ok((taught(model, &made.words), Rc::clone(&made.sketches)));
        }
        let start = (Instant::now(), cpu_time());
        let words = model.wants_words().then(|| self.words(&model));
        let model = taught(model, &words);
        let sketches = self.pages.par_iter();
        let sketches = sketches.map(|page| model.sketch(&self.texts[page.at()], None));
        let sketches: Rc<Vec<Sketch>> = Rc::new(sketches.collect::<Result<_>>()?);
        let cpu = cpu_time().zip(start.1).map(|(now, then)| now - then);
        self.times.push((start.0.elapsed(), cpu));
        self.keep(Made {
            of,
            words,
            sketches: Rc::clone(&sketches),
        });
        Ok((model, sketches))
    }

    /// Caches sketches, and drops the oldest if there are too many.
    fn keep(&mut self, made: Made) {
        self.made.push_back(made);
        let size = |sketch: &Sketch| sketch.keys.len() + sketch.marks.len() + sketch.extra.len();
        let all = self.made.iter().flat_map(|made| made.sketches.iter());
        if all.map(size).sum::<usize>() > KEPT {
            self.made.pop_front();
        }
    }

    /// The document frequencies for the model; equal texts count once.
    fn words(&self, model: &Model) -> Knowledge {
        let mut seen = FxHashSet::default();
        let text = |page: PageNo| self.collection.page(page).text_hash;
        let different = self.pages.iter().copied();
        let different = different.filter(|&page| text(page).is_some_and(|text| seen.insert(text)));
        let counted = different.collect::<Vec<PageNo>>().into_par_iter();
        let counted = counted.map(|page| model.words(&self.texts[page.at()]));
        Knowledge::of_words(Frequencies::of(counted.collect::<Vec<_>>()))
    }
}

fn taught(model: Model, words: &Option<Knowledge>) -> Model {
    match words {
        Some(words) => model.with_knowledge(words.clone()),
        None => model,
    }
}

pub(crate) fn written(params: &Params, wanted: impl Fn(&str) -> bool) -> String {
    let values = params.iter().filter(|(name, _)| wanted(name));
    values
        .map(|(name, value)| format!("{name}={value};"))
        .collect()
}

/// The texts of some pages of a collection.
struct InMemory<'a> {
    pages: &'a [PageNo],
    texts: &'a [Text],
}

impl TextSource for InMemory<'_> {
    fn each(
        &self,
        wanted: &[PageNo],
        make: &(dyn Fn(&Text) -> Vec<u64> + Sync),
        take: &mut Take<'_>,
        _watch: &dyn Watch,
    ) -> Result<()> {
        let text = |page: &PageNo| &self.texts[self.pages[page.at()].at()];
        let made: Vec<Vec<u64>> = wanted.par_iter().map(|page| make(text(page))).collect();
        made.into_iter()
            .enumerate()
            .try_for_each(|(at, made)| take(at, made))
    }
}

/// Hides the stages of a trial, but lets it be cancelled.
pub(crate) struct Unseen<'a>(pub(crate) &'a dyn Watch);

impl Watch for Unseen<'_> {
    fn warn(&self, message: &str) {
        self.0.warn(message);
    }

    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

#[cfg(test)]
mod tests {
    use retold::Page;
    use retold::method::METHODS;
    use retold::read::Source;

    use super::*;

    /// Pages that share sentences, copies, and a disclaimer on all pages.
    fn pages() -> Vec<Page> {
        let sentence = |n: usize| {
            let word = ["harbour", "bridge", "library", "market", "railway"][n % 5];
            format!(
                "On day {n} the people of the {word} talked about nothing but weather report {n}. "
            )
        };
        let story = |from: usize, to: usize| (from..to).map(sentence).collect::<String>();
        let rights = "All rights to this page and everything on it are reserved by its owner.";
        let page = |page: usize| {
            let from = 7 * (page / 4);
            let text = match page % 4 {
                0 | 3 => story(from, from + 6),
                1 => story(from, from + 7),
                _ => story(from + 1, from + 4),
            };
            Page::text(
                format!("p{:03}", page * 89 % 160),
                format!("{text}\n{rights}"),
            )
        };
        (0..160).map(page).collect()
    }

    fn config(method: &str, params: &[(&str, &str)]) -> JudgeConfig {
        let params = params
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.into()));
        JudgeConfig {
            method: method.into(),
            params: params.collect(),
            ..JudgeConfig::default()
        }
    }

    type Pairs = Vec<(String, String, f32)>;

    /// The results for one set of parameters after another, and how often texts were sketched.
    fn tried(base: &JudgeConfig, all: &[&[(&str, &str)]]) -> (Vec<Pairs>, usize) {
        let model = Model::new(base.clone()).unwrap();
        let sources = [Source::of_pages("pages", pages())];
        let (collection, texts) =
            Collection::read_texts(&sources, &base.read, &model, &()).unwrap();
        let pages: Vec<PageNo> = PageNo::first(texts.len()).collect();
        let mut bench = Bench::new(base, &collection, &texts, &pages);
        let id = |page: PageNo| collection.id(page).into_owned();
        let mut found = Vec::new();
        for params in all {
            let model = Model::new(config(&base.method, params)).unwrap();
            let pairs = bench.pairs(model.params(), &()).unwrap().pairs;
            let pairs = pairs
                .iter()
                .map(|pair| (id(pair.a), id(pair.b), pair.similarity));
            found.push(pairs.collect());
        }
        (found, bench.sketched())
    }

    #[test]
    fn a_bench_finds_what_a_run_finds() {
        for info in METHODS {
            let base = config(info.name, &[]);
            let mut resources = RunConfig::default();
            resources.all_pairs = true;
            let job = Dedup::new(Model::new(base.clone()).unwrap()).resources(&resources);
            let findings = job.run(vec![Source::of_pages("pages", pages())]).unwrap();
            let id = |rank| findings.id(rank).into_owned();
            let ran = findings
                .pairs
                .iter()
                .map(|pair| (id(pair.a), id(pair.b), pair.similarity));
            let ran: Pairs = ran.collect();
            assert!(!ran.is_empty(), "{}", info.name);
            assert_eq!(tried(&base, &[&[]]).0, [ran], "{}", info.name);
        }
    }

    #[test]
    fn sketches_are_used_again_and_nothing_else_comes_of_it() {
        for (method, sets, sketched) in [
            (
                "coverage",
                [("threshold", "0.7"), ("verify", "off"), ("width", "6")],
                2,
            ),
            (
                "tfidf",
                [("threshold", "0.7"), ("threshold", "0.99"), ("terms", "5")],
                2,
            ),
            (
                "period",
                [("noise", "none"), ("noise", "idf"), ("chars", "5")],
                2,
            ),
        ] {
            let sets: Vec<_> = sets.iter().map(std::slice::from_ref).collect();
            let base = config(method, &[]);
            let (together, times) = tried(&base, &sets);
            assert_eq!(times, sketched, "{method}");
            let alone = sets.iter().map(|set| tried(&base, &[set]).0.remove(0));
            assert_eq!(together, alone.collect::<Vec<_>>(), "{method}");
        }
    }
}
