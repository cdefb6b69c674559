//! A real server on a port of its own, and a small HTTP/1 client that shows answers as they come.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use auth::Accounts;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use graph_host::{JobRegistry, Store, StoreOptions};
use graph_limits::GraphLimits;
use http_server::{Mounts, ServeError};
use key_codec::tables::TABLES;
use kv::{Engine, MemoryEngine};
use query_service::{GremlinJobs, QueryService};
use rest_api::ApiOptions;
use serde_json::Value;
use serving::Serving;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// Where the default graph is, in the shorter layout.
pub(crate) const G: &str = "/graphs/hugegraph";

/// Longer than anything here takes, so that a defect fails a test instead of hanging it.
const PATIENCE: Duration = Duration::from_secs(20);

/// The settings that tests change, of all parts of the server.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    pub(crate) connections_max: usize,
    pub(crate) requests_in_flight_max: usize,
    pub(crate) bytes_in_flight_max: usize,
    pub(crate) request_body_bytes_max: usize,
    pub(crate) response_bytes_max: usize,
    pub(crate) request_timeout_ms: u64,
    pub(crate) header_read_timeout_ms: u64,
    pub(crate) keep_alive_idle_timeout_ms: u64,
    pub(crate) batch_vertices_max: usize,
    pub(crate) traversal_memory_bytes_max: usize,
    pub(crate) blocking_threads: usize,
    pub(crate) waiting_queries_max: usize,
    pub(crate) remote_threads: usize,
    /// Whether requests need credentials; the administrator's password is [`ADMIN_PASSWORD`].
    pub(crate) has_users: bool,
    /// What requests are watched by.
    pub(crate) watch: serving::Watch,
}

impl Default for Limits {
    fn default() -> Self {
        let (api, serving) = (rest_api::Limits::default(), serving::Options::default());
        let connections = http_server::Options::default();
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap();
        Self {
            connections_max: connections.connections_max,
            requests_in_flight_max: serving.requests_in_flight_max,
            bytes_in_flight_max: serving.bytes_in_flight_max,
            request_body_bytes_max: api.request_body_bytes_max,
            response_bytes_max: api.response_bytes_max,
            request_timeout_ms: api.request_timeout_ms,
            header_read_timeout_ms: ms(connections.header_read_timeout),
            keep_alive_idle_timeout_ms: ms(connections.keep_alive_idle_timeout),
            batch_vertices_max: api.batch_vertices_max,
            traversal_memory_bytes_max: api.traversal_memory_bytes_max,
            blocking_threads: serving.threads,
            waiting_queries_max: serving.waiting_queries_max,
            remote_threads: 64,
            has_users: false,
            watch: serving::Watch::default(),
        }
    }
}

impl Limits {
    fn api(&self) -> rest_api::Limits {
        rest_api::Limits {
            request_body_bytes_max: self.request_body_bytes_max,
            response_bytes_max: self.response_bytes_max,
            request_timeout_ms: self.request_timeout_ms,
            batch_vertices_max: self.batch_vertices_max,
            traversal_memory_bytes_max: self.traversal_memory_bytes_max,
            ..rest_api::Limits::default()
        }
    }

    fn serving(&self, remote: bool) -> serving::Options {
        serving::Options {
            requests_in_flight_max: self.requests_in_flight_max,
            bytes_in_flight_max: self.bytes_in_flight_max,
            threads: if remote { self.remote_threads } else { self.blocking_threads },
            waiting_queries_max: self.waiting_queries_max,
            remote,
            watch: self.watch.clone(),
            ..serving::Options::default()
        }
    }

    fn connections(&self) -> http_server::Options {
        http_server::Options {
            connections_max: self.connections_max,
            header_read_timeout: Duration::from_millis(self.header_read_timeout_ms),
            keep_alive_idle_timeout: Duration::from_millis(self.keep_alive_idle_timeout_ms),
            note_peers: self.has_users,
            ..http_server::Options::default()
        }
    }
}

/// The password of the administrator.
pub(crate) const ADMIN_PASSWORD: &str = "pa";

