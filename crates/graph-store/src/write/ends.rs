//! The ends of edges: whether they exist and have the labels that the edge labels link.

use std::borrow::Borrow;

use graph_model::{Edge, LabelId, VertexId};
use graph_schema::Catalogue;
use key_codec::{key, tables, value};
use kv::Keys;
use rustc_hash::FxHashMap;

use crate::core::clock::{is_expired, now_ms};
use crate::core::fetch::fetch;
use crate::core::graph::Graph;
use crate::core::pending::Pending;
use crate::core::shared::StripesSeen;
use crate::index::write_unit::Positions;
use crate::write::Writer;
use store_error::{End, StoreError};
use stripe_locks::{Mask, Wait};

impl Writer<'_> {
    /// Which processes have which stripes, before the ends of edges are checked; `None` where that need not be known.
    pub(super) fn seen_before_check(&self, check_vertex: bool) -> Result<Option<StripesSeen>, StoreError> {
        if check_vertex { self.graph.shared.stripes_seen(self.graph.number) } else { Ok(None) }
    }

    /// Waits for edges that were checked, and looks at their ends again, which other processes may have removed in the
    /// meantime. Where one is gone the edge goes too: as if the vertex had been removed after the edge was stored.
    pub(super) fn with_ends(
        &self,
        edges: Pending<Vec<Edge>>,
        seen: Option<&StripesSeen>,
    ) -> Result<Pending<Vec<Edge>>, StoreError> {
        let edges = edges.wait()?;
        self.remove_dangling(&edges, seen)?;
        Ok(Pending::stored(edges))
    }

    /// Removes those of stored edges whose ends are gone. `seen`: before the ends were checked. Who removes a vertex
    /// has its stripe among servers from before it lists the edges until all is written; so where no other process has
    /// had one of these stripes since, whoever removes an end now finds the edge. One row says so for the whole batch.
    pub(super) fn remove_dangling<E: Borrow<Edge>>(
        &self,
        edges: &[E],
        seen: Option<&StripesSeen>,
    ) -> Result<(), StoreError> {
        let ends = edges.iter().map(Borrow::borrow).flat_map(|edge| [&edge.id.source, &edge.id.target]);
        let stripes = ends.fold(Mask::default(), |mask, id| mask.union(Mask::of(id)));
        if let Some(seen) = seen
            && self.graph.shared.stayed_free(self.graph.number, stripes.bits(), seen)?
        {
            return Ok(());
        }
        let labels = end_labels(|_| None, self.graph, edges)?;
        for edge in edges.iter().map(Borrow::borrow) {
            if labels.contains_key(&edge.id.source) && labels.contains_key(&edge.id.target) {
                continue;
            }
            match self.delete_edge(&edge.id, Wait::Allowed).and_then(Pending::wait) {
                Ok(()) | Err(StoreError::EdgeNotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// The labels of those ends of edges that exist. What `own` does not know is read, all at once.
fn end_labels<'e, E: Borrow<Edge>>(
    own: impl Fn(&VertexId) -> Option<Option<LabelId>>,
    graph: &Graph,
    edges: &'e [E],
) -> Result<FxHashMap<&'e VertexId, LabelId>, StoreError> {
    let mut labels: FxHashMap<&VertexId, Option<LabelId>> = FxHashMap::default();
    let known = graph.known_labels();
    let (mut read, mut unread, mut keys) = (Vec::new(), Vec::new(), Keys::new());
    for id in edges.iter().map(Borrow::borrow).flat_map(|edge| [&edge.id.source, &edge.id.target]) {
        labels.entry(id).or_insert_with(|| {
            own(id).unwrap_or_else(|| {
                match known.as_ref().map(|known| known.get(id)) {
                    Some(Ok(label)) => return Some(label),
                    Some(Err(ticket)) => unread.push(ticket),
                    None => {}
                }
                keys.push(|b| key::vertex_partition(b, graph.number, id), |_| ());
                read.push(id);
                None
            })
        });
    }
    let now = now_ms();
    let found = fetch(graph.engine(), tables::VERTEX, &keys, |_, found| {
        let head = value::read_vertex_head(found)?;
        Ok((!is_expired(head.expires_at_ms, now)).then_some((head.label, head.expires_at_ms.is_none())))
    })?;
    if let Some(known) = known {
        let lasting = |found: Option<(LabelId, bool)>| found.filter(|(_, lasts)| *lasts).map(|(label, _)| label);
        known.keep(unread.into_iter().zip(&found).filter_map(|(ticket, found)| Some((ticket, lasting(*found)?))));
    }
    labels.extend(read.into_iter().zip(found).map(|(id, found)| (id, found.map(|(label, _)| label))));
    Ok(labels.into_iter().filter_map(|(id, label)| Some((id, label?))).collect())
}

/// Checks that all ends exist and have the labels their edge labels link, with one read for the batch.
pub(crate) fn check_ends(
    graph: &Graph,
    catalogue: &Catalogue,
    edges: &[Edge],
    positions: Positions,
) -> Result<(), StoreError> {
    check_ends_among(|_| None, graph, catalogue, edges, positions)
}

/// The same, where `own` knows some vertices better than storage does: the label they will have, or that they go.
pub(crate) fn check_ends_among<E: Borrow<Edge>>(
    own: impl Fn(&VertexId) -> Option<Option<LabelId>>,
    graph: &Graph,
    catalogue: &Catalogue,
    edges: &[E],
    positions: Positions,
) -> Result<(), StoreError> {
    let labels = end_labels(own, graph, edges)?;
    let label_of = |id: &VertexId| labels.get(id).copied();
    for (index, edge) in edges.iter().map(Borrow::borrow).enumerate() {
        let link = catalogue.edge_label(edge.id.label).and_then(|label| label.link);
        let ends =
            [(End::Source, &edge.id.source, link.map(|l| l.0)), (End::Target, &edge.id.target, link.map(|l| l.1))];
        for (end, id, expected) in ends {
            check_end(catalogue, positions.at(index), end, id, label_of(id), expected)?;
        }
    }
    Ok(())
}

fn check_end(
    catalogue: &Catalogue,
    index: Option<usize>,
    end: End,
    id: &VertexId,
    actual: Option<LabelId>,
    expected: Option<LabelId>,
) -> Result<(), StoreError> {
    let Some(actual) = actual else {
        return Err(StoreError::EndNotFound { index, end, id: id.to_string() });
    };
    if expected.is_some_and(|expected| expected != actual) {
        let name = |label| catalogue.vertex_label(label).map_or_else(String::new, |label| label.name.clone());
        return Err(StoreError::EndLabel {
            index,
            end,
            id: id.to_string(),
            actual: name(actual),
            expected: expected.map_or_else(String::new, name),
        });
    }
    Ok(())
}
