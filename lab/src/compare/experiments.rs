//! The papers' figures, with our sets: which methods with which settings on which sets, and what is drawn.
//!
//! This is the only place that names methods. A figure needs only specs; a missing method or setting is
//! left out, and the figure says so.

use retold::Result;

use super::set::LabelledSet;
use super::spec::Spec;

/// A figure or table of a paper.
pub struct Figure {
    /// Its name in links.
    pub anchor: &'static str,
    /// The number of the figure and what it shows.
    pub title: &'static str,
    /// What the paper says.
    pub claim: &'static str,
    /// The methods; empty for all requested ones.
    specs: &'static [&'static str],
    /// The sets.
    sets: Which,
    /// What is drawn of each set.
    pub shows: Shown,
}

/// The sets of a figure.
enum Which {
    /// All that are not planted.
    All,
    /// Those with these names.
    Named(&'static [&'static str]),
    /// Those planted in a large collection.
    Planted,
}

/// What is drawn of each set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// F1 over the threshold.
    Threshold,
    /// Precision over recall.
    Recall,
    /// F1 over the time of a run.
    Time,
}

/// A figure with what there is for it.
pub struct Experiment {
    /// The figure.
    pub figure: &'static Figure,
    /// Its methods, as numbers of [`super::Comparison::specs`].
    pub specs: Vec<usize>,
    /// Its sets, as numbers of [`super::Comparison::sets`].
    pub sets: Vec<usize>,
    /// What is left out, and why.
    pub missing: Vec<String>,
}

/// All figures.
const FIGURES: &[Figure] = &[
    Figure {
        anchor: "ccdet-6a",
        title: "CCDet, Fig. 6(a): spot signatures with different stop-word lists",
        claim: "SpotSigs uses the list that is best on 3,000 Chinese news pages; our copy of the paper lacks it.",
        specs: &[
            "spotsigs:antecedents=is",
            "spotsigs:antecedents=articles",
            "spotsigs:antecedents=common",
            "spotsigs:antecedents=all",
        ],
        sets: Which::All,
        shows: Shown::Threshold,
    },
    Figure {
        anchor: "ccdet-6b",
        title: "CCDet, Fig. 6(b): four methods over their thresholds",
        claim: "CCDet (`period`) is more accurate than SpotSigs, Shingling and CoDet on Chinese news pages. Our \
                `shingle` looks for containment and checks texts, which shingling then did not: \
                `containment=false` and `@broder` are nearer to it. `imatch`, which Fig. 7 starts from, is shown with \
                them.",
        specs: &[
            "period",
            "@ccdet",
            "spotsigs",
            "shingle",
            "shingle:containment=false",
            "@broder",
            "codet",
            "imatch",
        ],
        sets: Which::All,
        shows: Shown::Threshold,
    },
    Figure {
        anchor: "ccdet-7",
        title: "CCDet, Fig. 7: I-Match with words, spot signatures (-S) and full-stop features (-P)",
        claim: "The two variants are called improvements; our copy of the paper lacks the figure. `@imatch` is plain \
                I-Match, `imatch` has ten random lexicons, which are of a later paper.",
        specs: &[
            "@imatch",
            "@imatch:features=spots",
            "@imatch:features=stops",
            "imatch",
            "imatch:features=spots",
            "imatch:features=stops",
        ],
        sets: Which::All,
        shows: Shown::Recall,
    },
    Figure {
        anchor: "ccdet-8",
        title: "CCDet, Fig. 8: shingling with words, spot signatures (-S) and full-stop features (-P)",
        claim: "Our copy of the paper lacks the figure; -S and -P use the same features as in Fig. 7. Pages have few of \
                these, so that the sample that serves shingles of words (`sample=16`) loses short pages: it is shown \
                beside all features (`sample=1`). The paper's shingling measures resemblance: `containment=false` comes first.",
        specs: &[
            "shingle:containment=false,sample=1",
            "shingle:containment=false,features=spots,sample=1",
            "shingle:containment=false,features=stops,sample=1",
            "shingle:sample=1",
            "shingle:features=spots,sample=1",
            "shingle:features=stops,sample=1",
            "shingle",
            "shingle:features=spots",
            "shingle:features=stops",
        ],
        sets: Which::All,
        shows: Shown::Recall,
    },
    Figure {
        anchor: "ccdet-9",
        title: "CCDet, Fig. 9: time, with and without pruning",
        claim: "73 ms with pruning by site, 75 with IDF, 83 without pruning; I-Match and its variants are faster and \
                less accurate; all others take more than 270 ms. Our times are of whole runs, from files to clusters.",
        specs: &[
            "period",
            "period:noise=site",
            "period:noise=idf",
            "period:noise=none",
            "imatch",
            "imatch:features=spots",
            "imatch:features=stops",
            "spotsigs",
            "shingle",
            "codet",
        ],
        // Sets whose pages have sites; on others pruning by site has no effect.
        sets: Which::Named(&["nankai", "families"]),
        shows: Shown::Time,
    },
    Figure {
        anchor: "dwdcs-2-7",
        title: "DWDCS, Fig. 2-7: precision and recall in each domain",
        claim: "DWDSC (`concept`) has a precision above 0.90 and a recall above 0.85 in three domains; the network \
                of words alone (`keyworld`) less in all; I-Match with 20 words a comparable precision in one domain \
                and less elsewhere. The paper counts removed pages, and duplicates only (`retold eval --dropped`); here are \
                pairs of any relation.",
        specs: &[
            "@dwdcs",
            "keyworld:threshold=0.9,shared=0,across=sentence",
            "@keyworld",
            "@imatch:terms=20",
            "concept",
            "keyworld",
            "imatch",
        ],
        sets: Which::All,
        shows: Shown::Recall,
    },
    Figure {
        anchor: "dwdcs-planted",
        title: "DWDCS, its setting: labelled pages planted in a large collection",
        claim: "5,835 near-duplicates were put among 1,028,568 pages. Here a pair of a page of the set and one of \
                the haystack is false, a pair inside the haystack is not scored; what precision a method loses \
                against the set alone, it loses to the haystack.",
        specs: &[],
        sets: Which::Planted,
        shows: Shown::Recall,
    },
    Figure {
        anchor: "agt-2-3",
        title: "AgT, Tables 2 and 3: agglomerate terms, TF-IDF and punctuation on 2,900 and 9,825 pages",
        claim: "2,900 pages: AgT precision 0.965, recall 0.902, 4.5 s (all but 0.015 s of it keywords); TF-IDF \
                0.881, 0.850, 36.1 s; punctuation 0.713, 0.586, 1.6 s. 9,825 pages: AgT 0.970, 0.898, 8.4 s; TF-IDF \
                0.813, 0.912, 380.9 s; punctuation 0.699, 0.631, 2.4 s.",
        specs: &["@agt", "agglomerate", "tfidf", "punctuation"],
        sets: Which::Named(&["eventmonitor", "wxvl"]),
        shows: Shown::Time,
    },
];

