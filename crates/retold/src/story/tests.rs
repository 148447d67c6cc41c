use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::cluster::Pairs;
use crate::relation::Relation::{self, ContainedBy, Contains, Duplicate, Overlaps};

fn graph(pages: u32, relations: &[(u32, u32, Relation)]) -> StoryGraph {
    let mut graph = StoryGraph::of(pages as usize);
    for &(a, b, relation) in relations {
        assert!(graph.relate(a, b, relation));
    }
    graph
}

fn sorted(pages: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut pages: Vec<u32> = pages.collect();
    pages.sort_unstable();
    pages
}

/// The articles 0-1-2 and 3-4; page 5 has both, one below the other.
#[test]
fn a_round_up_belongs_to_each_and_connects_none() {
    let graph = graph(
        6,
        &[
            (0, 1, Duplicate),
            (1, 2, Duplicate),
            (3, 4, Duplicate),
            (5, 1, Contains),
            (5, 3, Contains),
        ],
    );
    assert_eq!(sorted(graph.story(2)), [0, 1, 2]);
    assert_eq!(sorted(graph.story(3)), [3, 4]);
    let round_up = graph.root(5);
    for page in [0, 4] {
        let parts = graph.edges().parts(graph.root(page));
        assert_eq!(parts.round_ups, [round_up]);
        assert_eq!((parts.longer.len(), parts.excerpts.len()), (0, 0));
    }
    let parts = graph.edges().parts(graph.root(5));
    assert_eq!(parts.rounded_up.len(), 2);
    assert_eq!(parts.excerpts, [0u32; 0]);
    // The page alone is no story, although it contains two.
    assert_eq!(graph.stories(&graph.edges()).len(), 2);
}

/// 0 contains 1, and 1 contains 2: all of one text, however short 2 is.
#[test]
fn parts_of_parts_make_no_round_up() {
    let graph = graph(
        4,
        &[
            (0, 1, Contains),
            (0, 2, Contains),
            (2, 1, ContainedBy),
            (2, 3, Duplicate),
        ],
    );
    let parts = graph.edges().parts(graph.root(0));
    assert_eq!(parts.excerpts, [1, graph.root(2)]);
    assert_eq!(parts.rounded_up, [0u32; 0]);
    assert_eq!(graph.edges().parts(graph.root(3)).longer, [0, 1]);
    let stories = graph.stories(&graph.edges());
    let sizes: Vec<usize> = stories.iter().map(|(_, pages)| pages.len()).collect();
    assert_eq!(
        sizes,
        [1, 1, 2],
        "0 and 1 have excerpts, 2 and 3 are copies"
    );
}

/// 0 contains 1 and 2, which only 3 relates, a round-up of both that 0 contains too. 4 overlaps 1, which makes no story.
#[test]
fn a_round_up_of_round_ups() {
    let graph = graph(
        5,
        &[
            (0, 1, Contains),
            (0, 2, Contains),
            (0, 3, Contains),
            (3, 1, Contains),
            (3, 2, Contains),
            (4, 1, Overlaps),
        ],
    );
    assert_eq!(graph.edges().parts(1).round_ups, [0, 3]);
    assert_eq!(graph.edges().parts(0).rounded_up, [1, 2, 3]);
    assert_eq!(graph.edges().parts(4), StoryParts::default());
    assert_eq!(graph.stories(&graph.edges()), []);
}

#[test]
fn a_story_falls_apart_and_its_name_lasts() {
    let mut graph = graph(
        5,
        &[
            (1, 0, Duplicate),
            (2, 1, Duplicate),
            (3, 2, Duplicate),
            (4, 3, Contains),
        ],
    );
    assert_eq!(graph.first(3), 0);
    // The smaller piece, and what is related to the story: it may be related to the other piece too.
    assert_eq!(graph.torn_by(&[2], &[]).pages, [3, 4]);
    assert_eq!(graph.torn_by(&[2], &[(1, 3)]).pages, [0u32; 0]);
    assert_eq!(graph.torn_by(&[3], &[]).pages, [4]);
    // A new version of 0 has its place, whatever its number.
    let new = graph.push();
    graph.set_place_of(new, 0);
    graph.relate(new, 1, Duplicate);
    graph.remove(&[0, 2]);
    assert_eq!(sorted(graph.story(1)), [1, new]);
    assert_eq!(graph.first(1), new);
    assert_eq!(sorted(graph.story(3)), [3]);
    assert_eq!(graph.first(3), 3);
    assert!(!graph.relate(3, 3, Duplicate) && !graph.relate(3, 99, Duplicate));
}

