//! Elements of auto graphs over an engine in memory: what is written is read back, whatever its types, and a graph that
//! many random writes went through equals a plain model of it.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::collections::BTreeMap;
use std::sync::Arc;

use auto_graph::{AutoEdge, AutoError, AutoVertex, NewProperty, ids, read_edge, read_vertex, write_edge, write_vertex};
use graph_access::{Budget, GraphRead as _, GraphWrite as _, WalkRead as _};
use graph_host::{GraphConf, HostedGraph, Store, StoreOptions};
use graph_model::ErrorKind;
use kv::MemoryEngine;
use proptest::prelude::*;
use query_value::{Cardinality, Text, Value};

fn open(engine: &Arc<MemoryEngine>) -> (Store, Arc<HostedGraph>) {
    let store = Store::open(Arc::<MemoryEngine>::clone(engine), StoreOptions::default()).unwrap();
    let conf = GraphConf::from([("schema.mode".to_owned(), "auto".to_owned())]);
    let graph = store.graph("a").or_else(|_| store.create_graph("a", &conf)).unwrap();
    (store, graph)
}

fn engine() -> Arc<MemoryEngine> {
    Arc::new(MemoryEngine::open(key_codec::tables::TABLES))
}

fn text(text: &str) -> Value {
    Value::from(text)
}

fn property(key: &str, value: Value) -> NewProperty {
    NewProperty { key: key.into(), id: None, value, meta: Vec::new() }
}

fn vertex_of(graph: &HostedGraph, id: &Value) -> Option<AutoVertex> {
    let budget = Budget::unlimited();
    let unit = graph.transaction(&budget);
    let found = unit.vertices(&[ids::vertex_key(id).unwrap()]).unwrap().pop().flatten()?;
    Some(read_vertex(&found, unit.catalogue()).unwrap())
}

fn edge_of(graph: &HostedGraph, id: &Value) -> Option<AutoEdge> {
    let budget = Budget::unlimited();
    let unit = graph.transaction(&budget);
    let found = unit.edges_by_key(&[ids::edge_key(id).unwrap()]).unwrap().pop().flatten()?;
    Some(read_edge(&found, unit.catalogue()).unwrap())
}

fn write(graph: &HostedGraph, write: impl FnOnce(&mut dyn graph_access::GraphWrite)) {
    let budget = Budget::unlimited();
    let mut unit = graph.transaction(&budget);
    write(&mut unit);
    Box::new(unit).commit().unwrap();
}

#[test]
fn vertices_are_read_back_as_they_were_written() {
    let engine = engine();
    let (_killed, graph) = open(&engine);
    let mut marko = AutoVertex::new(Some(Value::Int(1)), "person");
    let map = [(Value::Null, Value::Int(1)), (Value::Long(2), text("b"))].into_iter().collect();
    let values = [
        ("name", text("marko")),
        ("age", Value::Int(29)),
        ("long", Value::Long(29)),
        ("ratio", Value::Double(f64::NAN)),
        ("map", Value::Map(Arc::new(map))),
        ("list", Value::List(Arc::new(vec![Value::Byte(1), Value::Null]))),
        ("set", Value::Set(Arc::new([Value::Uuid(1)].into_iter().collect()))),
    ];
    for (key, value) in &values {
        marko.set_property(Cardinality::Single, property(key, value.clone()));
    }
    // Several values, ids that were given, properties of properties.
    let city = |name: &str, from: i32| NewProperty {
        meta: vec![("from".into(), Value::Int(from)), ("sure".into(), Value::Bool(true))],
        ..property("location", text(name))
    };
    marko.set_property(Cardinality::List, city("san diego", 1997));
    marko.set_property(Cardinality::List, NewProperty { id: Some(text("vp")), ..city("santa cruz", 2001) });
    let at = marko.set_property(
        Cardinality::Set,
        NewProperty { meta: vec![("to".into(), Value::Int(2004))], ..city("santa cruz", 2001) },
    );
    assert_eq!(marko.properties[at].meta.len(), 3, "an equal value of a set gets the properties");
    write(&graph, |unit| {
        let stored = write_vertex(unit, &marko).unwrap();
        assert_eq!(read_vertex(&stored, unit.catalogue()).unwrap(), marko);
    });
    let read = vertex_of(&graph, &Value::Long(1)).unwrap();
    assert_eq!(read, marko);
    assert_eq!(read.id, Some(Value::Int(1)));
    let ids: Vec<Value> = read.properties.iter().map(|property| property.id(&Value::Int(1))).collect();
    assert_eq!(read.position_of(&text("vp")), Some(ids.len() - 1));
    for (at, id) in ids.iter().enumerate() {
        assert_eq!(read.position_of(id), Some(at), "ids are different");
    }
    let (_store, after) = open(&engine);
    assert_eq!(vertex_of(&after, &Value::Int(1)), Some(marko));

    let mut some = Vec::new();
    let stored = graph.reader().vertex(&ids::vertex_key(&Value::Int(1)).unwrap()).unwrap().unwrap();
    let keys: [Text; 3] = ["location".into(), "none".into(), "name".into()];
    auto_graph::read_properties(&stored.properties, &graph.catalogue(), Some(&keys), &mut some).unwrap();
    assert_eq!(some.iter().map(|property| &*property.key).collect::<Vec<_>>(), ["location", "location", "name"]);
}

