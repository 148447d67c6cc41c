//! Format detection: by the first bytes, then by name, then by content.

use super::ReadOptions;
use crate::page::Markup;

/// The supported formats, and what happens to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// One page, the file itself.
    Document(Markup),
    Jsonl,
    Delimited(u8),
    Parquet,
    Warc,
    Arc,
    /// Not a page; counted under this kind.
    Skip(&'static str),
    /// A file that may have pages but is not supported; the reason is shown to people.
    Refuse(String),
}

/// Decides on the format of a file from its first (decompressed) bytes and its name.
pub(crate) fn recognise(head: &[u8], name: &str, options: &ReadOptions) -> Format {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    by_magic(head, extension(name) == "arc")
        .or_else(|| by_name(head, name))
        .unwrap_or_else(|| by_look(head, options))
}

fn by_magic(head: &[u8], is_named_arc: bool) -> Option<Format> {
    const CONTAINERS: [(&[u8], Format); 3] = [
        (b"WARC/", Format::Warc),
        (b"PAR1", Format::Parquet),
        (b"filedesc://", Format::Arc),
    ];
    if super::arc::is_rest(head, is_named_arc) {
        return Some(Format::Arc);
    }
    CONTAINERS
        .into_iter()
        .find_map(|(magic, format)| head.starts_with(magic).then_some(format))
}

/// The extension in lower case, without that of the compression.
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

fn by_name(head: &[u8], name: &str) -> Option<Format> {
    let format = match extension(name).as_str() {
        "html" | "htm" | "xhtml" => Format::Document(Markup::Html),
        "txt" | "text" | "md" | "markdown" => Format::Document(Markup::Plain),
        "jsonl" | "ndjson" | "json" => json(head),
        "csv" => Format::Delimited(delimiter(head)),
        "tsv" | "tab" => Format::Delimited(b'\t'),
        "parquet" => Format::Parquet,
        "warc" | "wet" | "wat" => Format::Warc,
        "arc" => Format::Arc,
        "css" | "js" | "mjs" | "map" => Format::Skip("script or style sheet"),
        "xz" | "bz2" | "7z" | "lz4" | "br" => packed(name),
        _ => return None,
    };
    // A picture called `page.html` is still a picture.
    match format {
        Format::Document(_) if is_binary(head) => Some(Format::Skip("not text")),
        format => Some(format),
    }
}

/// `.json` may be JSON Lines or one document over many lines; the latter would only give a reject for every line.
fn json(head: &[u8]) -> Format {
    let text = head.trim_ascii_start();
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or(text);
    let alone = first.trim_ascii();
    if text.starts_with(b"[") {
        Format::Refuse(
            "a JSON list, not JSON Lines (one object a line); `jq -c '.[]'` makes that of it"
                .into(),
        )
    } else if matches!(alone, b"{") && alone.len() < text.len() {
        Format::Refuse("JSON over several lines, not JSON Lines (one object a line); `jq -c .` makes that of it".into())
    } else {
        Format::Jsonl
    }
}

/// An unsupported compression: a reject only if the name suggests pages.
fn packed(name: &str) -> Format {
    let (inner, packing) = name.rsplit_once('.').unwrap_or((name, ""));
    match extension(inner).as_str() {
        "html" | "htm" | "txt" | "md" | "jsonl" | "ndjson" | "json" | "csv" | "tsv" | "warc"
        | "wet" | "arc" | "parquet" => Format::Refuse(format!(
            "compressed as .{packing}; only gzip and zstd are read, so decompress or recompress it first"
        )),
        _ => Format::Skip("not text"),
    }
}

/// The first line that is not blank; a CR ends it too, as it does for the reader of rows.
fn header_line(head: &[u8]) -> &[u8] {
    let mut lines = head.split(|byte| matches!(byte, b'\r' | b'\n'));
    lines.find(|line| !line.is_empty()).unwrap_or_default()
}

