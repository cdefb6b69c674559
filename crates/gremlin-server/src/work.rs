//! Carrying a request out: on which threads, for how long, and until who is gone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use query_service::{Cancel, Prepared, QueryRequest, Reason, Sink};
use tokio::time::sleep;

use crate::ask::Session;
use crate::shared::Shared;
use crate::status::{self, Failure};

/// Ends a query when whoever waits for it is dropped.
struct EndOnDrop(Cancel);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.end(Reason::Client);
    }
}

/// Reads a request's program.
pub(crate) fn prepare(shared: &Shared, request: QueryRequest) -> Result<Prepared, Failure> {
    Ok(shared.queries.prepare(request)?)
}

/// Carries a request out on a thread of the pool for reads or for writes. Dropping this ends the query.
pub(crate) async fn run(
    shared: &Arc<Shared>,
    prepared: Prepared,
    session: Option<Session>,
    mut sink: Box<dyn Sink>,
) -> Result<(), Failure> {
    let cancel = Cancel::default();
    let _end = EndOnDrop(cancel.clone());
    let (timeout, graph) = (prepared.timeout(), prepared.graph().to_owned());
    let pool = if prepared.is_write() || session.is_some() { &shared.serving.writes } else { &shared.serving.queries };
    let has_begun = Arc::new(AtomicBool::new(false));
    let (work_shared, work_cancel, begins) = (Arc::clone(shared), cancel.clone(), Arc::clone(&has_begun));
    let work = pool.run(Some(&graph), move || {
        begins.store(true, Ordering::Relaxed);
        let queries = &work_shared.queries;
        match session {
            Some(Session { id, is_managed }) => queries.run_in_session(&id, is_managed, prepared, &work_cancel, sink),
            None => queries.run(&prepared, &work_cancel, &mut *sink),
        }
    });
    let mut work = std::pin::pin!(work);
    let outcome = tokio::select! {
        outcome = &mut work => outcome,
        () = sleep(timeout) => {
            cancel.end(Reason::Timeout);
            if !has_begun.load(Ordering::Relaxed) {
                shared.serving.metrics.timeouts.inc();
                let waited = timeout.as_millis();
                let message = format!("the query waited longer than {waited} ms for a thread (evaluationTimeout)");
                return Err(Failure::new(status::TIMEOUT, message));
            }
            work.await
        }
    };
    let outcome = outcome.map_err(|refused| Failure::new(status::TOO_MANY_REQUESTS, refused.to_string()))?;
    outcome.map_err(|error| {
        if error.is_timeout() {
            shared.serving.metrics.timeouts.inc();
        }
        Failure::from(error)
    })
}
