//! The run, compared with a reference that judges every page with every other, one pair at a time.

use proptest::prelude::*;

use super::*;
use crate::cluster::Pair;
use crate::config::{JudgeConfig, RunConfig};
use crate::ids::Rank;
use crate::method::METHODS;
use crate::model::{Judgement, Model};
use crate::page::Page;
use crate::read::Source;
use crate::relation::Verdict;
use crate::spill::Memory;
use crate::text::Text;

/// What a run finds within limits that tests want small.
pub(super) fn find(
    sources: Vec<Source>,
    model: Model,
    memory: &Memory,
    limits: Limits,
) -> Findings {
    let job = Dedup::new(model).limits(limits);
    job.run_within(sources, memory).unwrap()
}

/// Limits of the sizes of components and of posting lists; of all else they are small.
pub(super) fn limits(component: usize, heavy: usize) -> Limits {
    Limits {
        component,
        heavy,
        bounded: 2,
        bounded_keys: 1,
        journal_chunk: 200,
    }
}

/// Sentences that pages are made of: they share words, and two differ in one. The last are a site's.
const SENTENCES: &[&str] = &[
    "渡船今天早上离开港口，乘客们在码头等待消息。",
    "渡船今天晚上离开港口，乘客们在码头等待消息。",
    "昨天的天气非常糟糕，海上的风很大，没有人出门。",
    "船长说明天是最后一班，请大家准时到达码头。",
    "The ferry left the harbour of Naxos in the morning and was late again. ",
    "The ferry left the harbour of Paros in the morning and was late again. ",
    "A passenger is waiting for the news at the quay, as is the captain. ",
    "港口 码头 天气\n",
    "本站声明：以上内容仅代表作者本人观点，与本站立场无关。",
    "All rights reserved by the owners of this page. ",
];

fn pages() -> impl Strategy<Value = Vec<Page>> {
    let text = proptest::collection::vec(prop::sample::select(SENTENCES), 0..7);
    let site = prop::option::of(prop::sample::select(vec!["http://a.cn/x", "http://b.cn/y"]));
    let page = (text.prop_map(|parts| parts.concat()), site);
    proptest::collection::vec(page, 1..14).prop_map(|pages| {
        let numbered = pages.into_iter().enumerate();
        let page = |(number, (text, url)): (usize, (String, Option<&str>))| {
            let page = Page::text(format!("p{number}"), text);
            match url {
                Some(url) => page.with_url(url),
                None => page,
            }
        };
        numbered.map(page).collect()
    })
}

/// Every method with settings that make small collections interesting.
fn configs() -> Vec<JudgeConfig> {
    let noises = ["none", "idf", "site", "idf+site", "evidence"];
    let mut configs = Vec::new();
    for info in METHODS {
        let has = |name: &str| info.all_params().any(|param| param.name == name);
        let all = [
            ("common_df", "2"),
            ("many", "3"),
            ("idf_min_df", "2"),
            ("idf_threshold", "0.7"),
            ("site_min_df", "1"),
            ("min_chars", "5"),
        ];
        let mut base = JudgeConfig {
            method: info.name.into(),
            ..JudgeConfig::default()
        };
        let fitting = all.into_iter().filter(|(name, _)| has(name));
        base.params
            .extend(fitting.map(|(name, value)| (name.to_owned(), value.into())));
        for noise in noises.into_iter().take(if has("noise") { 5 } else { 1 }) {
            let mut config = base.clone();
            if has("noise") {
                config.params.insert("noise".into(), noise.into());
            }
            config.exact = noise != "idf";
            configs.push(config);
        }
        for (name, value) in [
            ("verify", "off"),
            ("containment", "false"),
            ("features", "stops"),
        ] {
            if has(name) {
                let mut config = base.clone();
                config.params.insert(name.into(), value.into());
                configs.push(config);
            }
        }
    }
    configs
}

/// What the model says of two pages, texts asked where sketches are in doubt; with `told_again` also of pages that only bigrams relate.
fn verdict(
    model: &Model,
    a: &(Text, crate::method::Sketch),
    b: &(Text, crate::method::Sketch),
    told_again: bool,
) -> Option<Verdict> {
    let judgement = match told_again {
        true => model.judge_two(&a.1, &b.1, &mut crate::method::Trace::off()),
        false => model.judge(&a.1, &b.1),
    };
    match judgement {
        Judgement::No => None,
        Judgement::Yes(verdict) => Some(verdict),
        Judgement::NeedsVerification(_) => model.verify(&a.0, &b.0),
    }
}

fn by_brute_force(findings: &Findings, pages: &[Page], told_again: bool) -> Vec<Pair> {
    let model = &findings.model;
    let sketched = |rank: Rank| {
        let page = &pages[findings.by_id[rank.at()].at()];
        let text = model.text(page).unwrap();
        let sketch = model.sketch(&text, page.site().as_deref()).unwrap();
        // As an index would have kept it.
        let kept = crate::method::Sketch::from_bytes(&sketch.to_bytes()).unwrap();
        assert_eq!(kept, sketch);
        (text, kept)
    };
    let all: Vec<_> = Rank::first(pages.len()).map(sketched).collect();
    let mut pairs = Vec::new();
    for a in Rank::first(all.len()) {
        for b in Rank::first(all.len()).skip(a.at() + 1) {
            let found = verdict(model, &all[a.at()], &all[b.at()], told_again);
            let swapped = verdict(model, &all[b.at()], &all[a.at()], told_again);
            assert_eq!(
                found,
                swapped.map(Verdict::swapped),
                "{}",
                model.method().name
            );
            pairs.extend(found.map(|verdict| Pair::new(a, b, &verdict)));
        }
    }
    pairs
}

