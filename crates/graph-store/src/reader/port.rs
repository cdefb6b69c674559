//! What the port asks of a graph, answered from a view of it.

use edge_rows::EdgeCursor;
use graph_access::{AccessError, Batches, Cursor, EdgeRead, EdgeRow, Lookup};
use graph_model::{Edge, EdgeId, Vertex, VertexId};
use graph_schema::Catalogue;

use crate::StoreError;
use crate::query::find;
use crate::read::by_id::{read_edges, read_vertices};
use crate::read::edges::scan_edges;
use crate::read::vertices::scan_vertices;
use crate::read::view::View;

/// See [`graph_access::WalkRead::check`].
pub(crate) fn check(view: View<'_>) -> Result<(), AccessError> {
    Ok(view.budget.check().map_err(StoreError::from)?)
}

/// See [`graph_access::WalkRead::edges_of`].
pub(crate) fn edges_of<'a>(
    view: View<'a>,
    owners: &'a [&'a VertexId],
    read: EdgeRead<'a>,
) -> Result<Box<dyn Cursor<EdgeRow> + 'a>, AccessError> {
    check(view)?;
    let mut edges = EdgeCursor::new(view.rows(), owners, read);
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

/// See [`graph_access::GraphRead::find_vertices`]. Without conditions it is a scan.
pub(crate) fn find_vertices(view: View<'_>, lookup: Lookup) -> Result<Box<dyn Cursor<Vertex> + '_>, AccessError> {
    let Lookup { label, conditions, limit } = lookup;
    check(view)?;
    if conditions.is_empty() {
        let mut all = scan_vertices(view, label, limit)?;
        return Ok(cursor(move |batch, rows_max| all.fill(batch, rows_max)));
    }
    let mut found = find::open(view, |_| label.map(|label| vec![label]), conditions, limit)?;
    Ok(cursor(move |batch, rows_max| found.fill(batch, rows_max)))
}

/// See [`graph_access::GraphRead::find_edges`]. Without conditions it is a scan.
pub(crate) fn find_edges(view: View<'_>, lookup: Lookup) -> Result<Box<dyn Cursor<Edge> + '_>, AccessError> {
    let Lookup { label, conditions, limit } = lookup;
    check(view)?;
    if conditions.is_empty() {
        let mut all = scan_edges(view, label, limit)?;
        return Ok(cursor(move |batch, rows_max| all.fill(batch, rows_max)));
    }
    let labels = |catalogue: &Catalogue| label.map(|label| catalogue.edge_labels_under(label));
    let mut found = find::open(view, labels, conditions, limit)?;
    Ok(cursor(move |batch, rows_max| found.fill(batch, rows_max)))
}

/// A cursor of the port over what a function reads.
fn cursor<'a, T: 'a>(
    mut fill: impl FnMut(&mut Vec<T>, usize) -> Result<(), StoreError> + 'a,
) -> Box<dyn Cursor<T> + 'a> {
    Box::new(Batches::new(move |batch: &mut Vec<T>, rows_max| Ok(fill(batch, rows_max)?)))
}
