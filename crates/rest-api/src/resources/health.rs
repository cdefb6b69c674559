//! `/health`: whether requests are welcome.

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
