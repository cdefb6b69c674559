//! Whole loads against a small in-process server that keeps elements by id and refuses some, with HugeGraph's error
//! shape.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "test code")]

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use std::sync::{Arc, Mutex};

use api_client::{ClientOptions, RetryPolicy};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use bulk_load::{Counted, LoadError, LoadOptions, LoadSummary, SilentObserver, load};
use serde_json::{Value, json};

/// What the server keeps and counts.
#[derive(Default)]
struct Kept {
    elements: BTreeMap<String, Value>,
    batches: Vec<usize>,
    created: Vec<Value>,
    busy_answers: usize,
    disk_is_low: bool,
    edges_before_vertices: bool,
    batch_max: Option<usize>,
}

type Shared = Arc<Mutex<Kept>>;

fn refused(message: &str) -> Response {
    let body = json!({"exception": "class java.lang.IllegalArgumentException", "message": message, "cause": ""});
    (StatusCode::BAD_REQUEST, body.to_string()).into_response()
}

fn schema() -> Value {
    json!({
        "propertykeys": [{"name": "name", "data_type": "TEXT"}, {"name": "age", "data_type": "INT"},
                         {"name": "since", "data_type": "DATE"}],
        "vertexlabels": [{"id": 1, "name": "person", "id_strategy": "PRIMARY_KEY", "properties": ["name", "age"],
                          "primary_keys": ["name"], "nullable_keys": ["age"]}],
        "edgelabels": [{"id": 1, "name": "knows", "source_label": "person", "target_label": "person",
                        "properties": ["since"], "nullable_keys": ["since"]}],
        "indexlabels": [],
    })
}

fn name_of(element: &Value) -> Option<&str> {
    element.pointer("/properties/name")?.as_str()
}

fn id_of(element: &Value) -> String {
    match element.get("outV") {
        Some(source) => format!("{source}>{}", element.get("inV").unwrap()),
        None => format!("1:{}", name_of(element).unwrap()),
    }
}

/// Stores all or nothing; a name that begins with "bad" is refused.
fn store(kept: &Shared, body: &[u8]) -> Response {
    let mut text = String::new();
    flate2::read::GzDecoder::new(body).read_to_string(&mut text).expect("the body is gzip");
    let elements: Vec<Value> = serde_json::from_str(&text).unwrap();
    let mut kept = kept.lock().unwrap();
    if kept.busy_answers > 0 {
        kept.busy_answers -= 1;
        return (StatusCode::SERVICE_UNAVAILABLE, [("retry-after", "0")], "{}").into_response();
    }
    if kept.disk_is_low {
        let message = json!({"message": "HTTP 507 Insufficient Storage: the disk of the data has 2 MiB left"});
        return (StatusCode::INSUFFICIENT_STORAGE, message.to_string()).into_response();
    }
    kept.batches.push(elements.len());
    let is_bad = |e: &&Value| name_of(e).is_some_and(|name| name.starts_with("bad"));
    if elements.len() > kept.batch_max.unwrap_or(usize::MAX) {
        return refused("too many elements in one batch");
    }
    if let Some(bad) = elements.iter().find(is_bad) {
        return refused(&format!("the name {:?} is not liked", name_of(bad).unwrap()));
    }
    let ids: Vec<String> = elements.iter().map(id_of).collect();
    let has_edge = kept.elements.values().any(|e| e.get("outV").is_some());
    if has_edge && elements.iter().any(|e| e.get("outV").is_none()) {
        kept.edges_before_vertices = true;
    }
    kept.elements.extend(ids.iter().cloned().zip(elements));
    (StatusCode::CREATED, json!(ids).to_string()).into_response()
}

/// Lists three elements at a time; the token is the position.
fn list(kept: &Shared, edges: bool, query: &str) -> Response {
    let token = query.split('&').find_map(|part| part.strip_prefix("page=")).unwrap_or_default();
    let start: usize = token.parse().unwrap_or(0);
    let kept = kept.lock().unwrap();
    let all: Vec<&Value> = kept.elements.values().filter(|e| e.get("outV").is_some() == edges).collect();
    let page: Vec<_> = all.iter().skip(start).take(3).collect();
    let next = (start + 3 < all.len()).then(|| (start + 3).to_string());
    let name = if edges { "edges" } else { "vertices" };
    json!({name: page, "page": next}).to_string().into_response()
}

