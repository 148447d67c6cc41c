//! Feeds: RSS, Atom and JSON Feed. Each entry is a record; everything around the entries is copied to `kept/` unchanged.

use std::collections::HashMap;
use std::ops::Range;

use bytes::Bytes;
use feed_rs::model::{Entry, Link};
use feed_rs::parser::{Builder, ParseFeedError};
use quick_xml::events::Event;
use quick_xml::reader::Reader;
use serde_json::value::RawValue;

use super::frame::{Frame, FrameState, Frames, too_large};
use super::framed::Framed;
use super::magic::BOM;
use super::mark::{AddedFields, FieldValue};
use super::options::ReadOptions;
use super::record::{Outcome, Unparsed};
use super::source::Source;
use super::window::Window;
use crate::page::{Content, Markup, Page};
use crate::text::html::visible_text;

/// How many bytes of a file are searched for its root element.
const HEAD: usize = 4096;
/// The most bytes of tags around an entry; feeds have two or three open elements there.
const MOST_AROUND: usize = 1 << 14;
/// A text of fewer words is a placeholder ("Comments"), and the title says what the entry is.
const STUB_WORDS: usize = 12;
/// A text below so many different titles is the feed's, as a line on three pages is a frame's. Below two titles it may be a copy.
const COMMON_TITLES: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feed {
    /// RSS 0.9 to 2.0 and Atom.
    Xml,
    /// JSON Feed.
    Json,
}

impl Feed {
    /// Detects a feed from the head of a file.
    pub fn of(head: &[u8]) -> Option<Feed> {
        let head = &head[..head.len().min(HEAD)];
        match head.trim_ascii_start() {
            [b'<', ..] => is_root(&root(head)?).then_some(Feed::Xml),
            [b'{', ..] => {
                let version = memchr::memmem::find(head, b"\"https://jsonfeed.org/version/");
                version.map(|_| Feed::Json)
            }
            _ => None,
        }
    }

    fn entries(self, bytes: &[u8]) -> Entries {
        match self {
            Feed::Xml => xml_entries(bytes),
            Feed::Json => json_entries(bytes).unwrap_or_else(|error| Entries {
                unread: Some(format!("JSON Feed: {error}")),
                ..Entries::default()
            }),
        }
    }
}

#[derive(Default)]
struct Entries {
    /// Where they are, in order.
    places: Vec<Range<usize>>,
    /// For each entry of XML, what its feed says about it.
    in_feed: Vec<InFeed>,
    /// Why there may be more entries that cannot be separated; taken when it is reported.
    unread: Option<String>,
    /// The text before and after an entry that makes it a feed of its own: the declaration and the tags that are open at the first entry.
    /// The file's own end tags may be missing or wrong, and parsing the whole head again for each entry would cost too much.
    around: [Vec<u8>; 2],
}

/// The bytes with an `x` for each non-ASCII byte. Markup is ASCII in all charsets of feeds, so positions stay the same.
fn markup(bytes: &[u8]) -> String {
    let ascii = bytes.iter().map(|byte| match byte.is_ascii() {
        true => char::from(*byte),
        false => 'x',
    });
    ascii.collect()
}

/// The name of the root element.
fn root(head: &[u8]) -> Option<String> {
    let head = markup(head);
    let mut reader = Reader::from_str(&head);
    loop {
        match reader.read_event().ok()? {
            Event::Start(root) | Event::Empty(root) => return Some(root.name().0.to_owned()),
            Event::Eof => return None,
            _ => {}
        }
    }
}

fn is_root(name: &str) -> bool {
    matches!(name, "rss" | "feed" | "rdf:RDF" | "RDF" | "atom:feed")
}

fn xml_entries(bytes: &[u8]) -> Entries {
    let markup = markup(bytes);
    let mut found = places(&markup, bytes);
    found.in_feed = in_feed(&markup, bytes, &found.places);
    found
}

