//! One connection: messages in their order, each answered by what the state of the connection allows.

mod open;
mod route;
mod user;
mod work;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use auth::Caller;
use bolt_codec::{Dialect, Extra, Hello, NotificationFilter, Request, failure, ignored, message, success};
use cypher_session::{Begin, Failure};
use cypher_value::{Map, Text};
use serving::{Outcome, Watched};
use tls::{ClientCertificate, Protocol, Stream};
use tokio::io::{AsyncWriteExt as _, ReadHalf, WriteHalf, split};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant as Moment, timeout, timeout_at};
use traces::Given;

use self::open::{Begun, Open, Trace};
use crate::handshake;
use crate::inbox::Inbox;
use crate::limits::{
    IDLE_TIME_MAX, LOGON_TIME_MAX, RECEIVE_TIMEOUT_SECONDS, SHUTDOWN_TRANSACTION_TIME_MAX, WRITE_STALL_TIME_MAX,
};
use crate::machine::{Decision, Machine, State};
use crate::shared::Shared;
use crate::stream::write_reading;
use crate::summary;

/// What the server says to be. Drivers refuse one that does not begin with `Neo4j/`, and tools read the version of
/// Neo4j whose features they may use.
const AGENT: &str = concat!("Neo4j/5.26.0 compatible (Rhizome/", env!("CARGO_PKG_VERSION"), ")");

/// Serves a connection to its end.
pub(crate) async fn serve(
    shared: &Arc<Shared>,
    stream: TcpStream,
    peer: SocketAddr,
    ended: watch::Receiver<bool>,
) -> io::Result<()> {
    let logon_until = Moment::now() + LOGON_TIME_MAX;
    let late = |_| io::Error::from(io::ErrorKind::TimedOut);
    let Some((stream, certificate)) = opened(shared, stream, &ended).await? else { return Ok(()) };
    let local_address = stream.local_addr().ok();
    let (mut reader, mut writer) = split(stream);
    let agreeing = handshake::agree((&mut reader, &mut writer), &shared.options.http_address);
    let agreed = timeout_at(logon_until, agreeing).await;
    let Some((version, rest)) = agreed.map_err(late)?? else {
        // Tells a client of TLS that nothing is missing.
        return timeout_at(logon_until, writer.shutdown()).await.map_err(late)?;
    };
    let mut inbox = Inbox::new(shared.options.message_bytes_max);
    inbox.feed(&rest);
    let connection = Connection {
        shared: Arc::clone(shared),
        reader,
        writer,
        local_address,
        certificate,
        peer,
        number: shared.number(),
        ended,
        logon_until,
        inbox,
        machine: Machine::new(version),
        dialect: Dialect::of(version),
        out: Vec::with_capacity(512),
        caller: None,
        filter: Arc::default(),
        routing: None,
        begun: None,
        open: None,
        trace: None,
        watched: Watched::nothing(),
    };
    Box::pin(connection.run()).await
}

/// The bytes of a connection, and the certificate of its client: after the handshake of TLS where the listener has it.
/// None where the server ends before.
async fn opened(
    shared: &Shared,
    stream: TcpStream,
    ended: &watch::Receiver<bool>,
) -> io::Result<Option<(Stream, Option<ClientCertificate>)>> {
    let Some(tls) = &shared.options.tls else { return Ok(Some((stream.into(), None))) };
    let mut ended = ended.clone();
    // On the heap: most of a connection's life it is not there.
    let handshake = Box::pin(tls.accept(stream, Protocol::Bolt));
    tokio::select! {
        accepted = handshake => {
            let accepted = accepted.map_err(io::Error::other)?;
            Ok(Some((accepted.stream, accepted.certificate)))
        }
        _ = ended.wait_for(|ended| *ended) => Ok(None),
    }
}

struct Connection {
    shared: Arc<Shared>,
    reader: ReadHalf<Stream>,
    writer: WriteHalf<Stream>,
    /// The address by which the client came.
    local_address: Option<SocketAddr>,
    certificate: Option<ClientCertificate>,
    peer: SocketAddr,
    number: u64,
    ended: watch::Receiver<bool>,
    /// Until when a user must be known.
    logon_until: Moment,
    inbox: Inbox,
    machine: Machine,
    dialect: Dialect,
    /// What is to be written.
    out: Vec<u8>,
    caller: Option<Caller>,
    /// Which notifications the client wants if it says nothing else.
    filter: Arc<NotificationFilter>,
    routing: Option<Map>,
    /// The transaction that the client began, before its first query.
    begun: Option<Begun>,
    open: Option<Open>,
    /// The span of the transaction, if it is sampled.
    trace: Option<Trace>,
    /// The query at work.
    watched: Watched,
}

impl Connection {
    async fn run(mut self) -> io::Result<()> {
        self.converse().await?;
        timeout(WRITE_STALL_TIME_MAX, self.writer.shutdown()).await.unwrap_or(Ok(()))
    }

