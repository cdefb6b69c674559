//! `/rhizome/log-level`, and `/exception/trace` and `/whiteiplist`: switches of HugeGraph's server whose answers here
//! are fixed, and say so when they are turned.

use std::collections::BTreeMap;

use graph_model::ErrorKind;
use hyper::StatusCode;
use serde_json::{Value, json};

use crate::call::{Answered, Call};
use crate::options::LogLevel;
use http_server::Reply;
use rest_errors::ApiError;

type Body = BTreeMap<String, Value>;

fn log(call: &Call) -> Result<&dyn LogLevel, ApiError> {
    let message = "the level of the log is fixed in this process";
    call.app.options.log.as_deref().ok_or_else(|| ApiError::of(ErrorKind::NotSupported, message))
}

/// The level of the log.
pub(crate) fn log_level(call: &Call) -> Answered {
    Ok(Reply::value(&json!({ "level": log(call)?.level() })))
}

/// Changes the level of the log, until the server ends.
pub(crate) fn set_log_level(call: &Call) -> Answered {
    let body = body(call)?;
    let Some(level) = body.get("level").and_then(Value::as_str) else {
        return Err(ApiError::bad_input("the body must be {\"level\": \"debug\"} or another level or filter"));
    };
    let log = log(call)?;
    // By the old level: the new one may hide it.
    tracing::warn!(from = log.level(), to = level, user = call.caller.name(), "the level of the log is being changed");
    log.set_level(level).map_err(ApiError::bad_input)?;
    log_level(call)
}

/// Whether error answers carry stack traces: never.
#[expect(clippy::unnecessary_wraps, reason = "the type of handlers")]
pub(crate) fn trace(_: &Call) -> Answered {
    Ok(Reply::value(&json!({ "trace": false })))
}

/// Turns stack traces off, which they are, or on, which is refused.
pub(crate) fn set_trace(call: &Call) -> Answered {
    match body(call)?.get("trace") {
        Some(Value::Bool(false)) => trace(call),
        Some(Value::Bool(true)) => {
            let message = "error answers never carry stack traces; the server's log says what happened";
            Err(ApiError::of(ErrorKind::NotSupported, message))
        }
        _ => Err(ApiError::bad_input("the body must be {\"trace\": true} or {\"trace\": false}")),
    }
}

/// The addresses that are let in, where only some are: none is kept.
#[expect(clippy::unnecessary_wraps, reason = "the type of handlers")]
pub(crate) fn white_list(_: &Call) -> Answered {
    Ok(Reply::value(&json!({ "whiteIpList": [] })))
}

/// Turns the list off, which it is, or on, which is refused.
pub(crate) fn switch_white_list(call: &Call) -> Answered {
    match call.query().text("status")?.as_deref() {
        Some("false") => Ok(Reply::value(&json!({ "WhiteIpListOpen": false }))),
        Some("true") => Err(no_white_list()),
        other => {
            Err(ApiError::bad_input(format!("'status' must be true or false, but got '{}'", other.unwrap_or_default())))
        }
    }
}

/// Adds addresses to the list, which is refused, or takes some away, none of which is there.
pub(crate) fn change_white_list(call: &Call) -> Answered {
    let body = body(call)?;
    let ips = body.get("ips").and_then(Value::as_array).filter(|ips| !ips.is_empty());
    let ips = ips.ok_or_else(|| ApiError::bad_input("'ips' must be an array with at least one address"))?;
    match body.get("action").and_then(Value::as_str) {
        Some("load") => Err(no_white_list()),
        Some("remove") => {
            let answer = json!({ "removed_ips": [], "non_existed_ips": ips });
            Ok(Reply::json(StatusCode::ACCEPTED, answer.to_string().into_bytes()))
        }
        _ => Err(ApiError::bad_input("'action' must be load or remove")),
    }
}

fn no_white_list() -> ApiError {
    let message = "this server keeps no list of allowed addresses; \
    let a firewall, or the address in server.listen, decide who \
                   reaches it";
    ApiError::of(ErrorKind::NotSupported, message)
}

fn body(call: &Call) -> Result<Body, ApiError> {
    serde_json::from_slice(&call.body).map_err(|_| ApiError::bad_input("the body must be a JSON object"))
}