fn places(markup: &str, bytes: &[u8]) -> Entries {
    let mut reader = Reader::from_str(markup);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_dangling_amp = true;
    let (mut found, mut open) = (Entries::default(), Open::default());
    loop {
        let begin = reader.buffer_position() as usize;
        let failure = match reader.read_event() {
            Ok(Event::Start(start)) if is_entry(start.local_name().into_inner()) => {
                match reader.read_to_end(start.name()) {
                    Ok(_) if open.size > MOST_AROUND => {
                        format!("the elements around an entry have more than {MOST_AROUND} bytes")
                    }
                    Ok(_) => {
                        if found.places.is_empty() {
                            found.around = open.tags(bytes);
                        }
                        found.places.push(begin..reader.buffer_position() as usize);
                        continue;
                    }
                    Err(error) => error.to_string(),
                }
            }
            Ok(Event::Eof) => return found,
            Ok(event) => {
                open.note(&event, begin..reader.buffer_position() as usize);
                continue;
            }
            Err(error) => error.to_string(),
        };
        let reason = format!("the feed cannot be read from byte {begin} on: {failure}");
        found.unread = Some(reason);
        return found;
    }
}

/// What the feed of an entry says about it.
#[derive(Clone, Debug, Default)]
struct InFeed {
    /// Whether all its texts stand below several other titles, too: the standing description of a podcast, say.
    has_common_text: bool,
    /// Whether other entries have the same id.
    has_common_id: bool,
    /// The first date, as it is written.
    date: Option<String>,
}

/// The elements of an entry as they are written.
#[derive(Default)]
struct Written {
    texts: Vec<Range<usize>>,
    title: Option<Range<usize>>,
    id: Option<Range<usize>>,
    date: Option<Range<usize>>,
}

fn in_feed(markup: &str, bytes: &[u8], places: &[Range<usize>]) -> Vec<InFeed> {
    let written = places.iter().map(|place| written(markup, place.clone()));
    let written: Vec<Written> = written.collect();
    let content = |place: &Range<usize>| bytes[place.clone()].trim_ascii();
    // Text -> the titles above it, as far as they count. Id -> how many entries have it.
    let mut titles_of: HashMap<&[u8], Vec<&[u8]>> = HashMap::new();
    let mut with_id: HashMap<&[u8], usize> = HashMap::new();
    for entry in &written {
        let title = entry.title.as_ref().map_or(&b""[..], content);
        for text in entry.texts.iter().map(content) {
            let titles = titles_of.entry(text).or_default();
            if titles.len() < COMMON_TITLES && !titles.contains(&title) {
                titles.push(title);
            }
        }
        if let Some(id) = entry.id.as_ref().map(content) {
            *with_id.entry(id).or_default() += 1;
        }
    }
    let is_common = |text: &Range<usize>| titles_of[content(text)].len() == COMMON_TITLES;
    let in_feed = written.iter().map(|entry| InFeed {
        has_common_text: !entry.texts.is_empty() && entry.texts.iter().all(is_common),
        has_common_id: entry.id.as_ref().is_some_and(|id| with_id[content(id)] > 1),
        date: entry
            .date
            .as_ref()
            .map(|place| String::from_utf8_lossy(content(place)).into_owned()),
    });
    in_feed.collect()
}

fn written(markup: &str, place: Range<usize>) -> Written {
    let mut reader = Reader::from_str(&markup[place.clone()]);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_dangling_amp = true;
    let mut written = Written::default();
    while let Ok(event) = reader.read_event() {
        let start = match event {
            Event::Start(start) => start,
            Event::Eof => break,
            _ => continue,
        };
        let is_text = matches!(
            start.name().0,
            "description"
                | "summary"
                | "content"
                | "content:encoded"
                | "media:description"
                | "itunes:summary"
        );
        let is_id = matches!(start.name().0, "guid" | "id");
        let is_title = start.name().0 == "title";
        let is_date = matches!(
            start.name().0,
            "pubDate" | "published" | "issued" | "dc:date" | "updated" | "modified"
        );
        if !(is_text || is_id || is_title || is_date) {
            continue;
        }
        let Ok(inside) = reader.read_to_end(start.name()) else {
            break;
        };
        let inside = place.start + inside.start as usize..place.start + inside.end as usize;
        if markup[inside.clone()].trim().is_empty() {
            continue;
        }
        let place = match () {
            () if is_text => {
                written.texts.push(inside);
                continue;
            }
            () if is_id => &mut written.id,
            () if is_title => &mut written.title,
            () => &mut written.date,
        };
        place.get_or_insert(inside);
    }
    written
}

