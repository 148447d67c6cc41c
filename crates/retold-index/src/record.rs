//! The stored data of a page: its entry (id, URL, date, sketch) and its text.

use std::cell::RefCell;
use std::path::Path;

use retold::method::{Sketch, Text};
use retold::read::TextOptions;
use retold::{Model, Result, Scope};
use zstd::bulk::{Compressor, Decompressor};

use crate::files::{Bytes, damaged, put_string};

/// A page in the index, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// Where it was fetched.
    pub url: Option<String>,
    /// Its date as written in the input, or as the page says.
    pub date: Option<String>,
    /// The same in seconds since 1970, if it can be read.
    pub seconds: Option<i64>,
    /// When it was added, in seconds since 1970.
    pub added: i64,
    /// Its title, cut after 200 characters.
    pub title: Option<String>,
    /// The language of its text (ISO 639-1), if the text or the page tells; pages that 0.1 has added have it after `compact`.
    pub language: Option<String>,
    /// Bytes of its content as it came.
    pub bytes: u64,
    /// What rules beside the method's saw of it ([`retold::Model::seen`]).
    pub seen: Vec<u64>,
    /// Its sketch, site included.
    pub sketch: Sketch,
}

/// The version of the byte form, its first number.
const VERSION: u32 = 3;
/// The first version that has what was seen, and the first that has a language.
const SEEN: u32 = 2;
const LANGUAGE: u32 = 3;

impl Entry {
    /// What pair filters of the model look at in it.
    pub(crate) fn scope(&self, model: &Model) -> Scope {
        model.scope(&self.seen, self.seconds)
    }

    /// The moment that counts in a story: its date, else when it was added.
    pub fn moment(&self) -> i64 {
        self.seconds.unwrap_or(self.added)
    }

    /// Whether a page says of itself what this one says, and has the same text.
    pub(crate) fn is_same(&self, other: &Entry) -> bool {
        let facts = |entry: &Entry| {
            let Entry {
                url, date, title, ..
            } = entry.clone();
            (url, date, title)
        };
        self.sketch == other.sketch && self.seen == other.seen && facts(self) == facts(other)
    }

    /// The byte form: a version; id, URL, date, title, each behind its length, which is 2³² − 1 for none; three numbers of 64
    /// bits: seconds (least for none), added, bytes; from version 2 on the number of those that were seen, and these; from version 3 on the language, like a title; the sketch.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let optional = |bytes: &mut Vec<u8>, text: &Option<String>| match text {
            Some(text) => put_string(bytes, text),
            None => bytes.extend(u32::MAX.to_le_bytes()),
        };
        let mut bytes = VERSION.to_le_bytes().to_vec();
        put_string(&mut bytes, &self.id);
        for text in [&self.url, &self.date, &self.title] {
            optional(&mut bytes, text);
        }
        bytes.extend(self.seconds.unwrap_or(i64::MIN).to_le_bytes());
        bytes.extend(self.added.to_le_bytes());
        bytes.extend(self.bytes.to_le_bytes());
        bytes.extend((self.seen.len() as u32).to_le_bytes());
        bytes.extend(self.seen.iter().flat_map(|number| number.to_le_bytes()));
        optional(&mut bytes, &self.language);
        bytes.extend(self.sketch.to_bytes());
        bytes
    }

    /// The entry with that byte form, read from the file at `path`.
    pub(crate) fn from_bytes(bytes: &[u8], path: &Path) -> Result<Entry> {
        let mut rest = Bytes(bytes);
        let entry = || {
            let version = rest.u32()?;
            if !(1..=VERSION).contains(&version) {
                return None;
            }
            let id = rest.string()?.to_owned();
            let url = optional(&mut rest)?;
            let (date, title) = (optional(&mut rest)?, optional(&mut rest)?);
            let seconds = rest.u64()? as i64;
            let (added, bytes) = (rest.u64()? as i64, rest.u64()?);
            let seen = match version {
                SEEN.. => rest.u32()?,
                _ => 0,
            };
            let seen = (0..seen).map(|_| rest.u64()).collect::<Option<_>>()?;
            let language = match version {
                LANGUAGE.. => optional(&mut rest)?,
                _ => None,
            };
            Some(Entry {
                id,
                url,
                date,
                seconds: (seconds != i64::MIN).then_some(seconds),
                added,
                title,
                language,
                bytes,
                seen,
                sketch: Sketch::from_bytes(rest.0).ok()?,
            })
        };
        let mut entry = entry;
        entry().ok_or_else(|| damaged(path, "an entry has not the form of one"))
    }
}

/// A text behind its length, or none; `None` if there is neither.
fn optional(rest: &mut Bytes<'_>) -> Option<Option<String>> {
    if rest.0.starts_with(&u32::MAX.to_le_bytes()) {
        rest.u32()?;
        return Some(None);
    }
    rest.string().map(|text| Some(text.to_owned()))
}

/// How much texts are compressed: more costs more time than it saves room.
const LEVEL: i32 = 3;
/// No text is longer: positions in it are 32 bits wide.
const LONGEST: usize = u32::MAX as usize;

thread_local! {
    // Made once in each thread: a new one takes longer than most texts.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// What a thread keeps, made when it is first wanted.
fn kept<T>(
    place: &mut Option<T>,
    make: impl FnOnce() -> std::io::Result<T>,
) -> std::io::Result<&mut T> {
    Ok(match place {
        Some(kept) => kept,
        None => place.insert(make()?),
    })
}

/// The kept form of a text.
pub(crate) fn pack(text: &Text) -> Vec<u8> {
    let bytes = text.to_bytes();
    let packed = COMPRESSOR
        .with_borrow_mut(|place| kept(place, || Compressor::new(LEVEL))?.compress(&bytes));
    // Compression into memory cannot fail; if it did, the empty form says that there is no text.
    packed.unwrap_or_default()
}

/// The text with that kept form; `None` if texts are not kept.
pub(crate) fn unpack(packed: &[u8], options: &TextOptions, path: &Path) -> Result<Option<Text>> {
    if packed.is_empty() {
        return Ok(None);
    }
    let wrong = |_| damaged(path, "a text cannot be decompressed");
    let length = zstd::zstd_safe::get_frame_content_size(packed)
        .ok()
        .flatten();
    let length = length.map_or(LONGEST, |length| LONGEST.min(length as usize));
    let bytes = DECOMPRESSOR
        .with_borrow_mut(|place| kept(place, Decompressor::new)?.decompress(packed, length));
    let bytes = bytes.map_err(wrong)?;
    let text = Text::from_bytes(&bytes, options);
    text.map(Some)
        .map_err(|e| damaged(path, &format!("a text cannot be read: {e}")))
}
