//! Serves an empty graph in memory: `cargo run -p rest-api --example memory_server -- 127.0.0.1:8080`.

use std::sync::Arc;
use std::time::Duration;

use graph_host::{Store, StoreOptions};
use http_server::Mounts;
use key_codec::tables::TABLES;
use kv::MemoryEngine;
use query_service::QueryService;
use rest_api::ApiOptions;
use serving::Serving;
use tokio::net::TcpListener;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    tracing_subscriber::fmt().with_env_filter(tracing_subscriber::EnvFilter::from_default_env()).init();
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let store = Arc::new(Store::open(Arc::new(MemoryEngine::open(TABLES)), StoreOptions::default())?);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(address).await?;
        let stop = async { drop(tokio::signal::ctrl_c().await) };
        let queries = Arc::new(QueryService::new(store, query_service::Options::default()));
        let serving = Arc::new(Serving::new(serving::Options::default()));
        let api = Mounts::new(rest_api::service(queries, Arc::clone(&serving), ApiOptions::default()));
        let options = http_server::Options::default();
        http_server::serve(listener, api, serving, options, stop, Duration::from_secs(10)).await?;
        Ok(())
    })
}
