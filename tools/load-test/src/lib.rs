//! Load tests of HugeGraph-compatible servers: scenarios, drivers, measurement, reports.
//!
//! It makes the load that HugeGraph's published benchmark pages describe (and other kinds), checks every answer, and
//! measures with microsecond clocks into histograms of bounded size. It knows HTTP as a client and nothing of this
//! project's server; it has no command line.
//!
//! Invariant: memory is bounded by the settings, never by how long a test runs.
//!
//! What comes out is in [`result`]. To see how: [`LoadTest`] (a test from end to end), `row.rs` (one measurement),
//! `users.rs` (what a user does), `exchange.rs` (one request).

mod cancel;
pub mod compare;
pub mod conclusions;
mod data;
mod descriptors;
pub mod distribution;
mod endpoint;
mod error;
mod exchange;
pub mod figures;
pub mod jtl;
mod judge;
pub mod limits;
pub mod load_label;
mod machine;
mod observer;
mod options;
pub mod output;
mod pace;
pub mod publish;
pub mod published;
mod recorder;
pub mod report;
pub mod result;
pub mod results_file;
mod row;
mod run;
mod sample;
mod scenario;
mod stress;
pub mod study;
pub mod table;
mod users;
mod wire;

pub use cancel::Cancel;
pub use data::{DataOptions, DataSet, IdDistribution, Needs, clean_up, prepare};
pub use error::LoadTestError;
pub use machine::{ProcessProbe, machine};
pub use observer::{Observer, Phase, Progress, RowStart, Silent};
pub use options::{DriverOptions, Load, client_threads};
pub use run::{LoadTest, Loads};
pub use sample::{RowSamples, Sample};
pub use scenario::{BUILT_IN, Scenario, ScenarioOptions};
pub use stress::{LatencyFigure, Raise, StressOptions};
