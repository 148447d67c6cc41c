//! Time and memory of one run of a method on a set.

use retold::internal::{PrunedNo, peak_memory};
use retold::read::discover;
use retold::{Dedup, Findings, Model, Result, RunConfig, Watch};
use serde::{Deserialize, Serialize};

use super::set::LabelledSet;
use super::spec::Spec;

/// Cost of one run. Memory is that of the process, so it must not have done anything else before.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cost {
    /// The stages, in order.
    pub stages: Vec<Stage>,
    /// Peak memory of the process in bytes, if the system reports it.
    pub peak_memory: Option<u64>,
    /// Bytes of all records as read, decompressed.
    pub bytes: u64,
    /// Pages read.
    pub pages: u64,
    /// Bytes of the sketches of all pages, including copies, in the form in which they are compared.
    pub sketch_bytes: u64,
    /// Pairs reported.
    pub pairs: u64,
    /// Number of threads.
    pub threads: u64,
}

/// A stage of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stage {
    /// Name.
    pub name: String,
    /// Elapsed seconds.
    pub wall: f64,
    /// CPU seconds of all threads, if the system reports it.
    pub cpu: Option<f64>,
}

impl Cost {
    /// Elapsed seconds.
    pub fn wall(&self) -> f64 {
        self.stages.iter().map(|stage| stage.wall).sum()
    }

    /// CPU seconds of all threads, if the system reports it.
    pub fn cpu(&self) -> Option<f64> {
        self.stages.iter().map(|stage| stage.cpu).sum()
    }

    /// Megabytes (10⁶ bytes) of input per CPU second, or per elapsed second if CPU time is not reported.
    pub fn speed(&self) -> f64 {
        self.bytes as f64 / 1e6 / self.cpu().unwrap_or_else(|| self.wall()).max(1e-9)
    }

    /// Peak memory of the process in megabytes (10⁶ bytes), if the system reports it.
    pub fn peak_megabytes(&self) -> Option<f64> {
        self.peak_memory.map(|bytes| bytes as f64 / 1e6)
    }

    /// Mean size of a page's sketch.
    pub fn sketch_bytes_per_page(&self) -> f64 {
        self.sketch_bytes as f64 / self.pages.max(1) as f64
    }
}

/// Runs `spec` on the pages of `set`, like `retold dedup` without output.
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
