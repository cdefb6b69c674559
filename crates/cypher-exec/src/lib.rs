//! Carrying out Cypher: a checked query becomes steps over rows, which are pulled from a graph in batches.
//!
//! What it is: [`Prepared`] is a query that was read, checked and planned; an [`Execution`] carries it out over a graph
//! of `graph-access`, strict or auto, and gives rows when they are asked for. What it is not: it knows no protocol, no
//! storage engine and no sessions, and commits nothing.
//!
//! Invariants:
//! - A clause sees what earlier clauses did for all rows, and never its own writes, but for `MERGE`.
//! - Every operator counts its rows against the budget; what is held is counted and bounded.
//! - Nothing recurses over data, only over the nesting of the query, which is bounded.
//!
//! Start reading at [`Execution`]; `ops` carries the steps of `cypher-plan` out, `store` is all that is known of
//! how elements are stored.

mod builtin;
mod eval;
mod execution;
pub mod limits;
mod ops;
mod procedures;
mod row;
mod summary;

pub use cypher::{Signature, Type};
pub use cypher_graph::{BeginUnit, Counters, from_access};
pub use cypher_plan::PlanNode;
pub use cypher_value::{Error, ErrorKind};
pub use execution::{Execution, Prepared, Settings};
pub use procedures::{HostedProcedure, ProcedureHost, Procedures, Rows, TableProcedure};
pub use summary::{QueryType, Summary};

pub(crate) use cypher_graph::Result;
