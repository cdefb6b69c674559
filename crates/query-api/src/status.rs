//! Failures as answers.

use cypher_session::Failure;
use http_server::Reply;
use hyper::StatusCode;
use serde_json::json;

/// The status of a failure over HTTP.
fn status(failure: &Failure) -> StatusCode {
    match &*failure.code {
        Failure::UNAUTHORIZED => StatusCode::UNAUTHORIZED,
        Failure::FORBIDDEN | Failure::AUTHORIZATION_EXPIRED => StatusCode::FORBIDDEN,
        Failure::DATABASE_NOT_FOUND | Failure::TRANSACTION_NOT_FOUND => StatusCode::NOT_FOUND,
        Failure::OVER_QUOTA | "Neo.ClientError.Security.AuthenticationRateLimit" => StatusCode::TOO_MANY_REQUESTS,
        code if code.starts_with("Neo.TransientError") => StatusCode::SERVICE_UNAVAILABLE,
        code if code.starts_with("Neo.DatabaseError") => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::BAD_REQUEST,
    }
}

/// The answer that a request failed.
pub(crate) fn failed(failure: &Failure) -> Reply {
    let body = json!({ "errors": [{ "code": failure.code, "message": failure.message }] });
    let mut reply = Reply::json(status(failure), body.to_string().into_bytes());
    let is_later = matches!(reply.status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS);
    reply.retry_after_s = u64::from(is_later);
    reply
}

/// A request that makes no sense.
pub(crate) fn invalid(message: impl Into<String>) -> Failure {
    Failure::new(Failure::INVALID_FORMAT, message)
}
