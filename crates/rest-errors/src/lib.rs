//! Which status and which Java class does a failed request have, and what does its answer say?
//!
//! What it is: the one table of failures of the REST API. Every error that a handler can meet becomes an [`ApiError`],
//! and that a reply as HugeGraph writes it. What it is not: it knows no route and no request.
//!
//! Start reading at [`ApiError`].

use auth::{AccountError, AuthError};
use graph_access::AccessError;
use graph_model::{ErrorKind, IdError};
use graph_schema::{ElementError, SchemaError};
use graph_store::StoreError;
use graph_view::VisibleError;
use http_server::{NotDecoded, Refusal, Reply};
use hyper::StatusCode;
use rest_json::{DecodeError, ErrorBody};
use serving::{Barred, Refused};
use traversal::TraversalError;

/// The one graph space there is.
pub const DEFAULT_SPACE: &str = "DEFAULT";

/// A failed request: everything its answer needs.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    class: &'static str,
    message: String,
    /// Whether it is the failure of a script, which HugeGraph writes in another way.
    is_script: bool,
    /// A write found another one at work and may wait for it elsewhere.
    contended: bool,
    /// Methods the address has, where the request's is none of them.
    allow: Option<String>,
    /// The connection must be closed after this.
    close: bool,
    /// After how many seconds the request may be sent again; 0: it need not say.
    retry_after_s: u64,
}

const ILLEGAL_ARGUMENT: &str = "class java.lang.IllegalArgumentException";
const HUGE: &str = "class org.apache.hugegraph.HugeException";
const BACKEND: &str = "class org.apache.hugegraph.backend.BackendException";
const EXISTED: &str = "class org.apache.hugegraph.exception.ExistedException";
const LIMIT_EXCEED: &str = "class org.apache.hugegraph.exception.LimitExceedException";
const NO_INDEX: &str = "class org.apache.hugegraph.exception.NoIndexException";
const NOT_ALLOW: &str = "class org.apache.hugegraph.exception.NotAllowException";
const NOT_FOUND: &str = "class org.apache.hugegraph.exception.NotFoundException";
const NOT_SUPPORT: &str = "class org.apache.hugegraph.exception.NotSupportException";
const HTTP_FORBIDDEN: &str = "class jakarta.ws.rs.ForbiddenException";
const HTTP_METHOD: &str = "class jakarta.ws.rs.NotAllowedException";
const HTTP_NOT_FOUND: &str = "class jakarta.ws.rs.NotFoundException";
const HTTP_TYPE: &str = "class jakarta.ws.rs.NotSupportedException";
const HTTP_UNAVAILABLE: &str = "class jakarta.ws.rs.ServiceUnavailableException";
const HTTP_BAD_REQUEST: &str = "class jakarta.ws.rs.BadRequestException";
const HTTP_UNAUTHORIZED: &str = "class jakarta.ws.rs.NotAuthorizedException";
const ILLEGAL_STATE: &str = "class java.lang.IllegalStateException";
const HTTP_SERVER: &str = "class jakarta.ws.rs.ServerErrorException";
const HTTP_CLIENT: &str = "class jakarta.ws.rs.ClientErrorException";

/// Status and class of a kind.
fn status_and_class(kind: ErrorKind) -> (StatusCode, &'static str) {
    match kind {
        ErrorKind::BadInput => (StatusCode::BAD_REQUEST, ILLEGAL_ARGUMENT),
        ErrorKind::AlreadyExists => (StatusCode::BAD_REQUEST, EXISTED),
        ErrorKind::NotAllowed => (StatusCode::BAD_REQUEST, NOT_ALLOW),
        ErrorKind::Forbidden => (StatusCode::FORBIDDEN, HTTP_FORBIDDEN),
        ErrorKind::NotSupported => (StatusCode::BAD_REQUEST, NOT_SUPPORT),
        ErrorKind::NoIndex => (StatusCode::BAD_REQUEST, NO_INDEX),
        ErrorKind::LimitExceeded => (StatusCode::BAD_REQUEST, LIMIT_EXCEED),
        ErrorKind::NotFound => (StatusCode::NOT_FOUND, NOT_FOUND),
        ErrorKind::Timeout | ErrorKind::Cancelled => (StatusCode::SERVICE_UNAVAILABLE, HUGE),
        ErrorKind::Overloaded | ErrorKind::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, HTTP_UNAVAILABLE),
        ErrorKind::Corrupt | ErrorKind::Internal => (StatusCode::INTERNAL_SERVER_ERROR, BACKEND),
    }
}

