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
//! Start reading at [`Execution`]; `pipe.rs` is the machine, `steps/` the operators, `storage/` all that is known of
//! how elements are stored.

mod by;
mod context;
mod effects;
mod error;
mod execution;
pub mod limits;
mod pipe;
mod semantics;
mod settings;
mod side_effects;
mod steps;
mod storage;
mod traverser;

pub use error::{ExecError, ExecErrorKind, Result};
pub use execution::Execution;
pub use settings::Settings;
