//! TLS of a server: from the settings, and anew on SIGHUP or when the files change.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::SystemTime;

use rhizome::settings::Settings;
use serving::Metrics;
use tls::Tls;
use tokio::signal::unix::{SignalKind, signal};

/// What encrypts the connections of a server; none where the settings name no certificate.
pub(super) fn open(settings: &Settings) -> anyhow::Result<Option<Arc<Tls>>> {
    let Some(files) = settings.tls.files() else { return Ok(None) };
    Ok(Some(Tls::open(files)?))
}

/// Has the files read again on SIGHUP, and whenever they change. Must be called in a runtime, which does that.
pub(super) fn follow(tls: &Arc<Tls>) -> anyhow::Result<()> {
    tokio::spawn(Tls::follow(Arc::downgrade(tls)));
    let mut hangups = signal(SignalKind::hangup())?;
    let tls = Arc::downgrade(tls);
    tokio::spawn(async move {
        while hangups.recv().await.is_some() {
            let Some(tls) = tls.upgrade() else { return };
            tls.reload_and_log().await;
        }
    });
    Ok(())
}

/// Shows among the metrics when the certificate ends.
pub(super) fn measure(tls: &Arc<Tls>, metrics: &Metrics) {
    let tls = Arc::clone(tls);
    metrics.gauge_of(
        "rhizome_tls_certificate_expiry_timestamp_seconds",
        "When the certificate of the server ends, in seconds since 1970 UTC",
        move || {
            let ends = tls.ends().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            i64::try_from(ends.as_secs()).unwrap_or(i64::MAX)
        },
    );
}

/// Says where passwords can be read on their way.
pub(super) fn warn_of_plain_text(settings: &Settings, listeners: &[SocketAddr]) {
    if !settings.auth.enabled || settings.tls.files().is_some() {
        return;
    }
    for address in listeners.iter().filter(|address| !address.ip().is_loopback()) {
        tracing::warn!(
            "passwords, tokens and data go to and from {address} as plain text, which anyone on the way can read: set \
             tls.certificate and tls.key (`rhizome cert dev` makes a pair to try), or let a proxy on this machine \
             speak TLS"
        );
    }
}

/// What addresses begin with, as clients write them.
pub(super) struct Schemes {
    pub(super) http: &'static str,
    pub(super) web_socket: &'static str,
    pub(super) bolt: &'static str,
    pub(super) neo4j: &'static str,
}

impl Schemes {
    pub(super) fn of(settings: &Settings) -> Self {
        if settings.tls.files().is_some() {
            Self { http: "https", web_socket: "wss", bolt: "bolt+s", neo4j: "neo4j+s" }
        } else {
            Self { http: "http", web_socket: "ws", bolt: "bolt", neo4j: "neo4j" }
        }
    }
}
