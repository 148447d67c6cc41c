//! Limits an HTML document before a tree is built, by rewriting it in one linear pass.
//!
//! Trees (html5ever's, and extractors that use them) take quadratic time in the nesting depth, in a tag's attributes and in open formatting
//! elements. So tags deeper than [`MAX_DEPTH`] are left out (their text is kept), a tag keeps [`MAX_ATTRIBUTES`] attributes, and at most
//! [`MAX_FORMATTING`] formatting elements are open at once. Scripts, styles, comments and other elements without visible text are removed
//! too, which makes the tree smaller. All limits are in bytes and nodes, never in time, so that results are reproducible.

use html5gum::emitters::default::{DefaultEmitter, StartTag};
use html5gum::{Token, Tokenizer};

use super::html::{ends_line, is_hidden};

/// Longer documents get no tree.
pub const MAX_BYTES: usize = 8 << 20;
/// Documents with more tags, text pieces and escaped characters get no tree (a million `&amp;` take an extractor 8 s).
pub const MAX_NODES: usize = 200_000;
/// Tags nested deeper are dropped.
pub const MAX_DEPTH: usize = 512;
/// Attributes kept per tag.
const MAX_ATTRIBUTES: usize = 32;
/// Bytes kept per attribute value.
const MAX_VALUE: usize = 1024;
/// Formatting elements that may be open at once.
const MAX_FORMATTING: usize = 16;
/// With how many open elements an end tag is compared.
const LOOK_UP: usize = 64;

