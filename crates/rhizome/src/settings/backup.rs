//! `[backup]`

use std::path::{Path, PathBuf};

use backup::{BackupError, Secret};
use serde::Deserialize;

use super::{EngineName, SettingsError};

/// A variable with the passphrase of the repository.
const PASSPHRASE: &str = "RHIZOME_BACKUP_PASSPHRASE";
/// A variable with the name of a file that has it.
const PASSPHRASE_FILE: &str = "RHIZOME_BACKUP_PASSPHRASE_FILE";

/// Less would read the log more often than it is worth.
const ARCHIVE_INTERVAL_MS_MIN: u64 = 100;
/// With less a short time without the repository would cost the log its continuity.
const ARCHIVE_QUEUE_BYTES_MIN: u64 = 64 << 20;

/// `[backup]`
#[derive(Clone, Debug, Deserialize)]
#[expect(missing_docs, reason = "each field is the key of the same name in rhizome.toml, explained there")]
pub struct Backup {
    pub repository: String,
    pub key_file: PathBuf,
    pub niceness: u8,
    pub archive_interval_ms: u64,
    pub archive_queue_bytes_max: bytesize::ByteSize,
}

impl Backup {
    /// Whether the values can be.
    pub(super) fn check(&self, engine: EngineName) -> Result<(), SettingsError> {
        let wrong = |key, value: String, reason: String| Err(SettingsError::Value { key, value, reason });
        if self.niceness > serving::limits::NICENESS_MAX {
            let reason = format!("it must be at most {}", serving::limits::NICENESS_MAX);
            return wrong("backup.niceness", self.niceness.to_string(), reason);
        }
        if self.archive_interval_ms == 0 {
            return Ok(());
        }
        let interval = || self.archive_interval_ms.to_string();
        if self.archive_interval_ms < ARCHIVE_INTERVAL_MS_MIN {
            let reason = format!("it must be 0, or at least {ARCHIVE_INTERVAL_MS_MIN}");
            return wrong("backup.archive_interval_ms", interval(), reason);
        }
        if self.repository.is_empty() {
            let reason = "there is no repository for the log; set backup.repository, or this to 0".to_owned();
            return wrong("backup.archive_interval_ms", interval(), reason);
        }
        if engine != EngineName::Rocksdb {
            let reason = "only engine \"rocksdb\" has a log that can be archived; set it to 0".to_owned();
            return wrong("backup.archive_interval_ms", interval(), reason);
        }
        if self.archive_queue_bytes_max.as_u64() < ARCHIVE_QUEUE_BYTES_MIN {
            let value = self.archive_queue_bytes_max.to_string();
            let reason = format!("it must be at least {} MiB", ARCHIVE_QUEUE_BYTES_MIN >> 20);
            return wrong("backup.archive_queue_bytes_max", value, reason);
        }
        Ok(())
    }

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
