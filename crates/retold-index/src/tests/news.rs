//! Every story once, whoever reprints it.

use retold::Model;

use super::*;
use crate::atom::{AtomHead, atom};
use crate::news::News;
use crate::story::StoryPart;

fn sentences(topic: u32, numbers: std::ops::Range<u32>) -> String {
    numbers.map(|number| sentence(topic, number)).collect()
}

fn dated(site: &str, day: u32, text: String) -> Page {
    let id = format!("http://{site}.example/{day}");
    let page = Page::text(id.as_str(), text).with_url(id.as_str());
    page.with_date(format!("2026-11-{day:02}"))
}

fn add(writer: &mut Writer, page: Page) -> Vec<News> {
    let page = writer.index().prepare(page).unwrap();
    writer.add(&[page], None).unwrap();
    writer.index().news(10).unwrap()
}

fn ids(news: &[News]) -> Vec<&str> {
    news.iter().map(|story| story.id.as_str()).collect()
}

#[test]
fn a_story_is_one_entry_that_changes_when_something_is_added() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = make(folder.path(), &Model::new(JudgeConfig::default()).unwrap());
    let first = "http://a.example/3";
    let news = add(&mut writer, dated("a", 3, sentences(1, 0..12)));
    assert_eq!(ids(&news), [first]);
    assert_eq!(
        (&*news[0].updated, news[0].also.len()),
        ("2026-11-03T00:00:00Z", 0)
    );
    // A copy is named, and is no news.
    let news = add(&mut writer, dated("b", 4, sentences(1, 0..12)));
    assert_eq!(ids(&news), [first]);
    assert_eq!(news[0].updated, "2026-11-03T00:00:00Z");
    assert_eq!(
        (news[0].also[0].site.as_deref(), news[0].also[0].adds.len()),
        (Some("b.example"), 0)
    );
    // An excerpt, and a page of another story.
    add(&mut writer, dated("c", 5, sentences(1, 2..8)));
    let news = add(&mut writer, dated("d", 6, sentences(2, 0..12)));
    assert_eq!(ids(&news), ["http://d.example/6", first]);
    assert_eq!(news[1].also[1].part, StoryPart::Excerpt);
    assert_eq!(news[1].updated, "2026-11-03T00:00:00Z");
    // A longer version, with a part that nobody had.
    let news = add(&mut writer, dated("e", 7, sentences(1, 0..16)));
    assert_eq!(ids(&news), ["http://d.example/6", first]);
    let longer = &news[1].also[2];
    assert_eq!(
        (longer.part, &*news[1].updated),
        (StoryPart::Longer, "2026-11-07T00:00:00Z")
    );
    let added = longer.adds.concat();
    assert!(added.contains(sentence(1, 14).trim()), "{added}");
    assert!(!added.contains(sentence(1, 3).trim()), "{added}");
    // Who was earlier is found later: the entry stays, and shows that page.
    let news = add(&mut writer, dated("f", 1, sentences(1, 0..12)));
    assert_eq!(ids(&news), ["http://d.example/6", first]);
    assert_eq!(news[1].url.as_deref(), Some("http://f.example/1"));
    assert_eq!(writer.index().story_news(first).unwrap(), news[1]);
    assert_eq!(
        ids(&writer.index().news(1).unwrap()),
        ["http://d.example/6"]
    );
}

#[test]
fn the_earliest_page_is_shown_whichever_came_first() {
    let pages = [
        dated("a", 1, sentences(1, 0..8)),
        dated("b", 2, sentences(1, 0..16)),
    ];
    for order in [[0, 1], [1, 0]] {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = make(folder.path(), &Model::new(JudgeConfig::default()).unwrap());
        let [first, second] = order.map(|at: usize| pages[at].clone());
        let id = first.id.clone();
        add(&mut writer, first);
        let news = add(&mut writer, second);
        // The entry is that of the page that came first, and shows the earliest.
        assert_eq!(ids(&news), [id]);
        assert_eq!(news[0].url.as_deref(), Some("http://a.example/1"));
        assert_eq!(news[0].updated, "2026-11-02T00:00:00Z");
        let also = &news[0].also[0];
        assert_eq!(
            (also.part, also.adds.is_empty()),
            (StoryPart::Longer, false)
        );
    }
}

#[test]
fn what_contains_an_older_story_is_listed_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = make(folder.path(), &Model::new(JudgeConfig::default()).unwrap());
    add(&mut writer, dated("a", 1, sentences(1, 0..8)));
    add(&mut writer, dated("b", 2, sentences(2, 0..8)));
    let news = add(
        &mut writer,
        dated("c", 3, sentences(1, 0..8) + "\n" + &sentences(2, 0..8)),
    );
    // The round-up is with both.
    assert_eq!(ids(&news), ["http://b.example/2", "http://a.example/1"]);
    for story in &news {
        assert_eq!(story.also[0].part, StoryPart::RoundUp);
    }
    // A round-up that came first has its parts.
    add(
        &mut writer,
        dated("d", 4, sentences(3, 0..8) + "\n" + &sentences(4, 0..8)),
    );
    add(&mut writer, dated("e", 5, sentences(3, 0..8)));
    let news = add(&mut writer, dated("f", 6, sentences(4, 0..8)));
    assert_eq!(
        ids(&news),
        [
            "http://d.example/4",
            "http://b.example/2",
            "http://a.example/1"
        ]
    );
    assert_eq!(news[0].also.len(), 2);
}

#[test]
fn a_feed_has_nothing_that_a_reader_would_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = make(folder.path(), &Model::new(JudgeConfig::default()).unwrap());
    let text = format!("1 < 2 & <script>run()</script> {}", sentences(1, 0..8));
    let page = Page::text("x", text.clone()).with_url("javascript:alert(1)");
    add(&mut writer, page);
    let news = add(
        &mut writer,
        Page::text("y", text).with_url("JAVASCRIPT:alert(2)"),
    );
    let head = AtomHead {
        id: "urn:x",
        title: "T",
        links: &[],
        about: None,
    };
    let feed = String::from_utf8(atom(&head, &news).unwrap()).unwrap();
    assert!(
        feed.contains("&lt;p&gt;1 &amp;lt; 2 &amp;amp; &amp;lt;script&amp;gt;run()"),
        "{feed}"
    );
    assert!(!feed.to_lowercase().contains("javascript"), "{feed}");
    // Without a title, the text has one.
    assert!(feed.contains("<title>1 &lt; 2"), "{feed}");
    let empty = String::from_utf8(atom(&head, &[]).unwrap()).unwrap();
    assert!(empty.contains("<updated>1970-01-01T00:00:00Z</updated>"));
}

#[test]
fn an_index_without_texts_names_who_else_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::new(JudgeConfig::default()).unwrap();
    let mut writer = builder(folder.path()).texts(false).create(&model).unwrap();
    add(&mut writer, dated("a", 1, sentences(1, 0..12)));
    let news = add(&mut writer, dated("b", 2, sentences(1, 0..12)));
    assert_eq!(
        (news.len(), news[0].also.len(), &news[0].text),
        (1, 1, &None)
    );
}
