//! The Atom feed of stories, parsed with a feed reader.

use feed_rs::model::Feed;
use serde_json::json;

use super::*;

/// Three stories: two of `a.example`, one of them with a title that needs XML escapes, and one of other sites.
async fn served() -> Served {
    let served = Served::new(Options::default());
    let titles = [
        "Ferry & <storm> \"late\"\u{1}",
        "Bridge opens]]>",
        "Straße gesperrt",
    ];
    for (n, title) in titles.iter().enumerate() {
        for (site, day) in [("a", 1), ("b", 2)] {
            let site = if n == 2 {
                format!("c{site}")
            } else {
                site.into()
            };
            let url = format!("http://{site}.example/{n}?x=1&y=2");
            let page = json!({
                "url": url, "title": title, "date": format!("2026-11-{}{day}", n + 1),
                "text": format!("{} Read by {site}.", article(n as u32)),
            });
            assert_eq!(served.post("/v1/pages", &page).await.status, StatusCode::OK);
        }
    }
    served
}

async fn read(served: &Served, path: &str) -> Feed {
    let answer = served.get(path).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    assert_eq!(
        answer.headers["content-type"],
        "application/atom+xml; charset=utf-8"
    );
    let parser = feed_rs::parser::Builder::new().base_uri(Some("http://service.example/feed"));
    parser.build().parse(answer.text.as_bytes()).unwrap()
}

fn titles(feed: &Feed) -> Vec<&str> {
    let titles = feed.entries.iter().map(|entry| entry.title.as_ref());
    titles.map(|title| &*title.unwrap().content).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_see_new_stories_first() {
    let served = served().await;
    let feed = read(&served, "/v1/feeds/stories.atom").await;
    assert_eq!(feed.id, "urn:retold:stories");
    assert_eq!(
        titles(&feed),
        [
            "Straße gesperrt",
            "Bridge opens]]>",
            "Ferry & <storm> \"late\""
        ]
    );
    let last = &feed.entries[2];
    assert_eq!(
        last.id,
        "urn:retold:story:http%3A%2F%2Fa%2Eexample%2F0%3Fx%3D1%26y%3D2"
    );
    assert_eq!(
        last.published.unwrap().to_rfc3339(),
        "2026-11-11T00:00:00+00:00"
    );
    // The second page says nothing of its own.
    assert_eq!(last.updated, last.published);
    assert_eq!(feed.updated, feed.entries[0].updated);
    let links: Vec<&str> = last.links.iter().map(|link| &*link.href).collect();
    assert_eq!(
        links,
        [
            "http://a.example/0?x=1&y=2",
            "http://service.example/#/story/http%3A%2F%2Fa%2Eexample%2F0%3Fx%3D1%26y%3D2"
        ]
    );
    let content = last.content.as_ref().unwrap().body.as_ref().unwrap();
    assert!(content.contains("Read by a.</p><hr/>"), "{content}");
    let other = "<a href=\"http://b.example/0?x=1&amp;y=2\">b.example: Ferry &amp; &lt;storm&gt; &quot;late&quot;</a> (2026-11-12)</li>";
    assert!(content.contains(other), "{content}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_can_be_of_a_site_and_of_words() {
    let served = served().await;
    let of = async |query: &str| {
        let feed = read(&served, &format!("/v1/feeds/stories.atom?{query}")).await;
        let titles = titles(&feed).into_iter().map(str::to_owned);
        (feed.id.clone(), titles.collect::<Vec<String>>())
    };
    let (id, found) = of("site=a.example").await;
    assert_eq!(id, "urn:retold:stories:site=a%2Eexample");
    assert_eq!(found, ["Bridge opens]]>", "Ferry & <storm> \"late\""]);
    // Words are folded as texts are.
    assert_eq!(of("q=FERRY").await.1, ["Ferry & <storm> \"late\""]);
    assert_eq!(of("q=STRASSE&site=ca.example").await.1, ["Straße gesperrt"]);
    assert_eq!(of("site=nobody.example").await.1.len(), 0);
    assert_eq!(of("limit=1").await.1, ["Straße gesperrt"]);
    let wrong = served.get("/v1/feeds/stories.atom?limit=0").await;
    wrong.is_problem(400, "limit");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_has_the_feed_is_told_so() {
    let served = served().await;
    let path = "/v1/feeds/stories.atom";
    let tag = served.get(path).await.headers["etag"].clone();
    let again = async |tags: &str| {
        let request = Request::builder().uri(path).header("if-none-match", tags);
        served.send(request.body(Body::empty()).unwrap()).await
    };
    for tags in ["*", &format!("\"x\", W/{}", tag.to_str().unwrap())] {
        let answer = again(tags).await;
        assert_eq!(answer.status, StatusCode::NOT_MODIFIED);
        assert_eq!((&*answer.text, &answer.headers["etag"]), ("", &tag));
    }
    let page = json!({"id": "late", "text": format!("{} And more.", article(0))});
    assert_eq!(served.post("/v1/pages", &page).await.status, StatusCode::OK);
    let answer = again(tag.to_str().unwrap()).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_ne!(answer.headers["etag"], tag);
}
