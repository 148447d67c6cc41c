//! Rules for all formats: every record has one outcome, and both passes count the same.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::*;
use crate::page::{Content, Page};

/// A folder with the given files, and everything read from it as `(source name, number, outcome)`.
pub(crate) struct Folder(pub tempfile::TempDir);

impl Folder {
    pub fn new(files: &[(&str, &[u8])]) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (name, bytes) in files {
            folder.write(name, bytes);
        }
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn sources(&self, inputs: &[&str]) -> Vec<Source> {
        let inputs = inputs
            .iter()
            .map(|name| self.path(name))
            .collect::<Vec<_>>();
        discover(&inputs, &ReadOptions::default()).unwrap()
    }

    pub fn source(&self, name: &str) -> Source {
        self.sources(&[name]).remove(0)
    }
}

/// The outcomes of a source's records; checks that they are numbered from 1 without gaps.
pub(crate) fn outcomes(source: &Source, options: &ReadOptions) -> Vec<Outcome> {
    let records = source.records(options).enumerate();
    records
        .map(|(place, record)| {
            assert_eq!(record.number, place as u64 + 1, "{}", source.name);
            record.parse(source, options)
        })
        .collect()
}

/// An outcome on one line: `id=text`, `-kind` or `!reason`.
pub(crate) fn brief(outcome: Outcome) -> String {
    match outcome {
        Outcome::Skipped(kind) => format!("-{kind}"),
        Outcome::Rejected(reason) => format!("!{reason}"),
        Outcome::Page(page) => match page.content {
            Content::Unicode { text, .. } => format!("{}={text}", page.id),
            Content::Bytes { bytes, .. } => {
                format!("{}={}", page.id, String::from_utf8_lossy(&bytes))
            }
        },
    }
}

pub(crate) fn briefs(source: &Source) -> Vec<String> {
    outcomes(source, &ReadOptions::default())
        .into_iter()
        .map(brief)
        .collect()
}

/// Rewrites a source with the decisions of `fate`; returns the file, decompressed, if there is one.
pub(crate) fn rewritten<'a>(
    source: &Source,
    mut fate: impl FnMut(u64) -> RecordDecision<'a>,
) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("kept").join(&source.kept);
    let mut asked = 0;
    let mut counted = |number| {
        asked += 1;
        assert_eq!(number, asked, "{}", source.name);
        fate(number)
    };
    source
        .rewrite_adding(&mark_fields(), &ReadOptions::default(), &mut counted, &to)
        .unwrap();
    assert_eq!(
        asked as usize,
        briefs(source).len(),
        "both passes count alike: {}",
        source.name
    );
    decompressed(&to)
}

fn decompressed(path: &Path) -> Option<Vec<u8>> {
    let bytes = fs::read(path).ok()?;
    let mut out = Vec::new();
    if bytes.starts_with(b"\x1f\x8b") {
        std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(&*bytes), &mut out)
            .unwrap();
    } else if bytes.starts_with(b"\x28\xb5\x2f\xfd") {
        out = zstd::decode_all(&*bytes).unwrap();
    } else {
        out = bytes;
    }
    Some(out)
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut to = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

pub(crate) const MARK: [FieldValue<'static>; 4] = [
    FieldValue::Whole(3),
    FieldValue::Text(std::borrow::Cow::Borrowed("a \"b\"")),
    FieldValue::Text(std::borrow::Cow::Borrowed("contained_by")),
    FieldValue::Text(std::borrow::Cow::Borrowed("c")),
];

/// The added values of a page without findings.
pub(crate) const UNMARKED: [FieldValue<'static>; 4] = [const { FieldValue::Null }; 4];

/// The fields of these values.
pub(crate) fn mark_fields() -> AddedFields {
    let text = |name| (name, FieldKind::Text);
    let fields = vec![
        ("retold_cluster", FieldKind::Whole),
        text("retold_canonical"),
        text("retold_relation"),
        text("retold_dropped_for"),
    ];
    AddedFields::new(None, fields)
}

/// A record with one of these fields.
pub(crate) fn mark_if(marked: bool) -> RecordDecision<'static> {
    RecordDecision::Add(if marked { MARK } else { UNMARKED }.to_vec())
}

