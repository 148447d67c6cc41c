//! An output folder in a bucket, `summary.json` last.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use object_store::buffered::BufWriter;
use object_store::path::Path as Key;
use object_store::{ObjectStore, ObjectStoreExt};
use retold::{Error, Result};
use tokio::io::AsyncWriteExt;

use super::bucket::{below, failed, open_url};
use super::network::waited;

/// The names of what a run wrote, one a line.
const MANIFEST: &str = ".retold-files";
const SUMMARY: &str = "summary.json";

/// The folder, and what is there of an earlier run.
pub struct BucketOut {
    url: String,
    store: Arc<dyn ObjectStore>,
    root: Key,
    earlier: BTreeSet<String>,
}

impl BucketOut {
    /// Looks at what is there.
    ///
    /// Errors: it cannot be listed, or has objects and may not be replaced.
    pub fn open(url: &str, force: bool) -> Result<BucketOut> {
        let (store, root) = open_url(url)?;
        let failed = failed("write", url);
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
        Ok(BucketOut {
            url: url.to_owned(),
            store,
            root,
            earlier: String::from_utf8_lossy(&earlier)
                .lines()
                .map(str::to_owned)
                .collect(),
        })
    }

    /// Uploads what the run wrote. Until the end there is no summary, and the list of files has those of both runs.
    ///
    /// Errors: it cannot be uploaded; a run with `--force` begins anew.
    pub fn upload(self, folder: &Path) -> Result<()> {
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
                self.put(folder, name).await?;
            }
            for name in self.earlier.difference(&new) {
                self.remove(name).await?;
            }
            self.store
                .put(&manifest, listed.clone().into())
                .await
                .map_err(&failed)?;
            self.put(folder, SUMMARY).await
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
