//! Names like a name that does not exist, for error messages.

/// How many names are suggested.
const CLOSE: usize = 3;

/// The names that are most like `wanted`, best first; empty if none is.
pub(crate) fn close_to<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = wanted.to_lowercase();
    let likeness = |name: &str| {
        let other = name.to_lowercase();
        let same = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| {
            a.zip(b).take_while(|(a, b)| a == b).count()
        };
        let ends = same(&mut wanted.chars(), &mut other.chars())
            + same(&mut wanted.chars().rev(), &mut other.chars().rev());
        // Of names with equally much in common, the one closest in length is preferred.
        let beside = other.chars().count().abs_diff(wanted.chars().count());
        (ends * 2).saturating_sub(beside)
    };
    let names = names.into_iter().filter(|name| likeness(name) > 4);
    let mut close: Vec<&str> = names.collect();
    close.sort_by_cached_key(|name| (std::cmp::Reverse(likeness(name)), *name));
    close.truncate(CLOSE);
    close
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_names_come_first() {
        let names = ["text", "quality", "quantity", "url"];
        assert_eq!(close_to("qualitty", names), ["quality", "quantity"]);
        assert_eq!(close_to("zebra", names), [""; 0]);
    }
}
