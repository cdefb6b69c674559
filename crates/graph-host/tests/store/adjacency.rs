//! Is an adjacency read of many vertices the same as lists of their edges, one by one?

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use graph_access::{AccessError, Budget, Cursor, EdgeRead, GraphRead as _, Lookup, WalkRead as _};
use graph_host::HostedGraph;
use graph_model::{Direction, Edge, EdgeId, ErrorKind, IdStrategy, LabelId, VertexId};
use graph_schema::{Conditions, Literal, NewEdge, NewEdgeLabel};
use graph_store::{EdgeQuery, GraphReader, limits};
use proptest::prelude::*;
use traversal::{KOut, Step, Traversal, TraversalError, k_out};

use crate::fixture::*;
use crate::parked::ParkedEngine;

/// Every vertex there is, and one that is not.
fn vertices() -> Vec<VertexId> {
    let marked = VertexId::Uuid(7);
    vec![string_id("1:a"), string_id("n"), VertexId::Number(1), VertexId::Number(2), marked, string_id("nobody")]
}

/// The edges of one vertex as lists give them: outgoing ones first, then by label; the first `limit`.
fn listed(graph: &HostedGraph, vertex: &VertexId, read: &EdgeRead<'_>) -> Vec<(bool, Edge)> {
    let labels: Vec<LabelId> = match read.labels {
        Some(labels) => labels.to_vec(),
        None => graph.catalogue().edge_labels().map(|label| label.id).collect(),
    };
    let mut edges = Vec::new();
    for (outgoing, direction) in [(true, Direction::Out), (false, Direction::In)] {
        if read.direction != Direction::Both && read.direction != direction {
            continue;
        }
        for label in &labels {
            let vertex = Some((vertex.clone(), direction));
            let query = EdgeQuery { label: Some(*label), vertex, conditions: Conditions::default(), range: ALL };
            graph
                .reader()
                .list_edges(&query, &Budget::unlimited(), &mut |edge| {
                    edges.push((outgoing, edge.clone()));
                    std::ops::ControlFlow::Continue(())
                })
                .unwrap();
        }
    }
    edges.truncate(read.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap()));
    edges
}

/// The same by one adjacency read of many vertices, in batches of `rows_max`.
fn read_at_once(
    graph: &HostedGraph,
    owners: &[&VertexId],
    read: &EdgeRead<'_>,
    rows_max: usize,
) -> Vec<Vec<(bool, Edge)>> {
    let budget = Budget::unlimited();
    let reader = GraphReader::new(graph, &graph.catalogue(), &budget);
    let mut found = vec![Vec::new(); owners.len()];
    let mut rows = Vec::new();
    let mut cursor = reader.edges_of(owners, *read).unwrap();
    loop {
        cursor.next_batch(&mut rows, rows_max).unwrap();
        assert!(rows.len() <= rows_max, "{} rows in a batch of {rows_max}", rows.len());
        if rows.is_empty() {
            break;
        }
        for row in rows.drain(..) {
            let (at, outgoing) = (row.owner, row.outgoing);
            found[at].push((outgoing, row.into_edge(owners[at].clone())));
        }
    }
    found
}

#[test]
fn many_vertices_at_once_are_the_same_as_one_by_one() {
    let (_store, graph) = store(&memory());
    fill(&graph);
    let labels: Vec<LabelId> = graph.catalogue().edge_labels().map(|label| label.id).collect();
    let all = vertices();
    let strategy = (
        proptest::sample::subsequence(all.clone(), 0..=all.len()).prop_shuffle(),
        proptest::sample::select(vec![Direction::Out, Direction::In, Direction::Both]),
        proptest::option::of(proptest::sample::subsequence(labels.clone(), 1..=labels.len())),
        proptest::option::of(1u64..4),
        any::<bool>(),
        proptest::sample::select(vec![1, 2, 3, 5, 1024]),
    );
    proptest!(|((owners, direction, labels, limit, properties, rows_max) in strategy)| {
        let read = EdgeRead { direction, labels: labels.as_deref(), limit, properties };
        let owners: Vec<&VertexId> = owners.iter().collect();
        let found = read_at_once(&graph, &owners, &read, rows_max);
        for (owner, found) in owners.iter().zip(found) {
            let mut expected = listed(&graph, owner, &read);
            if !properties {
                expected.iter_mut().for_each(|(_, edge)| edge.properties = Default::default());
            }
            prop_assert_eq!(found, expected);
        }
    });
}

