//! The handlers, one file for each kind of resource. What several of them need is in `listing.rs` and `schema.rs`.

pub(crate) mod algorithms;
pub(crate) mod api_document;
pub(crate) mod auto;
pub(crate) mod edge_labels;
pub(crate) mod edges;
mod filter;
mod graph_conf;
pub(crate) mod graph_modes;
pub(crate) mod graph_spaces;
pub(crate) mod graphs;
pub(crate) mod gremlin;
pub(crate) mod health;
pub(crate) mod index_labels;
mod listing;
pub(crate) mod metrics;
pub(crate) mod property_keys;
pub(crate) mod schema;
pub(crate) mod server_settings;
pub(crate) mod shards;
pub(crate) mod tasks;
pub(crate) mod testing;
pub(crate) mod traversers;
pub(crate) mod users;
pub(crate) mod variables;
pub(crate) mod versions;
pub(crate) mod vertex_labels;
pub(crate) mod vertices;
