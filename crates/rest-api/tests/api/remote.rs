//! Storage over a network: whatever touches it waits on a thread of the pool, and no graph takes them all.

use std::path::PathBuf;
use std::sync::Arc;

use key_codec::tables::TABLES;
use kv::conformance::ScatteredEngine;
use kv::{Fault, FaultEngine, KvError};

use crate::server::{G, Limits, Server, write_request};

const OTHER: &str = "/graphs/other";

fn make_vertex(server: &Server, graph: &str) {
    for (kind, body) in [
        ("propertykeys", r#"{"name":"name"}"#),
        (
            "vertexlabels",
            r#"{"name":"place","id_strategy":"CUSTOMIZE_STRING","properties":["name"],"nullable_keys":["name"]}"#,
        ),
    ] {
        let answer = server.post(&format!("{graph}/schema/{kind}"), body);
        assert!(answer.status < 300, "{}", answer.text());
    }
    let answer = server.post(&format!("{graph}/graph/vertices"), r#"{"label":"place","id":"p","properties":{}}"#);
    assert_eq!(answer.status, 201, "{}", answer.text());
}

#[test]
fn a_graph_that_is_slow_leaves_threads_for_the_others() {
    let limits = Limits { remote_threads: 4, ..Limits::default() };
    let server = Server::over(Arc::new(ScatteredEngine::open(TABLES)), limits);
    assert_eq!(server.post(OTHER, "{}").status, 201);
    make_vertex(&server, OTHER);
    // More than there are threads: had the reads to wait for all of them, some would have been answered before.
    let slow: Vec<_> = (0..12)
        .map(|_| {
            let mut stream = server.connect();
            write_request(&mut stream, "GET", &format!("{G}/test/sleep?ms=20000"), &[], b"");
            stream
        })
        .collect();
    // Not in memory, so each takes a thread.
    for id in 0..5 {
        assert_eq!(server.get(&format!("{OTHER}/graph/vertices/%22absent{id}%22")).status, 404);
    }
    assert_eq!(server.get(&format!("{OTHER}/graph/vertices/%22p%22")).status, 200);
    for stream in slow {
        stream.set_nonblocking(true).unwrap();
        assert_eq!(stream.peek(&mut [0]).unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    }
}

#[test]
fn storage_that_does_not_answer_is_said_so() {
    let engine = Arc::new(FaultEngine::new(Arc::new(ScatteredEngine::open(TABLES)) as Arc<dyn kv::Engine>));
    let faults = engine.faults();
    let server = Server::over(engine, Limits::default());
    make_vertex(&server, G);
    for error in [KvError::Unavailable { detail: "no node answers".into() }, KvError::Timeout { limit_ms: 7 }] {
        faults.inject(Fault::FailReads { error: error.clone() });
        let answer = server.get(&format!("{G}/graph/vertices/%22absent%22"));
        assert_eq!((answer.status, answer.header("retry-after")), (503, Some("1")), "{}", answer.text());
        assert!(answer.text().contains(&error.to_string()), "{}", answer.text());
        faults.clear();
        assert_eq!(server.get(&format!("{G}/graph/vertices/%22absent%22")).status, 404);
        assert_eq!(server.get(&format!("{G}/graph/vertices/%22p%22")).status, 200);
    }
    faults.inject(Fault::FailReads { error: KvError::Timeout { limit_ms: 7 } });
    let ready = server.get("/ready");
    assert_eq!((ready.status, ready.json()["status"].as_str()), (503, Some("NOT_READY")));
    assert!(ready.text().contains("within 7 ms"), "{}", ready.text());
    assert_eq!(server.get("/health").status, 200, "the process is well");
    faults.clear();
    assert_eq!(server.get("/ready").status, 200);
    faults.inject(Fault::DiskFull { path: PathBuf::from("x") });
    let ready = server.get("/ready");
    assert!(ready.status == 503 && ready.text().contains("the disk is full"), "{}", ready.text());
    let answer = server.post(&format!("{G}/graph/vertices"), r#"{"label":"place","id":"q","properties":{}}"#);
    assert_eq!(answer.status, 503, "{}", answer.text());
}
