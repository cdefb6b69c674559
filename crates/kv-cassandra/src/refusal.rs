//! Why a cluster refuses the connection, and what to do about it.

use std::error::Error;

use kv::KvError;
use rustls::{CertificateError, Error as TlsError};
use scylla::errors::{
    ConnectionError, ConnectionPoolError, ConnectionSetupRequestErrorKind, DbError, MetadataError, NewSessionError,
};

use crate::options::CassandraOptions;

/// The error of a session that could not be established.
pub(crate) fn not_connected(options: &CassandraOptions, error: &NewSessionError) -> KvError {
    let at = options.contacts();
    let refused = |detail: String| KvError::Other { detail };
    let away = |advice: &str| KvError::Unavailable {
        detail: format!("Cassandra cannot be reached at {at}: {error}; {advice}"),
    };
    let NewSessionError::MetadataError(MetadataError::ConnectionPoolError(ConnectionPoolError::Broken {
        last_connection_error: last,
    })) = error
    else {
        return away("check the contact points and that the cluster runs");
    };
    if let Some(tls) = source_of::<TlsError>(last) {
        return match tls {
            TlsError::InvalidCertificate(CertificateError::UnknownIssuer) => refused(format!(
                "the certificate of Cassandra at {at} was not issued by a trusted authority ({tls}); {}",
                match options.tls.as_ref().and_then(|tls| tls.ca_file.as_ref()) {
                    Some(file) => format!("{} is not the certificate of its issuer: name that one", file.display()),
                    None => "name the file with the certificate of its issuer".to_owned(),
                }
            )),
            TlsError::InvalidCertificate(_) => {
                refused(format!("the certificate of Cassandra at {at} is not valid for this connection: {tls}"))
            }
            TlsError::InvalidMessage(_) => refused(format!(
                "what answers at {at} does not speak TLS ({tls}); turn TLS off here, or on in the nodes \
                 (client_encryption_options)"
            )),
            TlsError::AlertReceived(_) => refused(format!(
                "Cassandra at {at} refused the TLS connection ({tls}); it may want a client certificate that it trusts"
            )),
            _ => away("check that the nodes speak TLS (client_encryption_options)"),
        };
    }
    match last {
        ConnectionError::ConnectionSetupRequestError(setup) => match setup.get_error() {
            ConnectionSetupRequestErrorKind::MissingAuthentication => {
                refused(format!("Cassandra at {at} requires a login: give a user and a password"))
            }
            ConnectionSetupRequestErrorKind::DbError(DbError::AuthenticationError, words) => {
                let user = options.credentials.as_ref().map_or("(none)", |credentials| &credentials.user);
                refused(format!(
                    "Cassandra at {at} refused the login of user {user} ({words}); check user and \
                     password"
                ))
            }
            _ => away(broken(options)),
        },
        ConnectionError::BrokenConnection(_) => away(broken(options)),
        _ => away("check the contact points and that the cluster runs"),
    }
}

/// What to check if a node closed a connection without an error.
pub(crate) fn broken(options: &CassandraOptions) -> &'static str {
    match options.tls {
        Some(_) => {
            "check that this is the port for clients, and that the nodes speak TLS there (client_encryption_options)"
        }
        None => "check that this is the port for clients, and whether the nodes want TLS, which is off here",
    }
}

/// The error of a type in the chain of sources.
fn source_of<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut at = Some(error);
    while let Some(error) = at {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        // An I/O error hides its inner error from the chain of sources.
        let inner = match (error.downcast_ref::<ConnectionError>(), error.downcast_ref::<std::io::Error>()) {
            (Some(ConnectionError::IoError(io)), _) => io.get_ref(),
            (_, Some(io)) => io.get_ref(),
            _ => None,
        };
        at = match inner {
            Some(inner) => Some(inner as &(dyn Error + 'static)),
            None => error.source(),
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn said(last: ConnectionError, options: &CassandraOptions) -> KvError {
        let pool = ConnectionPoolError::Broken { last_connection_error: last };
        not_connected(options, &NewSessionError::MetadataError(MetadataError::ConnectionPoolError(pool)))
    }

    #[test]
    fn a_certificate_nobody_vouches_for_is_told() {
        let tls = TlsError::InvalidCertificate(CertificateError::UnknownIssuer);
        let error = said(ConnectionError::IoError(Arc::new(std::io::Error::other(tls))), &CassandraOptions::default());
        assert!(error.to_string().contains("name the file with the certificate of its issuer"), "{error}");
    }

    #[test]
    fn what_is_no_matter_of_trust_can_be_tried_again() {
        let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
        let error = said(ConnectionError::IoError(Arc::new(refused)), &CassandraOptions::default());
        assert!(matches!(error, KvError::Unavailable { .. }), "{error}");
    }
}
