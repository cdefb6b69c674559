//! Connections: accepting them, limiting them, and letting them end when the server does. Start at [`serve`].

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use auth::Authenticate;
use cypher_session::Transactions;
use serving::Workers;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::connection;
use crate::limits::ACCEPT_RETRY_PAUSE;
use crate::shared::{Options, Shared};

/// Why the server ended before its shutdown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The listener is not usable.
    #[error("the listener has no address: {0}")]
    Listener(#[source] io::Error),
}

/// Serves transactions on `listener` until `shutdown` is done. Then no connection is accepted any more, idle ones are
/// closed, messages at work have `grace` to be answered, and what is not done after that is cut off.
///
/// # Errors
/// The listener is not usable.
pub async fn serve(
    listener: TcpListener,
    transactions: Arc<Transactions>,
    auth: Arc<dyn Authenticate>,
    options: Options,
    shutdown: impl Future<Output = ()>,
    grace: Duration,
) -> Result<(), ServeError> {
    let address = listener.local_addr().map_err(ServeError::Listener)?;
    let shared = Arc::new(Shared::new(transactions, auth, options));
    let (end, ended) = watch::channel(false);
    let mut connections = JoinSet::new();
    tracing::debug!(%address, "serving Bolt");
    accept(&shared, &listener, &ended, &mut connections, shutdown).await;
    drop(listener);
    shared.serving().shut_down();
    end.send_replace(true);
    let all_done = async { while connections.join_next().await.is_some() {} };
    if timeout(grace, all_done).await.is_err() {
        tracing::warn!(connections = connections.len(), "transactions did not end in time and are cut off");
        connections.shutdown().await;
    }
    Ok(())
}

/// Accepts connections until `shutdown` is done.
async fn accept(
    shared: &Arc<Shared>,
    listener: &TcpListener,
    ended: &watch::Receiver<bool>,
    connections: &mut JoinSet<()>,
    shutdown: impl Future<Output = ()>,
) {
    let mut shutdown = pin!(shutdown);
    let workers = Workers::new(&shared.options.workers);
    let served = Arc::new(Semaphore::new(shared.options.connections_max.min(Semaphore::MAX_PERMITS)));
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
        let Ok(permit) = Arc::clone(&served).try_acquire_owned() else {
            // Before the handshake there is no message in which to say why; the log does.
            shared.serving().metrics.refused_connections.inc();
            let max = shared.options.connections_max;
            tracing::warn!("a connection of Bolt is closed: there are {max} already (server.connections_max)");
            continue;
        };
        // Answers are written whole; waiting for more to send would only delay them.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "no TCP_NODELAY");
        }
        let (shared, ended) = (Arc::clone(shared), ended.clone());
        workers.spawn(connections, stream, move |stream| async move {
            shared.serving().metrics.connections.inc();
            if let Err(error) = connection::serve(&shared, stream, peer, ended).await {
                tracing::debug!(%peer, %error, "a connection of Bolt ended");
            }
            shared.serving().metrics.connections.dec();
            drop(permit);
        });
    }
}
