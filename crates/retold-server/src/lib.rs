//! An index as an HTTP service: which of these pages do we have already?
//!
//! [`app`] makes the routes for an opened index; [`serve`] answers on a socket until it is told to stop. `/openapi.json` describes the
//! routes.

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
mod metrics;
mod ops;
mod pages;
mod passages;
mod problem;
mod room;
mod serve;
mod state;
mod stories;

pub use app::app;
pub use commit::Committer;
pub use problem::Problem;
pub use serve::{Stop, serve};
pub use state::{App, Options};

#[cfg(test)]
mod tests;
