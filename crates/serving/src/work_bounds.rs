//! How much one request may do on a graph that has limits of its own, besides what the settings allow.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::RwLock;

/// Bounds of one request on a graph; 0: none besides those of the settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkBounds {
    /// Steps of a walk of a traverser (`max_depth`): what it reaches may grow with each step as many times as a vertex
    /// has edges.
    pub traverser_depth_max: u64,
    /// Edges that a traverser looks at of one vertex (`max_degree`): one vertex with millions is as much work as a
    /// whole walk.
    pub traverser_degree_max: u64,
    /// Vertices that a traverser visits (`capacity`): all of them are held until it ends.
    pub traverser_capacity_max: u64,
    /// Elements or paths in the answer of a traverser (`limit`): the answer is built in memory.
    pub traverser_limit_max: u64,
    /// How long a query, list or traversal may work, in milliseconds: until then it keeps a thread from others.
    pub query_timeout_ms: u64,
}

impl WorkBounds {
    /// What errors call the bound of the time.
    pub const TIME: &str = "query_timeout_ms of the graph's own limits";

    /// How long a query may work at most; none: as long as the settings allow.
    #[must_use]
    pub fn time(&self) -> Option<Duration> {
        (self.query_timeout_ms > 0).then(|| Duration::from_millis(self.query_timeout_ms))
    }

    /// The text of an error: the time was not enough.
    #[must_use]
    pub fn out_of_time(&self) -> String {
        let (ms, name) = (self.query_timeout_ms, Self::TIME);
        format!("the query took longer than {ms} ms ({name}) and was stopped; ask for less, or have it raised")
    }
}

/// The bounds of all graphs that have some.
#[derive(Debug, Default)]
pub(crate) struct GraphBounds {
    is_any: AtomicBool,
    graphs: RwLock<HashMap<Box<str>, WorkBounds>>,
}

impl GraphBounds {
    pub(crate) fn set(&self, graphs: impl Iterator<Item = (Box<str>, WorkBounds)>) {
        let graphs: HashMap<_, _> = graphs.filter(|(_, bounds)| *bounds != WorkBounds::default()).collect();
        let mut kept = self.graphs.write();
        self.is_any.store(!graphs.is_empty(), Ordering::Relaxed);
        *kept = graphs;
    }

    pub(crate) fn of(&self, graph: &str) -> WorkBounds {
        if !self.is_any.load(Ordering::Relaxed) {
            return WorkBounds::default();
        }
        self.graphs.read().get(graph).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_without_bounds_have_none() {
        let (bounds, three) = (GraphBounds::default(), WorkBounds { query_timeout_ms: 3, ..WorkBounds::default() });
        assert_eq!(bounds.of("g"), WorkBounds::default());
        bounds.set([("g".into(), three), ("h".into(), WorkBounds::default())].into_iter());
        assert_eq!((bounds.of("g"), bounds.of("h").time()), (three, None));
        assert_eq!(bounds.of("g").time(), Some(Duration::from_millis(3)));
        assert!(three.out_of_time().contains("3 ms (query_timeout_ms"), "{}", three.out_of_time());
        bounds.set(std::iter::empty());
        assert_eq!(bounds.of("g"), WorkBounds::default());
    }
}
