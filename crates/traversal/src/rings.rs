//! Rings through a given vertex. Rings anywhere on the way from a vertex are in `surroundings.rs`.

use crate::ring_choice::is_chosen;
use crate::search::{Pattern, Rule, Search, keep};
use crate::surroundings::both_ways;
use crate::{Node, Path, SearchLimits, Step, Traversal, TraversalError};

/// Rings through a vertex: paths without a repeated vertex that end where they begin, shorter ones first. Of two that
/// differ in direction only, one is given: the one whose second vertex has the larger id. A step to a neighbour and
/// back is a ring if each of the two steps has an edge of its own direction.
pub fn rings_through(
    traversal: &mut Traversal<'_>,
    source: Node,
    step: &Step,
    limits: &SearchLimits,
) -> Result<Vec<Path>, TraversalError> {
    let pattern = Pattern::one(step.clone(), step.reversed());
    let mut back_and_forth = Vec::new();
    if pattern.is_undirected() && limits.depth >= 2 {
        back_and_forth = both_ways(traversal, source, step)?;
    }
    let mut rings = Vec::new();
    Search::run(traversal, &pattern, (&[source], &[source]), Rule::Closed, limits, &mut |traversal, search, nodes| {
        let counts = match nodes {
            [_, other, _] if pattern.is_undirected() => back_and_forth.contains(other),
            _ => is_chosen(traversal, nodes) || !search.would_find(nodes.iter().rev().copied()),
        };
        if counts {
            rings.push(keep(traversal, nodes)?);
        }
        Ok(counts)
    })?;
    Ok(rings)
}
