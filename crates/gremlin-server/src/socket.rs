//! WebSocket connections: requests as they come, several at one time, their answers in messages.

use std::collections::HashMap;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use auth::{AuthError, Caller};
use futures::{SinkExt as _, StreamExt as _};
use http_body_util::Full;
use http_server::{HttpResponse, Switched, Upgrade, caught};
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Request, Response, StatusCode};
use parking_lot::Mutex;
use query_service::{Gone, Sink};
use query_value::Value;
use serving::Admitted;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig, frame::coding::CloseCode};
use tokio_tungstenite::tungstenite::{Bytes, Message};
use traces::{Given, within};

use crate::ask::{self, Operation, Query, act_for};
use crate::driver::Driver;
use crate::limits::{MESSAGES_WAITING_MAX, REQUESTS_BEFORE_LOGIN_MAX, REQUESTS_PER_CONNECTION_MAX};
use crate::login;
use crate::shared::Shared;
use crate::status::{self, Failure};
use crate::wire::{self, Asked, Format};
use crate::work;

/// Whether a request asks for a WebSocket.
pub(crate) fn is_upgrade(headers: &HeaderMap) -> bool {
    let has = |name: HeaderName, token: &str| {
        let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).any(|part| part.trim().eq_ignore_ascii_case(token))
    };
    has(header::UPGRADE, "websocket") && has(header::CONNECTION, "upgrade")
}

