//! The picture of a network (the paper's Fig. 1), as a self-contained file.

use std::fmt::Write;

use super::escape;
use super::layout::places;
use retold::method::{Network, Node};

/// Width and height in units of the picture.
const SIZE: f64 = 1200.0;
const MARGIN: f64 = 60.0;
const CAPTION: f64 = 40.0;
/// Larger networks show only the names of key concepts and of the nodes of highest degree.
const NAMES: usize = 120;

const STYLE: &str = "svg{background:#fff;font-family:sans-serif}line{stroke:#9aa;stroke-width:.8;stroke-opacity:.45}\
circle{fill:#8fb3d9;stroke:#fff}circle.key{fill:#e8862e}text{fill:#333;text-anchor:middle}\
text.key{font-weight:bold;fill:#000}text.caption{text-anchor:start;font-size:16px}\
@media(prefers-color-scheme:dark){svg{background:#16181c}line{stroke:#678}circle{fill:#4d7aa8;stroke:#16181c}\
circle.key{fill:#e8862e}text{fill:#bbb}text.key{fill:#fff}}";

/// The network as SVG: nodes sized by degree, key concepts marked, details in tooltips.
pub fn svg(network: &Network) -> String {
    let height = SIZE + CAPTION;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {SIZE} {height}\" role=\"img\">\n<style>{STYLE}</style>\n"
    );
    let _ = writeln!(
        out,
        "<text class=\"caption\" x=\"20\" y=\"28\">{}</text>",
        caption(network)
    );
    let places = scaled(&places(network));
    for &(a, b) in &network.edges {
        let ((x1, y1), (x2, y2)) = (places[a as usize], places[b as usize]);
        let _ = writeln!(
            out,
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        );
    }
    for (node, (x, y)) in network.nodes.iter().zip(&places) {
        let class = if node.key.is_some() {
            " class=\"key\""
        } else {
            ""
        };
        let _ = writeln!(
            out,
            "<circle{class} cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\"><title>{}</title></circle>",
            radius(node),
            escape(&tooltip(node))
        );
    }
    let named = named(network);
    for (node, (x, y)) in network.nodes.iter().zip(&places) {
        if node.key.is_none() && node.degree < named {
            continue;
        }
        let class = if node.key.is_some() {
            " class=\"key\""
        } else {
            ""
        };
        let size = 9.0 + radius(node) / 3.0;
        let _ = writeln!(
            out,
            "<text{class} x=\"{x:.1}\" y=\"{:.1}\" font-size=\"{size:.1}\">{}</text>",
            y - radius(node) - 2.0,
            escape(&node.name)
        );
    }
    out.push_str("</svg>\n");
    out
}

fn caption(network: &Network) -> String {
    if network.nodes.is_empty() {
        return "no network: the page has no words that count".to_owned();
    }
    let estimated = match network.sources < network.nodes.len() {
        true => format!(" (estimated from {} of the concepts)", network.sources),
        false => String::new(),
    };
    format!(
        "{} concepts, {} edges, C = {:.3}, d = {:.3}{estimated}; orange: key concepts",
        network.nodes.len(),
        network.edges.len(),
        network.clustering,
        network.mean_distance
    )
}

fn tooltip(node: &Node) -> String {
    let phrases = node.phrases.join(", ");
    format!(
        "{phrases}\n{} times, degree {}, CB {:.6}",
        node.frequency, node.degree, node.contribution
    )
}

fn radius(node: &Node) -> f64 {
    3.0 + 2.0 * (node.degree as f64).sqrt()
}

/// The smallest degree of nodes whose names are shown.
fn named(network: &Network) -> usize {
    let mut degrees: Vec<usize> = network.nodes.iter().map(|node| node.degree).collect();
    degrees.sort_unstable_by(|a, b| b.cmp(a));
    degrees.get(NAMES).map_or(0, |degree| degree + 1)
}

fn scaled(places: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let range = |of: fn(&(f64, f64)) -> f64| {
        let least = places.iter().map(of).fold(f64::INFINITY, f64::min);
        let most = places.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        (least, (most - least).max(1e-9))
    };
    let ((left, width), (top, height)) = (range(|p| p.0), range(|p| p.1));
    let room = SIZE - 2.0 * MARGIN;
    let place = |(x, y): &(f64, f64)| {
        let across = MARGIN + (x - left) / width * room;
        (across, CAPTION + MARGIN + (y - top) / height * room)
    };
    places.iter().map(place).collect()
}
