//! What a user may not see is as if it were not there: every answer a restricted user gets equals the administrator's
//! on a graph that has only what the user may see.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::algorithm_jobs::{algorithms, ended_algorithm, start_algorithm};
use crate::server::{Answer, Server};
use crate::users::{add_user, grant};

/// The whole graph, and the one that is cut down.
pub(crate) const WHOLE: &str = "hugegraph";
const CUT: &str = "cut";

#[derive(Clone)]
pub(crate) struct Vertex {
    label: &'static str,
    properties: Value,
}

#[derive(Clone)]
pub(crate) struct Edge {
    label: &'static str,
    source: usize,
    target: usize,
    weight: f64,
}

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

pub(crate) fn sample() -> (Vec<Vertex>, Vec<Edge>) {
    let mut numbers = Numbers(7);
    let mut vertices = Vec::new();
    for at in 0..24 {
        let city = ["Beijing", "HongKong", "Shanghai"][at % 3];
        let properties = json!({ "name": format!("p{at}"), "age": 20 + numbers.below(30), "city": city });
        vertices.push(Vertex { label: "person", properties });
    }
    for at in 0..6 {
        let properties = json!({ "name": format!("s{at}"), "lang": if at % 2 == 0 { "java" } else { "rust" } });
        vertices.push(Vertex { label: "software", properties });
    }
    let mut edges: BTreeMap<(usize, usize, &str), Edge> = BTreeMap::new();
    for _ in 0..110 {
        let (label, target) = match numbers.below(4) {
            0 => ("created", 24 + numbers.below(6)),
            _ => ("knows", numbers.below(24)),
        };
        let (source, target) = (usize::try_from(numbers.below(24)).unwrap(), usize::try_from(target).unwrap());
        let weight = f64::from(u32::try_from(numbers.below(100)).unwrap()) / 100.0;
        edges.insert((source, target, label), Edge { label, source, target, weight });
    }
    (vertices, edges.into_values().collect())
}

pub(crate) fn make_graph(server: &Server, graph: &str, vertices: &[Vertex], edges: &[Edge], kept: &BTreeSet<usize>) {
    let post = |path: &str, body: &Value| {
        let made = server.ask("admin", "POST", &format!("/graphs/{graph}/{path}"), &body.to_string());
        assert!(made.status < 300, "{path} {body}: {}", made.text());
    };
    for (name, kind) in [("name", "TEXT"), ("age", "INT"), ("city", "TEXT"), ("lang", "TEXT"), ("weight", "DOUBLE")] {
        post("schema/propertykeys", &json!({ "name": name, "data_type": kind }));
    }
    let label = |name: &str, properties: &[&str]| {
        let by_name = json!(["name"]);
        json!({ "name": name, "properties": properties, "primary_keys": by_name, "id_strategy": "PRIMARY_KEY" })
    };
    post("schema/vertexlabels", &label("person", &["name", "age", "city"]));
    post("schema/vertexlabels", &label("software", &["name", "lang"]));
    for (name, target) in [("knows", "person"), ("created", "software")] {
        let label = json!({
            "name": name, "source_label": "person", "target_label": target, "properties": ["weight"],
        });
        post("schema/edgelabels", &label);
    }
    for (name, base, kind, field) in [
        ("byCity", "person", "SECONDARY", "city"),
        ("byAge", "person", "RANGE", "age"),
        ("byLang", "software", "SECONDARY", "lang"),
    ] {
        let label = json!({
            "name": name, "base_type": "VERTEX_LABEL", "base_value": base, "index_type": kind, "fields": [field],
        });
        post("schema/indexlabels", &label);
    }
    let label = json!({
        "name": "byWeight", "base_type": "EDGE_LABEL", "base_value": "knows", "index_type": "RANGE",
        "fields": ["weight"],
    });
    post("schema/indexlabels", &label);
    let each = vertices.iter().enumerate().filter(|(at, _)| kept.contains(at));
    let batch = each.map(|(_, vertex)| json!({ "label": vertex.label, "properties": vertex.properties }));
    post("graph/vertices/batch", &batch.collect());
    let id = |at: usize| if at < 24 { format!("1:p{at}") } else { format!("2:s{}", at - 24) };
    let batch: Vec<Value> = edges
        .iter()
        .map(|edge| {
            json!({
                "label": edge.label, "outV": id(edge.source), "inV": id(edge.target), "outVLabel": "person",
                "inVLabel": vertices[edge.target].label, "properties": { "weight": edge.weight },
            })
        })
        .collect();
    if !batch.is_empty() {
        post("graph/edges/batch", &Value::from(batch));
    }
}

