//! Keys of every table: functions that append a partition or a row, and functions that read them back.

use compact_str::CompactString;
use graph_model::{EdgeId, ElementId, ElementRef, LabelId, VertexId, VertexIdRef};
use kv::Key;

use crate::ordered::{
    pass_text, put_primary_key_prefix, put_text, put_u32, put_vertex_id, read_text, read_u32, read_vertex_id,
    read_vertex_id_ref,
};
use crate::reader::Reader;
use crate::{CodecError, GraphNumber, index_key};

/// What a partition of the `meta` table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum MetaKind {
    /// Rows by name; the store's own settings (format version) and, per graph, its settings (mode).
    Setting = 0,
    /// Rows by name; of the store: the graphs.
    Graph = 1,
    /// Rows by number: property keys.
    PropertyKey = 2,
    /// Rows by number: vertex labels.
    VertexLabel = 3,
    /// Rows by number: edge labels.
    EdgeLabel = 4,
    /// Rows by number: index labels.
    IndexLabel = 5,
    /// Rows by number: graphs whose data is still to be removed.
    Dropped = 6,
    /// Rows by name: variables.
    Variable = 7,
    /// Rows by name; of the store: what the graph of that name is configured with.
    GraphConf = 8,
    /// Rows by name; of the store: the snapshot of the graph of that name.
    Snapshot = 9,
    /// Rows by number; of the store: copies of graphs that are not complete yet. What a process left so is removed by
    /// the next one.
    Unfinished = 10,
    /// Rows by name; of the store: the processes over a shared engine, and which of them holds an exclusive right.
    Cluster = 11,
    /// Rows by number; of the store, on a shared engine: the versions of the graphs' schemas, and their modes.
    Version = 12,
    /// Rows by name; of a graph, on a shared engine: which process runs the task of that number.
    TaskOwner = 13,
    /// Rows by name; of the store: users and their rights, as JSON.
    Auth = 14,
    /// Rows by name, a number of a graph; of the store, on a shared engine: which process holds which locks of it.
    Stripes = 15,
}

/// Appends what all partitions of a graph begin with, in every table.
pub fn graph_prefix(out: &mut Vec<u8>, graph: GraphNumber) {
    put_u32(out, graph.0);
}

/// Appends a partition of `meta`.
pub fn meta_partition(out: &mut Vec<u8>, graph: GraphNumber, kind: MetaKind) {
    put_u32(out, graph.0);
    out.push(kind as u8);
}

/// Appends a row of `meta` by name.
pub fn meta_row_name(out: &mut Vec<u8>, name: &str) {
    put_text(out, name);
}

/// Appends a row of `meta` by number.
pub fn meta_row_number(out: &mut Vec<u8>, number: u32) {
    put_u32(out, number);
}

/// Reads a row of `meta` by name.
pub fn read_meta_row_name(row: &[u8]) -> Result<CompactString, CodecError> {
    let mut reader = Reader::new(row, "meta row");
    let name = read_text(&mut reader)?;
    reader.end()?;
    Ok(name)
}

/// Reads a row of `meta` by number.
pub fn read_meta_row_number(row: &[u8]) -> Result<u32, CodecError> {
    let mut reader = Reader::new(row, "meta row");
    let number = read_u32(&mut reader)?;
    reader.end()?;
    Ok(number)
}

/// Appends a partition of `vertex`.
pub fn vertex_partition(out: &mut Vec<u8>, graph: GraphNumber, id: &VertexId) {
    put_u32(out, graph.0);
    put_vertex_id(out, id);
}

/// Appends what the partitions of all vertices of a label with primary keys begin with.
pub fn primary_key_vertices_prefix(out: &mut Vec<u8>, graph: GraphNumber, label: LabelId) {
    put_u32(out, graph.0);
    put_primary_key_prefix(out, label);
}

/// Reads the id from a key of `vertex`.
pub fn read_vertex_key(key: Key<'_>) -> Result<VertexId, CodecError> {
    let mut reader = Reader::new(key.as_bytes(), "vertex key");
    read_u32(&mut reader)?;
    let id = read_vertex_id(&mut reader)?;
    reader.end()?;
    Ok(id)
}