#[test]
fn a_row_says_when_its_edge_ceases_to_exist() {
    let (_store, graph) = store(&memory());
    graph.schema().create_vertex_label(&vertex_label("numbered", IdStrategy::CustomizeNumber)).unwrap();
    let brief = NewEdgeLabel { ttl_ms: 3_600_000, ..edge_label("brief", "numbered", "numbered") };
    graph.schema().create_edge_label(&brief).unwrap();
    insert(&graph, &[vertex("numbered", Some(Literal::Integer(1)))]).unwrap();
    let end = || ("numbered", Literal::Integer(1));
    let stored = connect(&graph, &[edge("brief", end(), end())]).unwrap();
    assert!(stored[0].expires_at_ms.is_some());
    for properties in [false, true] {
        let read = EdgeRead { direction: Direction::Both, labels: None, limit: None, properties };
        let found = read_at_once(&graph, &[&VertexId::Number(1)], &read, 1);
        assert_eq!(found, [vec![(true, stored[0].clone()), (false, stored[0].clone())]]);
    }
}

#[test]
fn edges_by_id_come_in_order_and_none_where_there_is_none() {
    let (_store, graph) = store(&memory());
    fill(&graph);
    let budget = Budget::unlimited();
    let reader = GraphReader::new(&graph, &graph.catalogue(), &budget);
    let read = EdgeRead { direction: Direction::Out, labels: None, limit: None, properties: true };
    let all: Vec<Edge> =
        vertices().iter().flat_map(|vertex| listed(&graph, vertex, &read)).map(|(_, edge)| edge).collect();
    let mut ids: Vec<EdgeId> = all.iter().map(|edge| edge.id.clone()).collect();
    ids.insert(1, EdgeId { target: string_id("nobody"), ..ids[0].clone() });
    let mut expected: Vec<Option<Edge>> = all.into_iter().map(Some).collect();
    expected.insert(1, None);
    assert_eq!(reader.edges(&ids).unwrap(), expected);
}

/// A graph whose vertex 0 has edges to `count` vertices.
fn star(graph: &HostedGraph, count: usize) {
    graph.schema().create_vertex_label(&vertex_label("numbered", IdStrategy::CustomizeNumber)).unwrap();
    graph.schema().create_edge_label(&edge_label("next", "numbered", "numbered")).unwrap();
    let numbers = || 0..i64::try_from(count).unwrap();
    let new: Vec<_> = numbers().map(|n| vertex("numbered", Some(Literal::Integer(n)))).collect();
    insert(graph, &new).unwrap();
    let end = |n| ("numbered", Literal::Integer(n));
    let new: Vec<NewEdge<'_>> = numbers().map(|n| edge("next", end(0), end(n))).collect();
    connect(graph, &new).unwrap();
}

#[test]
fn an_adjacency_read_looks_at_its_budget_while_it_fills_a_batch() {
    let engine = Arc::new(ParkedEngine::new(memory()));
    let (_store, graph) = store(&engine);
    let per_check = usize::try_from(limits::ROWS_PER_CHECK).unwrap();
    star(&graph, 3 * per_check);
    let read = EdgeRead { direction: Direction::Out, labels: None, limit: None, properties: false };
    let owners = [&VertexId::Number(0)];
    // The partition is read from its first row, and from the row before which a batch ended.
    for before in [0, 2] {
        let cancelled = Arc::new(AtomicBool::new(false));
        let budget = Budget::new(Duration::from_secs(3_600), Arc::clone(&cancelled));
        let reader = GraphReader::new(&graph, &graph.catalogue(), &budget);
        let mut cursor = reader.edges_of(&owners, read).unwrap();
        let mut rows = Vec::new();
        for _ in 0..before {
            cursor.next_batch(&mut rows, 1).unwrap();
            assert_eq!(rows.len(), 1);
        }
        engine.raise_after(10, &cancelled);
        let error = cursor.next_batch(&mut rows, usize::MAX).unwrap_err();
        assert_eq!((error.kind, rows.len()), (ErrorKind::Cancelled, 0));
        assert_eq!(engine.rows(), per_check, "rows read after {before} batches");
        assert_eq!((cursor.next_batch(&mut rows, usize::MAX), rows.len()), (Ok(()), 0), "it is at its end");
    }
}

