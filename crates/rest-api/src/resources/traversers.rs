//! `{G}/traversers/...`: one file for each family. A handler reads its parameters (`request.rs`, `steps.rs`), runs an
//! algorithm of the crate `traversal` over the graph, and writes the answer (`request.rs`).

pub(crate) mod customized;
pub(crate) mod edge_existence;
mod elements;
pub(crate) mod fusiform;
pub(crate) mod neighbourhood;
pub(crate) mod paths;
pub(crate) mod ranks;
mod request;
pub(crate) mod rings;
pub(crate) mod shortest;
pub(crate) mod similarity;
mod steps;
mod traverser_request;
pub(crate) mod weighted;

pub(crate) use request::direction;
