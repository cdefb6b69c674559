//! The search itself: growing both ends, and walking the paths of each length.

use std::ops::ControlFlow;

use crate::search::{Arcs, Ball, Pattern, Places, Visited};
use crate::{Node, Path, Traversal, TraversalError, limits};

/// Which sequences of vertices count as paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// No vertex twice.
    Simple,
    /// No vertex twice, but it ends where it began.
    Closed,
    /// Any.
    Repeating,
}

/// Bounds of a search; `None`: no bound.
#[derive(Clone, Copy, Debug)]
pub struct SearchLimits {
    /// Hops of the longest path.
    pub depth: u32,
    /// Visited vertices.
    pub capacity: Option<u64>,
    /// Paths found.
    pub limit: Option<u64>,
}

/// Whether a path found counts.
type Found = Result<bool, TraversalError>;
/// Whether to go on.
type Flow = Result<ControlFlow<()>, TraversalError>;

/// A search for all paths that fit a pattern, from any of some vertices to any of others.
pub(crate) struct Search {
    rule: Rule,
    places: Places,
    forward: Ball,
    backward: Ball,
    /// Edges read from the sources on, and those read from the targets on; both from source to target.
    ahead: Arcs,
    home: Arcs,
    /// At least this many hops remain from each place to a target, as far as is known; `u32::MAX`: no target can be
    /// reached.
    to_go: Vec<u32>,
}

/// One vertex of the path being walked.
struct Frame {
    /// Where its successors begin in the list of all open ones, which is one after its own.
    from: usize,
    /// The next one to try.
    next: usize,
}

