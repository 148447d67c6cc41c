//! What pages add to those of the index.

use serde_json::json;

use super::*;

const NEWS: &str = "Nobody of the nineteen sailors was hurt, the company told reporters on Tuesday in a short statement.";

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_adds_to_all_others_together() {
    let served = Served::new(Options::default());
    let pages = json!([{"id": "a", "text": article(1)}, {"id": "b", "text": article(2)}]);
    assert_eq!(served.post("/v1/pages", &pages).await.status, 200);

    // A page of both articles adds nothing, though it says more than each; a sentence of its own is added.
    let (both, path) = (article(1) + &article(2), "/v1/query?adds=true");
    let answer = served.post(path, &json!({"text": both})).await.json();
    assert_eq!(
        answer["adds"],
        json!({"words": 0, "complete": true, "passages": []})
    );
    assert!(
        answer["matches"]
            .as_array()
            .unwrap()
            .iter()
            .all(|found| found["relation"] == "contains")
    );
    let longer = format!("{}{NEWS} {}", article(1), article(2));
    let begin = article(1).chars().count();
    let passage = json!({"begin": begin, "end": begin + NEWS.len(), "words": 17, "text": NEWS});
    let answer = served.post(path, &json!({"text": longer})).await.json();
    assert_eq!(
        answer["adds"],
        json!({"words": 17, "complete": true, "passages": [passage]})
    );
    assert!(
        served
            .post("/v1/query", &json!({"text": longer}))
            .await
            .json()
            .get("adds")
            .is_none()
    );

    // When it is added it says so too, and is then not compared with itself.
    for _ in 0..2 {
        let answer = served
            .post("/v1/pages?adds=true", &json!({"id": "c", "text": longer}))
            .await;
        assert_eq!(answer.json()["adds"]["words"], 17);
    }
    let answer = served.post(path, &json!({"text": longer})).await.json();
    assert_eq!(answer["adds"]["words"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_entry_of_a_list_adds_to_those_before_it() {
    let served = Served::new(Options::default());
    assert_eq!(
        served
            .post("/v1/pages", &json!({"id": "a", "text": article(1)}))
            .await
            .status,
        200
    );
    let longer = format!("{}{NEWS}", article(1));
    let list = json!(["a", {"id": "b", "text": longer}, {"id": "c", "text": format!("{longer} The end.")}, {"id": "d", "text": article(2)}]);
    let answer = served.post("/v1/condense?adds=true", &list).await.json();
    let adds = |group: usize| {
        let others = answer["groups"][group]["others"].as_array().unwrap();
        let words = others
            .iter()
            .map(|other| other["adds"]["words"].as_u64().unwrap());
        words.collect::<Vec<u64>>()
    };
    assert_eq!((adds(0), adds(1)), (vec![17, 0], vec![]), "{answer}");
    let answer = served.post("/v1/condense", &list).await.json();
    assert!(answer["groups"][0]["others"][0].get("adds").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_without_texts_does_not_know() {
    let folder = tempfile::tempdir().unwrap();
    let model = Model::new(JudgeConfig::default()).unwrap();
    let builder = Index::builder(folder.path().join("index")).texts(false);
    let served = Served {
        app: App::writing(builder.create(&model).unwrap(), Options::default()).unwrap(),
        folder,
    };
    let answer = served
        .post("/v1/query?adds=true", &json!({"text": article(1)}))
        .await;
    answer.is_problem(422, "keeps no texts");
}