#[derive(Default)]
struct Open {
    /// Where the declaration is.
    declaration: Range<usize>,
    /// Their names, and where their start tags are.
    tags: Vec<(String, Range<usize>)>,
    /// Total bytes of these tags.
    size: usize,
}

impl Open {
    fn note(&mut self, event: &Event<'_>, place: Range<usize>) {
        match event {
            Event::Decl(_) => {
                self.size += place.len();
                self.declaration = place;
            }
            Event::Start(start) => {
                self.size += place.len();
                self.tags.push((start.name().0.to_owned(), place));
            }
            Event::End(_) => {
                let closed = self.tags.pop();
                self.size -= closed.map_or(0, |(_, place)| place.len());
            }
            _ => {}
        }
    }

    /// The tags before and after an entry in an otherwise empty document.
    fn tags(&self, bytes: &[u8]) -> [Vec<u8>; 2] {
        let starts = self.tags.iter().map(|(_, place)| &bytes[place.clone()]);
        let before = [&bytes[self.declaration.clone()]].into_iter().chain(starts);
        let ends = self.tags.iter().rev();
        let ends: String = ends.map(|(name, _)| format!("</{name}>")).collect();
        [before.collect::<Vec<_>>().concat(), ends.into_bytes()]
    }
}

fn is_entry(name: &str) -> bool {
    matches!(name, "item" | "entry")
}

fn json_entries(bytes: &[u8]) -> Result<Entries, serde_json::Error> {
    #[derive(serde::Deserialize)]
    struct Items<'a> {
        #[serde(borrow)]
        items: Vec<&'a RawValue>,
    }
    let feed: Items<'_> = serde_json::from_slice(bytes)?;
    let place = |item: &&RawValue| {
        let begin = item.get().as_ptr().addr() - bytes.as_ptr().addr();
        begin..begin + item.get().len()
    };
    Ok(Entries {
        places: feed.items.iter().map(place).collect(),
        around: [
            br#"{"version":"https://jsonfeed.org/version/1.1","title":"","items":["#.to_vec(),
            b"]}".to_vec(),
        ],
        ..Entries::default()
    })
}

impl Framed for Feed {
    fn frames(&self, mut content: Window, options: &ReadOptions) -> Box<dyn Frames> {
        let limit = options.max_record_size;
        let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
        let is_large = content.fill(wanted.saturating_add(1));
        let failure = match is_large {
            true => Some(too_large(limit)),
            false => content.take_failure(),
        };
        let bytes = match failure {
            Some(_) => Bytes::new(),
            None => content.take(content.data().len()),
        };
        let entries = match failure {
            None => self.entries(&bytes),
            failure => Entries {
                unread: failure,
                ..Entries::default()
            },
        };
        Box::new(FeedFrames {
            bytes,
            entries,
            next: 0,
        })
    }
}

struct FeedFrames {
    bytes: Bytes,
    entries: Entries,
    next: usize,
}

impl FeedFrames {
    fn place(&self) -> Range<usize> {
        let last = self.next.checked_sub(1);
        last.and_then(|last| self.entries.places.get(last))
            .cloned()
            .unwrap_or_default()
    }

    /// The places of the previous and the current entry.
    fn pair(&self) -> Option<[&Range<usize>; 2]> {
        let before = self.next.checked_sub(2)?;
        Some([
            self.entries.places.get(before)?,
            self.entries.places.get(before + 1)?,
        ])
    }

    fn before(&self) -> &[u8] {
        &self.bytes[..self.entries.places.first().map_or(0, |first| first.start)]
    }

    fn behind(&self) -> &[u8] {
        &self.bytes[self.entries.places.last().map_or(0, |last| last.end)..]
    }
}

impl Frames for FeedFrames {
    fn next(&mut self) -> Option<Frame> {
        self.next += 1;
        let number = self.next as u64;
        if self.next <= self.entries.places.len() {
            return Some(Frame {
                number,
                size: self.place().len() as u64,
                state: FrameState::Whole,
            });
        }
        let reason = self.entries.unread.take()?;
        Some(Frame {
            number,
            size: self.behind().len() as u64,
            state: FrameState::Damaged(reason),
        })
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[self.place()]
    }

