//! Plans of Cypher queries: which steps over rows of slots a checked query consists of.
//!
//! [`compile()`] turns names into slots, decides in which order the nodes of patterns are found and where conditions
//! are tested, and puts rows together where there are aggregates. A [`Plan`] is data: `cypher-exec` carries it out,
//! [`explain()`] shows it. No I/O, no storage, no execution.
//!
//! Start reading at [`Step`].

pub mod commands;
mod compile;
mod estimate;
mod explain;
mod plan;
mod statistics;

pub use compile::{Compiled, compile};
pub use explain::{IndexOf, PlanNode, explain};
pub use plan::{
    Aggregate, AggregateValue, CallProcedure, CallQuery, Callee, Change, Ex, Expand, GroupCount, Hop, HopKind, Join,
    JoinRows, KeyEx, LabelEx, Labels, Make, MakeNode, MakeRelationship, Merge, OnError, Optional, PathPart, Plan,
    Repeat, Scan, Shortest, Side, Slot, Sort, Step, Test, Transactions, Union, Walk,
};
pub use statistics::{Matching, NoStatistics, Statistics};

/// What planning gives.
pub(crate) type Result<T> = std::result::Result<T, cypher_value::Error>;

/// A defect of this program.
pub(crate) fn defect(what: &str) -> cypher_value::Error {
    let message = format!("a defect of the server: {what}");
    cypher_value::Error::new(cypher_value::ErrorKind::Internal, cypher_value::Detail::None, message)
}
