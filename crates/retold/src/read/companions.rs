//! Records of a WARC file that belong to other records: a request and metadata to the response of their capture, a revisit to the
//! response that it repeats.

use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_128;

use super::fields::{Fields, block_length};

/// The numbers of the `request`, `metadata` and `revisit` records that belong to these records, which are not kept, and to no other; both
/// ascending. `heads` hands on the records of the file.
pub(super) fn of(dropped: &[u64], heads: impl FnOnce(&mut dyn FnMut(u64, &[u8]))) -> Vec<u64> {
    let mut records = Vec::new();
    heads(&mut |number, bytes| records.extend(Linked::of(number, bytes)));
    going(&records, dropped)
}

/// A record of a WARC file, as far as others belong to it or it to others.
struct Linked {
    number: u64,
    kind: Kind,
    /// Hashes of what others call it.
    own: Vec<u128>,
    /// Hashes of what it belongs to.
    to: Vec<u128>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Belongs to nothing: a response, or what was made of one.
    Capture,
    Revisit,
    /// A request, or metadata.
    Beside,
}

impl Linked {
    fn of(number: u64, record: &[u8]) -> Option<Linked> {
        let fields = Fields::parse(&record[..block_length(record)?]);
        let get = |name: &str| {
            fields
                .get(name)
                .map(str::trim)
                .filter(|value| !value.is_empty())
        };
        let ids = |name: &str| -> Vec<u128> {
            let ids = fields.all(name).map(|id| hash(&[id.trim()]));
            ids.collect()
        };
        // A capture without an id: its records have one URI and one date.
        let moment = |uri: &str, date: &str| Some(hash(&[bare(get(uri)?), get(date)?]));
        let capture = moment("WARC-Target-URI", "WARC-Date");
        let with = ids("WARC-Concurrent-To");
        let refers = ids("WARC-Refers-To");
        let mut own = ids("WARC-Record-ID");
        let type_ = get("WARC-Type")?.to_ascii_lowercase();
        let (kind, to) = match type_.as_str() {
            "warcinfo" => return None,
            "request" | "metadata" => {
                let mut to = [with, refers].concat();
                if to.is_empty() {
                    to.extend(capture);
                }
                // The response may say so instead.
                to.extend(&own);
                (Kind::Beside, to)
            }
            "revisit" => {
                own.extend(with.into_iter().chain(capture));
                let mut to = refers;
                if to.is_empty() {
                    to.extend(moment("WARC-Refers-To-Target-URI", "WARC-Refers-To-Date"));
                }
                (Kind::Revisit, to)
            }
            _ => {
                own.extend(with.into_iter().chain(capture));
                (Kind::Capture, Vec::new())
            }
        };
        Some(Linked {
            number,
            kind,
            own,
            to,
        })
    }
}

/// Those that belong to what goes: revisits first, as requests belong to them as well.
fn going(records: &[Linked], dropped: &[u64]) -> Vec<u64> {
    let (mut gone, mut kept) = (FxHashSet::default(), FxHashSet::default());
    let mut going = Vec::new();
    for kind in [Kind::Capture, Kind::Revisit, Kind::Beside] {
        let of_kind = || records.iter().filter(|record| record.kind == kind);
        let goes = |record: &&Linked| match kind {
            Kind::Capture => dropped.binary_search(&record.number).is_ok(),
            Kind::Revisit | Kind::Beside => {
                let is_in = |set: &FxHashSet<u128>| record.to.iter().any(|key| set.contains(key));
                is_in(&gone) && !is_in(&kept)
            }
        };
        let (go, stay): (Vec<&Linked>, Vec<&Linked>) = of_kind().partition(goes);
        gone.extend(go.iter().flat_map(|record| &record.own));
        kept.extend(stay.iter().flat_map(|record| &record.own));
        if kind != Kind::Capture {
            going.extend(go.iter().map(|record| record.number));
        }
    }
    going.sort_unstable();
    going
}

fn hash(parts: &[&str]) -> u128 {
    xxh3_128(parts.join("\n").as_bytes())
}

/// A URI without the angle brackets that some writers put around it.
fn bare(uri: &str) -> &str {
    let inner = uri.strip_prefix('<').and_then(|uri| uri.strip_suffix('>'));
    inner.unwrap_or(uri)
}

#[cfg(test)]
mod tests {
    use super::super::options::ReadOptions;
    use super::super::tests::Folder;
    use super::*;

