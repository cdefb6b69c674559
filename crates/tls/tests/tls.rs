//! Handshakes with real clients, files that cannot be used, and files that change.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test code")]

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion, version};
use tls::{Accepted, Demand, Files, HandshakeError, Problem, Protocol, Tls};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// A CA, and where its certificate is.
struct Ca {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Ca {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut about = CertificateParams::default();
        about.distinguished_name.push(DnType::CommonName, "test CA");
        about.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        about.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let pem = about.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(about, key), pem }
    }

    /// A certificate and its key.
    fn sign(&self, name: &str, purpose: ExtendedKeyUsagePurpose, years: (i32, i32)) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let mut about = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        about.distinguished_name.push(DnType::CommonName, name);
        about.extended_key_usages = vec![purpose];
        about.not_before = rcgen::date_time_ymd(years.0, 1, 1);
        about.not_after = rcgen::date_time_ymd(years.1, 1, 1);
        (about.signed_by(&key, &self.issuer).unwrap().pem(), key.serialize_pem())
    }

    fn server(&self, name: &str) -> (String, String) {
        self.sign(name, ExtendedKeyUsagePurpose::ServerAuth, (2020, 2200))
    }

    fn client(&self, name: &str) -> (String, String) {
        self.sign(name, ExtendedKeyUsagePurpose::ClientAuth, (2020, 2200))
    }
}

/// A folder with the files of a server.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new((certificate, key): &(String, String)) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("server.pem", certificate);
        folder.write("key.pem", key);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }

    fn files(&self) -> Files {
        Files {
            certificate: self.path("server.pem"),
            key: self.path("key.pem"),
            client_ca: None,
            demand: Demand::Optional,
        }
    }

    fn files_with_clients(&self, demand: Demand) -> Files {
        Files { client_ca: Some(self.path("ca.pem")), demand, ..self.files() }
    }
}

/// A client that trusts a CA, and shows a certificate where it has one.
fn client(ca: &str, shown: Option<&(String, String)>, versions: &[&'static SupportedProtocolVersion]) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(ca.as_bytes()).unwrap()).unwrap();
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_protocol_versions(versions).unwrap().with_root_certificates(roots);
    match shown {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
            builder.with_client_auth_cert(chain, PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap()).unwrap()
        }
    }
}

/// Connects a client. The server's side, and the client's once it has sent a byte and got one back: with TLS 1.3 a
/// client learns only then that it was refused.
async fn connect(
    tls: &Tls,
    config: ClientConfig,
) -> (Result<Accepted, HandshakeError>, std::io::Result<TlsStream<TcpStream>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let asking = async {
        let stream = TcpStream::connect(address).await.unwrap();
        let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
        stream.write_all(b"?").await?;
        let mut byte = [0];
        stream.read_exact(&mut byte).await?;
        Ok(stream)
    };
    let serving = async {
        let (stream, _) = listener.accept().await.unwrap();
        let mut accepted = tls.accept(stream, Protocol::Http).await?;
        let mut byte = [0];
        accepted.stream.read_exact(&mut byte).await?;
        accepted.stream.write_all(b"!").await?;
        accepted.stream.flush().await?;
        Ok(accepted)
    };
    tokio::join!(serving, asking)
}

const BOTH: &[&SupportedProtocolVersion] = &[&version::TLS12, &version::TLS13];

/// The common name in the certificate that a server shows.
async fn shown_name(tls: &Tls, ca: &str) -> Vec<u8> {
    let (_, asked) = connect(tls, client(ca, None, BOTH)).await;
    asked.unwrap().get_ref().1.peer_certificates().unwrap()[0].to_vec()
}

