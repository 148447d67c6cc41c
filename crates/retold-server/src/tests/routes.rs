//! Tests of all routes.

use std::collections::BTreeSet;

use serde_json::json;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn pages_come_and_go() {
    let served = Served::new(Options::default());
    let (a, b) = (article(1), article(2));
    let first = json!({"id": "http://a.example/1", "url": "http://a.example/1", "date": "2024-01-01", "text": a});
    let answer = served.post("/v1/pages", &first).await;
    assert_eq!(
        answer.json(),
        json!({"id": "http://a.example/1", "status": "new", "matches": []})
    );
    assert_eq!(
        served.post("/v1/pages", &first).await.json()["status"],
        "unchanged"
    );
    let copy =
        json!({"id": "copy", "text": format!("{a}\nAnother last line."), "date": "2024-01-03"});
    let answer = served.post("/v1/pages", &copy).await.json();
    let found = &answer["matches"][0];
    assert_eq!(
        (&found["id"], &found["relation"]),
        (&json!("http://a.example/1"), &json!("duplicate"))
    );
    assert_eq!(
        (&found["url"], &found["date"]),
        (&json!("http://a.example/1"), &json!("2024-01-01"))
    );
    assert!(found["similarity"].as_f64().unwrap() > 0.8 && found["shared"].as_u64().unwrap() > 5);

    // HTML and text bodies; NDJSON with one invalid page.
    let html = format!("<title>Two</title><p>{b}</p>");
    let path = "/v1/pages?id=two&url=http%3A%2F%2Fb.example%2F2&date=2024-02-01";
    let answer = served
        .ask("POST", path, "text/html; charset=utf-8", html)
        .await;
    assert_eq!(
        answer.json(),
        json!({"id": "two", "status": "new", "matches": []})
    );
    let lines = format!(
        "{}\n{{\"id\": 3\n\n{}\n",
        json!({"id": "three", "text": b}),
        json!({"text": "no id"})
    );
    let answer = served
        .ask("POST", "/v1/pages", "application/x-ndjson", lines)
        .await;
    assert_eq!(answer.headers["content-type"], "application/x-ndjson");
    let lines: Vec<Value> = answer
        .text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(
        (&lines[0]["status"], &lines[0]["matches"][0]["id"]),
        (&json!("new"), &json!("two"))
    );
    assert_eq!(
        (&lines[1]["status"], &lines[2]["status"]),
        (&json!("rejected"), &json!("rejected"))
    );
    assert!(
        lines[1]["reason"].as_str().unwrap().contains("line 2"),
        "{}",
        lines[1]
    );
    assert!(
        lines[2]["reason"].as_str().unwrap().contains("no id"),
        "{}",
        lines[2]
    );

    let page = served.get("/v1/pages/two").await.json();
    assert_eq!(
        (&page["title"], &page["site"], &page["url"]),
        (
            &json!("Two"),
            &json!("b.example"),
            &json!("http://b.example/2")
        )
    );
    let encoded = "/v1/pages/http%3A%2F%2Fa.example%2F1";
    assert_eq!(served.get(encoded).await.json()["id"], "http://a.example/1");
    served
        .get("/v1/pages/nobody")
        .await
        .is_problem(404, "no page of the index has the id `nobody`");
    assert_eq!(
        served.ask("DELETE", encoded, "", "").await.status,
        StatusCode::NO_CONTENT
    );
    served
        .get(encoded)
        .await
        .is_problem(404, "http://a.example/1");
    served
        .ask("DELETE", encoded, "", "")
        .await
        .is_problem(404, "http://a.example/1");
    assert!(
        served
            .get("/v1/pages/copy/matches")
            .await
            .matches()
            .is_empty()
    );
    // Acknowledged pages are on disk.
    let committer = served.app.committer.as_ref().unwrap();
    let soon = std::time::Instant::now() + Duration::from_secs(60);
    assert!(committer.finish(soon).await.unwrap());
    let index = retold_index::Index::open(served.folder.path().join("index")).unwrap();
    assert_eq!(index.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_change_nothing() {
    let served = Served::new(Options::default());
    for n in 0..5 {
        let date = format!("2024-01-0{}", n + 1);
        let page = json!({"id": format!("p{n}"), "url": format!("http://s{n}.example/"), "date": date, "text": format!("{} Ending {n}.", article(7))});
        assert_eq!(served.post("/v1/pages", &page).await.status, StatusCode::OK);
    }
    let asked = json!({"text": article(7)});
    let answer = served.post("/v1/query?matches=3", &asked).await;
    assert_eq!(answer.matches().len(), 3);
    assert_eq!(
        (&answer.json()["id"], &answer.json()["status"]),
        (&Value::Null, &json!("new"))
    );
    let known = json!({"id": "p2", "text": format!("{} Ending 2.", article(7))});
    let answer = served.post("/v1/query", &known).await;
    assert_eq!(answer.json()["status"], "unchanged");
    assert_eq!(answer.matches(), ["p0", "p1", "p3", "p4"]);
    let other = json!({"id": "p2", "text": article(8)});
    assert_eq!(
        served.post("/v1/query", &other).await.json()["status"],
        "replaced"
    );
    let raw = served
        .ask("POST", "/v1/query", "text/plain", article(7))
        .await;
    assert_eq!(raw.matches().len(), 5);
    let by_old_name = served.post("/v1/match", &asked).await;
    assert_eq!(by_old_name.matches(), raw.matches());

    let story = served.get("/v1/pages/p3/story").await.json();
    let told: Vec<(&str, &str)> = story["timeline"]
        .as_array()
        .unwrap()
        .iter()
        .map(|told| (told["id"].as_str().unwrap(), told["what"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            ("p0", "first"),
            ("p1", "edited"),
            ("p2", "edited"),
            ("p3", "edited"),
            ("p4", "edited")
        ]
    );
    assert_eq!(
        (&story["sites"], &story["first_seen"]),
        (&json!(5), &json!("2024-01-01T00:00:00Z"))
    );
    let stories = served
        .get("/v1/stories?sort=recent&since=2024-01-05&limit=7")
        .await
        .json();
    assert_eq!(
        (
            &stories["stories"][0]["id"],
            &stories["stories"][0]["pages"],
            &stories["stories"][0]["sites"]
        ),
        (&json!("p0"), &json!(5), &json!(5))
    );
    assert_eq!(
        served.get("/v1/stories?since=2024-01-06").await.json(),
        json!({"stories": [], "total": 0, "complete": true, "next": null})
    );
    served
        .get("/v1/stories?since=tomorrow")
        .await
        .is_problem(400, "since=tomorrow");
    served
        .get("/v1/stories?sort=best")
        .await
        .is_problem(400, "best");
    for path in [
        "/v1/stories?till=2024-01-06",
        "/v1/pages/p1/matches?limits=3",
        "/v1/explain?a=p0&b=p1&offset=utf16",
        "/v1/pages?url=http%3A%2F%2Fs0.example%2F&limit=3",
    ] {
        served.get(path).await.is_problem(400, "unknown field");
    }
    served
        .post("/v1/query?match=3", &asked)
        .await
        .is_problem(400, "unknown field `match`");

    let told = served.get("/v1/explain?a=p0&b=p1").await.json();
    assert_eq!(
        (&told["relation"], &told["a"]["id"]),
        (&json!("duplicate"), &json!("p0"))
    );
    assert!(told["b"]["text"].as_str().unwrap().contains("Ending 1"));
    let told = served
        .ask(
            "POST",
            "/v1/explain?b=p1&offsets=utf16",
            "text/plain",
            article(7),
        )
        .await
        .json();
    assert!(!told["passages"].as_array().unwrap().is_empty());
    served
        .get("/v1/explain?a=p0&b=p9")
        .await
        .is_problem(404, "p9");
    served.get("/v1/explain?b=p1").await.is_problem(400, "a: ");
    assert_eq!(served.app.index.len(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_found_by_their_urls() {
    let served = Served::new(Options::default());
    let url = "http://a.example/1?x=y";
    for (n, id) in ["one", "two", "other"].into_iter().enumerate() {
        let url = if id == "other" { id } else { url };
        let page = json!({"id": id, "url": url, "text": article(n as u32)});
        assert_eq!(served.post("/v1/pages", &page).await.status, StatusCode::OK);
    }
    let by_url = "/v1/pages?url=http%3A%2F%2Fa.example%2F1%3Fx%3Dy";
    let found = served.get(by_url).await.json();
    assert_eq!((&found["id"], &found["url"]), (&json!("two"), &json!(url)));
    served.ask("DELETE", "/v1/pages/two", "", "").await;
    assert_eq!(served.get(by_url).await.json()["id"], "one");
    served
        .get("/v1/pages?url=http%3A%2F%2Fb.example%2F")
        .await
        .is_problem(404, "no page of the index has the URL `http://b.example/`");
    served.get("/v1/pages").await.is_problem(400, "url");
    assert!(
        served
            .get("/people/app.js")
            .await
            .text
            .contains("/v1/pages?url=")
    );
}

/// A page whose id cannot be in a path is not added.
#[tokio::test(flavor = "multi_thread")]
async fn ids_that_cannot_be_asked_for_are_refused() {
    let served = Served::new(Options::default());
    let long = "x".repeat((16 << 10) + 1);
    for id in ["", ".", "..", &long] {
        let says = "could not be requested";
        let path = format!("/v1/pages?id={id}");
        let answer = served.ask("POST", &path, "text/plain", article(1)).await;
        answer.is_problem(422, says);
        let page = json!({"id": id, "text": article(1)});
        // An empty id in a record counts as none.
        let says = if id.is_empty() { "no id" } else { says };
        served.post("/v1/pages", &page).await.is_problem(422, says);
        // A query adds nothing.
        let asked = served.ask("POST", "/v1/query?id=.", "text/plain", article(1));
        assert_eq!(asked.await.status, StatusCode::OK);
    }
    assert_eq!(served.app.index.len(), 0);
    let id = &long[1..];
    let path = format!("/v1/pages?id={id}");
    let answer = served.ask("POST", &path, "text/plain", article(1)).await;
    assert_eq!(answer.status, StatusCode::OK);
    let path = format!("/v1/pages/{id}");
    assert_eq!(served.get(&path).await.status, StatusCode::OK);
}

/// Every body and every answer is described, and errors are problems.
fn is_described(operation: &Value) {
    let has_form = |content: &Value| {
        let kinds = content.as_object().into_iter().flatten();
        for (kind, said) in kinds {
            let schema = said["schema"].as_object();
            assert!(
                schema.is_some_and(|schema| !schema.is_empty()),
                "{kind} {operation}"
            );
        }
    };
    has_form(&operation["requestBody"]["content"]);
    for (status, answer) in operation["responses"].as_object().unwrap() {
        let said = answer["description"].as_str().unwrap();
        assert!(!said.is_empty(), "{status} {operation}");
        has_form(&answer["content"]);
        if status.as_str() >= "400" {
            let kinds: Vec<&String> = answer["content"].as_object().unwrap().keys().collect();
            assert_eq!(kinds, ["application/problem+json"], "{status} {operation}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_description_is_that_of_the_routes() {
    let served = Served::new(Options::default());
    let description = served.get("/openapi.json").await.json();
    assert!(description["openapi"].as_str().unwrap().starts_with("3."));
    let paths: BTreeSet<&str> = description["paths"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let expected = [
        "/healthz",
        "/metrics",
        "/readyz",
        "/v1/compact",
        "/v1/condense",
        "/v1/edits",
        "/v1/explain",
        "/v1/feeds/stories.atom",
        "/v1/learn",
        "/v1/match",
        "/v1/overview",
        "/v1/pages",
        "/v1/pages/{id}",
        "/v1/pages/{id}/matches",
        "/v1/pages/{id}/passages",
        "/v1/pages/{id}/story",
        "/v1/pages/{id}/versions",
        "/v1/passages",
        "/v1/query",
        "/v1/search",
        "/v1/snapshots",
        "/v1/stories",
        "/v1/stories/{id}",
    ];
    assert_eq!(paths, BTreeSet::from(expected));
    assert_eq!(
        description["paths"]["/v1/match"]["post"]["deprecated"],
        true
    );
    assert!(description["paths"]["/v1/query"]["post"]["deprecated"].is_null());
    for (path, methods) in description["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            assert!(operation["summary"].is_string(), "{method} {path}");
            is_described(operation);
            let answer = served
                .ask(&method.to_uppercase(), &path.replace("{id}", "x"), "", "")
                .await;
            assert_ne!(
                answer.status,
                StatusCode::METHOD_NOT_ALLOWED,
                "{method} {path}"
            );
        }
    }
    let token = &description["components"]["securitySchemes"]["token"];
    assert_eq!(
        (&token["type"], &token["scheme"]),
        (&json!("http"), &json!("bearer"))
    );
    assert_eq!(description["security"], json!([{}, {"token": []}]));
    assert_eq!(
        description["paths"]["/healthz"]["get"]["security"],
        json!([])
    );
    assert_eq!(
        description["components"]["schemas"]["Relation"]["enum"],
        json!(["duplicate", "contains", "contained_by", "overlaps"])
    );
    // Every schema that is referenced exists.
    let text = description.to_string();
    for name in text.split("#/components/schemas/").skip(1) {
        let name = name.split('"').next().unwrap();
        assert!(
            description["components"]["schemas"][name].is_object(),
            "{name}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_runs_it_sees_how_it_goes() {
    let served = Served::new(Options::default());
    assert_eq!(served.get("/healthz").await.text, "ok\n");
    assert_eq!(served.get("/readyz").await.status, StatusCode::OK);
    served
        .post("/v1/pages", &json!({"id": "a", "text": article(1)}))
        .await;
    served.get("/v1/pages/a").await;
    let metrics = served.get("/metrics").await;
    assert!(
        metrics.headers["content-type"]
            .to_str()
            .unwrap()
            .starts_with("application/openmetrics-text")
    );
    for line in [
        "retold_requests_total{method=\"GET\",route=\"/v1/pages/{id}\",status=\"200\"} 1",
        "retold_pages 1",
        "retold_pages_committed_total 1",
        "retold_request_seconds_count{route=\"/v1/pages\"} 1",
        "# EOF",
    ] {
        assert!(
            metrics.text.contains(line),
            "{line} is missing in:\n{}",
            metrics.text
        );
    }
    served.app.stop();
    served.get("/readyz").await.is_problem(503, "stopping");
    assert_eq!(served.get("/healthz").await.status, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_token_nothing_is_told() {
    let served = Served::new(Options {
        tokens: vec!["correct-horse-battery".into(), "second-token-of-two".into()],
        ..Options::default()
    });
    let with = |token: &str, path: &str| {
        Request::builder()
            .uri(path)
            .header("authorization", token)
            .body(Body::empty())
            .unwrap()
    };
    for path in [
        "/v1/stories",
        "/metrics",
        "/openapi.json",
        "/v1/pages/a",
        "/nowhere",
    ] {
        let answer = served.get(path).await;
        answer.is_problem(401, "Authorization: Bearer");
        assert_eq!(answer.headers["www-authenticate"], "Bearer");
        for wrong in [
            "Bearer wrong",
            "Bearer ",
            "Basic correct-horse-battery",
            "correct-horse-battery",
            "Bearer correct-horse-batteryx",
        ] {
            assert_eq!(
                served.send(with(wrong, path)).await.status,
                StatusCode::UNAUTHORIZED,
                "{wrong}"
            );
        }
    }
    for right in ["Bearer correct-horse-battery", "bearer second-token-of-two"] {
        assert_eq!(
            served.send(with(right, "/v1/stories")).await.status,
            StatusCode::OK
        );
    }
    for open in ["/healthz", "/readyz", "/"] {
        assert_eq!(served.get(open).await.status, StatusCode::OK);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_does_not_write() {
    let served = Served::new(Options::default());
    served
        .post("/v1/pages", &json!({"id": "a", "text": article(1)}))
        .await;
    let index = retold_index::Index::open(served.folder.path().join("index")).unwrap();
    let reading = Served {
        app: App::reading(index, Options::default()),
        folder: tempfile::tempdir().unwrap(),
    };
    assert_eq!(
        reading
            .post("/v1/query", &json!({"text": article(1)}))
            .await
            .matches(),
        ["a"]
    );
    reading
        .post("/v1/pages", &json!({"id": "b", "text": "b"}))
        .await
        .is_problem(403, "--read-only");
    reading
        .ask("DELETE", "/v1/pages/a", "", "")
        .await
        .is_problem(403, "--read-only");
}

/// Filtered and partial lists of stories and pages, the overview, and edits.
#[tokio::test(flavor = "multi_thread")]
async fn lists_for_people() {
    let served = Served::new(Options::default());
    let page = |id: &str, site: &str, day: u32, title: &str, text: String| json!({"id": id, "url": format!("http://{site}/{id}"), "date": format!("2024-01-{day:02}"), "title": title, "text": text});
    let pages = [
        page("a1", "first.example", 1, "Storm at sea", article(7)),
        page(
            "a2",
            "copy.example",
            2,
            "Storm at sea",
            article(7) + " Read more news.",
        ),
        page("a3", "late.example", 5, "风暴来了", article(7)),
        page("b1", "first.example", 3, "A bridge", article(8)),
        page("b2", "copy.example", 4, "A BRIDGE opens", article(8)),
        page("c", "first.example", 5, "Alone", article(9)),
    ];
    served.post("/v1/pages", &json!(pages)).await;
    let ids = |list: &Value| -> Vec<String> {
        let ids = list.as_array().unwrap().iter();
        ids.map(|line| line["id"].as_str().unwrap().to_owned())
            .collect()
    };
    for (query, expected) in [
        ("", vec!["a1", "b1"]),
        ("?sort=recent", vec!["a1", "b1"]),
        ("?until=2024-01-05&sort=growth", vec!["a1", "b1"]),
        ("?site=late.example", vec!["a1"]),
        ("?q=bridge", vec!["b1"]),
        ("?language=zh", vec![]),
        ("?language=en", vec!["a1", "b1"]),
        ("?since=2024-01-05", vec!["a1"]),
        ("?site=nobody.example", vec![]),
    ] {
        let found = served.get(&format!("/v1/stories{query}")).await.json();
        assert_eq!(ids(&found["stories"]), expected, "{query}");
        assert_eq!(found["total"], expected.len());
    }
    let found = served.get("/v1/search?q=storm%20SEA").await.json();
    assert_eq!(ids(&found["pages"]), ["a2", "a1"]);
    assert_eq!(found["pages"][0]["story"], "a1");
    assert_eq!(found["pages"][0]["story_pages"], 3);
    assert_eq!(found["complete"], true);
    assert!(found["pages"][0].get("excerpt").is_none());
    // In the text: part 3 of story 7 has captain 7 × 31 + 3.
    let found = served.get("/v1/search?q=Captain%20220").await.json();
    assert_eq!(ids(&found["pages"]), ["a3", "a2", "a1"]);
    let excerpt = found["pages"][0]["excerpt"].as_str().unwrap();
    assert!(
        excerpt.starts_with('…') && excerpt.contains("captain") && excerpt.ends_with('…'),
        "{excerpt}"
    );
    let found = served.get("/v1/stories?q=220").await.json();
    assert_eq!(
        (ids(&found["stories"]), &found["complete"]),
        (vec!["a1".to_owned()], &json!(true))
    );
    served
        .get(&format!("/v1/search?q={}", "a".repeat(201)))
        .await
        .is_problem(400, "POST /v1/query");
    // In parts of two, each page is listed once.
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let part = served
            .get(&format!("/v1/search?limit=2{cursor}"))
            .await
            .json();
        seen.extend(ids(&part["pages"]));
        match part["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, ["a3", "c", "b2", "b1", "a2", "a1"]);
    let part = served.get("/v1/stories?limit=1").await.json();
    let next = part["next"].as_str().unwrap();
    let rest = served
        .get(&format!("/v1/stories?limit=1&cursor={next}"))
        .await
        .json();
    assert_eq!(
        (ids(&rest["stories"]), &rest["next"]),
        (vec!["b1".to_owned()], &Value::Null)
    );
    served
        .get(&format!("/v1/search?cursor={next}"))
        .await
        .is_problem(400, "cursor");

    // a3, b2 and c came within a day of the newest page.
    let told = served.get("/v1/overview").await.json();
    assert_eq!(told["now"], "2024-01-05T00:00:00Z");
    assert_eq!(
        (
            &told["pages"],
            &told["new_pages"],
            &told["new_stories"],
            &told["new_reprints"]
        ),
        (&json!(6), &json!(2), &json!(0), &json!(1))
    );
    assert_eq!(
        told["first"],
        json!([{"site": "first.example", "pages": 2}])
    );
    let reprinting =
        json!([{"site": "copy.example", "pages": 2}, {"site": "late.example", "pages": 1}]);
    assert_eq!(told["reprinting"], reprinting);
    assert_eq!(ids(&told["largest"]), ["a1", "b1"]);
    assert_eq!(ids(&told["fastest"]), ["a1"]);
    assert_eq!(told["largest"][0]["new_pages"], 1);
    let curve = told["largest"][0]["curve"].as_array().unwrap();
    assert_eq!(
        (curve.len(), &curve[0], &curve[23]),
        (24, &json!(1), &json!(3))
    );
    assert_eq!(told["days"].as_array().unwrap().len(), 30);
    let figures = json!({"stories": 2, "articles": 3, "mean_reprints": 1.0, "most_reprints": 2, "most_a_day": 1});
    assert_eq!(told["stories"], figures);

    // A story can be requested by any of its pages; the answer has its own id.
    let story = served
        .get("/v1/stories/a3?edits=true&skip=1&limit=1")
        .await
        .json();
    assert_eq!(
        (&story["id"], story["timeline"].as_array().unwrap().len()),
        (&json!("a1"), 1)
    );
    let row = &story["timeline"][0];
    assert_eq!(
        (&row["id"], &row["what"], &row["of"]),
        (&json!("a2"), &json!("edited"), &json!("a1"))
    );
    assert_eq!(row["edits"]["added"], 3);
    let edits = served.get("/v1/edits?id=a3&of=a1").await.json();
    assert_eq!(edits["titles"], json!(["Storm at sea", "风暴来了"]));
    assert_eq!(edits["places"], json!([]));
    served
        .get("/v1/stories/nobody")
        .await
        .is_problem(404, "nobody");
    served
        .get("/v1/edits?id=a3&of=nobody")
        .await
        .is_problem(404, "nobody");
    for path in [
        "/people/app.js",
        "/people/strings.js",
        "/people/style.css",
        "/",
    ] {
        assert_eq!(served.get(path).await.status.as_u16(), 200, "{path}");
    }
}

/// The index learns at a hundred pages while it answers.
#[tokio::test(flavor = "multi_thread")]
async fn it_learns_as_it_grows() {
    let served = Served::new(Options::default());
    let epoch = || served.app.index.stats().unwrap().epoch;
    let page =
        |number: u32| json!({"id": format!("n/{number}"), "text": article(number)}).to_string();
    let pages: Vec<String> = (0..100).map(page).collect();
    let added = served
        .ask(
            "POST",
            "/v1/pages",
            "application/x-ndjson",
            pages.join("\n"),
        )
        .await;
    assert_eq!(added.status, StatusCode::OK, "{}", added.text);
    let mut looks = 0;
    while epoch() < 2 {
        assert!(looks < 600, "it has not learnt in a minute");
        tokio::time::sleep(Duration::from_millis(100)).await;
        looks += 1;
    }
    let learnt = served.app.index.stats().unwrap().learnt_texts;
    assert_eq!(learnt, Some(100));
    let again = json!({"id": "again", "text": article(7)});
    let added = served.post("/v1/pages", &again).await.json();
    let found = &added["matches"][0];
    assert_eq!(found["id"], "n/7");
    assert_eq!((&found["own"], &found["own_match"]), (&json!(0), &json!(0)));
}
