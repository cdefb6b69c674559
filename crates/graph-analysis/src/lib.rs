//! How is a stored graph analysed as a whole?
//!
//! What it is: a [`Projection`] is a compact copy of a graph, or of some of its labels, in memory, read in parallel
//! from one moment. An [`Analysis`] is a request to run an algorithm over one, by the names of the crate `analytics` or
//! by those of HugeGraph's jobs, whose answers it then has. [`AnalysisJob`] runs it as a task, [`find`] gives the whole
//! table to query languages and the command line. What it is not: the algorithms are in `analytics`; it knows no HTTP.
//!
//! Invariants:
//! - Nothing is kept in memory beyond the limit: a projection that does not fit is counted to its end, so that the
//!   refusal says what it needs, but not kept.
//! - All analyses together stay within one bound of memory: what a run needs is reserved before it begins.
//! - Results are written back to vertices that still exist, and to one property only.
//! - What is kept under a name is of everything. Who may not see all works on a copy of its own, of what it may see.
//!
//! Start reading at [`project`] and [`AnalysisJob`].

mod answer;
mod edges;
mod error;
mod found;
mod groups;
mod hugegraph;
mod ids;
mod job;
pub mod limits;
mod names;
mod parameters;
mod projection;
mod request;
mod run;
mod scan;
mod state;
mod watch;
mod write_back;

pub use analytics::algorithms::{Algorithm, Parameter, all as algorithms};
pub use analytics::{Progress, VERTEX};
pub use answer::{figures_json, row_json};
pub use error::AnalysisError;
pub use found::{Cell, Found};
pub use job::{AnalysisJob, COMPUTER_KIND, JOB_KIND, JobInput, RightsOf};
pub use names::id_text;
pub use projection::{Projection, Spec, Wanted, project};
pub use request::{Analysis, OWN_PREFIX};
pub use run::{Estimate, estimate, find, run_analysis, run_observed, write_found};
pub use scan::Counts;
pub use state::JobState;
pub use watch::Observer;
