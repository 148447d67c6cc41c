//! What judges the pages of an index.

use retold::Model;

/// A model, and the epoch that it is of.
#[derive(Clone, Debug)]
pub(crate) struct Judge {
    pub(crate) model: Model,
    pub(crate) epoch: u32,
}
