//! Algorithms over whole graphs for users who may not see all: what is theirs, and what is refused. That their results
//! are those of a graph without the rest is shown in `rights`.

use serde_json::{Value, json};

use crate::algorithm_jobs::{ended_algorithm, start_algorithm};
use crate::rights::{WHOLE, encoded, make_graph, sample};
use crate::server::Server;
use crate::users::{add_user, grant};

#[test]
fn algorithms_are_those_of_their_users() {
    let server = Server::with_users();
    let (vertices, edges) = sample();
    make_graph(&server, WHOLE, &vertices, &edges, &(0..vertices.len()).collect());
    let call = |user: &str, query: &str| server.ask(user, "POST", &format!("/graphs/{WHOLE}/cypher"), query).text();
    let degrees = "CALL algo.degree() YIELD vertex, degree RETURN count(*) AS c";
    let is_right = format!("\"c\":{}", vertices.len());
    assert!(call("admin", degrees).contains(&is_right), "{}", call("admin", degrees));
    let mut rights = Vec::new();
    for (user, resources) in [
        ("bob", json!([{ "type": "VERTEX", "label": "person" }, { "type": "EDGE" }])),
        ("cid", json!([{ "type": "VERTEX" }, { "type": "EDGE", "label": "knows" }])),
        ("dan", json!([{ "type": "VERTEX" }, { "type": "EDGE" }])),
        ("eve", json!([{ "type": "EDGE" }])),
    ] {
        add_user(&server, user);
        rights.push(grant(&server, user, "READ", WHOLE, &resources));
        grant(&server, user, "EXECUTE", WHOLE, &json!([{ "type": "GREMLIN" }]));
    }
    assert!(call("dan", degrees).contains(&is_right), "{}", call("dan", degrees));
    assert!(call("bob", degrees).contains("\"c\":24"), "{}", call("bob", degrees));
    assert!(call("eve", degrees).contains("Permission denied: read"), "{}", call("eve", degrees));
    // What is kept takes memory of all.
    let kept = "CALL algo.degree({projection: 'p'}) YIELD vertex RETURN count(*) AS c";
    assert!(call("dan", kept).contains("Permission denied: write"), "{}", call("dan", kept));
    for user in ["bob", "cid", "dan", "eve"] {
        for permission in ["READ", "WRITE", "DELETE"] {
            grant(&server, user, permission, WHOLE, &json!([{ "type": "TASK" }]));
        }
    }
    assert!(call("dan", kept).contains(&is_right), "{}", call("dan", kept));

    // Copies under names are of the whole graph, and of no use to others, nor told of.
    let start = |user: &str, name: &str, parameters: Value| {
        start_algorithm(&server, user, WHOLE, ("algorithm", name, &parameters))
    };
    let named = json!({ "projection": "p" });
    for user in ["bob", "cid"] {
        for name in ["degree", "algo.pagerank", "project", "projections", "drop_projection", "count_vertex"] {
            let (status, text) = start(user, name, named.clone()).unwrap_err();
            assert_eq!(status, 403, "{text}");
            assert!(text.contains("kept under names ('projection') are for users who may read all"), "{text}");
        }
        for query in [
            "CALL algo.degree({projection: 'p'})",
            "CALL algo.projections()",
            "CALL algo.project({projection: 'q'})",
            "CALL algo.drop_projection({projection: 'p'})",
        ] {
            let answer = call(user, query);
            assert!(answer.contains("are for users who may read all"), "{user}, {query}: {answer}");
        }
    }
    assert!(call("dan", "CALL algo.projections() YIELD projection RETURN count(*) AS c").contains("\"c\":1"));

    // Results are written by who may write all vertices and the schema, whatever names the algorithm has.
    for (name, parameters) in
        [("page_rank", json!({})), ("louvain", json!({})), ("degree", json!({ "write_property": "x" }))]
    {
        for user in ["bob", "dan"] {
            let (status, text) = start(user, name, parameters.clone()).unwrap_err();
            assert!(status == 403 && text.contains("Permission denied: write"), "{user} {name}: {text}");
        }
    }
    assert_eq!(start("eve", "degree", json!({})).unwrap_err().0, 403);

    // A task and its result are for who has started it, and for who may see all.
    let id = start("bob", "count_vertex", json!({})).unwrap();
    assert_eq!(ended_algorithm(&server, "bob", WHOLE, id).1, json!({ "person": 24, "*": 24 }));
    let status = |user: &str| server.ask(user, "GET", &format!("/graphs/{WHOLE}/tasks/{id}"), "").status;
    assert_eq!(["bob", "cid", "eve", "dan", "admin"].map(status), [200, 404, 404, 200, 200]);
    let task = server.ask("bob", "GET", &format!("/graphs/{WHOLE}/tasks/{id}"), "").json();
    assert_eq!(task["task_progress"], 0, "how many rows were read tells of hidden ones: {task}");
    // The rights are those at the time.
    assert_eq!(server.ask("admin", "DELETE", &format!("/auth/accesses/{}", encoded(&rights[0])), "").status, 204);
    assert_eq!(start("bob", "count_vertex", json!({})).unwrap_err().0, 403);
    assert!(call("bob", degrees).contains("Permission denied: read"), "{}", call("bob", degrees));
}

#[test]
fn results_are_written_to_what_may_be_seen() {
    let server = Server::with_users();
    let (vertices, edges) = sample();
    make_graph(&server, WHOLE, &vertices, &edges, &(0..vertices.len()).collect());
    add_user(&server, "bob");
    grant(&server, "bob", "READ", WHOLE, &json!([{ "type": "VERTEX", "label": "person" }, { "type": "EDGE" }]));
    grant(&server, "bob", "WRITE", WHOLE, &json!([{ "type": "VERTEX" }, { "type": "SCHEMA" }, { "type": "TASK" }]));
    grant(&server, "bob", "READ", WHOLE, &json!([{ "type": "TASK" }]));
    let parameters = json!({ "write_property": "part" });
    let id = start_algorithm(&server, "bob", WHOLE, ("algorithm", "algo.wcc", &parameters)).unwrap();
    let (status, found) = ended_algorithm(&server, "bob", WHOLE, id);
    assert_eq!((&*status, &found["written"]), ("success", &json!(24)), "{found}");
    let list = |label: &str| {
        let path = format!("/graphs/{WHOLE}/graph/vertices?label={label}&limit=-1");
        server.ask("admin", "GET", &path, "").json()["vertices"].as_array().unwrap().clone()
    };
    assert!(list("person").iter().all(|vertex| vertex["properties"]["part"].is_string()));
    assert!(list("software").iter().all(|vertex| vertex["properties"]["part"].is_null()));
}
