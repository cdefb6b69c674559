//! The life of a request: find the route, admit, read the body, run the handler in time, answer. Start at [`answer`].

use std::borrow::Cow;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use audit::Class;
use auth::Caller;
use bytes::Bytes;
use graph_access::{Budget, Committing};
use graph_store::Wait;
use http_server::{
    Address, BodyError, HttpResponse, Refusal, Reply, Service, Shown, accepts_gzip, caught, credentials, discard, peer,
    prefers_open_metrics, read_body, request_id,
};
use hyper::body::{Body as _, Incoming};
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::http::Extensions;
use hyper::{Method, Request, StatusCode};
use rest_json::Dialect;
use serving::{Admitted, Barred, CancelOnDrop, Outcome, QueryShare, Watched, without_waiting};
use tokio::time::timeout;

use crate::access::{self, Access};
use crate::call::{Answered, App, Attempt, Call, LoginParts};
use crate::directory::EndpointId;
use crate::limits;
use crate::route::{Handler, Scope};
use crate::routes::{self, Found};
use crate::watch;
use rest_errors::ApiError;

impl Service for App {
    fn answer(self: Arc<Self>, request: Request<Incoming>) -> impl Future<Output = HttpResponse> + Send {
        answer(self, request)
    }

    fn refuse(
        self: Arc<Self>,
        request: Request<Incoming>,
        refusal: Refusal,
    ) -> impl Future<Output = HttpResponse> + Send {
        refuse(request, refusal)
    }
}

/// Answers one request, whatever happens.
async fn answer(app: Arc<App>, request: Request<Incoming>) -> HttpResponse {
    let started = Instant::now();
    let (head, mut body) = request.into_parts();
    let address = Address::new(head.uri);
    let found = routes::find(&address, &head.method, app.options.test_routes);
    let id = match found {
        Found::Endpoint { id, .. } => Some(id),
        _ => None,
    };
    if let Some(endpoint) = id.and_then(|id| app.directory.get(id)) {
        traces::describe(|| (endpoint.method.as_str(), &*endpoint.template));
    }
    let mut watched = Watched::nothing();
    let mut asked_by = None;
    let answered = {
        let parts = (&head.method, &head.headers, &head.extensions);
        let work = pin!(serve(&app, parts, &address, found, &mut body, (&mut watched, &mut asked_by)));
        caught(work).await
    };
    let mut reply = match answered {
        Some(Ok(reply)) => reply,
        Some(Err(error)) => error.into_reply(),
        None => {
            app.serving.metrics.panics.inc();
            ApiError::defect().into_reply()
        }
    };
    if !reply.close && !body.is_end_stream() {
        reply.close = !Box::pin(discard(&mut body, &head.headers)).await;
    }
    app.serving.metrics.bytes_sent.inc_by(reply.body.len() as u64);
    watched.count_bytes(reply.body.len());
    let took = started.elapsed();
    let is_slow = !app.options.slow_request.is_zero() && took >= app.options.slow_request;
    let given = request_id(&head.headers);
    let mut shown_id = None;
    // One is made only where somebody may look for it.
    if given.is_some() || is_slow || outcome(reply.status) != Outcome::Succeeded {
        let own = || watched.request_id().map_or_else(|| app.serving.watch.audit.request_id(), str::to_owned);
        let request_id = given.map_or_else(own, str::to_owned);
        let endpoint = id.and_then(|id| app.directory.get(id));
        if is_slow && reply.status != StatusCode::INTERNAL_SERVER_ERROR {
            app.serving.metrics.slow_requests.inc();
        }
        let answered = request_log::Answered {
            endpoint: endpoint.map_or(("", "unknown"), |endpoint| (endpoint.method.as_str(), &*endpoint.template)),
            is_query: endpoint.is_some_and(|endpoint| endpoint.class == Class::Query),
            address: (address.path(), address.query()),
            request_id: &request_id,
            user: asked_by.as_ref().map_or("", Caller::name),
            reply: &reply,
            took,
        };
        request_log::note(&answered, is_slow);
        shown_id = HeaderValue::try_from(request_id).ok();
    }
    watched.end_with_status(reply.status.as_u16());
    app.endpoints.of(id.map(|id| id.0)).observe(outcome(reply.status), took);
    let mut response = reply.into_response();
    if let Some(id) = shown_id {
        response.headers_mut().insert("x-request-id", id);
    }
    response
}

