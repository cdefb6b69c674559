//! What a server shows of itself: its figures by Prometheus' rules, dashboard and alerts that name what is exported,
//! the log of slow requests, ids of requests, and the level of the log.
#![expect(clippy::unwrap_used, clippy::panic, reason = "test code")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use common::Server;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

/// One family of an exposition.
#[derive(Default)]
struct Family {
    help: bool,
    kind: String,
}

/// What is wrong with an exposition: the format, and the rules that Prometheus' own linter (`promtool check metrics`)
/// has for names.
fn problems(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let mut families: BTreeMap<&str, Family> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut last = "";
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').unwrap_or((rest, ""));
            let family = families.entry(name).or_default();
            if family.help {
                problems.push(format!("{name}: HELP twice"));
            }
            family.help = !help.is_empty();
            continue;
        }
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap_or((rest, ""));
            families.entry(name).or_default().kind = kind.to_owned();
            continue;
        }
        if line.starts_with('#') || line.is_empty() {
            continue;
        }
        let end = line.find(['{', ' ']).unwrap_or(line.len());
        let (sample, rest) = line.split_at(end);
        let labels_end = rest.rfind('}').map_or(0, |at| at + 1);
        let (labels, value) = rest.split_at(labels_end);
        if value.trim().parse::<f64>().is_err() {
            problems.push(format!("no number: {line}"));
        }
        if !seen.insert((sample, labels)) {
            problems.push(format!("twice: {sample}{labels}"));
        }
        let base = ["_bucket", "_sum", "_count"].iter().find_map(|suffix| {
            let base = sample.strip_suffix(suffix)?;
            (families.get(base)?.kind == "histogram").then_some(base)
        });
        let name = base.unwrap_or(sample);
        if last != name {
            // All samples of a family stand together.
            if seen.iter().filter(|(other, _)| *other == sample).count() > 1 {
                problems.push(format!("{name}: its samples are not together"));
            }
            last = name;
        }
        match families.get(name) {
            None => problems.push(format!("{name}: no HELP and TYPE before its first sample")),
            Some(family) if !family.help || family.kind.is_empty() => problems.push(format!("{name}: no HELP or TYPE")),
            Some(_) => {}
        }
    }
    for (name, family) in &families {
        problems.extend(wrong_name(name, &family.kind).map(|reason| format!("{name}: {reason}")));
    }
    problems
}

/// What is wrong with the name of a metric.
fn wrong_name(name: &str, kind: &str) -> Option<String> {
    let parts: Vec<&str> = name.split('_').collect();
    if !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_') {
        return Some("lower case letters, digits and '_' only".to_owned());
    }
    match kind {
        "counter" if !name.ends_with("_total") => return Some("a counter ends with _total".to_owned()),
        "gauge" | "histogram" if name.ends_with("_total") => return Some(format!("a {kind} ends with _total")),
        "histogram" if !name.ends_with("_seconds") && !name.ends_with("_bytes") => {
            return Some("a histogram has a unit".to_owned());
        }
        "counter" | "gauge" | "histogram" | "untyped" => {}
        other => return Some(format!("unknown type '{other}'")),
    }
    let not_base = [
        "ms",
        "milliseconds",
        "us",
        "microseconds",
        "nanoseconds",
        "ns",
        "minutes",
        "hours",
        "days",
        "s",
        "sec",
        "kb",
        "kilobytes",
        "kib",
        "mb",
        "mib",
        "megabytes",
        "gb",
        "gib",
        "bits",
        "percent",
        "celsius_f",
        "counter",
        "gauge",
        "histogram",
        "summary",
    ];
    parts.iter().find(|part| not_base.contains(*part)).map(|part| format!("'{part}' is no base unit, or a type"))
}

/// The names of metrics in the text of a dashboard or of alerts.
fn named(text: &str) -> BTreeSet<String> {
    let words = text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_' && char != '.' && char != '/');
    let is_metric = |word: &&str| ["rhizome_", "process_", "hugegraph_"].iter().any(|begin| word.starts_with(begin));
    words.filter(is_metric).map(|word| word.trim_end_matches("_bucket").to_owned()).collect()
}

