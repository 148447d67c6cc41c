//! The main job, stage by stage.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::cluster::{self, Cluster, Dropped, Linkage, Pair};
use crate::collect::{self, Collection, PageRow, Stages};
use crate::error::{Error, Result};
use crate::index::noise::{self, NoiseList};
use crate::index::{Judge, Judgement, Sketches, related_pairs, retain};
use crate::method::{self, Frequencies, Method, MethodInfo, Params};
use crate::read::{self, ReadOptions, Source};
use crate::relation::{Relation, Verdict};
use crate::report::{self, Summary};
use crate::system::cpu_time;
use crate::text::TextOptions;
use crate::verify::{Texts, Verified};
use crate::watch::Watch;

/// Of groups of more pages than this with identical sketches, only the pairs with the group's canonical page are
/// listed (CONTRACT).
pub const GROUP_LIMIT: usize = 1000;

/// Everything that a run depends on. One struct for the command line, the config file and bindings.
#[derive(Clone, Debug)]
pub struct Options {
    /// Files and directories to read.
    pub inputs: Vec<PathBuf>,
    /// JSONL that came on standard input, spooled to a file; read as the source `stdin`.
    pub stdin: Option<PathBuf>,
    /// How records become pages.
    pub read: ReadOptions,
    /// How pages become texts.
    pub text: TextOptions,
    /// The method's name.
    pub method: String,
    /// Parameters (name, value) laid over the method's defaults.
    pub settings: Vec<(String, String)>,
    /// Whether pages with equal folded texts are duplicates whatever the method says.
    pub exact: bool,
    /// How related pages become clusters.
    pub cluster: Linkage,
    /// Which page of a cluster is canonical.
    pub canonical: Canonical,
    /// Which members of a cluster are dropped.
    pub drop: Drop,
    /// Clusters of more pages than this are flagged.
    pub alarm_size: usize,
    /// What is written where.
    pub output: report::Options,
    /// Bytes held at a time of what is read again to check verdicts on texts.
    pub verify_memory: u64,
    /// Threads that work; 0 for one a core.
    pub threads: usize,
}

/// Which page of a cluster stands for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Canonical {
    /// The one with the longest text; of equals the one with the smallest id.
    #[default]
    Longest,
    /// The one with the earliest date; pages without a date come last, of equals the longest.
    Earliest,
    /// The one with the smallest id.
    First,
}

/// Which members of a cluster are dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Drop {
    /// Duplicates of a kept page and pages contained in one.
    #[default]
    Both,
    /// Duplicates of a kept page only.
    Duplicate,
}

/// All that a run found out; [`report::write`] turns it into files.
pub struct Findings {
    /// The files that were read.
    pub sources: Vec<Source>,
    /// The pages and what happened to all other records.
    pub collection: Collection,
    /// What made and judged the sketches.
    pub method: Box<dyn Method>,
    /// The method's parameters.
    pub params: Params,
    /// The document frequencies that the method was given, if it wants some.
    pub frequencies: Option<Arc<Frequencies>>,
    /// Pages in the order of their ids: rank -> position in `collection.pages`. Pairs and clusters name pages by rank.
    pub by_id: Vec<u32>,
    /// Related pages, ascending.
    pub pairs: Vec<Pair>,
    /// Groups too large for all their pairs to be listed: the canonical page and the number of pages.
    pub large_groups: Vec<(u32, usize)>,
    /// Clusters of two pages or more.
    pub clusters: Vec<Cluster>,
    /// The pages that go.
    pub dropped: Vec<Dropped>,
    /// The features that were found to be noise.
    pub noise: NoiseList,
    /// The different sketches that were compared.
    pub units: Sketches,
    /// Page (in the order of reading) -> the number of its sketch in `units`.
    pub unit_of: Vec<u32>,
    /// The sketches as pages have them (`PageRow::sketch`), keys only, if noise was deleted from them; `None` if they
    /// are the `units`.
    pub whole: Option<Sketches>,
    /// How many different sketches the pages have, noise included.
    pub different_sketches: usize,
    /// Pairs of sketches that were looked at.
    pub candidates: u64,
    /// Verdicts that were checked on texts.
    pub verified: Verified,
    /// The stages, in order.
    pub times: Vec<Lap>,
}

