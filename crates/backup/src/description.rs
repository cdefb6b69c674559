//! `repository.json`: what a repository is, and how its key is wrapped.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::BackupError;
use crate::crypt::{self, Codec, KEY_BYTES};
use crate::limits::{
    ARGON2_LANES, ARGON2_LANES_MAX, ARGON2_MEMORY_KIB, ARGON2_MEMORY_KIB_MAX, ARGON2_ROUNDS, ARGON2_ROUNDS_MAX,
};
use crate::secret::{Kind, Secret};

/// Its name.
pub(crate) const DESCRIPTION: &str = "repository.json";

/// The format of repositories that this program makes, and the only one it reads.
pub(crate) const FORMAT: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Description {
    pub(crate) format: u32,
    /// 32 hexadecimal digits that no other repository has.
    pub(crate) id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) encryption: Option<Encryption>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Encryption {
    unlocked_by: Unlocking,
    /// The master key, sealed; hexadecimal.
    master_key: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Unlocking {
    KeyFile,
    Passphrase { salt: String, memory_kib: NonZeroU32, rounds: NonZeroU32, lanes: NonZeroU32 },
}

impl Description {
    /// Of a new repository.
    pub(crate) fn new(secret: Option<&Secret>) -> Result<(Self, Codec), BackupError> {
        let mut id = [0; 16];
        crypt::random(&mut id)?;
        let id = crypt::hex(&id);
        let Some(secret) = secret else {
            return Ok((Self { format: FORMAT, id, encryption: None }, Codec::Plain));
        };
        let mut master = [0; KEY_BYTES];
        crypt::random(&mut master)?;
        let unlocked_by = match secret.0 {
            Kind::KeyFile(_) => Unlocking::KeyFile,
            Kind::Passphrase(_) => {
                let mut salt = [0; 16];
                crypt::random(&mut salt)?;
                let number = |number| NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN);
                Unlocking::Passphrase {
                    salt: crypt::hex(&salt),
                    memory_kib: number(ARGON2_MEMORY_KIB),
                    rounds: number(ARGON2_ROUNDS),
                    lanes: number(ARGON2_LANES),
                }
            }
        };
        let wrapping = crypt::key(&wrapping_key(secret, &unlocked_by)?)?;
        let master_key = crypt::hex(&crypt::seal(&wrapping, &about(&id), master.to_vec())?);
        let codec = Codec::sealed(&master)?;
        Ok((Self { format: FORMAT, id, encryption: Some(Encryption { unlocked_by, master_key }) }, codec))
    }

    /// As it is stored: a line of JSON, and a line with its SHA-256.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let line = serde_json::to_string(self).unwrap_or_default();
        format!("{line}\n{}\n", crypt::hash(line.as_bytes())).into_bytes()
    }

    /// Reads what [`Self::encode`] wrote.
    pub(crate) fn decode(stored: &[u8]) -> Result<Self, BackupError> {
        #[derive(Deserialize)]
        struct Any {
            format: u32,
        }
        let damaged = |reason: String| BackupError::damaged(DESCRIPTION, reason);
        let text = std::str::from_utf8(stored).map_err(|error| damaged(error.to_string()))?;
        let parts = text.strip_suffix('\n').and_then(|text| text.split_once('\n'));
        let (line, sum) = parts.ok_or_else(|| damaged("it has not two lines".to_owned()))?;
        if sum != crypt::hash(line.as_bytes()) {
            return Err(damaged("its checksum does not match".to_owned()));
        }
        // What a newer program adds is not known here, its number is.
        let Any { format } = serde_json::from_str(line).map_err(|error| damaged(error.to_string()))?;
        if format != FORMAT {
            return Err(BackupError::Format { found: format, supported: FORMAT });
        }
        serde_json::from_str(line).map_err(|error| damaged(error.to_string()))
    }

    /// How the repository's content is read and written.
    pub(crate) fn unlock(&self, secret: Option<&Secret>) -> Result<Codec, BackupError> {
        let refused = |reason: &str| Err(BackupError::Key { reason: reason.to_owned() });
        let (encryption, secret) = match (&self.encryption, secret) {
            (None, None) => return Ok(Codec::Plain),
            (None, Some(_)) => {
                return refused(
                    "the repository is not encrypted, but a key was given: leave it out, or make an encrypted \
                     repository at another place",
                );
            }
            (Some(Encryption { unlocked_by: Unlocking::KeyFile, .. }), None) => {
                return refused("the repository is encrypted with a key file: name it with --key-file");
            }
            (Some(_), None) => {
                return refused(
                    "the repository is encrypted with a passphrase: give it in RHIZOME_BACKUP_PASSPHRASE, or in a \
                     file named by RHIZOME_BACKUP_PASSPHRASE_FILE",
                );
            }
            (Some(encryption), Some(secret)) => (encryption, secret),
        };
        let wrapping = crypt::key(&wrapping_key(secret, &encryption.unlocked_by)?)?;
        let sealed = crypt::unhex(&encryption.master_key)
            .ok_or_else(|| BackupError::damaged(DESCRIPTION, "the key is not hexadecimal"))?;
        let wrong = || BackupError::Key {
            reason: "the key or passphrase is not the one this repository was made with".to_owned(),
        };
        let master = crypt::open(&wrapping, &about(&self.id), sealed).map_err(|_| wrong())?;
        Codec::sealed(&master.try_into().map_err(|_| wrong())?)
    }
}

