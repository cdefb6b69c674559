//! Which limits has a graph of its own? What an administrator has set for it, in place of the settings or besides them.
//!
//! What it is: [`GraphLimits`] keeps them in the store, so that they survive restarts and are those of all servers over
//! it, and tells the [`Quotas`] of this server. What it is not: it counts nothing (`serving`), and speaks no protocol.
//!
//! Invariants:
//! - Limits are kept by the name of the graph, and end when they are taken back, not when the graph is dropped.
//! - The row in which they are kept is only replaced where it is as it was read.
//!
//! Start reading at [`GraphLimits`].

use std::collections::BTreeMap;
use std::sync::Arc;

use graph_host::Store;
use graph_store::StoreError;
use graph_store::stored_settings::{read_row, swap};
use key_codec::key::MetaKind;
use key_codec::{CodecError, GraphNumber};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serving::{Quota, Quotas, WorkBounds};

/// The row of the store.
const ROW: &str = "limits";
const BROKEN: CodecError = CodecError { what: "limits of graphs", problem: "no JSON of this version", at: 0 };

/// Graphs with limits of their own; more are refused, because all are one row.
pub const GRAPHS_MAX: usize = 4_096;

/// How often a change is tried again that met one of another server.
const CHANGES_TRIED_MAX: usize = 100;

/// Why limits could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum LimitsError {
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Too many graphs have some.
    #[error("{GRAPHS_MAX} graphs have limits of their own, the most there may be (GRAPHS_MAX); take some back")]
    TooMany,
}

/// Limits of a graph: as they are kept, asked for and answered. 0: none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Requests a second.
    pub requests_per_second: u64,
    /// Bytes a second of requests and answers together.
    pub bytes_per_second: u64,
    /// Queries, lists and traversals at one time.
    pub running_queries_max: usize,
    /// Bytes those may hold together.
    pub query_memory_max: u64,
    /// See [`WorkBounds::traverser_depth_max`].
    pub traverser_depth_max: u64,
    /// See [`WorkBounds::traverser_degree_max`].
    pub traverser_degree_max: u64,
    /// See [`WorkBounds::traverser_capacity_max`].
    pub traverser_capacity_max: u64,
    /// See [`WorkBounds::traverser_limit_max`].
    pub traverser_limit_max: u64,
    /// See [`WorkBounds::query_timeout_ms`].
    pub query_timeout_ms: u64,
}

impl Limits {
    fn new(quota: Quota, bounds: WorkBounds) -> Self {
        let Quota { requests_per_second, bytes_per_second, running_queries_max, query_memory_max } = quota;
        let WorkBounds { traverser_depth_max, traverser_degree_max, .. } = bounds;
        let WorkBounds { traverser_capacity_max, traverser_limit_max, query_timeout_ms, .. } = bounds;
        Self {
            requests_per_second,
            bytes_per_second,
            running_queries_max,
            query_memory_max,
            traverser_depth_max,
            traverser_degree_max,
            traverser_capacity_max,
            traverser_limit_max,
            query_timeout_ms,
        }
    }

    /// What everybody on the graph may use together.
    fn quota(&self) -> Quota {
        Quota {
            requests_per_second: self.requests_per_second,
            bytes_per_second: self.bytes_per_second,
            running_queries_max: self.running_queries_max,
            query_memory_max: self.query_memory_max,
        }
    }

    /// What one request may do.
    fn bounds(&self) -> WorkBounds {
        WorkBounds {
            traverser_depth_max: self.traverser_depth_max,
            traverser_degree_max: self.traverser_degree_max,
            traverser_capacity_max: self.traverser_capacity_max,
            traverser_limit_max: self.traverser_limit_max,
            query_timeout_ms: self.query_timeout_ms,
        }
    }
}

/// Limits that a graph is given; what is not there is as in the settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    requests_per_second: Option<u64>,
    bytes_per_second: Option<u64>,
    running_queries_max: Option<usize>,
    query_memory_max: Option<u64>,
    traverser_depth_max: Option<u64>,
    traverser_degree_max: Option<u64>,
    traverser_capacity_max: Option<u64>,
    traverser_limit_max: Option<u64>,
    query_timeout_ms: Option<u64>,
}

