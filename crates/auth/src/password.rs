//! Hashes of passwords. New ones are Argon2id with OWASP's parameters (19 MiB, 2 passes, 1 lane), in PHC form; hashes
//! of bcrypt, which HugeGraph keeps, are verified, and replaced at the first login.

use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher as _, PasswordVerifier as _, Version};

use crate::limits;

/// Memory in KiB, passes, lanes: OWASP's Password Storage Cheat Sheet, first choice for Argon2id.
const PARAMETERS: (u32, u32, u32) = (19_456, 2, 1);

/// What an unknown user's password is compared with, so that it takes as long as a known one's.
const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$VE0BHi0ikp0CQ3B0ERP0gA$aWxPnXLEbLJ7SXFGhMP9SP1kFcDVEAXJuP7OPdrhL9A";

/// Why a password cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasswordError {
    /// Too few characters.
    #[error("a password must have at least {min} characters (auth.password_length_min)")]
    TooShort {
        /// How many it needs.
        min: usize,
    },
    /// Too many bytes.
    #[error("a password may have {max} bytes")]
    TooLong {
        /// How many it may have.
        max: usize,
    },
    /// One that everybody tries first.
    #[error("this password is among the most common ones, which are tried first: choose another one")]
    Common,
    /// A zero byte, where other programs would end it.
    #[error("a password must not contain a zero character")]
    Nul,
    /// The hash could not be computed.
    #[error("the password could not be hashed: {0}")]
    Hash(String),
}

fn argon2() -> Result<Argon2<'static>, PasswordError> {
    let (memory, passes, lanes) = PARAMETERS;
    let parameters =
        Params::new(memory, passes, lanes, None).map_err(|error| PasswordError::Hash(error.to_string()))?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, parameters))
}

/// Refuses what cannot be a password.
///
/// # Errors
/// [`PasswordError`].
pub(crate) fn check(password: &str, length_min: usize) -> Result<(), PasswordError> {
    if password.chars().count() < length_min.max(1) {
        return Err(PasswordError::TooShort { min: length_min.max(1) });
    }
    if password.len() > limits::PASSWORD_BYTES_MAX {
        return Err(PasswordError::TooLong { max: limits::PASSWORD_BYTES_MAX });
    }
    if password.contains('\0') {
        return Err(PasswordError::Nul);
    }
    // A server that lets shorter ones pass is one for tests: all of those are tried first.
    if length_min >= COMMON_LENGTH_MIN && is_common(password) { Err(PasswordError::Common) } else { Ok(()) }
}

/// The most common passwords of eight characters or more, in lower case and in order, one a line.
const COMMON: &str = include_str!("common_passwords.txt");

/// The length of the shortest of them.
const COMMON_LENGTH_MIN: usize = 8;

/// Whether a password is one of the most common ones, with capital letters or without, or one character again and
/// again.
fn is_common(password: &str) -> bool {
    let lower = password.to_lowercase();
    let mut chars = lower.chars();
    let first = chars.next();
    chars.all(|char| Some(char) == first) || COMMON.lines().any(|common| common == lower)
}

/// The hash of a password. Takes tens of milliseconds and 19 MiB.
///
/// # Errors
/// There are no random numbers.
pub(crate) fn hash(password: &str) -> Result<String, PasswordError> {
    let hashed = argon2()?.hash_password(password.as_bytes());
    Ok(hashed.map_err(|error| PasswordError::Hash(error.to_string()))?.to_string())
}

/// What a comparison found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verified {
    /// It is another password.
    No,
    /// It is the password.
    Yes,
    /// It is the password, and its hash should be made again: it is of an older kind.
    YesButRehash,
}

