//! Answers before they are HTTP.

use std::borrow::Cow;
use std::io::Write as _;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body_util::Full;
use hyper::header::{self, HeaderValue};
use hyper::{Response, StatusCode};

use crate::limits::GZIP_ANSWER_BYTES_MIN;

/// What an answer is made of.
#[derive(Debug)]
pub struct Reply {
    /// Its status.
    pub status: StatusCode,
    content_type: Cow<'static, str>,
    /// Its body.
    pub body: Vec<u8>,
    gzipped: bool,
    /// Whether the client may try again, and after how many seconds at the earliest; 0: it need not.
    pub retry_after_s: u64,
    /// Whether the client is asked for its credentials, for status 401.
    pub authenticate: bool,
    /// The methods that the address has, for status 405.
    pub allow: Option<String>,
    location: Option<&'static str>,
    /// Whether the connection ends after it.
    pub close: bool,
    /// What it took to find, for the log of slow requests. Few answers have it, and all are moved about.
    pub work: Option<Box<Work>>,
}

/// What was read for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Edges that were looked at.
    pub edges: u64,
    /// Vertices that were looked at.
    pub vertices: u64,
}

const JSON: &str = "application/json;charset=UTF-8";
/// How credentials are shown; a password is UTF-8.
const CHALLENGE: &str = "Basic realm=\"rhizome\", charset=\"UTF-8\"";
const TEXT: &str = "text/plain;charset=UTF-8";

impl Reply {
    /// A JSON answer.
    pub fn json(status: StatusCode, body: Vec<u8>) -> Self {
        Self {
            status,
            content_type: Cow::Borrowed(JSON),
            body,
            gzipped: false,
            retry_after_s: 0,
            authenticate: false,
            allow: None,
            location: None,
            close: false,
            work: None,
        }
    }

    /// A JSON answer with status 200.
    pub fn ok(body: Vec<u8>) -> Self {
        Self::json(StatusCode::OK, body)
    }

    /// A small JSON answer with status 200.
    pub fn value(value: &serde_json::Value) -> Self {
        Self::ok(value.to_string().into_bytes())
    }

    /// A text with status 200.
    pub fn text(body: String) -> Self {
        Self { content_type: Cow::Borrowed(TEXT), ..Self::ok(body.into_bytes()) }
    }

    /// A file with status 200.
    pub fn file(content_type: &str, body: Vec<u8>) -> Self {
        Self { content_type: Cow::Owned(content_type.to_owned()), ..Self::ok(body) }
    }

    /// What was asked for is somewhere else.
    pub fn redirect(to: &'static str) -> Self {
        Self { location: Some(to), ..Self::json(StatusCode::PERMANENT_REDIRECT, Vec::new()) }
    }

    /// Done, nothing to say: status 204.
    pub fn no_content() -> Self {
        Self::json(StatusCode::NO_CONTENT, Vec::new())
    }

    /// Compresses the body, if the client `accepts` that and it is worth it.
    pub fn gzip_if(mut self, accepts: bool) -> Self {
        if accepts && self.body.len() >= GZIP_ANSWER_BYTES_MIN && !self.gzipped {
            let mut encoder = GzEncoder::new(Vec::with_capacity(self.body.len() / 4), Compression::fast());
            if encoder.write_all(&self.body).is_ok()
                && let Ok(smaller) = encoder.finish()
            {
                self.body = smaller;
                self.gzipped = true;
            }
        }
        self
    }

    /// The HTTP answer.
    pub fn into_response(self) -> Response<Full<Bytes>> {
        let empty = self.body.is_empty();
        let mut response = Response::new(Full::new(Bytes::from(self.body)));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        let content_type = match self.content_type {
            Cow::Borrowed(name) => Some(HeaderValue::from_static(name)),
            Cow::Owned(name) => HeaderValue::try_from(name).ok(),
        };
        if let Some(content_type) = content_type.filter(|_| !empty) {
            headers.insert(header::CONTENT_TYPE, content_type);
        }
        if self.gzipped {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        }
        if self.retry_after_s > 0 {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(self.retry_after_s));
        }
        if self.authenticate {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(CHALLENGE));
        }
        if let Some(allow) = self.allow.and_then(|allow| HeaderValue::try_from(allow).ok()) {
            headers.insert(header::ALLOW, allow);
        }
        if let Some(location) = self.location {
            headers.insert(header::LOCATION, HeaderValue::from_static(location));
        }
        if self.close {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_answers_stay_as_they_are() {
        assert_eq!(Reply::ok(vec![b'1'; 10]).gzip_if(true).body.len(), 10);
        assert!(Reply::ok(vec![b'1'; 10_000]).gzip_if(true).body.len() < 1_000);
        assert_eq!(Reply::ok(vec![b'1'; 10_000]).gzip_if(false).body.len(), 10_000);
    }
}