#[test]
fn ids_keep_their_types_or_are_made() {
    let (_store, graph) = open(&engine());
    let ids = [
        Value::Int(1),
        Value::Long(2),
        Value::Long(1 << 40),
        Value::Byte(3),
        Value::Short(4),
        text("1"),
        Value::Uuid(7),
    ];
    write(&graph, |unit| {
        for id in &ids {
            write_vertex(unit, &AutoVertex::new(Some(id.clone()), "v")).unwrap();
        }
        let made = write_vertex(unit, &AutoVertex::new(None, "v")).unwrap();
        assert!(matches!(ids::vertex_id(&made), Value::Long(1..)));
    });
    for id in &ids {
        assert_eq!(vertex_of(&graph, id).unwrap().id.as_ref(), Some(id));
    }
    let budget = Budget::unlimited();
    let mut unit = graph.transaction(&budget);
    for wrong in [Value::Double(1.0), Value::Null, Value::List(Arc::default()), text("")] {
        let error = write_vertex(&mut unit, &AutoVertex::new(Some(wrong.clone()), "w")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadInput, "{wrong:?}");
    }
    let mut wrong = AutoVertex::new(None, "w");
    wrong.set_property(Cardinality::Single, property("p", Value::Path(Arc::default())));
    assert!(matches!(write_vertex(&mut unit, &wrong), Err(AutoError::NotStorable { .. })));
    assert!(graph.catalogue().vertex_label_named("w").is_none(), "nothing is made for what cannot be written");
}

#[test]
fn edges_are_found_by_ids_of_any_simple_type() {
    let engine = engine();
    let (_killed, graph) = open(&engine);
    let edge = |id: Option<Value>| AutoEdge {
        id,
        label: "knows".into(),
        source: Value::Int(1),
        target: text("b"),
        properties: vec![("weight".into(), Value::Float(0.5)), ("since".into(), Value::Null)],
    };
    let ids = [
        Value::Int(7),
        Value::Long(8),
        text("7"),
        Value::Uuid(7),
        Value::Double(7.5),
        Value::Bool(true),
        Value::Char('x'),
    ];
    write(&graph, |unit| {
        write_vertex(unit, &AutoVertex::new(Some(Value::Int(1)), "v")).unwrap();
        write_vertex(unit, &AutoVertex::new(Some(text("b")), "w")).unwrap();
        for id in &ids {
            write_edge(unit, &edge(Some(id.clone()))).unwrap();
        }
        let made = write_edge(unit, &edge(None)).unwrap();
        assert!(matches!(ids::edge_id(&made.id), Value::Long(1..)));
    });
    for graph in [&graph, &open(&engine).1] {
        for id in &ids {
            assert_eq!(edge_of(graph, id).unwrap(), edge(Some(id.clone())));
        }
        assert_eq!(edge_of(graph, &Value::Long(7)).unwrap().id, Some(Value::Int(7)));
        assert_eq!(edge_of(graph, &Value::Int(9)), None);
    }
    assert_eq!(ids::edge_key(&Value::Null), None);
    let budget = Budget::unlimited();
    let error = write_edge(&mut graph.transaction(&budget), &edge(Some(Value::Null))).unwrap_err();
    assert!(matches!(error, AutoError::Id { .. }));
}