impl Change {
    /// The limits over those of the settings; none where nothing is given, which takes them back.
    fn over(self, settings: Limits) -> Option<Limits> {
        (self != Self::default()).then(|| Limits {
            requests_per_second: self.requests_per_second.unwrap_or(settings.requests_per_second),
            bytes_per_second: self.bytes_per_second.unwrap_or(settings.bytes_per_second),
            running_queries_max: self.running_queries_max.unwrap_or(settings.running_queries_max),
            query_memory_max: self.query_memory_max.unwrap_or(settings.query_memory_max),
            traverser_depth_max: self.traverser_depth_max.unwrap_or(settings.traverser_depth_max),
            traverser_degree_max: self.traverser_degree_max.unwrap_or(settings.traverser_degree_max),
            traverser_capacity_max: self.traverser_capacity_max.unwrap_or(settings.traverser_capacity_max),
            traverser_limit_max: self.traverser_limit_max.unwrap_or(settings.traverser_limit_max),
            query_timeout_ms: self.query_timeout_ms.unwrap_or(settings.query_timeout_ms),
        })
    }
}

type All = BTreeMap<String, Limits>;

/// The limits of graphs.
pub struct GraphLimits {
    store: Arc<Store>,
    quotas: Arc<Quotas>,
    /// Held while they are read or changed: the bytes of the row as it was last.
    read: Mutex<Option<Vec<u8>>>,
}

impl std::fmt::Debug for GraphLimits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GraphLimits").finish_non_exhaustive()
    }
}

impl GraphLimits {
    /// Reads those of a store, and has `quotas` keep to them.
    ///
    /// # Errors
    /// Those of storage.
    pub fn open(store: Arc<Store>, quotas: Arc<Quotas>) -> Result<Self, LimitsError> {
        let limits = Self { store, quotas, read: Mutex::default() };
        limits.refresh()?;
        Ok(limits)
    }

    /// Reads them again where another server has changed them.
    ///
    /// # Errors
    /// Those of storage.
    pub fn refresh(&self) -> Result<(), LimitsError> {
        let mut read = self.read.lock();
        let stored = self.stored()?;
        if stored != *read {
            self.keep_to(&parse(stored.as_deref())?);
            *read = stored;
        }
        Ok(())
    }

    /// The limits of a graph, and whether they are its own; otherwise they are those of the settings.
    #[must_use]
    pub fn of(&self, graph: &str) -> (Limits, bool) {
        let (quota, is_own) = self.quotas.of_graph(graph);
        (Limits::new(quota, self.quotas.bounds(graph)), is_own)
    }

    /// Gives a graph limits of its own, or where `change` has none, takes them back; in force for the next request.
    ///
    /// # Errors
    /// As [`Self::set`].
    pub fn change(&self, graph: &str, change: Change) -> Result<(), LimitsError> {
        self.set(graph, change.over(Limits::new(self.quotas.of_graphs(), WorkBounds::default())))
    }

    /// Gives a graph limits of its own, which are in force for the next request; `None` takes them back.
    ///
    /// # Errors
    /// Too many graphs have some; those of storage.
    pub fn set(&self, graph: &str, own: Option<Limits>) -> Result<(), LimitsError> {
        let mut read = self.read.lock();
        for _ in 0..CHANGES_TRIED_MAX {
            let stored = self.stored()?;
            let mut limits = parse(stored.as_deref())?;
            match own {
                Some(own) => drop(limits.insert(graph.to_owned(), own)),
                None => drop(limits.remove(graph)),
            }
            if limits.len() > GRAPHS_MAX {
                return Err(LimitsError::TooMany);
            }
            let bytes = serde_json::to_vec(&limits).map_err(|_| StoreError::Corrupt(BROKEN))?;
            let row = (GraphNumber::STORE, MetaKind::Setting, ROW);
            if swap(self.store.engine(), row, stored.as_deref(), Some(&bytes))? {
                self.keep_to(&limits);
                *read = Some(bytes);
                return Ok(());
            }
        }
        Err(StoreError::SchemaBusy.into())
    }

    fn stored(&self) -> Result<Option<Vec<u8>>, StoreError> {
        read_row(self.store.engine(), GraphNumber::STORE, MetaKind::Setting, ROW)
    }

    fn keep_to(&self, limits: &All) {
        self.quotas.set_graphs(limits.iter().map(|(graph, own)| (graph.as_str().into(), own.quota())));
        self.quotas.set_bounds(limits.iter().map(|(graph, own)| (graph.as_str().into(), own.bounds())));
    }
}

fn parse(stored: Option<&[u8]>) -> Result<All, StoreError> {
    match stored {
        Some(bytes) => serde_json::from_slice(bytes).map_err(|_| StoreError::Corrupt(BROKEN)),
        None => Ok(All::new()),
    }
}
