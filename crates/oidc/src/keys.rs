//! The keys of an issuer, by their names.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, KeyOperations, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;
use serde_json::Value;

use crate::limits;

/// A key that verifies tokens.
pub(crate) struct Key {
    /// The one algorithm that it is for.
    pub(crate) algorithm: Algorithm,
    pub(crate) key: DecodingKey,
}

/// The keys of an issuer at one time.
pub(crate) struct Keys {
    by_name: HashMap<String, Arc<Key>>,
    /// One without a name, or the only one there is: what a token is signed with that names none.
    unnamed: Option<Arc<Key>>,
    pub(crate) fetched: Instant,
}

/// A list of keys (RFC 7517, section 5). Those of kinds that are not known here are passed over.
#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Value>,
}

impl Keys {
    /// Those of a list that can verify tokens.
    pub(crate) fn read(json: &[u8], fetched: Instant) -> Result<Self, String> {
        let set: KeySet = serde_json::from_slice(json).map_err(|error| format!("it is no list of keys: {error}"))?;
        let mut keys = Self { by_name: HashMap::new(), unnamed: None, fetched };
        let mut usable = 0;
        for value in set.keys.into_iter().take(limits::KEYS_MAX) {
            let Ok(jwk) = serde_json::from_value::<Jwk>(value) else { continue };
            let Some(algorithm) = algorithm_of(&jwk) else { continue };
            let Ok(key) = DecodingKey::from_jwk(&jwk) else { continue };
            let key = Arc::new(Key { algorithm, key });
            usable += 1;
            match jwk.common.key_id {
                Some(name) => drop(keys.by_name.insert(name, key)),
                None => keys.unnamed = Some(key),
            }
        }
        match usable {
            0 => return Err("it has no key for RS256 or ES256".to_owned()),
            1 => keys.unnamed = keys.unnamed.or_else(|| keys.by_name.values().next().cloned()),
            // Which one is meant by a token without a name is not clear.
            _ => keys.unnamed = None,
        }
        Ok(keys)
    }

    /// The key of a name; without a name, the only one.
    pub(crate) fn find(&self, name: Option<&str>) -> Option<Arc<Key>> {
        match name {
            Some(name) => self.by_name.get(name).cloned(),
            None => self.unnamed.clone(),
        }
    }
}

/// What a key is for; `None`: not for tokens here.
fn algorithm_of(jwk: &Jwk) -> Option<Algorithm> {
    let (algorithm, named) = match &jwk.algorithm {
        AlgorithmParameters::RSA(_) => (Algorithm::RS256, KeyAlgorithm::RS256),
        AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P256 => {
            (Algorithm::ES256, KeyAlgorithm::ES256)
        }
        _ => return None,
    };
    let common = &jwk.common;
    let is_for_signatures = common.public_key_use.as_ref().is_none_or(|of| *of == PublicKeyUse::Signature);
    let verifies = common.key_operations.as_ref().is_none_or(|all| all.contains(&KeyOperations::Verify));
    let fits = common.key_algorithm.is_none_or(|of| of == named);
    (is_for_signatures && verifies && fits).then_some(algorithm)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The RSA key of RFC 7517, appendix A.1.
    const MODULUS: &str = concat!(
        "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjB",
        "ZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8",
        "KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_",
        "xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",
    );

    fn read(keys: &Value) -> Result<Keys, String> {
        Keys::read(json!({ "keys": keys }).to_string().as_bytes(), Instant::now())
    }

    fn rsa(more: &Value) -> Value {
        let mut key = json!({ "kty": "RSA", "n": MODULUS, "e": "AQAB" });
        key.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        key
    }

    #[test]
    fn only_keys_for_the_two_algorithms_are_taken() {
        let elliptic = json!({
            "kty": "EC", "crv": "P-256", "kid": "e",
            "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4", "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
        });
        let keys = read(&json!([
            rsa(&json!({ "kid": "r", "alg": "RS256", "use": "sig" })),
            elliptic,
            rsa(&json!({ "kid": "encryption", "use": "enc" })),
            rsa(&json!({ "kid": "other", "alg": "PS256" })),
            rsa(&json!({ "kid": "signs", "key_ops": ["sign"] })),
            json!({ "kty": "oct", "kid": "secret", "k": "c2VjcmV0" }),
            json!({ "kty": "nothing known", "kid": "unknown" }),
            json!("no key at all"),
        ]))
        .unwrap();
        assert_eq!(keys.find(Some("r")).unwrap().algorithm, Algorithm::RS256);
        assert_eq!(keys.find(Some("e")).unwrap().algorithm, Algorithm::ES256);
        for name in ["encryption", "other", "signs", "secret", "unknown", "", "R", "../r"] {
            assert!(keys.find(Some(name)).is_none(), "{name}");
        }
        assert!(keys.find(None).is_none(), "one of two");
        assert!(read(&json!([rsa(&json!({ "kid": "r" }))])).unwrap().find(None).is_some(), "the only one");
    }

    #[test]
    fn lists_without_a_key_are_refused() {
        for wrong in [json!([]), json!([{ "kty": "oct", "k": "c2VjcmV0" }]), json!({}), json!(null)] {
            assert!(read(&wrong).is_err(), "{wrong}");
        }
        assert!(Keys::read(b"<html>", Instant::now()).is_err());
    }
}
