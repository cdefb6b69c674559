//! Two servers over one store, which promises as little as an engine over a network may.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use graph_access::Budget;
use graph_host::{Clear, ClusterOptions, GraphConf, HostedGraph, PurgeOptions, Store, StoreOptions};
use graph_maintenance::check_indexes;
use graph_model::{Cardinality, DataType, IdStrategy, TaskStatus, VertexId};
use graph_schema::{GraphMode, NewIndexLabel, SchemaKind};
use graph_store::{Pending, StoreError, Wait};
use key_codec::tables;
use kv::conformance::ScatteredEngine;
use kv::{Engine, Fault, FaultEngine, Faults, KvError};

use crate::fixture::{edge, graph, insert, named, property_key, rows, vertex, vertex_label};
use crate::parked::ParkedEngine;

/// Longer than anything here takes, so that a defect fails a test instead of hanging it.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) type Shared = Arc<ScatteredEngine>;

pub(crate) fn shared() -> Shared {
    Arc::new(ScatteredEngine::open(tables::TABLES))
}

pub(crate) fn options() -> StoreOptions {
    let cluster = ClusterOptions {
        refresh: Duration::from_millis(20),
        stale: Duration::from_secs(2),
        change_wait: Duration::from_secs(30),
        in_doubt: PATIENCE,
    };
    StoreOptions {
        purge: PurgeOptions { interval: None, ..PurgeOptions::default() },
        cluster,
        ..StoreOptions::default()
    }
}

pub(crate) fn server(engine: &Shared) -> Store {
    Store::open(Arc::<ScatteredEngine>::clone(engine) as Arc<dyn Engine>, options()).unwrap()
}

/// A server that can be cut off from the store: for the others, as if it had been killed.
pub(crate) fn mortal(engine: &Shared) -> (Store, Faults) {
    mortal_with(engine, options())
}

pub(crate) fn mortal_with(engine: &Shared, options: StoreOptions) -> (Store, Faults) {
    let engine = Arc::new(FaultEngine::new(Arc::<ScatteredEngine>::clone(engine) as Arc<dyn Engine>));
    let faults = engine.faults();
    (Store::open(engine, options).unwrap(), faults)
}

pub(crate) fn cut_off(faults: &Faults) {
    faults.inject(Fault::DiskFull { path: PathBuf::from("cut off") });
    faults.inject(Fault::FailReads { error: KvError::Unavailable { detail: "cut off".into() } });
}

/// Waits until something holds.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn has_label(store: &Store, name: &str) -> bool {
    graph(store).catalogue().vertex_label_named(name).is_some()
}

/// A vertex label on one server, and its being known on the other.
pub(crate) fn label(first: &Store, second: &Store, name: &str, strategy: IdStrategy) {
    graph(first).schema().create_vertex_label(&vertex_label(name, strategy)).unwrap();
    until("seeing a label", || has_label(second, name));
}

#[test]
fn a_schema_change_through_one_server_is_seen_by_the_other() {
    let engine = shared();
    let (first, second) = (server(&engine), server(&engine));
    label(&first, &second, "named", IdStrategy::CustomizeString);
    let ids = insert(&graph(&second), &[named("a")]).unwrap();
    assert!(graph(&first).reader().vertex(&ids[0]).unwrap().is_some());
    label(&second, &first, "other", IdStrategy::Automatic);
    insert(&graph(&first), &[vertex("other", None)]).unwrap();
    graph(&first).set_mode(GraphMode::Loading).unwrap();
    until("seeing the mode", || graph(&second).mode() == GraphMode::Loading);
    let third = server(&engine);
    assert!(has_label(&third, "other") && graph(&third).mode() == GraphMode::Loading);
}

/// A load that the store cannot keep up with must not take a server the right to write.
#[test]
fn a_beat_does_not_wait_behind_other_writes() {
    let engine = Arc::new(ParkedEngine::new(shared()));
    let store = Store::open(Arc::<ParkedEngine>::clone(&engine) as Arc<dyn Engine>, options()).unwrap();
    graph(&store).schema().create_vertex_label(&vertex_label("named", IdStrategy::CustomizeString)).unwrap();
    engine.park(usize::MAX);
    std::thread::sleep(options().cluster.stale + Duration::from_millis(500));
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| insert(&graph(&store), &[named("a")]));
        until("handing over a write", || engine.parked() > 0 || writer.is_finished());
        engine.park(0);
        engine.release();
        writer.join().unwrap().unwrap();
    });
}

