//! What is requested from whom, and when. A host gets one request at a time, with a pause between two requests, and none that its
//! robots.txt forbids. The same holds for every host that a redirect leads to.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use retold::{Page, Result};
use retold_index::Index;
use robotxt::Robots;
use url::Url;

use super::config::{Config, DAY, Feed, MINUTE, Millis, web_address};
use super::entries::Entries;
use super::fetch::{Answer, Client, Got};
use super::pause::pause;
use super::state::{Article, State, Tries, Validators};
use super::tally::Tally;

/// Requests under way at one time.
const WORKERS: usize = 16;
/// Redirects in a row.
const HOPS: u8 = 5;
/// Who wants to be left alone for longer is not waited for.
const PATIENCE: Millis = MINUTE;
/// An article that failed so often is given up.
const TRIES: u32 = 5;
/// Bytes of a robots.txt that count (RFC 9309 wants 500 KiB at least).
const RULES: usize = 512 << 10;

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
}

/// A job, and what is known about the thing that it requests.
type Request = (Job, Validators);

/// A page that came, and if it is an article, what is known of it.
pub type Brought = (Page, Option<Article>);

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
    /// Rules that were parsed.
    rules: BTreeMap<String, Robots>,
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
fn workers(client: Client) -> (Sender<Request>, Receiver<(Job, Answer)>) {
    let (requests, todo) = channel::<Request>();
    let (done, answers) = channel();
    let (client, todo) = (Arc::new(client), Arc::new(Mutex::new(todo)));
    for _ in 0..WORKERS {
        let (client, todo, done) = (Arc::clone(&client), Arc::clone(&todo), done.clone());
        std::thread::spawn(move || {
            loop {
                let next = todo.lock().ok().and_then(|todo| todo.recv().ok());
                let Some((job, known)) = next else {
                    return;
                };
                let answer = client.get(&job.url, &known);
                if done.send((job, answer)).is_err() {
                    return;
                }
            }
        });
    }
    (requests, answers)
}