impl ApiError {
    fn new(status: StatusCode, class: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            class,
            message: message.into(),
            is_script: false,
            contended: false,
            allow: None,
            close: false,
            retry_after_s: 0,
        }
    }

    /// An error of a kind.
    pub fn of(kind: ErrorKind, message: impl Into<String>) -> Self {
        let (status, class) = status_and_class(kind);
        Self::new(status, class, message)
    }

    /// The failure of a script, with the class that HugeGraph's engine of scripts would have thrown.
    pub fn script(class: &'static str, message: impl Into<String>) -> Self {
        Self { is_script: true, ..Self::new(StatusCode::BAD_REQUEST, class, message) }
    }

    /// The failure of a query on the graph. What is missing in it is not what the address names.
    pub fn of_query(kind: ErrorKind, message: impl Into<String>) -> Self {
        let error = Self::of(kind, message);
        let status = if kind == ErrorKind::NotFound { StatusCode::BAD_REQUEST } else { error.status };
        let class = if kind == ErrorKind::NotFound { ILLEGAL_ARGUMENT } else { error.class };
        Self { status, class, is_script: true, ..error }
    }

    /// A request that is wrong in itself.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::of(ErrorKind::BadInput, message)
    }

    /// Something of the graph that is not there.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::of(ErrorKind::NotFound, message)
    }

    /// An address whose last part names nothing there is.
    pub fn nothing_named(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, HTTP_NOT_FOUND, message)
    }

    /// An address nothing is at.
    pub fn no_route(path: &str) -> Self {
        let hint =
            if path.contains("//") { "an empty part (//) is never right" } else { "GET /apis lists what there is" };
        Self::new(
            StatusCode::NOT_FOUND,
            HTTP_NOT_FOUND,
            format!("HTTP 404 Not Found: there is nothing at {path}; {hint}"),
        )
    }

    /// Something an address names that is not there, in the class HugeGraph uses where it is no part of the schema or
    /// the graph.
    pub fn nothing(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, HTTP_NOT_FOUND, message)
    }

    /// A graph space other than the one there is.
    pub fn no_space(name: &str) -> Self {
        Self::not_found(format!("graph space '{name}' does not exist; the only one is '{DEFAULT_SPACE}'"))
    }

    /// A method the address does not have.
    pub fn method(method: &str, allow: String) -> Self {
        let message = format!("HTTP 405 Method Not Allowed: {method} is not possible here, only {allow}");
        Self { allow: Some(allow), ..Self::new(StatusCode::METHOD_NOT_ALLOWED, HTTP_METHOD, message) }
    }

    /// A wrong `action` of a task. HugeGraph answers it with the status of a wrong type of body, and so does this.
    pub fn action(expected: &str, got: &str) -> Self {
        let message = format!("'action' must be {expected}, but got '{got}'");
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, HTTP_TYPE, message)
    }

    /// An address of HugeGraph's that this version has nothing at yet.
    pub fn not_yet(method: &str, path: &str) -> Self {
        let message = format!("this version of Rhizome does not have {method} {path} yet");
        Self::new(StatusCode::NOT_IMPLEMENTED, NOT_SUPPORT, message)
    }

    /// An address of HugeGraph's that Rhizome leaves out for good.
    pub fn never(method: &str, path: &str, reason: &str) -> Self {
        Self::new(StatusCode::NOT_IMPLEMENTED, NOT_SUPPORT, format!("Rhizome does not have {method} {path}: {reason}"))
    }

    /// A request that has no right to what it asks for.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, HTTP_FORBIDDEN, message)
    }

    /// Credentials that cannot be read, or are of another kind than they must be.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, HTTP_BAD_REQUEST, message)
    }

    /// A login that failed.
    pub fn wrong_password() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, HTTP_UNAUTHORIZED, "Incorrect username or password")
    }

    /// Something about users, of a server without any. HugeGraph answers so.
    pub fn no_users() -> Self {
        let message = "Unconfigured authenticator, please config auth.authenticator option in rest-server.properties \
                       (of Rhizome: start it with the setting auth.enabled=true)";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, ILLEGAL_STATE, message)
    }

    /// A body that is not JSON by its type.
    pub fn media_type(got: Option<&str>) -> Self {
        let got = got.map_or_else(|| "none was given".to_owned(), |got| format!("got '{got}'"));
        let message = format!("HTTP 415 Unsupported Media Type: the Content-Type must be application/json, but {got}");
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, HTTP_TYPE, message)
    }

    /// A body larger than the limit.
    pub fn body_too_large(limit: usize) -> Self {
        let message = format!(
            "HTTP 413 Content Too Large: a request body may have {limit} bytes after decompression \
             (server.request_body_bytes_max); send less at once"
        );
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, HTTP_CLIENT, message)
    }

    /// A body that did not come in time.
    pub fn body_too_slow(limit_ms: u64) -> Self {
        let message = format!(
            "HTTP 408 Request Timeout: the request body took longer than {limit_ms} ms (server.request_timeout_ms)"
        );
        Self { close: true, ..Self::new(StatusCode::REQUEST_TIMEOUT, HTTP_CLIENT, message) }
    }

    /// Too much at once; to be tried again in a moment.
    pub fn overloaded(message: impl Into<String>) -> Self {
        Self::of(ErrorKind::Overloaded, message)
    }

    /// The server's time for a request is over.
    pub fn timeout(limit_ms: u64) -> Self {
        Self::from(StoreError::Timeout { limit_ms })
    }

    /// A defect of this program.
    pub fn defect() -> Self {
        let message = "an internal error happened while the request was at work; it has been logged";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, HUGE, message)
    }

    /// The same error, after which the connection is closed.
    pub fn closing(self) -> Self {
        Self { close: true, ..self }
    }

    /// The same error with the status of a bad request and HugeGraph's class for one.
    pub fn into_bad_input(self) -> Self {
        Self { contended: self.contended, ..Self::bad_input(self.message) }
    }

    /// The status of the answer.
    pub fn status(&self) -> u16 {
        self.status.as_u16()
    }

    /// Whether the server could not do it in time or at all, as another time it may.
    pub fn is_unavailable(&self) -> bool {
        self.status == StatusCode::SERVICE_UNAVAILABLE
    }

    /// Whether the request is to be tried again where it may wait.
    pub fn is_contended(&self) -> bool {
        self.contended
    }

    /// Whether it says that something of the graph is not there.
    pub fn is_not_found(&self) -> bool {
        self.class == NOT_FOUND
    }

    /// The answer.
    pub fn into_reply(self) -> Reply {
        let mut body = Vec::with_capacity(128 + self.message.len());
        if self.is_script {
            let class = self.class.trim_start_matches("class ");
            let cause = format!("[{class}]");
            ErrorBody { exception: class, message: &self.message, cause: &cause }.write(&mut body);
        } else {
            ErrorBody { exception: self.class, message: &self.message, cause: "" }.write(&mut body);
        }
        let mut reply = Reply::json(self.status, body);
        reply.allow = self.allow;
        reply.close = self.close;
        let is_overload = self.class == HTTP_UNAVAILABLE && self.retry_after_s == 0;
        reply.retry_after_s = if is_overload { 1 } else { self.retry_after_s };
        reply.authenticate = self.status == StatusCode::UNAUTHORIZED;
        reply
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::TooManyConnections { .. } => Self::overloaded(refusal.to_string()),
            _ => Self::new(refusal.status(), HTTP_FORBIDDEN, format!("HTTP 403 Forbidden: {refusal}")),
        }
    }
}

