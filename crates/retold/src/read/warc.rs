//! WARC records (ISO 28500, and the drafts 0.17 and 0.18 of old crawls).

use super::archive::{Form, RecordHead};
use super::fields::{Fields, block_length};
use super::mark::{AddedFields, FieldValue};
use super::options::ReadOptions;
use super::payload;
use super::record::Outcome;
use super::source::Source;
use crate::page::{Content, Markup, Page};

#[derive(Debug)]
pub(crate) struct Warc;

impl Form for Warc {
    fn head(&self, bytes: &[u8]) -> Result<RecordHead, String> {
        head(bytes)
    }

    fn separator(&self) -> &'static [u8] {
        SEPARATOR
    }

    fn ends_with_its_member(&self) -> bool {
        true
    }

    fn has_fields(&self) -> bool {
        true
    }

    fn needle(&self) -> &'static [u8] {
        b"\nWARC/"
    }

    fn is_start(&self, bytes: &[u8]) -> bool {
        is_start(bytes)
    }

    fn begins(&self, bytes: &[u8]) -> bool {
        is_version(bytes)
    }

    fn marked(&self, record: &[u8], added: &AddedFields, values: &[FieldValue]) -> Vec<u8> {
        marked(record, added, values)
    }

    fn parse(
        &self,
        record: Vec<u8>,
        number: u64,
        source: &Source,
        options: &ReadOptions,
    ) -> Outcome {
        parse(record, number, source, options)
    }
}

const SEPARATOR: &[u8] = b"\r\n\r\n";

/// Whether a record begins here, judged by its first line alone.
fn is_version(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [
            b'W',
            b'A',
            b'R',
            b'C',
            b'/',
            b'0'..=b'9',
            b'.',
            b'0'..=b'9',
            ..
        ]
    )
}

/// Whether a record certainly begins here: a page may contain a line `WARC/1.0`.
fn is_start(bytes: &[u8]) -> bool {
    let field = |line: &[u8]| {
        [&b"warc-"[..], b"content-"]
            .iter()
            .any(|name| line.len() >= name.len() && line[..name.len()].eq_ignore_ascii_case(name))
    };
    let line = memchr::memchr(b'\n', &bytes[..bytes.len().min(64)]);
    is_version(bytes) && line.is_some_and(|end| field(&bytes[end + 1..]))
}

fn head(bytes: &[u8]) -> Result<RecordHead, String> {
    if !is_version(bytes) {
        return Err("not the beginning of a WARC record".into());
    }
    let length = block_length(bytes).ok_or("the WARC header has no end")?;
    let fields = Fields::parse(&bytes[..length]);
    let stated = fields
        .get("Content-Length")
        .ok_or("the WARC header has no Content-Length")?;
    let content = stated
        .trim()
        .parse()
        .map_err(|_| format!("Content-Length is `{stated}`, not a number"))?;
    let content_type = fields.get("Content-Type").map(str::to_owned);
    Ok(RecordHead {
        length,
        content,
        skipped: skipped(fields.get("WARC-Type")),
        http: is_http(content_type.as_deref()),
        content_type,
    })
}

/// The kind under which a record type is skipped; `None` for types that hold pages.
fn skipped(type_: Option<&str>) -> Option<&'static str> {
    let type_ = type_.unwrap_or_default().trim().to_ascii_lowercase();
    Some(match type_.as_str() {
        "response" | "resource" | "conversion" => return None,
        "request" => "warc request",
        "metadata" => "warc metadata",
        "warcinfo" => "warc warcinfo",
        "revisit" => "warc revisit",
        "continuation" => "warc continuation",
        _ => "warc record of unknown type",
    })
}

fn is_http(content_type: Option<&str>) -> bool {
    let start = |value: &str| {
        let value = value.trim_start().as_bytes();
        value.len() >= 16 && value[..16].eq_ignore_ascii_case(b"application/http")
    };
    content_type.is_none_or(start)
}

