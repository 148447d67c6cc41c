//! `retold watch` with servers on this machine that fail on purpose.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::{Duration, Instant};

use ring::hmac;
use serde_json::{Value, json};

use crate::common::{World, story};

const SECRET: &str = "0123456789abcdef0123";
/// Hosts of the small internet, and feeds in all.
const HOSTS: usize = 40;
const FEEDS: usize = 200;
/// The host whose robots.txt forbids everything, and the one that forbids articles.
const CLOSED: usize = 39;
const NO_ARTICLES: usize = 30;
/// The least time between two requests to a host, in milliseconds.
const DELAY: u64 = 20;

/// A request as a host saw it.
#[derive(Clone, Debug)]
struct Seen {
    host: usize,
    path: String,
    begin: Instant,
}

/// What a request is, to who answers it.
struct Asked<'a> {
    host: usize,
    path: &'a str,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
    /// How often this path was asked for before.
    visits: usize,
    client: &'a TcpStream,
}

impl Asked<'_> {
    /// Lets whoever asks wait until they lose patience.
    fn dawdle(&self) {
        let limit = Some(Duration::from_secs(5));
        self.client.set_read_timeout(limit).unwrap();
        // Nothing comes: the end of waiting is the end of the connection.
        let _ = (&*self.client).read(&mut [0]);
    }
}

type Answers = dyn Fn(&Asked<'_>) -> Vec<u8> + Send + Sync;

/// Hosts, each a port of this machine.
struct Net {
    ports: Vec<u16>,
    seen: Mutex<Vec<Seen>>,
    /// The most requests that a host had at one time.
    most: Vec<AtomicUsize>,
}

impl Net {
    /// `answers` is made when the ports are known.
    fn start(hosts: usize, answers: impl FnOnce(Vec<u16>) -> Box<Answers>) -> Arc<Net> {
        let listeners: Vec<TcpListener> = (0..hosts)
            .map(|_| TcpListener::bind("127.0.0.1:0").unwrap())
            .collect();
        let ports = listeners.iter().map(|l| l.local_addr().unwrap().port());
        let ports: Vec<u16> = ports.collect();
        let net = Arc::new(Net {
            ports: ports.clone(),
            seen: Mutex::default(),
            most: (0..hosts).map(|_| AtomicUsize::new(0)).collect(),
        });
        let answers: Arc<Answers> = answers(ports).into();
        for (host, listener) in listeners.into_iter().enumerate() {
            let (net, answers) = (Arc::clone(&net), Arc::clone(&answers));
            std::thread::spawn(move || net.serve(host, &listener, &answers));
        }
        net
    }

    fn serve(self: Arc<Net>, host: usize, listener: &TcpListener, answers: &Arc<Answers>) {
        let (visits, now) = (
            Arc::<Mutex<BTreeMap<String, usize>>>::default(),
            Arc::new(AtomicUsize::new(0)),
        );
        for client in listener.incoming().map_while(Result::ok) {
            let (net, answers) = (Arc::clone(&self), Arc::clone(answers));
            let (visits, now) = (Arc::clone(&visits), Arc::clone(&now));
            std::thread::spawn(move || {
                let begin = Instant::now();
                net.most[host].fetch_max(1 + now.fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
                let path = answer(host, client, &visits, &answers);
                now.fetch_sub(1, Ordering::SeqCst);
                net.seen
                    .lock()
                    .unwrap()
                    .extend(path.map(|path| Seen { host, path, begin }));
            });
        }
    }

    fn url(&self, host: usize, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.ports[host])
    }

    /// Requests of a host in order.
    fn of(&self, host: usize) -> Vec<Seen> {
        let seen = self.seen.lock().unwrap().clone();
        let mut seen: Vec<Seen> = seen.into_iter().filter(|seen| seen.host == host).collect();
        seen.sort_by_key(|seen| seen.begin);
        seen
    }
}

/// Answers a request, and says what was asked for.
fn answer(
    host: usize,
    mut client: TcpStream,
    visits: &Mutex<BTreeMap<String, usize>>,
    answers: &Arc<Answers>,
) -> Option<String> {
    let mut lines = BufReader::new(client.try_clone().ok()?);
    let mut line = String::new();
    lines.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = BTreeMap::new();
    loop {
        line.clear();
        lines.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers
        .get("content-length")
        .map_or(0, |n| n.parse().unwrap());
    let mut body = vec![0; length];
    lines.read_exact(&mut body).ok()?;
    let before = {
        let mut visits = visits.lock().unwrap();
        let count = visits.entry(path.clone()).or_default();
        *count += 1;
        *count - 1
    };
    let asked = Asked {
        host,
        path: &path,
        headers,
        body,
        visits: before,
        client: &client,
    };
    let answer = answers(&asked);
    // Who asked may have gone.
    let _ = client.write_all(&answer);
    Some(path)
}

fn response(status: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    )
    .into_bytes()
}

fn ok(kind: &str, body: &str) -> Vec<u8> {
    response("200 OK", &format!("Content-Type: {kind}\r\n"), body)
}

/// The feed's number is its article's; every tenth reprints one of ours.
fn text_of(feed: usize) -> String {
    match feed % 10 {
        4 => format!("{} Copyright of feed {feed}.", story(1000 + feed / 10)),
        _ => story(feed),
    }
}

fn is_reprint(feed: usize) -> bool {
    feed % 10 == 4
}

/// Whether a feed has only a teaser of its article.
fn has_teaser(feed: usize) -> bool {
    feed % 20 == 10 || feed % 20 == 14
}

fn rss(feed: usize, link: &str) -> String {
    let text = text_of(feed);
    let shown = match has_teaser(feed) {
        true => &text[..90],
        false => &text,
    };
    format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>Feed {feed}</title><item><title>Article {feed} &amp; more</title>\
         <link>{link}</link><guid>{feed}</guid><description>{shown}</description><pubDate>Sun, 01 Nov 2026 08:00:00 GMT</pubDate></item>\
         </channel></rss>"
    )
}

