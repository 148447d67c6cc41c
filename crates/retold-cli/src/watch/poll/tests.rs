//! What a feed may ask of us, without a net: the tests take the requests, and give the answers.

use std::sync::mpsc::{Receiver, channel};

use retold::{JudgeConfig, Model};
use retold_index::{Index, Writer};
use tempfile::TempDir;

use super::*;
use crate::watch::state::State;

const GOOD: &str = "http://honest.example/feed";
const BAD: &str = "http://evil.example/feed";

fn config(feeds: &[&str]) -> Config {
    let mut text =
        "index = \"news\"\nuser-agent = \"x/1 (a@b.example)\"\ndelay = \"1ms\"\n".to_owned();
    for feed in feeds {
        text += &format!("[[feed]]\nurl = \"{feed}\"\nevery = \"1m\"\narticles = \"all\"\n");
    }
    toml::from_str(&text).unwrap()
}

/// A watch whose requests nobody makes.
struct Bench<'c> {
    feeds: &'c [Feed],
    poller: Poller<'c>,
    requests: Receiver<Request>,
    state: State,
    writer: Writer,
    now: Millis,
    _folder: TempDir,
}

impl<'c> Bench<'c> {
    fn new(config: &'c Config) -> Bench<'c> {
        let (sender, requests) = channel();
        let folder = tempfile::tempdir().unwrap();
        let model = Model::new(JudgeConfig::default()).unwrap();
        let writer = Index::builder(folder.path().join("news"));
        Bench {
            feeds: &config.feeds,
            poller: Poller::with(config, sender, channel().1),
            requests,
            state: State::default(),
            writer: writer.create(&model).unwrap(),
            now: 1_795_000_000_000,
            _folder: folder,
        }
    }

    /// The requests that are made now.
    fn ask(&mut self) -> Vec<Job> {
        self.now += 10;
        self.poller.plan(&self.state, self.now);
        self.poller.ask(&mut self.state, self.now);
        self.requests.try_iter().map(|(job, _)| job).collect()
    }

    fn answer(&mut self, job: Job, mut answer: Answer) -> Vec<Brought> {
        read_entries(self.feeds, &job, &mut answer);
        let index = self.writer.index().clone();
        let brought = self
            .poller
            .take(&mut self.state, &index, job, answer, self.now);
        brought.unwrap()
    }

    fn body(&mut self, job: Job, body: Vec<u8>) -> Vec<Brought> {
        let mut got = Got {
            body,
            ..Got::default()
        };
        got.validators.etag = Some("\"e\"".into());
        self.answer(job, Answer::Got(got))
    }

    /// Answers all requests until none is left; `answer` has the body for a URL, or there is no such thing.
    fn run(&mut self, answer: impl Fn(&str) -> Option<Vec<u8>>) -> Vec<String> {
        let mut asked = Vec::new();
        loop {
            let jobs = self.ask();
            if jobs.is_empty() {
                return asked;
            }
            for job in jobs {
                let url = job.url.to_string();
                match answer(&url) {
                    Some(body) => self.body(job, body),
                    None => self.answer(
                        job,
                        Answer::Refused {
                            status: 404,
                            wait: None,
                        },
                    ),
                };
                asked.push(url);
            }
        }
    }

    /// Reads the feeds, and leaves all else that is requested without an answer.
    fn read_feeds(&mut self, feeds: &[(&str, Vec<u8>)]) -> Vec<Job> {
        let mut open = Vec::new();
        for _ in 0..4 {
            for job in self.ask() {
                let url = job.url.to_string();
                match feeds.iter().find(|(feed, _)| *feed == url) {
                    Some((_, body)) => drop(self.body(job, body.clone())),
                    None if job.is_for_feed => drop(self.body(job, Vec::new())),
                    None => open.push(job),
                }
            }
        }
        open
    }
}

fn rss(links: impl Iterator<Item = String>) -> Vec<u8> {
    let items: String = links
        .map(|link| format!("<item><link>{link}</link></item>"))
        .collect();
    format!("<rss version=\"2.0\"><channel><title>t</title>{items}</channel></rss>").into_bytes()
}

#[test]
fn silent_hosts_keep_no_feed_waiting() {
    let feeds: Vec<String> = (0..5)
        .map(|n| format!("http://e{n}.example/feed"))
        .collect();
    let mut all: Vec<&str> = feeds.iter().map(String::as_str).collect();
    all.push(GOOD);
    let config = config(&all);
    let mut bench = Bench::new(&config);
    let lists = feeds.iter().enumerate().map(|(n, feed)| {
        let links = (0..50).map(move |k| format!("http://h{k}.e{n}.example/p"));
        (feed.as_str(), rss(links))
    });
    let mut lists: Vec<_> = lists.collect();
    lists.push((GOOD, rss(std::iter::empty())));
    let open = bench.read_feeds(&lists);
    assert_eq!(open.len(), FOR_ARTICLES);
    for feed in &feeds {
        let of_feed = open.iter().filter(|job| job.feed == *feed).count();
        assert!(of_feed <= FOR_ONE_FEED, "{of_feed}");
    }
    // None of them answers, and the feeds are read again.
    assert_eq!(bench.poller.tally.feeds, 6);
    bench.now += 2 * MINUTE;
    assert!(bench.read_feeds(&lists).is_empty());
    assert_eq!(bench.poller.tally.feeds, 12);
    // When one has failed, another is asked.
    for job in open {
        bench.answer(job, Answer::Failed("timeout".into()));
    }
    let next = bench.ask();
    assert_eq!(
        next.iter().filter(|job| !job.is_for_feed).count(),
        FOR_ARTICLES
    );
}

#[test]
fn a_feed_comes_before_the_articles_of_its_host() {
    let config = config(&[BAD, GOOD]);
    let mut bench = Bench::new(&config);
    let flood = rss((0..500).map(|k| format!("http://honest.example/x{k}")));
    let own = rss((0..2).map(|k| format!("http://honest.example/own{k}")));
    let open = bench.read_feeds(&[(BAD, flood), (GOOD, own)]);
    let [job] = <[Job; 1]>::try_from(open).unwrap();
    assert_eq!(job.url.as_str(), "http://honest.example/own0");
    bench.now += 2 * MINUTE;
    bench.poller.plan(&bench.state, bench.now);
    bench.body(job, b"x".to_vec());
    let mut next = || {
        let jobs = bench.ask();
        let of_host = jobs
            .into_iter()
            .find(|job| job.url.host_str() == Some("honest.example"));
        let job = of_host.unwrap();
        let url = job.url.to_string();
        bench.body(job, rss(std::iter::empty()));
        url
    };
    assert_eq!(next(), GOOD);
    // Then what its own feed lists.
    assert_eq!(next(), "http://honest.example/own1");
    assert!(next().starts_with("http://honest.example/x"));
}

#[test]
fn a_feed_leads_to_so_many_hosts_and_entries() {
    let config = config(&[BAD]);
    let mut bench = Bench::new(&config);
    let links = |begin: usize| (begin..begin + 3000).map(|k| format!("http://h{k}.example/p"));
    let all = rss(links(0));
    let asked = bench.run(|url| match url {
        BAD => Some(all.clone()),
        _ => None,
    });
    assert!(
        bench
            .poller
            .notes
            .iter()
            .any(|note| note.contains("2000 new entries are left"))
    );
    // What was left would not come if the server said that nothing has changed.
    assert!(bench.state.feeds.get(BAD).unwrap().known.is_empty());
    // Its own host is one. Those that are under way together are not counted yet.
    let assert_about =
        |hosts: usize| assert!((HOSTS..HOSTS + FOR_ONE_FEED).contains(&hosts), "{hosts}");
    let hosts = |asked: &[String]| {
        let robots = asked.iter().filter(|url| url.ends_with("/robots.txt"));
        robots.count()
    };
    assert_about(hosts(&asked));
    let waiting = bench.state.articles.iter();
    assert!(waiting.filter(|(_, a)| !a.is_given_up).count() <= 1);
    // With other entries at each reading it does not go on.
    for round in 1..3 {
        bench.now += 2 * MINUTE;
        let all = rss(links(round * 3000));
        let asked = bench.run(|url| match url {
            BAD => Some(all.clone()),
            _ => None,
        });
        assert!(hosts(&asked) <= FOR_ONE_FEED);
        let articles = bench.state.articles.iter();
        assert!(articles.count() <= ENTRIES);
    }
    // A day later it does.
    bench.now += 2 * DAY;
    bench.state.forget(bench.now);
    let asked = bench.run(|url| match url {
        BAD => Some(all.clone()),
        _ => None,
    });
    assert_about(hosts(&asked));
}

#[test]
fn a_feed_brings_so_many_bytes() {
    let config = config(&[BAD]);
    let mut bench = Bench::new(&config);
    let feed = rss((0..20).map(|k| format!("http://evil.example/{k}")));
    let large = vec![b'x'; 8 << 20];
    let was_read = std::cell::Cell::new(false);
    let answer = |url: &str| match url {
        // Later it lists nothing.
        BAD if was_read.replace(true) => Some(rss(std::iter::empty())),
        BAD => Some(feed.clone()),
        _ if url.ends_with("/robots.txt") => None,
        _ => Some(large.clone()),
    };
    let asked = bench.run(answer);
    let articles = |asked: &[String]| asked.len() - asked.iter().filter(|url| *url == BAD).count();
    // One more than the limit, and the rules.
    assert_eq!(articles(&asked), 1 + 9);
    assert!(bench.poller.is_idle() && !bench.poller.is_due(&bench.state, bench.now));
    bench.now += 2 * MINUTE;
    assert_eq!(articles(&bench.run(answer)), 9);
    bench.now += 2 * MINUTE;
    assert_eq!(articles(&bench.run(answer)), 2);
}

#[test]
fn texts_of_articles_that_wait_have_so_many_bytes() {
    let config = config(&[BAD]);
    let mut bench = Bench::new(&config);
    let text = "x".repeat(TEASERS / 3 - 100);
    let items: String = (0..3)
        .map(|k| {
            format!(
                "<item><link>http://h.example/{k}</link><description>{text}</description></item>"
            )
        })
        .collect();
    let feed = format!("<rss version=\"2.0\"><channel>{items}</channel></rss>").into_bytes();
    bench.read_feeds(&[(BAD, feed.clone())]);
    assert_eq!(bench.state.articles.iter().count(), 3);
    let other = String::from_utf8(feed).unwrap();
    let other = other.replace("http://h.example/", "http://h.example/x/");
    bench.now += 2 * MINUTE;
    bench.read_feeds(&[(BAD, other.into_bytes())]);
    assert_eq!(bench.state.articles.iter().count(), 3);
    assert!(
        bench
            .poller
            .notes
            .iter()
            .any(|note| note.contains("3 new entries are left"))
    );
}

#[test]
fn only_rules_for_us_are_kept() {
    let text = b"# Much of this is for others.\nUser-agent: other\nDisallow: /o\n\nUser-agent: X\nDisallow: /a # why\nAllow: /a/b\n\
        Sitemap: http://a.example/map\nUser-agent: *\nDisallow: /\n";
    let rules = rules_for("x", text).unwrap();
    assert!(rules.len() < 50, "{rules}");
    let again = Robots::parse(rules.as_bytes(), "x");
    let first = Robots::parse(text, "x");
    for path in ["/", "/a", "/a/b/c", "/o"] {
        assert_eq!(again.is_allowed(path), first.is_allowed(path), "{path}");
    }
    assert!(again.is_allowed("/o") && again.is_allowed("/a/b/c") && !again.is_allowed("/a/c"));
    // Nothing for us.
    let rules = rules_for("x", b"User-agent: x\nDisallow:\nUser-agent: *\nDisallow: /").unwrap();
    assert!(Robots::parse(rules.as_bytes(), "x").is_allowed("/any"));
    let many = |agent: &str| {
        let rules = (0..9000).map(|n| format!("Disallow: /{n:08}\n"));
        format!("User-agent: {agent}\n{}", rules.collect::<String>())
    };
    assert!(rules_for("x", many("other").as_bytes()).is_some());
    assert!(rules_for("x", many("*").as_bytes()).is_none());
    assert!(!Robots::parse(CLOSED.as_bytes(), "x").is_allowed("/any"));
}
