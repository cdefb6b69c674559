//! Small clients of every protocol of a server, which show answers as they come.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bolt_codec::{Answer, Credentials, Dechunker, Dialect, Extra, Fetch, MAGIC, Request, Run, Version, message};
use cypher_value::Value as Cypher;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Message, WebSocket, client, handshake::HandshakeError};

/// Longer than anything here takes, so that a defect fails a test instead of hanging it.
const PATIENCE: Duration = Duration::from_secs(60);

/// Who asks.
#[derive(Clone, Debug)]
pub(crate) enum Login {
    Password(String, String),
    Token(String),
}

impl Login {
    pub(crate) fn password(user: &str, password: &str) -> Self {
        Self::Password(user.to_owned(), password.to_owned())
    }

    pub(crate) fn token(token: &str) -> Self {
        Self::Token(token.to_owned())
    }

    /// The header `Authorization`.
    pub(crate) fn header(&self) -> String {
        match self {
            Self::Password(user, password) => format!("Basic {}", STANDARD.encode(format!("{user}:{password}"))),
            Self::Token(token) => format!("Bearer {token}"),
        }
    }
}

fn connect(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

/// An answer over HTTP.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{}", self.body))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// A connection with HTTP.
pub(crate) struct Http {
    stream: TcpStream,
    headers: String,
}

impl Http {
    pub(crate) fn new(address: &str, login: Option<&Login>) -> Self {
        let headers = login.map(|login| format!("Authorization: {}\r\n", login.header())).unwrap_or_default();
        Self { stream: connect(address), headers }
    }

    /// With one more header.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push_str(&format!("{name}: {value}\r\n"));
        self
    }

    pub(crate) fn ask(&mut self, method: &str, path: &str, body: &str) -> Reply {
        let length = body.len();
        let head = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n");
        let text = format!("{head}{}Content-Length: {length}\r\n\r\n{body}", self.headers);
        self.stream.write_all(text.as_bytes()).unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            self.stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut reply = Reply { status, head, body: String::new() };
        let length = reply.header("content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        reply.body = String::from_utf8(body).unwrap();
        reply
    }

    /// A query in Gremlin, at `/gremlin` of the API or of the Gremlin Server.
    pub(crate) fn gremlin(&mut self, text: &str) -> Reply {
        self.ask("POST", "/gremlin", &json!({ "gremlin": text }).to_string())
    }

    /// A query in Cypher, by the Query API.
    pub(crate) fn cypher(&mut self, text: &str) -> Reply {
        self.ask("POST", "/db/hugegraph/query/v2", &json!({ "statement": text }).to_string())
    }
}

/// One request on a connection of its own.
pub(crate) fn http(address: &str, login: Option<&Login>, method: &str, path: &str, body: &str) -> Reply {
    Http::new(address, login).ask(method, path, body)
}

/// A WebSocket of a Gremlin Server.
pub(crate) struct Gremlin {
    socket: WebSocket<TcpStream>,
    asked: u32,
}

impl Gremlin {
    /// Opens one, with the header of a login perhaps; otherwise the status of the answer.
    pub(crate) fn open(address: &str, login: Option<&Login>) -> Result<Self, u16> {
        let mut request = format!("ws://{address}/gremlin").into_client_request().unwrap();
        if let Some(login) = login {
            request.headers_mut().insert("Authorization", login.header().parse().unwrap());
        }
        match client(request, connect(address)) {
            Ok((socket, _)) => Ok(Self { socket, asked: 0 }),
            Err(HandshakeError::Failure(tokio_tungstenite::tungstenite::Error::Http(answer))) => {
                Err(answer.status().as_u16())
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn send(&mut self, operation: &str, arguments: &Value) {
        self.asked += 1;
        let id = format!("00000000-0000-0000-0000-{:012}", self.asked);
        let request = json!({ "requestId": id, "op": operation, "processor": "", "args": arguments });
        self.socket.send(Message::Text(request.to_string().into())).unwrap();
    }

    /// The code and the text of the next answer.
    fn next(&mut self) -> (i64, String) {
        let text = match self.socket.read().unwrap() {
            Message::Text(text) => text.to_string(),
            Message::Binary(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
            other => panic!("{other:?}"),
        };
        let json: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"));
        (json["status"]["code"].as_i64().unwrap(), text)
    }

    pub(crate) fn ask(&mut self, text: &str) -> (i64, String) {
        self.ask_with(text, &json!({}))
    }

    /// A query with more arguments.
    pub(crate) fn ask_with(&mut self, text: &str, more: &Value) -> (i64, String) {
        let mut arguments = json!({ "gremlin": text, "language": "gremlin-groovy" });
        for (name, value) in more.as_object().into_iter().flatten() {
            arguments[name] = value.clone();
        }
        self.send("eval", &arguments);
        self.next()
    }

    /// Shows what a login by SASL PLAIN shows; a token is a user without a password.
    pub(crate) fn log_in(&mut self, login: &Login) -> (i64, String) {
        let (user, password) = match login {
            Login::Password(user, password) => (user.as_str(), password.as_str()),
            Login::Token(token) => (token.as_str(), ""),
        };
        let sasl = STANDARD.encode(format!("\0{user}\0{password}"));
        self.send("authentication", &json!({ "sasl": sasl, "saslMechanism": "PLAIN" }));
        self.next()
    }
}

/// A connection with Bolt.
pub(crate) struct Bolt {
    stream: TcpStream,
    dialect: Dialect,
    dechunker: Dechunker,
    messages: std::collections::VecDeque<Vec<u8>>,
}

/// The code and the message of a failure.
pub(crate) type Failed = (String, String);

impl Bolt {
    /// Logs on.
    pub(crate) fn open(address: &str, login: &Login) -> Result<Self, Failed> {
        let version = Version::new(5, 8);
        let mut stream = connect(address);
        let proposal = [0, 0, version.minor, version.major];
        stream.write_all(&[&MAGIC[..], &proposal, &[0; 12]].concat()).unwrap();
        let mut agreed = [0; 4];
        stream.read_exact(&mut agreed).unwrap();
        assert_eq!(agreed, proposal);
        let (dialect, dechunker) = (Dialect::of(version), Dechunker::new(100_000_000));
        let mut bolt = Self { stream, dialect, dechunker, messages: std::collections::VecDeque::new() };
        let (scheme, principal, secret) = match login {
            Login::Password(user, password) => ("basic", Some(user.as_str().into()), password),
            Login::Token(token) => ("bearer", None, token),
        };
        let credentials = Some(secret.as_str().into());
        let credentials = Credentials { scheme: Some(scheme.into()), principal, credentials, realm: None };
        bolt.send(&Request::Hello(Box::default()));
        bolt.done()?;
        bolt.send(&Request::Logon(credentials));
        bolt.done()?;
        Ok(bolt)
    }

    pub(crate) fn send(&mut self, request: &Request) {
        let (mut bytes, dialect) = (Vec::new(), self.dialect);
        message(&mut bytes, |out| request.write(out, dialect));
        self.stream.write_all(&bytes).unwrap();
    }

    fn next(&mut self) -> Answer {
        while self.messages.is_empty() {
            let mut buffer = [0; 65_536];
            let count = self.stream.read(&mut buffer).unwrap();
            assert!(count > 0, "the connection has ended");
            let messages = &mut self.messages;
            self.dechunker.feed(&buffer[..count], |message| messages.push_back(message)).unwrap();
        }
        let message = self.messages.pop_front().unwrap();
        Answer::read(&message, self.dialect).unwrap()
    }

    /// Takes answers up to one that is no row; the number of rows.
    pub(crate) fn done(&mut self) -> Result<usize, Failed> {
        let mut rows = 0;
        loop {
            match self.next() {
                Answer::Record(_) => rows += 1,
                Answer::Success(_) => return Ok(rows),
                Answer::Failure(map) => {
                    let text = |name: &str| match map.get(name) {
                        Some(Cypher::String(text)) => text.to_string(),
                        _ => String::new(),
                    };
                    let code = if map.contains_key("code") { text("code") } else { text("neo4j_code") };
                    return Err((code, text("message")));
                }
                Answer::Ignored => return Err(("ignored".to_owned(), String::new())),
            }
        }
    }

    /// Runs a query and takes its rows. After a failure the connection is as it was before the query.
    pub(crate) fn ask(&mut self, text: &str) -> Result<usize, Failed> {
        self.send(&Request::Run(Box::new(Run { text: text.into(), ..Run::default() })));
        self.send(&Request::Pull(Fetch { rows: None, query: None }));
        let (ran, pulled) = (self.done(), self.done());
        match (ran, pulled) {
            (Ok(_), Ok(rows)) => Ok(rows),
            (Err(failed), _) | (_, Err(failed)) => {
                self.send(&Request::Reset);
                self.done().unwrap();
                Err(failed)
            }
        }
    }

    /// Runs a query in the transaction that is open, and takes its rows.
    pub(crate) fn ask_in_transaction(&mut self, text: &str) -> Result<usize, Failed> {
        self.send(&Request::Run(Box::new(Run { text: text.into(), ..Run::default() })));
        self.done()?;
        self.send(&Request::Pull(Fetch { rows: None, query: None }));
        self.done()
    }

    pub(crate) fn begin(&mut self) -> Result<usize, Failed> {
        self.send(&Request::Begin(Extra::default()));
        self.done()
    }

    pub(crate) fn commit(&mut self) -> Result<usize, Failed> {
        self.send(&Request::Commit);
        self.done()
    }
}
