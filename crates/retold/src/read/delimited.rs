//! CSV and TSV: a header row, then one record per row. Quoted fields may contain line ends.

use std::borrow::Cow;
use std::ops::Range;

use bytes::Bytes;
use csv_core::{ReadFieldResult, ReadRecordResult, Reader};

use super::dialect::Dialect;
use super::frame::{Frame, FrameState, Frames, too_large};
use super::framed::Framed;
use super::magic::BOM;
use super::mark::{AddedFields, FieldValue};
use super::names;
use super::options::{ReadOptions, more_fields};
use super::record::{Outcome, Unparsed};
use super::source::Source;
use super::window::Window;
use crate::page::{Content, Markup, Page};
use crate::text::Cuts;

/// Files of rows whose fields are separated by this byte.
#[derive(Debug)]
pub(crate) struct Delimited(pub u8);

impl Framed for Delimited {
    fn frames(&self, content: Window, options: &ReadOptions) -> Box<dyn Frames> {
        Box::new(RowFrames::new(content, self.0, options))
    }
}

#[derive(Clone, Debug, Default)]
struct Columns {
    text: Vec<usize>,
    html: Option<usize>,
    id: Option<usize>,
    url: Option<usize>,
    date: Option<usize>,
    site: Option<usize>,
    title: Option<usize>,
    more: Vec<Option<usize>>,
}

impl Columns {
    fn of(header: &[Vec<u8>], options: &ReadOptions) -> Columns {
        let find = |wanted: &str| {
            header
                .iter()
                .position(|name| name.trim_ascii() == wanted.as_bytes())
        };
        let usual = |name: &str| find(name).or_else(|| find(&names::usual(name)));
        Columns {
            text: options.text_fields().filter_map(find).collect(),
            html: find(&options.html_field),
            id: find(&options.id_field),
            url: usual(&options.url_field),
            date: usual(&options.date_field),
            site: options.site_field.as_deref().and_then(find),
            title: usual(&options.title_field),
            more: options.more_fields.iter().map(|name| find(name)).collect(),
        }
    }

    /// Whether there is a text or HTML column.
    fn any(&self) -> bool {
        !self.text.is_empty() || self.html.is_some()
    }
}

/// The requested fields of a row, without quotes.
#[derive(Debug, Default)]
struct WantedFields {
    text: Option<Vec<u8>>,
    html: Option<Vec<u8>>,
    id: Option<Vec<u8>>,
    url: Option<Vec<u8>>,
    date: Option<Vec<u8>>,
    site: Option<Vec<u8>>,
    title: Option<Vec<u8>>,
    more: Vec<Option<Vec<u8>>>,
    /// All cells by the names of their columns, if all fields are read.
    all: Vec<(String, Vec<u8>)>,
    fields: usize,
}

struct RowFrames {
    window: Window,
    parser: Reader,
    dialect: Dialect,
    limit: u64,
    all_fields: bool,
    number: u64,
    lines: u64,
    columns: Columns,
    names: Vec<String>,
    width: usize,
    /// The byte order mark and blank lines before the header row. They are copied because a file is recognised by its first bytes.
    before: Vec<u8>,
    /// The header row as in the file.
    header: Vec<u8>,
    /// Why the file cannot be read; taken when it is reported.
    refused: Option<String>,
    /// The current row's length in the file, and its fields, concatenated.
    held: usize,
    fields: Vec<u8>,
    ends: Vec<usize>,
}

/// The result of reading a row.
enum Cut {
    Row,
    TooLarge(u64),
    Failed(u64, String),
    /// The file ended inside quotes.
    Open(u64, String),
    End,
}

impl RowFrames {
    fn new(window: Window, delimiter: u8, options: &ReadOptions) -> RowFrames {
        let dialect = Dialect {
            delimiter,
            quote: options.quote,
        };
        let mut rows = RowFrames {
            window,
            parser: dialect.reader(),
            dialect,
            limit: options.max_record_size,
            all_fields: options.all_fields,
            number: 0,
            lines: 0,
            columns: Columns::default(),
            names: Vec::new(),
            width: 0,
            before: Vec::new(),
            header: Vec::new(),
            refused: None,
            held: 0,
            fields: vec![0; 4096],
            ends: vec![0; 64],
        };
        rows.read_header(options);
        rows
    }

