//! Reads the pages of the inputs and their blocks.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::key::Keys;
use super::options::{BlockOptions, BlockScope};
use super::pages::{BlockPage, BlockPages};
use crate::date;
use crate::error::{Error, Result};
use crate::page::{Content, Markup, Page};
use crate::read::{BOM, Outcome, ReadOptions, Record, Source, WorkLimit, each_record};
use crate::spill::{Memory, Sorter, SpillVec};
use crate::stage::Stage;
use crate::text::cut::{BlockUnit, blocks_of};
use crate::text::runs::paragraphs_of_words;
use crate::text::{TextOptions, charset, check_length, take_text};
use crate::watch::Watch;

/// What the search for lines, paragraphs and sentences in a page takes for each byte of its record.
const BLOCKS: u64 = 4;

/// The most places of a page outside [`Memory`].
const MANY_PLACES: usize = 1 << 16;

/// How many words behind a run of words are held, at most twice.
const WORDS_BEHIND: usize = 4096;

/// An occurrence of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(super) struct BlockPlace {
    /// The halves of its hash.
    pub hash: [u64; 2],
    /// The site in which it is counted, or 0.
    pub group: u32,
    pub page: u32,
    /// The number of the block on the page; for passages, the number of half words before it.
    pub number: u32,
    /// The range in characters of the text.
    pub begin: u32,
    pub end: u32,
    pub half_words: u32,
}

impl BlockPlace {
    /// Whether both are occurrences of one block.
    pub fn is_same(&self, other: &BlockPlace) -> bool {
        (self.hash, self.group) == (other.hash, other.group)
    }
}

/// A record that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockReject {
    /// The number of its source.
    pub source: u32,
    /// The number of the record in the source.
    pub record: u64,
    /// The reason, in words.
    pub reason: String,
}

pub(super) struct Read {
    pub pages: BlockPages,
    pub places: Sorter<BlockPlace>,
    pub blocks: u64,
    pub rejects: Vec<BlockReject>,
    pub skipped: BTreeMap<String, u64>,
}

/// A page with its id, sort key and places of blocks.
pub(super) struct TakenPage<'a> {
    pub page: BlockPage,
    pub id: &'a str,
    pub preferred: &'a [u64],
    /// Its own number and the group of its places; without one they do not count.
    number: u32,
    group: Option<u32>,
    many_places: Option<SpillVec<BlockPlace>>,
    places: &'a [BlockPlace],
}

impl TakenPage<'_> {
    /// Passes the places of its blocks to `take`, in pieces.
    pub fn each(&self, mut take: impl FnMut(&[BlockPlace]) -> Result<()>) -> Result<()> {
        let Some(group) = self.group else {
            return Ok(());
        };
        let many = self.many_places.iter().flat_map(|many| {
            let starts = (0..many.len()).step_by(MANY_PLACES);
            starts.map(|start| many.get(start, MANY_PLACES.min(many.len() - start)))
        });
        for mut places in many.chain([Cow::Borrowed(self.places)]) {
            let all = places.to_mut().iter_mut();
            all.for_each(|place| (place.page, place.group) = (self.number, group));
            take(&places)?;
        }
        Ok(())
    }
}

/// Reads the pages of the sources, and the places of all blocks that may be cut. Each page is also passed to `also`.
pub(super) fn read(
    sources: &[Source],
    options: &BlockOptions,
    read: &ReadOptions,
    text: &TextOptions,
    memory: &Memory,
    watch: &dyn Watch,
    mut also: impl FnMut(&TakenPage) -> Result<()>,
) -> Result<Read> {
    let mut all = Read::new(memory);
    let mut sites = HashMap::new();
    let fields = options.canonical.fields().map(str::to_owned);
    let read = &ReadOptions {
        more_fields: fields.collect(),
        ..within(memory, read, options)
    };
    let has_own_field = read.has_one_text_field();
    let make = |source: u32, record: Record| {
        let (number, is_cut) = (record.number, has_own_field && record.has_text_field());
        let made = match record.parse(&sources[source as usize], read) {
            Outcome::Page(page) => RecordResult::of(page, is_cut, options, text, memory)
                .unwrap_or_else(RecordResult::Failed),
            Outcome::Skipped(kind) => RecordResult::Skipped(kind.into_owned()),
            Outcome::Rejected(reason) => RecordResult::Rejected(reason),
        };
        (source, number, made)
    };
    each_record(sources, read, watch, Stage::Read.name(), make, |made| {
        let (source, record, made) = made;
        let (source, record) = (*source, *record);
        match made {
            RecordResult::Page(page) => {
                let taken = all.placed(page, source, record, &mut sites, options.scope);
                all.take(&taken)?;
                also(&taken)
            }
            RecordResult::Failed(error) => Err(std::mem::replace(error, Error::Cancelled)),
            RecordResult::Skipped(kind) => {
                *all.skipped.entry(std::mem::take(kind)).or_default() += 1;
                Ok(())
            }
            RecordResult::Rejected(reason) => {
                let reason = std::mem::take(reason);
                all.rejects.push(BlockReject {
                    source,
                    record,
                    reason,
                });
                Ok(())
            }
        }
    })?;
    memory.suffices(all.pages.pages.len())?;
    Ok(all)
}

