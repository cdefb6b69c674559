//! How is a stored graph analysed as a whole?
//!
//! What it is: a [`Projection`] is a compact copy of a graph, or of some of its labels, in memory, read in parallel
//! from one moment. An [`Analysis`] is a request to run an algorithm over one, and [`AnalysisJob`] runs it as a task,
//! by the names of the crate `analytics` or by those of HugeGraph's jobs, whose answers it then has. What it is not:
//! the algorithms are in `analytics`; it knows no HTTP.
//!
//! Invariants:
//! - Nothing is kept in memory beyond the limit: a projection that does not fit is counted to its end, so that the
//!   refusal says what it needs, but not kept.
//! - Results are written back to vertices that still exist, and to one property only.
//!
//! Start reading at [`project`] and [`AnalysisJob`].

mod answer;
mod error;
mod hugegraph;
mod job;
pub mod limits;
mod names;
mod parameters;
mod projection;
mod request;
mod scan;
mod write_back;

pub use error::AnalysisError;
pub use job::{AnalysisJob, COMPUTER_KIND, JOB_KIND, JobState, run_analysis};
pub use projection::{Projection, Spec, Wanted, project};
pub use request::Analysis;
pub use scan::Counts;
