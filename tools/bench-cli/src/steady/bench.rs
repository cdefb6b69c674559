//! What all parts have in common.

use std::time::Duration;

use api_client::ClientOptions;
use load_test::{Cancel, DataOptions, LoadTest};

use crate::progress::Screen;
use crate::server::{OwnServer, ServerSettings};
use crate::storage::ReadStorage;

/// What all parts have in common.
pub(super) struct Bench<'a> {
    pub(super) read_storage: ReadStorage,
    pub(super) settings: ServerSettings,
    pub(super) duration: Duration,
    pub(super) is_quick: bool,
    pub(super) edges: u64,
    pub(super) cancel: &'a Cancel,
    pub(super) screen: Screen,
}

impl Bench<'_> {
    /// Starts a server for a part.
    pub(super) async fn server(&self) -> anyhow::Result<OwnServer> {
        OwnServer::start(&self.settings).await
    }

    /// The duration of a measurement, longer without `--quick`.
    pub(super) fn seconds(&self, quick: u64, full: u64) -> Duration {
        Duration::from_secs(if self.is_quick { quick } else { full })
    }
}

/// A load test of a server.
pub(super) async fn connect(server: &OwnServer, data: DataOptions) -> anyhow::Result<LoadTest> {
    Ok(LoadTest::connect(client_options(server), data).await?)
}

/// How a client finds a server.
pub(super) fn client_options(server: &OwnServer) -> ClientOptions {
    ClientOptions { url: server.url().to_owned(), ..ClientOptions::default() }
}
