//! Connections: accepting them, limiting them, and letting them end when the server does. Start at [`serve`].

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use hyper::body::{Body as _, Incoming};
use hyper::header::HeaderValue;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, StatusCode, header};
use hyper_util::rt::TokioIo;
use ipnet::IpNet;
use serving::{Serving, Worker, Workers};
use tls::{ClientCertificate, Protocol, Stream, Tls};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use traces::{Given, Place, Traces, within};

use crate::client::{Client, Forwarded};
use crate::connection::{Busy, Patience, TimedStream, http};
use crate::forwarded;
use crate::limits::{ACCEPT_RETRY_PAUSE, REFUSED_CONNECTION_TIME_MAX, REFUSED_CONNECTIONS_MAX};
use crate::mount::{HttpResponse, Mounts, Service, Upgrade};
use crate::origin::Refusal;

/// Why the server ended before its shutdown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The listener is not usable.
    #[error("the listener has no address: {0}")]
    Listener(#[source] io::Error),
}

/// How connections are served.
#[derive(Clone, Debug)]
pub struct Options {
    /// Open connections; the service refuses one beyond it, and it is closed (`server.connections_max`).
    pub connections_max: usize,
    /// Time from the first byte of a request's head to its last (`server.header_read_timeout_ms`).
    pub header_read_timeout: Duration,
    /// Time an idle connection is kept (`server.keep_alive_idle_timeout_ms`).
    pub keep_alive_idle_timeout: Duration,
    /// Time for which a thread that serves connections looks for more before it sleeps; zero: none
    /// (`server.busy_poll_us`).
    pub busy_poll: Duration,
    /// Where connections are served. Without any, on the runtime that accepts them.
    pub workers: Vec<Worker>,
    /// Whether requests know the address of their client ([`crate::peer`]).
    pub note_peers: bool,
    /// Proxies whose `X-Forwarded-For` says which address that is (`server.trusted_proxies`).
    pub trusted_proxies: Vec<IpNet>,
    /// What encrypts connections. Without it they are plain text.
    pub tls: Option<Arc<Tls>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            connections_max: 16_000,
            header_read_timeout: Duration::from_secs(10),
            keep_alive_idle_timeout: Duration::from_secs(75),
            busy_poll: Duration::from_micros(100),
            workers: Vec::new(),
            note_peers: false,
            trusted_proxies: Vec::new(),
            tls: None,
        }
    }
}

/// What all connections share.
struct Shared<S> {
    mounts: Mounts<S>,
    serving: Arc<Serving>,
    options: Options,
}

/// Serves what is mounted on `listener` until `shutdown` is done. Then no connection is accepted any more, idle ones
/// are closed, requests at work have `grace` to be answered, and what is not done after that is cut off.
pub async fn serve<S: Service>(
    listener: TcpListener,
    mounts: Mounts<S>,
    serving: Arc<Serving>,
    options: Options,
    shutdown: impl Future<Output = ()>,
    grace: Duration,
) -> Result<(), ServeError> {
    let address = listener.local_addr().map_err(ServeError::Listener)?;
    let shared = Arc::new(Shared { mounts, serving, options });
    let (end, ended) = watch::channel(false);
    let mut connections = JoinSet::new();
    tracing::debug!(%address, "serving");
    accept(&shared, &listener, &ended, &mut connections, shutdown).await;
    drop(listener);
    shared.serving.shut_down();
    tracing::info!(connections = connections.len(), "shutting down");
    end.send_replace(true);
    let all_done = async { while connections.join_next().await.is_some() {} };
    if timeout(grace, all_done).await.is_err() {
        tracing::warn!(connections = connections.len(), "requests did not end in time and are cut off");
        connections.shutdown().await;
    }
    Ok(())
}

