//! What a graph is in memory and under which locks: catalogue, stripes, settings, errors.

pub(crate) mod error;
pub(crate) mod graph;
pub(crate) mod id_generator;
pub(crate) mod pending;
pub(crate) mod settings;
pub(crate) mod stripes;
