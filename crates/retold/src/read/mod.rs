//! Stage 1, reading: files and folders become a stream of records, in every supported format.
//!
//! A source is read once to sketch its pages. Some records are read again when their texts are needed ([`each_wanted`]), and all are read
//! once more to write `kept/` (see [`Source::rewrite`]). All passes number the records of a source alike, from 1.
//!
//! A format is a file that implements `Format` (or `Framed`, if its records follow each other). Only `sniff.rs` knows all formats.

mod arc;
mod archive;
#[cfg(feature = "zip")]
mod book;
pub(crate) mod companions;
mod compression;
mod delimited;
mod dialect;
mod discover;
mod document;
pub(crate) mod each;
#[cfg(feature = "feeds")]
mod feed;
mod fields;
mod file_name;
mod format;
mod frame;
mod framed;
mod hashed;
mod ids;
mod json_marks;
mod json_repair;
mod json_values;
mod jsonl;
mod magic;
mod mark;
mod names;
mod open;
mod options;
mod output;
#[cfg(feature = "parquet")]
mod parquet;
mod passes;
mod payload;
mod record;
pub(crate) mod remote;
pub(crate) mod revisit;
mod sniff;
mod source;
mod statuses;
mod stored;
#[cfg(test)]
pub(crate) mod tests;
mod unread;
mod utf16;
#[cfg(feature = "zip")]
mod wacz;
mod warc;
mod window;
mod work;

pub use self::dialect::{Delimiter, Quote};
pub use self::discover::{discover, expand, leave_out};
pub(crate) use self::each::{Numbered, each_batch, each_wanted};
pub use self::each::{ReadOrder, each_page, each_record};
#[cfg(feature = "feeds")]
pub use self::feed::feed_pages;
pub use self::file_name::spelled;
pub(crate) use self::ids::settle_ids;
pub use self::ids::{PageId, page_ids};
pub(crate) use self::magic::BOM;
pub use self::mark::{AddedFields, FieldKind, FieldValue, RecordDecision};
pub use self::options::ReadOptions;
#[cfg(all(test, feature = "parquet"))]
pub(crate) use self::parquet::tests::questions as parquet_questions;
pub(crate) use self::passes::Rows;
pub use self::record::{Outcome, Record};
pub use self::remote::{
    RemoteError, RemoteFile, RemoteInput, RemoteListed, RemoteStore, set_remote_store,
};
pub use self::source::Source;
pub use self::statuses::Statuses;
pub(crate) use self::work::InWork;
pub use self::work::WorkLimit;

pub use crate::text::charset::decode;
pub use crate::text::html::visible_text as html_visible_text;
pub use crate::text::language::of_text as language_of;
pub use crate::text::plain::visible_text as plain_visible_text;
pub use crate::text::{Extract, Extraction, PageMeta, TextOptions};