#[test]
fn jsonl_takes_the_wanted_fields_and_says_what_is_wrong() {
    let lines = concat!(
        "\u{feff}{\"id\": 7.50, \"text\": \"a\\nb\", \"x\": [1, {\"text\": 2}]}\r\n",
        "\n",
        "{\"text\": null, \"html\": \"<p>\", \"url\": \"http://a/\"}\n",
        "{\"text\": \"third\"}\n",
        "{\"text\": 5}\n",
        "{\"html\": []}\n",
        "{\"id\": 1}\n",
        "[1]\n",
        "{\"text\": \"x\"\n",
        "{\"text\": \"x\" \"y\"}\n",
        "{\"text\": \"x\"} {}\n",
        "{\"text\": \"last\", \"id\": null, \"url\": \"\"}",
    );
    let folder = Folder::new(&[("a.jsonl", lines.as_bytes())]);
    assert_eq!(
        briefs(&folder.source("a.jsonl")),
        [
            "7.50=a\nb",
            "http://a/=<p>",
            "a.jsonl#3=third",
            "!line 5: field `text` is a number, not a string",
            "!line 6: field `html` is a list, not a string",
            "!line 7: neither field `text` nor `html`; its other fields are: id; say with --text-field which one holds the text",
            "!line 8: invalid type: sequence, expected a JSON object",
            "!line 9: invalid JSON: it ends after byte 12, unfinished",
            "!line 10, byte 14: invalid JSON: expected `,` or `}`",
            "!line 11, byte 15: invalid JSON: trailing characters",
            "a.jsonl#11=last",
        ]
    );
}

#[test]
fn jsonl_rejects_invalid_utf8_and_oversized_lines_and_goes_on() {
    let mut bytes = b"{\"text\": \"a\xffb\"}\n{\"text\": \"".to_vec();
    bytes.extend(vec![b'x'; 3_000_000]);
    bytes.extend(b"\"}\n{\"text\": \"end\"}\n");
    let folder = Folder::new(&[("a.jsonl", &bytes)]);
    let options = ReadOptions {
        max_record_size: 1_000_000,
        ..ReadOptions::default()
    };
    let found = outcomes(&folder.source("a.jsonl"), &options)
        .into_iter()
        .map(brief);
    assert_eq!(
        found.collect::<Vec<_>>(),
        [
            "!line 1, byte 12: invalid UTF-8",
            "!larger than --max-record-size (1000000 bytes)",
            "a.jsonl#3=end"
        ]
    );
}

#[test]
fn a_field_may_have_two_roles() {
    let folder = Folder::new(&[("a.jsonl", b"{\"url\": \"http://a/\", \"text\": \"t\"}\n")]);
    let options = ReadOptions {
        id_field: "text".into(),
        date_field: "url".into(),
        site_field: Some("url".into()),
        ..ReadOptions::default()
    };
    let Outcome::Page(page) = outcomes(&folder.source("a.jsonl"), &options).remove(0) else {
        panic!("not a page");
    };
    assert_eq!(
        (page.id.as_str(), page.date.as_deref()),
        ("t", Some("http://a/"))
    );
    assert_eq!(
        (page.url.as_deref(), page.site.as_deref()),
        (Some("http://a/"), Some("http://a/"))
    );
}

#[cfg(unix)]
#[test]
fn sockets_are_counted_and_not_opened() {
    let folder = Folder::new(&[("in/a.txt", b"text")]);
    let _socket = std::os::unix::net::UnixListener::bind(folder.path("in/socket")).unwrap();
    let found = folder.sources(&["in"]);
    let told: Vec<Vec<String>> = found.iter().map(briefs).collect();
    assert_eq!(told, [["a.txt=text"], ["-pipe, socket or device"]]);
    let to = folder.path("kept");
    let mut keep = |_| RecordDecision::Keep;
    found[1]
        .rewrite(&ReadOptions::default(), &mut keep, &to)
        .unwrap();
    assert!(!to.exists());
}

#[test]
fn json_of_python_and_javascript_is_read_and_kept_as_it_is() {
    let lines = "{\"id\": \"a\", \"text\": \"half \\ud83d\", \"score\": NaN}\n{\"id\": \"b\\udc00\", \"text\": \"NaN\", \"x\": [-Infinity]}\n";
    let folder = Folder::new(&[("a.jsonl", lines.as_bytes())]);
    let source = folder.source("a.jsonl");
    assert_eq!(briefs(&source), ["a=half \u{fffd}", "b\u{fffd}=NaN"]);
    let kept = rewritten(&source, |_| RecordDecision::Keep).unwrap();
    assert_eq!(String::from_utf8(kept).unwrap(), lines);
    // Fields of an earlier run are replaced here, too.
    let mark = |_| mark_if(true);
    let once = rewritten(&source, mark).unwrap();
    folder.write("b.jsonl", &once);
    let again = rewritten(&folder.source("b.jsonl"), mark).unwrap();
    assert_eq!(again, once);
}

