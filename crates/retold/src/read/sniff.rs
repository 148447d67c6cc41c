//! Format detection: by the first bytes, then by name, then by content. Only this file knows all formats.

use super::arc::{self, Arc};
use super::archive::Archived;
use super::compression::Compression;
use super::delimited::Delimited;
use super::dialect::Delimiter;
use super::document::Document;
use super::format::Format;
use super::jsonl::JsonLines;
use super::magic::{BOM, is_binary, is_book, is_html};
use super::options::ReadOptions;
#[cfg(feature = "parquet")]
use super::parquet::Parquet;
use super::unread::Unread;
use super::warc::Warc;
use crate::page::Markup;

/// Detects the format of a file from its first (decompressed) bytes and its name.
pub(crate) fn recognise(
    head: &[u8],
    name: &str,
    compression: Compression,
    options: &ReadOptions,
) -> Box<dyn Format> {
    let head = head.strip_prefix(BOM).unwrap_or(head);
    by_magic(head, extension(name) == "arc", compression)
        .or_else(|| by_name(head, name, compression, options))
        .unwrap_or_else(|| by_look(head, options))
}

fn document(markup: Markup) -> Box<dyn Format> {
    Box::new(Document(markup))
}

fn delimited(delimiter: u8) -> Box<dyn Format> {
    Box::new(Delimited(delimiter))
}

fn skip(kind: &'static str) -> Box<dyn Format> {
    Box::new(Unread::Skip(kind))
}

fn refuse(reason: impl Into<String>) -> Box<dyn Format> {
    Box::new(Unread::Refuse(reason.into()))
}

fn parquet(compression: Compression) -> Box<dyn Format> {
    if compression != Compression::None {
        return refuse(
            "Parquet inside gzip or zstd; decompress it first (Parquet compresses its own columns)",
        );
    }
    #[cfg(feature = "parquet")]
    return Box::new(Parquet);
    #[cfg(not(feature = "parquet"))]
    refuse("this build reads no Parquet; build it with the feature `parquet`")
}

fn by_magic(head: &[u8], is_named_arc: bool, compression: Compression) -> Option<Box<dyn Format>> {
    if arc::is_rest(head, is_named_arc) || head.starts_with(b"filedesc://") {
        Some(Box::new(Archived(&Arc)))
    } else if head.starts_with(b"WARC/") {
        Some(Box::new(Archived(&Warc)))
    } else if head.starts_with(b"PAR1") {
        Some(parquet(compression))
    } else if is_book(head) {
        Some(book())
    } else {
        feed(head)
    }
}

#[cfg(feature = "feeds")]
fn feed(head: &[u8]) -> Option<Box<dyn Format>> {
    super::feed::Feed::of(head).map(|feed| Box::new(feed) as Box<dyn Format>)
}

#[cfg(not(feature = "feeds"))]
fn feed(_: &[u8]) -> Option<Box<dyn Format>> {
    None
}

fn wacz(compression: Compression) -> Box<dyn Format> {
    if compression != Compression::None {
        return refuse("WACZ inside gzip or zstd; decompress it first");
    }
    #[cfg(feature = "zip")]
    return Box::new(super::wacz::Wacz);
    #[cfg(not(feature = "zip"))]
    refuse("this build reads no WACZ; build it with the feature `zip`")
}

fn book() -> Box<dyn Format> {
    #[cfg(feature = "zip")]
    return Box::new(super::book::Book);
    #[cfg(not(feature = "zip"))]
    refuse("this build reads no EPUB; build it with the feature `zip`")
}

