//! `rhizome analyze`: algorithms over a data folder that no server has open.
#![expect(clippy::unwrap_used, clippy::panic, reason = "test code")]

mod common;

use std::borrow::Cow;
use std::path::Path;

use common::{Server, run};
use graph_host::Store;
use graph_model::{Cardinality, DataType, IdStrategy, Value, VertexId};
use graph_schema::{Literal, NewEdge, NewEdgeLabel, NewPropertyKey, NewVertex, NewVertexLabel};
use graph_store::{Pending, Wait};

fn store(folder: &Path) -> Store {
    let mut settings = rhizome::settings::Settings::load(None, &[]).unwrap();
    settings.storage.data_dir = folder.to_path_buf();
    let engine = rhizome::engine::open(&settings.storage).unwrap();
    Store::open(engine, settings.store_options().unwrap()).unwrap()
}

/// TinkerPop's modern graph, names being the ids.
fn fill(folder: &Path) {
    let store = store(folder);
    let graph = store.graph("hugegraph").unwrap();
    let schema = graph.schema();
    schema.create_property_key(&NewPropertyKey::new("weight", DataType::Double, Cardinality::Single)).unwrap();
    for label in ["person", "software"] {
        let label = NewVertexLabel { id_strategy: Some(IdStrategy::CustomizeString), ..NewVertexLabel::new(label) };
        schema.create_vertex_label(&label).unwrap();
    }
    for (label, target) in [("knows", "person"), ("created", "software")] {
        let label = NewEdgeLabel { properties: vec!["weight".into()], ..NewEdgeLabel::new(label, "person", target) };
        schema.create_edge_label(&label).unwrap();
    }
    let text = |text: &str| Literal::Text(Cow::Owned(text.to_owned()));
    let label = |name: &str| if ["lop", "ripple"].contains(&name) { "software" } else { "person" };
    let vertices = ["marko", "vadas", "lop", "josh", "ripple", "peter"].map(|name| NewVertex {
        label: Some(Cow::Borrowed(label(name))),
        id: Some(text(name)),
        properties: vec![],
    });
    graph.writer().insert_vertices(&vertices, Wait::Allowed).and_then(Pending::wait).unwrap();
    let edges = [
        ("knows", "marko", "vadas", 0.5),
        ("knows", "marko", "josh", 1.0),
        ("created", "marko", "lop", 0.4),
        ("created", "josh", "ripple", 1.0),
        ("created", "josh", "lop", 0.4),
        ("created", "peter", "lop", 0.2),
    ];
    let edges = edges.map(|(own, source, target, weight)| NewEdge {
        label: Some(Cow::Borrowed(own)),
        source: Some(text(source)),
        source_label: Some(Cow::Borrowed(label(source))),
        target: Some(text(target)),
        target_label: Some(Cow::Borrowed(label(target))),
        properties: vec![(Cow::Borrowed("weight"), Literal::Float(weight))],
    });
    graph.writer().insert_edges(&edges, true, Wait::Allowed).and_then(Pending::wait).unwrap();
    store.engine().sync().unwrap();
}

#[test]
fn results_are_tables_csv_and_json() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let path = folder.path().to_str().unwrap();
    let analyze = |arguments: &[&str]| {
        let (status, out, error) = run(&[&["analyze", "--data", path], arguments].concat());
        assert!(status.success(), "{arguments:?}: {error}");
        (out, error)
    };
    let (out, error) = analyze(&["pagerank", "--format", "csv", "--set", "tolerance=1e-12"]);
    let mut rows = csv::Reader::from_reader(out.as_bytes());
    assert_eq!(rows.headers().unwrap(), vec!["vertex", "score"]);
    let ranks: Vec<(String, f64)> = rows.deserialize().map(Result::unwrap).collect();
    let wanted = [("lop", 0.304_720_83), ("ripple", 0.175_798_65), ("vadas", 0.145_985_40), ("marko", 0.113_754_86)];
    assert_eq!(ranks.len(), 6);
    for (name, wanted) in wanted {
        let found = ranks.iter().find(|(own, _)| own == name).unwrap().1;
        assert!((found - wanted).abs() < 1e-8, "{name}: {found}");
    }
    assert!(error.contains("6 vertices and 6 edges; the copy of the graph needs"), "{error}");
    assert!(error.contains("computed in"), "{error}");
    let (out, _) = analyze(&["pagerank", "--top", "2"]);
    let lines: Vec<Vec<&str>> = out.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(lines.contains(&vec!["converged:", "true"]), "{out}");
    let head = lines.iter().position(|line| line == &["vertex", "score"]).unwrap();
    assert_eq!((lines[head + 1][0], lines[head + 2][0], lines.len()), ("lop", "ripple", head + 4), "{out}");
    assert!(out.ends_with("2 of 6 rows; --limit shows more, --format csv all\n"), "{out}");
    // Labels, weights, ids that are texts, and a file.
    let file = folder.path().join("far.json");
    let to = ["--out", file.to_str().unwrap(), "--format", "json"];
    let narrow =
        ["sssp", "--set", "source=marko", "--weight", "weight", "--edge-label", "knows", "--edge-label", "created"];
    let (out, _) = analyze(&[&narrow[..], &to].concat());
    assert_eq!(out, "");
    let found: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!((&found["row_count"], &found["reached"]), (&6.into(), &5.into()));
    let far = |name: &str| found["rows"].as_array().unwrap().iter().find(|row| row["vertex"] == name).unwrap();
    assert_eq!((&far("ripple")["distance"], &far("peter")["distance"]), (&2.0.into(), &serde_json::Value::Null));
    let (out, _) = analyze(&["k_shortest_paths", "--set", "source=marko", "--set", "target=lop", "--format", "csv"]);
    assert_eq!(
        out,
        "path,weight\n\"[\"\"marko\"\", \"\"lop\"\"]\",1\n\"[\"\"marko\"\", \"\"josh\"\", \"\"lop\"\"]\",2\n"
    );
    // HugeGraph's names answer what its tasks do.
    let (out, _) = analyze(&["count_edge"]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&out).unwrap()["created"], 4);
    let (out, _) = run_list();
    assert!(out.contains("pagerank: ") && out.contains("--set damping=... (0.85)"), "{out}");
}

