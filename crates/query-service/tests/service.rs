//! Requests and sessions over a graph in memory.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail the test")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use graph_host::{Store, StoreOptions};
use key_codec::tables::TABLES;
use kv::MemoryEngine;
use query_service::{Cancel, Collect, Gone, Options, Program, QueryError, QueryRequest, QueryService, Reason, Sink};
use query_value::Value;

const PATIENCE: Duration = Duration::from_secs(20);
const SCHEMA: &str = "graph.schema().propertyKey('name').ifNotExist().create(); \
    graph.schema().vertexLabel('person').properties('name').primaryKeys('name').ifNotExist().create()";

/// Keeps the results, and tells when it is dropped.
struct Told {
    rows: Arc<Mutex<Vec<Value>>>,
    gone: Option<mpsc::Sender<()>>,
}

impl Sink for Told {
    fn take(&mut self, rows: Vec<(Value, u64)>) -> Result<u64, Gone> {
        self.rows.lock().unwrap().extend(rows.into_iter().map(|(value, _)| value));
        Ok(0)
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        self.gone.take().unwrap().send(()).ok();
    }
}

fn service(options: Options) -> QueryService {
    let store = Store::open(Arc::new(MemoryEngine::open(TABLES)), StoreOptions::default()).unwrap();
    let service = QueryService::new(Arc::new(store), options);
    run(&service, SCHEMA).unwrap();
    service
}

fn request(text: &str) -> QueryRequest {
    QueryRequest {
        program: Program::Text(text.to_owned()),
        bindings: BTreeMap::new(),
        aliases: Vec::new(),
        graph: None,
        user: "tester".to_owned(),
        caller: auth::Caller::anonymous(),
        timeout: PATIENCE,
        materialize: true,
    }
}

fn run(service: &QueryService, text: &str) -> Result<Vec<Value>, QueryError> {
    let mut all = Collect::new(1 << 20);
    let prepared = service.prepare(request(text))?;
    service.run(&prepared, &Cancel::default(), &mut all)?;
    Ok(all.take_rows().into_iter().map(|(value, _)| value).collect())
}

fn run_in(service: &QueryService, session: &str, text: &str) -> Result<Vec<Value>, QueryError> {
    let rows = Arc::new(Mutex::new(Vec::new()));
    let (gone, is_gone) = mpsc::channel();
    let sink = Box::new(Told { rows: Arc::clone(&rows), gone: Some(gone) });
    let prepared = service.prepare(request(text))?;
    let outcome = service.run_in_session(session, false, prepared, &Cancel::default(), sink);
    // Who waits for the last results waits for this, so it must not depend on the next request.
    is_gone.recv_timeout(PATIENCE).expect("the sink is dropped with its request");
    outcome.map(|()| std::mem::take(&mut *rows.lock().unwrap()))
}

#[test]
fn a_session_is_a_unit_until_it_commits() {
    let service = service(Options::default());
    assert_eq!(run_in(&service, "s", "x = g.addV('person').property('name', 'a').next()").unwrap().len(), 1);
    assert_eq!(run_in(&service, "s", "g.V().count()").unwrap(), [Value::Long(1)]);
    assert_eq!(run(&service, "g.V().count()").unwrap(), [Value::Long(0)]);
    run_in(&service, "s", "g.tx().commit()").unwrap();
    assert_eq!(run(&service, "g.V().count()").unwrap(), [Value::Long(1)]);
    // Variables outlive the transaction, not the session.
    assert_eq!(run_in(&service, "s", "x.id()").unwrap(), [Value::from("1:a")]);
    run_in(&service, "s", "g.addV('person').property('name', 'b').iterate()").unwrap();
    run_in(&service, "s", "g.tx().rollback()").unwrap();
    assert_eq!(run_in(&service, "s", "g.V().count()").unwrap(), [Value::Long(1)]);
    assert!(
        service.close_session(&auth::Caller::anonymous(), "s")
            && !service.close_session(&auth::Caller::anonymous(), "s")
    );
    assert!(run_in(&service, "s", "x.id()").is_err());
}

