//! The service: carries out requests, in sessions and without.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use auth::{Accounts, Caller};
use graph_access::{Budget, Committing};
use graph_host::Store;
use merge_locks::MergeLocks;

use crate::cancel::Cancel;
use crate::entered::Entered;
use crate::error::QueryError;
use crate::inner::{Inner, Options};
use crate::names::Names;
use crate::request::{self, Prepared, QueryRequest, Sink};
use crate::rights;
use crate::running::{Running, RunningQuery};
use crate::sessions::Sessions;
use crate::slot::Variables;
use crate::slow::{Slow, SlowQuery};
use crate::unit::Unit;

/// Carries out queries over the graphs of a store.
pub struct QueryService {
    inner: Arc<Inner>,
    sessions: Sessions,
}

impl QueryService {
    /// A service without sessions yet.
    #[must_use]
    pub fn new(store: Arc<Store>, options: Options) -> Self {
        Self::with_accounts(store, options, None)
    }

    /// The same on a server with users: tasks run with the rights of who has started them.
    #[must_use]
    pub fn with_accounts(store: Arc<Store>, options: Options, accounts: Option<Arc<Accounts>>) -> Self {
        let (running, slow, merges) = (Running::default(), Slow::default(), MergeLocks::default());
        let inner = Arc::new(Inner { store, options, accounts, running, slow, merges });
        Self { sessions: Sessions::new(Arc::clone(&inner)), inner }
    }

    /// The graphs.
    #[must_use]
    pub fn store(&self) -> &Arc<Store> {
        &self.inner.store
    }

    /// The users; `None` on a server without.
    #[must_use]
    pub fn accounts(&self) -> Option<&Arc<Accounts>> {
        self.inner.accounts.as_ref()
    }

    /// Reads the program of a request and finds its graph. Takes time in proportion to the text only.
    ///
    /// # Errors
    /// The program is not Gremlin, or names what is not there; who asks may not run Gremlin on the graph.
    pub fn prepare(&self, request: QueryRequest) -> Result<Prepared, QueryError> {
        let (aliases, graph) = (request.aliases.clone(), request.graph.clone());
        let default = graph.as_deref().unwrap_or_else(|| self.inner.store.default_graph());
        let prepared = request::prepare(request, &Names::new(&self.inner.store, &aliases, default))?;
        rights::check_may_run(&prepared.request.caller, &prepared.graph)?;
        Ok(prepared)
    }

    /// Carries out a request without a session. What it writes is committed when it has succeeded.
    ///
    /// # Errors
    /// What the query fails with; nothing is written then, but what a statement of its own has committed.
    pub fn run(&self, prepared: &Prepared, cancel: &Cancel, sink: &mut dyn Sink) -> Result<(), QueryError> {
        let graph = self.inner.store.graph(&prepared.graph)?;
        let flag = cancel.own_flag();
        cancel.attach(&flag);
        let budget = Budget::new(prepared.request.timeout, flag);
        let mut unit = Unit::new(&graph, &budget, self.inner.settings());
        let mut variables = Variables::default();
        self.inner.evaluate(prepared, cancel, sink, &mut unit, &mut variables, |unit| unit.commit())
    }

    /// Carries out a request as long as that takes no more than `time` and nobody has to be waited for. What it returns
    /// is awaited: it has written then. `None` where it has to wait, and has written nothing.
    ///
    /// # Errors
    /// As [`Self::run`]; [`QueryError::is_timeout`] where the time was not enough: the request can be carried out by
    /// [`Self::run`] then, as after `None`, for somebody else to take the results.
    pub fn attempt(
        &self,
        prepared: &Prepared,
        time: Duration,
        sink: &mut dyn Sink,
    ) -> Result<Option<Committing>, QueryError> {
        let graph = self.inner.store.graph(&prepared.graph)?;
        // An auto graph may have labels to make.
        if prepared.is_write && (prepared.waits || graph.is_auto()) {
            return Ok(None);
        }
        let budget = Budget::within(time).without_waiting();
        let mut unit = Unit::new(&graph, &budget, self.inner.settings());
        let mut variables = Variables::default();
        let mut submitted = None;
        let end = |unit: &mut Unit<'_>| {
            submitted = unit.submit()?;
            Ok(())
        };
        self.inner.evaluate(prepared, &Cancel::default(), sink, &mut unit, &mut variables, end)?;
        Ok(submitted)
    }

    /// Carries out a request in a session: its variables stay, and its writes are seen by all others when the session
    /// commits, or with the request where `is_managed`. The first request of a session's id begins it.
    ///
    /// # Errors
    /// As [`Self::run`]; what the session has written since its last commit is gone after a failure. Too many sessions.
    pub fn run_in_session(
        &self,
        session: &str,
        is_managed: bool,
        prepared: Prepared,
        cancel: &Cancel,
        sink: Box<dyn Sink>,
    ) -> Result<(), QueryError> {
        let session = rights::session_of(&prepared.request.caller, session);
        self.sessions.run(&session, is_managed, prepared, cancel, sink)
    }

    /// Ends a session of a caller; what it has not committed is gone. False if there is none of the id.
    pub fn close_session(&self, caller: &Caller, session: &str) -> bool {
        self.sessions.close(&rights::session_of(caller, session))
    }

    /// What keeps transactions from merging the same pattern at one time, for all protocols.
    #[must_use]
    pub fn merge_locks(&self) -> &MergeLocks {
        &self.inner.merges
    }

    /// The folders whose files may be read (`cypher.import_folders`), and how many bytes a row of one may have.
    #[must_use]
    pub fn imports(&self) -> (&[PathBuf], usize) {
        (&self.inner.options.import_folders, self.inner.options.csv_row_bytes_max)
    }

    /// Bytes one query may hold (`gremlin.memory_max`).
    #[must_use]
    pub fn memory_max(&self) -> u64 {
        self.inner.options.memory_max
    }

    /// Notes a query that somebody else carries out, in another language, among those that run. Ending it by its number
    /// sets `interrupt`.
    #[must_use]
    pub fn enter(&self, graph: &str, text: &str, user: &str, interrupt: &Arc<AtomicBool>) -> Entered<'_> {
        let cancel = Cancel::default();
        cancel.attach(interrupt);
        let registered = self.inner.running.begin(graph, text, user, &cancel);
        Entered::new(registered, cancel, (&self.inner.slow, self.inner.options.slow_query))
    }

    /// The queries that run on a graph, the oldest first.
    #[must_use]
    pub fn running(&self, graph: &str) -> Vec<RunningQuery> {
        self.inner.running.of_graph(graph)
    }

    /// The queries on a graph that were slow of late, the latest first.
    #[must_use]
    pub fn slow(&self, graph: &str) -> Vec<SlowQuery> {
        self.inner.slow.of_graph(graph)
    }

    /// From which duration on a query is slow; zero: none is (`gremlin.slow_query_ms`).
    #[must_use]
    pub fn slow_from(&self) -> Duration {
        self.inner.options.slow_query
    }

    /// Ends a query of a graph by its number; false if there is none.
    #[must_use]
    pub fn kill(&self, graph: &str, id: u64) -> bool {
        self.inner.running.kill(graph, id)
    }
}
