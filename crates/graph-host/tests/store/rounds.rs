//! How many calls of the engine does a request cost? Over a network each is a round.

use std::sync::Arc;

use graph_access::{AccessError, Budget, EdgeRead, GraphRead, WalkRead, drain};
use graph_host::{HostedGraph, PurgeOptions, StoreOptions};
use graph_model::{Direction, EdgeId, VertexId};
use graph_schema::{Literal, NewEdge, NewVertex};
use graph_store::{GraphReader, Pending, Wait};
use kv::conformance::ScatteredEngine;
use traversal::{KOut, ShortestPath, Step, Traversal, k_out, shortest_path};

use crate::cluster::until;
use crate::fixture::*;
use crate::parked::{ParkedEngine, Rounds};

const BATCH: i64 = 500;

fn numbered(id: i64) -> NewVertex<'static> {
    vertex("numbered", Some(Literal::Integer(id)))
}

#[test]
fn a_batch_costs_as_many_rounds_as_one_element() {
    let engine = Arc::new(ParkedEngine::new(memory()));
    let (_store, graph) = store(&engine);
    crate::common::define_schema(&graph);
    let vertices: Vec<_> = (0..BATCH).map(numbered).collect();
    engine.rounds();
    insert(&graph, &vertices).unwrap();
    assert_eq!(engine.rounds(), Rounds { reads: 0, writes: 1 }, "{BATCH} vertices");
    let edges: Vec<NewEdge<'_>> = (0..BATCH)
        .map(|id| edge("loops", ("numbered", Literal::Integer(id)), ("numbered", Literal::Integer((id + 1) % BATCH))))
        .collect();
    connect(&graph, &edges).unwrap();
    assert_eq!(engine.rounds(), Rounds { reads: 1, writes: 1 }, "{BATCH} edges with both ends checked");
    connect(&graph, edges.get(..1).unwrap()).unwrap();
    assert_eq!(engine.rounds(), Rounds { reads: 1, writes: 1 }, "one edge with both ends checked");
}

fn loops(source: i64, target: i64) -> NewEdge<'static> {
    edge("loops", ("numbered", Literal::Integer(source)), ("numbered", Literal::Integer(target)))
}

/// A graph as on a cluster, with a tree in which each of the vertices of the first layers has `width` children.
fn tree(width: i64, layers: u32) -> (graph_host::Store, Arc<HostedGraph>, Arc<ParkedEngine>) {
    let engine = Arc::new(ParkedEngine::new(Arc::new(ScatteredEngine::open(key_codec::tables::TABLES))));
    let (store, graph) = store(&engine);
    crate::common::define_schema(&graph);
    let (mut first, mut last) = (0, 0);
    insert(&graph, &[numbered(0)]).unwrap();
    for _ in 0..layers {
        let children: Vec<i64> = (last + 1..=last + (last - first + 1) * width).collect();
        let edges = children.iter().map(|child| loops(first + (child - last - 1) / width, *child));
        let vertices: Vec<_> = children.iter().copied().map(numbered).collect();
        vertices.chunks(500).for_each(|some| drop(insert(&graph, some).unwrap()));
        edges.collect::<Vec<_>>().chunks(500).for_each(|some| drop(connect(&graph, some).unwrap()));
        (first, last) = (last + 1, last + i64::try_from(children.len()).unwrap());
    }
    engine.rounds();
    (store, graph, engine)
}

/// The store again, without memory for rows.
fn reopened(engine: &Arc<ParkedEngine>) -> (graph_host::Store, Arc<HostedGraph>) {
    let purge = PurgeOptions { interval: None, ..PurgeOptions::default() };
    let options = StoreOptions { row_cache_bytes: 0, purge, ..StoreOptions::default() };
    let store = graph_host::Store::open(Arc::<ParkedEngine>::clone(engine) as Arc<dyn kv::Engine>, options).unwrap();
    let graph = graph(&store);
    // Writes wait until this server is known to be alone.
    assert!(graph.writer().delete_vertex(&VertexId::Number(-1), Wait::Allowed).is_err());
    engine.rounds();
    (store, graph)
}

