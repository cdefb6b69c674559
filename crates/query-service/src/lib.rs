//! Which query runs for which client on which graph.
//!
//! What it is: [`QueryService`] carries out Gremlin scripts and bytecode over the graphs of a store: it finds the
//! graph that a script's names mean, evaluates the statements, runs their traversals through `query-exec`, keeps the
//! writes of a request in one unit and the sessions' units between requests, knows which queries run, and ends them.
//! What it is not: it speaks no protocol, reads and writes no wire format, and chooses no threads: a call works on the
//! thread that makes it.
//!
//! Invariants:
//! - A request's writes become visible together, when it has succeeded, and not at all when it has failed.
//! - A query stops at its deadline, when it is killed and when its client is gone; see [`Cancel`].
//! - Sessions, their idle time, the names and lists a script holds are bounded; see [`limits`].
//! - Nothing of a script is code: it calls what is written down in `evaluate/`.
//!
//! Start reading at [`QueryService`].

mod advice;
mod cancel;
mod collect;
mod entered;
mod error;
mod evaluate;
mod inner;
mod job;
mod json;
pub mod limits;
mod names;
mod request;
mod rights;
mod running;
mod service;
mod sessions;
mod slot;
mod slow;
mod text;
mod unit;

pub use cancel::{Cancel, Reason};
pub use collect::Collect;
pub use entered::Entered;
pub use error::{QueryError, QueryErrorKind};
pub use inner::Options;
pub use job::{GremlinJob, GremlinJobs, JOB_KIND, JobRequest};
pub use json::{from_json, to_json};
pub use request::{Gone, Prepared, Program, QueryRequest, Sink};
pub use running::RunningQuery;
pub use service::QueryService;
pub use slow::SlowQuery;
