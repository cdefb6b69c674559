//! One connection's bytes, with limits on waiting: for the head of a request, for the next request, for the client to
//! read.
//!
//! hyper has one time limit for the head that also runs while a connection is idle; the two are separated here, where
//! it is known whether a byte of the next request has arrived. A limit that passes is a failed read or write, which
//! ends the connection.

use std::future::Future as _;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::server::conn::http1;
use serving::note_arrival;
use smallvec::SmallVec;
use tls::Stream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::task::yield_now;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::limits::{
    LINGER_BUFFER_BYTES, LINGER_BYTES_MAX, LINGER_TIME_MAX, WRITE_BYTES_AT_ONCE_MAX, WRITE_BYTES_COPIED_MAX,
    WRITE_STALL_TIME_MAX,
};

/// Requests of a connection: while one is being answered, a silent client is not at fault.
#[derive(Clone, Default)]
pub(crate) struct Busy(Arc<Requests>);

#[derive(Default)]
struct Requests {
    answering: AtomicUsize,
    begun: AtomicUsize,
    upgraded: AtomicBool,
    unread: AtomicBool,
}

/// Counts one request until it is dropped.
pub(crate) struct BusyRequest(Busy);

impl Busy {
    pub(crate) fn request(&self) -> BusyRequest {
        self.0.answering.fetch_add(1, Ordering::Relaxed);
        self.0.begun.fetch_add(1, Ordering::Relaxed);
        BusyRequest(self.clone())
    }

    /// Ends the time limits of reading: the bytes are no requests any more.
    pub(crate) fn upgrade(&self) {
        self.0.upgraded.store(true, Ordering::Relaxed);
    }

    /// Tells that the last answer ends the connection before its request was read to the end.
    pub(crate) fn leave_unread(&self) {
        self.0.unread.store(true, Ordering::Relaxed);
    }

    fn has_unread(&self) -> bool {
        self.0.unread.load(Ordering::Relaxed)
    }

    fn is_upgraded(&self) -> bool {
        self.0.upgraded.load(Ordering::Relaxed)
    }

    fn is_busy(&self) -> bool {
        self.0.answering.load(Ordering::Relaxed) > 0
    }

    /// How many requests there have been.
    fn begun(&self) -> usize {
        self.0.begun.load(Ordering::Relaxed)
    }
}

impl Drop for BusyRequest {
    fn drop(&mut self) {
        self.0.0.answering.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How HTTP is spoken over a [`TimedStream`], which sees to the time limits. It also finds out that a client has gone:
/// hyper would look after each head, and take new room for what it may read.
pub(crate) fn http() -> http1::Builder {
    let mut http = http1::Builder::new();
    http.header_read_timeout(None).half_close(true);
    http
}

/// How long to wait for a client.
#[derive(Clone, Copy)]
pub(crate) struct Patience {
    /// From the first byte of a head to its end.
    pub(crate) head: Duration,
    /// Without a byte between requests.
    pub(crate) idle: Duration,
}

/// What the connection waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waiting {
    /// The first byte of a request, since then.
    Idle(Instant),
    /// The rest of a head, since then.
    Head(Instant),
    /// The answer.
    Answer,
}

/// A connection that loses patience.
pub(crate) struct TimedStream {
    stream: Stream,
    busy: Busy,
    patience: Patience,
    waiting: Waiting,
    requests_seen: usize,
    stalled_since: Option<Instant>,
    alarm: Pin<Box<Sleep>>,
    /// Bytes written since other connections of the thread last had their turn.
    written: usize,
    /// Since when, and how many bytes, of a request that nobody reads any more have been thrown away.
    lingering: Option<(Instant, usize)>,
}

impl TimedStream {
    pub(crate) fn new(stream: Stream, busy: Busy, patience: Patience) -> Self {
        let now = Instant::now();
        let alarm = Box::pin(sleep_until(now + patience.idle));
        Self {
            stream,
            busy,
            patience,
            waiting: Waiting::Idle(now),
            requests_seen: 0,
            stalled_since: None,
            alarm,
            written: 0,
            lingering: None,
        }
    }

    /// Whether the moment has passed; if not, makes sure the task is woken then. The alarm is only moved when it would
    /// ring too late, or has rung too early: mostly it stays where it is.
    fn is_over(&mut self, deadline: Instant, context: &mut Context<'_>) -> bool {
        if self.alarm.deadline() > deadline {
            self.alarm.as_mut().reset(deadline);
        }
        while self.alarm.as_mut().poll(context).is_ready() {
            if Instant::now() >= deadline {
                return true;
            }
            self.alarm.as_mut().reset(deadline);
        }
        false
    }