/// Two stories merge: the older name stays, and the other still leads to the story.
#[test]
fn a_merge_keeps_the_older_name() {
    let mut graph = graph(5, &[(1, 3, Duplicate), (0, 2, Duplicate)]);
    assert_eq!((graph.first(3), graph.first(2)), (1, 0));
    graph.relate(4, 3, Duplicate);
    graph.relate(4, 2, Duplicate);
    assert_eq!(graph.first(4), 0);
    assert_eq!(graph.first(1), 0, "by the name that it had");
}

/// Reference implementation by colouring and exhaustive search.
struct Slow {
    colour: BTreeMap<u32, u32>,
    relations: Vec<(u32, u32, Relation)>,
}

impl Slow {
    fn of(live: &BTreeSet<u32>, relations: &[(u32, u32, Relation)]) -> Slow {
        let there = |page: &u32| live.contains(page);
        let both = relations.iter().filter(|(a, b, _)| there(a) && there(b));
        let both =
            both.flat_map(|&(a, b, relation)| [(a, b, relation), (b, a, relation.swapped())]);
        let relations: Vec<(u32, u32, Relation)> = both.collect();
        let mut colour: BTreeMap<u32, u32> = live.iter().map(|&page| (page, page)).collect();
        for &(a, b, _) in relations.iter().filter(|r| r.2 == Duplicate) {
            let (old, new) = (colour[&a], colour[&b]);
            colour
                .values_mut()
                .filter(|c| **c == old)
                .for_each(|c| *c = new);
        }
        Slow { colour, relations }
    }

    fn pages(&self, colour: u32) -> Vec<u32> {
        let pages = self.colour.iter().filter(|(_, c)| **c == colour);
        pages.map(|(&page, _)| page).collect()
    }

    fn that(&self, colour: u32, relation: Relation) -> BTreeSet<u32> {
        let such = self
            .relations
            .iter()
            .filter(|r| self.colour[&r.0] == colour && r.2 == relation);
        such.map(|r| self.colour[&r.1])
            .filter(|&c| c != colour)
            .collect()
    }

    fn is_round_up(&self, colour: u32) -> bool {
        let parts = self.that(colour, Contains);
        let are_related = |a: u32, b: u32| {
            a == b || self.that(a, Contains).contains(&b) || self.that(b, Contains).contains(&a)
        };
        let apart = |&a: &u32| parts.iter().any(|&b| !are_related(a, b));
        parts.iter().any(apart)
    }

    /// The stories related to one, as sets of pages: excerpts, rounded up, longer, round-ups.
    fn parts(&self, colour: u32) -> [BTreeSet<Vec<u32>>; 4] {
        let pages = |colours: BTreeSet<u32>| colours.into_iter().map(|c| self.pages(c)).collect();
        let contained = pages(self.that(colour, Contains));
        let (ups, longer) = self
            .that(colour, ContainedBy)
            .into_iter()
            .partition(|&c| self.is_round_up(c));
        match self.is_round_up(colour) {
            true => [BTreeSet::new(), contained, pages(longer), pages(ups)],
            false => [contained, BTreeSet::new(), pages(longer), pages(ups)],
        }
    }
}

fn relation() -> impl Strategy<Value = Relation> {
    prop_oneof![2 => Just(Duplicate), 1 => Just(Contains), 1 => Just(ContainedBy), 1 => Just(Overlaps)]
}

#[derive(Clone, Debug)]
enum Step {
    Relate(u32, u32, Relation),
    Remove(Vec<u32>),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let relate = (0u32..24, 0u32..24, relation()).prop_map(|(a, b, r)| Step::Relate(a, b, r));
    let remove = proptest::collection::vec(0u32..24, 1..4).prop_map(Step::Remove);
    proptest::collection::vec(prop_oneof![8 => relate, 1 => remove], 0..50)
}

