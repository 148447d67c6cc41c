//! CONFIG.toml: what is watched, and who gets notices.

use std::path::{Path, PathBuf};

use jiff::SignedDuration;
use retold::{Error, Result};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use url::Url;

use super::opml::{Subscription, subscriptions};
use crate::secret::check_private;

/// Milliseconds.
pub type Millis = i64;

pub const MINUTE: Millis = 60_000;
pub const DAY: Millis = 24 * 60 * MINUTE;

/// What a file says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// The folder of the index.
    pub index: PathBuf,
    /// Who asks, with an address where people can be reached.
    #[serde(default)]
    pub user_agent: String,
    /// Whether requests to addresses that are not public are allowed.
    #[serde(default)]
    pub allow_private: bool,
    /// The least time between two requests to a host.
    #[serde(default = "second", deserialize_with = "span")]
    pub delay: Millis,
    /// How long a request may take.
    #[serde(default = "minute", deserialize_with = "span")]
    pub timeout: Millis,
    /// A list of subscriptions, whose feeds are read like those below.
    pub opml: Option<PathBuf>,
    /// Where the feed without repeats is written.
    pub atom: Option<PathBuf>,
    #[serde(default, rename = "feed")]
    pub feeds: Vec<Feed>,
    #[serde(default, rename = "folder")]
    pub folders: Vec<Folder>,
    #[serde(default)]
    pub watch: Watched,
    pub webhook: Option<Webhook>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Feed {
    #[serde(deserialize_with = "address")]
    pub url: Url,
    #[serde(default = "ten_minutes", deserialize_with = "span")]
    pub every: Millis,
    #[serde(default)]
    pub articles: Articles,
    /// Whether its texts count for addresses of other sites, too.
    #[serde(default)]
    pub trusted: bool,
}

impl Feed {
    /// A feed with all defaults.
    fn of(url: Url) -> Feed {
        Feed {
            url,
            every: ten_minutes(),
            articles: Articles::default(),
            trusted: false,
        }
    }
}

/// Which articles are fetched from the addresses of a feed's entries.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Articles {
    /// Only articles of which the feed has just a teaser.
    #[default]
    Teasers,
    All,
    None,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Folder {
    pub path: PathBuf,
    #[serde(default = "minute", deserialize_with = "span")]
    pub every: Millis,
}

/// The pages about whose reprints notices are made; if empty: all.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Watched {
    #[serde(default)]
    pub stories: Vec<String>,
    #[serde(default)]
    pub sites: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Webhook {
    #[serde(deserialize_with = "address")]
    pub url: Url,
    pub secret_file: PathBuf,
}

fn second() -> Millis {
    1000
}

fn minute() -> Millis {
    MINUTE
}

fn ten_minutes() -> Millis {
    10 * MINUTE
}

/// A time as in `10m` or `1h 30m`.
fn span<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Millis, D::Error> {
    let text = String::deserialize(from)?;
    let span = text.parse::<SignedDuration>().ok();
    let millis = span.and_then(|span| Millis::try_from(span.as_millis()).ok());
    millis
        .filter(|millis| (1..=DAY).contains(millis))
        .ok_or_else(|| {
            D::Error::custom(format!(
                "`{text}`: a time of at most a day expected, as in \"30s\" or \"10m\""
            ))
        })
}

fn address<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Url, D::Error> {
    let text = String::deserialize(from)?;
    web_address(&text)
        .ok_or_else(|| D::Error::custom(format!("`{text}`: an http or https URL expected")))
}

/// A URL to which requests can be made.
pub fn web_address(text: &str) -> Option<Url> {
    let mut url = Url::parse(text).ok()?;
    url.set_fragment(None);
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}

