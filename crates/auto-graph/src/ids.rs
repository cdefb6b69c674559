//! Ids of queries and ids of storage.
//!
//! A number is one vertex id whatever its type, so `1` and `1L` name the same vertex, which answers the one it was
//! created with. The same holds of edges. Ids of properties that were not given are numbers that follow from the
//! vertex, the key and the number of the value, so they cost no room and stay the same.

use compact_str::CompactString;
use graph_model::{EdgeId, Vertex, VertexId};
use graph_schema::{auto_vertex_id_value, edge_id_key, edge_id_text, natural_id, read_edge_id_text};
use query_value::Value;

use crate::value::{decode, encode};

/// The stored id of the vertex that an id in a query means; `None` where no vertex can have it.
#[must_use]
pub fn vertex_key(id: &Value) -> Option<VertexId> {
    match id {
        Value::Byte(number) => Some(VertexId::Number(i64::from(*number))),
        Value::Short(number) => Some(VertexId::Number(i64::from(*number))),
        Value::Int(number) => Some(VertexId::Number(i64::from(*number))),
        Value::Long(number) => Some(VertexId::Number(*number)),
        Value::String(text) => VertexId::from_text(text).ok(),
        Value::Uuid(bits) => Some(VertexId::Uuid(*bits)),
        Value::Vertex(vertex) => vertex_key(&vertex.id),
        _ => None,
    }
}

/// The id of a vertex, of the type it was created with.
#[must_use]
pub fn vertex_id(vertex: &Vertex) -> Value {
    decode(&auto_vertex_id_value(&vertex.id, &vertex.properties)).unwrap_or_default()
}

/// The id of a vertex that was not read, as at the end of an edge. A number is an INT where it fits, else a LONG, which
/// is what a vertex has unless it was created with a number of another type: then [`vertex_id`] tells.
#[must_use]
pub fn unread_vertex_id(id: &VertexId) -> Value {
    decode(&natural_id(id)).unwrap_or_default()
}

/// The text by which an edge is found ([`graph_access::GraphRead::edges_by_key`]), for an id in a query; `None` where
/// no edge can have it.
#[must_use]
pub fn edge_key(id: &Value) -> Option<CompactString> {
    if let Value::Edge(edge) = id {
        return edge_key(&edge.id);
    }
    edge_sort_values(id).map(|text| edge_id_key(&text))
}

/// The sort values of the edge with an id of this very type; `None` where no edge can have it.
#[must_use]
pub fn edge_sort_values(id: &Value) -> Option<CompactString> {
    edge_id_text(tagged_value::read(&encode(id).ok()?).ok()?)
}

/// The id of an edge, of the type it was created with.
#[must_use]
pub fn edge_id(id: &EdgeId) -> Value {
    read_edge_id_text(&id.sort_values).and_then(|bytes| decode(&bytes).ok()).unwrap_or_default()
}

/// The id of a value that was given none: a number that is not negative, made of the vertex, the key and the number of
/// the value (FNV-1a of 64 bits over their bytes, mixed as SplitMix64 does).
pub(crate) fn property_id(vertex: &VertexId, key: &str, ordinal: u32) -> Value {
    let vertex = natural_id(vertex);
    let length = u64::try_from(vertex.len()).unwrap_or_default().to_be_bytes();
    let bytes = length.iter().chain(&*vertex).chain(key.as_bytes()).copied().chain(ordinal.to_be_bytes());
    let hash = bytes
        .fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3));
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    Value::Long(((hash ^ (hash >> 31)) >> 1).cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_numbers_are_one_whatever_their_type() {
        for id in [Value::Byte(7), Value::Short(7), Value::Int(7), Value::Long(7)] {
            assert_eq!((vertex_key(&id), edge_key(&id).as_deref()), (Some(VertexId::Number(7)), Some("n17")));
        }
        assert_eq!(vertex_key(&Value::Double(7.0)), None);
        assert_eq!(edge_key(&Value::Null), None);
        assert_eq!(edge_key(&Value::String("a".into())).as_deref(), Some("ta"));
        assert_eq!(unread_vertex_id(&VertexId::Number(7)), Value::Int(7));
        assert_eq!(unread_vertex_id(&VertexId::Number(1 << 40)), Value::Long(1 << 40));
    }

    #[test]
    fn ids_of_properties_follow_from_what_they_are_of() {
        let id = property_id(&VertexId::Number(1), "name", 0);
        assert_eq!(id, Value::Long(5_887_508_125_632_340_734), "part of what clients keep: never to be changed");
        for other in [
            property_id(&VertexId::Number(2), "name", 0),
            property_id(&VertexId::Number(1), "age", 0),
            property_id(&VertexId::Number(1), "name", 1),
        ] {
            assert_ne!(other, id);
        }
    }
}
