//! The service: what is at which address, and the life of a request.

use std::borrow::Cow;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use audit::{Class, Event};
use auth::{Authenticate as _, Caller, Credentials, Permission, ResourceType};
use bytes::Bytes;
use http_login::as_credentials;
use http_server::{
    Address, BodyError, Boxed, HttpResponse, Mount, PAGE_HEADER, Query, Reply, Service, Shown, Upgrade, caught,
    credentials, discard, peer, read_body, request_id, session_token,
};
use hyper::body::{Body as _, Incoming};
use hyper::header::{self, HeaderMap};
use hyper::http::request::Parts;
use hyper::{Method, Request, StatusCode};
use query_service::QueryService;
use rest_errors::ApiError;
use serde::de::DeserializeOwned;
use serving::{Barred, Endpoints, Outcome, Serving, Watched};
use tokio::time::timeout;

use crate::limits::{LOAD_TOKEN_EXTRA_SECONDS, SERIES_EVERY};
use crate::load::{LoadRuns, LoadTests, Plan};
use crate::route::Route;
use crate::series::Series;
use crate::session::{self, Answer, Cookie};
use crate::{check, describe, documents, slow};

/// What records call the protocol: the pages speak that of the REST API.
const PROTOCOL: &str = "rest";

/// Bounds and facts of the server.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How long a request may take, body and work (`server.request_timeout_ms`).
    pub time_max: Duration,
    /// Bytes of a body (`server.request_body_bytes_max`).
    pub body_bytes_max: usize,
    /// Whether the listener speaks TLS, so that cookies are for TLS only.
    pub has_tls: bool,
    /// Whether pages may start load tests, and against what.
    pub load_tests: LoadTests,
}

struct Shared {
    queries: Arc<QueryService>,
    serving: Arc<Serving>,
    options: Options,
    endpoints: Endpoints,
    series: Arc<Series>,
    loads: LoadRuns,
}

/// The API of the explorer, to be mounted at [`ExplorerApi::SEGMENT`].
pub struct ExplorerApi(Arc<Shared>);

impl ExplorerApi {
    /// The first segment of its addresses.
    pub const SEGMENT: &'static str = "rhizome";

    /// The API over the queries of a store, and its users where it has some.
    #[must_use]
    pub fn new(queries: Arc<QueryService>, serving: Arc<Serving>, options: Options) -> Self {
        let endpoints = serving.metrics.endpoints(Route::each().map(|(_, path, method)| Some((path, method))));
        let (series, loads) = (Arc::default(), LoadRuns::default());
        Self(Arc::new(Shared { queries, serving, options, endpoints, series, loads }))
    }

    /// Notes figures every few seconds for as long as the API is there; to be spawned.
    pub fn measuring(&self) -> impl Future<Output = ()> + Send + use<> {
        let shared = Arc::downgrade(&self.0);
        async move {
            let mut ticks = tokio::time::interval(SERIES_EVERY);
            ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                let Some(shared) = shared.upgrade() else { return };
                // It reads every counter, for which connections are not to wait.
                let noted = tokio::task::spawn_blocking(move || shared.series.note(&shared.serving.metrics));
                if noted.await.is_err() {
                    return;
                }
            }
        }
    }

    /// A mount that leaves to `other` what is not its own.
    #[must_use]
    pub fn beside(self, other: Arc<impl Service>) -> impl Mount {
        Beside { other, api: self }
    }
}

struct Beside<S> {
    other: Arc<S>,
    api: ExplorerApi,
}

impl<S: Service> Mount for Beside<S> {
    fn answer<'a>(&'a self, request: Request<Incoming>, _: &'a Upgrade) -> Boxed<'a, HttpResponse> {
        match Route::of(request.uri().path()) {
            Some((route, allow)) => Box::pin(self.api.0.respond(request, route, allow)),
            None => Box::pin(Arc::clone(&self.other).answer(request)),
        }
    }
}

/// A request that has been let in, and its body.
struct Asked<'a> {
    head: &'a Parts,
    body: Bytes,
}

impl Asked<'_> {
    fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// A parameter of the query that must be there.
    fn parameter(&self, name: &str) -> Result<String, ApiError> {
        let address = Address::new(self.head.uri.clone());
        let found = Query::new(address.query()).all(name).next().transpose()?.map(Cow::into_owned);
        found.ok_or_else(|| ApiError::bad_input(format!("'{name}' is missing in the query of the address")))
    }
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(body)
        .map_err(|error| ApiError::bad_input(format!("the body must be a JSON object of this address: {error}")))
}