/// Answers the request for a WebSocket, and serves it from then on.
/// `login`: who opens it, where that is known already, and from where.
pub(crate) fn accept(
    shared: &Arc<Shared>,
    request: &mut Request<Incoming>,
    upgrade: &Upgrade,
    login: (Option<Caller>, Option<IpAddr>),
) -> HttpResponse {
    let headers = request.headers();
    let is_known = headers.get(header::SEC_WEBSOCKET_VERSION).is_some_and(|version| version == "13");
    let Some(key) = headers.get(header::SEC_WEBSOCKET_KEY).filter(|_| is_known) else {
        let mut response = Response::new(Full::default());
        *response.status_mut() = StatusCode::UPGRADE_REQUIRED;
        response.headers_mut().insert(header::SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
        return response;
    };
    let accepted = HeaderValue::try_from(derive_accept_key(key.as_bytes()));
    let agent = headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    let (shared, driver) = (Arc::clone(shared), Driver::of(agent));
    upgrade.accept(request, move |switched| serve(shared, driver, login, switched));
    let mut response = Response::new(Full::default());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    if let Ok(accepted) = accepted {
        headers.insert(header::SEC_WEBSOCKET_ACCEPT, accepted);
    }
    response
}

/// What the requests of one connection share.
#[derive(Clone)]
struct Connection {
    shared: Arc<Shared>,
    driver: Driver,
    messages: mpsc::Sender<Message>,
    /// Where the client is.
    from: Option<IpAddr>,
    login: Arc<Mutex<Login>>,
}

/// Who a connection's client is.
#[derive(Default)]
struct Login {
    caller: Option<Caller>,
    /// What was asked before that was known.
    waiting: Vec<Pending>,
}

/// Serves a connection to its end. Requests at work end with it.
async fn serve(
    shared: Arc<Shared>,
    driver: Driver,
    (caller, from): (Option<Caller>, Option<IpAddr>),
    switched: Switched,
) {
    let Switched { io, mut ended } = switched;
    let mut config = WebSocketConfig::default();
    let bytes_max = shared.options.request_bytes_max;
    (config.max_message_size, config.max_frame_size) = (Some(bytes_max), Some(bytes_max));
    let socket = WebSocketStream::from_raw_socket(io, Role::Server, Some(config)).await;
    let (mut sending, mut receiving) = socket.split();
    let (messages, mut waiting) = mpsc::channel::<Message>(MESSAGES_WAITING_MAX);
    let login = Arc::new(Mutex::new(Login { caller, waiting: Vec::new() }));
    let connection = Connection { shared, driver, messages, from, login };
    let room = Arc::new(Semaphore::new(REQUESTS_PER_CONNECTION_MAX));
    let mut work = JoinSet::new();
    let mut sessions: HashMap<String, oneshot::Receiver<()>> = HashMap::new();
    let read = async {
        loop {
            // Without room nothing more is read: the client waits.
            let Ok(permit) = Arc::clone(&room).acquire_owned().await else { break };
            while work.try_join_next().is_some() {}
            let message = tokio::select! {
                _ = ended.wait_for(|ended| *ended) => break,
                message = receiving.next() => message,
            };
            let bytes = match message {
                Some(Ok(Message::Binary(bytes))) => bytes,
                Some(Ok(Message::Text(text))) => text.into(),
                Some(Ok(Message::Close(_)) | Err(_)) | None => {
                    work.abort_all();
                    return;
                }
                Some(Ok(_)) => continue,
            };
            if let Some(request) = connection.read(bytes, &mut sessions).await {
                let connection = connection.clone();
                work.spawn(async move {
                    connection.answer(request).await;
                    drop(permit);
                });
            }
        }
        // The server shuts down: what is at work is answered, within its grace.
        while work.join_next().await.is_some() {}
        let frame = CloseFrame { code: CloseCode::Away, reason: "the server is shutting down".into() };
        drop(connection.messages.send(Message::Close(Some(frame))).await);
    };
    let write = async {
        while let Some(message) = waiting.recv().await {
            let is_last = waiting.is_empty();
            let is_close = message.is_close();
            let sent = if is_last { sending.send(message).await } else { sending.feed(message).await };
            if sent.is_err() || is_close {
                break;
            }
        }
    };
    tokio::select! {
        () = read => {}
        () = write => {}
    }
}

/// A request that has been read.
struct Pending {
    format: Format,
    id: Option<u128>,
    operation: Operation,
    /// Requests of one session come one after the other: the end of the one before, and what tells of this one's.
    turn: Option<(Option<oneshot::Receiver<()>>, oneshot::Sender<()>)>,
    admitted: Option<Admitted>,
}

impl Connection {
    /// Reads a request. One that cannot be read is answered at once.
    async fn read(&self, bytes: Bytes, sessions: &mut HashMap<String, oneshot::Receiver<()>>) -> Option<Pending> {
        self.shared.serving.metrics.bytes_received.inc_by(bytes.len() as u64);
        let (format, body) = match split(&bytes) {
            Ok(split) => split,
            Err(failure) => {
                self.send(Format::GraphSon(gremlin_codec::graphson::Version::V3), wire::failed(None, &failure)).await;
                return None;
            }
        };
        let mut asked = match format.read(body) {
            Ok(asked) => asked,
            Err(failure) => {
                self.send(format, wire::failed(format.id_of(body), &failure)).await;
                return None;
            }
        };
        match self.admit(&mut asked, bytes.len()) {
            Ok((admitted, operation)) => {
                let turn = match &operation {
                    Operation::Query(query) => query.session.as_ref().map(|session| session.id.clone()),
                    Operation::Close(session) => Some(session.clone()),
                    Operation::Login(_) => None,
                };
                let turn = turn.map(|session| {
                    let (done, is_done) = oneshot::channel();
                    (sessions.insert(session, is_done), done)
                });
                Some(Pending { format, id: asked.id, operation, turn, admitted: Some(admitted) })
            }
            Err(failure) => {
                self.send(format, wire::failed(asked.id, &failure)).await;
                None
            }
        }
    }

    fn admit(&self, asked: &mut Asked, bytes: usize) -> Result<(Admitted, Operation), Failure> {
        let serving = &self.shared.serving;
        let mut admitted = serving.admission.enter().map_err(|_| {
            serving.metrics.refused_requests.inc();
            let max = serving.options.requests_in_flight_max;
            let message = format!("the server works on {max} requests already (server.requests_in_flight_max)");
            Failure::new(status::TOO_MANY_REQUESTS, message)
        })?;
        admitted.grow_to(bytes).map_err(|_| {
            serving.metrics.refused_bytes.inc();
            let max = serving.options.bytes_in_flight_max;
            let message = format!("the server holds {max} bytes of requests already (server.bytes_in_flight_max)");
            Failure::new(status::TOO_MANY_REQUESTS, message)
        })?;
        self.driver.complete(asked);
        Ok((admitted, ask::operation(asked, self.shared.options.timeout)?))
    }

    async fn answer(&self, pending: Pending) {
        if let Operation::Login(sasl) = &pending.operation {
            self.log_in(pending.format, pending.id, sasl).await;
            return;
        }
        match self.caller() {
            Ok(Some(caller)) => self.answer_for(&caller, pending).await,
            Ok(None) => self.ask_to_log_in(pending).await,
            Err(failure) => self.send(pending.format, wire::failed(pending.id, &failure)).await,
        }
    }

    /// Who asks, with the rights of this moment; `None`: that is not known yet.
    fn caller(&self) -> Result<Option<Caller>, Failure> {
        let users = &self.shared.options.users;
        if !users.is_enabled() {
            return Ok(Some(Caller::anonymous()));
        }
        let mut login = self.login.lock();
        let Some(caller) = &login.caller else { return Ok(None) };
        match users.renew(caller) {
            Ok(caller) => {
                login.caller = Some(caller.clone());
                Ok(Some(caller))
            }
            Err(error) => {
                login.caller = None;
                Err(error.into())
            }
        }
    }

    /// Has a request wait until its client has logged in, which it is asked to. What waits takes no place among the
    /// requests at work.
    async fn ask_to_log_in(&self, pending: Pending) {
        let (format, id) = (pending.format, pending.id);
        let waiting = {
            let mut login = self.login.lock();
            if login.waiting.len() < REQUESTS_BEFORE_LOGIN_MAX {
                login.waiting.push(Pending { admitted: None, ..pending });
            } else {
                drop(pending);
                login.waiting.clear();
            }
            login.waiting.len()
        };
        match waiting {
            0 => self.send(format, wire::failed(id, &AuthError::Required.into())).await,
            1 => self.send(format, wire::empty(id, status::AUTHENTICATE)).await,
            _ => {}
        }
    }

    /// Checks a login, and then answers what has waited for it.
    async fn log_in(&self, format: Format, id: Option<u128>, sasl: &[u8]) {
        let checked = match login::of_sasl(sasl) {
            _ if !self.shared.options.users.is_enabled() => Ok(Caller::anonymous()),
            Ok(shown) => login::checked(&self.shared, shown, self.from).await,
            Err(failure) => Err(failure),
        };
        let waiting = std::mem::take(&mut self.login.lock().waiting);
        let caller = match checked {
            Ok(caller) => caller,
            Err(failure) => {
                self.send(format, wire::failed(id, &failure)).await;
                return;
            }
        };
        self.login.lock().caller = Some(caller.clone());
        if waiting.is_empty() {
            self.send(format, wire::empty(id, status::SUCCESS)).await;
        }
        for mut pending in waiting {
            pending.admitted = self.shared.serving.admission.enter().ok();
            if pending.admitted.is_none() {
                let failure = Failure::new(status::TOO_MANY_REQUESTS, "the server works on too many requests already");
                self.send(pending.format, wire::failed(pending.id, &failure)).await;
                continue;
            }
            self.answer_for(&caller, pending).await;
        }
    }

    async fn answer_for(&self, caller: &Caller, pending: Pending) {
        let Pending { format, id, operation, turn, admitted } = pending;
        let (before, done) = turn.unzip();
        if let Some(before) = before.flatten() {
            // Fails when the one before is done or has gone, which is the same here.
            drop(before.await);
        }
        match operation {
            Operation::Login(_) => {}
            Operation::Close(session) => {
                self.shared.queries.close_session(caller, &session);
                self.send(format, wire::empty(id, status::NO_CONTENT)).await;
            }
            Operation::Query(query) => {
                let Query { mut request, session, is_bulked, batch_size, trace: [parent, state] } = *query;
                act_for(&mut request, caller.clone());
                let given = Given { parent: parent.as_deref(), state: state.as_deref() };
                let operation = if is_bulked { "bytecode" } else { "eval" };
                let place = self.shared.serving.options.traces.query("gremlin", operation, given);
                let work = self.query(format, id, request, session, is_bulked, batch_size);
                let work = pin!(work);
                let work = pin!(caught(work));
                let outcome = within(place.as_ref(), work).await.unwrap_or_else(|| {
                    self.shared.serving.metrics.panics.inc();
                    let message = "an internal error happened while the query was at work; it has been logged";
                    Err(Failure::new(status::SERVER_ERROR, message))
                });
                if let Some(place) = place {
                    place.end_query(outcome.as_ref().err().map(|failure| failure.code.to_string()).as_deref());
                }
                let last = match outcome {
                    Ok(rows) if rows.is_empty() => wire::empty(id, status::NO_CONTENT),
                    Ok(rows) => wire::results(id, status::SUCCESS, rows, is_bulked),
                    Err(failure) => wire::failed(id, &failure),
                };
                self.send(format, last).await;
            }
        }
        drop((done, admitted));
    }

    /// Carries a query out; all results but the last ones are sent on the way.
    async fn query(
        &self,
        format: Format,
        id: Option<u128>,
        request: query_service::QueryRequest,
        session: Option<ask::Session>,
        is_bulked: bool,
        batch_size: usize,
    ) -> Result<Vec<(Value, u64)>, Failure> {
        let own_id = id.map(|id| format!("{id:032x}"));
        let ready = work::prepare(&self.shared, request, self.from, own_id).await?;
        let deadline = Instant::now().checked_add(ready.timeout());
        let (rest, is_rest) = oneshot::channel();
        let sink = Batches {
            format,
            id,
            is_bulked,
            has_dates: self.driver.has_dates,
            batch_size,
            deadline,
            messages: self.messages.clone(),
            held: Vec::new(),
            rest: Some(rest),
        };
        work::run(&self.shared, ready, session, Box::new(sink), batch_size).await?;
        // It was handed on when the sink was dropped, which is before the end of the query.
        Ok(is_rest.await.unwrap_or_default())
    }

    async fn send(&self, format: Format, answer: gremlin_codec::Response) {
        let answer = gremlin_codec::Response { has_dates: self.driver.has_dates, ..answer };
        let message = message(format, &answer);
        self.shared.serving.metrics.bytes_sent.inc_by(message.len() as u64);
        // Fails where the client is gone.
        drop(self.messages.send(message).await);
    }
}

/// Answers are binary messages, those in GraphSON too.
fn message(format: Format, answer: &gremlin_codec::Response) -> Message {
    Message::Binary(format.write(answer).into())
}

/// A message's format, and its payload: the length of the format's name, the name, the payload; or JSON alone.
fn split(bytes: &Bytes) -> Result<(Format, &[u8]), Failure> {
    let plain = gremlin_codec::graphson::Version::V3;
    if bytes.first() == Some(&b'{') {
        return Ok((Format::GraphSon(plain), bytes));
    }
    let parts = bytes.split_first().and_then(|(len, rest)| rest.split_at_checked(usize::from(*len)));
    let Some((name, payload)) = parts else {
        return Err(Failure::new(status::REQUEST_UNREADABLE, "the message does not begin with the name of its format"));
    };
    let name = String::from_utf8_lossy(name);
    match Format::from_name(&name, plain) {
        Some(format) => Ok((format, payload)),
        None => {
            let message = format!("the format '{name}' is not known: send GraphBinary 1 or GraphSON 2 or 3");
            Err(Failure::new(status::REQUEST_UNREADABLE, message))
        }
    }
}

/// Sends full batches while more results come; the last ones are handed on at the end, when it is known that the query
/// has succeeded.
struct Batches {
    format: Format,
    id: Option<u128>,
    is_bulked: bool,
    has_dates: bool,
    batch_size: usize,
    /// Until when results are sent: one result can occur any number of times.
    deadline: Option<Instant>,
    messages: mpsc::Sender<Message>,
    held: Vec<(Value, u64)>,
    rest: Option<oneshot::Sender<Vec<(Value, u64)>>>,
}

impl Batches {
    fn flush(&mut self) -> Result<u64, Gone> {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Gone);
        }
        let rows = std::mem::take(&mut self.held);
        let results = wire::results(self.id, status::PARTIAL, rows, self.is_bulked);
        let answer = gremlin_codec::Response { has_dates: self.has_dates, ..results };
        let message = message(self.format, &answer);
        let bytes = message.len() as u64;
        self.messages.blocking_send(message).map_err(|_| Gone)?;
        Ok(bytes)
    }
}

impl Sink for Batches {
    fn take(&mut self, rows: Vec<(Value, u64)>) -> Result<u64, Gone> {
        let mut bytes = 0;
        for (value, mut times) in rows {
            while times > 0 {
                if self.held.len() >= self.batch_size {
                    bytes += self.flush()?;
                }
                let part = if self.is_bulked { times } else { 1 };
                self.held.push((value.clone(), part));
                times -= part;
            }
        }
        Ok(bytes)
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        if let Some(rest) = self.rest.take() {
            // Fails where nobody waits any more.
            drop(rest.send(std::mem::take(&mut self.held)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_their_format() {
        let message = Bytes::from_static(b"\x10application/jsonab");
        let (format, payload) = split(&message).unwrap();
        assert_eq!((format.name(), payload), ("application/vnd.gremlin-v3.0+json", &b"ab"[..]));
        assert!(split(&Bytes::from_static(b"{}")).is_ok());
        for wrong in [&b""[..], b"\x20abc", b"\x03abc{}"] {
            assert_eq!(split(&Bytes::from_static(wrong)).unwrap_err().code, status::REQUEST_UNREADABLE);
        }
    }
}
