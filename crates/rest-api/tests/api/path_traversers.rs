//! Paths, crosspoints, rings, rays, fusiform similarity, ranks and counts over TCP: the documented graph of six
//! vertices.

use serde_json::{Value, json};

use crate::modern::{self, get, post};
use crate::server::{Answer, G, Limits, Server};

const ILLEGAL: &str = "java.lang.IllegalArgumentException";
const HUGE: &str = "org.apache.hugegraph.HugeException";

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
    for (name, data_type) in [("name", "TEXT"), ("city", "TEXT"), ("weight", "DOUBLE")] {
        post("schema/propertykeys", json!({"name": name, "data_type": data_type}));
    }
    let label = |name: &str| {
        json!({"name": name, "properties": ["name", "city"],
               "primary_keys": ["name"], "nullable_keys": ["city"]})
    };
    post("schema/vertexlabels", label("person"));
    post("schema/vertexlabels", label("software"));
    let edges = |name: &str, target: &str| {
        json!({
            "name": name, "source_label": "person", "target_label": target, "properties": ["weight"]
        })
    };
    post("schema/edgelabels", edges("knows", "person"));
    post("schema/edgelabels", edges("created", "software"));
    let people = [("marko", "Beijing"), ("vadas", "Hongkong"), ("josh", "Beijing"), ("peter", "Shanghai")];
    let people =
        people.into_iter().map(|(name, city)| json!({"label": "person", "properties": {"name": name, "city": city}}));
    let software = ["lop", "ripple"].into_iter().map(|name| json!({"label": "software", "properties": {"name": name}}));
    post("graph/vertices/batch", people.chain(software).collect());
    post("graph/edges/batch", modern::edges());
}

fn assert_error(answer: &Answer, class: &str, fragment: &str) {
    assert_eq!((answer.status, answer.class()), (400, class.to_owned()), "{}", answer.text());
    assert!(answer.json()["message"].as_str().unwrap().contains(fragment), "{}", answer.text());
}

/// The objects of paths, sorted.
fn objects(paths: &Value) -> Vec<Vec<String>> {
    let text = |id: &Value| id.as_str().unwrap().to_owned();
    let path = |path: &Value| path["objects"].as_array().unwrap().iter().map(text).collect();
    let mut paths: Vec<Vec<String>> = paths.as_array().unwrap().iter().map(path).collect();
    paths.sort();
    paths
}

/// Paths given as texts such as `1:marko 2:lop`.
fn paths(texts: &[&str]) -> Vec<Vec<String>> {
    let mut paths: Vec<Vec<String>> = texts.iter().map(|text| text.split(' ').map(str::to_owned).collect()).collect();
    paths.sort();
    paths
}

/// The texts of an array, or the ids of its objects, sorted.
fn ids(array: &Value) -> Vec<String> {
    let id = |item: &Value| item.as_str().or(item["id"].as_str()).unwrap().to_owned();
    let mut ids: Vec<String> = array.as_array().unwrap().iter().map(id).collect();
    ids.sort();
    ids
}

