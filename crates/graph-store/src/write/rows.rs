//! Elements as rows of a batch, without what index labels add.

use graph_model::{Edge, EdgeId, ElementRef, LabelId, Vertex, VertexId};
use graph_schema::Catalogue;
use key_codec::{GraphNumber, key, tables, value};
use kv::WriteBatch;

use crate::core::expiry::put_expiry;
use crate::index::label_index::{needs_label_index, put_label_index_entry};

/// Appends a vertex, its label index entry, where its label needs one, and when it expires, where it does.
pub fn put_vertex(batch: &mut WriteBatch, graph: GraphNumber, catalogue: &Catalogue, vertex: &Vertex) {
    batch.put(
        tables::VERTEX,
        |b| key::vertex_partition(b, graph, &vertex.id),
        |_| (),
        |v| value::put_vertex(v, vertex.label, vertex.expires_at_ms, &vertex.properties),
    );
    if needs_label_index(catalogue, vertex.label) {
        put_label_index_entry(batch, graph, vertex.label, &vertex.id);
    }
    put_expiry(batch, graph, vertex.expires_at_ms, ElementRef::Vertex(&vertex.id));
}

/// Appends both adjacency entries of an edge, and when it expires, where it does.
pub(crate) fn put_edge(batch: &mut WriteBatch, graph: GraphNumber, edge: &Edge) {
    let id = &edge.id;
    batch.put(
        tables::EDGE_OUT,
        |b| key::edge_partition(b, graph, id.label, &id.source),
        |b| key::edge_row(b, &id.sort_values, &id.target),
        |v| value::put_edge(v, edge.expires_at_ms, &edge.properties),
    );
    batch.put_same_value(
        tables::EDGE_IN,
        |b| key::edge_partition(b, graph, id.label, &id.target),
        |b| key::edge_row(b, &id.sort_values, &id.source),
    );
    put_expiry(batch, graph, edge.expires_at_ms, ElementRef::Edge(&edge.id));
}

/// Appends the removal of a vertex and its label index entry.
pub fn remove_vertex(batch: &mut WriteBatch, graph: GraphNumber, catalogue: &Catalogue, id: &VertexId, label: LabelId) {
    batch.delete(tables::VERTEX, |b| key::vertex_partition(b, graph, id), |_| ());
    if needs_label_index(catalogue, label) {
        batch.delete(
            tables::LABEL_INDEX,
            |b| key::label_index_partition(b, graph, label),
            |b| key::label_index_row(b, id),
        );
    }
}

/// Appends the removal of both adjacency entries of an edge.
pub fn remove_edge(batch: &mut WriteBatch, graph: GraphNumber, id: &EdgeId) {
    batch.delete(
        tables::EDGE_OUT,
        |b| key::edge_partition(b, graph, id.label, &id.source),
        |b| key::edge_row(b, &id.sort_values, &id.target),
    );
    batch.delete(
        tables::EDGE_IN,
        |b| key::edge_partition(b, graph, id.label, &id.target),
        |b| key::edge_row(b, &id.sort_values, &id.source),
    );
}
