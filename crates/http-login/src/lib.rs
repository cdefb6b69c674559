//! Who sends an HTTP request? What it shows of that, in the terms in which accounts check it.
//!
//! What it is: the one place where [`http_server::Shown`] becomes [`auth::Credentials`], for all services that are
//! mounted on a server, and where a connection's last login is asked for. What it is not: it reads no header
//! (`http-server`) and checks nothing (`auth`).
//!
//! Start reading at [`known`].

use auth::{Authenticate, Caller, Credentials};
use http_server::{Shown, credentials, last_login, note_login};
use hyper::header::HeaderMap;
use hyper::http::Extensions;

/// Who sends a request, where it can be told at once: by what its connection showed last, if it shows the same again,
/// or by [`Authenticate::known`]. `None` where a password must be checked or what is shown cannot be read.
pub fn known<A: Authenticate + ?Sized>(users: &A, headers: &HeaderMap, extensions: &Extensions) -> Option<Caller> {
    if let Some(last) = last_login::<Caller>(headers, extensions)
        && let Ok(caller) = users.renew(&last)
    {
        return Some(caller);
    }
    let caller = users.known(as_credentials(&credentials(headers, extensions).ok()?))?;
    note_login(headers, extensions, caller.clone());
    Some(caller)
}

/// What a request shows of who sends it, as [`auth::Authenticate`] checks it.
#[must_use]
pub fn as_credentials(shown: &Shown) -> Credentials<'_> {
    match shown {
        Shown::Nothing => Credentials::None,
        Shown::Password { user, password } => Credentials::Password { user, password },
        Shown::Token(token) => Credentials::Token(token),
        Shown::Certificate(user) => Credentials::Certificate(user),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_what_is_checked() {
        let (user, password) = ("bob".to_owned(), "a:b".to_owned());
        let shown = Shown::Password { user, password };
        assert!(matches!(as_credentials(&shown), Credentials::Password { user: "bob", password: "a:b" }));
        assert!(matches!(as_credentials(&Shown::Token("t".to_owned())), Credentials::Token("t")));
        assert!(matches!(as_credentials(&Shown::Certificate("bob".to_owned())), Credentials::Certificate("bob")));
        assert!(matches!(as_credentials(&Shown::Nothing), Credentials::None));
    }
}
