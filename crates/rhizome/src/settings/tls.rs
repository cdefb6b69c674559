//! `[tls]`.

use std::path::PathBuf;

use serde::Deserialize;

use super::SettingsError;

/// `[tls]`
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in rhizome.toml, explained there")]
pub struct Tls {
    pub certificate: PathBuf,
    pub key: PathBuf,
    pub client_ca: PathBuf,
    pub client_certificates: ClientCertificates,
}

/// `tls.client_certificates`
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum ClientCertificates {
    /// Clients may show one.
    Optional,
    /// Clients must show one.
    Required,
}

impl Tls {
    pub(super) fn check(&self) -> Result<(), SettingsError> {
        let given =
            [("tls.certificate", &self.certificate), ("tls.key", &self.key), ("tls.client_ca", &self.client_ca)];
        let [certificate, key, client_ca] = given.map(|(_, file)| !file.as_os_str().is_empty());
        let (key, reason) = match (certificate, key, client_ca) {
            (true, false, _) => ("tls.key", "a certificate needs its key: set both, or neither for plain text"),
            (false, true, _) => ("tls.certificate", "a key needs its certificate: set both, or neither for plain text"),
            (false, false, true) => ("tls.certificate", "tls.client_ca needs tls.certificate and tls.key"),
            (_, _, false) if self.client_certificates == ClientCertificates::Required => {
                ("tls.client_ca", "certificates of clients are required: name the CA that has signed them")
            }
            _ => return Ok(()),
        };
        Err(SettingsError::Value { key, value: String::new(), reason: reason.to_owned() })
    }

    /// The files, where TLS is switched on.
    #[must_use]
    pub fn files(&self) -> Option<tls::Files> {
        if self.certificate.as_os_str().is_empty() {
            return None;
        }
        Some(tls::Files {
            certificate: self.certificate.clone(),
            key: self.key.clone(),
            client_ca: (!self.client_ca.as_os_str().is_empty()).then(|| self.client_ca.clone()),
            demand: match self.client_certificates {
                ClientCertificates::Optional => tls::Demand::Optional,
                ClientCertificates::Required => tls::Demand::Required,
            },
        })
    }
}
