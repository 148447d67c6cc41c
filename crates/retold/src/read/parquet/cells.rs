//! Cells of Parquet columns as text or bytes.

use ::parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type as Physical};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{ByteArray, DataType};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::schema::types::{ColumnDescPtr, ColumnDescriptor};
use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use jiff::tz::TimeZone;

use crate::read::names::joined;

/// One column of a batch; `None` is a null.
pub(super) type Cells = Vec<Option<ByteArray>>;

/// How the values of a column are to be read.
#[derive(Clone, Copy)]
enum ValueKind {
    /// As they are stored.
    Plain,
    Unsigned,
    /// Days.
    Day,
    /// Points in time in units of this many nanoseconds, in UTC or in an unknown time zone.
    Time {
        nanos: i64,
        utc: bool,
    },
    /// Numbers with this many digits after the point.
    Decimal(usize),
    /// Sixteen bytes with hyphens between their digits.
    Uuid,
}

impl ValueKind {
    fn of(column: &ColumnDescriptor) -> ValueKind {
        use ConvertedType as Old;
        let time = |nanos, utc| ValueKind::Time { nanos, utc };
        match (column.logical_type_ref(), column.converted_type()) {
            (Some(LogicalType::Timestamp(stamp)), _) => {
                let nanos = match stamp.unit {
                    TimeUnit::MILLIS => 1_000_000,
                    TimeUnit::MICROS => 1_000,
                    TimeUnit::NANOS => 1,
                };
                time(nanos, stamp.is_adjusted_to_u_t_c)
            }
            (Some(LogicalType::Decimal(decimal)), _) => {
                ValueKind::Decimal(usize::try_from(decimal.scale).unwrap_or(0))
            }
            (Some(LogicalType::Uuid), _) => ValueKind::Uuid,
            (Some(LogicalType::Integer(integer)), _) if !integer.is_signed => ValueKind::Unsigned,
            (Some(LogicalType::Date), _) | (None, Old::DATE) => ValueKind::Day,
            (None, Old::TIMESTAMP_MILLIS) => time(1_000_000, true),
            (None, Old::TIMESTAMP_MICROS) => time(1_000, true),
            (None, Old::DECIMAL) => {
                ValueKind::Decimal(usize::try_from(column.type_scale()).unwrap_or(0))
            }
            (None, Old::UINT_8 | Old::UINT_16 | Old::UINT_32 | Old::UINT_64) => ValueKind::Unsigned,
            _ if column.physical_type() == Physical::INT96 => time(1, false),
            _ => ValueKind::Plain,
        }
    }

    /// A whole number as text, given its bits read as signed and as unsigned.
    fn number(self, signed: i64, unsigned: u64) -> Option<String> {
        match self {
            ValueKind::Plain => Some(signed.to_string()),
            ValueKind::Unsigned => Some(unsigned.to_string()),
            ValueKind::Day => {
                let day = Timestamp::from_second(signed.checked_mul(86_400)?).ok()?;
                Some(TimeZone::UTC.to_datetime(day).date().to_string())
            }
            ValueKind::Time { nanos, utc } => {
                point_in_time(i128::from(signed) * i128::from(nanos), utc)
            }
            ValueKind::Decimal(scale) => Some(decimal(signed.into(), scale)),
            ValueKind::Uuid => None,
        }
    }

    fn bytes(
        self,
        value: ByteArray,
        plain: impl Fn(ByteArray) -> Option<ByteArray>,
    ) -> Option<ByteArray> {
        match self {
            ValueKind::Decimal(scale) => Some(text(decimal(big_endian(value.data())?, scale))),
            ValueKind::Uuid => Some(text(uuid(value.data()))),
            _ => plain(value),
        }
    }
}

