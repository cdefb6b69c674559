//! TLS of the real process: certificates from `rhizome cert dev`, all protocols, new files under load, users by
//! certificates.
#![expect(clippy::unwrap_used, clippy::panic, reason = "test code")]

mod common;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use common::{Server, run};
use reqwest::{Certificate, Client, ClientBuilder, Identity, StatusCode};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

const PASSWORD: &str = "a password of tests";

/// A folder with a CA, a certificate and the settings that name it.
struct Certificates {
    folder: tempfile::TempDir,
    settings: PathBuf,
}

impl Certificates {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings = folder.path().join("rhizome.toml");
        let made = Self { folder, settings };
        let printed = made.dev(&[]);
        std::fs::write(&made.settings, printed).unwrap();
        made
    }

    /// Runs `rhizome cert dev`. Gives what it prints.
    fn dev(&self, arguments: &[&str]) -> String {
        let folder = self.path("certificates");
        let (status, printed, error) = run(&[&["cert", "dev", "--dir", folder.to_str().unwrap()], arguments].concat());
        assert!(status.success(), "{error}");
        printed
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path("certificates").join(name)).unwrap()
    }

    fn start(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Server {
        let settings = ["--config", self.settings.to_str().unwrap()];
        Server::start_with(&self.path("data"), &[&settings, arguments].concat(), variables)
    }

    /// A client that trusts the CA and nobody else.
    fn client(&self) -> ClientBuilder {
        drop(ring::default_provider().install_default());
        Client::builder()
            .tls_certs_only([Certificate::from_pem(&self.read("ca.pem")).unwrap()])
            .timeout(Duration::from_secs(30))
    }

    /// One that shows the certificate of a user.
    fn client_of(&self, user: &str) -> Client {
        let pem = [self.read(&format!("client-{user}.pem")), self.read(&format!("client-{user}-key.pem"))].concat();
        self.client().identity(Identity::from_pem(&pem).unwrap()).build().unwrap()
    }

    /// A connection with TLS.
    async fn connect(&self, address: &str) -> TlsStream<TcpStream> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(&self.read("ca.pem")).unwrap()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let stream = TcpStream::connect(address).await.unwrap();
        let name = ServerName::try_from("127.0.0.1").unwrap();
        TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap()
    }
}

fn address(server: &Server) -> &str {
    server.url.strip_prefix("https://").unwrap()
}

fn everyone_reads(path: &Path) -> bool {
    path.metadata().unwrap().permissions().mode() & 0o077 != 0
}

