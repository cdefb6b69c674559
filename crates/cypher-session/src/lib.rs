//! Transactions of Cypher on threads, whichever protocol their client speaks.
//!
//! What it is: [`Transactions`] starts one on a thread of its own, which it keeps until it ends: a result that a client
//! takes in parts stays open there, and rows go from the executor to the protocol's [`Answers`] without being
//! collected. A thread works only while it has a slot of the queues that all protocols share, and has none while it
//! waits for its client. How queries are carried out is behind [`Queries`]; [`GraphQueries`] does it over the graphs of
//! a store. What it is not: it speaks no protocol.
//!
//! Invariants:
//! - What a transaction wrote is gone when its client is, when it was idle for too long, and after any failure.
//! - Transactions, their idle time and their working time are bounded ([`Options`]).
//! - A panic costs one transaction.

mod algorithms;
mod failure;
mod graph_plans;
mod graphs;
mod host;
mod job;
mod limits;
mod port;
mod summary;
mod transaction;

pub use failure::Failure;
pub use graphs::GraphQueries;
pub use job::{CypherJob, CypherJobs, JOB_KIND, JobRequest};
pub use port::{Begin, Client, Gone, Queries, Statement, Task};
pub use summary::{Counters, Notification, Plan, Position, QueryKind, Summary};
pub use transaction::{Answers, Options, Transaction, Transactions};
