//! HTML to visible text, one line per block.
//!
//! A tokenizer is enough and, unlike a tree, takes linear time at any nesting depth. Block elements and `<br>` end a line, inline elements
//! do not. Two kinds of elements are left out: those that a browser does not show (scripts, styles, comments, `template`, frames, and
//! `noscript` unless it has most of the text), and those that are not the page's text (choices of `select` and `datalist`, content of
//! `textarea`, annotations of `ruby`).
//! Block elements with the attribute `hidden` or with `display: none` in their own style are left out if anything else remains, unless they
//! follow the heading or button that opens them; text hidden by style sheets and scripts stays. In XHTML, recognised by its first line or root element, a tag that ends in `/>` is an empty element.

use std::convert::Infallible;

use html5gum::{Emitter, Error, State, Tokenizer};

use super::block::Blocks;
use super::hints::hint_of;
use super::meta::{Attributes, MetaFinder, PageMeta, WantedAttributes};
use super::outline::{BlockKind, Outline};

/// Minimum bytes of a text in `noscript`. A request to switch scripts on is shorter.
const NO_SCRIPT: usize = 500;

/// The visible text of an HTML document, the metadata in its head, and its outline. If `noscript` has more text than all else, and more
/// than a notice has, the page's text is what a browser without scripts shows.
pub fn visible_text(html: &str) -> (String, PageMeta, Outline) {
    let usual = visible_with(html, true);
    let least = NO_SCRIPT.max(2 * usual.text.len());
    if usual.no_script_bytes < least {
        return (usual.text, usual.meta, usual.outline);
    }
    let without = visible_with(html, false);
    // Most of the bytes may have been tags: pictures that are loaded late, say.
    let chosen = match without.text.len().saturating_sub(usual.text.len()) >= least {
        true => without,
        false => usual,
    };
    (chosen.text, chosen.meta, chosen.outline)
}

struct Visible {
    text: String,
    meta: PageMeta,
    outline: Outline,
    /// The bytes in `noscript`, tags included; 0 if they are text.
    no_script_bytes: usize,
}

/// What a browser that runs scripts shows, or one that does not.
fn visible_with(html: &str, scripts: bool) -> Visible {
    let mut sink = Sink::new(html.len());
    sink.is_xml = html.trim_start().starts_with("<?xml");
    sink.scripts = scripts;
    // The sink makes no tokens, so the first call reads to the end.
    let end = Tokenizer::new_with_emitter(html, &mut sink).next();
    debug_assert!(end.is_none());
    let (text, facts) = sink.blocks.finish();
    sink.outline.facts = facts;
    Visible {
        text: sink.outline.leave_out_unshown(text),
        meta: sink.meta.finish(),
        outline: sink.outline,
        no_script_bytes: sink.no_script_bytes,
    }
}

/// Elements without visible text.
#[cfg(any(feature = "precise", fuzzing))]
pub(super) fn is_hidden(name: &[u8]) -> bool {
    matches!(role(name), Role::Hidden | Role::Template)
}

/// Elements that end the lines before and after them.
#[cfg(any(feature = "precise", fuzzing))]
pub(super) fn ends_line(name: &[u8]) -> bool {
    matches!(role(name), Role::Block(_) | Role::Pre) || name == b"hr"
}

/// What a tag means for the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Inline: the words around it may be one word.
    Inline,
    /// Ends the lines before and after it.
    Block(BlockKind),
    /// Ends the line and holds nothing.
    Break,
    /// A block whose line ends are kept.
    Pre,
    /// Content that is no visible text.
    Hidden,
    /// The title: hidden, but remembered.
    Title,
    /// Its attributes are wanted.
    Meta,
    /// The root, which may say that the document is XHTML.
    Root,
    /// Hidden, unless it is an element's content (declarative shadow DOM).
    Template,
    /// An annotation of `ruby`; its end tag may be missing.
    Annotation,
    /// The annotated text, which ends an annotation.
    Annotated,
    /// A link or an anchor.
    Link,
}

