//! Neighbourhoods, similarity and shortest paths over TCP: the documented graph of six vertices, parameters, errors,
//! bounds.

use serde_json::{Value, json};

use crate::modern::{self, get, post};
use crate::server::{Answer, G, Limits, Server, write_request};

const ILLEGAL: &str = "java.lang.IllegalArgumentException";
const HUGE: &str = "org.apache.hugegraph.HugeException";
const LIMIT: &str = "org.apache.hugegraph.exception.LimitExceedException";

/// Marko knows vadas and josh and, like josh and peter, created lop; josh created ripple, too.
fn modern() -> Server {
    let server = Server::start();
    fill(&server);
    server
}

fn fill(server: &Server) {
    let post = |path: &str, body: Value| {
        let answer = server.post(&format!("{G}/{path}"), &body.to_string());
        assert!(answer.status < 300, "{path}: {}", answer.text());
    };
    for (name, data_type) in [("name", "TEXT"), ("age", "INT"), ("weight", "DOUBLE"), ("at", "TEXT")] {
        post("schema/propertykeys", json!({"name": name, "data_type": data_type}));
    }
    let label = |name: &str| {
        json!({"name": name, "properties": ["name", "age"],
               "primary_keys": ["name"], "nullable_keys": ["age"]})
    };
    post("schema/vertexlabels", label("person"));
    post("schema/vertexlabels", label("software"));
    let edges = |name: &str, target: &str| {
        let properties = ["weight"];
        json!({"name": name, "source_label": "person", "target_label": target, "properties": properties})
    };
    post("schema/edgelabels", edges("knows", "person"));
    post("schema/edgelabels", edges("created", "software"));
    let phoned = json!({
        "name": "phoned", "source_label": "person", "target_label": "person", "properties": ["at"],
        "frequency": "MULTIPLE", "sort_keys": ["at"]
    });
    post("schema/edgelabels", phoned);
    let vertex =
        |(label, name, age): (&str, &str, i64)| json!({"label": label, "properties": {"name": name, "age": age}});
    let vertices = [("person", "marko", 29), ("person", "vadas", 27), ("person", "josh", 32), ("person", "peter", 35)];
    let software = [("software", "lop", 5), ("software", "ripple", 6)];
    post("graph/vertices/batch", vertices.into_iter().chain(software).map(vertex).collect());
    post("graph/edges/batch", modern::edges());
}

/// The ids of an array, sorted.
fn ids(array: &Value) -> Vec<String> {
    let mut ids: Vec<String> = array.as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()).collect();
    ids.sort();
    ids
}

fn assert_error(answer: &Answer, class: &str) {
    assert_eq!(answer.status, 400, "{}", answer.text());
    assert_eq!(answer.class(), class, "{}", answer.text());
}

#[test]
fn k_out_and_k_neighbour() {
    let server = modern();
    let vertices = |path: &str| ids(&get(&server, path).json()["vertices"]);
    let from_marko = "source=%221:marko%22&max_depth=2";
    assert_eq!(vertices(&format!("kout?{from_marko}&direction=OUT")), ["2:ripple"]);
    assert_eq!(vertices(&format!("kout?{from_marko}&direction=OUT&nearest=false")), ["2:lop", "2:ripple"]);
    assert_eq!(vertices(&format!("kout?{from_marko}")), ["1:peter", "2:ripple"]);
    assert_eq!(vertices(&format!("kout?{from_marko}&label=knows")).len(), 0);
    assert_eq!(vertices(&format!("kneighbor?{from_marko}&label=knows")), ["1:josh", "1:vadas"]);
    assert_eq!(vertices(&format!("kneighbor?{from_marko}&limit=2")).len(), 2);
    let counted = get(&server, &format!("kneighbor?{from_marko}&count_only=true")).json();
    assert_eq!((&counted["vertices_size"], &counted["measure"]["vertice_iterations"]), (&json!(5), &json!(6)));
    assert_eq!(get(&server, &format!("kout?{from_marko}&count_only=true")).json()["vertices_size"], 2);
}

