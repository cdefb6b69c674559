//! The REST API as a service of an HTTP server. Start at [`service()`].

use std::sync::Arc;

use http_server::Service;
use query_service::QueryService;
use serving::Serving;

use crate::call::App;
use crate::options::ApiOptions;
use crate::routes::directory;

/// The API over the graphs of a store and the queries on them, to be given to [`http_server::Mounts`]. Other protocols
/// may share `serving`, which must have been made for the same store ([`serving::Options::remote`]), and `queries`.
pub fn service(queries: Arc<QueryService>, serving: Arc<Serving>, options: ApiOptions) -> Arc<impl Service> {
    Arc::new(App::new(queries, serving, options, directory()))
}
