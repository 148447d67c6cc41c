//! Named settings: for published methods the publication's, for the default method a stricter and a looser variant.

use super::info::MethodInfo;
use crate::cluster::Linkage;
use crate::error::{Error, Result};
use crate::param::Settings;

/// A method with named settings, so that published results can be compared, or for a purpose other than the defaults'.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The name.
    pub name: &'static str,
    /// The method.
    pub method: &'static str,
    /// Parameters of the method; the others have their defaults.
    pub params: &'static [(&'static str, &'static str)],
    /// How related pages become clusters, unless something else is stated.
    pub cluster: Linkage,
    /// The publication, or where the measurements are.
    pub source: &'static str,
    /// What the publication leaves open or what differs from it; or the purpose of the preset.
    pub remark: &'static str,
}

/// The table of presets.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "copies",
        method: "coverage",
        params: &[
            ("threshold", "0.8"),
            ("reworded", "1"),
            ("own_words", "0"),
            ("own_share", "0"),
        ],
        cluster: Linkage::TwoEdge,
        source: "docs/coverage.md",
        remark: "`--own 0`, and stricter: only pages that add nothing go, no reworded ones",
    },
    Preset {
        name: "retellings",
        method: "coverage",
        params: &[
            ("threshold", "0.5"),
            ("replaced", "0.3"),
            ("reworded", "0.65"),
            ("own_words", "50"),
            ("own_share", "0.2"),
        ],
        cluster: Linkage::TwoEdge,
        source: "docs/coverage.md",
        remark: "`--own 50,20%`, and looser: finds more rewritten pages and more false pairs, and drops pages that say a little of their own",
    },
    Preset {
        name: "ccdet",
        method: "period",
        params: &[
            ("noise", "site"),
            ("min_shared", "1"),
            ("min_chars", "0"),
            ("chars", "10"),
            ("blocks", "join"),
        ],
        cluster: Linkage::TwoEdge,
        source: "CCDet, Journal of Computer Research and Development 2013(S2)",
        remark: "the threshold of CCS and what is pruned are not given: ours",
    },
    Preset {
        name: "patent",
        method: "period",
        params: &[
            ("noise", "idf"),
            ("min_shared", "1"),
            ("min_chars", "0"),
            ("chars", "10"),
            ("blocks", "join"),
        ],
        cluster: Linkage::PerPage,
        source: "patent CN102945244, claims 2 to 6",
        remark: "the thresholds of IDF and CCS are not given: ours; classes overlap (claim 6)",
    },
    Preset {
        name: "agt",
        method: "agglomerate",
        params: &[
            ("hashes", "best"),
            ("keywords", "10"),
            ("duplicate_by", "cosine"),
            ("length_threshold", "0"),
            ("k1", "2"),
            ("k2", "1"),
            ("b", "20"),
        ],
        cluster: Linkage::TwoEdge,
        source: "AgT, Journal of Computer Applications 2010, 30(6):1661",
        remark: "f is not given: ours, steep enough for a burst to outweigh many even occurrences; ten dimensions and .95 are given for TF-IDF, and taken for AgT too; no containment",
    },
    Preset {
        name: "dwdcs",
        method: "concept",
        params: &[
            ("threshold", "0.9"),
            ("key_concepts", "20"),
            ("hubs", "30"),
            ("shared", "0"),
            ("across", "sentence"),
            ("contribution", "all"),
            ("length_threshold", "0"),
        ],
        cluster: Linkage::TwoEdge,
        source: "DWDCS, Journal of Software 2011, 22(8):1816",
        remark: "S_thr, Rel_thr, f_thr and the number of queried concepts are not given: ours, S over the length of the page; phrases are single words; no containment",
    },
    Preset {
        name: "keyworld",
        method: "keyworld",
        params: &[
            ("threshold", "0.9"),
            ("key_concepts", "20"),
            ("shared", "0"),
            ("links", "sentences"),
            ("across", "sentence"),
            ("length_threshold", "0"),
        ],
        cluster: Linkage::TwoEdge,
        source: "KeyWorld, Discovery Science 2001, in place of DWDCS's network (DWSWN)",
        remark: "KeyWorld finds keywords and does not compare pages: DWDCS's comparison; the Jaccard threshold and S_thr: ours; no containment",
    },
    Preset {
        name: "imatch",
        method: "imatch",
        params: &[("lexicons", "0"), ("terms", "0"), ("min_terms", "1")],
        cluster: Linkage::TwoEdge,
        source: "Chowdhury et al., ACM TOIS 20(2), 2002",
        remark: "the paper tries many IDF bands: ours",
    },
    Preset {
        name: "broder",
        method: "shingle",
        params: &[
            ("containment", "false"),
            ("verify", "off"),
            ("width", "10"),
            ("threshold", "0.5"),
        ],
        cluster: Linkage::TwoEdge,
        source: "Broder, Glassman, Manasse and Zweig, Syntactic clustering of the Web, WWW 1997",
        remark: "min-hash values in bands replace the sample of every 25th shingle; in scripts without spaces characters are words",
    },
    Preset {
        name: "spotsigs",
        method: "spotsigs",
        params: &[
            ("min_shared", "1"),
            ("antecedents", "articles"),
            ("threshold", "0.44"),
        ],
        cluster: Linkage::TwoEdge,
        source: "Theobald, Siddharth and Paepcke, SIGIR 2008",
        remark: "distance and chain: ours; the lists for Chinese are ours",
    },
];

impl Preset {
    /// The preset called `name`.
    ///
    /// Errors: there is no such preset.
    pub fn find(name: &str) -> Result<&'static Preset> {
        PRESETS
            .iter()
            .find(|preset| preset.name == name)
            .ok_or_else(|| {
                let known: Vec<_> = PRESETS.iter().map(|preset| preset.name).collect();
                Error::Usage(format!(
                    "no preset is called `{name}`; there are: {}",
                    known.join(", ")
                ))
            })
    }

    /// All presets of a method.
    pub fn of(method: &MethodInfo) -> impl Iterator<Item = &'static Preset> {
        PRESETS
            .iter()
            .filter(move |preset| preset.method == method.name)
    }

    /// Its parameters as settings.
    pub fn settings(&self) -> Settings {
        let params = self.params.iter();
        params
            .map(|&(name, value)| (name.to_owned(), value.into()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::find_method as find;

    #[test]
    fn presets_name_methods_and_parameters_that_are_there() {
        for preset in PRESETS {
            let method = find(preset.method).unwrap();
            let set = method.resolve(&preset.settings()).unwrap();
            let shipped = method.resolve(&Settings::new()).unwrap();
            assert_ne!(set, shipped, "{} is what we ship", preset.name);
            assert!(Preset::of(method).any(|of| of == preset));
            assert_eq!(Preset::find(preset.name).unwrap(), preset);
            let per_page = preset.cluster == Linkage::PerPage;
            assert_eq!(per_page, preset.name == "patent");
        }
        let message = Preset::find("ccdot").unwrap_err().to_string();
        assert!(message.starts_with(
            "no preset is called `ccdot`; there are: copies, retellings, ccdet, patent, agt, "
        ));
    }
}