/// What the hosts say: feed N is on host N % HOSTS, and its faults go by N % 20.
fn internet(ports: Vec<u16>) -> Box<Answers> {
    Box::new(move |asked| {
        let first = asked.visits == 0;
        let (kind, number) = asked
            .path
            .trim_start_matches('/')
            .split_once('/')
            .unwrap_or((asked.path, ""));
        let feed: usize = number.parse().unwrap_or_default();
        let url = |host: usize, path: &str| format!("http://127.0.0.1:{}{path}", ports[host]);
        let link = url(feed % HOSTS, &format!("/article/{feed}"));
        match kind {
            "/robots.txt" => match asked.host {
                CLOSED => ok("text/plain", "User-agent: *\nDisallow: /\n"),
                NO_ARTICLES => ok(
                    "text/plain",
                    "User-agent: small-watch\nDisallow: /article\n\nUser-agent: *\nDisallow:\n",
                ),
                host if host % 2 == 0 => ok("text/plain", "User-agent: *\nDisallow: /private\n"),
                _ => response("404 Not Found", "", ""),
            },
            "article" if feed % 40 == 14 && first => response("503 Busy", "", ""),
            // It is gone: the teaser stands for it.
            "article" if feed == 50 => response("404 Not Found", "", "gone"),
            "article" => {
                let text = text_of(feed);
                ok(
                    "text/html; charset=utf-8",
                    &format!(
                        "<html><head><title>x</title></head><body><article><p>{text}</p></article></body></html>"
                    ),
                )
            }
            "moved" => ok("text/xml", &rss(feed, &link)),
            "feed" => feed_answer(asked, feed, &link, first, &url),
            _ => response("404 Not Found", "", ""),
        }
    })
}

