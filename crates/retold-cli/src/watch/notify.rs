//! Notices of new reprints, and their delivery: each at least once, with the same id when it is delivered again.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use retold::Result;
use retold_index::{
    Added, Change, Entry, Index, MATCHES, Match, Prepared, Status, Story, StoryLine, StoryPart,
};
use ring::hmac;
use serde::Serialize;
use url::Url;
use xxhash_rust::xxh3::xxh3_128;

use super::config::{Config, MINUTE, Millis, Watched};
use super::fetch::Client;
use super::pause::pause;
use super::state::{State, now};
use crate::say::{cannot_write, json};

/// If this number of notices waits for delivery, no others are made; the cursor stays, so none is lost.
const MOST: usize = 10_000;
/// Notices that are delivered before feeds have their turn again.
const BATCH: usize = 16;
/// The first pause after a webhook has failed, and the longest.
const FIRST: Millis = 2_500;
const LONGEST: Millis = 60 * MINUTE;

/// A new page that repeats something.
#[derive(Serialize)]
struct Notice<'a> {
    id: String,
    page: NewPage<'a>,
    story: &'a StoryLine,
    part: StoryPart,
    what: Change,
    of: Option<&'a str>,
    similarity: Option<f64>,
}

#[derive(Serialize)]
struct NewPage<'a> {
    id: &'a str,
    url: Option<&'a str>,
    title: Option<&'a str>,
    site: Option<&'a str>,
    date: Option<&'a str>,
}

/// How many pages that a new one repeats are searched for: a page of a watched site may be the last of many similar ones.
pub fn limit(watched: &Watched) -> Option<usize> {
    watched.sites.is_empty().then_some(MATCHES)
}

/// Makes notices of pages as they were added behind the cursor `before`, and moves the state's on, if it is there; [`look`] does all else.
pub fn note(
    index: &Index,
    state: &mut State,
    watched: &Watched,
    before: u64,
    pages: &[Prepared],
    added: &[Added],
) -> Result<()> {
    if state.notices.len() >= MOST || state.cursor != before {
        return Ok(());
    }
    let came = pages.iter().zip(added);
    let came: Vec<(&Prepared, &Added)> = came
        .filter(|(_, added)| added.status != Status::Unchanged)
        .collect();
    // Of pages of one id the last one is there.
    let last: BTreeMap<&str, usize> = came
        .iter()
        .zip(0..)
        .map(|((page, _), at)| (page.entry.id.as_str(), at))
        .collect();
    for (at, (page, added)) in came.into_iter().enumerate() {
        let entry = &page.entry;
        if last.get(entry.id.as_str()) == Some(&at) {
            for notice in notices(index, watched, entry, &added.matches)? {
                state.notices.push(notice);
            }
        }
    }
    state.cursor = index.cursor();
    Ok(())
}

/// Makes notices of what was added since the cursor, and moves it on.
pub fn look(index: &Index, state: &mut State, watched: &Watched) -> Result<()> {
    if state.notices.len() >= MOST || index.cursor() == state.cursor {
        return Ok(());
    }
    let mut found = Vec::new();
    let next = index.changes(state.cursor, limit(watched), |entry, matches| {
        found.extend(notices(index, watched, &entry, &matches)?);
        Ok(())
    })?;
    for notice in found {
        state.notices.push(notice);
    }
    state.cursor = next;
    Ok(())
}

/// The notices of a page, as JSON.
fn notices(
    index: &Index,
    watched: &Watched,
    entry: &Entry,
    matches: &[Match],
) -> Result<Vec<String>> {
    // A page that only overlaps others is new.
    let Some(best) = matches.iter().find(|found| found.repeats()) else {
        return Ok(Vec::new());
    };
    let mut about: Vec<&str> = watched.stories.iter().map(String::as_str).collect();
    let own_site = &entry.sketch.site;
    let of_site = matches.iter().find(|found| {
        let site = &found.entry.sketch.site;
        found.repeats()
            && site != own_site
            && site
                .as_ref()
                .is_some_and(|site| watched.sites.contains(site))
    });
    about.extend(of_site.map(|found| found.entry.id.as_str()));
    if watched.stories.is_empty() && watched.sites.is_empty() {
        about.push(&best.entry.id);
    }
    let (mut told, mut notices) = (BTreeSet::new(), Vec::new());
    for id in about {
        if let Some(story) = index.story_with(id, &entry.id)?
            && told.insert(story.line.id.clone())
        {
            notices.extend(notice(&story)?);
        }
    }
    Ok(notices)
}

