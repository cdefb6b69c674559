//! The hot paths of the server as cases to measure, from a request's body to the store and back: what `hot_paths` times
//! and `instructions` counts is the same. A crate of its own, so that counting compiles what the cases use and not the
//! whole server.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "benchmark code")]

use std::hint::black_box;
use std::sync::Arc;

use adjacency::{NumberLists, Wanted};
use graph_access::{Budget, WalkRead};
use graph_host::{HostedGraph, PurgeOptions, Store, StoreOptions};
use graph_model::{Cardinality, DataType, Direction, IdStrategy, LabelId, Vertex, VertexId};
use graph_schema::{Catalogue, ElementRules, EndLabels, GraphMode, NewEdgeLabel, NewPropertyKey, NewVertexLabel};
use graph_store::{Graph, GraphReader, Wait, Writer};
use jiff::tz::TimeZone;
use key_codec::{GraphNumber, key, value};
use kv::{Engine, MemoryEngine};
use rest_json::{EncodeOptions, decode_edges, decode_vertices, write_vertex, write_vertex_ids};

/// Vertices of a batch.
pub const VERTICES: u64 = 200;
/// Edges of a batch.
pub const EDGES: u64 = 500;

/// Vertices in the store that is read.
const STORED: u64 = 10_000;

/// One thing to measure: what it is called, and how the work of one time is made ready.
pub struct Case {
    /// As the bounds and the benchmarks call it: area, then what is done.
    pub name: &'static str,
    /// Makes everything ready and gives the work of one time.
    pub make: fn() -> Box<dyn FnMut()>,
}

/// Cases without input or output, which cost the same however busy the machine is.
pub const CASES: &[Case] = &[
    Case { name: "json/decode-200-vertices", make: decode_vertex_batch },
    Case { name: "json/decode-500-edges", make: decode_edge_batch },
    Case { name: "json/write-vertex", make: write_one },
    Case { name: "json/write-200-ids", make: write_ids },
    Case { name: "schema/check-200-vertices", make: check_vertex_batch },
    Case { name: "schema/check-500-edges", make: check_edge_batch },
    Case { name: "codec/encode-200-vertices", make: encode_vertex_batch },
    Case { name: "codec/decode-200-vertices", make: decode_values },
    Case { name: "store/read-vertex", make: read_one },
    Case { name: "store/insert-vertex", make: insert_one },
    Case { name: "store/insert-200-vertices", make: || insert_batch(memory()) },
];

/// Pairs that are compared with each other, so that none needs a bound: without and with neighbours kept for walks.
pub const PAIRS: &[Case] = &[
    Case { name: "store/insert-edge", make: || insert_edges(1, false) },
    Case { name: "store/insert-edge-walked", make: || insert_edges(1, true) },
    Case { name: "store/insert-500-edges", make: || insert_edges(EDGES, false) },
    Case { name: "store/insert-500-edges-walked", make: || insert_edges(EDGES, true) },
];

/// Numbers without order, as ids of users are: the same ones each time.
pub fn scattered(number: u64) -> u64 {
    let mixed = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ (mixed >> 29)
}

fn vertex_json(number: u64) -> String {
    let id = scattered(number);
    format!(
        r#"{{"label":"person","id":"p{id:016x}","properties":{{"name":"name {number}","age":{},"city":"city {}"}}}}"#,
        18 + number % 80,
        number % 500
    )
}

fn edge_json(number: u64) -> String {
    knows_json(number, scattered(number), scattered(number * 31 + 7))
}