/// What a status counts as.
fn outcome(status: StatusCode) -> Outcome {
    match status.as_u16() {
        500.. => Outcome::ServerError,
        400.. => Outcome::ClientError,
        _ => Outcome::Succeeded,
    }
}

/// The answer to a request that is refused whatever it asks for.
async fn refuse(request: Request<Incoming>, refusal: Refusal) -> HttpResponse {
    let (head, mut body) = request.into_parts();
    discard(&mut body, &head.headers).await;
    ApiError::from(refusal).closing().into_reply().into_response()
}

async fn serve(
    app: &Arc<App>,
    (method, headers, extensions): (&Method, &HeaderMap, &Extensions),
    address: &Address,
    found: Found,
    body: &mut Incoming,
    (watched, asked_by): (&mut Watched, &mut Option<Caller>),
) -> Answered {
    let access = match found {
        Found::Endpoint { access, .. } => access,
        _ => Access::User,
    };
    // What is there and what is not is nobody's business who has not said who it is.
    let caller = match identified_at_once(app, headers, extensions, access) {
        Some(caller) => caller,
        None => Box::pin(access::identify(app, headers, extensions, access)).await?,
    };
    *asked_by = Some(caller.clone());
    let (id, handler, scope, graph_at, param_at) = match found {
        Found::Endpoint { handler: Handler::NotYet, .. } => {
            return Err(ApiError::not_yet(method.as_str(), address.path()));
        }
        Found::Endpoint { handler: Handler::Never(reason), .. } => {
            return Err(ApiError::never(method.as_str(), address.path(), reason));
        }
        Found::Endpoint { id, handler, scope, graph_at, param_at, .. } => (id, handler, scope, graph_at, param_at),
        Found::NoMethod { allow } => return Err(ApiError::method(method.as_str(), allow)),
        Found::NoSpace => {
            return Err(ApiError::no_space(&address.decoded(1)?));
        }
        Found::Nothing => return Err(ApiError::no_route(address.path())),
    };
    let graph = if scope == Scope::Graph { address.decoded(graph_at)? } else { Cow::Borrowed("") };
    let named = address.decoded(param_at)?;
    *watched = watch::watched(app, id, &caller, (headers, extensions), &graph, &named);
    if caller.user().is_some() {
        access::check(access, &caller, &graph, &named)?;
    }
    if access != Access::Open {
        let adds = app.directory.get(id).is_some_and(|endpoint| endpoint.adds);
        let graph = Some(&*graph).filter(|graph| !graph.is_empty());
        app.serving.watch.let_in(watched, caller.user(), graph, adds)?;
    }
    drop((graph, named));
    let has_body = matches!(*method, Method::POST | Method::PUT);
    let mut admitted = match scope {
        Scope::Server if !has_body => None,
        Scope::Server | Scope::Space | Scope::Graph => Some(admit(app)?),
    };
    let body = match &mut admitted {
        Some(admitted) if has_body => {
            check_type(headers, body, handler)?;
            if is_batch(handler, body.size_hint().exact().unwrap_or_default()) && !app.remote {
                app.serving.batches.check_room()?;
            }
            read(app, headers, admitted, body).await?
        }
        _ => Bytes::new(),
    };
    watched.count_bytes(body.len());
    if watched.is_recorded() {
        watch::note_body(watched, app, id, &body, address.query());
        Box::pin(watched.begin()).await.map_err(Barred::from)?;
    }
    let graph = match scope {
        Scope::Graph if !matches!(handler, Handler::NewGraph(_)) => Some(app.store.graph(&address.decoded(graph_at)?)?),
        Scope::Server | Scope::Space | Scope::Graph => None,
    };
    let app_of_call = Arc::clone(app);
    let described = if app.options.test_routes { app.directory.operation(id) } else { None };
    let (dialect, budget) = (dialect_of(headers), Budget::unlimited());
    let java_client = is_java_client(headers);
    let mut call = Call {
        app: app_of_call,
        address: address.clone(),
        graph_at,
        param_at,
        graph,
        body,
        dialect,
        java_client,
        open_metrics: address.path() == "/metrics" && prefers_open_metrics(headers),
        budget,
        attempt: None,
        cancelled: None,
        described,
        caller,
        login: login_of(app, access, headers, extensions),
        _admitted: admitted,
    };
    match handler {
        // Nothing to wait for, so nothing is made that only waiting needs.
        Handler::Quick(handle) => {
            if let (answered, false) = without_waiting(|| handle(&call)) {
                return answered.map(|reply| reply.gzip_if(accepts_gzip(headers)));
            }
        }
        Handler::QuickWrite(handle) if call.body.len() <= limits::SMALL_WRITE_BYTES_MAX => {
            match without_waiting(|| handle(&call, Wait::Never)) {
                (Ok(pending), _) => {
                    let reply = in_time(app, pending.done()).await?;
                    return Ok(reply.gzip_if(accepts_gzip(headers)));
                }
                // It has to wait for another write or for the network, which takes a thread.
                (Err(error), waits) if waits || error.is_contended() => {}
                (Err(error), _) => return Err(error),
            }
        }
        Handler::Read(handle) => {
            let _share = share_of(&call)?;
            if let Some((answered, committing)) = attempt(&mut call, id, handle) {
                let answered = match committing {
                    None => answered,
                    Some(committing) => {
                        in_time(app, async {
                            committing.await?;
                            answered
                        })
                        .await
                    }
                };
                return answered.map(|reply| reply.gzip_if(accepts_gzip(headers)));
            }
        }
        Handler::Unhurried(handle) => return Box::pin(unhurried(call, handle)).await,
        _ => {}
    }
    let is_query = app.directory.get(id).is_some_and(|endpoint| endpoint.is_query);
    // On the heap: what a request needs in any of its ways would be copied for each, wherever its future is handed on.
    Box::pin(in_time(app, run(call, handler, is_query, headers))).await
}