#[test]
fn k_out_by_body_filters_edges_and_vertices() {
    let server = modern();
    let body = |steps: Value| {
        let shown = true;
        json!({
            "source": "1:marko", "max_depth": 2, "steps": steps,
            "with_path": shown, "with_vertex": shown, "with_edge": shown
        })
    };
    let answer = post(&server, "kout", &body(json!({"direction": "BOTH"}))).json();
    assert_eq!(ids(&answer["kout"]), ["1:peter", "2:ripple"]);
    assert_eq!(answer["size"], 2);
    let paths: Vec<&Value> = answer["paths"].as_array().unwrap().iter().map(|path| &path["objects"]).collect();
    assert!(paths.contains(&&json!(["1:marko", "2:lop", "1:peter"])), "{paths:?}");
    assert_eq!(answer["vertices"].as_array().unwrap().len(), 5);
    assert_eq!(answer["edges"].as_array().unwrap().len(), 4);
    let light =
        json!({"edge_steps": [{"label": "created", "properties": {"weight": "P.lt(0.3)"}}, {"label": "knows"}]});
    assert_eq!(post(&server, "kout", &body(light)).json()["size"], 0);
    let young = json!({"vertex_steps": [{"label": "person", "properties": {"age": "P.lt(30)"}}]});
    assert_eq!(ids(&post(&server, "kneighbor", &body(young)).json()["kneighbor"]), ["1:vadas"]);
    let old_form =
        json!({"source": "1:marko", "max_depth": 1, "step": {"direction": "OUT", "labels": ["created"], "degree": 5}});
    assert_eq!(post(&server, "kneighbor", &old_form).json()["kneighbor"], json!(["2:lop"]));
    let count = json!({"source": "1:marko", "max_depth": 1, "steps": {}, "count_only": true,
        "traverse_mode": "Depth_First_Search"});
    let counted = post(&server, "kout", &count).json();
    assert_eq!((&counted["kout"], &counted["size"]), (&json!([]), &json!(3)));
}

/// 1:marko has a short way to 2:lop and one over 1:josh: depth first, it must not be shown at a shortest distance of
/// two.
#[test]
fn k_out_finds_the_same_in_both_modes() {
    let server = modern();
    for (nearest, depth, found) in [
        (true, 1, json!(["1:josh", "1:vadas", "2:lop"])),
        (true, 2, json!(["2:ripple"])),
        (false, 2, json!(["2:lop", "2:ripple"])),
        (false, 3, json!([])),
    ] {
        for mode in ["breadth_first_search", "depth_first_search"] {
            let body = json!({"source": "1:marko", "max_depth": depth, "steps": {"direction": "OUT"},
                "nearest": nearest,
                "traverse_mode": mode});
            assert_eq!(json!(ids(&post(&server, "kout", &body).json()["kout"])), found, "{mode} {nearest} {depth}");
        }
    }
}

#[test]
fn ids_stand_for_elements_except_for_the_java_client() {
    let server = modern();
    let path = format!("{G}/traversers/weightedshortestpath?source=%221:marko%22&target=%222:ripple%22&weight=weight");
    let plain = server.get(&path).json();
    assert_eq!(plain["path"], json!({"weight": 1.8, "vertices": ["1:marko", "2:lop", "1:josh", "2:ripple"]}));
    assert_eq!(ids(&plain["vertices"]), ["1:josh", "1:marko", "2:lop", "2:ripple"]);
    let java = server.send("GET", &path, &[("User-Agent", "okhttp/4.10.0")], b"").json();
    assert_eq!((&java["path"], &java["vertices"], &java["edges"]), (&plain["path"], &json!([]), &json!([])));
    let whole = server.send("GET", &format!("{path}&with_vertex=true&with_edge=true"), &[], b"").json();
    assert_eq!(whole["edges"].as_array().unwrap().len(), 3);
    assert_eq!(whole["vertices"][0]["properties"]["name"], "marko");
}

