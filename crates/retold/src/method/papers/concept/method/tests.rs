//! Checks the whole methods against figures worked out by hand.

use super::*;
use crate::method::Check;
use crate::method::papers::concept::graph::Distances;
use crate::method::papers::concept::network;
use crate::method::papers::concept::params::Contribution;
use crate::method::testing::{judge, params, text, traced};
use crate::param::{Domain, Param};
use crate::relation::Relation;

fn method(settings: &[(&str, &str)]) -> Concept {
    Concept::new(&params(&INFO, settings))
}

fn keyworld() -> Concept {
    Concept::keyworld(&params(&KEYWORLD, &[]))
}

fn names(method: &Concept, content: &str) -> Vec<String> {
    let (concepts, _) = method.keys(&text(content));
    concepts.all.into_iter().map(|c| c.name).collect()
}

#[test]
fn phrases_are_runs_of_content_words() {
    let three = method(&[("merge", "1"), ("phrase", "3")]);
    // "old ferry" and "fishing boat" occur twice. Stop-words, numbers and punctuation end a run, so "tide tables" occurs only once within a
    // run.
    let found = names(
        &three,
        "The old ferry and the harbour lights, tide tables 2024 boats, tide of tables. \
         Wooden fishing boat rope. An old ferry, no fishing boat.",
    );
    let wanted = [
        "boat",
        "fishing boat",
        "harbour",
        "light",
        "old ferry",
        "rope",
        "table",
        "tide",
        "wooden",
    ];
    assert_eq!(found, wanted);
    let one = method(&[("merge", "1"), ("phrase", "1")]);
    assert_eq!(names(&one, "ferry boats, the boat"), ["boat", "ferry"]);
    assert_eq!(names(&one, "渡船的渡船"), ["渡船"]);
}

/// An additional word at the start of a run does not change the phrases after it.
#[test]
fn phrases_do_not_depend_on_where_a_run_begins() {
    let three = method(&[("merge", "1"), ("phrase", "3")]);
    let run = "ferry harbour tide rope lantern anchor";
    let found = |first: &str| names(&three, &format!("{first} {run}. Later {run}, {run}."));
    let (plain, longer) = (found(""), found("fog"));
    assert_eq!(plain, ["ferry harbour tide", "late", "rope lantern anchor"]);
    assert_eq!(
        longer,
        ["ferry harbour tide", "fog", "late", "rope lantern anchor"]
    );
}

#[test]
fn links_can_end_with_blocks_and_sentences() {
    let content = "Ferry harbour! Tide rope. Lantern anchor? Ferry lantern\n\nFog quay rope";
    let edges = |across: &str| {
        let method = method(&[("merge", "1"), ("across", across)]);
        let network = method.network(&text(content));
        let name = |node: u32| network.nodes[node as usize].name.clone();
        let edges = network.edges.iter().map(|&(a, b)| (name(a), name(b)));
        let edges: std::collections::BTreeSet<_> = edges.collect();
        (edges, network.connected)
    };
    let has = |edges: &std::collections::BTreeSet<(String, String)>, a: &str, b: &str| {
        edges.contains(&(a.to_owned(), b.to_owned()))
    };
    let (page, all) = edges("page");
    assert!(has(&page, "harbour", "tide") && has(&page, "fog", "lantern"));
    assert_eq!(all, 1.0);
    let (block, _) = edges("block");
    assert!(has(&block, "harbour", "tide") && !has(&block, "fog", "lantern"));
    // Pairs in one sentence: ferry–harbour, tide–rope, anchor–lantern, ferry–lantern, and all three of fog, quay and rope. The components
    // are {anchor, ferry, harbour, lantern} and {fog, quay, rope, tide}, of equal size; words of the first occur six times.
    let (sentence, share) = edges("sentence");
    let wanted = [
        ("anchor", "lantern"),
        ("ferry", "harbour"),
        ("ferry", "lantern"),
    ];
    assert_eq!(
        sentence,
        wanted.map(|(a, b)| (a.to_owned(), b.to_owned())).into()
    );
    assert_eq!(share, 0.5);
}