fn feed_answer(
    asked: &Asked<'_>,
    feed: usize,
    link: &str,
    first: bool,
    url: &dyn Fn(usize, &str) -> String,
) -> Vec<u8> {
    let rss = rss(feed, link);
    match feed % 20 {
        0 if first => response("503 Service Unavailable", "", ""),
        1 if first => response("200 OK", "", &rss).into_iter().take(300).collect(),
        2 => {
            if first && feed < 40 {
                asked.dawdle();
            }
            ok("text/xml", &rss)
        }
        // The length that is named ends within the entry.
        3 if first => {
            format!("HTTP/1.1 200 OK\r\nContent-Length: 250\r\nETag: \"{feed}\"\r\n\r\n{rss}")
                .into_bytes()
        }
        5 if first => response("304 Not Modified", "ETag: not\"a tag\r\n", ""),
        5 => response("200 OK", "ETag: \"\u{e9}\"x\r\n", &rss),
        6 => {
            let to = url((feed + 1) % HOSTS % CLOSED, &format!("/moved/{feed}"));
            response("302 Found", &format!("Location: {to}\r\n"), "")
        }
        7 => response("301 Moved", "Location: file:///etc/passwd\r\n", ""),
        8 => match asked.headers.get("if-none-match").map(String::as_str) {
            Some("\"same\"") => response("304 Not Modified", "", ""),
            _ => response("200 OK", "ETag: \"same\"\r\n", &rss),
        },
        9 if first => response("429 Too Many Requests", "Retry-After: 1\r\n", ""),
        11 if first => ok(
            "text/html",
            "<html><body><form>Sign in</form></body></html>",
        ),
        12 => {
            let item = json!({"id": feed.to_string(), "url": link, "title": "J", "content_html": text_of(feed)});
            let json = json!({"version": "https://jsonfeed.org/version/1.1", "title": "J", "items": [item]});
            ok("application/feed+json", &json.to_string())
        }
        13 => ok(
            "application/atom+xml",
            &format!(
                "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>A</title><entry><id>urn:{feed}</id><title>A</title><link href=\"/article/{feed}\"/>\
                 <updated>2026-11-01T08:00:00Z</updated><content type=\"text\">{}</content></entry></feed>",
                text_of(feed)
            ),
        ),
        15 if first => ok(
            "text/xml",
            "<?xml version=\"1.0\"?><rss><channel><item><title>a</b>",
        ),
        _ => ok("text/xml", &rss),
    }
}

/// Notices that a webhook took, and which it was offered first and refused.
#[derive(Default)]
struct Hook {
    taken: Mutex<Vec<Value>>,
    offers: AtomicUsize,
}

impl Hook {
    fn start() -> (Arc<Hook>, Arc<Net>) {
        let hook = Arc::<Hook>::default();
        let own = Arc::clone(&hook);
        let net = Net::start(1, move |_| {
            Box::new(move |asked| {
                if own.offers.fetch_add(1, Ordering::SeqCst) < 2 {
                    return response("500 Down", "", "");
                }
                check_signature(asked);
                let notice = serde_json::from_slice(&asked.body).unwrap();
                own.taken.lock().unwrap().push(notice);
                response("204 No Content", "", "")
            })
        });
        (hook, net)
    }
}

fn check_signature(asked: &Asked<'_>) {
    let header = &asked.headers["retold-signature"];
    let (time, hex) = header
        .strip_prefix("t=")
        .unwrap()
        .split_once(",v1=")
        .unwrap();
    let key = hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes());
    let signed = [time.as_bytes(), b".", &asked.body].concat();
    let tag: Vec<u8> = (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect();
    hmac::verify(&key, &signed, &tag).unwrap();
}

/// Ids of the index as they were added; one that was replaced comes once.
fn ids(world: &World) -> Vec<String> {
    let all = world
        .run(&["index", "changes", "news", "--matches", "0"])
        .code(0)
        .stdout();
    let lines = all
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut ids: Vec<String> = lines
        .filter_map(|line| Some(line["id"].as_str()?.to_owned()))
        .collect();
    ids.sort();
    ids
}

/// An index with ten articles of ours, from 1,000 on.
fn with_index() -> World {
    let world = World::new();
    let ours = (1000..1020).map(|n| {
        json!({"id": format!("ours-{n}"), "url": format!("http://ours.example/{n}"), "date": "2026-10-01", "text": story(n), "title": format!("Ours {n}")}).to_string() + "\n"
    });
    world.file("ours.jsonl", ours.collect::<String>());
    world.run(&["index", "create", "news"]).code(0);
    world
        .run(&["index", "add", "news", "ours.jsonl", "-q"])
        .code(0);
    world
}

fn config(net: &Net) -> String {
    let mut config = format!(
        "index = \"news\"\nuser-agent = \"small-watch/1.0 (+http://ours.example)\"\nallow-private = true\ndelay = \"{DELAY}ms\"\ntimeout = \"700ms\"\n"
    );
    for feed in 0..FEEDS {
        let url = net.url(feed % HOSTS, &format!("/feed/{feed}"));
        config += &format!("[[feed]]\nurl = \"{url}\"\nevery = \"1s\"\n");
    }
    config
}

