//! Carrying a request out: on which threads, for how long, and until who is gone.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use audit::{Class, Event};
use query_service::{Cancel, Collect, Gone, Prepared, Program, QueryRequest, Reason, Sink};
use query_value::Value;
use serving::{Barred, QueryShare, Watched, WorkBounds};
use tokio::time::sleep;

use crate::ask::Session;
use crate::login::PROTOCOL;
use crate::shared::Shared;
use crate::status::{self, Failure};

/// Ends a query when whoever waits for it is dropped.
struct EndOnDrop(Cancel);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.end(Reason::Client);
    }
}

/// A request that is let in.
pub(crate) struct Ready {
    prepared: Prepared,
    watched: Watched,
    share: Option<QueryShare>,
}

impl Ready {
    /// How long it may work.
    pub(crate) fn timeout(&self) -> Duration {
        self.prepared.timeout()
    }
}

/// Reads a request's program, and lets it in where its user's and its graph's quotas allow that. `id`: of the request,
/// where the client has given it one.
pub(crate) async fn prepare(
    shared: &Shared,
    request: QueryRequest,
    from: Option<IpAddr>,
    id: Option<String>,
) -> Result<Ready, Failure> {
    let watch = &shared.serving.watch;
    let mut watched = watch.record(Class::Query, || {
        let subject = request.caller.subject(PROTOCOL, from, id.or_else(|| Some(watch.audit.request_id())));
        let is_text = matches!(request.program, Program::Text(_));
        Event::new(Class::Query, if is_text { "eval" } else { "bytecode" }, subject)
    });
    match let_in(shared, request, &mut watched).await {
        Ok((prepared, share)) => Ok(Ready { prepared, watched, share }),
        Err(failure) => {
            watched.fail(&failure.code.to_string(), failure.code == status::FORBIDDEN);
            Err(failure)
        }
    }
}

async fn let_in(
    shared: &Shared,
    request: QueryRequest,
    watched: &mut Watched,
) -> Result<(Prepared, Option<QueryShare>), Failure> {
    let watch = &shared.serving.watch;
    let caller = request.caller.clone();
    if let (Program::Text(text), true) = (&request.program, watched.is_recorded()) {
        watched.note_query(text);
    }
    let mut prepared = shared.queries.prepare(request)?;
    prepared.bound_time(watch.quotas.bounds(prepared.graph()).time(), WorkBounds::TIME);
    if let Some(place) = traces::here() {
        place.of_graph(prepared.graph());
    }
    let graph = Some(prepared.graph());
    watched.note(|event| event.graph = graph.map(str::to_owned));
    watched.note_query(prepared.text());
    watch.let_in(watched, caller.user(), graph, prepared.adds())?;
    watched.count_bytes(prepared.text().len());
    let share = watch.quotas.query(caller.user(), graph, shared.queries.memory_max()).map_err(Barred::from)?;
    watched.begin().await.map_err(Barred::from)?;
    Ok((prepared, share))
}

/// Counts the bytes of results against quotas.
struct Counting {
    sink: Box<dyn Sink>,
    bytes: Arc<AtomicU64>,
}

impl Sink for Counting {
    fn take(&mut self, rows: Vec<(Value, u64)>) -> Result<u64, Gone> {
        let bytes = self.sink.take(rows)?;
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(bytes)
    }
}

/// The results of a read, if they are no more than `results_max` and can be had in a moment on the thread at hand;
/// nothing has happened otherwise.
fn attempt(shared: &Shared, prepared: &Prepared, results_max: u64) -> Option<Result<Vec<(Value, u64)>, Failure>> {
    let attempts = &shared.serving.attempts;
    let attempt = attempts.begin(&[prepared.graph().as_bytes(), prepared.text().as_bytes()])?;
    let time = attempt.time;
    attempts.carry_out(attempt, || {
        let mut collected = Collect::new(shared.options.response_bytes_max);
        let outcome = shared.queries.attempt(prepared, time, &mut collected);
        let rows = collected.take_rows();
        let results = rows.iter().fold(0_u64, |all, (_, times)| all.saturating_add(*times));
        match outcome {
            Ok(Some(_)) if results <= results_max => Some(Ok(rows)),
            Err(error) if !error.is_timeout() && !collected.is_too_large() => Some(Err(error.into())),
            _ => None,
        }
    })
}

/// Carries a request out: a short read at once, others on a thread of the pool for reads or for writes. Dropping this
/// ends the query. `results_max` is how many results the sink takes without waiting for the client.
pub(crate) async fn run(
    shared: &Arc<Shared>,
    ready: Ready,
    session: Option<Session>,
    sink: Box<dyn Sink>,
    results_max: usize,
) -> Result<(), Failure> {
    let Ready { prepared, mut watched, share } = ready;
    let bytes = Arc::new(AtomicU64::new(0));
    let sink = Box::new(Counting { sink, bytes: Arc::clone(&bytes) });
    let outcome = carry_out(shared, prepared, session, sink, results_max, share).await;
    watched.count_bytes(usize::try_from(bytes.load(Ordering::Relaxed)).unwrap_or(usize::MAX));
    match &outcome {
        Ok(()) => watched.succeed(),
        Err(failure) => watched.fail(&failure.code.to_string(), failure.code == status::FORBIDDEN),
    }
    outcome
}

async fn carry_out(
    shared: &Arc<Shared>,
    prepared: Prepared,
    session: Option<Session>,
    mut sink: Box<dyn Sink>,
    results_max: usize,
    share: Option<QueryShare>,
) -> Result<(), Failure> {
    if !prepared.is_write()
        && session.is_none()
        && let Some(outcome) = attempt(shared, &prepared, results_max as u64)
    {
        let rows = outcome?;
        if !rows.is_empty() {
            // It fails where the client is gone: then nobody is told.
            let _gone = sink.take(rows);
        }
        return Ok(());
    }
    let cancel = Cancel::default();
    let _end = EndOnDrop(cancel.clone());
    let (timeout, time_limit, graph) = (prepared.timeout(), prepared.time_limit(), prepared.graph().to_owned());
    let pool = if prepared.is_write() || session.is_some() { &shared.serving.writes } else { &shared.serving.queries };
    let has_begun = Arc::new(AtomicBool::new(false));
    let (work_shared, work_cancel, begins) = (Arc::clone(shared), cancel.clone(), Arc::clone(&has_begun));
    let work = pool.run(Some(&graph), move || {
        begins.store(true, Ordering::Relaxed);
        let _share = share;
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
                let message = format!("the query waited longer than {waited} ms for a thread ({time_limit})");
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
