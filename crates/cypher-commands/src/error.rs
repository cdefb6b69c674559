//! Failures of commands as failures of queries.

use cypher_exec::{Error, ErrorKind, from_access};
use cypher_value::Detail;
use graph_access::AccessError;
use graph_store::StoreError;

/// What carrying out gives.
pub(crate) type Result<T> = std::result::Result<T, Error>;

pub(crate) fn error(kind: ErrorKind, message: impl Into<String>) -> Error {
    Error::new(kind, Detail::None, message)
}

/// A failure of the store as that of a query.
pub(crate) fn stored(error: &StoreError) -> Error {
    from_access(AccessError::new(error.kind(), error.to_string()))
}
