//! Addresses: decides which URLs lead to one page.

use std::sync::OnceLock;

use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_128;

use crate::page::Page;

/// Which pages are versions of one page by their addresses, and how they are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AddressRules {
    /// When two pages have the same address.
    pub same_url: SameUrl,
    /// Which pages with one address are kept.
    pub versions: Versions,
}

/// When two pages have the same address. A page without a URL has no address and no versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SameUrl {
    /// Addresses are ignored.
    #[default]
    Off,
    /// If their URLs are equal.
    Exact,
    /// If their URLs are equal after normalisation ([`normalised_url`]).
    Normalised,
    /// As `Normalised`, and with http as https, without `www.`, and whatever the order of parameters ([`loose_url`]).
    Loose,
    /// As `Normalised`; in addition a page is compared with the page that its `<link rel=canonical>` names, whatever they share. Their
    /// texts decide, since such links often lead to other pages.
    Canonical,
}

/// Which pages with one address are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Versions {
    /// The newest, unless it repeats another page. The others are dropped whatever their texts say, and not compared.
    #[default]
    Newest,
    /// All; they are compared like other pages.
    Keep,
}

/// The stored data about a page's addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Address {
    /// The hash of its own address; 0 if it has none.
    pub(crate) own: u128,
    /// The hash of the address in its canonical link, if that is a different one; otherwise 0.
    pub(crate) linked: u128,
    /// Whether a crawler derived the page from one that it had fetched.
    pub(crate) is_derived: bool,
}

/// The number of integers of an [`Address`].
pub(crate) const ADDRESS: usize = 5;

impl AddressRules {
    /// Whether addresses are used.
    pub(crate) fn are_on(&self) -> bool {
        self.same_url != SameUrl::Off
    }

    /// Whether older versions are dropped.
    pub fn drops(&self) -> bool {
        self.are_on() && self.versions == Versions::Newest
    }

    /// The address that a URL leads to; `None` if addresses are ignored.
    pub fn of_url(&self, url: Option<&str>) -> Option<String> {
        let url = url.map(str::trim).filter(|url| !url.is_empty())?;
        match self.same_url {
            SameUrl::Off => None,
            SameUrl::Exact => Some(url.to_owned()),
            SameUrl::Normalised | SameUrl::Canonical => Some(normalised_url(url)),
            SameUrl::Loose => Some(loose_url(url)),
        }
    }

    /// The address in a page's canonical link, if it differs from the page's own.
    pub(crate) fn of_link(&self, url: Option<&str>, link: Option<&str>) -> Option<String> {
        let link = link.filter(|_| self.same_url == SameUrl::Canonical)?;
        let base = url.and_then(|url| Url::parse(url.trim()).ok());
        let link = match base {
            Some(base) => base.join(link.trim()).ok()?.into(),
            None => link.to_owned(),
        };
        let linked = self.of_url(Some(&link))?;
        (self.of_url(url).as_ref() != Some(&linked)).then_some(linked)
    }

    /// How addresses affect two pages, given their URLs and canonical links: why they are not compared, or why they are candidates.
    pub(crate) fn effect(&self, a: Links<'_>, b: Links<'_>) -> AddressEffect {
        let option = self.same_url.name();
        let [own_a, own_b] = [a, b].map(|(url, _)| self.of_url(url));
        if let (Some(own), true) = (&own_a, own_a == own_b) {
            let both = format!("--same-url {option}: both pages have the address {own}");
            return match self.drops() {
                true => AddressEffect::Versions(format!("{both}, whose newest version stays")),
                false => AddressEffect::Note(format!(
                    "{both}. --versions keep: they are compared as other pages are."
                )),
            };
        }
        let led = |(url, link)| self.of_link(url, link);
        let [led_a, led_b] = [led(a), led(b)];
        let has_led = |led: &Option<String>, own: &Option<String>| led.is_some() && led == own;
        let what = match () {
            () if has_led(&led_a, &own_b) => {
                "the canonical link of the first page leads to the second"
            }
            () if has_led(&led_b, &own_a) => {
                "the canonical link of the second page leads to the first"
            }
            () if has_led(&led_a, &led_b) => {
                "the canonical links of both pages lead to one address"
            }
            () => return AddressEffect::Nothing,
        };
        AddressEffect::Note(format!("--same-url {option}: {what}; their texts decide."))
    }

    /// The addresses of a page with this canonical link.
    pub(crate) fn seen(&self, page: &Page, link: Option<&str>) -> Address {
        let hash = |address: Option<String>| {
            address.map_or(0, |address| xxh3_128(address.as_bytes()).max(1))
        };
        let url = page.url.as_deref();
        Address {
            own: hash(self.of_url(url)),
            linked: hash(self.of_link(url, link)),
            is_derived: page.derived,
        }
    }
}

