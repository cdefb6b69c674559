//! Tokens, by the keys that are kept.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use jsonwebtoken::{Algorithm, Validation, decode, decode_header};
use parking_lot::{Mutex, RwLock};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::fetch::fetch;
use crate::keys::{Key, Keys};
use crate::limits;
use crate::options::{Options, WrongOption};

/// Why a token is not believed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It is not one of the issuer's for here, or not any more. The text is for the log: it has nothing of the token.
    #[error("{0}")]
    Refused(String),
    /// The keys of the issuer are not known, and cannot be fetched at this moment.
    #[error("the keys of the issuer of tokens cannot be fetched at this moment; try again later")]
    NoKeys,
}

/// What a token says that is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The user.
    pub user: String,
    /// Its groups.
    pub groups: Vec<String>,
    /// When the token ends, in seconds since 1970 UTC.
    pub ends_s: i64,
}

struct Kept {
    verified: Arc<Verified>,
    /// The key that has signed it.
    key: Option<String>,
}

#[derive(Default)]
struct Fetched {
    keys: Option<Arc<Keys>>,
    tried: Option<Instant>,
}

/// Says whose tokens are.
pub struct Verifier {
    options: Options,
    fetched: RwLock<Fetched>,
    /// Held while keys are fetched.
    fetching: Mutex<()>,
    /// Requests that wait for that.
    waiting: AtomicUsize,
    /// Tokens that were verified, by their SHA-256.
    verified: Mutex<HashMap<[u8; 32], Kept>>,
}

impl std::fmt::Debug for Verifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Verifier").field("options", &self.options).finish_non_exhaustive()
    }
}

fn refused<T>(reason: impl Into<String>) -> Result<T, TokenError> {
    Err(TokenError::Refused(reason.into()))
}

impl Verifier {
    /// For tokens of an issuer. Nothing is fetched before the first token.
    ///
    /// # Errors
    /// An option that cannot be used.
    pub fn new(options: Options) -> Result<Self, WrongOption> {
        options.check()?;
        let (fetched, fetching, verified) = (RwLock::default(), Mutex::default(), Mutex::default());
        Ok(Self { options, fetched, fetching, waiting: AtomicUsize::new(0), verified })
    }

    /// What a token says, where it was verified before and has not ended. Takes microseconds.
    #[must_use]
    pub fn known(&self, token: &str) -> Option<Arc<Verified>> {
        if token.len() > limits::TOKEN_BYTES_MAX {
            return None;
        }
        let verified = self.verified.lock();
        let kept = verified.get(&digest(token))?;
        let keys = self.fetched.read().keys.clone()?;
        let is_good =
            kept.verified.ends_s > now_s() && self.is_fresh(&keys) && keys.find(kept.key.as_deref()).is_some();
        is_good.then(|| Arc::clone(&kept.verified))
    }

    /// What a token says. May fetch the keys of the issuer, so it must run on a thread that may wait.
    ///
    /// # Errors
    /// [`TokenError`].
    pub fn check(&self, token: &str) -> Result<Arc<Verified>, TokenError> {
        if token.len() > limits::TOKEN_BYTES_MAX {
            return refused("it is too long");
        }
        if let Some(known) = self.known(token) {
            return Ok(known);
        }
        let Ok(header) = decode_header(token) else { return refused("it is no token, or of an unknown algorithm") };
        if !matches!(header.alg, Algorithm::RS256 | Algorithm::ES256) {
            return refused(format!("its algorithm is {:?}, not RS256 or ES256", header.alg));
        }
        let key = self.key(header.kid.as_deref())?;
        let verified = Arc::new(self.verify(token, &key)?);
        self.keep(token, header.kid, &verified);
        Ok(verified)
    }