    /// The entry as the only one in its feed.
    fn unparsed(&mut self) -> Box<dyn Unparsed> {
        let [before, behind] = &self.entries.around;
        let alone = [before, self.bytes(), behind].concat();
        let in_feed = self.entries.in_feed.get(self.next - 1);
        Box::new(LoneEntry {
            feed: alone.into(),
            in_feed: in_feed.cloned().unwrap_or_default(),
        })
    }

    fn marked(&self, _: &AddedFields, _: &[FieldValue]) -> Vec<u8> {
        self.bytes().to_vec()
    }

    fn header(&self, _: Option<&AddedFields>) -> Vec<u8> {
        self.before().to_vec()
    }

    fn between(&self) -> Vec<u8> {
        let Some([before, this]) = self.pair() else {
            return Vec::new();
        };
        self.bytes[before.end..this.start].to_vec()
    }

    fn trailer(&self) -> Vec<u8> {
        self.behind().to_vec()
    }
}

#[derive(Debug)]
struct LoneEntry {
    /// A feed with this entry only.
    feed: Bytes,
    in_feed: InFeed,
}

impl Unparsed for LoneEntry {
    fn parse(self: Box<Self>, number: u64, source: &Source, _: &ReadOptions) -> Outcome {
        match self.page(number, source) {
            Ok((page, true)) => Outcome::Page(page),
            // A post that is only a link: what it links to, and how that is called, is its text.
            Ok((
                page @ Page {
                    url: Some(_),
                    title: Some(_),
                    ..
                },
                false,
            )) => Outcome::Page(with_link_as_text(page)),
            Ok(_) => Outcome::Skipped("feed entry without text".into()),
            Err(reason) => Outcome::Rejected(reason),
        }
    }

    fn shared(&mut self) -> Option<&mut Bytes> {
        None
    }
}

