//! Load tests of the server by itself, and figures of the last hour.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::server::{GRAPH, Server};

const PATH: &str = "/rhizome/load-tests";
const PATIENCE: Duration = Duration::from_secs(120);

fn plan(scenario: &str, seconds: u64) -> String {
    let plan = json!({ "graph": GRAPH, "scenario": scenario, "driver": "closed", "users": 2, "seconds": seconds });
    plan.to_string()
}

/// The run as soon as it is what is waited for.
fn wait(server: &Server, user: &str, until: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let run = server.ask(user, "GET", PATH, "").json()["run"].clone();
        if until(&run) {
            return run;
        }
        assert!(began.elapsed() < PATIENCE, "{run}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn is_over(run: &Value) -> bool {
    run["stage"] == "ended"
}

#[test]
fn a_test_is_started_watched_and_reported() {
    let server = Server::with(true, false, true);
    let told = server.ask("admin", "GET", PATH, "").json();
    assert_eq!((&told["enabled"], &told["reason"], &told["run"]), (&json!(true), &Value::Null, &Value::Null));
    assert!(told["scenarios"].as_array().unwrap().iter().any(|one| one["name"] == "mixed"));
    assert_eq!(server.ask("admin", "GET", "/rhizome/load-tests/report", "").status, 404);
    let started = server.ask("admin", "POST", PATH, &plan("single-vertex", 2));
    assert_eq!(started.status, 202, "{}", started.body);
    let second = server.ask("admin", "POST", PATH, &plan("single-vertex", 2));
    assert!(second.status == 400 && second.body.contains("already"), "one at a time: {}", second.body);
    let run = wait(&server, "admin", is_over);
    assert_eq!((&run["failure"], &run["cancelled"]), (&Value::Null, &json!(false)));
    let result = &run["result"];
    assert_eq!((&result["format_version"], &result["scenarios"][0]["name"]), (&json!(1), &json!("single-vertex")));
    let row = &result["scenarios"][0]["rows"][0];
    assert!(row["samples"].as_u64().unwrap() > 0, "{row}");
    assert_eq!((&row["error_percent"], &row["server_cpu_s"]), (&json!(0.0), &Value::Null));
    assert!(!run["curve"].as_array().unwrap().is_empty(), "{run}");
    let report = server.ask("admin", "GET", "/rhizome/load-tests/report", "").json();
    assert!(report["html"].as_str().unwrap().starts_with("<!DOCTYPE html>"));
    let schema = server.ask("admin", "GET", &format!("/graphs/{GRAPH}/schema"), "").json();
    assert_eq!(schema["edgelabels"], json!([]), "what the test has made is gone");
}

#[test]
fn a_test_is_cancelled() {
    let server = Server::with(false, false, true);
    assert_eq!(server.ask("", "POST", PATH, &plan("single-vertex", 600)).status, 202);
    wait(&server, "", |run| run["samples"].as_u64().unwrap_or(0) > 0);
    assert_eq!(server.ask("", "DELETE", PATH, "").status, 204);
    let run = wait(&server, "", is_over);
    assert_eq!(run["cancelled"], json!(true));
    assert_eq!(run["result"]["interrupted"], json!(true), "what was measured is kept: {run}");
    assert_eq!(server.ask("", "DELETE", PATH, "").status, 204, "there is nothing left to cancel");
}

#[test]
fn a_test_that_cannot_be_made_says_why() {
    let server = Server::start(false, false);
    let told = server.ask("", "GET", PATH, "").json();
    assert_eq!(told["enabled"], json!(false));
    assert!(told["reason"].as_str().unwrap().contains("ui.load_test"));
    let refused = server.ask("", "POST", PATH, &plan("mixed", 1));
    assert!(refused.status == 403 && refused.body.contains("ui.load_test"), "{}", refused.body);
    let server = Server::with(false, false, true);
    let elsewhere = plan("mixed", 1).replace(GRAPH, "nowhere");
    assert_eq!(server.ask("", "POST", PATH, &elsewhere).status, 404);
    for (body, word) in [(plan("/etc/passwd.toml", 1), "scenario"), (plan("mixed", 601), "600"), ("{}".into(), "graph")]
    {
        let refused = server.ask("", "POST", PATH, &body);
        assert!(refused.status == 400 && refused.body.contains(word), "{}", refused.body);
    }
    let foreign = server.send("POST", PATH, "Content-Type: text/plain\r\n", &plan("mixed", 1));
    assert_eq!(foreign.status, 415, "a page of another site cannot start one");
    assert_eq!(server.ask("", "GET", PATH, "").json()["run"], Value::Null);
}

#[test]
fn figures_of_the_last_hour_have_a_moment_every_few_seconds() {
    let server = Server::start(false, false);
    let began = Instant::now();
    loop {
        for _ in 0..20 {
            server.ask("", "GET", "/versions", "");
        }
        let series = server.ask("", "GET", "/rhizome/metrics/series", "").json();
        let moments = series["at_s"].as_array().unwrap().len();
        for name in ["requests_per_s", "p50_ms", "p95_ms", "p99_ms", "memory_bytes", "in_flight", "refused"] {
            assert_eq!(series[name].as_array().unwrap().len(), moments, "{name}");
        }
        if moments > 0 {
            assert!(series["requests_per_s"][0].as_f64().unwrap() > 1.0, "{series}");
            assert!(series["memory_bytes"][0].as_u64().unwrap() > 0, "{series}");
            return;
        }
        assert!(began.elapsed() < PATIENCE, "{series}");
        std::thread::sleep(Duration::from_millis(200));
    }
}