/// Accepts connections until `shutdown` is done.
async fn accept<S: Service>(
    shared: &Arc<Shared<S>>,
    listener: &TcpListener,
    ended: &watch::Receiver<bool>,
    connections: &mut JoinSet<()>,
    shutdown: impl Future<Output = ()>,
) {
    let mut shutdown = pin!(shutdown);
    let workers = Workers::new(&shared.options.workers);
    // Ends when this function does.
    let _awake = workers.stay_awake(shared.options.busy_poll);
    let served = Arc::new(Semaphore::new(shared.options.connections_max.min(Semaphore::MAX_PERMITS)));
    let refused = Arc::new(Semaphore::new(REFUSED_CONNECTIONS_MAX));
    loop {
        while connections.try_join_next().is_some() {}
        let accepted = tokio::select! {
            () = &mut shutdown => return,
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(ACCEPT_RETRY_PAUSE).await;
                continue;
            }
        };
        prepare(&stream, peer);
        if let Ok(permit) = Arc::clone(&served).try_acquire_owned() {
            let (shared, ended) = (Arc::clone(shared), ended.clone());
            workers.spawn(connections, stream, move |stream| async move {
                connection(shared, stream, peer, ended).await;
                drop(permit);
            });
            continue;
        }
        shared.serving.metrics.refused_connections.inc();
        let permit = tokio::select! {
            () = &mut shutdown => return,
            permit = Arc::clone(&refused).acquire_owned() => permit,
        };
        let connection = refused_connection(Arc::clone(shared), stream, peer, ended.clone());
        connections.spawn(async move {
            connection.await;
            drop(permit);
        });
    }
}

/// Tells the system how the connection will be used. What it does not offer is done without.
fn prepare(stream: &TcpStream, peer: SocketAddr) {
    // Answers are written whole; waiting for more to send would only delay them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "no TCP_NODELAY");
    }
    // Between two processes of one machine nothing is lost and there is no rate to be found: what reckons least is
    // best.
    #[cfg(target_os = "linux")]
    if peer.ip().is_loopback()
        && let Err(error) = rustix::net::sockopt::set_tcp_congestion(stream, crate::limits::CONGESTION_CONTROL_LOOPBACK)
    {
        tracing::debug!(%error, "the system's own congestion control");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = peer;
}

/// Serves one connection to its end.
async fn connection<S: Service>(
    shared: Arc<Shared<S>>,
    stream: TcpStream,
    peer: SocketAddr,
    ended: watch::Receiver<bool>,
) {
    shared.serving.metrics.connections.inc();
    if let Some((stream, certificate)) = opened(&shared, stream, peer, &ended).await {
        let peer = shared.options.note_peers.then(|| peer.ip().to_canonical());
        requests(&shared, stream, Client::new(peer, certificate), ended).await;
    }
    shared.serving.metrics.connections.dec();
}

/// The bytes of a connection, and the certificate of its client: after the handshake of TLS where the listener has it.
/// None where the client did not get through that, or the server ends before.
async fn opened<S>(
    shared: &Shared<S>,
    stream: TcpStream,
    peer: SocketAddr,
    ended: &watch::Receiver<bool>,
) -> Option<(Stream, Option<ClientCertificate>)> {
    let Some(tls) = &shared.options.tls else { return Some((stream.into(), None)) };
    let mut ended = ended.clone();
    // On the heap: most of a connection's life it is not there.
    let handshake = Box::pin(tls.accept(stream, Protocol::Http));
    let accepted = tokio::select! {
        accepted = handshake => accepted,
        _ = ended.wait_for(|ended| *ended) => return None,
    };
    match accepted {
        Ok(accepted) => Some((accepted.stream, accepted.certificate)),
        Err(error) => {
            tracing::debug!(%peer, %error, "a connection ended before its first request");
            None
        }
    }
}

