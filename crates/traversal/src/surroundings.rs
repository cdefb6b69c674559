//! Walks from one vertex on, one at a time: rays, and rings anywhere on the way. Edges are read where a walk comes to,
//! together with those of the vertices next to it, and kept.

use std::ops::ControlFlow;

use graph_model::Direction;

use crate::ring_choice::is_chosen;
use crate::search::keep;
use crate::{Adjacency, Node, NodeMap, Path, SearchLimits, Step, Traversal, TraversalError, limits};

/// A neighbour: whether an edge leads to it, and whether one comes from it. Where only one direction is walked, both
/// are that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Neighbour {
    node: Node,
    out: bool,
    inward: bool,
}

/// The neighbours of vertices read so far.
struct Surroundings<'s> {
    step: &'s Step,
    capacity: Option<u64>,
    /// Where the neighbours of each vertex are in `neighbours`.
    spans: NodeMap<(usize, usize)>,
    neighbours: Vec<Neighbour>,
}

impl<'s> Surroundings<'s> {
    fn new(step: &'s Step, capacity: Option<u64>) -> Self {
        Self { step, capacity, spans: NodeMap::new(), neighbours: Vec::new() }
    }

    fn of(&self, node: Node) -> &[Neighbour] {
        self.spans.get(node).and_then(|(start, end)| self.neighbours.get(*start..*end)).unwrap_or_default()
    }

    /// Reads the neighbours of vertices, unless they are read already.
    fn read(&mut self, traversal: &mut Traversal<'_>, nodes: &[Node]) -> Result<(), TraversalError> {
        let mut new: Vec<Node> = nodes.iter().copied().filter(|node| !self.spans.contains(*node)).collect();
        new.sort_unstable();
        new.dedup();
        if new.is_empty() {
            return Ok(());
        }
        let (out, inward) = read_directions(traversal, &new, self.step)?;
        let none = Adjacency::default();
        let inward = inward.as_ref();
        let mut back = inward.unwrap_or(&none).iter();
        for ahead in out.iter() {
            let start = self.neighbours.len();
            let left = self.step.max_degree.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
            let coming = back.next().map_or(&[][..], |back| back.targets);
            let coming = coming.iter().take(left.saturating_sub(ahead.targets.len()));
            let both = inward.is_none();
            let leaving = ahead.targets.iter().map(|node| Neighbour { node: *node, out: true, inward: both });
            self.neighbours.extend(leaving);
            self.neighbours.extend(coming.map(|node| Neighbour { node: *node, out: false, inward: true }));
            self.merge_from(start);
            let end = self.neighbours.len();
            self.spans.insert(ahead.owner, (start, end));
            traversal.charge((end - start) * limits::NEIGHBOUR_BYTES + limits::BALL_PLACE_BYTES)?;
        }
        let met = usize::try_from(traversal.counters().vertex_iterations).unwrap_or(usize::MAX);
        traversal.check_capacity(self.capacity, met)
    }

    /// Makes one of all edges to the same neighbour.
    fn merge_from(&mut self, start: usize) {
        let Some(added) = self.neighbours.get_mut(start..) else { return };
        added.sort_by_key(|neighbour| neighbour.node);
        let mut merged: Vec<Neighbour> = Vec::with_capacity(added.len());
        for neighbour in added.iter() {
            match merged.last_mut() {
                Some(last) if last.node == neighbour.node => {
                    last.out |= neighbour.out;
                    last.inward |= neighbour.inward;
                }
                _ => merged.push(*neighbour),
            }
        }
        self.neighbours.truncate(start);
        self.neighbours.extend(merged);
    }
}

/// The edges of vertices; where both directions are walked, the outgoing and the incoming ones apart.
fn read_directions(
    traversal: &mut Traversal<'_>,
    nodes: &[Node],
    step: &Step,
) -> Result<(Adjacency, Option<Adjacency>), TraversalError> {
    if step.direction != Direction::Both {
        return Ok((traversal.expand(nodes, step, None)?, None));
    }
    let out = traversal.expand(nodes, &Step { direction: Direction::Out, ..step.clone() }, None)?;
    let inward = traversal.expand(nodes, &Step { direction: Direction::In, ..step.clone() }, None)?;
    Ok((out, Some(inward)))
}

/// The neighbours of a vertex to which an edge leads and from which another one comes.
pub(crate) fn both_ways(traversal: &mut Traversal<'_>, node: Node, step: &Step) -> Result<Vec<Node>, TraversalError> {
    let mut surroundings = Surroundings::new(step, None);
    surroundings.read(traversal, &[node])?;
    let both = surroundings.of(node).iter().filter(|neighbour| neighbour.out && neighbour.inward);
    Ok(both.map(|neighbour| neighbour.node).collect())
}

/// One vertex of the path being walked: which of its neighbours comes next.
struct Frame {
    node: Node,
    next: usize,
}

/// A walk over all paths without a repeated vertex.
struct Walk<'w, 't, 'g> {
    traversal: &'t mut Traversal<'g>,
    surroundings: Surroundings<'w>,
    frames: Vec<Frame>,
    depth: usize,
    limit: Option<u64>,
    found: Vec<Path>,
    steps: u32,
}

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Rays,
    Rings,
}

