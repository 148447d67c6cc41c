//! Main text: finds the blocks that are a page's own text, by a rule over its [outline](super::outline).
//!
//! Text is weighed by its *prose*: the bytes of blocks that are mostly not links, in full if the block is long and has punctuation,
//! otherwise a quarter. So a menu weighs nothing, and a poem still outweighs a footer. Copyright notices weigh nothing either. Then:
//!
//! 1. Text that is not the page's own is left out, the most certain first: teasers of other articles and readers' comments, if enough prose
//!    remains, or some in the page's only `main`; then the site's frame and secondary elements, recognised by tags and names or because
//!    they are mostly links, each if it has less than half of the remaining prose.
//! 2. The innermost element with four fifths of the remaining prose is the main one.
//! 3. The main text consists of its remaining blocks, without those that are mostly links (headings stay).
//!
//! The result is rejected if it is a small part of the page's own text, or has almost no prose among much else. Then the page may be a list
//! of titles: the rule runs again with long links as text. If that fails too, there is no main text, and the whole page counts. Every
//! decision is a sum over the page, so no single tag or name decides. Linear.

use super::block::blocks;
use super::hints::Hint;
use super::outline::{Block, BlockKind, Outline};

/// Minimum bytes of a block that weighs in full.
const LONG: usize = 40;
/// Minimum bytes of a link that is a title rather than a menu entry.
const TITLE: usize = 25;
/// The most prose of a teaser, which begins with the other article's title.
const TEASER: u64 = 600;
/// How many teasers must stand side by side.
const TEASERS: usize = 3;
/// Prose that must remain without teasers and comments; also a tenth of all prose must remain.
const LEAST: u64 = 150;
/// Prose of a page's only `main` that is enough, however much stands in teasers beside it.
const IN_MAIN: u64 = 80;
/// How many elements around the main one are searched for prose of their own.
const AROUND: usize = 6;
/// Words of copyright notices, which belong to a site rather than a page. Longer blocks may be articles about copyright.
const RIGHTS: [&str; 7] = [
    "©",
    "版权所有",
    "版權所有",
    "ICP备",
    "opyright",
    "OPYRIGHT",
    "ights reserved",
];
/// Maximum bytes of a copyright notice.
const NOTICE: usize = 400;
/// Main text with less prose is accepted only if it is half of the visible text: lists of links have some prose too.
const LITTLE: u64 = 150;

/// For each block whether it is main text; `None` if there is no main text.
pub fn main_blocks(outline: &Outline, visible: &str) -> Option<Vec<bool>> {
    let texts = || blocks(visible).map(str::as_bytes);
    let main = Page::new(outline, outline.facts.blocks.clone(), texts()).main();
    main.or_else(|| {
        let blocks = outline.facts.blocks.iter().zip(texts());
        let titles = blocks.map(|(block, text)| match text.len() < TITLE {
            true => *block,
            false => Block {
                linked: 0,
                ..*block
            },
        });
        Page::new(outline, titles.collect(), texts()).main()
    })
}

struct Page<'a> {
    outline: &'a Outline,
    blocks: Vec<Block>,
    prose: Vec<u64>,
    /// Which blocks are links long enough for titles.
    is_title: Vec<bool>,
}

/// Sums over the blocks in an element.
#[derive(Clone, Copy, Default)]
struct Sum {
    prose: u64,
    chars: u64,
    linked: u64,
}

