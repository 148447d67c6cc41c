//! What is requested from whom, and when. A host gets one request at a time, with a pause between two requests, and none that its
//! robots.txt forbids. The same holds for every host that a redirect leads to.
//!
//! A feed is what somebody else wrote, so what it can ask of us is limited: entries, hosts, bytes, and requests under way. Feeds come before
//! articles.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use retold::{Page, Result};
use retold_index::Index;
use robotxt::{BYTE_LIMIT, Robots};
use url::Url;

use super::config::{Config, DAY, Feed, MINUTE, Millis, web_address};
use super::entries::{Entries, is_of_site};
use super::fetch::{Answer, Client, Got};
use super::pause::pause;
use super::state::{Article, State, Tries, Validators};
use super::tally::Tally;

/// Requests under way at one time.
const WORKERS: usize = 16;
/// Those that may be for articles, so that feeds do not wait for silent hosts.
const FOR_ARTICLES: usize = 12;
/// Those that may be for the articles of one feed.
const FOR_ONE_FEED: usize = 4;
/// New entries that are taken from one reading of a feed, and articles of a feed that wait.
const ENTRIES: usize = 1000;
/// Bytes of what a feed has of articles that wait.
const TEASERS: usize = 4 << 20;
/// Hosts that a feed may lead to within a day.
const HOSTS: usize = 1000;
/// Bytes of answers that a feed leads to between two readings of it.
const BYTES: u64 = 64 << 20;
/// Entries that could not be read of which the reason is said.
const REASONS: usize = 5;
/// Redirects in a row.
const HOPS: u8 = 5;
/// Who wants to be left alone for longer is not waited for.
const PATIENCE: Millis = MINUTE;
/// An article that failed so often is given up.
const TRIES: u32 = 5;
/// Bytes of rules for us that are kept of a robots.txt.
const RULES: usize = 64 << 10;
/// A host with more of them is left alone.
const CLOSED: &str = "User-agent: *\nDisallow: /\n";

/// What is requested.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// The rules of a host.
    Robots(String),
    /// A feed, by its URL.
    Feed(String),
    /// An article, by the id of its page.
    Article(String),
}

#[derive(Debug)]
pub struct Job {
    what: What,
    url: Url,
    hops: u8,
    /// The feed that leads to it.
    feed: String,
    /// Whether a feed is read for it, and not an article.
    is_for_feed: bool,
}

/// A job, and what is known about the thing that it requests.
type Request = (Job, Validators);

/// A page that came, and if it is an article, what the state had of it, and by which id.
pub type Brought = (Page, Option<(String, Article)>);

pub struct Poller<'c> {
    feeds: BTreeMap<String, &'c Feed>,
    robot: &'c str,
    delay: Millis,
    /// Jobs that wait, by host.
    waiting: BTreeMap<String, VecDeque<Job>>,
    /// Hosts that are being asked.
    busy: BTreeSet<String>,
    /// What waits or is under way.
    open: BTreeSet<What>,
    /// Requests for articles that are under way, by feed.
    under_way: BTreeMap<String, usize>,
    /// Bytes of answers that each feed led to since it was read.
    brought: BTreeMap<String, u64>,
    requests: Sender<Request>,
    answers: Receiver<(Job, Answer)>,
    pub tally: Tally,
    /// What people should know.
    pub notes: Vec<String>,
}

/// A host and its port.
fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or_default();
    format!("{host}:{port}")
}

/// Starts to answer requests. Who waits for an answer when the program ends is not waited for.
fn workers(config: &Config) -> (Sender<Request>, Receiver<(Job, Answer)>) {
    let (requests, todo) = channel::<Request>();
    let (done, answers) = channel();
    let shared = Arc::new((Client::new(config), config.feeds.clone()));
    let todo = Arc::new(Mutex::new(todo));
    for _ in 0..WORKERS {
        let (shared, todo, done) = (Arc::clone(&shared), Arc::clone(&todo), done.clone());
        std::thread::spawn(move || {
            loop {
                let next = todo.lock().ok().and_then(|todo| todo.recv().ok());
                let Some((job, known)) = next else {
                    return;
                };
                let (client, feeds) = &*shared;
                let mut answer = match job.what {
                    // The byte after the limit says that there are more.
                    What::Robots(_) => client.get_first(&job.url, BYTE_LIMIT as u64 + 1),
                    _ => client.get(&job.url, &known),
                };
                read_entries(feeds, &job, &mut answer);
                if done.send((job, answer)).is_err() {
                    return;
                }
            }
        });
    }
    (requests, answers)
}

