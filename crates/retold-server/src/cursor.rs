//! Cursors mark where a list continues.
//!
//! A cursor holds the sort key of the last entry that was shown. The next part starts after that key, so adding or removing pages meanwhile
//! neither repeats nor hides other entries.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::problem::Problem;

/// The decoded cursor. It names its list, so that it cannot be used for another one.
#[derive(Serialize, Deserialize)]
struct Cursor<K> {
    list: String,
    after: K,
}

/// The first `limit` entries after a cursor, and the cursor of the rest, if any. `sorted` ascends by `key`, and keys are unique.
pub(crate) fn part<T, K: Ord + Serialize + DeserializeOwned>(
    list: &str,
    sorted: Vec<T>,
    key: impl Fn(&T) -> K,
    cursor: Option<&str>,
    limit: usize,
) -> Result<(Vec<T>, Option<String>), Problem> {
    let after: Option<K> = cursor.map(|cursor| read(list, cursor)).transpose()?;
    let is_shown = |item: &T| after.as_ref().is_some_and(|after| key(item) <= *after);
    let mut rest = sorted.into_iter().filter(|item| !is_shown(item));
    let part: Vec<T> = rest.by_ref().take(limit).collect();
    let next = match (rest.next(), part.last()) {
        (Some(_), Some(last)) => Some(written(list, key(last))),
        _ => None,
    };
    Ok((part, next))
}

fn written<K: Serialize>(list: &str, after: K) -> String {
    let list = list.to_owned();
    // Keys are plain values, so this cannot fail.
    let json = serde_json::to_vec(&Cursor { list, after }).unwrap_or_default();
    BASE64_URL_SAFE_NO_PAD.encode(json)
}

fn read<K: DeserializeOwned>(list: &str, cursor: &str) -> Result<K, Problem> {
    let json = BASE64_URL_SAFE_NO_PAD.decode(cursor).ok();
    let found: Option<Cursor<K>> = json.and_then(|json| serde_json::from_slice(&json).ok());
    let found = found.filter(|found| found.list == list);
    found.map(|found| found.after).ok_or_else(|| {
        Problem::bad("cursor: not a cursor of this list; leave it out to start from the beginning")
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn walk(mut items: Vec<u32>, limit: usize, added: &[u32]) -> Vec<u32> {
        let (mut shown, mut cursor) = (Vec::new(), None);
        loop {
            items.sort_unstable();
            items.dedup();
            let (part, next) =
                part("numbers", items.clone(), |&n| n, cursor.as_deref(), limit).unwrap();
            assert!(part.len() <= limit);
            shown.extend(part);
            items.extend(added);
            match next {
                Some(next) => cursor = Some(next),
                None => return shown,
            }
        }
    }

    proptest! {
        /// Entries that exist all the time are listed once and in order, and no entry is listed twice.
        #[test]
        fn a_walk_shows_all_once(items in proptest::collection::vec(0u32..100, 0..40), added in proptest::collection::vec(0u32..100, 0..10), limit in 1usize..9) {
            let shown = walk(items.clone(), limit, &added);
            prop_assert!(shown.is_sorted_by(|a, b| a < b));
            for item in &items {
                prop_assert!(shown.contains(item));
            }
        }
    }

    #[test]
    fn parts_of_five() {
        let all = || vec![1, 2, 3, 4, 5];
        let (first, next) = part("a", all(), |&n| n, None, 2).unwrap();
        assert_eq!(first, [1, 2]);
        let (second, _) = part("a", all(), |&n| n, next.as_deref(), 2).unwrap();
        assert_eq!(second, [3, 4]);
        // The last part has no cursor, even if it is full.
        let (whole, none) = part("a", all(), |&n| n, None, 5).unwrap();
        assert_eq!((whole, none), (all(), None));
        for cursor in ["", "x", "5", next.as_deref().unwrap()] {
            assert!(part("b", all(), |&n| n, Some(cursor), 2).is_err());
        }
    }
}