fn knows_json(number: u64, from: u64, to: u64) -> String {
    let ends = format!(r#""outV":"p{from:016x}","outVLabel":"person","inV":"p{to:016x}","inVLabel":"person""#);
    let (day, weight) = (10 + number % 19, number % 1000);
    format!(r#"{{"label":"knows",{ends},"properties":{{"date":"2020-01-{day}","weight":{weight}}}}}"#)
}

fn list(one: fn(u64) -> String, from: u64, count: u64) -> Vec<u8> {
    let all: Vec<String> = (from..from + count).map(one).collect();
    format!("[{}]", all.join(",")).into_bytes()
}

/// An empty engine without files.
pub fn memory() -> Arc<dyn Engine> {
    Arc::new(MemoryEngine::open(key_codec::tables::TABLES))
}

/// A store over an engine, with a network of acquaintances.
pub fn open(engine: Arc<dyn Engine>) -> (Store, Arc<HostedGraph>) {
    let purge = PurgeOptions { interval: None, ..PurgeOptions::default() };
    let store = Store::open(engine, StoreOptions { purge, ..StoreOptions::default() }).unwrap();
    let graph = store.graph("hugegraph").unwrap();
    let keys = [
        ("name", DataType::Text),
        ("age", DataType::Int),
        ("city", DataType::Text),
        ("date", DataType::Date),
        ("weight", DataType::Int),
    ];
    for (name, data_type) in keys {
        graph.schema().create_property_key(&NewPropertyKey::new(name, data_type, Cardinality::Single)).unwrap();
    }
    let person = NewVertexLabel {
        id_strategy: Some(IdStrategy::CustomizeString),
        properties: vec!["name".into(), "age".into(), "city".into()],
        enable_label_index: Some(false),
        ..NewVertexLabel::new("person")
    };
    graph.schema().create_vertex_label(&person).unwrap();
    let knows = NewEdgeLabel {
        properties: vec!["date".into(), "weight".into()],
        ..NewEdgeLabel::new("knows", "person", "person")
    };
    graph.schema().create_edge_label(&knows).unwrap();
    (store, graph)
}

/// Stores the vertices that are read, and that edges connect.
pub fn fill(graph: &Graph) {
    for from in (0..STORED).step_by(500) {
        let body = list(vertex_json, from, 500);
        Writer::new(graph)
            .insert_vertices(&decode_vertices(&body, 500).unwrap(), Wait::Allowed)
            .unwrap()
            .wait()
            .unwrap();
    }
}

fn catalogue() -> Arc<Catalogue> {
    open(memory()).1.catalogue()
}

fn rules(zone: &TimeZone) -> ElementRules<'_> {
    ElementRules { mode: GraphMode::None, zone, now_ms: 1_767_600_000_000, encode_primary_key_number: true }
}

fn decode_vertex_batch() -> Box<dyn FnMut()> {
    let body = list(vertex_json, 0, VERTICES);
    Box::new(move || drop(black_box(decode_vertices(black_box(&body), 500).unwrap())))
}

fn decode_edge_batch() -> Box<dyn FnMut()> {
    let body = list(edge_json, 0, EDGES);
    Box::new(move || drop(black_box(decode_edges(black_box(&body), 500).unwrap())))
}

/// Vertices as the schema has checked them.
fn checked() -> (Arc<Catalogue>, Vec<Vertex>) {
    let catalogue = catalogue();
    let body = list(vertex_json, 0, VERTICES);
    let new = decode_vertices(&body, 500).unwrap();
    let checked = |new| {
        let draft = catalogue.check_vertex(new, &rules(&TimeZone::UTC)).unwrap();
        Vertex {
            id: draft.id.unwrap(),
            label: draft.label,
            properties: draft.properties,
            expires_at_ms: draft.expires_at_ms,
        }
    };
    let vertices = new.iter().map(checked).collect();
    (catalogue, vertices)
}

fn write_one() -> Box<dyn FnMut()> {
    let (catalogue, vertices) = checked();
    let (options, mut out) = (EncodeOptions { zone: TimeZone::UTC }, Vec::with_capacity(1024));
    Box::new(move || {
        out.clear();
        write_vertex(&mut out, black_box(&vertices[0]), &catalogue, &options);
        black_box(&out);
    })
}

fn write_ids() -> Box<dyn FnMut()> {
    let ids: Vec<VertexId> = checked().1.into_iter().map(|vertex| vertex.id).collect();
    let mut out = Vec::with_capacity(16 * 1024);
    Box::new(move || {
        out.clear();
        write_vertex_ids(&mut out, black_box(&ids));
        black_box(&out);
    })
}

fn check_vertex_batch() -> Box<dyn FnMut()> {
    let catalogue = catalogue();
    let body: &'static [u8] = list(vertex_json, 0, VERTICES).leak();
    let (new, zone) = (decode_vertices(body, 500).unwrap(), TimeZone::UTC);
    Box::new(move || {
        for new in &new {
            black_box(catalogue.check_vertex(black_box(new), &rules(&zone)).unwrap());
        }
    })
}

fn check_edge_batch() -> Box<dyn FnMut()> {
    let catalogue = catalogue();
    let body: &'static [u8] = list(edge_json, 0, EDGES).leak();
    let (new, zone) = (decode_edges(body, 500).unwrap(), TimeZone::UTC);
    Box::new(move || {
        for new in &new {
            black_box(catalogue.check_edge(black_box(new), EndLabels::Required, &rules(&zone)).unwrap());
        }
    })
}

fn encode_vertex_batch() -> Box<dyn FnMut()> {
    let (_, vertices) = checked();
    let (graph, mut out) = (GraphNumber(1), Vec::with_capacity(64 * 1024));
    Box::new(move || {
        out.clear();
        for vertex in black_box(&vertices) {
            key::vertex_partition(&mut out, graph, &vertex.id);
            value::put_vertex(&mut out, vertex.label, vertex.expires_at_ms, &vertex.properties);
        }
        black_box(&out);
    })
}

fn decode_values() -> Box<dyn FnMut()> {
    let encode = |vertex: &Vertex| {
        let mut out = Vec::new();
        value::put_vertex(&mut out, LabelId(1), None, &vertex.properties);
        out
    };
    let values: Vec<Vec<u8>> = checked().1.iter().map(encode).collect();
    Box::new(move || {
        for value in black_box(&values) {
            black_box(value::read_vertex(value).unwrap());
        }
    })
}

fn read_one() -> Box<dyn FnMut()> {
    read_from(memory())
}

/// Reads one vertex after the other.
pub fn read_from(engine: Arc<dyn Engine>) -> Box<dyn FnMut()> {
    let (store, graph) = open(engine);
    fill(&graph);
    let ids: Vec<VertexId> =
        (0..STORED).map(|number| VertexId::String(format!("p{:016x}", scattered(number)).as_str().into())).collect();
    let mut next = 0;
    Box::new(move || {
        // Ids far from one another, so that it is not the last one's neighbour that is read.
        next = (next + 4_999) % ids.len();
        assert!(black_box(graph.reader().vertex(&ids[next]).unwrap()).is_some());
        black_box(&store);
    })
}

fn insert_one() -> Box<dyn FnMut()> {
    insert_one_into(memory())
}

/// Inserts a vertex as a request does: body, schema, store.
pub fn insert_one_into(engine: Arc<dyn Engine>) -> Box<dyn FnMut()> {
    let (store, graph) = open(engine);
    fill(&graph);
    let mut number = STORED;
    Box::new(move || {
        number += 1;
        let body = vertex_json(number);
        let new = rest_json::decode_vertex(body.as_bytes()).unwrap();
        black_box(graph.writer().insert_vertex(&new, Wait::Allowed).unwrap().wait().unwrap());
        black_box(&store);
    })
}

/// Inserts a batch of vertices as a request does.
pub fn insert_batch(engine: Arc<dyn Engine>) -> Box<dyn FnMut()> {
    let (store, graph) = open(engine);
    let bodies: Vec<Vec<u8>> = (0..100).map(|batch| list(vertex_json, batch * VERTICES, VERTICES)).collect();
    let mut next = 0;
    Box::new(move || {
        next = (next + 1) % bodies.len();
        let new = decode_vertices(&bodies[next], 500).unwrap();
        black_box(graph.writer().insert_vertices(&new, Wait::Allowed).unwrap().wait().unwrap());
        black_box(&store);
    })
}

/// An edge between vertices that [`fill`] stores.
fn stored_edge_json(number: u64) -> String {
    knows_json(number, scattered(number % STORED), scattered((number * 31 + number / STORED + 7) % STORED))
}

/// Inserts edges as requests do, so many in each, between vertices that have some. With `walked` the neighbours of all
/// vertices are in memory first.
fn insert_edges(each: u64, walked: bool) -> Box<dyn FnMut()> {
    let (store, graph) = open(memory());
    fill(&graph);
    let insert = |graph: &Graph, number: u64, count: u64| {
        let body = list(stored_edge_json, number, count);
        let new = decode_edges(&body, 500).unwrap();
        black_box(Writer::new(graph).insert_edges(&new, true, Wait::Allowed).unwrap().wait().unwrap());
    };
    let mut number = 0;
    while number < STORED * 4 {
        insert(&graph, number, EDGES);
        number += EDGES;
    }
    if walked {
        walk_all(&graph);
    }
    Box::new(move || {
        insert(&graph, number, each);
        number += each;
        black_box(&store);
    })
}

/// Reads the neighbours of all vertices, which keeps them in memory.
fn walk_all(graph: &Graph) {
    let budget = Budget::unlimited();
    let reader = GraphReader::new(graph, &graph.catalogue(), &budget);
    let numbered = reader.numbered().unwrap();
    let id = |number| VertexId::String(format!("p{:016x}", scattered(number)).as_str().into());
    let owners: Vec<u32> = (0..STORED).map(|number| numbered.number(&id(number)).unwrap()).collect();
    let wanted = Wanted { direction: Direction::Both, labels: None, limit: None };
    numbered.read(&owners, wanted, &mut NumberLists::default()).unwrap();
    let mut lists = NumberLists::default();
    numbered.at_hand(&owners, wanted, &mut lists).unwrap();
    assert!(lists.missed.is_empty() && lists.numbers.len() as u64 > STORED);
}
