//! The parameters of the noise filter.

use crate::param::{Domain, Param};

/// The parameters of the noise filter, which every method that wants one has beside its own.
pub const PARAMS: &[Param] = &[
    Param {
        name: "noise",
        domain: Domain::Choice("evidence", &["none", "idf", "site", "idf+site", "evidence"]),
        help: "how features of templates and disclaimers are treated: deleted by IDF, by site, by both, or \
               kept, with further evidence asked for",
    },
    Param {
        name: "common_df",
        domain: Domain::Int(8, 2, 1_000_000_000),
        help: "evidence: a feature on at least this many texts may be common",
    },
    Param {
        name: "agreement",
        domain: Domain::Float(0.2, 0.0, 1.0),
        help: "evidence: such a feature is common if fewer of the pairs of its texts agree in nearly all they have",
    },
    Param {
        name: "cover",
        domain: Domain::Float(0.65, 0.01, 1.0),
        help: "evidence: common features suffice if their sentences are this share of the shorter text",
    },
    Param {
        name: "many",
        domain: Domain::Int(20, 1, 1_000_000_000),
        help: "evidence: common features suffice if this many are shared",
    },
    Param {
        name: "idf_threshold",
        domain: Domain::Float(6.0, 0.0, 100.0),
        help: "idf: a feature with ln(N / df) below this is noise",
    },
    Param {
        name: "idf_min_df",
        domain: Domain::Int(20, 2, 1_000_000_000),
        help: "idf: a feature on fewer different texts than this is never noise",
    },
    Param {
        name: "site_min_df",
        domain: Domain::Int(20, 1, 1_000_000_000),
        help: "site: a feature on no more different texts of a site than this is never the site's noise",
    },
    Param {
        name: "site_share",
        domain: Domain::Float(0.02, 0.0, 1.0),
        help: "site: a feature on more than this share of a site's different texts is the site's noise",
    },
];