/// Paths from a vertex on that cannot be made longer: those as long as `depth` allows, those that end at a vertex
/// without edges to walk along, and, where both directions are walked, those whose last vertex leads back to the one
/// before only.
pub fn rays(
    traversal: &mut Traversal<'_>,
    source: Node,
    step: &Step,
    limits: &SearchLimits,
) -> Result<Vec<Path>, TraversalError> {
    walk(traversal, source, step, limits, Wanted::Rays)
}

/// Rings reached from a vertex: paths without a repeated vertex, followed by one of their vertices. A ring through the
/// source is given in one direction, as by [`crate::rings_through`].
pub fn rings_reached(
    traversal: &mut Traversal<'_>,
    source: Node,
    step: &Step,
    limits: &SearchLimits,
) -> Result<Vec<Path>, TraversalError> {
    walk(traversal, source, step, limits, Wanted::Rings)
}

fn walk(
    traversal: &mut Traversal<'_>,
    source: Node,
    step: &Step,
    limits: &SearchLimits,
    wanted: Wanted,
) -> Result<Vec<Path>, TraversalError> {
    let mut walk = Walk {
        traversal,
        surroundings: Surroundings::new(step, limits.capacity),
        frames: vec![Frame { node: source, next: 0 }],
        depth: limits.depth as usize,
        limit: limits.limit,
        found: Vec::new(),
        steps: 0,
    };
    walk.surroundings.read(walk.traversal, &[source])?;
    if wanted == Wanted::Rays && walk.surroundings.of(source).is_empty() {
        let _only_one = walk.take(None)?;
        return Ok(walk.found);
    }
    while !walk.frames.is_empty() {
        if walk.advance(wanted)?.is_break() {
            break;
        }
    }
    Ok(walk.found)
}

impl Walk<'_, '_, '_> {
    /// Tries the next neighbour of the last vertex.
    fn advance(&mut self, wanted: Wanted) -> Result<ControlFlow<()>, TraversalError> {
        self.steps = self.steps.wrapping_add(1);
        if self.steps.is_multiple_of(limits::STEPS_PER_CHECK) {
            self.traversal.check()?;
        }
        let hops = self.frames.len();
        let parent = hops.checked_sub(2).and_then(|at| self.frames.get(at)).map(|frame| frame.node);
        let Some(frame) = self.frames.last_mut() else { return Ok(ControlFlow::Break(())) };
        let Some(neighbour) = self.surroundings.of(frame.node).get(frame.next).copied() else {
            self.frames.pop();
            return Ok(ControlFlow::Continue(()));
        };
        frame.next += 1;
        let owner = frame.node;
        if self.frames.iter().any(|frame| frame.node == neighbour.node) {
            let is_ring = parent != Some(neighbour.node) || (neighbour.out && neighbour.inward);
            return if wanted == Wanted::Rings && is_ring {
                self.take_ring(neighbour.node)
            } else {
                Ok(ControlFlow::Continue(()))
            };
        }
        if hops >= self.depth {
            return if wanted == Wanted::Rays {
                self.take(Some(neighbour.node))
            } else {
                Ok(ControlFlow::Continue(()))
            };
        }
        self.read_ahead(owner, neighbour.node)?;
        if wanted == Wanted::Rays && self.is_end(neighbour.node, owner) {
            return self.take(Some(neighbour.node));
        }
        self.frames.push(Frame { node: neighbour.node, next: 0 });
        Ok(ControlFlow::Continue(()))
    }

    /// Reads the neighbours of a vertex and of some of those that come after it.
    fn read_ahead(&mut self, owner: Node, node: Node) -> Result<(), TraversalError> {
        if self.surroundings.spans.contains(node) {
            return Ok(());
        }
        let adjacent = self.surroundings.of(owner).iter().map(|neighbour| neighbour.node);
        let adjacent =
            adjacent.skip_while(|other| *other != node).filter(|other| !self.surroundings.spans.contains(*other));
        let nodes: Vec<Node> = adjacent.take(limits::READ_AHEAD_VERTICES).collect();
        self.surroundings.read(self.traversal, &nodes)
    }

    /// Whether there is no way on from a vertex but back to the one before.
    fn is_end(&self, node: Node, before: Node) -> bool {
        let goes_back = self.surroundings.step.direction == Direction::Both;
        self.surroundings.of(node).iter().all(|neighbour| goes_back && neighbour.node == before)
    }

    fn take_ring(&mut self, node: Node) -> Result<ControlFlow<()>, TraversalError> {
        let mut ring: Vec<Node> = self.frames.iter().map(|frame| frame.node).collect();
        ring.push(node);
        let is_through_source = self.frames.first().is_some_and(|first| first.node == node);
        if is_through_source && !is_chosen(self.traversal, &ring) && self.goes_back(&ring) {
            return Ok(ControlFlow::Continue(()));
        }
        self.take(Some(node))
    }

    /// Whether a ring can be walked in the other direction.
    fn goes_back(&self, ring: &[Node]) -> bool {
        ring.windows(2).all(|pair| {
            let [from, to] = pair else { return false };
            self.surroundings.of(*to).iter().any(|neighbour| neighbour.node == *from)
        })
    }

    /// Adds the path walked, with a vertex more.
    fn take(&mut self, last: Option<Node>) -> Result<ControlFlow<()>, TraversalError> {
        let nodes: Vec<Node> = self.frames.iter().map(|frame| frame.node).chain(last).collect();
        self.found.push(keep(self.traversal, &nodes)?);
        let enough = self.limit.is_some_and(|limit| self.found.len() as u64 >= limit);
        Ok(if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}
