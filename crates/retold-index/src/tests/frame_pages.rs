//! Pages whose whole text is a notice.

use retold::{JudgeConfig, Model, Page, RunConfig};

use super::{make, prepared, sentence};
use crate::filter::PageFilter;
use crate::story::Order;

const NOTICE: &str = "All rights reserved. What stands on this site may not be copied, shortened or mirrored without leave in writing; \
     whoever does so anyway will answer for it before the court.";

fn titled(id: &str, title: &str, text: &str) -> Page {
    let mut page = Page::text(id, text);
    page.title = Some(title.to_owned());
    page
}

#[test]
fn a_notice_under_many_titles_is_no_story() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = make(folder.path(), &Model::new(JudgeConfig::default()).unwrap());
    let videos = [
        titled("v1", "Video: ferry leaves Naxos after storm", NOTICE),
        titled("v2", "Video: bridge in Porto closed again", NOTICE),
        titled("v3", "Video: bees return to Lyon", NOTICE),
    ];
    let story: String = (0..6).map(|number| sentence(5, number)).collect();
    let words: Vec<&str> = story.split(' ').take(4).collect();
    let reprints = [
        titled("r1", &words.join(" "), &story),
        titled("r2", &format!("{} again", words.join(" ")), &story),
        // A longer form of one headline.
        titled(
            "h1",
            "A bridge",
            "Nothing of what stands here is in its title, on neither page, but both are told under one headline, in two forms.",
        ),
        titled(
            "h2",
            "A BRIDGE opens",
            "Nothing of what stands here is in its title, on neither page, but both are told under one headline, in two forms.",
        ),
        // Without a title, nothing says that they are not one page.
        Page::text(
            "n1",
            "The same words on two pages without any title, which may well be one story told twice over, who knows.",
        ),
        Page::text(
            "n2",
            "The same words on two pages without any title, which may well be one story told twice over, who knows.",
        ),
    ];
    let pages = [&videos[..], &reprints[..]].concat();
    let added = writer.add(&prepared(&writer, &pages), Some(5)).unwrap();
    let told: Vec<(bool, usize)> = added
        .iter()
        .map(|added| (added.is_frame, added.matches.len()))
        .collect();
    assert_eq!(
        told,
        [
            (false, 0),
            (true, 0),
            (true, 0),
            (false, 0),
            (false, 1),
            (false, 0),
            (false, 1),
            (false, 0),
            (false, 1)
        ]
    );
    for _ in 0..2 {
        let asked = prepared(&writer, &[titled("v4", "Video: rain in Bergen", NOTICE)]);
        assert!(
            writer
                .index()
                .query(&asked[0], Some(5))
                .unwrap()
                .1
                .is_empty()
        );
        let stories = writer
            .index()
            .story_keys(Order::Size, &PageFilter::default())
            .unwrap();
        let stories = writer.index().story_cards(&stories).unwrap();
        let mut ids: Vec<&str> = stories.iter().map(|story| story.line.id.as_str()).collect();
        ids.sort_unstable();
        assert_eq!(ids, ["h1", "n1", "r1"]);
        // The links that are found anew are the same.
        writer.learn(&RunConfig::default(), &()).unwrap();
    }
}
