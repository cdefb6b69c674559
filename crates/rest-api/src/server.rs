//! The REST API on a listener. Start at [`serve`].

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use graph_host::Store;
use http_server::{Mounts, Options, ServeError};
use tokio::net::TcpListener;

use crate::call::App;
use crate::options::ApiOptions;
use crate::routes::directory;

/// Serves the API on `listener` until `shutdown` is done. Then no connection is accepted any more, idle ones are
/// closed, requests at work have `grace` to be answered, and what is not done after that is cut off.
pub async fn serve(
    listener: TcpListener,
    store: Arc<Store>,
    options: ApiOptions,
    shutdown: impl Future<Output = ()>,
    grace: Duration,
) -> Result<(), ServeError> {
    let app = App::new(store, options, directory());
    let limits = &app.options.limits;
    let options = Options {
        connections_max: limits.connections_max,
        header_read_timeout: Duration::from_millis(limits.header_read_timeout_ms),
        keep_alive_idle_timeout: Duration::from_millis(limits.keep_alive_idle_timeout_ms),
        busy_poll: Duration::from_micros(limits.busy_poll_us),
        workers: app.options.workers.clone(),
    };
    let serving = Arc::clone(&app.serving);
    http_server::serve(listener, Mounts::new(app), serving, options, shutdown, grace).await
}
