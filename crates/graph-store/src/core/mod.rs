//! What a graph is in memory and under which locks: catalogue, stripes, settings, errors.

pub(crate) mod clock;
pub(crate) mod error;
pub(crate) mod expiry;
pub(crate) mod graph;
pub(crate) mod graph_version;
pub(crate) mod id_generator;
pub(crate) mod options;
pub(crate) mod pending;
pub(crate) mod stored_catalogue;
pub(crate) mod stored_settings;
pub(crate) mod stripes;
pub(crate) mod texts;
