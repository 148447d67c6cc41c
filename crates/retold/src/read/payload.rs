//! The content of an archive record (an HTTP response or a document), with transfer and content encodings removed.

use std::borrow::Cow;
use std::io::Read;

use super::fields::{Fields, block_length};
use super::frame::too_large;
use super::magic;
use super::options::ReadOptions;
use super::record::Outcome;
use crate::page::{Content, Markup, Page};

/// Classes of media types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Media {
    Html,
    Plain,
    /// No type, or a generic one: decided by the bytes.
    Unknown,
    Other(&'static str),
}

/// Media types of non-pages that are common enough for a count of their own.
const OTHERS: &[(&str, &str)] = &[
    ("application/pdf", "not text (application/pdf)"),
    ("application/json", "not text (application/json)"),
    ("application/javascript", "not text (javascript)"),
    ("application/x-javascript", "not text (javascript)"),
    ("text/javascript", "not text (javascript)"),
    ("text/css", "not text (text/css)"),
    ("text/dns", "not text (text/dns)"),
    ("text/xml", "not text (xml)"),
    ("application/xml", "not text (xml)"),
    ("application/rss+xml", "not text (xml)"),
    ("application/atom+xml", "not text (xml)"),
    ("image/png", "not text (image/png)"),
    ("image/jpeg", "not text (image/jpeg)"),
    ("image/jpg", "not text (image/jpeg)"),
    ("image/gif", "not text (image/gif)"),
    ("image/webp", "not text (image/webp)"),
    ("image/svg+xml", "not text (image/svg+xml)"),
    ("image/", "not text (image)"),
    ("audio/", "not text (audio)"),
    ("video/", "not text (video)"),
    ("font/", "not text (font)"),
    ("application/", "not text (application)"),
    ("text/", "not text (other text/*)"),
];

/// The kind under which empty payloads (such as redirects) are counted.
const EMPTY: &str = "empty payload";

fn media(content_type: Option<&str>) -> Media {
    let full = content_type.unwrap_or_default();
    let essence = full
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    match essence.as_str() {
        "text/html" | "application/xhtml+xml" | "application/vnd.wap.xhtml+xml" => Media::Html,
        "text/plain" | "text/markdown" | "text/x-markdown" => Media::Plain,
        "application/octet-stream" | "application/unknown" | "text/unknown" => Media::Unknown,
        essence => OTHERS
            .iter()
            .find(|(type_, _)| essence.starts_with(type_))
            .map_or(Media::Unknown, |(_, kind)| Media::Other(kind)),
    }
}

fn charset(content_type: Option<&str>) -> Option<String> {
    content_type?.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']).trim();
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_owned())
    })
}

/// The kind under which a payload is skipped for its type alone; `start` is the part of it at hand.
pub(crate) fn skipped_by_type(
    http: bool,
    content_type: Option<&str>,
    start: &[u8],
) -> Option<&'static str> {
    let own;
    let content_type = match (http, block_length(start)) {
        (true, Some(length)) => {
            own = Fields::parse(&start[..length]);
            own.get("Content-Type")
        }
        (true, None) => return None,
        (false, _) => content_type,
    };
    match media(content_type) {
        Media::Other(kind) => Some(kind),
        _ => None,
    }
}

