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
        .or_else(|_| mail(date).map(|zoned| zoned.timestamp()))
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

/// A date of mails and RSS. RFC 2822 has all zone names that it does not list taken as UTC; those are left to [`written_out`].
fn mail(date: &str) -> Result<jiff::Zoned, jiff::Error> {
    const LISTED: [&str; 10] = [
        "ut", "gmt", "est", "edt", "cst", "cdt", "mst", "mdt", "pst", "pdt",
    ];
    let last = date.rsplit(' ').next().unwrap_or_default();
    let is_other =
        last.chars().all(char::is_alphabetic) && !LISTED.contains(&&*last.to_lowercase());
    match is_other {
        true => Err(jiff::Error::from_args(format_args!("the zone {last}"))),
        false => jiff::fmt::rfc2822::parse(date),
    }
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

/// Names of months in languages other than English, and their usual short forms.
const MONTHS: [&str; 12] = [
    "januar janvier enero gennaio janeiro jänner января январь ocak januari ianuarie stycznia styczeń leden ledna januarja tammikuu ene janv gen jän янв sty",
    "februar février fevrier febrero febbraio fevereiro feber февраля февраль şubat februari februarie lutego luty února helmikuu févr fév fev фев",
    "märz maerz mars marzo março maart марта март mart martie marca marzec března maaliskuu mrz mär mrt",
    "avril abril aprile апреля апрель nisan aprilie kwietnia kwiecień dubna huhtikuu avr abr апр kwi",
    "mai mayo maggio maio mei maj мая май mayıs maja května toukokuu mag",
    "juni juin junio giugno junho июня июнь haziran iunie czerwca czerwiec června kesäkuu giu июн cze",
    "juli juillet julio luglio julho июля июль temmuz iulie lipca lipiec července heinäkuu juil lug июл lip",
    "août aout agosto augustus августа август ağustos augusti sierpnia sierpień srpna elokuu ago авг sie",
    "septembre septiembre settembre setembro сентября сентябрь eylül septembrie września wrzesień září syyskuu sept set сен wrz",
    "oktober octobre octubre ottobre outubro октября октябрь ekim octombrie października październik října lokakuu okt ott out окт paź",
    "novembre noviembre novembro ноября ноябрь kasım noiembrie listopada listopad listopadu marraskuu ноя lis",
    "dezember décembre decembre diciembre dicembre dezembro декабря декабрь aralık decembrie grudnia grudzień prosince joulukuu déc dic dez дек gru",
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

/// Parses a date with a month name or with day and month in a country's order, optionally with a time and a zone: `January 4, 2026 8:00 PM`,
/// `Mo, 5. Jan. 2026 20:00 +0100`, `04.01.2026`, `25/12/2025`, `2025-12`, `2026年1月4日 下午8时`.
fn written_out(date: &str) -> Option<ReadDate> {
    use jiff::civil::Date;
    const DATES: [&str; 10] = [
        "%B %d %Y", "%b %d %Y", "%d %B %Y", "%d %b %Y", "%Y %B %d", "%Y %m %d", "%d.%m.%Y",
        "%Y.%m.%d", "%Y/%m/%d", "%Y-%m-%d",
    ];
    let parts = Parts::of(date)?;
    let mut forms = DATES.iter();
    let date = forms.find_map(|form| Date::strptime(form, &parts.date).ok())?;
    let day = date.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(ReadDate {
        seconds: day.timestamp().as_second() + parts.time.unwrap_or(0) - parts.offset.unwrap_or(0),
        order: parts.order,
    })
}

/// What the words of a date say.
#[derive(Default)]
struct Parts {
    /// Year, month and day, months in English; without weekday and small words.
    date: String,
    order: DateOrder,
    /// Seconds since midnight.
    time: Option<i64>,
    /// Seconds by which the zone is ahead of UTC.
    offset: Option<i64>,
}

impl Parts {
    fn of(date: &str) -> Option<Parts> {
        let (mut parts, mut words, mut is_afternoon) = (Parts::default(), Vec::new(), None);
        let date = in_words(date);
        let all = date.split([' ', ',', '\u{a0}', '\u{202f}']);
        for word in all.filter(|word| !word.is_empty()) {
            let lower = word.to_lowercase();
            let bare = lower
                .trim_start_matches('(')
                .trim_end_matches(['.', ':', ')']);
            if let Some((time, offset)) = clock(bare) {
                parts.time = Some(time);
                parts.offset = parts.offset.or(offset);
            } else if let Some(offset) = parts.time.and_then(|_| zone(bare)) {
                parts.offset.get_or_insert(offset);
            } else if let Some(half) = half_of_day(bare) {
                is_afternoon = Some(half);
                // `10 am` has no minutes.
                let hour = words.last().and_then(|hour: &String| hour.parse().ok());
                if let (None, Some(hour @ 1..=12), 4..) = (parts.time, hour, words.len()) {
                    parts.time = Some(hour * HOUR);
                    words.pop();
                }
            } else {
                parts.add(bare, &mut words);
            }
        }
        let noon = 12 * HOUR;
        parts.time = match (parts.time, is_afternoon) {
            (Some(time), Some(true)) if time < noon => Some(time + noon),
            (Some(time), Some(false)) if (noon..noon + HOUR).contains(&time) => Some(time - noon),
            (time, _) => time,
        };
        parts.date = words.join(" ");
        Some(parts)
    }

    /// Adds a word of the day, month or year; other words say nothing.
    fn add(&mut self, bare: &str, words: &mut Vec<String>) {
        let ordinal = ["st", "nd", "rd", "th"]
            .iter()
            .find_map(|end| bare.strip_suffix(end));
        let ordinal = ordinal.filter(|number| number.parse::<u8>().is_ok());
        let is_word = bare.chars().all(char::is_alphabetic);
        if let Some(name) = month(bare) {
            // `mar. 5 janv.` has a weekday before the month that is called like another month.
            words.retain(|word| month(word).is_none());
            words.push(name.to_owned());
        } else if let Some(number) = ordinal {
            words.push(number.to_owned());
        } else if let Some((date, slashed)) = slashed(bare) {
            words.push(date);
            self.order = slashed;
        } else if bare.len() == 7 && bare.as_bytes()[4] == b'-' {
            words.push(format!("{bare}-01"));
        } else if bare.split('-').count() == 3 && bare.split('-').any(|part| month(part).is_some())
        {
            // `05-Jan-2021`
            bare.split('-').for_each(|part| self.add(part, words));
        } else if !is_word {
            words.push(bare.to_owned());
        }
    }
}

const HOUR: i64 = 3600;

/// Chinese, Japanese and Korean dates and times as words: `2012年1月1日 下午8时30分` as `2012 1 1 pm 8:30`.
fn in_words(date: &str) -> String {
    const HALVES: [(&str, &str); 6] = [
        ("上午", " am "),
        ("下午", " pm "),
        ("午前", " am "),
        ("午後", " pm "),
        ("오전", " am "),
        ("오후", " pm "),
    ];
    if date.is_ascii() {
        return date.to_owned();
    }
    let mut date = date.to_owned();
    for (from, to) in HALVES {
        date = date.replace(from, to);
    }
    let (mut words, mut before) = (String::new(), ' ');
    let mut all = date.chars().peekable();
    while let Some(c) = all.next() {
        match c {
            '年' | '月' | '日' | '년' | '월' | '일' if before.is_ascii_digit() => {
                words.push(' ')
            }
            '时' | '時' | '点' | '시' | '分' | '분' if before.is_ascii_digit() => {
                all.next_if_eq(&' ');
                let is_hour = !matches!(c, '分' | '분');
                match all.peek().is_some_and(char::is_ascii_digit) {
                    true => words.push(':'),
                    false if is_hour => words.push_str(":00 "),
                    false => words.push(' '),
                }
            }
            '秒' | '초' if before.is_ascii_digit() => words.push(' '),
            _ => words.push(c),
        }
        before = c;
    }
    words
}

/// The English name of a month.
fn month(name: &str) -> Option<&'static str> {
    let place = MONTHS
        .iter()
        .position(|names| names.split(' ').any(|known| known == name));
    let english = || {
        ENGLISH
            .iter()
            .position(|month| *month == name || &month[..3] == name)
    };
    Some(ENGLISH[place.or_else(english)?])
}

/// Whether a word says that the time is after noon.
fn half_of_day(word: &str) -> Option<bool> {
    match word {
        "am" | "a.m" => Some(false),
        "pm" | "p.m" => Some(true),
        _ => None,
    }
}

/// A time of day in seconds, and the offset if one is attached: `8:00`, `08:00:01.5`, `8:00pm`, `10:00:00z`, `10:00+01:00`.
fn clock(word: &str) -> Option<(i64, Option<i64>)> {
    let (time, offset) = match word.find(|c: char| !c.is_ascii_digit() && c != ':' && c != '.') {
        None => (word, None),
        Some(end) => {
            let (time, rest) = word.split_at(end);
            match half_of_day(rest) {
                Some(is_afternoon) => {
                    let (seconds, _) = clock(time)?;
                    let noon = 12 * HOUR;
                    let hour = seconds % noon;
                    return Some((if is_afternoon { hour + noon } else { hour }, None));
                }
                None => (time, Some(zone(rest)?)),
            }
        }
    };
    let mut parts = time.split(':');
    let [hours, minutes, seconds] = [(); 3].map(|()| parts.next());
    let number = |part: &str, most: i64| {
        let number: i64 = part.parse().ok()?;
        (part.len() <= 2 && number <= most).then_some(number)
    };
    let [hours, minutes] = [number(hours?, 24)?, number(minutes?, 59)?];
    let seconds = seconds.map_or(Some(0), |part| number(part.split('.').next()?, 60))?;
    let time = hours * HOUR + minutes * 60 + seconds;
    (parts.next().is_none() && time <= 24 * HOUR).then_some((time, offset))
}

/// Seconds by which a zone is ahead of UTC: `+0100`, `+01:00`, `-05`, `utc`, and the names of RFC 2822 and of Europe. Other names are
/// used for several zones.
fn zone(word: &str) -> Option<i64> {
    const NAMES: [(&str, i64); 16] = [
        ("z", 0),
        ("utc", 0),
        ("gmt", 0),
        ("wet", 0),
        ("west", 1),
        ("cet", 1),
        ("cest", 2),
        ("eet", 2),
        ("eest", 3),
        ("msk", 3),
        ("jst", 9),
        ("est", -5),
        ("edt", -4),
        ("mst", -7),
        ("pst", -8),
        ("pdt", -7),
    ];
    if let Some((_, hours)) = NAMES.iter().find(|(name, _)| *name == word) {
        return Some(hours * HOUR);
    }
    let word = word
        .strip_prefix("utc")
        .or(word.strip_prefix("gmt"))
        .unwrap_or(word);
    let (sign, digits) = match word.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-" | "\u{2212}", digits) => (-1, digits),
        _ => return None,
    };
    let digits = digits.replace(':', "");
    let number: i64 = digits.parse().ok()?;
    let (hours, minutes) = match digits.len() {
        1 | 2 => (number, 0),
        4 => (number / 100, number % 100),
        _ => return None,
    };
    (hours <= 14 && minutes < 60).then_some(sign * (hours * HOUR + minutes * 60))
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
    fn weekdays_zones_and_times_as_people_write_them() {
        let ten = seconds("2021-01-05T10:00:00Z").unwrap();
        for text in [
            "20210105T100000Z",
            "Tue, 05 Jan 2021 10:00:00 +00:00",
            "Mar, 05 Ene 2021 10:00:00 GMT",
            "Di, 5. Jan. 2021 11:00:00 +0100",
            "mar., 05 janv. 2021 11:00:00 +01:00",
            "Tue, 05 Jan 2021 11:00:00 CET",
            "Tue, 05 Jan 2021 11:00:00 +0100 (CET)",
            "05 Jan 21 10:00 GMT",
            "Tue, 05 Jan 2021 10:00 UTC",
            "Jan 5, 2021 5:00 AM EST",
            "Jan. 5, 2021, 10 a.m.",
            "2021-01-05 11:00:00 +01:00",
            "2021-01-05 05:00:00 -05",
            "Tue Jan  5 10:00:00 2021",
            "Tue Jan 5 10:00:00 UTC 2021",
            "Tue Jan 05 10:00:00 +0000 2021",
            "05-Jan-2021 10:00",
            "2021年1月5日 上午10时",
            "2021年1月5日 北京时间 10时00分",
            "2021年01月05日 星期二 10:00:00",
            "2021년 1월 5일 오전 10시 0분",
            "5 stycznia 2021 10:00",
            "Published: January 5, 2021 10:00am",
        ] {
            assert_eq!(seconds(text), Some(ten), "{text}");
        }
        let day = seconds("2021-01-05");
        for text in [
            "July 18, 2017",
            "Sept 5, 2021",
            "2021. 1. 5.",
            "5 ianuarie 2021",
        ] {
            assert!(seconds(text).is_some(), "{text}");
        }
        assert_eq!(seconds("2021年1月5日"), day);
        assert_eq!(seconds("Mon, 04 Jan 2021 24:00:00 GMT"), day);
        assert_eq!(
            seconds("2021年1月5日 下午10时30分"),
            seconds("2021-01-05T22:30:00Z")
        );
        assert_eq!(seconds("Jan 5, 2021 12:00 AM"), day);
        for unknown in [
            "Jan 5, 2021 25:00",
            "5 days ago",
            "10:00",
            "+0100",
            "2021-01-05 10:00 +99",
        ] {
            assert!(
                seconds(unknown).is_none_or(|found| Some(found) == day),
                "{unknown}"
            );
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
