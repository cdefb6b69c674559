//! The server as a service of HTTP servers.

use std::sync::Arc;

use http_server::{Boxed, HttpResponse, Mount, Refusal, Reply, Service, Upgrade, caught, discard, peer};
use hyper::body::{Body as _, Incoming};
use hyper::header::{self, HeaderMap};
use hyper::{Method, Request, StatusCode};
use query_service::QueryService;
use serving::Serving;

use crate::shared::{Options, Shared};
use crate::{http, login, socket};

/// Answers drivers of TinkerPop. Clones are the same.
#[derive(Clone)]
pub struct GremlinServer(Arc<Shared>);

impl GremlinServer {
    /// A server over the queries of a store, on the threads of all protocols.
    #[must_use]
    pub fn new(queries: Arc<QueryService>, serving: Arc<Serving>, options: Options) -> Self {
        Self(Arc::new(Shared { queries, serving, options }))
    }

    /// A mount at `/gremlin` that leaves to `other` what does not come from drivers.
    #[must_use]
    pub fn beside(self, other: Arc<impl Service>) -> impl Mount {
        Beside { other, gremlin: self }
    }

    async fn respond(&self, mut request: Request<Incoming>, upgrade: &Upgrade) -> HttpResponse {
        let is_ours = matches!(request.uri().path(), "/gremlin" | "/gremlin/");
        if is_ours && socket::is_upgrade(request.headers()) {
            let from = peer(request.extensions());
            return match login::of_headers(&self.0, request.headers(), request.extensions()).await {
                Ok(caller) => socket::accept(&self.0, &mut request, upgrade, (caller, from)),
                Err(failed) => http::refused(&failed).into_response(),
            };
        }
        let (head, mut body) = request.into_parts();
        let answered = if !is_ours {
            Ok(http::failure(StatusCode::NOT_FOUND, "there is nothing here; Gremlin is at /gremlin"))
        } else if matches!(head.method, Method::GET | Method::POST) {
            caught(std::pin::pin!(http::answer(&self.0, &head, &mut body))).await.ok_or(())
        } else {
            let mut reply = http::failure(StatusCode::METHOD_NOT_ALLOWED, "only GET and POST are possible here");
            reply.allow = Some("GET, POST".to_owned());
            Ok(reply)
        };
        let mut reply = answered.unwrap_or_else(|()| {
            self.0.serving.metrics.panics.inc();
            http::failure(StatusCode::INTERNAL_SERVER_ERROR, "an internal error happened; it has been logged")
        });
        if !reply.close && !body.is_end_stream() {
            reply.close = !Box::pin(discard(&mut body, &head.headers)).await;
        }
        self.0.serving.metrics.bytes_sent.inc_by(reply.body.len() as u64);
        reply.into_response()
    }
}

impl Mount for GremlinServer {
    fn answer<'a>(&'a self, request: Request<Incoming>, upgrade: &'a Upgrade) -> Boxed<'a, HttpResponse> {
        Box::pin(self.respond(request, upgrade))
    }

    fn changes_on_get(&self) -> bool {
        true
    }
}

/// `/gremlin` on the port of another service: its own form for its clients, TinkerPop's protocol for drivers.
struct Beside<S> {
    other: Arc<S>,
    gremlin: GremlinServer,
}

impl<S: Service> Mount for Beside<S> {
    fn answer<'a>(&'a self, request: Request<Incoming>, upgrade: &'a Upgrade) -> Boxed<'a, HttpResponse> {
        if is_for_drivers(request.headers()) {
            self.gremlin.answer(request, upgrade)
        } else {
            Box::pin(Arc::clone(&self.other).answer(request))
        }
    }

    fn changes_on_get(&self) -> bool {
        true
    }
}

/// Whether a request at `/gremlin` comes from a driver of TinkerPop: it changes the protocol, or names one of
/// TinkerPop's formats.
fn is_for_drivers(headers: &HeaderMap) -> bool {
    let names_format = |name| {
        let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.into_iter().any(|value| value.contains("vnd.gremlin") || value.contains("vnd.graphbinary"))
    };
    socket::is_upgrade(headers) || names_format(header::ACCEPT) || names_format(header::CONTENT_TYPE)
}

/// What is at all other addresses of the Gremlin Server's port: nothing.
pub struct NotThere;

impl Service for NotThere {
    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> HttpResponse {
        let (head, mut body) = request.into_parts();
        let mut reply: Reply =
            http::failure(StatusCode::NOT_FOUND, "there is nothing here; this port serves Gremlin at /gremlin");
        reply.close = !Box::pin(discard(&mut body, &head.headers)).await;
        reply.into_response()
    }

    async fn refuse(self: Arc<Self>, request: Request<Incoming>, refusal: Refusal) -> HttpResponse {
        let (head, mut body) = request.into_parts();
        discard(&mut body, &head.headers).await;
        let mut reply = http::failure(refusal.status(), &refusal.to_string());
        reply.close = true;
        reply.retry_after_s = u64::from(reply.status == StatusCode::SERVICE_UNAVAILABLE);
        reply.into_response()
    }
}