    fn read_header(&mut self, options: &ReadOptions) {
        if self.window.data().starts_with(BOM) {
            self.before.extend_from_slice(BOM);
            self.window.consume(BOM.len());
        }
        self.take_separator(options);
        while let Some(byte) = self.line_end() {
            self.before.push(byte);
            self.pass(1);
        }
        match self.cut() {
            Cut::Row => {}
            Cut::End => return,
            Cut::TooLarge(_) => {
                self.refused = Some(format!("the header row is {}", too_large(self.limit)));
                return;
            }
            Cut::Failed(_, reason) | Cut::Open(_, reason) => {
                self.refused = Some(reason);
                return;
            }
        }
        self.header = self.window.data()[..self.held].to_vec();
        let names = (0..self.width).map(|column| self.field(column).unwrap_or_default().to_vec());
        let names = names.collect::<Vec<_>>();
        self.columns = Columns::of(&names, options);
        let columns = names
            .iter()
            .map(|name| String::from_utf8_lossy(name.trim_ascii()));
        self.names = columns.map(Cow::into_owned).collect();
        if !self.columns.any() {
            let columns = names.iter().map(|name| String::from_utf8_lossy(name));
            self.refused = Some(names::no_column(columns, options));
        }
    }

    /// Reads a first line like `sep=;`, with which Excel names the delimiter. The option takes precedence.
    fn take_separator(&mut self, options: &ReadOptions) {
        self.window.fill(6);
        let [s, e, p, b'=', delimiter, b'\r' | b'\n', ..] = *self.window.data() else {
            return;
        };
        let is_sep = [s, e, p].eq_ignore_ascii_case(b"sep");
        if is_sep && !matches!(delimiter, b'\r' | b'\n' | b'"') {
            if options.delimiter.is_none() {
                self.dialect.delimiter = delimiter;
                self.parser = self.dialect.reader();
            }
            self.before.extend_from_slice(&self.window.data()[..5]);
            self.pass(5);
        }
    }

    /// The field of the current row in that column.
    fn field(&self, column: usize) -> Option<&[u8]> {
        let begin = if column == 0 {
            0
        } else {
            *self.ends.get(column - 1)?
        };
        (column < self.width).then(|| &self.fields[begin..self.ends[column]])
    }

    /// The cells of the current row, by the names of their columns.
    fn cells(&self) -> impl Iterator<Item = (String, Vec<u8>)> {
        let names = self.names.iter().enumerate();
        names.filter_map(|(column, name)| Some((name.clone(), self.field(column)?.to_vec())))
    }

    /// Finds the end of the row that begins here. A row above the limit is skipped in pieces.
    fn cut(&mut self) -> Cut {
        let held = std::mem::take(&mut self.held);
        self.pass(held);
        self.pass_blank_lines();
        let (mut read, mut written, mut columns, mut passed) = (0, 0, 0, 0u64);
        loop {
            if read == self.window.data().len() {
                self.window.more();
            }
            if read == self.window.data().len()
                && let Some(failure) = self.window.take_failure()
            {
                self.window.consume(read);
                return Cut::Failed(passed + read as u64, failure);
            }
            // If the last row lacks a line end, csv-core gets one; then only an open quote leaves the row unfinished.
            let last = read == self.window.data().len() && passed + read as u64 > 0;
            let input = match last {
                true => b"\n",
                false => &self.window.data()[read..],
            };
            let (result, nin, nout, nend) = self.parser.read_record(
                input,
                &mut self.fields[written..],
                &mut self.ends[columns..],
            );
            read += if last { 0 } else { nin };
            written += nout;
            columns += nend;
            let large = passed + read as u64 > self.limit;
            if large {
                passed += read as u64;
                self.pass(std::mem::take(&mut read));
                (written, columns) = (0, 0);
            }
            match result {
                ReadRecordResult::InputEmpty if last => return self.open_quote(passed, read),
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull if !large => {
                    self.fields.resize(self.fields.len() * 2, 0)
                }
                ReadRecordResult::OutputEndsFull if !large => {
                    self.ends.resize(self.ends.len() * 2, 0)
                }
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {}
                ReadRecordResult::Record if passed > 0 => {
                    return Cut::TooLarge(passed + read as u64);
                }
                ReadRecordResult::Record => {
                    self.held = self.with_line_feed(read);
                    self.width = columns;
                    return Cut::Row;
                }
                ReadRecordResult::End => return Cut::End,
            }
        }
    }

    fn pass(&mut self, count: usize) {
        self.lines += line_feeds(&self.window.data()[..count]);
        self.window.consume(count);
    }