#[test]
fn what_other_servers_changed_is_read_beside_a_load() {
    let inner = shared();
    let engine = Arc::new(ParkedEngine::new(Arc::clone(&inner)));
    let watched = Store::open(Arc::<ParkedEngine>::clone(&engine) as Arc<dyn Engine>, options()).unwrap();
    let other = server(&inner);
    let held = engine.hold_reads();
    label(&other, &watched, "named", IdStrategy::CustomizeString);
    drop(held);
}

#[test]
fn a_new_graph_is_read_beside_a_load() {
    let inner = shared();
    let engine = Arc::new(ParkedEngine::new(Arc::clone(&inner)));
    let watched = Store::open(Arc::<ParkedEngine>::clone(&engine) as Arc<dyn Engine>, options()).unwrap();
    let other = server(&inner);
    let held = engine.hold_reads();
    other.create_graph("new", &GraphConf::new()).unwrap();
    until("seeing a graph", || watched.graph("new").is_ok());
    drop(held);
}

#[test]
fn automatic_ids_of_several_servers_are_unique() {
    const BATCHES: usize = 20;
    const BATCH: usize = 200;
    let engine = shared();
    let (first, second) = (server(&engine), server(&engine));
    label(&first, &second, "auto", IdStrategy::Automatic);
    let insert_some = |store: &Store| -> Vec<VertexId> {
        let graph = graph(store);
        let batch = vec![vertex("auto", None); BATCH];
        (0..BATCHES).flat_map(|_| insert(&graph, &batch).unwrap()).collect()
    };
    let mut all: Vec<VertexId> = std::thread::scope(|scope| {
        let threads: Vec<_> = [&first, &second, &first, &second]
            .map(|store| scope.spawn(move || insert_some(store)))
            .into_iter()
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    drop(first);
    all.extend(insert_some(&server(&engine)));
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 5 * BATCHES * BATCH);
}

#[test]
fn changes_of_two_servers_come_one_after_the_other() {
    const COUNT: usize = 15;
    let engine = shared();
    let stores = [server(&engine), server(&engine)];
    std::thread::scope(|scope| {
        for (at, store) in stores.iter().enumerate() {
            scope.spawn(move || {
                for n in 0..COUNT {
                    let own = property_key(&format!("own{at}_{n}"), DataType::Int, Cardinality::Single);
                    graph(store).schema().create_property_key(&own).unwrap();
                    let both = property_key(&format!("both{n}"), DataType::Int, Cardinality::Single);
                    match graph(store).schema().create_property_key(&both) {
                        Ok(_) | Err(StoreError::Schema(_)) => {}
                        Err(error) => panic!("{error}"),
                    }
                    store.create_graph(&format!("g{at}_{n}"), &GraphConf::new()).unwrap();
                }
            });
        }
    });
    for store in &stores {
        until("seeing all", || {
            graph(store).catalogue().property_keys().count() == 3 * COUNT && store.graph_names().len() == 2 * COUNT + 1
        });
        let ids: BTreeSet<_> = graph(store).catalogue().property_keys().map(|key| key.id).collect();
        assert_eq!(ids.len(), 3 * COUNT);
    }
}

#[test]
fn what_one_server_clears_or_drops_the_other_writes_to_no_more() {
    let engine = shared();
    let (first, second) = (server(&engine), server(&engine));
    label(&first, &second, "named", IdStrategy::CustomizeString);
    first.create_graph("extra", &GraphConf::new()).unwrap();
    until("seeing the graph", || second.graph("extra").is_ok());
    insert(&graph(&second), &[named("before")]).unwrap();
    let old = graph(&second);
    first.clear_graph("hugegraph", Clear::Data).unwrap();
    assert!(matches!(insert(&old, &[named("late")]), Err(StoreError::GraphCleared { .. })));
    insert(&graph(&second), &[named("after")]).unwrap();
    let stored = |id: &str| graph(&first).reader().vertex(&VertexId::String(id.into())).unwrap().is_some();
    assert!(stored("after") && !stored("before") && !stored("late"));
    // By the one that does not collect garbage; the other one removes what it held.
    second.drop_graph("extra").unwrap();
    assert!(first.graph("extra").is_err());
    until("removing what was dropped", || rows(&*engine, tables::VERTEX).len() == 1);
}

#[test]
fn nothing_is_written_into_what_was_removed_by_an_older_catalogue() {
    let engine = shared();
    let (first, second) = (server(&engine), server(&engine));
    label(&first, &second, "named", IdStrategy::CustomizeString);
    label(&first, &second, "auto", IdStrategy::Automatic);
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let graph = graph(&second);
            while insert(&graph, &[vertex("auto", None), vertex("auto", None)]).is_ok() {}
            ended.store(true, Ordering::Relaxed);
        });
        until("writing", || rows(&*engine, tables::VERTEX).len() > 20);
        let task = graph(&first).jobs().remove_vertex_label("auto").unwrap();
        until("removing the label", || graph(&first).jobs().task(task).unwrap().status == TaskStatus::Success);
        assert!(ended.load(Ordering::Relaxed), "the other server stopped before anything was removed");
    });
    assert_eq!(rows(&*engine, tables::VERTEX).len() + rows(&*engine, tables::LABEL_INDEX).len(), 0);
}