/// Two triangles that share a node. Six pairs are at distance 1, four at 2: d = 1.4. Without the node two pairs are at 1 and four are
/// disconnected, which counts 3: d = 14 / 6. Between the others d was 10 / 6.
#[test]
fn the_contribution_of_a_node_by_hand() {
    let content = "Fog rope keel. Keel tide quay.";
    let of = |by: &str| {
        let settings = [("merge", "1"), ("across", "sentence"), ("contribution", by)];
        let network = method(&settings).network(&text(content));
        assert_eq!(network.mean_distance, 1.4);
        let contribution = |name: &str| {
            let node = network.nodes.iter().find(|node| node.name == name);
            (node.unwrap().contribution * 1e4).round() / 1e4
        };
        assert_eq!(
            network
                .nodes
                .iter()
                .find(|n| n.key == Some(1))
                .unwrap()
                .name,
            "keel"
        );
        (contribution("keel"), contribution("fog"))
    };
    assert_eq!(of("others"), (0.6667, 0.0));
    // Without fog: 4 pairs at 1 and 2 at 2, 8 / 6 − 1.4.
    assert_eq!(of("all"), (0.9333, -0.0667));
}

/// Ten nodes and 14 links. Over all 45 pairs d = 89 / 45; over the 36 pairs without keel it is 74 / 36, and after removing keel 104 / 36,
/// with one pair disconnected and counted as 5. So keel contributes 104 / 36 − 74 / 36 = .8333 between the others, and 104 / 36 − 89 / 45 =
/// .9111 by the formula as printed.
#[test]
fn both_contributions_in_a_network_of_ten_by_hand() {
    let names = [
        "keel", "fog", "rope", "tide", "lamp", "barge", "violin", "carpet", "onion", "ladder",
    ];
    let links = [
        (0, 1),
        (0, 2),
        (0, 4),
        (0, 9),
        (1, 2),
        (3, 5),
        (3, 6),
        (3, 7),
        (4, 5),
        (4, 6),
        (4, 8),
        (4, 9),
        (7, 8),
        (7, 9),
    ];
    let sentences = links.map(|(a, b): (usize, usize)| format!("{} {}.", names[a], names[b]));
    let content = sentences.join(" ");
    for (by, expected) in [("others", 30.0 / 36.0), ("all", 41.0 / 45.0)] {
        let settings = [("merge", "1"), ("across", "sentence"), ("contribution", by)];
        let network = method(&settings).network(&text(&content));
        assert_eq!(network.nodes.len(), 10);
        let keel = network.nodes.iter().find(|node| node.name == "keel");
        assert!((keel.unwrap().contribution - expected).abs() < 1e-9, "{by}");
    }
}

#[test]
fn positions_count_all_words() {
    let (concepts, _) = method(&[("merge", "1"), ("phrase", "3")])
        .keys(&text("the old ferry and the old ferry of the harbour"));
    assert_eq!(concepts.all[1].name, "old ferry");
    assert_eq!(concepts.all[1].positions, [1, 5]);
    assert_eq!(concepts.all[1].ends, [2, 6]);
    assert_eq!(concepts.sequence, [1, 1, 0]);
}

#[test]
fn synonyms_are_one_concept_that_goes_by_its_commonest_phrase() {
    let content = "car automobile ferry automobile auto harbour";
    let merging = method(&[("merge", "0.3"), ("phrase", "1")]);
    let (concepts, _) = merging.keys(&text(content));
    let automobile = concepts
        .all
        .iter()
        .find(|c| c.name == "automobile")
        .unwrap();
    assert_eq!(automobile.positions, [0, 1, 3, 4]);
    let phrases = [("auto", 1), ("automobile", 2), ("car", 1)];
    assert_eq!(automobile.phrases, phrases.map(|(p, n)| (p.to_owned(), n)));
    assert_eq!(concepts.phrases, 5);
    assert_eq!(concepts.all.len(), 3);
    assert_eq!(names(&keyworld(), content).len(), 5);
}

