//! `{G}/traversers/...`: one file for each family. A handler reads its parameters (`request.rs`, `steps.rs`), runs an algorithm of
//! the crate `traversal` over the graph, and writes the answer (`scene.rs`).

pub(crate) mod neighbourhood;
mod request;
mod scene;
mod steps;