impl<'a> Page<'a> {
    fn new(
        outline: &'a Outline,
        blocks: Vec<Block>,
        texts: impl Iterator<Item = &'a [u8]> + Clone,
    ) -> Page<'a> {
        let each = || blocks.iter().zip(texts.clone());
        let is_title = |(block, text): (&Block, &[u8])| block.is_links() && text.len() >= TITLE;
        Page {
            outline,
            prose: each().map(|(block, text)| prose_of(block, text)).collect(),
            is_title: each().map(is_title).collect(),
            blocks,
        }
    }

    /// Applies the rule.
    fn main(&self) -> Option<Vec<bool>> {
        let mut out = vec![false; self.outline.elements.len()];
        self.leave_out_others(&mut out);
        let others = out.clone();
        self.leave_out_frame(&mut out);
        let mask = self.mask(&self.main_element(&out), &out);
        self.is_enough(&mask, &others).then_some(mask)
    }

    fn elements(&self) -> std::ops::Range<usize> {
        1..self.outline.elements.len()
    }

    fn parent(&self, element: usize) -> usize {
        self.outline.elements[element].parent
    }

    fn kind(&self, element: usize) -> BlockKind {
        self.outline.elements[element].kind
    }

    /// The sums of all elements, without blocks of left-out elements.
    fn sums(&self, out: &[bool]) -> Vec<Sum> {
        let mut sums = vec![Sum::default(); out.len()];
        for (block, prose) in self.blocks.iter().zip(&self.prose) {
            if !out[block.element] {
                let sum = &mut sums[block.element];
                sum.prose += prose;
                sum.chars += block.chars;
                sum.linked += block.linked;
            }
        }
        for element in self.elements().rev() {
            let Sum {
                prose,
                chars,
                linked,
            } = sums[element];
            let around = &mut sums[self.parent(element)];
            around.prose += prose;
            around.chars += chars;
            around.linked += linked;
        }
        sums
    }

    /// Leaves out teasers of other articles, and comments.
    fn leave_out_others(&self, out: &mut [bool]) {
        let sums = self.sums(out);
        let teasers = self.teasers(&sums);
        self.leave_out_together(|element| teasers[element], &sums, out);
        let sums = self.sums(out);
        let comments = |element: usize| self.outline.elements[element].hint == Hint::Comments;
        self.leave_out_together(comments, &sums, out);
    }

    /// Leaves out all elements that satisfy `other`, if enough prose remains.
    fn leave_out_together(&self, other: impl Fn(usize) -> bool, sums: &[Sum], out: &mut [bool]) {
        let mut with = out.to_vec();
        let mut prose = 0;
        for element in self.elements() {
            let around = with[self.parent(element)];
            with[element] |= around || other(element) && self.kind(element) != BlockKind::Body;
            if with[element] && !around {
                prose += sums[element].prose;
            }
        }
        let left = sums[0].prose - prose;
        // What is beside `main` only; of a list in it the teasers are the text.
        let is_in_main = || {
            self.only_main().is_some_and(|main| {
                let prose = sums[main].prose;
                prose >= IN_MAIN && prose == self.sums(&with)[main].prose
            })
        };
        if left >= LEAST && left * 10 >= sums[0].prose || is_in_main() {
            out.copy_from_slice(&with);
        }
    }

    /// The element `main`, if there is one.
    fn only_main(&self) -> Option<usize> {
        let mut all = self
            .elements()
            .filter(|&element| self.kind(element) == BlockKind::Main);
        all.next().filter(|_| all.next().is_none())
    }

    fn teasers(&self, sums: &[Sum]) -> Vec<bool> {
        let mut first: Vec<Option<usize>> = vec![None; sums.len()];
        for (number, block) in self.blocks.iter().enumerate() {
            first[block.element].get_or_insert(number);
        }
        for element in self.elements().rev() {
            let parent = self.parent(element);
            // `None` sorts before any number.
            first[parent] = match (first[parent], first[element]) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.max(b),
            };
        }
        let like = |element: usize| {
            let begins = first[element].is_some_and(|number| self.is_title[number]);
            begins && (1..=TEASER).contains(&sums[element].prose) && holds_text(self.kind(element))
        };
        let mut alike = vec![0; sums.len()];
        for element in self.elements().filter(|&element| like(element)) {
            alike[self.parent(element)] += 1;
        }
        let many = |element| alike[self.parent(element)] >= TEASERS;
        (0..sums.len())
            .map(|element| many(element) && like(element))
            .collect()
    }

    /// Leaves out the site's frame, then secondary elements.
    fn leave_out_frame(&self, out: &mut [bool]) {
        for is_frame in [true, false] {
            let sums = self.sums(out);
            for element in self.elements() {
                let of = match is_frame {
                    true => self.is_frame(element, &sums[element]),
                    false => self.is_beside(element),
                };
                let small = sums[element].prose * 2 < sums[0].prose;
                out[element] |= out[self.parent(element)] || of && small;
            }
        }
    }

    fn is_frame(&self, element: usize, sum: &Sum) -> bool {
        let kind = self.kind(element);
        matches!(
            kind,
            BlockKind::Nav
                | BlockKind::Aside
                | BlockKind::Footer
                | BlockKind::Search
                | BlockKind::Dialog
                | BlockKind::Button
        ) || self.outline.elements[element].hint == Hint::Frame
            || sum.linked * 2 > sum.chars
                && !matches!(kind, BlockKind::Heading | BlockKind::Paragraph)
    }

    fn is_beside(&self, element: usize) -> bool {
        match self.kind(element) {
            BlockKind::Header | BlockKind::Form | BlockKind::Fieldset => true,
            BlockKind::Heading | BlockKind::Paragraph => false,
            _ => self.outline.elements[element].hint == Hint::Beside,
        }
    }

    /// Whether each element is the main one or inside it.
    fn main_element(&self, out: &[bool]) -> Vec<bool> {
        let sums = self.sums(out);
        let mut main = 0;
        // Only one element at each depth can hold more than half, so the last one found is the innermost.
        for element in self.elements() {
            let most = sums[element].prose * 5 >= sums[0].prose * 4;
            if most && holds_text(self.kind(element)) && self.kind(element) != BlockKind::Item {
                main = element;
            }
        }
        main = self.with_reply(main, &sums, out);
        let mut inside = vec![false; out.len()];
        inside[main] = true;
        for element in main + 1..out.len() {
            inside[element] = inside[self.parent(element)];
        }
        inside
    }

    /// The element; or, if it is in a quotation, the nearest one around that which has prose of its own: the reply.
    fn with_reply(&self, main: usize, sums: &[Sum], out: &[bool]) -> usize {
        let around = |element: usize| {
            let up = std::iter::successors(Some(element), |&element| Some(self.parent(element)));
            let is_page = |&element: &usize| {
                matches!(
                    self.kind(element),
                    BlockKind::Body | BlockKind::Page | BlockKind::Main
                )
            };
            up.take_while(move |element| !is_page(element)).take(AROUND)
        };
        let Some(quote) = around(main).find(|&element| self.kind(element) == BlockKind::Quote)
        else {
            return main;
        };
        let beside = |element: usize| sums[element].prose - sums[quote].prose;
        let has_reply = |&element: &usize| match element == self.parent(quote) {
            true => beside(element) >= LONG as u64,
            false => self.prose_in(element, out) >= LONG as u64,
        };
        around(quote).skip(1).find(has_reply).unwrap_or(main)
    }

    /// The prose directly in an element and in its paragraphs.
    fn prose_in(&self, element: usize, out: &[bool]) -> u64 {
        let is_in = |block: &Block| {
            let paragraph = self.kind(block.element) == BlockKind::Paragraph
                && self.parent(block.element) == element;
            (block.element == element || paragraph) && !out[block.element]
        };
        let blocks = self.blocks.iter().zip(&self.prose);
        let prose = blocks.filter(|(block, _)| is_in(block));
        prose.map(|(_, prose)| prose).sum()
    }

    /// The text blocks that are inside the main element and not left out.
    fn mask(&self, inside: &[bool], out: &[bool]) -> Vec<bool> {
        let is_main = |block: &Block| {
            let element = block.element;
            let text = !block.is_links()
                || matches!(
                    self.kind(element),
                    BlockKind::Heading | BlockKind::Paragraph
                );
            inside[element] && !out[element] && text
        };
        self.blocks.iter().map(is_main).collect()
    }

    /// Whether these blocks are enough of the page to be its main text; `others`, the elements of teasers and comments, are not counted.
    fn is_enough(&self, mask: &[bool], others: &[bool]) -> bool {
        let (mut prose, mut main, mut own, mut all) = (0, 0, 0, 0);
        for (number, block) in self.blocks.iter().enumerate() {
            let text = block.chars - block.linked;
            all += block.chars;
            own += if others[block.element] { 0 } else { text };
            if mask[number] {
                main += text;
                prose += self.prose[number];
            }
        }
        let is_in_main = || {
            let main = self.only_main();
            main.is_some_and(|main| {
                prose >= IN_MAIN && self.sums(&vec![false; others.len()])[main].prose >= prose
            })
        };
        let little = prose < LITTLE && main * 2 < all && !is_in_main();
        prose > 0 && main * 5 >= own && !little
    }
}

