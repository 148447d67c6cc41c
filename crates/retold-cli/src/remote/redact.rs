//! Messages of other people's code, with credentials removed.

use std::error::Error;

use retold::internal::shortened;

/// The longest message, in characters.
const LONGEST: usize = 500;

/// What an error and its causes say, on one short line: of URLs only what names a place, of a server's answer nothing that is markup, since
/// it may repeat the request.
pub fn redacted(error: &dyn Error) -> String {
    let mut said = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let text = inner.to_string();
        if !said.contains(&text) {
            said = format!("{said}: {text}");
        }
        cause = inner.source();
    }
    plain(&said)
}

fn plain(text: &str) -> String {
    let text = text.split('<').next().unwrap_or_default();
    let words = text.split_whitespace().map(|word| match word.find("://") {
        None => word.to_owned(),
        Some(at) => {
            let (scheme, rest) = word.split_at(at + 3);
            let rest = rest.split(['?', '#']).next().unwrap_or_default();
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            format!(
                "{scheme}{}{path}",
                host.rsplit('@').next().unwrap_or_default()
            )
        }
    });
    let words: Vec<String> = words.collect();
    let line = words.join(" ");
    let line = line.trim_end_matches([':', ' ', '-']);
    shortened(line, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_gives_access_is_left() {
        let said = "Error performing GET https://me:pw@host/c/a?sig=SECRET&x=1 in 2s - Server returned: <Error><AWSAccessKeyId>AKIA</Error>";
        assert_eq!(
            plain(said),
            "Error performing GET https://host/c/a in 2s - Server returned"
        );
        assert_eq!(plain(&"é".repeat(10_000)).chars().count(), LONGEST + 1);
    }
}
