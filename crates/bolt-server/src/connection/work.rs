//! Queries and transactions: tasks for the thread of a transaction, and its answers for the client.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use audit::{Class, Event};
use bolt_codec::{END, Extra, Fetch, Request, Run, is_fetch};
use cypher_session::{Failure, Statement, Task};
use cypher_value::{Map, Text};
use serving::{Admitted, Barred, QueryShare};
use tokio::time::timeout;
use traces::within;

use super::Connection;
use super::open::{Begun, Open};
use super::user::PROTOCOL;
use crate::answers::Writer;
use crate::limits::{EARLY, KEEP_ALIVE, PIECE_BYTES, STOP_TIME_MAX};
use crate::pipe::{Outcome, Piece, pipe, pipe_of_one_thread};
use crate::stream::{Stop, work_reading};

/// What is noted of a query that has failed, where its code has gone to the client already.
const FAILED: &str = "failed";

/// How a transaction has begun.
enum Started {
    /// It has a thread.
    Transaction(Box<Open>),
    /// It has ended already, and these are its answers.
    Done(Piece),
}

impl Connection {
    /// Runs a query, and hands on its first rows where the client has asked for them already.
    pub(super) async fn run_query(&mut self, run: Run) -> io::Result<()> {
        let Run { text, parameters, extra } = run;
        if !self.machine.has_room() {
            let max = crate::limits::OPEN_RESULTS_MAX;
            let message = format!("the transaction has {max} open results (OPEN_RESULTS_MAX): pull or discard some");
            self.fail(&Failure::new(Failure::INVALID_REQUEST, message));
            return Ok(());
        }
        let following = self.following();
        // In a transaction the time counts from its beginning.
        let is_single = !self.machine.is_in_transaction();
        let client_timeout = if is_single { extra.timeout } else { None };
        match self.let_in(&text, &parameters, extra, following.as_ref()).await {
            Ok(None) => {}
            Ok(Some(piece)) => {
                self.inbox.pop();
                let mut pending = 2;
                self.take(piece, &mut pending, true);
                (0..pending).for_each(|_| self.ignore());
                return Ok(());
            }
            Err(failure) => {
                self.fail(&failure);
                return Ok(());
            }
        }
        let task = Task::Run(Statement::new(text, parameters));
        if following.is_some() {
            self.inbox.pop();
        }
        self.work(task, following, client_timeout).await
    }

    /// Lets a query in where quotas allow that, into a transaction that is begun where there is none. The answers,
    /// where the query could be carried out at once.
    async fn let_in(
        &mut self,
        text: &Text,
        parameters: &Map,
        extra: Extra,
        following: Option<&Task>,
    ) -> Result<Option<Piece>, Failure> {
        let begun = match (&self.open, self.begun.take()) {
            (Some(_), _) => None,
            (None, Some(begun)) => Some(begun),
            (None, None) => {
                let mut begun = self.begin_of(extra, true)?;
                self.trace = begun.trace.take();
                Some(begun)
            }
        };
        let (caller, database) = match (&begun, &self.open) {
            (Some(begun), _) => (begun.begin.caller.clone(), begun.begin.database.clone()),
            (None, Some(open)) => (open.caller.clone(), open.database.clone()),
            (None, None) => return Err(Failure::new(Failure::TRANSACTION_NOT_FOUND, "the transaction has ended")),
        };
        let barred = |barred: Barred| Failure::barred(&barred);
        let shared = Arc::clone(&self.shared);
        let watch = &shared.serving().watch;
        // The one before, whose results the client has left open.
        self.watched.succeed();
        self.watched = watch.record(Class::Query, || {
            let subject = caller.subject(PROTOCOL, Some(self.peer.ip()), Some(watch.audit.request_id()));
            Event::new(Class::Query, "RUN", subject).of_graph(&*database)
        });
        self.watched.note_query(text);
        watch.let_in(&mut self.watched, caller.user(), Some(&*database), false).map_err(barred)?;
        if let Err(low) = watch.disk.check()
            && shared.transactions.queries().may_add(text)
        {
            return Err(barred(low.into()));
        }
        self.watched.count_bytes(text.len());
        self.watched.begin().await.map_err(|error| barred(error.into()))?;
        let Some(begun) = begun else { return Ok(None) };
        let memory = shared.transactions.queries().memory_max();
        let share = watch.quotas.query(caller.user(), Some(&*database), memory);
        let share = share.map_err(|over| barred(over.into()))?;
        let single = following.filter(|_| begun.begin.is_single);
        let single = single.map(|fetch| (Statement::new(text.clone(), parameters.clone()), fetch));
        match self.start(begun, share, single)? {
            Started::Transaction(open) => {
                self.open = Some(*open);
                Ok(None)
            }
            Started::Done(piece) => {
                if piece.outcomes.iter().any(|outcome| matches!(outcome, Outcome::Failed { .. })) {
                    self.note_failure(FAILED);
                }
                self.trace = None;
                Ok(Some(piece))
            }
        }
    }

