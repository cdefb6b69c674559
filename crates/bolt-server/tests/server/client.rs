//! A server in this process, and a client of it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use auth::{Authenticate, NoUsers};
use bolt_codec::{Answer, Dechunker, Dialect, Fetch, MAGIC, Request, Run, Version, message};
use bolt_server::Options;
use cypher_session::Transactions;
use cypher_value::{Map, Value};
use serving::Serving;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::memory::Memory;

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) memory: Arc<Memory>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(memory: Memory) -> Self {
        Self::start_with(memory, cypher_session::Options::default(), Arc::new(NoUsers))
    }

    pub(crate) fn start_with(memory: Memory, options: cypher_session::Options, auth: Arc<dyn Authenticate>) -> Self {
        let memory = Arc::new(memory);
        let (stop, stopped) = oneshot::channel::<()>();
        let (told, address) = std::sync::mpsc::channel();
        let queries = Arc::clone(&memory);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            runtime.block_on(async move {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                told.send(listener.local_addr().unwrap()).unwrap();
                let serving = Arc::new(Serving::new(serving::Options { threads: 4, ..serving::Options::default() }));
                let transactions = Arc::new(Transactions::new(queries, serving, options));
                let shutdown = async { drop(stopped.await) };
                let grace = Duration::from_secs(10);
                bolt_server::serve(listener, transactions, auth, Options::default(), shutdown, grace).await.unwrap();
            });
        });
        Self { address: address.recv().unwrap(), memory, stop: Some(stop), thread: Some(thread) }
    }

    pub(crate) fn stop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.stop();
        }
    }
}

pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    pub(crate) dialect: Dialect,
    dechunker: Dechunker,
    messages: std::collections::VecDeque<Vec<u8>>,
}

impl Client {
    /// Connects without a handshake.
    pub(crate) fn raw(server: &Server) -> Self {
        let stream = TcpStream::connect(server.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Self {
            stream,
            dialect: Dialect::of(Version::new(5, 8)),
            dechunker: Dechunker::new(100_000_000),
            messages: std::collections::VecDeque::new(),
        }
    }

    /// Connects, and agrees on a version.
    pub(crate) fn agreed(server: &Server, version: Version) -> Self {
        let mut client = Self::raw(server);
        let proposal = [0, 0, version.minor, version.major];
        client.send_bytes(&[&MAGIC[..], &proposal, &[0; 12]].concat());
        assert_eq!(client.take_bytes(4), proposal);
        client.dialect = Dialect::of(version);
        client
    }

    /// Connects, and logs on.
    pub(crate) fn ready(server: &Server) -> Self {
        let mut client = Self::agreed(server, Version::new(5, 8));
        client.send(&Request::Hello(Box::default()));
        client.send(&Request::Logon(bolt_codec::Credentials::default()));
        client.success();
        client.success();
        client
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    pub(crate) fn take_bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.stream.read_exact(&mut bytes).unwrap();
        bytes
    }

    pub(crate) fn send(&mut self, request: &Request) {
        let (mut bytes, dialect) = (Vec::new(), self.dialect);
        message(&mut bytes, |out| request.write(out, dialect));
        self.send_bytes(&bytes);
    }

    pub(crate) fn run(&mut self, text: &str) {
        self.send(&Request::Run(Box::new(Run { text: text.into(), ..Run::default() })));
    }

    pub(crate) fn pull(&mut self, rows: u64) {
        self.send(&Request::Pull(Fetch { rows: Some(rows), query: None }));
    }

    /// The next message; none at the end of the connection.
    pub(crate) fn try_next(&mut self) -> Option<Answer> {
        while self.messages.is_empty() {
            let mut buffer = [0; 65_536];
            let count = match self.stream.read(&mut buffer) {
                Ok(0) => return None,
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return None,
                Err(error) => panic!("{error}"),
            };
            let messages = &mut self.messages;
            self.dechunker.feed(&buffer[..count], |message| messages.push_back(message)).unwrap();
        }
        let message = self.messages.pop_front()?;
        Some(Answer::read(&message, self.dialect).unwrap())
    }

    pub(crate) fn next(&mut self) -> Answer {
        self.try_next().expect("the connection has ended")
    }

    pub(crate) fn success(&mut self) -> Map {
        match self.next() {
            Answer::Success(map) => map,
            other => panic!("{other:?} instead of success"),
        }
    }

    /// The code and message of a failure.
    pub(crate) fn failure(&mut self) -> (String, String) {
        let map = match self.next() {
            Answer::Failure(map) => map,
            other => panic!("{other:?} instead of a failure"),
        };
        let text = |name: &str| match map.get(name) {
            Some(Value::String(text)) => text.to_string(),
            _ => String::new(),
        };
        let code = if map.contains_key("code") { text("code") } else { text("neo4j_code") };
        (code, text("message"))
    }

    pub(crate) fn ignored(&mut self) {
        let answer = self.next();
        assert!(matches!(answer, Answer::Ignored), "{answer:?}");
    }

    /// Rows up to the answer that ends them.
    pub(crate) fn rows(&mut self) -> (Vec<Vec<Value>>, Answer) {
        let mut rows = Vec::new();
        loop {
            match self.next() {
                Answer::Record(row) => rows.push(row),
                other => return (rows, other),
            }
        }
    }

    /// Has nothing more come, and has the connection ended?
    pub(crate) fn is_closed(&mut self) -> bool {
        self.try_next().is_none()
    }
}
