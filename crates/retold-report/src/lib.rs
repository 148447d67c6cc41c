//! Output folders of runs: tables, `kept/`, `summary.json`, `model.json`, `report.html`; and pictures.
//!
//! [`run`] deduplicates files; [`write()`] writes a folder from [`retold::Findings`]; [`Finished`] opens one again.

#![forbid(unsafe_code)]

mod blocks;
mod columns;
mod decontaminate;
mod files;
mod finished;
mod flagged;
mod gains;
mod html;
mod job;
mod kept;
mod marks;
pub mod network;
mod out;
mod output;
mod passages;
mod sample;
pub mod story;
mod summary;
mod tables;

pub use blocks::{BlockJob, BlockSummary, cut_blocks};
pub use decontaminate::{BenchmarkSummary, Decontamination, DecontaminationSummary, decontaminate};
pub use files::{summary, write};
pub use finished::Finished;
pub use flagged::Flagged;
pub use gains::{Gain, SiteLoss};
pub use job::{Against, Job, run, sources};
pub use out::OutDir;
pub use output::{Names, OutputConfig, Request, Tables};
pub use passages::{CommonLine, PassageJob, PassageNames, PassageSummary, find_passages};
pub use sample::{Sample, Sampled, Weights, sample};
pub use summary::{Bytes, LargeComponent, Lost, Records, Relations, Run, SketchCounts, Summary};
