//! A page: one input document, before its text is extracted.

/// One input document as a reader hands it on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The id, before repeated ids get `#2`, `#3`, …
    pub id: String,
    /// Where the page was fetched, if known.
    pub url: Option<String>,
    /// The page's site, if the record names it itself (`--site-field`); otherwise it follows from `url`.
    pub site: Option<String>,
    /// The date field or WARC-Date, as written in the input.
    pub date: Option<String>,
    /// The title that the record gives. It is shown to people, and of HTML takes the place of the document's own there; methods do
    /// not see it.
    pub title: Option<String>,
    /// Whether a crawler made it of what it had fetched: the text of a page, say.
    pub derived: bool,
    /// Further fields that options name ([`crate::ReadOptions::more_fields`]), with their values.
    pub fields: Vec<(String, String)>,
    /// What the text is made from.
    pub content: Content,
}

impl Page {
    /// A page of which nothing is known but its content.
    pub fn new(id: impl Into<String>, content: Content) -> Page {
        Page {
            id: id.into(),
            url: None,
            site: None,
            date: None,
            title: None,
            derived: false,
            fields: Vec::new(),
            content,
        }
    }

    /// A page of plain text.
    pub fn text(id: impl Into<String>, text: impl Into<String>) -> Page {
        Page::new(id, Content::unicode(text, Markup::Plain))
    }

    /// A page of HTML that has been decoded.
    pub fn html(id: impl Into<String>, html: impl Into<String>) -> Page {
        Page::new(id, Content::unicode(html, Markup::Html))
    }

    /// A page whose bytes still have to be decoded, and of which no header names the charset.
    pub fn document(id: impl Into<String>, bytes: Vec<u8>, markup: Markup) -> Page {
        let charset = None;
        let content = Content::Bytes {
            bytes,
            charset,
            markup,
        };
        Page::new(id, content)
    }

    /// Where the page was fetched; says which site it is of, unless [`Page::site`] does.
    pub fn with_url(mut self, url: impl Into<String>) -> Page {
        self.url = Some(url.into());
        self
    }

    /// When the page was published or fetched, as written in the input.
    pub fn with_date(mut self, date: impl Into<String>) -> Page {
        self.date = Some(date.into());
        self
    }

    /// What people are shown as its title.
    pub fn with_title(mut self, title: impl Into<String>) -> Page {
        self.title = Some(title.into());
        self
    }

    /// The value of a further field.
    pub fn with_field(mut self, name: impl Into<String>, value: impl Into<String>) -> Page {
        self.fields.push((name.into(), value.into()));
        self
    }

    /// The value of a further field, if it has one.
    pub fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(own, _)| own == name)?;
        Some(&found.1)
    }

    /// The page's site: what the record names, else the host of its URL.
    pub fn site(&self) -> Option<String> {
        self.site
            .clone()
            .or_else(|| self.url.as_deref().and_then(site_of))
    }
}

/// A page's content: bytes or Unicode text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Bytes that still have to be decoded.
    Bytes {
        /// The document as fetched, content encodings (gzip, brotli, chunks) removed.
        bytes: Vec<u8>,
        /// The charset that the HTTP header named, if any.
        charset: Option<String>,
        /// How to read the bytes once decoded.
        markup: Markup,
    },
    /// Text that was already Unicode in its container (JSON, CSV, Parquet).
    Unicode {
        /// The text or markup itself.
        text: String,
        /// How to read it.
        markup: Markup,
    },
}

impl Content {
    fn unicode(text: impl Into<String>, markup: Markup) -> Content {
        let text = text.into();
        Content::Unicode { text, markup }
    }

    /// The length in bytes of what the page's text is made from.
    pub fn len(&self) -> usize {
        match self {
            Content::Bytes { bytes, .. } => bytes.len(),
            Content::Unicode { text, .. } => text.len(),
        }
    }

    /// True if there is nothing to make a text from.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Whether a document has tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markup {
    /// HTML or XHTML.
    Html,
    /// Plain text or Markdown: each line is a block, and hard-wrapped paragraphs are joined.
    Plain,
}

/// The site of a URL: its host in lower case without a leading `www.`; `None` without a host.
///
/// ```
/// use retold::internal::site_of;
/// assert_eq!(site_of("https://www.News.example.cn:8080/a?b#c").as_deref(), Some("news.example.cn"));
/// assert_eq!(site_of("notes/today.txt"), None);
/// ```
pub fn site_of(url: &str) -> Option<String> {
    let url = url::Url::parse(url.trim()).ok()?;
    let host = url.host_str()?.trim_end_matches('.').to_lowercase();
    let site = host.strip_prefix("www.").unwrap_or(&host);
    (!site.is_empty()).then(|| site.to_owned())
}