/// Answers the requests of a connection.
async fn requests<S: Service>(shared: &Shared<S>, stream: Stream, client: Client, ended: watch::Receiver<bool>) {
    let patience = Patience { head: shared.options.header_read_timeout, idle: shared.options.keep_alive_idle_timeout };
    let client = client.is_noted().then(|| Arc::new(client));
    let busy = Busy::default();
    let upgrade = Upgrade::new(ended.clone());
    let stream = TimedStream::new(stream, busy.clone(), patience);
    let service = service_fn(|mut request: Request<Incoming>| {
        if let Some(client) = &client {
            if let Some(peer) = client.peer {
                let from = forwarded::client(peer, request.headers(), &shared.options.trusted_proxies);
                if from != peer {
                    request.extensions_mut().insert(Forwarded(from));
                }
            }
            request.extensions_mut().insert(Arc::clone(client));
        }
        let place = traced(&shared.serving.options.traces, &request);
        let answer = shared.mounts.answer(request, &upgrade);
        let request = busy.request();
        let busy = &busy;
        async move {
            let mut answer = within(place.as_ref(), pin!(answer)).await;
            drop(request);
            if let Some(place) = place {
                end(&place, &mut answer);
            }
            if answer.status() == StatusCode::SWITCHING_PROTOCOLS {
                busy.upgrade();
            } else if (answer.status().is_client_error() || answer.status().is_server_error())
                && answer.headers().contains_key(header::CONNECTION)
            {
                busy.leave_unread();
            }
            Ok::<_, Infallible>(answer)
        }
    });
    let mut connection = pin!(http().serve_connection(TokioIo::new(stream), service).with_upgrades());
    let mut listener = ended.clone();
    let mut end = pin!(listener.wait_for(|ended| *ended));
    let mut is_listening = false;
    let outcome = poll_fn(|context| {
        // Looked at before anything is answered, so that every answer after the end says that its connection closes.
        if !ended.has_changed().unwrap_or(true) {
            if let Poll::Ready(outcome) = connection.as_mut().poll(context) {
                return Poll::Ready(Some(outcome));
            }
            // It listens already; asking again each time would cost more.
            if is_listening {
                return Poll::Pending;
            }
            is_listening = true;
        }
        end.as_mut().poll(context).map(|_| None)
    })
    .await;
    let outcome = match outcome {
        Some(outcome) => outcome,
        None => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, "a connection ended");
    } else if let Some(upgraded) = upgrade.take() {
        upgraded.await;
    }
}

/// Begins the span of a request that is sampled.
fn traced(traces: &Traces, request: &Request<Incoming>) -> Option<Place> {
    if !traces.is_on() {
        return None;
    }
    let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    traces.request(request.method().as_str(), Given { parent: header("traceparent"), state: header("tracestate") })
}

/// Ends the span of a request, and tells the client which it was.
fn end(place: &Place, answer: &mut HttpResponse) {
    place.end(answer.status().as_u16());
    if let Ok(header) = HeaderValue::try_from(place.header()) {
        answer.headers_mut().insert("traceparent", header);
    }
}

/// Tells a connection beyond the limit so.
async fn refused_connection<S: Service>(
    shared: Arc<Shared<S>>,
    stream: TcpStream,
    peer: SocketAddr,
    ended: watch::Receiver<bool>,
) {
    let opening = timeout(REFUSED_CONNECTION_TIME_MAX, opened(&shared, stream, peer, &ended)).await;
    let Ok(Some((stream, _))) = opening else { return };
    let busy = Busy::default();
    let patience = Patience { head: REFUSED_CONNECTION_TIME_MAX, idle: REFUSED_CONNECTION_TIME_MAX };
    let stream = TimedStream::new(stream, busy.clone(), patience);
    let service = service_fn(|request: Request<Incoming>| {
        // The body is not waited for; the client may still be sending it.
        if !request.body().is_end_stream() {
            busy.leave_unread();
        }
        let refusal = Refusal::TooManyConnections { connections_max: shared.options.connections_max };
        let refusal = Arc::clone(&shared.mounts.root).refuse(request, refusal);
        async move { Ok::<_, Infallible>(refusal.await) }
    });
    let connection = http1::Builder::new()
        .header_read_timeout(None)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    if *ended.borrow() {
        return;
    }
    if let Ok(Err(error)) = timeout(REFUSED_CONNECTION_TIME_MAX, connection).await {
        tracing::debug!(%error, "a refused connection ended");
    }
}
