//! A page's outline: its block elements as a tree, and the properties of each block of text. [`super::main_text`] decides from it.
//!
//! It contains only elements that end lines, and is built in the same pass as the text. A missing end tag is supplied where HTML allows its
//! omission; a surplus one is ignored. Linear at any nesting depth.

use super::hints::Hint;

/// Elements nested deeper count as part of their ancestors.
const MAX_DEPTH: usize = 512;
/// The most elements of what a panel follows: a heading, or a button in a few boxes.
const LABEL: usize = 3;
/// So many numbers that count up from 1 are those of lines.
const FEWEST_LINES: usize = 4;
/// With how many open elements an end tag is compared.
const LOOK_UP: usize = 64;
/// Maximum number of elements and of blocks recorded. A page with more counts as a whole, so that it costs no more than its text.
pub const MOST: usize = 1 << 18;

/// The kinds of block elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// The document.
    Page,
    /// `article`.
    Article,
    /// `aside`.
    Aside,
    /// `body`.
    Body,
    /// `button`.
    Button,
    /// `td`, `th`.
    Cell,
    /// `dt`, `dd`.
    Definition,
    /// `dialog`.
    Dialog,
    /// `div`.
    Div,
    /// `fieldset`.
    Fieldset,
    /// `figure`.
    Figure,
    /// `footer`.
    Footer,
    /// `form`.
    Form,
    /// `head`.
    Head,
    /// `header`.
    Header,
    /// `h1` to `h6`.
    Heading,
    /// `li`.
    Item,
    /// `ul`, `ol`, `dl`, `menu`, `dir`.
    List,
    /// `main`.
    Main,
    /// `nav`.
    Nav,
    /// `p`.
    Paragraph,
    /// `pre`.
    Pre,
    /// `blockquote`.
    Quote,
    /// `tr`.
    Row,
    /// `tbody`, `thead`, `tfoot`.
    Rows,
    /// `search`.
    Search,
    /// `section`.
    Section,
    /// `table`.
    Table,
    /// All others.
    Other,
}

/// A block element.
#[derive(Clone, Copy, Debug)]
pub struct Element {
    /// The number of its parent, which is smaller than its own; the page, number 0, is its own parent.
    pub parent: usize,
    /// The kind given by its tag.
    pub kind: BlockKind,
    /// The hint in its names.
    pub hint: Hint,
    /// Whether it or an ancestor is hidden for good.
    pub is_unshown: bool,
}

/// A block of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The number of the element in which it begins.
    pub element: usize,
    /// Its characters without white space.
    pub chars: u64,
    /// How many of these characters are in links.
    pub linked: u64,
}

impl Block {
    /// Whether at least half of it is link text.
    pub fn is_links(&self) -> bool {
        self.linked * 2 >= self.chars
    }
}

/// Facts about the blocks of a text.
#[derive(Debug, Default)]
pub struct BlockFacts {
    /// The blocks, in the order of the text; none if there are more than [`MOST`].
    pub blocks: Vec<Block>,
    /// Characters in blocks of which at least half is link text: menus, lists of other articles.
    pub link_chars: u64,
    /// The number of blocks.
    count: usize,
}

impl BlockFacts {
    /// Adds a block.
    pub fn push(&mut self, block: Block) {
        self.count += 1;
        if block.is_links() {
            self.link_chars += block.chars;
        }
        match self.is_over() {
            true => self.blocks = Vec::new(),
            false => self.blocks.push(block),
        }
    }

    fn is_over(&self) -> bool {
        self.count > MOST
    }
}

/// Elements in the order of their start tags, and blocks in the order of the text.
#[derive(Debug)]
pub struct Outline {
    /// The block elements.
    pub elements: Vec<Element>,
    /// The blocks of text.
    pub facts: BlockFacts,
    open: Vec<usize>,
    /// How many open elements are too deep to be recorded.
    deeper: usize,
}

impl Outline {
    /// The outline before anything was read.
    pub fn new() -> Outline {
        Outline {
            elements: vec![Element {
                parent: 0,
                kind: BlockKind::Page,
                hint: Hint::None,
                is_unshown: false,
            }],
            facts: BlockFacts::default(),
            open: vec![0],
            deeper: 0,
        }
    }

    /// The innermost open element.
    pub fn innermost(&self) -> usize {
        self.open.last().copied().unwrap_or_default()
    }

    /// How many elements are open.
    pub fn depth(&self) -> usize {
        self.open.len() + self.deeper
    }