impl Findings {
    /// The page with that rank.
    pub fn page(&self, rank: u32) -> &PageRow {
        &self.collection.pages[self.by_id[rank as usize] as usize]
    }
}

/// The whole job: reads the inputs, finds the copies, writes the output folder.
pub fn run(options: &Options, watch: &dyn Watch) -> Result<Summary> {
    let method = method::find(&options.method)?;
    let params = method.resolve(&options.settings)?;
    let out = report::OutDir::open(&options.output.out, options.output.force)?;
    in_pool(options.threads, || {
        let findings = find(options, method, params, watch)?;
        report::write(&findings, options, out, watch)
    })
}

pub(crate) fn in_pool<T: Send>(
    threads: usize,
    job: impl FnOnce() -> Result<T> + Send,
) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|e| Error::Usage(format!("--threads {threads}: {e}")))?
        .install(job)
}

/// Reads the inputs and finds the copies; writes nothing.
pub(crate) fn find(
    options: &Options,
    method_info: &MethodInfo,
    params: Params,
    watch: &dyn Watch,
) -> Result<Findings> {
    let mut method = (method_info.build)(&params);
    let mut clock = Clock::default();

    let sources = sources(options)?;
    let text = TextOptions {
        sentences: method.reads_sentences(),
        ..text_options(options, method_info)?
    };
    let (fits, by_keys) = (method_info.fits, method.counts_keys());
    let mut frequencies = None;
    if fits && !by_keys {
        frequencies = Some(fit(&mut *method, &sources, &options.read, &text, watch)?);
        clock.lap("fit");
    }
    let mut collection = {
        let stages = Stages {
            read: &options.read,
            text: &text,
            method: &*method,
        };
        Collection::read(&sources, &stages, watch)?
    };
    clock.lap("read and sketch");
    if collection.pages.is_empty() {
        return Err(nothing_to_read(options, &sources, &collection));
    }
    if fits && by_keys {
        frequencies = Some(fit_by_keys(&mut *method, &mut collection));
        clock.lap("fit");
    }
    collection.settle_ids();
    let by_id = order_of(&collection.pages, |a, b| a.id.cmp(&b.id));
    let preference = preference(&collection, options.canonical, &by_id, watch);

    let different_sketches = collection.sketches.len();
    let matching = Matching {
        prunes: method_info.prunes,
        method: &*method,
        params: &params,
        exact: options.exact,
        by_id: &by_id,
        preference: &preference,
    };
    let Matched {
        pairs,
        large_groups,
        noise,
        units,
        unit_of,
        whole,
        candidates,
    } = matching.pairs(&mut collection, &mut clock, watch)?;
    let texts = Texts {
        sources: &sources,
        stages: &Stages {
            read: &options.read,
            text: &text,
            method: &*method,
        },
        collection: &collection,
        by_id: &by_id,
        memory: options.verify_memory,
    };
    let (pairs, verified) = texts.verify(pairs, options.exact, watch)?;
    if verified.checked > 0 {
        clock.lap("verify");
    }

    watch.begin("clusters", 0);
    let clusters = cluster::cluster(by_id.len(), &pairs, options.cluster, &preference);
    let contained = options.drop == Drop::Both;
    let dropped = cluster::dropped(by_id.len(), &pairs, &clusters, &preference, contained);
    clock.lap("clusters");
    let times = clock.laps();
    Ok(Findings {
        sources,
        collection,
        method,
        params,
        frequencies,
        by_id,
        pairs,
        large_groups,
        clusters,
        dropped,
        noise,
        units,
        unit_of,
        whole,
        different_sketches,
        candidates,
        verified,
        times,
    })
}

