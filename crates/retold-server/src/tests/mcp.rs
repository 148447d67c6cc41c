//! The route for agents. `tests/mcp` asks it with an independent client.

use serde_json::json;

use super::*;

async fn send(served: &Served, message: &Value) -> Answer {
    let request = Request::builder()
        .method("POST")
        .uri("/mcp")
        .header("host", "127.0.0.1")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    served
        .send(request.body(message.to_string().into()).unwrap())
        .await
}

async fn call(served: &Served, tool: &str, arguments: Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let answer = send(served, &message).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_ask_and_remember() {
    let writes = Options {
        mcp_write: true,
        ..Options::default()
    };
    let served = Served::new(writes);
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let tools = send(&served, &list).await.json();
    assert_eq!(
        tools["result"]["tools"].as_array().unwrap().len(),
        6,
        "{tools}"
    );

    let seen = |text: String| call(&served, "seen", json!({"text": text}));
    assert_eq!(
        seen(article(1)).await["result"]["structuredContent"],
        json!({"status": "new"})
    );
    let told = call(&served, "remember", json!({"text": article(1), "id": "a"})).await;
    assert_eq!(
        told["result"]["structuredContent"],
        json!({"id": "a", "stored": "new", "status": "new"})
    );
    let told = seen(article(1)).await;
    let repeat = json!({"status": "repeat", "of": [{"id": "a", "relation": "duplicate"}]});
    assert_eq!(told["result"]["structuredContent"], repeat);
    let told = call(&served, "forget", json!({"id": "a"})).await;
    assert_eq!(
        told["result"]["structuredContent"],
        json!({"id": "a", "forgotten": true})
    );

    // What a model should read is an answer; what breaks the protocol is an error.
    let told = call(&served, "story", json!({"id": "a"})).await;
    assert_eq!(told["result"]["isError"], true);
    let told = call(&served, "nothing", json!({})).await;
    assert!(
        told["error"]["message"]
            .as_str()
            .unwrap()
            .contains("`nothing`")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn they_only_ask_unless_they_may_write() {
    let served = Served::new(Options::default());
    let told = call(&served, "remember", json!({"text": article(1)})).await;
    assert_eq!(told["result"]["isError"], true);
    assert_eq!(served.app.index.len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_and_sizes_are_as_for_other_requests() {
    let served = Served::new(Options {
        tokens: vec!["correct-horse-battery".to_owned()],
        ..Options::default()
    });
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    send(&served, &list).await.is_problem(401, "token");
    let served = Served::new(Options {
        max_body: 1000,
        ..Options::default()
    });
    let params = json!({"name": "seen", "arguments": {"text": article(1)}});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    send(&served, &message).await.is_problem(413, "bytes");
    served.get("/mcp").await.is_problem(405, "");
}
