//! Buckets: Amazon S3 and compatible services, Google Cloud Storage, Azure Blob Storage. Credentials are found in the same places as by the
//! cloud's own tools, as far as `object_store` supports them.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::{
    Error as StoreError, GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt,
};
use retold::internal::shown_input;
use retold::read::RemoteInput;
use retold::{Error, Result};

use super::cache::Cache;
use super::listing::{Bounds, Entry, Tree};
use super::network::waited;
use super::pinned::Pinned;
use super::place::{Failure, Pace, Place};
use super::profile;
use super::redact::redacted;
use super::service::Connector;

/// An object in the version in which it was listed.
#[derive(Debug)]
struct Object {
    store: Arc<dyn ObjectStore>,
    path: Path,
    size: u64,
    tag: Option<String>,
}

impl Object {
    /// See [`Place::more`].
    async fn part(&self, range: Range<u64>, got: &mut Vec<u8>) -> std::result::Result<(), Failure> {
        let most = got.len() + (range.end - range.start) as usize;
        let options = GetOptions {
            range: Some(GetRange::Bounded(range)),
            // A weak tag never matches, by definition.
            if_match: self.tag.clone().filter(|tag| !tag.starts_with("W/")),
            ..GetOptions::default()
        };
        let answer = self.store.get_opts(&self.path, options).await;
        let answer = answer.map_err(failure)?;
        if answer.meta.size != self.size || tag(&answer.meta) != self.tag {
            return Err(Failure::Changed);
        }
        let (mut bytes, mut pace) = (answer.into_stream(), Pace::new());
        while let Some(piece) = bytes.next().await {
            // The store has tried again itself; behind what came before it is tried from there.
            let piece = piece.map_err(|error| Failure::passing(redacted(&error)))?;
            got.extend_from_slice(&piece);
            if got.len() > most {
                break;
            }
            pace.came(piece.len())?;
        }
        Ok(())
    }
}

impl Place for Object {
    fn more<'a>(
        &'a self,
        range: Range<u64>,
        got: &'a mut Vec<u8>,
    ) -> BoxFuture<'a, std::result::Result<(), Failure>> {
        Box::pin(self.part(range, got))
    }
}

/// What a failure of the store means. It has tried again itself, many times, where that makes sense.
fn failure(error: StoreError) -> Failure {
    match error {
        StoreError::Precondition { .. } | StoreError::NotFound { .. } => Failure::Changed,
        error => Failure::Final(said(&error)),
    }
}

fn said(error: &StoreError) -> String {
    match error {
        StoreError::PermissionDenied { .. } | StoreError::Unauthenticated { .. } => {
            "access is denied; set the credentials in the environment, or read without any (docs/guide/inputs.md)".into()
        }
        StoreError::NotFound { .. } => "nothing is there".into(),
        error => redacted(error),
    }
}

/// The ETag in one form: some stores list it without quotation marks and send it with them.
fn tag(meta: &ObjectMeta) -> Option<String> {
    let tag = meta.e_tag.as_deref()?;
    Some(match tag.starts_with('"') || tag.starts_with("W/") {
        true => tag.to_owned(),
        false => format!("\"{tag}\""),
    })
}

/// Opens a bucket.
pub fn open(scheme: &str, name: &str) -> object_store::Result<Arc<dyn ObjectStore>> {
    // It would be sent as a name.
    if name.contains(':') {
        return Err(StoreError::Generic {
            store: "bucket",
            source: "keys are no part of a URL; set them in the environment (docs/guide/inputs.md)"
                .into(),
        });
    }
    Ok(match scheme {
        "s3" => {
            let failed = |reason: String| StoreError::Generic {
                store: "S3",
                source: reason.into(),
            };
            let builder = profile::apply(AmazonS3Builder::from_env()).map_err(failed)?;
            let mut builder = builder.with_bucket_name(name);
            // As the cloud's own tool: an endpoint of http:// is meant so.
            let endpoints = [AmazonS3ConfigKey::Endpoint, AmazonS3ConfigKey::S3Endpoint];
            let endpoint = endpoints
                .iter()
                .find_map(|key| builder.get_config_value(key));
            if endpoint.is_some_and(|url| url.starts_with("http://")) {
                builder = builder.with_allow_http(true);
            }
            Arc::new(builder.with_http_connector(Connector).build()?)
        }
        "gs" => {
            let builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(name);
            Arc::new(builder.with_http_connector(Connector).build()?)
        }
        _ => {
            let builder = MicrosoftAzureBuilder::from_env().with_container_name(name);
            Arc::new(builder.with_http_connector(Connector).build()?)
        }
    })
}

