//! `retold text`, and the options of `dedup` that say what is compared.

use serde_json::Value;

use crate::common::{World, article, line};

const ARTICLE: &str = "<p>镇上的老渡口今年春天重新开放，第一天就有三百多人来坐船过河，比预想的多了一倍还多。</p>\
<p>船主姓周，父亲和祖父都在这条河上摆渡，他说自己从小在船上长大，闭着眼也能把船靠到对岸的石阶上。</p>\
<p>县里出钱换了新的缆绳和救生衣，又在两岸各修了一座候船的木亭，亭子里贴着开船的时刻和票价。</p>\
<p>票价两块钱，老人和学生不收钱，自行车另加一块，这个价钱和十五年前停航的时候一模一样。</p>\
<p>住在对岸的居民说，以前去镇上买菜要绕路走桥，来回一个多小时，现在坐船只要几分钟，方便了许多。</p>\
<p>不过每逢大雾和涨水，渡船还是要停，周师傅在木亭外面挂了一面红旗，旗子升起来就是不开船。</p>";

fn page() -> String {
    format!(
        "<html lang=zh><head><meta charset=utf-8><title>渡口</title></head><body><div class=menu><a href=/>首页</a>\
         <a href=/l>登录</a></div><div class=article>{ARTICLE}</div><div class=footer>版权所有</div></body></html>"
    )
}

#[test]
fn the_main_text_comes_out_as_text_or_jsonl() {
    let world = World::new();
    world.file("in/a.html", page());
    world.file("in/b.txt", "A note.\nOf two lines.");
    let text = world
        .run(&["text", "in", "--format", "text"])
        .code(0)
        .stdout();
    assert!(text.starts_with("# a.html\n镇上的老渡口"), "{text}");
    assert!(
        text.ends_with("\n\n# b.txt\nA note.\nOf two lines.\n\n"),
        "{text}"
    );
    assert!(!text.contains("登录"));
    let whole = world.run(&["text", "in/a.html", "--extract", "none"]);
    assert!(whole.code(0).stdout().contains("登录"));
    let lines = world.run(&["text", "in"]).code(0).stdout();
    let first = lines.lines().next().unwrap_or_default();
    let wanted = r#"{"id":"a.html","title":"渡口","lang":"zh","charset":"UTF-8","date":null,"url":null,"text":"镇上的"#;
    assert!(first.starts_with(wanted), "{first}");
    // What it writes, it reads.
    world.file("texts.jsonl", &lines);
    let again = world
        .run(&["text", "texts.jsonl", "--format", "jsonl"])
        .code(0);
    assert_eq!(again.stdout().lines().count(), 2);
}

#[test]
fn repeated_ids_and_bad_records() {
    let world = World::new();
    world.file(
        "in.jsonl",
        line("a", "one") + &line("a", "two") + "{\"id\":\"b\"}\n",
    );
    let ran = world
        .run(&["text", "in.jsonl", "--format", "text"])
        .code(1)
        .says(&["in.jsonl, record 3"]);
    assert_eq!(ran.stdout(), "# a\none\n\n# a#2\ntwo\n\n");
    world.file("none.jsonl", "");
    world
        .run(&["text", "none.jsonl"])
        .code(2)
        .says(&["no page could be read"]);
}

#[test]
fn dedup_compares_main_text_and_counts() {
    let world = World::new();
    world.file("in/a.html", page());
    world.file("in/empty.html", "<div></div>");
    world
        .run(&["dedup", "in", "-o", "out", "--extract", "main"])
        .code(0);
    let summary = world.summary("out");
    assert_eq!(summary["extraction"]["main"], 1);
    assert_eq!(summary["extraction"]["fallback"], 1);
    assert_eq!(summary["parameters"]["extract"], "main");
    world
        .run(&["dedup", "in", "-o", "plain", "--method", "period"])
        .code(0);
    assert_eq!(world.summary("plain")["parameters"]["extract"], "none");
    assert_eq!(world.summary("plain")["extraction"]["main"], 0);
}

#[test]
fn dictionaries_are_checked() {
    let world = World::new();
    world.file("in.txt", "好。");
    world.file("words.txt", "云端漫步者\n词 -5\n");
    world
        .run(&["dedup", "in.txt", "-o", "a", "--user-dict", "words.txt"])
        .code(2)
        .says(&["--user-dict words.txt: line 2: the frequency `-5` of `词` is not a whole number"]);
    world
        .run(&["dedup", "in.txt", "-o", "a", "--user-dict", "missing.txt"])
        .code(2)
        .says(&["--user-dict missing.txt"]);
    world.file("synonyms.tsv", "渡船\t摆渡船\n孤单\n");
    world
        .run(&["dedup", "in.txt", "-o", "a", "--synonyms", "synonyms.tsv"])
        .code(2)
        .says(&["--synonyms synonyms.tsv: line 2: a group of two words or more expected"]);
}

#[test]
fn topic_text_has_no_sentence_of_the_sites_template() {
    let world = World::new();
    let mut pages = String::new();
    for number in 0..30 {
        let body = format!(
            "{}本站版权所有不得转载。",
            article(&format!("第{number}页"), 0..3)
        );
        let page =
            serde_json::json!({"id": number, "url": format!("http://a.cn/{number}"), "text": body});
        pages += &format!("{page}\n");
    }
    world.file("in.jsonl", pages);
    let topics = world.run(&["text", "in.jsonl", "--topic"]).code(0).stdout();
    assert_eq!(topics.lines().count(), 30);
    for (number, topic) in topics.lines().enumerate() {
        let topic: Value = serde_json::from_str(topic).unwrap();
        let sentences: Vec<&str> = topic["text"].as_str().unwrap().lines().collect();
        let own = article(&format!("第{number}页"), 0..3);
        assert_eq!(sentences.concat(), own);
    }
    let twice = world
        .command(&["text", "-", "--topic"])
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert_eq!(twice.status.code(), Some(2));
}
