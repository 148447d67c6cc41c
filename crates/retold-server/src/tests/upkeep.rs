//! Bodies that are compressed or archives, and what keeps an index in shape.

use std::io::Write;

use axum::body::Body;
use axum::http::Request;
use flate2::Compression;
use flate2::write::GzEncoder;
use retold_index::Index;
use serde_json::json;

use super::{Answer, Served, article};
use crate::Options;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

async fn send(served: &Served, coding: &str, kind: &str, body: Vec<u8>) -> Answer {
    let request = Request::builder()
        .method("POST")
        .uri("/v1/pages")
        .header("content-type", kind)
        .header("content-encoding", coding);
    served.send(request.body(Body::from(body)).unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_may_be_compressed_within_the_limits() {
    let served = Served::new(Options {
        max_body: 100_000,
        ..Options::default()
    });
    let kind = "application/json";
    let page = |id: &str, n: u32| {
        json!({"id": id, "text": article(n)})
            .to_string()
            .into_bytes()
    };
    let packed = gzip(&page("a", 1));
    assert_eq!(
        send(&served, "gzip", kind, packed.clone()).await.json()["status"],
        "new"
    );
    let zstd = zstd::bulk::compress(&page("b", 1), 3).unwrap();
    let answer = send(&served, "zstd", kind, zstd).await;
    assert_eq!(answer.matches(), ["a"]);
    // Two members are one body.
    let third = page("c", 3);
    let (first, second) = third.split_at(200);
    let both = [gzip(first), gzip(second)].concat();
    assert_eq!(
        send(&served, "gzip", kind, both).await.json()["status"],
        "new"
    );
    let bomb = vec![b' '; 10_000_000];
    for (coding, packed) in [
        ("gzip", gzip(&bomb)),
        ("zstd", zstd::bulk::compress(&bomb, 3).unwrap()),
    ] {
        send(&served, coding, kind, packed)
            .await
            .is_problem(413, "more than 100000 bytes");
    }
    for (coding, packed) in [
        ("gzip", &packed[..60]),
        ("gzip", &b"not packed"[..]),
        ("zstd", &b"nor this"[..]),
    ] {
        send(&served, coding, kind, packed.to_vec())
            .await
            .is_problem(400, "cannot be decompressed");
    }
    assert_eq!(served.app.index().len(), 3);
    // Nothing of the memory for bodies is held any more.
    assert_eq!(
        send(&served, "gzip", kind, packed).await.json()["status"],
        "unchanged"
    );
}

fn warc(pages: &[(&str, String)]) -> Vec<u8> {
    let mut warc = String::new();
    for (number, (url, text)) in pages.iter().enumerate() {
        let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{text}</p>");
        warc += &format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012}>\r\n\
             WARC-Target-URI: {url}\r\nWARC-Date: 2026-11-0{}T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n\
             Content-Length: {}\r\n\r\n{http}\r\n\r\n",
            number + 1,
            http.len()
        );
    }
    warc.into_bytes()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_warc_file_is_a_body() {
    let served = Served::new(Options {
        max_body: 20_000,
        ..Options::default()
    });
    let file = warc(&[
        ("http://a.example/1", article(1)),
        ("http://b.example/2", article(1)),
        ("http://a.example/3", article(3)),
    ]);
    for (body, status) in [(file.clone(), "new"), (gzip(&file), "unchanged")] {
        let answer = served
            .ask("POST", "/v1/pages", "application/warc", body)
            .await;
        let lines: Vec<serde_json::Value> = answer
            .text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines.len(), 3, "{}", answer.text);
        assert!(
            lines.iter().all(|line| line["status"] == status),
            "{}",
            answer.text
        );
        assert_eq!(lines[1]["matches"][0]["id"], "http://a.example/1");
    }
    let many: Vec<(&str, String)> = (0..60)
        .map(|n| ("http://a.example/x", article(n)))
        .collect();
    let bomb = gzip(&warc(&many));
    assert!(bomb.len() < 20_000, "{}", bomb.len());
    let answer = served
        .ask("POST", "/v1/pages", "application/warc", bomb)
        .await;
    answer.is_problem(413, "more than 20000 bytes");
    assert_eq!(served.app.index().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_in_any_form_and_what_the_page_was_before() {
    let served = Served::new(Options::default());
    let url = "http://a.example/story?id=7";
    let other = "http://A.example/story/?id=7&utm_source=feed#top";
    served
        .post("/v1/pages", &json!({"url": url, "text": article(1)}))
        .await;
    let added = served
        .post(
            "/v1/pages",
            &json!({"url": other, "text": format!("{} More.", article(1))}),
        )
        .await;
    assert_eq!(added.json()["status"], "replaced");
    for form in [url, other] {
        let form = form.replace('&', "%26").replace('#', "%23");
        let found = served.get(&format!("/v1/pages?url={form}")).await;
        assert_eq!(found.json()["id"], other);
    }
    let id = percent_encoding::utf8_percent_encode(other, percent_encoding::NON_ALPHANUMERIC);
    let versions = served.get(&format!("/v1/pages/{id}/versions")).await.json();
    assert_eq!(versions[0]["id"], url);
    assert_eq!(versions[0]["edits"]["added"], 1);
    assert_eq!(versions[0]["text"], article(1).trim());
    served
        .get("/v1/pages/nobody/versions")
        .await
        .is_problem(404, "nobody");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_is_kept_in_shape_while_it_is_served() {
    let served = Served::new(Options::default());
    for n in 0..6 {
        served
            .post(
                "/v1/pages",
                &json!({"id": format!("p{n}"), "text": article(n)}),
            )
            .await;
    }
    served
        .ask("DELETE", "/v1/pages/p3", "", Body::empty())
        .await;
    let stats = served.post("/v1/compact", &json!(null)).await.json();
    assert_eq!((&stats["pages"], &stats["gone"]), (&json!(5), &json!(0)));
    let epoch = stats["epoch"].as_u64().unwrap();
    let stats = served.post("/v1/learn", &json!(null)).await.json();
    assert_eq!(stats["epoch"], epoch + 1);
    served
        .post("/v1/snapshots", &json!(null))
        .await
        .is_problem(403, "--snapshots");
    let options = Options {
        snapshots: Some(served.folder.path().join("copies")),
        ..Options::default()
    };
    let index = Index::open(served.folder.path().join("index")).unwrap();
    let reading = crate::App::reading(index, options);
    let reading = Served {
        app: reading,
        folder: tempfile::tempdir().unwrap(),
    };
    reading
        .post("/v1/compact", &json!(null))
        .await
        .is_problem(403, "read-only");
    let made = reading.post("/v1/snapshots", &json!(null)).await;
    assert_eq!(made.status, 201, "{}", made.text);
    assert_eq!(made.json()["pages"], 5);
    let copy = made.json()["folder"].as_str().unwrap().to_owned();
    assert_eq!(Index::open(copy).unwrap().len(), 5);
}
