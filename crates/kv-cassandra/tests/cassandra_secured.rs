//! Logins, rights and TLS on a real node that asks for them: needs `RHIZOME_TEST_CASSANDRA_SECURED` and
//! `RHIZOME_TEST_CASSANDRA_TLS` (see `scripts/test-cassandra.sh secured`).
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, its helpers too"
)]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use kv::conformance::{POINTS, TABLES};
use kv::{Engine, Key, KvError, Read, WriteBatch};
use kv_cassandra::{CassandraEngine, CassandraOptions, Credentials, TlsOptions};
use parking_lot::{Mutex, MutexGuard};
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;

/// A node makes its first user a moment after it has opened its port.
const PATIENCE: Duration = Duration::from_secs(120);

static IN_USE: Mutex<()> = Mutex::new(());

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set; scripts/test-cassandra.sh secured sets it"))
}

fn certificate(name: &str) -> Option<TlsOptions> {
    let file = PathBuf::from(variable("RHIZOME_TEST_CASSANDRA_TLS")).join(name);
    Some(TlsOptions { ca_file: Some(file), client_certificate: None })
}

fn login(user: &str, password: &str) -> Option<Credentials> {
    Some(Credentials { user: user.to_owned(), password: password.to_owned() })
}

/// What works.
fn options() -> CassandraOptions {
    CassandraOptions {
        contact_points: vec![variable("RHIZOME_TEST_CASSANDRA_SECURED")],
        keyspace: "kv_secured".to_owned(),
        credentials: login("cassandra", "cassandra"),
        tls: certificate("ca.pem"),
        connect_timeout: Duration::from_secs(10),
        request_timeout: Duration::from_secs(20),
        ..CassandraOptions::default()
    }
}

/// An open engine, once the node lets its first user in; one test at a time.
fn opened() -> (CassandraEngine, MutexGuard<'static, ()>) {
    let turn = IN_USE.lock();
    let started = Instant::now();
    loop {
        match CassandraEngine::open(&options(), TABLES) {
            Ok(engine) => return (engine, turn),
            Err(error) => assert!(started.elapsed() < PATIENCE, "{error}"),
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// What opening says; that it says so within its timeouts is a part of it.
fn refusal(options: &CassandraOptions) -> KvError {
    let started = Instant::now();
    let error = CassandraEngine::open(options, TABLES).err().expect("opened");
    let limit = options.connect_timeout + options.request_timeout;
    assert!(started.elapsed() < limit, "it took {:?}: {error}", started.elapsed());
    error
}

#[track_caller]
fn assert_refused(error: &KvError, words: &[&str]) {
    assert!(matches!(error, KvError::Other { .. }), "{error:?}");
    for word in words {
        assert!(error.to_string().contains(word), "'{word}' is not in: {error}");
    }
}

/// Runs statements as an administrator would, over TLS.
fn cql(texts: &[&str]) {
    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject;
    let file = certificate("ca.pem").unwrap().ca_file.unwrap();
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(file).unwrap()).unwrap();
    let tls =
        rustls::ClientConfig::builder_with_provider(std::sync::Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let session: Session = SessionBuilder::new()
            .known_node(variable("RHIZOME_TEST_CASSANDRA_SECURED"))
            .user("cassandra", "cassandra")
            .tls_context(Some(std::sync::Arc::new(tls)))
            .build()
            .await
            .unwrap();
        for text in texts {
            session.query_unpaged(*text, ()).await.unwrap();
        }
    });
}

#[test]
fn with_password_and_certificate_it_works() {
    let (engine, _turn) = opened();
    let mut batch = WriteBatch::new();
    batch.put_key(POINTS, Key::new(b"secured", 7), b"value");
    engine.commit(batch).unwrap();
    let mut found = None;
    engine.get(POINTS, Key::new(b"secured", 7), &mut |value| found = Some(value.to_vec())).unwrap();
    assert_eq!(found.as_deref(), Some(&b"value"[..]));
    assert!(engine.compare_and_swap(POINTS, Key::new(b"swapped", 7), None, Some(b"1")).is_ok());
}

#[test]
fn a_wrong_password_is_told() {
    let (_engine, _turn) = opened();
    let error = refusal(&CassandraOptions { credentials: login("cassandra", "wrong"), ..options() });
    assert_refused(&error, &["refused the login of user cassandra", "check user and password"]);
    assert!(!error.to_string().contains("wrong"), "the password is not printed: {error}");
    let error = refusal(&CassandraOptions { credentials: login("nobody", "x"), ..options() });
    assert_refused(&error, &["refused the login of user nobody"]);
}

#[test]
fn a_missing_password_is_told() {
    let (_engine, _turn) = opened();
    let error = refusal(&CassandraOptions { credentials: None, ..options() });
    assert_refused(&error, &["requires a login", "give a user and a password"]);
}

#[test]
fn a_certificate_nobody_vouches_for_is_told() {
    let (_engine, _turn) = opened();
    let error = refusal(&CassandraOptions { tls: certificate("other-ca.pem"), ..options() });
    assert_refused(&error, &["not issued by a trusted authority", "other-ca.pem is not the certificate of its issuer"]);
    let error = refusal(&CassandraOptions { tls: Some(TlsOptions::default()), ..options() });
    assert_refused(&error, &["not issued by a trusted authority", "name the file with the certificate"]);
}

#[test]
fn a_plain_connection_is_told_about_tls() {
    let (_engine, _turn) = opened();
    let error = refusal(&CassandraOptions { tls: None, ..options() });
    assert!(matches!(error, KvError::Unavailable { .. }), "{error:?}");
    assert!(error.to_string().contains("whether the nodes want TLS, which is off here"), "{error}");
}

#[test]
fn a_user_without_rights_is_told_which() {
    let (_engine, _turn) = opened();
    cql(&[
        "DROP ROLE IF EXISTS reader",
        "CREATE ROLE reader WITH PASSWORD = 'reader' AND LOGIN = true",
        "DROP KEYSPACE IF EXISTS kv_not_allowed",
    ]);
    let reader = CassandraOptions { credentials: login("reader", "reader"), ..options() };
    let error = refusal(&CassandraOptions { keyspace: "kv_not_allowed".to_owned(), ..reader.clone() });
    assert_refused(
        &error,
        &["may not change the schema", "have an administrator run: CREATE KEYSPACE IF NOT EXISTS kv_not_allowed"],
    );
    // The keyspace is there, but not for this user.
    let error = refusal(&reader);
    assert_refused(&error, &["grant SELECT and MODIFY on the keyspace"]);
    cql(&["GRANT SELECT ON KEYSPACE kv_secured TO reader"]);
    let engine = CassandraEngine::open(&reader, TABLES).unwrap();
    let write = || {
        let mut batch = WriteBatch::new();
        batch.put_key(POINTS, Key::new(b"forbidden", 9), b"");
        engine.commit(batch)
    };
    assert_refused(&write().unwrap_err(), &["grant SELECT and MODIFY on the keyspace"]);
    cql(&["GRANT MODIFY ON KEYSPACE kv_secured TO reader"]);
    write().unwrap();
    assert!(engine.compare_and_swap(POINTS, Key::new(b"swapped by reader", 17), None, Some(b"1")).is_ok());
}

#[test]
fn more_replicas_than_nodes_are_told() {
    let (_engine, _turn) = opened();
    let error = refusal(&CassandraOptions { keyspace: "kv_three".to_owned(), replication_factor: 3, ..options() });
    assert_refused(
        &error,
        &["kv_three is to have 3 replicas", "start more nodes or choose a smaller replication factor"],
    );
}
