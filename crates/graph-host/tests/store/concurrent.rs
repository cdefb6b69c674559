//! What holds when threads write at once? No edge without its ends, no lost change, nothing of a graph that was
//! cleared.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use graph_host::limits;
use graph_host::{Clear, HostedGraph, Store};
use graph_model::{Cardinality, DataType, IdStrategy, TaskStatus, Value};
use graph_schema::Alter;
use graph_schema::{Literal, NewVertexLabel};
use graph_store::{Pending, StoreError, Wait};
use key_codec::key::{self, MetaKind};
use key_codec::{GraphNumber, setting_value, tables};
use kv::Engine;

use crate::fixture::*;
use crate::parked::ParkedEngine;

const THREADS: usize = 4;
const ROUNDS: usize = 400;
const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// A vertex label with a SET of numbers, and an edge label.
fn define(graph: &HostedGraph) {
    graph.schema().create_property_key(&property_key("set", DataType::Int, Cardinality::Set)).unwrap();
    let label = NewVertexLabel {
        properties: vec!["set".into()],
        nullable_keys: vec!["set".into()],
        ..vertex_label("named", IdStrategy::CustomizeString)
    };
    graph.schema().create_vertex_label(&label).unwrap();
    graph.schema().create_edge_label(&edge_label("knows", "named", "named")).unwrap();
}

fn knows(a: &str, b: &str) -> graph_schema::NewEdge<'static> {
    edge("knows", ("named", text(a)), ("named", text(b)))
}

/// Numbers that look random, the same each time.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn name(&mut self) -> &'static str {
        NAMES[self.below(NAMES.len())]
    }
}

/// The same write again until no other one is in its way.
fn insist<T>(mut write: impl FnMut() -> Result<Pending<T>, StoreError>) -> Result<T, StoreError> {
    loop {
        match write() {
            Err(StoreError::Contended) => std::thread::yield_now(),
            other => return other.and_then(Pending::wait),
        }
    }
}

fn run_mixed_writes(graph: &HostedGraph, thread: usize) {
    let wait = if thread.is_multiple_of(2) { Wait::Allowed } else { Wait::Never };
    let mut draw = Draw(thread as u64 + 1);
    for _ in 0..ROUNDS {
        let (a, b) = (draw.name(), draw.name());
        match draw.below(8) {
            0 | 1 => drop(insist(|| graph.writer().insert_vertices(&[named(a), named(b)], wait)).unwrap()),
            2 => match insist(|| graph.writer().delete_vertex(&string_id(a), wait)) {
                Ok(()) | Err(StoreError::VertexNotFound { .. }) => {}
                Err(error) => panic!("{error}"),
            },
            3 => {
                let label = edge_label_id(graph, "knows");
                let (source, target) = (string_id(a), string_id(b));
                let id = graph_model::EdgeId { label, source, sort_values: "".into(), target };
                match insist(|| graph.writer().delete_edge(&id, wait)) {
                    Ok(()) | Err(StoreError::EdgeNotFound { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
            }
            _ => match insist(|| graph.writer().insert_edges(&[knows(a, b), knows(b, a)], true, wait)) {
                Ok(_) | Err(StoreError::EndNotFound { .. }) => {}
                Err(error) => panic!("{error}"),
            },
        }
    }
}

#[test]
fn no_edge_is_without_its_ends_or_has_one_entry_only() {
    let engine = memory();
    let (_store, graph) = store(&engine);
    define(&graph);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let graph = &graph;
            scope.spawn(move || run_mixed_writes(graph, thread));
        }
        // Schema changes under the writers: each makes them start again.
        for n in 0..20 {
            graph.schema().create_vertex_label(&vertex_label(&format!("other{n}"), IdStrategy::Automatic)).unwrap();
        }
    });
    let [out, into] = adjacency(&*engine);
    assert_eq!(out, into);
    for (id, _) in out {
        assert!(graph.reader().vertex(&id.source).unwrap().is_some(), "{id:?}");
        assert!(graph.reader().vertex(&id.target).unwrap().is_some(), "{id:?}");
    }
}

