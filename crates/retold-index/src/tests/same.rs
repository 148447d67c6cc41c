//! Pages added in any way get the same verdicts as in a batch run.

use std::collections::BTreeMap;

use proptest::prelude::*;
use retold::{Dedup, Model, Page, RunConfig};

use super::*;
use crate::filter::PageFilter;
use crate::index::Index;
use crate::query::Match;
use crate::status::Status;
use crate::story::{Change, Order, Story, StoryLine, StoryPart};

#[derive(Clone, Debug)]
pub(super) enum Step {
    Add(Vec<(u32, Recipe)>),
    Remove(Vec<u32>),
    Compact,
    Reopen,
}

pub(super) fn recipes() -> impl Strategy<Value = Recipe> {
    let whole =
        (0u32..3, 0u32..3, 0u32..2).prop_map(|(topic, cut, template)| (topic, cut..14, template));
    let part = (0u32..3, 0u32..6, 6u32..9, 0u32..2)
        .prop_map(|(topic, start, end, template)| (topic, start..end, template));
    prop_oneof![2 => whole, 1 => part]
}

pub(super) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let add = proptest::collection::vec((0u32..20, recipes()), 1..9).prop_map(Step::Add);
    let remove = proptest::collection::vec(0u32..20, 1..3).prop_map(Step::Remove);
    let step =
        prop_oneof![6 => add, 2 => remove, 1 => Just(Step::Compact), 1 => Just(Step::Reopen)];
    proptest::collection::vec(step, 1..10)
}

/// A match as a pair, starting from the smaller id.
fn as_pair(id: &str, found: &Match) -> (String, String, String) {
    let line = found.line();
    let numbers = |relation: &str| {
        format!(
            "{relation} {:.6} {:.6} {}",
            line.similarity, line.length_ratio, line.shared
        )
    };
    match *id < *line.id {
        true => (id.to_owned(), line.id, numbers(line.relation.name())),
        false => (
            line.id,
            id.to_owned(),
            numbers(line.relation.swapped().name()),
        ),
    }
}

/// Checks all answers of the index against a batch run over the same pages under the same model.
pub(super) fn assert_same(index: &Index, pages: &BTreeMap<String, Page>) {
    assert_eq!(index.len(), pages.len());
    if pages.is_empty() {
        return;
    }
    let pages: Vec<Page> = pages.values().cloned().collect();
    let expected = run(&pages, index.model());
    let exported = index.findings(&RunConfig::default(), &()).unwrap();
    assert_eq!(pairs(&exported), pairs(&expected));
    assert_eq!(dropped(&exported), dropped(&expected));
    assert_eq!(exported.clusters, expected.clusters);
    let mut found = Vec::new();
    for page in &pages {
        let matches = index.matches_of(&page.id, None).unwrap();
        found.extend(matches.iter().map(|found| as_pair(&page.id, found)));
        let (status, asked) = index
            .query(&index.prepare(page.clone()).unwrap(), None)
            .unwrap();
        assert_eq!(status, Status::Unchanged);
        let ids = |matches: &[Match]| -> Vec<String> {
            matches.iter().map(|m| m.entry.id.clone()).collect()
        };
        assert_eq!(ids(&asked), ids(&matches));
    }
    assert_same_stories(index, &expected);
    found.sort();
    let twice: Vec<_> = pairs(&expected)
        .into_iter()
        .flat_map(|pair| [pair.clone(), pair])
        .collect();
    assert_eq!(found, twice);
}

/// Checks the stories of the index against those of the batch run.
fn assert_same_stories(index: &Index, expected: &Findings) {
    let told = retold::stories(expected);
    let ids = |story: &Story, part: StoryPart| -> Vec<String> {
        let rows = story.timeline.iter().filter(|row| row.part == part);
        let mut ids: Vec<String> = rows.map(|row| row.id.clone()).collect();
        ids.sort();
        ids
    };
    let mut lines = BTreeMap::new();
    for run in &told {
        for id in &run.pages {
            let story = index.story(id, 0..usize::MAX, false).unwrap();
            assert_eq!(ids(&story, StoryPart::Page), run.pages);
            assert_eq!(ids(&story, StoryPart::RoundUp), run.round_ups);
            // A page that both contains the story and is contained in it is listed once.
            let mut longer = run.longer.clone();
            longer.retain(|id| !run.excerpts.contains(id));
            assert_eq!(ids(&story, StoryPart::Excerpt), run.excerpts);
            assert_eq!(ids(&story, StoryPart::Longer), longer);
            assert!(run.pages.contains(&story.line.id));
            let changes = story.timeline.iter().map(|row| row.what);
            assert!(changes.filter(|&what| what == Change::First).count() <= 1);
            lines.insert(story.line.id.clone(), story.line);
        }
    }
    let listed = index
        .stories(Order::Size, &PageFilter::default(), 0, usize::MAX)
        .unwrap();
    assert!(listed.is_sorted_by(|a, b| a.pages >= b.pages));
    let halves = [(0, listed.len() / 2), (listed.len() / 2, usize::MAX)];
    let halves = halves.map(|(skip, limit)| {
        index
            .stories(Order::Size, &PageFilter::default(), skip, limit)
            .unwrap()
    });
    assert_eq!(halves.concat(), listed);
    let listed: BTreeMap<String, StoryLine> = listed
        .into_iter()
        .map(|line| (line.id.clone(), line))
        .collect();
    assert_eq!(listed, lines);
    let pages: usize = told.iter().map(|story| story.pages.len()).sum();
    let figures = index.stats().unwrap().stories;
    assert_eq!(figures.stories, told.len() as u64);
    assert_eq!(figures.articles as usize, index.len() - pages + told.len());
}

