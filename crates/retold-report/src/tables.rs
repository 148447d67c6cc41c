//! The tables of an output folder.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use rayon::prelude::*;
use retold::eval::PairLine;
use retold::internal::date_text;
use retold::{
    Class, Dropped, DroppedAs, Error, Findings, Linkage, Pair, Rank, Result, RunStory, SameUrl,
    stories,
};
use serde::Serialize;

use crate::agreement::Agreement;
use crate::columns::{self, Columns, Kind};
use crate::marks::Marks;
use crate::out::OutDir;
use crate::output::{OutputConfig, Tables};

/// Lines held at a time, and lines made by one thread at a time.
const TOGETHER: usize = 1 << 14;
const PART: usize = 1 << 9;

#[derive(Serialize)]
struct ClusterLine<'a> {
    cluster: usize,
    canonical: Cow<'a, str>,
    members: Vec<Cow<'a, str>>,
    #[serde(flatten)]
    agreement: Agreement,
}

#[derive(Serialize)]
struct ClassLine<'a> {
    id: Cow<'a, str>,
    center: Cow<'a, str>,
    size: usize,
    members: Vec<Cow<'a, str>>,
}

#[derive(Serialize)]
struct ClassRow<'a> {
    id: Cow<'a, str>,
    center: Cow<'a, str>,
    member: Cow<'a, str>,
}

/// For classes with at most this many pages, members are listed with every page of the class.
const LISTED_OFTEN: usize = 1000;

#[derive(Serialize)]
struct DroppedLine<'a> {
    id: Cow<'a, str>,
    canonical: Cow<'a, str>,
    relation: &'static str,
    cluster: Option<u64>,
    cluster_size: u64,
    lost: u32,
    /// For a collection: the number of kept pages that together contain all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<u32>,
}

/// Pages with the same address, newest first.
#[derive(Serialize)]
struct VersionsLine<'a> {
    newest: Cow<'a, str>,
    versions: Vec<VersionLine<'a>>,
}

#[derive(Serialize)]
struct VersionLine<'a> {
    id: Cow<'a, str>,
    date: Option<String>,
}

/// A page of `versions`, for forms without lists.
#[derive(Serialize)]
struct VersionRow<'a> {
    newest: Cow<'a, str>,
    id: Cow<'a, str>,
    date: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct RejectLine<'a> {
    pub source: &'a str,
    pub record: u64,
    pub reason: Cow<'a, str>,
}

#[derive(Serialize)]
struct MarkLine<'a> {
    id: Cow<'a, str>,
    cluster: Option<u64>,
    canonical: Option<Cow<'a, str>>,
    relation: Option<&'static str>,
    dropped_for: Option<Cow<'a, str>>,
    cluster_size: u64,
}

/// A member of a cluster, for forms without lists.
#[derive(Serialize)]
struct MemberLine<'a> {
    cluster: usize,
    canonical: Cow<'a, str>,
    member: Cow<'a, str>,
    #[serde(flatten)]
    agreement: Agreement,
}

const PAIRS: &Columns = &[
    ("a", Kind::Text),
    ("b", Kind::Text),
    ("relation", Kind::Text),
    ("similarity", Kind::Real),
    ("length_ratio", Kind::Real),
    ("shared", Kind::Whole),
    ("own_a", Kind::Whole),
    ("own_b", Kind::Whole),
];
const CLUSTERS: &Columns = &[
    ("cluster", Kind::Whole),
    ("canonical", Kind::Text),
    ("member", Kind::Text),
    ("pages", Kind::Whole),
    ("sites", Kind::Whole),
    ("inputs", Kind::Whole),
    ("first_date", Kind::Text),
    ("last_date", Kind::Text),
    ("lost", Kind::Whole),
];
const CLASSES: &Columns = &[
    ("id", Kind::Text),
    ("center", Kind::Text),
    ("member", Kind::Text),
];
const DROPPED: &Columns = &[
    ("id", Kind::Text),
    ("canonical", Kind::Text),
    ("relation", Kind::Text),
    ("cluster", Kind::Whole),
    ("cluster_size", Kind::Whole),
    ("lost", Kind::Whole),
    ("parts", Kind::Whole),
];
const MARKS: &Columns = &[
    ("id", Kind::Text),
    ("cluster", Kind::Whole),
    ("canonical", Kind::Text),
    ("relation", Kind::Text),
    ("dropped_for", Kind::Text),
    ("cluster_size", Kind::Whole),
];
const STORIES: &Columns = &[
    ("story", Kind::Text),
    ("part", Kind::Text),
    ("id", Kind::Text),
];
const VERSIONS: &Columns = &[
    ("newest", Kind::Text),
    ("id", Kind::Text),
    ("date", Kind::Text),
];
const REJECTS: &Columns = &[
    ("source", Kind::Text),
    ("record", Kind::Whole),
    ("reason", Kind::Text),
];