/// The URL and the canonical link of a page.
pub(crate) type Links<'a> = (Option<&'a str>, Option<&'a str>);

/// How addresses affect two pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AddressEffect {
    /// Nothing.
    Nothing,
    /// They are versions of one page and not compared, for this reason.
    Versions(String),
    /// They are compared, with this note.
    Note(String),
}

impl SameUrl {
    /// The name used in options.
    pub fn name(self) -> &'static str {
        match self {
            SameUrl::Off => "off",
            SameUrl::Exact => "exact",
            SameUrl::Normalised => "normalised",
            SameUrl::Loose => "loose",
            SameUrl::Canonical => "canonical",
        }
    }
}

impl Address {
    pub(crate) fn to_numbers(self) -> [u64; ADDRESS] {
        let [own, linked] = [self.own, self.linked].map(|hash| [(hash >> 64) as u64, hash as u64]);
        [own[0], own[1], linked[0], linked[1], self.is_derived.into()]
    }

    pub(crate) fn from_numbers(numbers: [u64; ADDRESS]) -> Address {
        let [high, low, linked_high, linked_low, is_derived] = numbers;
        Address {
            own: u128::from(high) << 64 | u128::from(low),
            linked: u128::from(linked_high) << 64 | u128::from(linked_low),
            is_derived: is_derived > 0,
        }
    }
}

/// A normalised URL: without differences in the case of scheme and host, in escapes that RFC 3986 calls equivalent (`%7E` and `~`, `%2f` and
/// `%2F`), the default port, `.` and `..` in the path, a dot after the host,
/// slashes after the path, the fragment (unless it is a route, as in `#!/news`), and tracking parameters. Text that is not a URL is
/// returned unchanged.
///
/// ```
/// use retold::internal::normalised_url;
/// assert_eq!(normalised_url("HTTP://News.example:80/a/../b/?utm_source=x&id=7#top"), "http://news.example/b?id=7");
/// assert_eq!(normalised_url("notes/today.txt"), "notes/today.txt");
/// ```
pub fn normalised_url(url: &str) -> String {
    let Ok(mut url) = Url::parse(url.trim()) else {
        return url.trim().to_owned();
    };
    let is_route = |fragment: &str| fragment.starts_with(['!', '/']);
    if !url.fragment().is_some_and(is_route) {
        url.set_fragment(None);
    }
    if !url.has_host() {
        return url.into();
    }
    let host = url.host_str().unwrap_or_default();
    if let Some(host) = host.strip_suffix('.').map(str::to_owned) {
        // A host of only dots is kept.
        let _ = url.set_host(Some(&host));
    }
    let path = with_equal_escapes(url.path().trim_end_matches('/'));
    url.set_path(&path);
    let query = with_equal_escapes(url.query().unwrap_or_default());
    let (tracking, host) = (Tracking::list(), url.host_str().unwrap_or_default());
    let parameters = query.split('&');
    let wanted: Vec<&str> = parameters
        .filter(|parameter| !parameter.is_empty() && !tracking.has(host, parameter))
        .collect();
    let query = Some(wanted.join("&")).filter(|query| !query.is_empty());
    url.set_query(query.as_deref());
    url.into()
}

/// A normalised URL without what usually makes no difference either: http becomes https, `www.` goes, and parameters are sorted.
///
/// ```
/// use retold::internal::loose_url;
/// assert_eq!(loose_url("http://www.news.example/x?b=2&a=1"), "https://news.example/x?a=1&b=2");
/// ```
pub fn loose_url(url: &str) -> String {
    let normalised = normalised_url(url);
    let Ok(mut url) = Url::parse(&normalised) else {
        return normalised;
    };
    if !url.has_host() {
        return normalised;
    }
    if url.scheme() == "http" {
        // Both schemes have hosts, so this cannot fail.
        let _ = url.set_scheme("https");
    }
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_prefix("www.").filter(|rest| rest.contains('.'));
    if let Some(host) = host.map(str::to_owned) {
        let _ = url.set_host(Some(&host));
    }
    if let Some(query) = url.query() {
        let mut parameters: Vec<&str> = query.split('&').collect();
        parameters.sort_unstable();
        let query = parameters.join("&");
        url.set_query(Some(&query));
    }
    url.into()
}

/// Escapes of unreserved characters are these characters, and the others are in upper case (RFC 3986, 6.2.2).
fn with_equal_escapes(part: &str) -> String {
    let mut out = String::with_capacity(part.len());
    let mut rest = part;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let escape = rest.get(at..at + 3);
        let code = escape.and_then(|escape| u8::from_str_radix(&escape[1..], 16).ok());
        let (Some(escape), Some(code)) = (escape, code) else {
            out.push('%');
            rest = &rest[at + 1..];
            continue;
        };
        match char::from(code) {
            c if c.is_ascii_alphanumeric() || "-._~".contains(c) => out.push(c),
            _ => out.push_str(&escape.to_ascii_uppercase()),
        }
        rest = &rest[at + 3..];
    }
    out + rest
}