    async fn converse(&mut self) -> io::Result<()> {
        loop {
            while let Some(message) = self.inbox.pop() {
                self.answer(&message).await?;
                if self.machine.state() == State::Closed {
                    return self.flush().await;
                }
            }
            self.flush().await?;
            if let Some(error) = self.inbox.broken() {
                self.fail(&Failure::new(Failure::INVALID_FORMAT, error.to_string()));
                self.machine.close();
                return self.flush().await;
            }
            if !self.wait().await? {
                return Ok(());
            }
        }
    }

    /// Writes what is to be written.
    async fn flush(&mut self) -> io::Result<()> {
        if self.out.is_empty() {
            return Ok(());
        }
        let bytes = std::mem::take(&mut self.out);
        self.shared.serving().metrics.bytes_sent.inc_by(bytes.len() as u64);
        self.watched.count_bytes(bytes.len());
        write_reading((&mut self.reader, &mut self.writer), &mut self.inbox, &bytes).await?;
        self.out = bytes;
        self.out.clear();
        self.out.shrink_to(64 * 1024);
        Ok(())
    }

    /// Waits for the next message. False where the connection is to end.
    async fn wait(&mut self) -> io::Result<bool> {
        let is_busy = self.open.is_some() || self.begun.is_some();
        let until = if self.machine.is_logged_on() { Moment::now() + IDLE_TIME_MAX } else { self.logon_until };
        let mut ended = self.ended.clone();
        let end = async move {
            // Fails only if the sender is gone, which means the end as well.
            drop(ended.wait_for(|ended| *ended).await);
            if is_busy {
                tokio::time::sleep(SHUTDOWN_TRANSACTION_TIME_MAX).await;
            }
        };
        tokio::select! {
            biased;
            read = timeout_at(until, self.inbox.read(&mut self.reader)) => {
                read.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?
            }
            () = end => Ok(false),
        }
    }

    /// Answers one message.
    async fn answer(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.shared.serving().metrics.bytes_received.inc_by(bytes.len() as u64);
        let is_reset = bolt_codec::is_reset(bytes);
        if self.inbox.has_reset() && !is_reset && self.machine.is_logged_on() {
            self.ignore();
            return Ok(());
        }
        if is_reset {
            self.inbox.reset_answered();
        }
        let request = match Request::read(bytes, self.dialect) {
            Ok(request) => request,
            Err(_) if self.machine.state() == State::Failed => {
                self.ignore();
                return Ok(());
            }
            Err(error) => {
                self.fail(&Failure::new(Failure::INVALID_FORMAT, format!("the message cannot be read: {error}")));
                return Ok(());
            }
        };
        match self.machine.decide(&request) {
            Decision::Ignore => {
                self.ignore();
                Ok(())
            }
            Decision::Refuse => {
                let message = format!("{} cannot come now: {}", request.name(), expected(self.machine.state()));
                self.fail(&Failure::new(Failure::INVALID_REQUEST, message));
                self.machine.close();
                Ok(())
            }
            Decision::Do => self.carry_out(request).await,
        }
    }

    async fn carry_out(&mut self, request: Request) -> io::Result<()> {
        let (name, since) = (request.name(), Instant::now());
        if matches!(request, Request::Run(_) | Request::Pull(_) | Request::Commit)
            && let Err(failure) = self.check_open()
        {
            self.fail(&failure);
            self.shared.endpoint(name).observe(Outcome::ClientError, since.elapsed());
            return Ok(());
        }
        match request {
            Request::Hello(hello) => self.hello(*hello).await,
            Request::Logon(credentials) => {
                if self.log_on(&credentials).await {
                    self.success(|_| {});
                    self.machine.logged_on();
                }
            }
            Request::Logoff => {
                self.caller = None;
                self.success(|_| {});
                self.machine.logged_off();
                self.logon_until = Moment::now() + LOGON_TIME_MAX;
            }
            Request::Goodbye => self.machine.close(),
            Request::Telemetry => self.success(|_| {}),
            Request::Route(route) => self.route(&route),
            Request::Begin(extra) => self.begin(extra),
            Request::Reset => {
                self.end_transaction().await;
                self.success(|_| {});
                self.machine.settled();
            }
            Request::Run(run) => self.run_query(*run).await?,
            Request::Pull(fetch) => self.fetch(fetch, true).await?,
            Request::Discard(fetch) => self.fetch(fetch, false).await?,
            Request::Commit => self.settle(true).await?,
            Request::Rollback => self.settle(false).await?,
        }
        // What a query does, and whether it may, is known when its results are through.
        if matches!(self.machine.state(), State::Ready | State::Transaction) {
            self.watched.succeed();
        }
        let has_failed = matches!(self.machine.state(), State::Failed | State::Closed);
        let outcome = if has_failed { Outcome::ClientError } else { Outcome::Succeeded };
        self.shared.endpoint(name).observe(outcome, since.elapsed());
        Ok(())
    }

