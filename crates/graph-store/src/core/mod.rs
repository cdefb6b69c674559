//! What a graph is in memory and under which locks: catalogue, settings.

pub(crate) mod clock;
pub(crate) mod expiry;
pub(crate) mod fetch;
pub(crate) mod graph;
pub mod graph_version;
pub(crate) mod options;
pub(crate) mod pending;
pub(crate) mod shared;
pub(crate) mod stored;
pub mod stored_catalogue;
pub mod stored_settings;
pub(crate) mod texts;
