//! Requests, and where redirects lead them.
//!
//! A user may name any server, also one on this machine. A server may lead on only to servers that can be reached from where it is itself,
//! and only over a connection as safe as its own. What gives access is sent to nobody else.

use std::future::Future;
use std::net::SocketAddr;

use hyper_util::client::proxy::matcher::Matcher;
use reqwest::header::HeaderValue;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, StatusCode, Url};

use super::reach::{AtLeast, Reach, Refused};

/// The name of this program in requests.
const USER_AGENT: &str = concat!("retold/", env!("CARGO_PKG_VERSION"));
/// How many redirects are followed one after another.
const MOST_REDIRECTS: usize = 10;

/// Clients for all requests.
#[derive(Clone, Debug)]
pub struct Clients {
    /// For what the user named, and for all requests through a proxy, which looks names up itself.
    any: Client,
    beyond_this_machine: Client,
    internet: Client,
    proxies: std::sync::Arc<Proxies>,
}

/// Which requests go through a proxy.
#[derive(Debug)]
pub struct Proxies(pub Matcher);

/// A request on its way.
#[derive(Clone, Debug)]
pub struct Leg {
    pub client: Client,
    pub url: Url,
    /// Whether this is another server than the user named.
    pub is_foreign: bool,
}

/// What an answer says of the way on.
#[derive(Debug)]
pub struct Sign {
    pub status: StatusCode,
    pub location: Option<HeaderValue>,
    /// Who answered.
    pub from: Option<SocketAddr>,
}

impl Clients {
    /// Clients that differ only in where they go.
    pub fn new(made: impl Fn() -> ClientBuilder, proxies: Proxies) -> reqwest::Result<Clients> {
        let unled = || {
            let made = made().user_agent(USER_AGENT);
            made.redirect(Policy::none()).referer(false)
        };
        let to = |reach| {
            unled()
                .no_proxy()
                .dns_resolver(std::sync::Arc::new(AtLeast(reach)))
        };
        Ok(Clients {
            any: unled().build()?,
            beyond_this_machine: to(Reach::Net).build()?,
            internet: to(Reach::Internet).build()?,
            proxies: std::sync::Arc::new(proxies),
        })
    }

    /// The client for what is sent where the user said.
    pub fn plain(&self) -> &Client {
        &self.any
    }

    /// The way to where an answer says that something is to be sent; the rules are those for redirects.
    pub fn sent_on(
        &self,
        from: &Url,
        answered: Option<SocketAddr>,
        to: &str,
    ) -> Result<Leg, Refused> {
        let least = self.reach(from, answered);
        let to = HeaderValue::from_str(to)
            .map_err(|_| Refused("the server names no URL to send to".into()))?;
        let url = next(from, &to, least)?;
        Ok(Leg {
            client: self.client(&url, least),
            is_foreign: url.origin() != from.origin(),
            url,
        })
    }

    /// From where a server can be reached that answered.
    fn reach(&self, at: &Url, answered: Option<SocketAddr>) -> Reach {
        // Behind a proxy only the host's name tells where it is.
        let answered = answered.filter(|_| !self.proxies.has(at));
        let reach = answered.map(|from| Reach::of(from.ip()));
        let reach = reach.or_else(|| Reach::of_host(at));
        reach.unwrap_or(Reach::Internet)
    }

    /// The client for a URL that must not be nearer.
    fn client(&self, url: &Url, least: Reach) -> Client {
        let is_proxied = self.proxies.has(url);
        match least {
            Reach::Net if !is_proxied => self.beyond_this_machine.clone(),
            Reach::Internet if !is_proxied => self.internet.clone(),
            _ => self.any.clone(),
        }
    }