#[test]
fn tables_of_excel_and_powershell_are_read_and_kept_as_they_are() {
    let encoded = |text: &str, order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
        units.flat_map(order).collect()
    };
    let rows = "sep=;\r\nid;text\r\na;昨天的渡船\r\nb;\"one;\ntwo 𝄞\"\r\n";
    let lines = "{\"id\": \"a\", \"text\": \"渡船\"}\r\n{\"id\": \"b\", \"text\": \"𝄞\"}\r\n";
    let little = encoded(rows, u16::to_le_bytes);
    let folder = Folder::new(&[
        ("a.csv", rows.as_bytes()),
        ("b.csv", &little),
        ("c.csv.gz", &gzip(&little)),
        ("d.jsonl", &encoded(lines, u16::to_be_bytes)),
        ("e.tsv", &encoded("id\ttext\na\tx\n", u16::to_le_bytes)),
    ]);
    let found = |name: &str| briefs(&folder.source(name));
    for name in ["a.csv", "b.csv", "c.csv.gz"] {
        assert_eq!(found(name), ["a=昨天的渡船", "b=one;\ntwo 𝄞"], "{name}");
    }
    assert_eq!(found("d.jsonl"), ["a=渡船", "b=𝄞"]);
    assert_eq!(found("e.tsv"), ["a=x"]);
    for name in ["a.csv", "b.csv", "c.csv.gz", "d.jsonl", "e.tsv"] {
        let source = folder.source(name);
        let kept = rewritten(&source, |_| RecordDecision::Keep).unwrap();
        assert_eq!(kept, decompressed(&source.path).unwrap(), "{name}");
        folder.write("kept", &kept);
    }
    // Only the second record.
    let second = |number| match number {
        2 => RecordDecision::Keep,
        _ => RecordDecision::Leave,
    };
    let kept = rewritten(&folder.source("b.csv"), second).unwrap();
    let rest = rows.replace("a;昨天的渡船\r\n", "");
    assert_eq!(kept, encoded(&rest, u16::to_le_bytes));
}

#[test]
fn windows_of_zstd_may_be_as_large_as_the_memory_allows() {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(28).unwrap();
    encoder
        .write_all(b"{\"id\": \"a\", \"text\": \"t\"}\n")
        .unwrap();
    let folder = Folder::new(&[("a.jsonl.zst", &encoder.finish().unwrap())]);
    let source = folder.source("a.jsonl.zst");
    let found = |memory: u64| {
        let options = ReadOptions::default().with_memory(memory);
        outcomes(&source, &options)
            .into_iter()
            .map(brief)
            .collect::<Vec<String>>()
    };
    assert_eq!(found(1 << 30), ["a=t"]);
    let refused = found(1 << 29);
    assert!(
        refused.len() == 1 && refused[0].contains("raise that"),
        "{refused:?}"
    );
}

#[test]
fn titles_are_read_where_there_are_any() {
    let folder = Folder::new(&[
        (
            "a.jsonl",
            br#"{"text": "t", "title": "A \u00e9"}
{"text": "t", "metadata": {"title": "inner"}}
{"text": "t", "metadata": {"title": "inner"}, "title": "outer"}
{"text": "t", "title": ["a list"]}
{"text": "t", "title": "half \ud800"}
{"text": "t", "title": ""}
"#,
        ),
        ("b.csv", b"title,text\nOne,t\n,t\n"),
    ]);
    let titles = |name: &str, field: &str| -> Vec<Option<String>> {
        let options = ReadOptions {
            title_field: field.into(),
            ..ReadOptions::default()
        };
        let pages = outcomes(&folder.source(name), &options).into_iter();
        let title = |outcome| match outcome {
            Outcome::Page(page) => page.title,
            other => panic!("{other:?}"),
        };
        pages.map(title).collect()
    };
    let expected = [Some("A é"), Some("inner"), Some("outer"), None, None, None];
    assert_eq!(
        titles("a.jsonl", "title"),
        expected.map(|title| title.map(str::to_owned))
    );
    assert_eq!(titles("b.csv", "title"), [Some("One".to_owned()), None]);
    // A field may be the text and the title.
    assert_eq!(titles("b.csv", "text"), vec![Some("t".to_owned()); 2]);
}