async fn answer(State(kept): State<Shared>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body: Bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let path = parts.uri.path().trim_start_matches("/graphspaces/DEFAULT/graphs/hugegraph").to_owned();
    match (parts.method.as_str(), path.as_str()) {
        ("GET", "/versions") => json!({"versions": {"core": "1.7.0"}}).to_string().into_response(),
        ("GET", "/schema") => schema().to_string().into_response(),
        ("POST", "/graph/vertices/batch" | "/graph/edges/batch") => store(&kept, &body),
        ("GET", "/graph/vertices") => list(&kept, false, parts.uri.query().unwrap_or_default()),
        ("GET", "/graph/edges") => list(&kept, true, parts.uri.query().unwrap_or_default()),
        ("POST", path) if path.starts_with("/schema/") => {
            kept.lock().unwrap().created.push(serde_json::from_slice(&body).unwrap());
            (StatusCode::CREATED, "{}").into_response()
        }
        // The loader asks for nothing else; if it does, its request fails and so does the test.
        _ => StatusCode::NOT_IMPLEMENTED.into_response(),
    }
}

async fn serve() -> (String, Shared) {
    let kept = Shared::default();
    let router = Router::new().fallback(answer).with_state(Arc::clone(&kept));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.expect("the test server runs") });
    (url, kept)
}

/// Persons p0..p19 with ages, a bad name, a bad age, a short row; everyone knows the next one.
fn write_files(dir: &Path) {
    let mut persons = String::from("name,age\n");
    for i in 0..20 {
        match i {
            7 => persons.push_str("bad7,1\n"),
            9 => persons.push_str("p9,old\n"),
            11 => persons.push_str("p11\n"),
            _ => persons.push_str(&format!("p{i},{i}\n")),
        }
    }
    std::fs::write(dir.join("person.csv"), persons).unwrap();
    let edges: String = (0..5).map(|i| format!("{{\"a\":\"p{i}\",\"b\":\"p{}\",\"since\":{i}}}\n", i + 1)).collect();
    std::fs::write(dir.join("knows.json"), edges + "{\"a\":\"p1\",\"since\":1}\n").unwrap();
    let mapping = json!({"version": "2.0", "structs": [
        {"id": "knows", "input": {"type": "FILE", "path": "knows.json", "format": "JSON"},
         "edges": [{"label": "knows", "source": ["a"], "target": ["b"], "field_mapping": {"a": "name", "b": "name"}}]},
        {"id": "person", "input": {"type": "FILE", "path": "person.csv"}, "vertices": [{"label": "person"}]},
    ]});
    std::fs::write(dir.join("mapping.json"), mapping.to_string()).unwrap();
}

fn options(dir: &Path, url: &str) -> LoadOptions {
    let retry = RetryPolicy { attempts_max: 4, delay_min_ms: 1, delay_max_ms: 2 };
    let client = ClientOptions { url: url.into(), retry, ..ClientOptions::default() };
    LoadOptions { client, batch_size: 8, ..LoadOptions::new(dir.join("mapping.json")) }
}

fn label<'a>(summary: &'a LoadSummary, name: &str) -> &'a bulk_load::LabelSummary {
    summary.labels.iter().find(|label| label.label == name).unwrap()
}

