//! Does what is kept of neighbours for walks agree with what is stored? After every series of writes, and while threads
//! write.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use adjacency::{ColumnOf, NumberLists, Wanted};
use graph_access::{Budget, EdgeRead, GraphRead, GraphWrite, WalkRead, drain};
use graph_host::{Clear, HostedGraph, Store, StoreOptions};
use graph_maintenance::limits::EXPIRY_BATCH_ELEMENTS_MAX;
use graph_model::{Cardinality, DataType, Direction, EdgeId, IdStrategy, LabelId, Value, VertexId};
use graph_schema::{Catalogue, Literal, NewEdge, NewEdgeLabel, NewVertex, NewVertexLabel};
use graph_store::{GraphReader, Pending, StoreError, Wait};
use kv::MemoryEngine;
use proptest::prelude::*;
use traversal::Traversal;

use crate::fixture::*;

/// Labels of edges; the last one's edges expire.
const EDGES: [&str; 3] = ["knows", "likes", "flash"];
/// Far in the future, so that nothing here expires by the real clock.
const BASE_MS: i64 = 4_000_000_000_000;
const TTL_MS: i64 = 1_000;
const VERTICES: i64 = 5;

fn define(graph: &HostedGraph) {
    graph.schema().create_property_key(&property_key("born", DataType::Date, Cardinality::Single)).unwrap();
    graph.schema().create_property_key(&property_key("at", DataType::Int, Cardinality::Single)).unwrap();
    graph.schema().create_vertex_label(&vertex_label("thing", IdStrategy::CustomizeNumber)).unwrap();
    graph.schema().create_property_key(&property_key("score", DataType::Int, Cardinality::Single)).unwrap();
    let tag = vertex_label("tag", IdStrategy::CustomizeNumber);
    let score = vec!["score".to_owned()];
    let tag = NewVertexLabel { properties: score.clone(), nullable_keys: score, ..tag };
    graph.schema().create_vertex_label(&tag).unwrap();
    EDGES.iter().for_each(|name| define_edges(graph, name));
}

fn define_edges(graph: &HostedGraph, name: &str) {
    let mut label = edge_label(name, "thing", "thing");
    if name == "likes" {
        let sort_keys = vec!["at".to_owned()];
        label = NewEdgeLabel { properties: sort_keys.clone(), sort_keys, ..label };
        label.frequency = Some(graph_schema::Frequency::Multiple);
    }
    if name == "flash" {
        let ttl_start_time = Some("born".to_owned());
        label = NewEdgeLabel { properties: vec!["born".to_owned()], ttl_ms: TTL_MS, ttl_start_time, ..label };
    }
    graph.schema().create_edge_label(&label).unwrap();
}

fn new_edge(label: usize, source: i64, target: i64, at: i64) -> NewEdge<'static> {
    let properties = match label {
        1 => properties(&[("at", Literal::Integer(at % 3))]),
        2 => properties(&[("born", Literal::Integer(BASE_MS + at))]),
        _ => vec![],
    };
    let end = |id| ("thing", Literal::Integer(id));
    NewEdge { properties, ..edge(EDGES[label], end(source), end(target)) }
}

/// A reader that has numbers: where there is little memory, many have none after one for whom it was too small.
fn reader_by_numbers<'r>(graph: &'r HostedGraph, catalogue: &'r Arc<Catalogue>, budget: &'r Budget) -> GraphReader<'r> {
    let mut readers = (0..100_000).map(|_| GraphReader::new(graph, catalogue, budget));
    readers.find(|reader| reader.numbered().is_some()).unwrap()
}

