//! Carrying out plans of queries over a graph.
//!
//! What it is: an [`Execution`] pulls results out of a [`query_plan::Plan`], in batches, through the port of
//! `graph-access`: elements are read a block at a time, traversers that are equal are counted, and everything looks
//! at the budget, the memory it may hold and whether the result is still wanted. What it is not: it parses nothing,
//! knows no protocol and no storage engine.
//!
//! Invariants: a query that fails has written nothing that its caller does not commit; what is held at any time is
//! counted and bounded; nothing recurses over data, only over the nesting of the plan, which is bounded.
//!
//! Start reading at [`Execution`]; `steps/` has the operators, the crate `query-pipeline` what they work with.

mod execution;
mod steps;

pub use execution::Execution;
pub use query_pipeline::error::{ExecError, ExecErrorKind, Result};
pub use query_pipeline::limits;
pub use query_pipeline::settings::Settings;
use query_pipeline::{by, context, effects, error, pipe, semantics, settings, side_effects, storage, traverser};