/// Nanoseconds since 1970 in RFC 3339, to the second, or with as many groups of three decimals as needed.
fn point_in_time(nanos: i128, utc: bool) -> Option<String> {
    let time = Timestamp::from_nanosecond(nanos).ok()?;
    let precision = match nanos {
        nanos if nanos % 1_000_000_000 == 0 => 0,
        nanos if nanos % 1_000_000 == 0 => 3,
        nanos if nanos % 1_000 == 0 => 6,
        _ => 9,
    };
    let printer = DateTimePrinter::new().precision(Some(precision));
    Some(match utc {
        true => printer.timestamp_to_string(&time),
        false => printer.datetime_to_string(&TimeZone::UTC.to_datetime(time)),
    })
}

fn decimal(value: i128, scale: usize) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", value.unsigned_abs(), width = scale + 1);
    let (whole, behind) = digits.split_at(digits.len() - scale);
    let point = if scale > 0 { "." } else { "" };
    format!("{sign}{whole}{point}{behind}")
}

/// A signed big-endian number of up to 16 bytes.
fn big_endian(bytes: &[u8]) -> Option<i128> {
    let fill = if *bytes.first()? >= 0x80 { 0xff } else { 0 };
    let mut all = [fill; 16];
    all[16_usize.checked_sub(bytes.len())?..].copy_from_slice(bytes);
    Some(i128::from_be_bytes(all))
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A UUID in the form of RFC 9562.
fn uuid(bytes: &[u8]) -> String {
    let parts = [0..4, 4..6, 6..8, 8..10, 10..bytes.len().max(10)];
    let parts = parts.map(|part| digits(bytes.get(part).unwrap_or_default()));
    parts.join("-")
}

fn text(text: String) -> ByteArray {
    ByteArray::from(text.into_bytes())
}

/// A floating-point number in JSON's form; `None` if it is NaN or infinite.
fn float(value: f64, text: serde_json::Result<String>) -> Option<ByteArray> {
    let text = text.ok().filter(|_| value.is_finite())?;
    Some(ByteArray::from(text.into_bytes()))
}

/// Whether a column holds text, as strings or as bytes. A column without any value is accepted.
pub(super) fn is_text(column: &ColumnDescriptor) -> bool {
    is_flat(column) && has_text(column)
}

pub(super) fn is_text_list(column: &ColumnDescriptor) -> bool {
    matches!(column.max_rep_level(), 1 | 2)
        && column.physical_type() == Physical::BYTE_ARRAY
        && has_text(column)
}

fn has_text(column: &ColumnDescriptor) -> bool {
    let logical = column.logical_type_ref();
    let decimal = matches!(logical, Some(LogicalType::Decimal(_)))
        || column.converted_type() == ConvertedType::DECIMAL;
    logical == Some(&LogicalType::Unknown)
        || column.physical_type() == Physical::BYTE_ARRAY && !decimal
}

/// Whether a column has one value a row, nested or not.
pub(super) fn is_flat(column: &ColumnDescriptor) -> bool {
    column.max_rep_level() == 0
}

pub(super) type Column = (ColumnDescPtr, ColumnReader);

/// Reads this many rows of a column of text lists: the texts of a row joined by blank lines, without skipped roles. Null for a row without
/// texts.
pub(super) fn read_lists(
    texts: &mut Column,
    roles: Option<&mut Column>,
    rows: usize,
    skip_roles: &[String],
) -> Result<Cells> {
    let texts = lists(texts, rows)?;
    let mut roles = match roles {
        Some(roles) => lists(roles, rows)?,
        None => Vec::new(),
    };
    roles.resize_with(rows, Vec::new);
    let rows = texts.into_iter().zip(roles).map(|(texts, roles)| {
        let is_left = |item: usize| {
            let role = roles.get(item).and_then(|(_, role)| role.as_ref());
            role.is_some_and(|role| {
                skip_roles
                    .iter()
                    .any(|skipped| skipped.as_bytes() == role.data())
            })
        };
        let texts = texts.iter().filter_map(|(item, text)| {
            let text = text.as_ref()?.data();
            Some(if is_left(*item) { &b""[..] } else { text })
        });
        joined(texts).map(ByteArray::from)
    });
    Ok(rows.collect())
}

/// The values of one row of a column in a list, or in a list of lists, each with the number of its item in the outer list.
type Listed = Vec<(usize, Option<ByteArray>)>;

/// Reads rows of a column of lists. Columns of one list have one value or null per list item, or one null for an empty list.
fn lists((about, reader): &mut Column, rows: usize) -> Result<Vec<Listed>> {
    let early = || ParquetError::EOF(format!("column `{}` ends early", about.name()));
    let ColumnReader::ByteArrayColumnReader(reader) = reader else {
        return Err(early());
    };
    let (mut values, mut filled, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    let (filled_to, repeated_to) = (Some(&mut filled), Some(&mut repeated));
    let (read, _, _) = reader.read_records(rows, filled_to, repeated_to, &mut values)?;
    let (mut values, mut lists) = (values.into_iter(), Vec::<Listed>::with_capacity(rows));
    for (filled, repeated) in filled.into_iter().zip(repeated) {
        if repeated == 0 {
            lists.push(Vec::new());
        }
        let list = lists.last_mut().ok_or_else(early)?;
        let item = match list.last() {
            None => 0,
            // A deeper repetition goes on in the same item.
            Some((item, _)) => item + usize::from(repeated == 1),
        };
        let value = match filled == about.max_def_level() {
            true => Some(values.next().ok_or_else(early)?),
            false => None,
        };
        list.push((item, value));
    }
    match read == rows && lists.len() == rows {
        true => Ok(lists),
        false => Err(early()),
    }
}

pub(super) fn read(
    reader: &mut ColumnReader,
    column: &ColumnDescriptor,
    rows: usize,
) -> Result<Cells> {
    use ColumnReader as Of;
    let kind = ValueKind::of(column);
    let number = |signed: i64, unsigned: u64| kind.number(signed, unsigned).map(text);
    match reader {
        Of::BoolColumnReader(reader) => {
            typed(reader, column, rows, |value| Some(text(value.to_string())))
        }
        Of::Int32ColumnReader(reader) => typed(reader, column, rows, |value| {
            number(value.into(), value.cast_unsigned().into())
        }),
        Of::Int64ColumnReader(reader) => typed(reader, column, rows, |value| {
            number(value, value.cast_unsigned())
        }),
        Of::Int96ColumnReader(reader) => {
            typed(reader, column, rows, |value| number(value.to_nanos(), 0))
        }
        Of::FloatColumnReader(reader) => typed(reader, column, rows, |value| {
            float(value.into(), serde_json::to_string(&value))
        }),
        Of::DoubleColumnReader(reader) => typed(reader, column, rows, |value| {
            float(value, serde_json::to_string(&value))
        }),
        Of::ByteArrayColumnReader(reader) => {
            typed(reader, column, rows, |value| kind.bytes(value, Some))
        }
        Of::FixedLenByteArrayColumnReader(reader) => typed(reader, column, rows, |value| {
            kind.bytes(value.into(), |bytes: ByteArray| {
                // As UTF-8 if valid, else as hex digits: an id must not be lost.
                match std::str::from_utf8(bytes.data()) {
                    Ok(letters) if !letters.contains(char::is_control) => Some(bytes),
                    _ => Some(text(digits(bytes.data()))),
                }
            })
        }),
    }
}

fn typed<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    column: &ColumnDescriptor,
    rows: usize,
    show: impl Fn(T::T) -> Option<ByteArray>,
) -> Result<Cells> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let (read, _, _) = reader.read_records(rows, Some(&mut levels), None, &mut values)?;
    if read != rows {
        return Err(ParquetError::EOF(format!(
            "column `{}` ends early",
            column.name()
        )));
    }
    let mut values = values.into_iter();
    Ok(match column.max_def_level() {
        0 => values.map(show).collect(),
        // The highest definition level marks a value, lower ones a null.
        full => levels
            .iter()
            .map(|level| {
                (*level == full)
                    .then(|| values.next())
                    .flatten()
                    .and_then(&show)
            })
            .collect(),
    })
}
