//! Results against those of networkx, igraph and LDBC Graphalytics.
//!
//! `RHIZOME_OLAP_EXPECTED`: a folder with `air-routes.csv`, `grateful-dead.csv`, their `.json` and `graphalytics/`;
//! `RHIZOME_OLAP_DATA`: one with `air-routes/` and `tinkerpop/`. Without them these tests say so and do nothing.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "test code"
)]

mod graphalytics;
mod libraries;
mod load;

use std::path::PathBuf;

/// The folder that a variable names.
fn folder(variable: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: {variable} does not name a folder with expected results");
    }
    folder
}
