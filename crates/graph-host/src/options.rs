//! How a store is opened.

use std::time::Duration;

use graph_store::GraphOptions;

/// How a store is opened.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// How elements are treated.
    pub graph: GraphOptions,
    /// The graph that exists from the first start.
    pub default_graph: String,
    /// How many graphs there may be.
    pub graphs_max: usize,
    /// How expired elements are removed.
    pub purge: PurgeOptions,
    /// How several processes over one store keep up with each other.
    pub cluster: ClusterOptions,
    /// Whether neighbours are read before walks ask for them, where that costs no messages.
    pub reads_ahead: bool,
    /// Memory for rows read lately, on an engine that several processes share; used while no other one writes.
    pub row_cache_bytes: usize,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            graph: GraphOptions::default(),
            default_graph: "hugegraph".to_owned(),
            graphs_max: 4_096,
            purge: PurgeOptions::default(),
            cluster: ClusterOptions::default(),
            reads_ahead: false,
            row_cache_bytes: 32 << 20,
        }
    }
}

/// How expired elements are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PurgeOptions {
    /// Pause between two looks at what is due; `None`: only [`crate::Store::purge_expired`] removes anything.
    pub interval: Option<Duration>,
    /// Rows looked at at one time, at most [`graph_maintenance::limits::EXPIRY_BATCH_ELEMENTS_MAX`]. The edges among
    /// them go in one batch, for which writers of edges near them wait; a vertex keeps only its own writers waiting.
    pub elements_per_batch: usize,
}

impl Default for PurgeOptions {
    fn default() -> Self {
        Self { interval: Some(Duration::from_secs(10)), elements_per_batch: 200 }
    }
}

/// How servers over one store keep up with each other. Used on engines that several processes share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClusterOptions {
    /// Pause between two looks at what the others changed: a change is seen by them within this and the time of a few
    /// reads.
    pub refresh: Duration,
    /// A server that has not looked for so long refuses to write; the others take it for dead a tenth later.
    pub stale: Duration,
    /// How long a change of schema or graphs waits for that of another server.
    pub change_wait: Duration,
    /// How long what a write touched that was answered by an error is read from the store each time, since the write
    /// may take effect later; up to twice as long.
    pub in_doubt: Duration,
}

impl Default for ClusterOptions {
    fn default() -> Self {
        Self {
            refresh: Duration::from_secs(1),
            stale: Duration::from_secs(5),
            change_wait: Duration::from_secs(20),
            in_doubt: Duration::from_secs(600),
        }
    }
}
