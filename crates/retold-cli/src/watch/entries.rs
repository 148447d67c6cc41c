//! The entries of a feed: complete pages, and entries whose articles have to be fetched.
//!
//! A feed speaks for its own site only: what it says of a page of another one may be wrong on purpose. Such a page is fetched, and without it
//! the feed's text is a page of the feed, not that one.

use retold::internal::{count_chars, site_of};
use retold::read::{feed_pages, html_visible_text};
use retold::{Content, Markup, Page};
use retold_index::LONGEST_ID;
use url::Url;

use super::config::{Articles, Feed, web_address};
use super::state::Article;

/// A text with fewer characters, white space left out, is taken for a teaser.
const TEASER: u64 = 500;

/// The entries of a feed.
#[derive(Debug, Default)]
pub struct Entries {
    pub pages: Vec<Page>,
    /// By the ids that their pages have if the text is the feed's.
    pub articles: Vec<(String, Article)>,
    /// Why some could not be read.
    pub rejected: Vec<String>,
}

impl Entries {
    /// Reads a feed that came from `url`; `None`: it is no feed. A page of the feed's site is called by its URL, so that an article in two
    /// feeds is one page.
    pub fn read(feed: &Feed, url: &Url, body: &[u8]) -> Option<Entries> {
        let mut entries = Entries::default();
        for page in feed_pages(feed.url.as_str(), body)? {
            match page {
                Ok(page) => entries.add(feed, url, page),
                Err(reason) => entries.rejected.push(reason),
            }
        }
        Some(entries)
    }

    fn add(&mut self, feed: &Feed, base: &Url, mut page: Page) {
        let url = page.url.take();
        let url = url.and_then(|url| base.join(url.trim()).ok());
        let url = url.and_then(|url| web_address(url.as_str()));
        let is_own = |url: &Url| {
            let sites = [base, &feed.url].map(Url::as_str);
            feed.trusted || sites.iter().any(|site| is_of_site(url, site))
        };
        let own = url.as_ref().filter(|url| is_own(url));
        page.url = own.map(Url::to_string);
        page.id = match &page.url {
            Some(url) => url.clone(),
            // Ids of entries may be good in their feed only.
            None => format!("{}#{}", feed.url, page.id),
        };
        let longest = url.as_ref().map_or(0, |url| url.as_str().len());
        let longest = longest.max(page.id.len());
        if longest > LONGEST_ID {
            return self.rejected.push(format!(
                "an entry whose address has {longest} bytes, more than {LONGEST_ID}"
            ));
        }
        if page.url.is_none() {
            page.site = site_of(feed.url.as_str());
        }
        let is_wanted = match feed.articles {
            Articles::All => true,
            Articles::Teasers => own.is_none() || is_teaser(&page.content),
            Articles::None => false,
        };
        match url {
            Some(url) if is_wanted => self.articles.push(article(&feed.url, &url, page)),
            _ if page.content.is_empty() => self.rejected.push(format!(
                "{}: an entry with neither text nor article",
                page.id
            )),
            _ => self.pages.push(page),
        }
    }
}

/// Whether a URL is of the same site as another one.
pub fn is_of_site(url: &Url, other: &str) -> bool {
    let site = site_of(url.as_str());
    site.is_some() && site == site_of(other)
}

fn is_teaser(content: &Content) -> bool {
    let Content::Unicode { text, markup } = content else {
        return false;
    };
    let chars = match markup {
        Markup::Html => count_chars(&html_visible_text(text).0),
        Markup::Plain => count_chars(text),
    };
    chars < TEASER
}

fn article(feed: &Url, url: &Url, page: Page) -> (String, Article) {
    let teaser = match page.content {
        Content::Unicode { text, markup } => (text, markup == Markup::Html),
        Content::Bytes { .. } => Default::default(),
    };
    let article = Article {
        feed: feed.to_string(),
        url: url.to_string(),
        title: page.title,
        date: page.date,
        teaser,
        ..Article::default()
    };
    (page.id, article)
}

/// An article as it came.
#[derive(Debug, Default)]
pub struct Fetched {
    pub body: Vec<u8>,
    /// `Content-Type` without parameters, in lower case.
    pub kind: String,
    pub charset: Option<String>,
}