impl From<VisibleError> for ApiError {
    fn from(error: VisibleError) -> Self {
        match error {
            VisibleError::Store(error) => error.into(),
            VisibleError::Access(error) => error.into(),
        }
    }
}

impl From<AuthError> for ApiError {
    fn from(error: AuthError) -> Self {
        let message = error.to_string();
        match error {
            AuthError::Required | AuthError::Failed => Self::new(StatusCode::UNAUTHORIZED, HTTP_UNAUTHORIZED, message),
            AuthError::Throttled { seconds } => Self {
                retry_after_s: seconds,
                ..Self::new(
                    StatusCode::TOO_MANY_REQUESTS,
                    HTTP_CLIENT,
                    format!("HTTP 429 Too Many Requests: {message}"),
                )
            },
            AuthError::Busy | AuthError::Issuer => Self::overloaded(message),
            AuthError::Storage(_) => Self::of(ErrorKind::Unavailable, message),
        }
    }
}

impl From<AccountError> for ApiError {
    fn from(error: AccountError) -> Self {
        let message = error.to_string();
        match error {
            AccountError::Invalid(_) | AccountError::Password(_) => Self::bad_input(message),
            AccountError::NotFound(_) => Self::not_found(message),
            AccountError::Forbidden(_) => Self::forbidden(message),
            AccountError::Busy => Self::overloaded(message),
            AccountError::Store(error) => error.into(),
        }
    }
}

