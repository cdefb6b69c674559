//! What graphs cost in memory, besides what the engine holds.

use graph_schema::SchemaElement;
use kv::Statistic;

use super::Store;
use graph_store::Graph;

/// Memory of a name, of the map's place for it, and of an empty catalogue, as estimated.
const GRAPH_EXTRA_BYTES: usize = 2_048;
/// Memory of a schema element besides its own fields: names, lists, its two places in the maps of a catalogue. An
/// estimate.
const ELEMENT_EXTRA_BYTES: usize = 256;

impl Store {
    /// Where the store's memory goes, in bytes: the engine's parts, then those of the graphs. They do not overlap.
    #[must_use]
    pub fn memory(&self) -> Vec<Statistic> {
        let mut parts = self.engine().memory();
        let graphs = self.graphs.read();
        let elements: usize = graphs.values().map(|graph| element_count(graph)).sum();
        let graph_bytes = Graph::own_bytes() + GRAPH_EXTRA_BYTES;
        let element_bytes = size_of::<SchemaElement>() + ELEMENT_EXTRA_BYTES;
        parts.push(part("graphs", "Graphs with their locks, as estimated", graphs.len() * graph_bytes));
        let neighbours = "Numbers of vertices and their neighbours, kept for traversals";
        parts.push(part("adjacency_cache", neighbours, self.adjacency().bytes));
        parts.push(part("catalogues", "Schema elements of all graphs, as estimated", elements * element_bytes));
        parts
    }

    /// What the neighbours kept for traversals take, and how often they were of use.
    #[must_use]
    pub fn adjacency(&self) -> adjacency::Figures {
        self.host.graphs_share.adjacency()
    }
}

fn element_count(graph: &Graph) -> usize {
    let catalogue = graph.catalogue();
    catalogue.property_keys().count()
        + catalogue.vertex_labels().count()
        + catalogue.edge_labels().count()
        + catalogue.index_labels().count()
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people: exact up to 2^53")]
fn part(name: &'static str, help: &'static str, bytes: usize) -> Statistic {
    Statistic { name, help, value: bytes as f64 }
}
