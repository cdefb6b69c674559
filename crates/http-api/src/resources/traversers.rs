//! `{G}/traversers/...`: one file for each family. A handler reads its parameters (`request.rs`, `steps.rs`), runs an algorithm of
//! the crate `traversal` over the graph, and writes the answer (`scene.rs`).

pub(crate) mod edge_existence;
pub(crate) mod neighbourhood;
mod request;
mod scene;
pub(crate) mod shortest;
pub(crate) mod similarity;
mod steps;
pub(crate) mod weighted;
