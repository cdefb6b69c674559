//! Who carries queries out, seen from here.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use auth::Caller;
use cypher_value::{Map, Text, Value};

use crate::failure::Failure;
use crate::summary::Summary;

/// Carries out transactions.
pub trait Queries: Send + Sync + 'static {
    /// The database that a name means; without one, the default.
    ///
    /// # Errors
    /// There is none of the name.
    fn database(&self, name: Option<&str>) -> Result<Text, Failure>;

    /// A name for the state of a database at this moment: what a transaction that did nothing is committed as.
    fn bookmark(&self, database: &str) -> String;

    /// Whether a query may write, as far as its text tells: decides in which queue it waits.
    fn may_write(&self, text: &str) -> bool;

    /// Whether a query may make or change something, so that it needs room on the disk: what only deletes does not.
    fn may_add(&self, text: &str) -> bool {
        self.may_write(text)
    }

    /// Bytes that a query may hold; 0 where that is not known.
    fn memory_max(&self) -> u64 {
        0
    }

    /// Carries a transaction out on the calling thread: does what the client asks for, until it has ended. It ends by
    /// [`Task::Commit`], by [`Task::Rollback`], when there is no next task, with a failure, and where it is single,
    /// with its result.
    ///
    /// # Errors
    /// Why the task at work was not done. Nothing that was written stays.
    fn transaction(&self, begin: &Begin, client: &mut dyn Client) -> Result<(), Failure>;
}

/// What a transaction is.
#[derive(Clone, Debug)]
pub struct Begin {
    /// The database it is about, by its own name.
    pub database: Text,
    /// Who asks.
    pub caller: Caller,
    /// Whether it may only read.
    pub is_read: bool,
    /// Whether it is one query that commits when its last row is taken.
    pub is_single: bool,
    /// What it must see.
    pub bookmarks: Vec<Text>,
    /// What the client notes about it.
    pub metadata: Map,
    /// How long it may take, where the client says so.
    pub timeout: Option<Duration>,
    /// Set from outside when it is to stop.
    pub interrupt: Arc<AtomicBool>,
}

/// A query to run.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Its text.
    pub text: Text,
    /// Values by name.
    pub parameters: Map,
    /// How long it may work.
    pub timeout: Duration,
    /// Whether its thread must not wait for writers.
    pub never_waits: bool,
}

impl Statement {
    /// A query whose time is set when it begins.
    #[must_use]
    pub fn new(text: Text, parameters: Map) -> Self {
        Self { text, parameters, timeout: Duration::MAX, never_waits: false }
    }
}

/// Something to do.
#[derive(Clone, Debug)]
pub enum Task {
    /// To run a query; answered by [`Client::opened`].
    Run(Statement),
    /// To hand on rows; answered by [`Client::row`]s, and [`Client::paused`] or [`Client::ended`].
    Pull {
        /// How many; none: all.
        rows: Option<u64>,
        /// The number of the query.
        query: i64,
    },
    /// To leave rows out; answered by [`Client::paused`] or [`Client::ended`].
    Discard {
        /// How many; none: all.
        rows: Option<u64>,
        /// The number of the query.
        query: i64,
    },
    /// To make what was written visible to all; answered by [`Client::committed`].
    Commit,
    /// To forget what was written; answered by [`Client::rolled_back`].
    Rollback,
}

/// Nobody takes answers any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone;

/// The client of one transaction.
pub trait Client {
    /// Waits for the next task. None where no more comes: the client is gone, or was idle for too long.
    fn next(&mut self) -> Option<Task>;

    /// The query runs and has these columns. Queries are numbered from 0 in the order of their tasks.
    fn opened(&mut self, columns: &[Text]);

    /// A row of the result.
    ///
    /// # Errors
    /// [`Gone`]; the transaction is to end then.
    fn row(&mut self, row: &[Value]) -> Result<(), Gone>;

    /// As many rows as were asked for are through, and there are more.
    fn paused(&mut self);

    /// The result is through.
    fn ended(&mut self, summary: &Summary);

    /// What was written stays; the bookmark names that state.
    fn committed(&mut self, bookmark: &str);

    /// What was written is gone.
    fn rolled_back(&mut self);
}