#[tokio::test]
async fn both_versions_are_spoken_and_http_has_its_name() {
    let ca = Ca::new();
    let folder = Folder::new(&ca.server("one"));
    let tls = Tls::open(folder.files()).unwrap();
    for version in BOTH {
        let mut config = client(&ca.pem, None, &[version]);
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        let (accepted, asked) = connect(&tls, config).await;
        let (accepted, asked) = (accepted.unwrap(), asked.unwrap());
        assert!(accepted.stream.is_encrypted() && accepted.certificate.is_none());
        assert_eq!(asked.get_ref().1.protocol_version(), Some(version.version));
        assert_eq!(asked.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
    }
    let (refused, asked) = connect(&tls, client(&Ca::new().pem, None, BOTH)).await;
    assert!(matches!(refused.unwrap_err(), HandshakeError::Failed(_)));
    assert!(asked.unwrap_err().to_string().contains("invalid peer certificate"));
}

#[tokio::test]
async fn a_certificate_of_the_ca_names_a_user_and_others_are_refused() {
    let (ca, foreign) = (Ca::new(), Ca::new());
    let folder = Folder::new(&ca.server("one"));
    folder.write("ca.pem", &ca.pem);
    let (alice, mallory) = (ca.client("alice"), foreign.client("alice"));
    // The server's own certificate is not one of a client.
    let misused = ca.server("alice");
    let over = ca.sign("alice", ExtendedKeyUsagePurpose::ClientAuth, (2020, 2021));
    for version in BOTH {
        for demand in [Demand::Optional, Demand::Required] {
            let tls = Tls::open(folder.files_with_clients(demand)).unwrap();
            let (accepted, asked) = connect(&tls, client(&ca.pem, Some(&alice), &[version])).await;
            asked.unwrap();
            assert_eq!(accepted.unwrap().certificate.unwrap().user(), "alice");
            for refused in [&mallory, &misused, &over] {
                let (accepted, asked) = connect(&tls, client(&ca.pem, Some(refused), &[version])).await;
                assert!(accepted.is_err() && asked.is_err(), "{demand:?}");
            }
            let (accepted, asked) = connect(&tls, client(&ca.pem, None, &[version])).await;
            match demand {
                Demand::Optional => assert!(accepted.unwrap().certificate.is_none() && asked.is_ok()),
                Demand::Required => assert!(accepted.is_err() && asked.is_err()),
            }
        }
    }
}

/// What a server answers to bytes in plain text.
async fn plain(tls: &Tls, bytes: &[u8]) -> (HandshakeError, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let (accepted, _) = listener.accept().await.unwrap();
    let mut answer = Vec::new();
    let asking = async {
        // It may end with a reset: what was sent has not been read.
        drop(stream.read_to_end(&mut answer).await);
        drop(stream);
    };
    let (refused, ()) = tokio::join!(tls.accept(accepted, Protocol::Http), asking);
    (refused.err().unwrap(), String::from_utf8(answer).unwrap())
}

#[tokio::test]
async fn plain_text_is_answered_where_it_can_be_read() {
    let ca = Ca::new();
    let folder = Folder::new(&ca.server("one"));
    let tls = Tls::open(folder.files()).unwrap();
    let (error, answer) = plain(&tls, b"GET /versions HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert!(matches!(error, HandshakeError::PlainText));
    assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{answer}");
    assert!(answer.ends_with("\r\n\r\nthis port speaks TLS: use https://\n"), "{answer}");
    let (error, answer) = plain(&tls, b"\x60\x60\xb0\x17\0\0\x05\x04").await;
    assert!(matches!(error, HandshakeError::PlainText) && answer.is_empty());
    let (error, _) = plain(&tls, b"\x16\x03\x01\xff\xffab").await;
    assert!(matches!(error, HandshakeError::Failed(_)), "{error}");
    // A handshake that does not go on.
    let since = Instant::now();
    let (error, _) = plain(&tls, b"\x16\x03\x01\x00\x02").await;
    assert!(matches!(error, HandshakeError::TimedOut), "{error}");
    assert!(since.elapsed() >= tls::limits::HANDSHAKE_TIME_MAX);
}

#[tokio::test]
async fn a_client_that_goes_away_is_noticed_and_what_it_sent_is_not_lost() {
    let ca = Ca::new();
    let folder = Folder::new(&ca.server("one"));
    let tls = Tls::open(folder.files()).unwrap();
    let (accepted, asked) = connect(&tls, client(&ca.pem, None, BOTH)).await;
    let (mut server, mut client) = (accepted.unwrap().stream, asked.unwrap());
    let is_there = std::future::poll_fn(|context| Poll::Ready(server.poll_left(context).is_pending())).await;
    assert!(is_there);
    client.write_all(b"abc").await.unwrap();
    client.flush().await.unwrap();
    for _ in 0..2 {
        assert!(!std::future::poll_fn(|context| server.poll_left(context)).await.unwrap());
    }
    let mut read = [0; 3];
    server.read_exact(&mut read).await.unwrap();
    assert_eq!(&read, b"abc");
    client.shutdown().await.unwrap();
    assert!(std::future::poll_fn(|context| server.poll_left(context)).await.unwrap());
}

fn problem(files: Files) -> String {
    Tls::open(files).unwrap_err().to_string()
}

#[test]
fn what_is_wrong_with_a_file_is_told_with_its_name() {
    let ca = Ca::new();
    let folder = Folder::new(&ca.server("one"));
    let of = |name: &str, words: &str| {
        let error = problem(folder.files());
        let path = folder.path(name);
        assert!(error.contains(&format!("the file {} ", path.display())) && error.contains(words), "{error}");
    };
    let exposed = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    exposed(&folder.path("key.pem"), 0o644);
    of("key.pem", "can be read by everyone (mode 644); chmod 600 it");
    exposed(&folder.path("key.pem"), 0o640);
    assert!(Tls::open(folder.files()).is_ok());
    folder.write("key.pem", &ca.server("two").1);
    of("key.pem", "has a key that does not match the certificate in ");
    folder.write("key.pem", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n");
    of("key.pem", "has an encrypted key");
    folder.write("key.pem", &ca.pem);
    of("key.pem", "has no PEM block '-----BEGIN PRIVATE KEY-----'");
    std::fs::remove_file(folder.path("key.pem")).unwrap();
    of("key.pem", "cannot be read: No such file");
    let (certificate, key) = ca.sign("one", ExtendedKeyUsagePurpose::ServerAuth, (2020, 2021));
    folder.write("server.pem", &certificate);
    folder.write("key.pem", &key);
    of("server.pem", "has a certificate that has expired on 2021-01-01");
    folder.write("server.pem", &ca.sign("one", ExtendedKeyUsagePurpose::ServerAuth, (2199, 2200)).0);
    of("server.pem", "is not valid before 2199-01-01");
    folder.write("server.pem", &key);
    of("server.pem", "has no PEM block '-----BEGIN CERTIFICATE-----'");
    folder.write("server.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    of("server.pem", "has a certificate that cannot be used");
    folder.write("server.pem", "-----BEGIN CERTIFICATE-----\nAAAA");
    of("server.pem", "is not valid PEM");
    let error = Tls::open(folder.files_with_clients(Demand::Required)).unwrap_err();
    assert_eq!(error.setting, "tls.certificate");
    let (certificate, key) = ca.server("one");
    folder.write("server.pem", &certificate);
    folder.write("key.pem", &key);
    let error = Tls::open(folder.files_with_clients(Demand::Required)).unwrap_err();
    assert!(error.setting == "tls.client_ca" && matches!(error.problem, Problem::Unreadable(_)), "{error}");
}

#[tokio::test]
async fn new_files_are_shown_and_broken_ones_change_nothing() {
    let ca = Ca::new();
    let first = ca.server("first");
    let folder = Folder::new(&first);
    let tls = Tls::open(folder.files()).unwrap();
    let der = |pem: &str| CertificateDer::from_pem_slice(pem.as_bytes()).unwrap().to_vec();
    assert_eq!(shown_name(&tls, &ca.pem).await, der(&first.0));
    let (accepted, asked) = connect(&tls, client(&ca.pem, None, BOTH)).await;
    let (mut server, mut open) = (accepted.unwrap().stream, asked.unwrap());
    let second = ca.server("second");
    folder.write("server.pem", &second.0);
    assert!(matches!(tls.reload().unwrap_err().problem, Problem::Mismatch { .. }));
    assert_eq!(shown_name(&tls, &ca.pem).await, der(&first.0));
    folder.write("key.pem", &second.1);
    tls.reload().unwrap();
    assert_eq!(shown_name(&tls, &ca.pem).await, der(&second.0));
    // A connection from before goes on.
    open.write_all(b"x").await.unwrap();
    let mut byte = [0];
    server.read_exact(&mut byte).await.unwrap();
    assert_eq!(&byte, b"x");
    // Without being told.
    tokio::spawn(Tls::follow(Arc::downgrade(&tls)));
    tokio::time::sleep(Duration::from_millis(200)).await;
    let third = ca.server("third");
    folder.write("server.pem", &third.0);
    folder.write("key.pem", &third.1);
    let since = Instant::now();
    while shown_name(&tls, &ca.pem).await != der(&third.0) {
        assert!(since.elapsed() < 10 * tls::limits::RELOAD_INTERVAL, "the new files are not noticed");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
