//! The stored data of a page: its entry (id, URL, date, sketch) and its text.

use std::cell::RefCell;
use std::path::Path;

use retold::internal::normalised_url;
use retold::method::{Sketch, Text};
use retold::read::TextOptions;
use retold::{Model, Result, Scope};
use zstd::bulk::{Compressor, Decompressor};

use crate::files::{Bytes, damaged, put_string};

/// A page in the index, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Page id.
    pub id: String,
    /// URL.
    pub url: Option<String>,
    /// Date as written in the input or on the page.
    pub date: Option<String>,
    /// The date in seconds since 1970, if it can be parsed.
    pub seconds: Option<i64>,
    /// When it was added, in seconds since 1970.
    pub added: i64,
    /// Title, cut after 200 characters.
    pub title: Option<String>,
    /// Language of the text (ISO 639-1), if known; for pages added by 0.1, set by `compact`.
    pub language: Option<String>,
    /// Bytes of its original content.
    pub bytes: u64,
    /// What rules other than the method saw in it ([`retold::Model::seen`]).
    pub seen: Vec<u64>,
    /// Its sketch, including the site.
    pub sketch: Sketch,
}

/// The version of the byte form, which is its first number.
const VERSION: u32 = 3;
/// The first version with `seen`, and the first with a language.
const SEEN: u32 = 2;
const LANGUAGE: u32 = 3;

impl Entry {
    /// The values that pair filters of the model compare.
    pub(crate) fn scope(&self, model: &Model) -> Scope {
        model.scope(&self.seen, self.seconds)
    }

    /// The moment that orders the page in its story: its date, or when it was added.
    pub fn moment(&self) -> i64 {
        self.seconds.unwrap_or(self.added)
    }

    /// Whether another page has the same facts and the same text. Forms of one URL are the same, if the id is one of them.
    pub(crate) fn is_same(&self, other: &Entry) -> bool {
        let is_same_url = self.url == other.url || self.id != other.id;
        is_same_url
            && (&self.date, &self.title, &self.seen) == (&other.date, &other.title, &other.seen)
            && self.sketch == other.sketch
    }

    /// Its URL: its own, or its id if that is one.
    pub(crate) fn address(&self) -> Option<&str> {
        let id =
            Some(&*self.id).filter(|id| id.starts_with("http://") || id.starts_with("https://"));
        self.url.as_deref().or(id)
    }

    /// Whether its id is its URL, in some form.
    pub(crate) fn is_named_by_url(&self) -> bool {
        self.address()
            .is_some_and(|url| normalised_url(url) == normalised_url(&self.id))
    }

    /// The byte form: a version; id, URL, date and title, each preceded by its length, which is 2³² − 1 for none; three 64-bit numbers:
    /// seconds (`i64::MIN` for none), added, bytes; from version 2 on, the number of values in `seen` and these values; from version 3 on,
    /// the language, encoded like the title; the sketch.
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
        entry().ok_or_else(|| damaged(path, "an entry is malformed"))
    }
}

/// An optional string preceded by its length; `None` if the bytes are malformed.
fn optional(rest: &mut Bytes<'_>) -> Option<Option<String>> {
    if rest.0.starts_with(&u32::MAX.to_le_bytes()) {
        rest.u32()?;
        return Some(None);
    }
    rest.string().map(|text| Some(text.to_owned()))
}

/// Compression level for texts; higher levels cost more time than they save space.
const LEVEL: i32 = 3;
/// The longest text: positions are 32 bits wide.
const LONGEST: usize = u32::MAX as usize;

thread_local! {
    // One in each thread, because making one takes longer than compressing most texts.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// The thread's instance, created on first use.
fn kept<T>(
    place: &mut Option<T>,
    make: impl FnOnce() -> std::io::Result<T>,
) -> std::io::Result<&mut T> {
    Ok(match place {
        Some(kept) => kept,
        None => place.insert(make()?),
    })
}

pub(crate) fn pack(text: &Text) -> Vec<u8> {
    let bytes = text.to_bytes();
    let packed = COMPRESSOR
        .with_borrow_mut(|place| kept(place, || Compressor::new(LEVEL))?.compress(&bytes));
    // Compression into memory cannot fail; if it did, empty bytes would mean that there is no text.
    packed.unwrap_or_default()
}

/// Decompresses a text; `None` if the index keeps no texts.
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
