//! The only table that registers methods.

use super::classic::{codet, imatch, punctuation, shingle, simhash, spotsigs, tfidf};
use super::coverage;
use super::info::MethodInfo;
use super::papers::{agglomerate, concept, period};
use super::preset::PRESETS;
use crate::error::{Error, Result};

/// All methods, in display order.
pub const METHODS: &[MethodInfo] = &[
    period::INFO,
    agglomerate::INFO,
    concept::INFO,
    concept::KEYWORLD,
    shingle::INFO,
    coverage::INFO,
    simhash::INFO,
    imatch::INFO,
    spotsigs::INFO,
    codet::INFO,
    tfidf::INFO,
    punctuation::INFO,
];

/// The name of the default method.
pub const DEFAULT: &str = coverage::INFO.name;

/// The method called `name`.
///
/// Errors: there is no such method.
pub fn find(name: &str) -> Result<&'static MethodInfo> {
    METHODS.iter().find(|m| m.name == name).ok_or_else(|| {
        if PRESETS.iter().any(|preset| preset.name == name) {
            return Error::Usage(format!(
                "no method is called `{name}`, but a preset is: name it as preset, not as method (`--preset {name}`)"
            ));
        }
        let known: Vec<_> = METHODS.iter().map(|m| m.name).collect();
        Error::Usage(format!(
            "no method is called `{name}`; there are: {}",
            known.join(", ")
        ))
    })
}