fn exported(text: &str) -> BTreeSet<String> {
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    types.filter_map(|rest| rest.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn the_linter_finds_what_it_is_for() {
    let good = "# HELP a_seconds Time.\n# TYPE a_seconds histogram\na_seconds_bucket{le=\"1\"} 1\n\
                a_seconds_bucket{le=\"+Inf\"} 1\na_seconds_sum 0.5\na_seconds_count 1\n";
    assert_eq!(problems(good), Vec::<String>::new());
    for (bad, expected) in [
        ("# TYPE a_total counter\na_total 1\n", "no HELP"),
        ("# HELP a X.\n# TYPE a counter\na 1\n", "ends with _total"),
        ("# HELP a_total X.\n# TYPE a_total gauge\na_total 1\n", "a gauge ends with _total"),
        ("# HELP a_ms X.\n# TYPE a_ms gauge\na_ms 1\n", "'ms' is no base unit"),
        ("# HELP a X.\n# TYPE a gauge\na{b=\"c\"} 1\na{b=\"c\"} 2\n", "twice"),
        ("# HELP a X.\n# TYPE a gauge\na one\n", "no number"),
        ("a 1\n", "no HELP and TYPE before"),
        ("# HELP aB X.\n# TYPE aB gauge\naB 1\n", "lower case"),
    ] {
        let found = problems(bad);
        assert!(found.iter().any(|problem| problem.contains(expected)), "{bad}: {found:?}");
    }
}

/// A server with a graph that has a label of vertices and one of edges, and some of both.
struct Test {
    server: Server,
    runtime: tokio::runtime::Runtime,
    http: reqwest::Client,
    folder: tempfile::TempDir,
}

impl Test {
    fn start(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start(&folder.path().join("data"), arguments);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        drop(rustls::crypto::ring::default_provider().install_default());
        let test = Self { server, runtime, http: reqwest::Client::new(), folder };
        test.fill();
        test
    }

    fn fill(&self) {
        self.runtime.block_on(async {
            let client = self.server.client().await;
            let key = json!({"name": "name", "data_type": "TEXT"});
            client.create_property_key(&key, false).await.unwrap();
            let label = json!({"name": "person", "id_strategy": "CUSTOMIZE_NUMBER", "properties": ["name"]});
            client.create_vertex_label(&label, false).await.unwrap();
            let label = json!({"name": "knows", "source_label": "person", "target_label": "person"});
            client.create_edge_label(&label, false).await.unwrap();
            let vertices: Vec<Value> =
                (0..400).map(|id| json!({"id": id, "label": "person", "properties": {"name": "ann"}})).collect();
            client.add_vertices(Value::from(vertices).to_string().into(), true).await.unwrap();
            for step in 1..20 {
                let edge = |id: i32| {
                    json!({"label": "knows", "outV": id, "inV": (id + step * 7) % 400, "outVLabel": "person",
                        "inVLabel": "person", "properties": {}})
                };
                let edges: Vec<Value> = (0..400).map(edge).collect();
                client.add_edges(Value::from(edges).to_string().into(), false).await.unwrap();
            }
        });
    }

    fn ask(&self, method: &str, path: &str, body: Option<Value>, id: Option<&str>) -> (u16, HeaderMap, String) {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = self.http.request(method, format!("{}{path}", self.server.url));
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        if let Some(id) = id {
            request = request.header("x-request-id", id);
        }
        self.runtime.block_on(async {
            let answer = request.send().await.unwrap();
            (answer.status().as_u16(), answer.headers().clone(), answer.text().await.unwrap())
        })
    }

    fn get(&self, path: &str) -> String {
        let (status, _, text) = self.ask("GET", path, None, None);
        assert_eq!(status, 200, "{path}: {text}");
        text
    }
}

const GRAPH: &str = "/graphspaces/DEFAULT/graphs/hugegraph";

#[test]
fn figures_follow_the_rules_and_dashboard_and_alerts_name_what_there_is() {
    // Figures of traces are there where they are on; no request of this test is traced.
    let traces = ["traces.endpoint=http://127.0.0.1:1", "traces.sample_ratio=0"];
    let test = Test::start(&["--set", traces[0], "--set", traces[1]]);
    test.get(&format!("{GRAPH}/traversers/kout?source=1&max_depth=2"));
    let text = test.get("/metrics");
    assert_eq!(problems(&text), Vec::<String>::new());
    let statistics = test.get("/metrics/statistics");
    assert_eq!(problems(&statistics), Vec::<String>::new());
    assert!(statistics.contains("rhizome_http_succeeded_total{path="), "{statistics}");
    // About 22 for each endpoint: its counters and its histogram.
    assert!(text.lines().count() < 4_500, "{} lines of an idle server", text.lines().count());

    let exported = exported(&text);
    for (page, count_min) in [
        (include_str!("../../../docs/operations/observe/dashboard.json"), 25),
        (include_str!("../../../docs/operations/observe/alerts.yml"), 9),
        (include_str!("../../../docs/operations/observe.md"), 10),
    ] {
        let named = named(page);
        assert!(named.len() >= count_min, "{named:?}");
        let missing: Vec<_> = named.difference(&exported).collect();
        assert!(missing.is_empty(), "not exported: {missing:?}");
    }
    let dashboard: Value =
        serde_json::from_str(include_str!("../../../docs/operations/observe/dashboard.json")).unwrap();
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().unwrap() {
            let expression = target["expr"].as_str().unwrap();
            for (open, close) in [('(', ')'), ('{', '}'), ('[', ']')] {
                let count = |wanted: char| expression.chars().filter(|char| *char == wanted).count();
                assert_eq!(count(open), count(close), "{expression}");
            }
        }
    }
}

#[test]
fn slow_requests_are_logged_with_what_they_read_and_the_id_of_the_answer() {
    let test = Test::start(&["--set", "log.slow_request_ms=1", "--set", "gremlin.slow_query_ms=1"]);
    let path = format!("{GRAPH}/traversers/kneighbor?source=1&max_depth=3&max_degree=-1&limit=-1");
    // However fast this machine is: not every one of so many ends within a millisecond.
    let (mut slow, mut quick) = (None, 0);
    for _ in 0..200 {
        let (status, headers, text) = test.ask("GET", &path, None, None);
        assert_eq!(status, 200, "{text}");
        match headers.get("x-request-id") {
            Some(id) => slow = Some(id.to_str().unwrap().to_owned()),
            None => quick += 1,
        }
        if slow.is_some() {
            break;
        }
    }
    let id = slow.unwrap_or_else(|| panic!("all {quick} were quick"));
    let line = test.server.logged(&["slow request: GET", &id]);
    for part in ["{G}/traversers/kneighbor", "max_depth=3", "source=?", "edges_read=", "reason=", "hugegraph"] {
        assert!(line.contains(part), "{part} in {line}");
    }
    let edges = line.split("edges_read=").nth(1).unwrap().split(' ').next().unwrap();
    assert!(edges.parse::<u64>().unwrap() > 1_000, "{line}");
    let count = test.get("/metrics");
    let count = count.lines().find_map(|line| line.strip_prefix("rhizome_http_slow_requests_total ")).unwrap();
    assert!(count.parse::<f64>().unwrap() >= 1.0);

    let cypher = "MATCH (a:person)-[:knows]->(b)-[:knows]->(c) RETURN count(c)";
    let (status, _, text) = test.ask("POST", &format!("{GRAPH}/cypher"), Some(json!({"statement": cypher})), None);
    assert_eq!(status, 200, "{text}");
    let line = test.server.logged(&["slow query", "MATCH (a:person)"]);
    assert!(line.contains("plan=") && line.contains("ProduceResults"), "{line}");
    let gremlin = json!({"gremlin": "hugegraph.traversal().V().both().both().both().count()"});
    let (status, _, text) = test.ask("POST", "/gremlin", Some(gremlin), None);
    assert_eq!(status, 200, "{text}");
    let line = test.server.logged(&["slow query", "both().both()"]);
    assert!(line.contains("plan="), "{line}");
}

#[test]
fn answers_have_the_id_of_the_request_where_somebody_may_look_for_it() {
    let test = Test::start(&[]);
    let id_of = |path: &str, given: Option<&str>| {
        let (status, headers, _) = test.ask("GET", path, None, given);
        (status, headers.get("x-request-id").map(|id| id.to_str().unwrap().to_owned()))
    };
    assert_eq!(id_of("/versions", Some("mine-1")), (200, Some("mine-1".to_owned())));
    assert_eq!(id_of("/versions", None), (200, None));
    let (status, first) = id_of("/nothing", None);
    assert_eq!(status, 404);
    let (_, second) = id_of("/nothing", None);
    assert!(first.is_some() && second.is_some() && first != second, "{first:?} {second:?}");
}

#[test]
fn the_level_of_the_log_is_changed_while_the_server_runs() {
    let test = Test::start(&["--set", "log.format=json"]);
    let level = |test: &Test| serde_json::from_str::<Value>(&test.get("/rhizome/log-level")).unwrap();
    assert_eq!(level(&test), json!({"level": "info"}));
    let set = |level: &str| test.ask("PUT", "/rhizome/log-level", Some(json!({ "level": level })), None);
    let (status, _, text) = set("loud");
    assert_eq!(status, 400, "{text}");
    assert!(text.contains("'loud' is neither a level"), "{text}");
    assert_eq!(level(&test), json!({"level": "info"}));
    // A change is logged by the level before it.
    assert_eq!(set("error").0, 200);
    assert_eq!(level(&test), json!({"level": "error"}));
    assert_eq!(set("info,rest_api=warn").0, 200);
    assert_eq!(set("debug").0, 200);
    test.server.logged(&["the level of the log is being changed", "\"from\":\"info,rest_api=warn\",\"to\":\"debug\""]);
    test.server.logged(&["\"from\":\"info\",\"to\":\"error\""]);
    assert!(!test.server.log_lines().iter().any(|line| line.contains("\"from\":\"error\"")), "hidden by the level");
    assert_eq!(test.ask("PUT", "/rhizome/log-level", Some(json!({"other": 1})), None).0, 400);
}

#[test]
fn only_an_administrator_changes_the_level_of_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_with(
        &folder.path().join("data"),
        &["--set", "auth.enabled=true", "--set", "auth.password_length_min=2"],
        &[("RHIZOME_ADMIN_PASSWORD", "pa")],
    );
    drop(rustls::crypto::ring::default_provider().install_default());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let status = |user: Option<&str>| {
        let request = reqwest::Client::new()
            .put(format!("{}/rhizome/log-level", server.url))
            .header("content-type", "application/json")
            .body(json!({"level": "warn"}).to_string());
        let request = match user {
            Some(user) => request.basic_auth(user, Some("pa")),
            None => request,
        };
        runtime.block_on(async { request.send().await.unwrap().status().as_u16() })
    };
    let made = runtime.block_on(async {
        let user = json!({"user_name": "bob", "user_password": "pa"}).to_string();
        let request = reqwest::Client::new().post(format!("{}/graphspaces/DEFAULT/auth/users", server.url));
        let request = request.basic_auth("admin", Some("pa")).header("content-type", "application/json").body(user);
        request.send().await.unwrap().status().as_u16()
    });
    assert_eq!(made, 201);
    assert_eq!([status(None), status(Some("bob")), status(Some("admin"))], [401, 403, 200]);
}

#[test]
fn the_commands_of_the_page_work_as_printed() {
    let page = include_str!("../../../docs/operations/observe.md");
    let mut parts = page.split("\n```");
    parts.next();
    let blocks: Vec<&str> = parts.step_by(2).filter_map(|block| block.strip_prefix("sh\n")).collect();
    assert!(blocks.len() >= 5, "{} blocks", blocks.len());
    let test = Test::start(&[]);
    for block in blocks {
        let text = block.replace("http://127.0.0.1:8080", &test.server.url);
        let done = std::process::Command::new("bash")
            .args(["-eu", "-c", &text])
            .current_dir(Path::new(test.folder.path()))
            .output()
            .unwrap();
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(done.status.success(), "{block}\n{}{}", shown(&done.stdout), shown(&done.stderr));
        assert!(!done.stdout.is_empty(), "{block}");
    }
}