#[test]
fn edges_reach_two_steps_and_the_largest_part_stays() {
    let concepts = |sequence: &[u32]| {
        let most = sequence.iter().max().map_or(0, |&n| n as usize + 1);
        let mut all = vec![phrase::Concept::default(); most];
        for (at, &concept) in sequence.iter().enumerate() {
            all[concept as usize].positions.push(at as u32);
        }
        Concepts {
            all,
            sequence: sequence.to_vec(),
            starts: (0..sequence.len() as u32).collect(),
            phrases: most,
        }
    };
    let web = Web::new(&concepts(&[0, 1, 2, 3]), 0, &[]);
    let neighbours: Vec<&[u32]> = (0..4).map(|n| web.graph.neighbours(n)).collect();
    assert_eq!(neighbours, [&[1, 2][..], &[0, 2, 3], &[0, 1, 3], &[1, 2]]);
    // A repeated node has no edge to itself. If the concepts of 0 1 0 | 2 2 | 3 4 5 3 4 5 that occur once are left out (frequency 1), the
    // rest is disconnected: 1 is no node, and 0 and 2 are too far from 3.
    let web = Web::new(
        &concepts(&[0, 0, 6, 7, 2, 2, 8, 9, 3, 4, 5, 3, 4, 5]),
        1,
        &[],
    );
    assert_eq!(web.concepts, [3, 4, 5]);
    assert_eq!(web.graph.neighbours(1), [0, 2]);
    assert_eq!(web.clustering(), 1.0);
    assert_eq!((web.all, web.connected()), (5, 0.6));
    assert_eq!(Web::new(&concepts(&[]), 0, &[]).clustering(), 0.0);
}

#[test]
fn clustering_and_distance_by_hand() {
    // A path with steps of two over four nodes: at the ends both neighbours are linked, in the middle 2 of 3 pairs.
    let concepts = Concepts::find(text("ferry harbour tide rope").words(), 1, 1.0);
    let web = Web::new(&concepts, 0, &[]);
    assert!((web.clustering() - (1.0 + 2.0 / 3.0 + 2.0 / 3.0 + 1.0) / 4.0).abs() < 1e-12);
    // Five pairs at 1, one at 2.
    let found = web.distances(&[]);
    assert_eq!(network::mean_distance(found.total, 4), 7.0 / 6.0);
    let found = Distances {
        growth: vec![4],
        sums: vec![4],
        ..found
    };
    let by = |nodes, by| contribution(&found, 0, nodes, by);
    assert_eq!(by(4, Contribution::Others), 4.0 / 6.0);
    assert_eq!(by(2, Contribution::Others), 0.0);
    assert_eq!(network::mean_distance(0, 1), 0.0);
}

/// "ferry" is between all the others: its removal disconnects them.
const HUB: &str =
    "Ferry fog ferry ferry rope ferry ferry tide ferry ferry lantern ferry ferry anchor ferry";

#[test]
fn the_concept_that_holds_the_network_together_comes_first() {
    for method in [method(&[]), keyworld()] {
        let found = method.keywords(&text(HUB)).unwrap();
        assert_eq!(found[0].word, "ferry");
        // A star with five leaves: the ten pairs of leaves go from 2 to 3.
        assert_eq!(found[0].score, 1.0);
        assert_eq!(found[0].positions[..3], [0, 2, 3]);
        // Leaves contribute nothing; ties go by degree, then frequency, then text.
        let rest: Vec<&str> = found[1..].iter().map(|k| &*k.word).collect();
        assert_eq!(rest, ["anchor", "fog", "lantern", "rope", "tide"]);
    }
}

const STORY: &str = "The ferry waits for the fog to lift. The ferryman says that fog fears the sun. \
    When the sun rises the harbour bell rings, the ferry leaves, and the bell of the church answers the harbour. \
    Children count the bells and the boats, and the ferryman counts the children on the ferry.";

