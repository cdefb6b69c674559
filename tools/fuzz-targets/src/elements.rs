//! What clients send as JSON or in addresses: elements, definitions, conditions, ids.

use graph_model::{EdgeIdText, VertexId, limits};

use crate::text::with_text;

/// Elements allowed in a batch.
const BATCH_MAX: usize = 8;

/// Conditions on properties and predicates: reading any text gives conditions or an error.
pub(crate) fn conditions(bytes: &[u8]) {
    with_text(bytes, |text| {
        drop(rest_json::decode_conditions(text, false));
        drop(rest_json::decode_conditions(text, true));
        if rest_json::parse_predicate(text).is_ok() {
            assert!(text.starts_with("P.") && text.ends_with(')'));
        }
    });
}

/// Edge bodies: no bytes panic, and the limit holds.
pub(crate) fn decode_edges(body: &[u8]) {
    if let Ok(edges) = rest_json::decode_edges(body, BATCH_MAX) {
        assert!((1..=BATCH_MAX).contains(&edges.len()));
    }
    drop(rest_json::decode_edge(body));
}

/// Vertex bodies: no bytes panic, and the limit holds.
pub(crate) fn decode_vertices(body: &[u8]) {
    if let Ok(vertices) = rest_json::decode_vertices(body, BATCH_MAX) {
        assert!((1..=BATCH_MAX).contains(&vertices.len()));
    }
    drop(rest_json::decode_vertex(body));
    drop(rest_json::decode_property_update(body));
}

/// Schema bodies of every kind: no bytes panic.
pub(crate) fn decode_schema(body: &[u8]) {
    drop(rest_json::decode_new_property_key(body));
    drop(rest_json::decode_update_property_key(body));
    drop(rest_json::decode_new_vertex_label(body));
    drop(rest_json::decode_update_vertex_label(body));
    drop(rest_json::decode_new_edge_label(body));
    drop(rest_json::decode_update_edge_label(body));
    drop(rest_json::decode_new_index_label(body));
}

/// Edge ids: what is read is written in a form that reads back the same, except where HugeGraph's form is ambiguous: a
/// backquote at the end of a part reads as an escape of the separator after it.
pub(crate) fn edge_id_text(bytes: &[u8]) {
    with_text(bytes, |text| {
        let Ok(edge) = EdgeIdText::parse(text) else { return };
        let ambiguous = matches!(&edge.id.source, VertexId::String(source) if source.ends_with('`'))
            || edge.id.sort_values.ends_with('`');
        let written = edge.to_string();
        // A form with fewer parts can grow past the limit.
        if !ambiguous && written.len() <= limits::EDGE_ID_CHARS_MAX {
            assert_eq!(EdgeIdText::parse(&written), Ok(edge));
        }
    });
}

/// Vertex id literals: what is read is written in a form that reads back the same.
pub(crate) fn vertex_id_literal(bytes: &[u8]) {
    with_text(bytes, |text| {
        if let Ok(id) = VertexId::parse_literal(text) {
            assert_eq!(VertexId::parse_literal(&id.to_string()), Ok(id));
        }
    });
}
