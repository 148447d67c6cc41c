//! Parses dates in the forms that people and machines use.

/// Parses a date to seconds since 1970; without a time zone it is taken as UTC. Numbers are seconds since 1970, or thousandths, millionths
/// or billionths of seconds if they would otherwise be after 5138; numbers before March 1973 are not dates (they may be years). Months may
/// be named in several languages. `04/01/2026` is ambiguous, so it is not a date by itself; `25/12/2025` and `04.01.2026` are.
pub fn seconds(date: &str) -> Option<i64> {
    let date = read(date)?;
    (date.order != DateOrder::Either).then_some(date.seconds)
}

/// What a date shows about the order of its day and month.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DateOrder {
    /// Nothing, because it is not written like `25/12/2025`.
    #[default]
    Unsaid,
    /// The day comes first.
    DayFirst,
    /// The month comes first.
    MonthFirst,
    /// Both orders are possible: `04/01/2026`.
    Either,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadDate {
    /// Seconds since 1970; if ambiguous, with the day first.
    pub seconds: i64,
    pub order: DateOrder,
}

/// Parses a date, with the order of its day and month.
pub(crate) fn read(date: &str) -> Option<ReadDate> {
    let date = date.trim();
    if let Some(seconds) = plain(date) {
        return Some(ReadDate {
            seconds,
            order: DateOrder::Unsaid,
        });
    }
    written_out(date)
}

/// The same date with day and month exchanged.
pub(crate) fn exchanged(seconds: i64) -> Option<i64> {
    let utc = jiff::tz::TimeZone::UTC;
    let before = utc.to_datetime(jiff::Timestamp::from_second(seconds).ok()?);
    let date = jiff::civil::Date::new(before.year(), before.day(), before.month()).ok()?;
    let after = date.to_datetime(before.time()).to_zoned(utc).ok()?;
    Some(after.timestamp().as_second())
}

/// Parses a date with an unambiguous machine format.
fn plain(date: &str) -> Option<i64> {
    use jiff::civil::DateTime;
    use jiff::tz::TimeZone;
    if date.starts_with('{') {
        return extended_json(date);
    }
    let zoned = date
        .parse::<jiff::Timestamp>()
        .or_else(|_| jiff::fmt::rfc2822::parse(date).map(|zoned| zoned.timestamp()))
        .or_else(|_| jiff::Timestamp::strptime("%Y-%m-%d %H:%M:%S %z", date))
        .or_else(|_| jiff::Timestamp::strptime("%Y-%m-%dT%H:%M:%S%z", date));
    let civil = || {
        date.parse::<DateTime>()
            // Crawlers' stamps; jiff reads `20120101` itself.
            .or_else(|_| DateTime::strptime("%Y%m%d%H%M%S", date))
            .and_then(|civil| civil.to_zoned(TimeZone::UTC))
            .map(|zoned| zoned.timestamp())
    };
    zoned
        .or_else(|_| civil())
        .ok()
        .map(jiff::Timestamp::as_second)
        .or_else(|| counted(date))
}

/// A date as MongoDB exports it: `{"$date": ...}`.
fn extended_json(date: &str) -> Option<i64> {
    let value: serde_json::Value = serde_json::from_str(date).ok()?;
    match value.get("$date")? {
        serde_json::Value::Object(number) => seconds(number.get("$numberLong")?.as_str()?),
        serde_json::Value::String(text) => seconds(text),
        number => seconds(&number.to_string()),
    }
}

/// Month names in languages other than English.
const MONTHS: [&[&str]; 12] = [
    &[
        "januar",
        "janvier",
        "enero",
        "gennaio",
        "janeiro",
        "jänner",
        "января",
        "ocak",
    ],
    &[
        "februar",
        "février",
        "fevrier",
        "febrero",
        "febbraio",
        "fevereiro",
        "февраля",
        "şubat",
    ],
    &[
        "märz",
        "maerz",
        "mars",
        "marzo",
        "março",
        "maart",
        "марта",
        "mart",
    ],
    &["avril", "abril", "aprile", "апреля", "nisan"],
    &["mai", "mayo", "maggio", "maio", "mei", "мая", "mayıs"],
    &[
        "juni", "juin", "junio", "giugno", "junho", "июня", "haziran",
    ],
    &[
        "juli", "juillet", "julio", "luglio", "julho", "июля", "temmuz",
    ],
    &["août", "aout", "agosto", "augustus", "августа", "ağustos"],
    &[
        "septembre",
        "septiembre",
        "settembre",
        "setembro",
        "сентября",
        "eylül",
    ],
    &[
        "oktober",
        "octobre",
        "octubre",
        "ottobre",
        "outubro",
        "октября",
        "ekim",
    ],
    &["novembre", "noviembre", "novembro", "ноября", "kasım"],
    &[
        "dezember",
        "décembre",
        "decembre",
        "diciembre",
        "dicembre",
        "dezembro",
        "декабря",
        "aralık",
    ],
];

