//! The API over TCP, with queries in memory.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails where it panics")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use auth::NoUsers;
use bytes::Bytes;
use cypher_session::{Begin, Client, Counters, Failure, Queries, QueryKind, Summary, Task, Transactions};
use cypher_value::{Text, Value};
use http_body_util::Full;
use http_server::{HttpResponse, Mounts, Refusal, Service};
use hyper::Request;
use hyper::body::Incoming;
use query_api::{Options, QueryApi};
use serde_json::{Value as Json, json};
use serving::Serving;
use tokio::net::TcpListener;

/// `RETURN $NAME` gives a parameter, `CREATE` creates, `many` gives many rows; anything else fails.
struct Echo;

impl Echo {
    fn rows(text: &str, parameters: &cypher_value::Map) -> Result<(Vec<Value>, Summary), Failure> {
        if let Some(name) = text.strip_prefix("RETURN $") {
            let value = parameters.get(name).cloned();
            let missing = || Failure::new("Neo.ClientError.Statement.ParameterMissing", format!("no '{name}'"));
            return Ok((vec![value.ok_or_else(missing)?], Summary::default()));
        }
        match text {
            "CREATE" => {
                let counters = Counters { nodes_created: 1, ..Counters::default() };
                Ok((Vec::new(), Summary { kind: QueryKind::Write, counters, ..Summary::default() }))
            }
            "many" => Ok(((0..100_000).map(Value::Integer).collect(), Summary::default())),
            _ => Err(Failure::new("Neo.ClientError.Statement.SyntaxError", "Invalid input")),
        }
    }
}

impl Queries for Echo {
    fn database(&self, name: Option<&str>) -> Result<Text, Failure> {
        match name {
            None | Some("neo4j") => Ok("neo4j".into()),
            Some(other) => Err(Failure::new(Failure::DATABASE_NOT_FOUND, format!("no database '{other}'"))),
        }
    }

    fn bookmark(&self, _: &str) -> String {
        "b:1".to_owned()
    }

    fn may_write(&self, text: &str) -> bool {
        text == "CREATE"
    }

