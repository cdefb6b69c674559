//! What connections do and refuse, one rule a test.

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use auth::{AuthError, Authenticate, Caller};
use bolt_codec::{Answer, Credentials, Extra, Fetch, Request, Route, Run, Version};
use cypher_session::Options;
use cypher_value::{Map, Value};

use super::client::{Client, Server};
use super::memory::Memory;

fn server() -> Server {
    Server::start(Memory::new(1, 1, Vec::new()))
}

fn begin() -> Request {
    Request::Begin(Extra::default())
}

fn text<'m>(map: &'m Map, name: &str) -> &'m str {
    match map.get(name) {
        Some(Value::String(text)) => text,
        other => panic!("{name} is {other:?}"),
    }
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn every_version_runs_a_query() {
    let server = server();
    for version in Version::spoken() {
        let mut client = Client::agreed(&server, version);
        client.send(&Request::Hello(Box::default()));
        assert!(text(&client.success(), "server").starts_with("Neo4j/5.26.0 compatible (Rhizome/"));
        if version.has_logon() {
            client.send(&Request::Logon(Credentials::default()));
            client.success();
        }
        client.run("RETURN 1 AS x");
        client.pull(1_000);
        client.success();
        let (rows, end) = client.rows();
        assert_eq!(rows, [[Value::Integer(1)]]);
        let Answer::Success(end) = end else { panic!("{end:?}") };
        assert_eq!(end.contains_key("statuses"), version.has_statuses(), "{version}");
        client.run("RETURN foo");
        client.pull(1_000);
        let (code, _) = client.failure();
        assert_eq!(code, "Neo.ClientError.Statement.SyntaxError");
        client.ignored();
    }
}

#[test]
fn rows_come_in_the_numbers_asked_for() {
    let server = server();
    let mut client = Client::ready(&server);
    client.run("count to 10");
    client.pull(4);
    client.success();
    let (rows, end) = client.rows();
    assert_eq!(rows.len(), 4);
    let Answer::Success(end) = end else { panic!("{end:?}") };
    assert_eq!(end.get("has_more"), Some(&Value::Boolean(true)));
    client.send(&Request::Discard(Fetch { rows: Some(2), query: None }));
    assert_eq!(client.success().get("has_more"), Some(&Value::Boolean(true)));
    client.pull(4);
    let (rows, end) = client.rows();
    assert_eq!(rows[0], [Value::Integer(6)]);
    let Answer::Success(end) = end else { panic!("{end:?}") };
    assert_eq!((rows.len(), text(&end, "type"), text(&end, "db")), (4, "r", "neo4j"));
    wait_until("the transaction ends", || server.memory.running.load(Ordering::Relaxed) == 0);
}

#[test]
fn a_query_waits_for_a_client_that_takes_nothing() {
    let server = server();
    let mut client = Client::ready(&server);
    client.run("count to a million");
    client.send(&Request::Pull(Fetch { rows: None, query: None }));
    let rows = || server.memory.rows.load(Ordering::Relaxed);
    wait_until("it waits", || {
        let before = rows();
        std::thread::sleep(Duration::from_millis(300));
        before > 0 && rows() == before
    });
    assert!(rows() < 1_000_000);
    client.success();
    assert_eq!(client.rows().0.len(), 1_000_000);
}

