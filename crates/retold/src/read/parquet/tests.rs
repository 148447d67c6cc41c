use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use ::parquet::basic::Compression;
use ::parquet::data_type as of;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::parser::parse_message_type;

use super::super::tests::{Folder, MARK, briefs, mark_fields, mark_if};
use super::table::counts;
use crate::read::{
    AddedFields, FieldKind, FieldValue, Outcome, ReadOptions, RecordDecision, Source,
};

/// The values of a column with its definition and repetition levels, as far as it has any.
struct Column(Values, Vec<i16>, Vec<i16>);

enum Values {
    Flag(Vec<bool>),
    Int(Vec<i32>),
    Long(Vec<i64>),
    Stamp(Vec<of::Int96>),
    Single(Vec<f32>),
    Double(Vec<f64>),
    Bytes(Vec<of::ByteArray>),
    Fixed(Vec<of::FixedLenByteArray>),
}

impl Column {
    fn write(&self, to: &mut SerializedColumnWriter) {
        let [filled, repeated] =
            [&self.1, &self.2].map(|levels| (!levels.is_empty()).then_some(levels.as_slice()));
        match &self.0 {
            Values::Flag(values) => to
                .typed::<of::BoolType>()
                .write_batch(values, filled, repeated),
            Values::Int(values) => to
                .typed::<of::Int32Type>()
                .write_batch(values, filled, repeated),
            Values::Long(values) => to
                .typed::<of::Int64Type>()
                .write_batch(values, filled, repeated),
            Values::Stamp(values) => to
                .typed::<of::Int96Type>()
                .write_batch(values, filled, repeated),
            Values::Single(values) => to
                .typed::<of::FloatType>()
                .write_batch(values, filled, repeated),
            Values::Double(values) => to
                .typed::<of::DoubleType>()
                .write_batch(values, filled, repeated),
            Values::Bytes(values) => to
                .typed::<of::ByteArrayType>()
                .write_batch(values, filled, repeated),
            Values::Fixed(values) => to
                .typed::<of::FixedLenByteArrayType>()
                .write_batch(values, filled, repeated),
        }
        .unwrap();
    }
}

fn full(values: Values) -> Column {
    Column(values, Vec::new(), Vec::new())
}

fn strings(texts: impl IntoIterator<Item = impl AsRef<str>>) -> Values {
    let texts = texts.into_iter();
    Values::Bytes(texts.map(|text| text.as_ref().into()).collect())
}

fn fixed(values: impl IntoIterator<Item = Vec<u8>>) -> Values {
    let values = values.into_iter();
    Values::Fixed(
        values
            .map(|value| of::ByteArray::from(value).into())
            .collect(),
    )
}

fn file(fields: &str, compression: Compression, groups: &[Vec<Column>]) -> Vec<u8> {
    let schema = parse_message_type(&format!("message pages {{ {fields} }}")).unwrap();
    let pair = |key: &str| KeyValue::new(key.to_string(), "x".to_string());
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_key_value_metadata(Some(vec![pair("owner"), pair("ARROW:schema")]));
    let mut bytes = Vec::new();
    let mut writer =
        SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties.build()))
            .unwrap();
    for group in groups {
        let mut to = writer.next_row_group().unwrap();
        for column in group {
            let mut writer = to.next_column().unwrap().unwrap();
            column.write(&mut writer);
            writer.close().unwrap();
        }
        to.close().unwrap();
    }
    writer.close().unwrap();
    bytes
}

/// Ten rows in two row groups, with a column that nobody asks for.
fn sample(compression: Compression) -> Vec<u8> {
    let group = |rows: std::ops::Range<i64>| {
        vec![
            full(Values::Long(rows.clone().collect())),
            full(strings(rows.clone().map(|i| format!("text {i}")))),
            full(strings(rows.map(|i| format!("more {i}")))),
        ]
    };
    let fields = "required int64 id; required binary text (STRING); required binary more (STRING);";
    file(fields, compression, &[group(0..5), group(5..10)])
}