/// What the wrapped key is authenticated with.
fn about(id: &str) -> String {
    format!("the key of repository {id}")
}

fn wrapping_key(secret: &Secret, unlocking: &Unlocking) -> Result<[u8; KEY_BYTES], BackupError> {
    let refused = |reason: &str| BackupError::Key { reason: reason.to_owned() };
    match (&secret.0, unlocking) {
        (Kind::KeyFile(bytes), Unlocking::KeyFile) => crypt::derive(bytes, b"wrapping"),
        (Kind::Passphrase(text), Unlocking::Passphrase { salt, memory_kib, rounds, lanes }) => {
            if memory_kib.get() > ARGON2_MEMORY_KIB_MAX
                || rounds.get() > ARGON2_ROUNDS_MAX
                || lanes.get() > ARGON2_LANES_MAX
            {
                return Err(BackupError::damaged(DESCRIPTION, "it wants more work for the passphrase than is allowed"));
            }
            let salt =
                crypt::unhex(salt).ok_or_else(|| BackupError::damaged(DESCRIPTION, "the salt is not hexadecimal"))?;
            crypt::stretch(text, &salt, *memory_kib, *rounds, *lanes)
        }
        (Kind::Passphrase(_), Unlocking::KeyFile) => {
            Err(refused("the repository is encrypted with a key file, but a passphrase was given: use --key-file"))
        }
        (Kind::KeyFile(_), Unlocking::Passphrase { .. }) => {
            Err(refused("the repository is encrypted with a passphrase, but a key file was given"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passphrase(text: &str) -> Secret {
        Secret::passphrase(text).unwrap()
    }

    fn key_file(byte: u8) -> Secret {
        Secret(Kind::KeyFile(vec![byte; 32]))
    }

    #[test]
    fn only_the_right_secret_unlocks() {
        let (made, codec) = Description::new(Some(&key_file(1))).unwrap();
        let read = Description::decode(&made.encode()).unwrap();
        assert_eq!(read, made);
        let same = read.unlock(Some(&key_file(1))).unwrap();
        assert_eq!(same.name_of(b"x"), codec.name_of(b"x"));
        for wrong in [None, Some(key_file(2)), Some(passphrase("correct horse battery"))] {
            assert!(matches!(read.unlock(wrong.as_ref()), Err(BackupError::Key { .. })), "{wrong:?}");
        }
        let (plain, _) = Description::new(None).unwrap();
        assert!(plain.unlock(None).is_ok());
        assert!(matches!(plain.unlock(Some(&key_file(1))), Err(BackupError::Key { .. })));
    }

    #[test]
    fn a_passphrase_unlocks_too() {
        let (made, codec) = Description::new(Some(&passphrase("correct horse battery"))).unwrap();
        let same = made.unlock(Some(&passphrase(" correct horse battery\n"))).unwrap();
        assert_eq!(same.name_of(b"x"), codec.name_of(b"x"));
        assert!(matches!(made.unlock(Some(&passphrase("correct horse batterz"))), Err(BackupError::Key { .. })));
        assert!(matches!(Secret::passphrase("short"), Err(BackupError::Key { .. })));
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let (made, _) = Description::new(Some(&key_file(1))).unwrap();
        let stored = made.encode();
        for at in 0..stored.len() {
            let mut changed = stored.clone();
            changed[at] ^= 1;
            assert!(Description::decode(&changed).unwrap_err().is_damage(), "byte {at}");
        }
    }

    #[test]
    fn a_newer_format_is_said_to_be_newer() {
        let line = r#"{"format":2,"id":"x","news":true}"#;
        let stored = format!("{line}\n{}\n", crypt::hash(line.as_bytes()));
        let refusal = Description::decode(stored.as_bytes()).unwrap_err();
        assert!(matches!(refusal, BackupError::Format { found: 2, supported: 1 }), "{refusal}");
    }
}
