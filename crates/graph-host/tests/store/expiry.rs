//! What is there of an element whose time is over? Nothing, whichever way it is asked for.

use std::borrow::Cow;

use graph_host::{HostedGraph, Store};
use graph_model::{Cardinality, DataType, Direction, IdStrategy, TaskStatus};
use graph_schema::Alter;
use graph_schema::{ElementError, Literal, NewEdgeLabel, NewVertex, NewVertexLabel};
use graph_store::{End, Pending, StoreError, Wait};
use key_codec::tables;

use crate::fixture::*;

const HOUR_MS: i64 = 3_600_000;

fn subject() -> (Store, std::sync::Arc<HostedGraph>, std::sync::Arc<kv::MemoryEngine>) {
    let engine = memory();
    let (store, graph) = store(&engine);
    graph.schema().create_property_key(&property_key("born", DataType::Date, Cardinality::Single)).unwrap();
    graph.schema().create_property_key(&property_key("note", DataType::Int, Cardinality::Single)).unwrap();
    let lasting = |name: &str, ttl_ms| NewVertexLabel { ttl_ms, ..vertex_label(name, IdStrategy::CustomizeString) };
    graph.schema().create_vertex_label(&lasting("brief", 1)).unwrap();
    let hourly = NewVertexLabel {
        properties: vec!["note".into()],
        nullable_keys: vec!["note".into()],
        ..lasting("hourly", HOUR_MS)
    };
    graph.schema().create_vertex_label(&hourly).unwrap();
    graph.schema().create_vertex_label(&lasting("lasting", 0)).unwrap();
    let born = NewVertexLabel {
        properties: vec!["born".into()],
        ttl_start_time: Some("born".into()),
        ..lasting("born", HOUR_MS)
    };
    graph.schema().create_vertex_label(&born).unwrap();
    let flash = NewEdgeLabel { ttl_ms: 1, ..edge_label("flash", "lasting", "lasting") };
    graph.schema().create_edge_label(&flash).unwrap();
    graph.schema().create_edge_label(&edge_label("to_brief", "lasting", "brief")).unwrap();
    (store, graph, engine)
}

fn until(condition: impl Fn() -> bool) {
    while !condition() {
        std::thread::yield_now();
    }
}

#[test]
fn an_expired_vertex_is_nowhere() {
    let (_store, graph, engine) = subject();
    let ids = insert(
        &graph,
        &[vertex("brief", Some(text("b"))), vertex("hourly", Some(text("h"))), vertex("lasting", Some(text("l")))],
    )
    .unwrap();
    until(|| graph.reader().vertex(&ids[0]).unwrap().is_none());
    assert_eq!(rows(&*engine, tables::VERTEX).len(), 3, "it is still stored");
    let left: Vec<_> = listed_vertices(&graph, None).unwrap().into_iter().map(|vertex| vertex.id).collect();
    assert_eq!(left, ids[1..]);
    assert_eq!(listed_vertices(&graph, Some(vertex_label_id(&graph, "brief"))).unwrap(), []);
    assert_eq!(
        graph.reader().vertices(&ids).unwrap().iter().map(Option::is_some).collect::<Vec<_>>(),
        [false, true, true]
    );
    let wait = Wait::Allowed;
    assert!(matches!(
        graph.writer().alter_vertex(&ids[0], Alter::Append, &[], wait),
        Err(StoreError::VertexNotFound { .. })
    ));
    assert!(matches!(graph.writer().delete_vertex(&ids[0], wait), Err(StoreError::VertexNotFound { .. })));
    let to_brief = edge("to_brief", ("lasting", text("l")), ("brief", text("b")));
    let error = connect(&graph, std::slice::from_ref(&to_brief)).unwrap_err();
    assert!(matches!(error, StoreError::EndNotFound { index: Some(0), end: End::Target, .. }), "{error}");
    assert!(graph.writer().insert_edge(&to_brief, wait).is_err());
}

#[test]
fn an_expired_vertex_can_be_inserted_again_under_another_label() {
    let (_store, graph, _engine) = subject();
    let brief = insert(&graph, &[vertex("brief", Some(text("b")))]).unwrap();
    until(|| graph.reader().vertex(&brief[0]).unwrap().is_none());
    insert(&graph, &[vertex("lasting", Some(text("b")))]).unwrap();
    let found = graph.reader().vertex(&brief[0]).unwrap().unwrap();
    assert_eq!((found.label, found.expires_at_ms), (vertex_label_id(&graph, "lasting"), None));
}

