//! HTML to visible text, one line per block.
//!
//! A tokenizer is enough for this, and unlike a tree it takes linear time however deeply tags nest. Block elements
//! and `<br>` end a line, inline elements end nothing. Left out is what a browser does not show (scripts, styles,
//! comments, `noscript`, `template`, frames) and what is shown but is not the page's text (the choices of `select`
//! and `datalist`, what `textarea` holds). Elements hidden by CSS or the `hidden` attribute stay.

use std::convert::Infallible;

use html5gum::{Emitter, Error, State, Tokenizer};

use super::Meta;
use super::block::Blocks;
use super::meta::{Attributes, MetaFinder};

/// The visible text of an HTML document, what its head says of it, and how many characters of the text (white space
/// left out) stand in blocks of which at least half is links: menus, lists of other articles.
pub fn visible_text(html: &str) -> (String, Meta, u64) {
    let mut sink = Sink::new(html.len());
    // The sink makes no tokens, so the first call reads to the end.
    let end = Tokenizer::new_with_emitter(html, &mut sink).next();
    debug_assert!(end.is_none());
    let (text, link_chars) = sink.blocks.finish();
    (text, sink.meta.finish(), link_chars)
}

/// Elements whose content is no visible text.
pub(super) fn is_hidden(name: &[u8]) -> bool {
    role(name) == Role::Hidden
}

/// Elements that end the line before them and after them.
pub(super) fn ends_line(name: &[u8]) -> bool {
    matches!(role(name), Role::Block | Role::Pre) && name != b"br"
}

/// Elements that have no content.
pub(super) fn is_void(name: &[u8]) -> bool {
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

/// What a tag means for the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Inline: the words around it may be one word.
    Inline,
    /// Ends the line before it and after it.
    Block,
    /// A block whose line ends are kept.
    Pre,
    /// Content that is no visible text.
    Hidden,
    /// The title: hidden, but remembered.
    Title,
    /// Has attributes that are wanted.
    Meta,
    /// A link or an anchor.
    Link,
}

fn role(name: &[u8]) -> Role {
    match name {
        b"pre" | b"listing" | b"xmp" | b"plaintext" => Role::Pre,
        b"title" => Role::Title,
        b"a" => Role::Link,
        b"meta" | b"link" | b"html" | b"time" => Role::Meta,
        b"script" | b"style" | b"noscript" | b"template" | b"iframe" | b"noembed" | b"noframes"
        | b"select" | b"datalist" | b"textarea" => Role::Hidden,
        b"address" | b"article" | b"aside" | b"blockquote" | b"body" | b"br" | b"button"
        | b"caption" | b"center" | b"dd" | b"details" | b"dialog" | b"dir" | b"div" | b"dl"
        | b"dt" | b"fieldset" | b"figcaption" | b"figure" | b"footer" | b"form" | b"frameset"
        | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"head" | b"header" | b"hgroup"
        | b"hr" | b"legend" | b"li" | b"main" | b"menu" | b"nav" | b"ol" | b"optgroup"
        | b"option" | b"p" | b"search" | b"section" | b"summary" | b"table" | b"tbody" | b"td"
        | b"tfoot" | b"th" | b"thead" | b"tr" | b"ul" => Role::Block,
        _ => Role::Inline,
    }
}

/// The state in which the tokenizer reads on after a start tag: some elements hold no tags.
fn content_state(name: &[u8]) -> Option<State> {
    match name {
        b"textarea" | b"title" => Some(State::RcData),
        b"plaintext" => Some(State::PlainText),
        b"script" => Some(State::ScriptData),
        b"style" | b"iframe" | b"xmp" | b"noembed" | b"noframes" | b"noscript" => {
            Some(State::RawText)
        }
        _ => None,
    }
}

/// Takes the tokenizer's pieces and builds the text, without making tokens in between.
struct Sink {
    blocks: Blocks,
    meta: MetaFinder,
    /// The name of the tag being read.
    name: Vec<u8>,
    is_end: bool,
    self_closing: bool,
    role: Role,
    attributes: Attributes,
    /// The last start tag, which the tokenizer needs to find the end of raw text.
    last_start: Vec<u8>,
    /// The hidden element that is open, and how many of the same name are open inside it.
    hidden: Option<(Vec<u8>, usize)>,
    /// Depth of `pre`.
    pre: usize,
}