#[test]
fn paths_by_query_and_by_body() {
    let server = modern();
    let ends = "source=%221:marko%22&target=%222:ripple%22&max_depth=3";
    let both = paths(&["1:marko 1:josh 2:ripple", "1:marko 2:lop 1:josh 2:ripple"]);
    let answer = get(&server, &format!("paths?{ends}")).json();
    assert_eq!(objects(&answer["paths"]), both);
    assert!(answer["measure"]["edge_iterations"].as_u64().unwrap() > 0);
    assert_eq!(objects(&get(&server, &format!("paths?{ends}&direction=OUT")).json()["paths"]), both[..1]);
    assert_eq!(objects(&get(&server, &format!("paths?{ends}&limit=1")).json()["paths"]), both[..1]);
    assert_eq!(get(&server, "paths?source=%221:josh%22&target=%221:josh%22&max_depth=3").json()["paths"], json!([]));

    let body = |more: Value| {
        let mut body = json!({
            "sources": {"ids": ["1:marko"], "label": null, "properties": {}}, "targets": {"ids": ["2:ripple"]},
            "step": {"direction": "BOTH", "labels": [], "properties": {},
            "degree": 10000, "skip_degree": 100000}, "max_depth": "3"
        });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let answer = post(&server, "paths", &body(json!({}))).json();
    assert_eq!(objects(&answer["paths"]), both);
    assert_eq!(ids(&answer["vertices"]), ["1:josh", "1:marko", "2:lop", "2:ripple"]);
    assert_eq!(answer["edges"].as_array().unwrap().len(), 4);
    let answer = post(&server, "paths", &body(json!({"nearest": true, "with_vertex": true, "with_edge": true}))).json();
    assert_eq!(objects(&answer["paths"]), both[..1]);
    assert_eq!(answer["vertices"][0]["properties"]["name"], "marko");
    assert_eq!(ids(&answer["edges"]), ["S1:josh>2>2>>S2:ripple", "S1:marko>1>1>>S1:josh"]);
    let heavy = json!({"direction": "BOTH", "properties": {"weight": "P.gte(0.5)"}});
    assert_eq!(objects(&post(&server, "paths", &body(json!({"step": heavy}))).json()["paths"]), both[..1]);

    // The Java client can hold whole elements only.
    let headers = [("Content-Type", "application/json"), ("User-Agent", "okhttp/4.10.0")];
    let java = server.send("POST", &format!("{G}/traversers/paths"), &headers, body(json!({})).to_string().as_bytes());
    assert_eq!((&java.json()["vertices"], &java.json()["edges"]), (&json!([]), &json!([])));
}

#[test]
fn bounds_of_paths() {
    let server = modern();
    let ends = "source=%221:marko%22&target=%222:ripple%22";
    assert_error(&get(&server, &format!("paths?{ends}")), ILLEGAL, "max_depth");
    assert_error(&get(&server, &format!("paths?{ends}&max_depth=5001")), ILLEGAL, "max_depth");
    assert_error(&get(&server, &format!("paths?{ends}&max_depth=3&limit=0")), ILLEGAL, "limit");
    assert_error(&get(&server, &format!("paths?{ends}&max_depth=3&label=no")), ILLEGAL, "Undefined edge label: 'no'");
    assert_error(&get(&server, &format!("paths?{ends}&max_depth=3&direction=UP")), ILLEGAL, "direction");
    let absent = get(&server, "paths?source=%221:no%22&target=%222:ripple%22&max_depth=3");
    assert_error(&absent, ILLEGAL, "source vertex with id \"1:no\" does not exist");
    let few = get(&server, &format!("paths?{ends}&max_depth=3&capacity=2"));
    assert_error(&few, HUGE, "Exceed capacity '2' while finding paths");
    let many: Vec<String> = (0..11).map(|at| format!("1:p{at}")).collect();
    let people: Vec<Value> =
        (0..11).map(|at| json!({"label": "person", "properties": {"name": format!("p{at}")}})).collect();
    assert_eq!(server.post(&format!("{G}/graph/vertices/batch"), &json!(people).to_string()).status, 201);
    let body = json!({"sources": {"ids": many}, "targets": {"ids": ["2:lop"]}, "step": {}, "max_depth": 3});
    assert_error(&post(&server, "paths", &body), ILLEGAL, "from 1 to 10 vertices, but selects 11");
    let body = json!({"vertices": {"ids": ["1:marko"]}, "step": {}, "max_depth": 3});
    assert_error(&post(&server, "multinodeshortestpath", &body), ILLEGAL, "from 2 to 10 vertices");
    assert_error(
        &post(&server, "paths", &json!({"targets": {"ids": ["2:lop"]}, "step": {}, "max_depth": 3})),
        ILLEGAL,
        "sources",
    );
}

#[test]
fn memory_is_bounded() {
    let server = Server::with(Limits { traversal_memory_bytes_max: 256, ..Limits::default() });
    fill(&server);
    let answer = get(&server, "paths?source=%221:marko%22&target=%222:ripple%22&max_depth=3");
    assert_eq!(answer.status, 400);
    assert!(answer.json()["message"].as_str().unwrap().contains("traversal_memory_bytes_max"), "{}", answer.text());
}

#[test]
fn crosspoints_and_customized_crosspoints() {
    let server = modern();
    let answer = get(&server, "crosspoints?source=%222:lop%22&target=%222:ripple%22&max_depth=5&direction=IN").json();
    assert_eq!(answer["crosspoints"], json!([{"crosspoint": "1:josh", "objects": ["2:lop", "1:josh", "2:ripple"]}]));

    let body = |more: Value| {
        let mut body = json!({
            "sources": {"ids": ["1:marko", "1:josh", "1:peter"]},
            "path_patterns": [{"steps": [{"direction": "OUT", "labels": ["created"]}]}]
        });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let answer = post(&server, "customizedcrosspoints", &body(json!({"with_path": true, "with_vertex": true}))).json();
    assert_eq!(answer["crosspoints"], json!(["2:lop"]));
    assert_eq!(objects(&answer["paths"]), paths(&["1:marko 2:lop", "1:josh 2:lop", "1:peter 2:lop"]));
    assert_eq!(ids(&answer["vertices"]), ["1:josh", "1:marko", "1:peter", "2:lop"]);
    assert_eq!(answer["edges"].as_array().unwrap().len(), 3);
    let answer = post(&server, "customizedcrosspoints", &body(json!({}))).json();
    assert_eq!(
        (&answer["crosspoints"], &answer["paths"], &answer["edges"]),
        (&json!(["2:lop"]), &json!([]), &json!([]))
    );
    // Both reach both in one of two ways; as many are given as asked for.
    let two = json!({"sources": {"ids": ["1:marko", "1:josh"]}, "path_patterns": [
        {"steps": [{"direction": "OUT", "labels": ["created"]}]},
        {"steps": [{"direction": "OUT", "labels": ["knows"]}, {"direction": "OUT", "labels": ["created"]}]}
    ]});
    assert_eq!(
        ids(&post(&server, "customizedcrosspoints", &body(two.clone())).json()["crosspoints"]),
        ["2:lop", "2:ripple"]
    );
    let mut one = body(two);
    one["limit"] = json!(1);
    assert_eq!(post(&server, "customizedcrosspoints", &one).json()["crosspoints"].as_array().unwrap().len(), 1);
    assert_error(
        &post(&server, "customizedcrosspoints", &body(json!({"path_patterns": []}))),
        ILLEGAL,
        "path_patterns",
    );
}

#[test]
fn customized_and_template_paths() {
    let server = modern();
    let step = |label: &str| {
        json!({"direction": "OUT", "labels": [label], "weight_by": "weight",
               "degree": -1, "sample": 100})
    };
    let body = |sort_by: &str, limit: i64| {
        json!({
            "sources": {"label": "person", "properties": {"name": "marko"}}, "steps": [step("knows"), step("created")],
            "sort_by": sort_by, "capacity": -1, "limit": limit
        })
    };
    let answer = post(&server, "customizedpaths", &body("INCR", -1)).json();
    let expected = json!([
        {"objects": ["1:marko", "1:josh", "2:lop"], "weights": [1.0, 0.4]},
        {"objects": ["1:marko", "1:josh", "2:ripple"], "weights": [1.0, 1.0]}
    ]);
    assert_eq!(answer["paths"], expected);
    let heaviest = post(&server, "customizedpaths", &body("DECR", 1)).json();
    assert_eq!(heaviest["paths"], json!([expected[1]]));
    let plain = post(&server, "customizedpaths", &body("NONE", -1)).json();
    assert_eq!(objects(&plain["paths"]), paths(&["1:marko 1:josh 2:lop", "1:marko 1:josh 2:ripple"]));
    assert!(plain["paths"][0].get("weights").is_none());
    assert_error(&post(&server, "customizedpaths", &body("UP", -1)), ILLEGAL, "sort_by");
    let mut small = body("NONE", -1);
    small["capacity"] = json!(1);
    assert_error(&post(&server, "customizedpaths", &small), HUGE, "Exceed capacity '1' while finding customized paths");
    let sampled = json!({"sources": {"ids": ["1:marko"]}, "steps": [{"direction": "OUT", "sample": 2}]});
    let first = post(&server, "customizedpaths", &sampled).json();
    assert_eq!(first["paths"].as_array().unwrap().len(), 2);
    assert_eq!(first["paths"], post(&server, "customizedpaths", &sampled).json()["paths"]);
    let wrong = json!({"sources": {"ids": ["1:marko"]}, "steps": [{"max_degree": 2, "sample": 3}]});
    assert_error(&post(&server, "customizedpaths", &wrong), ILLEGAL, "sample");

    let template = |times: i64, with_ring: bool| {
        json!({
            "sources": {"ids": ["1:vadas"]}, "targets": {"ids": ["2:ripple"]}, "with_ring": with_ring,
            "steps": [
                {"direction": "IN", "labels": ["knows"]},
                {"direction": "BOTH", "labels": ["created"], "max_times": times}
            ]
        })
    };
    let found =
        |times, with_ring| objects(&post(&server, "templatepaths", &template(times, with_ring)).json()["paths"]);
    assert_eq!(found(2, false), paths(&[]));
    assert_eq!(found(3, false), paths(&["1:vadas 1:marko 2:lop 1:josh 2:ripple"]));
    assert_eq!(found(5, false), found(3, false));
    assert_eq!(found(5, true).len(), 5);
    assert_error(&post(&server, "templatepaths", &template(0, false)), ILLEGAL, "max_times");
    assert_error(&post(&server, "templatepaths", &template(100_000, false)), ILLEGAL, "max_times");
}

#[test]
fn rings_and_rays() {
    let server = modern();
    let from_marko = "source=%221:marko%22&max_depth";
    let rings = get(&server, &format!("rings?{from_marko}=3")).json();
    assert_eq!(rings["rings"], json!([{"objects": ["1:marko", "2:lop", "1:josh", "1:marko"]}]));
    assert_eq!(ids(&rings["vertices"]), ["1:josh", "1:marko", "2:lop"]);
    assert_eq!(ids(&rings["edges"]), ["S1:josh>2>2>>S2:lop", "S1:marko>1>1>>S1:josh", "S1:marko>2>2>>S2:lop"]);
    assert_eq!(get(&server, &format!("rings?{from_marko}=2")).json()["rings"], json!([]));
    assert_eq!(get(&server, &format!("rings?{from_marko}=3&direction=OUT")).json()["rings"], json!([]));
    let vadas = "source=%221:vadas%22&max_depth=4";
    assert_eq!(get(&server, &format!("rings?{vadas}")).json()["rings"], json!([]));
    let reached = get(&server, &format!("rings?{vadas}&source_in_ring=false")).json();
    let both = ["1:vadas 1:marko 1:josh 2:lop 1:marko", "1:vadas 1:marko 2:lop 1:josh 1:marko"];
    assert_eq!(objects(&reached["rings"]), paths(&both));

    let rays = |more: &str| objects(&get(&server, &format!("rays?{from_marko}={more}")).json()["rays"]);
    assert_eq!(rays("1&direction=OUT"), paths(&["1:marko 2:lop", "1:marko 1:josh", "1:marko 1:vadas"]));
    let out = ["1:marko 2:lop", "1:marko 1:vadas", "1:marko 1:josh 2:ripple", "1:marko 1:josh 2:lop"];
    assert_eq!(rays("3&direction=OUT"), paths(&out));
    let both = [
        "1:marko 2:lop 1:peter",
        "1:marko 1:josh 2:lop 1:peter",
        "1:marko 1:vadas",
        "1:marko 2:lop 1:josh 2:ripple",
        "1:marko 1:josh 2:ripple",
    ];
    assert_eq!(rays("3"), paths(&both));
    assert_eq!(rays("3&limit=2").len(), 2);
    let whole = get(&server, &format!("rays?{from_marko}=1&with_vertex=true&with_edge=true")).json();
    assert_eq!(
        (whole["vertices"][0]["type"].as_str(), whole["edges"][0]["type"].as_str()),
        (Some("vertex"), Some("edge"))
    );
    let few = get(&server, &format!("rays?{from_marko}=2&capacity=1"));
    assert_error(&few, HUGE, "Exceed capacity '1' while finding rays");
}

#[test]
fn shortest_paths_between_many() {
    let server = modern();
    let body = json!({
        "vertices": {"ids": ["2:ripple", "1:marko", "1:vadas", "1:peter"]}, "step": {"direction": "BOTH"},
        "max_depth": 10, "with_vertex": true
    });
    let answer = post(&server, "multinodeshortestpath", &body).json();
    let expected = [
        "2:ripple 1:josh 1:marko",
        "2:ripple 1:josh 1:marko 1:vadas",
        "2:ripple 1:josh 2:lop 1:peter",
        "1:marko 1:vadas",
        "1:marko 2:lop 1:peter",
        "1:vadas 1:marko 2:lop 1:peter",
    ];
    assert_eq!(objects(&answer["paths"]), paths(&expected));
    assert_eq!(answer["vertices"].as_array().unwrap().len(), 6);
    assert!(answer["edges"].as_array().unwrap().iter().all(Value::is_string));
}

#[test]
fn fusiform_similarity() {
    let server = modern();
    let body = |more: Value| {
        let mut body = json!({
            "sources": {"label": "person"}, "label": "created", "direction": "OUT", "min_neighbors": 1, "alpha": 1,
            "group_property": "city", "min_groups": 2
        });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let answer = post(&server, "fusiformsimilarity", &body(json!({"with_intermediary": true}))).json();
    let similar = |id: &str| json!({"id": id, "score": 1.0, "intermediaries": ["2:lop"]});
    // Marko and josh both live in Beijing; josh alone created ripple as well, so half of what he created is shared.
    assert_eq!(ids(&answer["vertices"]), ["1:josh", "1:marko", "1:peter", "2:lop"]);
    assert_eq!(answer["similars"]["1:peter"], json!([similar("1:josh"), similar("1:marko")]));
    assert_eq!(answer["similars"].as_object().unwrap().len(), 2);
    let answer = post(&server, "fusiformsimilarity", &body(json!({"min_groups": 3}))).json();
    assert_eq!((&answer["similars"], &answer["vertices"]), (&json!({}), &json!([])));
    for (wrong, field) in [
        (json!({"alpha": 0}), "alpha"),
        (json!({"alpha": 1.5}), "alpha"),
        (json!({"min_neighbors": 0}), "min_neighbors"),
        (json!({"min_similars": 0}), "min_similars"),
        (json!({"min_groups": 0}), "min_groups"),
        (json!({"top": -1}), "top"),
        (json!({"group_property": null}), "group_property"),
        (json!({"label": "no"}), "Undefined edge label"),
    ] {
        assert_error(&post(&server, "fusiformsimilarity", &body(wrong)), ILLEGAL, field);
    }
    let few = post(&server, "fusiformsimilarity", &body(json!({"capacity": 3})));
    assert_error(&few, HUGE, "Exceed capacity '3' while finding fusiform similarity");
}

#[test]
fn ranks_and_counts() {
    let server = modern();
    let body = json!({"source": "1:marko", "label": "created", "alpha": "1", "max_depth": "3"});
    // After three steps the walk is at software; what it leaves out is at hand: marko and lop.
    assert_eq!(
        post(&server, "personalrank", &body).json(),
        json!({"1:josh": 0.0, "1:peter": 0.0, "2:ripple": 1.0 / 6.0})
            .as_object()
            .map(|map| {
                let mut sorted: Vec<_> = map.clone().into_iter().collect();
                sorted.sort_by(|a, b| b.1.as_f64().partial_cmp(&a.1.as_f64()).unwrap());
                Value::Object(sorted.into_iter().collect())
            })
            .unwrap()
    );
    let same = json!({"source": "1:marko", "label": "created", "max_depth": 2, "with_label": "SAME_LABEL", "limit": 1});
    assert_eq!(post(&server, "personalrank", &same).json().as_object().unwrap().len(), 1);
    for (wrong, field) in [
        (json!({"source": "1:marko"}), "label"),
        (json!({"source": "1:no", "label": "created"}), "does not exist"),
        (json!({"source": "1:marko", "label": "created", "max_depth": 1}), "max_depth"),
        (json!({"source": "1:marko", "label": "created", "alpha": 0}), "alpha"),
        (json!({"source": "1:marko", "label": "created", "with_label": "NO"}), "with_label"),
        (json!({"source": "2:lop", "label": "knows"}), "do not connect"),
    ] {
        assert_error(&post(&server, "personalrank", &wrong), ILLEGAL, field);
    }

    let body =
        json!({"source": "1:peter", "steps": [{"direction": "OUT"}, {"direction": "IN", "top": 1}], "alpha": 0.5});
    let answer = post(&server, "neighborrank", &body).json();
    assert_eq!(answer, json!({"ranks": [{"1:peter": 1.0}, {"2:lop": 0.5}, {"1:josh": 0.125}]}));
    let without_alpha = json!({"source": "1:peter", "steps": [{}]});
    assert_error(&post(&server, "neighborrank", &without_alpha), ILLEGAL, "alpha");
    let wide = json!({"source": "1:peter", "steps": [{"top": 1001}], "alpha": 1});
    assert_error(&post(&server, "neighborrank", &wide), ILLEGAL, "top");

    let count = |body: Value| post(&server, "count", &body);
    let two = json!([{"direction": "OUT"}, {"direction": "OUT"}]);
    assert_eq!(count(json!({"source": "1:marko", "steps": two})).json(), json!({"count": 2}));
    let all = count(json!({"source": "1:marko", "steps": two, "contains_traversed": true}));
    assert_eq!(all.json(), json!({"count": 6}));
    let bounded = json!([{"direction": "OUT", "degree": 2}]);
    assert_eq!(count(json!({"source": "1:marko", "steps": bounded})).json(), json!({"count": 2}));
    assert_eq!(count(json!({"source": "1:marko", "steps": [{"max_degree": -1}]})).json(), json!({"count": 3}));
    assert_error(&count(json!({"source": "1:marko"})), ILLEGAL, "steps");
    assert_error(&count(json!({"source": "1:marko", "steps": two, "dedup_size": -2})), ILLEGAL, "dedup_size");
}

#[test]
fn lists_of_bodies_have_limits() {
    let server = Server::start();
    server.make_schema();
    let sources = json!({"ids": ["1:a"]});
    let many = |item: Value, count: usize| Value::from(vec![item; count]);
    for (path, body, list) in [
        ("customizedpaths", json!({"sources": sources, "steps": many(json!({}), 501)}), "steps"),
        ("templatepaths", json!({"sources": sources, "targets": sources, "steps": many(json!({}), 501)}), "steps"),
        ("count", json!({"source": "1:a", "steps": many(json!({}), 501)}), "steps"),
        ("neighborrank", json!({"source": "1:a", "alpha": 1, "steps": many(json!({}), 501)}), "steps"),
        ("customizedcrosspoints", json!({"sources": sources, "path_patterns": many(json!({}), 101)}), "path_patterns"),
        ("sameneighbors", json!({"vertex_list": many(json!("1:a"), 10_001)}), "vertex_list"),
        ("sameneighbors", json!({"vertex_list": ["1:a", "1:b"], "labels": many(json!("knows"), 1_001)}), "labels"),
        ("kout", json!({"source": "1:a", "steps": {"edge_steps": many(json!({}), 1_001)}}), "steps.edge_steps"),
        ("kout", json!({"source": "1:a", "steps": {"vertex_steps": many(json!({}), 1_001)}}), "steps.vertex_steps"),
        ("customizedpaths", json!({"sources": {"ids": many(json!("1:a"), 100_001)}}), "sources.ids"),
    ] {
        let answer = server.post(&format!("{G}/traversers/{path}"), &body.to_string());
        let text = answer.text();
        assert!(answer.status == 400 && text.contains("which is the limit of this list"), "{path}: {text}");
        assert!(text.contains(&format!("{list}: more than")), "{path}: {text}");
    }
}