/// What rows say, and what numbers say: in memory, then read, then in memory again.
fn agree(graph: &HostedGraph, vertices: i64, wanted: Wanted<'_>) -> Result<(), TestCaseError> {
    let budget = Budget::unlimited();
    let catalogue = graph.catalogue();
    let reader = reader_by_numbers(graph, &catalogue, &budget);
    let numbered = reader.numbered().unwrap();
    let ids: Vec<VertexId> = (0..vertices).map(VertexId::Number).collect();
    let Wanted { direction, labels, limit } = wanted;
    let (mut stored, mut edges) = (vec![Vec::new(); ids.len()], vec![Vec::new(); ids.len()]);
    let owners: Vec<&VertexId> = ids.iter().collect();
    let read = EdgeRead { direction, labels, limit, properties: false };
    drain(&mut *reader.edges_of(&owners, read).unwrap(), |edge| {
        edges[edge.owner].push((edge.other.clone(), edge.label, edge.outgoing, edge.sort_values));
        stored[edge.owner].push(edge.other);
        Ok::<_, graph_access::AccessError>(())
    })
    .unwrap();
    let numbers: Vec<u32> = ids.iter().map(|id| numbered.number(id).unwrap()).collect();
    let shown = |list: &[u32]| list.iter().map(|number| numbered.id(*number).unwrap().clone()).collect::<Vec<_>>();
    for round in 0..2 {
        for (at, number) in numbers.iter().enumerate() {
            // Edges to all vertices but one.
            let is_wanted = |other: u32| other != numbers[round];
            let mut found = Vec::new();
            numbered.edges_between(*number, wanted, &is_wanted, &mut found).unwrap();
            let found: Vec<_> = found
                .into_iter()
                .map(|edge| (numbered.id(edge.other).unwrap().clone(), edge.label, edge.outgoing, edge.sort_values))
                .collect();
            let expected: Vec<_> = edges[at].iter().filter(|(other, ..)| *other != ids[round]).cloned().collect();
            prop_assert_eq!(found, expected, "edges of vertex {}, round {}, {:?}", at, round, wanted);
        }
        let mut lists = NumberLists::default();
        numbered.at_hand(&numbers, wanted, &mut lists).unwrap();
        for (at, list) in lists.iter().enumerate().filter(|(at, _)| !lists.missed.contains(at)) {
            prop_assert_eq!(shown(list), stored[at].clone(), "vertex {} in memory, round {}, {:?}", at, round, wanted);
        }
        lists.clear();
        numbered.read(&numbers, wanted, &mut lists).unwrap();
        let read: Vec<Vec<VertexId>> = lists.iter().map(shown).collect();
        prop_assert_eq!(&read, &stored, "{:?}", wanted);
        if limit.is_none() {
            let mut degrees = Vec::new();
            numbered.degrees(&numbers, direction, labels, &mut degrees).unwrap();
            // A loop is at both ends of its vertex.
            let is_second =
                |at: usize, other: &VertexId, out: bool| direction == Direction::Both && !out && *other == ids[at];
            let counted = edges.iter().enumerate().map(|(at, list)| {
                list.iter().filter(|(other, _, outgoing, _)| !is_second(at, other, *outgoing)).count()
            });
            prop_assert_eq!(degrees, counted.collect::<Vec<_>>(), "{:?}", wanted);
        }
        for label in ["thing", "tag"] {
            prop_assert_eq!(members(&reader, label), scanned(&reader, label), "{}, round {}", label, round);
        }
    }
    Ok(())
}

