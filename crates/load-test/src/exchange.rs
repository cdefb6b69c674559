//! One user's connection: sends a request, reads the answer, judges it, and says how long it took.
//!
//! The connection and the request are driven by the same task, without a pool and without a task of its own for the
//! connection: the tool often shares the processors with the server under test.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::http::{HeaderMap, Request, Response};
use hyper_util::rt::TokioIo;
use tokio::time::timeout;

use crate::endpoint::{Endpoint, Stream, Traffic};
use crate::judge::{Judged, judge};
use crate::limits::ANSWER_BYTES_MAX;
use crate::result::ErrorClass;
use crate::scenario::{BoundRequest, Rendered};

/// What all users of a row have in common about sending.
pub(crate) struct Sending {
    pub(crate) endpoint: Endpoint,
    pub(crate) headers: HeaderMap,
    pub(crate) keep_alive: bool,
    pub(crate) connect_timeout: Duration,
    pub(crate) request_timeout: Duration,
}

/// What came of one request.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// HTTP status; 0 if there was no answer.
    pub(crate) status: u16,
    /// This machine had no port left for a connection: the tool's own limit, not an error of the server.
    pub(crate) no_local_port: bool,
    /// What went wrong, and in what words.
    pub(crate) failure: Option<Failure>,
    /// Time for making a connection; zero on a kept one.
    pub(crate) connect: Duration,
    /// From the begin (connecting included) to the head of the answer.
    pub(crate) first_byte: Duration,
    /// When the last byte of the answer had come, or when it was clear that none will.
    pub(crate) ended: Option<Instant>,
    /// Received and sent, heads included.
    pub(crate) received: u64,
    pub(crate) sent: u64,
    /// Size of the answer's body as it came.
    pub(crate) answer_bytes: u64,
}

/// An error of one request.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) class: ErrorClass,
    pub(crate) text: FailureText,
}

/// Its text, made only if somebody wants to see it.
#[derive(Debug)]
pub(crate) enum FailureText {
    /// As it stands.
    Plain(String),
    /// An answer with an unexpected status.
    Status(u16, Bytes),
}

impl Failure {
    pub(crate) fn new(class: ErrorClass, text: impl Into<String>) -> Self {
        Self { class, text: FailureText::Plain(text.into()) }
    }
}

type Driving = Pin<Box<dyn Future<Output = hyper::Result<()>> + Send>>;

/// An open connection.
struct Open {
    sender: SendRequest<Full<Bytes>>,
    /// What reads and writes; `None` after it has ended.
    driving: Option<Driving>,
    traffic: Arc<Traffic>,
}

/// The connection of one user, made when it is needed.
#[derive(Default)]
pub(crate) struct Connection {
    open: Option<Open>,
}

impl Connection {
    /// Sends a request and judges its answer. Never fails: failing is an outcome.
    pub(crate) async fn exchange(&mut self, sending: &Sending, request: &BoundRequest, rendered: Rendered) -> Outcome {
        let begin = Instant::now();
        let mut outcome = Outcome::default();
        if let Some(open) = &mut self.open
            && !open.is_usable().await
        {
            self.open = None;
        }
        let open = match self.open.take() {
            Some(open) => open,
            None => match timeout(sending.connect_timeout, Open::connect(&sending.endpoint)).await {
                Ok(Ok(open)) => {
                    outcome.connect = begin.elapsed();
                    open
                }
                Ok(Err(error)) => {
                    outcome.no_local_port = error.kind() == std::io::ErrorKind::AddrNotAvailable;
                    return outcome.failed(ErrorClass::Connect, error.to_string());
                }
                Err(_) => {
                    let limit_ms = sending.connect_timeout.as_millis();
                    return outcome.failed(ErrorClass::Connect, format!("no connection within {limit_ms} ms"));
                }
            },
        };
        self.send(open, sending, request, rendered, begin, outcome).await
    }

