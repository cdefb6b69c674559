//! Batch updates over TCP: the shapes of request and answer, and the refusals.

use serde_json::json;

use crate::server::{G, Server};

#[test]
fn vertices_and_edges_are_merged_with_what_is_stored() {
    let server = Server::with_schema();
    let vertices = format!("{G}/graph/vertices/batch");
    let body = r#"{"vertices":[{"label":"person","properties":{"name":"ann","age":29}},
        {"label":"place","id":"rome","properties":{}}],
        "update_strategies":{"age":"SUM"}}"#;
    let first = server.put(&vertices, body);
    assert_eq!(first.status, 200, "{}", first.text());
    let second = server.put(&vertices, body).json();
    assert_eq!(
        second["vertices"][0],
        json!({"id":"1:ann","label":"person","type":"vertex","properties":{"name":"ann","age":58}})
    );
    assert_eq!(server.get(&format!("{G}/graph/vertices/%221:ann%22")).json()["properties"]["age"], 58);

    let edges = format!("{G}/graph/edges/batch");
    let later = |date: &str, check: bool| {
        let body = json!({
            "edges": [{"label":"knows","outV":"1:ann","inV":"1:ann","outVLabel":"person","inVLabel":"person",
            "properties":{"since":date}}],
            "update_strategies": {"since":"BIGGER"}, "check_vertex": check, "create_if_not_exist": true,
        });
        server.put(&edges, &body.to_string())
    };
    let made = later("2014-02-20", true);
    assert_eq!(made.status, 200, "{}", made.text());
    let kept = later("2013-02-20", false).json();
    assert_eq!(kept["edges"][0]["properties"]["since"], "2014-02-20 00:00:00.000");
    assert_eq!(kept["edges"].as_array().unwrap().len(), 1);
}

#[test]
fn what_is_wrong_with_a_batch_update_is_said() {
    let server = Server::with_schema();
    let vertices = format!("{G}/graph/vertices/batch");
    let ann = r#"{"label":"person","properties":{"name":"ann","age":1}}"#;
    for (body, words) in [
        (format!(r#"{{"vertices":[{ann}]}}"#), "'update_strategies' is missing"),
        (format!(r#"{{"vertices":[{ann}],"update_strategies":{{}}}}"#), "'update_strategies' is missing"),
        (r#"{"update_strategies":{"age":"SUM"}}"#.to_owned(), "'vertices' is missing"),
        (r#"{"vertices":[],"update_strategies":{"age":"SUM"}}"#.to_owned(), "the list of vertices is empty"),
        (format!(r#"{{"vertices":[{ann},null],"update_strategies":{{"age":"SUM"}}}}"#), "[1]: null"),
        (format!(r#"{{"vertices":[{ann}],"update_strategies":{{"age":"ADD"}}}}"#), "'ADD' is unknown"),
        (
            r#"{"vertices":[{"label":"place","id":"rome","properties":{"name":"a"}},
                {"label":"place","id":"rome","properties":{"name":"b"}}],"update_strategies":{"name":"SUM"}}"#
                .to_owned(),
            "[1]: property 'name' cannot be updated with SUM",
        ),
        (format!(r#"{{"vertices":[{ann}],"update_strategies":{{"nmae":"SUM"}}}}"#), "undefined property key 'nmae'"),
        (format!(r#"{{"vertices":[{ann}],"update_strategies":{{"age":1}}}}"#), "update_strategies: expected a string"),
        (
            format!(r#"{{"vertices":[{ann}],"update_strategies":{{"age":"SUM"}},"create_if_not_exist":false}}"#),
            "'create_if_not_exist' must be true",
        ),
        (
            format!(
                r#"{{"vertices":[{ann},{{"label":"person","properties":{{"age":1}}}}],
                "update_strategies":{{"age":"SUM"}}}}"#
            ),
            "[1]: label 'person' requires 'name'",
        ),
    ] {
        let answer = server.put(&vertices, &body);
        assert_eq!(answer.status, 400, "{body}");
        assert!(answer.json()["message"].as_str().unwrap().contains(words), "{words}: {}", answer.text());
    }
    let edge = r#"{"edges":[{"id":"S1:a>1>1>>S1:c","label":"knows","outV":"1:a","inV":"1:b","properties":{}}],
        "update_strategies":{"since":"BIGGER"}}"#;
    let answer = server.put(&format!("{G}/graph/edges/batch"), edge);
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains("S1:a>1>1>>S1:b"), "{}", answer.text());
    assert_eq!(server.get(&format!("{G}/graph/vertices")).json(), json!({"vertices": []}));
}
