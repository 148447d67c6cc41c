use super::super::tests::{Folder, brief, briefs, gzip, mark_if, outcomes, rewritten};
use crate::read::{ReadOptions, RecordDecision};

const ROWS: &[u8] = b"\xef\xbb\xbfid,text,\"html\"\r\n1,\"a \"\"b\"\"\r\nc\",<p>\r\n\r\n2,,<p>x\n3,\n4\n,\xc4\xe3,\n";

#[test]
fn rows_become_pages() {
    let folder = Folder::new(&[
        ("a.csv", ROWS),
        ("b.tsv.gz", &gzip(b"text\turl\nx \"y\"\thttp://a/\n")),
    ]);
    let found = briefs(&folder.source("a.csv"));
    let expected = [
        "1=a \"b\"\r\nc",
        "2=<p>x",
        "3=",
        "!row 4 ends before the column `text`, after 1 fields",
    ];
    assert_eq!(found[..4], expected);
    assert!(found[4].starts_with("a.csv#5="));
    assert_eq!(briefs(&folder.source("b.tsv.gz")), ["http://a/=x \"y\""]);
}

#[test]
fn rows_are_rewritten_byte_for_byte() {
    let folder = Folder::new(&[("a.csv", ROWS)]);
    let kept = rewritten(&folder.source("a.csv"), |number| {
        if number == 2 {
            RecordDecision::Leave
        } else {
            RecordDecision::Keep
        }
    });
    let expected =
        b"\xef\xbb\xbfid,text,\"html\"\r\n1,\"a \"\"b\"\"\r\nc\",<p>\r\n3,\n4\n,\xc4\xe3,\n";
    assert_eq!(kept.unwrap(), expected);
}

/// Without the blank line the second file would begin as a WARC file does.
#[test]
fn blank_lines_before_the_header_are_kept() {
    for file in [
        &b"\xef\xbb\xbf\r\n\nid,text\n1,a\n"[..],
        b"\nWARC/id,text\n1,a\n",
    ] {
        let folder = Folder::new(&[("a.csv", file)]);
        let source = folder.source("a.csv");
        assert_eq!(rewritten(&source, |_| RecordDecision::Keep).unwrap(), file);
        let marked = rewritten(&source, |_| mark_if(false)).unwrap();
        let end =
            b"text,retold_cluster,retold_canonical,retold_relation,retold_dropped_for\n1,a,,,,\n";
        assert_eq!(marked, [&file[..file.len() - 9], end].concat());
    }
}

#[test]
fn marks_are_more_columns() {
    let folder = Folder::new(&[("a.csv", b"text,id\na,1\r\nb\n")]);
    let kept = rewritten(&folder.source("a.csv"), |number| mark_if(number == 1));
    let expected = concat!(
        "text,id,retold_cluster,retold_canonical,retold_relation,retold_dropped_for\n",
        "a,1,3,\"a \"\"b\"\"\",contained_by,c\r\nb,,,,,\n",
    );
    assert_eq!(String::from_utf8(kept.unwrap()).unwrap(), expected);
}

#[test]
fn marks_stand_under_their_headers_and_replace_earlier_ones() {
    let rows = b"\xef\xbb\xbf\"te,xt\",id,text\r\nx,1,\"a,\"\"b\"\"\",more,\"y,z\"\r\n,2,b\r\n";
    let folder = Folder::new(&[("a.csv", rows)]);
    let mark = |number| mark_if(number == 1);
    let kept = rewritten(&folder.source("a.csv"), mark).unwrap();
    let expected = concat!(
        "\u{feff}\"te,xt\",id,text,retold_cluster,retold_canonical,retold_relation,retold_dropped_for\r\n",
        "x,1,\"a,\"\"b\"\"\",3,\"a \"\"b\"\"\",contained_by,c,more,\"y,z\"\r\n,2,b,,,,\r\n",
    );
    assert_eq!(String::from_utf8(kept.clone()).unwrap(), expected);
    folder.write("a.csv", &kept);
    assert_eq!(rewritten(&folder.source("a.csv"), mark).unwrap(), kept);
    // Fields of an earlier run are replaced, wherever they stand.
    let rows = "retold_cluster,text,retold_relation,id\n7,a,duplicate,1\n8,b\n";
    folder.write("a.csv", rows.as_bytes());
    let kept = rewritten(&folder.source("a.csv"), |_| mark_if(false)).unwrap();
    let expected = "text,id,retold_cluster,retold_canonical,retold_relation,retold_dropped_for\na,1,,,,\nb,,,,,\n";
    assert_eq!(String::from_utf8(kept).unwrap(), expected);
}

#[test]
fn a_file_without_the_column_is_one_reject_and_an_empty_one_is_nothing() {
    let folder = Folder::new(&[("a.csv", b"a,b\n1,2\n3,4\n"), ("b.csv", b"")]);
    assert_eq!(
        briefs(&folder.source("a.csv")),
        [
            "!no column `text` or `html`; the columns are: a, b; say with --text-field which one holds the text"
        ]
    );
    assert!(briefs(&folder.source("b.csv")).is_empty());
    assert_eq!(
        rewritten(&folder.source("a.csv"), |_| RecordDecision::Keep),
        None
    );
}

