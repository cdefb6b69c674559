//! Graphs whose schema is made by their writes: labels and keys, ids, look-ups, and what stays over restarts.

use std::borrow::Cow;
use std::sync::Arc;

use compact_str::CompactString;
use graph_access::{Budget, GraphRead as _, GraphWrite as _, Lookup, WalkRead as _};
use graph_host::{Clear, GraphConf, HostedGraph, Store};
use graph_model::{Cardinality, DataType, Edge, ErrorKind, IdStrategy, PropertyKeyId, Value, VertexId};
use graph_schema::{
    Declaration, EDGE_ID, Literal, NewEdge, NewPredicate, NewVertex, SchemaMode, auto_vertex_id_value, edge_id_key,
    read_edge_id_text,
};
use graph_store::{StoreError, VertexQuery, Visit, Wait};
use tagged_value::{Builder, Token};

use crate::fixture::*;

const NAMES: Declaration<'static> =
    Declaration { vertex_labels: &["person"], edge_labels: &["knows"], property_keys: &["name", "age"] };

fn auto_store<E: kv::Engine + 'static>(engine: &Arc<E>) -> (Store, Arc<HostedGraph>) {
    let store = open(engine).unwrap();
    let conf = GraphConf::from([("schema.mode".to_owned(), "auto".to_owned())]);
    let graph = store.graph("a").or_else(|_| store.create_graph("a", &conf)).unwrap();
    (store, graph)
}

fn tagged(token: Token<'_>) -> Literal<'static> {
    Literal::Tagged(Cow::Owned(Builder::encode(token).unwrap().into_vec()))
}

fn any(token: Token<'_>) -> Value {
    Value::Any(Builder::encode(token).unwrap())
}

fn person(id: Literal<'static>, age: Literal<'static>) -> NewVertex<'static> {
    NewVertex { properties: properties(&[("age", age)]), ..vertex("person", Some(id)) }
}