/// Opens the bucket of a URL; and its key.
pub fn open_url(url: &str) -> Result<(Arc<dyn ObjectStore>, Path)> {
    let (scheme, rest) = url.split_once("://").unwrap_or_default();
    let (name, key) = rest.split_once('/').unwrap_or((rest, ""));
    let shown = shown_input(url.as_ref());
    let failed =
        |reason: &dyn std::fmt::Display| Error::usage(format!("{}: {reason}", shown.display()));
    let path = Path::parse(key).map_err(|error| failed(&error))?;
    let store = open(scheme, name).map_err(|error| failed(&said(&error)))?;
    Ok((store, path))
}

/// How long the next object of a list is waited for: parts of a list may be empty, and there may be no end of them.
const NEXT_LISTED: Duration = Duration::from_secs(600);

/// What lies below a path.
pub async fn below(store: &Arc<dyn ObjectStore>, path: &Path) -> object_store::Result<Vec<Entry>> {
    let endless = |why: String| StoreError::Generic {
        store: "list",
        source: why.into(),
    };
    let (mut list, mut bounds) = (store.list(Some(path)), Bounds::default());
    let mut found = Vec::new();
    loop {
        let next = tokio::time::timeout(NEXT_LISTED, list.next()).await;
        let next = next.map_err(|_| endless("no object came in 10 minutes".into()))?;
        let Some(meta) = next else {
            return Ok(found);
        };
        let entry = entry(&meta?);
        bounds.add(&entry.key).map_err(endless)?;
        found.push(entry);
    }
}

/// For messages about a URL.
pub fn failed(doing: &'static str, url: &str) -> impl Fn(StoreError) -> Error + use<> {
    let shown = shown_input(url.as_ref()).display().to_string();
    move |error| Error::usage(format!("cannot {doing} {shown}: {}", said(&error)))
}

/// What `scheme://rest` names: an object, a folder of objects, or a pattern.
pub fn list(
    store: Arc<dyn ObjectStore>,
    scheme: &str,
    rest: &str,
    cache: Option<Arc<Cache>>,
) -> Result<Vec<RemoteInput>> {
    let url = format!("{scheme}://{rest}");
    let (name, key) = rest.split_once('/').unwrap_or((rest, ""));
    let tree = Tree {
        root: format!("{scheme}://{name}"),
        parts: vec![name.to_owned()],
    };
    let make = |entry: &Entry| {
        let object = Object {
            store: Arc::clone(&store),
            // Parsed, not made: a name is not encoded once more.
            path: Path::parse(&entry.key).unwrap_or_default(),
            size: entry.size,
            tag: entry.version.clone(),
        };
        Pinned::file(Box::new(object), cache.clone())
    };
    waited(async {
        let failed = failed("read INPUT", &url);
        let parse = |key: &str| Path::parse(key).map_err(|error| failed(error.into()));
        if !key.is_empty() && !key.ends_with('/') {
            match store.head(&parse(key)?).await {
                Ok(meta) => return Ok(vec![tree.file(&entry(&meta), make)]),
                Err(StoreError::NotFound { .. }) => {}
                Err(error) => return Err(failed(error)),
            }
        }
        let found = below(&store, &parse(tree.folder_of(key))?).await;
        tree.inputs(key, found.map_err(&failed)?, make)
    })
}

fn entry(meta: &ObjectMeta) -> Entry {
    Entry {
        key: meta.location.to_string(),
        size: meta.size,
        version: tag(meta),
    }
}
