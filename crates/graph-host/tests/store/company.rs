//! What a server that is alone over a shared store keeps of it, when others come and go.

use std::time::Duration;

use graph_host::Store;
use graph_model::{EdgeId, IdStrategy, VertexId};
use graph_schema::Literal;
use graph_store::{Pending, Wait};
use kv::{Fault, Faults, KvError};

use crate::cluster::{Shared, cut_off, mortal, mortal_with, options, server, shared, until};
use crate::fixture::{connect, edge, edge_label, edge_label_id, graph, insert, vertex};
use crate::walks::neighbours;

/// The vertices 0 to 19, and edges from 0 to some of them.
fn fill(store: &Store) {
    let graph = graph(store);
    graph.schema().create_vertex_label(&crate::fixture::vertex_label("thing", IdStrategy::CustomizeNumber)).unwrap();
    graph.schema().create_edge_label(&edge_label("knows", "thing", "thing")).unwrap();
    let things: Vec<_> = (0..20).map(|id| vertex("thing", Some(Literal::Integer(id)))).collect();
    insert(&graph, &things).unwrap();
    link(store, 1);
    link(store, 2);
}

/// An edge from vertex 0.
fn link(store: &Store, to: i64) {
    let end = |id| ("thing", Literal::Integer(id));
    connect(&graph(store), &[edge("knows", end(0), end(to))]).unwrap();
}

fn unlink(store: &Store, to: i64) {
    let graph = graph(store);
    let ends = (VertexId::Number(0), VertexId::Number(to));
    let id = EdgeId { label: edge_label_id(&graph, "knows"), source: ends.0, sort_values: "".into(), target: ends.1 };
    graph.writer().delete_edge(&id, Wait::Allowed).and_then(Pending::wait).unwrap();
}

fn linked(store: &Store) -> Vec<i64> {
    let number = |id: VertexId| match id {
        VertexId::Number(number) => number,
        other => panic!("{other}"),
    };
    let mut found: Vec<i64> = neighbours(&graph(store), 0).into_iter().map(number).collect();
    found.sort_unstable();
    found
}

/// Whether a walk is answered out of memory.
fn keeps(store: &Store) -> bool {
    linked(store);
    let before = store.adjacency();
    linked(store);
    store.adjacency().hits > before.hits
}

fn alone() -> (Shared, Store) {
    let engine = shared();
    let store = server(&engine);
    until("being alone", || keeps_after_filling(&store));
    (engine, store)
}

fn keeps_after_filling(store: &Store) -> bool {
    if graph(store).catalogue().vertex_label_named("thing").is_none() {
        fill(store);
    }
    keeps(store)
}

#[test]
fn a_server_that_is_alone_keeps_neighbours_and_forgets_them_before_another_one_writes() {
    let (engine, first) = alone();
    let mut expected = vec![1, 2];
    assert_eq!(linked(&first), expected);
    for to in 3..8 {
        let second = server(&engine);
        link(&second, to);
        expected.push(to);
        expected.sort_unstable();
        assert_eq!((linked(&first), linked(&second)), (expected.clone(), expected.clone()));
        unlink(&second, to - 2);
        expected.retain(|kept| *kept != to - 2);
        assert_eq!((linked(&first), linked(&second)), (expected.clone(), expected.clone()));
        assert!(!keeps(&first) && !keeps(&second), "neither is alone");
        assert_eq!(first.adjacency().vertices, 0, "what was kept is forgotten");
        drop(second);
        until("being alone again", || keeps(&first));
        assert_eq!(linked(&first), expected);
        link(&first, to + 10);
        expected.push(to + 10);
        expected.sort_unstable();
        assert_eq!(linked(&first), expected, "its own writes are seen");
    }
}

#[test]
fn a_server_that_was_taken_for_dead_answers_nothing_out_of_memory() {
    let engine = shared();
    let (first, faults) = mortal(&engine);
    until("being alone", || keeps_after_filling(&first));
    cut_off(&faults);
    let second = server(&engine);
    link(&second, 9);
    // The second one has waited until the first one cannot be using what it keeps.
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| linked(&first)));
    assert!(outcome.is_err(), "reads fail, and nothing is answered without one: {outcome:?}");
    drop(second);
    faults.clear();
    until("being alone again", || keeps(&first));
    assert_eq!(linked(&first), [1, 2, 9]);
}

/// A write of the edge from 0 to 9 whose answer is lost.
fn fail_a_link(first: &Store, faults: &Faults) {
    let error = KvError::Unavailable { detail: "scripted".into() };
    faults.inject(Fault::LoseAcknowledgement { nth: 1, error });
    let end = |id| ("thing", Literal::Integer(id));
    // The heartbeat may be the commit that is lost.
    while connect(&graph(first), &[edge("knows", end(0), end(9))]).is_ok() {
        unlink(first, 9);
        faults.inject(Fault::LoseAcknowledgement { nth: 1, error: KvError::Unavailable { detail: "scripted".into() } });
    }
    assert_eq!(linked(first), [1, 2, 9]);
}

#[test]
fn what_a_failed_write_touches_is_read_each_time() {
    let engine = shared();
    let (first, faults) = mortal(&engine);
    until("being alone", || keeps_after_filling(&first));
    fail_a_link(&first, &faults);
    for _ in 0..5 {
        assert!(!keeps(&first), "it may have been written only later");
    }
}

#[test]
fn what_a_failed_write_touched_is_kept_again_after_a_time() {
    let engine = shared();
    let mut options = options();
    options.cluster.in_doubt = Duration::from_millis(200);
    let (first, faults) = mortal_with(&engine, options);
    until("being alone", || keeps_after_filling(&first));
    fail_a_link(&first, &faults);
    until("keeping neighbours again", || keeps(&first));
    until("keeping the row again", || keeps_row(&first, 0));
    link(&first, 10);
    assert_eq!(linked(&first), [1, 2, 9, 10]);
}

/// Whether a vertex is found without a read of the store, once it has been read.
fn keeps_row(store: &Store, id: i64) -> bool {
    let hits = || {
        let statistics = store.engine().statistics();
        statistics.iter().find(|statistic| statistic.name == "row_cache_hits_total").unwrap().value
    };
    has(store, id);
    let before = hits();
    has(store, id);
    hits() > before
}

fn has(store: &Store, id: i64) -> bool {
    graph(store).reader().vertex(&VertexId::Number(id)).unwrap().is_some()
}

#[test]
fn a_server_that_is_alone_keeps_rows_until_another_one_comes() {
    let (engine, first) = alone();
    until("keeping rows", || keeps_row(&first, 15));
    for _ in 0..3 {
        let second = server(&engine);
        graph(&second).writer().delete_vertex(&VertexId::Number(15), Wait::Allowed).and_then(Pending::wait).unwrap();
        assert!(!has(&first, 15) && !has(&second, 15));
        insert(&graph(&second), &[vertex("thing", Some(Literal::Integer(15)))]).unwrap();
        assert!(has(&first, 15) && has(&second, 15));
        assert!(!keeps_row(&first, 15) && !keeps_row(&second, 15), "neither is alone");
        drop(second);
        until("being alone again", || keeps_row(&first, 15));
        graph(&first).writer().delete_vertex(&VertexId::Number(15), Wait::Allowed).and_then(Pending::wait).unwrap();
        assert!(!has(&first, 15), "its own writes are seen");
        insert(&graph(&first), &[vertex("thing", Some(Literal::Integer(15)))]).unwrap();
        assert!(keeps_row(&first, 15));
    }
}
