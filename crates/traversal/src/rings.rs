//! Rings through a given vertex. Rings anywhere on the way from a vertex are in `surroundings.rs`.
//!
//! Longer rings are searched from both ends. For short ones, triangles above all, that is more than it takes: of where
//! the neighbours' edges lead, only what is a neighbour itself closes a ring, which is one look at a set for each edge.

use graph_model::Direction;

use crate::ring_choice::is_chosen;
use crate::search::{Pattern, Rule, Search, keep};
use crate::surroundings::both_ways;
use crate::{Node, NodeSet, Path, SearchLimits, Step, Traversal, TraversalError, blocks, limits};

/// Rings through a vertex: paths without a repeated vertex that end where they begin, shorter ones first. Of two that
/// differ in direction only, one is given: the one whose second vertex has the larger id. A step to a neighbour and
/// back is a ring if each of the two steps has an edge of its own direction.
pub fn rings_through(
    traversal: &mut Traversal<'_>,
    source: Node,
    step: &Step,
    limits: &SearchLimits,
) -> Result<Vec<Path>, TraversalError> {
    let mut back_and_forth = Vec::new();
    if step.direction == Direction::Both && limits.depth >= 2 {
        back_and_forth = both_ways(traversal, source, step)?;
    }
    if limits.depth <= limits::SHORT_RING_HOPS {
        short(traversal, source, step, limits, &back_and_forth)
    } else {
        searched(traversal, source, step, limits, &back_and_forth)
    }
}

/// Rings of any length.
fn searched(
    traversal: &mut Traversal<'_>,
    source: Node,
    step: &Step,
    limits: &SearchLimits,
    back_and_forth: &[Node],
) -> Result<Vec<Path>, TraversalError> {
    let pattern = Pattern::one(step.clone(), step.reversed());
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

/// Rings of at most [`limits::SHORT_RING_HOPS`] hops: the same in the same order, after the same reads, with the same
/// vertices counted.
fn short(
    traversal: &mut Traversal<'_>,
    source: Node,
    step: &Step,
    limits: &SearchLimits,
    back_and_forth: &[Node],
) -> Result<Vec<Path>, TraversalError> {
    let mut rings = Vec::new();
    let is_enough = |rings: &[Path]| limits.limit.is_some_and(|limit| rings.len() as u64 >= limit);
    if limits.depth == 0 {
        return Ok(rings);
    }
    // The source is visited from both ends.
    let mut visited = 2;
    let ahead = traversal.expand(&[source], step, None)?.targets;
    let ahead = Around::new(traversal, ahead, source)?;
    visited += ahead.nodes.len();
    traversal.check_capacity(limits.capacity, visited)?;
    if ahead.has_loop {
        rings.push(keep(traversal, &[source, source])?);
    }
    traversal.check()?;
    if limits.depth == 1 || is_enough(&rings) {
        return Ok(rings);
    }
    let home = traversal.expand_backwards(&[source], &step.reversed())?.targets;
    let home = Around::new(traversal, home, source)?;
    visited += home.nodes.len();
    traversal.check_capacity(limits.capacity, visited)?;
    for node in ahead.nodes.iter().filter(|node| home.set.contains(**node)) {
        if step.direction != Direction::Both || back_and_forth.contains(node) {
            rings.push(keep(traversal, &[source, *node, source])?);
            if is_enough(&rings) {
                return Ok(rings);
            }
        }
    }
    traversal.check()?;
    if limits.depth == 2 {
        return Ok(rings);
    }
    let sides = Sides::read(traversal, source, step, (&ahead, &home), (limits.capacity, visited))?;
    for (steps, (first, second)) in (1u32..).zip(sides.iter()) {
        if steps.is_multiple_of(limits::STEPS_PER_CHECK) {
            traversal.check()?;
        }
        let ring = [source, first, second, source];
        let is_found_back = || ahead.set.contains(second) && sides.has(second, first) && home.set.contains(first);
        if is_chosen(traversal, &ring) || !is_found_back() {
            rings.push(keep(traversal, &ring)?);
            if is_enough(&rings) {
                break;
            }
        }
    }
    Ok(rings)
}

/// The neighbours of the source in one direction.
struct Around {
    /// Sorted, none twice, without the source.
    nodes: Vec<Node>,
    set: NodeSet,
    /// Whether an edge leads from the source to itself.
    has_loop: bool,
}

impl Around {
    fn new(traversal: &Traversal<'_>, mut nodes: Vec<Node>, source: Node) -> Result<Self, TraversalError> {
        traversal.charge(nodes.len() * limits::BALL_PLACE_BYTES)?;
        let set: NodeSet = nodes.iter().copied().filter(|node| *node != source).collect();
        let has_loop = nodes.contains(&source);
        nodes.sort_unstable();
        nodes.dedup();
        nodes.retain(|node| *node != source);
        Ok(Self { nodes, set, has_loop })
    }
}

/// The edges from neighbours of the source to such that lead back to it: the third side of triangles.
struct Sides<'a> {
    owners: &'a [Node],
    /// Where the edges of each owner end.
    ends: Vec<usize>,
    /// Those of one owner sorted, none twice.
    targets: Vec<Node>,
}

