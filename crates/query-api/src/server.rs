//! The API as a service of an HTTP server.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use audit::Class;
use auth::{AuthError, Authenticate, Caller};
use cypher_session::{Begin, Failure, Statement, Task, Transaction, Transactions};
use cypher_value::{DateTime, Value, to_text};
use http_login::as_credentials;
use http_server::{
    Address, BodyError, Boxed, HttpResponse, Mount, Reply, Upgrade, accepts_gzip, caught, credentials, discard, peer,
    read_body, request_id,
};
use hyper::body::{Body as _, Incoming};
use hyper::header::{self, HeaderMap};
use hyper::http::request::Parts;
use hyper::{Method, Request, StatusCode};
use serde_json::{Value as Json, json};
use serving::{Barred, Endpoints, Outcome, QueryShare, Watched};
use tokio::sync::mpsc;
use tokio::time::{timeout, timeout_at};

use crate::ask::{self, Ask};
use crate::collect::{self, Collect, Event};
use crate::json::Form;
use crate::open::{Open, OpenTransactions, not_found};
use crate::status::{failed, invalid};

/// What records call the protocol.
const PROTOCOL: &str = "query-api";

/// The content type of JSON with types.
const TYPED: &str = "application/vnd.neo4j.query";

/// How requests are answered.
#[derive(Clone, Debug)]
pub struct Options {
    /// Largest request, decompressed (`server.request_body_bytes_max`).
    pub request_bytes_max: usize,
    /// Largest answer (`graph.response_bytes_max`).
    pub response_bytes_max: usize,
    /// How long a request's body may take to come.
    pub body_time_max: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            request_bytes_max: 16 * 1024 * 1024,
            response_bytes_max: 64 * 1024 * 1024,
            body_time_max: Duration::from_secs(30),
        }
    }
}

/// Cypher over HTTP, below `/db`.
pub struct QueryApi {
    transactions: Arc<Transactions>,
    auth: Arc<dyn Authenticate>,
    options: Options,
    open: OpenTransactions,
    endpoints: Endpoints,
}

/// What an address means.
enum Route {
    /// A query that stands alone.
    Query,
    /// A new transaction.
    Begin,
    /// A query in a transaction.
    Run(String),
    /// The end of a transaction, after a query perhaps.
    Commit(String),
    /// The end of a transaction, without what it wrote.
    Rollback(String),
}

impl QueryApi {
    /// The API over transactions.
    #[must_use]
    pub fn new(transactions: Arc<Transactions>, auth: Arc<dyn Authenticate>, options: Options) -> Self {
        let endpoints = ["query/v2", "query/v2/tx"].map(|path| Some((path, "POST")));
        let endpoints = transactions.serving().metrics.endpoints(endpoints.into_iter());
        Self { transactions, auth, options, open: OpenTransactions::default(), endpoints }
    }

