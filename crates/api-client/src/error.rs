//! What can go wrong between this client and a server, and what a person can do about it.

use std::fmt;

use serde::Deserialize;

use crate::limits::ERROR_TEXT_BYTES_MAX;

/// A request that did not succeed. The text names the request, keeps the server's words and says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The options cannot describe a server (bad URL, empty graph name).
    #[error("invalid {option}: {reason}")]
    Options {
        /// Name of the field of [`ClientOptions`](crate::ClientOptions).
        option: &'static str,
        /// What is wrong with its value.
        reason: String,
    },

    /// No connection to the server could be made, or it broke before a reply came.
    #[error(
        "cannot reach the server for {request}: {reason}. Check that the server runs and that the address is right"
    )]
    Connect {
        /// Method and path of the request.
        request: String,
        /// What the network layer said.
        reason: String,
    },

    /// The server did not answer within the time allowed. It may still have carried out the request.
    #[error(
        "no complete answer to {request} within {timeout_ms} ms; the server may still have done the work. \
         Raise timeout_ms, or send smaller batches"
    )]
    Timeout {
        /// Method and path of the request.
        request: String,
        /// The time allowed, in milliseconds.
        timeout_ms: u64,
    },

    /// The server understood the request and refused what it asks for: bad data, an existing name, a missing index.
    #[error("{request} was refused ({status}): {message}{}", in_brackets(exception))]
    Refused {
        /// Method and path of the request.
        request: String,
        /// HTTP status, 400 to 499.
        status: u16,
        /// The server's exception class, without the leading `class `; empty if it sent none.
        exception: String,
        /// The server's message.
        message: String,
    },

    /// The graph, element, label or task does not exist.
    #[error("{request}: not found: {message}{}", in_brackets(exception))]
    NotFound {
        /// Method and path of the request.
        request: String,
        /// The server's exception class, without the leading `class `.
        exception: String,
        /// The server's message.
        message: String,
    },

    /// Credentials are missing or wrong (401), or the user may not do this (403).
    #[error(
        "{request} was not allowed ({status}): {message}. Check user name and password, and the user's rights on the \
         graph"
    )]
    NotAllowed {
        /// Method and path of the request.
        request: String,
        /// HTTP status, 401 or 403.
        status: u16,
        /// The server's message.
        message: String,
    },

    /// The server has too much to do (503, 429, or HugeGraph's "too busy to write").
    #[error("the server is too busy for {request} ({status}): {message}. Send fewer requests at a time, or try later")]
    Overloaded {
        /// Method and path of the request.
        request: String,
        /// HTTP status.
        status: u16,
        /// The server's message.
        message: String,
        /// How long the server asks to wait, in milliseconds, if it said so.
        retry_after_ms: Option<u64>,
    },

    /// The server's disk has no room for more (507, or Rhizome's 503 of a disk that is full). Nothing was written.
    #[error(
        "the server's disk has no room for {request} ({status}): {message}. Make room there, or delete something, and \
         send it again"
    )]
    DiskFull {
        /// Method and path of the request.
        request: String,
        /// HTTP status.
        status: u16,
        /// The server's message.
        message: String,
        /// How long the server asks to wait, in milliseconds, if it said so.
        retry_after_ms: Option<u64>,
    },

    /// The server failed (5xx other than 503 and 507): its fault, not the data's.
    #[error("the server failed on {request} ({status}): {message}{}. See the server's log", in_brackets(exception))]
    Server {
        /// Method and path of the request.
        request: String,
        /// HTTP status.
        status: u16,
        /// The server's exception class, without the leading `class `; empty if it sent none.
        exception: String,
        /// The server's message.
        message: String,
    },

    /// The reply is not what the REST contract says. Perhaps the address is not a graph server.
    #[error(
        "the reply to {request} is not understood: {reason}. Check that the address is a HugeGraph-compatible server"
    )]
    Reply {
        /// Method and path of the request.
        request: String,
        /// What was wrong with the reply.
        reason: String,
    },

    /// A background task of the server ended without success.
    #[error("task {id} ({name}) ended with status {status}: {result}")]
    Task {
        /// The task's number.
        id: i64,
        /// The task's name.
        name: String,
        /// Its final status.
        status: String,
        /// Its result or error text.
        result: String,
    },

    /// A background task did not end in time.
    #[error("task {id} is still {status} after {timeout_ms} ms. Look again later, or wait longer")]
    TaskTimeout {
        /// The task's number.
        id: i64,
        /// Its last known status.
        status: String,
        /// The time allowed, in milliseconds.
        timeout_ms: u64,
    },
}

/// What Rhizome says, in answer to a write, when its disk is full.
const DISK_FULL: &str = "the disk is full";

