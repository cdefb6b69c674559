//! Who the user of a connection is: the one place where credentials are looked at.

use audit::{Class, Event};
use auth::{AuthError, Caller, Credentials as Shown};
use bolt_codec::Credentials;
use cypher_session::Failure;
use serving::Barred;
use std::sync::Arc;
use tls::ClientCertificate;

use super::Connection;

/// What records call the protocol.
pub(super) const PROTOCOL: &str = "bolt";

impl Connection {
    /// Finds out who the user is. False where that failed: the answer is written, and the connection ends.
    pub(super) async fn log_on(&mut self, credentials: &Credentials) -> bool {
        match self.caller_of(credentials).await {
            Ok(caller) => {
                self.caller = Some(caller);
                self.inbox.trust();
                true
            }
            Err(failure) => {
                self.fail(&failure);
                self.machine.close();
                false
            }
        }
    }

    async fn caller_of(&self, credentials: &Credentials) -> Result<Caller, Failure> {
        let auth = &self.shared.auth;
        if !auth.is_enabled() {
            return Ok(Caller::anonymous());
        }
        let certificate = self.certificate.as_ref();
        let shown = shown(credentials, certificate)?;
        let watch = &self.shared.serving().watch;
        let mut watched = watch.record(Class::Login, || {
            let subject = shown.subject(PROTOCOL, Some(self.peer.ip()), Some(watch.audit.request_id()));
            Event::new(Class::Login, "LOGON", subject)
        });
        watched.begin().await.map_err(|error| Failure::barred(&Barred::from(error)))?;
        let checked = self.checked(credentials).await;
        match &checked {
            Ok(caller) => {
                watched.note(|event| caller.note_in(&mut event.subject));
                watched.succeed();
            }
            Err(failure) => watched.fail(&failure.code, failure.code == Failure::UNAUTHORIZED),
        }
        checked
    }

    async fn checked(&self, credentials: &Credentials) -> Result<Caller, Failure> {
        let auth = &self.shared.auth;
        let certificate = self.certificate.as_ref();
        if let Some(caller) = auth.known(shown(credentials, certificate)?) {
            return Ok(caller);
        }
        // Hashing a password takes long.
        let (auth, credentials, from) = (Arc::clone(auth), credentials.clone(), self.peer.ip());
        let certificate = certificate.cloned();
        let check = tokio::task::spawn_blocking(move || {
            let shown = shown(&credentials, certificate.as_ref())?;
            auth.check(shown, Some(from)).map_err(|error| refused(&error))
        });
        check.await.unwrap_or_else(|_| {
            Err(Failure::new(Failure::UNKNOWN, "an internal error happened while the credentials were checked"))
        })
    }

    /// The user with the rights of this moment.
    pub(super) fn present_caller(&self) -> Result<Caller, Failure> {
        let Some(caller) = &self.caller else { return Err(refused(&AuthError::Required)) };
        self.shared.auth.renew(caller).map_err(|error| {
            // Drivers connect anew after that, and ask for new credentials.
            Failure::new(Failure::AUTHORIZATION_EXPIRED, error.to_string())
        })
    }

    /// Refuses to go on with a transaction that has begun with rights which its user does not have any more.
    pub(super) fn check_open(&self) -> Result<(), Failure> {
        let Some(open) = &self.open else { return Ok(()) };
        if self.present_caller()?.has_rights_of(&open.caller) { Ok(()) } else { Err(Failure::rights_changed()) }
    }
}

/// What a client shows. Where it names no scheme, the certificate of its connection says who it is.
fn shown<'a>(credentials: &'a Credentials, certificate: Option<&'a ClientCertificate>) -> Result<Shown<'a>, Failure> {
    let principal = credentials.principal.as_deref().unwrap_or_default();
    let secret = credentials.credentials.as_deref().unwrap_or_default();
    match credentials.scheme.as_deref() {
        None | Some("none") => Ok(certificate.map_or(Shown::None, |shown| Shown::Certificate(shown.user()))),
        Some("basic") => Ok(Shown::Password { user: principal, password: secret }),
        Some("bearer") => Ok(Shown::Token(secret)),
        Some(other) => {
            let message = format!("the authentication scheme '{other}' is not known: use basic or bearer");
            Err(Failure::new(Failure::UNAUTHORIZED, message))
        }
    }
}

fn refused(error: &AuthError) -> Failure {
    let code = match error {
        AuthError::Required | AuthError::Failed => Failure::UNAUTHORIZED,
        AuthError::Throttled { .. } => "Neo.ClientError.Security.AuthenticationRateLimit",
        AuthError::Busy | AuthError::Issuer => Failure::OVERLOADED,
        AuthError::Storage(_) => Failure::SHUTTING_DOWN,
    };
    Failure::new(code, error.to_string())
}
