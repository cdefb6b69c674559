//! What several servers over one store promise of writes to the same elements at the same moment.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use graph_access::{Budget, GraphWrite as _};
use graph_host::{ClusterOptions, HostedGraph, PurgeOptions, Store, StoreOptions};
use graph_maintenance::check_indexes;
use graph_model::{Cardinality, DataType, Direction, EdgeId, IdStrategy, Properties, TaskStatus, Value, VertexId};
use graph_schema::{
    Alter, EdgeRecord, IndexType, Literal, NewEdge, NewEdgeLabel, NewIndexLabel, NewVertex, NewVertexLabel,
    UpdateStrategy,
};
use graph_store::{Pending, StoreError, Wait, stored_settings};
use key_codec::key::MetaKind;
use key_codec::{GraphNumber, tables};
use kv::conformance::ScatteredEngine;
use kv::{Engine, Fault, FaultEngine, Faults, KvError};

use crate::fixture::*;
use crate::parked::{ParkedEngine, Rounds};

const PATIENCE: Duration = Duration::from_secs(60);

/// Each server does so many writes.
const WRITES: i64 = 60;

fn options() -> StoreOptions {
    let cluster = ClusterOptions {
        refresh: Duration::from_millis(20),
        stale: Duration::from_secs(2),
        change_wait: Duration::from_secs(30),
        ..ClusterOptions::default()
    };
    StoreOptions {
        purge: PurgeOptions { interval: None, ..PurgeOptions::default() },
        cluster,
        ..StoreOptions::default()
    }
}

fn scattered() -> Arc<ScatteredEngine> {
    Arc::new(ScatteredEngine::open(tables::TABLES))
}

fn server(engine: &Arc<ScatteredEngine>) -> Store {
    Store::open(Arc::<ScatteredEngine>::clone(engine) as Arc<dyn Engine>, options()).unwrap()
}

/// A server whose writes take a while, as over a network.
fn slow(engine: &Arc<ScatteredEngine>) -> (Store, Faults) {
    let engine = Arc::new(FaultEngine::new(Arc::<ScatteredEngine>::clone(engine) as Arc<dyn Engine>));
    let faults = engine.faults();
    faults.inject(Fault::DelayCommits { delay: Duration::from_millis(1) });
    (Store::open(engine, options()).unwrap(), faults)
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Vertices of label `v` and edges of label `e` with a number and a list, both of which may be missing.
fn define(store: &Store, unique: bool) {
    let graph = graph(store);
    graph.schema().create_property_key(&property_key("n", DataType::Long, Cardinality::Single)).unwrap();
    graph.schema().create_property_key(&property_key("list", DataType::Long, Cardinality::List)).unwrap();
    let names = vec!["n".to_owned(), "list".to_owned()];
    let label = NewVertexLabel {
        properties: names.clone(),
        nullable_keys: names.clone(),
        ..vertex_label("v", IdStrategy::CustomizeNumber)
    };
    graph.schema().create_vertex_label(&label).unwrap();
    let label = NewEdgeLabel { properties: names.clone(), nullable_keys: names, ..edge_label("e", "v", "v") };
    graph.schema().create_edge_label(&label).unwrap();
    if unique {
        let index = NewIndexLabel::on_vertices("one_n", "v", IndexType::Unique, &["n"]);
        let (_, _, task) = graph.jobs().create_index_label(&index).unwrap();
        until("building", || task == 0 || graph.jobs().task(task).unwrap().status == TaskStatus::Success);
    }
}

/// Waits until a server has the schema, index included.
fn follow(store: &Store, unique: bool) {
    until("seeing the schema", || {
        let catalogue = graph(store).catalogue();
        catalogue.edge_label_named("e").is_some()
            && (!unique || catalogue.index_label_named("one_n").is_some_and(|index| index.complete))
    });
}

/// Two servers, whose writes take a while, with the schema.
fn two(engine: &Arc<ScatteredEngine>, unique: bool) -> [Store; 2] {
    let (first, second) = (slow(engine).0, slow(engine).0);
    define(&first, unique);
    follow(&second, unique);
    [first, second]
}

fn v(id: i64, given: &[(&'static str, Literal<'static>)]) -> NewVertex<'static> {
    NewVertex { properties: properties(given), ..vertex("v", Some(Literal::Integer(id))) }
}