impl Shared {
    async fn respond(self: &Arc<Self>, request: Request<Incoming>, route: Route, allow: &str) -> HttpResponse {
        let since = Instant::now();
        let (head, mut body) = request.into_parts();
        let answered = match caught(pin!(self.answer(&head, &mut body, route, allow))).await {
            Some(answered) => answered,
            None => {
                self.serving.metrics.panics.inc();
                Err(ApiError::defect())
            }
        };
        let mut answer = answered.unwrap_or_else(|error| Answer { reply: error.into_reply(), cookie: Cookie::Kept });
        if !answer.reply.close && !body.is_end_stream() {
            answer.reply.close = !Box::pin(discard(&mut body, &head.headers)).await;
        }
        self.serving.metrics.bytes_sent.inc_by(answer.reply.body.len() as u64);
        let outcome = match answer.reply.status.as_u16() {
            500.. => Outcome::ServerError,
            400.. => Outcome::ClientError,
            _ => Outcome::Succeeded,
        };
        let at = Route::each().position(|(one, _, name)| one == route && name == head.method.as_str());
        self.endpoints.of(at).observe(outcome, since.elapsed());
        let is_secure = session::is_secure(self.options.has_tls, &head.headers);
        session::respond(answer, is_secure)
    }

    async fn answer(
        self: &Arc<Self>,
        head: &Parts,
        body: &mut Incoming,
        route: Route,
        allow: &str,
    ) -> Result<Answer, ApiError> {
        if !allow.split(", ").any(|one| one == head.method.as_str()) {
            return Err(ApiError::method(head.method.as_str(), allow.to_owned()));
        }
        let mut admitted = self.serving.admission.enter().map_err(|_| {
            self.serving.metrics.refused_requests.inc();
            let max = self.serving.options.requests_in_flight_max;
            ApiError::overloaded(format!(
                "the server works on {max} requests already (server.requests_in_flight_max); try again in a moment"
            ))
        })?;
        let body = if matches!(head.method, Method::POST | Method::PUT) {
            check_type(&head.headers)?;
            let max = self.options.body_bytes_max;
            let reading = read_body(body, &head.headers, &mut admitted, max);
            let read = timeout(self.options.time_max, reading).await;
            read.unwrap_or_else(|_| Err(BodyError::Broken("it came too slowly".to_owned())))
                .map_err(|error| unreadable(error, max))?
        } else {
            Bytes::new()
        };
        self.serving.metrics.bytes_received.inc_by(body.len() as u64);
        let asked = Asked { head, body };
        match route {
            Route::Session => self.session(&asked).await,
            Route::Check => {
                self.caller(head).await?;
                let body = asked.body;
                let work = tokio::task::spawn_blocking(move || read(&body).map(|ask: check::Ask| check::check(&ask)));
                let checked = work.await.map_err(|_| ApiError::defect()).flatten()?;
                Ok(plain(Reply::value(&checked)))
            }
            Route::Slow => {
                let caller = self.caller(head).await?;
                let graph = asked.parameter("graph")?;
                // Whoever may not know of the graph learns nothing of it.
                if !caller.knows(&graph) {
                    return Err(ApiError::forbidden(format!("there is no right to graph '{graph}'")));
                }
                self.queries.store().graph(&graph)?;
                Ok(plain(Reply::value(&slow::list(&self.queries, &caller, &graph))))
            }
            Route::Documents | Route::Document => self.documents(asked, route).await,
            Route::Series => {
                let caller = self.caller(head).await?;
                if !caller.may_anywhere(Permission::Read, ResourceType::Metrics) {
                    return Err(ApiError::forbidden("there is no right to read metrics"));
                }
                Ok(plain(Reply::value(&self.series.told())))
            }
            Route::LoadTests | Route::Report => self.load_tests(asked, route).await,
            Route::Description => {
                let document = describe::document().ok_or_else(ApiError::defect)?;
                Ok(plain(Reply::ok(document.into_bytes())))
            }
        }
    }

