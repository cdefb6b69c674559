//! Snapshots: do they show one moment, come back as a whole, and survive whatever happens in between?

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use graph_access::Budget;
use graph_host::{Clear, GraphConf, HostedGraph, Store};
use graph_model::ErrorKind;
use graph_store::StoreError;
use key_codec::{GraphNumber, key, tables};
use kv::{Engine, Fault, FaultEngine, KvError};

use crate::fixture::*;
use crate::parked::ParkedEngine;

fn budget() -> Budget {
    Budget::unlimited()
}

/// Numbers of graphs that have rows.
fn numbers(engine: &dyn Engine) -> Vec<u32> {
    (1..20)
        .filter(|number| {
            let mut prefix = Vec::new();
            key::graph_prefix(&mut prefix, GraphNumber(*number));
            all_rows(engine).iter().any(|(_, rows)| rows.iter().any(|(key, _)| key.starts_with(&prefix)))
        })
        .collect()
}

/// Everything of a graph, without its number.
fn content(store: &Store, graph: &HostedGraph) -> String {
    let vertices = listed_vertices(graph, None).unwrap();
    let edges = listed_edges(graph, None, None).unwrap();
    let tasks = graph.jobs().tasks(|_| true, None, 0).unwrap();
    let _ = store;
    format!("{:?}\n{vertices:?}\n{edges:?}\n{tasks:?}", graph.catalogue().elements())
}

#[test]
fn a_snapshot_comes_back_as_it_was_and_leaves_others_alone() {
    let engine = memory();
    let (first, graph) = store(&engine);
    fill(&graph);
    ended(&graph, graph.jobs().remove_edge_label("many").unwrap());
    let other = first.create_graph("other", &GraphConf::new()).unwrap();
    fill(&other);
    let before = content(&first, &graph);
    assert_eq!(first.snapshot_created_ms("hugegraph").unwrap(), None);
    first.create_snapshot("hugegraph", &budget()).unwrap();
    assert!(first.snapshot_created_ms("hugegraph").unwrap().is_some());
    insert(&other, &[named("kept")]).unwrap();
    let other_before = content(&first, &other);

    // Whatever becomes of the graph: changed, emptied, opened by another process.
    insert(&graph, &[named("more")]).unwrap();
    ended(&graph, graph.jobs().remove_edge_label("loops").unwrap());
    first.resume_snapshot("hugegraph", &budget()).unwrap();
    assert_eq!(content(&first, &self::graph(&first)), before);
    assert!(matches!(insert(&graph, &[named("late")]), Err(StoreError::GraphCleared { .. })));
    first.clear_graph("hugegraph", Clear::Everything).unwrap();
    let second = open(&engine).unwrap();
    second.resume_snapshot("hugegraph", &budget()).unwrap();
    let third = open(&engine).unwrap();
    for store in [&second, &third] {
        assert_eq!(content(store, &self::graph(store)), before);
    }
    // Numbers of labels and tasks go on from where they were at the snapshot.
    let graph = self::graph(&third);
    assert_eq!(graph.jobs().remove_edge_label("loops").unwrap(), 2);
    assert_eq!(content(&third, &third.graph("other").unwrap()), other_before);
    third.settle();
    assert_eq!(numbers(&*engine).len(), 3, "the graph, its snapshot, the other graph");
}

