//! Graphs with `schema.mode=auto` over REST: what is made on first write, and what elements look like.

use serde_json::{Value, json};

use crate::server::{G, Server};

const A: &str = "/graphs/a";

fn server() -> Server {
    let server = Server::start();
    let made = server.post(A, r#"{"schema.mode":"auto"}"#);
    assert_eq!(made.status, 201, "{}", made.text());
    server
}

#[test]
fn elements_bring_their_schema_with_them() {
    let server = server();
    assert!(server.get(&format!("{A}/conf")).text().contains("schema.mode=auto"));
    let body = json!({
        "label": "person", "id": 1,
        "properties": {"name": "marko", "age": 29, "big": 5_000_000_000_i64, "ratio": 0.5, "tags": ["a", 1, null],
            "address": {"city": "Berlin", "zip": [10115]}},
    });
    let made = server.post(&format!("{A}/graph/vertices"), &body.to_string());
    assert_eq!((made.status, &made.json()["properties"]), (201, &body["properties"]), "{}", made.text());
    let batch = json!([
        {"label": "person", "properties": {"name": 7, "age": "old"}},
        {"label": "software", "id": "lop", "properties": {"name": "lop"}},
    ]);
    let ids = server.post(&format!("{A}/graph/vertices/batch"), &batch.to_string());
    assert_eq!((ids.status, &ids.json()[1]), (201, &json!("lop")));
    assert!(ids.json()[0].is_i64(), "a generated id");
    let read = server.get(&format!("{A}/graph/vertices/1")).json();
    assert_eq!((&read["id"], &read["label"], &read["properties"]), (&json!(1), &json!("person"), &body["properties"]));

    let edge =
        |properties: Value| json!({"label": "created", "outV": 1, "inV": "lop", "properties": properties}).to_string();
    let first = server.post(&format!("{A}/graph/edges"), &edge(json!({"weight": 0.4})));
    assert_eq!(first.status, 201, "{}", first.text());
    let second = server.post(&format!("{A}/graph/edges"), &edge(json!({"weight": 1, "~id": 7})));
    assert_eq!((second.status, &second.json()["properties"]), (201, &json!({"weight": 1})));
    let edges = server.get(&format!("{A}/graph/edges")).json();
    assert_eq!(edges["edges"].as_array().unwrap().len(), 2, "parallel edges");
    let id = second.json()["id"].as_str().unwrap().replace('>', "%3E");
    let read = server.get(&format!("{A}/graph/edges/{id}")).json();
    assert_eq!((&read["outV"], &read["inV"], &read["outVLabel"]), (&json!(1), &json!("lop"), &json!("~undefined")));
    let batch = format!("[{}]", edge(json!({})));
    assert_eq!(server.post(&format!("{A}/graph/edges/batch"), &batch).status, 201);
    let taken = server.post(
        &format!("{A}/graph/edges"),
        &json!({"label": "other", "outV": 1, "inV": 1,
        "properties": {"~id": 7}})
        .to_string(),
    );
    assert_eq!(taken.status, 400);
    assert!(taken.text().contains("is taken"), "{}", taken.text());

    let appended = server.put(
        &format!("{A}/graph/vertices/1?action=append"),
        r#"{"label":"person","properties":{"new":{"a":1},"age":30}}"#,
    );
    assert_eq!(
        (&appended.json()["properties"]["new"], &appended.json()["properties"]["age"]),
        (&json!({"a": 1}), &json!(30))
    );
    let removed =
        server.put(&format!("{A}/graph/vertices/1?action=eliminate"), r#"{"label":"person","properties":{"new":1}}"#);
    assert!(removed.json()["properties"].get("new").is_none(), "{}", removed.text());
    let labels = server.get(&format!("{A}/schema/vertexlabels")).json();
    assert_eq!(labels["vertexlabels"].as_array().unwrap().len(), 2);
    let key = server.get(&format!("{A}/schema/propertykeys/age")).json();
    assert_eq!((&key["data_type"], &key["cardinality"]), (&json!("OBJECT"), &json!("SINGLE")));
    assert_eq!(server.get(&format!("{A}/schema/edgelabels/created")).json()["frequency"], "MULTIPLE");
}

#[test]
fn lists_are_filtered_without_indexes() {
    let server = server();
    let people: Vec<Value> =
        (0..10).map(|n| json!({"label": "person", "id": n, "properties": {"age": n, "even": n % 2 == 0}})).collect();
    server.post(&format!("{A}/graph/vertices/batch"), &Value::Array(people).to_string());
    let found = |query: &str| {
        let answer = server.get(&format!("{A}/graph/vertices?{query}"));
        assert_eq!(answer.status, 200, "{}", answer.text());
        let mut ids: Vec<i64> =
            answer.json()["vertices"].as_array().unwrap().iter().map(|v| v["id"].as_i64().unwrap()).collect();
        ids.sort_unstable();
        ids
    };
    assert_eq!(found("properties=%7B%22age%22:3%7D"), [3]);
    assert_eq!(found("properties=%7B%22age%22:%22P.gt(7)%22%7D"), [8, 9]);
    assert_eq!(found("label=person&properties=%7B%22even%22:true,%22age%22:%22P.lt(5)%22%7D"), [0, 2, 4]);
    assert_eq!(found("label=person&properties=%7B%22even%22:true%7D&limit=2").len(), 2);
    // Page by page, each two: none twice, none missing.
    let (mut token, mut seen) = (String::new(), Vec::new());
    loop {
        let query = format!("label=person&properties=%7B%22even%22:true%7D&limit=2&page={token}");
        let page = server.get(&format!("{A}/graph/vertices?{query}")).json();
        seen.extend(page["vertices"].as_array().unwrap().iter().map(|v| v["id"].as_i64().unwrap()));
        match page["page"].as_str() {
            Some(next) => token = next.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D"),
            None => break,
        }
    }
    seen.sort_unstable();
    assert_eq!(seen, [0, 2, 4, 6, 8]);
}

#[test]
fn what_an_auto_graph_does_not_do_is_refused() {
    let server = server();
    server.post(&format!("{A}/graph/vertices"), r#"{"label":"person","id":1,"properties":{"name":"x"}}"#);
    let key = server.post(&format!("{A}/schema/propertykeys"), r#"{"name":"k","data_type":"INT"}"#);
    assert_eq!(key.status, 400);
    assert!(key.text().contains("schema.mode=auto"), "{}", key.text());
    for path in ["vertexlabels/person", "propertykeys/name"] {
        let refused = server.delete(&format!("{A}/schema/{path}"));
        assert_eq!(refused.status, 400, "{path}: {}", refused.text());
        assert!(refused.text().contains("schema.mode=auto"), "{}", refused.text());
    }
    for (body, part) in [
        (r#"{"label":"person","id":1.5,"properties":{}}"#, "vertex id"),
        (r#"{"label":"person","id":2,"properties":{"~x":1}}"#, "begin with '~'"),
        (r#"{"label":"","id":2,"properties":{}}"#, "empty"),
        (r#"{"id":2,"properties":{}}"#, "label"),
        (r#"{"label":"person","id":2,"properties":{"name":null}}"#, "null"),
    ] {
        let refused = server.post(&format!("{A}/graph/vertices"), body);
        assert_eq!(refused.status, 400, "{body}");
        assert!(refused.text().contains(part), "{body}: {}", refused.text());
    }
    let wrong = server.post("/graphs/b", r#"{"schema.mode":"x"}"#);
    assert_eq!(wrong.status, 400);
    assert!(wrong.text().contains("strict or auto"), "{}", wrong.text());
    let strict = server.post(&format!("{G}/graph/vertices"), r#"{"label":"person","id":1,"properties":{}}"#);
    assert_eq!(strict.status, 400);
}

#[test]
fn index_labels_of_an_auto_graph_are_made_shown_rebuilt_and_removed() {
    let server = server();
    server.post(&format!("{A}/graph/vertices"), r#"{"label":"person","id":1,"properties":{"name":"x"}}"#);
    let body = r#"{"name":"byName","base_type":"VERTEX_LABEL","base_value":"person","index_type":"SECONDARY","fields":["name"]}"#;
    let made = server.post(&format!("{A}/schema/indexlabels"), body);
    assert_eq!(made.status, 202, "{}", made.text());
    let made = made.json();
    assert_eq!(made["index_label"]["base_value"], "person");
    let ended = |task: &Value| {
        for _ in 0..2_000 {
            let task = server.get(&format!("{A}/tasks/{task}")).json();
            match task["task_status"].as_str() {
                Some("success") => return,
                Some("queued" | "running" | "new" | "scheduled") => {
                    std::thread::sleep(std::time::Duration::from_millis(10));
                }
                _ => panic!("{task}"),
            }
        }
        panic!("it never ended");
    };
    ended(&made["task_id"]);
    let shown = server.get(&format!("{A}/schema/indexlabels/byName")).json();
    assert_eq!((&shown["status"], &shown["index_type"]), (&"CREATED".into(), &"SECONDARY".into()));
    let refused =
        server.post(&format!("{A}/schema/indexlabels"), &body.replace("SECONDARY", "SEARCH").replace("byName", "s"));
    assert_eq!(refused.status, 400);
    assert!(refused.text().contains("schema.mode=auto"), "{}", refused.text());
    let rebuilt = server.put(&format!("{A}/jobs/rebuild/indexlabels/byName"), "{}").json();
    ended(&rebuilt["task_id"]);
    let found =
        server.get(&format!("{A}/graph/vertices?label=person&properties={}", "%7B%22name%22:%22x%22%7D")).json();
    assert_eq!(found["vertices"][0]["id"], 1);
    ended(&server.delete(&format!("{A}/schema/indexlabels/byName")).json()["task_id"]);
    assert_eq!(server.get(&format!("{A}/schema/indexlabels/byName")).status, 404);
}
