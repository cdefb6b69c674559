//! Algorithms over a whole graph as tasks: `jobs/algorithm` and `jobs/computer`.

use serde_json::{Value, json};

use crate::server::{G, Server};

/// Ann knows Bob and Cid, who knows Ann.
fn server() -> Server {
    let server = Server::with_schema();
    let vertices = ["ann", "bob", "cid"].map(|name| json!({ "label": "person", "properties": { "name": name } }));
    let edges = [("1:ann", "1:bob"), ("1:ann", "1:cid"), ("1:cid", "1:ann")].map(|(source, target)| {
        json!({ "label": "knows", "outV": source, "outVLabel": "person", "inV": target, "inVLabel": "person",
            "properties": {} })
    });
    for (path, body) in [("vertices", json!(vertices)), ("edges", json!(edges))] {
        let answer = server.post(&format!("{G}/graph/{path}/batch"), &body.to_string());
        assert_eq!(answer.status, 201, "{}", answer.text());
    }
    server
}

fn run(server: &Server, path: &str, body: &Value) -> Value {
    let answer = server.post(&format!("{G}/jobs/{path}"), &body.to_string());
    assert_eq!(answer.status, 201, "{}", answer.text());
    server.ended_task(answer.json()["task_id"].as_u64().unwrap())
}

fn result(task: &Value) -> Value {
    assert_eq!(task["task_status"], "success", "{task}");
    serde_json::from_str(task["task_result"].as_str().unwrap()).unwrap()
}

#[test]
fn hugegraphs_algorithms_run_as_its_tasks() {
    let server = server();
    let task = run(&server, "algorithm/degree_centrality", &json!({ "direction": "OUT" }));
    assert_eq!(result(&task), json!({ "1:ann": 2, "1:cid": 1, "1:bob": 0 }));
    assert_eq!((&task["task_type"], &task["task_name"]), (&json!("algorithm"), &json!("algorithm:degree_centrality")));
    assert_eq!(task["task_callable"], "org.apache.hugegraph.job.AlgorithmJob");
    let input: Value = serde_json::from_str(task["task_input"].as_str().unwrap()).unwrap();
    assert_eq!(input, json!({ "algorithm": "degree_centrality", "parameters": { "direction": "OUT" } }));
    let task = run(&server, "computer/page_rank", &json!({ "max_steps": 7 }));
    assert_eq!((&result(&task)["times"], &result(&task)["alpha"]), (&json!(7), &json!(0.15)));
    assert_eq!(task["task_type"], "computer");
    // What it has written is a property like any other.
    let ann = server.get(&format!("{G}/graph/vertices/%221:ann%22")).json();
    assert!(ann["properties"]["r_rank"].as_f64().unwrap() > 0.3, "{ann}");
}

#[test]
fn our_algorithms_answer_rows() {
    let server = server();
    let task = run(&server, "algorithm/scc", &json!({ "write_property": "part" }));
    let found = result(&task);
    assert_eq!((&found["count"], &found["written"], &found["row_count"]), (&json!(2), &json!(3), &json!(3)));
    let cid = server.get(&format!("{G}/graph/vertices/%221:cid%22")).json();
    assert_eq!(cid["properties"]["part"], "1:ann");
    let task = run(&server, "algorithm/bfs", &json!({ "sources": ["1:nobody"] }));
    assert_eq!(task["task_status"], "failed");
    assert!(task["task_result"].as_str().unwrap().contains("1:nobody"), "{task}");
}

#[test]
fn what_cannot_run_is_refused_at_once() {
    let server = server();
    let refused = |path: &str, body: &str| {
        let answer = server.post(&format!("{G}/jobs/{path}"), body);
        (answer.status, answer.json()["message"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(refused("algorithm/nonsense", "{}"), (404, "Not found algorithm: nonsense".into()));
    assert_eq!(refused("computer/nonsense", "{}"), (404, "Not found computer: nonsense".into()));
    let alpha = "The value of alpha must be in range (0, 1], but got 2.0";
    assert_eq!(refused("algorithm/page_rank", r#"{"alpha":2}"#), (400, alpha.into()));
    assert_eq!(refused("algorithm/page_rank", "[]").0, 400);
    assert_eq!(refused("algorithm/k_core", "").0, 400);
}