#[test]
fn jsonl_is_rewritten_byte_for_byte_in_any_compression() {
    let lines = b"{\"text\":  \"a\"}\r\n\n{bad}\n{ \"text\":\"b\" }\n{\"text\":\"c\"}";
    let plain = Folder::new(&[("a.jsonl", lines), ("gz", &gzip(lines))]);
    plain.write("a.jsonl.zst", &zstd::encode_all(&lines[..], 3).unwrap());
    for name in ["a.jsonl", "gz", "a.jsonl.zst"] {
        let source = plain.source(name);
        let kept = rewritten(&source, |number| {
            if number == 3 {
                RecordDecision::Leave
            } else {
                RecordDecision::Keep
            }
        });
        let expected: &[u8] = b"{\"text\":  \"a\"}\r\n{bad}\n{\"text\":\"c\"}";
        assert_eq!(kept.as_deref(), Some(expected), "{name}");
        assert_eq!(
            rewritten(&source, |_| RecordDecision::Leave).as_deref(),
            Some(&b""[..]),
            "{name}"
        );
    }
}

#[test]
fn jsonl_marks_go_before_the_closing_brace() {
    let folder = Folder::new(&[("a.jsonl", b"{\"text\": \"a\" }\r\n{\"text\":\"b\"}")]);
    let kept = rewritten(&folder.source("a.jsonl"), |number| mark_if(number == 1));
    let expected = concat!(
        "{\"text\": \"a\" , \"retold_cluster\": 3, \"retold_canonical\": \"a \\\"b\\\"\", ",
        "\"retold_relation\": \"contained_by\", \"retold_dropped_for\": \"c\"}\r\n",
        "{\"text\":\"b\", \"retold_cluster\": null, \"retold_canonical\": null, ",
        "\"retold_relation\": null, \"retold_dropped_for\": null}",
    );
    assert_eq!(String::from_utf8(kept.unwrap()).unwrap(), expected);
}

#[test]
fn single_files_are_one_page_and_are_copied_as_they_are() {
    let folder = Folder::new(&[
        ("p.html", b"<p>x"),
        ("d/q.txt.gz", &gzip(b"words")),
        ("d/r.md", b""),
        ("d/z.bin", b"\0\0"),
    ]);
    let found = folder.sources(&["p.html", "d"]);
    let all = found.iter().flat_map(briefs).collect::<Vec<_>>();
    assert_eq!(all, ["p.html=<p>x", "q.txt.gz=words", "r.md=", "-not text"]);
    assert_eq!(
        rewritten(&found[1], |_| mark_if(false)).as_deref(),
        Some(&b"words"[..])
    );
    assert_eq!(rewritten(&found[1], |_| RecordDecision::Leave), None);
}

#[test]
fn a_cut_off_gzip_gives_what_is_before_the_damage_and_one_reject() {
    let lines = (0..2000).map(|i| format!("{{\"text\": \"{i} {}\"}}\n", i * 7919 % 1013));
    let packed = gzip(lines.collect::<String>().as_bytes());
    let folder = Folder::new(&[("a.jsonl.gz", &packed[..packed.len() / 2])]);
    let source = folder.source("a.jsonl.gz");
    let mut found = briefs(&source);
    let last = found.pop().unwrap();
    assert!(found.len() > 500 && found.iter().all(|brief| !brief.starts_with('!')));
    assert_eq!(
        last,
        format!(
            "!the gzip data is cut off at byte {} of the file",
            packed.len() / 2
        )
    );
    let kept = rewritten(&source, |_| RecordDecision::Keep).unwrap();
    assert_eq!(
        kept.iter().filter(|byte| **byte == b'\n').count(),
        found.len()
    );
}

#[test]
fn gzip_members_follow_each_other_and_zeros_may_end_them() {
    let mut packed = gzip(b"{\"text\": \"a\"}\n");
    packed.extend(gzip(b"{\"text\": \"b\"}\n"));
    packed.extend([0; 700]);
    let folder = Folder::new(&[("a", &packed)]);
    assert_eq!(briefs(&folder.source("a")), ["a#1=a", "a#2=b"]);
    packed.push(b'x');
    folder.write("b", &packed);
    let found = briefs(&folder.source("b"));
    assert_eq!(found.len(), 3);
    assert!(
        found[2].contains("something that is not gzip follows"),
        "{}",
        found[2]
    );
}

