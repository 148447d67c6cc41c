//! An index as an HTTP service: which of these pages do we have already?
//!
//! [`app`] makes the routes for an opened index; [`serve`] answers on a socket until it is told to stop. `/openapi.json` describes the
//! routes. With the feature `mcp`, agents are answered too, at `/mcp` and by `serve_pipes`.

#![forbid(unsafe_code)]

mod app;
mod body;
mod commit;
mod condense;
mod cursor;
mod describe;
mod feeds;
mod guard;
mod learner;
mod linger;
mod lists;
#[cfg(feature = "mcp")]
mod mcp;
mod metrics;
mod ops;
mod pages;
mod passages;
mod problem;
mod room;
mod serve;
mod state;
mod stories;
mod upkeep;

pub use app::app;
pub use commit::Committer;
#[cfg(feature = "mcp")]
pub use mcp::serve_pipes;
pub use problem::Problem;
pub use serve::{Stop, serve};
pub use state::{App, Options};

#[cfg(test)]
mod tests;