    /// What the client has sent behind a query: that it wants rows of it, or none.
    fn following(&self) -> Option<Task> {
        if self.inbox.has_reset() {
            return None;
        }
        let query = self.machine.next_query();
        let bytes = self.inbox.peek().filter(|bytes| is_fetch(bytes))?;
        match Request::read(bytes, self.dialect).ok()? {
            Request::Pull(Fetch { rows, query: None }) => Some(Task::Pull { rows, query }),
            Request::Discard(Fetch { rows, query: None }) => Some(Task::Discard { rows, query }),
            _ => None,
        }
    }

    /// Takes or leaves rows of a result.
    pub(super) async fn fetch(&mut self, fetch: Fetch, is_pull: bool) -> io::Result<()> {
        let Some(query) = self.machine.result(fetch.query) else {
            let message = format!("there is no open result {}", fetch.query.unwrap_or(-1));
            self.fail(&Failure::new(Failure::INVALID_REQUEST, message));
            return Ok(());
        };
        let rows = fetch.rows;
        let task = if is_pull { Task::Pull { rows, query } } else { Task::Discard { rows, query } };
        self.work(task, None, None).await
    }

    /// Ends the transaction that the client began.
    pub(super) async fn settle(&mut self, is_commit: bool) -> io::Result<()> {
        if self.open.is_some() {
            return self.work(if is_commit { Task::Commit } else { Task::Rollback }, None, None).await;
        }
        // It has run nothing.
        let begun = self.begun.take();
        let bookmark = begun.filter(|_| is_commit).map(|begun| {
            let queries = self.shared.transactions.queries();
            queries.bookmark(&begun.begin.database)
        });
        self.trace = None;
        self.success(|map| {
            if let Some(bookmark) = &bookmark {
                map.text("bookmark", bookmark);
            }
        });
        self.machine.settled();
        Ok(())
    }

    /// Ends the transaction, if there is one, and waits for that.
    pub(super) async fn end_transaction(&mut self) {
        self.begun = None;
        self.trace = None;
        let Some(Open { transaction, pipe, .. }) = self.open.take() else { return };
        drop(transaction);
        let ended = async { while pipe.take().await.is_some() {} };
        if timeout(STOP_TIME_MAX, ended).await.is_err() {
            tracing::warn!("a transaction that was told to stop goes on");
        }
    }

    /// Starts the thread of a transaction; one that consists of a query that can be answered at once needs none.
    fn start(
        &self,
        begun: Begun,
        share: Option<QueryShare>,
        single: Option<(Statement, &Task)>,
    ) -> Result<Started, Failure> {
        let Begun { begin, names_database, filter, trace: _ } = begun;
        let _entered = self.trace.as_ref().map(|trace| trace.place().enter());
        let is_single = begin.is_single;
        let (caller, database) = (begin.caller.clone(), begin.database.clone());
        let writer = |pipe| Writer {
            dialect: self.dialect,
            pipe,
            database: database.clone(),
            names_database,
            is_single,
            filter: Arc::clone(&filter),
            since: Instant::now(),
            open: Vec::new(),
        };
        if let Some((statement, fetch)) = single {
            let (filling, pipe) = pipe_of_one_thread();
            let _admitted = self.admit()?;
            if self.shared.transactions.attempt(&begin, statement, fetch, writer(filling))
                && let Some(piece) = pipe.take_now()
            {
                return Ok(Started::Done(piece));
            }
        }
        let (filling, pipe) = pipe();
        let transaction = self.shared.transactions.begin(begin, writer(filling))?;
        Ok(Started::Transaction(Box::new(Open { transaction, pipe, is_single, caller, database, _share: share })))
    }

    fn admit(&self) -> Result<Admitted, Failure> {
        let serving = self.shared.serving();
        let mut admitted = serving.admission.enter().map_err(|_| {
            serving.metrics.refused_requests.inc();
            let max = serving.options.requests_in_flight_max;
            let message = format!("the server works on {max} requests already (server.requests_in_flight_max)");
            Failure::new(Failure::OVERLOADED, message)
        })?;
        admitted.grow_to(self.inbox.held_bytes()).map_err(|_| {
            serving.metrics.refused_bytes.inc();
            let max = serving.options.bytes_in_flight_max;
            let message = format!("the server holds {max} bytes of requests already (server.bytes_in_flight_max)");
            Failure::new(Failure::OVERLOADED, message)
        })?;
        Ok(admitted)
    }

