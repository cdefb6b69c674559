//! Failures as clients of Neo4j know them: a code they act on, and a GQL status.

use std::borrow::Cow;

use serving::Barred;

/// Why something was not done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The code, such as `Neo.ClientError.Statement.SyntaxError`. Drivers run a transaction again after those that
    /// begin with `Neo.TransientError`.
    pub code: Cow<'static, str>,
    /// What is wrong and what to do, fit for the client.
    pub message: String,
}

impl Failure {
    /// The time that the client set is over.
    pub const TIMED_OUT_BY_CLIENT: &'static str = "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration";
    /// The time that the server sets is over.
    pub const TIMED_OUT: &'static str = "Neo.ClientError.Transaction.TransactionTimedOut";
    /// The client, or somebody else, ended it.
    pub const TERMINATED: &'static str = "Neo.ClientError.Transaction.Terminated";
    /// There is no such transaction, or no longer.
    pub const TRANSACTION_NOT_FOUND: &'static str = "Neo.ClientError.Transaction.TransactionNotFound";
    /// More transactions than the server lets be open.
    pub const TOO_MANY_TRANSACTIONS: &'static str = "Neo.TransientError.Transaction.MaximumTransactionLimitReached";
    /// More requests than the server lets wait.
    pub const OVERLOADED: &'static str = "Neo.TransientError.Request.NoThreadsAvailable";
    /// A quota is used up.
    pub const OVER_QUOTA: &'static str = "Neo.TransientError.Request.ResourceExhaustion";
    /// The server is shutting down.
    pub const SHUTTING_DOWN: &'static str = "Neo.TransientError.General.DatabaseUnavailable";
    /// More memory than there is for it.
    pub const OUT_OF_MEMORY: &'static str = "Neo.TransientError.General.MemoryPoolOutOfMemoryError";
    /// A message that may not come now, or makes no sense.
    pub const INVALID_REQUEST: &'static str = "Neo.ClientError.Request.Invalid";
    /// A message that cannot be read.
    pub const INVALID_FORMAT: &'static str = "Neo.ClientError.Request.InvalidFormat";
    /// The user is not known, or the password is wrong.
    pub const UNAUTHORIZED: &'static str = "Neo.ClientError.Security.Unauthorized";
    /// The user may not do that.
    pub const FORBIDDEN: &'static str = "Neo.ClientError.Security.Forbidden";
    /// The user, its credentials or its rights are not any more what they were.
    pub const AUTHORIZATION_EXPIRED: &'static str = "Neo.ClientError.Security.AuthorizationExpired";
    /// There is no database of the name.
    pub const DATABASE_NOT_FOUND: &'static str = "Neo.ClientError.Database.DatabaseNotFound";
    /// A write where only reads are allowed.
    pub const ACCESS_MODE: &'static str = "Neo.ClientError.Statement.AccessMode";
    /// A defect of the server.
    pub const UNKNOWN: &'static str = "Neo.DatabaseError.General.UnknownError";

    /// A failure with a code.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into() }
    }

    /// A transaction whose user may not do any more what it might when it began.
    #[must_use]
    pub fn rights_changed() -> Self {
        let message = "the rights of the user have changed since the transaction began; begin it anew";
        Self::new(Self::AUTHORIZATION_EXPIRED, message)
    }

    /// A request that quotas, the disk or the record of events refuse.
    #[must_use]
    pub fn barred(barred: &Barred) -> Self {
        let code = match barred {
            Barred::Quota(_) => Self::OVER_QUOTA,
            Barred::Disk(_) | Barred::Audit(_) => Self::SHUTTING_DOWN,
        };
        Self::new(code, barred.to_string())
    }

    /// The status of GQL (ISO/IEC 39075) for the code, and its description. Like Neo4j's server, most have the status
    /// of an error that has none of its own.
    #[must_use]
    pub fn status(&self) -> (&'static str, &'static str) {
        match &*self.code {
            "Neo.ClientError.Statement.SyntaxError" | "Neo.ClientError.Procedure.ProcedureNotFound" => {
                ("42001", "error: syntax error or access rule violation - invalid syntax")
            }
            "Neo.ClientError.Statement.ParameterMissing" => {
                ("42N51", "error: syntax error or access rule violation - invalid parameter. A parameter is missing.")
            }
            "Neo.ClientError.Statement.TypeError" => ("22G03", "error: data exception - invalid value type"),
            "Neo.ClientError.Statement.ArithmeticError" => ("22000", "error: data exception"),
            "Neo.ClientError.Statement.ArgumentError" => ("22000", "error: data exception"),
            Self::DATABASE_NOT_FOUND => {
                ("22N51", "error: data exception - database not found. There is no database of the name.")
            }
            _ => (
                "50N42",
                "error: general processing exception - unexpected error. Unexpected error has occurred. See debug log \
                 for details.",
            ),
        }
    }

    /// Whose mistake it is, in the words of GQL's diagnostic records.
    #[must_use]
    pub fn classification(&self) -> &'static str {
        match self.code.split('.').nth(1) {
            Some("TransientError") => "TRANSIENT_ERROR",
            Some("DatabaseError") => "DATABASE_ERROR",
            _ => "CLIENT_ERROR",
        }
    }
}

impl From<cypher_value::Error> for Failure {
    fn from(error: cypher_value::Error) -> Self {
        Self::new(error.code(), error.message)
    }
}
