//! Names and content of objects: hashes without a key, sealed with one.
//!
//! With a key, every object is sealed with AES-256-GCM under a key of its own, derived of the repository's master key
//! and the object's name (HKDF-SHA256, RFC 5869), with a random nonce. So a nonce never meets the same key twice within
//! any number of objects that matters, and a sealed object opens under its own name only. Chunks are named by an HMAC
//! of their content, so that nobody without the key can tell whether a known text is stored.

use std::num::NonZeroU32;

use data_encoding::HEXLOWER;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Prk, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};
use ring::{digest, hmac};

use crate::BackupError;

/// Bytes of the master key.
pub(crate) const KEY_BYTES: usize = 32;

/// Bytes by which a sealed object is longer: nonce and tag.
pub(crate) const SEAL_BYTES: u64 = NONCE_LEN as u64 + 16;

/// How content becomes objects.
pub(crate) enum Codec {
    Plain,
    Sealed(Box<Keys>),
}

pub(crate) struct Keys {
    objects: Prk,
    names: hmac::Key,
}

impl Codec {
    /// With a master key.
    pub(crate) fn sealed(master: &[u8; KEY_BYTES]) -> Result<Self, BackupError> {
        let root = Salt::new(HKDF_SHA256, b"rhizome backup").extract(master);
        let mut names = [0; KEY_BYTES];
        let mut objects = [0; KEY_BYTES];
        for (label, into) in [(&b"names"[..], &mut names), (b"objects", &mut objects)] {
            root.expand(&[label], HKDF_SHA256).and_then(|okm| okm.fill(into)).map_err(|_| weak())?;
        }
        let keys = Keys {
            objects: Prk::new_less_safe(HKDF_SHA256, &objects),
            names: hmac::Key::new(hmac::HMAC_SHA256, &names),
        };
        Ok(Self::Sealed(Box::new(keys)))
    }

    /// The name of a chunk: 64 hexadecimal digits.
    pub(crate) fn name_of(&self, content: &[u8]) -> String {
        match self {
            Self::Plain => hash(content),
            Self::Sealed(keys) => hex(hmac::sign(&keys.names, content).as_ref()),
        }
    }

    /// How many bytes an object of so much content has.
    pub(crate) fn stored_bytes(&self, content_bytes: u64) -> u64 {
        match self {
            Self::Plain => content_bytes,
            Self::Sealed(_) => content_bytes + SEAL_BYTES,
        }
    }

    /// Content as it is stored under a name.
    pub(crate) fn seal(&self, name: &str, content: Vec<u8>) -> Result<Vec<u8>, BackupError> {
        match self {
            Self::Plain => Ok(content),
            Self::Sealed(keys) => seal(&keys.key_of(name)?, name, content),
        }
    }

    /// What was sealed under a name. Without a key this checks nothing: the name does.
    pub(crate) fn open(&self, name: &str, stored: Vec<u8>) -> Result<Vec<u8>, BackupError> {
        match self {
            Self::Plain => Ok(stored),
            Self::Sealed(keys) => open(&keys.key_of(name)?, name, stored),
        }
    }
}

impl Keys {
    fn key_of(&self, name: &str) -> Result<LessSafeKey, BackupError> {
        let info = [name.as_bytes()];
        let okm = self.objects.expand(&info, &AES_256_GCM).map_err(|_| weak())?;
        Ok(LessSafeKey::new(UnboundKey::from(okm)))
    }
}

/// A key for [`seal`] and [`open`] of its bytes.
pub(crate) fn key(bytes: &[u8; KEY_BYTES]) -> Result<LessSafeKey, BackupError> {
    UnboundKey::new(&AES_256_GCM, bytes).map(LessSafeKey::new).map_err(|_| weak())
}

/// Seals content; `about` is authenticated with it.
pub(crate) fn seal(key: &LessSafeKey, about: &str, content: Vec<u8>) -> Result<Vec<u8>, BackupError> {
    let mut nonce = [0; NONCE_LEN];
    random(&mut nonce)?;
    let mut sealed = content;
    let tag = key
        .seal_in_place_separate_tag(Nonce::assume_unique_for_key(nonce), Aad::from(about), &mut sealed)
        .map_err(|_| weak())?;
    sealed.extend_from_slice(tag.as_ref());
    // At the end, so that nothing has to be moved.
    sealed.extend_from_slice(&nonce);
    Ok(sealed)
}

