//! One request as handlers see it, and what all requests share.

use std::borrow::Cow;
use std::cell::Cell;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use auth::{Accounts, Caller};
use bytes::Bytes;
use cypher_session::GraphQueries;
use graph_access::{Budget, Committing, Interrupted};
use graph_host::{HostedGraph, Store};
use graph_model::ErrorKind;
use graph_store::{Graph, Pending};
use graph_view::Visible;
use http_server::{Address, Reply, request_id};
use hyper::header::HeaderMap;
use rest_json::{Dialect, EncodeOptions};
use serving::{Admitted, Endpoints, Serving, WorkBounds};

use crate::directory::{Directory, State};
use crate::options::ApiOptions;
use openapi_document::Operation;
use query_service::QueryService;
use rest_errors::ApiError;
use rest_query::Query;

/// An answer, or why there is none.
pub(crate) type Answered = Result<Reply, ApiError>;
/// An answer that is valid once what it says is stored.
pub(crate) type Stored = Result<Pending<Reply>, ApiError>;

/// What all requests share.
pub(crate) struct App {
    pub(crate) store: Arc<Store>,
    pub(crate) options: ApiOptions,
    pub(crate) directory: Directory,
    /// Shared with the other protocols of the server.
    pub(crate) serving: Arc<Serving>,
    /// Carries Gremlin out; shared with the Gremlin server.
    pub(crate) queries: Arc<QueryService>,
    /// Carries Cypher out.
    pub(crate) cypher: GraphQueries,
    /// The counters of [`Self::directory`]'s endpoints, in its order.
    pub(crate) endpoints: Endpoints,
    /// Whether storage is over a network: then nothing that waits for it runs on the threads that serve connections.
    pub(crate) remote: bool,
}

impl App {
    pub(crate) fn new(
        queries: Arc<QueryService>,
        serving: Arc<Serving>,
        options: ApiOptions,
        directory: Directory,
    ) -> Self {
        let store = Arc::clone(queries.store());
        let remote = store.engine().capabilities().remote;
        let counted = directory.all().map(|endpoint| {
            (endpoint.state == State::Answers).then(|| (&*endpoint.template, endpoint.method.as_str()))
        });
        let endpoints = serving.metrics.endpoints(counted);
        let cypher = GraphQueries::new(Arc::clone(&queries)).with_analyses(options.analyses.clone());
        Self { store, options, directory, serving, queries, cypher, endpoints, remote }
    }

    /// The id of a request for its record: the client's, or one that is made.
    pub(crate) fn request_id(&self, headers: &HeaderMap) -> Option<String> {
        Some(request_id(headers).map_or_else(|| self.serving.watch.audit.request_id(), str::to_owned))
    }
}

/// What logins and logouts have to know of a request.
pub(crate) struct LoginParts {
    /// The token it shows.
    pub(crate) token: Option<String>,
    /// Where it is from, where that is known.
    pub(crate) from: Option<IpAddr>,
}

/// An attempt at a read on the thread that serves the connection.
pub(crate) struct Attempt {
    /// How long it may take; the budget of the call ends then.
    pub(crate) time: Duration,
    pub(crate) is_declined: Cell<bool>,
    /// What the answer waits for.
    pub(crate) committing: Cell<Option<Committing>>,
}

impl Attempt {
    pub(crate) fn new(time: Duration) -> Self {
        Self { time, is_declined: Cell::new(false), committing: Cell::new(None) }
    }

    /// Gives it up, for what may have to wait. Nobody sees the error; the handler is called again, without an attempt.
    pub(crate) fn decline(&self) -> ApiError {
        self.is_declined.set(true);
        ApiError::defect()
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
    /// Whether the client prefers OpenMetrics, where it asks for figures.
    pub(crate) open_metrics: bool,
    pub(crate) budget: Budget,
    /// Where the work is an attempt that has to be short.
    pub(crate) attempt: Option<Attempt>,
    /// Set when nobody waits for the answer any more; none where nothing looks at it.
    pub(crate) cancelled: Option<Arc<AtomicBool>>,
    /// See [`Query`].
    pub(crate) described: Option<&'static Operation>,
    /// Who asks.
    pub(crate) caller: Caller,
    /// What logins and logouts have to know of it.
    pub(crate) login: Option<Box<LoginParts>>,
    pub(crate) _admitted: Option<Admitted>,
}

impl Call {
    /// The graph the address names.
    pub(crate) fn graph(&self) -> Result<&Arc<HostedGraph>, ApiError> {
        self.graph.as_ref().ok_or_else(ApiError::defect)
    }

    /// What one request may do on the graph, besides what the settings allow.
    pub(crate) fn work_bounds(&self) -> WorkBounds {
        let graph = self.graph.as_ref();
        graph.map(|graph| self.app.serving.watch.quotas.bounds(graph.name())).unwrap_or_default()
    }

    /// How long a request may take.
    pub(crate) fn request_time(&self) -> Duration {
        Duration::from_millis(self.app.options.limits.request_timeout_ms)
    }

    /// How long a query may take: less than other requests where the graph says so.
    pub(crate) fn query_time(&self) -> Duration {
        self.work_bounds().time().map_or(self.request_time(), |own| own.min(self.request_time()))
    }

    /// The answer of a query; the error of one that the graph's own limit has stopped says so.
    pub(crate) fn explained(&self, answered: Answered) -> Answered {
        let is_own = |error: &ApiError| {
            let limit_ms = self.work_bounds().query_timeout_ms;
            error.is_unavailable() && self.budget.check() == Err(Interrupted::Timeout { limit_ms })
        };
        match answered {
            Err(error) if is_own(&error) => Err(ApiError::of(ErrorKind::Timeout, self.work_bounds().out_of_time())),
            answered => answered,
        }
    }

    /// The name of a graph that need not exist.
    pub(crate) fn graph_name(&self) -> Result<Cow<'_, str>, ApiError> {
        Ok(self.address.decoded(self.graph_at)?)
    }

    /// The last segment of the address: an id or a name.
    pub(crate) fn param(&self) -> Result<Cow<'_, str>, ApiError> {
        Ok(self.address.decoded(self.param_at)?)
    }

    /// The users of the server.
    pub(crate) fn accounts(&self) -> Result<&Arc<Accounts>, ApiError> {
        self.app.options.accounts.as_ref().ok_or_else(ApiError::no_users)
    }

    /// The graph as who asks may see and change it.
    pub(crate) fn visible(&self) -> Result<Visible<'_>, ApiError> {
        let graph = self.graph()?;
        Ok(Visible::new(graph, &self.budget, self.caller.rights(graph)))
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
