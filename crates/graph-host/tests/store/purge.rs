//! What does a purge remove? What has expired, wholly, and nothing else; against a plain map, with a clock that is only
//! a number.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use graph_host::{HostedGraph, PurgeOptions, Store, StoreOptions};
use graph_maintenance::Purged;
use graph_model::{Cardinality, DataType, ElementRef, IdStrategy, VertexId};
use graph_schema::{Literal, NewEdge, NewEdgeLabel, NewVertex, NewVertexLabel};
use graph_store::{Pending, Wait};
use key_codec::{GraphNumber, key, tables};
use kv::{Engine, Fault, FaultEngine, KvError, MemoryEngine, WriteBatch};
use proptest::prelude::*;

use crate::fixture::*;

/// Far in the future, so that nothing here expires by the real clock.
const BASE_MS: i64 = 4_000_000_000_000;
const TTL_MS: i64 = 1_000;

/// When something born at a tick expires.
fn expiry(tick: u8) -> i64 {
    BASE_MS + i64::from(tick) + TTL_MS
}

fn born(tick: u8) -> Vec<(std::borrow::Cow<'static, str>, Literal<'static>)> {
    properties(&[("born", Literal::Integer(BASE_MS + i64::from(tick)))])
}

fn define(graph: &HostedGraph) {
    graph.schema().create_property_key(&property_key("born", DataType::Date, Cardinality::Single)).unwrap();
    let ttl_ms = TTL_MS;
    let (born, start) = (|| vec!["born".to_owned()], || Some("born".to_owned()));
    let mortal = NewVertexLabel {
        properties: born(),
        ttl_ms,
        ttl_start_time: start(),
        ..vertex_label("mortal", IdStrategy::CustomizeNumber)
    };
    graph.schema().create_vertex_label(&mortal).unwrap();
    graph.schema().create_vertex_label(&vertex_label("lasting", IdStrategy::CustomizeNumber)).unwrap();
    for (name, source, target) in [("flash", "mortal", "mortal"), ("brief", "lasting", "mortal")] {
        let label =
            NewEdgeLabel { properties: born(), ttl_ms, ttl_start_time: start(), ..edge_label(name, source, target) };
        graph.schema().create_edge_label(&label).unwrap();
    }
    graph.schema().create_edge_label(&edge_label("knows", "mortal", "lasting")).unwrap();
}

const EDGES: [(&str, &str, &str); 3] =
    [("flash", "mortal", "mortal"), ("brief", "lasting", "mortal"), ("knows", "mortal", "lasting")];

/// The number of a vertex: those of the two labels do not meet.
fn number(label: &str, n: u8) -> i64 {
    i64::from(n) + if label == "lasting" { 100 } else { 0 }
}

fn new_vertex(label: &'static str, n: u8, tick: u8) -> NewVertex<'static> {
    let properties = if label == "mortal" { born(tick) } else { vec![] };
    NewVertex { properties, ..vertex(label, Some(Literal::Integer(number(label, n)))) }
}

fn new_edge(at: usize, a: u8, b: u8, tick: u8) -> NewEdge<'static> {
    let (label, source, target) = EDGES[at];
    let end = |label, n| (label, Literal::Integer(number(label, n)));
    let properties = if at < 2 { born(tick) } else { vec![] };
    NewEdge { properties, ..edge(label, end(source, a), end(target, b)) }
}

#[derive(Clone, Debug)]
enum Step {
    Vertex(bool, u8, u8),
    Edge(usize, u8, u8, u8),
    DeleteVertex(bool, u8),
    Purge(u8),
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (any::<bool>(), 0u8..4, any::<u8>()).prop_map(|(mortal, n, tick)| Step::Vertex(mortal, n, tick)),
        4 => (0usize..3, 0u8..4, 0u8..4, any::<u8>()).prop_map(|(at, a, b, tick)| Step::Edge(at, a, b, tick)),
        1 => (any::<bool>(), 0u8..4).prop_map(|(mortal, n)| Step::DeleteVertex(mortal, n)),
        2 => any::<u8>().prop_map(Step::Purge),
        1 => Just(Step::Restart),
    ]
}

/// What is stored: elements and when they expire.
#[derive(Default, Debug, PartialEq)]
struct Model {
    vertices: BTreeMap<i64, Option<i64>>,
    edges: BTreeMap<(usize, i64, i64), Option<i64>>,
}