#[test]
fn a_quote_that_is_not_closed_is_one_reject_with_its_line() {
    let end = "a quote opens here that is not closed before the end of the file";
    for (sound, open, line) in [
        ("id,text\n1,a\n2,\"b\nc\"\n", "3,\"d\n4,e\n5,f\n", 5),
        ("id,text\n1,a\n2,b\n", "\"x\ny\",\"d\n", 5),
        ("id,text\r\n1,a\r\n2,b\r\n", "3,\"", 4),
    ] {
        let folder = Folder::new(&[("a.csv", [sound, open].concat().as_bytes())]);
        let source = folder.source("a.csv");
        let found = briefs(&source);
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(
            (&*found[0], &*found[2]),
            ("1=a", &*format!("!line {line}: {end}"))
        );
        assert_eq!(
            rewritten(&source, |_| RecordDecision::Keep).unwrap(),
            sound.as_bytes()
        );
    }
    let folder = Folder::new(&[
        ("closed.csv", b"text,id\n\"a\"\"\",\"1\""),
        ("header.csv", b"id,\"text\n1,a\n"),
    ]);
    assert_eq!(briefs(&folder.source("closed.csv")), ["1=a\""]);
    assert_eq!(
        briefs(&folder.source("header.csv")),
        [format!("!line 1: {end}")]
    );
    let long = format!("text\nshort\n\"{}", "long\n".repeat(1000));
    let folder = Folder::new(&[("a.csv", long.as_bytes())]);
    let options = ReadOptions {
        max_record_size: 1000,
        ..ReadOptions::default()
    };
    let found = outcomes(&folder.source("a.csv"), &options);
    assert_eq!(found.len(), 2);
    let last = found.into_iter().map(brief).next_back().unwrap();
    assert!(
        last.contains("--max-record-size") && last.contains("quote"),
        "{last}"
    );
}

#[test]
fn a_row_above_the_limit_is_passed_over() {
    let rows = format!(
        "text\nshort\n\"{}\"\n{}\nend\n",
        "long\n".repeat(100_000),
        "x".repeat(400_000)
    );
    let folder = Folder::new(&[("a.csv", rows.as_bytes())]);
    let options = ReadOptions {
        max_record_size: 1000,
        ..ReadOptions::default()
    };
    let found = outcomes(&folder.source("a.csv"), &options)
        .into_iter()
        .map(brief);
    let large = "!larger than --max-record-size (1000 bytes)";
    assert_eq!(
        found.collect::<Vec<_>>(),
        ["a.csv#1=short", large, large, "a.csv#4=end"]
    );
}

fn written_with(delimiter: &str, quote: &str) -> ReadOptions {
    ReadOptions {
        delimiter: Some(delimiter.parse().unwrap()),
        quote: quote.parse().unwrap(),
        ..ReadOptions::default()
    }
}

#[test]
fn delimiter_and_quote_may_be_said() {
    let folder = Folder::new(&[
        ("pipes.csv", b"id|text|a,b\n1|'it''s | so'|\n2|\"x\"|\n"),
        ("sep.csv", b"sep=;\r\nid|text\r\n1|a;b\r\n"),
        ("pipes", b"id|text\n1|a\n"),
        (
            "plain.tsv",
            b"id\ttext\n1\t\"Stop!\" he said\n2\t\"no end\n",
        ),
    ]);
    let found = |file: &str, options: &ReadOptions| {
        let found = outcomes(&folder.source(file), options).into_iter();
        found.map(brief).collect::<Vec<String>>()
    };
    let pipes = written_with("|", "'");
    assert_eq!(found("pipes.csv", &pipes), ["1=it's | so", "2=\"x\""]);
    assert_eq!(found("sep.csv", &pipes), ["1=a;b"]);
    assert_eq!(found("pipes", &pipes), ["1=a"]);
    let plain = written_with("tab", "none");
    let expected = ["1=\"Stop!\" he said", "2=\"no end"];
    assert_eq!(found("plain.tsv", &plain), expected);
}

#[test]
fn marks_are_written_as_the_file_is() {
    let dialect = |delimiter: &str, quote: &str| {
        let options = written_with(delimiter, quote);
        crate::read::dialect::Dialect {
            delimiter: options.delimiter.unwrap().byte(),
            quote: options.quote,
        }
    };
    let field =
        |delimiter, quote, text| String::from_utf8(dialect(delimiter, quote).field(text)).unwrap();
    assert_eq!(field("|", "'", "a,\"b\""), "a,\"b\"");
    assert_eq!(field("|", "'", "it's|so"), "'it''s|so'");
    assert_eq!(field("tab", "none", "a\tb\nc\"d"), "a b c\"d");
}