fn knows(source: i64, target: i64, id: Option<Literal<'static>>) -> NewEdge<'static> {
    NewEdge {
        label: Some(Cow::Borrowed("knows")),
        source: Some(Literal::Integer(source)),
        source_label: None,
        target: Some(Literal::Integer(target)),
        target_label: None,
        properties: id.into_iter().map(|id| (Cow::Borrowed(EDGE_ID), id)).collect(),
    }
}

fn edge_key(token: Token<'_>) -> CompactString {
    edge_id_key(&graph_schema::edge_id_text(token).unwrap())
}

fn id_of(edge: &Edge) -> Box<[u8]> {
    read_edge_id_text(&edge.id.sort_values).unwrap()
}

#[test]
fn labels_and_keys_come_into_being_and_stay() {
    let engine = memory();
    let budget = Budget::unlimited();
    let (_killed, graph) = auto_store(&engine);
    assert!(graph.is_auto() && graph.catalogue().mode() == SchemaMode::Auto);
    let mut unit = graph.transaction(&budget);
    assert!(unit.insert_vertex(&vertex("person", None)).is_err(), "not declared yet");
    unit.declare(&NAMES).unwrap();
    unit.declare(&NAMES).unwrap();
    let written = unit.insert_vertex(&person(Literal::Integer(1), text("old"))).unwrap();
    assert!(graph.catalogue().has_all(&NAMES), "what is declared is stored at once");
    Box::new(unit).commit().unwrap();
    let key = Arc::clone(graph.catalogue().property_key_named("age").unwrap());
    assert_eq!((key.data_type, key.data_type.name()), (DataType::Any, "OBJECT"));

    let (store, after) = auto_store(&engine);
    assert_eq!(*after.catalogue(), *graph.catalogue());
    assert_eq!(after.reader().vertex(&VertexId::Number(1)).unwrap(), Some(written));
    store.create_snapshot("a", &budget).unwrap();
    store.clear_graph("a", Clear::Data).unwrap();
    let cleared = store.graph("a").unwrap();
    assert!(cleared.is_auto() && cleared.catalogue().has_all(&NAMES));
    store.clear_graph("a", Clear::Everything).unwrap();
    let cleared = store.graph("a").unwrap();
    assert!(cleared.is_auto() && cleared.catalogue().elements().is_empty());
    drop(cleared);
    store.resume_snapshot("a", &budget).unwrap();
    let resumed = store.graph("a").unwrap();
    assert!(resumed.is_auto() && resumed.reader().vertex(&VertexId::Number(1)).unwrap().is_some());
    let (store, again) = auto_store(&engine);
    assert!(again.is_auto() && again.catalogue().has_all(&NAMES));
    assert!(!store.graph("hugegraph").unwrap().is_auto());
}

#[test]
fn the_mode_is_chosen_once() {
    let (store, _) = auto_store(&memory());
    let conf = |mode: &str| GraphConf::from([("schema.mode".to_owned(), mode.to_owned())]);
    assert!(matches!(store.create_graph("b", &conf("lax")), Err(StoreError::SchemaMode { .. })));
    assert!(store.graph("b").is_err());
    assert!(!store.create_graph("b", &conf("strict")).unwrap().is_auto());
    assert!(matches!(store.set_graph_conf("a", &GraphConf::new()), Err(StoreError::SchemaMode { .. })));
    assert!(matches!(store.set_graph_conf("b", &conf("auto")), Err(StoreError::SchemaMode { .. })));
    store.set_graph_conf("a", &conf("auto")).unwrap();
}

#[test]
fn each_mode_refuses_the_ways_of_the_other() {
    let engine = memory();
    let (_store, auto) = auto_store(&engine);
    let budget = Budget::unlimited();
    auto.schema().declare(&NAMES).unwrap();
    let key = property_key("typed", DataType::Int, Cardinality::Single);
    for refused in [
        auto.schema().create_property_key(&key).map(drop),
        auto.schema().create_vertex_label(&vertex_label("v", IdStrategy::CustomizeString)).map(drop),
        auto.schema().create_edge_label(&edge_label("e", "person", "person")).map(drop),
        auto.schema().delete_property_key("age"),
        auto.jobs().remove_vertex_label("person").map(drop),
        auto.jobs().remove_edge_label("knows").map(drop),
    ] {
        let error = refused.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotSupported, "{error}");
        assert!(error.to_string().contains("schema.mode=auto"), "{error}");
    }
    for name in ["", "~label", &"x".repeat(256)] {
        let names = Declaration { vertex_labels: &[name], ..Declaration::default() };
        assert_eq!(auto.schema().declare(&names).unwrap_err().kind(), ErrorKind::BadInput, "{name}");
    }
    let odd = Declaration { property_keys: &["a:b > c#! "], ..Declaration::default() };
    assert!(auto.schema().declare(&odd).unwrap().has_all(&odd));

    let strict = auto_of(&engine);
    let error = strict.schema().declare(&NAMES).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotAllowed);
    assert!(error.to_string().contains("strict"), "{error}");
    let unit = strict.transaction(&budget);
    assert_eq!(unit.edges_by_key(&["n11".into()]).unwrap_err().kind, ErrorKind::NotSupported);
}

/// The default graph, which is strict.
fn auto_of<E: kv::Engine + 'static>(engine: &Arc<E>) -> Arc<HostedGraph> {
    store(engine).1
}

