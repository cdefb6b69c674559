//! Paths, and trees of paths that share their beginnings.

use crate::{Node, Traversal, TraversalError, limits};

/// The vertices of a path, first to last.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path {
    /// The vertices.
    pub nodes: Vec<Node>,
}

impl Path {
    /// The pairs of consecutive vertices.
    pub fn pairs(&self) -> impl Iterator<Item = (Node, Node)> + '_ {
        self.nodes.iter().copied().zip(self.nodes.iter().copied().skip(1))
    }
}

/// A place in a [`PathTree`]: the end of one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PathEnd(u32);

/// Many paths; each is its last vertex and the path before it.
#[derive(Debug, Default)]
pub(crate) struct PathTree {
    steps: Vec<(Node, Option<PathEnd>)>,
}

impl PathTree {
    /// No paths.
    #[must_use]
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds the path that goes on from `before` (`None`: that begins) with `node`.
    pub(crate) fn add(
        &mut self,
        traversal: &Traversal<'_>,
        before: Option<PathEnd>,
        node: Node,
    ) -> Result<PathEnd, TraversalError> {
        traversal.charge(limits::PATH_STEP_BYTES)?;
        let end = u32::try_from(self.steps.len()).map_err(|_| traversal.out_of_memory())?;
        self.steps.push((node, before));
        Ok(PathEnd(end))
    }

    /// The last vertex of a path and the path before it.
    #[must_use]
    pub(crate) fn last(&self, end: PathEnd) -> Option<(Node, Option<PathEnd>)> {
        self.steps.get(end.0 as usize).copied()
    }

    /// The vertices of a path from the last to the first.
    pub(crate) fn backwards(&self, end: PathEnd) -> impl Iterator<Item = Node> + '_ {
        let mut next = Some(end);
        std::iter::from_fn(move || {
            let (node, before) = self.last(next?)?;
            next = before;
            Some(node)
        })
    }

    /// A path.
    #[must_use]
    pub(crate) fn path(&self, end: PathEnd) -> Path {
        let mut nodes: Vec<Node> = self.backwards(end).collect();
        nodes.reverse();
        Path { nodes }
    }
}
