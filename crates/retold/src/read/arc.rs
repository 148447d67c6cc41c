//! ARC records, version 1 and 2: `URL IP date type … length` in one line, then the response.

use std::net::IpAddr;

use super::archive::{Form, RecordHead};
use super::mark::{AddedFields, FieldValue};
use super::options::ReadOptions;
use super::payload;
use super::record::Outcome;
use super::source::Source;
use crate::page::{Content, Markup, Page};

#[derive(Debug)]
pub(crate) struct Arc;

impl Form for Arc {
    fn head(&self, bytes: &[u8]) -> Result<RecordHead, String> {
        head(bytes)
    }

    fn separator(&self) -> &'static [u8] {
        b"\n"
    }

    fn needle(&self) -> &'static [u8] {
        b"\nhttp"
    }

    fn is_start(&self, bytes: &[u8]) -> bool {
        head(bytes).is_ok()
    }

    fn begins(&self, bytes: &[u8]) -> bool {
        head(bytes).is_ok()
    }

    /// ARC headers have no named fields.
    fn marked(&self, record: &[u8], _: &AddedFields, _: &[FieldValue]) -> Vec<u8> {
        record.to_vec()
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

struct HeaderLine {
    url: String,
    date: String,
    content_type: String,
    /// Whether the second part of the line is an IP address.
    has_ip: bool,
    /// Length of the line with its line end.
    length: usize,
    content: u64,
}

/// Reads the line at the start of `bytes`. URLs in old crawls contain blanks, so the parser searches for the date.
fn header_line(bytes: &[u8]) -> Option<HeaderLine> {
    let end = memchr::memchr(b'\n', &bytes[..bytes.len().min(16 * 1024)])?;
    let text = String::from_utf8_lossy(&bytes[..end]);
    let parts = text.trim_end().split(' ').collect::<Vec<_>>();
    let is_date = |part: &&str| {
        matches!(part.len(), 12 | 14) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let date = parts.iter().rposition(is_date)?;
    let content = parts.last()?.parse().ok()?;
    // URL and IP stand before the date; type and length (and more in version 2) after it.
    if date < 2 || parts.len() < date + 3 {
        return None;
    }
    let url = parts[..date - 1].join(" ");
    has_scheme(&url).then(|| HeaderLine {
        url,
        has_ip: parts[date - 1].parse::<IpAddr>().is_ok(),
        date: parts[date].to_owned(),
        content_type: parts[date + 1].to_owned(),
        length: end + 1,
        content,
    })
}

fn has_scheme(url: &str) -> bool {
    url.split_once(':').is_some_and(|(scheme, _)| {
        let mut rest = scheme.bytes();
        rest.next().is_some_and(|byte| byte.is_ascii_alphabetic())
            && rest.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    })
}

/// Whether `bytes` are ARC without the first record, which would name the format. `named` says that the file name ends like an ARC file's;
/// otherwise the line must also contain an IP address.
pub(crate) fn is_rest(bytes: &[u8], named: bool) -> bool {
    let blank = bytes
        .iter()
        .take_while(|byte| matches!(byte, b'\r' | b'\n' | 0));
    header_line(&bytes[blank.count()..]).is_some_and(|line| named || line.has_ip)
}

fn head(bytes: &[u8]) -> Result<RecordHead, String> {
    let line = header_line(bytes).ok_or("not the beginning of an ARC record")?;
    Ok(RecordHead {
        length: line.length,
        content: line.content,
        skipped: line.url.starts_with("filedesc:").then_some("arc filedesc"),
        http: line.url.starts_with("http"),
        content_type: Some(line.content_type),
    })
}

fn parse(mut bytes: Vec<u8>, number: u64, source: &Source, options: &ReadOptions) -> Outcome {
    let Some(line) = header_line(&bytes) else {
        return Outcome::Rejected(format!("record {number} is not an ARC record"));
    };
    bytes.truncate(
        line.length
            .saturating_add(usize::try_from(line.content).unwrap_or(usize::MAX)),
    );
    let content = bytes.split_off(line.length);
    let http = line.url.starts_with("http");
    let page = Page {
        id: line.url.clone(),
        url: Some(line.url),
        site: source.site.clone(),
        date: Some(line.date),
        title: None,
        derived: false,
        fields: Vec::new(),
        content: Content::Unicode {
            text: String::new(),
            markup: Markup::Plain,
        },
    };
    if http {
        payload::response(&content, page, options)
    } else {
        payload::document(content, Some(&line.content_type), page)
    }
}
