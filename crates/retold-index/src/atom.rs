//! News as an Atom feed (RFC 4287).

use std::fmt::Write as _;
use std::io;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use quick_xml::Writer;
use quick_xml::escape::escape;
use quick_xml::events::BytesText;

use crate::news::{AlsoIn, News};
use crate::story::StoryPart;

/// Characters of a text that stand for a title.
const TITLE: usize = 100;

/// What a feed says of itself.
#[derive(Clone, Copy, Debug)]
pub struct AtomHead<'a> {
    /// Its permanent id, a URI.
    pub id: &'a str,
    /// Its title.
    pub title: &'a str,
    /// Its links: relation and address.
    pub links: &'a [(&'a str, &'a str)],
    /// What precedes the encoded id of a story in the address of a page about it.
    pub about: Option<&'a str>,
}

type Xml = Writer<Vec<u8>>;

/// The feed of these stories. The id of an entry is made from that of the story, so readers show a story once.
pub fn atom(head: &AtomHead<'_>, news: &[News]) -> io::Result<Vec<u8>> {
    // An empty feed needs a date, too.
    let updated = news.iter().map(|story| story.updated.as_str());
    let updated = updated.max().unwrap_or("1970-01-01T00:00:00Z");
    let mut xml = Writer::new(b"<?xml version=\"1.0\" encoding=\"utf-8\"?>\n".to_vec());
    let feed = xml
        .create_element("feed")
        .with_attribute(("xmlns", "http://www.w3.org/2005/Atom"));
    feed.write_inner_content(|xml| {
        text(xml, "id", head.id)?;
        text(xml, "title", head.title)?;
        text(xml, "updated", updated)?;
        author(xml, "Retold")?;
        for (rel, to) in head.links {
            link(xml, rel, to)?;
        }
        news.iter().try_for_each(|story| entry(xml, head, story))
    })?;
    Ok(xml.into_inner())
}

fn entry(xml: &mut Xml, head: &AtomHead<'_>, story: &News) -> io::Result<()> {
    let id = encoded(&story.id);
    let about = head.about.map(|prefix| format!("{prefix}{id}"));
    let entry = xml.create_element("entry");
    entry.write_inner_content(|xml| {
        text(xml, "id", &format!("urn:retold:story:{id}"))?;
        text(xml, "title", &title(story))?;
        text(xml, "published", &story.published)?;
        text(xml, "updated", &story.updated)?;
        if let Some(site) = &story.site {
            author(xml, site)?;
        }
        let own = web(&story.url).or(about.as_deref());
        if let Some(url) = own {
            link(xml, "alternate", url)?;
        }
        if let Some(about) = about.as_deref().filter(|&about| own != Some(about)) {
            link(xml, "related", about)?;
        }
        let content = shown(&content(story));
        xml.create_element("content")
            .with_attribute(("type", "html"))
            .write_text_content(BytesText::new(&content))?;
        Ok(())
    })?;
    Ok(())
}

/// The title of the earliest page, or the beginning of its text.
fn title(story: &News) -> String {
    let text = story.text.as_deref().unwrap_or_default();
    let begin: String = text
        .lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(TITLE)
        .collect();
    let begin = Some(begin).filter(|begin| !begin.is_empty());
    let title = story.title.clone().filter(|title| !title.trim().is_empty());
    title.or(begin).unwrap_or_else(|| story.id.clone())
}

/// The text, who else has it, and what they add, as HTML.
fn content(story: &News) -> String {
    let mut html = paragraphs(story.text.as_deref().unwrap_or_default());
    if story.also.is_empty() {
        return html;
    }
    html += "<hr/><p>Also in:</p><ul>";
    for page in &story.also {
        html += &also(page);
    }
    html += "</ul>";
    match story.more {
        0 => {}
        1 => html += "<p>and on 1 more page.</p>",
        // A text takes everything.
        more => _ = write!(html, "<p>and on {more} more pages.</p>"),
    }
    html
}

fn also(page: &AlsoIn) -> String {
    let name = page.site.as_ref().unwrap_or(&page.id);
    let name = match &page.title {
        Some(title) => format!("{name}: {title}"),
        None => name.clone(),
    };
    let name = escape(&name);
    let name = match web(&page.url) {
        Some(url) => format!("<a href=\"{}\">{name}</a>", escape(url)),
        None => name.into_owned(),
    };
    let part = match page.part {
        StoryPart::Page => "",
        StoryPart::Excerpt => ", an excerpt",
        StoryPart::Longer => ", longer",
        StoryPart::RoundUp => ", with other stories",
    };
    let day = page.published.get(..10).unwrap_or(&page.published);
    let adds = match &page.adds[..] {
        [] => String::new(),
        adds => {
            let added: String = adds.iter().map(|added| paragraphs(added)).collect();
            format!(", adds:<blockquote>{added}</blockquote>")
        }
    };
    format!("<li>{name} ({day}){part}{adds}</li>")
}

fn paragraphs(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| format!("<p>{}</p>", escape(line)))
        .collect()
}

/// A URL to which a link is safe.
fn web(url: &Option<String>) -> Option<&str> {
    let url = url.as_deref()?;
    let is_web = ["http://", "https://"].iter().any(|scheme| {
        let head = url.get(..scheme.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    });
    is_web.then_some(url)
}

/// A name as a part of a URI.
pub fn encoded(name: &str) -> String {
    utf8_percent_encode(name, NON_ALPHANUMERIC).to_string()
}

/// Removes characters that XML cannot contain.
fn shown(text: &str) -> String {
    let is_good = |c: &char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    text.chars().filter(is_good).collect()
}

fn text(xml: &mut Xml, name: &str, content: &str) -> io::Result<()> {
    let content = shown(content);
    xml.create_element(name)
        .write_text_content(BytesText::new(&content))?;
    Ok(())
}

fn author(xml: &mut Xml, name: &str) -> io::Result<()> {
    xml.create_element("author")
        .write_inner_content(|xml| text(xml, "name", name))?;
    Ok(())
}

fn link(xml: &mut Xml, rel: &str, to: &str) -> io::Result<()> {
    xml.create_element("link")
        .with_attributes([("rel", rel), ("href", &shown(to))])
        .write_empty()?;
    Ok(())
}