    fn verify(&self, token: &str, key: &Key) -> Result<Verified, TokenError> {
        let mut validation = Validation::new(key.algorithm);
        validation.set_issuer(&[&self.options.issuer]);
        validation.set_audience(&self.options.audience);
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        validation.validate_nbf = true;
        validation.leeway = limits::LEEWAY_S;
        let decoded = decode::<Map<String, Value>>(token, &key.key, &validation);
        let claims = decoded.map_err(|error| TokenError::Refused(format!("{:?}", error.kind())))?.claims;
        let name = &self.options.user_claim;
        let user = claims.get(name).and_then(Value::as_str).unwrap_or_default();
        if user.is_empty() || user.len() > limits::NAME_BYTES_MAX || user.chars().any(char::is_control) {
            let max = limits::NAME_BYTES_MAX;
            return refused(format!("its claim '{name}' is no text of 1 to {max} bytes without control characters"));
        }
        // Whoever may choose an address that is not verified may choose somebody else's.
        if name == "email" && claims.get("email_verified").is_some_and(|verified| *verified != Value::Bool(true)) {
            return refused("its email address is not verified");
        }
        let ends_s = claims.get("exp").and_then(Value::as_f64).unwrap_or_default();
        #[expect(clippy::cast_possible_truncation, reason = "numbers that are too large are the largest")]
        let ends_s = (ends_s as i64).saturating_add(i64::try_from(limits::LEEWAY_S).unwrap_or_default());
        Ok(Verified { user: user.to_owned(), groups: groups_of(claims.get(&self.options.groups_claim)), ends_s })
    }

    fn keep(&self, token: &str, key: Option<String>, verified: &Arc<Verified>) {
        let mut kept = self.verified.lock();
        if kept.len() >= limits::VERIFIED_MAX {
            let now = now_s();
            kept.retain(|_, kept| kept.verified.ends_s > now);
            if kept.len() >= limits::VERIFIED_MAX {
                kept.clear();
            }
        }
        kept.insert(digest(token), Kept { verified: Arc::clone(verified), key });
    }

    fn is_fresh(&self, keys: &Keys) -> bool {
        keys.fetched.elapsed() < limits::KEYS_FRESH_TIME
    }

    fn kept_key(&self, name: Option<&str>) -> Option<Arc<Key>> {
        let keys = self.fetched.read().keys.clone().filter(|keys| self.is_fresh(keys))?;
        keys.find(name)
    }

    /// The key of a name. One that is not known is looked for at the issuer, if that was not asked just before.
    fn key(&self, name: Option<&str>) -> Result<Arc<Key>, TokenError> {
        if let Some(key) = self.kept_key(name) {
            return Ok(key);
        }
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= limits::WAITING_MAX {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            return Err(TokenError::NoKeys);
        }
        let fetching = self.fetching.lock();
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        // Another request may have fetched it meanwhile.
        if let Some(key) = self.kept_key(name) {
            return Ok(key);
        }
        if self.may_fetch() {
            self.fetched.write().tried = Some(Instant::now());
            match fetch(&self.options) {
                Ok(keys) => self.fetched.write().keys = Some(Arc::new(keys)),
                Err(reason) => {
                    tracing::warn!(%reason, "the keys of the issuer of tokens cannot be fetched (auth.oidc)");
                }
            }
        }
        drop(fetching);
        let keys = self.fetched.read().keys.clone();
        match keys.filter(|keys| keys.fetched.elapsed() < limits::KEYS_AGE_MAX) {
            None => Err(TokenError::NoKeys),
            Some(keys) => match keys.find(name) {
                Some(key) => Ok(key),
                None => refused("the issuer has no key of the name it gives"),
            },
        }
    }

    fn may_fetch(&self) -> bool {
        let fetched = self.fetched.read();
        let pause = match &fetched.keys {
            Some(_) => self.options.fetch_pause,
            None => limits::FIRST_FETCH_PAUSE.min(self.options.fetch_pause),
        };
        fetched.tried.is_none_or(|tried| tried.elapsed() >= pause)
    }
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

fn now_s() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

fn groups_of(claim: Option<&Value>) -> Vec<String> {
    match claim {
        Some(Value::String(one)) => vec![one.clone()],
        Some(Value::Array(all)) => {
            all.iter().filter_map(Value::as_str).take(limits::GROUPS_MAX).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}
