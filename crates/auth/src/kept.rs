//! Passwords that were right a moment ago, so that clients that send theirs with every request cost microseconds. What
//! is kept is a keyed hash, whose key dies with the process, never the password.

use std::collections::HashMap;
use std::time::Instant;

use hmac::{Hmac, KeyInit as _, Mac as _};
use parking_lot::Mutex;
use sha2::Sha256;

use crate::limits;

type Digest = [u8; 32];

/// A login as it was.
#[derive(Clone)]
struct Kept {
    password_epoch: u64,
    at: Instant,
}

/// Logins of late.
pub(crate) struct KeptLogins {
    mac: Hmac<Sha256>,
    /// Those since the last turn, and those of the time before; the older ones go when the newer ones are many.
    logins: Mutex<(HashMap<Digest, Kept>, HashMap<Digest, Kept>)>,
}

impl KeptLogins {
    pub(crate) fn new(key: &[u8; 64]) -> Self {
        Self { mac: <Hmac<Sha256>>::new(&(*key).into()), logins: Mutex::default() }
    }

    fn digest(&self, user: &str, password: &str) -> Digest {
        let mut mac = self.mac.clone();
        // The length keeps the two apart.
        mac.update(&(user.len() as u64).to_le_bytes());
        mac.update(user.as_bytes());
        mac.update(password.as_bytes());
        mac.finalize().into_bytes().into()
    }

    /// Whether this password of a user was right a moment ago, and is still the same one's. The time to look it up
    /// tells about keyed hashes only, which nobody outside can choose.
    pub(crate) fn has(&self, user: &str, password: &str, password_epoch: u64, now: Instant) -> bool {
        let digest = self.digest(user, password);
        let logins = self.logins.lock();
        let found = logins.0.get(&digest).or_else(|| logins.1.get(&digest));
        found.is_some_and(|kept| {
            kept.password_epoch == password_epoch && now.saturating_duration_since(kept.at) < limits::KEPT_LOGIN_AGE
        })
    }

    /// Keeps a login that was right.
    pub(crate) fn keep(&self, user: &str, password: &str, password_epoch: u64, now: Instant) {
        let digest = self.digest(user, password);
        let mut logins = self.logins.lock();
        if logins.0.len() >= limits::KEPT_LOGINS_MAX / 2 {
            let newer = std::mem::take(&mut logins.0);
            logins.1 = newer;
        }
        logins.0.insert(digest, Kept { password_epoch, at: now });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_is_kept_for_its_user_its_password_and_its_time() {
        let (kept, now) = (KeptLogins::new(&[7; 64]), Instant::now());
        kept.keep("bob", "secret", 3, now);
        assert!(kept.has("bob", "secret", 3, now));
        assert!(!kept.has("bob", "secret", 4, now), "a new password");
        assert!(!kept.has("bobs", "ecret", 3, now));
        assert!(!kept.has("bob", "secret", 3, now + limits::KEPT_LOGIN_AGE));
    }

    #[test]
    fn few_are_kept() {
        let (kept, now) = (KeptLogins::new(&[7; 64]), Instant::now());
        for number in 0..limits::KEPT_LOGINS_MAX + 1 {
            kept.keep(&number.to_string(), "x", 1, now);
        }
        let logins = kept.logins.lock();
        assert!(logins.0.len() + logins.1.len() <= limits::KEPT_LOGINS_MAX);
    }
}
