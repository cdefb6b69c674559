//! Spans against a collector of the test's own, one that is not there, and one that never answers.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use kv::{Engine as _, Key, MemoryEngine, Read as _, TableId, WriteBatch};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost_otlp::Message as _;
use tokio::runtime::Runtime;
use traces::{Given, Options, TracedEngine, Traces, limits};

/// What has arrived.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<Span>>>);

async fn take(State(collector): State<Collector>, body: axum::body::Bytes) -> StatusCode {
    let message = ExportTraceServiceRequest::decode(body).unwrap();
    let resources = message.resource_spans.into_iter();
    let spans = resources.flat_map(|of| of.scope_spans).flat_map(|of| of.spans);
    collector.0.lock().unwrap().extend(spans);
    StatusCode::OK
}

impl Collector {
    /// Starts one; its address.
    fn start(&self, runtime: &Runtime) -> String {
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().route("/v1/traces", post(take)).with_state(self.clone());
        runtime.spawn(async move { axum::serve(listener, router).await });
        format!("http://{address}")
    }
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

fn traces(runtime: &Runtime, endpoint: &str, sample_ratio: f64) -> Traces {
    let options = Options { endpoint: endpoint.to_owned(), sample_ratio, has_query_text: false, version: "1.2.3" };
    Traces::start(&options, runtime.handle().clone()).unwrap()
}

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const T: TableId = TableId(0);

#[test]
fn spans_arrive_below_their_parents_whichever_thread_they_are_of() {
    let (runtime, collector) = (runtime(), Collector::default());
    let traces = traces(&runtime, &collector.start(&runtime), 1.0);
    let engine = Arc::new(TracedEngine::new(MemoryEngine::open(kv::conformance::TABLES)));
    let place = traces.request("POST", Given { parent: Some(PARENT), state: None }).unwrap();
    let of_thread = Arc::clone(&engine);
    let work = async {
        traces::describe(|| ("POST", "{G}/graph/vertices"));
        let mut queue = traces::span("queue");
        tokio::task::yield_now().await;
        if let Some(queue) = &mut queue {
            queue.note("rhizome.queue.before", 3);
        }
        drop(queue);
        let here = traces::here().unwrap();
        let thread = std::thread::spawn(move || {
            assert!(traces::here().is_none(), "another thread works at no place");
            let _entered = here.enter();
            drop(traces::span("plan"));
            let _execute = traces::enter("execute");
            let mut batch = WriteBatch::new();
            batch.put(T, |b| b.push(1), |b| b.push(0), |b| b.push(2));
            of_thread.commit(batch).unwrap();
            for _ in 0..limits::STORAGE_SPANS_MAX + 10 {
                assert!(of_thread.get(T, Key::new(&[1, 0], 1), &mut |_| ()).unwrap());
            }
        });
        thread.join().unwrap();
    };
    runtime.block_on(traces::within(Some(&place), pin!(work)));
    assert!(traces::here().is_none());
    place.end(503);
    // Nothing of this is sampled.
    drop(traces::span("plan"));
    assert!(engine.get(T, Key::new(&[1, 0], 1), &mut |_| ()).unwrap());
    traces.stop(Duration::from_secs(30));

    let spans = collector.0.lock().unwrap().clone();
    let by_name: HashMap<&str, &Span> = spans.iter().map(|span| (span.name.as_str(), span)).collect();
    assert!(spans.iter().all(|span| span.trace_id == by_name["queue"].trace_id));
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let request = by_name["POST {G}/graph/vertices"];
    assert_eq!(hex(&request.trace_id), "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(hex(&request.parent_span_id), "00f067aa0ba902b7");
    for name in ["queue", "plan", "execute"] {
        assert_eq!(by_name[name].parent_span_id, request.span_id, "{name}");
    }
    for name in ["storage write", "storage get"] {
        assert_eq!(by_name[name].parent_span_id, by_name["execute"].span_id, "{name}");
    }
    let storage = spans.iter().filter(|span| span.name.starts_with("storage ")).count();
    assert_eq!(storage, limits::STORAGE_SPANS_MAX);
    let attribute = |span: &Span, key: &str| {
        let found = span.attributes.iter().find(|attribute| attribute.key == key);
        found.map(|attribute| format!("{:?}", attribute.value.as_ref().unwrap().value.as_ref().unwrap()))
    };
    let calls = attribute(request, "rhizome.storage.calls").unwrap();
    assert_eq!(calls, format!("IntValue({})", limits::STORAGE_SPANS_MAX + 11));
    assert_eq!(attribute(request, "http.response.status_code").unwrap(), "IntValue(503)");
    assert_eq!(attribute(by_name["queue"], "rhizome.queue.before").unwrap(), "IntValue(3)");
    assert_eq!(request.status.as_ref().unwrap().code, 2, "an error");
    let counts = traces.counts().unwrap();
    assert_eq!((counts.sent, counts.failed, counts.dropped), (spans.len() as u64, 0, 0));
}

/// Ends many more spans than may wait.
fn flood(traces: &Traces) -> u64 {
    let count = 3 * limits::WAITING_SPANS_MAX;
    for _ in 0..count {
        traces.request("GET", Given::default()).unwrap().end(200);
        assert!(traces.counts().unwrap().waiting <= limits::WAITING_SPANS_MAX as u64);
    }
    count as u64
}

#[test]
fn a_collector_that_never_answers_holds_nobody_up_and_takes_no_memory() {
    let runtime = runtime();
    // Connections are taken by the system, and nobody answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let traces = traces(&runtime, &format!("http://{}", silent.local_addr().unwrap()), 1.0);
    let count = flood(&traces);
    let counts = traces.counts().unwrap();
    assert_eq!(counts.sent, 0);
    assert_eq!(counts.dropped + counts.failed + counts.waiting, count, "{counts:?}");
    assert!(counts.dropped > 0, "{counts:?}");
}

#[test]
fn spans_for_a_collector_that_is_not_there_are_counted() {
    let runtime = runtime();
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let traces = traces(&runtime, &format!("http://{gone}"), 1.0);
    let count = flood(&traces);
    traces.stop(Duration::from_secs(60));
    let counts = traces.counts().unwrap();
    assert_eq!((counts.sent, counts.waiting), (0, 0), "{counts:?}");
    assert_eq!(counts.dropped + counts.failed, count, "{counts:?}");
    assert!(counts.failed > 0, "{counts:?}");
}
