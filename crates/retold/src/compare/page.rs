//! The results as one page that needs nothing else.

use askama::Template;

use super::Comparison;
use super::table::Table;
use crate::error::{Error, Result};

#[derive(Template)]
#[template(path = "compare.html")]
struct Page {
    version: &'static str,
    style: &'static str,
    main: Vec<Table>,
    sections: Vec<Section>,
}

/// What there is to say of a set.
struct Section {
    anchor: String,
    title: String,
    tables: Vec<Table>,
}

impl Comparison {
    /// The page.
    pub fn html(&self) -> Result<String> {
        let specs: Vec<usize> = (0..self.specs.len()).collect();
        let section = |set: usize| Section {
            anchor: format!("set-{set}"),
            title: self.sets[set].name.clone(),
            tables: vec![self.score_table(set, &specs), self.cost_table(set, &specs)],
        };
        let page = Page {
            version: env!("CARGO_PKG_VERSION"),
            style: include_str!("../../templates/compare.css"),
            main: self.main_tables(),
            sections: (0..self.sets.len()).map(section).collect(),
        };
        page.render()
            .map_err(|e| Error::usage(format!("compare.html cannot be made: {e}")))
    }
}
