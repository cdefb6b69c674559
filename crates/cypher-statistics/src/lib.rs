//! Which figures about a graph does Cypher plan by?
//!
//! What it is: [`Kept`] holds for one graph how many nodes a label has, how many relationships such a node has, and how
//! many nodes share a value; [`GraphStatistics`] gives them as the [`Statistics`](cypher_plan::Statistics) of
//! `cypher-plan`, gathering what was not asked for before. What it is not: it plans nothing, writes nothing and knows
//! no sessions.
//!
//! Invariants:
//! - Figures are gathered where a plan asks for them, from the label index, from a sample of each label's nodes and
//!   from the neighbours in memory. What that reads is bounded by [`limits`].
//! - They are gathered again once that would cost less than a two-hundredth of the time since, so figures of a small
//!   graph are seconds old at most and those of a large one cost little.
//! - A failure to read leaves a figure to assumptions; the query that is planned meets the failure itself.
//!
//! Start reading at [`GraphStatistics::new`].

mod figures;
mod graph;
pub mod limits;

pub use figures::Kept;
pub use graph::GraphStatistics;