    /// Notes a request under way; otherwise says whether one has been answered since it was last looked. A head is
    /// complete when its request has begun, however short its answer took.
    fn has_answered(&mut self) -> bool {
        let begun = self.busy.begun();
        let before = std::mem::replace(&mut self.requests_seen, begun);
        if self.busy.is_busy() {
            self.waiting = Waiting::Answer;
            return false;
        }
        self.waiting == Waiting::Answer || begun != before
    }

    fn read_is_over(&mut self, context: &mut Context<'_>) -> bool {
        if self.busy.is_upgraded() {
            return false;
        }
        if self.has_answered() {
            self.waiting = Waiting::Idle(Instant::now());
        }
        let deadline = match self.waiting {
            Waiting::Idle(since) => since + self.patience.idle,
            Waiting::Head(since) => since + self.patience.head,
            Waiting::Answer => return false,
        };
        self.is_over(deadline, context)
    }

    fn note_read(&mut self) {
        if self.has_answered() || matches!(self.waiting, Waiting::Idle(_)) {
            self.waiting = Waiting::Head(Instant::now());
        }
    }

    /// Whether the other connections of the thread are to have their turn before more is written. The system takes some
    /// megabytes at once, and passes them on to a client on the same machine while it does.
    fn gives_way(&mut self, context: &mut Context<'_>) -> bool {
        if self.written < WRITE_BYTES_AT_ONCE_MAX {
            return false;
        }
        self.written = 0;
        // Comes back after what has arrived by then, unlike a plain wake.
        pin!(yield_now()).poll(context).is_pending()
    }

    /// Whether the client has closed its side, without taking what it may have sent before. If not, the task is woken
    /// when something arrives.
    fn is_left(&mut self, context: &mut Context<'_>) -> io::Result<bool> {
        match self.stream.poll_left(context) {
            Poll::Ready(left) => left,
            Poll::Pending => Ok(false),
        }
    }

    /// Reads what the client still sends and throws it away, so that it gets to read the answer. What it does not let
    /// itself be told within bounds it is not told.
    fn linger(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let (since, mut bytes) = self.lingering.unwrap_or_else(|| (Instant::now(), 0));
        loop {
            let mut room = [MaybeUninit::uninit(); LINGER_BUFFER_BYTES];
            let mut buffer = ReadBuf::uninit(&mut room);
            match Pin::new(&mut self.stream).poll_read(context, &mut buffer) {
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() && bytes <= LINGER_BYTES_MAX => {
                    bytes += buffer.filled().len();
                }
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending if self.is_over(since + LINGER_TIME_MAX, context) => return Poll::Ready(()),
                Poll::Pending => {
                    self.lingering = Some((since, bytes));
                    return Poll::Pending;
                }
            }
        }
    }

    fn wrote(&mut self, context: &mut Context<'_>, poll: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(outcome) = &poll {
            self.stalled_since = None;
            self.written += outcome.as_ref().copied().unwrap_or_default();
            return poll;
        }
        self.stalls(context).map(Err)
    }

    /// Something that was written does not go out: an error when that has lasted too long.
    fn stalls(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        let since = *self.stalled_since.get_or_insert_with(Instant::now);
        if self.is_over(since + WRITE_STALL_TIME_MAX, context) {
            return Poll::Ready(timed_out("the client does not read the answer"));
        }
        Poll::Pending
    }
}

fn timed_out(words: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, words)
}