#[tokio::test]
async fn two_lines_of_settings_encrypt_all_protocols() {
    let certificates = Certificates::new();
    for name in ["ca.pem", "ca-key.pem", "server.pem", "server-key.pem"] {
        assert!(!everyone_reads(&certificates.path("certificates").join(name)), "{name}");
    }
    let server = certificates.start(&[], &[]);
    assert!(server.url.starts_with("https://"), "{}", server.url);
    let client = certificates.client().build().unwrap();
    let versions: Value = get(&client, &format!("{}/versions", server.url)).await;
    assert!(versions["versions"]["core"].is_string());
    let gremlin = client.post(format!("{}/gremlin", server.url)).body(r#"{"gremlin":"g.inject(1, 2)"}"#);
    let gremlin = gremlin.header("Content-Type", "application/json").send().await.unwrap();
    assert_eq!(gremlin.status(), StatusCode::OK);

    // An answer that is longer than what TLS takes at once.
    let document = client.get(format!("{}/openapi.json", server.url)).send().await.unwrap().bytes().await.unwrap();
    let document: Value = serde_json::from_slice(&document).unwrap();
    assert!(document["paths"].as_object().unwrap().len() > 50);

    // When the certificate ends, for who watches over it.
    let metrics = client.get(format!("{}/metrics", server.url)).send().await.unwrap().text().await.unwrap();
    let name = "rhizome_tls_certificate_expiry_timestamp_seconds ";
    let ends: f64 = metrics.lines().find_map(|line| line.strip_prefix(name)).unwrap().parse().unwrap();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64();
    assert!(ends > now && ends < now + 3_700.0 * 86_400.0, "{ends}");

    // Who does not know the CA does not connect, and plain text is told what is wrong.
    let stranger = Client::builder().tls_certs_only([]).build().unwrap();
    assert!(stranger.get(format!("{}/versions", server.url)).send().await.unwrap_err().is_connect());
    let plain = Client::new().get(format!("http://{}/versions", address(&server))).send().await.unwrap();
    assert_eq!(plain.status(), StatusCode::BAD_REQUEST);
    assert_eq!(plain.text().await.unwrap(), "this port speaks TLS: use https://\n");

    // Bolt: the four bytes it begins with, and one version that is wanted.
    let mut bolt = certificates.connect(&server.bolt).await;
    let mut hello = vec![0x60, 0x60, 0xb0, 0x17, 0, 0, 4, 5];
    hello.resize(20, 0);
    bolt.write_all(&hello).await.unwrap();
    let mut version = [0; 4];
    bolt.read_exact(&mut version).await.unwrap();
    assert_eq!(version, [0, 0, 4, 5]);
    let mut plain = TcpStream::connect(&server.bolt).await.unwrap();
    plain.write_all(&hello).await.unwrap();
    assert_eq!(plain.read(&mut version).await.unwrap_or(0), 0, "Bolt in plain text is not answered");

    // A connection that only shakes hands, and one that says nothing, do not hold up the end.
    let idle = certificates.connect(address(&server)).await;
    let silent = TcpStream::connect(address(&server)).await.unwrap();
    let since = Instant::now();
    assert!(server.stop().success());
    assert!(since.elapsed() < Duration::from_secs(8), "{:?}", since.elapsed());
    drop((idle, silent));
}

async fn get(client: &Client, url: &str) -> Value {
    let answer = client.get(url).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK, "{url}");
    answer.text().await.map(|text| serde_json::from_str(&text).unwrap()).unwrap()
}

#[test]
fn files_that_cannot_be_used_stop_the_start_and_are_named() {
    let certificates = Certificates::new();
    let start = |settings: &[&str]| {
        let data = certificates.path("data");
        let start = ["serve", "--data", data.to_str().unwrap(), "--config", certificates.settings.to_str().unwrap()];
        let (status, _, error) = run(&[&start, settings].concat());
        assert!(!status.success());
        error
    };
    let folder = certificates.path("certificates");
    let key = folder.join("server-key.pem");
    std::fs::copy(folder.join("ca-key.pem"), &key).unwrap();
    let error = start(&[]);
    assert!(error.contains(&format!("setting 'tls.key': the file {} has a key", key.display())), "{error}");
    assert!(error.contains("does not match the certificate in"), "{error}");
    let error = start(&["--set", "tls.certificate="]);
    assert!(error.contains("setting 'tls.certificate' is '': a key needs its certificate"), "{error}");
    let error = start(&["--set", "tls.certificate=/nowhere.pem"]);
    assert!(error.contains("the file /nowhere.pem cannot be read: No such file"), "{error}");
}