fn notice(story: &Story) -> Result<Option<String>> {
    let Some(row) = story.timeline.first() else {
        return Ok(None);
    };
    let line = &story.line;
    let name = format!("{} {}{}", row.id.len(), row.id, line.id);
    let notice = Notice {
        id: format!("{:032x}", xxh3_128(name.as_bytes())),
        page: NewPage {
            id: &row.id,
            url: row.url.as_deref(),
            title: row.title.as_deref(),
            site: row.site.as_deref(),
            date: row.date.as_deref(),
        },
        story: line,
        part: row.part,
        what: row.what,
        of: row.of.as_deref(),
        similarity: row.similarity,
    };
    let mut text = Vec::new();
    json(&mut text, &notice).map_err(cannot_write)?;
    Ok(Some(String::from_utf8_lossy(&text).into_owned()))
}

/// Where notices go.
pub enum Teller {
    /// Standard output, a line each.
    Lines,
    /// A webhook.
    Hook(Box<Hook>),
}

pub struct Hook {
    client: Client,
    url: Url,
    key: hmac::Key,
}

impl Hook {
    fn post(&self, body: &str) -> std::result::Result<(), String> {
        let time = now() / 1000;
        let headers = [("Retold-Signature", signature(&self.key, time, body))];
        self.client.post(&self.url, &headers, body.as_bytes())
    }
}

impl Teller {
    pub fn new(config: &Config) -> Result<Teller> {
        let Some(hook) = &config.webhook else {
            return Ok(Teller::Lines);
        };
        Ok(Teller::Hook(Box::new(Hook {
            client: Client::for_webhook(config),
            url: hook.url.clone(),
            key: hmac::Key::new(hmac::HMAC_SHA256, &hook.secret()?),
        })))
    }

    /// Delivers some of what waits; says how much, and why it ended if it failed.
    pub fn tell(&self, state: &mut State) -> Result<(u64, Option<String>)> {
        match self {
            Teller::Lines => Ok((lines(state)?, None)),
            Teller::Hook(hook) => Ok(post(state, |text| hook.post(text))),
        }
    }
}

fn lines(state: &mut State) -> Result<u64> {
    let mut out = io::stdout().lock();
    for notice in state.notices.iter() {
        writeln!(out, "{notice}").map_err(cannot_write)?;
    }
    out.flush().map_err(cannot_write)?;
    // Only now are they told.
    let mut told = 0;
    while state.notices.pop().is_some() {
        told += 1;
    }
    Ok(told)
}

/// Posts waiting notices until one is not accepted. That one goes to the end of the queue, so that it does not delay the others.
fn post(
    state: &mut State,
    send: impl Fn(&str) -> std::result::Result<(), String>,
) -> (u64, Option<String>) {
    let mut told = 0;
    while told < BATCH as u64 {
        let Some(text) = state.notices.pop() else {
            break;
        };
        let Err(reason) = send(&text) else {
            told += 1;
            state.webhook = Default::default();
            continue;
        };
        state.notices.push(text);
        let tries = &mut state.webhook;
        tries.failures = tries.failures.saturating_add(1);
        tries.next = now() + pause(FIRST, tries.failures, "webhook").min(LONGEST);
        return (told, Some(reason));
    }
    (told, None)
}

/// `t=TIME,v1=HEX`: a hash of time, full stop and body, with the secret in it (HMAC with SHA-256).
fn signature(key: &hmac::Key, time: Millis, body: &str) -> String {
    let signed = hmac::sign(key, format!("{time}.{body}").as_bytes());
    let hex: String = signed
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("t={time},v1={hex}")
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn a_signature_is_what_python_says() {
        // hmac.new(b"0123456789abcdef", b'1795000000.{"id":"x"}', "sha256").hexdigest()
        let key = hmac::Key::new(hmac::HMAC_SHA256, b"0123456789abcdef");
        let expected =
            "t=1795000000,v1=c07cb169de13ebd443f369d602254610b2b94181a618c914b33d8ac2905a2525";
        assert_eq!(signature(&key, 1_795_000_000, r#"{"id":"x"}"#), expected);
    }

    #[test]
    fn a_notice_that_is_refused_keeps_no_other_back() {
        let mut state = State::default();
        for text in ["bad", "b", "c"] {
            state.notices.push(text.into());
        }
        let taken = RefCell::new(Vec::new());
        let send = |text: &str| match text {
            "bad" => Err("status 400".to_owned()),
            text => {
                taken.borrow_mut().push(text.to_owned());
                Ok(())
            }
        };
        assert_eq!(post(&mut state, send), (0, Some("status 400".into())));
        assert_eq!(state.webhook.failures, 1);
        assert!(state.webhook.next > now());
        assert_eq!(post(&mut state, send), (2, Some("status 400".into())));
        assert_eq!(*taken.borrow(), ["b", "c"]);
        assert!(state.notices.iter().eq(["bad"]));
        // What was taken in between was a success.
        assert_eq!(state.webhook.failures, 1);
    }
}