/// Reads a feed that came. A long one takes a while, in which those who decide and ask go on.
fn read_entries(feeds: &[Feed], job: &Job, answer: &mut Answer) {
    let (What::Feed(url), Answer::Got(got)) = (&job.what, answer) else {
        return;
    };
    let feed = feeds.iter().find(|feed| feed.url.as_str() == url);
    got.entries = feed.and_then(|feed| Entries::read(feed, &job.url, &got.body));
}

impl<'c> Poller<'c> {
    pub fn new(config: &'c Config) -> Poller<'c> {
        let (requests, answers) = workers(config);
        Poller::with(config, requests, answers)
    }

    fn with(
        config: &'c Config,
        requests: Sender<Request>,
        answers: Receiver<(Job, Answer)>,
    ) -> Poller<'c> {
        let feeds = config.feeds.iter();
        Poller {
            feeds: feeds.map(|feed| (feed.url.to_string(), feed)).collect(),
            robot: config.robot(),
            delay: config.delay,
            waiting: BTreeMap::new(),
            busy: BTreeSet::new(),
            open: BTreeSet::new(),
            under_way: BTreeMap::new(),
            brought: BTreeMap::new(),
            requests,
            answers,
            tally: Tally::default(),
            notes: Vec::new(),
        }
    }

    /// Whether nothing waits or is under way.
    pub fn is_idle(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether something should be requested.
    pub fn is_due(&self, state: &State, now: Millis) -> bool {
        !self.due(state, now).is_empty()
    }

    fn due(&self, state: &State, now: Millis) -> Vec<Job> {
        let feeds = self.feeds.iter().filter(|(url, _)| {
            let next = state.feeds.get(url).map(|feed| feed.tries.next);
            next.is_none_or(|next| next <= now)
        });
        let feeds = feeds.filter_map(|(url, feed)| {
            let what = What::Feed(url.clone());
            (!self.open.contains(&what)).then(|| Job {
                what,
                url: feed.url.clone(),
                hops: 0,
                feed: url.clone(),
                is_for_feed: true,
            })
        });
        let articles = state.articles.iter().filter(|(_, article)| {
            !article.is_given_up && article.tries.next <= now && !self.is_full(&article.feed)
        });
        let articles = articles.filter_map(|(id, article)| {
            let what = What::Article(id.clone());
            let is_open = self.open.contains(&what);
            let url = (!is_open).then(|| web_address(&article.url))??;
            Some(Job {
                what,
                url,
                hops: 0,
                feed: article.feed.clone(),
                is_for_feed: false,
            })
        });
        feeds.chain(articles).collect()
    }

    /// Takes up what is due.
    pub fn plan(&mut self, state: &State, now: Millis) {
        for job in self.due(state, now) {
            if let What::Feed(url) = &job.what {
                self.brought.remove(url);
            }
            self.open.insert(job.what.clone());
            self.queue(job);
        }
    }

    /// Puts a job behind those of its host that are as urgent.
    fn queue(&mut self, job: Job) {
        let host = self.waiting.entry(host_of(&job.url)).or_default();
        let place = host.partition_point(|other| urgency(other) <= urgency(&job));
        host.insert(place, job);
    }

    /// Whether what a feed's articles brought since it was read is all that they may.
    fn is_full(&self, feed: &str) -> bool {
        self.brought.get(feed).is_some_and(|bytes| *bytes > BYTES)
    }

    /// Whether a feed waits for the next job of a host.
    fn is_for_feed(&self, host: &str) -> bool {
        let Some(jobs) = self.waiting.get(host) else {
            return false;
        };
        // What is behind rules waits for these.
        let is_rules = |job: &&Job| matches!(job.what, What::Robots(_));
        let rules = jobs.iter().take_while(is_rules).count();
        jobs.iter().take(rules + 1).any(|job| job.is_for_feed)
    }

    /// How many requests are under way for articles of the feed that leads to the next job of a host.
    fn under_way_with(&self, host: &str) -> usize {
        let next = self.waiting.get(host).and_then(VecDeque::front);
        let count = next.and_then(|job| self.under_way.get(&job.feed));
        count.copied().unwrap_or_default()
    }

    /// Whether there is a worker for the next job of a host.
    fn has_worker(&self, host: &str) -> bool {
        if self.busy.len() >= WORKERS || self.is_for_feed(host) {
            return self.busy.len() < WORKERS;
        }
        self.under_way.values().sum::<usize>() < FOR_ARTICLES
            && self.under_way_with(host) < FOR_ONE_FEED
    }

    /// Makes the requests to every host to which one is allowed now. Returns articles that could not be fetched, with the text that feeds have of them.
    pub fn ask(&mut self, state: &mut State, now: Millis) -> Vec<Brought> {
        let mut brought = Vec::new();
        let mut hosts: Vec<String> = self.waiting.keys().cloned().collect();
        // Then the feeds with the fewest requests under way.
        hosts.sort_by_cached_key(|host| (!self.is_for_feed(host), self.under_way_with(host)));
        for host in hosts {
            while !self.busy.contains(&host) && self.has_worker(&host) {
                let free = state.hosts.get(&host).map_or(0, |host| host.free);
                if free > now && free <= now + PATIENCE {
                    break;
                }
                let next = self.waiting.get_mut(&host).and_then(VecDeque::pop_front);
                let Some(job) = next else {
                    break;
                };
                if free > now {
                    self.postpone(state, &job.what, free);
                } else if !self.step(state, &host, job, now, &mut brought) {
                    break;
                }
            }
        }
        self.waiting.retain(|_, jobs| !jobs.is_empty());
        brought
    }

    /// Does the next step of a job if its host may get a request; false: the job waits for something else.
    fn step(
        &mut self,
        state: &mut State,
        host: &str,
        job: Job,
        now: Millis,
        brought: &mut Vec<Brought>,
    ) -> bool {
        let is_rules = matches!(job.what, What::Robots(_));
        if matches!(job.what, What::Article(_)) {
            if self.is_full(&job.feed) {
                // It is due again when the feed has been read.
                self.open.remove(&job.what);
                return true;
            }
            if state.hosts.get(host).is_none() && hosts_of(state, &job.feed) >= HOSTS {
                self.postpone(state, &job.what, now + self.every(&job.feed));
                return true;
            }
        }
        let known = state.hosts.get(host);
        let rules = state.rules.get(host);
        let is_known = known.is_some_and(|host| {
            host.tries.next > now && (rules.is_some() || host.tries.failures > 0)
        });
        if !is_rules && !is_known {
            return self.ask_rules(host, job);
        }
        if is_rules || rules.is_some_and(|rules| self.allows(rules, &job.url)) {
            let validators = match &job.what {
                What::Feed(url) => state.feeds.get(url).map(|feed| feed.known.clone()),
                _ => None,
            };
            self.busy.insert(host.to_owned());
            if !job.is_for_feed {
                *self.under_way.entry(job.feed.clone()).or_default() += 1;
            }
            // Workers end only with this.
            let _ = self.requests.send((job, validators.unwrap_or_default()));
            return true;
        }
        let failure = match (rules, known) {
            (None, Some(host)) => Failure::no_rules(&host.why),
            _ => Failure::forbidden(),
        };
        brought.extend(self.fail(state, &job.what, failure, now));
        true
    }

    /// Puts the request for a host's rules before a job; false: they were requested already.
    fn ask_rules(&mut self, host: &str, job: Job) -> bool {
        let mut url = job.url.clone();
        url.set_path("/robots.txt");
        url.set_query(None);
        let what = What::Robots(host.to_owned());
        let is_new = self.open.insert(what.clone());
        let jobs = self.waiting.entry(host.to_owned()).or_default();
        let rules = is_new.then(|| Job {
            what,
            url,
            hops: 0,
            feed: job.feed.clone(),
            is_for_feed: job.is_for_feed,
        });
        jobs.push_front(job);
        if let Some(rules) = rules {
            jobs.push_front(rules);
        }
        is_new
    }

    fn allows(&self, rules: &str, url: &Url) -> bool {
        Robots::parse(rules.as_bytes(), self.robot).is_url_allowed(url)
    }

    /// Its host wants to be left alone.
    fn postpone(&mut self, state: &mut State, what: &What, until: Millis) {
        self.open.remove(what);
        match what {
            What::Feed(url) => state.feeds.entry(url).tries.next = until,
            What::Article(id) => {
                if let Some(mut article) = state.articles.remove(id) {
                    article.tries.next = until;
                    state.articles.insert(id.clone(), article);
                }
            }
            What::Robots(host) => state.hosts.entry(host).tries.next = until,
        }
    }

    /// Waits for answers, at most so long.
    pub fn wait(&self, most: Duration) -> Vec<(Job, Answer)> {
        let first = self.answers.recv_timeout(most).ok();
        first.into_iter().chain(self.answers.try_iter()).collect()
    }

    /// Notes what an answer says, and returns the pages that it brought.
    pub fn take(
        &mut self,
        state: &mut State,
        index: &Index,
        job: Job,
        answer: Answer,
        now: Millis,
    ) -> Result<Vec<Brought>> {
        let own = host_of(&job.url);
        self.busy.remove(&own);
        if !job.is_for_feed {
            self.count(state, &job, &answer, &own);
        }
        let host = state.hosts.entry(&own);
        if host.feed.is_empty() {
            host.feed.clone_from(&job.feed);
        }
        // `now` is in whole milliseconds, rounded down: without one more, a pause could be a fraction of one too short.
        host.free = now + self.delay + 1;
        if let Answer::Refused { wait, .. } = answer {
            host.free = host.free.max(now + wait.unwrap_or_default());
        }
        let failure = match answer {
            Answer::Got(got) => return self.got(state, index, job, got, now),
            Answer::Unchanged => {
                self.tally.same_feeds += 1;
                self.settle(state, &job.what, now);
                return Ok(Vec::new());
            }
            Answer::Moved(location) => match self.follow(&job, &location) {
                Ok(()) => return Ok(Vec::new()),
                Err(failure) => failure,
            },
            Answer::Refused { status, wait } => Failure::status(status, wait),
            Answer::Failed(reason) => Failure::passing(reason),
        };
        Ok(self
            .fail(state, &job.what, failure, now)
            .into_iter()
            .collect())
    }

    /// Counts what an answer for an article means for what its feed may still lead to.
    fn count(&mut self, state: &State, job: &Job, answer: &Answer, host: &str) {
        let feed = &job.feed;
        if let Some(count) = self.under_way.get_mut(feed) {
            *count -= 1;
        }
        self.under_way.retain(|_, count| *count > 0);
        if state.hosts.get(host).is_none() && hosts_of(state, feed) + 1 == HOSTS {
            self.notes.push(format!(
                "{feed}: its articles are on more than {HOSTS} hosts; the others wait for a day"
            ));
        }
        let Answer::Got(got) = answer else {
            return;
        };
        let was_full = self.is_full(feed);
        *self.brought.entry(feed.clone()).or_default() += got.body.len() as u64;
        if self.is_full(feed) && !was_full {
            let most = BYTES >> 20;
            self.notes.push(format!(
                "{feed}: its articles have more than {most} MiB; the others are fetched when it has been read again"
            ));
        }
    }

    fn follow(&mut self, job: &Job, location: &str) -> std::result::Result<(), Failure> {
        let url = job.url.join(location).ok();
        let url = url.and_then(|url| web_address(url.as_str()));
        let Some(url) = url else {
            return Err(Failure::lasting(format!(
                "it moved to {location}, which cannot be fetched"
            )));
        };
        if job.hops == HOPS {
            return Err(Failure::lasting(format!("more than {HOPS} redirects")));
        }
        self.queue(Job {
            what: job.what.clone(),
            url,
            hops: job.hops + 1,
            feed: job.feed.clone(),
            is_for_feed: job.is_for_feed,
        });
        Ok(())
    }

    fn got(
        &mut self,
        state: &mut State,
        index: &Index,
        job: Job,
        got: Got,
        now: Millis,
    ) -> Result<Vec<Brought>> {
        match &job.what {
            What::Robots(host) => {
                let rules = rules_for(self.robot, &got.body).unwrap_or_else(|| {
                    let most = RULES >> 10;
                    self.notes.push(format!(
                        "{host}: its robots.txt has more than {most} KiB of rules for us, so nothing is requested from it"
                    ));
                    CLOSED.to_owned()
                });
                self.learn(state, host, rules, now);
            }
            What::Article(id) => {
                self.open.remove(&job.what);
                let Some(article) = state.articles.remove(id) else {
                    return Ok(Vec::new());
                };
                // Its own feed, or another one, may have brought it in between.
                if !article.is_own(id) && index.get(&article.url)?.is_some() {
                    return Ok(Vec::new());
                }
                return Ok(match article.page(id, &job.url, got.article()) {
                    Ok(page) => {
                        self.tally.articles += 1;
                        vec![(page, Some((id.clone(), article)))]
                    }
                    Err(reason) => self
                        .give_up(state, id, article, &reason)
                        .into_iter()
                        .collect(),
                });
            }
            What::Feed(url) => return self.got_feed(state, index, url, got, now),
        }
        Ok(Vec::new())
    }

    fn got_feed(
        &mut self,
        state: &mut State,
        index: &Index,
        feed: &str,
        got: Got,
        now: Millis,
    ) -> Result<Vec<Brought>> {
        let what = What::Feed(feed.to_owned());
        let Some(entries) = got.entries else {
            let failure = Failure::passing("the answer is not a feed".to_owned());
            return Ok(self.fail(state, &what, failure, now).into_iter().collect());
        };
        self.tally.feeds += 1;
        self.tally.rejected += entries.rejected.len() as u64;
        self.say_rejected(feed, &entries.rejected);
        let listed: BTreeSet<&str> = entries.articles.iter().map(|(id, _)| &**id).collect();
        state.articles.retain(|id, article| {
            article.feed != feed || !article.is_given_up || listed.contains(id)
        });
        let mut room = Room::of(state, feed);
        let (mut pages, mut left) = (Vec::new(), 0);
        for page in entries.pages {
            match index.get(&page.id)?.is_some() || room.takes(0) {
                true => pages.push((page, None)),
                false => left += 1,
            }
        }
        for (id, article) in entries.articles {
            if state.articles.get(&id).is_some() {
                continue;
            }
            // What does not get in anyway is not looked up.
            if room.entries > 0 && (index.get(&id)?.is_some() || index.get(&article.url)?.is_some())
            {
                continue;
            }
            match room.takes(article.bytes()) {
                true => state.articles.insert(id, article),
                false => left += 1,
            }
        }
        self.settle(state, &what, now);
        // Who is told next time that nothing has changed would not see what is left.
        state.feeds.entry(feed).known = match left {
            0 => got.validators,
            _ => Validators::default(),
        };
        if left > 0 {
            self.notes.push(format!(
                "{feed}: {left} new entries are left for the next readings; one takes at most {ENTRIES}"
            ));
        }
        Ok(pages)
    }

    fn say_rejected(&mut self, feed: &str, rejected: &[String]) {
        let said = rejected.iter().take(REASONS);
        self.notes
            .extend(said.map(|reason| format!("{feed}: {reason}")));
        if rejected.len() > REASONS {
            let more = rejected.len() - REASONS;
            self.notes
                .push(format!("{feed}: {more} more entries could not be read"));
        }
    }

    /// A feed was read, or is what it was.
    fn settle(&mut self, state: &mut State, what: &What, now: Millis) {
        self.open.remove(what);
        if let What::Feed(url) = what {
            let next = now + pause(self.every(url), 0, url);
            state.feeds.entry(url).tries = Tries { failures: 0, next };
        }
    }

    fn learn(&mut self, state: &mut State, host: &str, text: String, now: Millis) {
        self.open.remove(&What::Robots(host.to_owned()));
        state.rules.insert(host.to_owned(), text);
        state.hosts.entry(host).tries = Tries {
            failures: 0,
            next: now + DAY,
        };
    }

    fn every(&self, feed: &str) -> Millis {
        self.feeds.get(feed).map_or(MINUTE, |feed| feed.every)
    }

    /// Something could not be fetched: it is requested again later, or given up.
    fn fail(
        &mut self,
        state: &mut State,
        what: &What,
        failure: Failure,
        now: Millis,
    ) -> Option<Brought> {
        self.open.remove(what);
        let wait = failure.wait.unwrap_or_default();
        let later = |tries: &mut Tries, usual: Millis, name: &str| {
            tries.failures = tries.failures.saturating_add(1);
            tries.next = now + pause(usual, tries.failures, name).max(wait);
        };
        match what {
            What::Robots(host) if failure.is_lasting => {
                // There are no rules (RFC 9309, 2.3.1.3).
                self.learn(state, host, String::new(), now);
            }
            What::Robots(host) => {
                let known = state.hosts.entry(host);
                later(&mut known.tries, MINUTE, host);
                known.why = failure.reason;
            }
            What::Feed(url) => {
                let every = self.every(url);
                later(&mut state.feeds.entry(url).tries, every, url);
                self.tally.failed_feeds += 1;
                self.notes.push(format!("{url}: {}", failure.reason));
            }
            What::Article(id) => {
                let mut article = state.articles.remove(id)?;
                if failure.is_lasting || article.tries.failures + 1 >= TRIES {
                    return self.give_up(state, id, article, &failure.reason);
                }
                later(&mut article.tries, self.every(&article.feed), id);
                state.articles.insert(id.clone(), article);
            }
        }
        None
    }

    /// An article that cannot be fetched: the text in the feed is used instead.
    pub fn give_up(
        &mut self,
        state: &mut State,
        id: &str,
        mut article: Article,
        reason: &str,
    ) -> Option<Brought> {
        self.tally.given_up += 1;
        let teaser = article.teaser(id);
        self.notes.push(match teaser {
            Some(_) => format!(
                "{}: {reason}; the text from the feed is added instead",
                article.url
            ),
            None => format!(
                "{}: {reason}; the feed has no text of it, so it is left out",
                article.url
            ),
        });
        if teaser.is_none() {
            article.is_given_up = true;
            state.articles.insert(id.to_owned(), article);
        }
        teaser.map(|page| (page, None))
    }
}

/// How soon a job of a host has its turn.
fn urgency(job: &Job) -> u8 {
    match job.what {
        // All else of its host waits for it.
        What::Robots(_) => 0,
        What::Feed(_) => 1,
        What::Article(_) if is_of_site(&job.url, &job.feed) => 2,
        What::Article(_) => 3,
    }
}

/// How many hosts a feed has led to.
fn hosts_of(state: &State, feed: &str) -> usize {
    let hosts = state.hosts.iter();
    hosts.filter(|(_, host)| host.feed == feed).count()
}

/// The rules for a robot, as a robots.txt that has no others; `None`: there are too many.
fn rules_for(robot: &str, text: &[u8]) -> Option<String> {
    let robots = Robots::parse(text, robot);
    let mut rules = "User-agent: *\n".to_owned();
    for rule in robots.rules() {
        let name = if rule.is_allow() { "Allow" } else { "Disallow" };
        rules += &format!("{name}: {}\n", rule.pattern());
        if rules.len() > RULES {
            return None;
        }
    }
    Some(rules)
}

/// What may still wait of a feed.
struct Room {
    entries: usize,
    bytes: usize,
}

impl Room {
    fn of(state: &State, feed: &str) -> Room {
        let articles = state.articles.iter().map(|(_, article)| article);
        let waiting = articles.filter(|article| article.feed == feed && !article.is_given_up);
        let full = Room {
            entries: ENTRIES,
            bytes: TEASERS,
        };
        waiting.fold(full, |room, article| Room {
            entries: room.entries.saturating_sub(1),
            bytes: room.bytes.saturating_sub(article.bytes()),
        })
    }