pub(crate) fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-_.~/?=&".contains(&byte) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").unwrap();
        }
        out
    })
}

/// What is asked: method, address after the graph's, body.
fn requests() -> Vec<(&'static str, String, Value)> {
    let mut all: Vec<(&'static str, String, Value)> = Vec::new();
    let mut get = |path: &str| all.push(("GET", path.to_owned(), Value::Null));
    for path in [
        "graph/vertices?limit=-1",
        "graph/vertices?limit=5",
        "graph/vertices?limit=5&offset=3",
        "graph/vertices?limit=0",
        "graph/vertices?label=person&limit=-1",
        "graph/vertices?label=person&limit=2&offset=1",
        "graph/vertices?label=software&limit=3",
        "graph/vertices?label=person&properties={\"city\":\"Beijing\"}&limit=4",
        "graph/vertices?label=person&properties={\"city\":\"HongKong\"}&limit=-1",
        "graph/vertices?label=person&properties={\"age\":\"P.gt(30)\"}&limit=-1",
        "graph/vertices?label=software&properties={\"lang\":\"java\"}&limit=2&offset=1",
        "graph/edges?limit=-1",
        "graph/edges?limit=7&offset=2",
        "graph/edges?label=knows&limit=10",
        "graph/edges?label=created&limit=-1",
        "graph/edges?label=knows&properties={\"weight\":\"P.gt(0.5)\"}&limit=5",
        "traversers/vertices?ids=\"1:p0\"&ids=\"1:p1\"&ids=\"2:s0\"&ids=\"1:nosuch\"",
        // What is not there, is wrong, or needs an index.
        "graph/vertices/\"1:nosuch\"",
        "graph/vertices/\"3:nosuch\"",
        "graph/vertices?label=nosuch",
        "graph/vertices?limit=-2",
        "graph/vertices?label=person&properties={\"name\":\"p1\",\"age\":3}",
        "graph/edges/S1:nosuch>1>>S1:p1",
        "graph/edges?vertex_id=\"1:nosuch\"&direction=OUT",
        "traversers/kout?source=\"1:nosuch\"&max_depth=1",
        "traversers/shortestpath?source=\"1:p0\"&target=\"1:nosuch\"&max_depth=3",
        "traversers/vertices/scan?start=nosuch",
    ] {
        get(path);
    }
    for source in ["1:p0", "1:p1", "1:p5", "2:s0"] {
        let quoted = format!("\"{source}\"");
        get(&format!("graph/vertices/{quoted}"));
        for path in [
            "graph/edges?vertex_id={}&direction=BOTH&limit=-1",
            "graph/edges?vertex_id={}&direction=OUT&label=knows&limit=2",
            "graph/edges?vertex_id={}&direction=IN&limit=3&offset=1",
            "traversers/kout?source={}&max_depth=1",
            "traversers/kout?source={}&max_depth=2&direction=BOTH&limit=5",
            "traversers/kneighbor?source={}&max_depth=3",
            "traversers/kneighbor?source={}&max_depth=2&direction=IN&max_degree=2",
            "traversers/rings?source={}&max_depth=4",
            "traversers/rays?source={}&max_depth=3&limit=20",
            "traversers/singlesourceshortestpath?source={}&weight=weight&with_vertex=true",
        ] {
            get(&path.replace("{}", &quoted));
        }
        for target in ["1:p2", "1:p7", "2:s3"] {
            for label in [1, 2] {
                let id = format!("S{source}>{label}>>S{target}");
                get(&format!("graph/edges/{id}"));
                get(&format!("traversers/edges?ids={id}&ids=S1:p0>1>>S1:p1&ids=S1:p1>1>>S1:p0"));
            }
            let target = format!("\"{target}\"");
            for path in [
                "traversers/shortestpath?source={}&target=[]&max_depth=5",
                "traversers/allshortestpaths?source={}&target=[]&max_depth=5&with_vertex=true",
                "traversers/weightedshortestpath?source={}&target=[]&weight=weight",
                "traversers/paths?source={}&target=[]&max_depth=3&limit=30",
                "traversers/crosspoints?source={}&target=[]&max_depth=3&limit=30",
                "traversers/sameneighbors?vertex={}&other=[]",
                "traversers/jaccardsimilarity?vertex={}&other=[]",
                "traversers/adamicadar?vertex={}&other=[]",
                "traversers/resourceallocation?vertex={}&other=[]",
                "traversers/edgeexist?source={}&target=[]&label=knows",
            ] {
                get(&path.replace("{}", &quoted).replace("[]", &target));
            }
        }
    }
    let mut post = |path: &str, body: Value| all.push(("POST", path.to_owned(), body));
    let both = json!({ "direction": "BOTH", "max_degree": -1 });
    let by_city = json!({ "label": "person", "properties": { "city": "Beijing" } });
    post("traversers/count", json!({ "source": "1:p0", "steps": [both, both] }));
    post("traversers/personalrank", json!({ "source": "1:p0", "label": "created", "alpha": 0.85, "max_depth": 5 }));
    post(
        "traversers/kout",
        json!({
            "source": "1:p0", "max_depth": 2, "steps": { "direction": "BOTH", "edge_steps": [], "vertex_steps": [] },
            "with_vertex": true, "with_path": true, "with_edge": true,
        }),
    );
    post(
        "traversers/kneighbor",
        json!({
            "source": "1:p1", "max_depth": 2, "steps": { "direction": "BOTH" }, "with_vertex": true,
        }),
    );
    post(
        "traversers/paths",
        json!({
            "sources": { "ids": ["1:p0", "1:p3"] }, "targets": by_city, "step": { "direction": "BOTH" },
            "max_depth": 2, "limit": 50, "nearest": true,
        }),
    );
    post(
        "traversers/customizedpaths",
        json!({
            "sources": by_city, "steps": [{ "direction": "OUT", "labels": ["knows"] }, { "direction": "OUT" }],
            "sort_by": "INCR", "limit": 40, "with_vertex": true,
        }),
    );
    post(
        "traversers/multinodeshortestpath",
        json!({
            "vertices": { "ids": ["1:p0", "1:p3", "1:p6"] }, "step": { "direction": "BOTH" }, "max_depth": 4,
            "with_vertex": true,
        }),
    );
    let out = |labels: &[&str]| json!({ "direction": "OUT", "labels": labels, "max_times": 2 });
    post(
        "traversers/templatepaths",
        json!({
            "sources": { "ids": ["1:p0", "1:p1", "1:p3"] }, "targets": { "label": "software" },
            "steps": [out(&["knows"]), out(&["created"])], "with_ring": true, "limit": 50, "with_vertex": true,
        }),
    );
    post(
        "traversers/customizedcrosspoints",
        json!({
            "sources": { "ids": ["1:p0", "1:p3"] },
            "path_patterns": [{ "steps": [{ "direction": "BOTH", "max_degree": -1 }] }],
            "with_path": true, "with_vertex": true, "limit": 50,
        }),
    );
    post(
        "traversers/fusiformsimilarity",
        json!({
            "sources": { "label": "person" }, "label": "knows", "direction": "BOTH", "min_neighbors": 1, "alpha": 0.3,
            "min_similars": 1, "top": 5, "max_degree": 100, "limit": 20, "with_intermediary": true,
            "with_vertex": true,
        }),
    );
    post("traversers/jaccardsimilarity", json!({ "vertex": "1:p0", "step": { "direction": "BOTH" }, "top": 5 }));
    post(
        "traversers/neighborrank",
        json!({
            "source": "1:p0", "alpha": 0.9, "steps": [{ "direction": "BOTH", "top": 10 }, { "direction": "BOTH" }],
        }),
    );
    all
}

const GREMLIN: &[&str] = &[
    "g.V().count()",
    "g.E().count()",
    "g.V().hasLabel('person').count()",
    "g.V().groupCount().by(label)",
    "g.E().groupCount().by(label)",
    "g.V().has('person','city','Beijing').values('name').order()",
    "g.V('1:p0').out().values('name').order()",
    "g.V('1:p0').both().count()",
    "g.V('1:p1','2:s0').valueMap()",
    "g.V().order().by('name').limit(3).values('name')",
    "g.V().hasLabel('person').out('knows').out('created').path().by('name').count()",
    "g.V().repeat(out()).times(2).dedup().values('name').order()",
    "g.E().has('weight', gt(0.5)).values('weight').sum()",
    "g.V().values('age').max()",
    "g.E().limit(5).count()",
    "g.V('2:s0').in().values('name').order()",
    "g.V().not(both()).values('name').order()",
    "g.V().match(__.as('a').out('knows').as('b')).select('a','b').by('name').count()",
];

const CYPHER: &[&str] = &[
    "MATCH (n) RETURN count(*)",
    "MATCH (n) RETURN labels(n)[0] AS label, count(*) AS count ORDER BY label",
    "MATCH ()-[r]->() RETURN count(r)",
    "MATCH ()-[r]->() RETURN type(r) AS type, count(*) AS count ORDER BY type",
    "MATCH (n:person {city: 'Beijing'}) RETURN n ORDER BY n.name",
    "MATCH (n:person) WHERE n.age > 30 RETURN n.name ORDER BY n.name",
    "MATCH (n) WHERE id(n) = '1:p0' RETURN n.name, COUNT { (n)--() } AS degree",
    "MATCH (a:person)-[:knows]->(b)-[:created]->(c) RETURN a.name, b.name, c.name ORDER BY a.name, b.name, c.name",
    "MATCH (n) WHERE id(n) = '1:p0' MATCH (n)-[*1..3]-(m) RETURN count(*), count(DISTINCT m)",
    "MATCH p = shortestPath((a {name: 'p0'})-[*]-(b {name: 'p3'})) RETURN length(p)",
    "MATCH (n) WHERE NOT EXISTS { (n)--() } RETURN n.name ORDER BY n.name",
    "MATCH (n) OPTIONAL MATCH (n)-[r:created]->(m) RETURN n.name, count(m) ORDER BY n.name",
    "MATCH (a)-->(b)-->(c)-->(a) RETURN count(*)",
    "MATCH ()-[r]->() WHERE r.weight > 0.5 RETURN sum(r.weight)",
    "CALL algo.degree({direction: 'both'}) YIELD vertex, degree RETURN vertex.name AS name, degree ORDER BY name",
    "CALL algo.wcc() YIELD vertex, component RETURN component, count(*) AS size ORDER BY size, component",
    "CALL algo.pagerank({weight: 'weight'}) YIELD vertex, score RETURN vertex.name AS name, score ORDER BY name",
    "CALL algo.estimate('degree', {vertex_labels: 'person'}) YIELD vertices, edges, fits RETURN vertices, edges, fits",
];

/// An answer without what may differ: the time it took, the number of the request, the names of the graphs and what
/// stands in page tokens.
fn plain(answer: &Answer) -> (u16, Value) {
    let mut json: Value = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
    if let Some(fields) = json.as_object_mut() {
        fields.remove("measure");
        fields.remove("requestId");
        if let Some(page) = fields.get_mut("page") {
            *page = Value::from(page.is_string());
        }
    }
    let text = json.to_string().replace(WHOLE, "G").replace("graph 'cut'", "graph 'G'");
    (answer.status, sorted(serde_json::from_str(&text).unwrap()))
}

/// Lists of ids and elements in an order of their own: that of sets is nobody's.
fn sorted(json: Value) -> Value {
    match json {
        Value::Array(items) => {
            let mut items: Vec<Value> = items.into_iter().map(sorted).collect();
            items.sort_by_cached_key(Value::to_string);
            Value::Array(items)
        }
        Value::Object(fields) => {
            let sorted: BTreeMap<String, Value> =
                fields.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            Value::Object(sorted.into_iter().collect())
        }
        other => other,
    }
}

/// All elements of a list, page by page, and how many pages there were.
fn pages(server: &Server, user: &str, graph: &str, list: &str, field: &str) -> Vec<Value> {
    let (mut token, mut all) = (String::new(), Vec::new());
    loop {
        let answer = server.ask(user, "GET", &format!("/graphs/{graph}/graph/{list}&page={}", encoded(&token)), "");
        assert_eq!(answer.status, 200, "{}", answer.text());
        let json = answer.json();
        all.push(json[field].clone());
        match json["page"].as_str() {
            Some(next) => next.clone_into(&mut token),
            None => return all,
        }
    }
}

/// All elements of a graph by its shards, each read whole or page by page.
fn scanned(server: &Server, user: &str, graph: &str, kind: &str, pages: &str) -> BTreeSet<String> {
    let ask = |path: &str| {
        let answer = server.ask(user, "GET", &format!("/graphs/{graph}/traversers/{kind}/{path}"), "");
        assert_eq!(answer.status, 200, "{path} as {user}: {}", answer.text());
        answer.json()
    };
    let mut all = BTreeSet::new();
    let shards = ask("shards?split_size=1048576");
    for shard in shards["shards"].as_array().unwrap() {
        let bound = |name: &str| encoded(shard[name].as_str().unwrap());
        let (mut token, bounds) = (String::new(), format!("start={}&end={}", bound("start"), bound("end")));
        loop {
            let part = ask(&format!("scan?{bounds}{}", pages.replace("page&", &format!("page={}&", encoded(&token)))));
            let elements = part[kind].as_array().unwrap();
            // A page is as full as it can be: what is hidden does not count.
            assert!(pages.is_empty() || elements.len() == 3 || part["page"].is_null(), "{part}");
            all.extend(elements.iter().map(Value::to_string));
            match part["page"].as_str() {
                Some(next) => next.clone_into(&mut token),
                None => break,
            }
        }
    }
    all
}

/// What a query finds that runs as a task.
fn task_result(server: &Server, user: &str, graph: &str, query: &str) -> (Value, Value) {
    let job = json!({ "gremlin": query, "aliases": {}, "bindings": {}, "language": "gremlin-groovy" });
    let started = server.ask(user, "POST", &format!("/graphs/{graph}/jobs/gremlin"), &job.to_string());
    assert_eq!(started.status, 201, "{}", started.text());
    let path = format!("/graphs/{graph}/tasks/{}", started.json()["task_id"]);
    let mut task = Value::Null;
    crate::server::wait_until("the end of the task", || {
        task = server.ask(user, "GET", &path, "").json();
        task["task_status"] == "success" || task["task_status"] == "failed"
    });
    (task["task_status"].clone(), task["task_result"].clone())
}

type SeesVertex = fn(&Vertex) -> bool;
type SeesEdge = fn(&Edge) -> bool;

#[test]
fn what_is_hidden_is_as_if_it_were_not_there() {
    let cases: [(&str, Value, SeesVertex, SeesEdge); 7] = [
        (
            "labels",
            json!([{ "type": "VERTEX", "label": "person" }, { "type": "EDGE", "label": "knows" }]),
            |vertex| vertex.label == "person",
            |edge| edge.label == "knows",
        ),
        (
            "city",
            json!([{ "type": "VERTEX", "label": "person", "properties": { "city": "Beijing" } }, { "type": "EDGE" }]),
            |vertex| vertex.properties["city"] == "Beijing",
            |_| true,
        ),
        (
            "weight",
            json!([
                { "type": "VERTEX" },
                { "type": "EDGE", "label": "knows", "properties": { "weight": "P.gt(0.5)" } },
            ]),
            |_| true,
            |edge| edge.label == "knows" && edge.weight > 0.5,
        ),
        (
            "age",
            json!([
                { "type": "VERTEX", "label": "person", "properties": { "age": "P.gt(30)" } },
                { "type": "VERTEX", "label": "soft*" },
                { "type": "EDGE", "label": "*" },
            ]),
            |vertex| vertex.label == "software" || vertex.properties["age"].as_u64().unwrap() > 30,
            |_| true,
        ),
        ("persons", json!([{ "type": "VERTEX", "label": "person" }]), |vertex| vertex.label == "person", |_| false),
        (
            "either",
            json!([
                { "type": "VERTEX", "label": "person", "properties": { "city": "Beijing" } },
                { "type": "VERTEX", "label": "person", "properties": { "city": "Shanghai" } },
                { "type": "EDGE", "label": "knows" },
            ]),
            |vertex| vertex.properties["city"] == "Beijing" || vertex.properties["city"] == "Shanghai",
            |edge| edge.label == "knows",
        ),
        ("all", json!([{ "type": "ALL" }]), |_| true, |_| true),
    ];
    for (user, resources, sees_vertex, sees_edge) in cases {
        compare(user, &resources, sees_vertex, sees_edge);
    }
}

fn compare(user: &str, resources: &Value, sees_vertex: SeesVertex, sees_edge: SeesEdge) {
    let server = Server::with_users();
    let (vertices, edges) = sample();
    let everything: BTreeSet<usize> = (0..vertices.len()).collect();
    make_graph(&server, WHOLE, &vertices, &edges, &everything);
    let kept: BTreeSet<usize> = everything.into_iter().filter(|at| sees_vertex(&vertices[*at])).collect();
    let kept_edges: Vec<Edge> = edges
        .iter()
        .filter(|edge| sees_edge(edge) && kept.contains(&edge.source) && kept.contains(&edge.target))
        .cloned()
        .collect();
    assert_eq!(server.ask("admin", "POST", &format!("/graphs/{CUT}"), "{}").status, 201);
    make_graph(&server, CUT, &vertices, &kept_edges, &kept);
    add_user(&server, user);
    grant(&server, user, "READ", WHOLE, resources);
    // The indexes that conditions need are part of every schema.
    grant(&server, user, "READ", WHOLE, &json!([{ "type": "SCHEMA" }]));
    grant(&server, user, "EXECUTE", WHOLE, &json!([{ "type": "GREMLIN" }]));
    let tasks = json!([{ "type": "TASK" }]);
    grant(&server, user, "WRITE", WHOLE, &tasks);
    grant(&server, user, "READ", WHOLE, &tasks);
    let mut answered = 0;
    let mut traversers: BTreeSet<String> = BTreeSet::new();
    for (method, path, body) in requests() {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let ask =
            |who: &str, graph: &str| server.ask(who, method, &format!("/graphs/{graph}/{}", encoded(&path)), &body);
        let seen = ask(user, WHOLE);
        if seen.status == 403 {
            // Without any right to edges.
            assert!(kept_edges.is_empty() && path.contains("edge"), "{path} as {user}: {}", seen.text());
            continue;
        }
        let (seen, expected) = (plain(&seen), plain(&ask("admin", CUT)));
        assert_eq!(seen, expected, "{method} {path} {body} as {user}");
        answered += usize::from(seen.0 == 200);
        if seen.0 == 200 && path.starts_with("traversers/") {
            traversers.insert(path.split('?').next().unwrap().to_owned());
        }
    }
    assert!(answered > 40, "{answered} answers say little");
    if user == "all" {
        let listed = server.ask("admin", "GET", "/apis", "").text();
        let named = listed.split('"').filter_map(|part| part.strip_prefix("{G}/"));
        let missing: BTreeSet<&str> = named
            .filter(|path| path.starts_with("traversers/") && !traversers.contains(*path))
            .filter(|path| !path.ends_with("/shards"))
            .collect();
        let scans = BTreeSet::from(["traversers/edges/scan", "traversers/vertices/scan"]);
        assert_eq!(missing, scans, "traversers that nothing here is asked of; scans are below");
    }
    for kind in ["vertices", "edges"] {
        if kept_edges.is_empty() && kind == "edges" {
            continue;
        }
        for page_limit in ["", "&page&page_limit=3"] {
            let seen = scanned(&server, user, WHOLE, kind, page_limit);
            assert_eq!(seen, scanned(&server, "admin", CUT, kind, page_limit), "the scan of {kind} as {user}");
        }
    }
    for query in GREMLIN.iter().take(4) {
        let seen = task_result(&server, user, WHOLE, query);
        assert_eq!(seen, task_result(&server, "admin", CUT, query), "the task {query} as {user}");
    }
    let mut finished = 0;
    for (kind, name, parameters) in algorithms() {
        let run = |who: &str, graph: &str| {
            let id = start_algorithm(&server, who, graph, (kind, &name, &parameters)).unwrap();
            ended_algorithm(&server, who, graph, id)
        };
        let seen = run(user, WHOLE);
        assert_eq!(seen, run("admin", CUT), "{kind}/{name} {parameters} as {user}");
        finished += usize::from(seen.0 == "success");
    }
    assert!(finished > 30, "{finished} algorithms that ran to their end say little");
    for list in ["vertices?limit=4", "vertices?label=person&limit=3", "edges?limit=6", "edges?label=knows&limit=5"] {
        if kept_edges.is_empty() && list.starts_with("edges") {
            continue;
        }
        let field = list.split('?').next().unwrap();
        let seen = pages(&server, user, WHOLE, list, field);
        assert_eq!(seen, pages(&server, "admin", CUT, list, field), "pages of {list} as {user}");
    }
    for query in GREMLIN {
        let body = |graph: &str| {
            let aliases = json!({ "graph": graph, "g": format!("__g_{graph}") });
            json!({ "gremlin": query, "aliases": aliases, "bindings": {}, "language": "gremlin-groovy" }).to_string()
        };
        let seen = plain(&server.ask(user, "POST", "/gremlin", &body(WHOLE)));
        let expected = plain(&server.ask("admin", "POST", "/gremlin", &body(CUT)));
        assert_eq!(seen, expected, "{query} as {user}");
        assert_eq!(seen.0, 200, "{query}: {}", seen.1);
    }
    for query in CYPHER {
        let ask = |who: &str, graph: &str| plain(&server.ask(who, "POST", &format!("/graphs/{graph}/cypher"), query));
        let seen = ask(user, WHOLE);
        assert_eq!(seen, ask("admin", CUT), "{query} as {user}");
        assert!(seen.0 == 200 && seen.1["status"]["code"] == 200, "{query}: {}", seen.1);
    }
}

#[test]
fn nothing_is_written_that_may_not_be() {
    let server = Server::with_users();
    let (vertices, edges) = sample();
    make_graph(&server, WHOLE, &vertices, &edges, &(0..vertices.len()).collect());
    add_user(&server, "bob");
    let beijing = json!([{ "type": "VERTEX", "label": "person", "properties": { "city": "Beijing" } }]);
    grant(&server, "bob", "READ", WHOLE, &json!([{ "type": "VERTEX", "label": "person" }, { "type": "EDGE" }]));
    grant(&server, "bob", "WRITE", WHOLE, &beijing);
    grant(&server, "bob", "DELETE", WHOLE, &beijing);
    grant(&server, "bob", "WRITE", WHOLE, &json!([{ "type": "EDGE", "label": "knows" }]));
    grant(&server, "bob", "EXECUTE", WHOLE, &json!([{ "type": "GREMLIN" }]));
    let all = |list: &str| server.ask("admin", "GET", &format!("/graphs/{WHOLE}/graph/{list}?limit=-1"), "").json();
    let before = (all("vertices"), all("edges"));
    let person =
        |name: &str, city: &str| json!({ "label": "person", "properties": { "name": name, "age": 1, "city": city } });
    let ask = |method: &str, path: &str, body: &Value| {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        server.ask("bob", method, &format!("/graphs/{WHOLE}/{}", encoded(path)), &body).status
    };
    let gremlin = |text: &str| server.ask("bob", "POST", "/gremlin", &json!({ "gremlin": text }).to_string()).status;
    let knows = |source: &str, target: &str| {
        json!({
            "label": "knows", "outV": source, "inV": target, "outVLabel": "person", "inVLabel": "person",
            "properties": { "weight": 1.0 },
        })
    };
    let created = json!({
        "label": "created", "outV": "1:p0", "inV": "2:s0", "outVLabel": "person", "inVLabel": "software",
        "properties": { "weight": 1.0 },
    });
    assert_eq!(ask("POST", "graph/vertices", &person("new", "HongKong")), 403);
    assert_eq!(ask("POST", "graph/vertices", &person("p1", "Beijing")), 403, "p1 is in HongKong");
    let software = json!({ "label": "software", "properties": { "name": "s9", "lang": "java" } });
    assert_eq!(ask("POST", "graph/vertices", &software), 403);
    let batch = json!([person("new", "Beijing"), person("other", "HongKong")]);
    assert_eq!(ask("POST", "graph/vertices/batch", &batch), 403, "all or nothing");
    let named = person("p0", "HongKong");
    assert_eq!(ask("PUT", "graph/vertices/\"1:p0\"?action=append", &named), 400, "its name is its id, for everybody");
    // Changed in parts: what it is and what it becomes must both be in Beijing.
    let age = json!({ "label": "person", "properties": { "age": 7 } });
    assert_eq!(ask("PUT", "graph/vertices/\"1:p1\"?action=append", &age), 403, "p1 is in HongKong");
    assert_eq!(ask("PUT", "graph/vertices/\"2:s0\"?action=append", &age), 404, "as if it were not there");
    let city = json!({ "label": "person", "properties": { "city": "HongKong" } });
    assert_eq!(ask("PUT", "graph/vertices/\"1:p0\"?action=append", &city), 403);
    let weight = json!({ "properties": { "weight": 0.25 } });
    let own = edges.iter().find(|edge| edge.label == "created").unwrap();
    let own = format!("S1:p{}>2>>S2:s{}", own.source, own.target - 24);
    assert_eq!(ask("PUT", &format!("graph/edges/{own}?action=append"), &weight), 404, "its end is hidden");
    // Merged: the same, all or none.
    let merge = |vertices: &[Value]| {
        let strategies = json!({ "age": "SUM", "city": "OVERRIDE" });
        let body = json!({ "vertices": vertices, "update_strategies": strategies, "create_if_not_exist": true });
        ask("PUT", "graph/vertices/batch", &body)
    };
    let s0 = json!({ "label": "software", "properties": { "name": "s0", "lang": "java" } });
    for wrong in [person("p1", "Beijing"), person("p0", "HongKong"), person("new", "HongKong"), s0] {
        assert_eq!(merge(std::slice::from_ref(&wrong)), 403, "{wrong}");
        assert_eq!(merge(&[person("p0", "Beijing"), wrong.clone()]), 403, "{wrong} after one that may be");
    }
    let merge_edges = |edges: &[Value]| {
        let body = json!({
            "edges": edges, "update_strategies": { "weight": "BIGGER" }, "check_vertex": true,
            "create_if_not_exist": true,
        });
        ask("PUT", "graph/edges/batch", &body)
    };
    let is_there = |edge: &Edge| (edge.source, edge.target, edge.label) == (0, 24, "created");
    assert!(edges.iter().any(is_there), "the edge that is hidden because s0 is");
    assert_eq!(merge_edges(&[knows("1:p0", "1:p1"), created.clone()]), 403, "it may not be written");
    assert_eq!(ask("DELETE", "graph/vertices/\"1:p1\"", &Value::Null), 403);
    assert_eq!(ask("DELETE", "graph/vertices/\"2:s0\"", &Value::Null), 400, "as if it were not there");
    assert_eq!(ask("POST", "graph/edges", &created), 403);
    assert_eq!(ask("DELETE", "graph/edges/S1:p0>1>>S1:p1", &Value::Null), 403);
    assert_eq!(gremlin("g.V('1:p1').property('age', 3)"), 403);
    assert_eq!(gremlin("g.addV('software').property('name','x').property('lang','x')"), 403);
    assert_eq!(gremlin("g.V('1:p1').drop()"), 403);
    assert_eq!(gremlin("g.E().drop()"), 403);
    assert_eq!(gremlin("graph.schema().propertyKey('x').asText().create()"), 403);
    for query in [
        "MATCH (n) WHERE id(n) = '1:p1' SET n.age = 3",
        "CREATE (:software {name: 'x', lang: 'x'})",
        "MERGE (n:person {name: 'p1'}) SET n.city = 'Beijing'",
        "MATCH (n:person) DETACH DELETE n",
        "MATCH ()-[r]->() DELETE r",
    ] {
        let answer = server.ask("bob", "POST", &format!("/graphs/{WHOLE}/cypher"), query);
        assert!(!answer.text().contains(r#""code":200"#), "{query}: {}", answer.text());
    }
    assert_eq!((all("vertices"), all("edges")), before, "nothing has changed");
    assert_eq!(ask("PUT", "graph/vertices/\"1:p0\"?action=append", &age), 200);
    assert_eq!(merge(&[person("p0", "Beijing"), person("merged", "Beijing")]), 200);
    let p0 = server.ask("admin", "GET", &format!("/graphs/{WHOLE}/graph/vertices/{}", encoded("\"1:p0\"")), "");
    assert_eq!(p0.json()["properties"]["age"], 8, "7 and 1");
    assert_eq!(merge_edges(&[knows("1:p0", "1:p1"), knows("1:p0", "1:p2")]), 200);
    let edge = "graph/edges/S1:p0>1>>S1:p1?action=append";
    assert_eq!(ask("PUT", edge, &weight), 200, "the right to write such edges has no condition");
    assert_eq!(ask("POST", "graph/vertices", &person("new", "Beijing")), 201);
    assert_eq!(ask("POST", "graph/vertices/batch", &json!([person("p0", "Beijing")])), 201, "p0 is in Beijing");
    assert_eq!(ask("POST", "graph/edges", &knows("1:p0", "1:p1")), 201);
    assert_eq!(ask("POST", "graph/edges/batch", &json!([knows("1:p2", "1:p1")])), 201);
    assert_eq!(gremlin("g.V('1:p0').property('age', 3)"), 200);
    assert_eq!(ask("DELETE", "graph/vertices/\"1:new\"", &Value::Null), 204);
    assert_eq!(gremlin("g.V('1:p0').drop()"), 200);
    let left = server.ask("admin", "GET", &format!("/graphs/{WHOLE}/graph/vertices/{}", encoded("\"1:p0\"")), "");
    assert_eq!(left.status, 404);
}

#[test]
fn tasks_and_queries_are_those_of_their_users() {
    let server = Server::with_users();
    let (vertices, edges) = sample();
    make_graph(&server, WHOLE, &vertices, &edges, &(0..vertices.len()).collect());
    for user in ["bob", "eve"] {
        add_user(&server, user);
        for permission in ["READ", "WRITE", "DELETE", "EXECUTE"] {
            grant(&server, user, permission, WHOLE, &json!([{ "type": "TASK" }, { "type": "GREMLIN" }]));
        }
    }
    grant(&server, "bob", "READ", WHOLE, &json!([{ "type": "VERTEX", "label": "person" }]));
    let job = json!({ "gremlin": "g.V().count()", "aliases": {}, "bindings": {}, "language": "gremlin-groovy" });
    let started = server.ask("bob", "POST", &format!("/graphs/{WHOLE}/jobs/gremlin"), &job.to_string());
    let id = started.json()["task_id"].as_u64().unwrap();
    let path = format!("/graphs/{WHOLE}/tasks/{id}");
    let mut task = Value::Null;
    crate::server::wait_until("the end of the task", || {
        task = server.ask("bob", "GET", &path, "").json();
        task["task_status"] == "success" || task["task_status"] == "failed"
    });
    assert_eq!(task["task_result"], "[24]", "with the rights of who has started it: {task}");
    assert_eq!(server.ask("eve", "GET", &path, "").status, 404);
    assert_eq!(server.ask("eve", "DELETE", &path, "").status, 404);
    let tasks = |user: &str| {
        let list = server.ask(user, "GET", &format!("/graphs/{WHOLE}/tasks?limit=-1"), "").json();
        list["tasks"].as_array().unwrap().iter().filter(|task| task["id"] == id).count()
    };
    assert_eq!((tasks("bob"), tasks("eve"), tasks("admin")), (1, 0, 1));
}