/// Whether an element of that kind holds a whole text rather than a piece of one.
fn holds_text(kind: BlockKind) -> bool {
    !matches!(
        kind,
        BlockKind::Paragraph | BlockKind::Heading | BlockKind::Definition
    )
}

fn prose_of(block: &Block, text: &[u8]) -> u64 {
    if block.is_links() || is_notice(text) {
        return 0;
    }
    let own = text.len() as u64 * (block.chars - block.linked) / block.chars;
    if text.len() >= LONG && has_punctuation(text) {
        own
    } else {
        own / 4
    }
}

fn is_notice(text: &[u8]) -> bool {
    let is_in = |mark: &&str| memchr::memmem::find(text, mark.as_bytes()).is_some();
    text.len() <= NOTICE && RIGHTS.iter().any(is_in)
}

/// Whether a text has sentence punctuation: ASCII marks before a space, a quotation mark or the end.
fn has_punctuation(text: &[u8]) -> bool {
    text.iter().enumerate().any(|(at, byte)| match byte {
        b'.' | b',' | b';' | b':' | b'!' | b'?' => text
            .get(at + 1)
            .is_none_or(|next| !next.is_ascii_alphanumeric() && *next != b'/'),
        // 、。 and ！，：；？; ، ؛ ؟ ۔; । ॥; ። ፣
        0xE3 => matches!(text.get(at + 1..at + 3), Some([0x80, 0x81 | 0x82])),
        0xEF => matches!(
            text.get(at + 1..at + 3),
            Some([0xBC, 0x81 | 0x8C | 0x9A | 0x9B | 0x9F])
        ),
        0xD8 => matches!(text.get(at + 1), Some(0x8C | 0x9B | 0x9F)),
        0xDB => text.get(at + 1) == Some(&0x94),
        0xE0 => matches!(text.get(at + 1..at + 3), Some([0xA5, 0xA4 | 0xA5])),
        0xE1 => matches!(text.get(at + 1..at + 3), Some([0x8D, 0xA2 | 0xA3])),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use crate::text::html::visible_text;

    /// The main text of a page with this body.
    fn of_body(body: &str) -> Option<String> {
        let (visible, _, outline) = visible_text(&format!("<body>{body}</body>"));
        let main = super::main_blocks(&outline, &visible)?;
        let lines = visible
            .split('\n')
            .zip(main)
            .filter(|(_, is_main)| *is_main);
        Some(lines.map(|(line, _)| line).collect::<Vec<_>>().join("\n"))
    }

    #[test]
    fn a_short_article_in_main_is_the_text_and_not_the_teasers_beside_it() {
        let teaser = |n: usize| {
            format!(
                "<article class=card><a href=/n/{n}><h3>Headline number {n} of something else that happened</h3></a><p>Something else happened in place number {n} on Wednesday morning, and nobody knows why it did…</p></article>"
            )
        };
        let teasers: String = (0..18).map(teaser).collect();
        let article = "The ice rink at Kelm opens on Friday at three o'clock. Skates can be hired at the hut for two crowns.";
        let page = |around: &str| {
            of_body(&format!(
                "<header><a href=/>Courier</a></header><{around}><article><h1>Ice rink opens</h1><p>{article}</p></article></{around}><section class=more><h2>More from us</h2>{teasers}</section>"
            ))
        };
        assert_eq!(page("main"), Some(format!("Ice rink opens\n{article}")));
        // Without `main` nothing says which of the articles is the page's.
        assert!(page("div").is_some_and(|text| text.contains("number 17")));
    }

    /// The main text of a page with this body, blocks joined with `|`; without main text the whole text after `whole:`.
    fn main(body: &str) -> String {
        let (visible, _, outline) = visible_text(&format!("<html><body>{body}</body></html>"));
        let blocks = crate::text::block::blocks(&visible);
        match super::main_blocks(&outline, &visible) {
            None => format!("whole:{}", blocks.collect::<Vec<_>>().join("|")),
            Some(mask) => {
                let main = blocks
                    .zip(mask)
                    .filter_map(|(block, main)| main.then_some(block));
                main.collect::<Vec<_>>().join("|")
            }
        }
    }

    const MENU: &str = "<div><ul><li><a href=/>Home</a><li><a href=/news>News of the week</a>\
                        <li><a href=/contact>Contact</a></ul></div>";
    const FOOTER: &str =
        "<div class=footer>© The Ferry Company, all rights reserved. Call us, or write.</div>";
    const PROSE: &str = "The ferry leaves when the fog has lifted, and not a minute before that time, as it always did.";

    /// Checks that exactly `lines` are the main text of a page.
    fn check(lines: &[&str], open: &str, before: &str, after: &str, close: &str) {
        let text: String = lines
            .iter()
            .map(|line| format!("{before}{line}{after}"))
            .collect();
        assert_eq!(
            main(&format!("{MENU}{open}{text}{close}{FOOTER}")),
            lines.join("|"),
            "{open}{before}"
        );
    }

    #[test]
    fn prose_is_found_whatever_holds_it() {
        let other = "Nobody had repaired the old clock, so the town got used to being late: it was not missed.";
        let last =
            "A café at the corner serves soup on Mondays; bring your own bowl, if you have one.";
        let lines = [PROSE, other, last];
        check(&lines, "<article>", "<p>", "</p>", "</article>");
        check(&lines, "<div>", "<p>", "", "</div>");
        check(&lines, "<table><tr><td>", "<br>", "", "</table>");
        check(
            &lines,
            "<form><div class=side-ad>",
            "<div>",
            "</div>",
            "</div></form>",
        );
        check(&lines, "<pre>", "\n", "\n", "</pre>");
        check(
            &lines,
            "<center><font>",
            "<div><div>",
            "</div></div>",
            "</center>",
        );
        let zh = [
            "河边的小镇每到春天就会起雾，渡船要等太阳升高以后才开。",
            "老人把旧书一本一本摆在木板上，价钱写在纸条上，从不还价。",
        ];
        check(&zh, "<div id=zoom>", "<p><span>", "</span>", "</div>");
    }

    #[test]
    fn text_without_sentences_is_found() {
        let items: Vec<String> = (1..25)
            .map(|n| format!("Item {n} of the things that somebody has to remember here"))
            .collect();
        let items: Vec<&str> = items.iter().map(String::as_str).collect();
        check(&items, "<article><ul>", "<li>", "", "</ul></article>");
        check(
            &items,
            "<div><table>",
            "<tr><td>",
            "</td></tr>",
            "</table></div>",
        );
        let poem = [
            "The fog is white",
            "the ferry late",
            "a bell at night",
            "and still we wait",
        ]
        .repeat(8);
        check(&poem, "<div>", "", "<br>", "</div>");
        let play = [
            "MESSENGER",
            "He is very near by this",
            "LEONATO",
            "How many have you lost",
        ]
        .repeat(8);
        // Old-fashioned anchors are not links.
        check(&play, "<div>", "<a name=line><b>", "</b></a><br>", "</div>");
        let code = ["fn main() {", "let n = 3;", "}"].repeat(20);
        check(&code, "<pre><code>", "", "\n", "</code></pre>");
    }

    #[test]
    fn what_others_write_is_left_out() {
        let article = format!("<div><p>{PROSE}<p>{PROSE}</div>");
        let text = format!("{PROSE}|{PROSE}");
        let comments = format!("<div id=commentList><p>Reader:<p>{PROSE}</div>").repeat(3);
        assert_eq!(main(&format!("{MENU}{article}{comments}")), text);
        let teaser = format!("<li><a href=/x><h3>The clock of the old town</h3></a>{PROSE}</li>");
        let teasers = format!("<ul>{}</ul>", teaser.repeat(5));
        assert_eq!(main(&format!("{MENU}{article}{teasers}")), text);
        // If a page has nothing else, comments are its text.
        assert_eq!(main(&format!("{MENU}{comments}")).matches(PROSE).count(), 3);
        assert_eq!(main(&format!("{MENU}{teasers}")).matches(PROSE).count(), 5);
    }

    #[test]
    fn links_in_the_text_stay_and_lists_of_links_go() {
        let text = format!("<p>{PROSE}<p><a href=/y>Read what the mayor said of it.</a><p>{PROSE}");
        let list = "<ul><li><a href=/z>Another article of the same day</a></ul>";
        assert_eq!(
            main(&format!("{MENU}<div>{text}{list}</div>")),
            format!("{PROSE}|Read what the mayor said of it.|{PROSE}")
        );
    }

    #[test]
    fn a_list_of_titles_is_main_text_where_there_is_no_other() {
        let titles: String = (1..20)
            .map(|n| {
                format!("<li><a href=/{n}>The {n}th report of the harbour master</a> 2024-05-0{n}")
            })
            .collect();
        let found = main(&format!("{MENU}<div><ul>{titles}</ul></div>{FOOTER}"));
        assert_eq!(found.matches("harbour master").count(), 19);
        assert!(!found.contains("Contact") && !found.contains("rights"));
    }

    #[test]
    fn a_reply_stays_below_a_long_quotation() {
        let quoted =
            "The bridge at Orlo is closed until the ice has gone, says the warden. ".repeat(12);
        let reply = "It was open this morning, I walked across it with the dog.";
        for post in [
            format!(
                "<div class=content><blockquote><div><cite>anna wrote:</cite>{quoted}</div></blockquote>{reply}</div>"
            ),
            format!(
                "<form><table><tr><td><blockquote><p>{quoted}</p></blockquote><br>{reply}</td></tr></table></form>"
            ),
            format!(
                "<aside class=quote><blockquote><p>{quoted}</p></blockquote></aside><p>{reply}</p>"
            ),
            format!("<blockquote>{quoted}</blockquote><div class=reply>{reply}</div>"),
        ] {
            let main = of_body(&format!("<nav><a href=/>Forum</a></nav><div class=post>{post}</div><footer>All times are GMT.</footer>")).unwrap();
            assert!(
                main.contains(reply) && main.contains(quoted.trim()),
                "{post}: {main}"
            );
            assert!(!main.contains("Forum") && !main.contains("GMT"), "{main}");
        }
    }

    #[test]
    fn a_notice_of_rights_is_no_main_text() {
        let notice = "<div><p>版权所有：某大学 环境科学与工程学院 地址：某市 某区 教育园区 同砚路38号 （300350），电话：022-1234，传真：022-1235</div>";
        let found = main(&format!("{}{notice}", MENU.repeat(4)));
        assert!(found.starts_with("whole:Home"), "{found}");
    }

    #[test]
    fn a_page_without_main_text_counts_whole() {
        assert_eq!(main(""), "whole:");
        assert_eq!(main(MENU), "whole:Home|News of the week|Contact");
        let login = format!("{}<p>Log in first.</p>", MENU.repeat(5));
        assert!(main(&login).starts_with("whole:Home"));
    }
}