impl Article {
    /// About how many bytes of the state it takes.
    pub fn bytes(&self) -> usize {
        let title = self.title.as_ref().map_or(0, String::len);
        self.url.len() + title + self.teaser.0.len()
    }

    /// Whether the feed speaks for the page, which then has the URL as its id.
    pub fn is_own(&self, id: &str) -> bool {
        id == self.url
    }

    /// The page that was fetched from `url`; the error says why it is not a page.
    pub fn page(&self, id: &str, url: &Url, got: Fetched) -> Result<Page, String> {
        let markup = match &*got.kind {
            "text/html" | "application/xhtml+xml" | "" => Markup::Html,
            "text/plain" => Markup::Plain,
            other => return Err(format!("it is {other}, neither HTML nor text")),
        };
        if got.body.trim_ascii().is_empty() {
            return Err("it is empty".into());
        }
        let content = Content::Bytes {
            bytes: got.body,
            charset: got.charset,
            markup,
        };
        // Where it is, and not what led there: that may be an address of those who count readers.
        let page = Page::new(self.url.as_str(), content).with_url(url.as_str());
        // What the feed says of it counts as little elsewhere as its text.
        Ok(match self.is_own(id) && is_of_site(url, &self.url) {
            true => self.named(page),
            false => page,
        })
    }

    /// What the feed has of it, if it has anything.
    pub fn teaser(&self, id: &str) -> Option<Page> {
        let (text, is_html) = &self.teaser;
        let page = match (text.trim().is_empty(), is_html) {
            (true, _) => return None,
            (false, true) => Page::html(id, text.as_str()),
            (false, false) => Page::text(id, text.as_str()),
        };
        let mut page = self.named(page);
        match self.is_own(id) {
            true => page.url = Some(self.url.clone()),
            false => page.site = site_of(&self.feed),
        }
        Some(page)
    }