impl<'a> Sides<'a> {
    fn read(
        traversal: &mut Traversal<'_>,
        source: Node,
        step: &Step,
        (ahead, home): (&'a Around, &Around),
        (capacity, mut visited): (Option<u64>, usize),
    ) -> Result<Self, TraversalError> {
        let mut sides = Self { owners: &ahead.nodes, ends: Vec::new(), targets: Vec::new() };
        let mut seen = ahead.set.clone();
        seen.insert(source);
        let first_new = traversal.nodes_len();
        // Whoever is first seen here is counted by that. Where vertices must satisfy a condition, not all count.
        let counts_new = step.vertices.is_empty();
        for block in blocks(&ahead.nodes) {
            let (nodes, kept) = (traversal.nodes_len(), sides.targets.len());
            let adjacency = traversal.expand(block, step, None)?;
            if counts_new {
                visited += (traversal.nodes_len() - nodes) as usize;
            }
            for some in adjacency.iter() {
                let start = sides.targets.len();
                for target in some.targets {
                    if target.0 >= first_new && counts_new {
                        continue;
                    }
                    visited += usize::from(seen.insert(*target));
                    if home.set.contains(*target) && *target != some.owner {
                        sides.targets.push(*target);
                    }
                }
                sides.end_owner(start);
            }
            traversal.charge((sides.targets.len() - kept) * limits::ARC_BYTES)?;
            traversal.check_capacity(capacity, visited)?;
        }
        Ok(sides)
    }

    fn end_owner(&mut self, start: usize) {
        if let Some(added) = self.targets.get_mut(start..) {
            added.sort_unstable();
        }
        let mut kept = start;
        for at in start..self.targets.len() {
            let before = kept.checked_sub(1).filter(|before| *before >= start).and_then(|at| self.targets.get(at));
            if before != self.targets.get(at) {
                self.targets.swap(kept, at);
                kept += 1;
            }
        }
        self.targets.truncate(kept);
        self.ends.push(kept);
    }

    fn of(&self, at: usize) -> &[Node] {
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.ends.get(at).and_then(|end| self.targets.get(start..*end)).unwrap_or_default()
    }

    /// Each edge: where it begins, and where it leads.
    fn iter(&self) -> impl Iterator<Item = (Node, Node)> + '_ {
        let of = |(at, owner): (usize, &Node)| (self.of(at).iter(), *owner);
        self.owners.iter().enumerate().map(of).flat_map(|(targets, owner)| targets.map(move |target| (owner, *target)))
    }

    fn has(&self, owner: Node, target: Node) -> bool {
        self.owners.binary_search(&owner).is_ok_and(|at| self.of(at).binary_search(&target).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use graph_model::{LabelId, Properties, Value};
    use proptest::prelude::*;

    use super::*;
    use crate::LabelCondition;
    use crate::fixture::{NUMBER, TestGraph, edges, id};

    /// Vertices whose number is no multiple of another one.
    fn without_multiples(of: i64) -> LabelCondition {
        let is_multiple = move |value: &Value| matches!(value, Value::Long(number) if number % of == 0);
        let accepts = move |properties: &Properties| !properties.get(NUMBER).is_some_and(is_multiple);
        LabelCondition { label: LabelId(1), condition: Some(std::sync::Arc::new(accepts)) }
    }

    /// One of the two ways to find rings.
    type Rings = fn(&mut Traversal<'_>, Node, &Step, &SearchLimits, &[Node]) -> Result<Vec<Path>, TraversalError>;

    proptest! {
        #[test]
        fn short_rings_are_found_as_by_a_search(
            edges in edges(), out in any::<bool>(), both in any::<bool>(), depth in 0..=limits::SHORT_RING_HOPS,
            source in 1i64..10, max_degree in prop::option::of(1u64..6), avoided in prop::option::of(2i64..5),
            capacity in prop::option::of(2u64..40), limit in prop::option::of(1u64..8), by_numbers in any::<bool>(),
        ) {
            let direction = if both { Direction::Both } else if out { Direction::Out } else { Direction::In };
            let vertices = avoided.into_iter().map(without_multiples).collect();
            let step = Step { direction, max_degree, vertices, ..Step::default() };
            let bounds = SearchLimits { depth, capacity, limit };
            let graph = TestGraph::of(edges).by_numbers(by_numbers);
            let run = |rings: Rings| {
                let mut traversal = graph.traversal().recording_edges(true);
                let source = traversal.node(id(source)).unwrap();
                let back_and_forth = both_ways(&mut traversal, source, &step)?;
                let found = rings(&mut traversal, source, &step, &bounds, &back_and_forth)?;
                let edges = traversal.edges_between(found.iter().flat_map(Path::pairs))?;
                Ok::<_, TraversalError>((found, edges, traversal.counters()))
            };
            prop_assert_eq!(run(short), run(searched));
        }
    }
}