impl Search {
    /// Gives every path to `found`, shorter ones first, no sequence of vertices twice, until enough of them count or
    /// all are found.
    pub(crate) fn run(
        traversal: &mut Traversal<'_>,
        pattern: &Pattern,
        (sources, targets): (&[Node], &[Node]),
        rule: Rule,
        limits: &SearchLimits,
        found: &mut dyn FnMut(&Traversal<'_>, &Self, &[Node]) -> Found,
    ) -> Result<(), TraversalError> {
        let mut places = Places::new(pattern.states());
        let mut visited = Visited { capacity: limits.capacity, places: 0 };
        let starts: Vec<u32> = sources.iter().map(|node| places.place(*node, pattern.start)).collect();
        let ends = pattern.accepting.iter().flat_map(|state| targets.iter().map(|node| (*node, *state)));
        let ends: Vec<u32> = ends.map(|(node, state)| places.place(node, state)).collect();
        let forward = Ball::around(traversal, starts.iter().copied(), true, &mut visited)?;
        let backward = Ball::around(traversal, ends, true, &mut visited)?;
        let (ahead, home) = (Arcs::default(), Arcs::default());
        let mut search = Self { rule, places, forward, backward, ahead, home, to_go: Vec::new() };
        let mut given = 0;
        for length in 1..=limits.depth {
            let grown = search.grow(traversal, pattern, length, limits.depth, &mut visited)?;
            if grown {
                search.measure();
            } else if rule != Rule::Repeating && u64::from(length) > traversal.counters().vertex_iterations {
                break;
            }
            let mut found = |traversal: &Traversal<'_>, search: &Self, path: &[Node]| {
                given += u64::from(found(traversal, search, path)?);
                let enough = limits.limit.is_some_and(|limit| given >= limit);
                Ok(if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            };
            if search.walk(traversal, &starts, length as usize, &mut found)?.is_break() {
                break;
            }
            traversal.check()?;
        }
        Ok(())
    }

    /// Grows the end whose turn it is; says whether there is anything new. `longest`: hops of the longest path wanted.
    fn grow(
        &mut self,
        traversal: &mut Traversal<'_>,
        pattern: &Pattern,
        length: u32,
        longest: u32,
        visited: &mut Visited,
    ) -> Result<bool, TraversalError> {
        let from_source = length % 2 == 1;
        let (ball, other, moves) = if from_source {
            (&mut self.forward, &self.backward, &pattern.forward)
        } else {
            (&mut self.backward, &self.forward, &pattern.backward)
        };
        if ball.is_complete() {
            return Ok(false);
        }
        // The outermost edges are in the middle of the longest paths and of no others: in the last layer only those
        // that meet the other end are of use.
        let only = (length == longest).then_some(other);
        ball.grow(traversal, &mut self.places, moves, only, visited)?;
        if from_source {
            self.ahead = Arcs::new(ball.arcs());
        } else {
            self.home = Arcs::new(ball.arcs().map(|(from, to)| (to, from)));
        }
        Ok(true)
    }

    /// Finds out how far it is from each place to a target: first along edges read from the sources, then along those
    /// read from the targets.
    fn measure(&mut self) {
        let back = Arcs::new(self.forward.arcs().map(|(from, to)| (to, from)));
        self.to_go.clear();
        let mut layers: Vec<Vec<u32>> = vec![Vec::new(); self.backward.radius() as usize + 1];
        for (place, hops) in self.backward.places() {
            if let Some(layer) = layers.get_mut(hops as usize) {
                layer.push(place);
            }
        }
        let mut at = 0;
        while let Some(layer) = layers.get_mut(at) {
            for place in std::mem::take(layer) {
                let slot = place as usize;
                if self.to_go.len() <= slot {
                    self.to_go.resize(slot + 1, u32::MAX);
                }
                let hops = u32::try_from(at).unwrap_or(u32::MAX);
                let Some(known) = self.to_go.get_mut(slot).filter(|known| **known > hops) else { continue };
                *known = hops;
                if layers.len() == at + 1 && !back.of(place).is_empty() {
                    layers.push(Vec::new());
                }
                if let Some(next) = layers.get_mut(at + 1) {
                    next.extend_from_slice(back.of(place));
                }
            }
            at += 1;
        }
    }

    /// The successors of a place at a position of a path of a length, and the least number of hops that remain from
    /// each.
    fn successors(&self, place: u32, position: usize, length: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        let turn = length.div_ceil(2);
        let arcs = if position < turn { &self.ahead } else { &self.home };
        arcs.of(place).iter().map(move |next| {
            let hops =
                if position + 1 < turn { self.to_go.get(*next as usize).copied() } else { self.backward.hops(*next) };
            (*next, hops.unwrap_or(u32::MAX))
        })
    }

    /// Whether a path of its length would be found: that its edges were read in the places where they are needed.
    pub(crate) fn would_find(&self, path: impl ExactSizeIterator<Item = Node>) -> bool {
        let turn = path.len().saturating_sub(1).div_ceil(2);
        let mut nodes = path.enumerate();
        let Some((_, mut before)) = nodes.next() else { return false };
        nodes.all(|(position, node)| {
            let arcs = if position <= turn { &self.ahead } else { &self.home };
            arcs.has(std::mem::replace(&mut before, node).0, node.0)
        })
    }

    /// Walks all paths of one length. A path stands for all sequences of states that fit it.
    fn walk(
        &self,
        traversal: &Traversal<'_>,
        starts: &[u32],
        length: usize,
        found: &mut dyn FnMut(&Traversal<'_>, &Self, &[Node]) -> Flow,
    ) -> Flow {
        let is_near = |start: &u32| self.to_go.get(*start as usize).is_some_and(|hops| *hops as usize <= length);
        let mut walk = Walk { search: self, length, path: Vec::new(), open: Vec::new(), frames: Vec::new(), steps: 0 };
        for start in starts.iter().filter(|start| is_near(start)) {
            walk.open.clear();
            walk.open.push((self.places.node(*start), *start));
            if walk.all(traversal, found)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// One path at a time.
struct Walk<'s> {
    search: &'s Search,
    length: usize,
    path: Vec<Node>,
    /// Places to go on with, for all vertices of the path: of one vertex together, sorted.
    open: Vec<(Node, u32)>,
    frames: Vec<Frame>,
    steps: u32,
}

impl Walk<'_> {
    /// All paths from the only open place on.
    fn all(
        &mut self,
        traversal: &Traversal<'_>,
        found: &mut dyn FnMut(&Traversal<'_>, &Search, &[Node]) -> Flow,
    ) -> Flow {
        self.path.clear();
        self.frames.clear();
        self.enter(0..1);
        while let Some(frame) = self.frames.last_mut() {
            let run = frame.next..self.open.len();
            let Some((node, _)) = self.open.get(run.start).copied() else {
                self.leave();
                continue;
            };
            let same =
                self.open.get(run.clone()).unwrap_or_default().iter().take_while(|(other, _)| *other == node).count();
            let run = run.start..run.start + same;
            frame.next = run.end;
            self.steps = self.steps.wrapping_add(1);
            if self.steps.is_multiple_of(limits::STEPS_PER_CHECK) {
                traversal.check()?;
            }
            let is_last = self.path.len() == self.length;
            if !self.may_pass(node, is_last) {
                continue;
            }
            if !is_last {
                self.enter(run);
                continue;
            }
            self.path.push(node);
            let flow = found(traversal, self.search, &self.path)?;
            self.path.pop();
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn may_pass(&self, node: Node, is_last: bool) -> bool {
        match self.search.rule {
            Rule::Repeating => true,
            Rule::Closed if is_last => self.path.first() == Some(&node),
            Rule::Simple | Rule::Closed => !self.path.contains(&node),
        }
    }

    /// Goes on to the vertex of some open places.
    fn enter(&mut self, run: std::ops::Range<usize>) {
        let Some((node, _)) = self.open.get(run.start).copied() else { return };
        let (position, from) = (self.path.len(), self.open.len());
        for at in run {
            let Some((_, place)) = self.open.get(at).copied() else { break };
            let left = self.length - position - 1;
            let successors = self.search.successors(place, position, self.length);
            let near = successors.filter(|(_, hops)| *hops as usize <= left);
            self.open.extend(near.map(|(next, _)| (self.search.places.node(next), next)));
        }
        if let Some(added) = self.open.get_mut(from..) {
            added.sort_unstable();
        }
        self.path.push(node);
        self.frames.push(Frame { from, next: from });
    }

    fn leave(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.open.truncate(frame.from);
        }
        self.path.pop();
    }
}

/// A path found, charged to the traversal.
pub(crate) fn keep(traversal: &Traversal<'_>, nodes: &[Node]) -> Result<Path, TraversalError> {
    traversal.charge(limits::PATH_BYTES + size_of_val(nodes))?;
    Ok(Path { nodes: nodes.to_vec() })
}