/// What rows say of labels and of a property, and what columns say: in memory, then read, then in memory again.
fn values_agree(graph: &HostedGraph) -> Result<(), TestCaseError> {
    let budget = Budget::unlimited();
    let catalogue = graph.catalogue();
    let reader = reader_by_numbers(graph, &catalogue, &budget);
    let numbered = reader.numbered().unwrap();
    let ids: Vec<VertexId> = (0..VERTICES).chain(99..105).map(VertexId::Number).collect();
    let numbers: Vec<u32> = ids.iter().map(|id| numbered.number(id).unwrap()).collect();
    let score = catalogue.property_key_named("score").unwrap().id;
    let stored = reader.vertices(&ids).unwrap();
    let labels: Vec<_> = stored.iter().map(|own| own.as_ref().map(|own| adjacency::value_of(own.label))).collect();
    let scores: Vec<_> = stored.iter().map(|own| own.as_ref()?.properties.get(score).cloned()).collect();
    let (of, expected) = ([ColumnOf::Label, ColumnOf::Property(score)], [labels, scores]);
    for round in 0..2 {
        for (of, expected) in of.iter().zip(&expected) {
            let column = numbered.column(*of).unwrap();
            for (number, value) in numbers.iter().zip(expected) {
                let known = column.get(*number, |value| value.cloned());
                prop_assert!(known.is_none_or(|known| known == *value), "{:?} in memory, round {}", of, round);
            }
        }
        let mut read = [Vec::new(), Vec::new()];
        numbered.fill(&of, &numbers, &mut |_, column, value| read[column].push(value.cloned())).unwrap();
        prop_assert_eq!(&read, &expected, "round {}", round);
    }
    Ok(())
}

/// The vertices of a label by numbers.
fn members(reader: &GraphReader<'_>, label: &str) -> Vec<VertexId> {
    let label = reader.catalogue().vertex_label_named(label).unwrap().id;
    let numbered = reader.numbered().unwrap();
    let numbers = numbered.members(label).unwrap().unwrap();
    numbers.iter().map(|number| numbered.id(*number).unwrap().clone()).collect()
}

fn scanned(reader: &GraphReader<'_>, label: &str) -> Vec<VertexId> {
    let label = reader.catalogue().vertex_label_named(label).unwrap().id;
    let mut ids = Vec::new();
    drain(&mut *reader.scan_vertices(Some(label)).unwrap(), |vertex| {
        ids.push(vertex.id);
        Ok::<_, graph_access::AccessError>(())
    })
    .unwrap();
    ids
}

#[derive(Clone, Debug)]
enum Step {
    Insert(Vec<(usize, i64, i64, i64)>),
    Transaction(Vec<(usize, i64, i64, i64)>, Option<i64>),
    DeleteEdge(usize, i64, i64, i64),
    DeleteVertex(i64),
    /// Puts a tag, an even score of which is left out, or removes it.
    Tag(i64, Option<i64>),
    Purge(i64),
    RemoveLabel(usize),
    Clear(bool),
    Walk(Direction, Vec<usize>, Option<u64>),
}

fn step() -> impl Strategy<Value = Step> {
    let edge = || (0..3usize, 0..VERTICES, 0..VERTICES, 0..3i64);
    let direction = prop_oneof![Just(Direction::Out), Just(Direction::In), Just(Direction::Both)];
    prop_oneof![
        6 => prop::collection::vec(edge(), 1..4).prop_map(Step::Insert),
        2 => (prop::collection::vec(edge(), 1..4), prop::option::of(0..VERTICES))
            .prop_map(|(edges, vertex)| Step::Transaction(edges, vertex)),
        3 => edge().prop_map(|(label, source, target, at)| Step::DeleteEdge(label, source, target, at)),
        1 => (0..VERTICES).prop_map(Step::DeleteVertex),
        3 => (100..104i64, prop::option::of(0..6i64)).prop_map(|(id, score)| Step::Tag(id, score)),
        1 => (0..3i64).prop_map(Step::Purge),
        1 => (0..3usize).prop_map(Step::RemoveLabel),
        1 => any::<bool>().prop_map(Step::Clear),
        10 => (direction, prop::sample::subsequence(vec![0, 1, 2], 0..3), prop::option::of(0u64..5))
            .prop_map(|(direction, labels, limit)| Step::Walk(direction, labels, limit)),
    ]
}

fn insert_all(graph: &HostedGraph) {
    let vertices: Vec<_> = (0..VERTICES).map(|id| vertex("thing", Some(Literal::Integer(id)))).collect();
    insert(graph, &vertices).unwrap();
}

