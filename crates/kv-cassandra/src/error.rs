//! The driver's errors in the terms of [`KvError`].

use kv::KvError;
use scylla::errors::{DbError, ExecutionError, PrepareError, RequestAttemptError};

/// What to do about a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It never reached a replica: try again.
    NotDone,
    /// It may or may not have been applied; repeatable requests are retried.
    Unknown,
    /// Trying again cannot help.
    Final,
}

pub(crate) fn failure(error: &ExecutionError) -> Failure {
    match error {
        ExecutionError::EmptyPlan
        | ExecutionError::ConnectionPoolError(_)
        | ExecutionError::PrepareError(PrepareError::ConnectionPoolError(_)) => Failure::NotDone,
        ExecutionError::LastAttemptError(error)
        | ExecutionError::PrepareError(PrepareError::AllAttemptsFailed { first_attempt: error }) => of_attempt(error),
        ExecutionError::RequestTimeout(_)
        | ExecutionError::SchemaAgreementError(_)
        | ExecutionError::MetadataError(_) => Failure::Unknown,
        _ => Failure::Final,
    }
}

fn of_attempt(error: &RequestAttemptError) -> Failure {
    match error {
        RequestAttemptError::UnableToAllocStreamId => Failure::NotDone,
        RequestAttemptError::BrokenConnectionError(_)
        | RequestAttemptError::RepreparedIdChanged { .. }
        | RequestAttemptError::RepreparedIdMissingInBatch => Failure::Unknown,
        RequestAttemptError::DbError(error, _) => match error {
            DbError::Unavailable { .. }
            | DbError::Overloaded
            | DbError::IsBootstrapping
            | DbError::RateLimitReached { .. } => {
                Failure::NotDone
            }
            DbError::ReadTimeout { .. }
            | DbError::WriteTimeout { .. }
            | DbError::ReadFailure { .. }
            | DbError::WriteFailure { .. }
            | DbError::ServerError
            | DbError::TruncateError
            | DbError::Unprepared { .. }
            // Newer nodes say so when concurrent swaps got in each other's way.
            | DbError::Other(_) => Failure::Unknown,
            _ => Failure::Final,
        },
        _ => Failure::Final,
    }
}

/// Whether the nodes took too long, as opposed to being away.
pub(crate) fn is_timeout(error: &ExecutionError) -> bool {
    matches!(
        error,
        ExecutionError::RequestTimeout(_)
            | ExecutionError::LastAttemptError(RequestAttemptError::DbError(
                DbError::ReadTimeout { .. } | DbError::WriteTimeout { .. },
                _
            ))
    )
}

/// The error of a request that must not be retried.
pub(crate) fn refused(what: &str, error: &ExecutionError) -> KvError {
    let advice = match error {
        ExecutionError::LastAttemptError(RequestAttemptError::DbError(DbError::Unauthorized, _))
        | ExecutionError::PrepareError(PrepareError::AllAttemptsFailed {
            first_attempt: RequestAttemptError::DbError(DbError::Unauthorized, _),
        }) => "; have an administrator grant SELECT and MODIFY on the keyspace to this user",
        _ => "",
    };
    KvError::Other { detail: format!("Cassandra refused {what}: {error}{advice}") }
}

/// The answer does not have the form the statement asks for.
pub(crate) fn unexpected(what: &str, error: &impl std::fmt::Display) -> KvError {
    KvError::Other { detail: format!("the answer to {what} is not what was asked for: {error}") }
}