/// The answer to a request, if it can be had in a moment, and what to await before it is true; nothing has happened
/// otherwise.
fn attempt(call: &mut Call, id: EndpointId, handle: fn(&Call) -> Answered) -> Option<(Answered, Option<Committing>)> {
    let attempts = &call.app.serving.attempts;
    let (path, query) = (call.address.path().as_bytes(), call.address.query().as_bytes());
    let begun = attempts.begin(&[&id.0.to_le_bytes(), path, query, &call.body])?;
    call.budget = Budget::within(begun.time).without_waiting();
    call.attempt = Some(Attempt::new(begun.time));
    let (answered, waits) = without_waiting(|| handle(call));
    let ended = call.attempt.take()?;
    let committing = ended.committing.take();
    let is_over = waits || (answered.is_err() && call.budget.check().is_err());
    if ended.is_declined.get() || (is_over && committing.is_none()) {
        call.app.serving.attempts.was_in_vain(begun);
        return None;
    }
    Some((answered, committing))
}

/// The caller, where nothing has to be waited for.
fn identified_at_once(app: &App, headers: &HeaderMap, extensions: &Extensions, access: Access) -> Option<Caller> {
    let Some(accounts) = &app.options.accounts else { return Some(Caller::anonymous()) };
    if access == Access::Open {
        return Some(Caller::nobody());
    }
    http_login::known(&**accounts, headers, extensions)
}

/// What logins and logouts have to know of a request; kept where it may be one.
fn login_of(app: &App, access: Access, headers: &HeaderMap, extensions: &Extensions) -> Option<Box<LoginParts>> {
    if app.options.accounts.is_none() || !matches!(access, Access::Open | Access::User) {
        return None;
    }
    let token = match credentials(headers, extensions) {
        Ok(Shown::Token(token)) => Some(token),
        _ => None,
    };
    Some(Box::new(LoginParts { token, from: peer(extensions) }))
}

