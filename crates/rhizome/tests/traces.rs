//! Traces of a real server with a collector of the test's own, exemplars, and profiles.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "test code")]

mod common;
#[path = "security/protocols.rs"]
#[expect(dead_code, reason = "other tests need more of it")]
mod protocols;

use std::collections::BTreeMap;
use std::io::Read as _;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use bolt_codec::{Extra, Fetch, Request, Run};
use common::Server;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost_otlp::Message as _;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

const GRAPH: &str = "/graphspaces/DEFAULT/graphs/hugegraph";
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

fn traceparent(flags: &str) -> String {
    format!("00-{TRACE}-{PARENT}-{flags}")
}

/// Spans that have arrived, and how many messages brought them.
#[derive(Clone, Default)]
struct Collector {
    spans: Arc<Mutex<Vec<Span>>>,
    messages: Arc<Mutex<usize>>,
}

async fn take(State(collector): State<Collector>, body: axum::body::Bytes) -> StatusCode {
    let message = ExportTraceServiceRequest::decode(body).unwrap();
    *collector.messages.lock().unwrap() += 1;
    for resource in message.resource_spans {
        let name = |key: &str| {
            let attributes = resource.resource.as_ref().unwrap().attributes.iter();
            format!("{:?}", attributes.clone().find(|attribute| attribute.key == key).unwrap().value)
        };
        assert!(
            name("service.name").contains("rhizome") && name("service.version").contains(env!("CARGO_PKG_VERSION"))
        );
        collector.spans.lock().unwrap().extend(resource.scope_spans.into_iter().flat_map(|of| of.spans));
    }
    StatusCode::OK
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

struct Test {
    server: Server,
    runtime: Runtime,
    http: reqwest::Client,
    collector: Collector,
    _folder: tempfile::TempDir,
}

impl Test {
    fn start(arguments: &[&str]) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let collector = Collector::default();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let endpoint = format!("traces.endpoint=http://{}", listener.local_addr().unwrap());
        let router = Router::new().route("/v1/traces", post(take)).with_state(collector.clone());
        runtime.spawn(async move { axum::serve(listener, router).await });
        let folder = tempfile::tempdir().unwrap();
        let set = if arguments.contains(&"off") { vec![] } else { vec!["--set", &endpoint] };
        let rest = arguments.iter().copied().filter(|argument| *argument != "off");
        let arguments: Vec<&str> = set.into_iter().chain(rest).collect();
        let server = Server::start(&folder.path().join("data"), &arguments);
        drop(rustls::crypto::ring::default_provider().install_default());
        let test = Self { server, runtime, http: reqwest::Client::new(), collector, _folder: folder };
        test.fill();
        test
    }

    fn fill(&self) {
        let body = json!({"name": "name", "data_type": "TEXT"});
        self.ask("POST", &format!("{GRAPH}/schema/propertykeys"), Some(body), &[]);
        let body = json!({"name": "person", "id_strategy": "CUSTOMIZE_NUMBER", "properties": ["name"]});
        self.ask("POST", &format!("{GRAPH}/schema/vertexlabels"), Some(body), &[]);
        let body = json!({"id": 1, "label": "person", "properties": {"name": "Xanthippe"}});
        self.ask("POST", &format!("{GRAPH}/graph/vertices"), Some(body), &[]);
    }

    fn ask(
        &self,
        method: &str,
        path: &str,
        body: Option<Value>,
        headers: &[(&str, &str)],
    ) -> (u16, HeaderMap, Vec<u8>) {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = self.http.request(method, format!("{}{path}", self.server.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        self.runtime.block_on(async {
            let answer = request.send().await.unwrap();
            (answer.status().as_u16(), answer.headers().clone(), answer.bytes().await.unwrap().to_vec())
        })
    }

    /// Asks as part of a trace; the header of the answer.
    fn traced(&self, method: &str, path: &str, body: Option<Value>) -> String {
        let (status, headers, text) = self.ask(method, path, body, &[("traceparent", &traceparent("01"))]);
        assert!(status < 300, "{path}: {status} {}", String::from_utf8_lossy(&text));
        headers.get("traceparent").unwrap().to_str().unwrap().to_owned()
    }

    /// Stops the server, which sends what it still has; the spans of the trace.
    fn stop(self) -> Vec<Span> {
        assert!(self.server.stop().success());
        std::mem::take(&mut *self.collector.spans.lock().unwrap())
    }
}

/// The spans below another, by name.
fn below<'s>(spans: &'s [Span], parent: &Span) -> BTreeMap<&'s str, &'s Span> {
    let children = spans.iter().filter(|span| span.parent_span_id == parent.span_id);
    children.map(|span| (span.name.as_str(), span)).collect()
}

#[test]
fn a_request_is_traced_from_its_parent_to_storage() {
    let test = Test::start(&["--set", "traces.sample_ratio=0"]);
    let vertex = test.traced("GET", &format!("{GRAPH}/graph/vertices/1"), None);
    let body = json!({"id": 2, "label": "person", "properties": {"name": "Quirinus"}});
    let written = test.traced("POST", &format!("{GRAPH}/graph/vertices"), Some(body));
    let body = json!({"name": "age", "data_type": "INT"});
    let schema = test.traced("POST", &format!("{GRAPH}/schema/propertykeys"), Some(body));
    let body = json!({"gremlin": "hugegraph.traversal().V().hasLabel('person').values('name')"});
    let gremlin = test.traced("POST", "/gremlin", Some(body));
    let body = json!({"statement": "MATCH (a:person) RETURN a.name"});
    let cypher = test.traced("POST", &format!("{GRAPH}/cypher"), Some(body));
    // A part of a trace that is not sampled, and no part of any.
    let (_, headers, _) = test.ask("GET", "/versions", None, &[("traceparent", &traceparent("00"))]);
    assert!(headers.get("traceparent").is_none());
    test.ask("GET", "/apis", None, &[]);
    let spans = test.stop();

    assert!(spans.iter().all(|span| hex(&span.trace_id) == TRACE));
    let requests: BTreeMap<String, &Span> = spans
        .iter()
        .filter(|span| hex(&span.parent_span_id) == PARENT)
        .map(|span| (format!("00-{TRACE}-{}-01", hex(&span.span_id)), span))
        .collect();
    assert_eq!(requests.len(), 5, "{spans:#?}");
    let of =
        |header: &str| requests.get(header).copied().unwrap_or_else(|| panic!("{header} is none of {requests:#?}"));
    let names = |header: &str| below(&spans, of(header)).keys().copied().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(of(&vertex).name, "GET {G}/graph/vertices/{id}");
    assert!(names(&vertex).iter().any(|name| name.starts_with("storage ")), "{:?}", names(&vertex));
    assert!(names(&written).contains(&"storage write".to_owned()), "{:?}", names(&written));
    assert_eq!(of(&schema).name, "POST {G}/schema/propertykeys");
    assert!(names(&schema).contains(&"queue".to_owned()), "{:?}", names(&schema));
    for query in [&gremlin, &cypher] {
        let below_request = below(&spans, of(query));
        assert!(below_request.contains_key("plan"), "{below_request:#?}");
        let execute = below_request.get("execute").unwrap_or_else(|| panic!("{below_request:#?}"));
        let below_execute = below(&spans, execute);
        assert!(below_execute.keys().any(|name| name.starts_with("storage ")), "{below_execute:#?}");
    }
    for span in &spans {
        assert!(span.start_time_unix_nano <= span.end_time_unix_nano, "{span:#?}");
        let text = format!("{span:?}");
        assert!(!text.contains("Xanthippe") && !text.contains("Quirinus"), "a value of an element: {text}");
    }
}

/// What a client notes about a transaction: the trace it belongs to.
fn noted(flags: &str) -> Extra {
    let mut extra = Extra::default();
    extra.metadata.insert("traceparent".into(), cypher_value::Value::String(traceparent(flags).into()));
    extra
}

#[test]
fn queries_over_bolt_and_websockets_belong_to_the_trace_that_they_name() {
    for (setting, text_is_there) in [("traces.query_text=false", false), ("traces.query_text=true", true)] {
        let test = Test::start(&["--set", "traces.sample_ratio=0", "--set", setting]);
        let login = protocols::Login::password("", "");
        let mut bolt = protocols::Bolt::open(&test.server.bolt, &login).unwrap();
        let pull = Request::Pull(Fetch { rows: None, query: None });
        let mut run = |extra: Extra, text: &str| {
            bolt.send(&Request::Run(Box::new(Run { text: text.into(), extra, ..Run::default() })));
            bolt.send(&pull);
            (bolt.done(), bolt.done())
        };
        // A query that stands alone: at once, and on a thread of its own since it writes.
        assert_eq!(run(noted("01"), "MATCH (a:person) RETURN a.name"), (Ok(0), Ok(1)));
        assert_eq!(run(noted("01"), "MATCH (a:person) SET a.name = 'Quirinus'"), (Ok(0), Ok(0)));
        // Not sampled, and not of any trace.
        assert_eq!(run(noted("00"), "RETURN 1"), (Ok(0), Ok(1)));
        assert_eq!(run(Extra::default(), "RETURN 1"), (Ok(0), Ok(1)));
        // A transaction, one that fails, and a query that fails.
        for text in ["MATCH (a:person) RETURN count(a)", "MATCH (a) RETURN nothing"] {
            bolt.send(&Request::Begin(noted("01")));
            bolt.done().unwrap();
            match bolt.ask_in_transaction(text) {
                Ok(rows) => assert_eq!((rows, bolt.commit().is_ok()), (1, true)),
                Err(_) => {
                    bolt.send(&Request::Reset);
                    bolt.done().unwrap();
                }
            }
        }
        let mut gremlin = protocols::Gremlin::open(&test.server.gremlin, None).unwrap();
        let traced = |flags: &str| json!({ "traceparent": traceparent(flags) });
        let names = "hugegraph.traversal().V().hasLabel('person').values('name')";
        assert_eq!(gremlin.ask_with(names, &traced("01")).0, 200);
        assert_eq!(gremlin.ask_with(names, &traced("00")).0, 200);
        assert_eq!(gremlin.ask(names).0, 200);
        assert!(gremlin.ask_with("hugegraph.traversal().nothing()", &traced("01")).0 >= 500);
        drop((bolt, gremlin));
        let spans = test.stop();

        assert!(spans.iter().all(|span| hex(&span.trace_id) == TRACE), "{spans:#?}");
        let requests: Vec<&Span> = spans.iter().filter(|span| hex(&span.parent_span_id) == PARENT).collect();
        let of = |name: &str| requests.iter().copied().filter(|span| span.name == name).collect::<Vec<_>>();
        let counts = ["bolt RUN", "bolt TRANSACTION", "gremlin eval"].map(|name| of(name).len());
        assert_eq!(counts, [2, 2, 2], "{requests:#?}");
        let attribute = |span: &Span, key: &str| {
            let found = span.attributes.iter().find(|attribute| attribute.key == key);
            found.map(|attribute| format!("{:?}", attribute.value))
        };
        let failed = requests.iter().filter(|span| attribute(span, "error.type").is_some()).count();
        assert_eq!(failed, 2, "{requests:#?}");
        for span in &requests {
            assert!(span.start_time_unix_nano <= span.end_time_unix_nano, "{span:#?}");
            if attribute(span, "error.type").is_none() {
                assert!(attribute(span, "db.namespace").unwrap().contains("hugegraph"), "{span:#?}");
                let below_request = below(&spans, span);
                let plan = below_request.get("plan").unwrap_or_else(|| panic!("{below_request:#?}"));
                assert_eq!(attribute(plan, "db.query.text").is_some(), text_is_there, "{plan:#?}");
                assert_eq!(attribute(plan, "rhizome.query.sha256").is_some(), !text_is_there, "{plan:#?}");
                assert!(below_request.contains_key("execute"), "{below_request:#?}");
            }
        }
        assert!(spans.iter().any(|span| span.name.starts_with("storage ")), "{spans:#?}");
        assert_eq!(spans.iter().any(|span| format!("{span:?}").contains("Quirinus")), text_is_there);
    }
}

#[test]
fn the_ratio_decides_where_there_is_no_parent_and_figures_say_what_was_sent() {
    let test = Test::start(&["--set", "traces.sample_ratio=1"]);
    let (_, headers, _) = test.ask("GET", "/nothing", None, &[]);
    let header = headers.get("traceparent").unwrap().to_str().unwrap().to_owned();
    let trace = header.split('-').nth(1).unwrap().to_owned();
    let figures = String::from_utf8(test.ask("GET", "/metrics", None, &[]).2).unwrap();
    for name in ["sent_total", "failed_total", "dropped_total", "waiting"] {
        assert!(figures.contains(&format!("\nrhizome_traces_spans_{name} ")), "{name}");
    }
    let spans = test.stop();
    let span = spans.iter().find(|span| hex(&span.trace_id) == trace).unwrap();
    assert!(span.parent_span_id.is_empty() || hex(&span.parent_span_id) == "0000000000000000", "{span:#?}");
}

#[test]
fn without_a_collector_nothing_is_sent_and_requests_are_served() {
    // Off: no endpoint, although the client has a trace.
    let test = Test::start(&["off"]);
    let (status, headers, _) = test.ask("GET", "/versions", None, &[("traceparent", &traceparent("01"))]);
    assert_eq!((status, headers.get("traceparent")), (200, None));
    let figures = String::from_utf8(test.ask("GET", "/metrics", None, &[]).2).unwrap();
    assert!(!figures.contains("rhizome_traces_"));
    let messages = Arc::clone(&test.collector.messages);
    assert!(test.stop().is_empty());
    assert_eq!(*messages.lock().unwrap(), 0);

    // On, but nobody is there.
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let endpoint = format!("traces.endpoint=http://{gone}");
    let test = Test::start(&["off", "--set", &endpoint, "--set", "traces.sample_ratio=1"]);
    for _ in 0..500 {
        test.traced("GET", &format!("{GRAPH}/graph/vertices/1"), None);
    }
    assert!(test.stop().is_empty());
}

#[test]
fn figures_in_open_metrics_have_traces_as_exemplars() {
    let test = Test::start(&["--set", "traces.sample_ratio=0"]);
    test.traced("GET", &format!("{GRAPH}/graph/vertices/1"), None);
    let accept = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
    let (status, headers, text) = test.ask("GET", "/metrics", None, &[("accept", accept)]);
    assert_eq!(status, 200);
    let kind = headers.get("content-type").unwrap().to_str().unwrap();
    assert!(kind.starts_with("application/openmetrics-text"), "{kind}");
    let text = String::from_utf8(text).unwrap();
    assert_eq!(open_metrics_problems(&text), Vec::<String>::new());
    let exemplars: Vec<&str> = text.lines().filter(|line| line.contains(" # {")).collect();
    assert_eq!(exemplars.len(), 1, "{exemplars:#?}");
    assert!(exemplars[0].contains(&format!("trace_id=\"{TRACE}\"")), "{exemplars:#?}");
    assert!(exemplars[0].contains("path=\"{G}/graph/vertices/{id}\""), "{exemplars:#?}");

    let (_, headers, text) = test.ask("GET", "/metrics", None, &[("accept", "text/plain")]);
    assert!(headers.get("content-type").unwrap().to_str().unwrap().starts_with("text/plain"));
    let text = String::from_utf8(text).unwrap();
    assert!(!text.contains(" # {") && !text.contains("# EOF"));
}

/// What is wrong with a text of OpenMetrics: what its specification says of lines, families and exemplars.
fn open_metrics_problems(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let mut kinds: BTreeMap<&str, &str> = BTreeMap::new();
    let lines: Vec<&str> = text.lines().collect();
    if !text.ends_with("\n# EOF\n") || lines.iter().filter(|line| **line == "# EOF").count() != 1 {
        problems.push("it ends with '# EOF', and nothing else does".to_owned());
    }
    let number = |text: &str| ["NaN", "+Inf", "-Inf"].contains(&text) || text.parse::<f64>().is_ok();
    for line in lines.iter().filter(|line| **line != "# EOF") {
        if let Some(of_type) = line.strip_prefix("# TYPE ") {
            let (name, kind) = of_type.split_once(' ').unwrap_or((of_type, ""));
            if !["counter", "gauge", "histogram", "unknown", "info"].contains(&kind) {
                problems.push(format!("unknown type: {line}"));
            }
            if name.ends_with("_total") || kinds.insert(name, kind).is_some() {
                problems.push(format!("a family with a suffix, or twice: {line}"));
            }
            continue;
        }
        if line.starts_with("# HELP ") {
            continue;
        }
        if line.starts_with('#') || line.is_empty() {
            problems.push(format!("neither HELP, TYPE nor a sample: {line}"));
            continue;
        }
        let (sample, exemplar) = line.split_once(" # ").map_or((*line, None), |(sample, rest)| (sample, Some(rest)));
        let (series, value) = sample.rsplit_once(' ').unwrap_or((sample, ""));
        let name = series.split('{').next().unwrap_or_default();
        if !number(value) || series.contains(",}") {
            problems.push(format!("no sample: {line}"));
        }
        let suffixes = ["_total", "_bucket", "_sum", "_count"];
        let base = suffixes.iter().find_map(|suffix| kinds.get_key_value(name.strip_suffix(suffix)?));
        let (family, kind) = base.or_else(|| kinds.get_key_value(name)).map_or(("", ""), |(name, kind)| (name, kind));
        let fits = match kind {
            "counter" => name == format!("{family}_total"),
            "histogram" => suffixes[1..].iter().any(|suffix| name == format!("{family}{suffix}")),
            "" => false,
            _ => name == family,
        };
        if !fits {
            problems.push(format!("a sample of no family before it, or not as its type: {line}"));
        }
        let bound = series.split("le=\"").nth(1).and_then(|rest| rest.split('"').next());
        if bound.is_some_and(|bound| bound != "+Inf" && !bound.contains('.') && !bound.contains('e')) {
            problems.push(format!("a bound that is no number with a point: {line}"));
        }
        if let Some(exemplar) = exemplar {
            let (labels, rest) = exemplar.split_once("} ").unwrap_or((exemplar, ""));
            let mut numbers = rest.split(' ').map(str::parse::<f64>);
            let value = numbers.next().and_then(Result::ok);
            let within =
                value.zip(bound).is_some_and(|(value, bound)| bound == "+Inf" || value <= bound.parse().unwrap());
            let at = numbers.next().and_then(Result::ok);
            if !name.ends_with("_bucket") || !within || labels.len() > 128 || at.is_none_or(|at| at < 1e9) {
                problems.push(format!("no exemplar of its class: {line}"));
            }
        }
    }
    problems
}

#[test]
fn the_linter_finds_what_it_is_for() {
    let good = "# HELP a X.\n# TYPE a counter\na_total 1\n# HELP b X.\n# TYPE b histogram\n\
                b_bucket{le=\"0.5\"} 1 # {trace_id=\"4b\"} 0.4 1700000000.5\nb_bucket{le=\"+Inf\"} 1\n\
                b_sum 0.4\nb_count 1\n# EOF\n";
    assert_eq!(open_metrics_problems(good), Vec::<String>::new());
    for (from, to) in [
        ("# EOF\n", ""),
        ("a_total 1", "a 1"),
        ("# TYPE a counter", "# TYPE a_total counter"),
        ("} 0.4", "} 0.6"),
        ("0.5\"", "1\""),
        (" 1700000000.5", ""),
        ("b_sum", "b_mean"),
        ("a_total 1", "a_total one"),
        ("# HELP a", "# note\n# HELP a"),
    ] {
        let bad = good.replacen(from, to, 1);
        assert_ne!(open_metrics_problems(&bad), Vec::<String>::new(), "{from} -> {to}");
    }
}

#[test]
fn a_profile_is_taken_on_demand() {
    let test = Test::start(&["off"]);
    let (status, _, text) = test.ask("GET", "/rhizome/profile?seconds=61", None, &[]);
    assert_eq!(status, 400, "{}", String::from_utf8_lossy(&text));
    assert!(String::from_utf8_lossy(&text).contains("from 1 to 60 seconds"));
    let (status, _, text) = test.ask("GET", "/rhizome/profile?format=svg", None, &[]);
    assert_eq!(status, 400, "{}", String::from_utf8_lossy(&text));

    let folded = std::thread::scope(|scope| {
        let taking = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let url = format!("{}/rhizome/profile?seconds=5&format=folded", test.server.url);
            runtime.block_on(async { reqwest::get(url).await.unwrap().text().await.unwrap() })
        });
        test.server.logged(&["a profile is being taken"]);
        let mut refused = false;
        while !taking.is_finished() {
            // Work to be seen.
            test.ask("GET", "/openapi.json", None, &[]);
            if !refused {
                let (status, _, text) = test.ask("GET", "/rhizome/profile?seconds=1", None, &[]);
                refused = status == 503 && String::from_utf8_lossy(&text).contains("already");
            }
        }
        assert!(refused, "two profiles at one time");
        taking.join().unwrap()
    });
    assert!(folded.lines().all(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().is_ok()), "{folded}");
    assert!(folded.contains("http-"), "no thread of connections in {folded}");

    let (status, headers, packed) = test.ask("GET", "/rhizome/profile?seconds=1", None, &[]);
    assert_eq!((status, headers.get("content-type").unwrap().to_str().unwrap()), (200, "application/octet-stream"));
    let mut profile = Vec::new();
    flate2::read::GzDecoder::new(&*packed).read_to_end(&mut profile).unwrap();
    assert!(profile.windows(7).any(|name| name == b"samples"));
}
