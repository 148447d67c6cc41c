//! Samples kept pages by the size of their clusters, or by how many sites or inputs agree. Pages may be repeated or left out.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use retold::eval::each_line;
use retold::internal::{Memory, decodes};
use retold::read::{ReadOptions, RecordDecision, Source, discover, each_page, page_ids};
use retold::{Error, Page, Result, Watch};
use serde::{Deserialize, Serialize};
use serde_json::json;
use xxhash_rust::xxh3::{xxh3_64_with_seed, xxh3_128};

use crate::finished::{Finished, read_options_of_kept};
use crate::kept::{belonging, each_source};
use crate::out::{OutDir, SUMMARY};

/// How often to write a page, by the size of its cluster or another number ([`SampleBy`]).
///
/// ```
/// let weights: retold_report::Weights = "1:1,2:2,100:0.5".parse().unwrap();
/// assert_eq!([1, 2, 99, 100].map(|size| weights.of(size)), [1.0, 2.0, 2.0, 0.5]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Weights(Vec<(u64, f64)>);

impl Weights {
    /// The mean number of times that a page of this size is written.
    pub fn of(&self, size: u64) -> f64 {
        let below = self.0.partition_point(|(least, _)| *least <= size);
        below.checked_sub(1).map_or(0.0, |at| self.0[at].1)
    }

    /// How often to write this page. A hash of its id decides about the fractional part of the weight.
    fn copies(&self, id: &str, size: u64, seed: u64) -> u32 {
        let weight = self.of(size);
        // A floating-point number has 53 significant bits.
        let chance = (xxh3_64_with_seed(id.as_bytes(), seed) >> 11) as f64 / (1u64 << 53) as f64;
        weight as u32 + u32::from(chance < weight.fract())
    }
}

const MOST: f64 = 1000.0;

impl FromStr for Weights {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Weights, String> {
        let pair = |part: &str| {
            let (size, weight) = part.split_once(':')?;
            let weight: f64 = weight.trim().parse().ok()?;
            let size: u64 = size.trim().parse().ok()?;
            (0.0..=MOST).contains(&weight).then_some((size, weight))
        };
        let pairs: Option<Vec<(u64, f64)>> = text.split(',').map(pair).collect();
        let pairs = pairs.filter(|pairs| {
            pairs.first().is_some_and(|(size, _)| *size == 1)
                && pairs.is_sorted_by(|(a, _), (b, _)| a < b)
        });
        pairs.map(Weights).ok_or_else(|| {
            format!(
                "SIZE:WEIGHT with commas between them expected, sizes ascending from 1, weights from 0 to {MOST}, as in 1:1,2:2,100:0.5"
            )
        })
    }
}

/// The number that decides how often a page is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SampleBy {
    /// The pages of its cluster.
    #[default]
    Size,
    /// The same, exact copies of one site counted once ([`Agreement::pages`](crate::Agreement::pages)).
    Pages,
    /// Their different sites; at least 1.
    Sites,
    /// Their different input files.
    Inputs,
}

impl SampleBy {
    /// The field with this number in records that a run has annotated.
    pub fn field(self) -> &'static str {
        match self {
            SampleBy::Size => "retold_cluster_size",
            SampleBy::Pages => "retold_pages",
            SampleBy::Sites => "retold_sites",
            SampleBy::Inputs => "retold_inputs",
        }
    }
}

/// Options of a sample of kept pages.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The output folder of a run, or files and folders whose records have cluster sizes.
    pub inputs: Vec<PathBuf>,
    /// How to read pages. For the output folder of a run, the options of the run are used.
    pub read: ReadOptions,
    /// The number that decides.
    pub by: SampleBy,
    /// The field with that number, for files, if it is another than [`SampleBy::field`].
    pub size_field: Option<String>,
    /// How often to write pages.
    pub weights: Weights,
    /// Seed of the sample.
    pub seed: u64,
    /// The folder to write.
    pub out: PathBuf,
    /// Replace the output of an earlier run.
    pub force: bool,
}

impl Sample {
    fn field(&self) -> &str {
        self.size_field.as_deref().unwrap_or(self.by.field())
    }
}

/// The statistics of a sample.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Sampled {
    /// Kept pages that were read.
    pub pages: u64,
    /// Pages that are not written.
    pub left: u64,
    /// Pages written, including copies.
    pub written: u64,
    /// Records that could not be read.
    pub rejected: u64,
    /// Folders written: `copy-1` has every page that is written, `copy-2` every page that is written at least twice, and so on.
    pub folders: u32,
}

/// The pages, and where their sizes, or what else decides, come from.
struct SampledPages {
    sources: Vec<Source>,
    read: ReadOptions,
    /// For a finished run: sizes by id, and ids of dropped pages, both by hash.
    run: Option<(HashMap<u128, u64>, HashSet<u128>)>,
}

/// How often to write the records of each source, ascending by number. Records that are not listed are no pages.
type Plan = HashMap<String, Vec<(u64, u32)>>;