impl From<NotDecoded> for ApiError {
    fn from(error: NotDecoded) -> Self {
        Self::bad_input(error.to_string())
    }
}

impl From<Barred> for ApiError {
    fn from(barred: Barred) -> Self {
        let retry_after_s = barred.retry_after_s();
        let (status, class, name) = match barred {
            Barred::Quota(_) => (StatusCode::TOO_MANY_REQUESTS, HTTP_CLIENT, "HTTP 429 Too Many Requests: "),
            Barred::Disk(_) => (StatusCode::INSUFFICIENT_STORAGE, HTTP_SERVER, "HTTP 507 Insufficient Storage: "),
            Barred::Audit(_) => (StatusCode::SERVICE_UNAVAILABLE, HTTP_UNAVAILABLE, ""),
        };
        Self { retry_after_s, ..Self::new(status, class, format!("{name}{barred}")) }
    }
}

impl From<Refused> for ApiError {
    fn from(refused: Refused) -> Self {
        Self::overloaded(refused.to_string())
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        let contended = matches!(error, StoreError::Contended);
        Self { contended, ..Self::of(error.kind(), error.to_string()) }
    }
}

impl From<AccessError> for ApiError {
    fn from(error: AccessError) -> Self {
        Self::of(error.kind, error.message)
    }
}

impl From<TraversalError> for ApiError {
    fn from(error: TraversalError) -> Self {
        match error {
            TraversalError::Capacity { .. } => Self::new(StatusCode::BAD_REQUEST, HUGE, error.to_string()),
            _ => Self::of(error.kind(), error.to_string()),
        }
    }
}

impl From<SchemaError> for ApiError {
    fn from(error: SchemaError) -> Self {
        Self::of(error.kind(), error.to_string())
    }
}

impl From<DecodeError> for ApiError {
    fn from(error: DecodeError) -> Self {
        Self::of(error.kind(), error.to_string())
    }
}

impl From<IdError> for ApiError {
    fn from(error: IdError) -> Self {
        Self::bad_input(error.to_string())
    }
}

impl From<ElementError> for ApiError {
    fn from(error: ElementError) -> Self {
        Self::bad_input(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_find_the_classes_they_look_for() {
        let body = |error: ApiError| String::from_utf8(error.into_reply().body).unwrap();
        assert!(body(ApiError::bad_input("x")).contains(r#""exception":"class java.lang.IllegalArgumentException""#));
        assert!(body(ApiError::overloaded("x")).contains("ServiceUnavailableException"));
        assert!(body(ApiError::timeout(7)).contains("server.request_timeout_ms"));
    }

    #[test]
    fn only_overload_asks_to_try_again() {
        assert!(ApiError::overloaded("x").into_reply().retry_after_s > 0);
        assert_eq!(ApiError::timeout(7).into_reply().retry_after_s, 0);
        assert!(ApiError::from(StoreError::Contended).is_contended());
    }
}
