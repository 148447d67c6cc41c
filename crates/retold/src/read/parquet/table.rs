//! An open Parquet file: which columns are needed, and how many rows it has.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufReader, Read};
use std::ops::Range;

use ::parquet::errors::{ParquetError, Result as ParquetResult};
use ::parquet::file::metadata::ParquetMetaData;
use ::parquet::file::reader::{ChunkReader, FileReader, Length, SerializedFileReader};
use ::parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use bytes::Bytes;

use super::cells;
use crate::quiet::caught;
use crate::read::names;
use crate::read::options::ReadOptions;
use crate::read::remote::{ReadOn, RemotePlaces};
use crate::read::source::Source;

/// Positions of the wanted columns. Text columns begin at the last one; further fields follow.
pub(super) const HTML: usize = 0;
pub(super) const ID: usize = 1;
pub(super) const URL: usize = 2;
pub(super) const DATE: usize = 3;
pub(super) const SITE: usize = 4;
pub(super) const TITLE: usize = 5;
pub(super) const TEXT: usize = 6;

/// A file with random access, on disk or remote.
pub(super) enum Places {
    File(File),
    Remote(RemotePlaces),
}

impl Places {
    pub(super) fn open(source: &Source) -> std::io::Result<Places> {
        Ok(match &source.remote {
            Some(remote) => Places::Remote(RemotePlaces::new(remote.clone())),
            None => Places::File(File::open(&source.path)?),
        })
    }
}

impl Length for Places {
    fn len(&self) -> u64 {
        match self {
            Places::File(file) => file.len(),
            Places::Remote(file) => file.size(),
        }
    }
}