fn parse(mut bytes: Vec<u8>, number: u64, source: &Source, options: &ReadOptions) -> Outcome {
    let head = match head(&bytes) {
        Ok(head) => head,
        Err(reason) => return Outcome::Rejected(reason),
    };
    if let Some(kind) = head.skipped {
        return Outcome::Skipped(kind.into());
    }
    let fields = Fields::parse(&bytes[..head.length]);
    let url = fields
        .get("WARC-Target-URI")
        .map(bare_uri)
        .filter(|uri| !uri.is_empty());
    // wget's records about itself: its arguments and log.
    if url
        .as_deref()
        .is_some_and(|url| url.starts_with("metadata://"))
    {
        return Outcome::Skipped("warc metadata".into());
    }
    if url.as_deref().is_some_and(is_derived) {
        return Outcome::Skipped("warc derived".into());
    }
    let type_ = fields.get("WARC-Type").unwrap_or_default();
    let page = Page {
        id: url.clone().unwrap_or_else(|| source.record_id(number)),
        url,
        site: source.site.clone(),
        date: fields.get("WARC-Date").map(str::to_owned),
        title: None,
        derived: !type_.trim().eq_ignore_ascii_case("response")
            || fields.get("WARC-Truncated").is_some(),
        fields: Vec::new(),
        content: Content::Unicode {
            text: String::new(),
            markup: Markup::Plain,
        },
    };
    // Line ends after the content close the record. A separately compressed record may be longer than it says.
    let stated = usize::try_from(head.content).unwrap_or(usize::MAX);
    let end = head.length.saturating_add(stated).min(bytes.len());
    let is_longer = !bytes[end..].trim_ascii().is_empty();
    bytes.truncate(match is_longer {
        true => bytes.strip_suffix(SEPARATOR).unwrap_or(&bytes).len(),
        false => end,
    });
    let content = bytes.split_off(head.length);
    if type_.trim().eq_ignore_ascii_case("conversion") {
        return converted(content, head.content_type.as_deref(), page);
    }
    // A resource without a type is a bare document; a response without one is HTTP.
    let response = type_.trim().eq_ignore_ascii_case("response");
    if head.http && (response || head.content_type.is_some()) {
        payload::response(&content, page, options)
    } else {
        payload::document(content, head.content_type.as_deref(), page)
    }
}

/// The text of a WET file, which is UTF-8 by definition.
fn converted(content: Vec<u8>, content_type: Option<&str>, page: Page) -> Outcome {
    let plain = content_type.is_none_or(|type_| type_.trim_start().starts_with("text/plain"));
    if !plain {
        return payload::document(content, content_type, page);
    }
    match String::from_utf8(content) {
        Ok(text) => Outcome::Page(Page {
            content: Content::Unicode {
                text,
                markup: Markup::Plain,
            },
            ..page
        }),
        Err(broken) => {
            payload::document(broken.into_bytes(), Some("text/plain; charset=utf-8"), page)
        }
    }
}

/// Whether a record holds what a crawler derived from a page: `urn:text:http://...`, `urn:pageinfo:`, `urn:view:`.
fn is_derived(uri: &str) -> bool {
    let parts: Vec<&str> = uri.splitn(3, ':').collect();
    matches!(parts[..], [urn, _, page] if urn.eq_ignore_ascii_case("urn") && (page.starts_with("http://") || page.starts_with("https://")))
}

/// A URI without the angle brackets of WARC 1.0's grammar, which some writers took literally.
fn bare_uri(uri: &str) -> String {
    let uri = uri.trim();
    let inner = uri.strip_prefix('<').and_then(|uri| uri.strip_suffix('>'));
    inner.unwrap_or(uri).to_owned()
}

/// The record with added fields at the end of its header, replacing those of an earlier run.
fn marked(record: &[u8], added: &AddedFields, values: &[FieldValue]) -> Vec<u8> {
    let Some(length) = block_length(record) else {
        return record.to_vec();
    };
    let (header, content) = record.split_at(length);
    let end: &str = if header.ends_with(b"\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let mut out = Vec::with_capacity(record.len() + 128);
    let mut old = false;
    for line in header[..length - end.len()].split_inclusive(|byte| *byte == b'\n') {
        // A line that begins with white space continues the field before it.
        old = is_replaced(line, added) || old && matches!(line[0], b' ' | b'\t');
        if !old {
            out.extend_from_slice(line);
        }
    }
    for (name, value) in added.names().zip(values) {
        if let Some(value) = value.to_text() {
            // An id from another format may contain line ends, which a field cannot.
            let value = value.replace(['\r', '\n'], " ");
            out.extend_from_slice(format!("{}: {value}{end}", field_name(name)).as_bytes());
        }
    }
    out.extend_from_slice(end.as_bytes());
    out.extend_from_slice(content);
    out
}

fn field_name(name: &str) -> String {
    let parts = name.split('_').map(|part| {
        let (first, rest) = part.split_at(part.len().min(1));
        first.to_ascii_uppercase() + rest
    });
    parts.collect::<Vec<_>>().join("-")
}

fn is_replaced(line: &[u8], added: &AddedFields) -> bool {
    let name = line.iter().position(|byte| *byte == b':');
    let name = name.map(|end| String::from_utf8_lossy(&line[..end]));
    name.is_some_and(|name| added.replaces(&name.to_ascii_lowercase().replace('-', "_")))
}
