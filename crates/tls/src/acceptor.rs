//! The certificate that is shown at this moment, and how new files replace it.

use std::sync::{Arc, Weak};
use std::time::SystemTime;

use arc_swap::ArcSwap;
use rustls::ServerConfig;
use tokio::net::TcpStream;
use tokio::time::sleep;

use crate::error::TlsError;
use crate::files::{Files, Loaded, load};
use crate::handshake::{Accepted, HandshakeError, accept};
use crate::limits::RELOAD_INTERVAL;
use crate::protocol::Protocol;

/// TLS for the listeners of a server, which share it.
#[derive(Debug)]
pub struct Tls {
    files: Files,
    loaded: ArcSwap<Loaded>,
}

/// What tells a file from the one that was there before; none where there is no file.
type Stamp = Option<(SystemTime, u64, u64)>;

impl Tls {
    /// Reads the files.
    ///
    /// # Errors
    /// A file that cannot be used.
    pub fn open(files: Files) -> Result<Arc<Self>, TlsError> {
        let loaded = ArcSwap::from_pointee(load(&files)?);
        Ok(Arc::new(Self { files, loaded }))
    }

    /// Reads the files again. Connections that are made from now on get what they hold.
    ///
    /// # Errors
    /// A file that cannot be used; nothing has changed then.
    pub fn reload(&self) -> Result<(), TlsError> {
        self.loaded.store(Arc::new(load(&self.files)?));
        Ok(())
    }

    /// When the certificate of the server ends.
    #[must_use]
    pub fn ends(&self) -> SystemTime {
        self.loaded.load().ends
    }

    /// Whether clients may show certificates.
    #[must_use]
    pub fn has_clients(&self) -> bool {
        self.files.client_ca.is_some()
    }

    /// Takes a connection through the handshake. A client that sends a request of HTTP in plain text is answered that
    /// this port speaks TLS; any other one that does not begin a handshake is not answered, because what it sent next
    /// might be a password.
    ///
    /// # Errors
    /// The connection is lost; there is nothing more to do with it.
    pub async fn accept(&self, stream: TcpStream, protocol: Protocol) -> Result<Accepted, HandshakeError> {
        accept(self.config(protocol), stream).await
    }

    fn config(&self, protocol: Protocol) -> Arc<ServerConfig> {
        let loaded = self.loaded.load();
        Arc::clone(match protocol {
            Protocol::Http => &loaded.http,
            Protocol::Bolt => &loaded.bolt,
        })
    }

    /// Reads the files again and logs how that went.
    pub async fn reload_and_log(self: &Arc<Self>) {
        let tls = Arc::clone(self);
        // Files may be on a disk that is slow.
        match tokio::task::spawn_blocking(move || tls.reload()).await {
            Ok(Ok(())) => tracing::info!(certificate = %self.files.certificate.display(), "TLS has its files anew"),
            Ok(Err(error)) => {
                tracing::error!(%error, "TLS goes on with the certificate it has: the new files cannot be used");
            }
            Err(error) => tracing::error!(%error, "TLS goes on with the certificate it has"),
        }
    }

    /// Reads the files again whenever they have changed, as long as there is somebody else who holds `tls`.
    pub async fn follow(tls: Weak<Self>) {
        let Some(mut read) = stamps(&tls).await else { return };
        let mut seen = read.clone();
        loop {
            sleep(RELOAD_INTERVAL).await;
            let Some(now) = stamps(&tls).await else { return };
            if now != read && now == seen {
                if let Some(tls) = tls.upgrade() {
                    tls.reload_and_log().await;
                }
                read.clone_from(&now);
            }
            seen = now;
        }
    }

    fn stamps(&self) -> Vec<Stamp> {
        let files = [Some(&self.files.certificate), Some(&self.files.key), self.files.client_ca.as_ref()];
        let stamp = |file: &std::path::PathBuf| {
            let about = file.metadata().ok()?;
            Some((about.modified().ok()?, about.len(), number(&about)))
        };
        files.into_iter().flatten().map(stamp).collect()
    }
}

async fn stamps(tls: &Weak<Tls>) -> Option<Vec<Stamp>> {
    let tls = tls.upgrade()?;
    tokio::task::spawn_blocking(move || tls.stamps()).await.ok()
}

/// The number of a file, which a file that is moved over another one brings along.
fn number(about: &std::fs::Metadata) -> u64 {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::ino(about);
    #[cfg(not(unix))]
    {
        let _ = about;
        0
    }
}