/// Makes a page from an HTTP response; `page` has everything but the content.
pub(crate) fn response(message: &[u8], page: Page, options: &ReadOptions) -> Outcome {
    let message = after_interim(message);
    // Some archives store bare documents as responses.
    if !message.starts_with(b"HTTP") && !message.starts_with(b"ICY ") {
        return document(message.to_vec(), None, page);
    }
    let Some(length) = block_length(message) else {
        return Outcome::Skipped(EMPTY.into());
    };
    if let Some(status) = status(message).filter(|&status| !options.status.has(status)) {
        return Outcome::Skipped(Cow::Owned(format!("http status {status}")));
    }
    let fields = Fields::parse(&message[..length]);
    let content_type = fields.get("Content-Type");
    if let Media::Other(kind) = media(content_type) {
        // XHTML is often sent as XML; other types are taken at their word.
        if kind != "not text (xml)" {
            return Outcome::Skipped(kind.into());
        }
    }
    let mut body = message[length..].to_vec();
    let chunked = |value: &str| value.to_ascii_lowercase().contains("chunked");
    if fields.get("Transfer-Encoding").is_some_and(chunked)
        && let Some(joined) = joined_chunks(&body)
    {
        body = joined;
    }
    for encoding in fields
        .get("Content-Encoding")
        .unwrap_or_default()
        .rsplit(',')
    {
        let encoding = encoding.trim().to_ascii_lowercase();
        body = match decoded(body, &encoding, options.max_record_size) {
            Ok(body) => body,
            Err(reason) => return Outcome::Rejected(reason),
        };
    }
    document(body, content_type, page)
}

/// The message without interim answers such as `100 Continue`, which come before the one that counts.
fn after_interim(mut message: &[u8]) -> &[u8] {
    while message.starts_with(b"HTTP")
        && status(message).is_some_and(|status| (100..200).contains(&status))
        && let Some(length) = block_length(message)
        && message[length..].starts_with(b"HTTP")
    {
        message = &message[length..];
    }
    message
}

/// The status of a response; `None` if its first line has none (HTTP/0.9, faulty servers).
fn status(message: &[u8]) -> Option<u16> {
    let line = message.split(|byte| *byte == b'\n').next()?;
    let mut words = line
        .split(|byte| *byte == b' ')
        .filter(|word| !word.is_empty());
    let status = std::str::from_utf8(words.nth(1)?.trim_ascii_end()).ok()?;
    status
        .parse()
        .ok()
        .filter(|status| (100..1000).contains(status))
}

/// Makes a page from a document with its media type.
pub(crate) fn document(bytes: Vec<u8>, content_type: Option<&str>, page: Page) -> Outcome {
    if bytes.is_empty() {
        return Outcome::Skipped(EMPTY.into());
    }
    let html = magic::is_html(&bytes);
    let markup = match media(content_type) {
        Media::Other("not text (xml)") if html => Markup::Html,
        Media::Other(kind) => return Outcome::Skipped(kind.into()),
        // UTF-16 without a byte order mark looks binary, and the header may be wrong.
        _ if magic::is_binary(&bytes) && !is_utf_16(content_type, &bytes) => {
            return Outcome::Skipped("not text".into());
        }
        Media::Html => Markup::Html,
        Media::Plain | Media::Unknown if html => Markup::Html,
        Media::Plain | Media::Unknown => Markup::Plain,
    };
    Outcome::Page(Page {
        content: Content::Bytes {
            bytes,
            charset: charset(content_type),
            markup,
        },
        ..page
    })
}

/// Whether the header says UTF-16 and the bytes allow it: control characters have a zero byte beside them.
fn is_utf_16(content_type: Option<&str>, bytes: &[u8]) -> bool {
    let charset = charset(content_type)
        .unwrap_or_default()
        .to_ascii_lowercase();
    charset.starts_with("utf-16") && bytes.len().is_multiple_of(2) && magic::is_utf_16(bytes)
}

/// Joins the chunks of a chunked body, as far as readable; `None` if the body is not chunked (many crawlers join the chunks and leave the
/// header).
fn joined_chunks(body: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    loop {
        let (begin, size) = match httparse::parse_chunk_size(rest) {
            Ok(httparse::Status::Complete(found)) => found,
            _ if rest.len() == body.len() => return None,
            _ => return Some(out),
        };
        let data = &rest[begin..];
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        if size == 0 {
            return Some(out);
        }
        let Some(chunk) = data.get(..size) else {
            out.extend_from_slice(data);
            return Some(out);
        };
        out.extend_from_slice(chunk);
        let behind = &data[size..];
        let next = behind
            .strip_prefix(b"\r\n")
            .or_else(|| behind.strip_prefix(b"\n"));
        rest = match next {
            Some(next) => next,
            None if behind.is_empty() => return Some(out),
            // A text that merely begins with a number on its own line.
            None => return None,
        };
    }
}