/// Appends a partition of `edge_out` or `edge_in`: the edges of a label at one vertex.
pub fn edge_partition(out: &mut Vec<u8>, graph: GraphNumber, label: LabelId, owner: &VertexId) {
    put_u32(out, graph.0);
    put_u32(out, label.0);
    put_vertex_id(out, owner);
}

/// Reads the vertex from a partition of `vertex`, as [`read_edge_partition`] does.
pub fn read_vertex_partition<'a>(partition: &'a [u8], text: &'a mut Vec<u8>) -> Result<VertexIdRef<'a>, CodecError> {
    let mut reader = Reader::new(partition, "vertex partition");
    read_u32(&mut reader)?;
    let id = read_vertex_id_ref(&mut reader, text)?;
    reader.end()?;
    Ok(id)
}

/// Reads the label and the vertex from a partition of `edge_out` or `edge_in`. The id is not copied unless it is stored
/// in pieces, which are put together in `text`.
pub fn read_edge_partition<'a>(
    partition: &'a [u8],
    text: &'a mut Vec<u8>,
) -> Result<(LabelId, VertexIdRef<'a>), CodecError> {
    let mut reader = Reader::new(partition, "edge partition");
    read_u32(&mut reader)?;
    let label = LabelId(read_u32(&mut reader)?);
    let owner = read_vertex_id_ref(&mut reader, text)?;
    reader.end()?;
    Ok((label, owner))
}

/// Reads the label from a key of `edge_out` or `edge_in`.
pub fn read_edge_label(key: Key<'_>) -> Result<LabelId, CodecError> {
    let mut reader = Reader::new(key.as_bytes(), "edge key");
    read_u32(&mut reader)?;
    Ok(LabelId(read_u32(&mut reader)?))
}

/// Appends what the partitions of all edges of a label begin with.
pub fn edge_label_prefix(out: &mut Vec<u8>, graph: GraphNumber, label: LabelId) {
    put_u32(out, graph.0);
    put_u32(out, label.0);
}

/// Appends a row of `edge_out` or `edge_in`.
pub fn edge_row(out: &mut Vec<u8>, sort_values: &str, other: &VertexId) {
    put_text(out, sort_values);
    put_vertex_id(out, other);
}

/// Appends what rows of `edge_out` or `edge_in` begin with whose sort values are these (`whole`), or begin with these
/// and a further one.
pub fn edge_row_prefix(out: &mut Vec<u8>, sort_values: &str, whole: bool) {
    put_text(out, sort_values);
    if !whole && let Some(end) = out.last_mut() {
        *end = b'!';
    }
}

/// Reads the id from a key of `edge_out`.
pub fn read_edge_out_key(key: Key<'_>) -> Result<EdgeId, CodecError> {
    read_edge_key(key).map(|(label, owner, sort_values, other)| EdgeId {
        label,
        source: owner,
        sort_values,
        target: other,
    })
}

/// Reads the id from a key of `edge_in`.
pub fn read_edge_in_key(key: Key<'_>) -> Result<EdgeId, CodecError> {
    read_edge_key(key).map(|(label, owner, sort_values, other)| EdgeId {
        label,
        source: other,
        sort_values,
        target: owner,
    })
}

/// Reads a row of `edge_out` or `edge_in`: sort values and other end. For scans of one partition, whose owner and label
/// are known.
pub fn read_edge_row(row: &[u8]) -> Result<(CompactString, VertexId), CodecError> {
    let mut reader = Reader::new(row, "edge row");
    let sort_values = read_text(&mut reader)?;
    let other = read_vertex_id(&mut reader)?;
    reader.end()?;
    Ok((sort_values, other))
}

/// Reads the other end from a row of `edge_out` or `edge_in`, passing over the sort values. The id is not copied unless
/// it is stored in pieces, which are put together in `text`; whether it is UTF-8 is not checked.
pub fn read_edge_other<'a>(row: &'a [u8], text: &'a mut Vec<u8>) -> Result<VertexIdRef<'a>, CodecError> {
    let mut reader = Reader::new(row, "edge row");
    pass_text(&mut reader)?;
    let other = read_vertex_id_ref(&mut reader, text)?;
    reader.end()?;
    Ok(other)
}