impl LoneEntry {
    /// The entry as a page, and whether it has a text (which may be empty).
    fn page(&self, number: u64, source: &Source) -> Result<(Page, bool), String> {
        match entry(&self.feed) {
            Ok(Some(entry)) => Ok(page(entry, &self.in_feed, number, source)),
            Ok(None) => Err("not an entry of a feed".into()),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// The entries of a feed in memory as pages in order, or the reason why an entry cannot be read. Returns `None` if the bytes are no feed.
/// An entry without text has empty content. If an entry has neither id nor address, its id begins with `name`.
pub fn feed_pages(name: &str, bytes: &[u8]) -> Option<Vec<Result<Page, String>>> {
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    let mut entries = Feed::of(bytes)?.entries(bytes);
    let source = Source::of_pages(name, []);
    let [before, behind] = &entries.around;
    let pages = (1..).zip(&entries.places).map(|(number, place)| {
        let alone = [before, &bytes[place.clone()], behind].concat();
        let in_feed = entries.in_feed.get(number as usize - 1);
        let entry = LoneEntry {
            feed: alone.into(),
            in_feed: in_feed.cloned().unwrap_or_default(),
        };
        let page = entry.page(number, &source);
        page.map(|(page, _)| page)
    });
    let mut pages: Vec<_> = pages.collect();
    pages.extend(entries.unread.take().map(Err));
    Some(pages)
}

fn entry(feed: &[u8]) -> Result<Option<Entry>, ParseFeedError> {
    let parse = |feed: &[u8]| {
        // The parser would otherwise make up an id, which looks like the entry's own.
        let parser = Builder::new().id_generator(|_, _, _| String::new()).build();
        Ok(parser.parse(feed)?.entries.into_iter().next())
    };
    parse(feed).or_else(|error| parse(&repaired(feed).ok_or(error)?))
}

/// A feed of XML with each bare `&` escaped, and without empty elements, which the parser refuses in some places.
fn repaired(feed: &[u8]) -> Option<Vec<u8>> {
    let markup = markup(feed);
    let mut reader = Reader::from_str(&markup);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_dangling_amp = true;
    let (mut out, mut start) = (Vec::with_capacity(feed.len()), None);
    loop {
        let begin = reader.buffer_position() as usize;
        let event = reader.read_event().ok()?;
        let place = begin..reader.buffer_position() as usize;
        match event {
            Event::Eof => return Some(out),
            Event::Start(tag) => {
                let name = tag.name().0.to_owned();
                let says_nothing = tag.attributes().next().is_none() || is_media_text(&name);
                start = Some((name, out.len(), says_nothing));
            }
            Event::End(tag) => {
                if let Some((name, at, true)) = start.take()
                    && name == tag.name().0
                {
                    out.truncate(at);
                    continue;
                }
            }
            Event::Empty(tag) if is_media_text(tag.name().0) => continue,
            // A text that begins with `&` has a bare one there.
            Event::Text(_) if feed[place.start] == b'&' => {
                start = None;
                out.extend(b"&amp;");
                out.extend(&feed[place.start + 1..place.end]);
                continue;
            }
            Event::Text(_) if feed[place.clone()].trim_ascii().is_empty() => {}
            _ => start = None,
        }
        out.extend(&feed[place]);
    }
}

/// Whether the only use of an element is its text.
fn is_media_text(name: &str) -> bool {
    matches!(
        name,
        "media:title" | "media:description" | "media:text" | "media:credit" | "media:keywords"
    )
}

fn page(entry: Entry, in_feed: &InFeed, number: u64, source: &Source) -> (Page, bool) {
    let content = entry.content.and_then(|content| {
        let body = content.body.filter(|body| !body.trim().is_empty())?;
        Some((body, content.content_type))
    });
    let content = content.or_else(|| {
        let summary = entry.summary?;
        Some((summary.content, summary.content_type))
    });
    let content = content.or_else(|| {
        let mut of_media = entry.media.into_iter();
        let description = of_media.find_map(|media| media.description)?;
        Some((description.content, description.content_type))
    });
    let is_plain = content
        .as_ref()
        .is_some_and(|(_, kind)| kind.ty().as_str() == "text" && kind.subty().as_str() == "plain");
    let markup = if is_plain {
        Markup::Plain
    } else {
        Markup::Html
    };
    let url = url(entry.links);
    let title = entry.title.map(|title| title.content);
    let has_text = content.is_some();
    let mut text = content.map(|(text, _)| text).unwrap_or_default();
    // What stands on other entries too says nothing about this one; its title and link do.
    if in_feed.has_common_text && (title.is_some() || url.is_some()) {
        text = with_headline(title.as_ref(), url.as_deref().unwrap_or_default(), markup);
    } else if has_text && is_stub(&text, markup) {
        text = with_headline(title.as_ref(), &text, markup);
    }
    let id = Some(entry.id).filter(|id| !id.is_empty() && !in_feed.has_common_id);
    let date = entry.published.or(entry.updated);
    let page = Page {
        id: id
            .or_else(|| url.clone())
            .unwrap_or_else(|| source.record_id(number)),
        url,
        site: source.site.clone(),
        date: date
            .map(|date| date.to_rfc3339())
            .or_else(|| in_feed.date.clone()),
        title,
        derived: false,
        fields: Vec::new(),
        content: Content::Unicode { text, markup },
    };
    (page, has_text)
}

/// Whether a text says too little to tell its entry from others.
fn is_stub(text: &str, markup: Markup) -> bool {
    // Markup makes a text longer, never shorter.
    const LONG: usize = 1 << 14;
    if text.len() > LONG {
        return false;
    }
    let visible = match markup {
        Markup::Html => visible_text(text).0,
        _ => text.to_owned(),
    };
    let words = visible.split_whitespace().map(|word| {
        // In scripts without spaces two characters are about a word.
        match word.chars().next().is_some_and(|c| c >= '\u{2e80}') {
            true => word.chars().count().div_ceil(2),
            false => 1,
        }
    });
    words.sum::<usize>() < STUB_WORDS
}

/// A text below its headline.
fn with_headline(headline: Option<&String>, text: &str, markup: Markup) -> String {
    match (headline, markup) {
        (None, _) => text.to_owned(),
        (Some(headline), Markup::Html) => {
            let headline = headline.replace('&', "&amp;").replace('<', "&lt;");
            format!("<h1>{headline}</h1>\n{text}")
        }
        (Some(headline), _) => format!("{headline}\n\n{text}"),
    }
}

fn with_link_as_text(page: Page) -> Page {
    let link = page.url.as_deref().unwrap_or_default();
    let text = with_headline(page.title.as_ref(), link, Markup::Plain);
    Page {
        content: Content::Unicode {
            text,
            markup: Markup::Plain,
        },
        ..page
    }
}

/// The address of an entry's page, as opposed to enclosures and the entry it answers.
fn url(links: Vec<Link>) -> Option<String> {
    let is_page = |link: &Link| matches!(link.rel.as_deref(), None | Some("alternate"));
    links.into_iter().find(is_page).map(|link| link.href)
}

#[cfg(test)]
mod tests {
    use super::super::mark::RecordDecision;
    use super::super::record::Outcome;
    use super::super::tests::{Folder, briefs, outcomes, rewritten};
    use super::*;

    const RSS: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>News</title>
  <item><title>One</title><link>http://a.example/1</link><guid>tag:1</guid><description>teaser</description>
    <content:encoded><![CDATA[<p>All of <b>it</b></p><item>no</item>]]></content:encoded>
    <pubDate>Sun, 04 Jan 2026 08:00:00 +0800</pubDate></item>
  <item><link>http://a.example/2</link><description>&lt;p&gt;Only this&lt;/p&gt;</description></item>
  <item><title>Nothing</title></item>
</channel></rss>
"#;

    fn pages(file: &str, content: &[u8]) -> Vec<Page> {
        let folder = Folder::new(&[(file, content)]);
        let found = outcomes(&folder.source(file), &ReadOptions::default());
        let page = |outcome| match outcome {
            Outcome::Page(page) => Some(page),
            _ => None,
        };
        found.into_iter().filter_map(page).collect()
    }

    #[test]
    fn entries_of_rss_are_pages() {
        let folder = Folder::new(&[("a.xml", RSS.as_bytes())]);
        let expected = [
            "tag:1=<h1>One</h1>\n<p>All of <b>it</b></p><item>no</item>",
            "http://a.example/2=<p>Only this</p>",
            "-feed entry without text",
        ];
        assert_eq!(briefs(&folder.source("a.xml")), expected);
        let found = pages("a.xml", RSS.as_bytes());
        assert_eq!(found[0].url.as_deref(), Some("http://a.example/1"));
        assert_eq!(found[0].title.as_deref(), Some("One"));
        assert_eq!(found[0].date.as_deref(), Some("2026-01-04T00:00:00+00:00"));
    }

    #[test]
    fn entries_of_a_feed_in_memory() {
        let cut = RSS.split("</channel>").next().unwrap();
        let found = feed_pages("a", format!("\u{feff}{cut}<item><b></item>").as_bytes()).unwrap();
        let brief = |page: &Result<Page, String>| {
            let page = page.as_ref().map_err(|reason| reason.len() > 20)?;
            Ok((page.id.clone(), page.content.is_empty()))
        };
        let found: Vec<Result<_, bool>> = found.iter().map(brief).collect();
        let good = |id: &str, is_empty| Ok((id.to_owned(), is_empty));
        // The third entry has only a title, and the feed breaks off after it.
        let expected = [
            good("tag:1", false),
            good("http://a.example/2", false),
            good("a#3", true),
            Err(true),
        ];
        assert_eq!(found, expected);
        assert!(feed_pages("a", b"<html><p>No feed").is_none());
        assert!(feed_pages("a", b"").is_none());
    }

    #[test]
    fn one_fault_costs_at_most_its_entry() {
        let items = [
            "<item><guid>1</guid><title>R&D & more</title><description>one & two</description></item>",
            "<item><guid>2</guid><title/><description>two words</description><media:description type=\"plain\"></media:description><media:credit role=\"x\"/></item>",
            "<item><guid>3</guid><description>three words</description></item>",
        ];
        let feed = format!(
            r#"<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel>{}</channel></rss>"#,
            items.concat()
        );
        let found = pages("a.xml", feed.as_bytes());
        let ids: Vec<&str> = found.iter().map(|page| &*page.id).collect();
        assert_eq!(ids, ["1", "2", "3"]);
        assert_eq!(found[0].title.as_deref(), Some("R&D & more"));
    }

    #[test]
    fn a_placeholder_stands_below_its_title() {
        let standing = "Thank you for listening to this weekly podcast about harbours and the people who keep them open, with music by a trio.";
        let item = |n: usize, text: &str| {
            format!(
                "<item><guid>same</guid><title>Title {n} &amp; more</title><link>http://a.example/{n}</link><description>{text}</description><pubDate>Mo, 5 Jan 2026 10:00:00 +0100</pubDate></item>"
            )
        };
        let long = "A text that no other entry has, of more than a dozen words, says itself what it is about.";
        let items = [
            item(1, "Comments"),
            item(2, standing),
            item(3, standing),
            item(4, long),
            item(5, standing),
        ];
        let feed = format!(
            r#"<rss version="2.0"><channel>{}</channel></rss>"#,
            items.concat()
        );
        let found = pages("a.xml", feed.as_bytes());
        let texts = found.iter().map(|page| match &page.content {
            Content::Unicode { text, .. } => &**text,
            _ => panic!("{page:?}"),
        });
        let below = |n: usize, text: &str| format!("<h1>Title {n} &amp; more</h1>\n{text}");
        let link = |n: usize| below(n, &format!("http://a.example/{n}"));
        let expected = [
            below(1, "Comments"),
            link(2),
            link(3),
            long.to_owned(),
            link(5),
        ];
        assert_eq!(texts.collect::<Vec<_>>(), expected);
        // One id for all entries is none.
        assert_eq!(found[2].id, "http://a.example/3");
        assert_eq!(
            found[0].date.as_deref(),
            Some("Mo, 5 Jan 2026 10:00:00 +0100")
        );
    }

    #[test]
    fn a_post_that_is_only_a_link_has_its_title_and_link_as_text() {
        let item = |n: usize| {
            format!("<item><title>Title &amp; {n}</title><link>http://a.example/{n}</link></item>")
        };
        let feed = format!(
            r#"<rss version="2.0"><channel>{}{}<item><title>No link</title></item></channel></rss>"#,
            item(1),
            item(2)
        );
        let folder = Folder::new(&[("a.xml", feed.as_bytes())]);
        let expected =
            [1, 2].map(|n| format!("http://a.example/{n}=Title & {n}\n\nhttp://a.example/{n}"));
        let found = briefs(&folder.source("a.xml"));
        assert_eq!(found[..2], expected);
        assert_eq!(found[2], "-feed entry without text");
        // Who fetches the page wants to know that the entry has no text.
        let pages = feed_pages("a", feed.as_bytes()).unwrap();
        assert!(pages[0].as_ref().is_ok_and(|page| page.content.is_empty()));
    }

    #[test]
    fn a_description_of_media_is_a_text() {
        let feed = r#"<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/"><entry><id>v</id><title>T</title><media:group><media:content url="https://v.example/1" type="video/mp4"/><media:description>What the video shows in more words than a placeholder has, so that it stands alone.</media:description></media:group></entry></feed>"#;
        let found = pages("a.xml", feed.as_bytes());
        assert!(
            matches!(&found[0].content, Content::Unicode { text, .. } if text.starts_with("What the video")),
            "{found:?}"
        );
    }

    #[test]
    fn feeds_are_kept_less_the_entries_that_are_dropped() {
        let folder = Folder::new(&[("a.xml", RSS.as_bytes())]);
        let source = folder.source("a.xml");
        let all = rewritten(&source, |_| RecordDecision::Keep).unwrap();
        assert_eq!(String::from_utf8(all).unwrap(), RSS);
        let rest = |number| match number {
            1 => RecordDecision::Leave,
            _ => RecordDecision::Keep,
        };
        let kept = rewritten(&source, rest).unwrap();
        folder.write("b.xml", &kept);
        let found = briefs(&folder.source("b.xml"));
        assert_eq!(found[0], "http://a.example/2=<p>Only this</p>");
        assert_eq!(found.len(), 2);
        assert!(kept.ends_with(b"</channel></rss>\n"));
    }

    #[test]
    fn atom_and_the_older_rss() {
        let atom = r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><updated>2026-01-04T00:00:00Z</updated>
<entry><id>urn:1</id><title>A</title><link rel="self" href="http://x.example/self"/><link rel="alternate" href="http://x.example/1"/>
<published>2026-01-03T00:00:00Z</published><updated>2026-01-04T00:00:00Z</updated><content type="text">a &lt; b</content></entry></feed>"#;
        let found = pages("feed", atom.as_bytes());
        assert_eq!(found[0].url.as_deref(), Some("http://x.example/1"));
        assert_eq!(found[0].date.as_deref(), Some("2026-01-03T00:00:00+00:00"));
        assert!(
            matches!(&found[0].content, Content::Unicode { text, markup: Markup::Plain } if text == "A\n\na < b")
        );
        let rdf = r#"<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel rdf:about="http://y.example/"><title>y</title><link>http://y.example/</link><description>d</description></channel>
<item rdf:about="http://y.example/1"><title>B</title><link>http://y.example/1</link><description>text</description></item></rdf:RDF>"#;
        let found = pages("b.rdf", rdf.as_bytes());
        assert_eq!(found[0].url.as_deref(), Some("http://y.example/1"));
    }

    /// The second byte of a GBK character may look like a letter or bracket, but not like markup.
    #[test]
    fn feeds_in_other_charsets() {
        let feed = "<?xml version=\"1.0\" encoding=\"gbk\"?><rss version=\"2.0\"><channel><title>新闻</title>\
                    <item><guid>1</guid><description>昨天的渡船没有开乄</description></item></channel></rss>";
        let (bytes, _, _) = encoding_rs::GBK.encode(feed);
        let folder = Folder::new(&[("a.xml", &bytes)]);
        let source = folder.source("a.xml");
        assert_eq!(briefs(&source), ["1=昨天的渡船没有开乄"]);
        let kept = rewritten(&source, |_| RecordDecision::Keep).unwrap();
        assert_eq!(kept, &*bytes);
    }

    #[test]
    fn entries_of_json_feeds_are_pages() {
        let feed = r#"{ "version": "https://jsonfeed.org/version/1.1", "title": "t", "items": [
 {"id": "1", "url": "http://z.example/1", "content_html": "<p>one", "date_published": "2026-01-04T00:00:00Z"} ,
 {"id": "2", "content_text": "two ]"},
 {"id": "3", "content_text": "three"}
], "home_page_url": "http://z.example/" }"#;
        let folder = Folder::new(&[("feed.json", feed.as_bytes())]);
        let source = folder.source("feed.json");
        assert_eq!(briefs(&source), ["1=<p>one", "2=two ]", "3=three"]);
        let all = rewritten(&source, |_| RecordDecision::Keep).unwrap();
        assert_eq!(String::from_utf8(all).unwrap(), feed);
        let ends = |number| match number {
            2 => RecordDecision::Keep,
            _ => RecordDecision::Leave,
        };
        folder.write("b.json", &rewritten(&source, ends).unwrap());
        assert_eq!(briefs(&folder.source("b.json")), ["2=two ]"]);
    }

    #[test]
    fn damaged_feeds_are_read_as_far_as_they_can_be() {
        let cut = &RSS[..RSS.find("Only").unwrap()];
        let folder = Folder::new(&[("a.xml", cut.as_bytes())]);
        let found = briefs(&folder.source("a.xml"));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("tag:1="), "{found:?}");
        assert!(
            found[1].starts_with("!the feed cannot be read from byte"),
            "{found:?}"
        );
        let options = ReadOptions {
            max_record_size: 100,
            ..ReadOptions::default()
        };
        let folder = Folder::new(&[("a.xml", RSS.as_bytes())]);
        let found = outcomes(&folder.source("a.xml"), &options);
        assert!(
            matches!(&found[..], [Outcome::Rejected(reason)] if reason.contains("larger than"))
        );
    }

    #[test]
    fn a_large_head_costs_nothing_for_each_entry() {
        let head = "<rss version=\"2.0\"><channel>".to_owned() + &"<x>filler</x>".repeat(20_000);
        let entry = |n: usize| format!("<item><guid>{n}</guid><description>d</description></item>");
        let feed = head + &(0..100).map(entry).collect::<String>() + "</channel></rss>";
        let folder = Folder::new(&[("a.xml", feed.as_bytes())]);
        let options = ReadOptions::default();
        let source = folder.source("a.xml");
        let alone = source
            .records(&options)
            .map(|record| format!("{record:?}").len());
        assert!(alone.max().is_some_and(|most| most < 1000));
        assert_eq!(briefs(&source).last().map(String::as_str), Some("99=d"));
        // The number of open elements has a limit.
        let deep = "<rss version=\"2.0\">".to_owned() + &"<channel>".repeat(20_000) + &entry(1);
        folder.write("b.xml", deep.as_bytes());
        let found = briefs(&folder.source("b.xml"));
        assert!(
            found.len() == 1 && found[0].contains("the elements around an entry"),
            "{found:?}"
        );
    }
}