impl Model {
    fn remove_vertex(&mut self, id: i64) -> bool {
        self.edges.retain(|(_, a, b), _| *a != id && *b != id);
        self.vertices.remove(&id).is_some()
    }

    fn purge(&mut self, now: i64) -> Purged {
        let due = |at: &Option<i64>| at.is_some_and(|at| at <= now);
        let vertices: Vec<i64> = self.vertices.iter().filter(|(_, at)| due(at)).map(|(id, _)| *id).collect();
        let edges: Vec<_> = self.edges.iter().filter(|(_, at)| due(at)).map(|(id, _)| *id).collect();
        for edge in &edges {
            self.edges.remove(edge);
        }
        for id in &vertices {
            self.remove_vertex(*id);
        }
        Purged { vertices: vertices.len() as u64, edges: edges.len() as u64 }
    }
}

fn label_name(mortal: bool) -> &'static str {
    if mortal { "mortal" } else { "lasting" }
}

/// What the tables hold, past the store: expired or not.
fn stored(engine: &dyn Engine, graph: &HostedGraph) -> Model {
    let catalogue = graph.catalogue();
    let id = |id: &VertexId| match id {
        VertexId::Number(number) => *number,
        other => panic!("{other}"),
    };
    let vertices = rows(engine, tables::VERTEX).into_iter().map(|(bytes, value)| {
        let head = key_codec::value::read_vertex_head(&value).unwrap();
        (id(&key::read_vertex_key(kv::Key::new(&bytes, bytes.len())).unwrap()), head.expires_at_ms)
    });
    let [out, into] = adjacency(engine);
    assert_eq!(out, into);
    let at = |label| EDGES.iter().position(|edge| edge.0 == catalogue.edge_label(label).unwrap().name).unwrap();
    let edges = out.iter().map(|(edge, value)| {
        let expires_at_ms = key_codec::value::read_edge_expiry(value).unwrap();
        ((at(edge.label), id(&edge.source), id(&edge.target)), expires_at_ms)
    });
    Model { vertices: vertices.collect(), edges: edges.collect() }
}

