//! An output elsewhere: a run writes to a local folder, which is uploaded when it is complete.

use std::path::{Path, PathBuf};

use retold::{Error, Result};
use tempfile::TempDir;

use super::bucket_out::BucketOut;
use super::hub_out::HubOut;

/// Where a run writes, and where that goes.
pub struct RemoteOut {
    folder: TempDir,
    place: Place,
}

enum Place {
    Bucket(BucketOut),
    Hub(HubOut),
}

impl RemoteOut {
    /// Whether this is the URL of a bucket, or of a data set of the hub.
    pub fn is_url(out: &Path) -> bool {
        let url = out.to_str().unwrap_or_default();
        ["s3://", "gs://", "az://", "hf://"]
            .iter()
            .any(|scheme| url.starts_with(scheme))
    }

    /// Looks at what is there; `temporary` is where the run will write first.
    ///
    /// Errors: it cannot be listed, it has something and may not be replaced, or it lies in an INPUT or has one in it.
    pub fn open(
        out: &Path,
        inputs: &[PathBuf],
        force: bool,
        temporary: Option<&Path>,
    ) -> Result<RemoteOut> {
        let url = out.to_string_lossy().trim_end_matches('/').to_owned();
        let slashed = |url: &str| format!("{}/", url.trim_end_matches('/'));
        for input in inputs.iter().filter_map(|input| input.to_str()) {
            let (input, out) = (slashed(input), slashed(&url));
            if input.starts_with(&out) || out.starts_with(&input) {
                return Err(Error::usage(format!(
                    "-o {url}: OUT and INPUT {input} overlap; name another place"
                )));
            }
        }
        let place = match url.strip_prefix("hf://") {
            Some(rest) => Place::Hub(HubOut::open(rest, force)?),
            None => Place::Bucket(BucketOut::open(&url, force)?),
        };
        let made = match temporary {
            Some(folder) => tempfile::tempdir_in(folder),
            None => tempfile::tempdir(),
        };
        let folder = temporary.map_or_else(std::env::temp_dir, Path::to_owned);
        Ok(RemoteOut {
            folder: made.map_err(Error::io("cannot make a temporary folder in", &folder))?,
            place,
        })
    }

    /// The folder for the run.
    pub fn folder(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    /// Uploads what the run wrote.
    ///
    /// Errors: it cannot be uploaded.
    pub fn upload(self) -> Result<()> {
        let folder = self.folder();
        match self.place {
            Place::Bucket(bucket) => bucket.upload(&folder),
            Place::Hub(hub) => hub.push(&folder),
        }
    }
}