fn read_edge_key(key: Key<'_>) -> Result<(LabelId, VertexId, CompactString, VertexId), CodecError> {
    let mut reader = Reader::new(key.as_bytes(), "edge key");
    read_u32(&mut reader)?;
    let label = LabelId(read_u32(&mut reader)?);
    let owner = read_vertex_id(&mut reader)?;
    let sort_values = read_text(&mut reader)?;
    let other = read_vertex_id(&mut reader)?;
    reader.end()?;
    Ok((label, owner, sort_values, other))
}

/// Appends a partition of `label_index`.
pub fn label_index_partition(out: &mut Vec<u8>, graph: GraphNumber, label: LabelId) {
    put_u32(out, graph.0);
    put_u32(out, label.0);
}

/// Reads the label from a key of `label_index`.
pub fn read_label_index_label(key: Key<'_>) -> Result<LabelId, CodecError> {
    let mut reader = Reader::new(key.as_bytes(), "label index key");
    read_u32(&mut reader)?;
    Ok(LabelId(read_u32(&mut reader)?))
}

/// Appends a row of `label_index`.
pub fn label_index_row(out: &mut Vec<u8>, id: &VertexId) {
    put_vertex_id(out, id);
}

/// Reads the id from a row of `label_index`.
pub fn read_label_index_row(row: &[u8]) -> Result<VertexId, CodecError> {
    let mut reader = Reader::new(row, "label index row");
    let id = read_vertex_id(&mut reader)?;
    reader.end()?;
    Ok(id)
}

/// Appends a partition of `task`.
pub fn task_partition(out: &mut Vec<u8>, graph: GraphNumber) {
    put_u32(out, graph.0);
}

/// Appends a row of `task`.
pub fn task_row(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&number.to_be_bytes());
}

/// Reads a row of `task`.
pub fn read_task_row(row: &[u8]) -> Result<u64, CodecError> {
    let mut reader = Reader::new(row, "task row");
    let number = u64::from_be_bytes(reader.array()?);
    reader.end()?;
    Ok(number)
}

/// Appends a partition of `expiry`.
pub fn expiry_partition(out: &mut Vec<u8>, graph: GraphNumber) {
    put_u32(out, graph.0);
}

/// Appends a row of `expiry`: an element that expires at a moment, in milliseconds since 1970 UTC.
pub fn expiry_row(out: &mut Vec<u8>, expires_at_ms: i64, element: ElementRef<'_>) {
    expiry_bound(out, expires_at_ms);
    index_key::put_element(out, element);
}

/// Appends what the rows of `expiry` of one moment begin with: the rows of earlier moments are before it.
pub fn expiry_bound(out: &mut Vec<u8>, expires_at_ms: i64) {
    out.extend_from_slice(&(expires_at_ms.cast_unsigned() ^ (1 << 63)).to_be_bytes());
}

