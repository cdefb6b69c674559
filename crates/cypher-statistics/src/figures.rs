//! Figures that were gathered, and until when they hold.

use std::sync::Arc;
use std::time::{Duration, Instant};

use graph_model::{LabelId, PropertyKeyId, VertexId};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::limits::{KEPT_FACTOR, KEPT_MIN};

/// The nodes of a stored label.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    /// How many there are.
    pub(crate) count: f64,
    /// Some of them, from all over the label.
    pub(crate) sample: Arc<[VertexId]>,
}

/// A label, which end of a relationship its nodes are at (0: the start, 1: the end, 2: either), and types; none: all.
pub(crate) type DegreeKey = (LabelId, u8, Option<Vec<LabelId>>);

#[derive(Debug)]
struct Figures {
    since: Instant,
    spent: Duration,
    version: u64,
    nodes: FxHashMap<LabelId, Nodes>,
    degrees: FxHashMap<DegreeKey, f64>,
    shares: FxHashMap<(LabelId, Vec<PropertyKeyId>), f64>,
}

/// Figures of one graph.
#[derive(Debug)]
pub struct Kept(Mutex<Figures>);

impl Default for Kept {
    fn default() -> Self {
        Self(Mutex::new(Figures {
            since: Instant::now(),
            spent: Duration::ZERO,
            version: 0,
            nodes: FxHashMap::default(),
            degrees: FxHashMap::default(),
            shares: FxHashMap::default(),
        }))
    }
}

impl Kept {
    /// Which figures these are: plans by figures of an earlier version are made again.
    pub fn version(&self) -> u64 {
        let mut own = self.0.lock();
        let is_old = own.since.elapsed() > (own.spent * KEPT_FACTOR).max(KEPT_MIN);
        if is_old && !(own.nodes.is_empty() && own.degrees.is_empty() && own.shares.is_empty()) {
            let version = own.version + 1;
            *own = Figures {
                since: Instant::now(),
                spent: Duration::ZERO,
                version,
                nodes: FxHashMap::default(),
                degrees: FxHashMap::default(),
                shares: FxHashMap::default(),
            };
        }
        own.version
    }

    pub(crate) fn nodes(&self, label: LabelId, gather: impl FnOnce() -> Option<Nodes>) -> Option<Nodes> {
        if let Some(known) = self.0.lock().nodes.get(&label) {
            return Some(known.clone());
        }
        let begun = Instant::now();
        let found = gather()?;
        let mut own = self.0.lock();
        own.spent += begun.elapsed();
        own.nodes.insert(label, found.clone());
        Some(found)
    }

    pub(crate) fn degree(&self, key: DegreeKey, gather: impl FnOnce() -> Option<f64>) -> Option<f64> {
        if let Some(known) = self.0.lock().degrees.get(&key) {
            return Some(*known);
        }
        let begun = Instant::now();
        let found = gather()?;
        let mut own = self.0.lock();
        own.spent += begun.elapsed();
        own.degrees.insert(key, found);
        Some(found)
    }

    pub(crate) fn share(
        &self,
        key: (LabelId, Vec<PropertyKeyId>),
        gather: impl FnOnce() -> Option<f64>,
    ) -> Option<f64> {
        if let Some(known) = self.0.lock().shares.get(&key) {
            return Some(*known);
        }
        let begun = Instant::now();
        let found = gather()?;
        let mut own = self.0.lock();
        own.spent += begun.elapsed();
        own.shares.insert(key, found);
        Some(found)
    }
}
