//! A server that does what a script says: answers late, wrongly, not at all.
//!
//! It speaks just enough HTTP for the load tester, on plain sockets, because frameworks do not let one lie well.

#![expect(clippy::unwrap_used, reason = "the server of tests: what is unexpected in it fails the test")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use load_test::{
    Cancel, DataOptions, DriverOptions, LoadTest, Loads, Observer, RowSamples, Scenario, ScenarioOptions,
    result::{Row, ScenarioResult},
};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A request as the script sees it.
pub(crate) struct Seen {
    /// Number of the request, from 0, over all connections.
    pub(crate) number: u64,
    /// Requests under way, this one included.
    pub(crate) in_flight: u64,
    pub(crate) body: String,
}

/// What the script wants done.
pub(crate) enum Reply {
    /// Answers after some time.
    After(Duration, u16, String),
    /// Never answers.
    Hang,
    /// Closes the connection without an answer.
    Close,
}

impl Reply {
    pub(crate) fn ok() -> Self {
        Self::After(Duration::ZERO, 200, "{\"ok\":true}".into())
    }

    pub(crate) fn ok_after(delay: Duration) -> Self {
        Self::After(delay, 200, "{\"ok\":true}".into())
    }
}

type Script = dyn Fn(&Seen) -> Reply + Send + Sync;

pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) state: Arc<State>,
    task: JoinHandle<()>,
}

pub(crate) struct State {
    script: Box<Script>,
    /// Scripted requests so far.
    pub(crate) requests: watch::Sender<u64>,
    in_flight: AtomicU64,
    pub(crate) connections: AtomicU64,
}

impl Server {
    pub(crate) async fn start(script: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(State {
            script: Box::new(script),
            requests: watch::Sender::new(0),
            in_flight: AtomicU64::new(0),
            connections: AtomicU64::new(0),
        });
        let shared = Arc::clone(&state);
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let shared = Arc::clone(&shared);
                tokio::spawn(async move {
                    // A client that goes away is no error here.
                    let _ = serve(stream, &shared).await;
                });
            }
        });
        Self { url, state, task }
    }

    /// Takes no more connections.
    pub(crate) async fn stop(&mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }
}

async fn serve(stream: TcpStream, state: &State) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut is_counted = false;
    loop {
        let Some((path, body)) = read_request(&mut stream).await? else { return Ok(()) };
        if path == "/versions" {
            let text = r#"{"versions":{"core":"1.7.0","api":"0.71.0.0","gremlin":"3.5.1"}}"#;
            answer(&mut stream, 200, text).await?;
            continue;
        }
        if path == "/metrics" {
            answer(&mut stream, 404, "{}").await?;
            continue;
        }
        if !std::mem::replace(&mut is_counted, true) {
            state.connections.fetch_add(1, Ordering::SeqCst);
        }
        let in_flight = state.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
        let mut number = 0;
        state.requests.send_modify(|count| {
            number = *count;
            *count += 1;
        });
        let reply = (state.script)(&Seen { number, in_flight, body });
        if let Reply::After(delay, ..) = &reply {
            tokio::time::sleep(*delay).await;
        }
        if !matches!(reply, Reply::Hang) {
            state.in_flight.fetch_sub(1, Ordering::SeqCst);
        }
        match reply {
            Reply::After(_, status, text) => answer(&mut stream, status, &text).await?,
            Reply::Close => return Ok(()),
            Reply::Hang => {
                // Until the client has had enough.
                let mut rest = [0; 64];
                while stream.read(&mut rest).await? > 0 {}
                state.in_flight.fetch_sub(1, Ordering::SeqCst);
                return Ok(());
            }
        }
    }
}

async fn read_request(stream: &mut BufReader<TcpStream>) -> std::io::Result<Option<(String, String)>> {
    let mut line = String::new();
    if stream.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut length = 0;
    loop {
        let mut header = String::new();
        stream.read_line(&mut header).await?;
        let header = header.trim().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok(Some((path, String::from_utf8(body).unwrap())))
}

async fn answer(stream: &mut BufReader<TcpStream>, status: u16, body: &str) -> std::io::Result<()> {
    let text = format!(
        "HTTP/1.1 {status} X\r\ncontent-length: {}\r\ncontent-type: application/json\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(text.as_bytes()).await
}

/// A scenario of one read that must be answered with `"ok":true`.
pub(crate) fn read() -> Scenario {
    let text = r#"
        name = "read"
        [[request]]
        method = "GET"
        path = "graph/vertices/1"
        contains = '"ok":true'
    "#;
    Scenario::parse("test", text, &ScenarioOptions::default()).unwrap()
}

/// Options for a short row without warm-up, so that every request counts.
pub(crate) fn options(kind: load_test::result::DriverKind, duration: Duration) -> DriverOptions {
    DriverOptions { kind, duration, warm_up: Duration::ZERO, ..DriverOptions::default() }
}

/// Records all events.
#[derive(Default)]
pub(crate) struct Witness {
    pub(crate) samples: Vec<RowSamples>,
}

impl Observer for Witness {
    fn row_finished(&mut self, _scenario: &str, _row: &Row, samples: &RowSamples) {
        self.samples.push(samples.clone());
    }
}

/// Runs a scenario against a server.
pub(crate) async fn run(
    server: &Server,
    scenario: &Scenario,
    options: &DriverOptions,
    loads: &Loads,
) -> (ScenarioResult, Witness) {
    run_until(server, scenario, options, loads, &Cancel::default()).await
}

pub(crate) async fn run_until(
    server: &Server,
    scenario: &Scenario,
    options: &DriverOptions,
    loads: &Loads,
    cancel: &Cancel,
) -> (ScenarioResult, Witness) {
    let client = api_client::ClientOptions { url: server.url.clone(), ..api_client::ClientOptions::default() };
    let mut test = LoadTest::connect(client, DataOptions::default()).await.unwrap();
    let mut witness = Witness::default();
    let result = test.run(scenario, options, loads, &mut witness, cancel).await.unwrap();
    (result, witness)
}