    /// A start tag.
    pub fn start(&mut self, kind: BlockKind, hint: Hint, is_unshown: bool) {
        while ends_before(self.elements[self.innermost()].kind, kind) {
            self.open.pop();
        }
        if self.depth() >= MAX_DEPTH || self.elements.len() >= MOST {
            self.deeper += 1;
            return;
        }
        let parent = self.innermost();
        let is_unshown = is_unshown && !self.is_panel(parent, kind);
        self.elements.push(Element {
            parent,
            kind,
            hint,
            is_unshown: is_unshown || self.elements[parent].is_unshown,
        });
        self.open.push(self.elements.len() - 1);
    }

    /// Whether a hidden element that begins here is a panel that a click opens: it follows its heading or button, as answers do that are
    /// folded away.
    fn is_panel(&self, parent: usize, kind: BlockKind) -> bool {
        let holds_text = matches!(
            kind,
            BlockKind::Div
                | BlockKind::Section
                | BlockKind::Article
                | BlockKind::Paragraph
                | BlockKind::Definition
        );
        let mut before = self.elements.iter().rev().take(LABEL);
        let label = before.position(|element| element.parent == parent);
        let Some(label) = label.filter(|_| holds_text) else {
            return false;
        };
        let label = &self.elements[self.elements.len() - 1 - label..];
        let is_label = |element: &Element| {
            matches!(
                element.kind,
                BlockKind::Heading | BlockKind::Button | BlockKind::Definition
            )
        };
        let is_box = |element: &Element| matches!(element.kind, BlockKind::Div | BlockKind::Other);
        label.iter().any(is_label)
            && label
                .iter()
                .all(|element| is_label(element) || is_box(element))
    }

    /// An end tag.
    pub fn end(&mut self, kind: BlockKind) {
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        let of_table = matches!(
            kind,
            BlockKind::Table | BlockKind::Rows | BlockKind::Row | BlockKind::Cell
        );
        let top = self.open.len().saturating_sub(LOOK_UP).max(1);
        for depth in (top..self.open.len()).rev() {
            let open = self.elements[self.open[depth]].kind;
            if open == kind {
                self.open.truncate(depth);
                return;
            }
            // Tags in a cell end nothing outside it.
            if open == BlockKind::Table || open == BlockKind::Cell && !of_table {
                return;
            }
        }
    }

    /// Removes the blocks of hidden elements from the text, unless nothing would remain: some pages are hidden until a script has run. Also
    /// removes the numbers of the lines of code.
    pub fn leave_out_unshown(&mut self, text: String) -> String {
        if self.is_over() {
            return text;
        }
        let blocks = &self.facts.blocks;
        let mut is_shown: Vec<bool> = blocks
            .iter()
            .map(|block| !self.elements[block.element].is_unshown)
            .collect();
        self.line_numbers(&text)
            .iter()
            .for_each(|&block| is_shown[block] = false);
        if is_shown.iter().all(|shown| *shown) || !is_shown.contains(&true) {
            return text;
        }
        let lines = text.split('\n').zip(&is_shown);
        let shown: Vec<&str> = lines
            .filter(|(_, shown)| **shown)
            .map(|(line, _)| line)
            .collect();
        let text = shown.join("\n");
        let mut facts = BlockFacts::default();
        for (block, _) in blocks.iter().zip(is_shown).filter(|(_, shown)| *shown) {
            facts.push(*block);
        }
        self.facts = facts;
        text
    }

    /// The blocks that number the lines of code in a table: numbers in cells that say so in their names, and those in the first of two cells
    /// of a row that count up from 1.
    fn line_numbers(&self, text: &str) -> Vec<usize> {
        let is_cell = |element: &Element| element.kind == BlockKind::Cell;
        if !self.elements.iter().any(is_cell) {
            return Vec::new();
        }
        let mut cells: Vec<Vec<usize>> = vec![Vec::new(); self.elements.len()];
        for (number, element) in self.elements.iter().enumerate() {
            if is_cell(element) {
                cells[element.parent].push(number);
            }
        }
        // The blocks that have counted up so far, and their table.
        let (mut found, mut run, mut table) = (Vec::new(), Vec::new(), 0);
        for (number, (line, block)) in text.split('\n').zip(&self.facts.blocks).enumerate() {
            let Some(value) = line_number(line) else {
                continue;
            };
            let Some(cell) = self.above(block.element, BlockKind::Cell) else {
                continue;
            };
            let hints = [block.element, cell].map(|element| self.elements[element].hint);
            if hints.contains(&Hint::LineNumbers) {
                found.push(number);
                continue;
            }
            let row = &cells[self.elements[cell].parent];
            if row.len() != 2 || row[0] != cell {
                continue;
            }
            let table_here = self.above(cell, BlockKind::Table).unwrap_or_default();
            if table_here != table || value != run.len() + 1 {
                if run.len() >= FEWEST_LINES {
                    found.append(&mut run);
                }
                run.clear();
                table = table_here;
            }
            if value == run.len() + 1 {
                run.push(number);
            }
        }
        if run.len() >= FEWEST_LINES {
            found.append(&mut run);
        }
        found
    }

