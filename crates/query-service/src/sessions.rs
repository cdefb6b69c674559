//! Sessions: requests that share variables and a unit of writes.
//!
//! Each has a thread, because a unit borrows its graph and its budget and so stays where it is. The thread waits for
//! the session's requests, and ends when the session is closed or has been idle for long.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use graph_access::Budget;
use graph_model::ErrorKind;
use parking_lot::Mutex;

use crate::cancel::Cancel;
use crate::error::QueryError;
use crate::inner::Inner;
use crate::limits::SESSION_REQUESTS_MAX;
use crate::request::{Prepared, Sink};
use crate::slot::Variables;
use crate::unit::Unit;

/// The sessions of a service.
pub(crate) struct Sessions {
    inner: Arc<Inner>,
    open: Arc<Open>,
}

type Open = Mutex<HashMap<String, SyncSender<Work>>>;

/// A request of a session.
struct Work {
    prepared: Prepared,
    is_managed: bool,
    cancel: Cancel,
    sink: Box<dyn Sink>,
    done: SyncSender<Result<(), QueryError>>,
}

impl Sessions {
    pub(crate) fn new(inner: Arc<Inner>) -> Self {
        Self { inner, open: Arc::default() }
    }

    pub(crate) fn run(
        &self,
        session: &str,
        is_managed: bool,
        prepared: Prepared,
        cancel: &Cancel,
        sink: Box<dyn Sink>,
    ) -> Result<(), QueryError> {
        let sender = self.sender(session)?;
        let (done, outcome) = mpsc::sync_channel(1);
        let work = Work { prepared, is_managed, cancel: cancel.clone(), sink, done };
        match sender.try_send(work) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => {
                let message =
                    format!("{SESSION_REQUESTS_MAX} requests of the session wait already (SESSION_REQUESTS_MAX)");
                return Err(QueryError::access(ErrorKind::Overloaded, message));
            }
            Err(TrySendError::Disconnected(_)) => return Err(ended()),
        }
        outcome.recv().unwrap_or_else(|_| Err(ended()))
    }

    /// The way to a session's thread, which is started where there is none.
    fn sender(&self, session: &str) -> Result<SyncSender<Work>, QueryError> {
        let mut open = self.open.lock();
        if let Some(sender) = open.get(session) {
            return Ok(sender.clone());
        }
        let max = self.inner.options.sessions_max;
        if open.len() >= max {
            let message =
                format!("there are {max} sessions already (gremlin.sessions_max); close one, or try again later");
            return Err(QueryError::access(ErrorKind::Overloaded, message));
        }
        let (sender, work) = mpsc::sync_channel(SESSION_REQUESTS_MAX);
        let thread = Thread {
            name: session.to_owned(),
            inner: Arc::clone(&self.inner),
            open: Arc::downgrade(&self.open),
            idle: self.inner.options.session_idle,
        };
        let started = thread::Builder::new().name("session".to_owned()).spawn(move || thread.run(&work));
        if let Err(error) = started {
            let message = format!("no thread for the session: {error}");
            return Err(QueryError::access(ErrorKind::Overloaded, message));
        }
        open.insert(session.to_owned(), sender.clone());
        Ok(sender)
    }

    pub(crate) fn close(&self, session: &str) -> bool {
        // The thread ends when the last way to it is gone, after the request it works on.
        self.open.lock().remove(session).is_some()
    }
}

fn ended() -> QueryError {
    QueryError::access(ErrorKind::Cancelled, "the session has ended; begin another one")
}

struct Thread {
    name: String,
    inner: Arc<Inner>,
    open: Weak<Open>,
    idle: Duration,
}

impl Thread {
    fn run(&self, requests: &Receiver<Work>) {
        let mut variables = Variables::default();
        let mut next = self.wait(requests);
        while let Some(work) = next {
            next = self.unit(work, requests, &mut variables);
        }
    }

    /// The next request; none at the end of the session.
    fn wait(&self, requests: &Receiver<Work>) -> Option<Work> {
        match requests.recv_timeout(self.idle) {
            Ok(work) => Some(work),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => {
                if let Some(open) = self.open.upgrade() {
                    open.lock().remove(&self.name);
                }
                // What came between the two is still answered.
                requests.try_recv().ok()
            }
        }
    }

    /// Works on requests as long as they share a unit; returns the first one that does not.
    fn unit(&self, first: Work, requests: &Receiver<Work>, variables: &mut Variables) -> Option<Work> {
        let graph = match self.inner.store.graph(&first.prepared.graph) {
            Ok(graph) => graph,
            Err(error) => {
                drop(first.done.send(Err(error.into())));
                return self.wait(requests);
            }
        };
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget::new(Duration::MAX, Arc::clone(&flag));
        let mut unit = Unit::new(&graph, &budget, self.inner.settings());
        let mut work = first;
        loop {
            let is_other = work.prepared.graph != graph.name();
            if is_other && !unit.is_open() {
                return Some(work);
            }
            let Work { prepared, is_managed, cancel, mut sink, done } = work;
            let outcome = if is_other {
                let message = format!(
                    "the session has a transaction on graph '{}': commit it before a request to '{}'",
                    graph.name(),
                    prepared.graph
                );
                Err(QueryError::access(ErrorKind::NotAllowed, message))
            } else {
                cancel.attach(&flag);
                let end = |unit: &mut Unit<'_>| if is_managed { unit.commit() } else { Ok(()) };
                let outcome = self.inner.evaluate(&prepared, &cancel, &mut *sink, &mut unit, variables, end);
                cancel.detach();
                outcome
            };
            // Whoever waits for the last results has them when the sink is gone.
            drop(sink);
            drop(done.send(outcome));
            // A unit that was told to stop stops for ever, and one without writes need not see old data.
            if !unit.is_open() {
                return self.wait(requests);
            }
            work = self.wait(requests)?;
        }
    }
}
