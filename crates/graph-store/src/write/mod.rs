//! Writing elements, schema and variables.

pub(crate) mod delete;
pub(crate) mod ingest;
pub(crate) mod insert;
pub(crate) mod schema;
pub(crate) mod update;
pub(crate) mod update_batch;
pub(crate) mod variables;