#[test]
fn similarity() {
    let server = modern();
    let of = |path: &str| get(&server, &format!("{path}?vertex=%221:marko%22&other=%221:josh%22")).json();
    assert_eq!(of("sameneighbors")["same_neighbors"], json!(["2:lop"]));
    assert_eq!(of("jaccardsimilarity")["jaccard_similarity"], 0.2);
    assert_eq!(of("resourceallocation"), json!({"resource_allocation": 1.0 / 3.0}));
    assert_eq!(of("adamicadar"), json!({"adamic_adar": 1.0 / 3f64.ln()}));
    let listed = json!({"vertex_list": ["1:marko", "1:josh", "1:peter"], "labels": ["created"], "with_vertex": true});
    let same = post(&server, "sameneighbors", &listed).json();
    assert_eq!((&same["same_neighbors"], same["vertices"].as_array().unwrap().len()), (&json!(["2:lop"]), 4));
    let similar =
        post(&server, "jaccardsimilarity", &json!({"vertex": "1:peter", "step": {"labels": ["created"]}, "top": 2}));
    assert_eq!(similar.json()["jaccard_similarity"], json!({"1:marko": 1.0, "1:josh": 0.5}));
    let same_vertex = "adamicadar?vertex=%221:marko%22&other=%221:marko%22";
    assert_error(&get(&server, same_vertex), ILLEGAL);
    assert_error(&post(&server, "sameneighbors", &json!({"vertex_list": ["1:marko"]})), ILLEGAL);
}

#[test]
fn shortest_paths() {
    let server = modern();
    let ends = "source=%221:vadas%22&target=%221:peter%22&max_depth=9";
    let path = get(&server, &format!("shortestpath?{ends}")).json();
    assert_eq!(path["path"], json!(["1:vadas", "1:marko", "2:lop", "1:peter"]));
    assert_eq!((path["vertices"].as_array().unwrap().len(), path["edges"].as_array().unwrap().len()), (4, 3));
    assert_eq!(get(&server, &format!("shortestpath?{ends}&direction=OUT")).json()["path"], json!([]));
    let all =
        get(&server, "allshortestpaths?source=%221:marko%22&target=%222:ripple%22&max_depth=9&with_edge=true").json();
    assert_eq!(all["paths"], json!([{"objects": ["1:marko", "1:josh", "2:ripple"]}]));
    assert_eq!(all["edges"][0]["properties"]["weight"], 1.0);
    let single = get(&server, "singlesourceshortestpath?source=%221:peter%22&weight=weight&limit=2").json();
    let expected = json!({
        "2:lop": {"weight": 0.2, "vertices": ["1:peter", "2:lop"]},
        "1:josh": {"weight": 0.2 + 0.4, "vertices": ["1:peter", "2:lop", "1:josh"]},
    });
    assert_eq!(single["paths"], expected);
    let none = "weightedshortestpath?source=%222:lop%22&target=%221:marko%22&weight=weight&direction=OUT";
    assert_eq!(get(&server, none).json()["path"], json!({}));
}

#[test]
fn edges_between_two_vertices() {
    let server = modern();
    let calls: Vec<Value> = ["b", "a"]
        .map(|at| {
            json!({
                "label": "phoned", "outV": "1:marko", "outVLabel": "person", "inV": "1:josh", "inVLabel": "person",
                "properties": {"at": at}
            })
        })
        .into();
    assert_eq!(server.post(&format!("{G}/graph/edges/batch"), &Value::from(calls).to_string()).status, 201);
    let edges = |more: &str| {
        let answer = get(&server, &format!("edgeexist?source=%221:marko%22&target=%221:josh%22{more}")).json();
        ids(&answer["edges"].as_array().unwrap().iter().map(|edge| edge["id"].clone()).collect())
    };
    let all = ["S1:marko>1>1>>S1:josh", "S1:marko>3>3>a>S1:josh", "S1:marko>3>3>b>S1:josh"];
    assert_eq!(edges(""), all);
    assert_eq!(edges("&label=phoned"), all[1..]);
    assert_eq!(edges("&label=phoned&sort_values=b"), all[2..]);
    assert_eq!(edges("&label=knows"), all[..1]);
    assert_eq!(edges("&limit=2").len(), 2);
    assert_eq!(get(&server, "edgeexist?source=%221:josh%22&target=%221:marko%22").json(), json!({"edges": []}));
}

