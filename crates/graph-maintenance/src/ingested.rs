//! Numbers of elements after a load into an empty graph, as the rows say that were ingested.

use std::collections::BTreeMap;

use graph_model::{IdStrategy, LabelId};
use graph_schema::{Catalogue, EdgeLabelKind};
use graph_store::{Counted, Graph, StoreError};
use key_codec::{key, tables};
use kv::{Key, SortedRows, TableId};

/// What is ingested into a graph that had no elements.
#[derive(Default)]
pub struct Ingested {
    /// Of each section of a table: its first key, and how many rows.
    sections: Vec<(TableId, Vec<u8>, u64)>,
}

impl Ingested {
    /// Before anything is ingested; `None` where the graph has elements.
    ///
    /// # Errors
    /// Those of storage.
    pub fn into_empty(graph: &Graph) -> Result<Option<Self>, StoreError> {
        let mut prefix = Vec::new();
        key::graph_prefix(&mut prefix, graph.number());
        for table in [tables::VERTEX, tables::EDGE_OUT, tables::LABEL_INDEX] {
            if graph.engine().scan_partitions(table, &prefix, None)?.next()?.is_some() {
                return Ok(None);
            }
        }
        Ok(Some(Self::default()))
    }

    /// Notes rows of one section that are about to be ingested.
    pub fn add(&mut self, rows: &SortedRows) {
        self.sections.push((rows.table(), rows.extent().first.clone(), rows.extent().rows));
    }

    /// Has the graph know its numbers of elements from the next start on. Nobody else may have written to it.
    ///
    /// # Errors
    /// Those of storage.
    pub fn record(&self, graph: &Graph) -> Result<(), StoreError> {
        let catalogue = graph.catalogue();
        let (mut vertices, mut edges) = (BTreeMap::<LabelId, u64>::new(), BTreeMap::<LabelId, u64>::new());
        let (mut all_vertices, mut all_edges) = (0, 0);
        for (table, first, rows) in &self.sections {
            match *table {
                tables::EDGE_OUT => {
                    all_edges += rows;
                    *edges.entry(key::read_edge_label(Key::new(first, 0))?).or_default() += rows;
                }
                tables::VERTEX => {
                    all_vertices += rows;
                    if let Some(label) = primary_key_label(graph, &catalogue, first) {
                        *vertices.entry(label).or_default() += rows;
                    }
                }
                tables::LABEL_INDEX => {
                    *vertices.entry(key::read_label_index_label(Key::new(first, 0))?).or_default() += rows;
                }
                _ => {}
            }
        }
        let mut counts: Vec<(Counted, u64)> = vec![((false, None), all_vertices), ((true, None), all_edges)];
        // A vertex may have entries of several labels, of which the last one is right.
        if vertices.values().sum::<u64>() == all_vertices {
            let listed = catalogue
                .vertex_labels()
                .filter(|label| label.enable_label_index || label.id_strategy == IdStrategy::PrimaryKey);
            counts.extend(listed.map(|label| (label.id, vertices.get(&label.id))).map(of_label(false)));
        }
        let listed =
            catalogue.edge_labels().filter(|label| label.enable_label_index && label.kind != EdgeLabelKind::Parent);
        counts.extend(listed.map(|label| (label.id, edges.get(&label.id))).map(of_label(true)));
        graph.record_counts(&counts)
    }
}

fn of_label(is_edge: bool) -> impl Fn((LabelId, Option<&u64>)) -> (Counted, u64) {
    move |(label, count)| ((is_edge, Some(label)), count.copied().unwrap_or_default())
}

/// The label whose ids the vertices of a section begin with.
fn primary_key_label(graph: &Graph, catalogue: &Catalogue, first: &[u8]) -> Option<LabelId> {
    let mut labels = catalogue.vertex_labels().filter(|label| label.id_strategy == IdStrategy::PrimaryKey);
    let begins = |label: LabelId| {
        let mut prefix = Vec::new();
        key::primary_key_vertices_prefix(&mut prefix, graph.number(), label);
        first.starts_with(&prefix)
    };
    labels.find(|label| begins(label.id)).map(|label| label.id)
}