/// Feeds whose article must be in the index: all but those that robots.txt forbids and those that lead nowhere.
fn readable() -> impl Iterator<Item = usize> {
    (0..FEEDS).filter(|feed| feed % HOSTS != CLOSED && feed % 20 != 7)
}

fn expected(net: &Net) -> Vec<String> {
    let mut ids: Vec<String> = readable()
        .map(|feed| net.url(feed % HOSTS, &format!("/article/{feed}")))
        .collect();
    ids.extend((1000..1020).map(|n| format!("ours-{n}")));
    ids.sort();
    ids
}

/// No host had two requests at a time or one too soon, each was asked for its rules first, and nobody went where they forbid it.
#[track_caller]
fn assert_polite(net: &Net) {
    for host in 0..HOSTS {
        assert_eq!(net.most[host].load(Ordering::SeqCst), 1, "host {host}");
        let seen = net.of(host);
        assert_eq!(seen[0].path, "/robots.txt", "host {host}");
        assert_eq!(
            seen.iter()
                .filter(|seen| seen.path == "/robots.txt")
                .count(),
            1,
            "host {host}"
        );
        for pair in seen.windows(2) {
            let pause = pair[1].begin - pair[0].begin;
            assert!(pause >= Duration::from_millis(DELAY), "{pair:?}");
        }
    }
    assert_eq!(net.of(CLOSED).len(), 1);
    assert!(
        net.of(NO_ARTICLES)
            .iter()
            .all(|seen| !seen.path.starts_with("/article"))
    );
}

