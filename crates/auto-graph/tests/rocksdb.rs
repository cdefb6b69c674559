//! An auto graph in a real folder: what is there after the process has ended and another has opened it.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::path::Path;
use std::sync::Arc;

use auto_graph::{AutoEdge, AutoVertex, NewProperty, ids, read_edge, read_vertex, write_edge, write_vertex};
use graph_access::{Budget, GraphRead as _, GraphWrite as _};
use graph_host::{GraphConf, Store, StoreOptions};
use kv_rocksdb::{RocksDbEngine, RocksDbOptions};
use query_value::{Cardinality, Value};

fn open(path: &Path) -> Store {
    let options = RocksDbOptions { path: path.to_path_buf(), ..RocksDbOptions::default() };
    let engine = RocksDbEngine::open(&options, key_codec::tables::TABLES).unwrap();
    Store::open(Arc::new(engine), StoreOptions::default()).unwrap()
}

#[test]
fn mode_names_and_elements_are_there_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let budget = Budget::unlimited();
    let mut marko = AutoVertex::new(Some(Value::Int(1)), "person");
    for city in ["san diego", "santa cruz"] {
        let new = NewProperty {
            key: "location".into(),
            id: None,
            value: Value::from(city),
            meta: vec![("since".into(), Value::Long(1997))],
        };
        marko.set_property(Cardinality::List, new);
    }
    let knows = AutoEdge {
        id: Some(Value::from("e1")),
        label: "knows".into(),
        source: Value::Int(1),
        target: Value::Int(1),
        properties: vec![("weight".into(), Value::Float(0.5))],
    };
    {
        let store = open(folder.path());
        let conf = GraphConf::from([("schema.mode".to_owned(), "auto".to_owned())]);
        let graph = store.create_graph("a", &conf).unwrap();
        let mut unit = graph.transaction(&budget);
        write_vertex(&mut unit, &marko).unwrap();
        write_edge(&mut unit, &knows).unwrap();
        Box::new(unit).commit().unwrap();
    }
    let store = open(folder.path());
    let graph = store.graph("a").unwrap();
    assert!(graph.is_auto() && !store.graph("hugegraph").unwrap().is_auto());
    let catalogue = graph.catalogue();
    let stored = graph.reader().vertex(&ids::vertex_key(&Value::Long(1)).unwrap()).unwrap().unwrap();
    assert_eq!(read_vertex(&stored, &catalogue).unwrap(), marko);
    let unit = graph.transaction(&budget);
    let found = unit.edges_by_key(&[ids::edge_key(&Value::from("e1")).unwrap()]).unwrap().pop().flatten().unwrap();
    assert_eq!(read_edge(&found, &catalogue).unwrap(), knows);
}
