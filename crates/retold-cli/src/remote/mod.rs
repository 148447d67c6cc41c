//! Files in buckets, on web servers and on the Hugging Face hub, for the library, which knows no network.
//!
//! A file is pinned when it is listed ([`listing`]); its bytes come in ranges ([`pinned`]), from a bucket ([`bucket`]) or over HTTP ([`web`]),
//! and are kept for the passes that follow ([`cache`]). Servers are not trusted: redirects lead to nothing that only this machine can reach
//! ([`clients`], [`reach`]), and lists, answers and waiting have limits ([`listing`], [`place`], [`service`]).

mod bucket;
mod bucket_out;
mod cache;
mod card;
mod clients;
mod hub;
mod hub_out;
mod lfs;
mod listing;
mod network;
mod out;
mod pinned;
mod place;
mod profile;
mod reach;
mod redact;
mod service;
mod upload;
mod web;

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use object_store::ObjectStore;
use retold::internal::shown_input;
use retold::read::{RemoteInput, RemoteStore, set_remote_store};
use retold::{Error, Result};

use self::cache::Cache;
use self::clients::Clients;

pub use self::out::RemoteOut;

/// Lets the library read URLs, and store this number of their bytes for the passes that follow.
pub fn install(cache: u64) {
    // There may be another provider of TLS in the process; then that one is used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    set_remote_store(Box::new(Stores {
        cache_limit: AtomicU64::new(cache),
        ..Stores::default()
    }));
}

/// All that is open.
#[derive(Default)]
struct Stores {
    cache_limit: AtomicU64,
    cache: Mutex<Option<Arc<Cache>>>,
    buckets: Mutex<HashMap<String, Arc<dyn ObjectStore>>>,
    clients: OnceLock<Clients>,
}

impl RemoteStore for Stores {
    fn list(&self, url: &str) -> Result<Vec<RemoteInput>> {
        let (scheme, rest) = url.split_once("://").unwrap_or_default();
        match scheme {
            "s3" | "gs" | "az" => {
                let name = rest.split('/').next().unwrap_or_default();
                bucket::list(self.bucket(scheme, name)?, scheme, rest, self.cache())
            }
            "http" | "https" => web::list(self.clients()?, url, self.cache()),
            "hf" => hub::list(self.clients()?, rest, self.cache()),
            _ => Err(Error::usage(format!(
                "cannot read INPUT {}: {scheme}:// is not known; s3, gs, az, http, https and hf are",
                shown_input(url.as_ref()).display()
            ))),
        }
    }

    fn cache_in(&self, folder: &Path) -> Result<()> {
        let limit = self.cache_limit.load(Relaxed);
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        *cache = match limit {
            0 => None,
            _ => Some(Arc::new(Cache::new(folder, limit)?)),
        };
        Ok(())
    }
}

impl Stores {
    fn cache(&self) -> Option<Arc<Cache>> {
        let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.clone()
    }

    fn clients(&self) -> Result<Clients> {
        if let Some(clients) = self.clients.get() {
            return Ok(clients.clone());
        }
        let clients = web::clients()?;
        Ok(self.clients.get_or_init(|| clients).clone())
    }

    fn bucket(&self, scheme: &str, name: &str) -> Result<Arc<dyn ObjectStore>> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let url = format!("{scheme}://{name}");
        if let Some(store) = buckets.get(&url) {
            return Ok(Arc::clone(store));
        }
        let store = bucket::open(scheme, name).map_err(bucket::failed("read INPUT", &url))?;
        buckets.insert(url, Arc::clone(&store));
        Ok(store)
    }
}