/// The delimiter of a `.csv`: the most frequent one in the header row.
fn delimiter(head: &[u8]) -> u8 {
    let header = header_line(head);
    let count = |wanted: u8| header.iter().filter(|byte| **byte == wanted).count();
    // The comma wins a tie.
    [b'\t', b';', b',']
        .into_iter()
        .max_by_key(|delimiter| count(*delimiter))
        .unwrap_or(b',')
}

fn by_look(head: &[u8], options: &ReadOptions) -> Format {
    if head.trim_ascii().is_empty() {
        Format::Skip("empty file")
    } else if is_binary(head) {
        Format::Skip("not text")
    } else if is_html(head) {
        Format::Document(Markup::Html)
    } else if looks_like_jsonl(head) {
        Format::Jsonl
    } else if let Some(delimiter) = has_header(head, options) {
        Format::Delimited(delimiter)
    } else {
        Format::Document(Markup::Plain)
    }
}

fn looks_like_jsonl(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    if !head.starts_with(b"{") {
        return false;
    }
    match head.iter().position(|byte| *byte == b'\n') {
        Some(end) => serde_json::from_slice::<serde::de::IgnoredAny>(&head[..end]).is_ok(),
        // The first line is longer than what is looked at.
        None => head[1..].trim_ascii_start().starts_with(b"\""),
    }
}

/// The delimiter, if the first line is a header that has the text or the HTML column.
fn has_header(head: &[u8], options: &ReadOptions) -> Option<u8> {
    let header = header_line(head);
    [b'\t', b','].into_iter().find(|delimiter| {
        let columns = header.split(|byte| byte == delimiter);
        let mut names = columns.map(|name| name.trim_ascii().trim_ascii_end());
        header.contains(delimiter)
            && names.any(|name| {
                let mut wanted = options.text_fields().chain([options.html_field.as_str()]);
                wanted.any(|wanted| name == wanted.as_bytes())
            })
    })
}

/// Whether the bytes begin like an HTML document (the list of WHATWG's MIME sniffing standard, comments and an XML
/// declaration passed over).
pub(crate) fn is_html(head: &[u8]) -> bool {
    const TAGS: [&str; 17] = [
        "!doctype html",
        "html",
        "head",
        "script",
        "iframe",
        "h1",
        "div",
        "font",
        "table",
        "a",
        "style",
        "title",
        "b",
        "body",
        "br",
        "p",
        "meta",
    ];
    let mut rest = head
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(head)
        .trim_ascii_start();
    loop {
        let end: &[u8] = if rest.starts_with(b"<!--") {
            b"-->"
        } else if rest.starts_with(b"<?") {
            b"?>"
        } else {
            break;
        };
        match memchr::memmem::find(rest, end) {
            Some(place) => rest = rest[place + end.len()..].trim_ascii_start(),
            None => return false,
        }
    }
    let Some(rest) = rest.strip_prefix(b"<") else {
        return false;
    };
    TAGS.iter().any(|tag| {
        rest.len() > tag.len()
            && rest[..tag.len()].eq_ignore_ascii_case(tag.as_bytes())
            && matches!(rest[tag.len()], b' ' | b'>' | b'\t' | b'\n' | b'\r' | b'/')
    })
}

/// Magic numbers of what crawls hold besides text; anything else binary shows by its control characters.
const MAGIC: [&[u8]; 20] = [
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"GIF87a",
    b"GIF89a",
    b"%PDF-",
    b"PK\x03\x04",
    b"RIFF",
    b"OggS",
    b"ID3",
    b"\x1f\x8b\x08",
    b"BZh",
    b"\xfd7zXZ\0",
    b"7z\xbc\xaf",
    b"Rar!",
    b"\x7fELF",
    b"wOFF",
    b"wOF2",
    b"\0\0\x01\0",
    b"II*\0",
    b"MM\0*",
];