#[test]
fn vertex_ids_keep_their_type() {
    let (_store, graph) = auto_store(&memory());
    graph.schema().declare(&NAMES).unwrap();
    let ids = [
        (Token::Int(1), VertexId::Number(1)),
        (Token::Long(2), VertexId::Number(2)),
        (Token::Byte(3), VertexId::Number(3)),
        (Token::Short(4), VertexId::Number(4)),
        (Token::String("1"), string_id("1")),
        (Token::String("7:x"), string_id("7:x")),
        (Token::Uuid(9), VertexId::Uuid(9)),
    ];
    for (token, id) in &ids {
        let written = insert(&graph, &[person(tagged(*token), Literal::Integer(29))]).unwrap();
        assert_eq!(written, std::slice::from_ref(id));
        let found = graph.reader().vertex(id).unwrap().unwrap();
        assert_eq!(auto_vertex_id_value(&found.id, &found.properties), Builder::encode(*token).unwrap());
    }
    let made = insert(&graph, &[vertex("person", None)]).unwrap();
    assert!(matches!(made.as_slice(), [VertexId::Number(_)]));
    assert_eq!(listed_vertices(&graph, Some(vertex_label_id(&graph, "person"))).unwrap().len(), ids.len() + 1);
    for wrong in [Token::Double(1.0), Token::Null, Token::String(""), Token::Bool(true)] {
        assert!(insert(&graph, &[person(tagged(wrong), Literal::Integer(1))]).is_err(), "{wrong:?}");
    }
    assert!(insert(&graph, &[person(Literal::Integer(1), Literal::Object("{}".into()))]).is_err());
    assert!(insert(&graph, &[person(Literal::Integer(1), Literal::Tagged(Cow::Borrowed(&[255])))]).is_err());
}

#[test]
fn edges_have_ids_and_can_be_parallel() {
    let (_store, graph) = auto_store(&memory());
    let budget = Budget::unlimited();
    graph.schema().declare(&NAMES).unwrap();
    insert(&graph, &[person(Literal::Integer(1), text("x")), person(Literal::Integer(2), text("y"))]).unwrap();
    let ids = [Token::Int(11), Token::String("e>1"), Token::Uuid(5), Token::Double(1.5), Token::Long(-3)];
    let new: Vec<_> = ids.iter().map(|id| knows(1, 2, Some(tagged(*id)))).chain([knows(1, 2, None)]).collect();
    let edges = connect(&graph, &new).unwrap();
    assert_eq!(listed_edges(&graph, None, None).unwrap().len(), ids.len() + 1, "all of them are parallel");
    let unit = graph.transaction(&budget);
    for (id, edge) in ids.iter().zip(&edges) {
        assert_eq!(id_of(edge), Builder::encode(*id).unwrap());
        assert_eq!(unit.edges_by_key(&[edge_key(*id)]).unwrap(), [Some(edge.clone())]);
    }
    let generated = edges.last().unwrap();
    let read = id_of(generated);
    assert!(matches!(tagged_value::read(&read), Ok(Token::Long(1..))));
    let keys = [edge_key(Token::Long(12)), edge_key(Token::Long(11)), edge_id_key(&generated.id.sort_values)];
    let found = unit.edges_by_key(&keys).unwrap();
    assert_eq!(found, [None, Some(edges[0].clone()), Some(generated.clone())], "numbers of all types are one");
    // The same id between other vertices is refused; the same edge again replaces itself.
    let taken = connect(&graph, &[knows(2, 1, Some(tagged(Token::Long(11))))]).unwrap_err();
    assert!(matches!(taken, StoreError::EdgeIdTaken { .. }), "{taken}");
    connect(&graph, &[knows(1, 2, Some(tagged(Token::Int(11))))]).unwrap();
    for wrong in [Token::Null, tagged_value::read(&[17, 0]).unwrap()] {
        assert!(connect(&graph, &[knows(1, 2, Some(tagged(wrong)))]).is_err(), "{wrong:?}");
    }
    check_indexes(&graph);
    graph.writer().delete_edge(&edges[0].id, Wait::Allowed).unwrap().wait().unwrap();
    connect(&graph, &[knows(2, 1, Some(tagged(Token::Long(11))))]).unwrap();
    check_indexes(&graph);
    graph.writer().delete_vertex(&VertexId::Number(1), Wait::Allowed).unwrap().wait().unwrap();
    assert_eq!(unit.edges_by_key(&keys).unwrap(), [None, None, None]);
    check_indexes(&graph);
}