fn e(source: i64, target: i64, given: &[(&'static str, Literal<'static>)]) -> NewEdge<'static> {
    let ends = (("v", Literal::Integer(source)), ("v", Literal::Integer(target)));
    NewEdge { properties: properties(given), ..edge("e", ends.0, ends.1) }
}

fn list(value: i64) -> (&'static str, Literal<'static>) {
    ("list", Literal::Array(vec![Literal::Integer(value)]))
}

fn append(graph: &HostedGraph, id: i64, value: i64) -> Result<(), StoreError> {
    let given = properties(&[list(value)]);
    let altered = graph.writer().alter_vertex(&VertexId::Number(id), Alter::Append, &given, Wait::Allowed);
    altered.and_then(Pending::wait).map(drop)
}

/// A property's values.
fn values(graph: &HostedGraph, of: &Properties, name: &str) -> Vec<i64> {
    let key = graph.catalogue().property_key_named(name).unwrap().id;
    let number = |value: &Value| match value {
        Value::Long(number) => *number,
        other => panic!("{other:?}"),
    };
    of.get(key).map_or(Vec::new(), |value| value.items().iter().map(number).collect())
}

fn appended(graph: &HostedGraph, id: i64) -> BTreeSet<i64> {
    let vertex = graph.reader().vertex(&VertexId::Number(id)).unwrap().unwrap();
    let all = values(graph, &vertex.properties, "list");
    let distinct: BTreeSet<i64> = all.iter().copied().collect();
    assert_eq!(distinct.len(), all.len(), "{all:?}: nothing twice");
    distinct
}

/// Has both servers work at the same time, each with its number and one graph object.
fn together(stores: &[Store; 2], work: impl Fn(i64, &HostedGraph) + Sync) {
    let start = Barrier::new(stores.len());
    std::thread::scope(|scope| {
        for (at, store) in (0..).zip(stores) {
            let (work, start) = (&work, &start);
            scope.spawn(move || {
                start.wait();
                work(at, &graph(store));
            });
        }
    });
}

#[test]
fn appends_through_two_servers_all_arrive() {
    let engine = scattered();
    let stores = two(&engine, false);
    insert(&graph(&stores[0]), &[v(1, &[]), v(2, &[])]).unwrap();
    let edge = connect(&graph(&stores[0]), &[e(1, 2, &[])]).unwrap().remove(0);
    together(&stores, |at, graph| {
        for n in 0..WRITES {
            append(graph, 1, at * WRITES + n).unwrap();
            let given = properties(&[list(at * WRITES + n)]);
            let altered = graph.writer().alter_edge(&edge.id, Alter::Append, &given, Wait::Allowed);
            altered.and_then(Pending::wait).unwrap();
        }
    });
    let all: BTreeSet<i64> = (0..2 * WRITES).collect();
    for store in &stores {
        let graph = graph(store);
        assert_eq!(appended(&graph, 1), all);
        let stored = graph.reader().edge(&edge.id).unwrap().unwrap();
        assert_eq!(values(&graph, &stored.properties, "list").len(), all.len());
    }
    let [out, into] = adjacency(&*engine);
    assert_eq!(out, into, "both sides of the edge say the same");
}

#[test]
fn batch_updates_through_two_servers_add_up() {
    const ELEMENTS: i64 = 20;
    let engine = scattered();
    let stores = two(&engine, false);
    let all: Vec<_> = (0..ELEMENTS).map(|id| v(id, &[("n", Literal::Integer(0))])).collect();
    insert(&graph(&stores[0]), &all).unwrap();
    let strategies = [(Cow::Borrowed("n"), UpdateStrategy::Sum)];
    together(&stores, |_, graph| {
        let one = || [("n", Literal::Integer(1))];
        let vertices: Vec<_> = (0..ELEMENTS).map(|id| v(id, &one())).collect();
        let edges: Vec<_> =
            (0..ELEMENTS).map(|id| EdgeRecord { id: None, edge: e(id, (id + 1) % ELEMENTS, &one()) }).collect();
        for _ in 0..WRITES {
            let updated = graph.writer().update_vertices(&vertices, &strategies, Wait::Allowed);
            updated.and_then(Pending::wait).unwrap();
            let updated = graph.writer().update_edges(&edges, &strategies, true, Wait::Allowed);
            updated.and_then(Pending::wait).unwrap();
        }
    });
    let graph = graph(&stores[1]);
    for vertex in listed_vertices(&graph, None).unwrap() {
        assert_eq!(values(&graph, &vertex.properties, "n"), [2 * WRITES]);
    }
    let edges = listed_edges(&graph, None, None).unwrap();
    assert_eq!(edges.len(), 20);
    for edge in edges {
        assert_eq!(values(&graph, &edge.properties, "n"), [2 * WRITES]);
    }
}

