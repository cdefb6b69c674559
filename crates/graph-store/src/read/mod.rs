//! Reading elements: by id, in lists, by shards, along edges.

pub(crate) mod adjacency;
pub(crate) mod list;
pub(crate) mod list_edges;
pub(crate) mod page;
pub(crate) mod read;
pub(crate) mod scan;
pub(crate) mod select;