/// The same for a method whose keys are what is counted: no text is read for it.
fn fit_by_keys(method: &mut dyn Method, collection: &mut Collection) -> Arc<Frequencies> {
    let texts = texts_of_sketches(collection);
    let frequencies = Arc::new(noise::frequencies(&collection.sketches, &texts));
    method.fit(Arc::clone(&frequencies));
    let settled = collection.sketches.map(|sketch| method.settle(sketch));
    collection.sketches = settled;
    frequencies
}

/// Counts the document frequencies that the method wants and hands them to it.
pub fn fit(
    method: &mut dyn Method,
    sources: &[Source],
    read: &ReadOptions,
    text: &TextOptions,
    watch: &dyn Watch,
) -> Result<Arc<Frequencies>> {
    let stages = Stages { read, text, method };
    let frequencies = Arc::new(collect::frequencies(sources, &stages, watch)?);
    method.fit(Arc::clone(&frequencies));
    Ok(frequencies)
}

/// From sketches to pairs of pages.
pub(crate) struct Matching<'a> {
    pub(crate) prunes: bool,
    pub(crate) method: &'a dyn Method,
    pub(crate) params: &'a Params,
    pub(crate) exact: bool,
    pub(crate) by_id: &'a [u32],
    pub(crate) preference: &'a [u32],
}

/// The related pages and what they were found with; see the fields of [`Findings`].
pub(crate) struct Matched {
    pub(crate) pairs: Vec<Pair>,
    large_groups: Vec<(u32, usize)>,
    noise: NoiseList,
    units: Sketches,
    unit_of: Vec<u32>,
    whole: Option<Sketches>,
    pub(crate) candidates: u64,
}

impl Matching<'_> {
    pub(crate) fn pairs(
        &self,
        collection: &mut Collection,
        clock: &mut Clock,
        watch: &dyn Watch,
    ) -> Result<Matched> {
        let (by_id, preference) = (self.by_id, self.preference);
        watch.begin("noise", 0);
        let noise = match self.prunes {
            true => find_noise(collection, self.params),
            false => NoiseList::default(),
        };
        let (units, unit_of, whole) = prune(collection, &noise);
        clock.lap("noise");

        watch.begin("pairs", units.len() as u64);
        let shortest = shortest(collection, &unit_of, units.len());
        let judge = Judge::new(self.method, &units, &shortest, &noise);
        let groups = Groups::new(&judge, collection, &unit_of, by_id, preference);
        let related = related_pairs(&judge, watch, |a, b, judgement, pairs| {
            groups.between(a, b, judgement, pairs);
        })?;
        let (mut pairs, candidates, spent) = (related.made, related.candidates, related.spent);
        groups.inside(&mut pairs);
        let mut large_groups = groups.large();
        drop((groups, judge));
        collection.spent += spent;
        pairs.par_sort_unstable_by_key(|pair| (pair.a, pair.b));
        if self.exact {
            add_exact_copies(collection, by_id, preference, &mut pairs, &mut large_groups);
        }
        clock.lap("pairs");
        Ok(Matched {
            pairs,
            large_groups,
            noise,
            units,
            unit_of,
            whole,
            candidates,
        })
    }
}

/// The text options, with what the method wants to see where the user has not chosen.
fn text_options(options: &Options, method: &MethodInfo) -> Result<TextOptions> {
    let extract = options.text.extract.unwrap_or(method.extract);
    extract.check()?;
    Ok(TextOptions {
        extract: Some(extract),
        ..options.text.clone()
    })
}

/// The files to read. An output folder below an INPUT is not read.
fn sources(options: &Options) -> Result<Vec<Source>> {
    let mut sources = read::discover(&options.inputs, &options.read)?;
    if let Ok(out) = options.output.out.canonicalize() {
        sources.retain(|source| {
            !source
                .path
                .canonicalize()
                .is_ok_and(|path| path.starts_with(&out))
        });
    }
    sources.extend(options.stdin.iter().map(|path| Source::spooled(path)));
    Ok(sources)
}