#[test]
fn wrong_parameters_are_told() {
    let server = modern();
    for wrong in [
        "kout?max_depth=1",
        "kout?source=1:marko&max_depth=1",
        "kout?source=%221:nobody%22&max_depth=1",
        "kout?source=%221:marko%22",
        "kout?source=%221:marko%22&max_depth=0",
        "kout?source=%221:marko%22&max_depth=5001",
        "kout?source=%221:marko%22&max_depth=1&direction=out",
        "kout?source=%221:marko%22&max_depth=1&label=nosuch",
        "kout?source=%221:marko%22&max_depth=1&max_degree=0",
        "kout?source=%221:marko%22&max_depth=1&limit=-2",
        "kout?source=%221:marko%22&max_depth=1&limit=-1",
        "kout?source=%221:marko%22&max_depth=1&capacity=5&limit=6",
        "shortestpath?source=%221:marko%22&max_depth=2",
        "shortestpath?source=%221:marko%22&target=%221:nobody%22&max_depth=2",
        "shortestpath?source=%221:marko%22&target=%221:josh%22&max_depth=2&max_degree=10&capacity=10",
        "shortestpath?source=%221:marko%22&target=%221:josh%22&max_depth=2&max_degree=10&skip_degree=9",
        "weightedshortestpath?source=%221:marko%22&target=%221:josh%22",
        "weightedshortestpath?source=%221:marko%22&target=%221:josh%22&weight=nosuch",
    ] {
        let answer = get(&server, wrong);
        assert_eq!(answer.status, 400, "{wrong}: {}", answer.text());
        assert_error(&answer, ILLEGAL);
    }
    let marko = |more: Value| {
        let mut body = json!({"source": "1:marko", "max_depth": 1, "steps": {}});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    assert_eq!(post(&server, "kout", &marko(json!({}))).status, 200);
    for wrong in [
        json!({"source": null}),
        json!({"source": 1.5}),
        json!({"steps": null}),
        json!({"max_depth": null}),
        json!({"traverse_mode": "sideways"}),
        json!({"count_only": true, "with_vertex": true}),
        json!({"steps": {"edge_steps": [{"label": "nosuch"}]}}),
        json!({"steps": {"edge_steps": [{"label": "knows", "properties": {"nosuch": 1}}]}}),
        json!({"steps": {"vertex_steps": [{"properties": {"age": 1}}]}}),
        json!({"steps": {"max_degree": 5, "skip_degree": 4}}),
    ] {
        assert_error(&post(&server, "kout", &marko(wrong)), ILLEGAL);
    }
    assert_error(
        &get(&server, "shortestpath?source=%221:vadas%22&target=%221:peter%22&max_depth=9&max_degree=2&capacity=3"),
        HUGE,
    );
    assert_error(&post(&server, "kout", &marko(json!({"capacity": 3}))), HUGE);
}

#[test]
fn a_label_named_twice_is_walked_once() {
    let server = modern();
    let twice = json!(["knows", "created", "knows"]);
    let marko = |more: Value| {
        let mut body = json!({"source": "1:marko", "max_depth": 1});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        post(&server, "kneighbor", &body).json()["measure"]["edge_iterations"].clone()
    };
    assert_eq!(marko(json!({"step": {"labels": twice}})), 3);
    let both =
        json!([{"label": "knows", "properties": {"weight": 1.0}}, {"label": "knows", "properties": {"weight": 0.5}}]);
    assert_eq!(marko(json!({"steps": {"edge_steps": both}})), 2);
    let body = json!({"vertex": "1:marko", "step": {"labels": twice, "direction": "OUT"}});
    let scores = post(&server, "jaccardsimilarity", &body).json();
    let body = json!({"vertex": "1:marko", "step": {"labels": ["knows", "created"], "direction": "OUT"}});
    assert_eq!(scores["jaccard_similarity"], post(&server, "jaccardsimilarity", &body).json()["jaccard_similarity"]);
    let same = |labels: &Value| {
        let body = json!({"vertex_list": ["1:josh", "1:peter"], "labels": labels, "direction": "OUT"});
        post(&server, "sameneighbors", &body).json()
    };
    assert_eq!(same(&twice)["measure"]["edge_iterations"], 3);
}

#[test]
fn memory_and_answers_are_bounded() {
    let server = Server::with(Limits { traversal_memory_bytes_max: 400, ..Limits::default() });
    fill(&server);
    assert_error(&get(&server, "kneighbor?source=%221:marko%22&max_depth=3"), LIMIT);
    let server = Server::with(Limits { response_bytes_max: 100, ..Limits::default() });
    fill(&server);
    let body = json!({"source": "1:marko", "max_depth": 1, "steps": {}, "with_vertex": true});
    assert_error(&post(&server, "kout", &body), LIMIT);
    let body = json!({"source": "1:marko", "max_depth": 1, "steps": {}, "with_path": true, "with_edge": true});
    assert_error(&post(&server, "kout", &body), LIMIT);
    let server = Server::with(Limits { response_bytes_max: 40, ..Limits::default() });
    fill(&server);
    let body = json!({"source": "1:marko", "label": "created", "alpha": 1, "max_depth": 3});
    assert_error(&post(&server, "personalrank", &body), LIMIT);
}

/// A clique, in which walks of any length exist.
fn clique(server: &Server, size: usize) {
    server.make_schema();
    let names: Vec<String> = (0..size).map(|at| format!("p{at}")).collect();
    let vertices: Vec<Value> =
        names.iter().map(|name| json!({"label": "person", "properties": {"name": name}})).collect();
    assert_eq!(server.post(&format!("{G}/graph/vertices/batch"), &Value::from(vertices).to_string()).status, 201);
    for source in &names {
        let edge = |target: &String| {
            json!({
                "label": "knows", "outV": format!("1:{source}"), "outVLabel": "person",
                "inV": format!("1:{target}"), "inVLabel": "person", "properties": {}
            })
        };
        let edges: Value = names.iter().filter(|target| *target != source).map(edge).collect();
        assert_eq!(server.post(&format!("{G}/graph/edges/batch"), &edges.to_string()).status, 201);
    }
}

const ENDLESS: &str = "/graphs/hugegraph/traversers/kout?source=%221:p0%22&max_depth=5000&nearest=false";

#[test]
fn a_traversal_ends_when_its_client_goes_away() {
    // One thread for what can take long: whoever comes second waits for the first.
    let server = Server::with(Limits { blocking_threads: 1, request_timeout_ms: 600_000, ..Limits::default() });
    clique(&server, 100);
    let mut gone = server.connect();
    write_request(&mut gone, "GET", ENDLESS, &[], b"");
    drop(gone);
    let next = get(&server, "kneighbor?source=%221:p0%22&max_depth=1&count_only=true");
    assert_eq!(next.json()["vertices_size"], 99);
}

#[test]
fn a_traversal_has_a_deadline() {
    let server = Server::with(Limits { request_timeout_ms: 300, ..Limits::default() });
    clique(&server, 100);
    let answer = server.get(ENDLESS);
    assert_eq!(answer.status, 503, "{}", answer.text());
    assert!(answer.text().contains("server.request_timeout_ms"));
}
