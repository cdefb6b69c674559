//! Plans of queries: operators over elements and values, shared by the languages that are turned into them.
//!
//! What it is: a [`Plan`] of [`Pipeline`]s, the rules that make a plan cheaper without changing its results
//! ([`optimize`]), its text ([`explain()`]), and what [`names`] and the maps of [`mod@merge`] may be. What it is not:
//! it parses no language, knows no catalogue and does no I/O; `query-exec` carries plans out.
//!
//! Invariants: state that only some queries need (paths, labels, sacks) is decided on here, once, by
//! [`Plan::finish`]: an executor keeps nothing that the plan does not ask for. A rule that changed a plan is named in
//! it.
//!
//! Start reading at [`Op`].

mod explain;
pub mod limits;
pub mod merge;
pub mod names;
mod needs;
mod op;
mod paths;
mod plan;
mod rules;

pub use explain::explain;
pub use needs::{OpFacts, PipelineFacts};
pub use op::{
    AddEdge, AddVertex, Algorithm, AlgorithmKind, Argument, Branches, By, ByOrder, Call, Case, Choice, Expand,
    Function, Grouping, Join, Merge, MergeMap, Op, Pattern, Place, PropertyChange, PropertyRead, Repeat, Scan,
    ScopeTest, ShortestPath, SideEffectKind, Sort, Target, Tokens,
};
pub use op::{Node, Pipeline};
pub use paths::Paths;
pub use plan::{Plan, PlanError, Reducer, Sack, SideEffectSeed};
pub use rules::optimize;

/// Short texts: names of labels, keys and side effects.
pub type Text = compact_str::CompactString;
