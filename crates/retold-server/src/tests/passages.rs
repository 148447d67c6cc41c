//! Passages of a text, and their places.

use serde_json::json;

use super::*;

const QUOTED: &str =
    "to be or not to be that is the question whether tis nobler in the mind to suffer";

async fn theatre() -> Served {
    let served = Served::new(Options::default());
    let pages = json!([
        {
            "id": "essay", "url": "http://essay.example/1", "date": "2020-01-02", "title": "An essay",
            "text": format!("Nobody reads the second act of that play today. {QUOTED}, he said."),
        },
        {"id": "review", "text": format!("What was forgotten on the stage yesterday: {QUOTED}. And he left.")},
        {"id": "other", "text": "Some other words of no importance stand on this page, and nothing of any play."},
    ]);
    let answer = served.post("/v1/pages", &pages).await;
    assert_eq!(answer.status, 200);
    served
}

#[tokio::test(flavor = "multi_thread")]
async fn passages_of_a_text() {
    let served = theatre().await;
    let length = QUOTED.len();
    let essay = json!({
        "id": "essay", "begin": 48, "end": 48 + length, "matched": 18, "score": 2 * 18 - 12, "url": "http://essay.example/1",
        "date": "2020-01-02", "title": "An essay", "site": "essay.example",
    });
    let review = json!({
        "id": "review", "begin": 43, "end": 43 + length, "matched": 18, "score": 2 * 18 - 12, "url": null, "date": null,
        "title": null, "site": null,
    });
    // 12 of the 18 matching words have at most three letters.
    let found = |begin: usize, pages: &[&Value]| json!([{"begin": begin, "end": begin + length, "pages": pages}]);
    let asked = format!("A letter. {QUOTED}.");
    let path = "/v1/passages?min_words=12";
    let answer = served.ask("POST", path, "text/plain", asked.clone()).await;
    let whole = json!({"passages": found(10, &[&essay, &review]), "complete": true, "text": asked});
    assert_eq!(answer.json(), whole);
    let answer = served.post(path, &json!({"text": asked})).await;
    assert_eq!(answer.json(), whole);
    let html = format!("<p>A letter.</p><p>{QUOTED}.</p>");
    let answer = served.ask("POST", path, "text/html", html).await.json();
    assert_eq!(answer["passages"], whole["passages"]);
    assert_eq!(answer["text"], format!("A letter.\n{QUOTED}."));

    // A page of the index, or a page that would replace it, is not compared with itself.
    let of_page = served.get("/v1/pages/essay/passages?min_words=12").await;
    assert_eq!(of_page.json()["passages"], found(48, &[&review]));
    let again = served
        .post(path, &json!({"id": "review", "text": asked}))
        .await;
    assert_eq!(again.json()["passages"], found(10, &[&essay]));
    // Not all pages are listed.
    let path = "/v1/passages?min_words=12&pages=1";
    let answer = served.post(path, &json!({"text": asked})).await.json();
    assert_eq!(answer["passages"], found(10, &[&essay]));
    assert_eq!(answer["complete"], false);
    // 18 words are fewer than the default minimum of 25.
    let answer = served.post("/v1/passages", &json!({"text": asked})).await;
    assert_eq!(answer.json()["passages"], json!([]));
    assert_eq!(served.app.index.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_wrong() {
    let served = theatre().await;
    let page = json!({"text": QUOTED});
    for (query, says) in [
        ("min_words=0", "min_words"),
        ("min_words=10001", "from 1 to 10000"),
        ("min_chars=x", "min_chars"),
        ("pages=0", "pages"),
        ("words=3", "unknown field"),
    ] {
        let path = format!("/v1/passages?{query}");
        served.post(&path, &page).await.is_problem(400, says);
        let path = format!("/v1/pages/essay/passages?{query}");
        served.get(&path).await.is_problem(400, says);
    }
    served
        .post("/v1/passages", &json!([page]))
        .await
        .is_problem(400, "one page expected");
    served
        .get("/v1/pages/nobody/passages")
        .await
        .is_problem(404, "nobody");
}

/// Memory for the texts that are read counts towards the limit for bodies.
#[tokio::test(flavor = "multi_thread")]
async fn the_work_on_passages_takes_room() {
    let served = theatre().await;
    let _others = served.app.room().map(|mut room| {
        room.set(served.app.options.max_bodies - (1 << 20)).unwrap();
        room
    });
    served
        .post("/v1/passages", &json!({"text": QUOTED}))
        .await
        .is_problem(503, "memory");
    served
        .get("/v1/pages/essay/passages")
        .await
        .is_problem(503, "memory");
}