/// Writes the tables of pairs, clusters, dropped pages and rejects as JSONL, and in another form if one is chosen
/// ([`OutputConfig::tables`]).
///
/// With `mark` nothing is dropped: `dropped.jsonl` is empty, and `marks.jsonl` has the marks of records.
pub(crate) fn write_all(
    findings: &Findings,
    agreements: &[Agreement],
    output: &OutputConfig,
    out: &OutDir,
) -> Result<()> {
    let (mark, form) = (output.mark, output.tables);
    let pair = |pair: Pair| pair_line(findings, &pair);
    write(out, form, "pairs", PAIRS, findings.pairs.iter(), pair)?;
    write_clusters(findings, agreements, form, out)?;
    if findings.model.config().cluster == Linkage::PerPage {
        write_classes(findings, form, out)?;
    }
    if output.stories {
        write_stories(findings, form, out)?;
    }
    let marks = Marks::new(findings, agreements);
    let dropped = findings.dropped.iter().filter(|_| !mark);
    write(out, form, "dropped", DROPPED, dropped, |drop| {
        dropped_line(findings, &marks, drop)
    })?;
    if mark {
        let marked = marks.marked();
        write(out, form, "marks", MARKS, marked.iter(), |&rank| {
            let mark = marks.of(rank);
            MarkLine {
                id: findings.id(rank),
                cluster: mark.cluster,
                canonical: mark.canonical,
                relation: mark.relation,
                dropped_for: mark.dropped_for,
                cluster_size: mark.size,
            }
        })?;
    }
    if findings.model.config().addresses.same_url != SameUrl::Off {
        write_versions(findings, form, out)?;
    }
    write_rejects(findings, form, out)
}

fn pair_line<'a>(findings: &'a Findings, pair: &Pair) -> PairLine<'a> {
    PairLine {
        a: findings.id(pair.a),
        b: findings.id(pair.b),
        relation: pair.relation,
        similarity: f64::from(pair.similarity),
        length_ratio: f64::from(pair.length_ratio),
        shared: pair.shared,
        own_a: pair.own_a,
        own_b: pair.own_b,
    }
}

fn dropped_line<'a>(findings: &'a Findings, marks: &Marks<'_>, drop: &Dropped) -> DroppedLine<'a> {
    let (cluster, cluster_size) = marks.cluster(drop.page);
    DroppedLine {
        id: findings.id(drop.page),
        canonical: findings.id(drop.canonical),
        relation: drop.relation.name(),
        cluster,
        cluster_size,
        lost: drop.lost,
        parts: match drop.relation {
            DroppedAs::Collection { parts } => Some(parts),
            DroppedAs::Repeats(_) | DroppedAs::SameUrl => None,
        },
    }
}

fn write_versions(findings: &Findings, form: Tables, out: &OutDir) -> Result<()> {
    let id = |rank: Rank| findings.id(rank);
    let date = |rank: Rank| findings.page(rank).date.and_then(date_text);
    let versions = findings.collection.versions.iter();
    jsonl(out, "versions.jsonl", versions.clone(), |pages| {
        let line = |&rank| VersionLine {
            id: id(rank),
            date: date(rank),
        };
        VersionsLine {
            newest: id(pages[0]),
            versions: pages.iter().map(line).collect(),
        }
    })?;
    let rows = versions.flat_map(|pages| {
        pages.iter().map(|&rank| VersionRow {
            newest: id(pages[0]),
            id: id(rank),
            date: date(rank),
        })
    });
    columns::write(out, form, "versions", VERSIONS, rows)
}

