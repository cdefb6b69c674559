//! The embedded facade against a real folder, and its example.
use std::path::Path;
use std::process::Command;

use rhizome::{DataType, Database, Direction, IdStrategy, Value, VertexId};

#[test]
fn what_was_inserted_is_there_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let (ann, number) = {
        let database = Database::open(folder.path()).unwrap();
        let graph = database.graph();
        graph.property_key("name", DataType::Text).unwrap();
        graph.property_key("score", DataType::Double).unwrap();
        graph.vertex_label("person").properties(["name"]).primary_keys(["name"]).create().unwrap();
        graph.vertex_label("thing").id_strategy(IdStrategy::CustomizeNumber).create().unwrap();
        graph.edge_label("owns", "person", "thing").properties(["score"]).create().unwrap();
        let ann = graph.add_vertex("person").set("name", "ann").insert().unwrap();
        let number = graph.add_vertex("thing").id(7).insert().unwrap();
        graph.add_edge("owns", &ann, &number).set("score", 0.5).insert().unwrap();
        database.close().unwrap();
        (ann, number)
    };
    let database = Database::open(folder.path()).unwrap();
    let graph = database.graph();
    assert_eq!(graph.vertex(&ann).unwrap().unwrap().text("name"), Some("ann"));
    assert_eq!(number, VertexId::Number(7));
    let edges = graph.edges(&number, Direction::In, None).unwrap();
    assert_eq!(edges.len(), 1);
    assert_eq!(edges[0].properties["score"], Value::Double(0.5));
    assert_eq!(graph.vertices("person", 10).unwrap().len(), 1);
    graph.delete_vertex(&ann).unwrap();
    assert_eq!(graph.edges(&number, Direction::Both, None).unwrap(), []);
}

#[test]
fn a_folder_in_use_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let _first = Database::open(folder.path()).unwrap();
    let error = Database::open(folder.path()).err().unwrap().to_string();
    assert!(error.contains("is in use by process"), "{error}");
}

#[test]
fn the_example_runs() {
    let folder = tempfile::tempdir().unwrap();
    // `cargo test` has built it next to the folder of its tests. Asking cargo to run it would compile half of
    // everything again, with the features that this package alone needs.
    let tests = std::env::current_exe().unwrap();
    let built = tests.parent().and_then(Path::parent).unwrap().join("examples/embedded");
    assert!(built.exists(), "no {}: run `cargo test -p rhizome` without naming a test target", built.display());
    let output = Command::new(built).arg(folder.path()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("lop was created by 2 persons"), "{text}");
}
