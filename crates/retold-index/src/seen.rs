//! Whether an index knows a text.

use retold::{Relation, Result};
use serde::Serialize;

use crate::adds::Adds;
use crate::index::{Index, Prepared};
use crate::query::Match;

/// Whether an index knows a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Known {
    /// Nothing stored is like it.
    New,
    /// Something stored has all that it says.
    Repeat,
    /// Something stored is like it, but it says more.
    Adds,
}

/// What an index knows of a text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Seen {
    /// Whether it knows the text.
    pub known: Known,
    /// The pages that the text repeats or is like, best first.
    pub matches: Vec<Match>,
    /// What no page of the index says, if the text adds something and that is known.
    pub adds: Option<Adds>,
}

impl Known {
    /// The name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Known::New => "new",
            Known::Repeat => "repeat",
            Known::Adds => "adds",
        }
    }
}

impl Index {
    /// Whether the index knows the text of a page, with at most `limit` matches. A text that several pages have together is a repeat. A page
    /// with the same id is left out, as in [`Index::query`].
    pub fn seen(&self, page: &Prepared, limit: usize) -> Result<Seen> {
        let (_, matches) = self.query(page, Some(limit))?;
        let adds = match matches.is_empty() || !self.counts_own() {
            true => None,
            false => Some(self.adds(page)?).filter(|adds| adds.words > 0),
        };
        let is_repeat = |found: &Match| {
            let relation = found.verdict.relation;
            matches!(relation, Relation::Duplicate | Relation::ContainedBy)
        };
        let adds_nothing = match self.counts_own() {
            true => adds.is_none(),
            false => matches.iter().any(is_repeat),
        };
        let known = match adds_nothing {
            _ if matches.is_empty() => Known::New,
            true => Known::Repeat,
            false => Known::Adds,
        };
        Ok(Seen {
            known,
            matches,
            adds,
        })
    }
}