fn follow(steps: &[Step], model: &Model) {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Some(make(folder.path(), model));
    let mut pages: BTreeMap<String, Page> = BTreeMap::new();
    for step in steps {
        let at = writer.as_mut().unwrap();
        match step {
            Step::Add(recipes) => {
                let new: Vec<Page> = recipes
                    .iter()
                    .map(|(id, recipe)| page(&format!("p{id}"), recipe))
                    .collect();
                let added = at.add(&prepared(at, &new), None).unwrap();
                for (page, added) in new.into_iter().zip(added) {
                    let before = pages.insert(page.id.clone(), page.clone());
                    let status = match before {
                        None => Status::New,
                        Some(before) if before == page => Status::Unchanged,
                        Some(_) => Status::Replaced,
                    };
                    assert_eq!(added.status, status);
                    if status == Status::Unchanged {
                        continue;
                    }
                    // Matches among the pages that were there before it.
                    let findings = run(
                        &pages.values().cloned().collect::<Vec<Page>>(),
                        model.clone(),
                    );
                    let expected: Vec<_> = pairs(&findings)
                        .into_iter()
                        .filter(|(a, b, _)| [a, b].contains(&&page.id))
                        .collect();
                    let mut found: Vec<_> = added
                        .matches
                        .iter()
                        .map(|found| as_pair(&page.id, found))
                        .collect();
                    found.sort();
                    assert_eq!(found, expected);
                }
            }
            Step::Remove(ids) => {
                let ids: Vec<String> = ids.iter().map(|id| format!("p{id}")).collect();
                let there = at.remove(&ids).unwrap();
                for (id, there) in ids.iter().zip(there) {
                    assert_eq!(pages.remove(id).is_some(), there);
                }
            }
            Step::Compact => at.compact(&()).unwrap(),
            Step::Reopen => {
                // Close the writer properly half of the time.
                match pages.len() % 2 {
                    0 => writer.take().unwrap().close().unwrap(),
                    _ => drop(writer.take()),
                }
                writer = Some(open(folder.path()));
            }
        }
    }
    let writer = writer.unwrap();
    assert_same(writer.index(), &pages);
    assert_same(&Index::open(folder.path()).unwrap(), &pages);
    writer.close().unwrap();
    assert_eq!(
        Index::check(folder.path()).unwrap().problems,
        Vec::<String>::new()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]
    #[test]
    fn any_way_of_adding_is_the_batch_run(
        steps in steps(),
        learnt in proptest::collection::vec(recipes(), 1..30),
    ) {
        let learnt: Vec<Page> = learnt.iter().enumerate().map(|(n, recipe)| page(&format!("l{n}"), recipe)).collect();
        for config in variants() {
            let model = run(&learnt, Model::new(config).unwrap()).model;
            follow(&steps, &model);
        }
    }
}

/// Learning again gives the model of a batch run over the pages, and its verdicts.
#[test]
fn learning_again_is_a_run() {
    let recipes: Vec<Recipe> = (0..40).map(|n| (n % 5, n % 3..8 + n % 6, n % 2)).collect();
    let pages: BTreeMap<String, Page> = recipes
        .iter()
        .enumerate()
        .map(|(n, recipe)| (format!("p{n:02}"), page(&format!("p{n:02}"), recipe)))
        .collect();
    let all: Vec<Page> = pages.values().cloned().collect();
    for config in variants() {
        let fresh = Model::new(config.clone()).unwrap();
        let expected = run(&all, fresh.clone());
        let first = run(&all[..3], fresh).model;
        let folder = tempfile::tempdir().unwrap();
        let mut writer = make(folder.path(), &first);
        for some in all.chunks(7) {
            writer.add(&prepared(&writer, some), None).unwrap();
        }
        let learnt = writer.learn(&RunConfig::default(), &());
        if expected.model.knowledge().is_none() {
            assert!(learnt.is_err());
            continue;
        }
        learnt.unwrap();
        assert_eq!(
            writer.index().model().to_json(),
            expected.model.to_json(),
            "{}",
            config.method
        );
        assert_same(writer.index(), &pages);
        drop(writer);
        assert_same(&Index::open(folder.path()).unwrap(), &pages);
    }
}

