//! A page's network for display and for other programs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::method::Concept;
use super::network::{contribution, gain, mean_distance};
use crate::text::Text;

/// The concept network of a page, restricted to its largest connected component.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Network {
    /// The number of words of the text, stop-words included.
    pub words: usize,
    /// The number of different phrases.
    pub phrases: usize,
    /// The number of concepts into which they were merged.
    pub concepts: usize,
    /// The phrases of the concept with the most phrases.
    pub largest_concept: Vec<String>,
    /// The share of nodes in the largest component; the others are not shown.
    pub connected: f64,
    /// C: the mean share of linked pairs among the neighbours of a node.
    pub clustering: f64,
    /// The number of nodes from which distances were searched: all, except in long thin networks of more than 4,096 nodes, where
    /// `mean_distance` and `contribution` are estimates (2 to 3 % off).
    pub sources: usize,
    /// d: the mean distance over all pairs of nodes.
    pub mean_distance: f64,
    /// The longest distance.
    pub longest_distance: u64,
    /// The number of nodes of each degree.
    pub degrees: BTreeMap<usize, usize>,
    /// The nodes, by name.
    pub nodes: Vec<Node>,
    /// The edges as indices into `nodes`, the smaller first, ascending.
    pub edges: Vec<(u32, u32)>,
}

/// A concept that is a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Node {
    /// The phrase that represents the concept.
    pub name: String,
    /// All phrases of the concept.
    pub phrases: Vec<String>,
    /// How often it occurs.
    pub frequency: usize,
    /// The number of its neighbours.
    pub degree: usize,
    /// CB: by how much the mean distance between the other nodes grows without it.
    pub contribution: f64,
    /// Its rank among the key concepts, from 1; `None` if it is not one.
    pub key: Option<usize>,
    /// Its positions, as indices into [`crate::text::Words::all`].
    pub positions: Vec<u32>,
}

impl Concept {
    /// The number of nodes in the network of a page.
    pub fn nodes(&self, text: &Text) -> usize {
        let concepts = self.concepts(text);
        self.web(text, &concepts).graph.len()
    }

    /// The network of a page, with the contribution of every node.
    pub fn network(&self, text: &Text) -> Network {
        let concepts = self.concepts(text);
        let web = self.web(text, &concepts);
        let graph = &web.graph;
        let all: Vec<u32> = (0..graph.len() as u32).collect();
        let found = web.distances(&all);
        let by = self.params.contribution;
        let mut nodes: Vec<Node> = all
            .iter()
            .map(|&node| {
                let concept = &concepts.all[web.concepts[node as usize] as usize];
                Node {
                    name: concept.name.clone(),
                    phrases: concept
                        .phrases
                        .iter()
                        .map(|(text, _)| text.clone())
                        .collect(),
                    frequency: concept.positions.len(),
                    degree: graph.degree(node),
                    contribution: contribution(&found, node as usize, graph.len(), by),
                    key: None,
                    positions: concept.positions.clone(),
                }
            })
            .collect();
        let hubs = web.hubs(&concepts, self.hubs);
        let gains = hubs.iter().map(|&hub| gain(&found, hub as usize, by));
        let gains: Vec<i64> = gains.collect();
        for (hub, place) in self.best(&gains).into_iter().zip(1..) {
            nodes[hubs[hub] as usize].key = Some(place);
        }
        let mut degrees = BTreeMap::new();
        nodes
            .iter()
            .for_each(|node| *degrees.entry(node.degree).or_default() += 1);
        let largest = concepts
            .all
            .iter()
            .rev()
            .max_by_key(|concept| concept.phrases.len());
        let largest = largest.map(|concept| concept.phrases.iter().map(|(text, _)| text.clone()));
        let edges = all.iter().flat_map(|&from| {
            let to = graph.neighbours(from).iter();
            to.filter(move |&&to| to > from).map(move |&to| (from, to))
        });
        Network {
            words: text.words().len(),
            phrases: concepts.phrases,
            concepts: concepts.all.len(),
            largest_concept: largest.map(Iterator::collect).unwrap_or_default(),
            connected: web.connected(),
            clustering: web.clustering(),
            sources: found.sources,
            mean_distance: mean_distance(found.total, graph.len()),
            longest_distance: found.longest,
            degrees,
            nodes,
            edges: edges.collect(),
        }
    }
}
