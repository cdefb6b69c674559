//! The graphs of one engine: which there are, who keeps them, and what runs on them in the background.
//!
//! What it is: [`Store`] opens, creates, clears, drops, copies and purges graphs, and runs their jobs ([`Jobs`]); where
//! several processes share an engine, it keeps them in step. What it is not: it reads and writes no elements
//! (`graph-store` does), and knows no JSON, no HTTP and no concrete engine.
//!
//! Invariants:
//! - Every change of the list of graphs is one batch, so a graph is there as a whole or not at all.
//! - A job runs at most once at a time; one that is cut short is run again, by this process or by another one over the
//!   store.
//! - A graph knows its host, and the host knows graphs by number only, so neither keeps the other alive.
//!
//! Start reading at [`Store`].

mod background;
mod cluster;
mod host;
mod hosted;
mod jobs;
pub mod limits;
mod lists;
mod options;
mod ranges;
mod store;
mod variables;

pub use crate::hosted::HostedGraph;
pub use crate::jobs::olap::OlapJob;
pub use crate::jobs::{Job, JobContext, JobRegistry, Jobs};
pub use crate::options::{ClusterOptions, PurgeOptions, StoreOptions};
pub use crate::store::graphs::{Clear, GraphConf};
pub use crate::store::transfer::{Copied, CopyProgress, CopySource, TableSum};
pub use crate::store::{Store, contents};
pub use crate::variables::Variables;
