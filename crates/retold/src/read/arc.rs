//! ARC records, version 1 and 2: `URL IP date type … length` in one line, then the response.

use std::net::IpAddr;

use super::archive::Head;
use super::{Outcome, ReadOptions, Source, payload};
use crate::page::{Content, Markup, Page};

/// The parsed header line of a record.
struct Line {
    url: String,
    date: String,
    content_type: String,
    /// Whether the IP address is one.
    has_ip: bool,
    /// With its line end.
    length: usize,
    content: u64,
}

/// Reads the line that `bytes` begin with. URLs in old crawls have blanks, so the date is looked for.
fn line(bytes: &[u8]) -> Option<Line> {
    let end = memchr::memchr(b'\n', &bytes[..bytes.len().min(16 * 1024)])?;
    let text = String::from_utf8_lossy(&bytes[..end]);
    let parts = text.trim_end().split(' ').collect::<Vec<_>>();
    let is_date = |part: &&str| {
        matches!(part.len(), 12 | 14) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let date = parts.iter().rposition(is_date)?;
    let content = parts.last()?.parse().ok()?;
    // URL and IP before the date; type and length, and more in version 2, behind it.
    if date < 2 || parts.len() < date + 3 {
        return None;
    }
    let url = parts[..date - 1].join(" ");
    has_scheme(&url).then(|| Line {
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

/// Whether a file that begins with `bytes` is ARC without its first record, which names the format. `named` says that the
/// file's name is that of an ARC file; otherwise the line must have an IP address too.
pub(crate) fn is_rest(bytes: &[u8], named: bool) -> bool {
    let blank = bytes
        .iter()
        .take_while(|byte| matches!(byte, b'\r' | b'\n' | 0));
    line(&bytes[blank.count()..]).is_some_and(|line| named || line.has_ip)
}

/// Reads the header at the start of `bytes`.
pub(crate) fn head(bytes: &[u8]) -> Result<Head, String> {
    let line = line(bytes).ok_or("not the beginning of an ARC record")?;
    Ok(Head {
        length: line.length,
        content: line.content,
        skipped: line.url.starts_with("filedesc:").then_some("arc filedesc"),
        http: line.url.starts_with("http"),
        content_type: Some(line.content_type),
    })
}

/// Parses one record, head and content.
pub(crate) fn parse(
    mut bytes: Vec<u8>,
    number: u64,
    source: &Source,
    options: &ReadOptions,
) -> Outcome {
    let Some(line) = line(&bytes) else {
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
        content: Content::Unicode {
            text: String::new(),
            markup: Markup::Plain,
        },
    };
    if http {
        payload::response(&content, page, options.max_record_size)
    } else {
        payload::document(content, Some(&line.content_type), page)
    }
}