impl Sink {
    fn new(capacity: usize) -> Sink {
        Sink {
            blocks: Blocks::with_capacity(capacity / 4),
            meta: MetaFinder::default(),
            name: Vec::new(),
            is_end: false,
            self_closing: false,
            role: Role::Inline,
            attributes: Attributes::default(),
            last_start: Vec::new(),
            hidden: None,
            pre: 0,
        }
    }

    fn open(&mut self, is_end: bool) {
        self.name.clear();
        self.is_end = is_end;
        self.self_closing = false;
        self.attributes.clear();
        self.role = Role::Inline;
    }

    /// Attributes are read only where they can matter: pages carry megabytes of them.
    fn wants_attributes(&self) -> bool {
        !self.is_end && role(&self.name) == Role::Meta
    }

    fn start_tag(&mut self) {
        if let Some((hidden, depth)) = &mut self.hidden {
            *depth += usize::from(*hidden == self.name);
            return;
        }
        match self.role {
            Role::Inline => {}
            Role::Block => self.blocks.end_block(),
            Role::Pre => {
                self.blocks.end_block();
                self.pre += 1;
                self.blocks.keep_lines(true);
            }
            Role::Hidden | Role::Title => {
                if self.role == Role::Title {
                    self.meta.begin_title();
                }
                self.hidden = Some((self.name.clone(), 0));
            }
            Role::Meta => self.meta.tag(&self.name, &self.attributes),
            Role::Link => self.blocks.linked(true),
        }
    }

    fn end_tag(&mut self) {
        if let Some((hidden, depth)) = &mut self.hidden {
            if *hidden == self.name {
                if *depth == 0 {
                    self.hidden = None;
                    self.meta.end_title();
                } else {
                    *depth -= 1;
                }
            }
            return;
        }
        match self.role {
            Role::Link => self.blocks.linked(false),
            // The end of a block ends a link that nobody closed, such as an old-fashioned anchor.
            Role::Block => {
                self.blocks.end_block();
                self.blocks.linked(false);
            }
            Role::Pre => {
                self.blocks.end_block();
                self.blocks.linked(false);
                self.pre = self.pre.saturating_sub(1);
                self.blocks.keep_lines(self.pre > 0);
            }
            Role::Inline | Role::Hidden | Role::Title | Role::Meta => {}
        }
    }
}

impl Emitter for &mut Sink {
    type Token = Infallible;

    fn set_last_start_tag(&mut self, name: Option<&[u8]>) {
        self.last_start.clear();
        self.last_start.extend_from_slice(name.unwrap_or_default());
    }

    fn emit_eof(&mut self) {}

    fn emit_error(&mut self, _: Error) {}

    #[inline]
    fn should_emit_errors(&mut self) -> bool {
        false
    }

    #[inline]
    fn pop_token(&mut self) -> Option<Infallible> {
        None
    }

    fn emit_string(&mut self, text: &[u8]) {
        if self.hidden.is_none() {
            self.blocks.push(text);
        } else {
            self.meta.title_text(text);
        }
    }

    fn init_start_tag(&mut self) {
        self.open(false);
    }

    fn init_end_tag(&mut self) {
        self.open(true);
    }

    fn init_comment(&mut self) {}

    fn emit_current_tag(&mut self) -> Option<State> {
        self.role = role(&self.name);
        if self.is_end {
            self.end_tag();
            return None;
        }
        self.start_tag();
        let sink = &mut **self;
        sink.last_start.clear();
        sink.last_start.extend_from_slice(&sink.name);
        content_state(&self.name)
    }

    fn emit_current_comment(&mut self) {}

    fn emit_current_doctype(&mut self) {}

    fn set_self_closing(&mut self) {
        self.self_closing = true;
    }

    fn set_force_quirks(&mut self) {}

    fn push_tag_name(&mut self, name: &[u8]) {
        self.name.extend_from_slice(name);
    }

    fn push_comment(&mut self, _: &[u8]) {}

    fn push_doctype_name(&mut self, _: &[u8]) {}

    fn init_doctype(&mut self) {}

    fn init_attribute(&mut self) {
        let wanted = self.wants_attributes();
        self.attributes.begin(wanted);
    }

    fn push_attribute_name(&mut self, name: &[u8]) {
        self.attributes.push_name(name);
    }

    fn push_attribute_value(&mut self, value: &[u8]) {
        self.attributes.push_value(value);
    }

    fn set_doctype_public_identifier(&mut self, _: &[u8]) {}