fn check_indexes(graph: &HostedGraph) {
    let report = graph_maintenance::check_indexes(graph, false, &Budget::unlimited(), &mut |_| ()).unwrap();
    assert_eq!(report.total(), 0, "{:?}", report.examples);
    let edges = listed_edges(graph, None, None).unwrap().len() as u64;
    let vertices = listed_vertices(graph, None).unwrap().len() as u64;
    assert_eq!(report.entries, edges, "an entry for each edge");
    assert_eq!(report.elements, edges + vertices);
}

#[test]
fn a_unit_finds_its_own_edges_by_their_ids() {
    let (_store, graph) = auto_store(&memory());
    let budget = Budget::unlimited();
    let mut unit = graph.transaction(&budget);
    unit.declare(&NAMES).unwrap();
    unit.insert_vertex(&vertex("person", Some(Literal::Integer(1)))).unwrap();
    let key = [edge_key(Token::Int(7))];
    let written = unit.insert_edge(&knows(1, 1, Some(tagged(Token::Int(7))))).unwrap();
    assert_eq!(unit.edges_by_key(&key).unwrap(), [Some(written.clone())]);
    assert_eq!(graph.transaction(&budget).edges_by_key(&key).unwrap(), [None]);
    unit.delete_edge(&written.id).unwrap();
    assert_eq!(unit.edges_by_key(&key).unwrap(), [None]);
    let written = unit.insert_edge(&knows(1, 1, Some(tagged(Token::Short(7))))).unwrap();
    Box::new(unit).commit().unwrap();
    let mut unit = graph.transaction(&budget);
    assert_eq!(unit.edges_by_key(&key).unwrap(), [Some(written)]);
    unit.delete_vertex(&VertexId::Number(1)).unwrap();
    assert_eq!(unit.edges_by_key(&key).unwrap(), [None]);
    Box::new(unit).commit().unwrap();
    check_indexes(&graph);
    // Two units want one id: the first to commit has it.
    insert(&graph, &[vertex("person", Some(Literal::Integer(1))), vertex("person", Some(Literal::Integer(2)))])
        .unwrap();
    let (mut first, mut second) = (graph.transaction(&budget), graph.transaction(&budget));
    first.insert_edge(&knows(1, 2, Some(tagged(Token::Int(7))))).unwrap();
    second.insert_edge(&knows(2, 1, Some(tagged(Token::Int(7))))).unwrap();
    Box::new(first).commit().unwrap();
    let error = Box::new(second).commit().unwrap_err();
    assert!(error.message.contains("is taken"), "{error}");
    check_indexes(&graph);
}

#[test]
fn many_units_declare_and_write_at_one_time() {
    const THREADS: i64 = 8;
    const ROUNDS: i64 = 12;
    let (_store, graph) = auto_store(&memory());
    let budget = Budget::unlimited();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (graph, budget) = (&graph, &budget);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    // Every name is wanted by several threads at about the same time.
                    let (label, edge) = (format!("v{round}"), format!("e{}", round / 2));
                    let keys = [format!("k{}", (thread + round) % 5)];
                    let mut unit = graph.transaction(budget);
                    unit.declare(&Declaration {
                        vertex_labels: &[&label],
                        edge_labels: &[&edge],
                        property_keys: &[&keys[0]],
                    })
                    .unwrap();
                    let id = thread * ROUNDS + round;
                    let new = NewVertex {
                        label: Some(Cow::Owned(label)),
                        id: Some(Literal::Integer(id)),
                        properties: vec![(Cow::Owned(keys[0].clone()), Literal::Integer(id))],
                    };
                    unit.insert_vertex(&new).unwrap();
                    unit.insert_edge(&NewEdge { label: Some(Cow::Owned(edge)), ..knows(id, id, None) }).unwrap();
                    Box::new(unit).commit().unwrap();
                }
            });
        }
    });
    let catalogue = graph.catalogue();
    let names: Vec<_> = catalogue.vertex_labels().map(|label| label.name.clone()).collect();
    assert_eq!(names.len(), usize::try_from(ROUNDS).unwrap(), "{names:?}");
    assert_eq!((catalogue.edge_labels().count(), catalogue.property_keys().count()), (6, 5));
    let count = usize::try_from(THREADS * ROUNDS).unwrap();
    assert_eq!(listed_vertices(&graph, None).unwrap().len(), count);
    assert_eq!(listed_edges(&graph, None, None).unwrap().len(), count);
    check_indexes(&graph);
}

