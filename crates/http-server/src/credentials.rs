//! What a request shows of who sends it: the header `Authorization`, or the certificate of its connection.

use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::header::{self, HeaderMap};
use hyper::http::Extensions;
use tls::ClientCertificate;

/// The address of the client of a connection, kept with its requests where [`crate::Options::note_peers`] says so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// The address of the client that sent a request, where it is noted, by the request's extensions.
#[must_use]
pub fn peer(extensions: &Extensions) -> Option<IpAddr> {
    extensions.get::<Peer>().map(|peer| peer.0)
}

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

/// Reads the header, or where there is none takes the certificate of the connection. Schemes may be in any case; a
/// password may have colons.
///
/// # Errors
/// [`WrongCredentials`].
pub fn credentials(headers: &HeaderMap, extensions: &Extensions) -> Result<Shown, WrongCredentials> {
    let Some(value) = headers.get(header::AUTHORIZATION) else {
        let certificate = extensions.get::<ClientCertificate>();
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