/// A file of two multiple-choice questions, the choices of which are lists.
pub(crate) fn questions() -> Vec<u8> {
    let fields = "required binary question (STRING);
        required group choices (LIST) { repeated group list { required binary element (STRING); } }
        required group answers { required binary text (STRING); }";
    let columns = vec![
        full(strings([
            "Which of the old towns by the salt sea has the oldest wall of copper?",
            "Who rang the bell of the lower tower on the first morning of the fair?",
        ])),
        Column(
            strings(["Velmora itself", "Istrand", "the elder ringer"]),
            vec![1, 1, 1],
            vec![0, 1, 0],
        ),
        full(strings(["the town of Velmora", "nobody at all"])),
    ];
    file(fields, Compression::SNAPPY, &[columns])
}

/// A file with one column of texts.
pub(crate) fn table(texts: &[&str]) -> Vec<u8> {
    let fields = "required binary text (STRING);";
    file(fields, Compression::SNAPPY, &[vec![full(strings(texts))]])
}

fn open(path: &Path) -> Option<SerializedFileReader<File>> {
    Some(SerializedFileReader::new(File::open(path).ok()?).unwrap())
}

fn rows(file: &SerializedFileReader<File>) -> Vec<String> {
    let rows = file.get_row_iter(None).unwrap();
    rows.map(|row| row.unwrap().to_string()).collect()
}

fn rewritten<'a>(
    source: &Source,
    fate: impl Fn(u64) -> RecordDecision<'a>,
) -> Option<SerializedFileReader<File>> {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("x/kept.parquet");
    let mut asked = 0;
    let mut counted = |number| {
        asked += 1;
        assert_eq!(number, asked);
        fate(number)
    };
    source
        .rewrite_adding(&mark_fields(), &ReadOptions::default(), &mut counted, &to)
        .unwrap();
    assert_eq!(
        asked as usize,
        briefs(source).len(),
        "both passes count alike"
    );
    open(&to)
}

/// Writes the kept rows and checks them against the source; returns both files.
fn kept(bytes: &[u8], keep: impl Fn(u64) -> bool) -> [SerializedFileReader<File>; 2] {
    let folder = Folder::new(&[("a.parquet", bytes)]);
    let source = folder.source("a.parquet");
    let fate = |number| {
        if keep(number) {
            RecordDecision::Keep
        } else {
            RecordDecision::Leave
        }
    };
    let (before, after) = (
        open(&source.path).unwrap(),
        rewritten(&source, fate).unwrap(),
    );
    let expected = rows(&before)
        .into_iter()
        .zip(1..)
        .filter(|(_, number)| keep(*number));
    assert_eq!(
        rows(&after),
        expected.map(|(row, _)| row).collect::<Vec<_>>()
    );
    let about = [&before, &after].map(|file| file.metadata().file_metadata());
    assert_eq!(about[0].schema(), about[1].schema());
    assert_eq!(about[0].key_value_metadata(), about[1].key_value_metadata());
    [before, after]
}

#[test]
fn text_may_be_of_any_string_or_bytes_type() {
    for kind in [
        "binary text (STRING)",
        "binary text (UTF8)",
        "binary text (JSON)",
        "binary text (ENUM)",
        "binary text",
    ] {
        let needed = vec![full(strings(["a", "b"]))];
        let bytes = file(&format!("required {kind};"), Compression::SNAPPY, &[needed]);
        let folder = Folder::new(&[("a.parquet", &bytes)]);
        assert_eq!(
            briefs(&folder.source("a.parquet")),
            ["a.parquet#1=a", "a.parquet#2=b"],
            "{kind}"
        );
        let optional = vec![Column(strings(["a", "b"]), vec![1, 0, 1], vec![])];
        let bytes = file(
            &format!("optional {kind};"),
            Compression::SNAPPY,
            &[optional],
        );
        let folder = Folder::new(&[("a.parquet", &bytes)]);
        let missing = "!row 2: neither `text` nor `html` has a value";
        assert_eq!(
            briefs(&folder.source("a.parquet")),
            ["a.parquet#1=a", missing, "a.parquet#3=b"]
        );
    }
}

fn id(kind: &str, values: Values) -> String {
    let columns = vec![full(values), full(strings(["text"]))];
    let fields = format!("required {kind}; required binary text (STRING);");
    let folder = Folder::new(&[("a", &file(&fields, Compression::UNCOMPRESSED, &[columns]))]);
    let brief = briefs(&folder.source("a")).remove(0);
    brief.strip_suffix("=text").unwrap().to_owned()
}

