//! What an error means to its caller, apart from its words.

/// The kind of an error. The edge of the server maps each to one status; everything below only says which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The request is wrong; repeating it cannot help.
    BadInput,
    /// A schema element with this name exists.
    AlreadyExists,
    /// A rule of the schema forbids the change.
    NotAllowed,
    /// Who asks has no right to it.
    Forbidden,
    /// This program does not do that.
    NotSupported,
    /// A query needs an index that does not exist.
    NoIndex,
    /// What was asked for does not exist.
    NotFound,
    /// A named limit was exceeded.
    LimitExceeded,
    /// The deadline passed.
    Timeout,
    /// The caller went away or asked to stop.
    Cancelled,
    /// Too much work at once; trying again later helps.
    Overloaded,
    /// Storage cannot be used now (disk full, store unreachable); trying again later can help.
    Unavailable,
    /// Stored data is damaged.
    Corrupt,
    /// A defect of this program.
    Internal,
}