/// Whether a walk may begin at a vertex.
fn exists(graph: &HostedGraph, id: i64) -> bool {
    let budget = Budget::unlimited();
    let reader = GraphReader::new(graph, &graph.catalogue(), &budget);
    Traversal::new(&reader, "vertices", usize::MAX).existing("source", &VertexId::Number(id)).is_ok()
}

fn edge_id(graph: &HostedGraph, (label, source, target, at): (usize, i64, i64, i64)) -> EdgeId {
    let sort_values = if label == 1 { graph_model::encode_number(at % 3) } else { String::new() };
    EdgeId {
        label: edge_label_id(graph, EDGES[label]),
        source: VertexId::Number(source),
        sort_values: sort_values.into(),
        target: VertexId::Number(target),
    }
}

fn apply(step: &Step, store: &Store) -> Result<(), TestCaseError> {
    let hosted = graph(store);
    let writer = hosted.writer();
    match step {
        Step::Insert(edges) => {
            let new: Vec<_> = edges.iter().map(|(label, a, b, at)| new_edge(*label, *a, *b, *at)).collect();
            connect(&hosted, &new).unwrap();
        }
        Step::Transaction(edges, vertex) => {
            let budget = Budget::unlimited();
            let mut transaction = Box::new(hosted.transaction(&budget));
            if let Some(id) = vertex {
                transaction.delete_vertex(&VertexId::Number(*id)).unwrap();
                transaction.insert_vertex(&self::vertex("thing", Some(Literal::Integer(*id)))).unwrap();
            }
            for (label, a, b, at) in edges {
                transaction.insert_edge(&new_edge(*label, *a, *b, *at)).unwrap();
            }
            transaction.commit().unwrap();
        }
        Step::DeleteEdge(label, a, b, at) => {
            let id = edge_id(&hosted, (*label, *a, *b, *at));
            let _may_not_exist = writer.delete_edge(&id, Wait::Allowed).and_then(Pending::wait);
        }
        Step::DeleteVertex(id) => {
            // An edge to it is refused from now on, also while its label is in memory.
            let remove =
                || writer.delete_vertex(&VertexId::Number(*id), Wait::Allowed).and_then(Pending::wait).unwrap();
            let new = [new_edge(0, (id + 1) % VERTICES, *id, 0)];
            connect(&hosted, &new).unwrap();
            prop_assert!((0..3).all(|_| exists(&hosted, *id)));
            remove();
            prop_assert!(!exists(&hosted, *id));
            let outcome = connect(&hosted, &new);
            prop_assert!(matches!(outcome, Err(StoreError::EndNotFound { .. })), "{:?}", outcome);
            insert(&hosted, &[vertex("tag", Some(Literal::Integer(*id)))]).unwrap();
            for _ in 0..2 {
                let outcome = connect(&hosted, &new);
                prop_assert!(matches!(outcome, Err(StoreError::EndLabel { .. })), "{:?}", outcome);
            }
            remove();
            insert_all(&hosted);
        }
        Step::Tag(id, Some(score)) => {
            let own = if score % 2 == 0 { vec![] } else { properties(&[("score", Literal::Integer(*score))]) };
            insert(&hosted, &[NewVertex { properties: own, ..vertex("tag", Some(Literal::Integer(*id))) }]).unwrap();
        }
        Step::Tag(id, None) => {
            let gone = writer.delete_vertex(&VertexId::Number(*id), Wait::Allowed);
            let _may_not_exist = gone.and_then(Pending::wait);
        }
        Step::Purge(at) => {
            let now = BASE_MS + TTL_MS + at;
            graph_maintenance::purge(&hosted, EXPIRY_BATCH_ELEMENTS_MAX, now, || false, drop).unwrap();
        }
        Step::RemoveLabel(label) => {
            ended(&hosted, hosted.jobs().remove_edge_label(EDGES[*label]).unwrap());
            define_edges(&hosted, EDGES[*label]);
        }
        Step::Clear(everything) => {
            let clear = if *everything { Clear::Everything } else { Clear::Data };
            store.clear_graph("hugegraph", clear).unwrap();
            let hosted = graph(store);
            if *everything {
                define(&hosted);
            }
            insert_all(&hosted);
        }
        Step::Walk(direction, labels, limit) => {
            let ids: Vec<LabelId> = labels.iter().map(|label| edge_label_id(&hosted, EDGES[*label])).collect();
            let labels = (!ids.is_empty()).then_some(&ids[..]);
            agree(&hosted, VERTICES, Wanted { direction: *direction, labels, limit: *limit })?;
            values_agree(&hosted)?;
        }
    }
    Ok(())
}