#[tokio::test]
async fn bad_rows_are_left_out_and_everything_else_arrives() {
    let dir = tempfile::tempdir().unwrap();
    write_files(dir.path());
    let (url, kept) = serve().await;
    kept.lock().unwrap().busy_answers = 2;
    let summary = load(options(dir.path(), &url), &SilentObserver).await.unwrap();

    let person = label(&summary, "person");
    assert_eq!((person.read, person.inserted, person.rejected), (19, 17, 2), "{summary}");
    assert_eq!(person.counted, Counted::Counts { before: 0, after: 17 });
    assert_eq!(summary.rows_unreadable, 1);
    let knows = label(&summary, "knows");
    assert_eq!((knows.read, knows.inserted, knows.rejected, knows.skipped), (6, 5, 0, 1));
    assert_eq!(knows.count_matches(), Some(true));
    assert!(summary.warnings.is_empty(), "{summary}");

    let kept = kept.lock().unwrap();
    assert!(!kept.edges_before_vertices);
    assert_eq!(kept.elements["\"1:p0\">\"1:p1\""]["properties"], json!({"since": 0}));
    assert_eq!(kept.elements["1:p3"]["properties"], json!({"name": "p3", "age": 3}));

    let rejects = std::fs::read_to_string(dir.path().join("rejects/person.csv")).unwrap();
    let mut lines: Vec<_> = rejects.lines().skip(1).map(|line| line.split_once("person.csv,").unwrap().1).collect();
    lines.sort_unstable_by_key(|line| line.split(',').next().unwrap().parse::<u32>().unwrap());
    assert!(lines[0].starts_with("9,") && lines[0].contains("bad7") && lines[0].contains("is not liked"), "{rejects}");
    assert!(lines[1].starts_with("11,") && lines[1].contains("not a whole number"), "{rejects}");
    assert!(lines[2].starts_with("13,") && lines[2].contains("1 columns, the header has 2"), "{rejects}");
    let rows = std::fs::read_to_string(dir.path().join("rejects/person.rows")).unwrap();
    assert!(rows.starts_with("name,age\n") && rows.contains("p9,old\n"), "{rows}");
    assert!(!dir.path().join("rejects/knows.csv").exists());
}

#[tokio::test]
async fn one_bad_row_in_a_big_batch_is_found_by_halving() {
    let dir = tempfile::tempdir().unwrap();
    write_files(dir.path());
    let persons: String = (0..512).map(|i| if i == 300 { "bad,1\n".into() } else { format!("p{i},1\n") }).collect();
    std::fs::write(dir.path().join("person.csv"), format!("name,age\n{persons}")).unwrap();
    let (url, kept) = serve().await;
    let summary = load(LoadOptions { batch_size: 512, ..options(dir.path(), &url) }, &SilentObserver).await.unwrap();
    assert_eq!((label(&summary, "person").inserted, label(&summary, "person").rejected), (511, 1));
    let requests = kept.lock().unwrap().batches.len() - 1;
    assert_eq!(requests, 19, "one whole batch, then two halves on each of nine levels");
}

#[tokio::test]
async fn repeated_ids_are_seen_by_the_count() {
    let dir = tempfile::tempdir().unwrap();
    write_files(dir.path());
    std::fs::write(dir.path().join("person.csv"), "name,age\nann,1\nbob,2\nann,3\n").unwrap();
    let (url, _kept) = serve().await;
    let summary = load(options(dir.path(), &url), &SilentObserver).await.unwrap();
    assert_eq!(label(&summary, "person").count_matches(), Some(false));
    assert!(summary.warnings[0].contains("1 fewer"), "{summary}");
}

#[tokio::test]
async fn a_dry_run_checks_everything_and_sends_nothing() {
    let dir = tempfile::tempdir().unwrap();
    write_files(dir.path());
    let schema = dir.path().join("schema.json");
    std::fs::write(&schema, json!({"propertykeys": [{"name": "extra"}]}).to_string()).unwrap();
    let (url, kept) = serve().await;
    let options = LoadOptions { dry_run: true, schema: Some(schema), ..options(dir.path(), &url) };
    let summary = load(options, &SilentObserver).await.unwrap();
    assert_eq!((label(&summary, "person").inserted, summary.rejected()), (18, 2), "{summary}");
    let kept = kept.lock().unwrap();
    assert!(kept.batches.is_empty() && kept.created.is_empty());
}

