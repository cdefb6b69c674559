//! Values of analytical (OLAP) property keys: they are kept with the other properties of their vertex, so they are in
//! its backups and copies and go with it. A vertex that is inserted again has none until the next analysis.

use std::sync::Arc;

use graph_access::WriteCheck;
use graph_model::{ElementId, Properties, PropertyKeyId, Vertex, VertexId};
use graph_store::parts::{Locks, Mask, WriteUnit, is_expired, put_vertex, stored_vertices};
use graph_store::{Graph, Pending, StoreError, Wait, now_ms};
use key_codec::{key, tables, value};

use crate::limits;
use crate::progress::Progress;
use crate::steps::in_steps;

/// Sets values of analytical keys at stored vertices, all or none; answers the vertices as they become. Each vertex is
/// named once. `check` looks at each, as it is and as it becomes.
///
/// # Errors
/// [`StoreError::VertexNotFound`]; [`StoreError::SchemaBusy`] where a key has been removed meanwhile; those of `check`
/// and of storage.
pub fn set_analytical(
    graph: &Graph,
    values: &[(VertexId, Properties)],
    check: Option<&dyn WriteCheck>,
    wait: Wait,
) -> Result<Pending<Vec<Vertex>>, StoreError> {
    let ids: Vec<VertexId> = values.iter().map(|(id, _)| id.clone()).collect();
    WriteUnit::lock(graph, wait, Locks::exclusive(stripes(&ids)), |mut unit| {
        let catalogue = Arc::clone(unit.catalogue());
        let (stored, now_ms) = (stored_vertices(graph, &ids)?, now_ms());
        let mut vertices = Vec::with_capacity(values.len());
        for ((index, (id, properties)), before) in values.iter().enumerate().zip(stored) {
            let before = before.filter(|before| !is_expired(before.expires_at_ms, now_ms));
            let before = before.ok_or_else(|| StoreError::VertexNotFound { id: id.to_string() })?;
            let mut vertex = before.clone();
            for (key, value) in properties.iter() {
                if !catalogue.is_analytical(key) {
                    return Err(StoreError::SchemaBusy.into());
                }
                vertex.properties.insert(key, value.clone());
            }
            check.map_or(Ok(()), |check| check.vertex(Some(&before), &vertex))?;
            unit.note_vertex(Some(&before), Some(&vertex), index)?;
            put_vertex(&mut unit.batch, graph.number(), &catalogue, &vertex);
            unit.batch.end_group();
            vertices.push(vertex);
        }
        unit.finish(vertices)
    })
}

/// Removes all values of a property key, some vertices at a time. Reads all vertices of the graph.
///
/// # Errors
/// Those of storage and of `work`.
pub fn clear_analytical(graph: &Graph, key: PropertyKeyId, work: &dyn Progress) -> Result<(), StoreError> {
    let mut prefix = Vec::new();
    key::graph_prefix(&mut prefix, graph.number());
    let mut cursor = graph.engine().scan_partitions(tables::VERTEX, &prefix, None)?;
    let mut rows: usize = 0;
    let mut step = |elements: &[ElementId]| {
        remove(graph, key, elements)?;
        work.advance(elements.len())
    };
    in_steps(&mut step, || {
        while let Some(entry) = cursor.next()? {
            rows = rows.wrapping_add(1);
            if rows.is_multiple_of(limits::REMOVAL_ELEMENTS_PER_BATCH) {
                work.check()?;
            }
            if value::read_vertex_part(entry.value, &[key])?.get(key).is_some() {
                return Ok(Some(ElementId::Vertex(key::read_vertex_key(entry.key)?)));
            }
        }
        Ok(None)
    })
}

fn remove(graph: &Graph, key: PropertyKeyId, elements: &[ElementId]) -> Result<(), StoreError> {
    let vertex_id = |element: &ElementId| match element {
        ElementId::Vertex(id) => Some(id.clone()),
        ElementId::Edge(_) => None,
    };
    let ids: Vec<VertexId> = elements.iter().filter_map(vertex_id).collect();
    let pending = WriteUnit::lock(graph, Wait::Allowed, Locks::exclusive(stripes(&ids)), |mut unit| {
        let catalogue = Arc::clone(unit.catalogue());
        for (index, before) in stored_vertices(graph, &ids)?.into_iter().flatten().enumerate() {
            let mut vertex = before.clone();
            if vertex.properties.remove(key).is_none() {
                continue;
            }
            unit.note_vertex(Some(&before), Some(&vertex), index)?;
            put_vertex(&mut unit.batch, graph.number(), &catalogue, &vertex);
            unit.batch.end_group();
        }
        unit.finish(())
    })?;
    pending.wait()
}

fn stripes(ids: &[VertexId]) -> Mask {
    ids.iter().fold(Mask::default(), |all, id| all.union(Mask::of(id)))
}