impl<'c> Poller<'c> {
    pub fn new(config: &'c Config) -> Poller<'c> {
        let (requests, answers) = workers(Client::new(config));
        let feeds = config.feeds.iter();
        Poller {
            feeds: feeds.map(|feed| (feed.url.to_string(), feed)).collect(),
            robot: config.robot(),
            delay: config.delay,
            waiting: BTreeMap::new(),
            busy: BTreeSet::new(),
            open: BTreeSet::new(),
            rules: BTreeMap::new(),
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

    fn due(&self, state: &State, now: Millis) -> Vec<(What, Url)> {
        let feeds = self.feeds.iter().filter(|(url, _)| {
            let next = state.feeds.get(*url).map(|feed| feed.tries.next);
            next.is_none_or(|next| next <= now)
        });
        let feeds = feeds.map(|(url, feed)| (What::Feed(url.clone()), Some(feed.url.clone())));
        let articles = state
            .articles
            .iter()
            .filter(|(_, article)| !article.is_given_up && article.tries.next <= now);
        let articles = articles
            .map(|(id, article)| (What::Article(id.clone()), &article.url))
            .filter(|(what, _)| !self.open.contains(what))
            .map(|(what, url)| (what, web_address(url)));
        let due = feeds.chain(articles);
        due.filter_map(|(what, url)| Some((what, url?))).collect()
    }

    /// Takes up what is due.
    pub fn plan(&mut self, state: &State, now: Millis) {
        for (what, url) in self.due(state, now) {
            if self.open.insert(what.clone()) {
                self.queue(Job { what, url, hops: 0 });
            }
        }
    }

    fn queue(&mut self, job: Job) {
        let host = self.waiting.entry(host_of(&job.url)).or_default();
        match job.what {
            // All else of its host waits for it.
            What::Robots(_) => host.push_front(job),
            _ => host.push_back(job),
        }
    }

    /// Makes the requests to every host to which one is allowed now. Returns articles that could not be fetched, with the text that feeds have of them.
    pub fn ask(&mut self, state: &mut State, now: Millis) -> Vec<Brought> {
        let mut brought = Vec::new();
        let hosts: Vec<String> = self.waiting.keys().cloned().collect();
        for host in hosts {
            while !self.busy.contains(&host) {
                let free = state.hosts.entry(host.clone()).or_default().free;
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
        let known = state.hosts.get(host);
        let is_known = known.is_some_and(|host| host.tries.next > now);
        let is_rules = matches!(job.what, What::Robots(_));
        if !is_rules && !is_known {
            return self.ask_rules(host, job);
        }
        let robots = known.and_then(|host| host.robots.as_deref());
        if is_rules || robots.is_some_and(|text| self.allows(host, text, &job.url)) {
            let validators = match &job.what {
                What::Feed(url) => state.feeds.get(url).map(|feed| feed.known.clone()),
                _ => None,
            };
            self.busy.insert(host.to_owned());
            // Workers end only with this.
            let _ = self.requests.send((job, validators.unwrap_or_default()));
            return true;
        }
        let failure = match (robots, known) {
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
        jobs.push_front(job);
        if is_new {
            jobs.push_front(Job { what, url, hops: 0 });
        }
        is_new
    }

    fn allows(&mut self, host: &str, text: &str, url: &Url) -> bool {
        let robot = self.robot;
        let rules = self.rules.entry(host.to_owned());
        rules
            .or_insert_with(|| Robots::parse(text.as_bytes(), robot))
            .is_url_allowed(url)
    }

    /// Its host wants to be left alone.
    fn postpone(&mut self, state: &mut State, what: &What, until: Millis) {
        self.open.remove(what);
        match what {
            What::Feed(url) => state.feeds.entry(url.clone()).or_default().tries.next = until,
            What::Article(id) => {
                if let Some(article) = state.articles.get_mut(id) {
                    article.tries.next = until;
                }
            }
            What::Robots(host) => {
                state.hosts.entry(host.clone()).or_default().tries.next = until;
            }
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
        let host = state.hosts.entry(own).or_default();
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
                let text = &got.body[..got.body.len().min(RULES)];
                self.learn(state, host, String::from_utf8_lossy(text).into_owned(), now);
            }
            What::Article(id) => {
                self.open.remove(&job.what);
                let Some(article) = state.articles.remove(id) else {
                    return Ok(Vec::new());
                };
                return Ok(match article.page(id, &job.url, got) {
                    Ok(page) => {
                        self.tally.articles += 1;
                        vec![(page, Some(article))]
                    }
                    Err(reason) => self
                        .give_up(state, id, article, &reason)
                        .into_iter()
                        .collect(),
                });
            }
            What::Feed(url) => return self.got_feed(state, index, url, &job.url, got, now),
        }
        Ok(Vec::new())
    }

    fn got_feed(
        &mut self,
        state: &mut State,
        index: &Index,
        feed: &str,
        url: &Url,
        got: Got,
        now: Millis,
    ) -> Result<Vec<Brought>> {
        let what = What::Feed(feed.to_owned());
        let wanted = self
            .feeds
            .get(feed)
            .map(|feed| feed.articles)
            .unwrap_or_default();
        let Some(entries) = Entries::read(feed, url, &got.body, wanted) else {
            let failure = Failure::passing("the answer is not a feed".to_owned());
            return Ok(self.fail(state, &what, failure, now).into_iter().collect());
        };
        self.tally.feeds += 1;
        self.tally.rejected += entries.rejected.len() as u64;
        self.notes.extend(
            entries
                .rejected
                .iter()
                .map(|reason| format!("{feed}: {reason}")),
        );
        let listed: BTreeSet<&String> = entries.articles.iter().map(|(id, _)| id).collect();
        state.articles.retain(|id, article| {
            article.feed != feed || !article.is_given_up || listed.contains(id)
        });
        for (id, article) in entries.articles {
            if !state.articles.contains_key(&id) && index.get(&id)?.is_none() {
                state.articles.insert(id, article);
            }
        }
        self.settle(state, &what, now);
        state.feeds.entry(feed.to_owned()).or_default().known = got.validators;
        Ok(entries.pages.into_iter().map(|page| (page, None)).collect())
    }

    /// A feed was read, or is what it was.
    fn settle(&mut self, state: &mut State, what: &What, now: Millis) {
        self.open.remove(what);
        if let What::Feed(url) = what {
            let next = now + pause(self.every(url), 0, url);
            state.feeds.entry(url.clone()).or_default().tries = Tries { failures: 0, next };
        }
    }

    fn learn(&mut self, state: &mut State, host: &str, text: String, now: Millis) {
        self.open.remove(&What::Robots(host.to_owned()));
        self.rules.remove(host);
        let known = state.hosts.entry(host.to_owned()).or_default();
        known.robots = Some(text);
        known.tries = Tries {
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
                let known = state.hosts.entry(host.clone()).or_default();
                later(&mut known.tries, MINUTE, host);
                known.why = failure.reason;
            }
            What::Feed(url) => {
                let every = self.every(url);
                later(
                    &mut state.feeds.entry(url.clone()).or_default().tries,
                    every,
                    url,
                );
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