impl Config {
    /// Reads a file. Paths in it are relative to its folder.
    pub fn read(path: &Path) -> Result<Config> {
        let text = std::fs::read_to_string(path).map_err(Error::io("cannot read", path))?;
        let wrong = |what: String| Error::usage(format!("{}: {what}", path.display()));
        let mut config: Config = toml::from_str(&text).map_err(|e| {
            wrong(format!(
                "{}; docs/reference/watch.md lists the keys",
                e.to_string().trim_end()
            ))
        })?;
        let base = path.parent().unwrap_or(Path::new(""));
        let folders = config.folders.iter_mut().map(|folder| &mut folder.path);
        let secret = config.webhook.iter_mut().map(|hook| &mut hook.secret_file);
        let others = [&mut config.opml, &mut config.atom].into_iter().flatten();
        for path in folders
            .chain(secret)
            .chain(others)
            .chain([&mut config.index])
        {
            *path = base.join(&*path);
        }
        config.subscribe()?;
        config.check().map_err(wrong)?;
        Ok(config)
    }

    /// Adds the feeds of the list of subscriptions; what the file says of one counts.
    fn subscribe(&mut self) -> Result<()> {
        let Some(list) = &self.opml else {
            return Ok(());
        };
        for Subscription { title, address } in subscriptions(list)? {
            let url = web_address(&address).ok_or_else(|| {
                Error::usage(format!(
                    "opml {}: the xmlUrl of `{title}` is `{address}`: an http or https URL expected; remove it from the list",
                    list.display()
                ))
            })?;
            if !self.feeds.iter().any(|feed| feed.url == url) {
                self.feeds.push(Feed::of(url));
            }
        }
        Ok(())
    }

    /// Whether it makes sense; else what to do.
    fn check(&self) -> std::result::Result<(), String> {
        if self.feeds.is_empty() && self.folders.is_empty() {
            return Err(
                "nothing to read: add [[feed]] with `url`, [[folder]] with `path`, or `opml`"
                    .into(),
            );
        }
        let has_contact = ["@", "://"]
            .iter()
            .any(|mark| self.user_agent.contains(mark));
        let is_sendable = self.user_agent.chars().all(|c| (' '..='~').contains(&c));
        let has_agent = has_contact && is_sendable;
        if !self.feeds.is_empty() && !has_agent {
            return Err(
                "user-agent: say in ASCII who sends the requests and where people can reach you, as in user-agent = \"example-watch/1.0 (+https://example.org/bot)\""
                    .into(),
            );
        }
        for (at, feed) in self.feeds.iter().enumerate() {
            if self.feeds[..at].iter().any(|other| other.url == feed.url) {
                return Err(format!("the feed {} is listed twice; remove one", feed.url));
            }
        }
        Ok(())
    }

    /// The name by which robots.txt may call us.
    pub fn robot(&self) -> &str {
        self.user_agent.split(['/', ' ']).next().unwrap_or_default()
    }
}

impl Webhook {
    /// The secret that signs.
    pub fn secret(&self) -> Result<Vec<u8>> {
        /// Shorter ones are guessed.
        const SHORTEST: usize = 16;
        let path = &self.secret_file;
        check_private("secret-file", path)?;
        let text = std::fs::read(path).map_err(Error::io("cannot read", path))?;
        let secret = text.trim_ascii().to_vec();
        if secret.len() < SHORTEST {
            return Err(Error::usage(format!(
                "secret-file {}: at least {SHORTEST} characters expected; `openssl rand -hex 32` makes one",
                path.display()
            )));
        }
        Ok(secret)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> std::result::Result<Config, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("watch.toml");
        std::fs::write(&path, text).unwrap();
        let list = r#"<opml><outline xmlUrl="https://c.example/feed"/></opml>"#;
        std::fs::write(folder.path().join("subscriptions.opml"), list).unwrap();
        Config::read(&path).map_err(|e| e.to_string())
    }

    const FEED: &str = "index = \"news\"\nuser-agent = \"example/1.0 (+https://example.org)\"\n[[feed]]\nurl = \"https://a.example/feed#x\"\n";

