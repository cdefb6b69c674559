//! Are the kept counts those of the elements? Whatever is written, fails, is removed, and over restarts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use graph_access::{Budget, GraphRead};
use graph_host::HostedGraph;
use graph_schema::NewVertexLabel;
use graph_store::{GraphReader, Pending, StoreError, Wait};
use kv::{Engine, Fault, FaultEngine, KvError};

use crate::fixture::*;
use crate::parked::ParkedEngine;

/// What is kept or counted, which must be what a walk over all elements finds: vertices, edges, and of each label.
fn check(graph: &HostedGraph) -> (u64, u64) {
    let budget = Budget::unlimited();
    let catalogue = graph.catalogue();
    let reader = GraphReader::new(graph, &catalogue, &budget);
    let of_vertices = |label| listed_vertices(graph, label).unwrap().len() as u64;
    let of_edges = |label| listed_edges(graph, label, None).unwrap().len() as u64;
    for label in catalogue.vertex_labels() {
        let count = of_vertices(Some(label.id));
        assert!(reader.known_vertex_count(label.id).is_none_or(|known| known == count), "{}", label.name);
        assert_eq!(reader.count_vertices(Some(label.id)).unwrap(), count, "{}", label.name);
    }
    for label in catalogue.edge_labels() {
        assert_eq!(reader.count_edges(Some(label.id)).unwrap(), of_edges(Some(label.id)), "{}", label.name);
    }
    let all = (reader.count_vertices(None).unwrap(), reader.count_edges(None).unwrap());
    assert_eq!(all, (of_vertices(None), of_edges(None)));
    all
}

fn knows(a: &str, b: &str) -> graph_schema::NewEdge<'static> {
    edge("to_named", ("keyed", text(a)), ("named", text(b)))
}

#[test]
fn counts_are_kept_without_reading_the_elements_again() {
    let engine = Arc::new(FaultEngine::new(memory()));
    let (_store, graph) = store(&engine);
    fill(&graph);
    let own = graph.catalogue().vertex_label_named("named").unwrap().id;
    let known = |label| {
        let budget = Budget::unlimited();
        GraphReader::new(&graph, &graph.catalogue(), &budget).known_vertex_count(label)
    };
    assert_eq!(known(own), None, "nobody has asked");
    let before = check(&graph);
    insert(&graph, &[named("x"), named("y"), named("x"), named("n")]).unwrap();
    engine.faults().inject(Fault::FailReads { error: KvError::Closed });
    let (budget, catalogue) = (Budget::unlimited(), graph.catalogue());
    let reader = GraphReader::new(&graph, &catalogue, &budget);
    assert_eq!((reader.count_vertices(None).unwrap(), reader.count_edges(None).unwrap()), (before.0 + 2, before.1));
    let label = catalogue.vertex_label_named("named").unwrap().id;
    let of_label = reader.count_vertices(Some(label)).unwrap();
    assert_eq!(reader.known_vertex_count(label), Some(of_label));
    engine.faults().clear();
    check(&graph);
}

#[test]
fn counts_hold_after_each_kind_of_write() {
    let engine = memory();
    let (_store, graph) = store(&engine);
    fill(&graph);
    check(&graph);
    connect(&graph, &[knows("1:a", "n"), knows("1:a", "n")]).unwrap();
    check(&graph);
    graph.writer().delete_vertex(&string_id("1:a"), Wait::Allowed).and_then(Pending::wait).unwrap();
    check(&graph);
    let budget = Budget::unlimited();
    let mut unit: Box<dyn graph_access::GraphWrite> = Box::new(graph.transaction(&budget));
    unit.insert_vertex(&named("t")).unwrap();
    unit.delete_vertex(&string_id("n")).unwrap();
    unit.insert_vertex(&named("n")).unwrap();
    unit.commit().unwrap();
    check(&graph);
}

