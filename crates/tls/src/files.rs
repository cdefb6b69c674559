//! The files of the settings, read and checked.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::{Error as PemError, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::sign::CertifiedKey;
use rustls::{Error, RootCertStore, ServerConfig};

use crate::error::{Problem, TlsError};
use crate::limits::FILE_BYTES_MAX;
use crate::validity;

pub(crate) const CERTIFICATE: &str = "tls.certificate";
pub(crate) const KEY: &str = "tls.key";
pub(crate) const CLIENT_CA: &str = "tls.client_ca";

/// Where certificate, key and CA are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// PEM file with the certificate of the server, followed by those of the CAs between it and the root
    /// (`tls.certificate`).
    pub certificate: PathBuf,
    /// PEM file with its private key (`tls.key`).
    pub key: PathBuf,
    /// PEM file with the CAs whose certificates clients may show (`tls.client_ca`); without, none are asked for.
    pub client_ca: Option<PathBuf>,
    /// Whether clients must show one (`tls.client_certificates`).
    pub demand: Demand,
}

/// Whether clients must show a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// They may.
    Optional,
    /// They must.
    Required,
}

/// What is made of the files.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) http: Arc<ServerConfig>,
    pub(crate) bolt: Arc<ServerConfig>,
    pub(crate) ends: SystemTime,
}

/// Reads the files and checks that they can be used together.
pub(crate) fn load(files: &Files) -> Result<Loaded, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let failed = |setting: &'static str, file: &Path, problem| TlsError { setting, file: file.to_owned(), problem };
    let of_certificate = |problem| failed(CERTIFICATE, &files.certificate, problem);
    let chain = read(&files.certificate).and_then(|pem| certificates(&pem)).map_err(of_certificate)?;
    let first = chain.first().ok_or_else(|| of_certificate(Problem::NoBlock("CERTIFICATE")))?;
    let ends = validity::check(first, SystemTime::now()).map_err(of_certificate)?;
    let of_key = |problem| failed(KEY, &files.key, problem);
    let key = private_key(&files.key).map_err(of_key)?;
    let shown = CertifiedKey::from_der(chain, key, &provider).map_err(|error| match error {
        Error::InconsistentKeys(_) => of_key(Problem::Mismatch { certificate: files.certificate.clone() }),
        Error::InvalidCertificate(error) => of_certificate(Problem::Certificate(error.to_string())),
        error => of_key(Problem::Key(error.to_string())),
    })?;
    let roots = match &files.client_ca {
        Some(file) => Some(roots(file).map_err(|problem| failed(CLIENT_CA, file, problem))?),
        None => None,
    };
    let of_all = |problem| failed(CERTIFICATE, &files.certificate, problem);
    let config = config(provider, shown, roots, files.demand).map_err(of_all)?;
    let mut http = config.clone();
    http.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Loaded { http: Arc::new(http), bolt: Arc::new(config), ends })
}

fn config(
    provider: Arc<CryptoProvider>,
    shown: CertifiedKey,
    roots: Option<RootCertStore>,
    demand: Demand,
) -> Result<ServerConfig, Problem> {
    let unusable = |error: Error| Problem::Unusable(error.to_string());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(unusable)?;
    let has_clients = roots.is_some();
    let builder = match roots {
        None => builder.with_no_client_auth(),
        Some(roots) => {
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            let verifier = match demand {
                Demand::Optional => verifier.allow_unauthenticated(),
                Demand::Required => verifier,
            };
            let verifier = verifier.build().map_err(|error| Problem::Unusable(error.to_string()))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let mut config = builder.with_cert_resolver(Arc::new(rustls::sign::SingleCertAndKey::from(shown)));
    if has_clients {
        // A resumed session would not look at the client's certificate again, nor at its end.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
    } else {
        config.ticketer = ring::Ticketer::new().map_err(unusable)?;
    }
    Ok(config)
}

fn read(path: &Path) -> Result<Vec<u8>, Problem> {
    let file = File::open(path).map_err(Problem::Unreadable)?;
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(Problem::Unreadable)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > FILE_BYTES_MAX {
        return Err(Problem::TooLarge);
    }
    Ok(bytes)
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, Problem> {
    let found = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
    let found = found.map_err(|error| Problem::Pem(error.to_string()))?;
    if found.is_empty() { Err(Problem::NoBlock("CERTIFICATE")) } else { Ok(found) }
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, Problem> {
    let pem = read(path)?;
    check_rights(path)?;
    PrivateKeyDer::from_pem_slice(&pem).map_err(|error| match error {
        PemError::NoItemsFound if is_encrypted(&pem) => Problem::Encrypted,
        PemError::NoItemsFound => Problem::NoBlock("PRIVATE KEY"),
        error => Problem::Pem(error.to_string()),
    })
}

fn is_encrypted(pem: &[u8]) -> bool {
    let begin = b"-----BEGIN ENCRYPTED PRIVATE KEY-----";
    pem.windows(begin.len()).any(|window| window == begin)
}

/// Refuses a key that everyone on the machine can read.
fn check_rights(path: &Path) -> Result<(), Problem> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = path.metadata().map_err(Problem::Unreadable)?.permissions().mode() & 0o777;
        if mode & 0o007 != 0 {
            return Err(Problem::Exposed { mode });
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

fn roots(path: &Path) -> Result<RootCertStore, Problem> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(&read(path)?)? {
        roots.add(certificate).map_err(|error| Problem::Certificate(error.to_string()))?;
    }
    Ok(roots)
}