fn role(name: &[u8]) -> Role {
    match name {
        b"pre" | b"listing" | b"xmp" | b"plaintext" => Role::Pre,
        b"title" => Role::Title,
        b"a" => Role::Link,
        b"meta" | b"link" | b"time" => Role::Meta,
        b"html" => Role::Root,
        b"template" => Role::Template,
        b"rt" | b"rp" | b"rtc" => Role::Annotation,
        b"ruby" | b"rb" => Role::Annotated,
        b"script" | b"style" | b"noscript" | b"iframe" | b"noembed" | b"noframes" | b"select"
        | b"datalist" | b"textarea" => Role::Hidden,
        b"br" | b"hr" => Role::Break,
        _ => match kind(name) {
            Some(kind) => Role::Block(kind),
            None => Role::Inline,
        },
    }
}

fn kind(name: &[u8]) -> Option<BlockKind> {
    Some(match name {
        b"article" => BlockKind::Article,
        b"aside" => BlockKind::Aside,
        b"body" => BlockKind::Body,
        b"button" => BlockKind::Button,
        b"dd" | b"dt" => BlockKind::Definition,
        b"dialog" => BlockKind::Dialog,
        b"dir" | b"dl" | b"menu" | b"ol" | b"ul" => BlockKind::List,
        b"div" => BlockKind::Div,
        b"fieldset" => BlockKind::Fieldset,
        b"figure" => BlockKind::Figure,
        b"footer" => BlockKind::Footer,
        b"form" => BlockKind::Form,
        b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => BlockKind::Heading,
        b"head" => BlockKind::Head,
        b"header" => BlockKind::Header,
        b"li" => BlockKind::Item,
        b"main" => BlockKind::Main,
        b"nav" => BlockKind::Nav,
        b"p" => BlockKind::Paragraph,
        b"blockquote" => BlockKind::Quote,
        b"search" => BlockKind::Search,
        b"section" => BlockKind::Section,
        b"table" => BlockKind::Table,
        b"tbody" | b"tfoot" | b"thead" => BlockKind::Rows,
        b"td" | b"th" => BlockKind::Cell,
        b"tr" => BlockKind::Row,
        b"address" | b"caption" | b"center" | b"details" | b"figcaption" | b"frameset"
        | b"hgroup" | b"legend" | b"optgroup" | b"option" | b"summary" => BlockKind::Other,
        _ => return None,
    })
}

/// The tokenizer's state after a start tag: some elements contain no tags.
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

/// Builds the text directly from the tokenizer's pieces, without making tokens.
struct Sink {
    blocks: Blocks,
    meta: MetaFinder,
    /// The name of the current tag, and its role once known.
    name: Vec<u8>,
    role: Option<Role>,
    is_end: bool,
    /// Whether the tag ends in `/>`, and whether that has a meaning.
    is_self_closing: bool,
    is_xml: bool,
    attributes: Attributes,
    /// The last start tag, by which the tokenizer finds the end of raw text.
    last_start: Vec<u8>,
    /// The open hidden element, and how many elements of that name are open inside it.
    hidden: Option<(Vec<u8>, usize)>,
    annotation: bool,
    pre: usize,
    outline: Outline,
    /// How many elements were open where the open link began, if one is open.
    link: Option<usize>,
    /// Whether scripts run, so that `noscript` is not shown.
    scripts: bool,
    no_script_bytes: usize,
}

impl Sink {
    fn new(capacity: usize) -> Sink {
        Sink {
            blocks: Blocks::with_capacity(capacity / 4),
            meta: MetaFinder::default(),
            name: Vec::new(),
            role: None,
            is_end: false,
            is_self_closing: false,
            is_xml: false,
            attributes: Attributes::default(),
            last_start: Vec::new(),
            hidden: None,
            annotation: false,
            pre: 0,
            outline: Outline::new(),
            link: None,
            scripts: true,
            no_script_bytes: 0,
        }
    }

    fn open(&mut self, is_end: bool) {
        self.name.clear();
        self.role = None;
        self.is_end = is_end;
        self.is_self_closing = false;
        self.attributes.clear();
    }

    fn role(&mut self) -> Role {
        let shows_no_script = !self.scripts;
        *self.role.get_or_insert_with(|| match &*self.name {
            b"noscript" if shows_no_script => Role::Block(BlockKind::Other),
            name => role(name),
        })
    }