#[test]
fn ids_may_be_of_any_type_of_one_value() {
    use Values::{Double, Flag, Int, Long, Single, Stamp};
    let noon = 1_325_419_200_i64; // 2012-01-01T12:00:00Z, by `date -d`
    let julian = of::Int96::from(vec![0, 0, 2_455_928]); // 2012-01-01, by the astronomers' count of days
    for (kind, values, expected) in [
        ("boolean id", Flag(vec![true]), "true"),
        ("int32 id", Int(vec![-7]), "-7"),
        ("int32 id (INTEGER(32,false))", Int(vec![-1]), "4294967295"),
        ("int64 id (UINT_64)", Long(vec![-1]), "18446744073709551615"),
        ("int32 id (DATE)", Int(vec![15_340]), "2012-01-01"),
        (
            "int64 id (TIMESTAMP(MILLIS,true))",
            Long(vec![noon * 1000]),
            "2012-01-01T12:00:00Z",
        ),
        (
            "int64 id (TIMESTAMP_MILLIS)",
            Long(vec![noon * 1000]),
            "2012-01-01T12:00:00Z",
        ),
        (
            "int64 id (TIMESTAMP(MICROS,false))",
            Long(vec![noon * 1_000_000 + 500_000]),
            "2012-01-01T12:00:00.500",
        ),
        (
            "int64 id (TIMESTAMP(NANOS,true))",
            Long(vec![1]),
            "1970-01-01T00:00:00.000000001Z",
        ),
        ("int96 id", Stamp(vec![julian]), "2012-01-01T00:00:00"),
        ("int32 id (DECIMAL(9,2))", Int(vec![-5]), "-0.05"),
        ("int64 id (DECIMAL(18,0))", Long(vec![12]), "12"),
        (
            "fixed_len_byte_array(3) id (DECIMAL(5,1))",
            fixed([vec![0xff, 0xff, 0x85]]),
            "-12.3",
        ),
        (
            "binary id (DECIMAL(5,1))",
            Values::Bytes(vec![vec![4, 210].into()]),
            "123.4",
        ),
        ("float id", Single(vec![1.1]), "1.1"),
        ("double id", Double(vec![2.0]), "2.0"),
        ("double id", Double(vec![f64::NAN]), "a#1"),
        ("binary id", strings(["x"]), "x"),
    ] {
        assert_eq!(id(kind, values), expected, "{kind}");
    }
}

#[test]
fn ids_may_be_bytes_of_fixed_length() {
    use Values::Fixed;
    for (kind, values, expected) in [
        ("fixed_len_byte_array(1) id", fixed([vec![1]]), "01"),
        (
            "fixed_len_byte_array(2) id",
            Fixed(vec![vec![0xC4, 2].into()]),
            "c402",
        ),
        (
            "fixed_len_byte_array(3) id",
            fixed([b"a-1".to_vec()]),
            "a-1",
        ),
        (
            "fixed_len_byte_array(16) id (UUID)",
            fixed([(0x10..0x20).collect()]),
            "10111213-1415-1617-1819-1a1b1c1d1e1f",
        ),
    ] {
        assert_eq!(id(kind, values), expected, "{kind}");
    }
}

#[test]
fn a_group_is_no_id() {
    let fields =
        "required group id { required binary part (STRING); } required binary text (STRING);";
    let columns = vec![full(strings(["x"])), full(strings(["text"]))];
    let bytes = file(fields, Compression::UNCOMPRESSED, &[columns]);
    let folder = Folder::new(&[("a", &bytes)]);
    let expected = "!column `id` is of type list or group, which cannot be an id; name another with --id-field";
    assert_eq!(briefs(&folder.source("a")), [expected]);
}

#[test]
fn kept_rows_have_all_columns_in_every_compression() {
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::BROTLI(Default::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
        Compression::ZSTD(Default::default()),
    ] {
        let [before, after] = kept(&sample(compression), |number| number % 2 == 0);
        let of = |file: &SerializedFileReader<File>| {
            file.metadata().row_group(1).column(1).compression()
        };
        assert_eq!(of(&before), of(&after));
        assert_eq!(after.metadata().row_group(0).num_rows(), 2);
        kept(&sample(compression), |number| number > 5);
    }
}