/// Reads a row of `expiry`: the moment and the element.
pub fn read_expiry_row(row: &[u8]) -> Result<(i64, ElementId), CodecError> {
    let mut reader = Reader::new(row, "expiry row");
    let expires_at_ms = (u64::from_be_bytes(reader.array()?) ^ (1 << 63)).cast_signed();
    let element = index_key::read_element(reader.rest())?;
    Ok((expires_at_ms, element))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tables::{EDGE_OUT, TABLES, VERTEX};

    fn vertex_id() -> impl Strategy<Value = VertexId> {
        prop_oneof![
            any::<i64>().prop_map(VertexId::Number),
            any::<u128>().prop_map(VertexId::Uuid),
            ".{1,20}".prop_map(|text| VertexId::String(text.into())),
            (1u32.., ".{0,20}").prop_map(|(label, rest)| VertexId::String(format!("{label}:{rest}").into())),
            "[\u{0}-\u{2}]{1,6}".prop_map(|text| VertexId::String(text.into())),
        ]
    }

    fn edge_id() -> impl Strategy<Value = EdgeId> {
        (any::<u32>(), vertex_id(), "[\u{0}-\u{3}a-c!]{0,6}", vertex_id()).prop_map(|(label, source, sort, target)| {
            EdgeId { label: LabelId(label), source, sort_values: sort.into(), target }
        })
    }

    /// Edges between numbered vertices, close enough to each other that every part gets to decide the order.
    fn numbered_edge_id() -> impl Strategy<Value = EdgeId> {
        (prop_oneof![0u32..3, 200u32..3000], -2i64..3, "[\u{0}-\u{3}a]{0,3}", any::<i64>()).prop_map(
            |(label, source, sort, target)| EdgeId {
                label: LabelId(label),
                source: VertexId::Number(source),
                sort_values: sort.into(),
                target: VertexId::Number(target),
            },
        )
    }

    fn edge_key(graph: u32, id: &EdgeId) -> (Vec<u8>, usize) {
        let mut key = Vec::new();
        edge_partition(&mut key, GraphNumber(graph), id.label, &id.source);
        let partition_len = key.len();
        edge_row(&mut key, &id.sort_values, &id.target);
        (key, partition_len)
    }

    proptest! {
        #[test]
        fn vertex_keys_round_trip_and_delimit_themselves(
            graph in any::<u32>(), id in vertex_id(), junk in any::<Vec<u8>>(),
        ) {
            let mut key = Vec::new();
            vertex_partition(&mut key, GraphNumber(graph), &id);
            prop_assert_eq!(read_vertex_key(Key::new(&key, key.len())), Ok(id));
            let len = key.len();
            key.extend_from_slice(&junk);
            prop_assert_eq!((TABLES[VERTEX.index()].partition_len)(&key), Some(len));
        }

        #[test]
        fn edge_keys_round_trip_and_delimit_themselves(graph in any::<u32>(), id in edge_id()) {
            let (key, partition_len) = edge_key(graph, &id);
            prop_assert_eq!((TABLES[EDGE_OUT.index()].partition_len)(&key), Some(partition_len));
            prop_assert_eq!(read_edge_out_key(Key::new(&key, partition_len)), Ok(id.clone()));
            let mut text = b"of another one".to_vec();
            let owner = read_edge_partition(&key[..partition_len], &mut text);
            prop_assert_eq!(owner, Ok((id.label, VertexIdRef::from(&id.source))));
            prop_assert_eq!(read_edge_row(&key[partition_len..]), Ok((id.sort_values.clone(), id.target.clone())));
            let mut text = Vec::new();
            prop_assert_eq!(read_edge_other(&key[partition_len..], &mut text), Ok(VertexIdRef::from(&id.target)));
            let reversed = EdgeId { source: id.target, target: id.source, ..id };
            prop_assert_eq!(read_edge_in_key(Key::new(&key, partition_len)), Ok(reversed));
        }

        #[test]
        fn edges_sort_by_label_owner_and_sort_values(a in numbered_edge_id(), b in numbered_edge_id()) {
            let parts = |id: &EdgeId| {
                (id.label, id.source.clone(), id.sort_values.as_bytes().to_vec(), id.target.clone())
            };
            prop_assert_eq!(edge_key(1, &a).0.cmp(&edge_key(1, &b).0), parts(&a).cmp(&parts(&b)));
        }

        #[test]
        fn sections_do_not_overlap(
            a in vertex_id(), b in vertex_id(), c in vertex_id(), labels in (0u32..300, 0u32..300),
        ) {
            use crate::tables::section_len;
            let vertex = |id: &VertexId| {
                let mut key = Vec::new();
                vertex_partition(&mut key, GraphNumber(1), id);
                key
            };
            let edge = |label: u32, id: &VertexId| {
                let id =
                    EdgeId { label: LabelId(label), source: id.clone(), sort_values: "".into(), target: a.clone() };
                edge_key(1, &id).0
            };
            for (table, keys) in [
                (VERTEX, [vertex(&a), vertex(&b), vertex(&c)]),
                (EDGE_OUT, [edge(labels.0, &a), edge(labels.1, &b), edge(labels.1, &c)]),
            ] {
                let sections = keys.each_ref().map(|key| &key[..section_len(table, key).unwrap()]);
                for (i, j) in [(0, 1), (0, 2), (1, 2)] {
                    prop_assert!(sections[i] == sections[j] || sections[i].cmp(sections[j]) == keys[i].cmp(&keys[j]));
                }
            }
        }

        #[test]
        fn expiry_rows_sort_by_their_moment(
            a in any::<i64>(), b in any::<i64>(), vertex in vertex_id(), edge in edge_id(),
        ) {
            let (mut x, mut y) = (Vec::new(), Vec::new());
            expiry_row(&mut x, a, ElementRef::Vertex(&vertex));
            expiry_row(&mut y, b, ElementRef::Edge(&edge));
            prop_assert!(a == b || x.cmp(&y) == a.cmp(&b));
            prop_assert_eq!(read_expiry_row(&x), Ok((a, ElementId::Vertex(vertex))));
            prop_assert_eq!(read_expiry_row(&y), Ok((b, ElementId::Edge(edge))));
            let mut bound = Vec::new();
            expiry_bound(&mut bound, a);
            prop_assert!(x.starts_with(&bound) && (y < bound) == (b < a));
        }

        #[test]
        fn numbers_sort_like_their_bytes(a in any::<u32>(), b in any::<u32>()) {
            let (mut x, mut y) = (Vec::new(), Vec::new());
            put_u32(&mut x, a);
            put_u32(&mut y, b);
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
            prop_assert_eq!(read_u32(&mut Reader::new(&x, "test")), Ok(a));
        }

        #[test]
        fn texts_sort_like_their_bytes(
            a in "[\u{0}-\u{3}a-c]{0,8}", b in "[\u{0}-\u{3}a-c]{0,8}", tail in any::<u8>(),
        ) {
            let (mut x, mut y) = (Vec::new(), Vec::new());
            put_text(&mut x, &a);
            put_text(&mut y, &b);
            prop_assert_eq!(x.cmp(&y), a.as_bytes().cmp(b.as_bytes()));
            x.push(tail);
            prop_assert_eq!(read_text(&mut Reader::new(&x, "test")).map(String::from), Ok(a));
        }

        #[test]
        fn reading_any_bytes_never_panics(bytes in any::<Vec<u8>>()) {
            for table in TABLES {
                if let Some(len) = (table.partition_len)(&bytes) {
                    prop_assert!(len <= bytes.len());
                }
            }
            if let Ok(id) = read_edge_out_key(Key::new(&bytes, 0)) {
                // One encoding per key: what was read is written back as the same bytes.
                let graph = read_u32(&mut Reader::new(&bytes, "test"))?;
                prop_assert_eq!(edge_key(graph, &id).0, bytes.clone());
            }
            drop(read_vertex_key(Key::new(&bytes, 0)));
            drop(read_edge_row(&bytes));
            drop(read_edge_other(&bytes, &mut Vec::new()));
            drop(read_label_index_row(&bytes));
            drop(read_label_index_label(Key::new(&bytes, 0)));
            drop(read_meta_row_name(&bytes));
            drop(read_task_row(&bytes));
            drop(read_expiry_row(&bytes));
            drop(read_meta_row_number(&bytes));
        }
    }

    #[test]
    fn a_number_has_one_form() {
        for longer in [&[241, 0][..], &[250, 0, 0, 7], &[251, 0, 0, 0, 7]] {
            assert!(read_meta_row_number(longer).is_err(), "{longer:?}");
        }
        assert_eq!([&[240][..], &[241, 1], &[249, 0, 0]].map(read_meta_row_number), [Ok(240), Ok(241), Ok(2288)]);
    }

    #[test]
    fn a_label_is_one_range() {
        let mut prefix = Vec::new();
        edge_label_prefix(&mut prefix, GraphNumber(1), LabelId(7));
        let id = EdgeId {
            label: LabelId(7),
            source: VertexId::Number(1),
            sort_values: "".into(),
            target: VertexId::Number(2),
        };
        assert!(edge_key(1, &id).0.starts_with(&prefix));
        let mut pk = Vec::new();
        primary_key_vertices_prefix(&mut pk, GraphNumber(1), LabelId(3));
        let mut key = Vec::new();
        vertex_partition(&mut key, GraphNumber(1), &VertexId::String("3:ann".into()));
        assert!(key.starts_with(&pk));
    }
}