impl ChunkReader for Places {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(match self {
            Places::File(file) => Box::new(file.get_read(start)?),
            Places::Remote(file) => Box::new(BufReader::new(ReadOn {
                places: file.clone(),
                at: start,
            })),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        match self {
            Places::File(file) => file.get_bytes(start, length),
            Places::Remote(file) => match file.bytes(start, length)? {
                bytes if bytes.len() == length => Ok(bytes),
                bytes => Err(ParquetError::EOF(format!(
                    "{} of {length} bytes at {start}",
                    bytes.len()
                ))),
            },
        }
    }
}

pub(super) struct Table {
    pub(super) file: SerializedFileReader<Places>,
    /// The indexes of the wanted columns; `None` for a missing one.
    pub(super) wanted: Vec<Option<usize>>,
    /// The positions of the text columns among them.
    pub(super) texts: Range<usize>,
    /// For each text column in a list, the index of its role column, if some roles are skipped.
    pub(super) roles: Vec<Option<usize>>,
    /// The number of rows of each row group.
    pub(super) counts: Vec<usize>,
}

impl Table {
    /// The text column, if the text comes from exactly one.
    pub(super) fn text(&self) -> Option<usize> {
        let [text] = self.wanted[TEXT..] else {
            return None;
        };
        let schema = self.file.metadata().file_metadata().schema_descr();
        text.filter(|leaf| cells::is_flat(&schema.column(*leaf)))
    }
}

impl Table {
    /// Opens a file and checks that it has pages; the error is the reason for its one reject.
    pub(super) fn open(source: &Source, options: &ReadOptions) -> Result<Table, String> {
        let file = Places::open(source).map_err(|error| format!("cannot open: {error}"))?;
        let file = guarded(|| SerializedFileReader::new(file))?;
        let schema = file.metadata().file_metadata().schema_descr();
        check(schema, options)?;
        let counts = counts(file.metadata())?;
        let find = |name: &str| leaf(schema, name);
        let usual = |name: &str| find(name).or_else(|| find(&names::usual(name)));
        let mut wanted = vec![
            find(&options.html_field),
            find(&options.id_field),
            usual(&options.url_field),
            usual(&options.date_field),
            options.site_field.as_deref().and_then(find),
            usual(&options.title_field),
        ];
        wanted.extend(options.text_fields().map(find));
        let texts = TEXT..wanted.len();
        wanted.extend(options.more_fields.iter().map(|name| find(name)));
        for place in &mut wanted {
            *place = place.filter(|leaf| cells::is_flat(&schema.column(*leaf)));
        }
        let mut roles = vec![None; wanted.len()];
        for (place, name) in (TEXT..).zip(options.text_fields()) {
            if let Some((list, _)) = names::listed(name) {
                wanted[place] = listed_leaf(schema, name);
                let mut role = names::ROLES.iter();
                let role = role.find_map(|role| listed_leaf(schema, &format!("{list}.{role}")));
                roles[place] = role.filter(|_| !options.skip_roles.is_empty());
            }
        }
        Ok(Table {
            file,
            wanted,
            texts,
            roles,
            counts,
        })
    }
}

/// The number of rows of each row group, if the footer is consistent: a flipped bit must not turn into millions of rejects.
pub(super) fn counts(footer: &ParquetMetaData) -> Result<Vec<usize>, String> {
    let groups = footer.row_groups().iter();
    let counts: Option<Vec<usize>> = groups
        .map(|group| usize::try_from(group.num_rows()).ok())
        .collect();
    let total = counts.as_ref().and_then(|counts| {
        let mut counts = counts.iter();
        counts.try_fold(0usize, |sum, count| sum.checked_add(*count))
    });
    let stated = footer.file_metadata().num_rows();
    match (counts, total) {
        (Some(counts), Some(total)) if i64::try_from(total) == Ok(stated) => Ok(counts),
        _ => Err(format!(
            "damaged Parquet: the footer counts {stated} rows, and its row groups have another number of them"
        )),
    }
}

/// The column with that name or path.
fn leaf(schema: &SchemaDescriptor, name: &str) -> Option<usize> {
    let leaves = 0..schema.num_columns();
    leaves
        .filter(|leaf| schema.column(*leaf).path().string() == name)
        .min_by_key(|leaf| schema.column(*leaf).path().parts().len())
}

/// The text column at a path through lists (`messages[].content`). If a list of typed parts is there, it is their texts.
fn listed_leaf(schema: &SchemaDescriptor, path: &str) -> Option<usize> {
    let path = path.replace("[]", "");
    let path = path.trim_end_matches('.');
    let columns = (0..schema.num_columns()).map(|leaf| (leaf, schema.column(leaf)));
    let in_lists = columns.map(|(leaf, column)| (leaf, path_through_lists(&column), column));
    let in_lists: Vec<_> = in_lists.collect();
    let find = |path: &str| in_lists.iter().find(|(_, other, _)| other == path);
    let text = find(path).or_else(|| {
        find(&format!("{path}.type"))?;
        find(&format!("{path}.text"))
    });
    text.filter(|(.., column)| cells::is_text_list(column))
        .map(|(leaf, ..)| *leaf)
}

/// A column's path without the groups that writers put between a list and its items.
fn path_through_lists(column: &ColumnDescriptor) -> String {
    let mut path = format!("{}.", column.path().string());
    for between in [
        ".list.element.",
        ".list.item.",
        ".bag.array_element.",
        ".array.",
    ] {
        path = path.replace(between, ".");
    }
    path.pop();
    path
}

/// Checks that there is a column of text or HTML.
fn check(schema: &SchemaDescriptor, options: &ReadOptions) -> Result<(), String> {
    let fields = schema.root_schema().get_fields();
    let mut found = false;
    for name in options.text_fields().chain([&*options.html_field]) {
        if names::listed(name).is_some() && listed_leaf(schema, name).is_some() {
            found = true;
            continue;
        }
        let kind = match leaf(schema, name).map(|leaf| schema.column(leaf)) {
            Some(column) if cells::is_text(&column) => {
                found = true;
                continue;
            }
            Some(column) if cells::is_flat(&column) => column.physical_type().to_string(),
            None if fields.iter().all(|field| field.name() != name) => continue,
            _ => "list or group".into(),
        };
        return Err(format!("column `{name}` is of type {kind}, not text"));
    }
    check_id(schema, options)?;
    if found {
        return Ok(());
    }
    let columns = fields.iter().map(|field| Cow::Borrowed(field.name()));
    Err(names::no_column(columns, options))
}

/// Checks that the id column, if there is one, has one value per row: a page without its id would count as another page.
fn check_id(schema: &SchemaDescriptor, options: &ReadOptions) -> Result<(), String> {
    let name = &*options.id_field;
    let fields = schema.root_schema().get_fields();
    let is_flat = leaf(schema, name).map(|leaf| cells::is_flat(&schema.column(leaf)));
    match is_flat {
        Some(true) => Ok(()),
        None if fields.iter().all(|field| field.name() != name) => Ok(()),
        _ => Err(format!(
            "column `{name}` is of type list or group, which cannot be an id; name another with --id-field"
        )),
    }
}

/// Runs a step of the Parquet reader. That crate may panic on damaged files, and one bad file must not end the run.
pub(super) fn guarded<T, E: std::fmt::Display>(
    step: impl FnOnce() -> Result<T, E>,
) -> Result<T, String> {
    match caught(step) {
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) => Err(format!("damaged Parquet: {error}")),
        None => Err("damaged Parquet: the reader gave up".into()),
    }
}
