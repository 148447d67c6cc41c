//! The model of an index with its epoch.

use retold::Model;

#[derive(Clone, Debug)]
pub(crate) struct Judge {
    pub(crate) model: Model,
    pub(crate) epoch: u32,
}
