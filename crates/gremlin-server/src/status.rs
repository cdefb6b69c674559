//! Failures as codes of the protocol.

use auth::AuthError;
use graph_model::ErrorKind;
use query_service::{QueryError, QueryErrorKind};
use serving::Barred;

/// Everything is there.
pub(crate) const SUCCESS: i32 = 200;
/// It is done, and there are no results.
pub(crate) const NO_CONTENT: i32 = 204;
/// More results follow.
pub(crate) const PARTIAL: i32 = 206;
/// The request must be sent again after a login.
pub(crate) const AUTHENTICATE: i32 = 407;
/// Nobody is known who may do that.
pub(crate) const UNAUTHORIZED: i32 = 401;
/// Who asks may not do that.
pub(crate) const FORBIDDEN: i32 = 403;
/// The server works on too much already.
pub(crate) const TOO_MANY_REQUESTS: i32 = 429;
/// The request could not be read.
pub(crate) const REQUEST_UNREADABLE: i32 = 497;
/// The request has no such operation.
pub(crate) const REQUEST_MALFORMED: i32 = 498;
/// An argument is missing or wrong.
pub(crate) const REQUEST_ARGUMENTS: i32 = 499;
/// The server failed.
pub(crate) const SERVER_ERROR: i32 = 500;
/// `fail()`.
pub(crate) const FAIL_STEP: i32 = 595;
/// Try again.
pub(crate) const TEMPORARY: i32 = 596;
/// The query failed.
pub(crate) const EVALUATION: i32 = 597;
/// The query took too long.
pub(crate) const TIMEOUT: i32 = 598;
/// The results cannot be written.
pub(crate) const RESPONSE_UNWRITABLE: i32 = 599;

/// A request without results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) code: i32,
    /// The class by which TinkerPop knows it.
    pub(crate) class: &'static str,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(code: i32, message: impl Into<String>) -> Self {
        let class = match code {
            TOO_MANY_REQUESTS | TEMPORARY => "java.util.concurrent.RejectedExecutionException",
            UNAUTHORIZED | AUTHENTICATE => "org.apache.tinkerpop.gremlin.server.auth.AuthenticationException",
            FORBIDDEN => "org.apache.tinkerpop.gremlin.server.authz.AuthorizationException",
            TIMEOUT => "java.util.concurrent.TimeoutException",
            FAIL_STEP => "org.apache.tinkerpop.gremlin.process.traversal.Failure",
            REQUEST_UNREADABLE | RESPONSE_UNWRITABLE => "org.apache.tinkerpop.gremlin.util.ser.SerializationException",
            REQUEST_MALFORMED | REQUEST_ARGUMENTS => "org.apache.tinkerpop.gremlin.server.op.OpProcessorException",
            _ => "java.lang.IllegalStateException",
        };
        Self { code, class, message: message.into() }
    }

    /// The status of the same over HTTP.
    pub(crate) fn http_status(&self) -> u16 {
        match self.code {
            TOO_MANY_REQUESTS => 429,
            UNAUTHORIZED | AUTHENTICATE => 401,
            FORBIDDEN => 403,
            REQUEST_UNREADABLE | REQUEST_MALFORMED | REQUEST_ARGUMENTS => 400,
            TEMPORARY => 503,
            _ => 500,
        }
    }
}

impl From<AuthError> for Failure {
    fn from(error: AuthError) -> Self {
        let code = match error {
            AuthError::Required | AuthError::Failed => UNAUTHORIZED,
            AuthError::Throttled { .. } => TOO_MANY_REQUESTS,
            AuthError::Busy | AuthError::Issuer | AuthError::Storage(_) => TEMPORARY,
        };
        Self::new(code, error.to_string())
    }
}

impl From<Barred> for Failure {
    fn from(barred: Barred) -> Self {
        let code = match barred {
            Barred::Quota(_) => TOO_MANY_REQUESTS,
            Barred::Disk(_) | Barred::Audit(_) => TEMPORARY,
        };
        Self::new(code, barred.to_string())
    }
}

/// Numbers of Unicode scripts, of texts beyond a limit and the like belong to the failure of the query: 597.
impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Self {
        let (code, class) = match error.kind {
            QueryErrorKind::Syntax => {
                (EVALUATION, "org.apache.tinkerpop.gremlin.language.grammar.GremlinParserException")
            }
            QueryErrorKind::UnknownName => (EVALUATION, "java.lang.IllegalArgumentException"),
            QueryErrorKind::UnknownMethod | QueryErrorKind::Evaluation => {
                (EVALUATION, "java.lang.IllegalArgumentException")
            }
            QueryErrorKind::Unsupported => (EVALUATION, "java.lang.UnsupportedOperationException"),
            QueryErrorKind::Fail => return Self::new(FAIL_STEP, error.message),
            QueryErrorKind::Access(kind) => match kind {
                ErrorKind::Forbidden => return Self::new(FORBIDDEN, error.message),
                ErrorKind::Timeout => return Self::new(TIMEOUT, error.message),
                ErrorKind::Overloaded | ErrorKind::Unavailable => return Self::new(TEMPORARY, error.message),
                ErrorKind::Corrupt | ErrorKind::Internal => return Self::new(SERVER_ERROR, error.message),
                _ => (EVALUATION, "java.lang.IllegalArgumentException"),
            },
        };
        Self { code, class, message: error.message }
    }
}