#[test]
fn a_parent_label_has_the_edges_of_the_labels_under_it() {
    let (_store, graph) = store(&memory());
    fill(&graph);
    define_family(&graph, &["father", "mother"]);
    for name in ["father", "mother", "father"] {
        check(&graph);
        connect(&graph, &[edge(name, ("named", text("n")), ("named", text("n")))]).unwrap();
    }
    check(&graph);
}

#[test]
fn elements_that_go_with_their_label_are_not_counted() {
    let (_store, graph) = store(&memory());
    fill(&graph);
    let first = check(&graph);
    ended(&graph, graph.jobs().remove_edge_label("loops").unwrap());
    let second = check(&graph);
    assert!(second.1 < first.1);
    for name in ["to_named", "many"] {
        ended(&graph, graph.jobs().remove_edge_label(name).unwrap());
    }
    for name in ["named", "keyed"] {
        let before = check(&graph);
        ended(&graph, graph.jobs().remove_vertex_label(name).unwrap());
        assert!(check(&graph).0 < before.0, "{name}");
    }
}

#[test]
fn elements_with_a_time_to_live_are_counted_anew() {
    let (_store, graph) = store(&memory());
    fill(&graph);
    check(&graph);
    let label = NewVertexLabel { ttl_ms: 1, ..vertex_label("brief", graph_model::IdStrategy::CustomizeString) };
    graph.schema().create_vertex_label(&label).unwrap();
    insert(&graph, &[vertex("brief", Some(text("b")))]).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(5));
    check(&graph);
}

#[test]
fn a_write_that_fails_or_seems_to_changes_nothing_that_is_wrong() {
    let engine = Arc::new(FaultEngine::new(memory()));
    let (_store, graph) = store(&engine);
    fill(&graph);
    let error = || KvError::Io { action: "writing", detail: "scripted".into() };
    for nth in 1..4 {
        for fault in [Fault::FailCommit { nth, error: error() }, Fault::LoseAcknowledgement { nth, error: error() }] {
            check(&graph);
            engine.faults().inject(fault);
            for name in ["p", "q", "r"] {
                let outcome = insert(&graph, &[vertex("named", Some(text(name)))]);
                assert!(outcome.is_ok() || matches!(outcome, Err(StoreError::Kv(_))));
            }
            engine.faults().clear();
            check(&graph);
            for name in ["p", "q", "r"] {
                drop(graph.writer().delete_vertex(&string_id(name), Wait::Allowed).and_then(Pending::wait));
            }
        }
        check(&graph);
        engine.faults().inject(Fault::FailRead { nth, error: error() });
        drop(insert(&graph, &[named("s")]));
        engine.faults().clear();
        check(&graph);
    }
}

#[test]
fn a_store_that_is_closed_in_order_keeps_its_counts_and_a_killed_one_loses_none() {
    let engine = memory();
    let recorded = |engine: &dyn Engine| {
        let name = b"counts";
        rows(engine, key_codec::tables::META).iter().any(|(key, _)| key.windows(name.len()).any(|part| part == name))
    };
    let (first, graph) = store(&engine);
    fill(&graph);
    let before = check(&graph);
    assert!(!recorded(&*engine));
    drop((first, graph));
    assert!(recorded(&*engine));

    let faulty = Arc::new(FaultEngine::new(Arc::clone(&engine)));
    let (second, graph) = store(&faulty);
    faulty.faults().inject(Fault::FailReads { error: KvError::Closed });
    let (budget, catalogue) = (Budget::unlimited(), graph.catalogue());
    assert_eq!(
        GraphReader::new(&graph, &catalogue, &budget).count_vertices(None).unwrap(),
        before.0,
        "nothing is read"
    );
    faulty.faults().clear();
    assert!(recorded(&*engine), "it is right as long as nothing is written");
    insert(&graph, &[named("after")]).unwrap();
    assert!(!recorded(&*engine), "a kill from now on leaves none");
    assert_eq!(check(&graph).0, before.0 + 1);

    let (third, again) = store(&engine);
    assert_eq!(check(&again).0, before.0 + 1);
    drop((third, again));
    drop((second, graph));
}

