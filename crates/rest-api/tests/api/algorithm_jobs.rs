//! Algorithms over whole graphs as tasks: which there are, and how they are started and awaited.

use serde_json::{Value, json};

use crate::server::{Server, wait_until};

/// Algorithms over the whole graph: the kind of the job, the name, the parameters. Those whose result is written need
/// more rights.
pub(crate) fn algorithms() -> Vec<(&'static str, String, Value)> {
    let parameters = |algorithm: &graph_analysis::Algorithm| {
        let given = algorithm.parameters.iter().filter(|own| own.default == "required").map(|own| match own.name {
            "property" => ("property", json!("city")),
            "sources" => ("sources", json!(["1:p0", "1:p3"])),
            "target" => ("target", json!("1:p21")),
            name => (name, json!("1:p0")),
        });
        given.map(|(name, value)| (name.to_owned(), value)).collect::<serde_json::Map<_, _>>()
    };
    let own = graph_analysis::algorithms();
    let own = own.map(|own| ("algorithm", format!("algo.{}", own.name), Value::Object(parameters(own))));
    let mut all: Vec<(&'static str, String, Value)> = own.collect();
    let mut add = |kind, name: &str, parameters| all.push((kind, name.to_owned(), parameters));
    for name in ["degree_centrality", "closeness_centrality", "betweenness_centrality", "eigenvector_centrality"] {
        add("algorithm", name, json!({ "direction": "OUT", "depth": 5 }));
    }
    for name in ["count_vertex", "count_edge", "triangle_count", "cluster_coefficient"] {
        add("algorithm", name, json!({}));
    }
    add("algorithm", "rings", json!({ "depth": 4 }));
    add("computer", "triangle_count", json!({}));
    add("algorithm", "degree", json!({ "vertex_labels": ["person"], "edge_labels": ["knows"], "top": 5 }));
    add("algorithm", "sssp", json!({ "source": "1:p0", "weight": "weight", "limit": 100 }));
    add("algorithm", "degree", json!({ "estimate": true }));
    add("algorithm", "degree", json!({ "estimate": true, "vertex_labels": ["person"] }));
    all
}

/// Starts an algorithm; the id of its task, or the status of the refusal and what it says.
pub(crate) fn start_algorithm(
    server: &Server,
    user: &str,
    graph: &str,
    (kind, name, parameters): (&str, &str, &Value),
) -> Result<u64, (u16, String)> {
    let path = format!("/graphs/{graph}/jobs/{kind}/{name}");
    let started = server.ask(user, "POST", &path, &parameters.to_string());
    if started.status == 201 {
        Ok(started.json()["task_id"].as_u64().unwrap())
    } else {
        Err((started.status, started.text()))
    }
}

/// How a task has ended, and what it has found but for the time that took.
pub(crate) fn ended_algorithm(server: &Server, user: &str, graph: &str, id: u64) -> (String, Value) {
    let mut task = Value::Null;
    wait_until("the end of the task", || {
        task = server.ask(user, "GET", &format!("/graphs/{graph}/tasks/{id}"), "").json();
        task["task_status"] == "success" || task["task_status"] == "failed"
    });
    let text = task["task_result"].as_str().unwrap();
    let mut found = serde_json::from_str(text).unwrap_or_else(|_| json!(text));
    if let Value::Object(fields) = &mut found {
        fields.remove("load_ms");
        fields.remove("compute_ms");
    }
    (task["task_status"].as_str().unwrap().to_owned(), found)
}