/// Whether the bytes are no text in any encoding.
pub(crate) fn is_binary(head: &[u8]) -> bool {
    if MAGIC.iter().any(|magic| head.starts_with(magic)) {
        return true;
    }
    let head = &head[..head.len().min(4096)];
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        return false;
    }
    let odd = memchr::memchr_iter(0, head)
        .filter(|at| at % 2 == 1)
        .count();
    let even = memchr::memchr_iter(0, head).count() - odd;
    // UTF-16 of mostly Latin text: zeros on one side only, and many.
    if (even == 0 || odd == 0) && (even + odd) * 4 > head.len() {
        return false;
    }
    // ESC is left out of the count: ISO-2022-JP uses it to switch alphabets.
    let control = |byte: &&u8| matches!(**byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    let controls = head.iter().filter(control).count();
    controls * 50 > head.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(head: &[u8], name: &str) -> Format {
        recognise(head, name, &ReadOptions::default())
    }

    #[test]
    fn content_goes_before_the_name() {
        assert_eq!(format(b"WARC/1.0\r\n", "x.html"), Format::Warc);
        assert_eq!(format(b"PAR1....", "x.csv"), Format::Parquet);
        assert_eq!(format(b"filedesc://a.arc 0.0.0.0", "noname"), Format::Arc);
        assert_eq!(
            format(b"\x89PNG\r\n\x1a\n....", "page.html"),
            Format::Skip("not text")
        );
    }

    #[test]
    fn the_name_goes_before_the_look() {
        assert_eq!(
            format(b"{\"text\":\"a\"}\n", "a.txt"),
            Format::Document(Markup::Plain)
        );
        assert_eq!(
            format(b"just words", "A.HTM.gz"),
            Format::Document(Markup::Html)
        );
        assert_eq!(format(b"", "a.jsonl.zst"), Format::Jsonl);
        assert_eq!(format(b"a;text\n1;2\n", "a.csv"), Format::Delimited(b';'));
        assert_eq!(format(b"text\nwords\n", "a.csv"), Format::Delimited(b','));
        assert_eq!(
            format(b"a;text\r1,2;3,4\r5;6\n", "a.csv"),
            Format::Delimited(b';')
        );
        assert_eq!(
            format(b"\r\na;text\n1;2\n", "a.csv"),
            Format::Delimited(b';')
        );
        assert_eq!(
            format(b"body{}", "a.css"),
            Format::Skip("script or style sheet")
        );
    }

    #[test]
    fn without_a_name_the_look_decides() {
        assert_eq!(
            format(b"\xef\xbb\xbf <!-- x --><!DOCTYPE html><p>", "a"),
            Format::Document(Markup::Html)
        );
        assert_eq!(
            format(b"{\"text\":\"a\"}\n{\"text\":\"b\"}\n", "a"),
            Format::Jsonl
        );
        assert_eq!(format(b"id\ttext\n1\tb\n", "a"), Format::Delimited(b'\t'));
        assert_eq!(
            format("一些文字\n".as_bytes(), "a"),
            Format::Document(Markup::Plain)
        );
        assert_eq!(format(b"\0\x01\x02\x03\x04", "a"), Format::Skip("not text"));
        assert_eq!(
            format(b"h\0t\0m\0l\0 \0t\0e\0x\0t\0", "a.txt"),
            Format::Document(Markup::Plain)
        );
        assert_eq!(format(b" \n", "a"), Format::Skip("empty file"));
    }

    #[test]
    fn what_no_reader_opens_is_refused_with_a_way_out() {
        assert!(matches!(format(b"[\n{}]", "a.json"), Format::Refuse(_)));
        assert!(matches!(
            format(b"{\n \"text\": 1}", "a.json"),
            Format::Refuse(_)
        ));
        assert!(matches!(
            format(b"\xfd7zXZ\0", "a.jsonl.xz"),
            Format::Refuse(_)
        ));
        assert_eq!(format(b"\xfd7zXZ\0", "a.tar.xz"), Format::Skip("not text"));
    }
}