fn open_with(adjacency_cache_bytes: usize) -> Store {
    let engine: Arc<dyn kv::Engine> = memory();
    let mut options = StoreOptions::default();
    options.graph.adjacency_cache_bytes = adjacency_cache_bytes;
    options.purge.interval = None;
    Store::open(engine, options).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn numbers_say_what_rows_say(steps in prop::collection::vec(step(), 1..40), is_small: bool) {
        let store = open_with(if is_small { 24 << 10 } else { 1 << 20 });
        define(&graph(&store));
        insert_all(&graph(&store));
        for step in &steps {
            apply(step, &store)?;
        }
        for direction in [Direction::Out, Direction::In, Direction::Both] {
            agree(&graph(&store), VERTICES, Wanted { direction, labels: None, limit: None })?;
        }
        values_agree(&graph(&store))?;
    }
}

#[test]
fn nothing_is_kept_where_it_is_turned_off() {
    let store = open_with(0);
    define(&graph(&store));
    let hosted = graph(&store);
    let budget = Budget::unlimited();
    assert!(GraphReader::new(&hosted, &hosted.catalogue(), &budget).numbered().is_none());
    assert_eq!(store.adjacency(), adjacency::Figures::default());
}

#[test]
fn what_walks_have_read_of_many_is_read_of_the_others_before_they_ask() {
    const PEOPLE: i64 = 3_000;
    let walked = |store: &Store| {
        let hosted = graph(store);
        define(&hosted);
        let things: Vec<_> = (0..PEOPLE).map(|id| vertex("thing", Some(Literal::Integer(id)))).collect();
        insert(&hosted, &things).unwrap();
        // A chain, and a second kind of edges that nobody follows.
        for label in [0, 1] {
            let edges: Vec<_> = (1..PEOPLE).map(|id| new_edge(label, id - 1, id, 0)).collect();
            connect(&hosted, &edges).unwrap();
        }
        let knows = hosted.catalogue().edge_label_named("knows").unwrap().id;
        // The first 400 are walked from; 400 and one have numbers.
        let walk = |ids: std::ops::Range<i64>| {
            let budget = Budget::unlimited();
            let reader = GraphReader::new(&hosted, &hosted.catalogue(), &budget);
            let numbered = reader.numbered().unwrap();
            let numbers: Vec<u32> = ids.map(|id| numbered.number(&VertexId::Number(id)).unwrap()).collect();
            let wanted = Wanted { direction: Direction::Out, labels: Some(&[knows]), limit: None };
            let mut lists = NumberLists::default();
            numbered.at_hand(&numbers, wanted, &mut lists).unwrap();
            let missed = lists.missed.len();
            if missed > 0 {
                numbered.read(&numbers, wanted, &mut NumberLists::default()).unwrap();
            }
            missed
        };
        assert_eq!((walk(0..200), walk(200..400)), (200, 200));
        let before = store.adjacency();
        store.read_ahead();
        let after = store.adjacency();
        assert_eq!((after.hits, after.misses), (before.hits, before.misses), "nobody asked");
        (after.vertices, walk(400..PEOPLE))
    };
    let all = u64::try_from(PEOPLE).unwrap();
    assert_eq!(walked(&open_with(4 << 20)), (all, 0), "as far as the edges lead");
    let (vertices, missed) = walked(&open_with(500 << 10));
    assert!(vertices < all && missed > 0, "{vertices} vertices although half of the memory is in use");
}