#[test]
fn a_copy_is_a_duplicate_and_a_long_page_with_the_same_concepts_contains_it() {
    let method = method(&[("shared", "0"), ("threshold", "0.9"), ("spread", "1")]);
    let (a, b) = (text(STORY), text(&format!("Retold: {STORY}")));
    let (sketch, highlights) = (method.sketch(&a), method.highlights(&a));
    let mut trace = Trace::on();
    let verdict = method.compare(sketch.as_ref(), method.sketch(&b).as_ref(), &mut trace);
    assert_eq!(verdict.unwrap().relation, Relation::Duplicate);
    let checks = trace.into_checks();
    assert!(checks.iter().all(Check::holds), "{checks:?}");
    let twice = text(&format!("{STORY} {}", "and so on ".repeat(60)));
    let verdict = judge(&method, &method.sketch(&twice), &sketch).unwrap();
    assert_eq!(verdict.relation, Relation::Contains);
    // Every key has places.
    assert!(sketch.keys.is_sorted());
    assert!(
        sketch
            .keys
            .iter()
            .all(|key| highlights.iter().any(|highlight| highlight.key == *key))
    );
    assert!(highlights.iter().all(|highlight| {
        a.folded
            .get(highlight.start as usize..highlight.end as usize)
            .is_some()
    }));
}

#[test]
fn the_same_words_at_other_places_are_no_duplicate() {
    let (first, second) = STORY.split_once(". When").unwrap();
    let moved = format!("When{second} {}{first}.", "so it is ".repeat(40));
    let (a, b) = (text(STORY), text(&moved));
    let strict = method(&[("shared", "0"), ("threshold", "0.5"), ("spread", "0.001")]);
    let lax = method(&[
        ("shared", "0"),
        ("threshold", "0.5"),
        ("spread", "100"),
        ("length_threshold", "0.1"),
    ]);
    let related =
        |method: &Concept| judge(method, &method.sketch(&a), &method.sketch(&b)).is_some();
    assert!(!related(&strict) && related(&lax));
    // The same spread in words is more than one word.
    let words = |spread| {
        let spread = ("spread", spread);
        method(&[
            ("shared", "0"),
            ("threshold", "0.5"),
            ("spread_by", "words"),
            spread,
            ("length_threshold", "0.1"),
        ])
    };
    assert!(!related(&words("1")) && related(&words("10000")));
}

fn sketch(keys: &[u64], words: usize, concepts: &[(u64, &[u32])]) -> Sketch {
    let mut entries: Vec<Entry<'_>> = concepts
        .iter()
        .map(|&(hash, positions)| Entry {
            hash,
            weight: positions.len() as u32,
            positions,
        })
        .collect();
    Sketch {
        keys: keys.to_vec(),
        extra: vector::pack(words, &mut entries),
        ..Sketch::default()
    }
}

#[test]
fn the_verdict_follows_the_checks_and_is_symmetric() {
    let method = method(&[("shared", "1"), ("threshold", "0.8"), ("spread", "0.05")]);
    let lines = |a: &Sketch, b: &Sketch| -> Vec<String> {
        let (verdict, lines) = traced(&method, a, b);
        assert_eq!(verdict, judge(&method, b, a).map(Verdict::swapped));
        lines
    };
    // Shifts of concept 1: 0 and 4, deviation 2 words of 20; concept 2 occurs once.
    let a = sketch(&[1, 2], 20, &[(1, &[3, 14]), (2, &[5])]);
    let b = sketch(&[1, 2], 50, &[(1, &[3, 10]), (2, &[9])]);
    assert_eq!(
        lines(&a, &b),
        [
            "shared = 2 ≥ 2",
            "cosine = 1.00 ≥ 0.80",
            "S = 0.10 ≥ 0.05",
            "length ratio = 20/50 = 0.40 < 0.50"
        ]
    );
    let c = sketch(&[1, 2], 50, &[(1, &[3, 14]), (2, &[9])]);
    lines(&a, &c);
    assert!(judge(&method, &a, &c).is_some());
    // Nothing occurs twice on both pages, so positions are not tested.
    let d = sketch(&[1, 2], 50, &[(1, &[40]), (2, &[9])]);
    let lines = lines(&d, &c);
    assert_eq!(lines[2], "concepts with positions to test = 0.00");
    // One shared key of two is too few; one of one is all.
    let (e, f) = (
        sketch(&[1, 7], 50, &[(1, &[4])]),
        sketch(&[1], 50, &[(1, &[4])]),
    );
    assert!(judge(&method, &e, &d).is_none());
    assert!(judge(&method, &f, &e).is_some());
    let least = |shared| self::method(&[("shared", shared)]).bounds(20).overlap;
    assert_eq!(
        [least("0"), least("0.55"), least("0.56"), least("1")],
        [1, 11, 12, 20]
    );
    assert_eq!(method.bounds(0).overlap, 1);
}