/// The users of a store: an administrator.
fn users(store: &Arc<Store>) -> Arc<Accounts> {
    let options =
        auth::Options { password_length_min: 1, token_seconds: 3_600, conditions: rest_api::CONDITIONS, stale: None };
    let accounts = Accounts::open(Arc::clone(store), options).unwrap();
    accounts.set_admin_password(ADMIN_PASSWORD).unwrap();
    Arc::new(accounts)
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

/// Waits until the condition holds; fails when it does not within a time no machine needs.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < PATIENCE, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::with(Limits::default())
    }

    pub(crate) fn with(limits: Limits) -> Self {
        Self::over(Arc::new(MemoryEngine::open(TABLES)), limits)
    }

    pub(crate) fn over(engine: Arc<dyn Engine>, limits: Limits) -> Self {
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            runtime.block_on(async move {
                let jobs = GremlinJobs::default();
                let mut registry = JobRegistry::default();
                registry.register(Arc::new(jobs.job()));
                let cypher_jobs = cypher_session::CypherJobs::default();
                registry.register(Arc::new(cypher_jobs.job()));
                let analyses = Arc::new(graph_analysis::JobState::new(1 << 30, 2));
                for kind in [graph_analysis::JOB_KIND, graph_analysis::COMPUTER_KIND] {
                    let jobs = jobs.clone();
                    let job = graph_analysis::AnalysisJob::new(kind, Arc::clone(&analyses));
                    registry.register(Arc::new(job.with_rights(Arc::new(move |user, graph| jobs.rights(user, graph)))));
                }
                let store = Store::open_with_jobs(engine, StoreOptions::default(), registry).unwrap();
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                tell.send(listener.local_addr().unwrap()).unwrap();
                let serving = Arc::new(Serving::new(limits.serving(store.engine().capabilities().remote)));
                let store = Arc::new(store);
                let accounts = limits.has_users.then(|| users(&store));
                let graph_limits = GraphLimits::open(Arc::clone(&store), Arc::clone(&serving.watch.quotas)).unwrap();
                let options = ApiOptions {
                    limits: limits.api(),
                    accounts: accounts.clone(),
                    graph_limits: Some(Arc::new(graph_limits)),
                    analyses: Some(analyses),
                    test_routes: true,
                    ..ApiOptions::default()
                };
                let queries = QueryService::with_accounts(store, query_service::Options::default(), accounts);
                let queries = Arc::new(queries);
                jobs.connect(&queries);
                let cypher = Arc::new(cypher_session::GraphQueries::new(Arc::clone(&queries)));
                cypher_jobs.connect(&cypher);
                let api = Mounts::new(rest_api::service(queries, Arc::clone(&serving), options));
                let stop = async { drop(stopped.await) };
                http_server::serve(listener, api, serving, limits.connections(), stop, PATIENCE).await
            })
        });
        Self { address: told.recv().unwrap(), stop: Some(stop), thread: Some(thread) }
    }

    /// With users.
    pub(crate) fn with_users() -> Self {
        Self::with(Limits { has_users: true, ..Limits::default() })
    }

    /// A request of a user whose password is its name, or of the administrator.
    pub(crate) fn ask(&self, user: &str, method: &str, path: &str, body: &str) -> Answer {
        let password = if user == "admin" { ADMIN_PASSWORD } else { user };
        let shown = format!("Basic {}", STANDARD.encode(format!("{user}:{password}")));
        let headers = [("Authorization", shown.as_str()), ("Content-Type", "application/json")];
        self.send(method, path, &headers, body.as_bytes())
    }

    /// With the schema the tests of elements use.
    pub(crate) fn with_schema() -> Self {
        let server = Self::start();
        server.make_schema();
        server
    }

    pub(crate) fn make_schema(&self) {
        for (kind, body) in [
            ("propertykeys", r#"{"name":"name"}"#),
            ("propertykeys", r#"{"name":"age","data_type":"INT"}"#),
            ("propertykeys", r#"{"name":"since","data_type":"DATE"}"#),
            (
                "vertexlabels",
                r#"{"name":"person","properties":["name","age"],"primary_keys":["name"],"nullable_keys":["age"]}"#,
            ),
            (
                "vertexlabels",
                r#"{"name":"place","id_strategy":"CUSTOMIZE_STRING","properties":["name"],"nullable_keys":["name"]}"#,
            ),
            (
                "edgelabels",
                r#"{"name":"knows","source_label":"person","target_label":"person","properties":["since"],"nullable_keys":["since"]}"#,
            ),
            ("edgelabels", r#"{"name":"visited","source_label":"person","target_label":"place"}"#),
        ] {
            let answer = self.post(&format!("{G}/schema/{kind}"), body);
            assert!(answer.status < 300, "{}", answer.text());
        }
    }

    /// The task once it has ended.
    #[track_caller]
    pub(crate) fn ended_task(&self, id: u64) -> Value {
        let mut task = Value::Null;
        wait_until("the task ends", || {
            task = self.get(&format!("{G}/tasks/{id}")).json();
            matches!(task["task_status"].as_str(), Some("success" | "failed" | "cancelled"))
        });
        task
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], b"")
    }

    pub(crate) fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, &[], b"")
    }

    pub(crate) fn post(&self, path: &str, json: &str) -> Answer {
        self.send("POST", path, &[("Content-Type", "application/json")], json.as_bytes())
    }

    pub(crate) fn put(&self, path: &str, json: &str) -> Answer {
        self.send("PUT", path, &[("Content-Type", "application/json")], json.as_bytes())
    }

    /// One request on a connection of its own.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut stream = self.connect();
        write_request(&mut stream, method, path, headers, body);
        read_answer(&mut stream).expect("an answer")
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Tells the server to stop, without waiting for it.
    pub(crate) fn begin_stop(&mut self) {
        drop(self.stop.take());
    }

    /// Waits until the server has stopped.
    pub(crate) fn finish_stop(&mut self) {
        self.begin_stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap().unwrap();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.begin_stop();
    }
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    /// By name in lower case.
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| unreadable(&error.to_string(), &self.text()))
    }

    /// The class of an error answer, without `class `.
    pub(crate) fn class(&self) -> String {
        let json = self.json();
        let class = json["exception"].as_str().expect("an exception");
        class.strip_prefix("class ").expect("the prefix").to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

#[expect(clippy::panic, reason = "test code")]
fn unreadable(error: &str, text: &str) -> Value {
    panic!("no JSON ({error}): {text}")
}

pub(crate) fn write_request(stream: &mut TcpStream, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) {
    let mut head = format!("{method} {path} HTTP/1.1\r\n");
    if headers.iter().all(|(name, _)| *name != "Host") {
        head.push_str("Host: localhost\r\n");
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() || matches!(method, "POST" | "PUT") {
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    head.push_str("\r\n");
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(body);
    stream.write_all(&bytes).unwrap();
}

/// The next answer; `None` where the connection ends before it.
pub(crate) fn read_answer(stream: &mut TcpStream) -> Option<Answer> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        match stream.read(&mut byte) {
            Ok(1) => head.extend_from_slice(&byte),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => hung(),
            Ok(_) | Err(_) => return None,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers: HashMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(Answer { status, headers, body })
}

#[expect(clippy::panic, reason = "test code")]
fn hung() {
    panic!("the server neither answers nor closes the connection");
}