/// Writes the records that could not be read.
pub(crate) fn write_rejects(findings: &Findings, form: Tables, out: &OutDir) -> Result<()> {
    let rejects = findings.collection.rejects.iter();
    write(out, form, "rejects", REJECTS, rejects, |reject| {
        RejectLine {
            source: &findings.sources[reject.source as usize].name,
            record: reject.record,
            reason: reject.reason.into(),
        }
    })
}

fn write_clusters(
    findings: &Findings,
    agreements: &[Agreement],
    form: Tables,
    out: &OutDir,
) -> Result<()> {
    let id = |rank: Rank| findings.id(rank);
    let clusters = findings.clusters.iter().zip(agreements).enumerate();
    jsonl(
        out,
        "clusters.jsonl",
        clusters.clone(),
        |(cluster, (c, &agreement))| ClusterLine {
            cluster,
            canonical: id(c.canonical),
            members: c.members.iter().map(|&rank| id(rank)).collect(),
            agreement,
        },
    )?;
    let members = clusters.flat_map(|(cluster, (c, &agreement))| {
        c.members.iter().map(move |&member| MemberLine {
            cluster,
            canonical: id(c.canonical),
            member: id(member),
            agreement,
        })
    });
    columns::write(out, form, "clusters", CLUSTERS, members)
}

/// Writes the stories, a row for each of their pages.
fn write_stories(findings: &Findings, form: Tables, out: &OutDir) -> Result<()> {
    let told = stories(findings);
    let rows = told.iter().flat_map(RunStory::rows);
    write(out, form, "stories", STORIES, rows, |row| row)
}

/// Writes the class of each related page, by id. Classes overlap, so members are listed with each page of the class. If a class has more
/// than [`LISTED_OFTEN`] pages, they are listed with the first page only.
fn write_classes(findings: &Findings, form: Tables, out: &OutDir) -> Result<()> {
    let id = |rank: Rank| findings.id(rank);
    let classes = findings.classes.iter();
    let pages = classes.flat_map(|class| class.pages.iter().map(move |&page| (page, class)));
    let mut pages: Vec<(Rank, &Class)> = pages.collect();
    pages.sort_unstable_by_key(|&(page, _)| page);
    jsonl(out, "classes.jsonl", pages.iter(), |&(page, class)| {
        ClassLine {
            id: id(page),
            center: id(class.center),
            size: class.members.len(),
            members: listed(page, class).iter().map(|&rank| id(rank)).collect(),
        }
    })?;
    let rows = pages.iter().flat_map(|&(page, class)| {
        listed(page, class).iter().map(move |&member| ClassRow {
            id: id(page),
            center: id(class.center),
            member: id(member),
        })
    });
    columns::write(out, form, "classes", CLASSES, rows)
}

/// The members of the class that are listed with this page.
fn listed(page: Rank, class: &Class) -> &[Rank] {
    match class.members.len() <= LISTED_OFTEN || class.pages[0] == page {
        true => &class.members,
        false => &[],
    }
}

/// A JSONL table that is written line by line.
pub(crate) struct Table {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Table {
    pub(crate) fn create(out: &OutDir, name: &str) -> Result<Table> {
        let (path, file) = (out.path(name), out.create(name)?);
        Ok(Table { path, file })
    }

    pub(crate) fn add(&mut self, line: &impl Serialize) -> Result<()> {
        let written = serde_json::to_writer(&mut self.file, line).map_err(Into::into);
        let written = written.and_then(|()| self.file.write_all(b"\n"));
        written.map_err(Error::io("cannot write", &self.path))
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        self.file
            .flush()
            .map_err(Error::io("cannot write", &self.path))
    }
}

/// Writes a table with the lines that `line` makes of `items`.
pub(crate) fn write<T: Clone + Send + Sync, L: Serialize>(
    out: &OutDir,
    form: Tables,
    name: &str,
    columns: &Columns,
    items: impl Iterator<Item = T> + Clone,
    line: impl Fn(T) -> L + Sync,
) -> Result<()> {
    jsonl(out, &format!("{name}.jsonl"), items.clone(), &line)?;
    columns::write(out, form, name, columns, items.map(line))
}

/// Writes lines in the order of items. All threads make lines while earlier lines are written.
fn jsonl<T: Clone + Send + Sync, L: Serialize>(
    out: &OutDir,
    name: &str,
    mut items: impl Iterator<Item = T>,
    line: impl Fn(T) -> L + Sync,
) -> Result<()> {
    let path = out.path(name);
    let mut file = out.create(name)?;
    let lines = |items: &[T]| {
        let mut lines = Vec::new();
        for item in items {
            serde_json::to_writer(&mut lines, &line(item.clone()))?;
            lines.push(b'\n');
        }
        Ok::<_, serde_json::Error>(lines)
    };
    let mut put = || -> std::io::Result<()> {
        let (mut next, mut made) = (Vec::with_capacity(TOGETHER), Vec::new());
        loop {
            next.clear();
            next.extend(items.by_ref().take(TOGETHER));
            let before = std::mem::take(&mut made);
            let (parts, written) = rayon::join(
                || {
                    let parts = next.par_chunks(PART).map(lines);
                    parts.collect::<serde_json::Result<Vec<Vec<u8>>>>()
                },
                || {
                    before
                        .iter()
                        .try_for_each(|part: &Vec<u8>| file.write_all(part))
                },
            );
            written?;
            made = parts?;
            if made.is_empty() {
                return file.flush();
            }
        }
    };
    put().map_err(Error::io("cannot write", &path))
}

#[cfg(test)]
mod tests {
    use retold::{JudgeConfig, Page, Relation, dedup};