#[test]
fn empty_pages_are_related_to_nothing() {
    let method = method(&[]);
    for content in ["", "the of and", "2024 12 31"] {
        let sketch = method.sketch(&text(content));
        assert!(sketch.keys.is_empty());
        assert_eq!(judge(&method, &sketch, &sketch), None);
        assert_eq!(method.keywords(&text(content)), Some(Vec::new()));
    }
}

#[test]
fn only_the_declared_parameters_leave_the_sketch_alone() {
    let text = text(&format!("{STORY}\n\nCar automobile car automobile engine."));
    let plain = method(&[]);
    let value = |param: &Param| match param.domain {
        Domain::Float(default, low, _) if default < 0.5 => low.to_string(),
        Domain::Float(_, _, high) => high.to_string(),
        Domain::Int(default, low, _) if default > 2 => (low + 1).to_string(),
        Domain::Int(_, _, high) => high.to_string(),
        Domain::Choice(default, names) => {
            let other = names.iter().find(|name| **name != default);
            (*other.unwrap()).to_owned()
        }
    };
    // With CB only the order of these concepts would change, and all of them are key concepts.
    let params = INFO
        .own_params()
        .filter(|param| param.name != "contribution");
    for param in params {
        let changed = method(&[(param.name, &value(param))]);
        let same = plain.sketch(&text) == changed.sketch(&text);
        assert_eq!(same, INFO.judged_by.contains(&param.name), "{}", param.name);
    }
}

#[test]
fn keyworld_can_link_words_of_one_sentence() {
    // Sentences of: ferry in 0 and 1, storm in 0 and 1, quay in 1, baker in 2. By hand: ferry and storm 2 / 2, ferry and quay 1 / 2.
    let text = text("Ferry then slowly storm. Storm and quay, far away ferry. Baker bakes.");
    let named = |least: &str| {
        let method = Concept::keyworld(&params(
            &KEYWORLD,
            &[("links", "sentences"), ("jaccard", least)],
        ));
        let concepts = Concepts::find(text.words(), 1, 1.0);
        let links = sentences::links(&text, &concepts, &[], method.jaccard.unwrap());
        let name = |number: u32| concepts.all[number as usize].name.as_str();
        let pairs = links.iter().map(|&(a, b)| (name(a), name(b)));
        let mut pairs: Vec<(String, String)> = pairs
            .map(|(a, b)| (a.min(b).into(), a.max(b).into()))
            .collect();
        pairs.sort();
        pairs
    };
    let has = |pairs: &[(String, String)], a: &str, b: &str| {
        pairs.iter().any(|(x, y)| (&**x, &**y) == (a, b))
    };
    let (strict, lax) = (named("1"), named("0.5"));
    assert!(
        has(&strict, "ferry", "storm") && !has(&strict, "ferry", "quay"),
        "{strict:?}"
    );
    assert!(
        has(&lax, "ferry", "quay") && !has(&lax, "baker", "ferry"),
        "{lax:?}"
    );
}

/// Cached sketches equal newly made ones.
#[test]
fn sketches_that_are_remembered_are_those_that_are_made() {
    let texts = [
        "The ferry left the harbour. Boats and ropes lay on the quay, and the harbour was still.",
        "The ferry left the harbour, boats and ropes lay on the quay. And the harbour was still.",
        "渡船离开了港口。码头上的乘客在等待渡船。",
        "渡船离开了港口，码头上的乘客在等待渡船。",
    ];
    for method in [method(&[]), keyworld()] {
        for _ in 0..2 {
            for content in texts {
                let text = text(content);
                assert_eq!(method.sketch(&text), method.make_sketch(&text), "{content}");
            }
        }
        assert_eq!(method.made.len(), texts.len());
    }
}