#[test]
fn a_removed_vertex_loses_edges_of_labels_that_came_later() {
    let (_store, graph) = auto_store(&memory());
    let budget = Budget::unlimited();
    graph.schema().declare(&NAMES).unwrap();
    insert(&graph, &[vertex("person", Some(Literal::Integer(1))), vertex("person", Some(Literal::Integer(2)))])
        .unwrap();
    let mut unit = graph.transaction(&budget);
    unit.delete_vertex(&VertexId::Number(1)).unwrap();
    graph.schema().declare(&Declaration { edge_labels: &["later"], ..Declaration::default() }).unwrap();
    connect(&graph, &[NewEdge { label: Some(Cow::Borrowed("later")), ..knows(2, 1, None) }]).unwrap();
    Box::new(unit).commit().unwrap();
    assert_eq!(listed_edges(&graph, None, None).unwrap(), []);
    check_indexes(&graph);
}

#[test]
fn conditions_compare_elements_one_by_one() {
    let (_store, graph) = auto_store(&memory());
    let budget = Budget::unlimited();
    graph.schema().declare(&NAMES).unwrap();
    let ages = [tagged(Token::Int(29)), tagged(Token::Long(29)), tagged(Token::Double(30.5)), text("29")];
    let new: Vec<_> = (1..).zip(ages).map(|(id, age)| person(Literal::Integer(id), age)).collect();
    insert(&graph, &new).unwrap();
    let catalogue = graph.catalogue();
    let find = |predicate: NewPredicate<'static>, label: Option<&str>| {
        let given = [(Cow::Borrowed("age"), predicate)];
        let conditions = catalogue.check_conditions(&given, &graph.options().zone).unwrap();
        let label = label.map(|name| catalogue.vertex_label_named(name).unwrap().id);
        let unit = graph.transaction(&budget);
        let lookup = Lookup { label, conditions: conditions.clone(), ..Lookup::default() };
        assert_eq!(unit.find_vertices(lookup).err().unwrap().kind, ErrorKind::NoIndex);
        let (query, mut ids) = (VertexQuery { label, conditions, range: ALL }, Vec::new());
        let mut visit = |vertex: &graph_model::Vertex| {
            ids.push(vertex.id.clone());
            Visit::Continue(())
        };
        graph.reader().list_vertices(&query, &budget, &mut visit).unwrap();
        ids
    };
    let ids = |ids: &[i64]| ids.iter().map(|id| VertexId::Number(*id)).collect::<Vec<_>>();
    use std::ops::Bound::{Excluded, Unbounded};
    assert_eq!(find(NewPredicate::Equal(Literal::Integer(29)), None), ids(&[1, 2]));
    assert_eq!(find(NewPredicate::Equal(Literal::Integer(29)), Some("person")), ids(&[1, 2]));
    assert_eq!(find(NewPredicate::Equal(text("29")), None), ids(&[4]));
    assert_eq!(find(NewPredicate::NotEqual(Literal::Float(29.0)), None), ids(&[3, 4]));
    assert_eq!(find(NewPredicate::Range { low: Excluded(Literal::Integer(29)), high: Unbounded }, None), ids(&[3]));
    assert_eq!(find(NewPredicate::OneOf(vec![Literal::Float(30.5), text("29")]), None), ids(&[3, 4]));
    assert_eq!(find(NewPredicate::TextContains("9".into()), None), ids(&[4]));
    let stored = graph.transaction(&budget).vertices(&ids(&[2])).unwrap();
    let age = catalogue.property_key_named("age").unwrap().id;
    assert_eq!(stored[0].as_ref().unwrap().properties.get(age), Some(&any(Token::Long(29))));
    assert!(stored[0].as_ref().unwrap().properties.get(PropertyKeyId::HIDDEN).is_none());
}
