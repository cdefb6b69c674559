//! Requests and sessions over a graph in memory.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail the test")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use graph_host::{GraphConf, Store, StoreOptions};
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
    let error = service.attempt(&prepared, Duration::ZERO, &mut all).err().unwrap();
    assert!(error.is_timeout() && all.rows().is_empty(), "{error}");
    service.attempt(&prepared, PATIENCE, &mut all).unwrap();
    assert_eq!(all.take_rows(), [(Value::from("a"), 1)]);
    service.run(&prepared, &Cancel::default(), &mut all).unwrap();
    assert_eq!(all.take_rows(), [(Value::from("a"), 1)]);
}

#[test]
fn an_attempt_writes_what_waits_for_nobody() {
    let service = service(Options::default());
    let attempt = |text: &str, time| {
        let prepared = service.prepare(request(text)).unwrap();
        service.attempt(&prepared, time, &mut Collect::new(1 << 20))
    };
    let add = "g.addV('person').property('name', 'a')";
    assert!(attempt(add, Duration::ZERO).err().unwrap().is_timeout());
    assert_eq!(run(&service, "g.V().count()").unwrap(), [Value::Long(0)]);
    let mut committing = attempt(add, PATIENCE).unwrap().unwrap();
    let mut context = Context::from_waker(Waker::noop());
    while committing.as_mut().poll(&mut context).map(Result::unwrap).is_pending() {}
    assert_eq!(run(&service, "g.V().values('name')").unwrap(), [Value::from("a")]);

    // Others would have to be waited for, or what is committed is not bounded by the time.
    for text in ["g.mergeV([(T.label): 'person', name: 'b'])", "g.V().drop()", "g.tx().commit()", SCHEMA] {
        assert!(attempt(text, PATIENCE).unwrap().is_none(), "{text}");
    }
    assert_eq!(run(&service, "g.V().values('name')").unwrap(), [Value::from("a")]);
    // Half of it fails, so nothing is written.
    assert!(attempt("g.addV('person').property('name', 'c'); g.addV('nothing')", PATIENCE).is_err());
    assert_eq!(run(&service, "g.V().count()").unwrap(), [Value::Long(1)]);
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
fn a_session_keeps_values_of_keys_that_others_added_since_it_began() {
    let store = Store::open(Arc::new(MemoryEngine::open(TABLES)), StoreOptions::default()).unwrap();
    store.create_graph("auto", &GraphConf::from([("schema.mode".to_owned(), "auto".to_owned())])).unwrap();
    let service = QueryService::new(Arc::new(store), Options::default());
    run(&service, "gauto.addV('p').property(id, 'a').as('a').addV('p').property(id, 'b').addE('to').to('a')").unwrap();
    run_in(&service, "s", "gauto.V('b').property('one', 1)").unwrap();
    run(&service, "gauto.V('a').property('two', 2)").unwrap();
    run(&service, "gauto.E().property('three', 3)").unwrap();
    run_in(&service, "s", "gauto.V('a').property('four', 4)").unwrap();
    run_in(&service, "s", "gauto.E().property('five', 5)").unwrap();
    run_in(&service, "s", "gauto.tx().commit()").unwrap();
    let values = |of: &str| run(&service, &format!("gauto.{of}.values().order()")).unwrap();
    assert_eq!(values("V('a')"), [Value::Int(2), Value::Int(4)]);
    assert_eq!(values("E()"), [Value::Int(3), Value::Int(5)]);
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
    let quoted = "this.binding.'DEFAULT-hugegraph'.traversal()";
    for source in ["g", "ghugegraph", "__g_hugegraph", "hugegraph.traversal()", quoted] {
        assert_eq!(run(&service, &format!("{source}.V().count()")).unwrap(), [Value::Long(1)], "{source}");
    }
    let aliases = vec![("g".into(), "__g_DEFAULT-hugegraph".into())];
    let prepared = service.prepare(QueryRequest { aliases, ..request("g.V().count()") }).unwrap();
    assert_eq!(prepared.graph(), "hugegraph");
    assert!(run(&service, "nosuch.V()").is_err());
}

#[test]
fn explain_names_the_index_that_would_help() {
    let service = service(Options::default());
    let schema = "graph.schema().propertyKey('age').asInt().ifNotExist().create(); \
        graph.schema().propertyKey('note').asText().ifNotExist().create(); \
        graph.schema().vertexLabel('dog').properties('name', 'age', 'note').nullableKeys('age', 'note')\
        .useCustomizeStringId().ifNotExist().create()";
    run(&service, schema).unwrap();
    let explained = |query: &str| {
        let results = run(&service, &format!("{query}.explain()")).unwrap();
        let text = results.first().and_then(Value::as_text).unwrap();
        text.lines().filter(|line| line.starts_with("  Scan: ")).map(str::to_owned).collect::<Vec<_>>()
    };
    let shown = |query: &str, wanted: &[&str]| {
        let found = explained(query);
        assert_eq!(found.len(), wanted.len(), "{query}: {found:?}");
        for (line, wanted) in found.iter().zip(wanted) {
            assert!(line.contains(wanted), "{query}: {line}");
        }
    };
    shown("g.V().has('dog', 'age', gt(3))", &["a RANGE index label over 'dog' by 'age'"]);
    shown("g.V().where(__.V().has('name', 'x'))", &["a SECONDARY index label over 'dog' by 'name'"]);
    shown("g.V().has('person', 'name', 'x')", &[]);
    shown("g.V('d').has('age', 3)", &[]);
    shown("g.V().hasLabel('dog').count()", &[]);
    run(&service, "graph.schema().indexLabel('byAge').onV('dog').by('age').range().ifNotExist().create()").unwrap();
    // It is used from when it has been built.
    let deadline = Instant::now() + Duration::from_secs(60);
    while !explained("g.V().has('dog', 'age', gt(3))").is_empty() {
        assert!(Instant::now() < deadline, "the index was never built");
        std::thread::sleep(Duration::from_millis(5));
    }
    run(&service, "g.addV('dog').property(id, 'r').property('name', 'rex').property('age', 3).property('note', 'a')")
        .unwrap();
    run(&service, "g.addV('dog').property(id, 's').property('name', 'sam').property('age', 3).property('note', 'b')")
        .unwrap();
    // The index over one of the properties is used, and the other is compared.
    let both = "g.V().hasLabel('dog').has('age', 3).has('note', 'b')";
    shown(both, &[]);
    assert_eq!(run(&service, &format!("{both}.values('name')")).unwrap(), [Value::from("sam")]);
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

#[test]
fn indexes_of_auto_graphs_are_used_and_find_what_scans_find() {
    let store = Store::open(Arc::new(MemoryEngine::open(TABLES)), StoreOptions::default()).unwrap();
    store.create_graph("auto", &GraphConf::from([("schema.mode".to_owned(), "auto".to_owned())])).unwrap();
    let service = QueryService::new(Arc::new(store), Options::default());
    let add = |label: &str, age: &str| {
        run(&service, &format!("gauto.addV('{label}').property('age', {age}).property('name', 'n')")).unwrap();
    };
    let ages = [
        "1",
        "1L",
        "1.0d",
        "2",
        "0.1f",
        "0.1d",
        "0.1m",
        "'1'",
        "true",
        "9007199254740993L",
        "NaN",
        "'b'",
        "'\u{1F600}'",
    ];
    for label in ["person", "robot", "a::person"] {
        ages.iter().for_each(|age| add(label, age));
    }
    run(&service, "gauto.addV('person').property(list, 'age', 1).property(list, 'age', 30).property('name', 'two')")
        .unwrap();
    let queries = [
        ("gauto.V().has('person', 'age', 1)", true),
        ("gauto.V().has('person', 'age', 0.1d)", true),
        ("gauto.V().has('person', 'age', 0.1m)", true),
        ("gauto.V().has('person', 'age', 9007199254740992L)", true),
        ("gauto.V().has('person', 'age', '1')", true),
        ("gauto.V().has('person', 'age', true)", true),
        ("gauto.V().has('a::person', 'age', within(1, 2.0d, 'b'))", true),
        ("gauto.V().hasLabel('person', 'a::person').has('age', gt(1))", true),
        ("gauto.V().has('person', 'age', between(0, 40))", true),
        ("gauto.V().has('person', 'age', lte('b'))", true),
        ("gauto.V().has('person', 'age', gt('\u{1F600}'))", false),
        ("gauto.V().has('person', 'age', startingWith(''))", true),
        ("gauto.V().has('person', 'age', gt(20)).has('age', lt(2))", true),
        ("gauto.V().has('person', 'age', neq(1))", false),
        ("gauto.V().has('robot', 'age', 1)", false),
        ("gauto.V().has('age', 1)", false),
    ];
    let found = |query: &str| {
        let mut ids = run(&service, &format!("{query}.id()")).unwrap();
        ids.sort_by(query_value::order);
        ids
    };
    let before: Vec<_> = queries.iter().map(|(query, _)| found(query)).collect();
    let explained = |query: &str| {
        let results = run(&service, &format!("{query}.explain()")).unwrap();
        results.first().and_then(Value::as_text).unwrap().to_owned()
    };
    assert!(explained(queries[0].0).contains("a SECONDARY index label over 'person' by 'age'"));
    assert!(explained("gauto.V().has('age', 1)").contains("where a label is given"));
    run(&service, "auto.schema().indexLabel('byAge').onV('person').by('age').range().ifNotExist().create()").unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !explained(queries[0].0).contains("Index: vertices of label 'person' are found by index label 'byAge'") {
        assert!(Instant::now() < deadline, "the index was never built");
        std::thread::sleep(Duration::from_millis(5));
    }
    for ((query, _), before) in queries.iter().zip(before) {
        assert_eq!(found(query), before, "{query}");
    }
    for (query, is_used) in queries {
        assert_eq!(explained(query).contains("Index:"), is_used, "{query}: {}", explained(query));
    }
    // A merge finds by it, in what the request has written too.
    let merge = "gauto.mergeV([(T.label): 'person', 'age': 77])";
    let ids = run(
        &service,
        &format!("{merge}.id().aggregate('a').fold().{}.id()", "mergeV([(T.label): 'person', 'age': 77L])"),
    );
    assert_eq!(ids.unwrap(), run(&service, &format!("{merge}.id()")).unwrap());
    assert_eq!(run(&service, "gauto.V().has('person', 'age', 77).count()").unwrap(), [Value::Long(1)]);
}