/// Lists, structs and maps as other programs write them, in `repeat` row groups of four rows.
fn nested(repeat: usize) -> Vec<u8> {
    let fields = "required binary text (STRING);
        optional group tags (LIST) { repeated group list { optional binary element (STRING); } }
        required group place { optional double lat; required boolean sure; optional int96 seen; }
        optional group links (MAP) { repeated group key_value {
            required binary key (STRING);
            optional group value (LIST) { repeated group list { required int32 element (DATE); } } } }
        repeated float weights;
        optional fixed_len_byte_array(2) code;";
    let group = || {
        vec![
            full(strings(["a", "b", "c", "d"])),
            // [x, null], null, [], [y]
            Column(
                strings(["x", "y"]),
                vec![3, 2, 0, 1, 3],
                vec![0, 1, 0, 0, 0],
            ),
            Column(
                Values::Double(vec![0.5, f64::NAN]),
                vec![1, 0, 1, 0],
                vec![],
            ),
            full(Values::Flag(vec![true, false, true, true])),
            Column(
                Values::Stamp(vec![vec![1, 2, 3].into()]),
                vec![0, 1, 0, 0],
                vec![],
            ),
            // {k: [1, 2], l: null}, {}, null, {m: []}
            Column(
                strings(
                    ["k", "k", "l", "m"]
                        .iter()
                        .enumerate()
                        .filter(|(i, _)| *i != 1)
                        .map(|(_, k)| k),
                ),
                vec![2, 2, 1, 0, 2],
                vec![0, 1, 0, 0, 0],
            ),
            Column(
                Values::Int(vec![1, 2]),
                vec![4, 4, 2, 1, 0, 3],
                vec![0, 2, 1, 0, 0, 0],
            ),
            // [1, 2], [], [3], []
            Column(
                Values::Single(vec![1.0, 2.0, 3.0]),
                vec![1, 1, 0, 1, 0],
                vec![0, 1, 0, 0, 0],
            ),
            Column(fixed([vec![1, 2], vec![3, 4]]), vec![1, 0, 0, 1], vec![]),
        ]
    };
    let groups = (0..repeat).map(|_| group()).collect::<Vec<_>>();
    file(fields, Compression::SNAPPY, &groups)
}

#[test]
fn nested_columns_are_copied_row_by_row() {
    for pattern in 1..16_u64 {
        kept(&nested(2), |number| pattern >> (number % 4) & 1 == 1);
    }
}

#[test]
fn texts_in_lists_are_joined_but_for_some_roles() {
    let fields = "required binary id (STRING);
        optional group messages (LIST) { repeated group list { optional group element {
            optional binary role (STRING); optional binary content (STRING); } } }";
    // Three messages, the last without a role; none; null; one.
    let repeated = vec![0, 1, 1, 0, 0, 0];
    let group = vec![
        full(strings(["a", "b", "c", "d"])),
        Column(
            strings(["system", "user", "system"]),
            vec![4, 4, 3, 1, 0, 4],
            repeated.clone(),
        ),
        Column(
            strings(["S", "one", "two", "S"]),
            vec![4, 4, 4, 1, 0, 4],
            repeated,
        ),
    ];
    let folder = Folder::new(&[("a.parquet", &file(fields, Compression::SNAPPY, &[group]))]);
    let read = |text: &str, skip: &[&str]| -> Vec<String> {
        let options = ReadOptions {
            text_field: text.into(),
            skip_roles: skip.iter().map(|role| (*role).to_owned()).collect(),
            ..ReadOptions::default()
        };
        let found = super::super::tests::outcomes(&folder.source("a.parquet"), &options);
        found.into_iter().map(super::super::tests::brief).collect()
    };
    let none = |row| format!("!row {row}: neither `messages[].content` nor `html` has a value");
    let found = read("messages[].content", &["system"]);
    assert_eq!(found, ["a=one\n\ntwo", &none(2), &none(3), "d="]);
    let found = read("messages[].content", &[]);
    assert_eq!(found, ["a=S\n\none\n\ntwo", &none(2), &none(3), "d=S"]);
    let found = read("messages[].text", &[]);
    assert!(
        found.len() == 1 && found[0].starts_with("!no column `messages[].text`"),
        "{found:?}"
    );
}

