//! A small in-process HugeGraph that only reads: schema, shards with pages, users; of 1.7 or older, with or without a
//! store that can be scanned, and failing on request.
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use api_client::{ClientOptions, RetryPolicy};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// Elements in a shard.
const SHARD: usize = 1_000;

/// What it holds, and how it behaves.
pub(crate) struct Fake {
    pub(crate) version: &'static str,
    pub(crate) schema: Value,
    pub(crate) vertices: Vec<Value>,
    pub(crate) edges: Vec<Value>,
    pub(crate) users: HashMap<&'static str, Vec<Value>>,
    /// Whether its store can be scanned in parts.
    pub(crate) scans: bool,
    /// Pages with more elements are refused.
    pub(crate) page_max: usize,
    /// Every so many requests, one is answered 503.
    pub(crate) busy_every: usize,
}

pub(crate) struct Running {
    pub(crate) fake: Mutex<Fake>,
    pub(crate) requests: AtomicUsize,
    pub(crate) pages: AtomicUsize,
    /// After so many pages all others are refused.
    pub(crate) pages_allowed: AtomicUsize,
    pub(crate) paths: Mutex<Vec<String>>,
}

pub(crate) async fn serve(fake: Fake) -> (Arc<Running>, ClientOptions) {
    let running = Arc::new(Running {
        fake: Mutex::new(fake),
        requests: AtomicUsize::new(0),
        pages: AtomicUsize::new(0),
        pages_allowed: AtomicUsize::new(usize::MAX),
        paths: Mutex::default(),
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let app = Router::new().fallback(answer).with_state(Arc::clone(&running));
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let retry = RetryPolicy { attempts_max: 4, delay_min_ms: 1, delay_max_ms: 2 };
    (running, ClientOptions { url, retry, ..ClientOptions::default() })
}

fn refused(status: StatusCode, message: &str) -> Response {
    let body = json!({"exception": "class java.lang.IllegalArgumentException", "message": message, "cause": ""});
    (status, body.to_string()).into_response()
}

async fn answer(State(running): State<Arc<Running>>, request: Request) -> Response {
    assert_eq!(request.method(), "GET", "the source is only read");
    let fake = running.fake.lock().unwrap();
    let at = running.requests.fetch_add(1, Ordering::Relaxed) + 1;
    let uri = request.uri();
    let is_first = {
        let mut paths = running.paths.lock().unwrap();
        let is_first = !paths.contains(&uri.to_string());
        paths.push(uri.to_string());
        is_first
    };
    // No request is refused again and again: with several workers, which one meets the number is chance.
    if fake.busy_every > 0 && at.is_multiple_of(fake.busy_every) && is_first {
        return (StatusCode::SERVICE_UNAVAILABLE, [("retry-after", "0")], "{}").into_response();
    }
    let graph = if fake.version < "1.7" { "/graphs/hugegraph/" } else { "/graphspaces/DEFAULT/graphs/hugegraph/" };
    let json = |value: Value| value.to_string().into_response();
    if uri.path() == "/versions" {
        return json(json!({"versions": {"version": "v1", "core": fake.version, "api": "0.71.0.0"}}));
    }
    if let Some((_, list)) = uri.path().rsplit_once("/auth/") {
        let expected = match (fake.version < "1.7", list) {
            (true, _) => format!("{graph}auth/{list}"),
            (false, "groups") => "/auth/groups".to_owned(),
            (false, _) => format!("/graphspaces/DEFAULT/auth/{list}"),
        };
        assert_eq!(uri.path(), expected);
        return match fake.users.get(list) {
            Some(records) => json(json!({ list: records })),
            None => refused(StatusCode::INTERNAL_SERVER_ERROR, "Unconfigured authenticator, please config"),
        };
    }
    let Some(path) = uri.path().strip_prefix(graph) else {
        return refused(StatusCode::NOT_FOUND, "HTTP 404 Not Found");
    };
    let query: HashMap<String, String> = uri.query().unwrap_or_default().split('&').map(pair).collect();
    let number = |name: &str| query.get(name).and_then(|text| text.parse::<usize>().ok()).unwrap_or_default();
    match path {
        "schema/propertykeys" | "schema/vertexlabels" | "schema/edgelabels" | "schema/indexlabels" => {
            let list = path.rsplit('/').next().unwrap();
            json(json!({ list: fake.schema[list] }))
        }
        "variables" => json(json!({"owner": "ann", "size": 3})),
        _ => {
            let (name, all) =
                if path.contains("vertices") { ("vertices", &fake.vertices) } else { ("edges", &fake.edges) };
            if path.ends_with("/shards") {
                if !fake.scans {
                    return refused(StatusCode::BAD_REQUEST, "The store does not support scan");
                }
                let starts = (0..all.len()).step_by(SHARD);
                let shard = |start: usize| json!({"start": start.to_string(), "end": "~", "length": 0});
                return json(json!({"shards": starts.map(shard).collect::<Vec<_>>()}));
            }
            if running.pages.fetch_add(1, Ordering::Relaxed) >= running.pages_allowed.load(Ordering::Relaxed) {
                return refused(StatusCode::BAD_REQUEST, "the machine is being switched off");
            }
            let (from, to, limit) = match path.ends_with("/scan") {
                true => (number("start"), (number("start") + SHARD).min(all.len()), number("page_limit")),
                false => (0, all.len(), number("limit")),
            };
            if limit > fake.page_max {
                return refused(StatusCode::BAD_REQUEST, "Too many records(must <= 10) for one query");
            }
            let from = query.get("page").and_then(|page| page.parse().ok()).unwrap_or(from);
            let end = (from + limit).min(to);
            let next = if end < to { json!(end.to_string()) } else { Value::Null };
            json(json!({ name: all[from..end], "page": next }))
        }
    }
}

fn pair(text: &str) -> (String, String) {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    (name.to_owned(), value.to_owned())
}

/// A schema with every kind of key, id and label, as HugeGraph answers it.
pub(crate) fn schema() -> Value {
    let key = |id: u64, name: &str, data_type: &str, cardinality: &str| {
        json!({"id": id, "name": name, "data_type": data_type, "cardinality": cardinality, "aggregate_type": "NONE",
            "write_type": "OLTP", "properties": [], "status": "CREATED",
            "user_data": {"~create_time": "2020-01-02 03:04:05.678"}})
    };
    let types = ["BOOLEAN", "BYTE", "INT", "LONG", "FLOAT", "DOUBLE", "TEXT", "DATE", "UUID", "BLOB"];
    let mut keys: Vec<Value> =
        (1..).zip(types).map(|(id, data_type)| key(id, &data_type.to_lowercase(), data_type, "SINGLE")).collect();
    keys.push(key(20, "tags", "TEXT", "SET"));
    keys.push(key(21, "scores", "INT", "LIST"));
    keys.push(key(22, "name", "TEXT", "SINGLE"));
    let mut described = key(23, "weight", "DOUBLE", "SINGLE");
    described["user_data"]["unit"] = json!("kg");
    keys.push(described);
    let all: Vec<&str> = keys.iter().map(|key| key["name"].as_str().unwrap()).collect();
    let optional: Vec<&&str> = all.iter().filter(|name| **name != "name").collect();
    let vertex_label = |id: u64, name: &str, strategy: &str, primary: Value| {
        json!({"id": id, "name": name, "id_strategy": strategy, "primary_keys": primary, "nullable_keys": optional,
            "index_labels": [], "properties": all, "status": "CREATED", "ttl": 0, "enable_label_index": true,
            "user_data": {"~create_time": "2020-01-02 03:04:05.678"}})
    };
    json!({
        "propertykeys": keys,
        "vertexlabels": [
            // Not from 1 on, and not in order: the ids of vertices begin with these numbers.
            vertex_label(7, "person", "PRIMARY_KEY", json!(["name"])),
            vertex_label(3, "book", "CUSTOMIZE_STRING", json!([])),
            vertex_label(4, "number", "CUSTOMIZE_NUMBER", json!([])),
            vertex_label(5, "uuid", "CUSTOMIZE_UUID", json!([])),
            vertex_label(6, "made", "AUTOMATIC", json!([])),
        ],
        "edgelabels": [
            {"id": 2, "name": "read", "source_label": "person", "target_label": "book", "links": [{"person": "book"}],
             "edgelabel_type": "NORMAL", "frequency": "MULTIPLE", "sort_keys": ["int"], "properties": ["int", "weight"],
             "nullable_keys": ["weight"], "index_labels": [], "status": "CREATED", "ttl": 0,
             "enable_label_index": true, "user_data": {}},
            {"id": 1, "name": "knows", "source_label": "person", "target_label": "person", "frequency": "SINGLE",
             "sort_keys": [], "properties": ["weight"], "nullable_keys": ["weight"], "index_labels": [],
             "status": "CREATED", "ttl": 86_400_000, "enable_label_index": true, "user_data": {}},
        ],
        "indexlabels": [
            {"id": 1, "name": "person_by_int", "base_type": "VERTEX_LABEL", "base_value": "person",
             "index_type": "RANGE", "fields": ["int"], "status": "CREATED", "user_data": {}},
            {"id": 2, "name": "person_by_tags", "base_type": "VERTEX_LABEL", "base_value": "person",
             "index_type": "SECONDARY", "fields": ["tags"], "status": "CREATED", "user_data": {}},
        ],
    })
}

/// `count` vertices of all labels, and an edge or two from each person.
pub(crate) fn elements(count: usize) -> (Vec<Value>, Vec<Value>) {
    let (mut vertices, mut edges) = (Vec::new(), Vec::new());
    for n in 0..count {
        let name = format!("n{n}");
        let (label, id) = match n % 5 {
            0 => ("person", json!(format!("7:{name}"))),
            1 => ("book", json!(format!("book \"{n}\" ä"))),
            2 => ("number", json!(n)),
            3 => ("uuid", json!(format!("835e1153-9281-4957-8691-{n:012}"))),
            _ => ("made", json!(455_000_000_000_000_000_u64 + n as u64)),
        };
        vertices.push(json!({"id": id, "label": label, "type": "vertex", "properties": {
            "name": name, "boolean": n % 2 == 0, "byte": n % 100, "int": n, "long": 5_000_000_000_u64 + n as u64,
            "float": 0.5, "double": 1.0e10, "text": "two\nlines", "date": "2021-03-04 05:06:07.890",
            "uuid": "835e1153-9281-4957-8691-cf79258e90eb", "blob": "AQID", "tags": ["b", "a"], "scores": [3, 1, 3]}}));
        if n % 5 == 0 {
            edges.push(json!({"id": format!("S7:n{n}>1>1>>S7:n0"), "label": "knows", "type": "edge",
                "outV": format!("7:n{n}"), "outVLabel": "person", "inV": "7:n0", "inVLabel": "person",
                "properties": {"weight": 0.1}}));
        }
        if n % 5 == 1 {
            for times in 0..2 {
                edges.push(json!({"id": format!("S7:n0>2>2>{times}>Sbook \"{n}\" ä"), "label": "read", "type": "edge",
                    "outV": "7:n0", "outVLabel": "person", "inV": format!("book \"{n}\" ä"), "inVLabel": "book",
                    "properties": {"int": times, "weight": 1.0e-7}}));
            }
        }
    }
    (vertices, edges)
}
