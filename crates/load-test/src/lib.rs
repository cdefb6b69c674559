//! Load tests of HugeGraph-compatible servers: scenarios, drivers, measurement, reports.
//!
//! It makes the load that HugeGraph's published benchmark pages describe (and other kinds), checks every answer, and
//! measures with microsecond clocks into histograms of bounded size. It knows HTTP as a client and nothing of this
//! project's server; it has no command line.
//!
//! Invariant: memory is bounded by the settings, never by how long a test runs.
//!
//! Start at [`result`] for what comes out.

pub mod compare;
pub mod conclusions;
pub mod distribution;
pub mod figures;
pub mod jtl;
pub mod limits;
pub mod published;
pub mod report;
pub mod result;
pub mod results_file;
mod sample;
pub mod table;

pub use sample::{RowSamples, Sample};