#[test]
fn a_file_that_cannot_be_opened_is_one_reject() {
    let folder = Folder::new(&[("a.jsonl", b"")]);
    let source = folder.source("a.jsonl");
    fs::remove_file(folder.path("a.jsonl")).unwrap();
    let found = briefs(&source);
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("!cannot open: "), "{}", found[0]);
    assert_eq!(rewritten(&source, |_| RecordDecision::Leave), None);
    // The file was there at the first pass.
    let keep = &mut |_| RecordDecision::Keep;
    let lost = source.rewrite(&ReadOptions::default(), keep, &folder.path("kept"));
    assert!(
        lost.unwrap_err()
            .to_string()
            .contains("a.jsonl: the file changed")
    );
}

/// Id, URL, date and text of the only page of a file.
fn page(file: (&str, &[u8]), options: &ReadOptions) -> [String; 4] {
    let folder = Folder::new(&[file]);
    let Outcome::Page(page) = outcomes(&folder.source(file.0), options).remove(0) else {
        panic!("not a page");
    };
    let Content::Unicode { text, .. } = page.content else {
        panic!("not Unicode");
    };
    let or_none = |field: Option<String>| field.unwrap_or_default();
    [page.id, or_none(page.url), or_none(page.date), text]
}

fn named(text: &str, url: &str) -> ReadOptions {
    ReadOptions {
        text_field: text.into(),
        url_field: url.into(),
        ..ReadOptions::default()
    }
}

#[test]
fn fields_may_be_nested_and_a_name_with_a_dot_wins() {
    let options = named("content.text", "metadata.link.href");
    for (line, expected) in [
        (
            r#"{"content": {"x": [1], "text": "a\u0062"}, "metadata": {"link": {"href": "u"}}}"#,
            ["u", "u", "", "ab"],
        ),
        (
            r#"{"content": {"text": "b"}, "content.text": "a", "metadata.link.href": "v"}"#,
            ["v", "v", "", "a"],
        ),
        (
            r#"{"content.text": "a", "content": {"text": "b"}, "metadata": {"link.href": "w", "link": {"href": "x"}}}"#,
            ["w", "w", "", "a"],
        ),
        (
            r#"{"id": 1, "content": {"text": "a"}, "metadata": "none"}"#,
            ["1", "", "", "a"],
        ),
    ] {
        assert_eq!(
            page(("a.jsonl", line.as_bytes()), &options),
            expected,
            "{line}"
        );
    }
    let folder = Folder::new(&[(
        "a.jsonl",
        b"{\"content\": \"a\"}\n{\"content\": {\"text\": 1}}\n",
    )]);
    let found = outcomes(&folder.source("a.jsonl"), &options)
        .into_iter()
        .map(brief);
    assert_eq!(
        found.collect::<Vec<_>>(),
        [
            "!line 1: neither field `content.text` nor `html`; its other fields are: content; say with --text-field which one holds the text",
            "!line 2: field `content.text` is a number, not a string"
        ]
    );
}

#[test]
fn a_field_and_what_is_in_it_may_both_be_wanted() {
    let options = ReadOptions {
        text_field: "page.text".into(),
        id_field: "page".into(),
        ..ReadOptions::default()
    };
    let line = br#"{"page": {"text": "a"}}"#;
    assert_eq!(page(("a.jsonl", line), &options)[0], "{\"text\": \"a\"}");
    assert_eq!(page(("a.jsonl", line), &options)[3], "a");
}

#[test]
fn url_and_date_are_looked_for_in_metadata_if_they_are_not_at_the_top() {
    let options = ReadOptions::default();
    let line =
        br#"{"text":"t","metadata":{"date":"2024-01-01","url":"http://m/","id":"no"},"id":"i"}"#;
    assert_eq!(
        page(("a.jsonl", line), &options),
        ["i", "http://m/", "2024-01-01", "t"]
    );
    let line = br#"{"metadata":{"date":"2024-01-01","url":"http://m/"},"text":"t","url":"http://t/","date":null}"#;
    assert_eq!(
        page(("a.jsonl", line), &options),
        ["http://t/", "http://t/", "2024-01-01", "t"]
    );
    let rows = b"text,metadata.url\nt,http://m/\n";
    assert_eq!(
        page(("a.csv", rows), &options),
        ["http://m/", "http://m/", "", "t"]
    );
}

