//! Options that say which pages are compared with each other.

use retold::{PairFilters, Window};

/// Pair filters.
#[derive(clap::Args)]
pub struct FilterArgs {
    /// Compare only pages of different sites, with NAME `site`
    ///
    /// With another NAME: pages with different values in that field
    #[arg(long, value_name = "NAME", help_heading = "Pairs")]
    across: Option<String>,
    /// Compare only pages with equal values in these fields, as in language,split
    #[arg(
        long,
        alias = "also-equal",
        value_name = "LIST",
        value_delimiter = ',',
        help_heading = "Pairs",
        hide_short_help = true
    )]
    within: Vec<String>,
    /// Compare only pages whose dates are at most so far apart, as in 30d or 12h
    #[arg(
        long,
        value_name = "TIME",
        help_heading = "Pairs",
        hide_short_help = true
    )]
    window: Option<Window>,
}

impl FilterArgs {
    /// The filters that these options make.
    pub fn filters(&self) -> PairFilters {
        PairFilters {
            across: self.across.clone(),
            within: self.within.clone(),
            window: self.window.clone(),
        }
    }
}
