//! Metadata of a page: title, canonical URL, language, date.

/// Longer metadata values are cut to this length.
const VALUE_LIMIT: usize = 4096;

/// Metadata of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageMeta {
    /// `<title>`.
    pub title: Option<String>,
    /// `<meta name=description>` or `og:description`.
    pub description: Option<String>,
    /// `<link rel=canonical>` or `og:url`.
    pub canonical: Option<String>,
    /// `<html lang>` or its `<meta>` equivalents.
    pub lang: Option<String>,
    /// The publication date in the page's metadata, as written.
    pub date: Option<String>,
    /// The encoding of the bytes; `None` if they came as Unicode or the text is garbled.
    pub charset: Option<&'static str>,
    /// True if the bytes decode to an implausible sequence of characters: the encoding is probably unsupported (Johab, EUC-TW). Copies of
    /// such a page still equal each other.
    pub garbled: bool,
}

/// Which attributes of a tag are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WantedAttributes {
    #[default]
    None,
    /// Class, id and role, and whether the element is shown.
    Names,
    /// The target of a link.
    Target,
    /// The first 32 attributes.
    All,
}

/// The wanted attributes of the tag being read.
#[derive(Debug, Default)]
pub struct Attributes {
    wanted: WantedAttributes,
    pairs: Vec<(Vec<u8>, Vec<u8>)>,
    /// The name of the current attribute, unless all are wanted.
    name: Vec<u8>,
    names: Vec<u8>,
    /// An earlier attribute has the link's target.
    target: bool,
    /// The value of `style`, and of `hidden` if present.
    style: Vec<u8>,
    hidden: Option<Vec<u8>>,
}

impl Attributes {
    /// Clears the attributes of the last tag.
    pub fn clear(&mut self) {
        self.wanted = WantedAttributes::None;
        self.pairs.clear();
        self.name.clear();
        self.names.clear();
        self.target = false;
        self.style.clear();
        self.hidden = None;
    }

    /// Begins an attribute; `wanted` must be the same for all attributes of a tag.
    pub fn begin(&mut self, wanted: WantedAttributes) {
        self.note_hidden();
        self.target = self.has_target();
        self.wanted = wanted;
        self.name.clear();
        self.names.push(b' ');
        if wanted == WantedAttributes::All {
            if self.pairs.len() == 32 {
                self.wanted = WantedAttributes::None;
            } else {
                self.pairs.push((Vec::new(), Vec::new()));
            }
        }
    }

    /// Adds to the attribute's name.
    pub fn push_name(&mut self, text: &[u8]) {
        match self.wanted {
            WantedAttributes::None => {}
            WantedAttributes::Names | WantedAttributes::Target => self.name.extend_from_slice(text),
            WantedAttributes::All => {
                if let Some((name, _)) = self.pairs.last_mut() {
                    name.extend_from_slice(text);
                }
            }
        }
    }

    /// Adds to the attribute's value.
    pub fn push_value(&mut self, text: &[u8]) {
        match self.wanted {
            WantedAttributes::None | WantedAttributes::Target => {}
            WantedAttributes::Names => {
                self.note_hidden();
                match self.name.as_slice() {
                    b"class" | b"id" | b"role" => self.names.extend_from_slice(text),
                    b"style" => self.style.extend_from_slice(text),
                    b"hidden" => self.hidden.get_or_insert_default().extend_from_slice(text),
                    _ => {}
                }
            }
            WantedAttributes::All => {
                if let Some((_, value)) = self.pairs.last_mut() {
                    value.extend_from_slice(text);
                }
            }
        }
    }

    /// The values of class, id and role, separated by white space.
    pub fn names(&self) -> &[u8] {
        &self.names
    }

    /// Notes the attribute `hidden`, which may have no value.
    fn note_hidden(&mut self) {
        if self.wanted == WantedAttributes::Names && self.name == b"hidden" {
            self.hidden.get_or_insert_default();
        }
    }

    /// Whether the element is hidden by the attribute `hidden` (`until-found` is shown on demand) or by its own style.
    pub fn is_unshown(&mut self) -> bool {
        self.note_hidden();
        let hidden = self.hidden.as_deref();
        hidden.is_some_and(|value| !value.eq_ignore_ascii_case(b"until-found"))
            || is_display_none(&self.style)
    }

    /// Whether the tag has a target; anchors have none.
    pub fn has_target(&self) -> bool {
        self.target || self.wanted == WantedAttributes::Target && self.name == b"href"
    }

    /// Whether there is an attribute of that name.
    pub fn has(&self, name: &[u8]) -> bool {
        self.pairs.iter().any(|(other, _)| other == name)
    }

    /// Whether these attributes of a root element declare XHTML.
    pub fn is_xhtml(&self) -> bool {
        let namespace = self.get(b"xmlns");
        namespace.as_deref() == Some("http://www.w3.org/1999/xhtml")
    }

    /// The trimmed value of the first attribute of that name; `None` if empty or missing.
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

fn is_display_none(style: &[u8]) -> bool {
    style.split(|byte| *byte == b';').any(|declaration| {
        let bytes = declaration
            .iter()
            .filter(|byte| !byte.is_ascii_whitespace());
        let bare: Vec<u8> = bytes.map(u8::to_ascii_lowercase).collect();
        matches!(&*bare, b"display:none" | b"display:none!important")
    })
}

/// Collects metadata; the most trustworthy of several values counts, then the first.
#[derive(Debug, Default)]
pub struct MetaFinder {
    title: Vec<u8>,
    in_title: bool,
    description: Best,
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
    /// A `<title>` begins; only the first with text counts (SVG pictures have titles too).
    pub fn begin_title(&mut self) {
        self.in_title = self.title.is_empty();
    }

    /// The title or another hidden element ends.
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
                "description" => self.description.offer(2, content.clone()),
                "og:description" => self.description.offer(1, content.clone()),
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

    /// The collected metadata.
    pub fn finish(self) -> PageMeta {
        let title = String::from_utf8_lossy(&self.title);
        let title = one_line(&title);
        let value = |best: Best| best.0.map(|(_, value)| value);
        PageMeta {
            title: (!title.is_empty()).then_some(title),
            description: value(self.description).map(|text| one_line(&text)),
            canonical: value(self.canonical),
            lang: value(self.lang),
            date: value(self.date),
            ..PageMeta::default()
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How much the `<meta>` of that name is trusted as the publication date.
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