/// Writes the sample.
///
/// Errors: those of [`discover()`](retold::read::discover) and [`Finished::open`]; a page has no size; the folder cannot be written.
pub fn sample(job: &Sample, watch: &dyn Watch) -> Result<Sampled> {
    let pages = pages(job)?;
    let out = OutDir::open(&job.out, job.force, false)?;
    let (plan, sampled) = plan(job, &pages, watch)?;
    for copy in 1..=sampled.folders {
        watch.begin("write", 0);
        write_copy(&pages, &plan, copy, &out, watch)?;
    }
    let inputs = job.inputs.iter().map(|path| path.display().to_string());
    let summary = json!({
        "records": sampled,
        "weights": job.weights.0,
        "by": job.by,
        "seed": job.seed,
        "inputs": inputs.collect::<Vec<String>>(),
    });
    let path = out.path(SUMMARY);
    let mut file = out.create(SUMMARY)?;
    writeln!(file, "{summary:#}")
        .and_then(|()| file.flush())
        .map_err(Error::io("cannot write", &path))?;
    out.commit()?;
    Ok(sampled)
}

fn pages(job: &Sample) -> Result<SampledPages> {
    if let [out] = &job.inputs[..]
        && Finished::is_at(out)
    {
        let run = Finished::open(out)?;
        let sizes = sizes(&out.join("clusters.jsonl"), job.by)?;
        let mut dropped = HashSet::new();
        each_line(&out.join("dropped.jsonl"), "a dropped page", |line| {
            let line: Dropped = serde_json::from_str(line)?;
            dropped.insert(xxh3_128(line.id.as_bytes()));
            Ok(())
        })?;
        return Ok(SampledPages {
            read: run.inputs.model.config().read.clone(),
            sources: run.inputs.sources,
            run: Some((sizes, dropped)),
        });
    }
    // Sites are not needed here, so the size is read through the site field, which every record format supports.
    let read = ReadOptions {
        site_field: Some(job.field().to_owned()),
        site_dir: None,
        ..read_options(job)?
    };
    Ok(SampledPages {
        sources: discover(&job.inputs, &read)?,
        read,
        run: None,
    })
}

/// The options of the job; or, if it gives none and reads the kept pages of a run, those of the run.
fn read_options(job: &Sample) -> Result<ReadOptions> {
    match &job.inputs[..] {
        [kept] if job.read == ReadOptions::default() => {
            Ok(read_options_of_kept(kept)?.unwrap_or_default())
        }
        _ => Ok(job.read.clone()),
    }
}

#[derive(Deserialize)]
struct Dropped {
    id: String,
}

/// A line of `clusters.jsonl`. Earlier versions wrote only members.
#[derive(Deserialize)]
struct Members {
    members: Vec<String>,
    pages: Option<u64>,
    sites: Option<u64>,
    inputs: Option<u64>,
}

impl Members {
    fn size(&self, by: SampleBy) -> Option<u64> {
        match by {
            SampleBy::Size => Some(self.members.len() as u64),
            SampleBy::Pages => self.pages,
            SampleBy::Sites => self.sites.map(|sites| sites.max(1)),
            SampleBy::Inputs => self.inputs,
        }
    }
}

fn sizes(clusters: &Path, by: SampleBy) -> Result<HashMap<u128, u64>> {
    let (mut sizes, mut is_complete) = (HashMap::new(), true);
    each_line(clusters, "a cluster", |line| {
        let line: Members = serde_json::from_str(line)?;
        let size = line.size(by);
        is_complete &= size.is_some();
        let members = line.members.iter();
        sizes.extend(members.map(|id| (xxh3_128(id.as_bytes()), size.unwrap_or(1))));
        Ok(())
    })?;
    match is_complete {
        true => Ok(sizes),
        false => Err(Error::Usage(format!(
            "{} was written by an earlier version, which counted no sites and inputs; run retold dedup again, or sample by size",
            clusters.display()
        ))),
    }
}

fn plan(job: &Sample, pages: &SampledPages, watch: &dyn Watch) -> Result<(Plan, Sampled)> {
    let mut plan = Plan::new();
    let mut sampled = Sampled {
        folders: 1,
        ..Sampled::default()
    };
    let mut first = None;
    // A run identifies pages by unique ids.
    let mut ids = match pages.run {
        Some(_) => page_ids(&pages.sources, &pages.read, watch)?.into_iter(),
        None => Vec::new().into_iter(),
    };
    let make = |page: Page| decodes(&page).map(|()| (page.id, page.site));
    let take = |source: &Source, record: u64, made: std::result::Result<_, String>| {
        let copies = match made {
            Err(reason) => {
                sampled.rejected += 1;
                first.get_or_insert_with(|| format!("{}, record {record}: {reason}", source.name));
                0
            }
            Ok((own, field)) => {
                let id = ids.next().map_or(own, |page| page.id.into_string());
                match size_of(job, pages, &id, field, source, record)? {
                    None => 0,
                    Some(size) => {
                        let copies = job.weights.copies(&id, size, job.seed);
                        sampled.pages += 1;
                        sampled.left += u64::from(copies == 0);
                        sampled.written += u64::from(copies);
                        copies
                    }
                }
            }
        };
        sampled.folders = sampled.folders.max(copies);
        match plan.get_mut(&source.name) {
            Some(records) => records.push((record, copies)),
            None => drop(plan.insert(source.name.clone(), vec![(record, copies)])),
        }
        Ok(())
    };
    each_page(&pages.sources, &pages.read, watch, "read", make, take)?;
    if let Some(first) = first {
        let told = format!(
            "{} could not be read, the first is {first}",
            records(sampled.rejected)
        );
        match sampled.pages {
            0 => return Err(Error::Usage(format!("no page to sample: {told}"))),
            _ => watch.warn(&told),
        }
    }
    Ok((plan, sampled))
}

