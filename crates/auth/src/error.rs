//! Why the records could not be read or changed.

use graph_store::StoreError;

use crate::password::PasswordError;

/// A request about users, groups or rights that failed.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// The request is wrong; the text says what, in HugeGraph's words where it has some.
    #[error("{0}")]
    Invalid(String),
    /// There is none.
    #[error("{0}")]
    NotFound(String),
    /// Who asks may not do that.
    #[error("{0}")]
    Forbidden(String),
    /// The password cannot be one.
    #[error(transparent)]
    Password(#[from] PasswordError),
    /// Too many passwords are being hashed at this moment.
    #[error("the server checks too many passwords already; try again in a moment")]
    Busy,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl AccountError {
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid(message.into())
    }
}
