//! What a repository's key is kept with: a passphrase or a file.

use std::path::Path;

use crate::BackupError;
use crate::limits::{KEY_FILE_BYTES_MIN, PASSPHRASE_CHARS_MIN, SMALL_BYTES_MAX};

/// What unlocks an encrypted repository. Without it nothing in there can be read by anybody.
#[derive(Clone)]
pub struct Secret(pub(crate) Kind);

#[derive(Clone)]
pub(crate) enum Kind {
    Passphrase(String),
    KeyFile(Vec<u8>),
}

impl Secret {
    /// A passphrase. Blanks and line ends around it do not count.
    ///
    /// # Errors
    /// [`BackupError::Key`] for a short one.
    pub fn passphrase(text: &str) -> Result<Self, BackupError> {
        let text = text.trim();
        if text.chars().count() < PASSPHRASE_CHARS_MIN {
            let reason = format!("a passphrase needs at least {PASSPHRASE_CHARS_MIN} characters");
            return Err(BackupError::Key { reason });
        }
        Ok(Self(Kind::Passphrase(text.to_owned())))
    }

    /// The content of a file, all bytes of it. `openssl rand -out FILE 32` makes one.
    ///
    /// # Errors
    /// [`BackupError::File`], [`BackupError::Key`] for one that is too small or too large.
    pub fn key_file(path: &Path) -> Result<Self, BackupError> {
        let bytes = std::fs::read(path).map_err(|error| BackupError::file("reading the key file", path, &error))?;
        if !(KEY_FILE_BYTES_MIN as u64..=SMALL_BYTES_MAX).contains(&(bytes.len() as u64)) {
            let reason = format!(
                "the key file {} has {} bytes; it needs {KEY_FILE_BYTES_MIN} to {SMALL_BYTES_MAX} random ones, as \
                 'openssl rand -out FILE 32' writes them",
                path.display(),
                bytes.len()
            );
            return Err(BackupError::Key { reason });
        }
        Ok(Self(Kind::KeyFile(bytes)))
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.0 {
            Kind::Passphrase(_) => "Secret(passphrase)",
            Kind::KeyFile(_) => "Secret(key file)",
        })
    }
}