#[test]
fn a_new_snapshot_replaces_the_old_one_and_goes_with_its_graph() {
    let engine = memory();
    let (store, _) = store(&engine);
    let graph = store.create_graph("g", &GraphConf::new()).unwrap();
    fill(&graph);
    store.create_snapshot("g", &budget()).unwrap();
    insert(&graph, &[named("second")]).unwrap();
    store.create_snapshot("g", &budget()).unwrap();
    store.settle();
    assert_eq!(numbers(&*engine).len(), 2);
    store.clear_graph("g", Clear::Everything).unwrap();
    store.resume_snapshot("g", &budget()).unwrap();
    assert_eq!(listed_vertices(&store.graph("g").unwrap(), None).unwrap().len(), 6);
    store.drop_graph("g").unwrap();
    store.settle();
    assert_eq!(numbers(&*engine), []);
    store.create_graph("g", &GraphConf::new()).unwrap();
    let error = store.resume_snapshot("g", &budget()).unwrap_err();
    assert!(matches!(error, StoreError::NoSnapshot { .. }), "{error}");
    assert_eq!(store.resume_snapshot("nosuch", &budget()).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn a_snapshot_of_a_dropped_graph_does_not_come_back_in_a_new_one_of_its_name() {
    for dropped in [false, true] {
        let inner = memory();
        let engine = Arc::new(ParkedEngine::new(Arc::clone(&inner)));
        let (store, _) = store(&engine);
        fill(&store.create_graph("g", &GraphConf::new()).unwrap());
        // The copy has its number and waits in its first write.
        engine.park(1);
        std::thread::scope(|scope| {
            let copying = scope.spawn(|| store.create_snapshot("g", &budget()));
            let parked = || {
                while engine.parked() == 0 {
                    std::thread::yield_now();
                }
            };
            parked();
            engine.park(1);
            engine.release();
            parked();
            if dropped {
                store.drop_graph("g").unwrap();
                store.create_graph("g", &GraphConf::new()).unwrap();
            } else {
                store.clear_graph("g", Clear::Everything).unwrap();
            }
            engine.release();
            let outcome = copying.join().unwrap();
            assert_eq!(matches!(outcome, Err(StoreError::GraphCleared { .. })), dropped, "{outcome:?}");
        });
        assert_eq!(store.snapshot_created_ms("g").unwrap().is_none(), dropped);
        store.settle();
        assert_eq!(numbers(&*inner).len(), usize::from(!dropped));
    }
}

#[test]
fn writers_at_work_are_seen_whole_or_not_at_all() {
    let engine = memory();
    let (store, graph) = store(&engine);
    fill(&graph);
    let (stop, written) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let (graph, stop, written) = (&graph, &stop, &written);
        scope.spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                let count = written.fetch_add(1, Ordering::Relaxed);
                let (a, b) = (format!("a{count}"), format!("b{count}"));
                insert(graph, &[keyed(&a), named(&b)]).unwrap();
                let target = text(&b);
                connect(graph, &[edge("to_named", ("keyed", text(&format!("1:{a}"))), ("named", target))]).unwrap();
            }
        });
        loop {
            let before = written.load(Ordering::Relaxed);
            store.create_snapshot("hugegraph", &budget()).unwrap();
            if before >= 50 {
                break;
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    store.resume_snapshot("hugegraph", &budget()).unwrap();
    let graph = self::graph(&store);
    let mut sources = 0;
    for vertex in listed_vertices(&graph, Some(vertex_label_id(&graph, "keyed"))).unwrap() {
        let edges = listed_edges(&graph, None, Some((vertex.id, graph_model::Direction::Out))).unwrap();
        sources += edges.len();
        for edge in edges {
            assert!(graph.reader().vertex(&edge.id.target).is_ok(), "an edge without its end");
        }
    }
    assert!(sources > 0);
    store.settle();
    let [out, into] = adjacency(&*engine);
    assert_eq!(out.len(), into.len());
}

#[test]
fn whichever_write_fails_the_graph_and_its_snapshot_stay_whole() {
    let io = KvError::Io { action: "writing", detail: "scripted".into() };
    for lost in [false, true] {
        for resume in [false, true] {
            let mut failed = 0;
            for nth in 1..40 {
                let inner = memory();
                let engine = Arc::new(FaultEngine::new(Arc::clone(&inner)));
                let (store, graph) = store(&engine);
                fill(&graph);
                store.create_snapshot("hugegraph", &budget()).unwrap();
                store.settle();
                insert(&graph, &[named("more")]).unwrap();
                let error = io.clone();
                engine.faults().inject(match lost {
                    true => Fault::LoseAcknowledgement { nth, error },
                    false => Fault::FailCommit { nth, error },
                });
                let outcome = match resume {
                    true => store.resume_snapshot("hugegraph", &budget()),
                    false => store.create_snapshot("hugegraph", &budget()),
                };
                failed += usize::from(outcome.is_err());
                engine.faults().clear();
                let now = self::graph(&store);
                let count = listed_vertices(&now, None).unwrap().len();
                match (resume, &outcome) {
                    (false, _) => assert_eq!(count, 6),
                    (true, Ok(())) => assert_eq!(count, 5),
                    (true, Err(_)) => assert!(count == 5 || count == 6),
                }
                insert(&now, &[named("goes on")]).unwrap();
                drop(store);
                let (after, again) = self::store(&inner);
                assert_eq!(listed_vertices(&again, None).unwrap().len(), count + 1, "a restart finds the same");
                assert_eq!(numbers(&*inner).len(), 2, "nothing else is left: {nth} {lost} {resume}");
                after.resume_snapshot("hugegraph", &budget()).unwrap();
                let kept = listed_vertices(&self::graph(&after), None).unwrap().len();
                assert!(kept == 5 || (!resume && kept == 6), "{kept}");
                if outcome.is_ok() && nth > 12 {
                    break;
                }
            }
            assert!(failed >= 4, "{failed} of the commits belonged to it");
        }
    }
}

/// A second store over the engine while the first is still at work is a process that was killed.
#[test]
fn a_copy_cut_short_is_removed_by_the_next_start() {
    let inner = memory();
    let engine = Arc::new(FaultEngine::new(Arc::clone(&inner)));
    let (_killed, graph) = store(&engine);
    fill(&graph);
    _killed.create_snapshot("hugegraph", &budget()).unwrap();
    _killed.settle();
    // The copy has begun and is half written when every commit fails: what a killed process leaves.
    for nth in 4..40 {
        engine.faults().inject(Fault::FailCommit { nth, error: KvError::Closed });
    }
    assert!(_killed.resume_snapshot("hugegraph", &budget()).is_err());
    _killed.settle();
    assert_eq!(numbers(&*inner).len(), 3);
    engine.faults().clear();
    let (after, graph) = store(&inner);
    assert_eq!(listed_vertices(&graph, None).unwrap().len(), 5);
    assert_eq!(numbers(&*inner).len(), 2);
    after.resume_snapshot("hugegraph", &budget()).unwrap();
    assert_eq!(listed_vertices(&self::graph(&after), None).unwrap().len(), 5);
}

#[test]
fn a_copy_stops_when_nobody_wants_it_any_more() {
    let engine = memory();
    let (store, graph) = store(&engine);
    fill(&graph);
    let cancelled = Budget::new(std::time::Duration::from_secs(60), Arc::new(AtomicBool::new(true)));
    assert!(matches!(store.create_snapshot("hugegraph", &cancelled), Err(StoreError::Cancelled)));
    store.settle();
    assert_eq!(numbers(&*engine), [1]);
    assert_eq!(store.snapshot_created_ms("hugegraph").unwrap(), None);
    assert!(matches!(store.compact_graph("hugegraph", &cancelled), Err(StoreError::Cancelled)));
    store.compact_graph("hugegraph", &budget()).unwrap();
    let count = listed_vertices(&graph, None).unwrap().len();
    assert_eq!(count, rows(&*engine, tables::VERTEX).len());
}
