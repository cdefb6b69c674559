//! What the port asks of a graph, answered from a view of it.

use compact_str::CompactString;
use edge_rows::EdgeCursor;
use graph_access::{AccessError, Batches, Cursor, EdgeRead, EdgeRow, Lookup, SortRange};
use graph_model::{Edge, EdgeId, ElementId, LabelId, Value, Vertex, VertexId};
use graph_schema::{Catalogue, LABEL_JOINT};
use key_codec::{index_key, tables};
use kv::{Keys, Read};

use crate::core::fetch::fetch;
use crate::query::find;
use crate::read::by_id::{read_edges, read_vertices};
use crate::read::edges::{Edges, scan_edges};
use crate::read::source::count;
use crate::read::vertices::{self, scan_vertices};
use crate::read::view::View;
use store_error::StoreError;

/// See [`graph_access::WalkRead::check`]. Fails also once a read was refused where waiting is forbidden.
pub(crate) fn check(view: View<'_>) -> Result<(), AccessError> {
    kv::check_nothing_refused().map_err(StoreError::from)?;
    Ok(view.budget.check().map_err(StoreError::from)?)
}

/// See [`graph_access::WalkRead::edges_in`].
pub(crate) fn edges_of<'a>(
    view: View<'a>,
    owners: &'a [&'a VertexId],
    read: EdgeRead<'a>,
    ranges: &[SortRange],
) -> Result<Box<dyn Cursor<EdgeRow> + 'a>, AccessError> {
    check(view)?;
    let mut edges = EdgeCursor::new(view.rows(), owners, read).within(ranges).ahead(view.graph.is_remote());
    Ok(cursor(move |batch, rows_max| {
        edges.fill(batch, rows_max)?;
        view.graph.unless_cleared(())
    }))
}

/// See [`graph_access::WalkRead::vertices`].
pub(crate) fn vertices(view: View<'_>, ids: &[VertexId]) -> Result<Vec<Option<Vertex>>, AccessError> {
    check(view)?;
    let found = read_vertices(view.graph, view.read, ids)?;
    Ok(view.graph.unless_cleared(found)?)
}

/// See [`graph_access::GraphRead::edges`].
pub(crate) fn edges(view: View<'_>, ids: &[EdgeId]) -> Result<Vec<Option<Edge>>, AccessError> {
    check(view)?;
    let found = read_edges(view.graph, view.read, ids)?;
    Ok(view.graph.unless_cleared(found)?)
}

/// See [`graph_access::GraphRead::edges_by_key`].
pub(crate) fn edges_by_key(view: View<'_>, ids: &[CompactString]) -> Result<Vec<Option<Edge>>, AccessError> {
    check(view)?;
    if !view.catalogue.is_auto() {
        let reason = "its edges have no ids of their own; ask by label, ends and sort values";
        return Err(view.graph.wrong_mode(reason).into());
    }
    let (graph, mut keys) = (view.graph.number, Keys::new());
    for id in ids {
        let value = Value::Text(id.clone());
        keys.push(|b| index_key::unique_partition(b, graph, LabelId::EDGE_IDS, &[Some(&value)]), |_| ());
    }
    let read = |_, found: &[u8]| index_key::read_element(found).map(Some);
    let holders = fetch(view.read, tables::INDEX_UNIQUE, &keys, read)?;
    let mut found: Vec<Option<Edge>> = vec![None; ids.len()];
    let (mut places, mut edge_ids) = (Vec::new(), Vec::new());
    for (at, holder) in holders.into_iter().enumerate() {
        if let Some(ElementId::Edge(id)) = holder {
            places.push(at);
            edge_ids.push(id);
        }
    }
    for (at, edge) in places.into_iter().zip(read_edges(view.graph, view.read, &edge_ids)?) {
        if let Some(slot) = found.get_mut(at) {
            *slot = edge;
        }
    }
    Ok(view.graph.unless_cleared(found)?)
}

/// See [`graph_access::GraphRead::find_vertices`]. Without conditions it is a scan.
pub(crate) fn find_vertices(view: View<'_>, lookup: Lookup) -> Result<Box<dyn Cursor<Vertex> + '_>, AccessError> {
    let Lookup { label, among_others, conditions, limit, properties, without_ids } = lookup;
    check(view)?;
    if conditions.is_empty() {
        let mut all = scan_vertices(view, label, vertices::Wanted { conditions, properties, without_ids }, limit)?;
        return Ok(cursor(move |batch, rows_max| all.fill(batch, rows_max)));
    }
    // Nothing has a set of names among others.
    let is_name = |label| view.catalogue.vertex_label(label).is_some_and(|label| !label.name.contains(LABEL_JOINT));
    let among_others = among_others && label.is_some_and(is_name);
    let mut found = find::open(view, |_| label.map(|label| vec![label]), among_others, conditions, limit)?;
    Ok(cursor(move |batch, rows_max| found.fill(batch, rows_max)))
}

/// See [`graph_access::GraphRead::count_vertices`]. Those in `read`.
pub(crate) fn count_vertices(view: View<'_>, read: &dyn Read, label: Option<LabelId>) -> Result<u64, StoreError> {
    view.budget.check()?;
    let source = vertices::vertices(view.graph, read, view.catalogue, label, vertices::Wanted::default(), None)?;
    view.graph.unless_cleared(count(source, view.budget)?)
}

/// See [`graph_access::GraphRead::count_edges`]. Those in `read`.
pub(crate) fn count_edges(view: View<'_>, read: &dyn Read, label: Option<LabelId>) -> Result<u64, StoreError> {
    view.budget.check()?;
    let source = Edges::new(view.graph, read, view.catalogue, label, None)?;
    view.graph.unless_cleared(count(Box::new(source), view.budget)?)
}

/// See [`graph_access::GraphRead::find_edges`]. A scan as [`find_vertices`].
pub(crate) fn find_edges(view: View<'_>, lookup: Lookup) -> Result<Box<dyn Cursor<Edge> + '_>, AccessError> {
    let Lookup { label, conditions, limit, .. } = lookup;
    check(view)?;
    if conditions.is_empty() {
        let mut all = scan_edges(view, label, conditions, limit)?;
        return Ok(cursor(move |batch, rows_max| all.fill(batch, rows_max)));
    }
    let labels = |catalogue: &Catalogue| label.map(|label| catalogue.edge_labels_under(label));
    let mut found = find::open(view, labels, false, conditions, limit)?;
    Ok(cursor(move |batch, rows_max| found.fill(batch, rows_max)))
}

/// A cursor of the port over what a function reads.
fn cursor<'a, T: 'a>(
    mut fill: impl FnMut(&mut Vec<T>, usize) -> Result<(), StoreError> + 'a,
) -> Box<dyn Cursor<T> + 'a> {
    Box::new(Batches::new(move |batch: &mut Vec<T>, rows_max| Ok(fill(batch, rows_max)?)))
}
