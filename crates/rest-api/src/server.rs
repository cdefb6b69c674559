//! Connections: accepting them, limiting them, and letting them end when the server does. Start at [`serve`].

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use graph_host::Store;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serving::Workers;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::answer::{answer, refuse};
use crate::call::App;
use crate::connection::{Busy, Patience, TimedStream, http};
use crate::limits::{ACCEPT_RETRY_PAUSE, REFUSED_CONNECTION_TIME_MAX, REFUSED_CONNECTIONS_MAX};
use crate::options::ApiOptions;
use crate::routes::directory;

/// Why the server ended other than by being told to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The listener is not usable.
    #[error("the listener has no address: {0}")]
    Listener(#[source] io::Error),
}

/// Serves the API on `listener` until `shutdown` is done. Then no connection is accepted any more, idle ones are closed, requests at
/// work have `grace` to be answered, and what is not done after that is cut off.
pub async fn serve(
    listener: TcpListener,
    store: Arc<Store>,
    options: ApiOptions,
    shutdown: impl Future<Output = ()>,
    grace: Duration,
) -> Result<(), ServeError> {
    let address = listener.local_addr().map_err(ServeError::Listener)?;
    let app = App::new(store, options, directory());
    let (end, ended) = watch::channel(false);
    let mut connections = JoinSet::new();
    tracing::debug!(%address, "serving");
    accept(&app, &listener, &ended, &mut connections, shutdown).await;
    drop(listener);
    app.serving.shut_down();
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
async fn accept(
    app: &Arc<App>,
    listener: &TcpListener,
    ended: &watch::Receiver<bool>,
    connections: &mut JoinSet<()>,
    shutdown: impl Future<Output = ()>,
) {
    let mut shutdown = pin!(shutdown);
    let workers = Workers::new(&app.options.workers);
    // Ends when this function does.
    let _awake = workers.stay_awake(Duration::from_micros(app.options.limits.busy_poll_us));
    let served = Arc::new(Semaphore::new(app.options.limits.connections_max.min(Semaphore::MAX_PERMITS)));
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
            let (app, ended) = (Arc::clone(app), ended.clone());
            workers.spawn(connections, stream, move |stream| async move {
                connection(app, stream, ended).await;
                drop(permit);
            });
            continue;
        }
        app.serving.metrics.refused_connections.inc();
        let permit = tokio::select! {
            () = &mut shutdown => return,
            permit = Arc::clone(&refused).acquire_owned() => permit,
        };
        let connection = refused_connection(Arc::clone(app), stream, ended.clone());
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
    // Between two processes of one machine nothing is lost and there is no rate to be found: what reckons least is best.
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
async fn connection(app: Arc<App>, stream: TcpStream, ended: watch::Receiver<bool>) {
    app.serving.metrics.connections.inc();
    let limits = &app.options.limits;
    let patience = Patience {
        head: Duration::from_millis(limits.header_read_timeout_ms),
        idle: Duration::from_millis(limits.keep_alive_idle_timeout_ms),
    };
    let busy = Busy::default();
    let stream = TimedStream::new(stream, busy.clone(), patience);
    let service = service_fn(|request| {
        let answer = answer(Arc::clone(&app), request);
        let request = busy.request();
        async move {
            let answer = answer.await;
            drop(request);
            Ok::<_, Infallible>(answer)
        }
    });
    let mut connection = pin!(http().serve_connection(TokioIo::new(stream), service));
    let mut listener = ended.clone();
    let mut told = pin!(listener.wait_for(|ended| *ended));
    let mut is_listening = false;
    let outcome = poll_fn(|context| {
        // Looked at before anything is answered, so that every answer after the end says that its connection closes.
        if !ended.has_changed().unwrap_or(true) {
            if let Poll::Ready(outcome) = connection.as_mut().poll(context) {
                return Poll::Ready(Some(outcome));
            }
            // Who listens is told; asking again each time would cost more.
            if is_listening {
                return Poll::Pending;
            }
            is_listening = true;
        }
        told.as_mut().poll(context).map(|_| None)
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
    }
    app.serving.metrics.connections.dec();
}

/// Tells a connection beyond the limit so.
async fn refused_connection(app: Arc<App>, stream: TcpStream, ended: watch::Receiver<bool>) {
    let service = service_fn(|request| {
        let refusal = refuse(Arc::clone(&app), request);
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
