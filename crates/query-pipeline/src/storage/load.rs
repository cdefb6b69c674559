//! Reading elements, a block at a time.

use std::collections::VecDeque;
use std::sync::Arc;

use auto_graph::ids;
use graph_model::{Edge, EdgeId, Vertex, VertexId};
use graph_schema::Catalogue;
use query_value::Value;

use super::convert::{edge_id, vertex_id};
use crate::context::Cx;
use crate::error::Result;
use crate::traverser::{Stored, Traverser};

/// Reads the elements that traversers are at, unless it is known already.
pub(crate) fn load<'t>(cx: &Cx<'_>, traversers: impl Iterator<Item = &'t mut Traverser>) -> Result<()> {
    let (mut vertices, mut edges) = (Vec::new(), Vec::new());
    for traverser in traversers {
        if traverser.stored.is_some() && !cx.has_written {
            continue;
        }
        match &traverser.value {
            Value::Vertex(_) => vertices.push(traverser),
            Value::Edge(_) => edges.push(traverser),
            _ => {}
        }
    }
    if !vertices.is_empty() {
        let ids: Vec<Option<VertexId>> = vertices.iter().map(|traverser| vertex_id(&traverser.value)).collect();
        let found = read_vertices(cx, &ids)?;
        for (traverser, found) in vertices.into_iter().zip(found) {
            traverser.stored = found.map(Stored::Vertex);
        }
    }
    if !edges.is_empty() {
        let found = read_edges(cx, &edges.iter().map(|traverser| &traverser.value).collect::<Vec<_>>())?;
        for (traverser, found) in edges.into_iter().zip(found) {
            traverser.stored = found.map(Stored::Edge);
        }
    }
    Ok(())
}

/// [`load`] for what waits before a stage.
pub fn load_queue(cx: &Cx<'_>, queue: &mut VecDeque<Traverser>) -> Result<()> {
    load(cx, queue.iter_mut())
}

pub(super) fn read_vertices(cx: &Cx<'_>, ids: &[Option<VertexId>]) -> Result<Vec<Option<Arc<Vertex>>>> {
    let present: Vec<VertexId> = ids.iter().flatten().cloned().collect();
    let mut found = cx.read().vertices(&present)?.into_iter();
    Ok(ids.iter().map(|id| id.as_ref().and_then(|_| found.next().flatten()).map(Arc::new)).collect())
}

pub(super) fn read_edges(cx: &Cx<'_>, edges: &[&Value]) -> Result<Vec<Option<Arc<Edge>>>> {
    if cx.catalogue.is_auto() {
        return auto_edges(cx, edges);
    }
    let ids: Vec<Option<EdgeId>> = edges.iter().map(|edge| edge_id(edge)).collect();
    let present: Vec<EdgeId> = ids.iter().flatten().cloned().collect();
    let mut found = cx.read().edges(&present)?.into_iter();
    Ok(ids.iter().map(|id| id.as_ref().and_then(|_| found.next().flatten()).map(Arc::new)).collect())
}

/// Reads a single element.
pub fn load_value(cx: &Cx<'_>, value: &Value) -> Result<Option<Stored>> {
    let mut traverser = Traverser::new(value.clone());
    load(cx, std::iter::once(&mut traverser))?;
    Ok(traverser.stored)
}

/// The stored id of an edge of an auto graph, of a value whose ends are known.
fn auto_edge_id(catalogue: &Catalogue, value: &Value) -> Option<EdgeId> {
    let Value::Edge(edge) = value else { return None };
    Some(EdgeId {
        label: catalogue.edge_label_named(&edge.label)?.id,
        source: vertex_id(&edge.source.id)?,
        sort_values: ids::edge_sort_values(&edge.id)?,
        target: vertex_id(&edge.target.id)?,
    })
}

/// The edges of an auto graph that values name. One made in the query is read by its parts, one from a client by its
/// id.
fn auto_edges(cx: &Cx<'_>, edges: &[&Value]) -> Result<Vec<Option<Arc<Edge>>>> {
    let ids: Vec<Option<EdgeId>> = edges.iter().map(|edge| auto_edge_id(&cx.catalogue, edge)).collect();
    let present: Vec<EdgeId> = ids.iter().flatten().cloned().collect();
    let mut found = cx.read().edges(&present)?.into_iter();
    let mut found: Vec<Option<Edge>> = ids.iter().map(|id| id.as_ref().and_then(|_| found.next().flatten())).collect();
    let missing = found.iter().zip(edges).enumerate().filter(|(_, (found, _))| found.is_none());
    let (places, keys): (Vec<usize>, Vec<_>) =
        missing.filter_map(|(at, (_, edge))| Some((at, ids::edge_key(edge)?))).unzip();
    if !keys.is_empty() {
        for (place, edge) in places.into_iter().zip(cx.read().edges_by_key(&keys)?) {
            if let Some(slot) = found.get_mut(place) {
                *slot = edge;
            }
        }
    }
    Ok(found.into_iter().map(|edge| edge.map(Arc::new)).collect())
}
