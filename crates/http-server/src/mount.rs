//! Which service answers an address: several share one port, told apart by the first segment of the path.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::upgrade::Upgraded;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use tokio::sync::watch;

use crate::origin::{self, Refusal};

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
}

impl<S: Service> Mounts<S> {
    /// One service for all addresses.
    pub fn new(root: Arc<S>) -> Self {
        Self { root, mounted: Vec::new(), hosts: Vec::new() }
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

    fn find(&self, path: &str) -> Option<&dyn Mount> {
        if self.mounted.is_empty() {
            return None;
        }
        let first = path.strip_prefix('/')?.split('/').next()?;
        self.mounted.iter().find(|(segment, _)| *segment == first).map(|(_, service)| &**service)
    }

    /// Answers one request of a connection.
    pub(crate) async fn answer(&self, request: Request<Incoming>, upgrade: &Upgrade) -> HttpResponse {
        let service = self.find(request.uri().path());
        let changes_on_get = service.is_some_and(Mount::changes_on_get);
        let allowed = origin::check(request.method(), request.uri(), request.headers(), &self.hosts, changes_on_get);
        match (allowed, service) {
            (Err(refusal), _) => Box::pin(Arc::clone(&self.root).refuse(request, refusal)).await,
            (Ok(()), None) => Arc::clone(&self.root).answer(request).await,
            (Ok(()), Some(service)) => service.answer(request, upgrade).await,
        }
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
