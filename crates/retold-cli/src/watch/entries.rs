//! The entries of a feed: complete pages, and entries whose articles have to be fetched.

use retold::internal::{count_chars, site_of};
use retold::read::{feed_pages, html_visible_text};
use retold::{Content, Markup, Page};
use url::Url;

use super::config::{Articles, Feed, web_address};
use super::fetch::Got;
use super::state::Article;

/// A text with fewer characters, white space left out, is taken for a teaser.
const TEASER: u64 = 500;

/// The entries of a feed.
#[derive(Debug, Default)]
pub struct Entries {
    pub pages: Vec<Page>,
    /// By the ids of their pages.
    pub articles: Vec<(String, Article)>,
    /// Why some could not be read.
    pub rejected: Vec<String>,
}

impl Entries {
    /// Reads a feed that came from `url`; `None`: it is no feed. A page is called by its URL, so that an article in two feeds is one page.
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
        page.id = match &url {
            Some(url) => url.to_string(),
            // Ids of entries may be good in their feed only.
            None => format!("{}#{}", feed.url, page.id),
        };
        page.url = url.as_ref().map(Url::to_string);
        let is_wanted = match feed.articles {
            Articles::All => true,
            Articles::Teasers => is_teaser(&page.content),
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

impl Article {
    /// About how many bytes of the state it takes.
    pub fn bytes(&self) -> usize {
        let title = self.title.as_ref().map_or(0, String::len);
        self.url.len() + title + self.teaser.0.len()
    }

    /// The page that was fetched from `url`; the error says why it is not a page.
    pub fn page(&self, id: &str, url: &Url, got: Got) -> Result<Page, String> {
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
        let page = Page::new(id, content).with_url(url.as_str());
        Ok(self.named(page))
    }

    /// What the feed has of it, if it has anything.
    pub fn teaser(&self, id: &str) -> Option<Page> {
        let (text, is_html) = &self.teaser;
        let page = match (text.trim().is_empty(), is_html) {
            (true, _) => return None,
            (false, true) => Page::html(id, text.as_str()),
            (false, false) => Page::text(id, text.as_str()),
        };
        Some(self.named(page.with_url(self.url.as_str())))
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
        }
    }

    #[test]
    fn teasers_are_told_from_articles() {
        let long = "All of the article is here. ".repeat(30);
        let feed = format!(
            r#"<rss version="2.0"><channel><title>t</title>
            <item><title>One</title><link>/1#top</link><description>{long}</description><pubDate>Sun, 01 Nov 2026 08:00:00 GMT</pubDate></item>
            <item><title>Two</title><link>http://b.example/2</link><guid>2</guid><description>Only &lt;b&gt;a&lt;/b&gt; teaser</description></item>
            <item><title>Three</title><link>http://b.example/3</link></item>
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
            "+http://b.example/2",
            "+http://b.example/3",
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
            ("http://b.example/2", Some("Two"))
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
    fn articles_are_pages_where_they_are() {
        let article = Article {
            url: "http://count.example/?to=b".into(),
            title: Some("T".into()),
            date: Some("2026-11-01".into()),
            ..Article::default()
        };
        let got = |kind: &str, body: &str| Got {
            kind: kind.into(),
            body: body.into(),
            ..Got::default()
        };
        let url = Url::parse("http://b.example/2").unwrap();
        let page = article.page("id", &url, got("text/html", "<p>x")).unwrap();
        assert_eq!(
            (page.id.as_str(), page.url.as_deref(), page.title.as_deref()),
            ("id", Some("http://b.example/2"), Some("T"))
        );
        assert!(
            article
                .page("id", &url, got("application/pdf", "x"))
                .is_err()
        );
        assert!(article.page("id", &url, got("text/html", " \n")).is_err());
    }
}
