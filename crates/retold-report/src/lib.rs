//! Output folders of runs: tables, `kept/`, `summary.json`, `model.json`, `report.html`; and pictures.
//!
//! [`run`] deduplicates files; [`write()`] writes a folder from [`retold::Findings`]; [`Finished`] opens one again.

#![forbid(unsafe_code)]

mod agreement;
mod blocks;
mod columns;
mod decontaminate;
mod drops;
mod files;
mod finished;
mod flagged;
mod gains;
mod html;
mod job;
mod kept;
mod losses;
mod marks;
pub mod network;
mod out;
mod output;
mod passages;
mod sample;
mod stop;
pub mod story;
mod summary;
mod tables;
mod tally;

pub use agreement::Agreement;
pub use blocks::{BlockJob, BlockSummary, cut_blocks};
pub use decontaminate::{BenchmarkSummary, Decontamination, DecontaminationSummary, decontaminate};
pub use drops::{DropOrder, DroppedPage};
pub use files::{summary, write};
pub use finished::Finished;
pub use flagged::Flagged;
pub use gains::{Gain, SiteLoss};
pub use html::random_drops;
pub use job::{Against, Job, run, sources};
pub use losses::{Loss, Losses, Successor};
pub use out::OutDir;
pub use output::{Names, OutputConfig, Request, Tables};
pub use passages::{CommonLine, PassageJob, PassageNames, PassageSummary, find_passages};
pub use sample::{Sample, SampleBy, Sampled, Weights, sample};
pub use stop::StopIf;
pub use summary::{Bytes, LargeComponent, Lost, Records, Relations, Run, SketchCounts, Summary};