/// Seconds a longer run takes, by the environment; else a fraction of one.
fn run_time() -> Duration {
    let seconds = std::env::var("RHIZOME_LONG_TEST_SECONDS").ok().and_then(|text| text.parse().ok());
    seconds.map_or(Duration::from_millis(700), Duration::from_secs)
}

/// The neighbours of a vertex by numbers.
pub(crate) fn neighbours(graph: &HostedGraph, id: i64) -> Vec<VertexId> {
    let budget = Budget::unlimited();
    let reader = GraphReader::new(graph, &graph.catalogue(), &budget);
    let Some(numbered) = reader.numbered() else {
        // Another thread is the first to walk this graph.
        let id = VertexId::Number(id);
        let read = EdgeRead { direction: Direction::Both, labels: None, limit: None, properties: false };
        let mut found = Vec::new();
        drain(&mut *reader.edges_of(&[&id], read).unwrap(), |edge| {
            found.push(edge.other);
            Ok::<_, graph_access::AccessError>(())
        })
        .unwrap();
        return found;
    };
    let number = numbered.number(&VertexId::Number(id)).unwrap();
    let wanted = Wanted { direction: Direction::Both, labels: None, limit: None };
    let mut lists = NumberLists::default();
    numbered.at_hand(&[number], wanted, &mut lists).unwrap();
    if !lists.missed.is_empty() {
        lists.clear();
        numbered.read(&[number], wanted, &mut lists).unwrap();
    }
    lists.numbers.iter().map(|number| numbered.id(*number).unwrap().clone()).collect()
}

/// The score of a tag as the column of scores has it, which is read where it has none.
fn score_of(graph: &HostedGraph, id: &VertexId) -> Option<Value> {
    let budget = Budget::unlimited();
    let catalogue = graph.catalogue();
    let reader = GraphReader::new(graph, &catalogue, &budget);
    let score = catalogue.property_key_named("score").unwrap().id;
    let Some(numbered) = reader.numbered() else {
        return reader.vertices(std::slice::from_ref(id)).unwrap().pop()??.properties.get(score).cloned();
    };
    let number = numbered.number(id).unwrap();
    let of = ColumnOf::Property(score);
    if let Some(known) = numbered.column(of).unwrap().get(number, |value| value.cloned()) {
        return known;
    }
    let mut found = None;
    numbered.fill(&[of], &[number], &mut |_, _, value| found = value.cloned()).unwrap();
    found
}

/// The same write again until no other one is in its way.
fn insist<T>(mut write: impl FnMut() -> Result<Pending<T>, StoreError>) -> T {
    loop {
        match write() {
            Err(StoreError::Contended) => std::thread::yield_now(),
            other => return other.and_then(Pending::wait).unwrap(),
        }
    }
}