    /// A record with these fields beside its type and length.
    fn record(type_: &str, fields: &[(&str, &str)]) -> String {
        let fields: String = fields
            .iter()
            .map(|(name, value)| format!("WARC-{name}: {value}\r\n"))
            .collect();
        format!("WARC/1.1\r\nWARC-Type: {type_}\r\n{fields}Content-Length: 1\r\n\r\nx\r\n\r\n")
    }

    fn going(records: &[String], dropped: &[u64]) -> Vec<u64> {
        let folder = Folder::new(&[("a.warc", records.concat().as_bytes())]);
        let source = folder.source("a.warc");
        let heads = |each: &mut dyn FnMut(u64, &[u8])| {
            source.heads(&ReadOptions::default(), each).unwrap();
        };
        of(dropped, heads)
    }

    /// As Heritrix and warcio, as Common Crawl and wget, and as tools do that name nothing.
    #[test]
    fn what_belongs_to_a_capture_goes_with_it() {
        let records = [
            record("warcinfo", &[("Record-ID", "<i>")]),
            record(
                "response",
                &[
                    ("Record-ID", "<a>"),
                    ("Target-URI", "http://a/"),
                    ("Date", "2020"),
                ],
            ),
            record(
                "request",
                &[("Record-ID", "<a1>"), ("Concurrent-To", "<a>")],
            ),
            record("metadata", &[("Record-ID", "<a2>"), ("Refers-To", "<a>")]),
            record("request", &[("Record-ID", "<b1>")]),
            record(
                "response",
                &[
                    ("Record-ID", "<b>"),
                    ("Concurrent-To", "<b1>"),
                    ("Concurrent-To", "<b2>"),
                ],
            ),
            record("metadata", &[("Record-ID", "<b2>")]),
            record(
                "request",
                &[("Target-URI", "<http://c/>"), ("Date", "2020")],
            ),
            record("response", &[("Target-URI", "http://c/"), ("Date", "2020")]),
            record("metadata", &[("Target-URI", "http://c/"), ("Date", "2021")]),
        ];
        assert_eq!(going(&records, &[2]), [3, 4]);
        assert_eq!(going(&records, &[6]), [5, 7]);
        assert_eq!(going(&records, &[9]), [8]);
        assert_eq!(going(&records, &[2, 6, 9]), [3, 4, 5, 7, 8]);
        assert_eq!(going(&records, &[]), [0; 0]);
    }

    #[test]
    fn revisits_go_with_what_they_repeat_and_their_requests_with_them() {
        let records = [
            record("request", &[("Concurrent-To", "<r>")]),
            record("revisit", &[("Record-ID", "<r>"), ("Refers-To", "<a>")]),
            record(
                "response",
                &[
                    ("Record-ID", "<a>"),
                    ("Target-URI", "http://a/"),
                    ("Date", "2020"),
                ],
            ),
            record(
                "revisit",
                &[
                    ("Record-ID", "<s>"),
                    ("Refers-To-Target-URI", "http://a/"),
                    ("Refers-To-Date", "2020"),
                ],
            ),
            // Of another file.
            record(
                "revisit",
                &[("Record-ID", "<t>"), ("Refers-To", "<elsewhere>")],
            ),
            record(
                "revisit",
                &[
                    ("Record-ID", "<u>"),
                    ("Target-URI", "http://a/"),
                    ("Date", "2022"),
                ],
            ),
        ];
        assert_eq!(going(&records, &[3]), [1, 2, 4]);
    }

    /// A file that has a capture twice, or two captures of one moment.
    #[test]
    fn what_belongs_to_a_kept_record_too_stays() {
        let response = record(
            "response",
            &[
                ("Record-ID", "<a>"),
                ("Target-URI", "http://a/"),
                ("Date", "2020"),
            ],
        );
        let other = record(
            "response",
            &[
                ("Record-ID", "<b>"),
                ("Target-URI", "http://a/"),
                ("Date", "2020"),
            ],
        );
        let records = [
            response.clone(),
            record("request", &[("Concurrent-To", "<a>")]),
            record("request", &[("Target-URI", "http://a/"), ("Date", "2020")]),
            response,
        ];
        assert_eq!(going(&records, &[1]), [0; 0]);
        assert_eq!(going(&records, &[1, 4]), [2, 3]);
        let records = [
            records[0].clone(),
            records[1].clone(),
            records[2].clone(),
            other,
        ];
        assert_eq!(going(&records, &[1]), [2]);
    }
}
