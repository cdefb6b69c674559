//! `[backup]`

use std::path::{Path, PathBuf};

use backup::{BackupError, Secret};
use serde::Deserialize;

/// A variable with the passphrase of the repository.
const PASSPHRASE: &str = "RHIZOME_BACKUP_PASSPHRASE";
/// A variable with the name of a file that has it.
const PASSPHRASE_FILE: &str = "RHIZOME_BACKUP_PASSPHRASE_FILE";

/// `[backup]`
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in rhizome.toml, explained there")]
pub struct Backup {
    pub repository: String,
    pub key_file: PathBuf,
    pub niceness: u8,
}

impl Backup {
    /// What unlocks the repository: the key file, or a passphrase in the environment.
    ///
    /// # Errors
    /// [`BackupError::Key`] where both are given, or one is too short; [`BackupError::File`].
    pub fn secret(&self) -> Result<Option<Secret>, BackupError> {
        let passphrase = passphrase()?;
        match (self.key_file.as_os_str().is_empty(), passphrase) {
            (false, Some(_)) => {
                let reason = "a key file and a passphrase are given; a repository has one of them".to_owned();
                Err(BackupError::Key { reason })
            }
            (false, None) => Secret::key_file(&self.key_file).map(Some),
            (true, Some(text)) => Secret::passphrase(&text).map(Some),
            (true, None) => Ok(None),
        }
    }
}

fn passphrase() -> Result<Option<String>, BackupError> {
    if let Some(path) = std::env::var_os(PASSPHRASE_FILE) {
        let path = Path::new(&path);
        let text = std::fs::read_to_string(path).map_err(|error| BackupError::File {
            action: "reading the passphrase in",
            path: path.to_path_buf(),
            reason: error.to_string(),
        })?;
        return Ok(Some(text));
    }
    Ok(std::env::var(PASSPHRASE).ok().filter(|text| !text.is_empty()))
}