#[test]
fn a_strict_graph_is_not_written_by_names_it_does_not_have() {
    let (store, _) = open(&engine());
    let graph = store.graph("hugegraph").unwrap();
    let budget = Budget::unlimited();
    let error = write_vertex(&mut graph.transaction(&budget), &AutoVertex::new(None, "person")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotAllowed);
    assert!(error.to_string().contains("strict schema"), "{error}");
}

/// A write: numbers of elements, keys and values.
#[derive(Clone, Debug)]
enum Step {
    Vertex(u8, u8),
    Property(u8, u8, u8, Option<u8>, Option<u8>, Cardinality),
    DropProperty(u8, u8),
    Edge(u8, u8, u8, u8),
    EdgeProperty(u8, u8),
    DropVertex(u8),
    DropEdge(u8),
    Commit,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (n, key) = (0u8..4, 0u8..3);
    let cardinality = prop_oneof![Just(Cardinality::Single), Just(Cardinality::List), Just(Cardinality::Set)];
    let step = prop_oneof![
        3 => (n.clone(), key.clone()).prop_map(|(id, label)| Step::Vertex(id, label)),
        6 => (n.clone(), key.clone(), 0u8..6, prop::option::of(0u8..9), prop::option::of(0u8..3), cardinality)
            .prop_map(|(id, key, value, own, meta, many)| Step::Property(id, key, value, own, meta, many)),
        2 => (n.clone(), 0u8..5).prop_map(|(id, at)| Step::DropProperty(id, at)),
        4 => (0u8..6, n.clone(), n.clone(), key).prop_map(|(id, from, to, label)| Step::Edge(id, from, to, label)),
        2 => (0u8..6, 0u8..6).prop_map(|(id, value)| Step::EdgeProperty(id, value)),
        1 => n.prop_map(Step::DropVertex),
        1 => (0u8..6).prop_map(Step::DropEdge),
        2 => Just(Step::Commit),
    ];
    prop::collection::vec(step, 1..40)
}

fn value(n: u8) -> Value {
    match n {
        0 => Value::Int(1),
        1 => Value::Long(1),
        2 => text("one"),
        3 => Value::Double(1.0),
        4 => Value::List(Arc::new(vec![Value::Int(1)])),
        _ => Value::Null,
    }
}

/// Ids of vertices: each number has a type of its own.
fn vertex_id(n: u8) -> Value {
    match n {
        0 => Value::Int(0),
        1 => Value::Long(1),
        2 => text("two"),
        _ => Value::Uuid(3),
    }
}

fn edge_id(n: u8) -> Value {
    if n.is_multiple_of(2) { Value::Int(n.into()) } else { text(&format!("e{n}")) }
}