fn nothing_to_read(options: &Options, sources: &[Source], collection: &Collection) -> Error {
    let inputs: Vec<_> = options
        .inputs
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let mut message = format!("no page could be read from {}", inputs.join(", "));
    match collection.rejects.first() {
        Some(reject) => message.push_str(&format!(
            ": {} of {} records were rejected, the first one in {}, record {}: {}",
            collection.rejects.len(),
            collection.read,
            sources[reject.source as usize].name,
            reject.record,
            reject.reason
        )),
        None => message.push_str(&format!(
            ": {} files hold {} records, none of them a page",
            sources.len(),
            collection.read
        )),
    }
    Error::Usage(message)
}

/// Positions of `pages` in the order that `compare` gives; equals stay in the order of reading.
pub(crate) fn order_of(
    pages: &[PageRow],
    compare: impl Fn(&PageRow, &PageRow) -> std::cmp::Ordering + Sync,
) -> Vec<u32> {
    let mut order: Vec<u32> = (0..pages.len() as u32).collect();
    order.par_sort_by(|&a, &b| compare(&pages[a as usize], &pages[b as usize]));
    order
}

/// A rank for each page (by rank of id): the best page to keep has the smallest.
pub(crate) fn preference(
    collection: &Collection,
    canonical: Canonical,
    by_id: &[u32],
    watch: &dyn Watch,
) -> Vec<u32> {
    let page = |rank: u32| &collection.pages[by_id[rank as usize] as usize];
    let dated = collection
        .pages
        .iter()
        .filter(|page| page.date.is_some())
        .count();
    let mut order: Vec<u32> = (0..by_id.len() as u32).collect();
    let longest = |rank: &u32| (std::cmp::Reverse(page(*rank).chars), *rank);
    match canonical {
        Canonical::First => {}
        Canonical::Longest => order.par_sort_by_key(longest),
        Canonical::Earliest => {
            if dated == 0 {
                watch.warn("--canonical earliest: no page has a date; the longest page is kept");
            } else if dated < by_id.len() {
                let without = by_id.len() - dated;
                watch.warn(&format!(
                    "--canonical earliest: {without} of {} pages have no date and come last",
                    by_id.len()
                ));
            }
            order.par_sort_by_key(|rank| {
                (page(*rank).date.is_none(), page(*rank).date, longest(rank))
            });
        }
    }
    let mut preference = vec![0; order.len()];
    order
        .iter()
        .enumerate()
        .for_each(|(at, &rank)| preference[rank as usize] = at as u32);
    preference
}

fn find_noise(collection: &Collection, params: &Params) -> NoiseList {
    let pages = &collection.pages;
    let mut on_site: Vec<(u32, u32)> = pages
        .iter()
        .filter_map(|page| Some((page.site?, page.sketch)))
        .collect();
    on_site.par_sort_unstable();
    on_site.dedup();
    let counts = texts_of_sketches(collection);
    let (sketches, sites) = (&collection.sketches, &*collection.sites);
    let census = noise::Census {
        sketches,
        texts: &counts,
        sites,
        on_site: &on_site,
    };
    noise::find(&census, params)
}

/// For each sketch, how many different texts have it.
fn texts_of_sketches(collection: &Collection) -> Vec<u32> {
    let pages = collection.pages.iter();
    let mut texts: Vec<(u128, u32)> = pages
        .filter_map(|page| Some((page.text?, page.sketch)))
        .collect();
    texts.par_sort_unstable();
    texts.dedup();
    let mut counts = vec![0; collection.sketches.len()];
    texts
        .iter()
        .for_each(|&(_, sketch)| counts[sketch as usize] += 1);
    counts
}