/// All figures, with the specs that they need beside `specs` put behind these.
pub(super) fn plan(specs: &mut Vec<Spec>, sets: &[LabelledSet]) -> Vec<Experiment> {
    let asked: Vec<usize> = (0..specs.len()).collect();
    FIGURES
        .iter()
        .map(|figure| {
            let mut missing = Vec::new();
            let mut numbers = Vec::new();
            for written in figure.specs {
                match number_of(written, specs) {
                    Ok(number) => numbers.push(number),
                    Err(reason) => missing.push(format!("`{written}` is left out ({reason})")),
                }
            }
            if figure.specs.is_empty() {
                numbers = asked.clone();
            }
            Experiment {
                sets: figure.sets.among(sets, &mut missing),
                figure,
                specs: numbers,
                missing,
            }
        })
        .collect()
}

/// The number of the spec that is written so, which is put behind the others if it is new.
fn number_of(written: &str, specs: &mut Vec<Spec>) -> Result<usize> {
    if let Some(number) = specs.iter().position(|spec| spec.label == written) {
        return Ok(number);
    }
    specs.push(Spec::parse(written)?);
    Ok(specs.len() - 1)
}

impl Which {
    fn among(&self, sets: &[LabelledSet], missing: &mut Vec<String>) -> Vec<usize> {
        let those = |wanted: &dyn Fn(&LabelledSet) -> bool| -> Vec<usize> {
            let numbered = sets.iter().enumerate();
            let wanted = numbered.filter(|(_, set)| wanted(set));
            wanted.map(|(number, _)| number).collect()
        };
        let found = match self {
            Which::All => those(&|set| set.haystack.is_none()),
            Which::Planted => those(&|set| set.haystack.is_some()),
            Which::Named(names) => those(&|set| names.contains(&&*set.name)),
        };
        let wanted = match self {
            Which::Named(names) => names
                .iter()
                .filter(|name| !sets.iter().any(|set| set.name == **name))
                .map(|name| format!("there is no --set {name}=DIR"))
                .collect(),
            Which::All => Vec::new(),
            Which::Planted if found.is_empty() => {
                vec!["there is no --set NAME=DIR+INPUT".to_owned()]
            }
            Which::Planted => Vec::new(),
        };
        missing.extend(wanted);
        found
    }
}

impl Experiment {
    /// What the paper says, and what is left out here.
    pub fn notes(&self) -> String {
        let claim = format!("The paper: {}", self.figure.claim);
        let missing = self.missing.iter().map(|what| format!(" Here {what}."));
        std::iter::once(claim).chain(missing).collect()
    }

    /// Whether it needs that method on that set.
    pub(super) fn needs(&self, set: usize, spec: usize) -> bool {
        self.sets.contains(&set) && self.specs.contains(&spec)
    }
}

#[cfg(test)]
mod tests {
    use retold::method::METHODS;

    use super::*;

    /// A figure must not lose a method because its name or a parameter was changed: what there is, is found.
    #[test]
    fn figures_name_methods_and_parameters_that_are_there() {
        let known = |written: &str| {
            let name = written.split(':').next().unwrap_or_default();
            name.starts_with('@') || METHODS.iter().any(|method| method.name == name)
        };
        for figure in FIGURES {
            for written in figure.specs.iter().filter(|written| known(written)) {
                let parsed = Spec::parse(written);
                assert!(parsed.is_ok(), "{}: {written}", figure.title);
            }
        }
    }

    #[test]
    fn what_is_not_there_is_named_and_nothing_is_run_twice() {
        let mut specs = vec![Spec::parse("period").unwrap()];
        let experiments = plan(&mut specs, &[]);
        assert_eq!(experiments.len(), FIGURES.len());
        let mut labels: Vec<&str> = specs.iter().map(|spec| &*spec.label).collect();
        let all = labels.len();
        labels.sort_unstable();
        labels.dedup();
        assert_eq!(labels.len(), all);
        let of = |anchor| experiments.iter().find(|e| e.figure.anchor == anchor);
        let agt = of("agt-2-3").unwrap();
        assert!(agt.missing.iter().any(|m| m.contains("--set wxvl=DIR")));
        let planted = of("dwdcs-planted").unwrap();
        assert_eq!(planted.specs, [0]);
        assert!(planted.missing[0].contains("DIR+INPUT"));
    }
}
