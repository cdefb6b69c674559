//! Which of two rings that differ in direction only is given.

use graph_model::VertexId;

use crate::{Node, Traversal};

/// Whether a ring is given rather than the same one in the other direction.
pub(crate) fn is_chosen(traversal: &Traversal<'_>, ring: &[Node]) -> bool {
    let inner = |at: Option<&Node>| -> Option<&VertexId> { at.map(|node| traversal.id(*node)) };
    inner(ring.get(1)) >= inner(ring.len().checked_sub(2).and_then(|at| ring.get(at)))
}