/// Takes the noise out of the sketches: the different sketches that are left, which of them each page has (in the order
/// of reading), and the keys of the sketches as they were, if that makes a difference.
fn prune(collection: &mut Collection, noise: &NoiseList) -> (Sketches, Vec<u32>, Option<Sketches>) {
    let sketches = std::mem::take(&mut collection.sketches);
    if noise.deletes_nothing() {
        let unit_of = collection.pages.iter().map(|page| page.sketch).collect();
        return (sketches, unit_of, None);
    }
    let mut units = Sketches::default();
    let mut seen: HashMap<(u32, Option<u32>), u32> = HashMap::new();
    let unit_of = collection.pages.iter().map(|page| {
        let site = page
            .site
            .filter(|&s| noise.on_site.contains_key(&collection.sites[s as usize]));
        *seen.entry((page.sketch, site)).or_insert_with(|| {
            let site = site.map(|s| collection.sites[s as usize].as_str());
            let kept = retain(sketches.get(page.sketch), |key| !noise.deletes(key, site));
            units.add(kept.as_ref())
        })
    });
    let unit_of = unit_of.collect();
    (units, unit_of, Some(sketches.keys_only()))
}

/// For each unit the length of the shortest text that has it.
fn shortest(collection: &Collection, unit_of: &[u32], units: usize) -> Vec<u64> {
    let mut shortest = vec![u64::MAX; units];
    for (page, &unit) in collection.pages.iter().zip(unit_of) {
        let least = &mut shortest[unit as usize];
        *least = page.own_chars.min(*least);
    }
    shortest
}

/// Pages by sketch: what holds for two sketches holds for the pages that have them.
struct Groups<'a> {
    collection: &'a Collection,
    by_id: &'a [u32],
    preference: &'a [u32],
    /// Unit -> the ranks of its pages, ascending.
    members: Vec<Vec<u32>>,
    /// Unit -> what two of its pages are to each other.
    inner: Vec<Option<Judgement>>,
}

impl<'a> Groups<'a> {
    fn new(
        judge: &Judge<'_>,
        collection: &'a Collection,
        unit_of: &[u32],
        by_id: &'a [u32],
        preference: &'a [u32],
    ) -> Self {
        let mut members = vec![Vec::new(); judge.sketches().len()];
        for (rank, &page) in by_id.iter().enumerate() {
            members[unit_of[page as usize] as usize].push(rank as u32);
        }
        let inner = members.iter().enumerate().map(|(unit, group)| {
            (group.len() > 1)
                .then(|| judge.judge(unit as u32, unit as u32))
                .flatten()
        });
        Groups {
            inner: inner.collect(),
            collection,
            by_id,
            preference,
            members,
        }
    }

    /// The pairs of pages with one sketch.
    fn inside(&self, pairs: &mut Vec<Pair>) {
        for (group, judgement) in self.members.iter().zip(&self.inner) {
            if let Some(judgement) = judgement {
                pairs_inside(group, self.preference, |x, y| {
                    pairs.extend(self.pair(x, y, judgement));
                });
            }
        }
    }

    /// The pairs of a page with one sketch and a page with another.
    fn between(&self, a: u32, b: u32, judgement: &Judgement, pairs: &mut Vec<Pair>) {
        for &x in self.listed(a) {
            for &y in self.listed(b) {
                pairs.extend(self.pair(x, y, judgement));
            }
        }
    }

    /// The pair, if what is said of the sketches holds for these two pages.
    fn pair(&self, x: u32, y: u32, judgement: &Judgement) -> Option<Pair> {
        let chars = |rank: u32| self.collection.pages[self.by_id[rank as usize] as usize].own_chars;
        let holds = chars(x).min(chars(y)) <= judgement.up_to;
        holds.then(|| Pair::new(x, y, &judgement.verdict))
    }

    /// The members of a group that stand in pairs with other groups: all, or the canonical one of a large group.
    fn listed(&self, unit: u32) -> &[u32] {
        let group = &self.members[unit as usize];
        if group.len() <= GROUP_LIMIT {
            return group;
        }
        let best = canonical(group, self.preference);
        let at = group.partition_point(|&rank| rank < best);
        &group[at..=at]
    }