    #[test]
    fn a_file_is_read() {
        let config = read(&format!(
            "{FEED}every = \"1h 30m\"\narticles = \"all\"\n[[folder]]\npath = \"inbox\"\n"
        ))
        .unwrap();
        assert_eq!(config.feeds[0].url.as_str(), "https://a.example/feed");
        assert_eq!(config.feeds[0].every, 90 * MINUTE);
        assert_eq!(config.feeds[0].articles, Articles::All);
        assert_eq!(
            (config.delay, config.timeout, config.allow_private),
            (1000, MINUTE, false)
        );
        assert!(config.folders[0].path.ends_with("inbox") && config.folders[0].path.is_absolute());
        assert_eq!(config.robot(), "example");
    }

    #[test]
    fn subscriptions_are_feeds_unless_the_file_has_them() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let path = write(
            "watch.toml",
            &format!("opml = \"mine.opml\"\natom = \"web/news.atom\"\n{FEED}every = \"1h\"\n"),
        );
        let outline =
            |title: &str, url: &str| format!("<outline text=\"{title}\" xmlUrl=\"{url}\"/>");
        let [a, b] = ["https://a.example/feed", "https://b.example/feed"];
        let good = [outline("A", a), outline("B", b), outline("B", b)].concat();
        write(
            "mine.opml",
            &format!("<opml><body><outline text=\"F\">{good}</outline></body></opml>"),
        );
        let config = Config::read(&path).unwrap();
        let feeds: Vec<(&str, Millis)> = config
            .feeds
            .iter()
            .map(|feed| (feed.url.as_str(), feed.every))
            .collect();
        assert_eq!(feeds, [(a, 60 * MINUTE), (b, 10 * MINUTE)]);
        assert_eq!(config.atom, Some(folder.path().join("web/news.atom")));
        write("mine.opml", &outline("C &amp; D", "feed:c"));
        let said = Config::read(&path).unwrap_err().to_string();
        assert!(
            said.contains("mine.opml: the xmlUrl of `C & D` is `feed:c`"),
            "{said}"
        );
        // It is enough by itself.
        write("mine.opml", &good);
        let path = write(
            "watch.toml",
            "opml = \"mine.opml\"\nindex = \"news\"\nuser-agent = \"x (a@b.example)\"\n",
        );
        assert_eq!(Config::read(&path).unwrap().feeds.len(), 2);
    }

    #[test]
    fn the_example_can_be_used_and_has_all_keys() {
        let example = include_str!("../../../../examples/watch.toml");
        let config = read(example).unwrap();
        assert_eq!((config.feeds.len(), config.folders.len()), (2, 1));
        // What is commented out is right, too.
        let whole: String = example
            .lines()
            .map(|line| match line.strip_prefix("# ") {
                Some(key) if key.starts_with('[') || key.contains(" = ") => format!("{key}\n"),
                _ => format!("{line}\n"),
            })
            .collect();
        let config = read(&whole).unwrap();
        assert_eq!(config.watch.stories.len(), 1);
        let defaults = (config.delay, config.timeout, config.allow_private);
        assert_eq!(defaults, (1000, MINUTE, false));
        assert!(config.webhook.is_some() && config.atom.is_some());
        assert_eq!(config.feeds.len(), 3);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let says = |text: &str, what: &str| {
            let said = read(text).unwrap_err();
            assert!(said.contains(what), "{said}");
        };
        says(&format!("{FEED}evry = \"10m\"\n"), "evry");
        says(&format!("{FEED}every = \"10\"\n"), "`10`: a time");
        says(
            &format!("{FEED}every = \"2d\"\n"),
            "a time of at most a day",
        );
        says(
            &format!("{FEED}[[feed]]\nurl = \"https://a.example/feed\"\n"),
            "twice",
        );
        says("index = \"news\"\n", "nothing to read");
        says(
            "index = \"news\"\n[[feed]]\nurl = \"https://a.example/feed\"\n",
            "user-agent",
        );
        says(
            "index = \"news\"\n[[feed]]\nurl = \"file:///etc/passwd\"\n",
            "http or https",
        );
        says("[[folder]]\npath = \"inbox\"\n", "missing field `index`");
    }
}