/// The names of tracking parameters, in lower case, sorted (`data/tracking/README.md` names the sources).
struct Tracking {
    everywhere: Vec<&'static str>,
    /// Beginnings of such names.
    prefixes: Vec<&'static str>,
    /// Names of the parameters of a host and its subdomains.
    sites: Vec<(&'static str, Vec<&'static str>)>,
}

impl Tracking {
    fn list() -> &'static Tracking {
        static LIST: OnceLock<Tracking> = OnceLock::new();
        LIST.get_or_init(|| {
            let mut list = Tracking {
                everywhere: Vec::new(),
                prefixes: Vec::new(),
                sites: Vec::new(),
            };
            let lines = include_str!("../data/tracking/parameters.txt").lines();
            for line in lines.filter(|line| !line.starts_with('#')) {
                match (line.split_once(' '), line.strip_suffix('*')) {
                    (Some((host, names)), _) => {
                        list.sites.push((host, names.split(' ').collect()));
                    }
                    (None, Some(prefix)) => list.prefixes.push(prefix),
                    (None, None) => list.everywhere.push(line),
                }
            }
            list
        })
    }

    /// Whether a parameter of a URL with this host only tells where a visitor came from.
    fn has(&self, host: &str, parameter: &str) -> bool {
        let name = parameter.split('=').next().unwrap_or_default();
        let name = percent_decode_str(name).decode_utf8_lossy().to_lowercase();
        let is_of = |site: &str| {
            let rest = host.strip_suffix(site);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        self.everywhere.binary_search(&&*name).is_ok()
            || self.prefixes.iter().any(|prefix| name.starts_with(prefix))
            || self
                .sites
                .iter()
                .any(|(site, names)| is_of(site) && names.contains(&&*name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equivalent_escapes_are_equal() {
        for (url, expected) in [
            (
                "http://a.example/%7Euser/%41%2d1",
                "http://a.example/~user/A-1",
            ),
            (
                "http://a.example/a%2fb?q=%e4%bd%a0",
                "http://a.example/a%2Fb?q=%E4%BD%A0",
            ),
            ("http://a.example/a%23b", "http://a.example/a%23b"),
            ("http://a.example/100%", "http://a.example/100%"),
            ("http://a.example/a?b=%26c", "http://a.example/a?b=%26c"),
        ] {
            assert_eq!(normalised_url(url), expected, "{url}");
        }
    }

    #[test]
    fn loose_addresses() {
        for (url, expected) in [
            (
                "http://www.a.example/x/?utm_source=n#top",
                "https://a.example/x",
            ),
            (
                "https://a.example:443/x?b=2&a=1&b=1",
                "https://a.example/x?a=1&b=1&b=2",
            ),
            ("http://a.example:8080/x", "https://a.example:8080/x"),
            ("http://www.example/x", "https://www.example/x"),
            ("ftp://www.a.example/x", "ftp://a.example/x"),
            ("notes/today.txt", "notes/today.txt"),
            ("urn:isbn:1", "urn:isbn:1"),
        ] {
            assert_eq!(loose_url(url), expected, "{url}");
        }
    }

    #[test]
    fn what_does_not_lead_to_another_page_is_left_out() {
        let tests = [
            ("http://a.example", "http://a.example/"),
            ("HTTPS://A.Example:443/X/y/", "https://a.example/X/y"),
            ("https://a.example:8443/x", "https://a.example:8443/x"),
            ("http://a.example./x/./y/../z//", "http://a.example/x/z"),
            ("http://a.example/x#part", "http://a.example/x"),
            ("http://a.example/#!/x", "http://a.example/#!/x"),
            ("http://a.example/#/x", "http://a.example/#/x"),
            ("http://a.example/x?", "http://a.example/x"),
            ("http://a.example/x?b=2&a=1", "http://a.example/x?b=2&a=1"),
            (
                "http://a.example/x?UTM_Source=n&a=%e4%b8&fbclid=Z&&spm=1.2.3",
                "http://a.example/x?a=%E4%B8",
            ),
            ("http://a.example/x?utm=1&gclid", "http://a.example/x?utm=1"),
            (
                "http://新闻.example/甲",
                "http://xn--efvy88h.example/%E7%94%B2",
            ),
            (" dns:a.example ", "dns:a.example"),
            ("file.html?utm_source=n", "file.html?utm_source=n"),
        ];
        for (url, expected) in tests {
            assert_eq!(normalised_url(url), expected, "{url}");
            assert_eq!(normalised_url(expected), expected);
        }
    }

    #[test]
    fn trackers_are_those_of_the_list() {
        let kept = |url: &str| {
            normalised_url(url)
                .split_once('?')
                .map(|(_, kept)| kept.to_owned())
        };
        let trackers = "utm_source mc_cid mc_eid igshid yclid _hsenc msclkid spm gad_source gclsrc \
            _ga wt_zmc itm_source hsa_cam fb_ref at_medium mtm_kwd pk_medium FBCLID %66bclid";
        for name in trackers.split(' ') {
            assert_eq!(
                kept(&format!("https://a.example/x?{name}=1")),
                None,
                "{name}"
            );
        }
        // These may say what a page shows.
        for name in "id p page ref from mid s t si feature q lang mc clickid share_source vd_source"
            .split(' ')
        {
            let kept = kept(&format!("https://a.example/x?{name}=1"));
            assert_eq!(kept, Some(format!("{name}=1")), "{name}");
        }
        // On one site only.
        let video =
            "https://www.bilibili.com/video/BV1?p=2&vd_source=1&share_source=copy_web&from=3";
        assert_eq!(kept(video).as_deref(), Some("p=2&from=3"));
        let video = "https://youtu.be/x?si=1&t=90";
        assert_eq!(kept(video).as_deref(), Some("t=90"));
        assert_eq!(kept("https://notyoutu.be/x?si=1").as_deref(), Some("si=1"));

        let list = Tracking::list();
        assert!(list.everywhere.is_sorted() && list.sites.is_sorted());
        assert_eq!(
            (list.everywhere.len(), &*list.prefixes),
            (223, &["utm_"][..])
        );
        assert!(list.sites.iter().all(|(_, names)| names.is_sorted()));
    }

    #[test]
    fn what_is_said_of_two_pages() {
        let effect = |same_url, versions, a, b| AddressRules { same_url, versions }.effect(a, b);
        let x = (Some("http://a.example/x/"), None);
        let same = (Some("http://a.example/x#top"), None);
        let other = (Some("http://a.example/y"), Some("x"));
        let third = (Some("http://b.example/"), Some("http://a.example/x"));
        let (newest, keep) = (Versions::Newest, Versions::Keep);
        let tests = [
            (SameUrl::Off, newest, x, x, ""),
            (SameUrl::Exact, newest, x, same, ""),
            (
                SameUrl::Normalised,
                newest,
                x,
                same,
                "Versions(\"--same-url normalised: both pages have the address http://a.example/x, whose newest version stays\")",
            ),
            (
                SameUrl::Normalised,
                keep,
                x,
                same,
                "Note(\"--same-url normalised: both pages have the address http://a.example/x. --versions keep: they are compared as \
                 other pages are.\")",
            ),
            (SameUrl::Normalised, newest, x, other, ""),
            (
                SameUrl::Canonical,
                newest,
                x,
                other,
                "Note(\"--same-url canonical: the canonical link of the second page leads to the first; their texts decide.\")",
            ),
            (
                SameUrl::Canonical,
                newest,
                third,
                other,
                "Note(\"--same-url canonical: the canonical links of both pages lead to one address; their texts decide.\")",
            ),
            (SameUrl::Canonical, newest, (None, None), (None, None), ""),
        ];
        for (same_url, versions, a, b, expected) in tests {
            let effect = effect(same_url, versions, a, b);
            match expected {
                "" => assert_eq!(effect, AddressEffect::Nothing),
                expected => assert_eq!(format!("{effect:?}"), expected),
            }
        }
    }

    #[test]
    fn links_lead_from_the_page_that_has_them() {
        let rules = |same_url| AddressRules {
            same_url,
            versions: Versions::Newest,
        };
        let url = Some("http://a.example/x/y?print=1");
        let link = |link| rules(SameUrl::Canonical).of_link(url, Some(link));
        assert_eq!(link("../z/").as_deref(), Some("http://a.example/z"));
        assert_eq!(
            link("http://B.example").as_deref(),
            Some("http://b.example/")
        );
        assert_eq!(link("?print=1#top"), None);
        assert_eq!(rules(SameUrl::Normalised).of_link(url, Some("/z")), None);
        assert_eq!(rules(SameUrl::Exact).of_url(Some(" ")), None);
        assert_eq!(rules(SameUrl::Exact).of_url(url).as_deref(), url);
        let address = rules(SameUrl::Canonical).seen(
            &Page::text("a", "").with_url("http://a.example/x"),
            Some("/y"),
        );
        assert!(address.own > 0 && address.linked > 0 && !address.is_derived);
        assert_eq!(Address::from_numbers(address.to_numbers()), address);
    }
}
