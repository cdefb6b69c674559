//! What does a failing engine leave? What was there before, an error that says so, and a store that goes on when the
//! engine does.

use std::borrow::Cow;
use std::sync::Arc;

use graph_host::{Clear, HostedGraph, Store};
use graph_model::{Cardinality, DataType, ErrorKind, IdStrategy, TaskStatus};
use graph_schema::Alter;
use graph_schema::{EdgeRecord, Literal, NewVertex, UpdateStrategy, UpdateVertexLabel, UserData};
use graph_store::{Pending, StoreError, Wait};
use key_codec::tables;
use kv::{Fault, FaultEngine, Faults, KvError, MemoryEngine};

use crate::fixture::*;

struct Subject {
    inner: Arc<MemoryEngine>,
    faults: Faults,
    store: Store,
    graph: Arc<HostedGraph>,
}

fn subject() -> Subject {
    let inner = memory();
    let engine = Arc::new(FaultEngine::new(Arc::clone(&inner)));
    let faults = engine.faults();
    let (store, graph) = store(&engine);
    fill(&graph);
    Subject { inner, faults, store, graph }
}

fn io() -> KvError {
    KvError::Io { action: "writing", detail: "scripted".into() }
}

fn fail_commit(faults: &Faults, nth: u64) {
    faults.inject(Fault::FailCommit { nth, error: io() });
}

/// Everything a client can do to the elements of [`fill`], each under its name.
fn writes(graph: &HostedGraph) -> Vec<(&'static str, Result<(), StoreError>)> {
    let wait = Wait::Never;
    let given = properties(&[("value", Literal::Integer(9))]);
    let existing = listed_edges_of(graph);
    vec![
        ("insert vertices", insert(graph, &[named("x"), keyed("y"), named("z")]).map(drop)),
        ("insert edges", connect(graph, &[edge("to_named", ("keyed", text("1:a")), ("named", text("n")))]).map(drop)),
        (
            "append",
            graph.writer().alter_vertex(&string_id("n"), Alter::Append, &given, wait).and_then(Pending::wait).map(drop),
        ),
        ("update vertices", update_vertices(graph, "n")),
        ("update edges", update_edges(graph)),
        ("delete edge", graph.writer().delete_edge(&existing, wait).and_then(Pending::wait)),
        ("delete vertex", graph.writer().delete_vertex(&string_id("1:a"), wait).and_then(Pending::wait)),
    ]
}

