//! Analyses of TinkerPop's modern graph over the engine in memory, by the names of HugeGraph and by our own.
#![expect(clippy::unwrap_used, clippy::panic, reason = "test code")]

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use graph_analysis::{Analysis, AnalysisError, AnalysisJob, JOB_KIND, JobState, run_analysis};
use graph_host::{HostedGraph, JobRegistry, Store, StoreOptions};
use graph_model::{Cardinality, DataType, ErrorKind, IdStrategy, TaskStatus};
use graph_schema::{Literal, NewEdge, NewEdgeLabel, NewPropertyKey, NewVertex, NewVertexLabel};
use graph_store::Wait;
use key_codec::tables;
use kv::{Engine, MemoryEngine};
use serde_json::{Map, Value as Json, json};

const EDGES: [(&str, &str, &str, f64); 6] = [
    ("knows", "marko", "vadas", 0.5),
    ("knows", "marko", "josh", 1.0),
    ("created", "marko", "lop", 0.4),
    ("created", "josh", "ripple", 1.0),
    ("created", "josh", "lop", 0.4),
    ("created", "peter", "lop", 0.2),
];

fn text(text: &str) -> Literal<'static> {
    Literal::Text(Cow::Owned(text.to_owned()))
}

/// The graph in a store, and what analyses share.
fn modern(bytes_max: u64) -> (Store, Arc<HostedGraph>, Arc<JobState>) {
    let engine: Arc<dyn Engine> = Arc::new(MemoryEngine::open(tables::TABLES));
    let state = Arc::new(JobState::new(bytes_max, 2));
    let mut registry = JobRegistry::default();
    registry.register(Arc::new(AnalysisJob::new(JOB_KIND, Arc::clone(&state))));
    let store = Store::open_with_jobs(engine, StoreOptions::default(), registry).unwrap();
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
    let label = |name: &str| if ["lop", "ripple"].contains(&name) { "software" } else { "person" };
    let vertices = ["marko", "vadas", "lop", "josh", "ripple", "peter"].map(|name| NewVertex {
        label: Some(Cow::Borrowed(label(name))),
        id: Some(text(name)),
        properties: vec![],
    });
    graph.writer().insert_vertices(&vertices, Wait::Allowed).unwrap().wait().unwrap();
    let edges = EDGES.map(|(own, source, target, weight)| NewEdge {
        label: Some(Cow::Borrowed(own)),
        source: Some(text(source)),
        source_label: Some(Cow::Borrowed(label(source))),
        target: Some(text(target)),
        target_label: Some(Cow::Borrowed(label(target))),
        properties: vec![(Cow::Borrowed("weight"), Literal::Float(weight))],
    });
    graph.writer().insert_edges(&edges, true, Wait::Allowed).unwrap().wait().unwrap();
    (store, graph, state)
}

fn object(json: Json) -> Map<String, Json> {
    match json {
        Json::Object(fields) => fields,
        other => panic!("{other}"),
    }
}

fn run(graph: &HostedGraph, state: &JobState, name: &str, parameters: Json) -> Result<Json, AnalysisError> {
    run_analysis(graph, &Analysis::new(name, object(parameters))?, state)
}

const ROOM: u64 = 1 << 30;