    /// The documents of a graph: who may read its variables may read them, and so for the other rights.
    async fn documents(self: &Arc<Self>, asked: Asked<'_>, route: Route) -> Result<Answer, ApiError> {
        let caller = self.caller(asked.head).await?;
        let graph = asked.parameter("graph")?;
        let method = &asked.head.method;
        let (permission, class) = match *method {
            Method::PUT => (Permission::Write, Class::Write),
            Method::DELETE => (Permission::Delete, Class::Write),
            _ => (Permission::Read, Class::Read),
        };
        if !caller.may_all(&graph, permission, ResourceType::Var) {
            let message = format!("there is no right {} to VAR of graph '{graph}'", permission.name());
            return Err(ApiError::forbidden(message));
        }
        let kind = documents::kind(&asked.parameter("kind")?)?;
        let name = if route == Route::Document { Some(asked.parameter("name")?) } else { None };
        let mut watched = self.watched(&asked, &caller, class, Some(&graph), *method == Method::PUT).await?;
        let (shared, method, body) = (Arc::clone(self), method.clone(), asked.body.clone());
        let work = tokio::task::spawn_blocking(move || {
            let graph = shared.queries.store().graph(&graph)?;
            let Some(name) = name else { return Ok(Reply::value(&documents::list(&graph, kind)?)) };
            match method {
                Method::PUT => {
                    documents::write(&graph, kind, &name, caller.name(), &body)?;
                    Ok(Reply::value(&serde_json::json!({ "name": name })))
                }
                Method::DELETE => {
                    documents::delete(&graph, kind, &name)?;
                    Ok(Reply::no_content())
                }
                _ => Ok(Reply::ok(documents::read(&graph, kind, &name)?)),
            }
        });
        let done = work.await.map_err(|_| ApiError::defect()).flatten();
        watched.end_with_status(done.as_ref().map_or_else(ApiError::status, |reply| reply.status.as_u16()));
        done.map(plain)
    }

    /// Load tests of this server, for administrators.
    async fn load_tests(self: &Arc<Self>, asked: Asked<'_>, route: Route) -> Result<Answer, ApiError> {
        let caller = self.caller(asked.head).await?;
        if !caller.is_admin() {
            return Err(ApiError::forbidden("load tests are for administrators"));
        }
        let allowed = self.options.load_tests;
        if asked.head.method == Method::GET {
            let answer = if route == Route::Report { self.loads.report()? } else { self.loads.told(allowed) };
            return Ok(plain(Reply::value(&answer)));
        }
        let mut watched = self.watched(&asked, &caller, Class::Admin, None, false).await?;
        let done = if asked.head.method == Method::DELETE {
            self.loads.cancel();
            Ok(Reply::no_content())
        } else {
            self.start_load(&asked, &caller)
        };
        watched.end_with_status(done.as_ref().map_or_else(ApiError::status, |reply| reply.status.as_u16()));
        done.map(plain)
    }

    fn start_load(&self, asked: &Asked<'_>, caller: &Caller) -> Result<Reply, ApiError> {
        let plan: Plan = read(&asked.body)?;
        self.queries.store().graph(&plan.graph)?;
        let seconds = i64::try_from(plan.seconds).unwrap_or(i64::MAX).saturating_add(LOAD_TOKEN_EXTRA_SECONDS);
        let allowed = self.options.load_tests;
        self.loads.start(allowed, plan, caller.name(), || self.token(asked.head, caller, seconds))?;
        let answer = self.loads.told(allowed).to_string().into_bytes();
        Ok(Reply::json(StatusCode::ACCEPTED, answer))
    }

    /// What the requests of a load test show: that they come from the same caller.
    fn token(&self, head: &Parts, caller: &Caller, seconds: i64) -> Result<Option<String>, ApiError> {
        let Some(accounts) = self.queries.accounts() else { return Ok(None) };
        let shown = credentials(&head.headers, &head.extensions);
        match shown.map_err(|error| ApiError::bad_request(error.to_string()))? {
            // An API key is none that could be renewed, and lasts.
            Shown::Token(token) => Ok(Some(accounts.renewed_token(&token, seconds).unwrap_or(token))),
            Shown::Password { .. } => Ok(Some(accounts.token_for(caller, seconds)?)),
            Shown::Nothing | Shown::Certificate(_) => Err(ApiError::bad_input(
                "a load test needs a login by name and password, a token or an API key, which its requests show too",
            )),
        }
    }

    /// The record of a request, once it is let in. `adds`: whether it may need room on the disk.
    async fn watched(
        &self,
        asked: &Asked<'_>,
        caller: &Caller,
        class: Class,
        graph: Option<&str>,
        adds: bool,
    ) -> Result<Watched, ApiError> {
        let watch = &self.serving.watch;
        let mut watched = watch.record(class, || {
            let id = request_id(asked.headers()).map_or_else(|| watch.audit.request_id(), str::to_owned);
            let subject = caller.subject(PROTOCOL, peer(&asked.head.extensions), Some(id));
            let mut event = Event::new(class, format!("{} {}", asked.head.method, asked.head.uri.path()), subject);
            event.graph = graph.map(str::to_owned);
            event
        });
        watch.let_in(&mut watched, caller.user(), graph, adds)?;
        watched.begin().await.map_err(Barred::from)?;
        Ok(watched)
    }

