//! HTTP itself over TCP: bodies, compression, limits, overload, panics, time limits, the end of the server.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use crate::server::{Answer, G, Limits, Server, read_answer, wait_until, write_request};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

const JSON: (&str, &str) = ("Content-Type", "application/json");
const UNAVAILABLE: &str = "jakarta.ws.rs.ServiceUnavailableException";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn people(count: usize) -> String {
    let list: Vec<Value> =
        (0..count).map(|at| json!({"label": "person", "properties": {"name": format!("person-{at}")}})).collect();
    Value::from(list).to_string()
}

fn assert_overloaded(answer: &Answer, setting: &str) {
    assert_eq!((answer.status, answer.class().as_str()), (503, UNAVAILABLE), "{}", answer.text());
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert!(answer.text().contains(setting), "{}", answer.text());
}

#[test]
fn bodies_may_be_compressed() {
    let server = Server::with_schema();
    let body = gzip(people(100).as_bytes());
    for coding in ["gzip", "GZIP"] {
        let made =
            server.send("POST", &format!("{G}/graph/vertices/batch"), &[JSON, ("Content-Encoding", coding)], &body);
        assert_eq!((made.status, made.json().as_array().unwrap().len()), (201, 100));
    }
    let wrong = server.send("POST", &format!("{G}/graph/vertices/batch"), &[JSON, ("Content-Encoding", "gzip")], b"[]");
    assert_eq!((wrong.status, wrong.class().as_str()), (400, "java.lang.IllegalArgumentException"));
    let unknown = server.send("POST", &format!("{G}/graph/vertices/batch"), &[JSON, ("Content-Encoding", "br")], b"[]");
    assert_eq!(unknown.status, 400);
}

#[test]
fn answers_are_compressed_for_who_wants_it() {
    let server = Server::with_schema();
    assert_eq!(server.post(&format!("{G}/graph/vertices/batch"), &people(100)).status, 201);
    let path = format!("{G}/graph/vertices?limit=-1");
    let plain = server.get(&path);
    assert_eq!(plain.header("content-encoding"), None);
    let small = server.send("GET", &path, &[("Accept-Encoding", "gzip")], b"");
    assert_eq!(small.header("content-encoding"), Some("gzip"));
    let mut unzipped = Vec::new();
    GzDecoder::new(small.body.as_slice()).read_to_end(&mut unzipped).unwrap();
    assert_eq!(unzipped, plain.body);
    let tiny = server.send("GET", &format!("{G}/mode"), &[("Accept-Encoding", "gzip")], b"");
    assert_eq!(tiny.header("content-encoding"), None);
}

#[test]
fn chunked_bodies_are_read() {
    let server = Server::with_schema();
    let mut stream = server.connect();
    let head = format!(
        "POST {G}/graph/vertices/batch HTTP/1.1\r\nHost: t\r\nContent-Type: application/json; charset=UTF-8\r\n\
         Transfer-Encoding: chunked\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    for piece in people(3).as_bytes().chunks(7) {
        stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes()).unwrap();
        stream.write_all(piece).unwrap();
        stream.write_all(b"\r\n").unwrap();
        stream.flush().unwrap();
    }
    stream.write_all(b"0\r\n\r\n").unwrap();
    let answer = read_answer(&mut stream).unwrap();
    assert_eq!((answer.status, answer.json().as_array().unwrap().len()), (201, 3));
}