impl ClientError {
    /// Whether the same request may succeed if sent again later: no connection, timeout, overload, no room on the
    /// server's disk.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Connect { .. } | Self::Timeout { .. } | Self::Overloaded { .. } | Self::DiskFull { .. })
    }

    /// Whether the server blames the data sent, so that sending it again is useless but sending a part of it may
    /// succeed.
    #[must_use]
    pub fn is_bad_data(&self) -> bool {
        match self {
            Self::Refused { status, .. } => matches!(status, 400 | 413 | 422),
            _ => false,
        }
    }

    /// The server's own message, where there is one.
    #[must_use]
    pub fn server_message(&self) -> Option<&str> {
        match self {
            Self::Refused { message, .. }
            | Self::NotFound { message, .. }
            | Self::NotAllowed { message, .. }
            | Self::Overloaded { message, .. }
            | Self::DiskFull { message, .. }
            | Self::Server { message, .. } => Some(message),
            _ => None,
        }
    }

    pub(crate) fn from_transport(request: &str, timeout_ms: u64, error: &reqwest::Error) -> Self {
        if error.is_timeout() && !error.is_connect() {
            return Self::Timeout { request: request.into(), timeout_ms };
        }
        Self::Connect { request: request.into(), reason: innermost(error) }
    }

    pub(crate) fn from_reply(request: &str, status: u16, retry_after_ms: Option<u64>, body: &[u8]) -> Self {
        let body = ErrorBody::read(body);
        let request = request.to_owned();
        let ErrorBody { exception, message } = body;
        if status == 507 || (status == 503 && message.contains(DISK_FULL)) {
            return Self::DiskFull { request, status, message, retry_after_ms };
        }
        // HugeGraph reports write overload as a plain 400.
        if matches!(status, 429 | 503) || (status == 400 && message.contains("too busy to write")) {
            return Self::Overloaded { request, status, message, retry_after_ms };
        }
        match status {
            401 | 403 => Self::NotAllowed { request, status, message },
            404 => Self::NotFound { request, exception, message },
            400..=499 => Self::Refused { request, status, exception, message },
            500..=599 => Self::Server { request, status, exception, message },
            _ => Self::Reply { request, reason: format!("unexpected status {status}: {message}") },
        }
    }
}

/// The innermost cause says most ("connection refused"); the outer layers only repeat the URL.
fn innermost(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    let reason = cause.to_string();
    if reason.contains("invalid peer certificate") {
        return format!("{reason} (a CA that the system does not trust is named with --ca FILE)");
    }
    reason
}

fn in_brackets(exception: &str) -> impl fmt::Display {
    let short = exception.rsplit('.').next().unwrap_or(exception);
    if short.is_empty() { String::new() } else { format!(" [{short}]") }
}

/// The server's error shape; other shapes become a message of their own text.
struct ErrorBody {
    exception: String,
    message: String,
}

impl ErrorBody {
    fn read(body: &[u8]) -> Self {
        #[derive(Deserialize)]
        struct Wire {
            #[serde(default)]
            exception: Option<String>,
            #[serde(default)]
            message: Option<String>,
            #[serde(default)]
            cause: Option<String>,
        }
        match serde_json::from_slice::<Wire>(body) {
            Ok(Wire { exception, message, cause }) => {
                let exception = exception.unwrap_or_default();
                let exception = exception.strip_prefix("class ").unwrap_or(&exception).to_owned();
                let message = message.filter(|m| !m.is_empty()).or(cause).unwrap_or_default();
                let message = if message.is_empty() { "no message".to_owned() } else { message };
                Self { exception, message }
            }
            Err(_) => Self { exception: String::new(), message: plain_text(body) },
        }
    }
}

fn plain_text(body: &[u8]) -> String {
    let head = body.get(..ERROR_TEXT_BYTES_MAX).unwrap_or(body);
    let text = String::from_utf8_lossy(head).trim().to_owned();
    if text.is_empty() { "empty reply".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u16, body: &str) -> ClientError {
        ClientError::from_reply("POST graph/vertices/batch", status, None, body.as_bytes())
    }

    #[test]
    fn bad_data_keeps_class_and_message() {
        let error = reply(
            400,
            r#"{"exception":"class java.lang.IllegalArgumentException","message":"bad age","cause":"","trace":[]}"#,
        );
        assert!(error.is_bad_data());
        assert!(!error.is_transient());
        assert_eq!(error.server_message(), Some("bad age"));
        assert_eq!(
            error.to_string(),
            "POST graph/vertices/batch was refused (400): bad age [IllegalArgumentException]"
        );
    }

    #[test]
    fn busy_server_is_transient_in_both_forms() {
        assert!(reply(503, "{}").is_transient());
        let text = r#"{"exception":"class org.apache.hugegraph.HugeException",
            "message":"The rest server is too busy to write"}"#;
        let error = reply(400, text);
        assert!(error.is_transient());
        assert!(!error.is_bad_data());
    }

    #[test]
    fn a_disk_without_room_is_named_whether_full_or_nearly_so() {
        let nearly = reply(507, r#"{"message":"HTTP 507 Insufficient Storage: the disk of the data has 2 MiB left"}"#);
        let full = reply(503, r#"{"message":"the disk is full: no space left under /data"}"#);
        for error in [nearly, full] {
            assert!(matches!(error, ClientError::DiskFull { .. }) && error.is_transient(), "{error}");
        }
        assert!(matches!(reply(503, r#"{"message":"busy"}"#), ClientError::Overloaded { .. }));
    }

    #[test]
    fn html_of_a_proxy_is_shown_and_cut() {
        let error = reply(502, &format!("<html>{}</html>", "x".repeat(5000)));
        assert!(matches!(error, ClientError::Server { status: 502, .. }));
        let text = error.to_string();
        assert!(text.contains("<html>"), "{text}");
        assert!(text.len() < 1000);
    }

    #[test]
    fn statuses_have_their_own_kinds() {
        assert!(matches!(reply(401, "{}"), ClientError::NotAllowed { status: 401, .. }));
        assert!(matches!(reply(404, "{}"), ClientError::NotFound { .. }));
        assert!(matches!(reply(500, ""), ClientError::Server { .. }));
        assert!(matches!(reply(302, ""), ClientError::Reply { .. }));
        assert!(reply(500, "").to_string().contains("empty reply"));
    }
}
