//! Requests only to public addresses. A name is resolved, the address is checked, and the connection goes to exactly the address that was
//! checked. So a name that resolves to another address a moment later (DNS rebinding) has no effect.

use std::net::IpAddr;

use ureq::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// Looks up names and leaves out addresses that are not public.
#[derive(Debug)]
pub struct PublicOnly {
    names: DefaultResolver,
    /// Whether requests to an address are allowed.
    is_public: fn(IpAddr) -> bool,
}

impl PublicOnly {
    pub fn new(is_public: fn(IpAddr) -> bool) -> PublicOnly {
        PublicOnly {
            names: DefaultResolver::default(),
            is_public,
        }
    }
}

impl Resolver for PublicOnly {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let found = self.names.resolve(uri, config, timeout)?;
        let mut public = self.empty();
        for address in found
            .iter()
            .filter(|address| (self.is_public)(address.ip()))
        {
            public.push(*address);
        }
        match public.is_empty() {
            false => Ok(public),
            true => Err(Error::Other(
                format!(
                    "{} is not a public address; `allow-private = true` allows it",
                    uri.host().unwrap_or_default()
                )
                .into(),
            )),
        }
    }
}
