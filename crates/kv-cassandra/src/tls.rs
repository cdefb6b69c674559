//! Encrypted connections.

use std::path::Path;
use std::sync::Arc;

use kv::KvError;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

use crate::options::TlsOptions;

/// What connections are encrypted with.
pub(crate) fn client_config(options: &TlsOptions) -> Result<Arc<ClientConfig>, KvError> {
    let refused =
        |error: rustls::Error| KvError::Other { detail: format!("TLS to Cassandra is not possible: {error}") };
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(refused)?;
    let builder = match &options.ca_file {
        Some(file) => {
            let mut roots = RootCertStore::empty();
            for certificate in certificates(file)? {
                roots.add(certificate).map_err(refused)?;
            }
            builder.with_root_certificates(roots)
        }
        None => builder.with_platform_verifier().map_err(refused)?,
    };
    let config = match &options.client_certificate {
        Some(client) => {
            let key =
                PrivateKeyDer::from_pem_file(&client.key_file).map_err(|error| unreadable(&client.key_file, &error))?;
            builder.with_client_auth_cert(certificates(&client.certificate_file)?, key).map_err(refused)?
        }
        None => builder.with_no_client_auth(),
    };
    Ok(Arc::new(config))
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, KvError> {
    let all: Result<Vec<_>, _> = CertificateDer::pem_file_iter(file).and_then(|certificates| certificates.collect());
    match all {
        Ok(all) if !all.is_empty() => Ok(all),
        Ok(_) => Err(unreadable(file, &"there is none in it")),
        Err(error) => Err(unreadable(file, &error)),
    }
}

fn unreadable(file: &Path, error: &dyn std::fmt::Display) -> KvError {
    KvError::Io { action: "reading a certificate or its key", detail: format!("{}: {error}", file.display()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_certificate_is_named() {
        let options = TlsOptions { ca_file: Some("/nowhere/ca.pem".into()), client_certificate: None };
        let error = client_config(&options).unwrap_err();
        assert!(error.to_string().contains("/nowhere/ca.pem"), "{error}");
    }
}
