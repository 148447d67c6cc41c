//! Pages that repeat the address at which they were asked for: “The requested URL /x was not found on this server”.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use url::Url;

/// Longer texts say something besides.
const SHORT: usize = 2048;
/// The fewest bytes that a block has beside the address: an address alone may be all that a page says.
const BESIDE: usize = 12;

/// A short visible text in which the page's own path is written `/`, so that pages that differ only in it are copies.
pub fn without_own_address(visible: String, url: Option<&str>) -> String {
    let url = url.filter(|_| visible.len() <= SHORT);
    let Some(forms) = url.and_then(|url| Url::parse(url.trim()).ok()).map(forms) else {
        return visible;
    };
    let blocks = visible.split('\n').map(|block| {
        let plain = forms.iter().fold(Cow::Borrowed(block), |block, form| {
            let found = position(&block, form).filter(|_| block.len() >= form.len() + BESIDE);
            match found {
                Some(at) => [&block[..at], "/", &block[at + form.len()..]]
                    .concat()
                    .into(),
                None => block,
            }
        });
        plain.into_owned()
    });
    blocks.collect::<Vec<_>>().join("\n")
}

/// How an address may be written in its page, the longest first: whole, and from its path on, with and without query and escapes.
fn forms(url: Url) -> Vec<String> {
    let path = url.path().to_owned();
    if path.len() < 2 {
        return Vec::new();
    }
    let mut forms = vec![path.clone()];
    if let Some(query) = url.query() {
        forms.push(format!("{path}?{query}"));
    }
    // A path of several parts is one without its slash, too.
    let bare = forms.iter().filter(|_| path[1..].contains('/'));
    let bare: Vec<String> = bare.map(|form| form[1..].to_owned()).collect();
    let host = url.host_str().unwrap_or_default();
    let whole: Vec<String> = forms.iter().map(|form| format!("{host}{form}")).collect();
    let with_scheme = whole
        .iter()
        .map(|form| format!("{}://{form}", url.scheme()));
    let with_scheme: Vec<String> = with_scheme.collect();
    forms.extend(bare.into_iter().chain(whole).chain(with_scheme));
    let plain = |form: &String| percent_decode_str(form).decode_utf8_lossy().into_owned();
    let decoded: Vec<String> = forms.iter().map(plain).collect();
    forms.extend(decoded);
    forms.sort_unstable_by_key(|form| std::cmp::Reverse(form.len()));
    forms.dedup();
    forms
}

/// Where the whole form is in a block, not a part of a longer address.
fn position(block: &str, form: &str) -> Option<usize> {
    let goes_on = |c: char| c.is_alphanumeric() || "/-_%&=?".contains(c);
    let mut found = block.match_indices(form).map(|(at, _)| at);
    found.find(|&at| {
        let before = block[..at].chars().next_back();
        let after = block[at + form.len()..].chars().next();
        !before.is_some_and(goes_on) && !after.is_some_and(goes_on)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_pages_own_address_is_left_out() {
        let said = |text: &str, url| without_own_address(text.to_owned(), Some(url));
        let url = "http://a.example/news/p%C3%A2t%C3%A9.html?id=7";
        let expected = "Not Found\nThe requested URL / was not found on this server.";
        for form in [
            "/news/pâté.html",
            "/news/p%C3%A2t%C3%A9.html",
            "/news/pâté.html?id=7",
            "news/pâté.html",
            "a.example/news/pâté.html",
            "http://a.example/news/p%C3%A2t%C3%A9.html?id=7",
        ] {
            assert_eq!(
                said(&expected.replace(" / ", &format!(" {form} ")), url),
                expected
            );
        }
        for (text, url) in [
            // Another address, and a part of another.
            ("The page /news/other.html was not found.", url),
            ("The page /old/news/pâté.html was not found.", url),
            // A word that is also the path, and the address alone.
            (
                "ferry is a ship that carries people.",
                "http://a.example/ferry",
            ),
            ("http://a.example/ferry", "http://a.example/ferry"),
            (
                "Welcome to / and all that is below it.",
                "http://a.example/",
            ),
        ] {
            assert_eq!(said(text, url), text);
        }
        let long = format!("The page /ferry was not found. {}", "x".repeat(SHORT));
        assert_eq!(said(&long, "http://a.example/ferry"), long);
        assert_eq!(
            without_own_address("/ferry was not found".into(), None),
            "/ferry was not found"
        );
    }
}