#[test]
fn hugegraphs_names_have_its_shapes() {
    let (_store, graph, state) = modern(ROOM);
    let run = |name, parameters| run(&graph, &state, name, parameters).unwrap();
    assert_eq!(run("count_vertex", json!({})), json!({ "person": 4, "software": 2, "*": 6 }));
    assert_eq!(run("count_edge", json!({})), json!({ "created": 4, "knows": 2, "*": 6 }));
    let degrees = json!({ "lop": 3, "josh": 3, "marko": 3, "peter": 1, "vadas": 1, "ripple": 1 });
    assert_eq!(run("degree_centrality", json!({})), degrees);
    let top = json!({ "direction": "OUT", "top": 2 });
    assert_eq!(run("degree_centrality", top), json!({ "marko": 3, "josh": 2 }));
    let knows = json!({ "direction": "OUT", "label": "knows", "top": 1 });
    assert_eq!(run("degree_centrality", knows), json!({ "marko": 2 }));
    let between = json!({ "marko": 8.0, "josh": 8.0, "lop": 8.0, "ripple": 0.0, "vadas": 0.0, "peter": 0.0 });
    assert_eq!(run("betweenness_centrality", json!({ "depth": 5 })), between);
    let stress = json!({ "marko": 8, "josh": 8, "lop": 8, "ripple": 0, "vadas": 0, "peter": 0 });
    assert_eq!(run("stress_centrality", json!({ "depth": 3 })), stress);
    let near = run("closeness_centrality", json!({ "depth": 5 }));
    assert_eq!((near["marko"].as_f64(), near["vadas"].as_f64()), (Some(4.0), Some(1.0 + 1.0 + 2.0 / 3.0)));
    let triangles = json!({ "edges_out": 6, "vertices_out": 3, "triangles": 1 });
    assert_eq!(run("triangle_count", json!({})), triangles);
    let triangles = json!({ "edges": 6, "vertices": 6, "triangles": 1 });
    assert_eq!(run("triangle_count", json!({ "direction": "BOTH" })), triangles);
    let share = json!({ "edges": 6, "vertices": 6, "cluster_coefficient": 1.0 / 7.0 });
    assert_eq!(run("cluster_coefficient", json!({})), share);
    assert_eq!(run("rings", json!({ "depth": 4, "count_only": true })), json!({ "rings_count": 3 }));
    let rings = run("rings", json!({ "depth": 4 }));
    assert_eq!(rings["rings"][0].as_array().unwrap().len(), 4);
    let found = run("weak_connected_component", json!({}));
    assert_eq!(found["components"], 1);
    let rank = json!({ "alpha": 0.15, "precision": 1e-9, "times": 200, "top": 1, "degree": -1 });
    let found = run("page_rank", rank);
    assert!((found["top"]["lop"].as_f64().unwrap() - 0.304_720_83).abs() < 1e-8, "{found}");
    assert_eq!((&found["alpha"], &found["times"]), (&json!(0.15), &json!(200)));
    // Written to the vertices, of all labels.
    let stored = graph.reader().vertices(&[graph_model::VertexId::String("lop".into())]).unwrap();
    let key = graph.catalogue().property_key_named("r_rank").unwrap().id;
    let Some(graph_model::Value::Double(rank)) = stored[0].as_ref().unwrap().properties.get(key) else {
        panic!("{stored:?}")
    };
    assert!((rank - 0.304_720_83).abs() < 1e-8);
}

#[test]
fn wrong_requests_are_refused_before_they_run() {
    let refused = |name: &str, parameters: Json| {
        let error = Analysis::new(name, object(parameters)).unwrap_err();
        (error.kind(), error.to_string())
    };
    assert_eq!(refused("nonsense", json!({})), (ErrorKind::NotFound, "Not found algorithm: nonsense".into()));
    let alpha = "The value of alpha must be in range (0, 1], but got 2.0";
    assert_eq!(refused("page_rank", json!({ "alpha": 2 })), (ErrorKind::BadInput, alpha.into()));
    assert_eq!(refused("rings", json!({})).1, "Must pass parameter 'depth'");
    assert_eq!(refused("k_core", json!({})).0, ErrorKind::NotSupported);
    assert!(refused("pagerank", json!({ "dampening": 1 })).1.contains("no parameter 'dampening'"));
    assert_eq!(refused("sssp", json!({})).1, "Must pass parameter 'source'");
}

#[test]
fn own_names_answer_rows_with_ids_and_write_properties() {
    let (_store, graph, state) = modern(ROOM);
    let run = |name, parameters| run(&graph, &state, name, parameters);
    let found = run("sssp", json!({ "source": "marko", "weight": "weight" })).unwrap();
    let rows = found["rows"].as_array().unwrap();
    let far = |id: &str| rows.iter().find(|row| row["vertex"] == id).unwrap()["distance"].clone();
    assert_eq!((far("ripple"), far("lop"), far("peter")), (json!(2.0), json!(0.4), Json::Null));
    assert_eq!((&found["vertices"], &found["edges"], &found["reached"]), (&json!(6), &json!(6), &json!(5)));
    let written = json!({ "top": 1, "write_property": "rank", "vertex_labels": ["person"] });
    let found = run("pagerank", written).unwrap();
    assert_eq!((&found["written"], &found["vertices"], &found["edges"]), (&json!(4), &json!(4), &json!(2)));
    assert!(found["distribution"]["max"].as_f64().unwrap() > found["distribution"]["min"].as_f64().unwrap());
    let key = graph.catalogue().property_key_named("rank").unwrap().id;
    assert!(!graph.catalogue().vertex_label_named("software").unwrap().properties.contains(&key));
    let again = run("wcc", json!({ "write_property": "rank" })).unwrap_err().to_string();
    assert!(again.contains("has type DOUBLE"), "{again}");
    let unknown = run("bfs", json!({ "sources": ["nobody"] })).unwrap_err().to_string();
    assert!(unknown.contains("\"nobody\" is not among those"), "{unknown}");
    assert!(run("wcc", json!({ "edge_labels": ["nothing"] })).unwrap_err().to_string().contains("no edge label"));
}