#[test]
fn a_copy_of_a_graph_counts_anew() {
    let engine = memory();
    {
        let (_store, graph) = store(&engine);
        fill(&graph);
        check(&graph);
    }
    let (store, before) = store(&engine);
    store.create_snapshot("hugegraph", &Budget::unlimited()).unwrap();
    insert(&before, &[named("late")]).unwrap();
    let late = check(&before);
    store.resume_snapshot("hugegraph", &Budget::unlimited()).unwrap();
    let resumed = graph(&store);
    assert_eq!(check(&resumed), (late.0 - 1, late.1));
    insert(&resumed, &[named("later")]).unwrap();
    assert_eq!(check(&resumed), late);
}

#[test]
fn a_record_does_not_outlive_what_is_removed_without_a_batch() {
    let engine = memory();
    {
        let (_store, graph) = store(&engine);
        fill(&graph);
        check(&graph);
    }
    let (_store, graph) = store(&engine);
    ended(&graph, graph.jobs().remove_edge_label("loops").unwrap());
    check(&graph);
    let (_killed, again) = store(&engine);
    check(&again);
}

#[test]
fn a_count_that_begins_while_a_write_is_on_its_way_has_it() {
    let engine = Arc::new(ParkedEngine::new(memory()));
    let (_store, graph) = store(&engine);
    fill(&graph);
    let insert = |name| graph.writer().insert_vertices(&[named(name)], Wait::Never).unwrap();
    let catalogue = graph.catalogue();
    engine.park(1);
    let pending = insert("p");
    let never = Budget::unlimited().without_waiting();
    let hurried = GraphReader::new(&graph, &catalogue, &never);
    assert_eq!(hurried.count_vertices(None).unwrap(), 5, "who must not wait counts what is stored");
    std::thread::scope(|scope| {
        let counting = scope.spawn(|| {
            let budget = Budget::unlimited();
            GraphReader::new(&graph, &catalogue, &budget).count_vertices(None).unwrap()
        });
        std::thread::yield_now();
        engine.release();
        assert_eq!(counting.join().unwrap(), 6);
    });
    pending.wait().unwrap();

    // Two writes of one vertex may be on their way together.
    engine.park(2);
    let both = [insert("q"), insert("q")];
    assert_eq!(hurried.count_vertices(None).unwrap(), 6);
    engine.release();
    both.into_iter().for_each(|pending| drop(pending.wait().unwrap()));
    assert_eq!(hurried.count_vertices(None).unwrap(), 7);
    check(&graph);
}

#[test]
fn counts_agree_after_writers_that_are_in_each_others_way() {
    const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
    let (_store, graph) = store(&memory());
    fill(&graph);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|thread| {
                let graph = &graph;
                scope.spawn(move || {
                    let mut draw = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(thread + 1);
                    let mut below = |end: usize| {
                        draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                        usize::try_from(draw >> 33).unwrap() % end
                    };
                    for _ in 0..400 {
                        let (a, b) = (NAMES[below(6)], NAMES[below(6)]);
                        match below(4) {
                            0 | 1 => drop(insert(graph, &[named(a), named(b)])),
                            2 => drop(connect(graph, &[knows("1:a", a), knows("1:a", b)])),
                            _ => {
                                drop(
                                    graph.writer().delete_vertex(&string_id(a), Wait::Allowed).and_then(Pending::wait),
                                );
                            }
                        }
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            let budget = Budget::unlimited();
            while !done.load(Ordering::Relaxed) {
                let catalogue = graph.catalogue();
                let reader = GraphReader::new(&graph, &catalogue, &budget);
                reader.count_vertices(None).unwrap();
                reader.count_edges(None).unwrap();
                std::thread::yield_now();
            }
        });
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        done.store(true, Ordering::Relaxed);
    });
    check(&graph);
}