#[test]
fn texts_of_typed_parts_in_lists_are_joined() {
    let fields = "required binary id (STRING);
        optional group messages (LIST) { repeated group list { optional group element {
            optional binary role (STRING);
            optional group content (LIST) { repeated group list { optional group element {
                optional binary type (STRING); optional binary text (STRING); } } } } } }";
    // The system's part; the user's two parts with a picture between them, and a message without parts. Then a row of one part.
    let (filled, repeated) = (vec![7, 7, 7, 7, 3, 7], vec![0, 1, 2, 2, 1, 0]);
    let group = vec![
        full(strings(["a", "b"])),
        Column(
            strings(["system", "user", "user", "user"]),
            vec![4, 4, 4, 4],
            vec![0, 1, 1, 0],
        ),
        Column(
            strings(["text", "text", "image", "text", "text"]),
            filled,
            repeated.clone(),
        ),
        Column(
            strings(["S", "one", "two", "three"]),
            vec![7, 7, 6, 7, 3, 7],
            repeated,
        ),
    ];
    let folder = Folder::new(&[("a.parquet", &file(fields, Compression::SNAPPY, &[group]))]);
    for text in ["messages[].content", "messages[].content[].text"] {
        let options = ReadOptions {
            text_field: text.into(),
            skip_roles: vec!["system".into()],
            ..ReadOptions::default()
        };
        let found = super::super::tests::outcomes(&folder.source("a.parquet"), &options);
        let found: Vec<String> = found.into_iter().map(super::super::tests::brief).collect();
        assert_eq!(found, ["a=one\n\ntwo", "b=three"], "{text}");
    }
}

#[test]
fn rows_of_many_batches_are_told_apart() {
    let rows = 1000;
    let fields = "required binary text (STRING); repeated int64 places;";
    // Row i has i % 4 places.
    let places = (0..rows).flat_map(|i| (0..i % 4).map(move |j| i * 10 + j));
    let levels = (0..rows)
        .flat_map(|i| (0..(i % 4).max(1)).map(move |j| (i16::from(i % 4 > 0), i16::from(j > 0))));
    let (filled, repeated) = levels.unzip();
    let group = vec![
        full(strings((0..rows).map(|i| format!("text {i}")))),
        Column(Values::Long(places.collect()), filled, repeated),
    ];
    kept(&file(fields, Compression::SNAPPY, &[group]), |number| {
        number % 3 != 0
    });
}

#[test]
fn marks_are_more_columns() {
    let folder = Folder::new(&[("a", &sample(Compression::SNAPPY))]);
    let source = folder.source("a");
    let fate = |number| match number {
        3 => RecordDecision::Leave,
        number => mark_if(number == 2),
    };
    let file = rewritten(&source, fate).unwrap();
    let rows = rows(&file);
    assert_eq!(rows.len(), 9);
    let expected = format!(
        "{{id: 1, text: \"text 1\", more: \"more 1\", retold_cluster: 3, retold_canonical: \"{}\", \
         retold_relation: \"contained_by\", retold_dropped_for: \"c\"}}",
        MARK[1].to_text().unwrap()
    );
    assert_eq!(rows[1], expected);
    assert!(
        rows[2].ends_with("retold_cluster: null, retold_canonical: null, retold_relation: null, retold_dropped_for: null}")
    );
    // The Arrow schema of the source does not know the new columns.
    let pairs = file
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .unwrap();
    assert_eq!(
        pairs.iter().map(|pair| &*pair.key).collect::<Vec<_>>(),
        ["owner"]
    );
    // Without any row there is a file with the columns.
    let file = rewritten(&source, |_| RecordDecision::Leave).unwrap();
    let names = file.metadata().file_metadata().schema().get_fields().iter();
    let names: Vec<&str> = names.map(|field| field.name()).collect();
    let marks: Vec<&str> = mark_fields().names().collect();
    assert_eq!(names, [&["id", "text", "more"][..], &marks].concat());
    assert!(self::rows(&file).is_empty());
    // Marked again, the columns are replaced.
    let again = folder.path("again.parquet");
    let mark = &mut |_| mark_if(true);
    source
        .rewrite_adding(&mark_fields(), &ReadOptions::default(), mark, &again)
        .unwrap();
    let source = folder.source("again.parquet");
    let file = rewritten(&source, |_| mark_if(false)).unwrap();
    let names = file.metadata().file_metadata().schema().get_fields().iter();
    let names: Vec<&str> = names.map(|field| field.name()).collect();
    assert_eq!(names, [&["id", "text", "more"][..], &marks].concat());
    let first = "{id: 0, text: \"text 0\", more: \"more 0\", retold_cluster: null, ";
    assert!(self::rows(&file)[0].starts_with(first));
}