/// Opens what [`seal`] made.
pub(crate) fn open(key: &LessSafeKey, about: &str, mut sealed: Vec<u8>) -> Result<Vec<u8>, BackupError> {
    let changed = || BackupError::damaged(about, "it was changed, or sealed with another key");
    let at = sealed.len().checked_sub(NONCE_LEN).ok_or_else(changed)?;
    let nonce: [u8; NONCE_LEN] = sealed.get(at..).and_then(|bytes| bytes.try_into().ok()).ok_or_else(changed)?;
    sealed.truncate(at);
    let nonce = Nonce::assume_unique_for_key(nonce);
    let length = key.open_in_place(nonce, Aad::from(about), &mut sealed).map_err(|_| changed())?.len();
    sealed.truncate(length);
    Ok(sealed)
}

/// The SHA-256 of bytes, as 64 hexadecimal digits.
pub(crate) fn hash(bytes: &[u8]) -> String {
    hex(digest::digest(&digest::SHA256, bytes).as_ref())
}

/// Random bytes of the system.
pub(crate) fn random(into: &mut [u8]) -> Result<(), BackupError> {
    SystemRandom::new()
        .fill(into)
        .map_err(|_| BackupError::Key { reason: "the system gives no random numbers".to_owned() })
}

/// A key of a secret with plenty of randomness.
pub(crate) fn derive(secret: &[u8], label: &[u8]) -> Result<[u8; KEY_BYTES], BackupError> {
    let mut derived = [0; KEY_BYTES];
    Salt::new(HKDF_SHA256, b"rhizome backup key file")
        .extract(secret)
        .expand(&[label], HKDF_SHA256)
        .and_then(|okm| okm.fill(&mut derived))
        .map_err(|_| weak())?;
    Ok(derived)
}

/// A key of a passphrase: Argon2id.
pub(crate) fn stretch(
    passphrase: &str,
    salt: &[u8],
    memory_kib: NonZeroU32,
    rounds: NonZeroU32,
    lanes: NonZeroU32,
) -> Result<[u8; KEY_BYTES], BackupError> {
    let failed = |error: argon2::Error| BackupError::Key { reason: format!("the passphrase cannot be used: {error}") };
    let params = argon2::Params::new(memory_kib.get(), rounds.get(), lanes.get(), Some(KEY_BYTES)).map_err(failed)?;
    let argon2 = argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, params);
    let mut derived = [0; KEY_BYTES];
    argon2.hash_password_into(passphrase.as_bytes(), salt, &mut derived).map_err(failed)?;
    Ok(derived)
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

/// What [`hex`] made; digits above nine are small letters.
pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    HEXLOWER.decode(text.as_bytes()).ok()
}

fn weak() -> BackupError {
    BackupError::Key { reason: "the key cannot be used for encryption".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codec(byte: u8) -> Codec {
        Codec::sealed(&[byte; KEY_BYTES]).unwrap()
    }

    #[test]
    fn sealed_content_opens_under_its_own_name_and_key_only() {
        let content = b"rows".repeat(1000);
        let sealed = codec(1).seal("chunks/a", content.clone()).unwrap();
        assert_eq!(sealed.len() as u64, codec(1).stored_bytes(content.len() as u64));
        assert!(!sealed.windows(4).any(|part| part == b"rows"));
        assert_ne!(sealed, codec(1).seal("chunks/a", content.clone()).unwrap(), "the nonce is random");
        assert_eq!(codec(1).open("chunks/a", sealed.clone()).unwrap(), content);
        assert!(codec(1).open("chunks/b", sealed.clone()).is_err());
        assert!(codec(2).open("chunks/a", sealed.clone()).is_err());
        for at in [0, 17, sealed.len() - 20, sealed.len() - 1] {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(codec(1).open("chunks/a", changed).is_err(), "byte {at}");
        }
        for length in [0, 11, 12, 27, 28] {
            assert!(codec(1).open("chunks/a", sealed[..length].to_vec()).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn names_depend_on_the_key() {
        assert_eq!(Codec::Plain.name_of(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(codec(1).name_of(b"abc"), codec(1).name_of(b"abc"));
        assert_ne!(codec(1).name_of(b"abc"), codec(2).name_of(b"abc"));
        assert_ne!(codec(1).name_of(b"abc"), Codec::Plain.name_of(b"abc"));
    }

    #[test]
    fn hexadecimal_digits_have_one_form() {
        assert_eq!(unhex("00ff7a").unwrap(), [0, 255, 0x7a]);
        assert_eq!(hex(&[0, 255, 0x7a]), "00ff7a");
        for wrong in ["0", "0g", "AA", "\u{e9}0", "+1"] {
            assert!(unhex(wrong).is_none(), "{wrong}");
        }
    }
}
