//! The REST API as a service of an HTTP server. Start at [`service()`].

use std::sync::Arc;

use graph_host::Store;
use http_server::Service;
use serving::Serving;

use crate::call::App;
use crate::options::ApiOptions;
use crate::routes::directory;

/// The API over the graphs of a store, to be given to [`http_server::Mounts`]. Other protocols may share `serving`,
/// which must have been made for the same store ([`serving::Options::remote`]).
pub fn service(store: Arc<Store>, serving: Arc<Serving>, options: ApiOptions) -> Arc<impl Service> {
    Arc::new(App::new(store, serving, options, directory()))
}
