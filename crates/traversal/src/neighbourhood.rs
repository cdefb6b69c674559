//! What lies around a vertex: at a distance of k steps, or within it.
//!
//! Both go layer by layer. The vertex they begin at is never part of a layer, as in HugeGraph: walks that come back to
//! it end there.

use crate::{Node, NodeSet, Path, PathEnd, PathTree, Step, Traversal, TraversalError, blocks_for, limits};

/// What to look for at a distance.
#[derive(Clone, Copy, Debug)]
pub struct KOut<'a> {
    /// Which edges to follow.
    pub step: &'a Step,
    /// How many steps to take.
    pub depth: u64,
    /// True: vertices whose shortest distance that is; false: those some walk of that length leads to.
    pub nearest: bool,
    /// How many vertices may be visited; `None`: any number.
    pub capacity: Option<u64>,
    /// True: the last layer ends where the capacity does; false: that is an error there too.
    pub fills_capacity: bool,
    /// How many vertices are wanted; `None`: all.
    pub limit: Option<u64>,
    /// Whether the way to each is wanted.
    pub with_paths: bool,
}

impl<'a> KOut<'a> {
    /// All vertices at a shortest distance, without bounds.
    #[must_use]
    pub fn new(step: &'a Step, depth: u64) -> Self {
        Self { step, depth, nearest: true, capacity: None, fills_capacity: false, limit: None, with_paths: false }
    }
}

/// What to look for within a distance.
#[derive(Clone, Copy, Debug)]
pub struct KNeighbour<'a> {
    /// Which edges to follow.
    pub step: &'a Step,
    /// How many steps to take at most.
    pub depth: u64,
    /// How many vertices are wanted; `None`: all.
    pub limit: Option<u64>,
    /// Whether the way to each is wanted.
    pub with_paths: bool,
}

/// Vertices found, nearer ones first.
#[derive(Debug, Default)]
pub struct Reached {
    /// The vertices, none twice.
    pub nodes: Vec<Node>,
    /// The way to each, where wanted.
    pub paths: Option<ReachedPaths>,
}

/// The ways to the vertices found, in the same order.
#[derive(Debug, Default)]
pub struct ReachedPaths {
    tree: PathTree,
    ends: Vec<PathEnd>,
}

impl ReachedPaths {
    /// The ways, each as a path of its own, which is charged to the traversal: together they can be far larger than the
    /// tree.
    pub fn unfold(&self, traversal: &Traversal<'_>) -> Result<Vec<Path>, TraversalError> {
        let mut paths = Vec::with_capacity(self.ends.len());
        for end in &self.ends {
            let path = self.tree.path(*end);
            traversal.charge(limits::PATH_BYTES + size_of_val(path.nodes.as_slice()))?;
            paths.push(path);
        }
        Ok(paths)
    }
}

/// A layer of a walk, and the way to each vertex in it where ways are wanted.
struct Walk {
    nodes: Vec<Node>,
    ends: Vec<PathEnd>,
    tree: Option<PathTree>,
}

impl Walk {
    fn begin(traversal: &Traversal<'_>, source: Node, with_paths: bool) -> Result<Self, TraversalError> {
        let mut tree = with_paths.then(PathTree::new);
        let ends = match &mut tree {
            Some(tree) => vec![tree.add(traversal, None, source)?],
            None => Vec::new(),
        };
        Ok(Self { nodes: vec![source], ends, tree })
    }

    /// Replaces the layer by the vertices one step further that `enter` lets in, `limit` at most. `enter` is asked once
    /// for each edge.
    fn step(
        &mut self,
        traversal: &mut Traversal<'_>,
        step: &Step,
        limit: Option<u64>,
        mut enter: impl FnMut(&Traversal<'_>, Node) -> Result<bool, TraversalError>,
    ) -> Result<(), TraversalError> {
        let from = std::mem::take(&mut self.nodes);
        let before = std::mem::take(&mut self.ends);
        let mut before = before.into_iter();
        'blocks: for block in blocks_for(&from, limit) {
            let adjacency = traversal.expand(block, step, None)?;
            for some in adjacency.iter() {
                let way = before.next();
                for target in some.targets {
                    if !enter(traversal, *target)? {
                        continue;
                    }
                    self.nodes.push(*target);
                    if let Some(tree) = &mut self.tree {
                        self.ends.push(tree.add(traversal, way, *target)?);
                    }
                    if limit.is_some_and(|limit| self.nodes.len() as u64 >= limit) {
                        break 'blocks;
                    }
                }
            }
        }
        Ok(())
    }