fn apply(step: &Step, store: &mut Option<Store>, engine: &Arc<MemoryEngine>, model: &mut Model) {
    let graph = graph(store.as_ref().unwrap());
    match step {
        Step::Vertex(mortal, n, tick) => {
            let label = label_name(*mortal);
            insert(&graph, &[new_vertex(label, *n, *tick)]).unwrap();
            model.vertices.insert(number(label, *n), mortal.then(|| expiry(*tick)));
        }
        Step::Edge(at, a, b, tick) => {
            let edge = new_edge(*at, *a, *b, *tick);
            graph.writer().insert_edges(&[edge], false, Wait::Never).and_then(Pending::wait).unwrap();
            let (_, source, target) = EDGES[*at];
            let key = (*at, number(source, *a), number(target, *b));
            model.edges.insert(key, (*at < 2).then(|| expiry(*tick)));
        }
        Step::DeleteVertex(mortal, n) => {
            let id = number(label_name(*mortal), *n);
            let outcome = graph.writer().delete_vertex(&VertexId::Number(id), Wait::Never).and_then(Pending::wait);
            let existed = model.vertices.contains_key(&id) && model.remove_vertex(id);
            assert_eq!(outcome.is_ok(), existed);
        }
        Step::Purge(tick) => {
            let now = expiry(*tick);
            assert_eq!(store.as_ref().unwrap().purge_expired(now).unwrap(), model.purge(now));
        }
        Step::Restart => {
            drop(graph);
            drop(store.take());
            *store = Some(open(engine).unwrap());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_purged_graph_holds_what_a_map_holds(steps in prop::collection::vec(step(), 1..40)) {
        let engine = memory();
        let mut store = Some(open(&engine).unwrap());
        define(&graph(store.as_ref().unwrap()));
        let mut model = Model::default();
        for step in &steps {
            apply(step, &mut store, &engine, &mut model);
            prop_assert_eq!(&stored(&*engine, &graph(store.as_ref().unwrap())), &model, "after {:?}", step);
        }
        let store = store.unwrap();
        store.purge_expired(i64::MAX).unwrap();
        model.purge(i64::MAX);
        prop_assert_eq!(&stored(&*engine, &graph(&store)), &model);
        prop_assert_eq!(rows(&*engine, tables::EXPIRY), vec![], "rows of what is gone go too");
        prop_assert!(model.vertices.values().chain(model.edges.values()).all(Option::is_none));
    }
}

fn with_purge(engine: &Arc<MemoryEngine>, purge: PurgeOptions) -> Store {
    let engine: Arc<dyn Engine> = Arc::<MemoryEngine>::clone(engine);
    Store::open(engine, StoreOptions { purge, ..StoreOptions::default() }).unwrap()
}

#[test]
fn more_than_one_batch_is_purged_at_one_go_and_counted() {
    let engine = memory();
    let options = PurgeOptions { interval: None, elements_per_batch: 7 };
    let store = with_purge(&engine, options);
    let graph = graph(&store);
    define(&graph);
    let vertices: Vec<_> = (0..50).map(|n| new_vertex("mortal", n, 100 + n)).collect();
    insert(&graph, &vertices).unwrap();
    insert(&graph, &[new_vertex("lasting", 0, 0)]).unwrap();
    let edges: Vec<_> = (0..50).map(|n| new_edge(1, 0, n, n)).chain([new_edge(2, 49, 0, 0)]).collect();
    connect(&graph, &edges).unwrap();
    assert_eq!(store.purge_expired(expiry(24)).unwrap(), Purged { vertices: 0, edges: 25 });
    assert_eq!(adjacency(&*engine).map(|edges| edges.len()), [26, 26]);
    assert_eq!(store.purge_expired(expiry(148)).unwrap(), Purged { vertices: 49, edges: 25 });
    assert_eq!(adjacency(&*engine).map(|edges| edges.len()), [1, 1]);
    assert_eq!(store.purge_expired(expiry(149)).unwrap(), Purged { vertices: 1, edges: 0 });
    assert_eq!(adjacency(&*engine).map(|edges| edges.len()), [0, 0], "with a vertex go its edges");
    assert_eq!(store.purged(), Purged { vertices: 50, edges: 50 });
    assert_eq!(rows(&*engine, tables::VERTEX).len(), 1);
    assert_eq!(rows(&*engine, tables::EXPIRY), []);
}

#[test]
fn the_thread_purges_by_the_clock() {
    let engine = memory();
    let options = PurgeOptions { interval: Some(Duration::from_millis(1)), ..PurgeOptions::default() };
    let store = with_purge(&engine, options);
    let graph = graph(&store);
    define(&graph);
    let label = NewVertexLabel { ttl_ms: 1, ..vertex_label("blink", IdStrategy::CustomizeNumber) };
    graph.schema().create_vertex_label(&label).unwrap();
    insert(&graph, &[vertex("blink", Some(Literal::Integer(1))), new_vertex("mortal", 2, 0)]).unwrap();
    while store.purged() != (Purged { vertices: 1, edges: 0 }) {
        std::thread::yield_now();
    }
    assert_eq!(rows(&*engine, tables::VERTEX).len(), 1);
    assert_eq!(rows(&*engine, tables::EXPIRY).len(), 1);
}

#[test]
fn a_purge_that_fails_leaves_what_it_did_not_remove_to_the_next() {
    for nth in 1..12 {
        let inner = memory();
        let engine = Arc::new(FaultEngine::new(Arc::clone(&inner)));
        let (store, graph) = store(&engine);
        define(&graph);
        insert(&graph, &[new_vertex("mortal", 1, 1), new_vertex("mortal", 2, 1), new_vertex("lasting", 1, 0)]).unwrap();
        connect(&graph, &[new_edge(0, 1, 2, 9), new_edge(2, 1, 1, 0)]).unwrap();
        engine.faults().inject(Fault::FailRead { nth, error: KvError::Io { action: "reading", detail: "x".into() } });
        let outcome = store.purge_expired(expiry(1));
        let left = stored(&*inner, &graph);
        assert_eq!(outcome.is_ok(), left.vertices.len() == 1, "an element that is left is left with its edges");
        engine.faults().clear();
        store.purge_expired(expiry(9)).unwrap();
        assert_eq!(rows(&*inner, tables::VERTEX).len(), 1);
        assert_eq!(adjacency(&*inner), [vec![], vec![]]);
        assert_eq!(rows(&*inner, tables::EXPIRY), []);
    }
}

#[test]
fn a_batch_that_is_too_large_is_cut_in_halves() {
    let engine = Arc::new(FaultEngine::new(memory()));
    let (store, graph) = store(&engine);
    define(&graph);
    insert(&graph, &[new_vertex("lasting", 1, 0)]).unwrap();
    let edges: Vec<_> = (0..5).map(|n| new_edge(1, 1, n, n)).collect();
    insert(&graph, &(0..5).map(|n| new_vertex("mortal", n, 200)).collect::<Vec<_>>()).unwrap();
    connect(&graph, &edges).unwrap();
    for nth in 1..=2 {
        let error = KvError::BatchTooLarge { bytes: 2, limit_bytes: 1 };
        engine.faults().inject(Fault::FailCommit { nth, error });
    }
    assert_eq!(store.purge_expired(expiry(9)).unwrap(), Purged { vertices: 0, edges: 5 });
    let error = KvError::BatchTooLarge { bytes: 2, limit_bytes: 1 };
    engine.faults().inject(Fault::FailCommit { nth: 2, error });
    let purged = store.purge_expired(expiry(200)).unwrap();
    assert_eq!(purged, Purged { vertices: 4, edges: 0 }, "what cannot be removed holds up nothing");
}

#[test]
fn a_graph_that_cannot_be_purged_does_not_hold_up_the_next() {
    let engine = Arc::new(FaultEngine::new(memory()));
    let store = open(&engine).unwrap();
    for name in ["a", "b"] {
        let graph = store.create_graph(name, &BTreeMap::new()).unwrap();
        define(&graph);
        insert(&graph, &[new_vertex("mortal", 1, 1)]).unwrap();
    }
    engine.faults().inject(Fault::FailCommit { nth: 1, error: KvError::Closed });
    assert!(store.purge_expired(expiry(9)).is_err());
    let left = |name| store.graph(name).unwrap().reader().vertex(&VertexId::Number(1)).unwrap().is_some();
    assert_eq!((left("a"), left("b")), (true, false));
}

#[test]
fn a_store_without_rows_of_expiry_gets_them_when_it_is_opened() {
    let engine = memory();
    let (first, before) = store(&engine);
    define(&before);
    insert(&before, &[new_vertex("mortal", 1, 1), new_vertex("lasting", 1, 0)]).unwrap();
    connect(&before, &[new_edge(1, 1, 1, 2)]).unwrap();
    drop((first, before));
    let kept = rows(&*engine, tables::EXPIRY);
    assert_eq!(kept.len(), 2);
    // What version 1 left: no rows, no note.
    let mut batch = WriteBatch::new();
    for (bytes, _) in &kept {
        batch.delete_key(tables::EXPIRY, kv::Key::new(bytes, 1));
    }
    batch.delete(
        tables::META,
        |b| key::meta_partition(b, GraphNumber::STORE, key::MetaKind::Setting),
        |b| key::meta_row_name(b, "expiries_noted"),
    );
    engine.commit(batch).unwrap();
    let (store, _) = store(&engine);
    assert_eq!(rows(&*engine, tables::EXPIRY), kept);
    assert_eq!(store.purge_expired(expiry(2)).unwrap(), Purged { vertices: 1, edges: 1 });
}

#[test]
fn a_row_of_another_time_does_not_take_the_element_along() {
    let engine = memory();
    let (store, graph) = store(&engine);
    define(&graph);
    let mut expected = BTreeSet::new();
    for tick in [1, 9, 5] {
        insert(&graph, &[new_vertex("mortal", 1, tick)]).unwrap();
        let mut row = Vec::new();
        key::expiry_partition(&mut row, GraphNumber(1));
        key::expiry_row(&mut row, expiry(tick), ElementRef::Vertex(&VertexId::Number(1)));
        expected.insert((row, vec![]));
    }
    assert_eq!(rows(&*engine, tables::EXPIRY), expected.into_iter().collect::<Vec<_>>());
    assert_eq!(store.purge_expired(expiry(4)).unwrap(), Purged::default());
    assert!(graph.reader().vertex(&VertexId::Number(1)).unwrap().is_some());
    assert_eq!(store.purge_expired(expiry(5)).unwrap(), Purged { vertices: 1, edges: 0 });
    store.purge_expired(expiry(9)).unwrap();
    assert_eq!(rows(&*engine, tables::EXPIRY), []);
}
