//! Behaviour shared by all requests: arrays, statuses, parts of lists, texts.

use serde_json::json;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn arrays_of_pages_are_answered_by_arrays() {
    let served = Served::new(Options::default());
    let pages = json!([
        {"id": "a", "text": article(1)},
        {"id": "b", "text": "short", "x": ["}", "]"]},
        7,
        {"text": article(2)},
        {"id": "c", "text": article(1), "title": "Boats", "url": "http://c.example/"},
    ]);
    let added = served.post("/v1/pages", &pages).await;
    assert_eq!(added.headers["content-type"], "application/json");
    let added = added.json();
    let statuses: Vec<_> = added
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page["status"].as_str().unwrap())
        .collect();
    assert_eq!(statuses, ["new", "new", "rejected", "rejected", "new"]);
    let reason = |at: usize| added[at]["reason"].as_str().unwrap();
    assert!(reason(2).starts_with("page 3"), "{}", reason(2));
    assert!(reason(3).contains("no id"), "{}", reason(3));
    assert_eq!(added[4]["matches"][0]["id"], "a");
    assert_eq!(served.app.index.len(), 3);
    // A query gives the same answer and needs no id.
    let asked = served
        .post(
            "/v1/query",
            &json!([{"text": article(1)}, {"text": article(9)}]),
        )
        .await
        .json();
    let found = &asked[0]["matches"];
    assert_eq!(
        (&found[0]["id"], &found[1]["id"]),
        (&json!("a"), &json!("c"))
    );
    assert_eq!(
        (&found[1]["title"], &found[1]["site"]),
        (&json!("Boats"), &json!("c.example"))
    );
    assert_eq!(asked[1]["matches"], json!([]));
    assert_eq!(served.post("/v1/query", &json!([])).await.json(), json!([]));
    // If an array is malformed, none of its pages is added.
    let broken = format!("[{},", json!({"id": "d", "text": article(4)}));
    served
        .ask("POST", "/v1/pages", "application/json", broken)
        .await
        .is_problem(400, "invalid JSON");
    served
        .post("/v1/explain?b=a", &json!([{"text": article(1)}]))
        .await
        .is_problem(400, "one page expected");
    assert_eq!(served.app.index.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_json_is_another_error_than_what_is_no_page() {
    let served = Served::new(Options::default());
    for (body, status) in [
        ("{\"text\": \"x\"", 400),
        ("{\"text\": \"x\",}", 400),
        ("{\"text\": \"x\"} {}", 400),
        ("{'text': 'x'}", 400),
        ("", 400),
        ("[{\"text\": \"x\"}}", 400),
        ("7", 422),
        ("\"x\"", 422),
        ("{}", 422),
        ("{\"text\": {\"a\": []}}", 422),
    ] {
        for path in [
            "/v1/pages",
            "/v1/query",
            "/v1/match",
            "/v1/passages",
            "/v1/explain?b=a",
        ] {
            served
                .post("/v1/pages", &json!({"id": "a", "text": article(1)}))
                .await;
            served
                .ask("POST", path, "application/json", body)
                .await
                .is_problem(status, "");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_shown_with_its_text() {
    let served = Served::new(Options::default());
    let html = format!(
        "<title>Boats</title><p>First  line</p><p>{}</p>",
        article(3).trim()
    );
    let page = json!({"id": "a", "url": "http://a.example/1", "html": html});
    served.post("/v1/pages", &page).await;
    let shown = served.get("/v1/pages/a").await.json();
    assert_eq!(shown["text"], format!("First line\n{}", article(3).trim()));
    assert_eq!(
        served
            .get("/v1/pages?url=http%3A%2F%2Fa.example%2F1")
            .await
            .json(),
        shown
    );

    let folder = tempfile::tempdir().unwrap();
    let model = Model::new(JudgeConfig::default()).unwrap();
    let writer = Index::builder(folder.path().join("index"))
        .texts(false)
        .create(&model)
        .unwrap();
    let served = Served {
        app: App::writing(writer, Options::default()).unwrap(),
        folder,
    };
    served.post("/v1/pages", &page).await;
    let shown = served.get("/v1/pages/a").await.json();
    assert_eq!((&shown["id"], &shown["text"]), (&json!("a"), &json!(null)));
}

#[tokio::test(flavor = "multi_thread")]
async fn matches_come_in_parts() {
    let served = Served::new(Options::default());
    let copies: Vec<Value> = (0..7)
        .map(|n| json!({"id": format!("p{n}"), "text": format!("{} Ending {n}.", article(7))}))
        .collect();
    served.post("/v1/pages", &json!(copies)).await;
    let whole = served.get("/v1/pages/p3/matches").await;
    assert_eq!(whole.matches(), ["p0", "p1", "p2", "p4", "p5", "p6"]);
    assert_eq!(whole.json()["next"], json!(null));
    let first = served.get("/v1/pages/p3/matches?limit=4").await;
    assert_eq!(first.matches(), ["p0", "p1", "p2", "p4"]);
    let next = first.json()["next"].as_str().unwrap().to_owned();
    // A page added meanwhile neither hides nor repeats others, and is listed if its position is still to come.
    served.post("/v1/pages", &json!([{"id": "p1b", "text": copies[1]["text"]}, {"id": "p9", "text": copies[1]["text"]}])).await;
    let second = served
        .get(&format!("/v1/pages/p3/matches?limit=4&cursor={next}"))
        .await;
    assert_eq!(second.matches(), ["p5", "p6", "p9"]);
    assert_eq!(second.json()["next"], json!(null));

    for cursor in ["", "x", "!!", &next[1..]] {
        let path = format!("/v1/pages/p3/matches?cursor={cursor}");
        served.get(&path).await.is_problem(400, "cursor: ");
    }
    let other = format!("/v1/pages/p2/matches?cursor={next}");
    served
        .get(&other)
        .await
        .is_problem(400, "cursor: not a cursor of this list");
    served
        .get("/v1/pages/p3/matches?limit=0")
        .await
        .is_problem(400, "limit");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_condensed_to_a_line_a_story() {
    let served = Served::new(Options::default());
    let short: String = article(1).split_inclusive(". ").take(3).collect();
    let (a, b) = (article(1), article(2));
    served.post("/v1/pages", &json!([
        {"id": "first", "url": "http://a.example/1", "title": "Boats", "date": "2026-11-01", "text": a},
        {"id": "short", "text": short},
        {"id": "other", "text": b},
        {"id": "both", "text": format!("{a} {b} {} {}", article(5), article(6))},
    ])).await;
    let list = json!(["both", "short", "other", "gone", "first", {"text": format!("{a} Read more."), "title": "Mine"}, {"id": "x"}, {"text": article(3)}]);
    let groups = served.post("/v1/condense", &list).await.json()["groups"].clone();
    let told: Vec<(u64, Vec<(u64, &str)>)> = groups
        .as_array()
        .unwrap()
        .iter()
        .map(|line| {
            let others = line["others"].as_array().unwrap().iter();
            let others = others.map(|other| {
                (
                    other["rank"].as_u64().unwrap(),
                    other["relation"].as_str().unwrap(),
                )
            });
            (line["rank"].as_u64().unwrap(), others.collect())
        })
        .collect();
    // `both` is a round-up: it is listed with both stories and leads neither. Relations are to the first page.
    assert_eq!(
        told,
        [
            (2, vec![(1, "contains"), (5, "contains"), (6, "contains")]),
            (3, vec![(1, "contains")]),
            (4, vec![]),
            (7, vec![]),
            (8, vec![]),
        ]
    );
    assert_eq!(groups[0]["id"], "short");
    let first = json!({"rank": 5, "id": "first", "url": "http://a.example/1", "title": "Boats", "date": "2026-11-01", "site": "a.example", "relation": "contains"});
    assert_eq!(groups[0]["others"][1], first);
    assert_eq!(
        (
            &groups[0]["others"][2]["id"],
            &groups[0]["others"][2]["title"]
        ),
        (&json!(null), &json!("Mine"))
    );
    assert_eq!(
        (&groups[2]["id"], &groups[2]["reason"]),
        (
            &json!("gone"),
            &json!("no page of the index has the id `gone`")
        )
    );
    assert!(
        groups[3]["reason"].as_str().unwrap().contains("page 7: "),
        "{groups}"
    );
    assert_eq!(served.app.index.len(), 4);

    assert_eq!(
        served.post("/v1/condense", &json!([])).await.json(),
        json!({"groups": []})
    );
    let kind = "application/json";
    served
        .ask("POST", "/v1/condense", kind, "[\"first\"")
        .await
        .is_problem(400, "invalid JSON");
    served
        .ask("POST", "/v1/condense", kind, "{\"id\": 1}")
        .await
        .is_problem(422, "array");
    served
        .ask("POST", "/v1/condense", "text/plain", "first")
        .await
        .is_problem(415, "application/json");
    let many = json!(vec!["first"; 1001]);
    served
        .post("/v1/condense", &many)
        .await
        .is_problem(422, "at most 1000");
}

/// Condensing a list agrees with querying the index about each page.
#[tokio::test(flavor = "multi_thread")]
async fn a_condensed_list_says_what_matches_say() {
    let served = Served::new(Options::default());
    let text = |n: u32| match n % 3 {
        0 => article(n % 7),
        1 => format!("{} {}", article(n % 7), article(n % 5 + 20)),
        _ => article(n % 7).split_inclusive(". ").take(8).collect(),
    };
    let pages: Vec<Value> = (0..40)
        .map(|n| json!({"id": format!("p{n}"), "text": format!("{} Ending {n}.", text(n))}))
        .collect();
    served.post("/v1/pages", &json!(pages)).await;
    let ids: Vec<String> = (0..40).map(|n| format!("p{}", n * 17 % 40)).collect();
    let of_index = served.post("/v1/condense", &json!(ids)).await.json();
    // Ids and the same texts give the same result.
    let texts: Vec<&Value> = (0..40).map(|n| &pages[n * 17 % 40]).collect();
    assert_eq!(
        served.post("/v1/condense", &json!(texts)).await.json(),
        of_index
    );
    let mut related = std::collections::BTreeMap::new();
    for id in &ids {
        let found = served
            .get(&format!("/v1/pages/{id}/matches?limit=100"))
            .await
            .json();
        for found in found["matches"].as_array().unwrap() {
            related.insert(
                (id.clone(), found["id"].as_str().unwrap().to_owned()),
                found["relation"].clone(),
            );
        }
    }
    let groups = of_index["groups"].as_array().unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for group in groups {
        let first = group["id"].as_str().unwrap().to_owned();
        seen.insert(first.clone());
        for other in group["others"].as_array().unwrap() {
            let other_id = other["id"].as_str().unwrap().to_owned();
            let said = related
                .get(&(other_id.clone(), first.clone()))
                .unwrap_or(&Value::Null);
            assert_eq!(said, &other["relation"], "{other_id} {first}");
            seen.insert(other_id);
        }
    }
    assert_eq!(seen.len(), 40);
    // Copies are never in two groups.
    let leads: Vec<&str> = groups
        .iter()
        .map(|group| group["id"].as_str().unwrap())
        .collect();
    for a in &leads {
        for b in &leads {
            let said = related.get(&((*a).to_owned(), (*b).to_owned()));
            assert_ne!(said, Some(&json!("duplicate")), "{a} {b}");
        }
    }
}
