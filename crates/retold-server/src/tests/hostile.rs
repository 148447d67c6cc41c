//! Hostile and faulty clients.

use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use super::*;
use crate::{Stop, serve};

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_are_no_pages() {
    let served = Served::new(Options {
        max_body: 10_000,
        ..Options::default()
    });
    let kind = "application/json";
    for (body, status, says) in [
        ("", 400, "invalid JSON"),
        ("{", 400, "invalid JSON"),
        ("[1, 2", 400, "invalid JSON"),
        ("{\"id\": \"a\"}", 422, "text"),
        ("{\"id\": \"a\", \"text\": {\"a\": 1}}", 422, "text"),
        ("{\"id\": \"a\", \"text\": 7}", 422, "text"),
        ("{\"text\": \"x\"}", 422, "no id"),
    ] {
        served
            .ask("POST", "/v1/pages", kind, body)
            .await
            .is_problem(status, says);
    }
    let deep = "[".repeat(4000);
    served
        .ask(
            "POST",
            "/v1/pages",
            kind,
            format!("{{\"id\": \"a\", \"x\": {deep}"),
        )
        .await
        .is_problem(400, "");
    served
        .ask("POST", "/v1/pages", kind, vec![0xff; 100])
        .await
        .is_problem(400, "UTF-8");
    served
        .ask("POST", "/v1/pages", kind, vec![b'x'; 10_001])
        .await
        .is_problem(413, "more than 10000 bytes");
    served
        .ask("POST", "/v1/pages", "image/png", "x")
        .await
        .is_problem(415, "image/png");
    served
        .ask("POST", "/v1/pages", "", "x")
        .await
        .is_problem(415, "Content-Type");
    served
        .ask("POST", "/v1/pages?matches=many", kind, "{}")
        .await
        .is_problem(400, "matches");
    let packed = Request::builder()
        .method("POST")
        .uri("/v1/pages")
        .header("content-type", kind)
        .header("content-encoding", "br");
    served
        .send(packed.body(Body::from("x")).unwrap())
        .await
        .is_problem(415, "Content-Encoding");
    served
        .ask("PUT", "/v1/pages", kind, "x")
        .await
        .is_problem(405, "PUT");
    assert_eq!(served.app.index.len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_that_lead_elsewhere() {
    let served = Served::new(Options::default());
    for path in [
        "/v1/pages/..%2F..%2Fetc%2Fpasswd",
        "/v1/pages/%00",
        "/v1/pages/manifest.json",
        "/v1/pages/%F0%9F%8D%8E",
    ] {
        served
            .get(path)
            .await
            .is_problem(404, "no page of the index");
    }
    for path in [
        "/v1/../etc/passwd",
        "//v1/pages/a",
        "/v1/pages/a/b",
        "/v1/pages//",
        "/index",
        "/v1",
    ] {
        let status = served.get(path).await.status;
        assert!(
            status == StatusCode::NOT_FOUND || status == StatusCode::METHOD_NOT_ALLOWED,
            "{path}: {status}"
        );
    }
    served.get("/v1/pages/%ff").await.is_problem(400, "UTF-8");
    let long = format!("/v1/pages/{}", "a".repeat(60_000));
    served.get(&long).await.is_problem(404, "no page");
}

struct Listening {
    address: std::net::SocketAddr,
    stop: oneshot::Sender<()>,
    ended: tokio::task::JoinHandle<retold::Result<Stop>>,
    served: Served,
}

async fn listening(options: Options) -> Listening {
    let served = Served::new(options);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let app = served.app.clone();
    let ended = tokio::spawn(async move {
        serve(app, listener, async {
            let _ = stopped.await;
        })
        .await
    });
    Listening {
        address,
        stop,
        ended,
        served,
    }
}

impl Listening {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends bytes and reads until the service closes the connection.
    async fn exchange(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect().await;
        stream.write_all(bytes).await.unwrap();
        read_all(&mut stream).await
    }

    async fn is_well(&self) -> bool {
        let answer = self
            .exchange(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .await;
        answer.starts_with("HTTP/1.1 200") && answer.ends_with("ok\n")
    }
}

async fn read_all(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    // After a reset, no more data will come.
    let _ = tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut text))
        .await
        .expect("the service closes");
    String::from_utf8_lossy(&text).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_clients_are_let_go() {
    let on = listening(quick()).await;
    // A client that never ends its head, never sends its body, or sends nothing is disconnected; others are served.
    let mut heads = on.connect().await;
    heads
        .write_all(b"GET /healthz HTTP/1.1\r\nX: ")
        .await
        .unwrap();
    let mut bodies = on.connect().await;
    bodies.write_all(b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 100\r\nConnection: close\r\n\r\nabc").await.unwrap();
    let mut silent = on.connect().await;
    assert!(on.is_well().await);
    let answer = read_all(&mut bodies).await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(answer.contains("the body did not come within"), "{answer}");
    read_all(&mut heads).await;
    read_all(&mut silent).await;
    assert!(on.is_well().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_http_is_refused() {
    let on = listening(quick()).await;
    for garbage in [
        &b"\x16\x03\x01\x02\x00\x01\x00"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        &[0; 2000],
    ] {
        let answer = on.exchange(garbage).await;
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 400"),
            "{answer}"
        );
    }
    let header = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "a".repeat(200_000));
    let answer = on.exchange(header.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
    // A body without a length is counted while it is received.
    let chunks = format!("{:x}\r\n{}\r\n", 1 << 20, "a".repeat(1 << 20)).repeat(17);
    let head = "POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n";
    let mut stream = on.connect().await;
    let (mut read, mut write) = stream.split();
    let mut first = [0; 12];
    let (_, answered) = tokio::join!(
        async {
            drop(
                write
                    .write_all(format!("{head}{chunks}0\r\n\r\n").as_bytes())
                    .await,
            )
        },
        read.read_exact(&mut first),
    );
    answered.unwrap();
    assert_eq!(&first, b"HTTP/1.1 413");
    assert!(on.is_well().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_sends_a_large_body_can_read_the_answer() {
    let on = listening(Options::default()).await;
    let body = vec![b'a'; 24 << 20];
    for (line, status) in [
        ("POST /v1/query", 413),
        ("POST /v1/nothing", 404),
        ("PUT /v1/pages", 405),
        ("POST /v1/query HTTP/1.1\r\nHost: evil.example\r\nX:", 421),
        ("what is no request", 400),
    ] {
        let lengths = [
            "Transfer-Encoding: chunked".to_owned(),
            format!("Content-Length: {}", body.len()),
        ];
        for length in lengths {
            let head = format!(
                "{line} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n{length}\r\n\r\n"
            );
            let mut sent = head.into_bytes();
            if length.starts_with('T') {
                sent.extend_from_slice(format!("{:x}\r\n", body.len()).as_bytes());
            }
            sent.extend_from_slice(&body);
            let answer = on.exchange(&sent).await;
            let expected = format!("HTTP/1.1 {status}");
            assert!(answer.starts_with(&expected), "{line}, {length}: {answer}");
        }
    }
    // So can one that comes too many.
    let on = listening(Options {
        max_connections: 1,
        ..Options::default()
    })
    .await;
    let idle = on.connect().await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    let head = b"POST /v1/query HTTP/1.1\r\nContent-Length: 25165824\r\n\r\n";
    let answer = on.exchange(&[&head[..], &body].concat()).await;
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    drop(idle);
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_at_a_time_are_told_so() {
    let on = listening(Options {
        max_connections: 20,
        ..quick()
    })
    .await;
    let mut idle = Vec::new();
    for _ in 0..20 {
        idle.push(on.connect().await);
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    let mut refused = on.connect().await;
    let answer = read_all(&mut refused).await;
    assert!(
        answer.starts_with("HTTP/1.1 503") && answer.contains("Retry-After: 1"),
        "{answer}"
    );
    // Once idle connections are closed, there is room again.
    for stream in &mut idle {
        read_all(stream).await;
    }
    assert!(on.is_well().await);

    // Requests beyond the limit are told to come again.
    let served = Arc::new(Served::new(Options {
        max_requests: 1,
        ..Options::default()
    }));
    let long: String = (0..300).map(article).collect();
    let asked: Vec<_> = (0..20)
        .map(|_| {
            let (served, long) = (Arc::clone(&served), long.clone());
            tokio::spawn(async move { served.ask("POST", "/v1/query", "text/plain", long).await })
        })
        .collect();
    let mut statuses = Vec::new();
    for answer in asked {
        let answer = answer.await.unwrap();
        if answer.status != StatusCode::OK {
            answer.is_problem(503, "try again");
            assert_eq!(answer.headers["retry-after"], "1");
        }
        statuses.push(answer.status);
    }
    assert!(statuses.contains(&StatusCode::OK), "{statuses:?}");
    assert!(
        statuses.contains(&StatusCode::SERVICE_UNAVAILABLE),
        "{statuses:?}"
    );
    // Bodies take no more memory than allowed.
    let small = Served::new(Options {
        max_bodies: 64 << 10,
        ..Options::default()
    });
    small
        .ask("POST", "/v1/query", "text/plain", long)
        .await
        .is_problem(503, "bodies");
    let answer = small
        .ask("POST", "/v1/query", "text/plain", article(1))
        .await;
    assert_eq!(answer.status, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_accepted_is_finished() {
    let on = listening(quick()).await;
    // Requests in progress when the service is stopped are answered, and acknowledged pages stay.
    let text = json!({"id": "a", "text": article(1)}).to_string();
    let head = format!(
        "POST /v1/pages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        text.len()
    );
    let mut stream = on.connect().await;
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&text.as_bytes()[..50]).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    on.stop.send(()).unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(
        TcpStream::connect(on.address).await.is_err(),
        "new ones are not accepted"
    );
    stream.write_all(&text.as_bytes()[50..]).await.unwrap();
    let answer = read_all(&mut stream).await;
    assert!(
        answer.starts_with("HTTP/1.1 200") && answer.contains("\"new\""),
        "{answer}"
    );
    assert_eq!(on.ended.await.unwrap().unwrap(), Stop::Whole);
    let index = retold_index::Index::open(on.served.folder.path().join("index")).unwrap();
    assert_eq!(index.len(), 1);
    retold_index::Index::builder(on.served.folder.path().join("index"))
        .write()
        .unwrap();
}

/// Pages that wait for the disk take memory just as bodies do.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_made_of_bodies_has_a_limit() {
    let served = Served::new(Options {
        max_bodies: 1 << 20,
        ..Options::default()
    });
    let lines: String = (0..200)
        .map(|n| format!("{}\n", json!({"id": n.to_string(), "text": article(n)})))
        .collect();
    assert!(
        (100 << 10..300 << 10).contains(&lines.len()),
        "{}",
        lines.len()
    );
    let mut other = served.app.room().unwrap();
    other.set(600 << 10).unwrap();
    let add = || served.ask("POST", "/v1/pages", "application/x-ndjson", lines.clone());
    // There is memory for the body but not for its pages, nor for work on one long page.
    add().await.is_problem(503, "bodies and pages");
    let long = "The ferry left late. ".repeat(5000);
    let ask = || served.ask("POST", "/v1/query", "text/plain", long.clone());
    ask().await.is_problem(503, "bodies and pages");
    assert_eq!(served.app.index.len(), 0);
    drop(other);
    // Work on the long page may not have ended yet.
    let mut added = add().await;
    for _ in 0..100 {
        if added.status == StatusCode::OK {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        added = add().await;
    }
    assert_eq!(added.status, StatusCode::OK);
    assert_eq!(served.app.index.len(), 200);
    assert_eq!(ask().await.status, StatusCode::OK);
    // All memory is free again.
    let mut all = served.app.room().unwrap();
    all.set(1 << 20).unwrap();
    served
        .ask("POST", "/v1/query", "text/plain", article(1))
        .await
        .is_problem(503, "bodies and pages");
}

/// Clients that wait for the disk are told in time that it will not be done.
#[tokio::test(flavor = "multi_thread")]
async fn what_waits_too_long_at_the_end_is_refused() {
    let served = Served::new(Options::default());
    let committer = served.app.committer.as_ref().unwrap();
    committer.end_by(Instant::now());
    let page = json!({"id": "a", "text": article(1)});
    served
        .post("/v1/pages", &page)
        .await
        .is_problem(503, "stopping");
    served
        .ask("DELETE", "/v1/pages/a", "", "")
        .await
        .is_problem(503, "stopping");
    let soon = Instant::now() + Duration::from_secs(60);
    assert!(
        committer.finish(soon).await.unwrap(),
        "and the index is closed"
    );
    assert_eq!(served.app.index.len(), 0);
}

/// Three hundred idle connections here; `lab/examples/load.rs` opens ten thousand.
#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_harm_nobody() {
    let on = listening(quick()).await;
    let mut idle = Vec::new();
    for _ in 0..300 {
        idle.push(on.connect().await);
    }
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(600) {
        assert!(on.is_well().await);
    }
    for stream in &mut idle {
        read_all(stream).await;
    }
    // Neither half of an HTTP/2 preface nor a single request keeps a connection open.
    let half = on.exchange(b"PRI * HTTP/2.0\r\n").await;
    assert_eq!(half, "");
    let once = on
        .exchange(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .await;
    assert!(once.starts_with("HTTP/1.1 200"), "{once}");
}

/// A page that the user of this machine visits tries to reach the service under a foreign host name, or from another origin.
#[tokio::test]
async fn pages_of_other_sites_cannot_use_a_service_without_tokens() {
    let served = Served::new(Options {
        hosts: vec!["retold.example".into()],
        ..Options::default()
    });
    let ask = async |headers: &[(&str, &str)], method: &str, path: &str| {
        let mut request = Request::builder().method(method).uri(path);
        request = request.header("content-type", "text/plain");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(super::article(1))).unwrap();
        served.send(request).await
    };
    let add = "/v1/pages?id=a";
    for host in [
        "evil.example",
        "evil.example:7700",
        "127.0.0.1.evil.example",
        "[2001:db8::1]:7700",
        "localhost.evil",
    ] {
        let answer = ask(&[("host", host)], "POST", add).await;
        answer.is_problem(421, "is not a name of this service");
        ask(&[("host", host)], "GET", "/v1/stories")
            .await
            .is_problem(421, "--allow-host");
        ask(&[("host", host)], "DELETE", "/v1/pages/a")
            .await
            .is_problem(421, host.split(':').next().unwrap());
        // Health checks are open, and the web page has no data.
        assert_eq!(
            ask(&[("host", host)], "GET", "/healthz")
                .await
                .status
                .as_u16(),
            200
        );
    }
    let own = ("host", "127.0.0.1:7700");
    for foreign in [
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("origin", "http://localhost.evil.example:7700"),
        ("sec-fetch-site", "cross-site"),
    ] {
        ask(&[own, foreign], "POST", add)
            .await
            .is_problem(403, "without a token");
        ask(&[own, foreign], "GET", "/v1/stories")
            .await
            .is_problem(403, "without a token");
    }
    assert_eq!(
        ask(&[own], "GET", "/v1/pages/a").await.status.as_u16(),
        404,
        "nothing was added"
    );
    let allowed: [&[(&str, &str)]; 6] = [
        &[],
        &[own],
        &[
            ("host", "localhost"),
            ("origin", "http://localhost:7700"),
            ("sec-fetch-site", "same-origin"),
        ],
        &[("host", "[::1]:7700"), ("origin", "http://[::1]:7700")],
        &[("host", "Retold.example"), ("sec-fetch-site", "none")],
        &[("host", "127.0.0.2:1")],
    ];
    for headers in allowed {
        assert_eq!(
            ask(headers, "GET", "/v1/stories").await.status.as_u16(),
            200,
            "{headers:?}"
        );
    }
    // With a token, requests may come from anywhere; a page of another site has no token.
    let served = Served::new(Options {
        tokens: vec!["correct-horse-battery".into()],
        ..Options::default()
    });
    let request = Request::builder()
        .uri("/v1/stories")
        .header("host", "retold.example:443");
    let request = request.header("authorization", "Bearer correct-horse-battery");
    let answer = served.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.status.as_u16(), 200);
}
