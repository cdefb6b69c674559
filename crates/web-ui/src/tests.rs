//! Files of a table like that of a build, asked for as browsers do.

use http_body_util::BodyExt as _;

use super::*;
use crate::file::Coding;

/// `gzip -9` of "page"; what is only passed on is no real brotli.
const PAGE: &[u8] =
    &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 0x2b, 0x48, 0x4c, 0x4f, 5, 0, 0x20, 0xb6, 0x0a, 0x14, 4, 0, 0, 0];

static FILES: &[File] = &[
    File {
        path: "index.html",
        content_type: "text/html;charset=utf-8",
        tag: "aa",
        compressed: Some((b"BR page", PAGE)),
        plain: &[],
    },
    File {
        path: "assets/a-1234.js",
        content_type: "text/javascript;charset=utf-8",
        tag: "bb",
        compressed: Some((b"BR code", PAGE)),
        plain: &[],
    },
    File { path: "assets/i-5678.svg", content_type: "image/svg+xml", tag: "cc", compressed: None, plain: b"<svg/>" },
];

fn ask(path: &str, headers: &[(HeaderName, &'static str)]) -> HttpResponse {
    let headers = headers.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect();
    Explorer { files: FILES }.respond(&Method::GET, path, &headers)
}

fn field<'a>(response: &'a HttpResponse, name: &str) -> &'a str {
    response.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

async fn body(response: HttpResponse) -> Bytes {
    response.into_body().collect().await.unwrap().to_bytes()
}

#[tokio::test]
async fn the_best_coding_that_a_client_takes_is_sent() {
    for (accepted, coding, bytes) in [
        ("gzip, deflate, br", "br", &b"BR page"[..]),
        ("gzip, br;q=0", "gzip", PAGE),
        ("*", "br", b"BR page"),
        ("identity", "", b"page"),
        ("gzip;q=0, br;q=0.0", "", b"page"),
    ] {
        let response = ask("/ui/", &[(header::ACCEPT_ENCODING, accepted)]);
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(field(&response, "content-encoding"), coding, "{accepted}");
        assert_eq!(field(&response, "vary"), "Accept-Encoding");
        assert_eq!(body(response).await, bytes, "{accepted}");
    }
    assert_eq!(body(ask("/ui/", &[])).await, "page");
    let plain = ask("/ui/assets/i-5678.svg", &[(header::ACCEPT_ENCODING, "br")]);
    assert_eq!((field(&plain, "content-encoding"), field(&plain, "content-type")), ("", "image/svg+xml"));
}

#[tokio::test]
async fn what_has_not_changed_is_not_sent_again() {
    let accepted = (header::ACCEPT_ENCODING, "br");
    assert_eq!(field(&ask("/ui/", std::slice::from_ref(&accepted)), "etag"), "\"aa-br\"");
    for (known, status) in [
        ("\"aa-br\"", StatusCode::NOT_MODIFIED),
        ("\"zz\", W/\"aa-br\"", StatusCode::NOT_MODIFIED),
        ("*", StatusCode::NOT_MODIFIED),
        ("\"aa-gzip\"", StatusCode::OK),
        ("\"aa\"", StatusCode::OK),
    ] {
        let response = ask("/ui/", &[accepted.clone(), (header::IF_NONE_MATCH, known)]);
        assert_eq!(response.status(), status, "{known}");
        assert_eq!(field(&response, "etag"), "\"aa-br\"");
        assert_eq!(body(response).await.is_empty(), status == StatusCode::NOT_MODIFIED);
    }
}

#[test]
fn the_page_is_asked_for_anew_and_its_assets_are_kept() {
    assert_eq!(field(&ask("/ui/", &[]), "cache-control"), "no-cache");
    assert!(field(&ask("/ui/assets/a-1234.js", &[]), "cache-control").contains("immutable"));
}

#[test]
fn places_are_the_page_and_files_that_are_missing_are_not_found() {
    for place in ["/ui", "/ui/", "/ui/g/a/explore", "/ui/graphs", "/ui/g/a.b/data/vertices/c.d", "/ui/g/%2F/schema"] {
        let response = ask(place, &[]);
        assert_eq!(response.status(), StatusCode::OK, "{place}");
        assert!(field(&response, "content-type").starts_with("text/html"), "{place}");
    }
    for missing in ["/ui/x.js", "/ui/assets/x", "/ui/assets/a-9999.js", "/ui/favicon.ico", "/ui/assets/../index.html"] {
        assert_eq!(ask(missing, &[]).status(), StatusCode::NOT_FOUND, "{missing}");
    }
}

#[test]
fn every_answer_says_what_a_page_may_do() {
    let unbuilt = Explorer { files: &[] };
    let none = HeaderMap::new();
    let written = Explorer { files: FILES }.respond(&Method::POST, "/ui/", &none);
    assert_eq!((written.status(), field(&written, "allow")), (StatusCode::METHOD_NOT_ALLOWED, "GET, HEAD"));
    for response in [ask("/ui/", &[]), ask("/ui/x.js", &[]), written, unbuilt.respond(&Method::GET, "/ui/", &none)] {
        let policy = field(&response, "content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
        assert!(policy.contains("require-trusted-types-for 'script'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(field(&response, "x-content-type-options"), "nosniff");
        assert_eq!(field(&response, "referrer-policy"), "no-referrer");
        assert_eq!(field(&response, "cross-origin-opener-policy"), "same-origin");
    }
}

#[tokio::test]
async fn a_binary_without_the_explorer_says_how_to_get_it() {
    let response = Explorer { files: &[] }.respond(&Method::GET, "/ui/g/a/explore", &HeaderMap::new());
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(field(&response, "content-type").starts_with("text/html"));
    let page = String::from_utf8(body(response).await.to_vec()).unwrap();
    assert!(page.contains("built without the explorer") && page.contains("make build"), "{page}");
}

/// What this very build holds is whole, whether it has the explorer or not.
#[test]
fn the_embedded_files_can_be_read() {
    let embedded = Explorer::embedded();
    for file in embedded.files {
        assert_eq!(file.tag.len(), 32, "{}", file.path);
        assert!(!file.bytes(Coding::Identity).is_empty(), "{}", file.path);
        if let Some((br, gzip)) = file.compressed {
            assert!(br.len() < file.bytes(Coding::Identity).len() && !gzip.is_empty(), "{}", file.path);
        }
    }
    assert_eq!(embedded.is_built(), embedded.files.iter().any(|file| file.path == INDEX));
}
