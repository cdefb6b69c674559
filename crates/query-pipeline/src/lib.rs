//! What the operators of a query work with: traversers, pipelines of stages, elements of the graph, side effects.
//!
//! What it is: a [`context::Stage`] is an operator in motion, a [`pipe::Pipe`] runs some after each other over
//! [`traverser::Traverser`]s, and a [`context::Cx`] holds what they share: the graph, the budget, the memory that is
//! held. `storage` is all that is known of how elements are stored. What it is not: it has no operator; those are in
//! `query-exec`, which gives a function that makes their stages ([`context::Build`]).
//!
//! Invariants: what waits in a queue is counted and bounded; nothing recurses over data, only over the nesting of the
//! plan, which is bounded.
//!
//! Start reading at [`pipe::Pipe`].

pub mod by;
pub mod context;
pub mod effects;
pub mod error;
pub mod limits;
pub mod pipe;
pub mod semantics;
pub mod settings;
pub mod side_effects;
pub mod storage;
pub mod traverser;