/// The options of a run with this memory.
pub(super) fn within(memory: &Memory, read: &ReadOptions, options: &BlockOptions) -> ReadOptions {
    let Some(memory) = memory.whole() else {
        return read.clone();
    };
    let read = read.clone().with_memory(memory);
    let times = match options.unit {
        BlockUnit::Passage => read.work.times,
        BlockUnit::Line | BlockUnit::Paragraph | BlockUnit::Sentence => BLOCKS,
    };
    ReadOptions {
        work: WorkLimit { times, ..read.work },
        ..read
    }
}

impl Read {
    pub fn new(memory: &Memory) -> Read {
        Read {
            pages: BlockPages::new(memory),
            places: Sorter::new(memory),
            blocks: 0,
            rejects: Vec::new(),
            skipped: BTreeMap::new(),
        }
    }

    pub fn take(&mut self, taken: &TakenPage) -> Result<()> {
        taken.each(|places| self.places.extend(places))?;
        self.pages.push(taken.page, taken.id, taken.preferred)
    }

    /// Assigns numbers to a page and its site.
    fn placed<'a>(
        &mut self,
        made: &'a mut MadePage,
        source: u32,
        record: u64,
        sites: &mut HashMap<String, u32>,
        scope: BlockScope,
    ) -> TakenPage<'a> {
        let site = made.site.take().map(|site| {
            let next = sites.len() as u32;
            *sites.entry(site).or_insert_with_key(|site| {
                self.pages.sites.push(site.clone());
                next
            })
        });
        self.blocks += made.blocks;
        let page = self.pages.pages.len() as u32;
        let group = match scope {
            BlockScope::Collection => Some(0),
            BlockScope::Site => site,
        };
        TakenPage {
            page: BlockPage {
                source,
                record,
                site,
                date: made.date,
                is_cut: made.is_cut,
                half_words: made.half_words,
            },
            id: &made.id,
            preferred: &made.preferred,
            number: page,
            group,
            many_places: made.many_places.take(),
            places: &made.places,
        }
    }
}

/// The result for a record.
enum RecordResult {
    Page(Box<MadePage>),
    Skipped(String),
    Rejected(String),
    /// A temporary file cannot be written.
    Failed(Error),
}

struct MadePage {
    id: String,
    site: Option<String>,
    date: Option<i64>,
    is_cut: bool,
    blocks: u64,
    half_words: u32,
    preferred: Vec<u64>,
    /// The places of blocks that are long enough: the first of many, and the last.
    many_places: Option<SpillVec<BlockPlace>>,
    places: Vec<BlockPlace>,
}

impl RecordResult {
    fn of(
        mut page: Page,
        has_text_field: bool,
        options: &BlockOptions,
        text: &TextOptions,
        memory: &Memory,
    ) -> Result<RecordResult> {
        let (site, date) = (page.site(), page.date.as_deref().and_then(date::seconds));
        let shown = match Shown::of(&mut page, text) {
            Ok(shown) => shown,
            Err(reason) => return Ok(RecordResult::Rejected(reason)),
        };
        let is_letter = |character: &char| !character.is_whitespace();
        let chars = shown.text.chars().filter(is_letter).count();
        let mut made = MadePage {
            preferred: options.canonical.numbers(&page, date, chars as u64),
            id: page.id,
            site,
            date,
            is_cut: has_text_field && shown.is_as_written,
            blocks: 0,
            half_words: 0,
            many_places: None,
            places: Vec::new(),
        };
        match options.unit {
            BlockUnit::Passage => made.look_for_passages(&shown, options, memory)?,
            unit => made.look(&shown.text, shown.unit(unit), options.min_chars),
        }
        Ok(RecordResult::Page(Box::new(made)))
    }
}

impl MadePage {
    fn look(&mut self, text: &str, unit: BlockUnit, min_chars: u32) {
        let mut keys = Keys::default();
        let (mut at, mut chars) = (0, 0);
        for (number, block) in blocks_of(text, unit).into_iter().enumerate() {
            let key = keys.of(&text[block.clone()]);
            let begin = chars + text[at..block.start].chars().count() as u32;
            chars = begin + text[block.clone()].chars().count() as u32;
            at = block.end;
            self.half_words = self.half_words.saturating_add(key.half_words);
            if key.hash == 0 {
                continue;
            }
            self.blocks += 1;
            if key.chars >= min_chars {
                self.places.push(BlockPlace {
                    hash: [(key.hash >> 64) as u64, key.hash as u64],
                    number: number as u32,
                    begin,
                    end: chars,
                    half_words: key.half_words,
                    ..BlockPlace::zeroed()
                });
            }
        }
    }
}

