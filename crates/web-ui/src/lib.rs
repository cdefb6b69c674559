//! The explorer: the pages below `/ui`, as files in the binary.
//!
//! What it is: [`Explorer`] answers `/ui` and everything below it from a table that the build writes (`build.rs`). What
//! it is not: it knows no graph and no API; the pages are a client of the REST API like any other. They are made from
//! `web/` by `scripts/web.sh`.
//!
//! Invariants:
//! - Every answer carries the content security policy ([`POLICY`]): what the graph holds cannot become code.
//! - Files whose name holds a hash of their content are kept by browsers; the page that names them is asked for anew.
//! - Without the files the answer says how to get them.

mod file;

use std::pin::pin;

use bytes::Bytes;
use http_body_util::Full;
use http_server::{Boxed, HttpResponse, Mount, Upgrade, caught, discard};
use hyper::body::{Body as _, Incoming};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};

use file::File;

/// The first segment of the explorer's addresses.
pub const SEGMENT: &str = "ui";
/// The address of its first page.
pub const FRONT_PAGE: &str = "/ui/";

/// What a page may load and run: its own files, and no text as code ([CSP 3](https://www.w3.org/TR/CSP3/),
/// [Trusted Types](https://www.w3.org/TR/trusted-types/)).
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
                          connect-src 'self'; worker-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; \
                          frame-ancestors 'none'; require-trusted-types-for 'script'; \
                          trusted-types svelte-trusted-html rhizome-worker";

const INDEX: &str = "index.html";
/// Files below it have a hash of their content in their names.
const ASSETS: &str = "assets/";
/// A year, the longest that is usual; an asset never changes.
const KEPT: &str = "public, max-age=31536000, immutable";
const PLACEHOLDER: &str = include_str!("placeholder.html");

/// The explorer as a service, to be mounted at [`SEGMENT`].
#[derive(Clone, Copy, Debug)]
pub struct Explorer {
    files: &'static [File],
}

impl Explorer {
    /// The explorer that was built into this binary.
    #[must_use]
    pub fn embedded() -> Self {
        Self { files: file::EMBEDDED }
    }

    /// Whether there is more to show than how to build it.
    #[must_use]
    pub fn is_built(&self) -> bool {
        !self.files.is_empty()
    }

    /// The answer to a request with these method, path and headers.
    fn respond(&self, method: &Method, path: &str, headers: &HeaderMap) -> HttpResponse {
        let mut response = if matches!(*method, Method::GET | Method::HEAD) {
            self.get(path, headers)
        } else {
            let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "The explorer's files can only be read (GET).");
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            response
        };
        let headers = response.headers_mut();
        for (name, value) in [
            (header::CONTENT_SECURITY_POLICY, POLICY),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::REFERRER_POLICY, "no-referrer"),
            (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        response
    }

    fn get(&self, path: &str, headers: &HeaderMap) -> HttpResponse {
        if !self.is_built() {
            let mut response = Response::new(Full::new(Bytes::from_static(PLACEHOLDER.as_bytes())));
            *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html;charset=utf-8"));
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
            return response;
        }
        let name = path.strip_prefix("/ui/").unwrap_or_default();
        // Whatever is not named like a file is a place within the explorer, which the page itself finds.
        let is_file = name.starts_with(ASSETS) || name.split('/').next().is_some_and(|first| first.contains('.'));
        let wanted = if is_file { name } else { INDEX };
        match self.files.iter().find(|file| file.path == wanted) {
            Some(file) => found(file, headers),
            None => text(StatusCode::NOT_FOUND, "The explorer has no such file. Its first page is /ui/."),
        }
    }
}

/// A file, in the best coding that the client takes; or only that it has not changed.
fn found(file: &File, asked: &HeaderMap) -> HttpResponse {
    let coding = file.choose(asked);
    let tag = format!("\"{}{}\"", file.tag, coding.suffix());
    let is_known = asked.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok()).any(|value| {
        value.split(',').map(str::trim).any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
    });
    let body = if is_known { Bytes::new() } else { file.bytes(coding) };
    let mut response = Response::new(Full::new(body));
    let headers = response.headers_mut();
    let kept = if file.path.starts_with(ASSETS) { KEPT } else { "no-cache" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if let Ok(tag) = HeaderValue::try_from(tag) {
        headers.insert(header::ETAG, tag);
    }
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return response;
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.content_type));
    if let Some(name) = coding.name() {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
    }
    response
}

fn text(status: StatusCode, text: &'static str) -> HttpResponse {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain;charset=utf-8"));
    response
}

impl Mount for Explorer {
    fn answer<'a>(&'a self, request: Request<Incoming>, _: &'a Upgrade) -> Boxed<'a, HttpResponse> {
        Box::pin(async move {
            let (head, mut body) = request.into_parts();
            let work = async { self.respond(&head.method, head.uri.path(), &head.headers) };
            let failed = || text(StatusCode::INTERNAL_SERVER_ERROR, "An internal error happened; it has been logged.");
            let mut response = caught(pin!(work)).await.unwrap_or_else(failed);
            if !body.is_end_stream() && !discard(&mut body, &head.headers).await {
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            response
        })
    }
}

#[cfg(test)]
mod tests;