/// The extension in lower case, ignoring that of the compression.
fn extension(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let bare = [".gz", ".gzip", ".zst", ".zstd"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(&name);
    match bare.rsplit_once('.') {
        Some((_, extension)) => extension.to_owned(),
        None => String::new(),
    }
}

/// Whether a file's name says that it has rows or lines.
pub(crate) fn has_rows(name: &str) -> bool {
    matches!(
        &*extension(name),
        "jsonl" | "ndjson" | "json" | "csv" | "tsv" | "tab"
    )
}

fn by_name(
    head: &[u8],
    name: &str,
    compression: Compression,
    options: &ReadOptions,
) -> Option<Box<dyn Format>> {
    let named = options.delimiter.map(Delimiter::byte);
    // A picture called `page.html` is still a picture.
    let page = |markup| match is_binary(head) {
        true => skip("not text"),
        false => document(markup),
    };
    Some(match extension(name).as_str() {
        "html" | "htm" | "xhtml" => page(Markup::Html),
        "txt" | "text" | "md" | "markdown" => page(Markup::Plain),
        "jsonl" | "ndjson" | "json" => json(head),
        "csv" => delimited(named.unwrap_or_else(|| delimiter(head))),
        "tsv" | "tab" => delimited(named.unwrap_or(b'\t')),
        "parquet" => parquet(compression),
        "warc" | "wet" | "wat" => Box::new(Archived(&Warc)),
        "wacz" if head.starts_with(b"PK\x03\x04") => wacz(compression),
        // Some writers do not put the media type first.
        "epub" if head.starts_with(b"PK\x03\x04") => book(),
        "arc" => Box::new(Archived(&Arc)),
        "css" | "js" | "mjs" | "map" => skip("script or style sheet"),
        "cdx" | "cdxj" => skip("index of a crawl"),
        "log" => skip("log"),
        "xz" | "bz2" | "7z" | "lz4" | "br" => packed(name),
        _ => return None,
    })
}

/// `.json` may be JSON Lines or one document over many lines, which would only give a reject per line.
fn json(head: &[u8]) -> Box<dyn Format> {
    let text = head.trim_ascii_start();
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or(text);
    let first = first.trim_ascii();
    if is_list_of_pages(first) {
        skip("list of a crawl's pages")
    } else if text.starts_with(b"[") {
        refuse("a JSON list, not JSON Lines (one object per line); `jq -c '.[]'` converts it")
    } else if matches!(first, b"{") && first.len() < text.len() {
        refuse(
            "JSON over several lines, not JSON Lines (one object per line); `jq -c .` converts it",
        )
    } else {
        Box::new(JsonLines)
    }
}

/// Whether a line is the first of a Webrecorder page list, which those crawlers write beside their WARCs.
fn is_list_of_pages(line: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct PageListHead {
        format: String,
    }
    let head: Result<PageListHead, _> = serde_json::from_slice(line);
    head.is_ok_and(|head| head.format.starts_with("json-pages-"))
}

/// An unsupported compression: a reject only if the name suggests pages.
fn packed(name: &str) -> Box<dyn Format> {
    let (inner, packing) = name.rsplit_once('.').unwrap_or((name, ""));
    match extension(inner).as_str() {
        "html" | "htm" | "txt" | "md" | "jsonl" | "ndjson" | "json" | "csv" | "tsv" | "warc"
        | "wet" | "arc" | "parquet" => refuse(format!(
            "compressed as .{packing}; only gzip and zstd are read, so decompress or recompress it first"
        )),
        _ => skip("not text"),
    }
}

/// The first line that is not blank. A CR ends it too, as in the reader of rows.
fn header_line(head: &[u8]) -> &[u8] {
    let mut lines = head.split(|byte| matches!(byte, b'\r' | b'\n'));
    lines.find(|line| !line.is_empty()).unwrap_or_default()
}

/// The delimiter of a `.csv`: the most frequent one in the header row.
fn delimiter(head: &[u8]) -> u8 {
    let header = header_line(head);
    let count = |wanted: u8| header.iter().filter(|byte| **byte == wanted).count();
    // The comma wins ties.
    [b'\t', b';', b',']
        .into_iter()
        .max_by_key(|delimiter| count(*delimiter))
        .unwrap_or(b',')
}

fn by_look(head: &[u8], options: &ReadOptions) -> Box<dyn Format> {
    if head.trim_ascii().is_empty() {
        skip("empty file")
    } else if is_binary(head) {
        skip("not text")
    } else if is_html(head) {
        document(Markup::Html)
    } else if looks_like_jsonl(head) {
        Box::new(JsonLines)
    } else if let Some(delimiter) = has_header(head, options) {
        delimited(delimiter)
    } else {
        document(Markup::Plain)
    }
}

fn looks_like_jsonl(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    if !head.starts_with(b"{") {
        return false;
    }
    match head.iter().position(|byte| *byte == b'\n') {
        Some(end) => serde_json::from_slice::<serde::de::IgnoredAny>(&head[..end]).is_ok(),
        // The first line is longer than the examined bytes.
        None => head[1..].trim_ascii_start().starts_with(b"\""),
    }
}

/// The delimiter, if the first line is a header with the text or HTML column.
fn has_header(head: &[u8], options: &ReadOptions) -> Option<u8> {
    let header = header_line(head);
    let named = options.delimiter.map(Delimiter::byte);
    named.into_iter().chain([b'\t', b',']).find(|delimiter| {
        let columns = header.split(|byte| byte == delimiter);
        let mut names = columns.map(|name| name.trim_ascii().trim_ascii_end());
        header.contains(delimiter)
            && names.any(|name| {
                let mut wanted = options.text_fields().chain([options.html_field.as_str()]);
                wanted.any(|wanted| name == wanted.as_bytes())
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(head: &[u8], name: &str) -> String {
        let format = recognise(head, name, Compression::None, &ReadOptions::default());
        format!("{format:?}")
    }

    fn delimited_by(delimiter: char) -> String {
        format!("Delimited({})", u32::from(delimiter))
    }

    #[test]
    fn content_goes_before_the_name() {
        assert_eq!(format(b"WARC/1.0\r\n", "x.html"), "Archived(Warc)");
        #[cfg(feature = "parquet")]
        assert_eq!(format(b"PAR1....", "x.csv"), "Parquet");
        assert_eq!(
            format(b"filedesc://a.arc 0.0.0.0", "noname"),
            "Archived(Arc)"
        );
        assert_eq!(
            format(b"\x89PNG\r\n\x1a\n....", "page.html"),
            "Skip(\"not text\")"
        );
    }

    #[test]
    fn the_name_goes_before_the_look() {
        assert_eq!(format(b"{\"text\":\"a\"}\n", "a.txt"), "Document(Plain)");
        assert_eq!(format(b"just words", "A.HTM.gz"), "Document(Html)");
        assert_eq!(format(b"", "a.jsonl.zst"), "JsonLines");
        assert_eq!(format(b"a;text\n1;2\n", "a.csv"), delimited_by(';'));
        assert_eq!(format(b"text\nwords\n", "a.csv"), delimited_by(','));
        assert_eq!(
            format(b"a;text\r1,2;3,4\r5;6\n", "a.csv"),
            delimited_by(';')
        );
        assert_eq!(format(b"\r\na;text\n1;2\n", "a.csv"), delimited_by(';'));
        assert_eq!(
            format(b"com,example)/ 20260101 {}", "a.cdxj.gz"),
            "Skip(\"index of a crawl\")"
        );
        let pages = br#"{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}"#;
        assert_eq!(
            format(pages, "pages.jsonl"),
            "Skip(\"list of a crawl's pages\")"
        );
        assert_eq!(
            format(br#"{"format": "pdf", "text": "a"}"#, "a.jsonl"),
            "JsonLines"
        );
        assert_eq!(
            format(b"body{}", "a.css"),
            "Skip(\"script or style sheet\")"
        );
    }

    #[test]
    fn without_a_name_the_look_decides() {
        assert_eq!(
            format(b"\xef\xbb\xbf <!-- x --><!DOCTYPE html><p>", "a"),
            "Document(Html)"
        );
        assert_eq!(
            format(b"{\"text\":\"a\"}\n{\"text\":\"b\"}\n", "a"),
            "JsonLines"
        );
        assert_eq!(format(b"id\ttext\n1\tb\n", "a"), delimited_by('\t'));
        assert_eq!(format("一些文字\n".as_bytes(), "a"), "Document(Plain)");
        assert_eq!(format(b"\0\x01\x02\x03\x04", "a"), "Skip(\"not text\")");
        assert_eq!(
            format(b"h\0t\0m\0l\0 \0t\0e\0x\0t\0", "a.txt"),
            "Document(Plain)"
        );
        assert_eq!(format(b" \n", "a"), "Skip(\"empty file\")");
    }

    #[test]
    fn what_no_reader_opens_is_refused_with_a_way_out() {
        assert!(format(b"[\n{}]", "a.json").starts_with("Refuse("));
        assert!(format(b"{\n \"text\": 1}", "a.json").starts_with("Refuse("));
        assert!(format(b"\xfd7zXZ\0", "a.jsonl.xz").starts_with("Refuse("));
        assert_eq!(format(b"\xfd7zXZ\0", "a.tar.xz"), "Skip(\"not text\")");
    }
}
