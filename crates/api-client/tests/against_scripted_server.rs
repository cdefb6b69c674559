//! The client against a small in-process server that answers as the REST contract says.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "test code")]

use std::io::Read as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use api_client::{Client, ClientError, ClientOptions, ElementKind, RetryPolicy, VertexId};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};

async fn serve(router: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await.expect("the test server runs") });
    format!("http://{address}")
}

fn quick() -> RetryPolicy {
    RetryPolicy { attempts_max: 3, delay_min_ms: 1, delay_max_ms: 2 }
}

fn versions(core: &'static str) -> Router {
    Router::new().route(
        "/versions",
        get(move || async move {
            json!({"versions": {"version": "v1", "core": core, "gremlin": "3.5.1", "api": "0.71.0.0"}}).to_string()
        }),
    )
}

async fn connect(url: String) -> Client {
    Client::connect(ClientOptions { url, retry: quick(), ..ClientOptions::default() }).await.unwrap()
}

#[tokio::test]
async fn layouts_of_old_and_new_servers() {
    async fn path(request: Request) -> Response {
        let path = request.uri().to_string();
        (StatusCode::OK, json!({"id": path}).to_string()).into_response()
    }
    for (core, prefix) in [("1.7.0", "/graphspaces/DEFAULT/graphs/hugegraph"), ("1.5.0", "/graphs/hugegraph")] {
        let client = connect(serve(versions(core).fallback(path)).await).await;
        let vertex = client.vertex(&VertexId::Text("2:rome".into())).await.unwrap();
        assert_eq!(vertex["id"], format!("{prefix}/graph/vertices/%222%3Arome%22"));
        let edge = client.edge("S1:a>1>1>>S2:b").await.unwrap();
        assert_eq!(edge["id"], format!("{prefix}/graph/edges/S1%3Aa%3E1%3E1%3E%3ES2%3Ab"));
    }
}

#[tokio::test]
async fn batches_are_compressed_and_repeated_while_the_server_is_busy() {
    #[derive(Default)]
    struct Seen {
        calls: AtomicUsize,
        bodies: Mutex<Vec<String>>,
    }
    async fn batch(State(seen): State<Arc<Seen>>, headers: HeaderMap, body: Bytes) -> Response {
        if seen.calls.fetch_add(1, Ordering::SeqCst) == 0 {
            let busy = json!({"exception": "class jakarta.ws.rs.ServiceUnavailableException", "message": "busy"});
            return (StatusCode::SERVICE_UNAVAILABLE, [("retry-after", "0")], busy.to_string()).into_response();
        }
        assert_eq!(headers["content-encoding"], "gzip");
        let mut text = String::new();
        flate2::read::GzDecoder::new(&body[..]).read_to_string(&mut text).unwrap();
        seen.bodies.lock().unwrap().push(text);
        (StatusCode::CREATED, json!(["1:a"]).to_string()).into_response()
    }
    let seen = Arc::new(Seen::default());
    let path = "/graphspaces/DEFAULT/graphs/hugegraph/graph/vertices/batch";
    let router = versions("1.7.0").merge(Router::new().route(path, post(batch)).with_state(Arc::clone(&seen)));
    let client = connect(serve(router).await).await;
    let ids = client.add_vertices(Bytes::from_static(b"[{\"label\":\"a\"}]"), true).await.unwrap();
    assert_eq!(ids, [Value::from("1:a")]);
    assert_eq!(seen.calls.load(Ordering::SeqCst), 2);
    assert_eq!(*seen.bodies.lock().unwrap(), ["[{\"label\":\"a\"}]"]);
}

#[tokio::test]
async fn attempts_are_bounded_and_refusals_are_not_repeated() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&calls);
    let answer = move |request: Request| {
        let calls = Arc::clone(&counter);
        async move {
            calls.fetch_add(1, Ordering::SeqCst);
            let busy = request.uri().path().ends_with("/busy");
            if busy { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::BAD_REQUEST }
        }
    };
    let client = connect(serve(versions("1.5.0").fallback(answer)).await).await;
    let error = client.edge("busy").await.unwrap_err();
    assert!(matches!(error, ClientError::Overloaded { status: 503, .. }), "{error}");
    assert_eq!(calls.load(Ordering::SeqCst), 3);
    let error = client.edge("bad").await.unwrap_err();
    assert!(error.is_bad_data(), "{error}");
    assert_eq!(calls.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn a_label_is_counted_over_all_its_pages() {
    async fn list(request: Request) -> String {
        let query = request.uri().query().unwrap_or_default().to_owned();
        assert!(query.contains("label=person") && query.contains("limit=2"), "{query}");
        let vertex = json!({"id": "x"});
        if query.contains("page=&") {
            return json!({"vertices": [vertex, vertex], "page": "a+b"}).to_string();
        }
        assert!(query.contains("page=a%2Bb"), "{query}");
        json!({"vertices": [vertex], "page": null}).to_string()
    }
    let client = connect(serve(versions("1.5.0").fallback(list)).await).await;
    assert_eq!(client.count(ElementKind::Vertex, "person", 2).await.unwrap(), 3);
    let page = client.list(ElementKind::Vertex, Some("person"), 2, None).await.unwrap();
    assert_eq!((page.elements.len(), page.next.as_deref()), (2, Some("a+b")));
}

#[tokio::test]
async fn no_server_is_a_connect_error_that_says_what_to_check() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = Client::connect(ClientOptions { url, retry: quick(), ..ClientOptions::default() }).await.unwrap_err();
    assert!(matches!(error, ClientError::Connect { .. }), "{error}");
    assert!(error.to_string().contains("Check that the server runs"), "{error}");
}

#[tokio::test]
async fn waiting_for_a_task_ends_with_its_result() {
    let looks = Arc::new(AtomicUsize::new(0));
    let answer = move |request: Request| {
        let looks = Arc::clone(&looks);
        async move {
            if request.uri().path().ends_with("/9") {
                return json!({"id": 9, "task_name": "n", "task_status": "failed", "task_result": "boom"}).to_string();
            }
            let status = if looks.fetch_add(1, Ordering::SeqCst) < 2 { "running" } else { "success" };
            json!({"id": 3, "task_name": "n", "task_status": status}).to_string()
        }
    };
    let client = connect(serve(versions("1.7.0").fallback(answer)).await).await;
    client.wait_for_task(0, 1000).await.unwrap();
    client.wait_for_task(3, 10_000).await.unwrap();
    let error = client.wait_for_task(9, 10_000).await.unwrap_err();
    assert!(error.to_string().contains("boom"), "{error}");
}