    /// Attributes are read only where they matter: pages carry megabytes of them.
    fn wanted(&mut self) -> WantedAttributes {
        if self.is_end || self.hidden.is_some() {
            return WantedAttributes::None;
        }
        match self.role() {
            Role::Meta | Role::Root | Role::Template => WantedAttributes::All,
            Role::Block(_) | Role::Pre => WantedAttributes::Names,
            Role::Link => WantedAttributes::Target,
            Role::Inline | Role::Break | Role::Hidden | Role::Title => WantedAttributes::None,
            Role::Annotation | Role::Annotated => WantedAttributes::None,
        }
    }

    fn start_block(&mut self, kind: BlockKind) {
        self.blocks.end_block();
        let is_unshown = self.attributes.is_unshown();
        let hint = hint_of(self.attributes.names());
        self.outline.start(kind, hint, is_unshown);
        self.blocks.enter(self.outline.innermost());
    }

    fn end_block(&mut self, kind: BlockKind) {
        self.blocks.end_block();
        self.outline.end(kind);
        self.blocks.enter(self.outline.innermost());
        // An unclosed link ends with the element that contains it.
        if self.link.is_some_and(|depth| self.outline.depth() < depth) {
            self.link(false);
        }
    }

    /// Sets whether a link follows; links may contain blocks.
    fn link(&mut self, linked: bool) {
        self.blocks.linked(linked);
        self.link = linked.then(|| self.outline.depth());
    }