#[test]
fn added_columns_are_in_a_group_where_there_is_none_of_its_name() {
    let folder = Folder::new(&[("a", &sample(Compression::SNAPPY))]);
    let add = |source: &Source, at: &str, to: &str| {
        let fields = vec![("retold_cluster_size", FieldKind::Whole)];
        let fields = AddedFields::new(Some(at), fields);
        let value = &mut |number| {
            RecordDecision::Add(vec![match number {
                1 => FieldValue::Null,
                number => FieldValue::Whole(number as i64),
            }])
        };
        let to = folder.path(to);
        source
            .rewrite_adding(&fields, &ReadOptions::default(), value, &to)
            .unwrap();
        rows(&open(&to).unwrap())
    };
    let once = add(&folder.source("a"), "meta.dup", "b.parquet");
    let end = "more: \"more 1\", meta: {dup: {retold_cluster_size: 2}}}";
    assert!(once[1].ends_with(end), "{}", once[1]);
    assert!(once[0].ends_with("{retold_cluster_size: null}}}"));
    let source = folder.source("b.parquet");
    assert_eq!(add(&source, "meta.dup", "c.parquet"), once);
    let beside = add(&source, "meta", "d.parquet");
    let end = "meta: {dup: {retold_cluster_size: 2}}, meta.retold_cluster_size: 2}";
    assert!(beside[1].ends_with(end), "{}", beside[1]);
    let again = add(&folder.source("d.parquet"), "meta", "e.parquet");
    assert_eq!(again, beside);
}

#[test]
fn missing_columns_and_other_types_are_one_reject() {
    for (fields, columns, expected) in [
        (
            "required int64 text;",
            vec![full(Values::Long(vec![1]))],
            "!column `text` is of type INT64, not text",
        ),
        (
            "repeated binary text (STRING);",
            vec![Column(strings(["a"]), vec![1], vec![0])],
            "!column `text` is of type list or group, not text",
        ),
        (
            "required int64 a; required int64 b;",
            vec![full(Values::Long(vec![1])), full(Values::Long(vec![1]))],
            "!no column `text` or `html`; the columns are: a, b; say with --text-field which one holds the text",
        ),
    ] {
        let folder = Folder::new(&[("a.parquet", &file(fields, Compression::SNAPPY, &[columns]))]);
        assert_eq!(briefs(&folder.source("a.parquet")), [expected]);
    }
}

#[test]
fn a_column_without_values_may_be_the_text() {
    let fields = "optional int32 text (UNKNOWN); required binary html (STRING);";
    let columns = vec![
        Column(Values::Int(vec![]), vec![0], vec![]),
        full(strings(["<p>a"])),
    ];
    let folder = Folder::new(&[("a.parquet", &file(fields, Compression::SNAPPY, &[columns]))]);
    assert_eq!(briefs(&folder.source("a.parquet")), ["a.parquet#1=<p>a"]);
}

#[test]
fn columns_in_structs_are_found_by_their_paths() {
    let fields =
        "optional group content { optional binary text (STRING); optional binary title (STRING); }
        optional group metadata { required binary url (STRING); required double date; }
        optional binary content.title (STRING);";
    // The second row has neither struct, the third a content without text.
    let columns = vec![
        Column(strings(["a"]), vec![2, 0, 1], vec![]),
        Column(strings(["x", "y"]), vec![2, 0, 2], vec![]),
        Column(strings(["u", "w"]), vec![1, 0, 1], vec![]),
        Column(Values::Double(vec![1.5e9, 2.5]), vec![1, 0, 1], vec![]),
        Column(strings(["t1", "t2"]), vec![1, 1, 0], vec![]),
    ];
    let folder = Folder::new(&[("a.parquet", &file(fields, Compression::SNAPPY, &[columns]))]);
    let source = folder.source("a.parquet");
    let read = |text_field: &str| {
        let options = ReadOptions {
            text_field: text_field.into(),
            more_fields: vec![
                "content.title".into(),
                "none".into(),
                "metadata.date".into(),
            ],
            ..ReadOptions::default()
        };
        let records = source
            .records(&options)
            .map(|record| record.parse(&source, &options));
        records.collect::<Vec<_>>()
    };
    let found = read("content.text")
        .into_iter()
        .map(super::super::tests::brief);
    let missing = |row| format!("!row {row}: neither `content.text` nor `html` has a value");
    assert_eq!(
        found.collect::<Vec<_>>(),
        ["u=a".into(), missing(2), missing(3)]
    );
    // The column called `content.title` comes before the one in the struct.
    let found = read("content.title,content.text")
        .into_iter()
        .map(super::super::tests::brief);
    let missing = "!row 3: neither `content.title,content.text` nor `html` has a value";
    assert_eq!(
        found.collect::<Vec<_>>(),
        ["u=t1\n\na", "a.parquet#2=t2", missing]
    );
    let Outcome::Page(page) = read("content.text").remove(0) else {
        panic!("not a page");
    };
    assert_eq!(page.date.as_deref(), Some("1500000000.0"));
    let more = r#"[("content.title", "t1"), ("metadata.date", "1500000000.0")]"#;
    assert_eq!(format!("{:?}", page.fields), more);
    let found = read("content").into_iter().map(super::super::tests::brief);
    assert_eq!(
        found.collect::<Vec<_>>(),
        ["!column `content` is of type list or group, not text"]
    );
}

