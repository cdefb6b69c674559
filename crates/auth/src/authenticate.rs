//! What a protocol asks: whose credentials these are. One check for all protocols.

use std::net::IpAddr;

use audit::Subject;

use crate::caller::Caller;

/// What a client shows of itself.
#[derive(Clone, Copy)]
pub enum Credentials<'a> {
    /// Nothing.
    None,
    /// The name of a user and a password, or an API key in its place.
    Password {
        /// The user.
        user: &'a str,
        /// The password or key.
        password: &'a str,
    },
    /// A token of a login or of an issuer of OpenID Connect, or an API key.
    Token(&'a str),
    /// The user that the client's certificate names. Whoever shows this has verified the certificate.
    Certificate(&'a str),
}

impl Credentials<'_> {
    /// Who it claims to be, for records of a login that failed. Nothing of a password or token is in it.
    #[must_use]
    pub fn subject(&self, protocol: &'static str, address: Option<IpAddr>, request: Option<String>) -> Subject {
        let (user, proof) = match self {
            Self::None => (None, "none"),
            Self::Password { user, .. } => (Some((*user).to_owned()), "password"),
            Self::Token(_) => (None, "token"),
            Self::Certificate(user) => (Some((*user).to_owned()), "certificate"),
        };
        Subject { user, proof, key: None, address, protocol, request }
    }
}

/// Why there is no caller. The texts are the same whether a user exists or not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    /// Nothing was shown.
    #[error("Authentication credentials are required")]
    Required,
    /// A wrong password, an unknown user, a token that is wrong, over or taken back, a certificate of nobody here.
    #[error("Authentication failed")]
    Failed,
    /// Too many failures from there; to be tried again later.
    #[error("too many failed logins; try again in {seconds} s")]
    Throttled {
        /// After how many seconds.
        seconds: u64,
    },
    /// Too many passwords are being checked at this moment.
    #[error("the server checks too many passwords already; try again in a moment")]
    Busy,
    /// A token of an issuer whose keys cannot be fetched.
    #[error("the keys of the issuer of tokens cannot be fetched at this moment; try again later")]
    Issuer,
    /// The users cannot be read.
    #[error("the users of the store cannot be read: {0}")]
    Storage(String),
}

/// Checks who asks. All protocols of a server share one.
pub trait Authenticate: Send + Sync {
    /// Whether credentials are asked for. If not, everybody is [`Caller::anonymous`].
    fn is_enabled(&self) -> bool;

    /// The caller, where it can be told at once (without hashing a password): it takes microseconds and may be called
    /// on a thread that serves connections. `None`: [`Self::check`] must be asked.
    fn known(&self, credentials: Credentials<'_>) -> Option<Caller>;

    /// The caller. It takes tens of milliseconds of a processor where a password is new, so it must run on a thread
    /// that may wait. `from`: the client's address, to slow down who guesses.
    ///
    /// # Errors
    /// [`AuthError`].
    fn check(&self, credentials: Credentials<'_>, from: Option<IpAddr>) -> Result<Caller, AuthError>;

    /// The same caller with the rights of this moment. A connection that keeps a caller asks this before each request:
    /// it takes less than a microsecond where nothing has changed.
    ///
    /// # Errors
    /// The user is gone, or its password, token or key is no longer what it was.
    fn renew(&self, caller: &Caller) -> Result<Caller, AuthError>;
}

/// A server without users: everybody is [`Caller::anonymous`], who may do everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoUsers;

impl Authenticate for NoUsers {
    fn is_enabled(&self) -> bool {
        false
    }

    fn known(&self, _: Credentials<'_>) -> Option<Caller> {
        Some(Caller::anonymous())
    }

    fn check(&self, _: Credentials<'_>, _: Option<IpAddr>) -> Result<Caller, AuthError> {
        Ok(Caller::anonymous())
    }

    fn renew(&self, _: &Caller) -> Result<Caller, AuthError> {
        Ok(Caller::anonymous())
    }
}
