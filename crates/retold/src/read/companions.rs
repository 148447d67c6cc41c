//! Companion records of WARC files: the request and metadata that belong to a response, and the revisit that repeats one. Crawlers may
//! write them into different files.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_128;

use super::fields::{Fields, block_length};
use super::options::ReadOptions;
use super::source::Source;
use crate::error::{Error, Result};
use crate::spill::{Memory, SpillRows};
use crate::watch::Watch;

/// Finds the `request`, `metadata` and `revisit` records that belong only to records that are not kept. Returns their numbers for each
/// source, ascending.
///
/// `goes(source, record, has_id)` says whether a record is not kept. WARC files are read once more, and files that were not read yet are
/// opened.
///
/// Memory: hashes of the ids of dropped records and of the records that may belong to them; the rest goes to a temporary file when `memory`
/// is used up.
///
/// Errors: a file has changed since it was listed, or the work was cancelled.
pub fn companions(
    sources: &[Source],
    goes: &(dyn Fn(usize, u64, bool) -> bool + Sync),
    options: &ReadOptions,
    memory: &Memory,
    watch: &dyn Watch,
) -> Result<Vec<Vec<u64>>> {
    let all = Mutex::new(SpillRows::new(memory));
    let add = |rows: &mut Vec<Vec<u128>>| {
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        rows.drain(..).try_for_each(|row| all.push(&row))
    };
    let read = |(number, source): (usize, &Source)| {
        if watch.cancelled() {
            return Err(Error::Cancelled);
        }
        let (mut rows, mut added) = (Vec::new(), Ok(()));
        source.heads(options, &mut |record, head| {
            let goes = |has_id: bool| goes(number, record, has_id);
            rows.extend(Linked::of(head, goes).map(|linked| linked.row(number, record)));
            if rows.len() == BATCH && added.is_ok() {
                added = add(&mut rows);
            }
        })?;
        added.and_then(|()| add(&mut rows))
    };
    sources.par_iter().enumerate().try_for_each(read)?;
    let all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    let going = going(&all, sources.len());
    memory.check()?;
    Ok(going)
}

/// How many records are added to the list at a time.
const BATCH: usize = 1024;

/// The part of a WARC record that links it to others.
struct Linked {
    kind: LinkKind,
    /// Hashes of the names by which others refer to it.
    own: Vec<u128>,
    /// Hashes of the names to which it refers.
    to: Vec<u128>,
}

#[derive(Clone, Copy, PartialEq)]
enum LinkKind {
    /// A kept record that belongs to no other: a response, or something made from one.
    Kept,
    /// As [`LinkKind::Kept`], but not kept.
    Gone,
    Revisit,
    /// A request or a metadata record.
    Beside,
}

impl Linked {
    /// Reads the links of a record; `goes` says whether it is not kept, given whether it has an id.
    fn of(record: &[u8], goes: impl FnOnce(bool) -> bool) -> Option<Linked> {
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
        // Records of a capture without an id share one URI and one date.
        let moment = |uri: &str, date: &str| Some(hash(&[bare(get(uri)?), get(date)?]));
        let capture = moment("WARC-Target-URI", "WARC-Date");
        let with = ids("WARC-Concurrent-To");
        let refers = ids("WARC-Refers-To");
        let mut own = ids("WARC-Record-ID");
        let has_id = !own.is_empty();
        let type_ = get("WARC-Type")?.to_ascii_lowercase();
        let (kind, to) = match type_.as_str() {
            "warcinfo" => return None,
            "request" | "metadata" => {
                let mut to = [with, refers].concat();
                if to.is_empty() {
                    to.extend(capture);
                }
                // The response may name the request instead.
                to.extend(&own);
                (LinkKind::Beside, to)
            }
            "revisit" => {
                own.extend(with.into_iter().chain(capture));
                let mut to = refers;
                if to.is_empty() {
                    to.extend(moment("WARC-Refers-To-Target-URI", "WARC-Refers-To-Date"));
                }
                (LinkKind::Revisit, to)
            }
            _ => {
                own.extend(with.into_iter().chain(capture));
                let kind = match goes(has_id) {
                    true => LinkKind::Gone,
                    false => LinkKind::Kept,
                };
                (kind, Vec::new())
            }
        };
        Some(Linked { kind, own, to })
    }
}

/// A row of the list of all records: source, number, count of names and kind, then the names and the references.
struct Row<'a> {
    place: (usize, u64),
    kind: LinkKind,
    own: &'a [u128],
    to: &'a [u128],
}

const KINDS: [LinkKind; 4] = [
    LinkKind::Kept,
    LinkKind::Gone,
    LinkKind::Revisit,
    LinkKind::Beside,
];

impl Linked {
    fn row(self, source: usize, number: u64) -> Vec<u128> {
        let kind = KINDS.iter().position(|kind| *kind == self.kind);
        let facts = (self.own.len() as u128) << 8 | kind.unwrap_or(0) as u128;
        let head = (source as u128) << 96 | u128::from(number) << 32 | facts;
        let names = self.own.into_iter().chain(self.to);
        std::iter::once(head).chain(names).collect()
    }
}