#[test]
fn a_server_that_cannot_look_stops_writing_and_begins_again() {
    let engine = shared();
    let (first, faults) = mortal(&engine);
    let second = server(&engine);
    label(&first, &second, "named", IdStrategy::CustomizeString);
    let graph = graph(&first);
    faults.inject(Fault::FailReads { error: KvError::Unavailable { detail: "scripted".into() } });
    until("refusing", || matches!(insert(&graph, &[named("a")]), Err(StoreError::Stale { .. })));
    let error = insert(&graph, &[named("a")]).unwrap_err();
    assert!(error.to_string().contains("cluster.stale_ms"), "{error}");
    assert_eq!(error.kind(), graph_model::ErrorKind::Overloaded);
    faults.clear();
    until("writing again", || insert(&graph, &[named("b")]).is_ok());
}

/// Vertices of label `named`, enough that a task over them takes a while.
fn fill(graph: &HostedGraph) {
    for from in (0..4_000).step_by(500) {
        let ids: Vec<String> = (from..from + 500).map(|n| format!("v{n}")).collect();
        let all: Vec<_> = ids.iter().map(|id| named(id)).collect();
        graph.writer().insert_vertices(&all, Wait::Allowed).and_then(Pending::wait).unwrap();
    }
}

/// Whether it kept house or not.
#[test]
fn tasks_of_a_server_that_died_are_done_by_another() {
    let engine = shared();
    let (first, faults) = mortal(&engine);
    tasks_outlive(&engine, &first, &faults, &server(&engine));
    let engine = shared();
    let second = server(&engine);
    let (first, faults) = mortal(&engine);
    tasks_outlive(&engine, &first, &faults, &second);
}

fn tasks_outlive(engine: &Shared, first: &Store, faults: &Faults, second: &Store) {
    label(first, second, "named", IdStrategy::CustomizeString);
    fill(&graph(second));
    faults.inject(Fault::DelayCommits { delay: Duration::from_millis(100) });
    let task = graph(first).jobs().remove_vertex_label("named").unwrap();
    cut_off(faults);
    until("taking over the task", || {
        graph(second).jobs().task(task).is_ok_and(|task| task.status == TaskStatus::Success && task.retries == 1)
    });
    assert!(!has_label(second, "named"));
    assert_eq!(rows(&**engine, tables::VERTEX).len(), 0);
    // What it had the right to is free again.
    label(second, second, "later", IdStrategy::CustomizeString);
    faults.clear();
    until("seeing the others again", || has_label(first, "later"));
}

#[test]
fn a_task_is_seen_and_cancelled_from_any_server() {
    let engine = shared();
    let (first, faults) = mortal(&engine);
    let second = server(&engine);
    label(&first, &second, "named", IdStrategy::CustomizeString);
    fill(&graph(&second));
    faults.inject(Fault::DelayCommits { delay: Duration::from_millis(100) });
    let task = graph(&first).jobs().rebuild_indexes(SchemaKind::VertexLabel, "named").unwrap();
    assert_eq!(graph(&second).jobs().tasks(|_| true, None, 0).unwrap().len(), 1);
    let cancelled = graph(&second).jobs().cancel(task).unwrap();
    assert_eq!(cancelled.status, TaskStatus::Cancelling);
    until("cancelling", || graph(&second).jobs().task(task).unwrap().status == TaskStatus::Cancelled);
    // Numbers of tasks are taken by both.
    faults.clear();
    let mut numbers = BTreeSet::from([task]);
    for store in [&first, &second, &first, &second] {
        assert!(numbers.insert(graph(store).jobs().rebuild_indexes(SchemaKind::VertexLabel, "named").unwrap()));
    }
}