    use super::*;

    /// Three pages with the same text: `b` and `c` are dropped.
    fn findings() -> Findings {
        let text = "The ferry left the harbour late in the evening because of the storm.";
        let pages = ["a", "b", "c"].map(|id| Page::text(id, text));
        dedup(pages, &JudgeConfig::default()).unwrap()
    }

    #[test]
    fn a_pair_says_what_each_page_has_of_its_own() {
        let pair = Pair {
            a: Rank(0),
            b: Rank(2),
            relation: Relation::Overlaps,
            similarity: 0.5,
            length_ratio: 0.25,
            shared: 7,
            own_a: 31,
            own_b: 64,
        };
        assert_eq!(
            serde_json::to_string(&pair_line(&findings(), &pair)).unwrap(),
            r#"{"a":"a","b":"c","relation":"overlaps","similarity":0.500000,"length_ratio":0.250000,"shared":7,"own_a":31,"own_b":64}"#
        );
    }

    #[test]
    fn dropped_pages_say_what_is_lost_and_collections_how_many_parts_stay() {
        let mut findings = findings();
        findings.dropped[0].lost = 11;
        findings.dropped[1].lost = 3;
        findings.dropped[1].relation = DroppedAs::Collection { parts: 2 };
        let folder = tempfile::tempdir().unwrap();
        let out = OutDir::open(&folder.path().join("out"), false, false).unwrap();
        let output = OutputConfig {
            tables: Tables::Csv,
            ..OutputConfig::default()
        };
        let agreements = Agreement::of_clusters(&findings);
        write_all(&findings, &agreements, &output, &out).unwrap();
        let written = |name: &str| std::fs::read_to_string(out.path(name)).unwrap();
        assert_eq!(
            written("dropped.jsonl"),
            "{\"id\":\"b\",\"canonical\":\"a\",\"relation\":\"duplicate\",\"cluster\":0,\"cluster_size\":3,\"lost\":11}\n\
             {\"id\":\"c\",\"canonical\":\"a\",\"relation\":\"collection\",\"cluster\":0,\"cluster_size\":3,\"lost\":3,\"parts\":2}\n"
        );
        assert_eq!(
            written("dropped.csv"),
            "id,canonical,relation,cluster,cluster_size,lost,parts\nb,a,duplicate,0,3,11,\nc,a,collection,0,3,3,2\n"
        );
        // Three exact copies of one input count once.
        let agreement =
            r#""pages":1,"sites":0,"inputs":1,"first_date":null,"last_date":null,"lost":14"#;
        assert_eq!(
            written("clusters.jsonl"),
            format!(
                "{{\"cluster\":0,\"canonical\":\"a\",\"members\":[\"a\",\"b\",\"c\"],{agreement}}}\n"
            )
        );
        assert!(
            written("clusters.csv").starts_with(
                "cluster,canonical,member,pages,sites,inputs,first_date,last_date,lost\n0,a,a,1,0,1,,,14\n"
            )
        );
        assert!(
            written("pairs.csv")
                .starts_with("a,b,relation,similarity,length_ratio,shared,own_a,own_b\n")
        );
    }
}