/// Asks again and again until it is told to stop. The number of answers.
async fn ask_on(client: Client, url: String, stop: Arc<AtomicBool>, answers: Arc<AtomicUsize>) {
    while !stop.load(Ordering::Relaxed) {
        get(&client, &url).await;
        answers.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn new_certificates_are_taken_over_without_losing_a_request() {
    let certificates = Certificates::new();
    let server = certificates.start(&[], &[]);
    let (stop, answers) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let url = format!("{}/versions", server.url);
    let mut asking = tokio::task::JoinSet::new();
    for at in 0..6 {
        // Half of them make a new connection each time.
        let client = certificates.client().pool_max_idle_per_host(at % 2 * 4).build().unwrap();
        asking.spawn(ask_on(client, url.clone(), Arc::clone(&stop), Arc::clone(&answers)));
    }
    let shown =
        async || certificates.connect(address(&server)).await.get_ref().1.peer_certificates().unwrap()[0].to_vec();
    let hang_up = || {
        let pid = server.pid().to_string();
        assert!(Command::new("kill").args(["-HUP", &pid]).status().unwrap().success());
    };
    let in_file = || CertificateDer::from_pem_slice(&certificates.read("server.pem")).unwrap().to_vec();
    let until_shown = async |expected: &[u8]| {
        let since = Instant::now();
        while shown().await != expected {
            assert!(since.elapsed() < Duration::from_secs(30), "the new certificate is not shown");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    for _ in 0..3 {
        let before = shown().await;
        certificates.dev(&[]);
        assert_ne!(in_file(), before);
        hang_up();
        until_shown(&in_file()).await;
    }
    // Without a signal.
    certificates.dev(&[]);
    until_shown(&in_file()).await;
    // What cannot be used changes nothing.
    let before = in_file();
    std::fs::write(certificates.path("certificates").join("server.pem"), "no certificate").unwrap();
    hang_up();
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(shown().await, before);
    stop.store(true, Ordering::Relaxed);
    while let Some(ended) = asking.join_next().await {
        ended.unwrap();
    }
    assert!(answers.load(Ordering::Relaxed) > 100, "{answers:?}");
}

#[tokio::test]
async fn certificates_of_clients_name_users() {
    let certificates = Certificates::new();
    let printed = certificates.dev(&["--client", "alice"]);
    certificates.dev(&["--client", "nobody-here"]);
    let ca = format!("tls.client_ca={}", certificates.path("certificates").join("ca.pem").display());
    assert!(printed.contains("client_ca = "), "{printed}");
    let variables = [("RHIZOME_ADMIN_PASSWORD", PASSWORD)];
    let with_users = ["--set", "auth.enabled=true", "--set", &ca];
    let server = certificates.start(&with_users, &variables);
    let admin = certificates.client().build().unwrap();
    let made = admin
        .post(format!("{}/auth/users", server.url))
        .basic_auth("admin", Some(PASSWORD))
        .header("Content-Type", "application/json")
        .body(json!({"user_name": "alice", "user_password": "a long password"}).to_string())
        .send()
        .await
        .unwrap();
    assert_eq!(made.status(), StatusCode::CREATED);
    let url = format!("{}/auth/can-i?permission=READ&type=VERTEX&label=person", server.url);
    let status = async |client: &Client, password: Option<(&str, &str)>| {
        let request = client.get(&url);
        let request = match password {
            Some((user, password)) => request.basic_auth(user, Some(password)),
            None => request,
        };
        request.send().await.unwrap().status()
    };
    let alice = certificates.client_of("alice");
    assert_eq!(status(&alice, None).await, StatusCode::OK);
    assert_eq!(status(&certificates.client_of("nobody-here"), None).await, StatusCode::UNAUTHORIZED);
    assert_eq!(status(&admin, None).await, StatusCode::UNAUTHORIZED);
    // A password that is sent is looked at, whatever the certificate says.
    assert_eq!(status(&alice, Some(("alice", "wrong"))).await, StatusCode::UNAUTHORIZED);
    assert_eq!(status(&alice, Some(("admin", PASSWORD))).await, StatusCode::OK);
    let users = |client: &Client| client.get(format!("{}/auth/users", server.url));
    assert_eq!(users(&alice).send().await.unwrap().status(), StatusCode::FORBIDDEN);
    assert_eq!(users(&alice).basic_auth("admin", Some(PASSWORD)).send().await.unwrap().status(), StatusCode::OK);
    // A user that is gone is nobody, on connections that are open too.
    let gone = admin.delete(format!("{}/auth/users/-31:alice", server.url)).basic_auth("admin", Some(PASSWORD));
    assert_eq!(gone.send().await.unwrap().status(), StatusCode::NO_CONTENT);
    assert_eq!(status(&alice, None).await, StatusCode::UNAUTHORIZED);
    assert!(server.stop().success());

    let required = [&with_users[..], &["--set", "tls.client_certificates=required"]].concat();
    let server = certificates.start(&required, &variables);
    let versions = |client: &Client| client.get(format!("{}/versions", server.url)).send();
    assert!(versions(&admin).await.is_err(), "no certificate");
    assert_eq!(versions(&alice).await.unwrap().status(), StatusCode::OK);
    // Of another CA.
    let others = Certificates::new();
    others.dev(&["--client", "alice"]);
    let pem = [others.read("client-alice.pem"), others.read("client-alice-key.pem")].concat();
    let foreign = certificates.client().identity(Identity::from_pem(&pem).unwrap()).build().unwrap();
    assert!(versions(&foreign).await.is_err(), "a certificate of another CA");
}