/// Compares a password with a hash. `None`: with nobody's, which takes as long.
#[must_use]
pub(crate) fn verify(password: &str, stored: Option<&str>) -> Verified {
    if password.len() > limits::PASSWORD_BYTES_MAX {
        return Verified::No;
    }
    let Some(stored) = stored else {
        let _always_no = is_argon2(password, NOBODY);
        return Verified::No;
    };
    if stored.starts_with("$2") {
        return match bcrypt::verify(password, stored) {
            Ok(true) => Verified::YesButRehash,
            Ok(false) | Err(_) => Verified::No,
        };
    }
    let (memory, passes, lanes) = PARAMETERS;
    match is_argon2(password, stored) {
        false => Verified::No,
        true if stored.starts_with(&format!("$argon2id$v=19$m={memory},t={passes},p={lanes}$")) => Verified::Yes,
        true => Verified::YesButRehash,
    }
}

fn is_argon2(password: &str, stored: &str) -> bool {
    let (Ok(hash), Ok(argon2)) = (PasswordHash::new(stored), argon2()) else { return false };
    argon2.verify_password(password.as_bytes(), &hash).is_ok()
}

/// Whether a text is a hash this can verify: such a one is taken as it is where an administrator sends it.
#[must_use]
pub(crate) fn is_hash(text: &str) -> bool {
    let is_bcrypt = text.len() == 60 && ["$2a$", "$2b$", "$2y$"].iter().any(|prefix| text.starts_with(prefix));
    is_bcrypt || (text.starts_with("$argon2id$") && PasswordHash::new(text).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_passwords_are_refused_unless_short_ones_pass() {
        for common in ["password123", "PassWord123", "12345678", "hugegraph", "zzzzzzzzzzzz", "ääääääääää"] {
            assert_eq!(check(common, 8), Err(PasswordError::Common), "{common}");
            assert_eq!(check(common, 2), Ok(()), "{common}");
        }
        assert_eq!(check("pa", 2), Ok(()));
        assert_eq!(check("correct horse battery", 8), Ok(()));
        let lines: Vec<&str> = COMMON.lines().collect();
        assert!(lines.len() > 500 && lines.is_sorted());
        assert!(lines.iter().all(|line| line.chars().count() >= COMMON_LENGTH_MIN && *line == line.to_lowercase()));
    }

    #[test]
    fn passwords_are_compared_whole() {
        let password = "pässwörd:with a colon";
        let hashed = hash(password).unwrap();
        assert!(hashed.starts_with("$argon2id$v=19$m=19456,t=2,p=1$") && is_hash(&hashed));
        assert_eq!(verify(password, Some(&hashed)), Verified::Yes);
        assert_eq!(verify("pässwörd:with a colo", Some(&hashed)), Verified::No);
        assert_eq!(verify(password, None), Verified::No);
        assert_ne!(hash(password).unwrap(), hashed, "the salt is random");
    }

    #[test]
    fn hashes_of_hugegraph_are_verified_and_to_be_replaced() {
        // "pa", as HugeGraph 1.7 hashes it.
        let stored = bcrypt::hash("pa", 4).unwrap();
        assert!(is_hash(&stored));
        assert_eq!(verify("pa", Some(&stored)), Verified::YesButRehash);
        assert_eq!(verify("pb", Some(&stored)), Verified::No);
    }

    #[test]
    fn broken_hashes_match_nothing() {
        for stored in ["", "x", "$2a$", "$2a$04$short", "$argon2id$", "$argon2id$v=19$m=1$a$b"] {
            assert_eq!(verify("x", Some(stored)), Verified::No, "{stored}");
        }
        assert!(PasswordHash::new(NOBODY).is_ok());
    }

    #[test]
    fn the_length_is_counted_in_characters() {
        assert_eq!(check("密码密码密码密码", 8), Ok(()));
        assert_eq!(check("1234567", 8), Err(PasswordError::TooShort { min: 8 }));
        assert_eq!(check("", 0), Err(PasswordError::TooShort { min: 1 }));
        assert_eq!(check("12345678\0", 8), Err(PasswordError::Nul));
        assert!(check(&"x".repeat(limits::PASSWORD_BYTES_MAX + 1), 8).is_err());
    }
}
