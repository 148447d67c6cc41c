//! Dates.

use super::*;

#[test]
fn dates_as_they_are_written() {
    let day = 1_325_376_000; // 2012-01-01T00:00:00Z, by `date -d`
    for text in [
        "2012-01-01",
        "2012-01-01T00:00:00Z",
        "2012/01/01",
        "2012年1月1日",
    ] {
        assert_eq!(seconds(text), Some(day), "{text}");
    }
    assert_eq!(seconds("2012-01-01T08:00:00+08:00"), Some(day));
    assert_eq!(seconds("2012-01-01T08:00:00+0800"), Some(day));
    assert_eq!(seconds("Sun, 01 Jan 2012 00:00:00 GMT"), Some(day));
    assert_eq!(seconds("2012-01-01 00:01"), Some(day + 60));
    assert_eq!(seconds("yesterday"), None);
    assert_eq!(seconds(""), None);
}