/// Awaits the work of a request as long as a request may take.
async fn in_time<E>(app: &App, work: impl Future<Output = Result<Reply, E>>) -> Answered
where
    ApiError: From<E>,
{
    let limit_ms = app.options.limits.request_timeout_ms;
    match timeout(Duration::from_millis(limit_ms), work).await {
        Ok(answered) => Ok(answered?),
        Err(_) => {
            app.serving.metrics.timeouts.inc();
            Err(ApiError::timeout(limit_ms))
        }
    }
}

fn admit(app: &App) -> Result<Admitted, ApiError> {
    app.serving.admission.enter().map_err(|_| {
        app.serving.metrics.refused_requests.inc();
        let limit = app.serving.options.requests_in_flight_max;
        ApiError::overloaded(format!(
            "the server works on {limit} requests already (server.requests_in_flight_max); try again in a moment"
        ))
    })
}

fn user_agent(headers: &HeaderMap) -> &[u8] {
    headers.get(header::USER_AGENT).map_or(&b""[..], HeaderValue::as_bytes)
}

/// HugeGraph's Java client is built on Jersey up to 1.0, on OkHttp since; both say so.
fn is_java_client(headers: &HeaderMap) -> bool {
    let agent = user_agent(headers);
    agent.starts_with(b"Jersey/") || agent.starts_with(b"okhttp/")
}

/// HugeGraph's Java client up to 1.0 is built on Jersey and says so; later ones are not. It refuses servers of API 0.70
/// and later, and edge labels with fields it does not know.
fn dialect_of(headers: &HeaderMap) -> Dialect {
    if user_agent(headers).starts_with(b"Jersey/") { Dialect::Before15 } else { Dialect::Current }
}

/// Bodies are JSON, and say so; those of new graphs may also be texts. Where there is no body, nothing has to be said.
fn check_type(headers: &HeaderMap, body: &Incoming, handler: Handler) -> Result<(), ApiError> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    if given.is_none() && body.is_end_stream() {
        return Ok(());
    }
    let essence = given.and_then(|value| value.split(';').next()).unwrap_or_default().trim();
    let is = |known: &str| essence.eq_ignore_ascii_case(known);
    if is("application/json") || (matches!(handler, Handler::NewGraph(_)) && is("text/plain")) {
        return Ok(());
    }
    Err(ApiError::media_type(given))
}

async fn read(app: &App, headers: &HeaderMap, admitted: &mut Admitted, body: &mut Incoming) -> Result<Bytes, ApiError> {
    let limits = &app.options.limits;
    let time = Duration::from_millis(limits.request_timeout_ms);
    let reading = read_body(body, headers, admitted, limits.request_body_bytes_max);
    let Ok(read) = timeout(time, reading).await else {
        return Err(ApiError::body_too_slow(limits.request_timeout_ms));
    };
    let body = read.map_err(|error| match error {
        BodyError::TooLarge => ApiError::body_too_large(limits.request_body_bytes_max).closing(),
        BodyError::NoRoom => {
            app.serving.metrics.refused_bytes.inc();
            ApiError::overloaded(format!(
                "the server holds {} bytes of request bodies already (server.bytes_in_flight_max); \
                try again in a moment",
                app.serving.options.bytes_in_flight_max
            ))
        }
        BodyError::Gzip(reason) => {
            ApiError::bad_input(format!("the body is not gzip as Content-Encoding says: {reason}"))
        }
        BodyError::Coding(coding) => {
            ApiError::bad_input(format!("Content-Encoding '{coding}' is not known; send gzip or none"))
        }
        BodyError::Broken(reason) => ApiError::bad_input(format!("the body could not be read: {reason}")).closing(),
    })?;
    app.serving.metrics.bytes_received.inc_by(body.len() as u64);
    Ok(body)
}

/// Whether a write with a body of this size waits in the queue of batches.
fn is_batch(handler: Handler, body_bytes: u64) -> bool {
    matches!(handler, Handler::QuickWrite(_))
        && (limits::SMALL_WRITE_BYTES_MAX + 1..=limits::QUICK_WRITE_BYTES_MAX)
            .contains(&usize::try_from(body_bytes).unwrap_or(usize::MAX))
}