#[test]
fn concurrent_overwrites_leave_no_element_without_its_entries() {
    let engine = shared();
    let (first, second) = (server(&engine), server(&engine));
    graph(&first).schema().create_property_key(&property_key("value", DataType::Int, Cardinality::Single)).unwrap();
    let label = graph_schema::NewVertexLabel {
        properties: vec!["value".into()],
        ..vertex_label("named", IdStrategy::CustomizeString)
    };
    graph(&first).schema().create_vertex_label(&label).unwrap();
    let index = NewIndexLabel::on_vertices("by_value", "named", graph_schema::IndexType::Secondary, &["value"]);
    let (_, _, task) = graph(&first).jobs().create_index_label(&index).unwrap();
    until("building", || task == 0 || graph(&first).jobs().task(task).unwrap().status == TaskStatus::Success);
    let built = |store| graph(store).catalogue().index_label_named("by_value").is_some_and(|index| index.complete);
    until("seeing it", || built(&first) && built(&second));
    std::thread::scope(|scope| {
        for (at, store) in [&first, &second].into_iter().enumerate() {
            scope.spawn(move || {
                for n in 0..300usize {
                    let value = graph_schema::Literal::Integer(i64::try_from((n + at) % 3).unwrap());
                    let vertex = graph_schema::NewVertex {
                        properties: crate::fixture::properties(&[("value", value)]),
                        ..named(["x", "y"][n % 2])
                    };
                    insert(&graph(store), &[vertex]).unwrap();
                }
            });
        }
    });
    let report = check_indexes(&graph(&first), true, &Budget::unlimited(), &mut |_| ()).unwrap();
    assert_eq!(report.count(graph_maintenance::IndexFault::Missing), 0, "{report:?}");
    let report = check_indexes(&graph(&second), false, &Budget::unlimited(), &mut |_| ()).unwrap();
    assert_eq!(report.total(), 0, "{report:?}");
}

#[test]
fn a_page_token_of_one_server_goes_on_at_another() {
    let engine = shared();
    let (first, second) = (server(&engine), server(&engine));
    label(&first, &second, "named", IdStrategy::CustomizeString);
    let new = crate::fixture::edge_label("knows", "named", "named");
    graph(&first).schema().create_edge_label(&new).unwrap();
    let all: Vec<String> = (0..50).map(|n| format!("v{n}")).collect();
    insert(&graph(&first), &all.iter().map(|id| named(id)).collect::<Vec<_>>()).unwrap();
    let end = |n: usize| ("named", crate::fixture::text(&all[n]));
    let edges: Vec<_> = (0..49).map(|n| edge("knows", end(n), end(n + 1))).collect();
    crate::fixture::connect(&graph(&first), &edges).unwrap();
    until("seeing the label", || graph(&second).catalogue().edge_label_named("knows").is_some());
    let mut token = String::new();
    let mut found = BTreeSet::new();
    for at in 0.. {
        let graph = graph(if at % 2 == 0 { &first } else { &second });
        let range = graph_store::Range::Page { token, limit: Some(7) };
        let query = graph_store::EdgeQuery { label: None, vertex: None, conditions: Default::default(), range };
        let listed = graph.reader().list_edges(&query, &Budget::unlimited(), &mut |edge| {
            assert!(found.insert(edge.id.clone()), "each edge once");
            std::ops::ControlFlow::Continue(())
        });
        let Some(next) = listed.unwrap().next else { break };
        token = next;
    }
    assert_eq!(found.len(), 49);
    let shards = graph(&second).reader().vertex_shards(100).unwrap();
    let mut scanned = 0;
    for shard in shards {
        let (start, end) = (shard.start, shard.end);
        let range = graph_store::Range::Offset { offset: 0, limit: None };
        let scan = graph_store::Scan { start, end, range };
        let mut count = |_: &graph_model::Vertex| {
            scanned += 1;
            std::ops::ControlFlow::Continue(())
        };
        graph(&first).reader().scan_vertices(&scan, &Budget::unlimited(), &mut count).unwrap();
    }
    assert_eq!(scanned, 50);
}
