//! Index labels over TCP: their lives, the constraints of unique ones, rebuilding, and the refusals.

use serde_json::{Value, json};

use crate::graph::{ILLEGAL, NOT_FOUND, assert_error};
use crate::server::{G, Server};

/// The task with this number once it has ended.
fn ended(server: &Server, id: &Value) -> Value {
    server.ended_task(id.as_u64().unwrap())
}

fn index(name: &str, base: (&str, &str), index_type: &str, fields: &[&str]) -> String {
    json!({"name":name,"base_type":base.0,"base_value":base.1,"index_type":index_type,"fields":fields}).to_string()
}

const PERSON: (&str, &str) = ("VERTEX_LABEL", "person");

#[test]
fn an_index_label_lives_and_dies() {
    let server = Server::with_schema();
    let indexes = format!("{G}/schema/indexlabels");
    let made = server.post(&indexes, &index("byAge", PERSON, "RANGE", &["age"]));
    assert_eq!(made.status, 202, "{}", made.text());
    let made = made.json();
    let create_time = made["index_label"]["user_data"]["~create_time"].clone();
    let expected = json!({"id":1,"name":"byAge","base_type":"VERTEX_LABEL","base_value":"person","index_type":"RANGE",
        "fields":["age"],"status":"CREATING","user_data":{"~create_time":create_time}});
    assert_eq!(made, json!({"index_label":expected,"task_id":1}));
    let task = ended(&server, &made["task_id"]);
    assert_eq!(task["task_name"], "INDEX_LABEL:1:byAge");
    assert_eq!((&task["task_type"], &task["task_status"]), (&json!("rebuild_index"), &json!("success")));
    let path = format!("{indexes}/byAge");
    assert_eq!(server.get(&path).json()["status"], "CREATED");
    assert_eq!(server.get(&format!("{G}/schema/vertexlabels/person")).json()["index_labels"], json!(["byAge"]));
    assert_eq!(server.get(&indexes).json()["indexlabels"][0]["index_type"], "RANGE");
    assert_eq!(server.get(&format!("{indexes}?names=byAge")).json()["indexlabels"].as_array().unwrap().len(), 1);
    assert_error(&server.get(&format!("{indexes}?names=byAge&names=no")), 404, NOT_FOUND);
    assert_eq!(server.get(&format!("{G}/schema")).json()["indexlabels"][0]["index_type"], "RANGE_INT");

    let change = r#"{"name":"byAge","user_data":{"min":0},"fields":[]}"#;
    let appended = server.put(&format!("{path}?action=append"), change);
    assert_eq!((appended.status, &appended.json()["user_data"]["min"]), (200, &json!(0)));
    let eliminated = server.put(&format!("{path}?action=eliminate"), change);
    assert_eq!(eliminated.json()["user_data"], json!({"~create_time":create_time}));
    let wrong = r#"{"name":"byAge","index_type":"RANGE","user_data":{}}"#;
    assert_error(
        &server.put(&format!("{path}?action=append"), wrong),
        400,
        "org.apache.hugegraph.exception.NotAllowException",
    );
    assert_error(&server.put(&format!("{path}?action=append"), r#"{"name":"other"}"#), 400, ILLEGAL);
    assert_error(&server.put(&format!("{indexes}/no?action=append"), r#"{"name":"no"}"#), 404, NOT_FOUND);

    let deleted = server.delete(&path);
    assert_eq!(deleted.status, 202);
    let task = ended(&server, &deleted.json()["task_id"]);
    assert_eq!((&task["task_type"], &task["task_status"]), (&json!("remove_schema"), &json!("success")));
    assert_error(&server.get(&path), 404, NOT_FOUND);
    assert_error(&server.delete(&path), 404, NOT_FOUND);
    assert_eq!(server.get(&format!("{G}/schema/vertexlabels/person")).json()["index_labels"], json!([]));
}

#[test]
fn definitions_that_cannot_be_are_refused() {
    let server = Server::with_schema();
    let indexes = format!("{G}/schema/indexlabels");
    for body in [
        index("a", ("VERTEX_LABEL", "author"), "RANGE", &["age"]),
        index("a", ("EDGE_LABEL", "person"), "SECONDARY", &["since"]),
        index("a", PERSON, "RANGE", &["name"]),
        index("a", PERSON, "SECONDARY", &["nosuch"]),
        index("a", PERSON, "SECONDARY", &["since"]),
        index("a", PERSON, "SECONDARY", &[]),
        index("a", PERSON, "SEARCH", &["age"]),
        index("a", PERSON, "UNIQUE", &["name"]),
        index(" ", PERSON, "RANGE", &["age"]),
        index("", PERSON, "RANGE", &["age"]),
        index("a", PERSON, "BTREE", &["age"]),
        index("a", ("LABEL", "person"), "RANGE", &["age"]),
        r#"{"name":"a","base_value":"person","base_type":"VERTEX_LABEL","fields":["age"]}"#.to_owned(),
    ] {
        assert_error(&server.post(&indexes, &body), 400, ILLEGAL);
    }
    let body = index("byAge", PERSON, "RANGE", &["age"]);
    assert_eq!(server.post(&indexes, &body).status, 202);
    assert_error(&server.post(&indexes, &body), 400, "org.apache.hugegraph.exception.ExistedException");
    let lenient = body.replacen('{', r#"{"check_exist":false,"#, 1);
    let found = server.post(&indexes, &lenient);
    assert_eq!((found.status, &found.json()["task_id"]), (202, &json!(0)));
    assert_error(&server.post(&indexes, &index("again", PERSON, "RANGE", &["age"])), 400, ILLEGAL);
}

#[test]
fn what_a_unique_index_forbids_is_400() {
    let server = Server::with_schema();
    let made = server.post(&format!("{G}/schema/indexlabels"), &index("oneAge", PERSON, "UNIQUE", &["age"]));
    ended(&server, &made.json()["task_id"]);
    let person = |name: &str, age: u8| format!(r#"{{"label":"person","properties":{{"name":"{name}","age":{age}}}}}"#);
    let vertices = format!("{G}/graph/vertices");
    assert_eq!(server.post(&vertices, &person("ann", 29)).status, 201);
    let refused = server.post(&vertices, &person("ben", 29));
    assert_error(&refused, 400, ILLEGAL);
    let text = refused.text();
    for part in ["oneAge", "age=29", "1:ann", "1:ben"] {
        assert!(text.contains(part), "{text} does not name {part}");
    }
    let batch = format!("[{},{}]", person("cat", 1), person("dan", 1));
    assert_error(&server.post(&format!("{vertices}/batch"), &batch), 400, ILLEGAL);
    assert_eq!(server.post(&vertices, &person("ann", 29)).status, 201);
    assert_eq!(server.post(&vertices, &person("ben", 30)).status, 201);
    let path = format!("{vertices}/%221:ben%22?action=append");
    assert_error(&server.put(&path, r#"{"properties":{"age":29}}"#), 400, ILLEGAL);
}

#[test]
fn indexes_are_rebuilt_by_tasks() {
    let server = Server::with_schema();
    let indexes = format!("{G}/schema/indexlabels");
    let unbuilt = index("byAge", PERSON, "RANGE", &["age"]).replacen('{', r#"{"rebuild":false,"#, 1);
    let made = server.post(&indexes, &unbuilt).json();
    assert_eq!((&made["task_id"], &made["index_label"]["status"]), (&json!(0), &json!("CREATED")));
    for (kind, name) in [("indexlabels", "byAge"), ("vertexlabels", "person"), ("edgelabels", "knows")] {
        let started = server.put(&format!("{G}/jobs/rebuild/{kind}/{name}"), "{}");
        assert_eq!(started.status, 202, "{}", started.text());
        let task = ended(&server, &started.json()["task_id"]);
        assert_eq!((&task["task_type"], &task["task_status"]), (&json!("rebuild_index"), &json!("success")));
        assert!(task["task_name"].as_str().unwrap().ends_with(&format!(":{name}")));
        assert_error(&server.put(&format!("{G}/jobs/rebuild/{kind}/no"), "{}"), 404, NOT_FOUND);
    }
    assert_eq!(server.get(&format!("{indexes}/byAge")).json()["status"], "CREATED");
}