impl MadePage {
    /// Adds a place, of which a page has as many as words.
    fn add(&mut self, place: BlockPlace, memory: &Memory) -> Result<()> {
        self.places.push(place);
        if self.places.len() >= MANY_PLACES {
            let many = self
                .many_places
                .get_or_insert_with(|| SpillVec::new(memory));
            many.extend(&self.places)?;
            self.places.clear();
        }
        Ok(())
    }

    fn look_for_passages(
        &mut self,
        shown: &Shown,
        options: &BlockOptions,
        memory: &Memory,
    ) -> Result<()> {
        let (text, mut keys) = (&*shown.text, Keys::default());
        // Of the words from the number `first` on: hashes, characters before each, and places.
        let (mut hashes, mut chars, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let (mut at, mut at_char) = (0, 0);
        let mut chars_to = |to: usize| {
            at_char += text[at..to].chars().count() as u32;
            at = to;
            at_char
        };
        for paragraph in paragraphs_of_words(text, shown.is_html) {
            let (words, before) = (&paragraph.words, &paragraph.before);
            self.half_words = before[before.len() - 1];
            hashes.clear();
            places.clear();
            chars.clear();
            chars.push(0);
            let mut first = 0;
            for run in paragraph.runs(options.passage_words) {
                self.blocks += 1;
                if run.start - first >= WORDS_BEHIND {
                    hashes.drain(..run.start - first);
                    places.drain(..run.start - first);
                    chars.drain(..run.start - first);
                    first = run.start;
                }
                for word in &words[first + hashes.len()..run.end] {
                    let key = keys.of(&text[word.place()]);
                    hashes.push(key.hash as u64);
                    chars.push(chars[chars.len() - 1] + key.chars);
                    let place = word.place();
                    places.push((chars_to(place.start), chars_to(place.end)));
                }
                let held = run.start - first..run.end - first;
                if chars[held.end] - chars[held.start] < options.min_chars {
                    continue;
                }
                let hash = xxh3_128(bytemuck::cast_slice(&hashes[held.clone()]));
                let place = BlockPlace {
                    hash: [(hash >> 64) as u64, hash as u64],
                    number: before[run.start],
                    begin: places[held.start].0,
                    end: places[held.end - 1].1,
                    half_words: before[run.end] - before[run.start],
                    ..BlockPlace::zeroed()
                };
                self.add(place, memory)?;
            }
        }
        Ok(())
    }
}

/// The text of a page in which blocks are searched.
pub(super) struct Shown {
    pub text: String,
    /// Whether the record contains the text exactly as it is.
    is_as_written: bool,
    is_html: bool,
}

impl Shown {
    /// Plain text as written; for HTML, the output of `retold text`. Takes the content out of the page. The error is the reason for a
    /// reject.
    pub fn of(page: &mut Page, options: &TextOptions) -> std::result::Result<Shown, String> {
        check_length(page.content.len())?;
        let plain = |text: String, is_as_written| Shown {
            text,
            is_as_written,
            is_html: false,
        };
        match page.content.take() {
            Content::Unicode {
                text,
                markup: Markup::Plain,
            } => Ok(plain(text, true)),
            Content::Bytes {
                bytes,
                charset,
                markup: Markup::Plain,
            } => {
                let decoded = charset::decode(&bytes, charset.as_deref())?;
                let written = bytes.strip_prefix(BOM).unwrap_or(&bytes);
                let is_as_written = written == decoded.text.as_bytes();
                Ok(plain(decoded.text.into_owned(), is_as_written))
            }
            content => {
                page.content = content;
                let text = take_text(page, options)?;
                Ok(Shown {
                    text: match text.main.is_empty() {
                        true => text.visible,
                        false => text.shown().collect::<Vec<_>>().join("\n"),
                    },
                    is_as_written: false,
                    is_html: true,
                })
            }
        }
    }

    /// The places of its blocks, with their numbers.
    pub fn places(&self, options: &BlockOptions) -> Vec<(u32, Range<usize>)> {
        if options.unit != BlockUnit::Passage {
            let places = blocks_of(&self.text, self.unit(options.unit));
            return (0..).zip(places).collect();
        }
        let mut places = Vec::new();
        for paragraph in paragraphs_of_words(&self.text, self.is_html) {
            let words = &paragraph.words;
            places.extend(paragraph.runs(options.passage_words).map(|run| {
                let place = words[run.start].place().start..words[run.end - 1].place().end;
                (paragraph.before[run.start], place)
            }));
        }
        places
    }

    /// The unit of blocks in this text: HTML has one block per line, without blank lines.
    fn unit(&self, unit: BlockUnit) -> BlockUnit {
        match unit {
            BlockUnit::Paragraph if self.is_html => BlockUnit::Line,
            unit => unit,
        }
    }
}
