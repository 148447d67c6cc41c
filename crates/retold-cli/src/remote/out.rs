//! An output folder in a bucket: a run writes to a local folder, which is uploaded when it is complete, `summary.json` last.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use object_store::buffered::BufWriter;
use object_store::path::Path as Key;
use object_store::{ObjectStore, ObjectStoreExt};
use retold::{Error, Result};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;

use super::bucket::{below, failed, open_url};
use super::network::waited;

/// The names of what a run wrote, one a line.
const MANIFEST: &str = ".retold-files";
const SUMMARY: &str = "summary.json";

/// Where a run writes, and where that goes.
pub struct RemoteOut {
    url: String,
    store: Arc<dyn ObjectStore>,
    root: Key,
    folder: TempDir,
    /// What is there of an earlier run.
    earlier: BTreeSet<String>,
}

impl RemoteOut {
    /// Whether this is the URL of a bucket.
    pub fn is_url(out: &Path) -> bool {
        let url = out.to_str().unwrap_or_default();
        ["s3://", "gs://", "az://"]
            .iter()
            .any(|scheme| url.starts_with(scheme))
    }

    /// Looks at what is there; `temporary` is where the run will write first.
    ///
    /// Errors: it cannot be listed, it has objects and may not be replaced, or it lies in an INPUT or has one in it.
    pub fn open(
        out: &Path,
        inputs: &[PathBuf],
        force: bool,
        temporary: Option<&Path>,
    ) -> Result<RemoteOut> {
        let url = out.to_string_lossy().trim_end_matches('/').to_owned();
        let (store, root) = open_url(&url)?;
        let slashed = |url: &str| format!("{}/", url.trim_end_matches('/'));
        for input in inputs.iter().filter_map(|input| input.to_str()) {
            let (input, out) = (slashed(input), slashed(&url));
            if input.starts_with(&out) || out.starts_with(&input) {
                return Err(Error::usage(format!(
                    "-o {url}: OUT and INPUT {input} overlap; name another place"
                )));
            }
        }
        let failed = failed("write", &url);
        let (found, earlier) = waited(async {
            let found = below(&store, &root).await.map_err(&failed)?;
            let earlier = match store.get(&root.clone().join(MANIFEST)).await {
                Ok(list) => list.bytes().await.map_err(&failed)?.to_vec(),
                Err(object_store::Error::NotFound { .. }) => Vec::new(),
                Err(error) => return Err(failed(error)),
            };
            Ok((found, earlier))
        })?;
        if !found.is_empty() && !force {
            return Err(Error::usage(format!(
                "-o {url}: the folder has objects; name another place, or add --force to replace what an earlier run of retold wrote there (other \
                 objects stay)"
            )));
        }
        let made = match temporary {
            Some(folder) => tempfile::tempdir_in(folder),
            None => tempfile::tempdir(),
        };
        let place = temporary.map_or_else(std::env::temp_dir, Path::to_owned);
        Ok(RemoteOut {
            store,
            root,
            folder: made.map_err(Error::io("cannot make a temporary folder in", &place))?,
            earlier: String::from_utf8_lossy(&earlier)
                .lines()
                .map(str::to_owned)
                .collect(),
            url,
        })
    }

    /// The folder for the run.
    pub fn folder(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    /// Uploads what the run wrote. Until the end there is no summary, and the list of files has those of both runs.
    ///
    /// Errors: it cannot be uploaded; a run with `--force` begins anew.
    pub fn upload(self) -> Result<()> {
        let folder = self.folder();
        let listed = std::fs::read_to_string(folder.join(MANIFEST));
        let listed = listed.map_err(Error::io("cannot read", &folder.join(MANIFEST)))?;
        let new: BTreeSet<String> = listed.lines().map(str::to_owned).collect();
        let both: Vec<&str> = new.union(&self.earlier).map(String::as_str).collect();
        let failed = failed("write", &self.url);
        let manifest = self.root.clone().join(MANIFEST);
        waited(async {
            let list = both.join("\n") + "\n";
            self.store
                .put(&manifest, list.into())
                .await
                .map_err(&failed)?;
            self.remove(SUMMARY).await?;
            for name in new.iter().filter(|name| *name != SUMMARY) {
                self.put(&folder, name).await?;
            }
            for name in self.earlier.difference(&new) {
                self.remove(name).await?;
            }
            self.store
                .put(&manifest, listed.clone().into())
                .await
                .map_err(&failed)?;
            self.put(&folder, SUMMARY).await
        })
    }

    fn key(&self, name: &str) -> Result<Key> {
        let key = Key::parse(format!("{}/{name}", self.root));
        key.map_err(|error| Error::usage(format!("cannot write {}/{name}: {error}", self.url)))
    }

    async fn put(&self, folder: &Path, name: &str) -> Result<()> {
        let unread = |error| Error::io("cannot read", &folder.join(name))(error);
        let unwritten = |error: std::io::Error| {
            // What the store says is inside.
            match error.downcast::<object_store::Error>() {
                Ok(error) => failed("write", &format!("{}/{name}", self.url))(error),
                Err(error) => Error::usage(format!("cannot write {}/{name}: {error}", self.url)),
            }
        };
        let mut from = std::fs::File::open(folder.join(name)).map_err(unread)?;
        let mut to = BufWriter::new(Arc::clone(&self.store), self.key(name)?);
        let mut piece = vec![0; 1 << 20];
        loop {
            let count = std::io::Read::read(&mut from, &mut piece).map_err(unread)?;
            if count == 0 {
                return to.shutdown().await.map_err(unwritten);
            }
            to.write_all(&piece[..count]).await.map_err(unwritten)?;
        }
    }

    async fn remove(&self, name: &str) -> Result<()> {
        match self.store.delete(&self.key(name)?).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed("write", &format!("{}/{name}", self.url))(error)),
        }
    }
}