#[test]
fn a_write_that_was_acknowledged_is_seen_by_every_walk() {
    let engine: Arc<MemoryEngine> = memory();
    let (store, hosted) = store(&engine);
    define(&hosted);
    let things =
        |ids: std::ops::Range<i64>| ids.map(|id| vertex("thing", Some(Literal::Integer(id)))).collect::<Vec<_>>();
    insert(&hosted, &things(0..40)).unwrap();
    let (stop, rounds) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        // Each writer owns the edges from its vertex to a target that all of them share.
        for writer in 0..3i64 {
            let (hosted, stop, rounds) = (&hosted, &stop, &rounds);
            scope.spawn(move || {
                let (own, target) = (10 + writer, 20);
                for round in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let other = 30 + round % 4;
                    insist(|| {
                        let new = [new_edge(0, own, target, 0), new_edge(1, own, other, 0)];
                        hosted.writer().insert_edges(&new, true, Wait::Never)
                    });
                    assert_eq!(neighbours(hosted, own), [target, other].map(VertexId::Number));
                    assert!(neighbours(hosted, target).contains(&VertexId::Number(own)));
                    let ids = [edge_id(hosted, (0, own, target, 0)), edge_id(hosted, (1, own, other, 0))];
                    insist(|| hosted.writer().delete_edge(&ids[0], Wait::Never));
                    assert_eq!(neighbours(hosted, own), [VertexId::Number(other)]);
                    assert!(!neighbours(hosted, target).contains(&VertexId::Number(own)));
                    insist(|| hosted.writer().delete_edge(&ids[1], Wait::Never));
                    assert_eq!(neighbours(hosted, own), []);
                    rounds.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        // Others write batches between some vertices, and to the target; they remove edges, and vertices with them.
        for writer in 0..2u64 {
            let (hosted, stop) = (&hosted, &stop);
            scope.spawn(move || {
                for round in 0u64.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let draw = |nth: u64, below: u64| {
                        let mixed = (round * 16 + nth * 2 + writer).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
                        i64::try_from(mixed % below).unwrap()
                    };
                    let edge =
                        |nth: u64| (usize::from(draw(nth, 2) > 0), draw(nth + 1, 10), draw(nth + 2, 11), draw(7, 3));
                    let edges: Vec<_> = [0, 2, 4]
                        .map(edge)
                        .map(|(label, a, b, at)| (label, a, if b == 10 { 20 } else { b }, at))
                        .into();
                    let new: Vec<_> = edges.iter().map(|(label, a, b, at)| new_edge(*label, *a, *b, *at)).collect();
                    // An end may have been removed by the other one.
                    let _inserted = hosted.writer().insert_edges(&new, true, Wait::Allowed).and_then(Pending::wait);
                    let id = edge_id(hosted, edges[0]);
                    let _may_be_gone = hosted.writer().delete_edge(&id, Wait::Allowed).and_then(Pending::wait);
                    if round % 8 == 0 {
                        let id = draw(6, 10);
                        let gone = hosted.writer().delete_vertex(&VertexId::Number(id), Wait::Allowed);
                        let _may_be_gone = gone.and_then(Pending::wait);
                        insert(hosted, &things(id..id + 1)).unwrap();
                    }
                }
            });
        }
        // Each owns a tag, and all read which tags there are.
        for writer in 0..2i64 {
            let (hosted, stop) = (&hosted, &stop);
            scope.spawn(move || {
                let tags = || {
                    let budget = Budget::unlimited();
                    let reader = GraphReader::new(hosted, &hosted.catalogue(), &budget);
                    if reader.numbered().is_some() { members(&reader, "tag") } else { scanned(&reader, "tag") }
                };
                let own = VertexId::Number(100 + writer);
                for round in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let properties = properties(&[("score", Literal::Integer(round % 1_000))]);
                    let tag = vertex("tag", Some(Literal::Integer(100 + writer)));
                    insert(hosted, &[NewVertex { properties, ..tag }]).unwrap();
                    assert!(tags().contains(&own));
                    assert_eq!(score_of(hosted, &own), Some(Value::Int(i32::try_from(round % 1_000).unwrap())));
                    insist(|| hosted.writer().delete_vertex(&own, Wait::Never));
                    assert!(!tags().contains(&own));
                    assert_eq!(score_of(hosted, &own), None);
                }
            });
        }
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                store.read_ahead();
            }
        });
        for _ in 0..2 {
            let (hosted, stop) = (&hosted, &stop);
            scope.spawn(move || {
                for round in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    neighbours(hosted, round % 34);
                }
            });
        }
        std::thread::sleep(run_time());
        stop.store(true, Ordering::Relaxed);
    });
    for direction in [Direction::Out, Direction::In, Direction::Both] {
        agree(&hosted, 40, Wanted { direction, labels: None, limit: None }).unwrap();
    }
    let figures = store.adjacency();
    assert!(rounds.into_inner() > 10 && figures.hits > 100, "{figures:?}");
}