#[test]
fn an_expired_edge_is_nowhere() {
    let (_store, graph, engine) = subject();
    insert(&graph, &[vertex("lasting", Some(text("a"))), vertex("lasting", Some(text("b")))]).unwrap();
    let flash = edge("flash", ("lasting", text("a")), ("lasting", text("b")));
    let inserted = connect(&graph, &[flash]).unwrap();
    let id = &inserted[0].id;
    until(|| graph.reader().edge(id).unwrap().is_none());
    assert_eq!(rows(&*engine, tables::EDGE_OUT).len(), 1, "it is still stored");
    let label = Some(edge_label_id(&graph, "flash"));
    assert_eq!(listed_edges(&graph, None, None).unwrap(), []);
    assert_eq!(listed_edges(&graph, label, None).unwrap(), []);
    for direction in [Direction::Out, Direction::In, Direction::Both] {
        for end in ["a", "b"] {
            assert_eq!(listed_edges(&graph, label, Some((string_id(end), direction))).unwrap(), []);
        }
    }
    let wait = Wait::Allowed;
    assert!(matches!(graph.writer().alter_edge(id, Alter::Append, &[], wait), Err(StoreError::EdgeNotFound { .. })));
    assert!(matches!(graph.writer().delete_edge(id, wait), Err(StoreError::EdgeNotFound { .. })));
    graph.writer().delete_vertex(&string_id("a"), wait).and_then(Pending::wait).unwrap();
    assert_eq!(adjacency(&*engine), [vec![], vec![]], "with its vertex an expired edge goes too");
}

#[test]
fn removing_a_label_removes_its_expired_elements_too() {
    let (_store, graph, engine) = subject();
    ended(&graph, graph.jobs().remove_edge_label("to_brief").unwrap());
    let brief = insert(&graph, &[vertex("brief", Some(text("b")))]).unwrap();
    until(|| graph.reader().vertex(&brief[0]).unwrap().is_none());
    assert_eq!(ended(&graph, graph.jobs().remove_vertex_label("brief").unwrap()).status, TaskStatus::Success);
    assert_eq!(rows(&*engine, tables::VERTEX), []);
    assert_eq!(rows(&*engine, tables::LABEL_INDEX), []);
}

#[test]
fn a_change_does_not_prolong_a_life() {
    let (_store, graph, _engine) = subject();
    let ids = insert(&graph, &[vertex("hourly", Some(text("h")))]).unwrap();
    let before = graph.reader().vertex(&ids[0]).unwrap().unwrap().expires_at_ms;
    assert!(before.is_some());
    let given = properties(&[("note", Literal::Integer(1))]);
    let after =
        graph.writer().alter_vertex(&ids[0], Alter::Append, &given, Wait::Allowed).and_then(Pending::wait).unwrap();
    assert_eq!(after.expires_at_ms, before);
    assert_eq!(graph.reader().vertex(&ids[0]).unwrap().unwrap(), after);
}

#[test]
fn an_element_whose_time_is_over_already_is_refused() {
    let (_store, graph, engine) = subject();
    let born = |date: &'static str| NewVertex {
        properties: properties(&[("born", Literal::Text(Cow::Borrowed(date)))]),
        ..vertex("born", Some(text("x")))
    };
    let error = insert(&graph, &[born("2001-01-01 00:00:00")]).unwrap_err();
    match error {
        StoreError::Element { index: Some(0), error } => assert!(matches!(*error, ElementError::Expired { .. })),
        other => panic!("{other}"),
    }
    assert_eq!(rows(&*engine, tables::VERTEX), []);
    let ids = insert(&graph, &[born("2998-01-01 00:00:00")]).unwrap();
    let given = properties(&[("born", text("2001-01-01 00:00:00"))]);
    assert!(graph.writer().alter_vertex(&ids[0], Alter::Append, &given, Wait::Allowed).is_err());
    assert!(graph.reader().vertex(&ids[0]).unwrap().is_some());
}