fn add_up() -> [(Cow<'static, str>, UpdateStrategy); 1] {
    [("value".into(), UpdateStrategy::Sum)]
}

fn update_vertices(graph: &HostedGraph, id: &str) -> Result<(), StoreError> {
    let counted = NewVertex { properties: properties(&[("value", Literal::Integer(1))]), ..named(id) };
    graph.writer().update_vertices(&[counted, named("fresh")], &add_up(), Wait::Never).and_then(Pending::wait).map(drop)
}

fn update_edges(graph: &HostedGraph) -> Result<(), StoreError> {
    let new = edge("loops", ("numbered", Literal::Integer(2)), ("numbered", Literal::Integer(1)));
    let record = EdgeRecord { id: None, edge: new };
    graph.writer().update_edges(&[record], &add_up(), true, Wait::Never).and_then(Pending::wait).map(drop)
}

fn listed_edges_of(graph: &HostedGraph) -> graph_model::EdgeId {
    graph_model::EdgeId {
        label: edge_label_id(graph, "loops"),
        source: graph_model::VertexId::Number(1),
        sort_values: "".into(),
        target: graph_model::VertexId::Number(2),
    }
}

#[test]
fn a_failed_write_leaves_nothing_reports_it_and_lets_go_of_its_locks() {
    let Subject { inner, faults, graph, .. } = subject();
    let before = all_rows(&*inner);
    for nth in 1..=7 {
        fail_commit(&faults, nth);
    }
    for (name, outcome) in writes(&graph) {
        assert!(matches!(outcome, Err(StoreError::Kv(KvError::Io { .. }))), "{name}: {outcome:?}");
    }
    assert_eq!(all_rows(&*inner), before);
    for (name, outcome) in writes(&graph) {
        outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    assert_ne!(all_rows(&*inner), before);
}

#[test]
fn whichever_read_fails_a_write_does_nothing() {
    for nth in 1..60 {
        let Subject { inner, faults, graph, .. } = subject();
        let before = all_rows(&*inner);
        faults.inject(Fault::FailRead { nth, error: io() });
        let outcome = graph.writer().delete_vertex(&string_id("1:a"), Wait::Never).and_then(Pending::wait);
        if outcome.is_ok() {
            assert!(nth > 3, "deleting a vertex reads it and its edges");
            let [out, into] = adjacency(&*inner);
            assert_eq!(out, into);
            return;
        }
        assert!(matches!(outcome, Err(StoreError::Kv(KvError::Io { .. }))));
        assert_eq!(all_rows(&*inner), before, "read {nth}");
    }
    panic!("deleting a vertex never succeeded");
}

#[test]
fn failing_reads_are_errors_and_never_mean_that_nothing_is_there() {
    let Subject { faults, graph, .. } = subject();
    let edge_id = listed_edges_of(&graph);
    faults.inject(Fault::FailReads { error: KvError::Unavailable { detail: "scripted".into() } });
    let given = properties(&[("value", Literal::Integer(9))]);
    let label = Some(vertex_label_id(&graph, "named"));
    let outcomes: Vec<Result<(), StoreError>> = vec![
        graph.reader().vertex(&string_id("n")).map(drop),
        graph.reader().edge(&edge_id).map(drop),
        graph.reader().vertices(&[string_id("n")]).map(drop),
        listed_vertices(&graph, None).map(drop),
        listed_vertices(&graph, label).map(drop),
        listed_edges(&graph, None, None).map(drop),
        graph.jobs().task(1).map(drop),
        graph.jobs().tasks(|_| true, None, 0).map(drop),
        connect(&graph, &[edge("to_named", ("keyed", text("1:a")), ("named", text("n")))]).map(drop),
        graph.writer().alter_vertex(&string_id("n"), Alter::Append, &given, Wait::Never).map(drop),
        graph.writer().alter_edge(&edge_id, Alter::Append, &[], Wait::Never).map(drop),
        update_vertices(&graph, "n"),
        update_edges(&graph),
        graph.writer().delete_edge(&edge_id, Wait::Never).map(drop),
        graph.writer().delete_vertex(&string_id("n"), Wait::Never).map(drop),
    ];
    for (at, outcome) in outcomes.into_iter().enumerate() {
        assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Unavailable, "number {at}");
    }
    faults.clear();
    assert_eq!(graph.reader().vertex(&string_id("n")).unwrap().unwrap().id, string_id("n"));
}

#[test]
fn a_store_that_cannot_be_read_is_not_opened_as_an_empty_one() {
    let Subject { inner, .. } = subject();
    let before = all_rows(&*inner);
    let mut opened = false;
    for nth in 1..200 {
        let engine = Arc::new(FaultEngine::new(Arc::clone(&inner)));
        engine.faults().inject(Fault::FailRead { nth, error: io() });
        if let Ok(store) = open(&engine) {
            engine.faults().clear();
            assert_eq!(listed_vertices(&graph(&store), None).unwrap().len(), 5);
            opened = true;
            break;
        }
        assert_eq!(all_rows(&*inner), before, "read {nth}");
    }
    assert!(opened);
}

#[test]
fn a_failed_schema_change_is_not_in_force() {
    let Subject { inner, faults, graph, .. } = subject();
    let (catalogue, rows) = (graph.catalogue(), all_rows(&*inner));
    let more = vertex_label("more", IdStrategy::Automatic);
    fail_commit(&faults, 1);
    assert!(matches!(graph.schema().create_vertex_label(&more), Err(StoreError::Kv(_))));
    fail_commit(&faults, 1);
    let key = property_key("k", DataType::Int, Cardinality::Single);
    assert!(matches!(graph.schema().create_property_key(&key), Err(StoreError::Kv(_))));
    fail_commit(&faults, 1);
    assert!(matches!(graph.jobs().remove_edge_label("many"), Err(StoreError::Kv(_))));
    assert_eq!(*graph.catalogue(), *catalogue);
    assert_eq!(all_rows(&*inner), rows);
    assert!(insert(&graph, &[vertex("more", None)]).is_err());
    graph.schema().create_vertex_label(&more).unwrap();
    assert_eq!(vertex_label_id(&graph, "more").0, catalogue.next_ids().vertex_label);
}

#[test]
fn an_automatic_id_that_could_not_be_reserved_is_not_given_out() {
    let Subject { inner, faults, graph, .. } = subject();
    graph.schema().create_vertex_label(&vertex_label("auto", IdStrategy::Automatic)).unwrap();
    let before = all_rows(&*inner);
    fail_commit(&faults, 1);
    assert!(insert(&graph, &[vertex("auto", None)]).is_err());
    assert_eq!(all_rows(&*inner), before);
    insert(&graph, &[vertex("auto", None)]).unwrap();
}

#[test]
fn a_full_disk_stops_writes_only_and_only_while_it_is_full() {
    let Subject { inner, faults, store, graph } = subject();
    let before = all_rows(&*inner);
    faults.inject(Fault::DiskFull { path: "data".into() });
    for (name, outcome) in writes(&graph) {
        let error = outcome.unwrap_err();
        assert!(matches!(error, StoreError::Kv(KvError::DiskFull { .. })), "{name}: {error}");
        assert_eq!(error.kind(), ErrorKind::Unavailable);
    }
    assert!(store.clear_graph("hugegraph", Clear::Everything).is_err());
    assert!(graph.jobs().remove_edge_label("many").is_err());
    assert_eq!(listed_vertices(&graph, None).unwrap().len(), 5);
    assert_eq!(all_rows(&*inner), before);
    faults.clear();
    for (name, outcome) in writes(&self::graph(&store)) {
        outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn a_clearing_that_failed_can_be_tried_again() {
    for lost in [false, true] {
        let Subject { inner, faults, store, .. } = subject();
        let fault = if lost {
            Fault::LoseAcknowledgement { nth: 1, error: io() }
        } else {
            Fault::FailCommit { nth: 1, error: io() }
        };
        faults.inject(fault);
        assert!(store.clear_graph("hugegraph", Clear::Everything).is_err());
        let now = graph(&store);
        if !lost {
            assert_eq!(listed_vertices(&now, None).unwrap().len(), 5);
            insert(&now, &[named("still here")]).unwrap();
        }
        store.clear_graph("hugegraph", Clear::Everything).unwrap();
        fill(&graph(&store));
        drop(store);
        // Whatever was believed, a restart finds the same.
        let (_store, after) = self::store(&inner);
        assert_eq!(listed_vertices(&after, None).unwrap().len(), 5, "lost: {lost}");
        assert_eq!(rows(&*inner, tables::VERTEX).len(), 5, "lost: {lost}");
    }
}

#[test]
fn a_write_whose_acknowledgement_is_lost_can_be_sent_again() {
    let Subject { inner, faults, graph, .. } = subject();
    faults.inject(Fault::LoseAcknowledgement { nth: 1, error: KvError::Timeout { limit_ms: 1 } });
    let error = insert(&graph, &[named("x")]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let after = all_rows(&*inner);
    insert(&graph, &[named("x")]).unwrap();
    assert_eq!(all_rows(&*inner), after);
}

/// The change is stored, though its maker was told otherwise: what builds on the schema must not contradict it.
#[test]
fn a_schema_change_whose_acknowledgement_is_lost_is_in_force_as_it_is_stored() {
    let Subject { inner, faults, store, graph } = subject();
    graph.schema().create_property_key(&property_key("late", DataType::Int, Cardinality::Single)).unwrap();
    let update = UpdateVertexLabel {
        name: "named".into(),
        id_strategy: None,
        primary_keys: vec![],
        properties: vec!["late".into()],
        nullable_keys: vec!["late".into()],
        ttl_ms: 0,
        ttl_start_time: None,
        enable_label_index: None,
        user_data: UserData::default(),
    };
    faults.inject(Fault::LoseAcknowledgement { nth: 1, error: io() });
    assert!(graph.schema().alter_vertex_label(Alter::Append, &update).is_err());
    // The key is in use by what is stored: without it the store could not be opened any more.
    assert!(graph.schema().delete_property_key("late").is_err());
    let catalogue = graph.catalogue();
    drop((store, graph));
    let (_store, after) = self::store(&inner);
    assert_eq!(*after.catalogue(), *catalogue);
}

#[test]
fn whichever_commit_of_a_removal_fails_the_label_can_be_removed_in_the_end() {
    for lost in [false, true] {
        for nth in 1..=9 {
            let Subject { inner, faults, store, graph } = subject();
            ended(&graph, graph.jobs().remove_edge_label("to_named").unwrap());
            let fault = if lost {
                Fault::LoseAcknowledgement { nth, error: io() }
            } else {
                Fault::FailCommit { nth, error: io() }
            };
            faults.inject(fault);
            let started = graph.jobs().remove_vertex_label("named");
            // The number of the task, then its record.
            assert_eq!(started.is_err(), nth <= 2);
            drop((store, graph));
            let (_store, graph) = self::store(&inner);
            for task in graph.jobs().tasks(|_| true, None, 0).unwrap() {
                ended(&graph, task.id);
            }
            if graph.catalogue().vertex_label_named("named").is_some() {
                let task = ended(&graph, graph.jobs().remove_vertex_label("named").unwrap());
                assert_eq!(task.status, TaskStatus::Success, "commit {nth}, lost: {lost}: {task:?}");
            }
            assert_eq!(rows(&*inner, tables::VERTEX).len(), 4, "commit {nth}, lost: {lost}");
        }
    }
}
