//! Administration of graphs over TCP: creating, cloning, dropping, clearing, configuring, snapshots; and the graph
//! space.

use crate::server::{Answer, G, Server};
use serde_json::{Value, json};

const ILLEGAL: &str = "java.lang.IllegalArgumentException";
const NOT_FOUND: &str = "org.apache.hugegraph.exception.NotFoundException";
const TEXT: (&str, &str) = ("Content-Type", "text/plain");
const DROP: &str = "confirm_message=I%27m+sure+to+drop+the+graph";

fn assert_error(answer: &Answer, status: u16, class: &str) {
    assert_eq!((answer.status, answer.class().as_str()), (status, class), "{}", answer.text());
}

fn names(server: &Server) -> Value {
    server.get("/graphs").json()["graphs"].clone()
}

#[test]
fn a_graph_is_made_from_json_or_properties_and_dropped() {
    let server = Server::with_schema();
    let body = r#"{"gremlin.graph":"org.apache.hugegraph.HugeFactory","backend":"hstore","serializer":"binary",
        "store":"first","nickname":"First","description":"d","unknown.key":"kept"}"#;
    let made = server.post("/graphspaces/DEFAULT/graphs/first", body);
    let expected = json!({"name":"first","nickname":"First","backend":"hstore","description":"d"});
    assert_eq!((made.status, made.json()), (201, expected));
    assert_eq!(server.get("/graphs/first").json(), json!({"name":"first","backend":"hstore"}));
    let conf = server.get("/graphs/first/conf").text();
    assert!(conf.contains("unknown.key=kept\n"), "{conf}");

    let properties = b"# of a 1.5 client\nbackend=rocksdb\nserializer=binary\nstore=second\n";
    let made = server.send("POST", "/graphs/second", &[TEXT], properties);
    assert_eq!((made.status, &made.json()["nickname"]), (201, &json!("second")));
    let json_as_text = br#"{"backend":"rocksdb","serializer":"binary","store":"third","task.scheduler_type":"local"}"#;
    assert_eq!(server.send("POST", "/graphs/third", &[TEXT], json_as_text).status, 201);
    assert_eq!(server.send("POST", "/graphs/fourth", &[], b"").status, 201);
    assert_eq!(names(&server), json!(["first", "fourth", "hugegraph", "second", "third"]));

    // Graphs do not see each other.
    assert_eq!(server.get("/graphs/first/schema/propertykeys").json(), json!({"propertykeys": []}));
    assert_eq!(server.post("/graphs/first/schema/propertykeys", r#"{"name":"own"}"#).status, 202);
    assert_error(&server.get(&format!("{G}/schema/propertykeys/own")), 404, NOT_FOUND);

    assert_error(&server.delete("/graphs/first"), 400, ILLEGAL);
    assert_error(&server.delete("/graphs/first?confirm_message=I%27m+sure+to+delete+all+data"), 400, ILLEGAL);
    assert_eq!(server.delete(&format!("/graphs/first?{DROP}")).status, 204);
    assert_error(&server.delete(&format!("/graphs/first?{DROP}")), 404, NOT_FOUND);
    assert_error(&server.get("/graphs/first/schema"), 404, NOT_FOUND);
    let refused = server.delete(&format!("{G}?{DROP}"));
    assert_error(&refused, 400, "org.apache.hugegraph.exception.NotAllowException");
    assert_eq!(names(&server), json!(["fourth", "hugegraph", "second", "third"]));
}

#[test]
fn what_cannot_be_a_graph_is_refused() {
    let server = Server::start();
    for name in ["1a", "a-b", "a%20b", "%C3%A9", "profile", "manage", &"a".repeat(49)] {
        let made = server.post(&format!("/graphs/{name}"), "{}");
        assert!(matches!(made.status, 400 | 405), "{name}: {}", made.text());
    }
    let again = server.post(G, "{}");
    assert_error(&again, 400, "org.apache.hugegraph.exception.ExistedException");
    for body in ["[]", "{", r#"{"backend":""}"#, r#"{"nickname":"1"}"#] {
        assert_error(&server.post("/graphs/a", body), 400, ILLEGAL);
    }
    assert_error(&server.send("POST", "/graphs/a", &[TEXT], b"a=\\u00"), 400, ILLEGAL);
    let xml = server.send("POST", "/graphs/a", &[("Content-Type", "text/xml")], b"<a/>");
    assert_error(&xml, 415, "jakarta.ws.rs.NotSupportedException");
    assert_error(&server.post("/graphs/a?clone_graph_name=nosuch", "{}"), 404, NOT_FOUND);
    assert_eq!(names(&server), json!(["hugegraph"]));
}

#[test]
fn a_clone_has_the_configuration_and_nothing_else() {
    let server = Server::start();
    let body = r#"{"backend":"hbase","serializer":"binary","store":"one","nickname":"One","x":"1","y":"1"}"#;
    assert_eq!(server.post("/graphs/one", body).status, 201);
    assert_eq!(server.post("/graphs/one/schema/propertykeys", r#"{"name":"own"}"#).status, 202);
    let made = server.send("POST", "/graphs/two?clone_graph_name=one", &[], b"");
    assert_eq!((made.status, &made.json()["backend"], &made.json()["nickname"]), (201, &json!("hbase"), &json!("two")));
    let made = server.post("/graphs/three?clone_graph_name=one", r#"{"nickname":"Three","y":"2"}"#);
    assert_eq!(made.json()["nickname"], "Three");
    let conf = server.get("/graphs/three/conf").text();
    assert!(conf.contains("x=1\n") && conf.contains("y=2\n") && conf.contains("store=three\n"), "{conf}");
    assert_eq!(server.get("/graphs/two/schema/propertykeys").json(), json!({"propertykeys": []}));
    let profile = server.get("/graphspaces/DEFAULT/graphs/profile?prefix=t").json();
    assert_eq!(profile.as_array().unwrap().len(), 2);
    assert_eq!((&profile[0]["name"], &profile[0]["nickname"]), (&json!("three"), &json!("Three")));
    assert_eq!(server.get("/graphs/profile").json().as_array().unwrap().len(), 4);
}

#[test]
fn actions_change_clear_and_reload() {
    let server = Server::with_schema();
    let person = r#"{"label":"person","properties":{"name":"ann"}}"#;
    let vertices = || server.get(&format!("{G}/graph/vertices")).json()["vertices"].as_array().unwrap().len();
    assert_eq!(server.post(&format!("{G}/graph/vertices"), person).status, 201);
    let update = r#"{"action":"update","update":{"name":"hugegraph","nickname":"Everything"}}"#;
    assert_eq!(server.put(G, update).json(), json!({"hugegraph": "updated"}));
    assert_eq!(server.get("/graphs/profile").json()[0]["nickname"], "Everything");
    assert_eq!(server.put(G, r#"{"action":"reload"}"#).json(), json!({"hugegraph": "reloaded"}));
    assert_eq!(vertices(), 1);
    assert_eq!(server.put(G, r#"{"action":"clear","clear_schema":false}"#).json(), json!({"hugegraph": "cleared"}));
    assert_eq!(vertices(), 0);
    assert_eq!(server.post(&format!("{G}/graph/vertices"), person).status, 201);
    assert_eq!(server.put(G, r#"{"action":"clear","clear_schema":true}"#).json(), json!({"hugegraph": "cleared"}));
    assert_eq!(server.get(&format!("{G}/schema/vertexlabels")).json(), json!({"vertexlabels": []}));
    for wrong in [
        "{}",
        "[]",
        r#"{"action":"x"}"#,
        r#"{"action":"update"}"#,
        r#"{"action":"update","update":{"name":"x","nickname":"a"}}"#,
    ] {
        assert_error(&server.put(G, wrong), 400, ILLEGAL);
    }
    let manage = "/graphspaces/DEFAULT/graphs/manage";
    assert_eq!(server.put(manage, r#"{"action":"reload"}"#).json(), json!({"graphs": "reloaded"}));
    assert_error(&server.put(manage, r#"{"action":"drop"}"#), 400, ILLEGAL);
}

#[test]
fn a_snapshot_comes_back() {
    let server = Server::with_schema();
    let add = |name: &str| {
        let body = json!({"label": "person", "properties": {"name": name}}).to_string();
        assert_eq!(server.post(&format!("{G}/graph/vertices"), &body).status, 201);
    };
    let vertices = || server.get(&format!("{G}/graph/vertices")).json()["vertices"].as_array().unwrap().len();
    let none = server.send("PUT", &format!("{G}/snapshot_resume"), &[], b"");
    assert_error(&none, 400, ILLEGAL);
    add("ann");
    let made = server.send("PUT", &format!("{G}/snapshot_create"), &[], b"");
    assert_eq!((made.status, made.json()), (200, json!({"hugegraph": "snapshot_created"})));
    add("ben");
    let compacted = server.put(&format!("{G}/compact"), "{}");
    let expected = json!({"nodes": 1, "cluster_id": "local", "servers": {"local": "OK"}});
    assert_eq!((compacted.status, compacted.json()), (200, expected));
    assert_eq!(vertices(), 2);
    let words = "I%27m%20sure%20to%20delete%20all%20data";
    assert_eq!(server.delete(&format!("{G}/clear?confirm_message={words}")).status, 204);
    let resumed = server.put(&format!("{G}/snapshot_resume"), "{}");
    assert_eq!((resumed.status, resumed.json()), (200, json!({"hugegraph": "snapshot_resumed"})));
    assert_eq!(vertices(), 1);
    add("cid");
    assert_eq!(vertices(), 2);
}

#[test]
fn there_is_one_graph_space() {
    let server = Server::start();
    let space = server.get("/graphspaces/DEFAULT").json();
    assert_eq!((&space["name"], &space["graph_number_used"]), (&json!("DEFAULT"), &json!(1)));
    let profile = server.get("/graphspaces/profile?prefix=DEF").json();
    assert_eq!((&profile[0]["name"], &profile[0]["default"]), (&json!("DEFAULT"), &json!(true)));
    assert_eq!(server.get("/graphspaces/profile?prefix=x").json(), json!([]));
    let not_support = "org.apache.hugegraph.exception.NotSupportException";
    assert_error(&server.post("/graphspaces", r#"{"name":"x"}"#), 400, not_support);
    assert_error(&server.put("/graphspaces/DEFAULT", r#"{"action":"clear","clear":null}"#), 400, not_support);
    assert_error(&server.delete("/graphspaces/DEFAULT"), 400, not_support);
    assert_error(&server.get(&format!("{G}/raft/list_peers")), 501, not_support);
    assert_error(&server.get("/pd"), 501, not_support);
}

#[test]
fn the_writes_of_one_server_are_not_stopped_for_a_snapshot_of_nodes() {
    let server = Server::start();
    let not_support = "org.apache.hugegraph.exception.NotSupportException";
    assert_error(&server.post("/rhizome/freeze", r#"{"seconds":1}"#), 400, not_support);
    assert_error(&server.post("/rhizome/freeze", r#"{"seconds":0}"#), 400, ILLEGAL);
    assert_error(&server.post("/rhizome/thaw", "{}"), 400, not_support);
    assert_eq!(server.get("/rhizome/freeze").json(), json!({"frozen_ms": 0}));
}
