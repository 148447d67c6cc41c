//! Messages of other people's code, with credentials removed.

use std::error::Error;

/// What an error and its causes say, on one line: of URLs only what names a place, of a server's answer nothing that is markup, since it
/// may repeat the request.
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
    words.join(" ").trim_end_matches([':', ' ', '-']).to_owned()
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
    }
}