/// The body with one content encoding removed. Labels are often wrong and bodies truncated: a body that cannot be decoded is taken as it
/// is, and a truncated one as far as it can be decoded.
fn decoded(body: Vec<u8>, encoding: &str, limit: u64) -> Result<Vec<u8>, String> {
    let zlib = matches!(&body[..], [first, second, ..]
        if first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0);
    let read: Box<dyn Read> = match encoding {
        "gzip" | "x-gzip" if body.starts_with(b"\x1f\x8b") => {
            Box::new(flate2::read::MultiGzDecoder::new(&*body))
        }
        // Servers disagree on whether `deflate` includes zlib's two header bytes.
        "deflate" if zlib => Box::new(flate2::read::ZlibDecoder::new(&*body)),
        "deflate" => Box::new(flate2::read::DeflateDecoder::new(&*body)),
        "br" => Box::new(brotli_decompressor::Decompressor::new(&*body, 4096)),
        "zstd" if body.starts_with(b"\x28\xb5\x2f\xfd") => {
            Box::new(zstd::Decoder::with_buffer(&*body).map_err(|error| error.to_string())?)
        }
        _ => return Ok(body),
    };
    let mut out = Vec::new();
    let result = read.take(limit.saturating_add(1)).read_to_end(&mut out);
    if out.len() as u64 > limit {
        return Err(too_large(limit));
    }
    // `deflate` and `br` have no magic number, so plain text may decode to a few bytes of nonsense.
    let labelled_only = result.is_err() && (out.is_empty() || !magic::is_binary(&body));
    Ok(if labelled_only { body } else { out })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::super::tests::{brief, gzip};
    use super::*;

    fn page() -> Page {
        let content = Content::Unicode {
            text: String::new(),
            markup: Markup::Plain,
        };
        Page {
            id: "u".into(),
            url: None,
            site: None,
            date: None,
            title: None,
            derived: false,
            fields: Vec::new(),
            content,
        }
    }

    fn read(head: &str, body: &[u8]) -> String {
        let message = [
            format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n").as_bytes(),
            body,
        ]
        .concat();
        let options = ReadOptions {
            max_record_size: 1000,
            ..ReadOptions::default()
        };
        brief(response(&message, page(), &options))
    }

    #[test]
    fn responses_of_other_statuses_are_skipped() {
        let read = |line: &str, statuses: &str| {
            let options = ReadOptions {
                status: statuses.parse().unwrap(),
                ..ReadOptions::default()
            };
            let message = format!("{line}\r\nContent-Type: text/plain\r\n\r\ntext");
            brief(response(message.as_bytes(), page(), &options))
        };
        assert_eq!(read("HTTP/1.1 404 Not Found", "200"), "-http status 404");
        assert_eq!(read("HTTP/1.1  404", "200,404"), "u=text");
        assert_eq!(read("HTTP/1.0 500 Oops", "any"), "u=text");
        assert_eq!(read("HTTP/1.1 200 OK", "301"), "-http status 200");
        // A missing status does not reject the response.
        for line in ["HTTP/0.9", "HTTP/1.1 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 "] {
            assert_eq!(read(line, "200"), "u=text", "{line}");
        }
    }

    #[test]
    fn a_text_that_begins_with_a_number_is_not_chunked() {
        let chunked = "Transfer-Encoding: chunked";
        let text = b"10\r\nis the number of the first line of this text, and not a length.";
        assert_eq!(
            read(chunked, text),
            format!("u={}", String::from_utf8_lossy(text))
        );
        assert_eq!(
            read(chunked, b"3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"),
            "u=onetwo"
        );
        // Truncated inside a chunk and after one.
        assert_eq!(read(chunked, b"3\r\none\r\n9\r\ntwo"), "u=onetwo");
        assert_eq!(read(chunked, b"3\r\none"), "u=one");
    }

    #[test]
    fn utf_16_may_be_named_in_the_header_alone() {
        let chinese: Vec<u8> = "昨天的渡船离开了港口。"
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        let type_ = "Content-Type: text/plain; charset=UTF-16BE";
        assert!(read(type_, &chinese).starts_with("u="));
        let noise: Vec<u8> = (0..400u32).map(|n| (n * n % 251 % 9) as u8).collect();
        assert_eq!(read(type_, &noise), "-not text");
        assert_eq!(read("Content-Type: text/plain", &noise), "-not text");
    }

    #[test]
    fn content_encodings_come_off_in_turn() {
        let text = b"<p>hello hello hello";
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        zlib.write_all(text).unwrap();
        let zlib = zlib.finish().unwrap();
        let mut raw = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        raw.write_all(text).unwrap();
        let raw = raw.finish().unwrap();
        let zstd = zstd::encode_all(&text[..], 3).unwrap();
        let brotli = b"\x8b\x09\x80<p>hello hello hello\x03";
        let chunked = b"5\r\n<p>he\r\nf;x=y\r\nllo hello hello\r\n0\r\nTrailer: x\r\n\r\n";
        for (head, body, expected) in [
            ("Content-Encoding: gzip", &gzip(text)[..], &text[..]),
            ("Content-Encoding: x-gzip, identity", &gzip(text), text),
            ("Content-Encoding: deflate", &zlib, text),
            ("Content-Encoding: deflate", &raw, text),
            ("Content-Encoding: zstd", &zstd, text),
            ("Content-Encoding: br", brotli, text),
            (
                "Content-Encoding: gzip, zstd",
                &zstd::encode_all(&gzip(text)[..], 3).unwrap(),
                text,
            ),
            ("Transfer-Encoding: Chunked", chunked, text),
            ("Transfer-Encoding: chunked", &chunked[..12], b"<p>he"),
            ("Transfer-Encoding: chunked", text, text),
            ("Content-Encoding: gzip", text, text),
            ("Content-Encoding: br", text, text),
            ("Content-Encoding: deflate", text, text),
        ] {
            let found = read(&format!("Content-Type: text/html\r\n{head}"), body);
            assert_eq!(
                found,
                format!("u={}", String::from_utf8_lossy(expected)),
                "{head}"
            );
        }
    }

    #[test]
    fn a_small_body_may_not_become_a_large_one() {
        let found = read("Content-Encoding: gzip", &gzip(&[b'a'; 5000]));
        assert_eq!(found, "!larger than --max-record-size (1000 bytes)");
    }

    #[test]
    fn types_decide_and_bytes_where_there_is_no_type() {
        assert_eq!(
            read("Content-Type: image/png", b"x"),
            "-not text (image/png)"
        );
        assert_eq!(read("Content-Type: image/x-new", b"x"), "-not text (image)");
        assert_eq!(
            read("Content-Type: text/html", b"\x89PNG\r\n\x1a\n"),
            "-not text"
        );
        assert_eq!(read("X: y", b"words"), "u=words");
        assert_eq!(
            read("Content-Type: text/xml", b"<?xml?><html >"),
            "u=<?xml?><html >"
        );
        assert_eq!(
            read("Content-Type: text/xml", b"<?xml?><rss>"),
            "-not text (xml)"
        );
        assert_eq!(read("Location: /", b""), "-empty payload");
    }

    #[test]
    fn the_charset_is_handed_on() {
        for header in [
            "text/html; charset=\"GBK\"",
            "text/html;x=y; Charset = GBK ",
            "text/html;charset='GBK'",
        ] {
            assert_eq!(charset(Some(header)).as_deref(), Some("GBK"), "{header}");
        }
        assert_eq!(charset(Some("text/html; charset=")), None);
    }
}