const ENGLISH: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Parses a date with a month name or with day and month in a country's order, optionally with a time: `January 4, 2026 8:00 PM`, `4.
/// Januar 2026`, `04.01.2026`, `25/12/2025`, `2025-12`.
fn written_out(date: &str) -> Option<ReadDate> {
    use jiff::civil::{Date, DateTime};
    const DATES: [&str; 10] = [
        "%B %d %Y",
        "%b %d %Y",
        "%d %B %Y",
        "%d %b %Y",
        "%Y %B %d",
        "%d.%m.%Y",
        "%Y.%m.%d",
        "%Y/%m/%d",
        "%Y-%m-%d",
        "%Y年%m月%d日",
    ];
    const TIMES: [&str; 4] = ["%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S %p"];
    let (plain, order) = plain_date(date);
    let date = |form: &str| Date::strptime(form, &plain).map(DateTime::from);
    let time = |form: &str| {
        let mut times = TIMES.iter();
        times.find_map(|time| DateTime::strptime(format!("{form} {time}"), &plain).ok())
    };
    let found = DATES
        .iter()
        .find_map(|form| date(form).ok().or_else(|| time(form)));
    let zoned = found?.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(ReadDate {
        seconds: zoned.timestamp().as_second(),
        order,
    })
}

/// The words of a date in English form, without commas, weekday and small words; and the order of day and month.
fn plain_date(date: &str) -> (String, DateOrder) {
    let (mut words, mut order) = (Vec::<String>::new(), DateOrder::Unsaid);
    let all = date.split([' ', ',', '\u{a0}', '\u{202f}']);
    for word in all.filter(|word| !word.is_empty()) {
        let lower = word.to_lowercase();
        let bare = lower.trim_end_matches('.');
        let ordinal = ["st", "nd", "rd", "th"]
            .iter()
            .find_map(|end| bare.strip_suffix(end));
        let ordinal = ordinal.filter(|number| number.parse::<u8>().is_ok());
        let month = MONTHS.iter().position(|names| names.contains(&bare));
        let is_word = bare.chars().all(char::is_alphabetic);
        if let Some(month) = month {
            words.push(ENGLISH[month].to_owned());
        } else if let Some(number) = ordinal {
            words.push(number.to_owned());
        } else if let Some((date, slashed)) = slashed(bare) {
            words.push(date);
            order = slashed;
        } else if bare.len() == 7 && bare.as_bytes()[4] == b'-' {
            words.push(format!("{bare}-01"));
        } else if !is_word || is_english_month(bare) || matches!(bare, "am" | "pm") {
            words.push(bare.to_owned());
        }
    }
    (words.join(" "), order)
}

fn is_english_month(word: &str) -> bool {
    let is_short = |month: &str| word == &month[..3];
    ENGLISH.contains(&word) || ENGLISH.iter().any(|month| is_short(month))
}

/// A date with slashes or dashes and the year last, as year, month and day; if ambiguous, with the day first.
fn slashed(date: &str) -> Option<(String, DateOrder)> {
    let mut parts = date.split(['/', '-']);
    let [first, second, year] = [(); 3].map(|()| parts.next());
    let number = |part: Option<&str>| part?.parse::<u16>().ok();
    let [first, second, year] = [number(first)?, number(second)?, number(year)?];
    if parts.next().is_some() || year < 32 {
        return None;
    }
    let (day, month, order) = match (first, second) {
        (13..=31, ..=12) => (first, second, DateOrder::DayFirst),
        (..=12, 13..=31) => (second, first, DateOrder::MonthFirst),
        (..=12, ..=12) if first == second => (first, second, DateOrder::Unsaid),
        (..=12, ..=12) => (first, second, DateOrder::Either),
        _ => return None,
    };
    Some((format!("{year:04}-{month:02}-{day:02}"), order))
}

/// A number of seconds, or of thousandths, millionths or billionths of seconds.
fn counted(date: &str) -> Option<i64> {
    let number: f64 = date.parse().ok()?;
    let seconds = match number {
        1e8..1e11 => number,
        1e11..1e14 => number / 1e3,
        1e14..1e17 => number / 1e6,
        1e17..1e20 => number / 1e9,
        _ => return None,
    };
    Some(seconds.floor() as i64)
}