#[test]
fn texts_in_lists_are_joined_but_for_some_roles() {
    let lines = [
        r#"{"id": "a", "chat": {"m": [{"role": "system", "content": "S"}, {"role": "user", "content": "one"}, {"content": null}, {"from": "bot", "content": "two"}]}}"#,
        r#"{"id": "b", "chat": {"m": [{"role": "system", "content": "S"}]}}"#,
        r#"{"id": "c", "chat": {"m": []}, "html": "<p>"}"#,
        r#"{"id": "d", "chat": {"m": "x"}}"#,
        r#"{"id": "e", "chat": {"m": [{"content": [1]}]}}"#,
    ];
    let folder = Folder::new(&[
        ("a.jsonl", lines.join("\n").as_bytes()),
        ("b.jsonl", br#"{"id": "a", "text": ["x", "", "y"]}"#),
    ]);
    let read = |file: &str, text: &str, skip: &[&str]| -> Vec<String> {
        let options = ReadOptions {
            text_field: text.into(),
            skip_roles: skip.iter().map(|role| (*role).to_owned()).collect(),
            ..ReadOptions::default()
        };
        let found = outcomes(&folder.source(file), &options).into_iter();
        found.map(brief).collect()
    };
    let name = "chat.m[].content";
    let found = read("a.jsonl", name, &["system", "bot"]);
    assert_eq!(found[..3], ["a=one", "b=", "c=<p>"]);
    assert_eq!(
        found[3..],
        [
            "!line 4: field `chat.m[].content` is of another type, not a string in a list",
            "!line 5: field `chat.m[].content` is of another type, not a string in a list"
        ]
    );
    assert_eq!(
        read("a.jsonl", name, &[])[..2],
        ["a=S\n\none\n\ntwo", "b=S"]
    );
    assert_eq!(read("b.jsonl", "text[]", &[]), ["a=x\n\ny"]);
}

/// Chats whose content is a list of typed parts, with and without the path that says so, also beside plain strings.
#[test]
fn parts_of_chat_messages_are_their_texts() {
    let line = br#"{"id": "a", "messages": [{"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "image_url", "image_url": {"url": "x"}}, {"type": "text", "text": "two"}]}, {"role": "bot", "content": "three"}]}"#;
    let folder = Folder::new(&[("a.jsonl", line)]);
    for name in ["messages[].content", "messages[].content[].text"] {
        let options = ReadOptions {
            text_field: name.into(),
            ..ReadOptions::default()
        };
        let found = outcomes(&folder.source("a.jsonl"), &options).into_iter();
        let found: Vec<String> = found.map(brief).collect();
        assert_eq!(found, ["a=one\n\ntwo\n\nthree"], "{name}");
    }
}

#[test]
fn several_text_fields_are_joined_by_blank_lines() {
    let options = named("title, body.text", "url");
    for (line, expected) in [
        (r#"{"body":{"text":"b"},"title":"a"}"#, "a\n\nb"),
        (r#"{"body":{"text":"b"},"title":null,"html":"<p>"}"#, "b"),
        (r#"{"body":{"text":""},"title":"a"}"#, "a"),
        (r#"{"body":{},"title":""}"#, ""),
        (r#"{"html":"<p>"}"#, "<p>"),
    ] {
        assert_eq!(
            page(("a.jsonl", line.as_bytes()), &options)[3],
            expected,
            "{line}"
        );
    }
    let rows = b"body.text,id,title\nb,1,a\n";
    assert_eq!(page(("a.csv", rows), &options)[3], "a\n\nb");
    assert_eq!(page(("unnamed", rows), &options)[3], "a\n\nb");
    assert_eq!(page(("a.csv", b"title,id\na,1\n"), &options)[3], "a");
    let folder = Folder::new(&[("a.jsonl", br#"{"title":"a","body":{"text":[]}}"#)]);
    let found = outcomes(&folder.source("a.jsonl"), &options).remove(0);
    assert_eq!(
        brief(found),
        "!line 1: field `body.text` is a list, not a string"
    );
}

#[test]
fn a_file_that_was_written_to_meanwhile_is_not_copied() {
    let before = br#"{"text":"a"}"#;
    let folder = Folder::new(&[("a.jsonl", before)]);
    let path = folder.path("a.jsonl");
    let set = |time| {
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(time).unwrap();
    };
    let start = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    set(start);
    let source = folder.source("a.jsonl");
    let rewrite = |source: &Source| {
        let keep = &mut |_| RecordDecision::Keep;
        source.rewrite(&ReadOptions::default(), keep, &folder.path("kept"))
    };
    rewrite(&source).unwrap();
    // Same size, but a new modification time.
    folder.write("a.jsonl", br#"{"text":"b"}"#);
    let error = rewrite(&source).unwrap_err().to_string();
    assert!(
        error.contains("a.jsonl") && error.contains("changed during the run"),
        "{error}"
    );
    // Size and time are the same, so only the bytes show the change.
    set(start);
    assert!(rewrite(&source).is_err());
    let source = folder.source("a.jsonl");
    rewrite(&source).unwrap();
    let mut keep = |_| {
        set(start + std::time::Duration::from_secs(1));
        RecordDecision::Keep
    };
    let error = source.rewrite(&ReadOptions::default(), &mut keep, &folder.path("kept"));
    assert!(error.is_err());
}

/// Fields that other options name come with the page, from nested objects too; empty fields and nulls do not.
#[test]
fn further_fields_come_with_the_page() {
    let lines = concat!(
        r#"{"text":"a","score":1.5,"metadata":{"lang":"en"}}"#,
        "\n",
        r#"{"text":"b","score":null,"metadata.lang":"","url":"http://a/"}"#,
        "\n",
        r#"{"text":"c","score":[1, 2],"metadata":{"lang":true}}"#,
    );
    let folder = Folder::new(&[
        ("a.jsonl", lines.as_bytes()),
        ("b.csv", b"text,score,metadata.lang\na,1.5,en\nb,,\nc\n"),
        (
            "c.warc",
            b"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://a/\r\nContent-Length: 1\r\n\r\na\r\n\r\n\
              WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://b/\r\nContent-Type: application/http\r\n\
              Content-Length: 45\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\na\r\n\r\n",
        ),
    ]);
    let options = ReadOptions {
        more_fields: vec!["score".into(), "metadata.lang".into(), "url".into()],
        ..ReadOptions::default()
    };
    let pages = |name: &str| -> Vec<Page> {
        let outcomes = outcomes(&folder.source(name), &options).into_iter();
        let page = |outcome| match outcome {
            Outcome::Page(page) => page,
            other => panic!("{}", brief(other)),
        };
        outcomes.map(page).collect()
    };
    let fields = |name: &str| -> Vec<[Option<String>; 3]> {
        let of = |page: &Page| {
            ["score", "metadata.lang", "url"].map(|name| page.field(name).map(str::to_owned))
        };
        pages(name).iter().map(of).collect()
    };
    let some = |text: &str| Some(text.to_owned());
    let expected = [
        [some("1.5"), some("en"), None],
        [None, None, some("http://a/")],
        [some("[1, 2]"), some("true"), None],
    ];
    assert_eq!(fields("a.jsonl"), expected);
    let expected = [
        [some("1.5"), some("en"), None],
        [const { None }; 3],
        [const { None }; 3],
    ];
    assert_eq!(fields("b.csv"), expected);
    let derived: Vec<bool> = pages("c.warc").iter().map(|page| page.derived).collect();
    assert_eq!(derived, [true, false]);
}

/// A crawler's derivative of a page has a URN of its own and would otherwise count as its copy.
#[test]
fn what_a_crawler_made_of_a_page_is_no_page() {
    let record = |uri: &str, content: &str| {
        let length = content.len();
        format!(
            "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: {uri}\r\nContent-Type: text/plain\r\n\
             Content-Length: {length}\r\n\r\n{content}\r\n\r\n"
        )
    };
    let records = [
        record("https://a.example/", "a page"),
        record("urn:text:https://a.example/", "a page"),
        record("URN:pageinfo:http://a.example/", "{}"),
        record("urn:isbn:0451450523", "a book"),
    ];
    let folder = Folder::new(&[("a.warc", records.concat().as_bytes())]);
    let source = folder.source("a.warc");
    let expected = [
        "https://a.example/=a page",
        "-warc derived",
        "-warc derived",
        "urn:isbn:0451450523=a book",
    ];
    assert_eq!(briefs(&source), expected);
    let kept = rewritten(&source, |number| match number {
        1 => RecordDecision::Leave,
        _ => RecordDecision::Keep,
    });
    assert_eq!(kept.unwrap(), records[1..].concat().as_bytes());
}

/// Only blocks of the text change, and nothing else in the record.
#[test]
fn texts_are_cut_where_they_stand() {
    use crate::text::{BlockUnit, Cuts};
    let second = |number: u64| match number {
        1 => RecordDecision::Cut(Cuts {
            unit: BlockUnit::Line,
            blocks: vec![1].into(),
        }),
        _ => RecordDecision::Keep,
    };
    let csv = "id,text,more\r\n1,\"a\r\nb \"\"x\"\"\r\nc, d\",e\r\n2,\"a\nb\",f\r\n";
    let csv_cut = "id,text,more\r\n1,\"a\r\nc, d\",e\r\n2,\"a\nb\",f\r\n";
    for (name, before, after) in [
        (
            "a.jsonl",
            "{\"text\":\"x\", \"n\":1.50 ,\"text\" : \"a\\nb\\n\\u00e9\\\"\", \"t\":{\"text\":\"a\\nb\"}}\r\n{\"text\":\"a\\nb\"}\n",
            "{\"text\":\"x\", \"n\":1.50 ,\"text\" : \"a\\né\\\"\", \"t\":{\"text\":\"a\\nb\"}}\r\n{\"text\":\"a\\nb\"}\n",
        ),
        ("b.csv", csv, csv_cut),
        ("c.tsv", "text\tid\na\t1\n", "text\tid\na\t1\n"),
        ("d.txt", "\u{feff}a\r\n\r\nb\r\nc", "\u{feff}a\r\n\r\nc"),
        ("e.md", "# a\n- b\n", "# a\n"),
        ("f.html", "<p>a<p>b<p>c", "<p>a<p>b<p>c"),
    ] {
        let folder = Folder::new(&[(name, before.as_bytes()), ("z.gz", b"")]);
        let cut = rewritten(&folder.source(name), second).unwrap();
        assert_eq!(String::from_utf8(cut).unwrap(), after, "{name}");
        let packed = format!("{name}.gz");
        folder.write(&packed, &gzip(before.as_bytes()));
        let cut = rewritten(&folder.source(&packed), second).unwrap();
        assert_eq!(String::from_utf8(cut).unwrap(), after, "{packed}");
    }
    // Text that is not UTF-8 is copied.
    let folder = Folder::new(&[
        ("a.txt", b"\xc4\xe3\nb\n"),
        ("b.csv", b"text\n\"\xc4\xe3\nb\"\n"),
    ]);
    for name in ["a.txt", "b.csv"] {
        let kept = rewritten(&folder.source(name), second).unwrap();
        assert_eq!(kept, std::fs::read(folder.path(name)).unwrap());
    }
}

#[test]
fn a_nested_text_is_cut() {
    let cut = |line: &str, path: &str| {
        let cut = super::json_marks::changed(line.as_bytes(), path, |text| format!("({text})"));
        cut.map(|line| String::from_utf8(line).unwrap())
    };
    let line = r#"{"a":{"b":{"c":"1"},"b.c":"2"},"a.b":{"c":"3"}, "d":null}"#;
    // The text that is read: the least nested, and the last of these.
    let expected = line.replace(r#""3""#, r#""(3)""#);
    assert_eq!(cut(line, "a.b.c"), Some(expected));
    for other in ["d", "a", "a.b", "c", "b.c"] {
        assert_eq!(cut(line, other), None, "{other}");
    }
    let options = ReadOptions {
        text_field: "a.b.c".into(),
        ..ReadOptions::default()
    };
    let folder = Folder::new(&[("a.jsonl", line.as_bytes())]);
    assert_eq!(
        outcomes(&folder.source("a.jsonl"), &options)
            .into_iter()
            .map(brief)
            .collect::<Vec<_>>(),
        ["a.jsonl#1=3"]
    );
    // With Python's `NaN`, and with half a surrogate pair, which is replaced.
    assert_eq!(
        cut(r#"{"n":NaN,"text":"\ud800"}"#, "text").unwrap(),
        "{\"n\":NaN,\"text\":\"(\u{fffd})\"}"
    );
}
