//! A page: one input document before text extraction.

/// An input document as delivered by a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The id, before repeated ids get `#2`, `#3`, …
    pub id: String,
    /// The URL from which the page was fetched, if known.
    pub url: Option<String>,
    /// The page's site, if the record gives it (`--site-field`); otherwise derived from `url`.
    pub site: Option<String>,
    /// The date field or WARC-Date, as written in the input.
    pub date: Option<String>,
    /// The title given by the record. It is only shown, in place of an HTML document's own title; methods do not see it.
    pub title: Option<String>,
    /// Whether it is no whole answer: a crawler derived it from a fetched page, for example as its text, or cut it off.
    pub derived: bool,
    /// Further fields that options name ([`crate::read::ReadOptions::more_fields`]), with their values; or all fields, with values as JSON
    /// ([`crate::read::ReadOptions::all_fields`]).
    pub fields: Vec<(String, String)>,
    /// The content from which the text is made.
    pub content: Content,
}

impl Page {
    /// A page with content only.
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

    /// A page of decoded HTML.
    pub fn html(id: impl Into<String>, html: impl Into<String>) -> Page {
        Page::new(id, Content::unicode(html, Markup::Html))
    }

    /// A page of undecoded bytes without a charset header.
    pub fn document(id: impl Into<String>, bytes: Vec<u8>, markup: Markup) -> Page {
        let charset = None;
        let content = Content::Bytes {
            bytes,
            charset,
            markup,
        };
        Page::new(id, content)
    }

    /// Sets the URL, from which the site follows unless [`Page::site`] is set.
    pub fn with_url(mut self, url: impl Into<String>) -> Page {
        self.url = Some(url.into());
        self
    }

    /// Sets the date of publication or fetching, as written in the input.
    pub fn with_date(mut self, date: impl Into<String>) -> Page {
        self.date = Some(date.into());
        self
    }

    /// Sets the title.
    pub fn with_title(mut self, title: impl Into<String>) -> Page {
        self.title = Some(title.into());
        self
    }

    /// Adds a further field.
    pub fn with_field(mut self, name: impl Into<String>, value: impl Into<String>) -> Page {
        self.fields.push((name.into(), value.into()));
        self
    }

    /// The value of a further field, if it has one.
    pub fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(own, _)| own == name)?;
        Some(&found.1)
    }

    /// The page's site: the one in the record, else the host of its URL.
    pub fn site(&self) -> Option<String> {
        self.site
            .clone()
            .or_else(|| self.url.as_deref().and_then(site_of))
    }
}

/// A page's content: bytes or Unicode text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Bytes that must still be decoded.
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

    /// The content; an empty one stays.
    pub(crate) fn take(&mut self) -> Content {
        std::mem::replace(self, Content::unicode("", Markup::Plain))
    }

    /// The length of the content in bytes.
    pub fn len(&self) -> usize {
        match self {
            Content::Bytes { bytes, .. } => bytes.len(),
            Content::Unicode { text, .. } => text.len(),
        }
    }

    /// True if the content is empty.
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
