//! `rhizome check --indexes` over the folder of a server that has ended.
#![expect(clippy::unwrap_used, clippy::panic, reason = "test code")]

mod common;

use std::path::Path;

use common::run;
use graph_model::{Cardinality, DataType};
use graph_schema::{IndexType, NewIndexLabel, NewPropertyKey, NewVertexLabel};
use graph_store::{Pending, Store, Wait};
use kv::{Engine as _, Read as _};

fn settings(folder: &Path) -> rhizome::settings::Settings {
    let mut settings = rhizome::settings::Settings::load(None, &[]).unwrap();
    settings.storage.data_dir = folder.to_path_buf();
    settings
}

/// Ten vertices, by a range index.
fn fill(folder: &Path) {
    let settings = settings(folder);
    let engine = rhizome::engine::open(&settings.storage).unwrap();
    let store = Store::open(engine, settings.store_options().unwrap()).unwrap();
    let graph = store.graph("hugegraph").unwrap();
    graph.create_property_key(&NewPropertyKey::new("n", DataType::Int, Cardinality::Single)).unwrap();
    let label = NewVertexLabel { properties: vec!["n".into()], ..NewVertexLabel::new("thing") };
    graph.create_vertex_label(&label).unwrap();
    let index = NewIndexLabel::on_vertices("byN", "thing", IndexType::Range, &["n"]);
    let (.., task) = graph.create_index_label(&index).unwrap();
    while !graph.task(task).unwrap().status.is_final() {
        std::thread::yield_now();
    }
    let new = |n| graph_schema::NewVertex {
        label: Some("thing".into()),
        id: None,
        properties: vec![("n".into(), graph_schema::Literal::Integer(n))],
    };
    let new: Vec<_> = (0..10).map(new).collect();
    graph.insert_vertices(&new, Wait::Allowed).and_then(Pending::wait).unwrap();
}

/// Loses one entry.
fn damage(folder: &Path) {
    let engine = rhizome::engine::open(&settings(folder).storage).unwrap();
    let mut batch = kv::WriteBatch::new();
    {
        let mut cursor = engine.scan_partitions(key_codec::tables::INDEX_RANGE, &[], None).unwrap();
        batch.delete_key(key_codec::tables::INDEX_RANGE, cursor.next().unwrap().unwrap().key);
    }
    engine.commit(batch).unwrap();
}

#[test]
fn a_lost_entry_is_named_and_put_back() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let check = |more: &[&str]| {
        let path = folder.path().to_str().unwrap();
        run(&[&["check", "--indexes", "--data", path], more].concat())
    };
    let (status, out, _) = check(&[]);
    assert!(status.success());
    assert_eq!(out, "graph hugegraph: 10 index entries and 10 elements checked: all right\n");
    damage(folder.path());
    let (status, out, error) = check(&[]);
    assert!(!status.success());
    assert!(
        out.starts_with("graph hugegraph: 9 index entries and 10 elements checked: 1 missing\n  missing: vertex "),
        "{out}"
    );
    assert!(out.contains("in index label 'byN'") && error.contains("--repair"), "{out}{error}");
    let (status, out, _) = check(&["--repair", "--graph", "hugegraph"]);
    assert!(status.success() && out.contains("1 missing; repaired 1"), "{out}");
    let (status, ..) = check(&[]);
    assert!(status.success());
}

#[test]
fn a_folder_or_a_graph_that_is_not_there_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let none = folder.path().join("none");
    let (status, _, error) = run(&["check", "--indexes", "--data", none.to_str().unwrap()]);
    assert!(!status.success() && error.contains("there is no data folder"), "{error}");
    assert!(!none.exists());
    fill(folder.path());
    let path = folder.path().to_str().unwrap();
    let (status, _, error) = run(&["check", "--indexes", "--data", path, "--graph", "no"]);
    assert!(!status.success() && error.contains("graph 'no' does not exist"), "{error}");
}
