//! `{G}/traversers/...`: one file for each family of traversers, named as its algorithm in the crate `traversal`. A
//! file holds the handlers, the bodies they read, the routes and the OpenAPI operations.
//!
//! To add a traverser: write the algorithm in `crates/traversal/src/NAME.rs` and list it in that crate's `lib.rs`, then
//! write `NAME.rs` here and add its two lines below. A handler reads its parameters (`parameters.rs`, `steps.rs`), runs
//! the algorithm over the graph, and writes the answer (`traverser_request.rs`, `elements.rs`).

mod count;
mod customized_paths;
mod edge_existence;
mod elements;
mod fusiform_similarity;
mod neighbor_rank;
mod neighbourhood;
mod parameters;
mod paths;
mod personal_rank;
mod rings;
mod shortest;
mod similarity;
mod steps;
mod traverser;
mod traverser_request;
mod weighted;

use traverser::Traverser;

pub(crate) use parameters::direction;

static TRAVERSERS: &[&[Traverser]] = &[
    neighbourhood::TRAVERSERS,
    paths::TRAVERSERS,
    customized_paths::TRAVERSERS,
    rings::TRAVERSERS,
    fusiform_similarity::TRAVERSERS,
    personal_rank::TRAVERSERS,
    neighbor_rank::TRAVERSERS,
    count::TRAVERSERS,
    similarity::TRAVERSERS,
    shortest::TRAVERSERS,
    weighted::TRAVERSERS,
    edge_existence::TRAVERSERS,
];

/// All traversers.
pub(crate) fn all() -> impl Iterator<Item = &'static Traverser> {
    TRAVERSERS.iter().copied().flatten()
}