    /// Handles a file that ends inside a quoted field. `read` bytes of the row are in the window; `passed` bytes were dropped before.
    fn open_quote(&mut self, passed: u64, read: usize) -> Cut {
        let row = &self.window.data()[..read];
        let reason = if passed > 0 {
            let limit = too_large(self.limit);
            format!(
                "{limit}, and a quote that opens in it or behind it is not closed before the end of the file"
            )
        } else {
            let begin = places(row, self.dialect)
                .last()
                .map_or(0, |last| last.start);
            let line = self.lines + line_feeds(&row[..begin]) + 1;
            format!("line {line}: a quote opens here that is not closed before the end of the file")
        };
        self.pass(read);
        self.parser.reset();
        Cut::Open(passed + read as u64, reason)
    }

    /// Moves past blank lines, which belong to no row.
    fn pass_blank_lines(&mut self) {
        while self.line_end().is_some() {
            self.pass(1);
        }
    }

    /// The next byte, if it ends a line.
    fn line_end(&mut self) -> Option<u8> {
        let next = self.window.fill(1).then(|| self.window.data()[0]);
        next.filter(|byte| matches!(byte, b'\r' | b'\n'))
    }

    /// The row's length with the LF of a CR LF: csv-core ends a row at the CR.
    fn with_line_feed(&mut self, length: usize) -> usize {
        if self.window.data()[..length].ends_with(b"\r") && self.window.fill(length + 1) {
            return length + usize::from(self.window.data()[length] == b'\n');
        }
        length
    }

    fn frame(&mut self, size: u64, state: FrameState) -> Option<Frame> {
        self.number += 1;
        Some(Frame {
            number: self.number,
            size,
            state,
        })
    }

    /// A row with the added fields after those of the header, or in place of fields of the same name. Short rows are padded and surplus
    /// cells come last, so that the columns agree.
    fn with_fields<'f>(
        &self,
        row: &[u8],
        added: &AddedFields,
        values: impl Iterator<Item = Cow<'f, str>>,
    ) -> Vec<u8> {
        let ends = row.iter().rev();
        let end = ends.take_while(|byte| matches!(byte, b'\r' | b'\n'));
        let (content, end) = row.split_at(row.len() - end.count());
        let places = places(content, self.dialect);
        let field = |column: usize| {
            places
                .get(column)
                .map_or(&b""[..], |at| &content[at.clone()])
        };
        let names = self.names.iter().enumerate();
        let named = names.filter(|(_, name)| !added.replaces_flat(&added.at, name));
        let named = named.map(|(column, _)| column);
        let more = self.names.len().min(places.len())..places.len();
        let quoted = values.map(|value| match value.is_empty() {
            true => Vec::new(),
            false => self.dialect.field(&value),
        });
        let quoted: Vec<Vec<u8>> = quoted.collect();
        let fields = named
            .map(field)
            .chain(quoted.iter().map(Vec::as_slice))
            .chain(more.map(field));
        let fields: Vec<&[u8]> = fields.collect();
        [&fields.join(&self.dialect.delimiter), end].concat()
    }
}

impl Frames for RowFrames {
    fn next(&mut self) -> Option<Frame> {
        if let Some(reason) = self.refused.take() {
            self.window.take_failure();
            self.columns = Columns::default();
            return self.frame(self.window.data().len() as u64, FrameState::Damaged(reason));
        }
        if !self.columns.any() {
            return None;
        }
        match self.cut() {
            Cut::Row => self.frame(self.held as u64, FrameState::Whole),
            Cut::TooLarge(size) => self.frame(size, FrameState::Damaged(too_large(self.limit))),
            Cut::Failed(size, reason) | Cut::Open(size, reason) => {
                self.frame(size, FrameState::Damaged(reason))
            }
            Cut::End => None,
        }
    }

    fn bytes(&self) -> &[u8] {
        &self.window.data()[..self.held]
    }

    fn unparsed(&mut self) -> Box<dyn Unparsed> {
        let field = |column: Option<usize>| Some(self.field(column?)?.to_vec());
        let texts = self.columns.text.iter();
        let texts = texts.filter_map(|column| self.field(*column));
        Box::new(WantedFields {
            text: names::joined(texts),
            html: field(self.columns.html),
            id: field(self.columns.id),
            url: field(self.columns.url),
            date: field(self.columns.date),
            site: field(self.columns.site),
            title: field(self.columns.title),
            more: self
                .columns
                .more
                .iter()
                .map(|column| field(*column))
                .collect(),
            all: match self.all_fields {
                true => self.cells().collect(),
                false => Vec::new(),
            },
            fields: self.width,
        })
    }

    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn marked(&self, added: &AddedFields, values: &[FieldValue]) -> Vec<u8> {
        let values = values
            .iter()
            .map(|value| value.to_text().unwrap_or_default());
        self.with_fields(self.bytes(), added, values)
    }

