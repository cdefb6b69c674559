//! Where requests go: the server's address, resolved once, and how a connection to it is made.

use std::future::Future as _;
use std::net::SocketAddr;
use std::path::Path;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::http::uri::{Scheme, Uri};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::ConfigVerifierExt as _;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::error::LoadTestError;
use crate::limits::ANSWER_BYTES_GUESS;

/// A server to send requests to.
#[derive(Clone)]
pub(crate) struct Endpoint {
    /// Host and port, as in the `Host` header.
    pub(crate) host: String,
    /// Path before that of the graph, without slashes at its ends.
    pub(crate) base_path: String,
    addresses: Vec<SocketAddr>,
    tls: Option<(TlsConnector, ServerName<'static>)>,
}

impl Endpoint {
    /// Takes an address apart and resolves its name. `ca`: a file with the CAs of `https`, in place of the system's.
    pub(crate) async fn resolve(url: &str, ca: Option<&Path>) -> Result<Self, LoadTestError> {
        let wrong = |reason: String| LoadTestError::Address { url: url.into(), reason };
        let uri: Uri = url.trim().parse().map_err(|error| wrong(format!("{error}")))?;
        let is_tls = match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTP => false,
            Some(scheme) if *scheme == Scheme::HTTPS => true,
            _ => return Err(wrong("it must begin with http:// or https://, such as http://127.0.0.1:8080".into())),
        };
        let authority = uri.authority().ok_or_else(|| wrong("there is no host in it".into()))?;
        if authority.as_str().contains('@') {
            return Err(wrong("user and password belong in their own options, not in the address".into()));
        }
        let name = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        let port = authority.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        let addresses: Vec<_> = tokio::net::lookup_host((name.as_str(), port))
            .await
            .map_err(|error| wrong(format!("its host cannot be resolved: {error}")))?
            .collect();
        if addresses.is_empty() {
            return Err(wrong("its host has no address".into()));
        }
        let tls = if is_tls { Some(tls(&name, ca).map_err(wrong)?) } else { None };
        let base_path = uri.path().trim_matches('/').to_owned();
        Ok(Self { host: authority.as_str().to_owned(), base_path, addresses, tls })
    }

    /// Whether the server is on this machine, as far as its address tells.
    pub(crate) fn is_local(&self) -> bool {
        self.addresses.iter().any(|address| address.ip().is_loopback())
    }

    /// Its port.
    pub(crate) fn port(&self) -> u16 {
        self.addresses.first().map_or(0, SocketAddr::port)
    }

