//! What a digest says, in two languages.

use retold_index::{Change, StoryPart};

/// The words of a language. `{n}` and other names in braces are filled in.
pub struct Words {
    pub code: &'static str,
    pub title: &'static str,
    pub account: &'static str,
    pub new: &'static str,
    pub going_on: &'static str,
    pub changed: &'static str,
    pub counts: &'static str,
    pub adds: &'static str,
    pub edits: &'static str,
    pub headline: &'static str,
    pub more: &'static str,
    pub more_stories: &'static str,
    pub nothing: &'static str,
    what: [&'static str; 6],
    part: [&'static str; 4],
}

impl Words {
    pub const ENGLISH: Words = Words {
        code: "en",
        title: "Digest since {since}",
        account: "pages: {pages}, on sites: {sites}; new stories: {new}, stories that go on: {going_on}, pages changed afterwards: {changed}",
        new: "New stories",
        going_on: "Stories that go on",
        changed: "Changed afterwards",
        counts: "pages: {pages}, sites: {sites}",
        adds: "adds:",
        edits: "words added: {added}, cut: {cut}, replaced: {replaced}",
        headline: "headline before: {title}",
        more: "further pages: {n}",
        more_stories: "further stories: {n}",
        nothing: "nothing",
        what: [
            "first",
            "copied",
            "edited",
            "shortened",
            "extended",
            "similar to another version",
        ],
        part: ["", "excerpt", "longer version", "round-up"],
    };

    pub const CHINESE: Words = Words {
        code: "zh-CN",
        title: "{since} 以来的摘要",
        account: "网页 {pages} 篇，来自 {sites} 家网站；新报道 {new} 个，继续发展的报道 {going_on} 个，事后改动的网页 {changed} 篇",
        new: "新报道",
        going_on: "继续发展的报道",
        changed: "事后改动",
        counts: "{pages} 篇，{sites} 家网站",
        adds: "新增内容：",
        edits: "新增 {added} 个字词，删去 {cut} 个，替换 {replaced} 个",
        headline: "原标题：{title}",
        more: "另有 {n} 篇",
        more_stories: "另有 {n} 个报道",
        nothing: "无",
        what: ["首发", "转载", "改写", "删节", "扩充", "与另一版本相近"],
        part: ["", "摘录", "扩充版", "合辑"],
    };

    pub fn what(&self, what: Change) -> &'static str {
        self.what[match what {
            Change::First => 0,
            Change::Copied => 1,
            Change::Edited => 2,
            Change::Shortened => 3,
            Change::Extended => 4,
            Change::Indirect => 5,
        }]
    }

    /// Empty for a page of the story itself.
    pub fn part(&self, part: StoryPart) -> &'static str {
        self.part[match part {
            StoryPart::Page => 0,
            StoryPart::Excerpt => 1,
            StoryPart::Longer => 2,
            StoryPart::RoundUp => 3,
        }]
    }
}

/// Puts values in for names in braces.
pub fn filled(template: &str, values: &[(&str, &dyn std::fmt::Display)]) -> String {
    let mut filled = template.to_owned();
    for (name, value) in values {
        filled = filled.replace(&format!("{{{name}}}"), &value.to_string());
    }
    filled
}