    fn start_tag(&mut self) {
        if let Some((hidden, depth)) = &mut self.hidden {
            *depth += usize::from(*hidden == self.name);
            return;
        }
        let role = self.role();
        self.annotation = match role {
            Role::Annotation => true,
            // A block ends unclosed annotations.
            Role::Annotated | Role::Block(_) | Role::Pre => false,
            _ => self.annotation,
        };
        match role {
            Role::Inline | Role::Annotation | Role::Annotated => {}
            Role::Break => self.blocks.end_block(),
            Role::Block(kind) => self.start_block(kind),
            Role::Pre => {
                self.start_block(BlockKind::Pre);
                self.pre += 1;
                self.blocks.keep_lines(true);
            }
            Role::Template if self.attributes.has(b"shadowrootmode") => {}
            Role::Hidden | Role::Title | Role::Template => {
                if role == Role::Title {
                    self.meta.begin_title();
                }
                self.hidden = Some((self.name.clone(), 0));
            }
            Role::Meta | Role::Root => {
                self.is_xml |= role == Role::Root && self.attributes.is_xhtml();
                self.meta.tag(&self.name, &self.attributes);
            }
            Role::Link => self.link(self.attributes.has_target()),
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
        let role = self.role();
        if !matches!(role, Role::Inline | Role::Link) {
            self.annotation = false;
        }
        match role {
            Role::Link => self.link(false),
            Role::Break => self.blocks.end_block(),
            Role::Block(kind) => self.end_block(kind),
            Role::Pre => {
                self.end_block(BlockKind::Pre);
                self.pre = self.pre.saturating_sub(1);
                self.blocks.keep_lines(self.pre > 0);
            }
            Role::Inline | Role::Hidden | Role::Title | Role::Meta | Role::Root => {}
            Role::Template | Role::Annotation | Role::Annotated => {}
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
            if !self.annotation {
                self.blocks.push_bytes(text);
            }
        } else {
            self.meta.title_text(text);
            if matches!(&self.hidden, Some((name, _)) if name == b"noscript") {
                self.no_script_bytes += text.len();
            }
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
        if self.is_end {
            self.end_tag();
            return None;
        }
        self.start_tag();
        if self.is_xml && self.is_self_closing {
            self.end_tag();
            return None;
        }
        let sink = &mut **self;
        sink.last_start.clear();
        sink.last_start.extend_from_slice(&sink.name);
        match &*self.name {
            b"noscript" if !self.scripts => None,
            name => content_state(name),
        }
    }

    fn emit_current_comment(&mut self) {}

    fn emit_current_doctype(&mut self) {}

    fn set_self_closing(&mut self) {
        self.is_self_closing = true;
    }

    fn set_force_quirks(&mut self) {}

    fn push_tag_name(&mut self, name: &[u8]) {
        self.name.extend_from_slice(name);
    }

    fn push_comment(&mut self, _: &[u8]) {}

    fn push_doctype_name(&mut self, _: &[u8]) {}

    fn init_doctype(&mut self) {}

    fn init_attribute(&mut self) {
        let wanted = self.wanted();
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
    fn the_numbers_of_lines_are_no_text() {
        let code = ["let a = 1;", "7", "a + 2", "}", "// end"];
        let expected = code.join("\n");
        let rows = |first: usize, cell: &str| -> String {
            let row = |(line, number): (&&str, usize)| {
                format!("<tr><td{cell}>{number}</td><td>{line}</td></tr>")
            };
            code.iter().zip(first..).map(row).collect()
        };
        let numbers = "1\n2\n3\n4\n5";
        for page in [
            // A row for each line; with a class from any number on.
            format!("<table>{}</table>", rows(1, "")),
            format!("<table>{}</table>", rows(99, " class=lineno")),
            format!("<table>{}</table>", rows(1, "").replace("td", "th")),
            // A cell for all numbers.
            format!("<table><tr><td><pre>{numbers}</pre><td><pre>{expected}</pre></table>"),
            format!(
                "<table><tr><td class=linenos><div><pre>{}</pre></div><td><pre>{expected}</pre></table>",
                numbers.replace('1', "0")
            ),
        ] {
            assert_eq!(visible(&page), expected, "{page}");
        }
        // Tables of numbers.
        for page in [
            format!("<table>{}</table>", rows(2015, "")),
            format!(
                "<table>{}</table>",
                rows(1, "").replace("<td>", "<td>x<td>")
            ),
            "<table><tr><td>1<td>good<tr><td>2<td>fair<tr><td>3<td>bad</table>".to_owned(),
            "<table><tr><td>1<td>2<tr><td>3<td>4<tr><td>5<td>6<tr><td>7<td>8</table>".to_owned(),
        ] {
            let cells = page.matches("<td>").count();
            assert_eq!(visible(&page).lines().count(), cells, "{page}");
        }
        assert_eq!(visible("<table><tr><td class=lineno>1</table>"), "1");
    }

    #[test]
    fn blocks_of_links_are_counted() {
        let chars = |html: &str| visible_text(html).2.facts.link_chars;
        assert_eq!(
            chars(
                "<ul><li><a href=x>首页</a><li>| <a href=y>新 闻</a></ul><p>正文<a href=z>甲</a>乙。"
            ),
            5
        );
        // At least half of the block: 2 of 4 is, 2 of 5 is not.
        assert_eq!(chars("<p>ab<a href=x>cd</a><p>abc<a href=x>de</a>"), 4);
        // An anchor is not a link, and an unclosed link ends with its element.
        assert_eq!(chars("<p><a name=top>ab</p><p>cdef</p>"), 0);
        assert_eq!(chars("<a name=top><p>ab</p><p>cdef</p>"), 0);
        assert_eq!(
            chars("<p><a class=b href=x id=c>ab</p><p>cdef</p><a href>g"),
            3
        );
        // A link may hold blocks.
        assert_eq!(chars("<a href=x><h3>ab</h3><p>cd</p></a><p>ef"), 4);
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
    fn an_article_in_noscript_is_the_text_and_a_notice_is_not() {
        let notice =
            "Please switch on JavaScript in your browser, or use another one, to read this page.";
        let page = |inside: &str| format!("<p>{notice}<noscript>{inside}</noscript><p>end");
        let prose = "<p>The ferry leaves when the fog has lifted.</p>".repeat(20);
        let text = visible(&page(&prose));
        assert!(text.starts_with(notice) && text.ends_with("end"), "{text}");
        assert_eq!(text.lines().count(), 22);
        for inside in [notice.repeat(4), "<img src='pixel.png'>".repeat(99)] {
            assert_eq!(visible(&page(&inside)), format!("{notice}\nend"));
        }
        let shell = "<div id=root></div><noscript>You need to enable JavaScript to run this app.</noscript>";
        assert_eq!(visible(shell), "");
    }

    #[test]
    fn hidden_blocks_are_left_out_if_anything_is_shown() {
        assert_eq!(
            visible("<p>a<div hidden>b<p>c</div><div style='color: red; DISPLAY : none'>d</div>e"),
            "a\ne"
        );
        assert_eq!(
            visible("<p>a<div hidden=''>b</div><div hidden=until-found>c</div>"),
            "a\nc"
        );
        assert_eq!(
            visible("<p>a<div style='display:none !important'><ul><li>b</ul></div>c"),
            "a\nc"
        );
        assert_eq!(
            visible("<p>a<div style='display:nonesuch' class=hidden>b</div>"),
            "a\nb"
        );
        // A surplus end tag ends nothing; inline elements stay.
        assert_eq!(
            visible("<p>a<div hidden>b</section>c</div>d<b hidden>e</b>"),
            "a\nde"
        );
        // A page that is shown by a script.
        assert_eq!(
            visible("<body><div style='display:none'>a<p>b</div>"),
            "a\nb"
        );
        let links = "<p>ab<div hidden><a href=x>cd</a></div><p><a href=x>e</a>";
        assert_eq!(visible_text(links).2.facts.link_chars, 1);
    }

    #[test]
    fn panels_behind_their_heading_or_button_are_text() {
        for html in [
            "<h3>a</h3><div hidden><p>b</div>",
            "<div><button>a</button></div><div style='display:none'>b</div>",
            "<dl><dt>a<dd hidden>b</dl>",
            "<div><h3><a href=#x>a</a></h3><section id=x hidden>b</section></div>",
        ] {
            assert_eq!(visible(html), "a\nb", "{html}");
        }
        for html in [
            // Another language, a menu, a template.
            "<div><h1>a</h1><p>a</p></div><div lang=fr hidden><h1>b</h1></div>",
            "<p>a<p>a<button>a</button><ul hidden><li>b</ul>",
            "<h3>a</h3><p>a</p><div hidden>b</div>",
        ] {
            assert!(!visible(html).contains('b'), "{html}");
        }
    }

    #[test]
    fn empty_elements_of_xhtml_are_empty() {
        let body = "<head><title/><script src='a.js'/><style/></head><body><iframe src='b'/><p>one<textarea/><noscript/><a id='x'/>two</p><p/>three<xmp/><i/>four</body></html>";
        let text = "onetwo\nthreefour";
        // A preformatted block ends the line even if it is empty.
        let expected = text.replace("threefour", "three\nfour");
        for start in [
            "<?xml version='1.0' encoding='utf-8'?>\n<!DOCTYPE html><html>",
            "<html lang=ja xmlns='http://www.w3.org/1999/xhtml'>",
        ] {
            assert_eq!(visible(&format!("{start}{body}")), expected, "{start}");
        }
        // In HTML the slash has no meaning.
        assert_eq!(visible("<html><p>one<textarea/>two</p>"), "one");
        // Only its own end tag ends a hidden element.
        assert_eq!(
            visible("<?xml version='1.0'?><p>a<template><template/>b</template>c</p>"),
            "ac"
        );
    }

    #[test]
    fn annotations_are_no_text() {
        for ruby in [
            "<ruby>漢<rp>（</rp><rt>かん</rt><rp>）</rp>字<rp>（</rp><rt>じ</rt><rp>）</rp></ruby>を読む",
            "<ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby>を読む",
            "<ruby>漢<rt>かん<rb>字<rt>じ</ruby>を読む",
            "<ruby><rb>漢</rb><rb>字</rb><rt>かん</rt><rt>じ</rt></ruby>を読む",
            "<ruby><rb>漢<rb>字<rtc><rt>かん<rt>じ</rtc><rtc><rt>hàn zì</rtc></ruby>を読む",
            "<ruby>漢字<rp>《<rt>かん<b>じ</b><rp>》</ruby>を読む",
        ] {
            assert_eq!(visible(ruby), "漢字を読む", "{ruby}");
        }
        // An unclosed annotation ends with its block.
        assert_eq!(visible("<p>a<ruby>漢<rt>かん</p><p>b"), "a漢\nb");
    }

    #[test]
    fn the_content_of_an_element_is_shown() {
        let shadow = "<my-card><template shadowrootmode=open><style>p{}</style><p>one</p></template><p>two</p></my-card>";
        assert_eq!(visible(shadow), "one\ntwo");
        assert_eq!(visible("<template><p>one</p></template><p>two</p>"), "two");
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
