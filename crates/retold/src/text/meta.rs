//! Metadata of a page: title, canonical URL, language, date.

use super::Meta;

/// Maximum length of a metadata value; longer ones are cut.
const VALUE_LIMIT: usize = 4096;

/// The wanted attributes of the tag being read.
#[derive(Debug, Default)]
pub struct Attributes {
    pairs: Vec<(Vec<u8>, Vec<u8>)>,
    wanted: bool,
}

impl Attributes {
    /// Forgets the last tag's attributes.
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.wanted = false;
    }

    /// Begins an attribute, which is kept if `wanted`; a tag has at most 32 that count.
    pub fn begin(&mut self, wanted: bool) {
        self.wanted = wanted && self.pairs.len() < 32;
        if self.wanted {
            self.pairs.push((Vec::new(), Vec::new()));
        }
    }

    /// Adds to the attribute's name.
    pub fn push_name(&mut self, text: &[u8]) {
        if let (true, Some((name, _))) = (self.wanted, self.pairs.last_mut()) {
            name.extend_from_slice(text);
        }
    }

    /// Adds to the attribute's value.
    pub fn push_value(&mut self, text: &[u8]) {
        if let (true, Some((_, value))) = (self.wanted, self.pairs.last_mut()) {
            value.extend_from_slice(text);
        }
    }

    /// The value of the first attribute of that name, trimmed; `None` if it is empty or missing.
    fn get(&self, name: &[u8]) -> Option<String> {
        let (_, value) = self.pairs.iter().find(|(n, _)| n == name)?;
        let value = &value[..value.len().min(VALUE_LIMIT)];
        let value = String::from_utf8_lossy(value).trim().to_owned();
        (!value.is_empty()).then_some(value)
    }

    fn lower(&self, name: &[u8]) -> String {
        self.get(name).unwrap_or_default().to_lowercase()
    }
}

/// Collects metadata; of several values for one thing the most trustworthy counts, then the first.
#[derive(Debug, Default)]
pub struct MetaFinder {
    title: Vec<u8>,
    in_title: bool,
    canonical: Best,
    lang: Best,
    date: Best,
}

/// A value and how much it is trusted.
#[derive(Debug, Default)]
struct Best(Option<(u8, String)>);

impl Best {
    fn offer(&mut self, trust: u8, value: Option<String>) {
        if let Some(value) = value
            && self.0.as_ref().is_none_or(|(best, _)| trust > *best)
        {
            self.0 = Some((trust, value));
        }
    }
}

impl MetaFinder {
    /// A `<title>` begins; only the first with any text counts (pictures in SVG have titles too).
    pub fn begin_title(&mut self) {
        self.in_title = self.title.is_empty();
    }

    /// The title, or any other hidden element, ends.
    pub fn end_title(&mut self) {
        self.in_title = false;
    }

    /// Text inside a hidden element.
    pub fn title_text(&mut self, text: &[u8]) {
        if self.in_title && self.title.len() < VALUE_LIMIT {
            self.title.extend_from_slice(text);
        }
    }

    /// A start tag with its attributes.
    pub fn tag(&mut self, name: &[u8], attributes: &Attributes) {
        match name {
            b"html" => {
                self.lang.offer(3, attributes.get(b"lang"));
                self.lang.offer(2, attributes.get(b"xml:lang"));
            }
            b"link" => {
                let is_canonical = attributes
                    .lower(b"rel")
                    .split_whitespace()
                    .any(|rel| rel == "canonical");
                if is_canonical {
                    self.canonical.offer(2, attributes.get(b"href"));
                }
            }
            b"time" => self.time(attributes),
            _ => self.meta(attributes),
        }
    }

    fn time(&mut self, attributes: &Attributes) {
        let published = attributes.lower(b"itemprop") == "datepublished"
            || attributes.pairs.iter().any(|(name, _)| name == b"pubdate");
        let trust = if published { 8 } else { 1 };
        self.date.offer(trust, attributes.get(b"datetime"));
    }

    fn meta(&mut self, attributes: &Attributes) {
        let content = attributes.get(b"content");
        for key in [&b"property"[..], b"name", b"itemprop", b"http-equiv"] {
            let key = attributes.lower(key);
            match key.as_str() {
                "og:url" => self.canonical.offer(1, content.clone()),
                "content-language" | "language" => self.lang.offer(1, content.clone()),
                "og:locale" => self.lang.offer(0, content.clone()),
                _ => {
                    if let Some(trust) = date_trust(&key) {
                        self.date.offer(trust, content.clone());
                    }
                }
            }
        }
    }

    /// All that was found.
    pub fn finish(self) -> Meta {
        let title = String::from_utf8_lossy(&self.title);
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        let value = |best: Best| best.0.map(|(_, value)| value);
        Meta {
            title: (!title.is_empty()).then_some(title),
            canonical: value(self.canonical),
            lang: value(self.lang),
            date: value(self.date),
            ..Meta::default()
        }
    }
}

/// How far the `<meta>` of that name is trusted to be the date of publication.
fn date_trust(key: &str) -> Option<u8> {
    Some(match key {
        "article:published_time" | "og:published_time" => 9,
        "datepublished" => 8,
        "pubdate" | "publishdate" | "publish_date" | "publish-date" | "published_time"
        | "publication_date" => 7,
        "dc.date.issued"
        | "dcterms.issued"
        | "dcterms.created"
        | "citation_publication_date"
        | "parsely-pub-date"
        | "sailthru.date" => 6,
        "dc.date" | "dcterms.date" | "date" => 4,
        _ => return None,
    })
}