/// Runs a handler where it belongs.
async fn run(mut call: Call, handler: Handler, is_query: bool, headers: &HeaderMap) -> Answered {
    let app = Arc::clone(&call.app);
    let gzip = accepts_gzip(headers);
    let graph = call.graph.clone();
    let name = graph.as_ref().map(|graph| graph.name());
    let remote = app.remote && name.is_some();
    let reply = match handler {
        Handler::Quick(handle) | Handler::Pooled(handle) | Handler::Read(handle) => {
            let time = if is_query { call.query_time() } else { call.request_time() };
            let _cancel = set_budget(&mut call, time);
            let pool = if is_query { &app.serving.queries } else { &app.serving.writes };
            let share = if is_query { share_of(&call)? } else { None };
            let work = move || {
                let _share = share;
                call.explained(handle(&call)).map(|reply| reply.gzip_if(gzip))
            };
            return pool.run(name, work).await?;
        }
        Handler::QuickWrite(handle) if call.body.len() <= limits::QUICK_WRITE_BYTES_MAX && !remote => {
            let permit = if is_batch(handler, call.body.len() as u64) {
                let permit = app.serving.batches.enter(name).await?;
                // Whatever else has arrived is read first: small requests are answered, batches are queued or
                // refused. Without this nothing would ever be queued on a thread that is busy with one batch after the
                // other; all would wait in their sockets.
                tokio::task::yield_now().await;
                Some(permit)
            } else {
                None
            };
            let outcome = handle(&call, Wait::Never);
            drop(permit);
            match outcome {
                Ok(pending) => pending.done().await?,
                Err(error) if error.is_contended() => {
                    app.serving.writes.run(name, move || handle(&call, Wait::Allowed)).await??.done().await?
                }
                Err(error) => return Err(error),
            }
        }
        Handler::QuickWrite(handle) | Handler::PooledWrite(handle) => {
            let time = call.request_time();
            let _cancel = set_budget(&mut call, time);
            app.serving.writes.run(name, move || handle(&call, Wait::Allowed)).await??.done().await?
        }
        Handler::NewGraph(handle) => return app.serving.writes.run(None, move || handle(&call)).await?,
        Handler::Unhurried(_) | Handler::Never(_) | Handler::NotYet => return Err(ApiError::defect()),
    };
    Ok(reply.gzip_if(gzip))
}

/// A query's share of the quotas of its user and graph; it counts with the most it may hold.
fn share_of(call: &Call) -> Result<Option<QueryShare>, ApiError> {
    let limits = &call.app.options.limits;
    let memory = match call.address.raw(call.address.len().saturating_sub(1)) {
        "gremlin" | "cypher" => call.app.queries.memory_max(),
        _ => limits.traversal_memory_bytes_max.max(limits.response_bytes_max) as u64,
    };
    let graph = call.graph.as_ref().map(|graph| graph.name());
    Ok(call.app.serving.watch.quotas.query(call.caller.user(), graph, memory).map_err(Barred::from)?)
}

/// Runs work that takes as long as it takes, to its end even when the client has gone away: it would only have to begin
/// again.
async fn unhurried(mut call: Call, handle: fn(&Call) -> Answered) -> Answered {
    let app = Arc::clone(&call.app);
    call.budget = Budget::new(Duration::MAX, app.serving.shutting_down());
    let graph = call.graph.clone();
    app.serving.writes.run(graph.as_ref().map(|graph| graph.name()), move || handle(&call)).await?
}

/// Gives the work its deadline, and a flag that is set when nobody waits for it any more.
fn set_budget(call: &mut Call, time: Duration) -> CancelOnDrop {
    let cancelled = Arc::new(AtomicBool::new(false));
    call.budget = Budget::new(time, Arc::clone(&cancelled));
    call.cancelled = Some(Arc::clone(&cancelled));
    CancelOnDrop(cancelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size_of_future<A, B, F>(_: impl FnOnce(A, B) -> F) -> usize {
        size_of::<F>()
    }

    /// It is copied several times on its way into the connection's task.
    #[test]
    fn the_future_of_an_answer_is_small() {
        let bytes = size_of_future(answer);
        assert!(bytes <= 3_584, "{bytes} bytes");
    }
}