    /// Makes a connection; the first address that answers is taken.
    pub(crate) async fn connect(&self) -> std::io::Result<Stream> {
        let mut last = std::io::Error::other("no address");
        for address in &self.addresses {
            match TcpStream::connect(address).await {
                Ok(stream) => {
                    // Requests are whole when they are written: waiting for more would only delay them.
                    stream.set_nodelay(true)?;
                    cheapest_congestion_control(&stream, *address);
                    // A port is free again as soon as its user ends: the next row needs as many.
                    stream.set_zero_linger()?;
                    let counted = Counted { stream, traffic: Traffic::default() };
                    return match &self.tls {
                        None => Ok(Stream::Plain(counted)),
                        Some((connector, name)) => {
                            let stream = connector.connect(name.clone(), counted).await?;
                            Ok(Stream::Tls(Box::new(stream)))
                        }
                    };
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

/// Chooses the cheapest congestion control, so that the tool takes little from a server on the same machine: traffic to
/// its own addresses needs none.
fn cheapest_congestion_control(stream: &TcpStream, address: SocketAddr) {
    // Where it is not allowed there is the system's own.
    #[cfg(target_os = "linux")]
    if address.ip().is_loopback() {
        let _ = rustix::net::sockopt::set_tcp_congestion(stream, crate::limits::CONGESTION_CONTROL_LOOPBACK);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (stream, address);
}

fn tls(name: &str, ca: Option<&Path>) -> Result<(TlsConnector, ServerName<'static>), String> {
    if CryptoProvider::get_default().is_none() {
        // It fails only when another thread was first, and then there is a choice.
        drop(ring::default_provider().install_default());
    }
    let config = match ca {
        Some(file) => ClientConfig::builder().with_root_certificates(roots(file)?).with_no_client_auth(),
        None => {
            ClientConfig::with_platform_verifier().map_err(|error| format!("https is not possible here: {error}"))?
        }
    };
    let name = ServerName::try_from(name.to_owned())
        .map_err(|error| format!("not a valid name for a certificate: {error}"))?;
    Ok((TlsConnector::from(Arc::new(config)), name))
}

/// The CAs in a file.
fn roots(file: &Path) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    let wrong = |reason: String| format!("the CA in {} cannot be used: {reason}", file.display());
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| wrong(error.to_string()))? {
        let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
        roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
    }
    if roots.is_empty() { Err(wrong("there is no certificate in it".to_owned())) } else { Ok(roots) }
}

/// Bytes that went over a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Traffic {
    pub(crate) received: u64,
    pub(crate) sent: u64,
}

/// A connection to the server.
pub(crate) enum Stream {
    /// `http`.
    Plain(Counted),
    /// `https`.
    Tls(Box<tokio_rustls::client::TlsStream<Counted>>),
}

impl Stream {
    /// Bytes so far.
    pub(crate) fn traffic(&self) -> Traffic {
        match self {
            Self::Plain(stream) => stream.traffic,
            Self::Tls(stream) => stream.get_ref().0.traffic,
        }
    }

    /// Reads what is there to the end of `into`; 0 bytes mean that the connection is closed.
    pub(crate) fn poll_read(&mut self, cx: &mut Context<'_>, into: &mut Vec<u8>) -> Poll<std::io::Result<usize>> {
        if into.capacity() - into.len() < ANSWER_BYTES_GUESS / 2 {
            // At least doubles it, so that long answers are not copied again and again.
            into.reserve(ANSWER_BYTES_GUESS);
        }
        let read = pin!(async {
            match self {
                Self::Plain(stream) => stream.read_buf(into).await,
                Self::Tls(stream) => stream.read_buf(into).await,
            }
        });
        read.poll(cx)
    }

    /// Writes as much as goes.
    pub(crate) fn poll_write(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        match self {
            Self::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    /// Sends what encryption may hold back.
    pub(crate) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        match self {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }
}

/// A socket that counts its bytes.
pub(crate) struct Counted {
    stream: TcpStream,
    traffic: Traffic,
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buffer);
        self.traffic.received += (buffer.filled().len() - before) as u64;
        polled
    }
}

impl Counted {
    fn count(&mut self, polled: &Poll<std::io::Result<usize>>) {
        if let Poll::Ready(Ok(written)) = polled {
            self.traffic.sent += *written as u64;
        }
    }
}

impl AsyncWrite for Counted {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.count(&polled);
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.count(&polled);
        polled
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn resolve(url: &str) -> Result<Endpoint, String> {
        Endpoint::resolve(url, None).await.map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn addresses_are_taken_apart() {
        let endpoint = resolve("http://127.0.0.1:8080/prefix/").await.unwrap();
        assert_eq!((endpoint.host.as_str(), endpoint.base_path.as_str()), ("127.0.0.1:8080", "prefix"));
        assert!(endpoint.is_local() && endpoint.port() == 8080 && endpoint.tls.is_none());
        assert_eq!(resolve("http://[::1]").await.unwrap().port(), 80);
    }

    #[tokio::test]
    async fn unusable_ones_are_explained() {
        for (url, word) in [("127.0.0.1:8080", "http://"), ("ftp://a", "http://"), ("http://u:p@127.0.0.1", "password")]
        {
            let error = resolve(url).await.err().unwrap();
            assert!(error.contains(word), "{url}: {error}");
        }
    }
}