#[test]
fn values_of_a_unique_index_go_to_one_of_two_servers() {
    let engine = scattered();
    let stores = two(&engine, true);
    let taken = AtomicUsize::new(0);
    together(&stores, |at, graph| {
        for n in 0..WRITES {
            let given = [("n", Literal::Integer(n))];
            // By an insert, by an update of what is there, and by a transaction, in turn.
            let outcome = match n % 3 {
                0 => insert(graph, &[v(at * 1_000 + n, &given)]).map(drop),
                1 => {
                    insert(graph, &[v(at * 1_000 + n, &[])]).unwrap();
                    let id = VertexId::Number(at * 1_000 + n);
                    let altered = graph.writer().alter_vertex(&id, Alter::Append, &properties(&given), Wait::Allowed);
                    altered.and_then(Pending::wait).map(drop)
                }
                _ => {
                    let budget = Budget::unlimited();
                    let mut unit = graph.transaction(&budget);
                    unit.insert_vertex(&v(at * 1_000 + n, &given)).unwrap();
                    match Box::new(unit).commit() {
                        Ok(()) => Ok(()),
                        Err(error) => {
                            assert!(error.to_string().contains("one_n"), "{error}");
                            continue;
                        }
                    }
                }
            };
            match outcome {
                Ok(()) => drop(taken.fetch_add(1, Ordering::Relaxed)),
                Err(StoreError::UniqueConflict { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
    });
    assert_eq!(taken.into_inner(), usize::try_from(WRITES).unwrap(), "each value once");
    let report = check_indexes(&graph(&stores[0]), false, &Budget::unlimited(), &mut |_| ()).unwrap();
    assert_eq!(report.total(), 0, "{report:?}");
}

#[test]
fn a_value_given_up_at_one_server_can_be_had_at_the_other() {
    let engine = scattered();
    let stores = two(&engine, true);
    let given = || [("n", Literal::Integer(7))];
    for round in 0..10 {
        let (from, to) = (graph(&stores[round % 2]), graph(&stores[(round + 1) % 2]));
        insert(&from, &[v(1, &given())]).unwrap();
        assert!(matches!(insert(&to, &[v(2, &given())]), Err(StoreError::UniqueConflict { .. })));
        from.writer().delete_vertex(&VertexId::Number(1), Wait::Allowed).and_then(Pending::wait).unwrap();
        insert(&to, &[v(2, &given())]).unwrap();
        to.writer().delete_vertex(&VertexId::Number(2), Wait::Allowed).and_then(Pending::wait).unwrap();
    }
    assert!(rows(&*engine, tables::INDEX_UNIQUE).is_empty());
}

/// Every edge has both its ends, and its two sides.
fn assert_no_edge_dangles(engine: &ScatteredEngine, graph: &HostedGraph) -> BTreeSet<EdgeId> {
    let [out, into] = adjacency(engine);
    assert_eq!(out, into);
    let stored: BTreeSet<VertexId> = listed_vertices(graph, None).unwrap().into_iter().map(|v| v.id).collect();
    for (id, _) in &out {
        assert!(stored.contains(&id.source) && stored.contains(&id.target), "{id:?} dangles");
    }
    out.into_iter().map(|(id, _)| id).collect()
}

#[test]
fn no_checked_edge_outlives_its_vertex_at_another_server() {
    const HUB: i64 = 1_000;
    let engine = scattered();
    let stores = two(&engine, false);
    let all: Vec<_> = (0..WRITES).chain([HUB]).map(|id| v(id, &[])).collect();
    insert(&graph(&stores[0]), &all).unwrap();
    let strategies = [(Cow::Borrowed("n"), UpdateStrategy::Sum)];
    together(&stores, |at, graph| {
        for n in 0..WRITES {
            if at == 0 {
                let id = VertexId::Number(n);
                if n % 2 == 0 {
                    graph.writer().delete_vertex(&id, Wait::Allowed).and_then(Pending::wait).unwrap();
                } else {
                    let budget = Budget::unlimited();
                    let mut unit = graph.transaction(&budget);
                    unit.delete_vertex(&id).unwrap();
                    Box::new(unit).commit().unwrap();
                }
                continue;
            }
            // As many edges to and from each as there is time for, in three ways.
            for way in 0.. {
                let new = if way % 2 == 0 { e(HUB, n, &[]) } else { e(n, HUB, &[]) };
                let outcome = match way % 3 {
                    0 => connect(graph, &[new]).map(drop),
                    1 => {
                        let record = EdgeRecord { id: None, edge: NewEdge { properties: vec![], ..new } };
                        let updated = graph.writer().update_edges(&[record], &strategies, true, Wait::Allowed);
                        updated.and_then(Pending::wait).map(drop)
                    }
                    _ => graph.writer().insert_edge(&new, Wait::Allowed).and_then(Pending::wait).map(drop),
                };
                match outcome {
                    Ok(()) => {}
                    Err(StoreError::EndNotFound { .. }) => break,
                    Err(error) => panic!("{error}"),
                }
            }
        }
    });
    assert!(assert_no_edge_dangles(&engine, &graph(&stores[0])).is_empty());
    // What has its ends stays.
    insert(&graph(&stores[0]), &[v(1, &[]), v(2, &[])]).unwrap();
    connect(&graph(&stores[1]), &[e(1, 2, &[]), e(2, HUB, &[])]).unwrap();
    graph(&stores[0]).writer().delete_vertex(&VertexId::Number(1), Wait::Allowed).and_then(Pending::wait).unwrap();
    let left = assert_no_edge_dangles(&engine, &graph(&stores[1]));
    assert_eq!(left.len(), 1);
    let of_hub = listed_edges(&graph(&stores[0]), None, Some((VertexId::Number(HUB), Direction::In))).unwrap();
    assert_eq!(of_hub.len(), 1);
}

#[test]
fn an_edge_goes_whose_end_another_server_removes_while_it_is_written() {
    let engine = scattered();
    let parked = Arc::new(ParkedEngine::new(Arc::clone(&engine)));
    let first = Store::open(Arc::<ParkedEngine>::clone(&parked) as Arc<dyn Engine>, options()).unwrap();
    define(&first, false);
    let second = server(&engine);
    follow(&second, false);
    let here = graph(&first);
    insert(&here, &[v(1, &[]), v(2, &[]), v(3, &[])]).unwrap();
    // The first one has seen the second one by now, which otherwise would wait.
    append(&graph(&second), 1, 1).unwrap();
    // It knows how the locks were before this.
    connect(&here, &[e(1, 2, &[])]).unwrap();
    std::thread::scope(|scope| {
        parked.park(1);
        let edge = scope.spawn(|| connect(&here, &[e(1, 3, &[])]).map(drop));
        until("handing over the write", || parked.parked() == 1);
        graph(&second).writer().delete_vertex(&VertexId::Number(3), Wait::Allowed).and_then(Pending::wait).unwrap();
        // Nobody has its locks any more when the edge is there.
        let held = stripes_row(&engine, &here);
        until("giving the locks back", || stripes_row(&engine, &here) != held);
        parked.release();
        edge.join().unwrap().unwrap();
    });
    let left = assert_no_edge_dangles(&engine, &graph(&second));
    assert_eq!(left.len(), 1, "{left:?}");
}

/// The row by which servers lock stripes of the graph.
fn stripes_row(engine: &ScatteredEngine, graph: &HostedGraph) -> Option<Vec<u8>> {
    let name = graph.number().0.to_string();
    stored_settings::read_row(engine, GraphNumber::STORE, MetaKind::Stripes, &name).unwrap()
}

/// Waits until a write costs so many rounds: rounds of servers read between them, too.
fn costs(engine: &ParkedEngine, what: &str, rounds: Rounds, write: impl Fn()) {
    until(what, || {
        engine.rounds();
        write();
        engine.rounds() == rounds
    });
}

#[test]
fn a_server_that_is_alone_takes_no_locks_from_the_store() {
    let engine = scattered();
    let parked = Arc::new(ParkedEngine::new(Arc::clone(&engine)));
    let alone = Store::open(Arc::<ParkedEngine>::clone(&parked) as Arc<dyn Engine>, options()).unwrap();
    define(&alone, true);
    let graph_alone = graph(&alone);
    insert(&graph_alone, &[v(1, &[]), v(2, &[("n", Literal::Integer(1))])]).unwrap();
    let n = AtomicI64::new(0);
    let append_one = || append(&graph_alone, 1, n.fetch_add(1, Ordering::Relaxed)).unwrap();
    let connect_one = || drop(connect(&graph_alone, &[e(1, 2, &[])]).unwrap());
    costs(&parked, "an append in two rounds", Rounds { reads: 1, writes: 1 }, append_one);
    costs(&parked, "an edge with both ends checked in two", Rounds { reads: 1, writes: 1 }, connect_one);
    assert_eq!(stripes_row(&engine, &graph_alone), None);
    let second = server(&engine);
    follow(&second, true);
    // The first one has seen the second one by now, which otherwise would wait.
    append(&graph(&second), 1, -1).unwrap();
    assert!(stripes_row(&engine, &graph_alone).is_some());
    costs(&parked, "a look at ends another server may remove", Rounds { reads: 2, writes: 1 }, connect_one);
    drop(second);
    let before = stripes_row(&engine, &graph_alone);
    costs(&parked, "being alone again", Rounds { reads: 1, writes: 1 }, connect_one);
    append_one();
    assert_eq!(stripes_row(&engine, &graph_alone), before);
    assert_eq!(appended(&graph_alone, 1), (-1..n.load(Ordering::Relaxed)).collect());
}

#[test]
fn what_was_begun_alone_ends_before_another_server_begins() {
    let engine = scattered();
    let parked = Arc::new(ParkedEngine::new(Arc::clone(&engine)));
    let first = Store::open(Arc::<ParkedEngine>::clone(&parked) as Arc<dyn Engine>, options()).unwrap();
    define(&first, false);
    insert(&graph(&first), &[v(1, &[])]).unwrap();
    std::thread::scope(|scope| {
        // It has read, and its write is still under way.
        parked.park(1);
        let early = scope.spawn(|| append(&graph(&first), 1, 1));
        until("handing over the write", || parked.parked() == 1);
        let second = server(&engine);
        let late = scope.spawn(move || append(&graph(&second), 1, 2));
        // Long enough for many rounds: nothing but the first write keeps the second one waiting.
        std::thread::sleep(Duration::from_millis(300));
        parked.release();
        early.join().unwrap().unwrap();
        late.join().unwrap().unwrap();
    });
    assert_eq!(appended(&graph(&first), 1), BTreeSet::from([1, 2]));
}

#[test]
fn locks_of_a_server_that_died_are_free_once_it_must_have_stopped() {
    let engine = scattered();
    let (first, faults) = slow(&engine);
    define(&first, false);
    let second = server(&engine);
    follow(&second, false);
    insert(&graph(&second), &[v(1, &[])]).unwrap();
    append(&graph(&first), 1, 1).unwrap();
    // It dies with the lock it keeps for the next append, and with one it waits for.
    faults.inject(Fault::DiskFull { path: "cut off".into() });
    faults.inject(Fault::FailReads { error: KvError::Unavailable { detail: "cut off".into() } });
    append(&graph(&first), 1, 9).unwrap_err();
    append(&graph(&second), 1, 2).unwrap();
    assert_eq!(appended(&graph(&second), 1), BTreeSet::from([1, 2]));
    faults.clear();
    until("writing again", || append(&graph(&first), 1, 3).is_ok());
    assert_eq!(appended(&graph(&second), 1), BTreeSet::from([1, 2, 3]));
}

#[test]
fn three_servers_take_turns() {
    let engine = scattered();
    let stores = [server(&engine), server(&engine), server(&engine)];
    define(&stores[0], false);
    stores.iter().for_each(|store| follow(store, false));
    insert(&graph(&stores[0]), &[v(1, &[]), v(2, &[])]).unwrap();
    std::thread::scope(|scope| {
        for at in 0..6 {
            let stores = &stores;
            scope.spawn(move || {
                for n in 0..20 {
                    append(&graph(&stores[at % 3]), 1 + n % 2, i64::try_from(at).unwrap() * 100 + n).unwrap();
                }
            });
        }
    });
    let both = appended(&graph(&stores[0]), 1).len() + appended(&graph(&stores[1]), 2).len();
    assert_eq!(both, 120);
    // What nobody uses is given back.
    until("giving the locks back", || {
        let row = stripes_row(&engine, &graph(&stores[2])).unwrap();
        key_codec::setting_value::read_all_numbers(&row).unwrap().len() == 2
    });
}
