//! Variables, and the switches of the server.

use serde_json::json;

use crate::server::{G, Server};

#[test]
fn variables_live_and_die() {
    let server = Server::start();
    let all = format!("{G}/variables");
    let one = |name: &str| format!("{G}/variables/{name}");
    assert_eq!(server.get(&all).json(), json!({}));
    for (name, value) in [
        ("version", json!("0.3.2")),
        ("count", json!(10)),
        ("share", json!(0.25)),
        ("on", json!(true)),
        ("names", json!(["a", "b"])),
        ("none", json!([])),
    ] {
        let set = server.put(&one(name), &json!({ "data": value }).to_string());
        assert_eq!((set.status, set.json()), (200, json!({ name: value })), "{name}");
        assert_eq!(server.get(&one(name)).json(), json!({ name: value }));
    }
    server.put(&one("count"), r#"{"data":11}"#);
    assert_eq!(server.get(&all).json()["count"], 11);
    assert_eq!(server.delete(&one("version")).status, 204);
    assert_eq!(server.delete(&one("version")).status, 204);
    let gone = server.get(&one("version"));
    assert_eq!((gone.status, gone.class()), (404, "jakarta.ws.rs.NotFoundException".to_owned()));
    assert_eq!(server.get(&one("a%2Fb")).status, 404);
    assert_eq!(server.get(&all).json().as_object().unwrap().len(), 5);
    let cleared = server.delete(&format!("{G}/clear?confirm_message=I%27m%20sure%20to%20delete%20all%20data"));
    assert_eq!(cleared.status, 204);
    assert_eq!(server.get(&all).json(), json!({}));
}

#[test]
fn variables_are_of_a_few_kinds_and_bounded() {
    let server = Server::start();
    let path = format!("{G}/variables/v");
    let long = json!({ "data": "x".repeat(20_000) }).to_string();
    for body in [
        r#"{"data":null}"#,
        r#"{"data":{"a":1}}"#,
        r#"{"data":[1,"a"]}"#,
        r#"{"data":[[1]]}"#,
        r#"{"data":[null]}"#,
        r#"{}"#,
        r#"[1]"#,
        &long,
    ] {
        assert_eq!(server.put(&path, body).status, 400, "{body:.40}");
    }
    assert_eq!(server.put(&format!("{G}/variables/{}", "n".repeat(256)), r#"{"data":1}"#).status, 400);
    assert_eq!(server.get(&format!("{G}/variables")).json(), json!({}));
    for number in 0..graph_host::limits::VARIABLES_MAX {
        assert_eq!(server.put(&format!("{G}/variables/v{number}"), r#"{"data":1}"#).status, 200);
    }
    let refused = server.put(&path, r#"{"data":1}"#);
    assert_eq!(refused.status, 400);
    assert!(refused.text().contains("1000 variables"), "{}", refused.text());
    assert_eq!(server.put(&format!("{G}/variables/v7"), r#"{"data":2}"#).status, 200);
}

#[test]
fn switches_that_cannot_be_turned_say_so() {
    let server = Server::start();
    assert_eq!(server.get("/exception/trace").json(), json!({ "trace": false }));
    assert_eq!(server.put("/exception/trace", r#"{"trace":false}"#).json(), json!({ "trace": false }));
    assert_eq!(server.put("/exception/trace", r#"{"trace":true}"#).status, 400);
    assert_eq!(server.put("/exception/trace", "{}").status, 400);
    assert_eq!(server.get("/whiteiplist").json(), json!({ "whiteIpList": [] }));
    assert_eq!(server.put("/whiteiplist?status=false", "{}").json(), json!({ "WhiteIpListOpen": false }));
    assert_eq!(server.put("/whiteiplist?status=true", "{}").status, 400);
    assert_eq!(server.put("/whiteiplist", "{}").status, 400);
    let load = server.post("/whiteiplist", r#"{"action":"load","ips":["127.0.0.1"]}"#);
    assert_eq!(load.status, 400);
    assert!(load.text().contains("firewall"), "{}", load.text());
    let removed = server.post("/whiteiplist", r#"{"action":"remove","ips":["127.0.0.1"]}"#);
    assert_eq!((removed.status, removed.json()["non_existed_ips"].clone()), (202, json!(["127.0.0.1"])));
}

#[test]
fn the_addresses_are_listed_in_groups() {
    let server = Server::start();
    let apis = server.get("/apis").json();
    let batch = &apis["apis"]["graph"]["vertices"][0];
    assert_eq!(batch["url"], "{G}/graph/vertices/batch");
    assert_eq!((&batch["method"], &batch["parameters"][0]["name"]), (&json!("POST"), &json!("graph")));
    assert!(apis["apis"]["variables"]["variables"].as_array().unwrap().len() >= 4);
}

#[test]
fn analytical_property_keys_have_tasks_and_values() {
    let server = Server::with_schema();
    let keys = format!("{G}/schema/propertykeys");
    let rank = r#"{"name":"rank","data_type":"DOUBLE","write_type":"OLAP_RANGE","check_exist":false}"#;
    let ended = |answer: crate::server::Answer, kind: &str| {
        assert_eq!(answer.status, 202, "{}", answer.text());
        let id = answer.json()["task_id"].as_u64().unwrap();
        let task = server.ended_task(id);
        assert_eq!((&task["task_status"], &task["task_type"]), (&json!("success"), &json!(kind)));
    };
    ended(server.post(&keys, rank), "create_olap");
    assert_eq!(server.post(&keys, rank).json()["task_id"], 0, "it is there already");
    let vertices = format!("{G}/graph/vertices");
    let mode = |mode: &str| assert_eq!(server.put(&format!("{G}/graph_read_mode"), mode).status, 200);
    let shown = |id: &str| server.get(&format!("{vertices}/%22{id}%22")).json()["properties"]["rank"].clone();
    let gremlin = || {
        let body = r#"{"gremlin":"g.V().has('rank', P.gte(1)).values('rank')"}"#;
        server.post("/gremlin", body).json()["result"]["data"].clone()
    };
    let people = r#"[{"label":"person","properties":{"name":"a"}},{"label":"person","properties":{"name":"b"}}]"#;
    assert_eq!(server.post(&format!("{vertices}/batch"), people).status, 201);
    let values = r#"[{"label":null,"id":"1:a","properties":{"rank":0.5}},{"id":"1:b","properties":{"rank":7}},
        {"id":"1:b","properties":{"rank":1.5}}]"#;
    let written = server.post(&format!("{vertices}/batch"), values);
    assert_eq!((written.status, written.json()), (201, json!(["1:a", "1:b", "1:b"])), "{}", written.text());
    assert_eq!((shown("1:b"), gremlin()), (json!(null), json!([])), "the mode is OLTP_ONLY");
    mode("\"ALL\"");
    assert_eq!((shown("1:a"), shown("1:b"), gremlin()), (json!(0.5), json!(1.5), json!([1.5])));
    // What is changed otherwise keeps the value.
    let aged =
        server.put(&format!("{vertices}/%221:b%22?action=append"), r#"{"label":"person","properties":{"age":4}}"#);
    assert_eq!((aged.status, shown("1:b")), (200, json!(1.5)), "{}", aged.text());
    for wrong in [
        r#"[{"id":"1:a","properties":{"age":1}}]"#,
        r#"[{"properties":{"rank":1.0}}]"#,
        r#"[{"id":"1:a","properties":{"rank":"high"}}]"#,
        r#"[{"id":"1:a","properties":{"rank":9.0}},{"id":"1:nobody","properties":{"rank":1.0}}]"#,
    ] {
        let answer = server.post(&format!("{vertices}/batch"), wrong);
        assert!((400..500).contains(&answer.status), "{wrong}: {}", answer.text());
    }
    assert_eq!(shown("1:a"), json!(0.5), "of a batch that is refused nothing is written");
    ended(server.put(&format!("{keys}/rank?action=clear"), rank), "clear_olap");
    assert_eq!((shown("1:a"), gremlin()), (json!(null), json!([])));
    assert_eq!(server.post(&format!("{vertices}/batch"), values).status, 201);
    let label = server.post(&format!("{G}/schema/vertexlabels"), r#"{"name":"ranked","properties":["rank"]}"#);
    assert_eq!(label.status, 400);
    assert!(label.text().contains("OLAP"), "{}", label.text());
    ended(server.delete(&format!("{keys}/rank")), "remove_olap");
    assert_eq!(server.get(&format!("{keys}/rank")).status, 404);
    assert_eq!(shown("1:a"), json!(null));
    mode("\"OLTP_ONLY\"");
    assert_eq!(server.put(&format!("{keys}/rank?action=clear"), rank).status, 404);
    assert_eq!(server.put(&format!("{keys}/age?action=clear"), r#"{"name":"age"}"#).status, 400);
    assert_eq!(server.delete(&format!("{keys}/age")).status, 400, "a label uses it");
}