#[test]
fn no_appended_value_is_lost() {
    let (_store, graph) = store(&memory());
    define(&graph);
    insert(&graph, &[named("a"), named("b")]).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let graph = &graph;
            scope.spawn(move || {
                let wait = if thread.is_multiple_of(2) { Wait::Allowed } else { Wait::Never };
                for round in 0..ROUNDS {
                    let number = i64::try_from(round * THREADS + thread).unwrap();
                    let given = properties(&[("set", Literal::Array(vec![Literal::Integer(number)]))]);
                    let id = string_id(if round % 2 == 0 { "a" } else { "b" });
                    insist(|| graph.writer().alter_vertex(&id, Alter::Append, &given, wait)).unwrap();
                }
            });
        }
    });
    let set = graph.catalogue().property_key_named("set").unwrap().id;
    let mut all = BTreeSet::new();
    for id in ["a", "b"] {
        let vertex = graph.reader().vertex(&string_id(id)).unwrap().unwrap();
        for item in vertex.properties.get(set).unwrap().items() {
            let Value::Int(number) = item else { panic!("{item:?}") };
            assert!(all.insert(*number), "{number} twice");
        }
    }
    assert_eq!(all.len(), THREADS * ROUNDS);
}

fn parked() -> (Arc<ParkedEngine>, Store, Arc<HostedGraph>) {
    let engine = Arc::new(ParkedEngine::new(memory()));
    let (store, graph) = store(&engine);
    define(&graph);
    insert(&graph, &[named("a"), named("b")]).unwrap();
    (engine, store, graph)
}

#[test]
fn a_write_that_must_not_wait_is_turned_away_while_another_is_under_way() {
    let (engine, _store, graph) = parked();
    let (a, never) = (string_id("a"), Wait::Never);
    let one = properties(&[("set", Literal::Array(vec![Literal::Integer(1)]))]);
    engine.park(1);
    let under_way = graph.writer().alter_vertex(&a, Alter::Append, &one, never).unwrap();
    let id = graph_model::EdgeId {
        label: edge_label_id(&graph, "knows"),
        source: a.clone(),
        sort_values: "".into(),
        target: string_id("b"),
    };
    let contended = |outcome: Result<(), StoreError>| assert!(matches!(outcome, Err(StoreError::Contended)));
    contended(graph.writer().alter_vertex(&a, Alter::Append, &one, never).map(drop));
    contended(graph.writer().insert_vertices(&[named("a")], never).map(drop));
    contended(graph.writer().insert_edges(&[knows("b", "a")], false, never).map(drop));
    contended(graph.writer().insert_edge(&knows("a", "b"), never).map(drop));
    contended(graph.writer().delete_vertex(&a, never).map(drop));
    contended(graph.writer().delete_edge(&id, never).map(drop));
    contended(graph.writer().alter_edge(&id, Alter::Append, &[], never).map(drop));
    // Reads see what is committed, and do not wait.
    assert!(graph.reader().vertex(&a).unwrap().unwrap().properties.is_empty());
    engine.release();
    under_way.wait().unwrap();
    insert(&graph, &[named("a")]).unwrap();
}

#[test]
fn inserts_do_not_exclude_each_other_and_a_forgotten_write_lets_go_of_its_locks() {
    let (engine, _store, graph) = parked();
    engine.park(2);
    let first = graph.writer().insert_edges(&[knows("a", "b")], true, Wait::Never).unwrap();
    let second = graph.writer().insert_vertices(&[named("a"), named("b"), named("c")], Wait::Never).unwrap();
    assert!(matches!(graph.writer().delete_vertex(&string_id("b"), Wait::Never), Err(StoreError::Contended)));
    drop((first, second));
    assert!(matches!(graph.writer().delete_vertex(&string_id("b"), Wait::Never), Err(StoreError::Contended)));
    engine.release();
    assert_eq!(listed_edges(&graph, None, None).unwrap().len(), 1);
    assert_eq!(listed_vertices(&graph, None).unwrap().len(), 3);
    graph.writer().delete_vertex(&string_id("b"), Wait::Never).and_then(Pending::wait).unwrap();
    assert_eq!(adjacency(&*engine), [vec![], vec![]]);
}

/// Fails where a table holds a row of another graph than those of the store itself and the current one.
fn check_nothing_old(engine: &dyn Engine) {
    let mut graphs = Vec::new();
    key::meta_partition(&mut graphs, GraphNumber::STORE, MetaKind::Graph);
    let mut allowed = vec![vec![0]];
    for (key, value) in rows(engine, tables::META) {
        if key.starts_with(&graphs) {
            let [number] = setting_value::read_numbers::<1>(&value).unwrap();
            let mut prefix = Vec::new();
            key::graph_prefix(&mut prefix, GraphNumber(number.try_into().unwrap()));
            allowed.push(prefix);
        }
    }
    assert_eq!(allowed.len(), 2);
    for (table, rows) in all_rows(engine) {
        for (key, _) in rows {
            assert!(allowed.iter().any(|prefix| key.starts_with(prefix)), "table {}: {key:?}", table.0);
        }
    }
}