#[test]
fn what_an_attempt_has_no_time_for_is_carried_out_afterwards() {
    let service = service(Options::default());
    run(&service, "g.addV('person').property('name', 'a').iterate()").unwrap();
    let prepared = service.prepare(request("g.V().values('name')")).unwrap();
    let mut all = Collect::new(1 << 20);
    let error = service.attempt(&prepared, Duration::ZERO, &mut all).unwrap_err();
    assert!(error.is_timeout() && all.rows().is_empty(), "{error}");
    service.attempt(&prepared, PATIENCE, &mut all).unwrap();
    assert_eq!(all.take_rows(), [(Value::from("a"), 1)]);
    service.run(&prepared, &Cancel::default(), &mut all).unwrap();
    assert_eq!(all.take_rows(), [(Value::from("a"), 1)]);
}

#[test]
fn a_variable_holds_a_schema() {
    let service = service(Options::default());
    let script = "s = graph.schema(); s.propertyKey('age').asInt().ifNotExist().create();\
                  s.vertexLabel('dog').properties('name', 'age').useCustomizeStringId().ifNotExist().create()";
    run(&service, script).unwrap();
    // Neither property may be left out, so both are written with the vertex, whatever their cardinality.
    let add = "g.addV('dog').property(T.id, 'd').property(single, 'name', 'rex').property(single, 'age', 3)";
    assert_eq!(run(&service, &format!("{add}.values('age')")).unwrap(), [Value::Int(3)]);
    let error = run(&service, "s = 1; s.propertyKey('age').asInt().create()").unwrap_err();
    assert!(error.message.contains('s'), "{error}");
}

#[test]
fn sessions_are_bounded() {
    let service = service(Options { sessions_max: 1, ..Options::default() });
    run_in(&service, "one", "g.V()").unwrap();
    let prepared = service.prepare(request("g.V()")).unwrap();
    let sink = Box::new(Collect::new(1 << 20));
    let error = service.run_in_session("two", false, prepared, &Cancel::default(), sink).unwrap_err();
    assert!(error.message.contains("gremlin.sessions_max"), "{error}");
}

#[test]
fn a_script_that_fails_has_written_nothing() {
    let service = service(Options::default());
    let script = "g.addV('person').property('name', 'a').iterate(); g.V('1:none').next()";
    assert!(run(&service, script).unwrap_err().message.contains("no result"));
    assert_eq!(run(&service, "g.V().count()").unwrap(), [Value::Long(0)]);
}

#[test]
fn scripts_of_clients_run() {
    let service = service(Options::default());
    run(&service, "graph.addVertex(T.label, 'person', 'name', 'a')").unwrap();
    let script = "def res = [:]; res.vertex_num = g.V().count().next(); res['names'] = g.V().values('name').toList(); \
        return res.names.size()";
    assert_eq!(run(&service, script).unwrap(), [Value::Int(1)]);
    for source in ["g", "ghugegraph", "__g_hugegraph", "hugegraph.traversal()"] {
        assert_eq!(run(&service, &format!("{source}.V().count()")).unwrap(), [Value::Long(1)], "{source}");
    }
    let aliases = vec![("g".into(), "__g_DEFAULT-hugegraph".into())];
    let prepared = service.prepare(QueryRequest { aliases, ..request("g.V().count()") }).unwrap();
    assert_eq!(prepared.graph(), "hugegraph");
    assert!(run(&service, "nosuch.V()").is_err());
}

#[test]
fn a_query_that_was_ended_before_it_began_does_nothing() {
    let service = service(Options::default());
    let cancel = Cancel::default();
    cancel.end(Reason::Killed);
    let prepared = service.prepare(request("g.addV('person').property('name', 'a')")).unwrap();
    let error = service.run(&prepared, &cancel, &mut Collect::new(1 << 20)).unwrap_err();
    assert!(error.is_cancelled() && error.message.contains("on request"), "{error}");
    assert_eq!(run(&service, "g.V().count()").unwrap(), [Value::Long(0)]);
}