#[test]
fn communities_that_are_written_can_be_valued_and_gone_on_from() {
    let (_store, graph, state) = modern(ROOM);
    let run = |name, parameters| run(&graph, &state, name, parameters);
    let found = run("algo.louvain", json!({ "write_property": "part" })).unwrap();
    let valued = run("modularity", json!({ "property": "part" })).unwrap();
    assert_eq!((&valued["modularity"], &valued["row_count"]), (&found["modularity"], &found["count"]));
    let sizes: i64 = valued["rows"].as_array().unwrap().iter().map(|row| row["size"].as_i64().unwrap()).sum();
    assert_eq!(sizes, 6);
    let seeded = json!({ "seed_property": "part", "max_iterations": 1, "direction": "both" });
    assert!(run("cdlp", seeded).unwrap()["count"].as_i64() <= found["count"].as_i64());
    let missing = run("modularity", json!({ "property": "nothing" })).unwrap_err().to_string();
    assert_eq!(missing, "there is no property key 'nothing'");
}

#[test]
fn projections_are_kept_refreshed_and_dropped() {
    let (_store, graph, state) = modern(ROOM);
    let run = |name, parameters| run(&graph, &state, name, parameters).unwrap();
    let made = run("project", json!({ "projection": "p", "edge_labels": ["created"] }));
    assert_eq!((&made["vertices"], &made["edges"], &made["one_moment"]), (&json!(6), &json!(4), &json!(true)));
    let listed = run("projections", json!({}));
    assert_eq!((&listed["projections"][0]["projection"], &listed["bytes_max"]), (&json!("p"), &json!(ROOM)));
    let vertex = NewVertex { label: Some("person".into()), id: Some(text("alice")), properties: vec![] };
    graph.writer().insert_vertices(&[vertex], Wait::Allowed).unwrap().wait().unwrap();
    let components = |parameters| run("wcc", parameters)["count"].clone();
    assert_eq!(components(json!({ "projection": "p" })), 2);
    assert_eq!(components(json!({ "projection": "p", "edge_labels": ["created"], "refresh": true })), 3);
    assert_eq!(run("drop_projection", json!({ "projection": "p" })), json!({ "dropped": true }));
    assert_eq!(run("projections", json!({}))["projections"], json!([]));
}

#[test]
fn what_does_not_fit_is_refused_with_its_size() {
    let (_store, graph, state) = modern(200);
    let error = run(&graph, &state, "wcc", json!({})).unwrap_err();
    let estimate = run(&graph, &state, "wcc", json!({ "estimate": true })).unwrap();
    let needed = estimate["projection_bytes"].as_u64().unwrap();
    assert_eq!((&estimate["vertices"], &estimate["edges"], &estimate["fits"]), (&json!(6), &json!(6), &json!(false)));
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert!(error.to_string().contains(&format!("needs {needed} bytes")), "{error} {needed}");
    let (_store, graph, state) = modern(needed);
    let error = run(&graph, &state, "betweenness", json!({})).unwrap_err().to_string();
    assert!(error.contains("betweenness over this graph needs"), "{error}");
}

#[test]
fn tasks_run_them() {
    let (_store, graph, _) = modern(ROOM);
    let input = json!({ "algorithm": "count_vertex", "parameters": {} }).to_string().into_bytes();
    let id = graph.jobs().start(JOB_KIND, "algorithm:count_vertex".into(), input).unwrap();
    for _ in 0..500 {
        let task = graph.jobs().task(id).unwrap();
        if task.status.is_final() {
            assert_eq!(task.status, TaskStatus::Success, "{task:?}");
            let result: Json = serde_json::from_str(&task.result.unwrap()).unwrap();
            assert_eq!(result, json!({ "person": 4, "software": 2, "*": 6 }));
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("the task did not end");
}