#[test]
fn two_hundred_feeds_and_their_faults() {
    let world = with_index();
    let net = Net::start(HOSTS, internet);
    let (hook, hook_net) = Hook::start();
    let secret = world.file("secret", format!("{SECRET}\n"));
    make_private(&secret);
    let hook_url = hook_net.url(0, "/hook");
    world.file(
        "watch.toml",
        format!(
            "{}[webhook]\nurl = \"{hook_url}\"\nsecret-file = \"secret\"\n",
            config(&net)
        ),
    );
    let first = world
        .run(&["watch", "watch.toml", "--once"])
        .code(0)
        .stderr();
    for said in [
        "status 503",
        "status 429",
        "status 304",
        "the answer is not a feed",
        "robots.txt forbids it",
        "timeout",
        "file:///etc/passwd",
        "the body ended early",
        "status 404; the text from the feed is added instead",
    ] {
        assert!(first.contains(said), "`{said}` is missing in {first}");
    }
    sleep(Duration::from_millis(2300));
    let second = world.run(&["watch", "watch.toml", "--once"]).code(0);
    assert_eq!(ids(&world), expected(&net), "{}", second.stderr());
    // Of the last feed of a host that has asked for a second, the answer came in the second round, as all else that failed once.
    let reprints: BTreeSet<String> = readable()
        .filter(|&feed| is_reprint(feed))
        .map(|feed| net.url(feed % HOSTS, &format!("/article/{feed}")))
        .collect();
    let taken = hook.taken.lock().unwrap();
    let told: BTreeSet<String> = taken
        .iter()
        .map(|notice| notice["page"]["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(told, reprints);
    assert!(hook.offers.load(Ordering::SeqCst) >= taken.len() + 2);
    for notice in taken.iter() {
        assert_eq!(
            (&notice["part"], &notice["what"]),
            (&"page".into(), &"edited".into()),
            "{notice}"
        );
        assert_eq!(notice["of"], notice["story"]["id"]);
        assert_eq!(notice["story"]["pages"], 2);
        assert!(notice["similarity"].as_f64().unwrap() > 0.8);
    }
    assert_polite(&net);
}

#[cfg(unix)]
fn make_private(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

#[cfg(not(unix))]
fn make_private(_: &std::path::Path) {}

/// Killed at any moment, and started again: every page is there once, every notice came, and one that came twice has the same id.
#[test]
fn killed_and_started_again_it_loses_nothing() {
    let world = with_index();
    let net = Net::start(HOSTS, internet);
    world.file("watch.toml", config(&net));
    let out = || {
        std::fs::File::options()
            .create(true)
            .append(true)
            .open(world.path("notices.jsonl"))
            .unwrap()
    };
    for wait in [150, 250, 350, 500, 700, 1000] {
        let mut command = world.command(&["watch", "watch.toml", "-q"]);
        let mut child = command.stdout(out()).spawn().unwrap();
        sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    sleep(Duration::from_millis(2300));
    for _ in 0..2 {
        let mut command = world.command(&["watch", "watch.toml", "--once", "-q"]);
        assert!(command.stdout(out()).status().unwrap().success());
        sleep(Duration::from_millis(2300));
    }
    assert_eq!(ids(&world), expected(&net));
    let mut told: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    // A line that a kill has cut comes again whole.
    for notice in world
        .read("notices.jsonl")
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
    {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        told.entry(text(&notice["page"]["id"]))
            .or_default()
            .insert(text(&notice["id"]));
    }
    let reprints: Vec<String> = readable()
        .filter(|&feed| is_reprint(feed))
        .map(|feed| net.url(feed % HOSTS, &format!("/article/{feed}")))
        .collect();
    assert_eq!(
        told.keys().cloned().collect::<BTreeSet<_>>(),
        reprints.into_iter().collect()
    );
    assert!(told.values().all(|ids| ids.len() == 1), "{told:?}");
}

/// What a feed says of a page of another site does not replace that page.
#[test]
fn a_feed_speaks_for_its_own_site() {
    let world = with_index();
    let net = Net::start(2, |ports| {
        Box::new(move |asked| {
            let page = format!("http://127.0.0.1:{}/article", ports[0]);
            let rss = |text: &str, date: &str| {
                ok(
                    "text/xml",
                    &format!(
                        "<rss version=\"2.0\"><channel><title>t</title><item><title>T</title><link>{page}</link><guid>7</guid>\
                         <description>{text}</description><pubDate>{date}</pubDate></item></channel></rss>"
                    ),
                )
            };
            match (asked.host, asked.path) {
                (0, "/feed") => rss("A teaser.", "Sun, 01 Nov 2026 08:00:00 GMT"),
                (0, "/article") => ok("text/html", &format!("<p>{}", story(1))),
                (1, "/feed") => rss(&story(2), "Sun, 01 Nov 1970 08:00:00 GMT"),
                _ => response("404 Not Found", "", ""),
            }
        })
    });
    let page = net.url(0, "/article");
    let honest = net.url(0, "/feed");
    // Another name of this machine is another site.
    let evil = net.url(1, "/feed").replace("127.0.0.1", "localhost");
    let head = "index = \"news\"\nuser-agent = \"x/1 (a@b.example)\"\nallow-private = true\ndelay = \"1ms\"\n";
    let watch = |feeds: &str| {
        world.file("watch.toml", format!("{head}{feeds}"));
        world.run(&["watch", "watch.toml", "--once", "-q"]).code(0);
        world
            .run(&["index", "export", "news", "-o", "out", "-q", "--force"])
            .code(0);
        let pages = world.read("out/kept/pages.jsonl");
        let pages = pages
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let pages = pages.filter(|page| !page["id"].as_str().unwrap().starts_with("ours"));
        let pages = pages.map(|page| (page["id"].as_str().unwrap().to_owned(), page));
        pages.collect::<BTreeMap<String, Value>>()
    };
    let only = |pages: &BTreeMap<String, Value>| {
        assert_eq!(pages.keys().collect::<Vec<_>>(), [&page]);
        assert!(pages[&page]["text"].as_str().unwrap().contains("story 1 "));
    };
    // It comes first, and the page is fetched.
    let again = format!("[[feed]]\nurl = \"{evil}\"\nevery = \"1ms\"\n");
    let pages = watch(&again);
    only(&pages);
    assert!(pages[&page]["date"].is_null());
    only(&watch(&format!("[[feed]]\nurl = \"{honest}\"\n{again}")));
    let none = format!("{again}articles = \"none\"\n");
    let pages = watch(&none);
    assert_eq!(pages.len(), 2);
    assert!(pages[&page]["text"].as_str().unwrap().contains("story 1 "));
    let own = &pages[&format!("{evil}#7")];
    assert!(own["text"].as_str().unwrap().contains("story 2 "));
    assert!(own["url"].is_null());
    // Unless that is wanted.
    let pages = watch(&format!("{none}trusted = true\n"));
    assert!(pages[&page]["text"].as_str().unwrap().contains("story 2 "));
}

#[test]
fn folders_are_read_as_they_change() {
    let world = with_index();
    world.file("inbox/a.jsonl", json!({"id": "copy", "url": "http://copy.example/1", "text": format!("{} Read more.", story(1001))}).to_string() + "\n{\"id\n");
    world.file(
        "watch.toml",
        "index = \"news\"\n[[folder]]\npath = \"inbox\"\nevery = \"1ms\"\n",
    );
    let once = || world.run(&["watch", "watch.toml", "--once"]).code(0);
    let ran = once();
    let told: Value = serde_json::from_str(&ran.stdout()).unwrap();
    assert_eq!(
        told["page"],
        json!({"id": "copy", "url": "http://copy.example/1", "title": null, "site": "copy.example", "date": null})
    );
    assert_eq!(
        (&told["story"]["id"], &told["of"]),
        (&"ours-1001".into(), &"ours-1001".into())
    );
    assert!(
        ran.says(&[
            "a.jsonl, record 2",
            "files: 1 read",
            "1 new",
            "1 rejected; notices: 1 delivered, 0 left"
        ])
        .stdout()
        .ends_with("}\n")
    );
    // Nothing new; then a file more, of which one page is known.
    assert_eq!(once().says(&["files: 0 read"]).stdout(), "");
    world.file(
        "inbox/b/c.jsonl",
        json!({"id": "part", "text": story(1002)}).to_string() + "\n",
    );
    assert_eq!(once().says(&["files: 1 read"]).stdout().lines().count(), 1);
    // A folder that went is not the end, but it was all that could be read.
    std::fs::remove_dir_all(world.path("inbox")).unwrap();
    let ran = world.run(&["watch", "watch.toml", "--once"]).code(1);
    let ran = ran.says(&["inbox", "no feed and no folder of CONFIG could be read"]);
    assert_eq!(ran.stdout(), "");
    // A folder that is there is enough.
    world.file("other/d.jsonl", "");
    let config = world.read("watch.toml") + "[[folder]]\npath = \"other\"\n";
    world.file("watch.toml", config);
    once().says(&["inbox"]);
}

/// Of all reprints only those are told that are asked for.
#[test]
fn stories_and_sites_are_watched() {
    let told = |watch: &str| {
        let world = with_index();
        let copies = [(1003, "a"), (1004, "b"), (1005, "ours")].map(|(n, site)| {
            let url = format!("http://{site}.example/copy-{n}");
            json!({"id": format!("copy-{n}"), "url": url, "text": format!("{} Read more.", story(n))}).to_string() + "\n"
        });
        world.file("inbox/a.jsonl", copies.concat());
        world.file(
            "watch.toml",
            format!("index = \"news\"\n[[folder]]\npath = \"inbox\"\n{watch}"),
        );
        let ran = world
            .run(&["watch", "watch.toml", "--once", "-q"])
            .code(0)
            .stdout();
        let ids = ran
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        ids.map(|notice| notice["page"]["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(told(""), ["copy-1003", "copy-1004", "copy-1005"]);
    assert_eq!(
        told("[watch]\nstories = [\"ours-1004\", \"ours-1005\"]\n"),
        ["copy-1004", "copy-1005"]
    );
    // A site does not reprint itself.
    assert_eq!(
        told("[watch]\nsites = [\"www.ours.example\"]\n"),
        ["copy-1003", "copy-1004"]
    );
    assert_eq!(
        told("[watch]\nsites = [\"ours.example\"]\nstories = [\"ours-1003\"]\n"),
        ["copy-1003", "copy-1004"]
    );
    assert!(told("[watch]\nsites = [\"other.example\"]\n").is_empty());
}

#[test]
fn what_is_wrong_is_said() {
    let world = with_index();
    let run = |config: &str| {
        world.file("watch.toml", config);
        world.run(&["watch", "watch.toml", "--once"])
    };
    let folder = "index = \"news\"\n[[folder]]\npath = \"inbox\"\n";
    run(&format!("{folder}evry = \"1m\"\n")).code(2).says(&[
        "watch.toml",
        "evry",
        "every",
        "docs/reference/watch.md",
    ]);
    run(&format!("{folder}[watch]\nstories = [\"nobody\"]\n"))
        .code(2)
        .says(&["`nobody`", "retold index stories"]);
    run(&format!(
        "{folder}[webhook]\nurl = \"http://a.example/\"\nsecret-file = \"none\"\n"
    ))
    .code(3)
    .says(&["cannot read", "none"]);
    run(&folder.replace("news", "nothing"))
        .code(2)
        .says(&["nothing"]);
    world
        .run(&["watch", "missing.toml"])
        .code(3)
        .says(&["missing.toml"]);
    // A private address is not asked unless that is allowed.
    let net = Net::start(1, |_| Box::new(|_| ok("text/xml", "<rss/>")));
    let feed = format!(
        "index = \"news\"\nuser-agent = \"x/1 (a@b.example)\"\n[[feed]]\nurl = \"{}\"\n",
        net.url(0, "/feed")
    );
    run(&feed).code(1).says(&[
        "robots.txt cannot be fetched",
        "127.0.0.1 is not a public address",
        "no feed and no folder of CONFIG could be read",
    ]);
    // In the pause that follows, it cannot be read either.
    run(&feed).code(1);
    assert!(net.of(0).is_empty());
    run(&format!("{folder}[[folder]]\npath = \"x\"\n").replacen(
        "index",
        "atom = \"none/news.atom\"\nindex",
        1,
    ))
    .code(3)
    .says(&["cannot write", "news.atom"]);
    world.file("mine.opml", "<opml/>");
    run(&feed.replacen("index", "opml = \"mine.opml\"\nindex", 1))
        .code(2)
        .says(&["mine.opml", "no outline has an `xmlUrl`"]);
}

/// A list of subscriptions goes in, and one feed without repeats comes out.
#[test]
fn subscriptions_become_one_feed_without_repeats() {
    let world = World::new();
    world.run(&["index", "create", "news"]).code(0);
    // The second host reprints the first article of the first one, and adds a passage.
    let more = "The harbour master of Paros said on Tuesday that two more boats had been ordered from a yard in Gdansk for the next summer.";
    let net = Net::start(2, move |ports| {
        Box::new(move |asked| {
            let item = |n: usize, title: &str, text: &str| {
                let link = format!("http://127.0.0.1:{}/{n}", ports[asked.host]);
                format!(
                    "<item><title>{title}</title><link>{link}</link><description>{text}</description><pubDate>Sun, 0{} Nov 2026 08:00:00 GMT</pubDate></item>",
                    asked.host + 1
                )
            };
            let items = match (asked.host, asked.path) {
                (0, "/feed") => {
                    item(1, "Boats &amp;amp; islands", &story(1)) + &item(2, "Two", &story(2))
                }
                (1, "/feed") => {
                    item(1, "Reprinted", &format!("{} {more}", story(1)))
                        + &item(3, "Three", &story(3))
                }
                _ => return response("404 Not Found", "", ""),
            };
            ok(
                "text/xml",
                &format!("<rss version=\"2.0\"><channel><title>t</title>{items}</channel></rss>"),
            )
        })
    });
    let [a, b] = [0, 1].map(|host| {
        net.url(host, "/feed")
            .replace("127.0.0.1", ["127.0.0.1", "localhost"][host])
    });
    let list = format!(
        "<opml version=\"2.0\"><body><outline text=\"News\"><outline text=\"A\" xmlUrl=\"{a}\"/><outline text=\"Far\"><outline text=\"B\" xmlUrl=\"{b}\"/>\
         <outline text=\"A\" xmlUrl=\"{a}\"/></outline></outline></body></opml>"
    );
    world.file("mine.opml", list);
    let config = "index = \"news\"\nopml = \"mine.opml\"\natom = \"news.atom\"\nuser-agent = \"x/1 (a@b.example)\"\nallow-private = true\ndelay = \"1ms\"\n";
    world.file(
        "watch.toml",
        format!("{config}[[feed]]\nurl = \"{b}\"\ntrusted = true\n"),
    );
    world.run(&["watch", "watch.toml", "--once", "-q"]).code(0);
    let feed = world.read("news.atom");
    let entries: Vec<&str> = feed.split("<entry>").skip(1).collect();
    assert_eq!(entries.len(), 3, "{feed}");
    let story = entries
        .iter()
        .find(|entry| entry.contains("Boats &amp;amp; islands"))
        .unwrap_or_else(|| panic!("{feed}"));
    let own = net.url(0, "/1");
    for part in [
        format!("<link rel=\"alternate\" href=\"{own}\"/>"),
        "<published>2026-11-01T08:00:00Z</published><updated>2026-11-02T08:00:00Z</updated>".into(),
        "&lt;p&gt;Also in:&lt;/p&gt;".into(),
        format!(
            "&lt;a href=&quot;{}&quot;&gt;127.0.0.1: Reprinted&lt;/a&gt; (2026-11-02)",
            net.url(1, "/1")
        ),
        format!("&lt;p&gt;{more}&lt;/p&gt;&lt;/blockquote&gt;"),
    ] {
        assert!(story.contains(&part), "`{part}` is missing in {story}");
    }
    // It can be read, also by us.
    let read = world
        .run(&["dedup", "news.atom", "-o", "out", "-q"])
        .code(0);
    assert_eq!(
        world.summary("out")["records"]["read"],
        3,
        "{}",
        read.stderr()
    );
    // Nothing new: the same bytes, and no feed is asked for before its time.
    let asked = net.of(0).len();
    world.run(&["watch", "watch.toml", "--once", "-q"]).code(0);
    assert_eq!((world.read("news.atom"), net.of(0).len()), (feed, asked));
}

#[test]
fn a_shorter_time_between_readings_holds_at_once() {
    let world = with_index();
    let net = Net::start(1, |_| {
        Box::new(|asked| ok("text/xml", &rss(1, &format!("/article/{}", asked.visits))))
    });
    let url = net.url(0, "/feed");
    let once = |every: &str| {
        world.file("watch.toml", format!(
            "index = \"news\"\nuser-agent = \"x/1 (a@b.example)\"\nallow-private = true\ndelay = \"1ms\"\n[[feed]]\nurl = \"{url}\"\nevery = \"{every}\"\narticles = \"none\"\n"
        ));
        world.run(&["watch", "watch.toml", "--once", "-q"]).code(0);
        net.of(0).iter().filter(|seen| seen.path == "/feed").count()
    };
    assert_eq!(once("24h"), 1);
    assert_eq!(once("24h"), 1);
    // The state now says at most a second from now, and no day.
    assert_eq!(once("1s"), 1);
    sleep(Duration::from_millis(1200));
    assert_eq!(once("1s"), 2);
}

#[test]
#[cfg(unix)]
fn a_signal_ends_it() {
    let world = with_index();
    world.file(
        "watch.toml",
        "index = \"news\"\n[[folder]]\npath = \"inbox\"\n",
    );
    std::fs::create_dir(world.path("inbox")).unwrap();
    let child = world
        .command(&["watch", "watch.toml"])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    while !world.exists("news.watch.json") {
        assert!(begin.elapsed() < Duration::from_secs(10));
        sleep(Duration::from_millis(20));
    }
    sleep(Duration::from_millis(200));
    let kill = std::process::Command::new("kill")
        .arg(child.id().to_string())
        .status();
    assert!(kill.unwrap().success());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&ended.stderr).contains("notices: 0 delivered, 0 left"));
    world.run(&["index", "check", "news"]).code(0);
}

/// What the reference page says in Python takes what is signed, and nothing else.
#[test]
fn python_checks_a_signature_as_documented() {
    let page = include_str!("../../../../docs/reference/watch.md");
    let block = page.split("```python\n").nth(1).unwrap();
    let block = block.split("```").next().unwrap();
    let key = hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes());
    let time = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let sign = |time: u64| {
        let signed = hmac::sign(&key, format!("{time}.{{}}").as_bytes());
        let hex = signed.as_ref().iter().map(|byte| format!("{byte:02x}"));
        format!("t={time},v1={}", hex.collect::<String>())
    };
    let (good, old) = (sign(time), sign(time - 3600));
    let asked = [(&good, "{}"), (&good, "{ }"), (&old, "{}")];
    let asked = asked.map(|(signature, body)| {
        format!("print(is_ours(b\"{SECRET}\", \"{signature}\", b\"{body}\"))\n")
    });
    let ran = std::process::Command::new("python3")
        .args(["-c", &format!("{block}{}", asked.concat())])
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&ran.stdout),
        "True\nFalse\nFalse\n",
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
}
