//! The index for agents: a server of the Model Context Protocol (<https://modelcontextprotocol.io>), over pipes or as the route `/mcp`.
//!
//! Answers are short, because a model reads them: a few matches, and the beginnings of passages.

mod agents;
mod arguments;
mod pipes;
mod resources;
mod route;
mod tools;

pub use pipes::serve_pipes;
pub(crate) use route::{Route, message};