#[tokio::test]
async fn a_schema_file_is_created_with_check_exist_off() {
    let dir = tempfile::tempdir().unwrap();
    write_files(dir.path());
    let path = dir.path().join("schema.json");
    std::fs::write(&path, schema().to_string()).unwrap();
    let (url, kept) = serve().await;
    load(LoadOptions { schema: Some(path), ..options(dir.path(), &url) }, &SilentObserver).await.unwrap();
    let kept = kept.lock().unwrap();
    assert_eq!(kept.created.len(), 5);
    assert!(kept.created.iter().all(|body| body["check_exist"] == false && body.get("id").is_none()));
}

#[tokio::test]
async fn too_many_rejected_rows_stop_the_load() {
    let dir = tempfile::tempdir().unwrap();
    write_files(dir.path());
    let (url, _kept) = serve().await;
    let options = LoadOptions { rejects_max: Some(1), ..options(dir.path(), &url) };
    let error = load(options, &SilentObserver).await.unwrap_err();
    assert!(matches!(error, LoadError::TooManyRejects { rejected: 2, rejects_max: 1, .. }), "{error}");
    assert!(dir.path().join("rejects/person.csv").exists(), "the reasons are kept");
}

#[tokio::test]
async fn mistakes_are_found_before_anything_is_sent() {
    let dir = tempfile::tempdir().unwrap();
    write_files(dir.path());
    std::fs::write(dir.path().join("person.csv"), "nmae,age\nann,1\n").unwrap();
    let (url, kept) = serve().await;
    let error = load(options(dir.path(), &url), &SilentObserver).await.unwrap_err().to_string();
    assert!(error.contains("person.csv") && error.contains("did you mean \"name\"?"), "{error}");
    assert!(kept.lock().unwrap().batches.is_empty());
    std::fs::remove_file(dir.path().join("person.csv")).unwrap();
    let error = load(options(dir.path(), &url), &SilentObserver).await.unwrap_err();
    assert!(matches!(error, LoadError::File { .. }), "{error}");
}

#[tokio::test]
async fn an_overloaded_server_stops_the_load_after_bounded_attempts() {
    let dir = tempfile::tempdir().unwrap();
    write_files(dir.path());
    let (url, kept) = serve().await;
    kept.lock().unwrap().busy_answers = usize::MAX;
    let error = load(options(dir.path(), &url), &SilentObserver).await.unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, LoadError::Server { .. }), "{text}");
    assert!(text.contains("person.csv, lines") && text.contains("too busy"), "{text}");
}

#[tokio::test]
async fn a_server_without_room_is_named_with_the_room_it_needs() {
    let dir = tempfile::tempdir().unwrap();
    write_files(dir.path());
    let (url, kept) = serve().await;
    kept.lock().unwrap().disk_is_low = true;
    let error = load(options(dir.path(), &url), &SilentObserver).await.unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, LoadError::ServerDiskFull { .. }), "{text}");
    assert!(text.contains("2 MiB left") && text.contains("are still to be loaded"), "{text}");
}

#[tokio::test]
async fn batches_that_are_too_big_arrive_in_parts_with_a_warning() {
    let dir = tempfile::tempdir().unwrap();
    write_files(dir.path());
    let (url, kept) = serve().await;
    kept.lock().unwrap().batch_max = Some(5);
    std::fs::write(dir.path().join("person.csv"), "name,age\na,1\nb,2\nc,3\nd,4\ne,5\nf,6\n").unwrap();
    let summary = load(options(dir.path(), &url), &SilentObserver).await.unwrap();
    assert_eq!((label(&summary, "person").inserted, summary.rejected()), (6, 0));
    assert!(summary.warnings[0].contains("batch_size below 8"), "{summary}");
}

/// A terminal on standard error draws a bar, a pipe gets lines; either way a load ends the same.
#[tokio::test]
async fn console_progress_can_watch_a_load() {
    let dir = tempfile::tempdir().unwrap();
    write_files(dir.path());
    let (url, _kept) = serve().await;
    let summary = load(options(dir.path(), &url), &bulk_load::ConsoleProgress::new()).await.unwrap();
    assert_eq!(summary.inserted(), 22);
}