proptest! {
    /// Relations and removals in any order give the stories of the definition.
    #[test]
    fn stories_are_those_of_the_definition(steps in steps()) {
        let mut graph = graph(24, &[]);
        let (mut live, mut relations): (BTreeSet<u32>, _) = ((0..24).collect(), Vec::new());
        for step in steps {
            match step {
                Step::Relate(a, b, relation) => {
                    if graph.relate(a, b, relation) {
                        relations.push((a, b, relation));
                    }
                }
                Step::Remove(pages) => {
                    graph.remove(&pages);
                    live.retain(|page| !pages.contains(page));
                }
            }
        }
        let slow = Slow::of(&live, &relations);
        let story = |root: u32| sorted(graph.story(root));
        for &page in &live {
            prop_assert_eq!(story(page), slow.pages(slow.colour[&page]));
            let parts = graph.edges().parts(graph.root(page));
            let found = [parts.excerpts, parts.rounded_up, parts.longer, parts.round_ups];
            let found = found.map(|roots| roots.into_iter().map(story).collect::<BTreeSet<_>>());
            prop_assert_eq!(found, slow.parts(slow.colour[&page]));
        }
        let listed: BTreeSet<Vec<u32>> = graph.stories(&graph.edges()).into_iter().map(|(root, _)| story(root)).collect();
        let colours: BTreeSet<u32> = slow.colour.values().copied().collect();
        let expected: BTreeSet<Vec<u32>> = colours
            .into_iter()
            .filter(|&c| slow.pages(c).len() > 1 || !slow.parts(c)[0].is_empty())
            .map(|c| slow.pages(c))
            .collect();
        prop_assert_eq!(listed, expected);
    }

    /// Exactly those pages are torn whose story or parts may change without the removed ones.
    #[test]
    fn pages_that_are_not_torn_stay_where_they_are(steps in steps(), gone in proptest::collection::vec(0u32..24, 1..4)) {
        let mut graph = graph(24, &[]);
        for step in steps {
            if let Step::Relate(a, b, relation) = step {
                graph.relate(a, b, relation);
            }
        }
        let torn = graph.torn_by(&gone, &[]).pages;
        let before: Vec<Vec<u32>> = (0..24).map(|page| sorted(graph.story(page))).collect();
        graph.remove(&gone);
        for page in (0..24).filter(|page| !gone.contains(page) && !torn.contains(page)) {
            let left: Vec<u32> = before[page as usize].iter().copied().filter(|p| !gone.contains(p) && !torn.contains(p)).collect();
            let now: Vec<u32> = graph.story(page).filter(|p| !torn.contains(p)).collect();
            prop_assert_eq!(sorted(now.into_iter()), left);
        }
    }
}

/// Two copies, one of them shortened; the story is named by the earliest page.
#[test]
fn the_stories_of_a_run() {
    let text = |from: usize, to: usize| -> String {
        (from..to)
            .map(|n| {
                format!("Sentence number {n} tells of the ferry that left port {n} times late. ")
            })
            .collect()
    };
    let page = |id: &str, text: String, date: &str| crate::Page {
        date: Some(date.to_owned()),
        ..crate::Page::text(id, text)
    };
    let pages = [
        page("a", text(0, 20), "2026-03-02"),
        page("b", text(0, 20), "2026-03-01"),
        page("c", text(3, 9), "2026-03-03"),
        page("d", text(40, 60), "2026-03-04"),
    ];
    let model = crate::Model::new(crate::JudgeConfig::default()).unwrap();
    let findings = crate::Dedup::new(model)
        .run(vec![crate::read::Source::of_pages("pages", pages.to_vec())])
        .unwrap();
    assert_ne!(findings.pairs, Pairs::default());
    let told = stories(&findings);
    let names = |ids: &[String]| ids.join(" ");
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].story, "b");
    assert_eq!(names(&told[0].pages), "a b");
    assert_eq!(names(&told[0].excerpts), "c");
    assert_eq!(names(&told[0].longer) + &names(&told[0].round_ups), "");
}