    async fn hello(&mut self, hello: Hello) {
        let version = self.dialect.version;
        if !version.has_logon() && !self.log_on(&hello.credentials).await {
            return;
        }
        let is_patched = !version.has_element_ids() && hello.patches.iter().any(|patch| patch == "utc");
        self.dialect.is_utc |= is_patched;
        self.filter = Arc::new(hello.notifications);
        self.routing = hello.routing;
        let number = self.number;
        self.success(|map| {
            map.text("server", AGENT);
            map.text("connection_id", &format!("bolt-{number}"));
            if version.has_failure_statuses() {
                map.text("protocol_version", &version.to_string());
            }
            if is_patched {
                let patches = map.entry("patch_bolt");
                bolt_codec::pack::list_header(patches, 1);
                bolt_codec::pack::text(patches, "utc");
            }
            let mut hints = bolt_codec::pack::Dictionary::begin(map.entry("hints"));
            hints.integer("connection.recv_timeout_seconds", RECEIVE_TIMEOUT_SECONDS);
            if version.names_database() {
                // Drivers may remember the user's database instead of asking for it again.
                hints.boolean("ssr.enabled", true);
            }
            hints.end();
        });
        self.machine.greeted();
    }

    /// Begins a transaction; its thread starts with its first query.
    fn begin(&mut self, extra: Extra) {
        let names_database = extra.database.is_none() && self.dialect.version.names_database();
        match self.begin_of(extra, false) {
            Ok(mut begun) => {
                let database = begun.begin.database.clone();
                self.trace = begun.trace.take();
                self.begun = Some(begun);
                self.success(|map| {
                    if names_database {
                        map.text("db", &database);
                    }
                });
                self.machine.begun();
            }
            Err(failure) => self.fail(&failure),
        }
    }

    fn begin_of(&self, extra: Extra, is_single: bool) -> Result<Begun, Failure> {
        let caller = self.present_caller()?;
        if let Some(other) = extra.impersonated.filter(|other| *other != caller.name()) {
            let message = format!("to act as '{other}' in place of '{}' is not possible here", caller.name());
            return Err(Failure::new(Failure::FORBIDDEN, message));
        }
        let database = self.shared.transactions.queries().database(extra.database.as_deref())?;
        let filter = if extra.notifications == NotificationFilter::default() {
            Arc::clone(&self.filter)
        } else {
            Arc::new(extra.notifications)
        };
        let given = |key: &str| match extra.metadata.get(key) {
            Some(cypher_value::Value::String(text)) => Some(&**text),
            _ => None,
        };
        let given = Given { parent: given("traceparent"), state: given("tracestate") };
        let operation = if is_single { "RUN" } else { "TRANSACTION" };
        let trace = self.shared.serving().options.traces.query("bolt", operation, given).map(Trace::of);
        if let Some(trace) = &trace {
            trace.place().of_graph(&database);
        }
        let begin = Begin {
            database,
            caller,
            is_read: extra.is_read,
            is_single,
            bookmarks: extra.bookmarks,
            metadata: extra.metadata,
            timeout: extra.timeout,
            interrupt: Arc::default(),
        };
        let names_database = extra.database.is_none() && self.dialect.version.names_database();
        Ok(Begun { begin, names_database, filter, trace })
    }

    fn success(&mut self, write: impl FnOnce(&mut bolt_codec::pack::Dictionary<'_>)) {
        message(&mut self.out, |out| success(out, write));
    }

    fn ignore(&mut self) {
        message(&mut self.out, ignored);
    }

    /// Answers that a message was not done. A transaction ends with that.
    fn fail(&mut self, why: &Failure) {
        let version = self.dialect.version;
        message(&mut self.out, |out| failure(out, |map| summary::failure(map, why, version)));
        self.watched.fail(&why.code, why.code == Failure::FORBIDDEN);
        self.note_failure(&why.code);
        self.forget_transaction();
        self.machine.failed();
    }

    /// Notes in the trace of the transaction that it has failed.
    fn note_failure(&mut self, code: &str) {
        if let Some(trace) = &mut self.trace {
            trace.fail(code);
        }
    }

    fn forget_transaction(&mut self) {
        self.open = None;
        self.begun = None;
        self.trace = None;
    }

    /// The address by which the client came, as it told it or as it is seen here.
    fn own_address(&self, told: Option<&Map>) -> Text {
        let told = told.or(self.routing.as_ref()).and_then(|map| map.get("address"));
        match told {
            Some(cypher_value::Value::String(address)) if !address.is_empty() => address.clone(),
            _ => self.local_address.map(|address| address.to_string().into()).unwrap_or_default(),
        }
    }
}

/// What may come in a state, for people.
fn expected(state: State) -> &'static str {
    match state {
        State::Hello => "HELLO is the first message",
        State::Logon => "LOGON is expected",
        State::Ready => "no result is open, and no transaction",
        State::Streaming => "the result of the query before is to be pulled or discarded first",
        State::Transaction | State::TransactionStreaming => "a transaction is open",
        State::Failed => "something has failed, and RESET is expected",
        State::Closed => "the connection has ended",
    }
}
