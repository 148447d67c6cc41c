//! How long to wait before a request is repeated.

use jiff::fmt::rfc2822;
use xxhash_rust::xxh3::xxh3_64;

use super::config::{DAY, Millis};
use super::state::Tries;

/// Doublings beyond these change nothing: the longest pause is a day.
const MOST: u32 = 30;

/// How long to wait after this number of failures in a row: the usual time, twice as long after each failure, at most a day. Up to a tenth more or
/// less, depending on `what`, so that requests that began at the same moment do not stay at the same moment for ever.
pub fn pause(usual: Millis, failures: u32, what: &str) -> Millis {
    let doubled = usual.saturating_mul(1 << failures.min(MOST)).min(DAY);
    let chance = xxh3_64(format!("{failures} {what}").as_bytes()) % 2001;
    let part = chance as Millis - 1000;
    (doubled + doubled / 100 * part / 100).clamp(1, DAY)
}

/// The tries of something that is now requested more often: no later than the new time says.
pub fn shortened(tries: &Tries, usual: Millis, what: &str, now: Millis) -> Tries {
    let wait = match tries.failures {
        0 => usual,
        failures => pause(usual, failures, what),
    };
    Tries {
        next: tries.next.min(now + wait),
        failures: tries.failures,
    }
}

/// What `Retry-After` says: seconds, or a moment; a day at most.
pub fn retry_after(header: &str, now: Millis) -> Option<Millis> {
    let header = header.trim();
    let wait = match header.parse::<u32>() {
        Ok(seconds) => Millis::from(seconds) * 1000,
        Err(_) => {
            let moment = rfc2822::parse(header).ok()?;
            moment.timestamp().as_millisecond() - now
        }
    };
    Some(wait.clamp(0, DAY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_day() {
        for (failures, about) in [
            (0, 600_000),
            (1, 1_200_000),
            (3, 4_800_000),
            (7, 76_800_000),
        ] {
            let pause = pause(600_000, failures, "a");
            assert!(
                (about * 9 / 10..=about * 11 / 10).contains(&pause),
                "{failures}: {pause}"
            );
        }
        for failures in [8, 31, u32::MAX] {
            assert!((DAY * 9 / 10..=DAY).contains(&pause(600_000, failures, "a")));
        }
        assert_eq!(pause(600_000, 2, "a"), pause(600_000, 2, "a"));
        assert_ne!(pause(600_000, 2, "a"), pause(600_000, 2, "b"));
        assert_eq!(pause(1, 0, "a"), 1);
    }

    #[test]
    fn a_shorter_time_holds_at_once() {
        let next = |failures, next| shortened(&Tries { failures, next }, 600_000, "a", 5).next;
        assert_eq!(next(0, DAY), 600_005);
        assert_eq!(next(0, 7), 7);
        // Failures still make it longer.
        assert_eq!(next(2, DAY), 5 + pause(600_000, 2, "a"));
    }

    #[test]
    fn servers_say_when_to_come_again() {
        let now = 1_795_000_000_000;
        assert_eq!(retry_after("120", now), Some(120_000));
        assert_eq!(retry_after(" 0 ", now), Some(0));
        assert_eq!(retry_after("99999999", now), Some(DAY));
        // 1,795,000,000 is 11:06:40 of Wednesday, 2026-11-18.
        assert_eq!(
            retry_after("Wed, 18 Nov 2026 11:07:40 GMT", now),
            Some(60_000)
        );
        assert_eq!(retry_after("Wed, 18 Nov 2026 11:00:00 GMT", now), Some(0));
        assert_eq!(retry_after("soon", now), None);
    }
}
