//! Connections: accepting them, limiting them, and letting them end when the server does. Start at [`serve`].

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Duration;

use graph_store::Store;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::answer::{answer, refuse};
use crate::busy_poll::stay_awake;
use crate::call::App;
use crate::connection::{Busy, Patience, TimedStream, http};
use crate::limits::{ACCEPT_RETRY_PAUSE, REFUSED_CONNECTION_TIME_MAX, REFUSED_CONNECTIONS_MAX};
use crate::options::ApiOptions;

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
    let app = App::new(store, options);
    let (end, ended) = watch::channel(false);
    let mut connections = JoinSet::new();
    tracing::debug!(%address, "serving");
    accept(&app, &listener, &ended, &mut connections, shutdown).await;
    drop(listener);
    app.shutting_down.store(true, Ordering::Relaxed);
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
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(ACCEPT_RETRY_PAUSE).await;
                continue;
            }
        };
        // Answers are written whole; waiting for more to send would only delay them.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "no TCP_NODELAY");
        }
        if let Ok(permit) = Arc::clone(&served).try_acquire_owned() {
            let (app, ended) = (Arc::clone(app), ended.clone());
            workers.spawn(connections, stream, move |stream| async move {
                connection(app, stream, ended).await;
                drop(permit);
            });
            continue;
        }
        app.meters.refused_connections.inc();
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

/// The runtimes that serve connections, each with as many copies of its mark as it has connections.
struct Workers(Vec<(Handle, Arc<()>)>);

impl Workers {
    fn new(runtimes: &[Handle]) -> Self {
        Self(runtimes.iter().map(|runtime| (runtime.clone(), Arc::default())).collect())
    }

    /// Lets the threads look for more before they sleep.
    fn stay_awake(&self, limit: Duration) -> JoinSet<()> {
        let mut awake = JoinSet::new();
        for (runtime, _) in self.0.iter().filter(|_| limit > Duration::ZERO) {
            awake.spawn_on(stay_awake(limit), runtime);
        }
        awake
    }

    /// Serves a connection on the runtime that has the fewest. The socket belongs to the runtime at hand and has to be moved.
    fn spawn<S>(
        &self,
        connections: &mut JoinSet<()>,
        stream: TcpStream,
        serve: impl FnOnce(TcpStream) -> S + Send + 'static,
    ) where
        S: Future<Output = ()> + Send + 'static,
    {
        let Some((runtime, mark)) = self.0.iter().min_by_key(|(_, mark)| Arc::strong_count(mark)) else {
            connections.spawn(serve(stream));
            return;
        };
        let mark = Arc::clone(mark);
        let connection = async move {
            match stream.into_std().and_then(TcpStream::from_std) {
                Ok(stream) => serve(stream).await,
                Err(error) => tracing::warn!(%error, "a connection could not be handed to its thread"),
            }
            drop(mark);
        };
        connections.spawn_on(connection, runtime);
    }
}

/// Serves one connection to its end.
async fn connection(app: Arc<App>, stream: TcpStream, ended: watch::Receiver<bool>) {
    app.meters.connections.inc();
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
        if let Poll::Ready(outcome) = connection.as_mut().poll(context) {
            return Poll::Ready(Some(outcome));
        }
        // Who listens is told; asking again each time would cost more.
        if is_listening && !ended.has_changed().unwrap_or(true) {
            return Poll::Pending;
        }
        is_listening = true;
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
    app.meters.connections.dec();
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