    async fn send(
        &mut self,
        mut open: Open,
        sending: &Sending,
        request: &BoundRequest,
        rendered: Rendered,
        begin: Instant,
        mut outcome: Outcome,
    ) -> Outcome {
        // A connection that is new has sent nothing yet, except for TLS.
        let before = open.traffic.bytes();
        let contains = rendered.contains.clone();
        let head = make(request, rendered, sending);
        let exchanged = timeout(sending.request_timeout, open.round_trip(head, begin)).await;
        outcome.ended = Some(Instant::now());
        let after = open.traffic.bytes();
        outcome.received = after.0 - before.0;
        outcome.sent = after.1 - before.1;
        let answer = match exchanged {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => return outcome.failed(ErrorClass::Connect, chain(&error)),
            Err(_) => {
                let limit_ms = sending.request_timeout.as_millis();
                return outcome.failed(ErrorClass::Timeout, format!("no complete answer within {limit_ms} ms"));
            }
        };
        outcome.status = answer.head.status().as_u16();
        outcome.first_byte = answer.first_byte;
        outcome.answer_bytes = answer.body.as_ref().map_or(0, Bytes::len) as u64;
        let judged = match &answer.body {
            Some(body) => judge(&request.answer, &answer.head, body, &contains),
            None => Judged::Wrong(format!("the answer is larger than {ANSWER_BYTES_MAX} bytes")),
        };
        outcome.failure = match judged {
            Judged::Right => None,
            Judged::Status => {
                let body = answer.body.clone().unwrap_or_default();
                Some(Failure { class: ErrorClass::Status, text: FailureText::Status(outcome.status, body) })
            }
            Judged::Wrong(text) => Some(Failure::new(ErrorClass::WrongAnswer, text)),
        };
        if sending.keep_alive && answer.body.is_some() {
            self.open = Some(open);
        }
        outcome
    }
}

impl Outcome {
    fn failed(mut self, class: ErrorClass, text: String) -> Self {
        self.failure = Some(Failure::new(class, text));
        self
    }
}

struct Answer {
    head: Response<()>,
    /// `None` if it is larger than allowed; the rest is unread then.
    body: Option<Bytes>,
    first_byte: Duration,
}

impl Open {
    async fn connect(endpoint: &Endpoint) -> std::io::Result<Self> {
        let traffic = Arc::new(Traffic::default());
        let (sender, driving): (_, Driving) = match endpoint.connect(&traffic).await? {
            Stream::Plain(stream) => {
                let (sender, driving) = http1::handshake(TokioIo::new(stream)).await.map_err(std::io::Error::other)?;
                (sender, Box::pin(driving))
            }
            Stream::Tls(stream) => {
                let (sender, driving) = http1::handshake(TokioIo::new(stream)).await.map_err(std::io::Error::other)?;
                (sender, Box::pin(driving))
            }
        };
        Ok(Self { sender, driving: Some(driving), traffic })
    }

    /// Whether the server has not closed it meanwhile. Looks only, does not wait.
    async fn is_usable(&mut self) -> bool {
        std::future::poll_fn(|cx| {
            self.poll_driving(cx);
            Poll::Ready(self.driving.is_some() && !self.sender.is_closed())
        })
        .await
    }

    fn poll_driving(&mut self, cx: &mut std::task::Context<'_>) {
        if let Some(driving) = &mut self.driving
            && driving.as_mut().poll(cx).is_ready()
        {
            self.driving = None;
        }
    }

    async fn round_trip(&mut self, request: Request<Full<Bytes>>, begin: Instant) -> hyper::Result<Answer> {
        self.drive(|sender| async move {
            sender.ready().await?;
            let (head, body) = sender.send_request(request).await?.into_parts();
            let first_byte = begin.elapsed();
            let body = read(body).await?;
            Ok(Answer { head: Response::from_parts(head, ()), body, first_byte })
        })
        .await
    }

    /// Runs work on the sender, and the connection beneath it.
    async fn drive<'a, T, W>(&'a mut self, work: impl FnOnce(&'a mut SendRequest<Full<Bytes>>) -> W) -> T
    where
        W: Future<Output = T>,
    {
        let Self { sender, driving, .. } = self;
        let mut work = pin!(work(sender));
        std::future::poll_fn(|cx| {
            if let Poll::Ready(done) = work.as_mut().poll(cx) {
                return Poll::Ready(done);
            }
            if let Some(future) = driving
                && future.as_mut().poll(cx).is_ready()
            {
                *driving = None;
            }
            // The connection may just have brought what the work waits for.
            work.as_mut().poll(cx)
        })
        .await
    }
}

fn make(request: &BoundRequest, rendered: Rendered, sending: &Sending) -> Request<Full<Bytes>> {
    let mut head = Request::new(Full::new(rendered.body));
    *head.method_mut() = request.method.clone();
    *head.uri_mut() = rendered.uri;
    *head.headers_mut() = sending.headers.clone();
    head
}

/// Reads a body whole; nearly always it is one piece and not copied.
async fn read(mut body: Incoming) -> hyper::Result<Option<Bytes>> {
    let mut whole = Bytes::new();
    let mut pieces = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(piece) = frame?.into_data() else { continue };
        if whole.is_empty() && pieces.is_empty() {
            whole = piece;
            continue;
        }
        if pieces.is_empty() {
            pieces.extend_from_slice(&whole);
        }
        pieces.extend_from_slice(&piece);
        if pieces.len() > ANSWER_BYTES_MAX {
            return Ok(None);
        }
    }
    Ok(Some(if pieces.is_empty() { whole } else { pieces.freeze() }))
}

/// An error and its causes in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = error.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        cause = error.source();
    }
    text
}