impl<'a> Row<'a> {
    fn of(row: &'a [u128]) -> Row<'a> {
        let (head, names) = row.split_first().unwrap_or((&0, &[]));
        let own = (*head as u32 >> 8) as usize;
        let (own, to) = names.split_at(own.min(names.len()));
        Row {
            place: ((head >> 96) as usize, (head >> 32) as u64),
            kind: KINDS[*head as usize % KINDS.len()],
            own,
            to,
        }
    }
}

/// Names of records, each stored with its source and with [`ANY`].
#[derive(Default)]
struct Names(FxHashSet<(usize, u128)>);

/// Stands for any source.
const ANY: usize = usize::MAX;

impl Names {
    fn add<'a>(&mut self, source: usize, names: impl IntoIterator<Item = &'a u128>) {
        let both = names
            .into_iter()
            .flat_map(|&name| [(source, name), (ANY, name)]);
        self.0.extend(both);
    }

    fn has_any(&self, source: usize, names: &[u128]) -> bool {
        names.iter().any(|&name| self.0.contains(&(source, name)))
    }
}

/// The companions of dropped records, by source. Revisits are settled first, because requests belong to them as well. If several files hold
/// one capture, a companion belongs to the capture in its own file.
fn going(all: &SpillRows<u128>, sources: usize) -> Vec<Vec<u64>> {
    let mut gone = Names::default();
    all.each(|_, row| {
        let row = Row::of(row);
        if row.kind == LinkKind::Gone {
            gone.add(row.place.0, row.own);
        }
    });
    let mut going: FxHashSet<(usize, u64)> = FxHashSet::default();
    for kind in [LinkKind::Revisit, LinkKind::Beside] {
        if gone.0.is_empty() {
            break;
        }
        add_companions(all, kind, &mut gone, &mut going);
    }
    let mut of_source = vec![Vec::new(); sources];
    for (source, number) in going {
        of_source[source].push(number);
    }
    of_source.par_iter_mut().for_each(|of| of.sort_unstable());
    of_source
}

/// Adds the records of this kind that belong to gone records, and to no kept ones, to `going`, and their names to `gone`.
fn add_companions(
    all: &SpillRows<u128>,
    kind: LinkKind,
    gone: &mut Names,
    going: &mut FxHashSet<(usize, u64)>,
) {
    let mut candidates: Vec<Vec<u128>> = Vec::new();
    all.each(|_, row| {
        let Row { kind: of, to, .. } = Row::of(row);
        if of == kind && gone.has_any(ANY, to) {
            candidates.push(row.to_vec());
        }
    });
    let wanted: FxHashSet<u128> = candidates
        .iter()
        .flat_map(|row| Row::of(row).to)
        .copied()
        .collect();
    let mut kept = Names::default();
    all.each(|_, row| {
        let row = Row::of(row);
        let stays = match row.kind {
            LinkKind::Kept => true,
            LinkKind::Revisit => kind == LinkKind::Beside && !going.contains(&row.place),
            LinkKind::Gone | LinkKind::Beside => false,
        };
        if stays {
            let names = row.own.iter().filter(|name| wanted.contains(name));
            kept.add(row.place.0, names);
        }
    });
    candidates.retain(|row| {
        let Row { place, to, .. } = Row::of(row);
        let is_of_gone = gone.has_any(place.0, to);
        !kept.has_any(if is_of_gone { place.0 } else { ANY }, to)
    });
    for row in &candidates {
        let row = Row::of(row);
        gone.add(row.place.0, row.own);
        going.insert(row.place);
    }
}

fn hash(parts: &[&str]) -> u128 {
    xxh3_128(parts.join("\n").as_bytes())
}

