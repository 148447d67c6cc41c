//! One address is one page: in all its forms, in any order of adding.

use retold::{AddressRules, JudgeConfig, Model, Page, SameUrl, Versions};

use super::{make, open, page, prepared};
use crate::index::Index;
use crate::status::Status;
use crate::writer::Writer;

fn model(same_url: SameUrl) -> Model {
    let addresses = AddressRules {
        same_url,
        versions: Versions::Newest,
    };
    Model::new(JudgeConfig {
        addresses,
        ..JudgeConfig::default()
    })
    .unwrap()
}

fn add(writer: &mut Writer, page: Page) -> Status {
    let page = prepared(writer, &[page]);
    writer.add(&page, Some(5)).unwrap()[0].status
}

fn is_sound(writer: &Writer) {
    let problems = Index::check(writer.index().folder()).unwrap().problems;
    assert_eq!(problems, Vec::<String>::new());
}

#[test]
fn a_page_named_by_its_url_is_found_and_replaced_by_any_form_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = make(folder.path(), &model(SameUrl::Off));
    let url = "https://a.example/story?id=7";
    let other = "HTTPS://A.example:443/story/?id=7&utm_source=x#top";
    let story = |url: &str, to: u32| page(url, &(1, 0..to, 0)).with_url(url);
    assert_eq!(add(&mut writer, story(url, 6)), Status::New);
    let found =
        |writer: &Writer, url: &str| writer.index().find_url(url).unwrap().map(|found| found.id);
    for form in [url, other, "https://a.example/story/?id=7"] {
        assert_eq!(found(&writer, form).as_deref(), Some(url), "{form}");
    }
    assert_eq!(found(&writer, "https://www.a.example/story?id=7"), None);
    assert_eq!(found(&writer, "https://a.example/story?id=8"), None);
    assert_eq!(add(&mut writer, story(other, 6)), Status::Unchanged);
    assert_eq!(add(&mut writer, story(other, 7)), Status::Replaced);
    assert_eq!(found(&writer, url).as_deref(), Some(other));
    // A page with an id of its own is another page, whatever its URL.
    assert_eq!(
        add(&mut writer, page("own", &(1, 0..6, 0)).with_url(url)),
        Status::New
    );
    assert_eq!(writer.index().len(), 2);
    // Two forms in one commit.
    let both = [
        story("http://b.example/x#1", 3),
        story("http://b.example/x#2", 4),
    ];
    let added = writer.add(&prepared(&writer, &both), Some(5)).unwrap();
    assert_eq!(
        added.iter().map(|added| added.status).collect::<Vec<_>>(),
        [Status::New, Status::Replaced]
    );
    is_sound(&writer);
    for _ in 0..2 {
        assert_eq!(
            found(&writer, "http://b.example/x/").as_deref(),
            Some("http://b.example/x#2")
        );
        assert_eq!(writer.index().len(), 3);
        writer.compact(&()).unwrap();
        is_sound(&writer);
        drop(writer);
        writer = open(folder.path());
    }
}

/// A version of one address: what it says, and when.
fn version(id: &str, sentences: u32, date: &str) -> Page {
    let url = match id.len() % 2 {
        0 => format!("http://www.a.example/x?b=1&a={}", 2),
        _ => "https://a.example/x?a=2&b=1#top".to_owned(),
    };
    page(id, &(3, 0..sentences, 0))
        .with_url(url)
        .with_date(date)
}

#[test]
fn the_newest_whole_version_stands_in_any_order() {
    // The newest says less than a third of the one before it, which says a little less than the oldest.
    let versions = [
        version("a", 12, "2026-01-01"),
        version("bb", 11, "2026-02-01"),
        version("c", 2, "2026-03-01"),
    ];
    for order in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        for at_once in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let mut writer = make(folder.path(), &model(SameUrl::Loose));
            let pages = order.map(|at: usize| versions[at].clone());
            match at_once {
                true => drop(writer.add(&prepared(&writer, &pages), Some(5)).unwrap()),
                false => pages
                    .into_iter()
                    .for_each(|page| assert_ne!(add(&mut writer, page), Status::Unchanged)),
            }
            assert_eq!(writer.index().len(), 1, "{order:?}");
            let stands = writer
                .index()
                .find_url("http://a.example/x?b=1&a=2")
                .unwrap();
            assert_eq!(stands.unwrap().id, "bb", "{order:?}, at once: {at_once}");
            is_sound(&writer);
        }
    }
    // A shorter text that another address has too is a challenge.
    let folder = tempfile::tempdir().unwrap();
    let mut writer = make(folder.path(), &model(SameUrl::Normalised));
    let at = |id: &str, n: u32, url: &str, date: &str| {
        page(id, &(7, 0..n, 0)).with_url(url).with_date(date)
    };
    add(
        &mut writer,
        at("login", 6, "http://a.example/login", "2026-01-01"),
    );
    assert_eq!(
        add(
            &mut writer,
            at("old", 9, "http://a.example/y", "2026-01-01")
        ),
        Status::New
    );
    let challenge = at("new", 6, "http://a.example/y", "2026-05-01");
    let asked = prepared(&writer, std::slice::from_ref(&challenge));
    assert_eq!(
        writer.index().query(&asked[0], Some(5)).unwrap().0,
        Status::Older
    );
    assert_eq!(add(&mut writer, challenge), Status::Older);
    assert_eq!(
        add(
            &mut writer,
            at("newer", 7, "http://a.example/y", "2026-05-01")
        ),
        Status::Replaced
    );
    assert_eq!(writer.index().get("old").unwrap(), None);
}

#[test]
fn versions_are_told_until_they_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = make(folder.path(), &model(SameUrl::Loose));
    let ids = |writer: &Writer, id: &str| -> Vec<String> {
        let versions = writer.index().versions(id).unwrap();
        assert!(
            versions
                .iter()
                .all(|version| version.text.is_some() && version.chars > 0)
        );
        versions.into_iter().map(|version| version.id).collect()
    };
    for (id, sentences, date) in [
        ("a", 8, "2026-01-01"),
        ("bb", 9, "2026-02-01"),
        ("c", 10, "2026-03-01"),
    ] {
        add(&mut writer, version(id, sentences, date));
    }
    assert_eq!(ids(&writer, "c"), ["bb", "a"]);
    assert!(
        writer.index().versions("a").is_err(),
        "it is no page any more"
    );
    // A page that comes again has no past.
    writer.remove(&["c".to_owned()]).unwrap();
    add(&mut writer, version("c", 11, "2026-04-01"));
    assert_eq!(ids(&writer, "c"), Vec::<String>::new());
    add(&mut writer, version("c", 12, "2026-05-01"));
    assert_eq!(ids(&writer, "c"), ["c"]);
    writer.compact(&()).unwrap();
    assert_eq!(ids(&writer, "c"), Vec::<String>::new());
}

#[test]
fn what_an_index_cannot_do_with_addresses_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = Index::builder(folder.path().join("x")).create(&model(SameUrl::Canonical));
    assert!(refused.unwrap_err().to_string().contains("canonical links"));
}
