//! The modes of a graph over TCP: what each lets through and what each refuses.

use serde_json::{Value, json};

use crate::server::{G, Server};

fn set_mode(server: &Server, mode: &str) {
    let set = server.put(&format!("{G}/mode"), &format!("\"{mode}\""));
    assert_eq!((set.status, set.json()), (200, json!({ "mode": mode })));
    assert_eq!(server.get(&format!("{G}/mode")).json(), json!({ "mode": mode }));
}

fn schema(server: &Server, kind: &str, body: &Value) -> u16 {
    server.post(&format!("{G}/schema/{kind}"), &body.to_string()).status
}

fn vertex(server: &Server, body: &Value) -> u16 {
    server.post(&format!("{G}/graph/vertices"), &body.to_string()).status
}

/// A graph with a label of automatic ids and a property it requires.
fn subject() -> Server {
    let server = Server::with_schema();
    let label = json!({ "name": "auto", "id_strategy": "AUTOMATIC", "properties": ["name"] });
    assert_eq!(schema(&server, "vertexlabels", &label), 201);
    server
}

#[test]
fn a_mode_that_does_not_exist_is_refused() {
    let server = Server::start();
    for body in ["\"LOAD\"", "\"loading\"", "{}", "null", "NONE"] {
        assert_eq!(server.put(&format!("{G}/mode"), body).status, 400, "{body}");
    }
    assert_eq!(server.get(&format!("{G}/mode")).json(), json!({ "mode": "NONE" }));
}

#[test]
fn loading_asks_for_identifying_properties_only() {
    let server = subject();
    let incomplete = json!({ "label": "auto", "properties": {} });
    let update = json!({ "vertices": [{ "label": "person", "properties": { "age": 1 } }],
        "update_strategies": { "age": "SUM" } });
    for (mode, status) in [("NONE", 400), ("LOADING", 201), ("NONE", 400), ("MERGING", 400)] {
        set_mode(&server, mode);
        assert_eq!(vertex(&server, &incomplete), status, "{mode}");
        assert_eq!(vertex(&server, &json!({ "label": "person", "properties": { "age": 1 } })), 400, "{mode}");
        assert_eq!(server.put(&format!("{G}/graph/vertices/batch"), &update.to_string()).status, 400, "{mode}");
    }
    set_mode(&server, "LOADING");
    assert_eq!(vertex(&server, &json!({ "label": "auto", "id": 7, "properties": {} })), 400, "ids stay the server's");
    assert_eq!(schema(&server, "propertykeys", &json!({ "name": "late", "id": 9 })), 400, "and so do numbers");
}

#[test]
fn restoring_takes_the_numbers_of_the_schema_and_requires_them() {
    let server = subject();
    set_mode(&server, "RESTORING");
    for (kind, rest) in [
        ("propertykeys", json!({})),
        ("vertexlabels", json!({ "id_strategy": "AUTOMATIC" })),
        ("edgelabels", json!({ "source_label": "person", "target_label": "person" })),
    ] {
        let with = |name: &str, id: Option<i64>| {
            let mut body = rest.clone();
            body["name"] = json!(name);
            if let Some(id) = id {
                body["id"] = json!(id);
            }
            schema(&server, kind, &body)
        };
        assert_eq!(with("restored", None), 400, "{kind}: a number is required");
        assert_eq!(with("restored", Some(0)), 400, "{kind}: 0 is none");
        assert_eq!(with("restored", Some(-3)), 400, "{kind}");
        assert_eq!(with("restored", Some(1)), 400, "{kind}: it is used");
        assert!([201, 202].contains(&with("restored", Some(40))), "{kind}");
        let found = server.get(&format!("{G}/schema/{kind}/restored")).json();
        assert_eq!(found["id"], 40, "{kind}");
    }
    for mode in ["NONE", "MERGING", "LOADING"] {
        set_mode(&server, mode);
        assert_eq!(schema(&server, "propertykeys", &json!({ "name": "x", "id": 50 })), 400, "{mode}");
    }
    assert_eq!(schema(&server, "vertexlabels", &json!({ "name": "next" })), 201);
    assert_eq!(
        server.get(&format!("{G}/schema/vertexlabels/next")).json()["id"],
        41,
        "numbers go on after restored ones"
    );
}

#[test]
fn restoring_and_merging_take_the_ids_of_automatic_vertices_and_require_them() {
    let server = subject();
    let auto = |id: Value| json!({ "label": "auto", "id": id, "properties": { "name": "a" } });
    for (mode, with, without) in
        [("NONE", 400, 201), ("LOADING", 400, 201), ("RESTORING", 201, 400), ("MERGING", 201, 400)]
    {
        set_mode(&server, mode);
        assert_eq!(vertex(&server, &auto(json!(1_188_921_781_415_575_552_i64))), with, "{mode}");
        assert_eq!(vertex(&server, &auto(Value::Null)), without, "{mode}");
        assert_eq!(vertex(&server, &auto(json!("7"))), 400, "{mode}: a number it must be");
        assert_eq!(vertex(&server, &json!({ "label": "person", "id": "1:x", "properties": { "name": "x" } })), 400);
        assert_eq!(vertex(&server, &json!({ "label": "place", "id": mode, "properties": {} })), 201, "{mode}");
    }
    let restored = server.get(&format!("{G}/graph/vertices/1188921781415575552"));
    assert_eq!((restored.status, &restored.json()["label"]), (200, &json!("auto")));
}

#[test]
fn a_mode_stays_when_the_graph_is_cleared() {
    let server = Server::start();
    set_mode(&server, "RESTORING");
    let cleared = server.delete(&format!("{G}/clear?confirm_message=I%27m%20sure%20to%20delete%20all%20data"));
    assert_eq!(cleared.status, 204);
    assert_eq!(server.get(&format!("{G}/mode")).json(), json!({ "mode": "RESTORING" }));
}
