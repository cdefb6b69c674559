//! `/health`: whether the server answers; `/ready`: whether requests are welcome.

use hyper::StatusCode;
use serde_json::json;

use crate::call::{Answered, Call};
use http_server::Reply;

/// 200 while serving, 503 while shutting down.
#[expect(clippy::unnecessary_wraps, reason = "the type of handlers")]
pub(crate) fn show(call: &Call) -> Answered {
    let mut reply = Reply::value(&json!({ "status": "UP" }));
    if call.app.serving.is_shutting_down() {
        reply = Reply::value(&json!({ "status": "DOWN", "reason": "shutting down" }));
        reply.status = StatusCode::SERVICE_UNAVAILABLE;
    }
    Ok(reply)
}

/// 200 where requests can be served, else 503 with the reason: the server shuts down, storage is not reached, or the
/// disk is full.
#[expect(clippy::unnecessary_wraps, reason = "the type of handlers")]
pub(crate) fn ready(call: &Call) -> Answered {
    let reason = match call.app.serving.is_shutting_down() {
        true => Some("shutting down".to_owned()),
        false => call.app.store.check_ready().err().map(|error| error.to_string()),
    };
    let Some(reason) = reason else { return Ok(Reply::value(&json!({ "status": "READY" }))) };
    let mut reply = Reply::value(&json!({ "status": "NOT_READY", "reason": reason }));
    reply.status = StatusCode::SERVICE_UNAVAILABLE;
    Ok(reply)
}