    async fn respond(&self, request: Request<Incoming>) -> HttpResponse {
        let since = std::time::Instant::now();
        let (head, mut body) = request.into_parts();
        let mut watched = Watched::nothing();
        let answered = caught(pin!(self.answer_to(&head, &mut body, &mut watched))).await;
        let mut reply = match answered {
            Some(Ok(reply)) => reply.gzip_if(accepts_gzip(&head.headers)),
            Some(Err(failure)) => failed(&failure),
            None => {
                self.transactions.serving().metrics.panics.inc();
                failed(&Failure::new(Failure::UNKNOWN, "an internal error happened; it has been logged"))
            }
        };
        if !reply.close && !body.is_end_stream() {
            reply.close = !Box::pin(discard(&mut body, &head.headers)).await;
        }
        let outcome = match reply.status {
            status if status.is_server_error() => Outcome::ServerError,
            status if status.is_client_error() => Outcome::ClientError,
            _ => Outcome::Succeeded,
        };
        self.endpoints.of(Some(usize::from(head.uri.path().contains("/tx")))).observe(outcome, since.elapsed());
        self.transactions.serving().metrics.bytes_sent.inc_by(reply.body.len() as u64);
        watched.count_bytes(reply.body.len());
        watched.end_with_status(reply.status.as_u16());
        let is_unauthorized = reply.status == StatusCode::UNAUTHORIZED;
        let mut response = reply.into_response();
        if is_unauthorized {
            let challenge = header::HeaderValue::from_static("Basic realm=\"Rhizome\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }

    async fn answer_to(&self, head: &Parts, body: &mut Incoming, watched: &mut Watched) -> Result<Reply, Failure> {
        let address = Address::new(head.uri.clone());
        let (database, route) = route(&head.method, &address)?;
        let caller = self.caller(head).await?;
        let serving = self.transactions.serving();
        let mut admitted = serving.admission.enter().map_err(|_| {
            serving.metrics.refused_requests.inc();
            let max = serving.options.requests_in_flight_max;
            let message = format!("the server works on {max} requests already (server.requests_in_flight_max)");
            Failure::new(Failure::OVERLOADED, message)
        })?;
        let bytes = if head.method == Method::DELETE {
            Vec::new()
        } else {
            let max = self.options.request_bytes_max;
            let reading = read_body(body, &head.headers, &mut admitted, max);
            let read = timeout(self.options.body_time_max, reading).await;
            let read = read.unwrap_or_else(|_| Err(BodyError::Broken("it came too slowly".to_owned())));
            read.map_err(|error| unreadable(error, max))?.to_vec()
        };
        serving.metrics.bytes_received.inc_by(bytes.len() as u64);
        let ask = ask::read(&bytes, names(&head.headers, &header::CONTENT_TYPE))?;
        let form = if names(&head.headers, &header::ACCEPT) { Form::Typed } else { Form::Plain };
        self.let_in(head, &caller, &database, ask.text.as_deref(), watched).await?;
        watched.count_bytes(bytes.len());
        match route {
            Route::Query => self.query(&database, caller, ask, form).await,
            Route::Begin => self.begin(&database, caller, ask, form).await,
            Route::Run(id) => self.run(&database, &caller, &id, ask, false).await,
            Route::Commit(id) => self.run(&database, &caller, &id, ask, true).await,
            Route::Rollback(id) => self.roll_back(&database, &caller, &id).await,
        }
    }

    async fn caller(&self, head: &Parts) -> Result<Caller, Failure> {
        if !self.auth.is_enabled() {
            return Ok(Caller::anonymous());
        }
        if let Some(caller) = http_login::known(&*self.auth, &head.headers, &head.extensions) {
            return Ok(caller);
        }
        let shown = credentials(&head.headers, &head.extensions);
        let shown = shown.map_err(|error| Failure::new(Failure::UNAUTHORIZED, error.to_string()))?;
        let from = peer(&head.extensions);
        let watch = &self.transactions.serving().watch;
        let mut watched = watch.record(Class::Login, || {
            let subject = as_credentials(&shown).subject(PROTOCOL, from, Some(self.request_id(&head.headers)));
            audit::Event::new(Class::Login, "authenticate", subject)
        });
        watched.begin().await.map_err(|error| Failure::barred(&Barred::from(error)))?;
        let auth = Arc::clone(&self.auth);
        let check = tokio::task::spawn_blocking(move || auth.check(as_credentials(&shown), from));
        let internal = |_| Failure::new(Failure::UNKNOWN, "an internal error happened in the check of credentials");
        let checked = check.await.map_err(internal)?.map_err(|error| refused(&error));
        match &checked {
            Ok(caller) => {
                watched.note(|event| caller.note_in(&mut event.subject));
                watched.succeed();
            }
            Err(failure) => watched.fail(&failure.code, failure.code == Failure::UNAUTHORIZED),
        }
        checked
    }

    fn request_id(&self, headers: &HeaderMap) -> String {
        let made = || self.transactions.serving().watch.audit.request_id();
        request_id(headers).map_or_else(made, str::to_owned)
    }

    /// Lets a request in where quotas and the disk allow that, once it is recorded that it begins.
    async fn let_in(
        &self,
        head: &Parts,
        caller: &Caller,
        database: &str,
        text: Option<&str>,
        watched: &mut Watched,
    ) -> Result<(), Failure> {
        let barred = |barred: Barred| Failure::barred(&barred);
        let watch = &self.transactions.serving().watch;
        let graph = self.transactions.queries().database(Some(database))?;
        *watched = watch.record(Class::Query, || {
            let subject = caller.subject(PROTOCOL, peer(&head.extensions), Some(self.request_id(&head.headers)));
            let is_transaction = head.uri.path().contains("/tx");
            let path = if is_transaction { "/db/{graph}/query/v2/tx" } else { "/db/{graph}/query/v2" };
            audit::Event::new(Class::Query, format!("{} {path}", head.method), subject).of_graph(&*graph)
        });
        if let Some(text) = text {
            watched.note_query(text);
        }
        watch.let_in(watched, caller.user(), Some(&*graph), false).map_err(barred)?;
        if let (Err(low), Some(text)) = (watch.disk.check(), text)
            && self.transactions.queries().may_add(text)
        {
            return Err(barred(low.into()));
        }
        watched.begin().await.map_err(|error| barred(error.into()))
    }

    /// The share of quotas that a transaction has until it ends.
    fn share(&self, begin: &Begin) -> Result<Option<QueryShare>, Failure> {
        let quotas = &self.transactions.serving().watch.quotas;
        let memory = self.transactions.queries().memory_max();
        let share = quotas.query(begin.caller.user(), Some(&*begin.database), memory);
        share.map_err(|over| Failure::barred(&over.into()))
    }

    fn begin_of(&self, database: &str, caller: Caller, ask: &Ask, is_single: bool) -> Result<Begin, Failure> {
        if let Some(other) = ask.impersonated.as_deref().filter(|other| *other != caller.name()) {
            let message = format!("to act as '{other}' in place of '{}' is not possible here", caller.name());
            return Err(Failure::new(Failure::FORBIDDEN, message));
        }
        Ok(Begin {
            database: self.transactions.queries().database(Some(database))?,
            caller,
            is_read: ask.is_read,
            is_single,
            bookmarks: ask.bookmarks.clone(),
            metadata: cypher_value::Map::new(),
            timeout: ask.timeout,
            interrupt: Arc::default(),
        })
    }

    /// A query that stands alone.
    async fn query(&self, database: &str, caller: Caller, ask: Ask, form: Form) -> Result<Reply, Failure> {
        let Some(text) = ask.text.clone() else { return Err(invalid("'statement' is missing: it is the query")) };
        let begin = self.begin_of(database, caller, &ask, true)?;
        let _share = self.share(&begin)?;
        let (collect, mut events) = Collect::new(form, self.options.response_bytes_max);
        let mut transaction = self.transactions.begin(begin, collect)?;
        let statement = Statement::new(text, ask.parameters.clone());
        transaction.give(Task::Run(statement), None).await?;
        // Fails where the query has failed already, which the event says.
        drop(transaction.give_next(Task::Pull { rows: None, query: 0 }));
        let (data, summary) = result(&transaction, &mut events, "").await?;
        let bookmarks = summary.bookmark.clone().into_iter().collect::<Vec<_>>();
        let rest = self.rest(&ask, &summary, json!({ "bookmarks": bookmarks }));
        Ok(answer(form, Some(&data), &rest))
    }

    /// A new transaction, with its first query perhaps.
    async fn begin(&self, database: &str, caller: Caller, ask: Ask, form: Form) -> Result<Reply, Failure> {
        let begin = self.begin_of(database, caller, &ask, false)?;
        let share = self.share(&begin)?;
        let caller = begin.caller.clone();
        let (collect, events) = Collect::new(form, self.options.response_bytes_max);
        let database = begin.database.clone();
        let transaction = self.transactions.begin(begin, collect)?;
        let mut open = Open { transaction, events, database, caller, form, next: 0, _share: share };
        let done = self.carry_out(&mut open, &ask, "").await?;
        let id = self.open.insert(open);
        let rest = json!({ "transaction": { "id": id, "expires": self.expires() } });
        Ok(match done {
            None => answer(form, None, &rest),
            Some((data, summary)) => answer(form, Some(&data), &self.rest(&ask, &summary, rest)),
        })
    }

    /// Runs the query of a request, if it has one.
    async fn carry_out(
        &self,
        open: &mut Open,
        ask: &Ask,
        id: &str,
    ) -> Result<Option<(String, Box<cypher_session::Summary>)>, Failure> {
        let Some(text) = &ask.text else { return Ok(None) };
        let query = open.next;
        open.next += 1;
        let statement = Statement::new(text.clone(), ask.parameters.clone());
        open.transaction.give(Task::Run(statement), None).await?;
        drop(open.transaction.give_next(Task::Pull { rows: None, query }));
        result(&open.transaction, &mut open.events, id).await.map(Some)
    }

    /// A query in a transaction, and the end of that where it is to be committed.
    async fn run(
        &self,
        database: &str,
        caller: &Caller,
        id: &str,
        ask: Ask,
        is_commit: bool,
    ) -> Result<Reply, Failure> {
        let database = self.transactions.queries().database(Some(database))?;
        let found = self.open.get(id, &database, caller.name())?;
        let mut open = found.lock().await;
        if open.database != database || open.caller.name() != caller.name() {
            return Err(not_found(id));
        }
        if !caller.has_rights_of(&open.caller) {
            self.open.remove(id);
            return Err(Failure::rights_changed());
        }
        let done = self.carry_out(&mut open, &ask, id).await;
        let done = done.inspect_err(|_| self.open.remove(id))?;
        let mut rest = json!({ "transaction": { "id": id, "expires": self.expires() } });
        if is_commit {
            self.open.remove(id);
            open.transaction.give(Task::Commit, None).await?;
            match open.events.recv().await {
                Some(Event::Committed(bookmark)) => rest = json!({ "bookmarks": [bookmark] }),
                Some(Event::Failed(failure)) => return Err(failure),
                _ => return Err(not_found(id)),
            }
        }
        Ok(match done {
            None => answer(open.form, None, &rest),
            Some((data, summary)) => answer(open.form, Some(&data), &self.rest(&ask, &summary, rest)),
        })
    }

    async fn roll_back(&self, database: &str, caller: &Caller, id: &str) -> Result<Reply, Failure> {
        let database = self.transactions.queries().database(Some(database))?;
        let found = self.open.get(id, &database, caller.name())?;
        // One at work is told to stop by being forgotten.
        self.open.remove(id);
        let mut open = found.lock().await;
        open.transaction.give(Task::Rollback, None).await?;
        match open.events.recv().await {
            Some(Event::Failed(failure)) => Err(failure),
            _ => Ok(Reply::value(&json!({ "transaction": { "id": id } }))),
        }
    }

    /// Until when a transaction is kept without a request.
    fn expires(&self) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let until = now + self.transactions.options().idle;
        let seconds = i64::try_from(until.as_secs()).unwrap_or(i64::MAX);
        let moment = DateTime { seconds, nanoseconds: 0, offset: 0, zone: None };
        to_text(&Value::from(moment)).map(String::from).unwrap_or_default()
    }

    /// What the answer has beside the rows.
    fn rest(&self, ask: &Ask, summary: &cypher_session::Summary, mut rest: Json) -> Json {
        let Json::Object(fields) = &mut rest else { return rest };
        if ask.has_counters {
            fields.insert("counters".to_owned(), collect::counters(summary));
        }
        if !summary.notifications.is_empty() {
            let all = summary.notifications.iter().map(collect::notification).collect::<Vec<_>>();
            fields.insert("notifications".to_owned(), Json::Array(all));
        }
        if let Some(plan) = &summary.plan {
            let name = if plan.measured.is_some() { "profiledQueryPlan" } else { "queryPlan" };
            fields.insert(name.to_owned(), collect::plan(plan));
        }
        rest
    }
}

impl Mount for QueryApi {
    fn answer<'a>(&'a self, request: Request<Incoming>, _: &'a Upgrade) -> Boxed<'a, HttpResponse> {
        Box::pin(self.respond(request))
    }
}

/// The result of the query at work.
async fn result(
    transaction: &Transaction,
    events: &mut mpsc::UnboundedReceiver<Event>,
    id: &str,
) -> Result<(String, Box<cypher_session::Summary>), Failure> {
    let event = match transaction.deadline() {
        None => events.recv().await,
        Some(deadline) => match timeout_at(deadline.into(), events.recv()).await {
            Ok(event) => event,
            Err(_) => {
                // A query that does not look at its deadline by itself is told.
                transaction.interrupt();
                events.recv().await
            }
        },
    };
    match event {
        Some(Event::Result(data, summary)) => Ok((data, summary)),
        Some(Event::Failed(failure)) => Err(failure),
        _ => Err(not_found(id)),
    }
}

fn answer(form: Form, data: Option<&str>, rest: &Json) -> Reply {
    let mut rest = rest.to_string();
    let body = match data {
        None => rest,
        Some(data) => {
            // An object: its fields follow the rows.
            rest.remove(0);
            format!("{{\"data\":{data}{}{rest}", if rest == "}" { "" } else { "," })
        }
    };
    let kind = if form == Form::Typed { "application/vnd.neo4j.query" } else { "application/json" };
    let mut reply = Reply::file(kind, body.into_bytes());
    reply.status = StatusCode::ACCEPTED;
    reply
}

/// Whether a header names JSON with types.
fn names(headers: &HeaderMap, name: &header::HeaderName) -> bool {
    headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).any(|value| value.contains(TYPED))
}

fn route(method: &Method, address: &Address) -> Result<(String, Route), Failure> {
    let decoded = |at| address.decoded(at).map(|text| text.into_owned()).map_err(|error| invalid(error.to_string()));
    let unknown = || {
        let message = "there is nothing here; queries are sent to /db/{database}/query/v2";
        Failure::new(Failure::TRANSACTION_NOT_FOUND, message)
    };
    if (address.raw(2), address.raw(3)) != ("query", "v2") {
        return Err(unknown());
    }
    let is_post = *method == Method::POST;
    let route = match (address.len(), address.raw(4), address.raw(6)) {
        (4, _, _) if is_post => Route::Query,
        (5, "tx", _) if is_post => Route::Begin,
        (6, "tx", _) if is_post => Route::Run(decoded(5)?),
        (6, "tx", _) if *method == Method::DELETE => Route::Rollback(decoded(5)?),
        (7, "tx", "commit") if is_post => Route::Commit(decoded(5)?),
        (4..=7, _, _) if !is_post => {
            return Err(Failure::new(Failure::INVALID_REQUEST, format!("{method} is not possible here, only POST")));
        }
        _ => return Err(unknown()),
    };
    Ok((decoded(1)?, route))
}

fn unreadable(error: BodyError, max: usize) -> Failure {
    match error {
        BodyError::TooLarge => invalid(format!("a request may have {max} bytes (server.request_body_bytes_max)")),
        BodyError::NoRoom => {
            let message = "the server holds too many bytes of requests already (server.bytes_in_flight_max)";
            Failure::new(Failure::OVERLOADED, message)
        }
        BodyError::Gzip(reason) | BodyError::Coding(reason) | BodyError::Broken(reason) => {
            invalid(format!("the body cannot be read: {reason}"))
        }
    }
}

fn refused(error: &AuthError) -> Failure {
    let code = match error {
        AuthError::Required | AuthError::Failed => Failure::UNAUTHORIZED,
        AuthError::Throttled { .. } => "Neo.ClientError.Security.AuthenticationRateLimit",
        AuthError::Busy | AuthError::Issuer => Failure::OVERLOADED,
        AuthError::Storage(_) => Failure::SHUTTING_DOWN,
    };
    Failure::new(code, error.to_string())
}