    fn large(&self) -> Vec<(u32, usize)> {
        let groups = self.members.iter().zip(&self.inner);
        groups
            .filter(|(group, inner)| group.len() > GROUP_LIMIT && inner.is_some())
            .map(|(group, _)| (canonical(group, self.preference), group.len()))
            .collect()
    }
}

fn canonical(group: &[u32], preference: &[u32]) -> u32 {
    group
        .iter()
        .copied()
        .min_by_key(|&rank| preference[rank as usize])
        .unwrap_or_default()
}

/// All pairs of a group of pages that are all the same to each other; of a large one those with its canonical page.
fn pairs_inside(group: &[u32], preference: &[u32], mut found: impl FnMut(u32, u32)) {
    if group.len() > GROUP_LIMIT {
        let best = canonical(group, preference);
        group
            .iter()
            .filter(|&&rank| rank != best)
            .for_each(|&rank| found(best, rank));
        return;
    }
    for (i, &a) in group.iter().enumerate() {
        group[i + 1..].iter().for_each(|&b| found(a, b));
    }
}

/// Pages with equal folded, non-empty texts are duplicates with similarity 1, in every method. Their pairs replace
/// those that the method found.
fn add_exact_copies(
    collection: &Collection,
    by_id: &[u32],
    preference: &[u32],
    pairs: &mut Vec<Pair>,
    large: &mut Vec<(u32, usize)>,
) {
    let page = |rank: u32| &collection.pages[by_id[rank as usize] as usize];
    let mut texts: Vec<(u128, u32)> = (0..by_id.len() as u32)
        .filter_map(|rank| page(rank).text.map(|text| (text, rank)))
        .collect();
    texts.par_sort_unstable();
    let mut copies = Vec::new();
    for class in texts
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|class| class.len() > 1)
    {
        let class: Vec<u32> = class.iter().map(|&(_, rank)| rank).collect();
        let shared = page(class[0]).keys;
        let (relation, similarity, length_ratio) = (Relation::Duplicate, 1.0, 1.0);
        let shared_chars = page(class[0]).chars;
        let verdict = Verdict {
            relation,
            similarity,
            length_ratio,
            shared,
            shared_chars,
        };
        pairs_inside(&class, preference, |a, b| {
            copies.push(Pair::new(a, b, &verdict))
        });
        if class.len() > GROUP_LIMIT {
            large.push((canonical(&class, preference), class.len()));
        }
    }
    // Stable, so that of equal pairs the exact copy, which comes first, stays.
    copies.append(pairs);
    copies.par_sort_by_key(|pair| (pair.a, pair.b));
    copies.dedup_by_key(|pair| (pair.a, pair.b));
    *pairs = copies;
    large.sort_unstable();
    large.dedup();
}

/// A stage and the time it took.
#[derive(Clone, Copy, Debug)]
pub struct Lap {
    /// Its name.
    pub stage: &'static str,
    /// The time that passed.
    pub wall: Duration,
    /// The time that all threads together were at work, where the system tells.
    pub cpu: Option<Duration>,
}

/// Measures stages.
pub(crate) struct Clock {
    last: (Instant, Option<Duration>),
    laps: Vec<Lap>,
}

impl Default for Clock {
    fn default() -> Self {
        Clock {
            last: (Instant::now(), cpu_time()),
            laps: Vec::new(),
        }
    }
}

impl Clock {
    pub(crate) fn lap(&mut self, stage: &'static str) {
        let (now, cpu) = (Instant::now(), cpu_time());
        self.laps.push(Lap {
            stage,
            wall: now - self.last.0,
            cpu: cpu.zip(self.last.1).map(|(now, last)| now - last),
        });
        self.last = (now, cpu);
    }

    pub(crate) fn laps(self) -> Vec<Lap> {
        self.laps
    }
}
