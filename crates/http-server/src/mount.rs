//! Which service answers an address: several share one port, told apart by the first segment of the path.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{self, HeaderValue};
use hyper::upgrade::Upgraded;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use tokio::sync::watch;

use crate::accept::prefers_page;
use crate::credentials::PAGE_HEADER;
use crate::origin::{self, Refusal};
use crate::reply::Reply;

/// An answer on the wire.
pub type HttpResponse = Response<Full<Bytes>>;

/// Work of a mounted service.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The service that answers whatever has no mount of its own. It is known when the server is compiled: nothing is boxed
/// for it.
pub trait Service: Send + Sync + 'static {
    /// Answers one request, whatever happens.
    fn answer(self: Arc<Self>, request: Request<Incoming>) -> impl Future<Output = HttpResponse> + Send;

    /// Answers a request that is refused whatever it asks for; a connection beyond the limit ends after that.
    fn refuse(
        self: Arc<Self>,
        request: Request<Incoming>,
        refusal: Refusal,
    ) -> impl Future<Output = HttpResponse> + Send;
}

/// A service below a first segment of the path.
pub trait Mount: Send + Sync + 'static {
    /// Answers one request, whatever happens. To switch to another protocol it calls [`Upgrade::accept`] and answers
    /// 101.
    fn answer<'a>(&'a self, request: Request<Incoming>, upgrade: &'a Upgrade) -> Boxed<'a, HttpResponse>;

    /// Whether a GET may change something, so that pages of other sites may not have it sent.
    fn changes_on_get(&self) -> bool {
        false
    }
}

/// The services of one listener.
pub struct Mounts<S> {
    pub(crate) root: Arc<S>,
    mounted: Vec<(&'static str, Box<dyn Mount>)>,
    hosts: Vec<String>,
    front_page: Option<&'static str>,
}

impl<S: Service> Mounts<S> {
    /// One service for all addresses.
    pub fn new(root: Arc<S>) -> Self {
        Self { root, mounted: Vec::new(), hosts: Vec::new(), front_page: None }
    }

    /// Gives all addresses that begin with `/segment` to another service.
    #[must_use]
    pub fn mount(mut self, segment: &'static str, service: impl Mount) -> Self {
        self.mounted.push((segment, Box::new(service)));
        self
    }

    /// Names by which browsers reach the listener, apart from addresses in digits and `localhost` (`server.hosts`).
    #[must_use]
    pub fn hosts(mut self, hosts: Vec<String>) -> Self {
        self.hosts = hosts;
        self
    }

    /// Sends those who ask for `/` and would rather have a page there.
    #[must_use]
    pub fn front_page(mut self, address: &'static str) -> Self {
        self.front_page = Some(address);
        self
    }

    /// The way to the front page, for a request that is better answered by it.
    fn to_front_page(&self, request: &Request<Incoming>) -> Option<HttpResponse> {
        let to = self.front_page?;
        let is_wanted =
            request.uri().path() == "/" && request.method() == Method::GET && prefers_page(request.headers());
        is_wanted.then(|| {
            let mut reply = Reply::redirect(to);
            reply.status = StatusCode::FOUND;
            let mut response = reply.into_response();
            response.headers_mut().insert(header::VARY, HeaderValue::from_static("Accept"));
            response
        })
    }

    fn find(&self, method: &Method, path: &str) -> Option<&dyn Mount> {
        if self.mounted.is_empty() {
            return None;
        }
        let first = path.strip_prefix('/')?.split('/').next()?;
        let (segment, service) = self.mounted.iter().find(|(segment, _)| *segment == first)?;
        traces::describe(|| (method.as_str(), *segment));
        Some(&**service)
    }

    /// Answers one request of a connection.
    pub(crate) async fn answer(&self, request: Request<Incoming>, upgrade: &Upgrade) -> HttpResponse {
        let service = self.find(request.method(), request.uri().path());
        let changes_on_get = service.is_some_and(Mount::changes_on_get);
        let allowed = origin::check(request.method(), request.uri(), request.headers(), &self.hosts, changes_on_get);
        // A browser that is asked for credentials opens a window of its own; the explorer has a login.
        let is_of_page = request.headers().contains_key(PAGE_HEADER);
        let mut response = match (allowed, service) {
            (Err(refusal), _) => Box::pin(Arc::clone(&self.root).refuse(request, refusal)).await,
            (Ok(()), None) => match self.to_front_page(&request) {
                Some(response) => response,
                None => Arc::clone(&self.root).answer(request).await,
            },
            (Ok(()), Some(service)) => service.answer(request, upgrade).await,
        };
        if is_of_page {
            response.headers_mut().remove(header::WWW_AUTHENTICATE);
        }
        response
    }
}

/// A connection that can switch to another protocol. Its place among the connections stays taken until that ends.
pub struct Upgrade {
    next: Mutex<Option<Boxed<'static, ()>>>,
    ended: watch::Receiver<bool>,
}

/// A connection's bytes after the answer 101.
pub struct Switched {
    /// The bytes, without time limits for reading.
    pub io: TokioIo<Upgraded>,
    /// Becomes true when the server shuts down; after its grace the connection is cut off.
    pub ended: watch::Receiver<bool>,
}

impl Upgrade {
    pub(crate) fn new(ended: watch::Receiver<bool>) -> Self {
        Self { next: Mutex::new(None), ended }
    }

    /// Has `serve` take the connection over once `request` is answered with 101.
    pub fn accept<F>(&self, request: &mut Request<Incoming>, serve: impl FnOnce(Switched) -> F + Send + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let upgraded = hyper::upgrade::on(request);
        let ended = self.ended.clone();
        *self.next.lock() = Some(Box::pin(async move {
            match upgraded.await {
                Ok(io) => serve(Switched { io: TokioIo::new(io), ended }).await,
                Err(error) => tracing::debug!(%error, "a connection did not change its protocol"),
            }
        }));
    }

    /// What takes the connection over, if anything does.
    pub(crate) fn take(&self) -> Option<Boxed<'static, ()>> {
        self.next.lock().take()
    }
}