/// The rewritten document; `None` if it exceeds a limit.
pub fn tame(html: &str) -> Option<String> {
    if html.len() > MAX_BYTES {
        return None;
    }
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut writer = Writer::new(html.len());
    for token in Tokenizer::new_with_emitter(html, emitter) {
        let Ok(token) = token;
        writer.nodes += 1;
        match token {
            Token::StartTag(tag) => writer.start(&tag),
            Token::EndTag(tag) => writer.end(&tag.name),
            Token::String(text) => writer.text(&text),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
        if writer.nodes > MAX_NODES {
            return None;
        }
    }
    Some(String::from_utf8(writer.out).unwrap_or_else(|e| {
        // html5gum's pieces may be cut inside a character, but they come in order.
        String::from_utf8_lossy(e.as_bytes()).into_owned()
    }))
}

struct Open {
    name: Vec<u8>,
    /// False if its tags are left out.
    written: bool,
    formatting: bool,
}

struct Writer {
    out: Vec<u8>,
    nodes: usize,
    open: Vec<Open>,
    formatting: usize,
    /// The open hidden element, and how many elements of that name are open inside it.
    hidden: Option<(Vec<u8>, usize)>,
}

impl Writer {
    fn new(capacity: usize) -> Writer {
        Writer {
            out: Vec::with_capacity(capacity / 2),
            nodes: 0,
            open: Vec::new(),
            formatting: 0,
            hidden: None,
        }
    }

    fn start(&mut self, tag: &StartTag<()>) {
        let name: &[u8] = &tag.name;
        if let Some((hidden, depth)) = &mut self.hidden {
            *depth += usize::from(*hidden == name);
            return;
        }
        if is_hidden(name) {
            self.hidden = Some((name.to_vec(), 0));
            return;
        }
        if is_void(name) {
            self.write_start(tag);
            return;
        }
        // Ends elements whose end tag may be omitted; otherwise a page of many `<p>` would seem deep.
        while self.open.last().is_some_and(|top| closes(name, &top.name)) {
            self.pop();
        }
        let formatting = is_formatting(name);
        let written =
            self.open.len() < MAX_DEPTH && !(formatting && self.formatting >= MAX_FORMATTING);
        if written {
            self.write_start(tag);
        }
        self.formatting += usize::from(formatting && written);
        self.open.push(Open {
            name: name.to_vec(),
            written,
            formatting,
        });
    }

    fn pop(&mut self) -> Option<Open> {
        let top = self.open.pop()?;
        self.formatting -= usize::from(top.formatting && top.written);
        Some(top)
    }

    fn end(&mut self, name: &[u8]) {
        if let Some((hidden, depth)) = &mut self.hidden {
            if *hidden == name {
                match depth.checked_sub(1) {
                    Some(less) => *depth = less,
                    None => self.hidden = None,
                }
            }
            return;
        }
        let near = self.open.len().saturating_sub(LOOK_UP);
        let Some(at) = self.open[near..].iter().rposition(|open| open.name == name) else {
            return;
        };
        let written = self.open[near + at].written;
        while self.open.len() > near + at {
            self.pop();
        }
        if written {
            self.out.extend_from_slice(b"</");
            self.out.extend_from_slice(name);
            self.out.push(b'>');
        }
    }

    fn write_start(&mut self, tag: &StartTag<()>) {
        self.out.push(b'<');
        self.out.extend_from_slice(&tag.name);
        for (name, value) in tag.attributes.iter().take(MAX_ATTRIBUTES) {
            if name.len() > MAX_VALUE {
                continue;
            }
            self.out.push(b' ');
            self.out.extend_from_slice(name);
            self.out.extend_from_slice(b"=\"");
            // A cut inside a character is repaired with the whole text.
            self.nodes += escape(&value[..value.len().min(MAX_VALUE)], &mut self.out);
            self.out.push(b'"');
        }
        self.out.push(b'>');
    }

    fn text(&mut self, text: &[u8]) {
        if self.hidden.is_none() {
            self.nodes += escape(text, &mut self.out);
        }
    }
}

/// Appends text escaped for HTML; returns how many characters were escaped.
fn escape(text: &[u8], out: &mut Vec<u8>) -> usize {
    let (mut rest, mut escaped) = (text, 0);
    while let Some(at) = rest
        .iter()
        .position(|b| matches!(b, b'&' | b'<' | b'"' | b'\0'))
    {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(match rest[at] {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'"' => b"&quot;",
            _ => b" ",
        });
        rest = &rest[at + 1..];
        escaped += 1;
    }
    out.extend_from_slice(rest);
    escaped
}

fn is_void(name: &[u8]) -> bool {
    matches!(
        name,
        b"area"
            | b"base"
            | b"br"
            | b"col"
            | b"embed"
            | b"hr"
            | b"img"
            | b"input"
            | b"link"
            | b"meta"
            | b"param"
            | b"source"
            | b"track"
            | b"wbr"
    )
}

/// Whether this start tag ends the open element `top`.
fn closes(name: &[u8], top: &[u8]) -> bool {
    match top {
        b"p" => ends_line(name),
        b"li" => name == b"li",
        b"dt" | b"dd" => matches!(name, b"dt" | b"dd"),
        b"td" | b"th" => matches!(name, b"td" | b"th" | b"tr" | b"tbody" | b"thead" | b"tfoot"),
        b"tr" => matches!(name, b"tr" | b"tbody" | b"thead" | b"tfoot"),
        b"tbody" | b"thead" | b"tfoot" => matches!(name, b"tbody" | b"thead" | b"tfoot"),
        b"a" => name == b"a",
        _ => false,
    }
}

/// Elements that html5ever reopens in every following block if they were not closed.
fn is_formatting(name: &[u8]) -> bool {
    matches!(
        name,
        b"a" | b"b"
            | b"big"
            | b"code"
            | b"em"
            | b"font"
            | b"i"
            | b"nobr"
            | b"s"
            | b"small"
            | b"strike"
            | b"strong"
            | b"tt"
            | b"u"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_pages_stay_what_they_are() {
        let html = "<html><body><p class=\"a&amp;b\">x &lt; y<p>z<br><script>if (a<b)</script><!-- c --><i>w</i></body>";
        assert_eq!(
            tame(html).as_deref(),
            Some("<html><body><p class=\"a&amp;b\">x &lt; y<p>z<br><i>w</i></body>")
        );
    }

    #[test]
    fn depth_is_capped_and_text_stays() {
        let html = "<div>".repeat(20_000) + "deep" + &"</div>".repeat(20_000) + "<p>after</p>";
        let tamed = tame(&html).unwrap_or_default();
        assert_eq!(tamed.matches("<div>").count(), MAX_DEPTH);
        assert_eq!(tamed.matches("</div>").count(), MAX_DEPTH);
        assert!(tamed.contains("deep") && tamed.ends_with("<p>after</p>"));
        // Many elements without end tags do not count as deep.
        let list = "<ul>".to_owned() + &"<li>x".repeat(2_000);
        assert_eq!(tame(&list).unwrap_or_default(), list);
    }

    #[test]
    fn attributes_and_open_formatting_are_capped() {
        let attributes: String = (0..20_000).map(|i| format!(" a{i}='v'")).collect();
        let tamed = tame(&format!("<p{attributes}>x")).unwrap_or_default();
        assert_eq!(tamed.matches("=\"v\"").count(), MAX_ATTRIBUTES);
        let fonts: String = (0..5_000).map(|i| format!("<font size={i}>x<p>")).collect();
        assert_eq!(
            tame(&fonts).unwrap_or_default().matches("<font").count(),
            MAX_FORMATTING
        );
    }

    #[test]
    fn budgets() {
        assert_eq!(tame(&"x".repeat(MAX_BYTES + 1)), None);
        assert_eq!(tame(&"<p>".repeat(MAX_NODES + 1)), None);
        assert_eq!(tame(&"&".repeat(MAX_NODES + 1)), None);
    }
}
