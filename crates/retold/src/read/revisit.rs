//! `revisit` records that replace dropped responses of WARC files.

use std::collections::BTreeMap;

use super::fields::{Fields, block_length};
use super::options::ReadOptions;
use super::source::Source;
use crate::error::Result;

/// The profile of a revisit whose payload equals that of the record it refers to.
const IDENTICAL: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";

/// What a revisit states about the record that it refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Original {
    id: String,
    uri: Option<String>,
    date: Option<String>,
    digest: Option<String>,
}

impl Source {
    /// What revisits state about these records (numbers, ascending), by number. Records without an id or in a format other than WARC are
    /// left out. Reads a WARC file once more.
    ///
    /// Errors: the file has changed since it was listed.
    pub fn originals(
        &self,
        wanted: &[u64],
        options: &ReadOptions,
    ) -> Result<BTreeMap<u64, Original>> {
        let mut found = BTreeMap::new();
        self.heads(options, &mut |number, record| {
            if wanted.binary_search(&number).is_ok() {
                found.extend(Original::of(record).map(|original| (number, original)));
            }
        })?;
        Ok(found)
    }

    /// The revisits that replace these records, by number. Each states what it repeats and as what ([`DroppedAs::name`]). Record ids are
    /// kept, so that requests and metadata still belong to them. Reads a WARC file once more.
    ///
    /// Errors: the file has changed since it was listed.
    ///
    /// [`DroppedAs::name`]: crate::DroppedAs::name
    pub fn revisits(
        &self,
        repeated: &BTreeMap<u64, (&Original, &str)>,
        options: &ReadOptions,
    ) -> Result<BTreeMap<u64, Vec<u8>>> {
        let mut made = BTreeMap::new();
        self.heads(options, &mut |number, record| {
            if let Some((original, what)) = repeated.get(&number) {
                made.extend(revisit(record, original, what).map(|revisit| (number, revisit)));
            }
        })?;
        Ok(made)
    }
}

impl Original {
    fn of(record: &[u8]) -> Option<Original> {
        let fields = Fields::parse(&record[..block_length(record)?]);
        let get = |name: &str| fields.get(name).map(|value| value.trim().to_owned());
        Some(Original {
            id: get("WARC-Record-ID")?,
            uri: get("WARC-Target-URI"),
            date: get("WARC-Date"),
            digest: get("WARC-Payload-Digest"),
        })
    }
}

/// The record without its payload, referring to the original. Its block is the HTTP header, if it has one.
fn revisit(record: &[u8], original: &Original, what: &str) -> Option<Vec<u8>> {
    let (head, content) = record.split_at(block_length(record)?);
    let own = Original::of(record)?;
    let is_http = content.starts_with(b"HTTP/");
    let block = block_length(content).filter(|_| is_http);
    let block = &content[..block.unwrap_or(0)];
    let is_identical = own.digest.is_some() && own.digest == original.digest;
    let profile = match is_identical {
        true => IDENTICAL.to_owned(),
        false => format!("urn:retold:revisit:{what}"),
    };
    let content_type = is_http.then(|| "application/http;msgtype=response".to_owned());
    let fields = [
        ("WARC-Type", Some("revisit".to_owned())),
        ("WARC-Record-ID", Some(own.id)),
        ("WARC-Target-URI", own.uri),
        ("WARC-Date", own.date),
        ("WARC-Payload-Digest", own.digest),
        ("WARC-Profile", Some(profile)),
        ("WARC-Refers-To", Some(original.id.clone())),
        ("WARC-Refers-To-Target-URI", original.uri.clone()),
        ("WARC-Refers-To-Date", original.date.clone()),
        ("Content-Type", content_type),
        ("Content-Length", Some(block.len().to_string())),
    ];
    let version = head.split(|byte| matches!(byte, b'\r' | b'\n')).next()?;
    let mut made = [version, b"\r\n"].concat();
    for (name, value) in fields {
        if let Some(value) = value {
            made.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
    }
    made.extend_from_slice(b"\r\n");
    made.extend_from_slice(block);
    made.extend_from_slice(b"\r\n\r\n");
    Some(made)
}

#[cfg(test)]
mod tests {
    use super::super::tests::Folder;
    use super::*;

    #[test]
    fn a_revisit_says_what_it_repeats() {
        let response = |id: &str, digest: &str| {
            let content = format!("HTTP/1.1 200 OK\r\nX: {id}\r\n\r\npage");
            format!(
                "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <{id}>\r\nWARC-Target-URI: http://{id}/\r\nWARC-Date: 2020\r\n\
                 WARC-Payload-Digest: {digest}\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n{content}\r\n\r\n",
                content.len()
            )
        };
        let file = [response("a", "1"), response("b", "1"), response("c", "2")].concat();
        let folder = Folder::new(&[("a.warc", file.as_bytes()), ("b.txt", b"text")]);
        let (source, options) = (folder.source("a.warc"), ReadOptions::default());
        let originals = source.originals(&[1], &options).unwrap();
        let repeated = [
            (2, (&originals[&1], "duplicate")),
            (3, (&originals[&1], "same_url")),
        ];
        let made = source.revisits(&repeated.into(), &options).unwrap();
        let text = |number: u64| String::from_utf8(made[&number].clone()).unwrap();
        assert_eq!(
            text(2),
            "WARC/1.0\r\nWARC-Type: revisit\r\nWARC-Record-ID: <b>\r\nWARC-Target-URI: http://b/\r\nWARC-Date: 2020\r\n\
             WARC-Payload-Digest: 1\r\nWARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n\
             WARC-Refers-To: <a>\r\nWARC-Refers-To-Target-URI: http://a/\r\nWARC-Refers-To-Date: 2020\r\n\
             Content-Type: application/http;msgtype=response\r\nContent-Length: 25\r\n\r\nHTTP/1.1 200 OK\r\nX: b\r\n\r\n\r\n\r\n"
        );
        assert!(text(3).contains("WARC-Profile: urn:retold:revisit:same_url\r\n"));
        assert!(
            folder
                .source("b.txt")
                .originals(&[1], &options)
                .unwrap()
                .is_empty()
        );
    }
}