fn run_list() -> (String, String) {
    let (status, out, error) = run(&["analyze", "--list"]);
    assert!(status.success());
    (out, error)
}

#[test]
fn values_are_written_back() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let path = folder.path().to_str().unwrap();
    let (status, out, error) = run(&["analyze", "triangles", "--data", path, "--write-property", "corners"]);
    assert!(status.success() && error.contains("wrote 'corners' of 6 vertices"), "{out}{error}");
    assert!(out.contains("triangles: 1\n"), "{out}");
    let store = store(folder.path());
    let graph = store.graph("hugegraph").unwrap();
    let key = graph.catalogue().property_key_named("corners").unwrap().id;
    for (name, corners) in [("marko", 1), ("peter", 0)] {
        let vertex = graph.reader().vertex(&VertexId::String(name.into())).unwrap().unwrap();
        assert_eq!(vertex.properties.get(key), Some(&Value::Long(corners)), "{name}");
    }
}

#[test]
fn what_a_run_needs_is_told_before_it_begins() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let path = folder.path().to_str().unwrap();
    let (status, out, _) = run(&["analyze", "pagerank", "--data", path, "--estimate"]);
    assert!(status.success() && out.starts_with("6 vertices and 6 edges; the copy of the graph needs "), "{out}");
    let (status, out, error) = run(&["analyze", "pagerank", "--data", path, "--memory", "100B"]);
    assert!(!status.success() && out.is_empty(), "{out}");
    assert!(error.contains("100 B are allowed; raise --memory"), "{error}");
}

#[test]
fn a_server_that_holds_the_data_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let path = folder.path().to_str().unwrap();
    let server = Server::start(folder.path(), &[]);
    let (status, _, error) = run(&["analyze", "wcc", "--data", path]);
    assert!(!status.success());
    assert!(error.contains("needs the data folder for itself") && error.contains("jobs/algorithm/wcc"), "{error}");
    assert!(error.contains(&format!("is in use by process {}", server.pid())), "{error}");
    assert!(server.stop().success());
    let (status, ..) = run(&["analyze", "wcc", "--data", path]);
    assert!(status.success());
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let path = folder.path().to_str().unwrap();
    let none = folder.path().join("none");
    for (arguments, text) in [
        (vec!["nonsense", "--data", path], "Not found algorithm: nonsense"),
        (vec!["nonsense", "--data", path], "analyze --list"),
        (vec!["pagerank", "--data", path, "--set", "dampening=1"], "no parameter 'dampening'"),
        (vec!["pagerank", "--data", path, "--set", "damping"], "expected NAME=VALUE"),
        (vec!["pagerank", "--data", path, "--set", "projection=p"], "nothing is kept"),
        (vec!["pagerank", "--data", path, "--edge-label", "likes"], "there is no edge label 'likes'"),
        (vec!["sssp", "--data", path, "--set", "source=nobody"], "the vertex \"nobody\" is not among those"),
        (vec!["pagerank", "--data", path, "--graph", "no"], "graph 'no' does not exist"),
        (vec!["pagerank", "--data", none.to_str().unwrap()], "there is no data folder"),
        (vec!["bridges", "--data", path, "--write-property", "x"], "needs a value for each vertex"),
        (vec!["count_vertex", "--data", path, "--format", "csv"], "use --format json"),
        (vec!["projections", "--data", path], "the graph is read for each run"),
    ] {
        let (status, _, error) = run(&[&["analyze"], &arguments[..]].concat());
        assert!(!status.success() && error.contains(text), "{arguments:?}: {error}");
    }
    assert!(!none.exists());
}
