//! Sums over elements as the rows they are stored as: those of a source are made into rows once more, those of a target
//! are taken as they lie there, so that nothing is decoded to be compared.

use std::collections::HashMap;

use graph_maintenance::ElementRow;
use graph_model::{Edge, LabelId, Vertex};
use key_codec::value::{put_edge, put_vertex};
use key_codec::{GraphNumber, key};

use crate::digest::Digest;
use crate::elements::Digests;

/// Stands for the number of every graph: sums do not depend on it.
const ANY_GRAPH: GraphNumber = GraphNumber(0);

/// Sums by the numbers of labels.
pub(crate) struct RowSums<'n> {
    names: &'n HashMap<u32, String>,
    by_number: HashMap<u32, Digest>,
    /// The label of the last row, and the sum of those before it that have it, too: most rows are of the label of the
    /// one before.
    last: (u32, Digest),
    row: Vec<u8>,
}

impl<'n> RowSums<'n> {
    pub(crate) fn new(names: &'n HashMap<u32, String>) -> Self {
        Self { names, by_number: HashMap::new(), last: (0, Digest::default()), row: Vec::new() }
    }

    pub(crate) fn add_vertex(&mut self, vertex: &Vertex) {
        self.row.clear();
        key::vertex_partition(&mut self.row, ANY_GRAPH, &vertex.id);
        put_vertex(&mut self.row, vertex.label, vertex.expires_at_ms, &vertex.properties);
        self.add(vertex.label);
    }

    pub(crate) fn add_edge(&mut self, edge: &Edge) {
        self.row.clear();
        key::edge_partition(&mut self.row, ANY_GRAPH, edge.id.label, &edge.id.source);
        key::edge_row(&mut self.row, &edge.id.sort_values, &edge.id.target);
        put_edge(&mut self.row, edge.expires_at_ms, &edge.properties);
        self.add(edge.id.label);
    }

    /// Adds a row as it is stored.
    pub(crate) fn add_stored(&mut self, stored: ElementRow<'_>) {
        self.row.clear();
        key::graph_prefix(&mut self.row, ANY_GRAPH);
        self.row.extend_from_slice(stored.key);
        self.row.extend_from_slice(stored.value);
        self.add(stored.label);
    }

    fn add(&mut self, label: LabelId) {
        if self.last.0 != label.0 {
            self.keep_last();
            self.last.0 = label.0;
        }
        self.last.1.add(&self.row);
    }

    fn keep_last(&mut self) {
        let sum = std::mem::take(&mut self.last.1);
        if sum.elements > 0 {
            self.by_number.entry(self.last.0).or_default().merge(sum);
        }
    }

    /// The sums by the names of labels.
    pub(crate) fn by_name(mut self) -> Digests {
        self.keep_last();
        let name = |number: u32| self.names.get(&number).cloned().unwrap_or_else(|| format!("label {number}"));
        self.by_number.iter().map(|(number, sum)| (name(*number), *sum)).collect()
    }
}

#[cfg(test)]
mod tests {
    use graph_model::{EdgeId, Properties, PropertyKeyId, Value, VertexId};

    use super::*;

    fn row<'a>(label: u32, bytes: &'a [u8], key_len: usize) -> ElementRow<'a> {
        let (key, value) = bytes.split_at(key_len);
        ElementRow { label: LabelId(label), key, value }
    }

    #[test]
    fn elements_and_their_rows_have_the_same_sums_in_every_graph() {
        let names = HashMap::from([(3, "person".to_owned()), (4, "knows".to_owned())]);
        let properties = Properties::from_iter([(PropertyKeyId(2), Value::Text("Ann".into()))]);
        let ids = [VertexId::Number(7), VertexId::from_text("1:bob").unwrap()];
        let (mut of_elements, mut of_rows) = (RowSums::new(&names), RowSums::new(&names));
        let graph = GraphNumber(70_000);
        let mut prefix = Vec::new();
        key::graph_prefix(&mut prefix, graph);
        for id in &ids {
            let vertex =
                Vertex { id: id.clone(), label: LabelId(3), properties: properties.clone(), expires_at_ms: None };
            of_elements.add_vertex(&vertex);
            let mut bytes = Vec::new();
            key::vertex_partition(&mut bytes, graph, id);
            let key_len = bytes.len() - prefix.len();
            put_vertex(&mut bytes, LabelId(3), None, &properties);
            of_rows.add_stored(row(3, &bytes[prefix.len()..], key_len));
        }
        let id =
            EdgeId { label: LabelId(4), source: ids[0].clone(), sort_values: "2020".into(), target: ids[1].clone() };
        let edge = Edge { id: id.clone(), properties: properties.clone(), expires_at_ms: Some(9) };
        of_elements.add_edge(&edge);
        let mut bytes = Vec::new();
        key::edge_partition(&mut bytes, graph, id.label, &id.source);
        key::edge_row(&mut bytes, &id.sort_values, &id.target);
        let key_len = bytes.len() - prefix.len();
        put_edge(&mut bytes, Some(9), &properties);
        of_rows.add_stored(row(4, &bytes[prefix.len()..], key_len));

        let (elements, rows) = (of_elements.by_name(), of_rows.by_name());
        assert_eq!(elements, rows);
        assert_eq!((elements["person"].elements, elements["knows"].elements), (2, 1));
        let mut other = RowSums::new(&names);
        other.add_edge(&Edge { expires_at_ms: Some(10), ..edge });
        assert_ne!(other.by_name()["knows"], elements["knows"]);
    }
}