#[test]
fn reset_stops_what_runs() {
    let server = server();
    let mut client = Client::ready(&server);
    client.run("endless");
    client.pull(1_000);
    client.success();
    client.send(&Request::Reset);
    client.ignored();
    assert!(client.success().is_empty());
    assert_eq!(server.memory.running.load(Ordering::Relaxed), 0);
    client.run("RETURN 1 AS x");
    client.success();
    // What came before RESET is not looked at.
    client.pull(1_000);
    client.run("RETURN 1 AS x");
    client.send(&Request::Reset);
    client.rows();
    loop {
        match client.next() {
            Answer::Success(map) if map.is_empty() => break,
            Answer::Success(_) | Answer::Ignored => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_client_that_leaves_ends_its_query() {
    let server = server();
    let mut client = Client::ready(&server);
    client.run("endless");
    client.success();
    drop(client);
    wait_until("the query ends", || server.memory.running.load(Ordering::Relaxed) == 0);
}

#[test]
fn results_of_a_transaction_are_taken_in_any_order() {
    let server = server();
    let mut client = Client::ready(&server);
    client.send(&begin());
    assert_eq!(text(&client.success(), "db"), "neo4j");
    client.run("count to 10");
    assert_eq!(client.success().get("qid"), Some(&Value::Integer(0)));
    client.run("RETURN 1 AS x");
    assert_eq!(client.success().get("qid"), Some(&Value::Integer(1)));
    client.send(&Request::Pull(Fetch { rows: Some(3), query: Some(0) }));
    assert_eq!(client.rows().0.len(), 3);
    client.pull(10);
    assert_eq!(client.rows().0, [[Value::Integer(1)]]);
    client.send(&Request::Pull(Fetch { rows: None, query: Some(0) }));
    assert_eq!(client.rows().0.len(), 7);
    client.send(&Request::Commit);
    assert_eq!(text(&client.success(), "bookmark"), "b:1");
    // One that did nothing.
    client.send(&begin());
    client.send(&Request::Commit);
    client.success();
    assert_eq!(text(&client.success(), "bookmark"), "b:1");
    client.send(&begin());
    client.send(&Request::Rollback);
    client.success();
    assert!(client.success().is_empty());
}

#[test]
fn a_failure_ends_the_transaction_and_is_ended_by_reset() {
    let server = server();
    let mut client = Client::ready(&server);
    client.send(&begin());
    client.success();
    client.run("RETURN 1/0");
    client.pull(1_000);
    client.success();
    assert_eq!(client.failure().0, "Neo.ClientError.Statement.ArithmeticError");
    client.send(&Request::Commit);
    client.ignored();
    client.send(&Request::Reset);
    client.success();
    client.run("RETURN 1 AS x");
    client.success();
}

#[test]
fn a_defect_costs_one_transaction() {
    let server = server();
    let mut client = Client::ready(&server);
    client.run("panic");
    assert_eq!(client.failure().0, "Neo.DatabaseError.General.UnknownError");
    client.send(&Request::Reset);
    client.success();
    client.run("RETURN 1 AS x");
    client.success();
}

#[test]
fn what_cannot_come_ends_the_connection() {
    let server = server();
    for request in [Request::Pull(Fetch { rows: None, query: None }), Request::Commit, Request::Hello(Box::default())] {
        let mut client = Client::ready(&server);
        client.send(&request);
        let (code, message) = client.failure();
        assert_eq!(code, "Neo.ClientError.Request.Invalid", "{message}");
        assert!(client.is_closed());
    }
    // Nothing before the login.
    for request in [begin(), Request::Reset, Request::Run(Box::default())] {
        let mut client = Client::agreed(&server, Version::new(5, 4));
        client.send(&Request::Hello(Box::default()));
        client.success();
        client.send(&request);
        assert_eq!(client.failure().0, "Neo.ClientError.Request.Invalid");
        assert!(client.is_closed());
    }
}

#[test]
fn messages_that_cannot_be_read_fail() {
    let server = server();
    let mut client = Client::ready(&server);
    client.send_bytes(&[0, 3, 0xB1, 0x3F, 0x01, 0, 0]);
    let (code, message) = client.failure();
    assert_eq!(code, "Neo.ClientError.Request.InvalidFormat");
    assert_eq!(message, "the message cannot be read: INTEGER instead of how much is taken");
    client.send(&Request::Reset);
    client.success();
    // Before the login a message is small.
    let mut client = Client::agreed(&server, Version::new(5, 8));
    client.send_bytes(&[0xFF; 70_000]);
    assert_eq!(client.failure().0, "Neo.ClientError.Request.InvalidFormat");
    assert!(client.is_closed());
}

#[test]
fn time_of_a_query_is_the_clients_or_the_servers() {
    let options = Options { timeout: Duration::from_millis(100), ..Options::default() };
    let server = Server::start_with(Memory::new(1, 1, Vec::new()), options, Arc::new(auth::NoUsers));
    let mut client = Client::ready(&server);
    client.run("endless");
    client.success();
    assert_eq!(client.failure_of_pull().0, "Neo.ClientError.Transaction.TransactionTimedOut");
    client.send(&Request::Reset);
    client.success();
    let extra = Extra { timeout: Some(Duration::from_millis(50)), ..Extra::default() };
    client.send(&Request::Run(Box::new(Run { text: "endless".into(), extra: extra.clone(), ..Run::default() })));
    client.success();
    let by_client = "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration";
    assert_eq!(client.failure_of_pull().0, by_client);
    client.send(&Request::Reset);
    client.success();
    client.send(&Request::Begin(extra));
    client.run("endless");
    client.success();
    client.success();
    assert_eq!(client.failure_of_pull().0, by_client);
}

#[test]
fn idle_transactions_end() {
    let options = Options { idle: Duration::from_millis(50), ..Options::default() };
    let server = Server::start_with(Memory::new(1, 1, Vec::new()), options, Arc::new(auth::NoUsers));
    let mut client = Client::ready(&server);
    client.send(&begin());
    client.run("RETURN 1 AS x");
    client.pull(10);
    client.success();
    client.success();
    client.rows();
    wait_until("it ends", || server.memory.running.load(Ordering::Relaxed) == 0);
    client.send(&Request::Commit);
    assert_eq!(client.failure().0, "Neo.ClientError.Transaction.TransactionNotFound");
}

#[test]
fn more_transactions_than_allowed_are_refused() {
    let options = Options { transactions_max: 1, ..Options::default() };
    let server = Server::start_with(Memory::new(1, 1, Vec::new()), options, Arc::new(auth::NoUsers));
    let (mut first, mut second) = (Client::ready(&server), Client::ready(&server));
    first.run("count to 10");
    first.pull(1);
    first.success();
    first.rows();
    second.run("count to 10");
    let (code, message) = second.failure();
    assert_eq!(code, "Neo.TransientError.Transaction.MaximumTransactionLimitReached");
    assert!(message.contains("bolt.transactions_max"), "{message}");
}

#[test]
fn reads_do_not_write_and_databases_exist() {
    let server = server();
    let mut client = Client::ready(&server);
    let extra = Extra { is_read: true, ..Extra::default() };
    let text = "MATCH (n) DETACH DELETE n".into();
    client.send(&Request::Run(Box::new(Run { text, extra, ..Run::default() })));
    assert_eq!(client.failure().0, "Neo.ClientError.Statement.AccessMode");
    client.send(&Request::Reset);
    client.success();
    client.send(&Request::Begin(Extra { database: Some("other".into()), ..Extra::default() }));
    assert_eq!(client.failure().0, "Neo.ClientError.Database.DatabaseNotFound");
    client.send(&Request::Reset);
    client.success();
    client.send(&Request::Route(Route { database: Some("other".into()), ..Route::default() }));
    assert_eq!(client.failure().0, "Neo.ClientError.Database.DatabaseNotFound");
}

#[test]
fn notifications_are_told_as_the_client_wants_them() {
    let server = server();
    let mut client = Client::ready(&server);
    let mut statuses = |severity: Option<&str>, disabled: Option<&str>| {
        let notifications = bolt_codec::NotificationFilter {
            severity_min: severity.map(Into::into),
            disabled: disabled.map(|name| vec![name.into()]),
        };
        let extra = Extra { notifications, ..Extra::default() };
        let text = "MATCH (n:Nobody) RETURN n".into();
        client.send(&Request::Run(Box::new(Run { text, extra, ..Run::default() })));
        client.pull(1_000);
        client.success();
        let Answer::Success(end) = client.next() else { panic!("no end") };
        let Some(Value::List(statuses)) = end.get("statuses").cloned() else { panic!("{end:?}") };
        statuses
            .iter()
            .map(|status| match status {
                Value::Map(status) => self::text(status, "gql_status").to_owned(),
                other => panic!("{other:?}"),
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(statuses(None, None), ["02000", "01N50"]);
    assert_eq!(statuses(Some("WARNING"), None), ["02000", "01N50"]);
    assert_eq!(statuses(Some("OFF"), None), ["02000"]);
    assert_eq!(statuses(None, Some("UNRECOGNIZED")), ["02000"]);
    let mut old = Client::agreed(&server, Version::new(5, 4));
    old.send(&Request::Hello(Box::default()));
    old.send(&Request::Logon(Credentials::default()));
    old.run("MATCH (n:Nobody) RETURN n");
    old.pull(1);
    (0..3).for_each(|_| drop(old.success()));
    let Some(Value::List(notifications)) = old.success().get("notifications").cloned() else { panic!("none") };
    let Value::Map(notification) = &notifications[0] else { panic!("no map") };
    assert_eq!(text(notification, "code"), "Neo.ClientNotification.Statement.UnknownLabelWarning");
}

#[test]
fn other_protocols_are_told_or_left() {
    let server = server();
    let mut client = Client::raw(&server);
    client.stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut answer = String::new();
    client.stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n") && answer.contains("127.0.0.1:8080"), "{answer}");
    for first in [&[0x16, 0x03, 0x01, 0x00][..], b"SSH-2.0"] {
        let mut client = Client::raw(&server);
        client.stream.write_all(first).unwrap();
        assert!(client.is_closed());
    }
    let mut client = Client::raw(&server);
    client.send_bytes(&[&bolt_codec::MAGIC[..], &[0, 0, 0, 3], &[0; 12]].concat());
    assert_eq!(client.take_bytes(4), [0; 4]);
    assert!(client.is_closed());
}

/// One user with a password.
struct OneUser;

impl Authenticate for OneUser {
    fn is_enabled(&self) -> bool {
        true
    }

    fn known(&self, _: auth::Credentials<'_>) -> Option<Caller> {
        None
    }

    fn check(&self, credentials: auth::Credentials<'_>, _: Option<std::net::IpAddr>) -> Result<Caller, AuthError> {
        match credentials {
            auth::Credentials::Password { user: "ann", password: "secret" } => Ok(Caller::anonymous()),
            auth::Credentials::None => Err(AuthError::Required),
            _ => Err(AuthError::Failed),
        }
    }

    fn renew(&self, caller: &Caller) -> Result<Caller, AuthError> {
        Ok(caller.clone())
    }
}

#[test]
fn a_failed_login_ends_the_connection() {
    let server = Server::start_with(Memory::new(1, 1, Vec::new()), Options::default(), Arc::new(OneUser));
    let credentials = |scheme: &str, password: &str| Credentials {
        scheme: Some(scheme.into()),
        principal: Some("ann".into()),
        credentials: Some(password.into()),
        realm: None,
    };
    for version in [Version::new(5, 8), Version::new(4, 4)] {
        for (given, is_right) in [
            (credentials("basic", "secret"), true),
            (credentials("basic", "wrong"), false),
            (credentials("kerberos", "secret"), false),
            (Credentials::default(), false),
        ] {
            let mut client = Client::agreed(&server, version);
            let hello = bolt_codec::Hello { credentials: given.clone(), ..bolt_codec::Hello::default() };
            client.send(&Request::Hello(Box::new(hello)));
            if version.has_logon() {
                client.success();
                client.send(&Request::Logon(given));
            }
            if is_right {
                client.success();
                client.run("RETURN 1 AS x");
                client.success();
            } else {
                assert_eq!(client.failure().0, "Neo.ClientError.Security.Unauthorized");
                assert!(client.is_closed());
            }
        }
    }
}

#[test]
fn a_shutdown_closes_idle_connections() {
    let mut server = server();
    let mut client = Client::ready(&server);
    server.stop();
    assert!(client.is_closed());
}

impl Client {
    /// The failure of the last query, whose rows are asked for.
    fn failure_of_pull(&mut self) -> (String, String) {
        self.pull(1_000);
        self.failure()
    }
}