#[derive(Default)]
struct Model {
    vertices: BTreeMap<u8, AutoVertex>,
    edges: BTreeMap<u8, (u8, u8, AutoEdge)>,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_graph_equals_a_plain_model(steps in steps()) {
        let engine = engine();
        let (_store, graph) = open(&engine);
        let budget = Budget::unlimited();
        let mut model = Model::default();
        let mut unit = Box::new(graph.transaction(&budget));
        for step in steps {
            match step {
                Step::Vertex(n, label) => {
                    let new = AutoVertex::new(Some(vertex_id(n)), format!("v{label}"));
                    write_vertex(&mut *unit, &new).unwrap();
                    model.vertices.insert(n, new);
                }
                Step::Property(n, key, value_of, own, meta, cardinality) => {
                    let Some(vertex) = model.vertices.get_mut(&n) else { continue };
                    let meta = meta.map(|meta| (Text::from("m"), value(meta)));
                    let id = own.map(|own| text(&format!("p{own}")));
                    let new = property(&format!("k{key}"), value(value_of));
                    let new = NewProperty { id, meta: meta.into_iter().collect(), ..new };
                    vertex.set_property(cardinality, new);
                    write_vertex(&mut *unit, vertex).unwrap();
                }
                Step::DropProperty(n, at) => {
                    let Some(vertex) = model.vertices.get_mut(&n) else { continue };
                    if vertex.properties.len() > usize::from(at) {
                        vertex.properties.remove(at.into());
                        write_vertex(&mut *unit, vertex).unwrap();
                    }
                }
                Step::Edge(n, from, to, label) => {
                    let ends = model.vertices.contains_key(&from) && model.vertices.contains_key(&to);
                    if !ends || model.edges.contains_key(&n) {
                        continue;
                    }
                    let (source, target) = (vertex_id(from), vertex_id(to));
                    let (id, label) = (Some(edge_id(n)), format!("e{label}").into());
                    let edge = AutoEdge { id, label, source, target, properties: Vec::new() };
                    write_edge(&mut *unit, &edge).unwrap();
                    model.edges.insert(n, (from, to, edge));
                }
                Step::EdgeProperty(n, value_of) => {
                    let Some((_, _, edge)) = model.edges.get_mut(&n) else { continue };
                    edge.set_property("w".into(), value(value_of));
                    write_edge(&mut *unit, edge).unwrap();
                }
                Step::DropVertex(n) => {
                    if model.vertices.remove(&n).is_some() {
                        unit.delete_vertex(&ids::vertex_key(&vertex_id(n)).unwrap()).unwrap();
                        model.edges.retain(|_, (from, to, _)| *from != n && *to != n);
                    }
                }
                Step::DropEdge(n) => {
                    if model.edges.remove(&n).is_some() {
                        let found = unit.edges_by_key(&[ids::edge_key(&edge_id(n)).unwrap()]).unwrap();
                        unit.delete_edge(&found[0].as_ref().unwrap().id).unwrap();
                    }
                }
                Step::Commit => {
                    unit.commit().unwrap();
                    unit = Box::new(graph.transaction(&budget));
                }
            }
            for n in 0..4 {
                let found = unit.vertices(&[ids::vertex_key(&vertex_id(n)).unwrap()]).unwrap().pop().flatten();
                let found = found.map(|vertex| sorted(read_vertex(&vertex, unit.catalogue()).unwrap()));
                prop_assert_eq!(found, model.vertices.get(&n).cloned().map(sorted));
            }
            for n in 0..6 {
                let found = unit.edges_by_key(&[ids::edge_key(&edge_id(n)).unwrap()]).unwrap().pop().flatten();
                let found = found.map(|edge| read_edge(&edge, unit.catalogue()).unwrap());
                // An end that was not read shows its number in the usual type.
                let expected = model.edges.get(&n).map(|(_, _, edge)| {
                    let usual = |id: &Value| ids::unread_vertex_id(&ids::vertex_key(id).unwrap());
                    AutoEdge { source: usual(&edge.source), target: usual(&edge.target), ..edge.clone() }
                });
                prop_assert_eq!(found, expected);
            }
        }
        unit.commit().unwrap();
        let (_again, after) = open(&engine);
        for n in 0..4 {
            prop_assert_eq!(vertex_of(&after, &vertex_id(n)).map(sorted), model.vertices.get(&n).cloned().map(sorted));
        }
        for n in 0..6 {
            prop_assert_eq!(edge_of(&after, &edge_id(n)).is_some(), model.edges.contains_key(&n));
        }
        let report = graph_maintenance::check_indexes(&after, false, &budget, &mut |_| ()).unwrap();
        prop_assert_eq!(report.total(), 0, "{:?}", report.examples);
        prop_assert_eq!(report.entries, model.edges.len() as u64);
    }
}

/// The properties grouped by key: their order among keys is not kept, that of the values of a key is.
fn sorted(mut vertex: AutoVertex) -> AutoVertex {
    vertex.properties.sort_by(|a, b| a.key.cmp(&b.key));
    vertex
}
