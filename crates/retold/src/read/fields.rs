//! Header blocks: the named fields of WARC records and HTTP responses, which share one form.

use httparse::{EMPTY_HEADER, ParserConfig, Response};

/// Maximum number of fields in a block; the rest is ignored.
const MOST: usize = 512;

/// The named fields of a block, with folded values joined.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Reads the fields of `block`, which comes without its first line (`WARC/1.0`, `HTTP/1.1 200 OK`). Lines that are not fields are
    /// skipped, because crawls keep whatever servers sent.
    pub fn parse(block: &[u8]) -> Fields {
        let first = memchr::memchr(b'\n', block).map_or(block.len(), |end| end + 1);
        let lines = &block[first..];
        strict(lines)
            .or_else(|| strict(&cleaned(lines)))
            .unwrap_or_default()
    }

    /// The values of all fields of that name, in any case.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let fields = self.0.iter();
        let named = fields.filter(move |(own, _)| own.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str())
    }

    /// The first field of that name, in any case.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut fields = self.0.iter();
        fields
            .find(|(own, _)| own.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

/// Parses the lines with httparse in its most lenient mode.
fn strict(lines: &[u8]) -> Option<Fields> {
    // httparse is lenient only with responses, so the lines are wrapped in one.
    let mut message = Vec::with_capacity(lines.len() + 32);
    message.extend_from_slice(b"HTTP/1.1 200 OK\r\n");
    message.extend_from_slice(lines.trim_ascii_end());
    message.extend_from_slice(b"\r\n\r\n");
    let mut headers = [EMPTY_HEADER; 64];
    let mut many;
    let mut config = ParserConfig::default();
    config
        .allow_obsolete_multiline_headers_in_responses(true)
        .allow_spaces_after_header_name_in_responses(true)
        .ignore_invalid_headers_in_responses(true);
    let mut response = Response::new(&mut headers);
    match config.parse_response(&mut response, &message) {
        Ok(_) => {}
        Err(httparse::Error::TooManyHeaders) => {
            many = vec![EMPTY_HEADER; MOST];
            response = Response::new(&mut many);
            config.parse_response(&mut response, &message).ok()?;
        }
        Err(_) => return None,
    }
    let fields = response
        .headers
        .iter()
        .map(|field| (field.name.to_owned(), unfolded(field.value)));
    Some(Fields(fields.collect()))
}

/// The value on one line. Bytes that are not UTF-8 are read as Latin-1, as HTTP specifies.
fn unfolded(value: &[u8]) -> String {
    let text = match std::str::from_utf8(value) {
        Ok(text) => text.to_owned(),
        Err(_) => value.iter().map(|byte| char::from(*byte)).collect(),
    };
    if !text.contains('\n') {
        return text;
    }
    let lines = text.lines().map(str::trim);
    lines.collect::<Vec<_>>().join(" ")
}

/// Removes the lines at which httparse stops: no colon, or control characters.
fn cleaned(lines: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(lines.len());
    for line in lines.split(|byte| *byte == b'\n').take(MOST) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let printable = line.iter().all(|byte| *byte >= b' ' || *byte == b'\t');
        if printable && line.contains(&b':') {
            out.extend_from_slice(line);
            out.extend_from_slice(b"\r\n");
        }
    }
    out
}

/// The length of the header block at the start of `bytes`, with its blank line; `None` if that line is missing.
pub(crate) fn block_length(bytes: &[u8]) -> Option<usize> {
    let mut begin = 0;
    for end in memchr::memchr_iter(b'\n', bytes) {
        if matches!(&bytes[begin..end], b"" | b"\r") {
            return Some(end + 1);
        }
        begin = end + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_however_badly_they_are_written() {
        let block = b"HTTP/1.0 200\nserver:x\r\nContent-TYPE : text/html;\r\n\tcharset=gbk\r\nno field\r\nA: \xe9\r\n\r\nbody";
        let length = block_length(block).unwrap();
        assert_eq!(&block[length..], b"body");
        let fields = Fields::parse(&block[..length]);
        assert_eq!(fields.get("Server"), Some("x"));
        assert_eq!(fields.get("content-type"), Some("text/html; charset=gbk"));
        assert_eq!(fields.get("a"), Some("é"));
        assert_eq!(fields.get("b"), None);
    }

    #[test]
    fn more_fields_than_usual_and_control_characters_are_no_obstacle() {
        let mut block = b"WARC/1.0\r\n".to_vec();
        for number in 0..100 {
            block.extend(format!("F{number}: {number}\r\n").bytes());
        }
        assert_eq!(Fields::parse(&block).get("f99"), Some("99"));
        block.extend(b"Bad\0: x\rx\r\nLast: y\r\n\r\n");
        assert_eq!(Fields::parse(&block).get("last"), Some("y"));
    }
}