/// Pages are linked to few others. If these are removed or replaced, the links are found again.
#[test]
fn stories_stay_whole_when_pages_go() {
    let model = Model::new(JudgeConfig::default()).unwrap();
    let copies = (0..7).map(|n| (n, (0, 0..6, n % 2)));
    let longer = [(7, (0, 0..14, 0)), (8, (0, 0..14, 1))];
    // One by one: pages of one commit do not know each other's stories yet, so they would be linked to all.
    let steps: Vec<Step> = copies
        .chain(longer)
        .map(|one| Step::Add(vec![one]))
        .collect();
    let ids: Vec<u32> = (0..5).collect();
    let other: Vec<(u32, Recipe)> = ids.iter().map(|&id| (id, (1, 0..9, 0))).collect();
    for last in [Step::Remove(ids), Step::Add(other)] {
        follow(&[steps.clone(), vec![last.clone()]].concat(), &model);
        follow(&[steps.clone(), vec![last, Step::Compact]].concat(), &model);
    }
}

/// Readers in other processes see complete commits only.
#[test]
fn readers_follow_the_writer() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::new(JudgeConfig::default()).unwrap();
    let mut writer = make(folder.path(), &model);
    let reader = Index::open(folder.path()).unwrap();
    assert!(reader.is_empty());
    for n in 0..30 {
        writer
            .add(
                &prepared(&writer, &[page(&format!("p{n}"), &(n, 0..9, 0))]),
                None,
            )
            .unwrap();
        if n == 20 {
            writer.compact(&()).unwrap();
        }
        reader.refresh().unwrap();
        assert_eq!(reader.len(), n as usize + 1);
        assert!(reader.get(&format!("p{n}")).unwrap().is_some());
    }
    let second = Index::builder(folder.path())
        .writer_name("another")
        .write()
        .unwrap_err()
        .to_string();
    assert!(
        second.contains("one writer at a time: a test (process "),
        "{second}"
    );
}

/// Comparing new files with an index gives the same result as comparing them with the indexed files under the index's model.
#[test]
fn new_against_an_index_is_new_against_files() {
    let pages: Vec<Page> = (0..60)
        .map(|n| {
            page(
                &format!("p{:02}", n % 50),
                &(n % 7, n % 3..8 + n % 6, n % 2),
            )
        })
        .collect();
    let (old, new) = pages.split_at(30);
    for config in variants() {
        let model = run(&pages, Model::new(config).unwrap()).model;
        let folder = tempfile::tempdir().unwrap();
        let mut writer = make(folder.path(), &model);
        for some in old.chunks(7) {
            writer.add(&prepared(&writer, some), None).unwrap();
        }
        let source = |pages: &[Page]| vec![Source::of_pages("pages", pages.iter().cloned())];
        let job = || Dedup::new(model.clone());
        let files = job().against(source(old)).run(source(new)).unwrap();
        let mut kept = crate::Export::old(writer.index());
        let index = job().against_stored(&mut kept).run(source(new)).unwrap();
        assert_eq!(pairs(&index), pairs(&files));
        assert_eq!(dropped(&index), dropped(&files));
    }
}

/// A page is never linked to one that is replaced later in the same commit, but to others of its story.
#[test]
fn what_goes_with_a_commit_holds_no_story_together() {
    let steps = [
        Step::Add(vec![(13, (0, 2..14, 1))]),
        Step::Add(vec![(7, (0, 0..14, 1)), (16, (0, 0..14, 1))]),
        // The first two are contained in 13, 7 and 16; then 13 is replaced.
        Step::Add(vec![
            (5, (0, 5..6, 1)),
            (15, (0, 5..8, 0)),
            (13, (0, 3..6, 1)),
        ]),
    ];
    let config = JudgeConfig {
        method: "period".into(),
        ..JudgeConfig::default()
    };
    let learnt = [page("other", &(9, 0..9, 0))];
    let model = run(&learnt, Model::new(config).unwrap()).model;
    follow(&steps, &model);
}
