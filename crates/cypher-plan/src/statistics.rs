//! What plans go by: how many elements a graph has, and how many fit.

use cypher_value::Text;
use graph_model::Direction;

use crate::plan::Labels;

/// Figures about a graph. They are estimates: a wrong one makes a plan slow, never its rows wrong.
pub trait Statistics {
    /// How many nodes have labels; without labels: how many there are.
    fn nodes(&self, labels: Option<&Labels>) -> f64;

    /// How many relationships of types a node with labels has on average that lead to nodes with other labels.
    fn degree(&self, from: Option<&Labels>, direction: Direction, types: Option<&Labels>, to: Option<&Labels>) -> f64;

    /// How many nodes can have relationships of types that lead to nodes with labels: all, where no schema says more.
    fn linkable(&self, direction: Direction, types: Option<&Labels>, to: Option<&Labels>) -> f64 {
        let _any = (direction, types, to);
        self.nodes(None)
    }

    /// How many nodes with labels have given values under keys.
    fn matching(&self, labels: Option<&Labels>, keys: &[Text]) -> Matching;
}

/// Nodes with given values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matching {
    /// How many there are.
    pub found: f64,
    /// How many must be read to find them.
    pub read: f64,
}

/// What is assumed of a graph of which nothing is known: labels and values tell few nodes from many.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoStatistics;

/// Nodes of a graph, as assumed.
const NODES: f64 = 100_000.0;
/// Nodes with a label, as assumed.
const LABELLED: f64 = 10_000.0;
/// Relationships of a node, as assumed.
const DEGREE: f64 = 10.0;
/// The part of nodes that has a given value, as assumed.
const EQUAL: f64 = 0.001;

impl Statistics for NoStatistics {
    fn nodes(&self, labels: Option<&Labels>) -> f64 {
        if labels.is_some() { LABELLED } else { NODES }
    }

    fn degree(&self, _: Option<&Labels>, _: Direction, types: Option<&Labels>, to: Option<&Labels>) -> f64 {
        let halves = i32::from(types.is_some()) + i32::from(to.is_some());
        DEGREE / 2_f64.powi(halves)
    }

    fn matching(&self, labels: Option<&Labels>, keys: &[Text]) -> Matching {
        let nodes = self.nodes(labels);
        let found = nodes * keys.iter().fold(1.0, |share, _| share * EQUAL);
        // A label may have an index.
        Matching { found, read: if labels.is_some() { found * 2.0 } else { nodes } }
    }
}