    /// The innermost element of this kind that is or contains the element.
    fn above(&self, mut element: usize, kind: BlockKind) -> Option<usize> {
        while element != 0 {
            if self.elements[element].kind == kind {
                return Some(element);
            }
            element = self.elements[element].parent;
        }
        None
    }

    /// Whether the page has too many elements or blocks to be recorded.
    pub fn is_over(&self) -> bool {
        self.elements.len() >= MOST || self.facts.is_over()
    }
}

/// The number that a block is, if it is one.
fn line_number(block: &str) -> Option<usize> {
    let is_number = block.len() <= 6 && block.bytes().all(|byte| byte.is_ascii_digit());
    block.parse().ok().filter(|_| is_number)
}

/// Whether the innermost open element ends where one of `kind` begins, because its end tag may be omitted.
fn ends_before(innermost: BlockKind, kind: BlockKind) -> bool {
    match innermost {
        BlockKind::Paragraph => true,
        BlockKind::Item => kind == BlockKind::Item,
        BlockKind::Definition => kind == BlockKind::Definition,
        BlockKind::Cell => matches!(kind, BlockKind::Cell | BlockKind::Row | BlockKind::Rows),
        BlockKind::Row => matches!(kind, BlockKind::Row | BlockKind::Rows),
        BlockKind::Rows => kind == BlockKind::Rows,
        BlockKind::Head => kind == BlockKind::Body,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parents of the elements that these tags make; `/` marks an end tag.
    fn parents(tags: &[(&str, BlockKind)]) -> Vec<usize> {
        let mut outline = Outline::new();
        for &(mark, kind) in tags {
            match mark {
                "/" => outline.end(kind),
                _ => outline.start(kind, Hint::None, false),
            }
        }
        let parents = outline.elements.iter().skip(1);
        parents.map(|element| element.parent).collect()
    }

    #[test]
    fn end_tags_may_lack() {
        use BlockKind::{Body, Cell, Head, Item, List, Paragraph, Row, Table};
        assert_eq!(parents(&[("", Head), ("", Body)]), [0, 0]);
        assert_eq!(parents(&[("", Paragraph), ("", Paragraph)]), [0, 0]);
        // A list inside an item does not end it.
        let list = [List, Item, Item, List, Item].map(|kind| ("", kind));
        assert_eq!(parents(&list), [0, 1, 1, 3, 4]);
        let table = [Table, Row, Cell, Cell, Row, Cell].map(|kind| ("", kind));
        assert_eq!(parents(&table), [0, 1, 2, 2, 1, 5]);
    }

    #[test]
    fn end_tags_too_many_end_nothing() {
        use BlockKind::{Article, Cell, Div, Row, Section, Table};
        assert_eq!(parents(&[("", Div), ("/", Section), ("", Div)]), [0, 1]);
        // An end tag ends the elements left open inside its element.
        assert_eq!(
            parents(&[("", Article), ("", Div), ("/", Article), ("", Div)]),
            [0, 1, 0]
        );
        // But it ends nothing outside the cell in which it stands.
        let cell = [("", Div), ("", Table), ("", Row), ("", Cell)];
        assert_eq!(
            parents(&[&cell[..], &[("/", Div), ("", Div)]].concat()),
            [0, 1, 2, 3, 4]
        );
    }

    #[test]
    fn depth_is_bounded() {
        let mut outline = Outline::new();
        for _ in 0..20_000 {
            outline.start(BlockKind::Div, Hint::None, false);
        }
        assert_eq!(outline.elements.len(), MAX_DEPTH);
        for _ in 0..20_000 {
            outline.end(BlockKind::Div);
        }
        assert_eq!(outline.depth(), 1);
    }
}
