//! Several graphs: do they come and go as a whole, apart from each other, and over restarts?

use graph_access::{Budget, EdgeRead, WalkRead as _};
use graph_host::{Clear, GraphConf, Store, StoreOptions};
use graph_model::{Direction, ErrorKind, IdStrategy, TaskStatus};
use graph_schema::{IndexType, NewIndexLabel, SchemaKey, SchemaKind, Status};
use graph_store::{GraphReader, Scan, StoreError, Visit, limits};
use key_codec::{GraphNumber, key};
use kv::{Engine, Fault, FaultEngine, KvError, MemoryEngine};
use std::sync::Arc;

use crate::fixture::*;

fn conf(pairs: &[(&str, &str)]) -> GraphConf {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

/// Rows that begin with the number of a graph.
fn rows_of_graph(engine: &dyn Engine, number: u32) -> usize {
    let mut prefix = Vec::new();
    key::graph_prefix(&mut prefix, GraphNumber(number));
    all_rows(engine).iter().flat_map(|(_, rows)| rows).filter(|(key, _)| key.starts_with(&prefix)).count()
}

#[test]
fn graphs_live_apart_and_survive_a_restart() {
    let engine = memory();
    let (_killed, first) = store(&engine);
    let given = conf(&[("backend", "hbase"), ("x.y", "z = 1")]);
    let other = _killed.create_graph("other", &given).unwrap();
    fill(&first);
    fill(&other);
    insert(&other, &[named("only there")]).unwrap();

    let (after, first) = store(&engine);
    assert_eq!(after.graph_names(), ["hugegraph", "other"]);
    let other = after.graph("other").unwrap();
    assert_eq!(listed_vertices(&first, None).unwrap().len(), 5);
    assert_eq!(listed_vertices(&other, None).unwrap().len(), 6);
    assert_eq!(after.graph_conf("other").unwrap(), given);
    assert_eq!(after.graph_conf("hugegraph").unwrap(), GraphConf::new());

    after.drop_graph("other").unwrap();
    assert!(matches!(insert(&other, &[named("late")]), Err(StoreError::GraphCleared { .. })));
    assert_eq!(after.graph("other").err().unwrap().kind(), ErrorKind::NotFound);
    after.settle();
    assert_eq!(rows_of_graph(&*engine, 2), 0, "nothing of it is left");
    assert_eq!(listed_vertices(&first, None).unwrap().len(), 5);
    let again = after.create_graph("other", &GraphConf::new()).unwrap();
    assert_eq!(again.catalogue().elements(), []);
    assert_eq!(after.graph_conf("other").unwrap(), GraphConf::new(), "the old configuration is gone");

    let (last, _) = store(&engine);
    assert_eq!(last.graph_names(), ["hugegraph", "other"]);
}

#[test]
fn reads_of_a_graph_that_is_gone_fail() {
    let (store, graph) = store(&memory());
    fill(&graph);
    let catalogue = graph.catalogue();
    let edges = listed_edges(&graph, None, None).unwrap();
    store.clear_graph("hugegraph", Clear::Everything).unwrap();
    store.settle();
    let budget = Budget::unlimited();
    let reader = GraphReader::new(&graph, &catalogue, &budget);
    let read = EdgeRead { direction: Direction::Both, labels: None, limit: None, properties: false };
    let owner = &edges[0].id.source;
    let owners = [owner];
    let mut cursor = reader.edges_of(&owners, read).unwrap();
    assert!(cursor.next_batch(&mut Vec::new(), 1).is_err());
    let scan = Scan { start: String::new(), end: String::new(), range: ALL };
    let outcomes = [
        listed_vertices(&graph, None).map(drop),
        listed_edges(&graph, None, Some((owner.clone(), Direction::Out))).map(drop),
        graph.reader().vertex(owner).map(drop),
        graph.reader().edges(&[edges[0].id.clone()]).map(drop),
        graph.reader().edges(&[]).map(drop),
        graph.reader().scan_vertices(&scan, &budget, &mut |_| Visit::Continue(())).map(drop),
        graph.reader().vertex_shards(1).map(drop),
        graph.variables().all().map(drop),
    ];
    for (at, outcome) in outcomes.into_iter().enumerate() {
        assert!(matches!(outcome, Err(StoreError::GraphCleared { .. })), "{at}: {outcome:?}");
    }
}

#[test]
fn what_no_graph_can_be_is_refused() {
    let engine = memory();
    let options = StoreOptions { graphs_max: 3, ..StoreOptions::default() };
    let store = Store::open(Arc::<MemoryEngine>::clone(&engine) as Arc<dyn Engine>, options).unwrap();
    let none = GraphConf::new();
    let long = "a".repeat(limits::GRAPH_NAME_CHARS_MAX + 1);
    for name in ["", "1a", "_a", "a-b", "a b", "a/b", "a\0", "\u{e9}", "DEFAULT-x", &long] {
        let error = store.create_graph(name, &none).err().unwrap();
        assert!(matches!(error, StoreError::GraphName { .. }), "{name}: {error}");
    }
    store.create_graph(&long[1..], &none).unwrap();
    store.create_graph("Z9_", &none).unwrap();
    let error = store.create_graph("b", &none).err().unwrap();
    assert!(matches!(error, StoreError::TooManyGraphs { limit: 3 }) && error.to_string().contains("graph.graphs_max"));
    let error = store.create_graph("Z9_", &none).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    let error = store.drop_graph("hugegraph").err().unwrap();
    assert_eq!(error.kind(), ErrorKind::NotAllowed);
    store.drop_graph("Z9_").unwrap();
    let large = conf(&[("k", &"v".repeat(limits::GRAPH_CONF_BYTES_MAX))]);
    assert!(matches!(store.create_graph("b", &large), Err(StoreError::ConfTooLarge { .. })));
    store.create_graph("b", &none).unwrap();
    assert!(store.drop_graph("nosuch").is_err());
}

#[test]
fn clearing_the_data_keeps_the_schema() {
    let engine = memory();
    let (first, graph) = store(&engine);
    fill(&graph);
    let schema = graph.catalogue();
    first.clear_graph("hugegraph", Clear::Data).unwrap();
    first.settle();
    assert_eq!(rows_of_graph(&*engine, 1), 0);
    for store in [first, open(&engine).unwrap()] {
        let graph = self::graph(&store);
        assert_eq!(*graph.catalogue(), *schema);
        assert_eq!(listed_vertices(&graph, None).unwrap(), []);
        assert_eq!(listed_edges(&graph, None, None).unwrap(), []);
        assert_eq!(graph.jobs().tasks(|_| true, None, 0).unwrap(), []);
    }
}

#[test]
fn a_schema_in_motion_is_not_kept() {
    let engine = memory();
    let (_killed, graph) = store(&engine);
    fill(&graph);
    let label = SchemaKey::EdgeLabel(edge_label_id(&graph, "loops"));
    put_status(&*engine, &graph, label, Status::Deleting);
    let (store, graph) = store(&engine);
    let error = store.clear_graph("hugegraph", Clear::Data).unwrap_err();
    assert!(matches!(&error, StoreError::SchemaInMotion { name, .. } if name == "loops"), "{error}");
    insert(&graph, &[named("it goes on")]).unwrap();
    store.clear_graph("hugegraph", Clear::Everything).unwrap();
}

#[test]
fn a_schema_is_kept_with_what_no_task_will_change() {
    let engine = memory();
    let (_killed, graph) = store(&engine);
    fill(&graph);
    let new = NewIndexLabel::on_edges("bySort", "many", IndexType::Secondary, &["sort"]);
    let (index, _, task) = graph.jobs().create_index_label(&new).unwrap();
    ended(&graph, task);
    for (element, status) in [
        (SchemaKey::IndexLabel(index.id), Status::Invalid),
        (SchemaKey::EdgeLabel(edge_label_id(&graph, "loops")), Status::Undeleted),
    ] {
        put_status(&*engine, &graph, element, status);
    }
    let (store, before) = store(&engine);
    store.clear_graph("hugegraph", Clear::Data).unwrap();
    let graph = self::graph(&store);
    assert_eq!(*graph.catalogue(), *before.catalogue());
    let task = graph.jobs().rebuild_indexes(SchemaKind::IndexLabel, "bySort").unwrap();
    assert_eq!(ended(&graph, task).status, TaskStatus::Success);
}

#[test]
fn whatever_fails_while_creating_and_dropping_leaves_one_or_the_other() {
    let error = KvError::Io { action: "writing", detail: "scripted".into() };
    for lost in [false, true] {
        let fault = |nth| match lost {
            true => Fault::LoseAcknowledgement { nth, error: error.clone() },
            false => Fault::FailCommit { nth, error: error.clone() },
        };
        let inner = memory();
        let engine = Arc::new(FaultEngine::new(Arc::clone(&inner)));
        let (store, _) = store(&engine);
        engine.faults().inject(fault(1));
        assert!(store.create_graph("a", &GraphConf::new()).is_err());
        store.create_graph("a", &GraphConf::new()).unwrap();
        fill(&store.graph("a").unwrap());
        engine.faults().inject(fault(1));
        assert!(store.drop_graph("a").is_err());
        if lost {
            assert!(store.graph("a").is_err(), "what is stored counts");
        } else {
            insert(&store.graph("a").unwrap(), &[named("still here")]).unwrap();
            store.drop_graph("a").unwrap();
        }
        drop(store);
        let (after, _) = self::store(&inner);
        assert_eq!(after.graph_names(), ["hugegraph"], "lost: {lost}");
        let left: usize = (2..6).map(|number| rows_of_graph(&*inner, number)).sum();
        assert_eq!(left, 0, "lost: {lost}");
    }
}

#[test]
fn modes_belong_to_one_graph_and_outlive_clearing() {
    let (store, first) = store(&memory());
    let other = store.create_graph("other", &GraphConf::new()).unwrap();
    other.set_mode(graph_schema::GraphMode::Loading).unwrap();
    other.set_reads_all(true).unwrap();
    assert!(!first.reads_all() && first.mode() == graph_schema::GraphMode::None);
    store.clear_graph("other", Clear::Everything).unwrap();
    let other = store.graph("other").unwrap();
    assert!(other.reads_all() && other.mode() == graph_schema::GraphMode::Loading);
    store.drop_graph("other").unwrap();
    let other = store.create_graph("other", &GraphConf::new()).unwrap();
    assert!(!other.reads_all() && other.mode() == graph_schema::GraphMode::None);
    other.schema().create_vertex_label(&vertex_label("auto", IdStrategy::Automatic)).unwrap();
    assert_eq!(first.catalogue().elements(), []);
}