    fn named(&self, mut page: Page) -> Page {
        page.title.clone_from(&self.title);
        page.date.clone_from(&self.date);
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(articles: Articles) -> Feed {
        let url = Url::parse("http://a.example/feed").unwrap();
        Feed {
            url,
            every: 1,
            articles,
            trusted: false,
        }
    }

    #[test]
    fn teasers_are_told_from_articles() {
        let long = "All of the article is here. ".repeat(30);
        let feed = format!(
            r#"<rss version="2.0"><channel><title>t</title>
            <item><title>One</title><link>/1#top</link><description>{long}</description><pubDate>Sun, 01 Nov 2026 08:00:00 GMT</pubDate></item>
            <item><title>Two</title><link>http://www.a.example/2</link><guid>2</guid><description>Only &lt;b&gt;a&lt;/b&gt; teaser</description></item>
            <item><title>Three</title><link>http://a.example/3</link></item>
            <item><guid isPermaLink="false">4</guid><description>Nowhere else</description></item>
            <item><title>Five</title></item>
            <item><link>mailto:a@b.example</link><description>Write</description></item></channel></rss>"#
        );
        let url = Url::parse("http://a.example/feed").unwrap();
        let read = |articles| Entries::read(&of(articles), &url, feed.as_bytes()).unwrap();
        let ids = |entries: &Entries| {
            let pages = entries.pages.iter().map(|page| page.id.clone());
            let articles = entries.articles.iter().map(|(id, _)| format!("+{id}"));
            pages.chain(articles).collect::<Vec<String>>()
        };
        let found = read(Articles::Teasers);
        let there = [
            "http://a.example/1",
            "http://a.example/feed#4",
            "http://a.example/feed#mailto:a@b.example",
            "+http://www.a.example/2",
            "+http://a.example/3",
        ];
        assert_eq!(ids(&found), there);
        assert_eq!(found.rejected.len(), 1);
        assert!(found.rejected[0].contains("neither text nor article"));
        assert_eq!(
            found.pages[0].date.as_deref(),
            Some("2026-11-01T08:00:00+00:00")
        );
        let (id, article) = &found.articles[0];
        let teaser = article.teaser(id).unwrap();
        assert_eq!(
            (teaser.id.as_str(), teaser.title.as_deref()),
            ("http://www.a.example/2", Some("Two"))
        );
        assert!(found.articles[1].1.teaser("x").is_none());
        assert_eq!(
            ids(&read(Articles::All))
                .iter()
                .filter(|id| id.starts_with('+'))
                .count(),
            3
        );
        // With nothing but a title there is nothing to keep.
        assert_eq!(read(Articles::None).rejected.len(), 2);
        let page = b"<html><p>Sign in</p></html>";
        assert!(Entries::read(&of(Articles::All), &url, page).is_none());
    }

    #[test]
    fn addresses_have_an_end() {
        let read = |length: usize| {
            let link = format!("http://a.example/{}", "x".repeat(length - 17));
            let feed = format!(
                r#"<rss version="2.0"><channel><title>t</title><item><link>{link}</link></item></channel></rss>"#
            );
            let url = Url::parse("http://a.example/feed").unwrap();
            Entries::read(&of(Articles::All), &url, feed.as_bytes()).unwrap()
        };
        assert_eq!(read(LONGEST_ID).articles.len(), 1);
        let found = read(LONGEST_ID + 1);
        assert!(found.articles.is_empty());
        assert!(found.rejected[0].contains("16385 bytes, more than 16384"));
    }

    /// What a feed says of a page of another site is not that page.
    #[test]
    fn a_feed_speaks_for_its_own_site() {
        let long = "Buy our coins now. ".repeat(40);
        let feed = format!(
            r#"<rss version="2.0"><channel><title>t</title><item><title>Bank closes</title><link>http://honest.example/1</link>
            <guid isPermaLink="false">7</guid><description>{long}</description></item></channel></rss>"#
        );
        let read = |config: Feed, url: &str| {
            let url = Url::parse(url).unwrap();
            Entries::read(&config, &url, feed.as_bytes()).unwrap()
        };
        let (own, elsewhere) = ("http://a.example/feed", "http://honest.example/1");
        let found = read(of(Articles::Teasers), own);
        assert!(found.pages.is_empty());
        let (id, article) = &found.articles[0];
        assert_eq!(
            (&**id, &*article.url),
            ("http://a.example/feed#7", elsewhere)
        );
        // Fetched, it is what it says itself.
        let got = Fetched {
            body: b"<p>x".into(),
            ..Fetched::default()
        };
        let url = Url::parse(elsewhere).unwrap();
        let page = article.page(id, &url, got).unwrap();
        assert_eq!((&*page.id, page.title), (elsewhere, None));
        // Without it, the text is the feed's.
        let teaser = article.teaser(id).unwrap();
        assert_eq!((&teaser.id, &teaser.url), (id, &None));
        assert_eq!(teaser.site.as_deref(), Some("a.example"));
        let found = read(of(Articles::None), own);
        assert_eq!((&found.pages[0].id, &found.pages[0].url), (id, &None));
        // It may be trusted, or have come from there.
        let mut trusted = of(Articles::Teasers);
        trusted.trusted = true;
        for found in [
            read(trusted, own),
            read(of(Articles::Teasers), "http://www.honest.example/f"),
        ] {
            assert_eq!(found.pages[0].id, elsewhere);
        }
    }

    #[test]
    fn articles_are_pages_where_they_are() {
        let article = Article {
            url: "http://b.example/?to=2".into(),
            title: Some("T".into()),
            date: Some("2026-11-01".into()),
            ..Article::default()
        };
        let id = &*article.url;
        let got = |kind: &str, body: &str| Fetched {
            kind: kind.into(),
            body: body.into(),
            ..Fetched::default()
        };
        let url = Url::parse("http://b.example/2").unwrap();
        let page = article.page(id, &url, got("text/html", "<p>x")).unwrap();
        assert_eq!(
            (page.id.as_str(), page.url.as_deref(), page.title.as_deref()),
            (id, Some("http://b.example/2"), Some("T"))
        );
        assert!(article.page(id, &url, got("application/pdf", "x")).is_err());
        assert!(article.page(id, &url, got("text/html", " \n")).is_err());
        // A redirect to another site takes no title there.
        let url = Url::parse("http://honest.example/2").unwrap();
        let page = article.page(id, &url, got("text/html", "<p>x")).unwrap();
        assert_eq!((page.id.as_str(), page.title), (id, None));
    }
}