    fn transaction(&self, begin: &Begin, client: &mut dyn Client) -> Result<(), Failure> {
        let mut open = Vec::new();
        while let Some(task) = client.next() {
            match task {
                Task::Run(statement) => {
                    open.push(Self::rows(&statement.text, &statement.parameters)?);
                    client.opened(&["x".into()]);
                }
                Task::Pull { query, .. } | Task::Discard { query, .. } => {
                    let (rows, mut summary) = open[usize::try_from(query).unwrap()].clone();
                    for row in rows {
                        if client.row(&[row]).is_err() {
                            return Ok(());
                        }
                    }
                    summary.bookmark = begin.is_single.then(|| "b:1".to_owned());
                    client.ended(&summary);
                    if begin.is_single {
                        return Ok(());
                    }
                }
                Task::Commit => {
                    client.committed("b:2");
                    return Ok(());
                }
                Task::Rollback => {
                    client.rolled_back();
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

struct Nothing;

impl Service for Nothing {
    async fn answer(self: Arc<Self>, _: Request<Incoming>) -> HttpResponse {
        HttpResponse::new(Full::new(Bytes::new()))
    }

    async fn refuse(self: Arc<Self>, _: Request<Incoming>, refusal: Refusal) -> HttpResponse {
        HttpResponse::new(Full::new(Bytes::from(refusal.to_string())))
    }
}

fn server(idle: Duration) -> SocketAddr {
    let (told, address) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async move {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            told.send(listener.local_addr().unwrap()).unwrap();
            let serving = Arc::new(Serving::new(serving::Options { threads: 4, ..serving::Options::default() }));
            let options = cypher_session::Options { idle, ..cypher_session::Options::default() };
            let transactions = Arc::new(Transactions::new(Arc::new(Echo), Arc::clone(&serving), options));
            let options = Options { response_bytes_max: 100_000, ..Options::default() };
            let mounts = Mounts::new(Arc::new(Nothing));
            let mounts = mounts.mount("db", QueryApi::new(transactions, Arc::new(NoUsers), options));
            let never = std::future::pending();
            let options = http_server::Options::default();
            http_server::serve(listener, mounts, serving, options, never, Duration::ZERO).await.unwrap();
        });
    });
    address.recv().unwrap()
}

/// Sends a request, and gives the status, the content type and the body.
fn send(server: SocketAddr, method: &str, path: &str, headers: &str, body: &str) -> (u16, String, Json) {
    let mut stream = TcpStream::connect(server).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let length = body.len();
    let head = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}");
    stream.write_all(format!("{head}\r\n{headers}\r\n{body}").as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let kind =
        head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-type: ").map(str::to_owned));
    let body =
        if body.is_empty() { Json::Null } else { serde_json::from_str(body).unwrap_or_else(|_| panic!("{body}")) };
    (status, kind.unwrap_or_default(), body)
}

fn post(server: SocketAddr, path: &str, body: &Json) -> (u16, Json) {
    let (status, _, body) = send(server, "POST", path, "Content-Type: application/json\r\n", &body.to_string());
    (status, body)
}

const QUERY: &str = "/db/neo4j/query/v2";
const IDLE: Duration = Duration::from_secs(60);

#[test]
fn queries_are_answered() {
    let server = server(IDLE);
    let body = json!({"statement": "RETURN $p", "parameters": {"p": [1, 2.5, null, {"a": "b"}]}});
    let expected = json!({"data": {"fields": ["x"], "values": [[[1, 2.5, null, {"a": "b"}]]]}, "bookmarks": ["b:1"]});
    assert_eq!(post(server, QUERY, &body), (202, expected));
    let (status, answer) = post(server, QUERY, &json!({"statement": "CREATE", "includeCounters": true}));
    assert_eq!((status, &answer["counters"]["nodesCreated"]), (202, &json!(1)));
    assert_eq!(answer["counters"]["containsUpdates"], json!(true));
}

#[test]
fn values_have_types_where_that_is_asked_for() {
    let server = server(IDLE);
    let headers = "Content-Type: application/vnd.neo4j.query\r\nAccept: application/vnd.neo4j.query\r\n";
    for typed in [
        json!({"$type": "Integer", "_value": "9223372036854775807"}),
        json!({"$type": "Float", "_value": "NaN"}),
        json!({"$type": "Base64", "_value": "AQI="}),
        json!({"$type": "Date", "_value": "2024-02-29"}),
        json!({"$type": "Time", "_value": "12:50:35.556+01:00"}),
        json!({"$type": "LocalTime", "_value": "12:50:35.556"}),
        json!({"$type": "LocalDateTime", "_value": "2015-06-24T12:50:35.556"}),
        json!({"$type": "OffsetDateTime", "_value": "2015-06-24T12:50:35.556+01:00"}),
        json!({"$type": "ZonedDateTime", "_value": "2015-11-21T21:40:32.142+01:00[Europe/Stockholm]"}),
        json!({"$type": "Duration", "_value": "P14DT16H12M"}),
        json!({"$type": "Point", "_value": "SRID=4979;POINT Z (12.5 55.25 2.0)"}),
        json!({"$type": "List", "_value": [{"$type": "Null", "_value": null}]}),
        json!({"$type": "Map", "_value": {"a": {"$type": "Boolean", "_value": true}}}),
    ] {
        let body = json!({"statement": "RETURN $p", "parameters": {"p": typed}}).to_string();
        let (status, kind, answer) = send(server, "POST", QUERY, headers, &body);
        assert_eq!((status, kind.as_str()), (202, "application/vnd.neo4j.query"));
        assert_eq!(answer["data"]["values"], json!([[typed]]));
    }
    let wrong = json!({"statement": "RETURN $p", "parameters": {"p": {"$type": "Date", "_value": "x"}}}).to_string();
    assert_eq!(send(server, "POST", QUERY, headers, &wrong).0, 400);
}

#[test]
fn failures_have_codes() {
    let server = server(IDLE);
    for (path, body, status, code) in [
        (QUERY, json!({"statement": "x"}), 400, "Neo.ClientError.Statement.SyntaxError"),
        (QUERY, json!({}), 400, "Neo.ClientError.Request.InvalidFormat"),
        (QUERY, json!([]), 400, "Neo.ClientError.Request.InvalidFormat"),
        (QUERY, json!({"statement": "x", "accessMode": "both"}), 400, "Neo.ClientError.Request.InvalidFormat"),
        ("/db/other/query/v2", json!({"statement": "x"}), 404, "Neo.ClientError.Database.DatabaseNotFound"),
        ("/db/neo4j/query/v2/tx/1", json!({"statement": "x"}), 404, "Neo.ClientError.Transaction.TransactionNotFound"),
        ("/db/neo4j/query/v2", json!({"statement": "many"}), 400, "Neo.ClientError.Statement.ExecutionFailed"),
    ] {
        let (found, answer) = post(server, path, &body);
        assert_eq!((found, &answer["errors"][0]["code"]), (status, &json!(code)), "{path} {body}: {answer}");
    }
    assert_eq!(send(server, "GET", QUERY, "", "").0, 400);
    assert_eq!(post(server, "/db/neo4j/else", &json!({})).0, 404);
}

#[test]
fn transactions_are_kept_until_they_end() {
    let server = server(IDLE);
    let body = json!({"statement": "RETURN $p", "parameters": {"p": 1}});
    let (status, answer) = post(server, "/db/neo4j/query/v2/tx", &body);
    assert_eq!((status, &answer["data"]["values"]), (202, &json!([[1]])));
    let id = answer["transaction"]["id"].as_str().unwrap().to_owned();
    assert!(answer["transaction"]["expires"].as_str().unwrap().ends_with('Z'), "{answer}");
    let path = format!("/db/neo4j/query/v2/tx/{id}");
    assert_eq!(post(server, &path, &body).1["data"]["values"], json!([[1]]));
    let commit = format!("{path}/commit");
    assert_eq!(post(server, &commit, &body).1["bookmarks"], json!(["b:2"]));
    assert_eq!(post(server, &path, &body).0, 404);
    // Without a query.
    let (_, answer) = post(server, "/db/neo4j/query/v2/tx", &Json::Null);
    assert_eq!(answer["errors"][0]["code"], "Neo.ClientError.Request.InvalidFormat");
    let (status, _, answer) = send(server, "POST", "/db/neo4j/query/v2/tx", "", "");
    let path = format!("/db/neo4j/query/v2/tx/{}", answer["transaction"]["id"].as_str().unwrap());
    assert_eq!(status, 202);
    assert_eq!(send(server, "DELETE", &path, "", "").0, 200);
    assert_eq!(send(server, "DELETE", &path, "", "").0, 404);
    // One that fails has ended.
    let (_, _, answer) = send(server, "POST", "/db/neo4j/query/v2/tx", "", "");
    let path = format!("/db/neo4j/query/v2/tx/{}", answer["transaction"]["id"].as_str().unwrap());
    assert_eq!(post(server, &path, &json!({"statement": "x"})).0, 400);
    assert_eq!(post(server, &path, &body).0, 404);
}

#[test]
fn idle_transactions_end() {
    let server = server(Duration::from_millis(50));
    let (_, _, answer) = send(server, "POST", "/db/neo4j/query/v2/tx", "", "");
    let path = format!("/db/neo4j/query/v2/tx/{}", answer["transaction"]["id"].as_str().unwrap());
    std::thread::sleep(Duration::from_millis(500));
    let (status, answer) = post(server, &path, &json!({"statement": "CREATE"}));
    assert_eq!(
        (status, &answer["errors"][0]["code"]),
        (404, &json!("Neo.ClientError.Transaction.TransactionNotFound"))
    );
}