    /// Has the transaction do a task, and another one that follows at once, and hands its answers to the client.
    async fn work(&mut self, task: Task, following: Option<Task>, client: Option<Duration>) -> io::Result<()> {
        let admitted = match self.admit() {
            Ok(admitted) => admitted,
            Err(failure) => return self.failed(&failure, following.is_some()),
        };
        let Some(open) = &mut self.open else {
            let failure = Failure::new(Failure::TRANSACTION_NOT_FOUND, "the transaction has ended");
            return self.failed(&failure, following.is_some());
        };
        let mut pending = 1;
        // The wait for a place among the queries at work belongs to the trace.
        let place = self.trace.as_ref().map(|trace| trace.place().clone());
        let given = {
            let giving = pin!(open.transaction.give(task, client));
            work_reading(&mut self.reader, &mut self.inbox, within(place.as_ref(), giving)).await
        };
        match given {
            Ok(Ok(())) => {}
            Ok(Err(failure)) => return self.failed(&failure, following.is_some()),
            Err(Stop::Reset) => return self.stopped(pending + usize::from(following.is_some())).await,
            Err(Stop::Gone(error)) => return Err(error),
        }
        if let Some(following) = following {
            pending += 1;
            // Fails where the first task has failed already: its answer says so.
            drop(open.transaction.give_next(following));
        }
        let mut patience = EARLY;
        while pending > 0 {
            let Some(open) = &self.open else { return Ok(()) };
            // A query that does not look at its deadline by itself is told.
            let left = open.transaction.deadline().map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                open.transaction.interrupt();
            }
            let wait = left.filter(|left| !left.is_zero()).map_or(patience, |left| patience.min(left));
            let piece = match work_reading(&mut self.reader, &mut self.inbox, timeout(wait, open.pipe.take())).await {
                Ok(Ok(piece)) => piece,
                Ok(Err(_)) => match open.pipe.take_now() {
                    Some(piece) => Some(piece),
                    None => {
                        if wait == KEEP_ALIVE {
                            // It goes on: the client is not to take the connection for lost.
                            self.out.extend_from_slice(&END);
                        }
                        patience = KEEP_ALIVE;
                        self.flush().await?;
                        continue;
                    }
                },
                Err(Stop::Reset) => return self.stopped(pending).await,
                Err(Stop::Gone(error)) => return Err(error),
            };
            patience = EARLY;
            let Some(piece) = piece else {
                let message = "the transaction has ended: it was idle for too long, or its time was over";
                let failure = Failure::new(Failure::TRANSACTION_NOT_FOUND, message);
                return self.failed(&failure, pending > 1);
            };
            let is_single = open.is_single;
            if self.take(piece, &mut pending, is_single) {
                self.forget_transaction();
                (0..pending).for_each(|_| self.ignore());
                break;
            }
            if self.out.len() >= PIECE_BYTES || pending > 0 {
                self.flush().await?;
            }
        }
        drop(admitted);
        Ok(())
    }

    /// Takes answers over. True where the transaction has ended.
    fn take(&mut self, piece: Piece, pending: &mut usize, is_single: bool) -> bool {
        if self.out.is_empty() {
            self.out = piece.bytes;
        } else {
            self.out.extend_from_slice(&piece.bytes);
        }
        let mut is_over = false;
        for outcome in piece.outcomes {
            *pending = pending.saturating_sub(1);
            match outcome {
                Outcome::Opened => drop(self.machine.opened()),
                Outcome::Paused => {}
                Outcome::Ended(query) => {
                    self.machine.ended(query);
                    is_over |= is_single;
                }
                Outcome::Settled => {
                    self.machine.settled();
                    is_over = true;
                }
                Outcome::Failed { is_denied } => {
                    self.watched.fail(FAILED, is_denied);
                    self.note_failure(FAILED);
                    self.machine.failed();
                    is_over = true;
                }
            }
        }
        is_over
    }

    /// Answers that a task was not done, and that the one that follows it was not looked at.
    fn failed(&mut self, failure: &Failure, has_following: bool) -> io::Result<()> {
        self.fail(failure);
        if has_following {
            self.ignore();
        }
        Ok(())
    }

    /// The client wants to begin anew: what it waits for is given up.
    async fn stopped(&mut self, pending: usize) -> io::Result<()> {
        if let Some(open) = &self.open {
            open.transaction.interrupt();
        }
        self.end_transaction().await;
        (0..pending).for_each(|_| self.ignore());
        self.machine.failed();
        Ok(())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // A query at work is to stop; its thread finds out that nobody waits.
        self.forget_transaction();
    }
}
