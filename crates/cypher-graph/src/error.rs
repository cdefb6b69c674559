//! Failures of the graph as failures of a query.

use cypher_value::{Detail, Error, ErrorKind};
use graph_access::AccessError;

use crate::Result;

/// The failure of a query that a failure of the graph makes.
#[must_use]
pub fn from_access(error: AccessError) -> Error {
    use graph_model::ErrorKind as Access;
    let kind = match error.kind {
        Access::BadInput => ErrorKind::ArgumentError,
        Access::AlreadyExists | Access::NotAllowed => ErrorKind::ConstraintVerificationFailed,
        Access::Forbidden => ErrorKind::Forbidden,
        Access::NotSupported | Access::NoIndex => ErrorKind::ExecutionFailed,
        Access::NotFound => ErrorKind::EntityNotFound,
        Access::LimitExceeded => ErrorKind::OutOfMemory,
        Access::Timeout => ErrorKind::Timeout,
        Access::Cancelled => ErrorKind::Terminated,
        Access::Overloaded | Access::Unavailable => ErrorKind::Unavailable,
        Access::Corrupt | Access::Internal => ErrorKind::Internal,
    };
    Error::new(kind, Detail::None, error.message)
}

/// For `map_err`.
pub trait Accessed<T> {
    /// The failure as that of a query.
    fn accessed(self) -> Result<T>;
}

impl<T> Accessed<T> for std::result::Result<T, AccessError> {
    fn accessed(self) -> Result<T> {
        self.map_err(from_access)
    }
}

/// A defect of this program.
pub fn defect(what: &str) -> Error {
    Error::new(ErrorKind::Internal, Detail::None, format!("a defect of the server: {what}"))
}
