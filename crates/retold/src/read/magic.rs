//! Detects by content, whatever the file's name, whether bytes are HTML or binary.

/// The byte order mark of UTF-8.
pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";

/// Whether the bytes begin like an HTML document, by the list of WHATWG's MIME sniffing standard; comments and an XML declaration are
/// skipped.
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
    let mut rest = head.strip_prefix(BOM).unwrap_or(head).trim_ascii_start();
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

/// Magic numbers of binary formats that crawls contain; other binary data shows by its control characters.
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

/// Whether the bytes are not text in any encoding.
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
    // Mostly Latin text in UTF-16: many zeros, all in even or all in odd positions.
    if (even == 0 || odd == 0) && (even + odd) * 4 > head.len() {
        return false;
    }
    // ESC is not counted, because ISO-2022-JP uses it to switch alphabets.
    let control = |byte: &&u8| matches!(**byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    let controls = head.iter().filter(control).count();
    controls * 50 > head.len()
}

/// Whether bytes without a byte order mark may be UTF-16 in either order: few units are control characters or unassigned.
pub(crate) fn is_utf_16(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(4096)];
    let text = |unit: fn([u8; 2]) -> u16| {
        let (units, _) = head.as_chunks::<2>();
        let units = char::decode_utf16(units.iter().map(|&bytes| unit(bytes)));
        let odd = |c: &Result<char, _>| match c {
            Ok(c) => {
                c.is_control() && !matches!(c, '\t' | '\n' | '\r')
                    || matches!(c, '\u{e000}'..='\u{f8ff}')
            }
            Err(_) => true,
        };
        let (all, odd) = units.fold((0, 0), |(all, count), c| {
            (all + 1, count + usize::from(odd(&c)))
        });
        odd * 50 <= all
    };
    !head.is_empty() && (text(u16::from_le_bytes) || text(u16::from_be_bytes))
}
/// Whether a file begins like an EPUB: a zip archive whose first file is its media type, uncompressed.
pub(crate) fn is_book(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04")
        && head
            .get(30..)
            .is_some_and(|name| name.starts_with(b"mimetypeapplication/epub+zip"))
}
