//! Requests over TLS: short and long ones, kept connections, and the end of the server.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::time::Duration;

use http_server::{HttpResponse, Mounts, Options, Refusal, Reply, Service, read_body, serve};
use hyper::Request;
use hyper::body::Incoming;
use rcgen::{CertificateParams, KeyPair};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serving::{Options as ServingOptions, Serving};
use tls::{Demand, Files, Tls};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

const LONG: Duration = Duration::from_secs(30);

/// Sends back what it is sent, again and again as often as the path says.
struct Echo(Arc<Serving>);

impl Service for Echo {
    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> HttpResponse {
        let (head, mut body) = request.into_parts();
        let mut admitted = self.0.admission.enter().ok().unwrap();
        let body = read_body(&mut body, &head.headers, &mut admitted, 10_000_000).await.ok().unwrap();
        let times = head.uri.path().trim_start_matches('/').parse().unwrap();
        Reply::ok(body.repeat(times)).into_response()
    }

    async fn refuse(self: Arc<Self>, _: Request<Incoming>, refusal: Refusal) -> HttpResponse {
        Reply::text(refusal.to_string()).into_response()
    }
}

#[tokio::test]
async fn requests_are_answered_whole_and_idle_connections_closed() {
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec!["localhost".to_owned()]).unwrap().self_signed(&key).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("server.pem"), certificate.pem()).unwrap();
    std::fs::write(path("key.pem"), key.serialize_pem()).unwrap();
    std::fs::set_permissions(path("key.pem"), std::fs::Permissions::from_mode(0o600)).unwrap();
    let files =
        Files { certificate: path("server.pem"), key: path("key.pem"), client_ca: None, demand: Demand::Optional };
    let serving = Arc::new(Serving::new(ServingOptions {
        bytes_in_flight_max: 100_000_000,
        threads: 1,
        ..ServingOptions::default()
    }));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mounts = Mounts::new(Arc::new(Echo(Arc::clone(&serving))));
    let options = Options { tls: Some(Tls::open(files).unwrap()), ..Options::default() };
    let (stop, stopped) = oneshot::channel::<()>();
    let shutdown = async move { drop(stopped.await) };
    let server = tokio::spawn(serve(listener, mounts, serving, options, shutdown, LONG));

    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(certificate.pem().as_bytes()).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = TcpStream::connect(address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap();
    for (bytes, times) in [(0, 1), (1, 1), (10, 100), (100_000, 50), (3_000_000, 2), (5, 1)] {
        let body: Vec<u8> = (0..=u8::MAX).cycle().take(bytes).collect();
        let head = format!("POST /{times} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {bytes}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(&body).await.unwrap();
        stream.flush().await.unwrap();
        let mut answer = Vec::new();
        let body = loop {
            assert!(timeout(LONG, stream.read_buf(&mut answer)).await.unwrap().unwrap() > 0);
            let Some(head) = answer.windows(4).position(|end| end == b"\r\n\r\n") else { continue };
            if answer.len() >= head + 4 + bytes * times {
                break answer.split_off(head + 4);
            }
        };
        assert!(answer.starts_with(b"HTTP/1.1 200 OK\r\n"), "{bytes} {times}");
        let expected: Vec<u8> = (0..=u8::MAX).cycle().take(bytes).collect::<Vec<_>>().repeat(times);
        assert!(body == expected, "{bytes} {times}");
    }
    // The end of the server is told by TLS: it is no error.
    stop.send(()).unwrap();
    assert_eq!(timeout(LONG, stream.read(&mut [0; 1])).await.unwrap().unwrap(), 0);
    server.await.unwrap().unwrap();
}
