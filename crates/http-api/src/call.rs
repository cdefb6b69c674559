//! One request as handlers see it, and what all requests share.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use bytes::Bytes;
use graph_host::{HostedGraph, Store};
use graph_store::{Budget, Graph, Pending};
use rest_json::{Dialect, EncodeOptions};
use threads::{run_anywhere, stand_back};

use crate::address::Address;
use crate::admission::{Admission, Admitted};
use crate::directory::Directory;
use crate::errors::ApiError;
use crate::limits::BATCH_PLACES_PER_THREAD;
use crate::line::{Line, Places, Waits};
use crate::meters::Meters;
use crate::openapi::Operation;
use crate::options::ApiOptions;
use crate::pool::Pool;
use crate::query::Query;
use crate::reply::Reply;

/// An answer, or why there is none.
pub(crate) type Answered = Result<Reply, ApiError>;
/// An answer that is valid once what it says is stored.
pub(crate) type Stored = Result<Pending<Reply>, ApiError>;

/// What all requests share.
pub(crate) struct App {
    pub(crate) store: Arc<Store>,
    pub(crate) options: ApiOptions,
    pub(crate) directory: Directory,
    pub(crate) admission: Arc<Admission>,
    /// Reads that can take long; where storage is over a network, all that touch it.
    pub(crate) queries: Pool,
    /// Writes that can take long or wait for others; where storage is over a network, all of them.
    pub(crate) writes: Pool,
    /// Batches that are written by the threads that serve connections.
    pub(crate) batches: Line,
    /// Whether storage is over a network: then nothing that touches it runs on the threads that serve connections.
    pub(crate) remote: bool,
    pub(crate) meters: Meters,
    pub(crate) started: Instant,
    /// Also tells work without a time limit to stop.
    pub(crate) shutting_down: Arc<AtomicBool>,
}

impl App {
    pub(crate) fn new(store: Arc<Store>, options: ApiOptions, directory: Directory) -> Arc<Self> {
        let limits = &options.limits;
        let meters = Meters::new(&directory);
        let remote = store.engine().capabilities().remote;
        let threads = if remote { limits.remote_threads } else { limits.blocking_threads };
        let line = |what, places, (setting, waiting_max), refused| {
            Line::new(what, Places { places, shared_out: remote }, Waits { setting, waiting_max, refused })
        };
        let queries_max = ("server.waiting_queries_max", limits.waiting_queries_max);
        let writes_max = ("server.waiting_writes_max", limits.waiting_writes_max);
        let queries = line("queries", threads, queries_max, meters.refused_queries.clone());
        let writes = line("writes", threads, writes_max, meters.refused_writes.clone());
        // No more than its threads can be at work on them; a few more are ready when a thread is.
        let places = options.workers.len().max(1).saturating_mul(BATCH_PLACES_PER_THREAD);
        let batches = line("batches", places, writes_max, meters.refused_writes.clone());
        let niceness = limits.query_niceness;
        traversal::on_thread_start(move || {
            run_anywhere();
            stand_back(niceness);
        });
        Arc::new(Self {
            admission: Admission::new(limits.requests_in_flight_max, limits.bytes_in_flight_max),
            // Threads that wait for a network take nothing from others.
            queries: Pool::new(queries, threads, if remote { 0 } else { niceness }),
            writes: Pool::new(writes, threads, 0),
            batches,
            remote,
            meters,
            directory,
            started: Instant::now(),
            shutting_down: Arc::default(),
            store,
            options,
        })
    }
}

/// One request.
pub(crate) struct Call {
    pub(crate) app: Arc<App>,
    pub(crate) address: Address,
    /// Where the name of the graph is among the segments, in addresses of graphs.
    pub(crate) graph_at: usize,
    /// Where the parameter of the route is among the segments.
    pub(crate) param_at: usize,
    pub(crate) graph: Option<Arc<HostedGraph>>,
    pub(crate) body: Bytes,
    /// Which release of HugeGraph the client expects answers of.
    pub(crate) dialect: Dialect,
    /// Whether it is HugeGraph's Java client, of whatever release: it can read some answers in one form only.
    pub(crate) java_client: bool,
    pub(crate) budget: Budget,
    /// See [`Query`].
    pub(crate) described: Option<&'static Operation>,
    pub(crate) _admitted: Option<Admitted>,
}

impl Call {
    /// The graph the address names.
    pub(crate) fn graph(&self) -> Result<&Arc<HostedGraph>, ApiError> {
        self.graph.as_ref().ok_or_else(ApiError::defect)
    }

    /// The name of a graph that need not exist.
    pub(crate) fn graph_name(&self) -> Result<Cow<'_, str>, ApiError> {
        Ok(self.address.decoded(self.graph_at)?)
    }

    /// The last segment of the address: an id or a name.
    pub(crate) fn param(&self) -> Result<Cow<'_, str>, ApiError> {
        Ok(self.address.decoded(self.param_at)?)
    }

    /// The query of the address.
    pub(crate) fn query(&self) -> Query<'_> {
        Query::new(self.address.query(), self.described)
    }

    /// How elements of a graph are written.
    pub(crate) fn encode_options(graph: &Graph) -> EncodeOptions {
        EncodeOptions { zone: graph.options().zone.clone() }
    }
}