/// Four row groups of 600 rows, and where the pages of each column of the second begin and end in the file.
fn groups() -> (Vec<u8>, Vec<std::ops::Range<usize>>) {
    let group = |rows: std::ops::Range<i64>| {
        vec![
            full(Values::Long(rows.clone().collect())),
            full(strings(rows.clone().map(|i| format!("text {i}")))),
            full(strings(rows.map(|i| format!("more {i}")))),
        ]
    };
    let fields = "required int64 id; required binary text (STRING); required binary more (STRING);";
    let rows = (0..4).map(|at| group(at * 600..(at + 1) * 600));
    let bytes = file(fields, Compression::SNAPPY, &rows.collect::<Vec<_>>());
    let folder = Folder::new(&[("a", &bytes)]);
    let read = open(&folder.path("a")).unwrap();
    let columns = read.metadata().row_group(1).columns().iter();
    let places = columns.map(|column| {
        let (begin, length) = column.byte_range();
        begin as usize..(begin + length) as usize
    });
    (bytes, places.collect())
}

#[test]
fn a_damaged_row_group_costs_its_own_rows_only() {
    let (bytes, places) = groups();
    // The text, the id, and a column that is only copied.
    for place in places {
        let mut broken = bytes.clone();
        for at in place {
            broken[at] ^= 0x55;
        }
        let folder = Folder::new(&[("a.parquet", &broken)]);
        let source = folder.source("a.parquet");
        let found = briefs(&source);
        assert_eq!(found.len(), 2400);
        for (at, brief) in found.iter().enumerate() {
            let lost = format!(
                "!row {}, in row group 1 (from 0): damaged Parquet: ",
                at + 1
            );
            match at {
                600..1200 => assert!(brief.starts_with(&lost), "{brief}"),
                _ => assert_eq!(*brief, format!("{at}=text {at}")),
            }
        }
        let fate = |number| match number {
            601..=1200 => RecordDecision::Leave,
            _ => RecordDecision::Keep,
        };
        let kept = rows(&rewritten(&source, fate).unwrap());
        assert_eq!(kept.len(), 1800);
        assert!(kept[600].contains("more 1200"), "{}", kept[600]);
    }
}

#[test]
fn rows_before_the_damage_in_a_row_group_are_read_and_kept() {
    // Pages of a hundred rows, of which one in the middle is damaged.
    let texts = full(strings((0..1000).map(|i| format!("text {i} {}", i * 7919))));
    let schema = parse_message_type("message m { required binary text (STRING); }").unwrap();
    let properties = WriterProperties::builder()
        .set_compression(Compression::UNCOMPRESSED)
        .set_dictionary_enabled(false)
        .set_data_page_row_count_limit(100)
        .set_write_batch_size(100);
    let mut bytes = Vec::new();
    let mut writer =
        SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties.build()))
            .unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    texts.write(&mut column);
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    let middle = bytes
        .windows(8)
        .position(|window| window == b"text 650")
        .unwrap();
    bytes[middle - 300..middle + 100].fill(0xff);
    let folder = Folder::new(&[("a.parquet", &bytes)]);
    let source = folder.source("a.parquet");
    let found = briefs(&source);
    let sound = found.iter().take_while(|brief| !brief.starts_with('!'));
    let sound = sound.count();
    assert!((256..=600).contains(&sound), "{sound}");
    assert_eq!(found.len(), 1000);
    assert!(found[sound..].iter().all(|brief| brief.starts_with('!')));
    let fate = |number| match number <= sound as u64 {
        true => RecordDecision::Keep,
        false => RecordDecision::Leave,
    };
    assert_eq!(rows(&rewritten(&source, fate).unwrap()).len(), sound);
}