    fn cut(&self, cuts: &Cuts) -> Option<Vec<u8>> {
        let [column] = self.columns.text[..] else {
            return None;
        };
        let text = std::str::from_utf8(self.field(column)?).ok()?;
        let row = self.bytes();
        let content = row.len()
            - row
                .iter()
                .rev()
                .take_while(|byte| matches!(byte, b'\r' | b'\n'))
                .count();
        let place = places(&row[..content], self.dialect).get(column)?.clone();
        let field = self.dialect.field(&cuts.of(text));
        Some([&row[..place.start], &field, &row[place.end..]].concat())
    }

    fn header(&self, added: Option<&AddedFields>) -> Vec<u8> {
        let row = match added {
            Some(added) => {
                let names = added.flat_names().into_iter().map(Cow::from);
                Cow::from(self.with_fields(&self.header, added, names))
            }
            None => Cow::from(&self.header),
        };
        [&self.before[..], &row].concat()
    }
}

fn line_feeds(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// Where the fields of a row are, quotes included; the row has no line end.
fn places(row: &[u8], dialect: Dialect) -> Vec<Range<usize>> {
    let mut parser = dialect.reader();
    let mut field = vec![0; row.len() + 1];
    let (mut places, mut begin, mut at) = (Vec::new(), 0, 0);
    loop {
        let (result, nin, _) = parser.read_field(&row[at..], &mut field);
        at += nin;
        match result {
            ReadFieldResult::Field { record_end: false } => {
                places.push(begin..at - 1);
                begin = at;
            }
            ReadFieldResult::InputEmpty => {}
            ReadFieldResult::Field { record_end: true }
            | ReadFieldResult::OutputFull
            | ReadFieldResult::End => {
                places.push(begin..row.len());
                return places;
            }
        }
    }
}

impl Unparsed for WantedFields {
    fn parse(self: Box<Self>, number: u64, source: &Source, options: &ReadOptions) -> Outcome {
        parse(*self, number, source, options)
    }

    fn shared(&mut self) -> Option<&mut Bytes> {
        None
    }

    fn has_text_field(&self) -> bool {
        true
    }
}

fn as_json((name, cell): (String, Vec<u8>)) -> (String, String) {
    let cell = String::from_utf8_lossy(&cell);
    (name, serde_json::Value::from(cell).to_string())
}

fn parse(row: WantedFields, number: u64, source: &Source, options: &ReadOptions) -> Outcome {
    let filled = |field: Option<Vec<u8>>| field.filter(|field| !field.is_empty());
    let name = |field: Option<Vec<u8>>| {
        filled(field).map(|field| String::from_utf8_lossy(&field).into_owned())
    };
    // An empty cell means that there is no value.
    let (bytes, markup) = match (row.text, filled(row.html)) {
        (Some(text), None) => (text, Markup::Plain),
        (Some(text), Some(_)) if !text.is_empty() => (text, Markup::Plain),
        (_, Some(html)) => (html, Markup::Html),
        (None, None) => {
            return Outcome::Rejected(format!(
                "row {number} ends before the column `{}`, after {} fields",
                options.text_field, row.fields
            ));
        }
    };
    // CSV does not state its encoding, so bytes that are not UTF-8 go through the detection for web pages.
    let content = match String::from_utf8(bytes) {
        Ok(text) => Content::Unicode { text, markup },
        Err(other) => Content::Bytes {
            bytes: other.into_bytes(),
            charset: None,
            markup,
        },
    };
    let url = name(row.url);
    Outcome::Page(Page {
        id: name(row.id)
            .or_else(|| url.clone())
            .unwrap_or_else(|| source.record_id(number)),
        url,
        site: name(row.site).or_else(|| source.site.clone()),
        date: name(row.date),
        title: name(row.title),
        derived: false,
        fields: match options.all_fields {
            true => row.all.into_iter().map(as_json).collect(),
            false => more_fields(options, row.more.into_iter().map(name)),
        },
        content,
    })
}

#[cfg(test)]
mod tests;