    async fn session(self: &Arc<Self>, asked: &Asked<'_>) -> Result<Answer, ApiError> {
        let accounts = self.queries.accounts().map(|accounts| &**accounts);
        if asked.head.method == Method::GET {
            return Ok(session::show(accounts, session_token(asked.headers())));
        }
        // A page of another site must not log anybody in or out.
        if !asked.headers().contains_key(PAGE_HEADER) {
            let message = format!(
                "sessions are for the pages at /ui/, which send the header {PAGE_HEADER}; programs \
                                   log in at /auth/login"
            );
            return Err(ApiError::bad_input(message));
        }
        let from = peer(&asked.head.extensions);
        let (shared, token) = (Arc::clone(self), session_token(asked.headers()).map(str::to_owned));
        let is_login = asked.head.method == Method::POST;
        let login = if is_login { Some(read::<session::LogIn>(&asked.body)?) } else { None };
        let who = match (&login, &token, accounts) {
            (Some(login), ..) => Some(login.user.clone()),
            (None, Some(token), Some(accounts)) => {
                accounts.known(Credentials::Token(token)).and_then(|caller| caller.user().map(str::to_owned))
            }
            _ => None,
        };
        let mut watched = self.serving.watch.record(Class::Login, || {
            let id = request_id(asked.headers()).map_or_else(|| self.serving.watch.audit.request_id(), str::to_owned);
            let shown = match &login {
                Some(login) => Credentials::Password { user: &login.user, password: &login.password },
                None => token.as_deref().map_or(Credentials::None, Credentials::Token),
            };
            let mut subject = shown.subject(PROTOCOL, from, Some(id));
            subject.user = who.clone();
            Event::new(Class::Login, format!("{} /rhizome/session", asked.head.method), subject)
        });
        watched.begin().await.map_err(Barred::from)?;
        let work = tokio::task::spawn_blocking(move || {
            let accounts = shared.queries.accounts().map(|accounts| &**accounts);
            match &login {
                Some(login) => session::log_in(accounts, login, from),
                None => session::log_out(accounts, token.as_deref()),
            }
        });
        let done = work.await.map_err(|_| ApiError::defect()).flatten();
        watched.end_with_status(match &done {
            Ok(answer) => answer.reply.status.as_u16(),
            Err(error) => error.status(),
        });
        done
    }

    /// Who asks, by whatever it shows.
    async fn caller(&self, head: &Parts) -> Result<Caller, ApiError> {
        let Some(accounts) = self.queries.accounts() else { return Ok(Caller::anonymous()) };
        if let Some(caller) = http_login::known(&**accounts, &head.headers, &head.extensions) {
            return Ok(caller);
        }
        let shown = credentials(&head.headers, &head.extensions);
        let shown = shown.map_err(|error| ApiError::bad_request(error.to_string()))?;
        let (accounts, from) = (Arc::clone(accounts), peer(&head.extensions));
        let mut watched = self.serving.watch.record(Class::Login, || {
            let subject = as_credentials(&shown).subject(PROTOCOL, from, Some(self.serving.watch.audit.request_id()));
            Event::new(Class::Login, "authenticate", subject)
        });
        watched.begin().await.map_err(Barred::from)?;
        let checked = tokio::task::spawn_blocking(move || accounts.check(as_credentials(&shown), from)).await;
        let checked = checked.map_err(|_| ApiError::defect())?.map_err(ApiError::from);
        watched.end_with_status(checked.as_ref().map_or_else(ApiError::status, |_| StatusCode::OK.as_u16()));
        checked
    }
}

fn plain(reply: Reply) -> Answer {
    Answer { reply, cookie: Cookie::Kept }
}

/// Bodies are JSON and say so, which pages of other sites cannot without a preflight.
fn check_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = given.and_then(|value| value.split(';').next()).unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") { Ok(()) } else { Err(ApiError::media_type(given)) }
}

fn unreadable(error: BodyError, max: usize) -> ApiError {
    match error {
        BodyError::TooLarge => ApiError::body_too_large(max).closing(),
        BodyError::NoRoom => ApiError::overloaded("the server holds too many request bodies; try again in a moment"),
        BodyError::Gzip(reason) => ApiError::bad_input(format!("the body is not gzip as it says: {reason}")),
        BodyError::Coding(coding) => {
            ApiError::bad_input(format!("Content-Encoding '{coding}' is not known; send gzip or none"))
        }
        BodyError::Broken(reason) => ApiError::bad_input(format!("the body could not be read: {reason}")).closing(),
    }
}