/// The rounds of what reads.
fn rounds_of(graph: &HostedGraph, engine: &ParkedEngine, read: impl FnOnce(&GraphReader<'_>)) -> usize {
    let budget = Budget::unlimited();
    read(&GraphReader::new(graph, &graph.catalogue(), &budget));
    let Rounds { reads, writes } = engine.rounds();
    assert_eq!(writes, 0);
    reads
}

#[test]
fn a_walk_costs_a_round_for_each_frontier() {
    let (_store, graph, engine) = tree(20, 3);
    let out = Step { direction: Direction::Out, ..Step::default() };
    let both = Step::default();
    let walked = |step: &Step, depth, found| {
        rounds_of(&graph, &engine, |reader| {
            assert!(reader.is_remote());
            let mut traversal = Traversal::new(reader, "vertices", usize::MAX);
            let root = traversal.node(VertexId::Number(0)).unwrap();
            let query = KOut { limit: Some(10_000_000), ..KOut::new(step, depth) };
            assert_eq!(k_out(&mut traversal, root, &query).unwrap().nodes.len(), found);
        })
    };
    for (depth, found) in [(1, 20), (2, 400), (3, 8_000)] {
        for step in [&out, &both] {
            graph.forget_neighbours();
            assert_eq!(walked(step, depth, found), usize::try_from(depth).unwrap(), "directions are read at once");
        }
    }
    let root = || {
        rounds_of(&graph, &engine, |reader| {
            Traversal::new(reader, "vertices", usize::MAX).existing("source", &VertexId::Number(0)).unwrap();
        })
    };
    let ids = [900, 901, 902].map(VertexId::Number);
    let listed = || {
        rounds_of(&graph, &engine, |reader| {
            let vertices = ids.each_ref().map(|id| ("listed", id));
            let nodes = Traversal::new(reader, "vertices", usize::MAX).all_existing(&vertices).unwrap();
            assert_eq!(nodes.len(), ids.len());
        })
    };
    assert!(listed() <= 1, "all of them at once");
    until("knowing that a vertex exists, as a server that is alone does", || root() == 0);
    until("keeping what was read, as a server that is alone does", || walked(&both, 3, 8_000) == 0);
    graph.forget_neighbours();
    let found = rounds_of(&graph, &engine, |reader| {
        let mut traversal = Traversal::new(reader, "vertices", usize::MAX);
        let [from, to] = [421, 8_420].map(|id| traversal.node(VertexId::Number(id)).unwrap());
        let query = ShortestPath { step: &both, depth: 6, capacity: None };
        assert_eq!(shortest_path(&mut traversal, from, to, &query).unwrap().unwrap().nodes.len(), 7);
    });
    assert_eq!(found, 6, "three frontiers from each end");
}

#[test]
fn many_owners_are_read_some_at_a_time() {
    let (_store, graph, engine) = tree(20, 3);
    let owners: Vec<VertexId> = (0..=8_420).map(VertexId::Number).collect();
    let owners: Vec<&VertexId> = owners.iter().collect();
    let mut edges = vec![Vec::new(); owners.len()];
    let found = rounds_of(&graph, &engine, |reader| {
        let read = EdgeRead { direction: Direction::Both, labels: None, limit: None, properties: false };
        drain(&mut *reader.edges_of(&owners, read).unwrap(), |edge| {
            edges[edge.owner].push((edge.outgoing, edge.other));
            Ok::<_, AccessError>(())
        })
        .unwrap();
    });
    // Two parts, as there are 25,263 partitions in each direction. After 16,384 of the 16,840 edges a scan stops: then
    // the rest of a partition is read, and the rest of the list.
    assert_eq!(found, 4);
    for (owner, found) in (0i64..).zip(&edges) {
        let children = if owner <= 420 { 20 } else { 0 };
        let outgoing = (owner * 20 + 1..=owner * 20 + children).map(|child| (true, VertexId::Number(child)));
        let incoming = (owner > 0).then(|| (false, VertexId::Number((owner - 1) / 20)));
        assert_eq!(*found, outgoing.chain(incoming).collect::<Vec<_>>(), "of vertex {owner}");
    }
}

#[test]
fn what_single_requests_cost_on_a_cluster() {
    let (store, graph, engine) = tree(3, 1);
    let ids: Vec<VertexId> = (0..4).map(VertexId::Number).collect();
    let label = edge_label_id(&graph, "loops");
    let edge = EdgeId { label, source: ids[0].clone(), sort_values: "".into(), target: ids[2].clone() };
    let reads = |graph: &HostedGraph| {
        let vertices = |reader: &GraphReader<'_>| reader.vertices(&ids).unwrap().iter().all(Option::is_some);
        let edge = |reader: &GraphReader<'_>| reader.edges(std::slice::from_ref(&edge)).unwrap()[0].is_some();
        let rounds_of_vertices = rounds_of(graph, &engine, |reader| assert!(vertices(reader)));
        (rounds_of_vertices, rounds_of(graph, &engine, |reader| assert!(edge(reader))))
    };
    assert_eq!(reads(&graph), (0, 0), "a server that is alone keeps the rows it writes");
    drop((store, graph));
    let (_store, graph) = reopened(&engine);
    assert_eq!(reads(&graph), (1, 1));
    assert_eq!(reads(&graph), (1, 1), "without memory for rows");

    let wrote = |what: &str, write: &dyn Fn()| {
        write();
        (what.to_owned(), engine.rounds())
    };
    let rounds = |reads, writes| Rounds { reads, writes };
    let all = [
        wrote("a vertex", &|| drop(insert(&graph, &[numbered(9)]).unwrap())),
        wrote("an edge, ends checked", &|| drop(connect(&graph, &[loops(9, 1)]).unwrap())),
        wrote("deleting an edge", &|| {
            graph.writer().delete_edge(&edge, Wait::Allowed).and_then(Pending::wait).unwrap();
        }),
        wrote("deleting a vertex", &|| {
            graph.writer().delete_vertex(&VertexId::Number(9), Wait::Allowed).and_then(Pending::wait).unwrap();
        }),
    ];
    let expected = [
        ("a vertex", rounds(0, 1)),
        ("an edge, ends checked", rounds(1, 1)),
        ("deleting an edge", rounds(1, 1)),
        // The vertex, its edges of all labels in both directions.
        ("deleting a vertex", rounds(2, 1)),
    ];
    assert_eq!(all, expected.map(|(what, rounds)| (what.to_owned(), rounds)));
}

/// Who swallows the error of a read, as the planner of Cypher does with figures, asks so whether to keep what it made.
#[test]
fn a_reader_says_that_a_read_was_refused() {
    let (store, graph, engine) = tree(3, 1);
    drop((store, graph));
    let (_store, graph) = reopened(&engine);
    let budget = Budget::unlimited();
    let reader = GraphReader::new(&graph, &graph.catalogue(), &budget);
    let ids = [VertexId::Number(0)];
    let ((before, read, after), refused) =
        kv::without_waiting(|| (reader.check().is_ok(), reader.vertices(&ids).is_ok(), reader.check().is_ok()));
    assert_eq!((before, read, after, refused), (true, false, false, true));
    assert!(reader.check().is_ok() && reader.vertices(&ids).unwrap()[0].is_some(), "here it may wait");
}

#[test]
fn the_edges_of_a_vertex_cost_a_round() {
    let engine = Arc::new(ParkedEngine::new(Arc::new(ScatteredEngine::open(key_codec::tables::TABLES))));
    let (_store, graph) = store(&engine);
    crate::common::define_schema(&graph);
    let ids: Vec<_> = (0..3_000).map(numbered).collect();
    ids.chunks(500).for_each(|some| drop(insert(&graph, some).unwrap()));
    let listed = |id: i64, direction| {
        engine.rounds();
        let edges = listed_edges(&graph, None, Some((VertexId::Number(id), direction))).unwrap();
        (edges, engine.rounds().reads)
    };
    let (edges, reads) = listed(0, Direction::Both);
    assert_eq!((edges, reads), (Vec::new(), 1), "no edges at all, of three labels in two directions");

    let stored: Vec<_> = (1..3_000).map(|other| loops(0, other)).collect();
    stored.chunks(500).for_each(|some| drop(connect(&graph, some).unwrap()));
    let targets = |edges: &[graph_model::Edge]| edges.iter().map(|edge| edge.id.target.clone()).collect::<Vec<_>>();
    let (edges, reads) = listed(0, Direction::Out);
    assert_eq!(targets(&edges), (1..3_000).map(VertexId::Number).collect::<Vec<_>>());
    // 1,024 edges, then the rest of the partition, then the labels behind it.
    assert_eq!(reads, 3);
    assert_eq!(listed(1, Direction::Both).1, 1);

    // Page by page it is the same.
    let (mut token, mut paged) = (String::new(), Vec::new());
    loop {
        let query = graph_store::EdgeQuery {
            label: None,
            vertex: Some((VertexId::Number(0), Direction::Both)),
            conditions: graph_schema::Conditions::default(),
            range: graph_store::Range::Page { token, limit: Some(700) },
        };
        let found = graph.reader().list_edges(&query, &Budget::unlimited(), &mut |edge| {
            paged.push(edge.clone());
            std::ops::ControlFlow::Continue(())
        });
        let Some(next) = found.unwrap().next else { break };
        token = next;
    }
    assert_eq!(paged, edges);

    // A vertex with very many edges is removed in parts.
    let removed = graph.writer().delete_vertex(&VertexId::Number(0), Wait::Allowed).and_then(Pending::wait);
    removed.unwrap();
    assert_eq!(listed(1, Direction::Both).0, Vec::new());
}
