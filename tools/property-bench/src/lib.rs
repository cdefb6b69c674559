//! The benchmark page of rust_graph_lib's property store again, on Rhizome's property store and any engine.
//!
//! What it is: [`run`] measures single operations ([`operations`]: insert, extend, get, batch get, cold and warm, of
//! nodes and of edges) and loads of a whole graph ([`load`]: in batches of several sizes and by sorted ingest), into a
//! [`result::PropertyResult`] that [`report`] compares with [`published`] figures. It opens no engine (a [`Place`]
//! does) and has no command line.
//!
//! Memory is bounded whatever the size of the graph: rows are made, encoded and stored in pieces of a fixed size.
//!
//! Start reading at [`run`].

mod batches;
mod disk;
mod error;
pub mod limits;
pub mod load;
mod measure;
pub mod operations;
mod place;
pub mod published;
pub mod report;
pub mod result;
mod rows;
mod speed;
mod watcher;

use load_test::Cancel;

pub use error::{BenchError, OpenError};
pub use load::GraphOptions;
pub use operations::OperationOptions;
pub use place::Place;
pub use watcher::Watcher;

use result::PropertyResult;

/// What to measure.
#[derive(Clone, Debug, Default)]
pub struct BenchOptions {
    /// Single operations; `None` leaves them out.
    pub operations: Option<OperationOptions>,
    /// Loads of a whole graph; `None` leaves them out.
    pub graph: Option<GraphOptions>,
}

/// Measures. `result` has what was measured until then also when it fails or is cancelled.
///
/// # Errors
/// [`BenchError`].
pub fn run(
    options: &BenchOptions,
    place: &mut dyn Place,
    watcher: &mut dyn Watcher,
    cancel: &Cancel,
    result: &mut PropertyResult,
) -> Result<(), BenchError> {
    if let Some(options) = &options.operations {
        operations::run(options, place, watcher, cancel, result)?;
    }
    if let Some(options) = &options.graph {
        load::run(options, place, watcher, cancel, result)?;
    }
    Ok(())
}
