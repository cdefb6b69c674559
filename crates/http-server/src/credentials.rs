//! What a request shows of who sends it: the header `Authorization`, the cookie of a session of the explorer, or the
//! certificate of its connection.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::header::{self, HeaderMap};
use hyper::http::Extensions;

use crate::client::client;

/// Longest id of a request that is taken over from a client, in bytes.
const REQUEST_ID_BYTES_MAX: usize = 128;

/// The id that a client has given its request (`X-Request-Id`), where it is one: visible ASCII, not too long.
#[must_use]
pub fn request_id(headers: &HeaderMap) -> Option<&str> {
    let id = headers.get("x-request-id")?.to_str().ok()?;
    let is_one = (1..=REQUEST_ID_BYTES_MAX).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic());
    is_one.then_some(id)
}

/// What a request shows. It has no `Debug`: nothing of it may get into a log.
#[derive(PartialEq, Eq)]
pub enum Shown {
    /// Nothing.
    Nothing,
    /// A user and a password.
    Password {
        /// The user.
        user: String,
        /// The password.
        password: String,
    },
    /// A token.
    Token(String),
    /// A certificate, verified by TLS, that names this user.
    Certificate(String),
}

/// Why the header cannot be read. The texts are those that HugeGraph's tools look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrongCredentials {
    /// Another scheme.
    #[error("Only HTTP Basic or Bearer authentication is supported")]
    Scheme,
    /// No Base64 of a user, a colon and a password.
    #[error("Invalid syntax for username and password")]
    Syntax,
}

/// The cookie that keeps the login of a browser: a token, which no script can read.
pub const SESSION_COOKIE: &str = "rhizome_session";
/// The header of the explorer's requests. A page of another site cannot send it without being asked whether it may
/// (a preflight), which no service here ever allows, so a cookie counts only beside it.
pub const PAGE_HEADER: &str = "x-rhizome-ui";

/// The token of a session, where a page of the explorer sends its cookie along.
#[must_use]
pub fn session_token(headers: &HeaderMap) -> Option<&str> {
    if !headers.contains_key(PAGE_HEADER) {
        return None;
    }
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, value)| *name == SESSION_COOKIE && !value.is_empty()).map(|(_, value)| value)
}

/// Reads the header; where there is none the token of a session, and without one the certificate of the connection.
/// Schemes may be in any case; a password may have colons.
///
/// # Errors
/// [`WrongCredentials`].
pub fn credentials(headers: &HeaderMap, extensions: &Extensions) -> Result<Shown, WrongCredentials> {
    let Some(value) = headers.get(header::AUTHORIZATION) else {
        if let Some(token) = session_token(headers) {
            return Ok(Shown::Token(token.to_owned()));
        }
        let certificate = client(extensions).and_then(|client| client.certificate.as_ref());
        return Ok(certificate.map_or(Shown::Nothing, |shown| Shown::Certificate(shown.user().to_owned())));
    };
    let value = value.to_str().map_err(|_| WrongCredentials::Scheme)?;
    let (scheme, rest) = value.trim().split_once(' ').unwrap_or((value.trim(), ""));
    let rest = rest.trim();
    if scheme.eq_ignore_ascii_case("bearer") {
        return if rest.is_empty() { Err(WrongCredentials::Syntax) } else { Ok(Shown::Token(rest.to_owned())) };
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return Err(WrongCredentials::Scheme);
    }
    let bytes = STANDARD.decode(rest).map_err(|_| WrongCredentials::Syntax)?;
    let text = String::from_utf8(bytes).map_err(|_| WrongCredentials::Syntax)?;
    match text.split_once(':') {
        Some((user, password)) if !user.is_empty() && !password.is_empty() => {
            Ok(Shown::Password { user: user.to_owned(), password: password.to_owned() })
        }
        _ => Err(WrongCredentials::Syntax),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> Result<Shown, WrongCredentials> {
        let mut headers = HeaderMap::new();
        headers.insert(header::AUTHORIZATION, value.parse().unwrap());
        credentials(&headers, &Extensions::new())
    }

    fn basic(text: &str) -> Result<Shown, WrongCredentials> {
        read(&format!("Basic {}", STANDARD.encode(text)))
    }

    #[test]
    fn schemes_may_be_in_any_case_and_passwords_have_colons() {
        let shown =
            |user: &str, password: &str| Ok(Shown::Password { user: user.to_owned(), password: password.to_owned() });
        assert!(basic("admin:pa") == shown("admin", "pa"));
        assert!(basic("用户:密:码") == shown("用户", "密:码"));
        assert!(read("bAsIc YWRtaW46cGE=") == shown("admin", "pa"));
        assert!(read("bearer abc") == Ok(Shown::Token("abc".to_owned())));
        assert!(credentials(&HeaderMap::new(), &Extensions::new()) == Ok(Shown::Nothing));
    }

    #[test]
    fn a_cookie_counts_beside_the_header_that_other_sites_cannot_send() {
        let shown = |headers: &[(&'static str, &str)]| {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.append(*name, value.parse().unwrap());
            }
            credentials(&map, &Extensions::new())
        };
        let cookie = ("cookie", "theme=dark; rhizome_session=a.b.c; x=y");
        assert!(shown(&[cookie]) == Ok(Shown::Nothing));
        assert!(shown(&[cookie, (PAGE_HEADER, "1")]) == Ok(Shown::Token("a.b.c".to_owned())));
        assert!(shown(&[("cookie", "x=y"), cookie, (PAGE_HEADER, "1")]) == Ok(Shown::Token("a.b.c".to_owned())));
        assert!(shown(&[("cookie", "rhizome_session="), (PAGE_HEADER, "1")]) == Ok(Shown::Nothing));
        assert!(shown(&[("cookie", "not_rhizome_session=a"), (PAGE_HEADER, "1")]) == Ok(Shown::Nothing));
        let header = ("authorization", "Bearer other");
        assert!(shown(&[cookie, (PAGE_HEADER, "1"), header]) == Ok(Shown::Token("other".to_owned())));
    }

    #[test]
    fn what_cannot_be_read_is_told_apart() {
        for text in ["admin", ":pa", "admin:", ""] {
            assert!(basic(text) == Err(WrongCredentials::Syntax), "{text}");
        }
        assert!(read("Basic %%%") == Err(WrongCredentials::Syntax));
        assert!(read("Bearer") == Err(WrongCredentials::Syntax));
        for other in ["Digest x", "", "Negotiate"] {
            assert!(read(other) == Err(WrongCredentials::Scheme), "{other}");
        }
    }
}