    /// Takes an entry in, if there is room.
    fn takes(&mut self, bytes: usize) -> bool {
        let has_room = self.entries > 0 && bytes <= self.bytes;
        if has_room {
            self.entries -= 1;
            self.bytes -= bytes;
        }
        has_room
    }
}

/// Why something could not be had.
struct Failure {
    reason: String,
    /// How long the server wants to be left alone.
    wait: Option<Millis>,
    /// It will not be otherwise soon.
    is_lasting: bool,
}

impl Failure {
    fn passing(reason: String) -> Failure {
        Failure {
            reason,
            wait: None,
            is_lasting: false,
        }
    }

    fn lasting(reason: String) -> Failure {
        Failure {
            reason,
            wait: None,
            is_lasting: true,
        }
    }

    fn forbidden() -> Failure {
        Failure::lasting("robots.txt forbids it".to_owned())
    }

    fn no_rules(why: &str) -> Failure {
        Failure::passing(format!(
            "robots.txt cannot be fetched, so nothing else is requested: {why}"
        ))
    }

    fn status(status: u16, wait: Option<Millis>) -> Failure {
        let is_lasting = (400..500).contains(&status) && ![408, 425, 429].contains(&status);
        Failure {
            reason: format!("status {status}"),
            wait,
            is_lasting,
        }
    }
}

#[cfg(test)]
mod tests;
