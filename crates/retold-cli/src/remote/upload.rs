//! What is sent to the hub: requests with JSON, and files.

use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine};
use reqwest::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE};
use reqwest::{Body, RequestBuilder, Response, Url};
use ring::digest::{Context, SHA256};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::hub::{Hub, LARGEST};
use super::place::Failure;
use super::web::{Answer, accepted, broken, read};

/// Kinds of JSON.
pub const JSON: &str = "application/json";
pub const LFS_JSON: &str = "application/vnd.git-lfs+json";
/// The hub decides by a file's first bytes how it is stored.
const SAMPLE: usize = 512;
/// The slowest connection that is waited for, in bytes a second, and how long a request may take besides.
const SLOWEST: u64 = 16 << 10;
pub const PATIENCE: Duration = Duration::from_secs(600);

/// A file to upload.
pub struct Upload {
    /// Its name in the data set.
    pub name: String,
    pub path: PathBuf,
    pub size: u64,
}

impl Upload {
    /// How the hub is told of it.
    pub fn described(&self) -> Result<Value, String> {
        let mut sample = Vec::new();
        let file = std::fs::File::open(&self.path);
        let begin = file.and_then(|file| file.take(SAMPLE as u64).read_to_end(&mut sample));
        begin.map_err(|error| format!("{}: {error}", self.path.display()))?;
        let sample = BASE64_STANDARD.encode(&sample);
        Ok(json!({"path": self.name, "size": self.size, "sample": sample}))
    }

    /// The SHA-256 of the content.
    pub fn digest(&self) -> std::io::Result<String> {
        let (mut file, mut digest) = (std::fs::File::open(&self.path)?, Context::new(&SHA256));
        let mut piece = vec![0; 1 << 20];
        loop {
            match file.read(&mut piece)? {
                0 => break,
                count => digest.update(&piece[..count]),
            }
        }
        let bytes = digest.finish();
        Ok(bytes
            .as_ref()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect())
    }
}

/// A request that may see what only the user sees.
pub fn with_token(request: RequestBuilder, hub: &Hub) -> RequestBuilder {
    match &hub.token {
        Some(token) => request.bearer_auth(token),
        None => request,
    }
}

/// Posts JSON to the hub.
pub async fn post(hub: &Hub, url: &Url, kind: &str, body: &Value) -> Answer<Response> {
    let request = with_token(hub.clients.plain().post(url.clone()), hub);
    let request = request.header(CONTENT_TYPE, kind).header(ACCEPT, kind);
    let request = request.timeout(PATIENCE).body(body.to_string());
    accepted(request.send().await.map_err(broken)?)
}

/// What an answer says as JSON.
pub async fn told<T: DeserializeOwned>(answer: Response) -> Answer<T> {
    let mut body = Vec::new();
    read(answer, LARGEST, &mut body).await?;
    serde_json::from_slice(&body)
        .map_err(|error| Failure::Final(format!("this is not an answer of a hub: {error}")))
}

/// A request with a part of a file, which is read while it is sent.
pub fn with_file(
    request: RequestBuilder,
    path: &Path,
    range: Range<u64>,
) -> std::io::Result<RequestBuilder> {
    let size = range.end - range.start;
    let mut file = std::fs::File::open(path)?;
    file.seek(SeekFrom::Start(range.start))?;
    let pieces = futures_util::stream::unfold(file.take(size), async |mut file| {
        let mut piece = vec![0; 1 << 20];
        match file.read(&mut piece) {
            Ok(0) => None,
            Ok(count) => {
                piece.truncate(count);
                Some((Ok(piece), file))
            }
            Err(error) => Some((Err(error), file)),
        }
    });
    // Stores want to know the length before.
    let request = request
        .header(CONTENT_LENGTH, size)
        .body(Body::wrap_stream(pieces));
    Ok(request.timeout(PATIENCE + Duration::from_secs(size / SLOWEST)))
}