    /// As [`Self::step`] for a walk that only wants vertices met for the first time, of a traversal that has met no
    /// others than the walk: which are new is known without a set. Fails when more than the capacity were met.
    fn step_to_new(
        &mut self,
        traversal: &mut Traversal<'_>,
        step: &Step,
        limit: Option<u64>,
        capacity: Option<u64>,
    ) -> Result<(), TraversalError> {
        let from = std::mem::take(&mut self.nodes);
        for block in blocks_for(&from, limit) {
            let mut new = traversal.reach(block, step)?;
            if let Some(limit) = limit {
                let left = limit.saturating_sub(self.nodes.len() as u64).max(1);
                new.end = new.end.min(new.start.saturating_add(u32::try_from(left).unwrap_or(u32::MAX)));
            }
            // So many have been visited, the source included.
            traversal.check_capacity(capacity, new.end as usize)?;
            self.nodes.extend(new.map(Node));
            if limit.is_some_and(|limit| self.nodes.len() as u64 >= limit) {
                break;
            }
        }
        Ok(())
    }
}

/// Whether all vertices that the traversal meets from now on are such that a walk from `source` reaches.
fn reaches_all_it_meets(traversal: &Traversal<'_>, source: Node, step: &Step, with_paths: bool) -> bool {
    !with_paths && step.vertices.is_empty() && source == Node(0) && traversal.nodes_len() == 1
}

/// The vertices at a distance. Fails when more vertices than the capacity would be visited.
pub fn k_out(traversal: &mut Traversal<'_>, source: Node, query: &KOut<'_>) -> Result<Reached, TraversalError> {
    let mut walk = Walk::begin(traversal, source, query.with_paths)?;
    let only_new = query.nearest && reaches_all_it_meets(traversal, source, query.step, query.with_paths);
    let mut visited = NodeSet::new();
    visited.insert(source);
    for depth in 1..=query.depth {
        let mut layer = NodeSet::new();
        let mut limit = if depth == query.depth { query.limit } else { None };
        if let Some(capacity) = query.capacity.filter(|_| query.fills_capacity && depth == query.depth) {
            let visited = if only_new { traversal.nodes_len().into() } else { visited.len() as u64 };
            let left = capacity.saturating_sub(visited);
            if left == 0 {
                return Err(traversal.exceeded(capacity));
            }
            limit = Some(limit.map_or(left, |limit| limit.min(left)));
        }
        if only_new {
            walk.step_to_new(traversal, query.step, limit, query.capacity)?;
            if walk.nodes.is_empty() {
                break;
            }
            continue;
        }
        walk.step(traversal, query.step, limit, |traversal, target| {
            let first_visit = visited.insert(target);
            let enters = target != source && if query.nearest { first_visit } else { layer.insert(target) };
            traversal.check_capacity(query.capacity, visited.len())?;
            Ok(enters)
        })?;
        if walk.nodes.is_empty() {
            break;
        }
    }
    let Walk { nodes, ends, tree } = walk;
    Ok(Reached { nodes, paths: tree.map(|tree| ReachedPaths { tree, ends }) })
}

/// The vertices within a distance.
pub fn k_neighbour(
    traversal: &mut Traversal<'_>,
    source: Node,
    query: &KNeighbour<'_>,
) -> Result<Reached, TraversalError> {
    let mut walk = Walk::begin(traversal, source, query.with_paths)?;
    let only_new = reaches_all_it_meets(traversal, source, query.step, query.with_paths);
    let mut visited = NodeSet::new();
    visited.insert(source);
    let mut reached = Reached::default();
    let mut ends = Vec::new();
    for _ in 0..query.depth {
        let left = query.limit.map(|limit| limit.saturating_sub(reached.nodes.len() as u64));
        if left == Some(0) {
            break;
        }
        if only_new {
            walk.step_to_new(traversal, query.step, left, None)?;
        } else {
            walk.step(traversal, query.step, left, |_, target| Ok(visited.insert(target)))?;
        }
        if walk.nodes.is_empty() {
            break;
        }
        reached.nodes.extend_from_slice(&walk.nodes);
        ends.extend_from_slice(&walk.ends);
    }
    reached.paths = walk.tree.map(|tree| ReachedPaths { tree, ends });
    Ok(reached)
}

#[cfg(test)]
mod tests;
