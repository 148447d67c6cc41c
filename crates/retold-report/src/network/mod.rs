//! The concept network of a page as a picture and in formats of graph tools.

mod layout;
mod svg;

use std::fmt::Write;

use retold::method::Network;

pub use svg::svg;

/// The network as GraphML: nodes with name, frequency, degree, CB and rank among the key concepts (0: none).
pub fn graphml(network: &Network) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
    );
    for (name, kind) in [
        ("name", "string"),
        ("frequency", "int"),
        ("degree", "int"),
        ("contribution", "double"),
        ("key", "int"),
    ] {
        let _ = writeln!(
            out,
            "  <key id=\"{name}\" for=\"node\" attr.name=\"{name}\" attr.type=\"{kind}\"/>"
        );
    }
    out.push_str("  <graph edgedefault=\"undirected\">\n");
    for (number, node) in network.nodes.iter().enumerate() {
        let _ = writeln!(
            out,
            "    <node id=\"n{number}\"><data key=\"name\">{}</data><data key=\"frequency\">{}</data>\
             <data key=\"degree\">{}</data><data key=\"contribution\">{}</data><data key=\"key\">{}</data></node>",
            escape(&node.name),
            node.frequency,
            node.degree,
            node.contribution,
            node.key.unwrap_or(0)
        );
    }
    for (from, to) in &network.edges {
        let _ = writeln!(out, "    <edge source=\"n{from}\" target=\"n{to}\"/>");
    }
    out.push_str("  </graph>\n</graphml>\n");
    out
}

/// The network as DOT, for Graphviz; key concepts are filled.
pub fn dot(network: &Network) -> String {
    let mut out = String::from("graph concepts {\n  node [shape=ellipse];\n");
    for (number, node) in network.nodes.iter().enumerate() {
        let filled = if node.key.is_some() {
            ", style=filled, fillcolor=orange"
        } else {
            ""
        };
        let name = node.name.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(
            out,
            "  n{number} [label=\"{name}\", frequency={}, contribution={}{filled}];",
            node.frequency, node.contribution
        );
    }
    for (from, to) in &network.edges {
        let _ = writeln!(out, "  n{from} -- n{to};");
    }
    out.push_str("}\n");
    out
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use retold::method::Node;

    fn network() -> Network {
        let node = |name: &str, degree, key| Node {
            name: name.into(),
            phrases: vec![name.into()],
            frequency: 2,
            degree,
            contribution: 0.5,
            key,
            positions: vec![0, 1],
        };
        Network {
            nodes: vec![
                node("R&D \"lab\"", 2, Some(1)),
                node("<fog>", 1, None),
                node("渡船", 1, None),
            ],
            edges: vec![(0, 1), (0, 2)],
            sources: 3,
            ..Network::default()
        }
    }

    #[test]
    fn names_are_escaped_for_each_format() {
        let graphml = graphml(&network());
        assert!(graphml.contains("<data key=\"name\">R&amp;D &quot;lab&quot;</data>"));
        assert!(
            graphml.contains("&lt;fog&gt;")
                && graphml.contains("<edge source=\"n0\" target=\"n2\"/>")
        );
        let dot = dot(&network());
        assert!(dot.contains("n0 [label=\"R&D \\\"lab\\\"\"") && dot.contains("n0 -- n2;"));
        assert!(svg(&network()).contains("R&amp;D &quot;lab&quot;"));
    }

    #[test]
    fn the_picture_holds_every_node_and_edge_and_is_the_same_every_time() {
        let picture = svg(&network());
        assert_eq!(picture, svg(&network()));
        assert_eq!(picture.matches("<circle").count(), 3);
        assert_eq!(picture.matches("<circle class=\"key\"").count(), 1);
        assert_eq!(picture.matches("<line").count(), 2);
        // Self-contained: nothing is fetched.
        assert!(!picture.contains("href") && !picture.contains("url("));
        assert!(svg(&Network::default()).contains("no network"));
        let some = Network {
            sources: 2,
            ..network()
        };
        assert!(
            svg(&some).contains("(estimated from 2 of the concepts)")
                && !picture.contains("estimated")
        );
    }
}
