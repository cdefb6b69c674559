//! One user's connection: sends a request, reads the answer, judges it, and says how long it took.
//!
//! The connection is driven by the task of its user, without a pool and without a task of its own: the tool often
//! shares the processors with the server under test.

use std::future::{Future as _, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::time::{Sleep, sleep_until, timeout};

use crate::endpoint::{Endpoint, Stream};
use crate::judge::{Judged, judge};
use crate::limits::ANSWER_BYTES_MAX;
use crate::result::ErrorClass;
use crate::scenario::{BoundRequest, Rendered};
use crate::wire::{AnswerReader, Progress, WireError};

/// What all users of a row have in common about sending.
pub(crate) struct Sending {
    pub(crate) endpoint: Endpoint,
    /// Lines of the head that are the same in all requests.
    pub(crate) headers: Vec<u8>,
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

/// Its text, built only when needed.
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

/// The connection of one user, made when it is needed.
#[derive(Default)]
pub(crate) struct Connection {
    open: Option<Stream>,
    answer: AnswerReader,
    alarm: Alarm,
}

impl Connection {
    /// Sends a request now and checks its answer. Never fails: a failure is an outcome.
    pub(crate) async fn exchange(
        &mut self,
        sending: &Sending,
        request: &BoundRequest,
        rendered: &Rendered<'_>,
        begin: Instant,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        if let Some(open) = &mut self.open
            && !is_usable(open).await
        {
            self.open = None;
        }
        let open = match self.open.take() {
            Some(open) => open,
            None => match timeout(sending.connect_timeout, sending.endpoint.connect()).await {
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
        mut open: Stream,
        sending: &Sending,
        request: &BoundRequest,
        rendered: &Rendered<'_>,
        begin: Instant,
        mut outcome: Outcome,
    ) -> Outcome {
        // A connection that is new has sent nothing yet, except for TLS.
        let before = open.traffic();
        let deadline = begin + sending.request_timeout;
        self.answer.begin();
        let mut trip = RoundTrip {
            stream: &mut open,
            unsent: rendered.message,
            broken: None,
            answer: &mut self.answer,
            head_came: None,
            came_whole: false,
        };
        let alarm = &mut self.alarm;
        let exchanged = poll_fn(|cx| match trip.poll(cx) {
            Poll::Pending if alarm.rings(deadline, cx) => Poll::Ready(None),
            polled => polled.map(Some),
        })
        .await;
        let head_came = trip.head_came;
        outcome.ended = Some(head_came.filter(|_| trip.came_whole).unwrap_or_else(Instant::now));
        outcome.first_byte = head_came.map_or(Duration::ZERO, |came| came.duration_since(begin));
        let after = open.traffic();
        outcome.received = after.received - before.received;
        outcome.sent = after.sent - before.sent;
        let is_whole = match exchanged {
            Some(Ok(progress)) => progress == Progress::Whole,
            Some(Err(error)) => return outcome.failed(ErrorClass::Connect, error.to_string()),
            None => {
                let limit_ms = sending.request_timeout.as_millis();
                return outcome.failed(ErrorClass::Timeout, format!("no complete answer within {limit_ms} ms"));
            }
        };
        let Some(head) = self.answer.head() else {
            return outcome.failed(ErrorClass::Connect, "an answer without a head".into());
        };
        let body = self.answer.body();
        outcome.status = head.status;
        outcome.failure = if is_whole {
            outcome.answer_bytes = body.len() as u64;
            match judge(&request.answer, head, body, rendered.contains(), rendered.counts()) {
                Judged::Right => None,
                Judged::Status => {
                    let text = FailureText::Status(outcome.status, Bytes::copy_from_slice(body));
                    Some(Failure { class: ErrorClass::Status, text })
                }
                Judged::Wrong(text) => Some(Failure::new(ErrorClass::WrongAnswer, text)),
            }
        } else {
            let text = format!("the answer is larger than {ANSWER_BYTES_MAX} bytes");
            Some(Failure::new(ErrorClass::WrongAnswer, text))
        };
        let was_last = !self.answer.begin();
        if sending.keep_alive && head.keep_alive && is_whole && !was_last {
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

/// Whether the connection is still open, without unsolicited data. Does not wait.
async fn is_usable(stream: &mut Stream) -> bool {
    let mut nothing = Vec::new();
    poll_fn(|cx| Poll::Ready(stream.poll_read(cx, &mut nothing).is_pending())).await
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
enum TripError {
    #[error("{0}")]
    Broken(#[from] std::io::Error),
    #[error("{0}")]
    Answer(#[from] WireError),
}

/// A request on its way out and its answer on its way in. Both at one time: a server may answer before it has read
/// everything.
struct RoundTrip<'a> {
    stream: &'a mut Stream,
    unsent: &'a [u8],
    /// Why no more can be sent; there may be an answer all the same.
    broken: Option<std::io::Error>,
    answer: &'a mut AnswerReader,
    /// When the head of the answer was there.
    head_came: Option<Instant>,
    /// Whether the rest of it was there then too.
    came_whole: bool,
}

impl RoundTrip<'_> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Progress, TripError>> {
        self.send(cx);
        loop {
            let read = match ready!(self.stream.poll_read(cx, &mut self.answer.input)) {
                Ok(bytes) => bytes,
                Err(error) => return Poll::Ready(Err(self.broken.take().unwrap_or(error).into())),
            };
            let progress = match self.answer.advance(read == 0) {
                Ok(progress) => progress,
                Err(WireError::Closed(when)) => {
                    let closed = || WireError::Closed(when).into();
                    return Poll::Ready(Err(self.broken.take().map_or_else(closed, TripError::Broken)));
                }
                Err(error) => return Poll::Ready(Err(error.into())),
            };
            if self.head_came.is_none() && self.answer.head().is_some() {
                self.head_came = Some(Instant::now());
                self.came_whole = progress == Progress::Whole;
            }
            if progress != Progress::Partial {
                return Poll::Ready(Ok(progress));
            }
        }
    }

    /// Sends as much as the socket accepts.
    fn send(&mut self, cx: &mut Context<'_>) {
        while !self.unsent.is_empty() {
            match self.stream.poll_write(cx, self.unsent) {
                Poll::Ready(Ok(bytes)) if bytes > 0 => self.unsent = self.unsent.get(bytes..).unwrap_or_default(),
                Poll::Ready(Ok(_)) => self.give_up(std::io::ErrorKind::WriteZero.into()),
                Poll::Ready(Err(error)) => self.give_up(error),
                Poll::Pending => break,
            }
        }
        if self.broken.is_none()
            && let Poll::Ready(Err(error)) = self.stream.poll_flush(cx)
        {
            self.give_up(error);
        }
    }

    fn give_up(&mut self, error: std::io::Error) {
        self.unsent = &[];
        self.broken = Some(error);
    }
}

/// Wakes a user whose answer does not come. It is set once for many requests: one that is answered in time leaves it
/// where it is, and when it rings too early it is set again. That saves two changes of the runtime's list of timers for
/// each request.
#[derive(Default)]
struct Alarm(Option<Pin<Box<Sleep>>>);

impl Alarm {
    /// Whether the deadline has passed; if not, the task will be woken then.
    fn rings(&mut self, deadline: Instant, cx: &mut Context<'_>) -> bool {
        let sleep = self.0.get_or_insert_with(|| Box::pin(sleep_until(deadline.into())));
        if sleep.deadline().into_std() > deadline {
            sleep.as_mut().reset(deadline.into());
        }
        while sleep.as_mut().poll(cx).is_ready() {
            if Instant::now() >= deadline {
                return true;
            }
            sleep.as_mut().reset(deadline.into());
        }
        false
    }
}