fn records(count: u64) -> String {
    match count {
        1 => "1 record".to_owned(),
        _ => format!("{count} records"),
    }
}

/// What decides how often a page is written; `None` if the page was dropped.
fn size_of(
    job: &Sample,
    pages: &SampledPages,
    id: &str,
    field: Option<String>,
    source: &Source,
    record: u64,
) -> Result<Option<u64>> {
    if let Some((sizes, dropped)) = &pages.run {
        let id = xxh3_128(id.as_bytes());
        let size = || sizes.get(&id).copied().unwrap_or(1);
        return Ok((!dropped.contains(&id)).then(size));
    }
    let size = field.as_ref().and_then(|text| text.trim().parse().ok());
    match (size, job.by) {
        // A page without a site.
        (Some(0), SampleBy::Sites) => Ok(Some(1)),
        (Some(size), _) if size > 0 => Ok(Some(size)),
        _ => Err(Error::Usage(format!(
            "{}, record {record}: the field `{}` is {}, not the size of a cluster; name the field with --size-field, write kept pages \
             with retold dedup --annotate, or name the output folder of the run itself",
            source.name,
            job.field(),
            field.map_or("absent".to_owned(), |text| format!("`{text}`")),
        ))),
    }
}

/// Writes the pages that have at least this many copies, in the files of their sources. The first copy also has records that are not pages.
fn write_copy(
    pages: &SampledPages,
    plan: &Plan,
    copy: u32,
    out: &OutDir,
    watch: &dyn Watch,
) -> Result<()> {
    let root = out.path(&format!("copy-{copy}"));
    let planned = |source: &Source| plan.get(&source.name).map_or(&[][..], Vec::as_slice);
    // Further copies contain pages only.
    let dropped = pages.sources.iter().map(|source| {
        let planned = planned(source).iter();
        let dropped = planned.filter(|(_, copies)| copy == 1 && *copies == 0);
        dropped.map(|(number, _)| *number).collect()
    });
    let dropped: Vec<Vec<u64>> = dropped.collect();
    let (goes, memory) = (|_, _, _| true, Memory::default());
    let belonging = belonging(&pages.sources, &dropped, goes, &pages.read, &memory, watch)?;
    each_source(&pages.sources, watch, |number, source| {
        let planned = planned(source);
        if copy > 1 && planned.iter().all(|(_, copies)| *copies < copy) {
            return Ok(());
        }
        let mut planned = planned.iter().peekable();
        let mut decide = |record: u64| {
            let is_written = match planned.next_if(|(number, _)| *number == record) {
                Some((_, copies)) => *copies >= copy,
                None => copy == 1 && belonging[number].binary_search(&record).is_err(),
            };
            match is_written {
                true => RecordDecision::Keep,
                false => RecordDecision::Leave,
            }
        };
        source.rewrite(&pages.read, &mut decide, &root.join(&source.kept))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_steps_and_their_fractions_are_chances() {
        let weights: Weights = "1:0.25, 2:2,5:2.5,1000:0".parse().unwrap();
        assert_eq!(weights.of(0), 0.0);
        let copies = |size, seed| -> Vec<u32> {
            let ids = (0..4000).map(|n| format!("http://a/{n}"));
            ids.map(|id| weights.copies(&id, size, seed)).collect()
        };
        let sum = |copies: &[u32]| copies.iter().sum::<u32>();
        assert_eq!(sum(&copies(2, 0)), 8000);
        assert!((900..1100).contains(&sum(&copies(1, 0))));
        assert!((9800..10200).contains(&sum(&copies(7, 0))));
        assert_eq!(sum(&copies(5000, 0)), 0);
        assert_eq!(copies(1, 7), copies(1, 7));
        assert_ne!(copies(1, 7), copies(1, 8));
        for wrong in ["", "2:1", "1", "1:1,1:2", "1:1,3:1,2:1", "1:-1", "1:1e9"] {
            assert!(wrong.parse::<Weights>().is_err(), "{wrong}");
        }
    }
}
