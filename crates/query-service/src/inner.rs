//! What requests and sessions share: how one is evaluated, listed and logged.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use auth::Accounts;
use graph_host::Store;
use merge_locks::MergeLocks;
use query_exec::Settings;

use crate::cancel::{Cancel, Reason};
use crate::error::QueryError;
use crate::evaluate::Evaluator;
use crate::limits;
use crate::names::Names;
use crate::request::{Prepared, Sink};
use crate::running::Running;
use crate::slot::Variables;
use crate::slow::Slow;
use crate::unit::Unit;

/// How queries are carried out.
#[derive(Clone, Debug)]
pub struct Options {
    /// Bytes one query may hold (`gremlin.memory_max`).
    pub memory_max: u64,
    /// Sessions at one time (`gremlin.sessions_max`).
    pub sessions_max: usize,
    /// How long a session may be idle (`gremlin.session_idle_ms`).
    pub session_idle: Duration,
    /// From which duration on a query is logged and kept among the slow ones; zero: none is (`gremlin.slow_query_ms`).
    pub slow_query: Duration,
    /// The folders whose files `LOAD CSV` may read (`cypher.import_folders`).
    pub import_folders: Vec<PathBuf>,
    /// Bytes of one row of `LOAD CSV` (`cypher.csv_row_bytes_max`).
    pub csv_row_bytes_max: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            memory_max: Settings::default().memory_max,
            sessions_max: limits::SESSIONS_MAX,
            session_idle: limits::SESSION_IDLE,
            slow_query: Duration::from_secs(1),
            import_folders: Vec::new(),
            csv_row_bytes_max: limits::CSV_ROW_BYTES_MAX,
        }
    }
}

/// What requests and sessions share.
pub(crate) struct Inner {
    pub(crate) store: Arc<Store>,
    pub(crate) options: Options,
    pub(crate) accounts: Option<Arc<Accounts>>,
    pub(crate) running: Running,
    pub(crate) slow: Slow,
    pub(crate) merges: MergeLocks,
}

impl Inner {
    pub(crate) fn settings(&self) -> Settings {
        Settings { memory_max: self.options.memory_max, ..Settings::default() }
    }

    /// Evaluates a script on a unit, and ends the unit where the request is alone in it.
    pub(crate) fn evaluate(
        &self,
        prepared: &Prepared,
        cancel: &Cancel,
        sink: &mut dyn Sink,
        unit: &mut Unit<'_>,
        variables: &mut Variables,
        end: impl FnOnce(&mut Unit<'_>) -> Result<(), QueryError>,
    ) -> Result<(), QueryError> {
        let request = &prepared.request;
        let running = self.running.begin(&prepared.graph, &prepared.text, &request.user, cancel);
        let names = Names::new(&self.store, &request.aliases, &prepared.graph);
        unit.materialize(request.materialize);
        unit.act_for(&request.caller)?;
        let mut evaluator = Evaluator { unit, names: &names, request, variables, running: &running, sink };
        let mut outcome = evaluator.run(&prepared.script);
        if outcome.is_ok() {
            outcome = end(unit);
        }
        if outcome.is_err() {
            unit.roll_back();
        }
        let failure = outcome.as_ref().err().map(|error| error.message.as_str());
        self.slow.note(&running, self.options.slow_query, failure, None);
        let is_late = running.elapsed() >= request.timeout;
        outcome.map_err(|error| explained(error, cancel, prepared, is_late))
    }
}

/// The error that a query was ended from outside, where that is why it failed.
fn explained(error: QueryError, cancel: &Cancel, prepared: &Prepared, is_late: bool) -> QueryError {
    if !error.is_cancelled() && !error.is_timeout() {
        return error;
    }
    let is_late = error.is_timeout() || (is_late && cancel.reason().is_none());
    let reason = if is_late { Some(Reason::Timeout) } else { cancel.reason() };
    match reason {
        Some(Reason::Timeout) => QueryError::access(
            graph_model::ErrorKind::Timeout,
            format!("the query took longer than {} ms ({})", prepared.timeout().as_millis(), prepared.time_limit()),
        ),
        Some(Reason::Killed) => QueryError::access(
            graph_model::ErrorKind::Cancelled,
            "the query was ended on request (DELETE .../queries/{id})",
        ),
        Some(Reason::Client) | None => error,
    }
}