#[test]
fn bodies_must_be_json() {
    let server = Server::start();
    let path = format!("{G}/schema/propertykeys");
    for headers in [&[][..], &[("Content-Type", "text/plain")]] {
        let answer = server.send("POST", &path, headers, br#"{"name":"x"}"#);
        assert_eq!((answer.status, answer.class().as_str()), (415, "jakarta.ws.rs.NotSupportedException"));
    }
    for body in ["", "{", "[]", r#"{"name":7}"#, r#"{"name":"x","data_type":"NOPE"}"#, "\u{1}"] {
        let answer = server.post(&path, body);
        assert_eq!((answer.status, answer.class().as_str()), (400, "java.lang.IllegalArgumentException"), "{body}");
    }
}

#[test]
fn heads_that_are_not_http_are_answered() {
    let server = Server::start();
    let long = format!("{G}/graph/vertices/{}", "1".repeat(70_000));
    for (path, status) in [("/a path with blanks", 400), (long.as_str(), 414)] {
        assert_eq!(server.get(path).status, status, "{path:.30}");
    }
}

#[test]
fn wrong_addresses_say_what_is_wrong() {
    let server = Server::with_schema();
    for (path, status, words) in [
        (format!("{G}/graph/vertices/%zz"), 400, "write a percent sign as %25"),
        (format!("{G}/graph/vertices?label=%2"), 400, "write a percent sign as %25"),
        (format!("{G}/graph/vertices?limit=99999999999999999999"), 400, "64 bits"),
        (format!("{G}/graph/vertices?label=person&properties=name"), 400, "{\\\"name\\\":\\\"marko\\\"}"),
        (format!("{G}/tasks?status=nope"), 400, "queued, running, success"),
        (format!("/{G}/graph/vertices"), 404, "(//)"),
        (format!("{G}/graph/vertex"), 404, "GET /apis"),
        ("/graphspaces/other".to_owned(), 404, "the only one is 'DEFAULT'"),
        ("/graphspaces/other/graphs".to_owned(), 404, "the only one is 'DEFAULT'"),
    ] {
        let answer = server.get(&path);
        assert_eq!(answer.status, status, "{path}");
        assert!(answer.text().contains(words), "{path}: {}", answer.text());
    }
}

#[test]
fn bodies_and_batches_have_limits() {
    let limits = Limits { request_body_bytes_max: 100_000, batch_vertices_max: 10, ..Limits::default() };
    let server = Server::with(limits);
    server.make_schema();
    let path = format!("{G}/graph/vertices/batch");
    let bomb = gzip(&vec![b' '; 1_000_000]);
    let many = vec![b' '; 3_000_000];
    for (headers, body) in [(&[JSON][..], many), (&[JSON, ("Content-Encoding", "gzip")], bomb)] {
        let answer = server.send("POST", &path, headers, &body);
        assert_eq!(answer.status, 413);
        assert!(answer.text().contains("server.request_body_bytes_max"), "{}", answer.text());
    }
    assert_eq!(server.post(&path, &people(10)).status, 201);
    let answer = server.post(&path, &people(11));
    assert_eq!((answer.status, answer.class().as_str()), (400, "java.lang.IllegalArgumentException"));
}

#[test]
fn a_declared_length_above_the_limit_is_refused_before_the_body_comes() {
    let server = Server::with(Limits { request_body_bytes_max: 100_000, ..Limits::default() });
    let mut stream = server.connect();
    let head = format!(
        "POST {G}/graph/vertices/batch HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\n\
        Content-Length: 100001\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    assert_eq!(read_answer(&mut stream).unwrap().status, 413);
    // Still taken, so that a client that sends first and reads then gets its answer.
    stream.write_all(&[b' '; 50_000]).unwrap();
    assert_eq!(stream.read(&mut [0; 8]).unwrap(), 0, "the connection is over");
}

#[test]
fn pages_of_other_sites_can_change_nothing() {
    let server = Server::start();
    let graph = "/graphs/evil";
    let site = [("Origin", "http://evil.example"), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors")];
    for (method, headers, body) in [
        ("POST", &site[..], &b""[..]),
        ("POST", &[site[0], ("Content-Type", "text/plain")], b"gremlin.graph=x"),
        ("DELETE", &site[..2], b""),
    ] {
        let answer = server.send(method, graph, headers, body);
        assert_eq!((answer.status, answer.class().as_str()), (403, "jakarta.ws.rs.ForbiddenException"));
        assert!(answer.text().contains("http://evil.example") && answer.text().contains("server.hosts"));
    }
    let rebound = [("Host", "evil.example"), ("Sec-Fetch-Site", "same-origin")];
    let answer = server.send("GET", "/graphs", &rebound, b"");
    assert_eq!(answer.status, 403);
    assert!(answer.text().contains("'evil.example'"), "{}", answer.text());
    assert_eq!(server.send("GET", "/graphs", &rebound[..1], b"").status, 200, "no browser");
    assert!(!server.get("/graphs").text().contains("evil"), "nothing was made");
}

#[test]
fn lists_have_a_limit() {
    let server = Server::with(Limits { response_bytes_max: 2_000, ..Limits::default() });
    server.make_schema();
    assert_eq!(server.post(&format!("{G}/graph/vertices/batch"), &people(100)).status, 201);
    let answer = server.get(&format!("{G}/graph/vertices?limit=-1"));
    assert_eq!((answer.status, answer.class().as_str()), (400, "org.apache.hugegraph.exception.LimitExceedException"));
    assert!(answer.text().contains("graph.response_bytes_max") && answer.text().contains("page"));
    assert_eq!(server.get(&format!("{G}/graph/vertices?limit=5")).status, 200);
}

#[test]
fn pages_end_early_where_they_become_too_large() {
    let server = Server::with(Limits { response_bytes_max: 2_000, ..Limits::default() });
    server.make_schema();
    assert_eq!(server.post(&format!("{G}/graph/vertices/batch"), &people(100)).status, 201);
    let shards = server.get(&format!("{G}/traversers/vertices/shards?split_size=1048576")).json();
    let bounds = |shard: &Value| {
        let bound = |name: &str| shard[name].as_str().unwrap().to_owned();
        format!("traversers/vertices/scan?start={}&end={}&page_limit=100000", bound("start"), bound("end"))
    };
    let scans: Vec<_> = shards["shards"].as_array().unwrap().iter().map(bounds).collect();
    for lists in [&["graph/vertices?limit=1000".to_owned()][..], &scans] {
        let (mut ids, mut pages) = (std::collections::BTreeSet::new(), 0);
        for list in lists {
            let mut token = String::new();
            loop {
                let page = server.get(&format!("{G}/{list}&page={token}"));
                assert_eq!(page.status, 200, "{}", page.text());
                assert!(page.text().len() < 3_000, "the limit and one element");
                let page = page.json();
                for vertex in page["vertices"].as_array().unwrap() {
                    assert!(ids.insert(vertex["id"].to_string()), "{vertex} twice");
                }
                pages += 1;
                match page["page"].as_str() {
                    Some(next) => token = next.to_owned(),
                    None => break,
                }
            }
        }
        assert_eq!(ids.len(), 100);
        assert!(pages > 3, "{pages}");
    }
}

/// Sends a request without the last byte of its body: it is at work until that byte comes.
fn unfinished(server: &Server, body: &str) -> TcpStream {
    let mut stream = server.connect();
    let length = body.len();
    let head = format!(
        "POST {G}/schema/propertykeys HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\n\
        Content-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&body.as_bytes()[..length - 1]).unwrap();
    stream.flush().unwrap();
    stream
}

fn wait_for_metric(server: &Server, line: &str) {
    wait_until(line, || server.get("/metrics").text().contains(line));
}

#[test]
fn too_many_requests_are_refused_not_dropped() {
    let server = Server::with(Limits { requests_in_flight_max: 1, ..Limits::default() });
    let mut slow = unfinished(&server, r#"{"name":"x"}"#);
    wait_for_metric(&server, "rhizome_http_requests_in_flight 1");
    for _ in 0..3 {
        assert_overloaded(&server.get(&format!("{G}/mode")), "server.requests_in_flight_max");
        let batch = server.post(&format!("{G}/graph/vertices/batch"), &people(5_000));
        assert_overloaded(&batch, "server.requests_in_flight_max");
    }
    let mut same = server.connect();
    for _ in 0..3 {
        write_request(&mut same, "POST", &format!("{G}/graph/vertices"), &[JSON], b"{}");
        assert_overloaded(&read_answer(&mut same).unwrap(), "server.requests_in_flight_max");
    }
    assert_eq!(server.get("/health").status, 200, "operators are always admitted");
    slow.write_all(b"}").unwrap();
    assert_eq!(read_answer(&mut slow).unwrap().status, 202);
    assert_eq!(server.get(&format!("{G}/mode")).status, 200);
    assert!(server.get("/metrics").text().contains(r#"rhizome_http_refused_total{reason="requests"} 9"#));
}

#[test]
fn too_many_bytes_are_refused() {
    let server = Server::with(Limits { bytes_in_flight_max: 1_000, ..Limits::default() });
    let body = format!("{:<900}}}", r#"{"name":"x""#);
    let mut slow = unfinished(&server, &body);
    wait_for_metric(&server, "rhizome_http_body_bytes_in_flight 901");
    assert_overloaded(&server.post(&format!("{G}/graph/vertices"), &people(20)), "server.bytes_in_flight_max");
    assert_eq!(server.put(&format!("{G}/mode"), "\"NONE\"").status, 200, "small ones still have room");
    slow.write_all(b"}").unwrap();
    assert_eq!(read_answer(&mut slow).unwrap().status, 202);
}

#[test]
fn too_many_connections_are_told_so() {
    let server = Server::with(Limits { connections_max: 1, ..Limits::default() });
    let mut first = server.connect();
    write_request(&mut first, "GET", "/versions", &[], b"");
    assert_eq!(read_answer(&mut first).unwrap().status, 200);
    let refused = server.get("/versions");
    assert_overloaded(&refused, "server.connections_max");
    assert_eq!(refused.header("connection"), Some("close"));
    // More than the server takes in before it answers.
    let large = server.send("POST", &format!("{G}/graph/vertices/batch"), &[JSON], &vec![b' '; 3_000_000]);
    assert_overloaded(&large, "server.connections_max");
    drop(first);
    wait_until("a connection is free", || server.get("/versions").status == 200);
}

#[test]
fn a_panic_costs_one_request() {
    let server = Server::start();
    let mut stream = server.connect();
    for method in ["GET", "POST", "GET"] {
        write_request(&mut stream, method, "/test/panic", &[JSON], b"");
        let answer = read_answer(&mut stream).unwrap();
        assert_eq!((answer.status, answer.class().as_str()), (500, "org.apache.hugegraph.HugeException"));
    }
    write_request(&mut stream, "GET", "/versions", &[], b"");
    assert_eq!(read_answer(&mut stream).unwrap().status, 200);
    assert!(server.get("/metrics").text().contains("rhizome_http_panics_total 3"));
}

#[test]
fn requests_have_a_time_limit() {
    let server = Server::with(Limits { request_timeout_ms: 50, ..Limits::default() });
    let answer = server.get(&format!("{G}/test/sleep?ms=1000"));
    assert_eq!((answer.status, answer.class().as_str()), (503, "org.apache.hugegraph.HugeException"));
    assert!(answer.text().contains("server.request_timeout_ms"));
    let mut stream = server.connect();
    let head = format!(
        "POST {G}/graph/vertices HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{{"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let answer = read_answer(&mut stream).unwrap();
    assert_eq!((answer.status, answer.header("connection")), (408, Some("close")));
}

#[test]
fn slow_heads_and_idle_connections_are_closed() {
    let server = Server::with(Limits { header_read_timeout_ms: 50, ..Limits::default() });
    let mut slow = server.connect();
    slow.write_all(b"GET /versions HTTP/1.1\r\nHost:").unwrap();
    assert!(read_answer(&mut slow).is_none());
    let server = Server::with(Limits { keep_alive_idle_timeout_ms: 50, ..Limits::default() });
    let mut idle = server.connect();
    write_request(&mut idle, "GET", "/versions", &[], b"");
    assert_eq!(read_answer(&mut idle).unwrap().status, 200);
    assert!(read_answer(&mut idle).is_none());
}

#[test]
fn large_batches_and_updates_go_to_the_pool() {
    let server = Server::with(Limits { blocking_threads: 1, request_timeout_ms: 500, ..Limits::default() });
    server.make_schema();
    let hold = format!("{G}/test/hold?name=pool");
    // The only thread for long writes stays held after its request has timed out: what needs it now times out, too.
    assert_eq!(server.post(&hold, "").status, 503);
    let batch = format!("{G}/graph/vertices/batch");
    let vertex = r#"[{"label":"person","properties":{"name":"a"}}"#;
    assert_eq!(server.post(&batch, &format!("{vertex}]")).status, 201);
    let large = format!("{vertex}{}]", " ".repeat(rest_api::limits::QUICK_WRITE_BYTES_MAX));
    assert_eq!(server.post(&batch, &large).status, 503);
    let update = format!(r#"{{"vertices":{vertex}],"update_strategies":{{"name":"OVERRIDE"}}}}"#);
    assert_eq!(server.put(&batch, &update).status, 503);
    // Reads have threads of their own.
    assert_eq!(server.get(&format!("{G}/graph/vertices")).status, 200);
    assert_eq!(server.put(&hold, "").status, 200);
}

#[test]
fn who_comes_beyond_the_line_for_threads_is_refused_at_once() {
    let server = Server::with(Limits { blocking_threads: 1, waiting_queries_max: 1, ..Limits::default() });
    server.make_schema();
    let list = format!("{G}/graph/vertices");
    let hold = format!("{G}/test/hold?name=line");
    let held = || {
        let mut connection = server.connect();
        write_request(&mut connection, "GET", &hold, &[], b"");
        connection
    };
    // Whichever of the two comes first has the only thread until both are let go.
    let (mut first, mut second) = (held(), held());
    wait_for_metric(&server, "rhizome_http_queries_waiting 1");
    assert_overloaded(&server.get(&hold), "server.waiting_queries_max");
    // Other kinds of work go on.
    assert_eq!(server.get(&format!("{G}/mode")).status, 200);
    assert_eq!(server.post(&format!("{G}/schema/propertykeys"), r#"{"name":"other"}"#).status, 202);
    assert!(server.get("/metrics").text().contains(r#"rhizome_http_refused_total{reason="queries"} 1"#));
    assert_eq!(server.put(&hold, "").status, 200);
    assert_eq!(read_answer(&mut first).unwrap().status, 200);
    assert_eq!(read_answer(&mut second).unwrap().status, 200);
    assert_eq!(server.get(&list).status, 200);
}

#[test]
fn a_slow_answer_is_not_an_idle_connection() {
    let limits = Limits { header_read_timeout_ms: 50, keep_alive_idle_timeout_ms: 50, ..Limits::default() };
    let server = Server::with(limits);
    assert_eq!(server.get(&format!("{G}/test/sleep?ms=400")).status, 200);
}

#[test]
fn stopping_lets_requests_finish() {
    let mut server = Server::start();
    let mut idle = server.connect();
    write_request(&mut idle, "GET", "/versions", &[], b"");
    assert_eq!(read_answer(&mut idle).unwrap().status, 200);
    let mut slow = unfinished(&server, r#"{"name":"x"}"#);
    wait_for_metric(&server, "rhizome_http_requests_in_flight 1");
    server.begin_stop();
    assert!(read_answer(&mut idle).is_none(), "an idle connection is closed");
    slow.write_all(b"}").unwrap();
    let answer = read_answer(&mut slow).unwrap();
    assert_eq!((answer.status, answer.header("connection")), (202, Some("close")));
    server.finish_stop();
    assert!(TcpStream::connect(server.address).is_err());
}