    fn set_doctype_system_identifier(&mut self, _: &[u8]) {}

    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}

    fn push_doctype_system_identifier(&mut self, _: &[u8]) {}

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.is_end && !self.name.is_empty() && self.name == self.last_start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visible(html: &str) -> String {
        visible_text(html).0
    }

    #[test]
    fn blocks_of_links_are_counted() {
        let chars = |html: &str| visible_text(html).2;
        assert_eq!(
            chars("<ul><li><a href=x>首页</a><li>| <a>新 闻</a></ul><p>正文<a>甲</a>乙。"),
            5
        );
        // At least half of the block: 2 of 4 is, 2 of 5 is not.
        assert_eq!(chars("<p>ab<a>cd</a><p>abc<a>de</a>"), 4);
        // An anchor that nobody closes ends with its block.
        assert_eq!(chars("<p><a name=top>ab</p><p>cdef</p>"), 2);
        assert_eq!(chars("<a name=top><p>ab</p><p>cdef</p>"), 2);
    }

    #[test]
    fn blocks_break_lines_and_inline_elements_do_not() {
        assert_eq!(visible("<p>one<p>two</p>three"), "one\ntwo\nthree");
        assert_eq!(visible("a<b>b</b><span>c</span> <i> d</i>"), "abc d");
        assert_eq!(visible("<ul><li>x<li>y</ul>z<br>w<br/>v"), "x\ny\nz\nw\nv");
        assert_eq!(
            visible("<table><tr><td>1<td>2<tr><th>3</table>4"),
            "1\n2\n3\n4"
        );
        assert_eq!(visible("<DIV>A</DIV>B<HR>C"), "A\nB\nC");
    }

    #[test]
    fn what_is_not_shown_is_left_out() {
        let html = "<head><title>T</title><style>p{}</style></head><body>a<script>if (1<2) '</p>'</script>b<!-- c -->d\
                    <noscript><p>e</p></noscript>f<template><p>g<template>h</template>i</p></template>j\
                    <iframe><p>k</p></iframe>l<textarea>m</textarea>n<select><option>o<option>p</select>q";
        assert_eq!(visible(html), "abdfjlnq");
        assert_eq!(
            visible("<button>Buy</button><button>Sell</button>"),
            "Buy\nSell"
        );
    }

    #[test]
    fn white_space_collapses_and_empty_blocks_vanish() {
        assert_eq!(
            visible("<p> \n <p>a \t\n b&nbsp;&nbsp; c<p>\u{3000}\u{3000}d<p>&nbsp;</p>"),
            "a b c\nd"
        );
        assert_eq!(visible("x <!-- --> y&gt;&nbsp;</p>"), "x y>");
        assert_eq!(visible("<pre>a  b\n\n  c</pre>d\ne"), "a b\nc\nd e");
    }

    #[test]
    fn entities_are_decoded() {
        assert_eq!(
            visible("&lt;b&gt; &amp;amp; &eacute;&#20013;&#x6587;&notin; &copy &nosuch;"),
            "<b> &amp; é中文∉ © &nosuch;"
        );
    }

    #[test]
    fn metadata_is_found() {
        let (_, meta, _) = visible_text(
            "<html lang='zh-CN'><head><meta property=og:url content='http://b/'><title> A \n &amp; B </title>\
             <link rel='Canonical' href=http://a/><meta name=date content=2001><time datetime=2003></time>\
             <meta property='article:published_time' content='2002-02-02'><svg><title>no</title></svg>",
        );
        assert_eq!(meta.title.as_deref(), Some("A & B"));
        assert_eq!(meta.canonical.as_deref(), Some("http://a/"));
        assert_eq!(meta.lang.as_deref(), Some("zh-CN"));
        assert_eq!(meta.date.as_deref(), Some("2002-02-02"));
    }

    #[test]
    fn monstrous_pages_take_linear_time() {
        let lists = "<ul><li>x".repeat(20_000);
        assert_eq!(visible(&lists).lines().count(), 20_000);
        let comment = format!("a<!--{}", "<p>-".repeat(250_000));
        assert_eq!(visible(&comment), "a");
        let attributes: String = (0..20_000).map(|i| format!(" a{i}='v'")).collect();
        assert_eq!(
            visible(&format!("<html{attributes}>a<meta{attributes}>b")),
            "ab"
        );
        let hidden = "<template>".repeat(20_000) + "x";
        assert_eq!(visible(&hidden), "");
        assert_eq!(visible(&"<".repeat(200_000)).len(), 200_000);
        assert_eq!(visible(&"&".repeat(200_000)).len(), 200_000);
        assert_eq!(visible(&"</p".repeat(100_000)), "");
    }
}