    /// Sends a request, and once more to where the answer leads.
    ///
    /// Errors: those of `send`; a redirect is not followed.
    pub async fn follow<R, E: From<Refused>, F: Future<Output = Result<R, E>>>(
        &self,
        url: Url,
        send: impl Fn(Leg) -> F,
        read: impl Fn(&R) -> Sign,
    ) -> Result<R, E> {
        let (mut at, mut least, mut is_foreign) = (url, Reach::Machine, false);
        for _ in 0..=MOST_REDIRECTS {
            let leg = Leg {
                client: self.client(&at, least),
                url: at.clone(),
                is_foreign,
            };
            let answer = send(leg).await?;
            let sign = read(&answer);
            let Some(location) = sign.location.filter(|_| leads_on(sign.status)) else {
                return Ok(answer);
            };
            least = least.max(self.reach(&at, sign.from));
            let to = next(&at, &location, least)?;
            is_foreign |= to.origin() != at.origin();
            at = to;
        }
        Err(Refused("too many redirects".into()).into())
    }
}

impl Proxies {
    /// Those of the environment and the system.
    pub fn of_system() -> Proxies {
        Proxies(Matcher::from_system())
    }

    fn has(&self, url: &Url) -> bool {
        let uri = url.as_str().parse();
        uri.is_ok_and(|uri| self.0.intercept(&uri).is_some())
    }
}

fn leads_on(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// Where a redirect leads, if that is not nearer than `least`.
fn next(at: &Url, location: &HeaderValue, least: Reach) -> Result<Url, Refused> {
    let joined = location.to_str().ok().and_then(|to| at.join(to).ok());
    let mut to = joined.ok_or_else(|| Refused("the server redirects to no URL".into()))?;
    match (at.scheme(), to.scheme()) {
        ("https", "http") => {
            return Err(Refused("the server redirects from https to http".into()));
        }
        (_, "http" | "https") => {}
        (_, other) => return Err(Refused(format!("the server redirects to {other}:"))),
    }
    if Reach::of_host(&to).is_some_and(|reach| reach < least) {
        return Err(Refused::too_near(to.host_str().unwrap_or_default()));
    }
    // A user and password are for the server of the URL that has them.
    let (user, password) = match to.origin() == at.origin() {
        true => (at.username(), at.password()),
        false => ("", None),
    };
    // A web address may have both.
    let _ = to.set_username(user);
    let _ = to.set_password(password);
    Ok(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn led(at: &str, to: &str, least: Reach) -> Result<String, String> {
        let location = HeaderValue::from_str(to).unwrap();
        let next = next(&Url::parse(at).unwrap(), &location, least);
        next.map(|url| url.to_string()).map_err(|refused| refused.0)
    }

    #[test]
    fn a_redirect_leads_to_nothing_nearer_or_less_safe() {
        let at = "https://me:pw@host.example/a?sig=x";
        let goes = |to: &str| led(at, to, Reach::Internet);
        assert_eq!(goes("b").as_deref(), Ok("https://me:pw@host.example/b"));
        assert_eq!(
            goes("//cdn.example/b").as_deref(),
            Ok("https://cdn.example/b")
        );
        assert_eq!(
            goes("https://you:pw@cdn.example/").as_deref(),
            Ok("https://cdn.example/")
        );
        for (to, why) in [
            ("http://host.example/b", "from https to http"),
            ("file:///etc/passwd", "to file:"),
            ("ftp://host.example/", "to ftp:"),
            ("data:,x", "to data:"),
            ("https://", "no URL"),
            ("https://localhost/", "nearer"),
            ("https://127.1/", "nearer"),
            ("https://[::ffff:127.0.0.1]/", "nearer"),
            ("https://169.254.169.254/", "nearer"),
            ("https://10.0.0.1/", "nearer"),
        ] {
            let why_not = goes(to).expect_err(to);
            assert!(why_not.contains(why), "{to}: {why_not}");
        }
        let in_a_net = |to: &str| led("http://10.0.0.1/", to, Reach::Net);
        assert!(in_a_net("http://10.0.0.2/").is_ok() && in_a_net("http://1.1.1.1/").is_ok());
        assert!(
            in_a_net("http://127.0.0.1/").is_err() && in_a_net("http://169.254.169.254/").is_err()
        );
        assert!(led("http://127.0.0.1/", "http://localhost:1/", Reach::Machine).is_ok());
    }
}
