//! Limits that graphs have of their own.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use graph_host::Store;
use graph_limits::GraphLimits;
use rhizome::settings::Settings;

/// Has a server over a shared store follow changes that others make to the limits of graphs.
pub(super) fn follow(limits: &Arc<GraphLimits>, store: &Store, settings: &Settings) -> anyhow::Result<()> {
    if !store.engine().capabilities().shared {
        return Ok(());
    }
    let (limits, pause) = (Arc::downgrade(limits), Duration::from_millis(settings.cluster.refresh_ms));
    let follow = move || {
        while let Some(limits) = limits.upgrade() {
            if let Err(error) = limits.refresh() {
                tracing::warn!(%error, "limits of graphs could not be read again");
            }
            drop(limits);
            std::thread::sleep(pause);
        }
    };
    std::thread::Builder::new().name("limits".to_owned()).spawn(follow).context("starting a thread")?;
    Ok(())
}
