//! `retold-lab network` and `retold-lab keywords --method concept` through the real binary.

use crate::common::{World, line};

const STORY: &str = "The ferry waits for the fog to lift. The ferryman says that fog fears the sun. \
    When the sun rises the harbour bell rings, the ferry leaves, and the bell of the church answers the harbour.";

#[test]
fn a_network_is_written_in_every_format() {
    let world = World::new();
    world.file("one.txt", STORY);
    let svg = world.run(&["network", "one.txt"]).code(0).stdout();
    assert!(
        svg.starts_with("<svg xmlns=") && svg.contains(">ferry</text>"),
        "{svg}"
    );
    assert!(
        svg.contains("C = ") && svg.contains("class=\"key\""),
        "{svg}"
    );
    let again = world
        .run(&["network", "one.txt", "-o", "one.svg"])
        .code(0)
        .stdout();
    assert!(again.is_empty() && world.read("one.svg") == svg);
    world
        .run(&["network", "one.txt", "-o", "one.graphml"])
        .code(0);
    let graphml = world.read("one.graphml");
    assert!(
        graphml.contains("<data key=\"name\">ferry</data>") && graphml.ends_with("</graphml>\n")
    );
    let dot = world
        .run(&["network", "one.txt", "--format", "dot"])
        .code(0)
        .stdout();
    assert!(
        dot.starts_with("graph concepts {") && dot.contains(" -- "),
        "{dot}"
    );
    let odd = world.run(&["network", "one.txt", "-o", "one.png"]);
    odd.code(2).says(&["ending .png", "graphml"]);
}

#[test]
fn json_holds_the_figures_of_the_network() {
    let world = World::new();
    // "ferry" between five others that never meet: a star.
    world.file(
        "star.txt",
        "Ferry fog ferry ferry rope ferry ferry tide ferry ferry lantern ferry ferry anchor ferry",
    );
    let json = world
        .run(&["network", "star.txt", "--format", "json"])
        .code(0)
        .stdout();
    let network: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(network["degrees"], serde_json::json!({"1": 5, "5": 1}));
    assert_eq!(
        (&network["clustering"], &network["longest_distance"]),
        (&0.0.into(), &2.into())
    );
    // Five pairs at 1 and ten at 2.
    assert!((network["mean_distance"].as_f64().unwrap() - 25.0 / 15.0).abs() < 1e-12);
    let nodes = network["nodes"].as_array().unwrap();
    let hub = nodes.iter().find(|node| node["name"] == "ferry").unwrap();
    // Without it each of the ten pairs is cut off and counts 3 instead of 2.
    assert_eq!(
        (&hub["contribution"], &hub["key"], &hub["frequency"]),
        (&1.0.into(), &1.into(), &10.into())
    );
    assert_eq!(
        (nodes.len(), network["edges"].as_array().unwrap().len()),
        (6, 5)
    );
}

#[test]
fn one_page_of_many_is_named_by_its_id() {
    let world = World::new();
    world.file(
        "two.jsonl",
        line("a", STORY) + &line("b", "渡船等雾散了才开，船夫说雾最怕太阳。"),
    );
    world
        .run(&["network", "two.jsonl"])
        .code(2)
        .says(&["several pages", "--id"]);
    world
        .run(&["network", "two.jsonl", "--id", "c"])
        .code(2)
        .says(&["no page with the id c"]);
    let svg = world
        .run(&["network", "two.jsonl", "--id", "b"])
        .code(0)
        .stdout();
    assert!(svg.contains(">渡船</text>"), "{svg}");
    let other = world.run(&["network", "two.jsonl", "--id", "b", "--method", "period"]);
    other
        .code(2)
        .says(&["period makes no network", "concept and keyworld"]);
}

#[test]
fn key_concepts_are_keywords() {
    let world = World::new();
    world.file("one.txt", STORY);
    for method in ["concept", "keyworld"] {
        let table = world
            .run(&["keywords", "one.txt", "--method", method])
            .code(0)
            .stdout();
        assert!(table.contains("\nferry "), "{table}");
    }
}

#[test]
fn a_file_is_not_replaced_unasked() {
    let world = World::new();
    world.file("one.txt", STORY);
    world.file("net.svg", "mine");
    let network = ["network", "one.txt", "-o", "net.svg", "--force"];
    world
        .run(&network[..4])
        .code(2)
        .says(&["net.svg already exists", "--force"]);
    assert_eq!(world.read("net.svg"), "mine");
    world.run(&network).code(0);
    assert!(world.read("net.svg").starts_with("<svg"));
}