#[test]
fn a_traversal_nobody_wants_any_more_stops_between_batches() {
    let (_store, graph) = store(&memory());
    star(&graph, 20);
    let cancelled = Arc::new(AtomicBool::new(false));
    let budget = Budget::new(Duration::from_secs(3_600), Arc::clone(&cancelled));
    let reader = GraphReader::new(&graph, &graph.catalogue(), &budget);
    let read = EdgeRead { direction: Direction::Out, labels: None, limit: None, properties: false };
    let owners = [&VertexId::Number(0)];
    let mut cursor = reader.edges_of(&owners, read).unwrap();
    let mut rows = Vec::new();
    cursor.next_batch(&mut rows, 0).unwrap();
    assert_eq!(rows.len(), 1, "0 counts as 1");
    cancelled.store(true, std::sync::atomic::Ordering::Relaxed);
    let error = cursor.next_batch(&mut rows, 1).unwrap_err();
    assert_eq!((error.kind, rows.len()), (ErrorKind::Cancelled, 0));
    let mut traversal = Traversal::new(&reader, "vertices", usize::MAX);
    let first = traversal.node(VertexId::Number(0)).unwrap();
    let around = k_out(&mut traversal, first, &KOut::new(&Step::default(), 1));
    assert!(matches!(around, Err(TraversalError::Read(AccessError { kind: ErrorKind::Cancelled, .. }))));
}

#[test]
fn every_cursor_ends_after_an_error() {
    let (_store, graph) = store(&memory());
    star(&graph, 400);
    let failing = |open: &dyn Fn(&GraphReader<'_>, &Arc<AtomicBool>)| {
        let cancelled = Arc::new(AtomicBool::new(false));
        let budget = Budget::new(Duration::from_secs(3_600), Arc::clone(&cancelled));
        open(&GraphReader::new(&graph, &graph.catalogue(), &budget), &cancelled);
    };
    failing(&|reader, cancelled| ends_after_an_error(&mut *reader.scan_vertices(None).unwrap(), cancelled));
    failing(&|reader, cancelled| ends_after_an_error(&mut *reader.scan_edges(None).unwrap(), cancelled));
    let label = Some(vertex_label_id(&graph, "numbered"));
    failing(&|reader, cancelled| ends_after_an_error(&mut *reader.scan_vertices(label).unwrap(), cancelled));
}

/// Cancels a read after its first row, then asks it for more than it reads between two looks at its budget.
fn ends_after_an_error<T: std::fmt::Debug>(cursor: &mut dyn Cursor<T>, cancelled: &AtomicBool) {
    let mut batch = Vec::new();
    cursor.next_batch(&mut batch, 0).unwrap();
    assert_eq!(batch.len(), 1, "0 counts as 1");
    cancelled.store(true, std::sync::atomic::Ordering::Relaxed);
    let error = cursor.next_batch(&mut batch, 1024).unwrap_err();
    assert_eq!((error.kind, batch.len()), (ErrorKind::Cancelled, 0));
    cursor.next_batch(&mut batch, 1024).unwrap();
    assert_eq!(batch.len(), 0, "it is at its end");
}

#[test]
fn scans_and_look_ups_give_every_element_once_in_batches_of_any_size() {
    let (_store, graph) = store(&memory());
    fill(&graph);
    let budget = Budget::unlimited();
    let reader = GraphReader::new(&graph, &graph.catalogue(), &budget);
    let labels: Vec<Option<LabelId>> =
        std::iter::once(None).chain(graph.catalogue().vertex_labels().map(|label| Some(label.id))).collect();
    for label in labels {
        let listed = listed_vertices(&graph, label).unwrap();
        for rows_max in [1, 2, 1024] {
            assert_eq!(pulled(&mut *reader.scan_vertices(label).unwrap(), rows_max), listed);
        }
    }
    let edges = listed_edges(&graph, None, None).unwrap();
    for rows_max in [1, 2, 1024] {
        assert_eq!(pulled(&mut *reader.scan_edges(None).unwrap(), rows_max), edges);
    }
    let first = Lookup { limit: Some(3), ..Lookup::default() };
    assert_eq!(pulled(&mut *reader.find_edges(first).unwrap(), 2), edges[..3]);
}

/// Everything a cursor gives, in batches of at most `rows_max`.
fn pulled<T>(cursor: &mut dyn Cursor<T>, rows_max: usize) -> Vec<T> {
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    loop {
        cursor.next_batch(&mut batch, rows_max).unwrap();
        assert!(batch.len() <= rows_max, "{} rows in a batch of {rows_max}", batch.len());
        if batch.is_empty() {
            return all;
        }
        all.append(&mut batch);
    }
}
