//! Tests of the service through its HTTP interface.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::too_many_lines, reason = "a test is read from top to bottom")]

mod adds;
mod feeds;
mod hostile;
mod manners;
#[cfg(feature = "mcp")]
mod mcp;
mod passages;
mod routes;
mod upkeep;

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use retold::{JudgeConfig, Model};
use retold_index::Index;
use serde_json::Value;
use tempfile::TempDir;
use tower::ServiceExt;

use crate::{App, Options, app};

struct Served {
    app: App,
    folder: TempDir,
}

#[derive(Debug)]
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|e| panic!("{e}: {}", self.text))
    }

    fn matches(&self) -> Vec<String> {
        let json = self.json();
        let matches = json["matches"]
            .as_array()
            .unwrap_or_else(|| panic!("{json}"));
        matches
            .iter()
            .map(|found| found["id"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Checks that the answer is an error with this status and that its text contains `says`.
    #[track_caller]
    fn is_problem(&self, status: u16, says: &str) {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        assert_eq!(self.headers["content-type"], "application/problem+json");
        let json = self.json();
        assert_eq!(json["status"], status);
        assert_eq!(json["type"], "about:blank");
        assert!(json["title"].is_string());
        let detail = json["detail"].as_str().unwrap();
        assert!(detail.contains(says), "{detail}");
    }
}

impl Served {
    fn new(options: Options) -> Served {
        let folder = tempfile::tempdir().unwrap();
        let model = Model::new(JudgeConfig::default()).unwrap();
        let writer = Index::builder(folder.path().join("index"))
            .create(&model)
            .unwrap();
        Served {
            app: App::writing(writer, options).unwrap(),
            folder,
        }
    }

    async fn ask(&self, method: &str, path: &str, kind: &str, body: impl Into<Body>) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("content-type", kind);
        self.send(request.body(body.into()).unwrap()).await
    }

    async fn send(&self, request: Request<Body>) -> Answer {
        let response = app(self.app.clone()).oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        Answer {
            status: parts.status,
            headers: parts.headers,
            text: String::from_utf8(bytes.to_vec()).unwrap(),
        }
    }

    async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, "", Body::empty()).await
    }

    async fn post(&self, path: &str, json: &Value) -> Answer {
        self.ask("POST", path, "application/json", json.to_string())
            .await
    }
}

fn article(number: u32) -> String {
    let sentence = |n: u32| {
        format!(
            "In part {n} of story {number} the captain of boat {} told passenger {} about island {}. ",
            number * 31 + n,
            number * 17 + n,
            number * 7 + n * n
        )
    };
    (0..12).map(sentence).collect()
}

fn quick() -> Options {
    Options {
        read_timeout: Duration::from_millis(300),
        grace: Duration::from_secs(5),
        ..Options::default()
    }
}