/// A URI without the angle brackets that some writers add.
fn bare(uri: &str) -> &str {
    let inner = uri.strip_prefix('<').and_then(|uri| uri.strip_suffix('>'));
    inner.unwrap_or(uri)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::Folder;
    use super::*;

    fn record(type_: &str, fields: &[(&str, &str)]) -> String {
        let fields: String = fields
            .iter()
            .map(|(name, value)| format!("WARC-{name}: {value}\r\n"))
            .collect();
        format!("WARC/1.1\r\nWARC-Type: {type_}\r\n{fields}Content-Length: 1\r\n\r\nx\r\n\r\n")
    }

    fn going(records: &[String], dropped: &[u64]) -> Vec<u64> {
        let of_file = of_files(&[records], |_, number, _| dropped.contains(&number));
        let [only] = &of_file[..] else { panic!() };
        only.clone()
    }

    fn of_files(
        files: &[&[String]],
        goes: impl Fn(usize, u64, bool) -> bool + Sync,
    ) -> Vec<Vec<u64>> {
        let name = |number: usize| format!("{number:02}.warc");
        let contents = files.iter().enumerate();
        let contents: Vec<(String, String)> = contents
            .map(|(number, records)| (name(number), records.concat()))
            .collect();
        let pairs: Vec<(&str, &[u8])> = contents
            .iter()
            .map(|(name, content)| (&**name, content.as_bytes()))
            .collect();
        let folder = Folder::new(&pairs);
        let sources: Vec<Source> = pairs.iter().map(|(name, _)| folder.source(name)).collect();
        let temp = tempfile::tempdir().unwrap();
        let found = [Memory::default(), Memory::none(temp.path())]
            .map(|memory| companions(&sources, &goes, &ReadOptions::default(), &memory, &()));
        let [held, spilled] = found.map(Result::unwrap);
        assert_eq!(held, spilled);
        held
    }

    /// Covers records as written by Heritrix and warcio, by Common Crawl and wget, and by tools that write no references.
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
            // This one is from another file.
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

    /// A file that holds one capture twice, or two captures of one moment.
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

    /// The same capture is in two files and kept in one of them; its request is in a third.
    #[test]
    fn what_belongs_to_a_capture_of_its_own_file_goes_with_that_one() {
        let capture = [
            record("response", &[("Record-ID", "<a>")]),
            record("request", &[("Concurrent-To", "<a>")]),
        ];
        let goes = |file, number, _| (file, number) == (1, 1);
        let files: [&[String]; 3] = [&capture, &capture, &capture[1..]];
        assert_eq!(of_files(&files, goes), [vec![], vec![2], vec![]]);
        let goes = |_, number, _| number == 1;
        assert_eq!(of_files(&files, goes), [vec![2], vec![2], vec![1]]);
    }

    /// A slow reference implementation that looks at all records at once.
    fn meant(all: &[(usize, u64, Linked)]) -> Vec<Vec<u64>> {
        let (mut gone, mut kept) = (Vec::new(), Vec::new());
        let mut going = vec![Vec::new(); 3];
        for kinds in [
            &[LinkKind::Kept, LinkKind::Gone][..],
            &[LinkKind::Revisit],
            &[LinkKind::Beside],
        ] {
            let of_kind = all.iter().filter(|(.., of)| kinds.contains(&of.kind));
            let goes = |(file, _, of): &&(usize, u64, Linked)| {
                let is_in =
                    |names: &[(usize, u128)]| names.iter().any(|(_, name)| of.to.contains(name));
                let is_here = |names: &[(usize, u128)]| {
                    let mut names = names.iter();
                    names.any(|(of_file, name)| of_file == file && of.to.contains(name))
                };
                let stays = match is_here(&gone) || is_here(&kept) {
                    true => is_here(&kept),
                    false => is_in(&kept),
                };
                of.kind == LinkKind::Gone || (is_in(&gone) && !stays)
            };
            let (go, stay): (Vec<_>, Vec<_>) = of_kind.partition(goes);
            let names = |(file, _, of): &&(usize, u64, Linked)| {
                let file = *file;
                of.own.clone().into_iter().map(move |name| (file, name))
            };
            gone.extend(go.iter().flat_map(names));
            kept.extend(stay.iter().flat_map(names));
            for (file, number, of) in go {
                if of.kind != LinkKind::Gone {
                    going[*file].push(*number);
                }
            }
        }
        going
            .iter_mut()
            .for_each(|of: &mut Vec<u64>| of.sort_unstable());
        going
    }

    /// A type, the ids of the record, and the ids it refers to: small numbers, so that many match.
    type Drawn = (usize, Option<u8>, Option<u8>, Option<u8>, u8, bool);

    fn drawn(of: &Drawn) -> String {
        let (type_, id, with, refers, moment, goes) = of;
        let named = |id: &Option<u8>| id.map(|id| format!("<{id}>"));
        let uri = format!("http://{}/", moment / 2);
        let date = format!("{}", moment % 2);
        let fields = [
            ("Record-ID", named(id)),
            ("Concurrent-To", named(with)),
            ("Refers-To", named(refers)),
            ("Target-URI", Some(uri.clone())),
            ("Date", Some(date.clone())),
            ("Goes", goes.then(|| "yes".to_owned())),
        ];
        let fields: Vec<(&str, &str)> = fields
            .iter()
            .filter_map(|(name, value)| Some((*name, value.as_deref()?)))
            .collect();
        let types = ["response", "revisit", "request", "metadata", "resource"];
        record(types[*type_], &fields)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn of_several_files_what_is_meant(files in prop::collection::vec(prop::collection::vec((
            0usize..5, prop::option::of(0u8..6), prop::option::of(0u8..6), prop::option::of(0u8..6), 0u8..8, any::<bool>(),
        ), 0..12), 3)) {
            let goes = |file: usize, number: u64, _: bool| files[file][number as usize - 1].5;
            let records: Vec<Vec<String>> = files.iter().map(|of| of.iter().map(drawn).collect()).collect();
            let all = records.iter().enumerate().flat_map(|(file, records)| {
                (1..).zip(records).filter_map(move |(number, record)| {
                    let linked = Linked::of(record.as_bytes(), |id| goes(file, number, id))?;
                    Some((file, number, linked))
                })
            });
            let all: Vec<(usize, u64, Linked)> = all.collect();
            let records: Vec<&[String]> = records.iter().map(Vec::as_slice).collect();
            prop_assert_eq!(of_files(&records, goes), meant(&all));
        }
    }
}
