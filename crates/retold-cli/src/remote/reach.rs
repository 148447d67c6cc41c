//! From where an address can be reached, so that a server cannot lead requests to where it cannot get itself.

use std::error::Error;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::addresses::is_public;

/// From where an address can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// From this machine, or its link, on which clouds give machines their credentials.
    Machine,
    /// From a private net.
    Net,
    /// From anywhere.
    Internet,
}

impl Reach {
    pub fn of(address: IpAddr) -> Reach {
        match address {
            IpAddr::V4(v4) if is_near_v4(v4) => Reach::Machine,
            IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
                Some(v4) => Reach::of(v4.into()),
                None if is_near_v6(v6) => Reach::Machine,
                None if is_public(address) => Reach::Internet,
                None => Reach::Net,
            },
            address if is_public(address) => Reach::Internet,
            _ => Reach::Net,
        }
    }

    /// That of a URL's host, as far as its name alone says it.
    pub fn of_host(url: &Url) -> Option<Reach> {
        let host = url.host_str()?;
        let address = host.trim_start_matches('[').trim_end_matches(']');
        if let Ok(address) = address.parse() {
            return Some(Reach::of(address));
        }
        let name = host.trim_end_matches('.');
        let is_local = name == "localhost" || name.ends_with(".localhost");
        is_local.then_some(Reach::Machine)
    }
}

fn is_near_v4(address: Ipv4Addr) -> bool {
    address.is_loopback() || address.is_link_local() || address.octets()[0] == 0
}

fn is_near_v6(address: Ipv6Addr) -> bool {
    address.is_loopback() || address.is_unspecified() || address.is_unicast_link_local()
}

/// What a server may not do: mostly a redirect that is not followed.
#[derive(Debug)]
pub struct Refused(pub String);

impl Refused {
    /// Because of where the host is.
    pub fn too_near(host: &str) -> Refused {
        Refused(format!(
            "the server redirects to {host}, which is nearer than itself: on this machine, its link or a private net"
        ))
    }

    /// What was refused, if that is why a request failed.
    pub fn cause(error: &(dyn Error + 'static)) -> Option<String> {
        let mut next = Some(error);
        while let Some(error) = next {
            if let Some(refused) = error.downcast_ref::<Refused>() {
                return Some(refused.to_string());
            }
            next = error.source();
        }
        None
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

impl Error for Refused {}

/// Looks names up, and leaves out addresses that are nearer. Requests go to the very addresses that were looked at, so a name that has
/// another address a moment later has no effect.
#[derive(Debug)]
pub struct AtLeast(pub Reach);

impl Resolve for AtLeast {
    fn resolve(&self, name: Name) -> Resolving {
        let least = self.0;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let allowed = found.filter(|address| Reach::of(address.ip()) >= least);
            let allowed: Vec<SocketAddr> = allowed.collect();
            match allowed.is_empty() {
                true => Err(Refused::too_near(name.as_str()).into()),
                false => Ok(Box::new(allowed.into_iter()) as Addrs),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_addresses_are_known_in_all_their_forms() {
        let of = |host: &str| Reach::of_host(&Url::parse(&format!("http://{host}/")).unwrap());
        for near in [
            "127.0.0.1",
            "2130706433",
            "0x7f.1",
            "0",
            "169.254.169.254",
            "[::1]",
            "[::]",
            "[::ffff:127.0.0.1]",
            "[::ffff:a9fe:a9fe]",
            "[fe80::1]",
            "localhost",
            "LOCALHOST.",
            "a.localhost",
        ] {
            assert_eq!(of(near), Some(Reach::Machine), "{near}");
        }
        for private in [
            "10.1.2.3",
            "192.168.0.1",
            "100.100.100.200",
            "[fd00:ec2::254]",
            "[::ffff:10.0.0.1]",
            "[64:ff9b::7f00:1]",
        ] {
            assert_eq!(of(private), Some(Reach::Net), "{private}");
        }
        for public in ["1.1.1.1", "[2606:4700::1111]", "[::ffff:8.8.8.8]"] {
            assert_eq!(of(public), Some(Reach::Internet), "{public}");
        }
        assert_eq!(of("host.example"), None);
    }

    #[test]
    fn a_name_is_looked_up_and_its_address_judged() {
        let looked_up = |least| {
            let found = AtLeast(least).resolve("localhost".parse().unwrap());
            crate::remote::network::wait(found).unwrap()
        };
        assert!(looked_up(Reach::Machine).is_ok_and(|mut found| found.next().is_some()));
        for least in [Reach::Net, Reach::Internet] {
            let refused = looked_up(least).err().unwrap();
            assert!(
                Refused::cause(&*refused)
                    .unwrap()
                    .contains("redirects to localhost")
            );
        }
    }
}