/// A time in seconds since 1970 in RFC 3339, in UTC; `None` outside its range of years.
///
/// ```
/// assert_eq!(retold::internal::date_text(1_583_020_800).as_deref(), Some("2020-03-01T00:00:00Z"));
/// ```
pub fn text(seconds: i64) -> Option<String> {
    let moment = jiff::Timestamp::from_second(seconds).ok()?;
    Some(moment.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_as_they_are_written() {
        let day = 1_325_376_000; // 2012-01-01T00:00:00Z, by `date -d`
        for text in [
            "2012-01-01",
            "2012-01-01T00:00:00Z",
            "2012/01/01",
            "2012年1月1日",
            "20120101",
            "20120101000000",
            "1325376000",
            "1325376000.75",
            "1.325376e9",
            "1325376000000",
            "1325376000999.0",
            "1325376000000000",
            "1325376000000000000",
        ] {
            assert_eq!(seconds(text), Some(day), "{text}");
        }
        assert_eq!(seconds("2012-01-01T08:00:00+08:00"), Some(day));
        assert_eq!(seconds("2012-01-01T08:00:00+0800"), Some(day));
        assert_eq!(seconds("Sun, 01 Jan 2012 00:00:00 GMT"), Some(day));
        assert_eq!(seconds("2012-01-01 00:01"), Some(day + 60));
        assert_eq!(seconds("yesterday"), None);
        assert_eq!(seconds(""), None);
        assert_eq!(seconds("915148800000"), seconds("1999-01-01"));
        for number in ["2012", "7.5", "-1325376000", "1e30", "NaN", "inf"] {
            assert_eq!(seconds(number), None, "{number}");
        }
    }

    #[test]
    fn dates_in_words() {
        let day = seconds("2012-01-01");
        for text in [
            "January 1, 2012",
            "Jan 1st, 2012",
            "Sunday, January 1, 2012",
            "1 January 2012",
            "1. Januar 2012",
            "Sonntag, 1. Januar 2012 um 00:00 Uhr",
            "dimanche 1 janvier 2012",
            "1 de enero de 2012",
            "1 января 2012 г.",
            "01.01.2012",
            "01.01.2012 00:00",
            "2012.01.01",
            "01/01/2012",
            "2012-01",
            "2012年1月1日 00:00",
            "January 1, 2012 12:00 AM",
            r#"{"$date": "2012-01-01T00:00:00Z"}"#,
            r#"{"$date": 1325376000000}"#,
            r#"{"$date": {"$numberLong": "1325376000000"}}"#,
        ] {
            assert_eq!(seconds(text), day, "{text}");
        }
        assert_eq!(
            seconds("January 4, 2026 8:00 PM"),
            seconds("2026-01-04T20:00:00Z")
        );
        assert_eq!(seconds("25/12/2025"), seconds("2025-12-25"));
        assert_eq!(seconds("12/25/2025 10:30"), seconds("2025-12-25T10:30:00Z"));
        assert_eq!(
            seconds("2012/01/01 08:00:01 PM"),
            seconds("2012-01-01T20:00:01Z")
        );
        assert_eq!(seconds("25-12-2025"), seconds("2025-12-25"));
        assert_eq!(seconds("03/03/2025"), seconds("2025-03-03"));
        for unknown in [
            "04/01/2026",
            "04-01-2026 10:00",
            "May",
            "13/13/2013",
            "{\"$date\": []}",
            "{",
            "1 Smarch 2012",
        ] {
            assert_eq!(seconds(unknown), None, "{unknown}");
        }
    }
    #[test]
    fn the_order_of_day_and_month() {
        let order = |date: &str| read(date).map(|date| date.order);
        assert_eq!(order("25/12/2025"), Some(DateOrder::DayFirst));
        assert_eq!(order("12/25/2025"), Some(DateOrder::MonthFirst));
        assert_eq!(order("04/01/2026"), Some(DateOrder::Either));
        assert_eq!(order("04/04/2026"), Some(DateOrder::Unsaid));
        assert_eq!(order("2026-01-04"), Some(DateOrder::Unsaid));
        let either = read("04/01/2026 10:30").unwrap();
        assert_eq!(Some(either.seconds), seconds("2026-01-04T10:30:00Z"));
        assert_eq!(exchanged(either.seconds), seconds("2026-04-01T10:30:00Z"));
        assert_eq!(exchanged(seconds("2025-12-25").unwrap()), None);
    }
}
