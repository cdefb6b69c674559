//! Moving a graph between stores of different engines, and back.

use std::sync::Arc;

use graph_access::Budget;
use graph_host::{GraphConf, HostedGraph, Store};
use graph_maintenance::check_indexes;
use graph_model::IdStrategy;
use graph_store::StoreError;
use kv::conformance::ScatteredEngine;
use kv::{Engine, Fault, FaultEngine, MemoryEngine};

use crate::fixture::{fill, graph, insert, listed_edges, listed_vertices, memory, named, open, vertex, vertex_label};

/// What a graph holds, without an order.
fn content(graph: &HostedGraph) -> (Vec<String>, Vec<String>, Vec<(String, String)>) {
    let sorted = |mut texts: Vec<String>| {
        texts.sort();
        texts
    };
    let vertices = listed_vertices(graph, None).unwrap().iter().map(|vertex| format!("{vertex:?}")).collect();
    let edges = listed_edges(graph, None, None).unwrap().iter().map(|edge| format!("{edge:?}")).collect();
    (sorted(vertices), sorted(edges), graph.variables().all().unwrap())
}

fn copy(to: &Store, from: &Store, replace: bool) -> Result<graph_host::Copied, StoreError> {
    to.copy_graph_from(&from.copy_source()?, "hugegraph", replace, &Budget::unlimited(), &mut |_| ())
}

#[test]
fn a_graph_goes_to_another_engine_and_back() {
    let source = open(&memory()).unwrap();
    fill(&graph(&source));
    graph(&source).variables().set("v", "1").unwrap();
    graph(&source).schema().create_vertex_label(&vertex_label("auto", IdStrategy::Automatic)).unwrap();
    let taken = insert(&graph(&source), &[vertex("auto", None)]).unwrap();
    source.create_graph("extra", &GraphConf::from([("nickname".to_owned(), "n".to_owned())])).unwrap();
    let cluster = open(&Arc::new(ScatteredEngine::open(key_codec::tables::TABLES))).unwrap();
    let copied = copy(&cluster, &source, false).unwrap();
    assert_eq!(copied.elements(), (6, 5));
    cluster.copy_graph_from(&source.copy_source().unwrap(), "extra", false, &Budget::unlimited(), &mut |_| ()).unwrap();
    assert_eq!(cluster.graph_conf("extra").unwrap(), source.graph_conf("extra").unwrap());
    assert_eq!(content(&graph(&cluster)), content(&graph(&source)));
    assert_eq!(*graph(&cluster).catalogue(), *graph(&source).catalogue());
    let new = insert(&graph(&cluster), &[vertex("auto", None)]).unwrap();
    assert!(new > taken, "{new:?} comes after {taken:?}");
    // Back, over what was there.
    insert(&graph(&source), &[named("goes")]).unwrap();
    assert!(matches!(copy(&source, &cluster, false), Err(StoreError::GraphExists { .. })));
    let old = graph(&source);
    assert_eq!(copy(&source, &cluster, true).unwrap().elements(), (7, 5));
    assert!(matches!(insert(&old, &[named("late")]), Err(StoreError::GraphCleared { .. })));
    assert_eq!(content(&graph(&source)), content(&graph(&cluster)));
    assert_eq!(check_indexes(&graph(&source), false, &Budget::unlimited(), &mut |_| ()).unwrap().total(), 0);
}

#[test]
fn a_copy_is_of_one_moment_whatever_is_written_meanwhile() {
    let source = open(&memory()).unwrap();
    fill(&graph(&source));
    let before = content(&graph(&source));
    let moment = source.copy_source().unwrap();
    insert(&graph(&source), &[named("late")]).unwrap();
    graph(&source).schema().create_vertex_label(&vertex_label("later", IdStrategy::Automatic)).unwrap();
    source.create_graph("extra", &GraphConf::new()).unwrap();
    let target = open(&memory()).unwrap();
    assert_eq!(moment.graph_names().unwrap(), ["hugegraph"]);
    target.copy_graph_from(&moment, "hugegraph", false, &Budget::unlimited(), &mut |_| ()).unwrap();
    assert_eq!(content(&graph(&target)), before);
    assert!(graph(&target).catalogue().vertex_label_named("later").is_none());
    let extra = target.copy_graph_from(&moment, "extra", false, &Budget::unlimited(), &mut |_| ());
    assert!(matches!(extra, Err(StoreError::GraphNotFound { .. })));
}

#[test]
fn a_copy_that_fails_leaves_the_target_as_it_was() {
    let source = open(&memory()).unwrap();
    fill(&graph(&source));
    let inner = memory();
    let engine = Arc::new(FaultEngine::new(Arc::<MemoryEngine>::clone(&inner) as Arc<dyn Engine>));
    let target = open(&engine).unwrap();
    insert_one(&target);
    let before = content(&graph(&target));
    for nth in 1..=8 {
        let error = kv::KvError::Unavailable { detail: "scripted".into() };
        engine.faults().inject(Fault::FailCommit { nth, error });
        if copy(&target, &source, true).is_ok() {
            assert!(nth > 3, "several commits make a copy");
            return;
        }
        engine.faults().clear();
        assert_eq!(content(&graph(&target)), before);
    }
}

fn insert_one(store: &Store) {
    graph(store).schema().create_vertex_label(&vertex_label("named", IdStrategy::CustomizeString)).unwrap();
    insert(&graph(store), &[named("stays")]).unwrap();
}