/// Clears the graph while a write is under way; then lets the write go.
fn clear_during(engine: &Arc<ParkedEngine>, store: &Store, write: impl FnOnce() + Send) {
    engine.park(1);
    std::thread::scope(|scope| {
        let writer = scope.spawn(write);
        while engine.parked() == 0 {
            std::thread::yield_now();
        }
        let clearing = scope.spawn(|| store.clear_graph("hugegraph", Clear::Everything).unwrap());
        // Clearing must wait for the write. Time for it to go wrong; where it is right, any time will do.
        std::thread::sleep(Duration::from_millis(20));
        assert!(!clearing.is_finished());
        engine.release();
        writer.join().unwrap();
        clearing.join().unwrap();
    });
    store.settle();
    check_nothing_old(&**engine);
    assert_eq!(graph(store).catalogue().elements(), []);
}

#[test]
fn clearing_waits_for_elements_under_way() {
    let (engine, store, graph) = parked();
    clear_during(&engine, &store, || drop(insert(&graph, &[named("late")]).unwrap()));
    assert!(matches!(insert(&graph, &[named("later")]), Err(StoreError::GraphCleared { .. })));
}

#[test]
fn clearing_waits_for_schema_changes_under_way() {
    let (engine, store, graph) = parked();
    clear_during(&engine, &store, || {
        graph.schema().create_vertex_label(&vertex_label("late", IdStrategy::Automatic)).unwrap();
    });
    let later = graph.schema().create_vertex_label(&vertex_label("later", IdStrategy::Automatic));
    assert!(matches!(later, Err(StoreError::GraphCleared { .. })));
}

#[test]
fn clearing_waits_for_tasks_under_way() {
    let (engine, store, graph) = parked();
    clear_during(&engine, &store, || {
        graph.jobs().remove_edge_label("knows").unwrap();
    });
    assert!(matches!(graph.jobs().remove_vertex_label("named"), Err(StoreError::GraphCleared { .. })));
    // Whatever became of the task, it leaves nothing.
    drop((store, graph));
    check_nothing_old(&*engine);
}

#[test]
fn nothing_of_a_cleared_graph_is_seen_again() {
    let engine = memory();
    let (store, first) = store(&engine);
    define(&first);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (store, stop) = (&store, &stop);
            scope.spawn(move || {
                let mut draw = Draw(thread as u64);
                while !stop.load(Ordering::Relaxed) {
                    let graph = graph(store);
                    let outcome = match draw.below(3) {
                        0 => insert(&graph, &[named(draw.name()), named(draw.name())]).map(drop),
                        1 => connect(&graph, &[knows(draw.name(), draw.name())]).map(drop),
                        _ => graph.jobs().remove_edge_label("knows").map(drop),
                    };
                    match outcome {
                        // The new graph may not have its schema yet.
                        Ok(()) | Err(StoreError::GraphCleared { .. } | StoreError::EndNotFound { .. }) => {}
                        Err(StoreError::Element { .. } | StoreError::Schema(_)) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
        for _ in 0..30 {
            store.clear_graph("hugegraph", Clear::Everything).unwrap();
            let fresh = graph(&store);
            assert_eq!(fresh.catalogue().elements(), []);
            assert_eq!(listed_vertices(&fresh, None).unwrap(), []);
            define(&fresh);
            for _ in 0..20 {
                std::thread::yield_now();
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    drop((store, first));
    check_nothing_old(&*engine);
}

#[test]
fn a_task_that_found_no_room_is_not_run_later() {
    let (engine, store, graph) = parked();
    engine.park(1);
    let under_way = graph.writer().insert_vertices(&[named("a")], Wait::Never).unwrap();
    // The first removal waits for that write, all others for the first.
    let first = graph.jobs().remove_edge_label("knows").unwrap();
    while graph.jobs().task(first).unwrap().status != TaskStatus::Running {
        std::thread::yield_now();
    }
    for _ in 0..limits::TASKS_QUEUED_MAX {
        graph.jobs().remove_vertex_label("named").unwrap();
    }
    let error = graph.jobs().remove_vertex_label("named").unwrap_err();
    assert!(matches!(error, StoreError::TooManyTasks { .. }), "{error}");
    assert_eq!(graph.jobs().tasks(|_| true, None, 0).unwrap().len(), limits::TASKS_QUEUED_MAX + 1);

    // A process killed now leaves one task more than may wait, and its store can be opened all the same.
    let (second, again) = self::store(&engine);
    engine.release();
    under_way.wait().unwrap();
    assert_eq!(ended(&again, first).status, TaskStatus::Success);
    drop((second, store));
}
