//! Documents that pages keep with a graph.

use serde_json::{Value, json};

use crate::server::{GRAPH, Server};

fn at(kind: &str, name: &str) -> String {
    let name = name.replace('%', "%25").replace(' ', "%20").replace('/', "%2F").replace('&', "%26");
    format!("/rhizome/document?graph={GRAPH}&kind={kind}&name={name}")
}

fn names(server: &Server, kind: &str) -> Vec<String> {
    let answer = server.ask("", "GET", &format!("/rhizome/documents?graph={GRAPH}&kind={kind}"), "");
    let listed: Value = answer.json();
    listed["documents"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_document_is_kept_as_it_was_sent_and_listed_without_its_text() {
    let server = Server::start(false, false);
    let content = r#"{"id":9223372036854775807,"x":1.50,"text":"<b>\u4eba"}"#;
    let body = format!(r#"{{"about":{{"nodes":2}},"content":{content}}}"#);
    for name in ["two of them", "a/b & 100%", "z"] {
        assert_eq!(server.ask("", "PUT", &at("scene", name), &body).status, 200);
    }
    assert_eq!(names(&server, "scene"), ["a/b & 100%", "two of them", "z"]);
    let listed = server.ask("", "GET", &format!("/rhizome/documents?graph={GRAPH}&kind=scene"), "").json();
    let first = &listed["documents"][0];
    assert_eq!((&first["about"]["nodes"], &first["bytes"]), (&json!(2), &json!(content.len())));
    assert_eq!(first["by"], json!("anonymous"));
    assert_eq!(server.ask("", "GET", &at("scene", "a/b & 100%"), "").body, content);
    let other = server.ask("", "PUT", &at("scene", "z"), r#"{"content":[]}"#);
    assert_eq!((other.status, names(&server, "scene").len()), (200, 3), "in place of the one before");
    assert_eq!(server.ask("", "GET", &at("scene", "z"), "").body, "[]");
    assert_eq!(server.ask("", "DELETE", &at("scene", "z"), "").status, 204);
    assert_eq!(server.ask("", "GET", &at("scene", "z"), "").status, 404);
    assert_eq!(names(&server, "scene").len(), 2);
}

#[test]
fn documents_go_with_their_graph() {
    let server = Server::start(false, false);
    assert_eq!(server.ask("", "POST", "/graphs/other", "{}").status, 201);
    let path = "/rhizome/document?graph=other&kind=scene&name=a";
    assert_eq!(server.ask("", "PUT", path, r#"{"content":1}"#).status, 200);
    assert_eq!(server.ask("", "GET", &at("scene", "a"), "").status, 404, "another graph has none");
    let sure = "confirm_message=I%27m%20sure%20to%20drop%20the%20graph";
    let dropped = server.ask("", "DELETE", &format!("/graphs/other?{sure}"), "");
    assert!(dropped.status < 300, "{}", dropped.body);
    assert_eq!(server.ask("", "GET", path, "").status, 404);
    assert_eq!(server.ask("", "POST", "/graphs/other", "{}").status, 201);
    assert_eq!(server.ask("", "GET", path, "").status, 404, "a new graph of the name has none of the old one");
}

#[test]
fn what_is_too_much_or_wrong_is_refused_and_changes_nothing() {
    let server = Server::start(false, false);
    let large = format!(r#"{{"content":"{}"}}"#, "x".repeat(1 << 20));
    let about = format!(r#"{{"content":1,"about":"{}"}}"#, "x".repeat(2_000));
    let long = "n".repeat(101);
    for (path, body, word) in [
        (at("scene", "a"), large.as_str(), "1048576"),
        (at("scene", "a"), about.as_str(), "2000"),
        (at("scene", "a"), "{}", "content"),
        (at("scene", "a"), "[1", "content"),
        (at("scene", &long), r#"{"content":1}"#, "100 characters"),
        (at("scene", ""), r#"{"content":1}"#, "100 characters"),
        (format!("{}%0Ab", at("scene", "a")), r#"{"content":1}"#, "control character"),
        (at("picture", "a"), r#"{"content":1}"#, "one of scene"),
        (format!("/rhizome/document?graph={GRAPH}&kind=scene"), r#"{"content":1}"#, "'name'"),
        ("/rhizome/document?kind=scene&name=a".to_owned(), r#"{"content":1}"#, "'graph'"),
    ] {
        let refused = server.ask("", "PUT", &path, body);
        assert!(refused.status == 400 && refused.body.contains(word), "{path}: {} {}", refused.status, refused.body);
    }
    assert_eq!(server.ask("", "PUT", "/rhizome/document?graph=no&kind=scene&name=a", r#"{"content":1}"#).status, 404);
    assert_eq!(names(&server, "scene"), [""; 0]);
    for at_number in 0..200 {
        let put = server.ask("", "PUT", &at("scene", &format!("q{at_number}")), r#"{"content":1}"#);
        assert_eq!(put.status, 200, "{}", put.body);
    }
    let refused = server.ask("", "PUT", &at("scene", "one more"), r#"{"content":1}"#);
    assert!(refused.status == 400 && refused.body.contains("200"), "{}", refused.body);
    assert_eq!(server.ask("", "PUT", &at("scene", "q7"), r#"{"content":2}"#).status, 200, "one that is there already");
}
