//! Who asks: over HTTP by the header `Authorization` or the certificate of the connection, over a WebSocket by those of
//! its handshake or by SASL PLAIN.

use std::net::IpAddr;
use std::sync::Arc;

use audit::{Class, Event};
use auth::{AuthError, Caller};
use http_login::as_credentials;
use http_server::{Shown, credentials, peer};
use hyper::header::HeaderMap;
use hyper::http::Extensions;

use serving::{Barred, Watched};

use crate::shared::Shared;
use crate::status::{self, Failure};

/// What records call the protocol.
pub(crate) const PROTOCOL: &str = "gremlin";

/// Who sends a request over HTTP, or opens a WebSocket; `None` where it shows nothing, and must.
pub(crate) async fn of_headers(
    shared: &Arc<Shared>,
    headers: &HeaderMap,
    extensions: &Extensions,
) -> Result<Option<Caller>, Failure> {
    if !shared.options.users.is_enabled() {
        return Ok(Some(Caller::anonymous()));
    }
    // Not each request with a password that is known is a login.
    if let Some(caller) = http_login::known(&*shared.options.users, headers, extensions) {
        return Ok(Some(caller));
    }
    let shown =
        credentials(headers, extensions).map_err(|error| Failure::new(status::REQUEST_ARGUMENTS, error.to_string()))?;
    match shown {
        Shown::Nothing => Ok(None),
        shown => Ok(Some(checked(shared, shown, peer(extensions)).await?)),
    }
}

/// Checks what is shown; a new password on a thread that may wait.
pub(crate) async fn checked(shared: &Arc<Shared>, shown: Shown, from: Option<IpAddr>) -> Result<Caller, Failure> {
    let mut watched = watched(shared, &shown, from);
    watched.begin().await.map_err(Barred::from)?;
    let checked = match shared.options.users.known(as_credentials(&shown)) {
        Some(caller) => Ok(caller),
        None => {
            let users = Arc::clone(&shared.options.users);
            let checking = tokio::task::spawn_blocking(move || users.check(as_credentials(&shown), from));
            checking.await.unwrap_or(Err(AuthError::Busy)).map_err(Failure::from)
        }
    };
    match &checked {
        Ok(caller) => {
            watched.note(|event| caller.note_in(&mut event.subject));
            watched.succeed();
        }
        Err(failure) => watched.fail(&failure.code.to_string(), failure.code == status::UNAUTHORIZED),
    }
    checked
}

/// A login, to be recorded.
fn watched(shared: &Shared, shown: &Shown, from: Option<IpAddr>) -> Watched {
    let watch = &shared.serving.watch;
    watch.record(Class::Login, || {
        let subject = as_credentials(shown).subject(PROTOCOL, from, Some(watch.audit.request_id()));
        Event::new(Class::Login, "authentication", subject)
    })
}

/// What SASL PLAIN shows (RFC 4616). As with HugeGraph, a user without a password is a token. Acting for somebody else
/// is not possible.
pub(crate) fn of_sasl(bytes: &[u8]) -> Result<Shown, Failure> {
    let wrong = || Failure::new(status::UNAUTHORIZED, "Authentication failed");
    let text = std::str::from_utf8(bytes).map_err(|_| wrong())?;
    let mut parts = text.split('\0');
    let (acts_for, user, password) = (parts.next(), parts.next(), parts.next());
    match (acts_for, user, password, parts.next()) {
        (Some(acts_for), Some(user), Some(password), None) if acts_for.is_empty() || acts_for == user => {
            if password.is_empty() {
                Ok(Shown::Token(user.to_owned()))
            } else {
                Ok(Shown::Password { user: user.to_owned(), password: password.to_owned() })
            }
        }
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sasl_plain_has_three_parts() {
        let shown =
            |user: &str, password: &str| Shown::Password { user: user.to_owned(), password: password.to_owned() };
        assert!(of_sasl(b"\0admin\0pa:ss") == Ok(shown("admin", "pa:ss")));
        assert!(of_sasl(b"admin\0admin\0pa") == Ok(shown("admin", "pa")));
        assert!(of_sasl(b"\0token\0") == Ok(Shown::Token("token".to_owned())));
        for wrong in [&b""[..], b"admin", b"\0admin", b"bob\0admin\0pa", b"\0a\0b\0c", b"\0\xff\0x"] {
            assert!(of_sasl(wrong).is_err(), "{wrong:?}");
        }
    }
}
