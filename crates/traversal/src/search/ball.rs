//! A set of places that grows layer by layer, with the edges it grows along.

use crate::search::pattern::{Moves, Place, Places, State};
use crate::{Node, Traversal, TraversalError, blocks, limits};

/// No number: not seen, or nothing before.
const NONE: u32 = u32::MAX;

/// Places met by all balls of a search, against its capacity.
#[derive(Debug)]
pub(crate) struct Visited {
    /// At most this many; `None`: any number.
    pub(crate) capacity: Option<u64>,
    pub(crate) places: usize,
}

/// The places within a number of hops of some.
#[derive(Debug)]
pub(crate) struct Ball {
    /// Hops of each place from the nearest start; [`NONE`] where not seen.
    hops: Vec<u32>,
    /// The place before on a shortest way from a start.
    before: Vec<u32>,
    frontier: Vec<Place>,
    radius: u32,
    /// The edges walked along, if they are kept, in the direction walked.
    arcs: Option<Vec<(Place, Place)>>,
}

impl Ball {
    /// The ball of radius 0 around some places.
    pub(crate) fn around(
        traversal: &Traversal<'_>,
        starts: impl IntoIterator<Item = Place>,
        keep_arcs: bool,
        visited: &mut Visited,
    ) -> Result<Self, TraversalError> {
        let mut ball = Self {
            hops: Vec::new(),
            before: Vec::new(),
            frontier: Vec::new(),
            radius: 0,
            arcs: keep_arcs.then(Vec::new),
        };
        for start in starts {
            ball.meet(NONE, start, 0, traversal, visited)?;
        }
        Ok(ball)
    }

    /// Adds the places one hop further. Keeps the edges that lead there; those into `only` where that is given.
    pub(crate) fn grow(
        &mut self,
        traversal: &mut Traversal<'_>,
        places: &mut Places,
        moves: &Moves,
        only: Option<&Self>,
        visited: &mut Visited,
    ) -> Result<(), TraversalError> {
        let mut work: Vec<Vec<(Node, Place, State)>> = vec![Vec::new(); moves.steps.len()];
        for place in std::mem::take(&mut self.frontier) {
            let (node, state) = places.get(place);
            for (step, next) in moves.from.get(state as usize).into_iter().flatten() {
                if let Some(work) = work.get_mut(*step) {
                    work.push((node, place, *next));
                }
            }
        }
        self.radius += 1;
        // Whoever is first seen in the last layer is of no use, since no edge leads from it to the other end: it is
        // only counted, which needs no look at each edge where places are nodes.
        let first_new = traversal.nodes_len();
        let counts_new =
            only.is_some() && places.are_nodes() && moves.steps.iter().all(|step| step.vertices.is_empty());
        for (step, mut work) in moves.steps.iter().zip(work) {
            work.sort_unstable();
            let mut owners: Vec<Node> = work.iter().map(|(node, ..)| *node).collect();
            owners.dedup();
            let mut work = work.into_iter().peekable();
            for block in blocks(&owners) {
                let arcs = self.arcs.as_ref().map_or(0, Vec::len);
                let nodes = traversal.nodes_len();
                let adjacency = if moves.backwards {
                    traversal.expand_backwards(block, step)?
                } else {
                    traversal.expand(block, step, None)?
                };
                if counts_new {
                    visited.places += (traversal.nodes_len() - nodes) as usize;
                }
                for some in adjacency.iter() {
                    while let Some((_, from, state)) = work.next_if(|(node, ..)| *node == some.owner) {
                        for target in some.targets {
                            if counts_new && target.0 >= first_new {
                                continue;
                            }
                            let to = places.place(*target, state);
                            self.meet(from, to, places.bytes(), traversal, visited)?;
                            if let Some(arcs) = &mut self.arcs
                                && only.is_none_or(|only| only.hops(to).is_some())
                            {
                                arcs.push((from, to));
                            }
                        }
                    }
                }
                let kept = self.arcs.as_ref().map_or(0, Vec::len) - arcs;
                traversal.charge(kept * limits::ARC_BYTES)?;
                traversal.check_capacity(visited.capacity, visited.places)?;
            }
        }
        Ok(())
    }

    fn meet(
        &mut self,
        from: Place,
        to: Place,
        place_bytes: usize,
        traversal: &Traversal<'_>,
        visited: &mut Visited,
    ) -> Result<(), TraversalError> {
        let at = to as usize;
        if self.hops.len() <= at {
            let longer = (at + 1).max(self.hops.len().saturating_mul(3) / 2);
            traversal.charge((longer - self.hops.len()) * limits::BALL_PLACE_BYTES)?;
            self.hops.resize(longer, NONE);
            self.before.resize(longer, NONE);
        }
        if let (Some(hops), Some(before)) = (self.hops.get_mut(at), self.before.get_mut(at))
            && *hops == NONE
        {
            (*hops, *before) = (self.radius, from);
            self.frontier.push(to);
            visited.places += 1;
            traversal.charge(place_bytes)?;
        }
        Ok(())
    }

    /// How many layers it has.
    pub(crate) fn radius(&self) -> u32 {
        self.radius
    }

    /// Whether it cannot grow any more.
    pub(crate) fn is_complete(&self) -> bool {
        self.frontier.is_empty()
    }

    /// The outermost layer, in the order it was met.
    pub(crate) fn frontier(&self) -> &[Place] {
        &self.frontier
    }

    /// How far a place is from the nearest start; `None` if it is outside.
    pub(crate) fn hops(&self, place: Place) -> Option<u32> {
        self.hops.get(place as usize).copied().filter(|hops| *hops != NONE)
    }

    /// All places, with their hops.
    pub(crate) fn places(&self) -> impl Iterator<Item = (Place, u32)> + '_ {
        (0..).zip(&self.hops).filter(|(_, hops)| **hops != NONE).map(|(place, hops)| (place, *hops))
    }

    /// The edges walked along, as pairs (from, to) in the direction walked.
    pub(crate) fn arcs(&self) -> impl Iterator<Item = (Place, Place)> + Clone + '_ {
        self.arcs.iter().flatten().copied()
    }

    /// A place and those before it, back to a start.
    pub(crate) fn way_back(&self, place: Place) -> impl Iterator<Item = Place> + '_ {
        let mut next = place;
        std::iter::from_fn(move || {
            let place = (next != NONE).then_some(next)?;
            next = self.before.get(place as usize).copied().unwrap_or(NONE);
            Some(place)
        })
    }
}