/// All pairs that sketches relate are listed. Of pages that only bigrams relate, some are: those without a similar page, with their best.
fn all_are_listed(findings: &Findings, pages: &[Page]) -> Result<(), TestCaseError> {
    let (by_sketches, listed) = (
        by_brute_force(findings, pages, false),
        findings.pairs.to_vec(),
    );
    let missing = by_sketches.iter().find(|pair| !listed.contains(pair));
    let method = findings.model.method().name;
    prop_assert_eq!(missing, None, "{}", method);
    let possible = by_brute_force(findings, pages, true);
    let wrong = listed.iter().find(|pair| !possible.contains(pair));
    prop_assert_eq!(wrong, None, "{}", method);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_run_says_what_the_model_says_of_every_pair(pages in pages()) {
        for config in configs() {
            let findings = match dedup(pages.clone(), &config) {
                Ok(findings) => findings,
                Err(error) => panic!("{}: {error}", config.method),
            };
            all_are_listed(&findings, &pages)?;
        }
    }

    /// Related pages that are no exact copies find each other by their probes.
    #[test]
    fn probes_of_related_pages_meet(pages in pages()) {
        for config in configs() {
            let config = JudgeConfig { exact: false, ..config };
            let findings = dedup(pages.clone(), &config).unwrap();
            let model = &findings.model;
            let probes = |rank: Rank| {
                let page = &pages[findings.by_id[rank.at()].at()];
                let sketch = model.sketch(&model.text(page).unwrap(), page.site().as_deref());
                model.probes(&sketch.unwrap())
            };
            let by_sketches = by_brute_force(&findings, &pages, false);
            for pair in by_sketches {
                let (a, b) = (probes(pair.a), probes(pair.b));
                let (small, large) = if a.size <= b.size { (a, b) } else { (b, a) };
                let meet = small.prefix.iter().any(|key| large.all.contains(key));
                prop_assert!(meet, "{}", config.method);
            }
        }
    }

    /// A later page, judged with the knowledge learnt before, gets the verdicts of a run with that knowledge.
    #[test]
    fn a_model_that_has_learnt_judges_a_run(pages in pages()) {
        for config in configs() {
            let model = dedup(pages.clone(), &config).unwrap().model;
            let half = &pages[..pages.len().div_ceil(2)];
            let source = Source::of_pages("half", half.to_vec());
            let findings = Dedup::new(model.clone()).run(vec![source]).unwrap();
            prop_assert_eq!(findings.model.knowledge(), model.knowledge());
            all_are_listed(&findings, half)?;
        }
    }
}

/// Pages of one visible text may differ in what is their main text, and verification looks at that.
#[test]
fn the_order_of_reading_makes_no_difference() {
    let story = |from: usize| -> String {
        let sentence = |n: usize| {
            let (boat, passenger, island) = (n * 31, n * 17, n * 7);
            format!(
                "In part {n} the captain of boat {boat} told passenger {passenger} about island {island}. "
            )
        };
        (from..from + 14).map(sentence).collect()
    };
    let menu = |open: &str, close: &str| -> String {
        let line = |n: usize| format!("{open}Harbour {} and pier {}{close}\n", n * 13, n * 19);
        (0..60).map(line).collect()
    };
    let links = menu("<li><a href='x'>", "</a></li>");
    let lines = menu("<p>", "</p>");
    let html = |id: &str, body: &str| Page::html(id, format!("<body>{body}</body>"));
    let article = format!("<article><p>{}</p></article>", story(0));
    let pages = [
        html("a-links", &format!("{article}<ul>{links}</ul>")),
        html("b-prose", &format!("{article}<div>{lines}</div>")),
        html("c-reprint", &format!("<p>{}</p>", story(0))),
        html(
            "d-other",
            &format!("<p>{}</p><div>{lines}</div>", story(40)),
        ),
    ];
    let model = Model::new(JudgeConfig::default()).unwrap();
    let facts = |page: &Page| model.sketch(&model.text(page).unwrap(), None).unwrap();
    let [a, b] = [facts(&pages[0]), facts(&pages[1])];
    assert!(a.text_hash == b.text_hash && a.main_chars != b.main_chars);
    let find = |order: [usize; 4]| {
        let pages = order.map(|at| pages[at].clone());
        dedup(pages, &JudgeConfig::default()).unwrap().pairs
    };
    let expected = find([0, 1, 2, 3]);
    assert!(expected.len() > 2);
    for order in [[1, 0, 2, 3], [3, 2, 1, 0], [2, 1, 3, 0]] {
        assert_eq!(find(order), expected);
    }
}

#[test]
fn nothing_to_read_is_an_error() {
    let message = dedup([], &JudgeConfig::default()).unwrap_err().to_string();
    assert_eq!(
        message,
        "no page could be read from pages: 1 file holds 0 records, none of them a page"
    );
    for info in METHODS {
        let config = JudgeConfig {
            method: info.name.into(),
            ..JudgeConfig::default()
        };
        let resources = RunConfig {
            allow_empty: true,
            ..RunConfig::default()
        };
        let source = Source::of_pages("pages", []);
        let model = Model::new(config).unwrap();
        let job = Dedup::new(model).resources(&resources);
        let findings = job.run(vec![source]).unwrap();
        assert!(
            findings.pairs.is_empty() && findings.by_id.is_empty(),
            "{}",
            info.name
        );
    }
}
