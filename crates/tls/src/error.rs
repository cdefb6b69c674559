//! Files that cannot be used.

use std::io;
use std::path::PathBuf;

/// A file of the settings that cannot be used. The text names the setting and the file, and says what to do.
#[derive(Debug, thiserror::Error)]
#[error("setting '{setting}': the file {} {problem}", .file.display())]
pub struct TlsError {
    /// The setting that names the file.
    pub setting: &'static str,
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(#[source] io::Error),
    /// It is larger than any file of its kind.
    #[error("is larger than {} bytes (FILE_BYTES_MAX)", crate::limits::FILE_BYTES_MAX)]
    TooLarge,
    /// It has nothing of what is needed.
    #[error("has no PEM block '-----BEGIN {0}-----'")]
    NoBlock(&'static str),
    /// Its PEM is broken.
    #[error("is not valid PEM: {0}")]
    Pem(String),
    /// The key needs a passphrase, which nobody can enter.
    #[error("has an encrypted key; decrypt it (openssl pkey -in FILE -out FILE) and protect the file by its rights")]
    Encrypted,
    /// The key can be read by everybody on the machine.
    #[error("holds a private key and can be read by everyone (mode {mode:o}); chmod 600 it")]
    Exposed {
        /// The rights of the file.
        mode: u32,
    },
    /// It is no certificate.
    #[error("has a certificate that cannot be used: {0}")]
    Certificate(String),
    /// The certificate is over.
    #[error("has a certificate that has expired on {0}")]
    Expired(String),
    /// The certificate is not valid yet.
    #[error("has a certificate that is not valid before {0}; is the clock of this machine right?")]
    NotYet(String),
    /// The key is of a kind that is not supported.
    #[error("has a key that cannot be used: {0}; RSA (2048 to 8192 bits), ECDSA (P-256, P-384) and Ed25519 can be")]
    Key(String),
    /// Key and certificate do not belong together.
    #[error("has a key that does not match the certificate in {}", .certificate.display())]
    Mismatch {
        /// The file of the certificate.
        certificate: PathBuf,
    },
    /// TLS cannot be set up with it.
    #[error("cannot be used for TLS: {0}")]
    Unusable(String),
}
