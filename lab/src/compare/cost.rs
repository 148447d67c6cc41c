//! Time and memory of a method on a set, measured over one run.

use retold::internal::{PrunedNo, peak_memory};
use retold::read::discover;
use retold::{Dedup, Findings, Model, Result, RunConfig, Watch};
use serde::{Deserialize, Serialize};

use super::set::LabelledSet;
use super::spec::Spec;

/// Cost of one run. Valid only if the process did nothing else before: memory is that of the process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cost {
    /// The stages, in order.
    pub stages: Vec<Stage>,
    /// The peak memory of the process, in bytes, if the system reports it.
    pub peak_memory: Option<u64>,
    /// Bytes of all records as read (decompressed).
    pub bytes: u64,
    /// Pages that were read.
    pub pages: u64,
    /// Bytes of the sketches of all pages as they are compared, those of copies counted again.
    pub sketch_bytes: u64,
    /// Pairs that were reported.
    pub pairs: u64,
    /// Threads that worked.
    pub threads: u64,
}

/// A stage of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// Seconds that passed.
    pub wall: f64,
    /// Seconds for which all threads together were at work, if the system reports it.
    pub cpu: Option<f64>,
}

impl Cost {
    /// Seconds that passed.
    pub fn wall(&self) -> f64 {
        self.stages.iter().map(|stage| stage.wall).sum()
    }

    /// Seconds for which all threads together were at work, if the system reports it.
    pub fn cpu(&self) -> Option<f64> {
        self.stages.iter().map(|stage| stage.cpu).sum()
    }

    /// Megabytes (10⁶ bytes) of input for each second of CPU; for each second of elapsed time if the system does
    /// not report CPU time.
    pub fn speed(&self) -> f64 {
        self.bytes as f64 / 1e6 / self.cpu().unwrap_or_else(|| self.wall()).max(1e-9)
    }

    /// The peak memory of the process, in megabytes (10⁶ bytes), if the system reports it.
    pub fn peak_megabytes(&self) -> Option<f64> {
        self.peak_memory.map(|bytes| bytes as f64 / 1e6)
    }

    /// Mean size of a page's sketch.
    pub fn sketch_bytes_per_page(&self) -> f64 {
        self.sketch_bytes as f64 / self.pages.max(1) as f64
    }
}

/// Runs as `retold dedup` does, up to and without its output, with `spec` on the pages of `set`.
pub fn measure(set: &LabelledSet, spec: &Spec, threads: usize, watch: &dyn Watch) -> Result<Cost> {
    let config = spec.config();
    let sources = discover(&set.inputs(), &config.read)?;
    let mut resources = RunConfig::default();
    resources.threads = threads;
    resources.all_pairs = true;
    let findings = Dedup::new(Model::new(config)?)
        .resources(&resources)
        .watch(watch)
        .run(sources)?;
    Ok(cost_of(&findings))
}

fn cost_of(findings: &Findings) -> Cost {
    let stages = findings.times.iter().map(|time| Stage {
        name: time.stage.name().to_owned(),
        wall: time.wall.as_secs_f64(),
        cpu: time.cpu.map(|time| time.as_secs_f64()),
    });
    let numbers = |&unit: &PrunedNo| {
        let unit = findings.pruned.get(unit);
        let sketch = unit.as_ref().whole;
        (sketch.keys.len() + sketch.marks.len() + sketch.extra.len()) as u64
    };
    Cost {
        stages: stages.collect(),
        peak_memory: peak_memory(),
        bytes: findings.collection.bytes,
        pages: findings.collection.pages.len() as u64,
        sketch_bytes: 8 * findings.pruned_of.iter().map(numbers).sum::<u64>(),
        pairs: findings.pairs.len() as u64,
        threads: findings.threads as u64,
    }
}
