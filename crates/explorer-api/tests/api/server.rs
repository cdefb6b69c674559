//! A server with the API and the REST API, in memory, over TCP.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use auth::{Accounts, ConditionReader};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use explorer_api::{ExplorerApi, LoadTests, Options};
use graph_host::{Store, StoreOptions};
use http_body_util::Full;
use http_server::{HttpResponse, Mounts, Refusal, Service};
use hyper::Request;
use hyper::body::Incoming;
use key_codec::tables::TABLES;
use kv::{Engine, MemoryEngine};
use query_service::QueryService;
use rest_api::ApiOptions;
use serde_json::{Value, json};
use serving::Serving;
use tokio::net::TcpListener;

pub(crate) const PASSWORD: &str = "a password of tests";
pub(crate) const GRAPH: &str = "hugegraph";
/// What pages send with every request.
pub(crate) const PAGE: &str = "X-Rhizome-UI: 1\r\n";

struct Nothing;

impl Service for Nothing {
    async fn answer(self: Arc<Self>, _: Request<Incoming>) -> HttpResponse {
        HttpResponse::new(Full::new(Bytes::from_static(b"elsewhere")))
    }

    async fn refuse(self: Arc<Self>, _: Request<Incoming>, refusal: Refusal) -> HttpResponse {
        let mut response = HttpResponse::new(Full::new(Bytes::from(refusal.to_string())));
        *response.status_mut() = refusal.status();
        response
    }
}

pub(crate) struct Server {
    address: SocketAddr,
    pub(crate) queries: Arc<QueryService>,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The whole header line of the cookie.
    pub(crate) fn set_cookie(&self) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix("set-cookie: "))
    }

    /// The cookie as a browser sends it back.
    pub(crate) fn cookie(&self) -> String {
        let pair = self.set_cookie().unwrap().split(';').next().unwrap();
        format!("{PAGE}Cookie: theme=dark; {pair}\r\n")
    }
}

impl Server {
    pub(crate) fn start(has_users: bool, has_tls: bool) -> Self {
        Self::with(has_users, has_tls, false)
    }

    pub(crate) fn with(has_users: bool, has_tls: bool, has_load_tests: bool) -> Self {
        let engine: Arc<dyn Engine> = Arc::new(MemoryEngine::open(TABLES));
        let store = Arc::new(Store::open(engine, StoreOptions::default()).unwrap());
        let conditions = ConditionReader { check: |_| Ok(()), read: |_, _, _| None };
        let options = auth::Options { password_length_min: 2, token_seconds: 86_400, conditions, stale: None };
        let accounts = has_users.then(|| {
            let accounts = Accounts::open(Arc::clone(&store), options).unwrap();
            accounts.set_admin_password(PASSWORD).unwrap();
            Arc::new(accounts)
        });
        let options = query_service::Options { slow_query: Duration::from_nanos(1), ..Default::default() };
        let queries = Arc::new(QueryService::with_accounts(store, options, accounts));
        let (told, address) = std::sync::mpsc::channel();
        let of_server = Arc::clone(&queries);
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            runtime.block_on(async move {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let address = listener.local_addr().unwrap();
                told.send(address).unwrap();
                let serving = Arc::new(Serving::new(serving::Options { threads: 2, ..serving::Options::default() }));
                let load_tests = if has_load_tests { LoadTests::At(address) } else { LoadTests::Off };
                let time_max = Duration::from_secs(10);
                let options = Options { time_max, body_bytes_max: 2_000_000, has_tls, load_tests };
                let api = ExplorerApi::new(Arc::clone(&of_server), Arc::clone(&serving), options);
                tokio::spawn(api.measuring());
                let accounts = of_server.accounts().cloned();
                let rest_options = ApiOptions { accounts, ..ApiOptions::default() };
                let rest = rest_api::service(of_server, Arc::clone(&serving), rest_options);
                let mounts = Mounts::new(rest).mount(ExplorerApi::SEGMENT, api.beside(Arc::new(Nothing)));
                let never = std::future::pending();
                let options = http_server::Options::default();
                http_server::serve(listener, mounts, serving, options, never, Duration::ZERO).await.unwrap();
            });
        });
        Self { address: address.recv().unwrap(), queries }
    }

    pub(crate) fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let length = body.len();
        let head = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close");
        let head = format!("{head}\r\nContent-Length: {length}\r\n{headers}\r\n{body}");
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub(crate) fn log_in(&self, user: &str, password: &str) -> Answer {
        let body = json!({ "user": user, "password": password }).to_string();
        self.send("POST", "/rhizome/session", &format!("{PAGE}Content-Type: application/json\r\n"), &body)
    }

    pub(crate) fn session(&self, headers: &str) -> Answer {
        self.send("GET", "/rhizome/session", headers, "")
    }

    /// A request of a user by name and password, with a body where there is one.
    pub(crate) fn ask(&self, user: &str, method: &str, path: &str, body: &str) -> Answer {
        let password = if user == "admin" { PASSWORD } else { user };
        let shown = STANDARD.encode(format!("{user}:{password}"));
        let shown = if user.is_empty() { String::new() } else { format!("Authorization: Basic {shown}\r\n") };
        self.send(method, path, &format!("{shown}Content-Type: application/json\r\n"), body)
    }
}