impl AsyncRead for TimedStream {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        match Pin::new(&mut this.stream).poll_read(context, buffer) {
            Poll::Ready(Ok(())) => {
                if buffer.filled().len() > before {
                    note_arrival();
                    this.note_read();
                }
                Poll::Ready(Ok(()))
            }
            Poll::Ready(error) => Poll::Ready(error),
            Poll::Pending if this.read_is_over(context) => Poll::Ready(Err(timed_out("no request came in time"))),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncWrite for TimedStream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.gives_way(context) {
            return Poll::Pending;
        }
        let piece = bytes.get(..WRITE_BYTES_AT_ONCE_MAX).unwrap_or(bytes);
        let poll = Pin::new(&mut this.stream).poll_write(context, piece);
        this.wrote(context, poll)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.gives_way(context) {
            return Poll::Pending;
        }
        // A short answer as one piece: the system takes longer over several than a copy does.
        let len = bytes.iter().map(|slice| slice.len()).sum::<usize>();
        if len <= WRITE_BYTES_COPIED_MAX {
            let mut piece = SmallVec::<[u8; WRITE_BYTES_COPIED_MAX]>::new();
            bytes.iter().for_each(|slice| piece.extend_from_slice(slice));
            let poll = Pin::new(&mut this.stream).poll_write(context, &piece);
            return this.wrote(context, poll);
        }
        let small = bytes.iter().take_while(|slice| slice.len() <= WRITE_BYTES_AT_ONCE_MAX).count();
        let poll = match (small, bytes.first()) {
            (0, Some(first)) => {
                let piece = first.get(..WRITE_BYTES_AT_ONCE_MAX).unwrap_or(first);
                Pin::new(&mut this.stream).poll_write(context, piece)
            }
            (count, _) => Pin::new(&mut this.stream).poll_write_vectored(context, bytes.get(..count).unwrap_or(bytes)),
        };
        this.wrote(context, poll)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// An answer is out. hyper does not read again before something arrives, so the alarm for the next request is set
    /// here. Or it is being worked on, and whether the client waits for it is found out here.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.busy.is_busy() && this.is_left(context)? {
            return Poll::Ready(Err(io::Error::new(
                io::ErrorKind::ConnectionAborted,
                "the client does not wait for the answer",
            )));
        }
        if this.read_is_over(context) {
            return Poll::Ready(Err(timed_out("no request came in time")));
        }
        if Pin::new(&mut this.stream).poll_flush(context)?.is_pending() {
            return this.stalls(context).map(Err);
        }
        // Without encryption nothing waits to be flushed, and what is written counts alone.
        if this.stream.is_encrypted() {
            this.stalled_since = None;
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.lingering.is_none() && Pin::new(&mut this.stream).poll_shutdown(context)?.is_pending() {
            return this.stalls(context).map(Err);
        }
        if this.busy.has_unread() {
            ready!(this.linger(context));
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use bytes::Bytes;
    use http_body_util::Full;
    use hyper::service::service_fn;
    use hyper::{Request, Response, body::Incoming};
    use hyper_util::rt::TokioIo;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::sync::mpsc;
    use tokio::time::timeout;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    /// A client's side of a connection whose requests are handed to `serve`, by path.
    async fn client<S>(serve: impl Fn(String) -> S + Send + Sync + 'static) -> TcpStream
    where
        S: Future<Output = Vec<u8>> + Send,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        tokio::spawn(async move {
            let busy = Busy::default();
            let stream = TimedStream::new(stream.into(), busy.clone(), Patience { head: LONG, idle: LONG });
            let service = service_fn(|request: Request<Incoming>| {
                let counted = busy.request();
                let served = serve(request.uri().path().to_owned());
                async move {
                    let body = Full::new(Bytes::from(served.await));
                    drop(counted);
                    Ok::<_, Infallible>(Response::new(body))
                }
            });
            drop(http().serve_connection(TokioIo::new(stream), service).await);
        });
        client
    }

    #[tokio::test]
    async fn work_ends_when_the_client_goes_away() {
        let (begun, mut was_begun) = mpsc::channel::<()>(1);
        let mut client = client(move |_| {
            let begun = begun.clone();
            async move {
                begun.send(()).await.unwrap();
                std::future::pending().await
            }
        })
        .await;
        client.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
        assert_eq!(was_begun.recv().await, Some(()));
        drop(client);
        // The service goes with the connection, and the sender with it.
        assert_eq!(timeout(LONG, was_begun.recv()).await, Ok(None));
    }

    #[tokio::test]
    async fn a_client_that_sends_the_next_request_early_is_still_there() {
        let (go, gone_on) = tokio::sync::watch::channel(false);
        let mut client = client(move |path| {
            let mut gone_on = gone_on.clone();
            async move {
                gone_on.wait_for(|go| *go).await.unwrap();
                path.into_bytes()
            }
        })
        .await;
        client.write_all(b"GET /a HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
        yield_now().await;
        client.write_all(b"GET /b HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await.unwrap();
        yield_now().await;
        go.send(true).unwrap();
        let mut answers = String::new();
        timeout(LONG, client.read_to_string(&mut answers)).await.unwrap().unwrap();
        assert!(answers.contains("\r\n\r\n/a") && answers.ends_with("\r\n\r\n/b"), "{answers}");
    }

    #[tokio::test]
    async fn answers_of_all_lengths_arrive_whole() {
        let mut client = client(|path| async move {
            let len = path[1..].parse().unwrap();
            (0..=u8::MAX).cycle().take(len).collect()
        })
        .await;
        for len in [0, 1, WRITE_BYTES_COPIED_MAX - 100, WRITE_BYTES_COPIED_MAX, 3 * WRITE_BYTES_AT_ONCE_MAX] {
            client.write_all(format!("GET /{len} HTTP/1.1\r\nhost: a\r\n\r\n").as_bytes()).await.unwrap();
            let mut answer = Vec::new();
            let body = loop {
                assert!(timeout(LONG, client.read_buf(&mut answer)).await.unwrap().unwrap() > 0);
                let Some(head) = answer.windows(4).position(|end| end == b"\r\n\r\n") else { continue };
                if answer.len() >= head + 4 + len {
                    break answer.split_off(head + 4);
                }
            };
            assert_eq!(body, (0..=u8::MAX).cycle().take(len).collect::<Vec<_>>());
        }
    }
}