#[test]
fn a_footer_that_contradicts_itself_is_one_reject() {
    let (bytes, _) = groups();
    let folder = Folder::new(&[("a.parquet", &bytes)]);
    let footer = open(&folder.path("a.parquet")).unwrap();
    let footer = footer.metadata();
    assert_eq!(counts(footer), Ok(vec![600; 4]));
    let less = footer.clone().into_builder();
    let less = less.set_row_groups(footer.row_groups()[..3].to_vec());
    let reason = "damaged Parquet: the footer counts 2400 rows, and its row groups have another number of them";
    assert_eq!(counts(&less.build()), Err(reason.into()));
}

#[test]
fn whatever_byte_is_wrong_nothing_panics() {
    let bytes = sample(Compression::SNAPPY);
    let folder = Folder::new(&[
        ("cut.parquet", &bytes[..bytes.len() - 9]),
        ("e.parquet", b""),
    ]);
    let found = briefs(&folder.source("cut.parquet"));
    assert!(
        found.len() == 1 && found[0].starts_with("!damaged Parquet: "),
        "{found:?}"
    );
    assert_eq!(briefs(&folder.source("e.parquet")).len(), 1);
    for bytes in [bytes, nested(1)] {
        for place in (0..bytes.len()).step_by(3) {
            let mut broken = bytes.clone();
            broken[place] ^= 0x55;
            folder.write("b.parquet", &broken);
            let source = folder.source("b.parquet");
            let left = rewritten(&source, |_| RecordDecision::Leave);
            assert!(left.is_none_or(|left| rows(&left).is_empty()));
            // Damage in a column that is only copied is an error, never a panic or a row lost in silence.
            let to = folder.path("kept.parquet");
            let _ = source.rewrite(&ReadOptions::default(), &mut |_| RecordDecision::Keep, &to);
        }
    }
}

#[test]
fn texts_are_cut_row_by_row() {
    use crate::text::{BlockUnit, Cuts};
    let texts: Vec<String> = (0..600).map(|row| format!("a {row}\nb\nc")).collect();
    let filled: Vec<i16> = (0..600).map(|row| i16::from(row % 3 != 0)).collect();
    let there = texts.iter().zip(&filled);
    let there = there
        .filter(|(_, filled)| **filled == 1)
        .map(|(text, _)| text);
    let columns = vec![
        Column(strings(there), filled, Vec::new()),
        full(strings(&texts)),
    ];
    let fields = "optional binary text (STRING); required binary other (STRING);";
    let folder = Folder::new(&[("a.parquet", &file(fields, Compression::SNAPPY, &[columns]))]);
    let source = folder.source("a.parquet");
    let to = folder.path("kept.parquet");
    let mut decide = |record: u64| match record % 5 {
        0 => RecordDecision::Leave,
        1 | 2 => RecordDecision::Cut(Cuts {
            unit: BlockUnit::Line,
            blocks: vec![1].into(),
        }),
        _ => RecordDecision::Keep,
    };
    source
        .rewrite(&ReadOptions::default(), &mut decide, &to)
        .unwrap();
    let found = rows(&open(&to).unwrap());
    let expected = (1..=600u64).filter(|record| record % 5 != 0).map(|record| {
        let other = &texts[record as usize - 1];
        let text = match (record % 3, record % 5) {
            (1, _) => "null".to_owned(),
            (_, 1 | 2) => format!("{:?}", other.replace("\nb", "")),
            _ => format!("{other:?}"),
        };
        (text, format!("{other:?}"))
    });
    let expected: Vec<String> = expected
        .map(|(text, other)| format!("{{text: {text}, other: {other}}}").replace("\\n", "\n"))
        .collect();
    assert_eq!(found, expected);
}
